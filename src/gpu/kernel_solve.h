// How an island is solved: tries of Newton's method, each from softer contacts than the one before if that has failed.
#ifndef PBDR_GPU_KERNEL_SOLVE_H
#define PBDR_GPU_KERNEL_SOLVE_H

#include "gpu/kernel_multipliers.h"

// A try begins: so many steps and updates more, gaps and slips that count as zero.
FN void beginTry(Solver* solver, int steps, int patience, int updates, double wanted)
{
    solver->last = solver->steps + steps;
    solver->patience = patience;
    solver->updates = UPDATES - updates;
    solver->wanted = wanted;
    solver->idle = 0;
    solver->lagged = 0;
    solver->best = solver->residual;
}

// What to do at the present state: evaluates (the mode says what for), or the try has ended, in *result. updated: the
// multipliers were, just now.
FN Mode decide(World* world, Solver* solver, int updated, const Scratch* scratch, double* share, int* result)
{
    const double tolerance = world->plan->tolerance;
    const int solved = solver->residual <= tolerance * solver->forces;
    const int near = solver->residual <= UPDATE_AT * solver->forces && solver->steps > 0 && !solver->lagged;
    *share = 0.0;
    if (solved || (near && !updated)) {
        measureRest(world, solver);
        if (most(solver->gap, solver->slip) <= solver->wanted || solver->updates >= UPDATES) {
            solver->updates = UPDATES;
            if (solved) {
                *result = 1;
                return modeEnd;
            }
        } else {
            solver->updates++;
            updateMultipliers(world, solver, scratch);
            return modeAgain;
        }
    }
    *result = 0;
    if (solver->steps >= solver->last) {
        return modeEnd;
    }
    *share = 1.0;
    if (solver->steps == 0 && solver->residual <= LAGGED_AT * solver->forces &&
        findLaggedStep(world, solver)) {
        solver->steps++;
        solver->lagged = 1;
        return modeLagged;
    }
    solver->lagged = 0;
    if (!findStep(world, solver, scratch)) {
        return modeEnd;
    }
    solver->steps++;
    return modeFull;
}

FN void restart(World* world, const Solver* solver)
{
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        if (isIn(solver, m)) {
            world->movers[m].y = world->movers[m].first;
        }
    }
}

// What multipliers say of contacts that they were not fitted to is a guess: they must not press a patch harder than EXCESS
// times what it bore.
FN int isOverloaded(const World* world, int index)
{
    const double* values = world->values;
    const Patch* patch = &world->patches[index];
    return patch->active && patch->carries &&
           patch->k * patch->presses > EXCESS * AT(patchSlot(world->plan, index) + PATCH_NORMAL);
}

// Returns whether one is changed.
FN int limitLoads(World* world)
{
    const double* values = world->values;
    int changed = 0;
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= countPatches(world->plan)) {
            break;
        }
        Patch* patch = &world->patches[p];
        if (isOverloaded(world, p)) {
            const double last = AT(patchSlot(world->plan, p) + PATCH_NORMAL);
            patch->lag = scaleTwist(last / (patch->k * patch->presses), patch->lag);
            changed = 1;
        }
    }
    return changed;
}

