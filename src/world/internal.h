// A world from inside: what the step's stages read and write.
//
// Particles stand in arrays of one scalar each (structure of arrays), a body's particles side by side. Each
// body starts on a new block of PBDR_BLOCK particles; the rest of its last block is padding with mass 0 and a
// radius of minus infinity, so that stages work on whole blocks: padding adds nothing to sums and touches
// nothing.
#ifndef PBDR_WORLD_INTERNAL_H
#define PBDR_WORLD_INTERNAL_H

#include "base.h"
#include "geometry/sphere_tree.h"
#include "math/vec.h"
#include "pbdr/profile.h"
#include "pbdr/world.h"

// Particles per block: one AVX2 vector of float, two of double.
#define PBDR_BLOCK 8

// Sums over a body: the state of all its particles in a few numbers. Taken about (centre0, drift0) of the
// body so that they are sums of small numbers.
typedef struct pbdrMoments {
    pbdrVec3 centre;           // t = sum m x / sum m [m]
    pbdrVec3 relativeMomentum; // sum m (v - drift0) [kg m/s]
    pbdrVec3 spin;             // L about t [kg m^2/s]
    pbdrMat3 spread;           // A = sum m (x - t) q^T [kg m^2]; only from measureSpread
    pbdrMat3 inertia;          // sum m (r.r 1 - r r^T), r = x - t [kg m^2]; only from measureInertia
} pbdrMoments;

typedef struct pbdrBody {
    // Constants
    bool alive;
    pbdrBodyKind kind;
    uint32_t generation;
    int particleCount;
    int firstBlock, blockCount;
    double mass;   // as defined [kg]
    double weight; // sum of the particles' masses as rounded to the world's precision [kg]
    double friction;
    double restitution;
    double largestRadius;  // of its spheres [m]
    double margin;         // share of the distance at which its spheres become contact candidates [m]
    double reach;          // largest distance of a particle's centre from the centre of mass [m]
    pbdrVec3 restCentre;   // centre of mass in the definition's frame [m]
    pbdrMat3 restInertia;  // about it, rest axes [kg m^2]
    pbdrMat3 extraInertia; // J: the part of it that the point masses do not have
    bool hasExtraInertia;
    pbdrMat3 restInverse; // of what XPBD-R turns by: restInertia, spheres' own added where that is singular
    pbdrMat3 restTurning; // the same, not inverted
    // Engines that keep no particles
    pbdrMat3 restSpread; // S = sum m q q^T [kg m^2]
    pbdrSphereTree tree;
    int32_t*
        faceFirsts; // normals of sphere i: faceFirsts[i] .. faceFirsts[i + 1] - 1; NULL: the body has none
    pbdrVec3* faceNormals; // outward, unit, rest axes
    // State
    pbdrVec3 force, torque; // applied [N, N m]
    pbdrQuat rotation; // dynamic: the last shape match, which is the next one's guess; others: the rotation
    pbdrVec3 centre0,
        drift0;         // where sums are taken about [m, m/s]; others: the centre of mass and its velocity
    pbdrVec3 extraSpin; // R J R^T w of bodies made of point masses and J [kg m^2/s]
    pbdrVec3 angular;   // angular velocity of bodies that are kept rigid: pushers, XPBD-R's [rad/s]
    // Engines that keep no particles: x = centre0 + stretch q, v = drift0 + stretchRate q (a rigid body's is
    // R and [w]x R); where they were when contact candidates were last searched
    pbdrMat3 stretch, stretchRate;
    pbdrTreePlace searched;
    double searchedReach; // how far its spheres may travel before pairs must be searched anew [m]
    // XPBD-R: Y and y of the last substep, Newton steps that it took
    double lag[6], lastStep[6];
    int lastStepCount;
    // its factorised Jacobian, for the next substep's first step
    bool hasFactors;
    int pivots[6];
    double factors[6][6];
    // Its place among the islands of the substep
    int island, mover;
    uint64_t substepSeen;
    // Within a substep
    pbdrMoments before;  // before shape matching
    pbdrMoments after;   // after it
    pbdrVec3 correction; // momentum constraint: change of linear velocity [m/s]
    pbdrVec3 turn;       // and of angular velocity [rad/s]
    pbdrVec3 shoved;     // reduced: sum m dx of this iteration's contacts [kg m]
    pbdrMat3 sheared;    // and sum m dx q^T [kg m^2]
    double contactWay;   // largest contact correction of this iteration [m]
    double travel;       // bound on any particle's way since pairs were searched [m]
} pbdrBody;

