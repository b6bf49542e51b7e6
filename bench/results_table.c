// The table of a benchmark's runs: the first suite's rows, Test 7's against both of its references, and the
// extended suite's rows.
#include "results.h"

#include "flags.h"
#include "result_names.h"
#include "vec.h"

#include <string.h>

// Mean and sample standard deviation of a value over the runs that did not diverge.
static void summarise(const BenchRun* runs, int count, double (*get)(const BenchRun*), double* mean,
                      double* spread)
{
    int used = 0;
    double sum = 0.0, squares = 0.0;
    for (int k = 0; k < count; k++) {
        if (runs[k].outcome == benchMeasured) {
            sum += get(&runs[k]);
            used++;
        }
    }
    *mean = used > 0 ? sum / used : (double)NAN;
    for (int k = 0; k < count; k++) {
        if (runs[k].outcome == benchMeasured) {
            double d = get(&runs[k]) - *mean;
            squares += d * d;
        }
    }
    *spread = used > 1 ? sqrt(squares / (used - 1)) : 0.0;
}

static double getFinalPosition(const BenchRun* run)
{
    return run->errors.position.final;
}
static double getMeanPosition(const BenchRun* run)
{
    return run->errors.position.mean;
}
static double getFinalRotation(const BenchRun* run)
{
    return run->errors.rotation.final;
}
static double getMeanRotation(const BenchRun* run)
{
    return run->errors.rotation.mean;
}

// "mean ±spread", 17 columns.
static void printSummary(FILE* file, const BenchRun* runs, int count, double (*get)(const BenchRun*))
{
    double mean, spread;
    summarise(runs, count, get, &mean, &spread);
    if (isnan(mean)) {
        fprintf(file, "%17s", "-");
    } else {
        fprintf(file, "  %8.2e ±%5.0e", mean, spread);
    }
}

// What the solvers raised in runs whose figures stand in the table.
static uint32_t getShownFlags(const BenchRun* runs, int count)
{
    uint32_t flags = 0;
    for (int k = 0; k < count; k++) {
        flags |= runs[k].outcome == benchMeasured ? runs[k].flags : 0;
    }
    return flags;
}

static int countFlagged(const BenchRun* runs, int count)
{
    int flagged = 0;
    for (int k = 0; k < count; k++) {
        flagged += runs[k].outcome == benchMeasured && runs[k].flags != 0;
    }
    return flagged;
}

// What the row has to say beside its numbers.
static void printRemarks(FILE* file, const BenchRun* runs, int count)
{
    int diverged = 0;
    double first = HUGE_VAL;
    const char* problem = NULL;
    for (int k = 0; k < count; k++) {
        diverged += runs[k].outcome == benchDiverged;
        first = runs[k].outcome == benchDiverged ? fmin(first, runs[k].failedAt) : first;
        problem = runs[k].problem[0] != 0 ? runs[k].problem : problem;
    }
    uint32_t flags = getShownFlags(runs, count);
    if (flags != 0) {
        fputs("  ", file);
        benchPrintFlagMarks(file, flags);
        fprintf(file, " (%d of %d)", countFlagged(runs, count), count);
    }
    if (diverged > 0) {
        fprintf(file, "  diverged at %.2f s (%d of %d)", first, diverged, count);
    }
    if (problem != NULL) {
        fprintf(file, "  %s", problem);
    }
}

static void printRow(FILE* file, const BenchRun* runs, int count)
{
    const BenchRun* run = runs;
    int measured = 0;
    double time = 0.0, tilt = 0.0;
    for (int k = 0; k < count; k++) {
        measured += runs[k].outcome == benchMeasured;
        time += runs[k].processorTimePerSubstep / count;
        tilt = fmax(tilt, runs[k].outcome == benchMeasured ? runs[k].errors.maxTilt : 0.0);
    }
    char spheres[16] = "-", tiltText[16] = "-", timeText[16] = "-";
    if (run->particleCount > 0) {
        snprintf(spheres, sizeof spheres, "%d", run->particleCount);
    }
    if (measured > 0) {
        snprintf(tiltText, sizeof tiltText, "%.1e", tilt);
    }
    if (isfinite(time)) {
        snprintf(timeText, sizeof timeText, "%.1f", time);
    }
    fprintf(file, "%d %-17s %-13s%8s", run->test->number, run->name, run->solver.label, spheres);
    printSummary(file, runs, count, getFinalPosition);
    printSummary(file, runs, count, getMeanPosition);
    printSummary(file, runs, count, getFinalRotation);
    printSummary(file, runs, count, getMeanRotation);
    bool turning = run->floorRotation > 0.0;
    char floor[24] = "-    ";
    if (isfinite(run->floorPosition)) {
        snprintf(floor, sizeof floor, "%.2e %-3s", turning ? run->floorRotation : run->floorPosition,
                 turning ? "deg" : "m");
    }
    fprintf(file, "%9s%14s%9s", tiltText, floor, timeText);
    printRemarks(file, runs, count);
    fputc('\n', file);
}

