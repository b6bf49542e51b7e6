// XPBD-R's loops over contact items against the contact law written out (contact_law.h has the symbols).
#include "engine/xpbdr/kernels.h"
#include "inside.h"
#include "scenes.h"
#include "surfaces.h"

#define CAPACITY 24
#define COUNT 21 // the last block has padding
#define STIFFNESS 2.0e5
#define FRICTION 0.6

// --- Columns to work on ---

// Freed with its columns.
static pbdrItems makeItems(void)
{
    pbdrItems items = {.count = CAPACITY, .capacity = CAPACITY, .columnCount = ITEM_COLUMNS};
    items.columns = aligned_alloc(64, (size_t)ITEM_COLUMNS * CAPACITY * sizeof(double));
    memset(items.columns, 0, (size_t)ITEM_COLUMNS * CAPACITY * sizeof(double));
    return items;
}

static pbdrItems copyItems(const pbdrItems* from)
{
    pbdrItems items = makeItems();
    memcpy(items.columns, from->columns, (size_t)ITEM_COLUMNS * CAPACITY * sizeof(double));
    return items;
}

static bool haveSameColumns(const pbdrItems* a, const pbdrItems* b)
{
    return memcmp(a->columns, b->columns, (size_t)ITEM_COLUMNS * CAPACITY * sizeof(double)) == 0;
}

static double* at(const pbdrItems* items, int column, int item)
{
    return pbdrGetColumn(items, column) + item;
}

static pbdrVec3 across(pbdrVec3 a, pbdrVec3 n)
{
    return pbdrAddScaled(a, -pbdrDot(a, n), n);
}

// Items in all states: loaded or not, sticking or slipping, none of them near where it changes.
static void fillItems(const pbdrItems* items, int state)
{
    for (int i = 0; i < CAPACITY; i++) {
        if (i >= COUNT) {
            *at(items, ITEM_WEIGHT, i) = 1.0;
            *at(items, ITEM_STATE + 4 * state, i) = 1.0e30;
            *at(items, ITEM_AHEAD, i) = 1.0e30;
            *at(items, ITEM_RADIUS, i) = -1.0e30;
            continue;
        }
        const pbdrVec3 n = makeUnit(randomVec(1.0));
        const double weight = randomIn(0.1, 1.0), sign = i % 3 == 0 ? 1.0 : -1.0;
        const double g = sign * randomIn(1.0e-4, 1.0e-3);
        const double bound = FRICTION * STIFFNESS * weight * fmax(-g, 0.0);
        const double frozen = i % 5 == 0 ? 0.0 : randomIn(5.0, 20.0);
        // well inside or well outside of both bounds
        double p = i % 2 == 0 ? 0.3 * fmin(bound, frozen) : 3.0 * fmax(bound, frozen) + 1.0;
        *at(items, ITEM_WEIGHT, i) = weight;
        *at(items, ITEM_RADIUS, i) = randomIn(0.0, 0.02);
        *at(items, ITEM_BOUND, i) = frozen;
        *at(items, ITEM_BEFORE, i) = i % 4 < 2 ? 1.0 : 0.0;
        *at(items, ITEM_AHEAD, i) = randomIn(-1.0e-3, 1.0e-3);
        *at(items, ITEM_STATE + 4 * state, i) = g;
        pbdrWriteColumns(items, ITEM_REST, i, randomVec(0.1));
        pbdrWriteColumns(items, ITEM_FRICTION, i, randomVec(3.0));
        pbdrWriteColumns(items, ITEM_NORMAL, i, n);
        pbdrWriteColumns(items, ITEM_LEVER, i, randomVec(0.1));
        pbdrWriteColumns(items, ITEM_LEVER_B, i, randomVec(0.2));
        pbdrWriteColumns(items, ITEM_HOLD, i, across(randomVec(10.0), n));
        pbdrWriteColumns(items, ITEM_STATE + 4 * state + 1, i,
                         pbdrScale(p, makeUnit(across(randomVec(1.0), n))));
    }
}