typedef struct pbdrPlane {
    bool alive;
    uint32_t generation;
    pbdrVec3 normal;
    double offset;
    double friction;
    double restitution;
} pbdrPlane;

// What is known of a block.
typedef struct pbdrBlock {
    int32_t body;
    bool touched; // listed in touchedBlocks
} pbdrBlock;

// Particle arrays hold float or double, after the world's precision. All are void* so that code can treat
// them alike.
typedef struct pbdrParticles {
    int blockCount, blockCapacity;
    void* position[3];
    void* velocity[3];
    void* start[3];   // positions before the substep; only where the velocity update needs them, else NULL
    void* rest[3];    // q
    void* contact[3]; // sum of contact corrections of this iteration; zero outside touched blocks
    void* mass;
    void* radius;
    void* blocks;        // pbdrBlock per block
    void* touchedBlocks; // int32_t: blocks that a contact has corrected in this iteration
    int touchedCount;
} pbdrParticles;

// Contact of one block with one plane in this substep.
typedef struct pbdrPlaneTouch {
    int32_t plane, block;
    uint32_t lanes;      // bit per particle that touched
    _Alignas(32) union { // sum over iterations of m dx / dt^2 [N]
        float f32[3][PBDR_BLOCK];
        double f64[3][PBDR_BLOCK];
    } force;
} pbdrPlaneTouch;

// Two particles of different bodies that touch or may touch in this substep; first < second.
typedef struct pbdrPair {
    int32_t first, second;
    uint8_t touched;
    double force[3]; // on first, as above [N]
} pbdrPair;

// A body's bounds, spheres and half its margin included.
typedef struct pbdrBox {
    int body;
    double lower[3], upper[3]; // [m]
} pbdrBox;

// A particle in the spatial hash.
typedef struct pbdrGridEntry {
    int32_t particle, body;
    int32_t next; // entry of the same bucket, or -1
    int32_t cell[3];
    double position[3];
    double reach; // radius and half the body's margin [m]; negative: left out
} pbdrGridEntry;

// The spheres of body A near a plane, or near spheres of body B (candidates.h).
typedef struct pbdrPatch {
    int32_t bodyA, bodyB; // B: -1 for a plane
    int32_t plane;        // -1 for a body
    int32_t first, count; // items; first is a multiple of PBDR_BLOCK
    int32_t padded;       // count with padding: whole blocks
    double margin;        // planes: how far spheres may approach before the next search [m]
} pbdrPatch;

// Columns of an item: constants, then what it carries from substep to substep, then scratch.
enum {
    ITEM_REST,                   // q of A's sphere, three columns [m]
    ITEM_RADIUS = ITEM_REST + 3, // [m]; padding: far below zero
    ITEM_MASS,                   // [kg]
    ITEM_REST_B,                 // the same of B's sphere
    ITEM_RADIUS_B = ITEM_REST_B + 3,
    ITEM_MASS_B,
    ITEM_FORCE,                    // on A in the last substep, world axes, three columns [N]
    ITEM_TOUCHED = ITEM_FORCE + 3, // 1 where there was contact, else 0
    ITEM_FRICTION,                 // XPBD-R: tangential part of the force, three columns [N]
    ITEM_SIDE = ITEM_FRICTION + 3, // pairs: surface_contact.h's
    ITEM_SCRATCH,
    // XPBD-R, within a substep (xpbdr.h)
    ITEM_NORMAL = ITEM_SCRATCH,    // towards A, three columns
    ITEM_LEVER = ITEM_NORMAL + 3,  // from A's centre of mass to the point of contact [m]
    ITEM_LEVER_B = ITEM_LEVER + 3, // from B's [m]
    ITEM_AHEAD = ITEM_LEVER_B + 3, // gap + dt n.v: the gap to come if no force acts [m]
    ITEM_BEFORE,                   // touched as it was before the substep
    ITEM_BOUND,                    // of friction, where it is frozen [N]
    ITEM_HOLD,                     // T, three columns [N]
    ITEM_STATE = ITEM_HOLD + 3,    // g [m] and p [N]: four columns, twice
    ITEM_COLUMNS = ITEM_STATE + 8
};

typedef struct pbdrItems {
    int count, capacity; // padding included
    double* columns;     // [column * capacity + item]
    int32_t* spheres[2]; // A's and B's, as places in their trees; -1: none
} pbdrItems;

static inline double* pbdrGetColumn(const pbdrItems* items, int column)
{
    return items->columns + (size_t)column * (size_t)items->capacity;
}

// A list that grows. Items are plain bytes.
typedef struct pbdrList {
    void* items;
    int count, capacity;
    size_t itemSize;
} pbdrList;

