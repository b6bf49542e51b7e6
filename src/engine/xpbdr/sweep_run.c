// Sweeps over all groups of an island (sweep.h), and the motion that its rows' forces make.
//
// One thread makes them. Groups of a colour share no body that moves, so that several could, with the same bits; but a
// colour of a thousand boxes takes some microseconds, and what one thread has written another must fetch: shared out by
// colours among two threads the pile took 1.1 times as long as this way (docs/many.md).
#include "engine/xpbdr/sweep.h"

#include <string.h>

void pbdrSweep(pbdrSweeps* sweeps, int some, pbdrSweepKind kind, double skipped)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int sweep = 0; sweep <= some; sweep++) {
        const bool whole = sweep == some;
        const pbdrSweepKind way = sweeps->count++ % 2 == 1 ? pbdr_sweepBackwards : pbdr_sweepForwards;
        sweeps->error = solve->world->kernels->sweepGroups(
            sweeps->groups, sweeps->groupCount, (whole ? pbdr_sweepForwards : kind) | way,
            whole ? 0.0 : skipped, sweeps->rows, sweeps->motions, solve->moverCount);
    }
}

void pbdrPushRows(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int k = 0; k < solve->moverCount; k++) {
        sweeps->motions[k] = (pbdrSweepMotion){{0.0}};
        memcpy(sweeps->motions[k].v, solve->movers[k].firstY.v, sizeof solve->movers[k].firstY.v);
    }
    sweeps->motions[solve->moverCount] = (pbdrSweepMotion){{0.0}};
    solve->world->kernels->pushGroups(sweeps->groups, sweeps->groupCount, sweeps->rows, sweeps->motions,
                                      solve->moverCount);
}

pbdrVec3 pbdrGetRowMove(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row,
                        int lane)
{
    const double *a = sweeps->motions[group->moverA[lane]].v, *b = sweeps->motions[group->moverB[lane]].v;
    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane),
                   leverB = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
    const pbdrVec3 moveA = pbdrAdd(pbdrVec(a[0], a[1], a[2]), pbdrCross(pbdrVec(a[3], a[4], a[5]), lever));
    const pbdrVec3 moveB = pbdrAdd(pbdrVec(b[0], b[1], b[2]), pbdrCross(pbdrVec(b[3], b[4], b[5]), leverB));
    return pbdrSub(moveA, moveB);
}
