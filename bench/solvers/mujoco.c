// MuJoCo (2.2 to 4.0) behind the plug-in table, through its C API.
//
// The scene becomes an MJCF text that is compiled from memory. True shapes and true inertia: box, triangle
// mesh (MuJoCo collides its vertices with a plane, up to four of them, and its hull with others), ball,
// cylinder, capsule for the rod; inertia is given in the text, so that none of the versions' own ideas of a
// mesh's inertia matters.
//
// Settings, by the names that engines/mujoco has for them: cone, integrator, iterations, impratio, solref, solimp, and
// frictionless_condim (3: mu = 0 stays condim 3, for which MuJoCo puts mu = 1e-5; 1: no friction rows there).
//
// Presets:
//   (none)  the paper's: elliptic cone, Newton, 50 iterations, Euler, all contact parameters at their
//           defaults. There is no restitution: tests that have it are refused.
//   tuned   what the search found (engines/mujoco/search.csv), the same in all tests. Two things a scene says by these
//           parameters, whatever the search found: restitution e, which MuJoCo has not, as that of a spring and damper
//           (solref in its direct form): -ln e = pi z/sqrt(1 - z^2), z the damping ratio; and joints (tests 28 and up), which
//           no search has: as stiff as MuJoCo takes them, by RK4, or implicitfast where springs have dampers.
//   feet    the paper's settings, but a box stands on 4 x 4 balls instead of four corners (Test 7: MuJoCo
//           puts a box on its corners, and the pressure under the base shapes the motion). Boxes only.
#define _POSIX_C_SOURCE 200809L
#include "mujoco_joints.h"
#include "peer_settings.h"
#include "peers.h"

#include <float.h>
#include <stdlib.h>

#define PRESETS "tuned,feet"

// The rod is a slide joint whose state is overwritten before each step. So that contact does not slow it down
// within a step it is heavy; 1e6 kg beside a box of 4 kg leaves 4e-6 of the box's speed.
#define ROD_MASS 1.0e6 // [kg]

#define FEET 4             // per side
#define FOOT_RADIUS 1.0e-2 // [m]

static const PeerSetting settingTable[] = {
    {"cone", "elliptic", "elliptic"},  {"integrator", "Euler", "Euler"},
    {"iterations", "50", "100"},       {"impratio", "1", "100"},
    {"solref", "0.02 1", ".02 1"},     {"solimp", "0.9 0.95 0.001", ".1 .1 .001"},
    {"frictionless_condim", "3", "1"},
};

// With restitution: solref is that of a spring, and made for each e.
#define BOUNCE_STIFFNESS 1.0e5 // [1/s^2]: an impact takes ten steps of 1 ms

typedef struct Simulation {
    const pbdrBenchScene* scene;
    PeerSettings settings;
    mjModel* model;
    mjData* data;
    int64_t stepCount;
    bool failed;     // MuJoCo has put the state back to the start, because it was not finite
    MujocoTree tree; // of a scene with joints
    bool read;       // since the last step
    PeerNotes notes;
} Simulation;

// --- The scene as text ---

static void writeMesh(FILE* file, const pbdrBenchBody* body)
{
    fprintf(file, "<asset><mesh name='mesh' vertex='");
    for (int i = 0; i < body->vertexCount; i++) {
        fprintf(file, "%.17g %.17g %.17g ", body->vertices[i].x, body->vertices[i].y, body->vertices[i].z);
    }
    fprintf(file, "' face='");
    for (int i = 0; i < body->triangleCount; i++) {
        const int32_t* corner = body->triangles[i];
        fprintf(file, "%d %d %d ", (int)corner[0], (int)corner[1], (int)corner[2]);
    }
    fprintf(file, "'/></asset>\n");
}

static void writeShape(FILE* file, const pbdrBenchBody* body)
{
    switch (body->shape) {
    case pbdr_benchBox:
        mujocoWriteVec(file, "size", body->halfExtents);
        fprintf(file, " type='box'/>\n");
        break;
    case pbdr_benchBall:
        fprintf(file, " type='sphere' size='%.17g'/>\n", body->radius);
        break;
    case pbdr_benchCylinder:
        fprintf(file, " type='cylinder' size='%.17g %.17g'/>\n", body->radius, body->halfExtents.z);
        break;
    default:
        fprintf(file, " type='mesh' mesh='mesh'/>\n");
        break;
    }
}

