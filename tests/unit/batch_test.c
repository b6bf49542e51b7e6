// Copies of worlds, shapes of another mass, and batches: every world of a batch has the bits of a world on its own.
#include "scenes.h"

#include <stdatomic.h>

// --- Copies ---

// Two cubes and a rod-like block; one body was destroyed and its place taken by another, one place is empty.
static pbdrWorld* makePatched(pbdrWorldDef def)
{
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    addCube(world, 3, 0.0, 0.0, 0.4);
    const pbdrBodyId second = addCube(world, 4, 1.0, 0.0, 0.4);
    addCube(world, 2, 2.0, 0.0, 0.4);
    const pbdrBodyId last = addCube(world, 2, 3.0, 0.0, 0.4);
    pbdrDestroyBody(world, second);
    const pbdrBodyId again =
        addCube(world, 5, 1.0, 0.5, 0.3); // stands at the second place, behind the third's particles
    pbdrDestroyBody(world, last);
    pbdrBody_SetForce(world, again, (pbdrVec3){30.0, 4.0, 0.0});
    pbdrBody_SetTorque(world, again, (pbdrVec3){0.0, 0.0, 0.5});
    return world;
}

static void copy__goes_on_bit_for_bit(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld *world = makePatched(getEngineDef(k)), *copy = NULL;
        pbdrError error;
        pbdrWorld_SetTimeStep(world, 5.0e-4);
        pbdrWorld_Step(world, 40);
        require(pbdrCopyWorld(world, 0, &copy, &error), &error);
        CHECK(haveSameState(world, copy));
        pbdrWorld_Step(world, 60);
        pbdrWorld_Step(copy, 60);
        CHECK(haveSameState(world, copy));
        CHECK(pbdrWorld_GetHash(world) == pbdrWorld_GetHash(copy));
        pbdrBodyId ids[2][8];
        CHECK_EQ(pbdrWorld_GetBodies(copy, ids[1], 8), pbdrWorld_GetBodies(world, ids[0], 8));
        CHECK(pbdrBody_IsValid(copy, ids[1][0]));
        CHECK(!pbdrBody_IsValid(copy, ids[0][0])); // ids are of one world
        pbdrDestroyWorld(world);
        pbdrWorld_Step(copy, 10); // shares nothing that went with it
        addCube(copy, 2, 5.0, 0.0, 0.4);
        pbdrWorld_Step(copy, 10);
        pbdrDestroyWorld(copy);
    }
}

static void copy__of_an_empty_world(void)
{
    pbdrWorld *world = makeWorld(makePbdRDef()), *copy = NULL;
    const pbdrBodyId only = addCube(world, 2, 0.0, 0.0, 0.4);
    pbdrDestroyBody(world, only);
    CHECK_EQ(pbdrCopyWorld(world, 1, &copy, NULL), pbdr_statusOk);
    addCube(copy, 2, 0.0, 0.0, 0.4);
    CHECK_EQ(pbdrWorld_Step(copy, 5), 0);
    pbdrDestroyWorld(copy);
    pbdrDestroyWorld(world);
}

// --- Masses ---

// x = (F/m - mu g) t^2/2 for the mass that the shape was given; exact to rounding (docs/theory/xpbdr.md).
static void scaled_shape__moves_by_its_mass(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    pbdrShape *cube = NULL, *heavy = NULL, *back = NULL;
    pbdrError error;
    require(pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &cube, &error), &error);
    require(pbdrCreateScaledShape(cube, 6.0, &heavy, &error), &error);
    require(pbdrCreateScaledShape(heavy, 4.0, &back, &error), &error);
    CHECK(pbdrShape_GetHash(heavy) != pbdrShape_GetHash(cube));
    CHECK_NEAR(pbdrShape_GetInertia(heavy).m[0][0], 1.5 * pbdrShape_GetInertia(cube).m[0][0], 1.0e-16);
    CHECK_NEAR(pbdrShape_GetMass(back), 4.0, 0.0);
    pbdrReleaseShape(cube); // those made of it hold it
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    bodyDef.position.z = 0.1;
    pbdrBodyId body;
    require(pbdrCreateBodyFromShape(world, &bodyDef, back, &body, &error), &error);
    require(pbdrBody_SetShape(world, body, heavy, &error), &error);
    CHECK_NEAR(pbdrBody_GetMass(world, body), 6.0, 0.0);
    pbdrBody_SetForce(world, body, (pbdrVec3){30.0, 0.0, 0.0});
    CHECK_EQ(pbdrWorld_Step(world, 1000), 0);
    CHECK_NEAR(pbdrBody_GetPose(world, body).position.x, 0.5 * (30.0 / 6.0 - 0.4 * 9.81), 1.0e-12);
    CHECK(pbdrCreateScaledShape(heavy, -1.0, &cube, &error) == pbdr_statusInvalidArgument);
    CHECK(pbdrCreateScaledShape(heavy, (double)NAN, &cube, &error) == pbdr_statusInvalidArgument);
    pbdrReleaseShape(heavy);
    pbdrReleaseShape(back);
    pbdrDestroyWorld(world);
}

