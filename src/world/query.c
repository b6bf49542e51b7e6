// Rays and nearest points: planes, then bodies whose bounding ball is not too far, each in its rest frame.
#include "world/internal.h"

#include "shape/query.h"

static const pbdrHit noHit = {.particle = -1};

// A body's hit, in world space.
static void takeBodyHit(const pbdrScene* scene, int index, const pbdrVec3* centre, const pbdrMat3* turn,
                        const pbdrShapeHit* found, pbdrHit* hit)
{
    *hit = (pbdrHit){
        .body = pbdrGetBodyId(scene, index),
        .particle = found->particle,
        .point = pbdrAdd(*centre, pbdrMulMV(turn, found->point)),
        .normal = pbdrMulMV(turn, found->normal),
        .distance = found->distance,
    };
}

// No point of a body is farther from its centre. Engines of particles keep it rounded: a little more.
static double getBallRadius(const pbdrBody* body)
{
    return 1.01 * fmax(body->shape->reach + body->shape->largestRadius, body->shape->surface.radius);
}

// --- Rays ---

// Whether a ray meets the body's bounding ball at no more than `farthest`.
static bool mayHit(const pbdrBody* body, pbdrVec3 origin, pbdrVec3 direction, double farthest)
{
    const pbdrVec3 to = pbdrSub(body->centre, origin);
    const double along = fmax(pbdrDot(to, direction), 0.0), radius = getBallRadius(body);
    const double off = pbdrLength(pbdrAddScaled(to, -along, direction));
    return off <= radius && along - radius <= farthest;
}

static bool castOnPlane(const pbdrPlane* plane, pbdrVec3 origin, pbdrVec3 direction, double farthest,
                        pbdrHit* hit)
{
    const double height = pbdrDot(plane->normal, origin) - plane->offset;
    const double fall = -pbdrDot(plane->normal, direction);
    const bool inside = height <= 0.0;
    if (!inside && !(fall > 0.0 && height <= farthest * fall)) {
        return false;
    }
    const double distance = inside ? 0.0 : height / fall;
    if (!(distance <= farthest)) {
        return false;
    }
    *hit = noHit;
    hit->distance = distance;
    hit->point = pbdrAddScaled(origin, distance, direction);
    hit->normal = inside ? pbdrScale(-1.0, direction) : plane->normal;
    return true;
}

bool pbdrWorld_CastRay(const pbdrWorld* world, pbdrVec3 origin, pbdrVec3 direction, double maxDistance,
                       pbdrFilter filter, pbdrHit* hit)
{
    const pbdrScene* scene = &world->scene;
    pbdrHit best = noHit, found;
    // scaled by its largest part first: the squares of a finite direction may not be
    const double size = fmax(fmax(fabs(direction.x), fabs(direction.y)), fabs(direction.z));
    bool any = false;
    if (pbdrIsFiniteVec(origin) && pbdrIsFiniteVec(direction) && size > 0.0 && maxDistance >= 0.0) {
        direction = (pbdrVec3){direction.x / size, direction.y / size, direction.z / size};
        direction = pbdrScale(1.0 / pbdrLength(direction), direction);
        for (int index = 0; index < scene->planes.count; index++) {
            const pbdrPlane* plane = pbdrGetPlane(scene, index);
            if (plane->alive && pbdrFiltersMatch(filter, plane->filter) &&
                castOnPlane(plane, origin, direction, maxDistance, &found) &&
                (!any || found.distance < best.distance)) {
                best = found;
                best.plane = pbdrGetPlaneId(scene, index);
                any = true;
            }
        }
        for (int index = 0; index < scene->bodies.count; index++) {
            const pbdrBody* body = pbdrGetBody(scene, index);
            const double farthest = any ? best.distance : maxDistance;
            if (!body->alive || !pbdrFiltersMatch(filter, body->filter) ||
                !mayHit(body, origin, direction, farthest)) {
                continue;
            }
            const pbdrPose pose = world->engine->getPose(world->engineState, index);
            const pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
            pbdrShapeHit own;
            if (pbdrShape_CastRay(body->shape, scene->touchesSurface,
                                  pbdrMulTransposedMV(&turn, pbdrSub(origin, pose.position)),
                                  pbdrMulTransposedMV(&turn, direction), farthest, &own) &&
                (!any || own.distance < best.distance)) {
                takeBodyHit(scene, index, &pose.position, &turn, &own, &best);
                any = true;
            }
        }
    }
    if (hit != NULL) {
        *hit = best;
    }
    return any;
}

// --- Nearest points ---

bool pbdrWorld_FindNearest(const pbdrWorld* world, pbdrVec3 point, double maxDistance, pbdrFilter filter,
                           pbdrHit* hit)
{
    const pbdrScene* scene = &world->scene;
    pbdrHit best = noHit;
    bool any = false;
    const bool good = pbdrIsFiniteVec(point) && maxDistance >= 0.0;
    for (int index = 0; good && index < scene->planes.count; index++) {
        const pbdrPlane* plane = pbdrGetPlane(scene, index);
        const double height = pbdrDot(plane->normal, point) - plane->offset;
        if (plane->alive && pbdrFiltersMatch(filter, plane->filter) && height <= maxDistance &&
            (!any || height < best.distance)) {
            best = noHit;
            best.plane = pbdrGetPlaneId(scene, index);
            best.point = pbdrAddScaled(point, -height, plane->normal);
            best.normal = plane->normal;
            best.distance = height;
            any = true;
        }
    }
    for (int index = 0; good && index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        const double farthest = any ? best.distance : maxDistance;
        if (!body->alive || !pbdrFiltersMatch(filter, body->filter) ||
            !(pbdrLength(pbdrSub(point, body->centre)) - getBallRadius(body) <= farthest)) {
            continue;
        }
        const pbdrPose pose = world->engine->getPose(world->engineState, index);
        const pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
        pbdrShapeHit own;
        if (pbdrShape_FindNearest(body->shape, scene->touchesSurface,
                                  pbdrMulTransposedMV(&turn, pbdrSub(point, pose.position)), farthest,
                                  &own) &&
            (!any || own.distance < best.distance)) {
            takeBodyHit(scene, index, &pose.position, &turn, &own, &best);
            any = true;
        }
    }
    if (hit != NULL) {
        *hit = best;
    }
    return any;
}
