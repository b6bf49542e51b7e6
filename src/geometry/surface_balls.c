// The largest balls inside a solid that touch its boundary at given points, by the shrinking ball (Ma, Bae
// and Choi 2012) against the facets themselves: a ball through p with its centre at p - r n (n: outward
// normal) that contains a nearer point q of the boundary is too large; the one through p and q has
//
//   r' = |q - p|^2 / (2 (p - q) . n)
//
// and so on until the nearest point is as far as p. Balls of the base's corners come first in a packing, so
// that the body stands on what the mesh stands on.
#include "geometry/surface_balls.h"

#include "base.h"
#include "geometry/support.h"
#include "math/random.h"
#include "math/vec.h"

#include <string.h>

// A ball has come to rest when nothing is nearer than this share of its radius less than its radius: it may
// stick out by 1e-9 r, and shrinks no further for rounding.
#define REST 1.0e-9
#define MAX_SHRINKS 100

// The hull of a base fills at least this share of the bounds' footprint. A ball's, for a tolerance of 0.3 %,
// fills 1 %: it shall roll.
#define BASE_SHARE 0.02

// Facets face down within about 6 degrees.
#define DOWN_COSINE 0.995

// Samples are low up to this many tolerances above the lowest point.
#define LOW_TOLERANCES 5.0

// Samples of the base besides those next to its corners.
#define BASE_SAMPLES 1500

// Distances from the base's outline at which balls next to its corners are tried, in smallest radii.
static const double cornerInsets[] = {1.02, 1.5, 2.5, 4.0};
#define CORNER_INSETS ((int)(sizeof cornerInsets / sizeof cornerInsets[0]))

void pbdrGrowBall(const pbdrSolid* solid, double radius, double smallest, pbdrBall* ball)
{
    if (ball->grown) {
        return;
    }
    ball->grown = true;
    double r = pbdrIsOnSkin(solid, ball->point, ball->normal, NULL) ? radius : 0.0;
    for (int i = 0; i < MAX_SHRINKS && r >= smallest; i++) {
        pbdrVec3 centre = pbdrAddScaled(ball->point, -r, ball->normal);
        pbdrSurfacePoint near = pbdrFindNearest(pbdrGetSkin(solid), centre, (1.0 - REST) * r);
        if (near.triangle < 0) {
            ball->centre = centre;
            ball->radius = r;
            return;
        }
        pbdrVec3 d = pbdrSub(ball->point, near.point);
        r = pbdrDot(d, d) / (2.0 * pbdrDot(d, ball->normal));
    }
}

void pbdrSampleBalls(const pbdrSolid* solid, int count, uint64_t seed, pbdrBall* balls)
{
    for (int i = 0; i < count; i++) {
        double share = (i + pbdrNextUniform(&seed)) / count;
        pbdrSkinSample sample = pbdrSampleSkin(solid, share, &seed);
        balls[i] = (pbdrBall){.point = sample.point, .normal = sample.normal};
    }
}

// --- The base ---

pbdrStatus pbdrFindBase(const pbdrSolid* solid, double tolerance, const pbdrHooks* hooks, pbdrBase* base,
                        pbdrError* error)
{
    const pbdrMesh* mesh = &solid->mesh;
    pbdrVec3 size = pbdrSub(solid->upper, solid->lower);
    *base = (pbdrBase){.height = solid->lower.z, .tolerance = tolerance * size.z};
    size_t room = (size_t)mesh->vertexCount + 1;
    pbdrVec3* points = pbdrAllocate(hooks, room, sizeof *points);
    pbdrVec3* hull = pbdrAllocate(hooks, room, sizeof *hull);
    if (points == NULL || hull == NULL) {
        pbdrRelease(hooks, points, room, sizeof *points);
        pbdrRelease(hooks, hull, room, sizeof *hull);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for the base of %d vertices",
                        mesh->vertexCount);
    }
    int count = 0;
    for (int i = 0; i < mesh->vertexCount; i++) {
        if (mesh->vertices[i].z <= base->height + base->tolerance) {
            points[count++] = mesh->vertices[i];
        }
    }
    base->hullCount = pbdrFindHull(points, count, hull);
    base->hull = hull;
    base->hullCapacity = (int)room;
    base->hooks = solid->mesh.hooks;
    base->flat = tolerance > 0.0 && pbdrGetHullArea(hull, base->hullCount) >= BASE_SHARE * size.x * size.y;
    pbdrRelease(hooks, points, room, sizeof *points);
    return pbdr_statusOk;
}

