// The equalities of a model: those that connect or weld bodies, and those between the positions of joints.
#include "scenefile/mujoco.h"

#include "base.h"
#include "math/vec.h"

// --- Bodies ---

// Where an object of an equality is: a body, or a site's.
static int getEqualBody(const mjModel* model, int equality, int object)
{
#if mjVERSION_HEADER >= 320
    if (model->eq_objtype[equality] == mjOBJ_SITE) {
        return model->site_bodyid[object];
    }
#else
    (void)equality;
#endif
    return object;
}

static pbdrPose chain(pbdrPose a, pbdrPose b)
{
    const pbdrMat3 turn = pbdrMatFromQuat(a.rotation);
    return (pbdrPose){pbdrAdd(a.position, pbdrMulMV(&turn, b.position)), pbdrMulQQ(a.rotation, b.rotation)};
}

// The frame in which an equality states what it holds, of one of its sides: of a body or site, where it is now.
static pbdrPose getEqualFrame(const pbdrModelReader* reader, int equality, int side)
{
    const mjModel* model = reader->model;
    const int object = side == 0 ? model->eq_obj1id[equality] : model->eq_obj2id[equality];
    const mjtNum* data = model->eq_data + mjNEQDATA * (size_t)equality;
    const pbdrPose body = pbdrGetModelFrame(reader, getEqualBody(model, equality, object));
    const pbdrQuat still = {1.0, 0.0, 0.0, 0.0};
#if mjVERSION_HEADER >= 320
    if (model->eq_objtype[equality] == mjOBJ_SITE) {
        const mjtNum *at = model->site_pos + 3 * (size_t)object, *q = model->site_quat + 4 * (size_t)object;
        return chain(body, (pbdrPose){pbdrGetModelVec(at), pbdrGetModelQuat(q)});
    }
#endif
    if (model->eq_type[equality] == mjEQ_CONNECT) {
        return chain(body, (pbdrPose){pbdrGetModelVec(data + 3 * side), still});
    }
    // weld: an anchor in body 2, and the pose of body 2 in body 1 that is held
    const pbdrPose anchor = {pbdrGetModelVec(data), still};
    return side == 1 ? chain(body, anchor)
                     : chain(chain(body, (pbdrPose){pbdrGetModelVec(data + 3), pbdrGetModelQuat(data + 6)}),
                             anchor);
}

static bool addBond(pbdrModelReader* reader, int equality)
{
    const mjModel* model = reader->model;
    const bool weld = model->eq_type[equality] == mjEQ_WELD;
    const char* name = pbdrNameObject(reader, mjOBJ_EQUALITY, "equality", equality);
    int bodies[2];
    for (int side = 0; side < 2; side++) {
        const int object = side == 0 ? model->eq_obj1id[equality] : model->eq_obj2id[equality];
        bodies[side] = reader->bodies[reader->roots[getEqualBody(model, equality, object)]];
    }
    const pbdrPose a = getEqualFrame(reader, equality, 0), b = getEqualFrame(reader, equality, 1);
    const pbdrMat3 turnA = pbdrMatFromQuat(a.rotation), turnB = pbdrMatFromQuat(b.rotation);
    pbdrVec3 axes[2][2];
    double off = 0.0;
    for (int k = 0; k < 2; k++) {
        axes[0][k] = pbdrVec(turnA.m[0][k], turnA.m[1][k], turnA.m[2][k]);
        axes[1][k] = pbdrVec(turnB.m[0][k], turnB.m[1][k], turnB.m[2][k]);
        off = fmax(off, pbdrLength(pbdrSub(axes[0][k], axes[1][k])));
    }
    const double gap = pbdrLength(pbdrSub(a.position, b.position));
    const bool moves = (bodies[0] >= 0 && reader->scene->bodies[bodies[0]].kind == pbdr_bodyDynamic) ||
                       (bodies[1] >= 0 && reader->scene->bodies[bodies[1]].kind == pbdr_bodyDynamic);
    if (bodies[0] == bodies[1] || !moves || gap > PBDR_JOINT_GAP || (weld && off > PBDR_JOINT_TURN)) {
        return pbdrAddIgnored(
            reader->scene,
            "equality %s: left out, since it starts %g m and %g rad apart, or holds what does "
            "not move apart",
            name, gap, weld ? off : 0.0);
    }
    pbdrSceneJoint* made = pbdrAddSceneJoint(reader->scene);
    if (made == NULL || name == NULL) {
        return false;
    }
    made->name = name;
    made->bodies[0] = bodies[0];
    made->bodies[1] = bodies[1];
    made->def.kind = weld ? pbdr_jointFixed : pbdr_jointBall;
    made->def.touch = true;
    const pbdrSceneFile* scene = reader->scene;
    made->def.frameA = (pbdrJointFrame){pbdrMoveInto(scene, bodies[0], a.position),
                                        pbdrTurnInto(scene, bodies[0], axes[0][0]),
                                        pbdrTurnInto(scene, bodies[0], axes[0][1])};
    made->def.frameB = (pbdrJointFrame){pbdrMoveInto(scene, bodies[1], b.position),
                                        pbdrTurnInto(scene, bodies[1], axes[1][0]),
                                        pbdrTurnInto(scene, bodies[1], axes[1][1])};
    return true;
}