// Laws to try: one- and two-sided, with free and with frozen bounds.
#define LAW_COUNT 4
static pbdrPatchLaw makeLaw(int k)
{
    return (pbdrPatchLaw){
        .first = 0,
        .count = COUNT,
        .twoSided = k % 2 == 1,
        .k = STIFFNESS,
        .mu = FRICTION,
        .frozen = k / 2 == 1,
        .normal = makeUnit(pbdrVec(0.1, -0.2, 1.0)),
        .restNormal = makeUnit(pbdrVec(-0.3, 0.1, 1.0)),
        .height = 0.03,
        .turn = pbdrMatFromQuat((pbdrQuat){0.5, 0.5, -0.5, 0.5}),
        .timeStep = 1.0e-3,
    };
}

static pbdrTwist randomTwist(double size)
{
    return pbdrMakeTwist(randomVec(size), randomVec(10.0 * size));
}

static const pbdrKernels* getKernels(pbdrSimd simd)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.simd = simd;
    pbdrWorld* world = makeWorld(def);
    const pbdrKernels* kernels = ((pbdrXpbdrWorld*)world->engineState)->kernels;
    pbdrDestroyWorld(world);
    return kernels;
}

// --- The law by hand ---

typedef struct Contact {
    double k, g, force, bound;
    pbdrVec3 n, leverA, leverB, p, f, friction;
    bool loaded, slips;
} Contact;

// An item at a state after a further move of A and B.
static Contact look(const pbdrItems* items, const pbdrPatchLaw* law, int state, int i, const pbdrTwist* a,
                    const pbdrTwist* b)
{
    Contact c = {
        .k = law->k * *at(items, ITEM_WEIGHT, i),
        .n = pbdrReadColumns(items, ITEM_NORMAL, i),
        .leverA = pbdrReadColumns(items, ITEM_LEVER, i),
        .leverB = pbdrReadColumns(items, ITEM_LEVER_B, i),
    };
    pbdrVec3 move = pbdrAdd(pbdrGetLinear(a), pbdrCross(pbdrGetAngular(a), c.leverA));
    if (law->twoSided) {
        move = pbdrSub(move, pbdrAdd(pbdrGetLinear(b), pbdrCross(pbdrGetAngular(b), c.leverB)));
    }
    c.g = *at(items, ITEM_STATE + 4 * state, i) + pbdrDot(c.n, move);
    c.p = pbdrAddScaled(pbdrReadColumns(items, ITEM_STATE + 4 * state + 1, i), -c.k, across(move, c.n));
    c.force = fmax(0.0, -c.k * c.g);
    c.loaded = c.force > 0.0;
    c.bound = law->frozen ? *at(items, ITEM_BOUND, i) : law->mu * c.force;
    const double length = pbdrLength(c.p);
    c.slips = length > c.bound;
    c.friction = c.slips ? pbdrScale(c.bound / length, c.p) : c.p;
    c.f = pbdrAddScaled(c.friction, c.force, c.n);
    return c;
}

// Forces on A and on B, and the sum of their sizes.
typedef struct Total {
    double a[6], b[6], size;
} Total;

static void addWrench(double sum[6], double s, pbdrVec3 lever, pbdrVec3 f)
{
    const pbdrVec3 moment = pbdrCross(lever, f);
    const double wrench[6] = {f.x, f.y, f.z, moment.x, moment.y, moment.z};
    for (int k = 0; k < 6; k++) {
        sum[k] += s * wrench[k];
    }
}

static Total sumForces(const pbdrItems* items, const pbdrPatchLaw* law, int state, const pbdrTwist* a,
                       const pbdrTwist* b)
{
    Total total = {.size = 0.0};
    for (int i = 0; i < law->count; i++) {
        const Contact c = look(items, law, state, i, a, b);
        addWrench(total.a, 1.0, c.leverA, c.f);
        addWrench(total.b, -1.0, c.leverB, c.f);
        total.size += c.force + pbdrLength(c.friction);
    }
    return total;
}

static void checkVec(pbdrVec3 value, pbdrVec3 wanted, double tolerance)
{
    CHECK_NEAR(value.x, wanted.x, tolerance);
    CHECK_NEAR(value.y, wanted.y, tolerance);
    CHECK_NEAR(value.z, wanted.z, tolerance);
}

static void checkForce(const pbdrPatchForce* force, bool twoSided, const double a[6], const double b[6],
                       double tolerance)
{
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(force->force[k], a[k], tolerance);
        CHECK_NEAR(force->momentA[k], a[3 + k], tolerance);
        CHECK_NEAR(force->momentB[k], twoSided ? b[3 + k] : 0.0, tolerance);
    }
}

