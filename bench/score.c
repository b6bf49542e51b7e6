// A trajectory's rows through the same meter as a solver's frames.
#include "score.h"

#include "fail.h"
#include "vec.h"

// Between two rows the reference may turn by no more than this, so that a body which turns at up to twice its
// speed is still unwrapped to the right number of turns [rad].
#define MOST_TURN (0.5 * BENCH_PI)

// Angles about the vertical are counted from row to row: too few rows, and a turn more or less goes unseen.
static pbdrStatus checkSpacing(const BenchTrajectory* trajectory, const char* path, const BenchScene* scene,
                               pbdrError* error)
{
    for (int k = 1; k < trajectory->count; k++) {
        double before = trajectory->rows[k - 1].t, t = trajectory->rows[k].t;
        double turn = 0.5 * scene->angularAcceleration * (t * t - before * before);
        if (fabs(turn) > MOST_TURN) {
            return benchFail(
                error, pbdr_statusFileFormat,
                "%s: line %d: %g s after the row before, in which the body should turn by %.0f degrees: "
                "turns can be counted up to 90 degrees between rows",
                path, trajectory->rows[k].line, t - before, turn * 180.0 / BENCH_PI);
        }
    }
    return pbdr_statusOk;
}

pbdrStatus benchScore(const BenchTrajectory* trajectory, const char* path, const BenchScene* scene,
                      bool startsFromScene, const BenchSolver* solver, const BenchOptions* options,
                      BenchRun* run, pbdrError* error)
{
    pbdrStatus status = checkSpacing(trajectory, path, scene, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    BenchScene from = *scene; // only looked at: what it owns stays the caller's
    if (!startsFromScene) {
        from.data.bodies[0].start = trajectory->rows[0].pose;
    }
    double duration = trajectory->rows[trajectory->count - 1].t;
    *run = benchDescribeRun(solver, scene, options, duration);
    run->substepCount = (int)nearbyint(duration / options->timeStep);
    BenchMeter meter;
    benchStartMeter(&meter, &from, false);
    for (int k = 1; k < trajectory->count; k++) {
        const BenchTrajectoryRow* row = &trajectory->rows[k];
        if (benchHasLeft(row->pose.position, &run->outOfRange) || !row->finite) {
            run->outcome = benchDiverged;
            run->failedAt = row->t;
            return pbdr_statusOk;
        }
        BenchMotion motion = {.pose = row->pose, .velocity = row->velocity};
        motion.momentum = benchGetTrueMomentum(&scene->data.bodies[0], &motion);
        benchMeasure(&meter, row->t, &motion);
    }
    run->outcome = benchMeasured;
    run->errors = benchFinishMeter(&meter);
    return pbdr_statusOk;
}
