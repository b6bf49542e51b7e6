// The kernels' names in this compilation.
#ifndef PBDR_ENGINE_XPBDR_KERNEL_H
#define PBDR_ENGINE_XPBDR_KERNEL_H

#include "engine/xpbdr/kernels.h"
#include "math/real.h"

void STAGE(pbdrPreparePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* velocity,
                             const pbdrTwist* lag, int state);
void STAGE(pbdrPreparePairs)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrPairView* view,
                             const pbdrTwist* lag, int state);
void STAGE(pbdrStepPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* step, int from,
                          int to, pbdrPatchForce* force);
void STAGE(pbdrStiffenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, pbdrBlock6* block);
void STAGE(pbdrMeasurePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                             pbdrPatchRest* rest);
void STAGE(pbdrFitPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                         pbdrBlock6* block, pbdrPatchForce* wanted);
void STAGE(pbdrPressPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag,
                           const pbdrTwist* newLag, int state);
void STAGE(pbdrWeighPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag,
                           double* last, double* now);
void STAGE(pbdrSoftenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, double factor, int state);
void STAGE(pbdrHoldPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state);
void STAGE(pbdrFinishPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                            pbdrPatchEnd* end);

// --- sweep_kernel.c ---

double STAGE(pbdrSweepGroups)(struct pbdrSweepGroup* groups, int count, pbdrSweepKind kind, double skipped,
                              struct pbdrSweepRow* rows, struct pbdrSweepMotion* motions, int still);
void STAGE(pbdrPushGroups)(const struct pbdrSweepGroup* groups, int count, const struct pbdrSweepRow* rows,
                           struct pbdrSweepMotion* motions, int still);
double STAGE(pbdrSumWork)(const struct pbdrSweepGroup* groups, int count, const struct pbdrSweepRow* rows,
                          const struct pbdrSweepMotion* motions);

#endif
