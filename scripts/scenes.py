#!/usr/bin/env python3
"""Writes the example scenes, scenes/*.xml, as MJCF that MuJoCo and `pbdr run` both read.

    python3 scripts/scenes.py [FOLDER]      default: scenes/ beside this script's folder

The files are committed; this script is kept so that their numbers have a source. It needs nothing but Python.
docs/scenes.md says what must happen in each.
"""
import math
import os
import random
import sys

# Contacts as hard as MuJoCo makes them at this time step, so that its bodies sag by less than what is compared. pbdr's
# contacts are hard anyway, and it says that it leaves these out.
STIFF = 'solref="0.002 1" solimp="0.99 0.999 0.0001"'
OPTION = '<option timestep="0.001" cone="elliptic" impratio="10" iterations="100"/>'


def num(x):
    """A short number: six digits are 1e-7 m here."""
    text = f"{x:.6g}"
    return "0" if text == "-0" else text


def vec(values):
    return " ".join(num(v) for v in values)


def scene(name, words, duration, body, geom=f'friction="0.4" {STIFF}', assets="", custom="", classes="", option=OPTION):
    lines = [f'<mujoco model="{name}">', "  <!--"]
    lines += [f"    {line}" for line in words]
    lines += ["    Made by scripts/scenes.py; run it with: pbdr run scenes/" + name + ".xml", "  -->"]
    lines += [f"  {option}", "  <default>", f"    <geom {geom}/>"]
    lines += [f"    {line}" for line in classes.splitlines()]
    lines += ["  </default>"]
    if assets:
        lines += ["  <asset>"] + [f"    {line}" for line in assets.splitlines()] + ["  </asset>"]
    lines += ["  <worldbody>"] + [f"    {line}" for line in body] + ["  </worldbody>"]
    lines += ["  <custom>", f'    <numeric name="pbdr_duration" data="{num(duration)}"/>']
    lines += [f"    {line}" for line in custom.splitlines()]
    lines += ["  </custom>", "</mujoco>", ""]
    return "\n".join(lines)


FLOOR = '<geom name="floor" type="plane" size="2 2 0.1"/>'


def free(name, pos, geom, turn=""):
    return f'<body name="{name}" pos="{vec(pos)}"{turn}><freejoint/><geom {geom}/></body>'


def box_on_slope():
    slope = math.radians(25)
    turn = ' euler="0 25 0"'
    normal = (math.sin(slope), 0, math.cos(slope))
    body = ['<geom name="slope" type="plane" size="5 5 0.1" euler="0 25 0" friction="0.1"/>']
    for name, y, mu in (("slides", -0.2, 0.4), ("sticks", 0.2, 0.6)):
        pos = (0.1 * normal[0], y, 0.1 * normal[2])
        body.append(free(name, pos, f'type="box" size="0.1 0.1 0.1" density="500" friction="{mu}"', turn))
    return scene("box_on_slope", [
        "Two boxes on a slope of 25 degrees. tan 25 = 0.466, so the one with friction 0.4 slides,",
        "a = g (sin 25 - 0.4 cos 25) = 0.590 m/s^2, and the one with 0.6 does not move."], 1, body)


def rod_and_box():
    body = [FLOOR, free("box", (0, 0, 0.1), 'type="box" size="0.1 0.1 0.1" density="500"'),
            '<body name="rod" mocap="true" pos="-0.212 0 0.1">'
            '<geom type="capsule" fromto="-0.2 0 0 0.1 0 0" size="0.01" friction="0.1"/></body>']
    custom = ('<!-- 2 mm to the box, then 0.1 m at 0.05 m/s, then back: t x y z and the quaternion -->\n'
              '<numeric name="pbdr_path:rod" data="0 -0.212 0 0.1 1 0 0 0  0.04 -0.21 0 0.1 1 0 0 0'
              '  2.04 -0.11 0 0.1 1 0 0 0  2.24 -0.13 0 0.1 1 0 0 0"/>')
    return scene("rod_and_box", [
        "A rod (a mocap body, which is kinematic here) pushes a box at its middle by 0.1 m and draws back.",
        "The box ends where the rod's tip was, 0.1 m on, and v^2/(2 mu g) = 0.3 mm of sliding further."], 2.5, body, custom=custom)


def bunny_pile(count=30):
    rng = random.Random(4)
    body = [FLOOR]
    for k in range(count):
        x, y, z = k % 3, k // 3 % 2, k // 6
        pos = (0.18 * (x - 1) + rng.uniform(-.005, .005), 0.18 * (y - .5) + rng.uniform(-.005, .005), 0.1 + 0.18 * z)
        q = [rng.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(v * v for v in q))
        turn = ' quat="' + vec(v / length for v in q) + '"'
        body.append(free(f"bunny{k}", pos, 'type="mesh" mesh="bunny" density="500" pos="-0.03 -0.002 -0.059"', turn))
    return scene("bunny_pile", [
        f"{count} bunnies in a loose heap are dropped and come to rest. The mesh is fetched by the set-up",
        "(make build), into build/data. MuJoCo collides its convex hull, pbdr the mesh itself."], 2, body,
        assets='<mesh name="bunny" file="../build/data/bunny.stl" scale="0.001 0.001 0.001"/>',
        custom='<numeric name="pbdr_spheres" data="200"/>')


