// The ledger against closed forms and against its own balance: what a world holds changes by what the ledger
// says went in and out.
//
//   K + U - work - friction = constant        while nothing is lost along normals (no impacts)
#include "scenes.h"

#include "world/internal.h"

#define GRAVITY 9.81
#define DT 1.0e-3

// A world with the ledger on.
static pbdrWorld* makeLedgerWorld(pbdrWorldDef def)
{
    pbdrWorld* world = makeWorld(def);
    pbdrWorld_SetLedger(world, true);
    CHECK(pbdrWorld_HasLedger(world));
    return world;
}

static pbdrWorldDef getXpbdrDef(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    return def;
}

// An engine that moves nothing and tells of a residual.
static double residualToTell;
static pbdrScene* sceneToTell;

static void stepWithResidual(void* engine)
{
    (void)engine;
    sceneToTell->residual = residualToTell;
}

static pbdrLedger takeRow(pbdrWorld* world)
{
    pbdrLedger row;
    pbdrWorld_TakeLedger(world, &row);
    return row;
}

static double getBalance(const pbdrLedger* row)
{
    return row->kineticEnergy + row->potentialEnergy - row->work - row->friction;
}

// Free flight of a box that spins: P = M v, K, U and L from the definitions; energy is kept to the order of the
// integrator (XPBD-R: exact along the parabola; PBD-R: semi-implicit Euler goes g t dt/2 further down, and its
// spin has an error of (w dt)^2; PBD loses spin).
static void flight__has_its_momentum_and_energy(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeLedgerWorld(getEngineDef(k));
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = (pbdrVec3){1.0, 2.0, 3.0};
        body.velocity = (pbdrVelocity){{0.5, -1.0, 2.0}, {0.0, 0.0, 3.0}};
        pbdrBodyId box = addBlock(world, 3, 3, 3, 0.05, 2.0, body);
        const double spin = pbdrBody_GetRestInertia(world, box).m[2][2];
        pbdrLedger row = takeRow(world);
        CHECK_EQ(row.time, 0.0);
        CHECK_NEAR(row.momentum.x, 1.0, 1.0e-14);
        CHECK_NEAR(row.momentum.z, 4.0, 1.0e-14);
        // c x P = (1, 2, 3) x (1, -2, 4) = (14, -1, -4)
        CHECK_NEAR(row.angularMomentum.x, 14.0, 1.0e-13);
        CHECK_NEAR(row.angularMomentum.y, -1.0, 1.0e-13);
        CHECK_NEAR(row.angularMomentum.z, -4.0 + 3.0 * spin, 1.0e-13);
        CHECK_NEAR(row.kineticEnergy, 0.5 * 2.0 * 5.25 + 0.5 * 9.0 * spin, 1.0e-13);
        CHECK_NEAR(row.potentialEnergy, 2.0 * GRAVITY * 3.0, 1.0e-13);
        const double before = getBalance(&row);
        pbdrWorld_Step(world, 100);
        row = takeRow(world);
        CHECK_NEAR(row.time, 0.1, 1.0e-15);
        CHECK_NEAR(row.momentum.z, 4.0 - 2.0 * GRAVITY * 0.1, 1.0e-10);
        if (k > 0) {
            const double euler = k < 3 ? 2.0 * GRAVITY * GRAVITY * 0.1 * DT / 2.0 : 0.0;
            const double turned = k < 3 ? 0.5 * 9.0 * spin * (3.0 * DT) * (3.0 * DT) : 0.0;
            CHECK_NEAR(getBalance(&row) - before, -euler, 1.0e-12 + turned);
        }
        CHECK_EQ(row.work, 0.0);
        CHECK_EQ(row.friction, 0.0);
        CHECK_EQ(row.contacts, 0.0);
        CHECK_EQ(row.penetration, 0.0);
        CHECK(isnan(row.newtonSteps) == (k < 3));
        pbdrDestroyWorld(world);
    }
}

