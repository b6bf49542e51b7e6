// Newton's method on a contact island: its parts, which solve.c puts together.
#ifndef PBDR_ENGINE_XPBDR_NEWTON_H
#define PBDR_ENGINE_XPBDR_NEWTON_H

#include "engine/xpbdr/system.h"

// What a thread has for itself: memory that it counts, and scratch.
typedef struct pbdrXpbdrWorker {
    pbdrMemory memory;
    size_t counted; // of its bytes, by the world
    pbdrSystem system;
    pbdrList sweepRows, sweepGroups, sweepMotions; // of the island that is swept (sweep.h)
    pbdrList sweepSaved;                           // pbdrSweepForce per row
    pbdrList sweepLines;                           // pbdrSweepLine per lane of a row
    pbdrList sweepColours, sweepPicks;             // uint64_t per mover and kind; what its patches chose
    pbdrList sweepOrder;                           // int32_t per patch: part by part
    pbdrList sweepDeepest;                         // int32_t per patch: the item that is driven in deepest
    pbdrList frictions;                            // pbdrVec3: of items, put aside (solve.c)
    pbdrList links;                                // of the mechanism that is moved (mechanism.h)
} pbdrXpbdrWorker;

// An island being solved.
typedef struct pbdrSolve {
    pbdrXpbdrWorld* world;
    pbdrXpbdrWorker* worker;
    pbdrIsland* island;
    pbdrSystem* system; // the worker's
    bool planned;       // the system knows the island's pattern
    pbdrMover* movers;  // the island's
    int moverCount;
    pbdrActivePatch* activePatches;
    int activePatchCount;
    pbdrActiveJoint* joints;
    int jointCount;
    pbdrActiveGear* gears;
    int gearCount;
    double perStep;        // 1/dt^2
    int state;             // which columns hold g and p
    double residual, size; // of the present state, and of the forces there [N]
    double trialSize;      // of the state that was evaluated last
    double softness;       // k is this much lower than the law's
    int steps;             // Newton's
    bool cold;             // some mover had no smooth last step
    bool lagged;           // the last step's factors were those of the last substep
    double gap, slip;      // largest that are left [m]
    bool finished;         // the present state is written as the end
    bool wide;             // all threads work on it
    bool swept;            // by sweeps: rows bear what patches carried
} pbdrSolve;

static inline pbdrMover* pbdrGetMover(const pbdrSolve* solve, int mover)
{
    return mover < 0 ? NULL : solve->movers + mover;
}

static inline const pbdrItems* pbdrGetItems(const pbdrSolve* solve)
{
    return &solve->world->candidates.items;
}

// The items of all patches at y = 0, with what they bore before.
void pbdrPrepareIsland(pbdrSolve* solve);
void pbdrPrepareOne(pbdrSolve* solve, int activePatch);
// Forces after a further `share` of every mover's step, from the present columns into the others; residuals
// and their norm for y + share step.
double pbdrEvaluate(pbdrSolve* solve, double share);
// Takes the step that was evaluated last.
void pbdrAcceptStep(pbdrSolve* solve, double share, double residual);
// The residual after the columns changed in place.
void pbdrEvaluateAgain(pbdrSolve* solve);

// A step, taken. False if there is none: the matrix is singular, or there is no memory.
bool pbdrTakeLaggedStep(pbdrSolve* solve);
// With the exact Jacobian, the full step. Not taken, but evaluated;
// returns the residual there, negative if there is none.
double pbdrTryFullStep(pbdrSolve* solve);
// All contacts become softer by a factor, or harder: multipliers bear the same forces, springs less.
void pbdrSoften(pbdrSolve* solve, double factor);

// --- joint_contact.c: joints of islands that touch something ---

// Their rows at y = 0, with the forces of the last substep.
void pbdrStartJoints(pbdrSolve* solve);
// Adds their forces after a further `share` of every step to the movers'. Returns the square of what is left of rows, as
// forces; the forces' sum goes into size.
double pbdrAddJointForces(pbdrSolve* solve, double share, double* size);
// Newton's step of movers and joints, from a system that has the movers' and patches' part. False if there is none.
bool pbdrFindJointedStep(pbdrSolve* solve);
// Takes the share of the joints' step.
void pbdrAcceptJoints(pbdrSolve* solve, double share);
// Whether other things hold axes than was thought; then they are noted.
bool pbdrChangeHolds(pbdrSolve* solve);
// Writes reactions, and what movers need to know.
void pbdrFinishJoints(pbdrSolve* solve);

// --- impacts.c ---

// Takes an island of bodies that meet in points through the impacts of a substep, one after the other, and writes what
// pbdrFinishIsland would. False, and nothing changed, where nothing would bounce or the solve is needed.
bool pbdrFlyThroughImpacts(pbdrSolve* solve);
// What a flight's impacts gave each contact, on A [N s], and which it touched: as forces of the substep.
void pbdrWriteFlight(pbdrSolve* solve, const pbdrVec3* impulses, const bool* touched);

// --- solve.c ---

// The solve of an island's contacts, without joints.
pbdrSolve pbdrMakeSolve(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, pbdrIsland* island);

// --- multipliers.c ---

// Largest gap and slip into the solve.
void pbdrMeasureRest(pbdrSolve* solve);
// The multipliers take over what the springs bear: of normal forces, or of friction.
void pbdrPressPatches(pbdrSolve* solve);
void pbdrHoldPatches(pbdrSolve* solve);

// The end of a substep: movers that nothing is known of, and how a patch ended, for its movers; carries: what it bears
// stays with it.
void pbdrForgetEnds(pbdrSolve* solve);
void pbdrNoteEnd(pbdrSolve* solve, const pbdrActivePatch* active, const pbdrPatchEnd* end, bool carries);
// Writes the items' forces, the patches' multipliers and what the movers need to know of them.
void pbdrFinishIsland(pbdrSolve* solve);

#endif