def dominoes(count=20):
    body = [FLOOR]
    tilt = math.radians(12)
    for k in range(count):
        size = (0.005, 0.0125, 0.025)
        pos, turn = (0.03 * k, 0, size[2]), ""
        if k == 0:  # tipped about its lower front edge, past its balance: atan(0.005/0.025) = 11.3 degrees
            back = (-size[0] * math.cos(tilt) + size[2] * math.sin(tilt), size[0] * math.sin(tilt) + size[2] * math.cos(tilt))
            pos, turn = (size[0] + back[0], 0, back[1]), ' euler="0 12 0"'
        body.append(free(f"domino{k}", pos, f'type="box" size="{vec(size)}" density="1000"', turn))
    return scene("dominoes", [
        f"{count} dominoes in a row; the first is tipped past its balance. All of them fall: each turns by more than",
        "60 degrees. The last has nothing to lie on and ends flat."], 2, body)


def brick_wall(rows=10):
    body = [FLOOR]
    x, y, z = 0.1, 0.05, 0.04  # half sizes of a whole brick
    for row in range(rows):
        height = z * (2 * row + 1)
        shift = 0 if row % 2 == 0 else -x
        whole = 10 if row % 2 == 0 else 11
        for k in range(whole):
            half = row % 2 == 1 and k in (0, whole - 1)
            place = 2 * x * k + shift
            if half:
                place += 0.5 * x if k == 0 else -0.5 * x
            size = (0.5 * x if half else x, y, z)
            body.append(free(f"brick{row}_{k}", (place - 9 * x, 0, height), f'type="box" size="{vec(size)}" density="1000"'))
    return scene("brick_wall", [
        "A wall of 105 bricks in running bond, half bricks at its ends, without mortar. It stands."], 1, body,
        geom=f'friction="0.6" {STIFF}')


def arch(count=11, inner=0.5, outer=0.62, depth=0.1):
    """A half circle of wedges: corners at both angles and radii, front and back."""
    body, assets = [FLOOR], []
    for k in range(count):
        angles = (math.pi * k / count, math.pi * (k + 1) / count)
        corners = [(r * math.cos(a), y, r * math.sin(a)) for y in (-depth, depth) for a in angles for r in (inner, outer)]
        assets.append(f'<mesh name="wedge{k}" vertex="' + "  ".join(" ".join(f"{c:.9g}" for c in p) for p in corners) + '"/>')
        body.append(free(f"wedge{k}", (0, 0, 0), f'type="mesh" mesh="wedge{k}" density="2000"'))
    return scene("arch", [
        f"A half circle of {count} wedges without mortar, {outer - inner:.2g} m thick at a mean radius of {(inner + outer) / 2:.2g} m: "
        f"{2 * (outer - inner) / (inner + outer):.3g} of it.",
        "An arch stands where a line of thrust fits into it: half circles from a thickness of 0.107 radii on. It stands."],
        1, body, geom=f'friction="0.8" {STIFF}', assets="\n".join(assets))


def card_house():
    """Two tents, a card across them, a tent on top: 7 cards."""
    tilt = math.radians(20)
    half = (0.032, 0.044, 0.001)  # width (across), height, thickness
    sine, cosine = math.sin(tilt), math.cos(tilt)
    body = [FLOOR]

    def tent(name, x, base):
        # each card stands on its lower edge and leans against the other: their upper edges meet above x
        for side, sign in (("a", 1), ("b", -1)):
            # the card's own axes: up along it, and across its thickness; the inner face's upper edge is at x
            up = (-sign * sine, cosine)
            out = (sign * cosine, sine)
            # lowest corner of the card: outer or inner one of the lower end, whichever is lower
            centre_z = base + half[1] * cosine + half[2] * sine
            # upper end of the inner face touches the other's: x of that corner = x of the tent's middle
            centre_x = x - (up[0] * half[1] - out[0] * half[2])
            angle = -sign * 20
            body.append(f'<body name="{name}{side}" pos="{centre_x:.9g} 0 {centre_z:.9g}" euler="0 {angle} 0">'
                        f'<freejoint/><geom type="box" size="{num(half[2])} {num(half[0])} {num(half[1])}" density="700"/></body>')
        return base + 2 * (half[1] * cosine + half[2] * sine)

    top = max(tent("left_", -0.04, 0), tent("right_", 0.04, 0))
    body.append(f'<body name="floor_card" pos="0 0 {top + half[2]:.9g}"><freejoint/>'
                f'<geom type="box" size="0.06 {num(half[0])} {num(half[2])}" density="700"/></body>')
    tent("top_", 0, top + 2 * half[2])
    return scene("card_house", [
        "Two tents of two cards, a card across them and a tent on top: 7 cards of 2 mm that lean by 20 degrees.",
        "tan 20 / 2 = 0.18 of friction holds a tent; here it is 0.6. It stands."], 1, body, geom=f'friction="0.6" {STIFF}')


