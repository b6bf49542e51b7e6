// Contact candidates as bytes:
//
//   header | fat balls | nears | patches | items' spheres | items' carried columns
//
// Slots are written one behind the other, in the order of patches, whatever their places: two worlds in the same state
// write the same bytes.
#include "contact/search.h"
#include "contact/touch.h"

#include "scene/bytes.h"

typedef struct Header {
    int32_t patchCount, itemCount, bodyCount, nearCount;
    int32_t full, unused;
} Header;

static size_t getSize(const Header* header)
{
    return sizeof *header + (size_t)header->bodyCount * sizeof(pbdrSearched) +
           (size_t)header->nearCount * sizeof(pbdrNear) + (size_t)header->patchCount * PBDR_PATCH_STATE +
           (size_t)header->itemCount * (2 * sizeof(int32_t) + PBDR_CARRIED_COLUMNS * sizeof(double));
}

static Header describe(const pbdrCandidates* candidates)
{
    int itemCount = 0;
    for (int k = 0; k < candidates->patches.count; k++) {
        itemCount += pbdrGetPatch(candidates, k)->padded;
    }
    return (Header){candidates->patches.count, itemCount,        candidates->searched.count,
                    candidates->nears.count,   candidates->full, 0};
}

size_t pbdrGetCandidatesSize(const pbdrCandidates* candidates)
{
    Header header = describe(candidates);
    return getSize(&header);
}

// One column of all items, patch by patch.
static char* putColumn(const pbdrCandidates* candidates, char* at, const void* column, size_t size)
{
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        at =
            pbdrPutBytes(at, (const char*)column + (size_t)patch->first * size, (size_t)patch->padded * size);
    }
    return at;
}

void pbdrSaveCandidates(const pbdrCandidates* candidates, char* bytes)
{
    const pbdrItems* items = &candidates->items;
    const Header header = describe(candidates);
    char* at = pbdrPutBytes(bytes, &header, sizeof header);
    at = pbdrPutBytes(at, candidates->searched.items, (size_t)header.bodyCount * sizeof(pbdrSearched));
    for (int k = 0; k < header.nearCount; k++) {
        pbdrNear near = *pbdrGetNear(candidates, k);
        near.patch = -1;
        near.limit = 0.0;
        at = pbdrPutBytes(at, &near, sizeof near);
    }
    int first = 0;
    for (int k = 0; k < header.patchCount; k++) {
        pbdrPatch patch = *pbdrGetPatch(candidates, k);
        patch.first = first;
        patch.room = patch.padded;
        first += patch.padded;
        at = pbdrPutBytes(at, &patch, PBDR_PATCH_STATE);
    }
    for (int side = 0; side < 2; side++) {
        at = putColumn(candidates, at, items->spheres[side], sizeof(int32_t));
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        at = putColumn(candidates, at, pbdrGetColumn(items, k), sizeof(double));
    }
}

// --- Checks ---

static bool isLiveBody(const pbdrScene* scene, int index)
{
    return index >= 0 && index < scene->bodies.count && pbdrGetBody(scene, index)->alive;
}

// Whether a near names a plane or a second body, and somebody whom contact moves.
static bool isNearSound(const pbdrScene* scene, const pbdrNear* near)
{
    if (!isLiveBody(scene, near->bodyA)) {
        return false;
    }
    bool moves = !pbdrIsFixed(pbdrGetBody(scene, near->bodyA));
    if (near->plane >= 0) {
        return near->plane < scene->planes.count && pbdrGetPlane(scene, near->plane)->alive &&
               near->bodyB == -1 && moves;
    }
    return near->plane == -1 && near->bodyA < near->bodyB && isLiveBody(scene, near->bodyB) &&
           (moves || !pbdrIsFixed(pbdrGetBody(scene, near->bodyB)));
}

// Whether nears are sound and ascend, and patches are of some of them, in their order.
static bool areNearsSound(const pbdrScene* scene, const Header* header, const char* nears,
                          const char* patches)
{
    pbdrNear last = {.plane = -1};
    int used = 0;
    for (int k = 0; k < header->nearCount; k++) {
        pbdrNear near;
        nears = pbdrTakeBytes(nears, &near, sizeof near);
        if (!isNearSound(scene, &near) || (k > 0 && pbdrCompareNears(&last, &near) >= 0)) {
            return false;
        }
        if (used < header->patchCount) {
            pbdrPatch patch;
            pbdrTakeBytes(patches + (size_t)used * PBDR_PATCH_STATE, &patch, PBDR_PATCH_STATE);
            used += patch.bodyA == near.bodyA && patch.bodyB == near.bodyB && patch.plane == near.plane;
        }
        last = near;
    }
    return used == header->patchCount;
}

static bool isSphereOf(const pbdrScene* scene, int body, int32_t sphere)
{
    return sphere >= 0 && sphere < pbdrGetBody(scene, body)->shape->sphereCount;
}

// Whether an item names a probe of A over a plane, or of either body.
static bool isProbe(const pbdrScene* scene, const pbdrPatch* patch, int32_t a, int32_t b)
{
    const int32_t name = a >= 0 ? a : b;
    const int body = a >= 0 ? patch->bodyA : patch->bodyB;
    return body >= 0 && name >= 0 && (a >= 0) != (b >= 0) &&
           name / 2 < pbdrCountProbes(pbdrGetBody(scene, body));
}

