// Damaged meshes: what they are taken for, or why they are refused.
#include "meshes.h"

static double getVolume(const pbdrMesh* mesh)
{
    pbdrMassProperties properties;
    CHECK_EQ(pbdrMesh_GetMassProperties(mesh, 1.0, &properties, NULL), pbdr_statusOk);
    return properties.volume;
}

// Within 1 % of the sound volume and of its own estimate, or refused with a reason. Returns whether it was
// taken.
static bool checkTakenOrRefused(const pbdrMesh* damaged, double volume)
{
    pbdrMassProperties p;
    double volumeError = 0.0;
    pbdrError error = {0};
    pbdrStatus status = pbdrMesh_GetSolidProperties(damaged, 1.0, &p, &volumeError, &error);
    if (status != pbdr_statusOk) {
        CHECK(status == pbdr_statusMeshOpen || status == pbdr_statusMeshBroken);
        CHECK(error.message[0] != 0);
        return false;
    }
    CHECK_NEAR(p.volume, volume, 0.01 * volume);
    CHECK_NEAR(p.volume, volume, volumeError + 1.0e-3 * volume);
    return true;
}

static void mesh_repair__leaves_a_sound_mesh_alone(void)
{
    pbdrMesh mesh = makeBallMesh(1.0, 24, 12, 0.2), repaired;
    pbdrMeshRepair report;
    CHECK_EQ(pbdrRepairMesh(&mesh, NULL, &repaired, &report, NULL), pbdr_statusOk);
    CHECK_EQ(report.droppedTriangles + report.turnedTriangles + report.filledHoles, 0);
    CHECK_EQ(report.volumeError, 0.0);
    CHECK_EQ(repaired.triangleCount, mesh.triangleCount);
    CHECK(memcmp(repaired.vertices, mesh.vertices, (size_t)mesh.vertexCount * sizeof *mesh.vertices) == 0);
    CHECK(memcmp(repaired.triangles, mesh.triangles, (size_t)mesh.triangleCount * sizeof *mesh.triangles) ==
          0);
    pbdrMassProperties exact, solid;
    double volumeError;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 3.0, &exact, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMesh_GetSolidProperties(&mesh, 3.0, &solid, &volumeError, NULL), pbdr_statusOk);
    CHECK_EQ(volumeError, 0.0);
    CHECK_EQ(solid.volume, exact.volume);
    CHECK_NEAR(solid.inertia.m[0][1], exact.inertia.m[0][1], 1.0e-15);
    CHECK_NEAR(solid.inertia.m[2][2], exact.inertia.m[2][2], 1.0e-15);
    pbdrMesh_Free(&repaired);
    pbdrMesh_Free(&mesh);
}

static void mesh_repair__lost_flipped_and_doubled_facets_are_mended(void)
{
    pbdrMesh sound = makeBallMesh(1.0, 32, 16, 0.2);
    double volume = getVolume(&sound);
    int taken = 0, tried = 0;
    for (int damage = 0; damage < damageCount; damage++) {
        for (uint64_t seed = 1; seed <= 3; seed++, tried++) {
            double share = damage == damageLost ? 0.03 : damage == damageMixed ? 0.06 : 0.1;
            pbdrMesh damaged = damageMesh(&sound, (Damage)damage, share, seed);
            CHECK(pbdrMesh_Check(&damaged, NULL, NULL) != pbdr_statusOk);
            taken += checkTakenOrRefused(&damaged, volume);
            pbdrMesh_Free(&damaged);
        }
    }
    CHECK_EQ(taken, tried); // on a mesh as fine as this none needs refusing
    pbdrMesh_Free(&sound);
}

static void mesh_repair__lost_facet_of_a_box_is_given_back(void)
{
    for (int lost = 0; lost < 12; lost++) {
        Soup soup = {0};
        addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 2, 3));
        soup.count--;
        memcpy(soup.corners[lost < 11 ? lost : 0], soup.corners[lost < 11 ? 11 : 0], sizeof soup.corners[0]);
        pbdrMesh damaged = makeMesh(&soup);
        pbdrMassProperties p;
        double volumeError;
        CHECK_EQ(pbdrMesh_GetSolidProperties(&damaged, 1.0, &p, &volumeError, NULL), pbdr_statusOk);
        CHECK_NEAR(p.volume, 6.0, 1.0e-12);
        CHECK_LE(volumeError, 1.0e-6);
        pbdrMesh_Free(&damaged);
    }
}

static void mesh_repair__holes_are_taken_when_small_and_refused_when_large(void)
{
    pbdrMesh sound = makeBallMesh(1.0, 48, 24, 0.0);
    double volume = getVolume(&sound);
    int taken = 0;
    bool last = true;
    for (int k = 1; k <= 8; k++) {
        pbdrMesh damaged = cutHole(&sound, pbdrVec(0.6, 0.48, 0.64), 0.1 * k);
        bool now = checkTakenOrRefused(&damaged, volume);
        CHECK(last || !now); // the larger the worse
        last = now;
        taken += now;
        pbdrMesh_Free(&damaged);
    }
    CHECK_GE(taken, 2);
    CHECK_LE(taken, 6);
    pbdrMesh_Free(&sound);
}

