// Errors against the closed forms of tests 1 to 6 and the pushing references of Test 7 (its errors are
// against the paper's, the quasi-static one, and at some moments against each).
//
//   position  x0 + direction a t^2/2       rotation  alpha t^2/2 about the vertical, none in tests without a
//   torque P = M a t direction                    L = tau t
//
// Angles are 2 atan2(|vector part|, |w|): acos of w has a floor of 1e-6 deg. About the vertical they are
// unwrapped.
#include "metrics.h"

#include "extended/extended.h"
#include "vec.h"

#define DEGREES (180.0 / BENCH_PI)
#define SERIES_COUNT 8

static void clearPushing(BenchErrors* e)
{
    const double nan = (double)NAN;
    const BenchGap none = {nan, nan, nan, nan, nan};
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        e->pushing[k] = (BenchPushErrors){none, none, none, none};
    }
}

static void listSeries(BenchErrors* e, BenchSeries* series[SERIES_COUNT])
{
    series[0] = &e->position;
    series[1] = &e->rotation;
    series[2] = &e->signedRotation;
    series[3] = &e->velocity;
    series[4] = &e->linearMomentum;
    series[5] = &e->angularMomentum;
    series[6] = &e->signedPosition;
    series[7] = &e->energy;
}

pbdrMomentum benchGetTrueMomentum(const pbdrBenchBody* body, const BenchMotion* motion)
{
    pbdrMat3 turn = benchMatFromQuat(motion->pose.rotation);
    pbdrMat3 inertia = benchTurnTensor(&turn, &body->inertia);
    return (pbdrMomentum){.linear = benchScale(body->mass, motion->velocity.linear),
                          .angular = benchMulMV(&inertia, motion->velocity.angular)};
}

// How the body that the solver simulates ought to accelerate: the true one, or the spheres as point masses.
static void setOwnMotion(BenchMeter* meter, bool usesSpheres)
{
    const BenchScene* scene = meter->scene;
    const BenchTest* test = scene->test;
    meter->ownAcceleration = scene->acceleration;
    meter->ownAngularAcceleration = scene->angularAcceleration;
    if (usesSpheres) {
        pbdrMassProperties own = pbdrSphereSet_GetMassProperties(&scene->spheres);
        double drag = scene->data.groundFriction * cos(test->slope) - sin(test->slope);
        if (fabs(own.mass - test->mass) > 1.0e-12 * test->mass) { // more than the sum's rounding
            meter->ownAcceleration = fmax(0.0, scene->forceSize / own.mass - PBDR_DEFAULT_GRAVITY * drag);
        }
        meter->ownAngularAcceleration =
            test->torque / (own.inertia.m[2][2] + scene->data.bodies[0].sphereExtraInertia.m[2][2]);
    }
}

void benchStartMeter(BenchMeter* meter, const BenchScene* scene, bool usesSpheres)
{
    const pbdrBenchBody* body = &scene->data.bodies[0];
    *meter = (BenchMeter){.scene = scene, .start = usesSpheres ? body->sphereStart : body->start};
    BenchSeries* series[SERIES_COUNT];
    listSeries(&meter->errors, series);
    for (int k = 0; k < SERIES_COUNT; k++) {
        series[k]->t2 = (double)NAN;
    }
    meter->errors.budget = (BenchBudget){(double)NAN, (double)NAN};
    meter->errors.quantity = meter->errors.exact = meter->errors.moved = (double)NAN;
    clearPushing(&meter->errors);
    if (scene->test->extended != NULL) {
        for (int k = 0; k < scene->data.bodyCount; k++) {
            const pbdrBenchBody* other = &scene->data.bodies[k];
            meter->starts[k] = usesSpheres ? other->sphereStart : other->start;
        }
    } else {
        meter->errors.energy.mean = meter->errors.energy.final = (double)NAN;
        setOwnMotion(meter, usesSpheres);
    }
}

void benchAddFrame(BenchSeries* series, double t, double value)
{
    series->final = value;
    series->mean += value;
    if (fabs(t - 2.0) < 1.0e-6) {
        series->t2 = value;
    }
}

// Angle about the vertical of the turn from the start, unwrapped by the last frame's.
static double unwrapAngle(double last, pbdrQuat relative)
{
    double angle = 2.0 * atan2(relative.z, relative.w);
    return angle + 2.0 * BENCH_PI * nearbyint((last - angle) / (2.0 * BENCH_PI));
}

double benchGetTilt(pbdrQuat start, pbdrQuat now)
{
    pbdrMat3 a = benchMatFromQuat(start), b = benchMatFromQuat(now);
    pbdrVec3 up = {a.m[0][2], a.m[1][2], a.m[2][2]}, upNow = {b.m[0][2], b.m[1][2], b.m[2][2]};
    return atan2(benchLength(benchCross(up, upNow)), benchDot(up, upNow)) * DEGREES;
}

