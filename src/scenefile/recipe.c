// Writing recipes (pbdr/recipe.h).
#include "scenefile/recipe.h"

#include "base.h"

#include <math.h>
#include <float.h>
#include <string.h>

// --- Numbers ---

static void addNumbers(pbdrRecipe* recipe, const double* numbers, size_t count)
{
    if (recipe->full) {
        return;
    }
    if (recipe->count + count > recipe->room) {
        size_t room = 2 * recipe->room > recipe->count + count ? 2 * recipe->room : recipe->count + count;
        double* larger = pbdrAllocate(&recipe->hooks, room, sizeof *larger);
        if (larger == NULL) {
            recipe->full = true;
            return;
        }
        if (recipe->count > 0) {
            memcpy(larger, recipe->numbers, recipe->count * sizeof *larger);
        }
        pbdrRelease(&recipe->hooks, recipe->numbers, recipe->room, sizeof *larger);
        recipe->numbers = larger;
        recipe->room = room;
    }
    memcpy(recipe->numbers + recipe->count, numbers, count * sizeof *numbers);
    recipe->count += count;
}

static void addNumber(pbdrRecipe* recipe, double number)
{
    addNumbers(recipe, &number, 1);
}

static void addVec(pbdrRecipe* recipe, pbdrVec3 v)
{
    addNumbers(recipe, (const double[3]){v.x, v.y, v.z}, 3);
}

static void addPlace(pbdrRecipe* recipe, pbdrVec3 position, pbdrQuat q)
{
    addVec(recipe, position);
    addNumbers(recipe, (const double[4]){q.w, q.x, q.y, q.z}, 4);
}

static void addMaterial(pbdrRecipe* recipe, double friction, double rolling, double spinning,
                        double restitution, pbdrFilter filter)
{
    const double numbers[8] = {friction,
                               rolling,
                               spinning,
                               restitution,
                               (double)(uint32_t)filter.category,
                               (double)(uint32_t)(filter.category >> 32),
                               (double)(uint32_t)filter.mask,
                               (double)(uint32_t)(filter.mask >> 32)};
    addNumbers(recipe, numbers, 8);
}

// --- Surfaces ---

static void addMesh(pbdrRecipe* recipe, const pbdrMesh* mesh)
{
    addNumber(recipe, mesh != NULL ? mesh->vertexCount : 0);
    addNumber(recipe, mesh != NULL ? mesh->triangleCount : 0);
    for (int i = 0; mesh != NULL && i < mesh->vertexCount; i++) {
        addVec(recipe, mesh->vertices[i]);
    }
    for (int i = 0; mesh != NULL && i < mesh->triangleCount; i++) {
        const int32_t* corners = mesh->triangles[i];
        addNumbers(recipe, (const double[3]){corners[0], corners[1], corners[2]}, 3);
    }
}

static void addSurface(pbdrRecipe* recipe, const pbdrSurfaceDef* surface)
{
    addNumber(recipe, surface->kind);
    if (surface->kind == pbdr_surfaceCompound) {
        addNumber(recipe, surface->partCount);
        for (int k = 0; k < surface->partCount; k++) {
            addSurface(recipe, &surface->parts[k]);
        }
        return;
    }
    addPlace(recipe, surface->frame.position, surface->frame.rotation);
    addVec(recipe, surface->half);
    const double numbers[9] = {surface->radius,    surface->halfLength, surface->counts[0],
                               surface->counts[1], surface->counts[2],  surface->sides,
                               surface->thickness, surface->spacing,    (double)surface->maxPoints};
    addNumbers(recipe, numbers, 9);
    addMesh(recipe, surface->kind == pbdr_surfaceMesh ? surface->mesh : NULL);
}

// --- Entries ---

void pbdrRecipe_AddWorld(pbdrRecipe* recipe, const pbdrWorldDef* def)
{
    addNumber(recipe, PBDR_RECIPE_VERSION);
    addNumber(recipe, pbdr_recipeWorld);
    addVec(recipe, def->gravity);
    const double numbers[14] = {def->precision,      def->solver,
                                def->engine,         def->ablation,
                                def->timeStep,       def->iterations,
                                def->relaxation,     def->mixing,
                                def->contact,        def->maxPairCount,
                                def->effort,         def->tolerance,
                                def->maxNewtonSteps, def->sleeping ? 1.0 : 0.0};
    addNumbers(recipe, numbers, 14);
}

