// Loading plug-ins. This process only ever sees what a probe in a child process sends back; the code of a
// plug-in runs in children, one per run.
#define _POSIX_C_SOURCE 200809L
#include "plugin.h"

#include "base.h"
#include "isolate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const pbdrBenchSolver* benchLoadPlugin(const char* path, pbdrError* error)
{
    // without a slash dlopen would search the system's folders
    char local[4096];
    snprintf(local, sizeof local, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    void* object = dlopen(local, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        pbdrFail(error, pbdr_statusFileNotFound, "%s: cannot be loaded: %s", path, dlerror());
        return NULL;
    }
    pbdrBenchPluginFunction getTable = NULL;
    void* symbol = dlsym(object, PBDR_BENCH_PLUGIN_SYMBOL);
    memcpy(&getTable, &symbol, sizeof symbol); // ISO C knows no cast from object to function pointer
    if (getTable == NULL) {
        pbdrFail(error, pbdr_statusFileFormat, "%s: no plug-in: it does not export %s", path,
                 PBDR_BENCH_PLUGIN_SYMBOL);
        return NULL;
    }
    const pbdrBenchSolver* table = getTable();
    if (table == NULL) {
        pbdrFail(error, pbdr_statusFileFormat, "%s: %s returned NULL", path, PBDR_BENCH_PLUGIN_SYMBOL);
    }
    return table;
}

typedef struct Probe {
    BenchSolver solver;
    pbdrStatus status;
    pbdrError error;
} Probe;

static void probe(void* context, void* result)
{
    const char* path = context;
    Probe* found = result;
    const pbdrBenchSolver* table = benchLoadPlugin(path, &found->error);
    if (table == NULL) {
        found->status = found->error.status;
        return;
    }
    pbdrError error;
    found->status = benchDescribeSolver(table, &found->solver, &error);
    if (found->status != pbdr_statusOk) {
        pbdrFail(&found->error, found->status, "%s: %.400s", path, error.message);
    }
}

pbdrStatus benchProbePlugin(const char* path, BenchSolver* solver, pbdrError* error)
{
    Probe found = {.status = pbdr_statusOk};
    char why[128];
    if (!benchIsolate(probe, (void*)path, &found, sizeof found, why, sizeof why)) {
        return pbdrFail(error, pbdr_statusNotSupported, "%s: %s while it was loaded", path, why);
    }
    if (found.status != pbdr_statusOk) {
        if (error != NULL) {
            *error = found.error;
        }
        return found.status;
    }
    *solver = found.solver;
    solver->table = NULL; // an address in the child
    solver->plugin = path;
    return pbdr_statusOk;
}