struct pbdrWorld {
    pbdrHooks hooks;
    size_t byteCount;
    // Settings
    pbdrVec3 gravity;
    pbdrPrecision precision;
    pbdrSolver solver;
    pbdrEngine engine; // as in use: never automatic
    uint32_t ablation;
    double timeStep;
    int iterations;
    double relaxation;
    pbdrFrictionMixing mixing;
    pbdrSimd simd;
    int maxPairCount;
    const struct pbdrStages* stages;
    const struct pbdrKernels* kernels;
    // Contents
    pbdrList bodies; // pbdrBody, some of them dead
    int bodyCount;   // that are alive
    pbdrList planes; // pbdrPlane
    pbdrParticles particles;
    uint64_t substepCount;
    uint32_t flags; // of the running step
    // Contacts of the last substep
    pbdrList planeTouches; // pbdrPlaneTouch
    int32_t* planeSlots;   // [plane * planeSlotStride + block]: index in planeTouches + 1, 0 for none
    size_t planeSlotCount, planeSlotStride;
    pbdrList pairs; // pbdrPair, ascending
    // Engines that keep no particles: contact candidates, and the last ones while new ones are searched
    pbdrList patches, lastPatches; // pbdrPatch: planes first, by plane and body; then bodies
    pbdrItems items, lastItems;
    bool searchFull;     // the last search left candidates out
    pbdrList foundItems; // scratch of the search
    pbdrList nearest[2]; // int32_t per sphere: scratch of surface_contact.c
    // XPBD-R: islands of the substep (xpbdr_island.h) and their linear systems
    pbdrList parents; // int32_t per body: union-find
    pbdrList movers, touchings, islands;
    pbdrList blocks;       // pbdrBlock6
    pbdrList blockTouches; // uint8_t per pair of movers
    pbdrList blockPlaces;  // int32_t: where their blocks are (math/block_lu.h)
    pbdrList rowOrder;     // int
    pbdrList blockSides;   // double[6]
    pbdrList keptSteps;    // pbdrTwist: y and Y of an island's movers, twice
    // Scratch of the pair search
    pbdrList foundPairs;  // pbdrPair
    pbdrList boxes;       // pbdrBox
    pbdrList marks;       // uint8_t per particle: near another body
    pbdrList gridEntries; // pbdrGridEntry
    pbdrList gridStarts;  // int32_t per bucket
    // Profiling (profile.h): stages stand by row; when the last one ended [ns]; flags and Newton steps before
    // the running substep
    bool profiling;
    pbdrProfile profile;
    int64_t profileMark;
    uint32_t profileFlags;
    uint64_t profileSteps;
};

// --- Memory, counted ---

void* pbdrWorldAllocate(pbdrWorld* world, size_t count, size_t itemSize);
void pbdrWorldRelease(pbdrWorld* world, void* memory, size_t count, size_t itemSize);

// Room for capacity items, keeping the present ones. False, and nothing changed, without memory.
bool pbdrListReserve(pbdrWorld* world, pbdrList* list, int capacity);
void pbdrListFree(pbdrWorld* world, pbdrList* list);
// A zeroed new item at the end, or NULL without memory.
void* pbdrListPush(pbdrWorld* world, pbdrList* list);
// Exactly count zeroed items, whatever was there before. False without memory.
bool pbdrListResetTo(pbdrWorld* world, pbdrList* list, int count);

// --- Look-up ---

// The live body or plane of an id, or NULL after reporting an assertion.
pbdrBody* pbdrFindBody(const pbdrWorld* world, pbdrBodyId id);
pbdrBodyId pbdrGetBodyId(const pbdrWorld* world, int index);

static inline pbdrBody* pbdrGetBody(const pbdrWorld* world, int index)
{
    return (pbdrBody*)world->bodies.items + index;
}

// Whether contact does not move a body.
static inline bool pbdrIsFixed(const pbdrBody* body)
{
    return body->kind != pbdr_bodyDynamic;
}

// The next live dynamic body at or after *index, or NULL; moves *index past it.
static inline pbdrBody* pbdrNextDynamic(pbdrWorld* world, int* index)
{
    while (*index < world->bodies.count) {
        pbdrBody* body = pbdrGetBody(world, (*index)++);
        if (body->alive && body->kind == pbdr_bodyDynamic) {
            return body;
        }
    }
    return NULL;
}

// Index of the body that a particle belongs to.
static inline int pbdrGetOwner(const pbdrWorld* world, int particle)
{
    return ((const pbdrBlock*)world->particles.blocks)[particle / PBDR_BLOCK].body;
}

