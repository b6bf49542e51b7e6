// Joints and actuators of scenes in our own format (docs/scenes.md).
#include "scenefile/values.h"

#include "math/vec.h"

#include <string.h>

// The largest number that a joint may be told, where it is not bounded otherwise.
#define MOST 1.0e300

static const char* const jointKeys[] = {
    "name",          "description",     "kind",      "bodies",       "point_m",
    "axis",          "frame_a",         "frame_b",   "length_m",     "touch",
    "lower",         "upper",           "stiffness", "reference",    "damping",
    "friction",      "armature",        "motor",     "target",       "max_force", "min_force",
    "motor_damping", "motor_stiffness", "joints",    "coefficients", NULL};
static const char* const frameKeys[] = {"anchor_m", "axis", "side", NULL};
static const char* const actuatorKeys[] = {"name",  "description", "joint",   "gear",      "gain", "bias",
                                           "lower", "upper",       "control", "max_force",
                                           "gain_slopes", "min_force", NULL};
static const char* const kinds[] = {"ball",     "hinge", "slide",     "fixed", "universal",
                                    "distance", "span",  "exclusion", "gear",  NULL};

static int findBody(const pbdrSceneFile* scene, const char* name)
{
    int k = scene->bodyCount - 1;
    while (k >= 0 && strcmp(scene->bodies[k].name, name) != 0) {
        k--;
    }
    return k;
}

// Two names of bodies, null for the world.
static void readBodies(pbdrJsonScene* json, const JsonValue* object, pbdrSceneJoint* joint)
{
    const JsonValue* bodies = pbdrReadList(json, object, "bodies", jsonArray);
    pbdrRequireKey(json, object, "bodies", bodies != NULL);
    if (!pbdrIsGood(json)) {
        return;
    }
    if (bodies->count != 2) {
        pbdrRefuseValue(json, bodies, "bodies", "wanted two names, or null for the world");
        return;
    }
    const JsonValue* entry = bodies->first;
    for (int side = 0; side < 2; side++, entry = entry->next) {
        if (entry->kind == jsonNull) {
            continue;
        }
        joint->bodies[side] = entry->kind == jsonString ? findBody(json->scene, entry->text) : -1;
        if (joint->bodies[side] < 0) {
            pbdrRefuseValue(json, entry, "bodies", "there is no body \"%.60s\"",
                            entry->kind == jsonString ? entry->text : "");
            return;
        }
    }
}

static int findJoint(const pbdrSceneFile* scene, int count, const char* name)
{
    int k = count - 1;
    while (k >= 0 && strcmp(scene->joints[k].name, name) != 0) {
        k--;
    }
    return k;
}

// A gear: the names of two joints before it, and up to five coefficients.
static void readGear(pbdrJsonScene* json, const JsonValue* object, pbdrSceneJoint* joint)
{
    const JsonValue *names = pbdrReadList(json, object, "joints", jsonArray),
                    *terms = pbdrReadList(json, object, "coefficients", jsonArray);
    pbdrRequireKey(json, object, "joints", names != NULL);
    if (pbdrIsGood(json) && names->count != 2) {
        pbdrRefuseValue(json, names, "joints", "wanted two names");
    }
    const JsonValue* entry = pbdrIsGood(json) ? names->first : NULL;
    for (int side = 0; entry != NULL && side < 2; side++, entry = entry->next) {
        joint->axes[side] =
            entry->kind == jsonString ? findJoint(json->scene, json->scene->jointCount - 1, entry->text) : -1;
        if (joint->axes[side] < 0) {
            pbdrRefuseValue(json, entry, "joints", "there is no joint \"%.60s\" before this one",
                            entry->kind == jsonString ? entry->text : "");
            return;
        }
    }
    if (terms != NULL && pbdrIsGood(json)) {
        if (terms->count < 1 || terms->count > 5) {
            pbdrRefuseValue(json, terms, "coefficients", "wanted one to five numbers");
            return;
        }
        joint->def.coefficients[1] = 0.0;
        pbdrReadNumbers(json, object, "coefficients", joint->def.coefficients, (int)terms->count);
    }
}

static void readFrame(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrJointFrame* frame)
{
    const JsonValue* own = pbdrReadList(json, object, key, jsonObject);
    if (own != NULL) {
        pbdrCheckKeys(json, own, frameKeys);
        pbdrReadVector(json, own, "anchor_m", &frame->anchor);
        pbdrReadVector(json, own, "axis", &frame->axis);
        pbdrReadVector(json, own, "side", &frame->side);
    }
}

// A frame at a point and along an axis of the world, where the body starts.
static pbdrJointFrame placeFrame(const pbdrSceneFile* scene, int body, pbdrVec3 point, pbdrVec3 axis)
{
    pbdrJointFrame frame = {.anchor = point, .axis = axis};
    if (body >= 0) {
        const pbdrPose* start = &scene->bodies[body].start;
        const pbdrMat3 turn = pbdrMatFromQuat(start->rotation);
        frame.anchor = pbdrMulTransposedMV(&turn, pbdrSub(point, start->position));
        frame.axis = pbdrMulTransposedMV(&turn, axis);
    }
    return frame;
}

// A direction at a right angle to an axis.
static pbdrVec3 getPerpendicular(pbdrVec3 axis)
{
    const double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    return pbdrCross(axis, x <= y && x <= z ? pbdrVec(1.0, 0.0, 0.0)
                           : y <= z         ? pbdrVec(0.0, 1.0, 0.0)
                                            : pbdrVec(0.0, 0.0, 1.0));
}

