// The joints of a model: hinges, slides and ball joints, exclusions, actuators.
//
//   parent --joint 0--> carrier 0 --joint 1--> ... --last joint--> body
//
// MuJoCo lets a body have several joints in a row. Ours are between two bodies, so that all but the last lead to a
// carrier, a body that weighs next to nothing and touches nothing.
#include "scenefile/mujoco.h"

#include "base.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

// Of the mass and inertia of the body that it carries.
#define CARRIER_SHARE 1.0e-9
// A start that is beyond a joint's range by more than this moves the bound there [m, rad].
#define BOUND_SLACK 1.0e-9

#if mjVERSION_HEADER >= 3014000
#define NO_SPRINGS mjDSBL_SPRING
#define NO_DAMPERS mjDSBL_DAMPER
#else
#define NO_SPRINGS mjDSBL_PASSIVE
#define NO_DAMPERS mjDSBL_PASSIVE
#endif

pbdrPose pbdrGetModelFrame(const pbdrModelReader* reader, int body)
{
    return (pbdrPose){pbdrGetModelVec(reader->data->xpos + 3 * (size_t)body),
                      pbdrGetModelQuat(reader->data->xquat + 4 * (size_t)body)};
}

// --- Velocities ---

// What a joint adds to the motion of what it carries: its turning, and the velocity of what is at the world's origin.
static void addJointMotion(const pbdrModelReader* reader, int joint, pbdrVelocity* motion)
{
    const mjModel* model = reader->model;
    const mjtNum* rates = reader->data->qvel + model->jnt_dofadr[joint];
    const int body = model->jnt_bodyid[joint];
    const pbdrVec3 axis = pbdrGetModelVec(reader->data->xaxis + 3 * (size_t)joint);
    pbdrVec3 anchor = pbdrGetModelVec(reader->data->xanchor + 3 * (size_t)joint), turning = {0.0, 0.0, 0.0};
    const pbdrPose frame = pbdrGetModelFrame(reader, body);
    const pbdrMat3 turn = pbdrMatFromQuat(frame.rotation);
    switch (model->jnt_type[joint]) {
    case mjJNT_FREE:
        turning = pbdrMulMV(&turn, pbdrGetModelVec(rates + 3)); // in body axes; the rest in world axes
        anchor = frame.position;
        motion->linear = pbdrAdd(motion->linear, pbdrGetModelVec(rates));
        break;
    case mjJNT_BALL:
        turning = pbdrMulMV(&turn, pbdrGetModelVec(rates));
        break;
    case mjJNT_SLIDE:
        motion->linear = pbdrAddScaled(motion->linear, rates[0], axis);
        break;
    default:
        turning = pbdrScale(rates[0], axis);
        break;
    }
    motion->angular = pbdrAdd(motion->angular, turning);
    motion->linear = pbdrSub(motion->linear, pbdrCross(turning, anchor));
}

// The motion of a scene body that starts at a frame with a centre of mass in it.
static pbdrVelocity getVelocityAt(const pbdrVelocity* motion, const pbdrSceneBody* body)
{
    const pbdrMat3 turn = pbdrMatFromQuat(body->start.rotation);
    const pbdrVec3 centre = pbdrAdd(body->start.position, pbdrMulMV(&turn, body->solid.centre));
    return (pbdrVelocity){pbdrAdd(motion->linear, pbdrCross(motion->angular, centre)), motion->angular};
}

// --- Carriers ---

