// What visitors bring into the laboratory: boxes, bunnies, meshes and scenes of their own.
import * as THREE from "three";
import { element } from "./dom";
import type { Lab } from "./lab";
import { type LabBody, type LabPart, type LabScene, makeBody, readScene } from "./labscene";
import { MESH_ENDINGS, readMesh } from "./meshes";

const OWN = "own"; // the scene that the visitor brought

// The scene with its bodies where they are now, so that the worlds can be made anew with one more.
function freeze(lab: Lab): void {
    const motions = lab.own.motions();
    lab.scene.bodies = lab.scene.bodies.map((b, k): LabBody => {
        const m = motions[k]!;
        const q = new THREE.Quaternion(m[4], m[5], m[6], m[3]);
        const arm = new THREE.Vector3(...(lab.own.centre(k) as [number, number, number])).applyQuaternion(q);
        return { ...b, position: [m[0]! - arm.x, m[1]! - arm.y, m[2]! - arm.z], rotation: Array.from(m.subarray(3, 7)), velocity: Array.from(m.subarray(7, 10)), spin: Array.from(m.subarray(10, 13)) };
    });
}

export function drop(lab: Lab, name: string, part: LabPart, mass: number): void {
    if (lab.test > 0 || lab.own.world === null) {
        element<HTMLSelectElement>("scene").value = "pile";
        element<HTMLInputElement>("n").value = "2";
        lab.restart();
    }
    freeze(lab);
    const top = lab.own.poses().reduce((most, v, k) => (k % 7 === 2 ? Math.max(most, v) : most), 0);
    const k = ++lab.dropped;
    lab.scene.bodies.push(makeBody(`dropped ${name} ${k}`, part, mass, [0.05 * Math.sin(k), 0.05 * Math.cos(k), top + 0.3], 0.4));
    lab.restart(true);
}

export function dropBunny(lab: Lab): void {
    const bunny = lab.files.named.get("bunny.stl");
    if (bunny === undefined) {
        lab.problem = "this page was built without the bunny (make setup fetches it)";
    } else {
        drop(lab, "bunny", readMesh("stl", bunny.slice().buffer as ArrayBuffer), 1);
    }
}

export async function takeFile(lab: Lab, file: File): Promise<void> {
    const kind = file.name.toLowerCase().split(".").pop() ?? "";
    try {
        if (MESH_ENDINGS.includes(kind)) {
            drop(lab, file.name.replace(/\.[^.]*$/, "").slice(0, 40), readMesh(kind, await file.arrayBuffer()), 1);
        } else if (kind === "json") {
            takeScene(lab, readScene(await file.text()));
        } else if (kind === "xml" && lab.mujoco !== null) {
            takeScene(lab, lab.mujoco.read(await file.text()));
        } else {
            throw new Error("wanted .obj, .stl, .ply, .json or .xml");
        }
    } catch (error) {
        lab.restart(lab.test === 0);
        lab.problem = `${file.name}: ${(error as Error).message}`;
        lab.showStatus();
    }
}

function takeScene(lab: Lab, scene: LabScene): void {
    const select = element<HTMLSelectElement>("scene");
    if (!Array.from(select.options).some((o) => o.value === OWN)) {
        select.add(new Option("a scene of your own", OWN));
    }
    select.value = OWN;
    lab.take(scene);
}
