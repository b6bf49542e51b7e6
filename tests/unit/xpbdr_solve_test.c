// The parts of an island's solve that no scene shows by itself: what sweeps leave, and how multipliers begin.
#include "unit/xpbdr_solves.h"

// --- Sweeps of an island ---

// Forces that contacts put on the movers, by what these do: M y/dt^2 less the load, about the origin; the sum of their
// sizes.
static double sumPulls(const pbdrSweeps* sweeps, pbdrVec3* force, pbdrVec3* moment)
{
    const pbdrSolve* solve = sweeps->solve;
    double size = 0.0;
    *force = *moment = pbdrVec(0.0, 0.0, 0.0);
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        const double* y = sweeps->motions[k].v;
        const pbdrVec3 centre = pbdrGetBody(solve->world->scene, mover->body)->centre;
        const pbdrVec3 pull = pbdrSub(pbdrScale(solve->perStep * mover->mass, pbdrVec(y[0], y[1], y[2])),
                                      pbdrGetLinear(&mover->load));
        const pbdrVec3 spin = pbdrMulMV(&mover->inertia, pbdrVec(y[3], y[4], y[5]));
        const pbdrVec3 turn = pbdrSub(pbdrScale(solve->perStep, spin), pbdrGetAngular(&mover->load));
        *force = pbdrAdd(*force, pull);
        *moment = pbdrAdd(*moment, pbdrAdd(turn, pbdrCross(centre, pull)));
        size += pbdrLength(pull);
    }
    return size;
}

// A cube that is tilted by 1.5 mrad hits another with its lower edge, sliding; no plane holds them.
static pbdrWorld* makeCollision(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), TIME_STEP);
    addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.0));
    const pbdrBodyId upper =
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.03, 0.0, 0.2 + 0.5 * 0.2 * 1.5e-3));
    pbdrPose pose = pbdrBody_GetPose(world, upper);
    pose.rotation = turnAbout(pbdrVec(0.0, 1.0, 0.0), 1.5e-3);
    pbdrBody_SetPose(world, upper, pose);
    pbdrBody_SetVelocity(world, upper, (pbdrVelocity){{2.0, 0.3, -1.0}, {0.0, 0.0, 0.0}});
    return world;
}

// P and L of two free bodies stay to rounding, in every sweep.
static void sweeps__keep_momentum(void)
{
    pbdrWorld* world = makeCollision();
    pbdrSolve solve = begin(world);
    pbdrSweeps sweeps = beginSweeps(&solve);
    for (int k = 0; k < 30; k++) {
        pbdrVec3 force, moment;
        sweepOnce(&sweeps, k);
        const double size = sumPulls(&sweeps, &force, &moment);
        CHECK_GE(size, 100.0);
        CHECK_LE(pbdrLength(force), 1e-12 * size);
        CHECK_LE(pbdrLength(moment), 1e-12 * size);
    }
    pbdrDestroyWorld(world);
}

// The upper edge goes in, of which no row knows at first: it becomes a row, once.
static void deep__contacts_become_rows(void)
{
    pbdrWorld* world = makeCollision();
    pbdrSolve solve = begin(world);
    pbdrSweeps sweeps = beginSweeps(&solve);
    for (int k = 0; k < 200; k++) {
        sweepOnce(&sweeps, k);
    }
    int added = 0, rounds = 0, again = 1;
    const int before = sweeps.rowCount;
    while (again > 0 && rounds < 40) {
        again = pbdrAddDeepRows(&sweeps, 1e-7);
        added += again;
        rounds++;
        for (int k = 0; k < 400; k++) {
            sweepOnce(&sweeps, k);
        }
    }
    CHECK_EQ(again, 0);
    CHECK_GE(added, 1);
    CHECK_EQ(sweeps.rowCount, before + added); // two bodies share a patch at most: one lane a group
    double* marks = pbdrGetColumn(pbdrGetItems(&solve), ITEM_ROW);
    pbdrMarkRows(&sweeps, &sweeps.parts[0]);
    int marked = 0, lanes = 0;
    for (int k = 0; k < solve.activePatchCount; k++) {
        const pbdrPatchLaw* law = &solve.activePatches[k].law;
        for (int i = law->first; i < law->first + law->count; i++) {
            marked += marks[i] > 0.0;
        }
        CHECK_EQ(pbdrFindDeepest(&sweeps, &solve.activePatches[k], 1e-7), -1);
        // all of them marked no more, the deepest is within the rounding of the sweeps
        memset(marks + law->first, 0, (size_t)law->count * sizeof *marks);
        CHECK_EQ(pbdrFindDeepest(&sweeps, &solve.activePatches[k], 1e-7), -1);
    }
    for (int k = 0; k < 4 * sweeps.rowCount; k++) {
        lanes += sweeps.rows[k / 4].item[k % 4] >= 0;
    }
    CHECK_EQ(marked, lanes); // none twice
    pbdrDestroyWorld(world);
}

