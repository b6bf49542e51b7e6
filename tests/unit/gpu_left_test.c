// What the quick kernel of Test 7 leaves to the one that has everything (docs/gpu.md), counted by the host's compilation:
// no bit of it depends on the device. Prints bench/results/gpu_left.csv:
//
//     PBDR_LEFT_WORLDS=512 build/tests/unit_gpu_left | grep -E '^(from_s|[0-9.]+,)' > bench/results/gpu_left.csv
#include "scenes.h"

#include "gpu/plan_world.h"
#include "gpu/show.h"

#include <pbdr/pbdr.h>

// The stretches of time that pbdr_gpu_show measures throughput in [substeps].
#define BEGIN 810
#define MIDDLE 1010
#define END 1510
#define MOST_WORLDS 4096

// Where the worlds' numbers begin, which a host's batch lets read, and how they stand (*plan).
static const double* findNumbers(const pbdrBatch* batch, const pbdrWorld* world, pbdrKernelPlan* plan)
{
    static double spheres[PBDR_KERNEL_SPHERE * PBDR_KERNEL_SPHERES];
    pbdrError error;
    int stride = 0;
    require(pbdrMakeKernelPlan(world, plan, spheres, &error), &error);
    const double* body = pbdrBatch_GetDeviceValues(batch, 0, &stride);
    CHECK(body != NULL && stride == plan->slots);
    return body - (size_t)plan->firstBody * PBDR_KERNEL_LANES;
}

// Steps from one substep to another by launches of so many; the share of the substeps that were left [%].
static double countLeft(pbdrBatch* batch, const pbdrWorld* world, int from, int to, int each)
{
    static pbdrKernelPlan plan;
    static double before[MOST_WORLDS];
    pbdrError error;
    const double* numbers = findNumbers(batch, world, &plan);
    const int worlds = pbdrBatch_GetArrays(batch).worldCount;
    double substeps = 0.0, launches = 0.0;
    for (int k = from; k <= to; k += each) {
        for (int w = 0; w < worlds; w++) {
            const double slow =
                numbers[pbdrGetKernelPlace(&plan, (size_t)w) + (size_t)WORLD_SLOW * PBDR_KERNEL_LANES];
            const double left = k == from ? 0.0 : slow - before[w];
            CHECK(left >= 0.0 && left <= (double)each);
            substeps += left;
            launches += left > 0.0;
            before[w] = slow;
        }
        if (k < to) {
            require(pbdrBatch_StepAlone(batch, each, 1, NULL, &error), &error);
        }
    }
    const double count = (double)worlds * (to - from);
    printf("%.2f,%.2f,%d,%d,%.1f,%.2f\n", from * PBDR_DEFAULT_TIME_STEP, to * PBDR_DEFAULT_TIME_STEP, each,
           worlds, 100.0 * launches * each / count, 100.0 * substeps / count);
    return 100.0 * substeps / count;
}

// Long launches leave hardly more than short ones, since the other kernel gives worlds back; and the quick one keeps most.
static void long_launches__leave_hardly_more(void)
{
    const char* text = getenv("PBDR_LEFT_WORLDS");
    const int worlds = text != NULL && atoi(text) <= MOST_WORLDS ? atoi(text) : 32;
    double share[2][2];
    printf("from_s,to_s,substeps_per_launch,worlds,worlds_left_percent,substeps_left_percent\n");
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world;
        pbdrBatch* batch;
        pbdrError error;
        pbdrBatchDef def = pbdrDefaultBatchDef();
        def.count = worlds;
        def.threads = 1;
        def.device = pbdrGetHostDevice();
        require(showMakeWorld(showRod, &world, &error), &error);
        require(pbdrCreateBatch(world, &def, &batch, &error), &error);
        const pbdrBatchArrays arrays = pbdrBatch_GetArrays(batch);
        showVary(showRod, &arrays);
        require(pbdrBatch_Step(batch, BEGIN, &error), &error);
        share[k][0] = countLeft(batch, world, BEGIN, MIDDLE, k == 0 ? 10 : 100);
        share[k][1] = countLeft(batch, world, MIDDLE, END, k == 0 ? 10 : 100);
        pbdrDestroyBatch(batch);
        pbdrDestroyWorld(world);
    }
    for (int stretch = 0; stretch < 2; stretch++) {
        CHECK(share[0][stretch] > 0.0 && share[0][stretch] <= share[1][stretch]);
        CHECK_LE(share[1][stretch], share[0][stretch] + 0.1);
    }
    CHECK_LE(share[1][0], 1.5);
    CHECK_LE(share[1][1], 7.0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"long_launches__leave_hardly_more", long_launches__leave_hardly_more});
}
