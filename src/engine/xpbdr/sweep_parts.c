// Parts of a large island, which threads share out (sweep.h).
//
//   slab 0 | joins 0 and 1 | slab 1 | joins 1 and 2 | slab 2 ...      and what joins slabs that are not neighbours
//
// Bodies are sorted into slabs across the longest side of the island, each with as many patches. The patches within a slab
// are a part, and those that join two neighbours. All slabs may be swept at once, then what joins slabs 0 and 1, 2 and 3
// and so on, then 1 and 2, 3 and 4: no two of these parts share a body that moves. That is three rounds of threads in a
// sweep; colours would be a dozen. Each thread begins with the slabs that it had in the last round, whose rows are in its
// cache. Slabs depend on where bodies are and not on threads, nor does any sum, so that no bit does.
#include "engine/xpbdr/sweep.h"
#include "tasks/tasks.h"

// Patches of a slab at least, and how thick it is over what bodies measure in the mean: in thin ones most patches would
// join others.
#define SLAB_PATCHES 64
#define THICKNESS 2.0
// Places along the longest side that bodies are sorted by.
#define PLACES 1024

// --- Slabs ---

static double getPlace(pbdrVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// The longest side of an island, by the centres of its bodies.
typedef struct Side {
    int axis;
    double low, high; // [m]
} Side;

static const pbdrBody* getMoverBody(const pbdrSolve* solve, int mover)
{
    return pbdrGetBody(solve->world->scene, solve->movers[mover].body);
}

static Side findLongestSide(const pbdrSolve* solve)
{
    pbdrVec3 low = getMoverBody(solve, 0)->centre, high = low;
    for (int k = 1; k < solve->moverCount; k++) {
        const pbdrVec3 c = getMoverBody(solve, k)->centre;
        low = pbdrVec(pbdrMin(low.x, c.x), pbdrMin(low.y, c.y), pbdrMin(low.z, c.z));
        high = pbdrVec(pbdrMax(high.x, c.x), pbdrMax(high.y, c.y), pbdrMax(high.z, c.z));
    }
    Side best = {0, low.x, high.x};
    for (int axis = 1; axis < 3; axis++) {
        const Side side = {axis, getPlace(low, axis), getPlace(high, axis)};
        best = side.high - side.low > best.high - best.low ? side : best;
    }
    return best;
}

static int countSlabs(const pbdrSolve* solve, const Side* side)
{
    double size = 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        size += 2.0 * getMoverBody(solve, k)->shape->reach;
    }
    const double thickness = THICKNESS * size / solve->moverCount, length = side->high - side->low;
    const int most = solve->activePatchCount / SLAB_PATCHES;
    const int count = most < PBDR_SWEEP_SLABS ? most : PBDR_SWEEP_SLABS;
    return !isfinite(length) ? 1 : length < count * thickness ? (int)(length / thickness + 0.5) : count;
}

// Which slab each mover is in, so that slabs have as many patches.
static void sortMovers(const pbdrSolve* solve, const Side* side, int slabCount)
{
    const double perPlace = (PLACES - 1) / (side->high - side->low);
    int weights[PLACES] = {0}, total = 0;
    for (int k = 0; k < solve->moverCount; k++) {
        const double along = getPlace(getMoverBody(solve, k)->centre, side->axis) - side->low;
        const double place = along * perPlace;
        solve->movers[k].slab =
            place > 0.0 && place < PLACES ? (int)place : 0; // what is no number goes anywhere
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        const int sides[2] = {solve->activePatches[k].moverA, solve->activePatches[k].moverB};
        for (int i = 0; i < 2; i++) {
            if (sides[i] >= 0) {
                weights[solve->movers[sides[i]].slab]++;
                total++;
            }
        }
    }
    for (int place = 0, sum = 0; place < PLACES; place++) {
        const int middle = sum + weights[place] / 2;
        sum += weights[place];
        weights[place] = (int)((int64_t)middle * slabCount / (total + 1));
    }
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].slab = weights[solve->movers[k].slab];
    }
}

