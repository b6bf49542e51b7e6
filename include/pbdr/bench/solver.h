// The benchmark's plug-in table: what a solver must offer to be run on the tests, and how a test is told to
// it.
//
// A scene is data: bodies with their true geometry, mass and inertia, where and how fast they start, friction,
// restitution, drive, prescribed motion. A solver that cannot do a scene says so by refusing to create it
// ("not supported: ..."); it never simulates something else instead.
//
// A plug-in is a shared object that exports
//     const pbdrBenchSolver* pbdrBenchPlugin(void);
// and is run with `pbdr bench --plugin ./libmine.so`. It needs this header and pbdr/types.h only, and no
// library of ours. Each run is a process of its own. Its time and memory are limited (--plugin-timeout,
// --plugin-memory), and its standard output goes to stderr.
#ifndef PBDR_BENCH_SOLVER_H
#define PBDR_BENCH_SOLVER_H

#include "pbdr/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Raised whenever a struct below changes. Tables of versions from PBDR_BENCH_OLDEST_ABI on are accepted, and others
// refused. Version 5 only added joints, at the end of the scene, and a table of version 4 gets no scene with joints.
#define PBDR_BENCH_ABI 5
#define PBDR_BENCH_OLDEST_ABI 4

typedef enum pbdrBenchShape {
    pbdr_benchBox = 0,      // halfExtents
    pbdr_benchMesh = 1,     // closed triangle mesh
    pbdr_benchRod = 2,      // round-ended rod along its x axis: halfExtents.x to the tips' ends, radius
    pbdr_benchBall = 3,     // radius
    pbdr_benchCylinder = 4, // along its z axis: radius, halfExtents.z to the caps
} pbdrBenchShape;

// A body's frame has its origin at the true centre of mass; at the start of an upright test its z is up.
typedef struct pbdrBenchBody {
    const char* name; // "box", "bunny", "rod", "wedge 3"
    pbdrBenchShape shape;
    pbdrVec3 halfExtents; // of all but meshes [m]
    double radius;        // rod, ball, cylinder [m]
    // Mesh: what touches, of tests 4 to 6 with the base made flat unless the raw one was asked for; of tests 8 and up
    // convex.
    int vertexCount;
    const pbdrVec3* vertices; // body frame [m]
    int triangleCount;
    const int32_t (*triangles)[3]; // counter-clockwise seen from outside
    double mass;                   // [kg]
    pbdrMat3 inertia;              // true, about the centre of mass, body frame [kg m^2]
    pbdrPose start; // of the true shape; a body that starts on the ground touches it exactly with its lowest
                    // point (a raw mesh, which is not flat below, starts on one vertex)
    pbdrVelocity startVelocity; // of the centre of mass, world axes; zero in tests 1 to 7 [m/s, rad/s]
    pbdrVec3 force, torque; // applied throughout, world axes, through and about the centre of mass [N, N m]
    // A prescribed body ignores forces, gravity and contact: its centre is at start + prescribedAcceleration
    // t^2/2.
    bool prescribed;
    pbdrVec3 prescribedAcceleration; // [m/s^2]
    // The same body as spheres, for solvers made of them. Their centre of mass is not quite the true one:
    // positions are about the spheres' own, and sphereStart is where that starts: the lowest spheres touch
    // the ground exactly, or the true surface does where that is what touches (scene.contact).
    int sphereCount;                 // 0: it has none, and solvers made of them refuse it
    int sphereGrid[3];               // box: how many along x, y and z
    pbdrVec3 sphereCentre;           // of their masses, in the body frame [m]
    const pbdrVec3* spherePositions; // [m]
    const double* sphereRadii;       // [m]
    const double* sphereMasses;      // [kg]
    pbdrMat3 sphereExtraInertia; // what the point masses lack of the true inertia, body frame [kg m^2]; zero
                                 // if their masses are uniform, or make it up by themselves
    pbdrPose sphereStart;
    // Mesh: the same arrays as vertices and triangles above, where plug-ins of before today look for what touches.
    int surfaceVertexCount;
    const pbdrVec3* surfaceVertices; // [m]
    int surfaceTriangleCount;
    const int32_t (*surfaceTriangles)[3];
} pbdrBenchBody;

#define PBDR_BENCH_MAX_BODIES 16

typedef enum pbdrBenchJointKind {
    pbdr_benchBallJoint = 0,  // points meet
    pbdr_benchHingeJoint = 1, // points meet, and the axis is that of both
    pbdr_benchSlideJoint =
        2, // neither turns against the other, and both points are on the axis, which goes with A
    pbdr_benchSpringJoint = 3, // holds nothing: a spring and damper from point to point
} pbdrBenchJointKind;

