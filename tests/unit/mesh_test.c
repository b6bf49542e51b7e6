// Triangle meshes: making, checking, mass properties, winding number, packing.
#include "check.h"
#include "ledger.h"
#include "math/vec.h"
#include "pbdr/geometry.h"

#include <float.h>

static bool isEmpty(const pbdrMesh* mesh)
{
    return mesh->vertexCount == 0 && mesh->triangleCount == 0 && mesh->vertices == NULL &&
           mesh->triangles == NULL;
}

// Fixed pseudo-random numbers in (0, 1).
static double nextRandom(uint64_t* state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(*state >> 11) + 0.5) * 0x1p-53;
}

// --- Shapes ---

// Facing outwards.
static const int32_t boxTriangles[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                            {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};

static void fillBox(pbdrVec3 lower, pbdrVec3 upper, pbdrVec3 vertices[8])
{
    for (int i = 0; i < 8; i++) {
        vertices[i] = pbdrVec((i & 1) != 0 ? upper.x : lower.x, (i & 2) != 0 ? upper.y : lower.y,
                              (i & 4) != 0 ? upper.z : lower.z);
    }
}

static pbdrMesh makeBox(pbdrVec3 lower, pbdrVec3 upper)
{
    pbdrVec3 vertices[8];
    pbdrMesh mesh;
    fillBox(lower, upper, vertices);
    CHECK_EQ(pbdrCreateMesh(vertices, 8, boxTriangles, 12, NULL, &mesh, NULL, NULL), pbdr_statusOk);
    return mesh;
}

// A surface over (i/n, k/m), closed in both directions by joining equal corners: a sphere (two poles) or a
// torus.
typedef pbdrVec3 Surface(int i, int n, int k, int m);

static pbdrVec3 onSphere(int i, int n, int k, int m)
{
    // exact at the seams: the poles and the first meridian are the same corners each time
    double around = 2.0 * acos(-1.0) * (i % n) / n, down = acos(-1.0) * k / m;
    double s = k == 0 || k == m ? 0.0 : sin(down);
    return pbdrVec(s * cos(around), s * sin(around), cos(down));
}

static pbdrVec3 onTorus(int i, int n, int k, int m)
{
    double around = 2.0 * acos(-1.0) * (i % n) / n, about = 2.0 * acos(-1.0) * (k % m) / m;
    double reach = 1.0 + 0.4 * sin(about);
    return pbdrVec(reach * cos(around), reach * sin(around), 0.4 * cos(about));
}

static pbdrMesh makeSurface(Surface* surface, int n, int m, const pbdrHooks* hooks)
{
    int count = 6 * n * m, corner = 0;
    pbdrVec3* vertices = calloc((size_t)count, sizeof *vertices);
    int32_t(*triangles)[3] = calloc((size_t)(count / 3), sizeof *triangles);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            pbdrVec3 a = surface(i, n, k, m), b = surface(i + 1, n, k, m);
            pbdrVec3 c = surface(i + 1, n, k + 1, m), d = surface(i, n, k + 1, m);
            const pbdrVec3 corners[6] = {a, d, c, a, c, b};
            for (int j = 0; j < 6; j++, corner++) {
                vertices[corner] = corners[j];
                triangles[corner / 3][corner % 3] = corner;
            }
        }
    }
    pbdrMesh mesh;
    pbdrError error = {0};
    pbdrStatus status = pbdrCreateMesh(vertices, count, (const int32_t(*)[3])triangles, count / 3, hooks,
                                       &mesh, NULL, &error);
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_EQ(pbdrMesh_Check(&mesh, NULL, NULL), pbdr_statusOk);
    free(vertices);
    free(triangles);
    return mesh;
}

// --- Mass properties ---

static void checkTensor(const pbdrMat3* value, const pbdrMat3* expected, double tolerance)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(value->m[i][j], expected->m[i][j], tolerance);
        }
    }
}

static pbdrMat3 makeBoxInertia(double mass, double a, double b, double c)
{
    return (pbdrMat3){{{mass / 12.0 * (b * b + c * c), 0.0, 0.0},
                       {0.0, mass / 12.0 * (a * a + c * c), 0.0},
                       {0.0, 0.0, mass / 12.0 * (a * a + b * b)}}};
}

// Roundings of one mesh integral over its value, a dozen per triangle of a box, none of which cancels by
// much.
#define BOX_ROUNDING (12 * 12 * DBL_EPSILON)

