// Meshes that once took minutes: what they take now, in nodes and facets looked at, and that it is bounded.
#include "geometry/crossings.h"
#include "geometry/solid.h"
#include "meshes.h"

// Cubes of side 4 with corners on a grid of 12^3, so that their union is a count of cells.
static pbdrMesh makeCubes(int count, double* volume)
{
    enum { CELLS = 16 };
    static bool filled[CELLS][CELLS][CELLS];
    memset(filled, 0, sizeof filled);
    Soup soup = {0};
    uint64_t random = 3;
    for (int i = 0; i < count; i++) {
        int corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = (int)(12.0 * pbdrNextUniform(&random));
        }
        pbdrVec3 lower = pbdrVec(corner[0], corner[1], corner[2]);
        addBox(&soup, lower, pbdrAdd(lower, pbdrVec(4.0, 4.0, 4.0)));
        for (int c = 0; c < 64; c++) {
            filled[corner[0] + c % 4][corner[1] + c / 4 % 4][corner[2] + c / 16] = true;
        }
    }
    *volume = 0.0;
    for (int c = 0; c < CELLS * CELLS * CELLS; c++) {
        *volume += filled[c / CELLS / CELLS][c / CELLS % CELLS][c % CELLS] ? 1.0 : 0.0;
    }
    return makeMesh(&soup);
}

static void solid__of_overlapping_cubes_takes_few_steps(void)
{
    // 20 cubes took 84 s, at about 5 ns a step 1.7e10 of them; 60 have nine times as many pairs
    static const int counts[] = {20, 60};
    for (int k = 0; k < 2; k++) {
        double volume;
        pbdrMesh mesh = makeCubes(counts[k], &volume);
        pbdrSolid solid;
        CHECK_EQ(pbdrCreateSolid(&mesh, 0.01, NULL, &solid, NULL), pbdr_statusOk);
        CHECK(solid.overlaps);
        CHECK_NEAR(solid.properties.volume, volume, solid.volumeError + 1.0e-9 * volume);
        CHECK_LE(solid.volumeError, 1.0e-4 * volume);
        CHECK_LE((double)solid.steps, 1.5e8);
        pbdrFreeSolid(&solid);
        pbdrMesh_Free(&mesh);
    }
}

static void solid__volume_error_holds_for_turned_cubes(void)
{
    // Two unit cubes, one turned about z by 45 degrees about the other's middle: an eight-pointed star, whose
    // points stick out by (sqrt(2) - 1)/2: 4 triangles of height h and base 2 h. All
    // of four tilts are within the stated error, which is three standard errors.
    double h = 0.5 * (sqrt(2.0) - 1.0), exact = 1.0 + 4.0 * h * h;
    for (int k = 0; k < 4; k++) {
        Soup soup = {0};
        addBox(&soup, pbdrVec(-0.5, -0.5, -0.5), pbdrVec(0.5, 0.5, 0.5));
        addBox(&soup, pbdrVec(-0.5, -0.5, -0.5), pbdrVec(0.5, 0.5, 0.5));
        for (int t = 0; t < soup.count; t++) {
            for (int c = 0; c < 3; c++) {
                pbdrVec3 v = soup.corners[t][c];
                double angle = 0.3 + 0.3 * k + (t < 12 ? 0.0 : 0.25 * PBDR_PI);
                v = pbdrVec(cos(angle) * v.x - sin(angle) * v.y, sin(angle) * v.x + cos(angle) * v.y, v.z);
                // tilted, so that walls are not upright
                double tilt = 0.4 * k;
                soup.corners[t][c] =
                    pbdrVec(v.x, cos(tilt) * v.y - sin(tilt) * v.z, sin(tilt) * v.y + cos(tilt) * v.z);
            }
        }
        pbdrMesh mesh = makeMesh(&soup);
        pbdrSolid solid;
        CHECK_EQ(pbdrCreateSolid(&mesh, 0.01, NULL, &solid, NULL), pbdr_statusOk);
        CHECK_NEAR(solid.properties.volume, exact, solid.volumeError);
        CHECK_LE(solid.volumeError, 1.0e-3);
        pbdrFreeSolid(&solid);
        pbdrMesh_Free(&mesh);
    }
}

