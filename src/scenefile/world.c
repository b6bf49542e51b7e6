// The world of a scene: bodies that share shapes, and kinematic bodies that follow their way.
#include "scenefile/shapes.h"

#include "base.h"
#include "math/vec.h"

#include <limits.h>
#include <string.h>

// A shape that was made, and what of.
typedef struct Made {
    const pbdrSceneBody* body;
    const pbdrSceneGeom* geoms;
    int geomCount;
    bool given; // the file's own spheres
    pbdrShape* shape;
} Made;

typedef struct Builder {
    const pbdrSceneFile* scene;
    const pbdrScenePacking* packing;
    bool spheresTouch;
    pbdrRecipe* recipe; // notes what is made, if it is not NULL; shape k is made[k]
    pbdrSceneWorld* result;
    int madeCount, madeRoom;
    Made* made;
    pbdrError* error;
} Builder;

pbdrWorldDef pbdrSceneFile_GetWorldDef(const pbdrSceneFile* scene)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.gravity = scene->gravity;
    def.timeStep = scene->timeStep;
    def.mixing = scene->mixing;
    def.effort = scene->effort;
    def.tolerance = scene->tolerance;
    def.maxNewtonSteps = scene->maxNewtonSteps;
    def.sleeping = scene->sleeping;
    return def;
}

// --- Shapes, each made once ---

static bool isSameGeom(const pbdrSceneGeom* a, const pbdrSceneGeom* b)
{
    return a->kind == b->kind && a->mesh == b->mesh && a->sphereCount == b->sphereCount &&
           a->radius == b->radius && a->halfLength == b->halfLength && a->spacing == b->spacing &&
           memcmp(&a->half, &b->half, sizeof a->half) == 0 && memcmp(&a->pose, &b->pose, sizeof a->pose) == 0;
}

static bool isSame(const Made* made, const pbdrSceneBody* body, const pbdrSceneGeom* geoms, int geomCount)
{
    if (made->given || made->geomCount != geomCount || made->body->kind != body->kind ||
        made->body->solid.mass != body->solid.mass ||
        memcmp(&made->body->solid.centre, &body->solid.centre, sizeof body->solid.centre) != 0 ||
        memcmp(&made->body->solid.inertia, &body->solid.inertia, sizeof body->solid.inertia) != 0) {
        return false;
    }
    for (int g = 0; g < geomCount; g++) {
        if (!isSameGeom(&made->geoms[g], &geoms[g])) {
            return false;
        }
    }
    return true;
}

// The spheres of the file, for worlds that touch by them.
static pbdrStatus makeGivenShape(const Builder* builder, const pbdrSceneBody* body, pbdrShape** shape)
{
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.hooks = builder->result->hooks;
    def.sphereCount = body->spheres.count;
    def.positions = body->spheres.positions;
    def.radii = body->spheres.radii;
    def.masses = body->spheres.masses;
    if (builder->recipe != NULL) {
        pbdrRecipe_AddShape(builder->recipe, &def);
    }
    return pbdrCreateShape(&def, shape, builder->error);
}

// A shape that the builder holds, and its number; NULL with *status set on failure. Looks at the last ones only: bodies of a kind
// stand together in files, and a shape that is made twice is no fault.
static pbdrShape* findShape(Builder* builder, const pbdrSceneBody* body, const pbdrSceneGeom* geoms,
                            int geomCount, int* number, pbdrStatus* status)
{
    const bool given = builder->spheresTouch && body->spheres.count > 0;
    for (int k = builder->madeCount - 1; !given && k >= 0 && k >= builder->madeCount - 64; k--) {
        if (isSame(&builder->made[k], body, geoms, geomCount)) {
            *number = k;
            return builder->made[k].shape;
        }
    }
    Made* made = &builder->made[builder->madeCount];
    *number = builder->madeCount;
    *made = (Made){.body = body, .geoms = geoms, .geomCount = geomCount, .given = given};
    *status = given ? makeGivenShape(builder, body, &made->shape)
                    : pbdrMakeSceneShape(builder->scene, body, geoms, geomCount, builder->packing,
                                         builder->spheresTouch, &builder->result->hooks, builder->recipe,
                                         &made->shape, builder->error);
    builder->madeCount += *status == pbdr_statusOk;
    return made->shape;
}

// --- Bodies ---

