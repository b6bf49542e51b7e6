// The kernels' names in this compilation.
#ifndef PBDR_ENGINE_XPBDR_KERNEL_H
#define PBDR_ENGINE_XPBDR_KERNEL_H

#include "engine/xpbdr/kernels.h"
#include "math/real.h"

void STAGE(pbdrPreparePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* velocity,
                             const pbdrTwist* lag, int state);
void STAGE(pbdrStepPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* stepA,
                          const pbdrTwist* stepB, int from, int to, pbdrPatchForce* force);
void STAGE(pbdrStiffenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                             int leverRight, pbdrBlock6* block);
void STAGE(pbdrHoldPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, int leverLeft,
                          int leverRight, pbdrBlock6* block);
void STAGE(pbdrMeasurePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lagA,
                             const pbdrTwist* lagB, int state, pbdrPatchRest* rest);
void STAGE(pbdrShiftPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* fitA,
                           const pbdrTwist* fitB, int state);
void STAGE(pbdrFinishPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lagA,
                            const pbdrTwist* lagB, int state, pbdrPatchEnd* end);

#endif
