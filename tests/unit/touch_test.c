// How bodies touch by their surfaces: gaps, normals, points, weights and levers of configurations that can be
// worked out by hand.
#include "contact/touch.h"
#include "engine/xpbdr/island.h"
#include "inside.h"
#include "scenes.h"
#include "shape/surface_kinds.h"
#include "surfaces.h"

#include <float.h>

// --- Bodies that stand anywhere, without a world ---

static pbdrBody makeBody(pbdrShape* shape, pbdrVec3 centre, pbdrQuat rotation)
{
    return (pbdrBody){.alive = true,
                      .shape = shape,
                      .centre = centre,
                      .rotation = rotation,
                      .frame = pbdrMatFromQuat(rotation)};
}

static const pbdrQuat straight = {1.0, 0.0, 0.0, 0.0};

static pbdrShape* makeCube(double size, int n)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(size, size, size), 1.0, n, &shape, &error), &error);
    return shape;
}

static void checkVec(pbdrVec3 value, pbdrVec3 wanted, double tolerance)
{
    CHECK_NEAR(value.x, wanted.x, tolerance);
    CHECK_NEAR(value.y, wanted.y, tolerance);
    CHECK_NEAR(value.z, wanted.z, tolerance);
}

static int touch(const pbdrProbing* probing, int probe, double reach, pbdrTouch touches[2])
{
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    return pbdrTouchSurface(probing, probe, reach, features, touches);
}

// The point probe at q.
static int findProbe(const pbdrShape* shape, pbdrVec3 q)
{
    for (int k = 0; k < shape->surface.probeCount; k++) {
        const pbdrProbe* probe = &shape->surface.probes[k];
        if (probe->kind == pbdr_probePoint && distance(probe->a, q) < 1e-12) {
            return k;
        }
    }
    printf("    no probe at (%g, %g, %g)\n", q.x, q.y, q.z);
    checkFailures++;
    return 0;
}

// --- Boxes ---

// A cube of 0.2 m over one of 1 m, 4 mm apart, the whole scene turned: its corner touches the face.
static void corner__stands_on_a_face(void)
{
    pbdrShape *small = makeCube(0.2, 3), *large = makeCube(1.0, 1); // 3 by 3 points on a face
    seedSurfaces(4);
    for (int round = 0; round < 10; round++) {
        const pbdrQuat turn = round == 0 ? straight : randomTurn();
        const pbdrMat3 matrix = pbdrMatFromQuat(turn);
        const pbdrVec3 base = randomVec(2.0), apart = pbdrMulMV(&matrix, pbdrVec(0.1, -0.05, 0.604));
        const pbdrVec3 up = pbdrMulMV(&matrix, pbdrVec(0.0, 0.0, 1.0));
        const pbdrBody below = makeBody(large, base, turn),
                       above = makeBody(small, pbdrAdd(base, apart), turn);
        const int corner = findProbe(small, pbdrVec(0.1, 0.1, -0.1)),
                  edge = findProbe(small, pbdrVec(0.0, 0.1, -0.1)),
                  middle = findProbe(small, pbdrVec(0.0, 0.0, -0.1));
        // the cube that probes is A, and is B: the normal is towards A
        for (int side = 0; side < 2; side++) {
            const pbdrProbing probing =
                side == 0 ? pbdrSetProbingOf(&above, &below, 0) : pbdrSetProbingOf(&below, &above, 1);
            CHECK(probing.prober == &above && probing.surface == &below && probing.side == side);
            pbdrTouch touches[2];
            CHECK_EQ(touch(&probing, corner, 0.01, touches), 1);
            CHECK_NEAR(touches[0].gap, 0.004, 1e-14);
            checkVec(touches[0].normal, pbdrScale(side == 0 ? 1.0 : -1.0, up), 1e-14);
            checkVec(touches[0].point, pbdrMulMV(&matrix, pbdrVec(0.2, 0.05, 0.502)), 1e-14);
            // Simpson's rule, whose mean is 1: 1/4 at a corner, 1 on an edge, 4 inside; half, as both sides probe
            CHECK_NEAR(touches[0].weight, 0.125, 1e-15);
            CHECK_EQ(touch(&probing, edge, 0.01, touches), 1);
            CHECK_NEAR(touches[0].weight, 0.5, 1e-15);
            CHECK_EQ(touch(&probing, middle, 0.01, touches), 1);
            CHECK_NEAR(touches[0].weight, 2.0, 1e-15);
            CHECK_EQ(touch(&probing, corner, 0.003, touches), 0); // out of reach
            CHECK_EQ(touch(&probing, findProbe(small, pbdrVec(0.1, 0.1, 0.1)), 0.01, touches), 0);
            CHECK(pbdrMayTouch(&probing, corner, 0.005));
            CHECK(!pbdrMayTouch(&probing, corner, 0.003));
        }
    }
    pbdrReleaseShape(small);
    pbdrReleaseShape(large);
}

