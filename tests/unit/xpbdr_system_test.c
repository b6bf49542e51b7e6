// An island's linear system against a dense one put together by hand: whatever touches whom, in whatever order. And the
// parts of an island's solve that no scene shows by itself: sweeps, frozen bounds, the fit of one contact.
#include "check.h"
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/sweep.h"
#include "inside.h"
#include "ledger.h"
#include "physics/xpbdr_scenes.h"
#include "surfaces.h"

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
    *active = (pbdrActivePatch){.moverA = a, .moverB = b, .edge = -7, .between = randomVec(1.0)};
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
    pbdrInitSystem(&system);
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
    pbdrInitSystem(&system);
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
    pbdrInitSystem(&system);
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
    pbdrInitSystem(&system);
    for (int trial = 0; trial < 12; trial++) {
        const int count = trial % 2 == 0 ? 150 : 5 + trial;
        for (int k = 0; k < 2; k++) {
            pbdrSystem* used = k == 0 ? &system : &fresh;
            seedSurfaces((uint64_t)(300 + trial));
            connect(&island, trial % 4 < 2 ? patternRandom : patternMixed, count);
            fillValues(&island);
            if (k == 1) {
                pbdrInitSystem(&fresh);
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
        pbdrInitSystem(&system);
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
        pbdrInitSystem(&system);
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
    pbdrInitSystem(&system);
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

// --- Parts of the solve, on islands of a world ---

#define TIME_STEP 1e-3

// The world's only island at y = 0, as its solve begins.
static pbdrSolve begin(pbdrWorld* world)
{
    pbdrXpbdrWorld* own = world->engineState;
    pbdrUpdateCandidates(&own->candidates);
    CHECK(pbdrMakeIslands(own));
    CHECK_EQ(own->islands.count, 1);
    pbdrSolve solve = {
        .world = own,
        .worker = own->workers,
        .island = own->islands.items,
        .system = &own->workers->system,
        .movers = own->movers.items,
        .moverCount = own->movers.count,
        .activePatches = own->activePatches.items,
        .activePatchCount = own->activePatches.count,
        .softness = 1.0,
        .perStep = 1.0 / (TIME_STEP * TIME_STEP),
    };
    for (int k = 0; k < solve.activePatchCount; k++) {
        pbdrPrepareActivePatch(own, &solve.activePatches[k], solve.movers, solve.state);
    }
    for (int k = 0; k < solve.moverCount; k++) {
        solve.movers[k].y = pbdrStill;
    }
    pbdrEvaluateAgain(&solve);
    return solve;
}

static void sweep(pbdrSolve* solve)
{
    double error = 1.0;
    CHECK(pbdrSweepIsland(solve, &(pbdrSweepEffort){2000, 1e-13}, &error));
    CHECK_LE(error, 1e-13);
}

// Forces that contacts put on the movers, by what these do: M y/dt^2 less the load, about the origin; the sum of their
// sizes.
static double sumPulls(const pbdrSolve* solve, pbdrVec3* force, pbdrVec3* moment)
{
    double size = 0.0;
    *force = *moment = pbdrVec(0.0, 0.0, 0.0);
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        const pbdrVec3 centre = pbdrGetBody(solve->world->scene, mover->body)->centre;
        const pbdrVec3 pull = pbdrSub(pbdrScale(solve->perStep * mover->mass, pbdrGetLinear(&mover->y)),
                                      pbdrGetLinear(&mover->load));
        const pbdrVec3 spin = pbdrMulMV(&mover->inertia, pbdrGetAngular(&mover->y));
        const pbdrVec3 turn = pbdrSub(pbdrScale(solve->perStep, spin), pbdrGetAngular(&mover->load));
        *force = pbdrAdd(*force, pull);
        *moment = pbdrAdd(*moment, pbdrAdd(turn, pbdrCross(centre, pull)));
        size += pbdrLength(pull);
    }
    return size;
}

// A cube that is tilted by 1.5 mrad hits another with its lower edge, sliding: momentum is kept, friction stays within
// its cone, and the upper edge, which no sweep knows of at first, does not go in.
static void sweeps__obey_the_laws(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), TIME_STEP);
    addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.0));
    const pbdrBodyId upper =
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.03, 0.0, 0.2 + 0.5 * 0.2 * 1.5e-3));
    pbdrPose pose = pbdrBody_GetPose(world, upper);
    pose.rotation = turnAbout(pbdrVec(0.0, 1.0, 0.0), 1.5e-3);
    pbdrBody_SetPose(world, upper, pose);
    pbdrBody_SetVelocity(world, upper, (pbdrVelocity){{2.0, 0.3, -1.0}, {0.0, 0.0, 0.0}});
    pbdrSolve solve = begin(world);
    sweep(&solve);
    pbdrVec3 force, moment;
    const double size = sumPulls(&solve, &force, &moment);
    CHECK_GE(size, 100.0);
    CHECK_LE(pbdrLength(force), 1e-12 * size);
    CHECK_LE(pbdrLength(moment), 1e-12 * size);
    int pressed = 0, slipping = 0, deep = 0;
    for (int k = 0; k < solve.activePatchCount; k++) {
        const pbdrActivePatch* active = &solve.activePatches[k];
        const pbdrSweepRow* rows = (const pbdrSweepRow*)solve.worker->sweepRows.items + active->firstRow;
        for (int i = 0; i < active->rowCount; i++) {
            CHECK_GE(rows[i].force, 0.0);
            CHECK_NEAR(pbdrDot(rows[i].friction, rows[i].n), 0.0, 1e-12 * size);
            CHECK_LE(pbdrLength(rows[i].friction), 0.4 * rows[i].force * (1.0 + 1e-12));
            pressed += rows[i].force > 0.0;
            slipping +=
                rows[i].force > 0.0 && pbdrLength(rows[i].friction) > 0.4 * rows[i].force * (1.0 - 1e-12);
        }
        const double* g = pbdrGetColumn(&solve.world->candidates.items, ITEM_STATE + 4 * solve.state);
        for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
            deep += g[i] < -1.1e-6;
        }
    }
    CHECK_GE(pressed, 3);
    CHECK_GE(slipping, 1);
    CHECK_EQ(deep, 0);
    pbdrDestroyWorld(world);
}

