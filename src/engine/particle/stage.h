// What the files of the stages share: their own names in this compilation, and loops over a body's particles.
#ifndef PBDR_ENGINE_PARTICLE_STAGE_H
#define PBDR_ENGINE_PARTICLE_STAGE_H

#include "engine/particle/stages.h"
#include "math/simd.h"

void STAGE(pbdrIntegrate)(pbdrParticleWorld* world);
void STAGE(pbdrFindPairs)(pbdrParticleWorld* world);
void STAGE(pbdrCollidePlanes)(pbdrParticleWorld* world);
void STAGE(pbdrCollideParticles)(pbdrParticleWorld* world);
void STAGE(pbdrApplyContacts)(pbdrParticleWorld* world);
void STAGE(pbdrMatchShapes)(pbdrParticleWorld* world);
void STAGE(pbdrRestoreMomentum)(pbdrParticleWorld* world);
void STAGE(pbdrFollowMomentum)(pbdrParticleWorld* world);
void STAGE(pbdrMeasureSpread)(const pbdrParticleWorld* world, int index, pbdrMoments* moments);
void STAGE(pbdrMeasureInertia)(const pbdrParticleWorld* world, int index, pbdrMoments* moments);

// Particle indices of a body, padding included: first <= i < end, whole vectors.
static inline int getFirst(const pbdrParticleBody* own)
{
    return own->firstBlock * PBDR_BLOCK;
}
static inline int getEnd(const pbdrParticleBody* own)
{
    return (own->firstBlock + own->blockCount) * PBDR_BLOCK;
}

// Calls visit for every dynamic body.
static inline void forEachDynamic(pbdrParticleWorld* world,
                                  void (*visit)(pbdrParticleWorld* world, int index))
{
    int index = 0;
    while (pbdrNextDynamic(world->scene, &index) != NULL) {
        visit(world, index - 1);
    }
}

// Moves the particles at i by dx and updates their velocity: PBD-R v += dx/dt; with the start positions (PBD)
// v = (x - x_start)/dt. Divided by dt, not multiplied by 1/dt: in float 1/dt is off by 5e-8, always to the
// same side.
static inline void moveParticles(const pbdrParticles* p, int i, vvec dx, vreal dt, bool usesStart)
{
    vvec x = vaddVec(vloadVec(p->position, i), dx);
    vstoreVec(p->position, i, x);
    vvec v = usesStart ? vdivVec(vsubVec(x, vloadVec(p->start, i)), dt)
                       : vaddVec(vloadVec(p->velocity, i), vdivVec(dx, dt));
    vstoreVec(p->velocity, i, v);
}

// Lists a block that a contact corrects in this iteration.
static inline void touchBlock(pbdrParticles* p, int block)
{
    pbdrBlock* info = (pbdrBlock*)p->blocks + block;
    if (!info->touched) {
        info->touched = true;
        ((int32_t*)p->touchedBlocks)[p->touchedCount++] = block;
    }
}

#endif
