// Impacts of mechanisms: what the search for their moments (joint_impacts.c) and their impulses (joint_impulses.c) share.
#ifndef PBDR_ENGINE_XPBDR_JOINT_IMPACTS_H
#define PBDR_ENGINE_XPBDR_JOINT_IMPACTS_H

#include "engine/xpbdr/impacts.h"
#include "engine/xpbdr/mechanism.h"

// --- joint_impulses.c ---

// The system of joints where bodies are now, for what follows. False where there is none.
bool pbdrOpenImpulses(pbdrMechanism* mechanism, pbdrXpbdrWorker* worker);
// The impulse on A of a contact at which bodies meet with a velocity, A's less B's: Newton's restitution, Coulomb's friction.
pbdrVec3 pbdrFindImpulse(const pbdrMechanism* mechanism, const pbdrActivePatch* active, const pbdrPoint* at,
                         pbdrVec3 velocity, double restitution);
// Gives bodies the velocities, and joints the reactions, that the impulse leads to.
void pbdrGiveImpulse(const pbdrMechanism* mechanism, const pbdrActivePatch* active, const pbdrPoint* at,
                     pbdrVec3 impulse);
// Sums of what joints did in shares of a substep and in impacts.
void pbdrAddReaction(pbdrActiveJoint* active, pbdrVec3 force, pbdrVec3 torque, double axisForce);

#endif
