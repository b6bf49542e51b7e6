#include "runs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER(name, field)                                                                                  \
    {                                                                                                        \
        name, csvNumber, offsetof(Run, field)                                                                \
    }
#define TEXT(name, kind, field)                                                                              \
    {                                                                                                        \
        name, kind, offsetof(Run, field)                                                                     \
    }
const CsvColumn runColumns[] = {
    NUMBER("test", test),
    NUMBER("seed", seed),
    NUMBER("n", n),
    NUMBER("layers", layers),
    NUMBER("radius_m", radius),
    NUMBER("mu", mu),
    NUMBER("force_N", force),
    NUMBER("mu_rod", muRod),
    NUMBER("offset_m", offset),
    NUMBER("duration_s", duration),
    NUMBER("dt_s", dt),
    NUMBER("iterations", iterations),
    NUMBER("relaxation", relaxation),
    TEXT("solver", csvSolver, solver),
    TEXT("engine", csvText, engine),
    TEXT("precision", csvWord, precision),
    TEXT("masses", csvWord, masses),
    TEXT("ablate", csvWord, ablate),
    TEXT("outcome", csvWord, outcome),
    TEXT("settings", csvText, settings),
    TEXT("problem", csvText, problem),
    NUMBER("particles", particles),
    NUMBER("failed_at_s", failedAt),
    NUMBER("final_position_error_m", finalPosition),
    NUMBER("final_rotation_error_deg", finalRotation),
    NUMBER("mean_position_error_m", meanPosition),
    NUMBER("mean_rotation_error_deg", meanRotation),
    NUMBER("max_tilt_deg", maxTilt),
    NUMBER("floor_position_m", floorPosition),
    NUMBER("floor_rotation_deg", floorRotation),
    NUMBER("quasistatic_final_position_m", restPosition),
    NUMBER("quasistatic_final_rotation_deg", restRotation),
    NUMBER("dynamic_tilt_final_position_m", dynamicPosition),
    NUMBER("dynamic_tilt_final_rotation_deg", dynamicRotation),
    NUMBER("us_per_substep", microseconds),
};
const size_t runColumnCount = sizeof runColumns / sizeof runColumns[0];
#undef NUMBER
#undef TEXT

#define NUMBER(name, field)                                                                                  \
    {                                                                                                        \
        name, csvNumber, offsetof(Sample, field)                                                             \
    }
const CsvColumn sampleColumns[] = {
    NUMBER("test", test),
    NUMBER("seed", seed),
    NUMBER("n", n),
    NUMBER("particles", particles),
    NUMBER("t_s", time),
    NUMBER("position_error_m", position),
    NUMBER("rotation_error_deg", rotation),
    NUMBER("x_m", x),
    NUMBER("y_m", y),
    NUMBER("theta_rad", theta),
    {"solver", csvSolver, offsetof(Sample, solver)},
    {"precision", csvWord, offsetof(Sample, precision)},
    {"masses", csvWord, offsetof(Sample, masses)},
};
const size_t sampleColumnCount = sizeof sampleColumns / sizeof sampleColumns[0];
#undef NUMBER

const CsvColumn referenceColumns[] = {
    {"reference", csvWord, offsetof(ReferenceSample, reference)},
    {"t_s", csvNumber, offsetof(ReferenceSample, time)},
    {"x_m", csvNumber, offsetof(ReferenceSample, x)},
    {"y_m", csvNumber, offsetof(ReferenceSample, y)},
    {"theta_rad", csvNumber, offsetof(ReferenceSample, theta)},
};
const size_t referenceColumnCount = sizeof referenceColumns / sizeof referenceColumns[0];

const CsvColumn ablationColumns[] = {
    {"solver", csvSolver, offsetof(AblationRow, solver)},
    {"ablate", csvWord, offsetof(AblationRow, ablate)},
    {"quantity", csvWord, offsetof(AblationRow, quantity)},
    {"seeds", csvNumber, offsetof(AblationRow, seeds)},
    {"t2", csvNumber, offsetof(AblationRow, t2)},
    {"final", csvNumber, offsetof(AblationRow, final)},
    {"mean", csvNumber, offsetof(AblationRow, mean)},
    {"ratio", csvNumber, offsetof(AblationRow, ratio)},
};
const size_t ablationColumnCount = sizeof ablationColumns / sizeof ablationColumns[0];

