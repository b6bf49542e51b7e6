// Geoms of a compiled model: primitives as they are, meshes from the model's vertices, height fields and ellipsoids as
// meshes.
#include "scenefile/mujoco.h"

#include "base.h"
#include "math/vec.h"

#include <stdio.h>
#include <string.h>

static pbdrVec3 getVec(const mjtNum* v)
{
    return pbdrVec(v[0], v[1], v[2]);
}

// Adds a mesh of the arrays; its index, or -1 with *status set.
static int addMesh(pbdrModelReader* reader, const char* name, const pbdrVec3* vertices, int vertexCount,
                   const int32_t (*triangles)[3], int triangleCount, bool open, pbdrStatus* status)
{
    pbdrSceneFile* scene = reader->scene;
    pbdrMesh mesh;
    pbdrError cause;
    *status =
        pbdrCreateMesh(vertices, vertexCount, triangles, triangleCount, &scene->hooks, &mesh, NULL, &cause);
    if (*status != pbdr_statusOk) {
        pbdrFailScene(scene->path, 0, reader->error, *status, "mesh \"%.60s\": %.200s", name, cause.message);
        return -1;
    }
    pbdrSceneMesh* entry = pbdrAddSceneMesh(scene);
    if (entry == NULL) {
        pbdrMesh_Free(&mesh);
        *status = PBDR_SCENE_NO_MEMORY(scene, reader->error);
        return -1;
    }
    entry->mesh = mesh; // first, so that it is freed with the scene
    entry->open = open;
    entry->name = pbdrKeepText(scene, name);
    if (entry->name == NULL) {
        entry->name = "";
        *status = PBDR_SCENE_NO_MEMORY(scene, reader->error);
        return -1;
    }
    return scene->meshCount - 1;
}

static int readMesh(pbdrModelReader* reader, int id, pbdrStatus* status)
{
    const mjModel* model = reader->model;
    if (reader->meshes[id] >= 0) {
        return reader->meshes[id];
    }
    int vertexCount = model->mesh_vertnum[id], triangleCount = model->mesh_facenum[id];
    const float* from = model->mesh_vert + 3 * (size_t)model->mesh_vertadr[id];
    const int* faces = model->mesh_face + 3 * (size_t)model->mesh_faceadr[id];
    pbdrVec3* vertices = pbdrAllocate(&reader->scene->hooks, (size_t)vertexCount, sizeof *vertices);
    int32_t(*triangles)[3] = pbdrAllocate(&reader->scene->hooks, (size_t)triangleCount, sizeof *triangles);
    if (vertices != NULL && triangles != NULL) {
        for (int i = 0; i < vertexCount; i++) {
            vertices[i] = pbdrVec((double)from[3 * i], (double)from[3 * i + 1], (double)from[3 * i + 2]);
        }
        for (int i = 0; i < 3 * triangleCount; i++) {
            triangles[i / 3][i % 3] = faces[i];
        }
        const char* name = reader->mujoco.getName(model, mjOBJ_MESH, id);
        reader->meshes[id] = addMesh(reader, name != NULL ? name : "", vertices, vertexCount,
                                     (const int32_t(*)[3])triangles, triangleCount, false, status);
    } else {
        *status = PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
    }
    pbdrRelease(&reader->scene->hooks, vertices, (size_t)vertexCount, sizeof *vertices);
    pbdrRelease(&reader->scene->hooks, triangles, (size_t)triangleCount, sizeof *triangles);
    return reader->meshes[id];
}

// --- Ellipsoids ---

enum { sphereLevels = 3, maxVertices = 642, maxFacets = 1280 };

typedef struct Icosphere {
    pbdrVec3 vertices[maxVertices];
    int vertexCount;
    int32_t facets[maxFacets][3];
    int facetCount;
} Icosphere;

// The vertex on the unit sphere between two.
static int32_t addMiddle(Icosphere* sphere, int32_t a, int32_t b)
{
    pbdrVec3 middle = pbdrAdd(sphere->vertices[a], sphere->vertices[b]);
    middle = pbdrScale(1.0 / pbdrLength(middle), middle);
    for (int i = 0; i < sphere->vertexCount; i++) {
        pbdrVec3 d = pbdrSub(sphere->vertices[i], middle);
        if (pbdrDot(d, d) < 1.0e-12) {
            return i;
        }
    }
    sphere->vertices[sphere->vertexCount] = middle;
    return sphere->vertexCount++;
}

