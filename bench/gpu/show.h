// What pbdr_gpu_show shows (docs/gpu.md).
#ifndef BENCH_GPU_SHOW_H
#define BENCH_GPU_SHOW_H

#include <pbdr/pbdr.h>

#include <stdio.h>

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

// --- The program ---

typedef struct Show {
    const pbdrDevice* device;
    bool quick;
    const char* out;
    int threads; // of the processor
    int scene;   // of hashes, throughput and profile; -1: all
    int worlds;  // of throughput; 0: several numbers
    bool append; // rows to tables that are there
    bool saved;  // hashes: those in files alone
    int failures;
} Show;

// The solver of all worlds; set once, by main.
extern pbdrSolver showSolver;

double showGetTime(void);
// out/gpu_NAME.csv, with its header.
FILE* showOpenTable(const Show* show, const char* name, const char* header);
// A batch with a force and a friction per world; NULL, told, where there is none.
pbdrBatch* showMakeBatch(const pbdrDevice* device, ShowScene scene, int worlds, int threads,
                         pbdrError* error);
// The same, and these end the program where something fails.
pbdrBatch* showNeedBatch(const pbdrDevice* device, ShowScene scene, int worlds, int threads);
double showStepAlone(pbdrBatch* batch, int substeps, int launches);

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

// The same hash per world, host and device, and the device twice (hashes.c); and the parts of it that files keep.
void showHashes(Show* show);
void showHostHashes(Show* show);
void showDeviceHashes(Show* show);

#endif
