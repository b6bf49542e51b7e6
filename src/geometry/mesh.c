// Triangle meshes: making one from a triangle soup, finding out whether it is closed, scaling it.
#include "geometry/mesh.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

// Triangles of a mesh at most, so that its edges still count in an int.
#define MAX_TRIANGLES (INT32_MAX / 3)

// --- Joining ---

// -0 and 0 are the same place: adding 0 leaves the one that hashes and compares by bits.
static pbdrVec3 dropSignOfZero(pbdrVec3 v)
{
    return pbdrVec(v.x + 0.0, v.y + 0.0, v.z + 0.0);
}

static bool areEqual(pbdrVec3 a, pbdrVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// The finaliser of splitmix64 (Steele et al. 2014), over the three coordinates' bits.
static size_t hashPlace(pbdrVec3 v)
{
    pbdrVec3 place = dropSignOfZero(v);
    uint64_t bits[3], hash = 0;
    memcpy(bits, &place, sizeof bits);
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ bits[i]) + UINT64_C(0x9e3779b97f4a7c15);
        hash = (hash ^ (hash >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        hash = (hash ^ (hash >> 27)) * UINT64_C(0x94d049bb133111eb);
        hash ^= hash >> 31;
    }
    return (size_t)hash;
}

// first[i] becomes the first vertex at the same place as vertex i. Returns false without memory.
static bool joinVertices(const pbdrVec3* vertices, int count, const pbdrHooks* hooks, int32_t* first)
{
    size_t capacity = 16; // a power of two, at most two thirds full
    while (capacity / 3 < (size_t)count / 2 + 1) {
        capacity *= 2;
    }
    int32_t* table = pbdrAllocate(hooks, capacity, sizeof *table); // vertex + 1, or 0
    if (table == NULL) {
        return false;
    }
    for (int32_t i = 0; i < count; i++) {
        size_t slot = hashPlace(vertices[i]) & (capacity - 1);
        while (table[slot] != 0 && !areEqual(vertices[table[slot] - 1], vertices[i])) {
            slot = (slot + 1) & (capacity - 1);
        }
        if (table[slot] == 0) {
            table[slot] = i + 1;
        }
        first[i] = table[slot] - 1;
    }
    pbdrRelease(hooks, table, capacity, sizeof *table);
    return true;
}

// --- Edges ---

// One side of a triangle.
typedef struct HalfEdge {
    int32_t low, high; // vertices, low < high
    int32_t direction; // +1 from low to high, -1 back
} HalfEdge;

// What an edge can be, in the order of pbdrMeshReport.
typedef enum EdgeKind {
    edgeGood,
    edgeOpen,
    edgeClashing,
    edgeCrowded,
    edgeKindCount,
} EdgeKind;

typedef struct EdgeCensus {
    int counts[edgeKindCount];
    HalfEdge firsts[edgeKindCount]; // the first of each kind, by low, then high
} EdgeCensus;

static void sortHalfEdges(const HalfEdge* from, HalfEdge* to, size_t count, bool byLow, size_t* starts,
                          int vertexCount)
{
    memset(starts, 0, ((size_t)vertexCount + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        starts[(byLow ? from[i].low : from[i].high) + 1]++;
    }
    for (int v = 0; v < vertexCount; v++) {
        starts[v + 1] += starts[v];
    }
    for (size_t i = 0; i < count; i++) {
        to[starts[byLow ? from[i].low : from[i].high]++] = from[i];
    }
}

static EdgeKind getEdgeKind(const HalfEdge* sides, size_t count)
{
    if (count == 1) {
        return edgeOpen;
    }
    if (count > 2) {
        return edgeCrowded;
    }
    return sides[0].direction == sides[1].direction ? edgeClashing : edgeGood;
}

static EdgeCensus countEdges(const HalfEdge* sorted, size_t count)
{
    EdgeCensus census = {0};
    for (size_t i = 0, n; i < count; i += n) {
        n = 1;
        while (i + n < count && sorted[i + n].low == sorted[i].low && sorted[i + n].high == sorted[i].high) {
            n++;
        }
        EdgeKind kind = getEdgeKind(&sorted[i], n);
        if (census.counts[kind]++ == 0) {
            census.firsts[kind] = sorted[i];
        }
    }
    return census;
}

// Sorts all sides by (low, high) in two counting passes, which take no comparisons and no worst case, and
// counts runs.
static bool takeCensus(const pbdrMesh* mesh, EdgeCensus* census)
{
    size_t count = 3 * (size_t)mesh->triangleCount, startCount = (size_t)mesh->vertexCount + 1;
    HalfEdge* sides = pbdrAllocate(&mesh->hooks, count, sizeof *sides);
    HalfEdge* sorted = pbdrAllocate(&mesh->hooks, count, sizeof *sorted);
    size_t* starts = pbdrAllocate(&mesh->hooks, startCount, sizeof *starts);
    bool good = sides != NULL && sorted != NULL && starts != NULL;
    if (good) {
        for (size_t i = 0; i < count; i++) {
            const int32_t* triangle = mesh->triangles[i / 3];
            int32_t a = triangle[i % 3], b = triangle[(i + 1) % 3];
            sides[i] = a < b ? (HalfEdge){a, b, +1} : (HalfEdge){b, a, -1};
        }
        sortHalfEdges(sides, sorted, count, false, starts, mesh->vertexCount);
        sortHalfEdges(sorted, sides, count, true, starts, mesh->vertexCount);
        *census = countEdges(sides, count);
    }
    pbdrRelease(&mesh->hooks, sides, count, sizeof *sides);
    pbdrRelease(&mesh->hooks, sorted, count, sizeof *sorted);
    pbdrRelease(&mesh->hooks, starts, startCount, sizeof *starts);
    return good;
}

// --- Checking ---

static pbdrStatus checkArrays(const pbdrVec3* vertices, int vertexCount, const int32_t (*triangles)[3],
                              int triangleCount, pbdrError* error)
{
    if (vertexCount < 0 || triangleCount < 0 || triangleCount > MAX_TRIANGLES) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "mesh: %d vertices, %d triangles; 0 to %d are possible", vertexCount, triangleCount,
                        MAX_TRIANGLES);
    }
    if (triangleCount == 0) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: no triangles among %d vertices", vertexCount);
    }
    for (int i = 0; i < vertexCount; i++) {
        if (!pbdrIsFiniteVec(vertices[i])) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "mesh: vertex %d at (%g, %g, %g) m is not finite", i, vertices[i].x,
                            vertices[i].y, vertices[i].z);
        }
    }
    for (int t = 0; t < triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            if (triangles[t][k] < 0 || triangles[t][k] >= vertexCount) {
                return pbdrFail(error, pbdr_statusInvalidArgument,
                                "mesh: triangle %d has corner %d of %d vertices", t, (int)triangles[t][k],
                                vertexCount);
            }
        }
    }
    return pbdr_statusOk;
}

