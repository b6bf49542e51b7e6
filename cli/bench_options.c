// What pbdr bench is asked to do.
#include "bench.h"

#include "command.h"
#include "data.h"
#include "names.h"
#include "options.h"
#include "scene_options.h"

#include "text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const simdNames[] = {"auto", "scalar", "avx2", "neon", NULL};
static const char* const packingNames[] = {"grid", "surface", NULL};
static const char* const fitNames[] = {"cube", "extent", NULL};
static const char* const suiteNames[] = {"first", "extended", "all", NULL};
static const char* const massNames[] = {"auto", "uniform", "exact", NULL};

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
    if (*end != 0 || first < BENCH_FIRST_TEST || last > BENCH_LAST_EXTENDED || first > last) {
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
    _Static_assert(BENCH_LAST_EXTENDED == 37, "the message and the help of --suite say so");
    *message = "wanted test numbers 1 to 37, such as 1,2 or 1-3";
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

// Whether the short table is printed, and what does not go with it.
static bool chooseTable(Bench* bench)
{
    BenchOptions* o = &bench->options;
    bench->isShort = !bench->all && !bench->tests.given && bench->suite < 0 && bench->solverNames == NULL &&
                     bench->plugins.count == 0 && bench->backend == 0;
    if (bench->tablePath != NULL && !bench->isShort) {
        benchPrintMessage(
            "pbdr bench: --table %s: only the short table is written, so name no tests and no solvers\n",
            bench->tablePath);
        return false;
    }
    if (bench->isShort && o->base == benchBaseRaw) {
        benchPrintMessage(
            "pbdr bench: --base raw: the short table has both; with --all, --tests or --solvers it is "
            "one of them\n");
        return false;
    }
    return true;
}

// The tests of the suite, unless they were named.
static bool chooseTests(Bench* bench)
{
    enum { first, extended };
    if (bench->tests.given) {
        if (bench->suite >= 0) {
            benchPrintMessage("pbdr bench: --suite %s: --tests names the tests already\n",
                              suiteNames[bench->suite]);
        }
        return bench->suite < 0;
    }
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_EXTENDED; k++) {
        bool more = benchFindTest(k)->extended != NULL;
        bench->tests.chosen[k] = more ? bench->suite >= extended : bench->suite != extended;
    }
    return true;
}

