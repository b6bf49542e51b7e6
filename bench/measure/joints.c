// Joints beside MuJoCo's, as CSV on stdout.
//
//     build/measure/joints cost [LINKS...]          chains of hinges that swing, and the same on a floor: what a substep costs
//     build/measure/joints cost-once free|floor LINKS   one row of it
//     build/measure/joints cost-of MODEL...             of models as they are
//     build/measure/joints grip                         how far a box that two fingers hold comes down
//     build/measure/joints accelerations MODEL...   of MJCF models at a random state, beside mj_forward's
//
// Both run the same model in one process; costs are processor time of the steps alone. Errors of accelerations are over the
// largest of their kind, linear or angular.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "pbdr/scenefile.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// grip_bullet.cpp: how far the box has come down [m].
double pbdrGripInBullet(double share, double seconds);

#define MODEL_FILE "joints_model.xml"
#define LONGEST 100

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

// Chains of rods of 0.2 m on hinges whose axes change direction, of 100 at most; on a floor they lie loose.
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
        // XML is not nested without end: the next chain hangs beside
        const bool first = k % LONGEST == 0;
        fprintf(file, "<body pos='%g %d %g'>", first ? 0.0 : 0.2, first ? k / LONGEST : 0,
                floor && first ? 0.05 : 0.0);
        if (floor && first) {
            fprintf(file, "<freejoint/>");
        } else {
            fprintf(file, "<joint axis='0 %d %d' damping='%g'/>", k % 2 == 0, k % 2, floor ? 0.05 : 0.0);
        }
        fprintf(file, "<geom type='capsule' size='0.03' fromto='0.03 0 0 0.17 0 0'/>");
        if (k + 1 == links || (k + 1) % LONGEST == 0) {
            for (int open = k % LONGEST; open >= 0; open--) {
                fprintf(file, "</body>");
            }
        }
    }
    fprintf(file, "</worldbody></mujoco>");
    fclose(file);
}

// Steps a model file with both, and prints a row.
static void measureCost(const char* path, int links, const char* place, int substeps)
{
    char message[512] = "";
    mjModel* model = mj_loadXML(path, NULL, message, sizeof message);
    if (model == NULL) {
        fail(path, message);
    }
    mjData* data = mj_makeData(model);
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    pbdrStatus status = pbdrLoadScene(path, NULL, &scene, &error);
    const pbdrWorldDef def =
        status == pbdr_statusOk ? pbdrSceneFile_GetWorldDef(scene) : pbdrDefaultWorldDef();
    if (status == pbdr_statusOk) {
        status = pbdrCreateSceneWorld(scene, &def, NULL, &made, &error);
    }
    if (status != pbdr_statusOk) {
        fail(path, error.message);
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
    printf("%d,%s,%.4g,%.4g,%.3g,%u\n", links > 0 ? links : (int)model->njnt, place,
           1.0e6 * best[0] / substeps, 1.0e6 * best[1] / substeps, best[1] / best[0], (unsigned)flags);
    fflush(stdout);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    mj_deleteData(data);
    mj_deleteModel(model);
}

static void measureChain(int links, bool floor, int substeps)
{
    writeChain(links, floor);
    measureCost(MODEL_FILE, links, floor ? "floor" : "free", substeps);
    remove(MODEL_FILE);
}

// --- Accelerations ---

// Between -1 and 1, the same in every run.
static double getRandom(void)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 4503599627370496.0 - 1.0;
}

static double getBetween(double lower, double upper)
{
    return 0.5 * (lower + upper) + 0.4 * getRandom() * (upper - lower);
}

static void writeNumbers(FILE* file, const char* name, const mjtNum* numbers, int count)
{
    fprintf(file, " %s='", name);
    for (int k = 0; k < count; k++) {
        fprintf(file, "%.17g ", numbers[k]);
    }
    fprintf(file, "'");
}

// A state with everything turned, moved and driven, joints within their ranges.
static void setState(const mjModel* model, mjData* data)
{
    for (int j = 0; j < (int)model->njnt; j++) {
        mjtNum* q = data->qpos + model->jnt_qposadr[j];
        const int type = model->jnt_type[j];
        mjtNum* turn = type == mjJNT_FREE ? q + 3 : q;
        if (type == mjJNT_FREE || type == mjJNT_BALL) {
            for (int k = 0; k < 4; k++) {
                turn[k] = getRandom();
            }
            mju_normalize4(turn);
        } else if (model->jnt_limited[j]) {
            *q = getBetween(model->jnt_range[2 * j], model->jnt_range[2 * j + 1]);
        } else {
            *q += getRandom();
        }
    }
    for (int k = 0; k < (int)model->nv; k++) {
        data->qvel[k] = getRandom();
    }
    for (int k = 0; k < (int)model->nu; k++) {
        data->ctrl[k] = model->actuator_ctrllimited[k] ? getBetween(model->actuator_ctrlrange[2 * k],
                                                                    model->actuator_ctrlrange[2 * k + 1])
                                                       : getRandom();
    }
}

