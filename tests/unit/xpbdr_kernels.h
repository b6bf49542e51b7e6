// XPBD-R's loops, as a world has them.
#ifndef PBDR_TESTS_XPBDR_KERNELS_H
#define PBDR_TESTS_XPBDR_KERNELS_H

#include "engine/xpbdr/kernels.h"
#include "inside.h"
#include "scenes.h"

// The loops of an instruction set.
static inline const pbdrKernels* getKernels(pbdrSimd simd)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.simd = simd;
    pbdrWorld* world = makeWorld(def);
    const pbdrKernels* kernels = ((pbdrXpbdrWorld*)world->engineState)->kernels;
    pbdrDestroyWorld(world);
    return kernels;
}

#endif