static void mesh__box_inertia_is_exact(void)
{
    // I_xx = M (b^2 + c^2) / 12
    double mass = 7.0, a = 0.3, b = 0.5, c = 1.1;
    pbdrMesh mesh = makeBox(pbdrVec(-0.1, 0.2, 0.3), pbdrVec(a - 0.1, b + 0.2, c + 0.3));
    pbdrMassProperties p;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, mass, &p, NULL), pbdr_statusOk);
    pbdrMat3 expected = makeBoxInertia(mass, a, b, c);
    CHECK_EQ(p.mass, mass);
    CHECK_NEAR(p.volume, a * b * c, BOX_ROUNDING * a * b * c);
    CHECK_NEAR(p.centre.x, 0.5 * a - 0.1, BOX_ROUNDING);
    CHECK_NEAR(p.centre.y, 0.5 * b + 0.2, BOX_ROUNDING);
    CHECK_NEAR(p.centre.z, 0.5 * c + 0.3, BOX_ROUNDING);
    checkTensor(&p.inertia, &expected, BOX_ROUNDING * expected.m[0][0]);
    pbdrMesh_Free(&mesh);
    CHECK(isEmpty(&mesh));
}

static void mesh__tetrahedron_inertia_is_exact(void)
{
    // Corner tetrahedron of unit legs: mean of x^2 = 1/10, of x y = 1/20, of x = 1/4, so the covariances are
    // 3/80 and -1/80: I = M/80 [6 1 1; 1 6 1; 1 1 6].
    const pbdrVec3 vertices[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const int32_t triangles[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};
    pbdrMesh mesh;
    CHECK_EQ(pbdrCreateMesh(vertices, 4, triangles, 4, NULL, &mesh, NULL, NULL), pbdr_statusOk);
    pbdrMassProperties p;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 80.0, &p, NULL), pbdr_statusOk);
    pbdrMat3 expected = {{{6, 1, 1}, {1, 6, 1}, {1, 1, 6}}};
    CHECK_NEAR(p.volume, 1.0 / 6.0, BOX_ROUNDING);
    CHECK_NEAR(pbdrLength(pbdrSub(p.centre, pbdrVec(0.25, 0.25, 0.25))), 0.0, BOX_ROUNDING);
    checkTensor(&p.inertia, &expected, 6.0 * BOX_ROUNDING);
    pbdrMesh_Free(&mesh);
}

static void mesh__inertia_turns_and_shifts_with_the_mesh(void)
{
    // I' = R I R^T about the centre R c + t. Coordinates of size |t| carry roundings of |t| eps, against
    // sides of 0.3.
    double mass = 2.0;
    pbdrMesh mesh = makeBox(pbdrVec(0, 0, 0), pbdrVec(0.3, 0.5, 1.1));
    pbdrMat3 r = pbdrMatFromQuat(pbdrNormalizeQ((pbdrQuat){0.3, -0.5, 0.7, 0.2}));
    pbdrVec3 t = {10.0, -20.0, 5.0};
    for (int i = 0; i < mesh.vertexCount; i++) {
        mesh.vertices[i] = pbdrAdd(pbdrMulMV(&r, mesh.vertices[i]), t);
    }
    pbdrMassProperties p;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, mass, &p, NULL), pbdr_statusOk);
    pbdrMat3 box = makeBoxInertia(mass, 0.3, 0.5, 1.1), expected = pbdrTurnTensor(&r, &box);
    pbdrVec3 centre = pbdrAdd(pbdrMulMV(&r, pbdrVec(0.15, 0.25, 0.55)), t);
    double rounding = 20.0 * DBL_EPSILON / 0.3; // relative, of each coordinate
    CHECK_NEAR(p.volume, 0.3 * 0.5 * 1.1, 10 * rounding * 0.165);
    CHECK_NEAR(pbdrLength(pbdrSub(p.centre, centre)), 0.0, 10 * rounding);
    checkTensor(&p.inertia, &expected, 10 * rounding * box.m[0][0]);
    pbdrMesh_Free(&mesh);
}

static void mesh__inertia_is_right_at_any_scale(void)
{
    // The fifth power of 1e-70 m is no double; the inertia is. Volumes under 1e-308 m^3 come out as 0, so
    // none are asked.
    for (int power = -70; power <= 60; power += 26) {
        double scale = pow(10.0, power);
        pbdrMesh mesh = makeBox(pbdrVec(0, 0, 0), pbdrVec(3 * scale, 4 * scale, 5 * scale));
        pbdrMassProperties p;
        CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 12.0, &p, NULL), pbdr_statusOk);
        CHECK_NEAR(p.inertia.m[0][0] / (scale * scale), 41.0, BOX_ROUNDING * 41.0);
        CHECK_NEAR(p.inertia.m[2][2] / (scale * scale), 25.0, BOX_ROUNDING * 25.0);
        pbdrMesh_Free(&mesh);
    }
}

