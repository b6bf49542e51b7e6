// Shapes: their hash, references and memory, rounding for float worlds, and what creation refuses.
#include "inside.h"
#include "scenes.h"
#include "shape/shape.h"
#include "surfaces.h"

#define COUNT 12

// Spheres without any symmetry, in one place that tests change.
typedef struct Spheres {
    pbdrVec3 positions[COUNT];
    double radii[COUNT], masses[COUNT];
    pbdrShapeDef def;
} Spheres;

static void fill(Spheres* spheres)
{
    seedSurfaces(5);
    for (int i = 0; i < COUNT; i++) {
        spheres->positions[i] = randomVec(0.1);
        spheres->radii[i] = randomIn(0.01, 0.03);
        spheres->masses[i] = randomIn(0.1, 1.0);
    }
    spheres->def = pbdrDefaultShapeDef();
    spheres->def.sphereCount = COUNT;
    spheres->def.positions = spheres->positions;
    spheres->def.radii = spheres->radii;
    spheres->def.masses = spheres->masses;
}

static pbdrShape* make(const pbdrShapeDef* def)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateShape(def, &shape, &error), &error);
    return shape;
}

static uint64_t hash(const Spheres* spheres)
{
    pbdrShape* shape = make(&spheres->def);
    uint64_t value = pbdrShape_GetHash(shape);
    pbdrReleaseShape(shape);
    return value;
}

// --- Hash ---

static void swapSpheres(Spheres* spheres)
{
    pbdrVec3 position = spheres->positions[2];
    double radius = spheres->radii[2], mass = spheres->masses[2];
    spheres->positions[2] = spheres->positions[7];
    spheres->radii[2] = spheres->radii[7];
    spheres->masses[2] = spheres->masses[7];
    spheres->positions[7] = position;
    spheres->radii[7] = radius;
    spheres->masses[7] = mass;
}

// Shapes that differ in one thing; 0 is the shape itself.
static void change(Spheres* spheres, int k)
{
    pbdrSurfaceDef* surface = &spheres->def.surface;
    switch (k) {
    case 1:
        swapSpheres(spheres);
        break;
    case 2:
        spheres->masses[3] *= 1.0 + 0x1p-50;
        break;
    case 3:
        spheres->radii[3] *= 1.0 + 0x1p-50;
        break;
    case 4:
        spheres->positions[3].y += 0x1p-50;
        break;
    case 5:
        for (int i = 0; i < COUNT; i++) {
            spheres->positions[i].x = -spheres->positions[i].x; // mirrored: same radii, masses, moments
        }
        break;
    case 6:
        spheres->def.sphereCount = COUNT - 1;
        break;
    case 7:
        spheres->def.extraInertia.m[0][0] = 1e-6;
        break;
    case 8:
        surface->kind = pbdr_surfaceBall, surface->radius = 0.1;
        break;
    case 9:
        surface->kind = pbdr_surfaceBall, surface->radius = 0.2;
        break;
    case 10:
        surface->kind = pbdr_surfaceCapsule, surface->radius = 0.1, surface->halfLength = 0.1;
        break;
    case 11:
        surface->kind = pbdr_surfaceCylinder, surface->radius = 0.1, surface->halfLength = 0.1;
        break;
    case 12:
        surface->kind = pbdr_surfaceCylinder, surface->radius = 0.1, surface->halfLength = 0.2;
        break;
    default:
        break;
    }
    if (k >= 13) {
        surface->kind = pbdr_surfaceBox;
        surface->half = pbdrVec(0.1, 0.1, k == 14 ? 0.2 : 0.1);
        for (int i = 0; i < 3; i++) {
            surface->counts[i] = k == 15 ? 3 : 2;
        }
        surface->frame.position.x = k == 16 ? 0.01 : 0.0;
        surface->frame.rotation = k == 17 ? (pbdrQuat){0.8, 0.6, 0.0, 0.0} : surface->frame.rotation;
    }
}
#define CHANGE_COUNT 18

