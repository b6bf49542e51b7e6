// The same bits everywhere: 64-bit hashes of short runs, for every solver, engine and precision, beside those
// in golden.h. One table stands for all compilers, flags and instruction sets (compilers_test.sh).
//
//     golden_test             compares
//     golden_test --print     writes golden.h anew: what a change of the numerics changes is then one diff
//
// Bodies are made here of + - * / and sqrt alone, so that nothing but the library decides a bit.
//
// A pile of 125 boxes stands for what threads share: one hash for any number of them.
#include "golden.h"
#include "math/hash.h"
#include "scenes.h"
#include "surfaces.h"

#define SUBSTEPS 200
#define PILE_SIDE 5
#define PILE_SUBSTEPS 1000

// --- Scenes ---

static pbdrBodyDef placeAt(double x, double y, double z, double friction)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = (pbdrVec3){x, y, z};
    def.friction = friction;
    return def;
}

// A body of a shape, which is given back.
static pbdrBodyId addShaped(pbdrWorld* world, pbdrStatus made, pbdrShape** shape, pbdrBodyDef def)
{
    pbdrBodyId id;
    pbdrError error = {0};
    require(made, &error);
    require(pbdrCreateBodyFromShape(world, &def, *shape, &id, &error), &error);
    pbdrReleaseShape(*shape);
    return id;
}

// A true cube of side 0.12 m: XPBD-R touches its faces, the others its 3^3 spheres.
static pbdrBodyId addTrueCube(pbdrWorld* world, double mass, pbdrBodyDef def)
{
    pbdrShape* shape = NULL;
    return addShaped(world, pbdrCreateBoxShape((pbdrVec3){0.12, 0.12, 0.12}, mass, 3, &shape, NULL), &shape,
                     def);
}

static void addPushedBox(pbdrWorld* world)
{
    addGround(world, 0.4);
    pbdrBodyId box = addBlock(world, 3, 3, 3, 0.02, 1.0, placeAt(0.0, 0.0, 0.06, 0.4));
    pbdrBody_SetForce(world, box, (pbdrVec3){6.0, 1.0, 0.0});
    pbdrBody_SetTorque(world, box, (pbdrVec3){0.0, 0.0, 0.2});
}

// Down a slope with the normal (-0.6, 0, 0.8), set flat upon it: half the angle has the cosine sqrt(0.9).
static void addSlidingBox(pbdrWorld* world)
{
    addPlane(world, (pbdrVec3){-0.6, 0.0, 0.8}, 0.0, 0.3);
    pbdrBodyDef def = placeAt(-0.6 * 0.06, 0.0, 0.8 * 0.06, 0.3);
    def.rotation = (pbdrQuat){sqrt(0.9), 0.0, -sqrt(0.1), 0.0};
    addBlock(world, 3, 3, 3, 0.02, 1.0, def);
}

static void addTumblingBox(pbdrWorld* world)
{
    addGround(world, 0.5);
    pbdrBodyDef def = placeAt(0.01, 0.02, 0.12, 0.5);
    def.rotation = (pbdrQuat){0.8, 0.4, 0.4, 0.2}; // of length 1
    def.velocity.linear = (pbdrVec3){0.3, -0.2, -0.5};
    def.velocity.angular = (pbdrVec3){3.0, -5.0, 7.0};
    def.restitution = 0.4;
    addBlock(world, 4, 3, 2, 0.02, 1.0, def);
}

// An L of spheres of different sizes and masses, heavier inertia than its points have, dropped on its corner.
static void addBentBody(pbdrWorld* world)
{
    enum { ARM = 5, COUNT = 2 * ARM - 1 };
    pbdrVec3 positions[COUNT];
    double radii[COUNT], masses[COUNT];
    for (int k = 0; k < COUNT; k++) {
        int along = k < ARM ? k : 0, up = k < ARM ? 0 : k - ARM + 1;
        positions[k] = (pbdrVec3){0.03 * along, 0.001 * k, 0.025 * up};
        radii[k] = 0.015 + 0.0005 * k;
        masses[k] = 0.05 + 0.01 * (k % 4);
    }
    pbdrBodyDef def = placeAt(0.0, 0.0, 0.1, 0.6);
    def.particleCount = COUNT;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    def.rotation = (pbdrQuat){0.4, 0.2, -0.8, 0.4};
    def.velocity.linear = (pbdrVec3){0.0, 0.1, -0.8};
    def.velocity.angular = (pbdrVec3){-2.0, 1.0, 4.0};
    for (int k = 0; k < 3; k++) {
        def.extraInertia.m[k][k] = 1.0e-5 * (k + 1);
    }
    addGround(world, 0.4);
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
}

