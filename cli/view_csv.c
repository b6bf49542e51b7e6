// pbdr view traj.csv: frames of any simulator's trajectory file, thinned so that the page stays small.
//
// The file is read twice: once for its frames and bodies, once for those frames that are kept. Rows of one time are a
// frame. What is not finite, or not there, is not shown, and the page says so.
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include "command.h"

#include "csv.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BODIES 10000
#define DEFAULT_HALF 0.05 // of a body that nobody describes [m]

enum { TIME, PX, PY, PZ, QW, QX, QY, QZ, NUMBERS, POSITION_ERROR = NUMBERS, ROTATION_ERROR, COLUMNS };
static const char* const columnNames[COLUMNS] = {
    "t", "px", "py", "pz", "qw", "qx", "qy", "qz", "position_error_m", "rotation_error_deg"};

typedef struct Import {
    View* view;
    const char* path;
    CsvReader csv;
    int columns[COLUMNS], bodyColumn; // -1: none
    // First reading
    int frameCount, bodyCount;
    char** names;
    double lastTime;
    long badRows; // with numbers that are not finite
} Import;

static int fail(const Import* import, const char* problem)
{
    benchPrintMessage("pbdr view: %s: %s\n", import->path, problem);
    return EXIT_FAILED;
}

static int failAt(const Import* import, const char* problem)
{
    if (import->csv.line > 0) {
        benchPrintMessage("pbdr view: %s:%d: %s\n", import->path, import->csv.line, problem);
    } else {
        benchPrintMessage("pbdr view: %s: %s\n", import->path, problem);
    }
    return EXIT_FAILED;
}

static int openFile(Import* import)
{
    if (csvOpen(&import->csv, import->path) != csvOk) {
        return failAt(import, import->csv.problem);
    }
    for (int k = 0; k < COLUMNS; k++) {
        import->columns[k] = csvFindColumn(&import->csv, columnNames[k]);
        if (import->columns[k] < 0 && k < NUMBERS) {
            char problem[96];
            snprintf(problem, sizeof problem, "the header has no column '%s'", columnNames[k]);
            return failAt(import, problem);
        }
    }
    import->bodyColumn = csvFindColumn(&import->csv, "body");
    return EXIT_OK;
}

static const char* getName(const Import* import)
{
    return import->bodyColumn >= 0 ? import->csv.cells[import->bodyColumn] : "body";
}

// The body's index, a new one if `add`; -1 where there is none.
static int findBody(Import* import, const char* name, int guess, bool add)
{
    if (guess < import->bodyCount && strcmp(import->names[guess], name) == 0) {
        return guess;
    }
    for (int i = 0; i < import->bodyCount; i++) {
        if (strcmp(import->names[i], name) == 0) {
            return i;
        }
    }
    if (!add || import->bodyCount == MAX_BODIES) {
        return -1;
    }
    char** names = realloc(import->names, ((size_t)import->bodyCount + 1) * sizeof *names);
    import->names = names != NULL ? names : import->names;
    char* copy = names != NULL ? strdup(name) : NULL;
    if (copy == NULL) {
        return -1;
    }
    import->names[import->bodyCount] = copy;
    return import->bodyCount++;
}

// Numbers of the row; false with a message where a cell is none. NaN and infinity are numbers.
static bool readNumbers(const Import* import, double numbers[COLUMNS])
{
    for (int k = 0; k < COLUMNS; k++) {
        numbers[k] = (double)NAN;
        const char* cell = import->columns[k] >= 0 ? import->csv.cells[import->columns[k]] : "";
        if (cell[0] != 0 && !csvParseNumber(cell, &numbers[k])) {
            char problem[160];
            snprintf(problem, sizeof problem, "column '%s': '%.60s' is no number", columnNames[k], cell);
            failAt(import, problem);
            return false;
        }
    }
    if (!isfinite(numbers[TIME])) {
        failAt(import, "column 't': not finite");
        return false;
    }
    return true;
}

