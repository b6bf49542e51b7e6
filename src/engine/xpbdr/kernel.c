// XPBD-R's loops over contact items (contact_law.h has the symbols). Padding has a gap of 1e30 m: never
// loaded.
#include "engine/xpbdr/kernel_columns.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

// --- Vectors ---

static inline vreal vabs(vreal a)
{
    return vmax(a, vsub(vset(0.0), a));
}

static inline void addTo(double sum[3], const vvec* lanes)
{
    sum[0] += vsum(lanes->x);
    sum[1] += vsum(lanes->y);
    sum[2] += vsum(lanes->z);
}

// --- The contact law ---

// Normal force, and the share c of p that friction can bear.
typedef struct Law {
    vreal force;  // F
    vreal share;  // c
    vreal length; // |p|
    vmask loaded; // F > 0
    vmask slips;  // |p| > mu F
} Law;

static inline Law applyLaw(vreal g, vvec p, vreal k, vreal mu)
{
    const vreal zero = vset(0.0), one = vset(1.0);
    Law law;
    law.force = vmax(vsub(zero, vmul(k, g)), zero);
    law.loaded = vgt(law.force, zero);
    law.length = vsqrt(vdotVec(p, p));
    vreal bound = vmul(mu, law.force);
    law.slips = vgt(law.length, bound);
    vreal ratio = vdiv(bound, vmax(law.length, vset(1.0e-300)));
    law.share = vmin(ratio, one);
    return law;
}

// --- Kernels ---

void STAGE(pbdrPreparePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* velocity,
                             const pbdrTwist* lag, int state)
{
    const Columns columns = getColumns(items);
    const State to = getState(items, state);
    void* rest[3];
    getVecColumns(items, ITEM_REST, rest);
    void* friction[3];
    getVecColumns(items, ITEM_FRICTION, friction);
    const real* radii = pbdrGetColumn(items, ITEM_RADIUS);
    real* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    const vvec n = vsetVec(law->normal.x, law->normal.y, law->normal.z);
    const vvec restNormal = vsetVec(law->restNormal.x, law->restNormal.y, law->restNormal.z);
    vvec turn[3];
    for (int k = 0; k < 3; k++) {
        turn[k] = vsetVec(law->turn.m[k][0], law->turn.m[k][1], law->turn.m[k][2]);
    }
    const vtwist motion = vsetTwist(velocity), compression = vsetTwist(lag);
    const vreal height = vset(law->height), dt = vset(law->timeStep), patchKdt = vset(law->k * law->timeStep);
    const vreal deepest = vset(-PBDR_RECOVERY_SPEED * law->timeStep);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec q = vloadVec(rest, i);
        vreal radius = vload(radii + i);
        vvec r = {vdotVec(turn[0], q), vdotVec(turn[1], q), vdotVec(turn[2], q)};
        r = vsubVec(r, vscaleVec(radius, n));
        vreal gap = vmax(vsub(vadd(height, vdotVec(restNormal, q)), radius), deepest);
        // padding: its lever would be 1e30 long
        r = vkeepVec(vgt(radius, vset(-1.0)), r);
        vreal kdt = vmul(patchKdt, vload(columns.weight + i));
        vvec v = moveLever(motion, r);
        vreal fall = vdotVec(n, v);
        vreal next = vadd(gap, vmul(dt, fall));
        vvec hold = tangent(vloadVec(friction, i), n);
        vstoreVec(columns.normal, i, n);
        vstoreVec(columns.lever, i, r);
        vstoreVec(columns.hold, i, hold);
        vstore(ahead + i, next);
        vstore(to.g + i, vadd(next, vmin(vdotVec(n, moveLever(compression, r)), vset(0.0))));
        vvec slip = vsubVec(v, vscaleVec(fall, n));
        vstoreVec(to.p, i, vsubVec(hold, vscaleVec(kdt, slip)));
    }
}

