// Formats that only assimp reads: Collada, glTF, 3MF, OFF. OBJ, STL, PLY and MSH never come here.
//
// assimp is trusted with good input only: version 5.2 frees memory twice where an allocation fails, and where
// its assertions are compiled in (Debian) ends the process over some damaged files. What it hands over is
// checked here. It reads in single precision.
#include "base.h"
#include "meshfile/mesh_file.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

// One part of a scene, with its own vertices; points and lines are left out.
static pbdrStatus readPart(pbdrMeshFile* file, const struct aiMesh* part)
{
    pbdrStatus status = pbdr_statusOk;
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    int32_t first = file->vertexCount;
    for (unsigned int i = 0; i < part->mNumVertices && status == pbdr_statusOk; i++) {
        struct aiVector3D v = part->mVertices[i];
        const double values[] = {(double)v.x, (double)v.y, (double)v.z};
        for (int k = 0; k < 3 && status == pbdr_statusOk; k++) {
            status = pbdrCheckCoordinate(file, values[k]);
        }
        if (status == pbdr_statusOk) {
            status = pbdrAddVertex(file, (pbdrVec3){values[0], values[1], values[2]}, none);
        }
    }
    for (unsigned int f = 0; f < part->mNumFaces && status == pbdr_statusOk; f++) {
        const struct aiFace* face = &part->mFaces[f];
        file->cornerCount = 0;
        for (unsigned int k = 0; k < face->mNumIndices && status == pbdr_statusOk; k++) {
            status = face->mIndices[k] < part->mNumVertices
                         ? pbdrAddCorner(file, first + (int32_t)face->mIndices[k])
                         : PBDR_FAIL_FORMAT(file, "assimp: face corner %u is none of %u vertices",
                                            face->mIndices[k], part->mNumVertices);
        }
        if (status == pbdr_statusOk && face->mNumIndices >= 3) {
            status = pbdrAddPolygon(file);
        }
    }
    return status;
}

static pbdrStatus readScene(pbdrMeshFile* file, const struct aiScene* scene)
{
    uint64_t vertexCount = 0;
    for (unsigned int m = 0; m < scene->mNumMeshes; m++) {
        vertexCount += scene->mMeshes[m]->mNumVertices;
    }
    if (vertexCount > INT32_MAX / 4) {
        return PBDR_FAIL_FORMAT(file, "%llu vertices are too many", (unsigned long long)vertexCount);
    }
    pbdrStatus status = pbdr_statusOk;
    file->item = "part";
    for (unsigned int m = 0; m < scene->mNumMeshes && status == pbdr_statusOk; m++) {
        file->itemIndex = (int)m;
        status = readPart(file, scene->mMeshes[m]);
    }
    return status;
}

pbdrStatus pbdrReadThroughAssimp(pbdrMeshFile* file)
{
    struct aiPropertyStore* properties = aiCreatePropertyStore();
    // Axes as in the file: Collada's z stays z, where assimp would turn everything to y upwards.
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_COLLADA_IGNORE_UP_DIRECTION, 1);
    // This step applies the transforms of a scene's nodes, so that its parts need only be strung together.
    const struct aiScene* scene =
        aiImportFileExWithProperties(file->path, aiProcess_PreTransformVertices, NULL, properties);
    aiReleasePropertyStore(properties);
    if (scene == NULL) {
        return PBDR_FAIL_FORMAT(file, "assimp: %s", aiGetErrorString());
    }
    pbdrStatus status = readScene(file, scene);
    aiReleaseImport(scene);
    return status;
}
