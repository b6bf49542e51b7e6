"""A scene as MJCF, for every engine that reads it: MuJoCo, MJX, mujoco_warp, Newton and Brax.

As our C adapter writes it (bench/solvers/mujoco.c): true inertia; the body's friction is none and the ground's and the rod's is
what counts, because MuJoCo takes the larger of two; several free bodies have the friction of all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

ROD_MASS = 1e6  # [kg]: a slide joint whose state is overwritten before each step


def join(values: Any) -> str:
    return " ".join(f"{float(value):.17g}" for value in np.ravel(values))


def write_shape(body: Any, mesh_name: str) -> str:
    if body.shape == "box":
        return f"type='box' size='{join(body.half_extents)}'"
    if body.shape == "ball":
        return f"type='sphere' size='{body.radius:.17g}'"
    if body.shape == "cylinder":
        return f"type='cylinder' size='{body.radius:.17g} {body.half_extents[2]:.17g}'"
    return f"type='mesh' mesh='{mesh_name}'"


def write_body(k: int, body: Any, scene: Any) -> str:
    start = f"<body name='body{k}' pos='{join(body.position)}' quat='{join(body.rotation)}'>\n"
    if body.prescribed:
        turn = body.prescribed_acceleration / (np.linalg.norm(body.prescribed_acceleration) or 1.0)
        axis = unrotate(body.rotation, turn)
        half = body.half_extents[0] - body.radius
        return start + (f"<joint name='rod' type='slide' axis='{join(axis)}'/><inertial pos='0 0 0' mass='{ROD_MASS:g}' "
                        f"diaginertia='1 1 1'/><geom type='capsule' fromto='{-half:.17g} 0 0 {half:.17g} 0 0' size='{body.radius:.17g}' "
                        f"contype='0' conaffinity='2' friction='{scene.pair_friction:.17g} 0 0'/></body>")
    many = sum(not other.prescribed for other in scene.bodies) > 1
    full = [body.inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    inertia = f"diaginertia='{join(full[:3])}'" if not any(full[3:]) else f"fullinertia='{join(full)}'"
    kinds = (f"contype='3' conaffinity='3' friction='{scene.pair_friction:.17g} 0 0'" if many
             else "contype='2' conaffinity='1' friction='0 0 0'")
    return start + (f"<freejoint name='free{k}'/><inertial pos='0 0 0' mass='{body.mass:.17g}' {inertia}/>"
                    f"<geom name='geom{k}' {kinds} {write_shape(body, f'mesh{k}')}/></body>")


def write_mesh(k: int, body: Any) -> str:
    return f"<mesh name='mesh{k}' vertex='{join(body.mesh.vertices)}' face='{' '.join(map(str, body.mesh.triangles.ravel()))}'/>"


def write_scene(scene: Any, options: dict[str, Any]) -> str:
    """The scene with the options' integrator, solver, cone, iterations, impratio, solref, solimp and frictionless_condim."""
    rod = any(body.prescribed for body in scene.bodies)
    many = sum(not body.prescribed for body in scene.bodies) > 1
    condim = options["frictionless_condim"] if scene.ground_friction == 0 and not rod and not many else 3
    meshes = "".join(write_mesh(k, body) for k, body in enumerate(scene.bodies) if body.shape == "mesh")
    lines = [f"<mujoco><compiler angle='radian'/><option timestep='{scene.time_step:.17g}' cone='{options['cone']}' "
             f"solver='{options['solver']}' iterations='{options['iterations']}' ls_iterations='{options['ls_iterations']}' "
             f"tolerance='{options['tolerance']}' integrator='{options['integrator']}' impratio='{options['impratio']}' "
             f"gravity='{join(scene.gravity)}'/>",
             f"<default><geom condim='{condim}' solref='{options['solref']}' solimp='{options['solimp']}'/></default>",
             f"<asset>{meshes}</asset><worldbody>",
             f"<geom name='ground' type='plane' size='0 0 1' zaxis='{join(scene.ground_normal)}' contype='1' conaffinity='0' "
             f"friction='{scene.ground_friction:.17g} 0 0'/>"]
    lines += [write_body(k, body, scene) for k, body in enumerate(scene.bodies)]
    return "\n".join([*lines, "</worldbody></mujoco>"])


def unrotate(q: Any, v: Any) -> Any:
    w, u = q[0], -np.asarray(q[1:])
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def make_host(scene: Any, options: dict[str, Any], matrix_of: Any, more: str = "") -> tuple[Any, Any, dict[int, tuple[int, int]], tuple[int, int, float] | None]:
    """MuJoCo's model and data of a scene at its start, for engines that take them over: (qpos, qvel) addresses of each free body, and
    those of the rod with its acceleration. `more` is MJCF that goes into the root element."""
    if scene.joints:
        from mjcf_tree import Tree
        return *Tree(scene).make_host(options), {}, None
    import mujoco
    model = mujoco.MjModel.from_xml_string(write_scene(scene, options).replace("</mujoco>", more + "</mujoco>"))
    data = mujoco.MjData(model)
    places, rod = {}, None
    for k, body in enumerate(scene.bodies):
        joint = model.joint("rod" if body.prescribed else f"free{k}")
        q, v = int(joint.qposadr[0]), int(joint.dofadr[0])
        if body.prescribed:
            rod = (q, v, float(np.linalg.norm(body.prescribed_acceleration)))
            continue
        places[k] = (q, v)
        data.qvel[v:v + 3] = body.velocity
        data.qvel[v + 3:v + 6] = matrix_of(body.rotation).T @ body.angular_velocity
        data.xfrc_applied[model.body(f"body{k}").id] = np.concatenate([body.force, body.torque])
    mujoco.mj_forward(model, data)
    return model, data, places, rod
