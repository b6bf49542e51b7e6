// pbdr run: a scene out of a file, from its start to the end, with what is asked for written on the way.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "interrupt.h"
#include "names.h"
#include "options.h"
#include "run.h"
#include "run_ledger.h"
#include "run_sensors.h"
#include "run_snapshot.h"

#include "runner.h"
#include "scene.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_FRAME 0.01 // [s]
#define MAX_KEPT_TIMES 10000000
#define SLOW_PROGRESS 10.0 // a line every so many seconds where stderr is no terminal

typedef struct Run {
    const char* path;
    int solver, contact, iterations, threads, engine;
    int precision;                    // index into precisionNames
    int effort, maxNewtonSteps;       // -1 and 0: as the scene says
    double tolerance;                 // 0: likewise
    bool sleeping;                    // also if the scene does not say so
    double duration, timeStep, frame; // 0: as the scene says
    pbdrScenePacking packing;
    bool strict, hash;
    const char *trajectoryPath, *summaryPath, *ledgerPath, *sensorsPath, *snapshotPath, *resumePath;
    double snapshotEvery; // [s]; 0: at the end only
    FailRules rules;
    // What is run
    pbdrSceneFile* scene;
    pbdrSceneWorld* made;
    uint64_t substepCount;
    int perFrame; // substeps
    uint64_t key; // of snapshots
    Output trajectory, sensors;
    RunLedger ledger;
    RunSummary summary;
    // Progress
    bool live; // stderr is a terminal
    double begun, shown;
} Run;

// --- The scene ---