// Overlap of bodies at rest: a small one goes at once, of a deep one a fifth.
static void sweeps__take_overlap_back_gently(void)
{
    const double overlaps[3] = {5e-7, 1e-4, 4e-4};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), TIME_STEP);
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.0));
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.03, 0.02, 0.2 - overlaps[k]));
        pbdrSolve solve = begin(world);
        sweep(&solve);
        pbdrTwist parts = pbdrSubtractTwist(&solve.movers[1].y, &solve.movers[0].y, pbdrVec(0.03, 0.02, 0.2));
        const pbdrVec3 lever = {-0.015, -0.01,
                                -0.1}; // from the upper one's centre to the middle of the contacts
        const pbdrVec3 way = pbdrAdd(pbdrGetLinear(&parts), pbdrCross(pbdrGetAngular(&parts), lever));
        CHECK_NEAR(way.z, (k == 0 ? 1.0 : 0.2) * overlaps[k], 1e-3 * overlaps[k]);
        pbdrDestroyWorld(world);
    }
}

// A tower of eight cubes under a ceiling that is too low by 1 mm: what sweeps leave of it is flagged.
static void sweeps__that_leave_gaps_are_flagged(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    addPlane(world, pbdrVec(0.0, 0.0, -1.0), -(8 * 0.2 - 1e-3), 0.4);
    for (int k = 0; k < 8; k++) {
        addFacedCube(world, 2, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k));
    }
    CHECK_EQ(stepCounting(world, 5), 5);
    pbdrDestroyWorld(world);
}