void pbdrFreeBase(pbdrBase* base)
{
    pbdrHooks hooks = base->hooks;
    pbdrRelease(&hooks, base->hull, (size_t)base->hullCapacity, sizeof *base->hull);
    memset(base, 0, sizeof *base);
}

bool pbdrIsOnBase(const pbdrBase* base, pbdrVec3 centre, double radius)
{
    return base->flat && centre.z - radius <= base->height + base->tolerance &&
           pbdrGetHullMargin(base->hull, base->hullCount, centre) >= 0.0;
}

// What a base's balls are collected in.
typedef struct Collection {
    const pbdrSolid* solid;
    const pbdrBase* base;
    double radius, smallest;
    pbdrBall* balls;
    int count, capacity;
} Collection;

static void collectBall(Collection* to, pbdrBall ball)
{
    pbdrGrowBall(to->solid, to->radius, to->smallest, &ball);
    if (ball.radius >= to->smallest && pbdrIsOnBase(to->base, ball.centre, ball.radius) &&
        to->count < to->capacity) {
        to->balls[to->count++] = ball;
    }
}

// Balls that touch higher up hardly ever reach down to the base.
static bool isLow(const pbdrBase* base, pbdrVec3 point)
{
    return point.z <= base->height + LOW_TOLERANCES * base->tolerance;
}

static bool isBaseFacet(const pbdrTriangle* triangle, const pbdrBase* base)
{
    for (int k = 0; k < 3; k++) {
        if (triangle->corners[k].z > base->height + base->tolerance) {
            return false;
        }
    }
    pbdrVec3 area = pbdrGetAreaVector(triangle);
    return -area.z >= DOWN_COSINE * pbdrLength(area);
}

// Area-uniform samples of the base's facets, if it has any.
static void collectFacets(Collection* to, uint64_t* random)
{
    const pbdrTriangleTree* skin = pbdrGetSkin(to->solid);
    double all = 0.0, end = 0.0;
    for (int t = 0; t < skin->triangleCount; t++) {
        all += isBaseFacet(&skin->triangles[t], to->base) ? pbdrLength(pbdrGetAreaVector(&skin->triangles[t]))
                                                          : 0.0;
    }
    double step = all / BASE_SAMPLES, next = step * pbdrNextUniform(random);
    for (int t = 0; t < skin->triangleCount; t++) {
        const pbdrTriangle* triangle = &skin->triangles[t];
        if (!isBaseFacet(triangle, to->base)) {
            continue;
        }
        const pbdrVec3* c = triangle->corners;
        pbdrVec3 area = pbdrGetAreaVector(triangle);
        double size = pbdrLength(area);
        for (end += size; next < end; next += step) {
            double u = pbdrNextUniform(random), v = pbdrNextUniform(random);
            bool over = u + v > 1.0;
            pbdrVec3 p = pbdrAddScaled(c[0], over ? 1.0 - u : u, pbdrSub(c[1], c[0]));
            p = pbdrAddScaled(p, over ? 1.0 - v : v, pbdrSub(c[2], c[0]));
            collectBall(to, (pbdrBall){.point = p, .normal = pbdrScale(1.0 / size, area)});
        }
    }
}

