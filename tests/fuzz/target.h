// What the fuzz targets share: an input as a file, and a way to fail that both libFuzzer and replay.c see.
#ifndef PBDR_TESTS_FUZZ_TARGET_H
#define PBDR_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The target: any bytes, no crash. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Writes the bytes to a file of this process whose name has that ending, such as ".obj"; removed at exit.
const char* fuzzWriteInput(const char* ending, const uint8_t* data, size_t size);

// A promise that does not hold is as bad as a crash.
#define FUZZ_REQUIRE(condition)                                                                              \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                                         \
        }                                                                                                    \
    } while (0)

#endif