// A file beside the model (its meshes are named from there) that includes it, with the state as a keyframe, and without
// contacts, limits and friction losses, which are MuJoCo's soft constraints.
static void writeState(const char* path, const char* wrapper, const mjModel* model, const mjData* data)
{
    const char* name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    FILE* file = fopen(wrapper, "w");
    if (file == NULL) {
        fail(wrapper, "cannot be written");
    }
    fprintf(file,
            "<mujoco><include file='%s'/><option><flag contact='disable' limit='disable' "
            "frictionloss='disable'/></option><keyframe><key name='pbdr_state'",
            name);
    writeNumbers(file, "qpos", data->qpos, (int)model->nq);
    writeNumbers(file, "qvel", data->qvel, (int)model->nv);
    if (model->nu > 0) {
        writeNumbers(file, "ctrl", data->ctrl, (int)model->nu);
    }
    fprintf(file, "/></keyframe><custom><text name='pbdr_keyframe' data='pbdr_state'/></custom></mujoco>\n");
    fclose(file);
}

static int findName(const char* name, const void* first, size_t stride, int count)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(*(const char* const*)(const void*)((const char*)first + (size_t)k * stride), name) == 0) {
            return k;
        }
    }
    return -1;
}

static const char* getName(const mjModel* model, int type, const char* kind, int id, char buffer[64])
{
    const char* name = mj_id2name(model, type, id);
    if (name != NULL && name[0] != 0) {
        return name;
    }
    snprintf(buffer, 64, "%s%d", kind, id);
    return buffer;
}

// A joint's accelerations as MuJoCo counts them, from ours. Returns how many.
static int getAccelerations(const mjModel* model, const mjData* data, int joint, const pbdrSceneWorld* made,
                            const pbdrVelocity* bodies, const double* axes, double result[6])
{
    char buffer[64];
    const pbdrSceneFile* scene = made->scene;
    const int type = model->jnt_type[joint], body = model->jnt_bodyid[joint];
    const int own = findName(getName(model, mjOBJ_BODY, "body", body, buffer), &scene->bodies[0].name,
                             sizeof scene->bodies[0], scene->bodyCount);
    const int index = scene->jointCount == 0
                          ? -1
                          : findName(getName(model, mjOBJ_JOINT, "joint", joint, buffer),
                                     &scene->joints[0].name, sizeof scene->joints[0], scene->jointCount);
    if (own < 0 || (index < 0 && type != mjJNT_FREE)) {
        fail("model", "a body or joint is not in the scene");
    }
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
        result[0] = axes[index];
        return 1;
    }
    const int parent = type == mjJNT_BALL ? scene->joints[index].bodies[0] : -1;
    const pbdrVelocity still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    const pbdrVelocity v = pbdrBody_GetVelocity(made->world, made->bodies[own]),
                       u = parent >= 0 ? pbdrBody_GetVelocity(made->world, made->bodies[parent]) : still,
                       a = bodies[made->bodies[own].index1 - 1],
                       b = parent >= 0 ? bodies[made->bodies[parent].index1 - 1] : still;
    const mjtNum *frame = data->xmat + 9 * body, *place = data->xpos + 3 * body;
    const double w[3] = {v.angular.x, v.angular.y, v.angular.z},
                 relative[3] = {w[0] - u.angular.x, w[1] - u.angular.y, w[2] - u.angular.z};
    mjtNum turning[3] = {a.angular.x - b.angular.x, a.angular.y - b.angular.y, a.angular.z - b.angular.z},
           bias[3];
    mju_cross(bias, w, relative);
    mju_subFrom3(turning, bias);
    mju_mulMatTVec(result + (type == mjJNT_FREE ? 3 : 0), frame, turning, 3, 3);
    if (type == mjJNT_BALL) {
        return 3;
    }
    const pbdrVec3 centre = pbdrBody_GetPose(made->world, made->bodies[own]).position;
    const mjtNum back[3] = {place[0] - centre.x, place[1] - centre.y, place[2] - centre.z},
                 alpha[3] = {a.angular.x, a.angular.y, a.angular.z};
    mjtNum turn[3], spin[3], inward[3];
    mju_cross(turn, alpha, back);
    mju_cross(spin, w, back);
    mju_cross(inward, w, spin);
    result[0] = a.linear.x + turn[0] + inward[0];
    result[1] = a.linear.y + turn[1] + inward[1];
    result[2] = a.linear.z + turn[2] + inward[2];
    return 6;
}

