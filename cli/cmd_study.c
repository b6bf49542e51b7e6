// pbdr study: the paper's figures and table, in jobs that can be stopped at any time and gone on with.
#define _DEFAULT_SOURCE // getloadavg
#include "command.h"
#include "data.h"
#include "names.h"
#include "options.h"
#include "output.h"
#include "study_parts.h"
#include "study_spread.h"

#include "studies/study.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_JOBS 1024

typedef struct StudyCommand {
    const char* name;
    const char* folder;
    const char* solverNames; // NULL: each study's own
    int processes;           // 0: one per core, or one per rank
    StudyShard shard;        // which part of the jobs
    bool merge;              // only what is in logs
    const char* from;        // other folders with logs, for merge
    StudyCrew crew;          // the ranks that mpirun has started
    int backend;             // index into backendNames
    bool references;         // with backend gpu: these alone
    StudySettings settings;
    pbdrError meshError; // why settings.meshUsable is false
    // Progress of the study under way
    const StudyPlan* plan;
    char** results;
    int done;  // jobs with a result
    bool live; // stderr is a terminal
    double lastShown;
} StudyCommand;

static volatile sig_atomic_t interrupted;

static void onInterrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

// --- Progress ---

static void formatDuration(double seconds, char* text, size_t size)
{
    if (seconds < 99.5) {
        snprintf(text, size, "%.0f s", seconds);
    } else if (seconds < 5970.0) {
        snprintf(text, size, "%.0f min", seconds / 60.0);
    } else {
        snprintf(text, size, "%.1f h", seconds / 3600.0);
    }
}

static void describeResult(const char* text, char* words, size_t size)
{
    if (strncmp(text, "measured,", 9) == 0) {
        snprintf(words, size, "%.3g m, %.3g deg", studyGetResult(text, "final_position_error_m"),
                 studyGetResult(text, "final_rotation_error_deg"));
    } else if (strncmp(text, "diverged,", 9) == 0) {
        snprintf(words, size, "diverged at %.2f s", studyGetResult(text, "failed_at_s"));
    } else {
        const char* problem = text; // the last cell before the timings
        for (const char* k = text; *k != '\t' && *k != 0; k++) {
            problem = *k == ',' ? k + 1 : problem;
        }
        snprintf(words, size, "%.*s", (int)strcspn(problem, "\t"), problem);
    }
}

// A line that is overwritten on a terminal; elsewhere a line per finished job. Failures get a line
// everywhere.
static void showProgress(void* context, int job, double secondsLeft)
{
    StudyCommand* command = context;
    const StudyPlan* plan = command->plan;
    char left[32];
    formatDuration(secondsLeft, left, sizeof left);
    command->done += job >= 0;
    if (job >= 0 && (!command->live || studyIsFailure(command->results[job]))) {
        char label[256], words[300];
        studyDescribeJob(&plan->jobs[job], label, sizeof label);
        describeResult(command->results[job], words, sizeof words);
        fprintf(stderr, "%s%s [%d/%d] %s: %s; about %s left\n", command->live ? "\r\033[K" : "",
                plan->kind->name, command->done, plan->jobCount, label, words, left);
    }
    double now = benchGetSeconds();
    if (command->live && now - command->lastShown > 0.1) {
        command->lastShown = now;
        fprintf(stderr, "\r\033[K%s: %d of %d jobs done, about %s left", plan->kind->name, command->done,
                plan->jobCount, left);
        fflush(stderr);
    }
}

// What the study lacks, in a frame that nobody overlooks. False if nothing is left of it.
static bool showMissing(const StudyPlan* plan, const pbdrError* meshError)
{
    static const char rule[] = "************************************************************************";
    if (plan->missingTest != 0) {
        benchPrintMessage("%s\n*  %s: TEST %d IS LEFT OUT: this build does not have it.\n%s\n", rule,
                          plan->kind->name, plan->missingTest, rule);
    }
    if (plan->missingMesh) {
        fprintf(
            stderr,
            "pbdr study: %s\n%s\n*  %s: THE BUNNY'S TESTS ARE LEFT OUT: no mesh. scripts/setup.sh fetches\n"
            "*  what they need, or set PBDR_BUNNY to a closed mesh.\n%s\n",
            meshError->message, rule, plan->kind->name, rule);
    }
    if (plan->jobCount == 0 && plan->missingTest == 0 && !plan->missingMesh) {
        benchPrintMessage("pbdr study: %s: nothing to do for the solvers given\n", plan->kind->name);
    }
    return plan->jobCount > 0;
}

