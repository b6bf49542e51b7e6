// Sweeps of XPBD-R (sweep.h): their loops against the law written out, row by row, and which contacts and patches are
// swept together.
#include "unit/xpbdr_solves.h"

// --- Groups to work on ---

// Two colours of groups, each with all bodies but one; the last group of a colour is not full.
#define GROUPS 10
#define MOVERS 34
#define MOST_ROWS 6

typedef struct Groups {
    pbdrSweepGroup groups[GROUPS];
    pbdrSweepRow rows[GROUPS * MOST_ROWS];
    pbdrSweepMotion motions[MOVERS + 1];
} Groups;

static pbdrLaneTensor randomSpins(const bool moves[PBDR_SWEEP_LANES])
{
    pbdrLaneTensor spins = {{{0.0}}};
    for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
        if (moves[lane]) {
            const pbdrMat3 turn = randomMatrix(), body = {{{randomIn(1.0, 3.0), 0.0, 0.0},
                                                           {0.0, randomIn(1.0, 3.0), 0.0},
                                                           {0.0, 0.0, 2.0}}};
            const pbdrMat3 spin = pbdrTurnTensor(&turn, &body);
            const int rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
            for (int k = 0; k < 6; k++) {
                spins.m[k][lane] = 1.0e-5 * spin.m[rows[k]][columns[k]];
            }
        }
    }
    return spins;
}

// Contacts near where they change: some touch, some slip, some turn.
static void fillRow(pbdrSweepRow* row, int lane, int item)
{
    const pbdrVec3 n = makeUnit(randomVec(1.0)), t = randomVec(3.0);
    row->item[lane] = item;
    pbdrWriteLane(&row->n, lane, n);
    pbdrWriteLane(&row->lever, lane, randomVec(0.1));
    pbdrWriteLane(&row->way, lane, randomVec(1.0e-4));
    pbdrWriteLane(&row->friction, lane, pbdrAddScaled(t, -pbdrDot(t, n), n));
    row->ahead[lane] = randomIn(-1.0e-4, 1.0e-4);
    row->give[lane] = randomIn(1.0e-6, 2.0e-6);
    row->giveAcross[lane] = randomIn(1.0e-6, 2.0e-6);
    row->perNormal[lane] = 1.0 / row->give[lane];
    row->perSlip[lane] = 1.0 / row->giveAcross[lane];
    row->force[lane] = item % 3 == 0 ? 0.0 : randomIn(0.0, 100.0);
    row->bound[lane] = randomIn(0.0, 50.0);
}

static void fillGroups(Groups* all, uint64_t seed)
{
    memset(all, 0, sizeof *all);
    seedSurfaces(seed);
    int names[MOVERS], at = 0, item = 0, rows = 0;
    for (int k = 0; k < GROUPS; k++) {
        pbdrSweepGroup* group = &all->groups[k];
        if (k == 0 || k == GROUPS / 2) { // a colour begins
            for (int i = 0; i < MOVERS; i++) {
                const int other = (int)randomIn(0.0, i + 0.999);
                names[i] = names[other];
                names[other] = i;
            }
            at = 0;
        }
        group->colour = k < GROUPS / 2 ? 3 : 5;
        group->firstRow = rows;
        group->rowCount = 1 + k * 5 % MOST_ROWS;
        rows += group->rowCount;
        group->rolls = k % 3 == 1;
        group->error = randomIn(1.0e-6, 1.0e-5);
        bool movesA[PBDR_SWEEP_LANES], movesB[PBDR_SWEEP_LANES];
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            const bool there = k % (GROUPS / 2) != GROUPS / 2 - 1 || lane < 2;
            movesA[lane] = there && (k + lane) % 5 != 0;
            movesB[lane] = there && ((k + lane) % 5 == 0 || (k + lane) % 3 != 0);
            group->patch[lane] = there ? PBDR_SWEEP_LANES * k + lane : -1;
            group->moverA[lane] = movesA[lane] ? names[at++] : MOVERS;
            group->moverB[lane] = movesB[lane] ? names[at++] : MOVERS;
            group->massA[lane] = movesA[lane] ? randomIn(1.0e-7, 1.0e-6) : 0.0;
            group->massB[lane] = movesB[lane] ? randomIn(1.0e-7, 1.0e-6) : 0.0;
            group->mu[lane] = lane == 3 ? 0.0 : randomIn(0.1, 1.0);
            for (int i = 0; there && i < group->rowCount - lane % 2; i++) {
                fillRow(&all->rows[group->firstRow + i], lane, item++);
            }
            for (int i = 0; i < group->rowCount; i++) {
                if (!there || i >= group->rowCount - lane % 2) {
                    all->rows[group->firstRow + i].item[lane] = -1;
                }
            }
            if (there) {
                pbdrWriteLane(&group->between, lane, randomVec(0.3));
            }
            if (there && group->rolls && lane != 2) {
                group->roll[lane] = randomIn(0.0, 1.0e-2);
                group->spin[lane] = randomIn(0.0, 1.0e-2);
                pbdrWriteLane(&group->axis, lane, makeUnit(randomVec(1.0)));
                pbdrWriteLane(&group->turn, lane, randomVec(1.0e-3));
                pbdrWriteLane(&group->moment, lane, randomVec(1.0e-2));
                group->perTurn[lane] = randomIn(1.0e3, 2.0e3);
            }
        }
        group->spinA = randomSpins(movesA);
        group->spinB = randomSpins(movesB);
    }
    CHECK_LE(at, MOVERS);
    for (int i = 0; i < 6 * MOVERS; i++) {
        all->motions[i / 6].v[i % 6] = randomIn(-1.0e-5, 1.0e-5) * (i % 6 < 3 ? 1.0 : 10.0);
    }
}

