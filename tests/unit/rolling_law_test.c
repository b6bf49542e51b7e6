// Rolling and spinning friction of a patch (engine/xpbdr/rolling.h) against its law written out.
#include "engine/xpbdr/rolling.h"
#include "surfaces.h"

#define COUNT 8
#define STIFFNESS 1.0e5
#define LEVER 0.05

// Room for one patch: g, weights, normals and levers are all that rolling friction reads.
typedef struct Patch {
    pbdrItems items;
    pbdrPatchLaw law;
    pbdrRolling rolling;
    double columns[ITEM_COLUMNS * COUNT];
} Patch;

// roll, spin: |q_r| and |q_s| over their bounds mu F.
static void fillPatch(Patch* patch, double roll, double spin)
{
    *patch = (Patch){.law = {.count = COUNT, .k = STIFFNESS}};
    patch->items = (pbdrItems){.count = COUNT, .capacity = COUNT, .columnCount = ITEM_COLUMNS};
    patch->items.columns = patch->columns;
    double load = 0.0;
    for (int i = 0; i < COUNT; i++) {
        const double g = (i % 3 == 0 ? 1.0 : -1.0) * randomIn(1e-4, 1e-3), w = randomIn(0.2, 1.0);
        pbdrGetColumn(&patch->items, ITEM_STATE)[i] = g;
        pbdrGetColumn(&patch->items, ITEM_WEIGHT)[i] = w;
        pbdrWriteColumns(&patch->items, ITEM_NORMAL, i, makeUnit(randomVec(1.0)));
        pbdrWriteColumns(&patch->items, ITEM_LEVER, i, randomVec(0.1));
        load += fmax(0.0, -STIFFNESS * w * g);
    }
    const pbdrVec3 n = makeUnit(randomVec(1.0)), side = randomVec(1.0);
    const pbdrVec3 along = makeUnit(pbdrAddScaled(side, -pbdrDot(side, n), n));
    patch->rolling = (pbdrRolling){.active = true, .roll = 0.01, .spin = 0.004, .lever = LEVER, .normal = n};
    patch->rolling.q[0] = pbdrAddScaled(pbdrScale(roll * 0.01 * load, along), -spin * 0.004 * load, n);
    patch->rolling.hold = randomVec(0.1);
}

// Both below, both above, and one of each.
static const double sizes[4][2] = {{0.4, 0.3}, {2.0, 3.0}, {2.0, 0.3}, {0.4, 3.0}};

// The moment after a further move of A less B, and the sum of normal forces.
static pbdrVec3 getMoment(const Patch* patch, const pbdrTwist* move, double* load)
{
    *load = 0.0;
    for (int i = 0; i < COUNT; i++) {
        const pbdrVec3 r = pbdrReadColumns(&patch->items, ITEM_LEVER, i);
        const pbdrVec3 way = pbdrAdd(pbdrGetLinear(move), pbdrCross(pbdrGetAngular(move), r));
        const double g = pbdrGetColumn(&patch->items, ITEM_STATE)[i] +
                         pbdrDot(pbdrReadColumns(&patch->items, ITEM_NORMAL, i), way);
        *load += fmax(0.0, -STIFFNESS * pbdrGetColumn(&patch->items, ITEM_WEIGHT)[i] * g);
    }
    const pbdrRolling* rolling = &patch->rolling;
    const pbdrVec3 q = pbdrAddScaled(rolling->q[0], -STIFFNESS * LEVER * LEVER, pbdrGetAngular(move));
    const double spin = pbdrDot(q, rolling->normal);
    const pbdrVec3 roll = pbdrAddScaled(q, -spin, rolling->normal);
    const double most = rolling->roll * *load, length = pbdrLength(roll);
    const double kept = fmin(fmax(spin, -rolling->spin * *load), rolling->spin * *load);
    return pbdrAddScaled(length > most ? pbdrScale(most / length, roll) : roll, kept, rolling->normal);
}

