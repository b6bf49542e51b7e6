// The sensors of a model: those of joints, and of sites on bodies that move.
#include "scenefile/mujoco.h"

#include "base.h"
#include "math/vec.h"

// --- Kinds ---

static bool findKind(int type, pbdrSensorKind* kind)
{
    static const struct {
        int type;
        pbdrSensorKind kind;
    } kinds[] = {
        {mjSENS_TOUCH, pbdr_sensorTouch},
        {mjSENS_ACCELEROMETER, pbdr_sensorAccelerometer},
        {mjSENS_VELOCIMETER, pbdr_sensorVelocimeter},
        {mjSENS_GYRO, pbdr_sensorGyro},
        {mjSENS_FORCE, pbdr_sensorForce},
        {mjSENS_TORQUE, pbdr_sensorTorque},
        {mjSENS_JOINTPOS, pbdr_sensorJointPosition},
        {mjSENS_JOINTVEL, pbdr_sensorJointVelocity},
        {mjSENS_FRAMEPOS, pbdr_sensorPosition},
        {mjSENS_FRAMEQUAT, pbdr_sensorRotation},
        {mjSENS_FRAMELINVEL, pbdr_sensorLinearVelocity},
        {mjSENS_FRAMEANGVEL, pbdr_sensorAngularVelocity},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        if (kinds[k].type == type) {
            *kind = kinds[k].kind;
            return true;
        }
    }
    return false;
}

static bool isOfJoint(pbdrSensorKind kind)
{
    return kind == pbdr_sensorJointPosition || kind == pbdr_sensorJointVelocity;
}

// --- Sites ---

// The model's body that an object is on, and its frame in world axes. False for objects of other types.
static bool findObject(const pbdrModelReader* reader, int type, int id, int* body, pbdrPose* pose)
{
    const mjModel* model = reader->model;
    const mjData* data = reader->data;
    const mjtNum *place, *turn;
    if (type == mjOBJ_SITE) {
        *body = model->site_bodyid[id];
        place = data->site_xpos + 3 * (size_t)id;
        turn = model->site_quat + 4 * (size_t)id;
    } else if (type == mjOBJ_GEOM) {
        *body = model->geom_bodyid[id];
        place = data->geom_xpos + 3 * (size_t)id;
        turn = model->geom_quat + 4 * (size_t)id;
    } else if (type == mjOBJ_XBODY) {
        *body = id;
        *pose = pbdrGetModelFrame(reader, id);
        return true;
    } else if (type == mjOBJ_BODY) {
        *body = id;
        place = data->xipos + 3 * (size_t)id;
        turn = model->body_iquat + 4 * (size_t)id;
    } else {
        return false;
    }
    const pbdrQuat own = pbdrGetModelQuat(turn);
    *pose = (pbdrPose){pbdrGetModelVec(place), pbdrMulQQ(pbdrGetModelFrame(reader, *body).rotation, own)};
    return true;
}

// The joint by which a body hangs on its parent, the last of several; -1: it has none, or flies.
static int findLastJoint(const pbdrModelReader* reader, int body)
{
    const mjModel* model = reader->model;
    const int last = model->body_jntadr[body] + model->body_jntnum[body] - 1;
    return model->body_jntnum[body] > 0 && model->jnt_type[last] != mjJNT_FREE ? reader->joints[last] : -1;
}

static void setZone(const mjModel* model, int site, pbdrSensorDef* def)
{
    const mjtNum* size = model->site_size + 3 * (size_t)site;
    const int type = model->site_type[site];
    def->zone = pbdrGetModelVec(size);
    switch (type) {
    case mjGEOM_BOX:
        def->zoneKind = pbdr_zoneBox;
        break;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
        def->zoneKind = type == mjGEOM_CAPSULE ? pbdr_zoneCapsule : pbdr_zoneCylinder;
        def->zone = pbdrVec(size[0], size[0], size[1]);
        break;
    case mjGEOM_SPHERE:
        def->zone = pbdrVec(size[0], size[0], size[0]);
        def->zoneKind = pbdr_zoneEllipsoid;
        break;
    default:
        def->zoneKind = pbdr_zoneEllipsoid;
        break;
    }
}

// --- Reading ---

bool pbdrIsKnownSensor(const pbdrModelReader* reader, int sensor)
{
    const mjModel* model = reader->model;
    const int type = model->sensor_objtype[sensor], id = model->sensor_objid[sensor];
    pbdrSensorKind kind;
    int body;
    pbdrPose pose;
    if (!findKind(model->sensor_type[sensor], &kind) || model->sensor_cutoff[sensor] > 0.0) {
        return false;
    }
#if mjVERSION_HEADER >= 3014000
    if (model->sensor_delay[sensor] != 0.0 || model->sensor_interval[2 * (size_t)sensor] != 0.0) {
        return false;
    }
#endif
    if (isOfJoint(kind)) {
        return model->jnt_type[id] == mjJNT_HINGE || model->jnt_type[id] == mjJNT_SLIDE;
    }
    if (!findObject(reader, type, id, &body, &pose) || reader->bodies[reader->roots[body]] < 0 ||
        model->sensor_refid[sensor] >= 0) {
        return false;
    }
    const bool wrench = kind == pbdr_sensorForce || kind == pbdr_sensorTorque;
    return !wrench || (reader->roots[body] == body && findLastJoint(reader, body) >= 0);
}

bool pbdrReadSensors(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    for (int k = 0; k < (int)model->nsensor; k++) {
        if (!pbdrIsKnownSensor(reader, k)) {
            continue;
        }
        const char* name = pbdrNameObject(reader, mjOBJ_SENSOR, "sensor", k);
        pbdrSceneSensor* made = pbdrAddSceneSensor(reader->scene);
        if (made == NULL || name == NULL) {
            return false;
        }
        const int type = model->sensor_objtype[k], id = model->sensor_objid[k];
        made->name = name;
        findKind(model->sensor_type[k], &made->def.kind);
        if (isOfJoint(made->def.kind)) {
            made->joint = reader->joints[id];
            continue;
        }
        int body = 0;
        pbdrPose pose;
        findObject(reader, type, id, &body, &pose);
        made->body = reader->bodies[reader->roots[body]];
        const pbdrQuat start = reader->scene->bodies[made->body].start.rotation;
        const pbdrQuat back = {start.w, -start.x, -start.y, -start.z};
        made->def.site = (pbdrPose){pbdrMoveInto(reader->scene, made->body, pose.position),
                                    pbdrNormalizeQ(pbdrMulQQ(back, pose.rotation))};
        if (made->def.kind == pbdr_sensorForce || made->def.kind == pbdr_sensorTorque) {
            made->joint = findLastJoint(reader, body);
        } else if (made->def.kind == pbdr_sensorTouch) {
            setZone(model, id, &made->def);
        }
    }
    return true;
}
