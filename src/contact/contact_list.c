// Contacts as the API shows them, from the items that touched in the last substep.
#include "contact/touch.h"

static pbdrContact describeItem(const pbdrCandidates* candidates, const pbdrPatch* patch, int item)
{
    const pbdrItems* items = &candidates->items;
    const pbdrScene* scene = candidates->scene;
    const pbdrBody* a = pbdrGetBody(scene, patch->bodyA);
    const pbdrTreeSphere sphere = a->shape->tree.spheres[items->spheres[0][item]];
    const double radius = sphere.radius;
    const pbdrVec3 x = pbdrAdd(a->centre, pbdrMulMV(&a->frame, sphere.centre));
    pbdrContact contact = {
        .bodyA = pbdrGetBodyId(scene, patch->bodyA),
        .particleA = a->shape->tree.indices[items->spheres[0][item]],
        .particleB = -1,
        .force = pbdrReadColumns(items, ITEM_FORCE, item),
    };
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(scene, patch->plane);
        contact.plane = pbdrGetPlaneId(scene, patch->plane);
        contact.normal = plane->normal;
        contact.separation = pbdrDot(plane->normal, x) - plane->offset - radius;
    } else {
        const pbdrBody* b = pbdrGetBody(scene, patch->bodyB);
        const pbdrTreeSphere other = b->shape->tree.spheres[items->spheres[1][item]];
        pbdrVec3 apart = pbdrSub(x, pbdrAdd(b->centre, pbdrMulMV(&b->frame, other.centre)));
        double distance = pbdrLength(apart);
        contact.bodyB = pbdrGetBodyId(scene, patch->bodyB);
        contact.particleB = b->shape->tree.indices[items->spheres[1][item]];
        contact.normal = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
        contact.separation = distance - radius - other.radius;
    }
    contact.point = pbdrAddScaled(x, -radius, contact.normal);
    return contact;
}

// An item of a surface, where it is now. particleA and B are the numbers of spheres only where bodies without
// a surface probe.
static pbdrContact describeProbe(const pbdrCandidates* candidates, const pbdrPatch* patch, int item)
{
    const pbdrItems* items = &candidates->items;
    const pbdrScene* scene = candidates->scene;
    const int side = items->spheres[0][item] >= 0 ? 0 : 1, name = items->spheres[side][item];
    const pbdrBody* prober = pbdrGetBody(scene, side == 0 ? patch->bodyA : patch->bodyB);
    pbdrContact contact = {
        .bodyA = pbdrGetBodyId(scene, patch->bodyA),
        .particleA = -1,
        .particleB = -1,
        .force = pbdrReadColumns(items, ITEM_FORCE, item),
    };
    if (prober->shape->surface.kind == pbdr_surfaceNone) {
        *(side == 0 ? &contact.particleA : &contact.particleB) = prober->shape->tree.indices[name / 2];
    }
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(scene, patch->plane);
        pbdrVec3 q;
        double radius, weight;
        pbdrFindLowest(prober, name / 2, plane->normal, &q, &radius, &weight);
        pbdrVec3 x = pbdrAdd(prober->centre, pbdrMulMV(&prober->frame, q));
        contact.plane = pbdrGetPlaneId(scene, patch->plane);
        contact.normal = plane->normal;
        contact.separation = pbdrDot(plane->normal, x) - plane->offset - radius;
        contact.point = pbdrAddScaled(x, -radius, plane->normal);
        return contact;
    }
    contact.bodyB = pbdrGetBodyId(scene, patch->bodyB);
    const pbdrProbing probing = pbdrSetProbing(scene, patch->bodyA, patch->bodyB, side);
    int32_t features[2] = {(int32_t)pbdrGetColumn(items, ITEM_FEATURE)[item] - 1,
                           (int32_t)pbdrGetColumn(items, ITEM_FEATURE + 1)[item] - 1};
    pbdrTouch touches[2];
    int count =
        pbdrTouchSurface(&probing, name / 2, pbdrGetTouchReach(&probing, scene->timeStep), features, touches);
    if (count > 0) {
        const pbdrTouch* touch = &touches[name % 2 < count ? name % 2 : count - 1];
        contact.normal = touch->normal;
        contact.separation = touch->gap;
        contact.point = pbdrAdd(probing.surface->centre, touch->point);
    }
    return contact;
}

// How many there are. Profiles ask in every substep.
static int countContacts(const pbdrCandidates* candidates)
{
    int count = 0;
    const double* touched = pbdrGetColumn(&candidates->items, ITEM_TOUCHED);
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        const double* own = touched + patch->first;
        for (int i = 0, end = patch->count; i < end; i++) {
            count += own[i] > 0.0;
        }
    }
    return count;
}

int pbdrVisitContacts(const pbdrCandidates* candidates, pbdrContactVisit visit, void* context)
{
    if (visit == NULL) {
        return countContacts(candidates);
    }
    int count = 0;
    const double* touched = pbdrGetColumn(&candidates->items, ITEM_TOUCHED);
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            if (touched[item] > 0.0) {
                count++;
                const pbdrContact contact = patch->bySurface ? describeProbe(candidates, patch, item)
                                                             : describeItem(candidates, patch, item);
                visit(context, &contact);
            }
        }
    }
    return count;
}
