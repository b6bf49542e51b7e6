// How accurate Test 7's references are: the table of docs/pushing.md, as CSV on stdout.
//
//     build/measure/pushing
//
// A row per run: how far the pose at rest moves when every step is halved (longest step by 2, tolerance of the
// fifth-order method by 32, the creep of points by 2), and the processor time of the run as it is used.
#include "reference/pushing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static BenchPushingFrame solveRest(const BenchPushing* pushing, double* seconds)
{
    BenchPushingPath path;
    pbdrError error = {.message = ""};
    clock_t begun = clock();
    if (benchSolvePushing(pushing, &path, &error) != pbdr_statusOk) {
        fprintf(stderr, "pushing: %s\n", error.message);
        exit(1);
    }
    *seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    BenchPushingFrame rest = path.rest;
    benchFreePushingPath(&path);
    return rest;
}

static void measure(BenchPushingModel model, bool tilt, double height, double offset, int points)
{
    BenchPushing pushing = benchDefaultPushing();
    pushing.model = model;
    pushing.tilt = tilt;
    pushing.pushHeight = height;
    pushing.offset = offset;
    pushing.support = points > 0 ? benchSupportPoints : benchSupportUniform;
    pushing.pointsPerAxis = points;
    BenchPushing fine = pushing;
    fine.maxStep *= 0.5;
    fine.tolerance /= 32.0;
    fine.smoothing *= 0.5;
    double seconds, fineSeconds;
    BenchPushingFrame p = solveRest(&pushing, &seconds), q = solveRest(&fine, &fineSeconds);
    // The turn counts at the corner's distance from the middle.
    double change = hypot(p.x - q.x, p.y - q.y) + sqrt(2.0) * pushing.halfSide * fabs(p.theta - q.theta);
    printf("%s,%d,%g,%g,%d,%.3g,%.3g\n", model == benchPushingDynamic ? "dynamic" : "quasi-static", tilt,
           height, offset, points, change, seconds);
    fflush(stdout);
}

int main(void)
{
    const int points[] = {0, 3, 4, 10};
    puts("model,tilt,push_height_m,offset_m,points_per_axis,change_m,seconds");
    for (int tilt = 0; tilt < 2; tilt++) {
        for (int model = 0; model < 2; model++) {
            for (int k = 0; k < 4; k++) {
                for (int d = 1; d <= 3; d++) {
                    measure((BenchPushingModel)model, tilt == 1, 0.02, 0.02 * d, points[k]);
                    if (tilt == 1) {
                        measure((BenchPushingModel)model, true, 0.1, 0.02 * d, points[k]);
                    }
                }
            }
        }
    }
    return 0;
}
