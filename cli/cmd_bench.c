// pbdr bench: tests x solvers x seeds, progress while they run, a table at the end.
#define _POSIX_C_SOURCE 200809L
#include "bench.h"

#include "command.h"
#include "data.h"
#include "interrupt.h"
#include "output.h"

#include "results.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    return !isInterrupted();
}

static void showResult(const Bench* bench, const BenchRun* run)
{
    if (bench->live) {
        fprintf(stderr, "\r\033[K");
    }
    benchPrintMessage("[%d/%d] %s: ", bench->runsDone, bench->runsTotal, bench->label);
    if (run->outcome == benchDiverged) {
        benchPrintMessage("diverged at %.2f s\n", run->failedAt);
    } else if (run->outcome != benchMeasured) {
        benchPrintMessage("%s\n", run->problem);
    } else if (run->test->extended != NULL) {
        const BenchExtended* more = run->test->extended;
        benchPrintMessage("%s %.6g %s%s\n", more->quantity, run->errors.quantity, more->unit,
                          benchIsRight(run->test, &run->errors) ? ""
                          : more->holds                         ? ", moved"
                                                                : ", did not move");
    } else {
        benchPrintMessage("%.3g m, %.3g deg\n", run->errors.position.final, run->errors.rotation.final);
    }
}

// --- Runs ---

static int reportError(const pbdrError* error)
{
    benchPrintMessage("pbdr bench: %s\n", error->message);
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
        bool named = benchHasEngines(solver);
        snprintf(path, sizeof path, "%s/test%d_%s%s%s%s%s_seed%d.csv", bench->trajectoryDir,
                 scene->test->number, solver->label, named ? "_" : "",
                 named ? benchGetEngineName(solver, options) : "",
                 !ours                            ? ""
                 : options->precision == benchF32 ? "_f32"
                                                  : "_f64",
                 bench->isShort && options->base == benchBaseRaw ? "_raw" : "", scene->seed);
        if (!openOutput(&trajectory, path)) {
            return EXIT_FAILED;
        }
    }
    pbdrError error = {.status = pbdr_statusNoMemory, .message = "out of memory"};
    bool stopped = false;
    pbdrStatus status =
        benchRun(solver, scene, options, trajectory.file, showProgress, bench, run, &stopped, &error);
    bool measured = run->outcome == benchMeasured || run->outcome == benchDiverged;
    if (trajectory.file != NULL &&
        !closeOutput(&trajectory, status == pbdr_statusOk && !stopped && measured)) {
        return EXIT_FAILED;
    }
    if (status != pbdr_statusOk) {
        return reportError(&error);
    }
    return stopped ? EXIT_INTERRUPTED : EXIT_OK;
}

// How often a solver is run in a test, but for the seeds: not at all, once, or on either base.
static int countBases(const Bench* bench, int solver, int number)
{
    const BenchTest* test = benchFindTest(number);
    if (!bench->tests.chosen[number] || (bench->rodOnly[solver] && !test->rod)) {
        return 0;
    }
    const BenchOptions options = benchResolveOptions(&bench->solvers[solver], &bench->options);
    const bool both =
        bench->isShort && benchGetBaseName(test, bench->solvers[solver].capabilities, &options) != NULL;
    return both ? BENCH_BASE_COUNT : 1;
}

