// Impacts of bodies with joints: closed forms of what a blow gives to all that hangs together, and Newton's cradle. Joints
// stay closed to 1e-12 m and 1e-10 rad after every substep (stepMechanism).
#include "mechanisms.h"

#define RADIUS 0.05

typedef struct Ball {
    double mass, restitution, friction;
    pbdrVec3 moments; // besides those of a ball, which has none: its mass is in its centre [kg m^2]
    pbdrVec3 position, velocity;
} Ball;

static pbdrBodyId addBall(pbdrWorld* world, const Ball* ball)
{
    const pbdrVec3 centre = {0.0, 0.0, 0.0}, i = ball->moments;
    const double radius = RADIUS;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 1;
    def.positions = &centre;
    def.radii = &radius;
    def.masses = &ball->mass;
    def.extraInertia = (pbdrMat3){{{i.x, 0.0, 0.0}, {0.0, i.y, 0.0}, {0.0, 0.0, i.z}}};
    def.position = ball->position;
    def.velocity.linear = ball->velocity;
    def.restitution = ball->restitution;
    def.friction = ball->friction;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
    return id;
}

static const pbdrVec3 small = {1.0e-3, 1.0e-3, 1.0e-3}, alongY = {0.0, 1.0, 0.0};

// Balls of equal mass on rods, of which some are drawn aside: as many leave on the other side, and all others stay where they
// are, for 100 blows. e = 1, so that energy stays; it swings by what the pendulums' steps make of it.
static void cradle__passes_the_blow_on(void)
{
    for (int drawn = 1; drawn <= 2; drawn++) {
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        pbdrBodyId balls[5];
        pbdrJointId rods[5];
        for (int k = 0; k < 5; k++) {
            const double turn = k < drawn ? -0.6 : 0.0;
            const Ball ball = {0.5,      1.0, 0.0, small, pbdrVec(0.1 * k + sin(turn), 0.0, -cos(turn)),
                               {0, 0, 0}};
            balls[k] = addBall(world, &ball);
            rods[k] =
                addJoint(world, pbdr_jointHinge, theWorld, balls[k], pbdrVec(0.1 * k, 0.0, 0.0), alongY);
        }
        const double energy = getMechanismEnergy(world);
        double still = 0.0, first = 0.0, last = 0.0, off = 0.0;
        int blows = 0;
        bool left = true;
        for (int k = 0; k < 100000; k++) {
            stepMechanism(world, 1);
            off = fmax(off, fabs(getMechanismEnergy(world) - energy));
            for (int i = drawn; i < 5 - drawn; i++) {
                still = fmax(still, fabs(pbdrBody_GetPose(world, balls[i]).position.x - 0.1 * i));
            }
            const double a = 0.6 + pbdrJoint_GetPosition(world, rods[0]),
                         b = -pbdrJoint_GetPosition(world, rods[4]);
            first = fmax(first, fabs(a));
            last = fmax(last, fabs(b));
            const bool now = fabs(a) > fabs(b);
            blows += now != left;
            left = now;
        }
        CHECK_GE(blows, 90);
        if (drawn == 1) {
            CHECK_MEASURED("Newton's cradle in 100 s: balls in the middle moved [m]", still, 1.0e-9);
            CHECK_MEASURED("the same: energy off at 1 ms over its range",
                           off / (0.5 * 9.81 * (1.0 - cos(0.6))), 1.0e-4);
        } else {
            CHECK_LE(still, 1.0e-9);
        }
        CHECK_NEAR(first, 0.6, 1.0e-5);
        CHECK_NEAR(last, 0.6, 1.0e-5);
        pbdrDestroyWorld(world);
    }
}

