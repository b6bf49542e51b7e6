// The extended suite, tests 8 and up: how its bodies ought to move, its scenes, and what is measured.
//
// Everything here is in the ground's axes: x along the push or downhill, y to its left, z out of the ground.
// scene.c's seed turns them with the scene.
#ifndef PBDR_BENCH_EXTENDED_H
#define PBDR_BENCH_EXTENDED_H

#include "scene.h"

// A body's motion from its start.
typedef struct BenchFollowed {
    pbdrVec3 shift;        // of the centre of mass [m]
    pbdrQuat turn;         // from the start's rotation to the present one
    double angle;          // of turn about the law's axis, with whole turns; 0 where the law has none [rad]
    pbdrVelocity velocity; // [m/s, rad/s]
} BenchFollowed;

// A body at the start, in axes whose origin is on the ground.
typedef struct BenchStart {
    pbdrPose pose;
    pbdrVelocity velocity;
} BenchStart;

// --- Laws (laws.c, impacts.c) ---

// Masses and moments of inertia as the test has them.
double benchGetBodyMass(const BenchTest* test, int body); // [kg]

// Where a body ought to be at time t. False where nobody knows: of an arch that falls, and of some mechanisms.
bool benchFollow(const BenchTest* test, int body, double t, BenchFollowed* followed);

// Whether benchFollow knows more than the start.
bool benchHasReference(const BenchTest* test);

// The axis that a law turns its body about, with whole turns to count; false if there is none.
bool benchGetLawAxis(const BenchTest* test, pbdrVec3* axis);

// Errors of semi-implicit Euler with perfect forces at time t; NaN where forces cannot be perfect: impacts, and
// an arch that falls [m, rad].
double benchGetLawPositionFloor(const BenchTest* test, double t, double timeStep);
double benchGetLawRotationFloor(const BenchTest* test, double t, double timeStep);

// Two balls of the same radius that meet with speeds at a normal, unit, from b to a. mu and e: friction and
// restitution.
void benchCollide(const double masses[2], double radius, pbdrVec3 normal, double mu, double e,
                  pbdrVelocity velocities[2]);

// Impacts: parts of benchFollow.
void benchFollowBounce(const BenchTest* test, double t, BenchFollowed* followed);
void benchFollowCollision(const BenchTest* test, int body, double t, BenchFollowed* followed);
void benchFollowCradle(const BenchTest* test, int body, double t, BenchFollowed* followed);

// --- Scenes (bodies.c) ---

// Where a body starts, and how fast.
BenchStart benchGetStart(const BenchTest* test, int body);

// As benchMakeScene.
pbdrStatus benchMakeExtendedScene(const BenchTest* test, const BenchOptions* options, int seed,
                                  BenchScene* scene, pbdrError* error);

// The ground's axes, and back: a vector, and a turn.
pbdrVec3 benchToGround(const BenchScene* scene, pbdrVec3 v);
pbdrVec3 benchFromGround(const BenchScene* scene, pbdrVec3 v);

#endif
