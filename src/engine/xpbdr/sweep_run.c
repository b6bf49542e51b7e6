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
// Groups that must be swept, over the number of phases, for threads to share them: others would wait for each other.
#define WORTH 16

// What threads are working on.
typedef struct Run {
    pbdrSweeps* sweeps;
    int some;           // sweeps of a kind, that leave out groups as near to their laws as `skipped` [m]
    pbdrSweepKind kind; // and one over all groups
    double skipped;
    int first; // of the sweeps that they share now
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
    sweeps->phaseCount++;
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
    sweeps->shareCount = sweeps->phaseCount = 0;
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

// The sweep of a task, and its share of it.
static int getSweep(const Run* run, int index)
{
    return run->first + index / run->sweeps->shareCount;
}

static const pbdrSweepShare* getShare(const Run* run, int index)
{
    const pbdrSweeps* sweeps = run->sweeps;
    const int k = index % sweeps->shareCount;
    return &sweeps->shares[isBackwards(sweeps, getSweep(run, index)) ? sweeps->shareCount - 1 - k : k];
}

static int getStart(const void* data, int index)
{
    const Run* run = data;
    const int count = run->sweeps->shareCount;
    const pbdrSweepShare* share = getShare(run, index);
    return index / count * count +
           (isBackwards(run->sweeps, getSweep(run, index)) ? count - share->end : share->start);
}

static void sweepShare(void* data, int index, int worker)
{
    const Run* run = data;
    const pbdrSweepShare* share = getShare(run, index);
    (void)worker;
    sweepGroups(run, getSweep(run, index), share->first, share->count);
}

// Whether threads should share a sweep that leaves out groups.
static bool isWorthIt(const pbdrSweeps* sweeps, double skipped)
{
    int groups = 0;
    for (int k = 0; k < sweeps->groupCount; k++) {
        groups += !(sweeps->groups[k].error < skipped);
    }
    return groups >= WORTH * sweeps->phaseCount;
}

// Sweeps from the first to before the last of a run.
static void runSweeps(Run* run, int first, int last)
{
    pbdrSweeps* sweeps = run->sweeps;
    run->first = first;
    if (last > first && planShares(sweeps) && isWorthIt(sweeps, first < run->some ? run->skipped : 0.0)) {
        pbdrRunPhases(sweeps->solve->world->scene->tasks, (last - first) * sweeps->shareCount, getStart,
                      sweepShare, run);
        return;
    }
    for (int sweep = first; sweep < last; sweep++) {
        sweepGroups(run, sweep, 0, sweeps->groupCount);
    }
}

void pbdrSweep(pbdrSweeps* sweeps, int some, pbdrSweepKind kind, double skipped)
{
    Run run = {.sweeps = sweeps, .some = some, .kind = kind, .skipped = skipped};
    runSweeps(&run, 0, some);
    runSweeps(&run, some, some + 1);
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
    if (planShares(sweeps) && isWorthIt(sweeps, 0.0)) {
        Run run = {.sweeps = sweeps};
        pbdrRunPhases(solve->world->scene->tasks, sweeps->shareCount, getPushStart, pushShare, &run);
    } else {
        solve->world->kernels->pushGroups(sweeps->groups, sweeps->groupCount, sweeps->rows, sweeps->motions,
                                          solve->moverCount);
    }
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
