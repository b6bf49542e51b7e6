// What pbdr_gpu_show shows (docs/gpu.md).
#ifndef BENCH_GPU_SHOW_H
#define BENCH_GPU_SHOW_H

#include <pbdr/pbdr.h>

typedef enum ShowScene { showPush, showSlope, showRod, showStack, showSceneCount } ShowScene;

// Of XPBD-R; and of another solver, PBD-R in reduced coordinates.
pbdrStatus showMakeWorld(ShowScene scene, pbdrWorld** world, pbdrError* error);
pbdrStatus showMakeWorldOf(pbdrSolver solver, ShowScene scene, pbdrWorld** world, pbdrError* error);
const char* showGetName(ShowScene scene);
double showRandom(uint64_t index);
// Each world gets a friction and a force of its own.
void showVary(ShowScene scene, const pbdrBatchArrays* arrays);
// How far the box of a world has gone by the closed form, tests 1 and 3 [m].
double showGetWay(ShowScene scene, const pbdrBatchArrays* arrays, int world, double time);

#endif
