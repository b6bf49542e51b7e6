// Memory of a world: all of it is counted, given back, and done without where it cannot be had.
#include "scenes.h"

// A world with everything in it: planes, dynamic, static and pushing bodies, contacts of both kinds.
static pbdrStatus buildFull(const pbdrHooks* hooks, pbdrSolver solver, pbdrWorld** world)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.hooks = *hooks;
    def.solver = solver;
    def.engine = solver == pbdr_solverXpbdR ? pbdr_engineAuto : getTestEngine();
    pbdrStatus status = pbdrCreateWorld(&def, world, NULL);
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    for (int k = 0; k < 2 && status == pbdr_statusOk; k++) {
        plane.offset = 0.01 * k - 0.01; // the second one is touched: its row of slots lies behind the first's
        status = pbdrCreatePlane(*world, &plane, NULL, NULL);
    }
    for (int k = 0; k < 3 && status == pbdr_statusOk; k++) {
        pbdrSphereSet set = {0};
        status = pbdrPackBox(3, 3, 3, 0.03, 1.0, hooks, &set, NULL);
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.kind = (pbdrBodyKind)k;
        body.particleCount = set.count;
        body.positions = set.positions;
        body.radii = set.radii;
        body.masses = set.masses;
        body.position = (pbdrVec3){0.17999 * k, 0.0, 0.09};
        if (status == pbdr_statusOk) {
            status = pbdrCreateBody(*world, &body, NULL, NULL);
        }
        pbdrSphereSet_Free(&set);
    }
    return status;
}

// PBD-R, in the engine under test, and XPBD-R.
static const pbdrSolver solvers[] = {pbdr_solverPbdR, pbdr_solverXpbdR};

static void memory__goes_back_to_zero(void)
{
    for (int k = 0; k < 2; k++) {
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        pbdrWorld* world = NULL;
        CHECK(buildFull(&hooks, solvers[k], &world) == pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 1), 0);
        CHECK(pbdrWorld_GetContacts(world, NULL, 0) == 9 + 9); // the upper plane's, and the static body's
        CHECK(ledger.bytes > 0 && pbdrWorld_GetByteCount(world) <= ledger.bytes);
        pbdrBodyId bodies[3];
        CHECK_EQ(pbdrWorld_GetBodies(world, bodies, 3), 3);
        pbdrDestroyBody(world, bodies[1]);
        CHECK_EQ(pbdrWorld_Step(world, 3), 0);
        addCube(world, 2, 1.0, 0.0, 0.4); // in its place
        CHECK_EQ(pbdrWorld_Step(world, 3), 0);
        pbdrDestroyWorld(world);
        CHECK_EQ(ledger.bytes, 0);
        CHECK_EQ(ledger.blocks, 0);
    }
}

// Builds, steps, saves, steps on and restores with the failAt-th allocation failing. Returns whether one did.
static bool runShortOfMemory(pbdrSolver solver, int failAt)
{
    Ledger ledger = {.failAt = failAt};
    pbdrHooks hooks = makeHooks(&ledger);
    pbdrWorld *world = NULL, *other = NULL;
    pbdrStatus status = buildFull(&hooks, solver, &world);
    CHECK(status == pbdr_statusOk || status == pbdr_statusNoMemory);
    if (world != NULL) {
        // a failure in here raises a flag and loses contacts, no more
        uint32_t flags = pbdrWorld_Step(world, 3);
        CHECK((flags & ~(uint32_t)pbdr_stepPairsFull) == 0);
    }
    if (status == pbdr_statusOk && buildFull(&hooks, solver, &other) == pbdr_statusOk) {
        size_t size;
        unsigned char* state = saveState(world, &size);
        status = pbdrWorld_SetState(other, state, size, NULL);
        CHECK(status == pbdr_statusOk ? haveSameState(world, other) : status == pbdr_statusNoMemory);
        CHECK((pbdrWorld_Step(other, 3) & ~(uint32_t)pbdr_stepPairsFull) == 0);
        free(state);
    }
    pbdrDestroyWorld(world);
    pbdrDestroyWorld(other);
    CHECK_EQ(ledger.bytes, 0);
    CHECK_EQ(ledger.blocks, 0);
    return ledger.allocations >= failAt;
}

