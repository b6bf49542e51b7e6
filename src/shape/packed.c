// Shapes of packed meshes and clouds: their spheres, their weight, and the mesh as the surface.
#include "shape/shape.h"

#include "math/vec.h"

// Vertices this near to the lowest plane lie on it, over the largest extent: scans and hand-made meshes stand on
// three of their vertices otherwise, and rock.
#define FLAT_BASE 3.0e-3

// Moves the vertices next to the lowest plane (z) onto it.
static void flattenBase(pbdrVec3* vertices, int count)
{
    pbdrVec3 lower = vertices[0], upper = vertices[0];
    for (int i = 1; i < count; i++) {
        lower =
            pbdrVec(fmin(lower.x, vertices[i].x), fmin(lower.y, vertices[i].y), fmin(lower.z, vertices[i].z));
        upper =
            pbdrVec(fmax(upper.x, vertices[i].x), fmax(upper.y, vertices[i].y), fmax(upper.z, vertices[i].z));
    }
    double extent = fmax(upper.x - lower.x, fmax(upper.y - lower.y, upper.z - lower.z));
    for (int i = 0; i < count; i++) {
        if (vertices[i].z <= lower.z + FLAT_BASE * extent) {
            vertices[i].z = lower.z;
        }
    }
}

pbdrStatus pbdrCreatePackedShape(const pbdrPackedBody* body, const pbdrHooks* hooks, pbdrShape** shape,
                                 pbdrError* error)
{
    static const pbdrHooks none;
    *shape = NULL;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.hooks = hooks != NULL ? *hooks : none;
    def.sphereCount = body->spheres.count;
    def.positions = body->spheres.positions;
    def.radii = body->spheres.radii;
    def.masses = body->spheres.masses;
    def.extraInertia = body->extraInertia;
    if (body->mesh.triangleCount == 0) {
        return pbdrCreateShape(&def, shape, error);
    }
    const size_t count = (size_t)body->mesh.vertexCount;
    pbdrVec3* vertices = pbdrAllocate(&def.hooks, count, sizeof *vertices);
    if (vertices == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "shape: out of memory for %zu vertices", count);
    }
    for (size_t i = 0; i < count; i++) {
        vertices[i] = body->mesh.vertices[i];
    }
    flattenBase(vertices, body->mesh.vertexCount);
    pbdrMesh mesh = body->mesh;
    mesh.vertices = vertices;
    def.surface.kind = pbdr_surfaceMesh;
    def.surface.mesh = &mesh;
    pbdrStatus status = pbdrCreateShape(&def, shape, error);
    pbdrRelease(&def.hooks, vertices, count, sizeof *vertices);
    return status;
}
