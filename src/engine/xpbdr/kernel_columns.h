// Columns of contact items as vectors, for the kernels.
#ifndef PBDR_ENGINE_XPBDR_KERNEL_COLUMNS_H
#define PBDR_ENGINE_XPBDR_KERNEL_COLUMNS_H

#include "math/simd.h"

#include "engine/xpbdr/kernel.h"

// --- Columns ---

typedef struct Columns {
    void* normal[3];
    void* lever[3];
    void* hold[3];
    const real* weight;
} Columns;

static inline void getVecColumns(const pbdrItems* items, int column, void* arrays[3])
{
    const ptrdiff_t step = pbdrGetColumnStep(items, column);
    double* first = pbdrGetColumn(items, column);
    for (int k = 0; k < 3; k++) {
        arrays[k] = first != NULL ? first + k * step : NULL;
    }
}

static inline Columns getColumns(const pbdrItems* items)
{
    Columns columns;
    getVecColumns(items, ITEM_NORMAL, columns.normal);
    getVecColumns(items, ITEM_LEVER, columns.lever);
    getVecColumns(items, ITEM_HOLD, columns.hold);
    columns.weight = pbdrGetColumn(items, ITEM_WEIGHT);
    return columns;
}

// g and p of a state.
typedef struct State {
    real* g;
    void* p[3];
} State;

static inline State getState(const pbdrItems* items, int state)
{
    State columns;
    columns.g = pbdrGetColumn(items, ITEM_STATE + 4 * state);
    getVecColumns(items, ITEM_STATE + 4 * state + 1, columns.p);
    return columns;
}

// --- Vectors ---

// A twist in all lanes.
typedef struct vtwist {
    vvec linear, angular;
} vtwist;

static inline vtwist vsetTwist(const pbdrTwist* t)
{
    return (vtwist){vsetVec(t->v[0], t->v[1], t->v[2]), vsetVec(t->v[3], t->v[4], t->v[5])};
}

// J y of one side: y_u + y_w x r
static inline vvec moveLever(vtwist y, vvec r)
{
    return vaddVec(y.linear, vcrossVec(y.angular, r));
}

// a - n (n.a)
static inline vvec tangent(vvec a, vvec n)
{
    return vsubVec(a, vscaleVec(vdotVec(n, a), n));
}

#endif
