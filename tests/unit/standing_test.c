// Convex hulls, and on which of their facets a body stands.
#include "ledger.h"
#include "meshes.h"

// A rotation about an axis of any length by its length, for bodies that lie askew.
static pbdrMat3 makeTurn(double x, double y, double z)
{
    return pbdrMatFromQuat(pbdrQuatFromVector(pbdrVec(x, y, z)));
}

static void turnMesh(pbdrMesh* mesh, const pbdrMat3* turn)
{
    for (int i = 0; i < mesh->vertexCount; i++) {
        mesh->vertices[i] = pbdrMulMV(turn, mesh->vertices[i]);
    }
}

static pbdrHull makeHull(const pbdrVec3* points, int count)
{
    pbdrHull hull;
    pbdrError error = {0};
    CHECK_EQ(pbdrCreateHull(points, count, PBDR_HULL_FLATNESS, NULL, &hull, &error), pbdr_statusOk);
    return hull;
}

// Closed (Euler's formula V - E + F = 2 with E = 3/2 F, and every edge twice), and no point over any
// triangle's plane by more than the grid's 2e-6 of the extent. Slivers narrower than the grid have no plane
// to speak of: their normals are of length area, so the bound is on height times area there.
static void checkHull(const pbdrHull* hull, const pbdrVec3* points, int count, double extent)
{
    CHECK_EQ(2 * hull->vertexCount - hull->triangleCount, 4);
    pbdrMesh mesh;
    pbdrMeshReport report;
    CHECK_EQ(pbdrCreateMesh(hull->vertices, hull->vertexCount, (const int32_t(*)[3])hull->triangles,
                            hull->triangleCount, NULL, &mesh, &report, NULL),
             pbdr_statusOk);
    CHECK(!report.inverted);
    CHECK_EQ(pbdrMesh_Check(&mesh, NULL, NULL), pbdr_statusOk);
    pbdrMesh_Free(&mesh);
    double worst = 0.0;
    for (int t = 0; t < hull->triangleCount; t++) {
        const int32_t* c = hull->triangles[t];
        pbdrVec3 a = hull->vertices[c[0]];
        pbdrVec3 u = pbdrSub(hull->vertices[c[1]], a), v = pbdrSub(hull->vertices[c[2]], a);
        pbdrVec3 n = pbdrCross(u, v);
        double longest = fmax(pbdrLength(u), fmax(pbdrLength(v), pbdrLength(pbdrSub(u, v))));
        // moving the corners by a cell moves the plane by that, but far from a narrow triangle by more
        double narrow = pbdrLength(n) / (longest * extent), scale = fmin(1.0, narrow) / pbdrLength(n);
        for (int i = 0; i < count && pbdrLength(n) > 0.0; i++) {
            worst = fmax(worst, scale * pbdrDot(n, pbdrSub(points[i], a)));
        }
    }
    CHECK_LE(worst, 4.0e-6 * extent);
}

static void hull__of_a_cube_has_six_square_facets(void)
{
    // 27 points: corners, edges' middles, faces' middles and the centre, each of them twice
    pbdrVec3 points[54];
    for (int i = 0; i < 54; i++) {
        int k = i % 27;
        points[i] = pbdrVec(k % 3 - 1.0, k / 3 % 3 - 1.0, k / 9 - 1.0);
    }
    pbdrHull hull = makeHull(points, 54);
    checkHull(&hull, points, 54, 2.0);
    CHECK_EQ(hull.facetCount, 6);
    for (int k = 0; k < hull.facetCount; k++) {
        pbdrVec3 n = hull.facetNormals[k];
        CHECK_NEAR(hull.facetAreas[k], 4.0, 1.0e-12);
        CHECK_NEAR(fmax(fabs(n.x), fmax(fabs(n.y), fabs(n.z))), 1.0, 1.0e-15);
    }
    pbdrHull_Free(&hull);
}

static void hull__of_a_turned_cube_with_gridded_faces_has_six_facets(void)
{
    // rounding lifts points of a face over it: the facets look over that
    enum { n = 12, count = (n + 1) * (n + 1) * (n + 1) };
    static pbdrVec3 points[count];
    for (int k = 0; k < 20; k++) {
        pbdrMat3 turn = makeTurn(0.3 + k, 0.7 * k - 2.0, 1.1);
        for (int i = 0; i < count; i++) {
            pbdrVec3 p = pbdrVec(i % (n + 1), i / (n + 1) % (n + 1), (double)(i / (n + 1) / (n + 1)));
            points[i] = pbdrMulMV(&turn, pbdrScale(0.1 / n, p));
        }
        pbdrHull hull = makeHull(points, count);
        checkHull(&hull, points, count, 0.1);
        int large = 0;
        for (int f = 0; f < hull.facetCount; f++) {
            large += fabs(hull.facetAreas[f] - 0.01) < 1.0e-6;
            CHECK(fabs(hull.facetAreas[f] - 0.01) < 1.0e-6 || hull.facetAreas[f] < 1.0e-6);
        }
        CHECK_EQ(large, 6);
        pbdrHull_Free(&hull);
    }
}