// --- The law by hand ---

typedef struct Pair {
    pbdrVec3 linear[2], angular[2]; // of A and B
} Pair;

static Pair getPair(const Groups* all, const pbdrSweepGroup* group, int lane)
{
    Pair pair;
    for (int side = 0; side < 2; side++) {
        const double* v = all->motions[side == 0 ? group->moverA[lane] : group->moverB[lane]].v;
        pair.linear[side] = pbdrVec(v[0], v[1], v[2]);
        pair.angular[side] = pbdrVec(v[3], v[4], v[5]);
    }
    return pair;
}

static void setPair(Groups* all, const pbdrSweepGroup* group, int lane, const Pair* pair)
{
    for (int side = 0; side < 2; side++) {
        double* v = all->motions[side == 0 ? group->moverA[lane] : group->moverB[lane]].v;
        const pbdrVec3 u = pair->linear[side], w = pair->angular[side];
        const double all6[6] = {u.x, u.y, u.z, w.x, w.y, w.z};
        memcpy(v, all6, sizeof all6);
    }
}

static pbdrVec3 turnBy(const pbdrLaneTensor* spin, int lane, pbdrVec3 a)
{
    const double xx = spin->m[0][lane], yy = spin->m[1][lane], zz = spin->m[2][lane];
    const double xy = spin->m[3][lane], xz = spin->m[4][lane], yz = spin->m[5][lane];
    const pbdrMat3 m = {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
    return pbdrMulMV(&m, a);
}

static pbdrVec3 getMove(const pbdrSweepGroup* group, const pbdrSweepRow* row, int lane, const Pair* pair)
{
    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane),
                   other = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
    return pbdrSub(pbdrAdd(pair->linear[0], pbdrCross(pair->angular[0], lever)),
                   pbdrAdd(pair->linear[1], pbdrCross(pair->angular[1], other)));
}

static void addForce(const pbdrSweepGroup* group, const pbdrSweepRow* row, int lane, pbdrVec3 f, Pair* pair)
{
    const pbdrVec3 lever = pbdrReadLane(&row->lever, lane),
                   other = pbdrAdd(lever, pbdrReadLane(&group->between, lane));
    pair->linear[0] = pbdrAddScaled(pair->linear[0], group->massA[lane], f);
    pair->linear[1] = pbdrAddScaled(pair->linear[1], -group->massB[lane], f);
    pair->angular[0] = pbdrAdd(pair->angular[0], turnBy(&group->spinA, lane, pbdrCross(lever, f)));
    pair->angular[1] = pbdrSub(pair->angular[1], turnBy(&group->spinB, lane, pbdrCross(other, f)));
}

static void addMoment(const pbdrSweepGroup* group, int lane, pbdrVec3 moment, Pair* pair)
{
    pair->angular[0] = pbdrAdd(pair->angular[0], turnBy(&group->spinA, lane, moment));
    pair->angular[1] = pbdrSub(pair->angular[1], turnBy(&group->spinB, lane, moment));
}

