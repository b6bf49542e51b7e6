// The mesh of tests 4 to 6: read, turned, scaled, weighed and packed, once for many runs.
#include "scene.h"

#include "fail.h"
#include "pbdr/bodyfile.h"
#include "pbdr/meshfile.h"
#include "vec.h"

#include <stdio.h>
#include <string.h>

// Whether the file's solid can be the mesh as the bench has it: the same inertia per mass, in the same axes.
static bool isSameSolid(const pbdrMassProperties* a, const pbdrMassProperties* b)
{
    double trace = b->inertia.m[0][0] + b->inertia.m[1][1] + b->inertia.m[2][2];
    for (int k = 0; k < 9; k++) {
        double off = a->inertia.m[k / 3][k % 3] / a->mass - b->inertia.m[k / 3][k % 3] / b->mass;
        if (!(fabs(off) <= 0.02 * trace / b->mass)) {
            return false;
        }
    }
    return true;
}

// The mesh's spheres from a body file, scaled to 1 kg. pbdr pack --size puts a mesh where the bench does, but
// --extent leaves its origin alone: those spheres are moved with their centre of mass.
static pbdrStatus readSpheres(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    pbdrBodyFile body;
    pbdrStatus status = pbdrLoadBodyFile(options->bodyPath, NULL, &body, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    bool evenly = options->fit == benchFitExtent;
    pbdrVec3 move = benchSub(shapes->meshTruth.centre, body.solid.centre);
    if (evenly ? !isSameSolid(&body.solid, &shapes->meshTruth) : benchLength(move) > 0.05 * BENCH_SIDE) {
        pbdrBodyFile_Free(&body);
        return benchFail(error, pbdr_statusInvalidArgument,
                         "%s: its %s %s as the benchmark scales it; pack that mesh with --%s %g",
                         options->bodyPath,
                         evenly ? "inertia is not that of" : "centre of mass is far from that of",
                         options->meshPath, evenly ? "extent" : "size", BENCH_SIDE);
    }
    for (int i = 0; i < body.spheres.count && evenly; i++) {
        body.spheres.positions[i] = benchAdd(body.spheres.positions[i], move);
    }
    double mass = 0.0;
    for (int i = 0; i < body.spheres.count; i++) {
        mass += body.spheres.masses[i];
    }
    for (int i = 0; i < body.spheres.count; i++) {
        body.spheres.masses[i] /= mass;
    }
    for (int k = 0; k < 9; k++) {
        shapes->meshExtraInertia.m[k / 3][k % 3] = body.extraInertia.m[k / 3][k % 3] / mass;
    }
    shapes->meshSpheres = body.spheres;
    body.spheres = (pbdrSphereSet){0};
    pbdrBodyFile_Free(&body);
    return pbdr_statusOk;
}

static pbdrStatus packMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    if (options->bodyPath != NULL) {
        return readSpheres(shapes, options, error);
    }
    if (options->packing == benchPackingGrid) {
        return pbdrPackMesh(&shapes->mesh, options->radius, 1.0, NULL, &shapes->meshSpheres, error);
    }
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = options->count;
    def.meanGap = options->count > 0 ? 0.0 : options->tolerance;
    def.radius = options->count > 0 || options->tolerance > 0.0 ? 0.0 : options->radius;
    return pbdrPackSurface(&shapes->mesh, &def, 1.0, NULL, &shapes->meshSpheres, NULL, error);
}

static void yawMesh(pbdrMesh* mesh, double yaw)
{
    double c = cos(yaw), s = sin(yaw);
    for (int i = 0; i < mesh->vertexCount && yaw != 0.0; i++) {
        pbdrVec3* v = &mesh->vertices[i];
        *v = benchVec(c * v->x - s * v->y, s * v->x + c * v->y, v->z);
    }
}

// The file's name without folders and ending; what XML or a table could stumble over becomes '_'.
static void nameMesh(BenchShapes* shapes, const char* path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path,
               *dot = strrchr(name, '.');
    int length = (int)(dot != NULL && dot > name ? (size_t)(dot - name) : strlen(name));
    snprintf(shapes->meshName, sizeof shapes->meshName, "%.*s", length, name);
    for (char* c = shapes->meshName; *c != 0; c++) {
        bool plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        *c = plain || (c > shapes->meshName && strchr("-.", *c) != NULL) ? *c : '_';
    }
}

