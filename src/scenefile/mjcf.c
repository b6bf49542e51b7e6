// MJCF and URDF: MuJoCo compiles the file, and its mjModel becomes a scene. A body with joints and all that is welded to
// it is one body; so is a mocap body, which is kinematic; what is welded to the world is static, geom by geom.
#include "scenefile/mujoco.h"
#include "scenefile/solid.h"

#include "base.h"
#include "math/vec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool pbdrCanLoadMjcf(void)
{
    return true;
}

const char* pbdrNameObject(pbdrModelReader* reader, int type, const char* kind, int id)
{
    char made[64];
    const char* name = reader->mujoco.getName(reader->model, type, id);
    if (name == NULL || name[0] == 0) {
        snprintf(made, sizeof made, "%s%d", kind, id);
        name = made;
    }
    return pbdrKeepText(reader->scene, name);
}

// --- Who touches whom ---

// MuJoCo's rule is an or, ours an and: (contype & conaffinity' or contype' & conaffinity) becomes a category for each
// pair of numbers that occurs, and a mask of those that it may touch. Categories beyond 64 share the last.
static int findClass(pbdrModelReader* reader, int geom)
{
    const uint32_t type = (uint32_t)reader->model->geom_contype[geom];
    const uint32_t affinity = (uint32_t)reader->model->geom_conaffinity[geom];
    for (int k = 0; k < reader->classCount; k++) {
        if (reader->classes[k][0] == type && reader->classes[k][1] == affinity) {
            return k;
        }
    }
    if (reader->classCount == 64) {
        return -1;
    }
    reader->classes[reader->classCount][0] = type;
    reader->classes[reader->classCount][1] = affinity;
    return reader->classCount++;
}

static pbdrFilter makeFilter(pbdrModelReader* reader, int geom)
{
    int own = findClass(reader, geom);
    pbdrFilter filter = {(uint64_t)1 << own, 0};
    for (int k = 0; k < reader->classCount; k++) {
        const uint32_t *a = reader->classes[own], *b = reader->classes[k];
        if ((a[0] & b[1]) != 0 || (b[0] & a[1]) != 0) {
            filter.mask |= (uint64_t)1 << k;
        }
    }
    return filter;
}

static pbdrStatus findClasses(pbdrModelReader* reader)
{
    for (int g = 0; g < (int)reader->model->ngeom; g++) {
        if (pbdrIsColliding(reader->model, g) && findClass(reader, g) < 0) {
            return pbdrFailScene(reader->scene->path, 0, reader->error, pbdr_statusNotSupported,
                                 "geom %d: more than 64 pairs of contype and conaffinity", g);
        }
    }
    return pbdr_statusOk;
}

// Friction as the geom's condim lets it: 1 none, 3 sliding, 4 and spinning, 6 and rolling.
static void readFriction(const mjModel* model, int geom, double* sliding, double* spinning, double* rolling)
{
    const mjtNum* friction = model->geom_friction + 3 * (size_t)geom;
    const int dimension = model->geom_condim[geom];
    *sliding = dimension >= 3 ? friction[0] : 0.0;
    *spinning = dimension >= 4 ? friction[1] : 0.0;
    *rolling = dimension >= 6 ? friction[2] : 0.0;
}

// --- Planes and static bodies ---

static pbdrStatus addPlane(pbdrModelReader* reader, int geom)
{
    const mjtNum* axes = reader->data->geom_xmat + 9 * (size_t)geom; // its z is the third column
    const mjtNum* place = reader->data->geom_xpos + 3 * (size_t)geom;
    pbdrScenePlane* plane = pbdrAddScenePlane(reader->scene);
    const char* name = pbdrNameObject(reader, mjOBJ_GEOM, "geom", geom);
    if (plane == NULL || name == NULL) {
        return PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
    }
    plane->name = name;
    plane->normal = pbdrVec(axes[2], axes[5], axes[8]);
    plane->offset = pbdrDot(plane->normal, pbdrVec(place[0], place[1], place[2]));
    plane->filter = makeFilter(reader, geom);
    readFriction(reader->model, geom, &plane->friction, &plane->spinningFriction, &plane->rollingFriction);
    return pbdr_statusOk;
}

