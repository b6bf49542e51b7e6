// How finely pictures are drawn while something moves (pace.ts).
import { describe, expect, test } from "vitest";
import { Pace } from "../src/pace";

// Pictures one after the other, each of which takes so long [ms] when it has that share of the pixels across; the shares.
function play(pace: Pace, count: number, cost: (share: number) => number, clock: { now: number }): number[] {
    const shares: number[] = [];
    for (let k = 0; k < count; k++) {
        const share = pace.move(clock.now);
        shares.push(share);
        clock.now += cost(share);
    }
    return shares;
}

describe("pace", () => {
    test("all pixels where pictures are quick", () => {
        expect(new Set(play(new Pace(""), 100, () => 17, { now: 1 }))).toEqual(new Set([1]));
    });

    test("a quarter of them where pixels take long, and all once it stands still", () => {
        const pace = new Pace("");
        const clock = { now: 1 };
        const shares = play(pace, 50, (share) => 20 + 200 * share ** 2, clock);
        expect(shares.slice(0, 4)).toEqual([1, 1, 1, 1]);
        expect(new Set(shares.slice(10))).toEqual(new Set([0.5]));
        expect(pace.rest(clock.now)).toBe(false);
        expect(pace.rest(clock.now + 100)).toBe(false);
        expect(pace.rest(clock.now + 200)).toBe(true);
        expect(pace.rest(clock.now + 400), "once").toBe(false);
        expect(pace.move(clock.now + 500)).toBe(1);
    });

    test("all of them where fewer are no help", () => {
        const shares = play(new Pace(""), 50, () => 120, { now: 1 });
        expect(shares).toContain(0.5);
        expect(new Set(shares.slice(12)), "until it stands still").toEqual(new Set([1]));
    });

    test("single pictures with time between them are whole", () => {
        const pace = new Pace("");
        for (let k = 1; k < 40; k++) {
            expect(pace.move(1000 * k)).toBe(1);
            expect(pace.rest(1000 * k + 16)).toBe(false);
        }
    });

    test("always all of them where the address asks for it, and in the next picture after stop", () => {
        expect(new Set(play(new Pace("?sharp=1"), 50, () => 300, { now: 1 }))).toEqual(new Set([1]));
        const pace = new Pace("?theme=dark");
        const clock = { now: 1 };
        expect(play(pace, 20, (share) => 300 * share, clock).at(-1)).toBe(0.5);
        pace.stop();
        expect(pace.move(clock.now)).toBe(1);
    });
});