static void hull__contains_random_points(void)
{
    enum { count = 2000 };
    static pbdrVec3 points[count];
    uint64_t random = 7;
    for (int round = 0; round < 30; round++) {
        double flat = round % 3 == 0 ? 1.0 : round % 3 == 1 ? 1.0e-3 : 5.0e-6; // down to some cells' height
        int n = round < 3 ? 4 + round : count;
        for (int i = 0; i < n; i++) {
            points[i] =
                pbdrVec(pbdrNextUniform(&random), pbdrNextUniform(&random), flat * pbdrNextUniform(&random));
            if (round % 5 == 4) { // on a sphere: all are corners
                points[i] = pbdrSub(points[i], pbdrVec(0.5, 0.5, 0.5 * flat));
                points[i].z /= flat;
                points[i] = pbdrScale(0.5 / pbdrLength(points[i]), points[i]);
            }
        }
        pbdrHull hull = makeHull(points, n);
        checkHull(&hull, points, n, 1.0);
        pbdrHull_Free(&hull);
    }
}

static void hull__of_a_tetrahedron_has_four_facets(void)
{
    const pbdrVec3 points[] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    pbdrHull hull = makeHull(points, 4);
    checkHull(&hull, points, 4, 1.0);
    CHECK_EQ(hull.facetCount, 4);
    pbdrHull_Free(&hull);
}

static void hull__of_many_points_is_quick(void)
{
    // 35,000 corners: seconds would be a search that is quadratic
    enum { count = 35000 };
    pbdrVec3* points = malloc(count * sizeof *points);
    uint64_t random = 1;
    for (int i = 0; i < count; i++) {
        double z = 2.0 * pbdrNextUniform(&random) - 1.0, a = 2.0 * PBDR_PI * pbdrNextUniform(&random);
        points[i] = pbdrVec(sqrt(1.0 - z * z) * cos(a), sqrt(1.0 - z * z) * sin(a), z);
    }
    pbdrHull hull = makeHull(points, count);
    CHECK_EQ(2 * hull.vertexCount - hull.triangleCount, 4);
    CHECK_GE(hull.vertexCount, count - 100);
    pbdrHull_Free(&hull);
    free(points);
}

