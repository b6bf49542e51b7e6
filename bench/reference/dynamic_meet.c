// A box that ran ahead of the rod and is caught up: it happens on slippery ground with a rough rod, before
// the corner.
//
// The impulse J (over M) at q changes the velocity there by K J, K = 1 + n n^T M/I with n = (-qy, qx).
// Inelastic: no velocity is left along the normal; along the tangent none if |Jt| <= mu_c Jn, else J lies on
// the cone's edge. Friction under the base has no impulse.
#include "dynamic.h"

#include <math.h>

BenchTip benchLocateTip(const BenchPushing* p, double t, const double* free)
{
    double a = p->halfSide, c = cos(free[2]), s = sin(free[2]);
    double dx = 0.5 * p->rodAcceleration * t * t - (a + p->rodRadius) - free[0], dy = p->offset - free[1];
    BenchTip tip = {.x = c * dx + s * dy, .y = -s * dx + c * dy};
    double bx = fabs(tip.x) - a, by = fabs(tip.y) - a; // beyond the faces
    tip.gap = hypot(fmax(bx, 0.0), fmax(by, 0.0)) + fmin(fmax(bx, by), 0.0) - p->rodRadius;
    return tip;
}

// The impulse for the rod's velocity relative to the box, both in (normal, tangent) components; returns the
// mode.
static int findImpulse(const double k[3], double mu, const double relative[2], double impulse[2])
{
    double determinant = k[0] * k[2] - k[1] * k[1];
    impulse[0] = (k[2] * relative[0] - k[1] * relative[1]) / determinant;
    impulse[1] = (k[0] * relative[1] - k[1] * relative[0]) / determinant;
    if (mu > 0.0 && fabs(impulse[1]) <= mu * impulse[0]) {
        return 0;
    }
    int mode = impulse[1] > 0.0 ? 1 : -1;
    impulse[0] = relative[0] / (k[0] + mode * mu * k[1]);
    impulse[1] = mode * mu * impulse[0];
    return mode;
}

bool benchMeet(BenchDynamic* d, double t, const double* free, double* y)
{
    const BenchPushing* p = d->run->pushing;
    double a = p->halfSide, inertia = 2.0 / 3.0 * a * a, theta = free[2];
    BenchTip tip = benchLocateTip(p, t, free);
    if (tip.x > -a) {
        return false;
    }
    d->touch = (BenchTouch){.corner = fabs(tip.y) > a, .side = tip.y > 0.0 ? 1 : -1};
    y[0] = theta;
    y[1] = d->touch.corner ? theta + atan2(d->touch.side * a - tip.y, -a - tip.x) : tip.y;
    BenchContact contact = benchLocateContact(p, &d->touch, theta, y[1]);
    double nx = cos(contact.normal), ny = sin(contact.normal), w = free[5];
    double speed = p->rodAcceleration * t, c = cos(theta), s = sin(theta);
    double rx = speed * contact.ux - (c * free[3] + s * free[4] - w * contact.qy);
    double ry = speed * contact.uy - (-s * free[3] + c * free[4] + w * contact.qx);
    const double relative[2] = {nx * rx + ny * ry, nx * ry - ny * rx};
    // q x normal and q x tangent: the arms of the impulse's parts.
    double armN = contact.qx * ny - contact.qy * nx, armT = contact.qx * nx + contact.qy * ny;
    const double k[3] = {1.0 + armN * armN / inertia, armN * armT / inertia, 1.0 + armT * armT / inertia};
    double impulse[2];
    d->touch.mode = findImpulse(k, p->rodFriction, relative, impulse);
    y[2] = w + (armN * impulse[0] + armT * impulse[1]) / inertia;
    y[3] = d->touch.mode == 0 ? 0.0 : relative[1] - k[1] * impulse[0] - k[2] * impulse[1];
    return true;
}
