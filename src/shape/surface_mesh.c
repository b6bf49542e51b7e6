// Meshes as surfaces: the tree, who is beyond each side, pseudo-normals.
//
// The sign of a distance is that of (x - q) . n with the pseudo-normal n of what q is on: a facet's normal,
// the sum of two at a side, at a vertex the sum weighted by the facets' angles there (Baerentzen and Aanaes
// 2005).
#include "shape/surface_mesh.h"

#include "base.h"

#include <stdlib.h>
#include <string.h>

// Neighbours whose normals differ by less than this (sine) are one plane.
#define FLAT_SINE 1.0e-6
// A solid's points are looked for this share of the extent deep, however near the reach is.
#define SOLID_DEPTH 0.25
// Of a facet without area.
#define NO_NORMAL ((pbdrVec3){0.0, 0.0, 0.0})

pbdrMeshSurfaceDef pbdrDefaultMeshSurfaceDef(void)
{
    return (pbdrMeshSurfaceDef){.sides = pbdr_meshSolid, .maxProbes = 4096};
}

static int comparePlaces(const void* left, const void* right)
{
    const pbdrVec3 *a = left, *b = right;
    if (a->x != b->x) {
        return a->x < b->x ? -1 : 1;
    }
    if (a->y != b->y) {
        return a->y < b->y ? -1 : 1;
    }
    return a->z != b->z ? (a->z < b->z ? -1 : 1) : 0;
}

typedef struct Side {
    int32_t low, high, facet, index;
} Side;

static int compareSides(const void* left, const void* right)
{
    const Side *a = left, *b = right;
    if (a->low != b->low) {
        return a->low < b->low ? -1 : 1;
    }
    if (a->high != b->high) {
        return a->high < b->high ? -1 : 1;
    }
    return a->facet != b->facet ? (a->facet < b->facet ? -1 : 1) : a->index - b->index;
}

// --- Topology ---

// Vertices at the same place are one; they are kept in the order of their coordinates. places: room for three
// per facet.
static bool joinCorners(pbdrSurfaceMesh* mesh, const pbdrHooks* hooks, pbdrVec3* places)
{
    int count = 0;
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            places[count++] = mesh->tree.triangles[t].corners[k];
        }
    }
    qsort(places, (size_t)count, sizeof *places, comparePlaces);
    int kept = 1;
    for (int i = 1; i < count; i++) {
        if (comparePlaces(&places[i], &places[kept - 1]) != 0) {
            places[kept++] = places[i];
        }
    }
    mesh->vertexCount = kept;
    mesh->vertices = pbdrAllocate(hooks, (size_t)kept, sizeof *mesh->vertices);
    mesh->vertexNormals = pbdrAllocate(hooks, (size_t)kept, sizeof *mesh->vertexNormals);
    mesh->firsts = pbdrAllocate(hooks, (size_t)kept + 1, sizeof *mesh->firsts);
    if (mesh->vertices == NULL || mesh->vertexNormals == NULL || mesh->firsts == NULL) {
        return false;
    }
    memcpy(mesh->vertices, places, (size_t)kept * sizeof *places);
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            const pbdrVec3* found = bsearch(&mesh->tree.triangles[t].corners[k], mesh->vertices, (size_t)kept,
                                            sizeof *mesh->vertices, comparePlaces);
            mesh->facets[t].corners[k] = (int32_t)(found - mesh->vertices);
        }
    }
    return true;
}

static bool isConvex(const pbdrSurfaceMesh* mesh, int facet, int other)
{
    const pbdrFacet* a = &mesh->facets[facet];
    double height = -(double)INFINITY, size = 0.0;
    for (int k = 0; k < 3; k++) {
        pbdrVec3 d = pbdrSub(mesh->tree.triangles[other].corners[k], mesh->tree.triangles[facet].corners[0]);
        height = fmax(height, pbdrDot(a->normal, d));
        size = fmax(size, pbdrLength(d));
    }
    return height <= FLAT_SINE * size;
}

static void joinSides(pbdrSurfaceMesh* mesh, Side* sides)
{
    int count = 0;
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            int32_t a = mesh->facets[t].corners[k], b = mesh->facets[t].corners[(k + 1) % 3];
            sides[count++] = (Side){a < b ? a : b, a < b ? b : a, t, k};
            mesh->facets[t].across[k] = -1;
        }
    }
    qsort(sides, (size_t)count, sizeof *sides, compareSides);
    for (int i = 0, n; i < count; i += n) {
        for (n = 1; i + n < count && sides[i + n].low == sides[i].low && sides[i + n].high == sides[i].high;
             n++) {
        }
        if (n != 2) {
            continue;
        }
        pbdrFacet *a = &mesh->facets[sides[i].facet], *b = &mesh->facets[sides[i + 1].facet];
        if (a->corners[sides[i].index] != b->corners[sides[i + 1].index]) { // they run opposite ways
            a->across[sides[i].index] = sides[i + 1].facet;
            b->across[sides[i + 1].index] = sides[i].facet;
        }
    }
}

