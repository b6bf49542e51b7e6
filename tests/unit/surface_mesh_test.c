// Meshes and heightfields as surfaces: signs, planes at edges, thin walls, open meshes, probes.
#include "meshes.h"
#include "surfaces.h"

#include "geometry/triangle_tree.h"

static HitList list;

static pbdrSurface makeSurface(const pbdrMesh* mesh, pbdrMeshSides sides, int maxProbes)
{
    pbdrMeshSurfaceDef def = pbdrDefaultMeshSurfaceDef();
    def.sides = sides;
    def.maxProbes = maxProbes;
    pbdrSurface surface;
    pbdrError error = {0};
    if (pbdrCreateMeshSurface(mesh, &def, NULL, &surface, &error) != pbdr_statusOk) {
        printf("    %s\n", error.message);
        checkFailures++;
    }
    return surface;
}

static pbdrSurface makeMeshBox(double x, double y, double z, int maxProbes)
{
    Soup soup = {0};
    addBox(&soup, pbdrVec(-x, -y, -z), pbdrVec(x, y, z));
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSurface surface = makeSurface(&mesh, pbdr_meshSolid, maxProbes);
    pbdrMesh_Free(&mesh);
    return surface;
}

static pbdrSurface makeTerrain(double (*height)(double, double), int count, double spacing,
                               pbdrMeshSides sides)
{
    double* heights = malloc((size_t)count * (size_t)count * sizeof *heights);
    double start = -0.5 * spacing * (count - 1);
    for (int i = 0; i < count * count; i++) {
        heights[i] = height(start + spacing * (i % count), start + spacing * (i / count));
    }
    pbdrMesh mesh;
    CHECK(pbdrMakeHeightfieldMesh(heights, count, count, spacing, pbdrVec(start, start, 0.0), NULL, &mesh,
                                  NULL) == pbdr_statusOk);
    free(heights);
    pbdrSurface surface = makeSurface(&mesh, sides, 0);
    pbdrMesh_Free(&mesh);
    return surface;
}

// --- Solids ---

// A box of twelve triangles has the distances of a box.
static void mesh_boxes__are_boxes(void)
{
    pbdrSurface mesh = makeMeshBox(0.1, 0.2, 0.3, 0), box = makeBox(0.1, 0.2, 0.3, 1);
    seedSurfaces(1);
    for (int i = 0; i < 20000; i++) {
        pbdrVec3 x = randomVec(0.45);
        for (int round = 0; round < 2; round++) {
            pbdrPlacedProbe probe = placePoint(x, round * 0.03);
            pbdrSurfaceHit hits[2], expected[2];
            CHECK_EQ(probeOnce(&mesh, &probe, hits), 1);
            CHECK_EQ(probeOnce(&box, &probe, expected), 1);
            CHECK_NEAR(hits[0].gap, expected[0].gap, 2.0e-16);
            CHECK_LE(pbdrLength(pbdrSub(hits[0].normal, expected[0].normal)), 1.0e-13);
            CHECK(isFiniteHit(&hits[0]));
        }
    }
    pbdrSurface_Free(&mesh);
    pbdrSurface_Free(&box);
}

// Against all triangles, the sign by the winding number. Half of the places are near a vertex.
static void checkSolid(pbdrMesh* mesh, double size)
{
    pbdrSurface surface = makeSurface(mesh, pbdr_meshSolid, 0);
    for (int i = 0; i < 3000; i++) {
        pbdrVec3 x = randomVec(size);
        if (i % 2 == 0) {
            x = pbdrAdd(mesh->vertices[(int)randomIn(0.0, mesh->vertexCount - 1.0e-9)],
                        randomVec(0.1 * size));
        }
        double nearest = (double)INFINITY;
        for (int t = 0; t < mesh->triangleCount; t++) {
            pbdrTriangle triangle;
            for (int k = 0; k < 3; k++) {
                triangle.corners[k] = mesh->vertices[mesh->triangles[t][k]];
            }
            nearest = fmin(nearest, pbdrLength(pbdrSub(x, pbdrGetNearestOnTriangle(&triangle, x))));
        }
        double sign = pbdrMesh_GetWindingNumber(mesh, x) > 0.5 ? -1.0 : 1.0;
        pbdrPlacedProbe probe = placePoint(x, 0.01);
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&surface, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, sign * nearest - 0.01, 1.0e-14);
        // where to look first makes it fast, not different
        int32_t features[2] = {PBDR_NO_FEATURE, (int32_t)randomIn(0.0, mesh->triangleCount - 1.0)};
        CHECK_EQ(pbdrSurface_Probe(&surface, &probe, features, hits), 1);
        CHECK_NEAR(hits[0].gap, sign * nearest - 0.01, 1.0e-14);
        // a sharp point sees planes: never more than the distance, and the same side
        probe = placePoint(x, 0.0);
        CHECK_EQ(probeOnce(&surface, &probe, hits), 1);
        CHECK_LE(fabs(hits[0].gap), nearest + surface.slack + 1.0e-14);
        CHECK(nearest < surface.slack || hits[0].gap * sign > 0.0);
    }
    pbdrSurface_Free(&surface);
    pbdrMesh_Free(mesh);
}

