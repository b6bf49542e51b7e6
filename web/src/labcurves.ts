// The curves of the laboratory: the present run, MuJoCo's beside it, and those of the last runs, so that they can be compared.
import { Chart, DASHES, type Series } from "./curves";
import { element, makeKey } from "./dom";
import { PALETTE } from "./stage";

export const FRAME = 0.01; // [s]
const DURATION = 10; // [s] of a curve
const KEPT = 2; // curves of runs before

export class LabCurves {
    private readonly times = Float64Array.from({ length: Math.round(DURATION / FRAME) + 1 }, (_, k) => k * FRAME);
    private kept: Series[] = [];
    private own: Series | null = null;
    private other: Series | null = null;
    private ledger: Series[] = []; // of the present run
    private charts: Chart[] = [];

    constructor(private readonly dark: boolean) {}

    private make(label: string, index: number): Series {
        return { label, values: new Float64Array(this.times.length).fill(NaN), colour: PALETTE[index % 6]!, dash: DASHES[index % DASHES.length]! };
    }

    // other: MuJoCo's label, or null; comparable: whether the curves of the last runs go on being shown.
    start(title: string, label: string, other: string | null, comparable: boolean): void {
        const before = this.own === null || !Number.isFinite(this.own.values[2]) ? this.kept : [...this.kept, this.own];
        // a run of the same settings takes the place of the last one
        this.kept = comparable ? before.filter((c) => c.label !== label).slice(-KEPT).map((c, k) => ({ ...this.make(c.label, k), values: c.values })) : [];
        const at = this.kept.length;
        this.own = this.make(label, at);
        this.other = other === null ? null : this.make(other, at + 1);
        this.ledger = [this.make("", at), this.make("", at)];
        const panel = element("charts");
        panel.replaceChildren();
        const add = (name: string, series: Series[], least: number): Chart => new Chart(panel, name, this.times, series, () => undefined, this.dark, least);
        this.charts = [add(title, this.all, 0), add("ledger: friction's work [J]", [this.ledger[0]!], 1e-9), add("ledger: deepest penetration [m]", [this.ledger[1]!], 1e-9)];
        element("key").replaceChildren(...this.all.map((c, k) => makeKey(c.label, c.colour, k)));
        this.draw(0);
    }

    private get all(): Series[] {
        return [...this.kept, ...(this.own === null ? [] : [this.own]), ...(this.other === null ? [] : [this.other])];
    }

    add(time: number, own: number, other: number, friction: number, penetration: number): void {
        const frame = Math.round(time / FRAME);
        if (frame < this.times.length) {
            this.own!.values[frame] = own;
            this.ledger[0]!.values[frame] = friction;
            this.ledger[1]!.values[frame] = penetration;
            if (this.other !== null) {
                this.other.values[frame] = other;
            }
        }
    }

    draw(time: number): void {
        this.charts.forEach((c) => {
            c.update(this.times.length);
            c.setTime(Math.min(time, DURATION));
        });
    }

    // The last value of each.
    get last(): { label: string; last: number }[] {
        return this.all.map((c) => ({ label: c.label, last: c.values.reduce((a, v) => (Number.isFinite(v) ? v : a), NaN) }));
    }

    ownAt(time: number): number {
        return this.own?.values[Math.min(Math.round(time / FRAME), this.times.length - 1)] ?? NaN;
    }
}
