// Runs of a results file: what pbdr study, and so make report, or pbdr bench --csv wrote about them is enough to run them
// again, and to see whether they end as they did.
#ifndef PBDR_CLI_VIEW_RUNS_H
#define PBDR_CLI_VIEW_RUNS_H

#include "chosen_scene.h"
#include "view.h"

typedef struct ViewRun {
    char label[96];
    BenchOptions options;
    double position, rotation; // final errors [m, deg] by the file; NaN: it does not say
} ViewRun;

// Whether the header is that of a results file: a test and a solver in each row, and no place.
bool isRunsFile(const char* path);

// Which rows to take; 0: the first of each solver.
typedef struct ViewRows {
    int count;
    int numbers[VIEW_MAX_TRACKS]; // from 1
} ViewRows;

// Reads the settings of up to four runs of one test and seed: those of `rows`, or of the first test (or chosen->number),
// the first seed (or chosen->seed) and options->solvers (or all of our own). Fills runs, options->solvers, and the test and
// seed of chosen. Exit code; the reason is on stderr.
int readRuns(const char* path, const ViewRows* rows, ChosenScene* chosen, ViewOptions* options,
             ViewRun runs[VIEW_MAX_TRACKS]);

#endif
