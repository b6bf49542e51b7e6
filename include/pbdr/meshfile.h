// Mesh files: OBJ, STL (ascii and binary) and PLY; point clouds: PLY and text. A library of its own
// (libpbdr-meshfile), because it needs assimp and the core needs nothing.
#ifndef PBDR_MESHFILE_H
#define PBDR_MESHFILE_H

#include "pbdr/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads all triangles of a file as one mesh, polygons cut into triangles, then as pbdrCreateMesh. The format
// follows from the name's ending (.obj, .stl, .ply, any case). Coordinates pass through single precision, and
// are metres if the file's unit is. Points, lines, normals, colours, textures and materials are left out.
// hooks and report may be NULL; assimp takes its own memory besides.
//
// Messages begin with the path, and name the line where there are lines. pbdr_statusFileNotFound: cannot be
// opened or read; pbdr_statusFileFormat: damaged, cut short, an index or number out of range, an ending that
// is not known; pbdr_statusMeshBroken: a good file without a triangle, such as a point cloud. A mesh with
// holes is loaded: see report.
//
// Loading from several threads at once is fine but for one thing: assimp keeps the text of its last failure
// in a global. That takes a file that passes our checks and fails assimp's; none is known.
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