// The pose of the centre of mass for that of the frame.
static pbdrPose placeCentre(pbdrPose frame, const pbdrShape* shape)
{
    pbdrQuat rotation = pbdrNormalizeQ(frame.rotation);
    pbdrMat3 turn = pbdrMatFromQuat(rotation);
    return (pbdrPose){pbdrAdd(frame.position, pbdrMulMV(&turn, pbdrShape_GetCentre(shape))), rotation};
}

// The substep that a point's time falls on; those beyond 2^62 never come.
static uint64_t getSubstep(const pbdrWorld* world, const pbdrScenePoint* point)
{
    const double substep = floor(point->time / pbdrWorld_GetTimeStep(world) + 0.5);
    return substep < 0x1p62 ? (uint64_t)substep : (uint64_t)1 << 62;
}

// A body with its way, as setTargets below will tell it.
static void recordBody(const Builder* builder, const pbdrBodyDef* def, int number, pbdrVec3 force,
                       pbdrVec3 torque, const pbdrSceneBody* body, const pbdrShape* shape)
{
    const pbdrWorld* world = builder->result->world;
    const int index = pbdrRecipe_AddBody(builder->recipe, def, number, force, torque);
    for (int k = 0; k + 1 < body->pointCount; k++) {
        uint64_t from = getSubstep(world, &body->points[k]), to = getSubstep(world, &body->points[k + 1]);
        if (to > from) {
            pbdrRecipe_AddTarget(builder->recipe, from, index, placeCentre(body->points[k + 1].pose, shape),
                                 (double)(to - from) * pbdrWorld_GetTimeStep(world));
        }
    }
}

static pbdrStatus addBody(Builder* builder, int index, const pbdrSceneGeom* geoms, int geomCount)
{
    pbdrSceneWorld* result = builder->result;
    const pbdrSceneBody* body = &builder->scene->bodies[index];
    const bool given = builder->spheresTouch && body->spheres.count > 0;
    pbdrStatus status = pbdr_statusOk;
    int number = 0;
    pbdrShape* shape = findShape(builder, body, geoms, geomCount, &number, &status);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrPose frame = body->pointCount > 0 ? body->points[0].pose : body->start;
    pbdrPose pose = given ? body->sphereStart : placeCentre(frame, shape);
    double dt = pbdrWorld_GetTimeStep(result->world);
    def.kind = body->kind;
    def.position = pose.position;
    def.rotation = pose.rotation;
    def.friction = body->friction;
    def.rollingFriction = body->rollingFriction;
    def.spinningFriction = body->spinningFriction;
    def.restitution = body->restitution;
    def.filter = body->untouchable ? (pbdrFilter){0, 0} : body->filter;
    if (body->kind != pbdr_bodyStatic) {
        def.velocity = body->velocity;
    }
    if (body->kind == pbdr_bodyKinematic) {
        // semi-implicit Euler starts from the velocity half a substep ago, so that it is at s + v t + a t^2/2 exactly
        def.velocity.linear = pbdrAddScaled(def.velocity.linear, -0.5 * dt, body->acceleration);
    }
    pbdrBodyId id;
    status = pbdrCreateBodyFromShape(result->world, &def, shape, &id, builder->error);
    pbdrVec3 force = {0.0, 0.0, 0.0}, torque = {0.0, 0.0, 0.0};
    if (body->kind == pbdr_bodyDynamic) {
        force = body->force;
        torque = body->torque;
    } else if (body->kind == pbdr_bodyKinematic && body->pointCount == 0) {
        force = pbdrScale(pbdrShape_GetMass(shape), body->acceleration);
    }
    if (status == pbdr_statusOk && body->kind != pbdr_bodyStatic) {
        pbdrBody_SetForce(result->world, id, force);
        pbdrBody_SetTorque(result->world, id, torque);
    }
    if (status == pbdr_statusOk && builder->recipe != NULL) {
        recordBody(builder, &def, number, force, torque, body, shape);
    }
    if (status == pbdr_statusOk) {
        result->ids[result->idCount] = id;
        result->owners[result->idCount++] = index;
    }
    return status;
}

