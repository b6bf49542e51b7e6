// Every pair of convex kinds against their true distance (Gilbert, Johnson and Keerthi 1988, on support
// functions): two bodies at random, moved until they are a little apart, then until they overlap by as much,
// are seen to be so by one's probes or the other's.
#include "surfaces.h"

static HitList listA, listB;

// The farthest point in the direction n.
static pbdrVec3 getSupport(const pbdrSurface* surface, pbdrVec3 n)
{
    pbdrVec3 end = {0.0, 0.0, n.z < 0.0 ? -surface->half.z : surface->half.z};
    pbdrVec3 flat = {n.x, n.y, 0.0};
    switch (surface->kind) {
    case pbdr_surfaceBall:
        return pbdrScale(surface->round, makeUnit(n));
    case pbdr_surfaceCapsule:
        return pbdrAddScaled(end, surface->round, makeUnit(n));
    case pbdr_surfaceBox:
        end.x = n.x < 0.0 ? -surface->half.x : surface->half.x;
        end.y = n.y < 0.0 ? -surface->half.y : surface->half.y;
        return end;
    default:
        return pbdrLength(flat) > 0.0 ? pbdrAddScaled(end, surface->half.x, makeUnit(flat)) : end;
    }
}

// Of A (placed) less B, farthest towards n.
static pbdrVec3 getDifference(const pbdrSurface* a, const pbdrMat3* turn, pbdrVec3 shift,
                              const pbdrSurface* b, pbdrVec3 n)
{
    pbdrVec3 onA = pbdrAdd(pbdrMulMV(turn, getSupport(a, pbdrMulTransposedMV(turn, n))), shift);
    return pbdrSub(onA, getSupport(b, pbdrScale(-1.0, n)));
}

// The point nearest to the origin of the hull of up to three of the points that `mask` names; false where it
// is the hull of fewer.
static bool findNearest(const pbdrVec3* p, int mask, pbdrVec3* nearest)
{
    pbdrVec3 q[4];
    int count = 0;
    for (int i = 0; i < 4; i++) {
        if ((mask >> i & 1) != 0) {
            q[count++] = p[i];
        }
    }
    if (count == 1) {
        *nearest = q[0];
        return true;
    }
    pbdrVec3 u = pbdrSub(q[1], q[0]);
    if (count == 2) {
        double square = pbdrDot(u, u), t = square > 0.0 ? -pbdrDot(q[0], u) / square : -1.0;
        *nearest = pbdrAddScaled(q[0], t, u);
        return t > 0.0 && t < 1.0;
    }
    pbdrVec3 v = pbdrSub(q[2], q[0]), n = pbdrCross(u, v);
    double square = pbdrDot(n, n);
    if (count != 3 || !(square > 0.0)) {
        return false;
    }
    *nearest = pbdrScale(pbdrDot(n, q[0]) / square, n);
    pbdrVec3 d = pbdrSub(*nearest, q[0]);
    double s = pbdrDot(n, pbdrCross(d, v)) / square, t = pbdrDot(n, pbdrCross(u, d)) / square;
    return s > 0.0 && t > 0.0 && s + t < 1.0;
}

// The vector from B to A where they are nearest; zero if they overlap.
static pbdrVec3 findGap(const pbdrSurface* a, const pbdrMat3* turn, pbdrVec3 shift, const pbdrSurface* b)
{
    pbdrVec3 simplex[4] = {getDifference(a, turn, shift, b, pbdrScale(-1.0, shift))}, gap = simplex[0];
    int count = 1;
    for (int round = 0; round < 300; round++) {
        pbdrVec3 next = getDifference(a, turn, shift, b, pbdrScale(-1.0, gap));
        if (pbdrDot(gap, gap) - pbdrDot(gap, next) <= 1.0e-13 * pbdrDot(gap, gap) || count == 4) {
            break;
        }
        simplex[count++] = next;
        int best = 1;
        double least = (double)INFINITY;
        for (int mask = 1; mask < 1 << count; mask++) {
            pbdrVec3 nearest;
            if (findNearest(simplex, mask, &nearest) && pbdrLength(nearest) < least) {
                least = pbdrLength(nearest);
                best = mask;
                gap = nearest;
            }
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if ((best >> i & 1) != 0) {
                simplex[kept++] = simplex[i];
            }
        }
        count = kept;
    }
    return gap;
}

// Least gaps of both directions together.
static double getLeast(const pbdrSurface* a, const pbdrMat3* turn, pbdrVec3 shift, const pbdrSurface* b)
{
    pbdrMat3 back = pbdrTranspose(turn);
    collectHits(b, a, turn, shift, 0.01, &listA);
    collectHits(a, b, &back, pbdrScale(-1.0, pbdrMulMV(&back, shift)), 0.01, &listB);
    return fmin(getLeastGap(&listA), getLeastGap(&listB));
}

static void tryPair(const pbdrSurface* a, const pbdrSurface* b, int trials)
{
    const double depth = 1.0e-5;
    int misses = 0, ghosts = 0, tried = 0;
    double worst = 0.0;
    for (int trial = 0; trial < trials; trial++) {
        pbdrMat3 turn = randomMatrix();
        pbdrVec3 shift = pbdrScale(0.5, makeUnit(randomVec(1.0))), gap = findGap(a, &turn, shift, b);
        for (int round = 0; round < 40; round++) { // up to it, most of the way at a time
            double distance = pbdrLength(gap);
            double step = round < 30 ? 0.7 * (distance - depth) : distance - depth;
            shift = pbdrAddScaled(shift, -step / distance, gap);
            gap = findGap(a, &turn, shift, b);
        }
        if (fabs(pbdrLength(gap) - depth) > 0.01 * depth) {
            continue;
        }
        tried++;
        pbdrVec3 apart = shift, n = makeUnit(gap);
        shift = pbdrAddScaled(shift, -2.0 * depth, n);
        double inside = getLeast(a, &turn, shift, b);
        misses += !(inside <= -0.01 * depth && inside >= -4.0 * depth);
        worst = inside > -0.01 * depth ? fmax(worst, inside) : worst;
        ghosts += getLeast(a, &turn, apart, b) < 0.0;
    }
    if (misses > 0 || ghosts > 0) {
        printf("    kinds %d and %d: %d misses (gap up to %g m), %d ghosts of %d\n", (int)a->kind,
               (int)b->kind, misses, worst, ghosts, tried);
    }
    CHECK_GE(tried, trials / 2);
    CHECK_EQ(misses, 0);
    CHECK_EQ(ghosts, 0);
}

static void every_pair__touches_where_support_functions_say(void)
{
    pbdrSurface surfaces[5] = {makeBall(0.08), makeCapsule(0.1, 0.05), makeBox(0.06, 0.08, 0.1, 2),
                               makeCylinder(0.07, 0.09), makeCylinder(0.15, 0.03)};
    seedSurfaces(1);
    for (int i = 0; i < 5; i++) {
        for (int j = i; j < 5; j++) {
            tryPair(&surfaces[i], &surfaces[j], 60);
        }
    }
    for (int i = 0; i < 5; i++) {
        pbdrSurface_Free(&surfaces[i]);
    }
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv,
        {"every_pair__touches_where_support_functions_say", every_pair__touches_where_support_functions_say});
}
