// Exact solves of what sweeps hold (sweep.h): the method of multipliers, with a convex problem in each of its steps
// (subspace_energy.c).
#include "engine/xpbdr/subspace.h"

#include "engine/xpbdr/kernels.h"

#include <string.h>

// Stiffness of a row over that of its bodies: for the first multipliers, and for those that follow.
#define SOFT 1.0e5
#define STIFF 1.0e8
// They end when some in a row leave more than a share of what was.
#define SHARE 0.5
#define PATIENCE 3
// An easy solve ends after so many multipliers that leave more than that share of the least that any left: bounds and forces
// of what moves go round in circles.
#define CIRCLE 3
// Steps within which a minimum is near, and how much stiffer rows are after it.
#define QUICK 6
#define HARDER 10.0
// What is left counts as nothing [m], or as a share of what is aimed at.
#define DONE 1.0e-18
#define ENOUGH 0.1
// Bounds of friction and normal forces may chase each other: from so many multipliers on a stubborn solve keeps a share of
// the last bounds.
#define CHASED 4
#define KEPT 0.5
// Bodies of a small island.
#define SMALL 32

// What a solve may take.
typedef struct Limits {
    int updates; // of multipliers
    int steps;   // Newton's, to a minimum
    int budget;  // before no other multipliers are tried
} Limits;

static Limits getLimits(const pbdrSweeps* sweeps, pbdrSolveEffort effort)
{
    return effort < pbdr_solveStubborn         ? (Limits){40, 25, 120}
           : sweeps->solve->moverCount > SMALL ? (Limits){40, 60, 240}
                                               : (Limits){200, 60, 800};
}

// The bounds go on half way.
static double followBound(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane,
                          double value)
{
    (void)sweeps;
    (void)value;
    const double bound = group->mu[lane] * row->force[lane];
    row->bound[lane] = bound + KEPT * (row->bound[lane] - bound);
    return 0.0;
}

static double setBound(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane, double near)
{
    (void)sweeps;
    row->bound[lane] = row->ahead[lane] < near ? (double)INFINITY : group->mu[lane] * row->force[lane];
    return 0.0;
}

// What a row bears after the displacement becomes its multiplier; notes what is left. Returns 1 if it slides.
static double takeRow(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane, double value)
{
    (void)value;
    const pbdrBearing b = pbdrBearRow(sweeps, group, row, lane);
    const double bound = group->mu[lane] * b.force, size = pbdrLength(b.friction);
    double left = (b.state & pbdr_rowPresses) != 0 ? fabs(b.gap) : fmax(0.0, -b.gap);
    if ((b.state & pbdr_rowSticks) != 0) {
        left = fmax(left, pbdrLength(b.slip));
    }
    if ((b.state & pbdr_rowSlides) != 0 || size > bound) {
        left = fmax(left, fabs(row->bound[lane] - bound) * row->giveAcross[lane]);
    }
    sweeps->left = fmax(sweeps->left, left);
    row->force[lane] = b.force;
    pbdrWriteLane(&row->friction, lane, size > bound ? pbdrScale(bound / size, b.friction) : b.friction);
    return (b.state & pbdr_rowSlides) != 0 ? 1.0 : 0.0;
}

// Whether bounds of friction follow the normal forces: not convex, but quick near the solution.
static void setFollowing(pbdrSweeps* sweeps, bool follows)
{
    if (follows != sweeps->follows) {
        sweeps->follows = follows;
        sweeps->stiffness = 0.0; // other factors
    }
}

static void save(pbdrSweeps* sweeps, pbdrSweepForce* saved)
{
    for (int k = 0; k < sweeps->rowCount; k++) {
        saved[k].friction = sweeps->rows[k].friction;
        memcpy(saved[k].force, sweeps->rows[k].force, sizeof saved[k].force);
    }
}

