// Mechanisms of joints without contact, against closed forms and laws. All gaps are within 1e-12 m and 1e-10 rad after
// every substep (stepMechanism).
//
// Errors are of second order in the step, over four sizes (checkOrder). Where a bar is given for one step size, it is twice
// what was measured.
#include "mechanisms.h"
#include "pbdr/profile.h"

#include <string.h>

// --- The pendulum ---

// sn(u, k), by the arithmetic-geometric mean; and the quarter period K(k).
static double findSn(double u, double k, double* quarter)
{
    double a[12] = {1.0}, c[12] = {k}, b = sqrt(1.0 - k * k);
    int n = 0;
    while (n < 11 && fabs(c[n]) > 1.0e-16) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    *quarter = PBDR_PI / (2.0 * a[n]);
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--) {
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    }
    return sin(phi);
}

// Released at rest at an angle from hanging: sin(theta/2) = k sn(K + w t, k), k = sin(start/2), w^2 = m g l/I.
static double getPendulumError(double timeStep, double duration)
{
    const double mass = 2.0, length = 0.7, inertia = 0.05, start = 2.0;
    pbdrWorld* world = makeMechanismWorld(timeStep);
    const pbdrVec3 centre = {length * sin(start), 0.0, -length * cos(start)};
    const pbdrBodyId body = addStill(world, mass, pbdrVec(0.01, inertia, 0.02), centre);
    const pbdrJointId joint =
        addJoint(world, pbdr_jointHinge, theWorld, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, -1.0, 0.0));
    stepMechanism(world, (int)lround(duration / timeStep));
    const double rate = sqrt(mass * PBDR_DEFAULT_GRAVITY * length / (inertia + mass * length * length));
    const double k = sin(0.5 * start);
    double quarter;
    findSn(0.0, k, &quarter);
    const double angle = 2.0 * asin(k * findSn(quarter + rate * duration, k, &quarter));
    const double error = start + pbdrJoint_GetPosition(world, joint) - angle;
    pbdrDestroyWorld(world);
    return fabs(error);
}

static void pendulum__follows_the_elliptic_integral(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        errors[k] = getPendulumError(4.0e-3 / (1 << k), 3.0);
    }
    checkOrder("angle of a pendulum after 3 s", "rad", 4.0e-3, errors);
    CHECK_LE(errors[2], 8.0e-5);
}

// A point mass on a rod without mass, on a ball joint and by a distance: the same motion.
static void distance__is_a_rod_without_mass(void)
{
    const double length = 1.0;
    pbdrVec3 ends[2];
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        const pbdrBodyId body =
            addStill(world, 1.0, pbdrVec(1.0e-8, 1.0e-8, 1.0e-8), pbdrVec(length, 0.0, 0.0));
        if (k == 0) {
            addJoint(world, pbdr_jointBall, theWorld, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        } else {
            pbdrJointDef def = pbdrDefaultJointDef();
            def.kind = pbdr_jointDistance;
            def.bodyB = body;
            def.length = length;
            pbdrError error;
            require(pbdrCreateJoint(world, &def, NULL, &error), &error);
        }
        stepMechanism(world, 3000);
        ends[k] = pbdrBody_GetPose(world, body).position;
        pbdrDestroyWorld(world);
    }
    // the ball's inertia of 1e-8 of the rod's
    CHECK_LE(pbdrLength(pbdrSub(ends[0], ends[1])), 1.0e-6);
}

// --- The double pendulum ---

// Point masses m on rods of length l without mass: angles a, b from hanging, rates, by Runge-Kutta.
static void getDoubleRates(const double s[4], double rates[4])
{
    const double g = PBDR_DEFAULT_GRAVITY, d = s[0] - s[1], w = s[2], v = s[3];
    const double sine = sin(d), cosine = cos(d), bottom = 2.0 - cosine * cosine;
    rates[0] = w;
    rates[1] = v;
    rates[2] = (-sine * (v * v + w * w * cosine) - 2.0 * g * sin(s[0]) + g * sin(s[1]) * cosine) / bottom;
    rates[3] =
        (sine * (2.0 * w * w + v * v * cosine) - 2.0 * g * sin(s[1]) + 2.0 * g * sin(s[0]) * cosine) / bottom;
}

static void integrate(double s[4], double dt, int steps)
{
    for (int n = 0; n < steps; n++) {
        double k[4][4], at[4];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 4; i++) {
                at[i] = s[i] + (stage == 0 ? 0.0 : (stage == 3 ? dt : 0.5 * dt) * k[stage - 1][i]);
            }
            getDoubleRates(at, k[stage]);
        }
        for (int i = 0; i < 4; i++) {
            s[i] += dt / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
}

static pbdrVec3 swing(double a, double length, pbdrVec3 from)
{
    return pbdrAdd(from, pbdrVec(length * sin(a), 0.0, -length * cos(a)));
}