// An octahedron would do, but an icosahedron's facets are more alike.
static void makeIcosphere(Icosphere* sphere)
{
    static const int32_t start[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                         {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                         {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                         {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
    const double golden = 0.5 * (1.0 + sqrt(5.0)), scale = 1.0 / sqrt(1.0 + golden * golden);
    static const double signs[12][3] = {{-1, 1, 0}, {1, 1, 0}, {-1, -1, 0}, {1, -1, 0},
                                        {0, -1, 1}, {0, 1, 1}, {0, -1, -1}, {0, 1, -1},
                                        {1, 0, -1}, {1, 0, 1}, {-1, 0, -1}, {-1, 0, 1}};
    for (int i = 0; i < 12; i++) {
        double xyz[3];
        for (int k = 0; k < 3; k++) {
            bool isLong = i < 4 ? k == 1 : i < 8 ? k == 2 : k == 0;
            xyz[k] = signs[i][k] * scale * (isLong ? golden : 1.0);
        }
        sphere->vertices[i] = pbdrVec(xyz[0], xyz[1], xyz[2]);
    }
    sphere->vertexCount = 12;
    sphere->facetCount = 20;
    memcpy(sphere->facets, start, sizeof start);
    for (int level = 0; level < sphereLevels; level++) {
        for (int t = sphere->facetCount - 1; t >= 0;
             t--) { // the later ones first: four take the place of one
            int32_t corner[3] = {sphere->facets[t][0], sphere->facets[t][1], sphere->facets[t][2]}, middle[3];
            for (int k = 0; k < 3; k++) {
                middle[k] = addMiddle(sphere, corner[k], corner[(k + 1) % 3]);
            }
            int32_t(*to)[3] = &sphere->facets[4 * t];
            for (int k = 0; k < 3; k++) {
                to[k][0] = corner[k], to[k][1] = middle[k], to[k][2] = middle[(k + 2) % 3];
            }
            to[3][0] = middle[0], to[3][1] = middle[1], to[3][2] = middle[2];
        }
        sphere->facetCount *= 4;
    }
}

static int readEllipsoid(pbdrModelReader* reader, pbdrVec3 radii, pbdrStatus* status)
{
    char name[100];
    snprintf(name, sizeof name, "ellipsoid %.17g %.17g %.17g", radii.x, radii.y, radii.z);
    for (int i = 0; i < reader->scene->meshCount; i++) {
        if (strcmp(reader->scene->meshes[i].name, name) == 0) {
            return i;
        }
    }
    Icosphere* sphere = pbdrAllocate(&reader->scene->hooks, 1, sizeof *sphere);
    if (sphere == NULL) {
        *status = PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
        return -1;
    }
    makeIcosphere(sphere);
    for (int i = 0; i < sphere->vertexCount; i++) {
        pbdrVec3 v = sphere->vertices[i];
        sphere->vertices[i] = pbdrVec(radii.x * v.x, radii.y * v.y, radii.z * v.z);
    }
    int mesh = addMesh(reader, name, sphere->vertices, sphere->vertexCount,
                       (const int32_t(*)[3])sphere->facets, sphere->facetCount, false, status);
    pbdrRelease(&reader->scene->hooks, sphere, 1, sizeof *sphere);
    return mesh;
}

// --- Height fields ---

// Over the rectangle of 2 x-radius by 2 y-radius, rows along y; the elevation is the data times the largest height.
static int readHeightfield(pbdrModelReader* reader, int id, pbdrStatus* status)
{
    const mjModel* model = reader->model;
    const int columns = model->hfield_ncol[id], rows = model->hfield_nrow[id];
    const float* data = model->hfield_data + model->hfield_adr[id];
    const mjtNum* size = model->hfield_size + 4 * (size_t)id;
    const size_t vertexCount = (size_t)columns * (size_t)rows;
    const size_t facetCount = 2 * (size_t)(columns - 1) * (size_t)(rows - 1);
    pbdrVec3* vertices = pbdrAllocate(&reader->scene->hooks, vertexCount, sizeof *vertices);
    int32_t(*facets)[3] = pbdrAllocate(&reader->scene->hooks, facetCount, sizeof *facets);
    int mesh = -1;
    if (vertices != NULL && facets != NULL) {
        size_t t = 0;
        for (int32_t v = 0; v < (int32_t)vertexCount; v++) {
            int row = v / columns, column = v % columns;
            vertices[v] = pbdrVec(size[0] * (2.0 * column / (columns - 1) - 1.0),
                                  size[1] * (2.0 * row / (rows - 1) - 1.0), size[2] * (double)data[v]);
            if (row + 1 < rows && column + 1 < columns) {
                const int32_t corner[2][3] = {{v, v + 1, v + columns + 1}, {v, v + columns + 1, v + columns}};
                memcpy(facets[t], corner, sizeof corner);
                t += 2;
            }
        }
        const char* name = reader->mujoco.getName(model, mjOBJ_HFIELD, id);
        mesh = addMesh(reader, name != NULL ? name : "", vertices, (int)vertexCount,
                       (const int32_t(*)[3])facets, (int)facetCount, true, status);
    } else {
        *status = PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
    }
    pbdrRelease(&reader->scene->hooks, vertices, vertexCount, sizeof *vertices);
    pbdrRelease(&reader->scene->hooks, facets, facetCount, sizeof *facets);
    return mesh;
}

// --- Geoms ---

// Of the geom in the frame. Where its body's frame is that one, as the model has it, so that equal bodies have equal
// bits.
static pbdrPose getPose(const pbdrModelReader* reader, int id, pbdrPose frame)
{
    const mjModel* model = reader->model;
    const int body = model->geom_bodyid[id];
    const mjtNum *q = model->geom_quat + 4 * (size_t)id, *b = reader->data->xquat + 4 * (size_t)body;
    const pbdrVec3 place = getVec(reader->data->xpos + 3 * (size_t)body);
    const pbdrVec3 own = getVec(model->geom_pos + 3 * (size_t)id);
    const pbdrQuat turn = {q[0], q[1], q[2], q[3]}, bodyTurn = {b[0], b[1], b[2], b[3]};
    if (memcmp(&place, &frame.position, sizeof place) == 0 &&
        memcmp(&bodyTurn, &frame.rotation, sizeof bodyTurn) == 0) {
        return (pbdrPose){own, turn};
    }
    const pbdrMat3 bodyAxes = pbdrMatFromQuat(bodyTurn), axes = pbdrMatFromQuat(frame.rotation);
    const pbdrVec3 world = pbdrAdd(place, pbdrMulMV(&bodyAxes, own));
    return (pbdrPose){pbdrMulTransposedMV(&axes, pbdrSub(world, frame.position)),
                      pbdrNormalizeQ(pbdrMulQQ(pbdrConjugate(frame.rotation), pbdrMulQQ(bodyTurn, turn)))};
}

bool pbdrReadGeom(pbdrModelReader* reader, int id, pbdrPose frame, pbdrSceneGeom* geom, pbdrStatus* status)
{
    const mjModel* model = reader->model;
    const pbdrVec3 size = getVec(model->geom_size + 3 * (size_t)id);
    *geom = (pbdrSceneGeom){.name = pbdrNameObject(reader, mjOBJ_GEOM, "geom", id),
                            .pose = getPose(reader, id, frame),
                            .half = size,
                            .radius = size.x,
                            .halfLength = size.y};
    if (geom->name == NULL) {
        *status = PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
        return false;
    }
    switch (model->geom_type[id]) {
    case mjGEOM_SPHERE:
        geom->kind = pbdr_geomBall;
        break;
    case mjGEOM_CAPSULE:
        geom->kind = pbdr_geomCapsule;
        break;
    case mjGEOM_BOX:
        geom->kind = pbdr_geomBox;
        break;
    case mjGEOM_CYLINDER:
        geom->kind = pbdr_geomCylinder;
        break;
    case mjGEOM_ELLIPSOID:
        geom->kind = pbdr_geomMesh;
        geom->mesh = readEllipsoid(reader, size, status);
        break;
    case mjGEOM_MESH:
        geom->kind = pbdr_geomMesh;
        geom->mesh = readMesh(reader, model->geom_dataid[id], status);
        break;
    case mjGEOM_HFIELD:
        geom->kind = pbdr_geomMesh;
        geom->mesh = readHeightfield(reader, model->geom_dataid[id], status);
        break;
    default:
        return false;
    }
    return *status == pbdr_statusOk;
}
