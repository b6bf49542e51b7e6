// Batches by one kernel (docs/gpu.md), in its host's compilation: its bits, how near it is to worlds on their own, what it
// refuses, and what arrays do. The device's compilation has the same bits: pbdr_gpu_show holds them against each other.
#include "scenes.h"

#include "batch/internal.h"
#include "gpu/device.h"
#include "gpu/host.h"
#include "gpu/kernel_kind.h"
#include "gpu/plan_world.h"
#include "gpu/show.h"

#include <pbdr/pbdr.h>

static pbdrBatch* makeBatch(pbdrWorld* world, int count, int threads)
{
    pbdrBatchDef def = pbdrDefaultBatchDef();
    pbdrBatch* batch;
    pbdrError error;
    def.count = count;
    def.threads = threads;
    def.device = pbdrGetHostDevice();
    require(pbdrCreateBatch(world, &def, &batch, &error), &error);
    return batch;
}

static pbdrBatch* makeScene(ShowScene scene, int count, int threads)
{
    pbdrWorld* world;
    pbdrError error;
    require(showMakeWorld(scene, &world, &error), &error);
    pbdrBatch* batch = makeBatch(world, count, threads);
    pbdrDestroyWorld(world);
    const pbdrBatchArrays arrays = pbdrBatch_GetArrays(batch);
    showVary(scene, &arrays);
    return batch;
}

static uint64_t hashAll(const pbdrBatch* batch)
{
    enum { MOST = 64 };
    uint64_t hashes[MOST], all = 0;
    const int count = pbdrBatch_GetArrays(batch).worldCount;
    CHECK_EQ(pbdrBatch_GetHashes(batch, hashes, NULL), pbdr_statusOk);
    for (int w = 0; w < count; w++) {
        all = (all ^ hashes[w]) * 0x100000001b3u;
    }
    return all;
}

