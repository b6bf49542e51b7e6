// The convex problem in each step of the method of multipliers (subspace.h).
#include "engine/xpbdr/prepare.h"
#include "engine/xpbdr/subspace.h"

#include <string.h>

// A minimum is found when a step promises this share of what the first one did, or more than that share of what the last
// one did, though nothing changed: that is rounding.
#define PROMISE 1.0e-18
#define ROUNDED 1.0e-3
// A step is too long if the energy rises at its end by more than this share of how it falls at its begin. The minimum is
// where a row changes its state, mostly, and must be found well enough for that: evaluations at most, and slope.
#define RISES 0.1
#define EVALUATIONS 60
#define LEVEL 1.0e-6
// Bodies that a body may touch when it is eliminated.
#define MOST_NEIGHBOURS 40

// --- Rows ---

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

// The displacement of a row's point: that of the movers so far, or of their step.
static pbdrVec3 getMove(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, int lane, pbdrVec3 lever,
                        bool step)
{
    const pbdrSolve* solve = sweeps->solve;
    const int a = group->moverA[lane], b = group->moverB[lane];
    pbdrVec3 move = {0.0, 0.0, 0.0};
    if (a < solve->moverCount) {
        const pbdrMover* mover = &solve->movers[a];
        move = pbdrMoveLever(step ? &mover->step : &mover->y, lever);
    }
    if (b < solve->moverCount) {
        const pbdrMover* mover = &solve->movers[b];
        const pbdrVec3 leverB = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
        move = pbdrSub(move, pbdrMoveLever(step ? &mover->step : &mover->y, leverB));
    }
    return move;
}

// What a row bears after the displacement so far and a share of the step.
static pbdrBearing bear(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row,
                        int lane, pbdrVec3 further)
{
    const pbdrVec3 move = pbdrGetRowMove(sweeps, group, row, lane);
    const pbdrVec3 n = pbdrReadLane(&row->n, lane), way = pbdrAdd(pbdrReadLane(&row->way, lane), move);
    const pbdrVec3 slip =
        pbdrAdd(pbdrAddScaled(way, -pbdrDot(n, way), n), pbdrAddScaled(further, -pbdrDot(n, further), n));
    pbdrBearing b = {
        .gap = row->ahead[lane] + pbdrDot(n, move) + pbdrDot(n, further), .slip = slip, .share = 1.0};
    b.force = row->force[lane] - sweeps->stiffness * row->perNormal[lane] * b.gap;
    b.state = b.force > 0.0 ? pbdr_rowPresses : pbdr_rowOpen;
    b.force = fmax(b.force, 0.0);
    const double bound = sweeps->follows ? group->mu[lane] * b.force : row->bound[lane];
    if (!(bound > 0.0)) {
        b.share = 0.0;
        return b;
    }
    b.friction =
        pbdrAddScaled(pbdrReadLane(&row->friction, lane), -sweeps->stiffness * row->perSlip[lane], slip);
    const double size = pbdrLength(b.friction);
    b.state |= size > bound ? pbdr_rowSlides : pbdr_rowSticks;
    if (size > bound) {
        b.along = pbdrScale(1.0 / size, b.friction);
        b.friction = pbdrScale(bound, b.along);
        b.share = bound / size;
    }
    return b;
}

pbdrBearing pbdrBearRow(const pbdrSweeps* sweeps, const pbdrSweepGroup* group, const pbdrSweepRow* row,
                        int lane)
{
    return bear(sweeps, group, row, lane,
                getMove(sweeps, group, lane, pbdrReadLane(&row->lever, lane), false));
}

double pbdrVisitRows(pbdrSweeps* sweeps, pbdrRowVisit visit, double value)
{
    double sum = 0.0;
    for (int k = 0; k < sweeps->groupCount; k++) {
        pbdrSweepGroup* group = &sweeps->groups[k];
        for (int i = 0; i < group->rowCount; i++) {
            pbdrSweepRow* row = &sweeps->rows[group->firstRow + i];
            for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
                if (row->item[lane] >= 0) {
                    sum += visit(sweeps, group, row, lane, value);
                }
            }
        }
    }
    return sum;
}

// --- The system ---

