// Joints beside MuJoCo's: what a substep costs, as CSV on stdout.
//
//     build/measure/joints cost [LINKS...]       chains of hinges that swing, and the same on a floor
//
// Both run the same model in one process; processor time of the steps alone.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "pbdr/scenefile.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MODEL_FILE "joints_model.xml"

static _Noreturn void fail(const char* what, const char* why)
{
    fprintf(stderr, "joints: %s: %s\n", what, why);
    exit(1);
}

static double getSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

// A chain of rods of 0.2 m on hinges whose axes change direction; on a floor it lies loose.
static void writeChain(int links, bool floor)
{
    FILE* file = fopen(MODEL_FILE, "w");
    if (file == NULL) {
        fail(MODEL_FILE, "cannot be written");
    }
    fprintf(
        file,
        "<mujoco><size memory='500M'/><option timestep='0.001'/><default><geom %s/></default><worldbody>%s",
        floor ? "friction='0.5'" : "contype='0' conaffinity='0'",
        floor ? "<geom type='plane' size='1 1 1'/>" : "");
    for (int k = 0; k < links; k++) {
        fprintf(file, "<body pos='%g 0 %g'>", k > 0 ? 0.2 : 0.0, floor && k == 0 ? 0.05 : 0.0);
        if (floor && k == 0) {
            fprintf(file, "<freejoint/>");
        } else {
            fprintf(file, "<joint axis='0 %d %d' damping='%g'/>", k % 2 == 0, k % 2, floor ? 0.05 : 0.0);
        }
        fprintf(file, "<geom type='capsule' size='0.03' fromto='0.03 0 0 0.17 0 0'/>");
    }
    for (int k = 0; k < links; k++) {
        fprintf(file, "</body>");
    }
    fprintf(file, "</worldbody></mujoco>");
    fclose(file);
}

static void measureCost(int links, bool floor, int substeps)
{
    char message[512] = "";
    writeChain(links, floor);
    mjModel* model = mj_loadXML(MODEL_FILE, NULL, message, sizeof message);
    if (model == NULL) {
        fail(MODEL_FILE, message);
    }
    mjData* data = mj_makeData(model);
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    pbdrStatus status = pbdrLoadScene(MODEL_FILE, NULL, &scene, &error);
    const pbdrWorldDef def =
        status == pbdr_statusOk ? pbdrSceneFile_GetWorldDef(scene) : pbdrDefaultWorldDef();
    if (status == pbdr_statusOk) {
        status = pbdrCreateSceneWorld(scene, &def, NULL, &made, &error);
    }
    if (status != pbdr_statusOk) {
        fail(MODEL_FILE, error.message);
    }
    double best[2] = {HUGE_VAL, HUGE_VAL};
    uint32_t flags = 0;
    for (int round = 0; round < 5; round++) { // the least of five: another process may have come between
        double begun = getSeconds();
        for (int k = 0; k < substeps; k++) {
            mj_step(model, data);
        }
        best[0] = fmin(best[0], getSeconds() - begun);
        begun = getSeconds();
        flags |= pbdrSceneWorld_Step(made, substeps);
        best[1] = fmin(best[1], getSeconds() - begun);
    }
    printf("%d,%s,%.4g,%.4g,%.3g,%u\n", links, floor ? "floor" : "free", 1.0e6 * best[0] / substeps,
           1.0e6 * best[1] / substeps, best[1] / best[0], (unsigned)flags);
    fflush(stdout);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    mj_deleteData(data);
    mj_deleteModel(model);
    remove(MODEL_FILE);
}

int main(int argc, char** argv)
{
    if (argc < 2 || strcmp(argv[1], "cost") != 0) {
        fail("usage", "joints cost [LINKS...]");
    }
    puts("links,place,mujoco_us,xpbdr_us,ratio,flags");
    static const int usual[] = {10, 30, 100, 300, 1000};
    const int count = argc > 2 ? argc - 2 : 5;
    for (int floor = 0; floor < (getenv("FREE") ? 1 : 2); floor++) {
        for (int k = 0; k < count; k++) {
            const int links = argc > 2 ? atoi(argv[2 + k]) : usual[k];
            if (!floor || links <= 100) {
                measureCost(links, floor == 1, links > 100 ? 100 : 500);
            }
        }
    }
    return 0;
}
