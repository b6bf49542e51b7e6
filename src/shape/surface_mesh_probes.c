// The probes of a mesh: its vertices, points along edges longer than the spacing, points inside facets larger
// than its square. A point's weight is its share of the area, where an inner point of the facet with the
// largest share counts 1; at a sharp edge or corner, the mean of the faces that meet there, as for a box.
//
// Too many: the spacing grows until edges and facets have no points left; then vertices are thinned. Each
// bunch of neighbours in space keeps the one that stands out farthest along their mean normal: what touches
// first.
#include "base.h"
#include "shape/surface_mesh.h"

#define EVERYTHING (PBDR_PROBES_PLANES | PBDR_PROBES_CONVEX | PBDR_PROBES_MESHES)

// Facets whose normals differ by less than a degree are one face to a probe.
#define SAME_FACE_COSINE 0.99985
#define LEAST_WEIGHT (1.0 / 16.0)
// How much the spacing grows at a time.
#define COARSER 1.25

// Cells along a facet's sides: an equilateral triangle of side s has the area sqrt(3)/4 s^2.
static int countCells(const pbdrSurfaceMesh* mesh, int facet, double spacing)
{
    double side = 1.52 * sqrt(pbdrLength(pbdrGetAreaVector(&mesh->tree.triangles[facet])));
    double cells = ceil(side / spacing);
    return cells < 1.0 ? 1 : cells > 1.0e4 ? 10000 : (int)cells;
}

static int countAlong(const pbdrSurfaceMesh* mesh, int facet, int side, double spacing)
{
    const pbdrFacet* f = &mesh->facets[facet];
    if (f->across[side] > facet) {
        return 0; // the neighbour's
    }
    pbdrVec3 along = pbdrSub(mesh->vertices[f->corners[(side + 1) % 3]], mesh->vertices[f->corners[side]]);
    double cells = ceil(pbdrLength(along) / spacing);
    return cells < 2.0 ? 0 : cells > 1.0e6 ? 999999 : (int)cells - 1;
}

static int64_t countInner(const pbdrSurfaceMesh* mesh, double spacing)
{
    int64_t count = 0;
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        int64_t cells = countCells(mesh, t, spacing);
        count += (cells - 1) * (cells - 2) / 2;
        for (int side = 0; side < 3; side++) {
            count += countAlong(mesh, t, side, spacing);
        }
    }
    return count;
}

// --- Filling ---

typedef struct Writer {
    pbdrSurface* surface;
    int probeCount, normalCount;
} Writer;

// Distinct faces among those that meet at a probe.
typedef struct Faces {
    int count;
    pbdrVec3 normals[PBDR_PROBE_NORMALS];
    double areas[PBDR_PROBE_NORMALS];
} Faces;

static void addFace(Faces* faces, pbdrVec3 normal, double area)
{
    for (int i = 0; i < faces->count; i++) {
        if (pbdrDot(faces->normals[i], normal) >= SAME_FACE_COSINE) {
            faces->areas[i] += area;
            return;
        }
    }
    if (faces->count < PBDR_PROBE_NORMALS) {
        faces->normals[faces->count] = normal;
        faces->areas[faces->count++] = area;
    }
}

// The weight is the mean area for now.
static void writeProbe(Writer* writer, pbdrVec3 place, const Faces* faces)
{
    pbdrProbe* probe = &writer->surface->probes[writer->probeCount++];
    *probe = (pbdrProbe){.kind = pbdr_probePoint,
                         .against = EVERYTHING,
                         .a = place,
                         .firstNormal = writer->normalCount,
                         .normalCount = faces->count};
    for (int i = 0; i < faces->count; i++) {
        writer->surface->normals[writer->normalCount++] = faces->normals[i];
        probe->weight += faces->areas[i] / faces->count;
    }
}

