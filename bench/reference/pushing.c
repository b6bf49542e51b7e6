// Test 7's reference: parameters, frames, and the geometry of a round tip on a square.
#include "fail.h"
#include "push_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// There is no stiffness there, but roots are found to 1e-15 and loads of a pivoting point thus to
// 1e-15/smoothing.
#define QUASISTATIC_SMOOTHING 1.0e-7

BenchPushing benchDefaultPushing(void)
{
    return (BenchPushing){
        .model = benchPushingQuasistatic,
        .support = benchSupportUniform,
        .pointsPerAxis = 10,
        .halfSide = 0.1,
        .mass = 4.0,
        .gravity = 9.81,
        .groundFriction = 0.4,
        .rodFriction = 0.4,
        .rodRadius = 0.01,
        .offset = 0.02,
        .pushHeight = 0.02,
        .centreHeight = 0.1,
        .rodAcceleration = 0.05,
        .duration = 10.0,
        .frameTime = 0.01,
        .tolerance = 1.0e-10,
        .maxStep = 0.01,
        .smoothing = 1.0e-6,
    };
}

BenchContact benchLocateContact(const BenchPushing* pushing, const BenchTouch* touch, double theta,
                                double place)
{
    double a = pushing->halfSide;
    return (BenchContact){
        .qx = -a,
        .qy = touch->corner ? touch->side * a : place,
        .normal = touch->corner ? place - theta : 0.0,
        .ux = cos(theta),
        .uy = -sin(theta),
        .alpha = atan(pushing->rodFriction),
    };
}

// On the face the tip rolls by r w and slips; round the corner, which keeps its place on the box, it can only
// slip.
double benchGetPlaceRate(const BenchPushing* pushing, const BenchTouch* touch, double w, double slip)
{
    return touch->corner ? -slip / pushing->rodRadius : slip + pushing->rodRadius * w;
}

double benchGetPlaceMargin(const BenchPushing* pushing, const BenchTouch* touch, double theta, double place)
{
    // Beyond the edge at y = +a the normal leans to -y.
    return touch->corner ? -touch->side * (place - theta) : 1.0 - fabs(place) / pushing->halfSide;
}

void benchSwitchPlace(const BenchPushing* pushing, BenchTouch* touch, double theta, double* place)
{
    if (touch->corner) {
        touch->corner = false;
        *place = touch->side * pushing->halfSide;
    } else {
        touch->corner = true;
        touch->side = *place > 0.0 ? 1 : -1;
        *place = theta;
    }
}

BenchPushingFrame benchGetTouchingFrame(const BenchPushing* pushing, const BenchTouch* touch, double t,
                                        double theta, double place)
{
    double a = pushing->halfSide, r = pushing->rodRadius, c = cos(theta), s = sin(theta);
    double x = 0.5 * pushing->rodAcceleration * t * t - (a + r), y = pushing->offset; // of the tip's centre
    if (touch->corner) {
        double qx = -a, qy = touch->side * a;
        x += r * cos(place) - (c * qx - s * qy);
        y += r * sin(place) - (s * qx + c * qy);
    } else {
        x += (a + r) * c + place * s;
        y += (a + r) * s - place * c;
    }
    return (BenchPushingFrame){.t = t, .x = x, .y = y, .theta = theta, .contact = true};
}

double benchGetFrameTime(const BenchPushRun* run)
{
    return run->nextFrame * run->pushing->frameTime;
}

void benchRecordFrames(BenchPushRun* run, double t, BenchPushingFrame pose)
{
    while (run->nextFrame < run->path->frameCount && benchGetFrameTime(run) <= t) {
        pose.t = benchGetFrameTime(run);
        run->path->frames[run->nextFrame++] = pose;
    }
}

pbdrStatus benchFailPush(const BenchPushRun* run, int result, double t)
{
    const BenchPushing* p = run->pushing;
    if (result == benchRateFailed) {
        return benchFail(run->error, pbdr_statusInvalidArgument,
                         "pushing: at %g s no pressure under the base balances the push (height %g m, "
                         "friction %g): the box tips",
                         t, p->pushHeight, p->groundFriction);
    }
    if (result == benchNoMode) {
        return benchFail(run->error, pbdr_statusNotSupported,
                         "pushing: at %g s the contact can neither stick nor slide (friction %g at the rod)",
                         t, p->rodFriction);
    }
    return benchFail(run->error, pbdr_statusInvalidArgument, "pushing: tolerance %g cannot be met at %g s",
                     p->tolerance, t);
}

