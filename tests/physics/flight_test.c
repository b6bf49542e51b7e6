// Laws of free bodies: integration, momentum, the shapes that make shape matching hard.
#include "inside.h"
#include "math/vec.h"
#include "scenes.h"

// A lopsided body without symmetry: eleven spheres of different masses.
static pbdrBodyId addLump(pbdrWorld* world, pbdrVelocity velocity)
{
    const pbdrVec3 positions[] = {{0, 0, 0},        {0.05, 0, 0},    {0.1, 0.01, 0},    {0, 0.06, 0},
                                  {0, 0, 0.04},     {0.03, 0.05, 0}, {0.07, 0, 0.08},   {-0.02, 0.02, 0.05},
                                  {0.02, -0.04, 0}, {0, 0.03, 0.09}, {0.06, 0.06, 0.06}};
    double radii[11], masses[11];
    for (int i = 0; i < 11; i++) {
        radii[i] = 0.02;
        masses[i] = 0.1 + 0.03 * i;
    }
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 11;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    def.velocity = velocity;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
    return id;
}

static pbdrWorld* makeSpace(pbdrPrecision precision, double dt)
{
    pbdrWorldDef def = makePbdRDef();
    def.gravity = pbdrVec(0.0, 0.0, 0.0);
    def.precision = precision;
    def.timeStep = dt;
    return makeWorld(def);
}

// Semi-implicit Euler: z = z0 + v t - g t (t + dt)/2, v = v0 - g t, exactly but for rounding: k additions of
// an ulp each.
static void fall__follows_semi_implicit_euler(void)
{
    for (int k = 0; k < 4; k++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.precision = (pbdrPrecision)(k % 2);
        def.solver = (pbdrSolver)(k / 2);
        pbdrWorld* world = makeWorld(def);
        pbdrBodyId body = addLump(world, (pbdrVelocity){{1.0, 0.0, 3.0}, {0.0, 0.0, 0.0}});
        pbdrWorld_Step(world, 1000);
        pbdrPose pose = pbdrBody_GetPose(world, body);
        pbdrVelocity v = pbdrBody_GetVelocity(world, body);
        // 1e4 iterations; PBD remakes v from positions in each: ulp(1)/dt of noise in v, times t in x
        double ulp = k % 2 == 1 ? 2.3e-16 : 1.2e-7;
        double tolerance = ulp * (k / 2 == 1 ? 2e3 : 1e5);
        CHECK_NEAR(pose.position.z, 3.0 - 0.5 * 9.81 * (1.0 + 1e-3), tolerance);
        CHECK_NEAR(pose.position.x, 1.0, tolerance);
        CHECK_NEAR(v.linear.z, 3.0 - 9.81, tolerance);
        pbdrDestroyWorld(world);
    }
}

// The constraint's promise: straight after its velocity half, P and L are those from before shape matching.
static void momentum__is_restored_by_the_velocity_half(void)
{
    for (int precision = 0; precision < 2; precision++) {
        pbdrWorld* world = makeSpace((pbdrPrecision)precision, 1e-3);
        pbdrBodyId id = addLump(world, (pbdrVelocity){{0.3, 0.2, 0.1}, {6.0, 4.8, 6.4}});
        for (int step = 0; step < 200; step++) {
            pbdrMoments before, now;
            stepToVelocityHalf(world, &before, &now);
            double tolerance = precision == 1 ? 1e-12 : 1e-5;
            CHECK_LE(distance(now.spin, before.spin), tolerance * pbdrLength(now.spin));
            double p = pbdrBody_GetMass(world, id) * 0.374;
            CHECK_LE(distance(now.relativeMomentum, before.relativeMomentum), tolerance * p);
            stepPositionHalf(world);
        }
        pbdrDestroyWorld(world);
    }
}

