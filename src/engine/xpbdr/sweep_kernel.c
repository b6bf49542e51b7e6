// Sweeps over groups of four patches (sweep.h): a lane per patch.
#include "math/simd.h"

#include "engine/xpbdr/kernel.h"
#include "engine/xpbdr/sweep.h"

// What damped bounds of friction keep of those of the last sweep.
#define DAMPED 0.8

// The motion of four bodies.
typedef struct Motion {
    vvec linear, angular;
} Motion;

static inline vvec loadLanes(const pbdrLaneVec* a)
{
    return (vvec){vload(a->v[0]), vload(a->v[1]), vload(a->v[2])};
}

static inline void storeLanes(pbdrLaneVec* to, vvec a)
{
    vstore(to->v[0], a.x);
    vstore(to->v[1], a.y);
    vstore(to->v[2], a.z);
}

// Linear and angular as they stand: x, y, z, x | y, z, and two numbers that mean nothing.
static inline Motion gather(const pbdrSweepMotion* motions, const int movers[PBDR_SWEEP_LANES])
{
    vreal first[PBDR_SWEEP_LANES], second[PBDR_SWEEP_LANES];
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        const double* v = motions[movers[lane]].v;
        first[lane] = vloadAny(v);
        second[lane] = vloadAny(v + PBDR_SWEEP_LANES);
    }
    vtranspose(first);
    vtranspose(second);
    return (Motion){{first[0], first[1], first[2]}, {first[3], second[0], second[1]}};
}

// Not of what stands still.
static inline void scatter(pbdrSweepMotion* motions, int still, const int movers[PBDR_SWEEP_LANES],
                           const Motion* motion)
{
    vreal first[PBDR_SWEEP_LANES] = {motion->linear.x, motion->linear.y, motion->linear.z, motion->angular.x},
          second[PBDR_SWEEP_LANES] = {motion->angular.y, motion->angular.z, vset(0.0), vset(0.0)};
    vtranspose(first);
    vtranspose(second);
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        if (movers[lane] != still) {
            double* v = motions[movers[lane]].v;
            vstoreAny(v, first[lane]);
            vstoreAny(v + PBDR_SWEEP_LANES, second[lane]);
        }
    }
}

// S a, with S as its six numbers.
static inline vvec turnBy(const pbdrLaneTensor* spin, vvec a)
{
    const vreal xy = vload(spin->m[3]), xz = vload(spin->m[4]), yz = vload(spin->m[5]);
    return (vvec){vadd(vadd(vmul(vload(spin->m[0]), a.x), vmul(xy, a.y)), vmul(xz, a.z)),
                  vadd(vadd(vmul(xy, a.x), vmul(vload(spin->m[1]), a.y)), vmul(yz, a.z)),
                  vadd(vadd(vmul(xz, a.x), vmul(yz, a.y)), vmul(vload(spin->m[2]), a.z))};
}

// A force on A at a lever, and its opposite on B.
static inline void push(const pbdrSweepGroup* group, vvec lever, vvec leverB, vvec force, Motion* a,
                        Motion* b)
{
    a->linear = vaddVec(a->linear, vscaleVec(vload(group->massA), force));
    a->angular = vaddVec(a->angular, turnBy(&group->spinA, vcrossVec(lever, force)));
    b->linear = vsubVec(b->linear, vscaleVec(vload(group->massB), force));
    b->angular = vsubVec(b->angular, turnBy(&group->spinB, vcrossVec(leverB, force)));
}

// No longer than a bound.
static inline vvec clampTo(vvec a, vreal bound)
{
    const vreal length = vsqrt(vdotVec(a, a));
    return vscaleVec(vmin(vdiv(bound, vmax(length, vset(1.0e-300))), vset(1.0)), a);
}

