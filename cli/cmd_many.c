// pbdr study many: piles, towers and the like beside the peers; what a substep costs, and what holds.
//
// A run is a process of its own and one is made at a time, for its timing is a result. Finished runs are lines of
// DIR/many.log; the same command goes on where it was stopped.
#define _DEFAULT_SOURCE // getloadavg
#include "command.h"
#include "data.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"

#include "many/many.h"
#include "studies/study.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_RUNS 1024
#define MAX_BARS 200
#define MAX_LINE 1400
#define DEFAULT_LIMIT 120.0 // [s]

typedef struct Many {
    const char *folder, *sceneNames, *solverNames;
    double seconds, timeStep, limit; // 0: the scene's
    int runCount;
    ManyJob jobs[MAX_RUNS];
    char* cells[MAX_RUNS]; // NULL: not yet
    char logPath[4096];
    int log; // file
    bool live;
} Many;

// --- What is run ---

static bool takesPart(const char* list, const char* name)
{
    const size_t length = strlen(name);
    for (const char* part = list; part != NULL;
         part = strchr(part, ',') != NULL ? strchr(part, ',') + 1 : NULL) {
        if (strcspn(part, ",") == length && strncmp(part, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static bool isScene(void* context, const char* name)
{
    (void)context;
    if (manyFindEntry(name) == NULL) {
        benchPrintMessage("pbdr study: --scenes: there is no scene '%s'; see pbdr study many --help\n", name);
        return false;
    }
    return true;
}

static bool isSolver(void* context, const char* name)
{
    (void)context;
    if (manyFindSolver(name) == NULL) {
        benchPrintMessage("pbdr study: --solvers: '%s' is not in this build; there are:", name);
        for (int k = 0; manyGetSolver(k) != NULL; k++) {
            fprintf(stderr, " %s", manyGetSolver(k)->name);
        }
        fprintf(stderr, "\n");
        return false;
    }
    return true;
}

static void addRuns(Many* many)
{
    const ManyEntry* entry;
    const ManySolver* solver;
    for (int i = 0; (entry = manyGetEntry(i)) != NULL; i++) {
        if (many->sceneNames != NULL && !takesPart(many->sceneNames, entry->name)) {
            continue;
        }
        for (int k = 0; (solver = manyGetSolver(k)) != NULL && many->runCount < MAX_RUNS; k++) {
            if (many->solverNames != NULL ? takesPart(many->solverNames, solver->name)
                                          : manySuits(entry, solver)) {
                many->jobs[many->runCount++] =
                    (ManyJob){entry,
                              solver,
                              many->seconds > 0.0 ? many->seconds : entry->duration,
                              many->timeStep > 0.0 ? many->timeStep : entry->timeStep,
                              many->limit,
                              getDefaultMesh(),
                              false};
            }
        }
    }
}

// --- The log ---

static void writeKey(char* text, size_t size, const ManyJob* job)
{
    snprintf(text, size, "%s %s %s %s dt %g s %g limit %g", job->entry->name, job->solver->name,
             job->solver->version, pbdrVersion(), job->timeStep, job->duration, job->limit);
}

// Takes what the log has; a last line that a kill cut off is ended, and passed over.
static bool openLog(Many* many)
{
    char line[MAX_LINE], key[256];
    snprintf(many->logPath, sizeof many->logPath, "%.3900s/many.log", many->folder);
    FILE* file = fopen(many->logPath, "a+");
    bool ended = true;
    if (file == NULL) {
        benchPrintMessage("pbdr study: %s: %s\n", many->logPath, strerror(errno));
        return false;
    }
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) {
        char* tab = strchr(line, '\t');
        const size_t length = strlen(line);
        ended = length > 0 && line[length - 1] == '\n';
        if (tab == NULL || !ended) {
            continue;
        }
        line[length - 1] = *tab = 0;
        for (int k = 0; k < many->runCount; k++) {
            ManyRow row;
            writeKey(key, sizeof key, &many->jobs[k]);
            if (strcmp(key, line) == 0 && manyReadCells(tab + 1, &row)) {
                free(many->cells[k]);
                many->cells[k] = strdup(tab + 1);
            }
        }
    }
    if (!ended) {
        fputc('\n', file);
    }
    many->log = dup(fileno(file));
    return fclose(file) == 0 && many->log >= 0;
}

static bool appendLog(const Many* many, int index)
{
    char key[256], line[MAX_LINE];
    writeKey(key, sizeof key, &many->jobs[index]);
    const int length = snprintf(line, sizeof line, "%s\t%s\n", key, many->cells[index]);
    if (length >= (int)sizeof line || write(many->log, line, (size_t)length) != length) {
        benchPrintMessage("pbdr study: %s: cannot be written: %s\n", many->logPath, strerror(errno));
        return false;
    }
    return true;
}

// --- Running ---

typedef struct Progress {
    const Many* many;
    int index;
} Progress;

static bool goOn(void* context, double share)
{
    const Progress* progress = context;
    const ManyJob* job = &progress->many->jobs[progress->index];
    if (progress->many->live) {
        fprintf(stderr, "\r\033[K[%d/%d] %s, %s: %.0f %%", progress->index + 1, progress->many->runCount,
                job->entry->name, job->solver->name, 100.0 * share);
    }
    return !isInterrupted();
}

static void showRow(const Many* many, int index)
{
    ManyRow row;
    manyReadCells(many->cells[index], &row);
    const ManyResult* r = &row.result;
    fprintf(stderr, "%s[%d/%d] %-14s %-14s ", many->live ? "\r\033[K" : "", index + 1, many->runCount,
            row.scene, row.solver);
    if (r->substeps > 0.0) {
        fprintf(stderr,
                "%9.1f us (settled %.1f, p99 %.1f), %.3g mm, rise %.2g, %.2g m/s, drift %.2g m, %g flagged",
                1e6 * r->cpuMean, 1e6 * r->cpuLast, 1e6 * r->cpuP99, 1e3 * r->overlap,
                r->energyRise / r->energyStart, r->pointSpeedEnd, r->drift, r->flagged);
    }
    fprintf(stderr, "%s%s%s\n", strcmp(r->outcome, "measured") == 0 ? "" : "; ",
            strcmp(r->outcome, "measured") == 0 ? "" : r->outcome, r->problem[0] != 0 ? "" : "");
    if (r->problem[0] != 0) {
        fprintf(stderr, "        %s\n", r->problem);
    }
}

static int runAll(Many* many)
{
    double load = 0.0;
    int left = 0;
    for (int k = 0; k < many->runCount; k++) {
        left += many->cells[k] == NULL;
    }
    if (left < many->runCount) {
        benchPrintMessage("many: %d of %d runs are taken from %s; remove it to run them again\n",
                          many->runCount - left, many->runCount, many->logPath);
    }
    if (left > 0 && getloadavg(&load, 1) == 1 && load > 0.5) {
        benchPrintMessage("pbdr study: many: the machine is busy (load %.1f): read ratios\n", load);
    }
    for (int k = 0; k < many->runCount; k++) {
        ManyResult result;
        char text[1024];
        if (many->cells[k] != NULL) {
            continue;
        }
        Progress progress = {many, k};
        many->jobs[k].crashes = studyIsFaultDue("crash", k + 1);
        if (!manyRunApart(&many->jobs[k], &result, goOn, &progress)) {
            benchPrintMessage(
                "%spbdr study: many: interrupted; what is done is kept in %s: the same command goes "
                "on from there\n",
                many->live ? "\n" : "", many->logPath);
            return EXIT_INTERRUPTED;
        }
        manyWriteCells(text, sizeof text, &many->jobs[k], &result);
        many->cells[k] = strdup(text);
        // a run that was ended from outside is a row, and is tried again next time
        const bool kept = strcmp(result.outcome, "crashed") != 0 && strcmp(result.outcome, "timeout") != 0;
        if (many->cells[k] == NULL || (kept && !appendLog(many, k))) {
            return EXIT_FAILED;
        }
        showRow(many, k);
    }
    return EXIT_OK;
}

// --- What comes of it ---

static int writeRows(const Many* many)
{
    char path[4096];
    Output output;
    snprintf(path, sizeof path, "%.3900s/many.csv", many->folder);
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    fprintf(output.file, "%s\n", manyGetColumns());
    for (int k = 0; k < many->runCount; k++) {
        fprintf(output.file, "%s\n", many->cells[k]);
    }
    if (!closeOutput(&output, true)) {
        return EXIT_FAILED;
    }
    printf("%s\n", path);
    return EXIT_OK;
}

// The bars of our own solvers that ran: on stdout, and as DIR/many_bars.csv.
static int writeBars(const Many* many)
{
    static const char* const own[] = {"xpbdr", "xpbdr:spheres"};
    static ManyBar bars[MAX_BARS];
    ManyRow* rows = calloc((size_t)many->runCount + 1, sizeof *rows);
    char path[4096];
    Output output;
    snprintf(path, sizeof path, "%.3900s/many_bars.csv", many->folder);
    if (rows == NULL || !openOutput(&output, path)) {
        free(rows);
        return EXIT_FAILED;
    }
    for (int k = 0; k < many->runCount; k++) {
        manyReadCells(many->cells[k], &rows[k]);
    }
    fprintf(output.file, "solver,bar,value,unit,outcome,met\n");
    for (int s = 0; s < 2; s++) {
        const int count = manyFindBars(rows, many->runCount, own[s], bars, MAX_BARS);
        int met = 0;
        for (int k = 0; k < count && k < MAX_BARS; k++) {
            const char* word = bars[k].met < 0 ? "-" : bars[k].met > 0 ? "yes" : "no";
            const bool whole = strcmp(bars[k].outcome, "measured") == 0;
            char value[64];
            snprintf(value, sizeof value, "%.3g %s%s%s", bars[k].value, bars[k].unit,
                     whole                  ? ""
                     : bars[k].unit[0] != 0 ? ", "
                                            : "",
                     whole ? "" : bars[k].outcome);
            printf("%s%-14s %-58s %-24s %s\n", k == 0 ? "\n" : "", own[s], bars[k].text, value, word);
            fprintf(output.file, "%s,%s,", own[s], bars[k].text);
            studyWriteNumber(output.file, bars[k].value, true);
            fprintf(output.file, ",%s,%s,%s\n", bars[k].unit, bars[k].outcome, word);
            met += bars[k].met > 0;
        }
        if (count > 0) {
            printf("%s: %d of %d bars met\n", own[s], met, count);
        }
    }
    free(rows);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

static int execute(Many* many)
{
    pbdrError error;
    if (mkdir(many->folder, 0777) != 0 && errno != EEXIST) {
        benchPrintMessage("pbdr study: --out %s: cannot make the folder: %s\n", many->folder,
                          strerror(errno));
        return EXIT_FAILED;
    }
    const int lock = studyLockFolder(many->folder, "", &error);
    if (lock < 0) {
        benchPrintMessage("pbdr study: --out %s\n", error.message);
        return EXIT_FAILED;
    }
    for (int k = 0; many->solverNames == NULL && benchGetMissingPeer(k) != NULL; k++) {
        benchPrintMessage("pbdr study: LEFT OUT, not in this build: %s\n", benchGetMissingPeer(k));
    }
    catchInterrupts("study");
    many->live = isatty(STDERR_FILENO) != 0;
    int code = openLog(many) ? EXIT_OK : EXIT_FAILED;
    code = code == EXIT_OK ? runAll(many) : code;
    code = code == EXIT_OK ? writeRows(many) : code;
    code = code == EXIT_OK ? writeBars(many) : code;
    for (int k = 0; k < many->runCount; k++) {
        free(many->cells[k]);
    }
    close(many->log);
    close(lock);
    return code;
}

static void printHelp(const Option* table, size_t count)
{
    printf("usage: pbdr study many [OPTIONS]\n\nScenes of many bodies, XPBD-R beside MuJoCo, Bullet and ODE: "
           "cost of "
           "a substep, overlap,\nenergy, rest; DIR/many.csv, and the bars of the issue with what was "
           "measured. Stop it "
           "at any\ntime: the same command goes on where it was. Defaults in parentheses.\n\n");
    for (int k = 0; manyGetEntry(k) != NULL; k++) {
        printf("  %-15s %s\n", manyGetEntry(k)->name, manyGetEntry(k)->help);
    }
    fputc('\n', stdout);
    printOptions(table, count);
}

int commandMany(int argc, char** argv)
{
    static Many many;
    many = (Many){.folder = "study-results", .limit = DEFAULT_LIMIT, .log = -1};
    const Option table[] = {
        OPTION_TEXT("out", "DIR", "where the log and the CSV files go (study-results)", &many.folder),
        OPTION_TEXT("scenes", "LIST", "such as pile27,tower10 (all)", &many.sceneNames),
        OPTION_TEXT("solvers", "LIST", "such as xpbdr,xpbdr:spheres,bullet (those that suit each scene)",
                    &many.solverNames),
        OPTION_ABOVE("seconds", "S", "simulated time of every run [s] (each scene's own)", &many.seconds, 0,
                     1e4),
        OPTION_ABOVE("dt", "S", "substep of every run [s] (each scene's own)", &many.timeStep, 0, 1),
        OPTION_ABOVE("limit", "S", "processor time of a run's substeps; then it ends where it is [s] (120)",
                     &many.limit, 0, 1e6),
    };
    const size_t count = sizeof table / sizeof table[0];
    switch (parseOptions("study", table, count, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printHelp(table, count);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if ((many.sceneNames != NULL && !splitList(many.sceneNames, isScene, NULL)) ||
        (many.solverNames != NULL && !splitList(many.solverNames, isSolver, NULL))) {
        return EXIT_USAGE;
    }
    addRuns(&many);
    return execute(&many);
}