static void addStack(pbdrWorld* world)
{
    addGround(world, 0.5);
    for (int k = 0; k < 3; k++) {
        addTrueCube(world, 1.0 + k, placeAt(0.013 * k, -0.007 * k, 0.06 + 0.12 * k, 0.3 + 0.1 * k));
    }
}

// Two blocks that meet in the air, off centre.
static void addCollision(pbdrWorld* world)
{
    pbdrWorld_SetGravity(world, (pbdrVec3){0.0, 0.0, 0.0});
    pbdrBodyDef left = placeAt(-0.1, 0.0, 0.0, 0.3), right = placeAt(0.1, 0.03, 0.02, 0.7);
    left.velocity.linear = (pbdrVec3){1.0, 0.1, 0.0};
    left.velocity.angular = (pbdrVec3){0.0, 1.0, 3.0};
    left.restitution = 0.5;
    right.velocity.linear = (pbdrVec3){-0.8, 0.0, 0.05};
    right.rotation = (pbdrQuat){0.8, -0.4, 0.2, 0.4};
    addBlock(world, 3, 3, 3, 0.02, 1.0, left);
    addBlock(world, 4, 2, 3, 0.015, 0.5, right);
}

// A rod that turns as it is driven against a box, which slides along a static one.
static void addPusher(pbdrWorld* world)
{
    addGround(world, 0.3);
    addTrueCube(world, 1.0, placeAt(0.0, 0.0, 0.06, 0.3));
    pbdrBodyDef rod = placeAt(-0.09, 0.03, 0.05, 0.4);
    rod.kind = pbdr_bodyKinematic;
    rod.velocity.linear = (pbdrVec3){0.4, 0.0, 0.0};
    rod.velocity.angular = (pbdrVec3){0.1, 0.2, -2.0};
    pbdrBodyId id = addBlock(world, 2, 5, 1, 0.01, 2.0, rod);
    pbdrBody_SetForce(world, id, (pbdrVec3){1.0, -0.5, 0.0});
    pbdrBodyDef wall = placeAt(0.06, 0.1205, 0.06, 0.2);
    wall.kind = pbdr_bodyStatic;
    addTrueCube(world, 1.0, wall);
}