static int countAll(Import* import)
{
    double numbers[COLUMNS];
    CsvResult result = csvOk;
    int inFrame = 0, code = openFile(import);
    while (code == EXIT_OK && (result = csvNext(&import->csv)) == csvOk) {
        if (!readNumbers(import, numbers)) {
            code = EXIT_FAILED;
        } else if (findBody(import, getName(import), inFrame, true) < 0) {
            code = failAt(import, "too many bodies, or out of memory");
        } else if (import->frameCount == 0 || numbers[TIME] > import->lastTime) {
            import->frameCount++;
            inFrame = 0;
        } else if (numbers[TIME] < import->lastTime) {
            code = failAt(import, "the time goes back");
        }
        import->lastTime = numbers[TIME];
        inFrame++;
    }
    if (code == EXIT_OK && result != csvEnd) {
        code = failAt(import, import->csv.problem);
    }
    csvClose(&import->csv);
    if (code == EXIT_OK && import->frameCount == 0) {
        code = fail(import, "no rows: there is nothing to show");
    }
    return code;
}

// The scene's body of that name, or the only one that moves where the file has one body too.
static const pbdrSceneBody* findLook(const Import* import, const pbdrSceneFile* scene, const char* name)
{
    const pbdrSceneBody* moving = NULL;
    int movingCount = 0;
    for (int i = 0; scene != NULL && i < scene->bodyCount; i++) {
        if (strcmp(scene->bodies[i].name, name) == 0) {
            return &scene->bodies[i];
        }
        if (scene->bodies[i].kind == pbdr_bodyDynamic) {
            moving = &scene->bodies[i];
            movingCount++;
        }
    }
    return import->bodyCount == 1 && movingCount == 1 ? moving : NULL;
}

static bool addBody(View* view, const char* name, const pbdrSceneBody* look)
{
    const int geomCount = look != NULL ? look->geomCount : 1;
    pbdrSceneBody* body = &view->bodies[view->bodyCount];
    *body = (pbdrSceneBody){.name = strdup(name), .geomCount = geomCount};
    body->geoms = calloc((size_t)geomCount, sizeof *body->geoms);
    view->bodyCount++;
    if (body->name == NULL || body->geoms == NULL) {
        return false;
    }
    if (look != NULL) {
        memcpy(body->geoms, look->geoms, (size_t)geomCount * sizeof *body->geoms);
        body->kind = look->kind;
        body->solid = look->solid;
    } else {
        body->geoms[0] = (pbdrSceneGeom){.name = "",
                                         .kind = pbdr_geomBox,
                                         .pose.rotation = {1.0, 0.0, 0.0, 0.0},
                                         .half = {DEFAULT_HALF, DEFAULT_HALF, DEFAULT_HALF}};
    }
    return true;
}

// Bodies of the file, and those of the scene that stand still.
static bool describeBodies(Import* import, const pbdrSceneFile* scene)
{
    View* view = import->view;
    const size_t room = (size_t)import->bodyCount + (scene != NULL ? (size_t)scene->bodyCount : 0);
    view->bodies = calloc(room, sizeof *view->bodies);
    view->ownBodies = true;
    if (view->bodies == NULL) {
        return false;
    }
    bool good = true;
    for (int i = 0; good && i < import->bodyCount; i++) {
        good = addBody(view, import->names[i], findLook(import, scene, import->names[i]));
    }
    if (scene != NULL && scene->meshCount > 0) {
        pbdrSceneMesh* meshes = calloc((size_t)scene->meshCount, sizeof *meshes);
        good = good && meshes != NULL;
        if (good) {
            memcpy(meshes, scene->meshes, (size_t)scene->meshCount * sizeof *meshes);
            view->meshCount = scene->meshCount;
        }
        view->meshes = meshes;
    }
    if (scene != NULL && scene->planeCount > 0) {
        pbdrScenePlane* planes = calloc((size_t)scene->planeCount, sizeof *planes);
        good = good && planes != NULL;
        if (good) {
            memcpy(planes, scene->planes, (size_t)scene->planeCount * sizeof *planes);
            view->planeCount = scene->planeCount;
        }
        view->planes = planes;
    }
    for (int i = 0; good && scene != NULL && i < scene->bodyCount; i++) {
        if (scene->bodies[i].kind == pbdr_bodyStatic &&
            findBody(import, scene->bodies[i].name, 0, false) < 0) {
            good = addBody(view, scene->bodies[i].name, &scene->bodies[i]);
        }
    }
    return good;
}

static const ViewPose unseen = {{(float)NAN, (float)NAN, (float)NAN}, {1.0f, 0.0f, 0.0f, 0.0f}};

