// Three of IFToMM's benchmarks of multibody dynamics (Gonzalez et al., Multibody System Dynamics 16, 2006) whose motion has no
// closed form: A03, Andrews' mechanism, A04, Bricard's, and A05, a stiff flyball governor.
#include "extended/mechanisms.h"

#include "vec.h"

static const pbdrVec3 alongY = {0.0, 1.0, 0.0}, alongZ = {0.0, 0.0, 1.0}, origin = {0.0, 0.0, 0.0};

// --- A03: Andrews' mechanism ---

// Seven bodies in a plane and ten hinges, a spring and a torque (Hairer and Wanner, Solving ODEs II, VII.7); its numbers, and
// the crank's angle after 0.03 s, are those of the test set for initial value problems (Bari). x and y of the papers are x and
// z here, so that angles turn about -y. [m, kg, kg m^2, rad]
static const double masses[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
static const double inertias[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874,
                    sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                    ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
static const double beta = BENCH_ANDREWS_START, theta = 0.0, gama = 0.455279819163070380,
                    phi = 0.222668390165885885, delta = 0.487364979543842550, omega = -0.222668390165885885,
                    epsilon = 1.23054744454982119;
#define ANDREWS_TORQUE 0.033     // of the motor on the crank [N m]
#define ANDREWS_STIFFNESS 4530.0 // [N/m]
#define ANDREWS_LENGTH 0.07785   // of the spring without force [m]

static pbdrVec3 inPlane(double x, double y)
{
    return benchVec(x, 0.0, y);
}

void benchPlaceAndrews(int body, BenchLink* link)
{
    const pbdrVec3 centres[7] = {
        inPlane(ra * cos(beta), ra * sin(beta)),
        inPlane(rr * cos(beta) - da * cos(beta + theta), rr * sin(beta) - da * sin(beta + theta)),
        inPlane(xb + sa * sin(gama) + sb * cos(gama), yb - sa * cos(gama) + sb * sin(gama)),
        inPlane(xa + zt * cos(delta) + (e - ea) * sin(phi + delta),
                ya + zt * sin(delta) - (e - ea) * cos(phi + delta)),
        inPlane(xa + ta * cos(delta) - tb * sin(delta), ya + ta * sin(delta) + tb * cos(delta)),
        inPlane(xa + u * sin(epsilon) + (zf - fa) * cos(omega + epsilon),
                ya - u * cos(epsilon) + (zf - fa) * sin(omega + epsilon)),
        inPlane(xa + ua * sin(epsilon) - ub * cos(epsilon), ya - ua * cos(epsilon) - ub * sin(epsilon))};
    link->mass = masses[body];
    link->moments = benchVec(inertias[body], inertias[body], inertias[body]);
    link->torque = benchVec(0.0, body == 0 ? -ANDREWS_TORQUE : 0.0, 0.0);
    link->at.pose = (pbdrPose){centres[body], {1.0, 0.0, 0.0, 0.0}};
}

int benchListAndrews(pbdrBenchJoint* joints)
{
    const pbdrVec3 axis = {0.0, -1.0, 0.0}, a = inPlane(xa, ya),
                   pin = inPlane(rr * cos(beta), rr * sin(beta));
    const pbdrVec3 meeting =
        inPlane(rr * cos(beta) - d * cos(beta + theta), rr * sin(beta) - d * sin(beta + theta));
    joints[0] = benchMakeHinge(-1, 0, origin, axis);
    joints[1] = benchMakeHinge(0, 1, pin, axis);
    joints[2] = benchMakeHinge(1, 2, meeting, axis);
    joints[3] = benchMakeHinge(1, 3, meeting, axis);
    joints[4] = benchMakeHinge(1, 5, meeting, axis);
    joints[5] = benchMakeHinge(-1, 2, inPlane(xb, yb), axis);
    joints[6] = benchMakeHinge(3, 4, inPlane(xa + zt * cos(delta), ya + zt * sin(delta)), axis);
    joints[7] = benchMakeHinge(-1, 4, a, axis);
    joints[8] = benchMakeHinge(5, 6, inPlane(xa + u * sin(epsilon), ya - u * cos(epsilon)), axis);
    joints[9] = benchMakeHinge(-1, 6, a, axis);
    joints[10] = (pbdrBenchJoint){
        .kind = pbdr_benchSpringJoint,
        .bodies = {-1, 2},
        .points = {inPlane(xc, yc),
                   inPlane(xb + sd * cos(gama) + sc * sin(gama), yb + sd * sin(gama) - sc * cos(gama))},
        .stiffness = ANDREWS_STIFFNESS,
        .length = ANDREWS_LENGTH,
    };
    return 11;
}

// --- A04: Bricard's mechanism ---

// Five rods of 1 kg, 1 x 0.1 x 0.1 m, on the edges of a cube, and six hinges, each along an edge; one motion, though rows
// count none. IFToMM's y is up: (x, y, z) of theirs is (x, -z, y) here.
static const pbdrVec3 corners[6] = {{0.0, 0.0, 0.0},   {1.0, 0.0, 0.0},   {1.0, 0.0, -1.0},
                                    {1.0, -1.0, -1.0}, {0.0, -1.0, -1.0}, {0.0, -1.0, 0.0}};
// hinge k is at corner k, along the edge that neither of its two links lies on
static const pbdrVec3 edges[6] = {{0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}, {1.0, 0.0, 0.0},
                                  {0.0, 0.0, 1.0}, {0.0, -1.0, 0.0}, {1.0, 0.0, 0.0}};
#define BRICARD_ACROSS ((1.0 + 0.01) / 12.0)
#define BRICARD_ALONG (0.02 / 12.0)

void benchPlaceBricard(int body, BenchLink* link)
{
    const pbdrVec3 way = benchSub(corners[body + 1], corners[body]);
    link->mass = 1.0;
    link->moments = benchVec(fabs(way.x) > 0.5 ? BRICARD_ALONG : BRICARD_ACROSS,
                             fabs(way.y) > 0.5 ? BRICARD_ALONG : BRICARD_ACROSS,
                             fabs(way.z) > 0.5 ? BRICARD_ALONG : BRICARD_ACROSS);
    link->at.pose = (pbdrPose){benchAddScaled(corners[body], 0.5, way), {1.0, 0.0, 0.0, 0.0}};
}

int benchListBricard(pbdrBenchJoint* joints)
{
    for (int k = 0; k < 6; k++) {
        joints[k] = benchMakeHinge(k - 1, k < 5 ? k : -1, corners[k], edges[k]);
    }
    return 6;
}

// --- A05: the flyball governor ---

// A shaft that turns freely about z, two rods of 1 m on hinges at its top with 5 kg at their ends, 60 degrees from it; a slider
// on the shaft, half a metre below; spring-dampers from the rods' middles to it. Boxes of 3000 kg/m^3.
#define ROD_MASS 0.3
#define POINT_MASS 5.0
#define SLIDER_MASS 3.0
#define GOVERNOR_STIFFNESS 8.0e5
#define GOVERNOR_DAMPING 4.0e4
#define GOVERNOR_LENGTH 0.5
#define START_SPIN (2.0 * BENCH_PI)
#define START_ANGLE (BENCH_PI / 3.0)
#define START_SLIDE 0.5

// Moments of a rod with its point about its hinge across it, and along it; of shaft and slider about z; of the slider
// [kg m^2].
static const double across = 0.3 * (1.0 + 1.0e-4) / 12.0 + 0.3 / 4.0 + 5.0, along = 0.3 * 2.0e-4 / 12.0,
                    shaft = 0.3 * 2.0e-4 / 12.0 + 3.0 * 0.02 / 12.0, cube = 3.0 * 0.02 / 12.0;

static double getSpinInertia(double angle)
{
    return shaft + 2.0 * (across * sin(angle) * sin(angle) + along * cos(angle) * cos(angle));
}

// Lagrange's equations of the angle and the slide, with the spin from the angular momentum, which stays.
static void getGovernorRates(const double* s, double* rates)
{
    const double spin = getSpinInertia(START_ANGLE) * START_SPIN / getSpinInertia(s[0]);
    const double x = 0.5 * sin(s[0]), z = s[1] - 0.5 * cos(s[0]), length = sqrt(x * x + z * z);
    const double xByAngle = 0.5 * cos(s[0]), zByAngle = 0.5 * sin(s[0]);
    const double byAngle = (x * xByAngle + z * zByAngle) / length, bySlide = z / length;
    const double rate = byAngle * s[2] + bySlide * s[3];
    const double force = -GOVERNOR_STIFFNESS * (length - GOVERNOR_LENGTH) - GOVERNOR_DAMPING * rate;
    const double turning = (across - along) * sin(s[0]) * cos(s[0]) * spin * spin -
                           PBDR_DEFAULT_GRAVITY * (0.5 * ROD_MASS + POINT_MASS) * sin(s[0]) + force * byAngle;
    rates[0] = s[2];
    rates[1] = s[3];
    rates[2] = turning / across;
    rates[3] = PBDR_DEFAULT_GRAVITY + 2.0 * force * bySlide / SLIDER_MASS;
}

void benchStartGovernor(double state[4])
{
    state[0] = START_ANGLE;
    state[1] = START_SLIDE;
    state[2] = state[3] = 0.0;
}

// The damper decays by 2.7e4/s, so that 1e-5 s is stable, and the rest is off by less than 1e-10.
void benchFollowGovernor(double duration, double state[4])
{
    benchIntegrate(getGovernorRates, 4, 1.0e-5, duration, state);
}

// Bodies: shaft, slider, rods. A rod and its point are one: the centre is at (0.3/2 + 5)/5.3 m.
void benchPlaceGovernor(int body, BenchLink* link)
{
    const pbdrVec3 spin = {0.0, 0.0, START_SPIN};
    link->at.velocity.angular = spin;
    if (body < 2) {
        const double slim = ROD_MASS * (1.0 + 1.0e-4) / 12.0;
        link->mass = body == 0 ? ROD_MASS : SLIDER_MASS;
        link->moments = body == 0 ? benchVec(slim, slim, along) : benchVec(cube, cube, cube);
        link->at.pose = (pbdrPose){{0.0, 0.0, -0.5}, {1.0, 0.0, 0.0, 0.0}};
        return;
    }
    const double side = body == 2 ? -1.0 : 1.0;
    const double mass = ROD_MASS + POINT_MASS, centre = (0.5 * ROD_MASS + POINT_MASS) / mass;
    const double own = across - mass * centre * centre;
    // the rod is along x of its own axes
    const pbdrQuat down = benchTurnAbout(alongY, 0.5 * BENCH_PI - START_ANGLE);
    link->mass = mass;
    link->moments = benchVec(along, own, own);
    link->at.pose.position = benchVec(side * centre * sin(START_ANGLE), 0.0, -centre * cos(START_ANGLE));
    link->at.pose.rotation = side > 0.0 ? down : benchMulQQ(benchTurnAbout(alongZ, BENCH_PI), down);
    link->at.velocity.linear = benchCross(spin, link->at.pose.position);
}

int benchListGovernor(pbdrBenchJoint* joints)
{
    const pbdrVec3 slider = {0.0, 0.0, -START_SLIDE};
    joints[0] = benchMakeHinge(-1, 0, origin, alongZ);
    joints[1] = (pbdrBenchJoint){
        .kind = pbdr_benchSlideJoint, .bodies = {0, 1}, .points = {slider, slider}, .axis = alongZ};
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        joints[2 + 2 * k] = benchMakeHinge(0, 2 + k, origin, alongY);
        joints[3 + 2 * k] = (pbdrBenchJoint){
            .kind = pbdr_benchSpringJoint,
            .bodies = {1, 2 + k},
            .points = {slider, benchVec(side * 0.5 * sin(START_ANGLE), 0.0, -0.5 * cos(START_ANGLE))},
            .stiffness = GOVERNOR_STIFFNESS,
            .damping = GOVERNOR_DAMPING,
            .length = GOVERNOR_LENGTH,
        };
    }
    return 6;
}