// A box is pulled over the ground by F > mu M g: friction's work is -mu M g d and that of the pull F d; XPBD-R
// to rounding, PBD and PBD-R to the order of a substep in the way.
static void sliding__friction_takes_mu_m_g_d(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeLedgerWorld(getEngineDef(k));
        addGround(world, 0.4);
        pbdrBodyId box = addCube(world, 4, 0.0, 0.0, 0.4);
        pbdrWorld_Step(world, 100); // settled
        pbdrLedger start = takeRow(world);
        const double from = pbdrBody_GetPose(world, box).position.x;
        pbdrBody_SetForce(world, box, (pbdrVec3){25.0, 0.0, 0.0});
        pbdrWorld_Step(world, 500);
        pbdrLedger row = takeRow(world);
        const double way = pbdrBody_GetPose(world, box).position.x - from;
        CHECK_GE(way, 0.25);
        // a substep's way, F v dt/2, is what Euler's work is off by
        const double euler = k < 3 ? 25.0 * row.momentum.x / 4.0 * DT : 0.0;
        CHECK_NEAR(row.work, 25.0 * way, 1.0e-12);
        CHECK_NEAR(row.friction - start.friction, -0.4 * 4.0 * GRAVITY * way, 1.0e-10 + euler);
        CHECK_NEAR(getBalance(&row), getBalance(&start), 1.0e-10 + euler);
        if (k == 3) {
            CHECK_EQ(row.slip, 0.0); // what slides does not stick; PBD's first substep is not at its bound
        }
        CHECK_GE(row.contacts, 16.0);
        pbdrDestroyWorld(world);
    }
}

// A force for one step, at a point and through several substeps, and a torque: their work is in.
static void applied_forces__of_one_step_count(void)
{
    pbdrWorldDef def = getXpbdrDef();
    def.gravity = (pbdrVec3){0.0, 0.0, 0.0};
    pbdrWorld* world = makeLedgerWorld(def);
    pbdrBodyId box = addCube(world, 3, 0.0, 0.0, 0.4);
    pbdrBody_ApplyForce(world, box, (pbdrVec3){3.0, 0.0, 0.0}, (pbdrVec3){0.0, 0.0, 0.1});
    pbdrBody_ApplyTorque(world, box, (pbdrVec3){0.0, 0.0, 0.2});
    pbdrWorld_Step(world, 50);
    pbdrWorld_Step(world, 50); // without them
    const double v = 3.0 / 4.0 * 0.05, inertia = pbdrBody_GetRestInertia(world, box).m[2][2];
    pbdrLedger row = takeRow(world);
    CHECK_NEAR(row.kineticEnergy, 0.5 * 4.0 * v * v + 0.5 * 0.01 * 0.01 / inertia, 1.0e-12);
    CHECK_NEAR(row.work, row.kineticEnergy, 1.0e-12);
    pbdrDestroyWorld(world);
}

// A kinematic rod pushes a box at constant speed: the work that it does by contact is what friction takes, and
// the kinetic energy that the box has got.
static void pushing__kinematic_bodies_do_work(void)
{
    pbdrWorld* world = makeLedgerWorld(getXpbdrDef());
    addGround(world, 0.4);
    pbdrShape* shape = NULL; // by its surface: the rod presses along x only
    pbdrError error;
    require(pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &shape, &error), &error);
    pbdrBodyDef box = pbdrDefaultBodyDef();
    box.position = (pbdrVec3){0.0, 0.0, 0.1};
    box.friction = 0.4;
    require(pbdrCreateBodyFromShape(world, &box, shape, NULL, &error), &error);
    pbdrReleaseShape(shape);
    pbdrBodyDef rod = pbdrDefaultBodyDef();
    rod.kind = pbdr_bodyKinematic;
    rod.position = (pbdrVec3){-0.2, 0.0, 0.1};
    rod.velocity.linear = (pbdrVec3){0.3, 0.0, 0.0};
    rod.friction = 0.0;
    addBlock(world, 1, 1, 1, 0.05, 1.0, rod);
    pbdrWorld_Step(world, 400); // it meets the box, an impact, and pushes
    pbdrLedger start = takeRow(world);
    pbdrWorld_Step(world, 1000);
    pbdrLedger row = takeRow(world);
    CHECK_NEAR(row.momentum.x, 4.0 * 0.3, 1.0e-10);
    CHECK_NEAR(row.work - start.work, 0.4 * 4.0 * GRAVITY * 0.3, 1.0e-9);
    CHECK_NEAR(row.friction - start.friction, -0.4 * 4.0 * GRAVITY * 0.3, 1.0e-9);
    CHECK_NEAR(getBalance(&row), getBalance(&start), 1.0e-10);
    pbdrDestroyWorld(world);
}

