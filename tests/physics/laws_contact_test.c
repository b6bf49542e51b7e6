// Laws of contact that shapes bring with them: what lies on two points stays, a rim stands on its lowest point,
// spin is stopped at the rate that the closed form says, and what turns fast does not turn through others.
#include "physics/laws.h"

static pbdrBodyId addShaped(pbdrWorld* world, pbdrShape* shape, pbdrBodyDef def)
{
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

static pbdrShape* makeBoxShape(double x, double y, double z)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(x, y, z), 2.0, 1, &shape, &error), &error);
    return shape;
}

// A static slab of 1 m by 1 m, its top at z = 0.
static pbdrBodyId addSlab(pbdrWorld* world, double friction)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyStatic;
    def.position = pbdrVec(0.0, 0.0, -0.1);
    def.friction = friction;
    return addShaped(world, makeBoxShape(1.0, 1.0, 0.2), def);
}

// A capsule that lies on a slab bears on both ends, half its weight each, and stays.
static void capsule__lies_on_both_ends(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addSlab(world, 0.4);
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateCapsuleShape(0.05, 0.3, 2.0, &shape, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.03, 0.02, 0.05);
    def.rotation = turnAbout(pbdrVec(1.0, 0.2, 0.0), 0.5 * 3.14159265358979323846);
    pbdrBodyId capsule = addShaped(world, shape, def);
    CHECK_EQ(stepCounting(world, 200), 0);
    pbdrPose pose = pbdrBody_GetPose(world, capsule);
    CHECK_LE(distance(pose.position, def.position), 1e-11);
    CHECK_LE(angleBetween(pose.rotation, def.rotation), 1e-13);
    pbdrContact contacts[8];
    CHECK_EQ(pbdrWorld_GetContacts(world, contacts, 8), 2);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(fabs(contacts[k].force.z), 0.5 * 2.0 * GRAVITY, 1e-10);
    }
    CHECK_NEAR(distance(contacts[0].point, contacts[1].point), 0.3, 1e-13);
    pbdrDestroyWorld(world);
}

// Where z of a body points.
static pbdrVec3 getAxis(pbdrQuat q)
{
    return pbdrVec(2.0 * (q.x * q.z + q.w * q.y), 2.0 * (q.y * q.z - q.w * q.x),
                   1.0 - 2.0 * (q.x * q.x + q.y * q.y));
}

// How deep the ends of a capsule are in the ground.
static double getDepth(pbdrWorld* world, pbdrBodyId capsule, double radius, double halfLength)
{
    const pbdrPose pose = pbdrBody_GetPose(world, capsule);
    const double up = getAxis(pose.rotation).z * halfLength;
    return radius + fabs(up) - pose.position.z;
}

// Capsules that tumble, and turn fast about their axes, come down on the ground: neither end goes into it. What a turn
// about its axis takes along is no end of a capsule, so one that rolls on is searched once and no more.
static void capsule__that_rolls_is_found_in_time_and_seldom(void)
{
    uint64_t seed = 11;
    double deepest = 0.0;
    pbdrShape* shape;
    pbdrError error;
    for (int k = 0; k < 20; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        addGround(world, 0.3);
        require(pbdrCreateCapsuleShape(0.05, 0.6, 2.0, &shape, &error), &error);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.0, 0.0, 0.5);
        def.rotation = drawRotation(&seed);
        def.velocity.angular = pbdrAddScaled(pbdrVec(3.0, 5.0, -4.0), 60.0, getAxis(def.rotation));
        const pbdrBodyId capsule = addShaped(world, shape, def);
        for (int step = 0; step < 1000; step++) {
            CHECK_EQ(stepCounting(world, 1), 0);
            deepest = fmax(deepest, getDepth(world, capsule, 0.05, 0.3));
        }
        pbdrDestroyWorld(world);
    }
    printf("    tumbling capsules go %.2g m deep\n", deepest);
    CHECK_LE(deepest, 1e-4); // gaps are predicted along tangents: r (w dt)^2/2 at 20 rad/s

    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addGround(world, 0.3);
    require(pbdrCreateCapsuleShape(0.05, 0.6, 2.0, &shape, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, 0.05);
    def.rotation = turnAbout(pbdrVec(1.0, 0.0, 0.0), 0.5 * 3.14159265358979323846); // its axis along -y
    def.velocity = (pbdrVelocity){pbdrVec(1.0, 0.0, 0.0), pbdrVec(0.0, 20.0, 0.0)};
    const pbdrBodyId capsule = addShaped(world, shape, def);
    pbdrWorld_Step(world, 10);
    pbdrWorld_SetProfiling(world, true);
    CHECK_EQ(stepCounting(world, 500), 0);
    pbdrProfile profile;
    pbdrWorld_GetProfile(world, &profile);
    printf("    one that rolls is searched %g times in 500 substeps, in which it goes %g m\n",
           (double)profile.searchCount, pbdrBody_GetPose(world, capsule).position.x);
    CHECK_NEAR(pbdrBody_GetPose(world, capsule).position.x, 0.51, 1e-9);
    CHECK_LE((double)profile.searchCount, 3);
    pbdrDestroyWorld(world);
}

