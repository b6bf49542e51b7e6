// What is measured in the extended suite: every body against its law, the worst of them counts; the system's
// momentum and energy; the figure that the test is about; and whether bodies stayed where they were.
#include "metrics.h"

#include "extended/extended.h"
#include "extended/mechanisms.h"
#include "vec.h"

#define DEGREES (180.0 / BENCH_PI)

// The system as a whole.
typedef struct Sums {
    pbdrVec3 linear, angular; // momentum; angular about the world's origin
    double kinetic, energy;   // [J]; energy: kinetic and potential
    double worst;             // error of the energy in all frames so far [J]
} Sums;

static pbdrQuat turnToGround(const BenchScene* scene, pbdrQuat q)
{
    pbdrVec3 v = benchToGround(scene, benchVec(q.x, q.y, q.z));
    return (pbdrQuat){q.w, v.x, v.y, v.z};
}

static pbdrQuat turnFromGround(const BenchScene* scene, pbdrQuat q)
{
    pbdrVec3 v = benchFromGround(scene, benchVec(q.x, q.y, q.z));
    return (pbdrQuat){q.w, v.x, v.y, v.z};
}

// A body as it was read, from its start, in the ground's axes.
static BenchFollowed describeMotion(const BenchMeter* meter, int body, const BenchMotion* motion)
{
    const BenchScene* scene = meter->scene;
    const pbdrPose* start = &meter->starts[body];
    return (BenchFollowed){
        .shift = benchToGround(scene, benchSub(motion->pose.position, start->position)),
        .turn = turnToGround(scene, benchMulQQ(motion->pose.rotation, benchConjugate(start->rotation))),
        .velocity = {benchToGround(scene, motion->velocity.linear),
                     benchToGround(scene, motion->velocity.angular)},
    };
}

static BenchMotion describeReference(const BenchMeter* meter, int body, const BenchFollowed* followed)
{
    const BenchScene* scene = meter->scene;
    const pbdrPose* start = &meter->starts[body];
    BenchMotion motion = {
        .pose = {benchAdd(start->position, benchFromGround(scene, followed->shift)),
                 benchMulQQ(turnFromGround(scene, followed->turn), start->rotation)},
        .velocity = {benchFromGround(scene, followed->velocity.linear),
                     benchFromGround(scene, followed->velocity.angular)},
    };
    motion.momentum = benchGetTrueMomentum(&scene->data.bodies[body], &motion);
    return motion;
}

static Sums addUp(const BenchMeter* meter, const BenchMotion* motions)
{
    const pbdrBenchScene* data = &meter->scene->data;
    Sums sums = {.kinetic = 0.0};
    for (int k = 0; k < data->bodyCount; k++) {
        const BenchMotion* m = &motions[k];
        pbdrVec3 own = benchGetTrueMomentum(&data->bodies[k], m).angular, v = m->velocity.linear;
        double mass = data->bodies[k].mass;
        sums.linear = benchAdd(sums.linear, m->momentum.linear);
        sums.angular = benchAdd(sums.angular, m->momentum.angular);
        sums.angular = benchAdd(sums.angular, benchCross(m->pose.position, m->momentum.linear));
        sums.kinetic += 0.5 * mass * benchDot(v, v) + 0.5 * benchDot(own, m->velocity.angular);
        pbdrVec3 from = benchSub(m->pose.position, meter->starts[k].position);
        sums.energy -= mass * benchDot(data->gravity, from);
    }
    sums.energy += sums.kinetic;
    return sums;
}

// The figure that the test is about.
static double getQuantity(const BenchTest* test, const BenchFollowed* bodies, const Sums* sums)
{
    pbdrVec3 centre;
    const BenchExtended* more = test->extended;
    const BenchFollowed *first = &bodies[0], *last = &bodies[more->bodyCount - 1];
    double worst = 0.0;
    switch (more->law) {
    case benchLawRest:
        if (more->bodyCount == 1) { // how far it got, or how far it tilts
            return more->unit[0] == 'm' ? first->shift.x
                                        : 2.0 * atan2(first->turn.y, first->turn.w) * DEGREES;
        }
        for (int k = 0; k < more->bodyCount; k++) {
            worst = fmax(worst, benchLength(bodies[k].velocity.linear));
        }
        return worst;
    case benchLawPush:
    case benchLawStop:
    case benchLawRoll:
        return first->shift.x;
    case benchLawSpin:
        return first->angle;
    case benchLawTip:
        return first->angle * DEGREES;
    case benchLawSlideToRoll:
        return first->velocity.linear.x;
    case benchLawBounce:
        return more->height + first->shift.z +
               0.5 * first->velocity.linear.z * first->velocity.linear.z / PBDR_DEFAULT_GRAVITY;
    case benchLawPrecession:
    case benchLawCollision:
        return sums->kinetic;
    case benchLawCradle:
        return last->velocity.linear.x;
    case benchLawFall:
        return -bodies[more->bodyCount / 2].shift.z;
    case benchLawPendulum:
    case benchLawWindows:
    case benchLawBricard:
        return more->unit[0] == 'J' ? sums->worst : first->angle;
    case benchLawSliderCrank:
        return first->angle;
    case benchLawAndrews:
        return BENCH_ANDREWS_START + first->angle;
    case benchLawDoublePendulum:
        return last->shift.z;
    case benchLawTop:
        centre = benchAdd(benchGetStart(test, 0).pose.position, first->shift);
        return more->steady ? first->angle : atan2(hypot(centre.x, centre.y), centre.z) * DEGREES;
    case benchLawGovernor:
        return -(benchGetStart(test, 1).pose.position.z + bodies[1].shift.z);
    }
    return (double)NAN;
}

