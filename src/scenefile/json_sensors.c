// Sensors of scenes in our own format (docs/scenes.md).
#include "scenefile/values.h"

#include <string.h>

static const char* const sensorKeys[] = {"name",       "description",   "kind", "joint",  "body", "other",
                                         "position_m", "rotation_wxyz", "zone", "zone_m", NULL};
static const char* const kinds[] = {
    "joint_position", "joint_velocity", "joint_force", "force",    "torque",   "accelerometer",    "gyro",
    "velocimeter",    "touch",          "position",    "rotation", "velocity", "angular_velocity", NULL};
static const char* const zones[] = {"all", "ellipsoid", "box", "capsule", "cylinder", NULL};

// The place of a name in a list whose entries begin with theirs; -1: it is not there.
static int findName(const void* first, size_t stride, int count, const char* name)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(*(const char* const*)(const void*)((const char*)first + (size_t)k * stride), name) == 0) {
            return k;
        }
    }
    return -1;
}

static void readName(pbdrJsonScene* json, const JsonValue* object, const char* key, bool ofJoint, int* place)
{
    const pbdrSceneFile* scene = json->scene;
    const char* name = "";
    if (pbdrReadText(json, object, key, &name) && pbdrIsGood(json)) {
        *place = ofJoint ? findName(scene->joints, sizeof *scene->joints, scene->jointCount, name)
                         : findName(scene->bodies, sizeof *scene->bodies, scene->bodyCount, name);
        if (*place < 0) {
            pbdrRefuseValue(json, jsonFind(object, key), key, "there is no %s \"%.60s\"",
                            ofJoint ? "joint" : "body", name);
        }
    }
}

static void readSensor(pbdrJsonScene* json, const JsonValue* object)
{
    pbdrSceneSensor* sensor = pbdrAddSceneSensor(json->scene);
    int kind = 0, zone = 0;
    if (sensor == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    if (object->kind != jsonObject) {
        pbdrRefuseValue(json, object, "", "wanted an object");
        return;
    }
    pbdrCheckKeys(json, object, sensorKeys);
    pbdrReadText(json, object, "name", &sensor->name);
    pbdrRequireKey(json, object, "kind", pbdrReadWord(json, object, "kind", kinds, &kind));
    sensor->def.kind = (pbdrSensorKind)kind;
    readName(json, object, "joint", true, &sensor->joint);
    readName(json, object, "body", false, &sensor->body);
    readName(json, object, "other", false, &sensor->other);
    pbdrReadPlace(json, object, &sensor->def.site);
    pbdrReadWord(json, object, "zone", zones, &zone);
    sensor->def.zoneKind = (pbdrZoneKind)zone;
    pbdrReadVector(json, object, "zone_m", &sensor->def.zone);
    const bool ofJoint = sensor->def.kind <= pbdr_sensorJointForce;
    pbdrRequireKey(json, object, ofJoint ? "joint" : "body", (ofJoint ? sensor->joint : sensor->body) >= 0);
    if (pbdrIsGood(json) && zone > 0 &&
        !(sensor->def.zone.x > 0.0 && sensor->def.zone.z > 0.0 &&
          (zone > pbdr_zoneBox || sensor->def.zone.y > 0.0))) {
        pbdrRefuseValue(json, object, "zone_m", "a zone must have sizes above zero");
    }
}

void pbdrReadJsonSensors(pbdrJsonScene* json, const JsonValue* root)
{
    pbdrSetPlace(json, "%s", "");
    const JsonValue* list = pbdrReadList(json, root, "sensors", jsonArray);
    int index = 0;
    for (const JsonValue* entry = list != NULL ? list->first : NULL; pbdrIsGood(json) && entry != NULL;
         entry = entry->next) {
        pbdrSetPlace(json, "sensors[%d]", index++);
        readSensor(json, entry);
    }
    pbdrSetPlace(json, "%s", "");
}
