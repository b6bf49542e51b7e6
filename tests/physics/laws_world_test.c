// Laws of definitions, ids and states: what a world promises whatever is inside it.
#include "physics/laws.h"

// n.x < d is solid with n made unit: a ball on a plane whose normal is 1e-3 too long rests at d + r, not at
// (d
// + r)/1.001; and contacts have unit normals.
static void plane__normal_is_made_unit(void)
{
    for (int k = 0; k < LAW_WORLD_COUNT; k++) {
        pbdrWorld* world = makeLawWorld(k, pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        addPlane(world, pbdrVec(0.0, 0.0, 1.0 + 0.9 * PBDR_UNIT_TOLERANCE), 10.0, 0.5);
        pbdrBodyId ball =
            addBall(world, 0.1, 1.0, 0.5, pbdrVec(0.0, 0.0, 10.1 - 1e-4), pbdrVec(0.0, 0.0, 0.0));
        pbdrWorld_Step(world, 300);
        CHECK_NEAR(pbdrBody_GetPose(world, ball).position.z, 10.1, 2e-4);
        pbdrContact contact;
        if (pbdrWorld_GetContacts(world, &contact, 1) == 1) {
            CHECK_NEAR(pbdrLength(contact.normal), 1.0, 1e-15);
        }
        pbdrDestroyWorld(world);
    }
}

// L = R I R^T w, I being that of the point masses and the extra inertia together.
static void momentum__has_the_extra_inertias(void)
{
    const pbdrVec3 positions[4] = {{0.1, 0.0, 0.0}, {-0.1, 0.0, 0.0}, {0.0, 0.2, 0.0}, {0.0, 0.0, 0.3}};
    const double radii[4] = {0.05, 0.05, 0.05, 0.05}, masses[4] = {1.0, 1.0, 0.5, 0.25};
    for (int k = 0; k < LAW_WORLD_COUNT; k++) {
        pbdrWorld* world = makeLawWorld(k, pbdrVec(0.0, 0.0, 0.0), 1e-4);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.particleCount = 4;
        def.positions = positions;
        def.radii = radii;
        def.masses = masses;
        def.extraInertia = diagonal(0.05, 0.06, 0.07);
        def.rotation = turnAbout(pbdrVec(1.0, 2.0, 3.0), 1.0);
        def.velocity.angular = pbdrVec(1.0, -2.0, 0.5);
        pbdrBodyId body = addBody(world, &def);
        for (int step = 0; step < 2; step++) {
            pbdrMat3 turn = pbdrMatFromQuat(pbdrBody_GetPose(world, body).rotation);
            pbdrMat3 rest = pbdrBody_GetRestInertia(world, body);
            pbdrMat3 inertia = pbdrTurnTensor(&turn, &rest);
            pbdrVec3 expected = pbdrMulMV(&inertia, pbdrBody_GetVelocity(world, body).angular);
            pbdrVec3 spin = pbdrBody_GetMomentum(world, body).angular;
            // a substep stretches the body by (w dt)^2 = 5e-8; PBD's velocities are those of the last motion
            double share = step == 0 ? 1e-12 : lawWorlds[k].solver == pbdr_solverPbd ? 1e-4 : 1e-6;
            CHECK_LE(pbdrLength(pbdrSub(spin, expected)), share * pbdrLength(expected));
            pbdrWorld_Step(world, 1);
        }
        pbdrDestroyWorld(world);
    }
}

// A torque turns a body about its centre and moves it nowhere, wherever it is.
static void torque__gives_no_force(void)
{
    const pbdrVec3 at = {10.0, -20.0, 5.0};
    for (int k = 0; k < LAW_WORLD_COUNT; k++) {
        pbdrWorld* world = makeLawWorld(k, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = at;
        pbdrBodyId body = addBlock(world, 3, 2, 2, 0.05, 2.0, def);
        CHECK_EQ(pbdrBody_SetTorque(world, body, pbdrVec(0.02, -0.01, 0.03)), pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 100), 0);
        CHECK_LE(pbdrLength(pbdrSub(pbdrBody_GetPose(world, body).position, at)), 1e-11);
        CHECK_LE(pbdrLength(pbdrBody_GetMomentum(world, body).linear), 1e-9); // PBD: 4e-15 of 20 m in dt
        CHECK_GE(pbdrLength(pbdrBody_GetVelocity(world, body).angular), 0.1);
        pbdrDestroyWorld(world);
    }
}

// --- States ---

// What a world is made of, one number each.
typedef struct Made {
    pbdrSolver solver;
    double planeFriction, planeOffset, planeTilt, planeRestitution;
    double mass, radius, restitution, extra, mirror, surface;
    pbdrFrictionMixing mixing;
    pbdrBodyKind kind;
} Made;

static pbdrWorld* make(const Made* made)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = made->solver;
    def.mixing = made->mixing;
    pbdrWorld* world = makeWorld(def);
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    plane.normal = pbdrVec(sin(made->planeTilt), 0.0, cos(made->planeTilt));
    plane.offset = made->planeOffset;
    plane.friction = made->planeFriction;
    plane.restitution = made->planeRestitution;
    pbdrError error;
    require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
    const pbdrVec3 positions[3] = {{0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}, {0.02, 0.05 * made->mirror, 0.0}};
    const double radii[3] = {0.05, 0.05, made->radius}, masses[3] = {1.0, 1.0, made->mass};
    pbdrShapeDef shape = pbdrDefaultShapeDef();
    shape.sphereCount = 3;
    shape.positions = positions;
    shape.radii = radii;
    shape.masses = masses;
    shape.extraInertia = diagonal(made->extra, made->extra, made->extra);
    shape.surface.kind = pbdr_surfaceBox;
    shape.surface.half = pbdrVec(0.1 + made->surface, 0.1, 0.1);
    shape.surface.counts[0] = shape.surface.counts[1] = shape.surface.counts[2] = 1;
    pbdrShape* made3;
    require(pbdrCreateShape(&shape, &made3, &error), &error);
    pbdrBodyDef body = pbdrDefaultBodyDef();
    body.kind = made->kind;
    body.restitution = made->restitution;
    body.position = pbdrVec(0.0, 0.0, 1.0);
    require(pbdrCreateBodyFromShape(world, &body, made3, NULL, &error), &error);
    pbdrReleaseShape(made3);
    return world;
}

