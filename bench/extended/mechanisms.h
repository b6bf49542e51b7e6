// Mechanisms of joints, tests 28 and up: what they are made of, and how they ought to move.
//
// Axes are the ground's; z is up. Angles about y turn z towards x. In these tests nothing touches.
#ifndef PBDR_BENCH_MECHANISMS_H
#define PBDR_BENCH_MECHANISMS_H

#include "extended/extended.h"

// --- Sizes ---

// A slider-crank: lengths [m], masses [kg], moments about y [kg m^2], the crank's angle at the start [rad].
#define BENCH_CRANK 0.3
#define BENCH_CRANK_ROD 0.8
#define BENCH_CRANK_MASS 1.0
#define BENCH_ROD_MASS 0.6
#define BENCH_SLIDER_MASS 2.0
#define BENCH_CRANK_INERTIA 0.02
#define BENCH_ROD_INERTIA 0.03
#define BENCH_CRANK_START 0.4

// A top of 1 kg: from its point to its centre [m], moments across and along its axis [kg m^2], its tilt at the start [rad],
// its spin about the axis [rad/s].
#define BENCH_TOP_LEVER 0.1
#define BENCH_TOP_ACROSS 0.002
#define BENCH_TOP_ALONG 0.004
#define BENCH_TOP_TILT 1.0
#define BENCH_TOP_SPIN 60.0

// --- References (swings.c, iftomm.c) ---

typedef void (*BenchRates)(const double* state, double* rates);

// Numbers that a mechanism is described by, at most.
#define BENCH_MAX_STATE 4

// Runge and Kutta's method of fourth order, in equal steps of that size at most.
void benchIntegrate(BenchRates getRates, int count, double step, double duration, double* state);

// A pendulum, a'' = -rate^2 sin a, a from hanging, that starts at rest, or upright with a speed; by elliptic functions.
void benchSwing(double rate, double start, double speed, double t, double* angle, double* angleRate);

// Angles of a double pendulum from hanging, and their rates.
void benchSwingTwice(double t, double state[4]);

// The angle of a slider-crank and its rate; where its slider then is.
void benchCrank(const BenchTest* test, double t, double* angle, double* rate);
double benchGetSliderPlace(double angle);

// A top on a point: tilt, angle of precession, their rates, angle about its axis.
typedef struct BenchTop {
    double tilt, tiltRate, round, roundRate, own;
} BenchTop;
BenchTop benchSpinTop(const BenchTest* test, double t);
// The rate at which it precesses steadily [rad/s].
double benchGetTopRate(void);

// Andrews' mechanism: the crank's angle, at the start and after 0.03 s.
#define BENCH_ANDREWS_START (-0.0617138900142764496)
#define BENCH_ANDREWS_END 15.81077119629904
#define BENCH_ANDREWS_DURATION 0.03

// A governor: angle of its rods from the shaft, way of its slider below the top, rates. From where it is on by a duration.
void benchStartGovernor(double state[4]);
void benchFollowGovernor(double duration, double state[4]);

// --- What they are made of (mechanisms.c, iftomm.c) ---

typedef struct BenchLink {
    double mass;      // [kg]
    pbdrVec3 moments; // along the axes of its frame [kg m^2]
    pbdrVec3 torque;  // applied throughout [N m]
    BenchStart at;    // where it is and how it moves
} BenchLink;

// A link at time t. False where nobody knows where it is then: it is where it starts.
bool benchPlaceLink(const BenchTest* test, int body, double t, BenchLink* link);
// At the start.
void benchPlaceAndrews(int body, BenchLink* link);
void benchPlaceBricard(int body, BenchLink* link);
void benchPlaceGovernor(int body, BenchLink* link);

// The joints at the start. Returns how many: PBDR_BENCH_MAX_JOINTS at most in the suite's tests.
int benchListJoints(const BenchTest* test, pbdrBenchJoint* joints);
int benchListAndrews(pbdrBenchJoint* joints);
int benchListBricard(pbdrBenchJoint* joints);
int benchListGovernor(pbdrBenchJoint* joints);

pbdrBenchJoint benchMakeHinge(int a, int b, pbdrVec3 point, pbdrVec3 axis);

// A turn about y, or another axis.
pbdrQuat benchTurnAbout(pbdrVec3 axis, double angle);

#endif
