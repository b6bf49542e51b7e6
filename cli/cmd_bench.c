// pbdr bench: tests x solvers x seeds, progress while they run, a table at the end.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "data.h"
#include "options.h"
#include "output.h"

#include "results.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAX_SOLVERS 8

typedef struct TestList {
    bool given; // on the command line
    bool chosen[BENCH_LAST_TEST + 1];
} TestList;

typedef struct SolverList {
    int count;
    const BenchSolver* solvers[MAX_SOLVERS];
} SolverList;

typedef struct Bench {
    TestList tests;
    SolverList solvers;
    BenchOptions options;
    int seeds;
    int engine, precision, simd, packing, masses; // indices into the choices below
    const char *trajectoryDir, *jsonPath, *csvPath;
    // Progress
    int runsDone, runsTotal;
    char label[96];
    double begun;
    bool live; // stderr is a terminal
} Bench;

static const char* const engineNames[] = {"particle", NULL};
static const char* const precisionNames[] = {"f32", "f64", NULL};
static const char* const simdNames[] = {"auto", "scalar", "avx2", NULL};
static const char* const packingNames[] = {"grid", NULL};
static const char* const massNames[] = {"uniform", NULL};

static volatile sig_atomic_t interrupted;

static void onInterrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// --- Lists on the command line ---

// Calls take for each part between commas; false as soon as it refuses one.
static bool splitList(const char* text, bool (*take)(void* list, const char* part), void* list)
{
    char part[64];
    while (true) {
        size_t length = strcspn(text, ",");
        if (length == 0 || length >= sizeof part) {
            return false;
        }
        memcpy(part, text, length);
        part[length] = 0;
        if (!take(list, part)) {
            return false;
        }
        if (text[length] == 0) {
            return true;
        }
        text += length + 1;
    }
}

// A number or a range a-b.
static bool takeTest(void* list, const char* part)
{
    TestList* tests = list;
    char* end = NULL;
    long first = strtol(part, &end, 10), last = first;
    if (end == part) {
        return false;
    }
    if (*end == '-') {
        const char* second = end + 1;
        last = strtol(second, &end, 10);
        if (end == second) {
            return false;
        }
    }
    if (*end != 0 || first < BENCH_FIRST_TEST || last > BENCH_LAST_TEST || first > last) {
        return false;
    }
    for (long k = first; k <= last; k++) {
        tests->chosen[k] = true;
    }
    return true;
}

static bool parseTests(void* value, const char* text, const char** message)
{
    TestList* tests = value;
    *message = "wanted test numbers 1 to 6, such as 1,2 or 1-3";
    memset(tests, 0, sizeof *tests);
    tests->given = true;
    return splitList(text, takeTest, tests);
}

static bool takeSolver(void* list, const char* part)
{
    SolverList* solvers = list;
    const BenchSolver* solver = benchFindSolver(part);
    for (int k = 0; k < solvers->count && solver != NULL; k++) {
        if (solvers->solvers[k] == solver) {
            return true;
        }
    }
    if (solver == NULL || solvers->count == MAX_SOLVERS) {
        return false;
    }
    solvers->solvers[solvers->count++] = solver;
    return true;
}

static bool parseSolvers(void* value, const char* text, const char** message)
{
    *message = "wanted solvers of: pbd, pbdr";
    ((SolverList*)value)->count = 0;
    return splitList(text, takeSolver, value);
}

static bool takeAblation(void* list, const char* part)
{
    uint32_t* bits = list;
    uint32_t bit = strcmp(part, "velocity") == 0  ? pbdr_ablateVelocityUpdate
                   : strcmp(part, "linear") == 0  ? pbdr_ablateLinearMomentum
                   : strcmp(part, "angular") == 0 ? pbdr_ablateAngularMomentum
                                                  : 0;
    *bits |= bit;
    return bit != 0;
}

static bool parseAblation(void* value, const char* text, const char** message)
{
    *message = "wanted parts of: velocity, linear, angular";
    *(uint32_t*)value = 0;
    return splitList(text, takeAblation, value);
}

