// Shapes: creation from spheres, references, the hash.
#include "shape/shape.h"

#include "math/hash.h"
#include "math/sym3.h"
#include "math/vec.h"
#include "pbdr/geometry.h"

#include <float.h>
#include <limits.h>
#include <string.h>

#define COOKIE 0x73686170u

#define REFUSE(...) return pbdrFail(error, pbdr_statusInvalidArgument, __VA_ARGS__)

static const pbdrShapeDef defaults = {
    .cookie = COOKIE,
    .surface = {.frame = {.rotation = {1.0, 0.0, 0.0, 0.0}}, .maxPoints = 4096},
};

void pbdrInitShapeDef(pbdrShapeDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaults, sizeof defaults);
}

// --- Checks ---

static pbdrStatus checkSpheres(const pbdrShapeDef* def, pbdrError* error)
{
    if (def->sphereCount < 1 || def->positions == NULL || def->radii == NULL || def->masses == NULL) {
        return pbdrFail(error, pbdr_statusNoParticles, "shape: %d spheres%s", def->sphereCount,
                        def->sphereCount < 1 ? "" : ", but positions, radii or masses is NULL");
    }
    if (def->sphereCount > INT_MAX / 4) {
        REFUSE("shape: %d spheres are more than %d", def->sphereCount, INT_MAX / 4);
    }
    for (int i = 0; i < def->sphereCount; i++) {
        pbdrVec3 x = def->positions[i];
        if (!pbdrIsFiniteVec(x)) {
            REFUSE("sphere %d: position (%g, %g, %g) m is not finite", i, x.x, x.y, x.z);
        }
        if (!(def->radii[i] >= DBL_MIN && def->radii[i] <= DBL_MAX)) {
            REFUSE("sphere %d: radius %g m is not above zero", i, def->radii[i]);
        }
        if (!(def->masses[i] >= DBL_MIN && def->masses[i] <= DBL_MAX)) {
            REFUSE("sphere %d: mass %g kg is not above zero", i, def->masses[i]);
        }
    }
    return pbdr_statusOk;
}

// Symmetric, and no principal moment below zero by more than rounding.
static bool isPossibleInertia(const pbdrMat3* a)
{
    double size = 0.0, skew = 0.0;
    for (int k = 0; k < 9; k++) {
        size += fabs(a->m[k / 3][k % 3]);
        skew += fabs(a->m[k / 3][k % 3] - a->m[k % 3][k / 3]);
    }
    if (!isfinite(size) || skew > 1.0e-9 * size) {
        return false;
    }
    double values[3];
    pbdrMat3 axes;
    pbdrSymEigen(a, values, &axes);
    return values[0] >= -1.0e-9 * values[2];
}

static bool isNonzero(const pbdrMat3* a)
{
    bool found = false;
    for (int k = 0; k < 9; k++) {
        found = found || a->m[k / 3][k % 3] != 0.0;
    }
    return found;
}

// --- What follows from the spheres ---

// What XPBD-R turns a body by. Points have no inertia about a line through them all: a chain, a single
// sphere. Such bodies get their spheres' own, 2/5 m r^2 each, as solid balls have.
static void setTurning(pbdrShape* shape)
{
    double values[3];
    pbdrMat3 axes;
    pbdrSymEigen(&shape->inertia, values, &axes);
    shape->turning = shape->inertia;
    if (values[0] <= PBDR_INERTIA_CUTOFF_F64 * values[2] || values[2] <= 0.0) {
        double own = 0.0;
        for (int i = 0; i < shape->sphereCount; i++) {
            double radius = shape->tree.spheres[i].radius;
            own += 0.4 * shape->mass / shape->sphereCount * radius * radius;
        }
        for (int k = 0; k < 3; k++) {
            values[k] += own;
            shape->turning.m[k][k] += own;
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int k = 0; k < 3; k++) {
                sum += axes.m[i][k] * axes.m[j][k] / values[k];
            }
            shape->inverseTurning.m[i][j] = sum;
        }
    }
}

