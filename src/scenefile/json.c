// Scenes in our own format: pbdr-scene/1, which pbdr export writes, and pbdr-scene/2, which has more (docs/scenes.md).
#include "scenefile/memory.h"
#include "scenefile/solid.h"
#include "scenefile/values.h"

#include "base.h"
#include "math/vec.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MAX_FILE_SIZE ((size_t)1 << 30)
#define MAX_MASK 9007199254740992.0 // 2^53: whole numbers of JSON

static const char* const sceneKeys[] = {"schema",
                                        "version",
                                        "conventions",
                                        "test",
                                        "name",
                                        "description",
                                        "seed",
                                        "turn_rad",
                                        "shift_m",
                                        "time_step_s",
                                        "frame_s",
                                        "ground",
                                        "planes",
                                        "pair_friction",
                                        "gravity_mps2",
                                        "duration_s",
                                        "friction_mixing",
                                        "sphere_count",
                                        "bodies",
                                        "reference",
                                        "effort",
                                        "tolerance",
                                        "max_newton_steps",
                                        "sleeping",
                                        "meshes",
                                        "joints",
                                        "actuators",
                                        "sensors",
                                        NULL};

static const char* const surfaceKeys[] = {
    "name",        "point_m",  "normal", "slope_rad", "friction", "rolling_friction_m", "spinning_friction_m",
    "restitution", "category", "mask",   NULL};

static const char* const bodyKeys[] = {"name",
                                       "description",
                                       "kind",
                                       "prescribed",
                                       "prescribed_acceleration_mps2",
                                       "shape",
                                       "parts",
                                       "half_extents_m",
                                       "radius_m",
                                       "rod_radius_m",
                                       "half_length_m",
                                       "vertices_m",
                                       "triangles",
                                       "mesh",
                                       "mesh_file",
                                       "mesh_scale",
                                       "heights_m",
                                       "spacing_m",
                                       "corner_m",
                                       "sphere_count",
                                       "mass_kg",
                                       "inertia_kgm2",
                                       "com_m",
                                       "start",
                                       "start_velocity_mps",
                                       "start_angular_velocity_radps",
                                       "force_N",
                                       "torque_Nm",
                                       "friction",
                                       "rolling_friction_m",
                                       "spinning_friction_m",
                                       "restitution",
                                       "category",
                                       "mask",
                                       "path",
                                       "spheres",
                                       NULL};

// --- What touches ---

static void readMaterial(pbdrJsonScene* json, const JsonValue* object, double* friction, double* rolling,
                         double* spinning, double* restitution, pbdrFilter* filter)
{
    double category, mask;
    pbdrReadNumber(json, object, "friction", 0.0, PBDR_MAX_FRICTION, friction);
    pbdrReadNumber(json, object, "rolling_friction_m", 0.0, 1.0e6, rolling);
    pbdrReadNumber(json, object, "spinning_friction_m", 0.0, 1.0e6, spinning);
    pbdrReadNumber(json, object, "restitution", 0.0, 1.0, restitution);
    if (pbdrReadNumber(json, object, "category", 0.0, MAX_MASK, &category)) {
        filter->category = (uint64_t)category;
    }
    if (pbdrReadNumber(json, object, "mask", 0.0, MAX_MASK, &mask)) {
        filter->mask = (uint64_t)mask;
    }
}

