// Exact solves of what sweeps hold (subspace.c), on islands of a world.
#include "unit/xpbdr_solves.h"

// Cubes on each other, each a little aside and turned, so that the tower stands.
static pbdrWorld* makeTower(int count, uint64_t seed, double friction)
{
    seedSurfaces(seed);
    pbdrWorld* world = makeConvergedOnGround(friction);
    for (int k = 0; k < count; k++) {
        const double x = randomIn(-0.01, 0.01), y = randomIn(-0.01, 0.01), turn = randomIn(-0.5, 0.5);
        const pbdrBodyId cube =
            addFacedCube(world, 3, pbdr_bodyDynamic, friction, pbdrVec(x, y, 0.1 + 0.2 * k));
        pbdrPose pose = pbdrBody_GetPose(world, cube);
        pose.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), turn);
        pbdrBody_SetPose(world, cube, pose);
    }
    return world;
}

// Every patch bears what stands on it, all its rows together.
static void checkLoads(const pbdrSweeps* sweeps, int count, double tolerance)
{
    const pbdrSolve* solve = sweeps->solve;
    pbdrVec3 sums[32] = {{0.0, 0.0, 0.0}}; // by the body above
    CHECK_LE(count, 32);
    for (int k = 0; k < PBDR_SWEEP_LANES * sweeps->groupCount; k++) {
        const pbdrSweepGroup* group = &sweeps->groups[k / PBDR_SWEEP_LANES];
        const int lane = k % PBDR_SWEEP_LANES;
        if (group->patch[lane] < 0) {
            continue;
        }
        const pbdrActivePatch* active = &solve->activePatches[group->patch[lane]];
        // bodies are numbered from the ground up
        const int a = active->moverA >= 0 ? solve->movers[active->moverA].body : -1;
        const int b = active->moverB >= 0 ? solve->movers[active->moverB].body : -1;
        const double side = a > b ? 1.0 : -1.0;
        pbdrVec3* sum = &sums[a > b ? a : b];
        for (int i = group->firstRow; i < group->firstRow + group->rowCount; i++) {
            const pbdrSweepRow* row = &sweeps->rows[i];
            *sum = pbdrAddScaled(*sum, side * row->force[lane], pbdrReadLane(&row->n, lane));
            *sum = pbdrAddScaled(*sum, side, pbdrReadLane(&row->friction, lane));
        }
    }
    for (int k = 0; k < count; k++) {
        CHECK_NEAR(sums[k].z, 4.0 * GRAVITY * (count - k), tolerance);
        CHECK_LE(fmax(fabs(sums[k].x), fabs(sums[k].y)), tolerance);
    }
}

static void setFriction(const pbdrSweeps* sweeps, bool there)
{
    for (int k = 0; k < sweeps->groupCount; k++) {
        for (int lane = 0; lane < PBDR_SWEEP_LANES; lane++) {
            const int patch = sweeps->groups[k].patch[lane];
            sweeps->groups[k].mu[lane] =
                there && patch >= 0 ? sweeps->solve->activePatches[patch].law.mu : 0.0;
        }
    }
}

// A tower that is set down, as its first substep is solved: after ten sweeps without friction one exact solve leaves
// nothing, and so does one with friction: every contact bears what stands on it.
static void towers__are_solved_exactly(void)
{
    for (int trial = 0; trial < 12; trial++) {
        const int count = 1 + trial;
        pbdrWorld* world = makeTower(count, (uint64_t)(1 + trial), trial % 3 == 0 ? 0.2 : 0.8);
        pbdrSolve solve = begin(world);
        pbdrSweeps sweeps = beginSweeps(&solve);
        setFriction(&sweeps, false);
        for (int k = 0; k < 10; k++) {
            sweepOnce(&sweeps, k);
        }
        CHECK_GE(sweeps.error, count > 1 ? 1e-8 : 0.0);
        for (int k = 0; k < 2; k++) {
            setFriction(&sweeps, k == 1);
            int added = 0;
            do {                         // with the contacts that four rows of a patch do not hold
                sweeps.error = HUGE_VAL; // exact already without friction: nothing is better
                CHECK(pbdrSolveSubspace(&sweeps, k == 0 ? 1e-9 : -1.0, pbdr_solveHard));
                CHECK_LE(sweeps.error, 1e-16);
                const Laws laws = measureLaws(&sweeps);
                CHECK_LE(fmax(laws.gap, fmax(laws.open, laws.slip)), 1e-16);
                CHECK_LE(laws.excess, 1e-11);
                CHECK_EQ(laws.pull, 0.0);
                added = pbdrAddDeepRows(&sweeps, 1e-10);
            } while (added > 0);
            // to the rounding of the contacts' gaps, 1e-16 m of the 1e-5 m that gravity closes
            checkLoads(&sweeps, count, 1e-8);
        }
        CHECK_GE(solve.steps, 2);
        pbdrDestroyWorld(world);
    }
}

// Without any sweep: what is near holds, whatever it bears.
static void near__contacts_hold_from_the_first_solve_on(void)
{
    for (int trial = 0; trial < 6; trial++) {
        const int count = 4 + 2 * trial;
        pbdrWorld* world = makeTower(count, (uint64_t)(40 + trial), 0.5);
        pbdrSolve solve = begin(world);
        pbdrSweeps sweeps = beginSweeps(&solve);
        sweeps.error = HUGE_VAL;
        CHECK(pbdrSolveSubspace(&sweeps, 1e-9, pbdr_solveHard));
        CHECK_LE(sweeps.error, 1e-16);
        checkLoads(&sweeps, count, 1e-8);
        pbdrDestroyWorld(world);
    }
}

