// Scenes with joints for MuJoCo (mujoco_joints.h).
#include "mujoco_joints.h"

#include "peer_scene.h"

// A hinge that closes a loop is two points of its axis that stay together, this far to both sides of its own [m].
#define CLOSING_REACH 0.05

// --- Text ---

void mujocoWriteVec(FILE* file, const char* attribute, pbdrVec3 v)
{
    fprintf(file, " %s='%.17g %.17g %.17g'", attribute, v.x, v.y, v.z);
}

void mujocoWritePose(FILE* file, pbdrPose pose)
{
    pbdrQuat q = pose.rotation;
    mujocoWriteVec(file, "pos", pose.position);
    fprintf(file, " quat='%.17g %.17g %.17g %.17g'", q.w, q.x, q.y, q.z);
}

void mujocoWriteInertia(FILE* file, const pbdrBenchBody* body)
{
    const double(*m)[3] = body->inertia.m;
    fprintf(file, "<inertial pos='0 0 0' mass='%.17g'", body->mass);
    if (m[0][1] == 0.0 && m[0][2] == 0.0 && m[1][2] == 0.0) {
        fprintf(file, " diaginertia='%.17g %.17g %.17g'/>\n", m[0][0], m[1][1], m[2][2]);
    } else {
        fprintf(file, " fullinertia='%.17g %.17g %.17g %.17g %.17g %.17g'/>\n", m[0][0], m[1][1], m[2][2],
                m[0][1], m[0][2], m[1][2]);
    }
}

// --- The tree ---

bool mujocoPlanTree(const pbdrBenchScene* scene, MujocoTree* tree, char message[PBDR_BENCH_MESSAGE])
{
    int reached[PBDR_BENCH_MAX_BODIES + 1] = {-1}, count = 1; // the world, then bodies as they are found
    bool found[PBDR_BENCH_MAX_BODIES] = {false};
    for (int k = 0; k < scene->bodyCount; k++) {
        tree->parents[k] = tree->joints[k] = -1;
    }
    for (int k = 0; k < scene->jointCount; k++) {
        tree->closes[k] = scene->joints[k].kind != pbdr_benchSpringJoint;
    }
    for (int next = 0; next < count; next++) {
        for (int k = 0; k < scene->jointCount; k++) {
            const pbdrBenchJoint* joint = &scene->joints[k];
            for (int side = 0; side < 2; side++) {
                const int body = joint->bodies[1 - side];
                if (tree->closes[k] && joint->bodies[side] == reached[next] && body >= 0 && !found[body]) {
                    tree->parents[body] = reached[next];
                    tree->joints[body] = k;
                    tree->closes[k] = false;
                    found[body] = true;
                    reached[count++] = body;
                }
            }
        }
    }
    for (int k = 0; k < scene->jointCount; k++) {
        if (tree->closes[k] && scene->joints[k].kind == pbdr_benchSlideJoint) {
            snprintf(message, PBDR_BENCH_MESSAGE, "not supported: a loop that is closed by a slide");
            return false;
        }
    }
    return true;
}

static pbdrVec3 toOwnAxis(const pbdrBenchScene* scene, int body, pbdrVec3 axis)
{
    return benchUnrotate(peerGetStart(scene, body).rotation, axis);
}

static void writeSites(FILE* file, const pbdrBenchScene* scene, int body)
{
    for (int k = 0; k < scene->jointCount; k++) {
        const pbdrBenchJoint* joint = &scene->joints[k];
        for (int side = 0; side < 2 && joint->kind == pbdr_benchSpringJoint; side++) {
            if (joint->bodies[side] == body) {
                fprintf(file, "<site name='end%d_%d'", k, side);
                mujocoWriteVec(file, "pos", peerToOwnPoint(scene, body, joint->points[side]));
                fprintf(file, "/>\n");
            }
        }
    }
}

