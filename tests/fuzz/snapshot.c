// Snapshot bytes for a small world: refused with a message and the world as it was, or taken, and the world goes
// on. The first byte chooses solver and precision (bits 0 to 3), whether the rest are the snapshot's bytes or
// changes to a good one (bit 4: two bytes of place, eight of value), whether its checksum is made right again
// (bit 5), and whether it comes by a file (bit 6).
#include "small_world.h"

#include <string.h>

static void sumAnew(uint8_t* bytes, size_t size)
{
    if (size >= 8) {
        const uint64_t sum = pbdrHashBytes(bytes, size - 8);
        memcpy(bytes + size - 8, &sum, 8);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static uint8_t before[1 << 16], after[1 << 16], bytes[1 << 16];
    if (size < 1 || size > sizeof bytes) {
        return 0;
    }
    pbdrWorld* world = makeSmallWorld(data[0] & 15);
    pbdrWorld_SetLedger(world, true);
    const size_t ownSize = pbdrWorld_GetSnapshotSize(world);
    size_t given = size - 1;
    FUZZ_REQUIRE(ownSize <= sizeof before);
    FUZZ_REQUIRE(pbdrWorld_GetSnapshot(world, 7, before, ownSize, NULL) == pbdr_statusOk);
    memcpy(bytes, data + 1, given);
    if ((data[0] & 16) != 0) {
        memcpy(bytes, before, ownSize);
        given = ownSize;
        for (size_t k = 1; k + 10 <= size; k += 10) {
            memcpy(bytes + ((size_t)data[k] << 8 | data[k + 1]) % (ownSize - 7), data + k + 2, 8);
        }
    }
    if ((data[0] & 32) != 0) {
        sumAnew(bytes, given);
    }
    pbdrError error = {0};
    pbdrSnapshotInfo info;
    pbdrStatus status;
    if ((data[0] & 64) != 0) {
        const char* path = fuzzWriteInput(".snap", bytes, given);
        status = pbdrWorld_LoadSnapshot(world, 7, path, &error);
        FUZZ_REQUIRE(status != pbdr_statusOk || pbdrReadSnapshotInfo(path, &info, NULL) == pbdr_statusOk);
    } else {
        status = pbdrWorld_SetSnapshot(world, 7, bytes, given, NULL, &error);
    }
    if (status == pbdr_statusOk) {
        pbdrWorld_SetIterations(world, 3); // a state may have any number of them: time is not the question
        pbdrWorld_Step(world, 2);
    } else {
        FUZZ_REQUIRE(error.message[0] != 0);
        FUZZ_REQUIRE(pbdrWorld_GetSnapshotSize(world) == ownSize);
        FUZZ_REQUIRE(pbdrWorld_GetSnapshot(world, 7, after, ownSize, NULL) == pbdr_statusOk);
        FUZZ_REQUIRE(memcmp(before, after, ownSize) == 0);
    }
    pbdrDestroyWorld(world);
    return 0;
}
