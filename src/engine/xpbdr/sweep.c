// How islands of many bodies are solved, and small ones where Newton's method fails (sweep.h).
#include "engine/xpbdr/sweep.h"

#include <string.h>

// An island is quiet if no contact would go in by more than this within the substep, and still if none would move by
// more than that [m].
#define QUIET 1.0e-5
#define STILL 1.0e-8
// And smooth if none goes in by more than this: what slides and does not tumble [m].
#define SMOOTH 1.0e-9
// Errors that end the sweeps [m]: in the middle of a clatter; as a share of the way that contacts move, so that a pile
// that comes to rest is solved better and better; that exact solves must reach, and that they try to.
#define ENOUGH 8.0e-6
#define SHARE 0.02
#define FINE 1.0e-4
#define EXACTLY 1.0e-11
// Rounding of forces, over that of gaps, and at least [m]. A tower of fifty moves by a thousand times what its rows are
// off by. After a substep that took exact solves it counts for less.
#define ROUNDED 4.0e-5
#define LEAST_ROUNDING 5.0e-19
// Over the way that gravity makes in a substep, whose forces are rounded.
#define GRAVITY_ROUNDING 5.0e-14
#define AGAIN 0.5
// Few bodies: solved to the end, whatever happens.
#define FEW 2
// Some: solved exactly as soon as sweeps take long; more of them only where sweeps would give up.
#define SOME 32
// Sweeps without friction of what is set down, and how near contacts are that bear load then [m].
#define NEAR 1.0e-9
#define COLD_SWEEPS 10
// In a clatter one sweep of so many visits all contacts, the others those that were farther from their laws than a share
// of what will do.
#define WHOLE 8
#define PARTLY 0.3
// Sweeps at least, at most in a round, and at most where more is left than may be.
#define LEAST_SWEEPS 4
#define ROUND_SWEEPS 400
#define MOST_SWEEPS 10000
#define STILL_SWEEPS 4000
// From then on bounds of friction follow by and by.
#define DAMPED_FROM 60
// They end when so many do not reduce the error by some share: where there is no solution, forces would grow without end.
#define STALLED 3000
#define BETTER 0.8
// So many do where the error is nearly rounding: so many times that.
#define ROUND_STALLED 32
#define NEARLY 1.0e3
// Rounds of contacts that the sweeps drove in, and by how much that is when not quiet [m].
#define MOST_ROUNDS 4
#define DEEP 1.0e-6
// Sweeps before the first exact solve, of what is still and of what moves, and solves that may come to nothing: of few
// bodies, and of what is still.
#define INTERVAL 6
#define MOVING_INTERVAL 12
#define FAILURES 2
#define STILL_FAILURES 2
// Newton's steps from which on an exact solve of many bodies is dear, unless they hardly move [m]: like one that failed it is
// tried again more and more seldom. A pile in which one box slides on would be solved to rounding in every substep.
#define DEAR_STEPS 30
#define HARDLY 1.0e-12
// Where no solve and no sweeps end, what neither moves nor would move by more than a share of gravity's way in a substep
// stands still. Forces are off by less than that share of the weight, which is what counts as solved.
#define STANDS 1.0e-3
// With the efforts exact and fast.
#define EXACT_FAILURES 4
#define FAST_SWEEPS 10
// Energy that contacts may give in a substep: rounding [J].
#define NO_GAIN 1.0e-10
// Motion is exact, and may follow mean velocities, where contacts are as near to their laws as this [m].
#define EXACT 1.0e-12

// --- Start ---

// How far contacts of a part would go in without forces, how far their points go, and what they bear.
static void measurePart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    double deepest = 0.0, pace = 0.0, load = 0.0;
    for (int k = 0; k < part->layers[0].count; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[part->layers[0].first + k];
        for (int i = group->firstRow; i < group->firstRow + group->rowCount; i++) {
            const pbdrSweepRow* row = &sweeps->rows[i];
            for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
                const pbdrVec3 way = pbdrReadLane(&row->way, lane);
                deepest = pbdrMin(deepest, row->ahead[lane]);
                pace = pbdrMax(pace, pbdrDot(way, way));
                load = pbdrMax(load, row->force[lane]);
            }
        }
    }
    part->approach = -deepest;
    part->pace = pace;
    part->load = load;
}

