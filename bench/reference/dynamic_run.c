// The dynamic model over time: from rest, through sticking, sliding, the corner and the free slide-out, to
// rest.
#include "dynamic.h"
#include "fail.h"

#include <math.h>
#include <string.h>

// The box starts as the quasi-static model moves it. Friction pulls any other motion there within a share
// A/(mu g) of the time passed, so the start is forgotten; what is left is the way to here, A t^2/2.
#define START_TIME 1.0e-5 // [s]
#define REST_SPEED 1.0e-9 // the way left is v^2/(2 mu g) = 1e-19 m [m/s]

#define MAX_MEETINGS 1000 // of rod and box; a few happen

static BenchPushingFrame getFreeFrame(double t, const double* y)
{
    return (BenchPushingFrame){.t = t, .x = y[0], .y = y[1], .theta = y[2], .contact = false};
}

// Sticking if that holds at this state, where the slip is zero; else sliding.
static bool chooseMode(BenchDynamic* d, double t, const double* y)
{
    double rate[BENCH_MAX_STATE], margins[BENCH_MAX_MARGINS];
    d->touch.mode = 0;
    if (!benchGetContactRate(d, t, y, rate, margins)) {
        return false;
    }
    if (d->run->pushing->rodFriction == 0.0 || margins[benchMarginMode] < 0.0) {
        d->touch.mode = d->forces.tangent > 0.0 ? 1 : -1;
    }
    return true;
}

// The quasi-static motion at t, as the state in contact.
static void start(BenchDynamic* d, double t, double* y)
{
    const BenchPushing* p = d->run->pushing;
    BenchContact contact = benchLocateContact(p, &d->touch, 0.0, p->offset);
    BenchPressure even = benchEvenPressure();
    d->touch.mode = benchChooseMode(&d->run->base, &even, &contact);
    BenchPush push = benchPushBox(&d->run->base, &even, &contact, d->touch.mode);
    y[0] = 0.0;
    y[1] = p->offset;
    y[2] = p->rodAcceleration * t * push.twist.w;
    y[3] = p->rodAcceleration * t * push.slip;
}

// False: the rod has left the box.
static bool passEvent(BenchDynamic* d, int event, double t, double* y, bool* tipped)
{
    BenchPushingPath* path = d->run->path;
    const BenchPushing* p = d->run->pushing;
    BenchPushingFrame pose = benchGetTouchingFrame(p, &d->touch, t, y[0], y[1]);
    if (event == benchMarginMode) {
        y[3] = 0.0;
        *tipped = !chooseMode(d, t, y);
        return true;
    }
    if (event == benchMarginPlace && !d->touch.corner && isnan(path->corner.t)) {
        path->corner = pose;
    }
    if (event == benchMarginForce || (!d->touch.corner && p->rodRadius == 0.0)) {
        path->end = pose;
        path->end.contact = false;
        return false;
    }
    benchSwitchPlace(p, &d->touch, y[0], &y[1]);
    if (!benchHoldsContact(d, t, y)) {
        path->end = pose;
        path->end.contact = false;
        return false;
    }
    return true;
}

