// How fast an engine could go: substeps over the milliseconds they took. The middle one of the last stretches, since others may
// hold the processor during some of them; a stretch is long for a browser's clock, which may have steps of 0.1 ms.
const STRETCH = 2; // [ms]
const KEPT = 15;

export class Rate {
    private substeps = 0;
    private milliseconds = 0;
    private readonly rates: number[] = []; // of the last stretches [substeps per second]
    add(substeps: number, milliseconds: number): void {
        this.substeps += substeps;
        this.milliseconds += milliseconds;
        if (this.milliseconds >= STRETCH) {
            this.rates.push((1000 * this.substeps) / this.milliseconds);
            this.rates.splice(0, this.rates.length - KEPT);
            this.substeps = this.milliseconds = 0;
        }
    }
    get perSecond(): number {
        const sorted = [...this.rates].sort((a, b) => a - b);
        return sorted[Math.floor(sorted.length / 2)] ?? (this.milliseconds > 0 ? (1000 * this.substeps) / this.milliseconds : NaN);
    }
}
