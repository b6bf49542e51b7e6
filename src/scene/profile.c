// Profiling: the clock and the counts of a substep.
#include "scene/profile.h"

#include <math.h>
#include <time.h>

const char* const pbdrRowNames[PBDR_ROW_COUNT] = {
    [pbdr_rowIntegrate] = "integrate",
    [pbdr_rowFindPairs] = "findPairs",
    [pbdr_rowCollidePlanes] = "collidePlanes",
    [pbdr_rowCollideParticles] = "collideParticles",
    [pbdr_rowApplyContacts] = "applyContacts",
    [pbdr_rowMatchShapes] = "matchShapes",
    [pbdr_rowRestoreMomentum] = "restoreMomentum",
    [pbdr_rowFollowMomentum] = "followMomentum",
    [pbdr_rowCandidates] = "candidates",
    [pbdr_rowIslands] = "islands",
    [pbdr_rowSolve] = "solve",
    [pbdr_rowMove] = "move",
    [pbdr_rowClose] = "close",
};
_Static_assert(PBDR_ROW_COUNT <= PBDR_PROFILE_STAGES, "a place for every stage");

// C17 has no steadier clock.
static int64_t getNanoseconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (int64_t)now.tv_sec * 1000000000 + (int64_t)now.tv_nsec;
}

void pbdrTimeStage(pbdrScene* scene, pbdrStageRow row)
{
    int64_t now = getNanoseconds(), passed = now - scene->profileMark;
    scene->profile.stages[row].seconds += passed > 0 ? 1.0e-9 * (double)passed : 0.0; // a clock set back
    scene->profile.stages[row].calls++;
    scene->profileMark = now;
}

static void tally(pbdrProfileTally* tally, uint64_t value)
{
    tally->sum += value;
    tally->most = value > tally->most ? value : tally->most;
}

void pbdrBeginProfiledSubstep(pbdrScene* scene)
{
    scene->profileSteps = scene->profile.newtonSteps.sum;
    scene->profileFlags = scene->flags;
    scene->flags = 0;
    scene->profileMark = getNanoseconds();
}

void pbdrEndProfiledSubstep(pbdrScene* scene, int contacts, int candidates, int islands)
{
    pbdrProfile* profile = &scene->profile;
    profile->substepCount++;
    profile->residual = fmax(profile->residual, scene->residual); // of a number and a NaN: the number
    profile->unconvergedCount += (scene->flags & pbdr_stepNotConverged) != 0;
    scene->flags |= scene->profileFlags;
    tally(&profile->contacts, (uint64_t)contacts);
    tally(&profile->candidates, (uint64_t)candidates);
    if (islands >= 0) {
        // the solver adds to the sum; here is how much it was in this substep
        uint64_t steps = profile->newtonSteps.sum - scene->profileSteps;
        profile->newtonSteps.most = steps > profile->newtonSteps.most ? steps : profile->newtonSteps.most;
        tally(&profile->islands, (uint64_t)islands);
    } else {
        profile->iterationCount += (uint64_t)scene->iterations;
    }
}

// The least of several means: interruptions only add.
double pbdrMeasureClock(pbdrScene* scene)
{
    enum { BATCHES = 10, READINGS = 100 };
    double least = 1.0;
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t begin = getNanoseconds();
        for (int k = 0; k < READINGS; k++) {
            pbdrTimeStage(scene, pbdr_rowClose);
        }
        double mean = 1.0e-9 * (double)(getNanoseconds() - begin) / READINGS;
        least = mean >= 0.0 && mean < least ? mean : least;
    }
    return least;
}