// The same of the island.
typedef struct Measures {
    double approach, pace; // [m]
    bool cold;             // no row bears anything yet
} Measures;

static Measures measure(pbdrSweeps* sweeps)
{
    double approach = 0.0, pace = 0.0, load = 0.0;
    pbdrRunParts(sweeps, measurePart);
    for (int k = 0; k < sweeps->partCount; k++) {
        approach = fmax(approach, sweeps->parts[k].approach);
        pace = fmax(pace, sweeps->parts[k].pace);
        load = fmax(load, sweeps->parts[k].load);
    }
    return (Measures){approach, sqrt(pace), load == 0.0};
}

// Normal forces of bodies that are set down. Bodies rock while sweeps find them, and friction would take that for motion,
// and keep a force that nothing calls for.
static void sweepWithoutFriction(pbdrSweeps* sweeps)
{
    for (int k = 0; k < sweeps->groupCount; k++) {
        memset(sweeps->groups[k].mu, 0, sizeof sweeps->groups[k].mu);
    }
    pbdrSweep(sweeps, COLD_SWEEPS - 1, pbdr_sweepForwards, 0.0);
    pbdrSolveSubspace(sweeps, NEAR, pbdr_solveHard);
    for (int k = 0; k < sweeps->groupCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            const int patch = sweeps->groups[k].patch[lane];
            sweeps->groups[k].mu[lane] = patch >= 0 ? sweeps->solve->activePatches[patch].law.mu : 0.0;
        }
    }
}

// Rows bear nothing, and bodies move so.
static void dropForces(pbdrSweeps* sweeps)
{
    for (int k = 0; k < sweeps->rowCount; k++) {
        memset(sweeps->rows[k].force, 0, sizeof sweeps->rows[k].force);
        memset(&sweeps->rows[k].friction, 0, sizeof sweeps->rows[k].friction);
    }
    pbdrPushRows(sweeps);
}

// What is set down: all that is near holds and sticks, as in an arch; or normal forces come first.
static void startCold(pbdrSweeps* sweeps, double aim)
{
    sweeps->error = (double)INFINITY;
    if (pbdrSolveSubspace(sweeps, NEAR, pbdr_solveHard) && sweeps->error <= aim) {
        return;
    }
    dropForces(sweeps);
    sweepWithoutFriction(sweeps);
    pbdrSolveSubspace(sweeps, (double)-INFINITY, pbdr_solveHard);
}

// --- The island ---

// How an island's sweeps go on.
typedef struct Course {
    bool quiet;             // nothing hits anything
    double finest;          // error that is rounding [m]
    double aim;             // that exact solves must reach [m]
    double enough;          // that will do where there is none
    double worst;           // that must not stay
    int most;               // sweeps of a round
    int interval, next;     // sweeps between exact solves, and when the next one is due
    bool hard;              // exact solves may take many steps
    bool solved;            // one of them came to something
    bool rescued;           // one was made for what sweeps left
    bool rough;             // what moves on need not be solved to rounding
    bool dear;              // exact solves of many steps are
    double still;           // ways below it may end in a stand [m]
    bool mayStand;          // and contacts make none that are longer
    bool stood;             // nothing moves since a stand, and no exact solve is due
    int failures, patience; // solves that came to nothing, and how many may
} Course;

static bool isDone(pbdrSweeps* sweeps, const Course* course)
{
    if (sweeps->error <= course->finest) {
        return true;
    }
    const bool spent = course->failures >= course->patience && sweeps->count >= LEAST_SWEEPS;
    const double enough = spent                             ? course->enough
                          : course->solved || course->rough ? course->aim
                                                            : sweeps->aim;
    return sweeps->error <= enough && pbdrGetSweepGain(sweeps) <= NO_GAIN;
}

