// A replay while it is made: what is shown, and for each run (a track) how to run it again, or its stored frames.
#ifndef PBDR_CLI_VIEW_H
#define PBDR_CLI_VIEW_H

#include "pbdr/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define VIEW_MAX_TRACKS 4

// Numbers over the frames: doubles, a row per frame. NaN where there is none.
typedef struct ViewCurve {
    char name[96]; // with its unit: position_error_m; of a sensor: "sensor NAME.x"
    double* values;
} ViewCurve;

// Where a body is in a stored frame; NaN: it is not shown.
typedef struct ViewPose {
    float position[3]; // of the centre of mass [m]
    float rotation[4]; // w, x, y, z
} ViewPose;

// The box that a body's centre of mass stays in [m].
typedef struct ViewReach {
    pbdrVec3 lower, upper;
} ViewReach;

typedef struct ViewTrack {
    char label[96];     // "pbd-r"
    char settings[256]; // in words, for people
    int frameCount;     // with the start; fewer than the view's where the run broke off
    char problem[256];  // why it did; "" for nothing
    // To run it again
    pbdrRecipe recipe;
    int* owners; // of the recipe's bodies: index into the view's
    int hashCount;
    char (*hashes)[17]; // after every hashEvery frames, and at the end
    // Or stored
    ViewPose* poses;   // frameCount x bodyCount; NULL: none are
    double* times;     // of the frames [s]; NULL: multiples of the frame
    pbdrVec3* centres; // of mass, in the bodies' frames, which their geoms stand in [m]
    int curveCount;
    ViewCurve* curves;
} ViewTrack;

typedef struct View {
    char title[256], source[256];
    double timeStep; // [s]
    int perFrame;    // substeps
    int frameCount;  // with the start
    int hashEvery;   // frames
    bool stored;     // frames, not recipes
    int thinned;     // one frame of so many was kept; 1: all
    // What is shown
    int bodyCount;
    pbdrSceneBody* bodies; // name, kind, geoms, mass
    bool ownBodies;        // to be freed with the view, geoms included
    int meshCount;
    const pbdrSceneMesh* meshes;
    int planeCount;
    const pbdrScenePlane* planes;
    int jointCount;
    const pbdrSceneJoint* joints; // names, in the order of the recipes' joints
    ViewReach* reach;             // of the bodies, of all tracks, for the camera; NULL: not known
    // The reference of a test, as a ghost of one body
    int referenceBody; // -1: none
    char referenceName[96];
    ViewPose* reference; // frameCount
    int trackCount;
    ViewTrack tracks[VIEW_MAX_TRACKS];
} View;

typedef struct ViewOptions {
    double duration, frame, timeStep; // [s]; 0: as the scene says, or 10 ms
    int contact, iterations, threads;
    bool single;   // pbd and pbd-r of scenes in single precision
    int effort;    // of xpbdr in scenes; -1: as the scene says
    bool sleeping; // also if the scene does not say so
    bool frames;
    double megabytes; // that stored frames may take
    pbdrScenePacking packing;
    int solverCount;
    char solvers[VIEW_MAX_TRACKS][96];
    const struct ViewRun*
        runs; // of a results file, one per solver (view_runs.h); NULL: the solvers on the chosen test
} ViewOptions;

// Each fills a view, which freeView gives back whatever came of it. Exit codes; messages are on stderr.
int viewScene(View* view, const ViewOptions* options, const pbdrSceneFile* scene);
struct ChosenScene;
int viewTest(View* view, const ViewOptions* options, struct ChosenScene* chosen);
// scene (may be NULL): what the bodies that the file names look like.
int viewTrajectory(View* view, const ViewOptions* options, const char* path, const pbdrSceneFile* scene);
void freeView(View* view);

// --- Parts of it ---

// One more track; NULL without memory or room.
ViewTrack* addTrack(View* view, const char* label);
// A curve of frameCount doubles, NaN at first; NULL without memory.
double* addCurve(const View* view, ViewTrack* track, const char* name);
// Room for the frames of a track, if they are stored.
bool reservePoses(const View* view, ViewTrack* track);
ViewPose makeViewPose(pbdrPose pose);
// Widens what a body reaches by where it is; nothing without `reach`, or where it is not finite.
void noteReach(const View* view, int body, pbdrVec3 centre);
// Notes the hash if one is due after this frame (or it is the last), for tracks that are run again.
void noteHash(const View* view, ViewTrack* track, const pbdrWorld* world, int frame, bool last);
// After the substeps of a frame: false where the command was interrupted, which is said, or a state is not finite, which
// ends the track and is its problem.
bool goesOn(const View* view, ViewTrack* track, uint32_t flags, int frame);
// Says so; an exit code.
int failMemory(void);
// Frames of so many substeps over the duration; sets timeStep, perFrame, frameCount and hashEvery.
int setViewTimes(View* view, double duration, double frame, double timeStep);
// How many frames of the run go into one that is kept, so that all fit.
int getThinning(const ViewOptions* options, int trackCount, int bodyCount, int curveCount, int frameCount);
// Makes frames of a run that are stored so much longer that all fit; sets thinned, perFrame, frameCount.
void thinFrames(View* view, const ViewOptions* options, int curveCount);

// --- The page ---

// Puts the view into the page's template and writes it. template NULL: the one that make web built. Exit code.
int writeViewPage(const View* view, const char* templatePath, FILE* file);
// The folder of the built pages, or NULL with the reason on stderr.
const char* findWebFolder(void);

// --- Pictures ---

typedef struct ViewFilm {
    const char *png, *gif, *mp4; // where to; NULL: none
    double at;                   // of the picture [s]
    double from, to, speed;      // of the film: simulated time [s]; simulated seconds per second
    int width, height, rate;     // [pixels], frames per second
    const char* query;           // settings of the page, as in its address: "look=mesh&bare=1"
} ViewFilm;
// Opens the page in a headless Chromium and takes the pictures. Exit code.
int filmPage(const char* pagePath, const ViewFilm* film);

#endif