// Whether a patch is by surface if and only if its bodies touch so.
static bool isKindSound(const pbdrScene* scene, const pbdrPatch* patch)
{
    const pbdrBody* b = patch->bodyB >= 0 ? pbdrGetBody(scene, patch->bodyB) : NULL;
    return (patch->bySurface != 0) == pbdrTouchesBySurface(scene, pbdrGetBody(scene, patch->bodyA), b);
}

bool pbdrAreCandidatesSound(const pbdrCandidates* candidates, const char* bytes, size_t size)
{
    const pbdrScene* scene = candidates->scene;
    Header header;
    if (size < sizeof header) {
        return false;
    }
    const char* at = pbdrTakeBytes(bytes, &header, sizeof header);
    if (header.patchCount < 0 || header.itemCount < 0 || header.nearCount < 0 ||
        header.bodyCount != candidates->searched.count || getSize(&header) != size) {
        return false;
    }
    at += (size_t)header.bodyCount * sizeof(pbdrSearched);
    const char* nears = at;
    at += (size_t)header.nearCount * sizeof(pbdrNear);
    if (!areNearsSound(scene, &header, nears, at)) {
        return false;
    }
    const char* spheres = at + (size_t)header.patchCount * PBDR_PATCH_STATE;
    int end = 0; // each patch has its items behind those of the last
    for (int k = 0; k < header.patchCount; k++) {
        pbdrPatch patch;
        at = pbdrTakeBytes(at, &patch, PBDR_PATCH_STATE);
        if (!isKindSound(scene, &patch) || patch.count < 1 || patch.first != end ||
            patch.padded < patch.count || patch.padded % PBDR_BLOCK != 0 || patch.room != patch.padded ||
            patch.padded > header.itemCount - end) {
            return false;
        }
        for (int item = end; item < end + patch.count; item++) {
            int32_t a, b;
            pbdrTakeBytes(spheres + (size_t)item * sizeof a, &a, sizeof a);
            pbdrTakeBytes(spheres + ((size_t)header.itemCount + (size_t)item) * sizeof b, &b, sizeof b);
            bool sound = patch.bySurface ? isProbe(scene, &patch, a, b)
                                         : isSphereOf(scene, patch.bodyA, a) &&
                                               (patch.plane >= 0 || isSphereOf(scene, patch.bodyB, b));
            if (!sound) {
                return false;
            }
        }
        end += patch.padded;
    }
    return end == header.itemCount;
}

// Which patch is whose: both are in the same order. Limits are found anew.
static void joinNears(pbdrCandidates* candidates)
{
    int used = 0;
    for (int k = 0; k < candidates->nears.count; k++) {
        pbdrNear* near = pbdrGetNear(candidates, k);
        const pbdrPatch* patch = used < candidates->patches.count ? pbdrGetPatch(candidates, used) : NULL;
        const bool own = patch != NULL && patch->bodyA == near->bodyA && patch->bodyB == near->bodyB &&
                         patch->plane == near->plane;
        near->patch = own ? used++ : -1;
        near->limit = (double)-INFINITY;
        candidates->pairCount += own && near->plane < 0 ? patch->count : 0;
    }
}

bool pbdrLoadCandidates(pbdrCandidates* candidates, const char* bytes)
{
    pbdrItems* items = &candidates->items;
    Header header;
    const char* at = pbdrTakeBytes(bytes, &header, sizeof header);
    pbdrMemory* memory = &candidates->scene->memory;
    if (!pbdrListReserve(memory, &candidates->patches, header.patchCount) ||
        !pbdrListReserve(memory, &candidates->nears, header.nearCount) ||
        !pbdrReserveItems(candidates, items, header.itemCount)) {
        return false;
    }
    candidates->full = header.full != 0;
    candidates->patches.count = header.patchCount;
    candidates->nears.count = header.nearCount;
    candidates->tree.built = candidates->unordered = false;
    candidates->emptyCount = candidates->pairCount = 0;
    items->count = header.itemCount;
    const size_t count = (size_t)header.itemCount;
    at = pbdrTakeBytes(at, candidates->searched.items, (size_t)header.bodyCount * sizeof(pbdrSearched));
    at = pbdrTakeBytes(at, candidates->nears.items, (size_t)header.nearCount * sizeof(pbdrNear));
    for (int k = 0; k < header.patchCount; k++) {
        pbdrPatch patch = {.plane = -1};
        at = pbdrTakeBytes(at, &patch, PBDR_PATCH_STATE);
        *pbdrGetPatch(candidates, k) = patch;
    }
    for (int side = 0; side < 2; side++) {
        at = pbdrTakeBytes(at, items->spheres[side], count * sizeof(int32_t));
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        at = pbdrTakeBytes(at, pbdrGetColumn(items, k), count * sizeof(double));
    }
    joinNears(candidates);
    for (int k = 0; k < header.patchCount; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        for (int item = patch->first; item < patch->first + patch->padded; item++) {
            if (item >= patch->first + patch->count) {
                items->spheres[0][item] = items->spheres[1][item] = -1;
            }
            if (items->window == NULL) {
                pbdrFillItem(candidates, items, patch, item);
            }
        }
        pbdrListOuter(candidates, patch);
    }
    return true;
}
