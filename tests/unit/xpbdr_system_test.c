// An island's linear system against a dense one put together by hand: whatever touches whom, in whatever order.
#include "check.h"
#include "engine/xpbdr/system.h"
#include "ledger.h"
#include "surfaces.h"

#include <limits.h>

#define EPS 2.3e-16
#define MAX_MOVERS 200
#define MAX_PATCHES 1600

// --- Islands ---

typedef struct Island {
    int moverCount, patchCount;
    pbdrActivePatch patches[MAX_PATCHES];
    pbdrBlock6 stiffness[MAX_PATCHES]; // about A's centre of mass
    pbdrBlock6 masses[MAX_MOVERS];
    pbdrMover movers[MAX_MOVERS]; // their steps: right-hand side, then solution
} Island;

static int randomBelow(int count)
{
    const int k = (int)randomIn(0.0, count);
    return k < count ? k : count - 1;
}

static void addPatch(Island* island, int a, int b)
{
    pbdrActivePatch* active = &island->patches[island->patchCount++];
    // whatever stood there before is not to be read
    *active =
        (pbdrActivePatch){.moverA = a, .moverB = b, .bears = true, .edge = -7, .between = randomVec(1.0)};
}

// A pair in either order.
static void join(Island* island, int a, int b)
{
    const bool turned = randomIn(0.0, 1.0) < 0.5;
    addPatch(island, turned ? b : a, turned ? a : b);
}

typedef enum Pattern {
    patternAlone,
    patternChain,
    patternStar,
    patternTree,
    patternRing,
    patternGrid,
    patternRandom,
    patternMixed, // of all kinds: several patches of a pair, patches with the static world
    patternCount
} Pattern;

static int getGridWidth(int count)
{
    return (int)ceil(sqrt((double)count));
}

// Names are shuffled, so that no order of elimination is the natural one.
static void connect(Island* island, Pattern pattern, int count)
{
    int names[MAX_MOVERS] = {0};
    for (int k = 0; k < count; k++) {
        const int other = randomBelow(k + 1);
        names[k] = names[other];
        names[other] = k;
    }
    *island = (Island){.moverCount = count};
    const int width = getGridWidth(count);
    for (int k = 1; k < count; k++) {
        switch (pattern) {
        case patternChain:
            join(island, names[k], names[k - 1]);
            break;
        case patternRing:
            join(island, names[k], names[k - 1]);
            break;
        case patternStar:
            join(island, names[k], names[0]);
            break;
        case patternTree:
            join(island, names[k], names[randomBelow(k)]);
            break;
        case patternGrid:
            if (k % width != 0) {
                join(island, names[k], names[k - 1]);
            }
            if (k >= width) {
                join(island, names[k], names[k - width]);
            }
            break;
        case patternRandom:
        case patternMixed:
            join(island, names[k], names[randomBelow(k)]);
            join(island, names[k], names[randomBelow(k)]); // may be the same pair again
            break;
        case patternAlone:
        case patternCount:
            break;
        }
    }
    if (pattern == patternRing && count > 2) {
        join(island, names[count - 1], names[0]);
    }
    if (pattern == patternMixed) {
        for (int k = island->patchCount; k-- > 0;) {
            join(island, island->patches[k].moverA, island->patches[k].moverB);
        }
        for (int k = 0; k < count; k += 2) {
            addPatch(island, k, -1);
            addPatch(island, -1, k);
        }
    }
}

