// Table, JSON and CSV of a benchmark's runs.
#define _POSIX_C_SOURCE 200809L
#include "results.h"

#include "flags.h"
#include "json_writer.h"
#include "vec.h"

#include <string.h>
#include <sys/resource.h>

static const char* getPrecisionName(const BenchRun* run)
{
    return run->options.precision == benchF32 ? "f32" : "f64";
}

// How exact masses were found.
static const char* getMassRung(const BenchRun* run)
{
    static const char* const names[] = {"closed form", "clamped", "extra inertia"};
    return run->options.masses == benchMassesExact ? names[run->massFit.rung] : NULL;
}

// What of the body touched; NULL for solvers whose bodies are not made of spheres.
static const char* getContactName(const BenchRun* run)
{
    if ((run->solver.capabilities & pbdr_benchUsesSpheres) == 0) {
        return NULL;
    }
    return run->options.contact == pbdr_contactSurface ? "surface" : "spheres";
}

// --- Table ---

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
        fprintf(file, "%s: %s engine, %s", run->solver.label, benchGetEngineName(&run->solver, &run->options),
                getPrecisionName(run));
        if ((run->solver.capabilities & pbdr_benchUsesSettings) != 0) {
            fprintf(file, ", %d iterations", run->options.iterations);
        }
        fprintf(file, ", %s masses, touches by its %s\n",
                run->options.masses == benchMassesExact ? "exact" : "uniform", getContactName(run));
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

void benchPrintTable(FILE* file, const BenchRun* runs, int count)
{
    if (count == 0) {
        return;
    }
    const BenchOptions* o = &runs[0].options;
    fprintf(
        file,
        "\n%g s in substeps of %g s. Errors at the end and averaged over the frames:\nmean ±spread over the "
        "seeds; tilt is the worst; floor is semi-implicit Euler with perfect forces.\n",
        runs[0].duration, o->timeStep);
    printOwnSolvers(file, runs, count);
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
    benchPrintFlagLegend(file, getShownFlags(runs, count));
    printPushing(file, runs, count);
}

// --- JSON ---

static void writeSeries(JsonWriter* json, const char* key, const BenchSeries* series)
{
    jsonOpen(json, key, '{');
    jsonNumber(json, "t2", series->t2);
    jsonNumber(json, "final", series->final);
    jsonNumber(json, "mean", series->mean);
    jsonClose(json, '}');
}

static const struct {
    uint32_t bit;
    const char* name;
} ablationNames[] = {
    {pbdr_ablateVelocityUpdate, "velocity"},
    {pbdr_ablateLinearMomentum, "linear"},
    {pbdr_ablateAngularMomentum, "angular"},
};

