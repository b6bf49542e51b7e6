// In place of the reader of MJCF in builds without MuJoCo's headers.
#include "scenefile/memory.h"

bool pbdrCanLoadMjcf(void)
{
    return false;
}

pbdrStatus pbdrReadMjcfScene(pbdrSceneFile* scene, pbdrError* error)
{
    return pbdrFailScene(
        scene->path, 0, error, pbdr_statusNotSupported,
        "this build reads no MJCF and URDF: scripts/fetch_mujoco.sh fetches MuJoCo (or install Debian's "
        "libmujoco-dev); then build again");
}
