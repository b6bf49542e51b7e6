"""Worlds that several tests share."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import pytest

import pbdr

# The address sanitizer keeps freed memory for a while: growth says nothing there.
keeps_freed = pytest.mark.skipif(os.environ.get("PBDR_ASAN") == "1", reason="the address sanitizer keeps freed memory")


def make_pushed_box(**options: object) -> pbdr.World:
    """Test 1 of the benchmark: a cube of 4 kg on a floor, pushed by 17 N."""
    world = pbdr.World(**options)  # type: ignore[arg-type]
    world.add_plane(friction=0.4)
    box = world.add_body(pbdr.Shape.box(0.2, mass=4.0), position=(0, 0, 0.1), name="box")
    box.force = (17, 0, 0)
    return world


def check_ctrl_c(step: Callable[[int], object]) -> None:
    """A step that would take hours ends by Ctrl-C within seconds."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs begin with it ignored
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        step(2_000_000_000)
    timer.join()
    assert time.monotonic() - begun < 10


@pytest.fixture
def world() -> pbdr.World:
    return make_pushed_box()