void STAGE(pbdrStepPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* step, int from,
                          int to, pbdrPatchForce* force)
{
    const Columns columns = getColumns(items);
    const State old = getState(items, from), new = getState(items, to);
    const vtwist y = vsetTwist(step);
    const vreal patchK = vset(law->k), mu = vset(law->mu);
    const vvec none = vsetVec(0.0, 0.0, 0.0);
    vvec sum = none, moment = none;
    vreal size = vset(0.0);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        const vreal k = vmul(patchK, vload(columns.weight + i));
        vvec n = vloadVec(columns.normal, i), r = vloadVec(columns.lever, i);
        vvec move = moveLever(y, r);
        vreal along = vdotVec(n, move);
        vreal g = vadd(vload(old.g + i), along);
        vvec p = vsubVec(vloadVec(old.p, i), vscaleVec(k, vsubVec(move, vscaleVec(along, n))));
        vstore(new.g + i, g);
        vstoreVec(new.p, i, p);
        Law at = applyLaw(g, p, k, mu);
        vvec f = vaddVec(vscaleVec(at.force, n), vscaleVec(at.share, p));
        sum = vaddVec(sum, f);
        moment = vaddVec(moment, vcrossVec(r, f));
        size = vadd(size, vadd(at.force, vmul(at.share, at.length)));
    }
    addTo(force->force, &sum);
    addTo(force->moment, &moment);
    force->size += vsum(size);
}

// Sums J^T K J with J = [1, -[r]x]. K's rows are vectors.
typedef struct BlockSum {
    vreal m[6][6];
} BlockSum;

static inline void clearBlock(BlockSum* sum)
{
    for (int i = 0; i < 36; i++) {
        sum->m[i / 6][i % 6] = vset(0.0);
    }
}

static inline void addRow(vreal row[3], vvec a)
{
    row[0] = vadd(row[0], a.x);
    row[1] = vadd(row[1], a.y);
    row[2] = vadd(row[2], a.z);
}

static inline void scaleRows(vvec row[3], vreal s)
{
    row[0] = vscaleVec(s, row[0]);
    row[1] = vscaleVec(s, row[1]);
    row[2] = vscaleVec(s, row[2]);
}

static inline void addBlock(BlockSum* sum, const vvec row[3], vvec lever)
{
    // rows of -K [r]x: (row x e_j . r) = r x row
    const vvec turned[3] = {vcrossVec(lever, row[0]), vcrossVec(lever, row[1]), vcrossVec(lever, row[2])};
    for (int i = 0; i < 3; i++) {
        addRow(&sum->m[i][0], row[i]);
        addRow(&sum->m[i][3], turned[i]);
    }
    // [r]x from the left mixes the rows
    const vreal l[3] = {lever.x, lever.y, lever.z};
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, h = (i + 2) % 3;
        addRow(&sum->m[3 + i][0], vsubVec(vscaleVec(l[j], row[h]), vscaleVec(l[h], row[j])));
        addRow(&sum->m[3 + i][3], vsubVec(vscaleVec(l[j], turned[h]), vscaleVec(l[h], turned[j])));
    }
}

static inline void storeBlock(const BlockSum* sum, double scale, pbdrBlock6* block)
{
    for (int i = 0; i < 36; i++) {
        block->m[i / 6][i % 6] += scale * vsum(sum->m[i / 6][i % 6]);
    }
}

void STAGE(pbdrStiffenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, pbdrBlock6* block)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    const vreal patchK = vset(law->k), mu = vset(law->mu), one = vset(1.0);
    const vreal near = vset(law->near);
    BlockSum sum;
    clearBlock(&sum);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec n = vloadVec(columns.normal, i), p = vloadVec(at.p, i);
        const vreal weight = vload(columns.weight + i), k = vmul(patchK, weight);
        Law contact = applyLaw(vload(at.g + i), p, k, mu);
        vmask rubs = contact.loaded;
        contact.loaded = vgt(near, vload(at.g + i));
        if (vbits(contact.loaded) == 0 && vbits(rubs) == 0) {
            continue;
        }
        // K = c 1 + (1 - c) n n^T + [slipping] s (mu n - c s)^T,  s = p/|p|
        vreal c = vkeep(rubs, contact.share);
        vreal perLength = vkeep(contact.slips, vdiv(one, vmax(contact.length, vset(1.0e-300))));
        vvec s = vkeepVec(rubs, vscaleVec(perLength, p));
        vvec tail = vsubVec(vscaleVec(mu, n), vscaleVec(c, s));
        vvec stiff = vscaleVec(vsub(vkeep(contact.loaded, one), c), n);
        vvec row[3] = {vaddVec(vscaleVec(stiff.x, n), vscaleVec(s.x, tail)),
                       vaddVec(vscaleVec(stiff.y, n), vscaleVec(s.y, tail)),
                       vaddVec(vscaleVec(stiff.z, n), vscaleVec(s.z, tail))};
        row[0].x = vadd(row[0].x, c);
        row[1].y = vadd(row[1].y, c);
        row[2].z = vadd(row[2].z, c);
        scaleRows(row, weight);
        addBlock(&sum, row, vloadVec(columns.lever, i));
    }
    storeBlock(&sum, law->k, block);
}

