// The rows of sweeps (sweep.h) and which patches are swept together.
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"
#include "tasks/tasks.h"

#include <string.h>

// Colours: patches of one colour share no body that moves. What finds none is swept alone.
#define COLOURS 64
// Patches or groups that a thread takes at a time.
#define SHARE 16
// Gaps that are rounding, per metre of distance from the origin.
#define ROUNDING 4.0e-15
// Overlap that stays, over the thickness of bodies: a hundredth of a millimetre shows in a domino.
#define THIN_SLACK 5.0e-3
// What a substep takes back of what is deeper.
#define RECOVERY 0.2

// Gaps are known to some units in the last place of the positions [m].
static double getRounding(const pbdrSolve* solve)
{
    double farthest = 1.0;
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrVec3 c = pbdrGetBody(solve->world->scene, solve->movers[k].body)->centre;
        farthest = fmax(farthest, fmax(fabs(c.x), fmax(fabs(c.y), fabs(c.z))));
    }
    return ROUNDING * farthest;
}

// The radius of the largest ball in a body, or of its smallest sphere [m].
static double getThickness(const pbdrBody* body)
{
    const pbdrSurface* surface = &body->shape->surface;
    const double bulk = pbdrSurface_GetBulk(surface);
    return bulk > 0.0 ? bulk : surface->round > 0.0 ? surface->round : body->shape->margin / PBDR_PAIR_MARGIN;
}

// Overlap of a patch that stays [m].
static double getSlack(const pbdrXpbdrWorld* world, const pbdrActivePatch* active)
{
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    double least = getThickness(pbdrGetBody(world->scene, patch->bodyA));
    if (patch->bodyB >= 0) {
        least = fmin(least, getThickness(pbdrGetBody(world->scene, patch->bodyB)));
    }
    return fmin(PBDR_SWEEP_SLACK, THIN_SLACK * least);
}

// --- Rows ---

// How far a point gives way per newton: a symmetric matrix.
typedef struct Give {
    double xx, yy, zz, xy, xz, yz; // [m/N]
} Give;

// Adds what one side gives: m + [r] S [r]^T, with r x e_k as the columns of [r]^T.
static void addGive(Give* give, double mass, const pbdrLaneTensor* spin, int lane, pbdrVec3 r)
{
    const double xx = spin->m[0][lane], yy = spin->m[1][lane], zz = spin->m[2][lane], xy = spin->m[3][lane],
                 xz = spin->m[4][lane], yz = spin->m[5][lane];
    // S (r x e_x) and so on
    const pbdrVec3 x = {xy * r.z - xz * r.y, yy * r.z - yz * r.y, yz * r.z - zz * r.y},
                   y = {xz * r.x - xx * r.z, yz * r.x - xy * r.z, zz * r.x - xz * r.z},
                   z = {xx * r.y - xy * r.x, xy * r.y - yy * r.x, xz * r.y - yz * r.x};
    give->xx += mass + r.z * x.y - r.y * x.z;
    give->yy += mass + r.x * y.z - r.z * y.x;
    give->zz += mass + r.y * z.x - r.x * z.y;
    give->xy += r.z * y.y - r.y * y.z;
    give->xz += r.z * z.y - r.y * z.z;
    give->yz += r.x * z.z - r.z * z.x;
}

// Along n, and across it in the direction that gives most: friction is isotropic.
static void splitGive(const Give* give, pbdrVec3 n, double* along, double* across)
{
    const pbdrVec3 k = {give->xx * n.x + give->xy * n.y + give->xz * n.z,
                        give->xy * n.x + give->yy * n.y + give->yz * n.z,
                        give->xz * n.x + give->yz * n.y + give->zz * n.z};
    *along = pbdrDot(n, k);
    // the two eigenvalues across n, by their sum and the sum of their squares
    const double sum = give->xx + give->yy + give->zz - *along;
    const double squares = give->xx * give->xx + give->yy * give->yy + give->zz * give->zz +
                           2.0 * (give->xy * give->xy + give->xz * give->xz + give->yz * give->yz) -
                           2.0 * pbdrDot(k, k) + *along * *along;
    *across = 0.5 * (sum + sqrt(pbdrMax(0.0, 2.0 * squares - sum * sum)));
}

