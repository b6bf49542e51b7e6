// Values, ids and definitions of the simulation. SI units, z up, right-handed; quaternions are w,x,y,z and
// turn body (rest) axes into world axes; velocities are those of the centre of mass, in world axes.
#ifndef PBDR_TYPES_H
#define PBDR_TYPES_H

#include "pbdr/base.h"
#include "pbdr/constants.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pbdrVec3 {
    double x, y, z;
} pbdrVec3;

// Row-major 3x3 matrix.
typedef struct pbdrMat3 {
    double m[3][3];
} pbdrMat3;

typedef struct pbdrQuat {
    double w, x, y, z;
} pbdrQuat;

// Where a body is.
typedef struct pbdrPose {
    pbdrVec3 position; // centre of mass [m]
    pbdrQuat rotation; // from rest axes to world axes, unit length
} pbdrPose;

// How a body moves, world axes.
typedef struct pbdrVelocity {
    pbdrVec3 linear;  // of the centre of mass [m/s]
    pbdrVec3 angular; // [rad/s]
} pbdrVelocity;

// A body's momentum, world axes.
typedef struct pbdrMomentum {
    pbdrVec3 linear;  // P = sum m v [kg m/s]
    pbdrVec3 angular; // L = sum m (x - centre of mass) x v, about the centre of mass [kg m^2/s]
} pbdrMomentum;

typedef struct pbdrWorld pbdrWorld;

// Ids are values: index plus generation, so that the id of something destroyed is known to be stale.
// All-zero is the null id.
typedef struct pbdrBodyId {
    int32_t index1; // index + 1
    uint32_t generation;
} pbdrBodyId;

typedef struct pbdrPlaneId {
    int32_t index1;
    uint32_t generation;
} pbdrPlaneId;

typedef enum pbdrPrecision {
    pbdr_precisionF32 =
        0, // particles and their stages in float, as the paper; what is per body or pair, in double
    pbdr_precisionF64 = 1, // all in double
} pbdrPrecision;

typedef enum pbdrSolver {
    pbdr_solverPbd = 0,   // position-based dynamics: v = (x - x_start)/dt, no momentum constraint
    pbdr_solverPbdR = 1,  // the paper's PBD-R: v += dx/dt, momentum constraint
    pbdr_solverXpbdR = 2, // what PBD-R converges to: contact and friction solved to a tolerance, per body
} pbdrSolver;

// How PBD and PBD-R are computed. Both give the same motion but for rounding; XPBD-R has one engine, its own.
typedef enum pbdrEngine {
    pbdr_engineAuto = 0,     // PBD-R in f64: reduced; PBD, and f32, whose rounding is the point: particle
    pbdr_engineParticle = 1, // the paper's: every sphere has a position and a velocity
    // Bodies as x = c + F q, v = u + G q in double, which shape matching keeps exactly: cost grows with
    // contacts, not spheres. pbdr_precisionF32 then rounds rest offsets, radii and masses only.
    pbdr_engineReduced = 2,
} pbdrEngine;

// Parts of PBD-R that can be switched off (the paper's ablations). Bits; without effect on pbdr_solverPbd.
typedef enum pbdrAblation {
    pbdr_ablateVelocityUpdate = 1 << 0,  // v = (x - x_start)/dt, as in PBD
    pbdr_ablateLinearMomentum = 1 << 1,  // no linear half of the momentum constraint
    pbdr_ablateAngularMomentum = 1 << 2, // no angular half
} pbdrAblation;

// Which vector instructions the particle stages use. All give the same bits.
typedef enum pbdrSimd {
    pbdr_simdAuto = 0,   // the widest that the CPU has
    pbdr_simdScalar = 1, // plain C
    pbdr_simdAvx2 = 2,   // creation fails where the CPU lacks it
} pbdrSimd;

// What bodies touch each other and planes with.
typedef enum pbdrContactKind {
    pbdr_contactAuto = 0,    // XPBD-R: the surface; PBD and PBD-R: the spheres
    pbdr_contactSpheres = 1, // the spheres, as in the paper
    pbdr_contactSurface = 2, // the true surface of shapes that have one (pbdrSurfaceDef); XPBD-R only
} pbdrContactKind;

// How the friction coefficients of two touching things make one.
typedef enum pbdrFrictionMixing {
    pbdr_mixGeometricMean = 0, // sqrt(a b): zero if either is zero
    pbdr_mixMinimum = 1,
    pbdr_mixMaximum = 2,
    pbdr_mixAverage = 3,
} pbdrFrictionMixing;

typedef struct pbdrWorldDef {
    pbdrVec3 gravity;          // [m/s^2], default (0, 0, -9.81)
    pbdrPrecision precision;   // default f64
    pbdrSolver solver;         // default PBD-R
    pbdrEngine engine;         // default automatic
    uint32_t ablation;         // pbdrAblation bits, default 0
    double timeStep;           // substep [s], > 0
    int iterations;            // per substep, >= 1
    double relaxation;         // share of each contact correction applied, in (0, 1]
    pbdrFrictionMixing mixing; // default geometric mean
    pbdrContactKind contact;   // default automatic
    pbdrSimd simd;             // default automatic
    int maxPairCount;          // sphere-sphere contact candidates at most (2^24, 40 bytes each); beyond,
                               // pbdr_stepPairsFull
    pbdrHooks hooks;           // default all zero
    uint32_t cookie;           // set by pbdrDefaultWorldDef; catches definitions that skipped it
} pbdrWorldDef;

