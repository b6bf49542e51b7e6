// The quality report against closed forms, and the trees below it against brute force.
#include "geometry/sphere_tree.h"
#include "geometry/support.h"
#include "geometry/triangle_tree.h"
#include "meshes.h"

// --- Trees ---

static void triangle_tree__nearest_point_and_winding_are_those_of_all_triangles(void)
{
    pbdrMesh mesh = makeBallMesh(1.0, 24, 12, 0.3);
    pbdrTriangle* triangles = calloc((size_t)mesh.triangleCount, sizeof *triangles);
    for (int t = 0; t < mesh.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[t].corners[k] = mesh.vertices[mesh.triangles[t][k]];
        }
    }
    pbdrTriangleTree tree;
    CHECK_EQ(pbdrCreateTriangleTree(triangles, mesh.triangleCount, NULL, &tree, NULL), pbdr_statusOk);
    uint64_t random = 1;
    double nearestOff = 0.0, windingOff = 0.0;
    for (int i = 0; i < 500; i++) {
        double x = pbdrNextUniform(&random), y = pbdrNextUniform(&random), z = pbdrNextUniform(&random);
        pbdrVec3 p = pbdrVec(3.0 * x - 1.5, 3.0 * y - 1.5, 3.0 * z - 1.5);
        double best = (double)INFINITY;
        for (int t = 0; t < mesh.triangleCount; t++) {
            best = fmin(best, pbdrLength(pbdrSub(pbdrGetNearestOnTriangle(&triangles[t], p), p)));
        }
        nearestOff = fmax(nearestOff, fabs(pbdrFindNearest(&tree, p, (double)INFINITY).distance - best));
        CHECK_EQ(pbdrFindNearest(&tree, p, 0.99 * best).triangle, -1);
        double off = pbdrGetTreeWinding(&tree, p) - pbdrMesh_GetWindingNumber(&mesh, p);
        windingOff = fmax(windingOff, fabs(off));
    }
    CHECK_LE(nearestOff, 1.0e-14);
    CHECK_LE(windingOff, 0.1); // dipoles: enough for whole numbers
    pbdrFreeTriangleTree(&tree);
    free(triangles);
    pbdrMesh_Free(&mesh);
}

static void triangle_tree__nearest_point_of_a_triangle_is_the_best_of_many(void)
{
    uint64_t random = 3;
    for (int i = 0; i < 100; i++) {
        pbdrVec3 v[4];
        for (int k = 0; k < 4; k++) {
            double x = pbdrNextUniform(&random), y = pbdrNextUniform(&random);
            v[k] = pbdrVec(x, y, pbdrNextUniform(&random));
        }
        pbdrTriangle triangle = {{v[0], v[1], v[2]}};
        double found = pbdrLength(pbdrSub(pbdrGetNearestOnTriangle(&triangle, v[3]), v[3])),
               best = (double)INFINITY;
        int n = 60;
        for (int a = 0; a <= n; a++) {
            for (int b = 0; a + b <= n; b++) {
                pbdrVec3 q = pbdrAddScaled(pbdrScale((double)a / n, v[0]), (double)b / n, v[1]);
                q = pbdrAddScaled(q, (double)(n - a - b) / n, v[2]);
                best = fmin(best, pbdrLength(pbdrSub(q, v[3])));
            }
        }
        CHECK_LE(found, best + 1.0e-14);
        CHECK_GE(found, best - 2.0 / n);
    }
}

static void union_distance__is_the_least_over_all_spheres(void)
{
    pbdrVec3 positions[300];
    double radii[300], masses[300];
    uint64_t random = 2;
    for (int i = 0; i < 300; i++) {
        double x = pbdrNextUniform(&random), y = pbdrNextUniform(&random);
        positions[i] = pbdrVec(x, y, pbdrNextUniform(&random));
        radii[i] = 0.1 * pbdrNextUniform(&random) * pbdrNextUniform(&random);
        masses[i] = 1.0;
    }
    pbdrSphereSet set = {300, positions, radii, masses, {0}};
    pbdrSphereTree spheres;
    CHECK(pbdrBuildTreeOfSet(NULL, &set, &spheres));
    for (int i = 0; i < 500; i++) {
        double x = pbdrNextUniform(&random), y = pbdrNextUniform(&random);
        pbdrVec3 p = pbdrVec(2.0 * x - 0.5, 2.0 * y - 0.5, pbdrNextUniform(&random));
        double best = (double)INFINITY;
        for (int k = 0; k < 300; k++) {
            best = fmin(best, pbdrLength(pbdrSub(p, positions[k])) - radii[k]);
        }
        CHECK_EQ(pbdrSphereTree_GetDistance(&spheres, p), best);
    }
    pbdrFreeSphereTree(NULL, &spheres);
}

// --- Support ---

