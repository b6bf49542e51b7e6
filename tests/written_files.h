// Files that a test writes byte by byte, in a folder of its own that is gone afterwards. Needs
// _POSIX_C_SOURCE 200809L before the first header.
#ifndef PBDR_TESTS_WRITTEN_FILES_H
#define PBDR_TESTS_WRITTEN_FILES_H

#include "check.h"

#include <dirent.h>
#include <stdint.h>
#include <unistd.h>

static char filesFolder[] = "/tmp/pbdr_files_XXXXXX";

// A path in the test's folder; good until the next call.
static const char* getPath(const char* name)
{
    static char path[sizeof filesFolder + 300];
    snprintf(path, sizeof path, "%s/%s", filesFolder, name);
    return path;
}

static void removeFilesFolder(void)
{
    DIR* folder = opendir(filesFolder);
    for (struct dirent* entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        remove(getPath(entry->d_name));
    }
    if (folder != NULL) {
        closedir(folder);
    }
    rmdir(filesFolder);
}

// Makes the folder, and removes it with all its files when the program ends.
static bool makeFilesFolder(void)
{
    if (mkdtemp(filesFolder) == NULL) {
        printf("no folder for test files: %s\n", filesFolder);
        return false;
    }
    atexit(removeFilesFolder);
    return true;
}

static void writeFile(const char* name, const void* data, size_t size)
{
    FILE* file = fopen(getPath(name), "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK_EQ(fwrite(data, 1, size, file), size);
        fclose(file);
    }
}

// A file being put together.
typedef struct Bytes {
    unsigned char data[4096];
    size_t size;
    bool bigEndian;
} Bytes;

static inline void put(Bytes* bytes, const void* data, size_t size)
{
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static inline void putText(Bytes* bytes, const char* text)
{
    put(bytes, text, strlen(text));
}

// The low `size` bytes of a number, in the file's byte order.
static inline void putInteger(Bytes* bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        int shift = 8 * (bytes->bigEndian ? size - 1 - i : i);
        bytes->data[bytes->size++] = (unsigned char)(value >> shift);
    }
}

static inline void putFloat(Bytes* bytes, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    putInteger(bytes, bits, 4);
}

static inline void putDouble(Bytes* bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    putInteger(bytes, bits, 8);
}

// One to four bytes changed, half of them to digits; `round` and the seed say which.
static inline void damageBytes(Bytes* bytes, uint64_t* seed, int round)
{
    for (int k = 0; k < 1 + round % 4; k++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t at = (size_t)(*seed >> 33) % bytes->size;
        bytes->data[at] = (*seed & 0x100000) != 0 ? (unsigned char)(*seed >> 24)
                                                  : (unsigned char)('0' + (*seed >> 24) % 10);
    }
}

#endif
