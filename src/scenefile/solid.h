// Volume, centre and inertia of geoms, for bodies whose file does not state them.
#ifndef PBDR_SCENEFILE_SOLID_H
#define PBDR_SCENEFILE_SOLID_H

#include "pbdr/scenefile.h"

// Of density 1, in its own frame: mass is the volume.
pbdrStatus pbdrWeighGeom(const pbdrSceneFile* scene, const pbdrSceneGeom* geom, pbdrMassProperties* solid,
                         pbdrError* error);

// Adds what `pose` places to a sum; both of any density. An empty sum is all zero.
void pbdrAddSolid(pbdrMassProperties* sum, const pbdrMassProperties* solid, const pbdrPose* pose);

// Of all geoms with the same density, scaled to this mass, in the body's frame. Where geoms overlap they count twice.
pbdrStatus pbdrWeighBody(const pbdrSceneFile* scene, const pbdrSceneBody* body, double mass,
                         pbdrMassProperties* solid, pbdrError* error);

#endif
