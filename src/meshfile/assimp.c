// Mesh files through assimp, which is trusted with good input only. Version 5.2 repeats the last face of a
// PLY that is cut short, drops OBJ vertices such as .5 .5 0 and moves the others up, reads a binary PLY one
// byte off if its data begin with a line feed, and where its assertions are compiled in (Debian) ends the
// process over some of this. So no file reaches it as it is:
//
//   file --> checked word by word --> copy in the plainest form of its format --> assimp --> pbdrCreateMesh
//
// and in the end there must be as many triangles as the polygons that were checked come to.
#include "pbdr/meshfile.h"

#include "base.h"
#include "meshfile/plain_copy.h"

#include <assimp/cimport.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <string.h>

typedef struct Format {
    const char* ending; // as assimp knows it
    pbdrStatus (*copy)(pbdrPlainCopy* copy);
} Format;

static const Format formats[] = {{"obj", pbdrCopyObj}, {"stl", pbdrCopyStl}, {"ply", pbdrCopyPly}};

static const Format* findFormat(const char* path)
{
    const char* dot = strrchr(path, '.');
    pbdrWord ending = {dot != NULL ? dot + 1 : path, path + strlen(path)};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0] && dot != NULL; i++) {
        if (pbdrIsWord(ending, formats[i].ending)) {
            return &formats[i];
        }
    }
    return NULL;
}

// --- The file ---

// Reads the file and makes the copy.
static pbdrStatus prepareCopy(pbdrPlainCopy* copy, const Format* format)
{
    pbdrStatus status = pbdrReadFile(copy);
    if (status == pbdr_statusOk) {
        status = format->copy(copy);
    }
    copy->text.line = 0;
    copy->item = NULL;
    if (status == pbdr_statusOk && copy->outOfMemory) {
        status = pbdrFailFile(copy, pbdr_statusNoMemory, "no memory for a copy of %zu bytes", copy->fileSize);
    } else if (status == pbdr_statusOk && copy->triangleCount == 0) {
        status = pbdrFailFile(copy, pbdr_statusMeshBroken, "no triangles, only %lld vertices",
                              (long long)copy->vertexCount);
    }
    pbdrRelease(copy->hooks, copy->file, copy->fileSize, 1);
    copy->file = NULL;
    return status;
}

// --- assimp ---

// Counts a scene's vertices and triangles; points and lines are left out. False if an index is out of range.
static bool countScene(const struct aiScene* scene, int64_t* vertexCount, int64_t* triangleCount)
{
    *vertexCount = *triangleCount = 0;
    for (unsigned int m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh* part = scene->mMeshes[m];
        for (unsigned int f = 0; f < part->mNumFaces; f++) {
            for (unsigned int k = 0; k < part->mFaces[f].mNumIndices; k++) {
                if (part->mFaces[f].mIndices[k] >= part->mNumVertices) {
                    return false;
                }
            }
            *triangleCount += part->mFaces[f].mNumIndices == 3;
        }
        *vertexCount += part->mNumVertices;
    }
    return *vertexCount <= INT32_MAX && *triangleCount <= INT32_MAX;
}

// All parts of a counted scene one after the other.
static void copyScene(const struct aiScene* scene, pbdrVec3* vertices, int32_t (*triangles)[3])
{
    int32_t vertexCount = 0, triangleCount = 0;
    for (unsigned int m = 0; m < scene->mNumMeshes; m++) {
        const struct aiMesh* part = scene->mMeshes[m];
        for (unsigned int f = 0; f < part->mNumFaces; f++) {
            const struct aiFace* face = &part->mFaces[f];
            for (unsigned int k = 0; k < 3 && face->mNumIndices == 3; k++) {
                triangles[triangleCount][k] = vertexCount + (int32_t)face->mIndices[k];
            }
            triangleCount += face->mNumIndices == 3;
        }
        for (unsigned int i = 0; i < part->mNumVertices; i++) {
            struct aiVector3D v = part->mVertices[i];
            vertices[vertexCount++] = (pbdrVec3){(double)v.x, (double)v.y, (double)v.z};
        }
    }
}

static pbdrStatus createFromScene(const pbdrPlainCopy* copy, const struct aiScene* scene, pbdrMesh* mesh,
                                  pbdrMeshReport* report)
{
    int64_t vertexCount, triangleCount;
    if (!countScene(scene, &vertexCount, &triangleCount) || triangleCount != copy->triangleCount) {
        return PBDR_FAIL_FORMAT(
            copy, "assimp cut the polygons into %lld triangles in place of %lld: one crosses itself",
            (long long)triangleCount, (long long)copy->triangleCount);
    }
    size_t v = (size_t)vertexCount, t = (size_t)triangleCount;
    pbdrVec3* vertices = pbdrAllocate(copy->hooks, v, sizeof *vertices);
    int32_t(*triangles)[3] = pbdrAllocate(copy->hooks, t, sizeof *triangles);
    pbdrError reason = {pbdr_statusNoMemory, "no memory for the triangles"};
    pbdrStatus status = pbdr_statusNoMemory;
    if (vertices != NULL && triangles != NULL) {
        copyScene(scene, vertices, triangles);
        status = pbdrCreateMesh(vertices, (int)vertexCount, (const int32_t(*)[3])triangles,
                                (int)triangleCount, copy->hooks, mesh, report, &reason);
    }
    pbdrRelease(copy->hooks, vertices, v, sizeof *vertices);
    pbdrRelease(copy->hooks, triangles, t, sizeof *triangles);
    if (status != pbdr_statusOk) {
        // What is an invalid argument to pbdrCreateMesh (a NaN) came from the file.
        pbdrStatus shown = status == pbdr_statusInvalidArgument ? pbdr_statusFileFormat : status;
        status = pbdrFailFile(copy, shown, "%s", reason.message);
    }
    return status;
}

static pbdrStatus importCopy(const pbdrPlainCopy* copy, const Format* format, pbdrMesh* mesh,
                             pbdrMeshReport* report)
{
    // The second step applies the transforms of a scene's nodes, so that its parts need only be strung
    // together.
    const unsigned int steps = aiProcess_Triangulate | aiProcess_PreTransformVertices;
    const struct aiScene* scene =
        aiImportFileFromMemory(copy->data, (unsigned int)copy->size, steps, format->ending);
    if (scene == NULL) {
        return PBDR_FAIL_FORMAT(copy, "assimp: %s", aiGetErrorString());
    }
    pbdrStatus status = createFromScene(copy, scene, mesh, report);
    aiReleaseImport(scene);
    return status;
}

pbdrStatus pbdrLoadMesh(const char* path, const pbdrHooks* hooks, pbdrMesh* mesh, pbdrMeshReport* report,
                        pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, path != NULL && mesh != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or mesh: NULL");
    }
    memset(mesh, 0, sizeof *mesh);
    if (report != NULL) {
        memset(report, 0, sizeof *report);
    }
    pbdrPlainCopy copy = {.path = path, .hooks = hooks, .error = error};
    const Format* format = findFormat(path);
    if (format == NULL) {
        return PBDR_FAIL_FORMAT(&copy, "the name ends in none of .obj, .stl and .ply");
    }
    pbdrStatus status = prepareCopy(&copy, format);
    if (status == pbdr_statusOk) {
        status = importCopy(&copy, format, mesh, report);
    }
    pbdrRelease(hooks, copy.data, copy.capacity, 1);
    return status;
}
