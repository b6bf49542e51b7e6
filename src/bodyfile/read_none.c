// In place of read.c in builds without jansson.
#include "pbdr/bodyfile.h"

#include "base.h"

#include <string.h>

bool pbdrCanLoadBodyFile(void)
{
    return false;
}

pbdrStatus pbdrLoadBodyFile(const char* path, const pbdrHooks* hooks, pbdrBodyFile* body, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, path != NULL && body != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or body: NULL");
    }
    memset(body, 0, sizeof *body);
    return pbdrFail(error, pbdr_statusNotSupported,
                    "%.300s: this build reads no body files: install libjansson-dev and pkg-config", path);
}
