// Test 7's reference: a rod with a round tip pushes a box over a floor. The models and their accuracy:
// docs/pushing.md.
//
//     BenchPushing pushing = benchDefaultPushing();
//     pushing.model = benchPushingDynamic;
//     BenchPushingPath path;
//     if (benchSolvePushing(&pushing, &path, &error) == pbdr_statusOk) { ...; benchFreePushingPath(&path); }
#ifndef PBDR_BENCH_REFERENCE_PUSHING_H
#define PBDR_BENCH_REFERENCE_PUSHING_H

#include "pbdr/base.h"

typedef enum BenchPushingModel {
    benchPushingQuasistatic, // forces balance at every instant
    benchPushingDynamic,     // the box has inertia, and slides on when the rod has left it
} BenchPushingModel;

// What carries the box.
typedef enum BenchSupport {
    benchSupportUniform,   // the whole base under even pressure
    benchSupportPoints,    // n x n points under even load, or as a lattice
    benchSupportEllipsoid, // the usual approximation of the even base's limit surface by an ellipsoid
} BenchSupport;

typedef struct BenchPushing {
    BenchPushingModel model;
    BenchSupport support;
    int pointsPerAxis; // n, of benchSupportPoints
    double
        pointReach; // outermost point's coordinate [m]; 0: (n - 1) a/n, the bottoms of a box of n^3 spheres
    // The points are the lattice of a flat base of (n - 1)^2 cells, as xpbdr's surface has it: they reach to
    // a unless told otherwise, and carry by benchGetRowShares' rule
    bool lattice;
    bool tilt;              // pressure shifts with the height of the push and of the centre of mass
    double halfSide;        // a, of the cube [m]
    double mass;            // [kg]
    double gravity;         // [m/s^2]
    double groundFriction;  // mu
    double rodFriction;     // mu_c
    double rodRadius;       // r [m]
    double offset;          // d, where the rod first touches the face, from its middle [m]
    double pushHeight;      // z_p above the floor [m]; counts with tilt only
    double centreHeight;    // h, of the centre of mass above the floor [m]; counts with tilt only
    double rodAcceleration; // A: the rod has gone A t^2/2 along +x [m/s^2]
    double duration;        // [s]
    double frameTime;       // [s]
    // Accuracy
    double tolerance; // of one step: angles in rad, lengths over a, speeds over the rod's
    double maxStep;   // [s]; frames cut steps too
    double smoothing; // dynamic point supports: slip below this share of the box's speed counts as creep
} BenchPushing;

// The box's centre from its start; NaN everywhere where there is no such moment.
typedef struct BenchPushingFrame {
    double t;     // [s]
    double x, y;  // [m]
    double theta; // about the vertical [rad]
    bool contact; // the rod touches the box
} BenchPushingFrame;

typedef struct BenchPushingPath {
    int frameCount; // duration/frameTime, rounded, and the start
    BenchPushingFrame* frames;
    // Moments, located to 1e-12 s, whether or not they fall on a frame; t is NaN if duration ends first.
    BenchPushingFrame corner; // the contact reaches the box's edge for the first time
    BenchPushingFrame end;    // the rod leaves the box for good
    BenchPushingFrame rest;   // the box has stopped after that
    int stepCount;            // accepted steps
} BenchPushingPath;

// Test 7 as PUSHING.md defines it: cube of 0.2 m and 4 kg, mu = mu_c = 0.4, r = 0.01 m, d = z_p = 0.02 m, A =
// 0.05 m/s^2, 10 s in frames of 0.01 s; quasi-static on the uniform base, without tilt.
BenchPushing benchDefaultPushing(void);

// Fails on values that no input may have, on a box that would tip over, and without memory; error may be
// NULL.
pbdrStatus benchSolvePushing(const BenchPushing* pushing, BenchPushingPath* path, pbdrError* error);
void benchFreePushingPath(BenchPushingPath* path);

#endif