static void mesh_repair__a_box_without_a_face_is_refused(void)
{
    Soup soup = {0};
    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    soup.count -= 2;
    pbdrMesh open = makeMesh(&soup);
    pbdrMassProperties p;
    pbdrError error = {0};
    CHECK_EQ(pbdrMesh_GetSolidProperties(&open, 1.0, &p, NULL, &error), pbdr_statusMeshOpen);
    CHECK_TEXT(error.message, "holes (1)");
    CHECK_EQ(p.volume, 0.0);
    pbdrMesh_Free(&open);
}

static void mesh_repair__overlapping_parts_count_once(void)
{
    // 1 + 0.5 0.5 0.5: a box that sticks out of another by half its length
    Soup soup = {0};
    addBox(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    addBox(&soup, pbdrVec(0.5, 0.25, 0.25), pbdrVec(1.5, 0.75, 0.75));
    pbdrMesh mesh = makeMesh(&soup);
    pbdrMassProperties p;
    double volumeError;
    CHECK_EQ(pbdrMesh_GetSolidProperties(&mesh, 1.125, &p, &volumeError, NULL), pbdr_statusOk);
    CHECK_NEAR(p.volume, 1.125, 2.0 * volumeError);
    CHECK_LE(volumeError, 1.0e-3 * 1.125);
    CHECK_NEAR(p.centre.x, (0.5 + 0.125 * 1.25) / 1.125, 1.0e-3);
    CHECK_NEAR(p.centre.y, 0.5, 1.0e-3);
    // about x: a cube's 1/6, and M (b^2 + c^2) / 12 of the rest
    CHECK_NEAR(p.inertia.m[0][0], 1.0 / 6.0 + 0.125 * 0.5 / 12.0, 1.0e-3);
    // its skin leaves out what is inside: packed spheres are not stopped by the inner wall
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 200;
    pbdrSphereSet set;
    pbdrPackingQuality quality;
    CHECK_EQ(pbdrPackSurface(&mesh, &def, 1.0, NULL, &set, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, 5000, 1, NULL, &quality, NULL), pbdr_statusOk);
    CHECK_LE(quality.protrusion, 1.0e-4); // facets cut to 1/512 of the size leave slits as wide
    CHECK_GE(quality.cover, 0.85);
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void turnFrom(Soup* soup, int first)
{
    for (int t = first; t < soup->count; t++) {
        pbdrVec3 kept = soup->corners[t][1];
        soup->corners[t][1] = soup->corners[t][2];
        soup->corners[t][2] = kept;
    }
}

static void mesh_repair__walls_vanish_cavities_stay_and_parts_face_out(void)
{
    Soup soup = {0};
    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1)); // two boxes that share a face
    addBox(&soup, pbdrVec(1, 0, 0), pbdrVec(2, 1, 1));
    pbdrMesh mesh = makeMesh(&soup);
    CHECK(checkTakenOrRefused(&mesh, 2.0));
    pbdrMesh repaired;
    pbdrMeshRepair report;
    CHECK_EQ(pbdrRepairMesh(&mesh, NULL, &repaired, &report, NULL), pbdr_statusOk);
    CHECK_EQ(report.droppedTriangles, 4);
    CHECK_EQ(pbdrMesh_Check(&repaired, NULL, NULL), pbdr_statusOk);
    pbdrMesh_Free(&repaired);
    pbdrMesh_Free(&mesh);

    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1)); // a cavity
    addBox(&soup, pbdrVec(0.2, 0.2, 0.2), pbdrVec(0.8, 0.8, 0.8));
    turnFrom(&soup, 12);
    mesh = makeMesh(&soup);
    CHECK(checkTakenOrRefused(&mesh, 1.0 - 0.216));
    pbdrMesh_Free(&mesh);

    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1)); // a part that faces inwards
    addBox(&soup, pbdrVec(3, 0, 0), pbdrVec(4, 1, 1));
    turnFrom(&soup, 12);
    mesh = makeMesh(&soup);
    CHECK(checkTakenOrRefused(&mesh, 2.0));
    pbdrMesh_Free(&mesh);

    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1)); // one in the other
    addBox(&soup, pbdrVec(0.2, 0.2, 0.2), pbdrVec(0.8, 0.8, 0.8));
    mesh = makeMesh(&soup);
    CHECK(checkTakenOrRefused(&mesh, 1.0));
    pbdrMesh_Free(&mesh);

    // each facet and its back: nothing is left
    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    addBox(&soup, pbdrVec(0, 0, 0), pbdrVec(1, 1, 1));
    turnFrom(&soup, 12);
    mesh = makeMesh(&soup);
    CHECK(!checkTakenOrRefused(&mesh, 1.0));
    pbdrMesh_Free(&mesh);
}

