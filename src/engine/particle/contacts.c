// Contacts of the last substep: their records, and what the API shows of them.
#include "engine/particle/particle.h"

bool pbdrReservePlaneSlots(pbdrParticleWorld* world)
{
    pbdrClearContacts(world);
    pbdrMemory* memory = &world->scene->memory;
    size_t stride = (size_t)world->particles.blockCapacity;
    size_t count = (size_t)world->scene->planes.count * stride;
    if (count <= world->planeSlotCount) {
        world->planeSlotStride = stride; // all slots are empty: rows may move
        return true;
    }
    int32_t* slots = pbdrTakeMemory(memory, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    pbdrGiveMemory(memory, world->planeSlots, world->planeSlotCount, sizeof *slots);
    world->planeSlots = slots;
    world->planeSlotCount = count;
    world->planeSlotStride = stride;
    return true;
}

void pbdrClearContacts(pbdrParticleWorld* world)
{
    const pbdrPlaneTouch* touches = world->planeTouches.items;
    for (int k = 0; k < world->planeTouches.count; k++) {
        *pbdrGetPlaneSlot(world, touches[k].plane, touches[k].block) = 0;
    }
    world->planeTouches.count = 0;
    world->pairs.count = 0;
}

// Number of a particle within its body.
static int getOrdinal(const pbdrParticleWorld* world, int body, int particle)
{
    return particle - pbdrGetParticleBody(world, body)->firstBlock * PBDR_BLOCK;
}

static pbdrContact describePlaneContact(const pbdrParticleWorld* world, const pbdrPlaneTouch* touch, int lane)
{
    const pbdrScene* scene = world->scene;
    const pbdrParticles* p = &world->particles;
    const pbdrPlane* plane = pbdrGetPlane(scene, touch->plane);
    int particle = touch->block * PBDR_BLOCK + lane;
    int body = pbdrGetOwner(world, particle);
    pbdrVec3 x = pbdrReadVec(scene, p->position, particle);
    double radius = pbdrReadReal(scene, p->radius, particle);
    pbdrContact contact = {
        .bodyA = pbdrGetBodyId(scene, body),
        .particleA = getOrdinal(world, body, particle),
        .particleB = -1,
        .plane = pbdrGetPlaneId(scene, touch->plane),
        .point = pbdrAddScaled(x, -radius, plane->normal),
        .normal = plane->normal,
        .separation = pbdrDot(plane->normal, x) - plane->offset - radius,
    };
    double force[3];
    for (int k = 0; k < 3; k++) {
        force[k] = scene->precision == pbdr_precisionF32 ? (double)touch->force.f32[k][lane]
                                                         : touch->force.f64[k][lane];
    }
    contact.force = pbdrVec(force[0], force[1], force[2]);
    return contact;
}

static pbdrContact describePair(const pbdrParticleWorld* world, const pbdrPair* pair)
{
    const pbdrScene* scene = world->scene;
    const pbdrParticles* p = &world->particles;
    int bodyA = pbdrGetOwner(world, pair->first), bodyB = pbdrGetOwner(world, pair->second);
    pbdrVec3 x = pbdrReadVec(scene, p->position, pair->first);
    pbdrVec3 apart = pbdrSub(x, pbdrReadVec(scene, p->position, pair->second));
    double distance = pbdrLength(apart);
    double radius = pbdrReadReal(scene, p->radius, pair->first);
    pbdrVec3 normal = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
    return (pbdrContact){
        .bodyA = pbdrGetBodyId(scene, bodyA),
        .particleA = getOrdinal(world, bodyA, pair->first),
        .bodyB = pbdrGetBodyId(scene, bodyB),
        .particleB = getOrdinal(world, bodyB, pair->second),
        .point = pbdrAddScaled(x, -radius, normal),
        .normal = normal,
        .separation = distance - radius - pbdrReadReal(scene, p->radius, pair->second),
        .force = pbdrVec(pair->force[0], pair->force[1], pair->force[2]),
    };
}

int pbdrVisitParticleContacts(const pbdrParticleWorld* world, pbdrContactVisit visit, void* context)
{
    int count = 0;
    for (int plane = 0; plane < world->scene->planes.count && world->planeTouches.count > 0; plane++) {
        const int32_t* slots = pbdrGetPlaneSlot(world, plane, 0);
        for (int block = 0; block < world->particles.blockCount; block++) {
            if (slots[block] == 0) {
                continue;
            }
            const pbdrPlaneTouch* touch =
                (const pbdrPlaneTouch*)world->planeTouches.items + (slots[block] - 1);
            for (int lane = 0; lane < PBDR_BLOCK; lane++) {
                if ((touch->lanes >> lane & 1u) == 0) {
                    continue;
                }
                count++;
                if (visit != NULL) {
                    const pbdrContact contact = describePlaneContact(world, touch, lane);
                    visit(context, &contact);
                }
            }
        }
    }
    const pbdrPair* pairs = world->pairs.items;
    for (int k = 0; k < world->pairs.count; k++) {
        count += pairs[k].touched != 0;
        if (pairs[k].touched && visit != NULL) {
            const pbdrContact contact = describePair(world, pairs + k);
            visit(context, &contact);
        }
    }
    return count;
}
