// Exact solves of what sweeps hold (sweep.h): rows that bear load keep their gap at zero, those that stick do not move,
// those that slide rub against the way they slide.
//
//   (M/dt^2 + sum J^T K J) d = -sum J^T (K (gap n + slip)),    f -= K (gap n + slip + J d)
//   K = k n n^T + k_t (1 - n n^T) if it sticks, + k mu s n^T if it slides, s = t/|t|
//
// The springs k are stiff against the bodies, and the rows' forces are their multipliers: each solve with the same
// factors takes out all but 1/(1 + k dt^2/m) of what is left (the method of multipliers). So redundant contacts need no
// special care, and the stiffness decides how fast it is, not what comes out. What then would pull, or bear more than
// friction can, is cut back, and counts as open or sliding in the next solve.
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/sweep.h"

#include <limits.h>
#include <string.h>

// Stiffness of a row over that of its bodies.
#define SOFT 1.0e5
#define STIFF 1.0e8
// Solves with the same factors at most; they end when one does not take out this share of what is left.
#define REFINEMENTS (PBDR_SUBSPACE_STEPS - 1)
#define SHARE 0.3
// Friction is at its bound from this share of it on.
#define AT_BOUND (1.0 - 1.0e-9)
// Solves with other states at most: which rows hold, stick and slide follows from the forces of the one before.
#define CORRECTIONS 20
// They must grow fewer from one to the next, unless they are so few.
#define FEW_CHANGES 6
// Open rows hold from this overlap on, and what is left counts as nothing [m].
#define GAP 1.0e-12
#define DONE 1.0e-17
// What soft springs leave is taken out by stiff ones from this on [m].
#define STIFF_FROM 1.0e-16
// Bodies that a body may touch when it is eliminated.
#define MOST_NEIGHBOURS 40

// What is left of a row, and where its friction points if it slides: against the slip, or where it pointed if there is
// next to none. turns: how stiff that is against slips aside.
typedef struct Rest {
    double gap;
    pbdrVec3 slip, along;
    double turns;
} Rest;

static Rest getRest(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row, int lane,
                    pbdrVec3 move)
{
    const pbdrVec3 n = pbdrReadLane(&row->n, lane), t = pbdrReadLane(&row->friction, lane);
    const pbdrVec3 way = pbdrAdd(pbdrReadLane(&row->way, lane), move);
    Rest rest = {.gap = row->ahead[lane] + pbdrDot(n, move), .slip = pbdrAddScaled(way, -pbdrDot(n, way), n)};
    const double slip = pbdrLength(rest.slip), bound = group->mu[lane] * row->force[lane];
    rest.turns = bound > 0.0 ? sweeps->stiffness * row->perSlip[lane] : 0.0;
    if (slip * rest.turns > bound && pbdrDot(t, rest.slip) < 0.0) {
        rest.turns = bound / slip;
        rest.along = pbdrScale(-1.0 / slip, rest.slip);
    } else {
        const double length = pbdrLength(t);
        rest.along = length > 0.0 ? pbdrScale(1.0 / length, t) : t;
    }
    return rest;
}

// The change of a row's force that springs over what is left ask for.
static pbdrVec3 getPull(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row,
                        int lane, pbdrRowState state, const Rest* rest)
{
    const double k = sweeps->stiffness * row->perNormal[lane],
                 across = sweeps->stiffness * row->perSlip[lane];
    const pbdrVec3 pull = pbdrScale(-k * rest->gap, pbdrReadLane(&row->n, lane));
    if (state == pbdr_rowSticks) {
        return pbdrAddScaled(pull, -across, rest->slip);
    }
    const pbdrVec3 rubs =
        pbdrAddScaled(pull, group->mu[lane] * (row->force[lane] - k * rest->gap), rest->along);
    return pbdrSub(rubs, pbdrReadLane(&row->friction, lane));
}

// --- The system ---

