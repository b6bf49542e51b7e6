// The native side of the tests: pbdr of the build tree, its pages, and what they hold.
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type Replay, readReplay } from "../src/format";

export const root = resolve(import.meta.dirname, "../..");
export const build = resolve(process.env["PBDR_BUILD"] ?? join(root, "build"));
export const pbdr = join(build, "pbdr");

export function scratch(): { path: string; remove: () => void } {
    const path = mkdtempSync(join(tmpdir(), "pbdr-web-"));
    return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function run(...args: string[]): string {
    return execFileSync(pbdr, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], cwd: root });
}

// Exit code and messages of a run that may fail.
export function attempt(...args: string[]): { code: number | null; stderr: string } {
    const result = spawnSync(pbdr, args, { encoding: "utf8", cwd: root });
    return { code: result.status, stderr: result.stderr };
}

// What was measured: said, and kept where PBDR_VIEW_CSV names a file (scripts/view.sh), a row per number.
export function note(what: string, ...measured: [value: number, quantity: string][]): void {
    console.log(`${what}: ${measured.map(([value, quantity]) => `${value} ${quantity}`).join(", ")}`);
    const file = process.env["PBDR_VIEW_CSV"];
    if (file !== undefined) {
        appendFileSync(file, measured.map(([value, quantity]) => `${what.replaceAll(",", ";")},${quantity},${value}\n`).join(""));
    }
}

// To so many digits.
export const round = (value: number, digits = 3): number => Number(value.toPrecision(digits));

export function readPage(path: string): Replay {
    const page = readFileSync(path, "utf8");
    const data = /<script type="application\/json" id="pbdr-data">(.*?)<\/script>/s.exec(page);
    if (data === null) {
        throw new Error(`${path} holds no data`);
    }
    return readReplay(data[1]!);
}

// count^3 boxes, a little apart and turned, that fall on each other.
export function pileScene(count: number): string {
    const bodies = [];
    for (let k = 0; k < count ** 3; k++) {
        const [x, y, z] = [k % count, Math.floor(k / count) % count, Math.floor(k / count ** 2)];
        const turn = 0.05 * (k % 7);
        bodies.push({
            name: `box ${k}`,
            shape: "box",
            half_extents_m: [0.05, 0.05, 0.05],
            mass_kg: 1,
            sphere_count: 8,
            start: { position_m: [0.101 * x + 0.003 * z, 0.101 * y - 0.002 * z, 0.051 + 0.105 * z], rotation_wxyz: [Math.cos(turn / 2), 0, 0, Math.sin(turn / 2)] },
        });
    }
    return JSON.stringify({ schema: "pbdr-scene/2", name: `pile of ${count ** 3}`, duration_s: 1, planes: [{ normal: [0, 0, 1] }], bodies });
}
