// Between the sources that find the faces to which spheres are tangent.
#ifndef PBDR_GEOMETRY_FACE_NORMALS_H
#define PBDR_GEOMETRY_FACE_NORMALS_H

#include "geometry/surface_balls.h"

// As pbdrFindMeshNormals, for a solid that is known and a set that is right. Spheres on the base (may be
// NULL) touch it, and are told so: straight down in place of what its uneven facets say.
pbdrStatus pbdrFindSolidNormals(const pbdrSphereSet* set, const pbdrSolid* solid, const pbdrBase* base,
                                double tolerance, const pbdrHooks* hooks, pbdrFaceNormals* normals,
                                pbdrError* error);

#endif
