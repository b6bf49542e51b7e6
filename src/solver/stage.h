// What the files of the stages share: their own names in this compilation, and loops over a body's particles.
#ifndef PBDR_SOLVER_STAGE_H
#define PBDR_SOLVER_STAGE_H

#include "solver/simd.h"
#include "solver/stages.h"

void STAGE(pbdrIntegrate)(pbdrWorld* world);
void STAGE(pbdrFindPairs)(pbdrWorld* world);
void STAGE(pbdrCollidePlanes)(pbdrWorld* world);
void STAGE(pbdrCollideParticles)(pbdrWorld* world);
void STAGE(pbdrApplyContacts)(pbdrWorld* world);
void STAGE(pbdrMatchShapes)(pbdrWorld* world);
void STAGE(pbdrRestoreMomentum)(pbdrWorld* world);
void STAGE(pbdrFollowMomentum)(pbdrWorld* world);
void STAGE(pbdrMeasureSpread)(const pbdrWorld* world, const pbdrBody* body, pbdrMoments* moments);
void STAGE(pbdrMeasureInertia)(const pbdrWorld* world, const pbdrBody* body, pbdrMoments* moments);

// Particle indices of a body, padding included: first <= i < end, whole vectors.
static inline int getFirst(const pbdrBody* body)
{
    return body->firstBlock * PBDR_BLOCK;
}
static inline int getEnd(const pbdrBody* body)
{
    return (body->firstBlock + body->blockCount) * PBDR_BLOCK;
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
