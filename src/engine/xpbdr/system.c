// The linear system of an island (system.h).
#include "engine/xpbdr/system.h"

#include "math/block_lu.h"
#include "scene/list.h"

#include <stdlib.h>
#include <string.h>

void pbdrInitSystem(pbdrSystem* system)
{
    *system = (pbdrSystem){.rowCount = 0};
    system->places.itemSize = system->starts.itemSize = system->ends.itemSize = sizeof(int32_t);
    system->blocks.itemSize = sizeof(pbdrBlock6);
    system->sides.itemSize = sizeof(pbdrTwist);
    system->pairs.itemSize = 2 * sizeof(int32_t);
    system->pivots.itemSize = 6 * sizeof(int);
    system->pool.itemSize = system->heads.itemSize = sizeof(int32_t);
    system->nodes.itemSize = sizeof(pbdrSystemNode);
}

// --- Memory ---

void pbdrFreeSystem(pbdrMemory* memory, pbdrSystem* system)
{
    pbdrList* lists[] = {&system->places, &system->starts, &system->ends, &system->blocks, &system->sides,
                         &system->pairs,  &system->nodes,  &system->pool, &system->heads,  &system->pivots};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(memory, lists[k]);
    }
}

static int compareInts(const void* a, const void* b)
{
    return *(const int32_t*)a - *(const int32_t*)b;
}

// --- The plan ---

// The edge between two places, the first before the second.
static int findEdge(const pbdrSystem* system, int32_t place, int32_t later)
{
    const int32_t *starts = system->starts.items, *ends = system->ends.items;
    int low = starts[place], high = starts[place + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (ends[middle] < later) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// Where an edge between two rows stands, and whether the first goes before the second.
static int placeEdge(const pbdrSystem* system, int first, int second, bool* ascends)
{
    const int32_t* places = system->places.items;
    const int32_t a = places[first], b = places[second];
    *ascends = a < b;
    return findEdge(system, a < b ? a : b, a < b ? b : a);
}

bool pbdrPlanJointedSystem(pbdrMemory* memory, pbdrSystem* system, int bodyCount, pbdrActivePatch* patches,
                           int patchCount, pbdrActiveJoint* joints, int jointCount, pbdrActiveGear* gears,
                           int gearCount)
{
    const int moverCount = bodyCount + jointCount + gearCount;
    system->firstJoint = bodyCount;
    system->firstGear = bodyCount + jointCount;
    system->rowCount = moverCount;
    if (!pbdrListReserve(memory, &system->nodes, moverCount) ||
        !pbdrListReserve(memory, &system->heads, moverCount + 1) ||
        !pbdrListReserve(memory, &system->places, moverCount) ||
        !pbdrListReserve(memory, &system->starts, moverCount + 1) ||
        !pbdrListReserve(memory, &system->sides, moverCount) ||
        !pbdrListReserve(memory, &system->pivots, moverCount) ||
        !pbdrOrderSystem(memory, system, patches, patchCount, joints, jointCount, gears, gearCount)) {
        return false;
    }
    const pbdrSystemNode* nodes = system->nodes.items;
    int32_t *places = system->places.items, *starts = system->starts.items;
    // edges per place
    for (int32_t row = 0; row < moverCount; row++) {
        starts[places[row] + 1] = nodes[row].count;
    }
    starts[0] = 0;
    for (int place = 0; place < moverCount; place++) {
        starts[place + 1] += starts[place];
    }
    system->edgeCount = starts[moverCount];
    if (!pbdrListReserve(memory, &system->ends, system->edgeCount + 1) ||
        !pbdrListReserve(memory, &system->blocks, moverCount + 2 * system->edgeCount)) {
        return false;
    }
    int32_t* ends = system->ends.items;
    const int32_t* pool = system->pool.items;
    for (int32_t row = 0; row < moverCount; row++) {
        int32_t* own = ends + starts[places[row]];
        for (int32_t k = 0; k < nodes[row].count; k++) {
            own[k] = places[pool[nodes[row].first + k]];
        }
        if (nodes[row].count > 1) {
            qsort(own, (size_t)nodes[row].count, sizeof *own, compareInts);
        }
    }
    for (int k = 0; k < patchCount; k++) {
        pbdrActivePatch* active = &patches[k];
        if (active->bears && active->moverA >= 0 && active->moverB >= 0) {
            active->edge = placeEdge(system, active->moverA, active->moverB, &active->ascends);
        }
    }
    for (int k = 0; k < jointCount; k++) {
        for (int side = 0; side < 2; side++) {
            if (joints[k].movers[side] >= 0) {
                joints[k].edges[side] =
                    placeEdge(system, joints[k].movers[side], bodyCount + k, &joints[k].ascends[side]);
            }
        }
    }
    for (int k = 0; k < gearCount; k++) {
        for (int side = 0; side < 4; side++) {
            if (gears[k].movers[side] >= 0) {
                gears[k].edges[side] =
                    placeEdge(system, gears[k].movers[side], system->firstGear + k, &gears[k].ascends[side]);
            }
        }
    }
    return true;
}

// --- Values ---

static pbdrBlock6* getBlock(const pbdrSystem* system, int index)
{
    return (pbdrBlock6*)system->blocks.items + index;
}

// Of an edge, above the diagonal or below.
static pbdrBlock6* getUpper(const pbdrSystem* system, int edge)
{
    return getBlock(system, system->rowCount + 2 * edge);
}

static pbdrBlock6* getLower(const pbdrSystem* system, int edge)
{
    return getBlock(system, system->rowCount + 2 * edge + 1);
}

void pbdrClearSystem(pbdrSystem* system)
{
    memset(system->blocks.items, 0, (size_t)(system->rowCount + 2 * system->edgeCount) * sizeof(pbdrBlock6));
}

pbdrBlock6* pbdrGetDiagonal(const pbdrSystem* system, int mover)
{
    return getBlock(system, ((int32_t*)system->places.items)[mover]);
}

pbdrBlock6* pbdrGetJointBlock(const pbdrSystem* system, const pbdrActiveJoint* joint, int side, bool ofJoint)
{
    return joint->ascends[side] == ofJoint ? getLower(system, joint->edges[side])
                                           : getUpper(system, joint->edges[side]);
}

pbdrBlock6* pbdrGetGearBlock(const pbdrSystem* system, const pbdrActiveGear* gear, int side, bool ofGear)
{
    return gear->ascends[side] == ofGear ? getLower(system, gear->edges[side])
                                         : getUpper(system, gear->edges[side]);
}

void pbdrStartSystem(pbdrSystem* system, const pbdrMover* movers, double perStep)
{
    pbdrClearSystem(system);
    for (int k = 0; k < system->firstJoint; k++) {
        pbdrBlock6* block = pbdrGetDiagonal(system, k);
        for (int i = 0; i < 3; i++) {
            block->m[i][i] = perStep * movers[k].mass;
            for (int j = 0; j < 3; j++) {
                block->m[3 + i][3 + j] = perStep * movers[k].inertia.m[i][j];
            }
        }
    }
}

static void addBlock(pbdrBlock6* to, double s, const pbdrBlock6* block)
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            to->m[i][j] += s * block->m[i][j];
        }
    }
}

