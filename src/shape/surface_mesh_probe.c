// Points against a mesh.
//
// The nearest point q of the mesh is on a facet, a side or a vertex. A ball sees the Euclidean distance |x -
// q| with the sign of the pseudo-normal there. A point of radius 0 sees planes, as it does at a box: that of
// the facet, or where q is on a convex side or vertex, or within the slack of one, the plane of greatest
// separation among the facets that meet there, as far as the prober's faces look at it. At the other sides (a
// valley seen from within) only the Euclidean direction is left.
//
// A point that was on one side of a thin wall is not pulled through it: if the nearest facet faces the other
// way than the one remembered, the nearest facet that faces the old way counts, until the point is farther
// out than the wall is thick.
#include "shape/surface_mesh.h"

// Facets that may compete for one point.
#define MAX_RIVALS 32
// Facets whose normals' product is below this face opposite ways.
#define OPPOSITE -0.7

// What the nearest point is on.
typedef struct Nearest {
    int32_t facet;
    int side, end; // -1 unless on a side, or at a corner, of the facet
    pbdrVec3 point;
    double distance;
} Nearest;

static const int NO_PART = -1;

// By the Voronoi regions of corners, sides and face (Ericson 2004, Real-Time Collision Detection, 5.1.5), as
// pbdrGetNearestOnTriangle, which forgets the region.
static Nearest describe(const pbdrSurfaceMesh* mesh, int32_t facet, pbdrVec3 x)
{
    Nearest nearest = {facet, NO_PART, NO_PART, {0.0, 0.0, 0.0}, 0.0};
    const pbdrVec3* c = mesh->tree.triangles[facet].corners;
    nearest.point = pbdrGetNearestOnTriangle(&mesh->tree.triangles[facet], x);
    pbdrVec3 d = pbdrSub(x, nearest.point);
    nearest.distance = pbdrLength(d);
    for (int k = 0; k < 3; k++) {
        if (nearest.point.x == c[k].x && nearest.point.y == c[k].y && nearest.point.z == c[k].z) {
            nearest.end = k;
            return nearest;
        }
    }
    // on a side if it is no farther inwards than rounding
    for (int k = 0; k < 3; k++) {
        pbdrVec3 along = pbdrSub(c[(k + 1) % 3], c[k]);
        pbdrVec3 inwards = pbdrCross(mesh->facets[facet].normal, along);
        double length = pbdrLength(along);
        if (pbdrDot(inwards, pbdrSub(nearest.point, c[k])) <= 1.0e-14 * length * mesh->extent) {
            nearest.side = k;
            return nearest;
        }
    }
    return nearest;
}

static Nearest findNearest(const pbdrSurfaceMesh* mesh, pbdrVec3 x, double within, int32_t remembered)
{
    pbdrSurfacePoint found = {x, within, -1};
    if (remembered >= 0 && remembered < mesh->tree.triangleCount) {
        pbdrVec3 d = pbdrSub(x, pbdrGetNearestOnTriangle(&mesh->tree.triangles[remembered], x));
        double distance = pbdrLength(d);
        if (distance < within) {
            found = pbdrFindNearest(&mesh->tree, x, distance);
            return describe(mesh, found.triangle >= 0 ? found.triangle : remembered, x);
        }
    }
    found = pbdrFindNearest(&mesh->tree, x, within);
    return found.triangle >= 0 ? describe(mesh, found.triangle, x) : (Nearest){.facet = -1};
}

static double getHeight(const pbdrSurfaceMesh* mesh, int32_t facet, pbdrVec3 x)
{
    return pbdrDot(mesh->facets[facet].normal, pbdrSub(x, mesh->tree.triangles[facet].corners[0]));
}

static bool isRimVertex(const pbdrSurfaceMesh* mesh, int32_t vertex)
{
    for (int32_t i = mesh->firsts[vertex]; i < mesh->firsts[vertex + 1]; i++) {
        const pbdrFacet* facet = &mesh->facets[mesh->around[i]];
        int k = facet->corners[0] == vertex ? 0 : facet->corners[1] == vertex ? 1 : 2;
        if (facet->across[k] < 0 || facet->across[(k + 2) % 3] < 0) {
            return true;
        }
    }
    return false;
}

