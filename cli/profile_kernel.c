// Copies of a test's scene by one kernel: world-substeps per second, Newton steps, residuals, and what the device gives a
// world. A kernel has no stages to time apart: its clock would be most of what it measures.
#include "profile_kernel.h"

#include "command.h"
#include "output.h"

#include "runner.h"
#include "solvers/kernel.h"
#include "text.h"

#include <pbdr/batch.h>

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define LAUNCH 10 // substeps

typedef struct Run {
    int worlds, substeps;
    double seconds, cold;  // of all substeps; of the first launch, before
    double steps;          // Newton's, per world and substep
    double residual;       // largest, over the sum of forces
    int flagged;           // worlds
    pbdrDeviceInfo device; //
} Run;

static pbdrStatus measure(pbdrBatch* batch, Run* run, pbdrError* error)
{
    const int launches = run->substeps / LAUNCH > 0 ? run->substeps / LAUNCH : 1;
    double* efforts[2];
    for (int k = 0; k < 2; k++) {
        efforts[k] = calloc((size_t)run->worlds, sizeof *efforts[k]);
    }
    pbdrStatus status = efforts[0] != NULL && efforts[1] != NULL ? pbdr_statusOk : pbdr_statusNoMemory;
    double before = 0.0, after = 0.0;
    status = status == pbdr_statusOk ? pbdrBatch_StepAlone(batch, LAUNCH, 1, &run->cold, error) : status;
    status = status == pbdr_statusOk ? pbdrBatch_GetEffort(batch, efforts[0], NULL, error) : status;
    for (int w = 0; w < run->worlds && status == pbdr_statusOk; w++) {
        before += efforts[0][w];
    }
    status =
        status == pbdr_statusOk ? pbdrBatch_StepAlone(batch, LAUNCH, launches, &run->seconds, error) : status;
    run->substeps = LAUNCH * launches;
    status = status == pbdr_statusOk ? pbdrBatch_GetEffort(batch, efforts[0], efforts[1], error) : status;
    status = status == pbdr_statusOk ? pbdrBatch_Fetch(batch, error) : status;
    status = status == pbdr_statusOk ? pbdrBatch_Describe(batch, &run->device, error) : status;
    for (int w = 0; w < run->worlds && status == pbdr_statusOk; w++) {
        after += efforts[0][w];
        run->residual = fmax(run->residual, efforts[1][w]);
        run->flagged += pbdrBatch_GetArrays(batch).flags[w] != 0;
    }
    run->steps = (after - before) / ((double)run->worlds * run->substeps);
    free(efforts[0]);
    free(efforts[1]);
    return status;
}

static void print(const Run* run, const ChosenScene* chosen, const char* label)
{
    const double count = (double)run->worlds * run->substeps;
    printf("test %d %s, %s on %s, %d worlds, %d substeps of %g s in launches of %d\n\n",
           chosen->scene.test->number, chosen->scene.test->name, label, run->device.name, run->worlds,
           run->substeps, chosen->options.timeStep, LAUNCH);
    printf("%-28s %12.4g\n", "world-substeps/s", count / run->seconds);
    printf("%-28s %12.4g  of all worlds at once\n", "us per substep", 1.0e6 * run->seconds / run->substeps);
    printf("%-28s %12.4g  the first %d substeps [s]\n", "cold start", run->cold, LAUNCH);
    printf("%-28s %12.4g  per world and substep\n", "Newton steps", run->steps);
    printf("%-28s %12.2g  largest, over the sum of forces\n", "residual", run->residual);
    printf("%-28s %12d  worlds with a flag (docs/gpu.md)\n", "flagged", run->flagged);
    printf("%-28s %12zu\n", "bytes per world", run->device.worldBytes);
    if (run->device.registers > 0) {
        printf("%-28s %12d  of a thread\n", "registers", run->device.registers);
        printf("%-28s %12d  of a thread [bytes]\n", "local memory", run->device.localBytes);
        printf("%-28s %12d  of %d threads, at once on each of %d multiprocessors\n", "blocks",
               run->device.blocksPerMultiprocessor, run->device.threadsPerBlock, run->device.multiprocessors);
    }
}

static int writeTable(const char* path, const Run* run, const ChosenScene* chosen, const char* label)
{
    Output output;
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    fprintf(output.file, "test,solver,machine,worlds,substeps,seconds,cold_s,world_substeps_per_s,"
                         "newton_steps_per_substep,worst_residual,worlds_flagged,bytes_per_world,registers,"
                         "local_bytes,threads_per_block,blocks_per_multiprocessor\n");
    fprintf(output.file, "%d,%s,%s,%d,%d,%.6f,%.6f,%.6g,%.4f,%.3g,%d,%zu,%d,%d,%d,%d\n", chosen->number,
            label, run->device.name, run->worlds, run->substeps, run->seconds, run->cold,
            (double)run->worlds * run->substeps / run->seconds, run->steps, run->residual, run->flagged,
            run->device.worldBytes, run->device.registers, run->device.localBytes,
            run->device.threadsPerBlock, run->device.blocksPerMultiprocessor);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

static int runOn(const pbdrDevice* device, const BenchSolver* solver, ChosenScene* chosen, int worlds,
                 const char* csvPath)
{
    const BenchOptions* o = &chosen->options;
    pbdrBenchScene scene = chosen->scene.data;
    scene.preset = "";
    scene.engine = o->engine;
    scene.precision = pbdr_precisionF64;
    char message[PBDR_BENCH_MESSAGE];
    void* model = benchCreateRecorded(&scene, pbdr_solverXpbdR, NULL, message);
    if (model == NULL) {
        benchPrintMessage("pbdr profile: %s: %s\n", solver->label, message);
        return EXIT_FAILED;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = worlds;
    def.threads = cores > 1 ? (int)fmin((double)cores, PBDR_MAX_THREADS) : 1;
    def.device = device;
    pbdrBatch* batch = NULL;
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    Run run = {.worlds = worlds, .substeps = (int)fmax(1.0, nearbyint(o->duration / o->timeStep))};
    pbdrStatus status = pbdrCreateBatch(benchGetWorld(model), &def, &batch, &error);
    benchGetXpbdR()->destroy(model);
    status = status == pbdr_statusOk ? measure(batch, &run, &error) : status;
    pbdrDestroyBatch(batch);
    if (status != pbdr_statusOk) {
        benchPrintMessage("pbdr profile: %s: %s\n", solver->label, error.message);
        return EXIT_FAILED;
    }
    print(&run, chosen, solver->label);
    return csvPath != NULL ? writeTable(csvPath, &run, chosen, solver->label) : EXIT_OK;
}

int profileKernel(ChosenScene* chosen, const BenchTest* test, int worlds, const char* csvPath)
{
    if (csvPath != NULL && !probeOutput(csvPath)) {
        return EXIT_FAILED;
    }
    const pbdrDevice* device = benchChooseDevice("profile");
    BenchSolver solver;
    pbdrError error;
    if (benchChooseKernel(device, &solver, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr profile: %s\n", error.message);
        return EXIT_FAILED;
    }
    chosen->options = benchResolveOptions(&solver, &chosen->options);
    int code = makeChosenScene(chosen, test, "profile");
    if (code == EXIT_OK) {
        code = runOn(device, &solver, chosen, worlds, csvPath);
        freeChosenScene(chosen);
    }
    return code;
}
