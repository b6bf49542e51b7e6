// Sweeps over all groups of an island (sweep.h), and the motion that its rows' forces make.
#include "engine/xpbdr/sweep.h"

#include <string.h>

// Sweeps of a part before the next one: it stays in the cache, and threads meet less often. With seven of them what joins
// parts is found a little later.
#define AT_ONCE 4

static void sweepPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int i = 0; i < sweeps->times; i++) {
        const pbdrSweepKind way = (sweeps->count + i) % 2 == 1 ? pbdr_sweepBackwards : pbdr_sweepForwards;
        part->error = 0.0;
        for (int k = 0; k < sweeps->layerCount; k++) {
            const int layer = way == pbdr_sweepBackwards ? sweeps->layerCount - 1 - k : k;
            const double error = solve->world->kernels->sweepGroups(
                sweeps->groups + part->layers[layer].first, part->layers[layer].count, sweeps->kind | way,
                sweeps->skipped, sweeps->rows, sweeps->motions, solve->moverCount);
            part->error = fmax(part->error, error);
        }
    }
}

static void sweepTimes(pbdrSweeps* sweeps, int times, pbdrSweepKind kind, double skipped)
{
    sweeps->times = times;
    sweeps->kind = kind;
    sweeps->skipped = skipped;
    pbdrRunPhases(sweeps, sweepPart, sweeps->count % 2 == 1);
    sweeps->error = 0.0;
    for (int k = 0; k < sweeps->partCount; k++) {
        sweeps->error = fmax(sweeps->error, sweeps->parts[k].error);
    }
    sweeps->count += times;
}

void pbdrSweep(pbdrSweeps* sweeps, int some, pbdrSweepKind kind, double skipped)
{
    for (int left = some; left > 0; left -= AT_ONCE) {
        sweepTimes(sweeps, left < AT_ONCE ? left : AT_ONCE, kind, skipped);
    }
    sweepTimes(sweeps, 1, pbdr_sweepForwards, 0.0);
}

void pbdrCheckSweeps(pbdrSweeps* sweeps)
{
    const int count = sweeps->count;
    sweeps->count = 0; // forwards
    sweepTimes(sweeps, 1, pbdr_sweepForwards, 0.0);
    sweeps->count = count;
}

static void pushPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int k = 0; k < sweeps->layerCount; k++) {
        solve->world->kernels->pushGroups(sweeps->groups + part->layers[k].first, part->layers[k].count,
                                          sweeps->rows, sweeps->motions, solve->moverCount);
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
    pbdrRunPhases(sweeps, pushPart, false);
}

static void sumPart(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    part->work = 0.0;
    for (int k = 0; k < sweeps->layerCount; k++) {
        part->work += sweeps->solve->world->kernels->sumWork(
            sweeps->groups + part->layers[k].first, part->layers[k].count, sweeps->rows, sweeps->motions);
    }
}

double pbdrSumWork(pbdrSweeps* sweeps)
{
    double work = 0.0;
    pbdrRunParts(sweeps, sumPart);
    for (int k = 0; k < sweeps->partCount; k++) {
        work += sweeps->parts[k].work;
    }
    return work;
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
