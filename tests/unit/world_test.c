// Worlds, bodies and planes through the public API: what is refused, what is kept, what is given back.
#include "math/vec.h"
#include "scenes.h"

// --- Refusals: a status, a message that names the value, and a world that goes on ---

static pbdrStatus tryWorld(void (*spoil)(pbdrWorldDef*), pbdrError* error)
{
    pbdrWorldDef def = makePbdRDef();
    spoil(&def);
    pbdrWorld* world = (pbdrWorld*)1;
    pbdrStatus status = pbdrCreateWorld(&def, &world, error);
    CHECK(status == pbdr_statusOk || world == NULL);
    pbdrDestroyWorld(status == pbdr_statusOk ? world : NULL);
    return status;
}

static void spoilStep(pbdrWorldDef* def)
{
    def->timeStep = 0.0;
}
static void spoilStepNan(pbdrWorldDef* def)
{
    def->timeStep = (double)NAN;
}
static void spoilIterations(pbdrWorldDef* def)
{
    def->iterations = 0;
}
static void spoilRelaxation(pbdrWorldDef* def)
{
    def->relaxation = 1.5;
}
static void spoilGravity(pbdrWorldDef* def)
{
    def->gravity.y = HUGE_VAL;
}
static void spoilCookie(pbdrWorldDef* def)
{
    def->cookie = 0;
}
static void spoilPrecision(pbdrWorldDef* def)
{
    def->precision = (pbdrPrecision)7;
}

static void world__refuses_bad_definitions_and_names_the_value(void)
{
    const struct {
        void (*spoil)(pbdrWorldDef*);
        const char* text;
    } cases[] = {{spoilStep, "timeStep: 0"},         {spoilStepNan, "timeStep: nan"},
                 {spoilIterations, "iterations: 0"}, {spoilRelaxation, "relaxation: 1.5"},
                 {spoilGravity, "gravity"},          {spoilCookie, "pbdrDefaultWorldDef"},
                 {spoilPrecision, "precision 7"}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pbdrError error = {0};
        CHECK(tryWorld(cases[k].spoil, &error) == pbdr_statusInvalidArgument);
        CHECK(error.status == pbdr_statusInvalidArgument);
        CHECK_TEXT(error.message, cases[k].text);
    }
    CHECK(pbdrCreateWorld(NULL, &(pbdrWorld*){NULL}, NULL) == pbdr_statusInvalidArgument);
}

