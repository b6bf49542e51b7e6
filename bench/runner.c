// One run: frames of 10 ms, errors at each, time of the solver's step alone.
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include "extended/extended.h"
#include "fail.h"
#include "isolate.h"
#include "pipe.h"
#include "plugin.h"
#include "vec.h"

#include <string.h>
#include <time.h>

static double readClock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

double benchGetSeconds(void)
{
    return readClock(CLOCK_MONOTONIC);
}

// A run under way: what goes in.
typedef struct Work {
    const pbdrBenchSolver* table; // NULL: a plug-in still to be loaded
    const char* plugin;           // its path
    bool usesSpheres;
    const BenchScene* scene;
    pbdrBenchScene data; // with the solver's preset
    int frames, perFrame;
    FILE* trajectory;
    BenchProgress progress;
    void* context;
} Work;

// What comes of it. A plug-in's process can write anything here: numbers only, no pointers, and nothing that
// is not checked (checkResult) before it becomes a BenchRun.
typedef struct Result {
    int settingCount;
    BenchSetting settings[BENCH_MAX_SETTINGS];
    int outcome; // BenchOutcome
    char problem[PBDR_BENCH_MESSAGE];
    double failedAt;
    int outOfRange, stopped, trajectoryBroken; // truths
    uint32_t flags;
    int substepCount;
    BenchErrors errors;
    double timePerSubstep, processorTimePerSubstep;
} Result;

// The bits of pbdrStepFlag.
#define KNOWN_FLAGS                                                                                          \
    ((uint32_t)(pbdr_stepNotFinite | pbdr_stepSpeedLimit | pbdr_stepPairsFull | pbdr_stepNotConverged))

// A quaternion's length may be off by that much, as in a trajectory file.
#define QUATERNION_SLOP 1.0e-2

static Result describeNothing(void)
{
    return (Result){.failedAt = (double)NAN,
                    .errors = benchGetNoErrors(),
                    .timePerSubstep = (double)NAN,
                    .processorTimePerSubstep = (double)NAN};
}

static BenchMotion readMotion(const Work* work, void* simulation, int body)
{
    const double nan = (double)NAN; // what a solver does not fill in is no number
    const pbdrVec3 none = {nan, nan, nan};
    BenchMotion motion = {{none, {nan, nan, nan, nan}}, {none, none}, {none, none}};
    work->table->read(simulation, body, &motion.pose, &motion.velocity);
    if (work->table->readMomentum != NULL) {
        work->table->readMomentum(simulation, body, &motion.momentum);
    } else {
        motion.momentum = benchGetTrueMomentum(&work->data.bodies[body], &motion);
    }
    return motion;
}

// A row for each measured body: "body", or where there are several "box 1" and so on.
static void writeRow(FILE* file, double t, const char* name, const BenchMotion* m, const BenchErrors* errors)
{
    pbdrVec3 p = m->pose.position, v = m->velocity.linear, w = m->velocity.angular;
    pbdrQuat q = m->pose.rotation;
    fprintf(file,
            "%.17g,%s,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%."
            "9g\n",
            t, name, p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z, errors->position.final,
            errors->rotation.final);
}

static void writeFrame(const Work* work, double t, const BenchMotion* motions, const BenchErrors* errors)
{
    int count = benchGetMeasuredCount(work->scene);
    for (int k = 0; k < count && work->trajectory != NULL; k++) {
        char name[40] = "body";
        if (count > 1) {
            snprintf(name, sizeof name, "%.20s %d", work->data.bodies[k].name, k + 1);
        }
        writeRow(work->trajectory, t, name, &motions[k], errors);
    }
}

bool benchHasLeft(pbdrVec3 position, bool* outOfRange)
{
    double distance = benchLength(position);
    *outOfRange = isfinite(distance) && distance > BENCH_FAR;
    return !isfinite(distance) || *outOfRange;
}

