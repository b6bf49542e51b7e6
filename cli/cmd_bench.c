// pbdr bench: tests x solvers x seeds, progress while they run, a table at the end.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "data.h"
#include "options.h"
#include "output.h"

#include "plugin.h"
#include "results.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_SOLVERS 32

typedef struct TestList {
    bool given; // on the command line
    bool chosen[BENCH_LAST_TEST + 1];
} TestList;

#define MAX_PLUGINS 16

typedef struct PluginList {
    int count;
    const char* paths[MAX_PLUGINS];
} PluginList;

typedef struct Bench {
    TestList tests;
    const char* solverNames; // as given; NULL: all
    PluginList plugins;
    BenchSolver solvers[MAX_SOLVERS]; // those to run
    int solverCount;
    bool somethingFailed; // a plug-in was refused or crashed
    BenchOptions options;
    int seeds;
    int engine, precision, simd, packing, masses, contact, fit; // indices into the choices below
    double yaw;                                                 // [deg]
    const char *trajectoryDir, *jsonPath, *csvPath;
    // Progress
    int runsDone, runsTotal;
    char label[192];
    double begun;
    bool live; // stderr is a terminal
} Bench;

static const char* const engineNames[] = {"auto", "particle", "reduced", NULL};
static const char* const precisionNames[] = {"auto", "f32", "f64", NULL};
static const char* const simdNames[] = {"auto", "scalar", "avx2", NULL};
static const char* const packingNames[] = {"grid", "surface", NULL};
static const char* const contactNames[] = {"spheres", "surface", NULL};
static const char* const fitNames[] = {"cube", "extent", NULL};
static const char* const massNames[] = {"auto", "uniform", "exact", NULL};

static volatile sig_atomic_t interrupted;

static void onInterrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// --- Lists on the command line ---

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
    *message = "wanted test numbers 1 to 7, such as 1,2 or 1-3";
    memset(tests, 0, sizeof *tests);
    tests->given = true;
    return splitList(text, takeTest, tests);
}

