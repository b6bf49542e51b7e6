// What the parts of pbdr_gpu_show have in common.
#include "gpu/show.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

pbdrSolver showSolver = pbdr_solverXpbdR;

double showGetTime(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

FILE* showOpenTable(const Show* show, const char* name, const char* header)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/gpu_%s.csv", show->out, name);
    FILE* file = fopen(path, show->append ? "a" : "w");
    if (file == NULL) {
        fprintf(stderr, "pbdr_gpu_show: cannot write %s\n", path);
        exit(1);
    }
    if (fseek(file, 0, SEEK_END) == 0 && ftell(file) == 0) {
        fprintf(file, "%s\n", header);
    }
    printf("\n%s: %s\n", name, header);
    return file;
}

pbdrBatch* showMakeBatch(const pbdrDevice* device, ShowScene scene, int worlds, int threads, pbdrError* error)
{
    pbdrWorld* world = NULL;
    pbdrBatch* batch = NULL;
    pbdrStatus status = showMakeWorldOf(showSolver, scene, &world, error);
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

pbdrBatch* showNeedBatch(const pbdrDevice* device, ShowScene scene, int worlds, int threads)
{
    pbdrError error;
    pbdrBatch* batch = showMakeBatch(device, scene, worlds, threads, &error);
    if (batch == NULL) {
        fprintf(stderr, "pbdr_gpu_show: %s\n", error.message);
        exit(1);
    }
    return batch;
}

double showStepAlone(pbdrBatch* batch, int substeps, int launches)
{
    pbdrError error;
    double seconds = 0.0;
    if (pbdrBatch_StepAlone(batch, substeps, launches, &seconds, &error) != pbdr_statusOk) {
        fprintf(stderr, "pbdr_gpu_show: %s\n", error.message);
        exit(1);
    }
    return seconds;
}