static void writeParams(JsonWriter* json, const BenchRun* run)
{
    const BenchOptions* o = &run->options;
    const BenchTest* test = run->test;
    bool mesh = test->shape == pbdr_benchMesh;
    jsonOpen(json, "params", '{');
    jsonNumber(json, "gravity_mps2", PBDR_DEFAULT_GRAVITY);
    jsonNumber(json, "mass_kg", test->mass);
    jsonNumber(json, "mu", run->mu);
    jsonNumber(json, "force_N", run->force);
    jsonNumber(json, "torque_Nm", test->torque);
    jsonNumber(json, "slope_rad", test->slope);
    if (test->rod) {
        jsonNumber(json, "offset_m", o->offset);
        jsonNumber(json, "push_height_m", o->pushHeight);
        jsonNumber(json, "rod_radius_m", o->rodRadius);
        jsonNumber(json, "mu_rod", run->rodFriction);
        jsonText(json, "reference", benchGetReferenceName(benchQuasistatic));
    }
    jsonNumber(json, "side_m", BENCH_SIDE);
    jsonText(json, "shape", mesh ? "mesh" : "box");
    jsonText(json, "mesh", mesh ? o->meshPath : NULL);
    jsonText(json, "fit", !mesh ? NULL : o->fit == benchFitExtent ? "extent" : "cube");
    jsonNumber(json, "yaw_rad", mesh ? o->yaw : (double)NAN);
    jsonText(json, "stand", !mesh ? NULL : o->stand ? "facet" : "file");
    jsonNumber(json, "n", mesh ? (double)NAN : o->n);
    jsonNumber(json, "layers", mesh ? (double)NAN : (o->layers > 0 ? o->layers : o->n));
    bool surface = mesh && o->packing == benchPackingSurface;
    jsonText(json, "packing", surface ? "surface" : "grid");
    jsonText(json, "contact", getContactName(run));
    jsonNumber(json, "base_flattened_m", run->flattening);
    bool file = mesh && o->bodyPath != NULL;
    jsonText(json, "body", file ? o->bodyPath : NULL);
    jsonText(json, "masses", o->masses == benchMassesExact ? "exact" : file ? "file" : "uniform");
    jsonText(json, "masses_by", getMassRung(run));
    jsonNumber(json, "sphere_radius_m", run->sphereRadius);
    jsonNumber(json, "dt_s", o->timeStep);
    jsonNumber(json, "duration_s", run->duration);
    jsonNumber(json, "iterations", o->iterations);
    jsonNumber(json, "relaxation", o->relaxation);
    jsonOpen(json, "ablate", '[');
    for (size_t k = 0; k < sizeof ablationNames / sizeof ablationNames[0]; k++) {
        if ((run->ablation & ablationNames[k].bit) != 0) {
            jsonText(json, NULL, ablationNames[k].name);
        }
    }
    jsonClose(json, ']');
    for (int k = 0; k < run->settingCount; k++) {
        jsonText(json, run->settings[k].key, run->settings[k].value);
    }
    jsonNumber(json, "turn_rad", run->turn);
    jsonOpen(json, "shift_m", '[');
    jsonNumber(json, NULL, run->shift.x);
    jsonNumber(json, NULL, run->shift.y);
    jsonNumber(json, NULL, run->shift.z);
    jsonClose(json, ']');
    jsonClose(json, '}');
}

static void writeGap(JsonWriter* json, const char* key, BenchGap gap)
{
    jsonOpen(json, key, '{');
    jsonNumber(json, "position_m", gap.position);
    jsonNumber(json, "rotation_deg", gap.rotation);
    jsonNumber(json, "along_m", gap.along);
    jsonNumber(json, "across_m", gap.across);
    jsonNumber(json, "turn_deg", gap.turn);
    jsonClose(json, '}');
}

// Test 7: the errors against each reference at its moments.
static void writePushing(JsonWriter* json, const BenchRun* run)
{
    jsonOpen(json, "references", '{');
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        const BenchPushErrors* e = &run->errors.pushing[k];
        jsonOpen(json, benchGetReferenceName((BenchReference)k), '{');
        writeGap(json, "t2", e->t2);
        writeGap(json, "t3", e->t3);
        writeGap(json, "contact_end", e->contactEnd);
        writeGap(json, "final", e->final);
        jsonClose(json, '}');
    }
    jsonClose(json, '}');
}

static void writeRun(JsonWriter* json, const BenchRun* run)
{
    const BenchErrors* e = &run->errors;
    jsonOpen(json, NULL, '{');
    jsonNumber(json, "test", run->test->number);
    jsonText(json, "name", run->name);
    jsonText(json, "solver", run->solver.label);
    jsonText(json, "engine", benchGetEngineName(&run->solver, &run->options));
    jsonText(json, "precision", getPrecisionName(run));
    jsonNumber(json, "seed", run->seed);
    jsonNumber(json, "particles", run->particleCount);
    writeParams(json, run);
    jsonNumber(json, "substeps", run->substepCount);
    jsonNumber(json, "final_position_error_m", e->position.final);
    jsonNumber(json, "final_rotation_error_deg", e->rotation.final);
    jsonNumber(json, "final_signed_position_error_m", e->signedPosition.final);
    jsonNumber(json, "final_signed_rotation_error_deg", e->signedRotation.final);
    jsonNumber(json, "mean_position_error_m", e->position.mean);
    jsonNumber(json, "mean_rotation_error_deg", e->rotation.mean);
    jsonNumber(json, "max_tilt_deg", e->maxTilt);
    jsonNumber(json, "floor_position_m", run->floorPosition);
    jsonNumber(json, "floor_rotation_deg", run->floorRotation);
    jsonNumber(json, "us_per_substep", run->timePerSubstep);
    jsonNumber(json, "cpu_us_per_substep", run->processorTimePerSubstep);
    writeSeries(json, "position_error_m", &e->position);
    writeSeries(json, "rotation_error_deg", &e->rotation);
    writeSeries(json, "signed_position_error_m", &e->signedPosition);
    writeSeries(json, "signed_rotation_error_deg", &e->signedRotation);
    writeSeries(json, "velocity_error_mps", &e->velocity);
    writeSeries(json, "linear_momentum_error", &e->linearMomentum);
    writeSeries(json, "angular_momentum_error", &e->angularMomentum);
    if (run->test->rod) {
        writePushing(json, run);
    }
    const char* flags[BENCH_MAX_FLAGS];
    int flagCount = benchListFlags(run, flags);
    jsonOpen(json, "flags", '[');
    for (int k = 0; k < flagCount; k++) {
        jsonText(json, NULL, flags[k]);
    }
    jsonClose(json, ']');
    if (isfinite(run->failedAt)) {
        jsonNumber(json, "failed_at_s", run->failedAt);
    }
    if (run->problem[0] != 0) {
        jsonText(json, "problem", run->problem);
    }
    jsonClose(json, '}');
}

