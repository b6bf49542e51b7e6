// How fast an engine could go: substeps over the milliseconds they took, of late.
export class Rate {
    private substeps = 0;
    private milliseconds = 0;
    add(substeps: number, milliseconds: number): void {
        this.substeps = 0.9 * this.substeps + substeps;
        this.milliseconds = 0.9 * this.milliseconds + milliseconds;
    }
    get perSecond(): number {
        return this.milliseconds > 0 ? (1000 * this.substeps) / this.milliseconds : NaN;
    }
}
