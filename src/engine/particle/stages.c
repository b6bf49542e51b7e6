// This compilation's table of stages.
#include "engine/particle/stage.h"

const pbdrStages STAGE(pbdrStages) = {
    .integrate = STAGE(pbdrIntegrate),
    .findPairs = STAGE(pbdrFindPairs),
    .collidePlanes = STAGE(pbdrCollidePlanes),
    .collideParticles = STAGE(pbdrCollideParticles),
    .applyContacts = STAGE(pbdrApplyContacts),
    .matchShapes = STAGE(pbdrMatchShapes),
    .restoreMomentum = STAGE(pbdrRestoreMomentum),
    .followMomentum = STAGE(pbdrFollowMomentum),
    .measureSpread = STAGE(pbdrMeasureSpread),
    .measureInertia = STAGE(pbdrMeasureInertia),
};
