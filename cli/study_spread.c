#define _DEFAULT_SOURCE
#include "study_spread.h"

#include "command.h"
#include "output.h"

#include "solvers/kernel.h"
#include "studies/spread.h"
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define POINTS 1000
// Worlds of a batch, whose rows are written when all of it is done: a GPU wants many, but a study that is stopped loses the
// batch that it is at. All of a study takes an H200 about as long by 16,384 as by 65,536.
#define GPU_WORLDS 16384
#define HOST_WORLDS 32 // per thread: the host's kernel steps as many at a time

static void report(const char* what, int done, int of)
{
    static double last;
    const double now = benchGetSeconds();
    if (now - last > 5.0) {
        benchPrintMessage("uncertainty: %s: %d of %d points\n", what, done, of);
        last = now;
    }
}

static bool writeTable(const SpreadStudy* study, const char* suffix,
                       pbdrStatus (*write)(FILE*, const SpreadStudy*, pbdrError*))
{
    char path[4096];
    Output output;
    pbdrError error = {.message = ""};
    snprintf(path, sizeof path, "%.3900s/uncertainty_%s.csv", study->folder, suffix);
    if (!openOutput(&output, path)) {
        return false;
    }
    const bool good = write(output.file, study, &error) == pbdr_statusOk;
    if (!good) {
        benchPrintMessage("pbdr study: uncertainty: %s\n", error.message);
    }
    if (!closeOutput(&output, good)) {
        return false;
    }
    if (good) {
        printf("%s\n", path);
    }
    return good;
}

static bool writeTables(const SpreadStudy* study)
{
    return writeTable(study, "table", spreadWriteTable) && writeTable(study, "bins", spreadWriteBins) &&
           writeTable(study, "tail", spreadWriteTail);
}

int runSpread(const char* folder, int points, int processes, bool alone, volatile sig_atomic_t* stop)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const int count = processes > 0 ? processes : cores > 0 && cores < 1024 ? (int)cores : 1;
    SpreadStudy study = {.folder = folder,
                         .points = points > 0 ? points : POINTS,
                         .processes = count,
                         .threads = count < PBDR_MAX_THREADS ? count : PBDR_MAX_THREADS,
                         .stop = stop,
                         .report = report};
    // references first: their processes are made before the driver has threads of its own
    pbdrError error = {.message = ""};
    StudyEnd end = spreadRun(&study, &error);
    if (end == studyDone && !alone) {
        study.device = benchChooseDevice("study");
        study.worlds = study.device == pbdrGetHostDevice() ? HOST_WORLDS * study.threads : GPU_WORLDS;
        end = spreadRun(&study, &error);
    }
    if (end == studyInterrupted) {
        benchPrintMessage(
            "pbdr study: uncertainty: interrupted; what is done stands in %s/uncertainty.*: the same "
            "command goes on from there\n",
            folder);
        if (study.device != NULL) { // tables of what is done: Sobol's points are spread at any number of them
            writeTables(&study);
        }
        return EXIT_INTERRUPTED;
    }
    if (end == studyBroken) {
        benchPrintMessage("pbdr study: uncertainty: %s\n", error.message);
        return EXIT_FAILED;
    }
    if (alone) {
        return EXIT_OK;
    }
    return writeTables(&study) ? EXIT_OK : EXIT_FAILED;
}
