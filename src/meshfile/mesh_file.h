// A file of a mesh or a point cloud while it is read: its bytes, where reading is, and what has been read.
#ifndef PBDR_MESHFILE_MESH_FILE_H
#define PBDR_MESHFILE_MESH_FILE_H

#include "meshfile/words.h"
#include "pbdr/meshfile.h"

// Coordinates at most: their tenth powers, squares of a volume's moments of inertia, are finite.
#define PBDR_MAX_COORDINATE 1.0e30

// Memory that grows while things are added to it.
typedef struct pbdrRoom {
    void* items;
    size_t capacity; // [items]
    size_t itemSize; // [bytes]
} pbdrRoom;

typedef struct pbdrMeshFile {
    const char* path;
    const pbdrHooks* hooks;
    pbdrError* error;
    char* bytes; // all of the file
    size_t size;
    pbdrText text;    // where reading is
    const char* item; // what is being read where lines mean nothing, such as "face"; NULL elsewhere
    int itemIndex;    // its number, from 0

    bool wantsPoints;        // a cloud's points are read: faces do not matter, normals do
    bool hasNormals;         // of the points
    int vertexCount;         // or points
    int triangleCount;       //
    int cornerCount;         // of the polygon at hand
    pbdrRoom vertices;       // pbdrVec3
    pbdrRoom normals;        // pbdrVec3, one per point
    pbdrRoom triangles;      // int32_t[3]
    pbdrRoom corners;        // int32_t, of the polygon at hand
    pbdrRoom links;          // int32_t, work of the cutting
    bool hasLines;           // polygons stand in lines, which `seen` then tells; otherwise the face's index
    pbdrMeshFileReport seen; // so far
} pbdrMeshFile;

// Fails with "path: reason", "path: line 7: reason" or "path: face 7: reason".
pbdrStatus pbdrFailFile(const pbdrMeshFile* file, pbdrStatus status, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 3, 4)))
#endif
    ;
#define PBDR_FAIL_FORMAT(file, ...) pbdrFailFile((file), pbdr_statusFileFormat, __VA_ARGS__)

// An empty file of that path; reads all of it; gives back whatever it holds.
pbdrMeshFile pbdrMakeMeshFile(const char* path, const pbdrHooks* hooks, pbdrError* error);
pbdrStatus pbdrReadFile(pbdrMeshFile* file);
void pbdrFreeMeshFile(pbdrMeshFile* file);

// The formats: what stands in the file becomes vertices and triangles. No triangles at all are left to the
// caller to refuse.
pbdrStatus pbdrReadMsh(pbdrMeshFile* file);
pbdrStatus pbdrReadObj(pbdrMeshFile* file);
pbdrStatus pbdrReadPly(pbdrMeshFile* file); // points, too
pbdrStatus pbdrReadStl(pbdrMeshFile* file);
pbdrStatus pbdrReadTextPoints(pbdrMeshFile* file);

// Of formats that only assimp reads, by the file's path. Without assimp: pbdr_statusNotSupported.
pbdrStatus pbdrReadThroughAssimp(pbdrMeshFile* file);

// Room for `count` items at least, with what is there kept.
pbdrStatus pbdrGrow(pbdrMeshFile* file, pbdrRoom* room, size_t count);

// Refuses a coordinate that is not finite, or beyond what can be computed with.
pbdrStatus pbdrCheckCoordinate(const pbdrMeshFile* file, double value);

// Adds a vertex that has been checked; a point with its normal if there are normals.
pbdrStatus pbdrAddVertex(pbdrMeshFile* file, pbdrVec3 position, pbdrVec3 normal);

// Adds the rest of a line "... x y z ...", of which more is left out.
pbdrStatus pbdrAddVertexOfLine(pbdrMeshFile* file);

// Adds a triangle between vertices that are known to exist.
pbdrStatus pbdrAddTriangle(pbdrMeshFile* file, int32_t a, int32_t b, int32_t c);

// Puts a corner to the polygon at hand, which cornerCount = 0 begins.
pbdrStatus pbdrAddCorner(pbdrMeshFile* file, int32_t vertex);

// Cuts the polygon at hand into triangles. One of fewer than three corners is left out and counted.
pbdrStatus pbdrAddPolygon(pbdrMeshFile* file);

#endif
