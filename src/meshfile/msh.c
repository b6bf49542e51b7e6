// MSH as MuJoCo has it: four 32-bit integers nv, nn, nt, nf, then in single precision 3 nv coordinates, 3 nn
// numbers of normals and 2 nt of texture, then 3 nf 32-bit indices of triangle corners; little endian. After
// MuJoCo's XML reference, asset/mesh. The .msh of Gmsh is another format, a text, and refused.
#include "meshfile/mesh_file.h"

#include "meshfile/bytes.h"

#define HEADING_SIZE 16

static pbdrStatus readVertices(pbdrMeshFile* file, const char* at, int count)
{
    pbdrStatus status = pbdrGrow(file, &file->vertices, (size_t)count);
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    file->item = "vertex";
    for (int i = 0; i < count && status == pbdr_statusOk; i++) {
        double values[3];
        file->itemIndex = i;
        for (int k = 0; k < 3 && status == pbdr_statusOk; k++, at += 4) {
            values[k] = pbdrDecodeFloat(at, false);
            status = pbdrCheckCoordinate(file, values[k]);
        }
        if (status == pbdr_statusOk) {
            status = pbdrAddVertex(file, (pbdrVec3){values[0], values[1], values[2]}, none);
        }
    }
    return status;
}

static pbdrStatus readFaces(pbdrMeshFile* file, const char* at, int count)
{
    pbdrStatus status = pbdrGrow(file, &file->triangles, (size_t)count);
    file->item = "face";
    for (int i = 0; i < count && status == pbdr_statusOk; i++) {
        int32_t corners[3];
        file->itemIndex = i;
        for (int k = 0; k < 3; k++, at += 4) {
            uint64_t corner = pbdrDecodeBits(at, 4, false);
            if (corner >= (uint64_t)file->vertexCount) {
                return PBDR_FAIL_FORMAT(file, "face corner %llu is none of %d vertices",
                                        (unsigned long long)corner, file->vertexCount);
            }
            corners[k] = (int32_t)corner;
        }
        status = pbdrAddTriangle(file, corners[0], corners[1], corners[2]);
    }
    return status;
}

pbdrStatus pbdrReadMsh(pbdrMeshFile* file)
{
    static const int widths[4] = {3, 3, 2, 3}; // numbers per vertex, normal, texture place, face
    uint64_t counts[4] = {0}, wantedSize = HEADING_SIZE;
    for (int k = 0; k < 4 && file->size >= HEADING_SIZE; k++) {
        counts[k] = pbdrDecodeBits(file->bytes + 4 * k, 4, false);
        wantedSize += 4 * (uint64_t)widths[k] * counts[k];
    }
    if (file->size != wantedSize) {
        return PBDR_FAIL_FORMAT(
            file, "%zu bytes; as MuJoCo's MSH, %llu vertices and %llu faces take %llu (Gmsh's is not read)",
            file->size, (unsigned long long)counts[0], (unsigned long long)counts[3],
            (unsigned long long)wantedSize);
    }
    pbdrStatus status = readVertices(file, file->bytes + HEADING_SIZE, (int)counts[0]);
    const char* faces = file->bytes + file->size - 12 * (size_t)counts[3];
    return status == pbdr_statusOk ? readFaces(file, faces, (int)counts[3]) : status;
}