static double getSpinDrift(double dt, uint32_t ablation)
{
    pbdrWorldDef def = makePbdRDef();
    def.gravity = pbdrVec(0.0, 0.0, 0.0);
    def.timeStep = dt;
    def.ablation = ablation;
    pbdrWorld* world = makeWorld(def);
    pbdrBodyId body = addLump(world, (pbdrVelocity){{0.3, 0.2, 0.1}, {6.0, 4.8, 6.4}});
    pbdrMomentum before = pbdrBody_GetMomentum(world, body);
    pbdrWorld_Step(world, (int)(2.0 / dt + 0.5));
    pbdrMomentum after = pbdrBody_GetMomentum(world, body);
    CHECK_LE(distance(after.linear, before.linear), 1e-10 * pbdrLength(before.linear));
    pbdrDestroyWorld(world);
    return distance(after.angular, before.angular) / pbdrLength(before.angular);
}

// L is exact only as dt goes to 0: the position half of the constraint moves r after v was set.
static void flight__conserves_momentum_as_dt_goes_to_zero(void)
{
    double coarse = getSpinDrift(1e-3, 0), fine = getSpinDrift(5e-4, 0);
    CHECK_LE(coarse, 1e-4);
    CHECK_LE(fine, coarse / 1.9);
    CHECK_GE(getSpinDrift(1e-3, pbdr_ablateAngularMomentum), 1e-2);
}

// Without the constraint spin decays, in exact arithmetic too. v = (x_n - x_n-1)/dt is the chord of the last
// turn by f; the next Euler step goes on along it, to r (2 - cos f) outwards and r sin f along the tangent,
// and the match turns the body by atan(sin f/(2 - cos f)) = f - f^3 + ...; the spin about the principal axis
// is w = sin f/dt.
static void shape_matching__alone_loses_spin_at_the_known_rate(void)
{
    pbdrWorldDef def = makePbdRDef();
    def.gravity = pbdrVec(0.0, 0.0, 0.0);
    def.ablation = pbdr_ablateAngularMomentum;
    pbdrWorld* world = makeWorld(def);
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    bodyDef.velocity.angular = pbdrVec(0.0, 0.0, 10.0);
    pbdrBodyId body = addBlock(world, 4, 4, 4, 0.025, 4.0, bodyDef);
    pbdrWorld_Step(world, 1);
    double turn = atan(10.0 * 1e-3);
    for (int step = 1; step < 1000; step++) {
        pbdrWorld_Step(world, 1);
        turn = atan2(sin(turn), 2.0 - cos(turn));
    }
    CHECK_NEAR(pbdrBody_GetVelocity(world, body).angular.z, sin(turn) / 1e-3, 1e-9);
    CHECK_LE(turn, 9.2e-3);
    pbdrDestroyWorld(world);
}

// A single-wide chain has no inertia about its own axis, a sphere none at all: they must neither spin up nor
// fall apart.
static void rod__keeps_its_length_and_does_not_spin(void)
{
    for (int precision = 0; precision < 2; precision++) {
        pbdrWorld* world = makeSpace((pbdrPrecision)precision, 1e-3);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.velocity.angular = pbdrVec(0.0, 1.0, 2.0);
        pbdrBodyId rod = addBlock(world, 10, 1, 1, 0.01, 2.0, def);
        pbdrBody_SetTorque(world, rod, pbdrVec(1e-9, 0.0, 0.0));
        double ulp = precision == 1 ? 2.3e-16 : 1.2e-7;
        for (int frame = 0; frame < 100; frame++) {
            CHECK_EQ(pbdrWorld_Step(world, 10), 0);
        }
        pbdrVec3 spheres[10];
        CHECK_EQ(pbdrBody_GetPositions(world, rod, spheres, 10), 10);
        const pbdrVec3 ends[2] = {spheres[0], spheres[9]};
        // the last position half leaves the length off by (w dt)^2/2
        CHECK_NEAR(distance(ends[0], ends[1]), 0.18, 0.18 * (5.0 * 1e-6 + 100 * ulp));
        pbdrVec3 axis = pbdrScale(1.0 / distance(ends[0], ends[1]), pbdrSub(ends[1], ends[0]));
        pbdrVec3 w = pbdrBody_GetVelocity(world, rod).angular;
        CHECK_LE(fabs(pbdrDot(w, axis)), 1e-9 + 1e4 * ulp);
        CHECK_NEAR(pbdrLength(w), sqrt(5.0), 1e-4);
        pbdrDestroyWorld(world);
    }
}