static double getSize(pbdrVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static void checkVecs(pbdrVec3 a, pbdrVec3 b, double near)
{
    CHECK_NEAR(a.x, b.x, near);
    CHECK_NEAR(a.y, b.y, near);
    CHECK_NEAR(a.z, b.z, near);
}

// Forces, moments and numbers of contacts of two batches of the same worlds.
static void compareContacts(pbdrBatch* one, pbdrBatch* two, double near)
{
    enum { MOST = 16 };
    pbdrVec3 forces[2][MOST], moments[2][MOST];
    int32_t counts[2][MOST];
    const pbdrBatchArrays a = pbdrBatch_GetArrays(one);
    CHECK_EQ(pbdrBatch_GetContacts(one, forces[0], moments[0], counts[0], NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_GetContacts(two, forces[1], moments[1], counts[1], NULL), pbdr_statusOk);
    for (int i = 0; i < a.worldCount * a.bodyCount; i++) {
        checkVecs(forces[0][i], forces[1][i], near);
        checkVecs(moments[0][i], moments[1][i], near);
    }
    for (int w = 0; w < a.worldCount; w++) {
        CHECK_EQ(counts[0][w], counts[1][w]);
    }
}

// Forces are known to what counts as zero: 1e-14 m of gaps and slips over dt^2, times a few kg.
#define WRENCH_NEAR 1.0e-6
#define LANDING_NEAR 1.0e-9

// --- Bits ---

static void bits__are_these_with_every_compiler(void)
{
    static const uint64_t golden[showSceneCount] = {0xa1aed8c32b258fdau, 0xf62cb140e751285fu,
                                                    0x7456838db534cfaau, 0x9b65369128c6ee8au};
    for (int scene = 0; scene < (int)showSceneCount; scene++) {
        pbdrBatch* batch = makeScene((ShowScene)scene, 40, 1);
        CHECK_EQ(pbdrBatch_Step(batch, 300, NULL), pbdr_statusOk);
        const uint64_t hash = hashAll(batch);
        if (hash != golden[scene]) {
            printf("    %s: 0x%016llx\n", showGetName((ShowScene)scene), (unsigned long long)hash);
        }
        CHECK(hash == golden[scene]);
        pbdrDestroyBatch(batch);
    }
}

static void bits__do_not_depend_on_threads_launches_or_neighbours(void)
{
    for (int scene = 0; scene < (int)showSceneCount; scene++) {
        pbdrBatch *one = makeScene((ShowScene)scene, 40, 1), *two = makeScene((ShowScene)scene, 40, 2),
                  *few = makeScene((ShowScene)scene, 3, 1);
        uint64_t hashes[2][40];
        pbdrBatch_Step(one, 60, NULL);
        pbdrBatch_Step(two, 0, NULL);
        CHECK_EQ(pbdrBatch_StepAlone(two, 20, 3, NULL, NULL), pbdr_statusOk);
        CHECK(hashAll(one) == hashAll(two));
        for (int k = 0; k < 6; k++) {
            pbdrBatch_Step(few, 10, NULL);
        }
        CHECK_EQ(pbdrBatch_GetHashes(one, hashes[0], NULL), pbdr_statusOk);
        CHECK_EQ(pbdrBatch_GetHashes(few, hashes[1], NULL), pbdr_statusOk);
        CHECK(memcmp(hashes[0], hashes[1], 3 * sizeof hashes[0][0]) == 0);
        pbdrDestroyBatch(one);
        pbdrDestroyBatch(two);
        pbdrDestroyBatch(few);
    }
}

// A kernel for larger worlds steps a small one with the same bits.
static void bits__are_the_same_in_every_kernel(void)
{
    for (int scene = 0; scene < (int)showSceneCount; scene++) {
        pbdrWorld* world;
        pbdrError error;
        static pbdrKernelPlan plan;
        static double spheres[PBDR_KERNEL_SPHERE * PBDR_KERNEL_SPHERES];
        require(showMakeWorld((ShowScene)scene, &world, &error), &error);
        require(pbdrMakeKernelPlan(world, &plan, spheres, &error), &error);
        double* numbers = malloc((size_t)plan.slots * sizeof *numbers);
        pbdrFillKernelWorld(world, &plan, numbers);
        double* first = NULL;
        for (int kind = (int)pbdrChooseKernel(&plan); kind < (int)pbdr_kernelReduced; kind++) {
            double* values = calloc((size_t)plan.slots * PBDR_KERNEL_LANES, sizeof *values);
            for (int s = 0; s < plan.slots; s++) {
                values[s * PBDR_KERNEL_LANES] = numbers[s];
            }
            pbdrGetHostKernel((pbdrKernelKind)kind)(&plan, spheres, values, 50);
            pbdrSumWrenches(&plan, spheres, values);
            for (int s = plan.firstWrench; s < plan.slots && first != NULL; s++) {
                CHECK_NEAR(values[s * PBDR_KERNEL_LANES], first[s * PBDR_KERNEL_LANES], WRENCH_NEAR);
            }
            for (int s = plan.firstBody; s < plan.firstPatch && first != NULL; s++) {
                // kernels for several bodies solve one without its last inverse: rounding. End gaps and slips of
                // 1e-8 dt^2 = 1e-14 m count as zero, so velocities are known to 1e-11 m/s.
                const int slot = (s - plan.firstBody) % BODY_SLOTS;
                CHECK_NEAR(values[s * PBDR_KERNEL_LANES], first[s * PBDR_KERNEL_LANES],
                           slot < BODY_VELOCITY ? 1.0e-13
                           : slot < BODY_FORCE  ? 1.0e-11
                                                : 1.0e30);
            }
            if (first == NULL) {
                first = values;
            } else {
                free(values);
            }
        }
        free(first);
        free(numbers);
        pbdrDestroyWorld(world);
    }
}

// A world that a quick kernel steps as far as it can has the bits of one that none has touched.
static void bits__are_the_same_without_a_quick_kernel(void)
{
    for (int scene = 0; scene < (int)showStack; scene++) {
        pbdrWorld* world;
        pbdrError error;
        static pbdrKernelPlan plans[2];
        static double spheres[PBDR_KERNEL_SPHERE * PBDR_KERNEL_SPHERES];
        require(showMakeWorld((ShowScene)scene, &world, &error), &error);
        require(pbdrMakeKernelPlan(world, &plans[0], spheres, &error), &error);
        CHECK(pbdrHasQuickKernel(&plans[0]));
        plans[1] = plans[0];
        plans[1].sphereCount = PBDR_QUICK_SPHERES + 1; // more than it has room for, and never looked at
        CHECK(!pbdrHasQuickKernel(&plans[1]));
        const size_t slots = (size_t)plans[0].slots;
        double* numbers = malloc(slots * sizeof *numbers);
        pbdrFillKernelWorld(world, &plans[0], numbers);
        double* values[2];
        int left = 0;
        for (int k = 0; k < 2; k++) {
            values[k] = calloc(slots * PBDR_KERNEL_LANES, sizeof *values[k]);
            for (size_t s = 0; s < slots; s++) {
                values[k][s * PBDR_KERNEL_LANES] = numbers[s];
            }
            double slow = 0.0;
            for (int launch = 0; launch < 180; launch++) {
                pbdrGetHostKernel(pbdrChooseKernel(&plans[k]))(&plans[k], spheres, values[k], 7);
                CHECK_EQ((int)values[k][WORLD_LEFT * PBDR_KERNEL_LANES], 0);
                left += k == 0 && values[k][WORLD_SLOW * PBDR_KERNEL_LANES] > slow;
                slow = values[k][WORLD_SLOW * PBDR_KERNEL_LANES];
            }
        }
        for (size_t s = 0; s < slots; s++) {
            const double a = values[0][s * PBDR_KERNEL_LANES], b = values[1][s * PBDR_KERNEL_LANES];
            CHECK(s == WORLD_SLOW || memcmp(&a, &b, sizeof a) == 0);
        }
        CHECK(left > 0 && left < 180); // some launches are left to the other kernel, and not all
        for (int k = 0; k < 2; k++) {
            free(values[k]);
        }
        free(numbers);
        pbdrDestroyWorld(world);
    }
}

// A body beside a fixed one, and no plane: that is a pair, however few spheres there are.
static void kind__of_a_body_without_a_plane_has_pairs(void)
{
    static pbdrKernelPlan plan;
    plan = (pbdrKernelPlan){.bodyCount = 2, .moverCount = 1, .patchCount = 1, .itemCount = 8};
    plan.patches[0] = (pbdrKernelPatch){0, 1, -1};
    CHECK_EQ((int)pbdrChooseKernel(&plan), (int)pbdr_kernelPairs);
    plan.patches[0] = (pbdrKernelPatch){0, -1, 0};
    CHECK_EQ((int)pbdrChooseKernel(&plan), (int)pbdr_kernelBody);
}

// --- Beside worlds on their own ---

static void way__is_that_of_worlds_on_their_own(void)
{
    for (int scene = 0; scene < (int)showSceneCount; scene++) {
        enum { COUNT = 6 };
        pbdrBatch* batch = makeScene((ShowScene)scene, COUNT, 1);
        pbdrWorld* world;
        pbdrError error;
        require(showMakeWorld((ShowScene)scene, &world, &error), &error);
        pbdrBatchDef def = pbdrDefaultBatchDef();
        pbdrBatch* worlds;
        def.count = COUNT;
        require(pbdrCreateBatch(world, &def, &worlds, &error), &error);
        const pbdrBatchArrays a = pbdrBatch_GetArrays(batch), b = pbdrBatch_GetArrays(worlds);
        showVary((ShowScene)scene, &b);
        // End gaps and slips of 1e-8 dt^2 = 1e-14 m count as zero, so a velocity is known to 1e-11 m/s after an impact, and
        // a place to 1e-11 m a second later: two boxes part and land, the others do not.
        const double near = scene == (int)showStack ? 1.0e-11 : 1.0e-12;
        for (int k = 0; k < 4; k++) {
            pbdrBatch_Step(batch, 250, NULL);
            pbdrBatch_Step(worlds, 250, NULL);
            for (int i = 0; i < COUNT * a.bodyCount; i++) {
                const pbdrVec3 p = a.positions[i], q = b.positions[i], v = a.velocities[i],
                               w = b.velocities[i];
                CHECK_NEAR(p.x, q.x, near);
                CHECK_NEAR(p.y, q.y, near);
                CHECK_NEAR(p.z, q.z, near);
                CHECK_NEAR(a.rotations[i].z, b.rotations[i].z, 1.0e-11);
                CHECK_NEAR(v.x, w.x, 1.0e-11);
            }
        }
        compareContacts(batch, worlds, WRENCH_NEAR);
        for (int w = 0; w < COUNT; w++) {
            CHECK_EQ(a.flags[w], b.flags[w]);
        }
        pbdrDestroyBatch(batch);
        pbdrDestroyBatch(worlds);
        pbdrDestroyWorld(world);
    }
}

// What flies, turns and falls: no contact, then an impact on the ground.
static void flight__and_landing_are_those_of_a_world(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = pbdr_contactSpheres;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    const pbdrBodyId id = addCube(world, 3, 0.0, 0.0, 0.4);
    pbdrBody_SetPose(world, id, (pbdrPose){{0.0, 0.0, 0.4}, {1.0, 0.0, 0.0, 0.0}});
    pbdrBody_SetVelocity(world, id, (pbdrVelocity){{0.5, 0.0, 0.0}, {1.0, 2.0, 3.0}});
    pbdrBatch* batch = makeBatch(world, 1, 1);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    int touching = 0;
    for (int k = 0; k < 320; k++) {
        pbdrBatch_Step(batch, 1, NULL);
        pbdrWorld_Step(world, 1);
        const pbdrVec3 q = pbdrBody_GetPose(world, id).position;
        CHECK_NEAR(a.positions[0].x, q.x, 1.0e-12);
        CHECK_NEAR(a.positions[0].z, q.z, 1.0e-12);
        // it turns as it lands, so the moment tells which lever arms it has; a blow is some 1e4 N
        const pbdrWrench wrench = pbdrBody_GetContactWrench(world, id, q);
        pbdrVec3 force, moment;
        CHECK_EQ(pbdrBatch_GetContacts(batch, &force, &moment, NULL, NULL), pbdr_statusOk);
        checkVecs(force, wrench.force, LANDING_NEAR * (1.0 + getSize(wrench.force)));
        checkVecs(moment, wrench.torque, LANDING_NEAR * (1.0 + getSize(wrench.force)));
        touching += getSize(wrench.torque) > 0.1;
    }
    CHECK_GE(touching, 3);
    pbdrBatch_Step(batch, 2000, NULL); // it comes to rest on a face
    CHECK_NEAR(a.velocities[0].z, 0.0, 1.0e-9);
    CHECK_EQ(a.flags[0], 0);
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

static void bodies__up_to_eight_in_islands(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = pbdr_contactSpheres;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrBodyId ids[PBDR_KERNEL_MOVERS];
    for (int k = 0; k < PBDR_KERNEL_MOVERS; k++) { // two towers of two, and four alone
        ids[k] = addCube(world, 2, k < 4 ? 1.0 * (k / 2) : 1.0 * k, 0.0, 0.4);
        const double height = pbdrBody_GetPose(world, ids[k]).position.z;
        pbdrBody_SetPose(
            world, ids[k],
            (pbdrPose){{k < 4 ? 1.0 * (k / 2) : 1.0 * k, 0.0, k < 4 && k % 2 == 1 ? 3.0 * height : height},
                       {1.0, 0.0, 0.0, 0.0}});
        pbdrBody_SetForce(world, ids[k], (pbdrVec3){3.0 * k, 0.0, 0.0});
    }
    pbdrBatch* batch = makeBatch(world, 2, 1);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    pbdrBatch_Step(batch, 200, NULL);
    pbdrWorld_Step(world, 200);
    for (int k = 0; k < PBDR_KERNEL_MOVERS; k++) {
        const pbdrVec3 q = pbdrBody_GetPose(world, ids[k]).position;
        CHECK_NEAR(a.positions[k].x, q.x, 1.0e-12);
        CHECK_NEAR(a.positions[k].z, q.z, 1.0e-12);
    }
    CHECK_EQ(a.flags[0], 0);
    pbdrVec3 forces[2 * PBDR_KERNEL_MOVERS], moments[2 * PBDR_KERNEL_MOVERS];
    CHECK_EQ(pbdrBatch_GetContacts(batch, forces, moments, NULL, NULL), pbdr_statusOk);
    for (int k = 0; k < PBDR_KERNEL_MOVERS; k++) {
        const pbdrWrench wrench =
            pbdrBody_GetContactWrench(world, ids[k], pbdrBody_GetPose(world, ids[k]).position);
        checkVecs(forces[k], wrench.force, WRENCH_NEAR);
        checkVecs(moments[k], wrench.torque, WRENCH_NEAR);
    }
    pbdrError error;
    addCube(world, 2, 20.0, 0.0, 0.4);
    pbdrBatchDef batchDef = pbdrDefaultBatchDef();
    batchDef.device = pbdrGetHostDevice();
    pbdrBatch* more = NULL;
    CHECK_EQ(pbdrCreateBatch(world, &batchDef, &more, &error), pbdr_statusNotSupported);
    CHECK(strstr(error.message, "more than 8 bodies that contact moves") != NULL);
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

// --- PBD-R ---

// Twenty-four numbers per body, as engine/reduced has them: sums in another order, so rounding.
static void reduced__way_is_that_of_worlds_on_their_own(void)
{
    static const uint64_t golden[showSceneCount] = {0x7ea2e21a9ec3b589u, 0xcc5203e9d3e2d554u,
                                                    0xdef45364b6fc3221u, 0xa7694a5c8844de39u};
    for (int scene = 0; scene < (int)showSceneCount; scene++) {
        enum { COUNT = 6 };
        pbdrWorld* world;
        pbdrError error;
        require(showMakeWorldOf(pbdr_solverPbdR, (ShowScene)scene, &world, &error), &error);
        pbdrBatch* batch = makeBatch(world, COUNT, 1);
        pbdrBatch* worlds;
        pbdrBatchDef def = pbdrDefaultBatchDef();
        def.count = COUNT;
        require(pbdrCreateBatch(world, &def, &worlds, &error), &error);
        pbdrDestroyWorld(world);
        const pbdrBatchArrays a = pbdrBatch_GetArrays(batch), b = pbdrBatch_GetArrays(worlds);
        showVary((ShowScene)scene, &a);
        showVary((ShowScene)scene, &b);
        for (int k = 0; k < 3; k++) {
            CHECK_EQ(pbdrBatch_Step(batch, 200, NULL), pbdr_statusOk);
            pbdrBatch_Step(worlds, 200, NULL);
            for (int i = 0; i < COUNT * a.bodyCount; i++) {
                // stacked boxes amplify rounding a hundredfold in a second
                const double near = scene == (int)showStack ? 1.0e-11 : 1.0e-12;
                CHECK_NEAR(a.positions[i].x, b.positions[i].x, near);
                CHECK_NEAR(a.positions[i].y, b.positions[i].y, near);
                CHECK_NEAR(a.positions[i].z, b.positions[i].z, near);
                CHECK_NEAR(a.rotations[i].z, b.rotations[i].z, near);
                CHECK_NEAR(a.velocities[i].x, b.velocities[i].x, 1.0e-10);
                CHECK_NEAR(a.angularVelocities[i].z, b.angularVelocities[i].z, 1.0e-9);
            }
        }
        compareContacts(batch, worlds, WRENCH_NEAR);
        for (int w = 0; w < COUNT; w++) {
            CHECK_EQ(a.flags[w], b.flags[w]);
        }
        const uint64_t hash = hashAll(batch);
        if (hash != golden[scene]) {
            printf("    pbd-r, %s: 0x%016llx\n", showGetName((ShowScene)scene), (unsigned long long)hash);
        }
        CHECK(hash == golden[scene]);
        pbdrDestroyBatch(batch);
        pbdrDestroyBatch(worlds);
    }
}

// A velocity that is written becomes the rate of the frame, a spin under a torque grows as a world's.
static void reduced__takes_spins_and_torques(void)
{
    enum { COUNT = 3 };
    pbdrWorld* world;
    pbdrError error;
    require(showMakeWorldOf(pbdr_solverPbdR, showPush, &world, &error), &error);
    pbdrBatch* batch = makeBatch(world, COUNT, 1);
    pbdrBatch* worlds;
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = COUNT;
    require(pbdrCreateBatch(world, &def, &worlds, &error), &error);
    pbdrDestroyWorld(world);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch), b = pbdrBatch_GetArrays(worlds);
    for (int k = 0; k < 3; k++) {
        for (int w = 0; w < COUNT; w++) {
            a.torques[w].z = b.torques[w].z = 1.5 + w;
            if (k == 1) {
                a.angularVelocities[w].z = b.angularVelocities[w].z = 2.0 - w;
            }
            if (k == 2) {
                a.positions[w].z = b.positions[w].z = 0.3;
            }
        }
        CHECK_EQ(pbdrBatch_Step(batch, 100, NULL), pbdr_statusOk);
        pbdrBatch_Step(worlds, 100, NULL);
        for (int w = 0; w < COUNT; w++) {
            CHECK_NEAR(a.rotations[w].z, b.rotations[w].z, 1.0e-11);
            CHECK_NEAR(a.angularVelocities[w].z, b.angularVelocities[w].z, 1.0e-9);
            CHECK_NEAR(a.positions[w].z, b.positions[w].z, 1.0e-12);
        }
    }
    pbdrDestroyBatch(batch);
    pbdrDestroyBatch(worlds);
}

// What turns in the world that a batch is made of goes on turning: only the engine knows how fast.
static void reduced__goes_on_with_the_spin_of_its_world(void)
{
    pbdrWorldDef def = makePbdRDef();
    def.engine = pbdr_engineReduced;
    pbdrWorld* world = makeWorld(def);
    const pbdrBodyId id = addCube(world, 3, 0.0, 0.0, 0.4);
    pbdrBody_SetVelocity(world, id, (pbdrVelocity){{0.5, 0.0, 0.0}, {0.0, 0.0, 3.0}});
    for (int k = 0; k < 2; k++) { // at first, and of a world on its way
        pbdrBatch* batch = makeBatch(world, 1, 1);
        const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
        // a cube: it turns as fast as ever; PBD-R's steps stretch frames by (w dt)^2, which the match takes back
        CHECK_NEAR(a.angularVelocities[0].z, 3.0, 1.0e-6);
        CHECK_EQ(pbdrBatch_Step(batch, 50, NULL), pbdr_statusOk);
        pbdrWorld_Step(world, 50);
        CHECK_NEAR(a.angularVelocities[0].z, pbdrBody_GetVelocity(world, id).angular.z, 1.0e-9);
        CHECK_NEAR(a.rotations[0].z, pbdrBody_GetPose(world, id).rotation.z, 1.0e-9);
        pbdrDestroyBatch(batch);
    }
    pbdrDestroyWorld(world);
}

// --- What is refused ---

static void expectRefusal(pbdrWorld* world, const char* words)
{
    pbdrBatchDef def = pbdrDefaultBatchDef();
    pbdrBatch* batch = NULL;
    pbdrError error = {.message = ""};
    def.device = pbdrGetHostDevice();
    CHECK_EQ(pbdrCreateBatch(world, &def, &batch, &error), pbdr_statusNotSupported);
    CHECK(batch == NULL);
    if (strstr(error.message, words) == NULL) {
        printf("    %s\n", error.message);
    }
    CHECK(strstr(error.message, words) != NULL);
    pbdrDestroyWorld(world);
}

static void kernel__refuses_by_name_what_it_cannot(void)
{
    pbdrWorldDef def = makePbdRDef();
    pbdrWorld* world = makeWorld(def);
    addCube(world, 2, 0.0, 0.0, 0.4);
    expectRefusal(world, "pbd-r in reduced coordinates only");
    def.engine = pbdr_engineReduced;
    world = makeWorld(def);
    addCube(world, 1, 0.0, 0.0, 0.4);
    expectRefusal(world, "stand on a line");
    def.engine = pbdr_engineAuto;
    def.solver = pbdr_solverPbd;
    world = makeWorld(def);
    addCube(world, 2, 0.0, 0.0, 0.4);
    expectRefusal(world, "xpbdr and pbd-r only");
    def.solver = pbdr_solverXpbdR;
    def.contact = pbdr_contactSpheres;
    def.sleeping = true;
    world = makeWorld(def);
    addCube(world, 2, 0.0, 0.0, 0.4);
    expectRefusal(world, "do not sleep");
    def.sleeping = false;
    world = makeWorld(def);
    expectRefusal(world, "no body that contact moves");
    world = makeWorld(def);
    pbdrBody_SetRestitution(world, addCube(world, 2, 0.0, 0.0, 0.4), 0.5);
    expectRefusal(world, "bounces");
    world = makeWorld(def);
    addCube(world, 13, 0.0, 0.0, 0.4);
    expectRefusal(world, "more than 2048 spheres");
    world = makeWorld(def);
    pbdrJointId jointId;
    pbdrJointDef joint = pbdrDefaultJointDef();
    joint.kind = pbdr_jointHinge;
    joint.frameA.anchor = (pbdrVec3){0.0, 0.0, 0.1};
    joint.bodyB = addCube(world, 2, 0.0, 0.0, 0.4);
    CHECK_EQ(pbdrCreateJoint(world, &joint, &jointId, NULL), pbdr_statusOk);
    expectRefusal(world, "no joints");
    world = makeWorld(def);
    pbdrBody_ApplyForce(world, addCube(world, 2, 0.0, 0.0, 0.4), (pbdrVec3){1.0, 0.0, 0.0},
                        (pbdrVec3){0.0, 0.0, 0.1});
    expectRefusal(world, "force of the next step");
}

// Two bodies that must not touch each other are no joint to a kernel.
static void kernel__takes_bodies_that_do_not_touch(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = pbdr_contactSpheres;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrJointId jointId;
    pbdrJointDef joint = pbdrDefaultJointDef();
    joint.kind = pbdr_jointExclusion;
    joint.bodyA = addCube(world, 2, 0.0, 0.0, 0.4);
    joint.bodyB = addCube(world, 2, 0.1, 0.0, 0.4); // half into it
    CHECK_EQ(pbdrCreateJoint(world, &joint, &jointId, NULL), pbdr_statusOk);
    pbdrBatch* batch = makeBatch(world, 1, 1);
    CHECK_EQ(pbdrBatch_Step(batch, 100, NULL), pbdr_statusOk);
    CHECK_NEAR(pbdrBatch_GetArrays(batch).positions[1].x, 0.1, 1.0e-12);
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

// A plate of 17 x 17 spheres touches by more than a kernel has room for: where it lies it is refused, and where it falls
// every launch is flagged from then on, those without a search of their own as well.
static void contacts__without_room_are_refused_or_flagged(void)
{
    for (int reduced = 0; reduced < 2; reduced++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = reduced ? pbdr_solverPbdR : pbdr_solverXpbdR;
        def.engine = pbdr_engineReduced;
        def.contact = pbdr_contactSpheres;
        pbdrBodyDef bodyDef = pbdrDefaultBodyDef();
        bodyDef.friction = 0.4;
        bodyDef.position.z = 0.02;
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.4);
        const pbdrBodyId id = addBlock(world, 17, 17, 1, 0.02, 1.0, bodyDef);
        pbdrPose pose = pbdrBody_GetPose(world, id);
        pose.position.z = 0.3;
        pbdrBody_SetPose(world, id, pose);
        pbdrBatch* batch = makeBatch(world, 1, 1);
        const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
        CHECK_EQ(pbdrBatch_Step(batch, 100, NULL), pbdr_statusOk);
        CHECK_EQ(a.flags[0], 0);
        CHECK_EQ(pbdrBatch_Step(batch, 200, NULL), pbdr_statusOk);
        for (int k = 0; k < 3; k++) {
            CHECK_EQ(pbdrBatch_StepAlone(batch, 1, 5, NULL, NULL), pbdr_statusOk);
            CHECK_EQ(pbdrBatch_Fetch(batch, NULL), pbdr_statusOk);
            CHECK((a.flags[0] & (uint32_t)pbdr_stepPairsFull) != 0);
        }
        pbdrDestroyBatch(batch);
        pose.position.z = 0.02;
        pbdrBody_SetPose(world, id, pose);
        expectRefusal(world, "more than 256 contact candidates");
    }
}

// Small bodies have room for every sphere against every other, as fast ones have them on their lists.
static void contacts__of_small_fast_bodies_have_room(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = pbdr_contactSpheres;
    pbdrWorld* world = makeWorld(def);
    const pbdrBodyId left = addCube(world, 2, 0.0, 0.0, 0.4), right = addCube(world, 2, 0.45, 0.03, 0.4);
    pbdrBody_SetVelocity(world, left, (pbdrVelocity){{32.0, 0.0, 0.0}, {0.0, 0.0, 64.0}});
    pbdrBody_SetVelocity(world, right, (pbdrVelocity){{-32.0, 0.0, 0.0}, {0.0, 32.0, 0.0}});
    pbdrBatch* batch = makeBatch(world, 1, 1);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    for (int k = 0; k < 20; k++) {
        CHECK_EQ(pbdrBatch_Step(batch, 1, NULL), pbdr_statusOk);
        CHECK_EQ(a.flags[0] & (uint32_t)pbdr_stepPairsFull, 0);
    }
    CHECK_GE(a.velocities[1].x, a.velocities[0].x); // they have met
    pbdrDestroyBatch(batch);
    pbdrDestroyWorld(world);
}

// --- Arrays ---

static void arrays__change_worlds_and_are_checked(void)
{
    pbdrBatch* batch = makeScene(showPush, 5, 1);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    pbdrError error;
    uint64_t before[5], after[5];
    pbdrBatch_Step(batch, 50, NULL);
    CHECK_EQ(pbdrBatch_GetHashes(batch, before, NULL), pbdr_statusOk);
    a.forces[2].x = (double)NAN;
    CHECK_EQ(pbdrBatch_Step(batch, 50, &error), pbdr_statusInvalidArgument);
    CHECK(strstr(error.message, "world 2, body 0") != NULL);
    CHECK_EQ(pbdrBatch_GetHashes(batch, after, NULL), pbdr_statusOk);
    CHECK(memcmp(before, after, sizeof before) == 0);
    a.forces[2].x = 0.0;
    a.positions[3] = (pbdrVec3){7.0, 0.0, 0.1}; // another place: the same motion from there, from rest
    a.velocities[3] = (pbdrVec3){0.0, 0.0, 0.0};
    CHECK_EQ(pbdrBatch_Step(batch, 1000, NULL), pbdr_statusOk);
    CHECK_NEAR(a.positions[3].x, 7.0 + showGetWay(showPush, &a, 3, 1.0), 1.0e-12);
    a.masses[4] = 8.0;
    a.velocities[4].x = 0.0;
    const double start = a.positions[4].x, mu = a.planeFrictions[4];
    pbdrBatch_Step(batch, 1000, NULL);
    CHECK_NEAR(a.positions[4].x - start, 0.5 * fmax(0.0, a.forces[4].x / 8.0 - mu * 9.81), 1.0e-12);
    pbdrDestroyBatch(batch);
}

// A launch of no substeps changes nothing of what contacts did.
static void contacts__outlast_a_launch_of_no_substeps(void)
{
    for (int scene = 0; scene < (int)showSceneCount; scene++) {
        pbdrBatch* batch = makeScene((ShowScene)scene, 2, 1);
        pbdrVec3 forces[2][4], moments[2][4];
        int32_t counts[2][2];
        CHECK_EQ(pbdrBatch_Step(batch, 20, NULL), pbdr_statusOk);
        for (int k = 0; k < 2; k++) {
            CHECK_EQ(pbdrBatch_GetContacts(batch, forces[k], moments[k], counts[k], NULL), pbdr_statusOk);
            CHECK_EQ(pbdrBatch_Step(batch, 0, NULL), pbdr_statusOk);
        }
        const size_t bytes = 2 * (size_t)pbdrBatch_GetArrays(batch).bodyCount * sizeof forces[0][0];
        CHECK_GE(counts[0][0], 1);
        CHECK(memcmp(forces[0], forces[1], bytes) == 0 && memcmp(moments[0], moments[1], bytes) == 0);
        CHECK(memcmp(counts[0], counts[1], sizeof counts[0]) == 0);
        // where the device has them
        pbdrError error;
        int stride = 0;
        const double *wrench = pbdrBatch_GetDeviceWrenches(batch, 0, &stride, &error),
                     *flags = pbdrBatch_GetDeviceFlags(batch, &stride);
        CHECK(wrench != NULL && flags != NULL);
        CHECK_EQ(wrench[2 * PBDR_KERNEL_LANES + 1], forces[0][pbdrBatch_GetArrays(batch).bodyCount].z);
        CHECK_EQ(wrench[4 * PBDR_KERNEL_LANES], moments[0][0].y);
        CHECK_EQ(flags[1], (double)pbdrBatch_GetArrays(batch).flags[1]);
        CHECK(pbdrBatch_GetDeviceWrenches(batch, 7, &stride, &error) == NULL);
        CHECK_EQ(error.status, pbdr_statusInvalidArgument);
        pbdrDestroyBatch(batch);
    }
}

static pbdrStatus failHash(void* worlds, uint64_t* hashes, pbdrError* error)
{
    (void)worlds;
    (void)hashes;
    return pbdrFail(error, pbdr_statusNotSupported, "gpu: hashes: the driver says no");
}

static pbdrStatus failRead(void* worlds, int slot, int width, double* data, pbdrError* error)
{
    (void)worlds;
    (void)width;
    (void)data;
    return slot == WORLD_FLAGS || slot < 0
               ? pbdr_statusOk
               : pbdrFail(error, pbdr_statusNotSupported, "gpu: numbers: it says no");
}

static pbdrStatus failSum(void* worlds, pbdrError* error)
{
    (void)worlds;
    return pbdrFail(error, pbdr_statusNotSupported, "gpu: wrenches: it says no");
}

// What a driver says reaches the caller.
static void errors__of_a_device_are_told(void)
{
    pbdrBatch* batch = makeScene(showPush, 2, 1);
    const pbdrDevice* host = pbdrGetHostDevice();
    pbdrDevice broken = *host;
    pbdrError error;
    pbdrVec3 forces[2];
    int32_t counts[2];
    int stride;
    uint64_t hashes[2];
    broken.hash = failHash;
    broken.read = failRead;
    broken.sumWrenches = failSum;
    batch->device = &broken;
    CHECK_EQ(pbdrBatch_GetHashes(batch, hashes, &error), pbdr_statusNotSupported);
    CHECK(strstr(error.message, "the driver says no") != NULL);
    CHECK_EQ(pbdrBatch_GetContacts(batch, forces, NULL, NULL, &error), pbdr_statusNotSupported);
    CHECK_EQ(pbdrBatch_GetContacts(batch, NULL, forces, NULL, &error), pbdr_statusNotSupported);
    CHECK(strstr(error.message, "wrenches") != NULL);
    CHECK_EQ(pbdrBatch_GetContacts(batch, NULL, NULL, counts, &error), pbdr_statusNotSupported);
    CHECK(pbdrBatch_GetDeviceWrenches(batch, 0, &stride, &error) == NULL);
    batch->device = host;
    pbdrDestroyBatch(batch);
}

static void reset__is_of_the_chosen_worlds(void)
{
    pbdrBatch* batch = makeScene(showRod, 3, 1);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    uint64_t first[3], again[3];
    pbdrBatch_Reset(batch, NULL, NULL);
    CHECK_EQ(pbdrBatch_GetHashes(batch, first, NULL), pbdr_statusOk);
    pbdrBatch_Step(batch, 100, NULL);
    const double x = a.positions[2].x;
    CHECK_EQ(pbdrBatch_Reset(batch, (const uint8_t[]){1, 0, 1}, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrBatch_GetHashes(batch, again, NULL), pbdr_statusOk);
    CHECK(again[0] == first[0] && again[1] != first[1] && again[2] == first[2]);
    CHECK(a.positions[2].x != x || a.positions[5].x == a.positions[1].x);
    CHECK_NEAR(a.frictions[0], 0.4, 0.0);
    CHECK(pbdrBatch_GetWorld(batch, 0) == NULL);
    CHECK_EQ(pbdrBatch_SetTargets(batch, NULL, 1, NULL, 1.0, NULL), pbdr_statusNotSupported);
    pbdrDestroyBatch(batch);
}

static void values__stand_where_the_header_says(void)
{
    pbdrBatch* batch = makeScene(showPush, 70, 1);
    const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
    int stride = 0;
    pbdrBatch_Step(batch, 20, NULL);
    const double* values = pbdrBatch_GetDeviceValues(batch, 0, &stride);
    for (int w = 0; w < 70; w++) {
        CHECK_NEAR(values[((size_t)(w / 32) * (size_t)stride + 0) * 32 + (size_t)w % 32], a.positions[w].x,
                   0.0);
        CHECK_NEAR(values[((size_t)(w / 32) * (size_t)stride + 7) * 32 + (size_t)w % 32], a.velocities[w].x,
                   0.0);
    }
    pbdrDeviceInfo info;
    CHECK_EQ(pbdrBatch_Describe(batch, &info, NULL), pbdr_statusOk);
    CHECK_EQ(info.worldBytes, (size_t)stride * sizeof(double));
    double steps[70], residuals[70];
    CHECK_EQ(pbdrBatch_GetEffort(batch, steps, residuals, NULL), pbdr_statusOk);
    CHECK(steps[0] >= 1.0 && residuals[0] <= 1.0e-13);
    pbdrDestroyBatch(batch);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"bits__are_these_with_every_compiler", bits__are_these_with_every_compiler},
          {"bits__do_not_depend_on_threads_launches_or_neighbours",
           bits__do_not_depend_on_threads_launches_or_neighbours},
          {"bits__are_the_same_in_every_kernel", bits__are_the_same_in_every_kernel},
          {"bits__are_the_same_without_a_quick_kernel", bits__are_the_same_without_a_quick_kernel},
          {"kind__of_a_body_without_a_plane_has_pairs", kind__of_a_body_without_a_plane_has_pairs},
          {"way__is_that_of_worlds_on_their_own", way__is_that_of_worlds_on_their_own},
          {"flight__and_landing_are_those_of_a_world", flight__and_landing_are_those_of_a_world},
          {"bodies__up_to_eight_in_islands", bodies__up_to_eight_in_islands},
          {"reduced__way_is_that_of_worlds_on_their_own", reduced__way_is_that_of_worlds_on_their_own},
          {"reduced__takes_spins_and_torques", reduced__takes_spins_and_torques},
          {"reduced__goes_on_with_the_spin_of_its_world", reduced__goes_on_with_the_spin_of_its_world},
          {"kernel__refuses_by_name_what_it_cannot", kernel__refuses_by_name_what_it_cannot},
          {"kernel__takes_bodies_that_do_not_touch", kernel__takes_bodies_that_do_not_touch},
          {"contacts__without_room_are_refused_or_flagged", contacts__without_room_are_refused_or_flagged},
          {"contacts__of_small_fast_bodies_have_room", contacts__of_small_fast_bodies_have_room},
          {"arrays__change_worlds_and_are_checked", arrays__change_worlds_and_are_checked},
          {"contacts__outlast_a_launch_of_no_substeps", contacts__outlast_a_launch_of_no_substeps},
          {"errors__of_a_device_are_told", errors__of_a_device_are_told},
          {"reset__is_of_the_chosen_worlds", reset__is_of_the_chosen_worlds},
          {"values__stand_where_the_header_says", values__stand_where_the_header_says});
}
