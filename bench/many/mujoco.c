// MuJoCo on scenes of many bodies, as stiff as it is at the time step: solref 2 dt, solimp .95 .99, impratio 10,
// elliptic cone, Newton, semi-implicit Euler. Boxes are boxes, balls balls, capsules capsules; meshes are their
// convex hulls, which is all that MuJoCo collides of them.
#define _POSIX_C_SOURCE 200809L
#include "many/many.h"

#include "vec.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Simulation {
    const ManyScene* scene;
    mjModel* model;
    mjData* data;
    int* joints; // of each moving body: where its seven coordinates begin, over seven
    double iterations;
} Simulation;

// --- The scene as text ---

static void writeMesh(FILE* file, const ManyShape* shape, int index)
{
    const bool hull = shape->kind == manyMesh;
    const pbdrVec3* points = hull ? shape->hull : shape->vertices;
    fprintf(file, "<mesh name='mesh%d' vertex='", index);
    for (int i = 0; i < (hull ? shape->hullCount : shape->vertexCount); i++) {
        fprintf(file, "%.17g %.17g %.17g ", points[i].x, points[i].y, points[i].z);
    }
    fprintf(file, "'/>\n");
}

static void writeGeom(FILE* file, const ManyShape* shape, int index)
{
    switch (shape->kind) {
    case manyBox:
        fprintf(file, " type='box' size='%.17g %.17g %.17g'/>", shape->half.x, shape->half.y, shape->half.z);
        break;
    case manyBall:
        fprintf(file, " type='sphere' size='%.17g'/>", shape->radius);
        break;
    case manyCapsule:
        fprintf(file, " type='capsule' size='%.17g %.17g'/>", shape->radius, shape->half.z);
        break;
    case manyConvex:
    case manyMesh:
        fprintf(file, " type='mesh' mesh='mesh%d'/>", index);
        break;
    }
}

static void writePose(FILE* file, const pbdrPose* pose)
{
    const pbdrVec3 x = pose->position;
    const pbdrQuat q = pose->rotation;
    fprintf(file, " pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'", x.x, x.y, x.z, q.w, q.x, q.y,
            q.z);
}

static void writeBody(FILE* file, const ManyScene* scene, const ManyBody* body)
{
    const ManyShape* shape = &scene->shapes[body->shape];
    const double(*m)[3] = shape->inertia.m;
    if (body->fixed) {
        fprintf(file, "<geom");
        writePose(file, &body->start);
        writeGeom(file, shape, body->shape);
        return;
    }
    fprintf(file, "<body");
    writePose(file, &body->start);
    fprintf(file, "><freejoint/><inertial pos='0 0 0' mass='%.17g'", shape->mass);
    if (m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0) {
        fprintf(file, " diaginertia='%.17g %.17g %.17g'/>", m[0][0], m[1][1], m[2][2]);
    } else {
        fprintf(file, " fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>", m[0][0], m[1][1], m[2][2],
                m[0][1], m[0][2], m[1][2]);
    }
    fprintf(file, "<geom");
    writeGeom(file, shape, body->shape);
    fprintf(file, "</body>\n");
}

static void writeModel(FILE* file, const ManyScene* scene)
{
    fprintf(
        file,
        "<mujoco><compiler angle='radian'/><size memory='4G'/>\n<option timestep='%.17g' cone='elliptic' "
        "solver='Newton' impratio='10' gravity='0 0 %.17g'/>\n<default><geom condim='3' friction='%.17g 0 0' "
        "solref='%.17g 1' solimp='.95 .99 .001'/></default>\n<asset>\n",
        scene->timeStep, -PBDR_DEFAULT_GRAVITY, scene->friction, 2.0 * scene->timeStep);
    for (int k = 0; k < scene->shapeCount; k++) {
        if (scene->shapes[k].kind == manyConvex || scene->shapes[k].kind == manyMesh) {
            writeMesh(file, &scene->shapes[k], k);
        }
    }
    fprintf(file, "</asset>\n<worldbody>%s\n", scene->ground ? "<geom type='plane' size='0 0 1'/>" : "");
    for (int k = 0; k < scene->bodyCount; k++) {
        writeBody(file, scene, &scene->bodies[k]);
    }
    fprintf(file, "</worldbody></mujoco>\n");
}

// --- Creation ---