// Adds J^T K J of a row about A's centre of mass.
static void addRow(const pbdrSweeps* sweeps, const pbdrSweepRow* row, int lane, double mu,
                   const pbdrBearing* bearing, pbdrBlock6* block)
{
    const double k = (bearing->state & pbdr_rowPresses) != 0 ? sweeps->stiffness * row->perNormal[lane] : 0.0,
                 across = bearing->share * sweeps->stiffness * row->perSlip[lane];
    const pbdrVec3 n = pbdrReadLane(&row->n, lane), lever = pbdrReadLane(&row->lever, lane);
    const double a[3] = {n.x, n.y, n.z}, s[3] = {bearing->along.x, bearing->along.y, bearing->along.z};
    double stiff[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            stiff[i][j] = (k - across) * a[i] * a[j] + (i == j ? across : 0.0) - across * s[i] * s[j] +
                          mu * k * s[i] * a[j];
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
            if (group->patch[lane] < 0 || !bears(sweeps, group, lane)) {
                continue;
            }
            pbdrBlock6 block = {{{0.0}}};
            for (int i = 0; i < group->rowCount; i++) {
                const pbdrSweepRow* row = &sweeps->rows[group->firstRow + i];
                if (row->state[lane] != pbdr_rowOpen) {
                    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane);
                    const pbdrBearing bearing =
                        bear(sweeps, group, row, lane, getMove(sweeps, group, lane, lever, false));
                    addRow(sweeps, row, lane, sweeps->follows ? group->mu[lane] : 0.0, &bearing, &block);
                }
            }
            pbdrAddStiffness(solve->system, &solve->activePatches[group->patch[lane]], &block);
        }
    }
    return pbdrFactorSystem(solve->system);
}

// --- The minimum ---

// The force of a row that f0 does not have, on the movers' steps; its state. Returns 1 if that is another one.
static double pullRow(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane, double value)
{
    (void)value;
    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane);
    const pbdrBearing b = bear(sweeps, group, row, lane, getMove(sweeps, group, lane, lever, false));
    const pbdrVec3 more = pbdrSub(b.friction, pbdrReadLane(&row->friction, lane));
    addWrench(sweeps, group, lane, lever,
              pbdrAddScaled(more, b.force - row->force[lane], pbdrReadLane(&row->n, lane)));
    const bool changes = row->state[lane] != b.state;
    row->state[lane] = (unsigned char)b.state;
    return changes ? 1.0 : 0.0;
}

// Writes a row's part of the line.
static double noteLine(pbdrSweeps* sweeps, pbdrSweepGroup* group, pbdrSweepRow* row, int lane, double value)
{
    (void)value;
    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane), n = pbdrReadLane(&row->n, lane);
    const pbdrVec3 so = pbdrAdd(pbdrGetRowMove(sweeps, group, row, lane),
                                getMove(sweeps, group, lane, lever, false)),
                   step = getMove(sweeps, group, lane, lever, true),
                   way = pbdrAdd(pbdrReadLane(&row->way, lane), so);
    const double along = pbdrDot(n, step);
    sweeps->lines[sweeps->lineCount++] = (pbdrSweepLine){
        .force = row->force[lane],
        .stiff = sweeps->stiffness * row->perNormal[lane],
        .gap = row->ahead[lane] + pbdrDot(n, so),
        .gapStep = along,
        .bound = row->bound[lane],
        .stiffAcross = sweeps->stiffness * row->perSlip[lane],
        .friction = pbdrReadLane(&row->friction, lane),
        .slip = pbdrAddScaled(way, -pbdrDot(n, way), n),
        .slipStep = pbdrAddScaled(step, -along, n),
    };
    return 0.0;
}

// The power of all rows' forces on the step, at a share of it.
static double workAlong(const pbdrSweeps* sweeps, double share)
{
    double sum = 0.0;
    for (int k = 0; k < sweeps->lineCount; k++) {
        const pbdrSweepLine* line = &sweeps->lines[k];
        const double force = pbdrMax(0.0, line->force - line->stiff * (line->gap + share * line->gapStep));
        sum += (force - line->force) * line->gapStep;
        pbdrVec3 friction = {0.0, 0.0, 0.0};
        if (line->bound > 0.0) {
            const pbdrVec3 slip = pbdrAddScaled(line->slip, share, line->slipStep);
            friction = pbdrAddScaled(line->friction, -line->stiffAcross, slip);
            const double square = pbdrDot(friction, friction);
            if (square > line->bound * line->bound) {
                friction = pbdrScale(line->bound / sqrt(square), friction);
            }
        }
        sum += pbdrDot(pbdrSub(friction, line->friction), line->slipStep);
    }
    return sum;
}

