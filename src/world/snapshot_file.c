// Snapshots as files: written under another name and renamed, read whole.
#include "world/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_PATH 4096

// --- Writing ---

// A file of these bytes, brought out of the program; what could not be done, or NULL.
static const char* writeFile(const char* path, const char* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    if (file == NULL) {
        return strerror(errno);
    }
    errno = 0;
    bool good = fwrite(bytes, 1, size, file) == size && fflush(file) == 0;
    const int cause = errno;
    good = fclose(file) == 0 && good;
    return good ? NULL : strerror(cause != 0 ? cause : errno);
}

static pbdrStatus writeWhole(const char* path, const char* bytes, size_t size, pbdrError* error)
{
    char temporary[MAX_PATH];
    const int length = snprintf(temporary, sizeof temporary, "%s.tmp", path);
    if (length < 0 || (size_t)length >= sizeof temporary) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "%.200s...: the name is too long", path);
    }
    const char* problem = writeFile(temporary, bytes, size);
    if (problem == NULL && rename(temporary, path) != 0) {
        problem = strerror(errno);
    }
    if (problem != NULL) {
        pbdrFail(error, pbdr_statusFileNotFound, "%s: cannot write: %s", path, problem);
        remove(temporary);
        return pbdr_statusFileNotFound;
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrWorld_SaveSnapshot(const pbdrWorld* world, uint64_t key, const char* path, pbdrError* error)
{
    const pbdrHooks hooks = world->hooks;
    const size_t size = pbdrWorld_GetSnapshotSize(world);
    char* bytes = pbdrAllocate(&hooks, 1, size);
    if (bytes == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "%s: out of memory for a snapshot of %zu bytes", path,
                        size);
    }
    pbdrStatus status = pbdrWorld_GetSnapshot(world, key, bytes, size, error);
    status = status != pbdr_statusOk ? status : writeWhole(path, bytes, size, error);
    pbdrRelease(&hooks, bytes, 1, size);
    return status;
}

// --- Reading ---

static pbdrStatus failRead(const char* path, pbdrError* error)
{
    return pbdrFail(error, pbdr_statusFileNotFound, "%s: %s", path,
                    errno != 0 ? strerror(errno) : "cannot be read");
}

// Opens a file and reads its head; *size: of the file. Beyond its end the head is zero.
static pbdrStatus openFile(const char* path, FILE** file, pbdrSnapshotHead* head, size_t* size,
                           pbdrError* error)
{
    memset(head, 0, sizeof *head);
    errno = 0;
    *file = fopen(path, "rb");
    if (*file == NULL) {
        return failRead(path, error);
    }
    const size_t headSize = fread(head, 1, sizeof *head, *file);
    const bool good = !ferror(*file) && fseek(*file, 0, SEEK_END) == 0;
    const long end = good ? ftell(*file) : -1;
    if (end < 0 || (size_t)end < headSize || fseek(*file, 0, SEEK_SET) != 0) {
        failRead(path, error);
        fclose(*file);
        return pbdr_statusFileNotFound;
    }
    *size = (size_t)end;
    const pbdrStatus status = pbdrCheckSnapshotHead(head, *size, path, error);
    if (status != pbdr_statusOk) {
        fclose(*file);
    }
    return status;
}

pbdrStatus pbdrWorld_LoadSnapshot(pbdrWorld* world, uint64_t key, const char* path, pbdrError* error)
{
    FILE* file;
    size_t size;
    pbdrSnapshotHead head;
    pbdrStatus status = openFile(path, &file, &head, &size, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const pbdrHooks hooks = world->hooks;
    char* bytes = pbdrAllocate(&hooks, 1, size);
    if (bytes == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "%s: out of memory for its %zu bytes", path, size);
    } else if (fread(bytes, 1, size, file) != size) {
        status = failRead(path, error);
    } else {
        status = pbdrWorld_SetSnapshot(world, key, bytes, size, path, error);
    }
    pbdrRelease(&hooks, bytes, 1, size);
    fclose(file);
    return status;
}

pbdrStatus pbdrReadSnapshotInfo(const char* path, pbdrSnapshotInfo* info, pbdrError* error)
{
    FILE* file;
    size_t size;
    pbdrSnapshotHead head;
    pbdrStatus status = openFile(path, &file, &head, &size, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    char part[4096];
    uint64_t found = PBDR_HASH_START, stored = 0;
    size_t left = size - sizeof stored;
    while (left > 0) {
        const size_t count = fread(part, 1, left < sizeof part ? left : sizeof part, file);
        if (count == 0) {
            break;
        }
        found = pbdrAddToHash(found, part, count);
        left -= count;
    }
    const bool good = left == 0 && fread(&stored, 1, sizeof stored, file) == sizeof stored;
    fclose(file);
    status = good ? pbdrCheckSnapshotSum(stored, found, path, error) : failRead(path, error);
    if (status == pbdr_statusOk) {
        *info = (pbdrSnapshotInfo){
            .key = head.key,
            .substepCount = head.substepCount,
            .timeStep = head.timeStep,
            .gravity = head.gravity,
            .solver = (pbdrSolver)head.solver,
            .precision = (pbdrPrecision)head.precision,
            .engine = (pbdrEngine)head.engine,
            .contact = (pbdrContactKind)head.contact,
            .bodyCount = head.bodyCount,
            .planeCount = head.planeCount,
            .hash = head.hash,
            .size = head.size,
        };
    }
    return status;
}