// Returns the square of how far the contact was from its law.
static inline vreal sweepRow(const pbdrSweepGroup* group, pbdrSweepRow* row, bool damped, Motion* a,
                             Motion* b)
{
    const vvec n = loadLanes(&row->n), lever = loadLanes(&row->lever);
    const vvec leverB = vaddVec(lever, loadLanes(&group->between));
    const vvec moveA = vaddVec(a->linear, vcrossVec(a->angular, lever));
    const vvec moveB = vaddVec(b->linear, vcrossVec(b->angular, leverB));
    const vvec move = vsubVec(moveA, moveB);
    const vreal last = vload(row->force), gap = vadd(vload(row->ahead), vdotVec(n, move));
    const vreal force = vmax(vsub(last, vmul(vload(row->perNormal), gap)), vset(0.0)),
                grows = vsub(force, last);
    const vvec way = vaddVec(loadLanes(&row->way), move);
    const vvec slip = vsubVec(way, vscaleVec(vdotVec(n, way), n));
    const vvec lastFriction = loadLanes(&row->friction);
    vreal bound = vmul(vload(group->mu), force);
    if (damped) {
        bound = vadd(vmul(vset(1.0 - DAMPED), bound), vmul(vset(DAMPED), vload(row->bound)));
    }
    const vvec friction = clampTo(vsubVec(lastFriction, vscaleVec(vload(row->perSlip), slip)), bound);
    const vvec turns = vsubVec(friction, lastFriction);
    push(group, lever, leverB, vaddVec(turns, vscaleVec(grows, n)), a, b);
    vstore(row->force, force);
    vstore(row->bound, bound);
    storeLanes(&row->friction, friction);
    const vreal gives = vmul(grows, vload(row->give));
    const vreal slips = vload(row->giveAcross);
    return vmax(vmul(gives, gives), vmul(vmul(slips, slips), vdotVec(turns, turns)));
}

// Rolling and spinning friction, under the load of all rows.
static inline void sweepTurn(pbdrSweepGroup* group, const pbdrSweepRow* rows, Motion* a, Motion* b)
{
    vreal load = vset(0.0);
    for (int k = 0; k < group->rowCount; k++) {
        load = vadd(load, vload(rows[group->firstRow + k].force));
    }
    const vvec axis = loadLanes(&group->axis), last = loadLanes(&group->moment);
    const vvec turn = vaddVec(loadLanes(&group->turn), vsubVec(a->angular, b->angular));
    const vvec wanted = vsubVec(last, vscaleVec(vload(group->perTurn), turn));
    const vvec spin = vscaleVec(vdotVec(axis, wanted), axis);
    const vvec moment = vaddVec(clampTo(vsubVec(wanted, spin), vmul(vload(group->roll), load)),
                                clampTo(spin, vmul(vload(group->spin), load)));
    const vvec change = vsubVec(moment, last);
    a->angular = vaddVec(a->angular, turnBy(&group->spinA, change));
    b->angular = vsubVec(b->angular, turnBy(&group->spinB, change));
    storeLanes(&group->moment, moment);
}

// Two groups that share no body: one's arithmetic fills the other's waits. The other may be NULL. Returns how far a
// contact was from its law, at most [m].
static double sweepTwo(pbdrSweepGroup* one, pbdrSweepGroup* other, bool damped, pbdrSweepRow* rows,
                       pbdrSweepMotion* motions, int still)
{
    Motion a = gather(motions, one->moverA), b = gather(motions, one->moverB), c = a, d = b;
    const int count = one->rowCount, otherCount = other != NULL ? other->rowCount : 0;
    if (other != NULL) {
        c = gather(motions, other->moverA);
        d = gather(motions, other->moverB);
    }
    vreal worst = vset(0.0), otherWorst = worst;
    for (int i = 0; i < count || i < otherCount; i++) {
        if (i < count) {
            worst = vmax(worst, sweepRow(one, &rows[one->firstRow + i], damped, &a, &b));
        }
        if (i < otherCount) {
            otherWorst = vmax(otherWorst, sweepRow(other, &rows[other->firstRow + i], damped, &c, &d));
        }
    }
    one->error = sqrt(vlargest(worst));
    if (one->rolls) {
        sweepTurn(one, rows, &a, &b);
    }
    scatter(motions, still, one->moverA, &a);
    scatter(motions, still, one->moverB, &b);
    if (other != NULL) {
        if (other->rolls) {
            sweepTurn(other, rows, &c, &d);
        }
        scatter(motions, still, other->moverA, &c);
        scatter(motions, still, other->moverB, &d);
        other->error = sqrt(vlargest(otherWorst));
        return fmax(one->error, other->error);
    }
    return one->error;
}

