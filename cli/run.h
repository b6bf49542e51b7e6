// A run of a scene: what its parts share.
#ifndef PBDR_CLI_RUN_H
#define PBDR_CLI_RUN_H

#include "output.h"

#include "pbdr/scenefile.h"

// What a run adds up for its summary (run_summary.c).
typedef struct RunSummary {
    int64_t substeps;   // of this run
    int64_t flagged[4]; // substeps with: not converged, pairs full, speed limit, not finite
    // Looked at after every substep if the times are kept, else at the end of every frame
    int64_t looks;
    double contacts;                                        // summed over looks
    double deepest;                                         // penetration [m]
    double gap, turn;                                       // of joints, largest [m, rad]
    double energyStart, energyEnd, energyLeast, energyRise; // [J]; the rise is over the least so far
    double cpuSeconds, wallSeconds;                         // of the substeps
    int64_t timeRoom, timeCount;
    double* times;       // processor time of each substep [s]; NULL: not kept
    pbdrContact* buffer; // what the looks fill
    int bufferRoom;
    bool failed; // a look found no memory
} RunSummary;

// keepTimes: of up to that many substeps, for percentiles. False without memory.
bool startSummary(RunSummary* summary, const pbdrSceneWorld* run, int64_t keepTimes);
void freeSummary(RunSummary* summary);
// Steps once, by the clock, and looks at what came of it. Returns the flags.
uint32_t stepTimed(RunSummary* summary, pbdrSceneWorld* run);
// At the end of each frame. False without memory.
bool addFrame(RunSummary* summary, const pbdrSceneWorld* run);

// Largest speed of a dynamic body's centre of mass [m/s].
double getLargestSpeed(const pbdrSceneWorld* run);
// schema pbdr-run/2. hash NULL: none was asked for.
void writeSummary(FILE* file, const RunSummary* summary, const pbdrSceneWorld* run, int threads,
                  const char* hash);
// A few lines for people.
void printSummary(const RunSummary* summary, const pbdrSceneWorld* run, const char* hash);

// "0123456789abcdef": the world's hash.
void formatHash(const pbdrWorld* world, char text[17]);

// Trajectory files (run_trajectory.c): a row per body and frame, as bench/trajectory.h says.
void writeTrajectoryHeader(FILE* file, bool withHash);
void writeTrajectoryFrame(FILE* file, const pbdrSceneWorld* run, bool withHash);

#endif