static bool parsePlugin(void* value, const char* text, const char** message)
{
    PluginList* plugins = value;
    if (plugins->count == MAX_PLUGINS) {
        *message = "too many plug-ins";
        return false;
    }
    plugins->paths[plugins->count++] = text;
    return true;
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

// A line that is overwritten on a terminal; nothing elsewhere, where finished runs get a line each.
static bool showProgress(void* context, double doneShare)
{
    Bench* bench = context;
    static double lastShown;
    double now = benchGetSeconds();
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
    if (run->outcome == benchDiverged) {
        fprintf(stderr, "diverged at %.2f s\n", run->failedAt);
    } else if (run->outcome != benchMeasured) {
        fprintf(stderr, "%s\n", run->problem);
    } else {
        fprintf(stderr, "%.3g m, %.3g deg\n", run->errors.position.final, run->errors.rotation.final);
    }
}

// --- Solvers ---

// What splitList chooses from and fills.
typedef struct Choice {
    Bench* bench;
    BenchSolver plugins[MAX_PLUGINS];
    int pluginCount;
    pbdrError error;
} Choice;

static bool takeSolver(void* list, const char* part)
{
    Choice* choice = list;
    Bench* bench = choice->bench;
    BenchSolver solver;
    size_t length = strcspn(part, ":");
    pbdrStatus status = pbdr_statusInvalidArgument;
    for (int k = 0; k < choice->pluginCount && status != pbdr_statusOk; k++) {
        const BenchSolver* plugin = &choice->plugins[k];
        if (strlen(plugin->label) == length && strncmp(plugin->label, part, length) == 0) {
            status = benchChoosePreset(plugin, part[length] == ':' ? part + length + 1 : "", &solver,
                                       &choice->error);
            if (status != pbdr_statusOk) {
                return false;
            }
        }
    }
    if (status != pbdr_statusOk && benchChooseSolver(part, &solver, &choice->error) != pbdr_statusOk) {
        return false;
    }
    for (int k = 0; k < bench->solverCount; k++) {
        if (strcmp(bench->solvers[k].label, solver.label) == 0) {
            return true;
        }
    }
    if (bench->solverCount == MAX_SOLVERS) {
        return false;
    }
    bench->solvers[bench->solverCount++] = solver;
    return true;
}

// The solvers to run: those named, else all of the build; and the plug-ins, unless solvers were named. A
// plug-in that is refused is reported, and the others go on.
static int chooseSolvers(Bench* bench)
{
    Choice choice = {.bench = bench};
    snprintf(choice.error.message, sizeof choice.error.message, "not understood");
    for (int k = 0; k < bench->plugins.count; k++) {
        pbdrError error;
        if (benchProbePlugin(bench->plugins.paths[k], &choice.plugins[choice.pluginCount], &error) ==
            pbdr_statusOk) {
            choice.pluginCount++;
        } else {
            fprintf(stderr, "pbdr bench: --plugin %s\n", error.message);
            bench->somethingFailed = true;
        }
    }
    if (bench->solverNames != NULL) {
        if (!splitList(bench->solverNames, takeSolver, &choice)) {
            fprintf(stderr, "pbdr bench: --solvers %s: %s\n", bench->solverNames, choice.error.message);
            return EXIT_USAGE;
        }
        return EXIT_OK;
    }
    for (int k = 0; benchGetMissingPeer(k) != NULL; k++) {
        fprintf(stderr, "pbdr bench: LEFT OUT, not in this build: %s\n", benchGetMissingPeer(k));
    }
    for (int k = 0; benchGetBuiltIn(k) != NULL; k++) {
        takeSolver(&choice, benchGetBuiltIn(k)->name);
    }
    for (int k = 0; k < choice.pluginCount; k++) {
        takeSolver(&choice, choice.plugins[k].label);
    }
    return EXIT_OK;
}

// Options that no chosen solver or test heeds are said, not swallowed.
static void noteUnused(const Bench* bench)
{
    bool settings = false, faces = false, spheres = false, meshes = false;
    for (int k = 0; k < bench->solverCount; k++) {
        const BenchSolver* solver = &bench->solvers[k];
        bool usesSettings = (solver->capabilities & pbdr_benchUsesSettings) != 0;
        bool usesSpheres = (solver->capabilities & pbdr_benchUsesSpheres) != 0;
        settings = settings || usesSettings;
        spheres = spheres || usesSpheres;
        faces = faces || (usesSpheres && !usesSettings);
    }
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        meshes = meshes || (bench->tests.chosen[k] && benchFindTest(k)->shape == pbdr_benchMesh);
    }
    const BenchOptions* o = &bench->options;
    const struct {
        bool unused;
        const char* text;
    } notes[] = {
        {o->engine != pbdr_engineAuto && !settings, "--engine: no chosen solver heeds it (pbd and pbdr do)"},
        {o->precision != benchPrecisionAuto && !settings,
         "--precision: no chosen solver heeds it (pbd and pbdr do)"},
        {o->contact == benchContactSurface && !faces,
         "--contact surface: no chosen solver heeds it (xpbdr does)"},
        {o->masses != benchMassesAuto && !spheres, "--masses: no chosen solver is made of spheres"},
        {(o->packing == benchPackingSurface || o->bodyPath != NULL) && !meshes,
         "--packing, --spheres: no chosen test has a mesh (4 to 6 do)"},
    };
    for (size_t k = 0; k < sizeof notes / sizeof notes[0]; k++) {
        if (notes[k].unused) {
            fprintf(stderr, "pbdr bench: note: %s\n", notes[k].text);
        }
    }
}

// --- Runs ---

static int reportError(const pbdrError* error)
{
    fprintf(stderr, "pbdr bench: %s\n", error->message);
    return EXIT_FAILED;
}