// S X, with J_B = J_A X: the angular part of every row grows by d x its linear part.
static pbdrBlock6 carryRows(const pbdrBlock6* s, pbdrVec3 d)
{
    pbdrBlock6 carried = *s;
    for (int i = 0; i < 6; i++) {
        const double* m = s->m[i];
        carried.m[i][3] += d.y * m[2] - d.z * m[1];
        carried.m[i][4] += d.z * m[0] - d.x * m[2];
        carried.m[i][5] += d.x * m[1] - d.y * m[0];
    }
    return carried;
}

// X^T S: the same of its columns.
static pbdrBlock6 carryColumns(const pbdrBlock6* s, pbdrVec3 d)
{
    pbdrBlock6 carried = *s;
    for (int j = 0; j < 6; j++) {
        carried.m[3][j] += d.y * s->m[2][j] - d.z * s->m[1][j];
        carried.m[4][j] += d.z * s->m[0][j] - d.x * s->m[2][j];
        carried.m[5][j] += d.x * s->m[1][j] - d.y * s->m[0][j];
    }
    return carried;
}

pbdrBlock6 pbdrShiftBlock(const pbdrBlock6* stiffness, pbdrVec3 d)
{
    const pbdrBlock6 rows = carryRows(stiffness, d);
    return carryColumns(&rows, d);
}

