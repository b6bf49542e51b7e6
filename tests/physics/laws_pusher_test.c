// Laws of bodies that are driven (pbdr_bodyKinematic), and of what they carry.
#include "physics/laws.h"

static pbdrBodyDef defineDriven(pbdrVec3 position, double friction)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyKinematic;
    def.position = position;
    def.friction = friction;
    return def;
}

// A driven body keeps its angular velocity, which is about the world's axes: after t its rotation is exp(w t)
// times the first, whatever that was.
static void pusher__turns_about_the_worlds_axes(void)
{
    const pbdrQuat first = turnAbout(pbdrVec(1.0, 0.0, 0.0), 1.2);
    const pbdrVec3 spins[2] = {{0.0, 0.7, 1.5}, {0.01, 0.0, -0.06}};
    for (int k = 0; k < 2 * LAW_WORLD_COUNT; k++) {
        const pbdrVec3 w = spins[k / LAW_WORLD_COUNT];
        pbdrWorld* world = makeLawWorld(k % LAW_WORLD_COUNT, pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        pbdrBodyDef def = defineDriven(pbdrVec(0.0, 0.0, 1.0), 0.5);
        def.rotation = first;
        def.velocity.angular = w;
        pbdrBodyId body = addBlock(world, 3, 2, 1, 0.05, 2.0, def);
        pbdrWorld_Step(world, 1000);
        pbdrQuat wanted = pbdrMulQQ(turnAbout(w, pbdrLength(w)), first);
        CHECK_LE(angleBetween(pbdrBody_GetPose(world, body).rotation, wanted), 1e-13);
        CHECK_LE(pbdrLength(pbdrSub(pbdrBody_GetVelocity(world, body).angular, w)), 1e-12);
        pbdrDestroyWorld(world);
    }
}

// Force and torque speed a driven body up by f/m and I^-1 tau, with semi-implicit Euler: x = a t (t + dt)/2.
static void pusher__speeds_up_by_its_force_and_torque(void)
{
    for (int k = 0; k < LAW_WORLD_COUNT; k++) {
        pbdrWorld* world = makeLawWorld(k, pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        pbdrBodyId body = addBlock(world, 3, 3, 1, 0.05, 2.0, defineDriven(pbdrVec(0.0, 0.0, 1.0), 0.5));
        pbdrBody_SetForce(world, body, pbdrVec(3.0, 0.0, -1.0));
        double inertia = pbdrBody_GetRestInertia(world, body).m[2][2];
        pbdrBody_SetTorque(world, body, pbdrVec(0.0, 0.0, 0.5 * inertia));
        pbdrWorld_Step(world, 1000);
        pbdrPose pose = pbdrBody_GetPose(world, body);
        CHECK_NEAR(pose.position.x, 1.5 * 0.5 * 1.001, 1e-11);
        CHECK_NEAR(pose.position.z, 1.0 - 0.5 * 0.5 * 1.001, 1e-11);
        CHECK_NEAR(2.0 * atan2(pose.rotation.z, pose.rotation.w), 0.5 * 0.5 * 1.001, 1e-11);
        pbdrDestroyWorld(world);
    }
}

// --- What rides on a driven body (XPBD-R) ---

// A box of 0.2 m on a driven plate of 2 m: both at rest, the plate's top at z = 0. Single layers, so that the
// plate is flat at the box's spheres: each stands above one of the plate's.
typedef struct Ride {
    pbdrWorld* world;
    pbdrBodyId plate, box;
} Ride;

static Ride makeRide(double friction, pbdrVec3 boxAt)
{
    Ride ride = {.world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3)};
    ride.plate =
        addBlock(ride.world, 21, 21, 1, 0.05, 10.0, defineDriven(pbdrVec(0.0, 0.0, -0.05), friction));
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrAdd(boxAt, pbdrVec(0.0, 0.0, 0.05));
    def.friction = friction;
    ride.box = addBlock(ride.world, 3, 3, 1, 0.05, 2.0, def);
    return ride;
}

// Where the box is as seen from the plate, and its turn.
static pbdrPose getRelative(const Ride* ride)
{
    pbdrPose plate = pbdrBody_GetPose(ride->world, ride->plate),
             box = pbdrBody_GetPose(ride->world, ride->box);
    pbdrMat3 turn = pbdrMatFromQuat(plate.rotation);
    return (pbdrPose){pbdrMulTransposedMV(&turn, pbdrSub(box.position, plate.position)),
                      pbdrMulQQ(pbdrConjugate(plate.rotation), box.rotation)};
}

static void checkKeepsUp(const Ride* ride, double tolerance)
{
    CHECK_EQ(stepCounting(ride->world, 100), 0);
    pbdrPose before = getRelative(ride);
    CHECK_EQ(stepCounting(ride->world, 900), 0);
    pbdrPose after = getRelative(ride);
    CHECK_LE(pbdrLength(pbdrSub(after.position, before.position)), tolerance);
    CHECK_LE(angleBetween(after.rotation, before.rotation), tolerance);
    pbdrDestroyWorld(ride->world);
}

// What sticks to a plate that speeds up keeps its place on it: a lag of one substep would be a dt t = 2 mm.
static void rider__keeps_up_with_a_plate_that_speeds_up(void)
{
    Ride ride = makeRide(0.8, pbdrVec(0.2, 0.1, 0.0));
    pbdrBody_SetForce(ride.world, ride.plate, pbdrVec(20.0, 0.0, 0.0));
    checkKeepsUp(&ride, 1e-12);
}

// The same for a plate that spins up: alpha = 2 rad/s^2, the box at its middle.
static void rider__keeps_up_with_a_plate_that_spins_up(void)
{
    Ride ride = makeRide(0.8, pbdrVec(0.0, 0.0, 0.0));
    double inertia = pbdrBody_GetRestInertia(ride.world, ride.plate).m[2][2];
    pbdrBody_SetTorque(ride.world, ride.plate, pbdrVec(0.0, 0.0, 2.0 * inertia));
    checkKeepsUp(&ride, 1e-8);
}

// A plate that lifts with 5 m/s^2: the contact bears m (g + a), and no gap opens.
static void rider__bears_the_lift(void)
{
    Ride ride = makeRide(0.5, pbdrVec(0.0, 0.0, 0.0));
    pbdrBody_SetForce(ride.world, ride.plate, pbdrVec(0.0, 0.0, 50.0));
    CHECK_EQ(stepCounting(ride.world, 200), 0);
    CHECK_NEAR(sumForces(ride.world, ride.box).z, 2.0 * (GRAVITY + 5.0),
               2e-10); // rounding of k dt v, at 1 m/s
    checkKeepsUp(&ride, 1e-12);
}

// A plate that tilts slowly about y, by 0.2 rad/s: the box sticks while tan(theta) < mu and slides from there
// on. Friction carried from substep to substep stays in the plane of contact as that turns; if it did not,
// the friction that is left for sticking would be off by mg (1 - cos theta), 7 % here.
static void rider__slips_at_the_angle_of_friction(void)
{
    const double mu = 0.4, rate = 0.2;
    Ride ride = makeRide(mu, pbdrVec(0.0, 0.0, 0.0));
    pbdrBody_SetVelocity(ride.world, ride.plate, (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, rate, 0.0}});
    int unconverged = stepCounting(ride.world, 20); // the jerk at the start moves it by some 0.01 mm
    pbdrPose before = getRelative(&ride);
    double slipsAt = -1.0, steepest = 0.0;
    for (int k = 21; k <= 2500 && slipsAt < 0.0; k++) {
        unconverged += stepCounting(ride.world, 1);
        pbdrMat3 turn = pbdrMatFromQuat(pbdrBody_GetPose(ride.world, ride.plate).rotation);
        pbdrVec3 force = pbdrMulTransposedMV(&turn, sumForces(ride.world, ride.box));
        steepest = fmax(steepest, hypot(force.x, force.y) / force.z);
        double way = pbdrLength(pbdrSub(getRelative(&ride).position, before.position));
        slipsAt = way > 1e-5 ? rate * 1e-3 * k : -1.0;
    }
    CHECK_EQ(unconverged, 0);
    CHECK_NEAR(steepest, mu, 1e-3);             // the plate turns by 2e-4 rad a substep
    CHECK_NEAR(slipsAt - 6e-3, atan(mu), 3e-3); // 10 um at g (1 + mu^2) cos(theta) rate t^3/6 take 30 ms
    pbdrDestroyWorld(ride.world);
}

