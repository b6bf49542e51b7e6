// Making the world of a recipe (pbdr/recipe.h). The numbers may come from anywhere: each is checked for its range before
// it is taken for a count or an index, and what the definitions may hold is checked by those who take them.
#include "scenefile/recipe.h"
#include "scenefile/recipe_reader.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define MAX_COUNT (1 << 26)
#define MAX_PARTS 1024
// Points along a mesh's side at most: more would take for ever, and scenes have 5 (shapes.c).
#define MAX_SPACINGS 1.0e4

// --- Entries ---

static void readWorld(pbdrRecipeReader* reader)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.hooks = reader->made->hooks;
    def.gravity = pbdrTakeVec(reader);
    def.precision = (pbdrPrecision)pbdrTakeInt(reader, "precision", 0, 1);
    def.solver = (pbdrSolver)pbdrTakeInt(reader, "solver", 0, 2);
    def.engine = (pbdrEngine)pbdrTakeInt(reader, "engine", 0, 8);
    def.ablation = (uint32_t)pbdrTakeInt(reader, "ablation", 0, 255);
    def.timeStep = pbdrTakeNumber(reader);
    def.iterations = pbdrTakeInt(reader, "iterations", 1, PBDR_MAX_ITERATIONS);
    def.relaxation = pbdrTakeNumber(reader);
    def.mixing = (pbdrFrictionMixing)pbdrTakeInt(reader, "mixing", 0, 3);
    def.contact = (pbdrContactKind)pbdrTakeInt(reader, "contact", 0, 2);
    def.maxPairCount = pbdrTakeInt(reader, "pairs", 1, INT_MAX);
    def.effort = (pbdrEffort)pbdrTakeInt(reader, "effort", 0, 2);
    def.tolerance = pbdrTakeNumber(reader);
    def.maxNewtonSteps = pbdrTakeInt(reader, "Newton steps", 0, INT_MAX);
    def.sleeping = pbdrTakeInt(reader, "sleeping", 0, 1) == 1;
    if (pbdrIsGood(reader)) {
        reader->status = pbdrCreateWorld(&def, &reader->made->world, reader->error);
    }
}

static void readPlane(pbdrRecipeReader* reader)
{
    pbdrPlaneDef def = pbdrDefaultPlaneDef();
    def.normal = pbdrTakeVec(reader);
    def.offset = pbdrTakeNumber(reader);
    pbdrTakeMaterial(reader, &def.friction, &def.rollingFriction, &def.spinningFriction, &def.restitution,
                     &def.filter);
    if (pbdrIsGood(reader)) {
        pbdrRecipeWorld* made = reader->made;
        reader->status = pbdrCreatePlane(made->world, &def, &made->planes[made->planeCount], reader->error);
        made->planeCount += pbdrIsGood(reader);
    }
}

// The meshes of a surface's parts, which live until the shape is made.
typedef struct Meshes {
    int count;
    pbdrMesh items[MAX_PARTS];
} Meshes;

static void readMesh(pbdrRecipeReader* reader, pbdrSurfaceDef* surface, Meshes* meshes)
{
    int vertexCount = pbdrTakeInt(reader, "vertices", 0, MAX_COUNT);
    int triangleCount = pbdrTakeInt(reader, "triangles", 0, MAX_COUNT);
    if (surface->kind != pbdr_surfaceMesh || vertexCount == 0 || meshes->count == MAX_PARTS) {
        return;
    }
    const double* vertices = pbdrTakeNumbers(reader, 3 * (size_t)vertexCount);
    const double* corners = pbdrTakeNumbers(reader, 3 * (size_t)triangleCount);
    if (!pbdrIsGood(reader)) {
        return;
    }
    int32_t(*triangles)[3] = pbdrAllocate(&reader->made->hooks, (size_t)triangleCount, sizeof *triangles);
    pbdrVec3* places = pbdrAllocate(&reader->made->hooks, (size_t)vertexCount, sizeof *places);
    if (triangles == NULL || places == NULL) {
        pbdrFailMemory(reader);
    }
    for (int i = 0; pbdrIsGood(reader) && i < 3 * triangleCount; i++) {
        if (!(corners[i] >= 0.0 && corners[i] < vertexCount)) {
            REFUSE(reader, "recipe: corner %g of triangle %d is none of %d vertices", corners[i], i / 3,
                   vertexCount);
        } else {
            triangles[i / 3][i % 3] = (int32_t)corners[i];
        }
    }
    for (int i = 0; pbdrIsGood(reader) && i < vertexCount; i++) {
        places[i] = (pbdrVec3){vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]};
        const double far = fmax(fabs(places[i].x - places[0].x),
                                fmax(fabs(places[i].y - places[0].y), fabs(places[i].z - places[0].z)));
        if (!(far < 1.0e9) || (surface->spacing > 0.0 && far > MAX_SPACINGS * surface->spacing)) {
            REFUSE(reader,
                   "recipe: vertex %d of a mesh, %g m from its first, is too far for points every %g m", i,
                   far, surface->spacing);
        }
    }
    pbdrMesh* mesh = &meshes->items[meshes->count];
    // as it stood when the shape was made: no second look at it, which might join or turn something
    *mesh = (pbdrMesh){.vertexCount = vertexCount,
                       .vertices = places,
                       .triangleCount = triangleCount,
                       .triangles = triangles};
    meshes->count++;
    surface->mesh = mesh;
}

