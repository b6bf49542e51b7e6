// pbdr_gpu_show: what a device does with batches of worlds, as tables (docs/gpu.md).
//
//     pbdr_gpu_show [--host] [--quick] [--only PART] [--scene K] [--pbdr] [--out DIR]
//
// Parts: hashes, accuracy, throughput, blocks, launches, memory, profile. --host: the host's compilation of the kernel takes the
// device's place, so that all of it runs where there is none. --pbdr: PBD-R in reduced coordinates instead of XPBD-R.
#define _POSIX_C_SOURCE 200809L // setenv

#include "gpu/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct Show {
    const pbdrDevice* device;
    bool quick;
    const char* out;
    int threads; // of the processor
    int scene;   // of hashes, throughput and profile; -1: all
    int failures;
} Show;

// Of all worlds; set once, by main.
static pbdrSolver solver = pbdr_solverXpbdR;

static double getTime(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

static FILE* openTable(const Show* show, const char* name, const char* header)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/gpu_%s.csv", show->out, name);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        fprintf(stderr, "pbdr_gpu_show: cannot write %s\n", path);
        exit(1);
    }
    fprintf(file, "%s\n", header);
    printf("\n%s: %s\n", name, header);
    return file;
}

// A row into the table and onto the screen.
#define ROW(file, ...)                                                                                       \
    do {                                                                                                     \
        fprintf(file, __VA_ARGS__);                                                                          \
        fprintf(file, "\n");                                                                                 \
        fflush(file);                                                                                        \
        printf(__VA_ARGS__);                                                                                 \
        printf("\n");                                                                                        \
        fflush(stdout);                                                                                      \
    } while (0)

// A batch with a force and a friction per world; NULL, told, where there is none.
static pbdrBatch* makeBatch(const pbdrDevice* device, ShowScene scene, int worlds, int threads,
                            pbdrError* error)
{
    pbdrWorld* world = NULL;
    pbdrBatch* batch = NULL;
    pbdrStatus status = showMakeWorldOf(solver, scene, &world, error);
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = worlds;
    def.threads = threads;
    def.device = device;
    status = status == pbdr_statusOk ? pbdrCreateBatch(world, &def, &batch, error) : status;
    pbdrDestroyWorld(world);
    if (status != pbdr_statusOk) {
        return NULL;
    }
    const pbdrBatchArrays arrays = pbdrBatch_GetArrays(batch);
    showVary(scene, &arrays);
    if (device != NULL) { // what was written goes to the device
        status = pbdrBatch_Step(batch, 0, error);
    }
    if (status != pbdr_statusOk) {
        pbdrDestroyBatch(batch);
        return NULL;
    }
    return batch;
}

static pbdrBatch* needBatch(const pbdrDevice* device, ShowScene scene, int worlds, int threads)
{
    pbdrError error;
    pbdrBatch* batch = makeBatch(device, scene, worlds, threads, &error);
    if (batch == NULL) {
        fprintf(stderr, "pbdr_gpu_show: %s\n", error.message);
        exit(1);
    }
    return batch;
}

static double stepAlone(pbdrBatch* batch, int substeps, int launches)
{
    pbdrError error;
    double seconds = 0.0;
    if (pbdrBatch_StepAlone(batch, substeps, launches, &seconds, &error) != pbdr_statusOk) {
        fprintf(stderr, "pbdr_gpu_show: %s\n", error.message);
        exit(1);
    }
    return seconds;
}

// --- Parts ---

// The same hash per world, host and device, and the device twice.
static void showHashes(Show* show)
{
    const int worlds = show->quick ? 100 : 10000, substeps = show->quick ? 200 : 10000,
              parts = show->quick ? 2 : 100;
    FILE* file =
        openTable(show, "hashes",
                  "scene,worlds,substeps,equal_host_device,equal_device_twice,hash_of_hashes,host_s,device_s,"
                  "worlds_not_converged,newton_steps_per_substep");
    uint64_t* hashes[3];
    double* steps = calloc((size_t)worlds, sizeof *steps);
    for (int k = 0; k < 3; k++) {
        hashes[k] = calloc((size_t)worlds, sizeof *hashes[k]);
    }
    for (int scene = 0; scene < showSceneCount; scene++) {
        if (show->scene >= 0 && show->scene != scene) {
            continue;
        }
        double seconds[3] = {0.0, 0.0, 0.0}, sum = 0.0;
        int flagged = 0;
        for (int run = 0; run < 3; run++) { // host, device, device
            pbdrBatch* batch = needBatch(run == 0 ? pbdrGetHostDevice() : show->device, (ShowScene)scene,
                                         worlds, show->threads);
            seconds[run] = stepAlone(batch, substeps / parts, parts);
            pbdrBatch_GetHashes(batch, hashes[run]);
            if (run == 2) {
                pbdrBatch_GetEffort(batch, steps, NULL, NULL);
                pbdrBatch_Fetch(batch, NULL);
                for (int w = 0; w < worlds; w++) {
                    sum += steps[w];
                    flagged += pbdrBatch_GetArrays(batch).flags[w] != 0;
                }
            }
            pbdrDestroyBatch(batch);
        }
        int equal = 0, again = 0;
        uint64_t all = 0;
        for (int w = 0; w < worlds; w++) {
            equal += hashes[0][w] == hashes[1][w];
            again += hashes[1][w] == hashes[2][w];
            all = (all ^ hashes[1][w]) * 0x100000001b3u;
        }
        show->failures += equal != worlds || again != worlds;
        ROW(file, "%s,%d,%d,%d,%d,%016llx,%.3f,%.3f,%d,%.3f", showGetName((ShowScene)scene), worlds, substeps,
            equal, again, (unsigned long long)all, seconds[0], seconds[1], flagged,
            sum / ((double)worlds * substeps));
    }
    for (int k = 0; k < 3; k++) {
        free(hashes[k]);
    }
    free(steps);
    fclose(file);
}

