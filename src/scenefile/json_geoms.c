// Shapes of a JSON scene: primitives, meshes given by numbers or by a file, height fields, compounds.
#include "scenefile/values.h"

#include "math/vec.h"
#include "pbdr/meshfile.h"

#include <stdio.h>
#include <string.h>

static const char* const partKeys[] = {
    "name",          "shape",     "half_extents_m", "radius_m",   "rod_radius_m", "half_length_m",
    "vertices_m",    "triangles", "mesh_file",      "mesh_scale", "sphere_count", "position_m",
    "rotation_wxyz", "heights_m", "spacing_m",      "corner_m",   "mesh",         NULL};

// Of the scene's own list, for bodies that share a mesh.
static const char* const meshKeys[] = {"name",       "vertices_m", "triangles", "mesh_file",
                                       "mesh_scale", "open",       NULL};

enum {
    shapeBox,
    shapeMesh,
    shapeRod,
    shapeBall,
    shapeCapsule,
    shapeCylinder,
    shapeHeightfield,
    shapeCompound
};
static const char* const shapeNames[] = {"box",      "mesh",        "rod",      "ball", "capsule",
                                         "cylinder", "heightfield", "compound", NULL};

static void addMesh(pbdrJsonScene* json, pbdrSceneGeom* geom, pbdrMesh* mesh, bool open)
{
    pbdrSceneMesh* entry = pbdrIsGood(json) ? pbdrAddSceneMesh(json->scene) : NULL;
    if (entry == NULL) {
        pbdrMesh_Free(mesh);
        if (pbdrIsGood(json)) {
            json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        }
        return;
    }
    entry->mesh = *mesh;
    entry->open = open;
    geom->mesh = json->scene->meshCount - 1;
}