// Area of one cell of the lattice on a facet.
static double getCellArea(const pbdrSurfaceMesh* mesh, int facet, double spacing)
{
    double cells = countCells(mesh, facet, spacing);
    return pbdrLength(pbdrGetAreaVector(&mesh->tree.triangles[facet])) / (cells * cells);
}

// An inner point of a lattice has a third of six cells, one on a side of three, a corner of one.
static Faces gatherVertex(const pbdrSurfaceMesh* mesh, int vertex, double spacing)
{
    Faces faces = {.count = 0};
    for (int32_t i = mesh->firsts[vertex]; i < mesh->firsts[vertex + 1]; i++) {
        int32_t facet = mesh->around[i];
        addFace(&faces, mesh->facets[facet].normal, getCellArea(mesh, facet, spacing) / 3.0);
    }
    return faces;
}

static void writeSides(Writer* writer, const pbdrSurfaceMesh* mesh, int facet, double spacing)
{
    const pbdrFacet* f = &mesh->facets[facet];
    for (int side = 0; side < 3; side++) {
        int count = countAlong(mesh, facet, side, spacing);
        Faces faces = {.count = 0};
        addFace(&faces, f->normal, getCellArea(mesh, facet, spacing));
        if (f->across[side] >= 0) {
            addFace(&faces, mesh->facets[f->across[side]].normal,
                    getCellArea(mesh, f->across[side], spacing));
        }
        pbdrVec3 from = mesh->vertices[f->corners[side]], to = mesh->vertices[f->corners[(side + 1) % 3]];
        for (int i = 1; i <= count; i++) {
            writeProbe(writer, pbdrAddScaled(from, (double)i / (count + 1), pbdrSub(to, from)), &faces);
        }
    }
}

static void writeInside(Writer* writer, const pbdrSurfaceMesh* mesh, int facet, double spacing)
{
    const pbdrVec3* c = mesh->tree.triangles[facet].corners;
    int cells = countCells(mesh, facet, spacing);
    Faces faces = {.count = 0};
    addFace(&faces, mesh->facets[facet].normal, 2.0 * getCellArea(mesh, facet, spacing));
    for (int i = 1; i < cells; i++) {
        for (int j = 1; i + j < cells; j++) {
            pbdrVec3 place = pbdrAddScaled(c[0], (double)i / cells, pbdrSub(c[1], c[0]));
            writeProbe(writer, pbdrAddScaled(place, (double)j / cells, pbdrSub(c[2], c[0])), &faces);
        }
    }
}

// --- Thinning ---

// Vertices in the order in which the tree has them, neighbours near each other; seen: room for a mark each.
static int orderVertices(const pbdrSurfaceMesh* mesh, uint8_t* seen, int32_t* order)
{
    int count = 0;
    for (int t = 0; t < mesh->tree.triangleCount; t++) {
        for (int k = 0; k < 3; k++) {
            int32_t vertex = mesh->facets[t].corners[k];
            if (!seen[vertex]) {
                seen[vertex] = 1;
                order[count++] = vertex;
            }
        }
    }
    return count;
}

static int32_t findProudest(const pbdrSurfaceMesh* mesh, const int32_t* bunch, int count)
{
    pbdrVec3 normal = {0.0, 0.0, 0.0};
    for (int i = 0; i < count; i++) {
        normal = pbdrAdd(normal, mesh->vertexNormals[bunch[i]]);
    }
    int best = 0;
    for (int i = 1; i < count; i++) {
        if (pbdrDot(normal, mesh->vertices[bunch[i]]) > pbdrDot(normal, mesh->vertices[bunch[best]])) {
            best = i;
        }
    }
    return bunch[best];
}

static void writeVertices(Writer* writer, const pbdrSurfaceMesh* mesh, const int32_t* order, int kept,
                          double spacing)
{
    for (int64_t i = 0; i < kept; i++) {
        int64_t from = i * mesh->vertexCount / kept, to = (i + 1) * mesh->vertexCount / kept;
        int32_t vertex = findProudest(mesh, order + from, (int)(to - from));
        Faces faces = gatherVertex(mesh, vertex, spacing);
        for (int k = 0; k < faces.count; k++) {
            faces.areas[k] *= (double)(to - from); // it stands for its bunch
        }
        writeProbe(writer, mesh->vertices[vertex], &faces);
    }
}

