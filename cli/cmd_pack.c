// pbdr pack: a mesh in, a body of spheres out.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "options.h"
#include "output.h"
#include "pack.h"

#include "runner.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_COUNT 1000
#define DEFAULT_SAMPLES 100000

// --- Ctrl-C ---

// While nothing is written there is nothing to clean up, and some of the work asks nobody whether to go on.
static volatile sig_atomic_t interrupted, writing;

static void onInterrupt(int signal)
{
    (void)signal;
    interrupted = 1;
    if (!writing) {
        _exit(EXIT_INTERRUPTED);
    }
}

static void catchInterrupts(void)
{
    struct sigaction action = {.sa_handler = onInterrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// --- Progress ---

typedef struct Progress {
    bool live; // stderr is a terminal: a line that is overwritten; else a line every few seconds
    pbdrPackStage stage;
    double begun, lastShown; // wall clock [s]
    double begunProcessor;   // processor time [s]
    double* seconds;         // per stage, of processor time
} Progress;

static double getProcessorSeconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void endStage(Progress* progress)
{
    double now = getProcessorSeconds();
    progress->seconds[progress->stage] += now - progress->begunProcessor;
    progress->begunProcessor = now;
}

static void beginStage(Progress* progress, pbdrPackStage stage, const char* name)
{
    endStage(progress);
    progress->stage = stage;
    progress->begun = progress->lastShown = benchGetSeconds();
    if (progress->live) {
        fprintf(stderr, "\r\033[K%s", name);
        fflush(stderr);
    }
}

static bool showProgress(void* context, pbdrPackStage stage, double share)
{
    static const char* const names[] = {"weighing the mesh", "packing", "masses", "measuring the packing"};
    Progress* progress = context;
    if (stage != progress->stage) {
        beginStage(progress, stage, names[stage]);
    }
    double now = benchGetSeconds();
    if (now - progress->lastShown > (progress->live ? 0.1 : 5.0)) {
        progress->lastShown = now;
        double passed = now - progress->begun, left = share > 0.0 ? passed * (1.0 - share) / share : 0.0;
        fprintf(stderr,
                progress->live ? "\r\033[K%s: %3.0f %%, about %.0f s left"
                               : "%s: %.0f %%, about %.0f s left\n",
                names[stage], 100.0 * share, left);
        fflush(stderr);
    }
    return interrupted == 0;
}

// --- The body ---

static int packBody(Pack* pack)
{
    pbdrPackDef def = pbdrDefaultPackDef();
    Progress progress = {.live = isatty(STDERR_FILENO) != 0, .seconds = pack->seconds};
    progress.begun = progress.lastShown = benchGetSeconds();
    progress.begunProcessor = getProcessorSeconds();
    def.source = pack->hull ? pbdr_packHull : pack->wrap ? pbdr_packWrapped : pbdr_packMended;
    def.wrapCell = pack->wrapCell;
    def.maxVolumeError = pack->maxVolumeError > 0.0 ? pack->maxVolumeError : def.maxVolumeError;
    def.size = pack->size;
    def.extent = pack->extent;
    def.scale = pack->scale;
    def.mass = pack->mass;
    def.density = pack->density;
    def.spheres = pack->packing == packingGrid ? pbdr_packGrid : pbdr_packSurface;
    def.count = pack->count;
    def.radius = pack->radius;
    def.meanGap = pack->tolerance;
    def.uniformMasses = pack->masses == massesUniform;
    def.findNormals = pack->contactNormals;
    def.seed = (uint64_t)pack->seed;
    def.sampleCount = pack->samples;
    def.progress = showProgress;
    def.progressContext = &progress;
    int code = makePackBody(pack, &def);
    endStage(&progress);
    if (progress.live) {
        fprintf(stderr, "\r\033[K");
    }
    return code;
}

// --- Output ---

// Both files or, once one has failed, neither that is still open.
static int writeOutputs(Pack* pack)
{
    Output body = {0}, picture = {0};
    pbdrError error = {0};
    pbdrBodyFile file; // borrows
    if (!fillPackFile(pack, &file)) {
        fprintf(stderr, "pbdr pack: %s: %s\n", pack->meshPath, strerror(errno));
        return EXIT_FAILED;
    }
    bool good = pack->outPath == NULL || openOutput(&body, pack->outPath);
    good = good && (pack->picturePath == NULL || openOutput(&picture, pack->picturePath));
    if (good && body.file != NULL && pbdrBodyFile_Write(&file, body.file, &error) != pbdr_statusOk &&
        error.status != pbdr_statusFileNotFound) { // a full disk is closeOutput's to say
        good = failPack(pack->outPath, &error) == EXIT_OK;
    }
    if (good && picture.file != NULL && !drawPackPicture(picture.file, pack)) {
        fprintf(stderr, "pbdr pack: %s: no memory for the picture\n", pack->picturePath);
        good = false;
    }
    if (body.file != NULL) {
        good = closeOutput(&body, good && !interrupted) && good;
    }
    if (picture.file != NULL) {
        good = closeOutput(&picture, good && !interrupted) && good;
    }
    return interrupted ? EXIT_INTERRUPTED : good ? EXIT_OK : EXIT_FAILED;
}

static int execute(Pack* pack)
{
    catchInterrupts();
    writing = 1; // the probe makes a file for a moment
    bool good = (pack->outPath == NULL || probeOutput(pack->outPath)) &&
                (pack->picturePath == NULL || probeOutput(pack->picturePath));
    writing = 0;
    if (interrupted || !good) {
        return interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
    int code = packBody(pack);
    if (code == EXIT_OK) {
        writing = 1;
        code = writeOutputs(pack);
    }
    if (code == EXIT_OK) {
        printPackReport(stdout, pack);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            fprintf(stderr, "pbdr pack: cannot write to standard output\n");
            code = EXIT_FAILED;
        }
        printPackWarnings(stderr, pack);
    }
    pbdrPackedBody_Free(&pack->body);
    return code;
}

// --- Options ---

static bool refuse(const char* text)
{
    fprintf(stderr, "pbdr pack: %s\n", text);
    return false;
}

static bool isBodyFile(const char* path)
{
    size_t length = strlen(path);
    return length >= 5 && strcmp(path + length - 5, ".json") == 0;
}

// What single options cannot say.
static bool checkTogether(Pack* pack)
{
    if (pack->meshPath == NULL) {
        return refuse("which mesh? usage: pbdr pack MESH [OPTIONS]; see pbdr pack --help");
    }
    if (isBodyFile(pack->meshPath)) {
        fprintf(stderr,
                "pbdr pack: %s: this is a body file, not a mesh; to weigh and measure its spheres: pbdr pack "
                "MESH --spheres %s\n",
                pack->meshPath, pack->meshPath);
        return false;
    }
    if ((pack->size > 0.0) + (pack->scale > 0.0) + (pack->extent > 0.0) > 1) {
        return refuse("--size, --scale and --extent: only one of them can hold");
    }
    if ((pack->mass > 0.0) + (pack->density > 0.0) != 1) {
        return refuse(pack->mass > 0.0 ? "--mass and --density: only one of them can hold"
                                       : "--mass M or --density D is needed");
    }
    bool sized = pack->radius > 0.0 || pack->count > 0 || pack->tolerance > 0.0;
    if (pack->spheresPath != NULL && (sized || pack->packing >= 0)) {
        return refuse(
            "--spheres brings its own spheres: --packing, --radius, --count and --tolerance have no "
            "meaning beside it");
    }
    if (pack->hull && (pack->wrap || pack->wrapCell > 0.0)) {
        return refuse("--hull and --wrap: only one of them can be packed");
    }
    pack->wrap = pack->wrap || pack->wrapCell > 0.0;
    pack->packing = pack->packing >= 0 ? pack->packing : packingSurface;
    if (pack->packing == packingGrid && pack->tolerance > 0.0) {
        return refuse("--tolerance: a grid's gap is what its radius makes it; use --radius or --count, or "
                      "--packing surface");
    }
    if (pack->packing == packingGrid && pack->radius > 0.0 && pack->count > 0) {
        return refuse("--radius and --count: only one of them can hold for a grid");
    }
    if (!sized && pack->spheresPath == NULL) {
        pack->count = DEFAULT_COUNT;
    }
    return true;
}

int commandPack(int argc, char** argv)
{
    Pack pack = {.packing = -1, .masses = massesExact, .samples = DEFAULT_SAMPLES};
    pack.seed = 1;
    const Option table[] = {
        OPTION_ARGUMENT(
            "MESH",
            "OBJ, STL, PLY or MSH, damaged ones are mended or refused; or points: XYZ, TXT, PTS, and "
            "PLY with --cloud",
            &pack.meshPath),
        {.name = "output",
         .letter = 'o',
         .argument = "FILE",
         .help = "the body as JSON (none: only the report)",
         .kind = optionText,
         .value = &pack.outPath},
        OPTION_ABOVE("size", "L", "scale each axis to L, lower corner to the origin [m]", &pack.size, 0, 1e5),
        OPTION_ABOVE("extent", "L", "scale evenly, so that the largest extent is L [m]", &pack.extent, 0,
                     1e5),
        OPTION_ABOVE("scale", "S", "scale evenly by S; 0.001 for a file in millimetres (1)", &pack.scale, 0,
                     1e9),
        OPTION_ABOVE("mass", "M", "of the body [kg]", &pack.mass, 0, 1e12),
        OPTION_ABOVE("density", "D", "in place of the mass [kg/m^3]", &pack.density, 0, 1e9),
        OPTION_CHOICE("packing", "NAME",
                      "surface: inside, tangent to the surface; grid: the paper's (surface)", &pack.packing,
                      packingNames),
        OPTION_INT("count", "N", "spheres at most; of a grid about (1000)", &pack.count, 1, 12000000),
        OPTION_ABOVE("radius", "R", "of the spheres; surface: the largest radius [m]", &pack.radius, 0, 1e5),
        OPTION_ABOVE("tolerance", "T", "surface: add spheres until the mean surface gap is T [m]",
                     &pack.tolerance, 0, 1e5),
        OPTION_TEXT("spheres", "FILE", "take the spheres of a body file or MorphIt's JSON instead of packing",
                    &pack.spheresPath),
        OPTION_CHOICE("masses", "NAME",
                      "exact: mass, centre and inertia of the solid; uniform: equal masses (exact)",
                      &pack.masses, massNames),
        OPTION_ABOVE("max-volume-error", "E",
                     "share of the volume that holes and overlaps may leave unknown (0.01)",
                     &pack.maxVolumeError, 0, 100),
        OPTION_SWITCH("wrap", "pack a closed surface about what the mesh winds round: for open meshes",
                      &pack.wrap),
        OPTION_ABOVE("wrap-cell", "C", "of the wrap's grid [m] (1/96 of the largest extent); means --wrap",
                     &pack.wrapCell, 0, 1e5),
        OPTION_SWITCH("hull", "pack the mesh's convex hull", &pack.hull),
        OPTION_SWITCH("cloud", "the file holds points of the surface, with or without normals",
                      &pack.isCloud),
        OPTION_SWITCH("contact-normals", "write the normals of the faces that spheres touch",
                      &pack.contactNormals),
        OPTION_TEXT("picture", "FILE", "draw mesh and spheres side by side as SVG", &pack.picturePath),
        OPTION_INT("seed", "K", "of the surface samples; the same seed gives the same bits (1)", &pack.seed,
                   0, INT_MAX),
        OPTION_INT("samples", "N", "by which the packing is measured (100000)", &pack.samples, 100,
                   100000000),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("pack", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf(
            "usage: pbdr pack MESH [--size L | --extent L | --scale S] (--mass M | --density D) [OPTIONS] -o "
            "body.json\n\n"
            "Fills a mesh with spheres that weigh what it weighs, writes them as JSON (docs/packing.md) and "
            "reports how\nwell they stand for it. Defaults in parentheses.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    return checkTogether(&pack) ? execute(&pack) : EXIT_USAGE;
}
