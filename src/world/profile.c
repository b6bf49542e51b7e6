// Profiling: the clock and the counts of a substep.
#include "world/profile.h"

#include "solver/xpbdr_island.h"

#include <string.h>
#include <time.h>

static const char* const rowNames[PBDR_ROW_COUNT] = {
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

void pbdrTimeStage(pbdrWorld* world, pbdrStageRow row)
{
    int64_t now = getNanoseconds(), passed = now - world->profileMark;
    world->profile.stages[row].seconds += passed > 0 ? 1.0e-9 * (double)passed : 0.0; // a clock set back
    world->profile.stages[row].calls++;
    world->profileMark = now;
}

static void tally(pbdrProfileTally* tally, uint64_t value)
{
    tally->sum += value;
    tally->most = value > tally->most ? value : tally->most;
}

void pbdrBeginProfiledSubstep(pbdrWorld* world)
{
    world->profileSteps = world->profile.newtonSteps.sum;
    world->profileFlags = world->flags;
    world->flags = 0;
    world->profileMark = getNanoseconds();
}

static uint64_t countTouchingIslands(const pbdrWorld* world)
{
    const pbdrIsland* islands = world->islands.items;
    uint64_t count = 0;
    for (int k = 0; k < world->islands.count; k++) {
        count += islands[k].touchingCount > 0;
    }
    return count;
}

// Counts, while no stage is timed.
void pbdrEndProfiledSubstep(pbdrWorld* world)
{
    pbdrProfile* profile = &world->profile;
    profile->substepCount++;
    profile->unconvergedCount += (world->flags & pbdr_stepNotConverged) != 0;
    world->flags |= world->profileFlags;
    tally(&profile->contacts, (uint64_t)pbdrWorld_GetContacts(world, NULL, 0));
    uint64_t candidates = pbdrHasParticles(world) ? (uint64_t)world->pairs.count : 0;
    const pbdrPatch* patches = world->patches.items;
    for (int k = 0; k < world->patches.count; k++) {
        candidates += (uint64_t)patches[k].count;
    }
    tally(&profile->candidates, candidates);
    if (world->solver == pbdr_solverXpbdR) {
        // the solver adds to the sum; here is how much it was in this substep
        uint64_t steps = profile->newtonSteps.sum - world->profileSteps;
        profile->newtonSteps.most = steps > profile->newtonSteps.most ? steps : profile->newtonSteps.most;
        tally(&profile->islands, countTouchingIslands(world));
    } else {
        profile->iterationCount += (uint64_t)world->iterations;
    }
}

// The least of several means: interruptions only add.
static double measureClock(pbdrWorld* world)
{
    enum { BATCHES = 10, READINGS = 100 };
    double least = 1.0;
    for (int batch = 0; batch < BATCHES; batch++) {
        int64_t begin = getNanoseconds();
        for (int k = 0; k < READINGS; k++) {
            pbdrTimeStage(world, pbdr_rowClose);
        }
        double mean = 1.0e-9 * (double)(getNanoseconds() - begin) / READINGS;
        least = mean >= 0.0 && mean < least ? mean : least;
    }
    return least;
}

void pbdrWorld_SetProfiling(pbdrWorld* world, bool on)
{
    world->profiling = on;
    if (on) {
        double clockSeconds = measureClock(world);
        memset(&world->profile, 0, sizeof world->profile);
        world->profile.clockSeconds = clockSeconds;
    }
}

bool pbdrWorld_IsProfiling(const pbdrWorld* world)
{
    return world->profiling;
}

void pbdrWorld_GetProfile(const pbdrWorld* world, pbdrProfile* profile)
{
    *profile = world->profile;
    memset(profile->stages, 0, sizeof profile->stages);
    for (int row = 0; row < PBDR_ROW_COUNT; row++) {
        if (world->profile.stages[row].calls > 0) {
            profile->stages[profile->stageCount] = world->profile.stages[row];
            profile->stages[profile->stageCount++].name = rowNames[row];
        }
    }
}
