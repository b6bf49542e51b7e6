// Pushing at one point, forces in balance: does the contact stick or slide, and how does the box move?
#ifndef PBDR_BENCH_REFERENCE_PUSH_MODE_H
#define PBDR_BENCH_REFERENCE_PUSH_MODE_H

#include "base_load.h"

// A contact, in the box's axes.
typedef struct BenchContact {
    double qx, qy; // from the centre [m]
    double normal; // angle of the normal into the box [rad]
    double ux, uy; // velocity of the rod
    double alpha;  // half angle of the friction cone, atan mu_c [rad]
} BenchContact;

typedef struct BenchPush {
    BenchTwist twist;
    BenchWrench load;
    double slip;   // velocity of the rod relative to the box at the contact, along the tangent (normal turned
                   // by +90 degrees)
    double margin; // below 0, the mode does not hold [rad]
} BenchPush;

// The motion in which q moves with u and the load is a force through q.
BenchTwist benchPin(const BenchBase* base, const BenchPressure* pressure, double qx, double qy, double ux,
                    double uy);

// mode: 0 sticks; +1 and -1 slide with the force on that edge of the friction cone. u must have a part along
// the normal.
BenchPush benchPushBox(const BenchBase* base, const BenchPressure* pressure, const BenchContact* contact,
                       int mode);

// The mode that holds.
int benchChooseMode(const BenchBase* base, const BenchPressure* pressure, const BenchContact* contact);

#endif
