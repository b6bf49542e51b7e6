// Forces and accelerations of the dynamic model (dynamic.c), for the run over time (dynamic_run.c).
#ifndef PBDR_BENCH_REFERENCE_DYNAMIC_H
#define PBDR_BENCH_REFERENCE_DYNAMIC_H

#include "push_run.h"

// Over the mass; in the box's axes.
typedef struct BenchForces {
    double normal, tangent;  // of the rod on the box
    double force[2], acc[2]; // the same, and the centre's acceleration [m/s^2]
    double wRate, slipRate;  // [rad/s^2], [m/s^2]
} BenchForces;

typedef struct BenchDynamic {
    BenchPushRun* run;
    BenchTouch touch;
    BenchForces forces; // of the last contact rate
} BenchDynamic;

enum { benchMarginMode, benchMarginPlace, benchMarginForce, benchContactMargins };

// Rates for stepper.h. Contact: y = (theta, place, w, slip). Free: y = (x, y, theta, vx, vy, w) in the
// world's axes, with the gap to the tip over a as the one margin. context is a BenchDynamic.
bool benchGetContactRate(void* context, double t, const double* y, double* rate, double* margins);
bool benchGetFreeRate(void* context, double t, const double* y, double* rate, double* margins);

// Whether the rod pushes, rather than pulls, at this state.
bool benchHoldsContact(BenchDynamic* d, double t, const double* y);

// The rod's tip beside a free box.
typedef struct BenchTip {
    double x, y; // centre, in the box's axes [m]
    double gap;  // below 0 inside [m]
} BenchTip;
BenchTip benchLocateTip(const BenchPushing* pushing, double t, const double* free);

// The tip meets the free box again: an inelastic impact gives the state in contact. False if it is not at the
// pushed face.
bool benchMeet(BenchDynamic* d, double t, const double* free, double* y);

// vx, vy, w of the box in contact.
void benchGetWorldVelocity(const BenchDynamic* d, double t, const double* y, double velocity[3]);

#endif