// --- Joints ---

// p(x) = y0 + sum of a_k (x - x0)^k, as a polynomial of x: Horner's rule on coefficients.
static void expand(const mjtNum a[5], double x0, double y0, double p[5])
{
    for (int k = 0; k < 5; k++) {
        p[k] = 0.0;
    }
    for (int k = 4; k >= 0; k--) {
        for (int i = 4; i > 0; i--) {
            p[i] = p[i - 1] - x0 * p[i];
        }
        p[0] = a[k] - x0 * p[0];
    }
    p[0] += y0;
}

static bool isAxis(const mjModel* model, int joint)
{
    return model->jnt_type[joint] == mjJNT_HINGE || model->jnt_type[joint] == mjJNT_SLIDE;
}

// The first joint follows the second; without one it stands still.
static bool addGear(pbdrModelReader* reader, int equality)
{
    const mjModel* model = reader->model;
    const int follower = model->eq_obj1id[equality], leader = model->eq_obj2id[equality];
    const char* name = pbdrNameObject(reader, mjOBJ_EQUALITY, "equality", equality);
    const int place = model->jnt_qposadr[follower];
    const mjtNum* data = model->eq_data + mjNEQDATA * (size_t)equality;
    double p[5] = {model->qpos0[place] + data[0], 0.0, 0.0, 0.0, 0.0}, x = 0.0;
    if (leader >= 0) {
        x = reader->data->qpos[model->jnt_qposadr[leader]];
        expand(data, model->qpos0[model->jnt_qposadr[leader]], model->qpos0[place], p);
    }
    const double wanted = p[0] + x * (p[1] + x * (p[2] + x * (p[3] + x * p[4]))),
                 gap = reader->data->qpos[place] - wanted;
    if (!(fabs(gap) <= PBDR_JOINT_GAP)) {
        return pbdrAddIgnored(reader->scene,
                              "equality %s: left out, since its joint starts %g off where it should be", name,
                              gap);
    }
    const int own = reader->joints[follower];
    if (leader < 0) {
        reader->scene->joints[own].def.lower = reader->scene->joints[own].def.upper = wanted;
        return true;
    }
    pbdrSceneJoint* made = pbdrAddSceneJoint(reader->scene);
    if (made == NULL || name == NULL) {
        return false;
    }
    made->name = name;
    made->def.kind = pbdr_jointGear;
    made->axes[0] = reader->joints[leader];
    made->axes[1] = own;
    for (int k = 0; k < 5; k++) {
        made->def.coefficients[k] = p[k];
    }
    return true;
}

// --- Both ---

bool pbdrIsKnownEquality(const mjModel* model, int equality)
{
    const int type = model->eq_type[equality];
    return type == mjEQ_CONNECT || type == mjEQ_WELD ||
           (type == mjEQ_JOINT && isAxis(model, model->eq_obj1id[equality]) &&
            (model->eq_obj2id[equality] < 0 || isAxis(model, model->eq_obj2id[equality])));
}

bool pbdrReadEqualities(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    bool good = true;
    for (int k = 0; good && k < (int)model->neq && (model->opt.disableflags & mjDSBL_EQUALITY) == 0; k++) {
        if (pbdrIsKnownEquality(model, k) && model->eq_active0[k]) {
            good = model->eq_type[k] == mjEQ_JOINT ? addGear(reader, k) : addBond(reader, k);
        }
    }
    return good;
}
