// Making the world of a recipe (pbdr/recipe.h). The numbers may come from anywhere: each is checked for its range before
// it is taken for a count or an index, and what the definitions may hold is checked by those who take them.
#include "scenefile/recipe.h"

#include "base.h"

#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define MAX_COUNT (1 << 26)
#define MAX_PARTS 1024
// Points along a mesh's side at most: more would take for ever, and scenes have 5 (shapes.c).
#define MAX_SPACINGS 1.0e4

typedef struct Reader {
    const double* numbers;
    size_t count, at;
    pbdrRecipeWorld* made;
    pbdrStatus status; // the first failure
    pbdrError* error;
} Reader;

static bool isGood(const Reader* reader)
{
    return reader->status == pbdr_statusOk;
}

#define REFUSE(reader, ...)                                                                                  \
    ((reader)->status =                                                                                      \
         isGood(reader) ? pbdrFail((reader)->error, pbdr_statusFileFormat, __VA_ARGS__) : (reader)->status)

static void failMemory(Reader* reader)
{
    if (isGood(reader)) {
        reader->status = pbdrFail(reader->error, pbdr_statusNoMemory, "recipe: out of memory");
    }
}

// --- Numbers ---

static const double zeros[9];

// The next `count` numbers; where there are not as many, zeros (for up to nine), and the recipe is refused.
static const double* take(Reader* reader, size_t count)
{
    if (!isGood(reader) || count > reader->count - reader->at) {
        REFUSE(reader, "recipe: ends after %zu numbers, in the middle of an entry", reader->count);
        return zeros;
    }
    const double* numbers = reader->numbers + reader->at;
    reader->at += count;
    return numbers;
}

static double takeNumber(Reader* reader)
{
    return *take(reader, 1);
}

// A whole number from least to most; least where it is none.
static int takeInt(Reader* reader, const char* what, int least, int most)
{
    double number = takeNumber(reader);
    if (isGood(reader) && !(number >= least && number <= most && number == floor(number))) {
        REFUSE(reader, "recipe: number %zu, %s: %g is no whole number from %d to %d", reader->at - 1, what,
               number, least, most);
    }
    return isGood(reader) ? (int)number : least;
}

static pbdrVec3 takeVec(Reader* reader)
{
    const double* n = take(reader, 3);
    return (pbdrVec3){n[0], n[1], n[2]};
}

static pbdrQuat takeQuat(Reader* reader)
{
    const double* n = take(reader, 4);
    return (pbdrQuat){n[0], n[1], n[2], n[3]};
}

static uint64_t takeMask(Reader* reader)
{
    uint64_t parts[2];
    for (int k = 0; k < 2; k++) {
        double number = takeNumber(reader);
        bool good = number >= 0.0 && number < 4294967296.0;
        if (!good) {
            REFUSE(reader, "recipe: number %zu: %g is no half of a filter", reader->at - 1, number);
        }
        parts[k] = good ? (uint64_t)number : 0;
    }
    return parts[0] | parts[1] << 32;
}

static void takeMaterial(Reader* reader, double* friction, double* rolling, double* spinning,
                         double* restitution, pbdrFilter* filter)
{
    const double* n = take(reader, 4);
    *friction = n[0];
    *rolling = n[1];
    *spinning = n[2];
    *restitution = n[3];
    filter->category = takeMask(reader);
    filter->mask = takeMask(reader);
}

// --- Entries ---