// --- Tests ---

static void prepare__places_items_over_a_plane(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    seedSurfaces(1);
    pbdrItems items = makeItems();
    fillItems(&items, 0);
    const pbdrPatchLaw law = makeLaw(0);
    const pbdrTwist velocity = randomTwist(0.3), lag = randomTwist(1.0e-4);
    kernels->preparePatch(&items, &law, &velocity, &lag, 1);
    int deep = 0;
    for (int i = 0; i < COUNT; i++) {
        const pbdrVec3 q = pbdrReadColumns(&items, ITEM_REST, i), n = law.normal;
        const double radius = *at(&items, ITEM_RADIUS, i), dt = law.timeStep;
        const pbdrVec3 r = pbdrAddScaled(pbdrMulMV(&law.turn, q), -radius, n);
        const pbdrVec3 v = pbdrAdd(pbdrGetLinear(&velocity), pbdrCross(pbdrGetAngular(&velocity), r));
        const pbdrVec3 squeeze = pbdrAdd(pbdrGetLinear(&lag), pbdrCross(pbdrGetAngular(&lag), r));
        double gap = law.height + pbdrDot(law.restNormal, q) - radius;
        deep += gap < -PBDR_RECOVERY_SPEED * dt;
        gap = fmax(gap, -PBDR_RECOVERY_SPEED * dt);
        const double ahead = gap + dt * pbdrDot(n, v);
        const pbdrVec3 hold = across(pbdrReadColumns(&items, ITEM_FRICTION, i), n);
        const double k = law.k * *at(&items, ITEM_WEIGHT, i);
        checkVec(pbdrReadColumns(&items, ITEM_NORMAL, i), n, 0.0);
        checkVec(pbdrReadColumns(&items, ITEM_LEVER, i), r, 1e-16);
        checkVec(pbdrReadColumns(&items, ITEM_HOLD, i), hold, 1e-15);
        CHECK_NEAR(*at(&items, ITEM_AHEAD, i), ahead, 1e-17);
        CHECK_NEAR(*at(&items, ITEM_STATE + 4, i), ahead + pbdrDot(n, squeeze), 1e-17);
        checkVec(pbdrReadColumns(&items, ITEM_STATE + 5, i), pbdrAddScaled(hold, -k * dt, across(v, n)),
                 1e-12);
    }
    CHECK_GE(deep, 3);
    for (int i = COUNT; i < CAPACITY; i++) {
        CHECK_GE(*at(&items, ITEM_STATE + 4, i), 1.0e29);
        CHECK_EQ(pbdrLength(pbdrReadColumns(&items, ITEM_LEVER, i)), 0.0);
    }
    free(items.columns);
}

static void step__is_the_law(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 5 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(10 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, 0);
        const pbdrTwist a = randomTwist(3.0e-5), b = randomTwist(3.0e-5);
        pbdrPatchForce force = {.size = 0.0};
        kernels->stepPatch(&items, &law, &a, &b, 0, 1, &force);
        const Total total = sumForces(&items, &law, 0, &a, &b);
        checkForce(&force, law.twoSided, total.a, total.b, 1e-14 * total.size);
        CHECK_NEAR(force.size, total.size, 1e-14 * total.size);
        for (int i = 0; i < COUNT; i++) {
            const Contact c = look(&items, &law, 0, i, &a, &b);
            CHECK_NEAR(*at(&items, ITEM_STATE + 4, i), c.g, 1e-18);
            checkVec(pbdrReadColumns(&items, ITEM_STATE + 5, i), c.p, 1e-13 * total.size);
        }
        free(items.columns);
    }
}

// Of the forces on a side (0: A, 1: B) for a further move of one, at a state; central.
static void differ(const pbdrItems* items, const pbdrPatchLaw* law, int side, int moved, pbdrBlock6* block)
{
    const double h = 1.0e-9;
    for (int j = 0; j < 6; j++) {
        pbdrTwist move = pbdrStill;
        move.v[j] = h;
        const pbdrTwist back = pbdrScaleTwist(-1.0, &move);
        const Total after =
            sumForces(items, law, 0, moved == 0 ? &move : &pbdrStill, moved == 1 ? &move : &pbdrStill);
        const Total before =
            sumForces(items, law, 0, moved == 0 ? &back : &pbdrStill, moved == 1 ? &back : &pbdrStill);
        for (int i = 0; i < 6; i++) {
            block->m[i][j] =
                side == 0 ? (after.a[i] - before.a[i]) / (2.0 * h) : (after.b[i] - before.b[i]) / (2.0 * h);
        }
    }
}

