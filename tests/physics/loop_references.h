// Where Andrews' mechanism (IFToMM A03) and Bricard's (A04) are at a time. Both have one coordinate s, by which closed forms
// place all links, so that with J the inertia that s feels and Q the force along it
//
//   J s'^2/2 grows by Q s',    p = s' sqrt(J):    s' = p/sqrt(J),  p' = Q/sqrt(J)
//
// which Runge and Kutta's method follows. Masses and the places of joints are the suite's (bench/extended/iftomm.c).
#ifndef PBDR_TESTS_LOOP_REFERENCES_H
#define PBDR_TESTS_LOOP_REFERENCES_H

#include "suite_mechanisms.h"
#include "vec.h"

// --- Andrews' mechanism: s is the crank's angle; a point at its end F, and three pairs of bars that meet in knees ---

// Of a plane, with the rate by s: x and z, angles turn x to z.
typedef struct Moving {
    double x, z, dx, dz;
} Moving;

static inline Moving startOf(pbdrVec3 point)
{
    return (Moving){point.x, point.z, 0.0, 0.0};
}

// The knee of bars from p and q, as long and on the side as at the start, where it was at knee0: a circle about each.
static inline Moving bend(Moving p, Moving q, Moving p0, Moving q0, Moving knee0)
{
    const double a = hypot(knee0.x - p0.x, knee0.z - p0.z), b = hypot(knee0.x - q0.x, knee0.z - q0.z);
    const double side = (q0.x - p0.x) * (knee0.z - p0.z) - (q0.z - p0.z) * (knee0.x - p0.x);
    const double wx = q.x - p.x, wz = q.z - p.z, length = hypot(wx, wz);
    const double along = (a * a - b * b + length * length) / (2.0 * length);
    const double across = copysign(sqrt(a * a - along * along), side);
    Moving knee = {p.x + (along * wx - across * wz) / length, p.z + (along * wz + across * wx) / length, 0.0,
                   0.0};
    // bars keep their lengths: (knee' - p').(knee - p) = 0, (knee' - q').(knee - q) = 0
    const double ux = knee.x - p.x, uz = knee.z - p.z, vx = knee.x - q.x, vz = knee.z - q.z;
    const double first = p.dx * ux + p.dz * uz, second = q.dx * vx + q.dz * vz, bottom = ux * vz - uz * vx;
    knee.dx = (first * vz - second * uz) / bottom;
    knee.dz = (second * ux - first * vx) / bottom;
    return knee;
}

// A point of a body, of which p and q are known, by where all were at the start.
static inline Moving carry(Moving p, Moving q, Moving p0, Moving q0, pbdrVec3 point)
{
    const double x0 = q0.x - p0.x, z0 = q0.z - p0.z, square = x0 * x0 + z0 * z0;
    const double c = ((q.x - p.x) * x0 + (q.z - p.z) * z0) / square,
                 s = ((q.z - p.z) * x0 - (q.x - p.x) * z0) / square;
    const double rate = ((q.x - p.x) * (q.dz - p.dz) - (q.z - p.z) * (q.dx - p.dx)) / square;
    const double x = c * (point.x - p0.x) - s * (point.z - p0.z),
                 z = s * (point.x - p0.x) + c * (point.z - p0.z);
    return (Moving){p.x + x, p.z + z, p.dx - rate * z, p.dz + rate * x};
}

// Inertia and force of the crank's angle.
static inline void weighAndrews(double angle, double* inertia, double* force)
{
    // pins of each body: known points, by their number in at[]
    enum { origin, pinF, kneeE, baseB, kneeG, baseA, kneeH, points };
    static const int pins[7][2] = {{origin, pinF}, {pinF, kneeE}, {baseB, kneeE}, {kneeG, kneeE},
                                   {baseA, kneeG}, {kneeH, kneeE}, {baseA, kneeH}};
    static const int hinges[points] = {0, 1, 2, 5, 6, 7, 8};
    pbdrBenchJoint joints[PBDR_BENCH_MAX_JOINTS];
    benchListAndrews(joints);
    Moving start[points], at[points];
    for (int k = 0; k < points; k++) {
        start[k] = at[k] = startOf(joints[hinges[k]].points[0]);
    }
    const double turn = angle - BENCH_ANDREWS_START;
    const double x = start[pinF].x * cos(turn) - start[pinF].z * sin(turn),
                 z = start[pinF].x * sin(turn) + start[pinF].z * cos(turn);
    at[pinF] = (Moving){x, z, -z, x};
    at[kneeE] = bend(at[pinF], at[baseB], start[pinF], start[baseB], start[kneeE]);
    at[kneeG] = bend(at[kneeE], at[baseA], start[kneeE], start[baseA], start[kneeG]);
    at[kneeH] = bend(at[kneeE], at[baseA], start[kneeE], start[baseA], start[kneeH]);
    *inertia = *force = 0.0;
    for (int k = 0; k < 7; k++) {
        const int p = pins[k][0], q = pins[k][1];
        BenchLink link;
        benchPlaceAndrews(k, &link);
        const Moving centre = carry(at[p], at[q], start[p], start[q], link.at.pose.position);
        const double ux = at[q].x - at[p].x, uz = at[q].z - at[p].z;
        const double rate = (ux * (at[q].dz - at[p].dz) - uz * (at[q].dx - at[p].dx)) / (ux * ux + uz * uz);
        *inertia += link.mass * (centre.dx * centre.dx + centre.dz * centre.dz) + link.moments.y * rate * rate;
        *force -= link.torque.y * rate; // angles turn about -y
    }
    const pbdrBenchJoint* spring = &joints[10];
    const Moving end = carry(at[baseB], at[kneeE], start[baseB], start[kneeE], spring->points[1]);
    const double sx = end.x - spring->points[0].x, sz = end.z - spring->points[0].z, length = hypot(sx, sz);
    *force -= spring->stiffness * (length - spring->length) * (sx * end.dx + sz * end.dz) / length;
}