static void set_shape__keeps_the_motion(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrWorld_SetGravity(world, (pbdrVec3){0.0, 0.0, 0.0});
        const pbdrBodyId body = addCube(world, 3, 0.0, 0.0, 0.4), other = addCube(world, 2, 3.0, 0.0, 0.4);
        const pbdrVelocity velocity = {{1.0, 2.0, 3.0}, {0.1, 0.2, 0.3}};
        pbdrBody_SetVelocity(world, body, velocity);
        pbdrWorld_Step(world, 20);
        const pbdrPose before = pbdrBody_GetPose(world, body);
        const pbdrVec3 moved = pbdrBody_GetVelocity(world, body).linear;
        pbdrShape* ball;
        require(pbdrCreateBoxShape((pbdrVec3){0.1, 0.2, 0.3}, 2.0, 3, &ball, NULL), NULL);
        require(pbdrBody_SetShape(world, body, ball, NULL), NULL);
        pbdrReleaseShape(ball);
        const pbdrPose after = pbdrBody_GetPose(world, body);
        CHECK_LE(distance(before.position, after.position), 1.0e-14); // rounding of particles' sums
        CHECK_LE(distance(pbdrBody_GetVelocity(world, body).linear, moved), 1.0e-13);
        CHECK_NEAR(pbdrBody_GetMass(world, body), 2.0, 1.0e-15);
        CHECK_EQ(pbdrWorld_Step(world, 20), 0);
        CHECK_LE(distance(pbdrBody_GetPose(world, other).position, (pbdrVec3){3.0, 0.0, 0.1}), 1.0e-14);
        pbdrDestroyWorld(world);
    }
}

// --- Batches ---

static pbdrWorld* makePushed(pbdrWorldDef def)
{
    def.solver = pbdr_solverXpbdR;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrShape* cube;
    require(pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &cube, NULL), NULL);
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    bodyDef.position.z = 0.1;
    require(pbdrCreateBodyFromShape(world, &bodyDef, cube, NULL, NULL), NULL);
    bodyDef.kind = pbdr_bodyKinematic;
    bodyDef.position.x = -0.25;
    require(pbdrCreateBodyFromShape(world, &bodyDef, cube, NULL, NULL), NULL);
    pbdrReleaseShape(cube);
    return world;
}

static pbdrBatch* makeBatch(const pbdrWorld* world, int count, int threads)
{
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = count;
    def.threads = threads;
    pbdrBatch* batch;
    pbdrError error;
    require(pbdrCreateBatch(world, &def, &batch, &error), &error);
    return batch;
}

static double getPush(int w)
{
    return 10.0 + 0.37 * w;
}

// Friction, force, mass and the kinematic body's speed of their own, in each.
static void setValues(pbdrBatchArrays a)
{
    for (int w = 0; w < a.worldCount; w++) {
        a.forces[2 * w].x = getPush(w);
        a.frictions[2 * w] = 0.2 + 0.01 * w;
        a.masses[2 * w] = 4.0 + 0.1 * (w % 3);
        a.positions[2 * w].y = 0.001 * w;
        a.velocities[2 * w + 1].x = 0.1 + 0.02 * w;
    }
}

