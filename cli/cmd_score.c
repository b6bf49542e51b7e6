// pbdr score: a trajectory file that any simulator wrote, measured as bench measures its own runs.
#include "chosen_scene.h"
#include "command.h"
#include "options.h"
#include "output.h"

#include "results.h"
#include "score.h"
#include "text.h"

#include <math.h>
#include <string.h>

// A first row further than this from the seed's start is worth a remark: seeds shift the start by 1e-7 m [m,
// rad].
#define START_SLOP 1.0e-6

typedef struct Score {
    ChosenScene chosen;
    const char* path;
    const char *name, *body, *jsonPath;
    double turn;     // NaN: not given [rad]
    double duration; // NaN: all rows [s]
    bool startsFromFile, ofSpheres;
    BenchTrajectory trajectory;
} Score;

// The file's name without folders; the table's column is narrow.
static const char* getBaseName(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash != NULL && slash[1] != 0 ? slash + 1 : path;
}

// Leaves the rows up to the duration that was asked for, and says what is not the test's own.
static int trimRows(Score* score)
{
    BenchTrajectory* trajectory = &score->trajectory;
    double wanted = isnan(score->duration) ? score->chosen.options.duration : score->duration;
    while (!isnan(score->duration) && trajectory->count > 0 &&
           trajectory->rows[trajectory->count - 1].t > wanted + 1.0e-9) {
        trajectory->count--;
    }
    if (trajectory->count < 2) {
        benchPrintMessage("pbdr score: --duration %g: %s has no row in it after the start\n", wanted,
                          score->path);
        return EXIT_FAILED;
    }
    const BenchTrajectoryRow* last = &trajectory->rows[trajectory->count - 1];
    if (last->t / score->chosen.options.timeStep > BENCH_MAX_SUBSTEPS) {
        benchPrintMessage("pbdr score: %s: line %d: t %g: more than %g steps of %g s\n", score->path,
                          last->line, last->t, BENCH_MAX_SUBSTEPS, score->chosen.options.timeStep);
        return EXIT_FAILED;
    }
    if (fabs(last->t - wanted) > 1.0e-6) {
        benchPrintMessage(
            "pbdr score: note: the last row is at %g s, not at %g s; errors are those until then\n", last->t,
            wanted);
    }
    return EXIT_OK;
}

// Test 7's reference is integrated in whole frames: enough of them to reach the last row.
static void setDuration(Score* score)
{
    BenchOptions* o = &score->chosen.options;
    double last = score->trajectory.rows[score->trajectory.count - 1].t;
    double frame = benchGetSubstepsPerFrame(o->timeStep) * o->timeStep;
    o->duration = frame * fmax(1.0, ceil(last / frame - 1.0e-6));
}

// With a seed the reference starts where bench's does. A file that does not start there is charged for it.
static void remarkStart(const Score* score)
{
    const pbdrPose* wanted = &score->chosen.scene.data.bodies[0].start;
    const pbdrPose* first = &score->trajectory.rows[0].pose;
    double gap = hypot(hypot(first->position.x - wanted->position.x, first->position.y - wanted->position.y),
                       first->position.z - wanted->position.z);
    pbdrQuat a = first->rotation, b = wanted->rotation;
    double cosine = fabs(a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z);
    double angle = 2.0 * sqrt(fmax(0.0, 2.0 * (1.0 - cosine))); // small angles: |a - b| is half of them
    if (gap > START_SLOP || angle > START_SLOP) {
        benchPrintMessage(
            "pbdr score: note: the first row is %.2g m and %.2g rad from the start of seed %d, and the "
            "errors contain that; --start-from-file measures from the first row\n",
            gap, angle, score->chosen.seed);
    }
}

static int writeJson(const char* path, const BenchRun* run)
{
    Output output;
    if (path == NULL) {
        return EXIT_OK;
    }
    if (!openOutput(&output, path)) {
        return EXIT_FAILED;
    }
    benchWriteJson(output.file, run, 1);
    return closeOutput(&output, true) ? EXIT_OK : EXIT_FAILED;
}

