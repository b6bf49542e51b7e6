// XPBD-R between contacts and at impacts: free rotation, bounces, landing.
#include "math/sym3.h"
#include "xpbdr_scenes.h"

#ifdef PBDR_HAVE_BENCH
#include "scene.h"
#endif

// --- Free rotation ---

// A body to throw: a block of 2 x 3 x 5 spheres, or the bunny.
typedef enum Thrown { thrownBlock, thrownBunny } Thrown;

static pbdrSphereSet bunny;
static char whyNot[PBDR_MESSAGE_LENGTH] = "this build has no benchmark to read the mesh with";

static void loadBunny(void)
{
#ifdef PBDR_HAVE_BENCH
    static BenchShapes shapes;
    BenchOptions options = benchDefaultOptions();
    const char* path = getenv("PBDR_BUNNY");
    options.meshPath = path != NULL ? path : PBDR_DATA_DIR "/bunny.stl";
    pbdrError error;
    if (benchPrepareMesh(&shapes, &options, &error) == pbdr_statusOk) {
        bunny = shapes.meshSpheres;
        whyNot[0] = 0;
    } else {
        snprintf(whyNot, sizeof whyNot, "%s", error.message);
    }
#endif
}

// Thrown without gravity, turning at 5 rad/s about its intermediate axis; tipped by a thousandth, so that it
// does turn over (Dzhanibekov) instead of balancing on rounding.
static pbdrBodyId throwBody(pbdrWorld* world, Thrown thrown)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId body;
    if (thrown == thrownBlock) {
        body = addBlock(world, 2, 3, 5, 0.02, 1.0, def);
    } else {
        def.particleCount = bunny.count;
        def.positions = bunny.positions;
        def.radii = bunny.radii;
        def.masses = bunny.masses;
        pbdrError error;
        require(pbdrCreateBody(world, &def, &body, &error), &error);
    }
    pbdrMat3 inertia = pbdrBody_GetRestInertia(world, body), axes;
    double moments[3];
    pbdrSymEigen(&inertia, moments, &axes);
    CHECK(moments[0] < 0.99 * moments[1] && moments[1] < 0.99 * moments[2]);
    pbdrVelocity velocity = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < 3; k++) {
        double part = k == 1 ? 5.0 : 5.0e-3;
        velocity.angular =
            pbdrAddScaled(velocity.angular, part, pbdrVec(axes.m[0][k], axes.m[1][k], axes.m[2][k]));
    }
    CHECK(pbdrBody_SetVelocity(world, body, velocity) == pbdr_statusOk);
    return body;
}

static double getSpinEnergy(const pbdrWorld* world, pbdrBodyId body)
{
    return 0.5 *
           pbdrDot(pbdrBody_GetMomentum(world, body).angular, pbdrBody_GetVelocity(world, body).angular);
}

// dE = 0 and dL = 0 (as a vector) without torque. The free flight is integrated by a method of fourth order:
// its error per step is some (w dt)^5 = 3e-12, of which conserved quantities see (w dt)^6 or so; 1e5 steps.
static void checkTumbling(Thrown thrown)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
    pbdrBodyId body = throwBody(world, thrown);
    double energy = getSpinEnergy(world, body), worstE = 0.0, worstL = 0.0, worstSize = 0.0, leastTurn = 1.0;
    pbdrVec3 spin = pbdrBody_GetMomentum(world, body).angular;
    pbdrVec3 axis = pbdrScale(0.2, pbdrBody_GetVelocity(world, body).angular); // in the body, as it starts
    for (int frame = 0; frame < (SLOW_BUILD ? 2000 : 10000); frame++) {
        CHECK_EQ(stepCounting(world, 10), 0);
        pbdrVec3 now = pbdrBody_GetMomentum(world, body).angular;
        worstE = fmax(worstE, fabs(getSpinEnergy(world, body) / energy - 1.0));
        worstL = fmax(worstL, distance(now, spin) / pbdrLength(spin));
        worstSize = fmax(worstSize, fabs(pbdrLength(now) / pbdrLength(spin) - 1.0));
        pbdrMat3 turn = pbdrMatFromQuat(pbdrBody_GetPose(world, body).rotation);
        leastTurn = fmin(leastTurn, pbdrDot(pbdrMulMV(&turn, axis), axis));
    }
    printf("    %s: energy within %.2g, |L| %.2g, L %.2g; turned over to %.2f\n",
           thrown == thrownBlock ? "block" : "bunny", worstE, worstSize, worstL, leastTurn);
    CHECK_LE(worstE, 5e-10);
    CHECK_LE(worstSize, 3e-10);
    CHECK_LE(worstL, 3e-10);
    CHECK_LE(leastTurn, -0.9); // it did
    pbdrDestroyWorld(world);
}

