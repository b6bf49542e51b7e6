// The runs of a study, as `pbdr study` writes them, and what the figures ask of them.
#ifndef PBDR_REPORT_RUNS_H
#define PBDR_REPORT_RUNS_H

#include "csv.h"

#include <stdbool.h>

// One line of a study's CSV; the fields are named as its columns. NAN: empty.
typedef struct Run {
    double test, seed, n, layers, radius, mu, force, muRod, offset, duration, dt, iterations, relaxation;
    const char *solver, *engine, *precision, *masses, *ablate, *outcome, *settings, *problem;
    double particles, failedAt;
    double finalPosition, finalRotation, meanPosition, meanRotation; // [m], [deg]
    double maxTilt;                                                  // [deg]
    double floorPosition, floorRotation;                             // [m], [deg]
    double restPosition, restRotation;       // against the quasi-static reference at the end: [m], [deg]
    double dynamicPosition, dynamicRotation; // against the dynamic one with pressure tilt: [m], [deg]
    double microseconds;                     // per substep
} Run;

// One sample of a *_series.csv.
typedef struct Sample {
    double test, seed, n, particles, time, position, rotation, x, y,
        theta; // [s], [m], [deg], [m], [m], [rad]
    const char *solver, *precision, *masses;
} Sample;

// One sample of trajectory_reference.csv.
typedef struct ReferenceSample {
    const char* reference;
    double time, x, y, theta; // [s], [m], [m], [rad]
} ReferenceSample;

// One line of ablation_table.csv.
typedef struct AblationRow {
    const char *solver, *ablate, *quantity;
    double seeds, t2, final, mean, ratio;
} AblationRow;

// One line of budget_table.csv; see docs/studies.md.
typedef struct BudgetRow {
    double test;
    const char *solver, *unit, *kind, *state;
    double seeds, split, tumbled, diverged;
    double total, rounding, packing, floor, contact, least, most; // [unit]
} BudgetRow;

extern const CsvColumn runColumns[];
extern const size_t runColumnCount;
extern const CsvColumn sampleColumns[];
extern const size_t sampleColumnCount;
extern const CsvColumn referenceColumns[];
extern const size_t referenceColumnCount;
extern const CsvColumn ablationColumns[];
extern const size_t ablationColumnCount;
extern const CsvColumn budgetColumns[];
extern const size_t budgetColumnCount;

typedef struct Runs {
    CsvRecords file;
    const Run* runs;
    size_t count;
} Runs;

// Which runs; NULL and NAN choose all.
typedef struct Choice {
    const char *solver, *engine, *precision, *masses;
    double test, n, particles, mu, force, offset;
} Choice;

Choice chooseAll(void);
bool isChosen(const Run* run, const Choice* choice);
bool isMeasured(const Run* run);
bool isUnsupported(const Run* run);

// A quantity over the chosen runs.
typedef struct Spread {
    int measured, failed, unsupported;
    double mean, least, most; // over the measured ones; NAN if there is none
    double failedAt;          // the earliest [s]; NAN if none failed, or none says when
} Spread;

// offset: of a double in Run, such as offsetof(Run, finalPosition).
Spread findSpread(const Runs* runs, const Choice* choice, size_t offset);

// The middle one of the measured; NAN if there is none.
double findMedian(const Runs* runs, const Choice* choice, size_t offset);

enum { MAX_SOLVERS = 24, MAX_VALUES = 64 };

// The solvers with a run among the chosen: those the report knows first, in its order. Returns their number.
int listSolvers(const Runs* runs, const Choice* choice, const char* names[MAX_SOLVERS]);
// The different finite values of a quantity among the chosen runs, ascending. Returns their number.
int listValues(const Runs* runs, const Choice* choice, size_t offset, double values[MAX_VALUES]);

// How a solver was run.
typedef struct Way {
    const char *engine, *precision, *masses;
} Way;

// The different ways of the chosen runs, in the file's order. Returns their number.
int listWays(const Runs* runs, const Choice* choice, Way ways[MAX_VALUES]);
// The choice, narrowed to one way.
Choice chooseWay(const Choice* choice, const Way* way);

// "1 pushed box"; test: 1 to 7.
const char* findTestName(int test);

// A body that tilts further than this has tumbled [deg].
#define TUMBLED_TILT 30.0

// How a solver looks in every figure: Okabe and Ito's colours, and a dash and a point of its own.
typedef struct Style {
    const char* name;
    const char* label;
    const char* colour;
    int dash, point, pattern; // gnuplot's dt, pt; fill: 0 solid, else a pattern
} Style;
Style findStyle(const char* solver);

#endif
