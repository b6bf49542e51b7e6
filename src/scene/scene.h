// The scene: what a world simulates, as all engines see it. Settings, bodies with their poses and velocities,
// planes. An engine keeps whatever else it needs in lists of its own, by the index of the body.
#ifndef PBDR_SCENE_SCENE_H
#define PBDR_SCENE_SCENE_H

#include "math/vec.h"
#include "pbdr/profile.h"
#include "pbdr/world.h"
#include "scene/fetch.h"
#include "scene/joint.h"
#include "scene/list.h"
#include "shape/shape.h"

// Items per block: one AVX2 vector of float, two of double. Arrays that vector code walks are padded to it.
#define PBDR_BLOCK 8

// Where a kinematic body is on its way to.
typedef struct pbdrTarget {
    pbdrPose pose;
    int32_t substeps; // until it is there; 0: it has no target
} pbdrTarget;

// In pbdrTarget.substeps, until the end of the substep that has reached the target.
#define PBDR_ARRIVED (-1)

typedef struct pbdrBody {
    // Constants
    bool alive;
    pbdrBodyKind kind;
    uint32_t generation;
    const pbdrShape* shape; // retained; the world's rounded copy where its precision asks for one
    uint64_t madeOf;        // hash of what its definition gave it and setters may have changed
    void* userData;
    // State
    double friction;
    double rollingFriction, spinningFriction; // [m]
    double restitution;
    pbdrFilter filter;
    pbdrVec3 force, torque;         // applied until changed; within a step with those of the step [N, N m]
    pbdrVec3 stepForce, stepTorque; // applied besides in the next step [N, N m]
    pbdrTarget target;
    bool asleep;      // its island rests, and is not computed
    double quietTime; // for which its island has rested [s]
    // Where the body is and how it moves. Bodies of particles: at the end of the last substep, rounded to the
    // particles' precision, for sums are taken about them.
    pbdrVec3 centre;   // of mass [m]
    pbdrVec3 velocity; // of it [m/s]
    pbdrQuat rotation; // rest axes to world axes
    pbdrVec3 angular;  // angular velocity, world axes [rad/s]; zero for dynamic bodies of PBD and PBD-R
    // x = centre + frame q: the rotation as a matrix; within PBD-R's substep in reduced coordinates also
    // stretched
    pbdrMat3 frame;
    // Its joints: 1 + 2 index + side of the first; 0: none. The joint has the next one's.
    int32_t firstJoint;
} pbdrBody;

typedef struct pbdrPlane {
    bool alive;
    uint32_t generation;
    pbdrVec3 normal;
    double offset;
    double friction;
    double rollingFriction, spinningFriction; // [m]
    double restitution;
    pbdrFilter filter;
    uint64_t madeOf; // as a body's
    void* userData;
} pbdrPlane;

typedef struct pbdrScene {
    pbdrMemory memory;
    uint32_t number; // of the world, in its ids
    // Settings
    pbdrVec3 gravity;
    pbdrPrecision precision;
    pbdrSolver solver;
    uint32_t ablation;
    double timeStep;
    int iterations;
    double relaxation;
    pbdrFrictionMixing mixing;
    bool touchesSurface; // bodies touch by their surfaces, where they have one
    pbdrSimd simd;       // as in use: never automatic
    int maxPairCount;
    pbdrEffort effort;
    double tolerance;   // 0: the solver's own
    int maxNewtonSteps; // 0: as the solver sees fit
    bool sleeping;
    struct pbdrTasks* tasks; // what runs in parallel (tasks/tasks.h)
    // Contents
    pbdrList bodies; // pbdrBody, some of them dead
    int bodyCount;   // that are alive
    pbdrList planes; // pbdrPlane
    pbdrList joints; // pbdrJoint, some of them dead
    int jointCount;  // that are alive
    uint64_t substepCount;
    uint32_t flags; // of the running step
    // Largest residual that an island was left with in the last substep, over the sum of its forces; NaN: the engine
    // has not said. XPBD-R: 0 at the substep's start, then fmax of its islands'.
    double residual;
    // Profiling (scene/profile.h): stages stand by row; when the last one ended [ns]; flags and Newton steps
    // before the running substep
    bool profiling;
    bool counting; // for the profile or for the ledger
    pbdrProfile profile;
    int64_t profileMark;
    uint32_t profileFlags;
    uint64_t profileSteps;
    pbdrFetch fetch; // none of its own, and no state
} pbdrScene;

// Called with each contact of the last substep.
typedef void (*pbdrContactVisit)(void* context, const pbdrContact* contact);

static inline pbdrBody* pbdrGetBody(const pbdrScene* scene, int index)
{
    return (pbdrBody*)scene->bodies.items + index;
}

