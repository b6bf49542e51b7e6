// Recipes: a world as a list of numbers, from which it is made again elsewhere with the same bits. A scene is no
// recipe: its meshes are packed with functions of the C library (arctangent, cube root) that differ from library to
// library (docs/conventions.md). A recipe holds what came of that, and nothing but + - * / and square roots lies between
// it and the steps. A replay in a browser is a recipe, the engine, and the hashes that must come of both. A part of
// libpbdr-scenefile.
//
//     pbdrRecipe recipe = {0};
//     pbdrRecordSceneWorld(scene, &def, NULL, &recipe, &made, &error);        // as pbdrCreateSceneWorld
//     ... recipe.numbers go to another machine ...
//     pbdrCreateRecipeWorld(numbers, count, NULL, &again, &error);
//     pbdrRecipeWorld_Step(again, 1000);                                      // the same pbdrWorld_GetHash
#ifndef PBDR_RECIPE_H
#define PBDR_RECIPE_H

#include "pbdr/scenefile.h"
#include "pbdr/shape.h"
#include "pbdr/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// The first number of every recipe; others are refused.
#define PBDR_RECIPE_VERSION 1

// All-zero is empty. Whole numbers are doubles, too; 64 bits of a filter are two of them.
typedef struct pbdrRecipe {
    size_t count;
    double* numbers;
    size_t room;    // that `numbers` has
    int shapeCount; // added so far, likewise bodies
    int bodyCount;
    bool full; // memory ran out, and the recipe is not whole
    pbdrHooks hooks;
} pbdrRecipe;

// --- Writing ---

// Each function records a call that makes something, with its definitions. The world comes first, and a shape before the
// bodies that have it. Without memory `full` is set.
PBDR_API void pbdrRecipe_AddWorld(pbdrRecipe* recipe, const pbdrWorldDef* def);
PBDR_API void pbdrRecipe_AddPlane(pbdrRecipe* recipe, const pbdrPlaneDef* def);
// Returns its number, from 0.
PBDR_API int pbdrRecipe_AddShape(pbdrRecipe* recipe, const pbdrShapeDef* def);
// A body of that shape, and what pbdrBody_SetForce and pbdrBody_SetTorque are given after it was made. Returns its number.
PBDR_API int pbdrRecipe_AddBody(pbdrRecipe* recipe, const pbdrBodyDef* def, int shape, pbdrVec3 force,
                                pbdrVec3 torque);
// pbdrBody_SetTarget, when that many substeps have been taken; seconds: how long the way takes [s].
PBDR_API void pbdrRecipe_AddTarget(pbdrRecipe* recipe, uint64_t substep, int body, pbdrPose pose,
                                   double seconds);
// A joint between bodies of these numbers, -1: the world; the definition's own bodies are not read. After its bodies.
PBDR_API void pbdrRecipe_AddJoint(pbdrRecipe* recipe, const pbdrJointDef* def, int bodyA, int bodyB);
// A gear between two joints, given by their numbers. Joints and gears are counted together, in the order in which they
// were added.
PBDR_API void pbdrRecipe_AddGear(pbdrRecipe* recipe, const pbdrJointDef* def, int jointA, int jointB);
PBDR_API void pbdrRecipe_Free(pbdrRecipe* recipe);

// pbdrCreateSceneWorld that notes what it does. recipe may be NULL.
PBDR_API pbdrStatus pbdrRecordSceneWorld(const pbdrSceneFile* scene, const pbdrWorldDef* def,
                                         const pbdrScenePacking* packing, pbdrRecipe* recipe,
                                         pbdrSceneWorld** made, pbdrError* error);

// --- Making ---

// The pose that a kinematic body gets as its target at a substep, and the time in which it moves there.
typedef struct pbdrRecipeTarget {
    uint64_t substep;
    int body;
    pbdrPose pose;
    double seconds; // [s]
} pbdrRecipeTarget;

typedef struct pbdrRecipeWorld {
    pbdrWorld* world;
    int bodyCount;
    pbdrBodyId* bodies; // in the recipe's order
    int shapeCount;
    pbdrShape** shapes; // likewise
    int planeCount;
    pbdrPlaneId* planes;
    int targetCount;
    pbdrRecipeTarget* targets;
    size_t room; // that each of these lists has
    pbdrHooks hooks;
} pbdrRecipeWorld;

// Makes the world. hooks may be NULL. Numbers that make no world are refused (pbdr_statusFileFormat, or what the calls
// themselves say); *made is NULL then.
PBDR_API pbdrStatus pbdrCreateRecipeWorld(const double* numbers, size_t count, const pbdrHooks* hooks,
                                          pbdrRecipeWorld** made, pbdrError* error);
PBDR_API void pbdrDestroyRecipeWorld(pbdrRecipeWorld* made);

// As pbdrWorld_Step, with the targets. Which are due follows from the substep count alone, so that a world whose state
// was loaded goes on as it should.
PBDR_API uint32_t pbdrRecipeWorld_Step(pbdrRecipeWorld* made, int substepCount);

#ifdef __cplusplus
}
#endif

#endif