static void memory__failure_at_any_allocation_is_clean(void)
{
    for (int k = 0; k < 2; k++) {
        int failAt = 1;
        while (failAt < 400 && runShortOfMemory(solvers[k], failAt)) {
            failAt++;
        }
        CHECK_GE(failAt, 60);
        CHECK_LE(failAt, 390); // every place has been tried
    }
}

// --- Shapes, snapshots and the ledger ---

#define SNAPSHOT_NAME "memory_test.snap"

// Two boxes of one shape with a true surface on the ground, one above the other, and the ledger on.
static pbdrStatus buildBoxes(const pbdrHooks* hooks, pbdrSolver solver, pbdrWorld** world)
{
    pbdrSphereSet set = {0};
    pbdrShape* shape = NULL;
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.hooks = *hooks;
    def.solver = solver;
    def.engine = solver == pbdr_solverXpbdR ? pbdr_engineAuto : getTestEngine();
    pbdrStatus status = pbdrPackBox(2, 2, 2, 0.05, 1.0, hooks, &set, NULL);
    if (status == pbdr_statusOk) {
        pbdrShapeDef made = pbdrDefaultShapeDef();
        made.hooks = *hooks;
        made.sphereCount = set.count;
        made.positions = set.positions;
        made.radii = set.radii;
        made.masses = set.masses;
        made.surface.kind = pbdr_surfaceBox;
        made.surface.half = (pbdrVec3){0.1, 0.1, 0.1};
        made.surface.counts[0] = made.surface.counts[1] = made.surface.counts[2] = 1;
        status = pbdrCreateShape(&made, &shape, NULL);
    }
    status = status != pbdr_statusOk ? status : pbdrCreateWorld(&def, world, NULL);
    const pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    status = status != pbdr_statusOk ? status : pbdrCreatePlane(*world, &plane, NULL, NULL);
    for (int k = 0; k < 2 && status == pbdr_statusOk; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = (pbdrVec3){0.01 * k, 0.0, 0.1 + 0.2 * k};
        status = pbdrCreateBodyFromShape(*world, &body, shape, NULL, NULL);
    }
    if (status == pbdr_statusOk) {
        pbdrWorld_SetLedger(*world, true);
    }
    pbdrReleaseShape(shape);
    pbdrSphereSet_Free(&set);
    return status;
}