static bool isSameRow(const BenchRun* a, const BenchRun* b)
{
    return strcmp(a->solver.label, b->solver.label) == 0 && a->test == b->test;
}

// How each of our own solvers was computed.
static void printOwnSolvers(FILE* file, const BenchRun* runs, int count)
{
    for (int k = 0; k < count; k++) {
        const BenchRun* run = &runs[k];
        bool seen = run->solver.engine[0] != 0;
        for (int i = 0; i < k && !seen; i++) {
            seen = strcmp(runs[i].solver.label, run->solver.label) == 0;
        }
        if (seen) {
            continue;
        }
        fprintf(file, "%s: %s", run->solver.label, benchGetPrecisionName(run));
        if (benchHasEngines(&run->solver)) {
            fprintf(file, ", %s engine, %d iterations", benchGetEngineName(&run->solver, &run->options),
                    run->options.iterations);
        }
        fprintf(file, ", %s masses, touches by its %s\n",
                run->options.masses == benchMassesExact ? "exact" : "uniform", benchGetContactName(run));
    }
    fprintf(file, "\n");
}

static double getQuasistaticPosition(const BenchRun* run)
{
    return run->errors.pushing[benchQuasistatic].final.position;
}
static double getQuasistaticRotation(const BenchRun* run)
{
    return run->errors.pushing[benchQuasistatic].final.rotation;
}
static double getDynamicPosition(const BenchRun* run)
{
    return run->errors.pushing[benchDynamicTilt].final.position;
}
static double getDynamicRotation(const BenchRun* run)
{
    return run->errors.pushing[benchDynamicTilt].final.rotation;
}

// Test 7 against both of its references: the paper's, and the one that a perfect simulator scores zero on.
static void printPushing(FILE* file, const BenchRun* runs, int count)
{
    bool first = true;
    for (int k = 0; k < count;) {
        int last = k;
        while (last < count && isSameRow(&runs[k], &runs[last])) {
            last++;
        }
        if (runs[k].test->rod && first) {
            fprintf(
                file,
                "\nTest 7 at the end against both references: quasi-static, the paper's, and dynamic with "
                "tilting pressure.\n%-33s%34s%34s\n%-20s%-13s%17s%17s%17s%17s\n",
                "", "quasi-static", "dynamic", "test", "solver", "position [m]", "rotation [deg]",
                "position [m]", "rotation [deg]");
            first = false;
        }
        if (runs[k].test->rod) {
            fprintf(file, "%d %-17s %-13s", runs[k].test->number, runs[k].name, runs[k].solver.label);
            printSummary(file, runs + k, last - k, getQuasistaticPosition);
            printSummary(file, runs + k, last - k, getQuasistaticRotation);
            printSummary(file, runs + k, last - k, getDynamicPosition);
            printSummary(file, runs + k, last - k, getDynamicRotation);
            fputc('\n', file);
        }
        k = last;
    }
}

// --- The extended suite ---

static double getQuantityError(const BenchRun* run)
{
    return isnan(run->errors.exact) ? (double)NAN : fabs(run->errors.quantity - run->errors.exact);
}

static double getQuantity(const BenchRun* run)
{
    return run->errors.quantity;
}

// "1.23e-04", 10 columns, or "-".
static void printMean(FILE* file, const BenchRun* runs, int count, double (*get)(const BenchRun*))
{
    double mean, spread;
    summarise(runs, count, get, &mean, &spread);
    if (isnan(mean)) {
        fprintf(file, "%10s", "-");
    } else {
        fprintf(file, "%10.2e", mean);
    }
}

static double getEnergy(const BenchRun* run)
{
    return run->errors.energy.final;
}
static double getLinearMomentum(const BenchRun* run)
{
    return run->errors.linearMomentum.final;
}
static double getAngularMomentum(const BenchRun* run)
{
    return run->errors.angularMomentum.final;
}

// What is wrong with the answer to a question of yes or no: how many of the seeds gave the wrong one.
static void printVerdict(FILE* file, const BenchRun* runs, int count)
{
    const BenchExtended* more = runs[0].test->extended;
    int wrong = 0;
    for (int k = 0; k < count; k++) {
        wrong += runs[k].outcome == benchMeasured && !benchIsRight(runs[k].test, &runs[k].errors);
    }
    if (wrong > 0) {
        fprintf(file, "  WRONG: %s (%d of %d)",
                more->byTilt ? (more->holds ? "tipped" : "did not tip") : (more->holds ? "moved" : "stayed"),
                wrong, count);
    }
}

