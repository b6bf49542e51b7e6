// The surface of a cylinder: its probes, and the hits of points, balls, edges, axes and discs on it.
#include "surfaces.h"

static HitList listA, listB;

static double getCylinderSeparation(pbdrVec3 x, double radius, double half)
{
    return fmax(sqrt(x.x * x.x + x.y * x.y) - radius, fabs(x.z) - half);
}

static double getCylinderDistance(pbdrVec3 x, double radius, double half)
{
    double out = sqrt(x.x * x.x + x.y * x.y) - radius, up = fabs(x.z) - half;
    return out > 0.0 && up > 0.0 ? sqrt(out * out + up * up) : fmax(out, up);
}

static void probes__share_the_caps_area(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    // a point of the outermost inner ring counts 1, and the ring of 12 has 7/12 of the cap
    double sum = 0.0, lever = 0.0, second = 0.0, unit = 7.0 / 12.0 * PBDR_PI * 0.01 / 12.0;
    int discs = 0;
    for (int i = 0; i < cylinder.probeCount; i++) {
        const pbdrProbe* probe = &cylinder.probes[i];
        discs += probe->kind == pbdr_probeDisc;
        if (probe->kind == pbdr_probePoint && probe->a.z == 0.2) {
            sum += unit * probe->weight;
            lever += unit * probe->weight * hypot(probe->a.x, probe->a.y);
            second += unit * probe->weight * probe->a.x * probe->a.x;
            CHECK_GE(probe->weight, 0.0);
        }
        for (int k = 0; k < probe->normalCount && probe->kind == pbdr_probePoint; k++) {
            pbdrVec3 n = cylinder.normals[probe->firstNormal + k];
            CHECK_NEAR(pbdrLength(n), 1.0, 1.0e-15);
            CHECK_NEAR(pbdrDot(n, probe->a), fabs(n.z) * 0.2 + (1.0 - fabs(n.z)) * 0.1, 1.0e-15);
        }
    }
    CHECK_EQ(discs, 2);
    // the disc's area, lever of friction and second moment, exactly
    CHECK_NEAR(sum, PBDR_PI * 0.01, 1.0e-15);
    CHECK_NEAR(lever, 2.0 / 3.0 * 0.1 * PBDR_PI * 0.01, 1.0e-16);
    CHECK_NEAR(second, 0.25 * PBDR_PI * 1.0e-4, 1.0e-18);
    CHECK_NEAR(cylinder.radius, sqrt(0.05), 1.0e-15);
    CHECK_NEAR(cylinder.upper.z, 0.2, 1.0e-15);
    CHECK_NEAR(cylinder.lower.x, -0.1, 1.0e-15);
    pbdrSurface_Free(&cylinder);
}

