#!/usr/bin/env python3
"""Writes the scenes with joints into scenes/: scripts/mechanisms.py [FOLDER]; or a chain onto stdout: --chain KIND LINKS.

Standard library only. Links are boxes that touch nothing unless they are fingers or what these hold.
"""
import json
import math
import os
import sys

GHOST = {"category": 0, "mask": 0}


def rod(name, a, b, mass, thick=0.02, **more):
    """A box along the line from a to b, in the plane y = const."""
    length = math.dist(a, b)
    angle = math.atan2(b[2] - a[2], b[0] - a[0])  # about -y
    return {"name": name, "shape": "box", "half_extents_m": [length / 2, thick / 2, thick / 2], "mass_kg": mass,
            "start": {"position_m": [(p + q) / 2 for p, q in zip(a, b)],
                      "rotation_wxyz": [math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0]}, **GHOST, **more}


def box(name, centre, half, mass, **more):
    return {"name": name, "shape": "box", "half_extents_m": half, "mass_kg": mass, "start": {"position_m": centre}, **more}


def joint(name, kind, a, b, point, axis=(0, 1, 0), **more):
    return {"name": name, "kind": kind, "bodies": [a, b], "point_m": list(point), "axis": list(axis), **more}


def scene(name, description, bodies, joints, **more):
    return {"schema": "pbdr-scene/2", "name": name, "description": description, "time_step_s": 0.001, "duration_s": 10,
            **more, "bodies": bodies, "joints": joints}


def pendulums():
    bodies, joints = [], []
    for count in (1, 2, 3):
        last, point = None, [0.8 * count, 0.0, 0.0]
        for k in range(count):
            end = [point[0] + 0.3 * math.sin(1.5), 0.0, point[2] - 0.3 * math.cos(1.5)]
            name = f"link {count}.{k + 1}"
            bodies.append(rod(name, point, end, 0.5))
            joints.append(joint(f"hinge {count}.{k + 1}", "hinge", last, name, point))
            last, point = name, end
    return scene("pendulums", "A pendulum, a double and a triple one, let go almost level.", bodies, joints)


def four_bar():
    a, d = [0, 0, 0], [0.5, 0, 0]
    crank, coupler, rocker = 0.2, 0.5, 0.4
    b = [0, 0, crank]
    # where the circles around b and d meet
    dx, dz = d[0] - b[0], d[2] - b[2]
    far = math.hypot(dx, dz)
    along = (coupler ** 2 - rocker ** 2 + far ** 2) / (2 * far)
    up = math.sqrt(coupler ** 2 - along ** 2)
    c = [b[0] + (along * dx - up * dz) / far, 0, b[2] + (along * dz + up * dx) / far]
    bodies = [rod("crank", a, b, 0.2), rod("coupler", b, c, 0.5), rod("rocker", d, c, 0.4)]
    joints = [joint("motor", "hinge", None, "crank", a, motor="velocity", target=4.0), joint("b", "hinge", "crank", "coupler", b),
              joint("c", "hinge", "coupler", "rocker", c), joint("d", "hinge", None, "rocker", d)]
    return scene("four_bar", "A four-bar linkage whose crank a motor turns: a loop.", bodies, joints)


def bricard():
    points = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]]
    axes = [[0, 1, 0], [0, 0, 1], [1, 0, 0]] * 2
    bodies, joints = [], []
    for k in range(5):
        p, q = points[k], points[k + 1]
        half = [0.5 if p[i] != q[i] else 0.02 for i in range(3)]
        bodies.append(box(f"link {k + 1}", [(p[i] + q[i]) / 2 for i in range(3)], half, 1.0, **GHOST))
    for k in range(6):
        joints.append(joint(f"hinge {k + 1}", "hinge", f"link {k}" if k > 0 else None, f"link {k + 1}" if k < 5 else None,
                            points[k], axes[k]))
    return scene("bricard", "Bricard's mechanism: six hinges that count as none, and it moves.", bodies, joints,
                 gravity_mps2=[0, -9.81, 0])


def gyroscope():
    tilt = 0.4
    wheel = {"name": "wheel", "shape": "cylinder", "radius_m": 0.1, "half_length_m": 0.01, "mass_kg": 1.0,
             "start": {"position_m": [0.15 * math.sin(tilt), 0, 0.15 * math.cos(tilt)],
                       "rotation_wxyz": [math.cos(tilt / 2), 0, math.sin(tilt / 2), 0]},
             "start_angular_velocity_radps": [150 * math.sin(tilt), 0, 150 * math.cos(tilt)], **GHOST}
    return scene("gyroscope", "A wheel that spins on a point: it nods and goes around.", [wheel], [joint("point", "ball", None, "wheel", [0, 0, 0])])


