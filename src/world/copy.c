// Copies of worlds: the same bodies, planes and settings, and the state over them, so that a copy goes on bit for bit.
#include "world/held.h"
#include "world/internal.h"

#include "tasks/tasks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Where an engine of particles holds those of a body: their order is part of the state.
typedef struct Slot {
    int index;
    uintptr_t place; // 0 in engines without particles, and of dead bodies
} Slot;

static int compareSlots(const void* a, const void* b)
{
    const Slot *first = a, *second = b;
    return first->place != second->place ? (first->place < second->place ? -1 : 1)
                                         : (first->index > second->index) - (first->index < second->index);
}

static void findSlots(const pbdrWorld* world, Slot* slots)
{
    for (int index = 0; index < world->scene.bodies.count; index++) {
        slots[index] = (Slot){.index = index};
        if (pbdrGetBody(&world->scene, index)->alive && world->engine->getParticles != NULL) {
            const pbdrArrayView x = world->engine->getParticles(world->engineState, index).x;
            slots[index].place = x.f64 != NULL ? (uintptr_t)x.f64 : (uintptr_t)x.f32;
        }
    }
    qsort(slots, (size_t)world->scene.bodies.count, sizeof *slots, compareSlots);
}

// Gives the engine its bodies. Places of dead ones are made and emptied again, for engines count by index.
static bool addBodies(pbdrWorld* copy, const Slot* slots)
{
    pbdrScene* scene = &copy->scene;
    pbdrShape* ball = NULL;
    bool good = pbdrCreateBallShape(1.0, 1.0, &ball, NULL) == pbdr_statusOk;
    for (int k = 0; good && k < scene->bodies.count; k++) {
        const int index = slots[k].index;
        const pbdrBody* body = pbdrGetBody(scene, index);
        good = copy->engine->addBody(copy->engineState, index, body->alive ? body->shape : ball);
        if (good && !body->alive && copy->engine->removeBody != NULL) {
            copy->engine->removeBody(copy->engineState, index);
        }
    }
    pbdrReleaseShape(ball);
    return good;
}

// Bodies, planes and joints as they are, with references to their shapes.
static bool copyThings(const pbdrWorld* world, pbdrWorld* copy)
{
    pbdrScene* scene = &copy->scene;
    const pbdrList *bodies = &world->scene.bodies, *planes = &world->scene.planes;
    if (!pbdrListExtend(&scene->memory, &scene->bodies, bodies->count)) {
        return false;
    }
    for (int index = 0; index < bodies->count; index++) {
        pbdrBody* body = pbdrGetBody(scene, index);
        *body = *pbdrGetBody(&world->scene, index);
        if (body->alive) {
            pbdrRetainShape((pbdrShape*)body->shape);
        }
    }
    scene->bodyCount = world->scene.bodyCount;
    for (int index = 0; index < planes->count; index++) {
        if (pbdrListPush(&scene->memory, &scene->planes) == NULL ||
            (copy->engine->addPlane != NULL && !copy->engine->addPlane(copy->engineState))) {
            return false;
        }
        *pbdrGetPlane(scene, index) = *pbdrGetPlane(&world->scene, index);
    }
    if (!pbdrListExtend(&scene->memory, &scene->joints, world->scene.joints.count)) {
        return false;
    }
    for (int index = 0; index < scene->joints.count; index++) {
        *pbdrGetJoint(scene, index) = *pbdrGetJoint(&world->scene, index);
    }
    scene->jointCount = world->scene.jointCount;
    return true;
}

// All settings, those of later versions too; what belongs to the world itself stays its own.
static void copySettings(const pbdrScene* from, pbdrScene* to)
{
    const pbdrScene own = *to;
    *to = *from;
    to->memory = own.memory;
    to->number = own.number;
    to->tasks = own.tasks;
    to->bodies = own.bodies;
    to->bodyCount = own.bodyCount;
    to->planes = own.planes;
    to->joints = own.joints;
    to->jointCount = own.jointCount;
    to->profiling = to->counting = false;
    memset(&to->profile, 0, sizeof to->profile);
}

static bool copyState(const pbdrWorld* world, pbdrWorld* copy)
{
    const pbdrHooks* hooks = &copy->hooks;
    const size_t size = pbdrWorld_GetStateSize(world);
    void* bytes = pbdrAllocate(hooks, size, 1);
    const bool good = bytes != NULL && pbdrWorld_GetState(world, bytes, size, NULL) == pbdr_statusOk &&
                      pbdrWorld_SetState(copy, bytes, size, NULL) == pbdr_statusOk;
    pbdrRelease(hooks, bytes, size, 1);
    return good;
}

pbdrStatus pbdrCopyWorld(const pbdrWorld* world, int threads, pbdrWorld** result, pbdrError* error)
{
    return pbdrCopyWorldInto(world, threads, &world->hooks, result, error);
}

pbdrStatus pbdrCopyWorldInto(const pbdrWorld* world, int threads, const pbdrHooks* own, pbdrWorld** result,
                             pbdrError* error)
{
    const pbdrScene* scene = &world->scene;
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.precision = scene->precision;
    def.solver = scene->solver;
    def.engine = scene->solver == pbdr_solverXpbdR ? pbdr_engineAuto : world->engineKind;
    def.ablation = scene->ablation;
    def.contact = pbdrWorld_GetContactKind(world);
    def.simd = scene->simd;
    def.maxPairCount = scene->maxPairCount;
    def.hooks = *own;
    def.contactEvents = world->events.on;
    def.userData = world->userData;
    def.threads = threads > 0 ? threads : pbdrCountWorkers(scene->tasks);
    def.tasks = pbdrGetTaskHooks(scene->tasks);
    pbdrStatus status = pbdrCreateWorld(&def, result, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrWorld* copy = *result;
    copy->hooks = world->hooks;
    const size_t count = (size_t)scene->bodies.count;
    Slot* slots = pbdrAllocate(&copy->hooks, count, sizeof *slots);
    bool good = slots != NULL;
    if (good) {
        copySettings(scene, &copy->scene);
        findSlots(world, slots);
        good = copyThings(world, copy) && addBodies(copy, slots) && copyState(world, copy);
    }
    pbdrRelease(&copy->hooks, slots, count, sizeof *slots);
    if (!good) {
        pbdrDestroyWorld(copy);
        *result = NULL;
        return pbdrFail(error, pbdr_statusNoMemory, "world: out of memory for a copy of %d bodies",
                        scene->bodyCount);
    }
    return pbdr_statusOk;
}
