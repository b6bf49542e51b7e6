// Contacts of the last substep: clearing, friction mixing, and what the API shows of them.
#include "solver/candidates.h"
#include "solver/surface_contact.h"

#include <string.h>

bool pbdrReservePlaneSlots(pbdrWorld* world)
{
    pbdrClearContacts(world);
    size_t stride = (size_t)world->particles.blockCapacity;
    size_t count = (size_t)world->planes.count * stride;
    if (count <= world->planeSlotCount) {
        world->planeSlotStride = stride; // all slots are empty: rows may move
        return true;
    }
    int32_t* slots = pbdrWorldAllocate(world, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    pbdrWorldRelease(world, world->planeSlots, world->planeSlotCount, sizeof *slots);
    world->planeSlots = slots;
    world->planeSlotCount = count;
    world->planeSlotStride = stride;
    return true;
}

void pbdrClearContacts(pbdrWorld* world)
{
    const pbdrPlaneTouch* touches = world->planeTouches.items;
    for (int k = 0; k < world->planeTouches.count; k++) {
        *pbdrGetPlaneSlot(world, touches[k].plane, touches[k].block) = 0;
    }
    world->planeTouches.count = 0;
    world->pairs.count = 0;
    pbdrForgetCandidates(world);
}

double pbdrMixFriction(pbdrFrictionMixing mixing, double a, double b)
{
    switch (mixing) {
    case pbdr_mixGeometricMean:
        return a == b ? a : sqrt(a * b);
    case pbdr_mixMinimum:
        return fmin(a, b);
    case pbdr_mixMaximum:
        return fmax(a, b);
    case pbdr_mixAverage:
        return 0.5 * (a + b);
    }
    return 0.0;
}

static pbdrContact describePlaneContact(const pbdrWorld* world, const pbdrPlaneTouch* touch, int lane)
{
    const pbdrParticles* p = &world->particles;
    const pbdrPlane* plane = pbdrGetPlane(world, touch->plane);
    int particle = touch->block * PBDR_BLOCK + lane;
    int bodyIndex = pbdrGetOwner(world, particle);
    pbdrVec3 x = pbdrReadVec(world, p->position, particle);
    double radius = pbdrReadReal(world, p->radius, particle);
    bool f32 = world->precision == pbdr_precisionF32;
    pbdrContact contact = {
        .bodyA = pbdrGetBodyId(world, bodyIndex),
        .particleA = particle - pbdrGetBody(world, bodyIndex)->firstBlock * PBDR_BLOCK,
        .particleB = -1,
        .plane = {touch->plane + 1, plane->generation},
        .point = pbdrAddScaled(x, -radius, plane->normal),
        .normal = plane->normal,
        .separation = pbdrDot(plane->normal, x) - plane->offset - radius,
    };
    double force[3];
    for (int k = 0; k < 3; k++) {
        force[k] = f32 ? (double)touch->force.f32[k][lane] : touch->force.f64[k][lane];
    }
    contact.force = pbdrVec(force[0], force[1], force[2]);
    return contact;
}

static pbdrContact describePair(const pbdrWorld* world, const pbdrPair* pair)
{
    const pbdrParticles* p = &world->particles;
    int bodyA = pbdrGetOwner(world, pair->first), bodyB = pbdrGetOwner(world, pair->second);
    pbdrVec3 x = pbdrReadVec(world, p->position, pair->first);
    pbdrVec3 apart = pbdrSub(x, pbdrReadVec(world, p->position, pair->second));
    double distance = pbdrLength(apart);
    double radius = pbdrReadReal(world, p->radius, pair->first);
    pbdrVec3 normal = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
    return (pbdrContact){
        .bodyA = pbdrGetBodyId(world, bodyA),
        .particleA = pair->first - pbdrGetBody(world, bodyA)->firstBlock * PBDR_BLOCK,
        .bodyB = pbdrGetBodyId(world, bodyB),
        .particleB = pair->second - pbdrGetBody(world, bodyB)->firstBlock * PBDR_BLOCK,
        .point = pbdrAddScaled(x, -radius, normal),
        .normal = normal,
        .separation = distance - radius - pbdrReadReal(world, p->radius, pair->second),
        .force = pbdrVec(pair->force[0], pair->force[1], pair->force[2]),
    };
}

// A sphere of an item as the contact list shows it.
static pbdrVec3 getItemPosition(const pbdrWorld* world, const pbdrBody* body, int column, int item)
{
    const pbdrVec3 q = {pbdrGetColumn(&world->items, column)[item],
                        pbdrGetColumn(&world->items, column + 1)[item],
                        pbdrGetColumn(&world->items, column + 2)[item]};
    return pbdrAdd(body->centre0, pbdrMulMV(&body->stretch, q));
}

// A contact with a flat face is where the other body's sphere touches it. Leaves contacts of two spheres as
// they are, but for their point.
static void describeFace(const pbdrWorld* world, const pbdrPatch* patch, int item, pbdrContact* contact)
{
    const pbdrItems* items = &world->items;
    const pbdrBody *a = pbdrGetBody(world, patch->bodyA), *b = pbdrGetBody(world, patch->bodyB);
    pbdrVec3 xA = getItemPosition(world, a, ITEM_REST, item),
             xB = getItemPosition(world, b, ITEM_REST_B, item);
    double radiusA = pbdrGetColumn(items, ITEM_RADIUS)[item],
           radiusB = pbdrGetColumn(items, ITEM_RADIUS_B)[item];
    contact->point = pbdrAddScaled(xA, -radiusA, contact->normal);
    if (world->solver != pbdr_solverXpbdR) {
        return;
    }
    double side = pbdrGetColumn(items, ITEM_SIDE)[item];
    pbdrVec3 outwards;
    if (side == SIDE_A && a->faceFirsts != NULL) {
        contact->separation = pbdrGetCellGap(a, contact->particleA, xA, radiusA, xB, radiusB, &outwards);
        contact->normal = pbdrScale(-1.0, outwards);
        contact->point = pbdrAddScaled(xB, radiusB, contact->normal);
    } else if (side == SIDE_B && b->faceFirsts != NULL) {
        contact->separation =
            pbdrGetCellGap(b, contact->particleB, xB, radiusB, xA, radiusA, &contact->normal);
        contact->point = pbdrAddScaled(xA, -radiusA, contact->normal);
    }
}

static pbdrContact describeItem(const pbdrWorld* world, const pbdrPatch* patch, int item)
{
    const pbdrItems* items = &world->items;
    const pbdrBody* a = pbdrGetBody(world, patch->bodyA);
    pbdrVec3 x = getItemPosition(world, a, ITEM_REST, item);
    double radius = pbdrGetColumn(items, ITEM_RADIUS)[item];
    pbdrContact contact = {
        .bodyA = pbdrGetBodyId(world, patch->bodyA),
        .particleA = a->tree.indices[items->spheres[0][item]],
        .particleB = -1,
        .force = {pbdrGetColumn(items, ITEM_FORCE)[item], pbdrGetColumn(items, ITEM_FORCE + 1)[item],
                  pbdrGetColumn(items, ITEM_FORCE + 2)[item]},
    };
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(world, patch->plane);
        contact.plane = (pbdrPlaneId){patch->plane + 1, plane->generation};
        contact.normal = plane->normal;
        contact.separation = pbdrDot(plane->normal, x) - plane->offset - radius;
    } else {
        const pbdrBody* b = pbdrGetBody(world, patch->bodyB);
        pbdrVec3 apart = pbdrSub(x, getItemPosition(world, b, ITEM_REST_B, item));
        double distance = pbdrLength(apart);
        contact.bodyB = pbdrGetBodyId(world, patch->bodyB);
        contact.particleB = b->tree.indices[items->spheres[1][item]];
        contact.normal = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
        contact.separation = distance - radius - pbdrGetColumn(items, ITEM_RADIUS_B)[item];
        describeFace(world, patch, item, &contact);
        x = pbdrAdd(contact.point, pbdrScale(radius, contact.normal));
    }
    contact.point = pbdrAddScaled(x, -radius, contact.normal);
    return contact;
}

