// pbdr view --test N: runs a test of the benchmark, once for each solver, with its reference and errors.
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include "chosen_scene.h"
#include "command.h"
#include "interrupt.h"
#include "names.h"
#include "view_runs.h"

#include "metrics.h"
#include "runner.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STORED_NUMBERS (2 + 7) // of a frame besides the bodies' poses: the errors, and the reference's pose

typedef struct Test {
    View* view;
    const ViewOptions* options;
    ChosenScene* chosen;
    const BenchTest* test;
} Test;

// --- What is shown ---

static void describeBody(const pbdrBenchBody* from, int mesh, pbdrSceneBody* body)
{
    pbdrSceneGeom* geom = body->geoms;
    *geom = (pbdrSceneGeom){.name = body->name,
                            .pose.rotation = {1.0, 0.0, 0.0, 0.0},
                            .half = from->halfExtents,
                            .radius = from->radius,
                            .halfLength = from->halfExtents.z,
                            .mesh = mesh};
    body->geomCount = 1;
    body->kind = from->prescribed ? pbdr_bodyKinematic : pbdr_bodyDynamic;
    body->solid.mass = from->mass;
    switch (from->shape) {
    case pbdr_benchBox:
        geom->kind = pbdr_geomBox;
        break;
    case pbdr_benchMesh:
        geom->kind = pbdr_geomMesh;
        break;
    case pbdr_benchRod: // along x: half sizes go to the tips' ends
        geom->kind = pbdr_geomCapsule;
        geom->halfLength = from->halfExtents.x - from->radius;
        geom->pose.rotation = (pbdrQuat){sqrt(0.5), 0.0, sqrt(0.5), 0.0};
        break;
    case pbdr_benchBall:
        geom->kind = pbdr_geomBall;
        break;
    case pbdr_benchCylinder:
        geom->kind = pbdr_geomCylinder;
        break;
    }
}

static bool describeBodies(Test* test)
{
    View* view = test->view;
    const pbdrBenchScene* data = &test->chosen->scene.data;
    const size_t count = (size_t)data->bodyCount;
    pbdrSceneMesh* meshes = calloc(count, sizeof *meshes);
    pbdrScenePlane* plane = calloc(1, sizeof *plane);
    view->bodies = calloc(count, sizeof *view->bodies);
    view->meshes = meshes;
    view->planes = plane;
    view->ownBodies = true;
    if (meshes == NULL || plane == NULL || view->bodies == NULL) {
        return false;
    }
    *plane =
        (pbdrScenePlane){.name = "ground", .normal = data->groundNormal, .friction = data->groundFriction};
    view->planeCount = 1;
    for (size_t k = 0; k < count; k++) {
        const pbdrBenchBody* from = &data->bodies[k];
        pbdrSceneBody* body = &view->bodies[view->bodyCount++];
        char name[64];
        snprintf(name, sizeof name, count > 1 && from->prescribed == false ? "%.40s %zu" : "%.40s",
                 from->name, k + 1);
        body->name = strdup(name);
        body->geoms = calloc(1, sizeof *body->geoms);
        if (body->name == NULL || body->geoms == NULL) {
            return false;
        }
        if (from->shape == pbdr_benchMesh) {
            meshes[view->meshCount].name = "";
            meshes[view->meshCount].mesh = (pbdrMesh){.vertexCount = from->vertexCount,
                                                      .vertices = (pbdrVec3*)from->vertices, // only read
                                                      .triangleCount = from->triangleCount,
                                                      .triangles = (int32_t(*)[3])from->triangles};
        }
        describeBody(from, view->meshCount, body);
        view->meshCount += from->shape == pbdr_benchMesh;
    }
    return true;
}

// --- A run ---

// A simulation of the chosen scene, and what measures it.
typedef struct Run {
    ViewTrack* track;
    void* simulation;
    const pbdrBenchSolver* table;
    BenchMeter meter;
    double *position, *rotation; // curves
} Run;

