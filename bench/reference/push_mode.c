// Sticking and sliding, after Mason 1986 and Lynch & Mason 1996.
//
// Let P(u) be the least power that moves the contact point with u. It is convex and homogeneous, the force is
// its gradient, so the force's angle psi never falls as the velocity's angle phi grows: there is one phi for
// each edge of the friction cone, and between the two (the motion cone) the contact sticks.
#include "push_mode.h"

#include "roots.h"

#include <math.h>

#define PI 3.14159265358979323846

typedef struct Pin {
    const BenchBase* base;
    const BenchPressure* pressure;
    double qx, qy, ux, uy;
} Pin;

static BenchTwist getTwist(const Pin* pin, double w)
{
    return (BenchTwist){pin->ux + w * pin->qy, pin->uy - w * pin->qx, w};
}

// The load's moment about q: the derivative of the power by w with q's velocity held, so it never falls as w
// grows.
static double getMoment(void* context, double w)
{
    const Pin* pin = context;
    BenchWrench load = benchGetLoad(pin->base, pin->pressure, getTwist(pin, w));
    return load.m - pin->qx * load.y + pin->qy * load.x;
}

BenchTwist benchPin(const BenchBase* base, const BenchPressure* pressure, double qx, double qy, double ux,
                    double uy)
{
    Pin pin = {base, pressure, qx, qy, ux, uy};
    double bound = hypot(ux, uy) / base->a, inner = 0.0, fInner = getMoment(&pin, 0.0);
    if (fInner == 0.0 || bound == 0.0) {
        return getTwist(&pin, 0.0);
    }
    // The zero lies on the side where the moment comes down. Turning fast about q costs more than any push:
    // the bracket ends.
    double side = fInner > 0.0 ? -1.0 : 1.0;
    double outer = side * bound, fOuter = getMoment(&pin, outer);
    for (int k = 0; k < 40 && (fOuter > 0.0) == (fInner > 0.0) && fOuter != 0.0; k++) {
        inner = outer, fInner = fOuter;
        outer *= 4.0;
        fOuter = getMoment(&pin, outer);
    }
    double w = benchFindRoot(getMoment, &pin, inner, fInner, outer, fOuter, 1.0e-18 * bound);
    return getTwist(&pin, w);
}

typedef struct Slide {
    const BenchBase* base;
    const BenchPressure* pressure;
    const BenchContact* contact;
    double psi;       // wanted: angle of the force from the normal
    BenchTwist twist; // of the last call
    BenchWrench load;
} Slide;

static double getForceAngle(BenchWrench load, double normal)
{
    return remainder(atan2(load.y, load.x) - normal, 2.0 * PI);
}

// The force's angle less the wanted one, with the contact moving at speed 1 at the angle phi from the normal.
static double missCone(void* context, double phi)
{
    Slide* slide = context;
    const BenchContact* contact = slide->contact;
    double angle = contact->normal + phi;
    slide->twist = benchPin(slide->base, slide->pressure, contact->qx, contact->qy, cos(angle), sin(angle));
    slide->load = benchGetLoad(slide->base, slide->pressure, slide->twist);
    return remainder(getForceAngle(slide->load, contact->normal) - slide->psi, 2.0 * PI);
}

static BenchPush stick(const BenchBase* base, const BenchPressure* pressure, const BenchContact* contact)
{
    BenchPush push = {.slip = 0.0};
    push.twist = benchPin(base, pressure, contact->qx, contact->qy, contact->ux, contact->uy);
    push.load = benchGetLoad(base, pressure, push.twist);
    push.margin = contact->alpha - fabs(getForceAngle(push.load, contact->normal));
    return push;
}

// The force does work, f.u > 0, so phi is within 90 degrees of psi.
static BenchPush slideAlong(const BenchBase* base, const BenchPressure* pressure, const BenchContact* contact,
                            int mode)
{
    double psi = mode * contact->alpha;
    Slide slide = {.base = base, .pressure = pressure, .contact = contact, .psi = psi};
    double low = psi - 0.5 * PI, high = psi + 0.5 * PI;
    double fLow = missCone(&slide, low), fHigh = missCone(&slide, high);
    double phi = benchFindRoot(missCone, &slide, low, fLow, high, fHigh, 1.0e-15);
    missCone(&slide, phi);

    double nx = cos(contact->normal), ny = sin(contact->normal);
    double along = contact->ux * nx + contact->uy * ny, across = contact->uy * nx - contact->ux * ny;
    double speed = along / cos(phi);
    BenchPush push = {.load = slide.load};
    push.twist = (BenchTwist){speed * slide.twist.x, speed * slide.twist.y, speed * slide.twist.w};
    push.slip = across - along * tan(phi);
    // It slides as long as the rod's velocity is outside the motion cone on this side. Without friction it
    // always does.
    push.margin = contact->alpha > 0.0 ? mode * (atan2(across, along) - phi) : 1.0;
    return push;
}

BenchPush benchPushBox(const BenchBase* base, const BenchPressure* pressure, const BenchContact* contact,
                       int mode)
{
    return mode == 0 ? stick(base, pressure, contact) : slideAlong(base, pressure, contact, mode);
}

int benchChooseMode(const BenchBase* base, const BenchPressure* pressure, const BenchContact* contact)
{
    BenchPush push = stick(base, pressure, contact);
    if (contact->alpha > 0.0 && push.margin >= 0.0) {
        return 0;
    }
    return getForceAngle(push.load, contact->normal) > 0.0 ? 1 : -1;
}
