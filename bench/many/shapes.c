// What the scenes of many bodies are made of.
#include "many/many.h"

#include "pbdr/meshfile.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUNNY_EXTENT 0.2 // [m]

static ManyShape* addShape(ManyScene* scene)
{
    if (scene->shapeCount == scene->shapeCapacity) {
        int capacity = scene->shapeCapacity > 0 ? 2 * scene->shapeCapacity : 16;
        ManyShape* shapes = realloc(scene->shapes, (size_t)capacity * sizeof *shapes);
        if (shapes == NULL) {
            return NULL;
        }
        scene->shapes = shapes;
        scene->shapeCapacity = capacity;
    }
    ManyShape* shape = &scene->shapes[scene->shapeCount++];
    *shape = (ManyShape){.mass = 1.0};
    return shape;
}

static void setDiagonal(ManyShape* shape, double x, double y, double z)
{
    shape->inertia = (pbdrMat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

int manyAddBox(ManyScene* scene, pbdrVec3 half, double mass, int perSide)
{
    ManyShape* shape = addShape(scene);
    if (shape == NULL) {
        return -1;
    }
    const double x = half.x * half.x, y = half.y * half.y, z = half.z * half.z;
    shape->kind = manyBox;
    shape->half = half;
    shape->mass = mass;
    shape->perSide = perSide;
    shape->reach = sqrt(x + y + z);
    setDiagonal(shape, mass * (y + z) / 3.0, mass * (z + x) / 3.0, mass * (x + y) / 3.0);
    return scene->shapeCount - 1;
}

int manyAddBall(ManyScene* scene, double radius, double mass)
{
    ManyShape* shape = addShape(scene);
    if (shape == NULL) {
        return -1;
    }
    const double moment = 0.4 * mass * radius * radius;
    shape->kind = manyBall;
    shape->radius = shape->reach = radius;
    shape->mass = mass;
    setDiagonal(shape, moment, moment, moment);
    return scene->shapeCount - 1;
}

// A cylinder of length l = 2 h and a ball, cut in two: with r the radius and m, b their masses,
//   I_z = m r^2/2 + 2/5 b r^2,  I_x = m (r^2/4 + l^2/12) + b (2/5 r^2 + h^2 + 3/4 h r).
int manyAddCapsule(ManyScene* scene, double radius, double halfLength, double mass)
{
    ManyShape* shape = addShape(scene);
    if (shape == NULL) {
        return -1;
    }
    const double r = radius, h = halfLength, cylinder = 2.0 * h, ball = 4.0 / 3.0 * r; // over pi r^2
    const double m = mass * cylinder / (cylinder + ball), b = mass - m;
    const double across = m * (r * r / 4.0 + h * h / 3.0) + b * (0.4 * r * r + h * h + 0.75 * h * r);
    shape->kind = manyCapsule;
    shape->radius = r;
    shape->half = benchVec(r, r, h);
    shape->reach = h + r;
    shape->mass = mass;
    setDiagonal(shape, across, across, m * r * r / 2.0 + 0.4 * b * r * r);
    return scene->shapeCount - 1;
}

// Copies a mesh, moved by -centre.
static bool setMesh(ManyShape* shape, const pbdrMesh* mesh, pbdrVec3 centre)
{
    shape->vertices = malloc((size_t)mesh->vertexCount * sizeof *shape->vertices);
    shape->triangles = malloc((size_t)mesh->triangleCount * sizeof *shape->triangles);
    if (shape->vertices == NULL || shape->triangles == NULL) {
        return false;
    }
    shape->vertexCount = mesh->vertexCount;
    shape->triangleCount = mesh->triangleCount;
    memcpy(shape->triangles, mesh->triangles, (size_t)mesh->triangleCount * sizeof *shape->triangles);
    for (int i = 0; i < mesh->vertexCount; i++) {
        shape->vertices[i] = benchSub(mesh->vertices[i], centre);
        shape->reach = fmax(shape->reach, benchLength(shape->vertices[i]));
    }
    return true;
}

int manyAddConvex(ManyScene* scene, const pbdrVec3* points, int count, double density, pbdrVec3* centre)
{
    // pbdrMakeHullMesh looks at the vertices alone: a fan of triangles names each of them.
    int32_t(*fan)[3] = malloc((size_t)count * sizeof *fan);
    ManyShape* shape = addShape(scene);
    pbdrMesh soup = {.vertexCount = 0}, hull = {.vertexCount = 0};
    pbdrMassProperties solid;
    bool made = fan != NULL && shape != NULL;
    for (int i = 0; made && i < count; i++) {
        fan[i][0] = i, fan[i][1] = (i + 1) % count, fan[i][2] = (i + 2) % count;
    }
    made = made && pbdrCreateMesh(points, count, (const int32_t(*)[3])fan, count, NULL, &soup, NULL, NULL) ==
                       pbdr_statusOk;
    made = made && pbdrMakeHullMesh(&soup, NULL, &hull, NULL) == pbdr_statusOk;
    made = made && pbdrMesh_GetMassProperties(&hull, 1.0, &solid, NULL) == pbdr_statusOk;
    if (made) {
        const double mass = density * solid.volume;
        shape->kind = manyConvex;
        shape->mass = mass;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                shape->inertia.m[i][j] = mass * solid.inertia.m[i][j];
            }
        }
        *centre = solid.centre;
        made = setMesh(shape, &hull, solid.centre);
    }
    pbdrMesh_Free(&soup);
    pbdrMesh_Free(&hull);
    free(fan);
    return made ? scene->shapeCount - 1 : -1;
}

