// XPBD-R's loops over contact items against the contact law written out (contact_law.h has the symbols).
#include "engine/xpbdr/kernels.h"
#include "inside.h"
#include "scenes.h"
#include "surfaces.h"
#include "unit/xpbdr_kernels.h"

#define CAPACITY 32
#define FIRST 8
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

// Items in all states: loaded or not, sticking or slipping, none of them near where it changes. Those before FIRST
// belong to another patch.
static void fillItems(const pbdrItems* items, const pbdrPatchLaw* law, int state)
{
    for (int i = 0; i < CAPACITY; i++) {
        if (i >= law->first + law->count) {
            *at(items, ITEM_WEIGHT, i) = 1.0;
            *at(items, ITEM_STATE + 4 * state, i) = 1.0e30;
            *at(items, ITEM_AHEAD, i) = 1.0e30;
            *at(items, ITEM_RADIUS, i) = -1.0e30;
            continue;
        }
        const pbdrVec3 n = makeUnit(randomVec(1.0));
        const double weight = randomIn(0.1, 1.0), sign = i % 3 == 0 ? 1.0 : -1.0;
        const double g = sign * randomIn(1.0e-4, 1.0e-3);
        const double bound = law->mu * STIFFNESS * weight * fmax(-g, 0.0);
        // well inside or well outside of its bound
        double p = i % 2 == 0 ? 0.3 * bound : 3.0 * bound + 1.0;
        *at(items, ITEM_WEIGHT, i) = weight;
        *at(items, ITEM_RADIUS, i) = randomIn(0.0, 0.02);
        *at(items, ITEM_BEFORE, i) = i % 4 < 2 ? 1.0 : 0.0;
        *at(items, ITEM_AHEAD, i) = randomIn(-1.0e-3, 1.0e-3);
        *at(items, ITEM_STATE + 4 * state, i) = g;
        pbdrWriteColumns(items, ITEM_REST, i, randomVec(0.1));
        pbdrWriteColumns(items, ITEM_FRICTION, i, randomVec(3.0));
        pbdrWriteColumns(items, ITEM_NORMAL, i, n);
        pbdrWriteColumns(items, ITEM_LEVER, i, randomVec(0.1));
        pbdrWriteColumns(items, ITEM_HOLD, i, across(randomVec(10.0), n));
        pbdrWriteColumns(items, ITEM_STATE + 4 * state + 1, i,
                         pbdrScale(p, makeUnit(across(randomVec(1.0), n))));
    }
}

// Laws to try: from the first item or behind another patch, with much friction and with little.
#define LAW_COUNT 4
static pbdrPatchLaw makeLaw(int k)
{
    return (pbdrPatchLaw){
        .first = k % 2 == 1 ? FIRST : 0,
        .count = COUNT,
        .k = STIFFNESS,
        .mu = k / 2 == 1 ? 0.2 * FRICTION : FRICTION,
        .normal = makeUnit(pbdrVec(0.1, -0.2, 1.0)),
        .restNormal = makeUnit(pbdrVec(-0.3, 0.1, 1.0)),
        .height = 0.03,
        .turn = pbdrMatFromQuat((pbdrQuat){0.5, 0.5, -0.5, 0.5}),
        .timeStep = 1.0e-3,
    };
}

static pbdrTwist randomTwist(double size)
{
    pbdrVec3 linear = randomVec(size), angular = randomVec(10.0 * size);
    return pbdrMakeTwist(linear, angular);
}

// --- The law by hand ---

typedef struct Contact {
    double k, g, force, bound;
    pbdrVec3 n, lever, p, f, friction;
    bool loaded, slips;
} Contact;

// u + w x r
static pbdrVec3 movePoint(const pbdrTwist* twist, pbdrVec3 lever)
{
    return pbdrAdd(pbdrGetLinear(twist), pbdrCross(pbdrGetAngular(twist), lever));
}

