// Packing the surface: greedily, the ball whose sample is farthest from the spheres taken so far.
//
//   samples of the boundary --> base's corners --> always the farthest --> spheres near the base lowered
//
// A sample's ball is grown only when it is its turn: one per sphere, not one per sample. sample_gaps.c knows
// which sample is the farthest.
#include "geometry/sample_gaps.h"

#include "base.h"
#include "geometry/face_normals.h"
#include "geometry/solid_packing.h"
#include "geometry/sphere_set.h"
#include "math/vec.h"

#include <string.h>

#define DEF_COOKIE UINT32_C(0x50b0d1e5)

// Spheres below this share of the largest radius are small: they cost as much as others and fill no more than
// the tip of a sharp edge. A sample that has no larger ball is passed over, unless its gap is over the second
// share of the largest radius. Then some samples around it, up to half the gap away, may have a larger ball;
// in a thin part none has, and the sphere is small. Those below the third share are left out everywhere.
#define SMALL_RADIUS 0.05
#define WIDE_GAP 0.25
#define TINY_RADIUS 0.01
#define NEIGHBOURS 32

// Corners of the support polygon take at most this share of the spheres.
#define BASE_SHARE_OF_SPHERES 0.25

// Balls that are grown first, to know how large they get.
#define FIRST_BALLS 512

#define LEAST_SAMPLES 12000
#define SAMPLES_PER_SPHERE 8

// With nothing but a radius given the mean gap that ends the packing is this share of it.
#define GAP_PER_RADIUS 0.05

// Spheres that a mean gap g takes in a volume V are about this times V^(1/3)/g (bunny: 1994 for the gap that
// 2191 have). Only the largest radius and the number of samples follow from it.
#define COUNT_PER_GAP 6.0

// Samples that the spheres come closer to than this share of the solid's size are covered: rounding.
#define COVERED 1.0e-9

// Centres are on a level within this share of the solid's size.
#define LEVEL 1.0e-6

// Tangent within this share of the solid's size (faces of the result's normals).
#define TANGENT 1.0e-7

static const pbdrSurfacePackingDef defaults = {.cookie = DEF_COOKIE, .baseTolerance = PBDR_BASE_TOLERANCE};

void pbdrInitSurfacePackingDef(pbdrSurfacePackingDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaults, sizeof defaults);
}

typedef struct Packer {
    const pbdrSurfacePackingDef* def;
    const pbdrHooks* hooks;
    const pbdrSolid* solid;
    pbdrBase base;
    double radius;   // the largest
    int32_t largest; // the sample with the largest ball known
    double meanGap;  // to end with; 0: any
    int sphereLimit; // at most
    int sampleCount;
    pbdrBall* balls; // per sample
    pbdrSampleGaps gaps;
    int32_t* taken; // samples whose balls are spheres
    int takenCount;
    pbdrBall* seeds;
    int seedCount, seedCapacity;
} Packer;

static bool tell(const Packer* packer, double share)
{
    const pbdrSurfacePackingDef* def = packer->def;
    return def->progress == NULL || def->progress(def->progressContext, share);
}

// --- Balls ---

// A sample's ball; its radius is 0 if there is none.
static const pbdrBall* growBall(Packer* packer, int32_t sample)
{
    pbdrBall* ball = &packer->balls[sample];
    pbdrGrowBall(packer->solid, packer->radius, TINY_RADIUS * packer->radius, ball);
    return ball;
}

// Whether a sample's ball is too small for its gap.
static bool isPassedOver(Packer* packer, int32_t sample)
{
    double radius = growBall(packer, sample)->radius;
    bool small = radius < SMALL_RADIUS * packer->radius && !(packer->def->largestGap > 0.0);
    return radius < TINY_RADIUS * packer->radius ||
           (small && packer->gaps.gaps[sample] <= WIDE_GAP * packer->radius);
}

// The sample with the largest gap that is worth a sphere; -1: there is none.
static int32_t getFarthest(Packer* packer)
{
    int32_t sample = pbdrGetFarthestSample(&packer->gaps);
    while (sample >= 0 && isPassedOver(packer, sample)) {
        pbdrDropFarthestSample(&packer->gaps);
        sample = pbdrGetFarthestSample(&packer->gaps);
    }
    return sample;
}