static bool isDegenerate(const int32_t triangle[3])
{
    return triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
}

static bool fillReport(const EdgeCensus* census, const pbdrMesh* mesh, pbdrMeshReport* report)
{
    report->openEdges = census->counts[edgeOpen];
    report->clashingEdges = census->counts[edgeClashing];
    report->crowdedEdges = census->counts[edgeCrowded];
    bool closed = report->openEdges == 0 && report->clashingEdges == 0 && report->crowdedEdges == 0;
    report->inverted = closed && pbdrGetSignedVolume(mesh) < 0.0;
    return closed;
}

static pbdrStatus failEdges(const pbdrMesh* mesh, const EdgeCensus* census, pbdrError* error)
{
    static const char* const names[] = {"good", "open", "clashing", "crowded"};
    EdgeKind worst = edgeCrowded;
    while (census->counts[worst] == 0) {
        worst--;
    }
    HalfEdge edge = census->firsts[worst];
    pbdrVec3 middle = pbdrScale(0.5, pbdrAdd(mesh->vertices[edge.low], mesh->vertices[edge.high]));
    return pbdrFail(error, worst == edgeOpen ? pbdr_statusMeshOpen : pbdr_statusMeshBroken,
                    "mesh: %d open edges, %d clashing, %d crowded, first %s one between vertices %d and %d "
                    "at (%g, %g, %g) m",
                    census->counts[edgeOpen], census->counts[edgeClashing], census->counts[edgeCrowded],
                    names[worst], (int)edge.low, (int)edge.high, middle.x, middle.y, middle.z);
}

pbdrStatus pbdrMesh_Check(const pbdrMesh* mesh, pbdrMeshReport* report, pbdrError* error)
{
    pbdrMeshReport ownReport;
    report = report != NULL ? report : &ownReport;
    *report = (pbdrMeshReport){0};
    if (!PBDR_ASSERT(NULL, mesh != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh: NULL");
    }
    pbdrStatus status = checkArrays(mesh->vertices, mesh->vertexCount, (const int32_t(*)[3])mesh->triangles,
                                    mesh->triangleCount, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    // pbdrCreateMesh leaves none, but the arrays are open to the caller.
    for (int t = 0; t < mesh->triangleCount; t++) {
        report->degenerateTriangles += isDegenerate(mesh->triangles[t]);
    }
    if (report->degenerateTriangles > 0) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: %d triangles with two equal corners",
                        report->degenerateTriangles);
    }
    EdgeCensus census;
    if (!takeCensus(mesh, &census)) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for the edges of %d triangles",
                        mesh->triangleCount);
    }
    if (!fillReport(&census, mesh, report)) {
        return failEdges(mesh, &census, error);
    }
    if (report->inverted) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: faces inwards, its volume is %g m^3",
                        pbdrGetSignedVolume(mesh));
    }
    return pbdr_statusOk;
}

