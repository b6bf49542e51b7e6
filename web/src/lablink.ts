// The laboratory's settings as the end of an address: #scene=1&solver=2&...
import { element, isOn } from "./dom";

const SETTINGS = ["scene", "solver", "n", "mu", "force", "dt", "iterations", "precision", "speed"];
const SWITCHES = ["spheres", "ablate-velocity", "ablate-linear", "ablate-angular", "mujoco", "look"];

export const readQuery = (): URLSearchParams => new URLSearchParams(location.hash.slice(1));

// Puts what the address says into the fields; what they do not take is left out. Returns what it says.
export function readLink(): URLSearchParams {
    const query = readQuery();
    for (const id of SETTINGS) {
        const given = query.get(id);
        const field = element<HTMLInputElement>(id);
        if (given !== null && (field.type !== "number" || (given !== "" && Number.isFinite(Number(given))))) {
            field.value = given;
        }
    }
    for (const id of SWITCHES) {
        if (query.has(id)) {
            element<HTMLInputElement>(id).checked = query.get(id) === "1";
        }
    }
    for (const id of ["scene", "solver", "precision", "speed"]) { // a choice that is not there leaves a list empty
        const select = element<HTMLSelectElement>(id);
        select.value = select.value === "" ? (select.querySelector<HTMLOptionElement>("option[selected]") ?? select.options[0]!).value : select.value;
    }
    return query;
}

export function makeLink(): string {
    const query = new URLSearchParams();
    SETTINGS.forEach((id) => query.set(id, element<HTMLInputElement>(id).value));
    SWITCHES.forEach((id) => query.set(id, isOn(id) ? "1" : "0"));
    return `${location.href.split("#")[0]}#${query}`;
}
