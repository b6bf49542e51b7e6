// The ledger: what a world holds and what went in and out of it, for checks that a run keeps the laws. Off by
// default, and then it costs nothing; while it is on, each substep looks at all bodies and contacts once more.
// It changes no result.
#ifndef PBDR_LEDGER_H
#define PBDR_LEDGER_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PBDR_LEDGER_COLUMNS 16

// A row of the ledger: 16 doubles, in the order of the columns (pbdrGetLedgerColumn). Sums are over dynamic
// bodies. "Of the row": since the row before was taken. What is not known is NaN (docs/ledger.md).
typedef struct pbdrLedger {
    double time;              // substeps taken times the time step [s]
    pbdrVec3 momentum;        // [kg m/s]
    pbdrVec3 angularMomentum; // about the origin [kg m^2/s]
    double kineticEnergy;     // of bodies as rigid ones [J]
    double potentialEnergy;   // -sum M g.c, zero at the origin [J]
    double work;              // of applied forces and torques, joints and kinematic bodies, so far [J]
    double friction;          // work of friction, so far: at most zero, but for rounding [J]
    double penetration;       // deepest overlap of the row's contacts [m]
    double slip;              // largest way in a substep of the row's contacts that stick [m]
    double contacts;          // of the last substep
    double newtonSteps;       // of all islands in the row's substeps; NaN but for XPBD-R
    double residual;          // largest of the row's substeps (pbdrProfile); NaN where the solver has none
} pbdrLedger;

// Switches the ledger on, with sums of zero, or off. Off in new worlds.
PBDR_API void pbdrWorld_SetLedger(pbdrWorld* world, bool on);
PBDR_API bool pbdrWorld_HasLedger(const pbdrWorld* world);

// The row as it stands. While the ledger is off, what substeps add to is NaN (work to slip, Newton steps,
// residual). Work, friction and slip are also NaN from the first substep on that found no memory for them; that
// substep has the flag pbdr_stepPairsFull.
PBDR_API void pbdrWorld_GetLedger(const pbdrWorld* world, pbdrLedger* row);

// The same, and the next row begins: largest values and Newton steps start anew, work and friction go on.
PBDR_API void pbdrWorld_TakeLedger(pbdrWorld* world, pbdrLedger* row);

// A column's name with its unit, as in the header of a CSV file: "t", "px", ..., "penetration_m". NULL beyond.
PBDR_API const char* pbdrGetLedgerColumn(int column);
// The column of a name, with its unit or without ("penetration"); -1: there is none.
PBDR_API int pbdrFindLedgerColumn(const char* name);
// Its value in a row; NaN beyond the columns.
PBDR_API double pbdrLedger_GetValue(const pbdrLedger* row, int column);

#ifdef __cplusplus
}
#endif

#endif
