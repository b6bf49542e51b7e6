// The stages of a substep, one table per precision and instruction set. engine.c calls them in order.
#ifndef PBDR_ENGINE_PARTICLE_STAGES_H
#define PBDR_ENGINE_PARTICLE_STAGES_H

#include "engine/particle/particle.h"

typedef struct pbdrStages {
    // 1. Prediction
    void (*integrate)(pbdrParticleWorld* world);
    void (*findPairs)(pbdrParticleWorld* world);
    // 2. Each iteration
    void (*collidePlanes)(pbdrParticleWorld* world);
    void (*collideParticles)(pbdrParticleWorld* world);
    void (*applyContacts)(pbdrParticleWorld* world);
    void (*matchShapes)(pbdrParticleWorld* world);
    void (*restoreMomentum)(pbdrParticleWorld* world); // velocity half of the momentum constraint
    void (*followMomentum)(pbdrParticleWorld* world);  // position half
    // Sums, for stages and for the API's getters
    void (*measureSpread)(const pbdrParticleWorld* world, int index, pbdrMoments* moments);
    void (*measureInertia)(const pbdrParticleWorld* world, int index, pbdrMoments* moments);
} pbdrStages;

extern const pbdrStages pbdrStages_f32_scalar;
extern const pbdrStages pbdrStages_f64_scalar;
extern const pbdrStages pbdrStages_f32_avx2;
extern const pbdrStages pbdrStages_f64_avx2;
extern const pbdrStages pbdrStages_f32_neon;
extern const pbdrStages pbdrStages_f64_neon;

#endif