// Errors against the closed form after 10 s, each world with a friction and a force of its own.
static void showAccuracy(Show* show)
{
    const int worlds = show->quick ? 100 : 65536, substeps = show->quick ? 500 : 10000;
    FILE* file =
        openTable(show, "accuracy", "scene,worlds,time_s,worst_error_m,mean_error_m,worst_way_m,seconds");
    for (int scene = showPush; scene <= (int)showSlope; scene++) {
        pbdrBatch* batch = needBatch(show->device, (ShowScene)scene, worlds, show->threads);
        const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
        pbdrVec3* start = malloc((size_t)worlds * sizeof *start);
        memcpy(start, a.positions, (size_t)worlds * sizeof *start);
        const double seconds = stepAlone(batch, substeps / 100, 100),
                     time = substeps * PBDR_DEFAULT_TIME_STEP;
        pbdrBatch_Fetch(batch, NULL);
        double worst = 0.0, sum = 0.0, far = 0.0;
        for (int w = 0; w < worlds; w++) {
            const double way = showGetWay((ShowScene)scene, &a, w, time),
                         slope = scene == (int)showSlope ? 0.39269908169872414 : 0.0;
            const double x = a.positions[w].x - start[w].x - way * cos(slope),
                         y = a.positions[w].y - start[w].y,
                         z = a.positions[w].z - start[w].z + way * sin(slope),
                         error = sqrt(x * x + y * y + z * z);
            worst = fmax(worst, error);
            far = fmax(far, way);
            sum += error;
        }
        show->failures += !(worst <= 1.0e-9);
        ROW(file, "%s,%d,%g,%.3g,%.3g,%.4g,%.3f", showGetName((ShowScene)scene), worlds, time, worst,
            sum / worlds, far, seconds);
        free(start);
        pbdrDestroyBatch(batch);
    }
    fclose(file);
}

// A row of throughput on a device: warm, after two seconds of the scene.
static void measureDevice(const Show* show, FILE* file, ShowScene scene, int worlds, int substeps,
                          int launches)
{
    pbdrBatch* batch = needBatch(show->device, scene, worlds, show->threads);
    const double cold = stepAlone(batch, substeps, 1);
    // what was set down lies, and the rod pushes
    stepAlone(batch, 100, show->quick ? 1 : scene == showRod ? 8 : 2);
    double *steps[2], before = 0.0, after = 0.0, worst = 0.0;
    for (int k = 0; k < 2; k++) {
        steps[k] = calloc((size_t)worlds, sizeof *steps[k]);
    }
    pbdrBatch_GetEffort(batch, steps[0], NULL, NULL);
    for (int w = 0; w < worlds; w++) {
        before += steps[0][w];
    }
    const double seconds = stepAlone(batch, substeps, launches), count = (double)worlds * substeps * launches;
    pbdrBatch_GetEffort(batch, steps[0], steps[1], NULL);
    pbdrBatch_Fetch(batch, NULL);
    int flagged = 0;
    for (int w = 0; w < worlds; w++) {
        after += steps[0][w];
        worst = fmax(worst, steps[1][w]);
        flagged += pbdrBatch_GetArrays(batch).flags[w] != 0;
    }
    pbdrDeviceInfo info;
    pbdrBatch_Describe(batch, &info, NULL);
    ROW(file, "%s,%s,kernel,%d,%d,%d,%.6f,%.6f,%.4g,%.3f,%.2g,%d,%zu,%d,%d,%d,%d", showGetName(scene),
        info.name, worlds, substeps, launches, seconds, cold, count / seconds, (after - before) / count,
        worst, flagged, info.worldBytes, info.registers, info.localBytes, info.threadsPerBlock,
        info.blocksPerMultiprocessor);
    for (int k = 0; k < 2; k++) {
        free(steps[k]);
    }
    pbdrDestroyBatch(batch);
}

