// pbdr_gpu_show: what a device does with batches of worlds, as tables (docs/gpu.md).
//
//     pbdr_gpu_show [--host] [--quick] [--only PART] [--scene K] [--worlds N] [--pbd-r] [--append] [--saved] [--out DIR]
//
// --host: the host's compilation of the kernel takes the device's place, so that all of it runs where there is none.
// --pbd-r: PBD-R in reduced coordinates instead of XPBD-R. --append: rows to tables that are there. --saved: a table of the
// hashes that hashes-host and hashes-device have left in files, and of no others.
#define _POSIX_C_SOURCE 200809L // setenv

#include "gpu/show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// --- Parts ---

// Errors against the closed form after 10 s, each world with a friction and a force of its own.
static void showAccuracy(Show* show)
{
    const int worlds = show->quick ? 100 : 65536, substeps = show->quick ? 500 : 10000;
    FILE* file =
        showOpenTable(show, "accuracy", "scene,worlds,time_s,worst_error_m,mean_error_m,worst_way_m,seconds");
    for (int scene = showPush; scene <= (int)showSlope; scene++) {
        pbdrBatch* batch = showNeedBatch(show->device, (ShowScene)scene, worlds, show->threads);
        const pbdrBatchArrays a = pbdrBatch_GetArrays(batch);
        pbdrVec3* start = malloc((size_t)worlds * sizeof *start);
        memcpy(start, a.positions, (size_t)worlds * sizeof *start);
        const double seconds = showStepAlone(batch, substeps / 100, 100),
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

// Rows of throughput on a device, warm: launches of ten substeps, then (kinds: 2) of a hundred. begin: what a row begins with.
static void measureDevice(const Show* show, FILE* file, const char* begin, ShowScene scene, int worlds,
                          int kinds)
{
    static const int each[2] = {10, 100};
    const int launches[2] = {show->quick ? 1 : 20, show->quick ? 1 : worlds > 131072 ? 3 : 5};
    pbdrBatch* batch = showNeedBatch(show->device, scene, worlds, show->threads);
    const double cold = showStepAlone(batch, each[0], 1);
    // what was set down lies, and the rod pushes
    showStepAlone(batch, 100, show->quick ? 1 : scene == showRod ? 8 : 2);
    double* steps = calloc((size_t)worlds, sizeof *steps);
    double* residuals = calloc((size_t)worlds, sizeof *residuals);
    for (int k = 0; k < kinds; k++) {
        double before = 0.0, after = 0.0, worst = 0.0;
        pbdrBatch_GetEffort(batch, steps, NULL, NULL);
        for (int w = 0; w < worlds; w++) {
            before += steps[w];
        }
        const double seconds = showStepAlone(batch, each[k], launches[k]),
                     count = (double)worlds * each[k] * launches[k];
        pbdrBatch_GetEffort(batch, steps, residuals, NULL);
        pbdrBatch_Fetch(batch, NULL);
        int flagged = 0;
        for (int w = 0; w < worlds; w++) {
            after += steps[w];
            worst = fmax(worst, residuals[w]);
            flagged += pbdrBatch_GetArrays(batch).flags[w] != 0;
        }
        pbdrDeviceInfo info;
        pbdrBatch_Describe(batch, &info, NULL);
        ROW(file, "%s%s,%s,kernel,%d,%d,%d,%.6f,%.6f,%.4g,%.3f,%.2g,%d,%zu,%d,%d,%d,%d", begin,
            showGetName(scene), info.name, worlds, each[k], launches[k], seconds, cold, count / seconds,
            (after - before) / count, worst, flagged, info.worldBytes, info.registers, info.localBytes,
            info.threadsPerBlock, info.blocksPerMultiprocessor);
    }
    free(steps);
    free(residuals);
    pbdrDestroyBatch(batch);
}

// And on the processor: worlds of their own (as pbdrBatch has them), or the host's kernel.
static void measureHost(const Show* show, FILE* file, ShowScene scene, int worlds, int threads, bool kernel)
{
    pbdrBatch* batch = showNeedBatch(kernel ? pbdrGetHostDevice() : NULL, scene, worlds, threads);
    // the rod touches after 0.17 s
    const int substeps = show->quick ? 50 : 300;
    pbdrBatch_Step(batch, show->quick ? 10 : scene == showRod ? 800 : 100, NULL);
    const double start = showGetTime();
    pbdrBatch_Step(batch, substeps, NULL);
    const double seconds = showGetTime() - start;
    ROW(file, "%s,processor (%d threads),%s,%d,%d,1,%.6f,,%.4g,,,,,,,,", showGetName(scene), threads,
        kernel ? "kernel" : "worlds", worlds, substeps, seconds, (double)worlds * substeps / seconds);
    pbdrDestroyBatch(batch);
}

#define THROUGHPUT_HEADER                                                                                    \
    "scene,machine,by,worlds,substeps_per_launch,launches,seconds,cold_s,world_substeps_per_s,"              \
    "newton_steps_per_substep,worst_residual,worlds_flagged,bytes_per_world,registers,local_bytes,"          \
    "threads_per_block,blocks_per_multiprocessor"

// Other shapes of launches (src/gpu/cuda.h: pbdrCudaShape); the last one is the usual one.
static void showShapes(Show* show)
{
    static const char* const names[] = {"PBDR_GPU_THREADS", "PBDR_GPU_PARTS", "PBDR_GPU_WARPS",
                                        "PBDR_GPU_TURNS"};
    enum { NAMES = sizeof names / sizeof names[0] };
    static const char* const shapes[][NAMES] = {
        {"32", "4", "132", "0"},  {"128", "4", "132", "0"}, {"32", "8", "132", "0"}, {"32", "4", "132", "1"},
        {"128", "4", "528", "0"}, {"64", "4", "132", "0"},  {"32", "4", "264", "0"}, {"32", "8", "66", "0"},
        {"32", "4", "132", "3"},  {NULL, NULL, NULL, NULL}};
    const int worlds = show->worlds > 0 ? show->worlds : show->quick ? 32 : 1048576;
    FILE* file = showOpenTable(show, "shapes", "threads,parts,warps,turns," THROUGHPUT_HEADER);
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char text[64] = "";
        for (int n = 0; n < NAMES; n++) {
            const char* value = shapes[k][n];
            if (value != NULL) {
                setenv(names[n], value, 1);
            } else {
                unsetenv(names[n]);
            }
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s,", value != NULL ? value : "usual");
        }
        for (int scene = 0; scene < showSceneCount; scene++) {
            if (show->scene == scene || (show->scene < 0 && scene == (int)showRod)) {
                measureDevice(show, file, text, (ShowScene)scene, worlds, 1);
            }
        }
    }
    fclose(file);
}

static bool isChosen(const Show* show, int scene)
{
    return show->scene < 0 || show->scene == scene;
}

static void showThroughput(Show* show)
{
    static const int counts[] = {32, 1024, 4096, 16384, 131072, 1048576};
    FILE* file = showOpenTable(show, "throughput", THROUGHPUT_HEADER);
    for (int scene = 0; scene < showSceneCount; scene++) {
        for (size_t k = 0; isChosen(show, scene) && k < (show->quick ? 2 : sizeof counts / sizeof counts[0]);
             k++) {
            if (show->worlds == 0
                    ? counts[k] <= (scene == (int)showStack ? 16384 : 131072) || scene == (int)showPush
                    : show->worlds == counts[k]) {
                measureDevice(show, file, "", (ShowScene)scene, counts[k], 2);
            }
        }
    }
    fclose(file);
}

// One core, and all: rows of the same table.
static void showHost(Show* show)
{
    show->append = true;
    FILE* file = showOpenTable(show, "throughput", THROUGHPUT_HEADER);
    const int worlds = show->quick ? 16 : 128;
    for (int scene = 0; scene < showSceneCount; scene++) {
        for (int kernel = 0; isChosen(show, scene) && kernel < 2; kernel++) {
            measureHost(show, file, (ShowScene)scene, worlds, 1, kernel);
            measureHost(show, file, (ShowScene)scene, worlds * show->threads, show->threads, kernel);
        }
    }
    fclose(file);
}

// What a launch costs: single ones, and graphs of 32.
static void showLaunches(Show* show)
{
    FILE* file = showOpenTable(show, "launches", "worlds,substeps_per_launch,launches,how,us_per_launch");
    for (int worlds = 32; worlds <= (show->quick ? 32 : 32768); worlds *= 32) {
        pbdrBatch* batch = showNeedBatch(show->device, showPush, worlds, show->threads);
        showStepAlone(batch, 10, 10);
        showStepAlone(batch, 1, 32); // makes the graph
        const int times = show->quick ? 1 : 20;
        double single = 0.0;
        for (int k = 0; k < times; k++) {
            single += showStepAlone(batch, 1, 16);
        }
        const double graph = showStepAlone(batch, 1, 32 * times), whole = showStepAlone(batch, 32 * times, 1);
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
        showOpenTable(show, "memory", "scene,worlds,status,bytes_per_world,device_bytes,free_bytes,message");
    const int counts[] = {show->quick ? 1000 : 1048576, show->quick ? 2000 : 2000000000};
    for (int k = 0; k < 2; k++) {
        if (k == 1 && show->device == pbdrGetHostDevice()) {
            break; // the processor's memory is not ours to fill
        }
        pbdrError error = {.message = ""};
        pbdrBatch* batch = showMakeBatch(show->device, showPush, counts[k], show->threads, &error);
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
    pbdrBatch* batch = showNeedBatch(show->device, showPush, 100, show->threads);
    showStepAlone(batch, 10, 1);
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
            showNeedBatch(show->device, (ShowScene)scene, show->quick ? 32 : 131072, show->threads);
        showStepAlone(batch, 100, 9); // launches of a profiler's that come before the one that it looks at
        printf("profile,%s,%.6f s for 10 substeps\n", showGetName((ShowScene)scene),
               showStepAlone(batch, 10, 1));
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
        } else if (strcmp(words[k], "--pbd-r") == 0) {
            showSolver = pbdr_solverPbdR;
        } else if (strcmp(words[k], "--append") == 0) {
            show.append = true;
        } else if (strcmp(words[k], "--saved") == 0) {
            show.saved = true;
        } else if (strcmp(words[k], "--worlds") == 0 && more) {
            show.worlds = atoi(words[++k]);
        } else if (strcmp(words[k], "--scene") == 0 && more) {
            show.scene = atoi(words[++k]);
        } else if (strcmp(words[k], "--threads") == 0 && more) {
            show.threads = atoi(words[++k]);
        } else {
            fprintf(stderr, "usage: pbdr_gpu_show [--host] [--quick] [--threads N] [--out DIR] [--scene 0-3] "
                            "[--worlds N] [--pbd-r]\n"
                            "                     [--append] [--saved] [--only "
                            "hashes|hashes-host|hashes-device|accuracy|shapes|\n"
                            "                     throughput|host|launches|memory|profile]\n");
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
    } parts[] = {{"hashes", showHashes},
                 {"accuracy", showAccuracy},
                 {"shapes", showShapes},
                 {"launches", showLaunches},
                 {"memory", showMemory},
                 {"throughput", showThroughput},
                 {"host", showHost},
                 {"profile", showProfile},
                 {"hashes-host", showHostHashes},
                 {"hashes-device", showDeviceHashes}};
    const size_t whole = 7; // of all parts: the others are for a profiler, or parts of parts
    bool known = only[0] == 0;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        if (only[0] == 0 ? k < whole : strcmp(only, parts[k].name) == 0) {
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