// A ball falls on rough ground while it flies along: what friction takes in the impact is, by Kelvin's formula,
// J.(u0 + u1)/2. Without gravity, along x: m v0^2/2 -> m v1^2/2 + I w^2/2 with v1 = 5/7 v0 where it sticks.
static void impact__friction_takes_what_sliding_loses(void)
{
    pbdrWorldDef def = getXpbdrDef();
    def.gravity = (pbdrVec3){0.0, 0.0, 0.0};
    pbdrWorld* world = makeLedgerWorld(def);
    addGround(world, 2.0);
    pbdrShape* ball = NULL;
    pbdrError error;
    require(pbdrCreateBallShape(0.1, 1.0, &ball, &error), &error);
    pbdrBodyDef body = pbdrDefaultBodyDef();
    body.position = (pbdrVec3){0.0, 0.0, 0.1005};
    body.velocity.linear = (pbdrVec3){0.7, 0.0, -1.0};
    body.friction = 2.0;
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &body, ball, &id, &error), &error);
    pbdrReleaseShape(ball);
    pbdrWorld_Step(world, 10);
    pbdrLedger row = takeRow(world);
    CHECK_NEAR(pbdrBody_GetVelocity(world, id).linear.x, 0.5, 1.0e-9);
    // K0 - K1 along x = 0.245 - (0.125 + 0.05)
    CHECK_NEAR(row.friction, -0.07, 1.0e-10);
    CHECK_NEAR(row.kineticEnergy, 0.175, 1.0e-10);
    pbdrDestroyWorld(world);
}

// A box set down with an overlap of 1 mm, of which each of ten iterations takes a quarter: some is left after
// the first substep, and none when the box has been thrown up by it. Largest values of a row start anew.
static void rows__start_anew(void)
{
    pbdrWorldDef def = makePbdRDef();
    def.engine = pbdr_engineReduced;
    def.relaxation = 0.25;
    def.iterations = 10;
    pbdrWorld* world = makeLedgerWorld(def);
    addGround(world, 0.4);
    pbdrBodyDef body = pbdrDefaultBodyDef();
    body.position = (pbdrVec3){0.0, 0.0, 0.1 - 1.0e-3};
    addBlock(world, 3, 3, 3, 0.1 / 3.0, 4.0, body);
    pbdrWorld_Step(world, 1);
    pbdrLedger row = takeRow(world);
    CHECK_GE(row.penetration, 1.0e-4);
    CHECK_LE(row.penetration, 1.0e-3);
    pbdrWorld_Step(world, 10);
    row = takeRow(world);
    CHECK_LE(row.penetration, 1.0e-6);
    pbdrWorld_GetLedger(world, &row); // a row without substeps
    CHECK_EQ(row.penetration, 0.0);
    CHECK_EQ(row.slip, 0.0);
    pbdrDestroyWorld(world);
}

// A box on a slope that holds it: it sticks, and its slip is as small as its creep. The deepest overlap is that
// of the contact list.
static void sticking__slip_and_penetration_are_the_contacts(void)
{
    pbdrWorldDef def = getXpbdrDef();
    def.gravity = (pbdrVec3){2.0, 0.0, -9.6};
    pbdrWorld* world = makeLedgerWorld(def);
    addGround(world, 0.4);
    addCube(world, 4, 0.0, 0.0, 0.4);
    pbdrWorld_Step(world, 200);
    takeRow(world);
    pbdrWorld_Step(world, 1);
    pbdrLedger row = takeRow(world);
    CHECK_LE(row.slip, 1.0e-12);
    pbdrContact contacts[64];
    const int count = pbdrWorld_GetContacts(world, contacts, 64);
    CHECK_EQ(row.contacts, count);
    double deepest = 0.0;
    for (int k = 0; k < count; k++) {
        deepest = fmax(deepest, -contacts[k].separation);
    }
    CHECK_EQ(row.penetration, deepest);
    pbdrDestroyWorld(world);
}

// The ledger changes no bit, counts what the profile counts, and leaves the profile alone.
static void ledger__changes_nothing(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld *with = makeLedgerWorld(getEngineDef(k)), *without = makeWorld(getEngineDef(k));
        pbdrWorld* both[] = {with, without};
        for (int i = 0; i < 2; i++) {
            addGround(both[i], 0.4);
            addCube(both[i], 3, 0.0, 0.0, 0.4);
            pbdrBodyDef upper = pbdrDefaultBodyDef();
            upper.position = (pbdrVec3){0.03, 0.01, 0.31};
            upper.velocity.angular = (pbdrVec3){1.0, 0.5, 0.2};
            addBlock(both[i], 3, 3, 3, 0.1 / 3.0, 4.0, upper);
        }
        pbdrWorld_SetProfiling(without, true);
        pbdrWorld_Step(with, 150), pbdrWorld_Step(without, 150);
        CHECK(haveSameState(with, without));
        pbdrProfile profile;
        pbdrWorld_GetProfile(without, &profile);
        pbdrLedger row;
        pbdrWorld_GetLedger(with, &row);
        if (k == 3) {
            CHECK_EQ(row.newtonSteps, (double)profile.newtonSteps.sum);
            CHECK_GE(row.newtonSteps, 10.0);
        }
        pbdrWorld_GetProfile(with, &profile);
        CHECK(profile.newtonSteps.sum == 0 && profile.sweepCount == 0 && profile.substepCount == 0);
        pbdrWorld_GetLedger(without, &row); // off: what substeps would add to is not known
        CHECK(isnan(row.work) && isnan(row.friction) && isnan(row.penetration) && isnan(row.slip));
        static pbdrContact contacts[64];
        const int count = pbdrWorld_GetContacts(without, contacts, 64);
        CHECK(count >= 6 && count < 64); // three a face at least
        CHECK_EQ(row.contacts, count);
        pbdrDestroyWorld(with), pbdrDestroyWorld(without);
    }
}