def cradle():
    bodies, joints = [], []
    for k in range(5):
        turn = -0.6 if k == 0 else 0.0
        top = [0.1 * k, 0, 0]
        centre = [top[0] + math.sin(turn), 0, -math.cos(turn)]
        bodies.append({"name": f"ball {k + 1}", "shape": "ball", "radius_m": 0.05, "mass_kg": 0.5, "start": {"position_m": centre},
                       "friction": 0.0, "restitution": 1.0})
        joints.append(joint(f"rod {k + 1}", "hinge", None, f"ball {k + 1}", top))
    return scene("cradle", "Newton's cradle on rods: the last ball leaves as the first one comes.", bodies, joints)


def press():
    crank, rod_length = 0.1, 0.3
    a, b = [0, 0, 0], [crank, 0, 0]
    c = [0, 0, -math.sqrt(rod_length ** 2 - crank ** 2)]
    bodies = [rod("crank", a, b, 0.5), rod("rod", b, c, 0.5), box("ram", c, [0.04, 0.04, 0.04], 2.0, **GHOST)]
    joints = [joint("motor", "hinge", None, "crank", a, motor="velocity", target=6.0, max_force=60.0),
              joint("pin", "hinge", "crank", "rod", b), joint("wrist", "hinge", "rod", "ram", c),
              joint("guide", "slide", None, "ram", c, [0, 0, 1], stiffness=2000.0, reference=0.05, damping=5.0)]
    return scene("press", "A slider-crank press that works against a spring, driven by a motor of 60 N m.", bodies, joints)


def mug(place):
    """Twelve staves, a bottom and a handle, all of boxes; 0.3 kg."""
    parts = [{"shape": "cylinder", "radius_m": 0.04, "half_length_m": 0.004, "position_m": [0, 0, -0.046]}]
    for k in range(12):
        angle = 2 * math.pi * k / 12
        parts.append({"shape": "box", "half_extents_m": [0.003, 0.0108, 0.05],
                      "position_m": [0.037 * math.cos(angle), 0.037 * math.sin(angle), 0],
                      "rotation_wxyz": [math.cos(angle / 2), 0, 0, math.sin(angle / 2)]})
    for z in (-0.025, 0.025):
        parts.append({"shape": "box", "half_extents_m": [0.006, 0.013, 0.005], "position_m": [0, 0.052, z]})
    parts.append({"shape": "box", "half_extents_m": [0.006, 0.005, 0.03], "position_m": [0, 0.07, 0]})
    return {"name": "mug", "shape": "compound", "parts": parts, "mass_kg": 0.3, "start": {"position_m": place}, "friction": 0.8}


def gripper():
    height = 0.05
    palm = [0, 0, height + 0.12]
    bodies = [mug([0, 0, height]), box("palm", palm, [0.09, 0.02, 0.01], 0.5, **GHOST)]
    joints = [joint("lift", "slide", None, "palm", palm, [0, 0, 1], motor="position", target=0.2, motor_stiffness=200.0,
                    motor_damping=60.0, upper=0.25)]
    for name, side in (("left", -1), ("right", 1)):
        place = [side * 0.05, 0, height]
        bodies.append(box(name, place, [0.01, 0.012, 0.05], 0.1, friction=0.8))
        joints.append(joint(f"{name} finger", "slide", "palm", name, place, [-side, 0, 0], motor="force", target=12.0))
    return scene("gripper", "A parallel gripper lifts a mug by friction alone and holds it.", bodies, joints,
                 ground={"point_m": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.8})


GROUND = {"point_m": [0, 0, 0], "normal": [0, 0, 1], "friction": 0.4}


