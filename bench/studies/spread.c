#define _POSIX_C_SOURCE 200809L
#include "studies/spread.h"

#include "fail.h"
#include "solvers/registry.h"

#include <pbdr/batch.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PI 3.14159265358979323846
#define SAMPLES 20 // of a run, to count the box's turns by
#define LAUNCH                                                                                               \
    10 // substeps: a world that the quick kernel leaves comes back to it with the next launch (docs/gpu.md)

// What is run: the label in tables, and how the benchmark calls it.
static const struct {
    const char *label, *name;
    pbdrSolver solver;
} solvers[] = {{"pbd-r", "pbd-r", pbdr_solverPbdR}, {"xpbdr:spheres", "xpbdr:spheres", pbdr_solverXpbdR}};
enum { SOLVER_COUNT = sizeof solvers / sizeof solvers[0] };

static BenchOptions makeOptions(uint32_t index)
{
    BenchOptions options = benchDefaultOptions();
    options.precision = benchF64;
    studySpread(index, &options);
    return options;
}

// --- References ---

// The dynamic reference, where the box is at the end. One frame in ten of the benchmark's, and steps that are held to
// 1e-7: 1e-8 m from the benchmark's own, in less than half of its time.
static SpreadRow solveReference(uint32_t index)
{
    const BenchOptions options = makeOptions(index);
    BenchPushing pushing = benchDescribePushing(&options);
    pushing.model = benchPushingDynamic;
    pushing.tilt = true;
    pushing.frameTime = 0.1;
    pushing.tolerance = 1.0e-7;
    pushing.maxStep = 0.025;
    BenchPushingPath path;
    if (benchSolvePushing(&pushing, &path, NULL) != pbdr_statusOk) {
        return (SpreadRow){(double)NAN, (double)NAN, (double)NAN}; // a box that tips over: no reference
    }
    const BenchPushingFrame last = path.frames[path.frameCount - 1];
    benchFreePushingPath(&path);
    return (SpreadRow){last.x, last.y, last.theta};
}

// A process's share of the points that have none yet.
static int solveShare(const SpreadStudy* study, const SpreadRows* rows, int share)
{
    int missing = 0;
    for (int k = 0; k < study->points; k++) {
        if (!rows->has[k] && missing++ % study->processes == share) {
            const SpreadRow row = solveReference((uint32_t)k);
            if (*study->stop || getppid() == 1 || !spreadAppendRows(rows, k, 1, &row)) {
                return 1;
            }
        }
    }
    return 0;
}

static StudyEnd solveReferences(const SpreadStudy* study, SpreadRows* rows, pbdrError* error)
{
    int started = 0;
    bool broken = false;
    fflush(NULL);
    for (int k = 0; k < study->processes && rows->count < study->points; k++) {
        const pid_t process = fork();
        if (process == 0) {
            _exit(solveShare(study, rows, k));
        }
        broken = broken || process < 0;
        started += process > 0;
    }
    while (started > 0) {
        int status = 0;
        const pid_t ended = waitpid(-1, &status, WNOHANG);
        if (ended > 0) {
            started--;
            broken = broken || !WIFEXITED(status) || (WEXITSTATUS(status) != 0 && !*study->stop);
        } else {
            nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
            study->report("references", rows->count + spreadCountNew(rows), study->points);
        }
    }
    if (*study->stop) {
        return studyInterrupted;
    }
    if (broken || spreadReadRows(rows, error) != pbdr_statusOk || rows->count < study->points) {
        benchFail(error, pbdr_statusFileNotFound, "uncertainty: a process that solves references has failed");
        return studyBroken;
    }
    return studyDone;
}

// --- Worlds ---

// A batch of the first point's worlds; *scene (to be freed) is how the benchmark has it.
static pbdrBatch* makeBatch(const SpreadStudy* study, int which, int count, BenchScene* scene,
                            pbdrError* error)
{
    BenchSolver solver;
    if (benchChooseSolver(solvers[which].name, &solver, error) != pbdr_statusOk) {
        return NULL;
    }
    const BenchOptions asked = makeOptions(0), options = benchResolveOptions(&solver, &asked);
    const BenchShapes shapes = {0};
    char message[PBDR_BENCH_MESSAGE] = "";
    if (benchMakeScene(benchFindTest(7), &options, &shapes, 0, scene, error) != pbdr_statusOk) {
        return NULL;
    }
    scene->data.contact = pbdr_contactSpheres;
    pbdrBatch* batch = NULL;
    void* model = benchCreateRecorded(&scene->data, solvers[which].solver, NULL, message);
    if (model == NULL) {
        benchFail(error, pbdr_statusNotSupported, "uncertainty: %.200s", message);
    } else {
        pbdrBatchDef def = pbdrDefaultBatchDef();
        def.count = count;
        def.threads = study->threads;
        def.device = study->device;
        pbdrCreateBatch(benchGetWorld(model), &def, &batch, error);
        benchGetXpbdR()->destroy(model);
    }
    if (batch == NULL) {
        benchFreeScene(scene);
    }
    return batch;
}

