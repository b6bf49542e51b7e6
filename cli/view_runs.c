// pbdr view RESULTS.csv: the settings of runs out of a results file.
#include "view_runs.h"

#include "command.h"
#include "names.h"

#include "csv.h"
#include "old_names.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A row. Columns that a file lacks are NaN and "".
typedef struct Row {
    double test, seed, n, layers, radius, mu, force, rodFriction, offset, pushHeight, rodRadius, duration,
        timeStep, iterations, relaxation, substeps, position, rotation;
    const char *solver, *engine, *precision, *masses, *ablate, *contact, *outcome;
} Row;

static const struct {
    const char* name;
    size_t offset;
} numbers[] =
    {
        {"test", offsetof(Row, test)},
        {"seed", offsetof(Row, seed)},
        {"n", offsetof(Row, n)},
        {"layers", offsetof(Row, layers)},
        {"radius_m", offsetof(Row, radius)},
        {"mu", offsetof(Row, mu)},
        {"force_N", offsetof(Row, force)},
        {"mu_rod", offsetof(Row, rodFriction)},
        {"offset_m", offsetof(Row, offset)},
        {"push_height_m", offsetof(Row, pushHeight)},
        {"rod_radius_m", offsetof(Row, rodRadius)},
        {"duration_s", offsetof(Row, duration)},
        {"dt_s", offsetof(Row, timeStep)},
        {"iterations", offsetof(Row, iterations)},
        {"relaxation", offsetof(Row, relaxation)},
        {"substeps", offsetof(Row, substeps)},
        {"final_position_error_m", offsetof(Row, position)},
        {"final_rotation_error_deg", offsetof(Row, rotation)},
},
  words[] = {
      {"solver", offsetof(Row, solver)},       {"engine", offsetof(Row, engine)},
      {"precision", offsetof(Row, precision)}, {"masses", offsetof(Row, masses)},
      {"ablate", offsetof(Row, ablate)},       {"contact", offsetof(Row, contact)},
      {"outcome", offsetof(Row, outcome)},
};
#define NUMBERS (sizeof numbers / sizeof numbers[0])
#define WORDS (sizeof words / sizeof words[0])

bool isRunsFile(const char* path)
{
    CsvReader csv;
    const bool found = csvOpen(&csv, path) == csvOk && csvFindColumn(&csv, "test") >= 0 &&
                       csvFindColumn(&csv, "solver") >= 0 && csvFindColumn(&csv, "px") < 0;
    csvClose(&csv);
    return found;
}

static int refuse(const CsvReader* csv, const char* problem)
{
    if (csv->line > 0) {
        benchPrintMessage("pbdr view: %s:%d: %s\n", csv->path, csv->line, problem);
    } else {
        benchPrintMessage("pbdr view: %s: %s\n", csv->path, problem);
    }
    return EXIT_FAILED;
}

static int readRow(const CsvReader* csv, Row* row)
{
    for (size_t k = 0; k < NUMBERS; k++) {
        double* value = (double*)((char*)row + numbers[k].offset);
        const int column = csvFindColumn(csv, numbers[k].name);
        const char* cell = column >= 0 ? csv->cells[column] : "";
        *value = (double)NAN;
        if (cell[0] != 0 && !csvParseNumber(cell, value)) {
            char problem[160];
            snprintf(problem, sizeof problem, "column '%s': '%.60s' is no number", numbers[k].name, cell);
            return refuse(csv, problem);
        }
    }
    for (size_t k = 0; k < WORDS; k++) {
        const int column = csvFindColumn(csv, words[k].name);
        *(const char**)((char*)row + words[k].offset) = column >= 0 ? csv->cells[column] : "";
    }
    row->solver = benchRenameSolver(row->solver);
    if (!(row->test >= 1.0 && row->test <= BENCH_LAST_EXTENDED) || floor(row->test) != row->test) {
        row->test = 0.0; // none that a page shows
    }
    return EXIT_OK;
}

static bool isAblated(const Row* row)
{
    return row->ablate[0] != 0 && strcmp(row->ablate, "none") != 0;
}

// --- Settings ---

static void setWhole(int* value, double number)
{
    if (number >= 1.0 && number <= 1.0e6) {
        *value = (int)number;
    }
}

static void setNumber(double* value, double number)
{
    if (isfinite(number)) {
        *value = number;
    }
}

static void setAbove(double* value, double number)
{
    if (isfinite(number) && number > 0.0) {
        *value = number;
    }
}