// The tree of the spheres, and their second moments. The reduced sums need sum m q = 0 to rounding; offsets
// in float have it to float's.
static bool buildTree(pbdrShape* shape)
{
    const size_t count = (size_t)shape->sphereCount;
    pbdrTreeSphere* spheres = pbdrAllocate(&shape->hooks, count, sizeof *spheres);
    int32_t* indices = pbdrAllocate(&shape->hooks, count, sizeof *indices);
    bool good = spheres != NULL && indices != NULL;
    if (good) {
        pbdrVec3 shift = {0.0, 0.0, 0.0};
        shape->weight = 0.0;
        for (int i = 0; i < shape->sphereCount; i++) {
            shape->weight += shape->masses[i];
        }
        for (int i = 0; i < shape->sphereCount; i++) {
            shift = pbdrAddScaled(shift, shape->masses[i] / shape->weight, shape->offsets[i]);
        }
        shape->spread = (pbdrMat3){{{0.0}}};
        for (int i = 0; i < shape->sphereCount; i++) {
            pbdrVec3 at = pbdrSub(shape->offsets[i], shift);
            spheres[i] = (pbdrTreeSphere){at, shape->radii[i]};
            indices[i] = i;
            const double q[3] = {at.x, at.y, at.z};
            for (int k = 0; k < 9; k++) {
                shape->spread.m[k / 3][k % 3] += shape->masses[i] * q[k / 3] * q[k % 3];
            }
        }
        good = pbdrBuildSphereTree(&shape->hooks, spheres, indices, shape->sphereCount, &shape->tree);
    }
    if (!good) {
        pbdrRelease(&shape->hooks, spheres, count, sizeof *spheres);
        pbdrRelease(&shape->hooks, indices, count, sizeof *indices);
        return false;
    }
    shape->byteCount += pbdrSphereTree_GetByteCount(&shape->tree);
    setTurning(shape);
    return true;
}

static void addToHash(uint64_t* hash, const void* bytes, size_t size)
{
    *hash = pbdrAddToHash(*hash, bytes, size);
}

static void hashBytes(void* context, const void* bytes, size_t size)
{
    addToHash(context, bytes, size);
}

void pbdrSetShapeHash(pbdrShape* shape)
{
    const size_t count = (size_t)shape->sphereCount;
    uint64_t hash = PBDR_HASH_START;
    addToHash(&hash, &shape->sphereCount, sizeof shape->sphereCount);
    addToHash(&hash, shape->offsets, count * sizeof *shape->offsets);
    addToHash(&hash, shape->radii, count * sizeof *shape->radii);
    addToHash(&hash, shape->masses, count * sizeof *shape->masses);
    addToHash(&hash, &shape->mass, sizeof shape->mass);
    addToHash(&hash, &shape->inertia, sizeof shape->inertia);
    addToHash(&hash, &shape->extraInertia, sizeof shape->extraInertia);
    pbdrSurface_VisitBytes(&shape->surface, hashBytes, &hash);
    shape->hash = hash;
}

// --- Memory ---

// A shape with room for its spheres and one reference, or NULL.
static pbdrShape* allocateShape(const pbdrHooks* hooks, int sphereCount)
{
    const size_t count = (size_t)sphereCount;
    pbdrShape* shape = pbdrAllocate(hooks, 1, sizeof *shape);
    if (shape == NULL) {
        return NULL;
    }
    shape->hooks = *hooks;
    shape->sphereCount = sphereCount;
    atomic_init(&shape->references, 1);
    shape->offsets = pbdrAllocate(hooks, count, sizeof *shape->offsets);
    shape->radii = pbdrAllocate(hooks, count, sizeof *shape->radii);
    shape->masses = pbdrAllocate(hooks, count, sizeof *shape->masses);
    shape->byteCount = sizeof *shape + count * (sizeof(pbdrVec3) + 2 * sizeof(double));
    if (shape->offsets == NULL || shape->radii == NULL || shape->masses == NULL) {
        pbdrReleaseShape(shape);
        return NULL;
    }
    return shape;
}

pbdrShape* pbdrRetainShape(pbdrShape* shape)
{
    atomic_fetch_add(&shape->references, 1);
    return shape;
}

void pbdrReleaseShape(pbdrShape* shape)
{
    if (shape == NULL || atomic_fetch_sub(&shape->references, 1) > 1) {
        return;
    }
    const size_t count = (size_t)shape->sphereCount;
    const pbdrHooks hooks = shape->hooks;
    if (shape->owner != NULL) {
        pbdrReleaseShape(shape->owner);
    } else {
        if (shape->tree.sphereCount > 0) {
            pbdrFreeSphereTree(&hooks, &shape->tree);
        }
        pbdrSurface_Free(&shape->surface);
        pbdrRelease(&hooks, shape->offsets, count, sizeof *shape->offsets);
        pbdrRelease(&hooks, shape->radii, count, sizeof *shape->radii);
    }
    pbdrRelease(&hooks, shape->masses, count, sizeof *shape->masses);
    pbdrRelease(&hooks, shape, 1, sizeof *shape);
}

// --- Surface ---

