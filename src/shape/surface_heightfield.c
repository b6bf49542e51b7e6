// Heightfields as meshes: two triangles per cell, facing up.
#include "base.h"
#include "math/vec.h"
#include "shape/surface.h"

// Heights at most, so that two triangles per cell still count in an int.
#define MAX_HEIGHTS (1 << 28)

pbdrStatus pbdrMakeHeightfieldMesh(const double* heights, int columns, int rows, double spacing,
                                   pbdrVec3 corner, const pbdrHooks* hooks, pbdrMesh* mesh, pbdrError* error)
{
    *mesh = (pbdrMesh){.vertexCount = 0};
    if (columns < 2 || rows < 2 || columns > MAX_HEIGHTS / rows) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "heightfield: %d x %d heights; at least 2 x 2 and at most %d in all are possible",
                        columns, rows, MAX_HEIGHTS);
    }
    if (!(spacing > 0.0) || !isfinite(spacing) || !pbdrIsFiniteVec(corner)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "heightfield: spacing %g m from (%g, %g, %g) m: not above zero or not finite",
                        spacing, corner.x, corner.y, corner.z);
    }
    for (int i = 0; i < columns * rows; i++) {
        if (!isfinite(heights[i])) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "heightfield: %g m in row %d, column %d is not finite", heights[i], i / columns,
                            i % columns);
        }
    }
    size_t vertexCount = (size_t)columns * (size_t)rows;
    size_t triangleCount = 2 * (size_t)(columns - 1) * (size_t)(rows - 1);
    pbdrVec3* vertices = pbdrAllocate(hooks, vertexCount, sizeof *vertices);
    int32_t(*triangles)[3] = pbdrAllocate(hooks, triangleCount, sizeof *triangles);
    pbdrStatus status = pbdr_statusNoMemory;
    if (vertices != NULL && triangles != NULL) {
        size_t t = 0;
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < columns; column++) {
                int32_t v = row * columns + column;
                vertices[v] = pbdrAdd(corner, pbdrVec(column * spacing, row * spacing, heights[v]));
                if (row + 1 < rows && column + 1 < columns) {
                    int32_t right = v + 1, up = v + columns, both = up + 1;
                    int32_t* first = triangles[t++];
                    int32_t* second = triangles[t++];
                    first[0] = v, first[1] = right, first[2] = both;
                    second[0] = v, second[1] = both, second[2] = up;
                }
            }
        }
        status = pbdrCreateMesh(vertices, (int)vertexCount, (const int32_t(*)[3])triangles,
                                (int)triangleCount, hooks, mesh, NULL, error);
    } else {
        pbdrFail(error, status, "no memory for a heightfield of %d x %d", columns, rows);
    }
    pbdrRelease(hooks, vertices, vertexCount, sizeof *vertices);
    pbdrRelease(hooks, triangles, triangleCount, sizeof *triangles);
    return status;
}
