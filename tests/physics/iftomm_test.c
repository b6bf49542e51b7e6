// Two of IFToMM's benchmarks of multibody dynamics (Gonzalez et al., Multibody System Dynamics 16, 2006): A01, a pendulum,
// and A05, a stiff flyball governor. (A02, A03 and A04 are in joints_test.c.) Bars are a tenth of "high precision".
#include "check.h"
#include "mechanisms.h"

// --- A01: a point of 1 kg on a rod of 1 m without mass, let go level; 10 s. High precision: energy within 5e-5 J. The step is
// the solver's to choose: energy swings by 3.6e-5 J at 1 ms, and with dt^2. ---

static void a01_pendulum__keeps_its_energy(void)
{
    pbdrWorld* world = makeMechanismWorld(2.5e-4);
    const pbdrVec3 tiny = {1.0e-8, 1.0e-8, 1.0e-8}, axis = {0.0, 1.0, 0.0};
    const pbdrBodyId bob = addStill(world, 1.0, tiny, pbdrVec(-1.0, 0.0, 0.0));
    addJoint(world, pbdr_jointHinge, theWorld, bob, pbdrVec(0.0, 0.0, 0.0), axis);
    const double energy = getMechanismEnergy(world);
    double worst = 0.0;
    for (int k = 0; k < 1000; k++) {
        stepMechanism(world, 40);
        worst = fmax(worst, fabs(getMechanismEnergy(world) - energy));
    }
    CHECK_MEASURED("IFToMM A01 (pendulum): energy off in 10 s at 0.25 ms [J]", worst, 5.0e-6);
    pbdrDestroyWorld(world);
}

// --- A05 ---

// A shaft that turns freely about z, two rods of 1 m on hinges at its top with 5 kg at their ends, 60 degrees from it; a
// slider on the shaft, half a metre below; spring-dampers from the rods' middles to it. Boxes of 3000 kg/m^3.
static const double rodMass = 0.3, pointMass = 5.0, sliderMass = 3.0, stiffness = 8.0e5, damping = 4.0e4,
                    restLength = 0.5, startSpin = 2.0 * PBDR_PI, startAngle = PBDR_PI / 3.0;

typedef struct Governor {
    double angle, slide, angleRate, slideRate; // rods from the shaft; slider below the top
} Governor;

// Moments of a rod with its point about its hinge across it, and along it; of shaft and slider about z [kg m^2].
static const double across = 0.3 * (1.0 + 1.0e-4) / 12.0 + 0.3 / 4.0 + 5.0, along = 0.3 * 2.0e-4 / 12.0,
                    shaft = 0.3 * 2.0e-4 / 12.0 + 3.0 * 0.02 / 12.0;

static double getSpinInertia(double angle)
{
    return shaft + 2.0 * (across * sin(angle) * sin(angle) + along * cos(angle) * cos(angle));
}

// Lagrange's equations of the angle and the slide, with the spin from the angular momentum, which stays.
static Governor getRates(Governor g)
{
    const double spin = getSpinInertia(startAngle) * startSpin / getSpinInertia(g.angle);
    const double x = 0.5 * sin(g.angle), z = g.slide - 0.5 * cos(g.angle), length = sqrt(x * x + z * z);
    const double xByAngle = 0.5 * cos(g.angle), zByAngle = 0.5 * sin(g.angle);
    const double byAngle = (x * xByAngle + z * zByAngle) / length, bySlide = z / length;
    const double rate = byAngle * g.angleRate + bySlide * g.slideRate;
    const double force = -stiffness * (length - restLength) - damping * rate;
    const double turning = (across - along) * sin(g.angle) * cos(g.angle) * spin * spin -
                           PBDR_DEFAULT_GRAVITY * (0.5 * rodMass + pointMass) * sin(g.angle) +
                           force * byAngle;
    return (Governor){g.angleRate, g.slideRate, turning / across,
                      PBDR_DEFAULT_GRAVITY + 2.0 * force * bySlide / sliderMass};
}

static Governor addRates(Governor g, double dt, Governor r)
{
    return (Governor){g.angle + dt * r.angle, g.slide + dt * r.slide, g.angleRate + dt * r.angleRate,
                      g.slideRate + dt * r.slideRate};
}