static int scoreScene(Score* score)
{
    bool fromScene = score->chosen.seed > 0 && !score->startsFromFile;
    BenchSolver solver = {.capabilities = 0};
    snprintf(solver.label, sizeof solver.label, "%s",
             score->name != NULL ? score->name : getBaseName(score->path));
    snprintf(solver.engine, sizeof solver.engine, "%s", getBaseName(score->path));
    benchMakePrintable(solver.label); // a file's name may hold anything
    benchMakePrintable(solver.engine);
    if (fromScene && score->ofSpheres) {
        score->chosen.scene.data.bodies[0].start = score->chosen.scene.data.bodies[0].sphereStart;
    }
    if (fromScene) {
        remarkStart(score);
    }
    BenchRun run;
    pbdrError error;
    if (benchScore(&score->trajectory, score->path, &score->chosen.scene, fromScene, &solver,
                   &score->chosen.options, &run, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr score: %s\n", error.message);
        return EXIT_FAILED;
    }
    benchPrintTable(stdout, &run, 1);
    return writeJson(score->jsonPath, &run);
}

static int execute(Score* score, const BenchTest* test)
{
    pbdrError error;
    if (score->jsonPath != NULL && !probeOutput(score->jsonPath)) {
        return EXIT_FAILED;
    }
    if (benchReadTrajectory(score->path, score->body, &score->trajectory, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr score: %s\n", error.message);
        return EXIT_FAILED;
    }
    int code = trimRows(score);
    if (code == EXIT_OK) {
        setDuration(score);
        code = makeChosenScene(&score->chosen, test, "score");
    }
    if (code == EXIT_OK) {
        code = scoreScene(score);
        freeChosenScene(&score->chosen);
    }
    benchFreeTrajectory(&score->trajectory);
    return code;
}

// What single options cannot say.
static int checkTogether(const Score* score)
{
    if (score->path == NULL) {
        benchPrintMessage("pbdr score: which trajectory? pbdr score --test N FILE\n");
        return EXIT_USAGE;
    }
    if (score->chosen.seed > 0 && !isnan(score->turn)) {
        benchPrintMessage("pbdr score: --turn %g: --seed %d turns the scene already\n", score->turn,
                          score->chosen.seed);
        return EXIT_USAGE;
    }
    return EXIT_OK;
}

int commandScore(int argc, char** argv)
{
    Score score = {.chosen = defaultChosenScene(), .turn = (double)NAN, .duration = (double)NAN};
    const Option table[] = {
        OPTION_ARGUMENT("FILE", "the trajectory: CSV with columns t,px,py,pz,qw,qx,qy,qz[,v.,w.,body]",
                        &score.path),
        CHOSEN_SCENE_OPTIONS(score.chosen, BENCH_LAST_TEST),
        OPTION_DOUBLE("turn", "RAD", "angle of the push, or of downhill, from +x about the vertical (0)",
                      &score.turn, -1e6, 1e6),
        OPTION_SWITCH("start-from-file", "with --seed: measure from the first row, not from the seed's start",
                      &score.startsFromFile),
        OPTION_SWITCH(
            "of-spheres",
            "with --seed: the file is of the body made of spheres, as pbd and pbd-r have it: measure from "
            "the start of their own centre of mass",
            &score.ofSpheres),
        OPTION_TEXT("body", "NAME", "whose rows to score, if the file holds several bodies", &score.body),
        OPTION_ABOVE("duration", "S", "score the rows up to there [s] (all)", &score.duration, 0, 1e6),
        OPTION_TEXT("name", "TEXT", "the solver's name in the results (the file's)", &score.name),
        OPTION_TEXT("json", "FILE", "write the result, schema pbdr-bench/2", &score.jsonPath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("score", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr score --test N FILE [OPTIONS]\n\nScores a trajectory file of any simulator with "
               "the metrics of pbdr bench; defaults in parentheses.\nThe tests and the format: "
               "docs/benchmark.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    int code = checkTogether(&score);
    const BenchTest* test = code == EXIT_OK ? findChosenTest(&score.chosen, "score", &code) : NULL;
    if (test == NULL) {
        return code;
    }
    score.chosen.options.turn = isnan(score.turn) ? 0.0 : score.turn;
    return execute(&score, test);
}
