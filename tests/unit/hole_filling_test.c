// The error that a filled hole is said to cause, against the volume that is really missing.
#include "meshes.h"

// A ball of unit radius in n x m facets whose cap of angle `down` is cut off: the fill is flat, so it lacks
//     V = pi h^2 (3 - h)/3,  h = 1 - cos(down)
// of the ball. Stated is a cone over the hole with the rim's slope: area r tan(angle)/3, 4/3 of the cap for
// small angles.
static void fill__of_a_cap_is_stated_within_a_factor(void)
{
    const int caps[4] = {2, 4, 6, 8};
    const int n = 64, m = 48;
    for (int k = 0; k < 4; k++) {
        Soup soup = {0};
        for (int i = 0; i < n; i++) {
            for (int j = caps[k]; j < m; j++) {
                pbdrVec3 p = getBallPoint(i, n, j, m, 0.0), q = getBallPoint(i + 1, n, j, m, 0.0);
                pbdrVec3 r = getBallPoint(i + 1, n, j + 1, m, 0.0), s = getBallPoint(i, n, j + 1, m, 0.0);
                if (j + 1 < m) {
                    addTriangle(&soup, p, s, r);
                }
                addTriangle(&soup, p, r, q);
            }
        }
        pbdrMesh mesh = makeMesh(&soup), repaired = {0};
        pbdrMeshRepair report;
        pbdrError error = {0};
        CHECK_EQ(pbdrRepairMesh(&mesh, NULL, &repaired, &report, &error), pbdr_statusOk);
        double h = 1.0 - cos(PBDR_PI * caps[k] / m), missing = PBDR_PI * h * h * (3.0 - h) / 3.0;
        CHECK_EQ(report.filledHoles, 1);
        CHECK_GE(report.volumeError, missing);
        CHECK_LE(report.volumeError, 3.0 * missing);
        pbdrMesh_Free(&mesh);
        pbdrMesh_Free(&repaired);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"fill__of_a_cap_is_stated_within_a_factor", fill__of_a_cap_is_stated_within_a_factor});
}
