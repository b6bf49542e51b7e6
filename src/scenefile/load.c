// Loading scenes: which reader, what every scene must have, and memory that is given back as a whole.
#include "scenefile/memory.h"

#include "base.h"
#include "math/vec.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)1 << 16)
// Characters of a path that a message shows, from its end, so that the reason still fits.
#define MAX_SHOWN_PATH 250

typedef struct Block {
    struct Block* next;
    size_t size, used; // of all with the head [bytes]
} Block;

// --- Memory ---

void* pbdrTakeSceneMemory(pbdrSceneFile* scene, size_t count, size_t itemSize)
{
    if (itemSize > 0 && count > (SIZE_MAX - 2 * BLOCK_SIZE) / itemSize) {
        return NULL;
    }
    size_t size = (count * itemSize + 15) & ~(size_t)15;
    Block* block = scene->memory;
    if (block == NULL || block->size - block->used < size) {
        size_t head = (sizeof(Block) + 15) & ~(size_t)15;
        size_t whole = head + (size > BLOCK_SIZE ? size : BLOCK_SIZE);
        block = pbdrAllocate(&scene->hooks, 1, whole);
        if (block == NULL) {
            return NULL;
        }
        *block = (Block){scene->memory, whole, head};
        scene->memory = block;
    }
    void* memory = (char*)block + block->used;
    block->used += size;
    return memory;
}

const char* pbdrKeepText(pbdrSceneFile* scene, const char* text)
{
    size_t size = strlen(text) + 1;
    char* copy = pbdrTakeSceneMemory(scene, size, 1);
    if (copy != NULL) {
        memcpy(copy, text, size);
    }
    return copy;
}

pbdrSceneFile* pbdrStartScene(const char* path, const pbdrHooks* hooks, pbdrError* error)
{
    pbdrSceneFile* scene = pbdrAllocate(hooks, 1, sizeof *scene);
    if (scene != NULL) {
        if (hooks != NULL) {
            scene->hooks = *hooks;
        }
        scene->name = "";
        scene->gravity = pbdrVec(0.0, 0.0, -PBDR_DEFAULT_GRAVITY);
        scene->timeStep = PBDR_DEFAULT_TIME_STEP;
        scene->mixing = pbdr_mixGeometricMean;
        scene->effort = pbdr_effortBalanced;
        scene->path = pbdrKeepText(scene, path);
    }
    if (scene == NULL || scene->path == NULL) {
        pbdrFreeScene(scene);
        pbdrFailScene(path, 0, error, pbdr_statusNoMemory, "out of memory");
        return NULL;
    }
    return scene;
}

void pbdrFreeScene(pbdrSceneFile* scene)
{
    if (scene == NULL) {
        return;
    }
    for (int i = 0; i < scene->meshCount; i++) {
        pbdrMesh_Free(&scene->meshes[i].mesh);
    }
    pbdrHooks hooks = scene->hooks;
    for (Block *block = scene->memory, *next; block != NULL; block = next) {
        next = block->next;
        pbdrRelease(&hooks, block, 1, block->size);
    }
    pbdrRelease(&hooks, scene, 1, sizeof *scene);
}

// --- Lists ---

// The array with room for one more entry: as it is, or moved to twice the room. NULL without memory.
static void* grow(pbdrSceneFile* scene, void* array, int count, size_t itemSize)
{
    if (count > 0 && (count & (count - 1)) != 0) { // it is full at powers of two only
        return array;
    }
    void* larger = pbdrTakeSceneMemory(scene, count > 0 ? 2 * (size_t)count : 1, itemSize);
    if (larger != NULL && count > 0) {
        memcpy(larger, array, (size_t)count * itemSize);
    }
    return larger;
}

static const pbdrPose unmoved = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};