static bool isTurning(const mjModel* model, int joint, int k)
{
    const int type = model->jnt_type[joint];
    return type == mjJNT_HINGE || type == mjJNT_BALL || (type == mjJNT_FREE && k >= 3);
}

static void compare(const char* path, const mjModel* model, const mjData* data, const pbdrSceneWorld* made)
{
    pbdrError error = {.message = ""};
    pbdrVelocity* bodies = calloc((size_t)made->idCount + 1, sizeof *bodies);
    double* axes = calloc((size_t)made->scene->jointCount + 1, sizeof *axes);
    if (bodies == NULL || axes == NULL ||
        pbdrWorld_FindAccelerations(made->world, bodies, axes, &error) != pbdr_statusOk) {
        fail(path, error.message);
    }
    double off[2] = {0.0, 0.0}, largest[2] = {0.0, 0.0};
    for (int j = 0; j < (int)model->njnt; j++) {
        double own[6];
        const int count = getAccelerations(model, data, j, made, bodies, axes, own);
        for (int k = 0; k < count; k++) {
            const double theirs = data->qacc[model->jnt_dofadr[j] + k];
            const int kind = isTurning(model, j, k);
            off[kind] = fmax(off[kind], fabs(own[k] - theirs));
            largest[kind] = fmax(largest[kind], fabs(theirs));
        }
    }
    const double linear = largest[0] > 0.0 ? off[0] / largest[0] : 0.0,
                 angular = largest[1] > 0.0 ? off[1] / largest[1] : 0.0;
    printf("%s,%d,%d,%d,%.3g,%.3g,%.2g\n", path, made->scene->bodyCount, (int)model->nv, (int)model->nu,
           largest[0], largest[1], fmax(linear, angular));
    fflush(stdout);
    free(bodies);
    free(axes);
}

static void measureAccelerations(const char* path)
{
    char message[1024] = "", wrapper[4096];
    mjModel* bare = mj_loadXML(path, NULL, message, sizeof message);
    if (bare == NULL) {
        fail(path, message);
    }
    mjData* start = mj_makeData(bare);
    setState(bare, start);
    snprintf(wrapper, sizeof wrapper, "%.*spbdr_state.xml",
             strrchr(path, '/') != NULL ? (int)(strrchr(path, '/') + 1 - path) : 0, path);
    writeState(path, wrapper, bare, start);
    mjModel* model = mj_loadXML(wrapper, NULL, message, sizeof message);
    if (model == NULL) {
        fail(wrapper, message);
    }
    mjData* data = mj_makeData(model);
    mj_resetDataKeyframe(model, data, mj_name2id(model, mjOBJ_KEY, "pbdr_state"));
    mj_forward(model, data);
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    pbdrStatus status = pbdrLoadScene(wrapper, NULL, &scene, &error);
    const pbdrWorldDef def =
        status == pbdr_statusOk ? pbdrSceneFile_GetWorldDef(scene) : pbdrDefaultWorldDef();
    if (status != pbdr_statusOk || pbdrCreateSceneWorld(scene, &def, NULL, &made, &error) != pbdr_statusOk) {
        fail(path, error.message);
    }
    compare(path, model, data, made);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    remove(wrapper);
    mj_deleteData(data);
    mj_deleteModel(model);
    mj_deleteData(start);
    mj_deleteModel(bare);
}

// --- A box that fingers hold ---

// Two fingers of 0.2 kg on slides push a box of 0.5 kg with as much force as friction needs, times `share`.
static double writeGrip(double share)
{
    const double mass = 0.5, mu = 0.5, force = share * mass * 9.81 / (2.0 * mu);
    FILE* file = fopen(MODEL_FILE, "w");
    if (file == NULL) {
        fail(MODEL_FILE, "cannot be written");
    }
    fprintf(file,
            "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/><default><geom "
            "friction='%g'/></default><worldbody>"
            "<body name='box'><freejoint/><geom type='box' size='0.05 0.05 0.05' mass='%g'/></body>",
            mu, mass);
    for (int side = -1; side <= 1; side += 2) {
        fprintf(file,
                "<body pos='%g 0 0'><joint name='j%d' type='slide' axis='%d 0 0'/><geom type='box' "
                "size='0.01 0.03 "
                "0.04' mass='0.2'/></body>",
                0.06 * side, side, -side);
    }
    fprintf(file,
            "</worldbody><actuator><motor joint='j-1' ctrlrange='0 1' gear='%.17g'/><motor joint='j1' "
            "ctrlrange='0 1' gear='%.17g'/></actuator><keyframe><key name='k' ctrl='1 1'/></keyframe>"
            "<custom><text name='pbdr_keyframe' data='k'/></custom></mujoco>",
            force, force);
    fclose(file);
    return force;
}