// An item at a state after its point of A has moved against B's.
static Contact lookMoved(const pbdrItems* items, const pbdrPatchLaw* law, int state, int i, pbdrVec3 move)
{
    Contact c = {
        .k = law->k * *at(items, ITEM_WEIGHT, i),
        .n = pbdrReadColumns(items, ITEM_NORMAL, i),
        .lever = pbdrReadColumns(items, ITEM_LEVER, i),
    };
    c.g = *at(items, ITEM_STATE + 4 * state, i) + pbdrDot(c.n, move);
    c.p = pbdrAddScaled(pbdrReadColumns(items, ITEM_STATE + 4 * state + 1, i), -c.k, across(move, c.n));
    c.force = fmax(0.0, -c.k * c.g);
    c.loaded = c.force > 0.0;
    c.bound = law->mu * c.force;
    const double length = pbdrLength(c.p);
    c.slips = length > c.bound;
    c.friction = c.slips ? pbdrScale(c.bound / length, c.p) : c.p;
    c.f = pbdrAddScaled(c.friction, c.force, c.n);
    return c;
}

static Contact look(const pbdrItems* items, const pbdrPatchLaw* law, int state, int i)
{
    return lookMoved(items, law, state, i, pbdrVec(0.0, 0.0, 0.0));
}

static int getEnd(const pbdrPatchLaw* law)
{
    return law->first + law->count;
}

// Two bodies that move: A's centre of mass less B's, and their steps.
typedef struct Moves {
    pbdrVec3 between;
    pbdrTwist a, b;
} Moves;

static Moves randomMoves(double size)
{
    Moves moves = {.between = randomVec(0.3)};
    moves.a = randomTwist(size);
    moves.b = randomTwist(size);
    return moves;
}

// Of an item's point: A's less B's, each about its own centre of mass.
static pbdrVec3 getMove(const pbdrItems* items, const Moves* moves, int i)
{
    const pbdrVec3 lever = pbdrReadColumns(items, ITEM_LEVER, i);
    return pbdrSub(movePoint(&moves->a, lever), movePoint(&moves->b, pbdrAdd(lever, moves->between)));
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

static Total sumForces(const pbdrItems* items, const pbdrPatchLaw* law, int state, const Moves* moves)
{
    Total total = {.size = 0.0};
    for (int i = law->first; i < getEnd(law); i++) {
        const Contact c = lookMoved(items, law, state, i, getMove(items, moves, i));
        addWrench(total.a, 1.0, c.lever, c.f);
        addWrench(total.b, -1.0, pbdrAdd(c.lever, moves->between), c.f);
        total.size += c.force + pbdrLength(c.friction);
    }
    return total;
}

// What a multiplier compresses an item by: never an extension.
static double compress(const pbdrItems* items, const pbdrTwist* lag, int i)
{
    const pbdrVec3 n = pbdrReadColumns(items, ITEM_NORMAL, i), lever = pbdrReadColumns(items, ITEM_LEVER, i);
    return fmin(0.0, pbdrDot(n, movePoint(lag, lever)));
}

static void checkVec(pbdrVec3 value, pbdrVec3 wanted, double tolerance)
{
    CHECK_NEAR(value.x, wanted.x, tolerance);
    CHECK_NEAR(value.y, wanted.y, tolerance);
    CHECK_NEAR(value.z, wanted.z, tolerance);
}

static void checkForce(const pbdrPatchForce* force, const double wanted[6], double tolerance)
{
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(force->force[k], wanted[k], tolerance);
        CHECK_NEAR(force->moment[k], wanted[3 + k], tolerance);
    }
}

// Only the columns from `first` on, as many as that, of the patch's items and its padding may differ.
static void checkOthersKept(const pbdrItems* items, const pbdrItems* old, const pbdrPatchLaw* law, int first,
                            int count)
{
    int changed = 0;
    for (int column = 0; column < ITEM_COLUMNS; column++) {
        for (int i = 0; i < CAPACITY; i++) {
            const bool own = column >= first && column < first + count && i >= law->first;
            changed += !own && *at(items, column, i) != *at(old, column, i);
        }
    }
    CHECK_EQ(changed, 0);
}

// --- Tests ---

