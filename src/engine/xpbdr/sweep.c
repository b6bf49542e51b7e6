// Sweeps over an island's contacts (sweep.h).
#include "engine/xpbdr/sweep.h"

#include "engine/xpbdr/prepare.h"
#include "math/block_lu.h"

// Contacts of a patch at most, and how much farther than the nearest one they may be [m].
#define MOST_PICKS 4
#define MOST_ROWS 8
#define FARTHER 2.0e-4
// Patches whose nearest contact stays farther than this have no rows [m].
#define FARAWAY 1.0e-3
// Contacts that were left out join when they are driven in by this [m].
#define DEEP 1.0e-6
// Rounds of sweeps, each with the contacts that the last one drove in.
#define ROUNDS 3
// Contacts share their patch's load if they end as near as this [m].
#define SHARING 1.0e-7

// What of an overlap a substep takes back: all of a small one [m], this share of a deeper one.
#define SMALL_OVERLAP 1.0e-6
#define RECOVERY 0.2

// --- Which contacts ---

typedef struct Pick {
    int items[MOST_PICKS];
    int count;
} Pick;

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

// The nearest contact, the one farthest from it, and the ones farthest to both sides of the line between them.
static Pick pickItems(const pbdrItems* items, const pbdrPatchLaw* law)
{
    const double* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    Pick pick = {.count = 0};
    int nearest = law->first;
    for (int i = law->first; i < law->first + law->count; i++) {
        nearest = ahead[i] < ahead[nearest] ? i : nearest;
    }
    if (!(ahead[nearest] < FARAWAY)) {
        return pick;
    }
    const double limit = ahead[nearest] + FARTHER;
    int farthest = nearest, left = -1, right = -1;
    double distance = 1.0e-12, most = 0.0, least = 0.0;
    for (int i = law->first; i < law->first + law->count; i++) {
        double d = ahead[i] <= limit ? getDistance2(items, nearest, i) : 0.0;
        if (d > distance) {
            distance = d;
            farthest = i;
        }
    }
    pick.items[pick.count++] = nearest;
    if (farthest == nearest) {
        return pick;
    }
    pick.items[pick.count++] = farthest;
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, nearest);
    const double enough = 1.0e-3 * distance;
    for (int i = law->first; i < law->first + law->count; i++) {
        double turn = ahead[i] <= limit ? getTurn(items, nearest, farthest, i, n) : 0.0;
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
    return pick;
}

// --- Rows ---

// Two directions across n.
static void makeTangents(pbdrVec3 n, pbdrVec3* a, pbdrVec3* b)
{
    pbdrVec3 axis = fabs(n.x) < 0.6 ? pbdrVec(1.0, 0.0, 0.0) : pbdrVec(0.0, 1.0, 0.0);
    pbdrVec3 across = pbdrCross(n, axis);
    *a = pbdrScale(1.0 / pbdrLength(across), across);
    *b = pbdrCross(n, *a);
}

static void makeRow(const pbdrSolve* solve, const pbdrSweepBody* bodies, const pbdrActivePatch* active,
                    int item, const pbdrTwist* velocity, pbdrSweepRow* row)
{
    const pbdrItems* items = &solve->world->candidates.items;
    const double dt = solve->world->scene->timeStep;
    *row = (pbdrSweepRow){
        .item = item, .moverA = active->moverA, .moverB = active->moverB, .mu = active->law.mu};
    row->n = pbdrReadColumns(items, ITEM_NORMAL, item);
    row->leverA = pbdrReadColumns(items, ITEM_LEVER, item);
    row->leverB = pbdrAdd(row->leverA, active->between);
    // restitution and recovery stand in the state, not in the column of gaps
    const pbdrVec3 squeeze = pbdrMoveLever(&active->lag, row->leverA);
    row->ahead =
        pbdrGetColumn(items, ITEM_STATE + 4 * solve->state)[item] - fmin(0.0, pbdrDot(row->n, squeeze));
    // overlap goes a share at a time: all at once it would throw bodies apart
    const double gap = row->ahead - dt * pbdrDot(row->n, pbdrMoveLever(velocity, row->leverA));
    row->ahead += gap < -SMALL_OVERLAP ? fmin(RECOVERY * gap, -SMALL_OVERLAP) - gap : 0.0;
    row->ahead3 = pbdrScale(dt, pbdrMoveLever(velocity, row->leverA));
    double give = 0.0, slip = 0.0;
    if (row->moverA >= 0) {
        const pbdrSweepBody* a = &bodies[row->moverA];
        pbdrVec3 arm = pbdrCross(row->leverA, row->n);
        give += a->perMass + pbdrDot(arm, pbdrMulMV(&a->perSpin, arm));
        double trace = a->perSpin.m[0][0] + a->perSpin.m[1][1] + a->perSpin.m[2][2];
        slip += a->perMass + 0.5 * trace * pbdrDot(row->leverA, row->leverA);
    }
    if (row->moverB >= 0) {
        const pbdrSweepBody* b = &bodies[row->moverB];
        pbdrVec3 arm = pbdrCross(row->leverB, row->n);
        give += b->perMass + pbdrDot(arm, pbdrMulMV(&b->perSpin, arm));
        double trace = b->perSpin.m[0][0] + b->perSpin.m[1][1] + b->perSpin.m[2][2];
        slip += b->perMass + 0.5 * trace * pbdrDot(row->leverB, row->leverB);
    }
    row->perNormal = 1.0 / give;
    row->perSlip = 1.0 / slip;
}

