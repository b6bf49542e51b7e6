// Marching tetrahedra on the cells that a level set crosses, found by going from cell to neighbouring cell
// (Bloomenthal 1988), so that only nodes near the surface are ever asked for their value.
//
// A cell is cut into six tetrahedra around its diagonal from corner 0 to corner 7 (bit k of a corner's number
// is its place along axis k); the cut is the same in all cells, so faces match, and the field is linear on
// each. Every triangle's side lies in a face that two tetrahedra share, and both cut it the same way: the
// mesh is closed and consistently oriented whatever the field.
#include "geometry/sparse_grid.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

// Tetrahedra in the order of their corners along the diagonal, turned to have a positive volume.
static const int tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                     {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
// By which corners are above the level: an even order that puts them first (of three, the one below), then
// how many there are.
static const int orders[16][5] = {{0, 1, 2, 3, 0}, {0, 1, 2, 3, 1}, {1, 0, 3, 2, 1}, {0, 1, 2, 3, 2},
                                  {2, 3, 0, 1, 1}, {0, 2, 3, 1, 2}, {1, 2, 0, 3, 2}, {3, 2, 1, 0, 3},
                                  {3, 2, 1, 0, 1}, {0, 3, 1, 2, 2}, {1, 3, 2, 0, 2}, {2, 3, 0, 1, 3},
                                  {2, 3, 0, 1, 2}, {1, 0, 3, 2, 3}, {0, 1, 2, 3, 3}, {0, 1, 2, 3, 4}};
// A vertex keeps this far from the ends of its edge, so that no two vertices fall together on a node.
#define EDGE_MARGIN 1.0e-3
#define MAX_TRIANGLES 100000000

// --- Tables ---

static uint64_t getKey(pbdrGridPlace place, int kind)
{
    uint64_t key = 1;
    for (int k = 0; k < 3; k++) {
        key = key << 19 | (uint64_t)(place.i[k] + PBDR_GRID_LIMIT);
    }
    return key << 3 | (uint64_t)kind;
}

static size_t hashKey(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(key ^ (key >> 31));
}

// The slot of a key, or the free one that it would take.
static size_t findSlot(const pbdrKeyTable* table, uint64_t key)
{
    size_t slot = hashKey(key) & (table->capacity - 1);
    while (table->keys[slot] != 0 && table->keys[slot] != key) {
        slot = (slot + 1) & (table->capacity - 1);
    }
    return slot;
}

static void freeTable(pbdrKeyTable* table, const pbdrHooks* hooks)
{
    pbdrRelease(hooks, table->keys, table->capacity, sizeof *table->keys);
    pbdrRelease(hooks, table->values, table->capacity, sizeof *table->values);
    *table = (pbdrKeyTable){0};
}

// Makes room for one more, at most half full.
static bool growTable(pbdrKeyTable* table, const pbdrHooks* hooks)
{
    if (2 * (table->count + 1) <= table->capacity) {
        return true;
    }
    pbdrKeyTable grown = {.capacity = table->capacity > 0 ? 2 * table->capacity : 1024,
                          .count = table->count};
    grown.keys = pbdrAllocate(hooks, grown.capacity, sizeof *grown.keys);
    grown.values = pbdrAllocate(hooks, grown.capacity, sizeof *grown.values);
    if (grown.keys == NULL || grown.values == NULL) {
        freeTable(&grown, hooks);
        return false;
    }
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->keys[i] != 0) {
            size_t slot = findSlot(&grown, table->keys[i]);
            grown.keys[slot] = table->keys[i];
            grown.values[slot] = table->values[i];
        }
    }
    freeTable(table, hooks);
    *table = grown;
    return true;
}

// The value's place in the table; *isNew says that it has none yet. NULL, and the grid's status, on failure.
static double* findValue(pbdrSparseGrid* grid, pbdrKeyTable* table, pbdrGridPlace place, int kind,
                         bool* isNew)
{
    for (int k = 0; k < 3; k++) {
        if (place.i[k] < -PBDR_GRID_LIMIT || place.i[k] >= PBDR_GRID_LIMIT) {
            grid->status = pbdr_statusInvalidArgument;
            return NULL;
        }
    }
    if (grid->nodeLimit > 0 && grid->nodes.count >= grid->nodeLimit) {
        grid->status = pbdr_statusInvalidArgument;
        return NULL;
    }
    if (!growTable(table, grid->hooks)) {
        grid->status = pbdr_statusNoMemory;
        return NULL;
    }
    uint64_t key = getKey(place, kind);
    size_t slot = findSlot(table, key);
    *isNew = table->keys[slot] == 0;
    table->count += *isNew;
    table->keys[slot] = key;
    return &table->values[slot];
}