static void prepare__places_items_over_a_plane(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 2; round++) {
        seedSurfaces((uint64_t)(1 + round));
        pbdrItems items = makeItems();
        const pbdrPatchLaw law = makeLaw(round);
        fillItems(&items, &law, 0);
        const pbdrTwist velocity = randomTwist(0.3);
        // turns more than it moves: presses some and frees others
        const pbdrTwist lag = pbdrMakeTwist(randomVec(1.0e-5), randomVec(1.0e-3));
        kernels->preparePatch(&items, &law, &velocity, &lag, 1);
        int deep = 0, pressed = 0;
        for (int i = law.first; i < getEnd(&law); i++) {
            const pbdrVec3 q = pbdrReadColumns(&items, ITEM_REST, i), n = law.normal;
            const double radius = *at(&items, ITEM_RADIUS, i), dt = law.timeStep;
            const pbdrVec3 r = pbdrAddScaled(pbdrMulMV(&law.turn, q), -radius, n),
                           v = movePoint(&velocity, r);
            const double squeeze = pbdrDot(n, movePoint(&lag, r));
            double gap = law.height + pbdrDot(law.restNormal, q) - radius;
            deep += gap < -PBDR_RECOVERY_SPEED * dt;
            pressed += squeeze < 0.0;
            gap = fmax(gap, -PBDR_RECOVERY_SPEED * dt);
            const double ahead = gap + dt * pbdrDot(n, v);
            const pbdrVec3 hold = across(pbdrReadColumns(&items, ITEM_FRICTION, i), n);
            const double k = law.k * *at(&items, ITEM_WEIGHT, i);
            checkVec(pbdrReadColumns(&items, ITEM_NORMAL, i), n, 0.0);
            checkVec(pbdrReadColumns(&items, ITEM_LEVER, i), r, 1e-16);
            checkVec(pbdrReadColumns(&items, ITEM_HOLD, i), hold, 1e-15);
            CHECK_NEAR(*at(&items, ITEM_AHEAD, i), ahead, 1e-17);
            CHECK_NEAR(*at(&items, ITEM_STATE + 4, i), ahead + fmin(squeeze, 0.0), 1e-17);
            checkVec(pbdrReadColumns(&items, ITEM_STATE + 5, i), pbdrAddScaled(hold, -k * dt, across(v, n)),
                     1e-12);
        }
        CHECK_GE(deep, 3);
        CHECK(pressed >= 3 && pressed <= COUNT - 3);
        for (int i = getEnd(&law); i < law.first + 24; i++) {
            CHECK_GE(*at(&items, ITEM_STATE + 4, i), 1.0e29);
            CHECK_EQ(pbdrLength(pbdrReadColumns(&items, ITEM_LEVER, i)), 0.0);
        }
        free(items.columns);
    }
}

// The step of A less B as A sees it moves every point as both steps do, and the forces on A, moved to B and turned
// round, are those on B.
static void step__is_the_law(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 5 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(10 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 0);
        pbdrItems old = copyItems(&items);
        const Moves moves = randomMoves(3.0e-5);
        const pbdrTwist step = pbdrSubtractTwist(&moves.a, &moves.b, moves.between);
        pbdrPatchForce force = {.size = 0.0};
        kernels->stepPatch(&items, &law, &step, 0, 1, &force);
        checkOthersKept(&items, &old, &law, ITEM_STATE + 4, 4);
        const Total total = sumForces(&items, &law, 0, &moves);
        checkForce(&force, total.a, 1e-14 * total.size);
        CHECK_NEAR(force.size, total.size, 1e-14 * total.size);
        const pbdrVec3 pull = pbdrVec(force.force[0], force.force[1], force.force[2]);
        const pbdrVec3 moment = pbdrVec(force.moment[0], force.moment[1], force.moment[2]);
        checkVec(pbdrScale(-1.0, pbdrAdd(moment, pbdrCross(moves.between, pull))),
                 pbdrVec(total.b[3], total.b[4], total.b[5]), 1e-14 * total.size);
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact c = lookMoved(&items, &law, 0, i, getMove(&items, &moves, i));
            CHECK_NEAR(*at(&items, ITEM_STATE + 4, i), c.g, 1e-18);
            checkVec(pbdrReadColumns(&items, ITEM_STATE + 5, i), c.p, 1e-13 * total.size);
        }
        // it adds, and a state may be stepped in place
        kernels->stepPatch(&items, &law, &pbdrStill, 1, 1, &force);
        CHECK_NEAR(force.size, 2.0 * total.size, 1e-13 * total.size);
        free(items.columns);
        free(old.columns);
    }
}