// Where the body should be at time t, how it should move, and its angle about the vertical.
typedef struct Reference {
    pbdrVec3 position, velocity;
    double angle, angularVelocity;
} Reference;

// The closed forms of tests 1 to 6.
static Reference getClosedForm(const BenchMeter* meter, double t)
{
    const BenchScene* scene = meter->scene;
    return (Reference){
        .position =
            benchAddScaled(meter->start.position, 0.5 * scene->acceleration * t * t, scene->direction),
        .velocity = benchScale(scene->acceleration * t, scene->direction),
        .angle = 0.5 * scene->angularAcceleration * t * t,
        .angularVelocity = scene->angularAcceleration * t,
    };
}

// Test 7: the frame of a pushing reference that is nearest to time t, velocities from the frames beside it. A
// time between frames (of a trajectory file) is reached with that velocity, to 1e-6 m.
static Reference getPushed(const BenchMeter* meter, const BenchPushingPath* path, double t)
{
    const BenchScene* scene = meter->scene;
    int last = path->frameCount - 1;
    double frameTime = path->frames[1].t - path->frames[0].t;
    int frame = (int)fmin(last, nearbyint(t / frameTime));
    double rest = t - path->frames[frame].t;
    rest = fabs(rest) > 1.0e-9 && t < path->frames[last].t ? rest : 0.0;
    const BenchPushingFrame* at = &path->frames[frame];
    const BenchPushingFrame* before = &path->frames[frame > 0 ? frame - 1 : 0];
    const BenchPushingFrame* after = &path->frames[frame < last ? frame + 1 : last];
    double span = after->t - before->t;
    double vx = (after->x - before->x) / span, vy = (after->y - before->y) / span;
    double spin = (after->theta - before->theta) / span;
    pbdrVec3 position = benchAddScaled(meter->start.position, at->x + rest * vx, scene->direction);
    pbdrVec3 velocity = benchScale(vx, scene->direction);
    return (Reference){
        .position = benchAddScaled(position, at->y + rest * vy, scene->across),
        .velocity = benchAddScaled(velocity, vy, scene->across),
        .angle = at->theta + rest * spin,
        .angularVelocity = spin,
    };
}

pbdrPose benchGetReferencePose(const BenchMeter* meter, double t)
{
    const BenchScene* scene = meter->scene;
    const Reference reference = scene->pushing != NULL
                                    ? getPushed(meter, &scene->pushing[benchQuasistatic], t)
                                    : getClosedForm(meter, t);
    const pbdrQuat turn = {cos(0.5 * reference.angle), 0.0, 0.0, sin(0.5 * reference.angle)};
    return (pbdrPose){reference.position, benchMulQQ(turn, meter->start.rotation)};
}

static BenchGap getGap(const BenchMeter* meter, const BenchMotion* motion, const Reference* reference)
{
    pbdrVec3 offset = benchSub(motion->pose.position, reference->position);
    double turn = (meter->lastAngle - reference->angle) * DEGREES;
    return (BenchGap){.position = benchLength(offset),
                      .rotation = fabs(turn),
                      .along = benchDot(offset, meter->scene->direction),
                      .across = benchDot(offset, meter->scene->across),
                      .turn = turn};
}

// Errors against each of Test 7's references at its moments.
static void measurePushing(BenchMeter* meter, double t, const BenchMotion* motion)
{
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        const BenchPushingPath* path = &meter->scene->pushing[k];
        BenchPushErrors* errors = &meter->errors.pushing[k];
        Reference reference = getPushed(meter, path, t);
        BenchGap gap = getGap(meter, motion, &reference);
        double half = 0.5 * (path->frames[1].t - path->frames[0].t);
        errors->final = gap;
        errors->t2 = fabs(t - 2.0) < half ? gap : errors->t2;
        errors->t3 = fabs(t - 3.0) < half ? gap : errors->t3;
        errors->contactEnd = fabs(t - path->end.t) <= half ? gap : errors->contactEnd;
    }
}

// What is left of the error for the body as simulated, and for semi-implicit Euler, which goes a t^2/2 + a t
// dt/2.
static void measureBudget(BenchMeter* meter, double t, double signedPosition, double signedRotation)
{
    const BenchScene* scene = meter->scene;
    bool turning = scene->test->torque > 0.0;
    double unit = turning ? DEGREES : 1.0;
    double error = turning ? signedRotation : signedPosition;
    double truth = turning ? scene->angularAcceleration : scene->acceleration;
    double own = turning ? meter->ownAngularAcceleration : meter->ownAcceleration;
    double ownBody = error - 0.5 * (own - truth) * t * t * unit;
    meter->errors.budget = (BenchBudget){ownBody, ownBody - 0.5 * own * t * scene->data.timeStep * unit};
}

