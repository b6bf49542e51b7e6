// A picture of a page that runs live, by a headless Chromium: what `pbdr view --png` is for replays.
//
//     node picture.mjs PAGE.html[#settings] OUT.png WIDTHxHEIGHT light|dark [EXPRESSION]
//
// EXPRESSION: JavaScript that is true of the page when the picture is to be taken.
import { resolve } from "node:path";
import { chromium } from "playwright-core";

const [address, out, size, colorScheme, expression = "true"] = process.argv.slice(2);
const [width, height] = (size ?? "").split("x").map(Number);
if (!address || !out || !(width > 0) || !(height > 0) || (colorScheme !== "light" && colorScheme !== "dark")) {
    console.error("usage: node picture.mjs PAGE.html[#settings] OUT.png WIDTHxHEIGHT light|dark [EXPRESSION]");
    process.exit(2);
}
const [file, settings = ""] = address.split(/(?=[?#])/);
const browser = await chromium.launch({ executablePath: process.env.PBDR_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-quic", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
try {
    const page = await browser.newPage({ viewport: { width, height }, colorScheme, bypassCSP: true });
    page.on("pageerror", (error) => console.error(String(error)));
    await page.goto(`file://${resolve(file)}${settings}`);
    await page.waitForFunction(expression, undefined, { timeout: 300_000 });
    await page.screenshot({ path: out, fullPage: width < 600 });
} finally {
    await browser.close();
}
