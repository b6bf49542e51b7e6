// Hashes of all worlds after many substeps, host and device, and the device twice. What a side has found stays in a file,
// out/hashes-SCENE-RUN.bin, so that the processor can do its part while the device does other things.
#define _POSIX_C_SOURCE 200809L
#include "gpu/show.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { RUNS = 3 }; // host, device, device

typedef struct Run {
    const Show* show;
    int scene, run, worlds, substeps;
    double seconds, steps; // steps: Newton's, of all worlds
    double worst;          // residual, over the sum of forces; of the host in any launch, of a device in the last
    int flagged;           // worlds, likewise
    uint64_t* hashes;
} Run;

static void getPath(const Run* run, char* path, size_t size)
{
    snprintf(path, size, "%s/hashes-%d-%d.bin", run->show->out, run->scene, run->run);
}

// The numbers of a run before its hashes.
typedef struct Head {
    double worlds, substeps, seconds, steps, flagged, worst;
} Head;

static bool readRun(Run* run)
{
    char path[1024];
    Head head;
    getPath(run, path, sizeof path);
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return false;
    }
    const bool good =
        fread(&head, sizeof head, 1, file) == 1 && head.worlds == run->worlds &&
        head.substeps == run->substeps &&
        fread(run->hashes, sizeof *run->hashes, (size_t)run->worlds, file) == (size_t)run->worlds;
    fclose(file);
    if (good) {
        run->seconds = head.seconds;
        run->steps = head.steps;
        run->flagged = (int)head.flagged;
        run->worst = head.worst;
    }
    return good;
}

// As a whole: under another name first.
static void writeRun(const Run* run)
{
    char path[1024], begun[1100];
    const Head head = {run->worlds, run->substeps, run->seconds, run->steps, run->flagged, run->worst};
    getPath(run, path, sizeof path);
    snprintf(begun, sizeof begun, "%s.tmp", path);
    FILE* file = fopen(begun, "wb");
    const bool good =
        file != NULL && fwrite(&head, sizeof head, 1, file) == 1 &&
        fwrite(run->hashes, sizeof *run->hashes, (size_t)run->worlds, file) == (size_t)run->worlds;
    if ((file != NULL && fclose(file) != 0) || !good || rename(begun, path) != 0) {
        fprintf(stderr, "pbdr_gpu_show: cannot write %s\n", path);
        exit(1);
    }
}

// Looks at a launch's flags and residuals. ever: whether a world has had a flag.
static void lookAtLaunch(Run* run, pbdrBatch* batch, double* residuals, uint8_t* ever)
{
    pbdrBatch_GetEffort(batch, NULL, residuals, NULL);
    pbdrBatch_Fetch(batch, NULL);
    run->flagged = 0;
    for (int w = 0; w < run->worlds; w++) {
        ever[w] |= pbdrBatch_GetArrays(batch).flags[w] != 0;
        run->flagged += ever[w];
        run->worst = fmax(run->worst, residuals[w]);
    }
}

// All launches. A device's go one after the other; the host's, whose bits these are, are each looked at.
static void stepRun(Run* run, pbdrBatch* batch, int each)
{
    const int launches = run->substeps / each, times = run->run == 0 ? launches : 1;
    double* residuals = calloc((size_t)run->worlds, sizeof *residuals);
    uint8_t* ever = calloc((size_t)run->worlds, sizeof *ever);
    run->seconds = run->worst = 0.0;
    for (int k = 0; k < times; k++) {
        run->seconds += showStepAlone(batch, each, launches / times);
        lookAtLaunch(run, batch, residuals, ever);
    }
    free(residuals);
    free(ever);
}

static void* makeRun(void* data)
{
    Run* run = data;
    if (readRun(run)) {
        return NULL;
    }
    pbdrBatch* batch = showNeedBatch(run->run == 0 ? pbdrGetHostDevice() : run->show->device,
                                     (ShowScene)run->scene, run->worlds, run->show->threads);
    const int each = run->show->quick ? 50 : 100;
    stepRun(run, batch, each);
    pbdrError error;
    if (pbdrBatch_GetHashes(batch, run->hashes, &error) != pbdr_statusOk) {
        fprintf(stderr, "pbdr_gpu_show: %s\n", error.message);
        exit(1);
    }
    double* steps = calloc((size_t)run->worlds, sizeof *steps);
    pbdrBatch_GetEffort(batch, steps, NULL, NULL);
    run->steps = 0.0;
    for (int w = 0; w < run->worlds; w++) {
        run->steps += steps[w];
    }
    free(steps);
    pbdrDestroyBatch(batch);
    writeRun(run);
    printf("%s, run %d: %.3f s\n", showGetName((ShowScene)run->scene), run->run, run->seconds);
    fflush(stdout);
    return NULL;
}

