// A mesh file of the format FUZZ_ENDING: refused with a message, or a mesh that keeps its promises.
#include "pbdr/meshfile.h"
#include "target.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    const char* path = fuzzWriteInput(FUZZ_ENDING, data, size);
    pbdrMesh mesh;
    pbdrMeshFileReport report;
    pbdrError error = {0};
    pbdrStatus status = pbdrReadMeshFile(path, NULL, &mesh, &report, &error);
    if (status != pbdr_statusOk) {
        FUZZ_REQUIRE(error.status == status && strstr(error.message, path) == error.message);
        FUZZ_REQUIRE(mesh.vertices == NULL && mesh.triangles == NULL);
        return 0;
    }
    FUZZ_REQUIRE(mesh.vertexCount >= 3 && mesh.triangleCount >= 1);
    FUZZ_REQUIRE((report.skippedFaces + report.crossedFaces > 0) == (report.warning[0] != 0));
    for (int i = 0; i < mesh.vertexCount; i++) {
        FUZZ_REQUIRE(isfinite(mesh.vertices[i].x) && isfinite(mesh.vertices[i].y) &&
                     isfinite(mesh.vertices[i].z));
    }
    for (int t = 0; t < mesh.triangleCount; t++) {
        const int32_t* c = mesh.triangles[t];
        FUZZ_REQUIRE(c[0] != c[1] && c[1] != c[2] && c[2] != c[0]);
        for (int k = 0; k < 3; k++) {
            FUZZ_REQUIRE(c[k] >= 0 && c[k] < mesh.vertexCount);
        }
    }
    pbdrMeshReport again;
    pbdrMesh_Check(&mesh, &again, &error);
    FUZZ_REQUIRE(again.openEdges == report.mesh.openEdges && again.crowdedEdges == report.mesh.crowdedEdges);
    pbdrMesh_Free(&mesh);
    return 0;
}
