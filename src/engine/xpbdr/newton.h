// Newton's method on a contact island: what restarts (solve.c) are made of.
#ifndef PBDR_ENGINE_XPBDR_NEWTON_H
#define PBDR_ENGINE_XPBDR_NEWTON_H

#include "engine/xpbdr/island.h"

// Newton steps of a try at most.
#define PBDR_MAX_STEPS 80
// A multiplier update may come as soon as the residual is this small, relative to the sum of forces.
#define PBDR_UPDATE_AT 1.0e-4
// Steps without progress before a try is given up.
#define PBDR_PATIENCE 10

// An island being solved.
typedef struct pbdrSolve {
    pbdrXpbdrWorld* world;
    pbdrMover* movers; // the island's
    int moverCount;
    pbdrActivePatch* activePatches;
    int activePatchCount;
    int blockCount; // of its linear system
    double perStep; // 1/dt^2
    int state;      // which columns hold g and p
    double residual, size;
    int steps, newSteps; // Newton's; those with factors of their own
    bool frozen;         // friction's bounds do not move
    bool writes;         // forces and movers are written as soon as the island is solved
    double rest;         // largest gap or slip that the last finish found [m]
} pbdrSolve;

// Forces after a further `share` of every mover's step, from the present columns into the others; residuals
// and their norm for y + share step.
double pbdrEvaluate(pbdrSolve* solve, double share);
// Takes the step that was evaluated last.
void pbdrAcceptStep(pbdrSolve* solve, double share, double residual);

bool pbdrIsSolved(const pbdrSolve* solve);

// Iterates from where the columns stand. damped: line search; else full steps. True when solved, gaps and
// slips too.
bool pbdrIterate(pbdrSolve* solve, bool damped, int maxSteps);

// Writes the items' forces and what the movers need to know of them. Returns whether gaps and slips are gone.
bool pbdrFinishIsland(pbdrSolve* solve);

#endif
