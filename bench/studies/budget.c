// The error budget: each solver's error as a sum of four parts, found by switching off one cause after the
// other.
//
//   total     e(f32)                                          of the run as it is
//   rounding  e(f32) - e(f64)                                 the same run in double
//   packing   e(f64) - e(f64; own body)                       scored for the mass and inertia of its own
//   spheres floor     e(f64; own body) - e(f64; own body, Euler)      scored against semi-implicit Euler's
//   own sum contact   e(f64; own body, Euler)                         what is left: contact, friction, the
//   solver
//
// e is signed: along the motion, or about the vertical. Test 7 has vectors in the ground's plane, whose sum
// is exact and whose norms are shown, and its packing is the reference on the spheres' support points minus
// that on the whole base. A solver of one precision has no rounding part, one of another integrator no floor;
// the rest takes in what there is.
#include "studies/study.h"

#include "vec.h"

#include <math.h>
#include <string.h>

// A body that tilts further than this has tumbled; where it ends is chaos and has no parts [deg].
#define TUMBLED 30.0

enum { TOTAL, ROUNDING, PACKING, FLOOR, CONTACT, PARTS };

// Along and across the push; signed numbers have no second part.
typedef struct Plane {
    double x, y;
} Plane;

typedef struct Budget {
    bool has[PARTS];
    Plane parts[PARTS];
} Budget;

// What a row is about.
typedef struct Row {
    const StudyPlan* plan;
    char* const* results;
    int first, last; // its jobs: one test and solver, [first, last)
    bool turn;       // Test 7 has two rows: places, then turns
    Plane packing;   // Test 7's; tests 1 to 6 have it in their results
} Row;

static const StudyJob* getJob(const Row* row)
{
    return &row->plan->jobs[row->first];
}

static bool runsInBoth(const Row* row)
{
    return (getJob(row)->solver->capabilities & pbdr_benchUsesSettings) != 0;
}

// Not if it refuses float: then its run in double is all there is.
static bool hasTwoPrecisions(const Row* row)
{
    return runsInBoth(row) && strncmp(row->results[row->first], "not_supported,", 14) != 0;
}

// The result of a seed's run, or with `twin` of the same in double; those of a solver of one precision are
// one.
static const char* findResult(const Row* row, int seed, bool twin)
{
    for (int k = row->first; k < row->last; k++) {
        const StudyJob* job = &row->plan->jobs[k];
        bool wanted =
            !runsInBoth(row) || (job->options.precision == benchF64) == (twin || !hasTwoPrecisions(row));
        if (job->seed == seed && wanted) {
            return row->results[k];
        }
    }
    return NULL;
}

static bool isMeasured(const char* result)
{
    return strncmp(result, "measured,", 9) == 0;
}

static bool hasTumbled(const char* result)
{
    return studyGetResult(result, "max_tilt_deg") > TUMBLED;
}

static bool isSemiImplicitEuler(const char* result)
{
    return strstr(result, "integrator=semi-implicit Euler") != NULL;
}

// --- One seed ---

static Plane subtract(Plane a, Plane b)
{
    return (Plane){a.x - b.x, a.y - b.y};
}

static Plane getTotal(const Row* row, const char* result)
{
    const BenchTest* test = getJob(row)->test;
    if (test->rod && row->turn) {
        return (Plane){studyGetResult(result, "dynamic_tilt_final_turn_deg"), 0.0};
    }
    if (test->rod) {
        return (Plane){studyGetResult(result, "dynamic_tilt_final_along_m"),
                       studyGetResult(result, "dynamic_tilt_final_across_m")};
    }
    return (Plane){studyGetResult(result, test->torque > 0.0 ? "final_signed_rotation_error_deg"
                                                             : "final_signed_position_error_m"),
                   0.0};
}

static Budget split(const Row* row, const char* run, const char* twin)
{
    Budget b = {.has = {[TOTAL] = true, [PACKING] = true, [CONTACT] = true}};
    b.parts[TOTAL] = getTotal(row, run);
    Plane rest = getTotal(row, twin);
    if (hasTwoPrecisions(row)) {
        b.has[ROUNDING] = true;
        b.parts[ROUNDING] = subtract(b.parts[TOTAL], rest);
    }
    if (getJob(row)->test->rod) {
        b.has[PACKING] = isfinite(row->packing.x); // a box that tips on its points has no such reference
        b.parts[PACKING] = row->packing;
        b.parts[CONTACT] = b.has[PACKING] ? subtract(rest, row->packing) : rest;
        return b;
    }
    Plane own = {studyGetResult(twin, "final_own_body_error"), 0.0};
    Plane euler = {studyGetResult(twin, "final_own_euler_error"), 0.0};
    b.parts[PACKING] = subtract(rest, own);
    b.has[FLOOR] = isSemiImplicitEuler(twin);
    b.parts[FLOOR] = subtract(own, euler);
    b.parts[CONTACT] = b.has[FLOOR] ? euler : own;
    return b;
}

// --- Means over the seeds ---

// The seeds of a row: how many can be split, and why the others cannot.
typedef struct Tally {
    int split, tumbled, diverged, unsupported, failed;
} Tally;

typedef enum Fate { fateSplit, fateTumbled, fateNone } Fate;