static void mesh__sphere_converges_with_the_square_of_the_step(void)
{
    // Flat facets of size h cut O(h^2) off a sphere: halving h divides the errors of volume (4/3 pi) and
    // inertia (2/5 M) by 4, up to the next term, O(h^2) of that.
    double lastVolume = 0.0, lastInertia = 0.0;
    for (int n = 16; n <= 128; n *= 2) {
        pbdrMesh mesh = makeSurface(onSphere, n, n / 2, NULL);
        CHECK_EQ(mesh.vertexCount, n * (n / 2 - 1) + 2);
        CHECK_EQ(mesh.triangleCount, 2 * n * (n / 2 - 1)); // without those that the poles make degenerate
        pbdrMassProperties p;
        CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 1.0, &p, NULL), pbdr_statusOk);
        double volumeError = 4.0 / 3.0 * acos(-1.0) - p.volume, inertiaError = 0.4 - p.inertia.m[2][2];
        double h = 2.0 * acos(-1.0) / n;
        CHECK_GE(volumeError, 0.0);
        CHECK_LE(volumeError, 2.0 * h * h);
        if (lastVolume != 0.0) {
            CHECK_NEAR(lastVolume / volumeError, 4.0, 4.0 * h * h);
            CHECK_NEAR(lastInertia / inertiaError, 4.0, 4.0 * h * h);
        }
        lastVolume = volumeError;
        lastInertia = inertiaError;
        pbdrMesh_Free(&mesh);
    }
}

// --- Making and checking ---

static void mesh__joins_equal_corners_and_drops_unused_ones(void)
{
    // A box as a soup of 36 corners, one of them with -0 for 0, and a stray vertex that would stretch the
    // bounds.
    pbdrVec3 box[8], soup[37];
    int32_t triangles[12][3];
    fillBox(pbdrVec(0, 0, 0), pbdrVec(1, 2, 3), box);
    for (int i = 0; i < 36; i++) {
        soup[i + 1] = box[boxTriangles[i / 3][i % 3]];
        triangles[i / 3][i % 3] = i + 1;
    }
    soup[0] = pbdrVec(100, 100, 100);
    soup[1] = pbdrVec(-0.0, 0.0, -0.0);
    pbdrMesh mesh;
    pbdrMeshReport report;
    pbdrStatus status =
        pbdrCreateMesh(soup, 37, (const int32_t(*)[3])triangles, 12, NULL, &mesh, &report, NULL);
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_EQ(mesh.vertexCount, 8);
    CHECK_EQ(mesh.triangleCount, 12);
    CHECK_EQ(report.openEdges + report.clashingEdges + report.crowdedEdges + report.degenerateTriangles, 0);
    CHECK(!report.inverted);
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(&mesh, &lower, &upper);
    CHECK(lower.x == 0.0 && lower.y == 0.0 && lower.z == 0.0 && upper.x == 1.0 && upper.y == 2.0 &&
          upper.z == 3.0);
    pbdrMesh_Free(&mesh);
}

static void mesh__degenerate_triangles_are_dropped_and_counted(void)
{
    // An edge of a box split by a triangle of no width, whose two corners at the same place are two vertices.
    pbdrVec3 vertices[9];
    int32_t triangles[14][3];
    fillBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1), vertices);
    vertices[8] = vertices[3];
    memcpy(triangles, boxTriangles, sizeof boxTriangles);
    memcpy(triangles[12], (int32_t[3]){3, 8, 1}, sizeof triangles[12]);
    memcpy(triangles[13], (int32_t[3]){5, 5, 6}, sizeof triangles[13]);
    pbdrMesh mesh;
    pbdrMeshReport report;
    pbdrStatus status =
        pbdrCreateMesh(vertices, 9, (const int32_t(*)[3])triangles, 14, NULL, &mesh, &report, NULL);
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_EQ(report.degenerateTriangles, 2);
    CHECK_EQ(mesh.triangleCount, 12);
    CHECK_EQ(mesh.vertexCount, 8);
    CHECK_EQ(pbdrMesh_Check(&mesh, &report, NULL), pbdr_statusOk);
    pbdrMesh_Free(&mesh);
}

