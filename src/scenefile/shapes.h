// From a scene's body to a shape: spheres, weight and surface.
#ifndef PBDR_SCENEFILE_SHAPES_H
#define PBDR_SCENEFILE_SHAPES_H

#include "pbdr/recipe.h"

// A shape of geomCount of a body's geoms, in the body's frame. Of a dynamic body it has the mass, centre and inertia of
// body->solid; of a kinematic one its centre is the frame's origin where the spheres can have it there. spheresTouch:
// the world's bodies touch by their spheres. recipe (may be NULL) notes the definition. On failure *shape is NULL; messages name no body.
pbdrStatus pbdrMakeSceneShape(const pbdrSceneFile* scene, const pbdrSceneBody* body,
                              const pbdrSceneGeom* geoms, int geomCount, const pbdrScenePacking* packing,
                              bool spheresTouch, const pbdrHooks* hooks, pbdrRecipe* recipe,
                              pbdrShape** shape, pbdrError* error);

// joints.c: the joints of a world whose bodies are made.
pbdrStatus pbdrMakeSceneJoints(pbdrSceneWorld* made, pbdrRecipe* recipe, pbdrError* error);
// sensors.c: accelerations are noted where a sensor needs them.
void pbdrStartSceneSensors(const pbdrSceneWorld* made);

#endif