static void writeJoint(FILE* file, const pbdrBenchScene* scene, const MujocoTree* tree, int body)
{
    static const char* const types[] = {"ball", "hinge", "slide"};
    if (tree->joints[body] < 0) {
        fprintf(file, "<freejoint name='joint%d'/>\n", body);
        return;
    }
    const pbdrBenchJoint* joint = &scene->joints[tree->joints[body]];
    fprintf(file, "<joint name='joint%d' type='%s'", body, types[joint->kind]);
    mujocoWriteVec(file, "pos", peerToOwnPoint(scene, body, joint->points[0]));
    if (joint->kind != pbdr_benchBallJoint) {
        mujocoWriteVec(file, "axis", toOwnAxis(scene, body, joint->axis));
    }
    fprintf(file, "/>\n");
}

// The bodies that hang on one, or on the world. Depth is the tree's, a body's count at most.
static void writeChildren(FILE* file, const pbdrBenchScene* scene, const MujocoTree* tree, int parent)
{
    writeSites(file, scene, parent);
    for (int body = 0; body < scene->bodyCount; body++) {
        if (tree->parents[body] != parent) {
            continue;
        }
        const pbdrPose from = peerGetStart(scene, parent), start = scene->bodies[body].start;
        fprintf(file, "<body name='body%d'", body);
        mujocoWritePose(file, (pbdrPose){peerToOwnPoint(scene, parent, start.position),
                                         benchMulQQ(benchConjugate(from.rotation), start.rotation)});
        fprintf(file, ">\n");
        writeJoint(file, scene, tree, body);
        mujocoWriteInertia(file, &scene->bodies[body]);
        writeChildren(file, scene, tree, body);
        fprintf(file, "</body>\n");
    }
}

// --- Loops and springs ---

static void writeConnect(FILE* file, const pbdrBenchScene* scene, const pbdrBenchJoint* joint, pbdrVec3 point,
                         const char* solref, const char* solimp)
{
    const int first = joint->bodies[0] >= 0 ? 0 : 1, other = joint->bodies[1 - first];
    fprintf(file, "<connect body1='body%d'", joint->bodies[first]);
    if (other >= 0) {
        fprintf(file, " body2='body%d'", other);
    }
    mujocoWriteVec(file, "anchor", peerToOwnPoint(scene, joint->bodies[first], point));
    fprintf(file, " solref='%s' solimp='%s'/>\n", solref, solimp);
}

static void writeEqualities(FILE* file, const pbdrBenchScene* scene, const MujocoTree* tree,
                            const char* solref, const char* solimp)
{
    fprintf(file, "<equality>\n");
    for (int k = 0; k < scene->jointCount; k++) {
        const pbdrBenchJoint* joint = &scene->joints[k];
        if (tree->closes[k] && joint->kind == pbdr_benchBallJoint) {
            writeConnect(file, scene, joint, joint->points[0], solref, solimp);
        } else if (tree->closes[k]) {
            for (int side = -1; side <= 1; side += 2) {
                const pbdrVec3 point = benchAddScaled(joint->points[0], side * CLOSING_REACH, joint->axis);
                writeConnect(file, scene, joint, point, solref, solimp);
            }
        }
    }
    fprintf(file, "</equality>\n");
}

static void writeSprings(FILE* file, const pbdrBenchScene* scene)
{
    fprintf(file, "<tendon>\n");
    for (int k = 0; k < scene->jointCount; k++) {
        const pbdrBenchJoint* joint = &scene->joints[k];
        if (joint->kind == pbdr_benchSpringJoint) {
            fprintf(file,
                    "<spatial stiffness='%.17g' damping='%.17g' springlength='%.17g'><site site='end%d_0'/>"
                    "<site site='end%d_1'/></spatial>\n",
                    joint->stiffness, joint->damping, joint->length, k, k);
        }
    }
    fprintf(file, "</tendon>\n");
}

