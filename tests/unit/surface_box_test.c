// The surface of a box: its probes, and the hits of points, balls, edges and axes on it.
#include "surfaces.h"

#include "math/hash.h"

static HitList listA, listB;

static double getBoxSeparation(pbdrVec3 x, pbdrVec3 half)
{
    return fmax(fabs(x.x) - half.x, fmax(fabs(x.y) - half.y, fabs(x.z) - half.z));
}

// --- Probes ---

static void probes__lie_on_their_planes(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 4);
    CHECK_EQ(box.probeCount, 5 * 5 * 5 - 3 * 3 * 3 + 12);
    // every normal of a probe is that of a plane it is on
    for (int i = 0; i < box.probeCount; i++) {
        const pbdrProbe* probe = &box.probes[i];
        CHECK(probe->kind != pbdr_probeSegment || probe->normalCount == 2);
        for (int k = 0; k < probe->normalCount; k++) {
            pbdrVec3 n = box.normals[probe->firstNormal + k];
            double level = fabs(n.x) * 0.1 + fabs(n.y) * 0.2 + fabs(n.z) * 0.3;
            CHECK_NEAR(pbdrDot(n, probe->a), level, 1.0e-15);
            CHECK_NEAR(pbdrDot(n, probe->b), level, 1.0e-15);
        }
    }
    CHECK_NEAR(box.radius, sqrt(0.14), 1.0e-15);
    CHECK_NEAR(box.lower.y, -0.2, 0.0);
    CHECK_NEAR(box.upper.z, 0.3, 0.0);
    pbdrSurface_Free(&box);
}

// Over the largest face, for two cells and more: the mean weight is 1, and sum w x^2 / sum w = half^2/3 along both
// axes, as an even pressure's. One cell has its corners alone.
static void weights__have_the_second_moments_of_a_face(void)
{
    for (int cells = 1; cells <= 9; cells++) {
        pbdrSurface box = makeBox(0.3, 0.2, 0.1, cells);
        double sum = 0.0, xx = 0.0, yy = 0.0, least = 1.0;
        int count = 0;
        for (int i = 0; i < box.probeCount; i++) {
            const pbdrProbe* probe = &box.probes[i];
            if (probe->kind == pbdr_probePoint && probe->a.z > 0.1 - 1.0e-12) {
                count++;
                sum += probe->weight;
                xx += probe->weight * probe->a.x * probe->a.x;
                yy += probe->weight * probe->a.y * probe->a.y;
                least = fmin(least, probe->weight);
            }
        }
        CHECK_NEAR(sum, count, 1.0e-12 * count);
        CHECK_NEAR(xx / sum, cells == 1 ? 0.09 : 0.03, 1.0e-15);
        CHECK_NEAR(yy / sum, cells == 1 ? 0.04 : 0.04 / 3.0, 1.0e-15);
        CHECK_GE(least, 0.1);
        pbdrSurface_Free(&box);
    }
}

static void countBytes(void* context, const void* bytes, size_t count)
{
    uint64_t* hash = context;
    *hash = pbdrAddToHash(*hash, bytes, count);
}

static void bytes__tell_boxes_apart(void)
{
    pbdrSurface one = makeBox(0.1, 0.2, 0.3, 2), same = makeBox(0.1, 0.2, 0.3, 2),
                other = makeBox(0.1, 0.2, 0.30000000000000004, 2);
    uint64_t hashes[3] = {1, 1, 1};
    pbdrSurface_VisitBytes(&one, countBytes, &hashes[0]);
    pbdrSurface_VisitBytes(&same, countBytes, &hashes[1]);
    pbdrSurface_VisitBytes(&other, countBytes, &hashes[2]);
    CHECK(hashes[0] == hashes[1]);
    CHECK(hashes[0] != hashes[2]);
    CHECK(pbdrSurface_GetByteCount(&one) > 0);
    pbdrSurface_Free(&one);
    pbdrSurface_Free(&same);
    pbdrSurface_Free(&other);
    CHECK_EQ(pbdrSurface_GetByteCount(&one), 0);
}

static void bad_boxes__are_refused_with_their_values(void)
{
    pbdrPose frame = atOrigin();
    pbdrSurface surface;
    pbdrError error;
    const int good[3] = {2, 2, 2}, bad[3] = {2, 0, 2};
    CHECK(pbdrCreateBoxSurface(&frame, pbdrVec(0.1, -0.25, 0.1), good, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "-0.25");
    CHECK(surface.probes == NULL && surface.kind == pbdr_surfaceNone);
    CHECK(pbdrCreateBoxSurface(&frame, pbdrVec(0.1, 0.1, 0.1), bad, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "0 cells");
    frame.rotation.w = 2.0;
    CHECK(pbdrCreateBoxSurface(&frame, pbdrVec(0.1, 0.1, 0.1), good, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "quaternion");
    CHECK(surface.probes == NULL);
}

// --- Points ---

static void points__see_the_greatest_separation(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 1);
    seedSurfaces(1);
    for (int i = 0; i < 20000; i++) {
        pbdrVec3 x = randomVec(0.5);
        pbdrPlacedProbe probe = placePoint(x, 0.0);
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&box, &probe, hits), 1);
        CHECK_EQ(hits[0].gap, getBoxSeparation(x, box.half));
        CHECK(isFiniteHit(&hits[0]));
        // the point opposite is on the plane of that face
        pbdrVec3 opposite = pbdrAddScaled(hits[0].point, -hits[0].gap, hits[0].normal);
        double level =
            fabs(hits[0].normal.x) * 0.1 + fabs(hits[0].normal.y) * 0.2 + fabs(hits[0].normal.z) * 0.3;
        CHECK_NEAR(pbdrDot(hits[0].normal, opposite), level, 1.0e-15);
    }
    pbdrSurface_Free(&box);
}