static pbdrVec3 getPseudoNormal(const pbdrSurfaceMesh* mesh, const Nearest* nearest)
{
    const pbdrFacet* facet = &mesh->facets[nearest->facet];
    if (nearest->end >= 0) {
        return mesh->vertexNormals[facet->corners[nearest->end]];
    }
    if (nearest->side >= 0 && facet->across[nearest->side] >= 0) {
        return pbdrDirection(pbdrAdd(facet->normal, mesh->facets[facet->across[nearest->side]].normal),
                             facet->normal);
    }
    return facet->normal;
}

// On the rim of an open mesh, beyond which there is nothing.
static bool isOnRim(const pbdrSurfaceMesh* mesh, const Nearest* nearest)
{
    const pbdrFacet* facet = &mesh->facets[nearest->facet];
    return mesh->sides != pbdr_meshSolid &&
           ((nearest->side >= 0 && facet->across[nearest->side] < 0) ||
            (nearest->end >= 0 && isRimVertex(mesh, facet->corners[nearest->end])));
}

// --- Planes that compete ---

static void addRival(int32_t rivals[MAX_RIVALS], int* count, int32_t facet)
{
    for (int i = 0; i < *count; i++) {
        if (rivals[i] == facet) {
            return;
        }
    }
    if (*count < MAX_RIVALS) {
        rivals[(*count)++] = facet;
    }
}

// The facet itself, and those beyond its convex sides and corners that are within the slack of q. False where
// q is on something that is not convex.
static bool findRivals(const pbdrSurfaceMesh* mesh, const Nearest* nearest, double slack,
                       int32_t rivals[MAX_RIVALS], int* count)
{
    const pbdrFacet* facet = &mesh->facets[nearest->facet];
    const pbdrVec3* c = mesh->tree.triangles[nearest->facet].corners;
    *count = 0;
    addRival(rivals, count, nearest->facet);
    if ((nearest->side >= 0 && !facet->convex[nearest->side]) ||
        (nearest->end >= 0 && !facet->convexEnd[nearest->end])) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        pbdrVec3 along = pbdrSub(c[(k + 1) % 3], c[k]), from = pbdrSub(nearest->point, c[k]);
        double inwards = pbdrDot(pbdrCross(facet->normal, along), from);
        if (facet->convex[k] && inwards <= slack * pbdrLength(along)) {
            addRival(rivals, count, facet->across[k]);
        }
        if (facet->convexEnd[k] && pbdrDot(from, from) <= slack * slack) {
            int32_t vertex = facet->corners[k];
            for (int32_t i = mesh->firsts[vertex]; i < mesh->firsts[vertex + 1]; i++) {
                addRival(rivals, count, mesh->around[i]);
            }
        }
    }
    return true;
}

// The plane of greatest separation that the prober can touch, within the slack of the greatest of all.
static int32_t chooseRival(const pbdrSurfaceMesh* mesh, const pbdrPlacedProbe* probe, double slack,
                           const int32_t rivals[MAX_RIVALS], int count)
{
    double heights[MAX_RIVALS];
    int greatest = 0;
    for (int i = 0; i < count; i++) {
        heights[i] = getHeight(mesh, rivals[i], probe->a);
        greatest = heights[i] > heights[greatest] ? i : greatest;
    }
    int chosen = -1;
    for (int i = 0; i < count && probe->normalCount > 0; i++) {
        if (heights[i] >= heights[greatest] - slack && (chosen < 0 || heights[i] > heights[chosen]) &&
            pbdrIsFacing(probe, mesh->facets[rivals[i]].normal)) {
            chosen = i;
        }
    }
    return rivals[chosen >= 0 ? chosen : greatest];
}

// --- Thin walls ---

typedef struct Search {
    const pbdrSurfaceMesh* mesh;
    pbdrVec3 x, normal;
    double distance;
    int32_t facet;
} Search;

static bool visitFacet(void* context, const pbdrTriangle* triangle)
{
    Search* search = context;
    int32_t facet = (int32_t)(triangle - search->mesh->tree.triangles);
    if (pbdrDot(search->mesh->facets[facet].normal, search->normal) > -OPPOSITE) {
        pbdrVec3 d = pbdrSub(search->x, pbdrGetNearestOnTriangle(triangle, search->x));
        double distance = pbdrLength(d);
        if (distance < search->distance) {
            search->distance = distance;
            search->facet = facet;
        }
    }
    return true;
}

