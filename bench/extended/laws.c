// Closed forms of the extended suite, in the ground's axes, and what semi-implicit Euler leaves of them.
//
//   push          x = (F/M - mu g) t^2/2
//   stop          x = v t - mu g t^2/2 up to t = v/(mu g), where it is v^2/(2 mu g)
//   spin          even pressure on a disc: torque 2/3 mu M g R on M R^2/2, so theta'' = -4/3 mu g/R
//   roll          x = 5/7 g sin(beta) t^2/2, turned by x/R
//   slide, roll   v - mu g t, spin 5/2 mu g t/R up to t = 2/7 v/(mu g); then it rolls with 5/7 v
//   precession    I_1 = I_2: the body's axis goes round L with |L|/I_1, and the body turns about its axis with
//                 (1 - I_3/I_1) w_3 besides
//   tip           about the front edge, with r from there to the centre, r = L/sqrt(2), and psi = pi/4 + theta:
//                 (2/3) M L^2 theta'' = F r sin(psi) - M g r cos(psi), by the fourth-order Runge-Kutta method
#include "extended/extended.h"

#include "extended/mechanisms.h"
#include "vec.h"

// Steps of the tipping box's reference [s]: its error is under 1e-12 rad.
#define TIP_STEP 1.0e-4

static double getGravity(void)
{
    return PBDR_DEFAULT_GRAVITY;
}

double benchGetBodyMass(const BenchTest* test, int body)
{
    const BenchExtended* more = test->extended;
    if (benchIsMechanism(test)) {
        BenchLink link;
        benchPlaceLink(test, body, 0.0, &link);
        return link.mass;
    }
    if (more->law == benchLawCollision) {
        return body == 0 ? test->mass : 0.5 * test->mass;
    }
    bool top = body > 0 && body == more->bodyCount - 1 && more->ratio > 0.0;
    return test->mass * (top ? more->ratio : 1.0);
}