static void double_pendulum__is_of_second_order(void)
{
    const double a = 1.5, b = 2.5, duration = 2.0;
    double s[4] = {a, b, 0.0, 0.0}, errors[SIZES];
    integrate(s, 1.0e-4, 20000); // off by 1e-13
    const pbdrVec3 origin = {0.0, 0.0, 0.0}, tip = swing(s[1], 1.0, swing(s[0], 1.0, origin));
    for (int k = 0; k < SIZES; k++) {
        const double dt = 2.0e-3 / (1 << k);
        pbdrWorld* world = makeMechanismWorld(dt);
        const pbdrVec3 first = swing(a, 1.0, origin), second = swing(b, 1.0, first);
        // a mass at the end of a rod: its inertia is small against that about the joint, 1e-10 of it
        const pbdrVec3 moments = {1.0e-10, 1.0e-10, 1.0e-10};
        const pbdrBodyId one = addStill(world, 1.0, moments, first),
                         two = addStill(world, 1.0, moments, second);
        addJoint(world, pbdr_jointHinge, theWorld, one, origin, pbdrVec(0.0, 1.0, 0.0));
        addJoint(world, pbdr_jointHinge, one, two, first, pbdrVec(0.0, 1.0, 0.0));
        stepMechanism(world, (int)lround(duration / dt));
        errors[k] = pbdrLength(pbdrSub(pbdrBody_GetPose(world, two).position, tip));
        pbdrDestroyWorld(world);
    }
    checkOrder("tip of a double pendulum after 2 s", "m", 2.0e-3, errors);
}

// --- The slider-crank ---

// A crank of length r about y, a rod of length l, a slider along x, without gravity. x = r cos p + sqrt(l^2 - r^2 sin^2 p);
// the kinetic energy J(p) p'^2/2 is kept, which gives p(t) by quadrature.
static const double crank = 0.3, rod = 0.8, crankMass = 1.0, rodMass = 0.6, sliderMass = 2.0;
static const double crankInertia = 0.02, rodInertia = 0.03;

static double getSliderInertia(double p)
{
    const double height = crank * sin(p), way = sqrt(rod * rod - height * height);
    const double tilt = crank * cos(p) / way;                     // of the rod, by p
    const double slide = -height - height * crank * cos(p) / way; // of the slider, by p
    // the rod's middle: half-way between crank pin and slider
    const double x = 0.5 * (-height + slide), z = 0.5 * crank * cos(p);
    return crankInertia + crankMass * 0.25 * crank * crank + rodMass * (x * x + z * z) +
           rodInertia * tilt * tilt + sliderMass * slide * slide;
}

static double getCrankAngle(double start, double rate, double duration)
{
    const double energy = rate * rate * getSliderInertia(start);
    const int steps = 20000;
    const double dt = duration / steps;
    double p = start;
    for (int n = 0; n < steps; n++) {
        const double k1 = sqrt(energy / getSliderInertia(p)),
                     k2 = sqrt(energy / getSliderInertia(p + 0.5 * dt * k1));
        const double k3 = sqrt(energy / getSliderInertia(p + 0.5 * dt * k2)),
                     k4 = sqrt(energy / getSliderInertia(p + dt * k3));
        p += dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return p;
}

// The crank turns about -y: from x to z.
static pbdrWorld* makeSliderCrank(double dt, double start, double rate, pbdrJointId* hinge,
                                  pbdrJointId* slide)
{
    pbdrWorld* world = makeMechanismWorld(dt);
    CHECK(pbdrWorld_SetGravity(world, pbdrVec(0.0, 0.0, 0.0)) == pbdr_statusOk);
    const double height = crank * sin(start), way = sqrt(rod * rod - height * height), cosine = cos(start);
    const pbdrVec3 origin = {0.0, 0.0, 0.0}, pin = {crank * cosine, 0.0, height},
                   end = {pin.x + way, 0.0, 0.0};
    const double tilt = crank * cosine / way * rate, run = (-height - height * crank * cosine / way) * rate;
    const pbdrVec3 moments = {0.01, 0.0, 0.01}, axis = {0.0, -1.0, 0.0};
    const pbdrQuat none = {1.0, 0.0, 0.0, 0.0};
    const pbdrVec3 pinVelocity = {-height * rate, 0.0, crank * cosine * rate}, endVelocity = {run, 0.0, 0.0};
    const pbdrBodyId a = addRigid(world, crankMass, pbdrAdd(moments, pbdrVec(0.0, crankInertia, 0.0)),
                                  (pbdrPose){pbdrScale(0.5, pin), none},
                                  (pbdrVelocity){pbdrScale(0.5, pinVelocity), {0.0, -rate, 0.0}});
    // the rod sinks towards the slider as the crank rises
    const pbdrBodyId b =
        addRigid(world, rodMass, pbdrAdd(moments, pbdrVec(0.0, rodInertia, 0.0)),
                 (pbdrPose){pbdrScale(0.5, pbdrAdd(pin, end)), none},
                 (pbdrVelocity){pbdrScale(0.5, pbdrAdd(pinVelocity, endVelocity)), {0.0, tilt, 0.0}});
    const pbdrBodyId c = addRigid(world, sliderMass, pbdrVec(0.02, 0.02, 0.02), (pbdrPose){end, none},
                                  (pbdrVelocity){endVelocity, {0.0, 0.0, 0.0}});
    *hinge = addJoint(world, pbdr_jointHinge, theWorld, a, origin, axis);
    addJoint(world, pbdr_jointHinge, a, b, pin, axis);
    addJoint(world, pbdr_jointHinge, b, c, end, axis);
    *slide = addJoint(world, pbdr_jointSlide, theWorld, c, end, pbdrVec(1.0, 0.0, 0.0));
    return world;
}

// A planar loop in space: its joints hold three motions too often.
static void slider_crank__is_of_second_order(void)
{
    const double start = 0.4, rate = 5.0, duration = 2.0, angle = getCrankAngle(start, rate, duration);
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        pbdrJointId hinge, slide;
        pbdrWorld* world = makeSliderCrank(2.0e-3 / (1 << k), start, rate, &hinge, &slide);
        stepMechanism(world, 1000 << k);
        const double p = start + pbdrJoint_GetPosition(world, hinge);
        errors[k] = fabs(p - angle);
        // and the slider is where the crank has it
        const double height = crank * sin(p), first = crank * sin(start);
        const double x = crank * cos(p) + sqrt(rod * rod - height * height) - crank * cos(start) -
                         sqrt(rod * rod - first * first);
        CHECK_NEAR(pbdrJoint_GetPosition(world, slide), x, 1.0e-12);
        pbdrDestroyWorld(world);
    }
    checkOrder("crank of a slider-crank (a loop) after 2 s", "rad", 2.0e-3, errors);
}