static bool setHull(ManyShape* shape)
{
    const pbdrMesh mesh = {.vertexCount = shape->vertexCount,
                           .vertices = shape->vertices,
                           .triangleCount = shape->triangleCount,
                           .triangles = shape->triangles};
    pbdrMesh hull = {.vertexCount = 0};
    if (pbdrMakeHullMesh(&mesh, NULL, &hull, NULL) != pbdr_statusOk) {
        return false;
    }
    const size_t size = (size_t)hull.vertexCount * sizeof *shape->hull;
    shape->hull = malloc(size);
    if (shape->hull != NULL) {
        shape->hullCount = hull.vertexCount;
        memcpy(shape->hull, hull.vertices, size);
    }
    pbdrMesh_Free(&hull);
    return shape->hull != NULL;
}

int manyAddBunny(ManyScene* scene, const char* path, int count, double density, char* message, size_t size)
{
    pbdrError error = {.message = "out of memory"};
    pbdrMesh mesh = {.vertexCount = 0};
    ManyShape* shape = addShape(scene);
    pbdrPackDef def = pbdrDefaultPackDef();
    def.extent = BUNNY_EXTENT;
    def.density = density;
    def.count = count;
    def.skipQuality = true;
    bool made = shape != NULL && (shape->packed = calloc(1, sizeof *shape->packed)) != NULL;
    made = made && pbdrLoadMesh(path, NULL, &mesh, NULL, &error) == pbdr_statusOk;
    made = made && pbdrPackMeshBody(&mesh, &def, NULL, shape->packed, NULL, &error) == pbdr_statusOk;
    if (made) {
        shape->kind = manyMesh;
        shape->mass = shape->packed->solid.mass;
        shape->inertia = shape->packed->solid.inertia;
        made = setMesh(shape, &shape->packed->mesh, shape->packed->solid.centre) && setHull(shape);
    }
    pbdrMesh_Free(&mesh);
    if (!made) {
        snprintf(message, size, "%.200s", error.message);
    }
    return made ? scene->shapeCount - 1 : -1;
}

static bool addBody(ManyScene* scene, int shape, pbdrVec3 position, pbdrQuat rotation, bool fixed)
{
    if (shape < 0) {
        return false;
    }
    if (scene->bodyCount == scene->bodyCapacity) {
        int capacity = scene->bodyCapacity > 0 ? 2 * scene->bodyCapacity : 64;
        ManyBody* bodies = realloc(scene->bodies, (size_t)capacity * sizeof *bodies);
        if (bodies == NULL) {
            return false;
        }
        scene->bodies = bodies;
        scene->bodyCapacity = capacity;
    }
    scene->bodies[scene->bodyCount++] =
        (ManyBody){.shape = shape, .fixed = fixed, .start = {position, benchNormalizeQ(rotation)}};
    scene->movingCount += !fixed;
    return true;
}

bool manyAddBody(ManyScene* scene, int shape, pbdrVec3 position, pbdrQuat rotation)
{
    return addBody(scene, shape, position, rotation, false);
}

bool manyAddFixed(ManyScene* scene, int shape, pbdrVec3 position, pbdrQuat rotation)
{
    return addBody(scene, shape, position, rotation, true);
}

void manyFreeScene(ManyScene* scene)
{
    for (int k = 0; k < scene->shapeCount; k++) {
        free(scene->shapes[k].vertices);
        free(scene->shapes[k].triangles);
        free(scene->shapes[k].hull);
        if (scene->shapes[k].packed != NULL) {
            pbdrPackedBody_Free(scene->shapes[k].packed);
            free(scene->shapes[k].packed);
        }
    }
    free(scene->shapes);
    free(scene->bodies);
    *scene = (ManyScene){.name = NULL};
}
