// Feeds files to a fuzz target, as libFuzzer would: replay FOLDER... A crash names the file before it.
#define _POSIX_C_SOURCE 200809L

#include "target.h"

#include <dirent.h>
#include <string.h>

static void replayFile(const char* path)
{
    FILE* file = fopen(path, "rb");
    FUZZ_REQUIRE(file != NULL && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    FUZZ_REQUIRE(size >= 0 && fseek(file, 0, SEEK_SET) == 0);
    uint8_t* data = malloc((size_t)size + 1);
    FUZZ_REQUIRE(data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size);
    fclose(file);
    printf("%s, %ld bytes\n", path, size);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, (size_t)size);
    free(data);
}

int main(int argc, char** argv)
{
    int count = 0;
    for (int k = 1; k < argc; k++) {
        DIR* folder = opendir(argv[k]);
        if (folder == NULL) {
            printf("%s: there is no such folder\n", argv[k]);
            return 1;
        }
        for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", argv[k], entry->d_name);
            if (entry->d_name[0] != '.') {
                replayFile(path);
                count++;
            }
        }
        closedir(folder);
    }
    printf("cases: %d passed, 0 failed, 0 skipped\n", count);
    return count > 0 ? 0 : 1;
}