static void mesh__inverted_mesh_is_turned(void)
{
    pbdrVec3 vertices[8];
    int32_t triangles[12][3];
    fillBox(pbdrVec(5, 5, 5), pbdrVec(6, 6, 6), vertices);
    for (int t = 0; t < 12; t++) {
        memcpy(triangles[t], (int32_t[3]){boxTriangles[t][1], boxTriangles[t][0], boxTriangles[t][2]}, 12);
    }
    pbdrMesh mesh;
    pbdrMeshReport report;
    pbdrError error;
    pbdrStatus status =
        pbdrCreateMesh(vertices, 8, (const int32_t(*)[3])triangles, 12, NULL, &mesh, &report, NULL);
    CHECK_EQ(status, pbdr_statusOk);
    CHECK(report.inverted);
    CHECK_EQ(pbdrMesh_Check(&mesh, &report, NULL), pbdr_statusOk);
    CHECK(!report.inverted);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(5.5, 5.5, 5.5)), 1.0, 1.0e-14);
    // Turned by hand afterwards, it is refused.
    memcpy(mesh.triangles, triangles, sizeof triangles);
    for (int i = 0; i < 8; i++) {
        mesh.vertices[i] = vertices[i];
    }
    CHECK_EQ(pbdrMesh_Check(&mesh, &report, &error), pbdr_statusMeshBroken);
    CHECK(report.inverted);
    CHECK_TEXT(error.message, "faces inwards, its volume is -1 m^3");
    pbdrMesh_Free(&mesh);
}

// Makes a mesh of the given triangles on the corners of a unit cube, which has to succeed, and checks it,
// which has not.
static void checkBroken(const int32_t (*triangles)[3], int count, pbdrStatus expected, int open, int clashing,
                        int crowded, const char* text)
{
    pbdrVec3 vertices[8];
    fillBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1), vertices);
    pbdrMesh mesh;
    pbdrMeshReport report;
    pbdrError error;
    CHECK_EQ(pbdrCreateMesh(vertices, 8, triangles, count, NULL, &mesh, &report, NULL), pbdr_statusOk);
    CHECK_EQ(report.openEdges, open);
    CHECK_EQ(report.clashingEdges, clashing);
    CHECK_EQ(report.crowdedEdges, crowded);
    memset(&report, 0xff, sizeof report);
    CHECK_EQ(pbdrMesh_Check(&mesh, &report, &error), expected);
    CHECK_EQ(report.openEdges, open);
    CHECK_EQ(report.clashingEdges, clashing);
    CHECK_EQ(report.crowdedEdges, crowded);
    CHECK_TEXT(error.message, text);
    pbdrMassProperties p;
    pbdrSphereSet set;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 1.0, &p, &error), expected);
    CHECK_EQ(p.mass, 0.0);
    CHECK_EQ(pbdrPackMesh(&mesh, 0.1, 1.0, NULL, &set, &error), expected);
    CHECK_EQ(set.count, 0);
    pbdrMesh_Free(&mesh);
}

static void mesh__open_flipped_and_doubled_facets_are_counted_and_refused(void)
{
    int32_t triangles[13][3];
    memcpy(triangles, boxTriangles, sizeof boxTriangles);
    memcpy(triangles[12], boxTriangles[5], sizeof triangles[12]);
    const int32_t(*all)[3] = (const int32_t(*)[3])triangles;
    // The first triangle is 0 2 1 of the corners (0,0,0), (0,1,0), (1,0,0); left out, its vertices are
    // numbered by first use: 1, 2, 3, 4 of the box are 0, 1, 2, 3, and 0 is 6.
    checkBroken(all + 1, 11, pbdr_statusMeshOpen, 3, 0, 0,
                "mesh: 3 open edges, 0 clashing, 0 crowded, first open one between vertices 0 and 1 at (0.5, "
                "0.5, 0) m");
    checkBroken(all, 13, pbdr_statusMeshBroken, 0, 0, 3, "mesh: 0 open edges, 0 clashing, 3 crowded");
    memcpy(triangles[0], (int32_t[3]){0, 1, 2}, sizeof triangles[0]);
    checkBroken(all, 12, pbdr_statusMeshBroken, 0, 3, 0, "mesh: 0 open edges, 3 clashing, 0 crowded");
    // Flipped, and its neighbour across the diagonal (1 2) missing: that edge is open now, and so are the
    // missing one's.
    memmove(triangles[1], triangles[2], 10 * sizeof triangles[0]);
    checkBroken(all, 11, pbdr_statusMeshBroken, 3, 2, 0, "mesh: 3 open edges, 2 clashing, 0 crowded");
}