// And on the processor: worlds of their own (as pbdrBatch has them), or the host's kernel.
static void measureHost(const Show* show, FILE* file, ShowScene scene, int worlds, int threads, bool kernel)
{
    pbdrBatch* batch = needBatch(kernel ? pbdrGetHostDevice() : NULL, scene, worlds, threads);
    // the rod touches after 0.17 s
    const int substeps = show->quick ? 50 : 300;
    pbdrBatch_Step(batch, show->quick ? 10 : scene == showRod ? 800 : 100, NULL);
    const double start = getTime();
    pbdrBatch_Step(batch, substeps, NULL);
    const double seconds = getTime() - start;
    ROW(file, "%s,processor (%d threads),%s,%d,%d,1,%.6f,,%.4g,,,,,,,,", showGetName(scene), threads,
        kernel ? "kernel" : "worlds", worlds, substeps, seconds, (double)worlds * substeps / seconds);
    pbdrDestroyBatch(batch);
}

#define THROUGHPUT_HEADER                                                                                    \
    "scene,machine,by,worlds,substeps_per_launch,launches,seconds,cold_s,world_substeps_per_s,"              \
    "newton_steps_per_substep,worst_residual,worlds_flagged,bytes_per_world,registers,local_bytes,"          \
    "threads_per_block,blocks_per_multiprocessor"

// More blocks at once, with fewer registers each.
static void showBlocks(Show* show)
{
    FILE* file = openTable(show, "blocks", THROUGHPUT_HEADER);
    for (int blocks = 2; blocks <= 4; blocks++) {
        setenv("PBDR_GPU_BLOCKS", (const char*[]){"2", "3", "4"}[blocks - 2], 1);
        measureDevice(show, file, showPush, show->quick ? 32 : 131072, 10, show->quick ? 1 : 20);
        measureDevice(show, file, showRod, show->quick ? 32 : 131072, 10, show->quick ? 1 : 10);
    }
    unsetenv("PBDR_GPU_BLOCKS");
    fclose(file);
}

static void showThroughput(Show* show)
{
    static const int counts[] = {32, 1024, 4096, 16384, 131072, 1048576};
    FILE* file = openTable(show, "throughput", THROUGHPUT_HEADER);
    for (int scene = 0; scene < showSceneCount; scene++) {
        if (show->scene >= 0 && show->scene != scene) {
            continue;
        }
        for (size_t k = 0; k < (show->quick ? 2 : sizeof counts / sizeof counts[0]); k++) {
            const int worlds = counts[k];
            if ((worlds > 131072 && scene != (int)showPush) || (worlds > 16384 && scene == (int)showStack)) {
                continue;
            }
            measureDevice(show, file, (ShowScene)scene, worlds, 10,
                          show->quick       ? 1
                          : worlds > 131072 ? 10
                                            : 20);
            measureDevice(show, file, (ShowScene)scene, worlds, 100,
                          show->quick       ? 1
                          : worlds > 131072 ? 2
                                            : 5);
        }
        const int worlds = show->quick ? 16 : 128;
        for (int kernel = 0; kernel < 2; kernel++) {
            measureHost(show, file, (ShowScene)scene, worlds, 1, kernel);
            measureHost(show, file, (ShowScene)scene, worlds * show->threads, show->threads, kernel);
        }
    }
    fclose(file);
}

// What a launch costs: single ones, and graphs of 32.
static void showLaunches(Show* show)
{
    FILE* file = openTable(show, "launches", "worlds,substeps_per_launch,launches,how,us_per_launch");
    for (int worlds = 32; worlds <= (show->quick ? 32 : 32768); worlds *= 32) {
        pbdrBatch* batch = needBatch(show->device, showPush, worlds, show->threads);
        stepAlone(batch, 10, 10);
        stepAlone(batch, 1, 32); // makes the graph
        const int times = show->quick ? 1 : 20;
        double single = 0.0;
        for (int k = 0; k < times; k++) {
            single += stepAlone(batch, 1, 16);
        }
        const double graph = stepAlone(batch, 1, 32 * times), whole = stepAlone(batch, 32 * times, 1);
        ROW(file, "%d,1,%d,single,%.3f", worlds, 16 * times, 1.0e6 * single / (16 * times));
        ROW(file, "%d,1,%d,graph,%.3f", worlds, 32 * times, 1.0e6 * graph / (32 * times));
        ROW(file, "%d,%d,1,one launch for all: per substep,%.3f", worlds, 32 * times,
            1.0e6 * whole / (32 * times));
        pbdrDestroyBatch(batch);
    }
    fclose(file);
}