static inline pbdrPlane* pbdrGetPlane(const pbdrScene* scene, int index)
{
    return (pbdrPlane*)scene->planes.items + index;
}

static inline pbdrJoint* pbdrGetJoint(const pbdrScene* scene, int index)
{
    return (pbdrJoint*)scene->joints.items + index;
}

static inline pbdrBodyId pbdrGetBodyId(const pbdrScene* scene, int index)
{
    return (pbdrBodyId){index + 1, pbdrGetBody(scene, index)->generation, scene->number};
}

static inline pbdrPlaneId pbdrGetPlaneId(const pbdrScene* scene, int index)
{
    return (pbdrPlaneId){index + 1, pbdrGetPlane(scene, index)->generation, scene->number};
}

// Whether a joint keeps two bodies from touching each other. (joint.c)
bool pbdrAreJoined(const pbdrScene* scene, int indexA, int indexB);
// Into and out of its bodies' lists. (joint.c)
void pbdrEnlistJoint(const pbdrScene* scene, int index);
void pbdrDelistJoint(const pbdrScene* scene, int index);

// Whether filters let two things touch.
static inline bool pbdrFiltersMatch(pbdrFilter a, pbdrFilter b)
{
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// Whether contact does not move a body.
static inline bool pbdrIsFixed(const pbdrBody* body)
{
    return body->kind != pbdr_bodyDynamic;
}

// Whether contact is possible between two bodies: it moves one of them, and filters and joints let it.
static inline bool pbdrCanTouch(const pbdrScene* scene, int indexA, int indexB)
{
    const pbdrBody *a = pbdrGetBody(scene, indexA), *b = pbdrGetBody(scene, indexB);
    return !(pbdrIsFixed(a) && pbdrIsFixed(b)) && pbdrFiltersMatch(a->filter, b->filter) &&
           !(a->firstJoint != 0 && pbdrAreJoined(scene, indexA, indexB));
}

// Whether contact is possible between a body and a plane.
static inline bool pbdrMeetsPlane(const pbdrBody* body, const pbdrPlane* plane)
{
    return body->alive && !pbdrIsFixed(body) && pbdrFiltersMatch(body->filter, plane->filter);
}

// The next live dynamic body at or after *index, or NULL; moves *index past it.
static inline pbdrBody* pbdrNextDynamic(const pbdrScene* scene, int* index)
{
    while (*index < scene->bodies.count) {
        pbdrBody* body = pbdrGetBody(scene, (*index)++);
        if (body->alive && body->kind == pbdr_bodyDynamic) {
            return body;
        }
    }
    return NULL;
}

// A body that sleeps is computed again, and its island with it.
static inline void pbdrWakeBody(pbdrBody* body)
{
    body->asleep = false;
    body->quietTime = 0.0;
}

static inline void pbdrWakeAll(const pbdrScene* scene)
{
    for (int index = 0; index < scene->bodies.count; index++) {
        pbdrWakeBody(pbdrGetBody(scene, index));
    }
}

// Index of a body.
static inline int pbdrGetIndex(const pbdrScene* scene, const pbdrBody* body)
{
    return (int)(body - (const pbdrBody*)scene->bodies.items);
}

// Momentum constraint and pseudo-inverses: relative size under which a principal moment counts as zero.
static inline double pbdrGetInertiaCutoff(const pbdrScene* scene)
{
    return scene->precision == pbdr_precisionF32 ? PBDR_INERTIA_CUTOFF_F32 : PBDR_INERTIA_CUTOFF_F64;
}

// Places a body as a rigid one; rotation is that which it has. (driven.c)
void pbdrPlaceBody(pbdrBody* body, pbdrVec3 centre, pbdrVelocity velocity);
// A body's way to its target takes no more substeps than this.
#define PBDR_MAX_TARGET_SUBSTEPS 1000000000

// Whole substeps that take this long, at least one; a time that is a multiple to rounding is that multiple.
static inline double pbdrCountSubsteps(double time, double timeStep)
{
    return fmax(ceil(time / timeStep * (1.0 - 1.0e-12)), 1.0);
}

// Gives a body that has a target the velocity that brings it there; before each substep. (driven.c)
void pbdrAimDriven(const pbdrScene* scene, pbdrBody* body);
// One substep of a body that is driven: by its applied force and torque, or to its target, where the last
// substep of the way puts it exactly. (driven.c)
void pbdrMoveDriven(pbdrScene* scene, pbdrBody* body);
// World positions of the spheres of a body, as pbdrBody_GetPositions, from its frame. (driven.c)
int pbdrGetSpherePositions(const pbdrBody* body, pbdrVec3* buffer, int capacity);
// Momentum of a body that moves rigidly. (driven.c)
pbdrMomentum pbdrGetRigidMomentum(const pbdrBody* body);

#endif