static void hash__differs_for_any_change(void)
{
    static Spheres spheres;
    uint64_t hashes[CHANGE_COUNT];
    for (int k = 0; k < CHANGE_COUNT; k++) {
        fill(&spheres);
        change(&spheres, k);
        hashes[k] = hash(&spheres);
        for (int i = 0; i < k; i++) {
            if (hashes[i] == hashes[k]) {
                printf("    changes %d and %d have one hash\n", i, k);
                checkFailures++;
            }
        }
    }
}

static void hash__is_equal_for_equal_shapes(void)
{
    static Spheres spheres, other;
    for (int k = 0; k < CHANGE_COUNT; k++) {
        fill(&spheres);
        fill(&other);
        change(&spheres, k);
        change(&other, k);
        CHECK(hash(&spheres) == hash(&other));
    }
    // twice swapped is as it was
    fill(&spheres);
    swapSpheres(&spheres);
    swapSpheres(&spheres);
    fill(&other);
    CHECK(hash(&spheres) == hash(&other));
}

static uint64_t hashOf(const pbdrVec3* positions, const double* radii, const double* masses, int count)
{
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = count;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    pbdrShape* shape = make(&def);
    uint64_t value = pbdrShape_GetHash(shape);
    pbdrReleaseShape(shape);
    return value;
}

// Shapes of one mass, one centre and one inertia, to the bit, that are not the same: mirrored, with two masses
// of one place exchanged, with two radii exchanged.
static void hash__differs_where_the_moments_do_not(void)
{
    // turned into itself by half turns about the axes, but not mirrored into itself
    pbdrVec3 handed[4] = {{0.25, 0.5, 1.0}, {0.25, -0.5, -1.0}, {-0.25, 0.5, -1.0}, {-0.25, -0.5, 1.0}};
    const double radii[4] = {0.1, 0.1, 0.1, 0.1}, masses[4] = {1.0, 1.0, 1.0, 1.0};
    const uint64_t right = hashOf(handed, radii, masses, 4);
    for (int i = 0; i < 4; i++) {
        handed[i].x = -handed[i].x;
    }
    CHECK(hashOf(handed, radii, masses, 4) != right);
    const pbdrVec3 stacked[4] = {{0.5, 0.0, 0.0}, {0.5, 0.0, 0.0}, {-0.5, 0.5, 0.0}, {-0.5, -0.5, 1.0}};
    const double uneven[2][4] = {{1.0, 2.0, 1.0, 2.0}, {2.0, 1.0, 1.0, 2.0}};
    const double sizes[2][4] = {{0.1, 0.2, 0.1, 0.1}, {0.2, 0.1, 0.1, 0.1}};
    CHECK(hashOf(stacked, radii, uneven[0], 4) != hashOf(stacked, radii, uneven[1], 4));
    CHECK(hashOf(stacked, sizes[0], uneven[0], 4) != hashOf(stacked, sizes[1], uneven[0], 4));
}

// --- What follows from the spheres ---

// A surface given in the definition's frame stands about the centre of mass, as the spheres do.
static void surface__is_about_the_centre_of_mass(void)
{
    const pbdrVec3 away = {0.3, -0.2, 5.0};
    const double radius = 0.05, mass = 1.0;
    pbdrVec3 vertices[4] = {{-0.1, -0.1, -0.1}, {0.1, -0.1, -0.1}, {0.0, 0.1, -0.1}, {0.0, 0.0, 0.1}};
    int32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    for (int i = 0; i < 4; i++) {
        vertices[i] = pbdrAdd(vertices[i], away);
    }
    const pbdrMesh mesh = {
        .vertexCount = 4, .vertices = vertices, .triangleCount = 4, .triangles = triangles};
    for (int k = 0; k < 5; k++) {
        pbdrShapeDef def = pbdrDefaultShapeDef();
        def.sphereCount = 1;
        def.positions = &away;
        def.radii = &radius;
        def.masses = &mass;
        def.surface.kind = (pbdrSurfaceKind)(k + 1);
        def.surface.frame.position = away;
        def.surface.radius = 0.1;
        def.surface.halfLength = k + 1 == pbdr_surfaceCapsule ? 1e-9 : 0.1;
        def.surface.half = pbdrVec(0.1, 0.1, 0.1);
        def.surface.counts[0] = def.surface.counts[1] = def.surface.counts[2] = 1;
        def.surface.mesh = &mesh;
        pbdrShape* shape = make(&def);
        CHECK_LE(distance(shape->surface.lower, pbdrVec(-0.1, -0.1, -0.1)), 1e-8);
        CHECK_LE(distance(shape->surface.upper, pbdrVec(0.1, 0.1, 0.1)), 1e-8);
        pbdrReleaseShape(shape);
    }
}