// How far the box has come down after so many seconds: theirs, then ours [m].
static void measureGrip(double share, double seconds, double down[2])
{
    char message[512] = "";
    writeGrip(share);
    mjModel* model = mj_loadXML(MODEL_FILE, NULL, message, sizeof message);
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    pbdrStatus status = pbdrLoadScene(MODEL_FILE, NULL, &scene, &error);
    const pbdrWorldDef def =
        status == pbdr_statusOk ? pbdrSceneFile_GetWorldDef(scene) : pbdrDefaultWorldDef();
    if (model == NULL || status != pbdr_statusOk ||
        pbdrCreateSceneWorld(scene, &def, NULL, &made, &error) != pbdr_statusOk) {
        fail(MODEL_FILE, model == NULL ? message : error.message);
    }
    mjData* data = mj_makeData(model);
    mj_resetDataKeyframe(model, data, 0);
    const int substeps = (int)(seconds * 1000.0 + 0.5);
    for (int k = 0; k < substeps; k++) {
        mj_step(model, data);
    }
    pbdrSceneWorld_Step(made, substeps);
    down[0] = -data->qpos[2];
    down[1] = -pbdrSceneWorld_GetPose(made, 0).position.z;
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    mj_deleteData(data);
    mj_deleteModel(model);
    remove(MODEL_FILE);
}

static void measureGrips(void)
{
    static const double cases[5][2] = {{1.05, 1.0}, {1.05, 60.0}, {1.5, 1.0}, {1.5, 60.0}, {0.95, 0.2}};
    puts("share_of_friction_needed,seconds,solver,down_m,exact_m");
    for (int k = 0; k < 5; k++) {
        const double share = cases[k][0], seconds = cases[k][1];
        const double exact = share < 1.0 ? 0.5 * (1.0 - share) * 9.81 * seconds * seconds : 0.0;
        double down[2];
        measureGrip(share, seconds, down);
        printf("%g,%g,xpbdr,%.12g,%.12g\n%g,%g,mujoco,%.6g,%.12g\n", share, seconds, down[1], exact, share,
               seconds, down[0], exact);
#ifdef PBDR_HAVE_BULLET
        printf("%g,%g,bullet,%.6g,%.12g\n", share, seconds, pbdrGripInBullet(share, seconds), exact);
#endif
    }
}

// MuJoCo's own handler prints, and writes a file into the current folder.
static void ignoreWarning(const char* text)
{
    (void)text;
}

int main(int argc, char** argv)
{
    mju_user_warning = ignoreWarning;
    const char* what = argc > 1 ? argv[1] : "";
    if (argc > 2 && strcmp(what, "accelerations") == 0) {
        puts("model,bodies,degrees_of_freedom,actuators,largest_mps2,largest_radps2,relative_error");
        for (int k = 2; k < argc; k++) {
            measureAccelerations(argv[k]);
        }
        return 0;
    }
    if (strcmp(what, "grip") == 0) {
        measureGrips();
        return 0;
    }
    puts("links,place,mujoco_us,xpbdr_us,ratio,flags");
    if (argc == 4 && strcmp(what, "cost-once") == 0) {
        measureChain(atoi(argv[3]), strcmp(argv[2], "floor") == 0, 500);
        return 0;
    }
    if (strcmp(what, "cost-of") == 0) {
        for (int k = 2; k < argc; k++) {
            measureCost(argv[k], 0, argv[k], 500);
        }
        return 0;
    }
    if (strcmp(what, "cost") != 0) {
        fail("usage", "joints grip | cost [LINKS...] | cost-once free|floor LINKS | cost-of MODEL... | "
                      "accelerations MODEL...");
    }
    static const int usual[] = {10, 30, 100, 300, 1000};
    const int count = argc > 2 ? argc - 2 : 5;
    for (int floor = 0; floor < 2; floor++) {
        for (int k = 0; k < count; k++) {
            const int links = argc > 2 ? atoi(argv[2 + k]) : usual[k];
            if (!floor || links <= 100) {
                measureChain(links, floor == 1, links > 100 ? 100 : 500);
            }
        }
    }
    return 0;
}
