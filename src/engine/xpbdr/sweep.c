// How islands of many bodies are solved, and small ones where Newton's method fails (sweep.h).
#include "engine/xpbdr/sweep.h"

#include "engine/xpbdr/kernels.h"

#include <string.h>

// An island is quiet if no contact would go in by more than this within the substep, and still below that [m].
#define QUIET 1.0e-5
#define STILL 1.0e-8
// Errors that end the sweeps [m]: in the middle of a clatter; as a share of what contacts would go in by, so that a pile
// that comes to rest is solved better and better; of one or two bodies.
#define ENOUGH 5.0e-6
#define SHARE 0.05
#define FEW_SHARE 1.0e-10
// Few bodies: solved to the end, whatever happens.
#define FEW 2
// Sweeps without friction of what is set down, and how near contacts are that bear load then [m].
#define NEAR 1.0e-9
#define COLD_SWEEPS 10
// Sweeps at least, at most in a round, and at most where more is left than may be.
#define LEAST_SWEEPS 4
#define ROUND_SWEEPS 60
#define MOST_SWEEPS 600
// Rounds of contacts that the sweeps drove in, and by how much that is, when quiet and not [m].
#define MOST_ROUNDS 4
#define QUIET_DEEP 1.0e-10
#define DEEP 1.0e-6
// Sweeps before the first exact solve, when quiet and not, and solves that may come to nothing.
#define QUIET_INTERVAL 6
#define INTERVAL 30
#define QUIET_FAILURES 4
#define FAILURES 2
// With the efforts exact and fast.
#define EXACT_FAILURES 12
#define FAST_SWEEPS 10
// Energy that contacts may give in a substep: rounding [J].
#define NO_GAIN 1.0e-12
// Motion is exact, and may follow mean velocities, where contacts are as near to their laws as this [m].
#define EXACT 1.0e-12

// --- Start ---

void pbdrPushRows(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        pbdrTwist free = pbdrGetFreeAcceleration(pbdrGetBody(solve->world->scene, mover->body), mover);
        free = pbdrScaleTwist(1.0 / solve->perStep, &free);
        sweeps->motions[k] = (pbdrSweepMotion){{0.0}};
        memcpy(sweeps->motions[k].v, free.v, sizeof free.v);
    }
    sweeps->motions[solve->moverCount] = (pbdrSweepMotion){{0.0}};
    solve->world->kernels->pushGroups(sweeps->groups, 0, sweeps->groupCount, sweeps->rows, sweeps->motions);
}

// How far contacts would go in without forces, at most [m].
static double getApproach(const pbdrSweeps* sweeps)
{
    double deepest = 0.0;
    for (int k = 0; k < sweeps->rowCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            deepest = fmin(deepest, sweeps->rows[k].ahead[lane]);
        }
    }
    return -deepest;
}

// Whether no row bears anything yet.
static bool isCold(const pbdrSweeps* sweeps)
{
    double most = 0.0;
    for (int k = 0; k < sweeps->rowCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            most = fmax(most, sweeps->rows[k].force[lane]);
        }
    }
    return most == 0.0;
}

static void sweepOnce(pbdrSweeps* sweeps, bool backwards)
{
    sweeps->error = sweeps->solve->world->kernels->sweepGroups(sweeps->groups, 0, sweeps->groupCount,
                                                               backwards, sweeps->rows, sweeps->motions);
}

// Normal forces of bodies that are set down. Bodies rock while sweeps find them, and friction would take that for motion,
// and keep a force that nothing calls for.
static void sweepWithoutFriction(pbdrSweeps* sweeps)
{
    for (int k = 0; k < sweeps->groupCount; k++) {
        memset(sweeps->groups[k].mu, 0, sizeof sweeps->groups[k].mu);
    }
    for (int k = 0; k < COLD_SWEEPS; k++) {
        sweepOnce(sweeps, k % 2 == 1);
    }
    pbdrSolveSubspace(sweeps, NEAR);
    for (int k = 0; k < sweeps->groupCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            const int patch = sweeps->groups[k].patch[lane];
            sweeps->groups[k].mu[lane] = patch >= 0 ? sweeps->solve->activePatches[patch].law.mu : 0.0;
        }
    }
}

// --- Energy ---

// What contacts add to the energy of bodies that move with their end velocities: sum f.(dt J V+) - |V+ - V|^2_M/2. Where
// every contact keeps its law this is not above zero (docs/theory/xpbdr.md).
static double getGain(const pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    double gain =
        solve->world->kernels->sumWork(sweeps->groups, sweeps->groupCount, sweeps->rows, sweeps->motions);
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        const double* y = sweeps->motions[k].v;
        const pbdrVec3 u = {y[0], y[1], y[2]}, w = {y[3], y[4], y[5]};
        gain -=
            0.5 * solve->perStep * (mover->mass * pbdrDot(u, u) + pbdrDot(w, pbdrMulMV(&mover->inertia, w)));
    }
    return gain;
}

// --- The island ---

// How an island's sweeps go on.
typedef struct Course {
    bool quiet;
    double goal, aim;       // errors that end a round, and all [m]
    double worst;           // error that must not stay [m]
    int sweeps, most;       // so far, and in a round at most
    int interval, next;     // sweeps between exact solves, and when the next one is due
    int failures, patience; // solves that came to nothing, and how many may
} Course;