static void support__margin_and_reach_of_a_rectangle(void)
{
    pbdrVec3 points[7] = {{0, 0, 0}, {4, 0, 0}, {4, 2, 0}, {0, 2, 0}, {2, 1, 0}, {2, 0, 0}, {4, 0, 0}};
    pbdrVec3 hull[8];
    int count = pbdrFindHull(points, 7, hull);
    CHECK_EQ(count, 4); // without the middle, the point on an edge and the double
    CHECK_EQ(pbdrGetHullArea(hull, count), 8.0);
    pbdrVec3 p = {1.0, 0.5, 9.0};
    CHECK_EQ(pbdrGetHullMargin(hull, count, p), 0.5);
    CHECK_EQ(pbdrGetHullMargin(hull, count, pbdrVec(5.0, 1.0, 0.0)), -1.0);
    CHECK_EQ(pbdrGetHullReach(hull, count, p, pbdrVec(2, 0, 5)), 3.0);
    CHECK_EQ(pbdrGetHullReach(hull, count, p, pbdrVec(-1, 0, 0)), 1.0);
    CHECK_NEAR(pbdrGetHullReach(hull, count, p, pbdrVec(1, 1, 0)), 1.5 * sqrt(2.0), 1.0e-15);
    CHECK_EQ(pbdrGetHullReach(hull, count, pbdrVec(5, 1, 0), pbdrVec(1, 0, 0)), 0.0);
    CHECK_EQ(pbdrGetHullReach(hull, count, p, pbdrVec(0, 0, 1)), 0.0);
    CHECK_EQ(pbdrFindHull(points, 1, hull), 1);
    CHECK_LE(pbdrGetHullMargin(hull, 1, p), 0.0);
}

// --- The report ---

static void packing_quality__one_ball_in_a_cube(void)
{
    // Half side 1, the inscribed ball: cover pi/6; at (x, y) of a face the gap is sqrt(1 + x^2 + y^2) - 1.
    int n = 400;
    double gap = 0.0;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < n; k++) {
            double x = (i + 0.5) / n, y = (k + 0.5) / n;
            gap += (sqrt(1.0 + x * x + y * y) - 1.0) / n / n;
        }
    }
    pbdrMesh mesh = makeBoxMesh(pbdrVec(-1, -1, -1), pbdrVec(1, 1, 1));
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(1, 1, 1, 1.0, 1.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrPackingQuality q;
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, 0, 1, NULL, &q, NULL), pbdr_statusOk);
    CHECK_EQ(q.sphereCount, 1);
    CHECK_NEAR(q.volume, 8.0, 1.0e-12);
    CHECK_EQ(q.volumeError, 0.0);
    CHECK_NEAR(q.cover, PBDR_PI / 6.0, 4.0 * q.coverError);
    CHECK_LE(q.coverError, 0.002);
    CHECK_NEAR(q.meanGap, gap, 4.0 * q.meanGapError);
    CHECK_NEAR(q.largestGap, sqrt(3.0) - 1.0, 0.02);
    CHECK_LE(q.protrusion, 1.0e-15);
    CHECK_EQ(q.supportCount, 1);
    CHECK_NEAR(q.margin, 0.0, 1.0e-12);
    CHECK_NEAR(q.meshMargin, 1.0, 1.0e-12);
    CHECK_NEAR(q.centreHeight, 1.0, 1.0e-12);
    pbdrPackingQuality_Free(&q);
    CHECK(q.support == NULL);

    set.positions[0].z += 0.25; // it sticks out
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, 1000, 1, NULL, &q, NULL), pbdr_statusOk);
    CHECK_NEAR(q.protrusion, 0.25, 1.0e-12);
    pbdrPackingQuality_Free(&q);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void packing_quality__grid_stands_on_its_outer_spheres(void)
{
    // 4 x 4 x 4 spheres of radius 1 in a cube of side 8: they touch the ground from -3 to 3.
    pbdrMesh mesh = makeBoxMesh(pbdrVec(-4, -4, -4), pbdrVec(4, 4, 4));
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackBox(4, 4, 4, 1.0, 1.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrPackingQuality q;
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, 20000, 1, NULL, &q, NULL), pbdr_statusOk);
    CHECK_EQ(q.supportCount, 4);
    CHECK_EQ(q.supportArea, 36.0);
    CHECK_EQ(q.meshSupportArea, 64.0);
    CHECK_NEAR(q.margin, 3.0, 1.0e-12);
    CHECK_NEAR(q.meshMargin, 4.0, 1.0e-12);
    CHECK_NEAR(pbdrPackingQuality_GetReach(&q, pbdrVec(1, 1, 0)), 3.0 * sqrt(2.0), 1.0e-12);
    CHECK_NEAR(q.cover, PBDR_PI / 6.0, 4.0 * q.coverError);
    pbdrPackingQuality_Free(&q);
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, -1, 1, NULL, &q, NULL), pbdr_statusInvalidArgument);
    pbdrSphereSet_Free(&set);
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, 10, 1, NULL, &q, NULL), pbdr_statusNoParticles);
    pbdrMesh_Free(&mesh);
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }

int main(int argc, char** argv)
{
    CASES(argc, argv, CASE(triangle_tree__nearest_point_and_winding_are_those_of_all_triangles),
          CASE(triangle_tree__nearest_point_of_a_triangle_is_the_best_of_many),
          CASE(union_distance__is_the_least_over_all_spheres), CASE(support__margin_and_reach_of_a_rectangle),
          CASE(packing_quality__one_ball_in_a_cube), CASE(packing_quality__grid_stands_on_its_outer_spheres));
}
