// One run of many bodies: what it costs and what it keeps.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "many/many.h"

#include "isolate.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

// Contacts are looked at in every substep, of very many bodies in every tenth.
#define LOOK_BODIES 2000
#define LOOK_STRIDE 10
// The true overlap, from poses, in every so many.
#define TRUE_STRIDE 20

// A run may take this much wall time: its processor time by so much on a busy machine, and set-up.
#define WALL_SHARE 6.0
#define WALL_SETUP 120.0 // [s]
#define MEMORY 16000     // [MB]

static double getCpuSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

// --- What bodies have ---

typedef struct Motion {
    double energy;            // kinetic and potential, zero at z = 0 [J]
    double speed, pointSpeed; // largest [m/s]
    double drift;             // largest [m]
} Motion;

// poses: filled, one for each body.
static Motion readAll(const ManyScene* scene, const ManySolver* solver, void* simulation, pbdrPose* poses)
{
    Motion all = {0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < scene->bodyCount; k++) {
        const ManyBody* body = &scene->bodies[k];
        const ManyShape* shape = &scene->shapes[body->shape];
        pbdrVelocity velocity;
        poses[k] = body->start;
        if (body->fixed) {
            continue;
        }
        solver->read(simulation, k, &poses[k], &velocity);
        const pbdrPose pose = poses[k];
        const pbdrVec3 spin = benchUnrotate(pose.rotation, velocity.angular);
        const double speed = benchLength(velocity.linear);
        all.energy += shape->mass * PBDR_DEFAULT_GRAVITY * pose.position.z +
                      0.5 * shape->mass * speed * speed +
                      0.5 * benchDot(spin, benchMulMV(&shape->inertia, spin));
        // written so that a NaN, which fmax passes over, is kept
        all.speed = speed <= all.speed ? all.speed : speed;
        all.pointSpeed = fmax(all.pointSpeed, speed + shape->reach * benchLength(spin));
        all.drift = fmax(all.drift, benchLength(benchSub(pose.position, body->start.position)));
    }
    return all;
}

// --- The run ---