static void mesh_repair__one_sided_surface_is_refused(void)
{
    Soup soup = {0};
    int n = 20;
    for (int i = 0; i < n; i++) {
        pbdrVec3 v[4];
        for (int k = 0; k < 4; k++) {
            int at = i + k / 2;
            double side =
                (k % 2 == 0 ? -0.3 : 0.3) * (at == n ? -1.0 : 1.0); // the strip's end is turned over
            double around = 2.0 * PBDR_PI * (at % n) / n, twist = PBDR_PI * (at % n) / n;
            double r = 1.0 + side * cos(twist);
            v[k] = pbdrVec(r * cos(around), r * sin(around), side * sin(twist));
        }
        addTriangle(&soup, v[0], v[1], v[2]);
        addTriangle(&soup, v[2], v[1], v[3]);
    }
    pbdrMesh strip = makeMesh(&soup), repaired;
    pbdrError error = {0};
    CHECK_EQ(pbdrRepairMesh(&strip, NULL, &repaired, NULL, &error), pbdr_statusMeshBroken);
    CHECK_TEXT(error.message, "one side");
    CHECK_EQ(repaired.triangleCount, 0);
    pbdrMesh_Free(&strip);
}

static void mesh_repair__damaged_meshes_are_packed_as_sound_ones(void)
{
    pbdrMesh sound = makeBallMesh(0.1, 32, 16, 0.2);
    for (int damage = 0; damage < damageCount; damage++) {
        pbdrMesh damaged = damageMesh(&sound, (Damage)damage, damage == damageLost ? 0.03 : 0.05, 11);
        pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
        def.count = 200;
        pbdrSphereSet set;
        pbdrPackingQuality quality;
        CHECK_EQ(pbdrPackSurface(&damaged, &def, 1.0, NULL, &set, NULL, NULL), pbdr_statusOk);
        CHECK_EQ(pbdrMeasurePacking(&sound, &set, 5000, 1, NULL, &quality, NULL), pbdr_statusOk);
        // A fill of two facets may take the other diagonal, and a loose sheet encloses a little: a fraction
        // of a facet's sagitta, L^2/8R of 0.4 mm.
        CHECK_LE(quality.protrusion, 4.0e-4);
        CHECK_LE(quality.meanGap, 3.5e-3);
        pbdrPackingQuality_Free(&quality);
        pbdrSphereSet_Free(&set);
        pbdrMesh_Free(&damaged);
    }
    pbdrMesh_Free(&sound);
}

static void mesh_repair__fill_error_covers_a_lost_cap(void)
{
    // A ball of radius 1 that has lost its cap down to the polar angle th, filled flat. The cap holds
    // pi h^2 (3 - h) / 3 with h = 1 - cos(th); the estimate is a cone's on the same rim, A a tan(th)/3, which
    // is more, but by less than three times up to 45 degrees.
    static const int rings[] = {4, 6, 9, 12};
    for (int k = 0; k < 4; k++) {
        enum { M = 48 };
        double th = PBDR_PI * rings[k] / M, h = 1.0 - cos(th), cap = PBDR_PI * h * h * (3.0 - h) / 3.0;
        Soup soup = {0}, cut = {0};
        addBall(&soup, pbdrVec(0.0, 0.0, 0.0), 1.0, M, M, 0.0);
        for (int t = 0; t < soup.count; t++) {
            const pbdrVec3* c = soup.corners[t];
            if (fmin(c[0].z, fmin(c[1].z, c[2].z)) < cos(th) - 1.0e-9) {
                addTriangle(&cut, c[0], c[1], c[2]);
            }
        }
        free(soup.corners);
        pbdrMesh mesh = makeMesh(&cut), repaired;
        pbdrMeshRepair report;
        CHECK_EQ(pbdrRepairMesh(&mesh, NULL, &repaired, &report, NULL), pbdr_statusOk);
        CHECK_EQ(report.filledHoles, 1);
        CHECK_GE(report.volumeError, cap);
        CHECK_LE(report.volumeError, 3.0 * cap);
        pbdrMesh_Free(&repaired);
        pbdrMesh_Free(&mesh);
    }
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }

int main(int argc, char** argv)
{
    CASES(argc, argv, CASE(mesh_repair__leaves_a_sound_mesh_alone),
          CASE(mesh_repair__lost_flipped_and_doubled_facets_are_mended),
          CASE(mesh_repair__lost_facet_of_a_box_is_given_back),
          CASE(mesh_repair__holes_are_taken_when_small_and_refused_when_large),
          CASE(mesh_repair__a_box_without_a_face_is_refused), CASE(mesh_repair__overlapping_parts_count_once),
          CASE(mesh_repair__walls_vanish_cavities_stay_and_parts_face_out),
          CASE(mesh_repair__one_sided_surface_is_refused),
          CASE(mesh_repair__damaged_meshes_are_packed_as_sound_ones),
          CASE(mesh_repair__fill_error_covers_a_lost_cap));
}
