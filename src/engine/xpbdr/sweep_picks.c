// Which contacts are rows of sweeps (sweep.h): a few that hold a patch, then those that the sweeps drive in.
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"

#include <string.h>

// How much farther than the nearest contact of a patch its other rows may be [m].
#define FARTHER 2.0e-4
// Cosine of normals that look the same way.
#define ALIKE 0.5
// Patches whose nearest contact stays farther than this have no rows [m].
#define FARAWAY 1.0e-3
// Contacts that bore load in the last substep count as this much farther out: rows stay what they were.
#define LOYALTY 1.2
// Items that bore load and are no more than this are rows again.
#define MOST_KEPT 8

// --- At first ---

// Columns of the items, and which of them are live.
typedef struct Columns {
    const double *ahead, *touched, *levers, *normals;
    ptrdiff_t leverStep, normalStep;
    const int32_t* live; // NULL: all from the first on
    int first, count;
} Columns;

static Columns getColumns(const pbdrItems* items, const pbdrActivePatch* active)
{
    return (Columns){
        .ahead = pbdrGetColumn(items, ITEM_AHEAD),
        .touched = pbdrGetColumn(items, ITEM_TOUCHED),
        .levers = pbdrGetColumn(items, ITEM_LEVER),
        .normals = pbdrGetColumn(items, ITEM_NORMAL),
        .leverStep = pbdrGetColumnStep(items, ITEM_LEVER),
        .normalStep = pbdrGetColumnStep(items, ITEM_NORMAL),
        .live = active->swept ? items->live + active->law.first : NULL,
        .first = active->law.first,
        .count = pbdrCountLive(active),
    };
}

static inline int getItem(const Columns* columns, int k)
{
    return columns->live != NULL ? columns->live[k] : columns->first + k;
}

static inline pbdrVec3 readVec(const double* column, ptrdiff_t step, int item)
{
    return pbdrVec(column[item], column[item + step], column[item + 2 * step]);
}

static inline pbdrVec3 getLever(const Columns* columns, int item)
{
    return readVec(columns->levers, columns->leverStep, item);
}

// How much an item counts in the choice.
static inline double getLoyalty(const Columns* columns, int item)
{
    return columns->touched[item] > 0.0 ? LOYALTY : 1.0;
}

static inline double getDistance2(const Columns* columns, int a, int b)
{
    const pbdrVec3 d = pbdrSub(getLever(columns, a), getLever(columns, b));
    return pbdrDot(d, d);
}

// Twice the area of a triangle of points, with the sign of its turn about n.
static inline double getTurn(const Columns* columns, int a, int b, int c, pbdrVec3 n)
{
    const pbdrVec3 origin = getLever(columns, a);
    const pbdrVec3 first = pbdrSub(getLever(columns, b), origin),
                   second = pbdrSub(getLever(columns, c), origin);
    return pbdrDot(n, pbdrCross(first, second));
}

// Whether an item may hold a patch beside its nearest one, whose normal is n: one that is as near, and that looks the same
// way if it does not touch. A corner just beside a face would stand for one that is on it.
static inline bool mayHold(const Columns* columns, int item, pbdrVec3 n, double limit)
{
    const double ahead = columns->ahead[item];
    return ahead <= limit &&
           (ahead <= 0.0 || pbdrDot(n, readVec(columns->normals, columns->normalStep, item)) > ALIKE);
}

// Items that bore load in the last substep stay rows, if they are few: they were rows then.
static void keepRows(const Columns* columns, int touchedCount, pbdrSweepPick* pick)
{
    if (touchedCount > MOST_KEPT) {
        return;
    }
    const int chosen = pick->count;
    for (int k = 0, left = touchedCount; k < columns->count && left > 0; k++) {
        const int i = getItem(columns, k);
        if (!(columns->touched[i] > 0.0)) {
            continue;
        }
        left--;
        bool known = !(columns->ahead[i] < FARAWAY);
        for (int j = 0; j < chosen; j++) {
            known = known || pick->items[j] == i;
        }
        if (!known) {
            pick->items[pick->count++] = i;
        }
    }
}

// The nearest item; of those as near, the one that bore load: rounding does not choose. Counts those that bore load.
static int findNearest(const Columns* columns, int* touchedCount)
{
    const double *ahead = columns->ahead, *touched = columns->touched;
    int nearest = getItem(columns, 0);
    *touchedCount = 0;
    for (int k = 0; k < columns->count; k++) {
        const int i = getItem(columns, k);
        nearest = ahead[i] < ahead[nearest] ? i : nearest;
        *touchedCount += touched[i] > 0.0;
    }
    if (touched[nearest] > 0.0 || *touchedCount == 0) {
        return nearest;
    }
    for (int k = 0; k < columns->count; k++) {
        const int i = getItem(columns, k);
        if (ahead[i] <= ahead[nearest] + 1.0e-9 && touched[i] > 0.0) {
            return i;
        }
    }
    return nearest;
}

