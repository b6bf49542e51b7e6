// Sweeps over all groups of an island (sweep.h), by one thread or by all of them.
//
// Groups of a colour share no body that moves, so a colour is a phase (tasks/tasks.h) whose groups may be swept in any
// order, by anyone, with the same bits.
#include "engine/xpbdr/sweep.h"
#include "tasks/tasks.h"

#include <string.h>

// Groups of a share at least: a microsecond each, and handing a share over takes a tenth of that.
#define LEAST_SHARE 4
// Shares of a colour per thread: who is done early takes another.
#define SHARES 2

// What threads are working on.
typedef struct Run {
    pbdrSweeps* sweeps;
    int some;           // sweeps of a kind, that leave out groups as near to their laws as `skipped` [m]
    pbdrSweepKind kind; // and one over all groups
    double skipped;
} Run;

// A colour in several shares, or in one; colours that are small follow each other in one share.
static void planColour(pbdrSweeps* sweeps, int first, int count, int workerCount)
{
    int size = (count + SHARES * workerCount - 1) / (SHARES * workerCount);
    size = size < LEAST_SHARE ? LEAST_SHARE : size;
    pbdrSweepShare* last = sweeps->shareCount > 0 ? &sweeps->shares[sweeps->shareCount - 1] : NULL;
    if (count <= size && last != NULL && last->end - last->start == 1) {
        last->count += count;
        return;
    }
    const int start = sweeps->shareCount, end = start + (count + size - 1) / size;
    for (int k = 0; k < count; k += size) {
        sweeps->shares[sweeps->shareCount++] =
            (pbdrSweepShare){first + k, count - k < size ? count - k : size, start, end};
    }
}

// Whether threads may share the groups, and how. Without memory one thread does it all, with the same bits.
static bool planShares(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    if (!solve->wide) {
        return false;
    }
    if (sweeps->sharedCount == sweeps->groupCount) {
        return sweeps->shareCount > 1;
    }
    pbdrXpbdrWorker* worker = solve->worker;
    sweeps->shareCount = 0;
    sweeps->sharedCount = sweeps->groupCount;
    if (!pbdrListReserve(&worker->memory, &worker->sweepShares, sweeps->groupCount)) {
        return false;
    }
    sweeps->shares = worker->sweepShares.items;
    const int workerCount = pbdrCountWorkers(solve->world->scene->tasks);
    for (int first = 0, end; first < sweeps->groupCount; first = end) {
        end = first + 1;
        while (end < sweeps->groupCount && sweeps->groups[end].colour == sweeps->groups[first].colour) {
            end++;
        }
        planColour(sweeps, first, end - first, workerCount);
    }
    return sweeps->shareCount > 1;
}

// Every other sweep goes backwards.
static bool isBackwards(const pbdrSweeps* sweeps, int sweep)
{
    return (sweeps->count + sweep) % 2 == 1;
}

static void sweepGroups(const Run* run, int sweep, int first, int count)
{
    const pbdrSweeps* sweeps = run->sweeps;
    const bool whole = sweep == run->some;
    const pbdrSweepKind kind = (whole ? pbdr_sweepForwards : run->kind) |
                               (isBackwards(sweeps, sweep) ? pbdr_sweepBackwards : pbdr_sweepForwards);
    sweeps->solve->world->kernels->sweepGroups(sweeps->groups + first, count, kind,
                                               whole ? 0.0 : run->skipped, sweeps->rows, sweeps->motions,
                                               sweeps->solve->moverCount);
}

// The share of a task, sweep after sweep.
static const pbdrSweepShare* getShare(const pbdrSweeps* sweeps, int index)
{
    const int k = index % sweeps->shareCount;
    return &sweeps->shares[isBackwards(sweeps, index / sweeps->shareCount) ? sweeps->shareCount - 1 - k : k];
}

static int getStart(const void* data, int index)
{
    const pbdrSweeps* sweeps = ((const Run*)data)->sweeps;
    const int sweep = index / sweeps->shareCount;
    const pbdrSweepShare* share = getShare(sweeps, index);
    return sweep * sweeps->shareCount +
           (isBackwards(sweeps, sweep) ? sweeps->shareCount - share->end : share->start);
}

static void sweepShare(void* data, int index, int worker)
{
    const Run* run = data;
    const pbdrSweepShare* share = getShare(run->sweeps, index);
    (void)worker;
    sweepGroups(run, index / run->sweeps->shareCount, share->first, share->count);
}

void pbdrSweep(pbdrSweeps* sweeps, int some, pbdrSweepKind kind, double skipped)
{
    Run run = {sweeps, some, kind, skipped};
    if (planShares(sweeps)) {
        pbdrRunPhases(sweeps->solve->world->scene->tasks, (some + 1) * sweeps->shareCount, getStart,
                      sweepShare, &run);
    } else {
        for (int sweep = 0; sweep <= some; sweep++) {
            sweepGroups(&run, sweep, 0, sweeps->groupCount);
        }
    }
    sweeps->count += some + 1;
    sweeps->error = 0.0;
    for (int k = 0; k < sweeps->groupCount; k++) {
        sweeps->error = fmax(sweeps->error, sweeps->groups[k].error);
    }
}

// --- Motion ---

static void pushShare(void* data, int index, int worker)
{
    const pbdrSweeps* sweeps = ((const Run*)data)->sweeps;
    const pbdrSweepShare* share = &sweeps->shares[index];
    (void)worker;
    sweeps->solve->world->kernels->pushGroups(sweeps->groups + share->first, share->count, sweeps->rows,
                                              sweeps->motions, sweeps->solve->moverCount);
}

static int getPushStart(const void* data, int index)
{
    return ((const Run*)data)->sweeps->shares[index].start;
}

void pbdrPushRows(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int k = 0; k < solve->moverCount; k++) {
        sweeps->motions[k] = (pbdrSweepMotion){{0.0}};
        memcpy(sweeps->motions[k].v, solve->movers[k].firstY.v, sizeof solve->movers[k].firstY.v);
    }
    sweeps->motions[solve->moverCount] = (pbdrSweepMotion){{0.0}};
    if (planShares(sweeps)) {
        Run run = {.sweeps = sweeps};
        pbdrRunPhases(solve->world->scene->tasks, sweeps->shareCount, getPushStart, pushShare, &run);
    } else {
        solve->world->kernels->pushGroups(sweeps->groups, sweeps->groupCount, sweeps->rows, sweeps->motions,
                                          solve->moverCount);
    }
}