static void measure(const Test* test, Run* run, int frame, double t)
{
    const View* view = test->view;
    BenchMotion motions[PBDR_BENCH_MAX_BODIES];
    for (int k = 0; k < view->bodyCount; k++) {
        run->table->read(run->simulation, k, &motions[k].pose, &motions[k].velocity);
        run->table->readMomentum(run->simulation, k, &motions[k].momentum);
        if (view->stored) {
            run->track->poses[frame * view->bodyCount + k] = makeViewPose(motions[k].pose);
        }
    }
    if (frame > 0) {
        benchMeasure(&run->meter, t, motions);
    }
    run->position[frame] = run->meter.errors.position.final;
    run->rotation[frame] = run->meter.errors.rotation.final;
    if (view->reference != NULL && run->track == &view->tracks[0]) {
        view->reference[frame] = makeViewPose(benchGetReferencePose(&run->meter, t));
    }
}

static int runFrames(const Test* test, Run* run)
{
    const View* view = test->view;
    ViewTrack* track = run->track;
    const pbdrWorld* world = benchGetWorld(run->simulation);
    for (int frame = 0; frame < view->frameCount; frame++) {
        const double t = frame * view->perFrame * view->timeStep;
        const uint32_t flags = frame > 0 ? run->table->step(run->simulation, view->perFrame) : 0;
        if (!goesOn(view, track, flags, frame)) {
            break;
        }
        measure(test, run, frame, t);
        if (!view->stored) {
            noteHash(view, track, world, frame, frame == view->frameCount - 1);
        }
        track->frameCount = frame + 1;
    }
    return isInterrupted() ? EXIT_INTERRUPTED : EXIT_OK;
}

// The track's first words for people, and whose bodies are whose.
static bool describeTrack(const Test* test, ViewTrack* track, const BenchSolver* solver, pbdrSolver kind)
{
    const pbdrBenchScene* data = &test->chosen->scene.data;
    const BenchOptions* o = &test->chosen->options;
    char engine[64] = "", iterations[32] = ""; // XPBD-R has neither
    if (kind != pbdr_solverXpbdR) {
        snprintf(engine, sizeof engine, "%s engine, ", benchGetEngineName(solver, o));
        snprintf(iterations, sizeof iterations, "%d iterations, ", o->iterations);
    }
    snprintf(track->settings, sizeof track->settings,
             "%d spheres, %s%s precision, %stime step %g s, contact by %s", data->bodies[0].sphereCount, engine,
             o->precision == benchF32 ? "single" : "double", iterations, o->timeStep,
             data->contact == pbdr_contactSurface ? "surfaces" : "spheres");
    track->owners = calloc((size_t)data->bodyCount, sizeof *track->owners);
    for (int k = 0; track->owners != NULL && k < data->bodyCount; k++) {
        track->owners[k] = k;
        track->centres[k] = data->bodies[k].sphereCentre;
    }
    return track->owners != NULL;
}

// To the digits that a results file keeps.
static bool isClose(double a, double b)
{
    return fabs(a - b) <= 1.0e-12 * fmax(fabs(a), fabs(b));
}

static int runSolver(Test* test, const BenchSolver* solver, pbdrSolver kind)
{
    View* view = test->view;
    ChosenScene* chosen = test->chosen;
    pbdrBenchScene data = chosen->scene.data;
    char message[PBDR_BENCH_MESSAGE];
    Run run = {.track = addTrack(view, solver->label), .table = solver->table};
    if (run.track == NULL || !describeTrack(test, run.track, solver, kind) ||
        (run.position = addCurve(view, run.track, "position_error_m")) == NULL ||
        (run.rotation = addCurve(view, run.track, "rotation_error_deg")) == NULL ||
        (view->stored && !reservePoses(view, run.track))) {
        return failMemory();
    }
    data.preset = "";
    run.simulation = benchCreateRecorded(&data, kind, &run.track->recipe, message);
    if (run.simulation == NULL || run.track->recipe.full) {
        benchPrintMessage("pbdr view: %s: %s\n", solver->label,
                          run.simulation == NULL ? message : "out of memory");
        return EXIT_FAILED;
    }
    benchStartMeter(&run.meter, &chosen->scene, (solver->capabilities & pbdr_benchUsesSpheres) != 0);
    const int code = runFrames(test, &run);
    run.table->destroy(run.simulation);
    return code;
}