void mujocoWriteTree(FILE* file, const pbdrBenchScene* scene, const MujocoTree* tree, const char* solref,
                     const char* solimp)
{
    fprintf(file, "<worldbody>\n");
    writeChildren(file, scene, tree, -1);
    fprintf(file, "</worldbody>\n");
    writeEqualities(file, scene, tree, solref, solimp);
    writeSprings(file, scene);
}

// --- Motion ---

static pbdrVelocity getVelocity(const pbdrBenchScene* scene, int body)
{
    const pbdrVelocity none = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    return body < 0 ? none : scene->bodies[body].startVelocity;
}

static pbdrVec3 getVelocityAt(const pbdrBenchScene* scene, int body, pbdrVec3 point)
{
    const pbdrVelocity v = getVelocity(scene, body);
    return benchAdd(v.linear, benchCross(v.angular, benchSub(point, peerGetStart(scene, body).position)));
}

// The rates of a body's joint: its motion less its parent's.
static void startJoint(const pbdrBenchScene* scene, const MujocoTree* tree, int body, mjtNum* rates)
{
    const int parent = tree->parents[body];
    const pbdrVec3 turning = benchSub(getVelocity(scene, body).angular, getVelocity(scene, parent).angular);
    const pbdrVec3 own = toOwnAxis(scene, body, turning);
    if (tree->joints[body] < 0) {
        const pbdrVec3 v = getVelocity(scene, body).linear;
        rates[0] = v.x, rates[1] = v.y, rates[2] = v.z;
        rates[3] = own.x, rates[4] = own.y, rates[5] = own.z;
        return;
    }
    const pbdrBenchJoint* joint = &scene->joints[tree->joints[body]];
    const pbdrVec3 point = joint->points[0];
    if (joint->kind == pbdr_benchHingeJoint) {
        rates[0] = benchDot(joint->axis, turning);
    } else if (joint->kind == pbdr_benchSlideJoint) {
        rates[0] = benchDot(joint->axis,
                            benchSub(getVelocityAt(scene, body, point), getVelocityAt(scene, parent, point)));
    } else {
        rates[0] = own.x, rates[1] = own.y, rates[2] = own.z;
    }
}

static int findId(const mjModel* model, int type, const char* what, int body)
{
    char name[24];
    snprintf(name, sizeof name, "%s%d", what, body);
    return mj_name2id(model, type, name);
}

void mujocoStartTree(const pbdrBenchScene* scene, const MujocoTree* tree, const mjModel* model, mjData* data)
{
    for (int body = 0; body < scene->bodyCount; body++) {
        const pbdrVec3 force = scene->bodies[body].force, torque = scene->bodies[body].torque;
        const mjtNum drive[6] = {force.x, force.y, force.z, torque.x, torque.y, torque.z};
        mju_copy(data->xfrc_applied + 6 * findId(model, mjOBJ_BODY, "body", body), drive, 6);
        startJoint(scene, tree, body,
                   data->qvel + model->jnt_dofadr[findId(model, mjOBJ_JOINT, "joint", body)]);
    }
}

void mujocoUpdateTree(const mjModel* model, mjData* data)
{
    mj_kinematics(model, data);
    mj_comPos(model, data);
    mj_comVel(model, data);
}

void mujocoReadLink(const mjModel* model, const mjData* data, int body, pbdrPose* pose,
                    pbdrVelocity* velocity)
{
    const int id = findId(model, mjOBJ_BODY, "body", body);
    const mjtNum *x = data->xpos + 3 * id, *q = data->xquat + 4 * id;
    mjtNum v[6];
    mj_objectVelocity(model, data, mjOBJ_XBODY, id, v, 0);
    pose->position = (pbdrVec3){x[0], x[1], x[2]};
    pose->rotation = (pbdrQuat){q[0], q[1], q[2], q[3]};
    velocity->angular = (pbdrVec3){v[0], v[1], v[2]};
    velocity->linear = (pbdrVec3){v[3], v[4], v[5]};
}