static mjModel* compileModel(const ManyScene* scene, char message[MANY_MESSAGE])
{
    static const char name[] = "many.xml";
    char* text = NULL;
    size_t size = 0;
    mjModel* model = NULL;
    mjVFS* vfs = malloc(sizeof *vfs);
    FILE* file = open_memstream(&text, &size);
    if (file != NULL) {
        writeModel(file, scene);
        size = fclose(file) == 0 ? size : 0;
    }
    if (vfs != NULL && size > 0) {
        mj_defaultVFS(vfs);
#if mjVERSION_HEADER >= 313
        if (mj_addBufferVFS(vfs, name, text, (int)size) == 0) {
            model = mj_loadXML(name, vfs, message, MANY_MESSAGE);
        }
#else
        if (mj_makeEmptyFileVFS(vfs, name, (int)size) == 0) {
            memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, size);
            model = mj_loadXML(name, vfs, message, MANY_MESSAGE);
        }
#endif
        mj_deleteVFS(vfs);
    }
    free(text);
    free(vfs);
    return model;
}

static void destroy(void* simulation)
{
    Simulation* s = simulation;
    mj_deleteData(s->data);
    mj_deleteModel(s->model);
    free(s->joints);
    free(s);
}

static void ignoreWarning(const char* text)
{
    (void)text; // MuJoCo's own handler prints and writes a file; what matters is counted
}

static void* create(const ManyScene* scene, char message[MANY_MESSAGE])
{
    if (mj_version() != mjVERSION_HEADER) {
        snprintf(message, MANY_MESSAGE, "built for MuJoCo %d, but the library is %s", mjVERSION_HEADER,
                 mj_versionString());
        return NULL;
    }
    mju_user_warning = ignoreWarning;
    Simulation* s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->scene = scene;
    s->joints = calloc((size_t)scene->bodyCount + 1, sizeof *s->joints);
    s->model = compileModel(scene, message);
    s->data = s->model != NULL && s->joints != NULL ? mj_makeData(s->model) : NULL;
    if (s->data == NULL) {
        destroy(s);
        return NULL;
    }
    for (int k = 0, joint = 0; k < scene->bodyCount; k++) {
        const ManyBody* body = &scene->bodies[k];
        s->joints[k] = joint;
        if (!body->fixed) { // linear velocity in world axes, angular in body axes
            const pbdrVec3 v = body->velocity.linear,
                           w = benchUnrotate(body->start.rotation, body->velocity.angular);
            const double speed[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
            for (int i = 0; i < 6; i++) {
                s->data->qvel[6 * joint + i] = speed[i];
            }
            joint++;
        }
    }
    return s;
}

// --- Run ---

static uint32_t step(void* simulation)
{
    Simulation* s = simulation;
    mj_step(s->model, s->data);
    const mjWarningStat* warning = s->data->warning;
    // After these MuJoCo has put the state back to the start.
    const bool failed =
        warning[mjWARN_BADQPOS].number + warning[mjWARN_BADQVEL].number + warning[mjWARN_BADQACC].number > 0;
    const bool full = warning[mjWARN_CONTACTFULL].number + warning[mjWARN_CNSTRFULL].number > 0;
    if (failed) {
        s->data->qpos[0] = (double)NAN;
    }
    return full ? pbdr_stepPairsFull : 0;
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation* s = simulation;
    const mjtNum *q = s->data->qpos + 7 * s->joints[body], *v = s->data->qvel + 6 * s->joints[body];
    pose->position = (pbdrVec3){q[0], q[1], q[2]};
    pose->rotation = (pbdrQuat){q[3], q[4], q[5], q[6]};
    velocity->linear = (pbdrVec3){v[0], v[1], v[2]};
    velocity->angular = benchRotate(pose->rotation, (pbdrVec3){v[3], v[4], v[5]});
}

// The iterations are those of the islands together, of the first 20, which is what MuJoCo notes.
static void look(void* simulation, ManyStep* step)
{
    const Simulation* s = simulation;
    *step = (ManyStep){0.0, 0.0, 0.0};
    for (int k = 0; k < s->data->ncon; k++) {
        const double depth = -s->data->contact[k].dist;
        step->overlap = fmax(step->overlap, depth);
        step->contacts += depth >= 0.0;
    }
#if mjVERSION_HEADER >= 300
    const int islands = s->data->nisland > 1 ? s->data->nisland : 1; // 0: all in one
    for (int k = 0; k < islands && k < mjNISLAND; k++) {
        step->newtonSteps += s->data->solver_niter[k];
    }
#else
    step->newtonSteps = s->data->solver_iter;
#endif
}

const ManySolver* manyGetMujoco(void)
{
    static ManySolver solver = {"mujoco", "", create, step, readMotion, look, destroy, NULL};
    solver.version = mj_versionString();
    return &solver;
}