// Against the distance to a dense sampling of the box's surface.
static void balls__see_the_euclidean_distance(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 60);
    seedSurfaces(2);
    for (int i = 0; i < 100; i++) {
        pbdrVec3 x = randomVec(0.5);
        double radius = randomIn(0.01, 0.1), nearest = (double)INFINITY;
        for (int k = 0; k < box.probeCount; k++) {
            if (box.probes[k].kind == pbdr_probePoint) {
                nearest = fmin(nearest, pbdrLength(pbdrSub(box.probes[k].a, x)));
            }
        }
        bool inside = getBoxSeparation(x, box.half) < 0.0;
        pbdrPlacedProbe probe = placePoint(x, radius);
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&box, &probe, hits), 1);
        // a sample is at most 0.5 * hypot(0.1 / 15, 0.3 / 30) = 6 mm off: sqrt(d^2 + 6^2) - d
        double distance = hits[0].gap + radius, slack = sqrt(distance * distance + 3.7e-5) - fabs(distance);
        CHECK_LE(inside ? -distance : distance, nearest + 1.0e-12);
        CHECK_GE((inside ? -distance : distance) + slack, nearest - 1.0e-12);
        pbdrVec3 moved = pbdrAddScaled(hits[0].point, -hits[0].gap, hits[0].normal);
        CHECK_NEAR(getBoxSeparation(moved, box.half), 0.0, 1.0e-14);
    }
    pbdrSurface_Free(&box);
}

// The gap of a ball is the distance of its centre, and that is Lipschitz: 1e-9 m changes it by no more.
static void gaps__are_continuous(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 1);
    seedSurfaces(3);
    for (int i = 0; i < 20000; i++) {
        // half of them start within 1 nm of an edge or a corner
        pbdrVec3 x = randomVec(0.5);
        if (i % 2 == 0) {
            x = pbdrVec(x.x > 0.0 ? 0.1 : -0.1, x.y > 0.0 ? 0.2 : -0.2, i % 4 == 0 ? x.z : 0.3);
            x = pbdrAdd(x, randomVec(1.0e-9));
        }
        pbdrVec3 y = pbdrAdd(x, randomVec(0.5e-9));
        for (int round = 0; round < 2; round++) {
            pbdrPlacedProbe probe = placePoint(x, round * 0.05);
            pbdrSurfaceHit before[2], after[2];
            probeOnce(&box, &probe, before);
            probe.a = y;
            probeOnce(&box, &probe, after);
            CHECK_LE(fabs(after[0].gap - before[0].gap), 1.0e-9);
        }
    }
    pbdrSurface_Free(&box);
}

// --- Stacks ---

// Boxes of equal size exactly on top of each other, with noise far below and above rounding, turned by noise,
// pressed together or just apart: every probe near the common plane stands on the top or hangs from below.
static void equal_stacks__touch_by_their_faces(void)
{
    pbdrSurface box = makeBox(0.1, 0.1, 0.1, 4), flat = makeBox(0.1, 0.15, 0.05, 3);
    const double noises[] = {0.0, 1.0e-17, 1.0e-16, 1.0e-15, 1.0e-13, 1.0e-12, 1.0e-9, 1.0e-7};
    seedSurfaces(4);
    for (int noise = 0; noise < 8; noise++) {
        for (int trial = 0; trial < 60; trial++) {
            const pbdrSurface* upper = trial % 2 == 0 ? &box : &flat;
            double size = noises[noise], depth = trial % 3 == 0 ? 1.0e-6 : 0.0;
            pbdrVec3 shift = randomVec(size);
            shift.z += box.half.z + upper->half.z - depth;
            shift.y += trial % 2 == 1 ? -0.05 : 0.0; // flush on one side
            pbdrQuat q = pbdrQuatFromVector(randomVec(size));
            pbdrMat3 turn = pbdrMatFromQuat(q), back = pbdrTranspose(&turn);
            collectHits(&box, upper, &turn, shift, 0.01, &listA);
            collectHits(upper, &box, &back, pbdrScale(-1.0, pbdrMulMV(&back, shift)), 0.01, &listB);
            int corners = 0;
            for (int i = 0; i < listA.count; i++) {
                CHECK(listA.hits[i].normal.z > 0.999999);
                CHECK_NEAR(listA.hits[i].gap, -depth, 4.0 * size + 1.0e-15);
                corners += listA.probes[i]->normalCount == 3 && listA.probes[i]->kind == pbdr_probePoint;
            }
            for (int i = 0; i < listB.count; i++) {
                CHECK(listB.hits[i].normal.z < -0.999999);
            }
            CHECK_EQ(corners, trial % 2 == 0 ? 4 : 2);
        }
    }
    pbdrSurface_Free(&box);
    pbdrSurface_Free(&flat);
}