// A sample near the given one with a larger ball, if its own is small.
static int32_t getBetter(Packer* packer, int32_t sample)
{
    double gap = packer->gaps.gaps[sample];
    if (packer->balls[sample].radius >= SMALL_RADIUS * packer->radius || gap <= WIDE_GAP * packer->radius) {
        return sample;
    }
    int32_t around[NEIGHBOURS], best = sample;
    int count = pbdrFindUncovered(&packer->gaps, packer->balls[sample].point, 0.5 * gap, NEIGHBOURS, around);
    for (int i = 0; i < count; i++) {
        best = growBall(packer, around[i])->radius > packer->balls[best].radius ? around[i] : best;
    }
    return best;
}

// Grows some balls all over the surface. The largest is the first sphere of a packing that has no base, as no
// gap tells samples apart yet; and no larger radius is asked for, lest all spheres of a thin plate count as
// small.
static void findLargest(Packer* packer)
{
    int32_t step = packer->sampleCount / FIRST_BALLS + 1;
    double radius = 0.0;
    packer->largest = -1;
    for (int32_t i = 0; i < packer->sampleCount; i += step) {
        pbdrGrowBall(packer->solid, packer->radius, 0.0, &packer->balls[i]);
        if (packer->balls[i].radius > radius) {
            radius = packer->balls[i].radius;
            packer->largest = i;
        }
    }
    packer->radius = radius > 0.0 ? radius : packer->radius;
}

// --- Stages ---

static pbdrStatus plan(Packer* packer, pbdrError* error)
{
    const pbdrSurfacePackingDef* def = packer->def;
    double volume = packer->solid->properties.volume, side = cbrt(volume);
    bool radiusOnly = def->count == 0 && !(def->meanGap > 0.0) && !(def->largestGap > 0.0);
    packer->meanGap = radiusOnly ? GAP_PER_RADIUS * def->radius : def->meanGap;
    double gap = packer->meanGap > 0.0 ? packer->meanGap : 0.25 * def->largestGap;
    double count = def->count > 0 ? def->count : fmax(8.0, COUNT_PER_GAP * side / gap);
    packer->radius = def->radius > 0.0 ? def->radius : PBDR_SURFACE_RADIUS * side / cbrt(count);
    packer->radius = fmin(packer->radius, packer->solid->size);
    double samples =
        def->sampleCount > 0 ? def->sampleCount : fmax(LEAST_SAMPLES, SAMPLES_PER_SPHERE * count);
    if (!(samples <= PBDR_MAX_SPHERES)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "surface packing: about %.3g spheres need %.3g samples, more than %d", count, samples,
                        PBDR_MAX_SPHERES);
    }
    packer->sampleCount = (int)samples;
    packer->sphereLimit = def->count > 0 ? def->count : packer->sampleCount;
    return pbdr_statusOk;
}

static void freePacker(Packer* packer)
{
    const pbdrHooks* hooks = packer->hooks;
    size_t n = (size_t)packer->sampleCount;
    pbdrRelease(hooks, packer->balls, n, sizeof *packer->balls);
    pbdrRelease(hooks, packer->taken, n, sizeof *packer->taken);
    pbdrRelease(hooks, packer->seeds, (size_t)packer->seedCapacity, sizeof *packer->seeds);
    pbdrFreeSampleGaps(&packer->gaps);
    pbdrFreeBase(&packer->base);
}