def arm():
    """A SCARA arm, both links 0.7 m long and above what it pushes; its rod goes up and down."""
    base, elbow, tip, height = [-0.85, 0, 0.5], [-0.5, 0.6, 0.5], [-0.15, 0, 0.5], 0.5
    reach = math.dist(base, elbow)
    assert abs(reach - math.dist(elbow, tip)) < 1e-12
    bodies = [box("box", [0, 0, 0.1], [0.1, 0.1, 0.1], 4.0, friction=0.4)]
    for name, a, b, mass in (("upper arm", base, elbow, 3.0), ("forearm", elbow, tip, 2.0)):
        angle = math.atan2(b[1] - a[1], b[0] - a[0])
        bodies.append(box(name, [(p + q) / 2 for p, q in zip(a, b)], [reach / 2, 0.03, 0.03], mass, **GHOST))
        bodies[-1]["start"]["rotation_wxyz"] = [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]
    low = [tip[0], tip[1], height - 0.04]
    bodies.append({"name": "rod", "shape": "capsule", "radius_m": 0.015, "half_length_m": 0.1, "mass_kg": 0.5, "friction": 0.1,
                   "start": {"position_m": low}})
    turn = dict(motor="position", motor_stiffness=4000.0, motor_damping=150.0, max_force=150.0)
    joints = [joint("shoulder", "hinge", None, "upper arm", base, (0, 0, 1), **turn),
              joint("elbow", "hinge", "upper arm", "forearm", elbow, (0, 0, 1), **turn),
              joint("lift", "slide", "forearm", "rod", low, (0, 0, 1), motor="position", motor_stiffness=8000.0, motor_damping=200.0,
                    lower=-0.4, upper=0.05)]
    sensors = [{"name": name, "kind": "joint_position", "joint": name} for name in ("shoulder", "elbow", "lift")]
    sensors += [{"name": "push", "kind": "force", "body": "rod", "other": "box"},
                {"name": "torque", "kind": "joint_force", "joint": "shoulder"}]
    return scene("arm", "An arm that pushes the box of Test 7 (samples/arm.py closes the loop).", bodies, joints, ground=GROUND, sensors=sensors)


def hand():
    """Three fingers about an upright cylinder, each on a slide on a hinge about the cylinder's axis."""
    bodies = [{"name": "jar", "shape": "cylinder", "radius_m": 0.05, "half_length_m": 0.05, "mass_kg": 0.5, "friction": 0.6,
               "start": {"position_m": [0, 0, 0.05]}}]
    joints, sensors = [], []
    for k in range(3):
        angle = 2 * math.pi * k / 3
        out = [math.cos(angle), math.sin(angle), 0.0]
        turn = [math.cos(angle / 2), 0.0, 0.0, math.sin(angle / 2)]
        knuckle, finger = f"knuckle {k + 1}", f"finger {k + 1}"
        bodies.append(box(knuckle, [0.08 * out[0], 0.08 * out[1], 0.16], [0.04, 0.015, 0.01], 0.2, **GHOST))
        place = [0.07 * out[0], 0.07 * out[1], 0.07]
        bodies.append(box(finger, place, [0.008, 0.01, 0.05], 0.1, friction=0.9))
        for body in bodies[-2:]:
            body["start"]["rotation_wxyz"] = turn
        joints.append(joint(f"sweep {k + 1}", "hinge", None, knuckle, [0, 0, 0.16], (0, 0, 1), motor="position", motor_stiffness=60.0,
                            motor_damping=1.5, lower=-0.9, upper=0.9))
        joints.append(joint(f"press {k + 1}", "slide", knuckle, finger, place, [-x for x in out], motor="force", target=-2.0, damping=8.0,
                            lower=-0.01, upper=0.03))
        sensors.append({"name": f"touch {k + 1}", "kind": "touch", "body": finger, "other": "jar"})
    for k in (2, 3):  # fingers sweep as one
        joints.append({"name": f"belt {k}", "kind": "gear", "joints": ["sweep 1", f"sweep {k}"]})
    sensors.append({"name": "jar", "kind": "rotation", "body": "jar"})
    return scene("hand", "Three fingers that turn a jar (samples/hand.py moves them).", bodies, joints, ground=GROUND, sensors=sensors)


def chain(kind, count):
    """Level rods of 0.1 m in a row, the first one on the world."""
    bodies, joints, last = [], [], None
    for k in range(count):
        a, b, name = [0.1 * k, 0, 0], [0.1 * (k + 1), 0, 0], f"link {k + 1}"
        bodies.append(rod(name, a, b, 0.1))
        joints.append(joint(f"joint {k + 1}", kind, last, name, a))
        last = name
    return scene("chain", f"A chain of {count} links, let go.", bodies, joints)


def main():
    if sys.argv[1:2] == ["--chain"]:
        json.dump(chain(sys.argv[2], int(sys.argv[3])), sys.stdout)
        return
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "../scenes")
    for make in (pendulums, four_bar, bricard, gyroscope, cradle, press, gripper, arm, hand):
        with open(os.path.join(folder, make.__name__ + ".json"), "w", encoding="utf-8") as file:
            json.dump(make(), file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main()
