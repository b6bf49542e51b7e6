#include "run_snapshot.h"

#include "output.h"

#include "text.h"

#include <stdlib.h>

bool makeRunKey(const pbdrWorld* world, uint64_t* key)
{
    const size_t size = pbdrWorld_GetStateSize(world);
    void* state = malloc(size);
    pbdrError error = {.message = "out of memory"};
    const bool good = state != NULL && pbdrWorld_GetState(world, state, size, &error) == pbdr_statusOk;
    if (good) {
        *key = pbdrHashBytes(state, size);
    } else {
        benchPrintMessage("pbdr run: the start's state: %s\n", error.message);
    }
    free(state);
    return good;
}

bool resumeRun(pbdrWorld* world, uint64_t key, const char* path)
{
    pbdrSnapshotInfo info;
    pbdrError error;
    const double timeStep = pbdrWorld_GetTimeStep(world);
    if (pbdrReadSnapshotInfo(path, &info, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr run: --resume %s\n", error.message);
        return false;
    }
    // the key would tell, but not what it is
    if (info.timeStep != timeStep) {
        benchPrintMessage(
            "pbdr run: --resume %s: its time step is %.10g s, and this run's is %.10g s (--dt)\n", path,
            info.timeStep, timeStep);
        return false;
    }
    if (pbdrWorld_LoadSnapshot(world, key, path, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr run: --resume %s\n", error.message);
        return false;
    }
    return true;
}

// By way of Output and not of pbdrWorld_SaveSnapshot: it brings the file to the disk before it renames it, and a
// signal leaves no temporary file behind.
bool saveRunSnapshot(const pbdrWorld* world, uint64_t key, const char* path)
{
    const size_t size = pbdrWorld_GetSnapshotSize(world);
    void* bytes = malloc(size);
    Output output;
    pbdrError error = {.message = "out of memory"};
    if (bytes == NULL || pbdrWorld_GetSnapshot(world, key, bytes, size, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr run: --snapshot %s: %s\n", path, error.message);
        free(bytes);
        return false;
    }
    bool good = openOutput(&output, path);
    if (good) {
        const bool whole = fwrite(bytes, 1, size, output.file) == size;
        good = closeOutput(&output, true) && whole;
    }
    free(bytes);
    return good;
}
