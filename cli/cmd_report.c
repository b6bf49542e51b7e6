// pbdr report: figures, tables and one HTML page from the files of pbdr study.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "options.h"
#include "output.h"

#include "pbdr/base.h"
#include "report.h"
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// The seven tests with the paper's solvers and ours, as pbdr view writes them. Exit code.
static int writeReplays(const char* out)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%.3900s/replays", out);
    if ((mkdir(out, 0777) != 0 && errno != EEXIST) || (mkdir(folder, 0777) != 0 && errno != EEXIST)) {
        benchPrintMessage("pbdr report: %s: %s\n", folder, strerror(errno));
        return EXIT_FAILED;
    }
    int code = EXIT_OK;
    for (int test = 1; test <= 7 && code == EXIT_OK; test++) {
        char number[16], path[4200];
        snprintf(number, sizeof number, "%d", test);
        snprintf(path, sizeof path, "%s/test%d.html", folder, test);
        char* arguments[] = {"view", "--test", number, "--solver", "pbd,pbd-r,xpbdr", "--output", path, NULL};
        code = commandView(7, arguments);
    }
    return code;
}

static int writeReport(const char* results, const char* out)
{
    char path[4096], message[2048] = "";
    if (snprintf(path, sizeof path, "%s/report.html", out) >= (int)sizeof path - 64) {
        benchPrintMessage("pbdr report: --out: the name is too long\n");
        return EXIT_FAILED;
    }
    if (mkdir(out, 0777) != 0 && errno != EEXIST) {
        benchPrintMessage("pbdr report: %s: %s\n", out, strerror(errno));
        return EXIT_FAILED;
    }
    Output output;
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    int missing = 0;
    bool made = makeReport(output.file, results, out, pbdrVersion(), &missing, message, sizeof message);
    if (!made) {
        benchPrintMessage("pbdr report: %s\n", message);
    }
    if (!closeOutput(&output, made) || !made) {
        return EXIT_FAILED;
    }
    printf("%s%s\n", path, missing > 0 ? " (with parts missing: it says which)" : "");
    return EXIT_OK;
}

int commandReport(int argc, char** argv)
{
    const char *results = "study-results", *out = "report-out";
    bool replays = false;
    const Option table[] = {
        OPTION_TEXT("results", "DIR", "folder of the files of pbdr study (study-results)", &results),
        OPTION_TEXT("out", "DIR", "folder of the report; made if need be (report-out)", &out),
        OPTION_SWITCH("replays", "with the seven tests as replays (pbdr view), which the page holds",
                      &replays),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("report", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf(
            "usage: pbdr report [OPTIONS]\n\nMakes the paper's figures and tables from the results of pbdr "
            "study: report.html, figures/ and tables/.\nNeeds gnuplot. Defaults in parentheses.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    const int code = replays ? writeReplays(out) : EXIT_OK;
    return code == EXIT_OK ? writeReport(results, out) : code;
}
