// Contact candidates as bytes:
//
//   header | where bodies were searched | patches | items' spheres | items' carried columns
#include "contact/touch.h"

#include "scene/bytes.h"

typedef struct Header {
    int32_t patchCount, itemCount, bodyCount, full;
} Header;

static size_t getSize(const Header* header)
{
    return sizeof *header + (size_t)header->bodyCount * sizeof(pbdrSearched) +
           (size_t)header->patchCount * sizeof(pbdrPatch) +
           (size_t)header->itemCount * (2 * sizeof(int32_t) + PBDR_CARRIED_COLUMNS * sizeof(double));
}

static Header describe(const pbdrCandidates* candidates)
{
    return (Header){candidates->patches.count, candidates->items.count, candidates->searched.count,
                    candidates->full};
}

size_t pbdrGetCandidatesSize(const pbdrCandidates* candidates)
{
    Header header = describe(candidates);
    return getSize(&header);
}

void pbdrSaveCandidates(const pbdrCandidates* candidates, char* bytes)
{
    const pbdrItems* items = &candidates->items;
    const Header header = describe(candidates);
    const size_t count = (size_t)header.itemCount;
    char* at = pbdrPutBytes(bytes, &header, sizeof header);
    at = pbdrPutBytes(at, candidates->searched.items, (size_t)header.bodyCount * sizeof(pbdrSearched));
    at = pbdrPutBytes(at, candidates->patches.items, (size_t)header.patchCount * sizeof(pbdrPatch));
    for (int side = 0; side < 2; side++) {
        at = pbdrPutBytes(at, items->spheres[side], count * sizeof(int32_t));
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        at = pbdrPutBytes(at, pbdrGetColumn(items, k), count * sizeof(double));
    }
}

// --- Checks ---

static bool isLiveBody(const pbdrScene* scene, int index)
{
    return index >= 0 && index < scene->bodies.count && pbdrGetBody(scene, index)->alive;
}

// Whether a patch names a plane or a second body, and somebody whom contact moves.
static bool isPatchSound(const pbdrScene* scene, const pbdrPatch* patch)
{
    if (!isLiveBody(scene, patch->bodyA)) {
        return false;
    }
    bool moves = !pbdrIsFixed(pbdrGetBody(scene, patch->bodyA));
    if (patch->plane >= 0) {
        return patch->plane < scene->planes.count && pbdrGetPlane(scene, patch->plane)->alive &&
               patch->bodyB == -1 && moves;
    }
    return patch->plane == -1 && patch->bodyB != patch->bodyA && isLiveBody(scene, patch->bodyB) &&
           (moves || !pbdrIsFixed(pbdrGetBody(scene, patch->bodyB)));
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
    if (header.patchCount < 0 || header.itemCount < 0 || header.bodyCount != candidates->searched.count ||
        getSize(&header) != size) {
        return false;
    }
    at += (size_t)header.bodyCount * sizeof(pbdrSearched);
    const char* spheres = at + (size_t)header.patchCount * sizeof(pbdrPatch);
    int end = 0; // each patch has its items behind those of the last
    for (int k = 0; k < header.patchCount; k++) {
        pbdrPatch patch;
        at = pbdrTakeBytes(at, &patch, sizeof patch);
        if (!isPatchSound(scene, &patch) || !isKindSound(scene, &patch) || patch.count < 0 ||
            patch.first != end || patch.padded % PBDR_BLOCK != 0 || patch.padded < patch.count ||
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

bool pbdrLoadCandidates(pbdrCandidates* candidates, const char* bytes)
{
    pbdrItems* items = &candidates->items;
    Header header;
    const char* at = pbdrTakeBytes(bytes, &header, sizeof header);
    if (!pbdrListReserve(&candidates->scene->memory, &candidates->patches, header.patchCount) ||
        !pbdrReserveItems(candidates, items, header.itemCount)) {
        return false;
    }
    candidates->full = header.full != 0;
    candidates->patches.count = header.patchCount;
    items->count = header.itemCount;
    const size_t count = (size_t)header.itemCount;
    at = pbdrTakeBytes(at, candidates->searched.items, (size_t)header.bodyCount * sizeof(pbdrSearched));
    at = pbdrTakeBytes(at, candidates->patches.items, (size_t)header.patchCount * sizeof(pbdrPatch));
    for (int side = 0; side < 2; side++) {
        at = pbdrTakeBytes(at, items->spheres[side], count * sizeof(int32_t));
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        at = pbdrTakeBytes(at, pbdrGetColumn(items, k), count * sizeof(double));
    }
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
    }
    return true;
}
