// JSON and CSV of a benchmark's runs.
#define _POSIX_C_SOURCE 200809L
#include "results.h"

#include "flags.h"
#include "json_writer.h"
#include "result_names.h"
#include "vec.h"

#include <string.h>
#include <sys/resource.h>

// How exact masses were found.
static const char* getMassRung(const BenchRun* run)
{
    static const char* const names[] = {"closed form", "clamped", "extra inertia"};
    return run->options.masses == benchMassesExact ? names[run->massFit.rung] : NULL;
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
    bool mesh = benchUsesMesh(test);
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
    jsonText(json, "shape", benchGetShapeName(test->shape));
    jsonText(json, "mesh", mesh ? o->meshPath : NULL);
    jsonText(json, "fit", !mesh ? NULL : o->fit == benchFitExtent ? "extent" : "cube");
    jsonNumber(json, "yaw_rad", mesh ? o->yaw : (double)NAN);
    jsonText(json, "stand", !mesh ? NULL : o->stand ? "facet" : "file");
    jsonNumber(json, "n", mesh ? (double)NAN : o->n);
    jsonNumber(json, "layers", mesh ? (double)NAN : (o->layers > 0 ? o->layers : o->n));
    bool surface = mesh && o->packing == benchPackingSurface;
    jsonText(json, "packing", surface ? "surface" : "grid");
    jsonText(json, "contact", benchGetContactName(run));
    const char* base = benchGetBaseName(test, run->solver.capabilities, o); // spheres have none
    jsonText(json, "base", base);
    jsonNumber(json, "base_flattened_m", base != NULL ? run->flattening : (double)NAN);
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

// What tests 8 and up have besides.
static void writeExtended(JsonWriter* json, const BenchRun* run)
{
    const BenchExtended* more = run->test->extended;
    const BenchErrors* e = &run->errors;
    writeSeries(json, "energy_error_J", &e->energy);
    jsonOpen(json, "figure", '{');
    jsonText(json, "name", more->quantity);
    jsonText(json, "unit", more->unit);
    jsonNumber(json, "measured", e->quantity);
    jsonNumber(json, "exact", e->exact);
    jsonClose(json, '}');
    jsonText(json, "answer", benchGetAnswerName(run));
}

static void writeRun(JsonWriter* json, const BenchRun* run)
{
    const BenchErrors* e = &run->errors;
    jsonOpen(json, NULL, '{');
    jsonNumber(json, "test", run->test->number);
    jsonText(json, "name", run->name);
    jsonText(json, "solver", run->solver.label);
    jsonText(json, "engine", benchGetEngineName(&run->solver, &run->options));
    jsonText(json, "precision", benchGetPrecisionName(run));
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
    if (run->test->extended != NULL) {
        writeExtended(json, run);
    }
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
    jsonText(&json, "schema", "pbdr-bench/2");
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

// A text without the characters that CSV gives a meaning.
static void writeText(FILE* file, const char* text)
{
    for (; *text != 0; text++) {
        if (strchr(",\"\r\n", *text) == NULL) {
            fputc(*text, file);
        }
    }
}

void benchWriteCsv(FILE* file, const BenchRun* runs, int count)
{
    fprintf(
        file,
        "test,solver,engine,precision,seed,particles,mu,force_N,dt_s,iterations,substeps,final_"
        "position_error_m,"
        "mean_position_error_m,final_rotation_error_deg,mean_rotation_error_deg,"
        "final_signed_position_error_m,final_signed_rotation_error_deg,max_tilt_deg,final_"
        "velocity_error_"
        "mps,final_linear_momentum_error,final_angular_momentum_error,floor_position_m,floor_"
        "rotation_deg,us_per_"
        "substep,failed_at_s,flags,cpu_us_per_substep,contact,figure,unit,figure_exact,figure_value,energy_"
        "error_J,answer,base,"
        "problem\n");
    for (int k = 0; k < count; k++) {
        const BenchRun* run = &runs[k];
        const BenchErrors* e = &run->errors;
        fprintf(file, "%d,%s,%s,%s,%d,%d", run->test->number, run->solver.label,
                benchGetEngineName(&run->solver, &run->options), benchGetPrecisionName(run), run->seed,
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
        const char* contact = benchGetContactName(run);
        fprintf(file, ",%s", contact != NULL ? contact : "");
        const BenchExtended* more = run->test->extended;
        fprintf(file, ",%s,%s", more != NULL ? more->quantity : "", more != NULL ? more->unit : "");
        writeCell(file, e->exact);
        writeCell(file, e->quantity);
        writeCell(file, e->energy.final);
        const char* answer = benchGetAnswerName(run);
        const char* base = benchGetBaseName(run->test, run->solver.capabilities, &run->options);
        fprintf(file, ",%s,%s,", answer != NULL ? answer : "", base != NULL ? base : "");
        writeText(file, run->problem);
        fputc('\n', file);
    }
}
