"""Runs an adapter of engines/ in the Python of its own environment: python engines/common/serve.py engines/drake/adapter.py

An engine's environment has the engine and NumPy, and not our compiled package; so the parts of python/pbdr that speak the
protocol are taken from the source tree, without the package's __init__.
"""

import os
import sys
import types

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.join(HERE, "..", "..", "python", "pbdr")

for name, folder in (("pbdr", PACKAGE), ("pbdr.bench", os.path.join(PACKAGE, "bench"))):
    module = types.ModuleType(name)
    module.__path__ = [folder]  # type: ignore[attr-defined]
    sys.modules[name] = module
sys.path.insert(0, HERE)

from pbdr.bench import _engine  # noqa: E402

for name in ("Body", "Engine", "Joint", "Mesh", "Scene", "Spheres", "State"):
    setattr(sys.modules["pbdr.bench"], name, getattr(_engine, name))

from pbdr.bench import serve  # noqa: E402

if __name__ == "__main__":
    serve.main()