static void readWorld(Reader* reader)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.hooks = reader->made->hooks;
    def.gravity = takeVec(reader);
    def.precision = (pbdrPrecision)takeInt(reader, "precision", 0, 1);
    def.solver = (pbdrSolver)takeInt(reader, "solver", 0, 2);
    def.engine = (pbdrEngine)takeInt(reader, "engine", 0, 8);
    def.ablation = (uint32_t)takeInt(reader, "ablation", 0, 255);
    def.timeStep = takeNumber(reader);
    def.iterations = takeInt(reader, "iterations", 1, PBDR_MAX_ITERATIONS);
    def.relaxation = takeNumber(reader);
    def.mixing = (pbdrFrictionMixing)takeInt(reader, "mixing", 0, 3);
    def.contact = (pbdrContactKind)takeInt(reader, "contact", 0, 2);
    def.maxPairCount = takeInt(reader, "pairs", 1, INT_MAX);
    def.effort = (pbdrEffort)takeInt(reader, "effort", 0, 2);
    def.tolerance = takeNumber(reader);
    def.maxNewtonSteps = takeInt(reader, "Newton steps", 0, INT_MAX);
    def.sleeping = takeInt(reader, "sleeping", 0, 1) == 1;
    if (isGood(reader)) {
        reader->status = pbdrCreateWorld(&def, &reader->made->world, reader->error);
    }
}

static void readPlane(Reader* reader)
{
    pbdrPlaneDef def = pbdrDefaultPlaneDef();
    def.normal = takeVec(reader);
    def.offset = takeNumber(reader);
    takeMaterial(reader, &def.friction, &def.rollingFriction, &def.spinningFriction, &def.restitution,
                 &def.filter);
    if (isGood(reader)) {
        pbdrRecipeWorld* made = reader->made;
        reader->status = pbdrCreatePlane(made->world, &def, &made->planes[made->planeCount], reader->error);
        made->planeCount += isGood(reader);
    }
}

// The meshes of a surface's parts, which live until the shape is made.
typedef struct Meshes {
    int count;
    pbdrMesh items[MAX_PARTS];
} Meshes;