// Eight facets, by spheres at its corners.
static void addOctahedron(pbdrWorld* world, double size, pbdrBodyDef def)
{
    const pbdrVec3 corners[6] = {{size, 0, 0},  {-size, 0, 0}, {0, size, 0},
                                 {0, -size, 0}, {0, 0, size},  {0, 0, -size}};
    const int32_t facets[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                  {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    pbdrMesh mesh = {0};
    pbdrError error;
    require(pbdrCreateMesh(corners, 6, facets, 8, NULL, &mesh, NULL, &error), &error);
    pbdrVec3 positions[6];
    double radii[6], masses[6];
    for (int k = 0; k < 6; k++) {
        positions[k] = (pbdrVec3){0.8 * corners[k].x, 0.8 * corners[k].y, 0.8 * corners[k].z};
        radii[k] = 0.2 * size;
        masses[k] = 0.1;
    }
    pbdrShapeDef shapeDef = pbdrDefaultShapeDef();
    shapeDef.sphereCount = 6;
    shapeDef.positions = positions;
    shapeDef.radii = radii;
    shapeDef.masses = masses;
    shapeDef.surface.kind = pbdr_surfaceMesh;
    shapeDef.surface.mesh = &mesh;
    pbdrShape* shape = NULL;
    addShaped(world, pbdrCreateShape(&shapeDef, &shape, &error), &shape, def);
    pbdrMesh_Free(&mesh);
}

// A ball, a capsule, a cylinder and a mesh fall, turned and turning, onto a static box, and off it.
static void addPrimitives(pbdrWorld* world)
{
    addGround(world, 0.4);
    pbdrShape* shape = NULL;
    pbdrBodyDef def = placeAt(0.0, 0.0, 0.03, 0.5);
    def.kind = pbdr_bodyStatic;
    addShaped(world, pbdrCreateBoxShape((pbdrVec3){0.24, 0.24, 0.06}, 1.0, 2, &shape, NULL), &shape, def);
    def = placeAt(-0.07, -0.07, 0.095, 0.4);
    def.velocity = (pbdrVelocity){{0.2, 0.1, 0.0}, {1.0, 2.0, 3.0}};
    addShaped(world, pbdrCreateBallShape(0.03, 0.3, &shape, NULL), &shape, def);
    def.position = (pbdrVec3){0.07, -0.07, 0.1};
    def.rotation = (pbdrQuat){0.8, 0.4, 0.4, 0.2};
    addShaped(world, pbdrCreateCapsuleShape(0.02, 0.05, 0.3, &shape, NULL), &shape, def);
    def.position = (pbdrVec3){-0.07, 0.07, 0.11};
    addShaped(world, pbdrCreateCylinderShape(0.03, 0.05, 0.3, 3, &shape, NULL), &shape, def);
    def.position = (pbdrVec3){0.11, 0.07, 0.105};
    addOctahedron(world, 0.04, def);
}

// A loop of three links in the air, driven, and a chain of hinges that falls on the ground. Other solvers refuse the
// joints, and let all fall.
static void addMechanism(pbdrWorld* world)
{
    addGround(world, 0.5);
    const double heights[4] = {0.5, 0.8, 0.5, 0.7};
    pbdrBodyId links[6], nowhere = {0, 0, 0};
    for (int k = 0; k < 6; k++) {
        links[k] = addTrueCube(world, 0.5 + 0.1 * k,
                               k < 3 ? placeAt(0.2 * k, 0.0, 0.6, 0.4) : placeAt(0.2 * k, 0.5, 0.07, 0.4));
    }
    for (int k = 0; k < 6; k++) {
        pbdrJointDef def = pbdrDefaultJointDef();
        def.kind = k == 5 ? pbdr_jointBall : pbdr_jointHinge;
        def.bodyA = k == 0 || k == 3 ? nowhere : links[k - 1];
        def.bodyB = k == 3 ? links[2] : links[k];
        def.motor = k == 0 ? pbdr_motorForce : pbdr_motorNone;
        def.motorTarget = k == 0 ? 2.0 : 0.0;
        const pbdrVec3 point =
            k < 4 ? (pbdrVec3){0.2 * k - 0.1, 0.0, heights[k]} : (pbdrVec3){0.2 * k - 0.1, 0.5, 0.07};
        pbdrPlaceJointDef(world, &def, point, (pbdrVec3){0.0, 1.0, 0.0});
        pbdrCreateJoint(world, &def, NULL, NULL);
    }
}

// Boxes of 64 spheres out of a loose grid, turned at random.
static void addPile(pbdrWorld* world)
{
    addGround(world, 0.4);
    seedSurfaces(12);
    pbdrShape* box = NULL;
    pbdrError error;
    require(pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &box, &error), &error);
    for (int k = 0; k < PILE_SIDE * PILE_SIDE * PILE_SIDE; k++) {
        pbdrBodyDef def = placeAt(0.36 * (k % PILE_SIDE), 0.36 * (k / PILE_SIDE % PILE_SIDE),
                                  0.2 + 0.36 * (k / PILE_SIDE / PILE_SIDE), 0.4);
        def.rotation = randomTurn();
        require(pbdrCreateBodyFromShape(world, &def, box, NULL, &error), &error);
    }
    pbdrReleaseShape(box);
}

static void (*const scenes[SCENE_COUNT])(pbdrWorld*) = {addPushedBox, addSlidingBox, addTumblingBox,
                                                        addBentBody,  addStack,      addCollision,
                                                        addPusher,    addPrimitives, addMechanism};
static const char* const sceneNames[SCENE_COUNT] = {"pushed box", "sliding box",    "tumbling box",
                                                    "bent body",  "stack of three", "two colliding",
                                                    "pusher",     "primitives",     "mechanism"};

// --- Settings ---

typedef struct Setting {
    const char* name;
    pbdrSolver solver;
    pbdrEngine engine;
    pbdrPrecision precision;
} Setting;

static const Setting settings[SETTING_COUNT] = {
    {"pbd particle f32", pbdr_solverPbd, pbdr_engineParticle, pbdr_precisionF32},
    {"pbd particle f64", pbdr_solverPbd, pbdr_engineParticle, pbdr_precisionF64},
    {"pbd reduced f32", pbdr_solverPbd, pbdr_engineReduced, pbdr_precisionF32},
    {"pbd reduced f64", pbdr_solverPbd, pbdr_engineReduced, pbdr_precisionF64},
    {"pbd-r particle f32", pbdr_solverPbdR, pbdr_engineParticle, pbdr_precisionF32},
    {"pbd-r particle f64", pbdr_solverPbdR, pbdr_engineParticle, pbdr_precisionF64},
    {"pbd-r reduced f32", pbdr_solverPbdR, pbdr_engineReduced, pbdr_precisionF32},
    {"pbd-r reduced f64", pbdr_solverPbdR, pbdr_engineReduced, pbdr_precisionF64},
    {"xpbdr f32", pbdr_solverXpbdR, pbdr_engineAuto, pbdr_precisionF32},
    {"xpbdr f64", pbdr_solverXpbdR, pbdr_engineAuto, pbdr_precisionF64},
};

// --- Hashes: of the bytes of 64-bit words, lowest first on every machine ---

static void addWord(uint64_t* hash, uint64_t word)
{
    unsigned char bytes[8];
    for (int k = 0; k < 8; k++) {
        bytes[k] = (unsigned char)(word >> 8 * k & 0xff);
    }
    *hash = pbdrAddToHash(*hash, bytes, sizeof bytes);
}

static void addDoubles(uint64_t* hash, const double* values, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        uint64_t word;
        memcpy(&word, values + k, sizeof word);
        addWord(hash, word);
    }
}