static bool isFinite(pbdrVec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

// What is wrong with a motion whose position is fine; NULL for nothing.
static const char* findFault(const BenchMotion* m)
{
    double length = benchLengthQ(m->pose.rotation);
    return !isfinite(length)                      ? "a rotation that is not finite"
           : fabs(length - 1.0) > QUATERNION_SLOP ? "a rotation that is no unit quaternion"
           : !isFinite(m->velocity.linear)        ? "a velocity that is not finite"
           : !isFinite(m->velocity.angular)       ? "an angular velocity that is not finite"
           : !isFinite(m->momentum.linear)        ? "a momentum that is not finite"
           : !isFinite(m->momentum.angular)       ? "an angular momentum that is not finite"
                                                  : NULL;
}

// Whether the run goes on with this motion. A body that left the test, or a solver that says that its state
// is not finite, is a result; a solver that says that all is well and hands out what no body can do has
// failed.
static bool judgeMotion(const BenchMotion* motion, double t, Result* result)
{
    bool outOfRange = false;
    const char* fault = NULL;
    if (benchHasLeft(motion->pose.position, &outOfRange) || (result->flags & pbdr_stepNotFinite) != 0) {
        result->outcome = benchDiverged;
        result->outOfRange = outOfRange;
    } else if ((result->flags & ~KNOWN_FLAGS) != 0) {
        result->outcome = benchFailed;
        snprintf(result->problem, sizeof result->problem, "step returned flags 0x%x, which are none",
                 (unsigned)(result->flags & ~KNOWN_FLAGS));
        result->flags &= KNOWN_FLAGS;
    } else if ((fault = findFault(motion)) != NULL) {
        result->outcome = benchFailed;
        snprintf(result->problem, sizeof result->problem, "read gave %s at %g s", fault, t);
    }
    if (result->outcome != benchMeasured) {
        result->failedAt = t;
    }
    return result->outcome == benchMeasured;
}

// Reads all measured bodies; whether the run goes on with them.
static bool readMotions(const Work* work, void* simulation, double t, BenchMotion* motions, Result* result)
{
    bool good = true;
    for (int k = 0; k < benchGetMeasuredCount(work->scene) && good; k++) {
        motions[k] = readMotion(work, simulation, k);
        good = judgeMotion(&motions[k], t, result);
    }
    return good;
}

static void simulate(const Work* work, void* simulation, Result* result)
{
    BenchMeter meter;
    benchStartMeter(&meter, work->scene, work->usesSpheres);
    double dt = work->data.timeStep, busy = 0.0, processor = 0.0;
    BenchMotion motions[PBDR_BENCH_MAX_BODIES];
    if (!readMotions(work, simulation, 0.0, motions, result)) {
        return;
    }
    if (work->trajectory != NULL) {
        fprintf(work->trajectory, "t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,position_error_m,"
                                  "rotation_error_deg\n");
        writeFrame(work, 0.0, motions, &meter.errors);
    }
    for (int frame = 1; frame <= work->frames && !result->stopped; frame++) {
        double processorBegin = readClock(CLOCK_PROCESS_CPUTIME_ID), begin = benchGetSeconds();
        result->flags |= work->table->step(simulation, work->perFrame);
        busy += benchGetSeconds() - begin;
        // an engine behind a pipe says what its step took; writing and reading JSON is not its work
        double said = 0.0, own = readClock(CLOCK_PROCESS_CPUTIME_ID) - processorBegin;
        processor += benchTakePipeSeconds(&said) ? said : own;
        result->substepCount += work->perFrame;
        double t = frame * work->perFrame * dt;
        if (benchGetPipeProblem() != NULL) { // of an engine in a process of its own
            result->outcome = benchFailed;
            result->failedAt = t;
            snprintf(result->problem, sizeof result->problem, "%s", benchGetPipeProblem());
            break;
        }
        if (!readMotions(work, simulation, t, motions, result)) {
            break;
        }
        benchMeasure(&meter, t, motions);
        writeFrame(work, t, motions, &meter.errors);
        result->stopped =
            work->progress != NULL && !work->progress(work->context, (double)frame / work->frames);
    }
    if (result->outcome == benchMeasured) {
        result->errors = benchFinishMeter(&meter);
    }
    result->timePerSubstep = 1.0e6 * busy / result->substepCount;
    result->processorTimePerSubstep = 1.0e6 * processor / result->substepCount;
}

static void recordSettings(const Work* work, void* simulation, Result* result)
{
    const char *key = NULL, *value = NULL;
    while (work->table->describe != NULL && result->settingCount < BENCH_MAX_SETTINGS &&
           work->table->describe(simulation, result->settingCount, &key, &value)) {
        BenchSetting* setting = &result->settings[result->settingCount++];
        snprintf(setting->key, sizeof setting->key, "%s", key);
        snprintf(setting->value, sizeof setting->value, "%s", value);
    }
}

// Creates, runs and destroys a simulation in this process. A refusal is an outcome.
static void runHere(Work* work, Result* result)
{
    pbdrError error;
    *result = describeNothing();
    if (work->table == NULL) {
        work->table = benchLoadPlugin(work->plugin, &error);
        if (work->table == NULL) {
            result->outcome = benchFailed;
            snprintf(result->problem, sizeof result->problem, "%.255s", error.message);
            return;
        }
    }
    void* simulation = work->table->create(&work->data, result->problem);
    if (simulation == NULL) {
        result->problem[sizeof result->problem - 1] = 0;
        result->outcome =
            strncmp(result->problem, "not supported", 13) == 0 ? benchNotSupported : benchFailed;
        return;
    }
    result->problem[0] = 0; // of no interest where there is a simulation
    recordSettings(work, simulation, result);
    simulate(work, simulation, result);
    if (work->trajectory != NULL && (fflush(work->trajectory) != 0 || ferror(work->trajectory))) {
        result->trajectoryBroken = true;
    }
    work->table->destroy(simulation);
}

// --- Plug-ins ---

static bool noteShare(void* share, double doneShare)
{
    *(volatile double*)share = doneShare;
    return true;
}

static void runIsolated(void* context, void* result, volatile double* share)
{
    Work* work = context;
    work->progress = noteShare;
    work->context = (void*)share;
    runHere(work, result);
}

static bool isMeasured(const BenchSeries* series)
{
    return isfinite(series->final) && isfinite(series->mean) && !isinf(series->t2);
}

// The numbers that only tests 8 and up have: finite, or none where there is no reference.
static bool isExtendedPlausible(const BenchTest* test, const BenchErrors* e)
{
    return test->extended == NULL || (isfinite(e->quantity) && !isinf(e->exact) && isfinite(e->moved) &&
                                      !isinf(e->energy.final) && !isinf(e->energy.mean));
}

static bool areErrorsMeasured(const BenchTest* test, const BenchErrors* e)
{
    const BenchSeries* series[] = {&e->position, &e->rotation,       &e->signedPosition, &e->signedRotation,
                                   &e->velocity, &e->linearMomentum, &e->angularMomentum};
    bool none = test->extended != NULL && !benchHasReference(test);
    bool good = isExtendedPlausible(test, e) && isfinite(e->maxTilt);
    for (size_t k = 0; k < sizeof series / sizeof series[0]; k++) {
        good = good && (none || isMeasured(series[k]));
    }
    return good;
}

// Whether numbers that came back from a plug-in's process can be those of a run.
static bool isPlausible(const Work* work, const Result* r)
{
    bool plausible = r->settingCount >= 0 && r->settingCount <= BENCH_MAX_SETTINGS &&
                     r->outcome >= benchMeasured && r->outcome <= benchFailed &&
                     (r->flags & ~KNOWN_FLAGS) == 0 && r->substepCount >= 0 &&
                     r->substepCount <= work->frames * work->perFrame;
    plausible = plausible &&
                (isnan(r->timePerSubstep) || (r->timePerSubstep >= 0.0 && isfinite(r->timePerSubstep))) &&
                (isnan(r->processorTimePerSubstep) ||
                 (r->processorTimePerSubstep >= 0.0 && isfinite(r->processorTimePerSubstep)));
    if (r->outcome == benchMeasured) {
        plausible = plausible && r->substepCount == work->frames * work->perFrame &&
                    areErrorsMeasured(work->scene->test, &r->errors);
    }
    if (r->outcome == benchDiverged) {
        plausible = plausible && isfinite(r->failedAt) && r->failedAt >= 0.0;
    }
    return plausible;
}

// Makes what came back from a plug-in's process fit to be shown.
static void checkResult(const Work* work, Result* result)
{
    if (!isPlausible(work, result)) {
        *result = describeNothing();
        result->outcome = benchFailed;
        snprintf(result->problem, sizeof result->problem, "what it sent back makes no sense");
        return;
    }
    benchCleanText(result->problem, sizeof result->problem);
    for (int k = 0; k < result->settingCount; k++) {
        benchCleanText(result->settings[k].key, sizeof result->settings[k].key);
        benchCleanText(result->settings[k].value, sizeof result->settings[k].value);
    }
    if (result->outcome != benchMeasured) {
        result->errors = benchGetNoErrors();
    }
    if (result->outcome == benchFailed && result->problem[0] == 0) {
        snprintf(result->problem, sizeof result->problem, "failed without a reason");
    }
}

static Result runPlugin(Work* work, const BenchSolver* solver)
{
    Result result;
    char why[128];
    BenchEnd end = benchIsolate(runIsolated, work, &result, sizeof result, &solver->limits, work->progress,
                                work->context, why, sizeof why);
    if (end == benchEndDone) {
        checkResult(work, &result);
        result.stopped = false; // the child has nobody to stop it
        return result;
    }
    result = describeNothing();
    result.outcome = benchFailed;
    result.stopped = end == benchEndStopped;
    snprintf(result.problem, sizeof result.problem, "%s", end == benchEndStopped ? "stopped" : why);
    return result;
}

BenchRun benchDescribeRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                          double duration)
{
    const pbdrBenchBody* body = &scene->data.bodies[0];
    int spheres = 0;
    for (int k = 0; k < benchGetMeasuredCount(scene); k++) {
        spheres += scene->data.bodies[k].sphereCount;
    }
    BenchRun run = {
        .solver = *solver,
        .test = scene->test,
        .options = *options,
        .massFit = scene->massFit,
        .flattening = scene->flattening,
        .ablation = (solver->capabilities & pbdr_benchUsesAblation) != 0 ? options->ablation : 0,
        .seed = scene->seed,
        .particleCount = (solver->capabilities & pbdr_benchUsesSpheres) != 0 ? spheres : 0,
        .mu = scene->data.groundFriction,
        .force = scene->forceSize,
        .rodFriction = scene->data.pairFriction,
        .turn = scene->turn,
        .shift = scene->shift,
        .sphereRadius = body->sphereCount > 0 ? body->sphereRadii[0] : (double)NAN,
        .duration = duration,
        .failedAt = (double)NAN,
        .timePerSubstep = (double)NAN,
        .processorTimePerSubstep = (double)NAN,
        .errors = benchGetNoErrors(),
        .floorPosition = benchGetPositionFloor(scene, duration, options->timeStep),
        .floorRotation = benchGetRotationFloor(scene, duration, options->timeStep),
    };
    memcpy(run.name, scene->name, sizeof run.name);
    return run;
}