const CsvColumn budgetColumns[] = {
    {"test", csvNumber, offsetof(BudgetRow, test)},
    {"solver", csvSolver, offsetof(BudgetRow, solver)},
    {"unit", csvWord, offsetof(BudgetRow, unit)},
    {"kind", csvWord, offsetof(BudgetRow, kind)},
    {"state", csvWord, offsetof(BudgetRow, state)},
    {"seeds", csvNumber, offsetof(BudgetRow, seeds)},
    {"split", csvNumber, offsetof(BudgetRow, split)},
    {"tumbled", csvNumber, offsetof(BudgetRow, tumbled)},
    {"diverged", csvNumber, offsetof(BudgetRow, diverged)},
    {"total", csvNumber, offsetof(BudgetRow, total)},
    {"rounding", csvNumber, offsetof(BudgetRow, rounding)},
    {"packing", csvNumber, offsetof(BudgetRow, packing)},
    {"floor", csvNumber, offsetof(BudgetRow, floor)},
    {"contact", csvNumber, offsetof(BudgetRow, contact)},
    {"total_least", csvNumber, offsetof(BudgetRow, least)},
    {"total_most", csvNumber, offsetof(BudgetRow, most)},
};
const size_t budgetColumnCount = sizeof budgetColumns / sizeof budgetColumns[0];

Choice chooseAll(void)
{
    double any = (double)NAN;
    return (Choice){NULL, NULL, NULL, NULL, any, any, any, any, any, any};
}

static bool agree(double wanted, double value)
{
    return isnan(wanted) || fabs(wanted - value) <= 1e-9 * fabs(wanted);
}

static bool agreeText(const char* wanted, const char* text)
{
    return wanted == NULL || strcmp(wanted, text) == 0;
}

bool isChosen(const Run* run, const Choice* choice)
{
    return agreeText(choice->solver, run->solver) && agreeText(choice->engine, run->engine) &&
           agreeText(choice->precision, run->precision) && agreeText(choice->masses, run->masses) &&
           agree(choice->test, run->test) && agree(choice->n, run->n) &&
           agree(choice->particles, run->particles) && agree(choice->mu, run->mu) &&
           agree(choice->force, run->force) && agree(choice->offset, run->offset);
}

bool isMeasured(const Run* run)
{
    return strcmp(run->outcome, "measured") == 0;
}

bool isUnsupported(const Run* run)
{
    return strcmp(run->outcome, "not_supported") == 0;
}

static double getValue(const Run* run, size_t offset)
{
    double value;
    memcpy(&value, (const char*)run + offset, sizeof value);
    return value;
}

Spread findSpread(const Runs* runs, const Choice* choice, size_t offset)
{
    double none = (double)NAN, sum = 0;
    Spread spread = {0, 0, 0, none, none, none, none};
    for (size_t k = 0; k < runs->count; k++) {
        const Run* run = &runs->runs[k];
        if (!isChosen(run, choice)) {
            continue;
        }
        double value = getValue(run, offset);
        if (isUnsupported(run)) {
            spread.unsupported++;
        } else if (!isMeasured(run)) {
            spread.failed++;
            spread.failedAt = fmin(spread.failedAt, run->failedAt);
        } else if (isfinite(value)) {
            spread.measured++;
            sum += value;
            spread.least = fmin(spread.least, value);
            spread.most = fmax(spread.most, value);
        }
    }
    if (spread.measured > 0) {
        spread.mean = sum / spread.measured;
    }
    return spread;
}

const char* findTestName(int test)
{
    static const char* const names[] = {"1 pushed box",    "2 box, torque",   "3 box on slope",
                                        "4 pushed bunny",  "5 bunny, torque", "6 bunny on slope",
                                        "7 rod pushes box"};
    return test >= 1 && test <= 7 ? names[test - 1] : "";
}