// A run of a results file must end as the file says: other bits are another build's, or settings that it does not hold.
static void compareWithFile(const View* view, ViewTrack* track, const ViewRun* run)
{
    const int last = track->frameCount - 1;
    const double position = track->curves[0].values[last], rotation = track->curves[1].values[last];
    snprintf(track->label, sizeof track->label, "%s", run->label);
    // where it broke off, or the last frame is not stored, there is nothing to compare
    if (last < view->frameCount - 1 || view->thinned > 1 || isnan(run->position) || isnan(run->rotation)) {
        return;
    }
    if (isClose(position, run->position) && isClose(rotation, run->rotation)) {
        const size_t length = strlen(track->settings);
        snprintf(track->settings + length, sizeof track->settings - length,
                 "; ends %.3g m and %.3g deg off, as the file says", position, rotation);
        return;
    }
    snprintf(
        track->problem, sizeof track->problem,
        "%.60s ends %.9g m and %.9g deg off, but %.9g and %.9g by the file: it is of another version, or of "
        "settings that it does not hold",
        run->label, position, rotation, run->position, run->rotation);
    benchPrintMessage("pbdr view: warning: %s\n", track->problem);
}

// Before the first track: what all share.
static int describeView(Test* test)
{
    View* view = test->view;
    const BenchScene* scene = &test->chosen->scene;
    snprintf(view->title, sizeof view->title, "Test %d: %s", test->test->number, scene->name);
    snprintf(view->source, sizeof view->source, "pbdr view --test %d", test->test->number);
    view->stored = test->options->frames;
    view->thinned = 1;
    if (!describeBodies(test)) {
        return failMemory();
    }
    const BenchOptions* o = &test->chosen->options;
    const int code = setViewTimes(view, o->duration, test->options->frame, o->timeStep);
    if (code == EXIT_OK && view->stored) {
        thinFrames(view, test->options, STORED_NUMBERS);
    }
    if (code == EXIT_OK && scene->test->extended == NULL) {
        view->reference = calloc((size_t)view->frameCount, sizeof *view->reference);
        view->referenceBody = view->reference != NULL ? 0 : -1;
        snprintf(view->referenceName, sizeof view->referenceName, "%s",
                 scene->pushing != NULL ? "quasi-static reference" : "closed form");
    }
    return code;
}

int viewTest(View* view, const ViewOptions* options, ChosenScene* chosen)
{
    const BenchOptions asked = chosen->options;
    int code = EXIT_OK;
    Test test = {.view = view, .options = options, .chosen = chosen};
    test.test = findChosenTest(chosen, "view", &code);
    for (int k = 0; test.test != NULL && code == EXIT_OK && k < options->solverCount; k++) {
        pbdrError error;
        BenchSolver solver;
        if (benchChooseSolver(options->solvers[k], &solver, &error) != pbdr_statusOk) {
            benchPrintMessage("pbdr view: --solver %s: %s\n", options->solvers[k], error.message);
            return EXIT_USAGE;
        }
        const int kind = findSolver(solver.table->name, NULL);
        if (kind < 0) {
            benchPrintMessage("pbdr view: --solver %s: a page can run pbd, pbd-r and xpbdr only; write the "
                              "peer's trajectory (pbdr bench --trajectory) and view that\n",
                              options->solvers[k]);
            return EXIT_USAGE;
        }
        chosen->options =
            benchResolveOptions(&solver, options->runs != NULL ? &options->runs[k].options : &asked);
        if (k > 0) {
            freeChosenScene(chosen);
            chosen->shapes = (BenchShapes){.meshName = ""};
        }
        code = makeChosenScene(chosen, test.test, "view");
        if (code == EXIT_OK && k == 0) {
            code = describeView(&test);
        } else if (code == EXIT_OK && view->meshCount > 0) { // of the scene that was just freed
            ((pbdrSceneMesh*)view->meshes)[0].mesh.vertices =
                (pbdrVec3*)chosen->scene.data.bodies[0].vertices;
            ((pbdrSceneMesh*)view->meshes)[0].mesh.triangles =
                (int32_t(*)[3])chosen->scene.data.bodies[0].triangles;
        }
        code = code == EXIT_OK ? runSolver(&test, &solver, (pbdrSolver)kind) : code;
        if (code == EXIT_OK && options->runs != NULL) {
            compareWithFile(view, &view->tracks[k], &options->runs[k]);
        }
    }
    return code;
}