static void readInlineMesh(pbdrJsonScene* json, const JsonValue* object, pbdrSceneGeom* geom)
{
    int vertexCount = 0, triangleCount = 0;
    pbdrVec3* vertices = pbdrReadVectors(json, object, "vertices_m", &vertexCount);
    pbdrVec3* corners = pbdrReadVectors(json, object, "triangles", &triangleCount);
    if (!pbdrIsGood(json)) {
        return;
    }
    if (vertices == NULL || corners == NULL) {
        pbdrRefuseValue(json, object, "", "a mesh needs vertices_m and triangles, or mesh_file");
        return;
    }
    int32_t(*triangles)[3] = pbdrTakeSceneMemory(json->scene, (size_t)triangleCount, sizeof *triangles);
    if (triangles == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    for (int i = 0; i < triangleCount; i++) {
        const double corner[3] = {corners[i].x, corners[i].y, corners[i].z};
        for (int k = 0; k < 3; k++) {
            if (!(corner[k] >= 0.0 && corner[k] < vertexCount && corner[k] == floor(corner[k]))) {
                pbdrRefuseValue(json, jsonFind(object, "triangles"), "triangles",
                                "corner %g of triangle %d is none of %d vertices", corner[k], i, vertexCount);
                return;
            }
            triangles[i][k] = (int32_t)corner[k];
        }
    }
    pbdrMesh mesh;
    pbdrError cause;
    if (pbdrCreateMesh(vertices, vertexCount, (const int32_t(*)[3])triangles, triangleCount,
                       &json->scene->hooks, &mesh, NULL, &cause) != pbdr_statusOk) {
        pbdrRefuseWith(json, object, "", &cause);
        return;
    }
    addMesh(json, geom, &mesh, false);
}

// The file stands beside the scene unless its path is absolute.
static void readMeshFile(pbdrJsonScene* json, const JsonValue* object, const char* name, pbdrSceneGeom* geom)
{
    char path[4096];
    const JsonValue* value = jsonFind(object, "mesh_file");
    const char* slash = strrchr(json->scene->path, '/');
    int folder = name[0] == '/' || slash == NULL ? 0 : (int)(slash + 1 - json->scene->path);
    int length = snprintf(path, sizeof path, "%.*s%s", folder, json->scene->path, name);
    pbdrVec3 scale = {1.0, 1.0, 1.0};
    pbdrReadVector(json, object, "mesh_scale", &scale);
    if (length < 0 || (size_t)length >= sizeof path) {
        pbdrRefuseValue(json, value, "mesh_file", "the path is too long");
    }
    if (!pbdrIsGood(json)) {
        return;
    }
    pbdrMesh mesh;
    pbdrError cause;
    if (pbdrLoadMesh(path, &json->scene->hooks, &mesh, NULL, &cause) != pbdr_statusOk) {
        pbdrRefuseWith(json, value, "mesh_file", &cause);
        return;
    }
    for (int i = 0; i < mesh.vertexCount; i++) {
        pbdrVec3 v = mesh.vertices[i];
        mesh.vertices[i] = pbdrVec(scale.x * v.x, scale.y * v.y, scale.z * v.z);
    }
    addMesh(json, geom, &mesh, false);
}

// A mesh of the scene's list, by its name.
static void findMesh(pbdrJsonScene* json, const JsonValue* object, const char* name, pbdrSceneGeom* geom)
{
    for (int k = 0; k < json->scene->meshCount; k++) {
        const char* own = json->scene->meshes[k].name;
        if (own != NULL && strcmp(own, name) == 0) {
            geom->mesh = k;
            return;
        }
    }
    pbdrRefuseValue(json, jsonFind(object, "mesh"), "mesh", "\"%.60s\" is none of the scene's meshes", name);
}

static void readMesh(pbdrJsonScene* json, const JsonValue* object, pbdrSceneGeom* geom)
{
    const char* text = NULL;
    if (pbdrReadText(json, object, "mesh_file", &text)) {
        readMeshFile(json, object, text, geom);
    } else {
        readInlineMesh(json, object, geom);
    }
}

void pbdrReadMeshes(pbdrJsonScene* json, const JsonValue* root)
{
    const JsonValue* meshes = pbdrReadList(json, root, "meshes", jsonArray);
    int k = 0;
    for (const JsonValue* mesh = meshes != NULL ? meshes->first : NULL; pbdrIsGood(json) && mesh != NULL;
         mesh = mesh->next) {
        pbdrSetPlace(json, "meshes[%d]", k++);
        if (mesh->kind != jsonObject) {
            pbdrRefuseValue(json, mesh, "", "wanted an object");
            return;
        }
        pbdrSceneGeom geom = {.mesh = -1};
        const char* name = NULL;
        bool open = false;
        pbdrCheckKeys(json, mesh, meshKeys);
        pbdrRequireKey(json, mesh, "name", pbdrReadText(json, mesh, "name", &name));
        pbdrReadTruth(json, mesh, "open", &open);
        if (pbdrIsGood(json)) {
            readMesh(json, mesh, &geom);
        }
        if (pbdrIsGood(json)) {
            json->scene->meshes[geom.mesh].name = name;
            json->scene->meshes[geom.mesh].open = open;
        }
    }
}

static void readHeightfield(pbdrJsonScene* json, const JsonValue* object, pbdrSceneGeom* geom)
{
    const JsonValue* rows = pbdrReadList(json, object, "heights_m", jsonArray);
    double spacing = 0.0;
    pbdrVec3 corner = {0.0, 0.0, 0.0};
    pbdrReadAbove(json, object, "spacing_m", &spacing);
    pbdrReadVector(json, object, "corner_m", &corner);
    if (pbdrIsGood(json) && (rows == NULL || rows->first == NULL || spacing == 0.0)) {
        pbdrRefuseValue(json, object, "", "a heightfield needs heights_m, rows of numbers, and spacing_m");
    }
    if (!pbdrIsGood(json)) {
        return;
    }
    int columns = rows->first->kind == jsonArray ? rows->first->count : 0;
    double* heights =
        pbdrTakeSceneMemory(json->scene, (size_t)rows->count * (size_t)columns, sizeof *heights);
    if (heights == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    int k = 0;
    for (const JsonValue* row = rows->first; row != NULL; row = row->next) {
        if (row->kind != jsonArray || row->count != columns) {
            pbdrRefuseValue(json, row, "heights_m", "wanted rows of %d numbers each", columns);
            return;
        }
        for (const JsonValue* height = row->first; height != NULL; height = height->next) {
            if (height->kind != jsonNumberValue) {
                pbdrRefuseValue(json, height, "heights_m", "wanted rows of %d numbers each", columns);
                return;
            }
            heights[k++] = height->number;
        }
    }
    pbdrMesh mesh;
    pbdrError cause;
    if (pbdrMakeHeightfieldMesh(heights, columns, rows->count, spacing, corner, &json->scene->hooks, &mesh,
                                &cause) != pbdr_statusOk) {
        pbdrRefuseWith(json, object, "heights_m", &cause);
        return;
    }
    addMesh(json, geom, &mesh, true);
}

static void readBox(pbdrJsonScene* json, const JsonValue* object, pbdrSceneGeom* geom)
{
    bool there = pbdrReadVector(json, object, "half_extents_m", &geom->half);
    pbdrRequireKey(json, object, "half_extents_m", there);
    if (pbdrIsGood(json) && !(geom->half.x > 0.0 && geom->half.y > 0.0 && geom->half.z > 0.0)) {
        pbdrRefuseValue(json, jsonFind(object, "half_extents_m"), "half_extents_m",
                        "(%g, %g, %g) are not all above zero", geom->half.x, geom->half.y, geom->half.z);
    }
}

// Round-ended, along x: half_extents_m goes to the tips' ends.
static void readRod(pbdrJsonScene* json, const JsonValue* object, pbdrSceneGeom* geom)
{
    const double half = sqrt(0.5);
    readBox(json, object, geom);
    pbdrRequireKey(json, object, "rod_radius_m", pbdrReadAbove(json, object, "rod_radius_m", &geom->radius));
    geom->kind = pbdr_geomCapsule;
    geom->halfLength = geom->half.x - geom->radius;
    geom->pose.rotation = pbdrMulQQ(geom->pose.rotation, (pbdrQuat){half, 0.0, half, 0.0}); // z to x
    if (pbdrIsGood(json) && !(geom->halfLength > 0.0)) {
        pbdrRefuseValue(json, jsonFind(object, "rod_radius_m"), "rod_radius_m",
                        "%g m is not below the half extent along x, %g m", geom->radius, geom->half.x);
    }
}

// A body's or part's shape. Of a body the pose is that of its frame itself.
static void readGeom(pbdrJsonScene* json, const JsonValue* object, int shape, pbdrSceneGeom* geom)
{
    const char* name = NULL;
    bool round = shape == shapeBall || shape == shapeCapsule || shape == shapeCylinder;
    pbdrReadCount(json, object, "sphere_count", 1, PBDR_MAX_SPHERES, &geom->sphereCount);
    if (round) {
        pbdrRequireKey(json, object, "radius_m", pbdrReadAbove(json, object, "radius_m", &geom->radius));
    }
    if (shape == shapeCapsule || shape == shapeCylinder) {
        pbdrRequireKey(json, object, "half_length_m",
                       pbdrReadAbove(json, object, "half_length_m", &geom->halfLength));
    }
    switch (shape) {
    case shapeBox:
        geom->kind = pbdr_geomBox;
        readBox(json, object, geom);
        break;
    case shapeRod:
        readRod(json, object, geom);
        break;
    case shapeBall:
        geom->kind = pbdr_geomBall;
        break;
    case shapeCapsule:
        geom->kind = pbdr_geomCapsule;
        break;
    case shapeCylinder:
        geom->kind = pbdr_geomCylinder;
        break;
    case shapeHeightfield:
        geom->kind = pbdr_geomMesh;
        readHeightfield(json, object, geom);
        break;
    default:
        geom->kind = pbdr_geomMesh;
        pbdrReadAbove(json, object, "spacing_m", &geom->spacing);
        if (pbdrReadText(json, object, "mesh", &name)) {
            findMesh(json, object, name, geom);
        } else {
            readMesh(json, object, geom);
        }
        break;
    }
}

static int readShapeName(pbdrJsonScene* json, const JsonValue* object)
{
    int shape = -1;
    pbdrRequireKey(json, object, "shape", pbdrReadWord(json, object, "shape", shapeNames, &shape));
    return shape;
}

static void readParts(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body)
{
    const JsonValue* parts = pbdrReadList(json, object, "parts", jsonArray);
    if (pbdrIsGood(json) && (parts == NULL || parts->count == 0)) {
        pbdrRefuseValue(json, object, "parts", "a compound needs an array of parts");
    }
    if (!pbdrIsGood(json)) {
        return;
    }
    body->geoms = pbdrTakeSceneMemory(json->scene, (size_t)parts->count, sizeof *body->geoms);
    if (body->geoms == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return;
    }
    char outer[sizeof json->place];
    memcpy(outer, json->place, sizeof outer);
    int k = 0;
    for (const JsonValue* part = parts->first; pbdrIsGood(json) && part != NULL; part = part->next) {
        pbdrSceneGeom* geom = &body->geoms[k];
        *geom = (pbdrSceneGeom){.name = "", .pose.rotation = {1.0, 0.0, 0.0, 0.0}};
        pbdrSetPlace(json, "%.60s.parts[%d]", outer, k++);
        if (part->kind != jsonObject) {
            pbdrRefuseValue(json, part, "", "wanted an object");
            return;
        }
        pbdrCheckKeys(json, part, partKeys);
        int shape = readShapeName(json, part);
        if (shape == shapeCompound) {
            pbdrRefuseValue(json, part, "shape", "a part of a compound is no compound");
            return;
        }
        pbdrReadText(json, part, "name", &geom->name);
        pbdrReadPlace(json, part, &geom->pose);
        if (pbdrIsGood(json)) {
            readGeom(json, part, shape, geom);
        }
    }
    body->geomCount = k;
    memcpy(json->place, outer, sizeof outer);
}

void pbdrReadShape(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body)
{
    int shape = readShapeName(json, object);
    if (!pbdrIsGood(json)) {
        return;
    }
    if (shape == shapeCompound) {
        readParts(json, object, body);
    } else {
        body->geoms = pbdrTakeSceneMemory(json->scene, 1, sizeof *body->geoms);
        if (body->geoms == NULL) {
            json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
            return;
        }
        body->geomCount = 1;
        body->geoms[0] = (pbdrSceneGeom){.name = body->name, .pose.rotation = {1.0, 0.0, 0.0, 0.0}};
        readGeom(json, object, shape, &body->geoms[0]);
    }
}