// A value between bounds; least itself is refused where it is marked.
typedef struct Bound {
    const char* name;
    double value, least, most;
    bool above;
} Bound;

static pbdrStatus checkValues(const BenchPushing* p, pbdrError* error)
{
    const Bound bounds[] = {
        {"halfSide [m]", p->halfSide, 0.0, 1.0e3, true},
        {"mass [kg]", p->mass, 0.0, 1.0e9, true},
        {"gravity [m/s^2]", p->gravity, 0.0, 1.0e3, true},
        {"groundFriction", p->groundFriction, 0.0, 10.0, true},
        {"rodFriction", p->rodFriction, 0.0, 10.0, false},
        {"rodRadius [m]", p->rodRadius, 0.0, p->halfSide, false},
        {"offset [m]", p->offset, -p->halfSide, p->halfSide, true},
        {"pushHeight [m]", p->pushHeight, 0.0, 2.0 * p->halfSide, false},
        {"centreHeight [m]", p->centreHeight, 0.0, 2.0 * p->halfSide, false},
        {"rodAcceleration [m/s^2]", p->rodAcceleration, 0.0, 1.0e3, true},
        {"duration [s]", p->duration, 0.0, 1.0e4, true},
        {"frameTime [s]", p->frameTime, 1.0e-4, p->duration, false},
        {"tolerance", p->tolerance, 1.0e-14, 1.0e-2, false},
        {"maxStep [s]", p->maxStep, 1.0e-6, 1.0e3, false},
        {"smoothing", p->smoothing, 1.0e-8, 1.0e-2, false},
    };
    for (size_t k = 0; k < sizeof bounds / sizeof bounds[0]; k++) {
        const Bound* b = &bounds[k];
        if (!(b->value >= b->least && b->value <= b->most) || (b->above && b->value <= b->least)) {
            return benchFail(error, pbdr_statusInvalidArgument,
                             "pushing: %s: %g must be %s %g and at most %g", b->name, b->value,
                             b->above ? "above" : "at least", b->least, b->most);
        }
    }
    if (p->offset >= p->halfSide) {
        return benchFail(error, pbdr_statusInvalidArgument,
                         "pushing: offset [m]: %g misses the face of half side %g", p->offset, p->halfSide);
    }
    if (p->support == benchSupportPoints && (p->pointsPerAxis < 2 || p->pointsPerAxis > 1000 ||
                                             !(p->pointReach >= 0.0 && p->pointReach <= p->halfSide))) {
        return benchFail(error, pbdr_statusInvalidArgument,
                         "pushing: %d points per axis reaching to %g m: wanted 2 to 1000, within the base",
                         p->pointsPerAxis, p->pointReach);
    }
    if (p->support == benchSupportEllipsoid && p->tilt) {
        return benchFail(error, pbdr_statusInvalidArgument,
                         "pushing: the ellipsoid knows no pressure that could tilt");
    }
    return pbdr_statusOk;
}

static BenchBase makeBase(const BenchPushing* p)
{
    int n = p->pointsPerAxis;
    double reach = p->lattice ? p->halfSide : (n - 1) * p->halfSide / n;
    return (BenchBase){
        .support = p->support,
        .a = p->halfSide,
        .n = n,
        .reach = p->pointReach > 0.0 ? p->pointReach : reach,
        .lattice = p->lattice,
        .smoothing = p->model == benchPushingDynamic ? p->smoothing : QUASISTATIC_SMOOTHING,
    };
}

pbdrStatus benchSolvePushing(const BenchPushing* pushing, BenchPushingPath* path, pbdrError* error)
{
    memset(path, 0, sizeof *path);
    pbdrStatus status = checkValues(pushing, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    const double none = (double)NAN;
    path->corner = path->end = path->rest = (BenchPushingFrame){none, none, none, none, false};
    path->frameCount = (int)nearbyint(pushing->duration / pushing->frameTime) + 1;
    path->frames = calloc((size_t)path->frameCount, sizeof *path->frames);
    if (path->frames == NULL) {
        path->frameCount = 0;
        return benchFail(error, pbdr_statusNoMemory, "pushing: no memory for the frames of %g s",
                         pushing->duration);
    }
    BenchPushRun run = {.pushing = pushing, .base = makeBase(pushing), .path = path, .error = error};
    status = pushing->model == benchPushingDynamic ? benchRunDynamic(&run) : benchRunQuasistatic(&run);
    if (status != pbdr_statusOk) {
        benchFreePushingPath(path);
    }
    return status;
}

void benchFreePushingPath(BenchPushingPath* path)
{
    free(path->frames);
    memset(path, 0, sizeof *path);
}
