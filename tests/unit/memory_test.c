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

static void step__allocates_nothing_after_warm_up(void)
{
    for (int k = 0; k < 2; k++) {
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        pbdrWorld* world = NULL;
        CHECK(buildFull(&hooks, solvers[k], &world) == pbdr_statusOk);
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
          {"step__allocates_nothing_after_warm_up", step__allocates_nothing_after_warm_up},
          {"world__with_little_in_it_steps", world__with_little_in_it_steps});
}