// A tilted cylinder is let go with its rim on the ground: it tips over, and the rim's lowest point neither
// sinks in nor leaves the ground until it lies.
static void rim__stands_on_its_lowest_point(void)
{
    const double radius = 0.05, half = 0.1;
    for (int k = 0; k < 3; k++) {
        const double tilt = 0.6 + 0.2 * k; // from upright; balanced at atan(0.05/0.1) = 0.46
        pbdrWorld* world = makeConvergedOnGround(0.8);
        pbdrShape* shape;
        pbdrError error;
        require(pbdrCreateCylinderShape(radius, 2.0 * half, 1.0, 2, &shape, &error), &error);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.rotation = turnAbout(pbdrVec(0.3, 1.0, 0.0), tilt);
        def.position = pbdrVec(0.0, 0.0, half * cos(tilt) + radius * sin(tilt));
        pbdrBodyId cylinder = addShaped(world, shape, def);
        double lowest = 0.0, highest = 0.0;
        for (int i = 0; i < 120; i++) {
            pbdrWorld_Step(world, 1);
            pbdrPose pose = pbdrBody_GetPose(world, cylinder);
            const pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
            const double cosine = turn.m[2][2], sine = sqrt(1.0 - cosine * cosine);
            const double height = pose.position.z - half * fabs(cosine) - radius * sine;
            lowest = fmin(lowest, height);
            highest = fmax(highest, height);
        }
        CHECK_GE(lowest, -5e-6);
        CHECK_LE(highest, 5e-6);
        CHECK_LE(pbdrBody_GetPose(world, cylinder).position.z, def.position.z - 1e-3); // it does tip
        pbdrDestroyWorld(world);
    }
}

// An upright cylinder spins without sliding friction: dw/dt = -mu_s m g / I, on a plane and on a slab. The
// coefficient of rolling is another and does nothing.
static void spin__is_stopped_by_spinning_friction(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        const double spin = 0.002, roll = 0.03, radius = 0.1, mass = 2.0, w = 20.0;
        pbdrError error;
        if (k == 0) {
            pbdrPlaneDef plane = pbdrDefaultPlaneDef();
            plane.friction = 0.0;
            plane.rollingFriction = roll;
            plane.spinningFriction = spin;
            require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
        } else {
            pbdrBodyDef slab = pbdrDefaultBodyDef();
            slab.kind = pbdr_bodyStatic;
            slab.position = pbdrVec(0.0, 0.0, -0.1);
            slab.friction = 0.0;
            slab.rollingFriction = roll;
            slab.spinningFriction = spin;
            addShaped(world, makeBoxShape(1.0, 1.0, 0.2), slab);
        }
        pbdrShape* shape;
        require(pbdrCreateCylinderShape(radius, 0.1, mass, 2, &shape, &error), &error);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.0, 0.0, 0.05);
        def.velocity.angular = pbdrVec(0.0, 0.0, w);
        def.friction = 0.0;
        def.rollingFriction = roll;
        def.spinningFriction = spin;
        pbdrBodyId cylinder = addShaped(world, shape, def);
        CHECK_EQ(stepCounting(world, 200), 0);
        const double left = w - 0.2 * spin * mass * GRAVITY / (0.5 * mass * radius * radius);
        CHECK_NEAR(pbdrBody_GetVelocity(world, cylinder).angular.z, left, 1e-11);
        pbdrDestroyWorld(world);
    }
}