// The forces that were saved, and bounds of friction that go with them.
static void restore(pbdrSweeps* sweeps, const pbdrSweepForce* saved)
{
    for (int k = 0; k < sweeps->rowCount; k++) {
        sweeps->rows[k].friction = saved[k].friction;
        memcpy(sweeps->rows[k].force, saved[k].force, sizeof saved[k].force);
    }
    pbdrVisitRows(sweeps, setBound, (double)-INFINITY);
    pbdrPushRows(sweeps);
}

bool pbdrSolveSubspace(pbdrSweeps* sweeps, double near, pbdrSolveEffort effort)
{
    const bool hard = effort >= pbdr_solveHard;
    const Limits limits = getLimits(sweeps, effort);
    pbdrSolve* solve = sweeps->solve;
    pbdrXpbdrWorker* worker = solve->worker;
    if (!pbdrListReserve(&worker->memory, &worker->sweepSaved, sweeps->rowCount) ||
        !pbdrListReserve(&worker->memory, &worker->sweepLines, PBDR_SWEEP_LANES * sweeps->rowCount)) {
        return false;
    }
    sweeps->lines = worker->sweepLines.items;
    save(sweeps, worker->sweepSaved.items);
    // stiff at first: near the solution nothing changes its state any more
    double stiffness = STIFF, last = (double)INFINITY, least = (double)INFINITY;
    sweeps->stiffness = 0.0; // no factors yet
    sweeps->follows = false;
    sweeps->hard = hard;
    int idle = 0, circling = 0, first = solve->steps;
    const double before = sweeps->error;
    bool taken = false;
    for (int k = 0; k < limits.updates; k++) {
        if (effort == pbdr_solveStubborn && k >= CHASED) {
            pbdrVisitRows(sweeps, followBound, 0.0);
        } else {
            pbdrVisitRows(sweeps, setBound, k == 0 ? near : (double)-INFINITY);
        }
        int steps = pbdrMinimise(sweeps, stiffness, k == 0 || sweeps->follows ? QUICK : limits.steps);
        if (steps == QUICK && (sweeps->follows || (k == 0 && hard))) {
            stiffness = sweeps->follows ? stiffness : SOFT;
            setFollowing(sweeps, false);
            steps = pbdrMinimise(sweeps, stiffness, limits.steps);
        }
        if (steps < 0) {
            restore(sweeps, worker->sweepSaved.items);
            return false;
        }
        if (hard && steps == limits.steps && stiffness > SOFT && solve->steps <= first + limits.budget) {
            stiffness = SOFT;
            continue;
        }
        if (steps == limits.steps || (k == 0 && !hard && steps == QUICK)) {
            break;
        }
        sweeps->left = 0.0;
        taken = true;
        const double sliding = pbdrVisitRows(sweeps, takeRow, 0.0);
        pbdrPushRows(sweeps);
        idle = stiffness < STIFF || sweeps->left < SHARE * last ? 0 : idle + 1;
        circling = sweeps->left < SHARE * least ? 0 : circling + 1;
        least = fmin(least, sweeps->left);
        if (sweeps->left <= fmax(DONE, ENOUGH * sweeps->aim) ||
            (idle >= PATIENCE && effort != pbdr_solveStubborn) || (!hard && circling >= CIRCLE) ||
            solve->steps > first + limits.budget) {
            break;
        }
        const bool worse = sweeps->left > last;
        setFollowing(sweeps, sweeps->moves && sliding > 0.0 && steps <= QUICK && sweeps->left < SHARE * last);
        last = sweeps->left;
        stiffness = worse ? SOFT : steps <= QUICK ? fmin(HARDER * stiffness, STIFF) : stiffness;
    }
    const bool idled = !hard && !taken; // a check might measure less than the sweep before, though nothing changed
    if (!idled) {
        pbdrCheckSweeps(sweeps);
    }
    if (idled || !(sweeps->error < before)) {
        restore(sweeps, worker->sweepSaved.items);
        sweeps->error = before;
        return false;
    }
    return true;
}