static void checkVec(pbdrVec3 value, pbdrVec3 wanted, double tolerance)
{
    CHECK_NEAR(value.x, wanted.x, tolerance);
    CHECK_NEAR(value.y, wanted.y, tolerance);
    CHECK_NEAR(value.z, wanted.z, tolerance);
}

static void start__takes_the_turn_back(void)
{
    static Patch patch;
    seedSurfaces(1);
    fillPatch(&patch, 1.0, 1.0);
    const pbdrVec3 n = makeUnit(randomVec(1.0)), turn = randomVec(0.01), carried = randomVec(1.0);
    pbdrStartRolling(&patch.rolling, &patch.law, n, turn, carried, 1);
    checkVec(patch.rolling.normal, n, 0.0);
    checkVec(patch.rolling.hold, carried, 0.0);
    checkVec(patch.rolling.q[1], pbdrAddScaled(carried, -STIFFNESS * LEVER * LEVER, turn), 1e-14);
}

static void step__is_the_law(void)
{
    static Patch patch;
    for (int k = 0; k < 12; k++) {
        seedSurfaces((uint64_t)(10 + k));
        fillPatch(&patch, sizes[k % 4][0], sizes[k % 4][1]);
        pbdrTwist turn = pbdrMakeTwist(pbdrVec(0.0, 0.0, 0.0), randomVec(1e-4));
        double load;
        memcpy(pbdrGetColumn(&patch.items, ITEM_STATE + 4), pbdrGetColumn(&patch.items, ITEM_STATE),
               COUNT * sizeof(double));
        // the items have been moved before: only q moves here
        Patch still = patch;
        still.items.columns = still.columns;
        for (int i = 0; i < COUNT; i++) {
            pbdrWriteColumns(&still.items, ITEM_LEVER, i, pbdrVec(0.0, 0.0, 0.0));
        }
        const pbdrVec3 wanted = getMoment(&still, &turn, &load);
        pbdrPatchForce force = {.moment = {1.0, 2.0, 3.0}, .size = 7.0};
        pbdrStepRolling(&patch.rolling, &patch.items, &patch.law, pbdrGetAngular(&turn), 0, 1, &force);
        checkVec(pbdrVec(force.moment[0], force.moment[1], force.moment[2]),
                 pbdrAdd(wanted, pbdrVec(1.0, 2.0, 3.0)), 1e-13);
        CHECK_NEAR(force.size, 7.0 + pbdrLength(wanted) / LEVER, 1e-11);
        CHECK_EQ(force.force[0], 0.0);
        checkVec(pbdrGetRollingMoment(&patch.rolling, &patch.items, &patch.law, 1), wanted, 1e-13);
        CHECK_GE(pbdrLength(wanted), 1e-3);
    }
}

// The Jacobian: of the moment over the turn, and over the load that the move brings.
static void stiffen__is_the_derivative_of_the_moment(void)
{
    static Patch patch;
    for (int k = 0; k < 24; k++) {
        seedSurfaces((uint64_t)(40 + k));
        fillPatch(&patch, sizes[k % 4][0], (k % 8 < 4 ? 1.0 : -1.0) * sizes[k % 4][1]);
        pbdrBlock6 block = {{{0.0}}};
        pbdrStiffenRolling(&patch.rolling, &patch.items, &patch.law, 0, &block);
        const double h = 1e-9;
        double worst = 0.0, size = 0.0, force = 0.0, load;
        for (int j = 0; j < 6; j++) {
            pbdrTwist move = pbdrStill;
            move.v[j] = h;
            const pbdrTwist back = pbdrScaleTwist(-1.0, &move);
            const pbdrVec3 change = pbdrSub(getMoment(&patch, &back, &load), getMoment(&patch, &move, &load));
            const double wanted[3] = {change.x / (2.0 * h), change.y / (2.0 * h), change.z / (2.0 * h)};
            for (int i = 0; i < 3; i++) {
                worst = fmax(worst, fabs(block.m[3 + i][j] - wanted[i]));
                size = fmax(size, fabs(wanted[i]));
                force = fmax(force, fabs(block.m[i][j]));
            }
        }
        CHECK_LE(worst, 1e-6 * size);
        CHECK_GE(size, 1.0);
        CHECK_EQ(force, 0.0);
    }
}

