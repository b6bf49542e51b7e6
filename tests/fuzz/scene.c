// A scene in our own format: refused with a message, or a scene that is whole, and whose world, if one can be made of it,
// steps. Sizes are bounded, so that the fuzzer spends its time on reading and not on packing.
#include "pbdr/scenefile.h"
#include "target.h"

#include <math.h>

static bool isSmall(const pbdrSceneFile* scene)
{
    int geoms = 0, triangles = 0;
    bool small = scene->bodyCount <= 8 && scene->sphereCount <= 100;
    for (int i = 0; i < scene->bodyCount; i++) {
        geoms += scene->bodies[i].geomCount;
        for (int g = 0; g < scene->bodies[i].geomCount; g++) {
            small = small && scene->bodies[i].geoms[g].sphereCount <= 100;
        }
    }
    for (int i = 0; i < scene->meshCount; i++) {
        triangles += scene->meshes[i].mesh.triangleCount;
    }
    return small && geoms <= 16 && triangles <= 16;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    pbdrSceneFile* scene = NULL;
    pbdrError error = {.message = ""};
    pbdrStatus status = pbdrLoadScene(fuzzWriteInput(".json", data, size), NULL, &scene, &error);
    FUZZ_REQUIRE((status == pbdr_statusOk) == (scene != NULL));
    if (status != pbdr_statusOk) {
        FUZZ_REQUIRE(error.message[0] != 0 && error.status == status);
        return 0;
    }
    FUZZ_REQUIRE(scene->timeStep > 0.0 && isfinite(scene->timeStep));
    for (int i = 0; i < scene->bodyCount; i++) {
        FUZZ_REQUIRE(scene->bodies[i].name[0] != 0 && scene->bodies[i].geomCount > 0);
    }
    if (isSmall(scene)) {
        pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
        pbdrSceneWorld* made = NULL;
        status = pbdrCreateSceneWorld(scene, &def, NULL, &made, &error);
        FUZZ_REQUIRE((status == pbdr_statusOk) == (made != NULL));
        if (made != NULL) {
            pbdrSceneWorld_Step(made, 1);
        }
        pbdrDestroySceneWorld(made);
    }
    pbdrFreeScene(scene);
    return 0;
}