// Puts the vertices of the base into one plane. Returns how far one was moved at most [m].
static double flattenBase(pbdrMesh* mesh)
{
    double lowest = HUGE_VAL, furthest = 0.0;
    for (int i = 0; i < mesh->vertexCount; i++) {
        lowest = fmin(lowest, mesh->vertices[i].z);
    }
    for (int i = 0; i < mesh->vertexCount; i++) {
        double above = mesh->vertices[i].z - lowest;
        if (above <= BENCH_FLAT_BASE * BENCH_SIDE) {
            mesh->vertices[i].z = lowest;
            furthest = fmax(furthest, above);
        }
    }
    return furthest;
}

// The meshes that touch, on either base: no number of the body's mass is taken from them.
static pbdrStatus makeSurfaces(BenchShapes* shapes, pbdrError* error)
{
    pbdrMesh *raw = &shapes->surfaces[benchBaseRaw], *flat = &shapes->surfaces[benchBaseFlat];
    pbdrStatus status = pbdrRepairMesh(&shapes->mesh, NULL, raw, NULL, error);
    if (status == pbdr_statusOk) {
        status = pbdrCreateMesh(raw->vertices, raw->vertexCount, (const int32_t(*)[3])raw->triangles,
                                raw->triangleCount, NULL, flat, NULL, error);
    }
    if (status == pbdr_statusOk) {
        shapes->flattening = flattenBase(flat);
    }
    return status;
}

static pbdrStatus loadMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    pbdrMeshFileReport report;
    pbdrStatus status = pbdrReadMeshFile(options->meshPath, NULL, &shapes->mesh, &report, error);
    snprintf(shapes->meshWarning, sizeof shapes->meshWarning, "%s", report.warning);
    // turned first: scaling the axes of a standing body leaves it standing
    if (status == pbdr_statusOk && options->stand) {
        status = pbdrMesh_Stand(&shapes->mesh, &shapes->standing, error);
    }
    if (status == pbdr_statusOk) {
        status = options->fit == benchFitExtent ? pbdrMesh_FitExtent(&shapes->mesh, BENCH_SIDE, error)
                                                : pbdrMesh_FitCube(&shapes->mesh, BENCH_SIDE, error);
    }
    yawMesh(&shapes->mesh, options->yaw);
    if (status == pbdr_statusOk) {
        status = options->packing == benchPackingSurface
                     ? pbdrMesh_GetSolidProperties(&shapes->mesh, 1.0, &shapes->meshTruth, NULL, error)
                     : pbdrMesh_GetMassProperties(&shapes->mesh, 1.0, &shapes->meshTruth, error);
    }
    if (status == pbdr_statusOk) {
        status = packMesh(shapes, options, error);
    }
    for (int i = 0; status == pbdr_statusOk && i < shapes->mesh.vertexCount; i++) {
        shapes->mesh.vertices[i] = benchSub(shapes->mesh.vertices[i], shapes->meshTruth.centre);
    }
    return status == pbdr_statusOk ? makeSurfaces(shapes, error) : status;
}

// All but Test 7's references, which do not depend on the mesh.
static void freeMesh(BenchShapes* shapes)
{
    pbdrMesh_Free(&shapes->mesh);
    pbdrSphereSet_Free(&shapes->meshSpheres);
    for (int base = 0; base < BENCH_BASE_COUNT; base++) {
        pbdrMesh_Free(&shapes->surfaces[base]);
    }
    shapes->flattening = 0.0;
    shapes->meshExtraInertia = (pbdrMat3){0};
}

pbdrStatus benchPrepareMesh(BenchShapes* shapes, const BenchOptions* options, pbdrError* error)
{
    nameMesh(shapes, options->meshPath);
    pbdrStatus status = loadMesh(shapes, options, error);
    if (status != pbdr_statusOk) {
        freeMesh(shapes);
        bool named = error != NULL &&
                     (strstr(error->message, options->meshPath) != NULL ||
                      (options->bodyPath != NULL && strstr(error->message, options->bodyPath) != NULL));
        if (error != NULL && !named) {
            pbdrError cause = *error;
            benchFail(error, status, "%s: %.400s", options->meshPath, cause.message);
        }
    }
    return status;
}

void benchFreeShapes(BenchShapes* shapes)
{
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        benchFreePushingPath(&shapes->pushing[k]);
    }
    freeMesh(shapes);
    memset(shapes, 0, sizeof *shapes);
}