static const Made usual = {.solver = pbdr_solverXpbdR,
                           .planeFriction = 0.5,
                           .mass = 1.0,
                           .radius = 0.03,
                           .mirror = 1.0,
                           .extra = 0.01};

// Whether a world made one way takes the state of a world made another way.
static bool takes(const Made* made, const Made* other)
{
    pbdrWorld *a = make(made), *b = make(other);
    size_t size;
    unsigned char* state = saveState(a, &size);
    pbdrStatus status = pbdrWorld_SetState(b, state, size, NULL);
    CHECK(status == pbdr_statusOk || status == pbdr_statusStateMismatch);
    free(state);
    pbdrDestroyWorld(a), pbdrDestroyWorld(b);
    return status == pbdr_statusOk;
}

// "States of worlds that differ in bodies, planes or fixed settings are refused": one difference at a time.
static void state__of_a_world_made_otherwise_is_refused(void)
{
    const pbdrSolver solvers[2] = {pbdr_solverXpbdR, pbdr_solverPbdR};
    for (int k = 0; k < 2; k++) {
        Made base = usual;
        base.solver = solvers[k];
        CHECK(takes(&base, &base));
        Made other[10];
        for (int i = 0; i < 10; i++) {
            other[i] = base;
        }
        other[0].planeFriction = 0.6;
        other[1].planeOffset = 0.1;
        other[2].planeTilt = 0.1;
        other[3].planeRestitution = 0.5;
        other[4].mass = 1.5;
        other[5].radius = 0.08;
        other[6].restitution = 0.5;
        other[7].extra = 0.02;
        other[8].mixing = pbdr_mixMinimum;
        other[9].kind = pbdr_bodyKinematic;
        for (int i = 0; i < 10; i++) {
            if (takes(&base, &other[i])) {
                printf("    solver %d, difference %d is not seen\n", (int)solvers[k], i);
                CHECK(false);
            }
        }
    }
}

