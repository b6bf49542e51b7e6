// Contact items: candidates for contact, side by side in columns of one double each, padded to whole vectors.
// An item is a sphere near a plane, two near spheres of different bodies, or a probe of one body near the
// surface of another (touch.h); where it touches it is a contact.
#ifndef PBDR_CONTACT_ITEMS_H
#define PBDR_CONTACT_ITEMS_H

#include "scene/scene.h"

#include <stddef.h>

// Columns of an item: constants, then what it carries from substep to substep, then whatever the engine
// needs within a substep.
enum {
    ITEM_REST,                   // q of A's sphere, three columns [m]
    ITEM_RADIUS = ITEM_REST + 3, // [m]; padding: far below zero
    ITEM_MASS,                   // [kg]
    ITEM_REST_B,                 // the same of B's sphere
    ITEM_RADIUS_B = ITEM_REST_B + 3,
    ITEM_MASS_B,
    ITEM_WEIGHT,                      // share of the patch's stiffness; spheres: 1
    ITEM_FORCE,                       // on A in the last substep, world axes, three columns [N]
    ITEM_TOUCHED = ITEM_FORCE + 3,    // 1 where there was contact, else 0
    ITEM_FRICTION,                    // XPBD-R: tangential part of the force, three columns [N]
    ITEM_FEATURE = ITEM_FRICTION + 3, // touch.h: what a probe remembers, two columns; 0: nothing
    ITEM_SCRATCH = ITEM_FEATURE + 2,
};

// What items carry is kept for all of them. The other columns, constants and scratch, are too; but where there are very
// many items (contact/candidates.c), they stand in a window that an engine places over the items that it works on, and
// fills anew.
typedef struct pbdrItems {
    int count, capacity; // padding included
    int columnCount;
    double* columns; // [column * capacity + item]; with a window: carried ones only
    double* window;  // NULL: there is none
    int windowFirst, windowCapacity;
    int32_t* spheres[2]; // A's and B's, as places in their trees, or their probes; -1: none
    // From a patch's first item on: which of its items are not within faces (touch.h), counted from there, with -1 behind
    // the last if they are not all, and points on edges as -2 less their number; and those that its engine works on in
    // this substep.
    int32_t *outer, *live;
} pbdrItems;

#define PBDR_CARRIED_COLUMNS (ITEM_SCRATCH - ITEM_FORCE)

static inline double* pbdrGetColumn(const pbdrItems* items, int column)
{
    if (items->columns == NULL) {
        return NULL;
    }
    if (items->window == NULL) {
        return items->columns + (size_t)column * (size_t)items->capacity;
    }
    if (column >= ITEM_FORCE && column < ITEM_SCRATCH) {
        return items->columns + (size_t)(column - ITEM_FORCE) * (size_t)items->capacity;
    }
    // only items within the window may be asked for
    const int place = column < ITEM_FORCE ? column : column - PBDR_CARRIED_COLUMNS;
    return items->window + ((ptrdiff_t)place * items->windowCapacity - items->windowFirst);
}

// How far the columns of a vector are apart.
static inline ptrdiff_t pbdrGetColumnStep(const pbdrItems* items, int column)
{
    const bool carried = column >= ITEM_FORCE && column < ITEM_SCRATCH;
    return items->window == NULL || carried ? items->capacity : items->windowCapacity;
}

static inline pbdrVec3 pbdrReadColumns(const pbdrItems* items, int column, int item)
{
    const ptrdiff_t step = pbdrGetColumnStep(items, column);
    const double* at = pbdrGetColumn(items, column) + item;
    return pbdrVec(at[0], at[step], at[2 * step]);
}

static inline void pbdrWriteColumns(const pbdrItems* items, int column, int item, pbdrVec3 a)
{
    const ptrdiff_t step = pbdrGetColumnStep(items, column);
    double* at = pbdrGetColumn(items, column) + item;
    at[0] = a.x;
    at[step] = a.y;
    at[2 * step] = a.z;
}

#endif
