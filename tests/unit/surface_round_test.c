// The surfaces of balls and capsules, and of bare spheres.
#include "surfaces.h"

static HitList list;

// Distance of a point from the axis (0, 0, -h) to (0, 0, h).
static double getAxisDistance(pbdrVec3 x, double half)
{
    return pbdrLength(pbdrVec(x.x, x.y, x.z - fmin(fmax(x.z, -half), half)));
}

static void probes__are_ends_axis_and_points_between(void)
{
    pbdrSurface capsule = makeCapsule(0.3, 0.1), ball = makeBall(0.2);
    CHECK_EQ(ball.probeCount, 1);
    CHECK_NEAR(ball.radius, 0.2, 0.0);
    int planes = 0, convex = 0, meshes = 0;
    double before = -0.3;
    for (int i = 0; i < capsule.probeCount; i++) {
        const pbdrProbe* probe = &capsule.probes[i];
        planes += (probe->against & PBDR_PROBES_PLANES) != 0;
        convex += (probe->against & PBDR_PROBES_CONVEX) != 0;
        meshes += (probe->against & PBDR_PROBES_MESHES) != 0;
        CHECK_EQ(probe->radius, 0.1);
        if (i >= 3) {
            CHECK_LE(probe->a.z - before, 0.05 + 1.0e-15);
            before = probe->a.z;
        }
    }
    CHECK_LE(0.3 - before, 0.05 + 1.0e-15);
    CHECK_EQ(planes, 2);
    CHECK_EQ(convex, 1);
    CHECK_EQ(meshes, capsule.probeCount - 1);
    CHECK_NEAR(capsule.radius, 0.4, 1.0e-15);
    CHECK_NEAR(capsule.upper.z, 0.4, 1.0e-15);
    CHECK_NEAR(capsule.upper.x, 0.1, 1.0e-15);
    pbdrSurface_Free(&capsule);
    pbdrSurface_Free(&ball);
}

