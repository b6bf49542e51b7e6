// Finds the benchmark's mesh and the pages beside the program, so that neither a build tree nor an installed one remembers
// its place.
#define _POSIX_C_SOURCE 200809L
#include "data.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_LENGTH 4096 // [bytes], with the closing zero

// In path: the program's folder. False where the system does not say it (no /proc) or it is too long.
static bool findProgramFolder(char path[PATH_LENGTH])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_LENGTH - 1);
    if (length <= 0 || length >= PATH_LENGTH - 1) {
        return false;
    }
    path[length] = 0;
    char* slash = strrchr(path, '/');
    if (slash == NULL) {
        return false;
    }
    *slash = 0;
    return true;
}

const char* getDefaultMesh(void)
{
    const char* chosen = getenv("PBDR_BUNNY");
    if (chosen != NULL && chosen[0] != 0) {
        return chosen;
    }
    static char path[PATH_LENGTH]; // the command line has one thread
    char folder[PATH_LENGTH];
    const char* places[] = {"data", PBDR_BIN_TO_DATA}; // build tree, installed tree
    if (findProgramFolder(folder)) {
        for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
            int length = snprintf(path, sizeof path, "%s/%s/bunny.stl", folder, places[k]);
            if (length > 0 && length < PATH_LENGTH && access(path, R_OK) == 0) {
                return path;
            }
        }
    }
    return PBDR_DATA_DIR "/bunny.stl";
}

const char* findDataFolder(const char* name, const char* file)
{
    static char path[PATH_LENGTH]; // the command line has one thread
    char folder[PATH_LENGTH], whole[PATH_LENGTH];
    const char* places[] = {".", PBDR_BIN_TO_DATA};
    for (size_t k = 0; findProgramFolder(folder) && k < sizeof places / sizeof places[0]; k++) {
        int length = snprintf(path, sizeof path, "%s/%s/%s", folder, places[k], name);
        if (length > 0 && length < PATH_LENGTH &&
            snprintf(whole, sizeof whole, "%s/%s", path, file) < PATH_LENGTH && access(whole, R_OK) == 0) {
            return path;
        }
    }
    return NULL;
}