static void readPlane(pbdrJsonScene* json, const JsonValue* object)
{
    pbdrScenePlane* plane = pbdrAddScenePlane(json->scene);
    pbdrVec3 point = {0.0, 0.0, 0.0};
    if (plane == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    if (object->kind != jsonObject) {
        pbdrRefuseValue(json, object, "", "wanted an object");
        return;
    }
    pbdrCheckKeys(json, object, surfaceKeys);
    plane->name = "ground";
    pbdrReadText(json, object, "name", &plane->name);
    pbdrReadVector(json, object, "point_m", &point);
    pbdrReadVector(json, object, "normal", &plane->normal);
    double length = pbdrLength(plane->normal);
    if (pbdrIsGood(json) && !(fabs(length - 1.0) < PBDR_UNIT_TOLERANCE)) {
        pbdrRefuseValue(json, object, "normal", "its length is %g, not 1", length);
    }
    plane->offset = pbdrDot(plane->normal, point) / length;
    readMaterial(json, object, &plane->friction, &plane->rollingFriction, &plane->spinningFriction,
                 &plane->restitution, &plane->filter);
}

// --- Bodies ---

static void readSpheres(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body)
{
    const JsonValue* spheres = pbdrReadList(json, object, "spheres", jsonObject);
    if (spheres == NULL) {
        return;
    }
    pbdrSphereSet* set = &body->spheres;
    const JsonValue* start = pbdrReadList(json, spheres, "start", jsonObject);
    body->sphereStart = body->start;
    if (start != NULL) {
        pbdrReadPlace(json, start, &body->sphereStart);
    }
    set->positions = pbdrReadVectors(json, spheres, "centers", &set->count);
    size_t count = (size_t)set->count;
    set->radii = pbdrTakeSceneMemory(json->scene, count, sizeof *set->radii);
    set->masses = pbdrTakeSceneMemory(json->scene, count, sizeof *set->masses);
    if (pbdrIsGood(json) && (set->radii == NULL || set->masses == NULL)) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
    }
    if (pbdrIsGood(json) && (set->positions == NULL || jsonFind(spheres, "radii") == NULL ||
                             jsonFind(spheres, "masses") == NULL)) {
        pbdrRefuseValue(json, spheres, "spheres", "centers, radii and masses are needed");
    }
    pbdrReadNumbers(json, spheres, "radii", set->radii, set->count);
    pbdrReadNumbers(json, spheres, "masses", set->masses, set->count);
}