// Checks what pbdrSweepIsland left: every row keeps its law, no item goes in, and the items bear what moves the bodies.
static Laws checkSwept(pbdrSolve* solve, double error)
{
    const pbdrSweeps sweeps = lookAtSweeps(solve);
    const Laws laws = measureLaws(&sweeps);
    const pbdrItems* items = pbdrGetItems(solve);
    CHECK_LE(laws.gap, error);
    CHECK_LE(laws.open, error);
    CHECK_LE(laws.slip, error);
    CHECK_EQ(laws.pull, 0.0);
    CHECK_LE(laws.excess, 1e-11);
    CHECK_LE(laws.lifts, 1e-11);
    const double* touched = pbdrGetColumn(items, ITEM_TOUCHED);
    pbdrTwist pulls[8] = {{{0.0}}};
    int bearing = 0;
    for (int k = 0; k < solve->activePatchCount; k++) {
        const pbdrActivePatch* active = &solve->activePatches[k];
        for (int i = active->law.first; i < active->law.first + active->law.count; i++) {
            const pbdrVec3 f = pbdrReadColumns(items, ITEM_FORCE, i),
                           r = pbdrReadColumns(items, ITEM_LEVER, i),
                           n = pbdrReadColumns(items, ITEM_NORMAL, i),
                           t = pbdrReadColumns(items, ITEM_FRICTION, i);
            CHECK_EQ(touched[i] > 0.0, pbdrLength(f) > 0.0);
            CHECK_LE(pbdrLength(pbdrSub(pbdrAddScaled(t, pbdrDot(f, n), n), f)), 1e-11);
            bearing += touched[i] > 0.0;
            const pbdrTwist onA = pbdrMakeTwist(f, pbdrCross(r, f)),
                            onB = pbdrMakeTwist(f, pbdrCross(pbdrAdd(r, active->between), f));
            if (active->moverA >= 0) {
                pbdrAddTwist(&pulls[active->moverA], 1.0, &onA);
            }
            if (active->moverB >= 0) {
                pbdrAddTwist(&pulls[active->moverB], -1.0, &onB);
            }
        }
    }
    CHECK_EQ(bearing, laws.loaded);
    for (int k = 0; k < solve->moverCount; k++) {
        const pbdrMover* mover = &solve->movers[k];
        const pbdrVec3 linear = pbdrScale(solve->perStep * mover->mass, pbdrGetLinear(&mover->y)),
                       angular =
                           pbdrScale(solve->perStep, pbdrMulMV(&mover->inertia, pbdrGetAngular(&mover->y)));
        pbdrTwist left = pbdrMakeTwist(linear, angular);
        pbdrAddTwist(&left, -1.0, &mover->load);
        pbdrAddTwist(&left, -1.0, &pulls[k]);
        CHECK_LE(pbdrLength(pbdrGetLinear(&left)), 1e-9);
        CHECK_LE(pbdrLength(pbdrGetAngular(&left)), 1e-9);
        CHECK(mover->swept && mover->loaded);
    }
    CHECK_EQ(solve->island->flags, 0);
    return laws;
}

// Two cubes on the ground, the upper one pushed so that it stays, slides, or rocks on its edge.
static void stack__obeys_the_laws(void)
{
    const double pushes[3] = {6.0, 25.0, 0.0};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConvergedOnGround(0.4);
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1));
        const pbdrBodyId upper = addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.03, 0.01, 0.3));
        pbdrBody_SetForce(world, upper, pbdrVec(pushes[k], 0.4 * pushes[k], 0.0));
        pbdrBody_SetTorque(world, upper, pbdrVec(0.0, k == 2 ? 5.0 : 0.0, 0.5));
        pbdrSolve solve = begin(world);
        pbdrSweepIsland(&solve);
        // what sticks is solved exactly; sliding ones are not always, and 60 sweeps leave 1.4e-9 m
        const double error = k == 1 ? 5e-9 : 1e-14;
        const Laws laws = checkSwept(&solve, error);
        CHECK_GE(laws.loaded, k == 2 ? 5 : 6);
        CHECK_EQ(laws.slipping > 0, k == 1);
        CHECK_LE(laws.along, k == 1 ? 2e-3 : 0.0); // slips of 2e-6 m to 1e-9 m
        // no item goes in by more than what makes it a row
        const pbdrSweeps sweeps = lookAtSweeps(&solve);
        for (int i = 0; i < solve.activePatchCount; i++) {
            CHECK_EQ(pbdrFindDeepest(&sweeps, &solve.activePatches[i], fmax(1.1e-10, 10.0 * error)), -1);
        }
        CHECK_LE(solve.island->residual, 2.0 * error / (GRAVITY * TIME_STEP * TIME_STEP));
        CHECK_GE(solve.island->sweepCount, 1);
        pbdrDestroyWorld(world);
    }
}

