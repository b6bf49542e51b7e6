// Who runs in pbdr bench: solvers of this build, and plug-ins.
#include "bench.h"

#include "command.h"
#include "interrupt.h"
#include "names.h"
#include "options.h"

#include "plugin.h"
#include "results.h"
#include "solvers/kernel.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
    if (status != pbdr_statusOk &&
        benchChooseSolver(takeSolverName(part), &solver, &choice->error) != pbdr_statusOk) {
        for (int k = 0; k < choice->pluginCount; k++) {
            size_t used = strlen(choice->error.message);
            snprintf(choice->error.message + used, sizeof choice->error.message - used, ", %s",
                     choice->plugins[k].label);
        }
        return false;
    }
    for (int k = 0; k < bench->solverCount; k++) {
        if (strcmp(bench->solvers[k].label, solver.label) == 0) {
            return true;
        }
    }
    if (bench->solverCount == MAX_SOLVERS) {
        snprintf(choice->error.message, sizeof choice->error.message, "more than %d solvers", MAX_SOLVERS);
        return false;
    }
    bench->solvers[bench->solverCount++] = solver;
    return true;
}

// A solver of the build with each of its presets.
static void takePresets(Choice* choice, const char* name)
{
    BenchSolver solver;
    if (!takeSolver(choice, name) || benchChooseSolver(name, &solver, &choice->error) != pbdr_statusOk) {
        return;
    }
    for (const char* preset = solver.presets; *preset != 0;) {
        char label[96];
        const int length = (int)strcspn(preset, ",");
        snprintf(label, sizeof label, "%.40s:%.*s", name, length < 48 ? length : 48, preset);
        takeSolver(choice, label);
        preset += length + (preset[length] == ',');
    }
}

// Those that nobody had to name.
static void takeUsual(Bench* bench, Choice* choice)
{
    for (int k = 0; bench->isShort && benchGetShortSolver(k) != NULL; k++) {
        takeSolver(choice, benchGetShortSolver(k)); // a peer that is not in this build has been told of
    }
    for (int k = 0; !bench->isShort && benchGetBuiltIn(k) != NULL; k++) {
        const char* name = benchGetBuiltIn(k)->name;
        if (bench->all) {
            takePresets(choice, name);
            continue;
        }
        takeSolver(choice, name);
        if (strcmp(name, "xpbdr") == 0) {
            takeSolver(choice, "xpbdr:" BENCH_SPHERES_PRESET);
        } else if (strcmp(name, "mujoco") == 0) {
            // on its corners MuJoCo's box answers another question than Test 7's (docs/benchmark.md, section
            // 3)
            bench->rodOnly[bench->solverCount] = true;
            takeSolver(choice, "mujoco:feet");
        }
    }
}

static bool goOn(void* context, double share)
{
    (void)context, (void)share;
    return !isInterrupted();
}

// Looks at the plug-ins; false if that was interrupted.
static bool probePlugins(Bench* bench, Choice* choice)
{
    for (int k = 0; k < bench->plugins.count; k++) {
        pbdrError error;
        BenchSolver* found = &choice->plugins[choice->pluginCount];
        pbdrStatus status =
            benchProbePlugin(bench->plugins.paths[k], &bench->pluginLimits, goOn, NULL, found, &error);
        for (int i = 0; i < choice->pluginCount && status == pbdr_statusOk; i++) {
            if (strcmp(choice->plugins[i].label, found->label) == 0) {
                snprintf(error.message, sizeof error.message, "%.300s: its name '%s' is taken by %.100s",
                         found->plugin, found->label, choice->plugins[i].plugin);
                status = pbdr_statusNotSupported;
            }
        }
        if (status == pbdr_statusOk) {
            choice->pluginCount++;
        } else if (isInterrupted()) {
            return false;
        } else {
            benchPrintMessage("pbdr bench: --plugin %s\n", error.message);
            bench->somethingFailed = true;
        }
    }
    return true;
}