static void tumbling__keeps_energy_and_angular_momentum(void)
{
    checkTumbling(thrownBlock);
}

static void tumbling__of_the_bunny_keeps_energy_and_angular_momentum(void)
{
    if (whyNot[0] != 0) {
        SKIP(whyNot);
    }
    checkTumbling(thrownBunny);
}

// Rotation at `duration`, with a torque fixed in space or without.
static pbdrQuat flyFor(Thrown thrown, pbdrVec3 torque, double duration, double dt)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), dt);
    pbdrBodyId body = throwBody(world, thrown);
    pbdrBody_SetTorque(world, body, torque);
    CHECK_EQ(pbdrWorld_Step(world, (int)(duration / dt + 0.5)), 0);
    pbdrQuat q = pbdrBody_GetPose(world, body).rotation;
    pbdrDestroyWorld(world);
    return q;
}

// A method of order p divides the error by 2^p when dt is halved: 4 at second order. 3.5 leaves room for the
// next term. The reference at 1/16 ms has 1/256 of the finest error, or less.
static double getOrderRatio(Thrown thrown, pbdrVec3 torque, double duration)
{
    pbdrQuat reference = flyFor(thrown, torque, duration, 6.25e-5);
    double errors[3];
    for (int k = 0; k < 3; k++) {
        errors[k] = angleBetween(flyFor(thrown, torque, duration, 4e-3 / (1 << k)), reference);
    }
    printf("    %s, torque %g N m, %g s: %.3g, %.3g, %.3g rad at 4, 2, 1 ms: orders %.2f, %.2f\n",
           thrown == thrownBlock ? "block" : "bunny", pbdrLength(torque), duration, errors[0], errors[1],
           errors[2], log2(errors[0] / errors[1]), log2(errors[1] / errors[2]));
    return fmin(errors[0] / errors[1], errors[1] / errors[2]);
}

static void orientation__converges_at_second_order_or_better(void)
{
    CHECK_GE(getOrderRatio(thrownBlock, pbdrVec(0.0, 0.0, 0.0), 4.0), 3.5);
}

// With a torque too: w' = I^-1 (tau + (I w) x w). Half of the torque's kick before the free rotation
// and half, with the new inertia, after it (Strang's splitting) gives 4.01; all of it after, 2.04.
static void orientation__under_a_torque_converges_at_second_order(void)
{
    CHECK_GE(getOrderRatio(thrownBlock, pbdrVec(1e-3, 2e-3, -1e-3), 1.0), 3.5);
}

static void orientation__of_the_bunny_converges_at_second_order_or_better(void)
{
    if (whyNot[0] != 0) {
        SKIP(whyNot);
    }
    CHECK_GE(getOrderRatio(thrownBunny, pbdrVec(0.0, 0.0, 0.0), 4.0), 3.5);
}

// --- Fall and bounce ---

// z = z0 + v t - g t^2/2 at every dt: the mean of old and new velocity is exact under a constant force.
static void fall__is_exact_at_any_step(void)
{
    for (int k = 0; k < 3; k++) {
        double dt = 1e-3 * (1 << (2 * k));
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), dt);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.velocity.linear = pbdrVec(1.0, 0.0, 3.0);
        pbdrBodyId ball = addBlock(world, 3, 3, 3, 0.1, 1.0, def);
        int count = (int)(0.8 / dt + 0.5);
        CHECK_EQ(pbdrWorld_Step(world, count), 0);
        double t = count * dt; // rounding: count additions at 1 m
        CHECK_NEAR(pbdrBody_GetPose(world, ball).position.z, 3.0 * t - 0.5 * GRAVITY * t * t,
                   count * 2.3e-16);
        CHECK_NEAR(pbdrBody_GetPose(world, ball).position.x, t, count * 2.3e-16);
        pbdrDestroyWorld(world);
    }
}