// Patches have K >= 0 with a skew part, as friction's; bodies have masses M >= 1. The symmetric part of the system is
// then no less than 1, so the error of a solution is no more than what is left of its equations.
static void fillValues(Island* island)
{
    for (int k = 0; k < island->patchCount; k++) {
        double root[6][6];
        for (int e = 0; e < 36; e++) {
            root[e / 6][e % 6] = randomIn(-1.0, 1.0);
        }
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 6; j++) {
                double sum = i == j ? 0.0 : (i < j ? root[i][j] : -root[j][i]);
                for (int h = 0; h < 3; h++) { // rank 3: a contact does not hold all motion
                    sum += 10.0 * root[h][i] * root[h][j];
                }
                island->stiffness[k].m[i][j] = sum;
            }
        }
    }
    for (int k = 0; k < island->moverCount; k++) {
        island->masses[k] = (pbdrBlock6){{{0.0}}};
        for (int i = 0; i < 6; i++) {
            island->masses[k].m[i][i] = 1.0 + randomIn(0.0, 3.0);
            island->movers[k].step.v[i] = randomIn(-1.0, 1.0);
        }
    }
}

// --- The same system, dense ---

#define DENSE_ROWS (6 * MAX_MOVERS)
static double dense[DENSE_ROWS][DENSE_ROWS], side[DENSE_ROWS];

// The forces that a patch puts on both as one of them moves: f = S (motion of A less B), and -f on B, about B.
static void addColumns(const pbdrActivePatch* active, const pbdrBlock6* stiffness, bool ofA)
{
    for (int j = 0; j < 6; j++) {
        pbdrTwist move = pbdrStill, force = pbdrStill;
        move.v[j] = 1.0;
        const pbdrTwist relative = ofA ? move : pbdrSubtractTwist(&pbdrStill, &move, active->between);
        for (int e = 0; e < 36; e++) {
            force.v[e / 6] += stiffness->m[e / 6][e % 6] * relative.v[e % 6];
        }
        const pbdrVec3 push = pbdrGetLinear(&force);
        const pbdrVec3 moment = pbdrAdd(pbdrGetAngular(&force), pbdrCross(active->between, push));
        const pbdrTwist onB = pbdrMakeTwist(push, moment);
        const int column = 6 * (ofA ? active->moverA : active->moverB) + j;
        for (int i = 0; i < 6; i++) {
            if (active->moverA >= 0) {
                dense[6 * active->moverA + i][column] += force.v[i];
            }
            if (active->moverB >= 0) {
                dense[6 * active->moverB + i][column] -= onB.v[i];
            }
        }
    }
}

static void assembleDense(const Island* island)
{
    const int rows = 6 * island->moverCount;
    for (int i = 0; i < rows; i++) {
        memset(dense[i], 0, (size_t)rows * sizeof dense[0][0]);
        side[i] = island->movers[i / 6].step.v[i % 6];
        for (int j = 0; j < 6; j++) {
            dense[i][6 * (i / 6) + j] = island->masses[i / 6].m[i % 6][j];
        }
    }
    for (int k = 0; k < island->patchCount; k++) {
        const pbdrActivePatch* active = &island->patches[k];
        if (active->moverA >= 0) {
            addColumns(active, &island->stiffness[k], true);
        }
        if (active->moverB >= 0) {
            addColumns(active, &island->stiffness[k], false);
        }
    }
}

// Largest sum of a row's sizes.
static double getDenseNorm(int rows)
{
    double norm = 0.0;
    for (int i = 0; i < rows; i++) {
        double sum = 0.0;
        for (int j = 0; j < rows; j++) {
            sum += fabs(dense[i][j]);
        }
        norm = fmax(norm, sum);
    }
    return norm;
}

// Gauss with the largest pivot of the column; the solution stands in `side`.
static void solveDense(int rows)
{
    for (int k = 0; k < rows; k++) {
        int best = k;
        for (int i = k + 1; i < rows; i++) {
            best = fabs(dense[i][k]) > fabs(dense[best][k]) ? i : best;
        }
        for (int j = k; j < rows && best != k; j++) {
            const double swap = dense[k][j];
            dense[k][j] = dense[best][j];
            dense[best][j] = swap;
        }
        const double swap = side[k];
        side[k] = side[best];
        side[best] = swap;
        for (int i = k + 1; i < rows; i++) {
            const double factor = dense[i][k] / dense[k][k];
            if (factor == 0.0) {
                continue;
            }
            for (int j = k; j < rows; j++) {
                dense[i][j] -= factor * dense[k][j];
            }
            side[i] -= factor * side[k];
        }
    }
    for (int i = rows - 1; i >= 0; i--) {
        for (int j = i + 1; j < rows; j++) {
            side[i] -= dense[i][j] * side[j];
        }
        side[i] /= dense[i][i];
    }
}