static void solid__of_an_open_strip_takes_few_steps(void)
{
    // A twisted strip of 1000 facets took over 60 s: its one long rim is closed by a fan that cuts through
    // itself everywhere.
    Soup soup = {0};
    for (int i = 0; i < 500; i++) {
        double x = 0.1 * i, y = 0.1 * (i + 1);
        pbdrVec3 a = pbdrVec(x, 0.0, sin(x)), b = pbdrVec(y, 0.0, sin(y));
        pbdrVec3 c = pbdrVec(x, 1.0, cos(1.3 * x)), d = pbdrVec(y, 1.0, cos(1.3 * y));
        addTriangle(&soup, a, b, c);
        addTriangle(&soup, c, b, d);
    }
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSolid solid;
    CHECK_EQ(pbdrCreateSolid(&mesh, 1.0e9, NULL, &solid, NULL), pbdr_statusOk);
    CHECK(solid.overlaps);
    CHECK_LE((double)solid.steps, 3.0e8);
    pbdrFreeSolid(&solid);
    CHECK_EQ(pbdrCreateSolid(&mesh, 0.01, NULL, &solid, NULL), pbdr_statusMeshOpen);
    CHECK(solid.properties.volume > 0.0 && solid.volumeError > 0.01 * solid.properties.volume);
    pbdrMesh_Free(&mesh);
}

static void solid__budget_holds_for_many_sheets_above_each_other(void)
{
    // Every line meets all of 200 plates, half of which overlap their neighbours.
    Soup soup = {0};
    for (int i = 0; i < 200; i++) {
        addBox(&soup, pbdrVec(0.0, 0.0, i), pbdrVec(1000.0, 1000.0 + i % 2, i + (i % 2 == 0 ? 1.5 : 0.25)));
    }
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSolid solid;
    // 100 plates of 1.5, and as many slices of 1 x 0.25 that stick out; the rest of the odd ones is inside
    double exact = 100.0 * (1.5e6 + 0.25e3);
    CHECK_EQ(pbdrCreateSolid(&mesh, 0.01, NULL, &solid, NULL), pbdr_statusOk);
    CHECK_NEAR(solid.properties.volume, exact, 1.5 * solid.volumeError + 1.0e-9 * exact);
    CHECK_LE((double)solid.steps, 5.0e8);
    pbdrFreeSolid(&solid);
    pbdrMesh_Free(&mesh);
}

static void hole_filling__loops_have_a_budget_and_a_message(void)
{
    // Loose facets that all meet in one corner: each loop is searched among all of them.
    Soup soup = {0};
    for (int i = 0; i < 20000; i++) {
        double a = 1.0e-3 * i, z = 1.0e-4 * i;
        addTriangle(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(cos(a), sin(a), z),
                    pbdrVec(cos(a + 5.0e-4), sin(a + 5.0e-4), z + 5.0e-5));
    }
    pbdrMesh mesh = makeMesh(&soup), repaired;
    pbdrError error = {0};
    pbdrStatus status = pbdrRepairMesh(&mesh, NULL, &repaired, NULL, &error);
    CHECK(status == pbdr_statusMeshOpen || status == pbdr_statusMeshBroken);
    if (status == pbdr_statusMeshOpen) {
        CHECK_TEXT(error.message, "steps");
    }
    pbdrMesh_Free(&mesh);
}