// Room for `more` items at the end of an array; doubles it. NULL, and the grid's status, on failure.
static void* growArray(pbdrSparseGrid* grid, void* array, size_t count, size_t* capacity, size_t more,
                       size_t size)
{
    if (count + more <= *capacity) {
        return array;
    }
    size_t wanted = 2 * *capacity + 1024;
    void* grown = pbdrAllocate(grid->hooks, wanted, size);
    if (grown == NULL) {
        grid->status = pbdr_statusNoMemory;
        return NULL;
    }
    if (array != NULL) {
        memcpy(grown, array, count * size);
        pbdrRelease(grid->hooks, array, *capacity, size);
    }
    *capacity = wanted;
    return grown;
}

void pbdrFreeSparseGrid(pbdrSparseGrid* grid)
{
    freeTable(&grid->nodes, grid->hooks);
    freeTable(&grid->cells, grid->hooks);
    freeTable(&grid->edges, grid->hooks);
    pbdrRelease(grid->hooks, grid->queue, grid->queueCapacity, sizeof *grid->queue);
    pbdrRelease(grid->hooks, grid->vertices, grid->vertexCapacity, sizeof *grid->vertices);
    pbdrRelease(grid->hooks, grid->triangles, grid->triangleCapacity, sizeof *grid->triangles);
}

// --- The field ---

static pbdrGridPlace getCorner(pbdrGridPlace cell, int corner)
{
    return (pbdrGridPlace){
        {cell.i[0] + (corner & 1), cell.i[1] + (corner >> 1 & 1), cell.i[2] + (corner >> 2)}};
}

static pbdrVec3 getNodePosition(const pbdrSparseGrid* grid, pbdrGridPlace node)
{
    return pbdrAddScaled(grid->origin, grid->cellSize, pbdrVec(node.i[0], node.i[1], node.i[2]));
}

// The field at the corners of a cell. False on failure.
static bool getCellField(pbdrSparseGrid* grid, pbdrGridPlace cell, double field[8])
{
    for (int c = 0; c < 8; c++) {
        pbdrGridPlace node = getCorner(cell, c);
        bool isNew;
        double* value = findValue(grid, &grid->nodes, node, 0, &isNew);
        if (value == NULL) {
            return false;
        }
        if (isNew) {
            *value = grid->getField(grid->context, getNodePosition(grid, node));
        }
        field[c] = *value;
    }
    return true;
}

pbdrGridPlace pbdrGetGridCell(const pbdrSparseGrid* grid, pbdrVec3 place)
{
    pbdrVec3 d = pbdrScale(1.0 / grid->cellSize, pbdrSub(place, grid->origin));
    double limit = PBDR_GRID_LIMIT; // beyond which findValue refuses
    return (pbdrGridPlace){{(int32_t)fmin(fmax(floor(d.x), -limit - 1.0), limit),
                            (int32_t)fmin(fmax(floor(d.y), -limit - 1.0), limit),
                            (int32_t)fmin(fmax(floor(d.z), -limit - 1.0), limit)}};
}

double pbdrInterpolateField(pbdrSparseGrid* grid, pbdrVec3 place)
{
    pbdrGridPlace cell = pbdrGetGridCell(grid, place);
    double field[8];
    if (!getCellField(grid, cell, field)) {
        return 0.0;
    }
    pbdrVec3 d = pbdrScale(1.0 / grid->cellSize, pbdrSub(place, getNodePosition(grid, cell)));
    double along[3] = {d.x, d.y, d.z};
    // From corner 0 along the axes, the farthest first: the corners of the tetrahedron around the place.
    int axes[3] = {0, 1, 2}, corner = 0;
    for (int pass = 0; pass < 3; pass++) {
        int a = pass == 1 ? 1 : 0;
        if (along[axes[a + 1]] > along[axes[a]]) {
            int swapped = axes[a];
            axes[a] = axes[a + 1];
            axes[a + 1] = swapped;
        }
    }
    double value = field[0];
    for (int k = 0; k < 3; k++) {
        int next = corner | 1 << axes[k];
        value += along[axes[k]] * (field[next] - field[corner]);
        corner = next;
    }
    return value;
}

void pbdrChangeField(pbdrSparseGrid* grid, pbdrFieldFunction getNewField, pbdrFieldFunction getChange,
                     const void* context)
{
    for (size_t slot = 0; slot < grid->nodes.capacity; slot++) {
        uint64_t key = grid->nodes.keys[slot] >> 3;
        pbdrGridPlace node;
        if (key == 0) {
            continue;
        }
        for (int k = 2; k >= 0; k--, key >>= 19) {
            node.i[k] = (int32_t)(key & ((1 << 19) - 1)) - PBDR_GRID_LIMIT;
        }
        grid->nodes.values[slot] += getChange(context, getNodePosition(grid, node));
    }
    grid->getField = getNewField;
    grid->context = context;
}

bool pbdrIsCellCrossed(pbdrSparseGrid* grid, pbdrGridPlace cell, double level)
{
    double field[8];
    int above = 0;
    if (!getCellField(grid, cell, field)) {
        return false;
    }
    for (int c = 0; c < 8; c++) {
        above += field[c] > level;
    }
    return above > 0 && above < 8;
}