// Two equal boxes side by side on one floor: their bottoms and tops are level, the sides push.
static void equal_neighbours__touch_by_their_sides(void)
{
    pbdrSurface box = makeBox(0.1, 0.1, 0.1, 3);
    pbdrMat3 turn = noTurn();
    seedSurfaces(5);
    for (int trial = 0; trial < 100; trial++) {
        pbdrVec3 shift =
            pbdrAdd(pbdrVec(0.2 - 1.0e-7, 0.0, 0.0), randomVec(trial % 2 == 0 ? 1.0e-16 : 1.0e-9));
        collectHits(&box, &box, &turn, shift, 0.001, &listA);
        CHECK_GE(listA.count, 16);
        for (int i = 0; i < listA.count; i++) {
            CHECK_EQ(listA.hits[i].normal.x, 1.0);
            CHECK_NEAR(listA.hits[i].gap, -1.0e-7, 2.0e-9);
        }
    }
    pbdrSurface_Free(&box);
}

static void corner_beyond_the_side__does_not_stand_on_top(void)
{
    pbdrSurface box = makeBox(0.1, 0.1, 0.1, 1);
    const pbdrVec3 normals[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}};
    pbdrPlacedProbe probe = placePoint(pbdrVec(0.1 + 3.0e-4, 0.0, 0.1 - 1.0e-6), 0.0);
    probe.normals = normals;
    probe.normalCount = 3;
    pbdrSurfaceHit hits[2];
    probeOnce(&box, &probe, hits);
    CHECK_NEAR(hits[0].gap, 3.0e-4, 1.0e-15);
    CHECK_EQ(hits[0].normal.x, 1.0);
    probe.a.x = 0.1 + 1.0e-5; // within the slack: its bottom lies on the top
    probeOnce(&box, &probe, hits);
    CHECK_NEAR(hits[0].gap, -1.0e-6, 1.0e-15);
    CHECK_EQ(hits[0].normal.z, 1.0);
    probe.normalCount = 0; // without faces of its own: the greatest separation
    probeOnce(&box, &probe, hits);
    CHECK_NEAR(hits[0].gap, 1.0e-5, 1.0e-15);
    pbdrSurface_Free(&box);
}

// A point inside keeps its face against a nearer neighbour, to a quarter of the thickness; and it cannot have
// come through from the top where it is beyond the side.
static void deep_points__keep_their_face(void)
{
    pbdrSurface box = makeBox(0.1, 0.1, 0.1, 1);
    const pbdrVec3 places[3] = {{0.08, 0.0, 0.07}, {0.08, 0.0, 0.04}, {0.103, 0.0, -0.105}};
    const double gaps[3] = {-0.03, -0.02, 0.005};
    for (int i = 0; i < 3; i++) {
        int32_t features[2] = {4, PBDR_NO_FEATURE}; // the top
        pbdrPlacedProbe probe = placePoint(places[i], 0.0);
        probe.reach = 0.01;
        pbdrSurfaceHit hits[2];
        CHECK_EQ(pbdrSurface_Probe(&box, &probe, features, hits), 1);
        CHECK_NEAR(hits[0].gap, gaps[i], 1.0e-15);
    }
    pbdrSurface_Free(&box);
}

// --- Thin plates ---

// 1 mm of plate, 2 m/s, 1 ms: the point is through it in one step, and is still pushed back.
static void thin_plates__push_back_to_the_side_one_came_from(void)
{
    pbdrSurface plate = makeBox(0.5, 0.5, 0.0005, 1);
    const pbdrVec3 normals[3] = {{-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}, {0.0, 0.0, -1.0}};
    for (int side = -1; side <= 1; side += 2) {
        for (int kind = 0; kind < 3; kind++) {
            int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
            double radius = kind == 0 ? 0.0 : 0.0003;
            for (int step = 0; step < 2; step++) {
                double z = side * (0.0005 + radius + (step == 0 ? 0.0001 : -0.0019));
                pbdrPlacedProbe probe =
                    kind == 2 ? placeSegment(pbdrVec(-0.1, 0.0, z), pbdrVec(0.1, 0.0, z), radius)
                              : placePoint(pbdrVec(0.1, 0.2, z), radius);
                probe.reach = 0.003;
                pbdrVec3 flipped[3] = {normals[0], normals[1], pbdrScale(side, normals[2])};
                probe.normals = flipped;
                probe.normalCount = kind == 0 ? 3 : 0;
                pbdrSurfaceHit hits[2];
                int count = pbdrSurface_Probe(&plate, &probe, features, hits);
                CHECK_EQ(count, kind == 2 ? 2 : 1);
                CHECK_NEAR(hits[0].normal.z, side, 1.0e-12);
                CHECK_NEAR(hits[0].gap, step == 0 ? 0.0001 : -0.0019, 1.0e-12);
            }
        }
    }
    // out beyond by more than the plate is thick: on its own
    int32_t features[2] = {4, PBDR_NO_FEATURE};
    pbdrPlacedProbe probe = placePoint(pbdrVec(0.1, 0.2, -0.0016), 0.0);
    probe.reach = 0.003;
    pbdrSurfaceHit hits[2];
    CHECK_EQ(pbdrSurface_Probe(&plate, &probe, features, hits), 1);
    CHECK_NEAR(hits[0].gap, 0.0011, 1.0e-15);
    pbdrSurface_Free(&plate);
}

