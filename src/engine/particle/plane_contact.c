// Contact with planes, particle by particle.
//
//   c = n.x - d - r; where c <= 0:  dx = relaxation ( -c n + max(mu c, -|v_t| dt) v_t/|v_t| )
//
// c is negative, so the friction term opposes the tangential velocity v_t; it never turns it round. All
// planes see the same x and v; the sum of their corrections is applied afterwards (apply.c).
#include "contact/friction.h"
#include "engine/particle/stage.h"

// The record of (plane, block) in this substep, or NULL without memory.
static pbdrPlaneTouch* findTouch(pbdrParticleWorld* world, int plane, int block)
{
    int32_t* slot = pbdrGetPlaneSlot(world, plane, block);
    if (*slot == 0) {
        pbdrPlaneTouch* touch = pbdrListPush(&world->scene->memory, &world->planeTouches);
        if (touch == NULL) {
            world->scene->flags |= pbdr_stepPairsFull;
            return NULL;
        }
        touch->plane = plane;
        touch->block = block;
        *slot = world->planeTouches.count;
    }
    return (pbdrPlaneTouch*)world->planeTouches.items + (*slot - 1);
}

// Adds m dx / dt^2, the force of this iteration's correction, to the record.
static void recordForce(pbdrParticleWorld* world, int plane, int i, uint32_t lanes, vvec dx)
{
    int block = i / PBDR_BLOCK, lane = i % PBDR_BLOCK;
    pbdrPlaneTouch* touch = findTouch(world, plane, block);
    if (touch == NULL) {
        return;
    }
    touch->lanes |= lanes << lane;
    vreal m = vload((const real*)world->particles.mass + i);
    vreal scale = vmul(m, vset((real)(1.0 / (world->scene->timeStep * world->scene->timeStep))));
    real(*force)[PBDR_BLOCK] = touch->force.REAL_FIELD;
    vstore(force[0] + lane, vadd(vload(force[0] + lane), vmul(scale, dx.x)));
    vstore(force[1] + lane, vadd(vload(force[1] + lane), vmul(scale, dx.y)));
    vstore(force[2] + lane, vadd(vload(force[2] + lane), vmul(scale, dx.z)));
}

static void collideBody(pbdrParticleWorld* world, int index, int planeIndex)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    const pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    pbdrParticles* p = &world->particles;
    const pbdrPlane* plane = pbdrGetPlane(world->scene, planeIndex);
    const vvec n = vsetVec(plane->normal.x, plane->normal.y, plane->normal.z);
    const vreal offset = vset((real)plane->offset);
    const vreal mu = vset((real)pbdrMixFriction(world->scene->mixing, body->friction, plane->friction));
    const vreal relaxation = vset((real)world->scene->relaxation);
    const vreal minusDt = vset((real)-world->scene->timeStep);
    const vreal zero = vset((real)0);

    for (int i = getFirst(own); i < getEnd(own); i += LANES) {
        vvec x = vloadVec(p->position, i);
        vreal c = vsub(vsub(vdotVec(n, x), offset), vload((const real*)p->radius + i));
        vmask touching = vle(c, zero);
        uint32_t lanes = vbits(touching);
        if (lanes == 0) {
            continue;
        }
        vvec v = vloadVec(p->velocity, i);
        vvec slip = vsubVec(v, vscaleVec(vdotVec(n, v), n));
        vreal speed = vsqrt(vdotVec(slip, slip));
        vreal slide = vmax(vmul(mu, c), vmul(minusDt, speed));
        vreal perSpeed = vkeep(vgt(speed, zero), vdiv(slide, speed));
        vvec dx = vsubVec(vscaleVec(perSpeed, slip), vscaleVec(c, n));
        dx = vkeepVec(touching, vscaleVec(relaxation, dx));
        vstoreVec(p->contact, i, vaddVec(vloadVec(p->contact, i), dx));
        touchBlock(p, i / PBDR_BLOCK);
        recordForce(world, planeIndex, i, lanes, dx);
    }
}

void STAGE(pbdrCollidePlanes)(pbdrParticleWorld* world)
{
    for (int plane = 0; plane < world->scene->planes.count; plane++) {
        if (!pbdrGetPlane(world->scene, plane)->alive) {
            continue;
        }
        for (int index = 0; index < world->scene->bodies.count; index++) {
            if (pbdrMeetsPlane(pbdrGetBody(world->scene, index), pbdrGetPlane(world->scene, plane))) {
                collideBody(world, index, plane);
            }
        }
    }
}