static void takeResult(BenchRun* run, const Result* result)
{
    run->settingCount = result->settingCount;
    memcpy(run->settings, result->settings, sizeof run->settings);
    run->outcome = (BenchOutcome)result->outcome;
    memcpy(run->problem, result->problem, sizeof run->problem);
    run->failedAt = result->failedAt;
    run->outOfRange = result->outOfRange != 0;
    run->flags = result->flags;
    run->substepCount = result->substepCount;
    run->errors = result->errors;
    run->timePerSubstep = result->timePerSubstep;
    run->processorTimePerSubstep = result->processorTimePerSubstep;
}

pbdrStatus benchRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                    FILE* trajectory, BenchProgress progress, void* context, BenchRun* run, bool* stopped,
                    pbdrError* error)
{
    double dt = options->timeStep;
    if (benchHasTooManySubsteps(options)) {
        return benchFail(error, pbdr_statusInvalidArgument,
                         "%g s in substeps of %g s are more than %g substeps", options->duration, dt,
                         BENCH_MAX_SUBSTEPS);
    }
    int perFrame = benchGetSubstepsPerFrame(dt);
    int frames = (int)nearbyint(options->duration / (perFrame * dt));
    frames = frames > 0 ? frames : 1;
    BenchOptions resolved = benchResolveOptions(solver, options);
    Work work = {.table = solver->table,
                 .plugin = solver->plugin,
                 .usesSpheres = (solver->capabilities & pbdr_benchUsesSpheres) != 0,
                 .scene = scene,
                 .data = scene->data,
                 .frames = frames,
                 .perFrame = perFrame,
                 .trajectory = trajectory,
                 .progress = progress,
                 .context = context};
    work.data.preset = solver->preset;
    work.data.engine = resolved.engine;
    work.data.precision = resolved.precision == benchF32 ? pbdr_precisionF32 : pbdr_precisionF64;
    Result result;
    if (scene->data.jointCount > 0 && (solver->capabilities & pbdr_benchUsesJoints) == 0) {
        result = describeNothing();
        result.outcome = benchNotSupported; // without asking: it might not look for joints
        snprintf(result.problem, sizeof result.problem, "not supported: joints");
    } else if (solver->plugin == NULL) {
        runHere(&work, &result);
    } else {
        result = runPlugin(&work, solver);
    }
    *run = benchDescribeRun(solver, scene, &resolved, frames * perFrame * dt);
    takeResult(run, &result);
    *stopped = result.stopped != 0;
    if (result.trajectoryBroken != 0) {
        return benchFail(error, pbdr_statusFileNotFound,
                         "%s: the trajectory cannot be written: is the disk full?", solver->label);
    }
    if (run->outcome == benchFailed && solver->plugin == NULL) {
        return benchFail(error, pbdr_statusInvalidArgument, "%s: %s", solver->label, run->problem);
    }
    return pbdr_statusOk;
}