// A sphere dropped from h = 1 m: the k-th apex is e^(2k) h. Energy is the position's, so the time of impact
// within the substep counts: without it an apex is off by up to v dt = 4.4 mm. Apexes are read at whole
// substeps: g dt^2/8 = 1e-6 m low at most.
static void bounce__reaches_e_squared_of_the_height(void)
{
    const double restitutions[] = {0.0, 0.5, 0.9, 1.0};
    for (int k = 0; k < 8; k++) {
        double e = restitutions[k % 4], h = 1.0, dt = k < 4 ? 1e-3 : 7e-4; // other phases of the impact
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), dt);
        addGround(world, 0.4);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.0, 0.0, 0.1 + h);
        def.restitution = e;
        pbdrBodyId ball = addBlock(world, 1, 1, 1, 0.1, 1.0, def);
        double apex[4] = {0.0}, lowest = 0.0, last = 0.0;
        int bounces = 0, unconverged = 0;
        for (int step = 0; step < (int)(4.0 / dt) && bounces < 4; step++) {
            unconverged += stepCounting(world, 1);
            double height = pbdrBody_GetPose(world, ball).position.z - 0.1;
            double speed = pbdrBody_GetVelocity(world, ball).linear.z;
            bounces += last < -1e-9 && speed > -1e-9;
            apex[bounces < 4 ? bounces : 3] = fmax(apex[bounces < 4 ? bounces : 3], height);
            lowest = fmin(lowest, height);
            last = speed;
        }
        CHECK_EQ(unconverged, 0);
        printf("    e %.1f, dt %g s: apexes %.6f %.6f %.6f m, lowest %.2g m\n", e, dt, apex[1], apex[2],
               apex[3], lowest);
        for (int n = 1; n <= 3; n++) {
            double expected = h * pow(e, 2.0 * n);
            CHECK_NEAR(apex[n], expected, e > 0.0 ? 5e-3 * expected : 1e-9);
        }
        CHECK_GE(lowest, -1e-8); // an impact does not drive it in
        pbdrDestroyWorld(world);
    }
}

// A ball that leaves the ground, pulled upwards on top, does not meet it again: v = v0 + a t. The root of
// gap + fall t + a t^2/2 = 0 that lies in the past is no impact.
static void bounce__is_not_repeated_by_what_leaves(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addGround(world, 0.0);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, 0.101);
    def.velocity.linear = pbdrVec(0.0, 0.0, 1.0);
    def.restitution = 0.5;
    pbdrBodyId ball = addBlock(world, 1, 1, 1, 0.1, 1.0, def);
    pbdrBody_SetForce(world, ball, pbdrVec(0.0, 0.0, 2.0 * GRAVITY));
    CHECK_EQ(stepCounting(world, 50), 0);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.z, 1.0 + GRAVITY * 0.05, 1e-13);
    pbdrDestroyWorld(world);
}

// --- Landing ---

// A box dropped flat, on an edge, on a corner, and thrown: it ends at rest, without jitter, on the ground.
static void box__lands_and_rests_without_jitter(void)
{
    const struct {
        double height, tilt; // of the lowest point [m], [rad]
        pbdrVec3 axis, velocity, spin;
    } cases[] = {
        {0.01, 0.0, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}},
        {0.3, 0.0, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}},
        {0.01, 0.1745, {0, 1, 0}, {0, 0, 0}, {0, 0, 0}},
        {0.1, 0.6, {0.7, 1, 0.2}, {0.5, 0.2, 0}, {1, 2, 3}},
    };
    for (int k = 0; k < 4; k++) {
        pbdrWorld* world = makeConvergedOnGround(0.4);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.rotation = turnAbout(cases[k].axis, cases[k].tilt);
        def.velocity = (pbdrVelocity){cases[k].velocity, cases[k].spin};
        def.position = pbdrVec(0.0, 0.0, 1.0);
        pbdrBodyId box = addBlock(world, 4, 4, 4, 0.025, 4.0, def);
        pbdrVec3 spheres[64];
        double lowest = 1.0;
        CHECK_EQ(pbdrBody_GetPositions(world, box, spheres, 64), 64);
        for (int i = 0; i < 64; i++) {
            lowest = fmin(lowest, spheres[i].z - 0.025);
        }
        def.position.z += cases[k].height - lowest;
        CHECK(pbdrBody_SetPose(world, box, (pbdrPose){def.position, def.rotation}) == pbdr_statusOk);
        CHECK_EQ(stepCounting(world, 3000), 0);
        double speed = 0.0;
        for (int step = 0; step < 500; step++) {
            CHECK_EQ(stepCounting(world, 1), 0);
            speed = fmax(speed, getTopSpeed(world, box));
        }
        double height = pbdrBody_GetPose(world, box).position.z;
        printf("    dropped from %.2f m, tilted by %.2f: %.2g m/s, %.2g m deep\n", cases[k].height,
               cases[k].tilt, speed, 0.1 - height);
        CHECK_LE(speed, 1e-12);
        CHECK_NEAR(height, 0.1, 1e-11);
        pbdrDestroyWorld(world);
    }
}

