// pbdr shapes: meshes of any shape, stood, packed, weighed and tried in tests 4 and 6.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "interrupt.h"
#include "options.h"
#include "output.h"

#include "shapes.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_MESHES 256

typedef struct ShapesCommand {
    int meshCount;
    const char* meshes[MAX_MESHES];
    BenchOptions options;
    int seeds, fit;
    bool asRead; // not stood
    double yaw;  // [deg]
    const char *csvPath, *markdownPath;
    // Progress
    int current;
    bool live; // stderr is a terminal
} ShapesCommand;

static const char* const fitNames[] = {"extent", "cube", NULL};

static bool parseMesh(void* value, const char* text, const char** message)
{
    ShapesCommand* command = value;
    if (command->meshCount == MAX_MESHES) {
        *message = "too many meshes";
        return false;
    }
    command->meshes[command->meshCount++] = text;
    return true;
}

static bool showProgress(void* context, double doneShare)
{
    const ShapesCommand* command = context;
    static double lastShown;
    double now = benchGetSeconds();
    if (command->live && now - lastShown > 0.1) {
        lastShown = now;
        fprintf(stderr, "\r\033[K[%d/%d] %s: tests 4 and 6, %3.0f %%", command->current + 1,
                command->meshCount, command->meshes[command->current], 100.0 * doneShare);
        fflush(stderr);
    }
    return !isInterrupted();
}

static void showResult(const ShapesCommand* command, const ShapeResult* result, double seconds)
{
    fprintf(stderr, "%s[%d/%d] %s: ", command->live ? "\r\033[K" : "", command->current + 1,
            command->meshCount, result->name);
    if (result->problem[0] != 0) {
        benchPrintMessage("refused: %s\n", result->problem);
        return;
    }
    benchPrintMessage("%d spheres", result->sphereCount);
    for (int k = 0; k < SHAPE_TEST_COUNT; k++) {
        benchPrintMessage(", test %d %s", benchGetShapeTest(k), benchGetVerdictName(result->runs[k].verdict));
    }
    benchPrintMessage(" (%.1f s)\n", seconds);
}

static void writeMarkdown(FILE* file, const ShapeResult* results, int count)
{
    benchPrintShapes(file, results, count, true);
}

static int writeFile(const char* path, void (*write)(FILE*, const ShapeResult*, int),
                     const ShapeResult* results, int count)
{
    Output output;
    if (path == NULL) {
        return EXIT_OK;
    }
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    write(output.file, results, count);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

// Tries all; exit code as for a table that must not have a shape that did not do what it must.
static int execute(ShapesCommand* command, ShapeResult* results)
{
    command->live = isatty(STDERR_FILENO) != 0;
    catchInterrupts("shapes");
    int bad = 0;
    bool stopped = false;
    for (; command->current < command->meshCount; command->current++) {
        ShapeResult* result = &results[command->current];
        command->options.meshPath = command->meshes[command->current];
        benchPrintMessage("[%d/%d] %s: packing%s", command->current + 1, command->meshCount,
                          command->options.meshPath, command->live ? "" : "\n");
        double begun = benchGetSeconds();
        benchTryShape(&command->options, command->seeds, showProgress, command, result, &stopped);
        stopped = stopped || isInterrupted();
        if (stopped) {
            break;
        }
        showResult(command, result, benchGetSeconds() - begun);
        bad += benchIsShapeBad(result);
    }
    benchPrintShapes(stdout, results, command->current, false);
    if (stopped) {
        benchPrintMessage("\npbdr shapes: interrupted after %d of %d meshes; no file was written\n",
                          command->current, command->meshCount);
        return EXIT_INTERRUPTED;
    }
    int code = writeFile(command->csvPath, benchWriteShapesCsv, results, command->meshCount);
    int markdown = writeFile(command->markdownPath, writeMarkdown, results, command->meshCount);
    if (bad > 0) {
        benchPrintMessage("pbdr shapes: %d of %d meshes were refused or did not do what they must\n", bad,
                          command->meshCount);
        return EXIT_FAILED;
    }
    return code != EXIT_OK ? code : markdown;
}

int commandShapes(int argc, char** argv)
{
    ShapesCommand command = {.options = benchDefaultOptions(), .seeds = 1};
    BenchOptions* o = &command.options;
    o->packing = benchPackingSurface;
    o->masses = benchMassesExact;
    o->count = 801;
    const Option table[] = {
        OPTION_CUSTOM("mesh", "FILE", "a mesh: OBJ, STL or PLY; may be given again", &command, parseMesh),
        OPTION_INT("count", "N", "spheres of each, tangent to its surface (801)", &o->count, 1, 10000000),
        OPTION_CHOICE("fit", "NAME", "scaled to 0.2 m: extent, the largest, or cube, each axis (extent)",
                      &command.fit, fitNames),
        OPTION_SWITCH("as-read", "leave them as the file has them, on no facet in particular",
                      &command.asRead),
        OPTION_DOUBLE("yaw", "DEG",
                      "turn meshes about the vertical, so that another side faces the push [deg] (0)",
                      &command.yaw, -360, 360),
        OPTION_INT("seeds", "K", "runs of each test, each turned, shuffled and shifted by 1e-7 m (1)",
                   &command.seeds, 1, 10000),
        OPTION_ABOVE("duration", "S", "simulated time [s] (10)", &o->duration, 0, 1e6),
        OPTION_ABOVE("dt", "S", "substep [s] (0.001)", &o->timeStep, 0, 1),
        OPTION_DOUBLE("mu", "M", "friction on the ground (0.4)", &o->mu, 0, PBDR_MAX_FRICTION),
        OPTION_TEXT("csv", "FILE", "write a row per mesh, all in SI units", &command.csvPath),
        OPTION_TEXT("markdown", "FILE", "write the table as Markdown", &command.markdownPath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("shapes", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf(
            "usage: pbdr shapes --mesh FILE [--mesh FILE ...] [OPTIONS]\n\n"
            "Sets meshes on the stable facet of their hull that is nearest to the file's z, packs their\n"
            "surface, fits the masses and runs tests 4 and 6 with xpbdr: a body must stay upright iff mu h "
            "is\n"
            "less than its support's reach along the push, and tip iff it is more. Mass and force are the\n"
            "tests' own. Exit code 1 if a mesh is refused or a body does not do what it must.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (command.meshCount == 0) {
        benchPrintMessage("pbdr shapes: --mesh FILE is needed\n");
        return EXIT_USAGE;
    }
    if (benchHasTooManySubsteps(o)) {
        benchPrintMessage("pbdr shapes: --duration %g with --dt %g: more than %g substeps\n", o->duration,
                          o->timeStep, BENCH_MAX_SUBSTEPS);
        return EXIT_USAGE;
    }
    o->fit = command.fit == 0 ? benchFitExtent : benchFitCube;
    o->stand = !command.asRead;
    o->yaw = command.yaw * (acos(-1.0) / 180.0);
    if ((command.csvPath != NULL && !probeOutput(command.csvPath)) ||
        (command.markdownPath != NULL && !probeOutput(command.markdownPath))) {
        return EXIT_FAILED;
    }
    ShapeResult* results = calloc((size_t)command.meshCount, sizeof *results);
    if (results == NULL) {
        benchPrintMessage("pbdr shapes: out of memory for %d meshes\n", command.meshCount);
        return EXIT_FAILED;
    }
    int code = execute(&command, results);
    free(results);
    return code;
}
