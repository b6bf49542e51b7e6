// Sums over a body's particles: centre, momentum, spin, and what shape matching and the momentum constraint
// need.
//
//   t = c0 + d,  d = sum m (x - c0) / sum m          c0, u0: the body's centre and velocity one substep ago
//   P = sum m u0 + P',  P' = sum m (v - u0)
//   L = sum m (x - t) x v = sum m (x - c0) x (v - u0) - d x P'
//   A = sum m (x - t) q^T = sum m (x - c0) q^T - d (sum m q)^T
//   I = sum m (r.r 1 - r r^T),  r = x - t
//
// In float, a sum of m x and a sum of m that round differently shift the body in every iteration, by their
// relative error times the distance from the origin: metres in ten seconds. So sums are taken about c0, and in
// a fixed shape: lanes, then CHUNK vectors one after another in the particles' precision, then chunks in double.
#include "engine/particle/stage.h"

// Vectors added in the particles' precision before the total moves to double.
#define CHUNK 16

enum { SUM_OFFSET = 0, SUM_MOMENTUM = 3, SUM_SPIN = 6, SUM_TENSOR = 9, SUM_REST = 18, SUM_COUNT = 21 };

// What an inertia needs: the six second moments.
static inline void addSecondMoments(vreal sum[SUM_COUNT], vvec mr, vvec r)
{
    vreal* s = sum + SUM_TENSOR;
    s[0] = vadd(s[0], vmul(mr.x, r.x));
    s[1] = vadd(s[1], vmul(mr.y, r.y));
    s[2] = vadd(s[2], vmul(mr.z, r.z));
    s[3] = vadd(s[3], vmul(mr.x, r.y));
    s[4] = vadd(s[4], vmul(mr.x, r.z));
    s[5] = vadd(s[5], vmul(mr.y, r.z));
}

// What shape matching needs: sum m r q^T, row by row, and sum m q.
static inline void addSpread(vreal sum[SUM_COUNT], vreal m, vvec mr, vvec q)
{
    const vreal row[3] = {mr.x, mr.y, mr.z};
    for (int k = 0; k < 3; k++) {
        vreal* s = sum + SUM_TENSOR + 3 * k;
        s[0] = vadd(s[0], vmul(row[k], q.x));
        s[1] = vadd(s[1], vmul(row[k], q.y));
        s[2] = vadd(s[2], vmul(row[k], q.z));
    }
    vreal* s = sum + SUM_REST;
    s[0] = vadd(s[0], vmul(m, q.x));
    s[1] = vadd(s[1], vmul(m, q.y));
    s[2] = vadd(s[2], vmul(m, q.z));
}

static inline void addVec(vreal sum[3], vvec a)
{
    sum[0] = vadd(sum[0], a.x);
    sum[1] = vadd(sum[1], a.y);
    sum[2] = vadd(sum[2], a.z);
}

// All sums of the body into total. `spread` is known when this is inlined: two loops come of it.
static inline void sumParticles(const pbdrParticles* p, const pbdrBody* body, const pbdrParticleBody* own,
                                bool spread, double total[SUM_COUNT])
{
    const vvec origin = vsetVec(body->centre.x, body->centre.y, body->centre.z);
    const vvec drift = vsetVec(body->velocity.x, body->velocity.y, body->velocity.z);
    const int sumCount = spread ? SUM_COUNT : SUM_TENSOR + 6;
    for (int k = 0; k < SUM_COUNT; k++) {
        total[k] = 0.0;
    }
    int end = getEnd(own);
    for (int chunk = getFirst(own); chunk < end; chunk += CHUNK * LANES) {
        vreal sum[SUM_COUNT];
        for (int k = 0; k < SUM_COUNT; k++) {
            sum[k] = vset((real)0);
        }
        int chunkEnd = chunk + CHUNK * LANES < end ? chunk + CHUNK * LANES : end;
        for (int i = chunk; i < chunkEnd; i += LANES) {
            vreal m = vload((const real*)p->mass + i);
            vvec r = vsubVec(vloadVec(p->position, i), origin);
            vvec v = vsubVec(vloadVec(p->velocity, i), drift);
            vvec mr = vscaleVec(m, r);
            addVec(sum + SUM_OFFSET, mr);
            addVec(sum + SUM_MOMENTUM, vscaleVec(m, v));
            addVec(sum + SUM_SPIN, vcrossVec(mr, v));
            if (spread) {
                addSpread(sum, m, mr, vloadVec(p->rest, i));
            } else {
                addSecondMoments(sum, mr, r);
            }
        }
        for (int k = 0; k < sumCount; k++) {
            total[k] += vsum(sum[k]);
        }
    }
}

// Centre, momentum and spin from the sums; returns d = t - c0.
static pbdrVec3 setMotion(const pbdrBody* body, double weight, const double total[SUM_COUNT],
                          pbdrMoments* moments)
{
    pbdrVec3 offset = {total[SUM_OFFSET], total[SUM_OFFSET + 1], total[SUM_OFFSET + 2]};
    pbdrVec3 momentum = {total[SUM_MOMENTUM], total[SUM_MOMENTUM + 1], total[SUM_MOMENTUM + 2]};
    pbdrVec3 spin = {total[SUM_SPIN], total[SUM_SPIN + 1], total[SUM_SPIN + 2]};
    pbdrVec3 d = pbdrScale(1.0 / weight, offset);
    moments->centre = pbdrAdd(body->centre, d);
    moments->relativeMomentum = momentum;
    moments->spin = pbdrSub(spin, pbdrCross(d, momentum));
    return d;
}

void STAGE(pbdrMeasureSpread)(const pbdrParticleWorld* world, int index, pbdrMoments* moments)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    const pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    double total[SUM_COUNT];
    sumParticles(&world->particles, body, own, true, total);
    pbdrVec3 d = setMotion(body, own->weight, total, moments);
    const double shift[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            moments->spread.m[i][j] = total[SUM_TENSOR + 3 * i + j] - shift[i] * total[SUM_REST + j];
        }
    }
}

void STAGE(pbdrMeasureInertia)(const pbdrParticleWorld* world, int index, pbdrMoments* moments)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    const pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    double total[SUM_COUNT];
    sumParticles(&world->particles, body, own, false, total);
    pbdrVec3 d = setMotion(body, own->weight, total, moments);
    // second moments about t, from those about c0
    const double* s = total + SUM_TENSOR;
    double w = own->weight;
    double xx = s[0] - w * d.x * d.x, yy = s[1] - w * d.y * d.y, zz = s[2] - w * d.z * d.z;
    double xy = s[3] - w * d.x * d.y, xz = s[4] - w * d.x * d.z, yz = s[5] - w * d.y * d.z;
    moments->inertia = pbdrMakeInertia(xx, yy, zz, xy, xz, yz);
}