// Of the forces on A for a further move of A, at a state; central.
static void differ(const pbdrItems* items, const pbdrPatchLaw* law, pbdrBlock6* block)
{
    const double h = 1.0e-9;
    for (int j = 0; j < 6; j++) {
        Moves moves = {.between = {0.0, 0.0, 0.0}, .a = pbdrStill, .b = pbdrStill};
        moves.a.v[j] = h;
        const Total after = sumForces(items, law, 0, &moves);
        moves.a.v[j] = -h;
        const Total before = sumForces(items, law, 0, &moves);
        for (int i = 0; i < 6; i++) {
            block->m[i][j] = (after.a[i] - before.a[i]) / (2.0 * h);
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

// Largest |a - s b|
static double getDifference(const pbdrBlock6* a, double s, const pbdrBlock6* b)
{
    double largest = 0.0;
    for (int k = 0; k < 36; k++) {
        largest = fmax(largest, fabs(a->m[k / 6][k % 6] - s * b->m[k / 6][k % 6]));
    }
    return largest;
}

// The Jacobian is exact: J^T K J are the derivatives of the forces.
static void stiffen__is_the_derivative_of_step(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 3 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(50 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 0);
        int states = 0;
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact c = look(&items, &law, 0, i);
            states |= 1 << ((c.loaded ? 2 : 0) + (c.slips ? 1 : 0));
        }
        CHECK_EQ(states & 12, 12); // loaded items that stick and that slip
        pbdrBlock6 block = {{{0.0}}}, wanted;
        kernels->stiffenPatch(&items, &law, 0, &block);
        differ(&items, &law, &wanted);
        const double size = getLargest(&wanted);
        CHECK_LE(getDifference(&block, -1.0, &wanted), 1e-7 * size);
        // it adds
        const pbdrBlock6 once = block;
        kernels->stiffenPatch(&items, &law, 0, &block);
        CHECK_LE(getDifference(&block, 2.0, &once), 1e-14 * size);
        free(items.columns);
    }
}

// s a b^T
static void addProduct(pbdrMat3* to, double s, pbdrVec3 a, pbdrVec3 b)
{
    const double left[3] = {a.x, a.y, a.z}, right[3] = {b.x, b.y, b.z};
    for (int k = 0; k < 9; k++) {
        to->m[k / 3][k % 3] += s * left[k / 3] * right[k % 3];
    }
}

// J^T K J with J = [1, -[r]x]
static void addStiffness(pbdrBlock6* block, const pbdrMat3* stiffness, pbdrVec3 lever)
{
    for (int j = 0; j < 6; j++) {
        pbdrTwist move = pbdrStill;
        move.v[j] = 1.0;
        double column[6] = {0.0};
        addWrench(column, 1.0, lever, pbdrMulMV(stiffness, movePoint(&move, lever)));
        for (int i = 0; i < 6; i++) {
            block->m[i][j] += column[i];
        }
    }
}

// An item's K, with what the law alters in the Jacobian only: near items bear load by their normals, but do not rub.
static pbdrMat3 getStiffness(const Contact* c, const pbdrPatchLaw* law)
{
    pbdrMat3 stiffness = {{{0.0}}};
    const double length = pbdrLength(c->p);
    if (c->g < law->near) {
        addProduct(&stiffness, c->k, c->n, c->n);
    }
    if (c->loaded) {
        const double share = c->slips ? c->bound / length : 1.0;
        for (int k = 0; k < 3; k++) {
            stiffness.m[k][k] += c->k * share;
        }
        addProduct(&stiffness, -c->k * share, c->n, c->n);
        if (c->slips) {
            const pbdrVec3 s = pbdrScale(1.0 / length, c->p);
            addProduct(&stiffness, c->k, s, pbdrAddScaled(pbdrScale(law->mu, c->n), -share, s));
        }
    }
    return stiffness;
}

static void stiffen__takes_near_for_loaded(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(80 + round));
        pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        law.near = round / LAW_COUNT % 2 == 0 ? 0.0 : 6.0e-4;
        pbdrItems items = makeItems();
        fillItems(&items, &law, 1);
        pbdrBlock6 block = {{{0.0}}}, wanted = {{{0.0}}};
        int near = 0, slipping = 0;
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact c = look(&items, &law, 1, i);
            const pbdrMat3 stiffness = getStiffness(&c, &law);
            addStiffness(&wanted, &stiffness, c.lever);
            near += !c.loaded && c.g < law.near;
            slipping += c.slips && c.loaded;
        }
        kernels->stiffenPatch(&items, &law, 1, &block);
        CHECK_LE(getDifference(&block, 1.0, &wanted), 1e-14 * COUNT * law.k);
        CHECK(law.near > 0.0 ? near >= 1 : near == 0);
        CHECK_GE(slipping, 3);
        free(items.columns);
    }
}

