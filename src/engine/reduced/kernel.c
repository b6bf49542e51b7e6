// The reduced engine's contact with planes: the particle engine's law, on the spheres of a patch.
//
//   gap = (n.c - d) + (F^T n).q - r,  v = u + G q;  where gap <= 0:
//   dx = relaxation ( -gap n + max(mu gap, -|v_t| dt) v_t/|v_t| )
#include "math/simd.h"

#include "engine/reduced/reduced.h"

static bool shovePatch(const pbdrItems* items, int first, int count, const pbdrPlaneView* view,
                       pbdrShove* shove)
{
    void* const rest[3] = {pbdrGetColumn(items, ITEM_REST), pbdrGetColumn(items, ITEM_REST + 1),
                           pbdrGetColumn(items, ITEM_REST + 2)};
    void* const force[3] = {pbdrGetColumn(items, ITEM_FORCE), pbdrGetColumn(items, ITEM_FORCE + 1),
                            pbdrGetColumn(items, ITEM_FORCE + 2)};
    const double *radius = pbdrGetColumn(items, ITEM_RADIUS), *mass = pbdrGetColumn(items, ITEM_MASS);
    double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    const vvec n = vsetVec(view->normal.x, view->normal.y, view->normal.z);
    const vvec restNormal = vsetVec(view->restNormal.x, view->restNormal.y, view->restNormal.z);
    const vvec drift = vsetVec(view->drift.x, view->drift.y, view->drift.z);
    vvec rate[3];
    for (int k = 0; k < 3; k++) {
        rate[k] = vsetVec(view->rate.m[k][0], view->rate.m[k][1], view->rate.m[k][2]);
    }
    const vreal height = vset(view->height), mu = vset(view->friction), zero = vset(0.0);
    const vreal relaxation = vset(view->relaxation), minusDt = vset(-view->timeStep);
    const vreal perStep = vset(1.0 / (view->timeStep * view->timeStep));

    vreal sum[12];
    for (int k = 0; k < 12; k++) {
        sum[k] = zero;
    }
    bool any = false;
    for (int i = first; i < first + count; i += LANES) {
        vvec q = vloadVec(rest, i);
        vreal gap = vsub(vadd(height, vdotVec(restNormal, q)), vload(radius + i));
        vmask touching = vle(gap, zero);
        if (vbits(touching) == 0) {
            continue;
        }
        any = true;
        vvec v = vaddVec(drift, (vvec){vdotVec(rate[0], q), vdotVec(rate[1], q), vdotVec(rate[2], q)});
        vvec slip = vsubVec(v, vscaleVec(vdotVec(n, v), n));
        vreal speed = vsqrt(vdotVec(slip, slip));
        vreal slide = vmax(vmul(mu, gap), vmul(minusDt, speed));
        vreal perSpeed = vkeep(vgt(speed, zero), vdiv(slide, speed));
        vvec dx = vsubVec(vscaleVec(perSpeed, slip), vscaleVec(gap, n));
        dx = vkeepVec(touching, vscaleVec(relaxation, dx));
        vvec push = vscaleVec(vload(mass + i), dx);
        const vreal row[3] = {push.x, push.y, push.z};
        for (int k = 0; k < 3; k++) {
            sum[k] = vadd(sum[k], row[k]);
            sum[3 + 3 * k] = vadd(sum[3 + 3 * k], vmul(row[k], q.x));
            sum[4 + 3 * k] = vadd(sum[4 + 3 * k], vmul(row[k], q.y));
            sum[5 + 3 * k] = vadd(sum[5 + 3 * k], vmul(row[k], q.z));
        }
        vstoreVec(force, i, vaddVec(vloadVec(force, i), vscaleVec(perStep, push)));
        vstore(touched + i, vmax(vload(touched + i), vkeep(touching, vset(1.0))));
    }
    for (int k = 0; k < 3; k++) {
        shove->linear[k] += vsum(sum[k]);
        for (int j = 0; j < 3; j++) {
            shove->spread[k][j] += vsum(sum[3 + 3 * k + j]);
        }
    }
    return any;
}

const pbdrReducedKernels STAGE(pbdrReducedKernels) = {.shovePatch = shovePatch};
