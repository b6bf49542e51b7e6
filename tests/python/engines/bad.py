"""An engine that does what BAD says, after ten steps of nothing."""

import os
import signal
import sys
import time

from pbdr.bench import Engine, Scene, State

BAD = os.environ.get("BAD", "")
if BAD == "raises_at_load":
    raise RuntimeError("at load")


class Bad(Engine):
    name = "bad"
    version = "0"

    def create(self, scene: Scene) -> None:
        self.body = scene.bodies[0]
        self.steps = 0
        if BAD == "prints":
            print("hello from create")
            os.write(1, b"raw bytes to stdout\n")
        if BAD == "refuses":
            raise NotImplementedError("tuesdays")

    def step(self, n: int) -> None:
        self.steps += n
        if self.steps < 50:
            return
        if BAD == "raises":
            raise ArithmeticError("the sum is wrong")
        if BAD == "hangs":
            time.sleep(1000)
        if BAD == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        if BAD == "exits":
            os._exit(3)
        if BAD == "prints":
            print("a line", flush=True)

    def read(self, body: int) -> State:
        position = self.body.position
        if BAD == "nan" and self.steps > 50:
            position = position * float("nan")
        if BAD == "short" and self.steps > 50:
            return State((0, 0), self.body.rotation, (0, 0, 0), (0, 0, 0))
        return State(position, self.body.rotation, (0, 0, 0), (0, 0, 0))


assert sys.version_info >= (3, 11)