static void readSimpleSurface(pbdrRecipeReader* reader, int kind, pbdrSurfaceDef* surface, Meshes* meshes)
{
    surface->kind = (pbdrSurfaceKind)kind;
    surface->frame.position = pbdrTakeVec(reader);
    surface->frame.rotation = pbdrTakeQuat(reader);
    surface->half = pbdrTakeVec(reader);
    surface->radius = pbdrTakeNumber(reader);
    surface->halfLength = pbdrTakeNumber(reader);
    for (int k = 0; k < 3; k++) {
        surface->counts[k] = pbdrTakeInt(reader, "cells", 0, MAX_COUNT);
    }
    surface->sides = (pbdrMeshSides)pbdrTakeInt(reader, "sides", 0, 2);
    surface->thickness = pbdrTakeNumber(reader);
    surface->spacing = pbdrTakeNumber(reader);
    surface->maxPoints = pbdrTakeInt(reader, "points", 0, MAX_COUNT);
    readMesh(reader, surface, meshes);
}

static void makeShape(pbdrRecipeReader* reader, pbdrShapeDef* def, Meshes* meshes, pbdrSurfaceDef* parts)
{
    int kind = pbdrTakeInt(reader, "kind of surface", 0, pbdr_surfaceCompound);
    if (kind == pbdr_surfaceCompound) {
        def->surface.kind = pbdr_surfaceCompound;
        def->surface.partCount = pbdrTakeInt(reader, "parts", 1, MAX_PARTS);
        def->surface.parts = parts;
        for (int k = 0; pbdrIsGood(reader) && k < def->surface.partCount; k++) {
            parts[k] = pbdrDefaultShapeDef().surface;
            readSimpleSurface(reader, pbdrTakeInt(reader, "kind of part", 1, pbdr_surfaceMesh), &parts[k],
                              meshes);
        }
    } else {
        readSimpleSurface(reader, kind, &def->surface, meshes);
    }
    pbdrRecipeWorld* made = reader->made;
    if (pbdrIsGood(reader)) {
        reader->status = pbdrCreateShape(def, &made->shapes[made->shapeCount], reader->error);
        made->shapeCount += pbdrIsGood(reader);
    }
}

