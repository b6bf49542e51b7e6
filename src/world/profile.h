// Profiling from inside: stages report their ends, rare events count themselves.
//
//   begin substep --> stage --> end of stage (clock) --> stage --> end of stage (clock) --> ... --> end
//   substep
//
// The clock is read where one stage ends and the next begins, so stages leave no time out and none counts
// twice.
#ifndef PBDR_WORLD_PROFILE_H
#define PBDR_WORLD_PROFILE_H

#include "world/internal.h"

typedef enum pbdrStageRow {
    pbdr_rowIntegrate,
    pbdr_rowFindPairs,
    pbdr_rowCollidePlanes,
    pbdr_rowCollideParticles,
    pbdr_rowApplyContacts,
    pbdr_rowMatchShapes,
    pbdr_rowRestoreMomentum,
    pbdr_rowFollowMomentum,
    // XPBD-R
    pbdr_rowCandidates,
    pbdr_rowIslands,
    pbdr_rowSolve,
    pbdr_rowMove,
    // all
    pbdr_rowClose,
    PBDR_ROW_COUNT
} pbdrStageRow;

void pbdrTimeStage(pbdrWorld* world, pbdrStageRow row);
void pbdrBeginProfiledSubstep(pbdrWorld* world);
void pbdrEndProfiledSubstep(pbdrWorld* world);

// What ran since the last call was this stage.
static inline void pbdrEndStage(pbdrWorld* world, pbdrStageRow row)
{
    if (world->profiling) {
        pbdrTimeStage(world, row);
    }
}

// Without a branch: for the middle of solvers.
#define PBDR_COUNT(world, counter) ((world)->profile.counter += (world)->profiling)
#define PBDR_COUNT_BY(world, counter, number)                                                                \
    ((world)->profile.counter += (world)->profiling ? (uint64_t)(number) : 0)

#endif