// --- One study ---

typedef void (*TableWriter)(FILE* file, const StudyPlan* plan, char* const* results);

static int writeTable(const StudyCommand* command, const char* suffix, TableWriter write)
{
    char path[4096];
    Output output;
    snprintf(path, sizeof path, "%.3900s/%s%s.csv", command->folder, command->plan->kind->name, suffix);
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    write(output.file, command->plan, command->results);
    if (!closeOutput(&output, true)) {
        return EXIT_FAILED;
    }
    printf("%s\n", path);
    return EXIT_OK;
}

static int writeTables(const StudyCommand* command)
{
    const StudyPlan* plan = command->plan;
    int code = writeTable(command, "", studyWriteTable);
    if (code == EXIT_OK && plan->kind->series != studyNoSeries) {
        code = writeTable(command, "_series", studyWriteSeries);
    }
    if (code == EXIT_OK && strcmp(plan->kind->name, "trajectory") == 0) {
        code = writeTable(command, "_reference", studyWriteReferences);
    }
    if (code == EXIT_OK && strcmp(plan->kind->name, "budget") == 0) {
        code = writeTable(command, "_table", studyWriteBudget);
    }
    if (code == EXIT_OK && strcmp(plan->kind->name, "stills") == 0) {
        code = writeTable(command, "_shape", studyWriteShape);
    }
    if (code == EXIT_OK && strcmp(plan->kind->name, "uncertainty") == 0) {
        code = writeTable(command, "_table", studyWriteUncertainty);
        code = code == EXIT_OK ? writeTable(command, "_bins", studyWriteBins) : code;
    }
    if (code == EXIT_OK && strcmp(plan->kind->name, "ablation") == 0) {
        code = writeTable(command, "_table", studyWriteAblations);
    }
    return code;
}

static int runJobs(StudyCommand* command, StudyLog* log)
{
    const StudyPlan* plan = command->plan;
    double load = 0.0;
    if (plan->kind->alone && command->done < plan->jobCount && getloadavg(&load, 1) == 1 && load > 0.5) {
        benchPrintMessage("pbdr study: %s: the machine is busy (load %.1f); its timings will be too long\n",
                          plan->kind->name, load);
    }
    StudyPool pool = {.plan = plan,
                      .log = log,
                      .processes = command->processes,
                      .stop = &interrupted,
                      .report = showProgress,
                      .context = command,
                      .results = command->results};
    pbdrError error = {.message = ""};
    StudyEnd end = studyRunCrew(&command->crew, &pool, &error);
    fputs(command->live ? "\r\033[K" : "", stderr);
    if (end == studyInterrupted) {
        fprintf(
            stderr,
            "pbdr study: %s: interrupted after %d of %d jobs; those are kept in %s: the same command goes on "
            "from there\n",
            plan->kind->name, command->done, plan->jobCount, log->path);
        return EXIT_INTERRUPTED;
    }
    if (end == studyBroken) {
        benchPrintMessage("pbdr study: %s: %s\n", plan->kind->name, error.message);
        return EXIT_FAILED;
    }
    if (command->crew.rank > 0) {
        return EXIT_OK; // rank 0 has the rest
    }
    if (command->crew.count > 1 && !studyGatherParts(command->folder, plan, command->results, &error)) {
        benchPrintMessage("pbdr study: %s: %s\n", plan->kind->name, error.message);
        return EXIT_FAILED;
    }
    const bool part = command->shard.count > 1;
    int code = part ? EXIT_OK : writeTables(command), failures = 0;
    if (part) {
        printf("%s: the others' logs and this one make the table: pbdr study merge %s\n", log->path,
               plan->kind->name);
    }
    for (int k = 0; k < plan->jobCount; k++) {
        failures += studyIsFailure(command->results[k]);
    }
    if (failures > 0) {
        benchPrintMessage("pbdr study: %s: %d of %d jobs failed; the same command tries them again\n",
                          plan->kind->name, failures, plan->jobCount);
        code = EXIT_FAILED;
    }
    return code;
}