// What collides: the ground (type 1) with things of affinity 1, the body (type 2) with the rod, of
// affinity 2. MuJoCo takes the larger of the two friction coefficients, so the body has none and the others
// say. Several free bodies are of both types, and have the friction of all.
static void writeBody(FILE* file, const pbdrBenchScene* scene, int index, bool onFeet)
{
    const pbdrBenchBody* body = &scene->bodies[index];
    fprintf(file, "<body name='body%d'", index);
    mujocoWritePose(file, body->start);
    fprintf(file, "><freejoint/>\n");
    mujocoWriteInertia(file, body);
    if (scene->bodyCount > 1 && !peerHasRod(scene)) {
        fprintf(file, "<geom contype='3' conaffinity='3' friction='%.17g 0 0'", scene->pairFriction);
    } else {
        fprintf(file, "<geom contype='2' conaffinity='%d' friction='0 0 0'", onFeet ? 0 : 1);
    }
    writeShape(file, body);
    for (int k = 0; onFeet && k < FEET * FEET; k++) {
        pbdrVec3 h = body->halfExtents;
        pbdrVec3 centre = {h.x * ((2 * (k % FEET) + 1.0) / FEET - 1.0),
                           h.y * ((2 * (k / FEET) + 1.0) / FEET - 1.0), FOOT_RADIUS - h.z};
        fprintf(file, "<geom type='sphere' size='%.17g' contype='0' conaffinity='1' friction='0 0 0'",
                FOOT_RADIUS);
        mujocoWriteVec(file, "pos", centre);
        fprintf(file, "/>\n");
    }
    fprintf(file, "</body>\n");
}

static void writeRod(FILE* file, const pbdrBenchBody* rod, double friction)
{
    pbdrVec3 axis = benchUnrotate(rod->start.rotation, rod->prescribedAcceleration);
    if (benchDot(axis, axis) == 0.0) {
        axis.x = 1.0;
    }
    double half = rod->halfExtents.x - rod->radius;
    fprintf(file, "<body name='rod'");
    mujocoWritePose(file, rod->start);
    fprintf(file, "><joint name='rod' type='slide'");
    mujocoWriteVec(file, "axis", axis);
    fprintf(file, "/>\n<inertial pos='0 0 0' mass='%.17g' diaginertia='1 1 1'/>\n", ROD_MASS);
    fprintf(file,
            "<geom type='capsule' fromto='%.17g 0 0 %.17g 0 0' size='%.17g' contype='0' conaffinity='2' "
            "friction='%.17g 0 0'/></body>\n",
            -half, half, rod->radius, friction);
}

static bool isOnFeet(const pbdrBenchScene* scene)
{
    return strcmp(scene->preset, "feet") == 0;
}

static bool isTuned(const pbdrBenchScene* scene)
{
    return strcmp(scene->preset, "tuned") == 0;
}

static bool hasDamper(const pbdrBenchScene* scene)
{
    bool has = false;
    for (int k = 0; k < scene->jointCount; k++) {
        has = has || scene->joints[k].damping > 0.0;
    }
    return has;
}

// What the scene says by MuJoCo's parameters in place of the preset's (the table at the top).
static bool adaptSettings(const pbdrBenchScene* scene, PeerSettings* settings,
                          char message[PBDR_BENCH_MESSAGE])
{
    char solref[PEER_SETTING_SIZE];
    if (!isTuned(scene) || (scene->restitution == 0.0 && scene->jointCount == 0)) {
        return true;
    }
    bool good = peerPutSetting(settings, "solimp", ".9999 .9999 .001", message);
    if (scene->jointCount > 0) {
        snprintf(solref, sizeof solref, "%.9g 1", 2.0 * scene->timeStep); // as stiff as MuJoCo takes it
        good = good &&
               peerPutSetting(settings, "integrator", hasDamper(scene) ? "implicitfast" : "RK4", message) &&
               peerPutSetting(settings, "impratio", "1", message);
    } else {
        double decay = -log(scene->restitution), ratio = decay / hypot(acos(-1.0), decay);
        snprintf(solref, sizeof solref, "%.9g %.9g", -BOUNCE_STIFFNESS,
                 -2.0 * ratio * sqrt(BOUNCE_STIFFNESS));
    }
    return good && peerPutSetting(settings, "solref", solref, message);
}

