// The page of a replay: reads what it holds, shows it, and answers scripts (window.pbdrReplay).
import { publish, publishFailure } from "./api";
import { showFailure } from "./dom";
import { FormatError, readReplay } from "./format";
import { Player } from "./player";

export function start(): void {
    try {
        const data = document.getElementById("pbdr-data");
        if (data === null) {
            throw new FormatError("the page holds no data: it is a template, which `pbdr view` fills");
        }
        publish(new Player(readReplay(data.textContent ?? "")));
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        showFailure(message);
        publishFailure(message);
    }
}

start();