static int runPlan(StudyCommand* command, const StudyPlan* plan)
{
    StudyLog log = {.file = -1};
    pbdrError error = {.message = "out of memory"};
    int code = EXIT_FAILED;
    command->plan = plan;
    command->done = 0;
    command->results = calloc((size_t)plan->jobCount + 1, sizeof *command->results);
    char part[64];
    studyNamePart(&command->crew, &command->shard, part, sizeof part);
    if (command->results != NULL &&
        studyOpenLog(&log, command->folder, part, plan, command->results, &error) == pbdr_statusOk &&
        studyReadLogs(command->folder, plan, command->results, &error) == pbdr_statusOk &&
        (!command->merge || studyReadOthers(command->from, &log, plan, command->results, &error))) {
        for (int k = 0; k < plan->jobCount; k++) {
            command->done += command->results[k] != NULL;
        }
        if (command->done > 0 && command->crew.rank == 0 && !command->merge) {
            benchPrintMessage("%s: %d of %d jobs are taken from %s; remove it to run them again\n",
                              plan->kind->name, command->done, plan->jobCount, log.path);
        }
        if (!command->merge) {
            code = runJobs(command, &log);
        } else if (command->done == plan->jobCount) {
            code = writeTables(command);
        } else {
            benchPrintMessage("pbdr study: merge %s: %d of %d jobs are in no log; run their parts again\n",
                              plan->kind->name, plan->jobCount - command->done, plan->jobCount);
        }
        studyCloseLog(&log);
    } else {
        benchPrintMessage("pbdr study: %s\n", error.message);
    }
    for (int k = 0; command->results != NULL && k < plan->jobCount; k++) {
        free(command->results[k]);
    }
    free(command->results);
    return code;
}

// All studies of that name, or all. Goes on after failures, not after an interrupt.
static int runStudies(StudyCommand* command)
{
    bool all = strcmp(command->name, "all") == 0;
    int code = EXIT_OK;
    for (int k = 0; studyGetKind(k) != NULL && code != EXIT_INTERRUPTED; k++) {
        if (all ? studyGetKind(k)->apart : strcmp(studyGetKind(k)->name, command->name) != 0) {
            continue;
        }
        StudyPlan plan;
        pbdrError error;
        if (studyMakePlan(studyGetKind(k), &command->settings, &plan, &error) != pbdr_statusOk) {
            benchPrintMessage("pbdr study: %s\n", error.message);
            return EXIT_FAILED;
        }
        studyKeepShard(&command->shard, &plan);
        int result = EXIT_OK;
        if (showMissing(&plan, &command->meshError)) {
            result = runPlan(command, &plan);
        } else if (!all) {
            result = plan.missingTest == 0 && !plan.missingMesh ? EXIT_USAGE : EXIT_FAILED;
        }
        studyFreePlan(&plan);
        code = result != EXIT_OK ? result : code;
    }
    return code;
}

// --- Setting up ---

// Tries the mesh, and takes a fingerprint of its file for the keys (FNV-1a).
static void lookAtMesh(StudyCommand* command)
{
    StudySettings* settings = &command->settings;
    BenchOptions options = benchDefaultOptions();
    BenchShapes shapes = {0};
    options.meshPath = settings->meshPath = getDefaultMesh();
    if (benchPrepareMesh(&shapes, &options, &command->meshError) != pbdr_statusOk) {
        return;
    }
    benchFreeShapes(&shapes);
    FILE* file = fopen(settings->meshPath, "rb");
    if (file == NULL) {
        return;
    }
    settings->meshHash = 0xcbf29ce484222325u;
    for (int byte = getc(file); byte != EOF; byte = getc(file)) {
        settings->meshHash = (settings->meshHash ^ (uint64_t)byte) * 0x100000001b3u;
    }
    settings->meshUsable = !ferror(file);
    fclose(file);
}

