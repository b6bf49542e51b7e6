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

// Force and torque of contact on a body, world axes.
typedef struct pbdrWrench {
    pbdrVec3 force;  // [N]
    pbdrVec3 torque; // about the point that was asked for [N m]
} pbdrWrench;

typedef struct pbdrWorld pbdrWorld;

// Ids are values: index, generation and world, so that the id of something destroyed is known to be stale,
// and that of another world to be strange. All-zero is the null id.
typedef struct pbdrBodyId {
    int32_t index1;      // index + 1
    uint32_t generation; // counts what has had this index
    uint32_t world;      // number of the world, never 0; another one in every world of a process
} pbdrBodyId;

typedef struct pbdrPlaneId {
    int32_t index1;
    uint32_t generation;
    uint32_t world;
} pbdrPlaneId;

// Who touches whom. Two things a and b touch if each is in a category that the other's mask has:
//
//   (a.category & b.mask) != 0 && (b.category & a.mask) != 0
//
// Queries have a filter too, and find what they would touch.
typedef struct pbdrFilter {
    uint64_t category; // bits, default 1
    uint64_t mask;     // bits, default all
} pbdrFilter;

// The default filter: touches everything else that has it.
static inline pbdrFilter pbdrDefaultFilter(void)
{
    pbdrFilter filter = {1u, UINT64_MAX};
    return filter;
}

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
    pbdr_simdNeon = 3,   // of every 64-bit ARM; creation fails elsewhere
} pbdrSimd;

// What bodies touch each other and planes with.
typedef enum pbdrContactKind {
    pbdr_contactAuto = 0,    // XPBD-R: the surface; PBD and PBD-R: the spheres
    pbdr_contactSpheres = 1, // the spheres, as in the paper
    pbdr_contactSurface = 2, // the true surface of shapes that have one (pbdrSurfaceDef); XPBD-R only
} pbdrContactKind;

// How hard XPBD-R tries. Other solvers do not look at it.
typedef enum pbdrEffort {
    pbdr_effortFast = 0,     // what looks right: many bodies by a few sweeps, and no exact solves of them
    pbdr_effortBalanced = 1, // the default: what is small, smooth or at rest exactly; clatter by sweeps
    pbdr_effortExact = 2,    // every island to the tolerance, or as near to it as sweeps and solves come
} pbdrEffort;

// How the friction coefficients of two touching things make one.
typedef enum pbdrFrictionMixing {
    pbdr_mixGeometricMean = 0, // sqrt(a b): zero if either is zero
    pbdr_mixMinimum = 1,
    pbdr_mixMaximum = 2,
    pbdr_mixAverage = 3,
} pbdrFrictionMixing;

// Definitions begin with a cookie, which catches those that no pbdrDefault function made, and with their size
// as the program was compiled with it. Later versions add fields at the end only: a library takes the
// definitions of older programs, with the defaults for what they do not have, and refuses those of newer
// ones.

// One of many tasks that do not depend on each other. worker: below the world's number of threads, never the same in two
// tasks at a time.
typedef void pbdrTask(void* data, int index, int worker);

// The caller's pool of threads. run calls task(data, index, worker) once for every index below count, in any order, on any
// thread, and returns when all calls have. With run NULL a world has threads of its own.
typedef struct pbdrTaskHooks {
    void (*run)(void* context, int count, pbdrTask* task, void* data);
    void* context;
} pbdrTaskHooks;

typedef struct pbdrWorldDef {
    uint32_t cookie;           // set by pbdrDefaultWorldDef
    uint32_t size;             // likewise [bytes]
    pbdrVec3 gravity;          // [m/s^2], default (0, 0, -9.81)
    pbdrPrecision precision;   // default f64
    pbdrSolver solver;         // default XPBD-R
    pbdrEngine engine;         // default automatic
    uint32_t ablation;         // pbdrAblation bits, default 0
    double timeStep;           // substep [s], > 0
    int iterations;            // per substep, 1 to PBDR_MAX_ITERATIONS
    double relaxation;         // share of each contact correction applied, in (0, 1]
    pbdrFrictionMixing mixing; // default geometric mean
    pbdrContactKind contact;   // default automatic: surfaces with XPBD-R, spheres with PBD and PBD-R
    pbdrSimd simd;             // default automatic
    int maxPairCount;          // sphere-sphere contact candidates at most (2^24, 40 bytes each); beyond,
                               // pbdr_stepPairsFull
    pbdrHooks hooks;           // default all zero
    bool contactEvents;        // default false; pbdrWorld_SetContactEvents
    void* userData;            // the caller's, default NULL; the library does not look at it
    // Threads that a step works with, 1 (default) to PBDR_MAX_THREADS: XPBD-R solves islands side by side. No bit of a
    // result depends on it. With more than one, hooks.allocate and hooks.release must be safe to call from several.
    int threads;
    pbdrTaskHooks tasks; // default all zero
    // XPBD-R. Residual at which an island counts as solved (pbdrProfile), also in the middle of a clatter; 0 (default):
    // PBDR_DEFAULT_TOLERANCE, and clatter as the effort says. Newton steps of an island in a substep at most; 0
    // (default): as the solver sees fit.
    pbdrEffort effort; // default balanced
    double tolerance;
    int maxNewtonSteps;
    bool
        sleeping; // islands at rest are not computed until something disturbs them; default false; XPBD-R only
} pbdrWorldDef;