void pbdrAddStiffness(pbdrSystem* system, const pbdrActivePatch* active, const pbdrBlock6* stiffness)
{
    if (active->moverA >= 0) {
        addBlock(pbdrGetDiagonal(system, active->moverA), 1.0, stiffness);
    }
    if (active->moverB < 0) {
        return;
    }
    const pbdrBlock6 rows = carryRows(stiffness, active->between);
    const pbdrBlock6 both = carryColumns(&rows, active->between);
    addBlock(pbdrGetDiagonal(system, active->moverB), 1.0, &both);
    if (active->moverA >= 0) {
        const pbdrBlock6 columns = carryColumns(stiffness, active->between);
        addBlock(active->ascends ? getUpper(system, active->edge) : getLower(system, active->edge), -1.0,
                 &rows);
        addBlock(active->ascends ? getLower(system, active->edge) : getUpper(system, active->edge), -1.0,
                 &columns);
    }
}

// --- Solution ---

// c -= a b
static void subtractProduct(double c[6][6], double a[6][6], double b[6][6])
{
    for (int i = 0; i < 6; i++) {
        double sum[6];
        for (int j = 0; j < 6; j++) {
            sum[j] = c[i][j];
        }
        for (int k = 0; k < 6; k++) {
            const double factor = a[i][k];
            for (int j = 0; j < 6; j++) {
                sum[j] -= factor * b[k][j];
            }
        }
        for (int j = 0; j < 6; j++) {
            c[i][j] = sum[j];
        }
    }
}

static void subtractVector(double c[6], double a[6][6], const double x[6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 6; j++) {
            c[i] -= a[i][j] * x[j];
        }
    }
}

// Row k is done: what it leaves to those that it touches.
static void eliminate(pbdrSystem* system, int k)
{
    const int32_t *starts = system->starts.items, *ends = system->ends.items;
    for (int e = starts[k]; e < starts[k + 1]; e++) {
        const int32_t i = ends[e];
        double(*factor)[6] = getLower(system, e)->m;
        subtractProduct(getBlock(system, i)->m, factor, getUpper(system, e)->m);
        // later neighbours stand in the same order in row i
        int at = starts[i];
        for (int f = e + 1; f < starts[k + 1]; f++) {
            while (ends[at] < ends[f]) {
                at++;
            }
            subtractProduct(getUpper(system, at)->m, factor, getUpper(system, f)->m);
            subtractProduct(getLower(system, at)->m, getLower(system, f)->m, getUpper(system, e)->m);
        }
    }
}

bool pbdrFactorSystem(pbdrSystem* system)
{
    const int32_t* starts = system->starts.items;
    int(*pivots)[6] = system->pivots.items;
    for (int k = 0; k < system->rowCount; k++) {
        double(*diagonal)[6] = getBlock(system, k)->m;
        if (!pbdrFactorBlock(diagonal, pivots[k])) {
            return false;
        }
        // row k becomes A_kk^-1 A_kj
        for (int e = starts[k]; e < starts[k + 1]; e++) {
            pbdrSolveBlockRows(diagonal, pivots[k], getUpper(system, e)->m);
        }
        eliminate(system, k);
    }
    return true;
}

void pbdrSolveSides(pbdrSystem* system)
{
    const int32_t *starts = system->starts.items, *ends = system->ends.items;
    int(*pivots)[6] = system->pivots.items;
    double(*sides)[6] = system->sides.items;
    for (int k = 0; k < system->rowCount; k++) {
        pbdrSolveBlock(getBlock(system, k)->m, pivots[k], sides[k]);
        for (int e = starts[k]; e < starts[k + 1]; e++) {
            subtractVector(sides[ends[e]], getLower(system, e)->m, sides[k]);
        }
    }
    for (int k = system->rowCount; k-- > 0;) {
        for (int e = starts[k]; e < starts[k + 1]; e++) {
            subtractVector(sides[k], getUpper(system, e)->m, sides[ends[e]]);
        }
    }
}

void pbdrSolveFactored(pbdrSystem* system, pbdrMover* movers)
{
    for (int k = 0; k < system->rowCount; k++) {
        memcpy(pbdrGetSide(system, k), movers[k].step.v, sizeof movers[k].step.v);
    }
    pbdrSolveSides(system);
    for (int k = 0; k < system->rowCount; k++) {
        memcpy(movers[k].step.v, pbdrGetSide(system, k), sizeof movers[k].step.v);
    }
}
