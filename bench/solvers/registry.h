// The solvers that can be run, by name: our own, the peers that this build found, and plug-ins.
#ifndef PBDR_BENCH_REGISTRY_H
#define PBDR_BENCH_REGISTRY_H

#include "isolate.h"
#include "pbdr/bench/solver.h"
#include "pbdr/recipe.h"
#include "scene.h"

// A solver as chosen on the command line.
typedef struct BenchSolver {
    char label[96];               // as chosen: "pbd-r", "mujoco:tuned"
    char engine[96];              // name and version of the simulator; "" for our own
    char preset[48];              // "" for none
    char presets[160];            // what there is to choose from
    uint32_t capabilities;        // pbdrBenchCapability bits
    const pbdrBenchSolver* table; // NULL for a plug-in: it is loaded only in the process that runs it
    const char* plugin;           // path of the shared object; NULL for the others
    BenchLimits limits;           // of a plug-in's runs
} BenchSolver;

// The preset of xpbdr whose bodies touch by their spheres, as pbd's and pbd-r's do, whatever the options say.
#define BENCH_SPHERES_PRESET "spheres"

const pbdrBenchSolver* benchGetPbd(void);
const pbdrBenchSolver* benchGetPbdR(void);
const pbdrBenchSolver* benchGetXpbdR(void);
// The world inside a simulation of one of these.
pbdrWorld* benchGetWorld(void* simulation);
// As their tables' create, and recipe (may be NULL) notes how the world is made. Body and shape k are the scene's body k.
void* benchCreateRecorded(const pbdrBenchScene* scene, pbdrSolver solver, pbdrRecipe* recipe,
                          char message[PBDR_BENCH_MESSAGE]);

// The index-th solver of this build, or NULL past the last.
const pbdrBenchSolver* benchGetBuiltIn(int index);

// The index-th peer that this build lacks, with what to install, or NULL past the last.
const char* benchGetMissingPeer(int index);

// Fills *solver for "name" or "name:preset". The error names what there is to choose from.
pbdrStatus benchChooseSolver(const char* text, BenchSolver* solver, pbdrError* error);

// The same solver with a preset, or "" for none.
pbdrStatus benchChoosePreset(const BenchSolver* from, const char* preset, BenchSolver* solver,
                             pbdrError* error);

// What the options leave open, as this solver wants it. PBD and PBD-R in float run on particles, as in the
// paper, unless said otherwise; PBD-R in reduced coordinates, in double, unless float or an ablation is asked
// for; XPBD-R has one way, and masses that are exact. XPBD-R's bodies touch by their true surface, all others
// that are made of spheres by these. Peers use none of it.
BenchOptions benchResolveOptions(const BenchSolver* solver, const BenchOptions* options);
// How the solver is computed with resolved options: "particle", "reduced", "xpbdr" (XPBD-R has one engine), or a peer's
// name and version.
const char* benchGetEngineName(const BenchSolver* solver, const BenchOptions* resolved);
// Whether there are several to choose from, so that people are told which one it was: pbd's and pbd-r's.
bool benchHasEngines(const BenchSolver* solver);

// Whether a solver may be called that: 1 to 40 of letters, digits and . _ + -, the first a letter or digit.
// Names become parts of file names, of lists on the command line and of cells.
bool benchIsSolverName(const char* name);

// Fills *solver from a table: checks the version of the interface, the names and the required functions.
pbdrStatus benchDescribeSolver(const pbdrBenchSolver* table, BenchSolver* solver, pbdrError* error);

#endif
