// What the tests of surfaces share: random poses, boxes, every hit of one surface on another.
#ifndef PBDR_TESTS_SURFACES_H
#define PBDR_TESTS_SURFACES_H

#include "check.h"
#include "math/vec.h"
#include "shape/surface.h"

#include <float.h>

// A small generator of its own: the same numbers everywhere (xorshift64*, Vigna 2016).
static uint64_t surfaceSeed = 1;

static inline void seedSurfaces(uint64_t seed)
{
    surfaceSeed = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static inline double randomIn(double from, double to)
{
    surfaceSeed ^= surfaceSeed >> 12;
    surfaceSeed ^= surfaceSeed << 25;
    surfaceSeed ^= surfaceSeed >> 27;
    double unit = (double)((surfaceSeed * UINT64_C(0x2545f4914f6cdd1d)) >> 11) / 9007199254740992.0;
    return from + unit * (to - from);
}

static inline pbdrVec3 randomVec(double size)
{
    double x = randomIn(-size, size), y = randomIn(-size, size), z = randomIn(-size, size);
    return pbdrVec(x, y, z);
}

static inline pbdrVec3 makeUnit(pbdrVec3 v)
{
    return pbdrScale(1.0 / pbdrLength(v), v);
}

static inline pbdrQuat randomTurn(void)
{
    for (;;) {
        pbdrQuat q = {randomIn(-1.0, 1.0), randomIn(-1.0, 1.0), randomIn(-1.0, 1.0), randomIn(-1.0, 1.0)};
        double length = pbdrLengthQ(q);
        if (length > 0.1 && length < 1.0) {
            return pbdrNormalizeQ(q);
        }
    }
}

static inline pbdrMat3 randomMatrix(void)
{
    return pbdrMatFromQuat(randomTurn());
}

static inline pbdrMat3 turnAboutZ(double angle)
{
    return (pbdrMat3){{{cos(angle), -sin(angle), 0.0}, {sin(angle), cos(angle), 0.0}, {0.0, 0.0, 1.0}}};
}

static inline pbdrMat3 noTurn(void)
{
    return (pbdrMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
}

static inline pbdrPose atOrigin(void)
{
    return (pbdrPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

static inline pbdrSurface makeBox(double x, double y, double z, int cells)
{
    const int counts[3] = {cells, cells, cells};
    pbdrPose frame = atOrigin();
    pbdrSurface surface;
    pbdrError error = {0};
    if (pbdrCreateBoxSurface(&frame, pbdrVec(x, y, z), counts, NULL, &surface, &error) != pbdr_statusOk) {
        printf("    %s\n", error.message);
        checkFailures++;
    }
    return surface;
}

static inline pbdrSurface makeCylinder(double halfLength, double radius)
{
    pbdrPose frame = atOrigin();
    pbdrSurface surface;
    CHECK(pbdrCreateCylinderSurface(&frame, halfLength, radius, NULL, NULL, &surface, NULL) == pbdr_statusOk);
    return surface;
}

static inline pbdrSurface makeCapsule(double halfLength, double radius)
{
    pbdrPose frame = atOrigin();
    pbdrSurface surface;
    CHECK(pbdrCreateCapsuleSurface(&frame, halfLength, radius, NULL, &surface, NULL) == pbdr_statusOk);
    return surface;
}

static inline pbdrSurface makeBall(double radius)
{
    pbdrSurface surface;
    CHECK(pbdrCreateBallSurface(pbdrVec(0.0, 0.0, 0.0), radius, NULL, &surface, NULL) == pbdr_statusOk);
    return surface;
}

// A point without faces of its own.
static inline pbdrPlacedProbe placePoint(pbdrVec3 place, double radius)
{
    return (pbdrPlacedProbe){
        .kind = pbdr_probePoint, .a = place, .b = place, .radius = radius, .reach = (double)INFINITY};
}

static inline pbdrPlacedProbe placeSegment(pbdrVec3 a, pbdrVec3 b, double radius)
{
    return (pbdrPlacedProbe){
        .kind = pbdr_probeSegment, .a = a, .b = b, .radius = radius, .reach = (double)INFINITY};
}

// A probe afresh: nothing remembered.
static inline int probeOnce(const pbdrSurface* surface, const pbdrPlacedProbe* probe, pbdrSurfaceHit hits[2])
{
    int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
    return pbdrSurface_Probe(surface, probe, features, hits);
}

static inline bool isFiniteHit(const pbdrSurfaceHit* hit)
{
    return isfinite(hit->gap) && pbdrIsFiniteVec(hit->normal) && pbdrIsFiniteVec(hit->point) &&
           fabs(pbdrLength(hit->normal) - 1.0) < 1.0e-12 && hit->share >= 0.0 && hit->share <= 1.0;
}

// All hits of the prober's probes on a surface, x -> turn x + shift placing the prober. Returns their number.
typedef struct HitList {
    int count;
    pbdrSurfaceHit hits[8192];
    const pbdrProbe* probes[8192];
} HitList;

static inline void collectHits(const pbdrSurface* surface, const pbdrSurface* prober, const pbdrMat3* turn,
                               pbdrVec3 shift, double reach, HitList* list)
{
    list->count = 0;
    uint32_t audience = pbdrSurface_GetAudience(surface);
    for (int i = 0; i < prober->probeCount; i++) {
        const pbdrProbe* probe = &prober->probes[i];
        if ((probe->against & audience) == 0) {
            continue;
        }
        pbdrSurfaceHit hits[2];
        pbdrPlacedProbe placed = pbdrPlaceProbe(prober, probe, turn, shift, reach);
        int count = probeOnce(surface, &placed, hits);
        for (int k = 0; k < count && list->count < 8192; k++) {
            if (!isFiniteHit(&hits[k])) {
                checkFailures++;
                printf("    probe %d: a hit that is not finite\n", i);
            }
            list->probes[list->count] = probe;
            list->hits[list->count++] = hits[k];
        }
    }
}

static inline double getLeastGap(const HitList* list)
{
    double least = (double)INFINITY;
    for (int i = 0; i < list->count; i++) {
        least = fmin(least, list->hits[i].gap);
    }
    return least;
}

#endif