// Adds J^T K J of a row about A's centre of mass.
static void addRow(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row, int lane,
                   pbdrRowState state, const Rest* rest, pbdrBlock6* block)
{
    const double k = sweeps->stiffness * row->perNormal[lane];
    const pbdrVec3 n = pbdrReadLane(&row->n, lane), lever = pbdrReadLane(&row->lever, lane);
    const double across = state == pbdr_rowSticks ? sweeps->stiffness * row->perSlip[lane] : rest->turns;
    const double a[3] = {n.x, n.y, n.z}, s[3] = {rest->along.x, rest->along.y, rest->along.z};
    double stiff[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            stiff[i][j] = (k - across) * a[i] * a[j] + (i == j ? across : 0.0);
            if (state == pbdr_rowSlides) {
                stiff[i][j] += s[i] * (k * group->mu[lane] * a[j] - across * s[j]);
            }
        }
    }
    // J = [1, -[r]x]: columns of the angular part are row x r, rows are r x column
    double wide[3][6];
    for (int i = 0; i < 3; i++) {
        const pbdrVec3 turned = pbdrCross(lever, pbdrVec(stiff[i][0], stiff[i][1], stiff[i][2]));
        const double all[6] = {stiff[i][0], stiff[i][1], stiff[i][2], turned.x, turned.y, turned.z};
        memcpy(wide[i], all, sizeof all);
    }
    for (int j = 0; j < 6; j++) {
        const pbdrVec3 turned = pbdrCross(lever, pbdrVec(wide[0][j], wide[1][j], wide[2][j]));
        block->m[0][j] += wide[0][j];
        block->m[1][j] += wide[1][j];
        block->m[2][j] += wide[2][j];
        block->m[3][j] += turned.x;
        block->m[4][j] += turned.y;
        block->m[5][j] += turned.z;
    }
}

static bool bears(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane)
{
    for (int i = 0; i < group->rowCount; i++) {
        if (sweeps->rows[group->firstRow + i].state[lane] != pbdr_rowOpen) {
            return true;
        }
    }
    return false;
}

// The pattern of what bears load; kept while no other patch does. False without memory, or where factors fill up.
static bool plan(pbdrSweeps* sweeps)
{
    pbdrSolve* solve = sweeps->solve;
    if (!sweeps->planned) {
        for (int k = 0; k < solve->activePatchCount; k++) {
            solve->activePatches[k].bears = false;
        }
    }
    bool good = sweeps->planned;
    for (int k = 0; k < sweeps->groupCount; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[k];
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            if (group->patch[lane] >= 0 && bears(sweeps, group, lane)) {
                pbdrActivePatch* active = &solve->activePatches[group->patch[lane]];
                good = good && active->bears;
                active->bears = true;
            }
        }
    }
    if (good) {
        return true;
    }
    solve->system->mostNeighbours = MOST_NEIGHBOURS;
    sweeps->planned = pbdrPlanSystem(&solve->worker->memory, solve->system, solve->moverCount,
                                     solve->activePatches, solve->activePatchCount);
    return sweeps->planned;
}

static bool factor(const pbdrSweeps* sweeps)
{
    pbdrSolve* solve = sweeps->solve;
    pbdrStartSystem(solve->system, solve->movers, solve->perStep);
    for (int k = 0; k < sweeps->groupCount; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[k];
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            if (group->patch[lane] < 0) {
                continue;
            }
            pbdrBlock6 block = {{{0.0}}};
            bool any = false;
            for (int i = 0; i < group->rowCount; i++) {
                const pbdrSweepRow* row = &sweeps->rows[group->firstRow + i];
                const pbdrRowState state = row->state[lane];
                if (state != pbdr_rowOpen) {
                    const Rest rest =
                        getRest(sweeps, group, row, lane, pbdrGetRowMove(sweeps, group, row, lane));
                    addRow(sweeps, group, row, lane, state, &rest, &block);
                    any = true;
                }
            }
            if (any) {
                pbdrAddStiffness(solve->system, &solve->activePatches[group->patch[lane]], &block);
            }
        }
    }
    return pbdrFactorSystem(solve->system);
}

// --- Solves ---

static void addWrench(pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, pbdrVec3 lever, pbdrVec3 f)
{
    pbdrSolve* solve = sweeps->solve;
    const int a = group->moverA[lane], b = group->moverB[lane];
    if (a < solve->moverCount) {
        const pbdrTwist wrench = pbdrMakeTwist(f, pbdrCross(lever, f));
        pbdrAddTwist(&solve->movers[a].step, 1.0, &wrench);
    }
    if (b < solve->moverCount) {
        const pbdrVec3 leverB = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
        const pbdrTwist wrench = pbdrMakeTwist(f, pbdrCross(leverB, f));
        pbdrAddTwist(&solve->movers[b].step, -1.0, &wrench);
    }
}