static void bumpy_balls__have_the_right_side(void)
{
    seedSurfaces(2);
    pbdrMesh mesh = makeBallMesh(0.2, 24, 14, 0.4);
    checkSolid(&mesh, 0.3);
}

// A spike: beyond its tip most of the facets there are seen from behind.
static void spikes__have_the_right_side(void)
{
    Soup soup = {0};
    const pbdrVec3 tip = {0.35, 0.02, 0.3},
                   feet[3] = {{-0.05, -0.05, -0.1}, {0.06, -0.04, -0.1}, {0.0, 0.07, -0.1}};
    for (int k = 0; k < 3; k++) {
        addTriangle(&soup, feet[k], feet[(k + 1) % 3], tip);
    }
    addTriangle(&soup, feet[0], feet[2], feet[1]);
    seedSurfaces(3);
    pbdrMesh mesh = makeMesh(&soup);
    checkSolid(&mesh, 0.4);
}

// An L, three blocks of 0.2: its inner edge is a valley, and at that edge's ends both kinds of edge meet.
static void angles__have_the_right_side(void)
{
    const double outline[6][2] = {{0.0, 0.0}, {0.4, 0.0}, {0.4, 0.2}, {0.2, 0.2}, {0.2, 0.4}, {0.0, 0.4}};
    const int lids[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {0, 4, 5}};
    seedSurfaces(4);
    for (int trial = 0; trial < 4; trial++) { // turned, so that the tree has its facets in another order
        Soup soup = {0};
        pbdrMat3 turn = trial == 0 ? noTurn() : randomMatrix();
        pbdrVec3 low[6], high[6];
        for (int k = 0; k < 6; k++) {
            low[k] = pbdrMulMV(&turn, pbdrVec(outline[k][0] - 0.2, outline[k][1] - 0.2, -0.1));
            high[k] = pbdrMulMV(&turn, pbdrVec(outline[k][0] - 0.2, outline[k][1] - 0.2, 0.1));
        }
        for (int k = 0; k < 6; k++) {
            addTriangle(&soup, low[k], low[(k + 1) % 6], high[(k + 1) % 6]);
            addTriangle(&soup, low[k], high[(k + 1) % 6], high[k]);
        }
        for (int t = 0; t < 4; t++) {
            addTriangle(&soup, low[lids[t][0]], low[lids[t][2]], low[lids[t][1]]);
            addTriangle(&soup, high[lids[t][0]], high[lids[t][1]], high[lids[t][2]]);
        }
        pbdrMesh mesh = makeMesh(&soup);
        checkSolid(&mesh, 0.3);
    }
}

static void equal_stacks__touch_by_their_faces(void)
{
    pbdrSurface mesh = makeMeshBox(0.1, 0.1, 0.1, 4096), box = makeBox(0.1, 0.1, 0.1, 3);
    const double noises[] = {0.0, 1.0e-17, 1.0e-16, 1.0e-14, 1.0e-12, 1.0e-9, 1.0e-7};
    seedSurfaces(3);
    for (int noise = 0; noise < 7; noise++) {
        for (int trial = 0; trial < 30; trial++) {
            const pbdrSurface* upper = trial % 3 == 0 ? &box : &mesh;
            const pbdrSurface* lower = trial % 3 == 1 ? &box : &mesh;
            double size = noises[noise], depth = trial % 2 == 0 ? 0.0 : 1.0e-6;
            pbdrVec3 shift = pbdrAdd(randomVec(size), pbdrVec(0.0, 0.0, 0.2 - depth));
            pbdrMat3 turn = pbdrMatFromQuat(pbdrQuatFromVector(randomVec(size)));
            collectHits(lower, upper, &turn, shift, 0.005, &list);
            int corners = 0;
            for (int i = 0; i < list.count; i++) {
                if (list.probes[i]->kind == pbdr_probePoint) {
                    CHECK_GE(list.hits[i].normal.z, 0.999999);
                    CHECK_NEAR(list.hits[i].gap, -depth, 3.0 * size + 1.0e-15);
                    corners += list.probes[i]->normalCount == 3;
                }
            }
            CHECK_EQ(corners, 4);
        }
    }
    pbdrSurface_Free(&mesh);
    pbdrSurface_Free(&box);
}