static ViewPose makePose(Import* import, const double n[COLUMNS])
{
    const double length = sqrt(n[QW] * n[QW] + n[QX] * n[QX] + n[QY] * n[QY] + n[QZ] * n[QZ]);
    if (!isfinite(n[PX] + n[PY] + n[PZ]) || !(length > 1.0e-6) || !isfinite(length)) {
        import->badRows++;
        return unseen;
    }
    return (ViewPose){
        {(float)n[PX], (float)n[PY], (float)n[PZ]},
        {(float)(n[QW] / length), (float)(n[QX] / length), (float)(n[QY] / length), (float)(n[QZ] / length)}};
}

// Where bodies that stand still are: the scene says it.
static void placeStatic(const Import* import, const pbdrSceneFile* scene, ViewPose* frame)
{
    const View* view = import->view;
    for (int i = import->bodyCount; i < view->bodyCount; i++) {
        for (int k = 0; k < scene->bodyCount; k++) {
            if (strcmp(scene->bodies[k].name, view->bodies[i].name) == 0) {
                frame[i] = makeViewPose(scene->bodies[k].start);
            }
        }
    }
}

static int keepFrames(Import* import, const pbdrSceneFile* scene, ViewTrack* track, double* errors[2])
{
    const View* view = import->view;
    double numbers[COLUMNS], last = 0.0;
    int row = -1, inFrame = 0, code = openFile(import);
    while (code == EXIT_OK && csvNext(&import->csv) == csvOk) {
        if (!readNumbers(import, numbers)) {
            code = EXIT_FAILED;
            break;
        }
        if (row < 0 || numbers[TIME] > last) {
            row++;
            inFrame = 0;
        }
        last = numbers[TIME];
        const int body = findBody(import, getName(import), inFrame++, false);
        const int frame = row / view->thinned;
        if (row % view->thinned != 0 || frame >= view->frameCount || body < 0) {
            continue;
        }
        ViewPose* poses = track->poses + (size_t)frame * (size_t)view->bodyCount;
        if (track->frameCount == frame) {
            track->times[frame] = numbers[TIME];
            for (int i = 0; i < import->bodyCount; i++) {
                poses[i] = unseen;
            }
            placeStatic(import, scene, poses);
            track->frameCount = frame + 1;
        }
        poses[body] = makePose(import, numbers);
        for (int k = 0; k < 2 && errors[k] != NULL; k++) {
            errors[k][frame] = numbers[POSITION_ERROR + k];
        }
    }
    csvClose(&import->csv);
    return code;
}

static int importFile(Import* import, const ViewOptions* options, const pbdrSceneFile* scene)
{
    View* view = import->view;
    int code = countAll(import);
    if (code != EXIT_OK) {
        return code;
    }
    view->thinned = getThinning(options, 1, import->bodyCount, 2, import->frameCount);
    view->frameCount = (import->frameCount + view->thinned - 1) / view->thinned;
    view->hashEvery = 1;
    if (!describeBodies(import, scene)) {
        return fail(import, "out of memory");
    }
    ViewTrack* track = addTrack(view, "trajectory");
    if (track == NULL || !reservePoses(view, track) ||
        (track->times = calloc((size_t)view->frameCount, sizeof *track->times)) == NULL) {
        return fail(import, "out of memory");
    }
    double* errors[2] = {NULL, NULL};
    if (import->columns[POSITION_ERROR] >= 0) {
        errors[0] = addCurve(view, track, "position_error_m");
        errors[1] = errors[0] != NULL && import->columns[ROTATION_ERROR] >= 0
                        ? addCurve(view, track, "rotation_error_deg")
                        : NULL;
    }
    code = keepFrames(import, scene, track, errors);
    snprintf(track->settings, sizeof track->settings, "stored frames of %.180s", view->source);
    if (import->badRows > 0) {
        snprintf(track->problem, sizeof track->problem,
                 "%ld of the rows shown have numbers that are not finite; these bodies are not drawn there",
                 import->badRows);
        benchPrintMessage("pbdr view: %s: warning: %s\n", import->path, track->problem);
    }
    return code;
}

int viewTrajectory(View* view, const ViewOptions* options, const char* path, const pbdrSceneFile* scene)
{
    const char* slash = strrchr(path, '/');
    snprintf(view->title, sizeof view->title, "%s", slash != NULL ? slash + 1 : path);
    snprintf(view->source, sizeof view->source, "%s", slash != NULL ? slash + 1 : path);
    view->stored = true;
    view->timeStep = 0.0;
    view->perFrame = 1;
    Import work = {.view = view, .path = path};
    const int code = importFile(&work, options, scene);
    for (int i = 0; i < work.bodyCount; i++) {
        free(work.names[i]);
    }
    free(work.names);
    return code;
}
