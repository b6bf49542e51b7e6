// What the visitor of the laboratory can do: settings, buttons, keys, files.
import { element, getNumber, isOn, listenKeys } from "./dom";
import type { Lab } from "./lab";
import { drop, dropBunny, takeFile } from "./labdrop";
import { makeLink } from "./lablink";
import { makePart } from "./labscene";

export function connectLab(lab: Lab): void {
    element("scene").addEventListener("change", () => { // few points per face where there are many faces
        element<HTMLInputElement>("n").value = lab.test > 0 ? "4" : "2";
        lab.restart();
    });
    for (const id of ["solver", "n", "force", "dt", "iterations", "precision", "spheres", "ablate-velocity", "ablate-linear", "ablate-angular", "mujoco"]) {
        element(id).addEventListener("change", () => lab.restart());
    }
    element("mu").addEventListener("input", () => { // while it runs
        const mu = getNumber("mu");
        if (lab.own.world !== null && mu >= 0) {
            lab.own.world.setFriction(mu);
            if (lab.hasMujoco) {
                lab.mujoco!.setFriction(mu);
            }
        }
    });
    element("look").addEventListener("change", () => {
        lab.stage.sceneries[0]?.setLook(isOn("look") ? "spheres" : "mesh");
        lab.touch();
    });
    lab.stage.controls.addEventListener("change", () => lab.touch());
    element("play").addEventListener("click", () => lab.toggle());
    element("step").addEventListener("click", () => lab.stepOne());
    element("restart").addEventListener("click", () => lab.restart());
    element("drop-box").addEventListener("click", () => drop(lab, "box", makePart("box", { half: [0.06, 0.06, 0.06] }), 1.5));
    element("drop-bunny").addEventListener("click", () => dropBunny(lab));
    element("file").addEventListener("change", (e) => {
        const input = e.target as HTMLInputElement;
        if (input.files?.[0] !== undefined) {
            void takeFile(lab, input.files[0]).then(() => (input.value = ""));
        }
    });
    element("share").addEventListener("click", () => {
        history.replaceState(null, "", makeLink());
        navigator.clipboard?.writeText(makeLink()).catch(() => undefined);
        element("shared").textContent = "The link is in the address bar.";
    });
    listenKeys({
        " ": () => lab.toggle(),
        ArrowRight: () => lab.stepOne(),
        Backspace: () => lab.restart(),
        "-": () => lab.changeSpeed(-1),
        "=": () => lab.changeSpeed(1),
        "+": () => lab.changeSpeed(1),
        s: () => element("look").click(),
        Escape: () => isOn("follow") && element("follow").click(),
    });
    new ResizeObserver(() => lab.resize()).observe(element("view"));
    const view = element("view"); // files may be dropped on the picture as well
    view.addEventListener("dragover", (e) => e.preventDefault());
    view.addEventListener("drop", (e) => {
        e.preventDefault();
        if (e.dataTransfer?.files[0] !== undefined) {
            void takeFile(lab, e.dataTransfer.files[0]);
        }
    });
}