static void sums__are_those_of_the_point_masses(void)
{
    static Spheres spheres;
    fill(&spheres);
    spheres.def.extraInertia = (pbdrMat3){{{0.01, 0.001, 0.0}, {0.001, 0.02, 0.0}, {0.0, 0.0, 0.03}}};
    pbdrShape* shape = make(&spheres.def);
    double mass = 0.0, reach = 0.0, largest = 0.0, smallest = 1.0;
    pbdrVec3 first = {0.0, 0.0, 0.0};
    for (int i = 0; i < COUNT; i++) {
        mass += spheres.masses[i];
        first = pbdrAddScaled(first, spheres.masses[i], spheres.positions[i]);
        largest = fmax(largest, spheres.radii[i]);
        smallest = fmin(smallest, spheres.radii[i]);
    }
    const pbdrVec3 centre = pbdrScale(1.0 / mass, first);
    pbdrMat3 inertia = spheres.def.extraInertia, spread = {{{0.0}}};
    for (int i = 0; i < COUNT; i++) {
        const pbdrVec3 q = pbdrSub(spheres.positions[i], centre);
        const double at[3] = {q.x, q.y, q.z}, m = spheres.masses[i];
        for (int k = 0; k < 9; k++) {
            const double both = m * at[k / 3] * at[k % 3];
            spread.m[k / 3][k % 3] += both;
            inertia.m[k / 3][k % 3] += (k / 3 == k % 3 ? m * pbdrDot(q, q) : 0.0) - both;
        }
        reach = fmax(reach, pbdrLength(q));
        CHECK_LE(distance(pbdrShape_GetOffsets(shape)[i], q), 1e-16);
        CHECK_EQ(pbdrShape_GetRadii(shape)[i], spheres.radii[i]);
        CHECK_EQ(pbdrShape_GetMasses(shape)[i], spheres.masses[i]);
    }
    CHECK_NEAR(pbdrShape_GetMass(shape), mass, 1e-14);
    CHECK_LE(distance(pbdrShape_GetCentre(shape), centre), 1e-16);
    CHECK_NEAR(shape->reach, reach, 1e-16);
    CHECK_EQ(shape->largestRadius, largest);
    CHECK_EQ(shape->margin, PBDR_PAIR_MARGIN * smallest);
    pbdrMat3 product = pbdrMulMM(&shape->turning, &shape->inverseTurning);
    for (int k = 0; k < 9; k++) {
        CHECK_NEAR(pbdrShape_GetInertia(shape).m[k / 3][k % 3], inertia.m[k / 3][k % 3], 1e-16);
        CHECK_NEAR(shape->spread.m[k / 3][k % 3], spread.m[k / 3][k % 3], 1e-16);
        CHECK_NEAR(product.m[k / 3][k % 3], k % 4 == 0 ? 1.0 : 0.0, 1e-12);
    }
    pbdrReleaseShape(shape);
}

