"""An engine for the benchmark in Python: a block that knows Coulomb's law and nothing else, by semi-implicit Euler.

It scores the benchmark's floor, a t dt/2, by construction, as samples/plugin.c does:

    pbdr bench --plugin samples/engine.py --tests 1,3
"""

import numpy as np

from pbdr.bench import Engine, Scene, State


class Block(Engine):
    name = "pyblock"
    version = "1.0"

    def create(self, scene: Scene) -> None:
        body = scene.bodies[0]
        if len(scene.bodies) != 1 or body.torque.any() or body.angular_velocity.any():
            raise NotImplementedError("a block knows no other bodies, and does not turn")
        self.scene, self.body = scene, body
        self.position, self.velocity = body.position.copy(), body.velocity.copy()

    def step(self, n: int) -> None:
        normal, dt = self.scene.ground_normal, self.scene.time_step
        for _ in range(n):
            # the ground takes what presses into it, and brakes with mu times that, at most to a stop
            push = self.scene.gravity + self.body.force / self.body.mass
            pressure = max(-float(push @ normal), 0.0)
            self.velocity += dt * (push + pressure * normal)
            speed = float(np.linalg.norm(self.velocity))
            brake = dt * self.scene.ground_friction * pressure
            self.velocity *= max(1.0 - brake / speed, 0.0) if speed > 0 else 0.0
            self.position += dt * self.velocity

    def read(self, body: int) -> State:
        return State(self.position, self.body.rotation, self.velocity, (0.0, 0.0, 0.0))

    def settings(self) -> dict[str, str]:
        return {"integrator": "semi-implicit Euler"}