static double getAngle(pbdrQuat a, pbdrQuat b)
{
    pbdrQuat off = benchMulQQ(a, benchConjugate(b));
    return 2.0 * atan2(sqrt(off.x * off.x + off.y * off.y + off.z * off.z), fabs(off.w));
}

// The nearest of the angles that differ by whole turns.
static double unwrap(double angle, double near)
{
    return angle + 2.0 * BENCH_PI * nearbyint((near - angle) / (2.0 * BENCH_PI));
}

// How far a body has turned about the law's axis, or gone round the vertical, with whole turns: nearest to where it was in the
// frame before. A crank that turns too fast for that is nearest to where it ends.
static double countTurns(BenchMeter* meter, pbdrVec3 axis, const BenchFollowed* body)
{
    const BenchTest* test = meter->scene->test;
    pbdrQuat q = body->turn;
    double angle = 2.0 * atan2(benchDot(axis, benchVec(q.x, q.y, q.z)), q.w);
    if (test->extended->law == benchLawTop) {
        pbdrVec3 centre = benchAdd(benchGetStart(test, 0).pose.position, body->shift);
        angle = atan2(centre.y, centre.x);
    }
    bool fast = test->extended->law == benchLawAndrews;
    meter->lastAngle = unwrap(angle, fast ? BENCH_ANDREWS_END - BENCH_ANDREWS_START : meter->lastAngle);
    return meter->lastAngle;
}

// The figure as it should be, where that is all that is known; else NaN.
static double findExact(BenchMeter* meter, double t)
{
    switch (meter->scene->test->extended->law) {
    case benchLawAndrews:
        return fabs(t - BENCH_ANDREWS_DURATION) < 1.0e-9 ? BENCH_ANDREWS_END : (double)NAN;
    case benchLawBricard:
        return 0.0;
    case benchLawGovernor:
        if (meter->stateTime == 0.0) {
            benchStartGovernor(meter->state);
        }
        benchFollowGovernor(t - meter->stateTime, meter->state);
        meter->stateTime = t;
        return meter->state[1];
    default:
        return (double)NAN;
    }
}

void benchMeasureExtended(BenchMeter* meter, double t, const BenchMotion* motions)
{
    const BenchScene* scene = meter->scene;
    const BenchTest* test = scene->test;
    int count = scene->data.bodyCount;
    BenchErrors* e = &meter->errors;
    BenchFollowed bodies[PBDR_BENCH_MAX_BODIES], wanted[PBDR_BENCH_MAX_BODIES];
    BenchMotion references[PBDR_BENCH_MAX_BODIES];
    double position = 0.0, rotation = 0.0, velocity = 0.0, moved = 0.0;
    pbdrVec3 axis = {0.0, 0.0, 0.0};
    bool top = test->extended->law == benchLawTop, known = true;
    bool counted = benchGetLawAxis(test, &axis) || top;
    for (int k = 0; k < count; k++) {
        bodies[k] = describeMotion(meter, k, &motions[k]);
        moved = fmax(moved, benchLength(bodies[k].shift));
        known = benchFollow(test, k, t, &wanted[k]) && known;
        references[k] = describeReference(meter, k, &wanted[k]);
        position =
            fmax(position, benchLength(benchSub(motions[k].pose.position, references[k].pose.position)));
        velocity =
            fmax(velocity, benchLength(benchSub(motions[k].velocity.linear, references[k].velocity.linear)));
        rotation = fmax(rotation, getAngle(bodies[k].turn, wanted[k].turn));
    }
    if (counted) { // whole turns count, and so does what the body has turned about other axes
        bodies[0].angle = countTurns(meter, axis, &bodies[0]);
        rotation = top ? rotation : fmax(rotation, fabs(bodies[0].angle - wanted[0].angle));
    }
    Sums sums = addUp(meter, motions), sumsWanted = addUp(meter, references);
    meter->worstEnergy = sums.worst = fmax(meter->worstEnergy, fabs(sums.energy - sumsWanted.energy));
    e->quantity = getQuantity(test, bodies, &sums);
    e->exact = known ? getQuantity(test, wanted, &sumsWanted) : findExact(meter, t);
    // Bricard's comes back, so that the farthest counts
    moved = test->extended->law == benchLawBricard ? fmax(e->moved, moved) : moved;
    e->moved = test->extended->byTilt ? fabs(e->quantity) : moved;
    double none = known ? 0.0 : (double)NAN;
    benchAddFrame(&e->position, t, position + none);
    benchAddFrame(&e->rotation, t, rotation * DEGREES + none);
    benchAddFrame(&e->velocity, t, velocity + none);
    benchAddFrame(&e->linearMomentum, t, benchLength(benchSub(sums.linear, sumsWanted.linear)) + none);
    benchAddFrame(&e->angularMomentum, t, benchLength(benchSub(sums.angular, sumsWanted.angular)) + none);
    benchAddFrame(&e->energy, t,
                  fabs(sums.energy - sumsWanted.energy) +
                      (test->extended->law == benchLawBricard ? 0.0 : none));
    benchAddFrame(&e->signedPosition, t, bodies[0].shift.x - wanted[0].shift.x + none);
    benchAddFrame(&e->signedRotation, t,
                  counted ? (bodies[0].angle - wanted[0].angle) * DEGREES + none : 0.0);
    e->maxTilt = fmax(e->maxTilt, benchGetTilt(meter->starts[0].rotation, motions[0].pose.rotation));
}