static pbdrStatus startBalls(Packer* packer, pbdrError* error)
{
    const pbdrSurfacePackingDef* def = packer->def;
    if (!tell(packer, 0.1)) {
        return pbdrFail(error, pbdr_statusStopped, "surface packing: stopped by the caller");
    }
    packer->balls = pbdrAllocate(packer->hooks, (size_t)packer->sampleCount, sizeof *packer->balls);
    packer->taken = pbdrAllocate(packer->hooks, (size_t)packer->sampleCount, sizeof *packer->taken);
    if (packer->balls == NULL || packer->taken == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d samples", packer->sampleCount);
    }
    pbdrSampleBalls(packer->solid, packer->sampleCount, def->seed, packer->balls);
    findLargest(packer);
    if (!tell(packer, 0.15)) {
        return pbdrFail(error, pbdr_statusStopped, "surface packing: stopped by the caller");
    }
    pbdrStatus status = pbdrFindBase(packer->solid, def->baseTolerance, packer->hooks, &packer->base, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    int limit = (int)(BASE_SHARE_OF_SPHERES * packer->sphereLimit);
    if (limit < 3) {
        return pbdr_statusOk; // three make a polygon
    }
    return pbdrMakeBaseBalls(packer->solid, &packer->base, packer->balls, packer->sampleCount, packer->radius,
                             SMALL_RADIUS * packer->radius, limit, def->seed, packer->hooks, &packer->seeds,
                             &packer->seedCount, &packer->seedCapacity, error);
}

// The mean over the samples that are not points of contact themselves.
static double getMeanGap(const Packer* packer)
{
    return packer->gaps.sum / fmax(1.0, packer->sampleCount - packer->takenCount);
}

// How far the packing has come, for the samples' largest gap.
static double getShare(const Packer* packer, double gap)
{
    const pbdrSurfacePackingDef* def = packer->def;
    double count = def->count > 0 ? (double)packer->takenCount / def->count : 0.0;
    double mean = packer->meanGap > 0.0 ? packer->meanGap / getMeanGap(packer) : 0.0;
    return 0.2 + 0.8 * fmin(1.0, fmax(count, fmax(mean, def->largestGap / gap)));
}

// Takes balls until one of the ends is reached.
static pbdrStatus chooseBalls(Packer* packer, pbdrError* error)
{
    const pbdrSurfacePackingDef* def = packer->def;
    const pbdrSolid* solid = packer->solid;
    double start = solid->size; // no gap is larger
    pbdrStatus status = pbdrCreateSampleGaps(packer->balls, packer->sampleCount, solid->lower, solid->upper,
                                             0.5 * packer->radius, start, COVERED * solid->size,
                                             packer->hooks, &packer->gaps, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    packer->seedCount = packer->seedCount < packer->sphereLimit ? packer->seedCount : packer->sphereLimit;
    for (int i = 0; i < packer->seedCount; i++) {
        pbdrLowerGaps(&packer->gaps, &packer->seeds[i], start);
    }
    while (packer->seedCount + packer->takenCount < packer->sphereLimit) {
        bool first = packer->seedCount + packer->takenCount == 0;
        int32_t sample = first ? packer->largest : getFarthest(packer);
        double gap = sample < 0 ? 0.0 : packer->gaps.gaps[sample];
        if (sample < 0 || gap <= def->largestGap ||
            (packer->meanGap > 0.0 && getMeanGap(packer) <= packer->meanGap)) {
            break;
        }
        if (packer->takenCount % 64 == 0 && !tell(packer, getShare(packer, gap))) {
            return pbdrFail(error, pbdr_statusStopped, "surface packing: stopped by the caller");
        }
        sample = getBetter(packer, sample);
        packer->taken[packer->takenCount++] = sample;
        pbdrLowerGaps(&packer->gaps, &packer->balls[sample], gap);
    }
    if (packer->seedCount + packer->takenCount == 0) {
        return pbdrFail(error, pbdr_statusNoParticles,
                        "surface packing: no ball of %g to %g m touches the surface at one of %d samples",
                        TINY_RADIUS * packer->radius, packer->radius, packer->sampleCount);
    }
    if (def->count == 0 && packer->meanGap > 0.0 && getMeanGap(packer) > packer->meanGap) {
        return pbdrFail(error, pbdr_statusNoParticles,
                        "surface packing: %d samples leave a mean gap of %g m, wanted %g; more samples or a "
                        "smaller radius than %g m",
                        packer->sampleCount, getMeanGap(packer), packer->meanGap, packer->radius);
    }
    return pbdr_statusOk;
}

static const pbdrBall* getTaken(const Packer* packer, int i)
{
    return i < packer->seedCount ? &packer->seeds[i] : &packer->balls[packer->taken[i - packer->seedCount]];
}

// Whether no centre is above the solid's centre of mass, and the base's small spheres are below it: a plate,
// whose other spheres fill its thickness. Then no masses can have their centre there.
static bool isBottomHeavy(const Packer* packer)
{
    double middle = packer->solid->properties.centre.z, level = LEVEL * packer->solid->size;
    double lowest = middle, highest = -HUGE_VAL;
    for (int i = 0; i < packer->seedCount + packer->takenCount; i++) {
        double z = getTaken(packer, i)->centre.z;
        lowest = fmin(lowest, z);
        highest = fmax(highest, z);
    }
    return packer->seedCount > 0 && lowest < middle - level && highest <= middle + level;
}

static pbdrStatus takeBalls(Packer* packer, pbdrError* error)
{
    pbdrStatus status = chooseBalls(packer, error);
    if (status == pbdr_statusOk && isBottomHeavy(packer)) {
        pbdrFreeSampleGaps(&packer->gaps);
        packer->seedCount = packer->takenCount = 0;
        status = chooseBalls(packer, error);
    }
    return status;
}

// Lowers the spheres that end just above the base.
static void lowerToBase(const pbdrBase* base, pbdrSphereSet* set)
{
    for (int i = 0; i < set->count; i++) {
        if (pbdrIsOnBase(base, set->positions[i], set->radii[i])) {
            set->positions[i].z = base->height + set->radii[i];
        }
    }
}

static pbdrStatus fillSet(const Packer* packer, double mass, pbdrSphereSet* set, pbdrFaceNormals* normals,
                          pbdrError* error)
{
    int count = packer->seedCount + packer->takenCount;
    pbdrStatus status = pbdrAllocateSpheres(count, packer->radius, mass, packer->hooks, set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    for (int i = 0; i < count; i++) {
        const pbdrBall* ball = getTaken(packer, i);
        set->positions[i] = ball->centre;
        set->radii[i] = ball->radius;
    }
    if (normals != NULL) {
        status = pbdrFindSolidNormals(set, packer->solid, &packer->base, TANGENT * packer->solid->size,
                                      packer->hooks, normals, error);
        if (status != pbdr_statusOk) {
            pbdrSphereSet_Free(set);
            return status;
        }
    }
    lowerToBase(&packer->base, set);
    return pbdr_statusOk;
}

static pbdrStatus checkLength(double value, const char* name, pbdrError* error)
{
    if (!isfinite(value) || value < 0.0) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "%s: %g is not finite and at least zero", name,
                        value);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkDef(const pbdrSurfacePackingDef* def, pbdrError* error)
{
    if (def->count < 0 || def->count > PBDR_MAX_SPHERES / SAMPLES_PER_SPHERE) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "count: %d is not between 0 and %d", def->count,
                        PBDR_MAX_SPHERES / SAMPLES_PER_SPHERE);
    }
    if (def->sampleCount < 0 || def->sampleCount > PBDR_MAX_SPHERES) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "sampleCount: %d is not between 0 and %d",
                        def->sampleCount, PBDR_MAX_SPHERES);
    }
    pbdrStatus status = checkLength(def->radius, "radius", error);
    status = status != pbdr_statusOk ? status : checkLength(def->meanGap, "meanGap", error);
    status = status != pbdr_statusOk ? status : checkLength(def->largestGap, "largestGap", error);
    status = status != pbdr_statusOk ? status : checkLength(def->baseTolerance, "baseTolerance", error);
    if (status == pbdr_statusOk && def->count == 0 && def->radius == 0.0 && def->meanGap == 0.0 &&
        def->largestGap == 0.0) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "surface packing: none of count, radius, meanGap and largestGap is set");
    }
    return status;
}