static pbdrStatus addStatic(pbdrModelReader* reader, int id)
{
    pbdrStatus status = pbdr_statusOk;
    pbdrSceneGeom geom;
    if (!pbdrReadGeom(reader, id, pbdrGetModelFrame(reader, 0), &geom, &status)) {
        return status;
    }
    pbdrSceneBody* body = pbdrAddSceneBody(reader->scene);
    pbdrSceneGeom* own = body != NULL ? pbdrTakeSceneMemory(reader->scene, 1, sizeof *own) : NULL;
    if (own == NULL) {
        return PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
    }
    *own = geom;
    body->name = geom.name;
    body->kind = pbdr_bodyStatic;
    body->geoms = own;
    body->geomCount = 1;
    // equal geoms share a shape if they differ in where the body is, not in where the geom is
    body->start = geom.pose;
    own->pose = (pbdrPose){.rotation = {1.0, 0.0, 0.0, 0.0}};
    body->filter = makeFilter(reader, id);
    readFriction(reader->model, id, &body->friction, &body->spinningFriction, &body->rollingFriction);
    return status;
}

static pbdrStatus readWorldGeoms(pbdrModelReader* reader)
{
    pbdrStatus status = pbdr_statusOk;
    for (int g = 0; status == pbdr_statusOk && g < (int)reader->model->ngeom; g++) {
        if (reader->roots[reader->model->geom_bodyid[g]] == 0 && pbdrIsColliding(reader->model, g)) {
            status = reader->model->geom_type[g] == mjGEOM_PLANE ? addPlane(reader, g) : addStatic(reader, g);
        }
    }
    return status;
}

// --- Bodies that move ---

// All bodies that move with the root, weighed together in its frame.
static pbdrMassProperties weigh(const pbdrModelReader* reader, int root)
{
    const mjModel* model = reader->model;
    const pbdrPose frame = pbdrGetModelFrame(reader, root);
    const pbdrMat3 axes = pbdrMatFromQuat(frame.rotation);
    pbdrMassProperties sum = {.mass = 0.0};
    for (int b = root; b < (int)model->nbody; b++) {
        if (reader->roots[b] != root) {
            continue;
        }
        const mjtNum *at = model->body_ipos + 3 * (size_t)b, *q = model->body_iquat + 4 * (size_t)b;
        const mjtNum* moments = model->body_inertia + 3 * (size_t)b;
        pbdrPose pose = {{at[0], at[1], at[2]}, {q[0], q[1], q[2], q[3]}};
        if (b != root) {
            const pbdrPose own = pbdrGetModelFrame(reader, b);
            const pbdrMat3 ownAxes = pbdrMatFromQuat(own.rotation);
            const pbdrVec3 world = pbdrAdd(own.position, pbdrMulMV(&ownAxes, pose.position));
            pose.position = pbdrMulTransposedMV(&axes, pbdrSub(world, frame.position));
            pose.rotation = pbdrMulQQ(pbdrConjugate(frame.rotation), pbdrMulQQ(own.rotation, pose.rotation));
        }
        const pbdrMassProperties solid = {
            .mass = model->body_mass[b],
            .inertia = {{{moments[0], 0.0, 0.0}, {0.0, moments[1], 0.0}, {0.0, 0.0, moments[2]}}}};
        pbdrAddSolid(&sum, &solid, &pose);
    }
    return sum;
}