static bool isKnown(const StudySettings* settings, const char* label)
{
    for (int k = 0; k < settings->solverCount; k++) {
        if (strcmp(settings->solvers[k].label, label) == 0) {
            return true;
        }
    }
    return false;
}

// What splitList fills.
typedef struct SolverChoice {
    StudySettings* settings;
    pbdrError error;
} SolverChoice;

static bool takeSolver(void* list, const char* part)
{
    SolverChoice* choice = list;
    BenchSolver solver;
    if (benchChooseSolver(takeSolverName(part), &solver, &choice->error) != pbdr_statusOk) {
        return false;
    }
    if (!isKnown(choice->settings, solver.label) && choice->settings->solverCount < STUDY_MAX_SOLVERS) {
        choice->settings->solvers[choice->settings->solverCount++] = solver;
    }
    return true;
}

static bool chooseSolvers(StudyCommand* command)
{
    SolverChoice choice = {.settings = &command->settings};
    BenchSolver none;
    benchChooseSolver("", &none, &choice.error); // what there is to choose from, said of an empty name
    if (command->solverNames != NULL && !splitList(command->solverNames, takeSolver, &choice)) {
        benchPrintMessage("pbdr study: --solvers %s: %s\n", command->solverNames, choice.error.message);
        return false;
    }
    return true;
}