// A pendulum meets a wall at its lowest point with the restitution e: 1 - cos of where it turns back is e^2 of what it was.
// To second order in the step, whatever the moment of the impact within it.
static void pendulum__rebounds_from_a_wall(void)
{
    const double e = 0.7;
    double errors[3];
    for (int size = 0; size < 3; size++) {
        const double dt = 2.0e-3 / (1 << size);
        pbdrWorld* world = makeMechanismWorld(dt);
        const Ball bob = {1.0, e, 0.3, small, {sin(-0.8), 0.0, -cos(0.8)}, {0, 0, 0}};
        const pbdrBodyId body = addBall(world, &bob);
        const pbdrJointId rod = addJoint(world, pbdr_jointHinge, theWorld, body, pbdrVec(0, 0, 0), alongY);
        pbdrPlaneDef wall = pbdrDefaultPlaneDef();
        wall.normal = pbdrVec(-1.0, 0.0, 0.0);
        wall.offset = -RADIUS;
        pbdrError error;
        require(pbdrCreatePlane(world, &wall, NULL, &error), &error);
        // it rests at the top of its way after the rebound: the largest angle to the left after the first blow
        double highest = -1.0;
        bool hit = false;
        for (int k = 0; k < (int)lround(1.2 / dt); k++) {
            stepMechanism(world, 1);
            const double angle =
                -pbdrJoint_GetPosition(world, rod) - 0.8; // 0 at the bottom, -0.8 at the start
            hit = hit || pbdrBody_GetVelocity(world, body).linear.x < -0.1;
            CHECK_LE(angle, 1.0e-9);
            const double z = pbdrBody_GetPose(world, body).position.z;
            highest = hit ? fmax(highest, z) : highest;
        }
        errors[size] = fabs((1.0 + highest) / (1.0 - cos(0.8)) - e * e);
        pbdrDestroyWorld(world);
    }
    CHECK_LE(errors[0], 1.0e-5);
    CHECK_LE(errors[2], 2.0e-6);
}

// What a ball of mass m and speed v gives to something that hangs on one axis, with the inertia I about it, at the distance l:
// w = (1 + e) m l v/(I + m l^2).
static double getRate(double e, double mass, double speed, double lever, double inertia)
{
    return (1.0 + e) * mass * lever * speed / (inertia + mass * lever * lever);
}

// A ball flies in z onto the end of a level lever; without gravity. with: armature and the like.
static void hitLever(const pbdrJointDef* with, double extra)
{
    const double e = 0.6, mass = 0.3, speed = 4.0, lever = 0.8, own = 0.25;
    pbdrWorld* world = makeWeightless(1.0e-3);
    const Ball end = {1.5, e, 0.0, {own, own, own}, {lever, 0.0, 0.0}, {0, 0, 0}};
    const pbdrBodyId body = addBall(world, &end);
    const pbdrJointId hinge =
        addJointWith(world, with, pbdr_jointHinge, theWorld, body, pbdrVec(0.0, 0.0, 0.0), alongY);
    const Ball bullet = {mass, e, 0.0, small, {lever, 0.0, 0.3037}, {0.0, 0.0, -speed}};
    const pbdrBodyId ball = addBall(world, &bullet);
    pbdrVec3 impulse = {0.0, 0.0, 0.0};
    for (int k = 0; k < 100; k++) {
        stepMechanism(world, 1);
        impulse = pbdrAddScaled(impulse, 1.0e-3, pbdrJoint_GetReaction(world, hinge).force);
        if (pbdrBody_GetVelocity(world, ball).linear.z > -speed + 1.0e-9) {
            break;
        }
    }
    const double inertia = own + 1.5 * lever * lever + extra, rate = getRate(e, mass, speed, lever, inertia);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, hinge), rate, 1.0e-12);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.z, lever * -rate + e * speed, 1.0e-12);
    // the lever's momentum is what the ball and the hinge gave it
    const double given = mass * (speed + pbdrBody_GetVelocity(world, ball).linear.z);
    CHECK_NEAR(impulse.z, given - 1.5 * lever * rate, 1.0e-4); // and what turns it in the rest of the substep
    pbdrDestroyWorld(world);
}

static void blow__goes_through_hinge_and_armature(void)
{
    pbdrJointDef def = pbdrDefaultJointDef();
    hitLever(&def, 0.0);
    def.armature = 0.4;
    hitLever(&def, 0.4);
    // what has no time to act does not: friction, and a motor with a bound (they do in the rest of the substep)
    def.damping = 0.0;
    def.friction = 1.0e-12;
    hitLever(&def, 0.4);
}