void pbdrRecipe_AddPlane(pbdrRecipe* recipe, const pbdrPlaneDef* def)
{
    addNumber(recipe, pbdr_recipePlane);
    addVec(recipe, def->normal);
    addNumber(recipe, def->offset);
    addMaterial(recipe, def->friction, def->rollingFriction, def->spinningFriction, def->restitution,
                def->filter);
}

int pbdrRecipe_AddShape(pbdrRecipe* recipe, const pbdrShapeDef* def)
{
    addNumber(recipe, pbdr_recipeShape);
    addNumber(recipe, def->sphereCount);
    addNumbers(recipe, &def->extraInertia.m[0][0], 9);
    for (int i = 0; i < def->sphereCount; i++) {
        addVec(recipe, def->positions[i]);
    }
    addNumbers(recipe, def->radii, (size_t)def->sphereCount);
    addNumbers(recipe, def->masses, (size_t)def->sphereCount);
    addSurface(recipe, &def->surface);
    return recipe->shapeCount++;
}

int pbdrRecipe_AddBody(pbdrRecipe* recipe, const pbdrBodyDef* def, int shape, pbdrVec3 force, pbdrVec3 torque)
{
    addNumber(recipe, pbdr_recipeBody);
    addNumber(recipe, def->kind);
    addNumber(recipe, shape);
    addPlace(recipe, def->position, def->rotation);
    addVec(recipe, def->velocity.linear);
    addVec(recipe, def->velocity.angular);
    addMaterial(recipe, def->friction, def->rollingFriction, def->spinningFriction, def->restitution,
                def->filter);
    addVec(recipe, force);
    addVec(recipe, torque);
    return recipe->bodyCount++;
}

void pbdrRecipe_AddTarget(pbdrRecipe* recipe, uint64_t substep, int body, pbdrPose pose, double seconds)
{
    addNumber(recipe, pbdr_recipeTarget);
    addNumber(recipe, (double)substep);
    addNumber(recipe, body);
    addPlace(recipe, pose.position, pose.rotation);
    addNumber(recipe, seconds);
}

// Bounds that are not there are infinite, which not every format has: the largest number stands for it.
static double limit(double bound)
{
    return bound > DBL_MAX ? DBL_MAX : bound < -DBL_MAX ? -DBL_MAX : bound;
}

void pbdrRecipe_AddJoint(pbdrRecipe* recipe, const pbdrJointDef* def, int bodyA, int bodyB)
{
    const pbdrJointFrame* frames[2] = {&def->frameA, &def->frameB};
    if (def->minMotorForce != HUGE_VAL && def->minMotorForce != -def->maxMotorForce) {
        addNumbers(recipe, (const double[2]){pbdr_recipeLeast, limit(def->minMotorForce)}, 2);
    }
    addNumbers(recipe, (const double[4]){pbdr_recipeJoint, def->kind, bodyA, bodyB}, 4);
    for (int side = 0; side < 2; side++) {
        addVec(recipe, frames[side]->anchor);
        addVec(recipe, frames[side]->axis);
        addVec(recipe, frames[side]->side);
    }
    const double numbers[14] = {def->length,       def->touch ? 1.0 : 0.0,
                                limit(def->lower), limit(def->upper),
                                def->stiffness,    def->reference,
                                def->damping,      def->friction,
                                def->armature,     def->motor,
                                def->motorTarget,  def->motorStiffness,
                                def->motorDamping, limit(def->maxMotorForce)};
    addNumbers(recipe, numbers, 14);
}

void pbdrRecipe_AddGear(pbdrRecipe* recipe, const pbdrJointDef* def, int jointA, int jointB)
{
    addNumbers(recipe, (const double[3]){pbdr_recipeGear, jointA, jointB}, 3);
    addNumbers(recipe, def->coefficients, 5);
}

void pbdrRecipe_Free(pbdrRecipe* recipe)
{
    pbdrRelease(&recipe->hooks, recipe->numbers, recipe->room, sizeof *recipe->numbers);
    *recipe = (pbdrRecipe){.hooks = recipe->hooks};
}