static int getCondim(const pbdrBenchScene* scene, const PeerSettings* settings)
{
    return scene->groundFriction == 0.0 && !peerHasRod(scene)
               ? (int)peerGetNumber(settings, "frictionless_condim")
               : 3;
}

static void writeModel(FILE* file, const pbdrBenchScene* scene, const PeerSettings* settings,
                       const MujocoTree* tree)
{
    const char *solref = peerGetText(settings, "solref"), *solimp = peerGetText(settings, "solimp");
    fprintf(file, "<mujoco><compiler angle='radian'/>\n<option timestep='%.17g' cone='%s' solver='Newton'",
            scene->timeStep, peerGetText(settings, "cone"));
    fprintf(file, " iterations='%s' integrator='%s' impratio='%s'", peerGetText(settings, "iterations"),
            peerGetText(settings, "integrator"), peerGetText(settings, "impratio"));
    mujocoWriteVec(file, "gravity", scene->gravity);
    fprintf(file, "/>\n<default><geom condim='%d' solref='%s' solimp='%s'/></default>\n",
            getCondim(scene, settings), solref, solimp);
    if (scene->jointCount > 0) {
        mujocoWriteTree(file, scene, tree, solref, solimp);
        fprintf(file, "</mujoco>\n");
        return;
    }
    if (scene->bodies[0].shape == pbdr_benchMesh) {
        writeMesh(file, &scene->bodies[0]);
    }
    fprintf(file,
            "<worldbody><geom type='plane' size='0 0 1' contype='1' conaffinity='0' friction='%.17g 0 0'",
            scene->groundFriction);
    mujocoWriteVec(file, "zaxis", scene->groundNormal);
    fprintf(file, "/>\n");
    bool rod = peerHasRod(scene);
    for (int k = 0; k < scene->bodyCount - (rod ? 1 : 0); k++) {
        writeBody(file, scene, k, isOnFeet(scene));
    }
    if (rod) {
        writeRod(file, &scene->bodies[1], scene->pairFriction);
    }
    fprintf(file, "</worldbody></mujoco>\n");
}

// --- Creation ---

static bool addToVfs(mjVFS* vfs, const char* name, const char* text, int size)
{
#if mjVERSION_HEADER >= 313
    return mj_addBufferVFS(vfs, name, text, size) == 0;
#else
    if (mj_makeEmptyFileVFS(vfs, name, size) != 0) {
        return false;
    }
    memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, (size_t)size);
    return true;
#endif
}

static mjModel* compileModel(const pbdrBenchScene* scene, const PeerSettings* settings,
                             const MujocoTree* tree, char message[PBDR_BENCH_MESSAGE])
{
    static const char name[] = "scene.xml";
    char* text = NULL;
    size_t size = 0;
    mjModel* model = NULL;
    mjVFS* vfs = malloc(sizeof *vfs); // 2 MB in old versions: too much for a stack
    FILE* file = open_memstream(&text, &size);
    if (file != NULL) {
        writeModel(file, scene, settings, tree);
        if (fclose(file) != 0) {
            size = 0;
        }
    }
    snprintf(message, PBDR_BENCH_MESSAGE, "no memory");
    if (vfs != NULL && size > 0) {
        mj_defaultVFS(vfs);
        if (addToVfs(vfs, name, text, (int)size)) {
            model = mj_loadXML(name, vfs, message, PBDR_BENCH_MESSAGE);
        }
        mj_deleteVFS(vfs);
    }
    free(text);
    free(vfs);
    return model;
}

