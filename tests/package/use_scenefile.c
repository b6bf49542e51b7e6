// A stranger's program over libpbdr-scenefile: writes a scene, runs it for a tenth of a second, looks where the box is.
//
//     use_scenefile FILE.json
#include <math.h>
#include <pbdr/scenefile.h>
#include <stdio.h>

static const char SCENE[] =
    "{\"schema\": \"pbdr-scene/2\", \"planes\": [{\"friction\": 0.4}], \"bodies\": [{\"name\": \"box\", "
    "\"shape\": \"box\", \"half_extents_m\": [0.1, 0.1, 0.1], \"mass_kg\": 4, \"start\": "
    "{\"position_m\": [0, 0, 0.1]}, \"force_N\": [17, 0, 0]}]}";

int main(int argc, char** argv)
{
    FILE* file = argc == 2 ? fopen(argv[1], "w") : NULL;
    if (file == NULL || fputs(SCENE, file) < 0 || fclose(file) != 0) {
        fprintf(stderr, "usage: use_scenefile FILE.json\n");
        return 2;
    }
    pbdrSceneFile* scene;
    pbdrSceneWorld* made = NULL;
    pbdrError error = {0};
    if (pbdrLoadScene(argv[1], NULL, &scene, &error) != pbdr_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    if (pbdrCreateSceneWorld(scene, &def, NULL, &made, &error) != pbdr_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        pbdrFreeScene(scene);
        return 1;
    }
    pbdrSceneWorld_Step(made, 100);
    double x = pbdrSceneWorld_GetPose(made, 0).position.x; // (F/m - mu g) t^2/2
    printf("%g m\n", x);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    return fabs(x - 0.00163) < 1e-12 ? 0 : 1;
}