// Geoms of a root: those that collide, or all where none does. Returns how many.
static int readGeoms(pbdrModelReader* reader, int root, bool colliding, pbdrSceneGeom* geoms, int* first,
                     pbdrStatus* status)
{
    const mjModel* model = reader->model;
    const pbdrPose frame = pbdrGetModelFrame(reader, root);
    int count = 0;
    for (int g = 0; *status == pbdr_statusOk && g < (int)model->ngeom; g++) {
        if (reader->roots[model->geom_bodyid[g]] != root || pbdrIsColliding(model, g) != colliding ||
            model->geom_type[g] == mjGEOM_HFIELD || model->geom_type[g] == mjGEOM_PLANE) {
            continue;
        }
        if (pbdrReadGeom(reader, g, frame, &geoms[count], status)) {
            *first = count == 0 ? g : *first;
            count++;
        }
    }
    return count;
}

static int countGeoms(const pbdrModelReader* reader, int root)
{
    int count = 1; // one for bodies without any
    for (int g = 0; g < (int)reader->model->ngeom; g++) {
        count += reader->roots[reader->model->geom_bodyid[g]] == root;
    }
    return count;
}

// In 4.0 actuators may have several outputs or none; those here have one each, or are left out.
int pbdrCountActuators(const mjModel* model)
{
#if mjVERSION_HEADER >= 3014000
    return model->nactuator == model->nu && model->nout == model->nu ? (int)model->nu : 0;
#else
    return model->nu;
#endif
}

bool pbdrIsConstantForce(const pbdrModelReader* reader, int actuator, int* body)
{
    const mjModel* model = reader->model;
    const mjtNum *gain = model->actuator_gainprm + mjNGAIN * (size_t)actuator,
                 *bias = model->actuator_biasprm + mjNBIAS * (size_t)actuator;
    if (actuator >= pbdrCountActuators(model) || model->actuator_trntype[actuator] != mjTRN_JOINTINPARENT ||
        model->actuator_gaintype[actuator] != mjGAIN_FIXED || gain[0] != 0.0 ||
        model->actuator_biastype[actuator] != mjBIAS_AFFINE || bias[1] != 0.0 || bias[2] != 0.0) {
        return false;
    }
    const int joint = model->actuator_trnid[2 * (size_t)actuator];
    *body = model->jnt_bodyid[joint];
    const mjtNum* centre = model->body_ipos + 3 * (size_t)*body;
    const double off = fabs(centre[0]) + fabs(centre[1]) + fabs(centre[2]);
    return model->jnt_type[joint] == mjJNT_FREE && off < 1.0e-9 &&
           model->body_subtreemass[*body] == model->body_mass[*body];
}

static void readForces(const pbdrModelReader* reader, int root, pbdrSceneBody* body)
{
    const mjModel* model = reader->model;
    for (int a = 0; a < pbdrCountActuators(model); a++) {
        int driven;
        if (pbdrIsConstantForce(reader, a, &driven) && driven == root) {
            const double strength = model->actuator_biasprm[mjNBIAS * (size_t)a];
            const mjtNum* gear = model->actuator_gear + 6 * (size_t)a;
            body->force = pbdrAddScaled(body->force, strength, pbdrVec(gear[0], gear[1], gear[2]));
            body->torque = pbdrAddScaled(body->torque, strength, pbdrVec(gear[3], gear[4], gear[5]));
        }
    }
}

