// pbdr bench, in three files: what is asked for (bench_options.c), who is to do it (bench_solvers.c), and the
// runs (cmd_bench.c).
#ifndef PBDR_CLI_BENCH_H
#define PBDR_CLI_BENCH_H

#include "runner.h"

#define MAX_SOLVERS 32

typedef struct TestList {
    bool given; // on the command line
    bool chosen[BENCH_LAST_EXTENDED + 1];
} TestList;

#define MAX_PLUGINS 16

typedef struct PluginList {
    int count;
    const char* paths[MAX_PLUGINS];
} PluginList;

typedef struct Bench {
    TestList tests;
    const char* solverNames; // as given; NULL: all
    bool all;                // the long table, of all solvers
    bool isShort;            // the short one: nobody named tests or solvers, or asked for all
    PluginList plugins;
    BenchLimits pluginLimits;
    BenchSolver solvers[MAX_SOLVERS]; // those to run
    bool rodOnly[MAX_SOLVERS];        // of those, that are run in Test 7 alone
    int solverCount;
    bool somethingFailed; // a plug-in was refused or crashed
    BenchOptions options;
    bool ownDuration; // every test takes its own time
    int suite;        // index into bench_options.c's choices
    int seeds, firstSeed;
    int backend;                                                // index into backendNames
    int engine, precision, simd, packing, masses, contact, fit; // indices into bench_options.c's choices
    double yaw;                                                 // [deg]
    const char *trajectoryDir, *jsonPath, *csvPath, *tablePath;
    // Progress
    int runsDone, runsTotal;
    char label[192];
    double begun;
    bool live; // stderr is a terminal
} Bench;

// Fills *bench from the command line. False ends the command with *code.
bool readBenchOptions(Bench* bench, int argc, char** argv, int* code);

// Fills bench->solvers: those named; those of the short table; all of the build with all their presets (--all); or all
// of the build, xpbdr with both contacts, MuJoCo on feet in Test 7. And the plug-ins, unless solvers were named. A
// plug-in that is refused is reported, and the others go on. Returns an exit code.
int chooseSolvers(Bench* bench);

// Says which options no chosen solver or test heeds.
void noteUnused(const Bench* bench);

#endif