static pbdrVec3 getStepMove(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, pbdrVec3 lever)
{
    const pbdrSolve* solve = sweeps->solve;
    const int a = group->moverA[lane], b = group->moverB[lane];
    pbdrVec3 move = {0.0, 0.0, 0.0};
    if (a < solve->moverCount) {
        move = pbdrMoveLever(&solve->movers[a].step, lever);
    }
    if (b < solve->moverCount) {
        const pbdrVec3 leverB = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
        move = pbdrSub(move, pbdrMoveLever(&solve->movers[b].step, leverB));
    }
    return move;
}

// Calls visit for every row, or for those that are not open; returns the sum.
typedef double (*RowVisit)(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane);

static void visitRows(pbdrSweeps* sweeps, bool all, RowVisit visit, double* most, int* count)
{
    for (int k = 0; k < sweeps->groupCount; k++) {
        pbdrSweepGroup* group = &sweeps->groups[k];
        for (int i = 0; i < group->rowCount; i++) {
            pbdrSweepRow* row = &sweeps->rows[group->firstRow + i];
            for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
                if (row->item[lane] >= 0 && (all || row->state[lane] != pbdr_rowOpen)) {
                    const double value = visit(sweeps, group, row, lane);
                    *most = fmax(*most, value);
                    *count += value > 0.0;
                }
            }
        }
    }
}

// The right-hand side; returns how far the row is from its law.
static double pullRow(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane)
{
    const pbdrRowState state = row->state[lane];
    const Rest rest = getRest(sweeps, group, row, lane, pbdrGetRowMove(sweeps, group, row, lane));
    addWrench(sweeps, group, lane, pbdrReadLane(&row->lever, lane),
              getPull(sweeps, group, row, lane, state, &rest));
    return fmax(fabs(rest.gap), state == pbdr_rowSticks ? pbdrLength(rest.slip) : 0.0);
}

// The forces that the step asks for, also where they pull or exceed their bounds: what to make of that is decided when
// they are known.
static double moveRow(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane)
{
    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane), n = pbdrReadLane(&row->n, lane);
    const pbdrVec3 step = getStepMove(sweeps, group, lane, lever);
    const Rest rest =
        getRest(sweeps, group, row, lane, pbdrAdd(pbdrGetRowMove(sweeps, group, row, lane), step));
    const pbdrVec3 change = getPull(sweeps, group, row, lane, row->state[lane], &rest);
    const double grows = pbdrDot(n, change);
    row->force[lane] += grows;
    pbdrWriteLane(&row->friction, lane,
                  pbdrAdd(pbdrReadLane(&row->friction, lane), pbdrAddScaled(change, -grows, n)));
    return 0.0;
}

// What begins to bear sticks, unless there is no friction.
static pbdrRowState getHolding(const pbdrSweepGroup* group, int lane)
{
    return group->mu[lane] > 0.0 ? pbdr_rowSticks : pbdr_rowSlides;
}

// What a row must be taken for after all. Returns 1 if that is another state.
static double correctRow(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane)
{
    const pbdrRowState last = row->state[lane];
    const pbdrVec3 t = pbdrReadLane(&row->friction, lane);
    const Rest rest = getRest(sweeps, group, row, lane, pbdrGetRowMove(sweeps, group, row, lane));
    pbdrRowState state = last;
    if (last == pbdr_rowOpen) {
        state = rest.gap < -GAP ? getHolding(group, lane) : pbdr_rowOpen;
    } else if (!(row->force[lane] > 0.0)) {
        state = pbdr_rowOpen;
    } else if (last == pbdr_rowSticks) {
        state = pbdrLength(t) > group->mu[lane] * row->force[lane] ? pbdr_rowSlides : pbdr_rowSticks;
    } else {
        state = pbdrDot(t, rest.slip) > 0.0 ? pbdr_rowSticks : pbdr_rowSlides;
    }
    row->state[lane] = (unsigned char)state;
    return state != last ? 1.0 : 0.0;
}

// Forces back to their bounds.
static double cutRow(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane)
{
    (void)sweeps;
    pbdrVec3 t = pbdrReadLane(&row->friction, lane);
    row->force[lane] = fmax(row->force[lane], 0.0);
    const double size = pbdrLength(t), bound = group->mu[lane] * row->force[lane];
    pbdrWriteLane(&row->friction, lane, size > bound ? pbdrScale(bound / size, t) : t);
    return 0.0;
}