// The edge of a box comes down across the edge of a plate.
static void thin_plates__push_edges_back(void)
{
    pbdrSurface plate = makeBox(0.5, 0.5, 0.0005, 1);
    const pbdrVec3 normals[2] = {{-0.6, 0.0, -0.8}, {0.6, 0.0, -0.8}};
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    for (int step = 0; step < 2; step++) {
        double z = step == 0 ? 0.0006 : -0.0007;
        // along y, over the edge at y = 0.5, falling outwards by 1 in 100
        pbdrPlacedProbe probe = placeSegment(pbdrVec(0.0, 0.4, z + 0.001), pbdrVec(0.0, 0.6, z - 0.001), 0.0);
        probe.reach = 0.003;
        probe.normals = normals;
        probe.normalCount = 2;
        pbdrSurfaceHit hits[2];
        CHECK_EQ(pbdrSurface_Probe(&plate, &probe, features, hits), 1);
        CHECK_GE(hits[0].normal.z, 0.99);
        CHECK_NEAR(hits[0].gap, z - 0.0005, 1.0e-6);
    }
    pbdrSurface_Free(&plate);
}

// --- Two boxes: separating axes as the reference ---

typedef struct Axis {
    double separation; // of the two boxes along it, below zero: they overlap
    pbdrVec3 normal;   // from B (at the origin) to A
    bool isEdge;
} Axis;

static double getSupport(pbdrVec3 half, const pbdrMat3* turn, pbdrVec3 n)
{
    pbdrVec3 local = pbdrMulTransposedMV(turn, n);
    return fabs(local.x) * half.x + fabs(local.y) * half.y + fabs(local.z) * half.z;
}

static double getSeparation(pbdrVec3 halfA, const pbdrMat3* turn, pbdrVec3 shift, pbdrVec3 halfB, pbdrVec3 n)
{
    pbdrMat3 none = noTurn();
    return pbdrDot(n, shift) - getSupport(halfA, turn, n) - getSupport(halfB, &none, n);
}

static pbdrVec3 getColumn(const pbdrMat3* a, int k)
{
    return pbdrVec(a->m[0][k], a->m[1][k], a->m[2][k]);
}

// The axis of greatest separation of all 15 (Gottschalk et al. 1996).
static Axis findAxis(pbdrVec3 halfA, const pbdrMat3* turn, pbdrVec3 shift, pbdrVec3 halfB)
{
    pbdrMat3 none = noTurn();
    Axis best = {.separation = -(double)INFINITY};
    for (int i = 0; i < 15; i++) {
        pbdrVec3 n = i < 3   ? getColumn(&none, i)
                     : i < 6 ? getColumn(turn, i - 3)
                             : pbdrCross(getColumn(&none, (i - 6) / 3), getColumn(turn, (i - 6) % 3));
        double length = pbdrLength(n);
        if (length < 1.0e-3) {
            continue;
        }
        n = pbdrScale((pbdrDot(n, shift) < 0.0 ? -1.0 : 1.0) / length, n);
        double separation = getSeparation(halfA, turn, shift, halfB, n);
        if (separation > best.separation) {
            best = (Axis){separation, n, i >= 6};
        }
    }
    return best;
}

// Two boxes at random, moved until they overlap by 1e-6 m or are 1e-6 m apart: the deepest hit says so. The
// convex hulls meet near one point, so the depth is seen from one box at least, whatever the features are.
static void two_boxes__touch_where_separating_axes_say(void)
{
    pbdrSurface a = makeBox(0.1, 0.1, 0.1, 2), b = makeBox(0.15, 0.08, 0.1, 2);
    int edges = 0, faces = 0, misses = 0;
    seedSurfaces(6);
    for (int trial = 0; trial < 3000; trial++) {
        pbdrMat3 turn = randomMatrix(), back = pbdrTranspose(&turn);
        pbdrVec3 shift = pbdrScale(0.25, makeUnit(randomVec(1.0)));
        const double depth = 1.0e-6;
        for (int round = 0; round < 50; round++) { // along the best axis, which may change on the way
            Axis axis = findAxis(a.half, &turn, shift, b.half);
            shift = pbdrAddScaled(shift, -depth - axis.separation, axis.normal);
        }
        Axis axis = findAxis(a.half, &turn, shift, b.half);
        if (fabs(axis.separation + depth) > 1.0e-12) {
            continue;
        }
        for (int sign = -1; sign <= 1; sign += 2) {
            pbdrVec3 place = sign < 0 ? shift : pbdrAddScaled(shift, 2.0 * depth, axis.normal);
            collectHits(&b, &a, &turn, place, 0.01, &listA);
            collectHits(&a, &b, &back, pbdrScale(-1.0, pbdrMulMV(&back, place)), 0.01, &listB);
            double least = fmin(getLeastGap(&listA), getLeastGap(&listB));
            if (sign < 0) {
                bool good = least <= -0.3 * depth && least >= -3.0 * depth;
                misses += !good;
                edges += axis.isEdge;
                faces += !axis.isEdge;
            } else {
                CHECK_GE(least, 0.0);
            }
        }
        // every hit of an edge inside has the gap of the boxes along its normal
        for (int i = 0; i < listA.count; i++) {
            if (listA.probes[i]->kind == pbdr_probeSegment && listA.hits[i].gap < 1.0e-3 &&
                listA.hits[i].feature >= 8) {
                double separation =
                    getSeparation(a.half, &turn, pbdrAddScaled(shift, 2.0 * depth, axis.normal), b.half,
                                  listA.hits[i].normal);
                // an edge that is up to a degree out of the cone is not the support: 0.02 * 0.35 m
                CHECK_LE(separation, listA.hits[i].gap + 1.0e-12);
                CHECK_GE(separation, listA.hits[i].gap - 0.02 * 0.35);
            }
        }
    }
    CHECK_GE(edges, 300);
    CHECK_GE(faces, 300);
    CHECK_EQ(misses, 0);
    pbdrSurface_Free(&a);
    pbdrSurface_Free(&b);
}

