// What pbdr pack reads and writes: meshes, points, spheres, and the body.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "pack.h"

#include "pbdr/meshfile.h"

#include <math.h>
#include <string.h>
#include <strings.h>

// Lengths from here on make a user of millimetres wonder [m].
#define LONG_EXTENT 10.0

const char* const packingNames[] = {"grid", "surface", NULL};
const char* const massNames[] = {"uniform", "exact", NULL};

int failPack(const char* path, const pbdrError* error)
{
    if (strstr(error->message, path) != NULL) {
        fprintf(stderr, "pbdr pack: %s\n", error->message);
    } else {
        fprintf(stderr, "pbdr pack: %s: %s\n", path, error->message);
    }
    return EXIT_FAILED;
}

// --- In ---

// Whether the file's name says that it holds points.
static bool isCloudName(const char* path)
{
    static const char* const endings[] = {".xyz", ".txt", ".pts"};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        if (length > 4 && strcasecmp(path + length - 4, endings[k]) == 0) {
            return true;
        }
    }
    return false;
}

static void noteLength(const Pack* pack, const pbdrMesh* mesh)
{
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    double length = fmax(upper.x - lower.x, fmax(upper.y - lower.y, upper.z - lower.z));
    if (pack->size == 0.0 && pack->scale == 0.0 && pack->extent == 0.0 && length > LONG_EXTENT) {
        fprintf(
            stderr,
            "pbdr pack: note: %s is %.4g m long as it stands; a file in millimetres needs --scale 0.001\n",
            pack->meshPath, length);
    }
}

static pbdrStatus packMesh(Pack* pack, const pbdrPackDef* def, pbdrError* error)
{
    pbdrMesh mesh = {0};
    pbdrMeshFileReport report;
    pbdrStatus status = pbdrReadMeshFile(pack->meshPath, NULL, &mesh, &report, error);
    if (status == pbdr_statusOk && report.warning[0] != 0) {
        fprintf(stderr, "pbdr pack: warning: %s: %s\n", pack->meshPath, report.warning);
    }
    if (status == pbdr_statusOk) {
        noteLength(pack, &mesh);
        pack->vertexCount = mesh.vertexCount;
        pack->triangleCount = mesh.triangleCount;
        status = pbdrPackMeshBody(&mesh, def, NULL, &pack->body, &pack->report, error);
    }
    pbdrMesh_Free(&mesh);
    return status;
}

static pbdrStatus packCloud(Pack* pack, const pbdrPackDef* def, pbdrError* error)
{
    pbdrPointCloud cloud = {0};
    pack->cloud = true;
    pbdrStatus status = pbdrLoadPointCloud(pack->meshPath, NULL, &cloud, error);
    if (status == pbdr_statusOk) {
        status = pbdrPackCloudBody(&cloud, NULL, def, NULL, &pack->body, &pack->report, error);
    }
    pbdrPointCloud_Free(&cloud);
    if (status == pbdr_statusOk) {
        pack->vertexCount = pack->body.mesh.vertexCount;
        pack->triangleCount = pack->body.mesh.triangleCount;
        noteLength(pack, &pack->body.mesh);
    }
    return status;
}

static pbdrStatus packFile(Pack* pack, const pbdrPackDef* def, pbdrError* error)
{
    bool points = pack->isCloud || isCloudName(pack->meshPath);
    return points ? packCloud(pack, def, error) : packMesh(pack, def, error);
}

// What to try where the spheres cannot have the solid's mass properties.
static void addMassHint(const Pack* pack, pbdrError* error)
{
    size_t used = strlen(error->message);
    snprintf(error->message + used, sizeof error->message - used, "; try %s, or --masses uniform",
             pack->spheresPath != NULL         ? "other spheres"
             : pack->packing == packingSurface ? "a smaller --radius or more spheres"
                                               : "a smaller --radius, or --packing surface");
}

int makePackBody(Pack* pack, pbdrPackDef* def)
{
    pbdrError error = {0};
    pbdrBodyFile given = {0};
    if (pack->spheresPath != NULL) {
        if (pbdrLoadBodyFile(pack->spheresPath, NULL, &given, &error) != pbdr_statusOk) {
            return failPack(pack->spheresPath, &error);
        }
        def->spheres = pbdr_packGiven;
        def->given = &given.spheres;
    }
    pbdrStatus status = packFile(pack, def, &error);
    pbdrBodyFile_Free(&given);
    if (status == pbdr_statusOk || status == pbdr_statusStopped) {
        return status == pbdr_statusOk ? EXIT_OK : EXIT_INTERRUPTED;
    }
    bool weighed = pack->report.volume > 0.0; // then it was the spheres
    if (status == pbdr_statusInvalidArgument && weighed && pack->masses == massesExact) {
        addMassHint(pack, &error);
    }
    failPack(weighed && pack->spheresPath != NULL ? pack->spheresPath : pack->meshPath, &error);
    printPackWays(stderr, pack);
    return EXIT_FAILED;
}

// --- Out ---

// The options that decide the body, so that it can be made again.
static void noteOptions(const Pack* pack, pbdrBodyOrigin* origin)
{
    const struct {
        const char* name;
        double value;
    } numbers[] = {
        {"size", pack->size},           {"scale", pack->scale},
        {"extent", pack->extent},       {"mass", pack->mass},
        {"density", pack->density},     {"radius", pack->report.thinned ? pack->report.radius : pack->radius},
        {"tolerance", pack->tolerance}, {"count", pack->count},
        {"wrap-cell", pack->wrapCell},  {"max-volume-error", pack->maxVolumeError}};
    size_t used = 0;
    char* text = origin->options;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (numbers[k].value > 0.0) {
            used += (size_t)snprintf(text + used, sizeof origin->options - used, "--%s %.15g ",
                                     numbers[k].name, numbers[k].value);
        }
    }
    used += (size_t)snprintf(text + used, sizeof origin->options - used, "%s%s", pack->hull ? "--hull " : "",
                             pack->wrap ? "--wrap " : "");
    if (pack->spheresPath != NULL) {
        snprintf(text + used, sizeof origin->options - used, "--spheres %.150s --masses %s",
                 pack->spheresPath, massNames[pack->masses]);
    } else {
        snprintf(text + used, sizeof origin->options - used, "--packing %s --masses %s",
                 packingNames[pack->packing], massNames[pack->masses]);
    }
}

bool fillPackFile(const Pack* pack, pbdrBodyFile* file)
{
    const pbdrPackedBody* body = &pack->body;
    *file = (pbdrBodyFile){.spheres = body->spheres,
                           .normals = body->normals,
                           .solid = body->solid,
                           .extraInertia = body->extraInertia,
                           .hasMasses = true,
                           .hasSolid = true,
                           .hasQuality = body->hasQuality,
                           .exactMasses = body->exactMasses,
                           .fit = body->fit,
                           .quality = body->quality,
                           .inertiaErrorBefore = body->inertiaErrorBefore,
                           .inertiaErrorAfter = body->inertiaErrorAfter};
    pbdrBodyOrigin* origin = &file->origin;
    origin->scale = body->scale;
    origin->shift = body->shift;
    origin->seed = pack->seed;
    snprintf(origin->mesh, sizeof origin->mesh, "%s", pack->meshPath);
    snprintf(origin->version, sizeof origin->version, "%s", pbdrVersion());
    noteOptions(pack, origin);
    return hashFile(pack->meshPath, origin->meshSha256, &origin->meshSize);
}