static bool hasNormal(const pbdrFacet* facet)
{
    return pbdrDot(facet->normal, facet->normal) > 0.5;
}

// A facet without area takes a neighbour's normal; strips of them pass it on.
static void lendNormals(pbdrSurfaceMesh* mesh)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int t = 0; t < mesh->tree.triangleCount; t++) {
            pbdrFacet* facet = &mesh->facets[t];
            for (int k = 0; k < 3 && !hasNormal(facet); k++) {
                if (facet->across[k] >= 0 && hasNormal(&mesh->facets[facet->across[k]])) {
                    facet->normal = mesh->facets[facet->across[k]].normal;
                    changed = true;
                }
            }
        }
    }
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        if (!hasNormal(&mesh->facets[t])) {
            mesh->facets[t].normal = pbdrVec(0.0, 0.0, 1.0); // all of it is a line
        }
    }
}

static void findConvexSides(pbdrSurfaceMesh* mesh)
{
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            int32_t other = mesh->facets[t].across[k];
            mesh->facets[t].convex[k] = other >= 0 && isConvex(mesh, t, other) && isConvex(mesh, other, t);
        }
    }
}

// Angle whose cosine and sine are c and s, 0 to pi: three halvings of the tangent, then its series. No libm,
// so that every platform has the same bits; good to 1e-8.
static double getAngle(double c, double s)
{
    double length = sqrt(c * c + s * s);
    if (!(length > 0.0)) {
        return 0.0;
    }
    if (!(length + c > 1.0e-12 * length)) {
        return PBDR_PI;
    }
    double t = s / (length + c);
    t = t / (1.0 + sqrt(1.0 + t * t));
    t = t / (1.0 + sqrt(1.0 + t * t));
    double square = t * t, sum = 0.0;
    for (int i = 17; i >= 1; i -= 2) {
        sum = 1.0 / i - square * sum;
    }
    return 8.0 * t * sum;
}

static void gatherAround(pbdrSurfaceMesh* mesh)
{
    int facetCount = mesh->tree.triangleCount;
    for (int t = 0; t < facetCount; t++) {
        for (int k = 0; k < 3; k++) {
            mesh->firsts[mesh->facets[t].corners[k] + 1]++;
        }
    }
    for (int v = 0; v < mesh->vertexCount; v++) {
        mesh->firsts[v + 1] += mesh->firsts[v];
    }
    for (int t = facetCount - 1; t >= 0; t--) { // from the back, so that each list rises
        for (int k = 0; k < 3; k++) {
            mesh->around[--mesh->firsts[mesh->facets[t].corners[k] + 1]] = t;
        }
    }
    // each entry has come down to the start of its own list: one place too far up
    for (int v = 0; v < mesh->vertexCount; v++) {
        mesh->firsts[v] = mesh->firsts[v + 1];
    }
    mesh->firsts[mesh->vertexCount] = 3 * facetCount;
}

static void findVertexNormals(pbdrSurfaceMesh* mesh)
{
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        const pbdrVec3* c = mesh->tree.triangles[t].corners;
        for (int k = 0; k < 3; k++) {
            pbdrVec3 next = pbdrSub(c[(k + 1) % 3], c[k]), last = pbdrSub(c[(k + 2) % 3], c[k]);
            double angle = getAngle(pbdrDot(next, last), pbdrLength(pbdrCross(next, last)));
            pbdrVec3* normal = &mesh->vertexNormals[mesh->facets[t].corners[k]];
            *normal = pbdrAddScaled(*normal, angle, mesh->facets[t].normal);
        }
    }
    for (int v = 0; v < mesh->vertexCount; v++) {
        bool convex = true;
        for (int32_t i = mesh->firsts[v]; i < mesh->firsts[v + 1]; i++) {
            const pbdrFacet* facet = &mesh->facets[mesh->around[i]];
            int k = facet->corners[0] == v ? 0 : facet->corners[1] == v ? 1 : 2;
            convex = convex && facet->convex[k] && facet->convex[(k + 2) % 3];
        }
        for (int32_t i = mesh->firsts[v]; i < mesh->firsts[v + 1]; i++) {
            pbdrFacet* facet = &mesh->facets[mesh->around[i]];
            int k = facet->corners[0] == v ? 0 : facet->corners[1] == v ? 1 : 2;
            facet->convexEnd[k] = convex;
        }
        mesh->vertexNormals[v] =
            pbdrDirection(mesh->vertexNormals[v], mesh->facets[mesh->around[mesh->firsts[v]]].normal);
    }
}