// --- Checks ---

static void fillSystem(pbdrSystem* system, const Island* island)
{
    pbdrClearSystem(system);
    for (int k = 0; k < island->moverCount; k++) {
        *pbdrGetDiagonal(system, k) = island->masses[k];
    }
    for (int k = 0; k < island->patchCount; k++) {
        pbdrAddStiffness(system, &island->patches[k], &island->stiffness[k]);
    }
}

// Plans, solves twice (Newton does), compares. Both ways of solving are backward stable: what is left of the equations
// is at most rows x eps x |A| |x|, times the growth of elimination, which a dominant symmetric part keeps near 1.
static void checkSolution(pbdrMemory* memory, pbdrSystem* system, Island* island, bool byDense)
{
    static pbdrMover kept[MAX_MOVERS];
    const int rows = 6 * island->moverCount;
    memcpy(kept, island->movers, sizeof kept);
    CHECK(pbdrPlanSystem(memory, system, island->moverCount, island->patches, island->patchCount));
    fillSystem(system, island);
    CHECK(pbdrSolveSystem(system, island->movers));
    assembleDense(island);
    double largest = 0.0, left = 0.0, different = 0.0;
    for (int i = 0; i < rows; i++) {
        double sum = -kept[i / 6].step.v[i % 6];
        for (int j = 0; j < rows; j++) {
            sum += dense[i][j] * island->movers[j / 6].step.v[j % 6];
        }
        left = fmax(left, fabs(sum));
        largest = fmax(largest, fabs(island->movers[i / 6].step.v[i % 6]));
        side[i] = kept[i / 6].step.v[i % 6];
    }
    const double tolerance = rows * EPS * getDenseNorm(rows) * largest;
    CHECK_LE(left, tolerance);
    CHECK_GE(largest, 1e-3);
    if (byDense) {
        solveDense(rows);
        for (int i = 0; i < rows; i++) {
            different = fmax(different, fabs(side[i] - island->movers[i / 6].step.v[i % 6]));
        }
        CHECK_LE(different, 2.0 * tolerance);
    }
    // the same plan with values anew: the same bits
    for (int k = 0; k < island->moverCount; k++) {
        const pbdrTwist first = island->movers[k].step;
        island->movers[k].step = kept[k].step;
        kept[k].step = first;
    }
    fillSystem(system, island);
    CHECK(pbdrSolveSystem(system, island->movers));
    for (int k = 0; k < island->moverCount; k++) {
        CHECK(memcmp(&kept[k].step, &island->movers[k].step, sizeof(pbdrTwist)) == 0);
    }
}

