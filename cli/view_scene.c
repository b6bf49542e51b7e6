// pbdr view SCENE: runs the scene, once for each solver, and notes how to run it again.
#include "view.h"

#include "command.h"
#include "interrupt.h"
#include "names.h"
#include "run_sensors.h"

#include "pbdr/ledger.h"
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Columns of the ledger that a page of stored frames shows; one that runs again has them all from the world itself.
static const char* const shown[] = {"kinetic_J",  "potential_J",   "work_J",
                                    "friction_J", "penetration_m", "contacts"};
#define SHOWN ((int)(sizeof shown / sizeof shown[0]))

static bool describeTrack(const View* view, ViewTrack* track, const pbdrSceneWorld* made)
{
    const pbdrWorld* world = made->world;
    const bool xpbdr = pbdrWorld_GetSolver(world) == pbdr_solverXpbdR;
    snprintf(track->settings, sizeof track->settings, "contact by %s, %s, time step %g s%s%s%s%s",
             pbdrWorld_GetContactKind(world) == pbdr_contactSurface ? "surfaces" : "spheres",
             pbdrWorld_GetPrecision(world) == pbdr_precisionF32 ? "single precision" : "double precision",
             pbdrWorld_GetTimeStep(world), xpbdr ? ", effort " : "",
             xpbdr ? effortNames[pbdrWorld_GetEffort(world)] : "",
             pbdrWorld_HasSleeping(world) ? ", islands at rest sleep" : "",
             view->stored ? ", stored frames" : "");
    track->owners = calloc((size_t)made->idCount + 1, sizeof *track->owners);
    for (int k = 0; track->owners != NULL && k < made->idCount; k++) {
        track->owners[k] = made->owners[k];
    }
    for (int i = 0; i < view->bodyCount; i++) {
        track->centres[i] = pbdrBody_GetRestCentre(world, made->bodies[i]);
    }
    return track->owners != NULL;
}

static int countSensorNumbers(const pbdrSceneFile* scene)
{
    int sum = 0;
    for (int k = 0; k < scene->sensorCount; k++) {
        sum += pbdrCountSensorValues(scene->sensors[k].def.kind);
    }
    return sum;
}

static const char* getSensorUnit(const pbdrSceneFile* scene, const pbdrSceneSensor* sensor)
{
    static const char* const units[] = {"m",   "m/s", "N", "N", "N m", "m/s^2", "rad/s",
                                        "m/s", "N",   "m", "1", "m/s", "rad/s"};
    static const char* const turning[] = {"rad", "rad/s", "N m"};
    const pbdrSensorKind kind = sensor->def.kind;
    const bool hinge = sensor->joint >= 0 && scene->joints[sensor->joint].def.kind == pbdr_jointHinge;
    return kind <= pbdr_sensorJointForce && hinge ? turning[kind] : units[kind];
}

// A curve for each number of each sensor, in their order; they are the track's first ones.
static bool addSensors(const View* view, ViewTrack* track, const pbdrSceneFile* scene)
{
    bool good = true;
    for (int k = 0; k < scene->sensorCount; k++) {
        const int count = pbdrCountSensorValues(scene->sensors[k].def.kind);
        for (int i = 0; good && i < count; i++) {
            char name[96];
            snprintf(name, sizeof name, "sensor %.70s%s [%s]", scene->sensors[k].name,
                     getSensorPart(count, i), getSensorUnit(scene, &scene->sensors[k]));
            good = addCurve(view, track, name) != NULL;
        }
    }
    return good;
}

static void keepSensors(ViewTrack* track, const pbdrSceneWorld* made, int frame)
{
    ViewCurve* curve = track->curves;
    for (int k = 0; k < made->scene->sensorCount; k++) {
        double values[PBDR_SENSOR_VALUES];
        const int count = pbdrSceneWorld_ReadSensor(made, k, values);
        for (int i = 0; i < count; i++, curve++) {
            curve->values[frame] = values[i];
        }
    }
}

static void keepFrame(const View* view, ViewTrack* track, pbdrSceneWorld* made, int frame)
{
    pbdrLedger row;
    const ViewCurve* curves = track->curves + track->curveCount - SHOWN;
    for (int i = 0; i < view->bodyCount; i++) {
        track->poses[frame * view->bodyCount + i] =
            makeViewPose(pbdrBody_GetPose(made->world, made->bodies[i]));
    }
    pbdrWorld_TakeLedger(made->world, &row);
    for (int c = 0; c < SHOWN; c++) {
        curves[c].values[frame] = pbdrLedger_GetValue(&row, pbdrFindLedgerColumn(shown[c]));
    }
}

