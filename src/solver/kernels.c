// This compilation's table of kernels.
#include "solver/kernel.h"

const pbdrKernels STAGE(pbdrKernels) = {
    .shovePatch = STAGE(pbdrShovePatch),
    .preparePatch = STAGE(pbdrPreparePatch),
    .stepPatch = STAGE(pbdrStepPatch),
    .stiffenPatch = STAGE(pbdrStiffenPatch),
    .holdPatch = STAGE(pbdrHoldPatch),
    .measurePatch = STAGE(pbdrMeasurePatch),
    .shiftPatch = STAGE(pbdrShiftPatch),
    .finishPatch = STAGE(pbdrFinishPatch),
};
