// Parts of a large island (sweep_parts.c): every patch in one, and no body that moves in two that may run at once.
#include "unit/xpbdr_solves.h"

// A row of boxes on the floor, several deep and high, that touch each other.
#define LONG 24
#define DEEP 3
#define HIGH 3

static pbdrWorld* makeRow(bool along)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.1, 0.1, 0.1), 1.0, 2, &shape, &error), &error);
    for (int i = 0; i < LONG * DEEP * HIGH; i++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        const double far = 0.1 * (i % LONG), aside = 0.1 * (i / LONG % DEEP);
        body.position = pbdrVec(along ? far : aside, along ? aside : far, 0.05 + 0.1 * (i / (LONG * DEEP)));
        require(pbdrCreateBodyFromShape(world, &body, shape, NULL, &error), &error);
    }
    pbdrReleaseShape(shape);
    return world;
}

// The parts that a mover has patches in, as bits.
static void markMovers(const pbdrSweeps* sweeps, uint64_t* marks)
{
    const pbdrSolve* solve = sweeps->solve;
    for (int p = 0; p < sweeps->partCount; p++) {
        const pbdrSweepPart* part = &sweeps->parts[p];
        for (int k = part->firstPatch; k < part->firstPatch + part->patchCount; k++) {
            const pbdrActivePatch* active = &solve->activePatches[sweeps->order[k]];
            const int sides[2] = {active->moverA, active->moverB};
            for (int i = 0; i < 2; i++) {
                if (sides[i] >= 0) {
                    marks[sides[i]] |= (uint64_t)1 << p;
                }
            }
        }
    }
}

static void parts__have_every_patch_once(void)
{
    for (int along = 0; along < 2; along++) {
        pbdrWorld* world = makeRow(along != 0);
        pbdrSolve solve = begin(world);
        pbdrSweeps sweeps = {.solve = &solve};
        CHECK(pbdrDivideIsland(&sweeps));
        CHECK_GE(sweeps.slabCount, 4);
        CHECK_EQ(sweeps.partCount, 2 * sweeps.slabCount);
        int counts[4000] = {0}, total = 0;
        CHECK_LE(solve.activePatchCount, 4000);
        for (int p = 0; p < sweeps.partCount; p++) {
            CHECK_EQ(sweeps.parts[p].firstPatch, total);
            total += sweeps.parts[p].patchCount;
        }
        CHECK_EQ(total, solve.activePatchCount);
        for (int k = 0; k < total; k++) {
            counts[sweeps.order[k]]++;
        }
        for (int k = 0; k < total; k++) {
            CHECK_EQ(counts[k], 1);
        }
        // slabs are of whole layers of boxes, and none has two more than another
        int boxes[PBDR_SWEEP_SLABS] = {0}, most = 0, least = solve.moverCount;
        for (int k = 0; k < solve.moverCount; k++) {
            boxes[solve.movers[k].slab]++;
        }
        for (int k = 0; k < sweeps.slabCount; k++) {
            most = boxes[k] > most ? boxes[k] : most;
            least = boxes[k] < least ? boxes[k] : least;
        }
        CHECK_GE(least, 1);
        CHECK_LE(most - least, 2 * DEEP * HIGH);
        pbdrDestroyWorld(world);
    }
}

static void parts__that_run_at_once_share_no_body(void)
{
    pbdrWorld* world = makeRow(true);
    pbdrSolve solve = begin(world);
    pbdrSweeps sweeps = {.solve = &solve};
    CHECK(pbdrDivideIsland(&sweeps));
    uint64_t marks[LONG * DEEP * HIGH] = {0};
    CHECK_EQ(solve.moverCount, LONG * DEEP * HIGH);
    markMovers(&sweeps, marks);
    uint64_t slabs = 0, even = 0, odd = 0;
    for (int k = 0; k < sweeps.slabCount; k++) {
        slabs |= (uint64_t)1 << 2 * k;
        *(k % 2 == 0 ? &even : &odd) |= k < sweeps.slabCount - 1 ? (uint64_t)1 << (2 * k + 1) : 0;
    }
    const uint64_t phases[3] = {slabs, even, odd};
    int joined = 0;
    for (int k = 0; k < solve.moverCount; k++) {
        for (int phase = 0; phase < 3; phase++) {
            const uint64_t own = marks[k] & phases[phase];
            CHECK((own & (own - 1)) == 0);
        }
        joined += (marks[k] & (even | odd)) != 0;
    }
    CHECK_GE(joined, 2 * DEEP * HIGH * (sweeps.slabCount - 1) / 2);
    pbdrDestroyWorld(world);
}

// The order in which phases run, one thread, there and back.
static int seen[2][2 * PBDR_SWEEP_PARTS], seenCount[2], turn;
static void see(pbdrSweeps* sweeps, pbdrSweepPart* part)
{
    seen[turn][seenCount[turn]++] = (int)(part - sweeps->parts);
}

static void phases__run_backwards_in_the_other_order(void)
{
    pbdrWorld* world = makeRow(true);
    pbdrSolve solve = begin(world);
    pbdrSweeps sweeps = {.solve = &solve};
    CHECK(pbdrDivideIsland(&sweeps));
    for (turn = 0; turn < 2; turn++) {
        seenCount[turn] = 0;
        pbdrRunPhases(&sweeps, see, turn == 1);
        CHECK_EQ(seenCount[turn], sweeps.partCount);
    }
    CHECK_EQ(seen[0][0] % 2, 0);                                   // slabs first
    CHECK_EQ(seen[0][sweeps.partCount - 1], sweeps.partCount - 1); // the rest last
    CHECK_EQ(seen[1][0], sweeps.partCount - 1);
    CHECK_EQ(seen[1][sweeps.partCount - 1] % 2, 0);
    pbdrDestroyWorld(world);
}

static void small_islands__are_one_part(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.1, 0.1, 0.1), 1.0, 2, &shape, &error), &error);
    for (int i = 0; i < 20; i++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = pbdrVec(0.1 * i, 0.0, 0.05);
        require(pbdrCreateBodyFromShape(world, &body, shape, NULL, &error), &error);
    }
    pbdrReleaseShape(shape);
    pbdrSolve solve = begin(world);
    pbdrSweeps sweeps = {.solve = &solve};
    CHECK(pbdrDivideIsland(&sweeps));
    CHECK_EQ(sweeps.partCount, 1);
    CHECK_EQ(sweeps.parts[0].patchCount, solve.activePatchCount);
    for (int k = 0; k < solve.activePatchCount; k++) {
        CHECK_EQ(sweeps.order[k], k);
    }
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"parts__have_every_patch_once", parts__have_every_patch_once},
          {"parts__that_run_at_once_share_no_body", parts__that_run_at_once_share_no_body},
          {"phases__run_backwards_in_the_other_order", phases__run_backwards_in_the_other_order},
          {"small_islands__are_one_part", small_islands__are_one_part});
}
