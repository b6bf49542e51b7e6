// What the formats share: messages, the file's bytes, vertices and triangles as they come.
#include "meshfile/mesh_file.h"

#include "base.h"
#include "text/number.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Characters of a path that a message shows, from its end, so that the reason still fits.
#define MAX_SHOWN_PATH 300
// Files at most [bytes], so that vertices, triangles and lines count in an int.
#define MAX_FILE_SIZE 1000000000L

pbdrStatus pbdrFailFile(const pbdrMeshFile* file, pbdrStatus status, const char* format, ...)
{
    char reason[PBDR_MESSAGE_LENGTH], place[48] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (file->item != NULL) {
        snprintf(place, sizeof place, "%s %d: ", file->item, file->itemIndex);
    } else if (file->text.line > 0) {
        snprintf(place, sizeof place, "line %d: ", file->text.line);
    }
    size_t length = strlen(file->path);
    const char* shown = file->path + (length > MAX_SHOWN_PATH ? length - MAX_SHOWN_PATH : 0);
    return pbdrFail(file->error, status, "%s: %s%s", shown, place, reason);
}

// --- The file ---

pbdrMeshFile pbdrMakeMeshFile(const char* path, const pbdrHooks* hooks, pbdrError* error)
{
    return (pbdrMeshFile){.path = path,
                          .hooks = hooks,
                          .error = error,
                          .vertices.itemSize = sizeof(pbdrVec3),
                          .normals.itemSize = sizeof(pbdrVec3),
                          .triangles.itemSize = sizeof(int32_t[3]),
                          .corners.itemSize = sizeof(int32_t),
                          .links.itemSize = sizeof(int32_t)};
}

void pbdrFreeMeshFile(pbdrMeshFile* file)
{
    pbdrRoom* rooms[] = {&file->vertices, &file->normals, &file->triangles, &file->corners, &file->links};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        pbdrRelease(file->hooks, rooms[i]->items, rooms[i]->capacity, rooms[i]->itemSize);
        rooms[i]->items = NULL;
        rooms[i]->capacity = 0;
    }
    pbdrRelease(file->hooks, file->bytes, file->size, 1);
    file->bytes = NULL;
}

// The length of an open file [bytes]; -1, with errno, if it cannot be read. A directory opens, but gives no
// byte.
static long measureFile(FILE* stream)
{
    if (fgetc(stream) == EOF && ferror(stream)) {
        return -1;
    }
    if (fseek(stream, 0, SEEK_END) != 0) {
        return -1;
    }
    long size = ftell(stream);
    return fseek(stream, 0, SEEK_SET) == 0 ? size : -1;
}

static pbdrStatus readStream(pbdrMeshFile* file, FILE* stream)
{
    long size = measureFile(stream);
    if (size < 0) {
        return pbdrFailFile(file, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    if (size == 0 || size > MAX_FILE_SIZE) {
        return PBDR_FAIL_FORMAT(file, "%ld bytes; 1 to %ld are possible", size, MAX_FILE_SIZE);
    }
    file->size = (size_t)size;
    file->bytes = pbdrAllocate(file->hooks, file->size, 1);
    if (file->bytes == NULL) {
        return pbdrFailFile(file, pbdr_statusNoMemory, "no memory for %ld bytes", size);
    }
    if (fread(file->bytes, 1, file->size, stream) != file->size) {
        return pbdrFailFile(file, pbdr_statusFileNotFound, "%s",
                            ferror(stream) ? strerror(errno) : "shrinks while read");
    }
    file->text.start = file->bytes;
    file->text.end = file->bytes + file->size;
    return pbdr_statusOk;
}

pbdrStatus pbdrReadFile(pbdrMeshFile* file)
{
    FILE* stream = fopen(file->path, "rb");
    if (stream == NULL) {
        return pbdrFailFile(file, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    pbdrStatus status = readStream(file, stream);
    fclose(stream);
    return status;
}

// --- What is read ---

pbdrStatus pbdrGrow(pbdrMeshFile* file, pbdrRoom* room, size_t count)
{
    if (count <= room->capacity) {
        return pbdr_statusOk;
    }
    size_t capacity = 2 * room->capacity + 64 > count ? 2 * room->capacity + 64 : count;
    void* items = pbdrAllocate(file->hooks, capacity, room->itemSize);
    if (items == NULL) {
        return pbdrFailFile(file, pbdr_statusNoMemory, "no memory for %zu items of %zu bytes", capacity,
                            room->itemSize);
    }
    if (room->items != NULL) {
        memcpy(items, room->items, room->capacity * room->itemSize);
        pbdrRelease(file->hooks, room->items, room->capacity, room->itemSize);
    }
    room->items = items;
    room->capacity = capacity;
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckCoordinate(const pbdrMeshFile* file, double value)
{
    if (!(fabs(value) <= PBDR_MAX_COORDINATE)) {
        return PBDR_FAIL_FORMAT(file, "coordinate %g is not a finite number up to %g", value,
                                PBDR_MAX_COORDINATE);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrAddVertex(pbdrMeshFile* file, pbdrVec3 position, pbdrVec3 normal)
{
    size_t count = (size_t)file->vertexCount + 1;
    pbdrStatus status = pbdrGrow(file, &file->vertices, count);
    if (status == pbdr_statusOk && file->hasNormals) {
        status = pbdrGrow(file, &file->normals, count);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    if (file->hasNormals) {
        ((pbdrVec3*)file->normals.items)[file->vertexCount] = normal;
    }
    ((pbdrVec3*)file->vertices.items)[file->vertexCount++] = position;
    return pbdr_statusOk;
}

pbdrStatus pbdrAddVertexOfLine(pbdrMeshFile* file)
{
    double values[3];
    for (int k = 0; k < 3; k++) {
        pbdrWord word;
        pbdrNextWord(&file->text, &word);
        if (!pbdrParseDecimal(word.start, word.end, &values[k])) {
            return PBDR_FAIL_FORMAT(file, "coordinate \"%s\" is not a number", pbdrShowWord(word).text);
        }
        pbdrStatus status = pbdrCheckCoordinate(file, values[k]);
        if (status != pbdr_statusOk) {
            return status;
        }
    }
    pbdrVec3 none = {0.0, 0.0, 0.0};
    return pbdrAddVertex(file, (pbdrVec3){values[0], values[1], values[2]}, none);
}

pbdrStatus pbdrAddTriangle(pbdrMeshFile* file, int32_t a, int32_t b, int32_t c)
{
    pbdrStatus status = pbdrGrow(file, &file->triangles, (size_t)file->triangleCount + 1);
    if (status == pbdr_statusOk) {
        int32_t* triangle = ((int32_t(*)[3])file->triangles.items)[file->triangleCount++];
        triangle[0] = a;
        triangle[1] = b;
        triangle[2] = c;
    }
    return status;
}

pbdrStatus pbdrAddCorner(pbdrMeshFile* file, int32_t vertex)
{
    pbdrStatus status = pbdrGrow(file, &file->corners, (size_t)file->cornerCount + 1);
    if (status == pbdr_statusOk) {
        ((int32_t*)file->corners.items)[file->cornerCount++] = vertex;
    }
    return status;
}