static pbdrStatus makeMeshSurface(const pbdrSurfaceDef* def, pbdrVec3 centre, const pbdrHooks* hooks,
                                  pbdrSurface* surface, pbdrError* error)
{
    if (def->mesh == NULL) {
        REFUSE("surface: a mesh, but none is given");
    }
    // a copy about the centre of mass
    const size_t count = (size_t)def->mesh->vertexCount;
    pbdrVec3* vertices = pbdrAllocate(hooks, count, sizeof *vertices);
    if (vertices == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "surface: out of memory for %zu vertices", count);
    }
    for (size_t i = 0; i < count; i++) {
        vertices[i] = pbdrSub(def->mesh->vertices[i], centre);
    }
    pbdrMesh moved = *def->mesh;
    moved.vertices = vertices;
    pbdrMeshSurfaceDef meshDef = pbdrDefaultMeshSurfaceDef();
    meshDef.sides = def->sides;
    meshDef.thickness = def->thickness;
    meshDef.spacing = def->spacing;
    meshDef.maxProbes = def->maxPoints;
    pbdrStatus status = pbdrCreateMeshSurface(&moved, &meshDef, hooks, surface, error);
    pbdrRelease(hooks, vertices, count, sizeof *vertices);
    return status;
}

// The surface about the centre of mass, of every kind but a compound.
static pbdrStatus makeSimpleSurface(const pbdrSurfaceDef* def, pbdrVec3 centre, const pbdrHooks* hooks,
                                    pbdrSurface* surface, pbdrError* error)
{
    pbdrPose frame = def->frame;
    frame.position = pbdrSub(frame.position, centre);
    switch (def->kind) {
    case pbdr_surfaceNone:
        return pbdr_statusOk;
    case pbdr_surfaceBall:
        return pbdrCreateBallSurface(frame.position, def->radius, hooks, surface, error);
    case pbdr_surfaceCapsule:
        return pbdrCreateCapsuleSurface(&frame, def->halfLength, def->radius, hooks, surface, error);
    case pbdr_surfaceBox:
        return pbdrCreateBoxSurface(&frame, def->half, def->counts, hooks, surface, error);
    case pbdr_surfaceCylinder:
        return pbdrCreateCylinderSurface(&frame, def->halfLength, def->radius, NULL, hooks, surface, error);
    case pbdr_surfaceMesh:
        return makeMeshSurface(def, centre, hooks, surface, error);
    default:
        REFUSE("surface: kind %d is out of range", (int)def->kind);
    }
}

static pbdrStatus makeCompoundSurface(pbdrShape* shape, const pbdrSurfaceDef* def, pbdrError* error)
{
    const pbdrHooks* hooks = &shape->hooks;
    if (def->partCount < 1 || def->parts == NULL) {
        REFUSE("surface: a compound of %d parts", def->partCount);
    }
    const size_t count = (size_t)def->partCount;
    pbdrSurface* parts = pbdrAllocate(hooks, count, sizeof *parts);
    if (parts == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "surface: out of memory for %zu parts", count);
    }
    pbdrStatus status = pbdr_statusOk;
    for (size_t k = 0; status == pbdr_statusOk && k < count; k++) {
        const pbdrSurfaceDef* part = &def->parts[k];
        if (part->kind == pbdr_surfaceNone || part->kind == pbdr_surfaceCompound ||
            part->sides != pbdr_meshSolid) {
            status = pbdrFail(error, pbdr_statusInvalidArgument,
                              "surface: part %zu is none, a compound or an open mesh", k);
        } else {
            status = makeSimpleSurface(part, shape->centre, hooks, &parts[k], error);
        }
    }
    if (status == pbdr_statusOk) {
        status = pbdrCreateCompoundSurface(parts, def->partCount, hooks, &shape->surface, error);
    }
    for (size_t k = 0; status != pbdr_statusOk && k < count; k++) {
        pbdrSurface_Free(&parts[k]);
    }
    pbdrRelease(hooks, parts, count, sizeof *parts);
    return status;
}

static pbdrStatus makeSurface(pbdrShape* shape, const pbdrSurfaceDef* def, pbdrError* error)
{
    shape->open = def->kind == pbdr_surfaceMesh && def->sides != pbdr_meshSolid;
    return def->kind == pbdr_surfaceCompound
               ? makeCompoundSurface(shape, def, error)
               : makeSimpleSurface(def, shape->centre, &shape->hooks, &shape->surface, error);
}

// --- Creation ---