static void mesh__boxes_that_share_an_edge_are_crowded(void)
{
    pbdrVec3 vertices[16];
    int32_t triangles[24][3];
    fillBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1), vertices);
    fillBox(pbdrVec(1, 1, 0), pbdrVec(2, 2, 1), vertices + 8);
    for (int t = 0; t < 24; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[t][k] = boxTriangles[t % 12][k] + (t < 12 ? 0 : 8);
        }
    }
    pbdrMesh mesh;
    pbdrError error;
    pbdrStatus status =
        pbdrCreateMesh(vertices, 16, (const int32_t(*)[3])triangles, 24, NULL, &mesh, NULL, NULL);
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_EQ(mesh.vertexCount, 14);
    CHECK_EQ(pbdrMesh_Check(&mesh, NULL, &error), pbdr_statusMeshBroken);
    CHECK_TEXT(error.message, "1 crowded");
    CHECK_TEXT(error.message, "at (1, 1, 0.5) m");
    pbdrMesh_Free(&mesh);
}

static void mesh__refuses_bad_input_by_name(void)
{
    pbdrVec3 vertices[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    int32_t triangles[1][3] = {{0, 1, 2}};
    const int32_t(*t)[3] = (const int32_t(*)[3])triangles;
    pbdrMesh mesh;
    pbdrError error;
    CHECK_EQ(pbdrCreateMesh(vertices, 3, t, 0, NULL, &mesh, NULL, &error), pbdr_statusMeshBroken);
    CHECK_TEXT(error.message, "no triangles among 3 vertices");
    CHECK(isEmpty(&mesh));
    CHECK_EQ(pbdrCreateMesh(vertices, -3, t, 1, NULL, &mesh, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "-3 vertices");
    CHECK_EQ(pbdrCreateMesh(vertices, 3, t, INT32_MAX, NULL, &mesh, NULL, &error),
             pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrCreateMesh(vertices, 2, t, 1, NULL, &mesh, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "triangle 0 has corner 2 of 2 vertices");
    triangles[0][1] = -1;
    CHECK_EQ(pbdrCreateMesh(vertices, 3, t, 1, NULL, &mesh, NULL, &error), pbdr_statusInvalidArgument);
    triangles[0][1] = 0;
    CHECK_EQ(pbdrCreateMesh(vertices, 3, t, 1, NULL, &mesh, NULL, &error), pbdr_statusMeshBroken);
    CHECK_TEXT(error.message, "all of 1 triangles have two equal corners");
    CHECK(isEmpty(&mesh));
    vertices[2].y = (double)NAN;
    CHECK_EQ(pbdrCreateMesh(vertices, 3, t, 1, NULL, &mesh, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "vertex 2 at (0, ");
    CHECK_EQ(pbdrMesh_Check(&mesh, NULL, &error), pbdr_statusMeshBroken); // the empty one
    pbdrMesh box = makeBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    pbdrMassProperties p;
    CHECK_EQ(pbdrMesh_GetMassProperties(&box, -1.0, &p, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "mass: -1 kg");
    box.triangles[3][1] = 99; // by hand
    CHECK_EQ(pbdrMesh_Check(&box, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "triangle 3 has corner 99 of 8 vertices");
    pbdrMesh_Free(&box);
}

static void mesh__flat_mesh_has_no_mass_properties(void)
{
    // Four corners of a plane, cut along one diagonal in front and the other behind: closed, with a volume of
    // rounding errors, of either sign.
    const int32_t triangles[4][3] = {{0, 1, 2}, {0, 2, 3}, {1, 0, 3}, {1, 3, 2}};
    pbdrMesh mesh;
    pbdrMeshReport report;
    pbdrError error;
    pbdrMassProperties p;
    uint64_t seed = 3;
    for (int i = 0; i < 100; i++) {
        pbdrVec3 vertices[4], u = {nextRandom(&seed), nextRandom(&seed), nextRandom(&seed)};
        pbdrVec3 v = {nextRandom(&seed), nextRandom(&seed), -nextRandom(&seed)};
        for (int k = 0; k < 4; k++) {
            vertices[k] = pbdrAddScaled(pbdrScale(nextRandom(&seed), u), nextRandom(&seed), v);
        }
        CHECK_EQ(pbdrCreateMesh(vertices, 4, triangles, 4, NULL, &mesh, &report, NULL), pbdr_statusOk);
        CHECK(!report.inverted);
        CHECK_EQ(pbdrMesh_Check(&mesh, NULL, NULL), pbdr_statusOk);
        CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 1.0, &p, &error), pbdr_statusMeshBroken);
        CHECK_TEXT(error.message, "enclose no volume");
        pbdrMesh_Free(&mesh);
    }
    // A sheet of a nanometre by a metre is thin, not flat.
    mesh = makeBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1e-9));
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 1.0, &p, NULL), pbdr_statusOk);
    CHECK_NEAR(p.volume, 1e-9, 1e-9 * BOX_ROUNDING);
    pbdrMesh_Free(&mesh);
}