// Whether no point of a body would move by as much as that at the end of the sweeps [m].
static bool moveLess(const pbdrSweeps* sweeps, double most)
{
    const pbdrSolve* solve = sweeps->solve;
    const double dt = solve->world->scene->timeStep;
    bool less = true;
    for (int k = 0; k < solve->moverCount && less; k++) {
        const pbdrBody* body = pbdrGetBody(solve->world->scene, solve->movers[k].body);
        const double* y = sweeps->motions[k].v;
        const double radius = fmax(body->shape->surface.radius, body->shape->reach);
        less = pbdrLength(pbdrAddScaled(pbdrVec(y[0], y[1], y[2]), dt, body->velocity)) +
                   radius * pbdrLength(pbdrAddScaled(pbdrVec(y[3], y[4], y[5]), dt, body->angular)) <
               most;
    }
    return less;
}

// Whether the user's limit on Newton's steps leaves room for an exact solve.
static bool mayStep(const pbdrSolve* solve)
{
    const int most = solve->world->scene->maxNewtonSteps;
    return most == 0 || solve->steps + PBDR_SUBSPACE_STEPS <= most;
}

// A sweep over all contacts, after some over those that need it most. Where sweeps go round in circles, because friction
// follows the normal forces and they follow friction, bounds that follow by and by end that.
static void sweepSome(pbdrSweeps* sweeps, const Course* course)
{
    const pbdrSweepKind kind = sweeps->count > DAMPED_FROM ? pbdr_sweepDamped : pbdr_sweepForwards;
    const bool partly = !course->quiet && sweeps->count > LEAST_SWEEPS;
    pbdrSweep(sweeps, partly ? WHOLE - 1 : 0, kind, PARTLY * course->enough);
}

// Sweeps, and exact solves in between, to the aim or the end of patience.
static void sweepRound(pbdrSweeps* sweeps, Course* course)
{
    const int last = sweeps->count + course->most;
    double best = (double)INFINITY;
    int since = sweeps->count; // the last sweep that was better by some share
    bool stalled = false;
    do {
        sweepSome(sweeps, course);
        if (sweeps->count >= course->next && sweeps->error > course->aim &&
            course->failures < course->patience && mayStep(sweeps->solve)) {
            if (pbdrSolveSubspace(sweeps, (double)-INFINITY,
                                  course->hard ? pbdr_solveHard : pbdr_solveEasy)) {
                course->solved = true;
            } else {
                course->failures++;
                course->interval *= 2;
            }
            course->next = sweeps->count + course->interval;
        }
        const bool ends = sweeps->count - since >= STALLED || sweeps->count >= MOST_SWEEPS - WHOLE ||
                          (sweeps->count >= last && sweeps->solve->moverCount <= SOME);
        if (ends && sweeps->error > course->worst && !course->rescued && mayStep(sweeps->solve)) {
            // friction and normal forces that chase each other: in some substeps of a thousand
            course->rescued = true;
            pbdrSolveSubspace(sweeps, (double)-INFINITY, pbdr_solveStubborn);
        }
        if (sweeps->error < BETTER * best) {
            best = sweeps->error;
            since = sweeps->count;
        }
        stalled =
            sweeps->count - since >= (sweeps->error > NEARLY * course->finest ? STALLED : ROUND_STALLED);
    } while (!isDone(sweeps, course) && !stalled &&
             !(course->stood && sweeps->count >= LEAST_SWEEPS && moveLess(sweeps, course->still)) &&
             (sweeps->count < last || (sweeps->error > course->worst && sweeps->count < MOST_SWEEPS)));
}

// How often exact solves of the island's bodies have come to nothing, one substep after another.
static int getFailures(const pbdrSolve* solve)
{
    int most = 0;
    for (int k = 0; k < solve->moverCount; k++) {
        const int own = pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->failures;
        most = own > most ? own : most;
    }
    return most;
}

// Whether exact solves found the island's forces in the last substep.
static bool wasSolved(const pbdrSolve* solve)
{
    bool solved = true;
    for (int k = 0; k < solve->moverCount; k++) {
        solved = solved && pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->failures == PBDR_SOLVED;
    }
    return solved;
}