static void printExtendedRow(FILE* file, const BenchRun* runs, int count)
{
    const BenchRun* run = runs;
    double measured, spread, time = 0.0;
    char cells[4][24] = {"-", "-", "-", "-"};
    summarise(runs, count, getQuantity, &measured, &spread);
    for (int k = 0; k < count; k++) {
        time += runs[k].processorTimePerSubstep / count;
    }
    if (isfinite(measured)) {
        snprintf(cells[0], sizeof cells[0], "%.9g %s", measured, run->test->extended->unit);
    }
    if (isfinite(run->floorPosition)) {
        snprintf(cells[1], sizeof cells[1], "%.1e", run->floorPosition);
        snprintf(cells[2], sizeof cells[2], "%.1e", run->floorRotation);
    }
    if (isfinite(time)) {
        snprintf(cells[3], sizeof cells[3], "%.1f", time);
    }
    fprintf(file, "   %-14s%20s", run->solver.label, cells[0]);
    printSummary(file, runs, count, getQuantityError);
    printSummary(file, runs, count, getFinalPosition);
    printSummary(file, runs, count, getFinalRotation);
    printMean(file, runs, count, getLinearMomentum);
    printMean(file, runs, count, getAngularMomentum);
    printMean(file, runs, count, getEnergy);
    fprintf(file, "%9s%9s%9s", cells[1], cells[2], cells[3]);
    printVerdict(file, runs, count);
    printRemarks(file, runs, count);
    fputc('\n', file);
}

// A heading per test: what it asks, and the answer.
static void printExtendedHeading(FILE* file, const BenchRun* runs, int count)
{
    const BenchTest* test = runs[0].test;
    double exact = (double)NAN;
    for (int k = 0; k < count && runs[k].test == test; k++) {
        exact = runs[k].outcome == benchMeasured ? runs[k].errors.exact : exact;
    }
    fprintf(file, "%d %s, %g s: %s", test->number, test->name, runs[0].duration, test->extended->quantity);
    if (isfinite(exact)) {
        fprintf(file, ", exactly %.9g %s", exact, test->extended->unit);
    }
    fputc('\n', file);
}

static void printExtended(FILE* file, const BenchRun* runs, int count)
{
    fprintf(
        file,
        "\nThe extended suite: the figure that each test is about, and how far it is off; errors at the end "
        "of the worst body, of the\nsystem's momentum P and L and of its energy; floor is semi-implicit "
        "Euler "
        "with perfect forces.\n\n");
    fprintf(file, "   %-14s%20s%17s%17s%17s%10s%10s%10s%9s%9s%9s\n", "", "", "figure", "final position",
            "final rotation", "P", "L", "energy", "floor", "floor", "us per");
    fprintf(file, "   %-14s%20s%17s%17s%17s%10s%10s%10s%9s%9s%9s\n", "solver", "figure", "off by", "[m]",
            "[deg]", "[kg m/s]", "[kgm2/s]", "[J]", "[m]", "[deg]", "substep");
    for (int first = 0; first < count;) {
        int last = first;
        while (last < count && isSameRow(&runs[first], &runs[last])) {
            last++;
        }
        if (first == 0 || runs[first].test != runs[first - 1].test) {
            printExtendedHeading(file, runs + first, count - first);
        }
        printExtendedRow(file, runs + first, last - first);
        first = last;
    }
}

// --- All ---

static void printFirst(FILE* file, const BenchRun* runs, int count)
{
    fprintf(file, "%-20s%-13s%8s%17s%17s%17s%17s%9s%14s%9s\n", "", "", "", "final position", "mean position",
            "final rotation", "mean rotation", "tilt", "floor", "us per");
    fprintf(file, "%-20s%-13s%8s%17s%17s%17s%17s%9s%14s%9s\n", "test", "solver", "spheres", "[m]", "[m]",
            "[deg]", "[deg]", "[deg]", "", "substep");
    for (int first = 0; first < count;) {
        int last = first;
        while (last < count && isSameRow(&runs[first], &runs[last])) {
            last++;
        }
        printRow(file, runs + first, last - first);
        first = last;
    }
}

void benchPrintTable(FILE* file, const BenchRun* runs, int count)
{
    if (count == 0) {
        return;
    }
    int firstCount = 0; // runs are sorted by test
    while (firstCount < count && runs[firstCount].test->extended == NULL) {
        firstCount++;
    }
    const BenchOptions* o = &runs[0].options;
    if (firstCount > 0) {
        fprintf(
            file,
            "\n%g s in substeps of %g s. Errors at the end and averaged over the frames:\nmean ±spread over "
            "the seeds; tilt is the worst; floor is semi-implicit Euler with perfect forces.\n",
            runs[0].duration, o->timeStep);
    } else {
        fprintf(file, "\nSubsteps of %g s. Mean ±spread over the seeds.\n", o->timeStep);
    }
    printOwnSolvers(file, runs, count);
    if (firstCount > 0) {
        printFirst(file, runs, firstCount);
    }
    if (firstCount < count) {
        printExtended(file, runs + firstCount, count - firstCount);
    }
    benchPrintFlagLegend(file, getShownFlags(runs, count));
    printPushing(file, runs, firstCount);
}