static void mesh__fit_cube_is_exact_at_the_corners(void)
{
    pbdrMesh mesh = makeBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    pbdrError error;
    for (int k = 1; k <= 50; k++) {
        pbdrVec3 lower = {-0.1, 0.3 * k, 11.0}, upper = {0.7 / k, 0.3 * k + 0.9, 11.0 + k / 7.0};
        fillBox(lower, upper, mesh.vertices);
        CHECK_EQ(pbdrMesh_FitCube(&mesh, 0.2, &error), pbdr_statusOk);
        pbdrMesh_GetBounds(&mesh, &lower, &upper);
        CHECK(lower.x == 0.0 && lower.y == 0.0 && lower.z == 0.0);
        CHECK(upper.x == 0.2 && upper.y == 0.2 && upper.z == 0.2);
    }
    CHECK_EQ(pbdrMesh_FitCube(&mesh, 0.0, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "size: 0 m");
    for (int i = 0; i < 8; i++) {
        mesh.vertices[i].y = 0.0;
    }
    CHECK_EQ(pbdrMesh_FitCube(&mesh, 0.2, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "mesh: 0.2 x 0 x 0.2 m");
    pbdrMesh_Free(&mesh);
}

// --- Winding number ---

// Roundings of a sum of n angles, a few each, over 2 pi.
static double getWindingTolerance(const pbdrMesh* mesh)
{
    return 4 * mesh->triangleCount * DBL_EPSILON + 1.0e-15;
}

static void winding__is_one_inside_and_zero_outside(void)
{
    // Random points of a box around a torus, inside by the equation (sqrt(x^2 + y^2) - 1)^2 + z^2 < 0.4^2,
    // those within a facet's sagitta of the surface left out: 1.4 (1 - cos(pi/48)) = 3e-3 along, as much
    // about.
    pbdrMesh mesh = makeSurface(onTorus, 48, 24, NULL);
    double tolerance = getWindingTolerance(&mesh);
    uint64_t seed = 1;
    int inside = 0;
    for (int i = 0; i < 2000; i++) {
        pbdrVec3 p = {3.0 * nextRandom(&seed) - 1.5, 3.0 * nextRandom(&seed) - 1.5, nextRandom(&seed) - 0.5};
        double distance = hypot(hypot(p.x, p.y) - 1.0, p.z) - 0.4;
        if (fabs(distance) > 0.01) {
            CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, p), distance < 0.0 ? 1.0 : 0.0, tolerance);
            inside += distance < 0.0;
        }
    }
    CHECK_GE(inside, 500);
    pbdrMesh_Free(&mesh);
}

static void winding__is_the_share_of_space_on_faces_edges_and_corners(void)
{
    pbdrMesh mesh = makeBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    double tolerance = getWindingTolerance(&mesh);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(0.5, 0.5, 0.5)), 1.0, tolerance);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(0.25, 0.5, 0.0)), 0.5, tolerance);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(0.5, 0.5, 1.0)), 0.5, tolerance); // on a diagonal
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(0.5, 0.0, 0.0)), 0.25, tolerance);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(1.0, 0.0, 1.0)), 0.125, tolerance);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(2.0, 0.0, 0.0)), 0.0,
               tolerance); // in line with an edge
    // Nowhere not a number.
    const double values[] = {0.0, 1.0, 0x1p-1060, 1e200, -1e308, (double)NAN, (double)INFINITY};
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < 7; j++) {
            CHECK(isfinite(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(values[i], values[j], 0.5))));
        }
    }
    pbdrMesh_Free(&mesh);
}