// A chain has no inertia about its own axis: XPBD-R turns it by its spheres' own, 2/5 m r^2.
static void turning__of_a_chain_has_its_spheres_own(void)
{
    const pbdrVec3 positions[2] = {{-0.1, 0.0, 0.0}, {0.1, 0.0, 0.0}};
    const double radii[2] = {0.05, 0.05}, masses[2] = {1.0, 1.0};
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 2;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    pbdrShape* chain = make(&def);
    const double own = 2.0 * 0.4 * 0.05 * 0.05;
    CHECK_EQ(chain->inertia.m[0][0], 0.0);
    CHECK_NEAR(chain->turning.m[0][0], own, 1e-17);
    CHECK_NEAR(chain->turning.m[1][1], 0.02 + own, 1e-16);
    CHECK_NEAR(chain->inverseTurning.m[0][0], 1.0 / own, 1e-9);
    CHECK_NEAR(chain->inverseTurning.m[2][2], 1.0 / (0.02 + own), 1e-10);
    pbdrReleaseShape(chain);
}

// --- References and memory ---

static void references__keep_a_shape_and_give_it_back(void)
{
    static Spheres spheres;
    fill(&spheres);
    change(&spheres, 13); // with a box's surface
    Ledger ledger = {0};
    spheres.def.hooks = makeHooks(&ledger);
    pbdrShape* shape = make(&spheres.def);
    const size_t bytes = ledger.bytes;
    CHECK(pbdrShape_GetByteCount(shape) <= bytes);
    CHECK_GE((double)pbdrShape_GetByteCount(shape), 0.9 * (double)bytes - 64.0 * ledger.blocks);
    CHECK(pbdrRetainShape(shape) == shape);
    pbdrReleaseShape(shape);
    CHECK(ledger.bytes == bytes);
    // a world's bodies hold it: two of three go, then the caller's reference, then the world
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    pbdrWorld* world = makeWorld(def);
    pbdrBodyId ids[3];
    pbdrError error;
    for (int k = 0; k < 3; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position.x = k;
        require(pbdrCreateBodyFromShape(world, &body, shape, &ids[k], &error), &error);
    }
    CHECK(pbdrBody_GetShape(world, ids[2]) == shape);
    CHECK(ledger.bytes == bytes); // shared
    pbdrDestroyBody(world, ids[0]);
    pbdrDestroyBody(world, ids[1]);
    pbdrReleaseShape(shape);
    CHECK(ledger.bytes == bytes);
    CHECK_EQ(pbdrWorld_Step(world, 1), 0);
    pbdrDestroyWorld(world);
    CHECK_EQ(ledger.bytes, 0);
    CHECK_EQ(ledger.blocks, 0);
    pbdrReleaseShape(NULL);
}

// Without memory nothing is made, and nothing lost.
static void creation__does_without_memory(void)
{
    static Spheres spheres;
    int failed = 0;
    for (int failAt = 1; failAt < 100; failAt++) {
        fill(&spheres);
        change(&spheres, 13);
        Ledger ledger = {.failAt = failAt};
        spheres.def.hooks = makeHooks(&ledger);
        pbdrShape* shape = (pbdrShape*)&spheres;
        pbdrStatus status = pbdrCreateShape(&spheres.def, &shape, NULL);
        if (status == pbdr_statusOk) {
            pbdrReleaseShape(shape);
            CHECK_EQ(ledger.bytes, 0);
            break;
        }
        failed++;
        CHECK(status == pbdr_statusNoMemory && shape == NULL);
        CHECK_EQ(ledger.bytes, 0);
    }
    CHECK_GE(failed, 5);
}

// --- Rounding ---

static bool isFloat(double a)
{
    volatile float rounded = (float)a;
    return (double)rounded == a;
}