// --- Energy ---

// Ten links of 0.5 m, released at an angle from hanging, for 100 s. Range: from where it starts to where it hangs.
static void chain__keeps_its_energy(void)
{
    const double start = 0.7, half = 0.25;
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrBodyId last = theWorld;
    pbdrVec3 point = {0.0, 0.0, 0.0};
    const pbdrVec3 way = {half * sin(start), 0.0, -half * cos(start)};
    double range = 0.0;
    for (int k = 0; k < 10; k++) {
        const pbdrVec3 centre = pbdrAdd(point, way);
        const pbdrBodyId link = addStill(world, 1.0, pbdrVec(0.021, 0.021, 0.002), centre);
        addJoint(world, k % 2 == 0 ? pbdr_jointHinge : pbdr_jointBall, last, link, point,
                 pbdrVec(0.0, 1.0, 0.0));
        range += PBDR_DEFAULT_GRAVITY * (centre.z + (2 * k + 1) * half);
        point = pbdrAdd(centre, way);
        last = link;
    }
    const double energy = getMechanismEnergy(world);
    double largest[4] = {0.0}, means[4] = {0.0};
    for (int part = 0; part < 4; part++) {
        for (int k = 0; k < 2500; k++) {
            stepMechanism(world, 10);
            const double off = getMechanismEnergy(world) - energy;
            largest[part] = fmax(largest[part], fabs(off));
            means[part] += off / 2500.0;
        }
        largest[0] = fmax(largest[0], largest[part]);
    }
    CHECK_MEASURED("chain of 10 links: energy off in 100 s at 1 ms over its range", largest[0] / range,
                   1.0e-4);
    // no trend: quarters differ by less than they swing
    CHECK_MEASURED("the same: mean of the last quarter less that of the first",
                   fabs(means[3] - means[0]) / range, 1.0e-5);
    pbdrDestroyWorld(world);
}

// --- The top ---

// Steady precession at the rate W of a top that spins: A W^2 cos t - C s W + m g l = 0, with the moments A and C about the
// point and the axis, and the spin s about the axis.
static const double topLever = 0.1, topTilt = 1.0;

static double getTopRate(void)
{
    const double round = 0.004, moment = 0.002 + topLever * topLever;
    const double b = round * 60.0, a = moment * cos(topTilt), c = PBDR_DEFAULT_GRAVITY * topLever;
    return (b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a); // the slow root
}

// Of 1 kg, 0.002 kg m^2 across its axis and 0.004 along it, with 60 rad/s about it.
static pbdrWorld* makeTop(double dt, pbdrBodyId* top, pbdrJointId* point)
{
    pbdrWorld* world = makeMechanismWorld(dt);
    const double rate = getTopRate();
    const pbdrVec3 axis = {sin(topTilt), 0.0, cos(topTilt)}, centre = pbdrScale(topLever, axis);
    const pbdrVec3 turn = pbdrAdd(pbdrVec(0.0, 0.0, rate), pbdrScale(60.0 - rate * cos(topTilt), axis));
    *top = addRigid(world, 1.0, pbdrVec(0.002, 0.002, 0.004),
                    (pbdrPose){centre, pbdrQuatFromVector(pbdrVec(0.0, topTilt, 0.0))},
                    (pbdrVelocity){pbdrCross(turn, centre), turn});
    *point = addJoint(world, pbdr_jointBall, theWorld, *top, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 0.0, 1.0));
    return world;
}

static double getTopError(double dt)
{
    const double duration = 20.0;
    pbdrBodyId top;
    pbdrJointId point;
    pbdrWorld* world = makeTop(dt, &top, &point);
    double angle = 0.0, last = 0.0, wobble = 0.0;
    for (int k = 0; k < (int)lround(duration / dt / 10.0); k++) {
        stepMechanism(world, 10);
        const pbdrVec3 p = pbdrBody_GetPose(world, top).position;
        const double now = atan2(p.y, p.x);
        angle += now - last - 2.0 * PBDR_PI * floor((now - last) / (2.0 * PBDR_PI) + 0.5);
        last = now;
        wobble = fmax(wobble, fabs(p.z / topLever - cos(topTilt)));
    }
    CHECK_LE(wobble, 2.0e-4);
    pbdrDestroyWorld(world);
    return fabs(angle / (getTopRate() * duration) - 1.0);
}

static void top__precesses(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        errors[k] = getTopError(5.0e-4 / (1 << k));
    }
    checkOrder("precession of a spinning top in 20 s", "relative", 5.0e-4, errors);
    CHECK_MEASURED("spinning top: precession in 20 s at 1 ms (relative)", getTopError(1.0e-3), 1.0e-5);
}