static void save(pbdrSweeps* sweeps, pbdrSweepForce* saved)
{
    for (int k = 0; k < sweeps->rowCount; k++) {
        saved[k].friction = sweeps->rows[k].friction;
        memcpy(saved[k].force, sweeps->rows[k].force, sizeof saved[k].force);
    }
}

// The forces that were saved; of rows that are open none, if need be.
static void restore(pbdrSweeps* sweeps, const pbdrSweepForce* saved, bool opened)
{
    for (int k = 0; k < sweeps->rowCount; k++) {
        pbdrSweepRow* row = &sweeps->rows[k];
        row->friction = saved[k].friction;
        memcpy(row->force, saved[k].force, sizeof saved[k].force);
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            if (opened && row->state[lane] == pbdr_rowOpen) {
                row->force[lane] = 0.0;
                pbdrWriteLane(&row->friction, lane, (pbdrVec3){0.0, 0.0, 0.0});
            }
        }
    }
    pbdrPushRows(sweeps);
}

static void startStates(pbdrSweeps* sweeps, double near)
{
    for (int k = 0; k < sweeps->groupCount; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[k];
        for (int i = 0; i < group->rowCount; i++) {
            pbdrSweepRow* row = &sweeps->rows[group->firstRow + i];
            for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
                const double size = pbdrLength(pbdrReadLane(&row->friction, lane));
                const bool bears = row->force[lane] > 0.0;
                const bool slides = bears && size >= AT_BOUND * group->mu[lane] * row->force[lane];
                const bool holds = bears || (row->item[lane] >= 0 && row->ahead[lane] < near);
                row->state[lane] = (unsigned char)(slides  ? pbdr_rowSlides
                                                   : holds ? getHolding(group, lane)
                                                           : pbdr_rowOpen);
            }
        }
    }
}

// Forces with the rows' states as they are: solves with the same factors while they help. False if there are no factors.
static bool solveStates(pbdrSweeps* sweeps, double stiffness)
{
    pbdrSolve* solve = sweeps->solve;
    sweeps->stiffness = stiffness;
    if (!plan(sweeps) || !factor(sweeps)) {
        return false;
    }
    double last = 0.0;
    for (int k = 0; k <= REFINEMENTS; k++) {
        for (int i = 0; i < solve->moverCount; i++) {
            solve->movers[i].step = pbdrStill;
        }
        double left = 0.0;
        int count = 0;
        visitRows(sweeps, false, pullRow, &left, &count);
        if (k > 0 && !(left < SHARE * last)) {
            break;
        }
        last = sweeps->left = left;
        pbdrSolveFactored(solve->system, solve->movers);
        visitRows(sweeps, false, moveRow, &left, &count);
        pbdrPushRows(sweeps);
        solve->steps++;
        if (left <= DONE) {
            break;
        }
    }
    return true;
}

bool pbdrSolveSubspace(pbdrSweeps* sweeps, double near)
{
    pbdrSolve* solve = sweeps->solve;
    pbdrXpbdrWorker* worker = solve->worker;
    if (!pbdrListReserve(&worker->memory, &worker->sweepSaved, sweeps->rowCount)) {
        return false;
    }
    const double before = sweeps->error;
    double most = 0.0;
    int changes = 0;
    save(sweeps, worker->sweepSaved.items);
    startStates(sweeps, near);
    double stiffness = SOFT;
    int last = INT_MAX;
    for (int k = 0; k < CORRECTIONS; k++) {
        if (last < INT_MAX) {
            restore(sweeps, worker->sweepSaved.items, true);
        }
        if (!solveStates(sweeps, stiffness)) {
            restore(sweeps, worker->sweepSaved.items, false);
            return false;
        }
        changes = 0;
        visitRows(sweeps, true, correctRow, &most, &changes);
        if (changes == 0) {
            if (stiffness == STIFF || sweeps->left <= STIFF_FROM) {
                break;
            }
            stiffness = STIFF;
            last = INT_MAX;
        } else if (changes >= last && changes > FEW_CHANGES) {
            break;
        } else {
            last = changes;
        }
    }
    visitRows(sweeps, true, cutRow, &most, &changes);
    pbdrPushRows(sweeps);
    sweeps->error = solve->world->kernels->sweepGroups(sweeps->groups, sweeps->groupCount, pbdr_sweepForwards,
                                                       0.0, sweeps->rows, sweeps->motions);
    if (!(sweeps->error < before)) {
        restore(sweeps, worker->sweepSaved.items, false);
        sweeps->error = before;
        return false;
    }
    return true;
}
