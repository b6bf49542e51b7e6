// One run: frames of 10 ms, errors at each, time of the solver's step alone.
#define _POSIX_C_SOURCE 200809L
#include "runner.h"

#include "base.h"
#include "math/vec.h"

#include <time.h>

#define FRAME 0.01 // [s]: the paper's 100 Hz

double benchGetSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

static void writeFrame(FILE* file, double t, const BenchMotion* m, const BenchErrors* errors)
{
    pbdrVec3 p = m->pose.position, v = m->velocity.linear, w = m->velocity.angular;
    pbdrQuat q = m->pose.rotation;
    fprintf(file,
            "%.17g,body,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.9g,%."
            "9g\n",
            t, p.x, p.y, p.z, q.w, q.x, q.y, q.z, v.x, v.y, v.z, w.x, w.y, w.z, errors->position.final,
            errors->rotation.final);
}

// Whether the run has left the test: not finite, or out of range.
static bool hasLeft(const BenchRun* run, const BenchMotion* motion, bool* outOfRange)
{
    double distance = pbdrLength(motion->pose.position);
    *outOfRange = isfinite(distance) && distance > BENCH_FAR;
    return (run->flags & pbdr_stepNotFinite) != 0 || !isfinite(distance) || *outOfRange;
}

static void simulate(const BenchSolver* solver, void* simulation, int framesTotal, int perFrame,
                     FILE* trajectory, BenchProgress progress, void* context, const BenchScene* scene,
                     BenchRun* run, bool* stopped)
{
    BenchMeter meter;
    benchStartMeter(&meter, scene);
    double dt = run->options.timeStep, busy = 0.0;
    if (trajectory != NULL) {
        fprintf(trajectory,
                "t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,position_error_m,rotation_error_deg\n");
        BenchMotion motion = solver->read(simulation);
        writeFrame(trajectory, 0.0, &motion, &meter.errors);
    }
    for (int frame = 1; frame <= framesTotal && !*stopped; frame++) {
        double begin = benchGetSeconds();
        run->flags |= solver->step(simulation, perFrame);
        busy += benchGetSeconds() - begin;
        run->substepCount += perFrame;
        double t = frame * perFrame * dt;
        BenchMotion motion = solver->read(simulation);
        if (hasLeft(run, &motion, &run->outOfRange)) {
            run->diverged = true;
            run->failedAt = t;
            break;
        }
        benchMeasure(&meter, t, &motion);
        if (trajectory != NULL) {
            writeFrame(trajectory, t, &motion, &meter.errors);
        }
        *stopped = progress != NULL && !progress(context, (double)frame / framesTotal);
    }
    run->errors = run->diverged ? benchGetNoErrors() : benchFinishMeter(&meter);
    run->timePerSubstep = 1.0e6 * busy / run->substepCount;
}

pbdrStatus benchRun(const BenchSolver* solver, const BenchScene* scene, const BenchOptions* options,
                    FILE* trajectory, BenchProgress progress, void* context, BenchRun* run, bool* stopped,
                    pbdrError* error)
{
    double dt = options->timeStep;
    *stopped = false;
    if (options->duration / dt > BENCH_MAX_SUBSTEPS || FRAME / dt > BENCH_MAX_SUBSTEPS) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "%g s in substeps of %g s are more than %g substeps", options->duration, dt,
                        BENCH_MAX_SUBSTEPS);
    }
    int perFrame = dt < FRAME ? (int)nearbyint(FRAME / dt) : 1;
    int frames = (int)nearbyint(options->duration / (perFrame * dt));
    frames = frames > 0 ? frames : 1;
    *run = (BenchRun){
        .solver = solver,
        .test = scene->test,
        .options = *options,
        .ablation = solver->ablatable ? options->ablation : 0,
        .seed = scene->seed,
        .particleCount = scene->spheres.count,
        .mu = scene->mu,
        .force = scene->forceSize,
        .turn = scene->turn,
        .shift = scene->shift,
        .sphereRadius = scene->spheres.radii[0],
        .duration = frames * perFrame * dt,
        .failedAt = (double)NAN,
    };
    void* simulation = solver->create(scene, options, error);
    if (simulation == NULL) {
        return error != NULL ? error->status : pbdr_statusNoMemory;
    }
    run->simd = solver->getSimd(simulation);
    run->floorPosition = benchGetPositionFloor(scene, run->duration, dt);
    run->floorRotation = benchGetRotationFloor(scene, run->duration, dt);
    simulate(solver, simulation, frames, perFrame, trajectory, progress, context, scene, run, stopped);
    solver->destroy(simulation);
    return pbdr_statusOk;
}