// --- Round bodies ---

// A ball of 3 cm over the side of a lying cylinder of 5 cm, 1 mm apart, and over its cap.
static void ball__touches_a_cylinder(void)
{
    pbdrShape *ball, *cylinder;
    pbdrError error;
    require(pbdrCreateBallShape(0.03, 1.0, &ball, &error), &error);
    require(pbdrCreateCylinderShape(0.05, 0.3, 1.0, 2, &cylinder, &error), &error);
    const pbdrQuat lying = {sqrt(0.5), sqrt(0.5), 0.0, 0.0}; // its axis along -y
    const pbdrBody b = makeBody(cylinder, pbdrVec(1.0, 1.0, 1.0), lying);
    const double slant = sqrt(0.5) * 0.081;
    const pbdrVec3 places[2] = {{1.0 + slant, 1.07, 1.0 + slant}, {1.02, 1.181, 1.0}};
    const pbdrVec3 normals[2] = {{sqrt(0.5), 0.0, sqrt(0.5)}, {0.0, 1.0, 0.0}};
    for (int k = 0; k < 2; k++) {
        const pbdrBody a = makeBody(ball, places[k], straight);
        const pbdrProbing probing = pbdrSetProbingOf(&a, &b, 0);
        pbdrTouch touches[2];
        CHECK_EQ(touch(&probing, 0, 0.01, touches), 1);
        CHECK_NEAR(touches[0].gap, 0.001, 1e-14);
        checkVec(touches[0].normal, normals[k], 1e-14);
        // half a millimetre off the ball
        const pbdrVec3 point = pbdrSub(pbdrAddScaled(places[k], -0.0305, normals[k]), b.centre);
        checkVec(touches[0].point, point, 1e-14);
        CHECK_NEAR(touches[0].weight, 0.5, 1e-15);
    }
    pbdrReleaseShape(ball);
    pbdrReleaseShape(cylinder);
}

// A tilted cylinder's rim is lowest where the slope of its cap points: c + axis h - R (n - (n.axis) axis)/|..|.
// As the cylinder comes to lie flat that point fades out, and the fixed points of the rim take over its weight.
static void rim__is_lowest_over_a_plane(void)
{
    const double radius = 0.05, half = 0.15;
    pbdrShape* cylinder;
    pbdrError error;
    require(pbdrCreateCylinderShape(radius, 2.0 * half, 1.0, 2, &cylinder, &error), &error);
    seedSurfaces(6);
    int discs = 0, points = 0, shared = 0;
    for (int round = 0; round < 60; round++) {
        // any tilt, then ever flatter
        const pbdrVec3 place = randomVec(1.0); // drawn before the turn with every compiler
        const pbdrBody body = makeBody(cylinder, place, randomTurn());
        const double flat = pow(0.8, round - 20);
        const pbdrVec3 down =
            round < 20 ? makeUnit(randomVec(1.0)) : makeUnit(pbdrVec(0.06 * flat, 0.08 * flat, 1.0));
        const pbdrVec3 n = pbdrMulMV(&body.frame, down);
        double discShare = -1.0, rimShare = -1.0;
        for (int k = 0; k < pbdrCountProbes(&body); k++) {
            const pbdrProbe probe = pbdrGetProbe(&body, k);
            pbdrVec3 q;
            double r, weight;
            const bool found = pbdrFindLowest(&body, k, n, &q, &r, &weight);
            CHECK_GE(weight, 0.0);
            if (probe.kind == pbdr_probeDisc) {
                discShare = found ? weight / probe.weight : 0.0;
                const pbdrVec3 across = makeUnit(pbdrVec(down.x, down.y, 0.0));
                if (found) {
                    checkVec(
                        q, pbdrAddScaled(pbdrVec(0.0, 0.0, probe.a.z > 0.0 ? half : -half), -radius, across),
                        1e-12);
                    CHECK_EQ(r, 0.0);
                    discs++;
                }
                continue;
            }
            checkVec(q, probe.a, 0.0);
            CHECK_EQ(r, probe.radius);
            CHECK(found == (weight > 0.0));
            if (probe.kind == pbdr_probePoint && probe.normalCount == 2) {
                rimShare = weight / probe.weight;
            } else {
                CHECK_EQ(weight, probe.weight);
                points++;
            }
        }
        // The rim's share goes with the tilt over PBDR_DISC_FLAT, and has the tilt's sine from its cosine, which
        // is known to a few roundings of 1.
        CHECK_NEAR(discShare + rimShare, 1.0, 4.0 * DBL_EPSILON / (PBDR_DISC_FLAT * PBDR_DISC_FLAT));
        shared += discShare > 0.01 && discShare < 0.99;
    }
    CHECK_GE(discs, 40);
    CHECK_GE(points, 100);
    CHECK_GE(shared, 3);
    pbdrReleaseShape(cylinder);
}

