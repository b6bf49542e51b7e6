// How a batch is stepped on a device (cuda.h: pbdrCudaShape). What is usual is what was the quickest of those that were
// measured (docs/gpu.md: shapes of launches).
#include "gpu/cuda.h"

#include <cstdlib>

namespace
{

// A number of the environment's, or the usual one, within bounds.
int getSetting(const char* name, int usual, int least, int most)
{
    const char* text = std::getenv(name);
    const int number = text != NULL ? std::atoi(text) : usual;
    return number < least ? least : number > most ? most : number;
}

} // namespace

pbdrCudaShape pbdrGetCudaShape(pbdrKernelKind kind)
{
    pbdrCudaShape shape;
    shape.threads = getSetting("PBDR_GPU_THREADS", PBDR_CUDA_BLOCK, 32, PBDR_CUDA_BLOCK) / 32 * 32;
    shape.parts = getSetting("PBDR_GPU_PARTS", 4, 1, PBDR_CUDA_PARTS);
    shape.warps = getSetting("PBDR_GPU_WARPS", 132, 1, 1 << 16);
    // a body on a plane leaves nearly nothing
    shape.turns = kind == pbdr_kernelPairs ? getSetting("PBDR_GPU_TURNS", 0, 0, PBDR_CUDA_TURNS) : 0;
    return shape;
}