// Two levers with a gear of ratio r, the first one hit: I1 + r^2 I2.
static void blow__goes_through_gears(void)
{
    const double e = 0.5, mass = 0.3, speed = 3.0, lever = 0.5, r = -1.5;
    pbdrWorld* world = makeWeightless(1.0e-3);
    const Ball end = {1.0, e, 0.0, {0.1, 0.1, 0.1}, {lever, 0.0, 0.0}, {0, 0, 0}};
    const pbdrBodyId first = addBall(world, &end),
                     second = addStill(world, 1.0, pbdrVec(0.2, 0.2, 0.2), pbdrVec(0.0, 0.0, 3.0));
    pbdrJointDef gear = pbdrDefaultJointDef();
    gear.kind = pbdr_jointGear;
    gear.coefficients[1] = r;
    gear.jointA = addJoint(world, pbdr_jointHinge, theWorld, first, pbdrVec(0.0, 0.0, 0.0), alongY);
    gear.jointB = addJoint(world, pbdr_jointHinge, theWorld, second, pbdrVec(0.0, 0.0, 3.0), alongY);
    pbdrError error;
    require(pbdrCreateJoint(world, &gear, NULL, &error), &error);
    const Ball bullet = {mass, e, 0.0, small, {lever, 0.0, 0.2}, {0.0, 0.0, -speed}};
    addBall(world, &bullet);
    stepMechanism(world, 50);
    const double rate = getRate(e, mass, speed, lever, 0.1 + lever * lever + r * r * 0.2);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, gear.jointA), rate, 1.0e-10);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, gear.jointB), r * rate, 1.0e-10);
    pbdrDestroyWorld(world);
}

// A parallelogram, whose rows depend on each other: cranks of I about their pivots, and a coupler of mass m that does not
// turn: 2 I + m l^2. The ball hits the coupler's middle along its way.
static void blow__goes_through_loops(void)
{
    const double e = 0.8, mass = 0.3, speed = 3.0, l = 0.5, crank = 0.2, coupler = 1.2;
    pbdrWorld* world = makeWeightless(1.0e-3);
    const Ball middle = {coupler, e, 0.0, {0.1, 0.1, 0.1}, {0.5, 0.0, -l}, {0, 0, 0}};
    const pbdrBodyId bar = addBall(world, &middle);
    pbdrJointId pivots[2];
    for (int k = 0; k < 2; k++) {
        const double half = 0.5 * l;
        const pbdrBodyId arm = addStill(world, 1.0, pbdrVec(0.1, crank - half * half, 0.1),
                                        pbdrVec(k, 0.0, -half)); // crank: about the pivot
        pivots[k] = addJoint(world, pbdr_jointHinge, theWorld, arm, pbdrVec(k, 0.0, 0.0), alongY);
        addJoint(world, pbdr_jointHinge, arm, bar, pbdrVec(k, 0.0, -l), alongY);
    }
    const Ball bullet = {mass, e, 0.0, small, {0.1, 0.0, -l}, {speed, 0.0, 0.0}};
    const pbdrBodyId ball = addBall(world, &bullet);
    const double energy = getMechanismEnergy(world);
    while (pbdrBody_GetVelocity(world, ball).linear.x > speed - 1.0e-9) {
        stepMechanism(world, 1);
    }
    // -y turns the cranks that way
    const double rate = getRate(e, mass, speed, l, 2.0 * crank + coupler * l * l);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, pivots[0]), -rate, 1.0e-6); // it turned on a little
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.x, l * rate - e * speed, 1.0e-12);
    // what is lost: (1 - e^2)/2 v^2 over the mobility 1/m + l^2/I
    const double mobility = 1.0 / mass + l * l / (2.0 * crank + coupler * l * l);
    CHECK_NEAR(getMechanismEnergy(world) - energy, -0.5 * (1.0 - e * e) * speed * speed / mobility, 1.0e-9);
    stepMechanism(world, 300);
    pbdrDestroyWorld(world);
}

