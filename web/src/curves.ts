// Curves over time by uPlot, with a cursor that is the page's time: a click or drag on a curve goes there.
import uPlot from "uplot";

export interface Series {
    label: string;
    values: Float64Array;
    colour: string;
    dash: number[];
}

// Lines differ by colour and by dash.
export const DASHES: number[][] = [[], [6, 3], [2, 2], [8, 2, 2, 2]];

export class Chart {
    private readonly plot: uPlot;
    private readonly marker: HTMLDivElement;
    private time = 0;
    private flat = false; // nothing but zero, to what counts

    constructor(parent: HTMLElement, title: string, private readonly times: Float64Array, private readonly series: Series[], onSeek: (t: number) => void, dark: boolean, private readonly least = 0) {
        const ink = dark ? "#c9d1d9" : "#30363d";
        const grid = dark ? "#30363d" : "#dde1e6";
        const axis: uPlot.Axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 }, font: "11px system-ui, sans-serif" };
        const figure = document.createElement("figure");
        figure.className = "chart";
        const caption = document.createElement("figcaption");
        caption.textContent = title;
        figure.append(caption);
        parent.append(figure);
        this.plot = new uPlot(
            {
                width: 300,
                height: 130,
                legend: { show: false },
                cursor: { drag: { x: false, y: false }, points: { show: false } },
                scales: { x: { time: false } },
                axes: [
                    { ...axis, size: 24, values: (_, ticks) => ticks.map((v) => `${Number(v.toPrecision(6))} s`) },
                    { ...axis, size: 58, values: (_, ticks) => ticks.map((v) => (v === 0 ? "0" : this.flat ? "" : Math.abs(v) >= 1e-3 && Math.abs(v) < 1e4 ? String(Number(v.toPrecision(4))) : v.toExponential(1))) },
                ],
                series: [{}, ...series.map((s) => ({ label: s.label, stroke: s.colour, width: 1.6, dash: s.dash, points: { show: false }, spanGaps: false }))],
            },
            [[0], ...series.map(() => [0])],
            figure,
        );
        this.marker = document.createElement("div");
        this.marker.className = "cursor";
        this.plot.over.append(this.marker);
        const seek = (event: PointerEvent): void => {
            if (event.buttons === 1) {
                onSeek(this.plot.posToVal(event.clientX - this.plot.over.getBoundingClientRect().left, "x"));
            }
        };
        this.plot.over.addEventListener("pointerdown", seek);
        this.plot.over.addEventListener("pointermove", seek);
        new ResizeObserver(() => this.resize(figure.clientWidth)).observe(figure);
    }

    resize(width: number): void {
        if (width > 50) {
            this.plot.setSize({ width, height: 130 });
            this.setTime(this.time);
        }
    }

    // Shows the first `count` values.
    update(count: number): void {
        const draw = (values: Float64Array): (number | null)[] => Array.from(values.subarray(0, count), (v) => (Number.isFinite(v) ? v : null));
        this.plot.setData([Array.from(this.times.subarray(0, count)), ...this.series.map((s) => draw(s.values))] as uPlot.AlignedData, false);
        const all = this.series.flatMap((s) => Array.from(s.values.subarray(0, count)).filter(Number.isFinite));
        const low = all.reduce((a, b) => Math.min(a, b), 0);
        const high = all.reduce((a, b) => Math.max(a, b), low + this.least);
        this.flat = this.least > 0 && high - low <= this.least;
        this.plot.batch(() => {
            this.plot.setScale("x", { min: 0, max: this.times[this.times.length - 1] || 1 });
            this.plot.setScale("y", { min: low, max: high > low ? high + 0.05 * (high - low) : low + 1 });
        });
        this.setTime(this.time);
    }

    setTime(t: number): void {
        this.time = t;
        this.marker.style.transform = `translateX(${this.plot.valToPos(t, "x")}px)`;
    }
}
