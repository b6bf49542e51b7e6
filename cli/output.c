// Output files that are never seen half-written.
#define _XOPEN_SOURCE 700
#include "output.h"

#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(const char* path, const char* why)
{
    benchPrintMessage("pbdr: %s: cannot write: %s\n", path, why);
    return false;
}

// What the path leads to: the end of a chain of links, or the path itself where nothing is yet.
static bool findTarget(Output* output)
{
    _Static_assert(sizeof output->target >= PATH_MAX, "realpath needs as much");
    if (realpath(output->path, output->target) != NULL) {
        return true;
    }
    int length = snprintf(output->target, sizeof output->target, "%s", output->path);
    return length >= 0 && (size_t)length < sizeof output->target;
}

// Temporaries that exist now; removeTemporaries may be called at any moment.
#define MAX_OPEN 8
static char openTemporaries[MAX_OPEN][sizeof((Output*)0)->temporary];

static void noteTemporary(const char* path)
{
    for (int k = 0; k < MAX_OPEN; k++) {
        if (openTemporaries[k][0] == 0) {
            strcpy(openTemporaries[k] + 1, path + 1);
            openTemporaries[k][0] = path[0]; // last: from here on it counts
            return;
        }
    }
}

static void forgetTemporary(const char* path)
{
    for (int k = 0; k < MAX_OPEN; k++) {
        if (strcmp(openTemporaries[k], path) == 0) {
            openTemporaries[k][0] = 0;
        }
    }
}

void removeTemporaries(void)
{
    for (int k = 0; k < MAX_OPEN; k++) {
        if (openTemporaries[k][0] != 0) {
            unlink(openTemporaries[k]);
        }
    }
}

// The temporary file, locked and empty. One that a killed process left is used again; one that a living
// process writes is not touched (EBUSY).
static int openTemporary(const char* path)
{
    for (;;) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (file < 0) {
            return -1;
        }
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        struct stat opened, named;
        bool locked = fcntl(file, F_SETLK, &lock) == 0;
        bool held = !locked && (errno == EACCES || errno == EAGAIN);
        // file systems without locks: as if nobody else were there
        if (!held && fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino &&
            opened.st_dev == named.st_dev && ftruncate(file, 0) == 0) {
            return file;
        }
        int cause = held ? EBUSY : errno;
        bool gone = !held && stat(path, &named) != 0 && errno == ENOENT; // its writer has just renamed it
        close(file);
        if (!gone) {
            errno = cause;
            return -1;
        }
    }
}

bool openOutput(Output* output, const char* path)
{
    *output = (Output){.path = path};
    if (!findTarget(output)) {
        return refuse(path, "the name is too long");
    }
    struct stat info;
    bool exists = stat(output->target, &info) == 0;
    if (exists && S_ISDIR(info.st_mode)) {
        return refuse(path, strerror(EISDIR));
    }
    if (exists && !S_ISREG(info.st_mode)) {
        output->file = fopen(output->target, "w");
        return output->file != NULL || refuse(path, strerror(errno));
    }
    int length = snprintf(output->temporary, sizeof output->temporary, "%s.tmp", output->target);
    if (length < 0 || (size_t)length >= sizeof output->temporary) {
        return refuse(path, "the name is too long");
    }
    int file = openTemporary(output->temporary);
    if (file < 0) {
        return refuse(path, errno == EBUSY ? "another process is writing it" : strerror(errno));
    }
    noteTemporary(output->temporary);
    output->file = fdopen(file, "w");
    if (output->file == NULL) {
        int cause = errno;
        close(file);
        remove(output->temporary);
        forgetTemporary(output->temporary);
        return refuse(path, strerror(cause));
    }
    return true;
}

bool closeOutput(Output* output, bool keep)
{
    bool direct = output->temporary[0] == 0;
    bool good = !ferror(output->file) && fflush(output->file) == 0;
    // What is renamed must be on the disk first: or a power cut may leave an empty file under the final name.
    good = good && (direct || !keep || fsync(fileno(output->file)) == 0);
    int cause = good ? 0 : errno;
    if (keep && good && !direct) {
        good = rename(output->temporary, output->target) == 0; // while the lock is still held
        cause = good ? 0 : errno;
    }
    if (!direct && (!keep || !good)) {
        remove(output->temporary);
    }
    if (fclose(output->file) != 0 && good) {
        good = false;
        cause = errno;
    }
    output->file = NULL;
    if (!direct) {
        forgetTemporary(output->temporary);
    }
    return good || !keep ? true : refuse(output->path, strerror(cause));
}

bool probeOutput(const char* path)
{
    Output output;
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
        return true; // opening a pipe would wait for its reader
    }
    return openOutput(&output, path) && closeOutput(&output, false);
}