static void scaleWeights(pbdrSurface* surface)
{
    double largest = 0.0;
    for (int i = 0; i < surface->probeCount; i++) {
        largest = fmax(largest, surface->probes[i].weight);
    }
    for (int i = 0; i < surface->probeCount; i++) {
        double weight = largest > 0.0 ? surface->probes[i].weight / largest : 1.0;
        surface->probes[i].weight = fmax(weight, LEAST_WEIGHT);
    }
}

// Gives back the room that normals did not need.
static bool shrinkNormals(pbdrSurface* surface, int used)
{
    pbdrVec3* normals = pbdrAllocate(&surface->hooks, (size_t)used, sizeof *normals);
    if (normals == NULL) {
        return false;
    }
    for (int i = 0; i < used; i++) {
        normals[i] = surface->normals[i];
    }
    pbdrRelease(&surface->hooks, surface->normals, (size_t)surface->normalCount, sizeof *surface->normals);
    surface->normals = normals;
    surface->normalCount = used;
    return true;
}

pbdrStatus pbdrMakeMeshProbes(pbdrSurface* surface, double spacing, int maxProbes, pbdrError* error)
{
    if (maxProbes == 0) {
        return pbdr_statusOk;
    }
    const pbdrSurfaceMesh* mesh = surface->mesh;
    int kept = mesh->vertexCount < maxProbes ? mesh->vertexCount : maxProbes;
    int64_t inner = spacing > 0.0 ? countInner(mesh, spacing) : 0;
    while (inner > maxProbes - kept) {
        spacing *= COARSER;
        inner = countInner(mesh, spacing);
    }
    size_t count = (size_t)(kept + inner), vertexCount = (size_t)mesh->vertexCount;
    const pbdrHooks* hooks = &surface->hooks;
    uint8_t* seen = pbdrAllocate(hooks, vertexCount, sizeof *seen);
    int32_t* order = pbdrAllocate(hooks, vertexCount, sizeof *order);
    pbdrProbe* probes = pbdrAllocate(hooks, count, sizeof *probes);
    pbdrVec3* normals = pbdrAllocate(hooks, count * PBDR_PROBE_NORMALS, sizeof *normals);
    bool good = seen != NULL && order != NULL && probes != NULL && normals != NULL;
    if (good) {
        pbdrRelease(hooks, surface->probes, (size_t)surface->probeCount, sizeof *surface->probes);
        pbdrRelease(hooks, surface->normals, (size_t)surface->normalCount, sizeof *surface->normals);
        surface->probes = probes;
        surface->probeCount = (int)count;
        surface->normals = normals;
        surface->normalCount = (int)count * PBDR_PROBE_NORMALS;
        Writer writer = {surface, 0, 0};
        orderVertices(mesh, seen, order);
        writeVertices(&writer, mesh, order, kept, spacing);
        for (int t = 0; inner > 0 && t < mesh->tree.triangleCount; t++) {
            writeSides(&writer, mesh, t, spacing);
            writeInside(&writer, mesh, t, spacing);
        }
        scaleWeights(surface);
        good = shrinkNormals(surface, writer.normalCount);
    } else {
        pbdrRelease(hooks, probes, count, sizeof *probes);
        pbdrRelease(hooks, normals, count * PBDR_PROBE_NORMALS, sizeof *normals);
    }
    pbdrRelease(hooks, seen, vertexCount, sizeof *seen);
    pbdrRelease(hooks, order, vertexCount, sizeof *order);
    return good ? pbdr_statusOk
                : pbdrFail(error, pbdr_statusNoMemory, "no memory for %zu probes of a mesh", count);
}