static int getItemContacts(const pbdrWorld* world, pbdrContact* buffer, int capacity)
{
    int count = 0;
    const double* touched = pbdrGetColumn(&world->items, ITEM_TOUCHED);
    for (int k = 0; k < world->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            if (touched[item] > 0.0 && count++ < capacity) {
                buffer[count - 1] = describeItem(world, patch, item);
            }
        }
    }
    return count;
}

int pbdrWorld_GetContacts(const pbdrWorld* world, pbdrContact* buffer, int capacity)
{
    if (!pbdrHasParticles(world)) {
        return getItemContacts(world, buffer, capacity);
    }
    int count = 0;
    for (int plane = 0; plane < world->planes.count && world->planeTouches.count > 0; plane++) {
        const int32_t* slots = pbdrGetPlaneSlot(world, plane, 0);
        for (int block = 0; block < world->particles.blockCount; block++) {
            if (slots[block] == 0) {
                continue;
            }
            const pbdrPlaneTouch* touch =
                (const pbdrPlaneTouch*)world->planeTouches.items + (slots[block] - 1);
            for (int lane = 0; lane < PBDR_BLOCK; lane++) {
                if ((touch->lanes >> lane & 1u) != 0 && count++ < capacity) {
                    buffer[count - 1] = describePlaneContact(world, touch, lane);
                }
            }
        }
    }
    const pbdrPair* pairs = world->pairs.items;
    for (int k = 0; k < world->pairs.count; k++) {
        if (pairs[k].touched && count++ < capacity) {
            buffer[count - 1] = describePair(world, pairs + k);
        }
    }
    return count;
}