// --- Edges ---

// A cross of two edges, each turned by 45 degrees: n and gap in closed form, apart and pressed in.
static void edges__cross_exactly(void)
{
    pbdrSurface box = makeBox(0.1, 0.1, 0.1, 1);
    double r = sqrt(0.5);
    // the box's edge (+x, +z) along y; the probe across it, in the direction (1, 0, -1) turned about n
    const pbdrVec3 n = {r, 0.0, r}, along = {r, 0.0, -r}, y = {0.0, 1.0, 0.0};
    for (int turn = 1; turn < 20; turn++) {
        double angle = 0.05 + 0.15 * turn;
        pbdrVec3 e = pbdrAddScaled(pbdrScale(sin(angle), along), cos(angle), y);
        pbdrVec3 across = pbdrCross(n, e);
        for (int k = -3; k <= 3; k++) {
            double gap = 0.003 * k;
            pbdrVec3 middle = pbdrAddScaled(pbdrVec(0.1, 0.02, 0.1), gap, n);
            const pbdrVec3 normals[2] = {pbdrScale(r, pbdrSub(across, n)), pbdrScale(-r, pbdrAdd(across, n))};
            pbdrPlacedProbe probe =
                placeSegment(pbdrAddScaled(middle, -0.05, e), pbdrAddScaled(middle, 0.04, e), 0.0);
            probe.normals = normals;
            probe.normalCount = 2;
            pbdrSurfaceHit hits[2];
            int count = probeOnce(&box, &probe, hits);
            if (fabs(sin(angle)) * 0.04 * r < fabs(gap) + 0.001) {
                continue; // the end is lower than the crossing
            }
            CHECK_EQ(count, 1);
            CHECK_NEAR(hits[0].gap, gap, 1.0e-15);
            CHECK_NEAR(pbdrDot(hits[0].normal, n), 1.0, 1.0e-14);
            CHECK_NEAR(pbdrLength(pbdrSub(hits[0].point, middle)), 0.0, 1.0e-14);
            // looking away: no contact
            const pbdrVec3 away[2] = {pbdrScale(-1.0, normals[0]), pbdrScale(-1.0, normals[1])};
            probe.normals = away;
            CHECK_EQ(probeOnce(&box, &probe, hits), 0);
        }
    }
    pbdrSurface_Free(&box);
}

// An edge parallel to an edge of the box, exactly or to 1e-16 .. 1e-4: no crossing that jumps along it.
static void parallel_edges__do_not_jump(void)
{
    pbdrSurface box = makeBox(0.1, 0.1, 0.1, 1);
    const pbdrVec3 normals[2] = {{1.0, 0.0, 0.0}, {0.0, 0.0, -1.0}};
    const double noises[] = {0.0, 1.0e-17, 1.0e-15, 1.0e-12, 1.0e-9, 1.0e-6};
    seedSurfaces(7);
    for (int noise = 0; noise < 6; noise++) {
        for (int trial = 0; trial < 200; trial++) {
            pbdrVec3 a = pbdrAdd(pbdrVec(0.1, -0.07, 0.1), randomVec(noises[noise]));
            pbdrVec3 b = pbdrAdd(pbdrVec(0.1, 0.13, 0.1), randomVec(noises[noise]));
            pbdrPlacedProbe probe = placeSegment(a, b, 0.0);
            probe.normals = normals;
            probe.normalCount = 2;
            pbdrSurfaceHit hits[2];
            // only where it leaves the top at y = 0.1: its other end is a corner's business
            CHECK_EQ(probeOnce(&box, &probe, hits), 1);
            CHECK_EQ(hits[0].normal.z, 1.0);
            CHECK_NEAR(hits[0].point.y, 0.1, 1.0e-12);
            CHECK_NEAR(hits[0].gap, 0.0, 2.0 * noises[noise] + 1.0e-16);
        }
    }
    pbdrSurface_Free(&box);
}

