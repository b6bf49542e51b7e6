// This compilation's table of kernels.
#include "engine/xpbdr/joint_kernel.h"
#include "engine/xpbdr/kernel.h"

const pbdrKernels STAGE(pbdrKernels) = {
    .preparePatch = STAGE(pbdrPreparePatch),
    .preparePairs = STAGE(pbdrPreparePairs),
    .stepPatch = STAGE(pbdrStepPatch),
    .stiffenPatch = STAGE(pbdrStiffenPatch),
    .measurePatch = STAGE(pbdrMeasurePatch),
    .fitPatch = STAGE(pbdrFitPatch),
    .pressPatch = STAGE(pbdrPressPatch),
    .weighPatch = STAGE(pbdrWeighPatch),
    .softenPatch = STAGE(pbdrSoftenPatch),
    .holdPatch = STAGE(pbdrHoldPatch),
    .finishPatch = STAGE(pbdrFinishPatch),
    .sweepGroups = STAGE(pbdrSweepGroups),
    .pushGroups = STAGE(pbdrPushGroups),
    .sumWork = STAGE(pbdrSumWork),
    .moveTree = STAGE(pbdrMoveTree),
    .noteTreeReactions = STAGE(pbdrNoteTreeReactions),
    .closeTree = STAGE(pbdrCloseTree),
    .findTreeAccelerations = STAGE(pbdrFindTreeAccelerations),
};