// The largest residual that the engine tells of in a row, and not known where it tells none.
static void residual__is_the_largest_of_the_row(void)
{
    pbdrWorld* world = makeLedgerWorld(getXpbdrDef());
    addCube(world, 2, 0.0, 0.0, 0.4);
    const pbdrEngineTable* engine = world->engine;
    pbdrEngineTable telling = *engine;
    telling.step = stepWithResidual;
    world->engine = &telling;
    sceneToTell = &world->scene;
    static const double told[] = {1.0e-9, 3.0e-7, 2.0e-8};
    for (int k = 0; k < 3; k++) {
        residualToTell = told[k];
        pbdrWorld_Step(world, 1);
    }
    CHECK_EQ(takeRow(world).residual, 3.0e-7);
    residualToTell = 1.0e-10;
    pbdrWorld_Step(world, 1);
    CHECK_EQ(takeRow(world).residual, 1.0e-10);
    residualToTell = (double)NAN;
    pbdrWorld_Step(world, 1);
    residualToTell = 1.0e-10;
    pbdrWorld_Step(world, 1);
    CHECK(isnan(takeRow(world).residual));
    world->engine = engine;
    pbdrDestroyWorld(world);
}

static void columns__have_names_and_values(void)
{
    static const char* const names[] = {"t",           "px",       "py",           "pz",
                                        "lx",          "ly",       "lz",           "kinetic_J",
                                        "potential_J", "work_J",   "friction_J",   "penetration_m",
                                        "slip_m",      "contacts", "newton_steps", "residual"};
    const pbdrLedger row = {.time = 1.0, .momentum = {2.0, 3.0, 4.0}, .penetration = 12.0, .residual = 16.0};
    for (int column = 0; column < PBDR_LEDGER_COLUMNS; column++) {
        CHECK(strcmp(pbdrGetLedgerColumn(column), names[column]) == 0);
        CHECK_EQ(pbdrFindLedgerColumn(names[column]), column);
    }
    CHECK_EQ(pbdrFindLedgerColumn("penetration"), 11);
    CHECK_EQ(pbdrFindLedgerColumn("newton"), -1);
    CHECK_EQ(pbdrFindLedgerColumn("kinetic_"), -1);
    CHECK_EQ(pbdrFindLedgerColumn(""), -1);
    CHECK_EQ(pbdrFindLedgerColumn(NULL), -1);
    CHECK(pbdrGetLedgerColumn(-1) == NULL && pbdrGetLedgerColumn(PBDR_LEDGER_COLUMNS) == NULL);
    CHECK_EQ(pbdrLedger_GetValue(&row, 0), 1.0);
    CHECK_EQ(pbdrLedger_GetValue(&row, 3), 4.0);
    CHECK_EQ(pbdrLedger_GetValue(&row, 11), 12.0);
    CHECK_EQ(pbdrLedger_GetValue(&row, 15), 16.0);
    CHECK(isnan(pbdrLedger_GetValue(&row, 16)));
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"flight__has_its_momentum_and_energy", flight__has_its_momentum_and_energy},
        {"sliding__friction_takes_mu_m_g_d", sliding__friction_takes_mu_m_g_d},
        {"applied_forces__of_one_step_count", applied_forces__of_one_step_count},
        {"pushing__kinematic_bodies_do_work", pushing__kinematic_bodies_do_work},
        {"impact__friction_takes_what_sliding_loses", impact__friction_takes_what_sliding_loses},
        {"rows__start_anew", rows__start_anew},
        {"sticking__slip_and_penetration_are_the_contacts", sticking__slip_and_penetration_are_the_contacts},
        {"ledger__changes_nothing", ledger__changes_nothing},
        {"residual__is_the_largest_of_the_row", residual__is_the_largest_of_the_row},
        {"columns__have_names_and_values", columns__have_names_and_values});
}
