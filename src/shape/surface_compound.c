// Several surfaces as one: the union of its parts. Its distance is the least of theirs, which is exact outside; its
// probes are theirs, without the points that lie inside another part.
#include "shape/surface_kinds.h"

#include "base.h"

#include <string.h>

// Parts at most, and features of one: both numbers of a feature share 31 bits.
#define MAX_PARTS 1024
#define FEATURE_BITS 20
// A point is inside another part if it is deeper than this, over the size.
#define INSIDE 1.0e-6
// Hits of a segment whose gaps differ by less than this, over the size, are level: the outermost two count.
#define LEVEL 1.0e-5

// --- Features ---

static int32_t encode(int part, int32_t feature)
{
    return feature < 0 ? PBDR_NO_FEATURE : (int32_t)(part << FEATURE_BITS | feature);
}

// What a part left in its last call, if the last call was for this part.
static int32_t decode(int part, int32_t feature)
{
    return feature >= 0 && feature >> FEATURE_BITS == part ? feature & ((1 << FEATURE_BITS) - 1)
                                                           : PBDR_NO_FEATURE;
}

// --- Probing ---

typedef struct Lowest {
    pbdrSurfaceHit hit;
    int part;
    int32_t features[2];
} Lowest;

// Discs are for convex parts: meshes see rims by points.
static int probePart(const pbdrSurface* part, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    return probe->kind == pbdr_probeDisc && part->kind == pbdr_surfaceMesh
               ? 0
               : pbdrSurface_Probe(part, probe, features, hits);
}

static void findLowest(const pbdrSurface* surface, const pbdrPlacedProbe* probe, const int32_t features[2],
                       Lowest* lowest)
{
    lowest->part = -1;
    for (int part = 0; part < surface->partCount; part++) {
        int32_t own[2] = {decode(part, features[0]), decode(part, features[1])};
        pbdrSurfaceHit hits[2];
        int count = probePart(&surface->parts[part], probe, own, hits);
        for (int k = 0; k < count; k++) {
            if (lowest->part < 0 || hits[k].gap < lowest->hit.gap) {
                *lowest = (Lowest){hits[k], part, {own[0], own[1]}};
            }
        }
    }
}

// The hit of a segment that goes with the lowest: of those that are level with it the one that is farthest away; or
// else the other end of the stretch on the same part.
static bool findOther(const pbdrSurface* surface, const pbdrPlacedProbe* probe, const int32_t features[2],
                      const Lowest* lowest, pbdrSurfaceHit* other, int* otherPart)
{
    const double level = lowest->hit.gap + LEVEL * surface->radius;
    double farthest = 0.0;
    bool found = false, isLevel = false;
    for (int part = 0; part < surface->partCount; part++) {
        int32_t own[2] = {decode(part, features[0]), decode(part, features[1])};
        pbdrSurfaceHit hits[2];
        int count = probePart(&surface->parts[part], probe, own, hits);
        for (int k = 0; k < count; k++) {
            pbdrVec3 apart = pbdrSub(hits[k].point, lowest->hit.point);
            double distance = pbdrDot(apart, apart);
            bool isThis = hits[k].gap <= level;
            if (distance > farthest && (isThis || (part == lowest->part && !isLevel))) {
                *other = hits[k];
                *otherPart = part;
                found = true;
                isLevel = isThis;
                farthest = isThis ? distance : 0.0;
            }
        }
    }
    return found;
}

int pbdrProbeCompound(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    Lowest lowest;
    findLowest(surface, probe, features, &lowest);
    if (lowest.part < 0) {
        features[0] = features[1] = PBDR_NO_FEATURE;
        return 0;
    }
    int count = 1, otherPart = -1;
    hits[0] = lowest.hit;
    hits[0].feature = encode(lowest.part, lowest.hit.feature);
    if (probe->kind == pbdr_probeSegment &&
        findOther(surface, probe, features, &lowest, &hits[1], &otherPart)) {
        hits[1].feature = encode(otherPart, hits[1].feature);
        count = 2;
        pbdrVec3 along = pbdrSub(probe->b, probe->a);
        if (pbdrDot(along, hits[0].point) > pbdrDot(along, hits[1].point)) { // from a to b
            pbdrSurfaceHit first = hits[1];
            hits[1] = hits[0];
            hits[0] = first;
        }
    }
    for (int k = 0; k < 2; k++) {
        features[k] = encode(lowest.part, lowest.features[k]);
    }
    return count;
}

// --- Making ---

