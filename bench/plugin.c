// Loading plug-ins. This process only ever sees what a probe in a child process sends back; the code of a
// plug-in runs in children, one per run.
#define _POSIX_C_SOURCE 200809L
#include "plugin.h"

#include "fail.h"
#include "isolate.h"
#include "old_names.h"
#include "pipe.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const pbdrBenchSolver* benchLoadPlugin(const char* path, pbdrError* error)
{
    if (benchIsPipe(path)) {
        return benchOpenPipe(path, error);
    }
    // without a slash dlopen would search the system's folders
    char local[4096];
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    void* object = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        benchFail(error, pbdr_statusFileNotFound, "%s: cannot be loaded: %s", path, dlerror());
        return NULL;
    }
    pbdrBenchPluginFunction getTable = NULL;
    void* symbol = dlsym(object, PBDR_BENCH_PLUGIN_SYMBOL);
    memcpy(&getTable, &symbol, sizeof symbol); // ISO C knows no cast from object to function pointer
    if (getTable == NULL) {
        benchFail(error, pbdr_statusFileFormat, "%s: no plug-in: it does not export %s", path,
                  PBDR_BENCH_PLUGIN_SYMBOL);
        return NULL;
    }
    const pbdrBenchSolver* table = getTable();
    if (table == NULL) {
        benchFail(error, pbdr_statusFileFormat, "%s: %s returned NULL", path, PBDR_BENCH_PLUGIN_SYMBOL);
    }
    return table;
}

typedef struct Probe {
    BenchSolver solver;
    pbdrError error; // status is pbdr_statusOk if there is none
} Probe;

static void probe(void* context, void* result, volatile double* share)
{
    (void)share;
    const char* path = context;
    Probe* found = result;
    const pbdrBenchSolver* table = benchLoadPlugin(path, &found->error);
    if (table == NULL) {
        return;
    }
    pbdrError error;
    if (benchDescribeSolver(table, &found->solver, &error) != pbdr_statusOk) {
        benchFail(&found->error, error.status, "%s: %.400s", path, error.message);
    }
}

// What came back, as far as it is to be believed: the plug-in's code could write to it.
static pbdrStatus checkProbe(const char* path, Probe* found, pbdrError* error)
{
    benchCleanText(found->error.message, sizeof found->error.message);
    if (found->error.status != pbdr_statusOk) {
        return benchFail(error, pbdr_statusNotSupported, "%s", found->error.message);
    }
    BenchSolver* solver = &found->solver;
    bool clean = benchCleanText(solver->label, sizeof solver->label);
    clean = benchCleanText(solver->engine, sizeof solver->engine) && clean;
    clean = benchCleanText(solver->presets, sizeof solver->presets) && clean;
    if (!clean || !benchIsSolverName(solver->label)) {
        return benchFail(error, pbdr_statusNotSupported, "%s: what it sent back makes no sense", path);
    }
    for (int k = 0; benchGetBuiltIn(k) != NULL; k++) {
        if (strcmp(benchGetBuiltIn(k)->name, benchRenameSolver(solver->label)) == 0) {
            return benchFail(error, pbdr_statusNotSupported,
                             "%s: it calls itself '%s', which is the name of a solver of this program", path,
                             solver->label);
        }
    }
    return pbdr_statusOk;
}

pbdrStatus benchProbePlugin(const char* path, const BenchLimits* limits, BenchGoOn goOn, void* goOnContext,
                            BenchSolver* solver, pbdrError* error)
{
    Probe found;
    char why[128];
    BenchEnd end =
        benchIsolate(probe, (void*)path, &found, sizeof found, limits, goOn, goOnContext, why, sizeof why);
    if (end == benchEndStopped) {
        return benchFail(error, pbdr_statusStopped, "%s: stopped", path);
    }
    if (end == benchEndFailed) {
        return benchFail(error, pbdr_statusNotSupported, "%s: %s while it was loaded", path, why);
    }
    pbdrStatus status = checkProbe(path, &found, error);
    if (status == pbdr_statusOk) {
        *solver = found.solver;
        solver->capabilities &=
            pbdr_benchUsesSpheres | pbdr_benchUsesSettings | pbdr_benchUsesAblation | pbdr_benchUsesJoints;
        solver->preset[0] = 0;
        solver->table = NULL; // an address in the child
        solver->plugin = path;
        solver->limits = *limits;
    }
    return status;
}