static void batch__has_the_bits_of_single_worlds(void)
{
    enum { count = 37 };
    pbdrWorld* world = makePushed(makePbdRDef());
    uint64_t hashes[3][count];
    for (int threads = 1; threads <= 3; threads++) {
        pbdrBatch* batch = makeBatch(world, count, threads);
        pbdrError error;
        setValues(pbdrBatch_GetArrays(batch));
        for (int k = 0; k < 15; k++) {
            require(pbdrBatch_Step(batch, 20, &error), &error);
        }
        CHECK_EQ(pbdrBatch_GetHashes(batch, hashes[threads - 1], NULL), pbdr_statusOk);
        pbdrDestroyBatch(batch);
    }
    CHECK(memcmp(hashes[0], hashes[1], sizeof hashes[0]) == 0);
    CHECK(memcmp(hashes[0], hashes[2], sizeof hashes[0]) == 0);
    for (int w = 0; w < count; w++) {
        pbdrWorld* single = makePushed(makePbdRDef());
        pbdrBodyId ids[2];
        pbdrWorld_GetBodies(single, ids, 2);
        pbdrShape* shape = NULL;
        if (w % 3 != 0) {
            require(pbdrCreateScaledShape((pbdrShape*)pbdrBody_GetShape(single, ids[0]), 4.0 + 0.1 * (w % 3),
                                          &shape, NULL),
                    NULL);
            require(pbdrBody_SetShape(single, ids[0], shape, NULL), NULL);
            pbdrReleaseShape(shape);
        }
        pbdrBody_SetFriction(single, ids[0], 0.2 + 0.01 * w);
        pbdrPose pose = pbdrBody_GetPose(single, ids[0]);
        pose.position.y = 0.001 * w;
        pbdrBody_SetPose(single, ids[0], pose);
        pbdrBody_SetForce(single, ids[0], (pbdrVec3){getPush(w), 0.0, 0.0});
        pbdrBody_SetVelocity(single, ids[1], (pbdrVelocity){{0.1 + 0.02 * w, 0.0, 0.0}, {0.0, 0.0, 0.0}});
        pbdrWorld_Step(single, 300);
        CHECK(pbdrWorld_GetHash(single) == hashes[0][w]);
        pbdrDestroyWorld(single);
    }
    pbdrDestroyWorld(world);
}

