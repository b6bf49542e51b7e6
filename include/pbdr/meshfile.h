// Mesh files: OBJ, STL (text and binary), PLY (text and binary) and MuJoCo's MSH, read here with a C compiler
// and libm alone; DAE, glTF, GLB, 3MF and OFF in builds that found assimp. Point clouds: PLY and text. A
// library of its own (libpbdr-meshfile), so that who needs no files links none of it.
#ifndef PBDR_MESHFILE_H
#define PBDR_MESHFILE_H

#include "pbdr/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// What reading a mesh file came upon, besides what is wrong with the mesh. All zero: nothing.
typedef struct pbdrMeshFileReport {
    pbdrMeshReport mesh;               // of pbdrCreateMesh
    int skippedFaces;                  // of fewer than three corners, left out
    int firstSkipped;                  // its line, or in a binary file its index from 0
    int crossedFaces;                  // polygons that cross themselves: their triangles overlap
    int firstCrossed;                  // likewise
    char warning[PBDR_MESSAGE_LENGTH]; // the faces above in words, without the path; empty if there are none
} pbdrMeshFileReport;

// Reads all triangles of a file as one mesh, polygons cut into triangles, then as pbdrCreateMesh. The format
// follows from the name's ending, in any case. Coordinates are the nearest doubles to what the file says
// (with assimp: floats), along the file's axes, and metres if the file's unit is. Corners of a text STL that
// agree in single precision, which is the format's, are one vertex; otherwise exactly equal ones are. Points,
// lines, normals, colours, textures and materials are left out. hooks and report may be NULL.
//
// A polygon may be concave or bent. Messages begin with the path, and name the line where there are lines.
// pbdr_statusFileNotFound: cannot be opened or read; pbdr_statusFileFormat: damaged, cut short, an index or
// number out of range, an ending that is not known; pbdr_statusMeshBroken: a good file without a triangle,
// such as a point cloud; pbdr_statusNotSupported: a format that needs assimp, in a build without it. A mesh
// with holes is loaded: see report.
//
// Loading from several threads at once is fine. Only assimp takes memory of its own, keeps the text of its
// last failure in a global, and may end the process over a damaged file or failed allocation.
PBDR_API pbdrStatus pbdrReadMeshFile(const char* path, const pbdrHooks* hooks, pbdrMesh* mesh,
                                     pbdrMeshFileReport* report, pbdrError* error);

// The same for those who want to know about the mesh only.
PBDR_API pbdrStatus pbdrLoadMesh(const char* path, const pbdrHooks* hooks, pbdrMesh* mesh,
                                 pbdrMeshReport* report, pbdrError* error);

// Reads a point cloud, then as pbdrCreatePointCloud: the vertices of a .ply, text or binary, with or without
// nx ny nz (faces and other properties are skipped); or text with "x y z" or "x y z nx ny nz" per line (.xyz,
// .txt, .pts), in which blank lines and what follows a # are skipped, the first line may be the number of
// points, and a fourth column, or a fourth to seventh, are left out (intensity and colour of .pts). In double
// precision. hooks may be NULL.
//
// Messages and statuses as above; pbdr_statusMeshBroken: a good file without a point.
PBDR_API pbdrStatus pbdrLoadPointCloud(const char* path, const pbdrHooks* hooks, pbdrPointCloud* cloud,
                                       pbdrError* error);

#ifdef __cplusplus
}
#endif

#endif