static double getLargest(const pbdrBlock6* block)
{
    double largest = 0.0;
    for (int k = 0; k < 36; k++) {
        largest = fmax(largest, fabs(block->m[k / 6][k % 6]));
    }
    return largest;
}

// The Jacobian is exact: J_left^T K J_right are the derivatives of the forces, with the signs of the sides.
static void stiffen__is_the_derivative_of_step(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    const int levers[2] = {ITEM_LEVER, ITEM_LEVER_B};
    for (int round = 0; round < 3 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(50 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, 0);
        int states = 0;
        for (int i = 0; i < COUNT; i++) {
            const Contact c = look(&items, &law, 0, i, &pbdrStill, &pbdrStill);
            states |= 1 << ((c.loaded ? 2 : 0) + (c.slips ? 1 : 0));
        }
        CHECK_EQ(states & 12, 12); // loaded items that stick and that slip
        for (int side = 0; side < (law.twoSided ? 2 : 1); side++) {
            for (int moved = 0; moved < (law.twoSided ? 2 : 1); moved++) {
                pbdrBlock6 block = {{{0.0}}}, wanted;
                kernels->stiffenPatch(&items, &law, 0, levers[side], levers[moved], &block);
                differ(&items, &law, side, moved, &wanted);
                const double sign = side == moved ? -1.0 : 1.0, size = getLargest(&wanted);
                double worst = 0.0;
                for (int k = 0; k < 36; k++) {
                    worst = fmax(worst, fabs(block.m[k / 6][k % 6] - sign * wanted.m[k / 6][k % 6]));
                }
                CHECK_LE(worst, 1e-7 * size);
                // it adds
                kernels->stiffenPatch(&items, &law, 0, levers[side], levers[moved], &block);
                CHECK_NEAR(block.m[0][0], 2.0 * sign * wanted.m[0][0], 1e-6 * size);
            }
        }
        free(items.columns);
    }
}

// J_left^T K J_right of one direction d with the weight w: w (d, r x d) (d, r x d)^T.
static void addDirection(pbdrBlock6* block, double w, pbdrVec3 d, pbdrVec3 left, pbdrVec3 right)
{
    double column[6] = {0.0}, row[6] = {0.0};
    addWrench(column, w, left, d);
    addWrench(row, 1.0, right, d);
    for (int k = 0; k < 36; k++) {
        block->m[k / 6][k % 6] += column[k / 6] * row[k % 6];
    }
}

static void hold__weighs_normals_and_what_sticks(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    const int levers[2] = {ITEM_LEVER, ITEM_LEVER_B};
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(80 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, 1);
        for (int side = 0; side < 2; side++) {
            for (int moved = 0; moved < 2; moved++) {
                pbdrBlock6 block = {{{0.0}}}, wanted = {{{0.0}}};
                kernels->holdPatch(&items, &law, 1, levers[side], levers[moved], &block);
                for (int i = 0; i < COUNT; i++) {
                    const Contact c = look(&items, &law, 1, i, &pbdrStill, &pbdrStill);
                    const pbdrVec3 left = pbdrReadColumns(&items, levers[side], i);
                    const pbdrVec3 right = pbdrReadColumns(&items, levers[moved], i);
                    const double w = *at(&items, ITEM_WEIGHT, i);
                    const pbdrVec3 s = makeUnit(across(pbdrVec(0.3, 0.5, -0.7), c.n));
                    if (c.loaded) {
                        addDirection(&wanted, w, c.n, left, right);
                    }
                    if (c.loaded && !c.slips) {
                        addDirection(&wanted, w, s, left, right);
                        addDirection(&wanted, w, pbdrCross(c.n, s), left, right);
                    }
                }
                for (int k = 0; k < 36; k++) {
                    CHECK_NEAR(block.m[k / 6][k % 6], wanted.m[k / 6][k % 6], 1e-13 * COUNT);
                }
            }
        }
        free(items.columns);
    }
}