// A driven box of 0.1 by 0.2 by 0.3 m stands turned by a right angle about z: a torque about the world's x
// speeds it up by T over the moment that lies along x now.
static void pusher__torque_is_about_the_worlds_axes(void)
{
    for (int kind = 0; kind < LAW_WORLD_COUNT; kind++) {
        pbdrWorld* world = makeLawWorld(kind, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyIntegrateOnly;
        def.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), 0.5 * 3.14159265358979323846);
        pbdrBodyId box = addBlock(world, 2, 4, 6, 0.025, 3.0, def);
        pbdrMat3 rest = pbdrBody_GetRestInertia(world, box);
        CHECK_GE(fabs(rest.m[0][0] - rest.m[1][1]), 1e-3);
        CHECK_EQ(pbdrBody_SetTorque(world, box, pbdrVec(0.3, 0.0, 0.0)), pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 1), 0);
        pbdrVec3 w = pbdrBody_GetVelocity(world, box).angular;
        CHECK_LE(distance(w, pbdrVec(1e-3 * 0.3 / rest.m[1][1], 0.0, 0.0)), 1e-12);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"pusher__turns_about_the_worlds_axes", pusher__turns_about_the_worlds_axes},
          {"pusher__speeds_up_by_its_force_and_torque", pusher__speeds_up_by_its_force_and_torque},
          {"rider__keeps_up_with_a_plate_that_speeds_up", rider__keeps_up_with_a_plate_that_speeds_up},
          {"rider__keeps_up_with_a_plate_that_spins_up", rider__keeps_up_with_a_plate_that_spins_up},
          {"rider__bears_the_lift", rider__bears_the_lift},
          {"rider__slips_at_the_angle_of_friction", rider__slips_at_the_angle_of_friction},
          {"pusher__torque_is_about_the_worlds_axes", pusher__torque_is_about_the_worlds_axes});
}
