// Profiling from inside: stages report their ends, rare events count themselves.
//
//   begin of substep --> stage --> clock --> stage --> clock --> ... --> end of substep
//
// The clock is read where one stage ends and the next begins, so stages leave no time out and none counts
// twice.
#ifndef PBDR_SCENE_PROFILE_H
#define PBDR_SCENE_PROFILE_H

#include "scene/scene.h"

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

extern const char* const pbdrRowNames[PBDR_ROW_COUNT];

void pbdrTimeStage(pbdrScene* scene, pbdrStageRow row);
void pbdrBeginProfiledSubstep(pbdrScene* scene);
// Counts, while no stage is timed: of contacts that touch, of candidates, and of islands (negative: the
// engine has none).
void pbdrEndProfiledSubstep(pbdrScene* scene, int contacts, int candidates, int islands);
// What one reading of the clock costs [s].
double pbdrMeasureClock(pbdrScene* scene);

// What ran since the last call was this stage.
static inline void pbdrEndStage(pbdrScene* scene, pbdrStageRow row)
{
    if (scene->profiling) {
        pbdrTimeStage(scene, row);
    }
    if (scene->fetch.blocks > 0) {
        pbdrFetchSome(&scene->fetch);
    }
}

// Without a branch: for the middle of solvers.
#define PBDR_COUNT(scene, counter) ((scene)->profile.counter += (scene)->counting)
#define PBDR_COUNT_BY(scene, counter, number)                                                                \
    ((scene)->profile.counter += (scene)->counting ? (uint64_t)(number) : 0)

#endif