static void makeRow(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, int item,
                    const pbdrTwist* velocity, pbdrSweepRow* row)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrItems* items = pbdrGetItems(solve);
    const double dt = solve->world->scene->timeStep;
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, item),
                   lever = pbdrReadColumns(items, ITEM_LEVER, item),
                   leverB = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
    const pbdrVec3 way = pbdrScale(dt, pbdrMoveLever(velocity, lever));
    // what restitution aims at stands in the state, not in the column of gaps
    double ahead = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state)[item];
    const double gap = pbdrGetColumn(items, ITEM_AHEAD)[item] - pbdrDot(n, way);
    // so does a gap that is rounding: closing it would keep bodies moving for ever
    if (gap < sweeps->rounding) {
        ahead += fmin(RECOVERY * (gap + group->slack[lane]), 0.0) - gap;
    }
    row->item[lane] = item;
    pbdrWriteLane(&row->n, lane, n);
    pbdrWriteLane(&row->lever, lane, lever);
    pbdrWriteLane(&row->way, lane, way);
    row->ahead[lane] = ahead;
    Give give = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    addGive(&give, group->massA[lane], &group->spinA, lane, lever);
    addGive(&give, group->massB[lane], &group->spinB, lane, leverB);
    splitGive(&give, n, &row->give[lane], &row->giveAcross[lane]);
    row->perNormal[lane] = 1.0 / row->give[lane];
    row->perSlip[lane] = 1.0 / row->giveAcross[lane];
}

// --- Groups ---

static void setSide(const pbdrSolve* solve, int mover, int lane, double mass[PBDR_SWEEP_LANES],
                    pbdrLaneTensor* spin)
{
    if (mover < 0) {
        mass[lane] = 0.0;
        for (int k = 0; k < 6; k++) {
            spin->m[k][lane] = 0.0;
        }
        return;
    }
    const double dt2 = 1.0 / solve->perStep;
    const pbdrBody* body = pbdrGetBody(solve->world->scene, solve->movers[mover].body);
    const pbdrMat3 inverse = pbdrTurnTensor(&body->frame, &body->shape->inverseTurning);
    mass[lane] = dt2 / solve->movers[mover].mass;
    const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
    for (int k = 0; k < 6; k++) {
        spin->m[k][lane] = dt2 * inverse.m[rows[k]][columns[k]];
    }
}

static void setRolling(const pbdrSweeps* sweeps, pbdrSweepGroup* group, int lane,
                       const pbdrActivePatch* active, const pbdrTwist* velocity)
{
    const pbdrSolve* solve = sweeps->solve;
    if (!active->rolling.active) {
        return;
    }
    group->rolls = true;
    group->roll[lane] = active->rolling.roll;
    group->spin[lane] = active->rolling.spin;
    pbdrWriteLane(&group->axis, lane, active->rolling.normal);
    pbdrWriteLane(&group->turn, lane, pbdrScale(solve->world->scene->timeStep, pbdrGetAngular(velocity)));
    pbdrWriteLane(&group->moment, lane, active->rolling.hold);
    double most = 0.0;
    for (int k = 0; k < 3; k++) {
        most += group->spinA.m[k][lane] + group->spinB.m[k][lane];
    }
    group->perTurn[lane] = 1.0 / most; // below the stiffness about any axis
}

// An empty group. NULL without memory.
static pbdrSweepGroup* addGroup(pbdrSweeps* sweeps)
{
    pbdrXpbdrWorker* worker = sweeps->solve->worker;
    pbdrSweepGroup* group = pbdrListPush(&worker->memory, &worker->sweepGroups);
    if (group == NULL) {
        return NULL;
    }
    sweeps->groups = worker->sweepGroups.items;
    sweeps->groupCount = worker->sweepGroups.count;
    group->firstRow = sweeps->rowCount;
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        group->patch[lane] = -1;
        group->moverA[lane] = group->moverB[lane] = sweeps->solve->moverCount;
    }
    return group;
}

static void setLane(const pbdrSweeps* sweeps, pbdrSweepGroup* group, int lane, int patch)
{
    const pbdrSolve* solve = sweeps->solve;
    const pbdrActivePatch* active = &solve->activePatches[patch];
    group->patch[lane] = patch;
    group->moverA[lane] = active->moverA >= 0 ? active->moverA : solve->moverCount;
    group->moverB[lane] = active->moverB >= 0 ? active->moverB : solve->moverCount;
    group->mu[lane] = active->law.mu;
    group->slack[lane] = getSlack(solve->world, active);
    pbdrWriteLane(&group->between, lane, active->between);
    setSide(solve, active->moverA, lane, group->massA, &group->spinA);
    setSide(solve, active->moverB, lane, group->massB, &group->spinB);
}