// At 1 ms it turns by 0.06 rad: two steps in each substep, which are those of substeps of half the length. A rotor that turns
// as fast about the axis of its hinge takes one.
static void fast_turns__take_several_steps(void)
{
    pbdrBodyId tops[2];
    pbdrJointId points[2];
    pbdrWorld *whole = makeTop(1.0e-3, &tops[0], &points[0]), *half = makeTop(5.0e-4, &tops[1], &points[1]);
    for (int k = 0; k < 500; k++) {
        stepMechanism(whole, 1);
        stepMechanism(half, 1);
        const pbdrWrench before = pbdrJoint_GetReaction(half, points[1]);
        stepMechanism(half, 1);
        const pbdrWrench after = pbdrJoint_GetReaction(half, points[1]);
        const pbdrVec3 mean = pbdrScale(0.5, pbdrAdd(before.force, after.force));
        const pbdrPose a = pbdrBody_GetPose(whole, tops[0]), b = pbdrBody_GetPose(half, tops[1]);
        const pbdrVelocity v = pbdrBody_GetVelocity(whole, tops[0]), w = pbdrBody_GetVelocity(half, tops[1]);
        CHECK(memcmp(&a, &b, sizeof a) == 0 && memcmp(&v, &w, sizeof v) == 0);
        CHECK_LE(pbdrLength(pbdrSub(pbdrJoint_GetReaction(whole, points[0]).force, mean)), 1.0e-12);
    }
    pbdrDestroyWorld(whole);
    pbdrDestroyWorld(half);
}

// A rotor that turns by 0.3 rad per substep about the hinge at the end of an arm that swings. It keeps its rate, and one step
// per substep will do, with up to five of Newton's method; six steps would have a dozen at least.
static void rotor__takes_one_step(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrVec3 origin = {0.0, 0.0, 0.0}, end = {0.3, 0.0, 0.0}, y = {0.0, 1.0, 0.0}, x = {1.0, 0.0, 0.0};
    const pbdrBodyId arm = addStill(world, 0.5, pbdrVec(0.001, 0.004, 0.004), pbdrVec(0.15, 0.0, 0.0));
    const pbdrBodyId rotor =
        addRigid(world, 1.0, pbdrVec(0.002, 0.001, 0.001), (pbdrPose){end, {1.0, 0.0, 0.0, 0.0}},
                 (pbdrVelocity){{0.0, 0.0, 0.0}, {300.0, 0.0, 0.0}});
    addJoint(world, pbdr_jointHinge, theWorld, arm, origin, y);
    const pbdrJointId hinge = addJoint(world, pbdr_jointHinge, arm, rotor, end, x);
    pbdrProfile profile;
    stepMechanism(world, 1);
    pbdrWorld_SetProfiling(world, true);
    stepMechanism(world, 200);
    pbdrWorld_GetProfile(world, &profile);
    CHECK_LE((double)profile.newtonSteps.most, 6.0);
    CHECK_LE(fabs(pbdrJoint_GetVelocity(world, hinge) - 300.0), 1.0e-6);
    pbdrDestroyWorld(world);
}

// --- Loops ---

// A parallelogram of three links about y, of height 1: two that swing and one that couples them. It passes through the
// place where all are on a line, and where it might fold, as N windows do (IFToMM A02).
static void addWindow(pbdrWorld* world, double x, pbdrBodyId* post, pbdrVec3 velocity)
{
    const pbdrVec3 moments = {1.0 / 12.0, 1.0 / 12.0, 1.0e-3}, axis = {0.0, 1.0, 0.0};
    const pbdrQuat none = {1.0, 0.0, 0.0, 0.0};
    const pbdrVelocity swinging = {pbdrScale(0.5, velocity), {0.0, velocity.x, 0.0}},
                       moving = {velocity, {0.0, 0.0, 0.0}};
    const pbdrVec3 foot = {x, 0.0, 0.0}, head = {x, 0.0, 1.0}, next = {x + 1.0, 0.0, 1.0};
    if (post->index1 == 0) {
        *post = addRigid(world, 1.0, moments, (pbdrPose){{x, 0.0, 0.5}, none}, swinging);
        addJoint(world, pbdr_jointHinge, theWorld, *post, foot, axis);
    }
    const pbdrBodyId beam = addRigid(world, 1.0, pbdrVec(1.0e-3, 1.0 / 12.0, 1.0 / 12.0),
                                     (pbdrPose){{x + 0.5, 0.0, 1.0}, none}, moving);
    const pbdrBodyId other = addRigid(world, 1.0, moments, (pbdrPose){{x + 1.0, 0.0, 0.5}, none}, swinging);
    addJoint(world, pbdr_jointHinge, *post, beam, head, axis);
    addJoint(world, pbdr_jointHinge, beam, other, next, axis);
    addJoint(world, pbdr_jointHinge, theWorld, other, pbdrVec(x + 1.0, 0.0, 0.0), axis);
    *post = other;
}