// The batch's worlds become points from `first` on. Friction mixes as the geometric mean (bench/solvers/own.c).
static void setPoints(const pbdrBatchArrays* a, const BenchScene* scene, int first)
{
    const BenchOptions base = makeOptions(0);
    for (int w = 0; w < a->worldCount; w++) {
        const BenchOptions point = makeOptions((uint32_t)(first + w));
        const int box = w * a->bodyCount, rod = box + 1;
        const double across = point.offset - base.offset, up = point.pushHeight - base.pushHeight;
        a->planeFrictions[w] = point.mu;
        a->frictions[box] = point.mu;
        a->frictions[rod] = point.rodFriction * point.rodFriction / point.mu;
        a->positions[rod].x += across * scene->across.x;
        a->positions[rod].y += across * scene->across.y;
        a->positions[rod].z += up;
    }
}

static double dot(pbdrVec3 a, pbdrVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// Steps a batch, a solver's points from `first` on, to the end and reads where its boxes are, from their starts; turns
// are counted on the way.
static pbdrStatus runBatch(const SpreadStudy* study, int which, int first, pbdrBatch* batch,
                           const BenchScene* scene, SpreadRow* rows, pbdrError* error)
{
    const BenchOptions options = makeOptions(0);
    const int substeps = (int)nearbyint(options.duration / options.timeStep), each = substeps / SAMPLES;
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    const pbdrVec3 start = a.positions[0];
    const pbdrQuat turned = a.rotations[0];
    const double from = 2.0 * atan2(turned.z, turned.w);
    pbdrStatus status = pbdrBatch_Step(batch, 0, error); // what was written goes to the device
    for (int k = 0; k < SAMPLES && status == pbdr_statusOk && !*study->stop; k++) {
        // on the way: as many points as its substeps are worth
        study->report(solvers[which].label, first + (int)((double)a.worldCount * k / SAMPLES), study->points);
        status = pbdrBatch_StepAlone(batch, LAUNCH, each / LAUNCH, NULL, error);
        status = status == pbdr_statusOk ? pbdrBatch_Fetch(batch, error) : status;
        for (int w = 0; w < a.worldCount && status == pbdr_statusOk; w++) {
            const size_t box = (size_t)w * (size_t)a.bodyCount;
            const double angle = 2.0 * atan2(a.rotations[box].z, a.rotations[box].w) - from;
            rows[w].theta += remainder(angle - rows[w].theta, 2.0 * PI);
            const pbdrVec3 p = a.positions[box];
            const pbdrVec3 way = {p.x - start.x, p.y - start.y, p.z - start.z};
            rows[w].x = dot(way, scene->direction);
            rows[w].y = dot(way, scene->across);
            if ((a.flags[w] & pbdr_stepNotFinite) != 0) {
                rows[w] = (SpreadRow){(double)NAN, (double)NAN, (double)NAN};
            }
        }
    }
    return status;
}

static StudyEnd runWorlds(const SpreadStudy* study, int which, SpreadRows* rows, pbdrError* error)
{
    pbdrStatus status = pbdr_statusOk;
    for (int first = 0; first < study->points && status == pbdr_statusOk && !*study->stop;
         first += study->worlds) {
        const int count = study->points - first < study->worlds ? study->points - first : study->worlds;
        bool done = true;
        for (int k = first; k < first + count; k++) {
            done = done && rows->has[k];
        }
        if (done) {
            continue;
        }
        BenchScene scene;
        pbdrBatch* batch = makeBatch(study, which, count, &scene, error);
        SpreadRow* ends = calloc((size_t)count, sizeof *ends);
        if (batch == NULL || ends == NULL) {
            free(ends);
            return studyBroken;
        }
        const pbdrBatchArrays arrays = pbdrBatch_GetArrays(batch);
        setPoints(&arrays, &scene, first);
        status = runBatch(study, which, first, batch, &scene, ends, error);
        if (status == pbdr_statusOk && !*study->stop && !spreadAppendRows(rows, first, count, ends)) {
            status = benchFail(error, pbdr_statusFileNotFound, "%s: cannot be written", rows->path);
        }
        free(ends);
        pbdrDestroyBatch(batch);
        benchFreeScene(&scene);
    }
    return status != pbdr_statusOk ? studyBroken : *study->stop ? studyInterrupted : studyDone;
}

// --- The study ---

StudyEnd spreadRun(const SpreadStudy* study, pbdrError* error)
{
    StudyEnd end = studyBroken;
    SpreadRows rows;
    if (spreadOpenRows(&rows, study->folder, "references", study->points, error) == pbdr_statusOk) {
        end = solveReferences(study, &rows, error);
        spreadCloseRows(&rows);
    }
    for (int k = 0; k < SOLVER_COUNT && end == studyDone && study->device != NULL; k++) {
        end = studyBroken;
        if (spreadOpenRows(&rows, study->folder, solvers[k].label, study->points, error) == pbdr_statusOk) {
            end = runWorlds(study, k, &rows, error);
            spreadCloseRows(&rows);
        }
    }
    return end;
}

// --- Tables ---

typedef void (*SampleWriter)(FILE* file, const char* solver, const char* column, StudySample* samples,
                             int count);

// Errors of a solver's runs as the benchmark has them.
static int takeSamples(const SpreadRows* references, const SpreadRows* runs, int points, bool turns,
                       StudySample* samples)
{
    int count = 0;
    for (int k = 0; k < points; k++) {
        const SpreadRow a = references->rows[k], b = runs->rows[k];
        const double error = turns ? fabs(b.theta - a.theta) * 180.0 / PI : hypot(b.x - a.x, b.y - a.y);
        if (references->has[k] && runs->has[k] && isfinite(error)) {
            const BenchOptions point = makeOptions((uint32_t)k);
            studySetSample(&samples[count++], &point, error);
        }
    }
    return count;
}

static pbdrStatus writeSamples(FILE* file, const SpreadStudy* study, SampleWriter write, pbdrError* error)
{
    SpreadRows references, runs;
    pbdrStatus status = spreadOpenRows(&references, study->folder, "references", study->points, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    StudySample* samples = calloc((size_t)study->points, sizeof *samples);
    for (int k = 0; k < SOLVER_COUNT && status == pbdr_statusOk && samples != NULL; k++) {
        status = spreadOpenRows(&runs, study->folder, solvers[k].label, study->points, error);
        for (int turns = 0; turns < 2 && status == pbdr_statusOk; turns++) {
            const int count = takeSamples(&references, &runs, study->points, turns == 1, samples);
            write(file, solvers[k].label,
                  turns == 1 ? "dynamic_tilt_final_rotation_deg" : "dynamic_tilt_final_position_m", samples,
                  count);
        }
        if (status == pbdr_statusOk) {
            spreadCloseRows(&runs);
        }
    }
    status = samples != NULL ? status : benchFail(error, pbdr_statusNoMemory, "uncertainty: out of memory");
    free(samples);
    spreadCloseRows(&references);
    return status;
}

pbdrStatus spreadWriteTable(FILE* file, const SpreadStudy* study, pbdrError* error)
{
    studyWriteMomentsHead(file);
    return writeSamples(file, study, studyWriteMoments, error);
}

pbdrStatus spreadWriteBins(FILE* file, const SpreadStudy* study, pbdrError* error)
{
    studyWriteQuantilesHead(file);
    return writeSamples(file, study, studyWriteQuantiles, error);
}

pbdrStatus spreadWriteTail(FILE* file, const SpreadStudy* study, pbdrError* error)
{
    SpreadRows references, runs;
    pbdrStatus status = spreadOpenRows(&references, study->folder, "references", study->points, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    spreadWriteTailHead(file);
    for (int k = 0; k < SOLVER_COUNT && status == pbdr_statusOk; k++) {
        status = spreadOpenRows(&runs, study->folder, solvers[k].label, study->points, error);
        if (status == pbdr_statusOk) {
            if (!spreadWriteTailOf(file, solvers[k].label, &references, &runs, study->points)) {
                status = benchFail(error, pbdr_statusNoMemory, "uncertainty: out of memory");
            }
            spreadCloseRows(&runs);
        }
    }
    spreadCloseRows(&references);
    return status;
}