// --- Progress ---

static double getSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1.0e-9 * (double)now.tv_nsec;
}

// A line that is overwritten on a terminal; nothing elsewhere, where finished runs get a line each.
static bool showProgress(void* context, double doneShare)
{
    Bench* bench = context;
    static double lastShown;
    double now = getSeconds();
    if (bench->live && now - lastShown > 0.1) {
        lastShown = now;
        double share = (bench->runsDone + doneShare) / bench->runsTotal;
        double left = share > 0.0 ? (now - bench->begun) * (1.0 - share) / share : 0.0;
        fprintf(stderr, "\r\033[K[%d/%d] %s: %3.0f %%, about %.0f s left in all", bench->runsDone + 1,
                bench->runsTotal, bench->label, 100.0 * doneShare, left);
        fflush(stderr);
    }
    return interrupted == 0;
}

static void showResult(const Bench* bench, const BenchRun* run)
{
    if (bench->live) {
        fprintf(stderr, "\r\033[K");
    }
    fprintf(stderr, "[%d/%d] %s: ", bench->runsDone, bench->runsTotal, bench->label);
    if (run->diverged) {
        fprintf(stderr, "diverged at %.2f s\n", run->failedAt);
    } else {
        fprintf(stderr, "%.3g m, %.3g deg\n", run->errors.position.final, run->errors.rotation.final);
    }
}

// --- Runs ---

static int reportError(const pbdrError* error)
{
    fprintf(stderr, "pbdr bench: %s\n", error->message);
    return EXIT_FAILED;
}

// One run with its trajectory file, if wanted.
static int runOnce(Bench* bench, const BenchScene* scene, const BenchSolver* solver, BenchRun* run)
{
    Output trajectory = {.file = NULL};
    char path[3072];
    if (bench->trajectoryDir != NULL) {
        snprintf(path, sizeof path, "%s/test%d_%s_%s_%s_seed%d.csv", bench->trajectoryDir, scene->test->number,
                 solver->name, solver->engine, precisionNames[bench->precision], scene->seed);
        if (!openOutput(&trajectory, path)) {
            return EXIT_FAILED;
        }
    }
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    bool stopped = false;
    pbdrStatus status = benchRun(solver, scene, &bench->options, trajectory.file, showProgress, bench, run, &stopped, &error);
    if (trajectory.file != NULL && !closeOutput(&trajectory, status == pbdr_statusOk && !stopped)) {
        return EXIT_FAILED;
    }
    if (status != pbdr_statusOk) {
        return reportError(&error);
    }
    return stopped ? EXIT_INTERRUPTED : EXIT_OK;
}

// All runs in order; *count of them finished. Returns an exit code.
static int runAll(Bench* bench, const BenchShapes* shapes, BenchRun* runs, int* count)
{
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_TEST; number++) {
        if (!bench->tests.chosen[number]) {
            continue;
        }
        for (int s = 0; s < bench->solvers.count; s++) {
            for (int seed = 1; seed <= bench->seeds; seed++) {
                const BenchSolver* solver = bench->solvers.solvers[s];
                const BenchTest* test = benchFindTest(number);
                snprintf(bench->label, sizeof bench->label, "test %d %s, %s, seed %d", number, test->name, solver->name,
                         seed);
                BenchScene scene;
                pbdrError error;
                if (benchMakeScene(test, &bench->options, shapes, seed, &scene, &error) != pbdr_statusOk) {
                    return reportError(&error);
                }
                int code = runOnce(bench, &scene, solver, &runs[*count]);
                benchFreeScene(&scene);
                if (code != EXIT_OK) {
                    return code;
                }
                (*count)++;
                bench->runsDone++;
                showResult(bench, &runs[*count - 1]);
            }
        }
    }
    return EXIT_OK;
}

