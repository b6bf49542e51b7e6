// Scores a trajectory that some simulator wrote, with the metrics of a run.
#ifndef PBDR_BENCH_SCORE_H
#define PBDR_BENCH_SCORE_H

#include "runner.h"
#include "trajectory.h"

// The run that the trajectory's rows after the start make. The reference starts from the trajectory's first
// row, or from the scene's own start. Momenta are those of the true body; errors that need velocities are NaN
// where the file has none. Rows that are not finite, or out of range, end it as benchDiverged. Fails if rows
// stand too far apart to count the body's turns; path is for the message.
pbdrStatus benchScore(const BenchTrajectory* trajectory, const char* path, const BenchScene* scene,
                      bool startsFromScene, const BenchSolver* solver, const BenchOptions* options,
                      BenchRun* run, pbdrError* error);

#endif
