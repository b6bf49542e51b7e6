// The list of solvers, and choosing from it.
#include "solvers/registry.h"

#include "fail.h"
#include "solvers/peers.h"

#include <stdio.h>
#include <string.h>

static const pbdrBenchSolver* (*const builtIns[])(void) = {
    benchGetPbd,    benchGetPbdR, benchGetXpbdR,
#ifdef PBDR_HAVE_MUJOCO
    benchGetMujoco,
#endif
#ifdef PBDR_HAVE_ODE
    benchGetOde,
#endif
#ifdef PBDR_HAVE_BULLET
    benchGetBullet,
#endif
};

// Peers that the build did not find, and what to install.
static const char* const missing[] = {
#ifndef PBDR_HAVE_MUJOCO
    "mujoco: scripts/fetch_mujoco.sh (PyPI wheel mujoco), or Debian's libmujoco-dev",
#endif
#ifndef PBDR_HAVE_ODE
    "ode: Debian's libode-dev and pkg-config",
#endif
#ifndef PBDR_HAVE_BULLET
    "bullet: Debian's libbullet-dev, pkg-config and g++",
#endif
    NULL,
};

const char* benchGetMissingPeer(int index)
{
    for (int k = 0; k < index; k++) {
        if (missing[k] == NULL) {
            return NULL;
        }
    }
    return missing[index];
}

const pbdrBenchSolver* benchGetBuiltIn(int index)
{
    return index >= 0 && index < (int)(sizeof builtIns / sizeof builtIns[0]) ? builtIns[index]() : NULL;
}

// Whether a comma-separated list, or NULL, holds the word.
static bool hasWord(const char* list, const char* word)
{
    size_t length = strlen(word);
    while (list != NULL && *list != 0) {
        size_t part = strcspn(list, ",");
        if (part == length && strncmp(list, word, length) == 0) {
            return true;
        }
        list += part + (list[part] == ',');
    }
    return false;
}

// Letters, digits and . _ + - alone, or with commas.
static bool isPlain(const char* text, bool commas)
{
    const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-,";
    for (; *text != 0; text++) {
        if (strchr(letters, *text) == NULL || (*text == ',' && !commas)) {
            return false;
        }
    }
    return true;
}

bool benchIsSolverName(const char* name)
{
    size_t length = strlen(name);
    return length >= 1 && length <= 40 && isPlain(name, false) && strchr("._+-", name[0]) == NULL;
}

// What may stand in a cell and on a page.
static bool isVersion(const char* text)
{
    for (const char* c = text; *c != 0; c++) {
        if (*c < ' ' || *c > '~' || strchr(",\"`<>", *c) != NULL) {
            return false;
        }
    }
    return strlen(text) <= 40;
}

// Tables of older versions cannot mean joints by that bit.
#define FIRST_ABI_WITH_JOINTS 5

pbdrStatus benchDescribeSolver(const pbdrBenchSolver* table, BenchSolver* solver, pbdrError* error)
{
    *solver = (BenchSolver){.table = table};
    if (table->abi < PBDR_BENCH_OLDEST_ABI || table->abi > PBDR_BENCH_ABI) {
        return benchFail(error, pbdr_statusNotSupported,
                         "made for version %u of the plug-in interface, this program has version %u",
                         (unsigned)table->abi, (unsigned)PBDR_BENCH_ABI);
    }
    if (table->name == NULL || table->create == NULL || table->step == NULL || table->read == NULL ||
        table->destroy == NULL) {
        return benchFail(error, pbdr_statusNotSupported,
                         "its table lacks a name, create, step, read or destroy");
    }
    if (!benchIsSolverName(table->name)) {
        return benchFail(error, pbdr_statusNotSupported,
                         "its name '%.60s' is not 1 to 40 of letters, digits and . _ + -, beginning with a "
                         "letter or digit",
                         table->name);
    }
    const char* presets = table->presets != NULL ? table->presets : "";
    if (!isPlain(presets, true) || strlen(presets) >= sizeof solver->presets) {
        return benchFail(error, pbdr_statusNotSupported,
                         "its presets are not names of letters, digits and . _ + -, separated by commas");
    }
    const char* version = table->version != NULL ? table->version : "";
    if (!isVersion(version)) {
        return benchFail(error, pbdr_statusNotSupported,
                         "its version '%.60s' is not up to 40 printable characters without , \" ` < >",
                         version);
    }
    snprintf(solver->label, sizeof solver->label, "%s", table->name);
    snprintf(solver->presets, sizeof solver->presets, "%s", presets);
    if (table->version != NULL) {
        snprintf(solver->engine, sizeof solver->engine, "%s %s", table->name, version);
    }
    solver->capabilities = table->capabilities;
    if (table->abi < FIRST_ABI_WITH_JOINTS) {
        solver->capabilities &= ~(uint32_t)pbdr_benchUsesJoints; // it does not know where they stand
    }
    return pbdr_statusOk;
}