// sum a M b/dt^2 over all movers, with a the step: b = so far, and b = the step.
static void getInertia(const pbdrSolve* solve, double* first, double* second)
{
    *first = *second = 0.0;
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        const pbdrVec3 u = pbdrGetLinear(&mover->step),
                       w = pbdrMulMV(&mover->inertia, pbdrGetAngular(&mover->step));
        *first += solve->perStep * (mover->mass * pbdrDot(u, pbdrGetLinear(&mover->y)) +
                                    pbdrDot(w, pbdrGetAngular(&mover->y)));
        *second += solve->perStep * (mover->mass * pbdrDot(u, u) + pbdrDot(w, pbdrGetAngular(&mover->step)));
    }
}

// The share of the step at which the energy is least. fall: how it falls at its begin.
static double searchLeast(pbdrSweeps* sweeps, double fall)
{
    double first, second;
    getInertia(sweeps->solve, &first, &second);
    sweeps->lineCount = 0;
    pbdrVisitRows(sweeps, noteLine, 0.0);
    double low = 0.0, atLow = -fall, high = 1.0;
    double atHigh = first + second - workAlong(sweeps, 1.0);
    if (!(atHigh > RISES * fall)) {
        return 1.0;
    }
    double share = 1.0, width = 1.0;
    int side = 0;
    for (int k = 0; k < EVALUATIONS; k++) {
        // where a line through both ends crosses zero (Illinois); their middle where that is slow
        share = k % 3 == 2 && high - low > 0.5 * width ? 0.5 * (low + high)
                                                       : low - atLow * (high - low) / (atHigh - atLow);
        width = k % 3 == 2 ? high - low : width;
        const double at = first + share * second - workAlong(sweeps, share);
        if (fabs(at) <= LEVEL * fall) {
            break;
        }
        if (at > 0.0) {
            high = share;
            atHigh = at;
            atLow *= side == 1 ? 0.5 : 1.0;
            side = 1;
        } else {
            low = share;
            atLow = at;
            atHigh *= side == -1 ? 0.5 : 1.0;
            side = -1;
        }
    }
    return share;
}

// The forces that f0 does not balance, at the displacement so far; the rows' states. Returns how many are others.
static int pullAll(pbdrSweeps* sweeps)
{
    pbdrSolve* solve = sweeps->solve;
    for (int i = 0; i < solve->moverCount; i++) {
        pbdrMover* mover = &solve->movers[i];
        const pbdrVec3 u = pbdrGetLinear(&mover->y), w = pbdrGetAngular(&mover->y);
        mover->step = pbdrMakeTwist(pbdrScale(-solve->perStep * mover->mass, u),
                                    pbdrScale(-solve->perStep, pbdrMulMV(&mover->inertia, w)));
    }
    return (int)pbdrVisitRows(sweeps, pullRow, 0.0);
}

// Newton's step. Returns how steeply the energy falls along it; negative if there are no factors.
static double makeStep(pbdrSweeps* sweeps, bool factors)
{
    pbdrSolve* solve = sweeps->solve;
    if (factors && (!plan(sweeps) || !factor(sweeps))) {
        return -1.0;
    }
    for (int i = 0; i < solve->moverCount; i++) {
        solve->movers[i].residual = solve->movers[i].step;
    }
    pbdrSolveFactored(solve->system, solve->movers);
    solve->steps++;
    double fall = 0.0;
    for (int i = 0; i < solve->moverCount; i++) {
        for (int c = 0; c < 6; c++) {
            fall += solve->movers[i].residual.v[c] * solve->movers[i].step.v[c];
        }
    }
    return fabs(fall);
}

int pbdrMinimise(pbdrSweeps* sweeps, double stiffness, int most)
{
    pbdrSolve* solve = sweeps->solve;
    double promised = 0.0, last = (double)INFINITY, share = 1.0;
    // while no row does anything else, factors stay good
    bool factors = stiffness != sweeps->stiffness;
    sweeps->stiffness = stiffness;
    for (int k = 0; k < solve->moverCount; k++) {
        solve->movers[k].y = pbdrStill;
    }
    for (int k = 0; k < most; k++) {
        const int changes = pullAll(sweeps);
        factors = factors || changes > 0;
        double fall = makeStep(sweeps, factors);
        if (fall < 0.0) {
            return -1;
        }
        promised = fmax(promised, fall);
        const bool found = !(fall > PROMISE * promised) ||
                           (share == 1.0 && changes == 0 && factors && fall > ROUNDED * last);
        share = sweeps->follows || !sweeps->hard ? 1.0 : searchLeast(sweeps, fall);
        for (int i = 0; i < solve->moverCount; i++) {
            pbdrAddTwist(&solve->movers[i].y, share, &solve->movers[i].step);
        }
        if (found) {
            return k + 1;
        }
        factors = !(fall < ROUNDED * last); // slips may have turned
        last = fall;
    }
    return most;
}