// Exit code: with --strict, what is not simulated is a failure.
static int showIgnored(const Run* run)
{
    for (int k = 0; k < run->scene->ignoredCount; k++) {
        benchPrintMessage("pbdr run: %s: %s%s\n", run->scene->path,
                          run->strict ? "" : "warning: ", run->scene->ignored[k]);
    }
    if (run->strict && run->scene->ignoredCount > 0) {
        benchPrintMessage("pbdr run: %s: --strict: refused for the %d above\n", run->scene->path,
                          run->scene->ignoredCount);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int makeWorld(Run* run)
{
    pbdrError error;
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(run->scene);
    def.solver = (pbdrSolver)run->solver;
    def.contact = (pbdrContactKind)run->contact;
    def.engine = (pbdrEngine)run->engine;
    def.precision = run->precision == 1 ? pbdr_precisionF32 : def.precision;
    def.iterations = run->iterations > 0 ? run->iterations : def.iterations;
    def.timeStep = run->timeStep > 0.0 ? run->timeStep : def.timeStep;
    def.threads = run->threads;
    def.effort = run->effort >= 0 ? (pbdrEffort)run->effort : def.effort;
    def.tolerance = run->tolerance > 0.0 ? run->tolerance : def.tolerance;
    def.maxNewtonSteps = run->maxNewtonSteps > 0 ? run->maxNewtonSteps : def.maxNewtonSteps;
    // a scene that sleeps with XPBD-R may be run by the others, which compute everything
    def.sleeping = run->sleeping || (def.sleeping && def.solver == pbdr_solverXpbdR);
    if (pbdrCreateSceneWorld(run->scene, &def, &run->packing, &run->made, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr run: %s\n", error.message);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int setTimes(Run* run)
{
    const double dt = pbdrWorld_GetTimeStep(run->made->world);
    const double duration = run->duration > 0.0 ? run->duration : run->scene->duration;
    if (!(duration > 0.0)) {
        benchPrintMessage("pbdr run: %s: the scene does not say how long: --duration S is needed\n",
                          run->path);
        return EXIT_USAGE;
    }
    if (duration / dt > BENCH_MAX_SUBSTEPS) {
        benchPrintMessage("pbdr run: --duration %g with a time step of %g s: more than %g substeps\n",
                          duration, dt, BENCH_MAX_SUBSTEPS);
        return EXIT_USAGE;
    }
    const double frame = run->frame > 0.0 ? run->frame : DEFAULT_FRAME;
    run->substepCount = (uint64_t)fmax(1.0, floor(duration / dt + 0.5));
    run->perFrame = (int)fmax(1.0, floor(fmin(frame, duration) / dt + 0.5));
    return EXIT_OK;
}

// --- The run ---

static void showProgress(Run* run)
{
    const double now = benchGetSeconds();
    if (now - run->shown < (run->live ? 0.1 : SLOW_PROGRESS)) {
        return;
    }
    run->shown = now;
    const double done = (double)pbdrWorld_GetSubstepCount(run->made->world);
    fprintf(stderr, "%s%3.0f %%: t = %.3f s, %.0f us a substep, %.0f s so far%s", run->live ? "\r\033[K" : "",
            100.0 * done / (double)run->substepCount, done * pbdrWorld_GetTimeStep(run->made->world),
            1.0e6 * run->summary.wallSeconds / fmax(1.0, (double)run->summary.substeps), now - run->begun,
            run->live ? "" : "\n");
    fflush(stderr);
}

static void clearProgress(const Run* run)
{
    if (run->live) {
        fprintf(stderr, "\r\033[K");
    }
}

// Whether a snapshot is due at the end of a frame: every so many of them, and at the end.
static bool isSnapshotDue(const Run* run, uint64_t done, uint64_t frame)
{
    const double length = run->perFrame * pbdrWorld_GetTimeStep(run->made->world);
    const double frames = fmax(1.0, floor(run->snapshotEvery / length + 0.5));
    return run->snapshotPath != NULL && done > 0 &&
           (done == run->substepCount || (run->snapshotEvery > 0.0 && frame % (uint64_t)frames == 0));
}

// What is due at the end of a frame, and at the start. Returns an exit code; not EXIT_OK ends the run.
static int finishFrame(Run* run)
{
    pbdrWorld* world = run->made->world;
    const uint64_t done = pbdrWorld_GetSubstepCount(world);
    const uint64_t frame = (done + (uint64_t)run->perFrame - 1) / (uint64_t)run->perFrame;
    if (!addFrame(&run->summary, run->made)) {
        benchPrintMessage("pbdr run: out of memory for the list of contacts\n");
        return EXIT_FAILED;
    }
    if (run->trajectory.file != NULL) {
        writeTrajectoryFrame(run->trajectory.file, run->made, run->hash);
        if (ferror(run->trajectory.file)) { // a full disk: no use in going on
            return EXIT_FAILED;
        }
    }
    writeRunSensors(&run->sensors, run->made);
    // the first row is of the start, in which nothing has happened yet: nothing to check, and not of a run that goes on
    const bool fresh = run->summary.substeps == 0 && run->resumePath != NULL;
    const FailRules none = {.count = 0};
    run->ledger.rules = run->summary.substeps == 0 ? &none : &run->rules;
    const int code = fresh ? EXIT_OK : writeRunLedger(&run->ledger, world, (int)frame);
    run->ledger.rules = &run->rules;
    if (code == EXIT_OK && isSnapshotDue(run, done, frame) &&
        !saveRunSnapshot(world, run->key, run->snapshotPath)) {
        return EXIT_FAILED;
    }
    return code;
}

static int runSubsteps(Run* run)
{
    const pbdrWorld* world = run->made->world;
    int code = finishFrame(run);
    while (code == EXIT_OK && pbdrWorld_GetSubstepCount(world) < run->substepCount) {
        const uint32_t flags = stepTimed(&run->summary, run->made);
        const uint64_t done = pbdrWorld_GetSubstepCount(world);
        const double time = (double)done * pbdrWorld_GetTimeStep(world);
        if (isInterrupted()) {
            clearProgress(run);
            benchPrintMessage("pbdr run: interrupted at t = %g s; nothing was written\n", time);
            return EXIT_INTERRUPTED;
        }
        if ((flags & pbdr_stepNotFinite) != 0) {
            clearProgress(run);
            benchPrintMessage("pbdr run: %s: a body's state is not finite at t = %g s: lower --dt\n",
                              run->path, time);
            finishFrame(run);
            return EXIT_FAILED;
        }
        if (done % (uint64_t)run->perFrame == 0 || done == run->substepCount) {
            code = finishFrame(run);
        }
        showProgress(run);
    }
    clearProgress(run);
    return code;
}

// Closes what was opened, and keeps none of it.
static void dropOutputs(Run* run)
{
    Output* outputs[] = {&run->trajectory, &run->sensors};
    for (size_t k = 0; k < sizeof outputs / sizeof outputs[0]; k++) {
        if (outputs[k]->file != NULL) {
            closeOutput(outputs[k], false);
        }
    }
    closeRunLedger(&run->ledger, false);
}

static bool openOutputs(Run* run)
{
    if ((run->summaryPath != NULL && !probeOutput(run->summaryPath)) ||
        (run->snapshotPath != NULL && !probeOutput(run->snapshotPath)) ||
        !openRunLedger(&run->ledger, run->made->world, run->ledgerPath, &run->rules)) {
        return false;
    }
    if (!openRunSensors(&run->sensors, run->scene, run->sensorsPath)) {
        closeRunLedger(&run->ledger, false);
        return false;
    }
    if (run->trajectoryPath == NULL) {
        return true;
    }
    if (!openOutput(&run->trajectory, run->trajectoryPath)) {
        run->trajectory.file = NULL;
        dropOutputs(run);
        return false;
    }
    writeTrajectoryHeader(run->trajectory.file, run->hash);
    return true;
}

// Keeps what was written unless the run was interrupted. Returns an exit code.
static int closeOutputs(Run* run, int code)
{
    const bool keep = code != EXIT_INTERRUPTED;
    char hash[17];
    if (run->made != NULL) {
        formatHash(run->made->world, hash);
    }
    const char* shown = run->hash ? hash : NULL;
    if (run->trajectory.file != NULL && !closeOutput(&run->trajectory, keep)) {
        code = EXIT_FAILED;
    }
    if (run->sensors.file != NULL && !closeOutput(&run->sensors, keep)) {
        code = EXIT_FAILED;
    }
    if (!closeRunLedger(&run->ledger, keep)) {
        code = EXIT_FAILED;
    }
    if (!keep) {
        return code;
    }
    printSummary(&run->summary, run->made, shown);
    Output output;
    if (run->summaryPath == NULL) {
        return code;
    }
    if (!openOutput(&output, run->summaryPath)) {
        return EXIT_FAILED;
    }
    writeSummary(output.file, &run->summary, run->made, run->threads, shown);
    return closeOutput(&output, true) ? code : EXIT_FAILED;
}

// Goes on from a snapshot, if one is given. Returns an exit code.
static int resume(Run* run)
{
    pbdrWorld* world = run->made->world;
    if (run->resumePath == NULL) {
        return EXIT_OK;
    }
    if (!resumeRun(world, run->key, run->resumePath)) {
        return EXIT_FAILED;
    }
    if (pbdrWorld_GetSubstepCount(world) >= run->substepCount) {
        benchPrintMessage("pbdr run: --resume %s: it is at t = %g s already: a longer --duration is needed\n",
                          run->resumePath,
                          (double)pbdrWorld_GetSubstepCount(world) * pbdrWorld_GetTimeStep(world));
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

static int runWorld(Run* run)
{
    const int64_t kept =
        run->summaryPath == NULL ? 0 : (int64_t)fmin((double)run->substepCount, MAX_KEPT_TIMES);
    const bool keyed = run->snapshotPath != NULL || run->resumePath != NULL;
    if ((keyed && !makeRunKey(run->made->world, &run->key)) || !openOutputs(run)) {
        return EXIT_FAILED;
    }
    int code = resume(run); // after the ledger was switched on, whose sums go on
    if (code == EXIT_OK && !startSummary(&run->summary, run->made, kept)) {
        benchPrintMessage("pbdr run: out of memory for the times of %lld substeps\n", (long long)kept);
        code = EXIT_FAILED;
    }
    if (code != EXIT_OK) {
        dropOutputs(run);
        return code;
    }
    run->live = isatty(STDERR_FILENO) != 0;
    run->begun = run->shown = benchGetSeconds();
    code = closeOutputs(run, runSubsteps(run));
    freeSummary(&run->summary);
    return code;
}

static int execute(Run* run)
{
    pbdrError error;
    int code = EXIT_OK;
    catchInterrupts("run");
    if (pbdrLoadScene(run->path, NULL, &run->scene, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr run: %s\n", error.message);
        return EXIT_FAILED;
    }
    code = showIgnored(run);
    code = code != EXIT_OK ? code : makeWorld(run);
    code = code != EXIT_OK ? code : setTimes(run);
    code = code != EXIT_OK ? code : runWorld(run);
    pbdrDestroySceneWorld(run->made);
    pbdrFreeScene(run->scene);
    return code;
}

int commandRun(int argc, char** argv)
{
    Run run = {.solver = pbdr_solverXpbdR, .threads = 1, .effort = -1};
    const Option table[] = {
        OPTION_ARGUMENT("SCENE", "the scene: .xml and .urdf (by MuJoCo's library) or .json", &run.path),
        OPTION_ABOVE("duration", "S", "simulated time [s] (as the scene says)", &run.duration, 0, 1e6),
        OPTION_ABOVE("dt", "S", "substep [s] (as the scene says)", &run.timeStep, 0, 1),
        OPTION_SOLVER("solver", "NAME", "pbd, pbd-r or xpbdr (xpbdr)", &run.solver),
        OPTION_CHOICE("contact", "NAME", "surface or spheres (surface for xpbdr, else spheres)", &run.contact,
                      contactNames),
        OPTION_INT("iterations", "K", "of pbd and pbd-r in a substep (10)", &run.iterations, 1,
                   PBDR_MAX_ITERATIONS),
        OPTION_CHOICE(
            "engine", "NAME",
            "how pbd and pbd-r are computed: particle, as the paper, or reduced (auto: particle with "
            "--precision f32, else reduced)",
            &run.engine, engineNames),
        OPTION_CHOICE("precision", "P", "of pbd and pbd-r: f32, as the paper, or f64 (f64)", &run.precision,
                      precisionNames),
        OPTION_INT("threads", "N", "threads that share the work (1); no bit depends on it", &run.threads, 1,
                   PBDR_MAX_THREADS),
        OPTION_CHOICE("effort", "NAME", "of xpbdr: fast, balanced or exact (as the scene says: balanced)",
                      &run.effort, effortNames),
        OPTION_DOUBLE("tolerance", "T",
                      "of xpbdr: residual over the sum of forces that counts as zero (1e-13)", &run.tolerance,
                      PBDR_MIN_TOLERANCE, PBDR_MAX_TOLERANCE),
        OPTION_INT("max-newton", "N", "of xpbdr: limit of the Newton steps of an island in a substep",
                   &run.maxNewtonSteps, 1, PBDR_MAX_NEWTON_STEPS),
        OPTION_SWITCH("sleep", "of xpbdr: islands at rest are not computed until something disturbs them",
                      &run.sleeping),
        OPTION_INT("spheres-per-side", "N", "spheres along the shortest side of boxes and cylinders (4)",
                   &run.packing.spheresPerSide, 1, 1000),
        OPTION_ABOVE("sphere-radius", "R", "of the spheres that geoms are packed with [m], instead",
                     &run.packing.sphereRadius, 0, 1e3),
        OPTION_SWITCH("strict", "refuse scenes with anything that is not simulated", &run.strict),
        OPTION_TEXT("out", "FILE", "trajectory as CSV: a row per body that moves and frame",
                    &run.trajectoryPath),
        OPTION_ABOVE("frame", "S", "time between frames [s] (0.01)", &run.frame, 0, 1e6),
        OPTION_TEXT("json", "FILE", "summary as JSON: cost, contacts, energy, flags", &run.summaryPath),
        OPTION_TEXT("ledger", "FILE",
                    "momentum, energy, work, penetration, slip, ... as CSV: a row per frame",
                    &run.ledgerPath),
        OPTION_TEXT("sensors", "FILE", "what the scene's sensors measure as CSV: a row per frame",
                    &run.sensorsPath),
        OPTION_CUSTOM(
            "fail-if", "RULE",
            "end with exit code 1 if a frame's ledger has it: 'penetration>1e-3'; may be given again",
            &run.rules, parseFailIf),
        OPTION_TEXT("snapshot", "FILE", "the state at the end, to go on from", &run.snapshotPath),
        OPTION_ABOVE("snapshot-every", "S", "and every so often on the way [s]", &run.snapshotEvery, 0, 1e6),
        OPTION_TEXT("resume", "FILE", "go on from a snapshot of the same scene and options", &run.resumePath),
        OPTION_SWITCH("hash", "a 64-bit hash of the state: in each frame's rows, and at the end", &run.hash),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("run", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr run SCENE [OPTIONS]\n\nRuns a scene out of a file; defaults in parentheses. What "
               "the scene "
               "has and this\nprogram does not simulate is listed on stderr. Scenes: docs/scenes.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (run.path == NULL) {
        benchPrintMessage("pbdr run: SCENE is needed: a file that ends in .json, .xml or .urdf\n");
        return EXIT_USAGE;
    }
    if (run.packing.spheresPerSide > 0 && run.packing.sphereRadius > 0.0) {
        benchPrintMessage("pbdr run: --spheres-per-side and --sphere-radius exclude each other\n");
        return EXIT_USAGE;
    }
    if (run.snapshotEvery > 0.0 && run.snapshotPath == NULL) {
        benchPrintMessage("pbdr run: --snapshot-every needs --snapshot FILE\n");
        return EXIT_USAGE;
    }
    return execute(&run);
}