// Whether a point of one part is well inside another one, where nothing can touch it.
static bool isHidden(const pbdrSurface* parts, int count, int own, const pbdrProbe* probe, double size)
{
    if (probe->kind != pbdr_probePoint || probe->radius > 0.0) {
        return false;
    }
    const pbdrPlacedProbe placed = {
        .kind = pbdr_probePoint, .a = probe->a, .b = probe->a, .radius = 1.0e-15 * size, .reach = 0.0};
    for (int part = 0; part < count; part++) {
        int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
        pbdrSurfaceHit hits[2];
        if (part != own && pbdrSurface_Probe(&parts[part], &placed, features, hits) > 0 &&
            hits[0].gap < -INSIDE * size) {
            return true;
        }
    }
    return false;
}

static double getSize(const pbdrSurface* parts, int count)
{
    double size = 0.0;
    for (int part = 0; part < count; part++) {
        size = fmax(size, parts[part].radius);
    }
    return size;
}

static int64_t countProbes(const pbdrSurface* parts, int count)
{
    const double size = getSize(parts, count);
    int64_t probeCount = 0;
    for (int part = 0; part < count; part++) {
        for (int i = 0; i < parts[part].probeCount; i++) {
            probeCount += isHidden(parts, count, part, &parts[part].probes[i], size) ? 0 : 1;
        }
    }
    return probeCount;
}

static void joinProbes(pbdrSurface* surface, const pbdrSurface* parts, int count)
{
    int probeCount = 0, normalCount = 0;
    for (int part = 0; part < count; part++) {
        const pbdrSurface* from = &parts[part];
        memcpy(surface->normals + normalCount, from->normals,
               (size_t)from->normalCount * sizeof *from->normals);
        for (int i = 0; i < from->probeCount; i++) {
            if (!isHidden(parts, count, part, &from->probes[i], surface->radius)) {
                surface->probes[probeCount] = from->probes[i];
                surface->probes[probeCount++].firstNormal += normalCount;
            }
        }
        normalCount += from->normalCount;
    }
}

static void widen(pbdrSurface* surface, const pbdrSurface* part)
{
    surface->lower = pbdrVec(fmin(surface->lower.x, part->lower.x), fmin(surface->lower.y, part->lower.y),
                             fmin(surface->lower.z, part->lower.z));
    surface->upper = pbdrVec(fmax(surface->upper.x, part->upper.x), fmax(surface->upper.y, part->upper.y),
                             fmax(surface->upper.z, part->upper.z));
    surface->radius = fmax(surface->radius, part->radius);
    surface->hasRims = surface->hasRims || part->hasRims;
}

pbdrStatus pbdrCreateCompoundSurface(const pbdrSurface* parts, int count, const pbdrHooks* hooks,
                                     pbdrSurface* surface, pbdrError* error)
{
    *surface = (pbdrSurface){.kind = pbdr_surfaceNone};
    int64_t probeCount = 0, normalCount = 0;
    if (count < 1 || count > MAX_PARTS) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "surface: %d parts; 1 to %d are possible", count,
                        MAX_PARTS);
    }
    for (int part = 0; part < count; part++) {
        normalCount += parts[part].normalCount;
    }
    probeCount = countProbes(parts, count);
    if (probeCount > INT32_MAX / 2 || normalCount > INT32_MAX / 2) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "surface: parts with %lld probes",
                        (long long)probeCount);
    }
    pbdrStatus status =
        pbdrReserveSurface(surface, pbdr_surfaceCompound, (int)probeCount, (int)normalCount, hooks, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    surface->parts = pbdrAllocate(hooks, (size_t)count, sizeof *surface->parts);
    if (surface->parts == NULL) {
        pbdrSurface_Free(surface);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a surface of %d parts", count);
    }
    surface->lower = parts[0].lower;
    surface->upper = parts[0].upper;
    for (int part = 0; part < count; part++) {
        widen(surface, &parts[part]);
    }
    joinProbes(surface, parts, count);
    surface->partCount = count;
    for (int part = 0; part < count; part++) { // their probes are the compound's now
        pbdrSurface* own = &surface->parts[part];
        *own = parts[part];
        pbdrRelease(hooks, own->probes, (size_t)own->probeCount, sizeof *own->probes);
        pbdrRelease(hooks, own->normals, (size_t)own->normalCount, sizeof *own->normals);
        own->probes = NULL;
        own->normals = NULL;
        own->probeCount = own->normalCount = 0;
    }
    return pbdr_statusOk;
}