bool readBenchOptions(Bench* bench, int argc, char** argv, int* code)
{
    *bench = (Bench){.options = benchDefaultOptions(),
                     .seeds = 3,
                     .firstSeed = 1,
                     .suite = -1,
                     .pluginLimits = {600.0, 4096}};
    BenchOptions* o = &bench->options;
    const double usualDuration = o->duration;
    o->duration = (double)NAN;
    o->meshPath = getDefaultMesh();
    const Option table[] = {
        OPTION_CUSTOM("tests", "LIST", "test numbers, such as 1,2 or 8-10 (those of the suite)",
                      &bench->tests, parseTests),
        OPTION_CHOICE("suite", "NAME",
                      "which tests: first, 1-7 as the paper, extended, 8-37, or all; pbdr info lists them "
                      "(first)",
                      &bench->suite, suiteNames),
        OPTION_TEXT(
            "solvers", "LIST",
            "such as pbd,pbd-r (those of the short table; with --tests or --suite all of this build; see "
            "pbdr info)",
            &bench->solverNames),
        OPTION_SWITCH(
            "all",
            "all solvers with all presets, in a long table (a short one, unless tests or solvers are named)",
            &bench->all),
        OPTION_CHOICE("backend", "NAME",
                      "cpu, or gpu: xpbdr by the kernel for small worlds, by spheres (cpu)", &bench->backend,
                      backendNames),
        OPTION_CUSTOM("plugin", "FILE",
                      "a solver of your own: a shared object, FILE.py or pipe:COMMAND; may be given again",
                      &bench->plugins, parsePlugin),
        OPTION_ABOVE("plugin-timeout", "S", "time that a plug-in may take for a run, and to load [s] (600)",
                     &bench->pluginLimits.seconds, 0, 1e6),
        OPTION_INT("plugin-memory", "MB", "memory that a plug-in may take [MiB] (4096)",
                   &bench->pluginLimits.megabytes, 1, 1 << 24),
        OPTION_CHOICE(
            "engine", "NAME",
            "how pbd and pbd-r are computed: particle, as the paper, or reduced, per body in double "
            "(auto: pbd-r reduced, but particle with --precision f32 or --ablate; pbd particle)",
            &bench->engine, engineNames),
        OPTION_CHOICE("precision", "P",
                      "of pbd and pbd-r, f32 (as the paper) or f64 (auto: particle f32, reduced f64)",
                      &bench->precision, precisionNames),
        SCENE_OPTIONS(*o),
        OPTION_CHOICE(
            "fit", "NAME",
            "how meshes are scaled to 0.2 m: cube, each axis, as the paper, or extent, the largest (cube)",
            &bench->fit, fitNames),
        OPTION_SWITCH("stand", "turn meshes to stand on the stable hull facet nearest to the file's z",
                      &o->stand),
        OPTION_DOUBLE("yaw", "DEG",
                      "turn meshes about the vertical, so that another side faces the push [deg] (0)",
                      &bench->yaw, -360, 360),
        OPTION_CHOICE(
            "packing", "NAME",
            "how meshes are packed: grid, or surface: spheres tangent to it, by --count, --tolerance or "
            "--radius (grid)",
            &bench->packing, packingNames),
        OPTION_INT("count", "N", "surface packing: number of spheres", &o->count, 1, 10000000),
        OPTION_ABOVE("tolerance", "T", "surface packing: mean gap between surface and spheres [m]",
                     &o->tolerance, 0, 1),
        OPTION_CHOICE(
            "contact", "NAME",
            "what touches: the spheres, or xpbdr's true surface (auto: xpbdr surface, xpbdr:spheres and all "
            "others spheres)",
            &bench->contact, contactNames),
        OPTION_CHOICE("masses", "NAME",
                      "how the mass is shared out among spheres: uniform, or exact, so that mass, centre and "
                      "inertia are the "
                      "body's (auto: xpbdr exact, others uniform)",
                      &bench->masses, massNames),
        OPTION_INT("seeds", "K", "runs of each test, each turned, shuffled and shifted by 1e-7 m (3)",
                   &bench->seeds, 1, 10000),
        OPTION_INT("first-seed", "K",
                   "the first of them; settings are to be chosen on others than are scored (1)",
                   &bench->firstSeed, 1, 1000000),
        OPTION_ABOVE("duration", "S", "simulated time [s] (10; tests 8 and up have their own)", &o->duration,
                     0, 1e6),
        OPTION_INT("iterations", "K", "solver iterations per substep (10)", &o->iterations, 1,
                   BENCH_MAX_ITERATIONS),
        OPTION_ABOVE("relaxation", "W", "share of each contact correction applied (0.9)", &o->relaxation, 0,
                     1),
        OPTION_CUSTOM("ablate", "LIST", "parts of pbd-r switched off, of velocity, linear, angular",
                      &o->ablation, parseAblation),
        OPTION_CHOICE("simd", "NAME", "auto, scalar, avx2 or neon: the same bits (auto)", &bench->simd,
                      simdNames),
        OPTION_TEXT("trajectory", "DIR", "write a CSV of every run's frames there", &bench->trajectoryDir),
        OPTION_TEXT("json", "FILE", "write all results, schema pbdr-bench/2", &bench->jsonPath),
        OPTION_TEXT("csv", "FILE", "write a row per run", &bench->csvPath),
        OPTION_TEXT("table", "FILE", "write the short table there, too, as README.md has it",
                    &bench->tablePath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    *code = EXIT_USAGE;
    switch (parseOptions("bench", table, optionCount, argc, argv)) {
    case optionsBad:
        return false;
    case optionsHelp:
        printf("usage: pbdr bench [OPTIONS]\n\nRuns the benchmark's tests and prints a table. Without --all, "
               "--tests, "
               "--suite, --solvers and --plugin it is\nREADME.md's: the seven tests in seven columns, pbd "
               "and pbd-r "
               "in single precision on particles, tests 4 to 6 on\nboth bases. Defaults are in "
               "parentheses.\n\n");
        printOptions(table, optionCount);
        *code = EXIT_OK;
        return false;
    case optionsOk:
        break;
    }
    if (!chooseTable(bench) || !chooseTests(bench)) {
        return false;
    }
    bench->ownDuration = isnan(o->duration);
    o->duration = bench->ownDuration ? usualDuration : o->duration;
    if (benchHasTooManySubsteps(o)) {
        benchPrintMessage("pbdr bench: --duration %g with --dt %g: more than %g substeps\n", o->duration,
                          o->timeStep, BENCH_MAX_SUBSTEPS);
        return false;
    }
    if ((o->count > 0 || o->tolerance > 0.0) && bench->packing != benchPackingSurface) {
        benchPrintMessage("pbdr bench: --%s goes with --packing surface\n",
                          o->count > 0 ? "count" : "tolerance");
        return false;
    }
    o->engine = (pbdrEngine)bench->engine;
    o->precision = (BenchPrecision)(bench->precision - 1);
    if (bench->isShort && o->engine == pbdr_engineAuto && o->precision == benchPrecisionAuto) {
        o->precision = benchF32; // as in the paper: on particles
    }
    o->masses = (BenchMasses)bench->masses;
    o->packing = (BenchPacking)bench->packing;
    o->contact = (pbdrContactKind)bench->contact;
    o->fit = (BenchFit)bench->fit;
    o->simd = (pbdrSimd)bench->simd;
    o->yaw = bench->yaw * (acos(-1.0) / 180.0);
    *code = EXIT_OK;
    return true;
}