static pbdrVec3 cutTo(pbdrVec3 a, double bound)
{
    const double length = pbdrLength(a);
    return length > bound ? pbdrScale(bound / length, a) : a;
}

// What the rows of a lane did.
typedef struct Count {
    int closes, opens, slides, sticks, turns;
    double error;
} Count;

// What damped bounds keep of the last.
#define DAMPED 0.8

static void sweepByHand(Groups* all, int k, int lane, bool damped, Count* count)
{
    pbdrSweepGroup* group = &all->groups[k];
    Pair pair = getPair(all, group, lane);
    double load = 0.0;
    for (int i = 0; i < group->rowCount; i++) {
        pbdrSweepRow* row = &all->rows[group->firstRow + i];
        if (row->item[lane] < 0) {
            continue;
        }
        const pbdrVec3 n = pbdrReadLane(&row->n, lane), move = getMove(group, row, lane, &pair),
                       way = pbdrAdd(pbdrReadLane(&row->way, lane), move),
                       slip = pbdrAddScaled(way, -pbdrDot(way, n), n),
                       last = pbdrReadLane(&row->friction, lane);
        const double gap = row->ahead[lane] + pbdrDot(n, move), before = row->force[lane];
        const double force = fmax(0.0, before - gap / row->give[lane]);
        const double own = group->mu[lane] * force,
                     bound = damped ? (1.0 - DAMPED) * own + DAMPED * row->bound[lane] : own;
        const pbdrVec3 wanted = pbdrAddScaled(last, -1.0 / row->giveAcross[lane], slip),
                       t = cutTo(wanted, bound);
        addForce(group, row, lane, pbdrAddScaled(pbdrSub(t, last), force - before, n), &pair);
        row->force[lane] = force;
        row->bound[lane] = bound;
        pbdrWriteLane(&row->friction, lane, t);
        count->error = fmax(count->error, fabs(force - before) * row->give[lane]);
        count->error = fmax(count->error, pbdrLength(pbdrSub(t, last)) * row->giveAcross[lane]);
        count->closes += before == 0.0 && force > 0.0;
        count->opens += before > 0.0 && force == 0.0;
        count->slides += force > 0.0 && pbdrLength(wanted) > bound;
        count->sticks += force > 0.0 && pbdrLength(wanted) <= bound;
        load += force;
    }
    if (group->perTurn[lane] > 0.0) {
        const pbdrVec3 axis = pbdrReadLane(&group->axis, lane), last = pbdrReadLane(&group->moment, lane),
                       turn = pbdrAdd(pbdrReadLane(&group->turn, lane),
                                      pbdrSub(pair.angular[0], pair.angular[1])),
                       wanted = pbdrAddScaled(last, -group->perTurn[lane], turn),
                       spin = pbdrScale(pbdrDot(axis, wanted), axis);
        const pbdrVec3 moment = pbdrAdd(cutTo(pbdrSub(wanted, spin), group->roll[lane] * load),
                                        cutTo(spin, group->spin[lane] * load));
        addMoment(group, lane, pbdrSub(moment, last), &pair);
        pbdrWriteLane(&group->moment, lane, moment);
        count->turns += pbdrLength(moment) > 0.0;
    }
    setPair(all, group, lane, &pair);
}

// Largest differences of forces, and of motions.
static void compare(const Groups* a, const Groups* b, double* force, double* motion)
{
    *force = *motion = 0.0;
    for (int i = 0; i < GROUPS * MOST_ROWS * PBDR_SWEEP_LANES; i++) {
        const int lane = i % PBDR_SWEEP_LANES;
        const pbdrSweepRow *one = &a->rows[i / PBDR_SWEEP_LANES], *other = &b->rows[i / PBDR_SWEEP_LANES];
        *force = fmax(*force, fabs(one->force[lane] - other->force[lane]));
        *force = fmax(*force, fabs(one->bound[lane] - other->bound[lane]) * (one->item[lane] >= 0));
        *force = fmax(*force, pbdrLength(pbdrSub(pbdrReadLane(&one->friction, lane),
                                                 pbdrReadLane(&other->friction, lane))));
    }
    for (int i = 0; i < GROUPS * PBDR_SWEEP_LANES; i++) {
        const int lane = i % PBDR_SWEEP_LANES;
        const pbdrVec3 change = pbdrSub(pbdrReadLane(&a->groups[i / PBDR_SWEEP_LANES].moment, lane),
                                        pbdrReadLane(&b->groups[i / PBDR_SWEEP_LANES].moment, lane));
        *force = fmax(*force, pbdrLength(change));
    }
    for (int i = 0; i < 6 * (MOVERS + 1); i++) {
        *motion = fmax(*motion, fabs(a->motions[i / 6].v[i % 6] - b->motions[i / 6].v[i % 6]));
    }
}

