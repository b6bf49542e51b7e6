// Mass properties of the solid inside a closed mesh: a sum over the signed tetrahedra between each triangle
// (a, b, c) and one common apex. With the apex as origin, D = a . (b x c) and s = a + b + c a tetrahedron has
//
//   volume                D / 6
//   integral of x         D / 24  s
//   integral of x x^T     D / 120 (a a^T + b b^T + c c^T + s s^T)
//
// Parts outside the solid cancel, whatever the apex; the mean vertex keeps them small. After Lien and Kajiya
// 1984.
#include "geometry/mesh.h"

#include "base.h"
#include "math/vec.h"

#include <float.h>

// Integrals over the solid in lengths of `scale` about `apex`, so that neither microns nor kilometres under-
// or overflow (inertia is a fifth power of length).
typedef struct Moments {
    pbdrVec3 apex;       // mean vertex [m]
    double scale;        // largest distance of a vertex from it, per axis [m]
    double volume;       // [scale^3]
    pbdrVec3 first;      // integral of x [scale^4]
    double second[3][3]; // integral of x x^T [scale^5]
} Moments;

// Twice the rounding of one D: |a| |b x c| times about eight roundings.
#define VOLUME_ROUNDING (16.0 * DBL_EPSILON)

static void findApex(const pbdrMesh* mesh, Moments* moments)
{
    pbdrVec3 first = mesh->vertices[0], sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < mesh->vertexCount; i++) {
        sum = pbdrAdd(sum, pbdrSub(mesh->vertices[i], first));
    }
    moments->apex = pbdrAddScaled(first, 1.0 / mesh->vertexCount, sum);
    moments->scale = 0.0;
    for (int i = 0; i < mesh->vertexCount; i++) {
        pbdrVec3 d = pbdrSub(mesh->vertices[i], moments->apex);
        moments->scale = fmax(moments->scale, fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z))));
    }
}

static void addTetrahedron(Moments* moments, double d, const pbdrVec3 corners[3])
{
    pbdrVec3 s = pbdrAdd(corners[0], pbdrAdd(corners[1], corners[2]));
    moments->volume += d / 6.0;
    moments->first = pbdrAddScaled(moments->first, d / 24.0, s);
    double p[4][3] = {{s.x, s.y, s.z}};
    for (int k = 0; k < 3; k++) {
        p[k + 1][0] = corners[k].x;
        p[k + 1][1] = corners[k].y;
        p[k + 1][2] = corners[k].z;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            double sum = p[0][i] * p[0][j] + p[1][i] * p[1][j] + p[2][i] * p[2][j] + p[3][i] * p[3][j];
            moments->second[i][j] += d / 120.0 * sum;
        }
    }
}

static Moments integrate(const pbdrMesh* mesh)
{
    Moments moments = {0};
    findApex(mesh, &moments);
    if (!(moments.scale > 0.0) || !isfinite(moments.scale)) {
        return moments;
    }
    double noise = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        pbdrVec3 corners[3];
        for (int k = 0; k < 3; k++) {
            pbdrVec3 d = pbdrSub(mesh->vertices[mesh->triangles[t][k]], moments.apex);
            corners[k] = pbdrVec(d.x / moments.scale, d.y / moments.scale, d.z / moments.scale);
        }
        pbdrVec3 normal = pbdrCross(corners[1], corners[2]);
        addTetrahedron(&moments, pbdrDot(corners[0], normal), corners);
        noise += VOLUME_ROUNDING / 6.0 * pbdrLength(corners[0]) * pbdrLength(normal);
    }
    // A flat surface, front and back, has a volume of rounding errors and no centre.
    if (fabs(moments.volume) <= noise) {
        moments.volume = 0.0;
    }
    return moments;
}

double pbdrGetSignedVolume(const pbdrMesh* mesh)
{
    Moments moments = integrate(mesh);
    return moments.volume * moments.scale * moments.scale * moments.scale;
}

bool pbdrGetClosedProperties(const pbdrMesh* mesh, double mass, pbdrMassProperties* properties)
{
    *properties = (pbdrMassProperties){0};
    Moments moments = integrate(mesh);
    double volume = moments.volume, scale = moments.scale;
    if (!(volume > 0.0)) {
        return false;
    }
    pbdrVec3 c = pbdrScale(1.0 / volume, moments.first);
    double centre[3] = {c.x, c.y, c.z}, covariance[3][3]; // of a unit mass about the centre [scale^2]
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            covariance[i][j] = moments.second[i][j] / volume - centre[i] * centre[j];
            covariance[j][i] = covariance[i][j];
        }
    }
    double trace = covariance[0][0] + covariance[1][1] + covariance[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            properties->inertia.m[i][j] = mass * scale * scale * ((i == j ? trace : 0.0) - covariance[i][j]);
        }
    }
    properties->mass = mass;
    properties->volume = volume * scale * scale * scale;
    properties->centre = pbdrAddScaled(moments.apex, scale, c);
    return true;
}

pbdrStatus pbdrMesh_GetMassProperties(const pbdrMesh* mesh, double mass, pbdrMassProperties* properties,
                                      pbdrError* error)
{
    if (!PBDR_ASSERT(mesh != NULL ? &mesh->hooks : NULL, mesh != NULL && properties != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or properties: NULL");
    }
    *properties = (pbdrMassProperties){0};
    if (!isfinite(mass) || !(mass > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass: %g kg is not finite and above zero", mass);
    }
    pbdrStatus status = pbdrMesh_Check(mesh, NULL, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!pbdrGetClosedProperties(mesh, mass, properties)) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: flat, its %d triangles enclose no volume",
                        mesh->triangleCount);
    }
    return pbdr_statusOk;
}

double pbdrGetInertiaError(const pbdrMat3* a, const pbdrMat3* b)
{
    double difference = 0.0, whole = 0.0;
    for (int i = 0; i < 9; i++) {
        double d = a->m[i / 3][i % 3] - b->m[i / 3][i % 3];
        difference += d * d;
        whole += b->m[i / 3][i % 3] * b->m[i / 3][i % 3];
    }
    return whole > 0.0 ? sqrt(difference / whole) : 0.0;
}
