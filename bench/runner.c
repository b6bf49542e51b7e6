// One run: frames of 10 ms, errors at each, time of the solver's step alone.
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include "base.h"
#include "isolate.h"
#include "math/vec.h"
#include "plugin.h"

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

// A run under way: what goes in, and what a child process sends back.
typedef struct Work {
    const pbdrBenchSolver* table; // NULL: a plug-in still to be loaded
    const BenchScene* scene;
    pbdrBenchScene data; // with the solver's preset
    int frames, perFrame;
    FILE* trajectory;
    BenchProgress progress;
    void* context;
} Work;

typedef struct Result {
    BenchRun run;
    bool stopped;
} Result;

static BenchMotion readMotion(const Work* work, void* simulation)
{
    BenchMotion motion;
    work->table->read(simulation, 0, &motion.pose, &motion.velocity);
    if (work->table->readMomentum != NULL) {
        work->table->readMomentum(simulation, 0, &motion.momentum);
    } else {
        motion.momentum = benchGetTrueMomentum(&work->data.bodies[0], &motion);
    }
    return motion;
}

static void writeFrame(FILE* file, double t, const BenchMotion* m, const BenchErrors* errors)
{
    if (file == NULL) {
        return;
    }
    pbdrVec3 p = m->pose.position, v = m->velocity.linear, w = m->velocity.angular;
    pbdrQuat q = m->pose.rotation;
    fprintf(file,
            "%.17g,body,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%."
            "9g\n",
            t, p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z, errors->position.final,
            errors->rotation.final);
}

bool benchHasLeft(pbdrVec3 position, bool* outOfRange)
{
    double distance = pbdrLength(position);
    *outOfRange = isfinite(distance) && distance > BENCH_FAR;
    return !isfinite(distance) || *outOfRange;
}

static void simulate(const Work* work, void* simulation, Result* result)
{
    BenchRun* run = &result->run;
    BenchMeter meter;
    benchStartMeter(&meter, work->scene, (run->solver.capabilities & pbdr_benchUsesSpheres) != 0);
    double dt = run->options.timeStep, busy = 0.0, processor = 0.0;
    if (work->trajectory != NULL) {
        fprintf(work->trajectory, "t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,position_error_m,"
                                  "rotation_error_deg\n");
        BenchMotion motion = readMotion(work, simulation);
        writeFrame(work->trajectory, 0.0, &motion, &meter.errors);
    }
    for (int frame = 1; frame <= work->frames && !result->stopped; frame++) {
        double processorBegin = readClock(CLOCK_PROCESS_CPUTIME_ID), begin = benchGetSeconds();
        run->flags |= work->table->step(simulation, work->perFrame);
        busy += benchGetSeconds() - begin;
        processor += readClock(CLOCK_PROCESS_CPUTIME_ID) - processorBegin;
        run->substepCount += work->perFrame;
        double t = frame * work->perFrame * dt;
        BenchMotion motion = readMotion(work, simulation);
        if (benchHasLeft(motion.pose.position, &run->outOfRange) || (run->flags & pbdr_stepNotFinite) != 0) {
            run->outcome = benchDiverged;
            run->failedAt = t;
            break;
        }
        benchMeasure(&meter, t, &motion);
        writeFrame(work->trajectory, t, &motion, &meter.errors);
        result->stopped =
            work->progress != NULL && !work->progress(work->context, (double)frame / work->frames);
    }
    if (run->outcome == benchMeasured) {
        run->errors = benchFinishMeter(&meter);
    }
    run->timePerSubstep = 1.0e6 * busy / run->substepCount;
    run->processorTimePerSubstep = 1.0e6 * processor / run->substepCount;
}