static inline pbdrPlane* pbdrGetPlane(const pbdrWorld* world, int index)
{
    return (pbdrPlane*)world->planes.items + index;
}

// --- Particles (particles.c) ---

// Every array that has an entry per particle or per block, for code that treats them alike.
typedef struct pbdrArray {
    void** items;
    size_t blockSize; // bytes per block
    bool isState;     // changes as the world runs
} pbdrArray;
#define PBDR_MAX_ARRAYS 20
int pbdrListArrays(pbdrWorld* world, pbdrArray arrays[PBDR_MAX_ARRAYS]);
size_t pbdrGetRealSize(const pbdrWorld* world);

// Room for blockCapacity blocks in all arrays. False, and nothing changed, without memory.
bool pbdrReserveBlocks(pbdrWorld* world, int blockCapacity);
void pbdrFreeParticles(pbdrWorld* world);

// One scalar of a particle array, in double whatever the precision.
double pbdrReadReal(const pbdrWorld* world, const void* array, int index);
void pbdrWriteReal(const pbdrWorld* world, void* array, int index, double value);
pbdrVec3 pbdrReadVec(const pbdrWorld* world, void* const arrays[3], int index);
void pbdrWriteVec(const pbdrWorld* world, void* const arrays[3], int index, pbdrVec3 value);
// value as the world's precision can hold it
double pbdrRoundReal(const pbdrWorld* world, double value);
pbdrVec3 pbdrRoundVec(const pbdrWorld* world, pbdrVec3 value);

// Whether the world has positions and velocities of particles, or of bodies only.
static inline bool pbdrHasParticles(const pbdrWorld* world)
{
    return world->engine == pbdr_engineParticle;
}
// Whether a body's state is a pose and its velocity: pushers, static bodies, and all of XPBD-R's.
static inline bool pbdrIsKeptRigid(const pbdrWorld* world, const pbdrBody* body)
{
    return body->kind != pbdr_bodyDynamic || world->solver == pbdr_solverXpbdR;
}

// Builds, from the rest arrays, the sphere tree and second moments of a body of a world without particles.
// False without memory.
bool pbdrBuildTree(pbdrWorld* world, pbdrBody* body);
void pbdrFreeTree(pbdrWorld* world, pbdrBody* body);

// Places a body (all its particles, if the world keeps them) as a rigid body, at body->rotation and the given
// centre and velocity.
void pbdrPlaceParticles(pbdrWorld* world, pbdrBody* body, pbdrVec3 centre, pbdrVelocity velocity);

// A body with extra inertia J turns by I = I_p + R J R^T, I_p being the point masses', and has L = L_p + R J
// R^T w. The second part is carried (extraSpin), not measured: w = I_p^-1 L_p is that of a rigid body only at
// the end of an iteration, as an Euler step stretches the body by (w dt)^2. (particles.c)
pbdrMat3 pbdrAddExtraInertia(const pbdrBody* body, const pbdrMat3* inertia);
void pbdrAddExtraSpin(pbdrBody* body, pbdrVec3 w);
// Momentum constraint: by how much w is too large after the match, so that L is what it was before.
pbdrVec3 pbdrGetExcessSpin(pbdrBody* body, const pbdrMat3* inertia, pbdrVec3 spin, pbdrVec3 spinBefore,
                           double cutoff);

// --- Contacts (contact.c) ---

// Room for every plane and block in planeSlots; forgets all contacts. False without memory.
bool pbdrReservePlaneSlots(pbdrWorld* world);
// Where the index of a plane's contact with a block stands.
static inline int32_t* pbdrGetPlaneSlot(const pbdrWorld* world, int plane, int block)
{
    return world->planeSlots + (size_t)plane * world->planeSlotStride + (size_t)block;
}
// Forgets the last substep's contacts.
void pbdrClearContacts(pbdrWorld* world);
double pbdrMixFriction(pbdrFrictionMixing mixing, double a, double b);

// Momentum constraint and pseudo-inverses: relative size under which a principal moment counts as zero.
static inline double pbdrGetInertiaCutoff(const pbdrWorld* world)
{
    return world->precision == pbdr_precisionF32 ? PBDR_INERTIA_CUTOFF_F32 : PBDR_INERTIA_CUTOFF_F64;
}

// Whether v is (x - x_start)/dt: PBD, or PBD-R with its velocity update switched off.
static inline bool pbdrUsesStart(const pbdrWorld* world)
{
    return world->solver == pbdr_solverPbd || (world->ablation & pbdr_ablateVelocityUpdate) != 0;
}

#endif
