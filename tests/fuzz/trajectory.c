// A trajectory file, as `pbdr score` reads it.
#include "trajectory.h"
#include "target.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    BenchTrajectory trajectory = {0};
    pbdrError error = {0};
    const char* path = fuzzWriteInput(".csv", data, size);
    const char* body = size > 0 && data[size - 1] == '\n' ? NULL : "body";
    pbdrStatus status = benchReadTrajectory(path, body, &trajectory, &error);
    FUZZ_REQUIRE(status == pbdr_statusOk || error.message[0] != 0);
    for (int k = 0; status == pbdr_statusOk && k < trajectory.count; k++) {
        FUZZ_REQUIRE(k == 0 ? trajectory.rows[k].t == 0.0 : trajectory.rows[k].t > trajectory.rows[k - 1].t);
    }
    benchFreeTrajectory(&trajectory);
    return 0;
}