// What is left of gaps and slips, and the multiplier's update.
static void measure_and_shift__follow_the_law(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(120 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, 0);
        const pbdrTwist lagA = randomTwist(3.0e-5), lagB = randomTwist(3.0e-5);
        double a[6] = {0.0}, b[6] = {0.0}, largestGap = 0.0, largestSlip = 0.0;
        pbdrItems old = copyItems(&items);
        for (int i = 0; i < COUNT; i++) {
            const Contact c = look(&items, &law, 0, i, &pbdrStill, &pbdrStill);
            const Contact moved = look(&items, &law, 0, i, &lagA, &lagB); // g + n.J Y
            const double gap = c.loaded ? c.g - (moved.g - c.g) : 0.0, w = *at(&items, ITEM_WEIGHT, i);
            pbdrVec3 slip = {0.0, 0.0, 0.0};
            if (c.loaded && !c.slips) {
                slip = pbdrScale(1.0 / c.k, pbdrSub(pbdrReadColumns(&items, ITEM_HOLD, i), c.p));
            }
            addWrench(a, w, c.leverA, pbdrAddScaled(slip, gap, c.n));
            addWrench(b, -w, c.leverB, pbdrAddScaled(slip, gap, c.n));
            largestGap = fmax(largestGap, fabs(gap));
            largestSlip = fmax(largestSlip, pbdrLength(slip));
        }
        pbdrPatchRest rest = {.gap = 1e-9, .slip = 1e-9};
        kernels->measurePatch(&items, &law, &lagA, &lagB, 0, &rest);
        CHECK_NEAR(rest.gap, largestGap, 1e-17);
        CHECK_NEAR(rest.slip, largestSlip, 1e-17);
        checkForce(&rest.wanted, law.twoSided, a, b, 1e-16);
        CHECK(haveSameColumns(&items, &old));
        kernels->shiftPatch(&items, &law, &lagA, &lagB, 0);
        for (int i = 0; i < COUNT; i++) {
            const Contact c = look(&old, &law, 0, i, &pbdrStill, &pbdrStill);
            const Contact moved = look(&old, &law, 0, i, &lagA, &lagB); // p - k J_t z
            const pbdrVec3 kSlip = pbdrSub(pbdrReadColumns(&old, ITEM_HOLD, i), c.p);
            const pbdrVec3 p = pbdrAdd(pbdrSub(c.friction, kSlip), pbdrSub(c.p, moved.p));
            checkVec(pbdrReadColumns(&items, ITEM_HOLD, i), c.friction, 1e-12);
            checkVec(pbdrReadColumns(&items, ITEM_STATE + 1, i), p, 1e-11);
            CHECK_EQ(*at(&items, ITEM_STATE, i), c.g);
        }
        free(items.columns);
        free(old.columns);
    }
}

static void finish__writes_forces_and_what_movers_need(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(160 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, 1);
        const pbdrTwist lagA = randomTwist(1.0e-4), lagB = randomTwist(1.0e-4);
        double gap = 0.0, slip = 0.0, fresh = 0.0, old = 0.0;
        pbdrPatchEnd end = {0};
        kernels->finishPatch(&items, &law, &lagA, &lagB, 1, &end);
        for (int i = 0; i < COUNT; i++) {
            const Contact c = look(&items, &law, 1, i, &pbdrStill, &pbdrStill);
            const Contact moved = look(&items, &law, 1, i, &lagA, &lagB);
            const double left = c.g - (moved.g - c.g);
            gap = fmax(gap, c.loaded ? fabs(left) : -left);
            if (c.loaded && !c.slips) {
                slip = fmax(slip, pbdrLength(pbdrSub(pbdrReadColumns(&items, ITEM_HOLD, i), c.p)) / c.k);
            }
            const double mean = c.loaded ? 0.5 * (*at(&items, ITEM_AHEAD, i) + left) : 0.0;
            const bool before = *at(&items, ITEM_BEFORE, i) > 0.0;
            old = before ? fmin(old, mean) : old;
            fresh = before ? fresh : fmin(fresh, mean);
            checkVec(pbdrReadColumns(&items, ITEM_FORCE, i), c.f, 1e-12);
            checkVec(pbdrReadColumns(&items, ITEM_FRICTION, i), c.friction, 1e-12);
            CHECK_EQ(*at(&items, ITEM_TOUCHED, i), c.loaded ? 1.0 : 0.0);
        }
        CHECK_NEAR(end.gap, gap, 1e-17);
        CHECK_NEAR(end.slip, slip, 1e-17);
        CHECK_NEAR(end.fresh, fresh, 1e-17);
        CHECK_NEAR(end.old, old, 1e-17);
        CHECK_LE(fmax(fresh, old), -1e-5);
        CHECK(end.loaded);
        // nothing loaded
        for (int i = 0; i < COUNT; i++) {
            *at(&items, ITEM_STATE + 4, i) = 1.0;
        }
        end = (pbdrPatchEnd){0};
        kernels->finishPatch(&items, &law, &pbdrStill, &pbdrStill, 1, &end);
        CHECK(!end.loaded && end.gap == 0.0 && end.fresh == 0.0 && end.old == 0.0);
        free(items.columns);
    }
}