static void readMesh(Reader* reader, pbdrSurfaceDef* surface, Meshes* meshes)
{
    int vertexCount = takeInt(reader, "vertices", 0, MAX_COUNT);
    int triangleCount = takeInt(reader, "triangles", 0, MAX_COUNT);
    if (surface->kind != pbdr_surfaceMesh || vertexCount == 0 || meshes->count == MAX_PARTS) {
        return;
    }
    const double* vertices = take(reader, 3 * (size_t)vertexCount);
    const double* corners = take(reader, 3 * (size_t)triangleCount);
    if (!isGood(reader)) {
        return;
    }
    int32_t(*triangles)[3] = pbdrAllocate(&reader->made->hooks, (size_t)triangleCount, sizeof *triangles);
    pbdrVec3* places = pbdrAllocate(&reader->made->hooks, (size_t)vertexCount, sizeof *places);
    if (triangles == NULL || places == NULL) {
        failMemory(reader);
    }
    for (int i = 0; isGood(reader) && i < 3 * triangleCount; i++) {
        if (!(corners[i] >= 0.0 && corners[i] < vertexCount)) {
            REFUSE(reader, "recipe: corner %g of triangle %d is none of %d vertices", corners[i], i / 3,
                   vertexCount);
        } else {
            triangles[i / 3][i % 3] = (int32_t)corners[i];
        }
    }
    for (int i = 0; isGood(reader) && i < vertexCount; i++) {
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

static void readSimpleSurface(Reader* reader, int kind, pbdrSurfaceDef* surface, Meshes* meshes)
{
    surface->kind = (pbdrSurfaceKind)kind;
    surface->frame.position = takeVec(reader);
    surface->frame.rotation = takeQuat(reader);
    surface->half = takeVec(reader);
    surface->radius = takeNumber(reader);
    surface->halfLength = takeNumber(reader);
    for (int k = 0; k < 3; k++) {
        surface->counts[k] = takeInt(reader, "cells", 0, MAX_COUNT);
    }
    surface->sides = (pbdrMeshSides)takeInt(reader, "sides", 0, 2);
    surface->thickness = takeNumber(reader);
    surface->spacing = takeNumber(reader);
    surface->maxPoints = takeInt(reader, "points", 0, MAX_COUNT);
    readMesh(reader, surface, meshes);
}

static void makeShape(Reader* reader, pbdrShapeDef* def, Meshes* meshes, pbdrSurfaceDef* parts)
{
    int kind = takeInt(reader, "kind of surface", 0, pbdr_surfaceCompound);
    if (kind == pbdr_surfaceCompound) {
        def->surface.kind = pbdr_surfaceCompound;
        def->surface.partCount = takeInt(reader, "parts", 1, MAX_PARTS);
        def->surface.parts = parts;
        for (int k = 0; isGood(reader) && k < def->surface.partCount; k++) {
            parts[k] = pbdrDefaultShapeDef().surface;
            readSimpleSurface(reader, takeInt(reader, "kind of part", 1, pbdr_surfaceMesh), &parts[k],
                              meshes);
        }
    } else {
        readSimpleSurface(reader, kind, &def->surface, meshes);
    }
    pbdrRecipeWorld* made = reader->made;
    if (isGood(reader)) {
        reader->status = pbdrCreateShape(def, &made->shapes[made->shapeCount], reader->error);
        made->shapeCount += isGood(reader);
    }
}

static void readShape(Reader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    const pbdrHooks* hooks = &made->hooks;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.hooks = *hooks;
    def.sphereCount = takeInt(reader, "spheres", 1, MAX_COUNT);
    memcpy(&def.extraInertia, take(reader, 9), 9 * sizeof(double));
    const size_t count = isGood(reader) ? (size_t)def.sphereCount : 1;
    pbdrVec3* positions = pbdrAllocate(hooks, count, sizeof *positions);
    Meshes* meshes = pbdrAllocate(hooks, 1, sizeof *meshes);
    pbdrSurfaceDef* parts = pbdrAllocate(hooks, MAX_PARTS, sizeof *parts);
    if (positions == NULL || meshes == NULL || parts == NULL) {
        failMemory(reader);
    } else {
        const double* numbers = take(reader, 3 * count);
        for (size_t i = 0; isGood(reader) && i < count; i++) {
            positions[i] = (pbdrVec3){numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
        }
        def.positions = positions;
        def.radii = take(reader, count);
        def.masses = take(reader, count);
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

static void readBody(Reader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = (pbdrBodyKind)takeInt(reader, "kind of body", 0, 2);
    int shape = takeInt(reader, "shape of body", 0, made->shapeCount - 1);
    def.position = takeVec(reader);
    def.rotation = takeQuat(reader);
    def.velocity.linear = takeVec(reader);
    def.velocity.angular = takeVec(reader);
    takeMaterial(reader, &def.friction, &def.rollingFriction, &def.spinningFriction, &def.restitution,
                 &def.filter);
    pbdrVec3 force = takeVec(reader), torque = takeVec(reader);
    if (!isGood(reader)) {
        return;
    }
    pbdrBodyId* id = &made->bodies[made->bodyCount];
    reader->status = pbdrCreateBodyFromShape(made->world, &def, made->shapes[shape], id, reader->error);
    if (isGood(reader)) {
        made->bodyCount++;
        pbdrBody_SetForce(made->world, *id, force);
        pbdrBody_SetTorque(made->world, *id, torque);
    }
}

static void readTarget(Reader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    pbdrRecipeTarget target = {.substep = 0};
    double substep = takeNumber(reader);
    if (!(substep >= 0.0 && substep < 0x1p62)) {
        REFUSE(reader, "recipe: number %zu: %g is no substep", reader->at - 1, substep);
    }
    target.body = takeInt(reader, "body of a target", 0, made->bodyCount - 1);
    target.pose.position = takeVec(reader);
    target.pose.rotation = takeQuat(reader);
    target.seconds = takeNumber(reader);
    if (isGood(reader)) {
        target.substep = (uint64_t)substep;
        made->targets[made->targetCount++] = target;
    }
}

static double getLimit(double number)
{
    return number >= DBL_MAX ? HUGE_VAL : number <= -DBL_MAX ? -HUGE_VAL : number;
}

static void readJoint(Reader* reader)
{
    pbdrRecipeWorld* made = reader->made;
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = (pbdrJointKind)takeInt(reader, "kind of joint", 0,
                                      pbdr_jointExclusion); // gears have a tag of their own
    pbdrBodyId* ids[2] = {&def.bodyA, &def.bodyB};
    for (int side = 0; side < 2; side++) {
        const int body = takeInt(reader, "body of a joint", -1, made->bodyCount - 1);
        *ids[side] = body >= 0 ? made->bodies[body] : (pbdrBodyId){0, 0, 0};
    }
    pbdrJointFrame* frames[2] = {&def.frameA, &def.frameB};
    for (int side = 0; side < 2; side++) {
        frames[side]->anchor = takeVec(reader);
        frames[side]->axis = takeVec(reader);
        frames[side]->side = takeVec(reader);
    }
    def.length = takeNumber(reader);
    def.touch = takeInt(reader, "touch", 0, 1) == 1;
    def.lower = getLimit(takeNumber(reader));
    def.upper = getLimit(takeNumber(reader));
    def.stiffness = takeNumber(reader);
    def.reference = takeNumber(reader);
    def.damping = takeNumber(reader);
    def.friction = takeNumber(reader);
    def.armature = takeNumber(reader);
    def.motor = (pbdrMotorKind)takeInt(reader, "motor", 0, pbdr_motorPosition);
    def.motorTarget = takeNumber(reader);
    def.motorStiffness = takeNumber(reader);
    def.motorDamping = takeNumber(reader);
    def.maxMotorForce = getLimit(takeNumber(reader));
    if (isGood(reader)) {
        reader->status = pbdrCreateJoint(made->world, &def, NULL, reader->error);
    }
}

static void readGear(Reader* reader)
{
    pbdrWorld* world = reader->made->world;
    pbdrJointDef def = pbdrDefaultJointDef();
    pbdrJointId ids[2] = {{0, 0, 0}, {0, 0, 0}};
    def.kind = pbdr_jointGear;
    const int count = pbdrWorld_GetJoints(world, NULL, 0);
    for (int side = 0; side < 2; side++) {
        const int joint = takeInt(reader, "joint of a gear", 0, count - 1);
        // a world that was just made has the first joint at index 1, and no gaps
        pbdrJointId first = {0, 0, 0};
        pbdrWorld_GetJoints(world, &first, 1);
        ids[side] = (pbdrJointId){first.index1 + joint, first.generation, first.world};
    }
    def.jointA = ids[0];
    def.jointB = ids[1];
    for (int k = 0; k < 5; k++) {
        def.coefficients[k] = takeNumber(reader);
    }
    if (isGood(reader)) {
        reader->status = pbdrCreateJoint(world, &def, NULL, reader->error);
    }
}

// --- The whole ---

static void readEntry(Reader* reader)
{
    int tag = takeInt(reader, "tag", pbdr_recipeWorld, pbdr_recipeGear);
    if (isGood(reader) && (tag == pbdr_recipeWorld) != (reader->made->world == NULL)) {
        REFUSE(reader, "recipe: number %zu: the world comes first, and once", reader->at - 1);
    }
    if (!isGood(reader)) {
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
    Reader reader = {.numbers = numbers, .count = count, .at = 1, .made = made, .error = error};
    made->hooks = own;
    made->shapes = pbdrAllocate(&own, room, sizeof *made->shapes);
    made->bodies = pbdrAllocate(&own, room, sizeof *made->bodies);
    made->targets = pbdrAllocate(&own, room, sizeof *made->targets);
    made->planes = pbdrAllocate(&own, room, sizeof *made->planes);
    made->room = room;
    if (made->shapes == NULL || made->bodies == NULL || made->targets == NULL || made->planes == NULL) {
        failMemory(&reader);
    }
    while (isGood(&reader) && reader.at < count) {
        readEntry(&reader);
    }
    if (!isGood(&reader)) {
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