// The largest end gap of a loaded item and slip of a sticking one; and the displacement that would fit those gaps best.
static void measure_and_fit__see_what_is_left(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(120 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 0);
        pbdrItems old = copyItems(&items);
        const pbdrTwist lag = randomTwist(1.0e-3);
        double wantedFit[6] = {0.0}, largestGap = 0.0, largestSlip = 0.0;
        pbdrBlock6 block = {{{0.0}}}, wanted = {{{0.0}}};
        int pressed = 0, loaded = 0;
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact c = look(&items, &law, 0, i);
            const double gap = c.g - compress(&items, &lag, i), w = *at(&items, ITEM_WEIGHT, i);
            if (!c.loaded) {
                continue;
            }
            pbdrMat3 stiffness = {{{0.0}}};
            addProduct(&stiffness, w, c.n, c.n);
            addStiffness(&wanted, &stiffness, c.lever);
            addWrench(wantedFit, w * gap, c.lever, c.n);
            largestGap = fmax(largestGap, fabs(gap));
            if (!c.slips) {
                const pbdrVec3 hold = pbdrReadColumns(&items, ITEM_HOLD, i);
                largestSlip = fmax(largestSlip, pbdrLength(pbdrSub(hold, c.p)) / c.k);
            }
            pressed += compress(&items, &lag, i) < 0.0;
            loaded++;
        }
        CHECK(pressed >= 2 && pressed <= loaded - 2);
        pbdrPatchRest rest = {.gap = 1e-9, .slip = 1e-9};
        kernels->measurePatch(&items, &law, &lag, 0, &rest);
        CHECK_NEAR(rest.gap, largestGap, 1e-17);
        CHECK_NEAR(rest.slip, largestSlip, 1e-17);
        rest = (pbdrPatchRest){.gap = 1.0, .slip = 2.0}; // the largest of several patches
        kernels->measurePatch(&items, &law, &lag, 0, &rest);
        CHECK(rest.gap == 1.0 && rest.slip == 2.0);
        pbdrPatchForce fit = {.size = 3.0};
        kernels->fitPatch(&items, &law, &lag, 0, &block, &fit);
        CHECK_LE(getDifference(&block, 1.0, &wanted), 1e-14 * COUNT);
        checkForce(&fit, wantedFit, 1e-14 * COUNT * largestGap);
        CHECK_EQ(fit.size, 3.0);
        const pbdrBlock6 once = block;
        const pbdrPatchForce fitOnce = fit;
        kernels->fitPatch(&items, &law, &lag, 0, &block, &fit); // it adds
        CHECK_LE(getDifference(&block, 2.0, &once), 1e-14 * COUNT);
        CHECK_NEAR(fit.moment[1], 2.0 * fitOnce.moment[1], 1e-14 * COUNT * largestGap);
        CHECK(haveSameColumns(&items, &old));
        free(items.columns);
        free(old.columns);
    }
}