// A cube that slides and is pressed in further: friction grows with the normal force, or stays where bounds are frozen.
static void bounds__stay_while_they_are_frozen(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    const pbdrBodyId cube = addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1 - 1e-6));
    pbdrBody_SetVelocity(world, cube, (pbdrVelocity){{1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    pbdrSolve solve = begin(world);
    const pbdrTwist before = solve.movers[0].pull,
                    deeper = pbdrMakeTwist(pbdrVec(0.0, 0.0, -1e-6), pbdrVec(0, 0, 0));
    CHECK_GE(before.v[2], 1.0);
    CHECK_NEAR(before.v[0], -0.4 * before.v[2], 1e-9 * before.v[2]);
    for (int k = 0; k < 2; k++) {
        if (k == 0) {
            pbdrFreezeBounds(&solve);
        } else {
            pbdrFreeBounds(&solve);
        }
        CHECK_NEAR(solve.movers[0].pull.v[0], before.v[0], 1e-9 * before.v[2]);
        solve.movers[0].step = deeper;
        pbdrEvaluate(&solve, 1.0);
        CHECK_NEAR(solve.movers[0].pull.v[2], 2.0 * before.v[2], 1e-6 * before.v[2]);
        CHECK_NEAR(solve.movers[0].pull.v[0], (k == 0 ? 1.0 : 2.0) * before.v[0], 1e-6 * before.v[2]);
    }
    pbdrDestroyWorld(world);
}

// A cube on one corner: the fit takes the gap up, and turns nothing.
static void fit__of_one_contact_turns_nothing(void)
{
    const pbdrQuat rotation =
        pbdrMulQQ(turnAbout(pbdrVec(1.0, 0.0, 0.0), 0.5), turnAbout(pbdrVec(0.0, 1.0, 0.0), 0.3));
    const pbdrMat3 turn = pbdrMatFromQuat(rotation);
    const double height = 0.1 * (fabs(turn.m[2][0]) + fabs(turn.m[2][1]) + fabs(turn.m[2][2])), depth = 2e-6;
    pbdrWorld* world = makeConvergedOnGround(0.4);
    const pbdrBodyId cube = addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 1.0));
    pbdrBody_SetPose(world, cube, (pbdrPose){{0.0, 0.0, height - depth}, rotation});
    pbdrSolve solve = begin(world);
    pbdrMeasureRest(&solve);
    CHECK_NEAR(solve.gap, depth, 1e-12);
    pbdrPressPatches(&solve);
    const pbdrTwist* lag = &solve.activePatches[0].lag;
    CHECK_NEAR(pbdrGetLinear(lag).z, -depth, 1e-2 * depth);
    CHECK_LE(0.1 * pbdrLength(pbdrGetAngular(lag)), 1e-9 * depth);
    pbdrDestroyWorld(world);
}

// What a patch bore comes back as it was; a multiplier that would press ten times as hard is cut back.
static void load__is_no_more_than_the_patch_bore(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeConvergedOnGround(0.4);
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1));
        CHECK_EQ(stepCounting(world, 20), 0);
        pbdrPatch* patch = pbdrGetPatch(getCandidates(world), 0);
        for (int i = 0; i < 6; i++) {
            patch->load[i] *= k == 0 ? 1.0 : 10.0;
        }
        const pbdrSolve solve = begin(world);
        const pbdrActivePatch* active = &solve.activePatches[0];
        const pbdrItems* items = &solve.world->candidates.items;
        double bore = 0.0, presses = 0.0, springs = 0.0;
        solve.world->kernels->weighPatch(items, &active->law, &active->lag, &bore, &presses);
        const double *g = pbdrGetColumn(items, ITEM_STATE + 4 * solve.state),
                     *w = pbdrGetColumn(items, ITEM_WEIGHT);
        for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
            springs += fmax(0.0, -active->law.k * w[i] * g[i]);
        }
        CHECK_NEAR(bore, 4.0 * GRAVITY, 1e-9);
        // gaps of 1e-14 m may be left, at 1.2e8 N/m each
        CHECK_NEAR(presses, bore, 2e-5);
        CHECK_NEAR(springs, bore, 2e-5);
        pbdrDestroyWorld(world);
    }
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
          {"sweeps__obey_the_laws", sweeps__obey_the_laws},
          {"sweeps__take_overlap_back_gently", sweeps__take_overlap_back_gently},
          {"sweeps__that_leave_gaps_are_flagged", sweeps__that_leave_gaps_are_flagged},
          {"bounds__stay_while_they_are_frozen", bounds__stay_while_they_are_frozen},
          {"fit__of_one_contact_turns_nothing", fit__of_one_contact_turns_nothing},
          {"load__is_no_more_than_the_patch_bore", load__is_no_more_than_the_patch_bore});
}
