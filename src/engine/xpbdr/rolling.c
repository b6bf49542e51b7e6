// Rolling and spinning friction (rolling.h). Patches that have none never come here.
#include "engine/xpbdr/rolling.h"

// The moment's parts at a state.
typedef struct Parts {
    double load;         // F [N]
    pbdrVec3 roll, spin; // q_r and q_s [N m]
    double rollSize;     // |q_r|
    double rollShare;    // min(1, mu_r F/|q_r|)
    double spinShare;    // the same of the spin
    bool rollSlips, spinSlips;
} Parts;

static double getShare(double size, double bound)
{
    return size > bound ? bound / size : 1.0;
}

static Parts split(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law, int state)
{
    const double *g = pbdrGetColumn(items, ITEM_STATE + 4 * state), *w = pbdrGetColumn(items, ITEM_WEIGHT);
    Parts parts = {.load = 0.0};
    for (int i = law->first; i < law->first + law->count; i++) {
        parts.load += fmax(0.0, -law->k * w[i] * g[i]);
    }
    const pbdrVec3 q = rolling->q[state];
    parts.spin = pbdrScale(pbdrDot(q, rolling->normal), rolling->normal);
    parts.roll = pbdrSub(q, parts.spin);
    parts.rollSize = pbdrLength(parts.roll);
    double spinSize = pbdrLength(parts.spin);
    parts.rollShare = getShare(parts.rollSize, rolling->roll * parts.load);
    parts.spinShare = getShare(spinSize, rolling->spin * parts.load);
    parts.rollSlips = parts.rollShare < 1.0;
    parts.spinSlips = parts.spinShare < 1.0;
    return parts;
}

static pbdrVec3 getMoment(const Parts* parts)
{
    return pbdrAddScaled(pbdrScale(parts->rollShare, parts->roll), parts->spinShare, parts->spin);
}

static double getStiffness(const pbdrRolling* rolling, const pbdrPatchLaw* law)
{
    return law->k * rolling->lever * rolling->lever;
}

static void addOuter(pbdrBlock6* block, double s, pbdrVec3 a, pbdrVec3 b)
{
    const double left[3] = {a.x, a.y, a.z}, right[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; k++) {
        block->m[3 + k / 3][3 + k % 3] += s * left[k / 3] * right[k % 3];
    }
}

// s (1 - n n^T)
static void addAcross(pbdrBlock6* block, double s, pbdrVec3 n)
{
    for (int k = 0; k < 3; k++) {
        block->m[3 + k][3 + k] += s;
    }
    addOuter(block, -s, n, n);
}

void pbdrStartRolling(pbdrRolling* rolling, const pbdrPatchLaw* law, pbdrVec3 normal, pbdrVec3 turn,
                      pbdrVec3 carried, int state)
{
    rolling->normal = normal;
    rolling->hold = carried;
    rolling->q[state] = pbdrAddScaled(carried, -getStiffness(rolling, law), turn);
}

void pbdrStepRolling(pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law, pbdrVec3 turn,
                     int from, int to, pbdrPatchForce* force)
{
    rolling->q[to] = pbdrAddScaled(rolling->q[from], -getStiffness(rolling, law), turn);
    const Parts parts = split(rolling, items, law, to);
    const pbdrVec3 moment = getMoment(&parts);
    const double m[3] = {moment.x, moment.y, moment.z};
    for (int k = 0; k < 3; k++) {
        force->moment[k] += m[k];
    }
    force->size += pbdrLength(moment) / rolling->lever;
}

void pbdrStiffenRolling(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law,
                        int state, pbdrBlock6* block)
{
    const Parts parts = split(rolling, items, law, state);
    if (parts.load <= 0.0) {
        return;
    }
    const double kappa = getStiffness(rolling, law);
    // where it slips, the moment goes with the load: by `along` per newton
    pbdrVec3 along = {0.0, 0.0, 0.0};
    addAcross(block, kappa * parts.rollShare, rolling->normal);
    if (parts.rollSlips && parts.rollSize > 0.0) {
        pbdrVec3 s = pbdrScale(1.0 / parts.rollSize, parts.roll);
        addOuter(block, -kappa * parts.rollShare, s, s);
        along = pbdrAddScaled(along, rolling->roll, s);
    }
    if (!parts.spinSlips) {
        addOuter(block, kappa, rolling->normal, rolling->normal);
    } else {
        double side = pbdrDot(parts.spin, rolling->normal) > 0.0 ? 1.0 : -1.0;
        along = pbdrAddScaled(along, side * rolling->spin, rolling->normal);
    }
    // sum k w (n, r x n) over what bears load
    const double *g = pbdrGetColumn(items, ITEM_STATE + 4 * state), *w = pbdrGetColumn(items, ITEM_WEIGHT);
    pbdrVec3 linear = {0.0, 0.0, 0.0}, angular = {0.0, 0.0, 0.0};
    for (int i = law->first; i < law->first + law->count; i++) {
        if (g[i] < 0.0) {
            pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i);
            linear = pbdrAddScaled(linear, law->k * w[i], n);
            angular =
                pbdrAddScaled(angular, law->k * w[i], pbdrCross(pbdrReadColumns(items, ITEM_LEVER, i), n));
        }
    }
    const double row[3] = {along.x, along.y, along.z};
    const double column[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    for (int k = 0; k < 18; k++) {
        block->m[3 + k / 6][k % 6] += row[k / 6] * column[k % 6];
    }
}

// The part of a turn that sticking forbids.
static pbdrVec3 keepStuck(const pbdrRolling* rolling, const Parts* parts, pbdrVec3 turn)
{
    pbdrVec3 spin = pbdrScale(pbdrDot(turn, rolling->normal), rolling->normal), roll = pbdrSub(turn, spin);
    double on = parts->load > 0.0 ? 1.0 : 0.0;
    return pbdrAddScaled(pbdrScale(parts->rollSlips ? 0.0 : on, roll), parts->spinSlips ? 0.0 : on, spin);
}

void pbdrMeasureRolling(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law,
                        int state, pbdrPatchRest* rest)
{
    const Parts parts = split(rolling, items, law, state);
    pbdrVec3 turn = pbdrScale(1.0 / getStiffness(rolling, law), pbdrSub(rolling->hold, rolling->q[state]));
    pbdrVec3 stuck = keepStuck(rolling, &parts, turn);
    rest->slip = fmax(rest->slip, rolling->lever * pbdrLength(stuck));
}

void pbdrHoldRolling(pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law, int state)
{
    const Parts parts = split(rolling, items, law, state);
    const pbdrVec3 turned = pbdrSub(rolling->hold, rolling->q[state]); // kappa phi
    rolling->hold = getMoment(&parts);
    rolling->q[state] = pbdrSub(rolling->hold, turned);
}

void pbdrSoftenRolling(pbdrRolling* rolling, double factor, int state)
{
    const pbdrVec3 turned = pbdrSub(rolling->hold, rolling->q[state]);
    rolling->q[state] = pbdrAddScaled(rolling->hold, -factor, turned);
}

pbdrVec3 pbdrGetRollingMoment(const pbdrRolling* rolling, const pbdrItems* items, const pbdrPatchLaw* law,
                              int state)
{
    const Parts parts = split(rolling, items, law, state);
    return getMoment(&parts);
}