// --- Parts ---

static int findPart(const pbdrSolve* solve, const pbdrActivePatch* active, int slabCount)
{
    const int a = active->moverA, b = active->moverB;
    const int first = solve->movers[a >= 0 ? a : b].slab, second = solve->movers[b >= 0 ? b : a].slab;
    const int low = first < second ? first : second, apart = first < second ? second - first : first - second;
    return apart == 0 ? 2 * low : apart == 1 ? 2 * low + 1 : 2 * slabCount - 1;
}

bool pbdrDivideIsland(pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    pbdrXpbdrWorker* worker = solve->worker;
    const int patchCount = solve->activePatchCount;
    if (!pbdrListReserve(&worker->memory, &worker->sweepOrder, patchCount)) {
        return false;
    }
    sweeps->order = worker->sweepOrder.items;
    sweeps->slabCount = sweeps->partCount = 1;
    sweeps->layerCount = 0;
    Side side;
    if (patchCount >= PBDR_WIDE_ISLAND) {
        side = findLongestSide(solve);
        sweeps->slabCount = countSlabs(solve, &side);
    }
    if (sweeps->slabCount < 2) {
        sweeps->slabCount = 1;
        sweeps->parts[0] = (pbdrSweepPart){.patchCount = patchCount};
        for (int k = 0; k < patchCount; k++) {
            sweeps->order[k] = k;
        }
        return true;
    }
    sortMovers(solve, &side, sweeps->slabCount);
    sweeps->partCount = 2 * sweeps->slabCount;
    int counts[PBDR_SWEEP_PARTS + 1] = {0};
    for (int k = 0; k < patchCount; k++) {
        counts[findPart(solve, &solve->activePatches[k], sweeps->slabCount) + 1]++;
    }
    for (int k = 0; k < sweeps->partCount; k++) {
        counts[k + 1] += counts[k];
        sweeps->parts[k] = (pbdrSweepPart){.firstPatch = counts[k]};
    }
    for (int k = 0; k < patchCount; k++) {
        pbdrSweepPart* part = &sweeps->parts[findPart(solve, &solve->activePatches[k], sweeps->slabCount)];
        sweeps->order[part->firstPatch + part->patchCount++] = k;
    }
    return true;
}

// --- Rounds ---

// Every `stride`th part from the first on.
typedef struct Round {
    pbdrSweeps* sweeps;
    pbdrPartTask* task;
    int first, stride;
} Round;

static void runPart(void* data, int index, int worker)
{
    const Round* round = data;
    (void)worker;
    round->task(round->sweeps, &round->sweeps->parts[round->first + round->stride * index]);
}

static void run(Round* round, int count)
{
    const pbdrSolve* solve = round->sweeps->solve;
    if (solve->wide && count > 1) {
        pbdrRunKeptTasks(solve->world->scene->tasks, count, runPart, round);
        return;
    }
    for (int k = 0; k < count; k++) {
        runPart(round, k, 0);
    }
}

void pbdrRunParts(pbdrSweeps* sweeps, pbdrPartTask* task)
{
    run(&(Round){sweeps, task, 0, 1}, sweeps->partCount);
}

void pbdrRunPhases(pbdrSweeps* sweeps, pbdrPartTask* task, bool backwards)
{
    const int slabs = sweeps->slabCount;
    if (slabs == 1) {
        task(sweeps, &sweeps->parts[0]);
        return;
    }
    // within slabs; what joins two, every second and then the others; the rest
    const struct {
        int first, stride, count;
    } phases[4] = {{0, 2, slabs}, {1, 4, slabs / 2}, {3, 4, (slabs - 1) / 2}, {2 * slabs - 1, 1, 1}};
    for (int k = 0; k < 4; k++) {
        const int phase = backwards ? 3 - k : k;
        run(&(Round){sweeps, task, phases[phase].first, phases[phase].stride}, phases[phase].count);
    }
}
