// What is read off a batch's worlds on a device: hashes and wrenches, a thread for each world.
#include "gpu/cuda.h"
#include "gpu/kernel_hash.h"
#include "gpu/kernel_wrench.h"

namespace
{

__global__ void hashWorlds(const __grid_constant__ pbdrKernelPlan plan, const double* values,
                           uint64_t* hashes, size_t worldCount)
{
    const size_t world = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (world < worldCount) {
        hashes[world] = hashWorld(&plan, values + pbdrGetKernelPlace(&plan, world));
    }
}

__global__ void addWrenches(const __grid_constant__ pbdrKernelPlan plan, const double* spheres,
                            double* values, size_t worldCount)
{
    const size_t world = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (world < worldCount) {
        sumWrenches(&plan, spheres, values + pbdrGetKernelPlace(&plan, world));
    }
}

unsigned countBlocks(size_t worldCount)
{
    return (unsigned)((worldCount + 127) / 128);
}

} // namespace

cudaError_t pbdrLaunchHashes(const pbdrKernelPlan* plan, const double* values, uint64_t* hashes,
                             size_t worldCount, cudaStream_t stream)
{
    hashWorlds<<<countBlocks(worldCount), 128, 0, stream>>>(*plan, values, hashes, worldCount);
    return cudaGetLastError();
}

cudaError_t pbdrLaunchWrenches(const pbdrKernelPlan* plan, const double* spheres, double* values,
                               size_t worldCount, cudaStream_t stream)
{
    addWrenches<<<countBlocks(worldCount), 128, 0, stream>>>(*plan, spheres, values, worldCount);
    return cudaGetLastError();
}
