// State bytes for a small world: refused with the world as it was, or taken, and the world goes on. The first
// byte chooses solver and precision, and whether the rest are the state's bytes or changes to a good state
// (two bytes of place, eight of value), which come past the checks of size and layout.
#include "pbdr/pbdr.h"
#include "target.h"

#include <string.h>

static void addDumbbell(pbdrWorld* world, double height)
{
    static const pbdrVec3 positions[] = {{-0.05, 0.0, 0.0}, {0.05, 0.0, 0.0}};
    static const double radii[] = {0.05, 0.05}, masses[] = {0.5, 0.5};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId id;
    def.position = (pbdrVec3){0.0, 0.0, height};
    def.particleCount = 2;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    FUZZ_REQUIRE(pbdrCreateBody(world, &def, &id, NULL) == pbdr_statusOk);
}

static pbdrWorld* makeSmallWorld(int choice)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    pbdrWorld* world = NULL;
    pbdrPlaneId ground;
    def.solver = (pbdrSolver)(choice / 2 % 3);
    def.precision = (pbdrPrecision)(choice % 2);
    FUZZ_REQUIRE(pbdrCreateWorld(&def, &world, NULL) == pbdr_statusOk);
    FUZZ_REQUIRE(pbdrCreatePlane(world, &plane, &ground, NULL) == pbdr_statusOk);
    addDumbbell(world, 0.05);
    addDumbbell(world, 0.15);
    pbdrWorld_Step(world, 3);
    return world;
}

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
