// Quasi-static pushing: at every instant the rod's force balances the friction under the base.
//
// State: theta and the contact's place (push_run.h). The box's twist follows from the rod's direction alone
// and is as fast as the rod, so the path does not depend on speed or, without tilt, on the ground's friction.
// With tilt the centre of pressure is shift = z_p f/(M g) = z_p mu load, a fixed point.
#include "fail.h"
#include "push_run.h"

#include <math.h>

enum { marginMode, marginPlace, marginPassing, marginCount };

// Of the centre of pressure [m]; a point on which the box pivots knows its load to eight digits only.
#define SHIFT_TOLERANCE 1.0e-14
#define POINT_SHIFT_TOLERANCE 1.0e-10

typedef struct Quasistatic {
    BenchPushRun* run;
    BenchTouch touch;
    // The last push, and what it is asked with
    BenchContact contact;
    BenchPush push;
} Quasistatic;

static bool mapShift(void* context, const double shift[2], double image[2])
{
    Quasistatic* q = context;
    const BenchPushing* p = q->run->pushing;
    BenchPressure pressure;
    if (!benchFindPressure(&q->run->base, shift[0], shift[1], &pressure)) {
        return false;
    }
    q->push = benchPushBox(&q->run->base, &pressure, &q->contact, q->touch.mode);
    image[0] = p->pushHeight * p->groundFriction * q->push.load.x;
    image[1] = p->pushHeight * p->groundFriction * q->push.load.y;
    return true;
}

// The box's motion with the rod at speed 1, into q->push.
static bool findPush(Quasistatic* q, double theta, double place)
{
    q->contact = benchLocateContact(q->run->pushing, &q->touch, theta, place);
    if (q->run->pushing->tilt) {
        bool points = q->run->base.support == benchSupportPoints;
        return benchFindFixedPoint(mapShift, q, &q->run->shift,
                                   points ? POINT_SHIFT_TOLERANCE : SHIFT_TOLERANCE);
    }
    BenchPressure even = benchEvenPressure();
    q->push = benchPushBox(&q->run->base, &even, &q->contact, q->touch.mode);
    return true;
}

static bool getRate(void* context, double t, const double* y, double* rate, double* margins)
{
    Quasistatic* q = context;
    const BenchPushing* p = q->run->pushing;
    if (!findPush(q, y[0], y[1])) {
        return false;
    }
    double speed = p->rodAcceleration * t;
    rate[0] = speed * q->push.twist.w;
    rate[1] = speed * benchGetPlaceRate(p, &q->touch, q->push.twist.w, q->push.slip);
    margins[marginMode] = q->push.margin;
    margins[marginPlace] = benchGetPlaceMargin(p, &q->touch, y[0], y[1]);
    margins[marginPassing] =
        cos(q->contact.normal + y[0]); // the rod moves along the surface, no longer into it
    return true;
}

// The mode at this state: sticking if that holds, else sliding to the side that sticking's force asks for.
static bool chooseMode(Quasistatic* q, double theta, double place)
{
    q->touch.mode = 0;
    if (!findPush(q, theta, place)) {
        return false;
    }
    if (q->run->pushing->rodFriction == 0.0 || q->push.margin < 0.0) {
        double nx = cos(q->contact.normal), ny = sin(q->contact.normal);
        q->touch.mode = q->push.load.y * nx - q->push.load.x * ny > 0.0 ? 1 : -1;
    }
    return true;
}

static void finish(Quasistatic* q, BenchPushingFrame pose)
{
    pose.contact = false;
    q->run->path->end = q->run->path->rest = pose;
    benchRecordFrames(q->run, (double)INFINITY, pose);
}

// Handles what ended the last advance. False: the rod has left the box.
static bool passEvent(Quasistatic* q, int event, double t, double* y, bool* tipped)
{
    BenchPushingPath* path = q->run->path;
    const BenchPushing* p = q->run->pushing;
    BenchPushingFrame pose = benchGetTouchingFrame(p, &q->touch, t, y[0], y[1]);
    if (event == marginMode) {
        // A force on the cone's edge: sticking gives way to sliding on that edge, sliding to sticking.
        if (q->touch.mode != 0) {
            q->touch.mode = 0;
            return true;
        }
        *tipped = !chooseMode(q, y[0], y[1]);
        return true;
    }
    if (event == marginPlace && !q->touch.corner && isnan(path->corner.t)) {
        path->corner = pose;
    }
    if (event == marginPassing || (!q->touch.corner && p->rodRadius == 0.0)) {
        finish(q, pose);
        return false;
    }
    benchSwitchPlace(p, &q->touch, y[0], &y[1]);
    return true;
}

pbdrStatus benchRunQuasistatic(BenchPushRun* run)
{
    const BenchPushing* p = run->pushing;
    Quasistatic q = {.run = run};
    // Point supports jump from sliding to pivoting; there the margin carries the root finder's last digits
    // over the smoothing. A switch that comes late by d moves the path by d^2: the rates agree where modes
    // meet.
    double modeFloor = run->base.support == benchSupportPoints ? -1.0e-6 : -1.0e-9;
    BenchSystem system = {.size = 2,
                          .marginCount = marginCount,
                          .rate = getRate,
                          .context = &q,
                          .scale = {1.0, p->halfSide},
                          .floor = {modeFloor, 0.0, 0.0},
                          .tolerance = p->tolerance,
                          .maxStep = p->maxStep};
    double t = 0.0, y[BENCH_MAX_STATE] = {0.0, p->offset}, step = p->maxStep;
    if (!chooseMode(&q, y[0], y[1])) {
        return benchFailPush(run, benchRateFailed, t);
    }
    benchRecordFrames(run, 0.0, benchGetTouchingFrame(p, &q.touch, 0.0, y[0], y[1]));
    for (int events = 0; run->nextFrame < run->path->frameCount && events < BENCH_MAX_EVENTS;) {
        int result = benchAdvance(&system, &t, y, benchGetFrameTime(run), &step, &run->path->stepCount);
        if (result < benchReachedEnd) {
            return benchFailPush(run, result, t);
        }
        bool tipped = false;
        if (result == benchReachedEnd) {
            benchRecordFrames(run, t, benchGetTouchingFrame(p, &q.touch, t, y[0], y[1]));
        } else if (!passEvent(&q, result, t, y, &tipped)) {
            return pbdr_statusOk;
        }
        if (tipped) {
            return benchFailPush(run, benchRateFailed, t);
        }
        events = result == benchReachedEnd ? 0 : events + 1;
    }
    return run->nextFrame == run->path->frameCount ? pbdr_statusOk : benchFailPush(run, benchNoMode, t);
}
