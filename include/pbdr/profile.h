// Where the time of a world's substeps goes: seconds and calls per stage, and counts of what the solver did.
// Profiling reads the clock once per stage and changes no result; while it is off, no clock is read.
#ifndef PBDR_PROFILE_H
#define PBDR_PROFILE_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// A stage of the substep. Its time includes one reading of the clock per call.
typedef struct pbdrProfileStage {
    const char* name; // as in docs/architecture.md; static
    double seconds;   // [s]
    uint64_t calls;
} pbdrProfileStage;

// A quantity over substeps.
typedef struct pbdrProfileTally {
    uint64_t sum;
    uint64_t most; // in one substep
} pbdrProfileTally;

#define PBDR_PROFILE_STAGES 16

typedef struct pbdrProfile {
    uint64_t substepCount;
    double clockSeconds; // what one reading of the clock costs, measured when profiling was switched on [s]
    int stageCount;
    pbdrProfileStage stages[PBDR_PROFILE_STAGES]; // those that ran, in their order
    pbdrProfileTally contacts;                    // that touched
    pbdrProfileTally candidates; // that the contact stages looked at; particle engine: pairs of spheres only
    uint64_t
        searchCount; // for candidates; particle engine: for pairs, at least once per substep of two bodies
    uint64_t iterationCount; // PBD and PBD-R
    // XPBD-R
    pbdrProfileTally islands;     // that touch something
    pbdrProfileTally newtonSteps; // of all islands together
    uint64_t sweepCount;          // over the contacts of an island
    uint64_t multiplierUpdateCount;
    uint64_t unconvergedCount; // substeps with pbdr_stepNotConverged
    // Largest that an island was left with: what its forces are off by, over their sum; where sweeps end, a thousandth of
    // what its gaps and slips are over those that must not stay. Above 1e-3 the substep is flagged. NaN: no solver has
    // said.
    double residual;
} pbdrProfile;

// Switches profiling on, from zero, or off, keeping what was measured. Off in new worlds.
PBDR_API void pbdrWorld_SetProfiling(pbdrWorld* world, bool on);
PBDR_API bool pbdrWorld_IsProfiling(const pbdrWorld* world);

// What was measured since profiling was last switched on; all zero if it never was.
PBDR_API void pbdrWorld_GetProfile(const pbdrWorld* world, pbdrProfile* profile);

#ifdef __cplusplus
}
#endif

#endif