// Solves an island; its movers' y are where to start.
FN void solveIsland(World* world, Solver* solver, const Scratch* scratch)
{
    Mode mode = modeStart;
    Phase phase = phaseFirst;
    double share = 0.0, leastResidual = 0.0, bestShare = 1.0, width = 0.0, side = 0.0;
    int result = 0, first = 1;
    EACH_MOVER
    for (int m = 0; m < KERNEL_MOVERS; m++) {
        world->movers[m].step = noTwist();
    }
    for (;;) {
        place(world, solver, share);
        evaluate(world, solver, world->other, scratch);
        if (first) {
            first = 0;
            if (limitLoads(world)) {
                continue; // once more, with what they may press
            }
        }
        const double trial = solver->trialResidual;
        int ends = 0, decides = 0, updated = 0;
        if (mode == modeEnd) {
            solver->residual = trial;
            solver->forces = solver->trialForces;
            return;
        }
        if (mode == modeFull) {
            solver->dirty = 1;
            if (!(trial < 1.0e300)) {
                ends = 1;
                result = 0;
            } else if (trial <= 0.5 * solver->best && trial <= 0.5 * solver->trialForces) {
                accept(world, solver);
                solver->best = trial;
                decides = 1;
            } else if (solver->idle >= solver->patience) {
                ends = 1;
                result = solver->residual <= ROUNDING * solver->forces &&
                         most(solver->gap, solver->slip) <= ROUNDED_REST;
            } else {
                leastResidual = trial;
                bestShare = 1.0;
                mode = modeSearch;
                share = 0.6;
                continue;
            }
        } else if (mode == modeSearch) {
            const int better = trial < leastResidual;
            leastResidual = better ? trial : leastResidual;
            bestShare = better ? share : bestShare;
            share *= 0.6;
            if ((!better && leastResidual < 0.5 * solver->residual) || !(share > 1.0e-4)) {
                mode = modeNarrow;
                width = 0.2;
                side = -1.0;
                share = bestShare * (1.0 + side * width);
            }
            continue;
        } else if (mode == modeNarrow) {
            const int better = trial < leastResidual;
            leastResidual = better ? trial : leastResidual;
            bestShare = better ? share : bestShare;
            width = side > 0.0 ? 0.5 * width : width;
            side = -side;
            mode = width > 0.02 ? modeNarrow : modeBest;
            share = mode == modeNarrow ? bestShare * (1.0 + side * width) : bestShare;
            continue;
        } else {
            accept(world, solver);
            decides = 1;
            updated = mode == modeAgain;
            if (mode == modeBest) {
                solver->idle = solver->residual <= 0.9 * solver->best ? 0 : solver->idle + 1;
                solver->best = least(solver->best, solver->residual);
            } else if (mode == modeAgain) {
                solver->best = solver->residual;
                solver->idle = 0;
            } else if (mode == modeStart) {
                const int few = phase == phaseSoft || phase == phaseAfter;
                if (phase == phaseLast) {
                    beginTry(solver, 3, 0, 0, solver->worst);
                } else {
                    beginTry(solver, few ? STEPS / 2 : STEPS, PATIENCE, phase == phaseSoft ? 0 : UPDATES,
                             phase == phaseClimb && solver->softness > 1.0 ? LEVEL_REST : solver->rest);
                }
            }
        }
        if (decides) {
            mode = decide(world, solver, updated, scratch, &share, &result);
            ends = mode == modeEnd;
        }
        if (!ends) {
            continue;
        }
        // A try has ended: the next one, or none.
        share = 0.0;
        mode = modeStart;
        if (phase == phaseFirst && !result) {
            phase = phaseSoft;
            soften(world, solver, SOFTER);
            restart(world, solver);
            continue;
        }
        if (phase == phaseSoft) {
            phase = phaseAfter;
            soften(world, solver, 1.0 / SOFTER);
            continue;
        }
        if (phase == phaseAfter && !result) {
            phase = phaseClimb;
            soften(world, solver, SOFTEST * solver->hardness);
            restart(world, solver);
            continue;
        }
        if (phase == phaseClimb && result && solver->softness > 1.0) {
            soften(world, solver, 1.0 / least(LEVEL, solver->softness));
            continue;
        }
        if (phase != phaseLast && solver->residual > world->plan->tolerance * solver->forces &&
            solver->softness < solver->hardness) {
            // rounding goes with the stiffness: soft contacts bear the same forces, and balance them better
            phase = phaseLast;
            soften(world, solver, solver->hardness / solver->softness);
            continue;
        }
        if (!solver->dirty) {
            return;
        }
        mode = modeEnd; // the present state, once more: the last trial has left its own
    }
}

#if KERNEL_MOVERS == 1
// --- One body that goes on smoothly ---

