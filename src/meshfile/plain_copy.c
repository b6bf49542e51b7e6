// What the formats share: messages, the copy's memory, coordinates, polygons.
#include "meshfile/plain_copy.h"

#include "base.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Corners of a polygon at most: assimp cuts one up in quadratic time, half a second for this many.
#define MAX_CORNERS 10000
// Characters of a path that a message shows, from its end, so that the reason still fits.
#define MAX_SHOWN_PATH 300
// Files at most [bytes]: assimp counts in 32 bits, and the copy may be longer than the file.
#define MAX_FILE_SIZE 1000000000L

pbdrStatus pbdrFailFile(const pbdrPlainCopy* copy, pbdrStatus status, const char* format, ...)
{
    char reason[PBDR_MESSAGE_LENGTH], place[48] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (copy->item != NULL) {
        snprintf(place, sizeof place, "%s %d: ", copy->item, copy->itemIndex);
    } else if (copy->text.line > 0) {
        snprintf(place, sizeof place, "line %d: ", copy->text.line);
    }
    size_t length = strlen(copy->path);
    const char* shown = copy->path + (length > MAX_SHOWN_PATH ? length - MAX_SHOWN_PATH : 0);
    return pbdrFail(copy->error, status, "%s: %s%s", shown, place, reason);
}

// --- The file ---

// The length of an open file [bytes]; -1, with errno, if it cannot be read. A directory opens, but gives no
// byte.
static long measureFile(FILE* file)
{
    if (fgetc(file) == EOF && ferror(file)) {
        return -1;
    }
    if (fseek(file, 0, SEEK_END) != 0) {
        return -1;
    }
    long size = ftell(file);
    return fseek(file, 0, SEEK_SET) == 0 ? size : -1;
}

static pbdrStatus readOpenFile(pbdrPlainCopy* copy, FILE* file)
{
    long size = measureFile(file);
    if (size < 0) {
        return pbdrFailFile(copy, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    if (size == 0 || size > MAX_FILE_SIZE) {
        return PBDR_FAIL_FORMAT(copy, "%ld bytes; 1 to %ld are possible", size, MAX_FILE_SIZE);
    }
    copy->fileSize = (size_t)size;
    copy->file = pbdrAllocate(copy->hooks, copy->fileSize, 1);
    if (copy->file == NULL) {
        return pbdrFailFile(copy, pbdr_statusNoMemory, "no memory for %ld bytes", size);
    }
    if (fread(copy->file, 1, copy->fileSize, file) != copy->fileSize) {
        return pbdrFailFile(copy, pbdr_statusFileNotFound, "%s",
                            ferror(file) ? strerror(errno) : "shrinks while read");
    }
    copy->text.start = copy->file;
    copy->text.end = copy->file + copy->fileSize;
    return pbdr_statusOk;
}

pbdrStatus pbdrReadFile(pbdrPlainCopy* copy)
{
    FILE* file = fopen(copy->path, "rb");
    if (file == NULL) {
        return pbdrFailFile(copy, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    pbdrStatus status = readOpenFile(copy, file);
    fclose(file);
    return status;
}

// --- The copy ---

void pbdrEmit(pbdrPlainCopy* copy, const void* bytes, size_t count)
{
    if (copy->outOfMemory || count == 0 || copy->points != NULL) {
        return;
    }
    if (copy->capacity - copy->size < count) {
        size_t capacity = 2 * copy->capacity + copy->fileSize + count;
        char* grown = pbdrAllocate(copy->hooks, capacity, 1);
        if (grown == NULL) {
            copy->outOfMemory = true;
            return;
        }
        if (copy->data != NULL) {
            memcpy(grown, copy->data, copy->size);
            pbdrRelease(copy->hooks, copy->data, copy->capacity, 1);
        }
        copy->data = grown;
        copy->capacity = capacity;
    }
    memcpy(copy->data + copy->size, bytes, count);
    copy->size += count;
}

void pbdrEmitText(pbdrPlainCopy* copy, const char* text)
{
    pbdrEmit(copy, text, strlen(text));
}

void pbdrEmitWord(pbdrPlainCopy* copy, pbdrWord word)
{
    pbdrEmit(copy, word.start, (size_t)(word.end - word.start));
}

pbdrStatus pbdrCheckCoordinate(pbdrPlainCopy* copy, double value)
{
    if (!(fabs(value) <= (double)FLT_MAX)) {
        return PBDR_FAIL_FORMAT(copy, "coordinate %g is not a finite number of single precision", value);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCopyCoordinate(pbdrPlainCopy* copy, pbdrWord word)
{
    double value;
    if (!pbdrParseNumber(word, &value)) {
        return PBDR_FAIL_FORMAT(copy, "coordinate \"%s\" is not a number", pbdrShowWord(word).text);
    }
    pbdrEmitText(copy, " ");
    if (*word.start == '-' || *word.start == '+') {
        pbdrEmit(copy, word.start++, 1);
    }
    if (*word.start == '.') {
        pbdrEmitText(copy, "0"); // assimp's OBJ reader takes .5 for a name, and drops the vertex
    }
    pbdrEmitWord(copy, word);
    return pbdrCheckCoordinate(copy, value);
}

pbdrStatus pbdrCopyVertex(pbdrPlainCopy* copy, const char* keyword)
{
    pbdrEmitText(copy, keyword);
    for (int k = 0; k < 3; k++) {
        pbdrWord word;
        pbdrNextWord(&copy->text, &word);
        pbdrStatus status = pbdrCopyCoordinate(copy, word);
        if (status != pbdr_statusOk) {
            return status;
        }
    }
    pbdrEmitText(copy, "\n");
    copy->vertexCount++;
    return pbdr_statusOk;
}

pbdrStatus pbdrCountCorners(pbdrPlainCopy* copy, int64_t corners)
{
    if (corners < 3 || corners > MAX_CORNERS) {
        return PBDR_FAIL_FORMAT(copy, "face of %lld corners, 3 to %d are possible", (long long)corners,
                                MAX_CORNERS);
    }
    copy->triangleCount += corners - 2;
    return pbdr_statusOk;
}
