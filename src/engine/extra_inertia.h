// Bodies of point masses and extra inertia J (PBD and PBD-R):
//
//   I = I_p + R J R^T         I_p, L_p: of the point masses
//   L = L_p + R J R^T w
//
// The second part of L, the extra spin, is carried and not measured: w = I_p^-1 L_p is the angular velocity of
// a rigid body only at the end of an iteration, because an Euler step stretches the body by (w dt)^2.
#ifndef PBDR_ENGINE_EXTRA_INERTIA_H
#define PBDR_ENGINE_EXTRA_INERTIA_H

#include "scene/scene.h"

// I of a body whose point masses have `inertia`.
pbdrMat3 pbdrAddExtraInertia(const pbdrBody* body, const pbdrMat3* inertia);
// R J R^T w; zero without J.
pbdrVec3 pbdrGetExtraSpin(const pbdrBody* body, pbdrVec3 w);
// Momentum constraint: by how much w is too large after the match, so that L is what it was before. extraSpin
// becomes that of the right w.
pbdrVec3 pbdrRestoreSpin(const pbdrBody* body, const pbdrMat3* inertia, pbdrVec3 spin, pbdrVec3 spinBefore,
                         double cutoff, pbdrVec3* extraSpin);

#endif
