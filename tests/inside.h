// Worlds from inside, for tests of what the API does not show.
#ifndef PBDR_TESTS_INSIDE_H
#define PBDR_TESTS_INSIDE_H

#include "engine/particle/stages.h"
#include "engine/reduced/reduced.h"
#include "engine/xpbdr/xpbdr.h"
#include "world/internal.h"

// What a world's particle engine keeps.
static inline pbdrParticleWorld* getParticleWorld(const pbdrWorld* world)
{
    return world->engineState;
}

// The candidates of a world without particles.
static inline pbdrCandidates* getCandidates(const pbdrWorld* world)
{
    return world->engine == &pbdrXpbdrEngine ? &((pbdrXpbdrWorld*)world->engineState)->candidates
                                             : &((pbdrReducedWorld*)world->engineState)->candidates;
}

// Prediction, shape matching, and the velocity half of the momentum constraint, on body 0. What L and P of its
// point masses were before the match, and are now.
static inline void stepToVelocityHalf(pbdrWorld* world, pbdrMoments* before, pbdrMoments* now)
{
    if (world->engineKind == pbdr_engineParticle) {
        pbdrParticleWorld* own = getParticleWorld(world);
        own->stages->integrate(own);
        own->stages->matchShapes(own);
        own->stages->restoreMomentum(own);
        *before = pbdrGetParticleBody(own, 0)->before;
        own->stages->measureInertia(own, 0, now);
        return;
    }
    pbdrReducedWorld* own = world->engineState;
    pbdrIntegrateReduced(own);
    pbdrMatchShapesReduced(own);
    pbdrRestoreMomentumReduced(own);
    // P is kept exactly: there is no linear half
    *before = *now = (pbdrMoments){.relativeMomentum = {0.0, 0.0, 0.0}};
    before->spin = pbdrGetReducedBody(own, 0)->spinBefore;
    now->spin = pbdrGetReducedSpin(own, 0);
}

// The position half.
static inline void stepPositionHalf(pbdrWorld* world)
{
    if (world->engineKind == pbdr_engineParticle) {
        getParticleWorld(world)->stages->followMomentum(getParticleWorld(world));
    } else {
        pbdrFollowMomentumReduced(world->engineState);
    }
}

#endif
