// pbdr view: a run as one HTML file that runs it again, or shows its frames; and pictures of it.
#define _POSIX_C_SOURCE 200809L
#include "browser.h"
#include "chosen_scene.h"
#include "command.h"
#include "interrupt.h"
#include "names.h"
#include "options.h"
#include "output.h"
#include "view_runs.h"

#include "text.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Command {
    const char *path, *scenePath, *output, *templatePath, *size;
    bool isRuns; // path is a results file
    ChosenScene chosen;
    int engine, precision;
    ViewOptions options;
    ViewRows rows;
    ViewRun runs[VIEW_MAX_TRACKS];
    ViewFilm film;
    pbdrSceneFile* scene;
    View view;
} Command;

static bool endsWith(const char* path, const char* ending)
{
    const size_t length = strlen(path), size = strlen(ending);
    return length >= size && strcmp(path + length - size, ending) == 0;
}

static bool takeSolver(void* list, const char* part)
{
    ViewOptions* options = list;
    if (options->solverCount == VIEW_MAX_TRACKS) {
        return false;
    }
    snprintf(options->solvers[options->solverCount++], sizeof options->solvers[0], "%s",
             takeSolverName(part));
    return true;
}

static bool parseSolvers(void* value, const char* text, const char** message)
{
    *message = "wanted up to four solvers, such as pbd,pbd-r,xpbdr";
    ((ViewOptions*)value)->solverCount = 0;
    return splitList(text, takeSolver, value);
}

static bool takeRow(void* list, const char* part)
{
    ViewRows* rows = list;
    char* end;
    const long number = strtol(part, &end, 10);
    if (rows->count == VIEW_MAX_TRACKS || *end != 0 || number < 1 || number > INT_MAX) {
        return false;
    }
    rows->numbers[rows->count++] = (int)number;
    return true;
}

static bool parseRows(void* value, const char* text, const char** message)
{
    *message = "wanted up to four rows of the file, such as 1,4 (from 1, without the header)";
    ((ViewRows*)value)->count = 0;
    return splitList(text, takeRow, value);
}

// --- The page ---

static bool isTrajectory(const Command* command)
{
    return command->path != NULL && endsWith(command->path, ".csv") && !command->isRuns;
}

