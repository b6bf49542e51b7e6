// A replay's parts that all kinds share.
#include "view.h"

#include "command.h"
#include "interrupt.h"
#include "scene.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FRAME 0.01 // [s]
#define HASH_INTERVAL 1.0  // [s] of simulated time
#define MAX_FRAMES 1.0e6
#define BYTES_PER_POSE 20.0 // three floats and four short numbers
#define BASE64 (4.0 / 3.0)

ViewTrack* addTrack(View* view, const char* label)
{
    if (view->trackCount == VIEW_MAX_TRACKS) {
        return NULL;
    }
    ViewTrack* track = &view->tracks[view->trackCount++];
    snprintf(track->label, sizeof track->label, "%s", label);
    const size_t hashes = (size_t)(view->frameCount / view->hashEvery) + 2;
    track->centres = calloc((size_t)view->bodyCount + 1, sizeof *track->centres);
    track->hashes = calloc(hashes, sizeof *track->hashes);
    return track->centres != NULL && track->hashes != NULL ? track : NULL;
}

double* addCurve(const View* view, ViewTrack* track, const char* name)
{
    ViewCurve* curves = realloc(track->curves, ((size_t)track->curveCount + 1) * sizeof *curves);
    if (curves == NULL) {
        return NULL;
    }
    track->curves = curves;
    ViewCurve* curve = &track->curves[track->curveCount];
    curve->values = malloc((size_t)view->frameCount * sizeof *curve->values);
    if (curve->values == NULL) {
        return NULL;
    }
    snprintf(curve->name, sizeof curve->name, "%s", name);
    for (int k = 0; k < view->frameCount; k++) {
        curve->values[k] = (double)NAN;
    }
    track->curveCount++;
    return curve->values;
}

bool reservePoses(const View* view, ViewTrack* track)
{
    track->poses = calloc((size_t)view->frameCount * (size_t)view->bodyCount + 1, sizeof *track->poses);
    return track->poses != NULL;
}

ViewPose makeViewPose(pbdrPose pose)
{
    const pbdrVec3 p = pose.position;
    const pbdrQuat q = pose.rotation;
    return (ViewPose){{(float)p.x, (float)p.y, (float)p.z}, {(float)q.w, (float)q.x, (float)q.y, (float)q.z}};
}

void noteReach(const View* view, int body, pbdrVec3 centre)
{
    if (view->reach != NULL && isfinite(centre.x + centre.y + centre.z)) {
        ViewReach* reach = &view->reach[body];
        reach->lower = (pbdrVec3){fmin(reach->lower.x, centre.x), fmin(reach->lower.y, centre.y),
                                  fmin(reach->lower.z, centre.z)};
        reach->upper = (pbdrVec3){fmax(reach->upper.x, centre.x), fmax(reach->upper.y, centre.y),
                                  fmax(reach->upper.z, centre.z)};
    }
}

void noteHash(const View* view, ViewTrack* track, const pbdrWorld* world, int frame, bool last)
{
    if (frame > 0 && (frame % view->hashEvery == 0 || last)) {
        snprintf(track->hashes[track->hashCount++], 17, "%016llx",
                 (unsigned long long)pbdrWorld_GetHash(world));
    }
}

bool goesOn(const View* view, ViewTrack* track, uint32_t flags, int frame)
{
    if (isInterrupted()) {
        benchPrintMessage("pbdr view: interrupted; nothing was written\n");
        return false;
    }
    if ((flags & pbdr_stepNotFinite) != 0) {
        snprintf(track->problem, sizeof track->problem,
                 "%.90s: a body's state is not finite at t = %g s; the replay ends there", track->label,
                 frame * view->perFrame * view->timeStep);
        benchPrintMessage("pbdr view: %s\n", track->problem);
        return false;
    }
    return true;
}

int failMemory(void)
{
    benchPrintMessage("pbdr view: out of memory\n");
    return EXIT_FAILED;
}

int setViewTimes(View* view, double duration, double frame, double timeStep)
{
    const double length = fmin(frame > 0.0 ? frame : DEFAULT_FRAME, duration);
    view->timeStep = timeStep;
    view->perFrame = (int)fmax(1.0, floor(length / timeStep + 0.5));
    const double frames = floor(duration / (view->perFrame * timeStep) + 0.5);
    if (frames > MAX_FRAMES) {
        benchPrintMessage("pbdr view: %g s in frames of %g s: more than %g frames; --frame S makes fewer\n",
                          duration, view->perFrame * timeStep, MAX_FRAMES);
        return EXIT_USAGE;
    }
    view->frameCount = 1 + (int)fmax(1.0, frames);
    view->hashEvery = (int)fmax(1.0, floor(HASH_INTERVAL / (view->perFrame * timeStep) + 0.5));
    return EXIT_OK;
}

int getThinning(const ViewOptions* options, int trackCount, int bodyCount, int curveCount, int frameCount)
{
    // besides the poses: the time, and a number of each curve
    const double perFrame = BYTES_PER_POSE * bodyCount + (1.0 + curveCount) * sizeof(double);
    const double bytes = BASE64 * perFrame * trackCount * (double)frameCount;
    return (int)fmax(1.0, ceil(bytes / (1.0e6 * options->megabytes)));
}

void thinFrames(View* view, const ViewOptions* options, int curveCount)
{
    view->thinned = getThinning(options, options->solverCount, view->bodyCount, curveCount, view->frameCount);
    view->perFrame *= view->thinned;
    view->frameCount = 1 + (view->frameCount - 1) / view->thinned;
}

void freeView(View* view)
{
    for (int k = 0; k < view->trackCount; k++) {
        ViewTrack* track = &view->tracks[k];
        pbdrRecipe_Free(&track->recipe);
        free(track->owners);
        free(track->hashes);
        free(track->poses);
        free(track->times);
        free(track->centres);
        for (int c = 0; c < track->curveCount; c++) {
            free(track->curves[c].values);
        }
        free(track->curves);
    }
    for (int i = 0; view->ownBodies && i < view->bodyCount; i++) {
        free(view->bodies[i].geoms);
        free((char*)view->bodies[i].name);
    }
    if (view->ownBodies) {
        free(view->bodies);
        free((void*)view->meshes);
        free((void*)view->planes);
    }
    free(view->reference);
    free(view->reach);
    *view = (View){.referenceBody = -1};
}