// Gaps that a displacement z opened: the least squares give it back.
static void fit__finds_a_displacement(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(140 + round));
        const pbdrPatchLaw law = makeLaw(round);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 0);
        const pbdrTwist lag = randomTwist(1.0e-3), z = randomTwist(1.0e-4);
        for (int i = law.first; i < getEnd(&law); i++) {
            const pbdrVec3 n = pbdrReadColumns(&items, ITEM_NORMAL, i),
                           r = pbdrReadColumns(&items, ITEM_LEVER, i);
            // where this is above zero the item bears no load and does not count
            *at(&items, ITEM_STATE, i) = compress(&items, &lag, i) + pbdrDot(n, movePoint(&z, r));
        }
        pbdrBlock6 block = {{{0.0}}};
        pbdrPatchForce wanted = {.size = 0.0};
        kernels->fitPatch(&items, &law, &lag, 0, &block, &wanted);
        for (int i = 0; i < 6; i++) {
            double left = i < 3 ? wanted.force[i] : wanted.moment[i - 3];
            for (int j = 0; j < 6; j++) {
                left -= block.m[i][j] * z.v[j];
            }
            CHECK_NEAR(left, 0.0, 1e-14 * COUNT * 2.0e-4);
        }
        CHECK_GE(block.m[0][0], 0.5);
        free(items.columns);
    }
}

// The multiplier of normal forces changes g by what compresses more; a prepared patch may so be given another.
static void press__changes_the_compression(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(150 + round));
        const pbdrPatchLaw law = makeLaw(round);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 0);
        pbdrItems old = copyItems(&items);
        const pbdrTwist lag = randomTwist(1.0e-3), newLag = randomTwist(1.0e-3), velocity = randomTwist(0.3);
        kernels->pressPatch(&items, &law, &lag, &newLag, 0);
        checkOthersKept(&items, &old, &law, ITEM_STATE, 1);
        int kinds = 0;
        for (int i = law.first; i < getEnd(&law); i++) {
            const double from = compress(&old, &lag, i), to = compress(&old, &newLag, i);
            CHECK_NEAR(*at(&items, ITEM_STATE, i), *at(&old, ITEM_STATE, i) + to - from, 1e-18);
            kinds |= 1 << ((from < 0.0 ? 2 : 0) + (to < 0.0 ? 1 : 0));
        }
        CHECK_EQ(kinds, 15); // pressed before, after, both, neither
        kernels->preparePatch(&items, &law, &velocity, &lag, 0);
        kernels->preparePatch(&items, &law, &velocity, &newLag, 1);
        kernels->pressPatch(&items, &law, &lag, &newLag, 0);
        for (int i = law.first; i < getEnd(&law); i++) {
            // two roundings more of a gap of less than 0.25 m
            CHECK_NEAR(*at(&items, ITEM_STATE, i), *at(&items, ITEM_STATE + 4, i), 3e-17);
        }
        free(items.columns);
        free(old.columns);
    }
}

// Sums over the patch's own items: padding has a weight, and over planes a normal, but bears nothing.
static void weigh__sums_over_the_patch(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(170 + round));
        const pbdrPatchLaw law = makeLaw(round);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 0);
        pbdrTwist lag = randomTwist(1.0e-3), velocity = randomTwist(0.3);
        const pbdrTwist in = pbdrMakeTwist(law.normal, pbdrVec(0.0, 0.0, 0.0));
        pbdrAddTwist(&lag, -2.0e-3, &in);
        if (round % 2 == 1) {
            kernels->preparePatch(&items, &law, &velocity, &lag, 0);
        }
        double bore = 0.0, presses = 0.0, last = 1.0, now = 2.0;
        for (int i = law.first; i < getEnd(&law); i++) {
            const pbdrVec3 force = randomVec(10.0);
            pbdrWriteColumns(&items, ITEM_FORCE, i, force);
            bore += fmax(0.0, pbdrDot(force, pbdrReadColumns(&items, ITEM_NORMAL, i)));
            presses -= law.k * *at(&items, ITEM_WEIGHT, i) * compress(&items, &lag, i);
        }
        pbdrItems old = copyItems(&items);
        kernels->weighPatch(&items, &law, &lag, &last, &now);
        CHECK(haveSameColumns(&items, &old));
        CHECK_NEAR(last, 1.0 + bore, 1e-14 * bore);
        CHECK_NEAR(now, 2.0 + presses, 1e-14 * presses);
        CHECK(bore > 10.0 && presses > 10.0);
        free(items.columns);
        free(old.columns);
    }
}