// --- Triangles ---

// The vertex on the edge between two corners of a cell, one of them on each side. -1 on failure.
static int32_t findVertex(pbdrSparseGrid* grid, pbdrGridPlace cell, const double field[8], double level,
                          int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a; // along the diagonal the bits of the first are the other's
    bool isNew;
    double* value = findValue(grid, &grid->edges, getCorner(cell, low), low ^ high, &isNew);
    if (value == NULL) {
        return -1;
    }
    if (!isNew) {
        return (int32_t)*value;
    }
    *value = grid->vertexCount;
    size_t capacity = (size_t)grid->vertexCapacity;
    pbdrVec3* vertices =
        growArray(grid, grid->vertices, (size_t)grid->vertexCount, &capacity, 1, sizeof *vertices);
    if (vertices == NULL) {
        return -1;
    }
    grid->vertices = vertices;
    grid->vertexCapacity = (int)capacity;
    double t = (level - field[low]) / (field[high] - field[low]);
    t = fmin(fmax(t, EDGE_MARGIN), 1.0 - EDGE_MARGIN);
    pbdrVec3 from = getNodePosition(grid, getCorner(cell, low)),
             to = getNodePosition(grid, getCorner(cell, high));
    grid->vertices[grid->vertexCount] = pbdrAddScaled(from, t, pbdrSub(to, from));
    return grid->vertexCount++;
}

static void addTriangle(pbdrSparseGrid* grid, const int32_t corners[3])
{
    size_t capacity = (size_t)grid->triangleCapacity;
    void* triangles =
        growArray(grid, grid->triangles, (size_t)grid->triangleCount, &capacity, 1, sizeof *grid->triangles);
    if (triangles == NULL) {
        return;
    }
    grid->triangles = triangles;
    grid->triangleCapacity = (int)capacity;
    if (grid->triangleCount == MAX_TRIANGLES) {
        grid->status = pbdr_statusInvalidArgument;
        return;
    }
    memcpy(grid->triangles[grid->triangleCount++], corners, 3 * sizeof *corners);
}

// Edges between the corners above the level and the others, counter-clockwise seen from below the level.
static void cutTetrahedron(pbdrSparseGrid* grid, pbdrGridPlace cell, const double field[8], double level,
                           const int corners[4])
{
    int mask = 0;
    for (int k = 0; k < 4; k++) {
        mask |= (field[corners[k]] > level) << k;
    }
    const int* order = orders[mask];
    int above = order[4], c[4];
    if (above == 0 || above == 4) {
        return;
    }
    for (int k = 0; k < 4; k++) {
        c[k] = corners[order[k]];
    }
    static const int sides[2][4][2] = {{{0, 1}, {0, 2}, {0, 3}, {0, 0}}, {{0, 2}, {0, 3}, {1, 3}, {1, 2}}};
    const int(*side)[2] = sides[above == 2];
    int32_t v[4] = {0};
    for (int k = 0; k < (above == 2 ? 4 : 3); k++) {
        v[k] = findVertex(grid, cell, field, level, c[side[k][0]], c[side[k][1]]);
        if (v[k] < 0) {
            return;
        }
    }
    addTriangle(grid, above == 3 ? (int32_t[3]){v[0], v[2], v[1]} : (int32_t[3]){v[0], v[1], v[2]});
    if (above == 2) {
        addTriangle(grid, (int32_t[3]){v[0], v[2], v[3]});
    }
}

// Adds a cell to the queue unless it was there.
static void visit(pbdrSparseGrid* grid, pbdrGridPlace cell)
{
    bool isNew;
    if (findValue(grid, &grid->cells, cell, 0, &isNew) == NULL || !isNew) {
        return;
    }
    pbdrGridPlace* queue =
        growArray(grid, grid->queue, grid->queueCount, &grid->queueCapacity, 1, sizeof *queue);
    if (queue != NULL) {
        grid->queue = queue;
        grid->queue[grid->queueCount++] = cell;
    }
}

void pbdrFollowLevelSet(pbdrSparseGrid* grid, pbdrGridPlace start, double level)
{
    visit(grid, start);
    while (grid->queueCount > 0 && grid->status == pbdr_statusOk) {
        pbdrGridPlace cell = grid->queue[--grid->queueCount];
        double field[8];
        if (!getCellField(grid, cell, field)) {
            return;
        }
        for (int t = 0; t < 6; t++) {
            cutTetrahedron(grid, cell, field, level, tetrahedra[t]);
        }
        for (int face = 0; face < 6; face++) {
            int axis = face / 2, bit = face % 2, above = 0;
            for (int c = 0; c < 8; c++) {
                above += (c >> axis & 1) == bit && field[c] > level;
            }
            if (above > 0 && above < 4) {
                pbdrGridPlace next = cell;
                next.i[axis] += bit == 1 ? 1 : -1;
                visit(grid, next);
            }
        }
    }
}
