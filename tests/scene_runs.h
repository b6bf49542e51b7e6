// Scenes out of scenes/, run here and, where the build has it, in MuJoCo.
#ifndef PBDR_TESTS_SCENE_RUNS_H
#define PBDR_TESTS_SCENE_RUNS_H

#include "check.h"

#include "pbdr/scenefile.h"

#include <string.h>

typedef struct SceneRun {
    pbdrSceneFile* scene;
    pbdrSceneWorld* made;
    uint32_t flags;
} SceneRun;

static inline void freeRun(SceneRun* run)
{
    pbdrDestroySceneWorld(run->made);
    pbdrFreeScene(run->scene);
    memset(run, 0, sizeof *run);
}

// Loads a file of scenes/ and makes its world; false where MuJoCo's library or the bunny is not there.
static inline bool openRun(SceneRun* run, const char* name)
{
    char path[1024];
    pbdrError error = {.message = ""};
    memset(run, 0, sizeof *run);
    snprintf(path, sizeof path, "%s/%s.xml", PBDR_SCENES, name);
    pbdrStatus status = pbdrLoadScene(path, NULL, &run->scene, &error);
    if (status == pbdr_statusNotSupported ||
        (status != pbdr_statusOk && strstr(error.message, "bunny.stl") != NULL)) {
        return false;
    }
    CHECK_EQ(status, pbdr_statusOk);
    if (status == pbdr_statusOk) {
        pbdrWorldDef def = pbdrSceneFile_GetWorldDef(run->scene);
        status = pbdrCreateSceneWorld(run->scene, &def, NULL, &run->made, &error);
        CHECK_EQ(status, pbdr_statusOk);
    }
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
        freeRun(run);
    }
    return status == pbdr_statusOk;
}

static inline void stepRun(SceneRun* run, double seconds)
{
    double dt = pbdrWorld_GetTimeStep(run->made->world);
    run->flags |= pbdrSceneWorld_Step(run->made, (int)floor(seconds / dt + 0.5));
}

static inline int findRunBody(const SceneRun* run, const char* name)
{
    for (int i = 0; i < run->scene->bodyCount; i++) {
        if (strcmp(run->scene->bodies[i].name, name) == 0) {
            return i;
        }
    }
    const bool isThere = false; // a body of that name
    CHECK(isThere);
    return 0;
}

// Of a body's centre of mass.
static inline pbdrVec3 getRunPlace(const SceneRun* run, const char* name)
{
    return pbdrBody_GetPose(run->made->world, run->made->bodies[findRunBody(run, name)]).position;
}

#endif