// Samples next to the corners of the base's hull, on the bisector at given distances from both edges.
static void collectCorners(Collection* to)
{
    const pbdrTriangleTree* skin = pbdrGetSkin(to->solid);
    const pbdrVec3* hull = to->base->hull;
    int count = to->base->hullCount;
    for (int i = 0; i < count; i++) {
        pbdrVec3 v = hull[i], before = pbdrSub(hull[(i + count - 1) % count], v);
        pbdrVec3 after = pbdrSub(hull[(i + 1) % count], v);
        double lengthB = hypot(before.x, before.y), lengthA = hypot(after.x, after.y);
        pbdrVec3 b = pbdrVec(before.x / lengthB, before.y / lengthB, 0.0);
        pbdrVec3 a = pbdrVec(after.x / lengthA, after.y / lengthA, 0.0);
        double sine = fabs(a.x * b.y - a.y * b.x);
        for (int k = 0; k < CORNER_INSETS && sine > 1.0e-6; k++) {
            // (a + b) s has the distance s |a x b| from both edges
            pbdrVec3 p = pbdrAddScaled(v, cornerInsets[k] * to->smallest / sine, pbdrAdd(a, b));
            p.z = to->base->height;
            pbdrSurfacePoint near = pbdrFindNearest(skin, p, 2.0 * to->base->tolerance);
            if (near.triangle >= 0) {
                pbdrVec3 area = pbdrGetAreaVector(&skin->triangles[near.triangle]);
                collectBall(
                    to, (pbdrBall){.point = near.point, .normal = pbdrScale(1.0 / pbdrLength(area), area)});
            }
        }
    }
}

// Drops the corners that the hull's area misses least.
static int thinHull(pbdrVec3* hull, int count, int limit)
{
    while (count > limit) {
        int least = 0;
        double leastArea = (double)INFINITY;
        for (int i = 0; i < count; i++) {
            const pbdrVec3 three[3] = {hull[(i + count - 1) % count], hull[i], hull[(i + 1) % count]};
            double area = pbdrGetHullArea(three, 3);
            if (area < leastArea) {
                leastArea = area;
                least = i;
            }
        }
        memmove(hull + least, hull + least + 1, (size_t)(count - 1 - least) * sizeof *hull);
        count--;
    }
    return count;
}

// Moves the balls that stand at the hull's corners to the front; returns how many.
static int keepHull(Collection* from, const pbdrVec3* hull, int hullCount)
{
    int kept = 0;
    for (int i = 0; i < hullCount; i++) {
        for (int k = kept; k < from->count; k++) {
            pbdrBall ball = from->balls[k];
            if (ball.centre.x == hull[i].x && ball.centre.y == hull[i].y && ball.centre.z == hull[i].z) {
                from->balls[k] = from->balls[kept];
                from->balls[kept++] = ball;
                break;
            }
        }
    }
    return kept;
}

pbdrStatus pbdrMakeBaseBalls(const pbdrSolid* solid, const pbdrBase* base, pbdrBall* balls, int ballCount,
                             double radius, double smallest, int limit, uint64_t seed, const pbdrHooks* hooks,
                             pbdrBall** seeds, int* count, int* capacity, pbdrError* error)
{
    *seeds = NULL;
    *count = *capacity = 0;
    if (!base->flat) {
        return pbdr_statusOk;
    }
    size_t room = BASE_SAMPLES + 1 + CORNER_INSETS * (size_t)base->hullCount;
    for (int i = 0; i < ballCount; i++) {
        if (isLow(base, balls[i].point)) {
            pbdrGrowBall(solid, radius, smallest, &balls[i]);
            room++;
        }
    }
    pbdrVec3* work = pbdrAllocate(hooks, room, sizeof *work);
    pbdrVec3* hull = pbdrAllocate(hooks, room + 1, sizeof *hull);
    *seeds = pbdrAllocate(hooks, room, sizeof **seeds);
    pbdrStatus status = pbdr_statusOk;
    if (work == NULL || hull == NULL || *seeds == NULL) {
        pbdrRelease(hooks, *seeds, room, sizeof **seeds);
        *seeds = NULL;
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for %zu balls of the base", room);
    } else {
        Collection collection = {solid, base, radius, smallest, *seeds, 0, (int)room};
        uint64_t random = ~seed;
        for (int i = 0; i < ballCount; i++) {
            if (isLow(base, balls[i].point)) {
                collectBall(&collection, balls[i]);
            }
        }
        collectFacets(&collection, &random);
        collectCorners(&collection);
        for (int i = 0; i < collection.count; i++) {
            work[i] = collection.balls[i].centre;
        }
        int hullCount = thinHull(hull, pbdrFindHull(work, collection.count, hull), limit);
        *count = keepHull(&collection, hull, hullCount);
        *capacity = (int)room;
    }
    pbdrRelease(hooks, work, room, sizeof *work);
    pbdrRelease(hooks, hull, room + 1, sizeof *hull);
    return status;
}