static void getAndrewsRates(const double* state, double* rates)
{
    double inertia, force;
    weighAndrews(state[0], &inertia, &force);
    rates[0] = state[1] / sqrt(inertia);
    rates[1] = force / sqrt(inertia);
}

// From state[0] = BENCH_ANDREWS_START, state[1] = 0 at the start. Half the step changes the angle by less than 1e-10 rad.
static inline void followAndrews(double duration, double state[2])
{
    benchIntegrate(getAndrewsRates, 2, 5.0e-6, duration, state);
}

// --- Bricard's mechanism ---

// Its hinges turn alternately by q and r with (1 + sin q)(1 + sin r) = 1, which is a closed curve:
//
//   q = pi/2 - 2 asin sqrt(1 - exp(-2 ln 2 x^2)),  x = sin((pi/2 - s)/2);    r likewise with -s
//
// where the root has the sign of x.
static inline double turnBricard(double s, double side, double* rate)
{
    const double half = 0.5 * (0.5 * BENCH_PI - side * s), k = 2.0 * log(2.0), x = sin(half),
                 dx = -0.5 * side * cos(half);
    // sqrt(1 - exp(-k x^2))/|x|, which goes to sqrt(k)
    const double root = x != 0.0 ? sqrt(-expm1(-k * x * x)) / fabs(x) : sqrt(k);
    *rate = -2.0 * k * dx * exp(-0.5 * k * x * x) / root;
    return 0.5 * BENCH_PI - 2.0 * asin(x * root);
}

typedef struct Bricard {
    pbdrVec3 corner;          // the third, P3
    double inertia, force;    // of s
    double openPlace, openTurn; // how far the loop is from being closed, which it always is
} Bricard;

static inline Bricard placeBricard(double s)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    pbdrBenchJoint joints[PBDR_BENCH_MAX_JOINTS];
    const int hinges = benchListBricard(joints);
    Bricard found = {.inertia = 0.0};
    // of the link before the hinge: x -> turn x + way, and its velocity by s, flow + spin x x
    pbdrQuat turn = {1.0, 0.0, 0.0, 0.0};
    pbdrVec3 way = none, flow = none, spin = none;
    for (int k = 0; k < hinges; k++) {
        double rate;
        const double angle = turnBricard(s, k % 2 == 0 ? 1.0 : -1.0, &rate);
        pbdrMat3 r = pbdrMatFromQuat(turn);
        const pbdrVec3 point = pbdrAdd(pbdrMulMV(&r, joints[k].points[0]), way),
                       axis = pbdrMulMV(&r, joints[k].axis);
        spin = pbdrAddScaled(spin, rate, axis);
        flow = pbdrAddScaled(flow, -rate, pbdrCross(axis, point));
        turn = pbdrMulQQ(turn, benchTurnAbout(joints[k].axis, angle));
        r = pbdrMatFromQuat(turn);
        way = pbdrSub(point, pbdrMulMV(&r, joints[k].points[0]));
        if (k == 2) {
            found.corner = point;
        }
        if (k == hinges - 1) { // behind the last hinge is the world
            found.openPlace = pbdrLength(way);
            found.openTurn = pbdrLength(pbdrVec(turn.x, turn.y, turn.z));
            return found;
        }
        BenchLink link;
        benchPlaceBricard(k, &link);
        const pbdrVec3 centre = pbdrAdd(pbdrMulMV(&r, link.at.pose.position), way),
                       v = pbdrAdd(flow, pbdrCross(spin, centre)), w = pbdrMulTransposedMV(&r, spin),
                       i = link.moments;
        found.inertia +=
            link.mass * pbdrDot(v, v) + i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z;
        found.force -= link.mass * PBDR_DEFAULT_GRAVITY * v.z;
    }
    return found;
}

static void getBricardRates(const double* state, double* rates)
{
    const Bricard at = placeBricard(state[0]);
    rates[0] = state[1] / sqrt(at.inertia);
    rates[1] = at.force / sqrt(at.inertia);
}

// From 0, 0 at the start. Half the step changes the place of P3 by less than 1e-10 m.
static inline void followBricard(double duration, double state[2])
{
    benchIntegrate(getBricardRates, 2, 1.0e-3, duration, state);
}

#endif