// All cubes slide together, over ground of less friction than is between them: every one is slowed by mu g. There
// friction is at its bound, against the motion; higher up it carries what slows the rest.
static void sliding__is_solved_exactly(void)
{
    for (int count = 1; count <= 5; count += 2) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), TIME_STEP);
        addGround(world, 0.05);
        for (int k = 0; k < count; k++) {
            const pbdrBodyId cube =
                addFacedCube(world, 3, pbdr_bodyDynamic, 0.2, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k));
            pbdrBody_SetVelocity(world, cube, (pbdrVelocity){{0.4, 0.3, 0.0}, {0.0, 0.0, 0.0}});
        }
        pbdrSolve solve = begin(world);
        pbdrSweepIsland(&solve);
        const pbdrSweeps sweeps = lookAtSweeps(&solve);
        const Laws laws = measureLaws(&sweeps);
        CHECK_LE(fmax(laws.gap, fmax(laws.open, laws.slip)), 1e-16);
        CHECK_GE(laws.slipping,
                 3); // of four rows on the ground, among which the load may be shared in many ways
        CHECK_LE(laws.along, 1e-7); // acos of 1 - 2e-16
        double mu = 1.0;            // the ground's
        for (int k = 0; k < PBDR_SWEEP_LANES * sweeps.groupCount; k++) {
            const pbdrSweepGroup* group = &sweeps.groups[k / PBDR_SWEEP_LANES];
            const int lane = k % PBDR_SWEEP_LANES;
            mu = group->patch[lane] >= 0 ? fmin(mu, group->mu[lane]) : mu;
        }
        CHECK(mu > 0.01 && mu < 0.2);
        for (int k = 0; k < solve.moverCount; k++) {
            const double* y = sweeps.motions[k].v;
            CHECK_NEAR(y[0], -0.8 * mu * GRAVITY * TIME_STEP * TIME_STEP, 1e-16);
            CHECK_NEAR(y[1], -0.6 * mu * GRAVITY * TIME_STEP * TIME_STEP, 1e-16);
            CHECK_NEAR(y[2], 0.0, 1e-16);
        }
        pbdrDestroyWorld(world);
    }
}

// Forces and friction of all rows, to compare.
static pbdrSweepForce* copyForces(const pbdrSweeps* sweeps)
{
    pbdrSweepForce* forces = aligned_alloc(32, (size_t)sweeps->rowCount * sizeof *forces);
    for (int k = 0; k < sweeps->rowCount; k++) {
        forces[k].friction = sweeps->rows[k].friction;
        memcpy(forces[k].force, sweeps->rows[k].force, sizeof forces[k].force);
    }
    return forces;
}

static void checkForces(const pbdrSweeps* sweeps, const pbdrSweepForce* forces)
{
    for (int k = 0; k < sweeps->rowCount; k++) {
        CHECK(memcmp(&forces[k].friction, &sweeps->rows[k].friction, sizeof forces[k].friction) == 0);
        CHECK(memcmp(forces[k].force, sweeps->rows[k].force, sizeof forces[k].force) == 0);
    }
}

static void* takeNothing(void* context, size_t size, size_t alignment)
{
    (void)context, (void)size, (void)alignment;
    return NULL;
}

// Where nothing comes of it the rows bear what they bore, and the bodies move as that moves them: a solve that is no
// better than what there was, one without memory, and one with a number that is none.
static void failure__changes_nothing(void)
{
    for (int kind = 0; kind < 3; kind++) {
        pbdrWorld* world = makeTower(6, 60, 0.6);
        pbdrSolve solve = begin(world);
        pbdrSweeps sweeps = beginSweeps(&solve);
        for (int k = 0; k < 5; k++) {
            sweepOnce(&sweeps, k);
        }
        pbdrPushRows(&sweeps);
        pbdrSweepMotion motions[7];
        memcpy(motions, sweeps.motions, sizeof motions);
        pbdrSweepForce* forces = copyForces(&sweeps);
        const pbdrHooks hooks = solve.worker->memory.hooks;
        if (kind == 0) {
            sweeps.error = 0.0;
        } else if (kind == 1) {
            solve.worker->memory.hooks.allocate = takeNothing;
        } else {
            solve.movers[2].inertia.m[1][1] = (double)NAN;
        }
        const double error = sweeps.error;
        CHECK(!pbdrSolveSubspace(&sweeps, 1e-9, pbdr_solveHard));
        solve.worker->memory.hooks = hooks;
        checkForces(&sweeps, forces);
        CHECK(memcmp(motions, sweeps.motions, sizeof motions) == 0);
        CHECK_EQ(sweeps.error, error);
        free(forces);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"towers__are_solved_exactly", towers__are_solved_exactly},
          {"near__contacts_hold_from_the_first_solve_on", near__contacts_hold_from_the_first_solve_on},
          {"sliding__is_solved_exactly", sliding__is_solved_exactly},
          {"failure__changes_nothing", failure__changes_nothing});
}