static void thin_walls__push_back_to_the_side_one_came_from(void)
{
    pbdrSurface plate = makeMeshBox(0.5, 0.5, 0.0005, 0);
    for (int side = -1; side <= 1; side += 2) {
        for (int round = 0; round < 2; round++) {
            int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
            const pbdrVec3 normals[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, -side}};
            for (int step = 0; step < 3; step++) {
                const double gaps[3] = {0.0001, -0.0019, -0.0008};
                pbdrPlacedProbe probe =
                    placePoint(pbdrVec(0.1 + 0.1 * step, 0.2, side * (0.0005 + round * 0.0002 + gaps[step])),
                               round * 0.0002);
                probe.reach = 0.003;
                probe.normals = normals;
                probe.normalCount = round == 0 ? 3 : 0;
                pbdrSurfaceHit hits[2];
                CHECK_EQ(pbdrSurface_Probe(&plate, &probe, features, hits), 1);
                CHECK_NEAR(hits[0].normal.z, side, 1.0e-12);
                CHECK_NEAR(hits[0].gap, gaps[step], 1.0e-12);
            }
        }
    }
    // out beyond by more than the wall is thick: on its own
    for (int facet = 0; facet < 12; facet++) {
        int32_t top[2] = {facet, PBDR_NO_FEATURE};
        pbdrPlacedProbe probe = placePoint(pbdrVec(0.1, 0.2, -0.0016), 0.0);
        probe.reach = 0.003;
        pbdrSurfaceHit hits[2];
        CHECK_EQ(pbdrSurface_Probe(&plate, &probe, top, hits), 1);
        CHECK_NEAR(hits[0].gap, 0.0011, 1.0e-15);
    }
    // beyond the reach the side is forgotten: whoever comes back from below is below
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    const double heights[3] = {0.001, 0.1, -0.001};
    const int counts[3] = {1, 0, 1};
    for (int step = 0; step < 3; step++) {
        pbdrPlacedProbe probe = placePoint(pbdrVec(0.1, 0.2, heights[step]), 0.0);
        probe.reach = 0.003;
        pbdrSurfaceHit hits[2];
        CHECK_EQ(pbdrSurface_Probe(&plate, &probe, features, hits), counts[step]);
        CHECK(counts[step] == 0 || fabs(hits[0].gap - 0.0005) < 1.0e-12);
    }
    pbdrSurface_Free(&plate);
}

static void open_meshes__are_no_solids(void)
{
    Soup soup = {0};
    addTriangle(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSurface surface;
    pbdrError error;
    CHECK(pbdrCreateMeshSurface(&mesh, NULL, NULL, &surface, &error) == pbdr_statusMeshOpen);
    CHECK(surface.probes == NULL && surface.mesh == NULL);
    pbdrMeshSurfaceDef def = pbdrDefaultMeshSurfaceDef();
    def.sides = pbdr_meshOneSided;
    def.thickness = -1.0;
    CHECK(pbdrCreateMeshSurface(&mesh, &def, NULL, &surface, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "-1");
    pbdrMesh_Free(&mesh);
}

// --- Terrain ---

static double getSlope(double x, double y)
{
    return 0.3 * x - 0.1 * y;
}

static double getHills(double x, double y)
{
    return 0.1 * sin(3.0 * x) * cos(2.0 * y);
}

static double getValley(double x, double y)
{
    (void)y;
    return fabs(x);
}

static void slopes__are_planes(void)
{
    pbdrSurface terrain = makeTerrain(getSlope, 11, 0.2, pbdr_meshOneSided);
    pbdrVec3 n = makeUnit(pbdrVec(-0.3, 0.1, 1.0));
    seedSurfaces(4);
    for (int i = 0; i < 5000; i++) {
        pbdrVec3 x = {randomIn(-0.7, 0.7), randomIn(-0.7, 0.7), 0.0};
        double height = randomIn(-0.2, 0.2);
        x.z = getSlope(x.x, x.y);
        pbdrPlacedProbe probe = placePoint(pbdrAddScaled(x, height, n), i % 2 == 0 ? 0.0 : 0.02);
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&terrain, &probe, hits), 1);
        CHECK_NEAR(hits[0].gap, height - probe.radius, 1.0e-14);
        CHECK_LE(pbdrLength(pbdrSub(hits[0].normal, n)), 1.0e-12);
        CHECK_EQ(hits[0].feature, 0); // one plane, one patch
    }
    pbdrSurface_Free(&terrain);
}