static void single_sphere__flies_straight(void)
{
    pbdrWorld* world = makeSpace(pbdr_precisionF64, 1e-3);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.velocity.linear = pbdrVec(1.0, 2.0, 3.0);
    pbdrBodyId ball = addBlock(world, 1, 1, 1, 0.1, 1.0, def);
    pbdrBody_SetTorque(world, ball, pbdrVec(1.0, 1.0, 1.0)); // nothing to act on
    CHECK_EQ(pbdrWorld_Step(world, 1000), 0);
    CHECK_LE(distance(pbdrBody_GetPose(world, ball).position, pbdrVec(1.0, 2.0, 3.0)), 1e-12);
    CHECK_EQ(pbdrBody_GetPose(world, ball).rotation.w, 1.0);
    pbdrDestroyWorld(world);
}

// L = tau t for any torque and any body: alpha is I^-1 tau, not tau/Izz. Half the angle of a substep's turn,
// 1e-3 rad at the end, is the share by which the constraint's position half moves L: 1e-6.
static void torque__makes_angular_momentum(void)
{
    pbdrWorld* world = makeSpace(pbdr_precisionF64, 1e-3);
    pbdrBodyId body = addLump(world, (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    const pbdrVec3 torque = pbdrVec(1e-3, 2e-3, -3e-3);
    pbdrBody_SetTorque(world, body, torque);
    pbdrWorld_Step(world, 500);
    pbdrVec3 expected = pbdrScale(0.5, torque);
    CHECK_LE(distance(pbdrBody_GetMomentum(world, body).angular, expected), 1e-6 * pbdrLength(expected));
    pbdrDestroyWorld(world);
}

// A pusher under a torque about a principal axis: w = alpha t, angle alpha t (t + dt)/2, L = I w, its
// particles along.
static void pusher__turns_under_its_torque(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyKinematic;
    pbdrBodyId body = addBlock(world, 2, 2, 2, 0.5, 8.0, def); // unit masses at (+-.5, +-.5, +-.5): Izz = 4
    pbdrBody_SetTorque(world, body, pbdrVec(0.0, 0.0, 4.0));
    CHECK_EQ(pbdrWorld_Step(world, 1000), 0);
    CHECK_NEAR(pbdrBody_GetVelocity(world, body).angular.z, 1.0, 1e-12);
    CHECK_NEAR(pbdrBody_GetMomentum(world, body).angular.z, 4.0, 1e-11);
    pbdrQuat q = pbdrBody_GetPose(world, body).rotation;
    double angle = 0.5 * (1.0 + 1e-3);
    CHECK_NEAR(2.0 * atan2(q.z, q.w), angle, 1e-12);
    pbdrVec3 corner;
    CHECK_EQ(pbdrBody_GetPositions(world, body, &corner, 1), 8);
    CHECK_NEAR(corner.x, -0.5 * cos(angle) + 0.5 * sin(angle), 1e-12);
    pbdrParticleView view = pbdrBody_GetParticles(world, body);
    if (pbdrWorld_GetEngine(world) == pbdr_engineParticle) {
        CHECK_EQ(view.x.f64[0], corner.x);
        CHECK_NEAR(view.vx.f64[0], -corner.y, 1e-12);
    } else {
        CHECK(view.x.f64 == NULL && view.vx.f64 == NULL && view.count == 8);
        CHECK_EQ(pbdrShape_GetMasses(pbdrBody_GetShape(world, body))[0], 1.0);
    }
    pbdrDestroyWorld(world);
}

// The layer of the paper: A has rank 2. Spinning about an axis in its plane it stays a flat square.
static void layer__tumbles_without_flipping_over(void)
{
    pbdrWorld* world = makeSpace(pbdr_precisionF32, 1e-3);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.velocity.angular = pbdrVec(3.0, 0.0, 0.0);
    pbdrBodyId layer = addBlock(world, 4, 4, 1, 0.025, 4.0, def);
    double angle = 0.0, last = 0.0;
    for (int frame = 1; frame <= 300; frame++) {
        pbdrWorld_Step(world, 10);
        pbdrQuat q = pbdrBody_GetPose(world, layer).rotation;
        double now = 2.0 * atan2(q.x, q.w);
        angle += remainder(now - last, 2.0 * acos(-1.0));
        last = now;
    }
    CHECK_NEAR(angle, 9.0, 1e-3);
    pbdrDestroyWorld(world);
}

// Nothing may depend on where the world's origin is: the same flight 1 km away, within rounding at 1 km.
static void scene__may_be_anywhere(void)
{
    pbdrVec3 end[2];
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeWorld(makePbdRDef());
        addGround(world, 0.4);
        pbdrBodyId body = addCube(world, 4, 1000.0 * k, -1000.0 * k, 0.4);
        pbdrBody_SetForce(world, body, pbdrVec(17.0, 0.0, 0.0));
        pbdrWorld_Step(world, 2000);
        end[k] = pbdrBody_GetPose(world, body).position;
        end[k].x -= 1000.0 * k, end[k].y += 1000.0 * k;
        pbdrDestroyWorld(world);
    }
    // 4e4 iterations that each round x at 1e3 m (1.1e-13): a random walk of 200 of them, times t/dt = 2e3
    // where it enters v by dx/dt; but the momentum constraint takes it out of v again
    CHECK_LE(distance(end[0], end[1]), 1e-9);
}

// A blow-up is a flag, not a crash: huge speeds are flagged, then not-finite, and the step stops there.
static void divergence__is_flagged(void)
{
    for (int precision = 0; precision < 2; precision++) {
        pbdrWorld* world = makeSpace((pbdrPrecision)precision, 1e-3);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.velocity.linear = pbdrVec(1.0e6, 0.0, 0.0);
        pbdrBodyId body = addBlock(world, 2, 2, 2, 0.1, 1.0, def);
        CHECK_EQ(pbdrWorld_Step(world, 1), pbdr_stepSpeedLimit);
        pbdrBody_SetForce(world, body, pbdrVec(1.0e308, 0.0, 0.0));
        pbdrBodyDef pusher = pbdrDefaultBodyDef();
        pusher.kind = pbdr_bodyKinematic;
        pbdrWorld* other = makeSpace((pbdrPrecision)precision, 1.0);
        pbdrBodyId driven = addBlock(other, 2, 2, 2, 0.1, 1.0, pusher);
        pbdrBody_SetTorque(other, driven, pbdrVec(1.0e308, 0.0, 0.0));
        CHECK((pbdrWorld_Step(other, 10) & pbdr_stepNotFinite) != 0);
        pbdrDestroyWorld(other);
        addBlock(world, 2, 2, 2, 0.1, 1.0, pbdrDefaultBodyDef());
        uint32_t flags = 0;
        for (int k = 0; k < 20; k++) {
            flags |= pbdrWorld_Step(world, 100000);
        }
        CHECK((flags & pbdr_stepNotFinite) != 0);
        pbdrBody_GetPose(world, body);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"fall__follows_semi_implicit_euler", fall__follows_semi_implicit_euler},
          {"momentum__is_restored_by_the_velocity_half", momentum__is_restored_by_the_velocity_half},
          {"flight__conserves_momentum_as_dt_goes_to_zero", flight__conserves_momentum_as_dt_goes_to_zero},
          {"shape_matching__alone_loses_spin_at_the_known_rate",
           shape_matching__alone_loses_spin_at_the_known_rate},
          {"rod__keeps_its_length_and_does_not_spin", rod__keeps_its_length_and_does_not_spin},
          {"single_sphere__flies_straight", single_sphere__flies_straight},
          {"torque__makes_angular_momentum", torque__makes_angular_momentum},
          {"pusher__turns_under_its_torque", pusher__turns_under_its_torque},
          {"layer__tumbles_without_flipping_over", layer__tumbles_without_flipping_over},
          {"scene__may_be_anywhere", scene__may_be_anywhere},
          {"divergence__is_flagged", divergence__is_flagged});
}
