// Which faces count as one: normals of spheres tangent to the faces of a ridge, by its angle.
#include "geometry/face_normals.h"

#include "meshes.h"

// A ridge along y between x = -1 and 1, on a prism: two faces that meet at x = 0, z = 0 and fall off to each
// side.
static pbdrMesh makeRidge(double drop)
{
    Soup soup = {0};
    const pbdrVec3 section[5] = {
        {-1.0, 0.0, -2.0}, {1.0, 0.0, -2.0}, {1.0, 0.0, -drop}, {0.0, 0.0, 0.0}, {-1.0, 0.0, -drop}};
    for (int k = 0; k < 5; k++) {
        pbdrVec3 p = section[k], q = section[(k + 1) % 5];
        pbdrVec3 a = {p.x, -1.0, p.z}, b = {q.x, -1.0, q.z}, c = {q.x, 1.0, q.z}, d = {p.x, 1.0, p.z};
        addTriangle(&soup, a, b, c);
        addTriangle(&soup, a, c, d);
        if (k > 0 && k < 4) {
            pbdrVec3 first = {section[0].x, -1.0, section[0].z}, last = {section[0].x, 1.0, section[0].z};
            addTriangle(&soup, first, b, a);
            addTriangle(&soup, last, d, c);
        }
    }
    return makeMesh(&soup);
}

// How many faces a sphere has, and the first one's normal.
static int findNormals(const pbdrMesh* mesh, pbdrVec3 centre, double radius, double tolerance,
                       pbdrVec3* first)
{
    double mass = 1.0;
    const pbdrSphereSet set = {.count = 1, .positions = &centre, .radii = &radius, .masses = &mass};
    pbdrFaceNormals normals = {0};
    pbdrError error = {0};
    pbdrStatus status = pbdrFindMeshNormals(&set, mesh, tolerance, NULL, &normals, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    int count = status == pbdr_statusOk ? normals.firsts[1] : -1;
    *first = count > 0 ? normals.normals[0] : pbdrVec(0.0, 0.0, 0.0);
    pbdrFaceNormals_Free(&normals);
    return count;
}

// Of a sphere that sits under the ridge of that angle, tangent to both faces.
static int countNormals(double degrees)
{
    double half = 0.5 * degrees * PBDR_PI / 180.0;
    pbdrMesh mesh = makeRidge(tan(half));
    pbdrVec3 normal;
    int count = findNormals(&mesh, pbdrVec(0.0, 0.0, -0.1 / cos(half)), 0.1, 1e-6, &normal);
    pbdrMesh_Free(&mesh);
    return count;
}

static void ridge__below_a_degree_is_one_face(void)
{
    CHECK_EQ(countNormals(0.5), 1);
    CHECK_EQ(countNormals(0.9), 1);
}

static void ridge__above_a_degree_is_two_faces(void)
{
    const double angles[6] = {1.2, 2.0, 5.0, 20.0, 45.0, 90.0};
    for (int k = 0; k < 6; k++) {
        CHECK_EQ(countNormals(angles[k]), 2);
    }
}

// Of two faces that count as one the nearer is kept: a ridge of half a degree, and a sphere tangent to the
// face on one side of it, which misses the other by 4 um.
static void ridge__of_one_face_keeps_the_nearer(void)
{
    const double half = 0.25 * PBDR_PI / 180.0, r = 0.1, aside = 5e-4;
    for (int side = -1; side <= 1; side += 2) {
        pbdrMesh mesh = makeRidge(tan(half));
        // at distance r from the face on this side: its plane is side x sin + z cos = 0
        pbdrVec3 centre = {side * aside, 0.0, (-r - aside * sin(half)) / cos(half)};
        pbdrVec3 normal;
        CHECK_EQ(findNormals(&mesh, centre, r, 1e-3, &normal), 1);
        CHECK_NEAR(normal.x, side * sin(half), 1e-9);
        pbdrMesh_Free(&mesh);
    }
}

// The plane of a face goes on beyond it, through the solid: a sphere tangent to that part has no face. An L,
// whose inner upright face stands on z = 0, and a sphere below.
static void plane__beyond_its_face_is_no_face(void)
{
    const double section[6][2] = {{0.0, 0.0}, {0.0, 1.0}, {-1.0, 1.0}, {-1.0, -1.0}, {1.0, -1.0}, {1.0, 0.0}};
    Soup soup = {0};
    for (int k = 0; k < 6; k++) {
        const double *p = section[k], *q = section[(k + 1) % 6];
        pbdrVec3 a = {p[0], -1.0, p[1]}, b = {q[0], -1.0, q[1]}, c = {q[0], 1.0, q[1]}, d = {p[0], 1.0, p[1]};
        addTriangle(&soup, a, c, b);
        addTriangle(&soup, a, d, c);
        if (k > 0 && k < 5) {
            pbdrVec3 front = {section[0][0], -1.0, section[0][1]}, back = {section[0][0], 1.0, section[0][1]};
            addTriangle(&soup, front, a, b);
            addTriangle(&soup, back, c, d);
        }
    }
    pbdrMesh mesh = makeMesh(&soup);
    pbdrVec3 normal;
    CHECK_EQ(findNormals(&mesh, pbdrVec(-0.1, 0.0, -0.06), 0.1, 1e-6, &normal), 0);
    CHECK_EQ(findNormals(&mesh, pbdrVec(-0.1, 0.0, 0.06), 0.1, 1e-6, &normal), 1);
    CHECK_NEAR(normal.x, 1.0, 1e-12);
    pbdrMesh_Free(&mesh);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"ridge__below_a_degree_is_one_face", ridge__below_a_degree_is_one_face},
          {"ridge__above_a_degree_is_two_faces", ridge__above_a_degree_is_two_faces},
          {"ridge__of_one_face_keeps_the_nearer", ridge__of_one_face_keeps_the_nearer},
          {"plane__beyond_its_face_is_no_face", plane__beyond_its_face_is_no_face});
}