static void describeSettings(Simulation* simulation)
{
    const pbdrBenchScene* scene = simulation->scene;
    PeerNotes* notes = &simulation->notes;
    const PeerSettings* settings = &simulation->settings;
    const char *integrator = peerGetText(settings, "integrator"), *solref = peerGetText(settings, "solref"),
               *solimp = peerGetText(settings, "solimp");
    int condim = getCondim(scene, settings);
    peerAddNote(notes, "version", "%s", mj_versionString());
    peerNoteSettings(notes, settings);
    bool euler = strcmp(integrator, "Euler") == 0; // MuJoCo's moves with the new velocity
    peerAddNote(notes, "integrator", "%s, %g s", euler ? "semi-implicit Euler" : integrator, scene->timeStep);
    peerAddNote(notes, "solver", "Newton, at most %s iterations, %s cone, impratio %s",
                peerGetText(settings, "iterations"), peerGetText(settings, "cone"),
                peerGetText(settings, "impratio"));
    if (scene->jointCount > 0) {
        peerAddNote(notes, "joints",
                    "a tree; loops by connect, a hinge by two, solref %s, solimp %s; springs by tendons",
                    solref, solimp);
        peerAddNote(notes, "drive", "xfrc_applied");
        return;
    }
    peerAddNote(notes, "contact", "solref %s, solimp %s, condim %d", solref, solimp, condim);
    bool rod = peerHasRod(scene);
    peerAddNote(notes, "friction", "larger of the two: body %g, ground %g, rod %g%s; torsional and rolling 0",
                rod || scene->bodyCount == 1 ? 0.0 : scene->pairFriction, scene->groundFriction,
                rod ? scene->pairFriction : 0.0,
                condim == 1 ? " (no friction rows)" : ", MuJoCo raises 0 to 1e-5");
    peerAddNote(notes, "inertia", "true, given to the compiler");
    peerAddNote(notes, "shape", "%s",
                isOnFeet(scene) ? "box on 4 x 4 balls of radius 0.01 m at cell centres"
                : scene->bodies[0].shape == pbdr_benchBox  ? "box (a plane meets its corners, 4 at most)"
                : scene->bodies[0].shape == pbdr_benchBall ? "ball"
                : scene->bodies[0].shape == pbdr_benchCylinder
                    ? "cylinder (a plane meets its rim, 4 points at most)"
                    : "mesh (a plane meets its vertices, 4 at most; stored in float)");
    peerAddNote(notes, "drive", "xfrc_applied");
    if (scene->restitution > 0.0) {
        peerAddNote(notes, "restitution", "%g: a spring of %g/s^2 and its damper", scene->restitution,
                    BOUNCE_STIFFNESS);
    }
    if (rod) {
        peerAddNote(notes, "rod", "capsule on a slide joint, mass %g kg, state overwritten at every step",
                    ROD_MASS);
    }
}

static void destroy(void* simulation)
{
    Simulation* s = simulation;
    mj_deleteData(s->data);
    mj_deleteModel(s->model);
    free(s);
}

// Drive and velocity at the start. A free joint's angular velocity is in body axes, its linear velocity in
// world axes.
static void startBody(Simulation* simulation, int index)
{
    const pbdrBenchBody* body = &simulation->scene->bodies[index];
    const double drive[6] = {body->force.x,  body->force.y,  body->force.z,
                             body->torque.x, body->torque.y, body->torque.z};
    pbdrVec3 v = body->startVelocity.linear,
             w = benchUnrotate(body->start.rotation, body->startVelocity.angular);
    const double speed[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    char name[16];
    snprintf(name, sizeof name, "body%d", index);
    int id = mj_name2id(simulation->model, mjOBJ_BODY, name);
    for (int k = 0; k < 6; k++) {
        simulation->data->xfrc_applied[6 * id + k] = drive[k];
        simulation->data->qvel[6 * index + k] = speed[k];
    }
}

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    if (!peerTakesScene(scene, message) || !peerHasPreset(PRESETS, scene->preset, message)) {
        return NULL;
    }
    if (mj_version() != mjVERSION_HEADER) {
        snprintf(message, PBDR_BENCH_MESSAGE, "built for MuJoCo %d, but the library is %s", mjVERSION_HEADER,
                 mj_versionString());
        return NULL;
    }
    bool alone = scene->bodyCount == 1 || peerHasRod(scene);
    if (isOnFeet(scene) && (scene->bodies[0].shape != pbdr_benchBox || !alone)) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: feet under anything but a box");
        return NULL;
    }
    if (scene->restitution > 0.0 && !isTuned(scene)) {
        snprintf(message, PBDR_BENCH_MESSAGE,
                 "not supported: restitution, which MuJoCo does not have (tuned: as a spring and damper)");
        return NULL;
    }
    Simulation* simulation = calloc(1, sizeof *simulation);
    if (simulation == NULL) {
        snprintf(message, PBDR_BENCH_MESSAGE, "no memory");
        return NULL;
    }
    simulation->scene = scene;
    if (!peerTakeSettings(&simulation->settings, settingTable,
                          (int)(sizeof settingTable / sizeof settingTable[0]), isTuned(scene), message) ||
        !adaptSettings(scene, &simulation->settings, message)) {
        free(simulation);
        return NULL;
    }
    if (scene->jointCount > 0 && !mujocoPlanTree(scene, &simulation->tree, message)) {
        free(simulation);
        return NULL;
    }
    simulation->model = compileModel(scene, &simulation->settings, &simulation->tree, message);
    simulation->data = simulation->model != NULL ? mj_makeData(simulation->model) : NULL;
    if (simulation->data == NULL) {
        destroy(simulation);
        return NULL;
    }
    if (scene->jointCount > 0) {
        mujocoStartTree(scene, &simulation->tree, simulation->model, simulation->data);
    }
    for (int k = 0; k < scene->bodyCount - (peerHasRod(scene) ? 1 : 0) && scene->jointCount == 0; k++) {
        startBody(simulation, k);
    }
    describeSettings(simulation);
    return simulation;
}