static void bad_cylinders__are_refused(void)
{
    pbdrPose frame = atOrigin();
    pbdrSurface surface;
    pbdrError error;
    pbdrCylinderSampling sampling = pbdrDefaultCylinderSampling();
    sampling.rimPoints = 30;
    CHECK(pbdrCreateCylinderSurface(&frame, 0.1, 0.1, &sampling, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "30");
    CHECK(pbdrCreateCylinderSurface(&frame, 0.1, (double)NAN, NULL, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK(surface.probes == NULL);
}

static void points__see_the_greater_separation(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    seedSurfaces(1);
    for (int i = 0; i < 20000; i++) {
        pbdrVec3 x = randomVec(0.35);
        pbdrSurfaceHit hits[2];
        pbdrPlacedProbe probe = placePoint(x, 0.0);
        CHECK_EQ(probeOnce(&cylinder, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, getCylinderSeparation(x, 0.1, 0.2), 1.0e-15);
        probe.radius = 0.04;
        CHECK_EQ(probeOnce(&cylinder, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, getCylinderDistance(x, 0.1, 0.2) - 0.04, 1.0e-15);
        pbdrVec3 opposite = pbdrAddScaled(hits[0].point, -hits[0].gap, hits[0].normal);
        CHECK_NEAR(getCylinderSeparation(opposite, 0.1, 0.2), 0.0, 1.0e-14);
        CHECK(isFiniteHit(&hits[0]));
    }
    pbdrSurface_Free(&cylinder);
}

// Equal cylinders on each other, upright: every point of the rim lies on the other's rim.
static void equal_stacks__touch_by_their_caps(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    const double noises[] = {0.0, 1.0e-17, 1.0e-16, 1.0e-14, 1.0e-12, 1.0e-9, 1.0e-7};
    seedSurfaces(2);
    for (int noise = 0; noise < 7; noise++) {
        for (int trial = 0; trial < 30; trial++) {
            double size = noises[noise], depth = trial % 2 == 0 ? 0.0 : 1.0e-6;
            pbdrVec3 shift = pbdrAdd(randomVec(size), pbdrVec(0.0, 0.0, 0.4 - depth));
            pbdrMat3 about = turnAboutZ(trial % 3 == 0 ? 0.0 : randomIn(0.0, 6.0));
            pbdrMat3 lean = pbdrMatFromQuat(pbdrQuatFromVector(randomVec(size)));
            pbdrMat3 turn = pbdrMulMM(&lean, &about);
            collectHits(&cylinder, &cylinder, &turn, shift, 0.01, &listA);
            CHECK_EQ(listA.count, 32 + 18 + 1); // rim, rings, centre; discs and axis have nothing to add
            for (int i = 0; i < listA.count; i++) {
                CHECK_EQ(listA.hits[i].normal.z, 1.0);
                CHECK_NEAR(listA.hits[i].gap, -depth, 3.0 * size + 1.0e-16);
            }
        }
    }
    pbdrSurface_Free(&cylinder);
}

// A lying cylinder on a plane and on a box: its two rims, exactly, however it is turned about its axis.
static void lying__touches_by_two_rims(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1), box = makeBox(0.5, 0.5, 0.5, 1);
    seedSurfaces(3);
    for (int trial = 0; trial < 100; trial++) {
        pbdrMat3 about = turnAboutZ(randomIn(0.0, 6.0)), heading = turnAboutZ(randomIn(0.0, 6.0));
        pbdrMat3 lie = pbdrMatFromQuat(pbdrQuatFromVector(pbdrVec(0.5 * PBDR_PI, 0.0, 0.0)));
        pbdrMat3 turn = pbdrMulMM(&lie, &about);
        turn = pbdrMulMM(&heading, &turn);
        pbdrVec3 shift = {0.05, 0.02, 0.5 + 0.1 - 1.0e-6};
        collectHits(&box, &cylinder, &turn, shift, 1.0e-5, &listA);
        int rims = 0;
        for (int i = 0; i < listA.count; i++) {
            CHECK_EQ(listA.hits[i].normal.z, 1.0);
            if (listA.probes[i]->kind == pbdr_probeDisc) {
                rims++;
                CHECK_NEAR(listA.hits[i].gap, -1.0e-6, 1.0e-15);
                CHECK_NEAR(listA.hits[i].share, 1.0, 0.0);
            } else {
                CHECK_GE(listA.hits[i].gap, -1.0e-6 - 1.0e-15);
            }
        }
        CHECK_EQ(rims, 2);
    }
    pbdrSurface_Free(&cylinder);
    pbdrSurface_Free(&box);
}

// An edge: the gap is between the least separation along it and sqrt 2 of that, and zero where that is.
static void edges__see_the_least_separation(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    seedSurfaces(4);
    int sides = 0, rims = 0;
    for (int trial = 0; trial < 20000; trial++) {
        pbdrVec3 a = randomVec(0.4), b = randomVec(0.4);
        pbdrPlacedProbe probe = placeSegment(a, b, 0.0);
        pbdrSurfaceHit hits[2];
        if (probeOnce(&cylinder, &probe, hits) != 1) {
            continue;
        }
        double least = (double)INFINITY;
        for (int k = 0; k <= 1000; k++) {
            pbdrVec3 x = pbdrAddScaled(a, k / 1000.0, pbdrSub(b, a));
            least = fmin(least, getCylinderSeparation(x, 0.1, 0.2));
        }
        CHECK(isFiniteHit(&hits[0]));
        CHECK_NEAR(pbdrDot(hits[0].normal, makeUnit(pbdrSub(b, a))), 0.0, 1.0e-6);
        double exact = getCylinderSeparation(hits[0].point, 0.1, 0.2);
        CHECK_LE(exact, least + 1.0e-12);
        CHECK_GE(exact, least - 1.4e-3);
        CHECK_GE(hits[0].gap / exact, 1.0 - 1.0e-9);
        CHECK_LE(hits[0].gap / exact, sqrt(2.0) + 1.0e-9);
        sides += hits[0].feature == 2;
        rims += hits[0].feature == 3;
    }
    CHECK_GE(sides, 300);
    CHECK_GE(rims, 300);
    pbdrSurface_Free(&cylinder);
}

static void edges__lie_on_caps_and_generators(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    const pbdrVec3 down[2] = {{0.0, 1.0, 0.0}, {0.0, 0.0, -1.0}},
                   in[2] = {{-1.0, 0.0, 0.0}, {0.0, -1.0, 0.0}};
    pbdrSurfaceHit hits[2];
    pbdrPlacedProbe probe = placeSegment(pbdrVec(-0.5, 0.06, 0.199), pbdrVec(0.03, 0.06, 0.199), 0.0);
    probe.normals = down;
    probe.normalCount = 2;
    CHECK_EQ(probeOnce(&cylinder, &probe, hits), 1); // the other end is a corner
    CHECK_NEAR(hits[0].point.x, -0.08, 1.0e-15);
    CHECK_NEAR(hits[0].gap, -0.001, 1.0e-15);
    CHECK_EQ(hits[0].normal.z, 1.0);
    probe = placeSegment(pbdrVec(0.098, 0.0, -0.5), pbdrVec(0.098, 0.0, 0.5), 0.0);
    probe.normals = in;
    probe.normalCount = 2;
    CHECK_EQ(probeOnce(&cylinder, &probe, hits), 2);
    CHECK_NEAR(hits[0].point.z, -0.2, 1.0e-15);
    CHECK_NEAR(hits[1].point.z, 0.2, 1.0e-15);
    CHECK_NEAR(hits[1].gap, -0.002, 1.0e-15);
    CHECK_EQ(hits[1].normal.x, 1.0);
    pbdrSurface_Free(&cylinder);
}

static void axes__see_the_euclidean_distance(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    seedSurfaces(5);
    for (int trial = 0; trial < 5000; trial++) {
        pbdrVec3 a = randomVec(0.5), b = randomVec(0.5);
        if (trial % 5 == 0) {
            b.z = a.z + randomIn(-1.0e-3, 1.0e-3);
        } else if (trial % 5 == 1) {
            b = pbdrVec(a.x, a.y + randomIn(-1.0e-3, 1.0e-3), b.z);
        }
        pbdrPlacedProbe probe = placeSegment(a, b, 0.05);
        pbdrSurfaceHit hits[2];
        int count = probeOnce(&cylinder, &probe, hits);
        CHECK_GE(count, 1);
        CHECK(isFiniteHit(&hits[0]) && isFiniteHit(&hits[count - 1]));
        double nearest = (double)INFINITY;
        for (int k = 0; k <= 500; k++) {
            pbdrVec3 x = pbdrAddScaled(a, k / 500.0, pbdrSub(b, a));
            nearest = fmin(nearest, getCylinderDistance(x, 0.1, 0.2));
        }
        double least = count == 2 ? fmin(hits[0].gap, hits[1].gap) : hits[0].gap;
        if (nearest > 2.0e-3) {
            // both ends of a shallow cross, not its middle: (1e-3 * 1 m)^2 / (8 * 0.1 m)
            CHECK_LE(least + 0.05, nearest + (trial % 5 < 2 ? 1.3e-6 : 1.0e-12));
            CHECK_GE(least + 0.05, nearest - 1.5e-3);
        } else {
            CHECK_LE(least, -0.05 + 2.0e-3);
        }
    }
    pbdrSurface_Free(&cylinder);
}

// Two lying cylinders that cross touch side on side; neither has a rim there.
static void crossed__touch_by_their_sides(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1), thin = makeCylinder(0.3, 0.05);
    seedSurfaces(6);
    for (int trial = 0; trial < 200; trial++) {
        double angle = randomIn(0.3, PBDR_PI - 0.3);
        pbdrMat3 turn = pbdrMatFromQuat(pbdrQuatFromVector(pbdrVec(angle, 0.0, 0.0)));
        pbdrVec3 shift = {0.15 - 1.0e-5, 0.0, randomIn(-0.1, 0.1)};
        collectHits(&cylinder, &thin, &turn, shift, 1.0e-3, &listA);
        CHECK_EQ(listA.count, 1);
        CHECK_NEAR(listA.hits[0].gap, -1.0e-5, 1.0e-15);
        CHECK_NEAR(listA.hits[0].normal.x, 1.0, 1.0e-15);
        CHECK_EQ(listA.hits[0].share, 1.0);
    }
    pbdrSurface_Free(&cylinder);
    pbdrSurface_Free(&thin);
}

static void thin_discs__push_back(void)
{
    pbdrSurface disc = makeCylinder(0.0005, 0.2);
    const pbdrVec3 normals[2] = {{0.0, 0.0, -1.0}, {1.0, 0.0, 0.0}};
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    for (int step = 0; step < 2; step++) {
        pbdrPlacedProbe probe = placePoint(pbdrVec(0.1, 0.0, step == 0 ? 0.0006 : -0.0014), 0.0);
        probe.normals = normals;
        probe.normalCount = 2;
        probe.reach = 0.003;
        pbdrSurfaceHit hits[2];
        CHECK_EQ(pbdrSurface_Probe(&disc, &probe, features, hits), 1);
        CHECK_EQ(hits[0].normal.z, 1.0);
        CHECK_NEAR(hits[0].gap, step == 0 ? 0.0001 : -0.0019, 1.0e-15);
    }
    // beyond the rim it cannot have come through
    pbdrSurface thick = makeCylinder(0.1, 0.1);
    int32_t top[2] = {0, PBDR_NO_FEATURE};
    pbdrPlacedProbe beside = placePoint(pbdrVec(0.103, 0.0, -0.105), 0.0);
    beside.reach = 0.01;
    pbdrSurfaceHit hits[2];
    CHECK_EQ(pbdrSurface_Probe(&thick, &beside, top, hits), 1);
    CHECK_NEAR(hits[0].gap, 0.005, 1.0e-15);
    pbdrSurface_Free(&thick);
    pbdrSurface_Free(&disc);
}

// A rim that dips into a side between two samples of the search, with no reach to spare.
static void rims__are_found_between_samples(void)
{
    pbdrSurface thin = makeCylinder(0.3, 0.01);
    for (int k = 0; k < 50; k++) {
        double angle = 0.13 * k, depth = 1.0e-5;
        pbdrPlacedProbe disc = {.kind = pbdr_probeDisc, .b = {0.0, 0.0, -1.0}, .radius = 0.2, .reach = 0.0};
        disc.a = pbdrScale(0.21 - depth, pbdrVec(cos(angle), sin(angle), 0.0));
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&thin, &disc, hits), 1);
        CHECK_NEAR(hits[0].gap, -depth, 1.0e-15);
        CHECK_NEAR(hits[0].normal.x, cos(angle), 1.0e-12);
    }
    pbdrSurface_Free(&thin);
}

static void turned_frames__give_the_same(void)
{
    seedSurfaces(7);
    pbdrSurface plain = makeCylinder(0.2, 0.1), prober = makeBox(0.12, 0.1, 0.15, 2);
    for (int trial = 0; trial < 200; trial++) {
        pbdrPose frame = {randomVec(1.0), randomTurn()};
        pbdrMat3 axes = pbdrMatFromQuat(frame.rotation);
        pbdrSurface turned;
        CHECK(pbdrCreateCylinderSurface(&frame, 0.2, 0.1, NULL, NULL, &turned, NULL) == pbdr_statusOk);
        pbdrMat3 turn = randomMatrix(), both = pbdrMulMM(&axes, &turn);
        pbdrVec3 shift = randomVec(0.3);
        const pbdrSurface* by = trial % 2 == 0 ? &prober : &plain;
        collectHits(&plain, by, &turn, shift, 0.1, &listA);
        collectHits(&turned, by, &both, pbdrAdd(pbdrMulMV(&axes, shift), frame.position), 0.1, &listB);
        CHECK_EQ(listA.count, listB.count);
        for (int i = 0; i < listA.count && i < listB.count; i++) {
            CHECK_NEAR(listA.hits[i].gap, listB.hits[i].gap, 1.0e-14);
            pbdrVec3 normal = pbdrMulMV(&axes, listA.hits[i].normal);
            CHECK_LE(pbdrLength(pbdrSub(normal, listB.hits[i].normal)), 1.0e-12);
        }
        pbdrSurface_Free(&turned);
    }
    pbdrSurface_Free(&plain);
    pbdrSurface_Free(&prober);
}

static void degenerate_input__gives_finite_hits(void)
{
    pbdrSurface cylinder = makeCylinder(0.2, 0.1);
    const double values[] = {0.0, -0.0, 0.1, -0.1, 0.2, -0.2, DBL_MIN, 4.9e-324, 1.0e-160, 1.0e60, -1.0e60};
    const int n = (int)(sizeof values / sizeof values[0]);
    seedSurfaces(8);
    for (int trial = 0; trial < 100000; trial++) {
        pbdrVec3 v[2];
        for (int k = 0; k < 2; k++) {
            v[k] = pbdrVec(values[(int)randomIn(0.0, n - 1.0e-9)], values[(int)randomIn(0.0, n - 1.0e-9)],
                           values[(int)randomIn(0.0, n - 1.0e-9)]);
        }
        pbdrPlacedProbe probes[5] = {placePoint(v[0], 0.0),
                                     placeSegment(v[0], v[1], 0.0),
                                     placePoint(v[0], 0.05),
                                     {.kind = pbdr_probeDisc,
                                      .a = v[0],
                                      .b = {0.0, 0.6, 0.8},
                                      .radius = 0.1,
                                      .reach = (double)INFINITY},
                                     placeSegment(v[0], v[trial % 3 == 0 ? 0 : 1], 0.05)};
        for (int k = 0; k < 5; k++) {
            pbdrSurfaceHit hits[2];
            int32_t features[2] = {trial % 5 - 1, trial % 3 - 1};
            int count = pbdrSurface_Probe(&cylinder, &probes[k], features, hits);
            CHECK(k % 2 == 1 || count >= 1);
            for (int i = 0; i < count; i++) {
                CHECK(isFiniteHit(&hits[i]));
            }
        }
    }
    pbdrSurface_Free(&cylinder);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"probes__share_the_caps_area", probes__share_the_caps_area},
          {"bad_cylinders__are_refused", bad_cylinders__are_refused},
          {"points__see_the_greater_separation", points__see_the_greater_separation},
          {"equal_stacks__touch_by_their_caps", equal_stacks__touch_by_their_caps},
          {"lying__touches_by_two_rims", lying__touches_by_two_rims},
          {"edges__see_the_least_separation", edges__see_the_least_separation},
          {"edges__lie_on_caps_and_generators", edges__lie_on_caps_and_generators},
          {"axes__see_the_euclidean_distance", axes__see_the_euclidean_distance},
          {"crossed__touch_by_their_sides", crossed__touch_by_their_sides},
          {"thin_discs__push_back", thin_discs__push_back},
          {"rims__are_found_between_samples", rims__are_found_between_samples},
          {"turned_frames__give_the_same", turned_frames__give_the_same},
          {"degenerate_input__gives_finite_hits", degenerate_input__gives_finite_hits});
}
