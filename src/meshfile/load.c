// Loading meshes and point clouds: the format by the name's ending, its reader, then pbdrCreateMesh or
// pbdrCreatePointCloud.
//
//   file --> checked word by word, in double --> vertices, triangles --> pbdrCreateMesh
//
// Everything but the formats that assimp alone reads is read here, with a C compiler and libm.
#include "base.h"
#include "meshfile/mesh_file.h"

#include <stdio.h>
#include <string.h>

typedef struct Format {
    const char* ending; // in lower case; NULL ends the table
    pbdrStatus (*read)(pbdrMeshFile* file);
} Format;

static const Format meshFormats[] = {
    {"obj", pbdrReadObj},           {"stl", pbdrReadStl},
    {"ply", pbdrReadPly},           {"msh", pbdrReadMsh},
    {"dae", pbdrReadThroughAssimp}, {"gltf", pbdrReadThroughAssimp},
    {"glb", pbdrReadThroughAssimp}, {"3mf", pbdrReadThroughAssimp},
    {"off", pbdrReadThroughAssimp}, {NULL, NULL},
};

static const Format pointFormats[] = {
    {"ply", pbdrReadPly},
    {"xyz", pbdrReadTextPoints},
    {"txt", pbdrReadTextPoints},
    {"pts", pbdrReadTextPoints},
    {NULL, NULL},
};

// NULL if there is none.
static const Format* findFormat(const Format* formats, const char* path)
{
    const char* dot = strrchr(path, '.');
    for (; dot != NULL && formats->ending != NULL; formats++) {
        if (pbdrIsWord((pbdrWord){dot + 1, path + strlen(path)}, formats->ending)) {
            return formats;
        }
    }
    return NULL;
}

static pbdrStatus failEnding(const pbdrMeshFile* file, const Format* formats)
{
    char list[160] = "";
    for (const Format* format = formats; format->ending != NULL; format++) {
        size_t used = strlen(list);
        const char* between = format == formats ? "" : format[1].ending != NULL ? ", " : " and ";
        snprintf(list + used, sizeof list - used, "%s.%s", between, format->ending);
    }
    return PBDR_FAIL_FORMAT(file, "the name ends in none of %s", list);
}

// Reads the file by the format of its ending, and lets go of its bytes.
static pbdrStatus readByEnding(pbdrMeshFile* file, const Format* formats)
{
    const Format* format = findFormat(formats, file->path);
    if (format == NULL) {
        return failEnding(file, formats);
    }
    pbdrStatus status = pbdrReadFile(file);
    if (status == pbdr_statusOk) {
        status = format->read(file);
    }
    file->text.line = 0;
    file->item = NULL;
    pbdrRelease(file->hooks, file->bytes, file->size, 1);
    file->bytes = NULL;
    return status;
}

// What is an invalid argument to the maker of meshes or clouds came from the file.
static pbdrStatus failMaking(const pbdrMeshFile* file, const pbdrError* reason)
{
    pbdrStatus status = reason->status == pbdr_statusInvalidArgument ? pbdr_statusFileFormat : reason->status;
    return pbdrFailFile(file, status, "%s", reason->message);
}

// --- Meshes ---

// Says in words what the counts say in numbers; nothing if there is nothing to say.
static void fillWarning(bool hasLines, pbdrMeshFileReport* report)
{
    const char* where = hasLines ? "in line" : "is face";
    size_t used = 0, size = sizeof report->warning;
    if (report->skippedFaces > 0) {
        snprintf(report->warning, size, "faces of fewer than 3 corners are left out: %d, the first %s %d",
                 report->skippedFaces, where, report->firstSkipped);
        used = strlen(report->warning);
    }
    if (report->crossedFaces > 0) {
        snprintf(report->warning + used, size - used,
                 "%spolygons that cross themselves are cut as well as can be: %d, the first %s %d",
                 used > 0 ? "; " : "", report->crossedFaces, where, report->firstCrossed);
    }
}

static pbdrStatus makeMesh(pbdrMeshFile* file, pbdrMesh* mesh, pbdrMeshFileReport* report)
{
    if (file->triangleCount == 0) {
        return pbdrFailFile(file, pbdr_statusMeshBroken, "no triangles, only %d vertices", file->vertexCount);
    }
    pbdrError reason = {0};
    pbdrStatus status =
        pbdrCreateMesh(file->vertices.items, file->vertexCount, (const int32_t(*)[3])file->triangles.items,
                       file->triangleCount, file->hooks, mesh, &report->mesh, &reason);
    return status == pbdr_statusOk ? status : failMaking(file, &reason);
}

pbdrStatus pbdrReadMeshFile(const char* path, const pbdrHooks* hooks, pbdrMesh* mesh,
                            pbdrMeshFileReport* report, pbdrError* error)
{
    pbdrMeshFileReport ownReport;
    report = report != NULL ? report : &ownReport;
    memset(report, 0, sizeof *report);
    if (!PBDR_ASSERT(hooks, path != NULL && mesh != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or mesh: NULL");
    }
    memset(mesh, 0, sizeof *mesh);
    pbdrMeshFile file = pbdrMakeMeshFile(path, hooks, error);
    pbdrStatus status = readByEnding(&file, meshFormats);
    if (status == pbdr_statusOk) {
        *report = file.seen;
        fillWarning(file.hasLines, report);
        status = makeMesh(&file, mesh, report);
    }
    pbdrFreeMeshFile(&file);
    return status;
}

pbdrStatus pbdrLoadMesh(const char* path, const pbdrHooks* hooks, pbdrMesh* mesh, pbdrMeshReport* report,
                        pbdrError* error)
{
    pbdrMeshFileReport whole;
    pbdrStatus status = pbdrReadMeshFile(path, hooks, mesh, &whole, error);
    if (report != NULL) {
        *report = whole.mesh;
    }
    return status;
}

// --- Point clouds ---

pbdrStatus pbdrLoadPointCloud(const char* path, const pbdrHooks* hooks, pbdrPointCloud* cloud,
                              pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, path != NULL && cloud != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or cloud: NULL");
    }
    memset(cloud, 0, sizeof *cloud);
    pbdrMeshFile file = pbdrMakeMeshFile(path, hooks, error);
    file.wantsPoints = true;
    pbdrStatus status = readByEnding(&file, pointFormats);
    if (status == pbdr_statusOk && file.vertexCount == 0) {
        status = pbdrFailFile(&file, pbdr_statusMeshBroken, "no points");
    }
    if (status == pbdr_statusOk) {
        pbdrError reason = {0};
        status = pbdrCreatePointCloud(file.vertices.items, file.hasNormals ? file.normals.items : NULL,
                                      file.vertexCount, hooks, cloud, &reason);
        status = status == pbdr_statusOk ? status : failMaking(&file, &reason);
    }
    pbdrFreeMeshFile(&file);
    return status;
}