static void windows__pass_where_links_are_on_a_line(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrBodyId post = theWorld;
    addWindow(world, 0.0, &post, pbdrVec(1.0, 0.0, 0.0));
    addWindow(world, 1.0, &post, pbdrVec(1.0, 0.0, 0.0));
    const double energy = getMechanismEnergy(world);
    double worst = 0.0;
    for (int k = 0; k < 1000; k++) {
        stepMechanism(world, 10);
        worst = fmax(worst, fabs(getMechanismEnergy(world) - energy));
    }
    // of the 78.5 J that it has
    CHECK_LE(worst / energy, 1.0e-4);
    CHECK_MEASURED("IFToMM A02 with two windows: energy off in 10 s at 1 ms [J]", worst, 7.8e-3);
    pbdrDestroyWorld(world);
}

// Half a turn about the line through (1/2, -1/2, 1/2) along (1, -1, 0), of a vector: Bricard's links come to lie on each
// other, the last on the first, if gravity is along that line.
static pbdrVec3 turnOver(pbdrVec3 a)
{
    return pbdrVec(-a.y, -a.x, -a.z);
}

// Bricard's: five links on the edges of a cube and six hinges, each along an edge; one motion, though rows count none
// (IFToMM A04, but for the direction of gravity).
static void runBricard(pbdrVec3 gravity, bool symmetric)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrVec3 points[6] = {{0.0, 0.0, 0.0},  {1.0, 0.0, 0.0},  {1.0, -1.0, 0.0},
                                {1.0, -1.0, 1.0}, {0.0, -1.0, 1.0}, {0.0, 0.0, 1.0}};
    // hinge k is at point k, along the edge that neither of its two links lies on
    const pbdrVec3 axes[6] = {{0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0},
                              {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}};
    CHECK(pbdrWorld_SetGravity(world, gravity) == pbdr_statusOk);
    pbdrBodyId links[5];
    for (int k = 0; k < 5; k++) {
        const pbdrVec3 way = pbdrSub(points[k + 1], points[k]);
        const double thin = 1.0e-4, x = fabs(way.x) > 0.5 ? thin : 1.0 / 12.0,
                     y = fabs(way.y) > 0.5 ? thin : 1.0 / 12.0, z = fabs(way.z) > 0.5 ? thin : 1.0 / 12.0;
        links[k] = addStill(world, 1.0, pbdrVec(x, y, z), pbdrAddScaled(points[k], 0.5, way));
    }
    for (int k = 0; k < 6; k++) {
        addJoint(world, pbdr_jointHinge, k == 0 ? theWorld : links[k - 1], k == 5 ? theWorld : links[k],
                 points[k], axes[k]);
    }
    const double energy = getMechanismEnergy(world);
    double worst = 0.0, moved = 0.0, force = 0.0, uneven = 0.0;
    pbdrJointId ids[6];
    CHECK(pbdrWorld_GetJoints(world, ids, 6) == 6);
    for (int k = 0; k < 1000; k++) {
        stepMechanism(world, 10);
        worst = fmax(worst, fabs(getMechanismEnergy(world) - energy));
        moved = fmax(moved, fabs(pbdrJoint_GetPosition(world, ids[0])));
        for (int i = 0; i < 6; i++) {
            const pbdrWrench w = pbdrJoint_GetReaction(world, ids[i]);
            force = fmax(force, fmax(pbdrLength(w.force), pbdrLength(w.torque)));
            // A and B of the other are B and A of this one
            const pbdrWrench other = pbdrJoint_GetReaction(world, ids[5 - i]);
            uneven = fmax(uneven, pbdrLength(pbdrAdd(turnOver(w.force), other.force)));
            uneven = fmax(uneven, pbdrLength(pbdrAdd(turnOver(w.torque), other.torque)));
        }
    }
    if (!symmetric) {
        CHECK_GE(moved, 0.5); // along the line it balances
    }
    CHECK_MEASURED(symmetric
                       ? "Bricard's mechanism with gravity along its symmetry: energy off in 10 s at 1 ms [J]"
                       : "IFToMM A04 (Bricard's mechanism): energy off in 10 s at 1 ms [J]",
                   worst, 1.0e-3);
    // five links of 1 kg that fall by 1 m at most: forces are tens of newtons
    CHECK_LE(force, 1.0e3);
    if (!symmetric) {
        CHECK_MEASURED("the same: largest force or moment of a hinge [N or N m]", force, 1.0e3);
    }
    if (symmetric) {
        // gaps of 1e-16 m, over dt^2 and what loops are loosened by (mechanism.c), are 1e-6 N
        CHECK_MEASURED("the same: forces of mirrored hinges differ by [N or N m]", uneven, 1.0e-2);
    }
    pbdrDestroyWorld(world);
}

static void bricard__moves(void)
{
    runBricard(pbdrVec(0.0, -9.81, 0.0), false);
}

static void bricards_forces__are_symmetric(void)
{
    runBricard(pbdrVec(-9.81 * sqrt(0.5), 9.81 * sqrt(0.5), 0.0), true);
}

// --- Andrews' mechanism ---

// Seven bodies in a plane and nine hinges, four loops, a spring and a motor (IFToMM A03; Hairer and Wanner, Solving ODEs II,
// VII.7; its numbers and the angles after 0.03 s are those of the test set for initial value problems, Bari). x and y of the
// papers are x and z here, so that angles turn about -y.
enum { ANDREWS = 7 };

static pbdrVec3 atAngle(double x, double y)
{
    return pbdrVec(x, 0.0, y);
}