// Poses, velocities and contact forces of everything in a world.
static void addWorld(uint64_t* hash, const pbdrWorld* world)
{
    pbdrBodyId bodies[8];
    int count = pbdrWorld_GetBodies(world, bodies, 8);
    for (int k = 0; k < count; k++) {
        pbdrPose pose = pbdrBody_GetPose(world, bodies[k]);
        pbdrVelocity velocity = pbdrBody_GetVelocity(world, bodies[k]);
        addDoubles(hash, &pose.position.x, 3);
        addDoubles(hash, &pose.rotation.w, 4);
        addDoubles(hash, &velocity.linear.x, 3);
        addDoubles(hash, &velocity.angular.x, 3);
    }
    static pbdrContact contacts[1024];
    count = pbdrWorld_GetContacts(world, contacts, 1024);
    addWord(hash, (uint64_t)count);
    for (int k = 0; k < count && k < 1024; k++) {
        addDoubles(hash, &contacts[k].force.x, 3);
    }
}

typedef struct Run {
    uint64_t hash;
    uint32_t flags;
    int contactCount; // over all substeps
} Run;

static Run runScene(int scene, const Setting* setting, pbdrSimd simd)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = setting->solver;
    def.engine = setting->engine;
    def.precision = setting->precision;
    def.simd = simd;
    pbdrWorld* world = NULL;
    pbdrError error;
    require(pbdrCreateWorld(&def, &world, &error), &error);
    scenes[scene](world);
    Run run = {PBDR_HASH_START, 0, 0};
    for (int step = 0; step < SUBSTEPS; step++) {
        run.flags |= pbdrWorld_Step(world, 1);
        run.contactCount += pbdrWorld_GetContacts(world, NULL, 0);
        addWorld(&run.hash, world);
    }
    addWord(&run.hash, run.flags);
    pbdrDestroyWorld(world);
    return run;
}

static const pbdrContactKind pileContacts[PILE_COUNT] = {pbdr_contactSpheres, pbdr_contactSurface};
static const char* const pileNames[PILE_COUNT] = {"by spheres", "by surfaces"};

static Run runPile(pbdrContactKind contact, int threads, pbdrSimd simd)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = contact;
    def.threads = threads;
    def.simd = simd;
    pbdrWorld* world = makeWorld(def);
    addPile(world);
    const uint32_t flags = pbdrWorld_Step(world, PILE_SUBSTEPS);
    const Run run = {pbdrWorld_GetHash(world), flags, pbdrWorld_GetContacts(world, NULL, 0)};
    pbdrDestroyWorld(world);
    return run;
}

// --- Cases ---

// A hash proves something only of a run that lives: that is finite, and touches.
static void compareWith(pbdrSimd simd)
{
    for (int scene = 0; scene < SCENE_COUNT; scene++) {
        for (int k = 0; k < SETTING_COUNT; k++) {
            Run run = runScene(scene, &settings[k], simd);
            CHECK_EQ(run.flags & pbdr_stepNotFinite, 0);
            CHECK_GE(run.contactCount, 1);
            if (run.hash != golden[scene][k]) {
                printf("    %s, %s: 0x%016llx, golden.h has 0x%016llx\n", sceneNames[scene], settings[k].name,
                       (unsigned long long)run.hash, (unsigned long long)golden[scene][k]);
                checkFailures++;
            }
        }
    }
}