static void hills__hold_what_is_above(void)
{
    pbdrSurface terrain = makeTerrain(getHills, 41, 0.05, pbdr_meshOneSided);
    seedSurfaces(5);
    for (int i = 0; i < 5000; i++) {
        pbdrVec3 x = {randomIn(-0.9, 0.9), randomIn(-0.9, 0.9), 0.0};
        double above = randomIn(-0.05, 0.05);
        x.z = getHills(x.x, x.y) + above;
        pbdrPlacedProbe probe = placePoint(x, 0.0);
        pbdrSurfaceHit hits[2];
        CHECK_EQ(probeOnce(&terrain, &probe, hits), 1);
        // the facets are 0.05^2 / 8 * 0.9 = 0.3 mm off the hills, whose slope is at most 0.36
        CHECK_LE(fabs(hits[0].gap), fabs(above) + 4.0e-4);
        CHECK_GE(fabs(hits[0].gap), fabs(above) / sqrt(1.13) * 0.9 - 4.0e-4);
        CHECK(fabs(above) < 1.0e-3 || hits[0].gap * above > 0.0);
        CHECK_GE(hits[0].normal.z, 0.9);
    }
    pbdrSurface_Free(&terrain);
}

// A valley of 90 degrees: from above the nearer slope, from below the edge itself.
static void valleys__are_seen_from_both_sides(void)
{
    pbdrSurface terrain = makeTerrain(getValley, 5, 0.5, pbdr_meshOneSided);
    pbdrSurfaceHit hits[2];
    pbdrPlacedProbe probe = placePoint(pbdrVec(0.1, 0.2, 0.3), 0.0);
    CHECK_EQ(probeOnce(&terrain, &probe, hits), 1);
    CHECK_NEAR(hits[0].gap, 0.2 * sqrt(0.5), 1.0e-15);
    CHECK_NEAR(hits[0].normal.x, -sqrt(0.5), 1.0e-15);
    probe = placePoint(pbdrVec(0.03, 0.2, -0.04), 0.0);
    CHECK_EQ(probeOnce(&terrain, &probe, hits), 1);
    CHECK_NEAR(hits[0].gap, -0.05, 1.0e-15);
    CHECK_NEAR(hits[0].normal.z, 0.8, 1.0e-14);
    CHECK_NEAR(hits[0].normal.x, -0.6, 1.0e-14);
    pbdrSurface_Free(&terrain);
}

static double getFlat(double x, double y)
{
    (void)x;
    (void)y;
    return 0.0;
}

static void rims__end_the_ground(void)
{
    pbdrSurface ground = makeTerrain(getFlat, 3, 1.0, pbdr_meshOneSided); // -1 .. 1
    pbdrSurfaceHit hits[2];
    pbdrPlacedProbe probe = placePoint(pbdrVec(1.03, 0.2, -0.04), 0.0);
    CHECK_EQ(probeOnce(&ground, &probe, hits), 1);
    CHECK_NEAR(hits[0].gap, 0.05, 1.0e-15);
    probe = placePoint(pbdrVec(0.97, 0.2, -0.04), 0.0);
    CHECK_EQ(probeOnce(&ground, &probe, hits), 1);
    CHECK_NEAR(hits[0].gap, -0.04, 1.0e-15);
    probe = placePoint(pbdrVec(0.2, 0.2, -1.6), 0.0); // deeper than half the diagonal: free
    CHECK_EQ(probeOnce(&ground, &probe, hits), 0);
    probe = placePoint(pbdrVec(0.2, 0.2, 0.5), 0.0); // beyond the reach
    probe.reach = 0.1;
    CHECK_EQ(probeOnce(&ground, &probe, hits), 0);
    // a ball rolls over the rim without a jump
    double before = (double)NAN;
    for (int i = 0; i <= 2000; i++) {
        probe = placePoint(pbdrVec(0.9 + 0.0001 * i, 0.2, 0.05), 0.06);
        CHECK_EQ(probeOnce(&ground, &probe, hits), 1);
        if (i > 0) {
            CHECK_LE(fabs(hits[0].gap - before), 1.0e-4);
        }
        before = hits[0].gap;
    }
    pbdrSurface_Free(&ground);
}