// One run with its trajectory file, if wanted.
static int runOnce(Bench* bench, const BenchScene* scene, const BenchSolver* solver,
                   const BenchOptions* options, BenchRun* run)
{
    Output trajectory = {.file = NULL};
    char path[3072];
    if (bench->trajectoryDir != NULL) {
        bool ours = solver->engine[0] == 0;
        snprintf(path, sizeof path, "%s/test%d_%s%s%s%s_seed%d.csv", bench->trajectoryDir,
                 scene->test->number, solver->label, ours ? "_" : "",
                 ours ? benchGetEngineName(solver, options) : "",
                 !ours                            ? ""
                 : options->precision == benchF32 ? "_f32"
                                                  : "_f64",
                 scene->seed);
        if (!openOutput(&trajectory, path)) {
            return EXIT_FAILED;
        }
    }
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    bool stopped = false;
    pbdrStatus status =
        benchRun(solver, scene, options, trajectory.file, showProgress, bench, run, &stopped, &error);
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
        for (int s = 0; s < bench->solverCount; s++) {
            for (int seed = 1; seed <= bench->seeds; seed++) {
                const BenchSolver* solver = &bench->solvers[s];
                const BenchTest* test = benchFindTest(number);
                snprintf(bench->label, sizeof bench->label, "test %d %s, %s, seed %d", number, test->name,
                         solver->label, seed);
                const BenchOptions options = benchResolveOptions(solver, &bench->options);
                BenchScene scene;
                pbdrError error;
                if (benchMakeScene(test, &options, shapes, seed, &scene, &error) != pbdr_statusOk) {
                    return reportError(&error);
                }
                int code = runOnce(bench, &scene, solver, &options, &runs[*count]);
                benchFreeScene(&scene);
                if (code != EXIT_OK) {
                    return code;
                }
                (*count)++;
                bench->runsDone++;
                showResult(bench, &runs[*count - 1]);
                bench->somethingFailed = bench->somethingFailed || runs[*count - 1].outcome == benchFailed;
            }
        }
    }
    return EXIT_OK;
}

static int writeFile(const char* path, void (*write)(FILE*, const BenchRun*, int), const BenchRun* runs,
                     int count)
{
    Output output;
    if (path == NULL) {
        return EXIT_OK;
    }
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    write(output.file, runs, count);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

// Packs the mesh if a chosen test needs it. Without mesh, tests that were not asked for by name are skipped,
// loudly.
static int prepareShapes(Bench* bench, BenchShapes* shapes)
{
    bool needed = false;
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        needed = needed || (bench->tests.chosen[k] && benchFindTest(k)->shape == pbdr_benchMesh);
    }
    pbdrError error;
    if (bench->tests.chosen[7] && benchPreparePushing(shapes, &bench->options, &error) != pbdr_statusOk) {
        return reportError(&error);
    }
    if (!needed || benchPrepareMesh(shapes, &bench->options, &error) == pbdr_statusOk) {
        return EXIT_OK;
    }
    // a file of spheres or a packing that was asked for and cannot be had is no missing mesh
    bool missing = error.status == pbdr_statusNotSupported || access(bench->options.meshPath, R_OK) != 0;
    if (bench->tests.given || strcmp(bench->options.meshPath, getDefaultMesh()) != 0 ||
        bench->options.bodyPath != NULL || !missing) {
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
        bench->tests.chosen[k] = bench->tests.chosen[k] && benchFindTest(k)->shape != pbdr_benchMesh;
    }
    return EXIT_OK;
}