typedef enum pbdrBodyKind {
    pbdr_bodyDynamic = 0, // feels gravity, applied force and contact
    pbdr_bodyStatic = 1,  // never moves
    // Driven: moves towards its target (pbdrBody_SetTarget), or with its velocity and under its applied force
    // and torque alone; without gravity, without reaction from contact, and through other bodies that do not
    // move either. Its angular velocity changes by I^-1 torque only and does not precess.
    pbdr_bodyKinematic = 2,
    pbdr_bodyIntegrateOnly = pbdr_bodyKinematic, // deprecated: the name before 0.2
} pbdrBodyKind;

// A rigid body made of spheres. The arrays are copied at creation; pbdrCreateBodyFromShape does not look at
// them.
typedef struct pbdrBodyDef {
    uint32_t cookie;           // set by pbdrDefaultBodyDef
    uint32_t size;             // likewise [bytes]
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
    pbdrFilter filter;  // default: touches everything
    void* userData;     // for the caller's own use, default NULL
} pbdrBodyDef;

// The half space n.x < d is solid.
typedef struct pbdrPlaneDef {
    uint32_t cookie;                          // set by pbdrDefaultPlaneDef
    uint32_t size;                            // likewise [bytes]
    pbdrVec3 normal;                          // unit, out of the solid, default (0, 0, 1)
    double offset;                            // d = n.(any point of the plane) [m]
    double friction;                          // coefficient, >= 0
    double rollingFriction, spinningFriction; // as a body's [m]
    double restitution;                       // as a body's
    pbdrFilter filter;                        // default: touches everything
    void* userData;                           // the caller's, default NULL
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

typedef enum pbdrContactEventKind {
    pbdr_contactBegin = 0, // two things touch that did not touch in the substep before
    pbdr_contactEnd = 1,   // they do not any more
} pbdrContactEventKind;

// Two bodies, or a body and a plane, that begin or end to touch, whatever the number of their contacts.
typedef struct pbdrContactEvent {
    pbdrContactEventKind kind;
    pbdrBodyId bodyA;
    pbdrBodyId bodyB;  // null for a plane
    pbdrPlaneId plane; // null for two bodies
    uint64_t substep; // the first that they touched, or did not touch, in: pbdrWorld_GetSubstepCount after it
} pbdrContactEvent;

// What a query found.
typedef struct pbdrHit {
    pbdrBodyId body;   // null for a plane
    int32_t particle;  // the body's sphere, in the order of its definition; -1 for a plane
    pbdrPlaneId plane; // null for a body
    pbdrVec3 point;    // on the surface [m]
    pbdrVec3 normal;   // unit, out of the surface
    double distance;   // from the ray's origin, or of the point from the surface [m]
} pbdrHit;

// What went wrong in a step. Zero: nothing. Each bit names a limit that was reached.
typedef enum pbdrStepFlag {
    pbdr_stepNotFinite = 1 << 0, // a body's state is NaN or infinite: the step diverged; lower timeStep
    // a body is faster than PBDR_SPEED_LIMIT, or turns by more than PBDR_TURN_LIMIT in a substep, or its
    // applied force or torque would make it so in one substep
    pbdr_stepSpeedLimit = 1 << 1,
    // XPBD-R: an island's contact forces are off by more than a thousandth of their sum, or it keeps overlaps or slips
    // over what gravity closes in a substep, g dt^2 (1e-6 m at least)
    pbdr_stepNotConverged = 1 << 3,
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
// They stand here, and not in the library, for they return what this header calls a definition; the library
// fills as many bytes of it as they say.
PBDR_API void pbdrInitWorldDef(pbdrWorldDef* def, size_t size);
PBDR_API void pbdrInitBodyDef(pbdrBodyDef* def, size_t size);
PBDR_API void pbdrInitPlaneDef(pbdrPlaneDef* def, size_t size);

static inline pbdrWorldDef pbdrDefaultWorldDef(void)
{
    pbdrWorldDef def;
    pbdrInitWorldDef(&def, sizeof def);
    return def;
}

static inline pbdrBodyDef pbdrDefaultBodyDef(void)
{
    pbdrBodyDef def;
    pbdrInitBodyDef(&def, sizeof def);
    return def;
}

static inline pbdrPlaneDef pbdrDefaultPlaneDef(void)
{
    pbdrPlaneDef def;
    pbdrInitPlaneDef(&def, sizeof def);
    return def;
}

#ifdef __cplusplus
}
#endif

#endif