// Whether all its bodies have the velocity zero, to the bit.
static bool isAtRest(const pbdrSolve* solve)
{
    bool rests = true;
    for (int k = 0; k < solve->moverCount && rests; k++) {
        const pbdrBody* body = pbdrGetBody(solve->world->scene, solve->movers[k].body);
        rests = pbdrDot(body->velocity, body->velocity) + pbdrDot(body->angular, body->angular) == 0.0;
    }
    return rests;
}

// How far an island is to be solved, and how: by what it does, and by the user's effort.
static Course planCourse(pbdrSweeps* sweeps, const Measures* measures, double worst)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrEffort effort = solve->world->scene->effort;
    const double approach = measures->approach, pace = measures->pace;
    // few bodies are solved to the end, but where they tumble
    const bool tumbles = pace >= STILL && approach > SMOOTH;
    const bool whole = effort == pbdr_effortExact || (solve->moverCount <= FEW && !tumbles);
    Course course = {.worst = worst, .most = ROUND_SWEEPS, .quiet = approach < QUIET || whole};
    // exact solves of what moves must be easy; where they failed they are tried more and more seldom
    const uint64_t turn = solve->world->scene->substepCount + (uint64_t)solve->movers[0].body;
    const int failures = getFailures(solve);
    const bool due = turn % ((uint64_t)1 << failures) == 0;
    course.hard = whole || pace < STILL;
    sweeps->moves = pace >= STILL;
    course.rough = sweeps->moves && !whole;
    course.interval = course.next = course.rough ? MOVING_INTERVAL : INTERVAL;
    course.patience = effort == pbdr_effortExact      ? EXACT_FAILURES
                      : !course.quiet || !due         ? 0
                      : whole                         ? FAILURES
                      : pace < STILL && failures == 0 ? STILL_FAILURES
                                                      : 1;
    // forces that stopped a motion would start it again the other way
    const double fall = pbdrLength(solve->world->scene->gravity) / solve->perStep;
    course.finest = (wasSolved(solve) ? AGAIN : 1.0) *
                    fmax(ROUNDED * sweeps->rounding, fmax(LEAST_ROUNDING, GRAVITY_ROUNDING * fall));
    course.aim = course.finest + FINE * pace;
    // what slides on smoothly is solved to rounding, what tumbles is not
    sweeps->aim = tumbles && course.rough ? course.aim : course.finest + EXACTLY * fmin(approach, pace);
    course.enough = course.aim + fmin(SHARE * pace, ENOUGH);
    if (pace < STILL) {
        // what is set down is swept until it stands, and less in the substeps after it where it does not
        const int shorter = STILL_SWEEPS >> 2 * failures;
        course.most = shorter > course.most ? shorter : course.most;
    }
    course.dear = solve->moverCount > SOME && pace > HARDLY && effort != pbdr_effortExact;
    course.still = STANDS * fall;
    course.mayStand = pace < course.still;
    course.stood = failures > 0 && course.patience == 0 && pace == 0.0 && isAtRest(solve);
    const double tolerance = solve->world->scene->tolerance;
    if (tolerance > 0.0 && pace >= STILL) {
        course.aim = course.enough = sweeps->aim = fmax(course.finest, worst * tolerance / PBDR_BAD_RESIDUAL);
    } else if (effort == pbdr_effortExact) {
        course.enough = course.aim;
    }
    if (effort == pbdr_effortFast) {
        course.rescued = true;
        course.patience = 0;
        course.most = FAST_SWEEPS;
    }
    return course;
}

// Sweeps with the contacts that are driven in as well. False without memory.
static bool sweepRounds(pbdrSweeps* sweeps, double worst, Course* course)
{
    const Measures measures = measure(sweeps);
    *course = planCourse(sweeps, &measures, worst);
    if (course->quiet && course->patience > 0 && mayStep(sweeps->solve) && measures.cold) {
        course->hard = true; // nothing tells how they slide
        startCold(sweeps, course->aim);
    }
    int added = 1;
    for (int round = 0; added > 0; round++) {
        sweepRound(sweeps, course);
        const double deep = course->quiet ? fmax(sweeps->rounding, 10.0 * sweeps->error) : DEEP;
        added = round < MOST_ROUNDS ? pbdrAddDeepRows(sweeps, deep) : 0;
    }
    return added == 0;
}