// Output places are tried before the work, not after it.
static int probeOutputs(const Bench* bench)
{
    if (bench->jsonPath != NULL && bench->csvPath != NULL && strcmp(bench->jsonPath, bench->csvPath) == 0) {
        fprintf(stderr, "pbdr bench: --json %s: --csv names the same file\n", bench->jsonPath);
        return EXIT_USAGE;
    }
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
        benchFreeShapes(&shapes);
        return code;
    }
    int testCount = 0;
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        testCount += bench->tests.chosen[k];
    }
    bench->runsTotal = testCount * bench->solverCount * bench->seeds;
    BenchRun* runs = calloc((size_t)bench->runsTotal + 1, sizeof *runs);
    if (runs == NULL) {
        fprintf(stderr, "pbdr bench: out of memory for %d runs\n", bench->runsTotal);
        benchFreeShapes(&shapes);
        return EXIT_FAILED;
    }

    signal(SIGINT, onInterrupt);
    signal(SIGTERM, onInterrupt);
    bench->begun = benchGetSeconds();
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
    if (code == EXIT_OK && bench->somethingFailed) {
        code = EXIT_FAILED; // reported where it happened; the others' results stand
    }
    if (fflush(stdout) != 0 && code == EXIT_OK) {
        fprintf(stderr, "pbdr bench: cannot write the table: %s\n", strerror(errno));
        code = EXIT_FAILED;
    }
    return code;
}

