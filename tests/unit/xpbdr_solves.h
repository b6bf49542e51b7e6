// Islands of a world in the middle of their solve, for the tests of its parts.
#ifndef PBDR_TESTS_XPBDR_SOLVES_H
#define PBDR_TESTS_XPBDR_SOLVES_H

#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"
#include "inside.h"
#include "physics/xpbdr_scenes.h"
#include "surfaces.h"
#include "unit/xpbdr_kernels.h"

#define TIME_STEP 1e-3

// The world's only island that has contacts, with its items prepared.
static inline pbdrSolve begin(pbdrWorld* world)
{
    pbdrXpbdrWorld* own = world->engineState;
    pbdrUpdateCandidates(&own->candidates);
    CHECK(pbdrMakeIslands(own));
    CHECK_EQ(own->islands.count, 1);
    pbdrSolve solve = {
        .world = own,
        .worker = own->workers,
        .island = own->islands.items,
        .system = &own->workers->system,
        .movers = own->movers.items,
        .moverCount = own->movers.count,
        .activePatches = own->activePatches.items,
        .activePatchCount = own->activePatches.count,
        .softness = 1.0,
        .perStep = 1.0 / (TIME_STEP * TIME_STEP),
    };
    pbdrOpenWindow(own, solve.island);
    pbdrPrepareIsland(&solve);
    for (int k = 0; k < solve.moverCount; k++) {
        solve.movers[k].y = pbdrStill;
    }
    return solve;
}

// Rows of an island, with what their forces do.
static inline pbdrSweeps beginSweeps(pbdrSolve* solve)
{
    pbdrSweeps sweeps;
    CHECK(pbdrMakeSweeps(solve, &sweeps));
    pbdrPushRows(&sweeps);
    return sweeps;
}

// Those that pbdrSweepIsland has left.
static inline pbdrSweeps lookAtSweeps(pbdrSolve* solve)
{
    pbdrXpbdrWorker* worker = solve->worker;
    return (pbdrSweeps){.solve = solve,
                        .groups = worker->sweepGroups.items,
                        .groupCount = worker->sweepGroups.count,
                        .rows = worker->sweepRows.items,
                        .rowCount = worker->sweepRows.count,
                        .motions = worker->sweepMotions.items};
}

// Every second one backwards.
static inline void sweepOnce(pbdrSweeps* sweeps, int round)
{
    const pbdrSweepKind kind = round % 2 == 1 ? pbdr_sweepBackwards : pbdr_sweepForwards;
    sweeps->error =
        sweeps->solve->world->kernels->sweepGroups(sweeps->groups, sweeps->groupCount, kind, 0.0,
                                                   sweeps->rows, sweeps->motions, sweeps->solve->moverCount);
}

// How far the rows are from their laws, and what they bear.
typedef struct Laws {
    double gap;    // most that a row goes in [m]
    double open;   // and most that one is open that bears load [m]
    double pull;   // most negative force [N]
    double excess; // of friction over its bound [N]
    double lifts;  // friction along the normal [N]
    double slip;   // of what bears less friction than it could [m]
    double along;  // angle between friction and what it is against, where it slides and slips [rad]
    int loaded, slipping;
} Laws;

static inline Laws measureLaws(const pbdrSweeps* sweeps)
{
    Laws laws = {0};
    for (int k = 0; k < sweeps->groupCount; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[k];
        for (int i = 0; i < PBDR_SWEEP_LANES * group->rowCount; i++) {
            const int lane = i % PBDR_SWEEP_LANES;
            const pbdrSweepRow* row = &sweeps->rows[group->firstRow + i / PBDR_SWEEP_LANES];
            if (row->item[lane] < 0) {
                continue;
            }
            const pbdrVec3 n = pbdrReadLane(&row->n, lane), t = pbdrReadLane(&row->friction, lane),
                           move = pbdrGetRowMove(sweeps, group, row, lane),
                           way = pbdrAdd(pbdrReadLane(&row->way, lane), move),
                           slip = pbdrAddScaled(way, -pbdrDot(way, n), n);
            const double force = row->force[lane], bound = group->mu[lane] * force, size = pbdrLength(t);
            const double gap = row->ahead[lane] + pbdrDot(n, move);
            laws.gap = fmax(laws.gap, -gap);
            laws.open = force > 0.0 ? fmax(laws.open, gap) : laws.open;
            laws.pull = fmax(laws.pull, -force);
            laws.excess = fmax(laws.excess, size - bound);
            laws.lifts = fmax(laws.lifts, fabs(pbdrDot(t, n)));
            laws.loaded += force > 0.0;
            if (size < (1.0 - 1e-9) * bound) {
                laws.slip = fmax(laws.slip, pbdrLength(slip));
            } else if (bound > 1e-3 && pbdrLength(slip) > 1e-8) {
                const double cosine = -pbdrDot(t, slip) / (size * pbdrLength(slip));
                laws.along = fmax(laws.along, acos(fmin(1.0, cosine)));
                laws.slipping++;
            }
        }
    }
    return laws;
}

#endif