// Runge-Kutta's method; the damper decays by 2.7e4/s, so that 1e-5 s is stable, and the rest is off by less than 1e-10.
static Governor integrateGovernor(double duration)
{
    Governor g = {startAngle, 0.5, 0.0, 0.0};
    const double dt = 1.0e-5;
    for (int k = 0; k < (int)lround(duration / dt); k++) {
        const Governor a = getRates(g), b = getRates(addRates(g, 0.5 * dt, a)),
                       c = getRates(addRates(g, 0.5 * dt, b)), d = getRates(addRates(g, dt, c));
        g = addRates(addRates(addRates(addRates(g, dt / 6.0, a), dt / 3.0, b), dt / 3.0, c), dt / 6.0, d);
    }
    return g;
}

static pbdrBodyId addRod(pbdrWorld* world, int side, pbdrVec3 spin)
{
    // rod and point in one: the centre is at (0.3/2 + 5)/5.3 m
    const double mass = rodMass + pointMass, centre = (0.5 * rodMass + pointMass) / mass;
    const double own = across - mass * centre * centre, sine = sin(startAngle), cosine = cos(startAngle);
    const pbdrVec3 place = {side * centre * sine, 0.0, -centre * cosine};
    // the rod along x of its rest axes
    const pbdrQuat turn = side > 0
                              ? pbdrQuatFromVector(pbdrVec(0.0, 0.5 * PBDR_PI - startAngle, 0.0))
                              : pbdrMulQQ(pbdrQuatFromVector(pbdrVec(0.0, 0.0, PBDR_PI)),
                                          pbdrQuatFromVector(pbdrVec(0.0, 0.5 * PBDR_PI - startAngle, 0.0)));
    return addRigid(world, mass, pbdrVec(along, own, own), (pbdrPose){place, turn},
                    (pbdrVelocity){pbdrCross(spin, place), spin});
}

static double getGovernorError(double dt, double duration, double exact)
{
    pbdrWorld* world = makeMechanismWorld(dt);
    const pbdrVec3 spin = {0.0, 0.0, startSpin}, z = {0.0, 0.0, 1.0}, y = {0.0, 1.0, 0.0},
                   top = {0.0, 0.0, 0.0};
    const pbdrVelocity turning = {{0.0, 0.0, 0.0}, spin};
    const pbdrQuat none = {1.0, 0.0, 0.0, 0.0};
    const double slim = 0.3 * (1.0 + 1.0e-4) / 12.0, cube = 3.0 * 0.02 / 12.0;
    const pbdrBodyId axle = addRigid(world, 0.3, pbdrVec(slim, slim, 0.3 * 2.0e-4 / 12.0),
                                     (pbdrPose){{0.0, 0.0, -0.5}, none}, turning);
    const pbdrBodyId slider =
        addRigid(world, sliderMass, pbdrVec(cube, cube, cube), (pbdrPose){{0.0, 0.0, -0.5}, none}, turning);
    addJoint(world, pbdr_jointHinge, theWorld, axle, top, z);
    const pbdrJointId slide = addJoint(world, pbdr_jointSlide, axle, slider, pbdrVec(0.0, 0.0, -0.5), z);
    for (int side = -1; side <= 1; side += 2) {
        const pbdrBodyId rod = addRod(world, side, spin);
        addJoint(world, pbdr_jointHinge, axle, rod, top, y);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.kind = pbdr_jointSpan;
        def.bodyA = slider;
        def.bodyB = rod;
        CHECK(pbdrPlaceJointDef(world, &def,
                                pbdrVec(side * 0.5 * sin(startAngle), 0.0, -0.5 * cos(startAngle)),
                                z) == pbdr_statusOk);
        def.frameA.anchor = top; // the slider's centre
        def.stiffness = stiffness;
        def.damping = damping;
        def.reference = restLength;
        pbdrError error;
        require(pbdrCreateJoint(world, &def, NULL, &error), &error);
    }
    stepMechanism(world, (int)lround(duration / dt));
    const double error = fabs(0.5 - pbdrJoint_GetPosition(world, slide) - exact);
    pbdrDestroyWorld(world);
    return error;
}

static void a05_governor__slides_as_lagranges_equations_say(void)
{
    const double duration = 2.0, exact = integrateGovernor(duration).slide;
    double errors[3];
    for (int k = 0; k < 3; k++) {
        errors[k] = getGovernorError(1.0e-3 / (1 << k), duration, exact);
        if (k > 0) {
            CHECK_NEAR(errors[k - 1] / errors[k], 4.0, 0.4); // second order
        }
    }
    // high precision: 1e-4 m of the slide
    CHECK_MEASURED("IFToMM A05 (flyball governor): slide off after 2 s at 1 ms [m]", errors[0], 1.0e-5);
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"a01_pendulum__keeps_its_energy", a01_pendulum__keeps_its_energy},
        {"a05_governor__slides_as_lagranges_equations_say", a05_governor__slides_as_lagranges_equations_say});
}
