#include "shape/query.h"

bool pbdrShape_CastRay(const pbdrShape* shape, pbdrVec3 origin, pbdrVec3 direction, double farthest,
                       pbdrShapeHit* hit)
{
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

bool pbdrShape_FindNearest(const pbdrShape* shape, pbdrVec3 point, double farthest, pbdrShapeHit* hit)
{
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