// The facet on the old side that still counts; -1: none. height: above the facet chosen now.
static int32_t findOldSide(const pbdrSurfaceMesh* mesh, const pbdrPlacedProbe* probe, int32_t last,
                           int32_t chosen, double height)
{
    if (last < 0 || last >= mesh->tree.triangleCount ||
        pbdrDot(mesh->facets[last].normal, mesh->facets[chosen].normal) > OPPOSITE) {
        return -1;
    }
    pbdrVec3 d = pbdrSub(probe->a, pbdrGetNearestOnTriangle(&mesh->tree.triangles[last], probe->a));
    double within = fmin(pbdrLength(d) * (1.0 + 1.0e-12), mesh->thickness);
    Search search = {mesh, probe->a, mesh->facets[last].normal, (double)INFINITY, -1};
    pbdrVisitNear(&mesh->tree, probe->a, within, visitFacet, &search);
    if (search.facet < 0) {
        return -1;
    }
    Nearest old = describe(mesh, search.facet, probe->a);
    double depth = -getHeight(mesh, search.facet, probe->a), wall = depth - height;
    bool isUnder = old.end < 0 && (old.side < 0 || mesh->facets[old.facet].across[old.side] >= 0);
    bool isNear = height <= fmin(wall, fmax(probe->reach, 0.0));
    return isUnder && depth >= 0.0 && wall > 0.0 && isNear &&
                   (pbdrIsFacing(probe, mesh->facets[search.facet].normal) ||
                    !pbdrIsFacing(probe, mesh->facets[chosen].normal))
               ? search.facet
               : -1;
}

// --- Hits ---

static int hitPlane(const pbdrSurfaceMesh* mesh, const pbdrPlacedProbe* probe, int32_t facet, double side,
                    pbdrSurfaceHit* hit)
{
    pbdrSetHit(hit, probe->a, side * getHeight(mesh, facet, probe->a),
               pbdrScale(side, mesh->facets[facet].normal), probe->radius, mesh->facets[facet].patch);
    return 1;
}

// Along x - q, or q - x from within.
static int hitPoint(const pbdrSurfaceMesh* mesh, const pbdrPlacedProbe* probe, const Nearest* nearest,
                    double sign, pbdrVec3 pseudo, pbdrSurfaceHit* hit)
{
    pbdrVec3 normal = pseudo;
    if (nearest->distance > 1.0e-12 * mesh->extent) {
        normal = pbdrScale(sign / nearest->distance, pbdrSub(probe->a, nearest->point));
        normal = pbdrDirection(normal, pseudo);
    }
    // past the patches: sides, then corners
    int32_t part = nearest->end >= 0 ? 3 + nearest->end : nearest->side;
    pbdrSetHit(hit, probe->a, sign * nearest->distance, normal, probe->radius,
               part >= 0 ? mesh->tree.triangleCount + 6 * nearest->facet + part
                         : mesh->facets[nearest->facet].patch);
    return 1;
}

bool pbdrIsSheet(const pbdrSurface* surface)
{
    return surface->mesh->sides == pbdr_meshTwoSided;
}

// Whether the straight way from the prober's core to the probe goes through the sheet, by the plane of the facet that
// is nearest: the probe then is under the side that the core is on.
static bool isThrough(const pbdrSurfaceMesh* mesh, const pbdrPlacedProbe* probe, const Nearest* nearest,
                      double slack)
{
    double from = getHeight(mesh, nearest->facet, probe->core),
           to = getHeight(mesh, nearest->facet, probe->a);
    if (!(probe->bulk > 0.0) || !(from * to < 0.0)) {
        return false;
    }
    pbdrVec3 crossing = pbdrAddScaled(probe->core, from / (from - to), pbdrSub(probe->a, probe->core));
    return pbdrFindNearest(&mesh->tree, crossing, slack).triangle >= 0;
}