// The same promise for what only a look at every sphere and at the surface tells apart.
static void state__of_a_mirrored_body_is_refused(void)
{
    Made mirrored = usual, wider = usual;
    mirrored.mirror = -1.0;
    wider.surface = 0.01;
    CHECK(!takes(&usual, &mirrored));
    CHECK(!takes(&usual, &wider));
}

// --- Restitution ---

// Two balls head on, frictionless, without gravity: they leave with e times the speed of approach, e being
// the larger of the two; in both orders.
static void restitution__of_two_bodies_is_the_larger(void)
{
    const double pairs[3][2] = {{0.8, 0.2}, {0.2, 0.8}, {0.0, 0.6}};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeLawWorld(3, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        const pbdrVec3 centre = {0.0, 0.0, 0.0};
        const double radius = 0.1, mass = 1.0;
        pbdrBodyId ids[2];
        for (int i = 0; i < 2; i++) {
            pbdrBodyDef def = pbdrDefaultBodyDef();
            def.particleCount = 1;
            def.positions = &centre;
            def.radii = &radius;
            def.masses = &mass;
            def.restitution = pairs[k][i];
            def.position = pbdrVec(i == 0 ? -0.15 : 0.15, 0.0, 0.0);
            def.velocity.linear = pbdrVec(i == 0 ? 1.0 : -1.0, 0.0, 0.0);
            ids[i] = addBody(world, &def);
        }
        CHECK_EQ(stepCounting(world, 200), 0);
        double apart =
            pbdrBody_GetVelocity(world, ids[1]).linear.x - pbdrBody_GetVelocity(world, ids[0]).linear.x;
        CHECK_NEAR(apart, 2.0 * fmax(pairs[k][0], pairs[k][1]), 1e-9);
        pbdrDestroyWorld(world);
    }
}

