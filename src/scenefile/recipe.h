// Between writing and making recipes: what the numbers are. A recipe is its version, then entries: a tag and its numbers.
#ifndef PBDR_SCENEFILE_RECIPE_H
#define PBDR_SCENEFILE_RECIPE_H

#include "pbdr/recipe.h"

typedef enum pbdrRecipeTag {
    // gravity 3, precision, solver, engine, ablation, time step, iterations, relaxation, mixing, contact, maximum of
    // pairs, effort, tolerance, maximum of Newton steps, sleeping
    pbdr_recipeWorld = 1,
    pbdr_recipePlane = 2,  // normal 3, offset, material 8
    pbdr_recipeShape = 3,  // spheres, extra inertia 9, positions 3 n, radii n, masses n, surface
    pbdr_recipeBody = 4,   // kind, shape, place 7, velocity 6, material 8, force 3, torque 3
    pbdr_recipeTarget = 5, // substep, body, place 7, seconds
    // kind, bodies 2 (-1: the world), of both frames: anchor 3, axis 3, side 3; length, touch, lower, upper, stiffness,
    // reference, damping, friction, armature, motor, target, its stiffness, damping and maximum
    pbdr_recipeJoint = 6,
    pbdr_recipeGear = 7, // joints 2, coefficients 5
    // of the joint that comes next: the least force of its motor, where that is not the opposite of the most
    pbdr_recipeLeast = 8,
} pbdrRecipeTag;

// material: friction, rolling, spinning, restitution, category (low and high 32 bits), mask (the same)
// place: position 3, rotation wxyz
// surface: kind, then of a compound the number of its parts and these; of others frame 7, half 3, radius, half length,
// counts 3, sides, thickness, spacing, maximum of points, vertices, triangles, the vertices 3 each, the triangles 3 each
// (both 0 for all but meshes)

#endif
