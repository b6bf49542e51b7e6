// Between the mesh sources.
#ifndef PBDR_GEOMETRY_MESH_H
#define PBDR_GEOMETRY_MESH_H

#include "pbdr/geometry.h"

// Volume of a closed mesh [m^3]: negative where it faces inwards, and exactly 0 where it is lost in rounding.
double pbdrGetSignedVolume(const pbdrMesh* mesh);

// Exact mass properties of a mesh that is known to be closed. Returns false, and zeros, for a flat one.
bool pbdrGetClosedProperties(const pbdrMesh* mesh, double mass, pbdrMassProperties* properties);

#endif
