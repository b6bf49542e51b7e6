// Where the benchmark's mesh is.
#ifndef PBDR_CLI_DATA_H
#define PBDR_CLI_DATA_H

#include <stdlib.h>

// $PBDR_BUNNY, else where scripts/setup.sh put it in the build tree.
static inline const char* getDefaultMesh(void)
{
    const char* path = getenv("PBDR_BUNNY");
    return path != NULL && path[0] != 0 ? path : PBDR_DATA_DIR "/bunny.stl";
}

#endif