// The number of the new body; -1 without memory.
static int addCarrier(pbdrModelReader* reader, int child, const char* name, pbdrVec3 place)
{
    pbdrSceneFile* scene = reader->scene;
    pbdrSceneBody* body = pbdrAddSceneBody(scene);
    pbdrSceneGeom* geom = body != NULL ? pbdrTakeSceneMemory(scene, 1, sizeof *geom) : NULL;
    char own[300];
    snprintf(own, sizeof own, "%.200s (carrier)", name);
    const char* kept = geom != NULL ? pbdrKeepText(scene, own) : NULL;
    if (kept == NULL) {
        return -1;
    }
    const pbdrMassProperties* carried = &scene->bodies[child].solid;
    const double moments = carried->inertia.m[0][0] + carried->inertia.m[1][1] + carried->inertia.m[2][2];
    const double inertia = CARRIER_SHARE * moments / 3.0;
    *geom = (pbdrSceneGeom){.name = "",
                            .kind = pbdr_geomBall,
                            .radius = sqrt(2.5 * inertia / (CARRIER_SHARE * carried->mass)),
                            .pose = {.rotation = {1.0, 0.0, 0.0, 0.0}},
                            .sphereCount = 1};
    body->name = kept;
    body->kind = pbdr_bodyDynamic;
    body->start = (pbdrPose){place, {1.0, 0.0, 0.0, 0.0}};
    body->solid.mass = CARRIER_SHARE * carried->mass;
    body->solid.inertia = (pbdrMat3){{{inertia, 0.0, 0.0}, {0.0, inertia, 0.0}, {0.0, 0.0, inertia}}};
    body->geoms = geom;
    body->geomCount = 1;
    body->untouchable = true;
    return scene->bodyCount - 1;
}

// --- Joints ---

pbdrVec3 pbdrTurnInto(const pbdrSceneFile* scene, int body, pbdrVec3 direction)
{
    if (body < 0) {
        return direction;
    }
    const pbdrMat3 turn = pbdrMatFromQuat(scene->bodies[body].start.rotation);
    return pbdrMulTransposedMV(&turn, direction);
}

pbdrVec3 pbdrMoveInto(const pbdrSceneFile* scene, int body, pbdrVec3 place)
{
    return body < 0 ? place : pbdrTurnInto(scene, body, pbdrSub(place, scene->bodies[body].start.position));
}

static pbdrVec3 getPerpendicular(pbdrVec3 axis)
{
    const pbdrVec3 other = fabs(axis.x) < 0.6 ? pbdrVec(1.0, 0.0, 0.0) : pbdrVec(0.0, 1.0, 0.0);
    const pbdrVec3 across = pbdrCross(axis, other);
    return pbdrScale(1.0 / pbdrLength(across), across);
}

// The range of a joint that starts at a position; a ball's is that of its angle.
static bool readRange(pbdrModelReader* reader, int joint, double position, pbdrJointDef* def)
{
    const mjModel* model = reader->model;
    const bool ball = model->jnt_type[joint] == mjJNT_BALL;
    const mjtNum* range = model->jnt_range + 2 * (size_t)joint;
    if (!model->jnt_limited[joint] || (model->opt.disableflags & mjDSBL_LIMIT) != 0) {
        return true;
    }
    def->upper = fmax(ball ? fmax(range[0], range[1]) : range[1], position);
    def->lower = ball ? def->lower : fmin(range[0], position);
    if (position > range[1] + BOUND_SLACK || (!ball && position < range[0] - BOUND_SLACK)) {
        return pbdrAddIgnored(reader->scene, "joint %s: it starts at %g, beyond its range, which ends there",
                              pbdrNameObject(reader, mjOBJ_JOINT, "joint", joint), position);
    }
    return true;
}

// By which a quaternion turns, at most pi [rad].
static double getAngle(const mjtNum* quat)
{
    return 2.0 * atan2(sqrt(quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]), fabs(quat[0]));
}

// Damping and armature of actuators on an axis, which act whatever the actuators do.
static void addRotors(const mjModel* model, int joint, pbdrJointDef* def)
{
#if mjVERSION_HEADER >= 3014000
    const bool damped = (model->opt.disableflags & NO_DAMPERS) == 0;
    for (int a = 0; a < pbdrCountActuators(model); a++) {
        const double gear = model->actuator_gear[6 * (size_t)a];
        if (pbdrIsOnAxis(model, a) && model->actuator_trnid[2 * (size_t)a] == joint) {
            def->damping += damped ? gear * gear * model->actuator_damping[a] : 0.0;
            def->armature += gear * gear * model->actuator_armature[a];
        }
    }
#else // before, actuators had none
    (void)model;
    (void)joint;
    (void)def;
#endif
}