static pbdrStatus addMoving(pbdrModelReader* reader, int root)
{
    const mjModel* model = reader->model;
    pbdrSceneFile* scene = reader->scene;
    pbdrStatus status = pbdr_statusOk;
    int first = -1;
    pbdrSceneGeom* geoms = pbdrTakeSceneMemory(scene, (size_t)countGeoms(reader, root), sizeof *geoms);
    const char* name = pbdrNameObject(reader, mjOBJ_BODY, "body", root);
    pbdrSceneBody* body = geoms != NULL && name != NULL ? pbdrAddSceneBody(scene) : NULL;
    if (body == NULL) {
        return PBDR_SCENE_NO_MEMORY(scene, reader->error);
    }
    reader->bodies[root] = scene->bodyCount - 1;
    body->name = name;
    body->kind = model->body_mocapid[root] >= 0 ? pbdr_bodyKinematic : pbdr_bodyDynamic;
    body->start = pbdrGetModelFrame(reader, root);
    body->solid = weigh(reader, root);
    body->geoms = geoms;
    body->geomCount = readGeoms(reader, root, true, geoms, &first, &status);
    body->untouchable = body->geomCount == 0;
    if (body->untouchable) {
        body->geomCount = readGeoms(reader, root, false, geoms, &first, &status);
    }
    if (status == pbdr_statusOk && body->geomCount == 0) { // a mass without a shape
        double moments =
            body->solid.inertia.m[0][0] + body->solid.inertia.m[1][1] + body->solid.inertia.m[2][2];
        double radius = body->solid.mass > 0.0 ? sqrt(fmax(0.0, moments / (1.2 * body->solid.mass))) : 0.0;
        geoms[0] = (pbdrSceneGeom){.name = name,
                                   .kind = pbdr_geomBall,
                                   .radius = radius > 0.0 ? radius : 1.0e-2,
                                   .pose = {body->solid.centre, {1.0, 0.0, 0.0, 0.0}}};
        body->geomCount = 1;
    }
    if (status == pbdr_statusOk && first >= 0) {
        readFriction(model, first, &body->friction, &body->spinningFriction, &body->rollingFriction);
    }
    if (status == pbdr_statusOk && !body->untouchable) {
        body->filter = makeFilter(reader, first);
    }
    if (status == pbdr_statusOk && body->kind == pbdr_bodyDynamic) {
        readForces(reader, root, body);
    }
    return status;
}

// --- The whole ---

static void findRoots(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    for (int b = 1; b < (int)model->nbody; b++) { // parents stand before their children
        const bool own = model->body_jntnum[b] > 0 || model->body_mocapid[b] >= 0;
        reader->roots[b] = own ? b : reader->roots[model->body_parentid[b]];
        reader->bodies[b] = -1;
    }
}

static pbdrStatus readModel(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    pbdrSceneFile* scene = reader->scene;
    reader->roots = pbdrTakeSceneMemory(scene, (size_t)model->nbody, sizeof *reader->roots);
    reader->bodies = pbdrTakeSceneMemory(scene, (size_t)model->nbody, sizeof *reader->bodies);
    reader->motions = pbdrTakeSceneMemory(scene, (size_t)model->nbody, sizeof *reader->motions);
    reader->joints = pbdrTakeSceneMemory(scene, (size_t)model->njnt + 1, sizeof *reader->joints);
    reader->meshes = pbdrTakeSceneMemory(scene, (size_t)model->nmesh + 1, sizeof *reader->meshes);
    if (reader->roots == NULL || reader->bodies == NULL || reader->motions == NULL ||
        reader->joints == NULL || reader->meshes == NULL) {
        return PBDR_SCENE_NO_MEMORY(scene, reader->error);
    }
    for (int k = 0; k < (int)model->nmesh; k++) {
        reader->meshes[k] = -1;
    }
    bool weightless = (model->opt.disableflags & mjDSBL_GRAVITY) != 0;
    const mjtNum* g = model->opt.gravity;
    scene->gravity = weightless ? pbdrVec(0.0, 0.0, 0.0) : pbdrVec(g[0], g[1], g[2]);
    scene->timeStep = model->opt.timestep;
    scene->mixing = pbdr_mixMaximum;                 // as MuJoCo does where priorities are equal
    scene->name = pbdrKeepText(scene, model->names); // the model's own name is the first
    if (scene->name == NULL) {
        return PBDR_SCENE_NO_MEMORY(scene, reader->error);
    }
    reader->bodies[0] = -1;
    findRoots(reader);
    pbdrStatus status = findClasses(reader);
    if (status == pbdr_statusOk) {
        status = readWorldGeoms(reader);
    }
    for (int b = 1; status == pbdr_statusOk && b < (int)model->nbody; b++) {
        if (reader->roots[b] == b) {
            status = addMoving(reader, b);
        }
    }
    if (status == pbdr_statusOk) {
        status = pbdrReadJoints(reader);
    }
    for (int i = 0; (model->opt.disableflags & mjDSBL_CONTACT) != 0 && i < scene->bodyCount; i++) {
        scene->bodies[i].untouchable = true;
    }
    if (status == pbdr_statusOk) {
        status = pbdrReadCustom(reader);
    }
    if (status == pbdr_statusOk && !pbdrListIgnored(reader)) {
        status = PBDR_SCENE_NO_MEMORY(scene, reader->error);
    }
    return status;
}