// --- The loops ---

// Forces of up to 1e3 N and motions of 1e-3 m: some twenty operations each.
#define FORCE_ROUNDING 1e-10
#define MOTION_ROUNDING 1e-16

static void sweep__is_the_law_row_by_row(void)
{
    static Groups swept, wanted;
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    Count total = {0};
    for (int round = 0; round < 16; round++) {
        fillGroups(&swept, (uint64_t)(1 + round));
        wanted = swept;
        Count count = {0};
        const bool backwards = round % 2 == 1, damped = round % 4 >= 2;
        const pbdrSweepKind kind = (backwards ? pbdr_sweepBackwards : 0) | (damped ? pbdr_sweepDamped : 0);
        const double error =
            kernels->sweepGroups(swept.groups, GROUPS, kind, 0.0, swept.rows, swept.motions, MOVERS);
        for (int k = 0; k < GROUPS; k++) {
            const int group = backwards ? GROUPS - 1 - k : k;
            Count own = {0};
            for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
                sweepByHand(&wanted, group, lane, damped, &own);
            }
            CHECK_NEAR(swept.groups[group].error, own.error, 1e-12 * own.error);
            count.error = fmax(count.error, own.error);
            total.closes += own.closes;
            total.opens += own.opens;
            total.slides += own.slides;
            total.sticks += own.sticks;
            total.turns += own.turns;
        }
        double force, motion;
        compare(&swept, &wanted, &force, &motion);
        CHECK_LE(force, FORCE_ROUNDING);
        CHECK_LE(motion, MOTION_ROUNDING);
        CHECK_NEAR(error, count.error, 1e-12 * count.error);
        for (int i = 0; i < 6; i++) {
            CHECK_EQ(swept.motions[MOVERS].v[i], 0.0); // what does not move
        }
    }
    CHECK(total.closes >= 50 && total.opens >= 50 && total.slides >= 50 && total.sticks >= 50);
    CHECK_GE(total.turns, 30);
}

// Groups that were near to their laws are left out, and nothing of theirs changes; the others are swept as ever.
static void sweep__leaves_out_what_is_near_its_law(void)
{
    static Groups swept, before, wanted;
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 4; round++) {
        fillGroups(&swept, (uint64_t)(20 + round));
        before = wanted = swept;
        const bool backwards = round % 2 == 1;
        const double error = kernels->sweepGroups(swept.groups, GROUPS, backwards ? pbdr_sweepBackwards : 0,
                                                  5.0e-6, swept.rows, swept.motions, MOVERS);
        Count count = {0};
        int left = 0;
        for (int i = 0; i < GROUPS; i++) {
            const int k = backwards ? GROUPS - 1 - i : i;
            const pbdrSweepGroup* group = &before.groups[k];
            const bool skipped = group->error < 5.0e-6;
            for (int lane = 0; lane < PBDR_SWEEP_LANES && !skipped; lane++) {
                sweepByHand(&wanted, k, lane, false, &count);
            }
            const bool same = memcmp(swept.rows + group->firstRow, before.rows + group->firstRow,
                                     (size_t)group->rowCount * sizeof(pbdrSweepRow)) == 0;
            CHECK_EQ(same && swept.groups[k].error == group->error, skipped);
            left += skipped;
        }
        double force, motion;
        compare(&swept, &wanted, &force, &motion);
        CHECK_LE(force, FORCE_ROUNDING);
        CHECK_LE(motion, MOTION_ROUNDING);
        CHECK_NEAR(error, count.error, 1e-12 * count.error);
        CHECK(left >= 2 && left <= GROUPS - 2);
    }
}

