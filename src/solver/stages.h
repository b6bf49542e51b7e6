// The stages of a substep, one table per precision and instruction set. world/step.c calls them in order.
#ifndef PBDR_SOLVER_STAGES_H
#define PBDR_SOLVER_STAGES_H

#include "world/internal.h"

typedef struct pbdrStages {
    // 1. Prediction
    void (*integrate)(pbdrWorld* world);
    void (*findPairs)(pbdrWorld* world);
    // 2. Each iteration
    void (*collidePlanes)(pbdrWorld* world);
    void (*collideParticles)(pbdrWorld* world);
    void (*applyContacts)(pbdrWorld* world);
    void (*matchShapes)(pbdrWorld* world);
    void (*restoreMomentum)(pbdrWorld* world); // velocity half of the momentum constraint
    void (*followMomentum)(pbdrWorld* world);  // position half
    // Sums, for stages and for the API's getters
    void (*measureSpread)(const pbdrWorld* world, const pbdrBody* body, pbdrMoments* moments);
    void (*measureInertia)(const pbdrWorld* world, const pbdrBody* body, pbdrMoments* moments);
} pbdrStages;

// XPBD-R's whole substep.
void pbdrStepXpbdR(pbdrWorld* world);

// One substep of a pusher.
void pbdrMovePusher(pbdrWorld* world, pbdrBody* body);

extern const pbdrStages pbdrStages_reduced;
extern const pbdrStages pbdrStages_f32_scalar;
extern const pbdrStages pbdrStages_f64_scalar;
extern const pbdrStages pbdrStages_f32_avx2;
extern const pbdrStages pbdrStages_f64_avx2;

#endif