static bool isTaken(const pbdrSceneFile* scene, int index)
{
    for (int k = 0; k < scene->bodyCount; k++) {
        if (k != index && strcmp(scene->bodies[k].name, scene->bodies[index].name) == 0) {
            return true;
        }
    }
    return false;
}

// Geoms and bodies may have the same name, and what has none may get one that is there already: static geoms get a
// prefix then, and whatever is left a number.
static pbdrStatus nameApart(pbdrModelReader* reader)
{
    pbdrSceneFile* scene = reader->scene;
    for (int i = 0; i < scene->bodyCount; i++) {
        const bool isStatic = scene->bodies[i].kind == pbdr_bodyStatic;
        for (int round = isStatic ? 0 : 1; round < 2 && isTaken(scene, i); round++) {
            char name[256];
            snprintf(name, sizeof name, round == 0 ? "world/%.200s" : "%.200s#%d", scene->bodies[i].name, i);
            scene->bodies[i].name = pbdrKeepText(scene, name);
            if (scene->bodies[i].name == NULL) {
                return PBDR_SCENE_NO_MEMORY(scene, reader->error);
            }
        }
    }
    return pbdr_statusOk;
}

// MuJoCo's own handler prints, and writes a file into the current folder.
static void ignoreWarning(const char* text)
{
    (void)text;
}

static pbdrStatus compile(pbdrModelReader* reader)
{
    char message[1024] = "";
    pbdrStatus status = pbdr_statusOk;
    reader->model = reader->mujoco.loadXml(reader->scene->path, NULL, message, (int)sizeof message);
    if (reader->model == NULL) {
        return pbdrFailScene(reader->scene->path, 0, reader->error, pbdr_statusFileFormat, "MuJoCo %s: %s",
                             reader->mujoco.versionString(), message);
    }
    reader->data = reader->mujoco.makeData(reader->model);
    if (reader->data == NULL) {
        return PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
    }
    int key = pbdrFindKeyframe(reader, &status);
    if (key >= 0) {
        reader->mujoco.resetToKeyframe(reader->model, reader->data, key);
    }
    reader->mujoco.findPoses(reader->model, reader->data);
    return status;
}

pbdrStatus pbdrReadMjcfScene(pbdrSceneFile* scene, pbdrError* error)
{
    pbdrModelReader reader = {.scene = scene, .error = error};
    FILE* file = fopen(scene->path, "rb"); // MuJoCo says less about a file that is not there
    if (file == NULL) {
        return pbdrFailScene(scene->path, 0, error, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    fclose(file);
    pbdrStatus status = pbdrOpenMujoco(scene, &reader.mujoco, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    void (*before)(const char*) = *reader.mujoco.userWarning;
    *reader.mujoco.userWarning = ignoreWarning;
    status = compile(&reader);
    if (status == pbdr_statusOk) {
        status = readModel(&reader);
    }
    if (status == pbdr_statusOk) {
        status = nameApart(&reader);
    }
    reader.mujoco.deleteData(reader.data);
    reader.mujoco.deleteModel(reader.model);
    *reader.mujoco.userWarning = before;
    return status;
}