static void sheets__keep_both_sides(void)
{
    pbdrSurface sheet = makeTerrain(getSlope, 5, 0.5, pbdr_meshTwoSided);
    pbdrVec3 n = makeUnit(pbdrVec(-0.3, 0.1, 1.0));
    for (int side = -1; side <= 1; side += 2) {
        int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
        for (int i = 0; i <= 40; i++) {
            double height = 0.01 - 0.001 * i; // through it, slowly
            pbdrVec3 x = {0.3, 0.1 - 0.002 * i, 0.0};
            x.z = getSlope(x.x, x.y);
            pbdrPlacedProbe probe = placePoint(pbdrAddScaled(x, side * height, n), i % 2 == 0 ? 0.0 : 0.001);
            pbdrSurfaceHit hits[2];
            CHECK_EQ(pbdrSurface_Probe(&sheet, &probe, features, hits), 1);
            CHECK_NEAR(hits[0].gap, height - probe.radius, 1.0e-14);
            CHECK_LE(pbdrLength(pbdrSub(hits[0].normal, pbdrScale(side, n))), 1.0e-9);
        }
    }
    pbdrSurface_Free(&sheet);
}

static void bad_heightfields__are_refused(void)
{
    double heights[4] = {0.0, 0.0, (double)NAN, 0.0};
    pbdrMesh mesh;
    pbdrError error;
    pbdrVec3 corner = {0.0, 0.0, 0.0};
    CHECK(pbdrMakeHeightfieldMesh(heights, 2, 2, 1.0, corner, NULL, &mesh, &error) ==
          pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "row 1, column 0");
    CHECK(pbdrMakeHeightfieldMesh(heights, 2, 1, 1.0, corner, NULL, &mesh, &error) ==
          pbdr_statusInvalidArgument);
    CHECK(pbdrMakeHeightfieldMesh(heights, 2, 2, 0.0, corner, NULL, &mesh, &error) ==
          pbdr_statusInvalidArgument);
    CHECK(mesh.vertices == NULL);
}

// --- Probes ---

static void probes__lie_on_the_mesh(void)
{
    pbdrSurface box = makeMeshBox(0.1, 0.2, 0.3, 4096);
    int corners = 0, edges = 0, faces = 0;
    for (int i = 0; i < box.probeCount; i++) {
        const pbdrProbe* probe = &box.probes[i];
        CHECK_EQ(probe->kind, pbdr_probePoint);
        CHECK_NEAR(fmax(fabs(probe->a.x) - 0.1, fmax(fabs(probe->a.y) - 0.2, fabs(probe->a.z) - 0.3)), 0.0,
                   1.0e-15);
        for (int k = 0; k < probe->normalCount; k++) {
            pbdrVec3 n = box.normals[probe->firstNormal + k];
            CHECK_NEAR(pbdrDot(n, probe->a), fabs(n.x) * 0.1 + fabs(n.y) * 0.2 + fabs(n.z) * 0.3, 1.0e-14);
        }
        corners += probe->normalCount == 3;
        edges += probe->normalCount == 2;
        faces += probe->normalCount == 1;
        CHECK_GE(probe->weight, 1.0 / 16.0);
        CHECK_LE(probe->weight, 1.0);
    }
    CHECK_EQ(corners, 8);
    // an edge has a point per spacing, extent / 20 = 37 mm
    CHECK_EQ(edges, 4 * 5 + 4 * 10 + 4 * 16);
    CHECK_GE(faces, 100);
    pbdrSurface_Free(&box);
}