// Until the rod leaves (*left) or the frames are full.
static pbdrStatus push(BenchDynamic* d, double* t, double* y, bool* left)
{
    BenchPushRun* run = d->run;
    const BenchPushing* p = run->pushing;
    BenchSystem system = {.size = 4,
                          .marginCount = benchContactMargins,
                          .rate = benchGetContactRate,
                          .context = d,
                          .floor = {-1.0e-9, 0.0, 0.0},
                          .tolerance = p->tolerance,
                          .maxStep = p->maxStep};
    double step = 0.01 * *t;
    for (int events = 0; run->nextFrame < run->path->frameCount && events < BENCH_MAX_EVENTS;) {
        double speed = p->rodAcceleration * *t;
        const double scale[4] = {1.0, p->halfSide, speed / p->halfSide, speed};
        memcpy(system.scale, scale, sizeof scale);
        // At the start all rates go with 1/t, and so must the errors' scale.
        int result =
            benchAdvance(&system, t, y, fmin(benchGetFrameTime(run), 2.0 * *t), &step, &run->path->stepCount);
        if (result < benchReachedEnd) {
            return benchFailPush(run, result, *t);
        }
        bool tipped = false;
        if (result == benchReachedEnd) {
            benchRecordFrames(run, *t, benchGetTouchingFrame(p, &d->touch, *t, y[0], y[1]));
        } else if (!passEvent(d, result, *t, y, &tipped)) {
            *left = true;
            return pbdr_statusOk;
        }
        if (tipped) {
            return benchFailPush(run, benchRateFailed, *t);
        }
        events = result == benchReachedEnd ? 0 : events + 1;
    }
    return run->nextFrame == run->path->frameCount ? pbdr_statusOk : benchFailPush(run, benchNoMode, *t);
}

// The slide-out, until the box rests, the frames are full or the rod meets it again (*met). Speeds fall to
// zero in a finite time, along a fixed direction in the end: each stretch takes a part of it.
static pbdrStatus slideOut(BenchDynamic* d, double* t, double* y, bool* met)
{
    BenchPushRun* run = d->run;
    const BenchPushing* p = run->pushing;
    BenchSystem system = {.size = 6,
                          .marginCount = 1,
                          .rate = benchGetFreeRate,
                          .context = d,
                          .floor = {-1.0e-12},
                          .tolerance = p->tolerance,
                          .maxStep = p->maxStep};
    double step = p->maxStep;
    while (run->nextFrame < run->path->frameCount) {
        double speed = sqrt(y[3] * y[3] + y[4] * y[4] + p->halfSide * p->halfSide * y[5] * y[5]);
        if (speed < REST_SPEED) {
            run->path->rest = getFreeFrame(*t, y);
            benchRecordFrames(run, (double)INFINITY, run->path->rest);
            break;
        }
        const double scale[6] = {p->halfSide, p->halfSide, 1.0, speed, speed, speed / p->halfSide};
        memcpy(system.scale, scale, sizeof scale);
        double end = fmin(benchGetFrameTime(run), *t + 0.3 * speed / (p->groundFriction * p->gravity));
        step = fmin(step, end - *t);
        int result = benchAdvance(&system, t, y, end, &step, &run->path->stepCount);
        if (result < benchReachedEnd) {
            return benchFailPush(run, result, *t);
        }
        if (result != benchReachedEnd) {
            *met = true;
            return pbdr_statusOk;
        }
        benchRecordFrames(run, *t, getFreeFrame(*t, y));
    }
    return pbdr_statusOk;
}

pbdrStatus benchRunDynamic(BenchPushRun* run)
{
    const BenchPushing* p = run->pushing;
    BenchDynamic d = {.run = run};
    double t = START_TIME, y[BENCH_MAX_STATE] = {0}, free[BENCH_MAX_STATE];
    benchRecordFrames(run, 0.0, benchGetTouchingFrame(p, &d.touch, 0.0, 0.0, p->offset));
    start(&d, t, y);
    for (int meetings = 0; meetings < MAX_MEETINGS; meetings++) {
        bool left = false, met = false;
        pbdrStatus status = push(&d, &t, y, &left);
        if (status != pbdr_statusOk || !left) {
            return status;
        }
        const BenchPushingFrame* end = &run->path->end;
        free[0] = end->x, free[1] = end->y, free[2] = end->theta;
        benchGetWorldVelocity(&d, t, y, &free[3]);
        status = slideOut(&d, &t, free, &met);
        if (status != pbdr_statusOk || !met) {
            return status;
        }
        if (!benchMeet(&d, t, free, y)) {
            return benchFail(
                run->error, pbdr_statusNotSupported,
                "pushing: at %g s the rod meets another side of the box than the one that it pushed", t);
        }
        run->path->end = run->path->rest; // NaN: not for good
    }
    return benchFailPush(run, benchNoMode, t);
}
