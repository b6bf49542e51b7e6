#include "shape/query.h"

// A ray has met a surface that is this near, over the surface's size.
#define NEAR 1.0e-12
// Steps of a ray at most: those that graze a surface take many, and end this near to it.
#define MAX_STEPS 1000
#define GRAZING 1.0e-6

static bool asksSurface(const pbdrShape* shape, bool bySurface)
{
    return bySurface && shape->surface.kind != pbdr_surfaceNone;
}

// Distance of a point from the true surface, Euclidean outside, below zero inside; false beyond farthest. A point
// with next to no radius is probed as a ball is: to the nearest point, not by planes of faces.
static bool measureSurface(const pbdrSurface* surface, pbdrVec3 point, double farthest, pbdrShapeHit* hit)
{
    const double radius = 1.0e-15 * surface->radius;
    const pbdrPlacedProbe probe = {
        .kind = pbdr_probePoint, .a = point, .b = point, .radius = radius, .reach = farthest};
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    pbdrSurfaceHit hits[2];
    if (pbdrSurface_Probe(surface, &probe, features, hits) == 0) {
        return false;
    }
    hit->distance = hits[0].gap + radius;
    hit->normal = hits[0].normal;
    hit->point = pbdrAddScaled(point, -hit->distance, hit->normal);
    hit->particle = -1;
    return true;
}

// Along the ray by the distance from the surface, as often as it takes: nothing can be nearer.
static bool traceSurface(const pbdrSurface* surface, pbdrVec3 origin, pbdrVec3 direction, double farthest,
                         pbdrShapeHit* hit)
{
    double way = 0.0;
    for (int step = 0; step < MAX_STEPS; step++) {
        pbdrShapeHit at;
        pbdrVec3 x = pbdrAddScaled(origin, way, direction);
        if (!measureSurface(surface, x, farthest - way + surface->radius, &at)) {
            return false;
        }
        double near = (step + 1 < MAX_STEPS ? NEAR : GRAZING) * surface->radius;
        if (at.distance <= near) {
            hit->distance = way;
            hit->point = x;
            hit->normal = step == 0 ? pbdrScale(-1.0, direction) : at.normal;
            hit->particle = -1;
            return true;
        }
        way += at.distance;
        if (way > farthest) {
            return false;
        }
    }
    return false;
}

bool pbdrShape_CastRay(const pbdrShape* shape, bool bySurface, pbdrVec3 origin, pbdrVec3 direction,
                       double farthest, pbdrShapeHit* hit)
{
    if (asksSurface(shape, bySurface)) {
        return traceSurface(&shape->surface, origin, direction, farthest, hit);
    }
    double distance;
    const int place = pbdrSphereTree_CastRay(&shape->tree, origin, direction, farthest, &distance);
    if (place < 0) {
        return false;
    }
    const pbdrTreeSphere* sphere = &shape->tree.spheres[place];
    hit->distance = distance;
    hit->point = pbdrAddScaled(origin, distance, direction);
    hit->particle = shape->tree.indices[place];
    const pbdrVec3 out = pbdrSub(hit->point, sphere->centre);
    const double length = pbdrLength(out);
    hit->normal = distance > 0.0 && length > 0.0 ? pbdrScale(1.0 / length, out) : pbdrScale(-1.0, direction);
    return true;
}

bool pbdrShape_FindNearest(const pbdrShape* shape, bool bySurface, pbdrVec3 point, double farthest,
                           pbdrShapeHit* hit)
{
    if (asksSurface(shape, bySurface)) {
        pbdrShapeHit at;
        bool found = measureSurface(&shape->surface, point, farthest, &at) && at.distance <= farthest;
        *hit = found ? at : *hit;
        return found;
    }
    double distance;
    const int place = pbdrSphereTree_FindNearest(&shape->tree, point, farthest, &distance);
    if (place < 0) {
        return false;
    }
    const pbdrTreeSphere* sphere = &shape->tree.spheres[place];
    const pbdrVec3 out = pbdrSub(point, sphere->centre);
    const double length = pbdrLength(out);
    // the centre of a sphere is as near to all of it: upwards
    hit->normal = length > 0.0 ? pbdrScale(1.0 / length, out) : pbdrVec(0.0, 0.0, 1.0);
    hit->point = pbdrAddScaled(sphere->centre, sphere->radius, hit->normal);
    hit->distance = distance;
    hit->particle = shape->tree.indices[place];
    return true;
}