static pbdrWorld* makeAndrews(double dt, pbdrBodyId links[ANDREWS])
{
    const double m[ANDREWS] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
    const double inertia[ANDREWS] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
    const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
    const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874,
                 sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228,
                 ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
    const double beta = -0.0617138900142764496, theta = 0.0, gamma = 0.455279819163070380,
                 phi = 0.222668390165885885, delta = 0.487364979543842550, omega = -0.222668390165885885,
                 epsilon = 1.23054744454982119;
    const pbdrVec3 centres[ANDREWS] = {
        atAngle(ra * cos(beta), ra * sin(beta)),
        atAngle(rr * cos(beta) - da * cos(beta + theta), rr * sin(beta) - da * sin(beta + theta)),
        atAngle(xb + sa * sin(gamma) + sb * cos(gamma), yb - sa * cos(gamma) + sb * sin(gamma)),
        atAngle(xa + zt * cos(delta) + (e - ea) * sin(phi + delta),
                ya + zt * sin(delta) - (e - ea) * cos(phi + delta)),
        atAngle(xa + ta * cos(delta) - tb * sin(delta), ya + ta * sin(delta) + tb * cos(delta)),
        atAngle(xa + u * sin(epsilon) + (zf - fa) * cos(omega + epsilon),
                ya - u * cos(epsilon) + (zf - fa) * sin(omega + epsilon)),
        atAngle(xa + ua * sin(epsilon) - ub * cos(epsilon), ya - ua * cos(epsilon) - ub * sin(epsilon))};
    pbdrWorld* world = makeMechanismWorld(dt);
    CHECK(pbdrWorld_SetGravity(world, pbdrVec(0.0, 0.0, 0.0)) == pbdr_statusOk);
    for (int k = 0; k < ANDREWS; k++) {
        links[k] = addStill(world, m[k], pbdrVec(inertia[k], inertia[k], inertia[k]), centres[k]);
    }
    const pbdrVec3 axis = {0.0, -1.0, 0.0}, a = atAngle(xa, ya), b = atAngle(xb, yb);
    const pbdrVec3 meeting =
        atAngle(rr * cos(beta) - d * cos(beta + theta), rr * sin(beta) - d * sin(beta + theta));
    pbdrJointDef drive = pbdrDefaultJointDef(), spring = pbdrDefaultJointDef();
    drive.kind = pbdr_jointHinge;
    drive.bodyB = links[0];
    drive.motor = pbdr_motorForce;
    drive.motorTarget = 0.033;
    CHECK(pbdrPlaceJointDef(world, &drive, pbdrVec(0.0, 0.0, 0.0), axis) == pbdr_statusOk);
    pbdrError error;
    require(pbdrCreateJoint(world, &drive, NULL, &error), &error);
    addJoint(world, pbdr_jointHinge, links[0], links[1], atAngle(rr * cos(beta), rr * sin(beta)), axis);
    addJoint(world, pbdr_jointHinge, links[1], links[2], meeting, axis);
    addJoint(world, pbdr_jointHinge, links[1], links[3], meeting, axis);
    addJoint(world, pbdr_jointHinge, links[1], links[5], meeting, axis);
    addJoint(world, pbdr_jointHinge, theWorld, links[2], b, axis);
    addJoint(world, pbdr_jointHinge, links[3], links[4], atAngle(xa + zt * cos(delta), ya + zt * sin(delta)),
             axis);
    addJoint(world, pbdr_jointHinge, theWorld, links[4], a, axis);
    addJoint(world, pbdr_jointHinge, links[5], links[6],
             atAngle(xa + u * sin(epsilon), ya - u * cos(epsilon)), axis);
    addJoint(world, pbdr_jointHinge, theWorld, links[6], a, axis);
    spring.kind = pbdr_jointSpan;
    spring.bodyB = links[2];
    spring.stiffness = 4530.0;
    spring.reference = 0.07785;
    CHECK(pbdrPlaceJointDef(
              world, &spring,
              atAngle(xb + sd * cos(gamma) + sc * sin(gamma), yb + sd * sin(gamma) - sc * cos(gamma)),
              axis) == pbdr_statusOk);
    spring.frameA.anchor = atAngle(xc, yc);
    require(pbdrCreateJoint(world, &spring, NULL, &error), &error);
    return world;
}

static void andrews__moves_as_the_test_set_says(void)
{
    const double start = -0.0617138900142764496, exact = 15.81077119629904;
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 2.0e-5 / (1 << k);
        pbdrBodyId links[ANDREWS];
        pbdrWorld* world = makeAndrews(dt, links);
        pbdrJointId ids[16];
        pbdrWorld_GetJoints(world, ids, 16);
        if (k == 0) {
            // the acceleration of the start, from the first substep
            stepMechanism(world, 1);
            CHECK_NEAR(pbdrJoint_GetVelocity(world, ids[0]) / dt / 14222.4439199541, 1.0, 1.0e-3);
        }
        stepMechanism(world, (int)lround(0.03 / dt) - (k == 0));
        errors[k] = fabs(start + pbdrJoint_GetPosition(world, ids[0]) - exact);
        pbdrDestroyWorld(world);
    }
    checkOrder("crank of Andrews' mechanism (IFToMM A03) after 0.03 s", "rad", 2.0e-5, errors);
    CHECK_MEASURED("IFToMM A03 (Andrews' mechanism): crank off after 0.03 s at 2.5 us [rad]",
                   errors[SIZES - 1], 4.4e-6);
}

// --- Axes ---

static pbdrJointId addAxis(pbdrWorld* world, const pbdrJointDef* with, pbdrJointKind kind, pbdrBodyId body,
                           pbdrVec3 point, pbdrVec3 axis)
{
    return addJointWith(world, with, kind, with->bodyA, body, point, axis);
}

