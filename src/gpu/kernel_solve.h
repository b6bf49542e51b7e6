// How an island is solved: tries of Newton's method, each from softer contacts than the one before if that has failed.
#ifndef PBDR_GPU_KERNEL_SOLVE_H
#define PBDR_GPU_KERNEL_SOLVE_H

#include "gpu/kernel_multipliers.h"

// What is rare stands apart, on a copy of what it reads: the registers of the loop around it are its own.
#if KERNEL_MOVERS == 1
RARE int findStepOf(World* copy, Solver solver, const Scratch* scratch)
{
    return findStep(copy, &solver, scratch);
}

RARE void updateMultipliersOf(World* copy, Solver solver, Scratch* scratch)
{
    updateMultipliers(copy, &solver, scratch);
}

FN int findStepApart(World* world, const Solver* solver, const Scratch* scratch)
{
    World copy = *world;
    const int good = findStepOf(&copy, *solver, scratch);
    world->movers[0].step = copy.movers[0].step;
    return good;
}

FN void updateMultipliersApart(World* world, const Solver* solver, Scratch* scratch)
{
    World copy = *world;
    updateMultipliersOf(&copy, *solver, scratch);
    UNROLL
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        world->patches[p].lag = copy.patches[p].lag;
    }
}
#else
#define findStepApart findStep
#define updateMultipliersApart updateMultipliers
#endif

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
FN Mode decide(World* world, Solver* solver, int updated, Scratch* scratch, double* share, int* result)
{
    const double tolerance = world->plan->tolerance;
    const int solved = solver->residual <= tolerance * solver->forces;
    const int near = solver->residual <= UPDATE_AT * solver->forces && solver->steps > 0 && !solver->lagged;
    *share = 0.0;
    if (solved || (near && !updated)) {
        measureRest(world, solver, solved);
        if (most(solver->gap, solver->slip) <= solver->wanted || solver->updates >= UPDATES) {
            solver->updates = UPDATES;
            if (solved) {
                *result = 1;
                return modeEnd;
            }
        } else {
            solver->updates++;
            updateMultipliersApart(world, solver, scratch);
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
    if (!findStepApart(world, solver, scratch)) {
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
// times what it bore. Returns whether one is changed.
FN int limitLoads(World* world)
{
    const double* values = world->values;
    int changed = 0;
    EACH_PATCH
    for (int p = 0; p < KERNEL_PATCHES; p++) {
        if (p >= world->plan->patchCount) {
            break;
        }
        Patch* patch = &world->patches[p];
        const double last = AT(patchSlot(world->plan, p) + PATCH_NORMAL);
        if (patch->active && patch->carries && patch->k * patch->presses > EXCESS * last) {
            patch->lag = scaleTwist(last / (patch->k * patch->presses), patch->lag);
            changed = 1;
        }
    }
    return changed;
}

// Solves an island; its movers' y are where to start.
FN void solveIsland(World* world, Solver* solver, Scratch* scratch)
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
        evaluate(world, solver, share, first, scratch);
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
                accept(world, solver, share);
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
            accept(world, solver, share);
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

#endif