// The rows of a patch start with what it bore in the last substep: the multiplier says how, the sum how much.
static void startRows(const pbdrSolve* solve, const pbdrActivePatch* active, pbdrSweepRow* rows)
{
    const pbdrItems* items = &solve->world->candidates.items;
    double total = 0.0, sum = 0.0;
    pbdrVec3 friction = {0.0, 0.0, 0.0};
    for (int i = active->law.first; active->carries && i < active->law.first + active->law.count; i++) {
        pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i), force = pbdrReadColumns(items, ITEM_FORCE, i);
        total += fmax(0.0, pbdrDot(n, force));
        friction = pbdrAdd(friction, pbdrReadColumns(items, ITEM_FRICTION, i));
    }
    for (int i = 0; i < active->rowCount; i++) {
        rows[i].force = fmax(0.0, -pbdrDot(rows[i].n, pbdrMoveLever(&active->lag, rows[i].leverA)));
        sum += rows[i].force;
    }
    for (int i = 0; i < active->rowCount; i++) {
        double share = active->carries && sum > 0.0 ? rows[i].force / sum : 0.0;
        rows[i].force = share * total;
        rows[i].friction =
            pbdrScale(share, pbdrAddScaled(friction, -pbdrDot(friction, rows[i].n), rows[i].n));
    }
}

// Adds a force on A, and its opposite on B, to their y.
static void push(const pbdrSweepBody* bodies, pbdrMover* movers, const pbdrSweepRow* row, pbdrVec3 f)
{
    if (row->moverA >= 0) {
        const pbdrSweepBody* a = &bodies[row->moverA];
        double* y = movers[row->moverA].y.v;
        pbdrVec3 spin = pbdrMulMV(&a->perSpin, pbdrCross(row->leverA, f));
        y[0] += a->perMass * f.x;
        y[1] += a->perMass * f.y;
        y[2] += a->perMass * f.z;
        y[3] += spin.x;
        y[4] += spin.y;
        y[5] += spin.z;
    }
    if (row->moverB >= 0) {
        const pbdrSweepBody* b = &bodies[row->moverB];
        double* y = movers[row->moverB].y.v;
        pbdrVec3 spin = pbdrMulMV(&b->perSpin, pbdrCross(row->leverB, f));
        y[0] -= b->perMass * f.x;
        y[1] -= b->perMass * f.y;
        y[2] -= b->perMass * f.z;
        y[3] -= spin.x;
        y[4] -= spin.y;
        y[5] -= spin.z;
    }
}

static pbdrVec3 getMove(const pbdrMover* movers, const pbdrSweepRow* row)
{
    pbdrVec3 move = {0.0, 0.0, 0.0};
    if (row->moverA >= 0) {
        move = pbdrMoveLever(&movers[row->moverA].y, row->leverA);
    }
    if (row->moverB >= 0) {
        move = pbdrSub(move, pbdrMoveLever(&movers[row->moverB].y, row->leverB));
    }
    return move;
}

