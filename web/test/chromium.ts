// A headless Chromium for the tests: pages as files, what they complain about, and axe.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8").replace(/^\/\*!.*?\*\//s, "");

export function launch(): Promise<Browser> {
    return chromium.launch({
        executablePath: process.env["PBDR_CHROMIUM"] ?? "/usr/bin/chromium",
        args: ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
    });
}

// Errors and warnings on the console, uncaught ones, and requests to the network. What the software renderer says about
// itself is left out.
export function watch(page: Page): string[] {
    const problems: string[] = [];
    page.on("console", (m) => (m.type() === "error" || m.type() === "warning") && !/GPU stall|swiftshader|GL Driver/i.test(m.text()) && problems.push(m.text()));
    page.on("pageerror", (e) => problems.push(String(e)));
    page.on("request", (r) => /^https?:/.test(r.url()) && problems.push(`asked the network for ${r.url()}`));
    return problems;
}

// What axe finds wrong with a page, one line each.
export async function findFaults(page: Page): Promise<string[]> {
    await page.evaluate(axe);
    return page.evaluate(async () => {
        const result = await (window as unknown as { axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> } }).axe.run();
        return result.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(" | ")}`);
    });
}

export const verify = (page: Page, timeout = 110_000): Promise<unknown> => page.waitForFunction(() => window.pbdrReplay!.verified, undefined, { timeout });

// The page scrolls in one direction only.
export const isTooWide = (page: Page): Promise<boolean> => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
