// The rows of sweeps (sweep.h), and the lanes of groups.
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"

#include <string.h>

// Overlap that stays, over the thickness of bodies: a hundredth of a millimetre shows in a domino.
#define THIN_SLACK 5.0e-3
// What a substep takes back of what is deeper: no more than a share of the way that the two points make, since to part what
// rests lifts it, which gives energy and keeps it moving; but all of it where it is so many times as deep as what stays.
#define RECOVERY 0.2
#define EASE 0.25
#define DEEPER 4.0

// The radius of the largest ball in a body, or of its smallest sphere [m].
static double getThickness(const pbdrBody* body)
{
    const pbdrSurface* surface = &body->shape->surface;
    const double bulk = pbdrSurface_GetBulk(surface);
    return bulk > 0.0 ? bulk : surface->round > 0.0 ? surface->round : body->shape->margin / PBDR_PAIR_MARGIN;
}

// Overlap of a patch that stays [m]: with long substeps what gravity makes of a gap in one of them.
static double getSlack(const pbdrXpbdrWorld* world, const pbdrActivePatch* active)
{
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    double least = getThickness(pbdrGetBody(world->scene, patch->bodyA));
    if (patch->bodyB >= 0) {
        least = fmin(least, getThickness(pbdrGetBody(world->scene, patch->bodyB)));
    }
    const double fall = pbdrLength(world->scene->gravity) * world->scene->timeStep * world->scene->timeStep;
    return fmin(fmax(PBDR_SWEEP_SLACK, fall), THIN_SLACK * least);
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

void pbdrMakeRow(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, int item,
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
        const double slack = group->slack[lane], back = fmin(RECOVERY * (gap + slack), 0.0);
        const double deep = pbdrMin(pbdrMax(-gap / slack - DEEPER + 1.0, 0.0), 1.0);
        ahead += fmax(back, deep * back - EASE * pbdrLength(way)) - gap;
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

void pbdrSetLane(const pbdrSweeps* sweeps, pbdrSweepGroup* group, int lane, int patch)
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

void pbdrClearRows(const pbdrSweeps* sweeps, const pbdrSweepGroup* group)
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

void pbdrFillGroup(const pbdrSweeps* sweeps, pbdrSweepGroup* group)
{
    const pbdrSweepPick* picks = sweeps->solve->worker->sweepPicks.items;
    pbdrClearRows(sweeps, group);
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        const int patch = group->patch[lane];
        if (patch < 0) {
            continue;
        }
        pbdrSetLane(sweeps, group, lane, patch);
        const pbdrActivePatch* active = &sweeps->solve->activePatches[patch];
        const pbdrTwist velocity = pbdrGetPatchVelocity(sweeps->solve->world, active);
        for (int k = 0; k < picks[patch].count; k++) {
            pbdrMakeRow(sweeps, group, lane, picks[patch].items[k], &velocity,
                        &sweeps->rows[group->firstRow + k]);
        }
        setRolling(sweeps, group, lane, active, &velocity);
        startRows(sweeps, group, lane, picks[patch].count);
    }
}