// A turn by an angle about a unit axis.
static pbdrQuat makeTurn(pbdrVec3 axis, double angle)
{
    double s = sin(0.5 * angle);
    return (pbdrQuat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

bool benchGetLawAxis(const BenchTest* test, pbdrVec3* axis)
{
    switch (test->extended->law) {
    case benchLawSpin:
        *axis = benchVec(0.0, 0.0, 1.0);
        return true;
    case benchLawRoll:
    case benchLawSlideToRoll:
    case benchLawTip:
        *axis = benchVec(0.0, 1.0, 0.0);
        return true;
    case benchLawPendulum:
    case benchLawSliderCrank:
    case benchLawAndrews:
        *axis = benchVec(0.0, -1.0, 0.0);
        return true;
    default:
        return false;
    }
}

// --- On the ground ---

static double getPushAcceleration(const BenchTest* test)
{
    return (test->extended->push - test->mu) * getGravity();
}

static void followLine(double x, double speed, BenchFollowed* f)
{
    f->shift.x = x;
    f->velocity.linear.x = speed;
}

static void followStop(const BenchTest* test, double t, BenchFollowed* f)
{
    double a = test->mu * getGravity(), v = test->extended->speed, moving = fmin(t, v / a);
    followLine(v * moving - 0.5 * a * moving * moving, v - a * moving, f);
}

static double getSpinBrake(const BenchTest* test)
{
    return 4.0 / 3.0 * test->mu * getGravity() / BENCH_DISC_RADIUS;
}

static void followSpin(const BenchTest* test, double t, BenchFollowed* f)
{
    double a = getSpinBrake(test), w = test->extended->spin, moving = fmin(t, w / a);
    f->angle = w * moving - 0.5 * a * moving * moving;
    f->velocity.angular.z = w - a * moving;
}

static double getRollAcceleration(const BenchTest* test)
{
    return 5.0 / 7.0 * getGravity() * sin(test->slope);
}

static void followRoll(const BenchTest* test, double t, BenchFollowed* f)
{
    double a = getRollAcceleration(test);
    followLine(0.5 * a * t * t, a * t, f);
    f->angle = f->shift.x / BENCH_BALL_RADIUS;
    f->velocity.angular.y = f->velocity.linear.x / BENCH_BALL_RADIUS;
}

static void followSlideToRoll(const BenchTest* test, double t, BenchFollowed* f)
{
    double a = test->mu * getGravity(), v = test->extended->speed, r = BENCH_BALL_RADIUS;
    double end = 2.0 / 7.0 * v / a, sliding = fmin(t, end), rolling = fmax(0.0, t - end);
    double speed = v - a * sliding, spin = 2.5 * a * sliding / r;
    followLine(v * sliding - 0.5 * a * sliding * sliding + speed * rolling, speed, f);
    f->angle = 0.5 * spin * sliding + spin * rolling;
    f->velocity.angular.y = spin;
}

// --- A box that tips ---

static double getTipAcceleration(const BenchTest* test, double angle)
{
    double side = BENCH_SIDE, g = getGravity(), psi = 0.25 * BENCH_PI + angle;
    return sqrt(0.5) * side * g * (test->extended->push * sin(psi) - cos(psi)) / (2.0 / 3.0 * side * side);
}

// Tilt and its speed after a time, by Runge and Kutta.
static void tip(const BenchTest* test, double t, double* angle, double* speed)
{
    int steps = (int)ceil(t / TIP_STEP);
    double h = steps > 0 ? t / steps : 0.0, x = 0.0, v = 0.0;
    for (int k = 0; k < steps; k++) {
        double a1 = getTipAcceleration(test, x), v2 = v + 0.5 * h * a1;
        double a2 = getTipAcceleration(test, x + 0.5 * h * v), v3 = v + 0.5 * h * a2;
        double a3 = getTipAcceleration(test, x + 0.5 * h * v2), v4 = v + h * a3;
        double a4 = getTipAcceleration(test, x + h * v3);
        x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    *angle = x;
    *speed = v;
}

static void followTip(const BenchTest* test, double t, BenchFollowed* f)
{
    double arm = sqrt(0.5) * BENCH_SIDE, half = 0.5 * BENCH_SIDE, speed;
    tip(test, t, &f->angle, &speed);
    double c = arm * cos(0.25 * BENCH_PI + f->angle), s = arm * sin(0.25 * BENCH_PI + f->angle);
    f->shift = benchVec(half - c, 0.0, s - half);
    f->velocity.linear = benchVec(s * speed, 0.0, c * speed);
    f->velocity.angular.y = speed;
}

// --- A top ---

// Moments of inertia across and along the top's axis [kg m^2].
static void getTopInertia(const BenchTest* test, double* across, double* along)
{
    double side = BENCH_SIDE, h = BENCH_TOP_HEIGHT;
    *across = test->mass * (side * side + h * h) / 12.0;
    *along = test->mass * side * side / 6.0;
}

static void followPrecession(const BenchTest* test, double t, BenchFollowed* f)
{
    BenchStart start = benchGetStart(test, 0);
    double across, along;
    getTopInertia(test, &across, &along);
    pbdrVec3 axis = benchRotate(start.pose.rotation, benchVec(0.0, 0.0, 1.0)), w = start.velocity.angular;
    double wAlong = benchDot(w, axis);
    pbdrVec3 momentum = benchAddScaled(benchScale(across, w), (along - across) * wAlong, axis);
    double size = benchLength(momentum);
    pbdrQuat round = makeTurn(benchScale(1.0 / size, momentum), size / across * t);
    double own = (1.0 - along / across) * wAlong;
    f->turn = benchMulQQ(round, makeTurn(axis, own * t));
    f->velocity.angular = benchAddScaled(benchScale(1.0 / across, momentum), own, benchRotate(round, axis));
}

// --- Mechanisms ---

static bool followLink(const BenchTest* test, int body, double t, BenchFollowed* f)
{
    BenchLink start, link;
    benchPlaceLink(test, body, 0.0, &start);
    bool known = benchPlaceLink(test, body, t, &link);
    f->shift = benchSub(link.at.pose.position, start.at.pose.position);
    f->turn = benchMulQQ(link.at.pose.rotation, benchConjugate(start.at.pose.rotation));
    f->velocity = link.at.velocity;
    double rate;
    if (test->extended->law == benchLawSliderCrank) {
        benchCrank(test, t, &f->angle, &rate);
        f->angle -= BENCH_CRANK_START;
    } else if (test->extended->law == benchLawTop) {
        f->angle = benchSpinTop(test, t).round;
    } else if (test->extended->law == benchLawPendulum) {
        f->angle = 2.0 * atan2(-f->turn.y, f->turn.w);
    }
    return known;
}

bool benchHasReference(const BenchTest* test)
{
    switch (test->extended->law) {
    case benchLawFall:
    case benchLawAndrews:
    case benchLawBricard:
    case benchLawGovernor:
        return false;
    default:
        return true;
    }
}

// --- All ---

bool benchFollow(const BenchTest* test, int body, double t, BenchFollowed* followed)
{
    *followed = (BenchFollowed){.turn = {1.0, 0.0, 0.0, 0.0}};
    if (benchIsMechanism(test)) {
        return followLink(test, body, t, followed);
    }
    switch (test->extended->law) {
    case benchLawRest:
        break;
    case benchLawPush:
        followLine(0.5 * getPushAcceleration(test) * t * t, getPushAcceleration(test) * t, followed);
        break;
    case benchLawStop:
        followStop(test, t, followed);
        break;
    case benchLawSpin:
        followSpin(test, t, followed);
        break;
    case benchLawRoll:
        followRoll(test, t, followed);
        break;
    case benchLawSlideToRoll:
        followSlideToRoll(test, t, followed);
        break;
    case benchLawBounce:
        benchFollowBounce(test, t, followed);
        break;
    case benchLawPrecession:
        followPrecession(test, t, followed);
        break;
    case benchLawTip:
        followTip(test, t, followed);
        break;
    case benchLawCollision:
        benchFollowCollision(test, body, t, followed);
        break;
    case benchLawCradle:
        benchFollowCradle(test, body, t, followed);
        break;
    default:
        return false;
    }
    pbdrVec3 axis;
    if (benchGetLawAxis(test, &axis)) {
        followed->turn = makeTurn(axis, followed->angle);
    }
    return true;
}

// --- Floors ---

// Semi-implicit Euler for the tipping box: how far its angle is off.
static double getTipFloor(const BenchTest* test, double t, double dt)
{
    double x = 0.0, v = 0.0, angle, speed;
    for (int k = 0; k < (int)nearbyint(t / dt); k++) {
        v += dt * getTipAcceleration(test, x);
        x += dt * v;
    }
    tip(test, t, &angle, &speed);
    return fabs(x - angle);
}

// Semi-implicit Euler for the top: w, in its own axes, by what turns it at the step's begin, I w' = -w x I w; then
// the rotation by the new w. The angle by which that is off.
static double getTopFloor(const BenchTest* test, double t, double dt)
{
    BenchStart start = benchGetStart(test, 0);
    BenchFollowed exact;
    double across, along;
    getTopInertia(test, &across, &along);
    pbdrQuat q = start.pose.rotation;
    pbdrVec3 w = benchUnrotate(q, start.velocity.angular);
    double rate = (across - along) / across;
    for (int k = 0; k < (int)nearbyint(t / dt); k++) {
        w = benchVec(w.x + dt * rate * w.y * w.z, w.y - dt * rate * w.z * w.x, w.z);
        double size = benchLength(w);
        q = benchNormalizeQ(benchMulQQ(q, makeTurn(benchScale(1.0 / size, w), size * dt)));
    }
    benchFollow(test, 0, t, &exact);
    pbdrQuat off = benchMulQQ(benchMulQQ(q, benchConjugate(start.pose.rotation)), benchConjugate(exact.turn));
    return 2.0 * atan2(sqrt(off.x * off.x + off.y * off.y + off.z * off.z), fabs(off.w));
}

double benchGetLawPositionFloor(const BenchTest* test, double t, double dt)
{
    BenchFollowed f;
    switch (test->extended->law) {
    case benchLawRest:
    case benchLawSpin:
    case benchLawPrecession:
        return 0.0;
    case benchLawPush:
        return 0.5 * getPushAcceleration(test) * t * dt;
    case benchLawRoll:
        return 0.5 * getRollAcceleration(test) * t * dt;
    case benchLawStop:
    case benchLawSlideToRoll: // the speed that was lost, half a step too early
        benchFollow(test, 0, t, &f);
        return 0.5 * (test->extended->speed - f.velocity.linear.x) * dt;
    case benchLawTip:
        return getTipFloor(test, t, dt) * sqrt(0.5) * BENCH_SIDE;
    default:
        return (double)NAN;
    }
}

double benchGetLawRotationFloor(const BenchTest* test, double t, double dt)
{
    BenchFollowed f;
    switch (test->extended->law) {
    case benchLawRest:
    case benchLawPush:
    case benchLawStop:
        return 0.0;
    case benchLawSpin:
        benchFollow(test, 0, t, &f);
        return 0.5 * (test->extended->spin - f.velocity.angular.z) * dt;
    case benchLawRoll:
    case benchLawSlideToRoll:
        benchFollow(test, 0, t, &f);
        return 0.5 * f.velocity.angular.y * dt;
    case benchLawTip:
        return getTipFloor(test, t, dt);
    case benchLawPrecession:
        return getTopFloor(test, t, dt);
    default:
        return (double)NAN;
    }
}
