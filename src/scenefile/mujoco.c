// Opening MuJoCo's library.
#include "scenefile/mujoco.h"

#include "base.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// A symbol's address as the function or variable that it is: POSIX says that a pointer to an object can hold it.
static bool bind(void* library, const char* name, void* place)
{
    void* symbol = dlsym(library, name);
    memcpy(place, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool bindAll(pbdrMujoco* mujoco)
{
    void* library = mujoco->library;
    return bind(library, "mj_version", &mujoco->version) &&
           bind(library, "mj_versionString", &mujoco->versionString) &&
           bind(library, "mj_loadXML", &mujoco->loadXml) &&
           bind(library, "mj_deleteModel", &mujoco->deleteModel) &&
           bind(library, "mj_makeData", &mujoco->makeData) &&
           bind(library, "mj_resetDataKeyframe", &mujoco->resetToKeyframe) &&
           bind(library, "mj_deleteData", &mujoco->deleteData) &&
           bind(library, "mj_kinematics", &mujoco->findPoses) &&
           bind(library, "mj_id2name", &mujoco->getName) &&
           bind(library, "mju_user_warning", &mujoco->userWarning);
}

pbdrStatus pbdrOpenMujoco(const pbdrSceneFile* scene, pbdrMujoco* mujoco, pbdrError* error)
{
    const char* chosen = getenv("PBDR_MUJOCO");
    const char* const places[] = {PBDR_MUJOCO_NAME, PBDR_MUJOCO_PATH};
    *mujoco = (pbdrMujoco){.library = NULL};
    if (chosen != NULL && chosen[0] != 0) {
        mujoco->library = dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    } else {
        for (size_t k = 0; mujoco->library == NULL && k < sizeof places / sizeof places[0]; k++) {
            mujoco->library = dlopen(places[k], RTLD_NOW | RTLD_LOCAL);
        }
    }
    if (mujoco->library == NULL) {
        const char* why = dlerror();
        return pbdrFailScene(
            scene->path, 0, error, pbdr_statusNotSupported,
            "MJCF and URDF need MuJoCo's library, which was not found (%.160s): scripts/fetch_mujoco.sh "
            "fetches it, or set PBDR_MUJOCO to the path of its libmujoco.so",
            why != NULL ? why : "");
    }
    if (!bindAll(mujoco)) {
        pbdrCloseMujoco(mujoco);
        return pbdrFailScene(scene->path, 0, error, pbdr_statusNotSupported,
                             "the library that was found as MuJoCo's lacks some of its functions");
    }
    if (mujoco->version() != mjVERSION_HEADER) {
        int version = mujoco->version();
        pbdrCloseMujoco(mujoco);
        return pbdrFailScene(scene->path, 0, error, pbdr_statusNotSupported,
                             "built for MuJoCo %d, but the library is %d", mjVERSION_HEADER, version);
    }
    return pbdr_statusOk;
}

void pbdrCloseMujoco(pbdrMujoco* mujoco)
{
    // stays open: MuJoCo registers its plug-ins once per process, and closing it would not undo that
    *mujoco = (pbdrMujoco){.library = NULL};
}