// The compression that bears an item's force: never an extension.
static inline vreal getCompression(const Columns* columns, vvec n, vtwist lag, int i)
{
    return vmin(vdotVec(n, moveLever(lag, vloadVec(columns->lever, i))), vset(0.0));
}

// End gap of an item: g without the compression.
static inline vreal getEndGap(const Columns* columns, vreal g, vvec n, vtwist lag, int i)
{
    return vsub(g, getCompression(columns, n, lag, i));
}

void STAGE(pbdrMeasurePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                             pbdrPatchRest* rest)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    const vtwist y = vsetTwist(lag);
    const vreal patchK = vset(law->k), mu = vset(law->mu), patchPerK = vset(1.0 / law->k), one = vset(1.0);
    vreal largestGap = vset(0.0), largestSlip = vset(0.0);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec n = vloadVec(columns.normal, i), p = vloadVec(at.p, i);
        vreal g = vload(at.g + i);
        const vreal weight = vload(columns.weight + i), k = vmul(patchK, weight);
        const vreal perK = vdiv(patchPerK, vmax(weight, vset(1.0e-30)));
        Law contact = applyLaw(g, p, k, mu);
        vreal on = vkeep(contact.loaded, one);
        vreal stick = vsub(on, vkeep(contact.slips, on));
        vreal gap = vkeep(contact.loaded, getEndGap(&columns, g, n, y, i));
        vvec slip = vscaleVec(vmul(stick, perK), vsubVec(vloadVec(columns.hold, i), p));
        largestGap = vmax(vabs(gap), largestGap);
        largestSlip = vmax(vdotVec(slip, slip), largestSlip);
    }
    rest->gap = pbdrMax(rest->gap, vlargest(largestGap));
    rest->slip = pbdrMax(rest->slip, sqrt(vlargest(largestSlip)));
}

void STAGE(pbdrFitPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                         pbdrBlock6* block, pbdrPatchForce* wanted)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    const vtwist y = vsetTwist(lag);
    const vreal zero = vset(0.0);
    const vvec none = vsetVec(0.0, 0.0, 0.0);
    vvec sum = none, moment = none;
    BlockSum sums;
    clearBlock(&sums);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec n = vloadVec(columns.normal, i), r = vloadVec(columns.lever, i);
        vreal g = vload(at.g + i);
        vmask loaded = vgt(zero, g);
        vreal weight = vload(columns.weight + i);
        vreal gap = vkeep(loaded, getEndGap(&columns, g, n, y, i));
        vreal counts = vkeep(loaded, weight);
        vvec pull = vscaleVec(vmul(weight, gap), n), stiff = vscaleVec(counts, n);
        vvec row[3] = {vscaleVec(stiff.x, n), vscaleVec(stiff.y, n), vscaleVec(stiff.z, n)};
        addBlock(&sums, row, r);
        sum = vaddVec(sum, pull);
        moment = vaddVec(moment, vcrossVec(r, pull));
    }
    storeBlock(&sums, 1.0, block);
    addTo(wanted->force, &sum);
    addTo(wanted->moment, &moment);
}

void STAGE(pbdrPressPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag,
                           const pbdrTwist* newLag, int state)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    const vtwist old = vsetTwist(lag), new = vsetTwist(newLag);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec n = vloadVec(columns.normal, i);
        vreal more = vsub(getCompression(&columns, n, new, i), getCompression(&columns, n, old, i));
        vstore(at.g + i, vadd(vload(at.g + i), more));
    }
}