static void winding__is_a_fraction_at_holes_and_counts_layers(void)
{
    // Five of six faces of a cube, seen from its centre.
    pbdrVec3 vertices[16];
    pbdrMesh mesh;
    fillBox(pbdrVec(-1, -1, -1), pbdrVec(1, 1, 1), vertices);
    CHECK_EQ(pbdrCreateMesh(vertices, 8, boxTriangles, 10, NULL, &mesh, NULL, NULL), pbdr_statusOk);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(0, 0, 0)), 5.0 / 6.0, getWindingTolerance(&mesh));
    pbdrMesh_Free(&mesh);
    // A box in a box, both facing outwards: 2 within the inner, 1 between, 0 without.
    int32_t triangles[24][3];
    fillBox(pbdrVec(-2, -2, -2), pbdrVec(2, 2, 2), vertices + 8);
    for (int t = 0; t < 24; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[t][k] = boxTriangles[t % 12][k] + (t < 12 ? 0 : 8);
        }
    }
    pbdrStatus status =
        pbdrCreateMesh(vertices, 16, (const int32_t(*)[3])triangles, 24, NULL, &mesh, NULL, NULL);
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(0.1, 0.2, 0.3)), 2.0, getWindingTolerance(&mesh));
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(1.5, 0.2, 0.3)), 1.0, getWindingTolerance(&mesh));
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(2.5, 0.2, 0.3)), 0.0, getWindingTolerance(&mesh));
    pbdrMesh_Free(&mesh);
}

// --- Packing ---

