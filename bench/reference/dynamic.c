// Dynamic pushing: the box has mass M and moment of inertia I = M (2a)^2/6, and slides on when the rod has
// left it.
//
// In contact the state is theta, the contact's place, w and the slip (rod minus box at the contact, along the
// tangent tau). The contact point of the box moves with u - slip tau, which gives the centre's acceleration,
// in the box's axes,
//
//   acc = acc0 - slip' tau + w' (qy, -qx),   acc0 = A x + nu (slip k + w q') + w^2 q
//
// nu being the normal, k the turning rate of nu (w on the face, beta' round the corner), q' the contact's
// drift along the face. Newton and Euler for the force f at q, with friction B = mu M g load under the base:
//
//   M acc = f - B,   I w' = q x f - B_m,    sticking: slip' = 0;  sliding: f = fn (nu + e mu_c tau)
//
// Everything is divided by M. With tilt the centre of pressure (z_p f - h M acc)/(M g) is a fixed point of
// this.
#include "dynamic.h"

#include <math.h>

#define SHIFT_TOLERANCE 1.0e-13 // of the centre of pressure [m]

// What is known of the state before forces are.
typedef struct Kinematics {
    const BenchDynamic* dynamic;
    double w;
    BenchTwist twist;
    bool free;
    // In contact
    int mode;
    double slip;
    double q[2], normal[2], tangent[2], acc0[2];
    // Out
    BenchForces forces;
} Kinematics;

static double cross(const double p[2], const double f[2])
{
    return p[0] * f[1] - p[1] * f[0];
}

static double dot(const double p[2], const double f[2])
{
    return p[0] * f[0] + p[1] * f[1];
}

// Accelerations and contact force for the base's friction b, b[2] its moment.
static void solveForces(Kinematics* k, const double b[3])
{
    const BenchPushing* p = k->dynamic->run->pushing;
    BenchForces* out = &k->forces;
    double inertia = 2.0 / 3.0 * p->halfSide * p->halfSide; // I/M
    const double spin[2] = {k->q[1], -k->q[0]};             // acceleration by w'
    const double f0[2] = {k->acc0[0] + b[0], k->acc0[1] + b[1]};
    *out = (BenchForces){0};
    if (k->free) {
        out->wRate = -b[2] / inertia;
        out->acc[0] = -b[0];
        out->acc[1] = -b[1];
        return;
    }
    if (k->mode == 0) {
        out->wRate = (cross(k->q, f0) - b[2]) / (inertia + dot(k->q, k->q));
        const double f[2] = {f0[0] + out->wRate * spin[0], f0[1] + out->wRate * spin[1]};
        out->normal = dot(f, k->normal);
        out->tangent = dot(f, k->tangent);
    } else {
        double mu = k->mode * p->rodFriction;
        const double edge[2] = {k->normal[0] + mu * k->tangent[0], k->normal[1] + mu * k->tangent[1]};
        double arm = cross(k->q, edge), share = dot(spin, k->normal), fn0 = dot(f0, k->normal);
        // The denominator is above 0 for mu_c < 1.6; beyond, Painleve's paradox.
        out->wRate = (arm * fn0 - b[2]) / (inertia - arm * share);
        out->normal = fn0 + out->wRate * share;
        out->tangent = mu * out->normal;
        out->slipRate = dot(f0, k->tangent) + out->wRate * dot(spin, k->tangent) - out->tangent;
    }
    for (int i = 0; i < 2; i++) {
        out->force[i] = out->normal * k->normal[i] + out->tangent * k->tangent[i];
        out->acc[i] = out->force[i] - b[i];
    }
}

static void applyFriction(Kinematics* k, const BenchPressure* pressure)
{
    const BenchPushing* p = k->dynamic->run->pushing;
    BenchWrench load = benchGetLoad(&k->dynamic->run->base, pressure, k->twist);
    double scale = p->groundFriction * p->gravity;
    const double b[3] = {scale * load.x, scale * load.y, scale * load.m};
    solveForces(k, b);
}

static bool mapShift(void* context, const double shift[2], double image[2])
{
    Kinematics* k = context;
    const BenchPushing* p = k->dynamic->run->pushing;
    BenchPressure pressure;
    if (!benchFindPressure(&k->dynamic->run->base, shift[0], shift[1], &pressure)) {
        return false;
    }
    applyFriction(k, &pressure);
    for (int i = 0; i < 2; i++) {
        image[i] = (p->pushHeight * k->forces.force[i] - p->centreHeight * k->forces.acc[i]) / p->gravity;
    }
    return true;
}

