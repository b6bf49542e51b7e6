// This compilation's table of kernels.
#include "engine/xpbdr/kernel.h"

const pbdrKernels STAGE(pbdrKernels) = {
    .preparePatch = STAGE(pbdrPreparePatch),
    .stepPatch = STAGE(pbdrStepPatch),
    .stiffenPatch = STAGE(pbdrStiffenPatch),
    .holdPatch = STAGE(pbdrHoldPatch),
    .measurePatch = STAGE(pbdrMeasurePatch),
    .shiftPatch = STAGE(pbdrShiftPatch),
    .finishPatch = STAGE(pbdrFinishPatch),
};
