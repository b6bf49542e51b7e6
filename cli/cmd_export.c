// pbdr export: a test's scene for another simulator.
#include "chosen_scene.h"
#include "command.h"
#include "options.h"
#include "output.h"

#include "export.h"
#include "text.h"

#include <string.h>

enum { formatMjcf, formatUrdf, formatJson };
static const char* const formatNames[] = {"mjcf", "urdf", "json", NULL};

typedef struct Export {
    ChosenScene chosen;
    int format; // -1: none given
    const char* path;
    char meshPath[4096]; // of the STL beside a URDF; empty: none
} Export;

// The mesh goes beside the output, under its name: dir/test4.urdf has dir/test4.stl.
static int chooseMeshPath(Export* export)
{
    if (export->path == NULL) {
        benchPrintMessage(
            "pbdr export: --format urdf: test %d has a mesh, which is written beside the output as STL: "
            "--output FILE is needed\n",
            export->chosen.number);
        return EXIT_USAGE;
    }
    const char* slash = strrchr(export->path, '/');
    const char* dot = strrchr(slash != NULL ? slash : export->path, '.');
    int stem = (int)(dot != NULL ? (size_t)(dot - export->path) : strlen(export->path));
    int length = snprintf(export->meshPath, sizeof export->meshPath, "%.*s.stl", stem, export->path);
    if (length < 0 || (size_t)length >= sizeof export->meshPath ||
        strcmp(export->meshPath, export->path) == 0) {
        benchPrintMessage("pbdr export: --output %s: no name for the mesh beside it\n", export->path);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

static void writeScene(FILE* file, const Export* export)
{
    const BenchScene* scene = &export->chosen.scene;
    const char* slash = strrchr(export->meshPath, '/');
    switch (export->format) {
    case formatMjcf:
        benchExportMjcf(file, scene);
        break;
    case formatUrdf:
        benchExportUrdf(file, scene, slash != NULL ? slash + 1 : export->meshPath);
        break;
    default:
        benchExportJson(file, scene, &export->chosen.options);
        break;
    }
}

static int writeMesh(const Export* export)
{
    Output output;
    if (export->meshPath[0] == 0) {
        return EXIT_OK;
    }
    if (!openOutput(&output, export->meshPath)) {
        return EXIT_FAILED;
    }
    benchExportStl(output.file, &export->chosen.scene);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

static int writeOutputs(const Export* export)
{
    Output output;
    if (export->path == NULL) {
        writeScene(stdout, export);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            benchPrintMessage("pbdr export: cannot write to standard output\n");
            return EXIT_FAILED;
        }
        return EXIT_OK;
    }
    if (writeMesh(export) != EXIT_OK || !openOutput(&output, export->path)) {
        return EXIT_FAILED;
    }
    writeScene(output.file, export);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

static int execute(Export* export, const BenchTest* test)
{
    int code = EXIT_OK;
    if (export->format == formatUrdf && test->shape == pbdr_benchMesh) {
        code = chooseMeshPath(export);
    }
    if (code == EXIT_OK && export->path != NULL && !probeOutput(export->path)) {
        code = EXIT_FAILED;
    }
    if (code == EXIT_OK) {
        code = makeChosenScene(&export->chosen, test, "export");
    }
    if (code == EXIT_OK) {
        code = writeOutputs(export);
        freeChosenScene(&export->chosen);
    }
    return code;
}

int commandExport(int argc, char** argv)
{
    Export export = {.chosen = defaultChosenScene(), .format = -1};
    const Option table[] = {
        OPTION_CHOICE("format", "NAME", "mjcf (MuJoCo 2.2 to 4.0), urdf or json", &export.format,
                      formatNames),
        {.name = "output",
         .letter = 'o',
         .argument = "FILE",
         .help = "where to (standard output); a URDF's mesh goes beside it as STL",
         .kind = optionText,
         .value = &export.path},
        CHOSEN_SCENE_OPTIONS(export.chosen, BENCH_LAST_TEST),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("export", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr export --test N --format NAME [OPTIONS]\n\nWrites a test's scene for another "
               "simulator; defaults in parentheses.\nThe tests and the formats: docs/benchmark.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (export.format < 0) {
        benchPrintMessage("pbdr export: --format NAME is needed: mjcf, urdf or json\n");
        return EXIT_USAGE;
    }
    int code = EXIT_OK;
    const BenchTest* test = findChosenTest(&export.chosen, "export", &code);
    return test != NULL ? execute(&export, test) : code;
}
