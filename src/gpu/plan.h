// What a batch's worlds have in common, and where each world's numbers stand: shared by the host's and the device's
// compilation of the kernel (kernel.h), so plain structures of C and C++.
//
// Worlds stand in blocks of 32: number s of world w is at values[((w/32) * slots + s) * 32 + w % 32], so that the 32
// threads of a warp read neighbours.
#ifndef PBDR_GPU_PLAN_H
#define PBDR_GPU_PLAN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __CUDACC__
#define PBDR_KERNEL_BOTH __host__ __device__
#else
#define PBDR_KERNEL_BOTH
#endif

#define PBDR_KERNEL_LANES 32
// The largest worlds that a kernel steps.
#define PBDR_KERNEL_MOVERS 8   // bodies that contact moves
#define PBDR_KERNEL_BODIES 16  // with those that it does not
#define PBDR_KERNEL_PLANES 4   //
#define PBDR_KERNEL_PATCHES 64 // bodies and planes, or two bodies, that may touch
#define PBDR_KERNEL_ITEMS 256  // contact candidates
#define PBDR_KERNEL_SPHERES 2048
#define PBDR_DESK_NUMBERS 36 // of a thread of the quick kernels, in shared memory
#define PBDR_KERNEL_SPHERE 5 // numbers of one: places and radii, sphere by sphere, then all masses

// A body's numbers in a world.
enum {
    BODY_CENTRE = 0,       // of mass [m]
    BODY_ROTATION = 3,     // w, x, y, z
    BODY_VELOCITY = 7,     // [m/s]
    BODY_ANGULAR = 10,     // world axes [rad/s]
    BODY_FORCE = 13,       // applied in every substep [N]
    BODY_TORQUE = 16,      // [N m]
    BODY_FRICTION = 19,    // coefficient
    BODY_MASS = 20,        // [kg]; inertia goes with it
    BODY_CENTRE_LEFT = 21, // what rounding left of the last changes
    BODY_VELOCITY_LEFT = 24,
    BODY_LAST_STEP = 27,   // y of the last substep
    BODY_STEP_BEFORE = 33, // and of the two before it
    BODY_HISTORY = 45,     // substeps that went on smoothly, 4 at most; 0: y of the last one is no guess
    BODY_HAS_INVERSE = 46,
    BODY_INVERSE = 47, // of its last Jacobian, 6 x 6
    BODY_PULL = 83,    // force of its contacts in the last substep [N]
    BODY_SLOTS = 86
};

// A patch's numbers.
enum {
    PATCH_LOAD = 0,   // k Y [N, N m]
    PATCH_NORMAL = 6, // sum of its normal forces in the last substep [N]
    PATCH_FIRST = 7,  // of its items, and their number
    PATCH_COUNT = 8,
    PATCH_MARGIN = 9, // how far the two may move until items are searched anew [m]; negative: now
    PATCH_ANCHOR =
        10, // planes: normal in the body's frame, height; pairs: A's place and turn, as B sees them
    PATCH_LOAD_BEFORE = 17, // k Y of the two substeps before the last one
    PATCH_SLOTS = 29
};

// An item's numbers.
enum {
    ITEM_KEY = 0,      // as bits: sphere of B + 2^15 sphere of A + 2^30 if it bore load in the last substep
    ITEM_FRICTION = 1, // T: planes two tangents' [N], pairs three in world axes
    ITEM_OTHER = 4,    // and the forces that are being found: the two places change parts (WORLD_PLACE)
    ITEM_SLOTS = 7
};

// A body's wrench.
enum { WRENCH_FORCE = 0, WRENCH_MOMENT = 3, WRENCH_SLOTS = 6 };

// A world's own.
enum {
    WORLD_FLAGS = 0,    // of the last launch, pbdrStepFlag bits
    WORLD_STEPS = 1,    // Newton steps since the batch was made
    WORLD_WORST = 2,    // largest residual of the last launch, over the sum of forces
    WORLD_CONTACTS = 3, // that bore load in the last substep
    WORLD_PLACE = 4,    // 1: T stands in ITEM_OTHER
    WORLD_AGE = 5,      // substeps since its inverse was made anew; on a plane alone 1: it has become slow
    WORLD_LEFT = 6,     // substeps of a launch that are not done yet: the next kernel of it goes on with them
    WORLD_SLOW = 7,     // substeps since the batch was made that the quick kernel has left to the other one
    WORLD_SLOTS = 8
};

typedef struct pbdrKernelBody {
    int32_t moves;       // 1: by contact, 0: never, -1: by its velocity and force alone (kinematic)
    int32_t firstSphere; // in the list of all
    int32_t sphereCount;
    int32_t mover;                              // its number among those that move, or -1
    double mass;                                // of the shape [kg]
    double turning[3][3], inverseTurning[3][3]; // of the shape [kg m^2]
    double reach, margin, largestRadius;        // [m]
    // PBD-R alone: of the point masses, and the inertia that they lack, rest axes
    double weight, spread[3][3], extraInertia[3][3]; // [kg, kg m^2]
    int32_t hasExtra;
} pbdrKernelBody;

typedef struct pbdrKernelPlane {
    double frame[3][3]; // rows: two tangents and the normal
    double offset;      // [m]
} pbdrKernelPlane;

typedef struct pbdrKernelPatch {
    int32_t bodyA, bodyB; // B: -1 for a plane
    int32_t plane;        // -1 for a body
} pbdrKernelPatch;

typedef struct pbdrKernelPlan {
    int32_t bodyCount, moverCount, planeCount, patchCount, itemCount, sphereCount;
    int32_t mixing;                                       // pbdrFrictionMixing
    int32_t slots;                                        // numbers per world
    int32_t firstBody, firstPlane, firstPatch, firstItem; // slots
    // And, no part of a world's hash: each item's force on A in the last substep of a launch, the plane's axes or the world's
    // [N]; each body's wrench, once it has been asked for (kernel_wrench.h): force, and moment about its centre of mass [N m]
    int32_t firstForce, firstWrench;
    double timeStep;
    double tolerance; // of residuals, over the sum of forces
    double gravity[3];
    int32_t reduced;                    // 1: PBD-R in reduced coordinates, 0: XPBD-R
    int32_t iterations;                 // of PBD-R
    double relaxation;                  // likewise
    double rate, perStep;               // 1 over the time step and over its square
    double weight;                      // |gravity|
    int32_t movers[PBDR_KERNEL_MOVERS]; // bodies
    pbdrKernelBody bodies[PBDR_KERNEL_BODIES];
    pbdrKernelPlane planes[PBDR_KERNEL_PLANES];
    pbdrKernelPatch patches[PBDR_KERNEL_PATCHES];
} pbdrKernelPlan;

// Where a world's first number stands; the next is 32 further.
static inline PBDR_KERNEL_BOTH size_t pbdrGetKernelPlace(const pbdrKernelPlan* plan, size_t world)
{
    return world / PBDR_KERNEL_LANES * (size_t)plan->slots * PBDR_KERNEL_LANES + world % PBDR_KERNEL_LANES;
}

#endif