// The multiplier's update: turns that stick are seen, what slips is left alone.
static void hold_and_measure__see_what_sticks(void)
{
    static Patch patch;
    for (int k = 0; k < 4; k++) {
        seedSurfaces((uint64_t)(90 + k));
        fillPatch(&patch, sizes[k][0], sizes[k][1]);
        const pbdrVec3 n = patch.rolling.normal;
        const double rolls = sizes[k][0] > 1.0 ? 0.0 : 1.0, spins = sizes[k][1] > 1.0 ? 0.0 : 1.0;
        const pbdrVec3 turned =
            pbdrScale(1.0 / (STIFFNESS * LEVER * LEVER), pbdrSub(patch.rolling.hold, patch.rolling.q[0]));
        const pbdrVec3 spin = pbdrScale(pbdrDot(turned, n), n);
        const pbdrVec3 stuck = pbdrAddScaled(pbdrScale(rolls, pbdrSub(turned, spin)), spins, spin);
        pbdrPatchRest rest = {.slip = 1e-12};
        pbdrMeasureRolling(&patch.rolling, &patch.items, &patch.law, 0, &rest);
        CHECK_NEAR(rest.slip, fmax(1e-12, LEVER * pbdrLength(stuck)), 1e-17);
        double load;
        const pbdrVec3 moment = getMoment(&patch, &pbdrStill, &load);
        // k by a factor: q = T - kappa phi
        const pbdrVec3 q = patch.rolling.q[0], hold = patch.rolling.hold;
        pbdrSoftenRolling(&patch.rolling, 0.25, 0);
        checkVec(patch.rolling.q[0], pbdrAddScaled(hold, -0.25, pbdrSub(hold, q)), 1e-13);
        pbdrSoftenRolling(&patch.rolling, 4.0, 0);
        // T = M, q = T - kappa phi
        pbdrHoldRolling(&patch.rolling, &patch.items, &patch.law, 0);
        checkVec(patch.rolling.hold, moment, 1e-12);
        checkVec(patch.rolling.q[0], pbdrAddScaled(moment, -STIFFNESS * LEVER * LEVER, turned), 1e-11);
    }
}

// Without load there is no moment, no stiffness and nothing to hold.
static void load__is_needed(void)
{
    static Patch patch;
    seedSurfaces(3);
    fillPatch(&patch, 1.0, 1.0);
    for (int i = 0; i < COUNT; i++) {
        pbdrGetColumn(&patch.items, ITEM_STATE)[i] = 1e-6;
    }
    pbdrBlock6 block = {{{0.0}}};
    pbdrPatchRest rest = {.gap = 0.0};
    pbdrStiffenRolling(&patch.rolling, &patch.items, &patch.law, 0, &block);
    pbdrMeasureRolling(&patch.rolling, &patch.items, &patch.law, 0, &rest);
    for (int i = 0; i < 36; i++) {
        CHECK_EQ(block.m[i / 6][i % 6], 0.0);
    }
    CHECK_EQ(rest.slip, 0.0);
    CHECK_EQ(pbdrLength(pbdrGetRollingMoment(&patch.rolling, &patch.items, &patch.law, 0)), 0.0);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"start__takes_the_turn_back", start__takes_the_turn_back},
          {"step__is_the_law", step__is_the_law},
          {"stiffen__is_the_derivative_of_the_moment", stiffen__is_the_derivative_of_the_moment},
          {"hold_and_measure__see_what_sticks", hold_and_measure__see_what_sticks},
          {"load__is_needed", load__is_needed});
}