// What the next substep is to know of this one's exact solves.
static void noteFailures(const pbdrSolve* solve, const Course* course, bool solved)
{
    const int last = getFailures(solve);
    const bool dear = course->dear && solve->steps > DEAR_STEPS;
    const int most = isAtRest(solve) ? PBDR_MOST_STANDS : PBDR_MOST_FAILURES;
    const int failures = solved && !dear                ? (solve->steps > 0 ? PBDR_SOLVED : 0)
                         : dear || course->failures > 0 ? (last < most ? last + 1 : most)
                         : last < most                  ? last
                                                        : most;
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrGetXpbdrBody(solve->world, solve->movers[k].body)->failures = failures;
    }
}

// Overlaps stay after all, and forces begin anew: where bodies have no room to be parted, sweeps that part them would let
// forces grow without end.
static void keepOverlaps(pbdrSweeps* sweeps)
{
    const pbdrItems* items = pbdrGetItems(sweeps->solve);
    const double *ahead = pbdrGetColumn(items, ITEM_AHEAD),
                 *state = pbdrGetColumn(items, ITEM_STATE + 4 * sweeps->solve->state);
    for (int k = 0; k < sweeps->rowCount; k++) {
        pbdrSweepRow* row = &sweeps->rows[k];
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            const int item = row->item[lane];
            if (item >= 0) {
                const double gap =
                    ahead[item] - pbdrDot(pbdrReadLane(&row->n, lane), pbdrReadLane(&row->way, lane));
                row->ahead[lane] = state[item] - fmin(gap, 0.0);
            }
        }
    }
    sweeps->count = 0;
    dropForces(sweeps);
}

// Ends all motion, where that is allowed.
static void standStill(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    const double dt = solve->world->scene->timeStep;
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrBody* body = pbdrGetBody(solve->world->scene, mover->body);
        const pbdrTwist y = pbdrMakeTwist(pbdrScale(-dt, body->velocity), pbdrScale(-dt, body->angular));
        memcpy(sweeps->motions[k].v, y.v, sizeof y.v);
        mover->stands = true;
    }
}

void pbdrSweepIsland(pbdrSolve* solve)
{
    pbdrIsland* island = solve->island;
    const double worst = fmax(PBDR_BAD_REST, pbdrLength(solve->world->scene->gravity) / solve->perStep);
    pbdrSweeps sweeps;
    solve->state = solve->steps = 0;
    solve->swept = true;
    Course course = {.quiet = false};
    bool good = pbdrMakeSweeps(solve, &sweeps);
    if (good) {
        pbdrPushRows(&sweeps);
        good = sweepRounds(&sweeps, worst, &course);
    }
    if (good && sweeps.error > worst) {
        island->flags |= pbdr_stepNotConverged;
        keepOverlaps(&sweeps);
        good = sweepRounds(&sweeps, worst, &course);
    }
    if (!good) {
        island->flags |= pbdr_stepPairsFull;
        return;
    }
    // without what rounding left of so many changes
    pbdrPushRows(&sweeps);
    if (course.mayStand && !isDone(&sweeps, &course) && moveLess(&sweeps, course.still)) {
        standStill(&sweeps);
    } else if (sweeps.error > course.finest) {
        const double gain = pbdrGetSweepGain(&sweeps);
        if (gain > NO_GAIN) {
            pbdrTakeGainOut(&sweeps, gain);
        }
    }
    for (int k = 0; k < solve->moverCount; k++) {
        memcpy(solve->movers[k].y.v, sweeps.motions[k].v, sizeof solve->movers[k].y.v);
        solve->movers[k].swept = true;
    }
    noteFailures(solve, &course, sweeps.error <= course.aim);
    pbdrFinishSweeps(&sweeps, sweeps.error <= EXACT);
    island->stepCount = solve->steps;
    island->sweepCount = sweeps.count;
    island->residual = PBDR_BAD_RESIDUAL * sweeps.error / worst;
}