static const Style styles[] = {
    {"pbd", "PBD", "#d55e00", 2, 4, 0},
    {"pbd-r", "PBD-R", "#0072b2", 1, 7, 0},
    {"xpbdr", "XPBD-R", "#56b4e9", 1, 5, 0},
    {"xpbdr:spheres", "XPBD-R (spheres)", "#56b4e9", 3, 4, 5},
    {"mujoco", "MuJoCo (paper's settings)", "#009e73", 4, 9, 0},
    {"mujoco:tuned", "MuJoCo (tuned)", "#009e73", 5, 8, 6},
    {"mujoco:feet", "MuJoCo (4 x 4 feet)", "#009e73", 3, 10, 5},
    {"ode", "ODE", "#cc79a7", 5, 13, 0},
    {"ode:tuned", "ODE (tuned)", "#cc79a7", 3, 12, 7},
    {"bullet", "Bullet", "#e69f00", 3, 11, 0},
    {"bullet:tuned", "Bullet (tuned)", "#e69f00", 2, 10, 4},
};
enum { STYLE_COUNT = sizeof styles / sizeof styles[0] };

Style findStyle(const char* solver)
{
    for (int k = 0; k < STYLE_COUNT; k++) {
        if (strcmp(styles[k].name, solver) == 0) {
            return styles[k];
        }
    }
    return (Style){solver, solver, "#555555", 4, 6, 2};
}

static bool isListed(const char* const* names, int count, const char* name)
{
    for (int k = 0; k < count; k++) {
        if (strcmp(names[k], name) == 0) {
            return true;
        }
    }
    return false;
}

int listSolvers(const Runs* runs, const Choice* choice, const char* names[MAX_SOLVERS])
{
    int count = 0;
    for (int s = 0; s < STYLE_COUNT; s++) {
        for (size_t k = 0; k < runs->count; k++) {
            if (isChosen(&runs->runs[k], choice) && strcmp(runs->runs[k].solver, styles[s].name) == 0) {
                names[count++] = styles[s].name;
                break;
            }
        }
    }
    for (size_t k = 0; k < runs->count && count < MAX_SOLVERS; k++) {
        if (isChosen(&runs->runs[k], choice) && !isListed(names, count, runs->runs[k].solver)) {
            names[count++] = runs->runs[k].solver;
        }
    }
    return count;
}

static int compareDoubles(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int listValues(const Runs* runs, const Choice* choice, size_t offset, double values[MAX_VALUES])
{
    int count = 0;
    for (size_t k = 0; k < runs->count && count < MAX_VALUES; k++) {
        double value = getValue(&runs->runs[k], offset);
        bool known = !isfinite(value) || !isChosen(&runs->runs[k], choice);
        for (int j = 0; j < count && !known; j++) {
            known = values[j] == value;
        }
        if (!known) {
            values[count++] = value;
        }
    }
    qsort(values, (size_t)count, sizeof values[0], compareDoubles);
    return count;
}

Choice chooseWay(const Choice* choice, const Way* way)
{
    Choice narrowed = *choice;
    narrowed.engine = way->engine;
    narrowed.precision = way->precision;
    narrowed.masses = way->masses;
    return narrowed;
}

int listWays(const Runs* runs, const Choice* choice, Way ways[MAX_VALUES])
{
    int count = 0;
    for (size_t k = 0; k < runs->count && count < MAX_VALUES; k++) {
        const Run* run = &runs->runs[k];
        bool known = !isChosen(run, choice);
        for (int j = 0; j < count && !known; j++) {
            Choice way = chooseWay(choice, &ways[j]);
            known = isChosen(run, &way);
        }
        if (!known) {
            ways[count++] = (Way){run->engine, run->precision, run->masses};
        }
    }
    return count;
}

double findMedian(const Runs* runs, const Choice* choice, size_t offset)
{
    double* values = malloc((runs->count + 1) * sizeof values[0]);
    size_t count = 0;
    for (size_t k = 0; values != NULL && k < runs->count; k++) {
        double value = getValue(&runs->runs[k], offset);
        if (isChosen(&runs->runs[k], choice) && isMeasured(&runs->runs[k]) && isfinite(value)) {
            values[count++] = value;
        }
    }
    double median = (double)NAN;
    if (count > 0) {
        qsort(values, count, sizeof values[0], compareDoubles);
        median = 0.5 * (values[(count - 1) / 2] + values[count / 2]);
    }
    free(values);
    return median;
}
