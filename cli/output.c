// Output files that are never seen half-written.
#define _XOPEN_SOURCE 700
#include "output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool refuse(const char* path, const char* why)
{
    fprintf(stderr, "pbdr: %s: cannot write: %s\n", path, why);
    return false;
}

// What the path leads to: the end of a chain of links, or the path itself where nothing is yet.
static bool findTarget(Output* output)
{
    char* resolved = realpath(output->path, NULL);
    int length =
        snprintf(output->target, sizeof output->target, "%s", resolved != NULL ? resolved : output->path);
    free(resolved);
    return length >= 0 && (size_t)length < sizeof output->target;
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
    if (!exists || S_ISREG(info.st_mode)) {
        int length = snprintf(output->temporary, sizeof output->temporary, "%s.%ld.tmp", output->target,
                              (long)getpid());
        if (length < 0 || (size_t)length >= sizeof output->temporary) {
            return refuse(path, "the name is too long");
        }
    }
    output->file = fopen(output->temporary[0] != 0 ? output->temporary : output->target, "w");
    return output->file != NULL || refuse(path, strerror(errno));
}

bool closeOutput(Output* output, bool keep)
{
    bool direct = output->temporary[0] == 0;
    bool good = !ferror(output->file);
    good = fclose(output->file) == 0 && good;
    output->file = NULL;
    if (keep && good && !direct) {
        good = rename(output->temporary, output->target) == 0;
    }
    if (!direct && (!keep || !good)) {
        int cause = errno;
        remove(output->temporary);
        errno = cause;
    }
    return good || !keep ? true : refuse(output->path, strerror(errno));
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
