// Mending a damaged mesh, so that its winding number is a whole number everywhere off the surface:
//
//   doubled facets --> flipped facets and patches --> holes
//   doubled_facets.c   facet_orientation.c            hole_filling.c
//
// Surfaces that cut through each other are left as they are: the solid is where the winding number is 1 or
// more.
#include "geometry/mesh_repair.h"

#include "base.h"
#include "math/vec.h"

#include <stdlib.h>
#include <string.h>

void pbdrFreeSoup(pbdrSoup* soup)
{
    pbdrHooks hooks = soup->hooks;
    pbdrRelease(&hooks, soup->vertices, (size_t)soup->vertexCapacity, sizeof *soup->vertices);
    pbdrRelease(&hooks, soup->triangles, (size_t)soup->triangleCapacity, sizeof *soup->triangles);
    memset(soup, 0, sizeof *soup);
}

static pbdrStatus copyMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrSoup* soup, pbdrError* error)
{
    memset(soup, 0, sizeof *soup);
    if (hooks != NULL) {
        soup->hooks = *hooks;
    }
    soup->vertexCount = soup->vertexCapacity = mesh->vertexCount;
    soup->triangleCount = soup->triangleCapacity = mesh->triangleCount;
    soup->vertices = pbdrAllocate(hooks, (size_t)mesh->vertexCount, sizeof *soup->vertices);
    soup->triangles = pbdrAllocate(hooks, (size_t)mesh->triangleCount, sizeof *soup->triangles);
    if (soup->vertices == NULL || soup->triangles == NULL) {
        pbdrFreeSoup(soup);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory to repair %d triangles", mesh->triangleCount);
    }
    memcpy(soup->vertices, mesh->vertices, (size_t)mesh->vertexCount * sizeof *soup->vertices);
    memcpy(soup->triangles, mesh->triangles, (size_t)mesh->triangleCount * sizeof *soup->triangles);
    return pbdr_statusOk;
}

// --- Sides ---

static int compareSides(const void* a, const void* b)
{
    const pbdrSide *x = a, *y = b;
    if (x->low != y->low) {
        return x->low < y->low ? -1 : 1;
    }
    if (x->high != y->high) {
        return x->high < y->high ? -1 : 1;
    }
    return x->triangle < y->triangle ? -1 : x->triangle > y->triangle;
}

pbdrSide* pbdrSortSides(const pbdrSoup* soup)
{
    size_t count = 3 * (size_t)soup->triangleCount;
    pbdrSide* sides = pbdrAllocate(&soup->hooks, count, sizeof *sides);
    if (sides == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        int32_t t = (int32_t)(i / 3);
        int32_t a = soup->triangles[t][i % 3], b = soup->triangles[t][(i + 1) % 3];
        sides[i] = a < b ? (pbdrSide){a, b, +1, t} : (pbdrSide){b, a, -1, t};
    }
    qsort(sides, count, sizeof *sides, compareSides);
    return sides;
}

size_t pbdrCountSides(const pbdrSide* sides, size_t first, size_t count)
{
    size_t n = 1;
    while (first + n < count && sides[first + n].low == sides[first].low &&
           sides[first + n].high == sides[first].high) {
        n++;
    }
    return n;
}

pbdrStatus pbdrRepairMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrMesh* repaired,
                          pbdrMeshRepair* report, pbdrError* error)
{
    pbdrMeshRepair ownReport;
    report = report != NULL ? report : &ownReport;
    *report = (pbdrMeshRepair){0};
    if (!PBDR_ASSERT(hooks, mesh != NULL && repaired != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or repaired: NULL");
    }
    memset(repaired, 0, sizeof *repaired);
    // What no mesh can have is refused in Check's words; what can be mended is not.
    pbdrMeshReport found;
    pbdrError own = {0};
    pbdrStatus status = pbdrMesh_Check(mesh, &found, &own);
    if (status == pbdr_statusInvalidArgument || status == pbdr_statusNoMemory || mesh->triangleCount < 1 ||
        found.degenerateTriangles > 0) {
        return pbdrFail(error, status, "%s", own.message);
    }
    pbdrSoup soup;
    int balanced = 0;
    status = copyMesh(mesh, hooks, &soup, error);
    if (status == pbdr_statusOk) {
        status = pbdrDropDoubles(&soup, &balanced, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrReturnBalanced(&soup, balanced, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrOrientFacets(&soup, report, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrFillHoles(&soup, report, error);
    }
    if (status == pbdr_statusOk && report->filledHoles > 0) {
        status = pbdrDropDoubles(&soup, &balanced, error); // a loose facet and the fill of its own rim
    }
    if (status == pbdr_statusOk) {
        report->droppedTriangles = mesh->triangleCount + report->addedTriangles - soup.triangleCount;
        status = pbdrCreateMesh(soup.vertices, soup.vertexCount, (const int32_t(*)[3])soup.triangles,
                                soup.triangleCount, hooks, repaired, NULL, error);
    }
    pbdrFreeSoup(&soup);
    return status;
}