// A sheet: the side is remembered, in features[1] (0 front, 1 back), until the point is out past a rim.
static int probeSheet(const pbdrSurface* surface, const pbdrPlacedProbe* probe, const Nearest* nearest,
                      int32_t features[2], pbdrSurfaceHit* hit)
{
    const pbdrSurfaceMesh* mesh = surface->mesh;
    pbdrVec3 pseudo = getPseudoNormal(mesh, nearest);
    double height = pbdrDot(pseudo, pbdrSub(probe->a, nearest->point));
    if (isOnRim(mesh, nearest)) {
        features[1] = height < 0.0 ? 1 : 0;
        return hitPoint(mesh, probe, nearest, 1.0, height < 0.0 ? pbdrScale(-1.0, pseudo) : pseudo, hit);
    }
    bool isKnown = features[1] == 0 || features[1] == 1;
    double side = (isKnown ? features[1] == 1 : height < 0.0) ? -1.0 : 1.0;
    if (!isKnown && isThrough(mesh, probe, nearest, surface->slack)) {
        side = -side;
    }
    if (side * height < -mesh->thickness) {
        side = -side;
    }
    features[1] = side < 0.0 ? 1 : 0;
    if (nearest->side < 0 && nearest->end < 0) {
        return hitPlane(mesh, probe, nearest->facet, side, hit);
    }
    return hitPoint(mesh, probe, nearest, side * height < 0.0 ? -1.0 : 1.0, pbdrScale(side, pseudo), hit);
}

static int probeSolid(const pbdrSurface* surface, const pbdrPlacedProbe* probe, const Nearest* nearest,
                      int32_t* feature, pbdrSurfaceHit* hit)
{
    const pbdrSurfaceMesh* mesh = surface->mesh;
    pbdrVec3 pseudo = getPseudoNormal(mesh, nearest);
    double sign = pbdrDot(pseudo, pbdrSub(probe->a, nearest->point)) < 0.0 ? -1.0 : 1.0;
    int32_t rivals[MAX_RIVALS], chosen = nearest->facet, last = *feature;
    *feature = chosen;
    if (isOnRim(mesh, nearest)) {
        return hitPoint(mesh, probe, nearest, 1.0, pseudo, hit);
    }
    if (sign < 0.0 && nearest->distance > mesh->thickness) {
        return 0;
    }
    int rivalCount;
    bool sharp = !(probe->radius > 0.0), isPlane = nearest->side < 0 && nearest->end < 0;
    if (sharp && findRivals(mesh, nearest, surface->slack, rivals, &rivalCount)) {
        chosen = rivalCount > 1 ? chooseRival(mesh, probe, surface->slack, rivals, rivalCount) : chosen;
        isPlane = true;
    }
    int32_t old = findOldSide(mesh, probe, last, chosen, sign * nearest->distance);
    if (old >= 0) {
        chosen = old;
        isPlane = true;
    }
    *feature = chosen;
    return isPlane ? hitPlane(mesh, probe, chosen, 1.0, hit)
                   : hitPoint(mesh, probe, nearest, sign, pseudo, hit);
}

// features[0]: the facet that decides the side (a sheet: where to look first); forgotten beyond the reach.
// features[1]: where to look first, at any distance (a sheet: its side).
int pbdrProbeMesh(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                  pbdrSurfaceHit hits[2])
{
    const pbdrSurfaceMesh* mesh = surface->mesh;
    bool isSheet = mesh->sides == pbdr_meshTwoSided;
    double over = probe->reach + probe->radius;
    const pbdrTriangleNode* root = &mesh->tree.nodes[0];
    bool isBeyond = mesh->sides == pbdr_meshSolid &&
                    (probe->a.x < root->lower.x - over || probe->a.x > root->upper.x + over ||
                     probe->a.y < root->lower.y - over || probe->a.y > root->upper.y + over ||
                     probe->a.z < root->lower.z - over || probe->a.z > root->upper.z + over);
    int count = 0;
    if (probe->kind == pbdr_probePoint && !isBeyond) { // meshes are touched by points only
        // a deep point may be farther from the surface than the reach
        double within = fmax(over, 0.0) + mesh->thickness;
        Nearest nearest = findNearest(mesh, probe->a, within, features[isSheet ? 0 : 1]);
        if (nearest.facet >= 0) {
            features[isSheet ? 0 : 1] = nearest.facet;
            count = isSheet ? probeSheet(surface, probe, &nearest, features, &hits[0])
                            : probeSolid(surface, probe, &nearest, &features[0], &hits[0]);
        }
    }
    if (count == 0 || !(hits[0].gap <= probe->reach)) {
        features[isSheet ? 1 : 0] = PBDR_NO_FEATURE;
        return 0;
    }
    return count;
}