static int compareTimes(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

// times: one per substep done; sorted by this.
static void setCosts(ManyResult* result, double* times, int count)
{
    double sum = 0.0, last = 0.0;
    const int quarter = count / 4;
    for (int k = 0; k < count; k++) {
        sum += times[k];
        last += k >= count - quarter ? times[k] : 0.0;
    }
    qsort(times, (size_t)count, sizeof *times, compareTimes);
    result->cpuMean = sum / count;
    result->cpuLast = quarter > 0 ? last / quarter : (double)NAN;
    result->cpuP99 = times[(count * 99) / 100];
    result->cpuMost = times[count - 1];
}

typedef struct Sums {
    double contacts, newtonSteps, least; // least: of the energy [J]
    int looks;
    pbdrPose* poses;      // of all bodies
    ManySpheres* spheres; // of all shapes; NULL: they are what the scene says
} Sums;

static void lookAtStep(const ManyJob* job, void* simulation, ManyResult* result, Sums* sums, int done,
                       int total)
{
    ManyStep step;
    job->solver->look(simulation, &step);
    sums->looks++;
    sums->contacts += step.contacts;
    sums->newtonSteps += step.newtonSteps;
    result->overlap = fmax(result->overlap, step.overlap);
    if (done > total - total / 4) {
        result->overlapLast = fmax(result->overlapLast, step.overlap);
    }
    result->contacts = sums->contacts / sums->looks;
    result->newtonSteps = sums->newtonSteps / done;
}

// False once nothing sensible can come any more.
static bool followMotion(const ManyScene* scene, const ManyJob* job, void* simulation, ManyResult* result,
                         Sums* sums)
{
    const Motion now = readAll(scene, job->solver, simulation, sums->poses);
    if (!isfinite(now.energy) || !isfinite(now.speed)) {
        snprintf(result->outcome, sizeof result->outcome, "diverged");
        snprintf(result->problem, sizeof result->problem, "not finite at t = %g s", result->simulated);
        return false;
    }
    result->energyRise = fmax(result->energyRise, now.energy - sums->least);
    sums->least = fmin(sums->least, now.energy);
    result->speedEnd = now.speed;
    result->pointSpeedEnd = now.pointSpeed;
    result->movesUntil = now.pointSpeed > MANY_REST ? result->simulated : result->movesUntil;
    result->drift = now.drift;
    if ((int)result->substeps % TRUE_STRIDE == 0) {
        const double depth = manyMeasureOverlap(scene, sums->poses, sums->spheres);
        result->trueOverlap = depth <= result->trueOverlap ? result->trueOverlap : depth; // a NaN stays
    }
    return true;
}

static void stepAll(const ManyScene* scene, const ManyJob* job, void* simulation, Sums sums, double* times,
                    int total, ManyResult* result, volatile double* share)
{
    const int stride = scene->bodyCount > LOOK_BODIES ? LOOK_STRIDE : 1;
    sums.least = readAll(scene, job->solver, simulation, sums.poses).energy;
    double spent = 0.0;
    int done = 0;
    result->energyStart = sums.least;
    while (done < total && result->outcome[0] == 0) {
        const double begun = getCpuSeconds();
        const uint32_t flags = job->solver->step(simulation);
        times[done] = getCpuSeconds() - begun;
        spent += times[done++];
        result->substeps = done;
        result->simulated = done * scene->timeStep;
        result->cpuMean = spent / done; // for whoever ends this before its time
        result->flagged += (flags & (pbdr_stepNotConverged | pbdr_stepPairsFull)) != 0;
        *share = (double)done / total;
        if (done % stride == 0) {
            lookAtStep(job, simulation, result, &sums, done, total);
        }
        if (followMotion(scene, job, simulation, result, &sums) && spent > job->limit && done < total) {
            snprintf(result->outcome, sizeof result->outcome, "limit");
            snprintf(result->problem, sizeof result->problem, "%g s of processor time are over at t = %g s",
                     job->limit, result->simulated);
        }
    }
    setCosts(result, times, done);
}

static void runShared(const ManyJob* job, ManyResult* result, volatile double* share)
{
    ManyScene scene;
    *result = (ManyResult){.contacts = (double)NAN, .newtonSteps = (double)NAN};
    if (!manyBuildScene(job->entry, job->meshPath, &scene, result->problem, sizeof result->problem)) {
        snprintf(result->outcome, sizeof result->outcome, "refused");
        return;
    }
    scene.timeStep = job->timeStep;
    scene.duration = job->duration;
    result->bodies = scene.movingCount;
    const int total = (int)fmax(1.0, floor(scene.duration / scene.timeStep + 0.5));
    double* times = malloc((size_t)total * sizeof *times);
    const bool bySpheres = job->solver->getSpheres != NULL;
    Sums sums = {.poses = calloc((size_t)scene.bodyCount + 1, sizeof *sums.poses),
                 .spheres = bySpheres ? calloc((size_t)scene.shapeCount + 1, sizeof *sums.spheres) : NULL};
    const bool room = times != NULL && sums.poses != NULL && (sums.spheres != NULL) == bySpheres;
    snprintf(result->problem, sizeof result->problem, "out of memory");
    void* simulation = room ? job->solver->create(&scene, result->problem) : NULL;
    if (simulation == NULL) {
        snprintf(result->outcome, sizeof result->outcome, "refused");
    } else {
        for (int k = 0; bySpheres && k < scene.shapeCount; k++) {
            sums.spheres[k] = job->solver->getSpheres(simulation, k);
        }
        result->problem[0] = 0;
        stepAll(&scene, job, simulation, sums, times, total, result, share);
        if (result->outcome[0] == 0) {
            snprintf(result->outcome, sizeof result->outcome, "measured");
        }
        job->solver->destroy(simulation);
    }
    free(sums.poses);
    free(sums.spheres);
    free(times);
    manyFreeScene(&scene);
}

void manyRun(const ManyJob* job, ManyResult* result)
{
    double share = 0.0;
    runShared(job, result, &share);
}

// --- A process of its own ---

typedef struct Apart {
    const ManyJob* job;
    ManyResult* shared;
} Apart;

static void work(void* context, void* result, volatile double* share)
{
    const Apart* apart = context;
    (void)result; // it comes back at the end only
    if (apart->job->crashes) {
        abort();
    }
    runShared(apart->job, apart->shared, share);
}

bool manyRunApart(const ManyJob* job, ManyResult* result, bool (*goOn)(void* context, double share),
                  void* context)
{
    *result = (ManyResult){.outcome = "crashed"};
    ManyResult* shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        snprintf(result->problem, sizeof result->problem, "no shared memory");
        return true;
    }
    Apart apart = {job, shared};
    const BenchLimits limits = {WALL_SETUP + WALL_SHARE * job->limit, MEMORY};
    char why[MANY_MESSAGE] = "", nothing = 0;
    const BenchEnd end =
        benchIsolate(work, &apart, &nothing, sizeof nothing, &limits, goOn, context, why, sizeof why);
    *result = *shared;
    munmap(shared, sizeof *shared);
    result->problem[sizeof result->problem - 1] = 0;
    result->outcome[sizeof result->outcome - 1] = 0;
    if (end == benchEndFailed) {
        const bool late = strstr(why, "took longer") != NULL;
        snprintf(result->outcome, sizeof result->outcome, "%s", late ? "timeout" : "crashed");
        snprintf(result->problem, sizeof result->problem, "%.60s after t = %g s",
                 late ? "a substep took too long" : why, result->simulated);
    }
    return end != benchEndStopped;
}