// Largest memory that the process held so far [MB].
static double getPeakMemory(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / 1024.0 : (double)NAN;
}

void benchWriteJson(FILE* file, const BenchRun* runs, int count)
{
    JsonWriter json = {file, 0, true};
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "schema", "pbdr-bench/1");
    jsonText(&json, "version", pbdrVersion());
    jsonNumber(&json, "peak_memory_mb", getPeakMemory());
    jsonOpen(&json, "runs", '[');
    for (int k = 0; k < count; k++) {
        writeRun(&json, &runs[k]);
    }
    jsonClose(&json, ']');
    jsonClose(&json, '}');
    fputc('\n', file);
}

// --- CSV ---

// A number, or nothing where there is none.
static void writeCell(FILE* file, double value)
{
    if (isfinite(value)) {
        fprintf(file, ",%.17g", value);
    } else {
        fputc(',', file);
    }
}

void benchWriteCsv(FILE* file, const BenchRun* runs, int count)
{
    fprintf(file, "test,solver,engine,precision,seed,particles,mu,force_N,dt_s,iterations,substeps,final_"
                  "position_error_m,"
                  "mean_position_error_m,final_rotation_error_deg,mean_rotation_error_deg,"
                  "final_signed_position_error_m,final_signed_rotation_error_deg,max_tilt_deg,final_"
                  "velocity_error_"
                  "mps,final_linear_momentum_error,final_angular_momentum_error,floor_position_m,floor_"
                  "rotation_deg,us_per_"
                  "substep,failed_at_s,flags,cpu_us_per_substep,contact\n");
    for (int k = 0; k < count; k++) {
        const BenchRun* run = &runs[k];
        const BenchErrors* e = &run->errors;
        fprintf(file, "%d,%s,%s,%s,%d,%d", run->test->number, run->solver.label,
                benchGetEngineName(&run->solver, &run->options), getPrecisionName(run), run->seed,
                run->particleCount);
        const double settings[] = {run->mu, run->force, run->options.timeStep, run->options.iterations,
                                   run->substepCount};
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            writeCell(file, settings[i]);
        }
        const double errors[] = {
            e->position.final,       e->position.mean,        e->rotation.final, e->rotation.mean,
            e->signedPosition.final, e->signedRotation.final, e->maxTilt,        e->velocity.final,
            e->linearMomentum.final, e->angularMomentum.final};
        for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
            writeCell(file, errors[i]);
        }
        writeCell(file, run->floorPosition);
        writeCell(file, run->floorRotation);
        writeCell(file, run->timePerSubstep);
        writeCell(file, run->failedAt);
        const char* flags[BENCH_MAX_FLAGS];
        int flagCount = benchListFlags(run, flags);
        for (int i = 0; i < flagCount; i++) {
            fprintf(file, "%s%s", i == 0 ? "," : ";", flags[i]);
        }
        fputs(flagCount == 0 ? "," : "", file);
        writeCell(file, run->processorTimePerSubstep);
        const char* contact = getContactName(run);
        fprintf(file, ",%s\n", contact != NULL ? contact : "");
    }
}