pbdrSceneBody* pbdrAddSceneBody(pbdrSceneFile* scene)
{
    pbdrSceneBody* bodies = grow(scene, scene->bodies, scene->bodyCount, sizeof *bodies);
    if (bodies == NULL) {
        return NULL;
    }
    scene->bodies = bodies;
    bodies[scene->bodyCount] = (pbdrSceneBody){.name = "",
                                               .start = unmoved,
                                               .sphereStart = unmoved,
                                               .friction = PBDR_DEFAULT_FRICTION,
                                               .filter = pbdrDefaultFilter()};
    return &bodies[scene->bodyCount++];
}

pbdrScenePlane* pbdrAddScenePlane(pbdrSceneFile* scene)
{
    pbdrScenePlane* planes = grow(scene, scene->planes, scene->planeCount, sizeof *planes);
    if (planes == NULL) {
        return NULL;
    }
    scene->planes = planes;
    planes[scene->planeCount] = (pbdrScenePlane){.name = "",
                                                 .normal = {0.0, 0.0, 1.0},
                                                 .friction = PBDR_DEFAULT_FRICTION,
                                                 .filter = pbdrDefaultFilter()};
    return &planes[scene->planeCount++];
}

pbdrSceneMesh* pbdrAddSceneMesh(pbdrSceneFile* scene)
{
    pbdrSceneMesh* meshes = grow(scene, scene->meshes, scene->meshCount, sizeof *meshes);
    if (meshes == NULL) {
        return NULL;
    }
    scene->meshes = meshes;
    meshes[scene->meshCount] = (pbdrSceneMesh){.name = ""};
    return &meshes[scene->meshCount++];
}

pbdrSceneJoint* pbdrAddSceneJoint(pbdrSceneFile* scene)
{
    pbdrSceneJoint* joints = grow(scene, scene->joints, scene->jointCount, sizeof *joints);
    if (joints == NULL) {
        return NULL;
    }
    scene->joints = joints;
    joints[scene->jointCount] =
        (pbdrSceneJoint){.name = "", .bodies = {-1, -1}, .axes = {-1, -1}, .def = pbdrDefaultJointDef()};
    return &joints[scene->jointCount++];
}

pbdrSceneSensor* pbdrAddSceneSensor(pbdrSceneFile* scene)
{
    pbdrSceneSensor* sensors = grow(scene, scene->sensors, scene->sensorCount, sizeof *sensors);
    if (sensors == NULL) {
        return NULL;
    }
    scene->sensors = sensors;
    sensors[scene->sensorCount] =
        (pbdrSceneSensor){.name = "", .body = -1, .other = -1, .joint = -1, .def = pbdrDefaultSensorDef()};
    return &sensors[scene->sensorCount++];
}

pbdrSceneActuator* pbdrAddSceneActuator(pbdrSceneFile* scene)
{
    pbdrSceneActuator* actuators = grow(scene, scene->actuators, scene->actuatorCount, sizeof *actuators);
    if (actuators == NULL) {
        return NULL;
    }
    scene->actuators = actuators;
    actuators[scene->actuatorCount] = (pbdrSceneActuator){
        .name = "", .gear = 1.0, .gain = 1.0, .lower = -HUGE_VAL, .upper = HUGE_VAL, .minForce = -HUGE_VAL,
        .maxForce = HUGE_VAL};
    return &actuators[scene->actuatorCount++];
}

bool pbdrAddIgnored(pbdrSceneFile* scene, const char* format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const char** ignored = grow(scene, (void*)scene->ignored, scene->ignoredCount, sizeof *ignored);
    const char* copy = ignored != NULL ? pbdrKeepText(scene, text) : NULL;
    if (copy == NULL) {
        return false;
    }
    scene->ignored = ignored;
    scene->ignored[scene->ignoredCount++] = copy;
    return true;
}

// --- Messages ---

pbdrStatus pbdrFailScene(const char* path, int line, pbdrError* error, pbdrStatus status, const char* format,
                         ...)
{
    char reason[PBDR_MESSAGE_LENGTH], place[16] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    for (char* c = reason; *c != 0; c++) {
        *c = (unsigned char)*c >= ' ' && *c != 127 ? *c : ' ';
    }
    size_t length = strlen(path);
    const char* shown = path + (length > MAX_SHOWN_PATH ? length - MAX_SHOWN_PATH : 0);
    if (line > 0) {
        snprintf(place, sizeof place, ":%d", line);
    }
    return pbdrFail(error, status, "%s%s: %.*s", shown, place, (int)(sizeof reason / 2 - sizeof place),
                    reason);
}