// Builds, steps, saves a file and loads it into a second world, with the failAt-th allocation failing: a status
// each time, and a world that could not load stays as it was. Returns whether one did fail.
static bool runSnapshotShortOfMemory(pbdrSolver solver, int failAt)
{
    Ledger ledger = {.failAt = failAt};
    pbdrHooks hooks = makeHooks(&ledger);
    pbdrWorld *world = NULL, *other = NULL;
    pbdrError error = {0};
    pbdrStatus status = buildBoxes(&hooks, solver, &world);
    CHECK(status == pbdr_statusOk || status == pbdr_statusNoMemory);
    if (status == pbdr_statusOk) {
        const int before = ledger.allocations;
        const uint32_t flags = pbdrWorld_Step(world, 3);
        CHECK((flags & ~(uint32_t)pbdr_stepPairsFull) == 0);
        pbdrLedger row;
        pbdrWorld_TakeLedger(world, &row);
        // nobody is told a sum that lacks a substep without being told so
        CHECK(!isnan(row.work) || ((flags & pbdr_stepPairsFull) != 0 && before < failAt));
        CHECK(isfinite(row.kineticEnergy) && isfinite(row.potentialEnergy));
        status = pbdrWorld_SaveSnapshot(world, 0, SNAPSHOT_NAME, &error);
        CHECK(status == pbdr_statusOk || status == pbdr_statusNoMemory);
    }
    if (status == pbdr_statusOk && buildBoxes(&hooks, solver, &other) == pbdr_statusOk) {
        // with fewer contacts than the file has: loading needs more memory, in the middle of it
        pbdrBodyId bodies[2];
        CHECK_EQ(pbdrWorld_GetBodies(other, bodies, 2), 2);
        pbdrBody_SetPose(other, bodies[1], (pbdrPose){{0.0, 0.0, 9.0}, {1.0, 0.0, 0.0, 0.0}});
        pbdrWorld_Step(other, 1);
        size_t size, sizeAfter;
        unsigned char* state = saveState(other, &size);
        status = pbdrWorld_LoadSnapshot(other, 0, SNAPSHOT_NAME, &error);
        if (status == pbdr_statusOk) {
            CHECK(haveSameState(world, other));
        } else {
            CHECK(status == pbdr_statusNoMemory);
            CHECK_TEXT(error.message, SNAPSHOT_NAME ": ");
            unsigned char* after = saveState(other, &sizeAfter);
            CHECK(size == sizeAfter && memcmp(state, after, size) == 0);
            free(after);
        }
        CHECK((pbdrWorld_Step(other, 3) & ~(uint32_t)pbdr_stepPairsFull) == 0);
        free(state);
    }
    pbdrDestroyWorld(world);
    pbdrDestroyWorld(other);
    remove(SNAPSHOT_NAME);
    CHECK_EQ(ledger.bytes, 0);
    CHECK_EQ(ledger.blocks, 0);
    return ledger.allocations >= failAt;
}

static void memory__failure_in_a_snapshot_is_clean(void)
{
    for (int k = 0; k < 2; k++) {
        int failAt = 1;
        while (failAt < 600 && runSnapshotShortOfMemory(solvers[k], failAt)) {
            failAt++;
        }
        CHECK_GE(failAt, 40);
        CHECK_LE(failAt, 590); // every place has been tried
    }
}

static void step__allocates_nothing_after_warm_up(void)
{
    for (int k = 0; k < 2; k++) {
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        pbdrWorld* world = NULL;
        CHECK(buildFull(&hooks, solvers[k], &world) == pbdr_statusOk);
        pbdrWorld_SetLedger(world, true);
        pbdrWorld_Step(world, 20);
        int before = ledger.allocations;
        pbdrWorld_Step(world, 200);
        CHECK_EQ(ledger.allocations, before);
        pbdrDestroyWorld(world);
    }
}

// Worlds with nothing in them, with nothing that moves, with nothing that touches, step and are saved.
static void world__with_little_in_it_steps(void)
{
    for (int k = 0; k < 2; k++) {
        for (int content = 0; content < 4; content++) {
            pbdrWorldDef def = pbdrDefaultWorldDef();
            def.solver = solvers[k];
            pbdrWorld* world = makeWorld(def);
            if (content == 1) {
                addGround(world, 0.4);
            } else if (content > 1) {
                pbdrBodyDef body = pbdrDefaultBodyDef();
                body.kind = content == 2 ? pbdr_bodyStatic : pbdr_bodyDynamic;
                addBlock(world, 1, 1, 1, 0.1, 1.0, body);
            }
            CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
            CHECK_EQ(pbdrWorld_Step(world, 10), 0);
            CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
            size_t size;
            unsigned char* state = saveState(world, &size);
            CHECK(pbdrWorld_SetState(world, state, size, NULL) == pbdr_statusOk);
            CHECK_EQ(pbdrWorld_Step(world, 10), 0);
            free(state);
            pbdrDestroyWorld(world);
        }
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"memory__goes_back_to_zero", memory__goes_back_to_zero},
          {"memory__failure_at_any_allocation_is_clean", memory__failure_at_any_allocation_is_clean},
          {"memory__failure_in_a_snapshot_is_clean", memory__failure_in_a_snapshot_is_clean},
          {"step__allocates_nothing_after_warm_up", step__allocates_nothing_after_warm_up},
          {"world__with_little_in_it_steps", world__with_little_in_it_steps});
}