// A ball of which contact is frictionless falls, bounces with e = 1 and spins up under a torque about the
// vertical: z and theta follow z = h - g t^2/2 and theta = w t + alpha t^2/2 through the bounce, which falls
// anywhere within a substep; a sign or a factor of either acceleration there is an error of alpha dt^2 = 4e-4
// rad or g dt^2 = 1e-5 m.
static void bounce__does_not_disturb_the_free_motion(void)
{
    const pbdrVec3 centre = {0.0, 0.0, 0.0};
    const double radius = 0.1, mass = 1.0, alpha = 400.0, spin = -30.0, fall = 0.05;
    for (int k = 0; k < 5; k++) {
        pbdrWorld* world = makeLawWorld(3, pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        pbdrPlaneDef plane = pbdrDefaultPlaneDef();
        plane.restitution = 1.0;
        pbdrError error;
        require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.particleCount = 1;
        def.positions = &centre;
        def.radii = &radius;
        def.masses = &mass;
        def.extraInertia = diagonal(0.004, 0.004, 0.004);
        double height = fall + 2e-4 * k;
        def.position = pbdrVec(0.0, 0.0, radius + height);
        def.velocity.angular = pbdrVec(0.0, 0.0, spin);
        pbdrBodyId ball = addBody(world, &def);
        CHECK_EQ(pbdrBody_SetTorque(world, ball, pbdrVec(0.0, 0.0, 0.004 * alpha)), pbdr_statusOk);
        double hit = sqrt(2.0 * height / GRAVITY), speed = GRAVITY * hit;
        int count = (int)ceil(hit / 1e-3) + 20;
        CHECK_EQ(stepCounting(world, count), 0);
        double t = 1e-3 * count, after = t - hit;
        pbdrPose pose = pbdrBody_GetPose(world, ball);
        CHECK_NEAR(pose.position.z, radius + speed * after - 0.5 * GRAVITY * after * after, 1e-9);
        double angle = 2.0 * atan2(pose.rotation.z, pose.rotation.w);
        double wanted = spin * t + 0.5 * alpha * t * t;
        CHECK_NEAR(remainder(angle - wanted, 2.0 * PBDR_PI), 0.0, 1e-9);
        CHECK_NEAR(pbdrBody_GetVelocity(world, ball).angular.z, spin + alpha * t, 1e-9);
        pbdrDestroyWorld(world);
    }
}

// An impact slower than PBDR_BOUNCE_SPEED does not bounce, whatever the restitution; a faster one does.
static void bounce__needs_a_speed(void)
{
    const double speeds[4] = {0.5 * PBDR_BOUNCE_SPEED, 0.9 * PBDR_BOUNCE_SPEED, 1.1 * PBDR_BOUNCE_SPEED, 0.2};
    for (int k = 0; k < 4; k++) {
        pbdrWorld* world = makeLawWorld(3, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrPlaneDef plane = pbdrDefaultPlaneDef();
        plane.restitution = 1.0;
        pbdrError error;
        require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
        pbdrBodyId ball = addBall(world, 0.1, 1.0, 0.0, pbdrVec(0.0, 0.0, 0.1 + 2.5e-3 * speeds[k]),
                                  pbdrVec(0.0, 0.0, -speeds[k]));
        CHECK_EQ(stepCounting(world, 10), 0);
        double wanted = speeds[k] > PBDR_BOUNCE_SPEED ? speeds[k] : 0.0;
        CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.z, wanted, 1e-9);
        pbdrDestroyWorld(world);
    }
}

// A cube slides on the ground and slows down by mu g, mu being what the mixing makes of 0.2 and 0.45.
static void friction__is_mixed_as_asked(void)
{
    const pbdrFrictionMixing mixings[4] = {pbdr_mixGeometricMean, pbdr_mixMinimum, pbdr_mixMaximum,
                                           pbdr_mixAverage};
    const double mus[4] = {0.3, 0.2, 0.45, 0.325};
    for (int k = 0; k < 4 * LAW_WORLD_COUNT; k++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = lawWorlds[k / 4].solver;
        def.engine = lawWorlds[k / 4].engine;
        def.mixing = mixings[k % 4];
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.45);
        pbdrBodyId cube = addCube(world, 4, 0.0, 0.0, 0.2);
        pbdrWorld_Step(world, 100);
        CHECK_EQ(pbdrBody_SetVelocity(world, cube, (pbdrVelocity){{3.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}),
                 pbdr_statusOk);
        double share = pbdrWorld_GetTimeStep(world) * 100.0;
        pbdrWorld_Step(world, 100);
        double lost = 3.0 - pbdrBody_GetVelocity(world, cube).linear.x;
        CHECK_NEAR(lost, mus[k % 4] * GRAVITY * share,
                   (lawWorlds[k / 4].solver == pbdr_solverXpbdR ? 1e-9 : 0.02) * lost);
        pbdrDestroyWorld(world);
    }
}

// Setting the pose keeps the velocity, and the other way round.
static void pose__and_velocity_are_set_apart(void)
{
    const pbdrVec3 v = {1.0, 2.0, 3.0}, w = {0.3, -0.2, 0.5}, at = {4.0, 5.0, 6.0};
    const pbdrQuat turned = turnAbout(pbdrVec(1.0, 1.0, 0.0), 0.7);
    for (int k = 0; k < LAW_WORLD_COUNT; k++) {
        pbdrWorld* world = makeLawWorld(k, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyId cube = addCube(world, 3, 0.0, 0.0, 0.5);
        CHECK_EQ(pbdrBody_SetVelocity(world, cube, (pbdrVelocity){v, w}), pbdr_statusOk);
        CHECK_EQ(pbdrBody_SetPose(world, cube, (pbdrPose){at, turned}), pbdr_statusOk);
        pbdrVelocity velocity = pbdrBody_GetVelocity(world, cube);
        CHECK_LE(pbdrLength(pbdrSub(velocity.linear, v)), 1e-13);
        CHECK_LE(pbdrLength(pbdrSub(velocity.angular, w)), 1e-13);
        CHECK_EQ(pbdrBody_SetVelocity(world, cube, (pbdrVelocity){w, v}), pbdr_statusOk);
        pbdrPose pose = pbdrBody_GetPose(world, cube);
        CHECK_LE(pbdrLength(pbdrSub(pose.position, at)), 1e-13);
        CHECK_LE(angleBetween(pose.rotation, turned), 1e-13);
        pbdrDestroyWorld(world);
    }
}

// A rotation that is off unit length by what is allowed is made unit.
static void pose__rotation_is_made_unit(void)
{
    for (int kind = 0; kind < LAW_WORLD_COUNT; kind++) {
        pbdrWorld* world = makeLawWorld(kind, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyId cube = addCube(world, 2, 0.0, 0.0, 0.4);
        pbdrQuat turned = turnAbout(pbdrVec(1.0, 2.0, 3.0), 0.7);
        const double scale = 1.0 + 0.5 * PBDR_UNIT_TOLERANCE;
        pbdrQuat longer = {scale * turned.w, scale * turned.x, scale * turned.y, scale * turned.z};
        CHECK_EQ(pbdrBody_SetPose(world, cube, (pbdrPose){pbdrVec(0.0, 0.0, 1.0), longer}), pbdr_statusOk);
        pbdrQuat rotation = pbdrBody_GetPose(world, cube).rotation;
        CHECK_NEAR(pbdrLengthQ(rotation), 1.0, 1e-15);
        CHECK_LE(angleBetween(rotation, turned), 1e-7);
        pbdrDestroyWorld(world);
    }
}

// Worlds whose bodies touch by their surfaces and by their spheres do not take each other's states, even where
// nothing touches.
static void state__of_a_world_that_touches_otherwise_is_refused(void)
{
    pbdrWorld* worlds[2];
    for (int k = 0; k < 2; k++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = pbdr_solverXpbdR;
        def.contact = k == 0 ? pbdr_contactSpheres : pbdr_contactSurface;
        worlds[k] = makeWorld(def);
        addFacedCube(worlds[k], 2, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 1.0));
    }
    size_t size;
    unsigned char* state = saveState(worlds[0], &size);
    CHECK_EQ(pbdrWorld_SetState(worlds[0], state, size, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrWorld_SetState(worlds[1], state, size, NULL), pbdr_statusStateMismatch);
    free(state);
    pbdrDestroyWorld(worlds[0]);
    pbdrDestroyWorld(worlds[1]);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"plane__normal_is_made_unit", plane__normal_is_made_unit},
          {"momentum__has_the_extra_inertias", momentum__has_the_extra_inertias},
          {"torque__gives_no_force", torque__gives_no_force},
          {"state__of_a_world_made_otherwise_is_refused", state__of_a_world_made_otherwise_is_refused},
          {"state__of_a_mirrored_body_is_refused", state__of_a_mirrored_body_is_refused},
          {"restitution__of_two_bodies_is_the_larger", restitution__of_two_bodies_is_the_larger},
          {"bounce__does_not_disturb_the_free_motion", bounce__does_not_disturb_the_free_motion},
          {"bounce__needs_a_speed", bounce__needs_a_speed},
          {"friction__is_mixed_as_asked", friction__is_mixed_as_asked},
          {"pose__and_velocity_are_set_apart", pose__and_velocity_are_set_apart},
          {"pose__rotation_is_made_unit", pose__rotation_is_made_unit},
          {"state__of_a_world_that_touches_otherwise_is_refused",
           state__of_a_world_that_touches_otherwise_is_refused});
}
