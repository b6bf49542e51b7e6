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

// How much an item counts in the choice.
static double getLoyalty(const pbdrItems* items, int item)
{
    return pbdrGetColumn(items, ITEM_TOUCHED)[item] > 0.0 ? LOYALTY : 1.0;
}

static double getDistance2(const pbdrItems* items, int a, int b)
{
    pbdrVec3 d = pbdrSub(pbdrReadColumns(items, ITEM_LEVER, a), pbdrReadColumns(items, ITEM_LEVER, b));
    return pbdrDot(d, d);
}

// Twice the area of a triangle of points, with the sign of its turn about n.
static double getTurn(const pbdrItems* items, int a, int b, int c, pbdrVec3 n)
{
    pbdrVec3 origin = pbdrReadColumns(items, ITEM_LEVER, a);
    pbdrVec3 first = pbdrSub(pbdrReadColumns(items, ITEM_LEVER, b), origin);
    pbdrVec3 second = pbdrSub(pbdrReadColumns(items, ITEM_LEVER, c), origin);
    return pbdrDot(n, pbdrCross(first, second));
}

// Whether an item may hold a patch beside its nearest one, whose normal is n: one that is as near, and that looks the same
// way if it does not touch. A corner just beside a face would stand for one that is on it.
static bool mayHold(const pbdrItems* items, int item, pbdrVec3 n, double limit)
{
    const double ahead = pbdrGetColumn(items, ITEM_AHEAD)[item];
    return ahead <= limit && (ahead <= 0.0 || pbdrDot(n, pbdrReadColumns(items, ITEM_NORMAL, item)) > ALIKE);
}

// Items that bore load in the last substep stay rows, if they are few: they were rows then.
static void keepRows(const pbdrItems* items, const pbdrActivePatch* active, pbdrSweepPick* pick)
{
    const double *touched = pbdrGetColumn(items, ITEM_TOUCHED), *ahead = pbdrGetColumn(items, ITEM_AHEAD);
    int count = 0;
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        count += touched[i] > 0.0;
    }
    if (count > MOST_KEPT) {
        return;
    }
    const int chosen = pick->count;
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        bool known = !(touched[i] > 0.0 && ahead[i] < FARAWAY);
        for (int j = 0; j < chosen; j++) {
            known = known || pick->items[j] == i;
        }
        if (!known) {
            pick->items[pick->count++] = i;
        }
    }
}

pbdrSweepPick pbdrPickRows(const pbdrItems* items, const pbdrActivePatch* active)
{
    const double* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    pbdrSweepPick pick = {.next = -1};
    if (pbdrCountLive(active) == 0) {
        return pick;
    }
    int nearest = pbdrGetLive(items, active, 0);
    for (int k = 1; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        nearest = ahead[i] < ahead[nearest] ? i : nearest;
    }
    if (!(ahead[nearest] < FARAWAY)) {
        return pick;
    }
    const double limit = ahead[nearest] + FARTHER;
    // of those as near, the one that bore load: rounding does not choose
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        if (ahead[i] <= ahead[nearest] + 1.0e-9 && getLoyalty(items, i) > getLoyalty(items, nearest)) {
            nearest = i;
            break;
        }
    }
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, nearest);
    int farthest = nearest, left = -1, right = -1;
    double distance = 1.0e-12, most = 0.0, least = 0.0;
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        double d = mayHold(items, i, n, limit) ? getLoyalty(items, i) * getDistance2(items, nearest, i) : 0.0;
        if (d > distance) {
            distance = d;
            farthest = i;
        }
    }
    pick.items[pick.count++] = nearest;
    if (farthest == nearest) {
        keepRows(items, active, &pick);
        return pick;
    }
    pick.items[pick.count++] = farthest;
    const double enough = 1.0e-3 * distance;
    for (int k = 0; k < pbdrCountLive(active); k++) {
        const int i = pbdrGetLive(items, active, k);
        double turn = mayHold(items, i, n, limit)
                          ? getLoyalty(items, i) * getTurn(items, nearest, farthest, i, n)
                          : 0.0;
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
    keepRows(items, active, &pick);
    return pick;
}

// --- Driven in ---

void pbdrMarkRows(const pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    double* marks = pbdrGetColumn(items, ITEM_ROW);
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        for (int i = 0; i < pbdrCountLive(active); i++) {
            marks[pbdrGetLive(items, active, i)] = 0.0;
        }
    }
    for (int k = 0; k < sweeps->rowCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            if (sweeps->rows[k].item[lane] >= 0) {
                marks[sweeps->rows[k].item[lane]] = 1.0;
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