static int32_t findRoot(pbdrFacet* facets, int32_t t)
{
    while (facets[t].patch != t) {
        facets[t].patch = facets[facets[t].patch].patch;
        t = facets[t].patch;
    }
    return t;
}

// The patch of a facet is the lowest number among those of its plane.
static void findPatches(pbdrSurfaceMesh* mesh)
{
    for (int32_t t = 0; t < mesh->tree.triangleCount; t++) {
        mesh->facets[t].patch = t;
    }
    for (int32_t t = 0; t < mesh->tree.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            int32_t other = mesh->facets[t].across[k];
            if (other < 0) {
                continue;
            }
            pbdrVec3 turn = pbdrCross(mesh->facets[t].normal, mesh->facets[other].normal);
            if (pbdrDot(turn, turn) < FLAT_SINE * FLAT_SINE &&
                pbdrDot(mesh->facets[t].normal, mesh->facets[other].normal) > 0.0) {
                int32_t a = findRoot(mesh->facets, t), b = findRoot(mesh->facets, other);
                mesh->facets[a > b ? a : b].patch = a < b ? a : b;
            }
        }
    }
    for (int32_t t = 0; t < mesh->tree.triangleCount; t++) {
        mesh->facets[t].patch = findRoot(mesh->facets, t);
    }
}

// --- Making ---

static pbdrStatus buildTree(const pbdrMesh* source, const pbdrHooks* hooks, pbdrSurfaceMesh* mesh,
                            pbdrError* error)
{
    size_t count = (size_t)source->triangleCount;
    pbdrTriangle* triangles = pbdrAllocate(hooks, count, sizeof *triangles);
    if (triangles == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d triangles", source->triangleCount);
    }
    for (size_t t = 0; t < count; t++) {
        for (int k = 0; k < 3; k++) {
            triangles[t].corners[k] = source->vertices[source->triangles[t][k]];
        }
    }
    pbdrStatus status = pbdrCreateTriangleTree(triangles, source->triangleCount, hooks, &mesh->tree, error);
    pbdrRelease(hooks, triangles, count, sizeof *triangles);
    return status;
}

static pbdrStatus buildTopology(pbdrSurfaceMesh* mesh, const pbdrHooks* hooks, pbdrError* error)
{
    size_t count = (size_t)mesh->tree.triangleCount;
    mesh->facets = pbdrAllocate(hooks, count, sizeof *mesh->facets);
    mesh->around = pbdrAllocate(hooks, 3 * count, sizeof *mesh->around);
    Side* sides = pbdrAllocate(hooks, 3 * count, sizeof *sides);
    pbdrVec3* places = pbdrAllocate(hooks, 3 * count, sizeof *places);
    bool good = mesh->facets != NULL && mesh->around != NULL && sides != NULL && places != NULL &&
                joinCorners(mesh, hooks, places);
    if (good) {
        for (size_t t = 0; t < count; t++) {
            mesh->facets[t].normal = pbdrDirection(pbdrGetAreaVector(&mesh->tree.triangles[t]), NO_NORMAL);
        }
        joinSides(mesh, sides);
        lendNormals(mesh);
        findConvexSides(mesh);
        gatherAround(mesh);
        findVertexNormals(mesh);
        findPatches(mesh);
    }
    pbdrRelease(hooks, sides, 3 * count, sizeof *sides);
    pbdrRelease(hooks, places, 3 * count, sizeof *places);
    return good ? pbdr_statusOk
                : pbdrFail(error, pbdr_statusNoMemory, "no memory for a surface of %d triangles",
                           mesh->tree.triangleCount);
}

static pbdrStatus checkMesh(const pbdrMesh* mesh, const pbdrMeshSurfaceDef* def, pbdrError* error)
{
    if (mesh->triangleCount < 1) {
        return pbdrFail(error, pbdr_statusMeshBroken, "surface: a mesh without triangles");
    }
    if (!(def->thickness >= 0.0) || !(def->spacing >= 0.0) || !isfinite(def->spacing) || def->maxProbes < 0) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "surface: thickness %g m, spacing %g m, at most %d probes: none may be below zero",
                        def->thickness, def->spacing, def->maxProbes);
    }
    return def->sides == pbdr_meshSolid ? pbdrMesh_Check(mesh, NULL, error) : pbdr_statusOk;
}