static int loadScene(Command* command, const char* path)
{
    pbdrError error;
    if (pbdrLoadScene(path, NULL, &command->scene, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr view: %s\n", error.message);
        return EXIT_FAILED;
    }
    for (int k = 0; k < command->scene->ignoredCount; k++) {
        benchPrintMessage("pbdr view: %s: warning: %s\n", path, command->scene->ignored[k]);
    }
    return EXIT_OK;
}

static int makeTestView(Command* command)
{
    const ViewOptions* options = &command->options;
    BenchOptions* o = &command->chosen.options;
    o->engine = (pbdrEngine)command->engine;
    o->precision = (BenchPrecision)(command->precision - 1);
    o->contact = (pbdrContactKind)options->contact;
    o->timeStep = o->timeStep > 0.0 ? o->timeStep : PBDR_DEFAULT_TIME_STEP;
    o->iterations = options->iterations > 0 ? options->iterations : o->iterations;
    const BenchTest* test = benchFindTest(command->chosen.number);
    o->timeStep *= test != NULL ? benchGetStepShare(test) : 1.0;
    o->duration = options->duration > 0.0 ? options->duration : test != NULL ? test->duration : o->duration;
    if (command->path != NULL) {
        const int code =
            readRuns(command->path, &command->rows, &command->chosen, &command->options, command->runs);
        if (code != EXIT_OK) {
            return code;
        }
        command->options.runs = command->runs;
        *o = command->runs[0].options;
    }
    const int code = viewTest(&command->view, options, &command->chosen);
    if (command->path != NULL) {
        snprintf(command->view.source, sizeof command->view.source, "%.250s", command->path);
    }
    return code;
}

static int makeView(Command* command)
{
    ViewOptions* options = &command->options;
    if (isTrajectory(command)) {
        const int code = command->scenePath != NULL ? loadScene(command, command->scenePath) : EXIT_OK;
        return code == EXIT_OK ? viewTrajectory(&command->view, options, command->path, command->scene)
                               : code;
    }
    if (options->solverCount == 0 && !command->isRuns) {
        takeSolver(options, "xpbdr");
    }
    if (command->path == NULL || command->isRuns) {
        return makeTestView(command);
    }
    const int code = loadScene(command, command->path);
    options->timeStep = command->chosen.options.timeStep;
    options->single = command->precision == 1;
    return code == EXIT_OK ? viewScene(&command->view, options, command->scene) : code;
}

// Says what was written, so that nobody has to look.
static void describe(const Command* command, const char* path)
{
    const View* view = &command->view;
    FILE* file = fopen(path, "rb");
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : 0;
    if (file != NULL) {
        fclose(file);
    }
    printf("%s: %.0f kB, %d %s, %d %s", path, 1.0e-3 * (double)size, view->bodyCount,
           view->bodyCount == 1 ? "body" : "bodies", view->frameCount,
           view->frameCount == 1 ? "frame" : "frames");
    if (view->stored && view->thinned > 1) {
        printf(" (one of %d was kept to stay within %g MB: --max-size)", view->thinned,
               command->options.megabytes);
    }
    if (!view->stored) {
        int hashes = 0;
        for (int k = 0; k < view->trackCount; k++) {
            hashes += view->tracks[k].hashCount;
        }
        printf("; it runs again and must meet %d %s", hashes, hashes == 1 ? "hash" : "hashes");
    }
    printf("\n");
}

static int writePage(const Command* command, const char* path)
{
    Output output;
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    int code = writeViewPage(&command->view, command->templatePath, output.file);
    if (code == EXIT_OK && isInterrupted()) { // while a trajectory was read, or this was written
        benchPrintMessage("pbdr view: interrupted; nothing was written\n");
        code = EXIT_INTERRUPTED;
    }
    const bool closed = closeOutput(&output, code == EXIT_OK);
    return code == EXIT_OK && !closed ? EXIT_FAILED : code;
}

static int takePictures(const Command* command, const char* page)
{
    const View* view = &command->view;
    const ViewTrack* track = &view->tracks[0];
    ViewFilm film = command->film;
    const double end = track->times != NULL ? track->times[track->frameCount - 1]
                                            : (track->frameCount - 1) * view->perFrame * view->timeStep;
    // a run that breaks off is shown where it did
    const double asked =
        track->times != NULL ? end : (view->frameCount - 1) * view->perFrame * view->timeStep;
    const bool late = film.png != NULL && film.at > asked + 1.0e-9;
    if (late || ((film.gif != NULL || film.mp4 != NULL) && film.from >= asked)) {
        benchPrintMessage("pbdr view: --%s %g: it ends at %g s\n", late ? "at" : "from",
                          late ? film.at : film.from, asked);
        return EXIT_USAGE;
    }
    film.from = fmin(film.from, end);
    film.to = film.to > 0.0 ? fmin(film.to, end) : end;
    return filmPage(page, &film);
}

// Before the work that fills them.
static bool canWrite(const char* page, const ViewFilm* film)
{
    const char* const pictures[] = {film->png, film->gif, film->mp4};
    bool good = probeOutput(page);
    for (size_t k = 0; k < sizeof pictures / sizeof pictures[0]; k++) {
        good = good && (pictures[k] == NULL || probeOutput(pictures[k]));
    }
    return good;
}

static int execute(Command* command)
{
    const ViewFilm* film = &command->film;
    const bool pictures = film->png != NULL || film->gif != NULL || film->mp4 != NULL;
    char scratch[4096] = "";
    const char* page = command->output;
    if (command->templatePath == NULL && findWebFolder() == NULL) { // before the work
        return EXIT_FAILED;
    }
    if (page == NULL && pictures) { // a page of its own, for the pictures alone
        snprintf(scratch, sizeof scratch, "%.4000s/pbdr-view-%ld.html", getScratchFolder(), (long)getpid());
        page = scratch;
    }
    page = page != NULL ? page : "replay.html";
    int code = canWrite(page, film) ? makeView(command) : EXIT_FAILED;
    code = code == EXIT_OK ? writePage(command, page) : code;
    if (code == EXIT_OK && scratch[0] == 0) {
        describe(command, page);
    }
    if (code == EXIT_OK && pictures) {
        code = takePictures(command, page);
    }
    if (scratch[0] != 0) {
        unlink(scratch);
    }
    freeView(&command->view);
    freeChosenScene(&command->chosen);
    pbdrFreeScene(command->scene);
    return code;
}

// What single options cannot say.
static int check(Command* command)
{
    command->isRuns = command->path != NULL && endsWith(command->path, ".csv") && isRunsFile(command->path);
    if (!command->isRuns && (command->path == NULL) == (command->chosen.number == 0)) {
        benchPrintMessage("pbdr view: %s\n",
                          command->path == NULL
                              ? "SCENE, traj.csv, results.csv or --test N is needed"
                              : "SCENE and --test N exclude each other (for a look of traj.csv: --scene)");
        return EXIT_USAGE;
    }
    if (command->rows.count > 0 && !command->isRuns) {
        benchPrintMessage("pbdr view: --row goes with a results file of pbdr study or pbdr bench --csv\n");
        return EXIT_USAGE;
    }
    if (command->scenePath != NULL && !isTrajectory(command)) {
        benchPrintMessage("pbdr view: --scene goes with a trajectory (.csv)\n");
        return EXIT_USAGE;
    }
    if (command->size != NULL &&
        (sscanf(command->size, "%dx%d", &command->film.width, &command->film.height) != 2 ||
         command->film.width < 64 || command->film.width > 8192 || command->film.height < 64 ||
         command->film.height > 8192)) {
        benchPrintMessage("pbdr view: --size %s: wanted WIDTHxHEIGHT in pixels, such as 960x540\n",
                          command->size);
        return EXIT_USAGE;
    }
    if (command->film.to > 0.0 && command->film.to <= command->film.from) {
        benchPrintMessage("pbdr view: --to %g: a film ends after it begins, at --from %g\n", command->film.to,
                          command->film.from);
        return EXIT_USAGE;
    }
    for (const char* c = command->film.query; *c != 0; c++) {
        if (strchr("\"\\ <>", *c) != NULL) {
            benchPrintMessage("pbdr view: --page %s: wanted settings such as look=mesh&bare=1\n",
                              command->film.query);
            return EXIT_USAGE;
        }
    }
    return EXIT_OK;
}

int commandView(int argc, char** argv)
{
    Command command = {.chosen = defaultChosenScene(),
                       .options = {.megabytes = 5.0, .threads = 1, .effort = -1},
                       .film = {.speed = 1.0, .width = 960, .height = 600, .rate = 25, .query = "bare=1"},
                       .view = {.referenceBody = -1}};
    command.chosen.options.timeStep = 0.0;
    ViewOptions* o = &command.options;
    ViewFilm* film = &command.film;
    const Option table[] = {
        OPTION_ARGUMENT("SCENE", "a scene (.json, .xml, .urdf), a trajectory or results (.csv)",
                        &command.path),
        CHOSEN_SCENE_OPTIONS(command.chosen, BENCH_LAST_EXTENDED),
        OPTION_CUSTOM("solver", "LIST", "up to four of pbd, pbd-r, xpbdr, side by side (xpbdr)", o,
                      parseSolvers),
        {.name = "output",
         .letter = 'o',
         .argument = "FILE",
         .help = "the page (replay.html; none if only pictures are asked for)",
         .kind = optionText,
         .value = &command.output},
        OPTION_SWITCH("frames", "store frames in the page, in place of the engine", &o->frames),
        OPTION_ABOVE("max-size", "MB", "that stored frames may take: fewer are kept (5)", &o->megabytes, 0,
                     1000),
        OPTION_CUSTOM("row", "LIST", "up to four runs of a results file (the first of each solver)",
                      &command.rows, parseRows),
        OPTION_TEXT("scene", "FILE", "what the bodies of a trajectory look like", &command.scenePath),
        OPTION_ABOVE("duration", "S", "simulated time [s] (as the scene or the test says)", &o->duration, 0,
                     1e6),
        OPTION_ABOVE("frame", "S", "time between frames [s] (0.01)", &o->frame, 0, 1e6),
        OPTION_CHOICE("engine", "NAME", "of pbd and pbd-r in tests: particle or reduced (auto)",
                      &command.engine, engineNames),
        OPTION_CHOICE("precision", "P", "of pbd and pbd-r: f32 or f64 (auto; scenes f64)", &command.precision,
                      precisionNames),
        OPTION_CHOICE("contact", "NAME", "surface or spheres (surface for xpbdr, else spheres)", &o->contact,
                      contactNames),
        OPTION_INT("iterations", "K", "of pbd and pbd-r in a substep (10)", &o->iterations, 1,
                   PBDR_MAX_ITERATIONS),
        OPTION_CHOICE("effort", "NAME", "of xpbdr in scenes: fast, balanced or exact (as the scene says)",
                      &o->effort, effortNames),
        OPTION_SWITCH("sleep", "of xpbdr in scenes: islands at rest are not computed", &o->sleeping),
        OPTION_INT("threads", "N", "of the native run (1); no bit depends on it", &o->threads, 1,
                   PBDR_MAX_THREADS),
        OPTION_INT("spheres-per-side", "N", "of a scene's boxes and cylinders (4)",
                   &o->packing.spheresPerSide, 1, 1000),
        OPTION_TEXT("png", "FILE", "a picture, by Chromium", &film->png),
        OPTION_DOUBLE("at", "S", "when the picture is taken [s] (0)", &film->at, 0, 1e6),
        OPTION_TEXT("gif", "FILE", "a film, by Chromium and ffmpeg", &film->gif),
        OPTION_TEXT("mp4", "FILE", "the same", &film->mp4),
        OPTION_DOUBLE("from", "S", "where the film begins [s] (0)", &film->from, 0, 1e6),
        OPTION_DOUBLE("to", "S", "where it ends [s] (the end)", &film->to, 0, 1e6),
        OPTION_ABOVE("speed", "X", "simulated seconds per second of film (1)", &film->speed, 0, 1e6),
        OPTION_INT("rate", "N", "pictures per second of film (25)", &film->rate, 1, 120),
        OPTION_TEXT("size", "WxH", "of pictures [pixels] (960x600)", &command.size),
        OPTION_TEXT("page", "SETTINGS", "of the page in pictures, as in its address (bare=1)", &film->query),
        OPTION_TEXT("template", "FILE", "a page to fill in place of the built one", &command.templatePath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("view", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr view SCENE|traj.csv|results.csv|--test N [OPTIONS]\n\nWrites one HTML file that "
               "needs no server "
               "and no network: it runs the scene again in\nthe browser and checks by hashes that it has the "
               "bits of "
               "the native run. With --frames,\nand for trajectories, it shows stored frames. Of a results "
               "file (pbdr "
               "study, make report,\npbdr bench --csv) it runs what the file says again. Defaults in "
               "parentheses; docs/view.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    catchInterrupts("view"); // before a large file is looked into
    const int code = check(&command);
    return code == EXIT_OK ? execute(&command) : code;
}