static int runTrack(const View* view, ViewTrack* track, pbdrSceneWorld* made)
{
    for (int frame = 0; frame < view->frameCount; frame++) {
        const uint32_t flags = frame > 0 ? pbdrSceneWorld_Step(made, view->perFrame) : 0;
        if (!goesOn(view, track, flags, frame)) {
            break;
        }
        keepSensors(track, made, frame);
        if (view->stored) {
            keepFrame(view, track, made, frame);
        } else {
            noteHash(view, track, made->world, frame, frame == view->frameCount - 1);
        }
        for (int i = 0; i < view->bodyCount; i++) {
            noteReach(view, i, pbdrBody_GetPose(made->world, made->bodies[i]).position);
        }
        track->frameCount = frame + 1;
    }
    return isInterrupted() ? EXIT_INTERRUPTED : EXIT_OK;
}

static int addSolver(View* view, const ViewOptions* options, const pbdrSceneFile* scene, const char* name)
{
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    def.contact = (pbdrContactKind)options->contact;
    const char* preset;
    const int solver = findSolver(name, &preset);
    if (solver < 0 || (preset[0] != 0 && strcmp(preset, "spheres") != 0)) {
        benchPrintMessage("pbdr view: --solver %s: wanted pbd, pbd-r, xpbdr or xpbdr:spheres\n", name);
        return EXIT_USAGE;
    }
    def.solver = (pbdrSolver)solver;
    def.contact = preset[0] != 0 ? pbdr_contactSpheres : def.contact;
    def.timeStep = view->timeStep;
    if (options->single && def.solver != pbdr_solverXpbdR) {
        def.precision = pbdr_precisionF32;
    }
    def.iterations = options->iterations > 0 ? options->iterations : def.iterations;
    def.threads = options->threads > 0 ? options->threads : 1;
    def.effort = options->effort >= 0 ? (pbdrEffort)options->effort : def.effort;
    // the others have no sleep, and compute everything
    def.sleeping = (options->sleeping || def.sleeping) && def.solver == pbdr_solverXpbdR;
    pbdrError error;
    pbdrSceneWorld* made = NULL;
    ViewTrack* track = addTrack(view, name);
    if (track == NULL) {
        return failMemory();
    }
    if (pbdrRecordSceneWorld(scene, &def, &options->packing, &track->recipe, &made, &error) !=
        pbdr_statusOk) {
        benchPrintMessage("pbdr view: %s\n", error.message);
        return EXIT_FAILED;
    }
    bool good = describeTrack(view, track, made) && addSensors(view, track, scene) &&
                (!view->stored || reservePoses(view, track));
    for (int c = 0; good && view->stored && c < SHOWN; c++) {
        good = addCurve(view, track, shown[c]) != NULL;
    }
    if (good && view->stored) {
        pbdrWorld_SetLedger(made->world, true);
    }
    const int code = good ? runTrack(view, track, made) : failMemory();
    pbdrDestroySceneWorld(made);
    return code;
}

int viewScene(View* view, const ViewOptions* options, const pbdrSceneFile* scene)
{
    const double duration = options->duration > 0.0 ? options->duration : scene->duration;
    if (!(duration > 0.0)) {
        benchPrintMessage("pbdr view: %s: the scene does not say how long: --duration S is needed\n",
                          scene->path);
        return EXIT_USAGE;
    }
    const char* slash = strrchr(scene->path, '/');
    snprintf(view->title, sizeof view->title, "%s",
             scene->name[0] != 0 ? scene->name
             : slash != NULL     ? slash + 1
                                 : scene->path);
    snprintf(view->source, sizeof view->source, "%s", slash != NULL ? slash + 1 : scene->path);
    view->bodyCount = scene->bodyCount;
    view->bodies = scene->bodies;
    view->meshCount = scene->meshCount;
    view->meshes = scene->meshes;
    view->jointCount = scene->jointCount;
    view->joints = scene->joints;
    view->planeCount = scene->planeCount;
    view->planes = scene->planes;
    view->reach = malloc(((size_t)view->bodyCount + 1) * sizeof *view->reach);
    if (view->reach == NULL) {
        return failMemory();
    }
    for (int i = 0; i < view->bodyCount; i++) {
        view->reach[i] = (ViewReach){{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}};
    }
    view->stored = options->frames;
    view->thinned = 1;
    int code = setViewTimes(view, duration, options->frame,
                            options->timeStep > 0.0 ? options->timeStep : scene->timeStep);
    if (code == EXIT_OK && view->stored) {
        thinFrames(view, options, SHOWN + countSensorNumbers(scene));
    }
    for (int k = 0; code == EXIT_OK && k < options->solverCount; k++) {
        code = addSolver(view, options, scene, options->solvers[k]);
    }
    return code;
}
