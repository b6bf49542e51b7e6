// Bundles of probes that follow each other in a surface's list, each with a ball about it: most of a body's probes are far
// from what it touches, and a search asks a bundle before it asks them.
#include "base.h"
#include "shape/surface_kinds.h"

static void widen(pbdrVec3* lower, pbdrVec3* upper, pbdrVec3 place)
{
    *lower = pbdrVec(fmin(lower->x, place.x), fmin(lower->y, place.y), fmin(lower->z, place.z));
    *upper = pbdrVec(fmax(upper->x, place.x), fmax(upper->y, place.y), fmax(upper->z, place.z));
}

static double reachFrom(const pbdrProbe* probe, pbdrVec3 centre)
{
    const pbdrVec3 a = pbdrSub(probe->a, centre), b = pbdrSub(probe->b, centre);
    const double first = pbdrLength(a), second = probe->kind == pbdr_probeSegment ? pbdrLength(b) : first;
    return fmax(first, second) + probe->radius;
}

static pbdrProbeBundle makeBundle(const pbdrProbe* probes, int count)
{
    pbdrVec3 lower = probes[0].a, upper = lower;
    pbdrProbeBundle bundle = {.against = 0};
    for (int k = 0; k < count; k++) {
        widen(&lower, &upper, probes[k].a);
        if (probes[k].kind == pbdr_probeSegment) {
            widen(&lower, &upper, probes[k].b);
        }
        bundle.against |= probes[k].against;
    }
    bundle.centre = pbdrScale(0.5, pbdrAdd(lower, upper));
    for (int k = 0; k < count; k++) {
        bundle.radius = fmax(bundle.radius, reachFrom(&probes[k], bundle.centre));
    }
    bundle.radius *= 1.0 + 1.0e-9; // rounding, with room to spare
    return bundle;
}

pbdrStatus pbdrBundleProbes(pbdrSurface* surface, pbdrError* error)
{
    const int count = (surface->probeCount + PBDR_BUNDLE - 1) / PBDR_BUNDLE;
    if (count == 0) {
        return pbdr_statusOk;
    }
    surface->bundles = pbdrAllocate(&surface->hooks, (size_t)count, sizeof *surface->bundles);
    if (surface->bundles == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a surface of %d probes",
                        surface->probeCount);
    }
    surface->bundleCount = count;
    for (int k = 0; k < count; k++) {
        const int first = k * PBDR_BUNDLE, left = surface->probeCount - first;
        surface->bundles[k] = makeBundle(surface->probes + first, left < PBDR_BUNDLE ? left : PBDR_BUNDLE);
    }
    return pbdr_statusOk;
}