BenchOptions benchResolveOptions(const BenchSolver* solver, const BenchOptions* options)
{
    BenchOptions resolved = *options;
    bool settings = (solver->capabilities & pbdr_benchUsesSettings) != 0;
    bool particlesWanted = options->precision == benchF32 || options->ablation != 0 ||
                           (solver->capabilities & pbdr_benchUsesAblation) == 0;
    if (!settings) {
        resolved.engine = pbdr_engineReduced; // not asked for: XPBD-R and peers have one engine each
        resolved.precision = benchF64;
    } else {
        if (options->engine == pbdr_engineAuto) {
            resolved.engine = particlesWanted ? pbdr_engineParticle : pbdr_engineReduced;
        }
        if (options->precision == benchPrecisionAuto) {
            resolved.precision = resolved.engine == pbdr_engineParticle ? benchF32 : benchF64;
        }
    }
    bool xpbdr = solver->plugin == NULL && solver->engine[0] == 0 && !settings;
    if (options->masses == benchMassesAuto) {
        resolved.masses = xpbdr ? benchMassesExact : benchMassesUniform;
    }
    bool spheres = !xpbdr || strcmp(solver->preset, BENCH_SPHERES_PRESET) == 0;
    resolved.contact =
        spheres || options->contact == pbdr_contactSpheres ? pbdr_contactSpheres : pbdr_contactSurface;
    return resolved;
}

const char* benchGetEngineName(const BenchSolver* solver, const BenchOptions* resolved)
{
    if (solver->engine[0] != 0) {
        return solver->engine;
    }
    if (solver->table != NULL && (solver->capabilities & pbdr_benchUsesSettings) == 0) {
        return solver->table->name; // XPBD-R has one engine, its own
    }
    return resolved->engine == pbdr_engineParticle ? "particle" : "reduced";
}

bool benchHasEngines(const BenchSolver* solver)
{
    return solver->engine[0] == 0 && (solver->capabilities & pbdr_benchUsesSettings) != 0;
}

pbdrStatus benchChoosePreset(const BenchSolver* from, const char* preset, BenchSolver* solver,
                             pbdrError* error)
{
    if (preset[0] != 0 && !hasWord(from->presets, preset)) {
        return benchFail(error, pbdr_statusInvalidArgument, "%s has no preset '%s'; it has: %s", from->label,
                         preset, from->presets[0] != 0 ? from->presets : "none");
    }
    *solver = *from;
    snprintf(solver->label, sizeof solver->label, "%.40s%s%.48s", from->label, preset[0] != 0 ? ":" : "",
             preset);
    snprintf(solver->preset, sizeof solver->preset, "%s", preset);
    return pbdr_statusOk;
}

pbdrStatus benchChooseSolver(const char* text, BenchSolver* solver, pbdrError* error)
{
    size_t length = strcspn(text, ":");
    const char* preset = text[length] == ':' ? text + length + 1 : "";
    char known[256] = "";
    for (int k = 0; benchGetBuiltIn(k) != NULL; k++) {
        const pbdrBenchSolver* table = benchGetBuiltIn(k);
        if (strlen(table->name) == length && strncmp(table->name, text, length) == 0) {
            BenchSolver plain;
            pbdrStatus status = benchDescribeSolver(table, &plain, error);
            return status == pbdr_statusOk ? benchChoosePreset(&plain, preset, solver, error) : status;
        }
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k > 0 ? ", " : "", table->name);
    }
    return benchFail(error, pbdr_statusInvalidArgument, "'%.90s': wanted solvers of: %s", text, known);
}