// Returns how far from its law the contact was found: overlap, or gap under load, or slip of what sticks [m].
static double sweepRow(const pbdrSweepBody* bodies, pbdrMover* movers, pbdrSweepRow* row)
{
    pbdrVec3 move = getMove(movers, row);
    double gap = row->ahead + pbdrDot(row->n, move);
    double force = fmax(0.0, row->force - row->perNormal * gap);
    if (force == 0.0 && row->force == 0.0) {
        return 0.0;
    }
    pbdrVec3 way = pbdrAdd(row->ahead3, move), slip = pbdrAddScaled(way, -pbdrDot(row->n, way), row->n);
    pbdrVec3 friction = pbdrAddScaled(row->friction, -row->perSlip, slip);
    double size = pbdrLength(friction), bound = row->mu * force;
    friction = size > bound ? pbdrScale(bound / size, friction) : friction;
    pbdrVec3 change = pbdrAddScaled(pbdrSub(friction, row->friction), force - row->force, row->n);
    push(bodies, movers, row, change);
    double error = fabs(force - row->force) / row->perNormal;
    row->force = force;
    row->friction = friction;
    return error;
}

// --- The island ---

// Adds w times the outer product of a wrench with itself, of a force along d.
static void addDirection(pbdrBlock6* block, double w, pbdrVec3 lever, pbdrVec3 d)
{
    const pbdrVec3 arm = pbdrCross(lever, d);
    const double row[6] = {d.x, d.y, d.z, arm.x, arm.y, arm.z};
    for (int j = 0; j < 36; j++) {
        block->m[j / 6][j % 6] += w * row[j / 6] * row[j % 6];
    }
}

// The displacement whose springs, those of the block, give a wrench.
static pbdrTwist solveWrench(const pbdrBlock6* block, const pbdrTwist* wrench)
{
    pbdrBlock6 system = *block;
    const double linear = system.m[0][0] + system.m[1][1] + system.m[2][2];
    const double angular = system.m[3][3] + system.m[4][4] + system.m[5][5];
    for (int i = 0; i < 6; i++) {
        system.m[i][i] += 1.0e-9 * (i < 3 ? linear : angular);
    }
    int pivots[6];
    pbdrTwist fit = *wrench;
    if (!(linear > 0.0) || !(angular > 0.0) || !pbdrFactorBlock(system.m, pivots)) {
        return pbdrStill;
    }
    pbdrSolveBlock(system.m, pivots, fit.v);
    return fit;
}

// Whether an item ends the substep so near that it shares its patch's load.
static bool isNear(const pbdrItems* items, const double* state, const pbdrTwist* lag, int item)
{
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, item),
                   lever = pbdrReadColumns(items, ITEM_LEVER, item);
    return state[item] - fmin(0.0, pbdrDot(n, pbdrMoveLever(lag, lever))) < SHARING;
}

// Hands the forces of a patch's rows to all of its near contacts: normal forces as springs share them, which Y then
// stands for; friction in proportion to those, which the next substep starts from.
static void spreadPatch(pbdrSolve* solve, pbdrActivePatch* active, const pbdrSweepRow* rows)
{
    const pbdrItems* items = &solve->world->candidates.items;
    const double* weights = pbdrGetColumn(items, ITEM_WEIGHT);
    const double* state = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state);
    const pbdrTwist last = active->lag;
    const int first = active->law.first, end = first + active->law.count;
    pbdrTwist normal = pbdrStill, tangent = pbdrStill;
    double total = 0.0;
    for (int k = 0; k < active->rowCount; k++) {
        const pbdrVec3 f = pbdrScale(rows[k].force, rows[k].n);
        const pbdrTwist push = pbdrMakeTwist(f, pbdrCross(rows[k].leverA, f));
        const pbdrTwist rub = pbdrMakeTwist(rows[k].friction, pbdrCross(rows[k].leverA, rows[k].friction));
        pbdrAddTwist(&normal, -1.0, &push);
        pbdrAddTwist(&tangent, 1.0, &rub);
        total += rows[k].force;
    }
    active->lag = pbdrStill;
    pbdrTwist drag = pbdrStill;
    if (total > 0.0) {
        pbdrBlock6 block = {{{0.0}}};
        for (int i = first; i < end; i++) {
            const double k = active->law.k * weights[i] * (isNear(items, state, &last, i) ? 1.0 : 1.0e-6);
            addDirection(&block, k, pbdrReadColumns(items, ITEM_LEVER, i),
                         pbdrReadColumns(items, ITEM_NORMAL, i));
        }
        active->lag = solveWrench(&block, &normal);
        block = (pbdrBlock6){{{0.0}}};
        for (int i = first; i < end; i++) {
            const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i),
                           lever = pbdrReadColumns(items, ITEM_LEVER, i);
            const double force = -active->law.k * weights[i] * pbdrDot(n, pbdrMoveLever(&active->lag, lever));
            if (force > 0.0 && isNear(items, state, &last, i)) {
                pbdrVec3 across, other;
                makeTangents(n, &across, &other);
                addDirection(&block, force, lever, across);
                addDirection(&block, force, lever, other);
            }
        }
        drag = solveWrench(&block, &tangent);
    }
    for (int i = first; i < end; i++) {
        const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i),
                       lever = pbdrReadColumns(items, ITEM_LEVER, i);
        double force = -active->law.k * weights[i] * pbdrDot(n, pbdrMoveLever(&active->lag, lever));
        force = isNear(items, state, &last, i) ? fmax(force, 0.0) : 0.0;
        pbdrVec3 way = pbdrMoveLever(&drag, lever);
        pbdrVec3 friction = pbdrScale(force, pbdrAddScaled(way, -pbdrDot(n, way), n));
        pbdrWriteColumns(items, ITEM_FRICTION, i, friction);
    }
}