// --- Making ---

// Numbers the vertices that triangles use, in the order of their first use: numbers[i] is 1 + vertex i's, 0
// if unused. first[] says which vertices are the same. Returns how many there are, and how many triangles
// stay.
static int numberVertices(const int32_t* first, const int32_t (*triangles)[3], int triangleCount,
                          int32_t* numbers, int* keptTriangles)
{
    int count = 0;
    *keptTriangles = 0;
    for (int t = 0; t < triangleCount; t++) {
        int32_t joined[3] = {first[triangles[t][0]], first[triangles[t][1]], first[triangles[t][2]]};
        if (isDegenerate(joined)) {
            continue;
        }
        (*keptTriangles)++;
        for (int k = 0; k < 3; k++) {
            if (numbers[joined[k]] == 0) {
                numbers[joined[k]] = ++count;
            }
        }
    }
    return count;
}

static void fillMesh(const pbdrVec3* vertices, int vertexCount, const int32_t (*triangles)[3],
                     int triangleCount, const int32_t* first, const int32_t* numbers, pbdrMesh* mesh)
{
    for (int i = 0; i < vertexCount; i++) {
        if (numbers[i] != 0) {
            mesh->vertices[numbers[i] - 1] = dropSignOfZero(vertices[i]);
        }
    }
    int kept = 0;
    for (int t = 0; t < triangleCount; t++) {
        int32_t joined[3] = {first[triangles[t][0]], first[triangles[t][1]], first[triangles[t][2]]};
        if (!isDegenerate(joined)) {
            for (int k = 0; k < 3; k++) {
                mesh->triangles[kept][k] = numbers[joined[k]] - 1;
            }
            kept++;
        }
    }
}

// Joins, numbers and copies. The mesh may be half made when this fails.
static pbdrStatus buildMesh(const pbdrVec3* vertices, int vertexCount, const int32_t (*triangles)[3],
                            int triangleCount, int32_t* first, int32_t* numbers, pbdrMesh* mesh,
                            pbdrError* error)
{
    const pbdrHooks* hooks = &mesh->hooks;
    if (first == NULL || numbers == NULL || !joinVertices(vertices, vertexCount, hooks, first)) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory to join %d vertices", vertexCount);
    }
    mesh->vertexCount = numberVertices(first, triangles, triangleCount, numbers, &mesh->triangleCount);
    if (mesh->triangleCount == 0) {
        return pbdrFail(error, pbdr_statusMeshBroken, "mesh: all of %d triangles have two equal corners",
                        triangleCount);
    }
    mesh->vertices = pbdrAllocate(hooks, (size_t)mesh->vertexCount, sizeof *mesh->vertices);
    mesh->triangles = pbdrAllocate(hooks, (size_t)mesh->triangleCount, sizeof *mesh->triangles);
    if (mesh->vertices == NULL || mesh->triangles == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d triangles", mesh->triangleCount);
    }
    fillMesh(vertices, vertexCount, triangles, triangleCount, first, numbers, mesh);
    return pbdr_statusOk;
}

