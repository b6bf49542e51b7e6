// Gears between the axes of two joints: closed forms, laws, contact. Followers are where they should be to 1e-12 m and 1e-10
// rad after every substep (stepMechanism).
#include "mechanisms.h"

static pbdrJointId addGear(pbdrWorld* world, pbdrJointId a, pbdrJointId b, double ratio, double square)
{
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointGear;
    def.jointA = a;
    def.jointB = b;
    def.coefficients[1] = ratio;
    def.coefficients[2] = square;
    pbdrJointId id;
    pbdrError error;
    require(pbdrCreateJoint(world, &def, &id, &error), &error);
    return id;
}

static pbdrBodyId addWheel(pbdrWorld* world, double inertia, double x)
{
    return addStill(world, 1.0, pbdrVec(0.5 * inertia, inertia, 0.5 * inertia), pbdrVec(x, 0.0, 0.0));
}

// A train of three wheels, driven at the first: torque = (I1 + r^2 (I2 + s^2 I3)) acceleration; the first gear pushes the
// second wheel with (I2 + s^2 I3) r times it.
static void train__turns_as_one(void)
{
    const double inertias[3] = {0.5, 0.2, 0.1}, r = -2.5, s = -0.4, torque = 3.0;
    pbdrWorld* world = makeWeightless(1.0e-3);
    pbdrJointId axes[3];
    for (int k = 0; k < 3; k++) {
        pbdrJointDef def = pbdrDefaultJointDef();
        def.motor = k == 0 ? pbdr_motorForce : pbdr_motorNone;
        def.motorTarget = k == 0 ? torque : 0.0;
        axes[k] = addJointWith(world, &def, pbdr_jointHinge, theWorld, addWheel(world, inertias[k], k),
                               pbdrVec(k, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    }
    const pbdrJointId gear = addGear(world, axes[0], axes[1], r, 0.0);
    addGear(world, axes[1], axes[2], s, 0.0);
    stepMechanism(world, 2000);
    const double rest = inertias[1] + s * s * inertias[2], rate = torque / (inertias[0] + r * r * rest);
    CHECK_NEAR(pbdrJoint_GetPosition(world, axes[0]), 0.5 * rate * 4.0, 1.0e-10);
    CHECK_NEAR(pbdrJoint_GetPosition(world, axes[2]), r * s * 0.5 * rate * 4.0, 1.0e-10);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, axes[1]), r * rate * 2.0, 1.0e-10);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, gear), rest * r * rate, 1.0e-8);
    pbdrDestroyWorld(world);
}

// A carrier with two wheels on parallel axes that turn against each other at the same speed: the carrier feels nothing. The
// gear's row is nothing to it, and elimination must not begin there.
static void opposite_wheels__leave_their_carrier(void)
{
    pbdrWorld* world = makeWeightless(1.0e-3);
    const pbdrBodyId carrier = addStill(world, 5.0, pbdrVec(1.0, 1.0, 1.0), pbdrVec(0.0, 0.0, 0.0));
    pbdrJointDef def = pbdrDefaultJointDef();
    def.motor = pbdr_motorForce;
    def.motorTarget = 0.3;
    const pbdrVec3 y = {0.0, 1.0, 0.0};
    const pbdrBodyId one = addWheel(world, 0.1, -0.5), two = addWheel(world, 0.1, 0.5);
    const pbdrJointId a =
        addJointWith(world, &def, pbdr_jointHinge, carrier, one, pbdrVec(-0.5, 0.0, 0.0), y);
    const pbdrJointId b = addJointWith(world, NULL, pbdr_jointHinge, carrier, two, pbdrVec(0.5, 0.0, 0.0), y);
    addGear(world, a, b, -1.0, 0.0);
    const pbdrJointId same =
        addJointWith(world, NULL, pbdr_jointHinge, theWorld, carrier, pbdrVec(0.0, 0.0, 0.0), y);
    stepMechanism(world, 1000);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, a), 0.3 / 0.2, 1.0e-10);
    CHECK_LE(fabs(pbdrJoint_GetVelocity(world, same)), 1.0e-12);
    pbdrDestroyWorld(world);
}