static void body__refuses_bad_definitions_and_names_the_value(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    const double nan = (double)NAN;
    const pbdrVec3 good = {0.0, 0.0, 0.0}, bad = {0.0, nan, 0.0};
    const struct {
        int count;
        pbdrVec3 position;
        double radius, mass, friction;
        pbdrQuat rotation;
        pbdrVec3 velocity;
        pbdrStatus status;
        const char* text;
    } cases[] = {
        {0, good, 1, 1, 0, {1, 0, 0, 0}, good, pbdr_statusNoParticles, "0 spheres"},
        {-3, good, 1, 1, 0, {1, 0, 0, 0}, good, pbdr_statusNoParticles, "-3 spheres"},
        {2, bad, 1, 1, 0, {1, 0, 0, 0}, good, pbdr_statusInvalidArgument, "sphere 1: position (0, nan, 0)"},
        {2, good, -0.5, 1, 0, {1, 0, 0, 0}, good, pbdr_statusInvalidArgument, "sphere 1: radius -0.5"},
        {2, good, nan, 1, 0, {1, 0, 0, 0}, good, pbdr_statusInvalidArgument, "sphere 1: radius nan"},
        {2, good, 1, 0, 0, {1, 0, 0, 0}, good, pbdr_statusInvalidArgument, "sphere 1: mass 0"},
        {2, good, 1, nan, 0, {1, 0, 0, 0}, good, pbdr_statusInvalidArgument, "sphere 1: mass nan"},
        {2, good, 1, 1, -1, {1, 0, 0, 0}, good, pbdr_statusInvalidArgument, "friction: -1"},
        {2, good, 1, 1, 0, {0, 0, 0, 0}, good, pbdr_statusInvalidArgument, "rotation"},
        {2, good, 1, 1, 0, {1, 0, 0, 0}, bad, pbdr_statusInvalidArgument, "linear velocity"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const pbdrVec3 positions[2] = {good, cases[k].position};
        const double radii[2] = {1.0, cases[k].radius}, masses[2] = {1.0, cases[k].mass};
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.particleCount = cases[k].count;
        def.positions = positions;
        def.radii = radii;
        def.masses = masses;
        def.friction = cases[k].friction;
        def.rotation = cases[k].rotation;
        def.velocity.linear = cases[k].velocity;
        pbdrError error = {0};
        pbdrBodyId id = {9, 9, 9};
        CHECK(pbdrCreateBody(world, &def, &id, &error) == cases[k].status);
        CHECK_TEXT(error.message, cases[k].text);
        CHECK(!pbdrBody_IsValid(world, id));
    }
    pbdrBodyDef unset = {0};
    CHECK(pbdrCreateBody(world, &unset, NULL, NULL) == pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrWorld_Step(world, 3), 0);
    pbdrDestroyWorld(world);
}

static void body__refuses_masses_that_float_cannot_hold(void)
{
    pbdrWorldDef worldDef = makePbdRDef();
    worldDef.precision = pbdr_precisionF32;
    pbdrWorld* world = makeWorld(worldDef);
    const pbdrVec3 position = {0.0, 0.0, 0.0};
    const double radius = 1.0, mass = 1.0e-300;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 1;
    def.positions = &position;
    def.radii = &radius;
    def.masses = &mass;
    CHECK(pbdrCreateBody(world, &def, NULL, NULL) == pbdr_statusInvalidArgument);
    pbdrDestroyWorld(world);
}

static void plane__refuses_bad_definitions(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    pbdrError error = {0};
    pbdrPlaneDef def = pbdrDefaultPlaneDef();
    def.normal = (pbdrVec3){0.0, 0.0, 2.0};
    CHECK(pbdrCreatePlane(world, &def, NULL, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "(0, 0, 2)");
    def = pbdrDefaultPlaneDef();
    def.offset = (double)NAN;
    CHECK(pbdrCreatePlane(world, &def, NULL, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "offset: nan");
    pbdrDestroyWorld(world);
}

static void setters__refuse_what_is_not_finite(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    pbdrBodyId body = addCube(world, 2, 0.0, 0.0, 0.4);
    const pbdrVec3 bad = {(double)NAN, 0.0, 0.0};
    CHECK(pbdrBody_SetForce(world, body, bad) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetTorque(world, body, bad) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetPose(world, body, (pbdrPose){bad, {1, 0, 0, 0}}) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetVelocity(world, body, (pbdrVelocity){bad, bad}) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_SetGravity(world, bad) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_SetTimeStep(world, -1.0) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_SetIterations(world, 0) == pbdr_statusInvalidArgument);
    CHECK(pbdrWorld_SetRelaxation(world, 0.0) == pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrWorld_Step(world, 10), 0);
    pbdrDestroyWorld(world);
}

// --- Ids ---

static void ids__of_destroyed_things_are_stale(void)
{
    Ledger ledger = {0};
    pbdrWorldDef def = makePbdRDef();
    def.hooks = makeHooks(&ledger);
    pbdrWorld* world = makeWorld(def);
    pbdrBodyId first = addCube(world, 2, 0.0, 0.0, 0.4);
    pbdrPlaneId plane = addGround(world, 0.4);
    pbdrDestroyBody(world, first);
    pbdrDestroyPlane(world, plane);
    pbdrBodyId second = addCube(world, 2, 0.0, 0.0, 0.4);
    CHECK(!pbdrBody_IsValid(world, first) && pbdrBody_IsValid(world, second));
    CHECK(!pbdrPlane_IsValid(world, plane));
    CHECK(!pbdrBody_IsValid(world, (pbdrBodyId){0, 0, 0}));
    CHECK_EQ(ledger.assertions, 0);
    CHECK(pbdrBody_SetForce(world, first, (pbdrVec3){0, 0, 0}) == pbdr_statusInvalidId);
    CHECK_EQ(pbdrBody_GetMass(world, first), 0.0);
    CHECK_EQ(pbdrBody_GetParticles(world, first).count, 0);
    pbdrDestroyBody(world, first);
    CHECK_EQ(ledger.assertions, 4);
    pbdrDestroyWorld(world);
}

// Destroying a body moves the particles behind it; the others go on as if it had never been there.
static void destroy__leaves_the_other_bodies_bit_for_bit(void)
{
    for (int precision = 0; precision < 2; precision++) {
        pbdrWorldDef def = makePbdRDef();
        def.precision = (pbdrPrecision)precision;
        pbdrWorld *a = makeWorld(def), *b = makeWorld(def);
        addGround(a, 0.4), addGround(b, 0.4);
        pbdrBodyId gone = addCube(a, 3, 5.0, 0.0, 0.4);
        pbdrBodyId inA = addCube(a, 4, 0.0, 0.0, 0.4), inB = addCube(b, 4, 0.0, 0.0, 0.4);
        pbdrBody_SetForce(a, inA, (pbdrVec3){17, 3, 0}), pbdrBody_SetForce(b, inB, (pbdrVec3){17, 3, 0});
        pbdrDestroyBody(a, gone);
        pbdrWorld_Step(a, 50), pbdrWorld_Step(b, 50);
        pbdrPose poseA = pbdrBody_GetPose(a, inA), poseB = pbdrBody_GetPose(b, inB);
        CHECK(memcmp(&poseA, &poseB, sizeof poseA) == 0);
        pbdrDestroyWorld(a), pbdrDestroyWorld(b);
    }
}

// PBD-R, in the engine under test, and XPBD-R.
static const pbdrSolver solvers[] = {pbdr_solverPbdR, pbdr_solverXpbdR};

// --- Pose, velocity, views ---

static void pose__and_velocity_come_back_as_set(void)
{
    for (int k = 0; k < 4; k++) {
        int precision = k % 2;
        // positions of about 1 m, rounded once; a fit over 27 particles does no worse than one rounding
        const double eps = precision == 0 ? 1.2e-7 : 2.3e-16;
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.precision = (pbdrPrecision)precision;
        def.solver = solvers[k / 2];
        pbdrWorld* world = makeWorld(def);
        for (int kind = 0; kind < 3; kind++) {
            pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
            bodyDef.kind = (pbdrBodyKind)kind;
            pbdrBodyId body = addBlock(world, 3, 3, 3, 0.1, 2.0, bodyDef);
            pbdrPose pose = {{1.0, -2.0, 0.5}, {0.5, -0.5, 0.5, 0.5}};
            pbdrVelocity velocity = {{0.3, 0.2, 0.1}, {1.0, -2.0, 3.0}};
            CHECK(pbdrBody_SetPose(world, body, pose) == pbdr_statusOk);
            CHECK(pbdrBody_SetVelocity(world, body, velocity) ==
                  (kind == pbdr_bodyStatic ? pbdr_statusInvalidArgument : pbdr_statusOk));
            pbdrPose now = pbdrBody_GetPose(world, body);
            CHECK_LE(distance(now.position, pose.position), 4 * eps);
            pbdrQuat turn = pbdrMulQQ(now.rotation, pbdrConjugate(pose.rotation));
            double angle = 2.0 * atan2(pbdrLength(pbdrVec(turn.x, turn.y, turn.z)), fabs(turn.w));
            CHECK_LE(angle, 4 * eps / 0.2); // roundings at 2 m over offsets of 0.2 m
            if (kind != pbdr_bodyStatic) {
                pbdrVelocity got = pbdrBody_GetVelocity(world, body);
                CHECK_LE(distance(got.linear, velocity.linear), 8 * eps);
                CHECK_LE(distance(got.angular, velocity.angular), 100 * eps); // speeds over offsets of 0.2 m
            }
        }
        pbdrDestroyWorld(world);
    }
}

static void view__shows_the_solvers_own_arrays(void)
{
    NEED_PARTICLES();
    pbdrWorldDef def = makePbdRDef();
    pbdrWorld* world = makeWorld(def);
    pbdrBodyId body = addCube(world, 2, 1.0, 0.0, 0.4);
    pbdrParticleView view = pbdrBody_GetParticles(world, body);
    CHECK_EQ(view.count, 8);
    CHECK(view.x.f64 != NULL && view.x.f32 == NULL);
    CHECK_NEAR(view.x.f64[0], 0.95, 1e-15);
    CHECK_NEAR(view.restZ.f64[7], 0.05, 1e-15);
    CHECK_EQ(view.mass.f64[3], 0.5);
    CHECK_EQ(view.radius.f64[3], 0.05);
    pbdrBody_SetVelocity(world, body, (pbdrVelocity){{2.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    CHECK_EQ(view.vx.f64[5], 2.0);
    pbdrDestroyWorld(world);

    def.precision = pbdr_precisionF32;
    world = makeWorld(def);
    view = pbdrBody_GetParticles(world, addCube(world, 2, 1.0, 0.0, 0.4));
    CHECK(view.x.f32 != NULL && view.x.f64 == NULL);
    pbdrDestroyWorld(world);
}

// x = c + R q in the order of the definition, whatever the engine's own order is; what has no particles shows
// none.
static void positions__are_in_the_order_of_the_definition(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = solvers[k];
        pbdrWorld* world = makeWorld(def);
        pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
        bodyDef.position = pbdrVec(1.0, 2.0, 3.0);
        bodyDef.rotation = (pbdrQuat){sqrt(0.5), 0.0, 0.0, sqrt(0.5)}; // x to y
        pbdrBodyId body = addBlock(world, 5, 4, 3, 0.05, 1.0, bodyDef);
        pbdrVec3 at[60];
        CHECK_EQ(pbdrBody_GetPositions(world, body, NULL, 0), 60);
        CHECK_EQ(pbdrBody_GetPositions(world, body, at, 60), 60);
        pbdrParticleView view = pbdrBody_GetParticles(world, body);
        CHECK((view.x.f64 == NULL) == (pbdrWorld_GetEngine(world) != pbdr_engineParticle));
        for (int i = 0; i < 60; i++) {
            const pbdrVec3 q = pbdrShape_GetOffsets(pbdrBody_GetShape(world, body))[i];
            CHECK_LE(distance(at[i], pbdrVec(1.0 - q.y, 2.0 + q.x, 3.0 + q.z)), 1e-15);
        }
        pbdrDestroyWorld(world);
    }
}

static void constants__are_those_of_the_point_masses(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    const pbdrVec3 positions[2] = {{1.0, 5.0, 0.0}, {4.0, 5.0, 0.0}};
    const double radii[2] = {0.1, 0.2}, masses[2] = {2.0, 1.0};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 2;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    pbdrBodyId body;
    CHECK(pbdrCreateBody(world, &def, &body, NULL) == pbdr_statusOk);
    CHECK_EQ(pbdrBody_GetMass(world, body), 3.0);
    CHECK_LE(distance(pbdrBody_GetRestCentre(world, body), (pbdrVec3){2.0, 5.0, 0.0}), 1e-15);
    // reduced mass 2/3 kg times 3 m squared
    CHECK_NEAR(pbdrBody_GetRestInertia(world, body).m[2][2], 6.0, 1e-14);
    CHECK_NEAR(pbdrBody_GetRestInertia(world, body).m[0][0], 0.0, 1e-15);
    pbdrDestroyWorld(world);
}

// Each setter acts. A sphere on the ground keeps 0.1^k of the speed g dt after k iterations at relaxation
// 0.9, 0.5^k at 0.5.
static void setters__change_what_they_name(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    addGround(world, 0.0);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, 0.1);
    pbdrBodyId ball = addBlock(world, 1, 1, 1, 0.1, 1.0, def);
    const pbdrPose start = {def.position, {1.0, 0.0, 0.0, 0.0}};
    const pbdrVelocity rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const struct {
        int iterations;
        double relaxation, dt, gravity;
    } cases[] = {{1, 0.9, 1e-3, 9.81}, {2, 0.9, 1e-3, 9.81}, {2, 0.5, 1e-3, 9.81}, {3, 0.5, 2e-3, 1.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        CHECK(pbdrWorld_SetIterations(world, cases[k].iterations) == pbdr_statusOk);
        CHECK(pbdrWorld_SetRelaxation(world, cases[k].relaxation) == pbdr_statusOk);
        CHECK(pbdrWorld_SetTimeStep(world, cases[k].dt) == pbdr_statusOk);
        CHECK(pbdrWorld_SetGravity(world, pbdrVec(0.0, 0.0, -cases[k].gravity)) == pbdr_statusOk);
        CHECK(pbdrBody_SetPose(world, ball, start) == pbdr_statusOk);
        CHECK(pbdrBody_SetVelocity(world, ball, rest) == pbdr_statusOk);
        pbdrWorld_Step(world, 1);
        double expected =
            -cases[k].gravity * cases[k].dt * pow(1.0 - cases[k].relaxation, cases[k].iterations);
        CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.z, expected, 1e-13);
    }
    CHECK_EQ(pbdrWorld_GetIterations(world), 3);
    CHECK_EQ(pbdrWorld_GetRelaxation(world), 0.5);
    CHECK_EQ(pbdrWorld_GetTimeStep(world), 2e-3);
    CHECK_EQ(pbdrWorld_GetGravity(world).z, -1.0);
    pbdrDestroyWorld(world);
}

static void velocity__setting_it_keeps_the_pose_and_contacts_follow_the_pose(void)
{
    pbdrWorld* world = makeWorld(makePbdRDef());
    addGround(world, 0.4);
    pbdrBodyId body = addCube(world, 2, 0.0, 0.0, 0.4);
    pbdrWorld_Step(world, 1);
    CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 4);
    const pbdrPose pose = {{1.0, 2.0, 7.0}, {0.6, 0.0, 0.8, 0.0}};
    CHECK(pbdrBody_SetPose(world, body, pose) == pbdr_statusOk);
    CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
    CHECK(pbdrBody_SetVelocity(world, body, (pbdrVelocity){{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}) ==
          pbdr_statusOk);
    pbdrPose now = pbdrBody_GetPose(world, body);
    CHECK_LE(distance(now.position, pose.position), 1e-14);
    CHECK_NEAR(now.rotation.y, 0.8, 1e-14);
    pbdrBodyId ids[2];
    CHECK_EQ(pbdrWorld_GetBodies(world, ids, 2), 1);
    CHECK(ids[0].index1 == body.index1 && pbdrBody_GetKind(world, body) == pbdr_bodyDynamic);
    CHECK(pbdrBody_SetFriction(world, body, -1.0) == pbdr_statusInvalidArgument);
    CHECK(pbdrBody_SetFriction(world, body, 0.7) == pbdr_statusOk);
    CHECK_EQ(pbdrBody_GetFriction(world, body), 0.7);
    pbdrDestroyWorld(world);
}

// A body that has diverged is brought back by its pose, then by its velocity; the other order is refused, not
// obeyed with NaN.
static void pose__brings_a_diverged_body_back(void)
{
    for (int k = 0; k < 4; k++) {
        int precision = k % 2;
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.precision = (pbdrPrecision)precision;
        def.solver = solvers[k / 2];
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.4);
        pbdrBodyId body = addCube(world, 2, 0.0, 0.0, 0.4);
        bool inFloat = precision == 0 && pbdrWorld_GetEngine(world) == pbdr_engineParticle;
        pbdrBody_SetForce(world, body, pbdrVec(inFloat ? 1e300 : 1.7e308, 0.0, 0.0));
        pbdrWorld_SetTimeStep(world, 1e3);
        CHECK((pbdrWorld_Step(world, 100) & pbdr_stepNotFinite) != 0);
        pbdrBody_SetForce(world, body, pbdrVec(0.0, 0.0, 0.0));
        pbdrWorld_SetTimeStep(world, 1e-3);
        const pbdrVelocity slow = {{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        CHECK(pbdrBody_SetVelocity(world, body, slow) == pbdr_statusInvalidArgument);
        // onto the ground, then above it
        CHECK(pbdrBody_SetPose(world, body, (pbdrPose){{0, 0, 0.1}, {1, 0, 0, 0}}) == pbdr_statusOk);
        CHECK(pbdrBody_SetVelocity(world, body, (pbdrVelocity){{0, 0, 0}, {0, 0, 0}}) == pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 10), 0);
        CHECK_NEAR(pbdrBody_GetPose(world, body).position.z, 0.1, 1e-4);
        CHECK(pbdrBody_SetPose(world, body, (pbdrPose){{0, 0, 1}, {1, 0, 0, 0}}) == pbdr_statusOk);
        CHECK(pbdrBody_SetVelocity(world, body, slow) == pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 10), 0);
        CHECK_NEAR(pbdrBody_GetPose(world, body).position.x, 0.01, 1e-6);
        // what the precision cannot hold is refused
        CHECK(pbdrBody_SetPose(world, body, (pbdrPose){{1e39, 0, 1}, {1, 0, 0, 0}}) ==
              (precision == 0 ? pbdr_statusInvalidArgument : pbdr_statusOk));
        pbdrDestroyWorld(world);
    }
}

static void mixing__follows_the_stated_rule(void)
{
    // Braking of a sliding sphere is mu g: measure mu of each rule from one substep's loss of speed at rest
    // on the ground.
    const double expected[] = {0.4, 0.2, 0.8, 0.5}; // sqrt(.2 .8), min, max, mean
    for (int mixing = 0; mixing < 4; mixing++) {
        pbdrWorldDef def = makePbdRDef();
        def.mixing = (pbdrFrictionMixing)mixing;
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.2);
        pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
        bodyDef.friction = 0.8;
        bodyDef.position = (pbdrVec3){0.0, 0.0, 0.1};
        bodyDef.velocity.linear = (pbdrVec3){100.0, 0.0, 0.0};
        pbdrBodyId body = addBlock(world, 1, 1, 1, 0.1, 1.0, bodyDef);
        pbdrWorld_Step(world, 1);
        // of the penetration g dt^2, 1 - 0.1^10 is corrected in ten iterations at relaxation 0.9
        double lost = 100.0 - pbdrBody_GetVelocity(world, body).linear.x;
        CHECK_NEAR(lost / (9.81e-3), expected[mixing], 1e-9);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"world__refuses_bad_definitions_and_names_the_value",
           world__refuses_bad_definitions_and_names_the_value},
          {"body__refuses_bad_definitions_and_names_the_value",
           body__refuses_bad_definitions_and_names_the_value},
          {"body__refuses_masses_that_float_cannot_hold", body__refuses_masses_that_float_cannot_hold},
          {"plane__refuses_bad_definitions", plane__refuses_bad_definitions},
          {"setters__refuse_what_is_not_finite", setters__refuse_what_is_not_finite},
          {"ids__of_destroyed_things_are_stale", ids__of_destroyed_things_are_stale},
          {"destroy__leaves_the_other_bodies_bit_for_bit", destroy__leaves_the_other_bodies_bit_for_bit},
          {"pose__and_velocity_come_back_as_set", pose__and_velocity_come_back_as_set},
          {"view__shows_the_solvers_own_arrays", view__shows_the_solvers_own_arrays},
          {"positions__are_in_the_order_of_the_definition", positions__are_in_the_order_of_the_definition},
          {"constants__are_those_of_the_point_masses", constants__are_those_of_the_point_masses},
          {"setters__change_what_they_name", setters__change_what_they_name},
          {"velocity__setting_it_keeps_the_pose_and_contacts_follow_the_pose",
           velocity__setting_it_keeps_the_pose_and_contacts_follow_the_pose},
          {"pose__brings_a_diverged_body_back", pose__brings_a_diverged_body_back},
          {"mixing__follows_the_stated_rule", mixing__follows_the_stated_rule});
}