typedef enum pbdrBodyKind {
    pbdr_bodyDynamic = 0, // feels gravity, applied force and contact
    pbdr_bodyStatic = 1,  // never moves
    // A kinematic body: moves under its applied force and torque alone, without gravity and without reaction from
    // contact. It is driven, not free: its angular velocity changes by I^-1 torque only and does not precess.
    pbdr_bodyIntegrateOnly = 2,
} pbdrBodyKind;

// A rigid body made of spheres. The arrays are copied at creation; pbdrCreateBodyFromShape does not look at
// them.
typedef struct pbdrBodyDef {
    pbdrBodyKind kind;         // default dynamic
    int particleCount;         // >= 1
    const pbdrVec3* positions; // sphere centres in any rest frame [m]; particleCount of them
    const double* radii;       // [m], > 0
    const double* masses;      // [kg], > 0
    pbdrMat3 extraInertia; // what the body has beyond its point masses, rest axes [kg m^2], default zero; may
                           // be indefinite, the sum may not
    pbdrVec3 position;     // world position of the centre of mass [m]
    pbdrQuat rotation;     // rest axes to world axes, default identity
    pbdrVelocity velocity; // initial, default zero
    double friction;       // coefficient, >= 0
    // Moments against rolling, and against spinning about the normal, over the normal force: lengths [m],
    // >= 0, default 0; mixed as friction is; XPBD-R only
    double rollingFriction, spinningFriction;
    double restitution; // 0 (default) to 1; of two that touch, the larger counts; XPBD-R only
    uint32_t cookie;    // set by pbdrDefaultBodyDef
} pbdrBodyDef;

// The half space n.x < d is solid.
typedef struct pbdrPlaneDef {
    pbdrVec3 normal;                          // unit, out of the solid, default (0, 0, 1)
    double offset;                            // d = n.(any point of the plane) [m]
    double friction;                          // coefficient, >= 0
    double rollingFriction, spinningFriction; // as a body's [m]
    double restitution;                       // as a body's
    uint32_t cookie;                          // set by pbdrDefaultPlaneDef
} pbdrPlaneDef;

// A contact of the last substep: a body and a plane, or two bodies, that touch.
typedef struct pbdrContact {
    pbdrBodyId bodyA;
    int32_t particleA; // sphere of body A, in the order of its definition; -1: it touches by its surface
    pbdrBodyId bodyB;  // null for a plane
    int32_t particleB; // the same; -1 for a plane
    pbdrPlaneId plane; // null for two bodies
    pbdrVec3 point;    // on sphere A's surface; by surfaces: in the middle of the gap [m]
    pbdrVec3 normal;   // unit, towards body A
    double separation; // < 0 where they overlap, after the substep [m]
    pbdrVec3 force;    // on body A, averaged over the last substep, world axes [N]
} pbdrContact;

// What a step had to say. Zero is all well; each other bit names a limit that was met.
typedef enum pbdrStepFlag {
    pbdr_stepNotFinite = 1 << 0,  // a body's state is NaN or infinite: the step diverged; lower timeStep
    pbdr_stepSpeedLimit = 1 << 1, // a body is faster than PBDR_SPEED_LIMIT
    pbdr_stepNotConverged =
        1 << 3, // XPBD-R: an island's contact forces are off by more than the tolerance, it keeps gaps or
                // slips over 1e-6 m, or it has more than PBDR_MAX_ISLAND bodies, which then coast
    pbdr_stepPairsFull = 1 << 2, // contacts were dropped: raise maxPairCount; or memory ran out; or bodies
                                 // near each other span over 1e9 sphere diameters
} pbdrStepFlag;

// One scalar per particle, in the world's precision: the pointer of the other precision is NULL.
typedef struct pbdrArrayView {
    const float* f32;
    const double* f64;
} pbdrArrayView;

// A body's particles where the solver keeps them: nothing is copied. Good until the next call that creates or
// destroys a body or the world; the values change with each step.
typedef struct pbdrParticleView {
    int count;
    pbdrArrayView x, y, z;             // positions, world [m]
    pbdrArrayView vx, vy, vz;          // velocities, world [m/s]
    pbdrArrayView restX, restY, restZ; // offsets from the centre of mass, rest axes [m]
    pbdrArrayView radius;              // [m]
    pbdrArrayView mass;                // [kg]
} pbdrParticleView;

// Definitions with every field set to its default. Use these, then change what differs.
PBDR_API pbdrWorldDef pbdrDefaultWorldDef(void);
PBDR_API pbdrBodyDef pbdrDefaultBodyDef(void);
PBDR_API pbdrPlaneDef pbdrDefaultPlaneDef(void);

#ifdef __cplusplus
}
#endif

#endif
