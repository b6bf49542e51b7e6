// Mesh files: OBJ, STL (ascii and binary) and PLY. A library of its own (libpbdr-meshfile), because it needs assimp and
// the core needs nothing.
#ifndef PBDR_MESHFILE_H
#define PBDR_MESHFILE_H

#include "pbdr/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Reads all triangles of a file as one mesh, polygons cut into triangles, then as pbdrCreateMesh. The format follows from the
// name's ending (.obj, .stl, .ply, any case). Messages begin with the path. hooks and report may be NULL.
PBDR_API pbdrStatus pbdrLoadMesh(const char* path, const pbdrHooks* hooks, pbdrMesh* mesh, pbdrMeshReport* report,
                                 pbdrError* error);

#ifdef __cplusplus
}
#endif

#endif
