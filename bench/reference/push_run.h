// What the quasi-static and the dynamic model share: where the rod touches the box, and the path that is
// being filled.
#ifndef PBDR_BENCH_REFERENCE_PUSH_RUN_H
#define PBDR_BENCH_REFERENCE_PUSH_RUN_H

#include "push_mode.h"
#include "roots.h"
#include "stepper.h"

// Where the tip touches. On the face the contact's second variable is s, its place along the face [m]; at an
// edge of the box, seen from above a corner of the square, it is beta: corner - tip's centre = r (cos beta,
// sin beta) [rad].
typedef struct BenchTouch {
    bool corner;
    int side; // +1 or -1: the corner at y = +a or -a
    int mode; // 0 sticks, +1 or -1 slides: sign of the friction along the tangent
} BenchTouch;

typedef struct BenchPushRun {
    const BenchPushing* pushing;
    BenchBase base;
    BenchPushingPath* path;
    pbdrError* error;
    int nextFrame;         // to be recorded
    BenchFixedPoint shift; // centre of pressure [m]; the last one found is the next one's first guess
} BenchPushRun;

// Each fills run->path.
pbdrStatus benchRunQuasistatic(BenchPushRun* run);
pbdrStatus benchRunDynamic(BenchPushRun* run);

// The contact with the rod moving at speed 1 along +x.
BenchContact benchLocateContact(const BenchPushing* pushing, const BenchTouch* touch, double theta,
                                double place);

// Rate of the second variable for the box turning with w and the rod slipping along the tangent.
double benchGetPlaceRate(const BenchPushing* pushing, const BenchTouch* touch, double w, double slip);

// Above 0 while the tip is on the face, or round the corner.
double benchGetPlaceMargin(const BenchPushing* pushing, const BenchTouch* touch, double theta, double place);

// Goes from the face to the corner or back.
void benchSwitchPlace(const BenchPushing* pushing, BenchTouch* touch, double theta, double* place);

// The box's pose while the tip touches it.
BenchPushingFrame benchGetTouchingFrame(const BenchPushing* pushing, const BenchTouch* touch, double t,
                                        double theta, double place);

// Records every frame up to time t with this pose: those at t exactly, or all that are left of a box at rest.
void benchRecordFrames(BenchPushRun* run, double t, BenchPushingFrame pose);
double benchGetFrameTime(const BenchPushRun* run);

// Modes that change more often than this between two frames do not hold at all.
#define BENCH_MAX_EVENTS 100
enum { benchNoMode = benchStepTooSmall - 1 };

// The status for a run that cannot go on at t: result as benchAdvance gave it, or benchNoMode.
pbdrStatus benchFailPush(const BenchPushRun* run, int result, double t);

#endif
