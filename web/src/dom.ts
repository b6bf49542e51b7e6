// What both pages do with their markup.

export function element<T extends HTMLElement>(id: string): T {
    const found = document.getElementById(id);
    if (found === null) {
        throw new Error(`the page has no #${id}`);
    }
    return found as T;
}

export const isOn = (id: string): boolean => element<HTMLInputElement>(id).checked;
export const getNumber = (id: string): number => Number(element<HTMLInputElement>(id).value);

export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text: string): HTMLElementTagNameMap[K] {
    const made = document.createElement(tag);
    made.textContent = text;
    return made;
}

// As the address says (theme=dark or light), else as the visitor's system does. Sets the page's colours.
export function chooseTheme(query: URLSearchParams): "dark" | "light" {
    const asked = query.get("theme");
    const dark = asked === "dark" || (asked !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    return (document.documentElement.dataset["theme"] = dark ? "dark" : "light");
}

export const isCalm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

export function showPlaying(playing: boolean): void {
    const button = element<HTMLButtonElement>("play");
    button.textContent = playing ? "❚❚" : "▶";
    button.setAttribute("aria-label", playing ? "Pause" : "Play");
}

// A name in the key of the curves, underlined as its curve is drawn.
export function makeKey(label: string, colour: string, index: number): HTMLElement {
    const entry = make("span", label);
    entry.style.borderBottom = `3px ${["solid", "dashed", "dotted", "double"][index % 4]} ${colour}`;
    return entry;
}

// Puts a label into the upper left corner of each picture; those without a picture are hidden.
export function placeLabels(corners: { left: number; top: number }[]): void {
    Array.from(element("labels").children).forEach((child, k) => {
        const label = child as HTMLElement;
        const corner = corners[k];
        label.hidden = corner === undefined;
        label.style.left = `calc(${100 * (corner?.left ?? 0)}% + 8px)`;
        label.style.top = `calc(${100 * (corner?.top ?? 0)}% + 8px)`;
    });
}

// Keys act unless the visitor is in a field that takes them itself. F1 opens the list of keys, as in MuJoCo's viewer.
export function listenKeys(keys: Record<string, () => void>): void {
    const all: Record<string, () => void> = {
        ...keys,
        F1: () => {
            const list = element<HTMLDetailsElement>("keys");
            list.open = !list.open;
        },
    };
    document.addEventListener("keydown", (event) => {
        const target = event.target as HTMLElement;
        const typing = target.matches("input[type=number], input[type=text]");
        const arrows = target.matches("select, input[type=range]") && event.key.startsWith("Arrow");
        const pressing = target.matches("button, input, select, summary, a") && (event.key === " " || event.key === "Enter");
        const act = all[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!event.ctrlKey && !event.metaKey && !event.altKey && !typing && !arrows && !pressing && act !== undefined) {
            event.preventDefault();
            act();
        }
    });
}

// In place of a replay.
export function showFailure(message: string): void {
    const box = document.getElementById("failure");
    if (box !== null) {
        box.textContent = `This replay cannot be shown: ${message}.`;
        box.hidden = false;
    }
}