int commandBench(int argc, char** argv)
{
    Bench bench = {.options = benchDefaultOptions(), .seeds = 3};
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_TEST; k++) {
        bench.tests.chosen[k] = true;
    }
    BenchOptions* o = &bench.options;
    o->meshPath = getDefaultMesh();
    const Option table[] = {
        OPTION_CUSTOM("tests", "LIST", "test numbers, such as 1,2 or 1-3 (all: 1-7)", &bench.tests,
                      parseTests),
        OPTION_TEXT("solvers", "LIST", "such as pbd,pbdr (all of this build; see pbdr info)",
                    &bench.solverNames),
        OPTION_CUSTOM("plugin", "FILE", "a shared object with a solver of your own; may be given again",
                      &bench.plugins, parsePlugin),
        OPTION_CHOICE("engine", "NAME",
                      "how pbd and pbdr are computed: particle, as the paper, or reduced, per body in double "
                      "(auto: pbdr reduced, but particle with --precision f32 or --ablate; pbd particle)",
                      &bench.engine, engineNames),
        OPTION_CHOICE("precision", "P",
                      "of pbd and pbdr, f32 (as the paper) or f64 (auto: particle f32, reduced f64)",
                      &bench.precision, precisionNames),
        OPTION_INT("n", "N", "box: spheres per axis (4)", &o->n, 1, 1000),
        OPTION_INT("layers", "K", "box: layers of N x N spheres; the paper's box is --n 4 --layers 1 (N)",
                   &o->layers, 1, 1000),
        OPTION_ABOVE("radius", "R", "bunny: sphere radius [m] (0.005)", &o->radius, 0, 1),
        OPTION_TEXT("mesh", "FILE", "a closed mesh instead of the bunny: OBJ, STL or PLY", &o->meshPath),
        OPTION_CHOICE(
            "fit", "NAME",
            "how meshes are scaled to 0.2 m: cube, each axis, as the paper, or extent, the largest (cube)",
            &bench.fit, fitNames),
        OPTION_SWITCH("stand", "turn meshes to stand on the stable hull facet nearest to the file's z",
                      &o->stand),
        OPTION_DOUBLE("yaw", "DEG",
                      "turn meshes about the vertical, so that another side faces the push [deg] (0)",
                      &bench.yaw, -360, 360),
        OPTION_TEXT("spheres", "FILE",
                    "spheres and masses of the mesh from a file of pbdr pack, not packed here", &o->bodyPath),
        OPTION_CHOICE(
            "packing", "NAME",
            "how meshes are packed: grid, or surface: spheres tangent to it, by --count, --tolerance or "
            "--radius (grid)",
            &bench.packing, packingNames),
        OPTION_INT("count", "N", "surface packing: number of spheres", &o->count, 1, 10000000),
        OPTION_ABOVE("tolerance", "T", "surface packing: mean gap between surface and spheres [m]",
                     &o->tolerance, 0, 1),
        OPTION_CHOICE(
            "contact", "NAME",
            "xpbdr: what other bodies touch: the spheres, or the surface: the flat faces that they are "
            "tangent to (spheres)",
            &bench.contact, contactNames),
        OPTION_CHOICE("masses", "NAME",
                      "how the mass is shared out among spheres: uniform, or exact, so that mass, centre and "
                      "inertia are the "
                      "body's (auto: xpbdr exact, others uniform)",
                      &bench.masses, massNames),
        OPTION_INT("seeds", "K", "runs of each test, each turned, shuffled and shifted by 1e-7 m (3)",
                   &bench.seeds, 1, 10000),
        OPTION_ABOVE("duration", "S", "simulated time [s] (10)", &o->duration, 0, 1e6),
        OPTION_ABOVE("dt", "S", "substep [s] (0.001)", &o->timeStep, 0, 1),
        OPTION_INT("iterations", "K", "solver iterations per substep (10)", &o->iterations, 1, 1000000),
        OPTION_ABOVE("relaxation", "W", "share of each contact correction applied (0.9)", &o->relaxation, 0,
                     1),
        OPTION_DOUBLE("mu", "M", "friction on the ground, tests 1, 3, 4, 6 and 7 (0.4)", &o->mu, 0,
                      PBDR_MAX_FRICTION),
        OPTION_DOUBLE("force", "N", "push of tests 1 and 4 [N] (17 and 10)", &o->force, 0, 1e9),
        OPTION_DOUBLE("offset", "D", "Test 7: where the rod touches the face, from its middle [m] (0.02)",
                      &o->offset, -0.1, 0.1),
        OPTION_DOUBLE("mu-rod", "M", "Test 7: friction between rod and box (as --mu)", &o->rodFriction, 0,
                      PBDR_MAX_FRICTION),
        OPTION_ABOVE("push-height", "Z", "Test 7: height of the rod's axis [m] (0.02)", &o->pushHeight, 0,
                     0.2),
        OPTION_ABOVE("rod-radius", "R", "Test 7: of the rod [m] (0.01)", &o->rodRadius, 0, 0.05),
        OPTION_CUSTOM("ablate", "LIST", "parts of pbdr switched off, of velocity, linear, angular",
                      &o->ablation, parseAblation),
        OPTION_CHOICE("simd", "NAME", "auto, scalar or avx2: the same bits (auto)", &bench.simd, simdNames),
        OPTION_TEXT("trajectory", "DIR", "write a CSV of every run's frames there", &bench.trajectoryDir),
        OPTION_TEXT("json", "FILE", "write all results, schema pbdr-bench/1", &bench.jsonPath),
        OPTION_TEXT("csv", "FILE", "write a row per run", &bench.csvPath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("bench", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr bench [OPTIONS]\n\nRuns the benchmark's tests and prints a table; defaults in "
               "parentheses.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (benchHasTooManySubsteps(o)) {
        fprintf(stderr, "pbdr bench: --duration %g with --dt %g: more than %g substeps\n", o->duration,
                o->timeStep, BENCH_MAX_SUBSTEPS);
        return EXIT_USAGE;
    }
    o->engine = (pbdrEngine)bench.engine;
    o->precision = (BenchPrecision)(bench.precision - 1);
    o->masses = (BenchMasses)bench.masses;
    o->packing = (BenchPacking)bench.packing;
    o->contact = (BenchContact)bench.contact;
    o->fit = (BenchFit)bench.fit;
    o->yaw = bench.yaw * (acos(-1.0) / 180.0);
    if ((o->count > 0 || o->tolerance > 0.0) && o->packing != benchPackingSurface) {
        fprintf(stderr, "pbdr bench: --%s goes with --packing surface\n",
                o->count > 0 ? "count" : "tolerance");
        return EXIT_USAGE;
    }
    o->simd = (pbdrSimd)bench.simd;
    int code = chooseSolvers(&bench);
    if (code == EXIT_OK) {
        noteUnused(&bench);
        code = execute(&bench);
    }
    return code;
}