// A spring, a damper and an armature: (m + a) x'' + c x' + k (x - r) = 0, x(0) = x'(0) = 0.
static void spring__swings_as_the_closed_form(void)
{
    const double mass = 2.0, armature = 1.0, damping = 1.5, stiffness = 75.0, reference = 0.2, duration = 2.0;
    const double decay = damping / (2.0 * (mass + armature));
    const double rate = sqrt(stiffness / (mass + armature) - decay * decay);
    const double exact = reference - reference * exp(-decay * duration) *
                                         (cos(rate * duration) + decay / rate * sin(rate * duration));
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 8.0e-3 / (1 << k);
        pbdrWorld* world = makeWeightless(dt);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.stiffness = stiffness;
        def.damping = damping;
        def.armature = armature;
        def.reference = reference;
        const pbdrBodyId body = addStill(world, mass, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.3, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointSlide, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 2.0, 3.0));
        stepMechanism(world, (int)lround(duration / dt));
        errors[k] = fabs(pbdrJoint_GetPosition(world, joint) - exact);
        pbdrDestroyWorld(world);
    }
    checkOrder("slide with spring and damper and armature after 2 s", "m", 8.0e-3, errors);
}

// Gains of 1e6 on a pendulum of 1 kg m^2 and less: it comes to where it is sent, and stays.
static void stiff_motors__are_stable(void)
{
    double off = 0.0, speed = 0.0;
    for (int k = 0; k < 3; k++) {
        const double inertias[3] = {1.0, 1.0e-2, 1.0e-4};
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = pbdr_motorPosition;
        def.motorStiffness = 1.0e6;
        def.motorDamping = 1.0e3;
        def.motorTarget = 0.5;
        const pbdrVec3 moments = pbdrScale(inertias[k], pbdrVec(1.0, 1.0, 1.0));
        const pbdrBodyId body = addStill(world, 1.0, moments, pbdrVec(0.1, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        double farthest = 0.0;
        for (int i = 0; i < 2000; i++) {
            stepMechanism(world, 1);
            farthest = fmax(farthest, fabs(pbdrJoint_GetPosition(world, joint)));
        }
        CHECK_LE(farthest, 1.0 + 1.0e-9);
        // gravity's moment of 1 N m over the stiffness
        off = fmax(off, fabs(pbdrJoint_GetPosition(world, joint) - 0.5));
        speed = fmax(speed, fabs(pbdrJoint_GetVelocity(world, joint)));
        pbdrDestroyWorld(world);
    }
    CHECK_MEASURED("motors of gain 1e6 at 1 ms on 1 to 1e-4 kg m^2: off after 2 s [rad]", off, 1.0e-6);
    CHECK_MEASURED("the same: velocity then [rad/s]", speed, 1.0e-6);
}

// A pendulum that falls on its bound loses the energy of its fall and gains none; it stays, and the bound bears its weight.
static void bound__stops_and_gives_no_energy(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    pbdrJointDef def = pbdrDefaultJointDef();
    def.upper = 0.8;
    const pbdrBodyId body = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.5, 0.0, 0.0));
    const pbdrJointId joint =
        addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    double energy = getMechanismEnergy(world), rise = 0.0;
    for (int k = 0; k < 2000; k++) {
        stepMechanism(world, 1);
        const double now = getMechanismEnergy(world);
        rise = fmax(rise, now - energy);
        energy = fmin(energy, now);
        CHECK_LE(pbdrJoint_GetPosition(world, joint), 0.8 + 1.0e-12);
    }
    // what the fall itself swings by
    CHECK_MEASURED("a pendulum that falls on its bound: energy gained [J]", rise, 1.0e-5);
    CHECK_NEAR(pbdrJoint_GetPosition(world, joint), 0.8, 1.0e-12);
    CHECK_LE(fabs(pbdrJoint_GetVelocity(world, joint)), 1.0e-12);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, joint), -PBDR_DEFAULT_GRAVITY * 0.5 * cos(0.8), 1.0e-9);
    pbdrDestroyWorld(world);
}

// Friction of 3 N on a slide: 2.9 N do not move 2 kg, and 5 N move them with (5 - 3)/2 m/s^2.
static void friction__holds_up_to_its_bound(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.friction = 3.0;
        const pbdrBodyId body = addStill(world, 2.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.0, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointSlide, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 0.0, 0.0));
        CHECK(pbdrBody_SetForce(world, body, pbdrVec(k == 0 ? 2.9 : 5.0, 0.0, 0.0)) == pbdr_statusOk);
        stepMechanism(world, 1000);
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), k == 0 ? 0.0 : 0.5, 1.0e-12);
        CHECK_NEAR(pbdrJoint_GetAxisForce(world, joint), k == 0 ? -2.9 : -3.0, 1.0e-9);
        // let go, it comes to rest, and stays
        CHECK(pbdrBody_SetForce(world, body, pbdrVec(0.0, 0.0, 0.0)) == pbdr_statusOk);
        stepMechanism(world, 2000);
        CHECK_EQ(pbdrJoint_GetVelocity(world, joint), 0.0);
        pbdrDestroyWorld(world);
    }
}

