// How far a run is from its reference, frame by frame.
#ifndef PBDR_BENCH_METRICS_H
#define PBDR_BENCH_METRICS_H

#include "scene.h"

// A body as a solver reads it out.
typedef struct BenchMotion {
    pbdrPose pose;
    pbdrVelocity velocity;
    pbdrMomentum momentum;
} BenchMotion;

// A quantity over a run.
typedef struct BenchSeries {
    double t2;    // at 2 s; NaN where no frame falls there
    double final; // at the end
    double mean;  // over all frames
} BenchSeries;

// Distance from one of Test 7's references at the moments that PUSHING.md asks for.
typedef struct BenchGap {
    double position; // [m]
    double rotation; // [deg]
    // Signed, simulated minus reference, in the scene's own axes; `position` has the vertical's part too.
    double along, across; // the push, and to its left [m]
    double turn;          // about the vertical [deg]
} BenchGap;

typedef struct BenchPushErrors {
    BenchGap t2, t3;     // at 2 s and 3 s
    BenchGap contactEnd; // at the frame nearest to the moment when the reference's rod leaves the box
    BenchGap final;
} BenchPushErrors;

// The final signed error with causes taken away one after the other (docs/studies.md, error budget): metres
// along the motion, or degrees about the vertical in tests with a torque. NaN in Test 7.
typedef struct BenchBudget {
    double ownBody;  // against the closed form for the mass and inertia of the body that was simulated
    double ownEuler; // against what semi-implicit Euler makes of that body and perfect forces
} BenchBudget;

typedef struct BenchErrors {
    BenchSeries position;       // |centre of mass - reference| [m]
    BenchSeries signedPosition; // its part along the push or downhill; above 0: too far [m]
    BenchSeries rotation;       // [deg]
    BenchSeries
        signedRotation;   // simulated minus reference about the vertical, tests with a torque; else 0 [deg]
    BenchSeries velocity; // [m/s]
    BenchSeries linearMomentum;  // [kg m/s]
    BenchSeries angularMomentum; // [kg m^2/s]
    // Tests 8 and up, else NaN. Position, rotation and velocity above are then the worst body's, momenta the
    // system's, angular about the origin.
    BenchSeries energy;     // |kinetic + potential - reference|, of the system [J]
    double quantity, exact; // the figure that the test is about, at the end, and what it should be
    double moved;       // furthest that a body's centre is from its start at the end [m], or its tilt [deg]
    double maxTilt;     // of the body's up axis from its start [deg]
    BenchBudget budget; // at the end
    BenchPushErrors pushing[BENCH_REFERENCE_COUNT]; // Test 7; else NaN
} BenchErrors;

typedef struct BenchMeter {
    const BenchScene* scene;
    pbdrPose start;
    pbdrPose starts[PBDR_BENCH_MAX_BODIES];         // tests 8 and up: of every body
    double ownAcceleration, ownAngularAcceleration; // of the body as simulated [m/s^2, rad/s^2]
    int frameCount;
    double lastAngle;           // unwrapped, about the vertical [rad]
    double worstEnergy;         // tests 8 and up: the largest error of the energy so far [J]
    double state[4], stateTime; // of a reference that is integrated along, and when (extended/measure.c)
    BenchErrors errors;         // sums in `mean` until benchFinishMeter
} BenchMeter;

// P = m v and L = R I R^T w of the true body, from its pose and velocity.
pbdrMomentum benchGetTrueMomentum(const pbdrBenchBody* body, const BenchMotion* motion);

// usesSpheres: the solver started from the spheres' pose.
void benchStartMeter(BenchMeter* meter, const BenchScene* scene, bool usesSpheres);
// How many bodies are measured: the first, or all in tests 8 and up.
int benchGetMeasuredCount(const BenchScene* scene);
// Takes in the state at time t [s] of all that are.
void benchMeasure(BenchMeter* meter, double t, const BenchMotion* motions);
// Tests 1 to 7: where the measured body should be at time t [s]; of Test 7 by the paper's reference.
pbdrPose benchGetReferencePose(const BenchMeter* meter, double t);
// Its part for tests 8 and up (extended/measure.c).
void benchMeasureExtended(BenchMeter* meter, double t, const BenchMotion* motions);
// The errors of all frames so far.
BenchErrors benchFinishMeter(const BenchMeter* meter);

// A value at a frame goes into a series, whose mean is a sum until benchFinishMeter.
void benchAddFrame(BenchSeries* series, double t, double value);
// Angle between a body's z axis and where it was [deg].
double benchGetTilt(pbdrQuat start, pbdrQuat now);

// Whether the bodies of a test did what its question says they must: stay, or go. NaN quantities and tests
// without a question: true.
bool benchIsRight(const BenchTest* test, const BenchErrors* errors);

// Those of a run that diverged: NaN throughout.
BenchErrors benchGetNoErrors(void);

// Errors of semi-implicit Euler with perfect forces, a t dt/2 in tests 1 to 6 [m, deg].
double benchGetPositionFloor(const BenchScene* scene, double duration, double timeStep);
double benchGetRotationFloor(const BenchScene* scene, double duration, double timeStep);

#endif