static void golden__bits_of_plain_c(void)
{
    compareWith(pbdr_simdScalar);
}

// The vector code of this kind of machine.
#if defined(__aarch64__)
#define VECTORS pbdr_simdNeon
#define VECTOR_CASE "golden__bits_of_neon"
#else
#define VECTORS pbdr_simdAvx2
#define VECTOR_CASE "golden__bits_of_avx2"
#endif

static void golden__bits_of_vector_code(void)
{
    if (!pbdrIsSimdSupported(VECTORS)) {
        SKIP("this build or this CPU has no such instructions");
    }
    compareWith(VECTORS);
}

// A second of 125 boxes that fall on each other, by any number of threads.
static void golden__bits_of_a_pile_by_threads(void)
{
    const int threads[] = {1, 2, 3, 8};
    for (int k = 0; k < PILE_COUNT; k++) {
        for (int i = 0; i < 5; i++) { // the last in plain C
            const Run run =
                runPile(pileContacts[k], threads[i % 4], i < 4 ? pbdr_simdAuto : pbdr_simdScalar);
            CHECK_EQ(run.flags, 0);
            CHECK_GE(run.contactCount, 100);
            if (run.hash != goldenPiles[k]) {
                printf("    %s, %d threads%s: 0x%016llx, golden.h has 0x%016llx\n", pileNames[k],
                       threads[i % 4], i < 4 ? "" : ", plain C", (unsigned long long)run.hash,
                       (unsigned long long)goldenPiles[k]);
                checkFailures++;
            }
        }
    }
}

// Two settings or scenes with the same hash would not be two; but f32 rounds spheres alone in XPBD-R, which
// does not look at them where it touches a surface.
static void golden__hashes_differ(void)
{
    for (int k = 0; k < SCENE_COUNT * SETTING_COUNT; k++) {
        for (int other = 0; other < k; other++) {
            bool alike = k / SETTING_COUNT == other / SETTING_COUNT &&
                         settings[other % SETTING_COUNT].solver == pbdr_solverXpbdR;
            CHECK(alike || golden[k / SETTING_COUNT][k % SETTING_COUNT] !=
                               golden[other / SETTING_COUNT][other % SETTING_COUNT]);
        }
    }
}

// --- golden.h ---

static void printTable(void)
{
    printf("// Hashes of the runs in golden_test.c. Written by `golden_test --print`: change nothing by "
           "hand, and "
           "list\n// the reason under Numerics in CHANGELOG.md.\n");
    printf("#ifndef PBDR_TESTS_GOLDEN_H\n#define PBDR_TESTS_GOLDEN_H\n\n#include <stdint.h>\n\n");
    printf("#define SCENE_COUNT %d\n#define SETTING_COUNT %d\n#define PILE_COUNT %d\n\n// clang-format off\n",
           SCENE_COUNT, SETTING_COUNT, PILE_COUNT);
    printf("static const uint64_t golden[SCENE_COUNT][SETTING_COUNT] = {\n");
    for (int scene = 0; scene < SCENE_COUNT; scene++) {
        printf("    { // %s\n", sceneNames[scene]);
        for (int k = 0; k < SETTING_COUNT; k++) {
            printf("        0x%016llx, // %s\n",
                   (unsigned long long)runScene(scene, &settings[k], pbdr_simdScalar).hash, settings[k].name);
        }
        printf("    },\n");
    }
    printf("};\n\n// %d boxes, %d substeps of XPBD-R\n", PILE_SIDE * PILE_SIDE * PILE_SIDE, PILE_SUBSTEPS);
    printf("static const uint64_t goldenPiles[PILE_COUNT] = {\n");
    for (int k = 0; k < PILE_COUNT; k++) {
        printf("    0x%016llx, // %s\n",
               (unsigned long long)runPile(pileContacts[k], 1, pbdr_simdScalar).hash, pileNames[k]);
    }
    printf("};\n// clang-format on\n\n#endif\n");
}

int main(int argc, char** argv)
{
    if (argc == 2 && strcmp(argv[1], "--print") == 0) {
        printTable();
        return 0;
    }
    CASES(argc, argv, {"golden__bits_of_plain_c", golden__bits_of_plain_c},
          {VECTOR_CASE, golden__bits_of_vector_code},
          {"golden__bits_of_a_pile_by_threads", golden__bits_of_a_pile_by_threads},
          {"golden__hashes_differ", golden__hashes_differ});
}