// p = T - k w slip: k changes and the slip stays, or T becomes the friction and both stay.
static void soften_and_hold__keep_the_slip(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(155 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        const int state = round / LAW_COUNT;
        pbdrItems items = makeItems();
        fillItems(&items, &law, state);
        pbdrItems old = copyItems(&items);
        pbdrPatchLaw softer = law;
        softer.k /= 8.0;
        kernels->softenPatch(&items, &softer, 1.0 / 8.0, state);
        checkOthersKept(&items, &old, &law, ITEM_STATE + 4 * state + 1, 3);
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact before = look(&old, &law, state, i), after = look(&items, &softer, state, i);
            const pbdrVec3 hold = pbdrReadColumns(&old, ITEM_HOLD, i);
            checkVec(pbdrScale(1.0 / after.k, pbdrSub(hold, after.p)),
                     pbdrScale(1.0 / before.k, pbdrSub(hold, before.p)), 1e-17);
        }
        free(items.columns);
        items = copyItems(&old);
        kernels->holdPatch(&items, &law, state);
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact c = look(&old, &law, state, i);
            const pbdrVec3 kSlip = pbdrSub(pbdrReadColumns(&old, ITEM_HOLD, i), c.p);
            checkVec(pbdrReadColumns(&items, ITEM_HOLD, i), c.friction, 1e-12);
            checkVec(pbdrReadColumns(&items, ITEM_STATE + 4 * state + 1, i), pbdrSub(c.friction, kSlip),
                     1e-11);
            CHECK_EQ(*at(&items, ITEM_STATE + 4 * state, i), c.g);
            // all else stays
            pbdrWriteColumns(&items, ITEM_HOLD, i, pbdrReadColumns(&old, ITEM_HOLD, i));
        }
        checkOthersKept(&items, &old, &law, ITEM_STATE + 4 * state + 1, 3);
        free(items.columns);
        free(old.columns);
    }
}

static void finish__writes_forces_and_what_movers_need(void)
{
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    double widest = 0.0;
    for (int round = 0; round < 2 * LAW_COUNT; round++) {
        seedSurfaces((uint64_t)(170 + round));
        const pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
        pbdrItems items = makeItems();
        fillItems(&items, &law, 1);
        const pbdrTwist lag = randomTwist(2.0e-4);
        double gap = 0.0, slip = 0.0, fresh = 0.0, old = 0.0, opened = 0.0;
        pbdrPatchEnd end = {0};
        kernels->finishPatch(&items, &law, &lag, 1, &end);
        for (int i = law.first; i < getEnd(&law); i++) {
            const Contact c = look(&items, &law, 1, i);
            const double left = c.g - compress(&items, &lag, i);
            gap = fmax(gap, c.loaded ? fabs(left) : -left);
            if (c.loaded && !c.slips) {
                slip = fmax(slip, pbdrLength(pbdrSub(pbdrReadColumns(&items, ITEM_HOLD, i), c.p)) / c.k);
            }
            const double mean = c.loaded ? 0.5 * (*at(&items, ITEM_AHEAD, i) + left) : 0.0;
            const bool before = *at(&items, ITEM_BEFORE, i) > 0.0;
            old = before ? fmin(old, mean) : old;
            opened = before ? fmax(opened, mean) : opened;
            fresh = before ? fresh : fmin(fresh, mean);
            checkVec(pbdrReadColumns(&items, ITEM_FORCE, i), c.f, 1e-12);
            checkVec(pbdrReadColumns(&items, ITEM_FRICTION, i), c.friction, 1e-12);
            CHECK_EQ(*at(&items, ITEM_TOUCHED, i), c.loaded ? 1.0 : 0.0);
        }
        CHECK_NEAR(end.gap, gap, 1e-17);
        CHECK_NEAR(end.slip, slip, 1e-17);
        CHECK_NEAR(end.fresh, fresh, 1e-17);
        CHECK_NEAR(end.old, old, 1e-17);
        CHECK_NEAR(end.opened, opened, 1e-17);
        widest = fmax(widest, opened);
        CHECK_LE(fmax(fresh, old), -1e-5);
        CHECK(end.loaded);
        // nothing loaded
        for (int i = law.first; i < getEnd(&law); i++) {
            *at(&items, ITEM_STATE + 4, i) = 1.0;
        }
        end = (pbdrPatchEnd){0};
        kernels->finishPatch(&items, &law, &pbdrStill, 1, &end);
        CHECK(!end.loaded && end.gap == 0.0 && end.fresh == 0.0 && end.old == 0.0 && end.opened == 0.0);
        free(items.columns);
    }
    CHECK_GE(widest, 1e-4); // some rounds open nothing that touched
}