// All runs in order; *count of them finished. Returns an exit code.
static int runAll(Bench* bench, const BenchShapes* shapes, BenchRun* runs, int* count)
{
    for (int number = BENCH_FIRST_TEST; number <= BENCH_LAST_EXTENDED; number++) {
        if (!bench->tests.chosen[number]) {
            continue;
        }
        for (int s = 0; s < bench->solverCount; s++) {
            const int turns = bench->seeds * countBases(bench, s, number);
            for (int turn = 0; turn < turns; turn++) {
                const int seed = bench->firstSeed + turn % bench->seeds;
                const BenchSolver* solver = &bench->solvers[s];
                const BenchTest* test = benchFindTest(number);
                BenchOptions options = benchResolveOptions(solver, &bench->options);
                options.base = bench->isShort ? turn / bench->seeds : options.base;
                options.duration = bench->ownDuration ? test->duration : options.duration;
                options.timeStep *= benchGetStepShare(test);
                BenchScene scene;
                pbdrError error;
                if (benchMakeScene(test, &options, shapes, seed, &scene, &error) != pbdr_statusOk) {
                    return reportError(&error);
                }
                const bool raw = benchStandsOnRawMesh(test, solver->capabilities, &options);
                snprintf(bench->label, sizeof bench->label, "test %d %s%s, %s, seed %d", number, scene.name,
                         raw ? ", raw mesh" : "", solver->label, seed);
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
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_EXTENDED; k++) {
        needed = needed || (bench->tests.chosen[k] && benchUsesMesh(benchFindTest(k)));
    }
    pbdrError error;
    if (bench->tests.chosen[7] && benchPreparePushing(shapes, &bench->options, &error) != pbdr_statusOk) {
        return reportError(&error);
    }
    if (!needed || benchPrepareMesh(shapes, &bench->options, &error) == pbdr_statusOk) {
        if (shapes->meshWarning[0] != 0) {
            benchPrintMessage("pbdr bench: warning: %s: %s\n", bench->options.meshPath, shapes->meshWarning);
        }
        return EXIT_OK;
    }
    // a file of spheres or a packing that was asked for and cannot be had is no missing mesh
    const bool missing =
        error.status == pbdr_statusNotSupported || access(bench->options.meshPath, R_OK) != 0;
    const bool usual =
        strcmp(bench->options.meshPath, getDefaultMesh()) == 0 && bench->options.bodyPath == NULL;
    if (bench->tests.given && usual && missing) {
        benchPrintMessage(
            "pbdr bench: %s\n"
            "tests 4, 5 and 6 need the bunny: scripts/setup.sh fetches it, PBDR_BUNNY names it, or give a "
            "closed mesh of your own with --mesh FILE\n",
            error.message);
        return EXIT_FAILED;
    }
    if (bench->tests.given || !usual || !missing) {
        return reportError(&error);
    }
    benchPrintMessage("pbdr bench: %s\n"
                      "************************************************************************\n"
                      "*  TESTS 4, 5 AND 6 ARE SKIPPED: no bunny. scripts/setup.sh fetches    *\n"
                      "*  it, PBDR_BUNNY names it, or --mesh FILE is a closed mesh of yours.  *\n"
                      "************************************************************************\n",
                      error.message);
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_EXTENDED; k++) {
        bench->tests.chosen[k] = bench->tests.chosen[k] && !benchUsesMesh(benchFindTest(k));
    }
    return EXIT_OK;
}

// Output places are tried before the work, not after it.
static int probeOutputs(const Bench* bench)
{
    const struct {
        const char *option, *path;
    } files[] = {{"json", bench->jsonPath}, {"csv", bench->csvPath}, {"table", bench->tablePath}};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < k && files[k].path != NULL; i++) {
            if (files[i].path != NULL && strcmp(files[i].path, files[k].path) == 0) {
                benchPrintMessage("pbdr bench: --%s %s: --%s names the same file\n", files[i].option,
                                  files[i].path, files[k].option);
                return EXIT_USAGE;
            }
        }
    }
    for (int k = 0; k < 3; k++) {
        if (files[k].path != NULL && !probeOutput(files[k].path)) {
            return EXIT_FAILED;
        }
    }
    if (bench->trajectoryDir != NULL && mkdir(bench->trajectoryDir, 0777) != 0 && errno != EEXIST) {
        benchPrintMessage("pbdr bench: --trajectory %s: cannot make the folder: %s\n", bench->trajectoryDir,
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
        setInterruptsAtOnce(true); // packing a mesh takes a while
        code = prepareShapes(bench, &shapes);
        setInterruptsAtOnce(false);
    }
    if (code != EXIT_OK) {
        benchFreeShapes(&shapes);
        return code;
    }
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_EXTENDED; k++) {
        for (int s = 0; s < bench->solverCount; s++) {
            bench->runsTotal += bench->seeds * countBases(bench, s, k);
        }
    }
    BenchRun* runs = calloc((size_t)bench->runsTotal + 1, sizeof *runs);
    if (runs == NULL) {
        benchPrintMessage("pbdr bench: out of memory for %d runs\n", bench->runsTotal);
        benchFreeShapes(&shapes);
        return EXIT_FAILED;
    }

    bench->begun = benchGetSeconds();
    bench->live = isatty(STDERR_FILENO) != 0;
    int count = 0;
    code = runAll(bench, &shapes, runs, &count);
    (bench->isShort ? benchPrintShortTable : benchPrintTable)(stdout, runs, count);
    if (code == EXIT_INTERRUPTED) {
        benchPrintMessage("\npbdr bench: interrupted after %d of %d runs; no file of results was written\n",
                          count, bench->runsTotal);
    }
    if (code == EXIT_OK) {
        code = writeFile(bench->jsonPath, benchWriteJson, runs, count);
    }
    if (code == EXIT_OK) {
        code = writeFile(bench->csvPath, benchWriteCsv, runs, count);
    }
    if (code == EXIT_OK) {
        code = writeFile(bench->tablePath, benchPrintShortTable, runs, count);
    }
    free(runs);
    benchFreeShapes(&shapes);
    if (code == EXIT_OK && bench->somethingFailed) {
        code = EXIT_FAILED; // reported where it happened; the others' results stand
    }
    return code;
}

int commandBench(int argc, char** argv)
{
    Bench bench;
    int code;
    if (!readBenchOptions(&bench, argc, argv, &code)) {
        return code;
    }
    catchInterrupts("bench");
    code = chooseSolvers(&bench);
    if (code == EXIT_OK) {
        noteUnused(&bench);
        code = execute(&bench);
    }
    return code;
}
