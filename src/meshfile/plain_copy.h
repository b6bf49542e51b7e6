// A mesh file under inspection, and the copy that assimp gets in its place: the same format in its plainest
// form, holding coordinates and corners only, every one of them checked.
#ifndef PBDR_MESHFILE_PLAIN_COPY_H
#define PBDR_MESHFILE_PLAIN_COPY_H

#include "meshfile/words.h"
#include "pbdr/types.h"

// Points as they are read.
typedef struct pbdrPointList {
    double value[6]; // x y z nx ny nz of the point at hand
    bool hasNormals;
    int count;
    size_t capacity;
    pbdrVec3 *points, *normals;
} pbdrPointList;

typedef struct pbdrPlainCopy {
    const char* path;
    const pbdrHooks* hooks;
    pbdrError* error;
    char* file; // all of it
    size_t fileSize;
    pbdrText text;         // where reading is
    const char* item;      // what is being read where lines mean nothing, such as "face"; NULL elsewhere
    int itemIndex;         // its number, from 0
    char* data;            // the copy
    size_t size, capacity; // [bytes]
    bool outOfMemory;      // the copy is not whole
    int64_t vertexCount;   // checked so far
    int64_t triangleCount; // that the polygons checked so far come to
    pbdrPointList* points; // where a cloud's points go, with no copy; NULL for a mesh
} pbdrPlainCopy;

// Check a file and fill the copy. No triangles at all are left to the caller to refuse.
pbdrStatus pbdrCopyObj(pbdrPlainCopy* copy);
pbdrStatus pbdrCopyPly(pbdrPlainCopy* copy);
pbdrStatus pbdrCopyStl(pbdrPlainCopy* copy);

// Read the points of a file into copy->points.
pbdrStatus pbdrReadPlyPoints(pbdrPlainCopy* copy);
pbdrStatus pbdrReadTextPoints(pbdrPlainCopy* copy);
// Adds the point at hand.
pbdrStatus pbdrAddPoint(pbdrPlainCopy* copy);

// Reads all of copy->path to copy->file, which is to be released by fileSize.
pbdrStatus pbdrReadFile(pbdrPlainCopy* copy);

// Fails with "path: reason", "path: line 7: reason" or "path: face 7: reason".
pbdrStatus pbdrFailFile(const pbdrPlainCopy* copy, pbdrStatus status, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
#define PBDR_FAIL_FORMAT(copy, ...) pbdrFailFile((copy), pbdr_statusFileFormat, __VA_ARGS__)

// Append to the copy.
void pbdrEmit(pbdrPlainCopy* copy, const void* bytes, size_t count);
void pbdrEmitText(pbdrPlainCopy* copy, const char* text);
void pbdrEmitWord(pbdrPlainCopy* copy, pbdrWord word);

// Check and append: a coordinate after a space; the rest of a line "keyword x y z ...", of which more is left
// out.
pbdrStatus pbdrCopyCoordinate(pbdrPlainCopy* copy, pbdrWord word);
pbdrStatus pbdrCopyVertex(pbdrPlainCopy* copy, const char* keyword);

// Refuses a value that is not finite in single precision, which is what assimp has.
pbdrStatus pbdrCheckCoordinate(pbdrPlainCopy* copy, double value);

// Refuses a polygon of too few or too many corners, counts its triangles.
pbdrStatus pbdrCountCorners(pbdrPlainCopy* copy, int64_t corners);

#endif