// A pair of runs has the fate of the worse one.
static Fate judge(const char* run, const char* twin, Tally* tally)
{
    const char* worse = isMeasured(run) ? twin : run;
    if (isMeasured(worse)) {
        bool tumbled = hasTumbled(run) || hasTumbled(twin);
        tally->tumbled += tumbled;
        tally->split += !tumbled;
        return tumbled ? fateTumbled : fateSplit;
    }
    tally->diverged += strncmp(worse, "diverged,", 9) == 0;
    tally->unsupported += strncmp(worse, "not_supported,", 14) == 0;
    tally->failed += studyIsFailure(worse);
    return fateNone;
}

static double getSize(const Row* row, Plane part)
{
    return getJob(row)->test->rod && !row->turn ? hypot(part.x, part.y) : part.x;
}

typedef struct Mean {
    Budget budget; // of the seeds that can be split
    Tally tally;
    double least, most; // total of any of those
} Mean;

// Over the seeds of that fate: those that can be split, or those that have tumbled, of which the total alone
// holds.
static Mean average(const Row* row, Fate fate)
{
    Mean mean = {.least = (double)NAN, .most = (double)NAN};
    int used = 0;
    for (int seed = 1; seed <= row->plan->seeds; seed++) {
        const char *run = findResult(row, seed, false), *twin = findResult(row, seed, true);
        if (run == NULL || twin == NULL || judge(run, twin, &mean.tally) != fate) {
            continue;
        }
        Budget one = split(row, run, twin);
        used++;
        mean.least = fmin(mean.least, getSize(row, one.parts[TOTAL]));
        mean.most = fmax(mean.most, getSize(row, one.parts[TOTAL]));
        for (int p = 0; p < PARTS; p++) {
            mean.budget.has[p] = one.has[p] && (fate == fateSplit || p == TOTAL);
            mean.budget.parts[p].x += one.parts[p].x;
            mean.budget.parts[p].y += one.parts[p].y;
        }
    }
    for (int p = 0; p < PARTS && used > 0; p++) {
        mean.budget.parts[p].x /= used;
        mean.budget.parts[p].y /= used;
    }
    return mean;
}

// --- Test 7's packing ---

// Where the reference with inertia and tilt ends on some support. False if there is none.
static bool solve(const BenchOptions* options, BenchSupport support, BenchPushingFrame* end)
{
    BenchPushing pushing = benchDescribePushing(options);
    pushing.model = benchPushingDynamic;
    pushing.tilt = true;
    pushing.support = support;
    pushing.lattice = options->contact == pbdr_contactSurface;
    pushing.pointsPerAxis = options->n + pushing.lattice;
    BenchPushingPath path;
    if (benchSolvePushing(&pushing, &path, NULL) != pbdr_statusOk) {
        return false;
    }
    *end = path.frames[path.frameCount - 1];
    benchFreePushingPath(&path);
    return true;
}

static void setPacking(Row* row)
{
    const StudyJob* job = getJob(row);
    BenchPushingFrame points, base;
    row->packing = (Plane){0.0, 0.0};
    if (!job->test->rod || (job->solver->capabilities & pbdr_benchUsesSpheres) == 0) {
        return;
    }
    if (!solve(&job->options, benchSupportPoints, &points) ||
        !solve(&job->options, benchSupportUniform, &base)) {
        row->packing = (Plane){(double)NAN, (double)NAN};
    } else if (row->turn) {
        row->packing.x = (points.theta - base.theta) * 180.0 / BENCH_PI;
    } else {
        row->packing = (Plane){points.x - base.x, points.y - base.y};
    }
}

// --- Table ---

static void writeRow(FILE* file, Row* row)
{
    setPacking(row);
    const BenchTest* test = getJob(row)->test;
    Mean mean = average(row, fateSplit);
    const Tally* tally = &mean.tally;
    const char* state = tally->split > 0         ? "split"
                        : tally->tumbled > 0     ? "tumbled"
                        : tally->diverged > 0    ? "diverged"
                        : tally->unsupported > 0 ? "not_supported"
                                                 : "failed";
    if (tally->split == 0) {
        mean = average(row, fateTumbled);
    }
    bool degrees = test->torque > 0.0 || row->turn, norm = test->rod && !row->turn;
    fprintf(file, "%d,", test->number);
    studyWriteText(file, getJob(row)->solver->label);
    fprintf(file, ",%s,%s,%s,%d,%d,%d,%d", degrees ? "deg" : "m", norm ? "norm" : "signed", state,
            row->plan->seeds, tally->split, tally->tumbled, tally->diverged);
    for (int p = 0; p < PARTS; p++) {
        double size = getSize(row, mean.budget.parts[p]);
        studyWriteNumber(file, mean.budget.has[p] ? size : (double)NAN, false);
    }
    studyWriteNumber(file, mean.least, false);
    studyWriteNumber(file, mean.most, false);
    fputc('\n', file);
}

void studyWriteBudget(FILE* file, const StudyPlan* plan, char* const* results)
{
    fputs("test,solver,unit,kind,state,seeds,split,tumbled,diverged,total,rounding,packing,floor,contact,"
          "total_least,total_most\n",
          file);
    Row row = {.plan = plan, .results = results};
    while (row.first < plan->jobCount) {
        const StudyJob* job = getJob(&row);
        row.last = row.first;
        while (row.last < plan->jobCount && plan->jobs[row.last].test == job->test &&
               plan->jobs[row.last].solver == job->solver) {
            row.last++;
        }
        row.turn = false;
        writeRow(file, &row);
        if (job->test->rod) {
            row.turn = true;
            writeRow(file, &row);
        }
        row.first = row.last;
    }
}