// Rows for a group, not yet made. False without memory.
static bool addRows(pbdrSweeps* sweeps, pbdrSweepGroup* group, int count)
{
    pbdrXpbdrWorker* worker = sweeps->solve->worker;
    const int needed = sweeps->rowCount + count;
    if (needed > worker->sweepRows.capacity &&
        !pbdrListReserve(&worker->memory, &worker->sweepRows, needed + needed / 2)) {
        return false;
    }
    sweeps->rows = worker->sweepRows.items;
    worker->sweepRows.count = needed;
    group->firstRow = sweeps->rowCount;
    group->rowCount = count;
    sweeps->rowCount = needed;
    return true;
}

// A group's rows without contacts.
static void clearRows(const pbdrSweeps* sweeps, const pbdrSweepGroup* group)
{
    memset(sweeps->rows + group->firstRow, 0, (size_t)group->rowCount * sizeof *sweeps->rows);
    for (int k = 0; k < group->rowCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            sweeps->rows[group->firstRow + k].item[lane] = -1;
        }
    }
}

// The rows of a patch start with what they bore in the last substep; what other items bore is shared out among them.
static void startRows(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, int rowCount)
{
    const pbdrItems* items = pbdrGetItems(sweeps->solve);
    const pbdrActivePatch* active = &sweeps->solve->activePatches[group->patch[lane]];
    const double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    pbdrSweepRow* rows = sweeps->rows + group->firstRow;
    double total = 0.0, own = 0.0;
    pbdrVec3 drag = {0.0, 0.0, 0.0}, ownDrag = drag;
    for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
        if (touched[i] > 0.0) {
            // items that are not live have no normal now
            const pbdrVec3 t = pbdrReadColumns(items, ITEM_FRICTION, i);
            total += pbdrLength(pbdrSub(pbdrReadColumns(items, ITEM_FORCE, i), t));
            drag = pbdrAdd(drag, t);
        }
    }
    for (int k = 0; k < rowCount; k++) {
        const int item = rows[k].item[lane];
        if (touched[item] > 0.0) {
            const pbdrVec3 n = pbdrReadLane(&rows[k].n, lane);
            const pbdrVec3 t = pbdrReadColumns(items, ITEM_FRICTION, item);
            rows[k].force[lane] = fmax(0.0, pbdrDot(n, pbdrReadColumns(items, ITEM_FORCE, item)));
            pbdrWriteLane(&rows[k].friction, lane, pbdrAddScaled(t, -pbdrDot(n, t), n));
            own += rows[k].force[lane];
            ownDrag = pbdrAdd(ownDrag, t);
        }
    }
    if (total - own <= 1.0e-12 * total) {
        return;
    }
    const pbdrVec3 rest = pbdrScale(1.0 / rowCount, pbdrSub(drag, ownDrag));
    for (int k = 0; k < rowCount; k++) {
        const pbdrVec3 n = pbdrReadLane(&rows[k].n, lane);
        rows[k].force[lane] += (total - own) / rowCount;
        const pbdrVec3 t = pbdrAdd(pbdrReadLane(&rows[k].friction, lane), rest);
        pbdrWriteLane(&rows[k].friction, lane, pbdrAddScaled(t, -pbdrDot(n, t), n));
    }
}

// The rows of a group's patches, with what they bore.
static void fillGroup(const pbdrSweeps* sweeps, pbdrSweepGroup* group)
{
    const pbdrSweepPick* picks = sweeps->solve->worker->sweepPicks.items;
    clearRows(sweeps, group);
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        const int patch = group->patch[lane];
        if (patch < 0) {
            continue;
        }
        setLane(sweeps, group, lane, patch);
        const pbdrActivePatch* active = &sweeps->solve->activePatches[patch];
        const pbdrTwist velocity = pbdrGetPatchVelocity(sweeps->solve->world, active);
        for (int k = 0; k < picks[patch].count; k++) {
            makeRow(sweeps, group, lane, picks[patch].items[k], &velocity,
                    &sweeps->rows[group->firstRow + k]);
        }
        setRolling(sweeps, group, lane, active, &velocity);
        startRows(sweeps, group, lane, picks[patch].count);
    }
}

