"""An engine of ours whose motions are the closed forms by semi-implicit Euler, and ways to get its adapter wrong (argument 1):

right, other_body (the pose of another body), xyzw (quaternions x, y, z, w), inverse (world to body), degrees (angular velocity in
degrees per second), body_axes (angular velocity in the body's axes), half_weight (half of the contact force), wrong_gravity,
inertia_axes (inertia in the world's axes), hangs (from t = 0.1 s on).
Pure Python: the checks must run where no engine is installed.
"""

import json
import math
import sys
import time

MODE = sys.argv[1] if len(sys.argv) > 1 else "right"


def multiply(p, q):
    a, b, c, d = p
    w, x, y, z = q
    return [a * w - b * x - c * y - d * z, a * x + b * w + c * z - d * y, a * y - b * z + c * w + d * x, a * z + b * y - c * x + d * w]


def rotate(q, v):
    return multiply(multiply(q, [0.0, *v]), [q[0], -q[1], -q[2], -q[3]])[1:]


def solve(m, b):
    def det(a):
        return (a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0])
                + a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]))
    return [det([[b[i] if j == k else m[i][j] for j in range(3)] for i in range(3)]) / det(m) for k in range(3)]


class Body:
    def __init__(self, value):
        self.x, self.q = list(value["start"]["position_m"]), list(value["start"]["rotation_wxyz"])
        self.v, self.w = list(value["velocity_mps"]), list(value["angular_velocity_radps"])
        self.mass, self.inertia = value["mass_kg"], value["inertia_kgm2"]
        self.torque, self.half = value["torque_Nm"], value["half_extents_m"][2]

    def step(self, gravity, dt):
        self.pressed = self.x[2] <= self.half + 1e-9
        for k in range(3):
            self.v[k] += dt * (gravity[k] if not (self.pressed and k == 2) else 0.0)
            self.x[k] += dt * self.v[k]
        q = self.q if MODE != "inertia_axes" else [1.0, 0.0, 0.0, 0.0]
        turning = rotate(q, solve(self.inertia, rotate([q[0], -q[1], -q[2], -q[3]], self.torque)))
        self.w = [w + dt * a for w, a in zip(self.w, turning)]
        speed = math.hypot(*self.w)
        if speed > 0:
            turn = [math.cos(speed * dt / 2), *(math.sin(speed * dt / 2) * w / speed for w in self.w)]
            self.q = multiply(turn, self.q)

    def read(self):
        q, w = list(self.q), list(self.w)
        if MODE == "xyzw":
            q = [q[1], q[2], q[3], q[0]]
        if MODE == "inverse":
            q = [q[0], -q[1], -q[2], -q[3]]
        if MODE == "degrees":
            w = [math.degrees(x) for x in w]
        if MODE == "body_axes":
            w = multiply(multiply([q[0], -q[1], -q[2], -q[3]], [0, *w]), q)[1:]
        return [*self.x, *q, *self.v, *w]


bodies, scene, clock = [], {}, [0.0]


def answer(message):
    global bodies, scene
    rows = lambda: [b.read() for b in (bodies[::-1] if MODE == "other_body" else bodies)]  # noqa: E731
    if message["call"] == "hello":
        return {"protocol": 1, "name": "fake", "version": MODE, "presets": "tuned"}
    if message["call"] == "create":
        scene = message["scene"]
        bodies = [Body(value) for value in scene["bodies"]]
        return {"settings": {}, "bodies": rows()}
    if message["call"] == "step":
        gravity = [1.02 * g if MODE == "wrong_gravity" else g for g in scene["gravity_mps2"]]
        for _ in range(message["count"]):
            for body in bodies:
                body.step(gravity, scene["time_step_s"])
            clock[0] += scene["time_step_s"]
        if MODE == "hangs" and clock[0] > 0.1 + 1e-9:
            time.sleep(3600)
        weight = 0.5 if MODE == "half_weight" else 1.0
        forces = {"contact_forces_N": [[0.0, 0.0, weight * -b.mass * gravity[2]] if b.pressed else [0.0, 0.0, 0.0] for b in bodies]}
        return {"flags": 0, "bodies": rows(), **(forces if message.get("forces") else {})}
    return {}


for line in sys.stdin:
    print(json.dumps({"ok": True, **answer(json.loads(line))}), flush=True)