static void readShape(pbdrRecipeReader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    const pbdrHooks* hooks = &made->hooks;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.hooks = *hooks;
    def.sphereCount = pbdrTakeInt(reader, "spheres", 1, MAX_COUNT);
    memcpy(&def.extraInertia, pbdrTakeNumbers(reader, 9), 9 * sizeof(double));
    const size_t count = pbdrIsGood(reader) ? (size_t)def.sphereCount : 1;
    pbdrVec3* positions = pbdrAllocate(hooks, count, sizeof *positions);
    Meshes* meshes = pbdrAllocate(hooks, 1, sizeof *meshes);
    pbdrSurfaceDef* parts = pbdrAllocate(hooks, MAX_PARTS, sizeof *parts);
    if (positions == NULL || meshes == NULL || parts == NULL) {
        pbdrFailMemory(reader);
    } else {
        const double* numbers = pbdrTakeNumbers(reader, 3 * count);
        for (size_t i = 0; pbdrIsGood(reader) && i < count; i++) {
            positions[i] = (pbdrVec3){numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
        }
        def.positions = positions;
        def.radii = pbdrTakeNumbers(reader, count);
        def.masses = pbdrTakeNumbers(reader, count);
        makeShape(reader, &def, meshes, parts);
        for (int k = 0; k < meshes->count; k++) {
            pbdrMesh* mesh = &meshes->items[k];
            pbdrRelease(hooks, mesh->vertices, (size_t)mesh->vertexCount, sizeof *mesh->vertices);
            pbdrRelease(hooks, mesh->triangles, (size_t)mesh->triangleCount, sizeof *mesh->triangles);
        }
    }
    pbdrRelease(hooks, positions, count, sizeof *positions);
    pbdrRelease(hooks, meshes, 1, sizeof *meshes);
    pbdrRelease(hooks, parts, MAX_PARTS, sizeof *parts);
}

static void readBody(pbdrRecipeReader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = (pbdrBodyKind)pbdrTakeInt(reader, "kind of body", 0, 2);
    int shape = pbdrTakeInt(reader, "shape of body", 0, made->shapeCount - 1);
    def.position = pbdrTakeVec(reader);
    def.rotation = pbdrTakeQuat(reader);
    def.velocity.linear = pbdrTakeVec(reader);
    def.velocity.angular = pbdrTakeVec(reader);
    pbdrTakeMaterial(reader, &def.friction, &def.rollingFriction, &def.spinningFriction, &def.restitution,
                     &def.filter);
    pbdrVec3 force = pbdrTakeVec(reader), torque = pbdrTakeVec(reader);
    if (!pbdrIsGood(reader)) {
        return;
    }
    pbdrBodyId* id = &made->bodies[made->bodyCount];
    reader->status = pbdrCreateBodyFromShape(made->world, &def, made->shapes[shape], id, reader->error);
    if (pbdrIsGood(reader)) {
        made->bodyCount++;
        pbdrBody_SetForce(made->world, *id, force);
        pbdrBody_SetTorque(made->world, *id, torque);
    }
}

static void readTarget(pbdrRecipeReader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    pbdrRecipeTarget target = {.substep = 0};
    double substep = pbdrTakeNumber(reader);
    if (!(substep >= 0.0 && substep < 0x1p62)) {
        REFUSE(reader, "recipe: number %zu: %g is no substep", reader->at - 1, substep);
    }
    target.body = pbdrTakeInt(reader, "body of a target", 0, made->bodyCount - 1);
    target.pose.position = pbdrTakeVec(reader);
    target.pose.rotation = pbdrTakeQuat(reader);
    target.seconds = pbdrTakeNumber(reader);
    if (pbdrIsGood(reader)) {
        target.substep = (uint64_t)substep;
        made->targets[made->targetCount++] = target;
    }
}

static double getLimit(double number)
{
    return number >= DBL_MAX ? HUGE_VAL : number <= -DBL_MAX ? -HUGE_VAL : number;
}

static void readJoint(pbdrRecipeReader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = (pbdrJointKind)pbdrTakeInt(reader, "kind of joint", 0,
                                          pbdr_jointExclusion); // gears have a tag of their own
    pbdrBodyId* ids[2] = {&def.bodyA, &def.bodyB};
    for (int side = 0; side < 2; side++) {
        const int body = pbdrTakeInt(reader, "body of a joint", -1, made->bodyCount - 1);
        *ids[side] = body >= 0 ? made->bodies[body] : (pbdrBodyId){0, 0, 0};
    }
    pbdrJointFrame* frames[2] = {&def.frameA, &def.frameB};
    for (int side = 0; side < 2; side++) {
        frames[side]->anchor = pbdrTakeVec(reader);
        frames[side]->axis = pbdrTakeVec(reader);
        frames[side]->side = pbdrTakeVec(reader);
    }
    def.length = pbdrTakeNumber(reader);
    def.touch = pbdrTakeInt(reader, "touch", 0, 1) == 1;
    def.lower = getLimit(pbdrTakeNumber(reader));
    def.upper = getLimit(pbdrTakeNumber(reader));
    def.stiffness = pbdrTakeNumber(reader);
    def.reference = pbdrTakeNumber(reader);
    def.damping = pbdrTakeNumber(reader);
    def.friction = pbdrTakeNumber(reader);
    def.armature = pbdrTakeNumber(reader);
    def.motor = (pbdrMotorKind)pbdrTakeInt(reader, "motor", 0, pbdr_motorPosition);
    def.motorTarget = pbdrTakeNumber(reader);
    def.motorStiffness = pbdrTakeNumber(reader);
    def.motorDamping = pbdrTakeNumber(reader);
    def.maxMotorForce = getLimit(pbdrTakeNumber(reader));
    def.minMotorForce = reader->hasLeast ? reader->least : def.minMotorForce;
    reader->hasLeast = false;
    if (pbdrIsGood(reader)) {
        reader->status = pbdrCreateJoint(made->world, &def, NULL, reader->error);
    }
}

static void readGear(pbdrRecipeReader* reader)
{
    pbdrWorld* world = reader->made->world;
    pbdrJointDef def = pbdrDefaultJointDef();
    pbdrJointId ids[2] = {{0, 0, 0}, {0, 0, 0}};
    def.kind = pbdr_jointGear;
    const int count = pbdrWorld_GetJoints(world, NULL, 0);
    for (int side = 0; side < 2; side++) {
        const int joint = pbdrTakeInt(reader, "joint of a gear", 0, count - 1);
        // a world that was just made has the first joint at index 1, and no gaps
        pbdrJointId first = {0, 0, 0};
        pbdrWorld_GetJoints(world, &first, 1);
        ids[side] = (pbdrJointId){first.index1 + joint, first.generation, first.world};
    }
    def.jointA = ids[0];
    def.jointB = ids[1];
    for (int k = 0; k < 5; k++) {
        def.coefficients[k] = pbdrTakeNumber(reader);
    }
    if (pbdrIsGood(reader)) {
        reader->status = pbdrCreateJoint(world, &def, NULL, reader->error);
    }
}

// --- The whole ---

static void readEntry(pbdrRecipeReader* reader)
{
    int tag = pbdrTakeInt(reader, "tag", pbdr_recipeWorld, pbdr_recipeLeast);
    if (pbdrIsGood(reader) && (tag == pbdr_recipeWorld) != (reader->made->world == NULL)) {
        REFUSE(reader, "recipe: number %zu: the world comes first, and once", reader->at - 1);
    }
    if (!pbdrIsGood(reader)) {
        return;
    }
    switch (tag) {
    case pbdr_recipeWorld:
        readWorld(reader);
        break;
    case pbdr_recipePlane:
        readPlane(reader);
        break;
    case pbdr_recipeShape:
        readShape(reader);
        break;
    case pbdr_recipeBody:
        readBody(reader);
        break;
    case pbdr_recipeJoint:
        readJoint(reader);
        break;
    case pbdr_recipeGear:
        readGear(reader);
        break;
    case pbdr_recipeLeast:
        reader->least = getLimit(pbdrTakeNumber(reader));
        reader->hasLeast = true;
        break;
    default:
        readTarget(reader);
        break;
    }
}

// No entry has fewer numbers: so many fit at most.
static size_t getRoom(size_t count)
{
    return count / 10 + 1;
}

pbdrStatus pbdrCreateRecipeWorld(const double* numbers, size_t count, const pbdrHooks* hooks,
                                 pbdrRecipeWorld** result, pbdrError* error)
{
    const pbdrHooks own = hooks != NULL ? *hooks : (pbdrHooks){0};
    *result = NULL;
    if (numbers == NULL || count < 2 || numbers[0] != PBDR_RECIPE_VERSION) {
        return pbdrFail(error, pbdr_statusFileFormat, "recipe: %s of version %d",
                        count < 2 ? "empty, wanted one" : "not one", PBDR_RECIPE_VERSION);
    }
    const size_t room = getRoom(count);
    pbdrRecipeWorld* made = pbdrAllocate(&own, 1, sizeof *made);
    if (made == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "recipe: out of memory");
    }
    pbdrRecipeReader reader = {.numbers = numbers, .count = count, .at = 1, .made = made, .error = error};
    made->hooks = own;
    made->shapes = pbdrAllocate(&own, room, sizeof *made->shapes);
    made->bodies = pbdrAllocate(&own, room, sizeof *made->bodies);
    made->targets = pbdrAllocate(&own, room, sizeof *made->targets);
    made->planes = pbdrAllocate(&own, room, sizeof *made->planes);
    made->room = room;
    if (made->shapes == NULL || made->bodies == NULL || made->targets == NULL || made->planes == NULL) {
        pbdrFailMemory(&reader);
    }
    while (pbdrIsGood(&reader) && reader.at < count) {
        readEntry(&reader);
    }
    if (!pbdrIsGood(&reader)) {
        pbdrDestroyRecipeWorld(made);
        return reader.status;
    }
    *result = made;
    return pbdr_statusOk;
}