// Replays the elimination on a table of who touches whom: every place goes to a row with the fewest neighbours left,
// and the edges are those that elimination makes.
static void checkPlan(const pbdrSystem* system, const Island* island)
{
    static bool touches[MAX_MOVERS][MAX_MOVERS]; // by place
    const int count = island->moverCount;
    const int32_t *places = system->places.items, *starts = system->starts.items, *ends = system->ends.items;
    int times[MAX_MOVERS] = {0};
    memset(touches, 0, sizeof touches);
    for (int k = 0; k < count; k++) {
        times[places[k]]++;
    }
    for (int k = 0; k < count; k++) {
        CHECK_EQ(times[k], 1);
    }
    for (int k = 0; k < island->patchCount; k++) {
        const pbdrActivePatch* active = &island->patches[k];
        if (active->moverA < 0 || active->moverB < 0) {
            CHECK_EQ(active->edge, -7); // has none
            continue;
        }
        const int a = places[active->moverA], b = places[active->moverB], low = a < b ? a : b;
        touches[a][b] = touches[b][a] = true;
        CHECK_EQ(active->ascends, a < b);
        CHECK(active->edge >= starts[low] && active->edge < starts[low + 1]);
        CHECK_EQ(ends[active->edge], a < b ? b : a);
    }
    for (int place = 0; place < count; place++) {
        int least = count, own = 0, edge = starts[place];
        for (int i = place; i < count; i++) {
            int degree = 0;
            for (int j = place; j < count; j++) {
                degree += touches[i][j];
            }
            least = degree < least ? degree : least;
            own = i == place ? degree : own;
        }
        CHECK_EQ(own, least);
        CHECK_EQ(starts[place + 1] - starts[place], own);
        for (int i = place + 1; i < count; i++) {
            if (!touches[place][i]) {
                continue;
            }
            CHECK_EQ(ends[edge++], i); // ascending
            for (int j = place + 1; j < count; j++) {
                touches[i][j] = touches[i][j] || (touches[place][j] && i != j);
            }
        }
    }
    CHECK_EQ(system->edgeCount, starts[count]);
}

// Rows may touch as many others as they like.
static void initSystem(pbdrSystem* system)
{
    pbdrInitSystem(system);
    system->mostNeighbours = INT_MAX;
}

static pbdrMemory makeMemory(Ledger* ledger)
{
    return (pbdrMemory){.hooks = makeHooks(ledger)};
}

static void checkEmpty(const pbdrMemory* memory, const Ledger* ledger)
{
    CHECK_EQ(memory->byteCount, 0);
    CHECK_EQ(ledger->bytes, 0);
    CHECK_EQ(ledger->blocks, 0);
}

// --- Tests ---

static Island island;