static int execute(StudyCommand* command)
{
    if (mkdir(command->folder, 0777) != 0 && errno != EEXIST) {
        benchPrintMessage("pbdr study: --out %s: cannot make the folder: %s\n", command->folder,
                          strerror(errno));
        return EXIT_FAILED;
    }
    pbdrError error;
    char part[64];
    studyNamePart(&(StudyCrew){.count = 1}, &command->shard, part, sizeof part);
    const int lock = command->crew.rank == 0 ? studyLockFolder(command->folder, part, &error) : 0;
    if (lock < 0) {
        benchPrintMessage("pbdr study: --out %s\n", error.message);
        return EXIT_FAILED;
    }
    struct sigaction action = {.sa_handler = onInterrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    command->live = isatty(STDERR_FILENO) != 0 && command->crew.count == 1;
    for (int k = 0; command->crew.rank == 0 && command->solverNames == NULL && benchGetMissingPeer(k) != NULL;
         k++) {
        benchPrintMessage("pbdr study: LEFT OUT, not in this build: %s\n", benchGetMissingPeer(k));
    }
    int code = EXIT_OK;
    if (command->backend == 1) {
        code = runSpread(command->folder, command->settings.points, command->processes, command->references,
                         &interrupted);
    } else {
        lookAtMesh(command);
        code = runStudies(command);
    }
    if (command->crew.rank == 0) {
        close(lock);
    }
    return code;
}

// Joins the ranks that mpirun has started, if it has.
static int executeWithCrew(StudyCommand* command)
{
    pbdrError error;
    if (!studyJoinCrew(&command->crew, &error)) {
        benchPrintMessage("pbdr study: %s\n", error.message);
        return EXIT_FAILED;
    }
    if (command->crew.count > 1 && command->shard.count > 1) {
        benchPrintMessage("pbdr study: ranks share the work among themselves: no --shard under mpirun\n");
        return EXIT_USAGE;
    }
    if (command->backend == 1 && command->crew.count > 1) {
        benchPrintMessage("pbdr study: --backend gpu is one process's: not under mpirun\n");
        return EXIT_USAGE;
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (command->processes == 0) {
        command->processes = command->crew.count > 1 ? 1 : cores > 0 && cores < MAX_JOBS ? (int)cores : 1;
    }
    const int code = execute(command);
    if (code == EXIT_OK || (code == EXIT_FAILED && command->done > 0)) {
        studyLeaveCrew(&command->crew); // else mpirun sees that this rank has gone, and ends the others
    }
    return code;
}

// --- The command line ---

static bool isStudy(const char* name)
{
    for (int k = 0; studyGetKind(k) != NULL; k++) {
        if (strcmp(studyGetKind(k)->name, name) == 0) {
            return true;
        }
    }
    return strcmp(name, "all") == 0;
}

static void printNames(FILE* file)
{
    for (int k = 0; studyGetKind(k) != NULL; k++) {
        fprintf(file, "  %-20s %s\n", studyGetKind(k)->name, studyGetKind(k)->help);
    }
    fprintf(file, "  %-20s %s\n", "all", "every one of them, but for what is said to be apart");
    fprintf(file, "  %-20s %s\n", "many",
            "piles, towers and the like beside the peers; has options of its own");
}

int commandStudy(int argc, char** argv)
{
    static StudyCommand command; // large, for the list of solvers
    if (argc > 1 && strcmp(argv[1], "many") == 0) {
        return commandMany(argc - 1, argv + 1);
    }
    command = (StudyCommand){.folder = "study-results", .shard = {0, 1}, .crew = {.count = 1}};
    if (argc > 1 && strcmp(argv[1], "merge") == 0) {
        command.merge = true;
        argc--;
        argv++;
    }
    const char* shardProblem = command.merge ? NULL : studyFindShard(&command.shard);
    const Option table[] = {
        OPTION_TEXT("out", "DIR", "where logs and CSV files go (study-results)", &command.folder),
        OPTION_INT("jobs", "N", "processes at once (one per core; per rank one); the time study runs alone",
                   &command.processes, 1, MAX_JOBS),
        OPTION_INT("seeds", "K", "runs of each setting (3; ablation 5; trajectory, stills 1)",
                   &command.settings.seeds, 1, 1000),
        OPTION_TEXT("solvers", "LIST", "such as pbd-r,mujoco:tuned (the study's own; see pbdr info)",
                    &command.solverNames),
        OPTION_CUSTOM("shard", "I/N",
                      "every N-th job, from the I-th on, I from 0 (from a job array's environment)",
                      &command.shard, studyParseShard),
        OPTION_INT("points", "K", "settings of the study uncertainty (1000)", &command.settings.points, 1,
                   100000000),
        OPTION_CHOICE("backend", "NAME", "cpu, or gpu: uncertainty by the kernel for small worlds (cpu)",
                      &command.backend, backendNames),
        OPTION_SWITCH("references", "with --backend gpu: what the cores have to do for it, alone",
                      &command.references),
        OPTION_TEXT("from", "LIST", "merge: other folders with logs, separated by commas", &command.from),
        OPTION_SWITCH("quick", "short runs and few points, to try things out", &command.settings.quick),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    bool named = argc > 1 && argv[1][0] != '-';
    switch (parseOptions("study", table, optionCount, named ? argc - 1 : argc, named ? argv + 1 : argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr study NAME [OPTIONS]\n       pbdr study merge NAME [OPTIONS]\n       mpirun -n N "
               "pbdr study NAME "
               "[OPTIONS]\n\nRemakes the paper's figures and table as DIR/NAME.csv, "
               "and the error budget.\n"
               "Stop it at "
               "any time: the same command goes on\nwhere it was. Defaults in parentheses.\n\n");
        printNames(stdout);
        fputc('\n', stdout);
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (!named || !isStudy(argv[1])) {
        benchPrintMessage("pbdr study: %s%s%s\n", named ? "unknown study '" : "which study?",
                          named ? argv[1] : "", named ? "'; there are:" : " There are:");
        printNames(stderr);
        return EXIT_USAGE;
    }
    command.name = argv[1];
    if (command.backend == 1 && (strcmp(command.name, "uncertainty") != 0 || command.merge ||
                                 command.shard.count != 1 || command.solverNames != NULL)) {
        benchPrintMessage("pbdr study: --backend gpu is for uncertainty as a whole, with pbd-r and xpbdr\n");
        return EXIT_USAGE;
    }
    if (command.references && command.backend == 0) {
        benchPrintMessage("pbdr study: --references goes with --backend gpu\n");
        return EXIT_USAGE;
    }
    if (command.shard.count == 0) {
        benchPrintMessage("pbdr study: %s\n", shardProblem != NULL ? shardProblem : "no shard");
        return EXIT_USAGE;
    }
    return chooseSolvers(&command) ? executeWithCrew(&command) : EXIT_USAGE;
}