static pbdrStatus addBodies(Builder* builder, int index)
{
    pbdrSceneWorld* result = builder->result;
    const pbdrSceneBody* body = &builder->scene->bodies[index];
    const int first = result->idCount;
    // what does not move needs no compound: a body for each geom is the same and is found sooner
    const bool apart = body->kind == pbdr_bodyStatic;
    pbdrStatus status = pbdr_statusOk;
    for (int g = 0; status == pbdr_statusOk && g < (apart ? body->geomCount : 1); g++) {
        status = addBody(builder, index, body->geoms + g, apart ? 1 : body->geomCount);
    }
    if (status != pbdr_statusOk && builder->error != NULL) {
        pbdrError cause = *builder->error;
        return pbdrFail(builder->error, status, "%.200s: body \"%.60s\": %.200s", builder->scene->path,
                        body->name, cause.message);
    }
    result->bodies[index] = result->ids[first < result->idCount ? first : 0];
    return status;
}

static pbdrStatus addPlanes(const Builder* builder)
{
    pbdrStatus status = pbdr_statusOk;
    for (int k = 0; status == pbdr_statusOk && k < builder->scene->planeCount; k++) {
        const pbdrScenePlane* plane = &builder->scene->planes[k];
        pbdrPlaneDef def = pbdrDefaultPlaneDef();
        def.normal = plane->normal;
        def.offset = plane->offset;
        def.friction = plane->friction;
        def.rollingFriction = plane->rollingFriction;
        def.spinningFriction = plane->spinningFriction;
        def.restitution = plane->restitution;
        def.filter = plane->filter;
        status = pbdrCreatePlane(builder->result->world, &def, NULL, builder->error);
        if (builder->recipe != NULL) {
            pbdrRecipe_AddPlane(builder->recipe, &def);
        }
    }
    return status;
}

// --- The whole ---

static size_t countIds(const pbdrSceneFile* scene)
{
    size_t count = 0;
    for (int i = 0; i < scene->bodyCount; i++) {
        count += scene->bodies[i].kind == pbdr_bodyStatic ? (size_t)scene->bodies[i].geomCount : 1;
    }
    return count;
}

static pbdrStatus build(Builder* builder, const pbdrWorldDef* def)
{
    pbdrSceneWorld* result = builder->result;
    const pbdrSceneFile* scene = builder->scene;
    const size_t ids = countIds(scene);
    result->bodies = pbdrAllocate(&result->hooks, (size_t)scene->bodyCount, sizeof *result->bodies);
    result->ids = pbdrAllocate(&result->hooks, ids, sizeof *result->ids);
    result->owners = pbdrAllocate(&result->hooks, ids, sizeof *result->owners);
    builder->madeRoom = (int)ids;
    builder->made = pbdrAllocate(&result->hooks, ids, sizeof *builder->made);
    result->joints = pbdrAllocate(&result->hooks, (size_t)scene->jointCount, sizeof *result->joints);
    result->controls = pbdrAllocate(&result->hooks, (size_t)scene->actuatorCount, sizeof *result->controls);
    if (result->bodies == NULL || result->ids == NULL || result->owners == NULL || builder->made == NULL ||
        result->joints == NULL || result->controls == NULL) {
        return pbdrFail(builder->error, pbdr_statusNoMemory, "%.200s: out of memory for %zu bodies",
                        scene->path, ids);
    }
    pbdrStatus status = pbdrCreateWorld(def, &result->world, builder->error);
    if (builder->recipe != NULL) {
        pbdrRecipe_AddWorld(builder->recipe, def);
    }
    if (status == pbdr_statusOk) {
        builder->spheresTouch = pbdrWorld_GetContactKind(result->world) == pbdr_contactSpheres;
        status = addPlanes(builder);
    }
    for (int i = 0; status == pbdr_statusOk && i < scene->bodyCount; i++) {
        status = addBodies(builder, i);
    }
    if (status == pbdr_statusOk) {
        status = pbdrMakeSceneJoints(result, builder->recipe, builder->error);
        pbdrStartSceneSensors(result);
    }
    return status;
}

pbdrStatus pbdrCreateSceneWorld(const pbdrSceneFile* scene, const pbdrWorldDef* def,
                                const pbdrScenePacking* packing, pbdrSceneWorld** result, pbdrError* error)
{
    return pbdrRecordSceneWorld(scene, def, packing, NULL, result, error);
}