static void readJoint(pbdrJsonScene* json, const JsonValue* object)
{
    static const char* const motors[] = {"none", "force", "velocity", "position", NULL};
    pbdrSceneJoint* joint = pbdrAddSceneJoint(json->scene);
    int kind = 0, motor = 0;
    if (joint == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    if (object->kind != jsonObject) {
        pbdrRefuseValue(json, object, "", "wanted an object");
        return;
    }
    pbdrCheckKeys(json, object, jointKeys);
    pbdrReadText(json, object, "name", &joint->name);
    pbdrRequireKey(json, object, "kind", pbdrReadWord(json, object, "kind", kinds, &kind));
    pbdrJointDef* def = &joint->def;
    def->kind = (pbdrJointKind)kind;
    if (def->kind == pbdr_jointGear) {
        readGear(json, object, joint);
        return;
    }
    readBodies(json, object, joint);
    pbdrVec3 point = {0.0, 0.0, 0.0}, axis = {0.0, 0.0, 1.0};
    const bool placed = pbdrReadVector(json, object, "point_m", &point);
    if (pbdrReadVector(json, object, "axis", &axis) || placed) {
        def->frameA = placeFrame(json->scene, joint->bodies[0], point, axis);
        // a universal's axis is A's, and B's at a right angle to it, as in pbdrPlaceJointDef
        def->frameB = placeFrame(json->scene, joint->bodies[1], point,
                                 def->kind == pbdr_jointUniversal ? getPerpendicular(axis) : axis);
    }
    readFrame(json, object, "frame_a", &def->frameA);
    readFrame(json, object, "frame_b", &def->frameB);
    pbdrReadAbove(json, object, "length_m", &def->length);
    pbdrReadTruth(json, object, "touch", &def->touch);
    pbdrReadNumber(json, object, "lower", -MOST, MOST, &def->lower);
    pbdrReadNumber(json, object, "upper", -MOST, MOST, &def->upper);
    pbdrReadNumber(json, object, "stiffness", 0.0, MOST, &def->stiffness);
    pbdrReadNumber(json, object, "reference", -MOST, MOST, &def->reference);
    pbdrReadNumber(json, object, "damping", 0.0, MOST, &def->damping);
    pbdrReadNumber(json, object, "friction", 0.0, MOST, &def->friction);
    pbdrReadNumber(json, object, "armature", 0.0, MOST, &def->armature);
    pbdrReadWord(json, object, "motor", motors, &motor);
    def->motor = (pbdrMotorKind)motor;
    pbdrReadNumber(json, object, "target", -MOST, MOST, &def->motorTarget);
    pbdrReadNumber(json, object, "motor_stiffness", 0.0, MOST, &def->motorStiffness);
    pbdrReadNumber(json, object, "motor_damping", 0.0, MOST, &def->motorDamping);
    pbdrReadNumber(json, object, "max_force", -MOST, MOST, &def->maxMotorForce);
    pbdrReadNumber(json, object, "min_force", -MOST, MOST, &def->minMotorForce);
}

static void readActuator(pbdrJsonScene* json, const JsonValue* object)
{
    pbdrSceneActuator* actuator = pbdrAddSceneActuator(json->scene);
    const char* joint = "";
    if (actuator == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    if (object->kind != jsonObject) {
        pbdrRefuseValue(json, object, "", "wanted an object");
        return;
    }
    pbdrCheckKeys(json, object, actuatorKeys);
    pbdrReadText(json, object, "name", &actuator->name);
    pbdrRequireKey(json, object, "joint", pbdrReadText(json, object, "joint", &joint));
    actuator->joint = findJoint(json->scene, json->scene->jointCount, joint);
    if (pbdrIsGood(json) && actuator->joint < 0) {
        pbdrRefuseValue(json, jsonFind(object, "joint"), "joint", "there is no joint \"%.60s\"", joint);
    }
    pbdrReadNumber(json, object, "gear", -MOST, MOST, &actuator->gear);
    pbdrReadNumber(json, object, "gain", -MOST, MOST, &actuator->gain);
    pbdrReadNumbers(json, object, "bias", actuator->bias, 3);
    pbdrReadNumber(json, object, "lower", -MOST, MOST, &actuator->lower);
    pbdrReadNumber(json, object, "upper", -MOST, MOST, &actuator->upper);
    pbdrReadNumber(json, object, "control", -MOST, MOST, &actuator->control);
    // a least one that is not said is the opposite
    if (pbdrReadNumber(json, object, "max_force", -MOST, MOST, &actuator->maxForce)) {
        actuator->minForce = -actuator->maxForce;
    }
    pbdrReadNumber(json, object, "min_force", -MOST, MOST, &actuator->minForce);
    pbdrReadNumbers(json, object, "gain_slopes", actuator->gainSlopes, 2);
}

void pbdrReadJsonJoints(pbdrJsonScene* json, const JsonValue* root)
{
    static const struct {
        const char* key;
        void (*read)(pbdrJsonScene* json, const JsonValue* object);
    } lists[] = {{"joints", readJoint}, {"actuators", readActuator}};
    for (int k = 0; k < 2; k++) {
        pbdrSetPlace(json, "%s", "");
        const JsonValue* list = pbdrReadList(json, root, lists[k].key, jsonArray);
        int index = 0;
        for (const JsonValue* entry = list != NULL ? list->first : NULL; pbdrIsGood(json) && entry != NULL;
             entry = entry->next) {
            pbdrSetPlace(json, "%s[%d]", lists[k].key, index++);
            lists[k].read(json, entry);
        }
    }
    pbdrSetPlace(json, "%s", "");
}
