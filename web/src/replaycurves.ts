// Which curves a replay has, and their charts.
import { Chart, DASHES, type Series } from "./curves";
import { element, makeKey } from "./dom";
import { PALETTE } from "./stage";
import type { Store } from "./store";

// Curves in their order, and the least range that is drawn: what is smaller is rounding, and looks like it.
const SHOWN_CURVES: [name: string, title: string, least: number][] = [
    ["position_error_m", "position error [m]", 0],
    ["rotation_error_deg", "rotation error [deg]", 0],
    ["kinetic_J", "kinetic energy [J]", 1e-9],
    ["potential_J", "potential energy [J]", 1e-9],
    ["friction_J", "work of friction [J]", 1e-9],
    ["penetration_m", "deepest penetration [m]", 1e-9],
    ["contacts", "contacts", 1],
];

export function makeCharts(stores: Store[], seek: (t: number) => void, dark: boolean): Chart[] {
    const charts: Chart[] = [];
    const panel = element("charts");
    const sensors = stores[0]!.curves.filter((c) => c.name.startsWith("sensor ")).map((c): (typeof SHOWN_CURVES)[number] => [c.name, c.name, 1e-12]);
    for (const [name, title, least] of [...SHOWN_CURVES.slice(0, 2), ...sensors, ...SHOWN_CURVES.slice(2)]) {
        const series: Series[] = [];
        stores.forEach((store, k) => {
            const values = store.curve(name);
            if (values !== null) {
                series.push({ label: store.track.label, values, colour: PALETTE[k % PALETTE.length]!, dash: DASHES[k % DASHES.length]! });
            }
        });
        if (series.length > 0) {
            charts.push(new Chart(panel, title, stores[0]!.times, series, seek, dark, least));
        }
    }
    element("key").append(...stores.map((store, k) => makeKey(store.track.label, PALETTE[k]!, k)));
    return charts;
}