void pbdrDestroyRecipeWorld(pbdrRecipeWorld* made)
{
    if (made == NULL) {
        return;
    }
    const pbdrHooks hooks = made->hooks;
    pbdrDestroyWorld(made->world);
    for (int k = 0; k < made->shapeCount; k++) {
        pbdrReleaseShape(made->shapes[k]);
    }
    pbdrRelease(&hooks, made->shapes, made->room, sizeof *made->shapes);
    pbdrRelease(&hooks, made->bodies, made->room, sizeof *made->bodies);
    pbdrRelease(&hooks, made->targets, made->room, sizeof *made->targets);
    pbdrRelease(&hooks, made->planes, made->room, sizeof *made->planes);
    pbdrRelease(&hooks, made, 1, sizeof *made);
}

uint32_t pbdrRecipeWorld_Step(pbdrRecipeWorld* made, int substepCount)
{
    uint32_t flags = 0;
    while (substepCount > 0 && (flags & pbdr_stepNotFinite) == 0) {
        const uint64_t now = pbdrWorld_GetSubstepCount(made->world);
        uint64_t next = (uint64_t)substepCount;
        for (int k = 0; k < made->targetCount; k++) {
            const pbdrRecipeTarget* target = &made->targets[k];
            if (target->substep == now) {
                pbdrBody_SetTarget(made->world, made->bodies[target->body], target->pose, target->seconds);
            } else if (target->substep > now && target->substep - now < next) {
                next = target->substep - now;
            }
        }
        flags |= pbdrWorld_Step(made->world, (int)next);
        substepCount -= (int)next;
    }
    return flags;
}