def tower(count=20):
    body = [FLOOR] + [free(f"box{k}", (0, 0, 0.2 * k + 0.1), 'type="box" size="0.1 0.1 0.1" density="500"') for k in range(count)]
    return scene("tower", [f"{count} boxes of 0.2 m on top of each other. They stay where they are."], 1, body)


def tray():
    rng = random.Random(9)
    body = ['<geom name="bottom" type="box" size="0.2 0.15 0.01" pos="0 0 -0.01"/>']
    for name, pos, size in (("left", (-0.205, 0, 0.02), (0.005, 0.15, 0.02)), ("right", (0.205, 0, 0.02), (0.005, 0.15, 0.02)),
                            ("front", (0, -0.155, 0.02), (0.21, 0.005, 0.02)), ("back", (0, 0.155, 0.02), (0.21, 0.005, 0.02))):
        body.append(f'<geom name="{name}" type="box" size="{vec(size)}" pos="{vec(pos)}"/>')
    kinds = ['type="box" size="0.01 0.01 0.006"', 'type="cylinder" size="0.01 0.005"', 'type="capsule" size="0.006 0.01" euler="90 0 0"',
             'type="sphere" size="0.008"']
    heights = [0.006, 0.005, 0.006, 0.008]
    for k in range(40):
        x, y = k % 8, k // 8
        kind = k % 4 if y % 2 == 0 else (k + 2) % 4
        pos = (-0.09 + 0.035 * x + rng.uniform(-.003, .003), -0.08 + 0.04 * y + rng.uniform(-.003, .003), heights[kind])
        turn = f' euler="0 0 {num(rng.uniform(0, 90))}"'
        body.append(free(f"part{k}", pos, kinds[kind] + ' density="2000"', turn))
    body.append('<body name="finger" mocap="true" pos="-0.17 0 0.03"><geom type="capsule" size="0.01" fromto="0 0 -0.015 0 0 0.06"/>'
                '<geom type="box" size="0.01 0.04 0.008" pos="0 0 -0.018"/></body>')
    custom = ('<!-- across the tray at 0.1 m/s, then back -->\n'
              '<numeric name="pbdr_path:finger" data="0 -0.17 0 0.03 1 0 0 0  2.2 0.05 0 0.03 1 0 0 0  3 -0.03 0 0.03 1 0 0 0"/>')
    return scene("tray", [
        "A tray with 40 small parts, pushed together by a finger (a mocap body, which is kinematic here). No part leaves the tray,",
        "and none goes through the finger or the walls."], 3, body, custom=custom,
        geom=f'condim="6" friction="0.4 0.0005 0.0002" {STIFF}')


def hopper(count=1000):
    body = []
    slope, length, thick = 45, 0.14, 0.01  # plates that lean outwards, and a bin below
    for name, x, y in (("east", 1, 0), ("west", -1, 0), ("north", 0, 1), ("south", 0, -1)):
        mid = 0.03 + length * math.cos(math.radians(slope)) + thick * math.sin(math.radians(slope))
        z = 0.15 + length * math.sin(math.radians(slope)) - thick * math.cos(math.radians(slope))
        euler = (0, -slope * x, 0) if x else (slope * y, 0, 0)
        size = (length, 0.26, thick) if x else (0.26, length, thick)
        body.append(f'<geom name="{name}" type="box" size="{vec(size)}" pos="{vec((mid * x, mid * y, z))}" euler="{vec(euler)}"/>')
        wall = (0.005, 0.125, 0.07) if x else (0.125, 0.005, 0.07)
        body.append(f'<geom name="bin_{name}" type="box" size="{vec(wall)}" pos="{vec((0.12 * x, 0.12 * y, 0.07))}"/>')
    body.append('<geom name="bin" type="box" size="0.125 0.125 0.01" pos="0 0 -0.01"/>')
    rng = random.Random(1)
    for k in range(count):
        x, y, z = k % 10, k // 10 % 10, k // 100
        pos = (0.022 * (x - 4.5) + rng.uniform(-.001, .001), 0.022 * (y - 4.5) + rng.uniform(-.001, .001), 0.34 + 0.022 * z)
        body.append(f'<body pos="{vec(round(p, 4) for p in pos)}"><freejoint/><geom class="ball"/></body>')
    return scene("hopper", [
        f"{count} balls of 1 cm radius fall into a hopper with an opening of 6 cm, and through it into a bin. None leaves."],
        2, body, classes='<default class="ball"><geom type="sphere" size="0.01" density="1000"/></default>')


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes")
    os.makedirs(folder, exist_ok=True)
    for make in (box_on_slope, rod_and_box, bunny_pile, dominoes, brick_wall, arch, card_house, tower, tray, hopper):
        with open(os.path.join(folder, make.__name__ + ".xml"), "w", encoding="utf-8") as file:
            file.write(make())


if __name__ == "__main__":
    main()