// --- Checks ---

#define REFUSE(...) return pbdrFailScene(scene->path, 0, error, pbdr_statusFileFormat, __VA_ARGS__)

static bool isPose(const pbdrPose* pose)
{
    return pbdrIsFiniteVec(pose->position) && fabs(pbdrLengthQ(pose->rotation) - 1.0) < PBDR_UNIT_TOLERANCE;
}

static pbdrStatus checkGeom(const pbdrSceneFile* scene, const pbdrSceneBody* body, int index,
                            pbdrError* error)
{
    const pbdrSceneGeom* geom = &body->geoms[index];
    bool round = geom->kind != pbdr_geomBox && geom->kind != pbdr_geomMesh;
    bool along = geom->kind == pbdr_geomCapsule || geom->kind == pbdr_geomCylinder;
    if (!isPose(&geom->pose)) {
        REFUSE("body \"%s\", geom %d: its pose is not finite or not of unit length", body->name, index);
    }
    if (geom->kind == pbdr_geomBox &&
        !(geom->half.x > 0.0 && geom->half.y > 0.0 && geom->half.z > 0.0 && pbdrIsFiniteVec(geom->half))) {
        REFUSE("body \"%s\", geom %d: half sizes (%g, %g, %g) m are not above zero", body->name, index,
               geom->half.x, geom->half.y, geom->half.z);
    }
    if (round && !(geom->radius > 0.0 && isfinite(geom->radius))) {
        REFUSE("body \"%s\", geom %d: radius %g m is not above zero", body->name, index, geom->radius);
    }
    if (along && !(geom->halfLength > 0.0 && isfinite(geom->halfLength))) {
        REFUSE("body \"%s\", geom %d: half length %g m is not above zero", body->name, index,
               geom->halfLength);
    }
    if (geom->kind == pbdr_geomMesh && (geom->mesh < 0 || geom->mesh >= scene->meshCount)) {
        REFUSE("body \"%s\", geom %d: there is no mesh %d", body->name, index, geom->mesh);
    }
    if (geom->kind == pbdr_geomMesh && body->kind == pbdr_bodyDynamic && scene->meshes[geom->mesh].open) {
        REFUSE("body \"%s\", geom %d: an open mesh is for static and kinematic bodies", body->name, index);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkPoints(const pbdrSceneFile* scene, const pbdrSceneBody* body, pbdrError* error)
{
    for (int k = 0; k < body->pointCount; k++) {
        const pbdrScenePoint* point = &body->points[k];
        if (!isPose(&point->pose) || !(point->time >= 0.0 && isfinite(point->time))) {
            REFUSE("body \"%s\", point %d of its way: time %g s or pose is not possible", body->name, k,
                   point->time);
        }
        if (k > 0 && !(point->time > point[-1].time)) {
            REFUSE("body \"%s\", point %d of its way: time %g s is not after %g s", body->name, k,
                   point->time, point[-1].time);
        }
    }
    if (body->pointCount > 0 && body->kind != pbdr_bodyKinematic) {
        REFUSE("body \"%s\": only kinematic bodies have a way", body->name);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkBody(const pbdrSceneFile* scene, const pbdrSceneBody* body, pbdrError* error)
{
    if (body->geomCount < 1) {
        REFUSE("body \"%s\": no geom", body->name);
    }
    if (body->kind == pbdr_bodyDynamic && !(body->solid.mass > 0.0 && isfinite(body->solid.mass))) {
        REFUSE("body \"%s\": mass %g kg is not above zero", body->name, body->solid.mass);
    }
    if (!isPose(&body->start) || !isPose(&body->sphereStart)) {
        REFUSE("body \"%s\": its start is not finite or not of unit length", body->name);
    }
    pbdrStatus status = checkPoints(scene, body, error);
    for (int i = 0; status == pbdr_statusOk && i < body->geomCount; i++) {
        status = checkGeom(scene, body, i, error);
    }
    return status;
}

// What the world does not see when it makes them: names, and numbers that lists are read with.
static pbdrStatus checkJoints(const pbdrSceneFile* scene, pbdrError* error)
{
    for (int i = 0; i < scene->jointCount; i++) {
        const pbdrSceneJoint* joint = &scene->joints[i];
        for (int k = 0; k < i && joint->name[0] != 0; k++) {
            if (strcmp(scene->joints[k].name, joint->name) == 0) {
                REFUSE("joint %d: \"%s\" is joint %d already", i, joint->name, k);
            }
        }
        for (int side = 0; side < 2; side++) {
            if (joint->bodies[side] < -1 || joint->bodies[side] >= scene->bodyCount) {
                REFUSE("joint \"%s\": there is no body %d", joint->name, joint->bodies[side]);
            }
        }
    }
    for (int i = 0; i < scene->actuatorCount; i++) {
        const pbdrSceneActuator* actuator = &scene->actuators[i];
        if (actuator->joint < 0 || actuator->joint >= scene->jointCount) {
            REFUSE("actuator \"%s\": there is no joint %d", actuator->name, actuator->joint);
        }
        if (!(actuator->lower <= actuator->upper) || !isfinite(actuator->gear) || !isfinite(actuator->gain) ||
            !isfinite(actuator->gainSlopes[0]) || !isfinite(actuator->gainSlopes[1]) ||
            !isfinite(actuator->bias[0]) || !isfinite(actuator->bias[1]) || !isfinite(actuator->bias[2]) ||
            !(actuator->minForce <= actuator->maxForce) ||
            !isfinite(actuator->control)) {
            REFUSE("actuator \"%s\": gear, gain, bias, ranges or control are not possible",
                   actuator->name);
        }
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckScene(const pbdrSceneFile* scene, pbdrError* error)
{
    if (!(scene->timeStep > 0.0 && isfinite(scene->timeStep))) {
        REFUSE("time step %g s is not above zero", scene->timeStep);
    }
    if (!(scene->duration >= 0.0 && isfinite(scene->duration))) {
        REFUSE("duration %g s is not possible", scene->duration);
    }
    for (int i = 0; i < scene->bodyCount; i++) {
        pbdrStatus status = checkBody(scene, &scene->bodies[i], error);
        if (status != pbdr_statusOk) {
            return status;
        }
    }
    return checkJoints(scene, error);
}

// --- Loading ---

static bool endsWith(const char* path, const char* ending)
{
    size_t length = strlen(path), size = strlen(ending);
    for (size_t k = 1; k <= size && k <= length; k++) {
        if (tolower((unsigned char)path[length - k]) != ending[size - k]) {
            return false;
        }
    }
    return length >= size;
}

pbdrStatus pbdrLoadScene(const char* path, const pbdrHooks* hooks, pbdrSceneFile** result, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, path != NULL && result != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or scene: NULL");
    }
    *result = NULL;
    bool json = endsWith(path, ".json");
    if (!json && !endsWith(path, ".xml") && !endsWith(path, ".urdf") && !endsWith(path, ".mjcf")) {
        return pbdrFailScene(path, 0, error, pbdr_statusFileFormat,
                             "the name ends in none of .json, .xml, .mjcf and .urdf");
    }
    pbdrSceneFile* scene = pbdrStartScene(path, hooks, error);
    if (scene == NULL) {
        return pbdr_statusNoMemory;
    }
    pbdrStatus status = json ? pbdrReadJsonScene(scene, error) : pbdrReadMjcfScene(scene, error);
    if (status == pbdr_statusOk) {
        status = pbdrCheckScene(scene, error);
    }
    if (status != pbdr_statusOk) {
        pbdrFreeScene(scene);
        return status;
    }
    *result = scene;
    return pbdr_statusOk;
}
