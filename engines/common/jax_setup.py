"""JAX for adapters: import it before jax. One device (PBDR_ENGINE_DEVICE), and compiled programs kept beside the environment, so
that a test's second start does not compile again (40 s each for MJX on a busy core)."""

import os
import sys

from pbdr_adapter import DEVICE

os.environ["JAX_PLATFORMS"] = "cuda" if DEVICE == "gpu" else "cpu"

import jax  # noqa: E402

jax.config.update("jax_compilation_cache_dir", os.path.join(os.path.dirname(sys.prefix), "jax_cache"))
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