static void push_and_work__are_those_of_all_rows(void)
{
    static Groups pushed, wanted;
    const pbdrKernels* kernels = getKernels(pbdr_simdScalar);
    for (int round = 0; round < 6; round++) {
        fillGroups(&pushed, (uint64_t)(30 + round));
        wanted = pushed;
        double work = 0.0, size = 0.0;
        for (int i = 0; i < GROUPS * PBDR_SWEEP_LANES; i++) {
            const int lane = i % PBDR_SWEEP_LANES;
            const pbdrSweepGroup* group = &wanted.groups[i / PBDR_SWEEP_LANES];
            const Pair before = getPair(&pushed, group, lane);
            Pair pair = getPair(&wanted, group, lane);
            for (int k = 0; k < group->rowCount; k++) {
                const pbdrSweepRow* row = &wanted.rows[group->firstRow + k];
                const pbdrVec3 f = pbdrAddScaled(pbdrReadLane(&row->friction, lane), row->force[lane],
                                                 pbdrReadLane(&row->n, lane)),
                               way =
                                   pbdrAdd(pbdrReadLane(&row->way, lane), getMove(group, row, lane, &before));
                addForce(group, row, lane, f, &pair);
                work += pbdrDot(f, way);
                size += pbdrLength(f) * pbdrLength(way);
            }
            const pbdrVec3 moment = pbdrReadLane(&group->moment, lane),
                           turn = pbdrAdd(pbdrReadLane(&group->turn, lane),
                                          pbdrSub(before.angular[0], before.angular[1]));
            addMoment(group, lane, moment, &pair);
            work += pbdrDot(moment, turn);
            setPair(&wanted, group, lane, &pair);
        }
        CHECK_NEAR(kernels->sumWork(pushed.groups, GROUPS, pushed.rows, pushed.motions), work, 1e-13 * size);
        CHECK_GE(fabs(work), 1e-3 * size);
        kernels->pushGroups(pushed.groups, GROUPS, pushed.rows, pushed.motions, MOVERS);
        double force, motion;
        compare(&pushed, &wanted, &force, &motion);
        CHECK_EQ(force, 0.0);
        CHECK_LE(motion, 10.0 * MOTION_ROUNDING);
    }
}

// Scalar code and AVX2 give the same bits.
static void twins__give_the_same_bits(void)
{
    static Groups all[2];
    if (!pbdrIsSimdSupported(pbdr_simdAvx2)) {
        SKIP("this CPU has no AVX2");
    }
    const pbdrKernels* twins[2] = {getKernels(pbdr_simdScalar), getKernels(pbdr_simdAvx2)};
    CHECK(twins[0] != twins[1]);
    for (int round = 0; round < 20; round++) {
        double errors[2], works[2];
        fillGroups(&all[0], (uint64_t)(50 + round));
        all[1] = all[0];
        for (int k = 0; k < 2; k++) {
            Groups* own = &all[k];
            errors[k] = 0.0;
            for (int kind = 0; kind < 4; kind++) { // forwards and backwards, damped or not
                errors[k] += twins[k]->sweepGroups(own->groups, GROUPS, (pbdrSweepKind)kind,
                                                   kind == 3 ? 1.0e-6 : 0.0, own->rows, own->motions, MOVERS);
            }
            twins[k]->pushGroups(own->groups + 1, GROUPS - 1, own->rows, own->motions, MOVERS);
            works[k] = twins[k]->sumWork(own->groups, GROUPS, own->rows, own->motions);
        }
        CHECK(memcmp(&all[0], &all[1], sizeof all[0]) == 0);
        CHECK(memcmp(&errors[0], &errors[1], sizeof errors[0]) == 0);
        CHECK(memcmp(&works[0], &works[1], sizeof works[0]) == 0);
    }
}

// --- Rows and groups ---