// In a float world without particles offsets, radii and masses are float's; one copy serves all bodies.
static void rounding__is_shared_by_bodies(void)
{
    static Spheres spheres;
    fill(&spheres);
    Ledger ledger = {0};
    spheres.def.hooks = makeHooks(&ledger);
    pbdrShape* shape = make(&spheres.def);
    const size_t bytes = ledger.bytes;
    pbdrWorldDef def = makePbdRDef();
    def.engine = pbdr_engineReduced;
    def.precision = pbdr_precisionF32;
    pbdrWorld* world = makeWorld(def);
    pbdrBodyId ids[2];
    pbdrError error;
    for (int k = 0; k < 2; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position.x = k;
        require(pbdrCreateBodyFromShape(world, &body, shape, &ids[k], &error), &error);
        CHECK(ledger.bytes <= 2 * bytes);
    }
    const pbdrShape* rounded = pbdrBody_GetShape(world, ids[0]);
    CHECK(rounded == pbdrBody_GetShape(world, ids[1]) && rounded != shape);
    CHECK(pbdrShape_GetHash(rounded) == pbdrShape_GetHash(shape));
    CHECK_EQ(rounded->mass, shape->mass);
    CHECK_EQ(rounded->reach, shape->reach);
    double weight = 0.0;
    for (int i = 0; i < COUNT; i++) {
        const pbdrVec3 q = rounded->offsets[i];
        CHECK(isFloat(q.x) && isFloat(q.y) && isFloat(q.z));
        CHECK(isFloat(rounded->radii[i]) && isFloat(rounded->masses[i]));
        CHECK_LE(distance(q, shape->offsets[i]), 1e-8);
        CHECK_NEAR(rounded->radii[i], shape->radii[i], 1e-8);
        weight += rounded->masses[i];
    }
    CHECK_EQ(rounded->weight, weight);
    CHECK(weight != shape->mass);
    pbdrReleaseShape(shape);
    pbdrDestroyWorld(world);
    CHECK_EQ(ledger.bytes, 0);
    // in double it is the shape itself
    Ledger second = {0};
    spheres.def.hooks = makeHooks(&second);
    shape = make(&spheres.def);
    def.precision = pbdr_precisionF64;
    world = makeWorld(def);
    pbdrBodyDef body = pbdrDefaultBodyDef();
    require(pbdrCreateBodyFromShape(world, &body, shape, &ids[0], &error), &error);
    CHECK(pbdrBody_GetShape(world, ids[0]) == shape);
    pbdrReleaseShape(shape);
    pbdrDestroyWorld(world);
    CHECK_EQ(second.bytes, 0);
}

// --- What is refused ---

static void checkRefused(const pbdrShapeDef* def, pbdrStatus status, const char* part)
{
    pbdrShape* shape = (pbdrShape*)def; // anything
    pbdrError error = {.message = ""};
    CHECK_EQ(pbdrCreateShape(def, &shape, &error), status);
    CHECK_EQ(error.status, status);
    CHECK(shape == NULL);
    CHECK_TEXT(error.message, part);
}

static void creation__refuses_with_a_message(void)
{
    static Spheres good, bad;
    fill(&good);
    const pbdrStatus invalid = pbdr_statusInvalidArgument;
    CHECK_EQ(pbdrCreateShape(&good.def, NULL, NULL), invalid);
    pbdrShapeDef def = good.def;
    def.cookie = 0;
    checkRefused(&def, invalid, "pbdrDefaultShapeDef");
    def = good.def;
    def.sphereCount = 0;
    checkRefused(&def, pbdr_statusNoParticles, "0 spheres");
    def = good.def;
    def.masses = NULL;
    checkRefused(&def, pbdr_statusNoParticles, "masses is NULL");
    def = good.def;
    def.hooks.allocate = ledgerAllocate;
    checkRefused(&def, invalid, "allocate and release");
    const double wrong[4] = {0.0, -1.0, (double)NAN, (double)INFINITY};
    for (int k = 0; k < 4; k++) {
        fill(&bad);
        bad.radii[3] = wrong[k];
        checkRefused(&bad.def, invalid, "sphere 3: radius");
        fill(&bad);
        bad.masses[11] = wrong[k];
        checkRefused(&bad.def, invalid, "sphere 11: mass");
    }
    fill(&bad);
    bad.positions[0].z = (double)NAN;
    checkRefused(&bad.def, invalid, "sphere 0: position");
    fill(&bad);
    bad.masses[0] = bad.masses[1] = 1.7e308;
    checkRefused(&bad.def, invalid, "total mass");
    def = good.def;
    def.extraInertia.m[0][1] = 0.5; // not symmetric
    checkRefused(&def, invalid, "extraInertia");
    def.extraInertia.m[0][1] = 1e-5; // a little
    checkRefused(&def, invalid, "extraInertia");
    def = good.def;
    def.extraInertia.m[2][2] = -1.0; // a moment below zero
    checkRefused(&def, invalid, "extraInertia");
    def = good.def;
    def.surface.kind = (pbdrSurfaceKind)77;
    checkRefused(&def, invalid, "kind 77");
    def = good.def;
    def.surface.kind = pbdr_surfaceMesh;
    checkRefused(&def, invalid, "a mesh, but none");
    def = good.def;
    def.surface.kind = pbdr_surfaceBall;
    checkRefused(&def, invalid, "radius");
    // and the memory of what was begun goes back
    Ledger ledger = {0};
    def.hooks = makeHooks(&ledger);
    checkRefused(&def, invalid, "radius");
    CHECK_GE(ledger.allocations, 3);
    CHECK_EQ(ledger.bytes, 0);
}

