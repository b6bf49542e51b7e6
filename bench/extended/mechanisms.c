// Pendulums, a top, a slider-crank and four-bar linkages: their links and joints, and where these are at a time.
#include "extended/mechanisms.h"

#include "vec.h"

// A pendulum's moments along x and z; its motion is about y [kg m^2].
#define SIDE_MOMENT 0.03

pbdrQuat benchTurnAbout(pbdrVec3 axis, double angle)
{
    const double s = sin(0.5 * angle);
    return (pbdrQuat){cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}

pbdrBenchJoint benchMakeHinge(int a, int b, pbdrVec3 point, pbdrVec3 axis)
{
    return (pbdrBenchJoint){
        .kind = pbdr_benchHingeJoint, .bodies = {a, b}, .points = {point, point}, .axis = axis};
}

static const pbdrVec3 alongY = {0.0, 1.0, 0.0}, alongZ = {0.0, 0.0, 1.0}, origin = {0.0, 0.0, 0.0};

// A link in the xz plane, turned about y by an angle.
static BenchStart placeInPlane(pbdrVec3 place, pbdrVec3 velocity, double angle, double rate)
{
    return (BenchStart){{place, benchTurnAbout(alongY, angle)}, {velocity, benchVec(0.0, rate, 0.0)}};
}

// --- Pendulums ---

// From a point, an angle from hanging.
static pbdrVec3 hang(double length, double angle)
{
    return benchVec(length * sin(angle), 0.0, -length * cos(angle));
}

static pbdrVec3 hangFast(double length, double angle, double rate)
{
    return benchVec(rate * length * cos(angle), 0.0, rate * length * sin(angle));
}

static void placePendulum(const BenchTest* test, double t, BenchLink* link)
{
    const BenchExtended* more = test->extended;
    const double moment = more->inertia + test->mass * more->length * more->length;
    const double rate = sqrt(test->mass * PBDR_DEFAULT_GRAVITY * more->length / moment);
    double angle, angleRate;
    benchSwing(rate, more->angle, 0.0, t, &angle, &angleRate);
    link->mass = test->mass;
    link->moments = more->inertia < SIDE_MOMENT ? benchVec(more->inertia, more->inertia, more->inertia)
                                                : benchVec(SIDE_MOMENT, more->inertia, SIDE_MOMENT);
    link->at =
        placeInPlane(hang(more->length, angle), hangFast(more->length, angle, angleRate), -angle, -angleRate);
}

static void placeDouble(const BenchTest* test, int body, double t, BenchLink* link)
{
    const double length = test->extended->length, inertia = test->extended->inertia;
    double s[4];
    benchSwingTwice(t, s);
    pbdrVec3 place = hang(length, s[0]), velocity = hangFast(length, s[0], s[2]);
    if (body == 1) {
        place = benchAdd(place, hang(length, s[1]));
        velocity = benchAdd(velocity, hangFast(length, s[1], s[3]));
    }
    link->mass = test->mass;
    link->moments = benchVec(inertia, inertia, inertia);
    link->at = placeInPlane(place, velocity, -s[body], -s[2 + body]);
}

// --- The top ---

static void placeTop(const BenchTest* test, double t, BenchLink* link)
{
    const BenchTop top = benchSpinTop(test, t);
    const double sine = sin(top.tilt), cosine = cos(top.tilt);
    const pbdrQuat precession = benchTurnAbout(alongZ, top.round);
    const pbdrVec3 axis = benchRotate(precession, benchVec(sine, 0.0, cosine)),
                   level = benchRotate(precession, alongY);
    // w = f' z + b' level + (s - f' cos b) axis
    pbdrVec3 w = benchAddScaled(benchScale(top.roundRate, alongZ), top.tiltRate, level);
    w = benchAddScaled(w, BENCH_TOP_SPIN - top.roundRate * cosine, axis);
    link->mass = test->mass;
    link->moments = benchVec(BENCH_TOP_ACROSS, BENCH_TOP_ACROSS, BENCH_TOP_ALONG);
    link->at.pose.position = benchScale(BENCH_TOP_LEVER, axis);
    link->at.pose.rotation =
        benchMulQQ(precession, benchMulQQ(benchTurnAbout(alongY, top.tilt), benchTurnAbout(alongZ, top.own)));
    link->at.velocity = (pbdrVelocity){benchCross(w, link->at.pose.position), w};
}

// --- The slider-crank ---

static void placeSliderCrank(const BenchTest* test, int body, double t, BenchLink* link)
{
    double p, rate;
    benchCrank(test, t, &p, &rate);
    const double r = BENCH_CRANK, height = r * sin(p), cosine = cos(p);
    const double way = sqrt(BENCH_CRANK_ROD * BENCH_CRANK_ROD - height * height);
    const pbdrVec3 pin = {r * cosine, 0.0, height}, pinVelocity = {-height * rate, 0.0, r * cosine * rate};
    const pbdrVec3 end = {benchGetSliderPlace(p), 0.0, 0.0},
                   endVelocity = {-rate * height * (1.0 + r * cosine / way), 0.0, 0.0};
    if (body == 0) { // the crank turns about -y: from x to z
        link->mass = BENCH_CRANK_MASS;
        link->moments = benchVec(0.01, BENCH_CRANK_INERTIA, 0.01);
        link->at = placeInPlane(benchScale(0.5, pin), benchScale(0.5, pinVelocity), -p, -rate);
    } else if (body == 1) { // the rod sinks towards the slider as the crank rises
        link->mass = BENCH_ROD_MASS;
        link->moments = benchVec(0.015, BENCH_ROD_INERTIA, 0.015);
        link->at = placeInPlane(benchScale(0.5, benchAdd(pin, end)),
                                benchScale(0.5, benchAdd(pinVelocity, endVelocity)),
                                asin(height / BENCH_CRANK_ROD), r * cosine / way * rate);
    } else {
        link->mass = BENCH_SLIDER_MASS;
        link->moments = benchVec(0.02, 0.02, 0.02);
        link->at = placeInPlane(end, endVelocity, 0.0, 0.0);
    }
}

static int listSliderCrank(pbdrBenchJoint* joints)
{
    const double p = BENCH_CRANK_START;
    const pbdrVec3 axis = {0.0, -1.0, 0.0}, pin = {BENCH_CRANK * cos(p), 0.0, BENCH_CRANK * sin(p)},
                   end = {benchGetSliderPlace(p), 0.0, 0.0};
    joints[0] = benchMakeHinge(-1, 0, origin, axis);
    joints[1] = benchMakeHinge(0, 1, pin, axis);
    joints[2] = benchMakeHinge(1, 2, end, axis);
    joints[3] = (pbdrBenchJoint){.kind = pbdr_benchSlideJoint,
                                 .bodies = {-1, 2},
                                 .points = {end, end},
                                 .axis = benchVec(1.0, 0.0, 0.0)};
    return 4;
}

// --- Four-bar linkages in a row (IFToMM A02) ---

// Rods of 1 m and 1 kg: posts on hinges, upright at the start, and beams from head to head: all posts turn alike. Bodies are
// post, beam, post, beam, ..., post.
static void placeWindow(const BenchTest* test, int body, double t, BenchLink* link)
{
    const int posts = (test->extended->bodyCount + 1) / 2, beams = posts - 1;
    const double rate = sqrt(PBDR_DEFAULT_GRAVITY * (0.5 * posts + beams) / (posts / 3.0 + beams));
    double angle, angleRate;
    benchSwing(rate, BENCH_PI, test->extended->speed, t, &angle, &angleRate);
    angle -= BENCH_PI; // from upright, towards x
    const pbdrVec3 head = {sin(angle), 0.0, cos(angle)},
                   velocity = {angleRate * cos(angle), 0.0, -angleRate * sin(angle)};
    const double thin = 1.0e-3, slim = 1.0 / 12.0;
    const pbdrVec3 foot = benchVec(body / 2, 0.0, 0.0);
    link->mass = test->mass;
    if (body % 2 == 0) {
        link->moments = benchVec(slim, slim, thin);
        link->at = placeInPlane(benchAddScaled(foot, 0.5, head), benchScale(0.5, velocity), angle, angleRate);
    } else {
        link->moments = benchVec(thin, slim, slim);
        link->at = placeInPlane(benchAdd(benchAdd(foot, head), benchVec(0.5, 0.0, 0.0)), velocity, 0.0, 0.0);
    }
}

static int listWindows(const BenchTest* test, pbdrBenchJoint* joints)
{
    int count = 0;
    for (int body = 0; body < test->extended->bodyCount; body++) {
        const double x = body / 2;
        if (body % 2 == 0) {
            joints[count++] = benchMakeHinge(-1, body, benchVec(x, 0.0, 0.0), alongY);
        } else {
            joints[count++] = benchMakeHinge(body - 1, body, benchVec(x, 0.0, 1.0), alongY);
            joints[count++] = benchMakeHinge(body, body + 1, benchVec(x + 1.0, 0.0, 1.0), alongY);
        }
    }
    return count;
}

// --- All ---

bool benchPlaceLink(const BenchTest* test, int body, double t, BenchLink* link)
{
    *link = (BenchLink){.mass = 0.0};
    switch (test->extended->law) {
    case benchLawPendulum:
        placePendulum(test, t, link);
        return true;
    case benchLawDoublePendulum:
        placeDouble(test, body, t, link);
        return true;
    case benchLawTop:
        placeTop(test, t, link);
        return true;
    case benchLawSliderCrank:
        placeSliderCrank(test, body, t, link);
        return true;
    case benchLawWindows:
        placeWindow(test, body, t, link);
        return true;
    case benchLawAndrews:
        benchPlaceAndrews(body, link);
        return t == 0.0;
    case benchLawBricard:
        benchPlaceBricard(body, link);
        return t == 0.0;
    default:
        benchPlaceGovernor(body, link);
        return t == 0.0;
    }
}

int benchListJoints(const BenchTest* test, pbdrBenchJoint* joints)
{
    switch (test->extended->law) {
    case benchLawPendulum:
        joints[0] = benchMakeHinge(-1, 0, origin, benchVec(0.0, -1.0, 0.0));
        return 1;
    case benchLawDoublePendulum: {
        BenchLink first;
        benchPlaceLink(test, 0, 0.0, &first);
        joints[0] = benchMakeHinge(-1, 0, origin, alongY);
        joints[1] = benchMakeHinge(0, 1, first.at.pose.position, alongY);
        return 2;
    }
    case benchLawTop:
        joints[0] = (pbdrBenchJoint){
            .kind = pbdr_benchBallJoint, .bodies = {-1, 0}, .points = {origin, origin}, .axis = alongZ};
        return 1;
    case benchLawSliderCrank:
        return listSliderCrank(joints);
    case benchLawWindows:
        return listWindows(test, joints);
    case benchLawAndrews:
        return benchListAndrews(joints);
    case benchLawBricard:
        return benchListBricard(joints);
    default:
        return benchListGovernor(joints);
    }
}