// --- Who probes whom ---

// Kinds of bodies by row: none, ball, capsule, box, cylinder. Whether the row's body, the later of the two,
// probes the column's; and the other way round.
static void probes__of_two_bodies_see_each_touch(void)
{
    enum { KINDS = 5 };
    static const int later[KINDS][KINDS] = {{0, 1, 1, 1, 1}, // bare spheres probe whatever has a surface
                                            {0, 1, 1, 1, 1},
                                            {0, 1, 1, 1, 1},
                                            {0, 0, 0, 1, 1},
                                            {0, 0, 0, 1, 1}};
    static const int earlier[KINDS][KINDS] = {
        {0, 1, 1, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}, {0, 0, 0, 1, 1}};
    pbdrShape* shapes[KINDS];
    pbdrError error;
    const pbdrVec3 middle = {0.0, 0.0, 0.0};
    const double radius = 0.1, mass = 1.0;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 1;
    def.positions = &middle;
    def.radii = &radius;
    def.masses = &mass;
    require(pbdrCreateShape(&def, &shapes[0], &error), &error);
    require(pbdrCreateBallShape(0.1, 1.0, &shapes[1], &error), &error);
    require(pbdrCreateCapsuleShape(0.1, 0.1, 1.0, &shapes[2], &error), &error);
    shapes[3] = makeCube(0.2, 1);
    require(pbdrCreateCylinderShape(0.1, 0.2, 1.0, 1, &shapes[4], &error), &error);
    pbdrBody bodies[2];
    pbdrScene scene = {.touchesSurface = true, .bodies = {bodies, 2, 2, sizeof bodies[0]}};
    for (int i = 0; i < KINDS; i++) {
        for (int j = 0; j < KINDS; j++) {
            bodies[0] = makeBody(shapes[j], middle, straight);
            bodies[1] = makeBody(shapes[i], middle, straight);
            CHECK_EQ(pbdrHasProbes(&scene, &bodies[1], &bodies[0]), later[i][j]);
            bodies[0] = makeBody(shapes[i], middle, straight);
            bodies[1] = makeBody(shapes[j], middle, straight);
            CHECK_EQ(pbdrHasProbes(&scene, &bodies[0], &bodies[1]), earlier[i][j]);
            CHECK(pbdrTouchesBySurface(&scene, &bodies[0], &bodies[1]) == (i > 0 || j > 0));
        }
        CHECK(pbdrTouchesBySurface(&scene, &bodies[0], NULL) == (i > 0));
    }
    scene.touchesSurface = false;
    CHECK(!pbdrTouchesBySurface(&scene, &bodies[0], &bodies[1]));
    // a sphere's probe is itself
    const pbdrBody bare = makeBody(shapes[0], middle, straight);
    CHECK_EQ(pbdrCountProbes(&bare), 1);
    const pbdrProbe probe = pbdrGetProbe(&bare, 0);
    CHECK(probe.kind == pbdr_probePoint && probe.radius == 0.1 && probe.weight == 1.0 && probe.against == 7);
    for (int k = 0; k < KINDS; k++) {
        pbdrReleaseShape(shapes[k]);
    }
}

// Twice the travel of the fastest points, and a millimetre.
static void reach__is_twice_the_travel(void)
{
    pbdrShape *small = makeCube(0.2, 1), *large = makeCube(1.0, 1);
    pbdrBody a = makeBody(small, pbdrVec(0.0, 0.0, 1.0), straight);
    pbdrBody b = makeBody(large, pbdrVec(0.0, 0.0, 0.0), straight);
    pbdrProbing probing = pbdrSetProbingOf(&a, &b, 0);
    CHECK_NEAR(pbdrGetTouchReach(&probing, 0.01), 0.001, 1e-15);
    a.velocity = pbdrVec(3.0, 0.0, 0.0);
    b.velocity = pbdrVec(0.0, -4.0, 0.0);
    a.angular = pbdrVec(0.0, 2.0, 0.0);
    b.angular = pbdrVec(0.0, 0.0, 5.0);
    const double speed = 5.0 + 2.0 * 0.1 * sqrt(3.0) + 5.0 * 0.5 * sqrt(3.0);
    CHECK_NEAR(pbdrGetTouchReach(&probing, 0.01), 2.0 * 0.01 * speed + 0.001, 1e-14);
    pbdrReleaseShape(small);
    pbdrReleaseShape(large);
}