// What all kernels give, one after the other on the same columns.
typedef struct Outcome {
    pbdrItems items;
    pbdrPatchForce force, fit;
    pbdrBlock6 stiff, fitted;
    pbdrPatchRest rest;
    pbdrPatchEnd end;
} Outcome;

static void runAll(const pbdrKernels* kernels, int round, Outcome* outcome)
{
    seedSurfaces((uint64_t)(200 + round));
    pbdrPatchLaw law = makeLaw(round % LAW_COUNT);
    law.near = round % 3 == 0 ? 6.0e-4 : 0.0;
    memset(outcome, 0, sizeof *outcome);
    outcome->items = makeItems();
    const pbdrItems* items = &outcome->items;
    fillItems(items, &law, 0);
    const pbdrTwist velocity = randomTwist(0.3), step = randomTwist(3.0e-5), lag = randomTwist(1.0e-4);
    if (round / LAW_COUNT % 2 == 0) {
        kernels->preparePatch(items, &law, &velocity, &lag, 0);
    }
    kernels->stepPatch(items, &law, &step, 0, 1, &outcome->force);
    kernels->stiffenPatch(items, &law, 1, &outcome->stiff);
    kernels->measurePatch(items, &law, &lag, 1, &outcome->rest);
    kernels->fitPatch(items, &law, &lag, 1, &outcome->fitted, &outcome->fit);
    kernels->pressPatch(items, &law, &lag, &step, 1);
    kernels->softenPatch(items, &law, 0.3, 1);
    kernels->holdPatch(items, &law, 1);
    kernels->finishPatch(items, &law, &step, 1, &outcome->end);
}

// Scalar code and AVX2 give the same bits.
static void twins__give_the_same_bits(void)
{
    if (!pbdrIsSimdSupported(pbdr_simdAvx2)) {
        SKIP("this CPU has no AVX2");
    }
    const pbdrKernels* twins[2] = {getKernels(pbdr_simdScalar), getKernels(pbdr_simdAvx2)};
    CHECK(twins[0] != twins[1]);
    for (int round = 0; round < 10 * LAW_COUNT; round++) {
        Outcome a, b;
        runAll(twins[0], round, &a);
        runAll(twins[1], round, &b);
        CHECK(haveSameColumns(&a.items, &b.items));
        CHECK(memcmp(&a.force, &b.force, sizeof a.force) == 0);
        CHECK(memcmp(&a.fit, &b.fit, sizeof a.fit) == 0);
        CHECK(memcmp(&a.stiff, &b.stiff, sizeof a.stiff) == 0);
        CHECK(memcmp(&a.fitted, &b.fitted, sizeof a.fitted) == 0);
        CHECK(memcmp(&a.rest, &b.rest, sizeof a.rest) == 0);
        CHECK(a.end.gap == b.end.gap && a.end.slip == b.end.slip && a.end.loaded == b.end.loaded);
        CHECK(a.end.fresh == b.end.fresh && a.end.old == b.end.old && a.end.opened == b.end.opened);
        free(a.items.columns);
        free(b.items.columns);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"prepare__places_items_over_a_plane", prepare__places_items_over_a_plane},
          {"step__is_the_law", step__is_the_law},
          {"stiffen__is_the_derivative_of_step", stiffen__is_the_derivative_of_step},
          {"stiffen__takes_near_for_loaded", stiffen__takes_near_for_loaded},
          {"measure_and_fit__see_what_is_left", measure_and_fit__see_what_is_left},
          {"fit__finds_a_displacement", fit__finds_a_displacement},
          {"press__changes_the_compression", press__changes_the_compression},
          {"weigh__sums_over_the_patch", weigh__sums_over_the_patch},
          {"soften_and_hold__keep_the_slip", soften_and_hold__keep_the_slip},
          {"finish__writes_forces_and_what_movers_need", finish__writes_forces_and_what_movers_need},
          {"twins__give_the_same_bits", twins__give_the_same_bits});
}