// Springs, dampers and so on, and where a joint is at the start.
static bool readAxis(pbdrModelReader* reader, int joint, pbdrJointDef* def)
{
    const mjModel* model = reader->model;
    const int dof = model->jnt_dofadr[joint], place = model->jnt_qposadr[joint];
    const bool ball = model->jnt_type[joint] == mjJNT_BALL;
    const double position = ball ? getAngle(reader->data->qpos + place) : reader->data->qpos[place];
    const int off = model->opt.disableflags;
    def->stiffness = (off & NO_SPRINGS) == 0 ? model->jnt_stiffness[joint] : 0.0;
    def->reference = ball ? 0.0 : model->qpos_spring[place];
    def->damping = (off & NO_DAMPERS) == 0 ? model->dof_damping[dof] : 0.0;
    def->friction = (off & mjDSBL_FRICTIONLOSS) == 0 ? model->dof_frictionloss[dof] : 0.0;
    def->armature = model->dof_armature[dof];
    addRotors(model, joint, def);
#if mjVERSION_HEADER >= 300
    if (!ball && model->jnt_actfrclimited[joint]) { // of all actuators together
        def->minMotorForce = model->jnt_actfrcrange[2 * (size_t)joint];
        def->maxMotorForce = model->jnt_actfrcrange[2 * (size_t)joint + 1];
    }
#endif
    return readRange(reader, joint, position, def);
}

// Frames of what a ball joint ties, as quaternions of the world: B's axes are those of the body before the joints that follow
// turn it, A's are where B's would be without a turn.
static void findBallFrames(const pbdrModelReader* reader, int joint, pbdrQuat frames[2])
{
    const mjModel* model = reader->model;
    const int body = model->jnt_bodyid[joint];
    pbdrQuat after = pbdrGetModelFrame(reader, body).rotation;
    for (int k = model->body_jntadr[body] + model->body_jntnum[body] - 1; k > joint; k--) {
        const mjtNum* place = reader->data->qpos + model->jnt_qposadr[k];
        const pbdrVec3 axis = pbdrGetModelVec(model->jnt_axis + 3 * (size_t)k);
        if (model->jnt_type[k] == mjJNT_BALL) {
            after = pbdrMulQQ(after, pbdrConjugate(pbdrGetModelQuat(place)));
        } else if (model->jnt_type[k] == mjJNT_HINGE) {
            const double angle = place[0] - model->qpos0[model->jnt_qposadr[k]];
            const pbdrVec3 back = pbdrScale(-sin(0.5 * angle), axis);
            after = pbdrMulQQ(after, (pbdrQuat){cos(0.5 * angle), back.x, back.y, back.z});
        }
    }
    frames[1] = after;
    frames[0] =
        pbdrMulQQ(after, pbdrConjugate(pbdrGetModelQuat(reader->data->qpos + model->jnt_qposadr[joint])));
}