pbdrStatus pbdrPackSolid(const pbdrSolid* solid, const pbdrSurfacePackingDef* def, double mass,
                         const pbdrHooks* hooks, pbdrSphereSet* set, pbdrFaceNormals* normals,
                         pbdrError* error)
{
    if (normals != NULL) {
        memset(normals, 0, sizeof *normals);
    }
    pbdrStatus status = pbdrBeginPacking(1.0, mass, hooks, set, error);
    status = status != pbdr_statusOk ? status : checkDef(def, error);
    Packer packer = {.def = def, .hooks = hooks, .solid = solid};
    status = status != pbdr_statusOk ? status : plan(&packer, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    status = startBalls(&packer, error);
    status = status != pbdr_statusOk ? status : takeBalls(&packer, error);
    status = status != pbdr_statusOk ? status : fillSet(&packer, mass, set, normals, error);
    freePacker(&packer);
    return status;
}

pbdrStatus pbdrPackSurface(const pbdrMesh* mesh, const pbdrSurfacePackingDef* def, double mass,
                           const pbdrHooks* hooks, pbdrSphereSet* set, pbdrFaceNormals* normals,
                           pbdrError* error)
{
    if (normals != NULL) {
        memset(normals, 0, sizeof *normals);
    }
    pbdrStatus status = pbdrBeginPacking(1.0, mass, hooks, set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!PBDR_ASSERT(hooks, mesh != NULL && def != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or def: NULL");
    }
    pbdrSurfacePackingDef own = defaults;
    status = pbdrReadDef(def, "pbdrDefaultSurfacePackingDef", &own, sizeof own, error);
    status = status == pbdr_statusOk ? checkDef(&own, error) : status;
    Packer packer = {.def = &own};
    if (status == pbdr_statusOk && !tell(&packer, 0.0)) {
        status = pbdrFail(error, pbdr_statusStopped, "surface packing: stopped by the caller");
    }
    pbdrSolid solid;
    if (status == pbdr_statusOk) {
        status = pbdrCreateSolid(mesh, PBDR_MAX_VOLUME_ERROR, hooks, &solid, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    status = pbdrPackSolid(&solid, &own, mass, hooks, set, normals, error);
    pbdrFreeSolid(&solid);
    return status;
}