// No two lanes of a colour share a body that moves, every patch is there at most once, and rows are its items.
static int checkGroups(const pbdrSweeps* sweeps)
{
    const pbdrSolve* solve = sweeps->solve;
    int* colours = calloc((size_t)solve->moverCount + 1, sizeof(int)); // of the last group that has the mover
    int* times = calloc((size_t)solve->activePatchCount, sizeof(int));
    int lanes = 0, rows = 0;
    for (int k = 0; k < solve->moverCount; k++) {
        colours[k] = -1;
    }
    for (int k = 0; k < sweeps->groupCount; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[k];
        CHECK_EQ(group->firstRow, rows);
        rows += group->rowCount;
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            const int movers[2] = {group->moverA[lane], group->moverB[lane]};
            if (group->patch[lane] < 0) {
                CHECK(movers[0] == solve->moverCount && movers[1] == solve->moverCount);
                CHECK(group->massA[lane] == 0.0 && group->massB[lane] == 0.0);
                continue;
            }
            const pbdrActivePatch* active = &solve->activePatches[group->patch[lane]];
            CHECK_EQ(times[group->patch[lane]]++, 0);
            for (int side = 0; side < 2; side++) {
                const int mover = side == 0 ? active->moverA : active->moverB;
                CHECK_EQ(movers[side], mover >= 0 ? mover : solve->moverCount);
                if (mover >= 0) {
                    // groups of a colour stand together
                    CHECK(colours[mover] != group->colour);
                    colours[mover] = group->colour;
                }
            }
            int own = 0;
            for (int i = 0; i < group->rowCount; i++) {
                const int item = sweeps->rows[group->firstRow + i].item[lane];
                CHECK(item < 0 ||
                      (item >= active->law.first && item < active->law.first + active->law.count));
                own += item >= 0;
            }
            CHECK(own >= 1 && own <= PBDR_SWEEP_PICKS);
            lanes++;
        }
    }
    CHECK_EQ(sweeps->rowCount, rows);
    free(colours);
    free(times);
    return lanes;
}

// A wall of cubes in bond, made row by row or in no order, and a plate with so many cubes on it that colours run out.
static void groups__share_no_body_that_moves(void)
{
    for (int scene = 0; scene < 3; scene++) {
        pbdrWorld* world = makeConvergedOnGround(0.5);
        if (scene < 2) {
            for (int i = 0; i < 60; i++) {
                const int k = scene == 0 ? i : i * 37 % 60;
                addFacedCube(world, 2, pbdr_bodyDynamic, 0.5,
                             pbdrVec(0.2 * (k % 10) + 0.1 * (k / 10 % 2), 0.0, 0.1 + 0.2 * (k / 10)));
            }
        } else {
            pbdrShape* plate;
            pbdrBodyDef def = pbdrDefaultBodyDef();
            pbdrBodyId id;
            pbdrError error;
            require(pbdrCreateBoxShape(pbdrVec(2.2, 2.2, 0.2), 40.0, 4, &plate, &error), &error);
            def.position = pbdrVec(0.0, 0.0, 0.1);
            require(pbdrCreateBodyFromShape(world, &def, plate, &id, &error), &error);
            pbdrReleaseShape(plate);
            for (int k = 0; k < 81; k++) {
                addFacedCube(world, 2, pbdr_bodyDynamic, 0.5,
                             pbdrVec(0.21 * (k % 9 - 4), 0.21 * (k / 9 - 4), 0.3));
            }
        }
        pbdrSolve solve = begin(world);
        const pbdrSweeps sweeps = beginSweeps(&solve);
        const int lanes = checkGroups(&sweeps);
        int alone = 0;
        for (int k = 0; k < sweeps.groupCount; k++) {
            alone += sweeps.groups[k].colour >= 64;
        }
        if (scene < 2) {
            CHECK_GE(lanes, 110);
            CHECK_LE(sweeps.groupCount, lanes / 4 + 12); // lanes are well filled
            CHECK_EQ(alone, 0);
        } else {
            CHECK_GE(lanes, 82); // the ground and the cubes
            CHECK_GE(alone, 19);
        }
        pbdrDestroyWorld(world);
    }
}

// A cube of 5 x 5 probes a face: flat on the ground it stands on its corners; tilted, on the edge that is near.
static void rows__are_the_corners(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeConvergedOnGround(0.5);
        const pbdrBodyId cube =
            addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.0, 0.0, 0.1 + (k == 1 ? 6e-4 : 0.0)));
        if (k == 1) {
            pbdrPose pose = pbdrBody_GetPose(world, cube);
            pose.rotation = turnAbout(pbdrVec(0.0, 1.0, 0.0), 6e-3);
            pbdrBody_SetPose(world, cube, pose);
        }
        pbdrSolve solve = begin(world);
        const pbdrItems* items = pbdrGetItems(&solve);
        const pbdrSweepPick pick = pbdrPickRows(items, &solve.activePatches[0]);
        CHECK_EQ(pick.count, k == 0 ? 4 : 2);
        int corners = 0;
        for (int i = 0; i < pick.count; i++) {
            const pbdrVec3 lever = pbdrReadColumns(items, ITEM_LEVER, pick.items[i]);
            const bool corner = fabs(fabs(lever.x) - 0.1) < 1e-3 && fabs(fabs(lever.y) - 0.1) < 1e-3;
            CHECK(corner && (k == 0 || lever.x > 0.0));
            corners |= 1 << ((lever.x > 0.0 ? 2 : 0) + (lever.y > 0.0 ? 1 : 0));
        }
        CHECK_EQ(corners, k == 0 ? 15 : 12);
        // far above the ground: none
        double* ahead = pbdrGetColumn(items, ITEM_AHEAD);
        for (int i = 0; i < solve.activePatches[0].law.count; i++) {
            ahead[solve.activePatches[0].law.first + i] += 2e-3;
        }
        CHECK_EQ(pbdrPickRows(items, &solve.activePatches[0]).count, 0);
        pbdrDestroyWorld(world);
    }
}