int benchGetMeasuredCount(const BenchScene* scene)
{
    return scene->test->extended != NULL ? scene->data.bodyCount : 1;
}

bool benchIsRight(const BenchTest* test, const BenchErrors* errors)
{
    const BenchExtended* more = test->extended;
    if (more == NULL || more->limit == 0.0 || isnan(errors->moved)) {
        return true;
    }
    return (errors->moved <= more->limit) == more->holds;
}

void benchMeasure(BenchMeter* meter, double t, const BenchMotion* motion)
{
    const BenchScene* scene = meter->scene;
    BenchErrors* e = &meter->errors;
    meter->frameCount++;
    if (scene->test->extended != NULL) {
        benchMeasureExtended(meter, t, motion);
        return;
    }

    Reference reference = scene->pushing != NULL ? getPushed(meter, &scene->pushing[benchQuasistatic], t)
                                                 : getClosedForm(meter, t);
    const pbdrBenchBody* body = &scene->data.bodies[0];
    double inertia = body->inertia.m[2][2];
    pbdrVec3 spin = benchVec(0.0, 0.0, inertia * reference.angularVelocity); // tau t where a torque acts
    pbdrVec3 offset = benchSub(motion->pose.position, reference.position);
    benchAddFrame(&e->position, t, benchLength(offset));
    benchAddFrame(&e->signedPosition, t, benchDot(offset, scene->direction));
    benchAddFrame(&e->velocity, t, benchLength(benchSub(motion->velocity.linear, reference.velocity)));
    benchAddFrame(&e->linearMomentum, t,
                  benchLength(benchAddScaled(motion->momentum.linear, -body->mass, reference.velocity)));
    benchAddFrame(&e->angularMomentum, t, benchLength(benchSub(motion->momentum.angular, spin)));

    pbdrQuat relative = benchMulQQ(motion->pose.rotation, benchConjugate(meter->start.rotation));
    if (scene->test->torque > 0.0 || scene->pushing != NULL) {
        meter->lastAngle = unwrapAngle(meter->lastAngle, relative);
        double error = (meter->lastAngle - reference.angle) * DEGREES;
        benchAddFrame(&e->signedRotation, t, error);
        benchAddFrame(&e->rotation, t, fabs(error));
    } else {
        double vector = sqrt(relative.x * relative.x + relative.y * relative.y + relative.z * relative.z);
        benchAddFrame(&e->signedRotation, t, 0.0);
        benchAddFrame(&e->rotation, t, 2.0 * atan2(vector, fabs(relative.w)) * DEGREES);
    }
    e->maxTilt = fmax(e->maxTilt, benchGetTilt(meter->start.rotation, motion->pose.rotation));
    if (scene->pushing != NULL) {
        measurePushing(meter, t, motion);
    } else {
        measureBudget(meter, t, e->signedPosition.final, e->signedRotation.final);
    }
}

BenchErrors benchFinishMeter(const BenchMeter* meter)
{
    BenchErrors e = meter->errors;
    BenchSeries* series[SERIES_COUNT];
    listSeries(&e, series);
    for (int k = 0; k < SERIES_COUNT; k++) {
        series[k]->mean /= meter->frameCount;
    }
    return e;
}

BenchErrors benchGetNoErrors(void)
{
    BenchErrors e;
    BenchSeries* series[SERIES_COUNT];
    listSeries(&e, series);
    for (int k = 0; k < SERIES_COUNT; k++) {
        *series[k] = (BenchSeries){(double)NAN, (double)NAN, (double)NAN};
    }
    e.maxTilt = e.quantity = e.exact = e.moved = (double)NAN;
    e.budget = (BenchBudget){(double)NAN, (double)NAN};
    clearPushing(&e);
    return e;
}

double benchGetPositionFloor(const BenchScene* scene, double duration, double timeStep)
{
    if (scene->test->extended != NULL) {
        return benchGetLawPositionFloor(scene->test, duration, timeStep);
    }
    if (scene->pushing != NULL) {
        return (double)NAN; // the rod's motion is given: there is no such floor
    }
    return 0.5 * scene->acceleration * duration * timeStep;
}

double benchGetRotationFloor(const BenchScene* scene, double duration, double timeStep)
{
    if (scene->test->extended != NULL) {
        return benchGetLawRotationFloor(scene->test, duration, timeStep) * DEGREES;
    }
    if (scene->pushing != NULL) {
        return (double)NAN;
    }
    return 0.5 * scene->angularAcceleration * duration * timeStep * DEGREES;
}
