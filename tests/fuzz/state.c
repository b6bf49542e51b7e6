// State bytes for a small world: refused with the world as it was, or taken, and the world goes on. The first
// byte chooses solver and precision, and whether the rest are the state's bytes or changes to a good state
// (two bytes of place, eight of value), which come past the checks of size and layout.
#include "small_world.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static uint8_t before[1 << 16], bytes[1 << 16];
    if (size < 1) {
        return 0;
    }
    pbdrWorld* world = makeSmallWorld(data[0] & 15);
    size_t stateSize = pbdrWorld_GetStateSize(world), given = size - 1;
    FUZZ_REQUIRE(stateSize <= sizeof before);
    FUZZ_REQUIRE(pbdrWorld_GetState(world, before, stateSize, NULL) == pbdr_statusOk);
    const uint8_t* state = data + 1;
    if ((data[0] & 16) != 0) {
        memcpy(bytes, before, stateSize);
        for (size_t k = 1; k + 10 <= size; k += 10) {
            size_t place = ((size_t)data[k] << 8 | data[k + 1]) % (stateSize - 7);
            memcpy(bytes + place, data + k + 2, 8);
        }
        state = bytes;
        given = stateSize;
    }
    pbdrError error = {0};
    if (pbdrWorld_SetState(world, state, given, &error) == pbdr_statusOk) {
        pbdrWorld_SetIterations(world, 3); // a state may have any number of them: time is not the question
        pbdrWorld_Step(world, 2);
    } else {
        static uint8_t after[sizeof before];
        FUZZ_REQUIRE(error.message[0] != 0);
        FUZZ_REQUIRE(pbdrWorld_GetStateSize(world) == stateSize);
        FUZZ_REQUIRE(pbdrWorld_GetState(world, after, stateSize, NULL) == pbdr_statusOk);
        FUZZ_REQUIRE(memcmp(before, after, stateSize) == 0);
    }
    pbdrDestroyWorld(world);
    return 0;
}