// --- Shares of patches and groups, by all threads where the island is wide ---

static void runShares(pbdrSweeps* sweeps, int count, pbdrTask* task)
{
    const int shareCount = (count + SHARE - 1) / SHARE;
    if (sweeps->solve->wide) {
        pbdrRunTasks(sweeps->solve->world->scene->tasks, shareCount, task, sweeps);
        return;
    }
    for (int k = 0; k < shareCount; k++) {
        task(sweeps, k, 0);
    }
}

static int getShareEnd(int index, int count)
{
    return (index + 1) * SHARE < count ? (index + 1) * SHARE : count;
}

static void prepareShare(void* data, int index, int worker)
{
    const pbdrSolve* solve = ((const pbdrSweeps*)data)->solve;
    (void)worker;
    for (int k = index * SHARE; k < getShareEnd(index, solve->activePatchCount); k++) {
        pbdrPrepareAhead(solve->world, &solve->activePatches[k]);
    }
}

static void pickShare(void* data, int index, int worker)
{
    const pbdrSweeps* sweeps = data;
    pbdrSolve* solve = sweeps->solve;
    pbdrSweepPick* picks = solve->worker->sweepPicks.items;
    (void)worker;
    for (int k = index * SHARE; k < getShareEnd(index, solve->activePatchCount); k++) {
        if (!solve->wide) {
            pbdrPrepareOne(solve, k); // one after the other, while its items are in the cache
        }
        picks[k] = pbdrPickRows(pbdrGetItems(solve), &solve->activePatches[k]);
    }
}

static void fillShare(void* data, int index, int worker)
{
    const pbdrSweeps* sweeps = data;
    (void)worker;
    for (int k = index * SHARE; k < getShareEnd(index, sweeps->groupCount); k++) {
        fillGroup(sweeps, &sweeps->groups[k]);
    }
}

static void findShare(void* data, int index, int worker)
{
    const pbdrSweeps* sweeps = data;
    const pbdrSolve* solve = sweeps->solve;
    int32_t* deepest = solve->worker->sweepDeepest.items;
    (void)worker;
    for (int k = index * SHARE; k < getShareEnd(index, solve->activePatchCount); k++) {
        deepest[k] = pbdrFindDeepest(sweeps, &solve->activePatches[k], sweeps->deep);
    }
}

// Prepares the patches, and picks their rows. What bounces changes bodies, which patches share: one thread sees to that.
static void pickAll(pbdrSweeps* sweeps)
{
    if (sweeps->solve->wide) {
        runShares(sweeps, sweeps->solve->activePatchCount, prepareShare);
        pbdrPrepareIsland(sweeps->solve);
    }
    runShares(sweeps, sweeps->solve->activePatchCount, pickShare);
}