// Two balls of bare spheres meet off centre, with friction: their forces act at one point, so that P and L
// about any point are kept, and both spin afterwards.
static void balls__keep_their_momentum(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
    pbdrBodyId balls[2] = {
        addBall(world, 0.1, 1.0, 0.5, pbdrVec(0.0, 0.0, 0.0), pbdrVec(2.0, 0.0, 0.0)),
        addBall(world, 0.05, 0.5, 0.5, pbdrVec(0.2, 0.08, 0.03), pbdrVec(-1.0, 0.0, 0.5)),
    };
    pbdrMomentum before = totalMomentum(world, balls, 2);
    double largest = 0.0;
    pbdrMomentum after = before;
    for (int i = 0; i < 100; i++) {
        pbdrWorld_Step(world, 1);
        after = totalMomentum(world, balls, 2);
        // the spin of a ball of one sphere, which has no inertia as a point mass: 2/5 m r^2 w
        pbdrVec3 first = pbdrBody_GetVelocity(world, balls[0]).angular;
        pbdrVec3 second = pbdrBody_GetVelocity(world, balls[1]).angular;
        after.angular = pbdrAddScaled(after.angular, 0.4 * 1.0 * 0.01, first);
        after.angular = pbdrAddScaled(after.angular, 0.4 * 0.5 * 0.0025, second);
        largest = fmax(largest, fmin(pbdrLength(first), pbdrLength(second)));
    }
    CHECK_GE(largest, 1.0);
    CHECK_LE(distance(after.linear, before.linear), 1e-12);
    // forces act where the spheres touch at the start of the substep, which moves 3 mm: L is kept to 6e-5
    CHECK_LE(distance(after.angular, before.angular), 2e-4);
    pbdrDestroyWorld(world);
}

// A blade of 0.5 m turns by 0.3 rad a substep; a post of 2 cm stands in its way: it does not turn past it.
static void blade__does_not_turn_through_a_post(void)
{
    for (int k = 0; k < 4; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        const double angle = 0.5 + 0.1 * k; // of the post
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyStatic;
        const pbdrVec3 post = {0.2 * cos(angle), 0.2 * sin(angle), 0.0};
        def.position = post;
        addShaped(world, makeBoxShape(0.02, 0.02, 0.1), def);
        def = pbdrDefaultBodyDef();
        def.velocity.angular = pbdrVec(0.0, 0.0, 300.0);
        pbdrBodyId blade = addShaped(world, makeBoxShape(0.5, 0.02, 0.02), def);
        for (int i = 0; i < 3; i++) { // 0.9 rad, without the post
            pbdrWorld_Step(world, 1);
            const pbdrPose pose = pbdrBody_GetPose(world, blade);
            const pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
            // the post's middle is still ahead of the blade's
            CHECK_GE(pbdrMulTransposedMV(&turn, pbdrSub(post, pose.position)).y, 0.0);
        }
        CHECK_LE(pbdrBody_GetVelocity(world, blade).angular.z, 200.0);
        pbdrDestroyWorld(world);
    }
}

// Two spheres on a rod, tilted, come down within one substep but not at once, and bounce: neither is driven
// into the ground by what the other's impact does.
static void bounce__begins_at_the_first_impact(void)
{
    for (int k = 0; k < 8; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrPlaneDef plane = pbdrDefaultPlaneDef();
        plane.friction = 0.0;
        plane.restitution = 1.0;
        pbdrError error;
        require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
        const double fall = 5.0, tilt = 0.002 + 0.0004 * k, radius = 0.05; // a substep's way: 5 mm
        const pbdrVec3 positions[2] = {{-0.2, 0.0, 0.0}, {0.2, 0.0, tilt}};
        const double radii[2] = {radius, radius}, masses[2] = {1.0, 1.0};
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.particleCount = 2;
        def.positions = positions;
        def.radii = radii;
        def.masses = masses;
        def.position = pbdrVec(0.0, 0.0, radius + 0.0205 + 0.5 * tilt);
        def.velocity.linear = pbdrVec(0.0, 0.0, -fall);
        pbdrBodyId rod = addBody(world, &def);
        double lowest = 0.0;
        for (int i = 0; i < 10; i++) {
            pbdrWorld_Step(world, 1);
            pbdrVec3 centres[2];
            CHECK_EQ(pbdrBody_GetPositions(world, rod, centres, 2), 2);
            lowest = fmin(lowest, fmin(centres[0].z, centres[1].z) - radius);
        }
        CHECK_GE(lowest, -1e-4);
        CHECK_GE(pbdrBody_GetVelocity(world, rod).linear.z, 4.0);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"capsule__lies_on_both_ends", capsule__lies_on_both_ends},
        {"capsule__that_rolls_is_found_in_time_and_seldom", capsule__that_rolls_is_found_in_time_and_seldom},
        {"rim__stands_on_its_lowest_point", rim__stands_on_its_lowest_point},
        {"spin__is_stopped_by_spinning_friction", spin__is_stopped_by_spinning_friction},
        {"balls__keep_their_momentum", balls__keep_their_momentum},
        {"blade__does_not_turn_through_a_post", blade__does_not_turn_through_a_post},
        {"bounce__begins_at_the_first_impact", bounce__begins_at_the_first_impact});
}
