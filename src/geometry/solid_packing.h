// Packings and their quality for a solid that is known: what the public calls, which take a mesh, are made
// of.
#ifndef PBDR_GEOMETRY_SOLID_PACKING_H
#define PBDR_GEOMETRY_SOLID_PACKING_H

#include "geometry/solid.h"

// As pbdrPackSurface.
pbdrStatus pbdrPackSolid(const pbdrSolid* solid, const pbdrSurfacePackingDef* def, double mass,
                         const pbdrHooks* hooks, pbdrSphereSet* set, pbdrFaceNormals* normals,
                         pbdrError* error);

// As pbdrPackMesh, for a mesh whose winding number is whole, though its parts may overlap.
pbdrStatus pbdrPackGrid(const pbdrMesh* mesh, double radius, double mass, const pbdrHooks* hooks,
                        pbdrSphereSet* set, pbdrError* error);

// As pbdrMeasurePacking.
pbdrStatus pbdrMeasureSolid(const pbdrSolid* solid, const pbdrSphereSet* set, int sampleCount, uint64_t seed,
                            const pbdrHooks* hooks, pbdrPackingQuality* quality, pbdrError* error);

#endif