// Newton's method leaves a force on every item of two cubes at rest. Sweeps put them on a few rows, and no item keeps
// what it bore; nothing moves.
static void stack__that_newton_solved_is_swept(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1));
    addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.02, 0.01, 0.3));
    CHECK_EQ(stepCounting(world, 20), 0);
    static pbdrContact contacts[256];
    CHECK_GE(pbdrWorld_GetContacts(world, contacts, 256), 24);
    pbdrSolve solve = begin(world);
    pbdrSweepIsland(&solve);
    const Laws laws = checkSwept(&solve, 1e-14);
    CHECK(laws.loaded >= 6 && laws.loaded <= 16);
    for (int k = 0; k < 2; k++) {
        // Newton's method leaves gaps and slips of 1e-8 m/s^2 times dt^2
        CHECK_LE(pbdrLength(pbdrGetLinear(&solve.movers[k].y)), 1e-14);
    }
    pbdrDestroyWorld(world);
}

// The collision of two free cubes: not flagged, so no contact is farther from its law than gravity goes in a substep,
// 1 % of the way that it takes back.
static void collision__obeys_the_laws(void)
{
    pbdrWorld* world = makeCollision();
    pbdrSolve solve = begin(world);
    pbdrSweepIsland(&solve);
    const Laws laws = checkSwept(&solve, GRAVITY * TIME_STEP * TIME_STEP);
    CHECK_GE(laws.loaded, 3);
    CHECK_GE(laws.slipping, 1);
    CHECK_LE(laws.along, 1e-3);
    pbdrDestroyWorld(world);
}

// Overlap of bodies at rest: up to 0.1 mm stays, so that nothing is lifted; of what is deeper a fifth goes.
static void overlap__is_taken_back_gently(void)
{
    const double overlaps[3] = {5e-7, 0.9e-4, 4e-4}, ways[3] = {0.0, 0.0, 0.2 * 3e-4};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), TIME_STEP);
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.0));
        addFacedCube(world, 3, pbdr_bodyDynamic, 0.4, pbdrVec(0.03, 0.02, 0.2 - overlaps[k]));
        pbdrSolve solve = begin(world);
        pbdrSweepIsland(&solve);
        const pbdrTwist parts =
            pbdrSubtractTwist(&solve.movers[1].y, &solve.movers[0].y, pbdrVec(0.03, 0.02, 0.2));
        // from the upper one's centre to the middle of the contacts
        const pbdrVec3 lever = {-0.015, -0.01, -0.1};
        CHECK_NEAR(pbdrMoveLever(&parts, lever).z, ways[k], 1e-3 * ways[k]);
        pbdrDestroyWorld(world);
    }
}

// Gaps of fourteen cubes that are rounding, set down: they do not move.
static void rounding__does_not_move_what_rests(void)
{
    pbdrBodyId cubes[14]; // more than Newton's method is tried on
    pbdrWorld* world = makeConvergedOnGround(0.4);
    for (int k = 0; k < 14; k++) {
        cubes[k] = addFacedCube(world, 2, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k));
    }
    CHECK_EQ(stepCounting(world, 50), 0);
    for (int k = 0; k < 14; k++) {
        CHECK_LE(pbdrLength(pbdrBody_GetVelocity(world, cubes[k]).linear), 1e-13);
        CHECK_NEAR(pbdrBody_GetPose(world, cubes[k]).position.z, 0.1 + 0.2 * k, 1e-14);
    }
    pbdrDestroyWorld(world);
}

// A tower of eight cubes under a ceiling that is too low by 1 mm: that it cannot be parted is flagged, and then it is
// solved with its overlaps.
static void sweeps__that_leave_gaps_are_flagged(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    addPlane(world, pbdrVec(0.0, 0.0, -1.0), -(8 * 0.2 - 1e-3), 0.4);
    for (int k = 0; k < 8; k++) {
        addFacedCube(world, 2, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k));
    }
    pbdrSolve solve = begin(world);
    pbdrSweepIsland(&solve);
    CHECK_EQ(solve.island->flags, pbdr_stepNotConverged);
    CHECK_LE(solve.island->residual, 1e-9); // an error over itself and what gravity closes
    CHECK_GE(solve.island->sweepCount, 1);
    pbdrDestroyWorld(world);
}

// --- Multipliers of Newton's method ---

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
    pbdrEvaluateAgain(&solve);
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
    CASES(argc, argv, {"sweeps__keep_momentum", sweeps__keep_momentum},
          {"deep__contacts_become_rows", deep__contacts_become_rows},
          {"stack__obeys_the_laws", stack__obeys_the_laws},
          {"stack__that_newton_solved_is_swept", stack__that_newton_solved_is_swept},
          {"collision__obeys_the_laws", collision__obeys_the_laws},
          {"overlap__is_taken_back_gently", overlap__is_taken_back_gently},
          {"rounding__does_not_move_what_rests", rounding__does_not_move_what_rests},
          {"sweeps__that_leave_gaps_are_flagged", sweeps__that_leave_gaps_are_flagged},
          {"fit__of_one_contact_turns_nothing", fit__of_one_contact_turns_nothing},
          {"load__is_no_more_than_the_patch_bore", load__is_no_more_than_the_patch_bore});
}