static void mesh_repair__a_chain_of_balanced_facets_returns_whole(void)
{
    // A box whose top is a strip of 2 n facets, all but the first two of them there in both directions: each
    // is missed only once its neighbour is back. All return, and the box is closed.
    enum { N = 3000 };
    Soup soup = {0};
    pbdrVec3 p = pbdrVec(0.0, 0.0, 0.0);
    for (int i = 0; i < N; i++) {
        double x = i, y = i + 1.0;
        pbdrVec3 a = pbdrVec(x, 0.0, 1.0), b = pbdrVec(y, 0.0, 1.0), c = pbdrVec(y, 1.0, 1.0);
        pbdrVec3 d = pbdrVec(x, 1.0, 1.0);
        for (int twice = 0; twice < (i == 0 ? 1 : 2); twice++) {
            addTriangle(&soup, a, twice ? c : b, twice ? b : c);
            addTriangle(&soup, a, twice ? d : c, twice ? c : d);
        }
        // sides and floor
        pbdrVec3 a0 = pbdrVec(x, 0.0, 0.0), b0 = pbdrVec(y, 0.0, 0.0), c0 = pbdrVec(y, 1.0, 0.0);
        pbdrVec3 d0 = pbdrVec(x, 1.0, 0.0);
        addTriangle(&soup, a0, b0, b);
        addTriangle(&soup, a0, b, a);
        addTriangle(&soup, c0, d0, d);
        addTriangle(&soup, c0, d, c);
        addTriangle(&soup, a0, c0, b0);
        addTriangle(&soup, a0, d0, c0);
        p = b0;
    }
    pbdrVec3 e = pbdrVec(p.x, 1.0, 0.0), f = pbdrVec(p.x, 1.0, 1.0), g = pbdrVec(p.x, 0.0, 1.0);
    addTriangle(&soup, p, e, f);
    addTriangle(&soup, p, f, g);
    addTriangle(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 0.0, 1.0), pbdrVec(0.0, 1.0, 1.0));
    addTriangle(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 1.0), pbdrVec(0.0, 1.0, 0.0));
    pbdrMesh mesh = makeMesh(&soup), repaired;
    pbdrMeshRepair report;
    CHECK_EQ(pbdrRepairMesh(&mesh, NULL, &repaired, &report, NULL), pbdr_statusOk);
    CHECK_EQ(report.filledHoles, 0);
    CHECK_EQ(report.droppedTriangles, 2 * (N - 1));
    pbdrMassProperties properties;
    CHECK_EQ(pbdrMesh_GetMassProperties(&repaired, 1.0, &properties, NULL), pbdr_statusOk);
    CHECK_NEAR(properties.volume, N, 1.0e-9 * N);
    pbdrMesh_Free(&repaired);
    pbdrMesh_Free(&mesh);
}

static void crossings__agree_with_solid_angles(void)
{
    pbdrMesh mesh = makeBallMesh(1.0, 40, 20, 0.3);
    pbdrSolid solid;
    CHECK_EQ(pbdrCreateSolid(&mesh, 0.01, NULL, &solid, NULL), pbdr_statusOk);
    uint64_t random = 9, steps = 0;
    int inside = 0;
    for (int i = 0; i < 2000; i++) {
        pbdrVec3 p = pbdrVec(2.6 * pbdrNextUniform(&random) - 1.3, 2.6 * pbdrNextUniform(&random) - 1.3,
                             2.6 * pbdrNextUniform(&random) - 1.3);
        int expected = (int)floor(pbdrMesh_GetWindingNumber(&mesh, p) + 0.5), counted;
        for (int axis = 0; axis < 3; axis++) {
            CHECK(pbdrCountCrossings(&solid.whole, p, axis, &counted, &steps));
            CHECK_EQ(counted, expected);
        }
        inside += expected;
    }
    CHECK_GE(inside, 200);
    CHECK_LE(inside, 1800);
    CHECK_LE((double)steps / 6000.0, 150.0); // of 1520 facets
    // the axis through both poles meets 40 facets in one corner: undecided, but not wrong
    int counted;
    CHECK(!pbdrCountCrossings(&solid.whole, pbdrVec(0.0, 0.0, 0.0), 2, &counted, NULL));
    CHECK_EQ(pbdrGetClosedWinding(&solid.whole, pbdrVec(0.0, 0.0, 0.0), 2, NULL), 1);
    pbdrFreeSolid(&solid);
    pbdrMesh_Free(&mesh);
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }

int main(int argc, char** argv)
{
    CASES(argc, argv, CASE(solid__of_overlapping_cubes_takes_few_steps),
          CASE(solid__volume_error_holds_for_turned_cubes), CASE(solid__of_an_open_strip_takes_few_steps),
          CASE(solid__budget_holds_for_many_sheets_above_each_other),
          CASE(hole_filling__loops_have_a_budget_and_a_message),
          CASE(mesh_repair__a_chain_of_balanced_facets_returns_whole),
          CASE(crossings__agree_with_solid_angles));
}