// What the row says, over what was asked for.
static ViewRun makeRun(const Row* row, const BenchOptions* asked, double duration)
{
    ViewRun run = {.options = *asked, .position = row->position, .rotation = row->rotation};
    BenchOptions* o = &run.options;
    snprintf(run.label, sizeof run.label, "%.40s%s%.20s", row->solver, isAblated(row) ? " without " : "",
             isAblated(row) ? row->ablate : "");
    setWhole(&o->n, row->n);
    setWhole(&o->layers, row->layers);
    setWhole(&o->iterations, row->iterations);
    setAbove(&o->radius, row->radius);
    setNumber(&o->mu, row->mu);
    setNumber(&o->force, row->force);
    setNumber(&o->rodFriction, row->rodFriction);
    setNumber(&o->offset, row->offset);
    setAbove(&o->pushHeight, row->pushHeight);
    setAbove(&o->rodRadius, row->rodRadius);
    setAbove(&o->relaxation, row->relaxation);
    setAbove(&o->timeStep, row->timeStep);
    setAbove(&o->duration, isnan(row->duration) ? row->substeps * row->timeStep : row->duration);
    if (duration > 0.0) { // a part of it
        o->duration = duration;
        run.position = run.rotation = (double)NAN;
    }
    o->engine = strcmp(row->engine, "particle") == 0  ? pbdr_engineParticle
                : strcmp(row->engine, "reduced") == 0 ? pbdr_engineReduced
                                                      : o->engine;
    o->precision = strcmp(row->precision, "f32") == 0   ? benchF32
                   : strcmp(row->precision, "f64") == 0 ? benchF64
                                                        : o->precision;
    o->masses = strcmp(row->masses, "exact") == 0     ? benchMassesExact
                : strcmp(row->masses, "uniform") == 0 ? benchMassesUniform
                                                      : o->masses;
    o->contact = strcmp(row->contact, "spheres") == 0 ? pbdr_contactSpheres : o->contact;
    o->ablation = strcmp(row->ablate, "velocity") == 0  ? pbdr_ablateVelocityUpdate
                  : strcmp(row->ablate, "linear") == 0  ? pbdr_ablateLinearMomentum
                  : strcmp(row->ablate, "angular") == 0 ? pbdr_ablateAngularMomentum
                                                        : 0;
    return run;
}

// --- Rows ---

typedef struct Choice {
    const ViewRows* rows;
    ChosenScene* chosen;
    ViewOptions* options;
    char wanted[VIEW_MAX_TRACKS][96]; // solvers; wantedCount 0: all
    int wantedCount;
    ViewRun* runs;
    int count;
} Choice;

static bool isRowWanted(const Choice* choice, const Row* row, int number)
{
    if (choice->rows->count > 0) {
        for (int k = 0; k < choice->rows->count; k++) {
            if (choice->rows->numbers[k] == number) {
                return true;
            }
        }
        return false;
    }
    if (choice->count == VIEW_MAX_TRACKS || row->test < 1.0 || findSolver(row->solver, NULL) < 0 ||
        strcmp(row->outcome, "not_supported") == 0 || strcmp(row->outcome, "failed") == 0 ||
        (choice->chosen->number > 0 && row->test != choice->chosen->number) ||
        (choice->chosen->seed > 0 && row->seed != choice->chosen->seed)) {
        return false;
    }
    bool wanted = choice->wantedCount == 0;
    for (int k = 0; k < choice->wantedCount; k++) {
        wanted = wanted || strcmp(choice->wanted[k], row->solver) == 0;
    }
    const ViewRun run = makeRun(row, &choice->chosen->options, 0.0);
    for (int k = 0; k < choice->count; k++) { // one of a kind
        wanted = wanted && strcmp(choice->runs[k].label, run.label) != 0;
    }
    return wanted;
}

static int takeRow(Choice* choice, const CsvReader* csv, const Row* row)
{
    ChosenScene* chosen = choice->chosen;
    if (row->test < 1.0) {
        return refuse(csv, "a run of no test of the benchmark");
    }
    if (findSolver(row->solver, NULL) < 0) {
        return refuse(csv, "a run of another simulator: a page can run pbd, pbd-r and xpbdr only");
    }
    if (choice->count > 0 &&
        (row->test != chosen->number || (isfinite(row->seed) && row->seed != chosen->seed))) {
        return refuse(csv, "its test and seed are not those of the first run, and one page shows one scene");
    }
    chosen->number = (int)row->test;
    if (row->seed >= 1.0 && row->seed <= 10000.0) {
        chosen->seed = (int)row->seed;
    }
    ViewRun* run = &choice->runs[choice->count];
    *run = makeRun(row, &chosen->options, choice->options->duration);
    const BenchOptions* first = &choice->runs[0].options;
    if (run->options.duration != first->duration || run->options.timeStep != first->timeStep) {
        return refuse(csv, "its duration or time step is not that of the first run");
    }
    snprintf(choice->options->solvers[choice->count], sizeof choice->options->solvers[0], "%.90s",
             row->solver);
    choice->count++;
    choice->options->solverCount = choice->count;
    return EXIT_OK;
}

int readRuns(const char* path, const ViewRows* rows, ChosenScene* chosen, ViewOptions* options,
             ViewRun runs[VIEW_MAX_TRACKS])
{
    Choice choice = {.rows = rows,
                     .chosen = chosen,
                     .options = options,
                     .wantedCount = options->solverCount,
                     .runs = runs};
    memcpy(choice.wanted, options->solvers, sizeof choice.wanted);
    options->solverCount = 0;
    CsvReader csv;
    CsvResult result = csvOpen(&csv, path);
    int code = result == csvOk ? EXIT_OK : refuse(&csv, csv.problem);
    for (int number = 1; code == EXIT_OK && (result = csvNext(&csv)) == csvOk; number++) {
        Row row;
        code = readRow(&csv, &row);
        if (code == EXIT_OK && isRowWanted(&choice, &row, number)) {
            code = takeRow(&choice, &csv, &row);
        }
    }
    if (code == EXIT_OK && result != csvEnd) {
        code = refuse(&csv, csv.problem);
    }
    csv.line = 0;
    if (code == EXIT_OK && choice.count < rows->count) {
        code = refuse(&csv, "it has not as many rows as --row asks for");
    } else if (code == EXIT_OK && choice.count == 0) {
        code = refuse(&csv, "no run of pbd, pbd-r or xpbdr with that test, seed and solver");
    }
    csvClose(&csv);
    return code;
}