static void hull__refuses_what_has_none(void)
{
    pbdrHull hull;
    pbdrError error;
    pbdrVec3 flat[30], same[5] = {{1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}, {1.0, 2.0, 3.0}};
    same[4] = same[0];
    for (int i = 0; i < 30; i++) {
        flat[i] = pbdrVec(i % 6, (double)(i / 6), 0.5 * (i % 6));
    }
    CHECK_EQ(pbdrCreateHull(flat, 30, 0.0, NULL, &hull, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "in a plane");
    for (int i = 0; i < 30; i++) {
        flat[i] = pbdrVec(i, 2.0 * i, 3.0 * i);
    }
    CHECK_EQ(pbdrCreateHull(flat, 30, 0.0, NULL, &hull, &error), pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrCreateHull(same, 5, 0.0, NULL, &hull, &error), pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrCreateHull(flat, 3, 0.0, NULL, &hull, &error), pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrCreateHull(flat, 30, (double)NAN, NULL, &hull, &error), pbdr_statusInvalidArgument);
    flat[7].y = (double)NAN;
    CHECK_EQ(pbdrCreateHull(flat, 30, 0.0, NULL, &hull, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "point 7");
    CHECK(hull.vertices == NULL && hull.vertexCount == 0);
}

static void hull__gives_back_its_memory(void)
{
    const pbdrVec3 points[] = {
        {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.9, 0.9, 0.9}};
    Ledger ledger = {0};
    pbdrHooks hooks = makeHooks(&ledger);
    pbdrHull hull;
    CHECK_EQ(pbdrCreateHull(points, 5, 0.0, &hooks, &hull, NULL), pbdr_statusOk);
    CHECK_GE(ledger.bytes, 1);
    pbdrHull_Free(&hull);
    CHECK_EQ(ledger.bytes, 0);
    for (int k = 1, count = ledger.allocations; k <= count; k++) {
        ledger = (Ledger){.failAt = k};
        CHECK_EQ(pbdrCreateHull(points, 5, 0.0, &hooks, &hull, NULL), pbdr_statusNoMemory);
        CHECK_EQ(ledger.bytes, 0);
    }
}

// --- Standing ---

static pbdrStanding stand(pbdrMesh* mesh)
{
    pbdrStanding standing;
    pbdrError error = {0};
    pbdrStatus status = pbdrMesh_Stand(mesh, &standing, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    CHECK_NEAR(lower.z, 0.0, 0.0);
    CHECK_NEAR(upper.z, standing.height, 1.0e-12);
    return standing;
}

static void standing__leaves_an_upright_box_as_it_is(void)
{
    pbdrMesh box = makeBoxMesh(pbdrVec(1.0, 2.0, 3.0), pbdrVec(1.5, 2.25, 4.0));
    pbdrStanding standing = stand(&box);
    CHECK_EQ(standing.stableCount, 6);
    CHECK_NEAR(standing.turn, 0.0, 1.0e-15);
    CHECK_NEAR(standing.rotation.w, 1.0, 1.0e-15);
    CHECK_NEAR(standing.height, 1.0, 1.0e-12);
    CHECK_NEAR(standing.centreHeight, 0.5, 1.0e-12);
    CHECK_NEAR(standing.baseArea, 0.125, 1.0e-12);
    CHECK_NEAR(standing.margin, 0.125, 1.0e-12);
    CHECK_NEAR(standing.slope, atan(0.25), 1.0e-12);
    CHECK_NEAR(standing.nextTurn, 0.5 * PBDR_PI, 1.0e-12);
    CHECK(!standing.rolls);
    pbdrMesh_Free(&box);
}

static void standing__sets_a_turned_cube_on_its_lowest_face(void)
{
    for (int k = 0; k < 50; k++) {
        pbdrMesh cube = makeBoxMesh(pbdrVec(-0.1, -0.1, -0.1), pbdrVec(0.1, 0.1, 0.1));
        pbdrMat3 turn = makeTurn(0.37 * k, 2.0 - 0.11 * k, 0.5 + 0.05 * k);
        turnMesh(&cube, &turn);
        // the face nearest to down: the turned axis with the largest vertical part
        double vertical = fmax(fabs(turn.m[2][0]), fmax(fabs(turn.m[2][1]), fabs(turn.m[2][2])));
        pbdrStanding standing = stand(&cube);
        CHECK_NEAR(cos(standing.turn), vertical, 1.0e-12);
        CHECK_NEAR(standing.height, 0.2, 1.0e-12);
        CHECK_NEAR(standing.margin, 0.1, 1.0e-12);
        for (int i = 0; i < 8; i++) { // all at the floor or at the top
            CHECK_LE(fmin(cube.vertices[i].z, 0.2 - cube.vertices[i].z), 1.0e-12);
        }
        pbdrMesh_Free(&cube);
    }
}

static void standing__is_on_the_facet_nearest_z_not_the_largest(void)
{
    pbdrMesh tower = makeBoxMesh(pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.02, 0.02, 0.2));
    pbdrMat3 turn = makeTurn(0.4, 0.5, 0.0); // 0.64 rad
    turnMesh(&tower, &turn);
    pbdrStanding standing = stand(&tower);
    CHECK_NEAR(standing.turn, hypot(0.4, 0.5), 1.0e-12);
    CHECK_NEAR(standing.height, 0.2, 1.0e-12);
    CHECK(!standing.rolls); // slope 5.7 degrees, but it topples by 90
    CHECK_NEAR(standing.slope, atan(0.1), 1.0e-12);
    pbdrMesh_Free(&tower);
}

static void standing__avoids_facets_that_do_not_hold(void)
{
    // a prism that leans over: the centre of mass is beyond the base
    const pbdrVec3 base[3] = {{0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}, {0.0, 0.1, 0.0}};
    const pbdrVec3 lean = {0.3, 0.0, 0.2};
    Soup soup = {0};
    addTriangle(&soup, base[0], base[2], base[1]);
    addTriangle(&soup, pbdrAdd(base[0], lean), pbdrAdd(base[1], lean), pbdrAdd(base[2], lean));
    for (int k = 0; k < 3; k++) {
        pbdrVec3 a = base[k], b = base[(k + 1) % 3];
        addTriangle(&soup, a, b, pbdrAdd(b, lean));
        addTriangle(&soup, a, pbdrAdd(b, lean), pbdrAdd(a, lean));
    }
    pbdrMesh prism = makeMesh(&soup);
    pbdrMassProperties properties;
    pbdrStanding standing = stand(&prism);
    CHECK_GE(standing.turn, 0.1);
    CHECK_EQ(pbdrMesh_GetMassProperties(&prism, 1.0, &properties, NULL), pbdr_statusOk);
    CHECK_NEAR(properties.centre.z, standing.centreHeight, 1.0e-12);
    CHECK_GE(standing.margin, 0.01);
    pbdrMesh_Free(&prism);
}

static void standing__names_what_rolls(void)
{
    pbdrMesh ball = makeBallMesh(0.1, 60, 30, 0.0);
    CHECK(stand(&ball).rolls);
    pbdrMesh_Free(&ball);
    for (int sides = 3; sides <= 60; sides++) {
        // a prism with its axis along x lies on a side; margin / height is tan(pi / sides)
        Soup soup = {0};
        for (int i = 0; i < sides; i++) {
            double a = 2.0 * PBDR_PI * i / sides, b = 2.0 * PBDR_PI * ((i + 1) % sides) / sides;
            pbdrVec3 p = pbdrVec(0.0, cos(a), sin(a)), q = pbdrVec(0.0, cos(b), sin(b));
            pbdrVec3 x = pbdrVec(8.0, 0.0, 0.0), end = pbdrVec(0.0, 0.0, 0.0);
            addTriangle(&soup, p, q, pbdrAdd(q, x));
            addTriangle(&soup, p, pbdrAdd(q, x), pbdrAdd(p, x));
            addTriangle(&soup, end, q, p);
            addTriangle(&soup, x, pbdrAdd(p, x), pbdrAdd(q, x));
        }
        pbdrMesh lying = makeMesh(&soup);
        pbdrMat3 askew = makeTurn(0.01, 0.02, 0.03);
        turnMesh(&lying, &askew);
        pbdrStanding standing = stand(&lying);
        if (sides != 18) {
            CHECK_EQ(standing.rolls, sides > 18);
        }
        if (sides < 18) { // beyond, neighbours begin to be near the floor
            CHECK_NEAR(standing.slope, PBDR_PI / sides, 1.0e-9);
            CHECK_NEAR(standing.nextTurn, 2.0 * PBDR_PI / sides, 1.0e-9);
        }
        pbdrMesh_Free(&lying);
    }
}

static void standing__of_an_open_mesh_is_refused(void)
{
    pbdrMesh ball = makeBallMesh(0.1, 30, 15, 0.0);
    pbdrMesh open = cutHole(&ball, pbdrVec(0.0, 0.0, 0.1), 0.12);
    pbdrStanding standing;
    pbdrError error;
    CHECK_EQ(pbdrMesh_FindStanding(&open, &standing, &error), pbdr_statusMeshOpen);
    pbdrMesh_Free(&open);
    pbdrMesh_Free(&ball);
}

static void extent__is_scaled_alike_along_all_axes(void)
{
    pbdrMesh box = makeBoxMesh(pbdrVec(1.0, 2.0, 3.0), pbdrVec(2.0, 6.0, 5.0));
    pbdrVec3 lower, upper;
    pbdrError error;
    CHECK_EQ(pbdrMesh_FitExtent(&box, 0.2, NULL), pbdr_statusOk);
    pbdrMesh_GetBounds(&box, &lower, &upper);
    CHECK_NEAR(pbdrLength(lower), 0.0, 0.0);
    CHECK_NEAR(pbdrLength(pbdrSub(upper, pbdrVec(0.05, 0.2, 0.1))), 0.0, 1.0e-16);
    CHECK_EQ(pbdrMesh_FitExtent(&box, -1.0, &error), pbdr_statusInvalidArgument);
    pbdrMesh_Free(&box);
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }

int main(int argc, char** argv)
{
    CASES(argc, argv, CASE(hull__of_a_cube_has_six_square_facets),
          CASE(hull__of_a_turned_cube_with_gridded_faces_has_six_facets), CASE(hull__contains_random_points),
          CASE(hull__of_a_tetrahedron_has_four_facets), CASE(hull__of_many_points_is_quick),
          CASE(hull__refuses_what_has_none), CASE(hull__gives_back_its_memory),
          CASE(standing__leaves_an_upright_box_as_it_is),
          CASE(standing__sets_a_turned_cube_on_its_lowest_face),
          CASE(standing__is_on_the_facet_nearest_z_not_the_largest),
          CASE(standing__avoids_facets_that_do_not_hold), CASE(standing__names_what_rolls),
          CASE(standing__of_an_open_mesh_is_refused), CASE(extent__is_scaled_alike_along_all_axes));
}