// All kernels one after the other on the same columns: scalar code and AVX2 give the same bits.
static void twins__give_the_same_bits(void)
{
    if (!pbdrIsSimdSupported(pbdr_simdAvx2)) {
        SKIP("this CPU has no AVX2");
    }
    const pbdrKernels* twins[2] = {getKernels(pbdr_simdScalar), getKernels(pbdr_simdAvx2)};
    CHECK(twins[0] != twins[1]);
    for (int round = 0; round < 10 * LAW_COUNT; round++) {
        pbdrItems items[2];
        pbdrPatchForce forces[2] = {{.size = 0.0}, {.size = 0.0}};
        pbdrBlock6 stiff[2] = {{{{0.0}}}, {{{0.0}}}}, held[2] = {{{{0.0}}}, {{{0.0}}}};
        pbdrPatchRest rests[2] = {{.gap = 0.0}, {.gap = 0.0}};
        pbdrPatchEnd ends[2];
        memset(ends, 0, sizeof ends);
        for (int k = 0; k < 2; k++) {
            seedSurfaces((uint64_t)(200 + round));
            const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
            items[k] = makeItems();
            fillItems(&items[k], 0);
            const pbdrTwist velocity = randomTwist(0.3), a = randomTwist(3.0e-5), b = randomTwist(3.0e-5);
            if (round % 2 == 0) {
                twins[k]->preparePatch(&items[k], &law, &velocity, &a, 0);
            }
            twins[k]->stepPatch(&items[k], &law, &a, &b, 0, 1, &forces[k]);
            twins[k]->stiffenPatch(&items[k], &law, 1, ITEM_LEVER, ITEM_LEVER_B, &stiff[k]);
            twins[k]->holdPatch(&items[k], &law, 1, ITEM_LEVER_B, ITEM_LEVER, &held[k]);
            twins[k]->measurePatch(&items[k], &law, &a, &b, 1, &rests[k]);
            twins[k]->shiftPatch(&items[k], &law, &b, &a, 1);
            twins[k]->finishPatch(&items[k], &law, &a, &b, 1, &ends[k]);
        }
        CHECK(haveSameColumns(&items[0], &items[1]));
        CHECK(memcmp(&forces[0], &forces[1], sizeof forces[0]) == 0);
        CHECK(memcmp(&stiff[0], &stiff[1], sizeof stiff[0]) == 0);
        CHECK(memcmp(&held[0], &held[1], sizeof held[0]) == 0);
        CHECK(memcmp(&rests[0], &rests[1], sizeof rests[0]) == 0);
        CHECK(ends[0].gap == ends[1].gap && ends[0].slip == ends[1].slip && ends[0].loaded == ends[1].loaded);
        CHECK(ends[0].fresh == ends[1].fresh && ends[0].old == ends[1].old);
        free(items[0].columns);
        free(items[1].columns);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"prepare__places_items_over_a_plane", prepare__places_items_over_a_plane},
          {"step__is_the_law", step__is_the_law},
          {"stiffen__is_the_derivative_of_step", stiffen__is_the_derivative_of_step},
          {"hold__weighs_normals_and_what_sticks", hold__weighs_normals_and_what_sticks},
          {"measure_and_shift__follow_the_law", measure_and_shift__follow_the_law},
          {"finish__writes_forces_and_what_movers_need", finish__writes_forces_and_what_movers_need},
          {"twins__give_the_same_bits", twins__give_the_same_bits});
}
