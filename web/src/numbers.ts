// The numbers of a body that was clicked, in every track.
import { make } from "./dom";
import { type Joint, JOINT_AXES } from "./engine";
import type { Replay } from "./format";
import type { Details } from "./rerun";
import type { Store } from "./store";

const write = (values: ArrayLike<number>, unit: string): string => `${Array.from(values, (v) => v.toPrecision(4)).join(", ")} ${unit}`;

// Of the joints of a body: where each is, how fast it moves, what its axis does.
function describeJoints(joints: Joint[], names: string[], body: number, axes: Float64Array, who: string): [string, string][] {
    const rows: [string, string][] = [];
    joints.forEach((joint, k) => {
        const units = { hinge: ["rad", "rad/s", "N m"], slide: ["m", "m/s", "N"], span: ["m", "m/s", "N"], distance: ["m", "m/s"] }[joint.kind as string];
        if (joint.kind !== "gear" && joint.kind !== "exclusion" && joint.of.includes(body)) {
            const values = units?.map((unit, i) => `${axes[JOINT_AXES * k + i]!.toPrecision(4)} ${unit}`) ?? [];
            rows.push([`${who}${joint.kind} ${names[k] ?? ""}`, [...values, `gap ${axes[JOINT_AXES * k + 3]!.toExponential(0)} m`].join(", ")]);
        }
    });
    return rows;
}

function describeTrack(store: Store, body: number, time: number, details: Details | null, joints: Joint[], names: string[], who: string): [string, string][] {
    const rows: [string, string][] = [[`${who}position`, write(store.bodies(store.frameAt(time)).subarray(7 * body, 7 * body + 3), "m")]];
    const own = store.track.owners.indexOf(body);
    if (details !== null && own >= 0) {
        rows.push([`${who}velocity`, write(details.bodies.subarray(13 * own + 7, 13 * own + 10), "m/s")]);
        rows.push([`${who}turning`, write(details.bodies.subarray(13 * own + 10, 13 * own + 13), "rad/s")]);
        const mine = details.contacts.filter((c) => c.bodyA === own || c.bodyB === own);
        const force = [0, 1, 2].map((i) => mine.reduce((sum, c) => sum + (c.bodyA === own ? 1 : -1) * c.force[i]!, 0));
        rows.push([`${who}contacts`, String(mine.length)], [`${who}contact force`, write(force, "N")]);
        rows.push(...describeJoints(joints, names, own, details.axes, who));
    }
    return rows;
}

export function makeNumbers(replay: Replay, stores: Store[], index: number, time: number, details: (Details | null)[], joints: Joint[][]): HTMLElement {
    const body = replay.bodies[index]!;
    const rows: [string, string][] = [["name", body.name], ["kind", body.kind]];
    if (Number.isFinite(body.mass)) {
        rows.push(["mass", `${body.mass.toPrecision(4)} kg`]);
    }
    stores.forEach((store, k) => rows.push(...describeTrack(store, index, time, details[k] ?? null, joints[k] ?? [], replay.joints, stores.length > 1 ? `${store.track.label}: ` : "")));
    const table = document.createElement("dl");
    rows.forEach(([name, value]) => table.append(make("dt", name), make("dd", value)));
    return table;
}