// A sweep over all rows, forwards or backwards. Returns how far contacts were from their laws, at most [m].
static double sweepAll(const pbdrSolve* solve, const pbdrSweepBody* bodies, pbdrSweepRow* rows,
                       bool backwards)
{
    double worst = 0.0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active =
            &solve->activePatches[backwards ? solve->activePatchCount - 1 - k : k];
        for (int i = 0; i < active->rowCount; i++) {
            double error = sweepRow(bodies, solve->movers, &rows[active->firstRow + i]);
            worst = fmax(worst, error);
        }
    }
    return worst;
}

// Contacts that the sweeps left out and drove in become rows. Whether there are any.
static bool addDeepest(pbdrSolve* solve, const pbdrSweepBody* bodies, pbdrSweepRow* rows)
{
    const pbdrItems* items = &solve->world->candidates.items;
    const double* state = pbdrGetColumn(items, ITEM_STATE + 4 * solve->state); // at y = 0
    bool added = false;
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        if (active->rowCount >= MOST_ROWS) {
            continue;
        }
        const pbdrMover* a = active->moverA >= 0 ? &solve->movers[active->moverA] : NULL;
        const pbdrMover* b = active->moverB >= 0 ? &solve->movers[active->moverB] : NULL;
        pbdrTwist move = a != NULL ? a->y : pbdrStill;
        move = b != NULL ? pbdrSubtractTwist(&move, &b->y, active->between) : move;
        int deepest = -1;
        double depth = -DEEP;
        for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
            const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i),
                           lever = pbdrReadColumns(items, ITEM_LEVER, i);
            const double compression = fmin(0.0, pbdrDot(n, pbdrMoveLever(&active->lag, lever)));
            double gap = state[i] - compression + pbdrDot(n, pbdrMoveLever(&move, lever));
            if (gap < depth) {
                depth = gap;
                deepest = i;
            }
        }
        for (int i = 0; i < active->rowCount; i++) {
            deepest = rows[active->firstRow + i].item == deepest ? -1 : deepest;
        }
        if (deepest >= 0) {
            const pbdrTwist velocity = pbdrGetPatchVelocity(solve->world, active);
            pbdrSweepRow* row = &rows[active->firstRow + active->rowCount++];
            makeRow(solve, bodies, active, deepest, &velocity, row);
            row->force = 0.0;
            row->friction = pbdrVec(0.0, 0.0, 0.0);
            added = true;
        }
    }
    return added;
}

