// Rolling and spinning friction of a patch: a moment against the relative turn of its bodies.
//
//   phi = dt w + y_w          relative turn over the substep, A's less B's
//   q = T - kappa phi         kappa = k l^2, l the radius of gyration; T: the multiplier, as friction's
//   M = q_r min(1, mu_r F/|q_r|) + q_s min(1, mu_s F/|q_s|)
//
// q_s is q's part along the normal, q_r the rest; F is the sum of the patch's normal forces; mu_r and mu_s
// are lengths. One moment for the whole patch: contacts of a patch share their bodies' turn.
#ifndef PBDR_ENGINE_XPBDR_ROLLING_H
#define PBDR_ENGINE_XPBDR_ROLLING_H

#include "engine/xpbdr/xpbdr.h"

typedef struct pbdrRolling {
    bool active;
    double roll, spin; // mu_r, mu_s [m]
    double lever;      // l [m]
    pbdrVec3 normal;   // towards A
    pbdrVec3 hold;     // T, world axes [N m]
    pbdrVec3 q[2];     // per state, as the items' columns
} pbdrRolling;

// At y = 0. turn: dt w; carried: the last substep's moment.
void pbdrStartRolling(pbdrRolling* rolling, const pbdrPatchLaw* law, pbdrVec3 normal, pbdrVec3 turn,
                      pbdrVec3 carried, int state);
// After a further turn of the bodies, from one state to the other; adds the moment there.
void pbdrStepRolling(pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law, pbdrVec3 turn,
                     int from, int to, pbdrPatchForce* force);
// Adds to the patch's block of the Jacobian.
void pbdrStiffenRolling(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law,
                        int state, pbdrBlock6* block);
// How far a sticking patch has turned.
void pbdrMeasureRolling(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law,
                        int state, pbdrPatchRest* rest);
// The multiplier becomes the moment.
void pbdrHoldRolling(pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law, int state);
// k changes by a factor.
void pbdrSoftenRolling(pbdrRolling* rolling, double factor, int state);
// The moment at the end [N m].
pbdrVec3 pbdrGetRollingMoment(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law,
                              int state);

#endif