#define SMOOTH_AT 1.0e-4 // residuals over the sum of forces from which the last inverse leads on
#define SMOOTH_STEPS 10
#define SMOOTH_GAIN 0.9 // of each step, at least
#define SMOOTH_UPDATES 2
#define NEARLY 1.0e-7 // residuals over the sum of forces at which gaps are known well enough for an update
// End gaps over those that count as zero that multipliers take over for the next substep.
#if KERNEL_PAIRS
#define TAKEN 0.01
#else
#define TAKEN 0.1
#endif

// What a body on a plane seldom needs stands apart, on a copy of what it reads: the registers of the loop around it are
// its own.
#if KERNEL_PAIRS
#define updateApart updateMultipliers
#define pressApart pressPatches
#else
RARE Twist updateOf(World* copy, const Solver* solver, const Scratch* scratch)
{
    updateMultipliers(copy, solver, scratch);
    return copy->patches[0].lag;
}

RARE Twist pressOf(World* copy, double gap, const Scratch* scratch)
{
    pressPatches(copy, gap, scratch);
    return copy->patches[0].lag;
}

FN void updateApart(World* world, const Solver* solver, const Scratch* scratch)
{
    World copy = *world;
    const Solver settings = *solver;
    const Scratch of = *scratch;
    world->patches[0].lag = updateOf(&copy, &settings, &of);
}

FN void pressApart(World* world, double gap, const Scratch* scratch)
{
    World copy = *world;
    const Scratch of = *scratch;
    world->patches[0].lag = pressOf(&copy, gap, &of);
}
#endif

// How solveSmoothly goes.
enum { smoothGoes, smoothEnds, smoothFails };

// Solves with steps of the last inverse alone, from where the last substeps lead: that is all that most substeps
// need, and short. Returns 0 where it is not enough: solveIsland is, from the last substep's y.
FN int solveSmoothly(World* world, Solver* solver, const Scratch* scratch)
{
    Mover* mover = &world->movers[0];
    double last = 0.0;
    int updates = 0, written = 0, state = smoothGoes;
    mover->at = mover->y;
    solver->wanted = solver->rest;
    for (int round = 0; round < SMOOTH_STEPS && state == smoothGoes; round++) {
        evaluate(world, solver, written ? world->other : 0, scratch);
        accept(world, solver);
        EACH_PATCH
        for (int p = 0; p < KERNEL_PATCHES; p++) {
            if (round == 0 && p < countPatches(world->plan) && isOverloaded(world, p)) {
                state = smoothFails;
            }
        }
        const int solved = solver->residual <= world->plan->tolerance * solver->forces;
        measureRest(world, solver);
        const int rests = most(solver->gap, solver->slip) <= solver->rest;
        if (state == smoothFails) {
            // nothing: what multipliers say is no guess
        } else if (solved && rests && written) {
            state = smoothEnds;
        } else if (!rests &&
                   (solved || (written && updates == 0 && solver->residual <= NEARLY * solver->forces))) {
            if (KERNEL_QUICK || updates == SMOOTH_UPDATES) {
                state = smoothFails;
            } else {
#if !KERNEL_QUICK
                updates++;
                updateApart(world, solver, scratch);
                last = 0.0;
#endif
            }
        } else if (!solved) {
            if (!(solver->residual <= (last > 0.0 ? SMOOTH_GAIN * last : SMOOTH_AT * solver->forces))) {
                state = smoothFails;
            } else {
                last = solver->residual;
                findLaggedStep(world, solver);
                place(world, solver, 1.0);
                solver->steps++;
            }
        }
        written = 1; // a first state is seldom the last: its forces need no place
    }
    MEET(state);
    if (state == smoothEnds && solver->gap > TAKEN * solver->rest) {
#if KERNEL_QUICK && !KERNEL_PAIRS
        state = smoothFails;
#else
        // the springs give over to the multipliers what they bear, for the next substep
        pressApart(world, solver->gap, scratch);
#endif
    }
    return state == smoothEnds;
}
#endif

#endif