pbdrStatus pbdrCreateMeshSurface(const pbdrMesh* mesh, const pbdrMeshSurfaceDef* def, const pbdrHooks* hooks,
                                 pbdrSurface* surface, pbdrError* error)
{
    pbdrMeshSurfaceDef own = def != NULL ? *def : pbdrDefaultMeshSurfaceDef();
    *surface = (pbdrSurface){.kind = pbdr_surfaceNone};
    pbdrStatus status = checkMesh(mesh, &own, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    status = pbdrReserveSurface(surface, pbdr_surfaceMesh, 0, 0, hooks, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    surface->mesh = pbdrAllocate(hooks, 1, sizeof *surface->mesh);
    if (surface->mesh == NULL) {
        pbdrSurface_Free(surface);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a surface");
    }
    pbdrSurfaceMesh* made = surface->mesh;
    status = buildTree(mesh, hooks, made, error);
    if (status == pbdr_statusOk) {
        status = buildTopology(made, hooks, error);
    }
    if (status == pbdr_statusOk) {
        made->extent = pbdrLength(pbdrSub(made->tree.nodes[0].upper, made->tree.nodes[0].lower));
        made->sides = own.sides;
        made->thickness = own.sides == pbdr_meshSolid ? SOLID_DEPTH * made->extent
                          : own.thickness > 0.0       ? own.thickness
                                                      : 0.5 * made->extent;
        surface->slack = 1.0e-3 * 0.05 * made->extent;
        status = pbdrMakeMeshProbes(surface, own.spacing > 0.0 ? own.spacing : made->extent / 20.0,
                                    own.maxProbes, error);
    }
    if (status != pbdr_statusOk) {
        pbdrSurface_Free(surface);
        return status;
    }
    pbdrFinishSurface(surface, pbdrVec(0.0, 0.0, 0.0));
    surface->lower = made->tree.nodes[0].lower;
    surface->upper = made->tree.nodes[0].upper;
    for (int v = 0; v < made->vertexCount; v++) {
        surface->radius = fmax(surface->radius, pbdrLength(made->vertices[v]));
    }
    return pbdr_statusOk;
}

void pbdrFreeSurfaceMesh(pbdrSurface* surface)
{
    pbdrSurfaceMesh* mesh = surface->mesh;
    if (mesh == NULL) {
        return;
    }
    size_t count = (size_t)mesh->tree.triangleCount;
    pbdrRelease(&surface->hooks, mesh->facets, count, sizeof *mesh->facets);
    size_t vertexCount = (size_t)mesh->vertexCount;
    pbdrRelease(&surface->hooks, mesh->vertices, vertexCount, sizeof *mesh->vertices);
    pbdrRelease(&surface->hooks, mesh->vertexNormals, vertexCount, sizeof *mesh->vertexNormals);
    pbdrRelease(&surface->hooks, mesh->firsts, vertexCount + 1, sizeof *mesh->firsts);
    pbdrRelease(&surface->hooks, mesh->around, 3 * count, sizeof *mesh->around);
    pbdrFreeTriangleTree(&mesh->tree);
    pbdrRelease(&surface->hooks, mesh, 1, sizeof *mesh);
    surface->mesh = NULL;
}

size_t pbdrGetSurfaceMeshBytes(const pbdrSurface* surface)
{
    const pbdrSurfaceMesh* mesh = surface->mesh;
    if (mesh == NULL) {
        return 0;
    }
    size_t perFacet = sizeof *mesh->facets + sizeof *mesh->tree.triangles + 3 * sizeof *mesh->around;
    size_t perVertex = sizeof *mesh->vertices + sizeof *mesh->vertexNormals + sizeof *mesh->firsts;
    return sizeof *mesh + (size_t)mesh->tree.triangleCount * perFacet + sizeof *mesh->firsts +
           (size_t)mesh->vertexCount * perVertex + (size_t)mesh->tree.nodeCapacity * sizeof *mesh->tree.nodes;
}

void pbdrVisitSurfaceMesh(const pbdrSurface* surface, pbdrVisitBytes* visit, void* context)
{
    const pbdrSurfaceMesh* mesh = surface->mesh;
    if (mesh == NULL) {
        return;
    }
    const int32_t whole[2] = {(int32_t)mesh->sides, mesh->tree.triangleCount};
    visit(context, whole, sizeof whole);
    visit(context, &mesh->thickness, sizeof mesh->thickness);
    visit(context, mesh->tree.triangles, (size_t)mesh->tree.triangleCount * sizeof *mesh->tree.triangles);
}
