// Output files that are never seen half-written.
#define _POSIX_C_SOURCE 200809L
#include "output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

bool openOutput(Output* output, const char* path)
{
    output->path = path;
    output->file = NULL;
    int length = snprintf(output->temporary, sizeof output->temporary, "%s.%ld.tmp", path, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof output->temporary) {
        fprintf(stderr, "pbdr: %s: the name is too long\n", path);
        return false;
    }
    output->file = fopen(output->temporary, "w");
    if (output->file == NULL) {
        fprintf(stderr, "pbdr: %s: cannot write: %s\n", path, strerror(errno));
    }
    return output->file != NULL;
}

bool closeOutput(Output* output, bool keep)
{
    bool good = !ferror(output->file);
    good = fclose(output->file) == 0 && good;
    output->file = NULL;
    if (keep && good) {
        good = rename(output->temporary, output->path) == 0;
    }
    if (keep && !good) {
        fprintf(stderr, "pbdr: %s: cannot write: %s\n", output->path, strerror(errno));
    }
    if (!keep || !good) {
        remove(output->temporary);
    }
    return good;
}

bool probeOutput(const char* path)
{
    Output output;
    return openOutput(&output, path) && closeOutput(&output, false);
}
