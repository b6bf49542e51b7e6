// Definitions of older and newer programs, ids of other worlds, values that are set and read back, hashes.
#include "math/vec.h"
#include "scenes.h"

// --- Versions ---

// A program compiled for a version without the last field: the library takes its default for it. One with a
// field more, in which the library cannot know what is asked of it: refused, both versions named.
static void definitions__of_older_programs_are_taken_and_of_newer_refused(void)
{
    pbdrWorldDef old;
    memset(&old, 0xee, sizeof old); // what lies behind an older program's definition
    const size_t oldSize = offsetof(pbdrWorldDef, contactEvents);
    pbdrInitWorldDef(&old, oldSize);
    CHECK_EQ(old.size, oldSize);
    CHECK_EQ(((const unsigned char*)&old)[oldSize], 0xee); // nothing written beyond it
    old.timeStep = 2e-3;
    pbdrWorld* world = NULL;
    pbdrError error = {0};
    CHECK(pbdrCreateWorld(&old, &world, &error) == pbdr_statusOk);
    if (world != NULL) {
        CHECK_EQ(pbdrWorld_GetTimeStep(world), 2e-3);
        CHECK(!pbdrWorld_HasContactEvents(world) && pbdrWorld_GetUserData(world) == NULL);
    }

    struct {
        pbdrBodyDef def;
        double more;
    } newer;
    pbdrInitBodyDef(&newer.def, sizeof newer);
    CHECK_EQ(newer.more, 0.0);
    CHECK_EQ(newer.def.friction, PBDR_DEFAULT_FRICTION);
    CHECK(pbdrCreateBody(world, &newer.def, NULL, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "later version");
    CHECK_TEXT(error.message, pbdrVersion());

    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    plane.size = 4;
    CHECK(pbdrCreatePlane(world, &plane, NULL, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "pbdrDefaultPlaneDef");
    // one kind for another
    pbdrPlaneDef confused = pbdrDefaultPlaneDef();
    confused.cookie = pbdrDefaultBodyDef().cookie;
    CHECK(pbdrCreatePlane(world, &confused, NULL, &error) == pbdr_statusInvalidArgument);
    pbdrShapeDef shape = {.sphereCount = 1};
    pbdrShape* made;
    CHECK(pbdrCreateShape(&shape, &made, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "pbdrDefaultShapeDef");
    pbdrDestroyWorld(world);
}

// XPBD-R by surfaces, in double: the defaults that the command, Python and the laboratory have, too.
static void defaults__are_xpbdr_by_surfaces(void)
{
    const pbdrWorldDef def = pbdrDefaultWorldDef();
    CHECK_EQ(def.solver, pbdr_solverXpbdR);
    CHECK_EQ(def.precision, pbdr_precisionF64);
    CHECK_EQ(def.contact, pbdr_contactAuto);
    pbdrWorld* world = makeWorld(def);
    CHECK_EQ(pbdrWorld_GetSolver(world), pbdr_solverXpbdR);
    CHECK_EQ(pbdrWorld_GetContactKind(world), pbdr_contactSurface);
    pbdrDestroyWorld(world);
    world = makeWorld(makePbdRDef()); // the paper's, and the same definition otherwise
    CHECK_EQ(pbdrWorld_GetContactKind(world), pbdr_contactSpheres);
    pbdrDestroyWorld(world);
}

static void iterations__have_a_cap(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    pbdrWorld* world = NULL;
    pbdrError error = {0};
    def.iterations = PBDR_MAX_ITERATIONS + 1;
    CHECK(pbdrCreateWorld(&def, &world, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "iterations: 10001 is above 10000");
    def.iterations = PBDR_MAX_ITERATIONS;
    CHECK(pbdrCreateWorld(&def, &world, &error) == pbdr_statusOk);
    CHECK(pbdrWorld_SetIterations(world, PBDR_MAX_ITERATIONS + 1) == pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrWorld_GetIterations(world), PBDR_MAX_ITERATIONS);
    pbdrDestroyWorld(world);
}

// --- Ids ---

// Two worlds made alike: index and generation agree, and still neither takes the other's ids.
static void ids__of_another_world_are_refused(void)
{
    Ledger ledger = {0};
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.hooks = makeHooks(&ledger);
    pbdrWorld *mine = makeWorld(def), *theirs = makeWorld(def);
    pbdrPlaneId plane = addGround(mine, 0.4), strange = addGround(theirs, 0.4);
    pbdrBodyId body = addCube(mine, 2, 0.0, 0.0, 0.4), stranger = addCube(theirs, 2, 0.0, 0.0, 0.4);
    CHECK(body.index1 == stranger.index1 && body.generation == stranger.generation);
    CHECK(body.world != 0 && body.world == plane.world && body.world != stranger.world);
    CHECK(pbdrBody_IsValid(mine, body) && !pbdrBody_IsValid(mine, stranger));
    CHECK(pbdrPlane_IsValid(mine, plane) && !pbdrPlane_IsValid(mine, strange));
    CHECK_EQ(ledger.assertions, 0);
    CHECK(pbdrBody_SetForce(mine, stranger, pbdrVec(1.0, 0.0, 0.0)) == pbdr_statusInvalidId);
    CHECK(pbdrPlane_SetOffset(mine, strange, 1.0) == pbdr_statusInvalidId);
    pbdrDestroyBody(mine, stranger);
    pbdrDestroyPlane(mine, strange);
    CHECK_EQ(ledger.assertions, 4);
    CHECK(pbdrBody_IsValid(mine, body) && pbdrPlane_IsValid(mine, plane));
    // contacts name their own world's
    pbdrWorld_Step(mine, 1);
    pbdrContact contact;
    CHECK_GE(pbdrWorld_GetContacts(mine, &contact, 1), 1);
    CHECK(pbdrBody_IsValid(mine, contact.bodyA) && pbdrPlane_IsValid(mine, contact.plane));
    pbdrDestroyWorld(mine), pbdrDestroyWorld(theirs);
}

// --- Values ---

static void user_data__comes_back(void)
{
    int a = 1, b = 2, c = 3, other = 4;
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.userData = &a;
    pbdrWorld* world = makeWorld(worldDef);
    pbdrPlaneDef planeDef = pbdrDefaultPlaneDef();
    planeDef.userData = &b;
    pbdrPlaneId plane;
    CHECK(pbdrCreatePlane(world, &planeDef, &plane, NULL) == pbdr_statusOk);
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    bodyDef.userData = &c;
    pbdrBodyId body = addBlock(world, 1, 1, 1, 0.1, 1.0, bodyDef);
    CHECK(pbdrWorld_GetUserData(world) == &a && pbdrPlane_GetUserData(world, plane) == &b &&
          pbdrBody_GetUserData(world, body) == &c);
    size_t size;
    unsigned char* state = saveState(world, &size);
    pbdrWorld_SetUserData(world, &other);
    CHECK(pbdrPlane_SetUserData(world, plane, &other) == pbdr_statusOk);
    CHECK(pbdrBody_SetUserData(world, body, &other) == pbdr_statusOk);
    CHECK(pbdrWorld_SetState(world, state, size, NULL) == pbdr_statusOk); // which does not hold them
    free(state);
    CHECK(pbdrWorld_GetUserData(world) == &other && pbdrPlane_GetUserData(world, plane) == &other &&
          pbdrBody_GetUserData(world, body) == &other);
    pbdrDestroyWorld(world);
}

static void settings__come_back(void)
{
    Ledger ledger = {0};
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverPbdR;
    def.engine = pbdr_engineParticle;
    def.precision = pbdr_precisionF32;
    def.ablation = pbdr_ablateLinearMomentum;
    def.mixing = pbdr_mixMaximum;
    def.maxPairCount = 1234;
    def.hooks = makeHooks(&ledger);
    pbdrWorld* world = makeWorld(def);
    CHECK(pbdrWorld_GetSolver(world) == def.solver && pbdrWorld_GetPrecision(world) == def.precision);
    CHECK(pbdrWorld_GetAblation(world) == def.ablation && pbdrWorld_GetMixing(world) == def.mixing);
    CHECK_EQ(pbdrWorld_GetMaxPairCount(world), 1234);
    CHECK(pbdrWorld_GetContactKind(world) == pbdr_contactSpheres);
    CHECK(pbdrWorld_GetHooks(world).context == &ledger);
    pbdrDestroyWorld(world);
    world = makeWorld(getEngineDef(3));
    CHECK(pbdrWorld_GetContactKind(world) == pbdr_contactSurface);
    pbdrDestroyWorld(world);
}

// How hard XPBD-R tries: defaults, what comes back, and what is refused in definitions and by setters.
static void solving__settings_come_back_or_are_refused(void)
{
    pbdrWorldDef def = getEngineDef(3);
    pbdrError error = {0};
    pbdrWorld* world = makeWorld(def);
    CHECK(pbdrWorld_GetEffort(world) == pbdr_effortBalanced && !pbdrWorld_HasSleeping(world));
    CHECK(pbdrWorld_GetTolerance(world) == 0.0 && pbdrWorld_GetMaxNewtonSteps(world) == 0);
    CHECK(pbdrWorld_SetEffort(world, pbdr_effortExact) == pbdr_statusOk);
    CHECK(pbdrWorld_SetTolerance(world, 1e-9) == pbdr_statusOk);
    CHECK(pbdrWorld_SetMaxNewtonSteps(world, 7) == pbdr_statusOk);
    CHECK(pbdrWorld_SetSleeping(world, true) == pbdr_statusOk);
    CHECK(pbdrWorld_GetEffort(world) == pbdr_effortExact && pbdrWorld_HasSleeping(world));
    CHECK(pbdrWorld_GetTolerance(world) == 1e-9 && pbdrWorld_GetMaxNewtonSteps(world) == 7);
    const double tolerances[] = {-1e-9, 1e-17, 2e-3, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 5; k++) {
        def.tolerance = tolerances[k];
        pbdrWorld* none = NULL;
        CHECK(pbdrWorld_SetTolerance(world, tolerances[k]) == pbdr_statusInvalidArgument);
        CHECK(pbdrCreateWorld(&def, &none, &error) == pbdr_statusInvalidArgument && none == NULL);
        CHECK_TEXT(error.message, "tolerance: ");
    }
    CHECK(pbdrWorld_SetEffort(world, (pbdrEffort)3) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_SetMaxNewtonSteps(world, -1) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_SetMaxNewtonSteps(world, PBDR_MAX_NEWTON_STEPS + 1) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_GetTolerance(world) == 1e-9 && pbdrWorld_GetMaxNewtonSteps(world) == 7);
    pbdrDestroyWorld(world);
    def = getEngineDef(3);
    def.maxNewtonSteps = -1;
    CHECK(pbdrCreateWorld(&def, &world, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "maxNewtonSteps: -1");
    def = getEngineDef(3);
    def.effort = (pbdrEffort)-1;
    CHECK(pbdrCreateWorld(&def, &world, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "effort: -1");
}

// A box that slides and turns: a larger tolerance leaves a larger residual, up to it, and a cap is one. (It need not
// take fewer steps: what is left over goes on to the next substep.)
static void solving__settings_act(void)
{
    pbdrProfile profiles[3];
    for (int k = 0; k < 3; k++) {
        pbdrWorldDef def = getEngineDef(3);
        def.tolerance = k == 1 ? 1e-5 : 0.0;
        def.maxNewtonSteps = k == 2 ? 1 : 0;
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.4);
        pbdrBodyId box = addCube(world, 4, 0.0, 0.0, 0.4);
        pbdrBody_SetVelocity(world, box, (pbdrVelocity){{1.0, 0.0, 0.0}, {0.0, 0.0, 5.0}});
        pbdrWorld_Step(world, 20);
        pbdrWorld_SetProfiling(world, true);
        pbdrWorld_Step(world, 100);
        pbdrWorld_GetProfile(world, &profiles[k]);
        pbdrDestroyWorld(world);
    }
    printf(
        "    Newton steps %d, %d with 1e-5, at most %d and %d with a cap of 1; residuals %.2g, %.2g, %.2g\n",
        (int)profiles[0].newtonSteps.sum, (int)profiles[1].newtonSteps.sum, (int)profiles[0].newtonSteps.most,
        (int)profiles[2].newtonSteps.most, profiles[0].residual, profiles[1].residual, profiles[2].residual);
    CHECK_LE(profiles[0].residual, 1e-12);
    CHECK_LE(profiles[1].residual, 1e-5);
    CHECK_GE(profiles[1].residual, 1e-11);
    CHECK_GE(profiles[0].newtonSteps.most, 2);
    CHECK_LE(profiles[2].newtonSteps.most, 1);
}

// Each setter of a plane acts, and refuses what creation would. Braking is mu g; a plane that is raised
// lifts.
static void plane__setters_act(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrPlaneId ground = addGround(world, 0.0), second = addPlane(world, pbdrVec(1, 0, 0), -9.0, 0.0);
        pbdrPlaneId planes[3];
        CHECK_EQ(pbdrWorld_GetPlanes(world, NULL, 0), 2);
        CHECK_EQ(pbdrWorld_GetPlanes(world, planes, 3), 2);
        CHECK(planes[0].index1 == ground.index1 && planes[1].index1 == second.index1);
        pbdrBodyId cube = addCube(world, 3, 0.0, 0.0, 1.0);
        pbdrBody_SetVelocity(world, cube, (pbdrVelocity){{2.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
        pbdrWorld_Step(world, 100);
        CHECK_NEAR(pbdrBody_GetVelocity(world, cube).linear.x, 2.0, 1e-6);
        CHECK(pbdrPlane_SetFriction(world, ground, 0.25) == pbdr_statusOk); // sqrt(0.25 1) = 0.5
        CHECK_EQ(pbdrPlane_GetFriction(world, ground), 0.25);
        pbdrWorld_Step(world, 100);
        CHECK_NEAR(pbdrBody_GetVelocity(world, cube).linear.x, 2.0 - 0.5 * 9.81 * 0.1, 0.02);
        CHECK(pbdrPlane_SetOffset(world, ground, -0.5) == pbdr_statusOk);
        CHECK_EQ(pbdrPlane_GetOffset(world, ground), -0.5);
        CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
        pbdrWorld_Step(world, 600);
        CHECK_NEAR(pbdrBody_GetPose(world, cube).position.z, -0.4, 0.01);
        // a slope of 45 degrees without friction: a = g sin 45 along it
        CHECK(pbdrPlane_SetFriction(world, ground, 0.0) == pbdr_statusOk);
        CHECK(pbdrPlane_SetNormal(world, ground, pbdrVec(sqrt(0.5), 0.0, sqrt(0.5))) == pbdr_statusOk);
        CHECK(pbdrPlane_SetOffset(world, ground, 0.0) == pbdr_statusOk);
        CHECK_NEAR(pbdrPlane_GetNormal(world, ground).x, sqrt(0.5), 1e-15);
        const pbdrQuat tilt = {cos(PBDR_PI / 8), 0.0, sin(PBDR_PI / 8), 0.0};
        pbdrBody_SetPose(world, cube, (pbdrPose){{0.1 * sqrt(0.5), 0.0, 0.1 * sqrt(0.5)}, tilt});
        pbdrBody_SetVelocity(world, cube, (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
        pbdrWorld_Step(world, 100);
        CHECK_NEAR(pbdrBody_GetVelocity(world, cube).linear.x, 0.5 * 9.81 * 0.1, 0.02);
        const pbdrVec3 bad = {0.0, 0.0, 2.0};
        CHECK(pbdrPlane_SetNormal(world, ground, bad) == pbdr_statusInvalidArgument);
        CHECK(pbdrPlane_SetOffset(world, ground, HUGE_VAL) == pbdr_statusInvalidArgument);
        CHECK(pbdrPlane_SetFriction(world, ground, -1.0) == pbdr_statusInvalidArgument);
        CHECK(pbdrPlane_SetRestitution(world, ground, 1.5) == pbdr_statusInvalidArgument);
        CHECK_EQ(pbdrPlane_GetOffset(world, ground), 0.0);
        pbdrDestroyWorld(world);
    }
}

// XPBD-R: a ball that falls from h comes back to e^2 h, whichever of the two has the restitution.
static void restitution__setters_act(void)
{
    for (int side = 0; side < 2; side++) {
        pbdrWorld* world = makeWorld(getEngineDef(3));
        pbdrPlaneId ground = addGround(world, 0.4);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position.z = 0.6;
        pbdrBodyId ball = addBlock(world, 1, 1, 1, 0.1, 1.0, def);
        CHECK(pbdrBody_SetRestitution(world, ball, -0.1) == pbdr_statusInvalidArgument);
        if (side == 0) {
            CHECK(pbdrBody_SetRestitution(world, ball, 0.8) == pbdr_statusOk);
            CHECK_EQ(pbdrBody_GetRestitution(world, ball), 0.8);
        } else {
            CHECK(pbdrPlane_SetRestitution(world, ground, 0.8) == pbdr_statusOk);
            CHECK_EQ(pbdrPlane_GetRestitution(world, ground), 0.8);
        }
        double fall = sqrt(2.0 * 0.5 / 9.81);
        pbdrWorld_Step(world, (int)(1000.0 * fall * 1.8)); // up again: the way up takes 0.8 of the way down
        CHECK_NEAR(pbdrBody_GetPose(world, ball).position.z, 0.1 + 0.64 * 0.5, 1e-3);
        pbdrDestroyWorld(world);
    }
}

// --- Hash ---

static void hash__is_of_poses_and_velocities(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld *a = makeWorld(getEngineDef(k)), *b = makeWorld(getEngineDef(k));
        CHECK(pbdrWorld_GetHash(a) == pbdrWorld_GetHash(b));
        addGround(a, 0.4), addGround(b, 0.4);
        pbdrBodyId inA = addCube(a, 3, 0.0, 0.0, 0.4), inB = addCube(b, 3, 0.0, 0.0, 0.4);
        pbdrBody_SetForce(a, inA, pbdrVec(17.0, 3.0, 0.0));
        pbdrBody_SetForce(b, inB, pbdrVec(17.0, 3.0, 0.0));
        uint64_t start = pbdrWorld_GetHash(a);
        pbdrWorld_Step(a, 50), pbdrWorld_Step(b, 50);
        CHECK(pbdrWorld_GetHash(a) == pbdrWorld_GetHash(b) && pbdrWorld_GetHash(a) != start);
        pbdrBody_ApplyImpulse(b, inB, pbdrVec(1e-12, 0.0, 0.0), pbdrVec(0.0, 0.0, 0.1));
        CHECK(pbdrWorld_GetHash(a) != pbdrWorld_GetHash(b));
        pbdrDestroyWorld(a), pbdrDestroyWorld(b);
    }
}

// --- Divergence ---

// A body that is faster than any should be is brought to rest by its pose; one that is only fast keeps its
// velocity.
static void pose__brings_what_diverged_to_rest(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        const struct {
            pbdrVelocity velocity;
            bool keeps;
        } cases[] = {
            {{{1e301, 0.0, 0.0}, {0.0, 0.0, 0.0}}, false},
            {{{0.0, 2.0 * PBDR_SPEED_LIMIT, 0.0}, {0.0, 0.0, 0.0}}, false},
            {{{0.0, 0.0, 0.0}, {0.0, 0.0, 2e3 * PBDR_TURN_LIMIT}}, false},
            {{{0.5 * PBDR_SPEED_LIMIT, 0.0, 0.0}, {0.0, 0.0, 10.0}}, true},
        };
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            pbdrWorld* world = makeWorld(getEngineDef(k));
            pbdrBodyId body = addCube(world, 3, 0.0, 0.0, 0.4);
            CHECK(pbdrBody_SetVelocity(world, body, cases[c].velocity) == pbdr_statusOk);
            CHECK(pbdrBody_SetPose(world, body, (pbdrPose){{0, 0, 1}, {1, 0, 0, 0}}) == pbdr_statusOk);
            pbdrVelocity now = pbdrBody_GetVelocity(world, body);
            if (cases[c].keeps) {
                CHECK_NEAR(now.linear.x, cases[c].velocity.linear.x, 1e-9);
            } else {
                CHECK_EQ(pbdrLength(now.linear) + pbdrLength(now.angular), 0.0);
                CHECK_EQ(pbdrWorld_Step(world, 10), 0);
            }
            pbdrDestroyWorld(world);
        }
    }
}

// XPBD-R: loads that overflow, and turns that no substep follows, are flagged, in contact too.
static void flags__name_loads_and_turns_beyond_the_limits(void)
{
    for (int exponent = 140; exponent <= 306; exponent += 2) {
        for (int turning = 0; turning < 2; turning++) {
            pbdrWorld* world = makeWorld(getEngineDef(3));
            addGround(world, 0.4);
            pbdrBodyId cube = addCube(world, 2, 0.0, 0.0, 0.4);
            const pbdrVec3 load = {pow(10.0, exponent), 0.0, 0.0};
            if (turning) {
                pbdrBody_SetTorque(world, cube, load);
            } else {
                pbdrBody_SetForce(world, cube, load);
            }
            CHECK((pbdrWorld_Step(world, 1) & (pbdr_stepSpeedLimit | pbdr_stepNotFinite)) != 0);
            pbdrDestroyWorld(world);
        }
    }
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(3));
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.velocity.angular = pbdrVec(k == 0 ? 1e6 : 1e4, 0.0, 0.0); // 1000 and 10 rad a substep
        addBlock(world, 4, 3, 2, 0.05, 2.0, def);
        CHECK_EQ(pbdrWorld_Step(world, 1), k == 0 ? pbdr_stepSpeedLimit : 0);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"definitions__of_older_programs_are_taken_and_of_newer_refused",
           definitions__of_older_programs_are_taken_and_of_newer_refused},
          {"defaults__are_xpbdr_by_surfaces", defaults__are_xpbdr_by_surfaces},
          {"iterations__have_a_cap", iterations__have_a_cap},
          {"ids__of_another_world_are_refused", ids__of_another_world_are_refused},
          {"user_data__comes_back", user_data__comes_back}, {"settings__come_back", settings__come_back},
          {"solving__settings_come_back_or_are_refused", solving__settings_come_back_or_are_refused},
          {"solving__settings_act", solving__settings_act}, {"plane__setters_act", plane__setters_act},
          {"restitution__setters_act", restitution__setters_act},
          {"hash__is_of_poses_and_velocities", hash__is_of_poses_and_velocities},
          {"pose__brings_what_diverged_to_rest", pose__brings_what_diverged_to_rest},
          {"flags__name_loads_and_turns_beyond_the_limits", flags__name_loads_and_turns_beyond_the_limits});
}
