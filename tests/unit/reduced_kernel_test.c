// The reduced engine's contact with planes against the law of PBD written out.
#include "inside.h"
#include "scenes.h"
#include "surfaces.h"

#define CAPACITY 24
#define COUNT 19 // the last block has padding

static pbdrItems makeItems(void)
{
    pbdrItems items = {.count = CAPACITY, .capacity = CAPACITY, .columnCount = ITEM_SCRATCH};
    const size_t size = (size_t)ITEM_SCRATCH * CAPACITY * sizeof(double);
    items.columns = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(items.columns, 0, size);
    for (int i = 0; i < CAPACITY; i++) {
        pbdrGetColumn(&items, ITEM_RADIUS)[i] = i < COUNT ? randomIn(0.005, 0.02) : -1.0e30;
        pbdrGetColumn(&items, ITEM_MASS)[i] = i < COUNT ? randomIn(0.1, 2.0) : 0.0;
        if (i < COUNT) {
            pbdrWriteColumns(&items, ITEM_REST, i, randomVec(0.1));
            pbdrWriteColumns(&items, ITEM_FORCE, i, randomVec(1.0));
        }
    }
    return items;
}

static pbdrPlaneView makeView(double friction)
{
    pbdrPlaneView view = {
        .normal = makeUnit(randomVec(1.0)),
        .height = 0.02,
        .friction = friction,
        .drift = randomVec(0.05),
        .rate = randomMatrix(),
        .timeStep = 1.0e-3,
        .relaxation = 0.9,
    };
    const pbdrMat3 frame = randomMatrix();
    view.restNormal = pbdrMulTransposedMV(&frame, view.normal);
    return view;
}

static const pbdrReducedKernels* getKernels(pbdrSimd simd)
{
    pbdrWorldDef def = makePbdRDef();
    def.engine = pbdr_engineReduced;
    def.simd = simd;
    pbdrWorld* world = makeWorld(def);
    const pbdrReducedKernels* kernels = ((pbdrReducedWorld*)world->engineState)->kernels;
    pbdrDestroyWorld(world);
    return kernels;
}

static void shove__is_the_law(void)
{
    const pbdrReducedKernels* kernels = getKernels(pbdr_simdScalar);
    int touching = 0, sliding = 0, stopping = 0;
    for (int round = 0; round < 20; round++) {
        seedSurfaces((uint64_t)(1 + round));
        pbdrItems items = makeItems();
        const pbdrPlaneView view = makeView(round % 2 == 0 ? 0.4 : 0.004);
        pbdrVec3 before[COUNT];
        for (int i = 0; i < COUNT; i++) {
            before[i] = pbdrReadColumns(&items, ITEM_FORCE, i);
        }
        pbdrShove shove = {{1.0, 2.0, 3.0}, {{4.0}}};
        bool any = kernels->shovePatch(&items, 0, COUNT, &view, &shove);
        double linear[3] = {1.0, 2.0, 3.0}, spread[3][3] = {{4.0}};
        int touches = 0;
        for (int i = 0; i < COUNT; i++) {
            const pbdrVec3 q = pbdrReadColumns(&items, ITEM_REST, i), n = view.normal;
            const double m = pbdrGetColumn(&items, ITEM_MASS)[i];
            const double gap =
                view.height + pbdrDot(view.restNormal, q) - pbdrGetColumn(&items, ITEM_RADIUS)[i];
            CHECK_EQ(pbdrGetColumn(&items, ITEM_TOUCHED)[i], gap <= 0.0 ? 1.0 : 0.0);
            pbdrVec3 push = {0.0, 0.0, 0.0};
            if (gap <= 0.0) {
                const pbdrVec3 v = pbdrAdd(view.drift, pbdrMulMV(&view.rate, q));
                const pbdrVec3 slip = pbdrAddScaled(v, -pbdrDot(n, v), n);
                const double speed = pbdrLength(slip),
                             way = fmin(-view.friction * gap, speed * view.timeStep);
                push = pbdrAddScaled(pbdrScale(-gap, n), -way / speed, slip);
                push = pbdrScale(m * view.relaxation, push);
                touches++;
                sliding += way < speed * view.timeStep;
                stopping += !(way < speed * view.timeStep);
            }
            const double row[3] = {push.x, push.y, push.z}, rest[3] = {q.x, q.y, q.z};
            for (int k = 0; k < 9; k++) {
                linear[k / 3] += k % 3 == 0 ? row[k / 3] : 0.0;
                spread[k / 3][k % 3] += row[k / 3] * rest[k % 3];
            }
            const pbdrVec3 force = pbdrReadColumns(&items, ITEM_FORCE, i);
            const pbdrVec3 wanted = pbdrAddScaled(before[i], 1.0 / (view.timeStep * view.timeStep), push);
            CHECK_LE(distance(force, wanted), 1e-9);
        }
        CHECK(any == (touches > 0));
        touching += touches;
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(shove.linear[k / 3], linear[k / 3], 1e-14);
            CHECK_NEAR(shove.spread[k / 3][k % 3], spread[k / 3][k % 3], 1e-14);
        }
        for (int i = COUNT; i < CAPACITY; i++) {
            CHECK_EQ(pbdrGetColumn(&items, ITEM_TOUCHED)[i], 0.0);
        }
        free(items.columns);
    }
    CHECK_GE(touching, 50);
    CHECK_GE(sliding, 10);
    CHECK_GE(stopping, 10);
}

// What does not touch is left alone.
static void shove__without_contact_is_nothing(void)
{
    seedSurfaces(99);
    pbdrItems items = makeItems();
    pbdrPlaneView view = makeView(0.4);
    view.height = 1.0;
    const pbdrVec3 before = pbdrReadColumns(&items, ITEM_FORCE, 3);
    pbdrShove shove = {{0.0}, {{0.0}}};
    CHECK(!getKernels(pbdr_simdScalar)->shovePatch(&items, 0, COUNT, &view, &shove));
    CHECK_EQ(shove.linear[2], 0.0);
    CHECK_EQ(distance(pbdrReadColumns(&items, ITEM_FORCE, 3), before), 0.0);
    free(items.columns);
}

static void twins__give_the_same_bits(void)
{
    if (!pbdrIsSimdSupported(pbdr_simdAvx2)) {
        SKIP("this CPU has no AVX2");
    }
    const pbdrReducedKernels* twins[2] = {getKernels(pbdr_simdScalar), getKernels(pbdr_simdAvx2)};
    for (int round = 0; round < 20; round++) {
        pbdrItems items[2];
        pbdrShove shoves[2] = {{{0.0}, {{0.0}}}, {{0.0}, {{0.0}}}};
        for (int k = 0; k < 2; k++) {
            seedSurfaces((uint64_t)(200 + round));
            items[k] = makeItems();
            const pbdrPlaneView view = makeView(0.2);
            twins[k]->shovePatch(&items[k], 0, COUNT, &view, &shoves[k]);
        }
        const size_t size = (size_t)ITEM_SCRATCH * CAPACITY * sizeof(double);
        CHECK(memcmp(items[0].columns, items[1].columns, size) == 0);
        CHECK(memcmp(&shoves[0], &shoves[1], sizeof shoves[0]) == 0);
        free(items[0].columns);
        free(items[1].columns);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"shove__is_the_law", shove__is_the_law},
          {"shove__without_contact_is_nothing", shove__without_contact_is_nothing},
          {"twins__give_the_same_bits", twins__give_the_same_bits});
}