static int writeFile(const char* path, bool (*write)(FILE*, const BenchRun*, int), const BenchRun* runs, int count)
{
    Output output;
    if (path == NULL) {
        return EXIT_OK;
    }
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    write(output.file, runs, count); // closeOutput sees a failed write
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

// Packs the mesh if a chosen test needs it. Without mesh, tests that were not asked for by name are skipped, loudly.
static int prepareShapes(Bench* bench, BenchShapes* shapes)
{
    bool needed = false;
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        needed = needed || (bench->tests.chosen[k] && benchFindTest(k)->shape == benchMesh);
    }
    pbdrError error;
    if (!needed || benchPrepareMesh(shapes, &bench->options, &error) == pbdr_statusOk) {
        return EXIT_OK;
    }
    if (bench->tests.given) {
        return reportError(&error);
    }
    fprintf(stderr,
            "pbdr bench: %s\n"
            "************************************************************************\n"
            "*  TESTS 4, 5 AND 6 ARE SKIPPED: no bunny. scripts/setup.sh fetches    *\n"
            "*  what they need, or give a closed mesh of your own with --mesh FILE. *\n"
            "************************************************************************\n",
            error.message);
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        bench->tests.chosen[k] = bench->tests.chosen[k] && benchFindTest(k)->shape != benchMesh;
    }
    return EXIT_OK;
}