// A weight on a rack that turns a wheel: m g = (m + I/r^2) a, to rounding.
static void rack__falls_as_its_wheel_lets_it(void)
{
    const double mass = 2.0, inertia = 1.25, radius = 0.5;
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrBodyId weight = addStill(world, mass, pbdrVec(0.01, 0.01, 0.01), pbdrVec(0.0, 0.0, 0.0));
    const pbdrJointId slide = addJointWith(world, NULL, pbdr_jointSlide, theWorld, weight,
                                           pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 0.0, -1.0));
    const pbdrJointId hinge =
        addJointWith(world, NULL, pbdr_jointHinge, theWorld, addWheel(world, inertia, 1.0),
                     pbdrVec(1.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    addGear(world, hinge, slide, radius, 0.0);
    stepMechanism(world, 1000);
    const double rate = mass * PBDR_DEFAULT_GRAVITY / (mass + inertia / (radius * radius));
    CHECK_NEAR(pbdrJoint_GetPosition(world, slide), 0.5 * rate, 1.0e-10);
    // more than a turn: whole turns count. (Free rotation is off by (turn per substep)^5/120: 1e-14.)
    stepMechanism(world, 1000);
    CHECK_NEAR(pbdrJoint_GetPosition(world, hinge), 2.0 * rate / radius, 1.0e-9);
    pbdrDestroyWorld(world);
}

// A cam: a slide goes with the square of a wheel's angle, y = a x + b x^2, against a spring. One degree of freedom,
// (I + m (a + 2 b x)^2) x'' + 2 b m (a + 2 b x) x'^2 + k y (a + 2 b x) = 0, by Runge-Kutta.
static void getCamRates(const double s[2], double rates[2])
{
    const double i = 0.05, m = 2.0, k = 30.0, a = 0.1, b = 0.05;
    const double slope = a + 2.0 * b * s[0], y = a * s[0] + b * s[0] * s[0];
    rates[0] = s[1];
    rates[1] = -(2.0 * b * m * slope * s[1] * s[1] + k * y * slope) / (i + m * slope * slope);
}

static double getCamAngle(double rate, double duration)
{
    double s[2] = {0.0, rate};
    const double dt = 1.0e-4;
    for (int n = 0; n < (int)lround(duration / dt); n++) {
        double k[4][2], at[2];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < 2; i++) {
                at[i] = s[i] + (stage == 0 ? 0.0 : (stage == 3 ? dt : 0.5 * dt) * k[stage - 1][i]);
            }
            getCamRates(at, k[stage]);
        }
        for (int i = 0; i < 2; i++) {
            s[i] += dt / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
        }
    }
    return s[0];
}