pbdrStatus pbdrRecordSceneWorld(const pbdrSceneFile* scene, const pbdrWorldDef* def,
                                const pbdrScenePacking* packing, pbdrRecipe* recipe, pbdrSceneWorld** result,
                                pbdrError* error)
{
    const pbdrHooks hooks = def->hooks;
    pbdrError own; // messages are made longer, so there must be one
    *result = NULL;
    Builder builder = {
        .scene = scene, .packing = packing, .recipe = recipe, .error = error != NULL ? error : &own};
    builder.result = pbdrAllocate(&hooks, 1, sizeof *builder.result);
    if (builder.result == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "%.200s: out of memory", scene->path);
    }
    builder.result->scene = scene;
    builder.result->hooks = hooks;
    pbdrStatus status = build(&builder, def);
    for (int k = 0; k < builder.madeCount; k++) {
        pbdrReleaseShape(builder.made[k].shape); // bodies hold theirs
    }
    pbdrRelease(&hooks, builder.made, (size_t)builder.madeRoom, sizeof *builder.made);
    if (status == pbdr_statusOk && recipe != NULL && recipe->full) {
        status = pbdrFail(error, pbdr_statusNoMemory, "%.200s: out of memory for the recipe", scene->path);
    }
    if (status != pbdr_statusOk) {
        pbdrDestroySceneWorld(builder.result);
        return status;
    }
    *result = builder.result;
    return pbdr_statusOk;
}

void pbdrDestroySceneWorld(pbdrSceneWorld* made)
{
    if (made == NULL) {
        return;
    }
    const pbdrHooks hooks = made->hooks;
    const size_t ids = countIds(made->scene);
    pbdrDestroyWorld(made->world);
    pbdrRelease(&hooks, made->bodies, (size_t)made->scene->bodyCount, sizeof *made->bodies);
    pbdrRelease(&hooks, made->ids, ids, sizeof *made->ids);
    pbdrRelease(&hooks, made->owners, ids, sizeof *made->owners);
    pbdrRelease(&hooks, made->joints, (size_t)made->scene->jointCount, sizeof *made->joints);
    pbdrRelease(&hooks, made->controls, (size_t)made->scene->actuatorCount, sizeof *made->controls);
    pbdrRelease(&hooks, made, 1, sizeof *made);
}

// --- Motion ---

// Gives kinematic bodies that are at a point of their way the next one as their target. Returns the substeps until
// the next such event.
static uint64_t setTargets(pbdrSceneWorld* made)
{
    const uint64_t now = pbdrWorld_GetSubstepCount(made->world);
    uint64_t next = UINT64_MAX;
    for (int i = 0; i < made->idCount; i++) {
        const pbdrSceneBody* body = &made->scene->bodies[made->owners[i]];
        for (int k = 0; k + 1 < body->pointCount; k++) {
            uint64_t from = getSubstep(made->world, &body->points[k]),
                     to = getSubstep(made->world, &body->points[k + 1]);
            if (from == now && to > from) {
                const pbdrShape* shape = pbdrBody_GetShape(made->world, made->ids[i]);
                pbdrBody_SetTarget(made->world, made->ids[i], placeCentre(body->points[k + 1].pose, shape),
                                   (double)(to - from) * pbdrWorld_GetTimeStep(made->world));
            }
            next = from > now && from - now < next ? from - now : next;
        }
    }
    return next;
}

uint32_t pbdrSceneWorld_Step(pbdrSceneWorld* made, int substepCount)
{
    uint32_t flags = 0;
    while (substepCount > 0 && (flags & pbdr_stepNotFinite) == 0) {
        uint64_t next = setTargets(made);
        int count = next < (uint64_t)substepCount ? (int)next : substepCount;
        flags |= pbdrWorld_Step(made->world, count);
        substepCount -= count;
    }
    return flags;
}

pbdrPose pbdrSceneWorld_GetPose(const pbdrSceneWorld* made, int index)
{
    pbdrPose pose = pbdrBody_GetPose(made->world, made->bodies[index]);
    pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
    pbdrVec3 centre = pbdrBody_GetRestCentre(made->world, made->bodies[index]);
    pose.position = pbdrSub(pose.position, pbdrMulMV(&turn, centre));
    return pose;
}

pbdrVelocity pbdrSceneWorld_GetVelocity(const pbdrSceneWorld* made, int index)
{
    pbdrVelocity velocity = pbdrBody_GetVelocity(made->world, made->bodies[index]);
    pbdrMat3 turn = pbdrMatFromQuat(pbdrBody_GetPose(made->world, made->bodies[index]).rotation);
    pbdrVec3 back = pbdrMulMV(&turn, pbdrBody_GetRestCentre(made->world, made->bodies[index]));
    velocity.linear = pbdrSub(velocity.linear, pbdrCross(velocity.angular, back));
    return velocity;
}