// Two flat boxes on each other, the upper one turned about z and shifted: every corner of the polygon in
// which they touch (Sutherland and Hodgman 1974) is hit, from above or from below.
static void faces__touch_at_the_corners_of_their_polygon(void)
{
    pbdrSurface lower = makeBox(0.1, 0.07, 0.02, 1), upper = makeBox(0.08, 0.09, 0.03, 1);
    seedSurfaces(8);
    for (int trial = 0; trial < 400; trial++) {
        double tilt = trial % 2 == 0 ? 0.0 : 1.0e-9;
        pbdrMat3 about = turnAboutZ(randomIn(0.0, 7.0)),
                 lean = pbdrMatFromQuat(pbdrQuatFromVector(randomVec(tilt)));
        pbdrMat3 turn = pbdrMulMM(&lean, &about), back = pbdrTranspose(&turn);
        pbdrVec3 shift = {randomIn(-0.12, 0.12), randomIn(-0.12, 0.12), 0.05};
        collectHits(&lower, &upper, &turn, shift, 1.0e-6, &listA);
        collectHits(&upper, &lower, &back, pbdrScale(-1.0, pbdrMulMV(&back, shift)), 1.0e-6, &listB);
        pbdrVec3 polygon[32];
        int count = 0;
        for (int k = 0; k < 4; k++) {
            pbdrVec3 corner = {k == 1 || k == 2 ? 0.08 : -0.08, k >= 2 ? 0.09 : -0.09, -0.03};
            polygon[count++] = pbdrAdd(pbdrMulMV(&turn, corner), shift);
        }
        for (int side = 0; side < 4; side++) {
            pbdrVec3 n = {side == 0   ? 1.0
                          : side == 1 ? -1.0
                                      : 0.0,
                          side == 2   ? 1.0
                          : side == 3 ? -1.0
                                      : 0.0,
                          0.0};
            double level = side < 2 ? 0.1 : 0.07;
            pbdrVec3 clipped[32];
            int kept = 0;
            for (int k = 0; k < count; k++) {
                pbdrVec3 p = polygon[k], q = polygon[(k + 1) % count];
                double sp = pbdrDot(n, p) - level, sq = pbdrDot(n, q) - level;
                if (sp <= 0.0) {
                    clipped[kept++] = p;
                }
                if ((sp < 0.0 && sq > 0.0) || (sp > 0.0 && sq < 0.0)) {
                    clipped[kept++] = pbdrAddScaled(p, sp / (sp - sq), pbdrSub(q, p));
                }
            }
            count = kept;
            memcpy(polygon, clipped, sizeof clipped);
        }
        for (int k = 0; k < count; k++) {
            double nearest = (double)INFINITY;
            for (int i = 0; i < listA.count; i++) {
                nearest = fmin(nearest, pbdrLength(pbdrSub(listA.hits[i].point, polygon[k])));
            }
            for (int i = 0; i < listB.count; i++) {
                pbdrVec3 point = pbdrAdd(pbdrMulMV(&turn, listB.hits[i].point), shift);
                nearest = fmin(nearest, pbdrLength(pbdrSub(point, polygon[k])));
            }
            CHECK_LE(nearest, 1.0e-8);
        }
        // and nothing is hit beside it
        for (int i = 0; i < listA.count; i++) {
            CHECK_LE(fabs(listA.hits[i].point.x), 0.1 + lower.slack);
            CHECK_LE(fabs(listA.hits[i].point.y), 0.07 + lower.slack);
            CHECK_NEAR(listA.hits[i].gap, 0.0, 1.0e-9);
            CHECK_GE(listA.hits[i].normal.z, 1.0 - 1.0e-12);
        }
    }
    pbdrSurface_Free(&lower);
    pbdrSurface_Free(&upper);
}

// --- Axes of capsules ---

static double getBoxDistance(pbdrVec3 x, pbdrVec3 half)
{
    pbdrVec3 over = {fmax(fabs(x.x) - half.x, 0.0), fmax(fabs(x.y) - half.y, 0.0),
                     fmax(fabs(x.z) - half.z, 0.0)};
    return pbdrLength(over);
}

static void axes__see_the_euclidean_distance(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 1);
    seedSurfaces(9);
    for (int trial = 0; trial < 5000; trial++) {
        pbdrVec3 a = randomVec(0.6), b = randomVec(0.6);
        if (trial % 5 == 0) { // along an axis
            b = pbdrVec(trial % 3 == 0 ? b.x : a.x, trial % 3 == 1 ? b.y : a.y, trial % 3 == 2 ? b.z : a.z);
        }
        pbdrPlacedProbe probe = placeSegment(a, b, 0.05);
        pbdrSurfaceHit hits[2];
        int count = probeOnce(&box, &probe, hits);
        CHECK_GE(count, 1);
        double nearest = (double)INFINITY;
        for (int k = 0; k <= 400; k++) {
            nearest = fmin(nearest, getBoxDistance(pbdrAddScaled(a, k / 400.0, pbdrSub(b, a)), box.half));
        }
        double least = count == 2 ? fmin(hits[0].gap, hits[1].gap) : hits[0].gap;
        CHECK(isFiniteHit(&hits[0]) && isFiniteHit(&hits[count - 1]));
        if (nearest > 1.0e-3) {
            CHECK_LE(least + 0.05, nearest + 1.0e-12);
            // the sampling is 3 mm fine: its error is quadratic but at the kinks of the distance's derivative
            CHECK_GE(least + 0.05, nearest - 1.7e-3);
        } else {
            CHECK_LE(least, -0.05 + 1.0e-3);
        }
    }
    pbdrSurface_Free(&box);
}

