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
    system->nodes.itemSize = 0; // set with its type, below
}

// --- Order of elimination ---

// A row while rows are eliminated: its neighbours are those that are left.
typedef struct Node {
    int32_t first, count;   // in the pool
    int32_t next, previous; // among the rows of this degree; -1: none
} Node;

void pbdrFreeSystem(pbdrMemory* memory, pbdrSystem* system)
{
    system->nodes.itemSize = sizeof(Node);
    pbdrList* lists[] = {&system->places, &system->starts, &system->ends, &system->blocks, &system->sides,
                         &system->pairs,  &system->nodes,  &system->pool, &system->heads,  &system->pivots};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        pbdrListFree(memory, lists[k]);
    }
}

static void enlist(Node* nodes, int32_t* heads, int32_t row)
{
    Node* node = &nodes[row];
    node->previous = -1;
    node->next = heads[node->count];
    if (node->next >= 0) {
        nodes[node->next].previous = row;
    }
    heads[node->count] = row;
}

static void delist(Node* nodes, int32_t* heads, int32_t row)
{
    const Node* node = &nodes[row];
    if (node->next >= 0) {
        nodes[node->next].previous = node->previous;
    }
    *(node->previous >= 0 ? &nodes[node->previous].next : &heads[node->count]) = node->next;
}

static int comparePairs(const void* a, const void* b)
{
    const int32_t *first = a, *second = b;
    return first[0] != second[0] ? first[0] - second[0] : first[1] - second[1];
}

// Both ways. False without memory.
static bool addPair(pbdrMemory* memory, pbdrSystem* system, int32_t first, int32_t second)
{
    for (int side = 0; side < 2; side++) {
        int32_t(*pair)[2] = pbdrListPush(memory, &system->pairs);
        if (pair == NULL) {
            return false;
        }
        (*pair)[0] = side == 0 ? first : second;
        (*pair)[1] = side == 0 ? second : first;
    }
    return true;
}

// Neighbours of every row, ascending, into the pool. False without memory.
static bool listNeighbours(pbdrMemory* memory, pbdrSystem* system, const pbdrActivePatch* patches,
                           int patchCount, const pbdrActiveJoint* joints, int jointCount)
{
    system->pairs.count = 0;
    for (int k = 0; k < jointCount; k++) {
        for (int side = 0; side < 2; side++) {
            if (joints[k].movers[side] >= 0 &&
                !addPair(memory, system, joints[k].movers[side], system->firstJoint + k)) {
                return false;
            }
        }
    }
    for (int k = 0; k < patchCount; k++) {
        if (patches[k].bears && patches[k].moverA >= 0 && patches[k].moverB >= 0) {
            if (!addPair(memory, system, patches[k].moverA, patches[k].moverB)) {
                return false;
            }
        }
    }
    if (!pbdrListReserve(memory, &system->pool, 4 * system->pairs.count + 16)) {
        return false;
    }
    int32_t(*pairs)[2] = system->pairs.items;
    if (system->pairs.count > 1) {
        qsort(pairs, (size_t)system->pairs.count, sizeof pairs[0], comparePairs);
    }
    Node* nodes = system->nodes.items;
    int32_t* pool = system->pool.items;
    int32_t used = 0;
    int at = 0;
    for (int32_t row = 0; row < system->rowCount; row++) {
        nodes[row] = (Node){.first = used};
        for (; at < system->pairs.count && pairs[at][0] == row; at++) {
            bool again = nodes[row].count > 0 && pool[used - 1] == pairs[at][1];
            if (!again) {
                pool[used++] = pairs[at][1];
                nodes[row].count++;
            }
        }
    }
    system->pool.count = used;
    return true;
}

// Joins the neighbours of `gone` to a row's, without either, at the pool's end. False without memory.
static bool join(pbdrMemory* memory, pbdrSystem* system, int32_t row, int32_t gone)
{
    Node *nodes = system->nodes.items, *node = &nodes[row], *other = &nodes[gone];
    const int needed = system->pool.count + node->count + other->count;
    if (needed > system->pool.capacity && !pbdrListReserve(memory, &system->pool, 2 * needed)) {
        return false;
    }
    int32_t *pool = system->pool.items, first = system->pool.count, used = first;
    int32_t i = node->first, iEnd = i + node->count, j = other->first, jEnd = j + other->count;
    while (i < iEnd || j < jEnd) {
        int32_t next = j >= jEnd || (i < iEnd && pool[i] <= pool[j]) ? pool[i] : pool[j];
        i += i < iEnd && pool[i] == next;
        j += j < jEnd && pool[j] == next;
        if (next != row && next != gone) {
            pool[used++] = next;
        }
    }
    node->count = used - first;
    if (node->count <= iEnd - node->first) {
        // it fits where it stood
        memcpy(pool + node->first, pool + first, (size_t)node->count * sizeof *pool);
    } else {
        node->first = first;
        system->pool.count = used;
    }
    return true;
}

// In a node's count while the row is a joint's that may not go yet.
#define LOCKED (-2)

// The row with the fewest neighbours goes next; its neighbours then touch each other. A joint's row goes after that of
// one of its bodies, for it has nothing on the diagonal before. Leaves in the nodes whom each row touched as it went.
// False without memory, or where rows touch more others than the system may have.
static bool orderRows(pbdrMemory* memory, pbdrSystem* system)
{
    Node* nodes = system->nodes.items;
    int32_t *heads = system->heads.items, *places = system->places.items;
    for (int degree = 0; degree <= system->rowCount; degree++) {
        heads[degree] = -1;
    }
    for (int32_t row = system->rowCount - 1; row >= system->firstJoint; row--) {
        nodes[row].previous = LOCKED;
    }
    for (int32_t row = system->firstJoint - 1; row >= 0; row--) {
        enlist(nodes, heads, row);
    }
    int degree = 0;
    for (int32_t place = 0; place < system->rowCount; place++) {
        while (heads[degree] < 0) {
            degree++;
        }
        const int32_t row = heads[degree];
        if (degree > system->mostNeighbours) {
            return false;
        }
        delist(nodes, heads, row);
        places[row] = place;
        for (int32_t k = 0; k < nodes[row].count; k++) {
            const int32_t other = ((int32_t*)system->pool.items)[nodes[row].first + k];
            const bool locked = nodes[other].previous == LOCKED;
            if (!locked) {
                delist(nodes, heads, other);
            }
            if (!join(memory, system, other, row)) {
                return false;
            }
            if (!locked || row < system->firstJoint) {
                enlist(nodes, heads, other);
                degree = nodes[other].count < degree ? nodes[other].count : degree;
            }
        }
    }
    return true;
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
                           int patchCount, pbdrActiveJoint* joints, int jointCount)
{
    const int moverCount = bodyCount + jointCount;
    system->firstJoint = bodyCount;
    system->rowCount = moverCount;
    system->nodes.itemSize = sizeof(Node);
    if (!pbdrListReserve(memory, &system->nodes, moverCount) ||
        !pbdrListReserve(memory, &system->heads, moverCount + 1) ||
        !pbdrListReserve(memory, &system->places, moverCount) ||
        !pbdrListReserve(memory, &system->starts, moverCount + 1) ||
        !pbdrListReserve(memory, &system->sides, moverCount) ||
        !pbdrListReserve(memory, &system->pivots, moverCount) ||
        !listNeighbours(memory, system, patches, patchCount, joints, jointCount) ||
        !orderRows(memory, system)) {
        return false;
    }
    const Node* nodes = system->nodes.items;
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
    const pbdrBlock6 both = pbdrShiftBlock(stiffness, active->between);
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