static void readPath(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body)
{
    static const char* const pointKeys[] = {"time_s", "position_m", "rotation_wxyz", NULL};
    const JsonValue* path = pbdrReadList(json, object, "path", jsonArray);
    if (path == NULL) {
        return;
    }
    body->points = pbdrTakeSceneMemory(json->scene, (size_t)path->count, sizeof *body->points);
    if (body->points == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    pbdrPose pose = body->start; // what a point does not say is as before
    for (const JsonValue* entry = path->first; pbdrIsGood(json) && entry != NULL; entry = entry->next) {
        pbdrScenePoint* point = &body->points[body->pointCount++];
        if (entry->kind != jsonObject) {
            pbdrRefuseValue(json, entry, "path", "wanted objects with time_s, position_m and rotation_wxyz");
            return;
        }
        pbdrCheckKeys(json, entry, pointKeys);
        pbdrRequireKey(json, entry, "time_s",
                       pbdrReadNumber(json, entry, "time_s", 0.0, 1.0e9, &point->time));
        pbdrReadPlace(json, entry, &pose);
        point->pose = pose;
    }
}

static void readKind(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body)
{
    static const char* const kinds[] = {"dynamic", "static", "kinematic", NULL};
    int kind = pbdr_bodyDynamic;
    bool prescribed = false;
    pbdrReadTruth(json, object, "prescribed", &prescribed);
    bool said = pbdrReadWord(json, object, "kind", kinds, &kind);
    body->kind = said ? (pbdrBodyKind)kind : prescribed ? pbdr_bodyKinematic : pbdr_bodyDynamic;
    pbdrReadVector(json, object, "prescribed_acceleration_mps2", &body->acceleration);
}

static void readWeight(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body)
{
    pbdrError cause;
    double mass = 0.0;
    bool weighed = pbdrReadAbove(json, object, "mass_kg", &mass);
    if (!pbdrIsGood(json) || body->kind != pbdr_bodyDynamic) {
        return;
    }
    pbdrRequireKey(json, object, "mass_kg", weighed);
    bool stated = pbdrReadTensor(json, object, "inertia_kgm2", &body->solid.inertia);
    body->solid.mass = mass;
    bool placed = pbdrReadVector(json, object, "com_m", &body->solid.centre);
    if (pbdrIsGood(json) && placed && !stated) {
        pbdrRefuseValue(json, object, "com_m", "a centre of mass without inertia_kgm2");
    }
    if (pbdrIsGood(json) && !stated &&
        pbdrWeighBody(json->scene, body, mass, &body->solid, &cause) != pbdr_statusOk) {
        pbdrRefuseWith(json, object, "inertia_kgm2", &cause);
    }
}

static void readBody(pbdrJsonScene* json, const JsonValue* object, int index)
{
    pbdrSceneBody* body = pbdrAddSceneBody(json->scene);
    if (body == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    if (object->kind != jsonObject) {
        pbdrRefuseValue(json, object, "", "wanted an object");
        return;
    }
    pbdrCheckKeys(json, object, bodyKeys);
    pbdrRequireKey(json, object, "name", pbdrReadText(json, object, "name", &body->name));
    for (int k = 0; pbdrIsGood(json) && k < index; k++) {
        if (strcmp(json->scene->bodies[k].name, body->name) == 0) {
            pbdrRefuseValue(json, jsonFind(object, "name"), "name", "\"%.60s\" is bodies[%d] already",
                            body->name, k);
        }
    }
    if (pbdrIsGood(json) && body->name[0] == 0) {
        pbdrRefuseValue(json, jsonFind(object, "name"), "name", "it is empty");
    }
    readKind(json, object, body);
    pbdrReadShape(json, object, body);
    const JsonValue* start = pbdrReadList(json, object, "start", jsonObject);
    if (start != NULL) {
        pbdrReadPlace(json, start, &body->start);
    }
    readWeight(json, object, body);
    pbdrReadVector(json, object, "start_velocity_mps", &body->velocity.linear);
    pbdrReadVector(json, object, "start_angular_velocity_radps", &body->velocity.angular);
    pbdrReadVector(json, object, "force_N", &body->force);
    pbdrReadVector(json, object, "torque_Nm", &body->torque);
    readMaterial(json, object, &body->friction, &body->rollingFriction, &body->spinningFriction,
                 &body->restitution, &body->filter);
    readPath(json, object, body);
    readSpheres(json, object, body);
}

// --- The whole ---

static void checkSchema(pbdrJsonScene* json, const JsonValue* root)
{
    const char* schema = "";
    pbdrRequireKey(json, root, "schema", pbdrReadText(json, root, "schema", &schema));
    if (pbdrIsGood(json) && strcmp(schema, "pbdr-scene/1") != 0 && strcmp(schema, PBDR_SCENE_SCHEMA) != 0) {
        pbdrRefuseValue(json, jsonFind(root, "schema"), "schema",
                        "\"%.60s\", wanted pbdr-scene/1 or " PBDR_SCENE_SCHEMA, schema);
    }
}

// The benchmark's scenes state friction by pairs: of the first body with the ground, and of the first two. With the
// geometric mean, the ground and the first body have mu, and the others mu_pair^2/mu.
static void spreadFriction(pbdrJsonScene* json, const JsonValue* root)
{
    pbdrSceneFile* scene = json->scene;
    double pair = -1.0;
    bool paired = pbdrReadNumber(json, root, "pair_friction", 0.0, PBDR_MAX_FRICTION, &pair);
    if (!pbdrIsGood(json) || jsonFind(root, "ground") == NULL) {
        return;
    }
    double mu = scene->planes[0].friction;
    const JsonValue* body = jsonFind(root, "bodies")->first;
    for (int k = 0; k < scene->bodyCount; k++, body = body->next) {
        if (jsonFind(body, "friction") == NULL) {
            scene->bodies[k].friction = k == 0 || !paired ? mu : mu > 0.0 ? pair * pair / mu : 0.0;
        }
    }
}

static void readScene(pbdrJsonScene* json, const JsonValue* root)
{
    static const char* const mixings[] = {"geometric_mean", "minimum", "maximum", "average", NULL};
    static const char* const efforts[] = {"fast", "balanced", "exact", NULL};
    pbdrSceneFile* scene = json->scene;
    int mixing = (int)scene->mixing, effort = (int)scene->effort, k = 0;
    if (root->kind != jsonObject) {
        pbdrRefuseValue(json, root, "", "wanted an object: {\"schema\": \"" PBDR_SCENE_SCHEMA "\", ...}");
        return;
    }
    checkSchema(json, root);
    pbdrCheckKeys(json, root, sceneKeys);
    pbdrReadText(json, root, "name", &scene->name);
    pbdrReadVector(json, root, "gravity_mps2", &scene->gravity);
    pbdrReadAbove(json, root, "time_step_s", &scene->timeStep);
    pbdrReadAbove(json, root, "duration_s", &scene->duration);
    pbdrReadWord(json, root, "friction_mixing", mixings, &mixing);
    pbdrReadCount(json, root, "sphere_count", 1, PBDR_MAX_SPHERES, &scene->sphereCount);
    scene->mixing = (pbdrFrictionMixing)mixing;
    pbdrReadWord(json, root, "effort", efforts, &effort);
    pbdrReadNumber(json, root, "tolerance", PBDR_MIN_TOLERANCE, PBDR_MAX_TOLERANCE, &scene->tolerance);
    pbdrReadCount(json, root, "max_newton_steps", 1, PBDR_MAX_NEWTON_STEPS, &scene->maxNewtonSteps);
    pbdrReadTruth(json, root, "sleeping", &scene->sleeping);
    scene->effort = (pbdrEffort)effort;
    const JsonValue* ground = pbdrReadList(json, root, "ground", jsonObject);
    if (ground != NULL) {
        pbdrSetPlace(json, "ground");
        readPlane(json, ground);
    }
    pbdrSetPlace(json, "%s", "");
    const JsonValue* planes = pbdrReadList(json, root, "planes", jsonArray);
    for (const JsonValue* plane = planes != NULL ? planes->first : NULL; pbdrIsGood(json) && plane != NULL;
         plane = plane->next) {
        pbdrSetPlace(json, "planes[%d]", k++);
        readPlane(json, plane);
    }
    pbdrSetPlace(json, "%s", "");
    pbdrReadMeshes(json, root);
    pbdrSetPlace(json, "%s", "");
    const JsonValue* bodies = pbdrReadList(json, root, "bodies", jsonArray);
    pbdrRequireKey(json, root, "bodies", bodies != NULL);
    k = 0;
    for (const JsonValue* body = bodies != NULL ? bodies->first : NULL; pbdrIsGood(json) && body != NULL;
         body = body->next) {
        pbdrSetPlace(json, "bodies[%d]", k);
        readBody(json, body, k++);
    }
    pbdrSetPlace(json, "%s", "");
    pbdrReadJsonJoints(json, root);
    pbdrReadJsonSensors(json, root);
    spreadFriction(json, root);
}

// The whole file; NULL on failure.
static char* readFile(pbdrSceneFile* scene, size_t* size, pbdrError* error)
{
    FILE* file = fopen(scene->path, "rb");
    char* text = NULL;
    long length = -1;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (length = ftell(file)) < 0 ||
        fseek(file, 0, SEEK_SET) != 0) {
        pbdrFailScene(scene->path, 0, error, pbdr_statusFileNotFound, "%s", strerror(errno));
    } else if ((size_t)length > MAX_FILE_SIZE) {
        pbdrFailScene(scene->path, 0, error, pbdr_statusFileFormat, "the file has %ld bytes, more than 1 GiB",
                      length);
    } else {
        *size = (size_t)length;
        text = pbdrAllocate(&scene->hooks, *size + 1, 1);
        if (text == NULL) {
            PBDR_SCENE_NO_MEMORY(scene, error);
        } else if (fread(text, 1, *size, file) != *size) { // a folder opens, and cannot be read
            pbdrFailScene(scene->path, 0, error, pbdr_statusFileNotFound, "%s",
                          ferror(file) ? strerror(errno) : "the file became shorter");
            pbdrRelease(&scene->hooks, text, *size + 1, 1);
            text = NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

pbdrStatus pbdrReadJsonScene(pbdrSceneFile* scene, pbdrError* error)
{
    size_t size = 0;
    pbdrError cause = {.status = pbdr_statusOk};
    char* text = readFile(scene, &size, &cause);
    if (text == NULL) {
        if (error != NULL) {
            *error = cause;
        }
        return cause.status;
    }
    JsonTree tree;
    pbdrStatus status = jsonParse(text, size, &scene->hooks, &tree, &cause);
    pbdrRelease(&scene->hooks, text, size + 1, 1);
    if (status != pbdr_statusOk) {
        return pbdrFailScene(scene->path, tree.line, error, status, "%s", cause.message);
    }
    pbdrJsonScene json = {.scene = scene, .error = error};
    readScene(&json, tree.root);
    jsonFreeTree(&tree);
    return json.status;
}