static void axes__lie_on_a_face_by_two_ends(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 1);
    pbdrSurfaceHit hits[2];
    pbdrPlacedProbe probe = placeSegment(pbdrVec(-0.05, 0.0, 0.34), pbdrVec(0.25, 0.0, 0.34), 0.05);
    CHECK_EQ(probeOnce(&box, &probe, hits), 2); // the second end is clipped by the side at x = 0.1
    CHECK_NEAR(hits[0].point.x, -0.05, 1.0e-15);
    CHECK_NEAR(hits[1].point.x, 0.1, 1.0e-15);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(hits[i].gap, -0.01, 1.0e-15);
        CHECK_EQ(hits[i].normal.z, 1.0);
        CHECK_NEAR(hits[i].point.z, 0.29, 1.0e-15);
        CHECK_EQ(hits[i].share, 1.0);
    }
    // leaning by slopes from 0 to 3e-3: the higher end fades where it is clipped, the lower one is continuous
    double before = 1.0;
    for (int k = 0; k <= 30; k++) {
        double slope = 1.0e-4 * k;
        probe = placeSegment(pbdrVec(-0.05, 0.0, 0.34), pbdrVec(0.25, 0.0, 0.34 + 0.3 * slope), 0.05);
        int count = probeOnce(&box, &probe, hits);
        CHECK_NEAR(hits[0].gap, -0.01, 1.0e-15);
        double share = count == 2 ? hits[1].share : 0.0;
        CHECK_LE(fabs(share - before), 0.1 + 1.0e-6);
        before = share;
    }
    CHECK_EQ(before, 0.0);
    // over the face as a whole it has both ends, up to upright
    for (int k = 0; k <= 100; k++) {
        double slope = 0.01 * k;
        probe = placeSegment(pbdrVec(-0.05, 0.0, 0.34), pbdrVec(0.05, 0.0, 0.34 + 0.1 * slope), 0.05);
        CHECK_EQ(probeOnce(&box, &probe, hits), 2);
        CHECK_NEAR(hits[0].gap, -0.01, 1.0e-15);
        CHECK_NEAR(hits[1].gap, -0.01 + 0.1 * slope, 1.0e-15);
        CHECK_EQ(hits[0].share * hits[1].share, 1.0);
    }
    pbdrSurface_Free(&box);
}

// --- Plates ---

// A plate of 1 mm, and a point 10 mm under it: it is under the top if the way to it from the centre of its body goes
// through the plate, and not beside it, and the body is thicker than the plate; else it has come from below.
static void plates__have_what_is_thicker_on_its_centres_side(void)
{
    pbdrSurface plate = makeBox(0.2, 0.2, 0.0005, 1);
    const pbdrVec3 cores[4] = {{0.01, 0.0, 0.002}, {0.01, 0.0, -0.03}, {0.5, 0.0, 0.01}, {0.01, 0.0, 0.002}};
    const double bulks[4] = {0.01, 0.01, 0.01, 0.0005};
    for (int k = 0; k < 4; k++) {
        pbdrPlacedProbe probe = placePoint(pbdrVec(0.02, 0.01, -0.0105), 0.0);
        probe.core = cores[k];
        probe.bulk = bulks[k];
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&plate, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, k == 0 ? -0.011 : 0.010, 1.0e-15);
        CHECK_EQ(hits[0].normal.z, k == 0 ? 1.0 : -1.0);
    }
    pbdrSurface_Free(&plate);
}

// --- Frames, degenerate input ---

static void turned_frames__give_the_same(void)
{
    seedSurfaces(10);
    pbdrVec3 half = {0.1, 0.2, 0.3};
    const int counts[3] = {2, 2, 2};
    pbdrSurface plain = makeBox(0.1, 0.2, 0.3, 2), prober = makeBox(0.12, 0.1, 0.15, 2);
    for (int trial = 0; trial < 200; trial++) {
        pbdrPose frame = {randomVec(1.0), randomTurn()};
        pbdrMat3 axes = pbdrMatFromQuat(frame.rotation);
        pbdrSurface turned;
        CHECK(pbdrCreateBoxSurface(&frame, half, counts, NULL, &turned, NULL) == pbdr_statusOk);
        pbdrMat3 turn = randomMatrix(), both = pbdrMulMM(&axes, &turn);
        pbdrVec3 shift = randomVec(0.35);
        collectHits(&plain, &prober, &turn, shift, 0.1, &listA);
        collectHits(&turned, &prober, &both, pbdrAdd(pbdrMulMV(&axes, shift), frame.position), 0.1, &listB);
        CHECK_EQ(listA.count, listB.count);
        for (int i = 0; i < listA.count && i < listB.count; i++) {
            CHECK_NEAR(listA.hits[i].gap, listB.hits[i].gap, 1.0e-14);
            pbdrVec3 normal = pbdrMulMV(&axes, listA.hits[i].normal);
            CHECK_LE(pbdrLength(pbdrSub(normal, listB.hits[i].normal)), 1.0e-13);
            pbdrVec3 point = pbdrAdd(pbdrMulMV(&axes, listA.hits[i].point), frame.position);
            CHECK_LE(pbdrLength(pbdrSub(point, listB.hits[i].point)), 1.0e-12);
        }
        pbdrSurface_Free(&turned);
    }
    pbdrSurface_Free(&plain);
    pbdrSurface_Free(&prober);
}