// xpbdr by the kernel, and nobody else.
static int chooseKernel(Bench* bench)
{
    pbdrError error = {.message = ""};
    const char* names = bench->solverNames;
    if ((names != NULL && strcmp(names, "xpbdr") != 0 && strcmp(names, "xpbdr:" BENCH_SPHERES_PRESET) != 0) ||
        bench->plugins.count > 0) {
        benchPrintMessage("pbdr bench: --backend gpu: the kernel has xpbdr alone, by its spheres\n");
        return EXIT_USAGE;
    }
    if (benchChooseKernel(benchChooseDevice("bench"), &bench->solvers[0], &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr bench: %s\n", error.message);
        return EXIT_FAILED;
    }
    bench->solverCount = 1;
    return EXIT_OK;
}

int chooseSolvers(Bench* bench)
{
    if (bench->backend == 1) {
        return chooseKernel(bench);
    }
    Choice choice = {.bench = bench};
    BenchSolver none;
    benchChooseSolver("", &none, &choice.error); // what there is to choose from, said of an empty name
    if (!probePlugins(bench, &choice)) {
        return EXIT_INTERRUPTED;
    }
    if (bench->solverNames != NULL) {
        if (!splitList(bench->solverNames, takeSolver, &choice)) {
            benchPrintMessage("pbdr bench: --solvers %s: %s\n", bench->solverNames, choice.error.message);
            return EXIT_USAGE;
        }
        return EXIT_OK;
    }
    for (int k = 0; benchGetMissingPeer(k) != NULL; k++) {
        benchPrintMessage("pbdr bench: LEFT OUT, not in this build: %s\n", benchGetMissingPeer(k));
    }
    takeUsual(bench, &choice);
    for (int k = 0; k < choice.pluginCount; k++) {
        takeSolver(&choice, choice.plugins[k].label);
    }
    return EXIT_OK;
}

void noteUnused(const Bench* bench)
{
    bool settings = false, surfaces = false, spheres = false, meshes = false, extended = false;
    for (int k = 0; k < bench->solverCount; k++) {
        const BenchSolver* solver = &bench->solvers[k];
        bool usesSettings = (solver->capabilities & pbdr_benchUsesSettings) != 0;
        bool usesSpheres = (solver->capabilities & pbdr_benchUsesSpheres) != 0;
        settings = settings || usesSettings;
        spheres = spheres || usesSpheres;
        surfaces = surfaces || benchResolveOptions(solver, &bench->options).contact == pbdr_contactSurface;
    }
    for (int k = BENCH_FIRST_TEST; k <= BENCH_LAST_EXTENDED; k++) {
        meshes = meshes || (bench->tests.chosen[k] && benchUsesMesh(benchFindTest(k)));
        extended = extended || (bench->tests.chosen[k] && benchFindTest(k)->extended != NULL);
    }
    const BenchOptions* o = &bench->options;
    const struct {
        bool unused;
        const char* text;
    } notes[] = {
        {o->engine != pbdr_engineAuto && !settings, "--engine: no chosen solver heeds it (pbd and pbd-r do)"},
        {o->precision != benchPrecisionAuto && !settings,
         "--precision: no chosen solver heeds it (pbd and pbd-r do)"},
        {o->contact == pbdr_contactSurface && !surfaces,
         "--contact surface: no chosen solver heeds it (xpbdr does)"},
        {o->masses != benchMassesAuto && !spheres, "--masses: no chosen solver is made of spheres"},
        {(o->packing == benchPackingSurface || o->bodyPath != NULL) && !meshes,
         "--packing, --spheres: no chosen test has a mesh (4 to 6 do)"},
        {extended && !(isnan(o->mu) && isnan(o->force)), "--mu, --force: tests 8 and up keep their own"},
    };
    for (size_t k = 0; k < sizeof notes / sizeof notes[0]; k++) {
        if (notes[k].unused) {
            benchPrintMessage("pbdr bench: note: %s\n", notes[k].text);
        }
    }
}