static void cam__is_of_second_order(void)
{
    const double rate = 4.0, duration = 2.0, exact = getCamAngle(rate, duration);
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        pbdrWorld* world = makeWeightless(4.0e-3 / (1 << k));
        pbdrJointDef spring = pbdrDefaultJointDef();
        spring.stiffness = 30.0;
        const pbdrBodyId wheel =
            addRigid(world, 1.0, pbdrVec(0.02, 0.05, 0.02), (pbdrPose){{1.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                     (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, rate, 0.0}});
        const pbdrBodyId slider =
            addRigid(world, 2.0, pbdrVec(0.02, 0.02, 0.02), (pbdrPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                     (pbdrVelocity){{0.0, 0.0, 0.1 * rate}, {0.0, 0.0, 0.0}});
        const pbdrJointId hinge = addJointWith(world, NULL, pbdr_jointHinge, theWorld, wheel,
                                               pbdrVec(1.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
        const pbdrJointId slide = addJointWith(world, &spring, pbdr_jointSlide, theWorld, slider,
                                               pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 0.0, 1.0));
        addGear(world, hinge, slide, 0.1, 0.05);
        stepMechanism(world, 500 << k);
        errors[k] = fabs(pbdrJoint_GetPosition(world, hinge) - exact);
        pbdrDestroyWorld(world);
    }
    checkOrder("angle of a cam (a gear of order 2) on a spring after 2 s", "rad", 4.0e-3, errors);
}

// A motor to a velocity on the leader, and a bound of the follower: it stops there, and the motor's bound is what it bears.
static void bound_of_a_follower__stops_its_leader(void)
{
    pbdrWorld* world = makeWeightless(1.0e-3);
    pbdrJointDef motor = pbdrDefaultJointDef(), bound = pbdrDefaultJointDef();
    motor.motor = pbdr_motorVelocity;
    motor.motorTarget = 2.0;
    motor.maxMotorForce = 5.0;
    bound.upper = 0.6;
    const pbdrVec3 y = {0.0, 1.0, 0.0};
    const pbdrJointId a = addJointWith(world, &motor, pbdr_jointHinge, theWorld, addWheel(world, 0.1, 0.0),
                                       pbdrVec(0.0, 0.0, 0.0), y);
    const pbdrJointId b = addJointWith(world, &bound, pbdr_jointHinge, theWorld, addWheel(world, 0.1, 1.0),
                                       pbdrVec(1.0, 0.0, 0.0), y);
    const pbdrJointId gear = addGear(world, a, b, 0.5, 0.0);
    stepMechanism(world, 2000);
    CHECK_NEAR(pbdrJoint_GetPosition(world, a), 1.2, 1.0e-10);
    CHECK_LE(fabs(pbdrJoint_GetVelocity(world, a)), 1.0e-10);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, b), -10.0, 1.0e-6);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, gear), 10.0, 1.0e-6);
    pbdrDestroyWorld(world);
}

static pbdrBodyId addBox(pbdrWorld* world, pbdrVec3 size, double mass, pbdrVec3 position)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(size, mass, 2, &shape, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = position;
    def.friction = 0.5;
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

// Two fingers of which one motor closes both: a box that stands off the middle is brought there, and held for 10 s.
static void fingers__close_together(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrPlaneId ground = addGround(world, 0.1);
    const pbdrBodyId box = addBox(world, pbdrVec(0.1, 0.1, 0.1), 0.5, pbdrVec(0.01, 0.0, 0.05));
    pbdrJointId slides[2];
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        const pbdrVec3 place = {side * 0.09, 0.0, 0.06};
        pbdrJointDef def = pbdrDefaultJointDef();
        def.damping = 20.0;
        def.motor = k == 0 ? pbdr_motorForce : pbdr_motorNone;
        def.motorTarget = k == 0 ? 16.0 : 0.0;
        slides[k] = addJointWith(world, &def, pbdr_jointSlide, theWorld,
                                 addBox(world, pbdrVec(0.02, 0.06, 0.08), 0.2, place), place,
                                 pbdrVec(-side, 0.0, 0.0));
    }
    addGear(world, slides[0], slides[1], 1.0, 0.0);
    stepMechanism(world, 2000);
    CHECK_LE(fabs(pbdrBody_GetPose(world, box).position.x), 1.0e-9);
    CHECK_NEAR(pbdrJoint_GetPosition(world, slides[1]), 0.03, 1.0e-9);
    // the motor's 16 N are 8 on each side; the ground is not needed any more
    pbdrDestroyPlane(world, ground);
    const double height = pbdrBody_GetPose(world, box).position.z;
    stepMechanism(world, 10000);
    CHECK_LE(fabs(pbdrBody_GetPose(world, box).position.z - height), 1.0e-9);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"train__turns_as_one", train__turns_as_one},
          {"opposite_wheels__leave_their_carrier", opposite_wheels__leave_their_carrier},
          {"rack__falls_as_its_wheel_lets_it", rack__falls_as_its_wheel_lets_it},
          {"cam__is_of_second_order", cam__is_of_second_order},
          {"bound_of_a_follower__stops_its_leader", bound_of_a_follower__stops_its_leader},
          {"fingers__close_together", fingers__close_together});
}
