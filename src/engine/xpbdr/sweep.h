// Sweeps: Gauss-Seidel over a few contacts of each patch, with rigid contacts and forces as unknowns. What an island gets
// where bodies hit each other, or where all else fails.
#ifndef PBDR_ENGINE_XPBDR_SWEEP_H
#define PBDR_ENGINE_XPBDR_SWEEP_H

#include "engine/xpbdr/newton.h"

// A contact of the sweeps.
typedef struct pbdrSweepRow {
    int item, moverA, moverB;
    pbdrVec3 n, leverA, leverB;
    double ahead;              // gap without further forces [m]
    pbdrVec3 ahead3;           // dt v: the way of the point without further forces [m]
    double perNormal, perSlip; // force over gap, force over slip [N/m]
    double mu, force;          // [N]
    pbdrVec3 friction;         // [N]
} pbdrSweepRow;

// A mover of the sweeps.
typedef struct pbdrSweepBody {
    double perMass;   // dt^2/m
    pbdrMat3 perSpin; // dt^2 I^-1, world axes
} pbdrSweepBody;

// When sweeps end: after so many, or when no contact was farther from its law than this [m].
typedef struct pbdrSweepEffort {
    int most;
    double enough;
} pbdrSweepEffort;

// Sweeps over the island, from the forces of the last substep, and leaves y in the movers. error: how far a contact was
// from its law in the last sweep, at most [m]. False without memory.
bool pbdrSweepIsland(pbdrSolve* solve, const pbdrSweepEffort* effort, double* error);
// As pbdrFinishIsland, with the sweeps' forces.
void pbdrFinishSweeps(pbdrSolve* solve);

#endif