// A motor of 2 rad/s: it has its velocity at once if its force is unbounded, and speeds up with its bound else.
static void motor__keeps_its_velocity(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = pbdr_motorVelocity;
        def.motorTarget = 2.0;
        def.maxMotorForce = k == 0 ? HUGE_VAL : 4.0;
        const pbdrBodyId body = addStill(world, 2.0, pbdrVec(1.0, 2.0, 1.0), pbdrVec(0.0, 0.0, 0.0));
        const pbdrJointId joint =
            addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        stepMechanism(world, 500);
        CHECK_NEAR(pbdrJoint_GetVelocity(world, joint), k == 0 ? 2.0 : 1.0, 1.0e-9);
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), k == 0 ? 1.0 : 0.25, 1.0e-9);
        stepMechanism(world, 1500);
        CHECK_NEAR(pbdrJoint_GetVelocity(world, joint), 2.0, 1.0e-9);
        // an unbounded one in the first half, a second later; the other lost half a second's way
        CHECK_NEAR(pbdrJoint_GetPosition(world, joint), k == 0 ? 4.0 : 3.0, 1.0e-3);
        pbdrDestroyWorld(world);
    }
}

// What a motor, a spring and a damper do is what the energy changes by; the difference is of second order.
static void ledger__counts_the_work_of_axes(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 4.0e-3 / (1 << k);
        pbdrWorld* world = makeMechanismWorld(dt);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = pbdr_motorPosition;
        def.motorTarget = -1.0;
        def.motorStiffness = 60.0;
        def.motorDamping = 3.0;
        def.damping = 0.5;
        const pbdrBodyId body = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.5, 0.0, 0.0));
        addAxis(world, &def, pbdr_jointHinge, body, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        pbdrWorld_SetLedger(world, true);
        const double energy = getMechanismEnergy(world);
        stepMechanism(world, (int)lround(0.4 / dt));
        pbdrLedger row;
        pbdrWorld_GetLedger(world, &row);
        CHECK_GE(fabs(row.work), 1.0);
        errors[k] = fabs(getMechanismEnergy(world) - energy - row.work);
        pbdrDestroyWorld(world);
    }
    checkOrder("work of a motor against the energy", "J", 4.0e-3, errors);
}

// A kinematic carrier moves and turns, and a link hangs from it: the joint follows, and the carrier's work is what the
// link's energy changes by, to second order.
static void carrier__takes_its_link_along(void)
{
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 2.0e-3 / (1 << k);
        pbdrWorld* world = makeMechanismWorld(dt);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyKinematic;
        def.filter.mask = 0;
        def.velocity = (pbdrVelocity){{1.0, 0.5, 0.2}, {0.0, 0.0, 2.0}};
        const pbdrBodyId carrier = addBlock(world, 2, 2, 2, 0.05, 1.0, def);
        const pbdrVec3 point = {0.2, 0.0, -0.1};
        const pbdrBodyId link = addRigid(world, 1.0, pbdrVec(0.02, 0.03, 0.01),
                                         (pbdrPose){{0.2, 0.0, -0.4}, {1.0, 0.0, 0.0, 0.0}},
                                         (pbdrVelocity){{1.0, 0.5 + 0.4, 0.2}, {0.0, 0.0, 2.0}});
        addJoint(world, pbdr_jointUniversal, carrier, link, point, pbdrVec(1.0, 0.0, 0.0));
        pbdrWorld_SetLedger(world, true);
        pbdrLedger before, after;
        pbdrWorld_GetLedger(world, &before);
        stepMechanism(world, (int)lround(0.5 / dt));
        pbdrWorld_GetLedger(world, &after);
        CHECK_GE(fabs(after.work), 0.05);
        errors[k] = fabs(after.kineticEnergy + after.potentialEnergy - before.kineticEnergy -
                         before.potentialEnergy - after.work);
        pbdrDestroyWorld(world);
    }
    CHECK_LE(errors[1], 0.3 * errors[0]);
    CHECK_LE(errors[2], 0.3 * errors[1]);
    CHECK_LE(errors[3], 1.0e-11); // rounding, of 0.55 J
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"pendulum__follows_the_elliptic_integral", pendulum__follows_the_elliptic_integral},
          {"distance__is_a_rod_without_mass", distance__is_a_rod_without_mass},
          {"double_pendulum__is_of_second_order", double_pendulum__is_of_second_order},
          {"slider_crank__is_of_second_order", slider_crank__is_of_second_order},
          {"chain__keeps_its_energy", chain__keeps_its_energy}, {"top__precesses", top__precesses},
          {"fast_turns__take_several_steps", fast_turns__take_several_steps},
          {"rotor__takes_one_step", rotor__takes_one_step},
          {"windows__pass_where_links_are_on_a_line", windows__pass_where_links_are_on_a_line},
          {"bricard__moves", bricard__moves},
          {"bricards_forces__are_symmetric", bricards_forces__are_symmetric},
          {"andrews__moves_as_the_test_set_says", andrews__moves_as_the_test_set_says},
          {"spring__swings_as_the_closed_form", spring__swings_as_the_closed_form},
          {"stiff_motors__are_stable", stiff_motors__are_stable},
          {"bound__stops_and_gives_no_energy", bound__stops_and_gives_no_energy},
          {"friction__holds_up_to_its_bound", friction__holds_up_to_its_bound},
          {"motor__keeps_its_velocity", motor__keeps_its_velocity},
          {"carrier__takes_its_link_along", carrier__takes_its_link_along},
          {"ledger__counts_the_work_of_axes", ledger__counts_the_work_of_axes});
}
