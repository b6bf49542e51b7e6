// Joints of the laboratory's scenes: as our JSON has them, but in the frames of their bodies, so that they stay what they are
// when the world is made anew from where its bodies are by then.
import * as THREE from "three";

export type LabJoint = Record<string, unknown>;

export interface Placed {
    name: string;
    position: number[]; // of the frame [m]
    rotation: number[]; // w, x, y, z
}

const toVector = (value: unknown, usual: [number, number, number]): THREE.Vector3 => new THREE.Vector3(...((Array.isArray(value) ? value : usual) as [number, number, number]));

// Any direction at a right angle to another.
function findSide(axis: THREE.Vector3): THREE.Vector3 {
    const [x, y, z] = axis.toArray().map(Math.abs) as [number, number, number];
    return new THREE.Vector3(...(x <= y && x <= z ? [1, 0, 0] : y <= z ? [0, 1, 0] : [0, 0, 1])).cross(axis);
}

function placeFrame(body: Placed | undefined, point: THREE.Vector3, axis: THREE.Vector3, side: THREE.Vector3): Record<string, number[]> {
    const [w, x, y, z] = body?.rotation ?? [1, 0, 0, 0];
    const back = new THREE.Quaternion(x, y, z, w).normalize().invert();
    const local = (v: THREE.Vector3): number[] => v.clone().applyQuaternion(back).toArray();
    return { anchor_m: local(point.clone().sub(toVector(body?.position, [0, 0, 0]))), axis: local(axis), side: local(side) };
}

export function readJoint(from: LabJoint, bodies: Placed[]): LabJoint {
    if (from["kind"] === "gear") {
        return from; // between joints, which have their places
    }
    const pair = from["bodies"];
    if (!Array.isArray(pair) || pair.length !== 2) {
        throw new Error(`joint '${String(from["name"] ?? "")}': bodies: wanted two names, or null for the world`);
    }
    const [a, b] = pair.map((name: unknown) => {
        const found = bodies.find((body) => body.name === name);
        if (name !== null && found === undefined) {
            throw new Error(`joint '${String(from["name"] ?? "")}': there is no body '${String(name)}'`);
        }
        return found;
    });
    if (from["frame_a"] !== undefined || from["frame_b"] !== undefined || from["kind"] === "exclusion") {
        return from; // they are in the bodies' frames already
    }
    const { point_m: point, axis, ...rest } = from;
    const direction = toVector(axis, [0, 0, 1]);
    const place = (body: Placed | undefined): Record<string, number[]> => placeFrame(body, toVector(point, [0, 0, 0]), direction, findSide(direction));
    return { ...rest, frame_a: place(a), frame_b: place(b) };
}