pbdrSweepPick pbdrPickRows(const pbdrItems* items, const pbdrActivePatch* active)
{
    const Columns columns = getColumns(items, active);
    pbdrSweepPick pick;
    pick.count = 0;
    pick.next = -1;
    if (columns.count == 0) {
        return pick;
    }
    int touchedCount;
    const int nearest = findNearest(&columns, &touchedCount);
    if (!(columns.ahead[nearest] < FARAWAY)) {
        return pick;
    }
    const double limit = columns.ahead[nearest] + FARTHER;
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, nearest);
    int farthest = nearest, left = -1, right = -1;
    double distance = 1.0e-12, most = 0.0, least = 0.0;
    for (int k = 0; k < columns.count; k++) {
        const int i = getItem(&columns, k);
        if (!mayHold(&columns, i, n, limit)) {
            continue;
        }
        const double d = getLoyalty(&columns, i) * getDistance2(&columns, nearest, i);
        if (d > distance) {
            distance = d;
            farthest = i;
        }
    }
    pick.items[pick.count++] = nearest;
    if (farthest == nearest) {
        keepRows(&columns, touchedCount, &pick);
        return pick;
    }
    pick.items[pick.count++] = farthest;
    const double enough = 1.0e-3 * distance;
    for (int k = 0; k < columns.count; k++) {
        const int i = getItem(&columns, k);
        if (!mayHold(&columns, i, n, limit)) {
            continue;
        }
        const double turn = getLoyalty(&columns, i) * getTurn(&columns, nearest, farthest, i, n);
        if (turn > enough && turn > most) {
            most = turn;
            left = i;
        }
        if (turn < -enough && turn < least) {
            least = turn;
            right = i;
        }
    }
    if (left >= 0) {
        pick.items[pick.count++] = left;
    }
    if (right >= 0) {
        pick.items[pick.count++] = right;
    }
    keepRows(&columns, touchedCount, &pick);
    return pick;
}

// --- Driven in ---

void pbdrMarkRows(const pbdrSweeps* sweeps, const pbdrSweepPart* part)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    double* marks = pbdrGetColumn(items, ITEM_ROW);
    for (int k = part->firstPatch; k < part->firstPatch + part->patchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[sweeps->order[k]];
        for (int i = 0; i < pbdrCountLive(active); i++) {
            marks[pbdrGetLive(items, active, i)] = 0.0;
        }
    }
    for (int layer = 0; layer < sweeps->layerCount; layer++) {
        for (int k = 0; k < part->layers[layer].count; k++) {
            const pbdrSweepGroup* group = &sweeps->groups[part->layers[layer].first + k];
            for (int i = 0; i < PBDR_SWEEP_LANES * group->rowCount; i++) {
                const int item =
                    sweeps->rows[group->firstRow + i / PBDR_SWEEP_LANES].item[i % PBDR_SWEEP_LANES];
                if (item >= 0) {
                    marks[item] = 1.0;
                }
            }
        }
    }
}

int pbdrFindDeepest(const pbdrSweeps* sweeps, const pbdrActivePatch* active, double deep)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    const double *state = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state),
                 *ahead = pbdrGetColumn(items, ITEM_AHEAD), *marks = pbdrGetColumn(items, ITEM_ROW);
    const double dt = solve->world->scene->timeStep;
    const pbdrTwist velocity = pbdrGetPatchVelocity(solve->world, active);
    pbdrTwist move = pbdrStill, other = pbdrStill;
    if (active->moverA >= 0) {
        memcpy(move.v, sweeps->motions[active->moverA].v, sizeof move.v);
    }
    if (active->moverB >= 0) {
        memcpy(other.v, sweeps->motions[active->moverB].v, sizeof other.v);
        move = pbdrSubtractTwist(&move, &other, active->between);
    }
    int deepest = -1;
    double depth = -deep;
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        if (marks[i] > 0.0) {
            continue;
        }
        const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i),
                       lever = pbdrReadColumns(items, ITEM_LEVER, i);
        const double gap = ahead[i] - dt * pbdrDot(n, pbdrMoveLever(&velocity, lever));
        const double end = state[i] - fmin(gap, 0.0) + pbdrDot(n, pbdrMoveLever(&move, lever));
        if (end < depth) {
            depth = end;
            deepest = i;
        }
    }
    return deepest;
}
