// A point cloud; the first byte says whether as PLY or as text.
#include "pbdr/meshfile.h"
#include "target.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (size < 1) {
        return 0;
    }
    pbdrPointCloud cloud;
    pbdrError error = {0};
    const char* path = fuzzWriteInput(data[0] == 'p' ? ".ply" : ".pts", data + 1, size - 1);
    pbdrStatus status = pbdrLoadPointCloud(path, NULL, &cloud, &error);
    FUZZ_REQUIRE(status == pbdr_statusOk || (error.status == status && error.message[0] != 0));
    FUZZ_REQUIRE(status != pbdr_statusOk || cloud.count > 0);
    for (int i = 0; i < cloud.count; i++) {
        FUZZ_REQUIRE(isfinite(cloud.points[i].x) && isfinite(cloud.points[i].y) &&
                     isfinite(cloud.points[i].z));
    }
    pbdrPointCloud_Free(&cloud);
    return 0;
}