// --- In a world ---

// A cube stands on a slab; which of them comes first must not matter: levers lead from both centres of mass to
// one point, the normal is towards A, friction and normal force of both sides bear the weight.
static void levers__lead_to_one_point(void)
{
    for (int order = 0; order < 2; order++) {
        pbdrWorldDef worldDef = pbdrDefaultWorldDef();
        worldDef.solver = pbdr_solverXpbdR;
        pbdrWorld* world = makeWorld(worldDef);
        pbdrShape *small = makeCube(0.2, 3), *large = makeCube(1.0, 1); // 3 by 3 points on a face
        pbdrError error;
        for (int k = 0; k < 2; k++) {
            const bool slab = k == order;
            pbdrBodyDef def = pbdrDefaultBodyDef();
            def.kind = slab ? pbdr_bodyStatic : pbdr_bodyDynamic;
            def.position = slab ? pbdrVec(0.0, 0.0, -0.5) : pbdrVec(0.1, 0.2, 0.1);
            require(pbdrCreateBodyFromShape(world, &def, slab ? large : small, NULL, &error), &error);
        }
        CHECK_EQ(pbdrWorld_Step(world, 20), 0);
        const pbdrCandidates* candidates = getCandidates(world);
        const pbdrItems* items = &candidates->items;
        CHECK_EQ(candidates->patches.count, 1);
        const pbdrPatch* patch = pbdrGetPatch(candidates, 0);
        CHECK(patch->bySurface && patch->bodyA == 0 && patch->bodyB == 1);
        const pbdrXpbdrWorld* xpbdr = world->engineState;
        CHECK_EQ(xpbdr->activePatches.count, 1);
        const pbdrVec3 between = ((const pbdrActivePatch*)xpbdr->activePatches.items)->between;
        const double up = order == 0 ? -1.0 : 1.0; // the cube is B, and A
        double weight = 0.0, load = 0.0;
        int touching = 0;
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            if (!(pbdrGetColumn(items, ITEM_TOUCHED)[item] > 0.0)) {
                continue;
            }
            const pbdrVec3 lever = pbdrReadColumns(items, ITEM_LEVER, item);
            const pbdrVec3 levers[2] = {lever, pbdrAdd(lever, between)};
            const pbdrVec3 cube = levers[1 - order], slab = levers[order];
            CHECK_LE(distance(pbdrSub(slab, cube), pbdrVec(0.1, 0.2, 0.6)), 1e-9);
            CHECK_NEAR(cube.z, -0.1, 1e-9);
            CHECK_LE(fmax(fabs(cube.x), fabs(cube.y)), 0.1 + 1e-9);
            checkVec(pbdrReadColumns(items, ITEM_NORMAL, item), pbdrVec(0.0, 0.0, up), 1e-12);
            // the face is remembered
            const pbdrProbing probing =
                pbdrSetProbing(candidates->scene, 0, 1, items->spheres[0][item] >= 0 ? 0 : 1);
            const int name = items->spheres[probing.side][item];
            int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
            pbdrTouch touches[2];
            CHECK_GE(pbdrTouchSurface(&probing, name / 2, 0.01, features, touches), 1);
            CHECK_EQ(pbdrGetColumn(items, ITEM_FEATURE)[item], features[0] + 1);
            CHECK_GE(features[0], 0);
            weight += pbdrGetColumn(items, ITEM_WEIGHT)[item];
            load += pbdrGetColumn(items, ITEM_FORCE + 2)[item];
            touching++;
        }
        CHECK_EQ(touching, 9);                // the lattice of the cube's face: the slab's lies around it
        CHECK_NEAR(weight, 0.5 * 9.0, 1e-12); // half of its nine points
        CHECK_NEAR(load, up * 9.81, 1e-9);
        pbdrReleaseShape(small);
        pbdrReleaseShape(large);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"corner__stands_on_a_face", corner__stands_on_a_face},
          {"ball__touches_a_cylinder", ball__touches_a_cylinder},
          {"rim__is_lowest_over_a_plane", rim__is_lowest_over_a_plane},
          {"probes__of_two_bodies_see_each_touch", probes__of_two_bodies_see_each_touch},
          {"reach__is_twice_the_travel", reach__is_twice_the_travel},
          {"levers__lead_to_one_point", levers__lead_to_one_point});
}
