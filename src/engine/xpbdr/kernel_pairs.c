// The items of two bodies of spheres at the start of a substep, as preparePatch has those of planes.
#include "engine/xpbdr/kernel_columns.h"

// The rows of a matrix in all lanes.
typedef struct Rows {
    vvec rows[3];
} Rows;

static inline Rows setRows(const pbdrMat3* a)
{
    Rows rows;
    for (int k = 0; k < 3; k++) {
        rows.rows[k] = vsetVec(a->m[k][0], a->m[k][1], a->m[k][2]);
    }
    return rows;
}

static inline vvec turn(const Rows* a, vvec v)
{
    return (vvec){vdotVec(a->rows[0], v), vdotVec(a->rows[1], v), vdotVec(a->rows[2], v)};
}

void STAGE(pbdrPreparePairs)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrPairView* view,
                             const pbdrTwist* lag, int state)
{
    const Columns columns = getColumns(items);
    const State to = getState(items, state);
    void *restA[3], *restB[3], *friction[3];
    getVecColumns(items, ITEM_REST, restA);
    getVecColumns(items, ITEM_REST_B, restB);
    getVecColumns(items, ITEM_FRICTION, friction);
    const real *radiiA = pbdrGetColumn(items, ITEM_RADIUS), *radiiB = pbdrGetColumn(items, ITEM_RADIUS_B);
    real* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    const Rows frameA = setRows(&view->frameA), frameB = setRows(&view->frameB);
    const vvec between = vsetVec(view->between.x, view->between.y, view->between.z);
    const vtwist motion = vsetTwist(&view->velocity), compression = vsetTwist(lag);
    const vreal zero = vset(0.0), one = vset(1.0), half = vset(0.5), dt = vset(law->timeStep),
                kdt = vset(law->k * law->timeStep), deepest = vset(-PBDR_RECOVERY_SPEED * law->timeStep);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        const vreal radiusA = vload(radiiA + i), radiusB = vload(radiiB + i);
        const vvec armA = turn(&frameA, vloadVec(restA, i)), armB = turn(&frameB, vloadVec(restB, i));
        const vvec apart = vaddVec(between, vsubVec(armA, armB));
        const vreal distance = vsqrt(vdotVec(apart, apart));
        // spheres at the same place have no normal: part them upwards
        const vmask parted = vgt(distance, zero);
        vvec n = vkeepVec(parted, vscaleVec(vdiv(one, distance), apart));
        n.z = vadd(n.z, vkeep(vle(distance, zero), one));
        const vreal length = vsub(vsub(distance, radiusA), radiusB);
        const vreal along = vsub(vsub(vdotVec(n, apart), radiusA), radiusB);
        const vreal gap = vadd(vkeep(vgt(length, zero), along), vkeep(vle(length, zero), length));
        // the middle of the gap; padding's would be 1e30 away
        vvec lever = vsubVec(armA, vscaleVec(vadd(radiusA, vmul(half, gap)), n));
        lever = vkeepVec(vgt(radiusA, vset(-1.0)), lever);
        const vvec v = moveLever(motion, lever);
        const vreal fall = vdotVec(n, v), next = vadd(vmax(gap, deepest), vmul(dt, fall));
        const vvec hold = tangent(vloadVec(friction, i), n), slip = vsubVec(v, vscaleVec(fall, n));
        vstoreVec(columns.normal, i, n);
        vstoreVec(columns.lever, i, lever);
        vstoreVec(columns.hold, i, hold);
        vstore(ahead + i, next);
        vstore(to.g + i, vadd(next, vmin(vdotVec(n, moveLever(compression, lever)), zero)));
        vstoreVec(to.p, i, vsubVec(hold, vscaleVec(kdt, slip)));
    }
}