static void probes__are_thinned_to_those_that_stand_out(void)
{
    Soup soup = {0};
    addBall(&soup, pbdrVec(0.0, 0.0, 0.0), 0.2, 60, 40, 0.0);
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSurface all = makeSurface(&mesh, pbdr_meshSolid, 100000),
                few = makeSurface(&mesh, pbdr_meshSolid, 300);
    CHECK_EQ(all.probeCount, mesh.vertexCount);
    CHECK_EQ(few.probeCount, 300);
    // the ball of 300 points still reaches as far, to a bunch's width: 0.2 * (1 - cos(0.12))
    pbdrVec3 n = makeUnit(pbdrVec(0.3, 0.5, -0.8));
    double support = 0.0;
    for (int i = 0; i < few.probeCount; i++) {
        support = fmax(support, pbdrDot(n, few.probes[i].a));
        CHECK(few.probes[i].normalCount >= 1 && few.probes[i].normalCount <= PBDR_PROBE_NORMALS);
    }
    CHECK_GE(support, 0.2 - 2.5e-3);
    CHECK_GE(pbdrSurface_GetByteCount(&all), pbdrSurface_GetByteCount(&few));
    CHECK_NEAR(all.radius, 0.2, 1.0e-12);
    pbdrSurface_Free(&all);
    pbdrSurface_Free(&few);
    pbdrMesh_Free(&mesh);
}

static void degenerate_input__gives_finite_hits(void)
{
    // a box one side of which has a facet without area: three corners on a line
    Soup soup = {0};
    addBox(&soup, pbdrVec(-0.1, -0.2, -0.3), pbdrVec(0.1, 0.2, 0.3));
    soup.count--; // {3, 7, 5}: split at the middle of one side, with a flat facet to fill
    pbdrVec3 a = {0.1, 0.2, -0.3}, b = {0.1, 0.2, 0.3}, c = {0.1, -0.2, 0.3}, m = {0.1, 0.2, 0.0};
    addTriangle(&soup, a, m, c);
    addTriangle(&soup, m, b, c);
    addTriangle(&soup, a, b, m);
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSurface surface = makeSurface(&mesh, pbdr_meshSolid, 100), box = makeBox(0.1, 0.2, 0.3, 1);
    const double values[] = {0.0,   -0.0,    0.1,      -0.1,     0.2,   0.3,
                             0.099, DBL_MIN, 4.9e-324, 1.0e-160, 1.0e3, 1.0e60};
    const int n = (int)(sizeof values / sizeof values[0]);
    seedSurfaces(6);
    for (int trial = 0; trial < 20000; trial++) {
        pbdrVec3 x = pbdrVec(values[(int)randomIn(0.0, n - 1.0e-9)], values[(int)randomIn(0.0, n - 1.0e-9)],
                             values[(int)randomIn(0.0, n - 1.0e-9)]);
        int32_t features[2] = {trial % 16 - 1, trial % 3 - 1};
        pbdrPlacedProbe probe = placePoint(x, trial % 2 == 0 ? 0.0 : 0.02);
        pbdrSurfaceHit hits[2], expected[2];
        int count = pbdrSurface_Probe(&surface, &probe, features, hits);
        CHECK(count == 0 || isFiniteHit(&hits[0]));
        if (pbdrLength(x) > 1.0e6) {
            continue; // out there rounding hides which facet is nearest
        }
        CHECK_EQ(count, 1);
        CHECK_EQ(probeOnce(&surface, &probe, hits), 1);
        probeOnce(&box, &probe, expected);
        CHECK_NEAR(hits[0].gap, expected[0].gap, 1.0e-15 + 1.0e-15 * fabs(expected[0].gap));
    }
    pbdrSurface_Free(&surface);
    pbdrSurface_Free(&box);
    pbdrMesh_Free(&mesh);
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"mesh_boxes__are_boxes", mesh_boxes__are_boxes},
        {"bumpy_balls__have_the_right_side", bumpy_balls__have_the_right_side},
        {"spikes__have_the_right_side", spikes__have_the_right_side},
        {"angles__have_the_right_side", angles__have_the_right_side},
        {"equal_stacks__touch_by_their_faces", equal_stacks__touch_by_their_faces},
        {"thin_walls__push_back_to_the_side_one_came_from", thin_walls__push_back_to_the_side_one_came_from},
        {"open_meshes__are_no_solids", open_meshes__are_no_solids},
        {"slopes__are_planes", slopes__are_planes}, {"hills__hold_what_is_above", hills__hold_what_is_above},
        {"valleys__are_seen_from_both_sides", valleys__are_seen_from_both_sides},
        {"rims__end_the_ground", rims__end_the_ground}, {"sheets__keep_both_sides", sheets__keep_both_sides},
        {"bad_heightfields__are_refused", bad_heightfields__are_refused},
        {"probes__lie_on_the_mesh", probes__lie_on_the_mesh},
        {"probes__are_thinned_to_those_that_stand_out", probes__are_thinned_to_those_that_stand_out},
        {"degenerate_input__gives_finite_hits", degenerate_input__gives_finite_hits});
}
