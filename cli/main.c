// pbdr: the command line's entry.
#include "command.h"

#include "pbdr/base.h"
#include "text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char* name;
    const char* help;
    int (*run)(int argc, char** argv);
} commands[] = {
    {"bench", "run the benchmark's tests and print a table", commandBench},
    {"run", "simulate a scene out of a file: MJCF, URDF or JSON", commandRun},
    {"view", "a run as a page that shows it and runs it again; pictures and films", commandView},
    {"reference", "the reference trajectory of Test 7", commandReference},
    {"score", "score a trajectory file of any simulator", commandScore},
    {"diff", "the first frame, body and quantity in which two runs part", commandDiff},
    {"pack", "fill a mesh with spheres that weigh right, as a body file", commandPack},
    {"export", "write a test's scene as MJCF, URDF or JSON", commandExport},
    {"study", "remake the paper's figures and table as CSV", commandStudy},
    {"submit-check", "what the folder of an engine for the leaderboard lacks", commandSubmitCheck},
    {"report", "figures, tables and a page of HTML from a study's results", commandReport},
    {"shapes", "set meshes of any shape up, and see that they stay up where they must", commandShapes},
    {"profile", "where the time of a run goes, stage by stage", commandProfile},
    {"info", "what this build and this machine can do", commandInfo},
};

static void printHelp(FILE* file)
{
    fprintf(file,
            "pbdr %s: rigid bodies that touch, and how closely simulators obey physics\n\n"
            "usage: pbdr COMMAND [OPTIONS]\n\n",
            pbdrVersion());
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        fprintf(file, "  %-12s %s\n", commands[k].name, commands[k].help);
    }
    fprintf(
        file,
        "\n  --version  print the version\n  --help     this text; pbdr COMMAND --help for a command's\n");
}

static int runCommand(int argc, char** argv)
{
    if (argc < 2) {
        printHelp(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        printHelp(stdout);
        return EXIT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("pbdr %s\n", pbdrVersion());
        return EXIT_OK;
    }
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++) {
        if (strcmp(commands[k].name, argv[1]) == 0) {
            return commands[k].run(argc - 1, argv + 1);
        }
    }
    benchPrintMessage("pbdr: unknown %s '%s'; see pbdr --help\n", argv[1][0] == '-' ? "option" : "command",
                      argv[1]);
    return EXIT_USAGE;
}

int main(int argc, char** argv)
{
    int code = runCommand(argc, argv);
    // Whatever a command printed must have arrived: a full disk is found out here, once for all of them.
    errno = 0;
    bool lost = fflush(stdout) != 0 || ferror(stdout);
    if (lost && code == EXIT_OK) {
        benchPrintMessage("pbdr: cannot write to standard output: %s\n",
                          errno != 0 ? strerror(errno) : "an earlier write failed");
        code = EXIT_FAILED;
    }
    return code;
}
