// The parsers take paths, so an input becomes a file; in memory where the system has such a folder.
#define _POSIX_C_SOURCE 200809L

#include "target.h"

#include <unistd.h>

static char path[64];

static void removeInput(void)
{
    remove(path);
}

const char* fuzzWriteInput(const char* ending, const uint8_t* data, size_t size)
{
    if (path[0] == 0) {
        atexit(removeInput);
    } else {
        remove(path); // the ending may be another
    }
    const char* folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(path, sizeof path, "%s/pbdr_fuzz_%ld%s", folder, (long)getpid(), ending);
    FILE* file = fopen(path, "wb");
    FUZZ_REQUIRE(file != NULL);
    FUZZ_REQUIRE(fwrite(data, 1, size, file) == size);
    FUZZ_REQUIRE(fclose(file) == 0);
    return path;
}
