// Compounds: the union of their parts, as others touch it and as it touches others.
#include "ledger.h"
#include "pbdr/shape.h"
#include "scenes.h"
#include "shape/surface.h"

// A body of parts with a mass and an inertia of its own; its centre of mass is the frame's origin.
static pbdrBodyId addCompound(pbdrWorld* world, const pbdrSurfaceDef* parts, int count, double mass,
                              pbdrVec3 moments, pbdrVec3 position, pbdrQuat rotation)
{
    const pbdrVec3 positions[] = {{0.0, 0.0, 0.0}};
    const double radii[] = {0.01}, masses[] = {mass};
    pbdrShapeDef def = pbdrDefaultShapeDef();
    pbdrShape* shape = NULL;
    pbdrBodyId id;
    pbdrError error;
    def.sphereCount = 1;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    def.extraInertia = (pbdrMat3){{{moments.x, 0.0, 0.0}, {0.0, moments.y, 0.0}, {0.0, 0.0, moments.z}}};
    def.surface.kind = count == 1 ? parts[0].kind : pbdr_surfaceCompound;
    if (count == 1) {
        def.surface = parts[0];
    } else {
        def.surface.partCount = count;
        def.surface.parts = parts;
    }
    require(pbdrCreateShape(&def, &shape, &error), &error);
    pbdrBodyDef body = pbdrDefaultBodyDef();
    body.position = position;
    body.rotation = rotation;
    require(pbdrCreateBodyFromShape(world, &body, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

static pbdrSurfaceDef makePart(pbdrSurfaceKind kind, pbdrVec3 place)
{
    pbdrSurfaceDef part = pbdrDefaultShapeDef().surface;
    part.kind = kind;
    part.frame.position = place;
    return part;
}

static pbdrSurfaceDef makeBoxPart(pbdrVec3 place, pbdrVec3 half)
{
    pbdrSurfaceDef part = makePart(pbdr_surfaceBox, place);
    part.half = half;
    part.counts[0] = part.counts[1] = part.counts[2] = 2;
    return part;
}

static pbdrWorld* makeFloorWorld(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    pbdrWorld* world = makeWorld(def);
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    require(pbdrCreatePlane(world, &plane, NULL, NULL), NULL);
    return world;
}

static const pbdrQuat unturned = {1.0, 0.0, 0.0, 0.0};

// The distance of points from a box and from the two halves that it is cut into agrees outside, and inside where the
// cut is farther than the surface.
static void distance__of_halves_is_that_of_the_whole(void)
{
    const pbdrVec3 half = {0.2, 0.1, 0.1}, quarter = {0.1, 0.1, 0.1};
    const int counts[3] = {2, 2, 2};
    const pbdrPose left = {{-0.1, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                   right = {{0.1, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                   middle = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    pbdrSurface whole, parts[2], both;
    CHECK_EQ(pbdrCreateBoxSurface(&middle, half, counts, NULL, &whole, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrCreateBoxSurface(&left, quarter, counts, NULL, &parts[0], NULL), pbdr_statusOk);
    CHECK_EQ(pbdrCreateBoxSurface(&right, quarter, counts, NULL, &parts[1], NULL), pbdr_statusOk);
    CHECK_EQ(pbdrCreateCompoundSurface(parts, 2, NULL, &both, NULL), pbdr_statusOk);
    CHECK_NEAR(both.radius, whole.radius, 1.0e-12);
    unsigned seed = 1;
    for (int k = 0; k < 2000; k++) {
        double x[3];
        for (int i = 0; i < 3; i++) {
            seed = seed * 1664525u + 1013904223u;
            x[i] = 0.6 * ((double)(seed >> 8) / (1 << 24) - 0.5);
        }
        const pbdrPlacedProbe probe = {
            .kind = pbdr_probePoint, .a = {x[0], x[1], x[2]}, .radius = 0.01, .reach = 1.0};
        int32_t first[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE}, second[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
        pbdrSurfaceHit one[2], two[2];
        CHECK_EQ(pbdrSurface_Probe(&whole, &probe, first, one), 1);
        CHECK_EQ(pbdrSurface_Probe(&both, &probe, second, two), 1);
        if (one[0].gap > 0.0 || fabs(x[0]) > 0.11) {
            CHECK_NEAR(two[0].gap, one[0].gap, 1.0e-12);
        }
    }
    pbdrSurface_Free(&whole);
    pbdrSurface_Free(&both);
}

// Points of one part that lie inside another are no probes; those of the outside are.
static void probes__inside_are_left_out(void)
{
    const int counts[3] = {2, 2, 2};
    const pbdrPose middle = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    pbdrSurface parts[2], both;
    CHECK_EQ(pbdrCreateBoxSurface(&middle, (pbdrVec3){0.2, 0.2, 0.2}, counts, NULL, &parts[0], NULL),
             pbdr_statusOk);
    CHECK_EQ(pbdrCreateBoxSurface(&middle, (pbdrVec3){0.3, 0.1, 0.1}, counts, NULL, &parts[1], NULL),
             pbdr_statusOk);
    CHECK_EQ(pbdrCreateCompoundSurface(parts, 2, NULL, &both, NULL), pbdr_statusOk);
    int ends = 0, cube = 0;
    for (int i = 0; i < both.probeCount; i++) {
        const pbdrProbe* probe = &both.probes[i];
        ends += probe->kind == pbdr_probePoint && fabs(probe->a.x) > 0.29;
        cube += probe->kind == pbdr_probePoint && fabs(probe->a.x) < 0.21;
    }
    CHECK_EQ(ends, 18); // 3 x 3 on either end of the bar, none along it
    CHECK_EQ(cube, 24); // of 26 on the cube: the bar goes through the middle of two faces
    pbdrSurface_Free(&both);
}

// m g = sum of forces: a table of a top and four legs stands, with a ball on it, each where it was put.
static void table__stands_and_bears_a_ball(void)
{
    pbdrWorld* world = makeFloorWorld();
    pbdrSurfaceDef parts[5];
    parts[0] = makeBoxPart((pbdrVec3){0.0, 0.0, 0.1}, (pbdrVec3){0.3, 0.2, 0.01});
    for (int k = 0; k < 4; k++) {
        pbdrSurfaceDef* leg = &parts[1 + k];
        *leg =
            makePart(pbdr_surfaceCylinder, (pbdrVec3){0.25 * (2 * (k & 1) - 1), 0.15 * ((k & 2) - 1), -0.05});
        leg->radius = 0.02;
        leg->halfLength = 0.15;
    }
    pbdrBodyId table =
        addCompound(world, parts, 5, 5.0, (pbdrVec3){0.1, 0.15, 0.2}, (pbdrVec3){0.0, 0.0, 0.2}, unturned);
    pbdrShape* ball;
    require(pbdrCreateBallShape(0.05, 1.0, &ball, NULL), NULL);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId id;
    def.position = (pbdrVec3){0.1, 0.05, 0.36};
    require(pbdrCreateBodyFromShape(world, &def, ball, &id, NULL), NULL);
    pbdrReleaseShape(ball);
    CHECK_EQ(pbdrWorld_Step(world, 500), 0);
    CHECK_NEAR(pbdrBody_GetPose(world, table).position.z, 0.2, 1.0e-9);
    CHECK_NEAR(pbdrBody_GetPose(world, id).position.z, 0.36, 1.0e-9);
    CHECK_NEAR(pbdrBody_GetContactWrench(world, table, (pbdrVec3){0.0, 0.0, 0.0}).force.z, 5.0 * 9.81,
               1.0e-6);
    pbdrDestroyWorld(world);
}

// A capsule lies across two blocks of one body, level, and touches both.
static void capsule__lies_across_two_parts(void)
{
    pbdrWorld* world = makeFloorWorld();
    const pbdrSurfaceDef parts[2] = {makeBoxPart((pbdrVec3){-0.2, 0.0, 0.0}, (pbdrVec3){0.05, 0.1, 0.1}),
                                     makeBoxPart((pbdrVec3){0.2, 0.0, 0.0}, (pbdrVec3){0.05, 0.1, 0.1})};
    addCompound(world, parts, 2, 10.0, (pbdrVec3){0.1, 0.4, 0.4}, (pbdrVec3){0.0, 0.0, 0.1}, unturned);
    pbdrShape* capsule;
    require(pbdrCreateCapsuleShape(0.02, 0.6, 1.0, &capsule, NULL), NULL);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId id;
    def.position = (pbdrVec3){0.0, 0.0, 0.22};
    def.rotation = (pbdrQuat){sqrt(0.5), 0.0, sqrt(0.5), 0.0}; // along x
    require(pbdrCreateBodyFromShape(world, &def, capsule, &id, NULL), NULL);
    pbdrReleaseShape(capsule);
    pbdrWorld_Step(world, 500);
    pbdrPose pose = pbdrBody_GetPose(world, id);
    CHECK_NEAR(pose.position.z, 0.22, 1.0e-9);
    CHECK_NEAR(pose.rotation.w, sqrt(0.5), 1.0e-9);
    pbdrContact contacts[64];
    int count = pbdrWorld_GetContacts(world, contacts, 64), left = 0, right = 0;
    for (int k = 0; k < count && k < 64; k++) {
        bool there = contacts[k].plane.index1 == 0 && fabs(contacts[k].force.z) > 1.0;
        left += there && contacts[k].point.x < 0.0;
        right += there && contacts[k].point.x > 0.0;
    }
    CHECK_GE(left, 1);
    CHECK_GE(right, 1);
    pbdrDestroyWorld(world);
}

// A wheel with an axle rolls on its rim as the wheel alone does, without drag: v = w r, and both keep their speed over a
// flat floor.
static void wheel__rolls_without_drag(void)
{
    pbdrWorld* world = makeFloorWorld();
    pbdrSurfaceDef parts[2] = {makePart(pbdr_surfaceCylinder, (pbdrVec3){0.0, 0.0, 0.0}),
                               makePart(pbdr_surfaceCylinder, (pbdrVec3){0.0, 0.0, 0.0})};
    parts[0].radius = 0.1;
    parts[0].halfLength = 0.05;
    parts[1].radius = 0.02;
    parts[1].halfLength = 0.12;
    const pbdrQuat lying = {sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // its axis along -y
    pbdrBodyId bodies[2];
    for (int k = 0; k < 2; k++) {
        bodies[k] = addCompound(world, parts, 1 + k, 2.0, (pbdrVec3){0.006, 0.006, 0.01},
                                (pbdrVec3){0.0, 1.0 * k, 0.1}, lying);
        pbdrVelocity velocity = {{1.0, 0.0, 0.0}, {0.0, 10.0, 0.0}};
        CHECK_EQ(pbdrBody_SetVelocity(world, bodies[k], velocity), pbdr_statusOk);
    }
    pbdrWorld_Step(world, 1000);
    for (int k = 0; k < 2; k++) {
        pbdrVelocity velocity = pbdrBody_GetVelocity(world, bodies[k]);
        CHECK_NEAR(velocity.linear.x, 1.0, 1.0e-6);
        CHECK_NEAR(velocity.angular.y, 10.0, 1.0e-5);
        CHECK_NEAR(pbdrBody_GetPose(world, bodies[k]).position.z, 0.1, 1.0e-9);
    }
    pbdrDestroyWorld(world);
}

// An L of two boxes tips over as it must: its centre of mass is outside its foot.
static void contact__is_with_the_union(void)
{
    pbdrWorld* world = makeFloorWorld();
    const pbdrSurfaceDef parts[2] = {makeBoxPart((pbdrVec3){0.0, 0.0, -0.1}, (pbdrVec3){0.05, 0.05, 0.1}),
                                     makeBoxPart((pbdrVec3){0.2, 0.0, 0.05}, (pbdrVec3){0.25, 0.05, 0.05})};
    pbdrBodyId stands =
        addCompound(world, parts, 2, 1.0, (pbdrVec3){0.01, 0.01, 0.01}, (pbdrVec3){0.0, 0.0, 0.2}, unturned);
    const pbdrSurfaceDef moved[2] = {makeBoxPart((pbdrVec3){-0.1, 0.0, -0.1}, (pbdrVec3){0.05, 0.05, 0.1}),
                                     makeBoxPart((pbdrVec3){0.1, 0.0, 0.05}, (pbdrVec3){0.25, 0.05, 0.05})};
    pbdrBodyId tips =
        addCompound(world, moved, 2, 1.0, (pbdrVec3){0.01, 0.01, 0.01}, (pbdrVec3){0.0, 1.0, 0.2}, unturned);
    pbdrWorld_Step(world, 1500);
    CHECK_NEAR(pbdrBody_GetPose(world, stands).position.z, 0.2, 1.0e-9);
    CHECK_LE(pbdrBody_GetPose(world, tips).position.z, 0.19);
    pbdrContact contacts[64];
    int count = pbdrWorld_GetContacts(world, contacts, 64);
    for (int k = 0; k < count && k < 64; k++) {
        CHECK_GE(contacts[k].separation, -1.0e-8);
    }
    pbdrDestroyWorld(world);
}

static void definition__is_checked(void)
{
    const pbdrVec3 positions[] = {{0.0, 0.0, 0.0}};
    const double one[] = {1.0};
    pbdrShapeDef def = pbdrDefaultShapeDef();
    pbdrSurfaceDef parts[2] = {makeBoxPart((pbdrVec3){0.0, 0.0, 0.0}, (pbdrVec3){1.0, 1.0, 1.0}),
                               makePart(pbdr_surfaceCompound, (pbdrVec3){0.0, 0.0, 0.0})};
    pbdrShape* shape;
    pbdrError error = {.message = ""};
    def.sphereCount = 1;
    def.positions = positions;
    def.radii = def.masses = one;
    def.surface.kind = pbdr_surfaceCompound;
    CHECK_EQ(pbdrCreateShape(&def, &shape, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "a compound of 0 parts");
    def.surface.parts = parts;
    def.surface.partCount = 2;
    CHECK_EQ(pbdrCreateShape(&def, &shape, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "part 1 is none, a compound or an open mesh");
    parts[1] = makePart(pbdr_surfaceBall, (pbdrVec3){0.0, 0.0, 0.0});
    CHECK_EQ(pbdrCreateShape(&def, &shape, &error), pbdr_statusInvalidArgument); // a ball without a radius
    def.surface.partCount = 1025;
    CHECK_EQ(pbdrCreateShape(&(pbdrShapeDef){.cookie = def.cookie}, &shape, &error),
             pbdr_statusInvalidArgument);
}

// The hash knows every part; memory goes back, whatever fails.
static void hash_and_memory__cover_the_parts(void)
{
    const pbdrVec3 positions[] = {{0.0, 0.0, 0.0}};
    const double one[] = {1.0};
    pbdrSurfaceDef parts[2] = {makeBoxPart((pbdrVec3){0.0, 0.0, 0.0}, (pbdrVec3){1.0, 1.0, 1.0}),
                               makePart(pbdr_surfaceBall, (pbdrVec3){0.0, 0.0, 1.0})};
    uint64_t hashes[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        int failAt = 0;
        bool failed = true;
        parts[1].radius = 0.5 + 0.25 * k;
        while (failed && failAt < 100) {
            Ledger ledger = {.failAt = ++failAt};
            pbdrShapeDef def = pbdrDefaultShapeDef();
            def.hooks = makeHooks(&ledger);
            def.sphereCount = 1;
            def.positions = positions;
            def.radii = def.masses = one;
            def.surface.kind = pbdr_surfaceCompound;
            def.surface.parts = parts;
            def.surface.partCount = 2;
            pbdrShape* shape = NULL;
            pbdrStatus status = pbdrCreateShape(&def, &shape, NULL);
            CHECK(status == pbdr_statusOk || status == pbdr_statusNoMemory);
            if (status == pbdr_statusOk) {
                hashes[k] = pbdrShape_GetHash(shape);
                CHECK_LE(pbdrShape_GetByteCount(shape), ledger.bytes);
            }
            pbdrReleaseShape(shape);
            CHECK_EQ(ledger.blocks, 0);
            failed = ledger.allocations >= failAt;
        }
        CHECK_GE(failAt, 8);
    }
    CHECK(hashes[0] != hashes[1]);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"distance__of_halves_is_that_of_the_whole", distance__of_halves_is_that_of_the_whole},
          {"probes__inside_are_left_out", probes__inside_are_left_out},
          {"table__stands_and_bears_a_ball", table__stands_and_bears_a_ball},
          {"capsule__lies_across_two_parts", capsule__lies_across_two_parts},
          {"wheel__rolls_without_drag", wheel__rolls_without_drag},
          {"contact__is_with_the_union", contact__is_with_the_union},
          {"definition__is_checked", definition__is_checked},
          {"hash_and_memory__cover_the_parts", hash_and_memory__cover_the_parts});
}