static bool isDone(const pbdrSweeps* sweeps, const Course* course)
{
    return sweeps->error <= sweeps->rounding ||
           (sweeps->error <= course->goal && course->sweeps >= LEAST_SWEEPS && getGain(sweeps) <= NO_GAIN);
}

// Whether the user's limit on Newton's steps leaves room for an exact solve.
static bool mayStep(const pbdrSolve* solve)
{
    const int most = solve->world->scene->maxNewtonSteps;
    return most == 0 || solve->steps + PBDR_SUBSPACE_STEPS <= most;
}

// Sweeps, and exact solves in between, to the goal or the end of patience.
static void sweepRound(pbdrSweeps* sweeps, Course* course)
{
    const int last = course->sweeps + course->most;
    do {
        sweepOnce(sweeps, course->sweeps % 2 == 1);
        course->sweeps++;
        if (course->sweeps >= course->next && course->failures < course->patience &&
            sweeps->error > course->goal && mayStep(sweeps->solve)) {
            if (!pbdrSolveSubspace(sweeps, -1.0)) {
                course->failures++;
                course->interval *= 2;
            }
            course->next = course->sweeps + course->interval;
        }
    } while (!isDone(sweeps, course) &&
             (course->sweeps < last || (sweeps->error > course->worst && course->sweeps < MOST_SWEEPS)));
}

// How far an island is to be solved, and how: by what it does, and by the user's effort.
static Course planCourse(const pbdrSweeps* sweeps, double worst)
{
    const pbdrEffort effort = sweeps->solve->world->scene->effort;
    const double approach = getApproach(sweeps);
    const bool few = sweeps->solve->moverCount <= FEW;
    const bool whole = effort == pbdr_effortExact;
    const double share = few || whole ? FEW_SHARE : approach > STILL ? SHARE : 0.0;
    Course course = {.worst = worst, .quiet = approach < QUIET || few || whole};
    course.patience = whole ? EXACT_FAILURES : course.quiet ? QUIET_FAILURES : FAILURES;
    course.interval = course.next = course.quiet ? QUIET_INTERVAL : INTERVAL;
    course.most = ROUND_SWEEPS;
    course.aim = sweeps->rounding + fmin(share * approach, ENOUGH);
    course.goal = fmax(course.aim, fmin(ENOUGH, 2.0 * SHARE * approach));
    if (effort == pbdr_effortFast) {
        course.patience = 0;
        course.most = FAST_SWEEPS;
        course.aim = course.goal;
    }
    return course;
}

// Sweeps with the contacts that are driven in as well, then to the aim. False without memory.
static bool sweepRounds(pbdrSweeps* sweeps, double worst)
{
    Course course = planCourse(sweeps, worst);
    if (course.quiet && course.patience > 0 && mayStep(sweeps->solve) && isCold(sweeps)) {
        sweepWithoutFriction(sweeps);
        pbdrSolveSubspace(sweeps, -1.0);
    }
    for (int round = 0;; round++) {
        sweepRound(sweeps, &course);
        const double deep = course.quiet ? fmax(QUIET_DEEP, 10.0 * sweeps->error) : DEEP;
        const int added = round < MOST_ROUNDS ? pbdrAddDeepRows(sweeps, deep) : 0;
        if (added < 0) {
            return false;
        }
        if (added == 0) {
            if (course.goal == course.aim || sweeps->error <= course.aim) {
                sweeps->solve->island->stepCount = sweeps->solve->steps;
                sweeps->solve->island->sweepCount = course.sweeps;
                return true;
            }
            course.goal = course.aim;
        }
    }
}

void pbdrSweepIsland(pbdrSolve* solve)
{
    pbdrIsland* island = solve->island;
    const double gravity = pbdrLength(solve->world->scene->gravity) / solve->perStep;
    const double worst = fmax(PBDR_BAD_REST, gravity);
    pbdrSweeps sweeps;
    solve->state = solve->steps = 0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        // rows bear forces of their own
        const pbdrActivePatch* active = &solve->activePatches[k];
        pbdrKeepLoad(active, false, pbdrGetPatch(&solve->world->candidates, active->patch));
    }
    pbdrPrepareIsland(solve);
    bool good = pbdrMakeSweeps(solve, &sweeps);
    if (good) {
        pbdrPushRows(&sweeps);
        good = sweepRounds(&sweeps, worst);
    }
    if (!good) {
        island->flags |= pbdr_stepPairsFull;
        return;
    }
    // without what rounding left of so many changes
    pbdrPushRows(&sweeps);
    for (int k = 0; k < solve->moverCount; k++) {
        memcpy(solve->movers[k].y.v, sweeps.motions[k].v, sizeof solve->movers[k].y.v);
        solve->movers[k].swept = true;
    }
    pbdrFinishSweeps(&sweeps, sweeps.error <= EXACT);
    island->residual = sweeps.error / (sweeps.error + gravity);
    island->flags |= sweeps.error <= worst ? 0 : pbdr_stepNotConverged;
}