static void mesh_packing__fills_a_box_as_the_box_packing_does(void)
{
    // Sides of 2r n: the grid from lower - r has its first inner centre at lower + r, as pbdrPackBox has.
    double r = 0.125;
    pbdrMesh mesh = makeBox(pbdrVec(1, 2, 3), pbdrVec(1 + 8 * r, 2 + 6 * r, 3 + 4 * r));
    pbdrSphereSet packed, box;
    CHECK_EQ(pbdrPackMesh(&mesh, r, 2.0, NULL, &packed, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrPackBox(4, 3, 2, r, 2.0, NULL, &box, NULL), pbdr_statusOk);
    CHECK_EQ(packed.count, box.count);
    for (int i = 0; i < box.count && i < packed.count; i++) {
        pbdrVec3 expected = pbdrAdd(box.positions[i], pbdrVec(1 + 4 * r, 2 + 3 * r, 3 + 2 * r));
        CHECK_EQ(pbdrLength(pbdrSub(packed.positions[i], expected)), 0.0);
        CHECK_EQ(packed.masses[i], box.masses[i]);
        CHECK_EQ(packed.radii[i], r);
    }
    pbdrSphereSet_Free(&packed);
    pbdrSphereSet_Free(&box);
    pbdrMesh_Free(&mesh);
}

static void mesh_packing__skips_no_point_of_the_grid(void)
{
    // Against the winding number of every grid point, in order. The torus has long facets, thin parts and a
    // hole.
    pbdrMesh mesh = makeSurface(onTorus, 9, 7, NULL);
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(&mesh, &lower, &upper);
    for (int k = 0; k < 3; k++) {
        double r = 0.11 / (1 + k);
        pbdrSphereSet set;
        CHECK_EQ(pbdrPackMesh(&mesh, r, 1.0, NULL, &set, NULL), pbdr_statusOk);
        int count = 0;
        bool same = true;
        for (int z = 0; lower.z - r + 2 * r * z <= upper.z; z++) {
            for (int y = 0; lower.y - r + 2 * r * y <= upper.y; y++) {
                for (int x = 0; lower.x - r + 2 * r * x <= upper.x; x++) {
                    pbdrVec3 p = {lower.x - r + 2 * r * x, lower.y - r + 2 * r * y, lower.z - r + 2 * r * z};
                    if (pbdrMesh_GetWindingNumber(&mesh, p) > 0.5) {
                        same =
                            same && count < set.count && pbdrLength(pbdrSub(set.positions[count], p)) == 0.0;
                        count++;
                    }
                }
            }
        }
        CHECK(same);
        CHECK_EQ(set.count, count);
        CHECK_GE(count, 50);
        pbdrSphereSet_Free(&set);
    }
    pbdrMesh_Free(&mesh);
}

static void mesh_packing__refuses_radii_by_name(void)
{
    pbdrMesh mesh = makeBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    pbdrSphereSet set;
    pbdrError error;
    CHECK_EQ(pbdrPackMesh(&mesh, (double)NAN, 1.0, NULL, &set, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "radius: ");
    CHECK_EQ(pbdrPackMesh(&mesh, 1e-5, 1.0, NULL, &set, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "50001 x 50001 x 50001 spheres of radius 1e-05 m are more than");
    CHECK_EQ(pbdrPackMesh(&mesh, 2.0, 1.0, NULL, &set, &error), pbdr_statusNoParticles);
    CHECK_TEXT(error.message, "none of 1 x 1 x 1 grid points of spacing 4 m");
    CHECK_EQ(set.count, 0);
    CHECK_EQ(pbdrPackMesh(&mesh, 0.1, -1.0, NULL, &set, &error), pbdr_statusInvalidArgument);
    pbdrMesh_Free(&mesh);
}

// --- Memory ---

static void mesh__survives_failure_of_any_allocation(void)
{
    pbdrVec3 vertices[8];
    fillBox(pbdrVec(0, 0, 0), pbdrVec(1, 1, 1), vertices);
    bool done = false;
    int failures = 0;
    for (int failAt = 1; !done; failAt++) {
        Ledger memory = {.failAt = failAt};
        pbdrHooks hooks = makeHooks(&memory);
        pbdrMesh mesh;
        pbdrSphereSet set = {0};
        pbdrMassProperties p;
        pbdrError error = {0};
        pbdrStatus status = pbdrCreateMesh(vertices, 8, boxTriangles, 12, &hooks, &mesh, NULL, &error);
        CHECK(status == pbdr_statusOk || isEmpty(&mesh));
        if (status == pbdr_statusOk) {
            status = pbdrMesh_GetMassProperties(&mesh, 1.0, &p, &error);
        }
        if (status == pbdr_statusOk) {
            status = pbdrPackMesh(&mesh, 0.1, 1.0, &hooks, &set, &error);
        }
        done = status == pbdr_statusOk;
        failures += !done;
        CHECK(done || (status == pbdr_statusNoMemory && strstr(error.message, "no memory") != NULL));
        CHECK_EQ(set.count, done ? 125 : 0);
        pbdrSphereSet_Free(&set);
        pbdrMesh_Free(&mesh);
        CHECK_EQ(memory.bytes, 0);
    }
    CHECK_GE(failures,
             12); // create: 3 to join, 2 arrays, 3 for edges; check: 3, twice; pack: 1 grid, 3 arrays
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv, {"mesh__box_inertia_is_exact", mesh__box_inertia_is_exact},
        {"mesh__tetrahedron_inertia_is_exact", mesh__tetrahedron_inertia_is_exact},
        {"mesh__inertia_turns_and_shifts_with_the_mesh", mesh__inertia_turns_and_shifts_with_the_mesh},
        {"mesh__inertia_is_right_at_any_scale", mesh__inertia_is_right_at_any_scale},
        {"mesh__sphere_converges_with_the_square_of_the_step",
         mesh__sphere_converges_with_the_square_of_the_step},
        {"mesh__joins_equal_corners_and_drops_unused_ones", mesh__joins_equal_corners_and_drops_unused_ones},
        {"mesh__degenerate_triangles_are_dropped_and_counted",
         mesh__degenerate_triangles_are_dropped_and_counted},
        {"mesh__inverted_mesh_is_turned", mesh__inverted_mesh_is_turned},
        {"mesh__open_flipped_and_doubled_facets_are_counted_and_refused",
         mesh__open_flipped_and_doubled_facets_are_counted_and_refused},
        {"mesh__boxes_that_share_an_edge_are_crowded", mesh__boxes_that_share_an_edge_are_crowded},
        {"mesh__refuses_bad_input_by_name", mesh__refuses_bad_input_by_name},
        {"mesh__flat_mesh_has_no_mass_properties", mesh__flat_mesh_has_no_mass_properties},
        {"mesh__fit_cube_is_exact_at_the_corners", mesh__fit_cube_is_exact_at_the_corners},
        {"winding__is_one_inside_and_zero_outside", winding__is_one_inside_and_zero_outside},
        {"winding__is_the_share_of_space_on_faces_edges_and_corners",
         winding__is_the_share_of_space_on_faces_edges_and_corners},
        {"winding__is_a_fraction_at_holes_and_counts_layers",
         winding__is_a_fraction_at_holes_and_counts_layers},
        {"mesh_packing__fills_a_box_as_the_box_packing_does",
         mesh_packing__fills_a_box_as_the_box_packing_does},
        {"mesh_packing__skips_no_point_of_the_grid", mesh_packing__skips_no_point_of_the_grid},
        {"mesh_packing__refuses_radii_by_name", mesh_packing__refuses_radii_by_name},
        {"mesh__survives_failure_of_any_allocation", mesh__survives_failure_of_any_allocation});
}