// --- A thousand bodies of one shape ---

// 2191 spheres, the bunny's number. What a thousand bodies of them take beyond the shape: 20 MB at most, made
// and in flight.
static void thousand_bodies__share_their_shape(void)
{
    enum { SPHERES = 2191, BODIES = 1000 };
    static pbdrVec3 positions[SPHERES];
    static double radii[SPHERES], masses[SPHERES];
    seedSurfaces(9);
    for (int i = 0; i < SPHERES; i++) {
        positions[i] = randomVec(0.1);
        radii[i] = 0.004;
        masses[i] = 1.0 / SPHERES;
    }
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = SPHERES;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    pbdrShape* shape = make(&def);
    Ledger ledger = {0};
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.solver = pbdr_solverXpbdR;
    worldDef.hooks = makeHooks(&ledger);
    pbdrWorld* world = makeWorld(worldDef);
    addGround(world, 0.4);
    pbdrError error;
    for (int k = 0; k < BODIES; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = pbdrVec(0.5 * (k % 32), 0.5 * (k / 32), 1.0); // 100 ms from the ground and each other
        body.rotation = randomTurn();
        body.velocity.angular = randomVec(3.0);
        require(pbdrCreateBodyFromShape(world, &body, shape, NULL, &error), &error);
    }
    const double made = (double)ledger.bytes / 1.0e6;
    CHECK_EQ(pbdrWorld_Step(world, 100), 0);
    const double flying = (double)ledger.bytes / 1.0e6;
    printf(
        "    %d bodies of %d spheres: %.2f MB made, %.2f MB after %d substeps, beyond the shape's %.2f MB\n",
        BODIES, SPHERES, made, flying, 100, (double)pbdrShape_GetByteCount(shape) / 1.0e6);
    CHECK_LE(made, 20.0);
    CHECK_LE(flying, 20.0);
    pbdrReleaseShape(shape);
    pbdrDestroyWorld(world);
    CHECK_EQ(ledger.bytes, 0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"hash__differs_for_any_change", hash__differs_for_any_change},
          {"hash__is_equal_for_equal_shapes", hash__is_equal_for_equal_shapes},
          {"hash__differs_where_the_moments_do_not", hash__differs_where_the_moments_do_not},
          {"surface__is_about_the_centre_of_mass", surface__is_about_the_centre_of_mass},
          {"sums__are_those_of_the_point_masses", sums__are_those_of_the_point_masses},
          {"turning__of_a_chain_has_its_spheres_own", turning__of_a_chain_has_its_spheres_own},
          {"references__keep_a_shape_and_give_it_back", references__keep_a_shape_and_give_it_back},
          {"creation__does_without_memory", creation__does_without_memory},
          {"rounding__is_shared_by_bodies", rounding__is_shared_by_bodies},
          {"creation__refuses_with_a_message", creation__refuses_with_a_message},
          {"thousand_bodies__share_their_shape", thousand_bodies__share_their_shape});
}
