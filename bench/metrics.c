// Errors against the closed forms of tests 1 to 6.
//
//   position  x0 + direction a t^2/2       rotation  alpha t^2/2 about the vertical, none in tests without a
//   torque P = M a t direction                    L = tau t
//
// Angles are 2 atan2(|vector part|, |w|): acos of w has a floor of 1e-6 deg. About the vertical they are
// unwrapped.
#include "metrics.h"

#include "math/vec.h"

#define DEGREES (180.0 / PBDR_PI)
#define SERIES_COUNT 6

static void listSeries(BenchErrors* e, BenchSeries* series[SERIES_COUNT])
{
    series[0] = &e->position;
    series[1] = &e->rotation;
    series[2] = &e->signedRotation;
    series[3] = &e->velocity;
    series[4] = &e->linearMomentum;
    series[5] = &e->angularMomentum;
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
}

static void add(BenchSeries* series, double t, double value)
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
    return angle + 2.0 * PBDR_PI * nearbyint((last - angle) / (2.0 * PBDR_PI));
}

static double getTilt(pbdrQuat start, pbdrQuat now)
{
    pbdrMat3 a = pbdrMatFromQuat(start), b = pbdrMatFromQuat(now);
    pbdrVec3 up = {a.m[0][2], a.m[1][2], a.m[2][2]}, upNow = {b.m[0][2], b.m[1][2], b.m[2][2]};
    return atan2(pbdrLength(pbdrCross(up, upNow)), pbdrDot(up, upNow)) * DEGREES;
}

void benchMeasure(BenchMeter* meter, double t, const BenchMotion* motion)
{
    const BenchScene* scene = meter->scene;
    BenchErrors* e = &meter->errors;
    meter->frameCount++;

    pbdrVec3 reference =
        pbdrAddScaled(meter->start.position, 0.5 * scene->acceleration * t * t, scene->direction);
    add(&e->position, t, pbdrLength(pbdrSub(motion->pose.position, reference)));
    pbdrVec3 velocity = pbdrScale(scene->acceleration * t, scene->direction);
    add(&e->velocity, t, pbdrLength(pbdrSub(motion->velocity.linear, velocity)));
    add(&e->linearMomentum, t,
        pbdrLength(pbdrAddScaled(motion->momentum.linear, -scene->test->mass, velocity)));
    add(&e->angularMomentum, t,
        pbdrLength(pbdrAddScaled(motion->momentum.angular, -t, scene->data.bodies[0].torque)));

    pbdrQuat relative = pbdrMulQQ(motion->pose.rotation, pbdrConjugate(meter->start.rotation));
    if (scene->test->torque > 0.0) {
        meter->lastAngle = unwrapAngle(meter->lastAngle, relative);
        double error = (meter->lastAngle - 0.5 * scene->angularAcceleration * t * t) * DEGREES;
        add(&e->signedRotation, t, error);
        add(&e->rotation, t, fabs(error));
    } else {
        double vector = sqrt(relative.x * relative.x + relative.y * relative.y + relative.z * relative.z);
        add(&e->signedRotation, t, 0.0);
        add(&e->rotation, t, 2.0 * atan2(vector, fabs(relative.w)) * DEGREES);
    }
    e->maxTilt = fmax(e->maxTilt, getTilt(meter->start.rotation, motion->pose.rotation));
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
    e.maxTilt = (double)NAN;
    return e;
}

double benchGetPositionFloor(const BenchScene* scene, double duration, double timeStep)
{
    return 0.5 * scene->acceleration * duration * timeStep;
}

double benchGetRotationFloor(const BenchScene* scene, double duration, double timeStep)
{
    return 0.5 * scene->angularAcceleration * duration * timeStep * DEGREES;
}
