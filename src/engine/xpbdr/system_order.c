// The order in which the rows of an island's linear system are eliminated (system.h): that of least degree.
#include "engine/xpbdr/system.h"

#include "scene/list.h"

#include <stdlib.h>
#include <string.h>

static void enlist(pbdrSystemNode* nodes, int32_t* heads, int32_t row)
{
    pbdrSystemNode* node = &nodes[row];
    node->previous = -1;
    node->next = heads[node->count];
    if (node->next >= 0) {
        nodes[node->next].previous = row;
    }
    heads[node->count] = row;
}

static void delist(pbdrSystemNode* nodes, int32_t* heads, int32_t row)
{
    const pbdrSystemNode* node = &nodes[row];
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
                           int patchCount, const pbdrActiveJoint* joints, int jointCount,
                           const pbdrActiveGear* gears, int gearCount)
{
    system->pairs.count = 0;
    for (int k = 0; k < gearCount; k++) {
        for (int side = 0; side < 4; side++) {
            if (gears[k].movers[side] >= 0 &&
                !addPair(memory, system, gears[k].movers[side], system->firstGear + k)) {
                return false;
            }
        }
    }
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
    pbdrSystemNode* nodes = system->nodes.items;
    int32_t* pool = system->pool.items;
    int32_t used = 0;
    int at = 0;
    for (int32_t row = 0; row < system->rowCount; row++) {
        nodes[row] = (pbdrSystemNode){.first = used};
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
    pbdrSystemNode *nodes = system->nodes.items, *node = &nodes[row], *other = &nodes[gone];
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

// Whether a row that is gone leaves something on the diagonal of a joint's or gear's: bodies do. What both axes of a gear
// share may leave nothing, where their motions cancel; if it has no other, nothing is better.
static bool unlocks(const pbdrSystem* system, const pbdrActiveGear* gears, int32_t row, int32_t other)
{
    if (row >= system->firstJoint || other < system->firstGear) {
        return row < system->firstJoint;
    }
    const int* movers = gears[other - system->firstGear].movers;
    int times = 0;
    bool others = false;
    for (int side = 0; side < 4; side++) {
        times += movers[side] == row;
        int same = 0;
        for (int k = 0; k < 4; k++) {
            same += movers[k] == movers[side];
        }
        others = others || (movers[side] >= 0 && same == 1);
    }
    return times == 1 || !others;
}

// The row with the fewest neighbours goes next; its neighbours then touch each other. A joint's row goes after that of
// one of its bodies, for it has nothing on the diagonal before. Leaves in the nodes whom each row touched as it went.
// False without memory, or where rows touch more others than the system may have.
static bool orderRows(pbdrMemory* memory, pbdrSystem* system, const pbdrActiveGear* gears)
{
    pbdrSystemNode* nodes = system->nodes.items;
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
            if (!locked || unlocks(system, gears, row, other)) {
                enlist(nodes, heads, other);
                degree = nodes[other].count < degree ? nodes[other].count : degree;
            }
        }
    }
    return true;
}

bool pbdrOrderSystem(pbdrMemory* memory, pbdrSystem* system, const pbdrActivePatch* patches, int patchCount,
                     const pbdrActiveJoint* joints, int jointCount, const pbdrActiveGear* gears,
                     int gearCount)
{
    return listNeighbours(memory, system, patches, patchCount, joints, jointCount, gears, gearCount) &&
           orderRows(memory, system, gears);
}