static void openRuns(const Show* show, int scene, Run runs[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        runs[k] = (Run){.show = show,
                        .scene = scene,
                        .run = k,
                        .worlds = show->quick ? 100 : 10000,
                        .substeps = show->quick ? 200 : 10000};
        runs[k].hashes = calloc((size_t)runs[k].worlds, sizeof *runs[k].hashes);
    }
}

static void closeRuns(Run runs[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        free(runs[k].hashes);
    }
}

// Runs at once, a thread each: few worlds leave a device room for others.
static void makeRuns(Run* const* runs, int count)
{
    enum { MOST = showSceneCount * RUNS };
    pthread_t threads[MOST];
    bool started[MOST];
    for (int k = 0; k < count; k++) {
        started[k] = pthread_create(&threads[k], NULL, makeRun, runs[k]) == 0;
        if (!started[k]) {
            makeRun(runs[k]);
        }
    }
    for (int k = 0; k < count; k++) {
        if (started[k]) {
            pthread_join(threads[k], NULL);
        }
    }
}

static bool isChosen(const Show* show, int scene)
{
    return show->scene < 0 || show->scene == scene;
}

static uint64_t mixHashes(const Run* run)
{
    uint64_t all = 0;
    for (int w = 0; w < run->worlds; w++) {
        all = (all ^ run->hashes[w]) * 0x100000001b3u;
    }
    return all;
}

void showHostHashes(Show* show)
{
    FILE* file = showOpenTable(
        show, "host", "scene,worlds,substeps,hash_of_hashes,seconds,worlds_flagged_ever,worst_residual");
    for (int scene = 0; scene < showSceneCount; scene++) {
        Run runs[RUNS];
        openRuns(show, scene, runs);
        if (isChosen(show, scene)) {
            makeRun(&runs[0]);
            ROW(file, "%s,%d,%d,%016llx,%.3f,%d,%.2g", showGetName((ShowScene)scene), runs[0].worlds,
                runs[0].substeps, (unsigned long long)mixHashes(&runs[0]), runs[0].seconds, runs[0].flagged,
                runs[0].worst);
        }
        closeRuns(runs);
    }
    fclose(file);
}

void showDeviceHashes(Show* show)
{
    Run runs[showSceneCount][RUNS];
    Run* wanted[showSceneCount * RUNS];
    int count = 0;
    for (int scene = showSceneCount - 1; scene >= 0; scene--) { // the longest first
        openRuns(show, scene, runs[scene]);
        for (int k = 1; k < RUNS && isChosen(show, scene); k++) {
            wanted[count++] = &runs[scene][k];
        }
    }
    makeRuns(wanted, count);
    for (int scene = 0; scene < showSceneCount; scene++) {
        closeRuns(runs[scene]);
    }
}

void showHashes(Show* show)
{
    FILE* file = showOpenTable(
        show, "hashes",
        "scene,worlds,substeps,equal_host_device,equal_device_twice,hash_of_hashes,host_s,device_s,"
        "worlds_not_converged,newton_steps_per_substep");
    for (int scene = 0; scene < showSceneCount; scene++) {
        Run runs[RUNS];
        openRuns(show, scene, runs);
        const int worlds = runs[0].worlds;
        bool have = isChosen(show, scene);
        if (have && show->saved) {
            have = readRun(&runs[0]) && readRun(&runs[1]) && readRun(&runs[2]);
        } else if (have) {
            makeRun(&runs[0]);
            makeRuns((Run* const[]){&runs[1], &runs[2]}, 2);
        }
        int equal = 0, again = 0;
        for (int w = 0; w < worlds && have; w++) {
            equal += runs[0].hashes[w] == runs[1].hashes[w];
            again += runs[1].hashes[w] == runs[2].hashes[w];
        }
        if (have) {
            show->failures += equal != worlds || again != worlds;
            ROW(file, "%s,%d,%d,%d,%d,%016llx,%.3f,%.3f,%d,%.3f", showGetName((ShowScene)scene), worlds,
                runs[0].substeps, equal, again, (unsigned long long)mixHashes(&runs[1]), runs[0].seconds,
                runs[1].seconds, runs[1].flagged, runs[1].steps / ((double)worlds * runs[1].substeps));
        }
        closeRuns(runs);
    }
    fclose(file);
}