pbdrStatus pbdrCreateShape(const pbdrShapeDef* callers, pbdrShape** result, pbdrError* error)
{
    if (result == NULL) {
        REFUSE("shape: no place for the result");
    }
    *result = NULL;
    pbdrShapeDef own = defaults;
    const pbdrShapeDef* def = &own;
    pbdrStatus status = pbdrReadDef(callers, "pbdrDefaultShapeDef", &own, sizeof own, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if ((def->hooks.allocate == NULL) != (def->hooks.release == NULL)) {
        REFUSE("hooks: allocate and release go together");
    }
    status = checkSpheres(def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const pbdrSphereSet spheres = {.count = def->sphereCount,
                                   .positions = (pbdrVec3*)def->positions, // only read
                                   .radii = (double*)def->radii,
                                   .masses = (double*)def->masses};
    const pbdrMassProperties properties = pbdrSphereSet_GetMassProperties(&spheres);
    if (!isfinite(properties.mass) || !pbdrIsFiniteVec(properties.centre)) {
        REFUSE("shape: total mass %g kg or centre is not finite", properties.mass);
    }
    const pbdrMat3 inertia = pbdrAddScaledMM(&properties.inertia, 1.0, &def->extraInertia);
    if (!isPossibleInertia(&inertia)) {
        REFUSE("extraInertia: with that of the spheres it makes no inertia of a body");
    }
    pbdrShape* shape = allocateShape(&def->hooks, def->sphereCount);
    if (shape == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "shape: out of memory for %d spheres", def->sphereCount);
    }
    shape->mass = properties.mass;
    shape->centre = properties.centre;
    shape->inertia = inertia;
    shape->extraInertia = def->extraInertia;
    shape->hasExtraInertia = isNonzero(&def->extraInertia);
    double smallestRadius = HUGE_VAL;
    for (int i = 0; i < def->sphereCount; i++) {
        shape->offsets[i] = pbdrSub(def->positions[i], shape->centre);
        shape->radii[i] = def->radii[i];
        shape->masses[i] = def->masses[i];
        shape->reach = fmax(shape->reach, pbdrLength(shape->offsets[i]));
        shape->largestRadius = fmax(shape->largestRadius, def->radii[i]);
        smallestRadius = fmin(smallestRadius, def->radii[i]);
    }
    shape->margin = PBDR_PAIR_MARGIN * smallestRadius;
    if (!buildTree(shape)) {
        pbdrReleaseShape(shape);
        return pbdrFail(error, pbdr_statusNoMemory, "shape: out of memory for %d spheres", def->sphereCount);
    }
    status = makeSurface(shape, &def->surface, error);
    if (status == pbdr_statusOk) {
        status = pbdrBundleProbes(&shape->surface, error);
    }
    if (status != pbdr_statusOk) {
        pbdrReleaseShape(shape);
        return status;
    }
    shape->byteCount += pbdrSurface_GetByteCount(&shape->surface);
    pbdrSetShapeHash(shape);
    *result = shape;
    return pbdr_statusOk;
}

pbdrShape* pbdrRoundShape(const pbdrShape* shape)
{
    pbdrShape* rounded = allocateShape(&shape->hooks, shape->sphereCount);
    if (rounded == NULL) {
        return NULL;
    }
    rounded->mass = shape->mass;
    rounded->centre = shape->centre;
    rounded->inertia = shape->inertia;
    rounded->extraInertia = shape->extraInertia;
    rounded->hasExtraInertia = shape->hasExtraInertia;
    rounded->largestRadius = shape->largestRadius;
    rounded->margin = shape->margin;
    rounded->reach = shape->reach;
    for (int i = 0; i < shape->sphereCount; i++) {
        // through memory of type float: a compiler may not keep the digits that do not fit
        volatile float values[5] = {(float)shape->offsets[i].x, (float)shape->offsets[i].y,
                                    (float)shape->offsets[i].z, (float)shape->radii[i],
                                    (float)shape->masses[i]};
        rounded->offsets[i] = pbdrVec((double)values[0], (double)values[1], (double)values[2]);
        rounded->radii[i] = (double)values[3];
        rounded->masses[i] = (double)values[4];
    }
    if (!buildTree(rounded)) {
        pbdrReleaseShape(rounded);
        return NULL;
    }
    rounded->hash = shape->hash;
    return rounded;
}

// --- Getters ---

uint64_t pbdrShape_GetHash(const pbdrShape* shape)
{
    return shape->hash;
}

pbdrSurfaceKind pbdrShape_GetSurfaceKind(const pbdrShape* shape)
{
    return shape->surface.kind;
}

int pbdrShape_GetSphereCount(const pbdrShape* shape)
{
    return shape->sphereCount;
}

double pbdrShape_GetMass(const pbdrShape* shape)
{
    return shape->mass;
}

pbdrVec3 pbdrShape_GetCentre(const pbdrShape* shape)
{
    return shape->centre;
}

pbdrMat3 pbdrShape_GetInertia(const pbdrShape* shape)
{
    return shape->inertia;
}

const pbdrVec3* pbdrShape_GetOffsets(const pbdrShape* shape)
{
    return shape->offsets;
}

const double* pbdrShape_GetRadii(const pbdrShape* shape)
{
    return shape->radii;
}

const double* pbdrShape_GetMasses(const pbdrShape* shape)
{
    return shape->masses;
}

size_t pbdrShape_GetByteCount(const pbdrShape* shape)
{
    return shape->byteCount;
}