// Finds what is wrong with a new mesh, and turns it if it faces inwards.
static pbdrStatus examineMesh(pbdrMesh* mesh, pbdrMeshReport* report, pbdrError* error)
{
    EdgeCensus census;
    if (!takeCensus(mesh, &census)) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for the edges of %d triangles",
                        mesh->triangleCount);
    }
    fillReport(&census, mesh, report);
    for (int t = 0; t < mesh->triangleCount && report->inverted; t++) {
        int32_t* triangle = mesh->triangles[t];
        int32_t swapped = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = swapped;
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCreateMesh(const pbdrVec3* vertices, int vertexCount, const int32_t (*triangles)[3],
                          int triangleCount, const pbdrHooks* hooks, pbdrMesh* mesh, pbdrMeshReport* report,
                          pbdrError* error)
{
    pbdrMeshReport ownReport;
    report = report != NULL ? report : &ownReport;
    *report = (pbdrMeshReport){0};
    if (!PBDR_ASSERT(hooks, mesh != NULL && (vertices != NULL || vertexCount < 1) &&
                                (triangles != NULL || triangleCount < 1))) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh, vertices or triangles: NULL");
    }
    memset(mesh, 0, sizeof *mesh);
    pbdrStatus status = checkArrays(vertices, vertexCount, triangles, triangleCount, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (hooks != NULL) {
        mesh->hooks = *hooks;
    }
    size_t n = (size_t)vertexCount;
    int32_t* first = pbdrAllocate(hooks, n, sizeof *first);
    int32_t* numbers = pbdrAllocate(hooks, n, sizeof *numbers);
    status = buildMesh(vertices, vertexCount, triangles, triangleCount, first, numbers, mesh, error);
    pbdrRelease(hooks, first, n, sizeof *first);
    pbdrRelease(hooks, numbers, n, sizeof *numbers);
    if (status == pbdr_statusOk) {
        report->degenerateTriangles = triangleCount - mesh->triangleCount;
        status = examineMesh(mesh, report, error);
    }
    if (status != pbdr_statusOk) {
        pbdrMesh_Free(mesh);
    }
    return status;
}

void pbdrMesh_Free(pbdrMesh* mesh)
{
    if (mesh == NULL) {
        return;
    }
    pbdrHooks hooks = mesh->hooks;
    pbdrRelease(&hooks, mesh->vertices, (size_t)mesh->vertexCount, sizeof *mesh->vertices);
    pbdrRelease(&hooks, mesh->triangles, (size_t)mesh->triangleCount, sizeof *mesh->triangles);
    memset(mesh, 0, sizeof *mesh);
}

// --- Size ---

void pbdrMesh_GetBounds(const pbdrMesh* mesh, pbdrVec3* lower, pbdrVec3* upper)
{
    if (!PBDR_ASSERT(NULL, mesh != NULL && lower != NULL && upper != NULL)) {
        return;
    }
    *lower = *upper = mesh->vertexCount > 0 ? mesh->vertices[0] : pbdrVec(0.0, 0.0, 0.0);
    for (int i = 1; i < mesh->vertexCount; i++) {
        pbdrVec3 v = mesh->vertices[i];
        *lower = pbdrVec(fmin(lower->x, v.x), fmin(lower->y, v.y), fmin(lower->z, v.z));
        *upper = pbdrVec(fmax(upper->x, v.x), fmax(upper->y, v.y), fmax(upper->z, v.z));
    }
}

// What both fits ask of their arguments; gives the lower corner and the extent.
static pbdrStatus prepareFit(const pbdrMesh* mesh, double size, pbdrVec3* lower, pbdrVec3* extent,
                             pbdrError* error)
{
    if (!PBDR_ASSERT(NULL, mesh != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh: NULL");
    }
    if (!isfinite(size) || !(size > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "size: %g m is not finite and above zero", size);
    }
    pbdrVec3 upper;
    pbdrMesh_GetBounds(mesh, lower, &upper);
    *extent = pbdrSub(upper, *lower);
    return pbdr_statusOk;
}

// Divided first: the upper corner is then size to the last bit where it was extent.
static void scaleFrom(pbdrMesh* mesh, pbdrVec3 lower, pbdrVec3 extent, double size)
{
    for (int i = 0; i < mesh->vertexCount; i++) {
        pbdrVec3 d = pbdrSub(mesh->vertices[i], lower);
        mesh->vertices[i] = pbdrVec(d.x / extent.x * size, d.y / extent.y * size, d.z / extent.z * size);
    }
}

pbdrStatus pbdrMesh_FitCube(pbdrMesh* mesh, double size, pbdrError* error)
{
    pbdrVec3 lower, extent;
    pbdrStatus status = prepareFit(mesh, size, &lower, &extent, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!pbdrIsFiniteVec(extent) || !(extent.x > 0.0 && extent.y > 0.0 && extent.z > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh: %g x %g x %g m cannot be scaled to a cube",
                        extent.x, extent.y, extent.z);
    }
    scaleFrom(mesh, lower, extent, size);
    return pbdr_statusOk;
}

pbdrStatus pbdrMesh_FitExtent(pbdrMesh* mesh, double size, pbdrError* error)
{
    pbdrVec3 lower, extent;
    pbdrStatus status = prepareFit(mesh, size, &lower, &extent, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    double largest = fmax(extent.x, fmax(extent.y, extent.z));
    if (!pbdrIsFiniteVec(extent) || !(largest > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh: %g x %g x %g m cannot be scaled", extent.x,
                        extent.y, extent.z);
    }
    scaleFrom(mesh, lower, pbdrVec(largest, largest, largest), size);
    return pbdr_statusOk;
}