// One system for all of them, larger and smaller in turn.
static void systems__are_solved_as_dense_ones(void)
{
    const int counts[] = {20, 1, 48, 2, 3, 7, 4, 31};
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int trial = 0; trial < 8 * patternCount; trial++) {
        seedSurfaces((uint64_t)(1 + trial));
        connect(&island, (Pattern)(trial % patternCount), counts[trial / patternCount]);
        fillValues(&island);
        checkSolution(&memory, &system, &island, true);
        checkPlan(&system, &island);
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// What is left of the equations bounds the error (fillValues): the dense solution of all would take seconds.
static void systems__of_many_movers_are_solved(void)
{
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int pattern = 0; pattern < patternCount; pattern++) {
        seedSurfaces((uint64_t)(100 + pattern));
        connect(&island, (Pattern)pattern, MAX_MOVERS - 3 * pattern);
        fillValues(&island);
        checkSolution(&memory, &system, &island, pattern == patternMixed);
        checkPlan(&system, &island);
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// Trees do not fill; a ring has n edges and a diagonal for all but three of its rows. A grid of m x m rows, by lines,
// would have m edges per row.
static void order__fills_little(void)
{
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int count = 3; count <= 196; count += 1 + count / 3) {
        for (int pattern = 0; pattern < patternRandom; pattern++) {
            seedSurfaces((uint64_t)(200 + count));
            connect(&island, (Pattern)pattern, count);
            CHECK(pbdrPlanSystem(&memory, &system, count, island.patches, island.patchCount));
            switch (pattern) {
            case patternAlone:
                CHECK_EQ(system.edgeCount, 0);
                break;
            case patternRing:
                CHECK_EQ(system.edgeCount, 2 * count - 3);
                break;
            case patternGrid:
                CHECK_LE(system.edgeCount, getGridWidth(count) * count);
                break;
            default:
                CHECK_EQ(system.edgeCount, count - 1);
                break;
            }
        }
    }
    seedSurfaces(1);
    connect(&island, patternGrid, 196);
    CHECK(pbdrPlanSystem(&memory, &system, 196, island.patches, island.patchCount));
    CHECK_LE(system.edgeCount, 14 * 196 * 2 / 3); // two thirds of the fill by lines
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// A system that has been large plans a small one as a fresh one does, and neither takes memory for the same again.
static void plan__does_not_depend_on_earlier_ones(void)
{
    static pbdrMover solutions[2][MAX_MOVERS];
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system, fresh;
    initSystem(&system);
    for (int trial = 0; trial < 12; trial++) {
        const int count = trial % 2 == 0 ? 150 : 5 + trial;
        for (int k = 0; k < 2; k++) {
            pbdrSystem* used = k == 0 ? &system : &fresh;
            seedSurfaces((uint64_t)(300 + trial));
            connect(&island, trial % 4 < 2 ? patternRandom : patternMixed, count);
            fillValues(&island);
            if (k == 1) {
                initSystem(&fresh);
            }
            CHECK(pbdrPlanSystem(&memory, used, count, island.patches, island.patchCount));
            const int before = ledger.allocations;
            CHECK(pbdrPlanSystem(&memory, used, count, island.patches, island.patchCount));
            CHECK_EQ(ledger.allocations, before);
            fillSystem(used, &island);
            CHECK(pbdrSolveSystem(used, island.movers));
            memcpy(solutions[k], island.movers, sizeof solutions[k]);
        }
        CHECK_EQ(system.edgeCount, fresh.edgeCount);
        for (int k = 0; k < count; k++) {
            CHECK(memcmp(&solutions[0][k].step, &solutions[1][k].step, sizeof(pbdrTwist)) == 0);
        }
        pbdrFreeSystem(&memory, &fresh);
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// Wherever memory ends, the plan says so, and the next one works.
static void plan__without_memory_fails_cleanly(void)
{
    seedSurfaces(400);
    connect(&island, patternMixed, 120); // fills, so that lists of neighbours grow
    fillValues(&island);
    int failures = 0;
    for (int failAt = 1; failAt < 100; failAt++) {
        Ledger ledger = {.failAt = failAt};
        pbdrMemory memory = makeMemory(&ledger);
        pbdrSystem system;
        initSystem(&system);
        const bool planned =
            pbdrPlanSystem(&memory, &system, island.moverCount, island.patches, island.patchCount);
        CHECK_EQ(planned, ledger.allocations < failAt);
        failures += !planned;
        if (!planned) {
            CHECK_EQ(ledger.allocations, failAt); // it does not go on
            CHECK(pbdrPlanSystem(&memory, &system, island.moverCount, island.patches, island.patchCount));
            checkPlan(&system, &island);
        }
        pbdrFreeSystem(&memory, &system);
        checkEmpty(&memory, &ledger);
        if (planned) {
            break;
        }
        // freed without a second plan
        ledger = (Ledger){.failAt = failAt};
        initSystem(&system);
        CHECK(!pbdrPlanSystem(&memory, &system, island.moverCount, island.patches, island.patchCount));
        pbdrFreeSystem(&memory, &system);
        checkEmpty(&memory, &ledger);
    }
    CHECK_GE(failures, 12);
    CHECK_LE(failures, 90); // every place has been tried
}

static void system__without_solution_is_refused(void)
{
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int bad = 0; bad < 9; bad++) {
        for (int kind = 0; kind < 3; kind++) {
            seedSurfaces((uint64_t)(500 + bad));
            connect(&island, patternTree, 9);
            fillValues(&island);
            CHECK(pbdrPlanSystem(&memory, &system, 9, island.patches, island.patchCount));
            fillSystem(&system, &island);
            CHECK(pbdrSolveSystem(&system, island.movers));
            // a body that nothing holds, or numbers that are none
            const double values[] = {0.0, (double)NAN, HUGE_VAL};
            if (kind == 0) {
                memset(island.stiffness, 0, sizeof island.stiffness);
            }
            island.masses[bad] = (pbdrBlock6){{{0.0}}};
            island.masses[bad].m[2][2] = values[kind];
            fillSystem(&system, &island);
            CHECK(!pbdrSolveSystem(&system, island.movers));
        }
    }
    // elimination makes the zero: two bodies without mass that hold on to each other
    for (int k = 0; k < 2; k++) {
        island = (Island){.moverCount = 2};
        addPatch(&island, k, 1 - k);
        island.patches[0].between = pbdrVec(1.0, -2.0, 4.0); // powers of two: no rounding
        for (int i = 0; i < 6; i++) {
            island.stiffness[0].m[i][i] = 2.0;
        }
        CHECK(pbdrPlanSystem(&memory, &system, 2, island.patches, 1));
        fillSystem(&system, &island);
        CHECK(!pbdrSolveSystem(&system, island.movers));
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// X^T S X: a contact's stiffness about a point is that of its lever from there.
static void shift__moves_the_point(void)
{
    seedSurfaces(600);
    for (int trial = 0; trial < 20; trial++) {
        const pbdrVec3 lever = randomVec(1.0), d = randomVec(1.0), n = randomVec(1.0), m = randomVec(1.0);
        pbdrBlock6 stiffness[2];
        for (int k = 0; k < 2; k++) {
            const pbdrVec3 r = k == 0 ? lever : pbdrAdd(lever, d);
            const pbdrTwist left = pbdrMakeTwist(n, pbdrCross(r, n)),
                            right = pbdrMakeTwist(m, pbdrCross(r, m));
            for (int e = 0; e < 36; e++) {
                stiffness[k].m[e / 6][e % 6] = left.v[e / 6] * right.v[e % 6];
            }
        }
        const pbdrBlock6 shifted = pbdrShiftBlock(&stiffness[0], d);
        for (int e = 0; e < 36; e++) {
            CHECK_NEAR(shifted.m[e / 6][e % 6], stiffness[1].m[e / 6][e % 6], 1e-14);
        }
    }
}

// Factors once, and as many right-hand sides as one likes: the bits of whole solves.
static void factors__serve_several_sides(void)
{
    static pbdrMover kept[2][MAX_MOVERS], solved[2][MAX_MOVERS];
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int pattern = 0; pattern < patternCount; pattern++) {
        seedSurfaces((uint64_t)(700 + pattern));
        connect(&island, (Pattern)pattern, 40);
        fillValues(&island);
        const int count = island.moverCount;
        CHECK(pbdrPlanSystem(&memory, &system, count, island.patches, island.patchCount));
        for (int k = 0; k < 2; k++) {
            memcpy(kept[k], island.movers, sizeof kept[k]);
            fillSystem(&system, &island);
            CHECK(pbdrSolveSystem(&system, island.movers));
            memcpy(solved[k], island.movers, sizeof solved[k]);
            for (int i = 0; i < 6 * count; i++) {
                island.movers[i / 6].step.v[i % 6] = randomIn(-1.0, 1.0);
            }
        }
        fillSystem(&system, &island);
        CHECK(pbdrFactorSystem(&system));
        for (int k = 0; k < 3; k++) { // the first once more: the factors are still the same
            memcpy(island.movers, kept[k % 2], sizeof island.movers);
            pbdrSolveFactored(&system, island.movers);
            for (int i = 0; i < count; i++) {
                CHECK(memcmp(&island.movers[i].step, &solved[k % 2][i].step, sizeof(pbdrTwist)) == 0);
            }
        }
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// Patches that bear nothing are as if they were not there.
static void plan__leaves_out_what_bears_nothing(void)
{
    static Island bare;
    static pbdrMover solution[MAX_MOVERS];
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int trial = 0; trial < 6; trial++) {
        seedSurfaces((uint64_t)(800 + trial));
        connect(&island, trial % 2 == 0 ? patternGrid : patternMixed, 60);
        fillValues(&island);
        bare = (Island){.moverCount = island.moverCount};
        memcpy(bare.masses, island.masses, sizeof bare.masses);
        memcpy(bare.movers, island.movers, sizeof bare.movers);
        for (int k = 0; k < island.patchCount; k++) {
            island.patches[k].bears = randomBelow(3) > 0;
            if (island.patches[k].bears) {
                bare.stiffness[bare.patchCount] = island.stiffness[k];
                bare.patches[bare.patchCount++] = island.patches[k];
            }
        }
        CHECK(pbdrPlanSystem(&memory, &system, 60, bare.patches, bare.patchCount));
        const int edgeCount = system.edgeCount;
        fillSystem(&system, &bare);
        CHECK(pbdrSolveSystem(&system, bare.movers));
        memcpy(solution, bare.movers, sizeof solution);
        CHECK(pbdrPlanSystem(&memory, &system, 60, island.patches, island.patchCount));
        CHECK_EQ(system.edgeCount, edgeCount);
        int idle = 0;
        pbdrClearSystem(&system);
        for (int k = 0; k < 60; k++) {
            *pbdrGetDiagonal(&system, k) = island.masses[k];
        }
        for (int k = 0; k < island.patchCount; k++) {
            if (island.patches[k].bears) {
                pbdrAddStiffness(&system, &island.patches[k], &island.stiffness[k]);
            } else {
                CHECK_EQ(island.patches[k].edge, -7);
                idle++;
            }
        }
        CHECK_GE(idle, 10);
        CHECK(pbdrSolveSystem(&system, island.movers));
        for (int k = 0; k < 60; k++) {
            CHECK(memcmp(&solution[k].step, &island.movers[k].step, sizeof(pbdrTwist)) == 0);
        }
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

// A row may touch so many others when it goes, and no more; a plan that was refused hurts no later one.
static void plan__is_refused_where_factors_fill_up(void)
{
    Ledger ledger = {0};
    pbdrMemory memory = makeMemory(&ledger);
    pbdrSystem system;
    initSystem(&system);
    for (int pattern = patternChain; pattern < patternCount; pattern++) {
        seedSurfaces((uint64_t)(900 + pattern));
        connect(&island, (Pattern)pattern, 100);
        CHECK(pbdrPlanSystem(&memory, &system, 100, island.patches, island.patchCount));
        const int32_t* starts = system.starts.items;
        int most = 0;
        for (int place = 0; place < 100; place++) {
            const int degree = starts[place + 1] - starts[place];
            most = degree > most ? degree : most;
        }
        CHECK_GE(most, 1);
        for (int limit = 0; limit <= most + 1; limit++) {
            system.mostNeighbours = limit;
            CHECK_EQ(pbdrPlanSystem(&memory, &system, 100, island.patches, island.patchCount), limit >= most);
        }
        checkPlan(&system, &island);
        system.mostNeighbours = INT_MAX;
    }
    pbdrFreeSystem(&memory, &system);
    checkEmpty(&memory, &ledger);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"systems__are_solved_as_dense_ones", systems__are_solved_as_dense_ones},
          {"systems__of_many_movers_are_solved", systems__of_many_movers_are_solved},
          {"order__fills_little", order__fills_little},
          {"plan__does_not_depend_on_earlier_ones", plan__does_not_depend_on_earlier_ones},
          {"plan__without_memory_fails_cleanly", plan__without_memory_fails_cleanly},
          {"system__without_solution_is_refused", system__without_solution_is_refused},
          {"shift__moves_the_point", shift__moves_the_point},
          {"factors__serve_several_sides", factors__serve_several_sides},
          {"plan__leaves_out_what_bears_nothing", plan__leaves_out_what_bears_nothing},
          {"plan__is_refused_where_factors_fill_up", plan__is_refused_where_factors_fill_up});
}