// A joint of the model between two bodies of the scene. The frames are such that its position is MuJoCo's.
static bool addJoint(pbdrModelReader* reader, int joint, int a, int b)
{
    const mjModel* model = reader->model;
    pbdrSceneFile* scene = reader->scene;
    const int type = model->jnt_type[joint];
    const pbdrVec3 axis = pbdrGetModelVec(reader->data->xaxis + 3 * (size_t)joint);
    const pbdrVec3 anchor = pbdrGetModelVec(reader->data->xanchor + 3 * (size_t)joint);
    const double position = reader->data->qpos[model->jnt_qposadr[joint]];
    const double moved = position - model->qpos0[model->jnt_qposadr[joint]];
    const char* name = pbdrNameObject(reader, mjOBJ_JOINT, "joint", joint);
    pbdrSceneJoint* made = pbdrAddSceneJoint(scene);
    if (made == NULL || name == NULL) {
        return false;
    }
    reader->joints[joint] = scene->jointCount - 1;
    made->name = name;
    made->bodies[0] = a;
    made->bodies[1] = b;
    pbdrJointDef* def = &made->def;
    def->kind = type == mjJNT_BALL ? pbdr_jointBall : type == mjJNT_SLIDE ? pbdr_jointSlide : pbdr_jointHinge;
    def->touch = (model->opt.disableflags & mjDSBL_FILTERPARENT) != 0;
    pbdrVec3 here = anchor, there = anchor, side = getPerpendicular(axis), turned = side;
    pbdrVec3 axes[2] = {axis, axis};
    if (type == mjJNT_SLIDE) {
        there = pbdrAddScaled(anchor, moved, axis);   // where it has come to
        here = pbdrAddScaled(there, -position, axis); // from here positions count
    } else if (type == mjJNT_HINGE) {
        side = pbdrAddScaled(pbdrScale(cos(position), turned), -sin(position), pbdrCross(axis, turned));
    } else {
        pbdrQuat frames[2];
        findBallFrames(reader, joint, frames);
        const pbdrMat3 a0 = pbdrMatFromQuat(frames[0]), b0 = pbdrMatFromQuat(frames[1]);
        const pbdrVec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
        axes[0] = pbdrMulMV(&a0, z);
        axes[1] = pbdrMulMV(&b0, z);
        side = pbdrMulMV(&a0, x);
        turned = pbdrMulMV(&b0, x);
    }
    def->frameA = (pbdrJointFrame){pbdrMoveInto(scene, a, here), pbdrTurnInto(scene, a, axes[0]),
                                   pbdrTurnInto(scene, a, side)};
    def->frameB = (pbdrJointFrame){pbdrMoveInto(scene, b, there), pbdrTurnInto(scene, b, axes[1]),
                                   pbdrTurnInto(scene, b, turned)};
    return readAxis(reader, joint, def);
}

static bool addExclusion(pbdrModelReader* reader, int a, int b)
{
    if (a < 0 || b < 0 || a == b ||
        (reader->scene->bodies[a].kind != pbdr_bodyDynamic &&
         reader->scene->bodies[b].kind != pbdr_bodyDynamic)) {
        return true;
    }
    pbdrSceneJoint* made = pbdrAddSceneJoint(reader->scene);
    if (made == NULL) {
        return false;
    }
    made->bodies[0] = a;
    made->bodies[1] = b;
    made->def.kind = pbdr_jointExclusion;
    return true;
}

// The joints of a body, and the carriers between them.
static bool addJoints(pbdrModelReader* reader, int root)
{
    const mjModel* model = reader->model;
    pbdrSceneFile* scene = reader->scene;
    const int parent = reader->roots[model->body_parentid[root]], first = model->body_jntadr[root],
              count = model->body_jntnum[root];
    const int from = reader->bodies[parent], to = reader->bodies[root];
    pbdrVelocity motion = reader->motions[parent];
    int last = from;
    for (int k = 0; k < count; k++) {
        const int joint = first + k;
        addJointMotion(reader, joint, &motion);
        if (model->jnt_type[joint] == mjJNT_FREE) {
            continue;
        }
        int next = to;
        if (k + 1 < count) {
            const char* name = pbdrNameObject(reader, mjOBJ_JOINT, "joint", joint);
            next = name != NULL ? addCarrier(reader, to, name,
                                             pbdrGetModelVec(reader->data->xanchor + 3 * (size_t)joint))
                                : -1;
            if (next < 0) {
                return false;
            }
            scene->bodies[next].velocity = getVelocityAt(&motion, &scene->bodies[next]);
        }
        if (!addJoint(reader, joint, last, next)) {
            return false;
        }
        last = next;
    }
    reader->motions[root] = motion;
    if (scene->bodies[to].kind == pbdr_bodyDynamic) {
        scene->bodies[to].velocity = getVelocityAt(&motion, &scene->bodies[to]);
    }
    const bool apart = count > 1 && from >= 0 && (model->opt.disableflags & mjDSBL_FILTERPARENT) == 0;
    return !apart || addExclusion(reader, from, to);
}

// --- Actuators ---

