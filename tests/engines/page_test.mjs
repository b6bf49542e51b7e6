// docs/leaderboard/index.html in a headless Chromium at 1280 and 400 px: no message on the console, nothing asked of the network,
// nothing wider than the window, sorted, filtered and opened by keyboard; and as it prints. node tests/engines/page_test.mjs SOURCE MODULES [PICTURES]
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const [source, modules, pictures] = process.argv.slice(2);
const { chromium } = createRequire(path.join(path.resolve(modules), "x.js"))("playwright-core");
const browser = await chromium.launch({ executablePath: process.env.PBDR_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--enable-unsafe-swiftshader"] });
let failed = 0;
function expect(good, text) {
    if (!good) failed++;
    console.log(`${good ? "ok" : "FAILED"}: ${text}`);
}

for (const width of [1280, 400]) {
    const page = await browser.newPage({ viewport: { width, height: 900 } });
    const problems = [];
    page.on("console", (m) => problems.push(m.text()));
    page.on("pageerror", (e) => problems.push(String(e)));
    page.on("request", (r) => /^https?:/.test(r.url()) && problems.push(`asked the network for ${r.url()}`));
    await page.goto(`file://${path.resolve(source)}/docs/leaderboard/index.html`);
    const names = () => page.$$eval("#board tbody tr:not([hidden])", (rows) => rows.map((row) => row.dataset.name));
    const column = (k) => page.$$eval("#board tbody tr:not([hidden])", (rows, k) => rows.filter((r) => r.children[k]?.dataset.v).map((r) => Number(r.children[k].dataset.v)), k);
    const all = await names();
    expect(all.length > 10, `${width} px: ${all.length} rows`);
    // Tab to the heading of T1 (third), Enter
    await page.focus("thead th:nth-child(2) button");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    const up = await column(2);
    expect(up.every((v, k) => k === 0 || up[k - 1] <= v), `${width} px: Enter on a heading sorts by its column`);
    await page.keyboard.press("Enter");
    const down = await column(2);
    expect(down.every((v, k) => k === 0 || down[k - 1] >= v), `${width} px: Enter again turns the order`);
    await page.keyboard.press("/");
    await page.keyboard.type("drake");
    const some = await names();
    expect(some.length > 0 && some.length < all.length && some.every((n) => n.includes("drake")), `${width} px: / and letters filter (${some.length} rows)`);
    await page.focus("#board tbody tr:not([hidden]) button.open");
    await page.keyboard.press("Enter");
    expect(await page.isVisible("#detail h2"), `${width} px: Enter on a name opens its settings`);
    expect((await page.$$("#detail figure")).length >= 6, `${width} px: trajectories beside the closed form`);
    if (pictures) await page.locator("#detail").screenshot({ path: path.join(pictures, `detail${width}.png`) });
    await page.keyboard.press("Escape");
    expect(!(await page.isVisible("#detail")), `${width} px: Escape closes`);
    await page.fill("#filter", "");
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${width} px: the page is no wider than the window`);
    expect(problems.length === 0, `${width} px: nothing on the console ${problems.join("; ")}`);
    if (pictures) await page.screenshot({ path: path.join(pictures, `board${width}.png`), fullPage: true });
    await page.close();
}

// a replay on a click, where make web and engines/common/replays.py have made them (they are not kept in git)
if (existsSync(path.join(source, "docs/leaderboard/replays/page.js"))) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const problems = [];
    page.on("console", (m) => m.type() === "error" && problems.push(m.text()));
    page.on("pageerror", (e) => problems.push(String(e)));
    await page.goto(`file://${path.resolve(source)}/docs/leaderboard/index.html`);
    if (!(await page.isVisible("button[data-replay='1']"))) throw new Error("replays are here, and the page has no buttons for them: python3 engines/common/page.py");
    await page.click("button[data-replay='1']");
    const verified = await page.frameLocator("#replay").getByText("Verified").waitFor({ timeout: 120000 }).then(() => true, () => false);
    expect(verified, "a click plays Test 1, and its hashes are those of the native run");
    expect(problems.length === 0, `replay: nothing on the console ${problems.join("; ")}`);
    await page.close();
}

// printed on A4 with margins of 1 cm (718 px): all of both tables, no controls
const paper = await browser.newPage({ viewport: { width: 718, height: 1000 } });
await paper.emulateMedia({ media: "print" });
await paper.goto(`file://${path.resolve(source)}/docs/leaderboard/index.html`);
expect(!(await paper.isVisible(".controls")), "printed: no controls");
expect(await paper.evaluate(() => [...document.querySelectorAll("table")].every((t) => t.getBoundingClientRect().right <= window.innerWidth)), "printed: tables fit the paper");
if (pictures) await paper.screenshot({ path: path.join(pictures, "print.png"), fullPage: true });
await browser.close();
process.exit(failed ? 1 : 0);
