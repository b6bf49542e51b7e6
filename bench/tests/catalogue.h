// The benchmark's tests as data.
#ifndef PBDR_BENCH_CATALOGUE_H
#define PBDR_BENCH_CATALOGUE_H

#include "pbdr/bench/solver.h"

// How the bodies of a test of the extended suite ought to move (extended/laws.c has the closed forms).
typedef enum BenchLaw {
    benchLawRest,        // all stay where they are
    benchLawPush,        // pushed with a constant force, and sliding
    benchLawStop,        // sliding to a stop
    benchLawSpin,        // a disc that spins to a stop on its flat side
    benchLawRoll,        // a ball that rolls downhill
    benchLawSlideToRoll, // a ball that slides, and rolls in the end
    benchLawBounce,      // a ball that is dropped
    benchLawPrecession,  // a symmetric top in free flight
    benchLawTip,         // a box pushed over its front edge
    benchLawCollision,   // two balls in free flight that meet off their centres
    benchLawCradle,      // a ball that hits a row of others
    benchLawFall,        // an arch that cannot stand: no closed form
    // Mechanisms of joints (extended/mechanisms.h)
    benchLawPendulum,
    benchLawDoublePendulum,
    benchLawTop, // a spinning top on a point
    benchLawSliderCrank,
    benchLawWindows,  // N four-bar linkages in a row
    benchLawAndrews,  // seven bodies in a plane: known at its end only
    benchLawBricard,  // six hinges in space: known by its energy only
    benchLawGovernor, // a flyball governor: known by its slide only
} BenchLaw;

// What a test of the extended suite has beyond the first suite's. Zero where it does not matter.
typedef struct BenchExtended {
    BenchLaw law;
    const char* quantity; // the figure that the test is about: "stopping distance"
    const char* unit;     // of it
    int bodyCount;
    double push;        // force along x through the centre of mass, over the weight
    double speed;       // of bodies[0] along x, at the start [m/s]
    double spin;        // at the start [rad/s]
    double height;      // of a drop, or of the bodies' centres in free flight [m]
    double restitution; // of impacts
    double ratio;       // mass of the uppermost body over the others'
    double gap;         // between the balls of a row [m]
    double thickness;   // of an arch, over its mean radius
    double angle;       // of a pendulum from hanging, at the start [rad]
    double length;      // from its joint to its centre of mass [m]
    double inertia;     // about its centre of mass, along its axis [kg m^2]
    bool steady;        // of a top: it precesses without nutation
    double stepShare;   // time steps are this share of the usual ones; 0: all of them
    // A body whose centre is further than this from its start has moved [m], or one that tilts by more, if that
    // is what is asked [deg]; 0: nobody asks. holds: all must stay, else one at least must go.
    double limit;
    bool byTilt;
    bool holds;
} BenchExtended;

typedef struct BenchTest {
    int number;
    const char* name;
    pbdrBenchShape shape;          // of the measured body
    double mass;                   // [kg]
    double mu;                     // friction between body and ground
    double force;                  // through the centre of mass, along the push [N]
    double torque;                 // about the vertical [N m]
    double slope;                  // of the ground [rad]
    bool rod;                      // pushed by a rod instead (Test 7): options say where
    double duration;               // [s]
    const BenchExtended* extended; // tests 8 and up; NULL in the first suite
} BenchTest;

// The first suite, and the extended one.
#define BENCH_FIRST_TEST 1
#define BENCH_LAST_TEST 7
#define BENCH_FIRST_EXTENDED 8
#define BENCH_LAST_EXTENDED 37

// Side of the cube, and of the cube that the mesh is scaled to [m].
#define BENCH_SIDE 0.2

// Bodies of the extended suite [m]: a ball's and a disc's radius, a disc's and a top's height, a ball of the
// row's radius, an arch's mean radius, depth and number of wedges.
#define BENCH_BALL_RADIUS 0.1
#define BENCH_DISC_RADIUS 0.1
#define BENCH_DISC_HEIGHT 0.05
#define BENCH_TOP_HEIGHT 0.1
#define BENCH_CRADLE_RADIUS 0.05
#define BENCH_ARCH_RADIUS 0.5
#define BENCH_ARCH_DEPTH 0.2
#define BENCH_ARCH_WEDGES 11

// The test of that number, or NULL.
const BenchTest* benchFindTest(int number);

// How much of a usual time step the test's own is.
double benchGetStepShare(const BenchTest* test);

// Whether its bodies are tied by joints.
bool benchIsMechanism(const BenchTest* test);

// Whether its body is the mesh of the command line: the bunny, if nothing is said.
bool benchUsesMesh(const BenchTest* test);

#endif