// Drops a box and watches its energy. rise: the largest in a substep [J]; climb: the largest above any
// earlier value [J]; top: its largest angular velocity [rad/s].
typedef struct Drop {
    double rise, climb, top;
} Drop;

static Drop dropBox(double mu, pbdrQuat rotation, double height)
{
    pbdrWorld* world = makeConvergedOnGround(mu);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.friction = mu;
    def.rotation = rotation;
    pbdrMat3 turn = pbdrMatFromQuat(rotation);
    // of the lowest of the corners' spheres
    double reach = 0.075 * (fabs(turn.m[2][0]) + fabs(turn.m[2][1]) + fabs(turn.m[2][2])) + 0.025;
    def.position = pbdrVec(0.0, 0.0, reach + height);
    pbdrBodyId box = addBlock(world, 4, 4, 4, 0.025, 4.0, def);
    double energy = getEnergy(world, box), least = energy;
    Drop drop = {0.0, 0.0, 0.0};
    int unconverged = 0;
    for (int step = 0; step < 2000; step++) {
        unconverged += stepCounting(world, 1);
        double now = getEnergy(world, box);
        drop.rise = fmax(drop.rise, now - energy);
        drop.climb = fmax(drop.climb, now - least);
        drop.top = fmax(drop.top, pbdrLength(pbdrBody_GetVelocity(world, box).angular));
        energy = now;
        least = fmin(least, now);
    }
    CHECK_EQ(unconverged, 0);
    pbdrDestroyWorld(world);
    return drop;
}

// Contact without restitution takes energy away or leaves it. Dropped from 1 cm, tilted by 10 degrees, it
// rises by no more than 2e-6 J per substep (CONTACT.md).
static void tilted_box__hardly_gains_energy(void)
{
    for (int k = 0; k < 4; k++) {
        Drop drop = dropBox(0.4, turnAbout(pbdrVec(0.3 * k, 1.0, 0.0), acos(-1.0) / 18.0), 0.01);
        printf("    tilted by 10 deg about (%.1f, 1, 0): rises by %.2g J a substep, climbs by %.2g J\n",
               0.3 * k, drop.rise, drop.climb);
        CHECK_LE(drop.rise, 2e-6);
    }
}

// In general a contact that the body pivots about moves by r w^2 dt^2/2 off the tangent within a substep, and
// the force on it, of the order of the weight, does that work: M g r w^2 dt^2/2, twice for the next substep
// that takes it back.
static void thrown_box__gains_no_more_energy_than_pivoting_costs(void)
{
    uint64_t seed = 5;
    double worst = 0.0, share = 0.0, climb = 0.0;
    for (int k = 0; k < (SLOW_BUILD ? 8 : 40); k++) {
        Drop drop = dropBox(0.03 * k, drawRotation(&seed), 0.05);
        double bound = 4.0 * GRAVITY * 0.1 * sqrt(3.0) * drop.top * drop.top * 1e-6;
        worst = fmax(worst, drop.rise);
        share = fmax(share, drop.rise / bound);
        climb = fmax(climb, drop.climb);
    }
    printf("    rises by %.2g J a substep at most, %.2g of the bound; climbs by %.2g J\n", worst, share,
           climb);
    CHECK_LE(share, 1.0);
}

int main(int argc, char** argv)
{
    loadBunny();
    CASES(argc, argv,
          {"tumbling__keeps_energy_and_angular_momentum", tumbling__keeps_energy_and_angular_momentum},
          {"tumbling__of_the_bunny_keeps_energy_and_angular_momentum",
           tumbling__of_the_bunny_keeps_energy_and_angular_momentum},
          {"orientation__converges_at_second_order_or_better",
           orientation__converges_at_second_order_or_better},
          {"orientation__under_a_torque_converges_at_second_order",
           orientation__under_a_torque_converges_at_second_order},
          {"orientation__of_the_bunny_converges_at_second_order_or_better",
           orientation__of_the_bunny_converges_at_second_order_or_better},
          {"fall__is_exact_at_any_step", fall__is_exact_at_any_step},
          {"bounce__reaches_e_squared_of_the_height", bounce__reaches_e_squared_of_the_height},
          {"bounce__is_not_repeated_by_what_leaves", bounce__is_not_repeated_by_what_leaves},
          {"box__lands_and_rests_without_jitter", box__lands_and_rests_without_jitter},
          {"tilted_box__hardly_gains_energy", tilted_box__hardly_gains_energy},
          {"thrown_box__gains_no_more_energy_than_pivoting_costs",
           thrown_box__gains_no_more_energy_than_pivoting_costs});
}