static void showMemory(Show* show)
{
    FILE* file =
        openTable(show, "memory", "scene,worlds,status,bytes_per_world,device_bytes,free_bytes,message");
    const int counts[] = {show->quick ? 1000 : 1048576, show->quick ? 2000 : 2000000000};
    for (int k = 0; k < 2; k++) {
        if (k == 1 && show->device == pbdrGetHostDevice()) {
            break; // the processor's memory is not ours to fill
        }
        pbdrError error = {.message = ""};
        pbdrBatch* batch = makeBatch(show->device, showPush, counts[k], show->threads, &error);
        pbdrDeviceInfo info = {.byteCount = 0};
        if (batch != NULL) {
            pbdrBatch_Describe(batch, &info, NULL);
        }
        show->failures += k == 0 && batch == NULL;
        ROW(file, "%s,%d,%s,%zu,%zu,%zu,\"%s\"", showGetName(showPush), counts[k],
            batch != NULL ? "ok" : "refused", info.worldBytes, info.byteCount, info.freeBytes,
            batch != NULL ? "" : error.message);
        pbdrDestroyBatch(batch);
    }
    // and nothing is lost: a small one still works
    pbdrBatch* batch = needBatch(show->device, showPush, 100, show->threads);
    stepAlone(batch, 10, 1);
    pbdrDestroyBatch(batch);
    fclose(file);
}

// One launch of each scene, for a profiler to look at.
static void showProfile(Show* show)
{
    for (int scene = 0; scene < showSceneCount; scene++) {
        if (show->scene >= 0 && show->scene != scene) {
            continue;
        }
        pbdrBatch* batch =
            needBatch(show->device, (ShowScene)scene, show->quick ? 32 : 131072, show->threads);
        stepAlone(batch, 100, 5);
        printf("profile,%s,%.6f s for 10 substeps\n", showGetName((ShowScene)scene), stepAlone(batch, 10, 1));
        pbdrDestroyBatch(batch);
    }
}

int main(int count, char** words)
{
    Show show = {.out = ".", .threads = 16, .scene = -1};
    bool host = false;
    const char* only = "";
    for (int k = 1; k < count; k++) {
        const bool more = k + 1 < count;
        if (strcmp(words[k], "--host") == 0) {
            host = true;
        } else if (strcmp(words[k], "--quick") == 0) {
            show.quick = true;
        } else if (strcmp(words[k], "--only") == 0 && more) {
            only = words[++k];
        } else if (strcmp(words[k], "--out") == 0 && more) {
            show.out = words[++k];
        } else if (strcmp(words[k], "--pbdr") == 0) {
            solver = pbdr_solverPbdR;
        } else if (strcmp(words[k], "--scene") == 0 && more) {
            show.scene = atoi(words[++k]);
        } else if (strcmp(words[k], "--threads") == 0 && more) {
            show.threads = atoi(words[++k]);
        } else {
            fprintf(
                stderr,
                "usage: pbdr_gpu_show [--host] [--quick] [--threads N] [--out DIR] [--scene 0-3] [--pbdr]\n"
                "                     [--only hashes|accuracy|throughput|blocks|launches|memory|profile]\n");
            return 2;
        }
    }
    show.device = pbdrGetHostDevice();
#ifdef PBDR_HAVE_CUDA
    pbdrError error;
    if (!host) {
        show.device = pbdrGetCudaDevice(&error);
        if (show.device == NULL) {
            fprintf(stderr, "pbdr_gpu_show: %s (--host does without)\n", error.message);
            return 1;
        }
    }
#else
    if (!host) {
        fprintf(stderr, "pbdr_gpu_show: built without CUDA (make gpu); --host does without\n");
        return 1;
    }
#endif
    static const struct {
        const char* name;
        void (*show)(Show* show);
    } parts[] = {{"hashes", showHashes},         {"accuracy", showAccuracy}, {"blocks", showBlocks},
                 {"throughput", showThroughput}, {"launches", showLaunches}, {"memory", showMemory},
                 {"profile", showProfile}};
    bool known = only[0] == 0;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        if (only[0] == 0 ? k + 1 < sizeof parts / sizeof parts[0] : strcmp(only, parts[k].name) == 0) {
            known = true;
            parts[k].show(&show);
        }
    }
    if (!known) {
        fprintf(stderr, "pbdr_gpu_show: there is no part %s\n", only);
        return 2;
    }
    printf("\n%d failures\n", show.failures);
    return show.failures == 0 ? 0 : 1;
}