static bool findForces(Kinematics* k)
{
    BenchPushRun* run = k->dynamic->run;
    if (run->pushing->tilt) {
        return benchFindFixedPoint(mapShift, k, &run->shift, SHIFT_TOLERANCE);
    }
    BenchPressure even = benchEvenPressure();
    applyFriction(k, &even);
    return true;
}

// Twist and acc0 for the state (theta, place, w, slip).
static Kinematics describeContact(const BenchDynamic* d, double t, const double* y)
{
    const BenchPushing* p = d->run->pushing;
    BenchContact contact = benchLocateContact(p, &d->touch, y[0], y[1]);
    double speed = p->rodAcceleration * t, w = y[2];
    double slip = d->touch.mode == 0 ? 0.0 : y[3], placeRate = benchGetPlaceRate(p, &d->touch, w, slip);
    Kinematics k = {.dynamic = d, .w = w, .slip = slip, .mode = d->touch.mode};
    k.q[0] = contact.qx, k.q[1] = contact.qy;
    k.normal[0] = cos(contact.normal), k.normal[1] = sin(contact.normal);
    k.tangent[0] = -k.normal[1], k.tangent[1] = k.normal[0];
    k.twist = (BenchTwist){speed * contact.ux - slip * k.tangent[0] + w * contact.qy,
                           speed * contact.uy - slip * k.tangent[1] - w * contact.qx, w};
    double inward = d->touch.corner ? slip * placeRate : slip * w + w * placeRate;
    k.acc0[0] = p->rodAcceleration * contact.ux + inward * k.normal[0] + w * w * contact.qx;
    k.acc0[1] = p->rodAcceleration * contact.uy + inward * k.normal[1] + w * w * contact.qy;
    return k;
}

bool benchGetContactRate(void* context, double t, const double* y, double* rate, double* margins)
{
    BenchDynamic* d = context;
    const BenchPushing* p = d->run->pushing;
    Kinematics k = describeContact(d, t, y);
    if (!findForces(&k)) {
        return false;
    }
    const BenchForces* f = &k.forces;
    rate[0] = k.w;
    rate[1] = benchGetPlaceRate(p, &d->touch, k.w, k.slip);
    rate[2] = f->wRate;
    rate[3] = f->slipRate;
    double force = p->groundFriction * p->gravity; // a unit for margins
    margins[benchMarginForce] = f->normal / force;
    margins[benchMarginPlace] = benchGetPlaceMargin(p, &d->touch, y[0], y[1]);
    margins[benchMarginMode] = d->touch.mode == 0 ? (p->rodFriction * f->normal - fabs(f->tangent)) / force
                               : p->rodFriction == 0.0 ? 1.0
                                                       : d->touch.mode * k.slip / (p->rodAcceleration * t);
    d->forces = *f;
    return true;
}

// With a small tip the turn round the corner would need the rod to pull: the box is left behind at once.
// Tried with the last pressure, as a pull may well have none of its own.
bool benchHoldsContact(BenchDynamic* d, double t, const double* y)
{
    Kinematics k = describeContact(d, t, y);
    BenchPressure pressure = benchEvenPressure();
    if (d->run->pushing->tilt &&
        !benchFindPressure(&d->run->base, d->run->shift.x[0], d->run->shift.x[1], &pressure)) {
        return false;
    }
    applyFriction(&k, &pressure);
    return k.forces.normal >= 0.0;
}

bool benchGetFreeRate(void* context, double t, const double* y, double* rate, double* margins)
{
    BenchDynamic* d = context;
    double c = cos(y[2]), s = sin(y[2]);
    Kinematics k = {.dynamic = d, .w = y[5], .free = true};
    k.twist = (BenchTwist){c * y[3] + s * y[4], -s * y[3] + c * y[4], y[5]};
    if (!findForces(&k)) {
        return false;
    }
    const BenchForces* f = &k.forces;
    rate[0] = y[3];
    rate[1] = y[4];
    rate[2] = y[5];
    rate[3] = c * f->acc[0] - s * f->acc[1];
    rate[4] = s * f->acc[0] + c * f->acc[1];
    rate[5] = f->wRate;
    margins[0] = benchLocateTip(d->run->pushing, t, y).gap / d->run->pushing->halfSide;
    return true;
}

void benchGetWorldVelocity(const BenchDynamic* d, double t, const double* y, double velocity[3])
{
    Kinematics k = describeContact(d, t, y);
    double c = cos(y[0]), s = sin(y[0]);
    velocity[0] = c * k.twist.x - s * k.twist.y;
    velocity[1] = s * k.twist.x + c * k.twist.y;
    velocity[2] = k.w;
}
