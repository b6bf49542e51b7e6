// Models in MJCF and URDF, written to a file and loaded, for tests of what becomes of them.
#ifndef PBDR_TESTS_MODELS_H
#define PBDR_TESTS_MODELS_H

#include "pbdr/scenefile.h"

#include "written_files.h"

static inline pbdrSceneFile* loadAs(const char* name, const char* text, pbdrError* error)
{
    pbdrSceneFile* scene = NULL;
    writeFile(name, text, strlen(text));
    pbdrLoadScene(getPath(name), NULL, &scene, error);
    return scene;
}

// Files with words that an old MuJoCo does not know are not its fault.
static bool isTooOld;

static inline pbdrSceneFile* load(const char* text)
{
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene = loadAs("model.xml", text, &error);
    isTooOld = strstr(error.message, "unrecognized attribute") != NULL;
    if (scene == NULL && !isTooOld) {
        printf("    %s\n", error.message);
        const bool loads = false;
        CHECK(loads);
    }
    return scene;
}

#define LOAD(scene, text)                                                                                    \
    pbdrSceneFile* scene = load(text);                                                                       \
    if (scene == NULL) {                                                                                     \
        if (isTooOld) {                                                                                      \
            SKIP("an old MuJoCo, which does not know all of the file");                                      \
        }                                                                                                    \
        return;                                                                                              \
    }

static inline const pbdrSceneBody* find(const pbdrSceneFile* scene, const char* name)
{
    for (int i = 0; i < scene->bodyCount; i++) {
        if (strcmp(scene->bodies[i].name, name) == 0) {
            return &scene->bodies[i];
        }
    }
    printf("    no body \"%s\"\n", name);
    const bool isThere = false; // a body of that name
    CHECK(isThere);
    return &scene->bodies[0];
}

#define NEED_MUJOCO()                                                                                        \
    do {                                                                                                     \
        pbdrSceneFile* probe = NULL;                                                                         \
        writeFile("probe.xml", "<mujoco/>", 9);                                                              \
        if (pbdrLoadScene(getPath("probe.xml"), NULL, &probe, NULL) == pbdr_statusNotSupported) {            \
            SKIP("no MuJoCo");                                                                               \
        }                                                                                                    \
        pbdrFreeScene(probe);                                                                                \
    } while (0)

#endif