// Balls thrown at a double pendulum from all sides, with friction: energy never grows, whether they stick or slide.
static void blows_with_friction__give_no_energy(void)
{
    int blows = 0;
    for (int trial = 0; trial < 40; trial++) {
        pbdrWorld* world = makeWeightless(1.0e-3);
        const Ball upper = {1.0, 1.0, 0.8, {0.05, 0.1, 0.02}, {0.0, 0.0, -0.4}, {0, 0, 0}},
                   lower = {0.7, 1.0, 0.8, {0.03, 0.01, 0.02}, {0.0, 0.0, -0.9}, {0, 0, 0}};
        const pbdrBodyId a = addBall(world, &upper), b = addBall(world, &lower);
        addJoint(world, pbdr_jointHinge, theWorld, a, pbdrVec(0.0, 0.0, 0.0), alongY);
        addJoint(world, trial % 2 == 0 ? pbdr_jointBall : pbdr_jointUniversal, a, b, pbdrVec(0.0, 0.0, -0.6),
                 alongY);
        const double angle = 0.7 * trial, height = -0.93 + 0.003 * (trial % 20);
        const pbdrVec3 way = {-cos(angle), -sin(angle), 0.1};
        const Ball bullet = {
            0.4, 1.0, 0.8, small, pbdrAddScaled(pbdrVec(0.0, 0.0, height), -0.3, way), pbdrScale(5.0, way)};
        const pbdrBodyId ball = addBall(world, &bullet);
        double energy = getMechanismEnergy(world);
        for (int k = 0; k < 120; k++) {
            const pbdrVec3 before = pbdrBody_GetVelocity(world, ball).linear;
            stepMechanism(world, 1);
            const double now = getMechanismEnergy(world);
            CHECK_LE(now, energy + 1.0e-5); // links swing by as much at 1 ms
            blows += pbdrLength(pbdrSub(pbdrBody_GetVelocity(world, ball).linear, before)) > 0.1;
            energy = now;
        }
        pbdrDestroyWorld(world);
    }
    CHECK_GE(blows, 40);
}

// Bits do not depend on threads, on where a state was saved, or on vectors' width (tests of mechanisms do the last).
static void cradle__goes_on_bit_for_bit(void)
{
    static char bytes[200000];
    uint64_t hashes[3];
    for (int run = 0; run < 3; run++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = pbdr_solverXpbdR;
        def.threads = run == 1 ? 2 : 1;
        pbdrWorld* world = makeWorld(def);
        for (int k = 0; k < 6; k++) {
            const double turn = k % 3 == 0 ? -0.1 : 0.0;
            const Ball ball = {
                0.5,      0.9, 0.2, small, pbdrVec(0.1 * (k % 3) + sin(turn), k < 3 ? 0.0 : 2.0, -cos(turn)),
                {0, 0, 0}};
            const pbdrBodyId body = addBall(world, &ball);
            addJoint(world, pbdr_jointHinge, theWorld, body, pbdrVec(0.1 * (k % 3), k < 3 ? 0.0 : 2.0, 0.0),
                     alongY);
        }
        pbdrError error;
        stepMechanism(world, 503); // between blows of the first and second swing
        const size_t size = pbdrWorld_GetStateSize(world);
        CHECK(size <= sizeof bytes);
        if (run == 0) {
            require(pbdrWorld_GetState(world, bytes, size, &error), &error);
        } else if (run == 2) {
            stepMechanism(world, 400);
            require(pbdrWorld_SetState(world, bytes, size, &error), &error);
        }
        stepMechanism(world, 3000);
        hashes[run] = pbdrWorld_GetHash(world);
        pbdrDestroyWorld(world);
    }
    CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"cradle__passes_the_blow_on", cradle__passes_the_blow_on},
          {"pendulum__rebounds_from_a_wall", pendulum__rebounds_from_a_wall},
          {"blow__goes_through_hinge_and_armature", blow__goes_through_hinge_and_armature},
          {"blow__goes_through_gears", blow__goes_through_gears},
          {"blow__goes_through_loops", blow__goes_through_loops},
          {"blows_with_friction__give_no_energy", blows_with_friction__give_no_energy},
          {"cradle__goes_on_bit_for_bit", cradle__goes_on_bit_for_bit});
}