// What ties two bodies. Where it is is told by how the bodies start.
typedef struct pbdrBenchJoint {
    pbdrBenchJointKind kind;
    int bodies[2];                     // A and B; -1: the world
    pbdrVec3 points[2];                // of A and of B at the start, world axes; the same but for springs [m]
    pbdrVec3 axis;                     // of hinges and slides, at the start, world axes; unit
    double stiffness, damping, length; // of springs; length: without force [N/m, N s/m, m]
} pbdrBenchJoint;

#define PBDR_BENCH_MAX_JOINTS 16

typedef struct pbdrBenchScene {
    int test;              // 1 to 7, the first suite; 8 and up, the extended one
    const char* name;      // "pushed box"
    pbdrVec3 gravity;      // [m/s^2]; zero in tests of free flight
    pbdrVec3 groundNormal; // unit; the ground is the plane through the origin
    double groundFriction; // coefficient between a body and the ground
    double pairFriction;   // coefficient between two bodies
    double restitution; // of every impact, by Newton's law: the speed after it over the speed before; 0 to 1
    int bodyCount;      // Test 7: 2, bodies[1] is the rod, and never touches the ground
    pbdrBenchBody
        bodies[PBDR_BENCH_MAX_BODIES]; // tests 1 to 7: bodies[0] is measured; tests 8 and up: all are
    double timeStep;                   // [s]
    const char* preset; // what follows the colon in the solver's name on the command line; "" without one
    // Settings of our own particle solvers; others may ignore them.
    pbdrContactKind contact; // what of the bodies touches (not of the rod): their spheres, or their surface
    int iterations;
    double relaxation;
    pbdrEngine engine;
    pbdrPrecision precision;
    pbdrSimd simd;
    uint32_t ablation;
    // Since version 5. In a scene with joints nothing touches: neither bodies each other, nor the ground.
    int jointCount;
    pbdrBenchJoint joints[PBDR_BENCH_MAX_JOINTS];
} pbdrBenchScene;

// Capabilities, as bits: what a solver reports of itself in the results.
typedef enum pbdrBenchCapability {
    pbdr_benchUsesSpheres =
        1 << 0, // simulates the spheres: measured from sphereStart, with the spheres' momentum
    pbdr_benchUsesSettings = 1 << 1, // heeds iterations, relaxation and precision
    pbdr_benchUsesAblation = 1 << 2, // heeds ablation
    pbdr_benchUsesJoints =
        1 << 3, // ties bodies by joints; who does not say so is not asked to create such scenes
} pbdrBenchCapability;

// Length of a message buffer [bytes].
#define PBDR_BENCH_MESSAGE 256

typedef struct pbdrBenchSolver {
    uint32_t abi;        // PBDR_BENCH_ABI, or an older one from PBDR_BENCH_OLDEST_ABI on
    const char* name;    // as on the command line: 1 to 40 of letters, digits and . _ + -, the first a letter
                         // or digit; not that of a built-in solver
    const char* version; // of the simulator, such as "4.0.1": up to 40 printable characters without , " ` < >
    const char* presets; // names that may follow a colon, separated by commas; NULL or "" for none
    uint32_t capabilities; // pbdrBenchCapability bits

    // Required. A simulation of the scene, or NULL with the reason in message: begin it with "not supported"
    // if the solver cannot do this scene at all. The scene stays valid until destroy.
    void* (*create)(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE]);
    // Required. Advances by that many time steps; returns pbdrStepFlag bits, 0 for all well. Only this is
    // timed.
    uint32_t (*step)(void* simulation, int count);
    // Required. Pose of a body's centre of mass (rotation: a unit quaternion, from body axes to world axes)
    // and velocity, world axes. A position that is not finite is a run that diverged, a result, and so is
    // whatever comes after pbdr_stepNotFinite; other numbers that are not finite fail the run.
    void (*read)(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity);
    // Required.
    void (*destroy)(void* simulation);

    // Optional (may be NULL). Momentum as the solver itself has it; without it P = m v and L = R I R^T w of
    // the true body.
    void (*readMomentum)(void* simulation, int body, pbdrMomentum* momentum);
    // Optional. The index-th setting that shapes the result, for the record (friction mixing, contact
    // parameters, integrator); false past the last. An "integrator" that begins with "semi-implicit Euler"
    // has that method's own error shown apart in the error budget (docs/studies.md).
    bool (*describe)(void* simulation, int index, const char** key, const char** value);
} pbdrBenchSolver;

// The type of the symbol that a plug-in exports.
typedef const pbdrBenchSolver* (*pbdrBenchPluginFunction)(void);
#define PBDR_BENCH_PLUGIN_SYMBOL "pbdrBenchPlugin"

#ifdef __cplusplus
}
#endif

#endif
