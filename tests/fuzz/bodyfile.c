// A body file: refused, or a body that can be written, and read again as the same spheres.
#define _POSIX_C_SOURCE 200809L // open_memstream

#include "pbdr/bodyfile.h"
#include "target.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    pbdrBodyFile body, again;
    pbdrError error = {0};
    if (pbdrLoadBodyFile(fuzzWriteInput(".json", data, size), NULL, &body, &error) != pbdr_statusOk) {
        FUZZ_REQUIRE(error.message[0] != 0 && body.spheres.count == 0);
        return 0;
    }
    char* text = NULL;
    size_t length = 0;
    FILE* file = open_memstream(&text, &length);
    FUZZ_REQUIRE(pbdrBodyFile_Write(&body, file, &error) == pbdr_statusOk);
    fclose(file);
    FUZZ_REQUIRE(pbdrLoadBodyFile(fuzzWriteInput(".json", (const uint8_t*)text, length), NULL, &again,
                                  &error) == pbdr_statusOk);
    size_t count = (size_t)body.spheres.count;
    FUZZ_REQUIRE(again.spheres.count == body.spheres.count);
    FUZZ_REQUIRE(memcmp(again.spheres.radii, body.spheres.radii, count * sizeof(double)) == 0);
    pbdrBodyFile_Free(&body);
    pbdrBodyFile_Free(&again);
    free(text);
    return 0;
}