static void recordSettings(const Work* work, void* simulation, BenchRun* run)
{
    const char *key = NULL, *value = NULL;
    while (work->table->describe != NULL && run->settingCount < BENCH_MAX_SETTINGS &&
           work->table->describe(simulation, run->settingCount, &key, &value)) {
        BenchSetting* setting = &run->settings[run->settingCount++];
        snprintf(setting->key, sizeof setting->key, "%s", key);
        snprintf(setting->value, sizeof setting->value, "%s", value);
    }
}

// Creates, runs and destroys a simulation in this process. A refusal is an outcome.
static void runHere(void* context, void* out)
{
    Work* work = context;
    Result* result = out;
    BenchRun* run = &result->run;
    pbdrError error;
    if (work->table == NULL) {
        work->table = benchLoadPlugin(run->solver.plugin, &error);
        if (work->table == NULL) {
            run->outcome = benchFailed;
            snprintf(run->problem, sizeof run->problem, "%.255s", error.message);
            return;
        }
    }
    void* simulation = work->table->create(&work->data, run->problem);
    if (simulation == NULL) {
        run->problem[sizeof run->problem - 1] = 0;
        run->outcome = strncmp(run->problem, "not supported", 13) == 0 ? benchNotSupported : benchFailed;
        return;
    }
    recordSettings(work, simulation, run);
    simulate(work, simulation, result);
    work->table->destroy(simulation);
}

BenchRun benchDescribeRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                          double duration)
{
    const pbdrBenchBody* body = &scene->data.bodies[0];
    return (BenchRun){
        .solver = *solver,
        .test = scene->test,
        .options = *options,
        .massFit = scene->massFit,
        .ablation = (solver->capabilities & pbdr_benchUsesAblation) != 0 ? options->ablation : 0,
        .seed = scene->seed,
        .particleCount = (solver->capabilities & pbdr_benchUsesSpheres) != 0 ? body->sphereCount : 0,
        .mu = scene->data.groundFriction,
        .force = scene->forceSize,
        .rodFriction = scene->data.pairFriction,
        .turn = scene->turn,
        .shift = scene->shift,
        .sphereRadius = body->sphereRadii[0],
        .duration = duration,
        .failedAt = (double)NAN,
        .timePerSubstep = (double)NAN,
        .processorTimePerSubstep = (double)NAN,
        .errors = benchGetNoErrors(),
        .floorPosition = benchGetPositionFloor(scene, duration, options->timeStep),
        .floorRotation = benchGetRotationFloor(scene, duration, options->timeStep),
    };
}

pbdrStatus benchRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                    FILE* trajectory, BenchProgress progress, void* context, BenchRun* run, bool* stopped,
                    pbdrError* error)
{
    double dt = options->timeStep;
    if (benchHasTooManySubsteps(options)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "%g s in substeps of %g s are more than %g substeps", options->duration, dt,
                        BENCH_MAX_SUBSTEPS);
    }
    int perFrame = benchGetSubstepsPerFrame(dt);
    int frames = (int)nearbyint(options->duration / (perFrame * dt));
    frames = frames > 0 ? frames : 1;
    Work work = {solver->table, scene, scene->data, frames, perFrame, trajectory, progress, context};
    BenchOptions resolved = benchResolveOptions(solver, options);
    work.data.preset = solver->preset;
    work.data.engine = resolved.engine;
    work.data.precision = resolved.precision == benchF32 ? pbdr_precisionF32 : pbdr_precisionF64;
    Result result = {.run = benchDescribeRun(solver, scene, &resolved, frames * perFrame * dt)};
    if (solver->plugin == NULL) {
        runHere(&work, &result);
    } else {
        Result back = result;
        char why[128];
        if (benchIsolate(runHere, &work, &back, sizeof back, why, sizeof why)) {
            result = back;
        } else {
            result.run.outcome = benchFailed;
            snprintf(result.run.problem, sizeof result.run.problem, "%s", why);
        }
    }
    *run = result.run;
    *stopped = result.stopped;
    if (run->outcome == benchFailed && solver->plugin == NULL) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "%s: %s", solver->label, run->problem);
    }
    return pbdr_statusOk;
}