void STAGE(pbdrWeighPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag,
                           double* last, double* now)
{
    const Columns columns = getColumns(items);
    void* force[3];
    getVecColumns(items, ITEM_FORCE, force);
    const vtwist y = vsetTwist(lag);
    const real* ahead = pbdrGetColumn(items, ITEM_AHEAD);
    vreal before = vset(0.0), presses = vset(0.0);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec n = vloadVec(columns.normal, i);
        before = vadd(before, vmax(vdotVec(n, vloadVec(force, i)), vset(0.0)));
        vreal press = vmul(vload(columns.weight + i), getCompression(&columns, n, y, i));
        presses = vsub(presses, vkeep(vgt(vset(1.0e29), vload(ahead + i)), press)); // not padding's
    }
    *last += vsum(before);
    *now += law->k * vsum(presses);
}

void STAGE(pbdrSoftenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, double factor, int state)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    const vreal f = vset(factor);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec hold = vloadVec(columns.hold, i);
        vstoreVec(at.p, i, vsubVec(hold, vscaleVec(f, vsubVec(hold, vloadVec(at.p, i)))));
    }
}

void STAGE(pbdrHoldPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    const vreal patchK = vset(law->k), mu = vset(law->mu);
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec p = vloadVec(at.p, i);
        const vreal k = vmul(patchK, vload(columns.weight + i));
        Law contact = applyLaw(vload(at.g + i), p, k, mu);
        vvec kSlip = vsubVec(vloadVec(columns.hold, i), p);
        vvec hold = vscaleVec(contact.share, p);
        vstoreVec(columns.hold, i, hold);
        vstoreVec(at.p, i, vsubVec(hold, kSlip));
    }
}

void STAGE(pbdrFinishPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                            pbdrPatchEnd* end)
{
    const Columns columns = getColumns(items);
    const State at = getState(items, state);
    void *force[3], *carried[3];
    getVecColumns(items, ITEM_FORCE, force);
    getVecColumns(items, ITEM_FRICTION, carried);
    const real *ahead = pbdrGetColumn(items, ITEM_AHEAD), *before = pbdrGetColumn(items, ITEM_BEFORE);
    real* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    const vtwist y = vsetTwist(lag);
    const vreal patchK = vset(law->k), mu = vset(law->mu), zero = vset(0.0), half = vset(0.5),
                one = vset(1.0);
    vreal lowestFresh = zero, lowestOld = zero, highestOld = zero, largestGap = zero, largestSlip = zero,
          loads = zero;
    for (int i = law->first; i < law->first + law->count; i += LANES) {
        vvec n = vloadVec(columns.normal, i), p = vloadVec(at.p, i);
        vreal g = vload(at.g + i);
        const vreal weight = vload(columns.weight + i), k = vmul(patchK, weight);
        Law contact = applyLaw(g, p, k, mu);
        vreal on = vkeep(contact.loaded, one);
        vreal stick = vsub(on, vkeep(contact.slips, on));
        vvec friction = vscaleVec(contact.share, p);
        vstoreVec(carried, i, friction);
        vstoreVec(force, i, vaddVec(vscaleVec(contact.force, n), friction));
        vreal share = vdiv(stick, vmax(weight, vset(1.0e-30)));
        vvec kSlip = vscaleVec(share, vsubVec(vloadVec(columns.hold, i), p));
        largestSlip = vmax(vdotVec(kSlip, kSlip), largestSlip);
        // gap + dt n.(v + v_new)/2 = (ahead + end gap)/2
        vreal gap = getEndGap(&columns, g, n, y, i);
        // what bears no load must not overlap either: Y may be wrong for it
        largestGap = vmax(vsub(zero, gap), largestGap);
        gap = vkeep(contact.loaded, gap);
        largestGap = vmax(gap, largestGap);
        vreal mean = vkeep(contact.loaded, vmul(half, vadd(vload(ahead + i), gap)));
        vreal old = vkeep(vgt(vload(before + i), zero), mean);
        lowestOld = vmin(old, lowestOld);
        highestOld = vmax(old, highestOld);
        lowestFresh = vmin(vsub(mean, old), lowestFresh);
        loads = vmax(on, loads);
        vstore(touched + i, on);
    }
    end->fresh = pbdrMin(end->fresh, -vlargest(vsub(zero, lowestFresh)));
    end->old = pbdrMin(end->old, -vlargest(vsub(zero, lowestOld)));
    end->opened = pbdrMax(end->opened, vlargest(highestOld));
    end->gap = pbdrMax(end->gap, vlargest(largestGap));
    end->slip = pbdrMax(end->slip, sqrt(vlargest(largestSlip)) / law->k);
    end->loaded = vlargest(loads) > 0.0;
}
