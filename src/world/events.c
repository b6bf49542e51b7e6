// Contact events: which bodies and planes begin and end to touch.
//
//   contacts of the substep --> who touches whom, sorted, each once --> merged with the substep before:
//   only now: begin; only before: end
#include "world/internal.h"

#include <stdlib.h>

// A body and a plane, or two bodies.
typedef struct Touch {
    pbdrBodyId bodyA, bodyB;
    pbdrPlaneId plane;
} Touch;

static Touch getTouch(const pbdrContact* contact)
{
    const bool swap = contact->bodyB.index1 != 0 && contact->bodyB.index1 < contact->bodyA.index1;
    return (Touch){swap ? contact->bodyB : contact->bodyA, swap ? contact->bodyA : contact->bodyB,
                   contact->plane};
}

// Planes first; then by index, and by generation, for what has died may have a successor.
static int compareTouches(const void* a, const void* b)
{
    const Touch *first = a, *second = b;
    const int64_t keys[2][7] = {
        {first->plane.index1 == 0, first->plane.index1, first->bodyA.index1, first->bodyB.index1,
         first->plane.generation, first->bodyA.generation, first->bodyB.generation},
        {second->plane.index1 == 0, second->plane.index1, second->bodyA.index1, second->bodyB.index1,
         second->plane.generation, second->bodyA.generation, second->bodyB.generation},
    };
    for (int k = 0; k < 7; k++) {
        if (keys[0][k] != keys[1][k]) {
            return keys[0][k] < keys[1][k] ? -1 : 1;
        }
    }
    return 0;
}

static void addTouch(void* context, const pbdrContact* contact)
{
    pbdrWorld* world = context;
    pbdrList* list = &world->events.touching;
    const Touch touch = getTouch(contact);
    const Touch* last = list->count > 0 ? (const Touch*)list->items + list->count - 1 : NULL;
    if (last != NULL && compareTouches(last, &touch) == 0) {
        return; // contacts of two things mostly stand together
    }
    Touch* place = pbdrListPush(&world->scene.memory, list);
    if (place != NULL) {
        *place = touch;
    } else {
        world->scene.flags |= pbdr_stepPairsFull;
    }
}

// Who touches whom now.
static void listTouches(pbdrWorld* world)
{
    pbdrList* list = &world->events.touching;
    list->count = 0;
    world->engine->visitContacts(world->engineState, addTouch, world);
    if (list->count < 2) {
        return;
    }
    Touch* touches = list->items;
    qsort(touches, (size_t)list->count, sizeof *touches, compareTouches);
    int kept = 1;
    for (int k = 1; k < list->count; k++) {
        if (compareTouches(&touches[kept - 1], &touches[k]) != 0) {
            touches[kept++] = touches[k];
        }
    }
    list->count = kept;
}

static void addEvent(pbdrWorld* world, pbdrContactEventKind kind, const Touch* touch)
{
    pbdrContactEvent* event = pbdrListPush(&world->scene.memory, &world->events.list);
    if (event != NULL) {
        *event =
            (pbdrContactEvent){kind, touch->bodyA, touch->bodyB, touch->plane, world->scene.substepCount};
    } else {
        world->scene.flags |= pbdr_stepPairsFull;
    }
}

void pbdrStartEvents(pbdrWorld* world)
{
    world->events.list.count = 0;
}

void pbdrRecordEvents(pbdrWorld* world)
{
    pbdrEvents* events = &world->events;
    const pbdrList last = events->touching;
    events->touching = events->lastTouching;
    events->lastTouching = last;
    listTouches(world);
    const Touch *now = events->touching.items, *before = events->lastTouching.items;
    const int nowCount = events->touching.count, beforeCount = events->lastTouching.count;
    for (int i = 0, j = 0; i < nowCount || j < beforeCount;) {
        int order = i == nowCount ? 1 : (j == beforeCount ? -1 : compareTouches(&now[i], &before[j]));
        if (order < 0) {
            addEvent(world, pbdr_contactBegin, &now[i]);
        } else if (order > 0) {
            addEvent(world, pbdr_contactEnd, &before[j]);
        }
        i += order <= 0;
        j += order >= 0;
    }
}

void pbdrResetEvents(pbdrWorld* world)
{
    world->events.list.count = 0;
    if (world->events.on) {
        listTouches(world);
    }
}

void pbdrFreeEvents(pbdrWorld* world)
{
    pbdrListFree(&world->scene.memory, &world->events.touching);
    pbdrListFree(&world->scene.memory, &world->events.lastTouching);
    pbdrListFree(&world->scene.memory, &world->events.list);
}

void pbdrWorld_SetContactEvents(pbdrWorld* world, bool on)
{
    pbdrEvents* events = &world->events;
    if (on != events->on) {
        pbdrFreeEvents(world);
        *events = (pbdrEvents){
            .on = on,
            .touching = {.itemSize = sizeof(Touch)},
            .lastTouching = {.itemSize = sizeof(Touch)},
            .list = {.itemSize = sizeof(pbdrContactEvent)},
        };
    }
}

bool pbdrWorld_HasContactEvents(const pbdrWorld* world)
{
    return world->events.on;
}

int pbdrWorld_GetContactEvents(const pbdrWorld* world, pbdrContactEvent* buffer, int capacity)
{
    const pbdrContactEvent* events = world->events.list.items;
    for (int k = 0; k < world->events.list.count && k < capacity; k++) {
        buffer[k] = events[k];
    }
    return world->events.list.count;
}