// --- Run ---

// The rod where and as fast as it must be now, with the force that keeps it accelerating during the step.
// (The free body's coordinates come first: 7 of position, 6 of velocity.)
static void placeRod(Simulation* s)
{
    pbdrVec3 a = s->scene->bodies[1].prescribedAcceleration;
    double size = sqrt(benchDot(a, a)), time = (double)s->stepCount * s->scene->timeStep;
    s->data->qpos[7] = 0.5 * size * time * time;
    s->data->qvel[6] = size * time;
    s->data->qfrc_applied[6] = ROD_MASS * (size - benchDot(a, s->scene->gravity) / fmax(size, DBL_MIN));
}

static uint32_t step(void* simulation, int count)
{
    Simulation* s = simulation;
    uint32_t flags = 0;
    for (int i = 0; i < count && !s->failed; i++) {
        if (peerHasRod(s->scene)) {
            placeRod(s);
        }
        mj_step(s->model, s->data);
        s->read = false;
        s->stepCount++;
        const mjWarningStat* warning = s->data->warning;
        s->failed =
            warning[mjWARN_BADQPOS].number + warning[mjWARN_BADQVEL].number + warning[mjWARN_BADQACC].number >
            0;
        if (warning[mjWARN_CONTACTFULL].number + warning[mjWARN_CNSTRFULL].number > 0) {
            flags |= pbdr_stepPairsFull;
        }
    }
    return s->failed ? flags | pbdr_stepNotFinite : flags;
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    Simulation* s = simulation;
    if (body == 1 && peerHasRod(s->scene)) {
        peerGetPrescribed(&s->scene->bodies[1], (double)s->stepCount * s->scene->timeStep, pose, velocity);
        return;
    }
    if (s->scene->jointCount > 0) {
        if (!s->read) {
            mujocoUpdateTree(s->model, s->data);
            s->read = true;
        }
        mujocoReadLink(s->model, s->data, body, pose, velocity);
        pose->position.x = s->failed ? (double)NAN : pose->position.x;
        return;
    }
    const mjtNum *q = s->data->qpos + 7 * body, *v = s->data->qvel + 6 * body; // as startBody has them
    pose->position = (pbdrVec3){s->failed ? (double)NAN : q[0], q[1], q[2]};
    pose->rotation = (pbdrQuat){q[3], q[4], q[5], q[6]};
    velocity->linear = (pbdrVec3){v[0], v[1], v[2]};
    velocity->angular = benchRotate(pose->rotation, (pbdrVec3){v[3], v[4], v[5]});
}

static bool describe(void* simulation, int index, const char** key, const char** value)
{
    return peerGetNote(&((Simulation*)simulation)->notes, index, key, value);
}

// --- Table ---

// MuJoCo's own handler prints, and writes a file into the current folder. step() reads the counters instead.
static void ignoreWarning(const char* text)
{
    (void)text;
}

const pbdrBenchSolver* benchGetMujoco(void)
{
    static pbdrBenchSolver solver = {
        .abi = PBDR_BENCH_ABI,
        .name = "mujoco",
        .presets = PRESETS,
        .capabilities = pbdr_benchUsesJoints,
        .create = create,
        .step = step,
        .read = readMotion,
        .destroy = destroy,
        .describe = describe,
    };
    solver.version = mj_versionString();
    mju_user_warning = ignoreWarning;
    return &solver;
}
