// How finely pictures are drawn while something moves. Where the graphics card, or a processor in its place, is too slow for
// all pixels, half as many across and down are drawn, a quarter of them, until the picture stands still; but only if that helps.
const SLOW = 50; // [ms] a picture: fewer than twenty a second
const PATIENCE = 4; // pictures whose middle time is looked at
const HELP = 0.8; // of the time that whole pictures took, at most, or it was no help
const STILL = 150; // [ms] without a new picture before it is drawn whole

export class Pace {
    private share = 1; // of pixels across
    private times: number[] = [];
    private last = 0; // when the last picture was asked for, or 0 if it stood still since
    private still = 0; // since when it has
    private whole = 0; // time of a whole picture, once one was too slow
    private useless = false; // fewer pixels were tried in this movement
    private readonly always: boolean; // all pixels: for pictures of what runs

    constructor(settings: string) {
        this.always = new URLSearchParams(settings).has("sharp");
    }

    // A picture is to be drawn now [ms]: with which share of the pixels across.
    move(now: number): number {
        this.still = 0;
        if (this.last > 0) {
            this.times.push(now - this.last);
        }
        this.last = now;
        if (this.times.length < PATIENCE) {
            return this.share;
        }
        const middle = this.times.sort((a, b) => a - b)[PATIENCE / 2]!;
        this.times = [];
        if (this.share < 1 && this.whole > 0) {
            this.useless = middle > HELP * this.whole;
            this.share = this.useless ? 1 : this.share;
            this.whole = 0;
        } else if (this.share === 1 && !this.useless && !this.always && middle > SLOW) {
            this.share = 0.5;
            this.whole = middle;
        }
        return this.share;
    }

    // Nothing is to be drawn now: whether the picture stands still and must be drawn once more, whole.
    rest(now: number): boolean {
        this.last = 0;
        this.times = [];
        this.still ||= now;
        if (now - this.still < STILL) {
            return false;
        }
        const again = this.share < 1;
        this.stop();
        return again;
    }

    // The next picture is whole.
    stop(): void {
        this.share = 1;
        this.last = this.still = this.whole = 0;
        this.times = [];
        this.useless = false;
    }
}