bool pbdrIsOnAxis(const mjModel* model, int actuator)
{
    const int transmission = model->actuator_trntype[actuator],
              joint = model->actuator_trnid[2 * (size_t)actuator];
    return actuator < pbdrCountActuators(model) &&
           (transmission == mjTRN_JOINT || transmission == mjTRN_JOINTINPARENT) &&
           (model->jnt_type[joint] == mjJNT_HINGE || model->jnt_type[joint] == mjJNT_SLIDE);
}

bool pbdrIsAffine(const pbdrModelReader* reader, int actuator)
{
    const mjModel* model = reader->model;
    const int biasType = model->actuator_biastype[actuator], gainType = model->actuator_gaintype[actuator];
    return pbdrIsOnAxis(model, actuator) && (gainType == mjGAIN_FIXED || gainType == mjGAIN_AFFINE) &&
           model->actuator_dyntype[actuator] == mjDYN_NONE &&
           (biasType == mjBIAS_NONE || biasType == mjBIAS_AFFINE);
}

// Whether the option actuatorgroupdisable switches it off.
static bool isOff(const mjModel* model, int actuator)
{
#if mjVERSION_HEADER >= 3014000
    const int group = model->actuator_group[actuator];
    return group >= 0 && group < 31 && (model->opt.disableactuator & (1 << group)) != 0;
#else
    (void)model;
    (void)actuator;
    return false;
#endif
}

static bool addActuator(pbdrModelReader* reader, int actuator)
{
    const mjModel* model = reader->model;
    const mjtNum *bias = model->actuator_biasprm + mjNBIAS * (size_t)actuator,
                 *gain = model->actuator_gainprm + mjNGAIN * (size_t)actuator;
    const char* name = pbdrNameObject(reader, mjOBJ_ACTUATOR, "actuator", actuator);
    pbdrSceneActuator* made = pbdrAddSceneActuator(reader->scene);
    if (made == NULL || name == NULL) {
        return false;
    }
    made->name = name;
    made->joint = reader->joints[model->actuator_trnid[2 * (size_t)actuator]];
    made->gear = model->actuator_gear[6 * (size_t)actuator];
    made->gain = gain[0];
    if (model->actuator_gaintype[actuator] == mjGAIN_AFFINE) {
        memcpy(made->gainSlopes, (const double[2]){gain[1], gain[2]}, sizeof made->gainSlopes);
    }
    if (model->actuator_biastype[actuator] == mjBIAS_AFFINE) {
        memcpy(made->bias, (const double[3]){bias[0], bias[1], bias[2]}, sizeof made->bias);
    }
    if (model->actuator_ctrllimited[actuator] && (model->opt.disableflags & mjDSBL_CLAMPCTRL) == 0) {
        made->lower = model->actuator_ctrlrange[2 * (size_t)actuator];
        made->upper = model->actuator_ctrlrange[2 * (size_t)actuator + 1];
    }
    made->control = reader->data->ctrl[actuator];
    if (model->actuator_forcelimited[actuator]) {
        const mjtNum* range = model->actuator_forcerange + 2 * (size_t)actuator;
        made->minForce = range[0];
        made->maxForce = range[1];
    }
    return true;
}

// --- The whole ---

pbdrStatus pbdrReadJoints(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    bool good = true;
    for (int b = 1; good && b < (int)model->nbody; b++) {
        if (reader->roots[b] == b) {
            good = addJoints(reader, b);
        }
    }
    good = good && pbdrReadEqualities(reader);
    for (int k = 0; good && k < (int)model->nexclude; k++) {
        const int a = model->exclude_signature[k] >> 16, b = model->exclude_signature[k] & 0xffff;
        good = addExclusion(reader, reader->bodies[reader->roots[a]], reader->bodies[reader->roots[b]]);
    }
    const bool driven = (model->opt.disableflags & mjDSBL_ACTUATION) == 0;
    for (int a = 0; good && driven && a < pbdrCountActuators(model); a++) {
        if (pbdrIsAffine(reader, a) && !isOff(model, a)) {
            good = addActuator(reader, a);
        }
    }
    good = good && pbdrReadSensors(reader);
    return good ? pbdr_statusOk : PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
}