// Patches by colours, the lowest that none of their bodies has; those of a colour fill one group after another.
static bool makeGroups(pbdrSweeps* sweeps)
{
    pbdrSolve* solve = sweeps->solve;
    pbdrXpbdrWorker* worker = solve->worker;
    if (!pbdrListResetTo(&worker->memory, &worker->sweepColours, solve->moverCount + 1) ||
        !pbdrListReserve(&worker->memory, &worker->sweepPicks, solve->activePatchCount)) {
        return false;
    }
    pickAll(sweeps);
    uint64_t* used = worker->sweepColours.items;
    pbdrSweepPick* picks = worker->sweepPicks.items;
    // per colour and number of rows: lanes of a group should have as many
    int heads[COLOURS][PBDR_SWEEP_PICKS + 1], tails[COLOURS][PBDR_SWEEP_PICKS + 1], colourCount = 0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        if (picks[k].count == 0) {
            continue;
        }
        uint64_t taken = active->moverA >= 0 ? used[active->moverA] : 0;
        taken |= active->moverB >= 0 ? used[active->moverB] : 0;
        int colour = 0;
        while (colour < COLOURS - 1 && (taken >> colour & 1) != 0) {
            colour++;
        }
        if (active->moverA >= 0) {
            used[active->moverA] |= (uint64_t)1 << colour;
        }
        if (active->moverB >= 0) {
            used[active->moverB] |= (uint64_t)1 << colour;
        }
        for (; colourCount <= colour; colourCount++) {
            for (int rows = 0; rows <= PBDR_SWEEP_PICKS; rows++) {
                heads[colourCount][rows] = -1;
            }
        }
        const int rows = picks[k].count;
        *(heads[colour][rows] >= 0 ? &picks[tails[colour][rows]].next : &heads[colour][rows]) = k;
        tails[colour][rows] = k;
    }
    for (int colour = 0; colour < colourCount; colour++) {
        // the last colour takes what found none: lanes must not share bodies there
        const int lanes = colour < COLOURS - 1 ? PBDR_SWEEP_LANES : 1;
        int chain = -1;
        for (int rows = 1; rows <= PBDR_SWEEP_PICKS; rows++) {
            if (heads[colour][rows] >= 0) {
                picks[tails[colour][rows]].next = chain;
                chain = heads[colour][rows];
            }
        }
        for (int k = chain; k >= 0;) {
            pbdrSweepGroup* group = addGroup(sweeps);
            if (group == NULL) {
                return false;
            }
            int rowCount = 0;
            group->colour =
                lanes > 1 ? colour : sweeps->groupCount + COLOURS; // those alone are of no other's
            for (int lane = 0; lane < lanes && k >= 0; lane++, k = picks[k].next) {
                group->patch[lane] = k;
                rowCount = picks[k].count > rowCount ? picks[k].count : rowCount;
            }
            if (!addRows(sweeps, group, rowCount)) {
                return false;
            }
        }
    }
    runShares(sweeps, sweeps->groupCount, fillShare);
    return true;
}

bool pbdrMakeSweeps(pbdrSolve* solve, pbdrSweeps* sweeps)
{
    pbdrXpbdrWorker* worker = solve->worker;
    *sweeps = (pbdrSweeps){.solve = solve, .rounding = getRounding(solve)};
    worker->sweepGroups.count = worker->sweepRows.count = 0;
    if (!pbdrListReserve(&worker->memory, &worker->sweepMotions, solve->moverCount + 1) ||
        !makeGroups(sweeps)) {
        return false;
    }
    sweeps->motions = worker->sweepMotions.items;
    // where rows push from: motion without contact
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrTwist free = pbdrGetFreeAcceleration(pbdrGetBody(solve->world->scene, mover->body), mover);
        mover->firstY = pbdrScaleTwist(1.0 / solve->perStep, &free);
    }
    return true;
}

// --- Contacts that are driven in ---

static bool sharesMover(const pbdrSweepGroup* group, const pbdrActivePatch* active)
{
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        const int a = group->moverA[lane], b = group->moverB[lane];
        if (group->patch[lane] >= 0 &&
            ((active->moverA >= 0 && (a == active->moverA || b == active->moverA)) ||
             (active->moverB >= 0 && (a == active->moverB || b == active->moverB)))) {
            return true;
        }
    }
    return false;
}

int pbdrAddDeepRows(pbdrSweeps* sweeps, double deep)
{
    const pbdrSolve* solve = sweeps->solve;
    pbdrSweepGroup* group = NULL;
    int lane = 0, added = 0;
    if (!pbdrListReserve(&solve->worker->memory, &solve->worker->sweepDeepest, solve->activePatchCount)) {
        return -1;
    }
    const int32_t* deepest = solve->worker->sweepDeepest.items;
    sweeps->deep = deep;
    pbdrMarkRows(sweeps);
    runShares(sweeps, solve->activePatchCount, findShare);
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        const int item = deepest[k];
        if (item < 0) {
            continue;
        }
        if (group == NULL || lane == PBDR_SWEEP_LANES || sharesMover(group, active)) {
            group = addGroup(sweeps);
            if (group == NULL || !addRows(sweeps, group, 1)) {
                return -1;
            }
            clearRows(sweeps, group);
            group->colour = sweeps->groupCount + COLOURS;
            lane = 0;
        }
        setLane(sweeps, group, lane, k);
        const pbdrTwist velocity = pbdrGetPatchVelocity(solve->world, active);
        makeRow(sweeps, group, lane++, item, &velocity, &sweeps->rows[group->firstRow]);
        added++;
    }
    return added;
}