double STAGE(pbdrSweepGroups)(pbdrSweepGroup* groups, int count, pbdrSweepKind kind, double skipped,
                              pbdrSweepRow* rows, pbdrSweepMotion* motions, int still)
{
    const bool backwards = (kind & pbdr_sweepBackwards) != 0, damped = (kind & pbdr_sweepDamped) != 0;
    double worst = 0.0;
    pbdrSweepGroup* waiting = NULL; // for another of its colour
    for (int k = 0; k < count; k++) {
        pbdrSweepGroup* group = &groups[backwards ? count - 1 - k : k];
        if (group->error < skipped) {
            continue;
        }
        if (waiting != NULL && waiting->colour != group->colour) {
            worst = fmax(worst, sweepTwo(waiting, NULL, damped, rows, motions, still));
            waiting = NULL;
        }
        if (waiting == NULL) {
            waiting = group;
            continue;
        }
        worst = fmax(worst, sweepTwo(waiting, group, damped, rows, motions, still));
        waiting = NULL;
    }
    if (waiting != NULL) {
        worst = fmax(worst, sweepTwo(waiting, NULL, damped, rows, motions, still));
    }
    return worst;
}

void STAGE(pbdrPushGroups)(const pbdrSweepGroup* groups, int count, const pbdrSweepRow* rows,
                           pbdrSweepMotion* motions, int still)
{
    for (int k = 0; k < count; k++) {
        const pbdrSweepGroup* group = &groups[k];
        Motion a = gather(motions, group->moverA), b = gather(motions, group->moverB);
        for (int i = 0; i < group->rowCount; i++) {
            const pbdrSweepRow* row = &rows[group->firstRow + i];
            const vvec n = loadLanes(&row->n), lever = loadLanes(&row->lever);
            const vvec leverB = vaddVec(lever, loadLanes(&group->between));
            const vvec force = vaddVec(loadLanes(&row->friction), vscaleVec(vload(row->force), n));
            push(group, lever, leverB, force, &a, &b);
        }
        if (group->rolls) {
            const vvec moment = loadLanes(&group->moment);
            a.angular = vaddVec(a.angular, turnBy(&group->spinA, moment));
            b.angular = vsubVec(b.angular, turnBy(&group->spinB, moment));
        }
        scatter(motions, still, group->moverA, &a);
        scatter(motions, still, group->moverB, &b);
    }
}

double STAGE(pbdrSumWork)(const pbdrSweepGroup* groups, int count, const pbdrSweepRow* rows,
                          const pbdrSweepMotion* motions)
{
    vreal work = vset(0.0);
    for (int k = 0; k < count; k++) {
        const pbdrSweepGroup* group = &groups[k];
        const Motion a = gather(motions, group->moverA), b = gather(motions, group->moverB);
        for (int i = 0; i < group->rowCount; i++) {
            const pbdrSweepRow* row = &rows[group->firstRow + i];
            const vvec lever = loadLanes(&row->lever), leverB = vaddVec(lever, loadLanes(&group->between));
            const vvec moveA = vaddVec(a.linear, vcrossVec(a.angular, lever));
            const vvec moveB = vaddVec(b.linear, vcrossVec(b.angular, leverB));
            const vvec way = vaddVec(loadLanes(&row->way), vsubVec(moveA, moveB));
            const vvec force =
                vaddVec(loadLanes(&row->friction), vscaleVec(vload(row->force), loadLanes(&row->n)));
            work = vadd(work, vdotVec(force, way));
        }
        if (group->rolls) {
            const vvec turn = vaddVec(loadLanes(&group->turn), vsubVec(a.angular, b.angular));
            work = vadd(work, vdotVec(loadLanes(&group->moment), turn));
        }
    }
    return vsum(work);
}