static void degenerate_input__gives_finite_hits(void)
{
    pbdrSurface box = makeBox(0.1, 0.2, 0.3, 1);
    const double values[] = {0.0, -0.0, 0.1, -0.1, 0.2, 0.3, DBL_MIN, 4.9e-324, 1.0e-160, 1.0e60, -1.0e60};
    const int n = (int)(sizeof values / sizeof values[0]);
    seedSurfaces(11);
    for (int trial = 0; trial < 100000; trial++) {
        pbdrVec3 v[2];
        for (int k = 0; k < 2; k++) {
            v[k] = pbdrVec(values[(int)randomIn(0.0, n - 1.0e-9)], values[(int)randomIn(0.0, n - 1.0e-9)],
                           values[(int)randomIn(0.0, n - 1.0e-9)]);
        }
        pbdrPlacedProbe probes[4] = {placePoint(v[0], 0.0), placePoint(v[0], 0.05),
                                     placeSegment(v[0], v[1], 0.0),
                                     placeSegment(v[0], v[trial % 3 == 0 ? 0 : 1], 0.05)};
        for (int k = 0; k < 4; k++) {
            pbdrSurfaceHit hits[2];
            int32_t features[2] = {trial % 8 - 1, trial % 5 - 1};
            int count = pbdrSurface_Probe(&box, &probes[k], features, hits);
            CHECK(k == 2 || count >= 1);
            for (int i = 0; i < count; i++) {
                CHECK(isFiniteHit(&hits[i]));
            }
        }
    }
    pbdrSurface_Free(&box);
}

static void planes__see_points_ends_and_rims(void)
{
    pbdrVec3 n = makeUnit(pbdrVec(0.3, -0.2, 0.8));
    pbdrSurfaceHit hits[2];
    pbdrPlacedProbe probe = placePoint(pbdrScale(0.5, n), 0.1);
    CHECK_EQ(pbdrProbePlane(&probe, n, 0.3, hits), 1);
    CHECK_NEAR(hits[0].gap, 0.1, 1.0e-15);
    probe = placeSegment(pbdrScale(0.5, n), pbdrScale(0.7, n), 0.1);
    CHECK_EQ(pbdrProbePlane(&probe, n, 0.3, hits), 2);
    CHECK_NEAR(hits[1].gap, 0.3, 1.0e-15);
    probe.reach = 0.2;
    CHECK_EQ(pbdrProbePlane(&probe, n, 0.3, hits), 1);
    // a disc that leans by asin(0.6): its rim is 0.6 of its radius below its centre
    pbdrPlacedProbe disc = {.kind = pbdr_probeDisc,
                            .a = {0.0, 0.0, 1.0},
                            .b = {0.6, 0.0, -0.8},
                            .radius = 0.5,
                            .reach = (double)INFINITY};
    CHECK_EQ(pbdrProbePlane(&disc, pbdrVec(0.0, 0.0, 1.0), 0.0, hits), 1);
    CHECK_NEAR(hits[0].gap, 0.7, 1.0e-15);
    CHECK_NEAR(hits[0].point.x, -0.4, 1.0e-15);
    disc.b = pbdrVec(0.005, 0.0, -sqrt(1.0 - 0.005 * 0.005)); // flat: its fixed points carry it
    CHECK_EQ(pbdrProbePlane(&disc, pbdrVec(0.0, 0.0, 1.0), 0.0, hits), 0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"probes__lie_on_their_planes", probes__lie_on_their_planes},
          {"weights__have_the_second_moments_of_a_face", weights__have_the_second_moments_of_a_face},
          {"bytes__tell_boxes_apart", bytes__tell_boxes_apart},
          {"bad_boxes__are_refused_with_their_values", bad_boxes__are_refused_with_their_values},
          {"points__see_the_greatest_separation", points__see_the_greatest_separation},
          {"balls__see_the_euclidean_distance", balls__see_the_euclidean_distance},
          {"gaps__are_continuous", gaps__are_continuous},
          {"plates__have_what_is_thicker_on_its_centres_side",
           plates__have_what_is_thicker_on_its_centres_side},
          {"equal_stacks__touch_by_their_faces", equal_stacks__touch_by_their_faces},
          {"equal_neighbours__touch_by_their_sides", equal_neighbours__touch_by_their_sides},
          {"corner_beyond_the_side__does_not_stand_on_top", corner_beyond_the_side__does_not_stand_on_top},
          {"deep_points__keep_their_face", deep_points__keep_their_face},
          {"thin_plates__push_back_to_the_side_one_came_from",
           thin_plates__push_back_to_the_side_one_came_from},
          {"thin_plates__push_edges_back", thin_plates__push_edges_back},
          {"two_boxes__touch_where_separating_axes_say", two_boxes__touch_where_separating_axes_say},
          {"edges__cross_exactly", edges__cross_exactly},
          {"parallel_edges__do_not_jump", parallel_edges__do_not_jump},
          {"faces__touch_at_the_corners_of_their_polygon", faces__touch_at_the_corners_of_their_polygon},
          {"axes__see_the_euclidean_distance", axes__see_the_euclidean_distance},
          {"axes__lie_on_a_face_by_two_ends", axes__lie_on_a_face_by_two_ends},
          {"turned_frames__give_the_same", turned_frames__give_the_same},
          {"degenerate_input__gives_finite_hits", degenerate_input__gives_finite_hits},
          {"planes__see_points_ends_and_rims", planes__see_points_ends_and_rims});
}