// Between steps a few values change, in worlds that stand far apart; one goes back to what it was; all others are left alone.
static void batch__takes_up_what_was_changed(void)
{
    enum { count = 300, picked = 4 };
    const int picks[picked] = {0, 127, 128, 299};
    pbdrWorld* world = makePushed(makePbdRDef());
    pbdrBatch* batch = makeBatch(world, count, 2);
    pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    uint64_t hashes[count];
    pbdrWorld* singles[picked];
    pbdrBodyId ids[picked][2];
    pbdrPlaneId planes[picked];
    for (int k = 0; k < picked; k++) {
        require(pbdrCopyWorld(world, 1, &singles[k], NULL), NULL);
        pbdrWorld_GetBodies(singles[k], ids[k], 2);
        pbdrWorld_GetPlanes(singles[k], &planes[k], 1);
    }
    for (int turn = 0; turn < 6; turn++) {
        for (int k = 0; k < picked; k++) {
            const int body = 2 * picks[k];
            const double x = 5.0 * ((turn + k) % 3);
            a.forces[body].x = x;
            pbdrBody_SetForce(singles[k], ids[k][0], (pbdrVec3){x, 0.0, 0.0});
            if (turn == 2) {
                a.planeFrictions[picks[k]] = 0.1;
                pbdrPlane_SetFriction(singles[k], planes[k], 0.1);
            }
            if (turn == 4) {
                a.angularVelocities[body].z += 0.5;
                pbdrVelocity velocity = pbdrBody_GetVelocity(singles[k], ids[k][0]);
                velocity.angular.z += 0.5;
                pbdrBody_SetVelocity(singles[k], ids[k][0], velocity);
            }
            pbdrWorld_Step(singles[k], 20);
        }
        pbdrWorld_Step(world, 20);
        CHECK_EQ(pbdrBatch_Step(batch, 20, NULL), pbdr_statusOk);
    }
    CHECK_EQ(pbdrBatch_GetHashes(batch, hashes, NULL), pbdr_statusOk);
    for (int w = 0, k = 0; w < count; w++) {
        const bool own = k < picked && picks[k] == w;
        CHECK((hashes[w] == pbdrWorld_GetHash(own ? singles[k] : world)));
        k += own;
    }
    for (int k = 0; k < picked; k++) {
        pbdrDestroyWorld(singles[k]);
    }
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

static void batch__reset_makes_the_first_world_again(void)
{
    pbdrWorld* world = makePushed(makePbdRDef());
    pbdrBatch* batch = makeBatch(world, 20, 2);
    pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    uint8_t chosen[20] = {0};
    uint64_t before[20], after[20];
    setValues(a);
    CHECK_EQ(pbdrBatch_Step(batch, 100, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_GetHashes(batch, before, NULL), pbdr_statusOk);
    chosen[3] = chosen[16] = 1;
    CHECK_EQ(pbdrBatch_Reset(batch, chosen, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_GetHashes(batch, after, NULL), pbdr_statusOk);
    for (int w = 0; w < 20; w++) {
        CHECK((after[w] == (chosen[w] != 0 ? pbdrWorld_GetHash(world) : before[w])));
    }
    CHECK_EQ(a.masses[2 * 16], 4.0);
    CHECK_EQ(a.frictions[2 * 3], 0.4);
    CHECK_EQ(a.positions[2 * 3].x, 0.0);
    CHECK_EQ(a.forces[2 * 3].x, 0.0);
    CHECK_EQ(pbdrBatch_Reset(batch, NULL, NULL), pbdr_statusOk);
    CHECK(haveSameState(world, pbdrBatch_GetWorld(batch, 7)));
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

static void batch__reaches_targets(void)
{
    pbdrWorld* world = makePushed(makePbdRDef());
    pbdrBatch* batch = makeBatch(world, 5, 1);
    pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    pbdrPose poses[5];
    for (int w = 0; w < 5; w++) {
        poses[w] = (pbdrPose){{-0.25 + 0.01 * w, 0.0, 0.1}, {1.0, 0.0, 0.0, 0.0}};
    }
    CHECK_EQ(pbdrBatch_SetTargets(batch, NULL, 1, poses, 0.05, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_Step(batch, 25, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_Step(batch, 25, NULL), pbdr_statusOk); // what nobody wrote does not end the targets
    for (int w = 0; w < 5; w++) {
        CHECK_EQ(a.positions[2 * w + 1].x, poses[w].position.x);
    }
    CHECK(pbdrBatch_SetTargets(batch, NULL, 0, poses, 0.05, NULL) == pbdr_statusInvalidArgument); // dynamic
    CHECK(pbdrBatch_SetTargets(batch, NULL, 2, poses, 0.05, NULL) == pbdr_statusInvalidArgument);
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

// The first body's wrench is the sum over its world's contacts.
static void checkContacts(const pbdrWorld* world, pbdrVec3 centre, pbdrVec3 force, pbdrVec3 moment)
{
    pbdrContact contacts[256];
    const int count = pbdrWorld_GetContacts(world, contacts, 256);
    pbdrBodyId first;
    pbdrWorld_GetBodies(world, &first, 1);
    pbdrVec3 sum = {0.0, 0.0, 0.0}, turn = {0.0, 0.0, 0.0};
    for (int k = 0; k < count; k++) {
        if (contacts[k].bodyA.index1 == first.index1) {
            const pbdrVec3 p = contacts[k].point, f = contacts[k].force,
                           r = {p.x - centre.x, p.y - centre.y, p.z - centre.z};
            sum = (pbdrVec3){sum.x + f.x, sum.y + f.y, sum.z + f.z};
            turn = (pbdrVec3){turn.x + (r.y * f.z - r.z * f.y), turn.y + (r.z * f.x - r.x * f.z),
                              turn.z + (r.x * f.y - r.y * f.x)};
        }
    }
    CHECK_NEAR(force.x, sum.x, 1.0e-12);
    CHECK_NEAR(force.z, sum.z, 1.0e-12);
    CHECK_NEAR(moment.x, turn.x, 1.0e-13);
    CHECK_NEAR(moment.y, turn.y, 1.0e-13);
    CHECK_NEAR(moment.z, turn.z, 1.0e-13);
}

// x = F/m t^2/2 - mu g t^2/2, and the floor bears the weight.
static void batch__arrays_hold_what_happened(void)
{
    pbdrWorld* world = makePushed(makePbdRDef());
    pbdrBatch* batch = makeBatch(world, 3, 1);
    pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    pbdrVec3 forces[6], moments[6];
    int32_t counts[3];
    a.forces[2].x = 20.0;
    a.planeFrictions[2] = 0.0; // of the last world's floor: mixed by the geometric mean
    a.forces[4].x = 20.0;
    CHECK_EQ(pbdrBatch_Step(batch, 100, NULL), pbdr_statusOk);
    CHECK_NEAR(a.positions[0].x, 0.0, 1.0e-15);
    CHECK_NEAR(a.positions[2].x, 0.5 * (5.0 - 0.4 * 9.81) * 0.01, 1.0e-14);
    CHECK_NEAR(a.positions[4].x, 0.5 * 5.0 * 0.01, 1.0e-14);
    CHECK_NEAR(a.velocities[4].x, 0.5, 1.0e-14);
    CHECK_EQ(pbdrBatch_GetContacts(batch, forces, moments, counts, NULL), pbdr_statusOk);
    for (int w = 0; w < 3; w++) {
        CHECK_NEAR(forces[2 * w].z, 4.0 * 9.81, 1.0e-9);
        // about the centre of mass the floor's moment is that of a box that does not turn: none
        CHECK_NEAR(moments[2 * w].x, 0.0, 1.0e-9);
        CHECK_NEAR(moments[2 * w].y, 0.0, 1.0e-9);
        checkContacts(pbdrBatch_GetWorld(batch, w), a.positions[2 * w], forces[2 * w], moments[2 * w]);
        CHECK(counts[w] >= 4); // the corners at least
        CHECK_EQ(counts[w], pbdrWorld_GetContacts(pbdrBatch_GetWorld(batch, w), NULL, 0));
        CHECK_EQ(a.flags[w], 0);
    }
    CHECK(pbdrBatch_GetByteCount(batch) > 3 * 1000);
    CHECK(pbdrBatch_GetWorld(batch, 3) == NULL);
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

static void batch__refuses_what_no_body_can_have(void)
{
    pbdrWorld* world = makePushed(makePbdRDef());
    pbdrBatch* batch = makeBatch(world, 4, 2);
    pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    pbdrError error;
    double* values[] = {&a.positions[5].x,         &a.rotations[5].w, &a.velocities[5].y,
                        &a.angularVelocities[5].z, &a.forces[5].x,    &a.torques[5].x,
                        &a.frictions[5],           &a.masses[5],      &a.planeFrictions[2]};
    for (size_t k = 0; k < sizeof values / sizeof values[0]; k++) {
        const double kept = *values[k];
        *values[k] = (double)NAN;
        CHECK(pbdrBatch_Step(batch, 1, &error) == pbdr_statusInvalidArgument);
        CHECK(strstr(error.message, "world 2") != NULL);
        *values[k] = kept;
    }
    CHECK_EQ(pbdrWorld_GetSubstepCount(pbdrBatch_GetWorld(batch, 0)), 0);
    CHECK_EQ(pbdrBatch_Step(batch, 1, &error), pbdr_statusOk);
    pbdrDestroyBatch(batch);
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = 0;
    CHECK(pbdrCreateBatch(world, &def, &batch, &error) == pbdr_statusInvalidArgument);
    CHECK(batch == NULL);
    pbdrDestroyWorld(world);
}

// Takes half of the substeps, and says so.
static uint32_t takeHalf(void* context, pbdrWorld* world, int substepCount)
{
    atomic_fetch_add((atomic_int*)context, 1);
    return pbdrWorld_Step(world, substepCount / 2) | pbdr_stepPairsFull;
}

static void batch__steps_by_the_callers_function(void)
{
    pbdrWorld* world = makePushed(makePbdRDef());
    atomic_int calls = 0;
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = 20;
    def.threads = 2;
    def.stepper = takeHalf;
    def.stepperContext = &calls;
    pbdrBatch* batch;
    require(pbdrCreateBatch(world, &def, &batch, NULL), NULL);
    CHECK_EQ(pbdrBatch_Step(batch, 10, NULL), pbdr_statusOk);
    CHECK_EQ(atomic_load(&calls), 20);
    for (int w = 0; w < 20; w++) {
        CHECK_EQ(pbdrWorld_GetSubstepCount(pbdrBatch_GetWorld(batch, w)), 5);
        CHECK_EQ(pbdrBatch_GetArrays(batch).flags[w], pbdr_stepPairsFull);
    }
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

// --- Memory ---

static atomic_int allocations;
static atomic_llong heldBytes;

static void* allocate(void* context, size_t size, size_t alignment)
{
    (void)context;
    atomic_fetch_add(&allocations, 1);
    atomic_fetch_add(&heldBytes, (long long)size);
    return aligned_alloc(alignment, size);
}

static void giveBack(void* context, void* memory, size_t size)
{
    (void)context;
    atomic_fetch_sub(&heldBytes, (long long)size);
    free(memory);
}

static void batch__allocates_nothing_after_warm_up(void)
{
    pbdrWorldDef def = makePbdRDef();
    def.hooks.allocate = allocate;
    def.hooks.release = giveBack;
    pbdrWorld* world = makePushed(def);
    pbdrBatch* batch = makeBatch(world, 64, 2);
    pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    setValues(a);
    CHECK_EQ(pbdrBatch_Step(batch, 2000, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_Reset(batch, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_Step(batch, 10, NULL), pbdr_statusOk);
    const int before = atomic_load(&allocations);
    for (int k = 0; k < 50; k++) {
        a.forces[2 * k].x += 1.0;
        a.frictions[2 * k] = 0.3;
        CHECK_EQ(pbdrBatch_Step(batch, 10, NULL), pbdr_statusOk);
    }
    CHECK_EQ(pbdrBatch_Reset(batch, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(atomic_load(&allocations), before);
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
    CHECK_EQ(atomic_load(&heldBytes), 0);
}

// A ball that falls onto the floor only later asks for more memory than its world had at first; a copy of a batch's world
// has nothing of the batch's.
static void batch__worlds_outgrow_their_rooms_and_copies_outlive_them(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.hooks.allocate = allocate;
    def.hooks.release = giveBack;
    pbdrWorld *world = makeWorld(def), *copy = NULL;
    addGround(world, 0.4);
    pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
    bodyDef.position.z = 0.15;
    pbdrShape* cube;
    require(pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &cube, NULL), NULL);
    require(pbdrCreateBodyFromShape(world, &bodyDef, cube, NULL, NULL), NULL);
    pbdrReleaseShape(cube);
    pbdrBatch* batch = makeBatch(world, 20, 2);
    const size_t before = pbdrBatch_GetByteCount(batch);
    CHECK_EQ(pbdrBatch_Step(batch, 300, NULL), pbdr_statusOk);
    CHECK(pbdrBatch_GetByteCount(batch) > before); // it has come to lie on the floor
    require(pbdrCopyWorld(pbdrBatch_GetWorld(batch, 11), 1, &copy, NULL), NULL);
    CHECK(pbdrWorld_GetHooks(copy).allocate == allocate);
    CHECK(pbdrWorld_GetHooks(pbdrBatch_GetWorld(batch, 11)).allocate == allocate);
    pbdrDestroyBatch(batch);
    pbdrWorld_Step(world, 350);
    pbdrWorld_Step(copy, 50);
    CHECK(haveSameState(world, copy));
    pbdrDestroyWorld(copy);
    pbdrDestroyWorld(world);
    CHECK_EQ(atomic_load(&heldBytes), 0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"copy__goes_on_bit_for_bit", copy__goes_on_bit_for_bit},
          {"copy__of_an_empty_world", copy__of_an_empty_world},
          {"scaled_shape__moves_by_its_mass", scaled_shape__moves_by_its_mass},
          {"set_shape__keeps_the_motion", set_shape__keeps_the_motion},
          {"batch__has_the_bits_of_single_worlds", batch__has_the_bits_of_single_worlds},
          {"batch__takes_up_what_was_changed", batch__takes_up_what_was_changed},
          {"batch__reset_makes_the_first_world_again", batch__reset_makes_the_first_world_again},
          {"batch__reaches_targets", batch__reaches_targets},
          {"batch__arrays_hold_what_happened", batch__arrays_hold_what_happened},
          {"batch__refuses_what_no_body_can_have", batch__refuses_what_no_body_can_have},
          {"batch__steps_by_the_callers_function", batch__steps_by_the_callers_function},
          {"batch__allocates_nothing_after_warm_up", batch__allocates_nothing_after_warm_up},
          {"batch__worlds_outgrow_their_rooms_and_copies_outlive_them",
           batch__worlds_outgrow_their_rooms_and_copies_outlive_them});
}