bool pbdrSweepIsland(pbdrSolve* solve, const pbdrSweepEffort* effort, double* error)
{
    pbdrXpbdrWorld* world = solve->world;
    pbdrXpbdrWorker* worker = solve->worker;
    const double dt2 = 1.0 / solve->perStep;
    if (!pbdrListReserve(&worker->memory, &worker->sweepRows, MOST_ROWS * solve->activePatchCount) ||
        !pbdrListReserve(&worker->memory, &worker->sweepBodies, solve->moverCount)) {
        return false;
    }
    pbdrSweepRow* rows = worker->sweepRows.items;
    pbdrSweepBody* bodies = worker->sweepBodies.items;
    // back to y = 0, where the columns say what comes without further forces
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        mover->step = pbdrScaleTwist(-1.0, &mover->y);
    }
    pbdrAcceptStep(solve, 1.0, pbdrEvaluate(solve, 1.0));
    for (int k = 0; k < solve->moverCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        const pbdrBody* body = pbdrGetBody(world->scene, mover->body);
        pbdrMat3 inverse = pbdrTurnTensor(&body->frame, &body->shape->inverseTurning);
        bodies[k].perMass = dt2 / mover->mass;
        for (int i = 0; i < 9; i++) {
            bodies[k].perSpin.m[i / 3][i % 3] = dt2 * inverse.m[i / 3][i % 3];
        }
        pbdrTwist free = pbdrGetFreeAcceleration(body, mover);
        mover->y = pbdrScaleTwist(dt2, &free);
    }
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        const Pick pick = pickItems(&world->candidates.items, &active->law);
        active->firstRow = MOST_ROWS * k;
        active->rowCount = pick.count;
        const pbdrTwist velocity = pbdrGetPatchVelocity(world, active);
        for (int i = 0; i < pick.count; i++) {
            pbdrSweepRow* row = &rows[active->firstRow + i];
            makeRow(solve, bodies, active, pick.items[i], &velocity, row);
        }
        pbdrSweepRow* own = rows + active->firstRow;
        startRows(solve, active, own);
        for (int i = 0; i < active->rowCount; i++) {
            push(bodies, solve->movers, &own[i], pbdrAddScaled(own[i].friction, own[i].force, own[i].n));
        }
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int sweep = 0; sweep < effort->most; sweep++) {
            *error = sweepAll(solve, bodies, rows, sweep % 2 == 1);
            if (*error <= effort->enough) {
                break;
            }
        }
        if (!addDeepest(solve, bodies, rows)) {
            break;
        }
    }
    // the columns follow y
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].step = solve->movers[k].y;
        solve->movers[k].y = pbdrStill;
    }
    pbdrAcceptStep(solve, 1.0, pbdrEvaluate(solve, 1.0));
    return true;
}

void pbdrFinishSweeps(pbdrSolve* solve)
{
    const pbdrItems* items = &solve->world->candidates.items;
    const pbdrSweepRow* rows = solve->worker->sweepRows.items;
    pbdrForgetEnds(solve);
    for (int k = 0; k < solve->activePatchCount; k++) {
        pbdrActivePatch* active = &solve->activePatches[k];
        pbdrPatch* patch = pbdrGetPatch(&solve->world->candidates, active->patch);
        spreadPatch(solve, active, rows + active->firstRow);
        for (int i = active->law.first; i < active->law.first + active->padded; i++) {
            pbdrWriteColumns(items, ITEM_FORCE, i, (pbdrVec3){0.0, 0.0, 0.0});
            pbdrGetColumn(items, ITEM_TOUCHED)[i] = 0.0;
        }
        pbdrPatchEnd end = {.fresh = 0.0};
        for (int i = active->firstRow; i < active->firstRow + active->rowCount; i++) {
            const pbdrSweepRow* row = &rows[i];
            double gap = row->ahead + pbdrDot(row->n, getMove(solve->movers, row));
            solve->gap = fmax(solve->gap, -gap);
            if (!(row->force > 0.0)) {
                continue;
            }
            pbdrWriteColumns(items, ITEM_FORCE, row->item, pbdrAddScaled(row->friction, row->force, row->n));
            pbdrGetColumn(items, ITEM_TOUCHED)[row->item] = 1.0;
            double mean = 0.5 * (pbdrGetColumn(items, ITEM_AHEAD)[row->item] + gap);
            bool before = pbdrGetColumn(items, ITEM_BEFORE)[row->item] > 0.0;
            *(before ? &end.old : &end.fresh) = fmin(mean, before ? end.old : end.fresh);
            end.loaded = true;
        }
        pbdrNoteEnd(solve, active, &end, end.loaded && fmin(end.fresh, end.old) > -PBDR_IMPACT_LOST);
        patch->rolling = (pbdrVec3){0.0, 0.0, 0.0};
    }
}