// Output places are tried before the work, not after it.
static int probeOutputs(const Bench* bench)
{
    if ((bench->jsonPath != NULL && !probeOutput(bench->jsonPath)) ||
        (bench->csvPath != NULL && !probeOutput(bench->csvPath))) {
        return EXIT_FAILED;
    }
    if (bench->trajectoryDir != NULL && mkdir(bench->trajectoryDir, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "pbdr bench: --trajectory %s: cannot make the folder: %s\n", bench->trajectoryDir,
                strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int execute(Bench* bench)
{
    BenchShapes shapes = {0};
    int code = probeOutputs(bench);
    if (code == EXIT_OK) {
        code = prepareShapes(bench, &shapes);
    }
    if (code != EXIT_OK) {
        return code;
    }
    int testCount = 0;
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        testCount += bench->tests.chosen[k];
    }
    bench->runsTotal = testCount * bench->solvers.count * bench->seeds;
    BenchRun* runs = calloc((size_t)bench->runsTotal + 1, sizeof *runs);
    if (runs == NULL) {
        fprintf(stderr, "pbdr bench: out of memory for %d runs\n", bench->runsTotal);
        benchFreeShapes(&shapes);
        return EXIT_FAILED;
    }

    signal(SIGINT, onInterrupt);
    signal(SIGTERM, onInterrupt);
    bench->begun = getSeconds();
    bench->live = isatty(STDERR_FILENO) != 0;
    int count = 0;
    code = runAll(bench, &shapes, runs, &count);
    benchPrintTable(stdout, runs, count);
    if (code == EXIT_INTERRUPTED) {
        fprintf(stderr, "\npbdr bench: interrupted after %d of %d runs; no JSON or CSV was written\n", count,
                bench->runsTotal);
    }
    if (code == EXIT_OK) {
        code = writeFile(bench->jsonPath, benchWriteJson, runs, count);
    }
    if (code == EXIT_OK) {
        code = writeFile(bench->csvPath, benchWriteCsv, runs, count);
    }
    free(runs);
    benchFreeShapes(&shapes);
    return code;
}

int commandBench(int argc, char** argv)
{
    Bench bench = {.options = benchDefaultOptions(), .seeds = 3};
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        bench.tests.chosen[k] = true;
    }
    while (benchGetSolver(bench.solvers.count) != NULL) {
        bench.solvers.solvers[bench.solvers.count] = benchGetSolver(bench.solvers.count);
        bench.solvers.count++;
    }
    BenchOptions* o = &bench.options;
    o->meshPath = getDefaultMesh();
    const Option table[] = {
        {.name = "tests", .argument = "LIST", .help = "test numbers, such as 1,2 or 1-3 (all: 1-6)", .kind = optionCustom, .value = &bench.tests, .parse = parseTests},
        {.name = "solvers", .argument = "LIST", .help = "of pbd, pbdr (all)", .kind = optionCustom, .value = &bench.solvers, .parse = parseSolvers},
        {.name = "engine", .argument = "NAME", .help = "how pbd and pbdr are computed: particle", .kind = optionChoice, .value = &bench.engine, .choices = engineNames},
        {.name = "precision", .argument = "P", .help = "f32 (as the paper) or f64 (f32)", .kind = optionChoice, .value = &bench.precision, .choices = precisionNames},
        {.name = "n", .argument = "N", .help = "box: spheres per axis (4)", .kind = optionInt, .value = &o->n, .least = 1, .most = 1000},
        {.name = "layers", .argument = "K", .help = "box: layers of N x N spheres; the paper's box is --n 4 --layers 1 (N)", .kind = optionInt, .value = &o->layers, .least = 1, .most = 1000},
        {.name = "radius", .argument = "R", .help = "bunny: sphere radius [m] (0.005)", .kind = optionDouble, .value = &o->radius, .most = 1, .aboveLeast = true},
        {.name = "mesh", .argument = "FILE", .help = "a closed mesh instead of the bunny: OBJ, STL or PLY", .kind = optionText, .value = &o->meshPath},
        {.name = "packing", .argument = "NAME", .help = "how meshes are packed: grid", .kind = optionChoice, .value = &bench.packing, .choices = packingNames},
        {.name = "masses", .argument = "NAME", .help = "how the mass is shared out: uniform", .kind = optionChoice, .value = &bench.masses, .choices = massNames},
        {.name = "seeds", .argument = "K", .help = "runs of each test, each turned, shuffled and shifted by 1e-7 m (3)", .kind = optionInt, .value = &bench.seeds, .least = 1, .most = 10000},
        {.name = "duration", .argument = "S", .help = "simulated time [s] (10)", .kind = optionDouble, .value = &o->duration, .most = 1e6, .aboveLeast = true},
        {.name = "dt", .argument = "S", .help = "substep [s] (0.001)", .kind = optionDouble, .value = &o->timeStep, .most = 1, .aboveLeast = true},
        {.name = "iterations", .argument = "K", .help = "solver iterations per substep (10)", .kind = optionInt, .value = &o->iterations, .least = 1, .most = 1000000},
        {.name = "relaxation", .argument = "W", .help = "share of each contact correction applied (0.9)", .kind = optionDouble, .value = &o->relaxation, .most = 1, .aboveLeast = true},
        {.name = "mu", .argument = "M", .help = "friction coefficient (the test's)", .kind = optionDouble, .value = &o->mu, .most = PBDR_MAX_FRICTION},
        {.name = "force", .argument = "N", .help = "push of tests 1 and 4 [N] (17 and 10)", .kind = optionDouble, .value = &o->force, .most = 1e9},
        {.name = "ablate", .argument = "LIST", .help = "parts of pbdr switched off, of velocity, linear, angular", .kind = optionCustom, .value = &o->ablation, .parse = parseAblation},
        {.name = "simd", .argument = "NAME", .help = "auto, scalar or avx2: the same bits (auto)", .kind = optionChoice, .value = &bench.simd, .choices = simdNames},
        {.name = "trajectory", .argument = "DIR", .help = "write a CSV of every run's frames there", .kind = optionText, .value = &bench.trajectoryDir},
        {.name = "json", .argument = "FILE", .help = "write all results, schema pbdr-bench/1", .kind = optionText, .value = &bench.jsonPath},
        {.name = "csv", .argument = "FILE", .help = "write a row per run", .kind = optionText, .value = &bench.csvPath},
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("bench", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr bench [OPTIONS]\n\nRuns the benchmark's tests and prints a table; defaults in parentheses.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    o->precision = (pbdrPrecision)bench.precision;
    o->simd = (pbdrSimd)bench.simd;
    return execute(&bench);
}