// What bore load is a row again, few as they are; the corners stay as well.
static void rows__stay_what_they_were(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.5);
    addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.0, 0.0, 0.1));
    pbdrSolve solve = begin(world);
    const pbdrItems* items = pbdrGetItems(&solve);
    const pbdrPatchLaw* law = &solve.activePatches[0].law;
    double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    const pbdrSweepPick corners = pbdrPickRows(items, &solve.activePatches[0]);
    CHECK_GE(law->count, 25);
    for (int count = 1; count <= 12; count++) {
        int marked = 0, known = 0;
        for (int i = law->first; i < law->first + law->count; i++) {
            const pbdrVec3 lever = pbdrReadColumns(items, ITEM_LEVER, i);
            const bool inside = fabs(lever.x) < 0.09 || fabs(lever.y) < 0.09;
            touched[i] = inside && marked < count ? 1.0 : 0.0;
            marked += touched[i] > 0.0;
        }
        const pbdrSweepPick pick = pbdrPickRows(items, &solve.activePatches[0]);
        for (int i = 0; i < pick.count; i++) {
            known += touched[pick.items[i]] > 0.0;
            for (int j = 0; j < i; j++) {
                CHECK(pick.items[i] != pick.items[j]);
            }
        }
        CHECK_LE(pick.count, PBDR_SWEEP_PICKS);
        CHECK_EQ(marked, count);
        CHECK(count > 8 || known == count); // more than that were not swept
        CHECK_GE(pick.count, corners.count);
    }
    pbdrDestroyWorld(world);
}

// A patch that Newton's method left with a force on every item: rows bear as much in all, and rub as much.
static void rows__start_with_what_was_borne(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.5);
    const pbdrBodyId cube = addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.0, 0.0, 0.1));
    pbdrBody_SetForce(world, cube, pbdrVec(5.0, -3.0, 0.0));
    CHECK_EQ(stepCounting(world, 20), 0);
    pbdrSolve solve = begin(world);
    const pbdrSweeps sweeps = beginSweeps(&solve);
    const Laws laws = measureLaws(&sweeps);
    double load = 0.0;
    pbdrVec3 drag = {0.0, 0.0, 0.0};
    for (int k = 0; k < sweeps.rowCount; k++) {
        load += sweeps.rows[k].force[0];
        drag = pbdrAdd(drag, pbdrReadLane(&sweeps.rows[k].friction, 0));
    }
    CHECK(laws.loaded >= 4 && laws.loaded <= 8);
    CHECK_NEAR(load, 4.0 * GRAVITY, 1e-9);
    CHECK_NEAR(drag.x, -5.0, 1e-9);
    CHECK_NEAR(drag.y, 3.0, 1e-9);
    CHECK_NEAR(drag.z, 0.0, 1e-12);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sweep__is_the_law_row_by_row", sweep__is_the_law_row_by_row},
          {"sweep__leaves_out_what_is_near_its_law", sweep__leaves_out_what_is_near_its_law},
          {"push_and_work__are_those_of_all_rows", push_and_work__are_those_of_all_rows},
          {"twins__give_the_same_bits", twins__give_the_same_bits},
          {"groups__share_no_body_that_moves", groups__share_no_body_that_moves},
          {"rows__are_the_corners", rows__are_the_corners},
          {"rows__stay_what_they_were", rows__stay_what_they_were},
          {"rows__start_with_what_was_borne", rows__start_with_what_was_borne});
}