static void bad_sizes__are_refused(void)
{
    pbdrPose frame = atOrigin();
    pbdrSurface surface;
    pbdrError error;
    CHECK(pbdrCreateBallSurface(pbdrVec(0.0, 0.0, 0.0), 0.0, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "0 m");
    CHECK(pbdrCreateBallSurface(pbdrVec((double)NAN, 0.0, 0.0), 1.0, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK(pbdrCreateCapsuleSurface(&frame, -0.5, 1.0, NULL, &surface, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "-0.5");
    CHECK(pbdrCreateCapsuleSurface(&frame, 1.0, (double)INFINITY, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK(surface.probes == NULL);
    pbdrVec3 centre = {0.0, 0.0, 0.0};
    double radius = -1.0;
    CHECK(pbdrCreateSphereProbes(&centre, &radius, NULL, 1, NULL, &surface, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "-1");
}

static void spheres__probe_and_are_not_probed(void)
{
    const pbdrVec3 centres[2] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}};
    const double radii[2] = {0.5, 0.25};
    pbdrSurface spheres, ball = makeBall(1.0);
    CHECK(pbdrCreateSphereProbes(centres, radii, NULL, 2, NULL, &spheres, NULL) == pbdr_statusOk);
    CHECK_EQ(pbdrSurface_GetAudience(&spheres), 0);
    CHECK_NEAR(spheres.radius, 1.25, 0.0);
    pbdrPlacedProbe probe = placePoint(centres[0], 1.0);
    pbdrSurfaceHit hits[2];
    CHECK_EQ(probeOnce(&spheres, &probe, hits), 0);
    collectHits(&ball, &spheres, NULL, pbdrVec(0.5, 0.0, 2.0), (double)INFINITY, &list);
    CHECK_EQ(list.count, 2);
    CHECK_NEAR(list.hits[0].gap, sqrt(4.25) - 1.5, 1.0e-15);
    pbdrSurface_Free(&spheres);
    pbdrSurface_Free(&ball);
}

static void points__see_the_distance_of_the_axis(void)
{
    pbdrSurface capsule = makeCapsule(0.3, 0.1), ball = makeBall(0.2);
    seedSurfaces(1);
    for (int i = 0; i < 10000; i++) {
        pbdrVec3 x = randomVec(0.6);
        double radius = i % 2 == 0 ? 0.0 : 0.05;
        pbdrPlacedProbe probe = placePoint(x, radius);
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&capsule, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, getAxisDistance(x, 0.3) - 0.1 - radius, 1.0e-15);
        pbdrVec3 opposite = pbdrAddScaled(hits[0].point, -hits[0].gap, hits[0].normal);
        CHECK_NEAR(getAxisDistance(opposite, 0.3), 0.1, 1.0e-14);
        CHECK_EQ(probeOnce(&ball, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, pbdrLength(x) - 0.2 - radius, 1.0e-15);
    }
    pbdrSurface_Free(&capsule);
    pbdrSurface_Free(&ball);
}

// Against 400 samples along the segment; the distance is convex, so the samples overshoot only.
static void segments__see_the_nearest_point(void)
{
    seedSurfaces(2);
    for (int trial = 0; trial < 6000; trial++) {
        double half = trial % 3 == 0 ? 0.0 : 0.3;
        pbdrSurface surface = trial % 3 == 0 ? makeBall(0.1) : makeCapsule(half, 0.1);
        pbdrVec3 a = randomVec(0.6), b = randomVec(0.6);
        if (trial % 7 == 0) {
            b = pbdrVec(a.x + randomIn(-1.0e-3, 1.0e-3), a.y, b.z); // nearly parallel
        }
        pbdrPlacedProbe probe = placeSegment(a, b, 0.05);
        pbdrSurfaceHit hits[2];
        int count = probeOnce(&surface, &probe, hits);
        CHECK_GE(count, 1);
        double nearest = (double)INFINITY;
        for (int k = 0; k <= 400; k++) {
            nearest = fmin(nearest, getAxisDistance(pbdrAddScaled(a, k / 400.0, pbdrSub(b, a)), half));
        }
        double least = (count == 2 ? fmin(hits[0].gap, hits[1].gap) : hits[0].gap) + 0.15;
        // of a shallow cross of up to 1e-3 both ends are hit, not the middle: (1e-3 * 0.6 m)^2 / (8 *
        // distance)
        CHECK_LE(least, nearest + (trial % 7 == 0 ? 4.5e-8 / fmax(nearest, 1.0e-4) : 1.0e-12));
        CHECK_GE(least, nearest - 1.0 / 400.0);
        CHECK(isFiniteHit(&hits[0]) && isFiniteHit(&hits[count - 1]));
        // a sharp segment: the same, but for its ends
        probe.radius = 0.0;
        pbdrSurfaceHit sharp[2];
        int inner = probeOnce(&surface, &probe, sharp);
        for (int i = 0; i < inner; i++) {
            CHECK_GE(sharp[i].gap + 0.1, least - 1.0e-12);
            CHECK_GE(pbdrLength(pbdrSub(sharp[i].point, a)), 1.0e-10);
            CHECK_GE(pbdrLength(pbdrSub(sharp[i].point, b)), 1.0e-10);
        }
        pbdrSurface_Free(&surface);
    }
}

static void parallel_capsules__touch_at_two_ends(void)
{
    pbdrSurface capsule = makeCapsule(0.3, 0.1);
    pbdrPlacedProbe probe = placeSegment(pbdrVec(0.19, 0.0, -0.1), pbdrVec(0.19, 0.0, 0.5), 0.1);
    pbdrSurfaceHit hits[2];
    CHECK_EQ(probeOnce(&capsule, &probe, hits), 2);
    CHECK_NEAR(hits[0].point.z, -0.1, 1.0e-15);
    CHECK_NEAR(hits[1].point.z, 0.3, 1.0e-15);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(hits[i].gap, -0.01, 1.0e-15);
        CHECK_NEAR(hits[i].normal.x, 1.0, 1.0e-15);
    }
    // opening like scissors: the far end fades out, the near one is continuous
    double before = 2.0;
    for (int k = 0; k <= 30; k++) {
        probe.b.x = 0.19 + 0.6e-4 * k;
        int count = probeOnce(&capsule, &probe, hits);
        CHECK_NEAR(hits[0].gap, -0.01, 1.0e-15);
        double total = 0.0;
        for (int i = 0; i < count; i++) {
            total += hits[i].share;
        }
        CHECK_LE(fabs(total - before), 0.1 + 1.0e-6);
        before = total;
    }
    CHECK_EQ(before, 1.0);
    pbdrSurface_Free(&capsule);
}

// Two axes that cross in their middles, at angles from 0 to 3e-3: two ends, which meet in the middle.
static void shallow_crosses__close_in_on_the_middle(void)
{
    pbdrSurface capsule = makeCapsule(0.3, 0.1);
    double before = 0.6;
    for (int k = 0; k <= 300; k++) {
        double lean = 1.0e-5 * k;
        pbdrPlacedProbe probe =
            placeSegment(pbdrVec(0.19, -0.3 * lean, -0.3), pbdrVec(0.19, 0.3 * lean, 0.3), 0.1);
        pbdrSurfaceHit hits[2];
        int count = probeOnce(&capsule, &probe, hits);
        double width = count == 2 ? hits[1].point.z - hits[0].point.z : 0.0;
        CHECK_LE(fabs(width - before), 0.0065);
        CHECK_NEAR(hits[0].gap, -0.01, 1.0e-6);
        before = width;
    }
    CHECK_EQ(before, 0.0);
    pbdrSurface_Free(&capsule);
}

// A box's edge pressed into a capsule's side is seen only while its faces look that way.
static void edges__look_at_what_they_touch(void)
{
    pbdrSurface capsule = makeCapsule(0.3, 0.1);
    double r = sqrt(0.5);
    const pbdrVec3 towards[2] = {{-r, 0.0, -r}, {-r, 0.0, r}}, away[2] = {{r, 0.0, -r}, {r, 0.0, r}};
    pbdrPlacedProbe probe = placeSegment(pbdrVec(0.099, -0.2, 0.1), pbdrVec(0.099, 0.3, 0.1), 0.0);
    pbdrSurfaceHit hits[2];
    probe.normalCount = 2;
    probe.normals = towards;
    CHECK_EQ(probeOnce(&capsule, &probe, hits), 1);
    CHECK_NEAR(hits[0].gap, -0.001, 1.0e-15);
    CHECK_NEAR(hits[0].normal.x, 1.0, 1.0e-15);
    probe.normals = away;
    CHECK_EQ(probeOnce(&capsule, &probe, hits), 0);
    pbdrSurface_Free(&capsule);
}

static void discs__touch_by_their_rims(void)
{
    pbdrSurface ball = makeBall(0.1);
    seedSurfaces(3);
    int seen = 0;
    for (int trial = 0; trial < 2000; trial++) {
        pbdrVec3 axis = makeUnit(randomVec(1.0)), side = makeUnit(pbdrCross(axis, randomVec(1.0)));
        pbdrVec3 up = pbdrCross(axis, side), centre = randomVec(0.3);
        pbdrPlacedProbe disc = {
            .kind = pbdr_probeDisc, .a = centre, .b = axis, .radius = 0.15, .reach = (double)INFINITY};
        pbdrSurfaceHit hits[2];
        int count = probeOnce(&ball, &disc, hits);
        double nearest = (double)INFINITY;
        for (int k = 0; k < 1000; k++) {
            double angle = 2.0 * PBDR_PI * k / 1000.0;
            pbdrVec3 rim =
                pbdrAddScaled(pbdrAddScaled(centre, 0.15 * cos(angle), side), 0.15 * sin(angle), up);
            nearest = fmin(nearest, pbdrLength(rim) - 0.1);
        }
        // seen where the ball is beyond the rim and not on the far side of the cap
        pbdrVec3 out = pbdrScale(-1.0, pbdrAddScaled(centre, -pbdrDot(centre, axis), axis));
        pbdrVec3 rim = pbdrAddScaled(centre, 0.15, makeUnit(out)), n = makeUnit(rim);
        double sine = sqrt(fmax(0.0, 1.0 - pbdrDot(n, axis) * pbdrDot(n, axis)));
        if (sine > 0.04 && pbdrDot(n, axis) < 0.0 && pbdrLength(out) > 0.16) {
            CHECK_EQ(count, 1);
            CHECK_NEAR(hits[0].gap, nearest, 1.0e-5);
            seen++;
        }
        if (pbdrLength(out) < 0.14 || pbdrDot(n, axis) > 0.03) {
            CHECK_EQ(count, 0);
        }
    }
    CHECK_GE(seen, 300);
    pbdrSurface_Free(&ball);
}

static void turned_frames__give_the_same(void)
{
    seedSurfaces(4);
    pbdrSurface plain = makeCapsule(0.3, 0.1);
    for (int trial = 0; trial < 1000; trial++) {
        pbdrPose frame = {randomVec(1.0), randomTurn()};
        pbdrMat3 axes = pbdrMatFromQuat(frame.rotation);
        pbdrSurface turned;
        CHECK(pbdrCreateCapsuleSurface(&frame, 0.3, 0.1, NULL, &turned, NULL) == pbdr_statusOk);
        pbdrVec3 a = randomVec(0.5), b = randomVec(0.5);
        pbdrPlacedProbe probe = placeSegment(a, b, 0.02);
        pbdrSurfaceHit hits[2], same[2];
        int count = probeOnce(&plain, &probe, hits);
        probe.a = pbdrAdd(pbdrMulMV(&axes, a), frame.position);
        probe.b = pbdrAdd(pbdrMulMV(&axes, b), frame.position);
        CHECK_EQ(probeOnce(&turned, &probe, same), count);
        CHECK_NEAR(hits[0].gap, same[0].gap, 2.0e-15);
        CHECK_LE(pbdrLength(pbdrSub(pbdrMulMV(&axes, hits[0].normal), same[0].normal)), 1.0e-12);
        pbdrSurface_Free(&turned);
    }
    pbdrSurface_Free(&plain);
}

static void degenerate_input__gives_finite_hits(void)
{
    pbdrSurface surfaces[3] = {makeCapsule(0.3, 0.1), makeCapsule(0.0, 0.1), makeBall(0.1)};
    const double values[] = {0.0, -0.0, 0.1, 0.3, -0.3, DBL_MIN, 4.9e-324, 1.0e-160, 1.0e60};
    const int n = (int)(sizeof values / sizeof values[0]);
    seedSurfaces(5);
    for (int trial = 0; trial < 60000; trial++) {
        pbdrVec3 v[2];
        for (int k = 0; k < 2; k++) {
            v[k] = pbdrVec(values[(int)randomIn(0.0, n - 1.0e-9)], values[(int)randomIn(0.0, n - 1.0e-9)],
                           values[(int)randomIn(0.0, n - 1.0e-9)]);
        }
        pbdrPlacedProbe probes[4] = {placePoint(v[0], 0.0),
                                     placeSegment(v[0], v[1], 0.0),
                                     placeSegment(v[0], v[trial % 3 == 0 ? 0 : 1], 0.05),
                                     {.kind = pbdr_probeDisc,
                                      .a = v[0],
                                      .b = {0.0, 0.0, 1.0},
                                      .radius = 0.1,
                                      .reach = (double)INFINITY}};
        for (int k = 0; k < 4; k++) {
            pbdrSurfaceHit hits[2];
            int count = probeOnce(&surfaces[trial % 3], &probes[k], hits);
            CHECK(k % 2 == 1 || count >= 1);
            for (int i = 0; i < count; i++) {
                CHECK(isFiniteHit(&hits[i]));
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        pbdrSurface_Free(&surfaces[i]);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"probes__are_ends_axis_and_points_between", probes__are_ends_axis_and_points_between},
          {"bad_sizes__are_refused", bad_sizes__are_refused},
          {"spheres__probe_and_are_not_probed", spheres__probe_and_are_not_probed},
          {"points__see_the_distance_of_the_axis", points__see_the_distance_of_the_axis},
          {"segments__see_the_nearest_point", segments__see_the_nearest_point},
          {"parallel_capsules__touch_at_two_ends", parallel_capsules__touch_at_two_ends},
          {"shallow_crosses__close_in_on_the_middle", shallow_crosses__close_in_on_the_middle},
          {"edges__look_at_what_they_touch", edges__look_at_what_they_touch},
          {"discs__touch_by_their_rims", discs__touch_by_their_rims},
          {"turned_frames__give_the_same", turned_frames__give_the_same},
          {"degenerate_input__gives_finite_hits", degenerate_input__gives_finite_hits});
}
