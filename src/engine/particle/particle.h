// The particle engine: the paper's algorithm, one state per sphere.
//
// Particles stand in arrays of one scalar each (structure of arrays), a body's particles side by side. Each
// body starts on a new block of PBDR_BLOCK particles; the rest of its last block is padding with mass 0 and a
// radius of minus infinity, so that stages work on whole blocks: padding adds nothing to sums and touches
// nothing.
#ifndef PBDR_ENGINE_PARTICLE_PARTICLE_H
#define PBDR_ENGINE_PARTICLE_PARTICLE_H

#include "scene/scene.h"

// Sums over a body: the state of all its particles in a few numbers. Taken about the body's centre and
// velocity one substep ago, so that they are sums of small numbers.
typedef struct pbdrMoments {
    pbdrVec3 centre;           // t = sum m x / sum m [m]
    pbdrVec3 relativeMomentum; // sum m (v - velocity) [kg m/s]
    pbdrVec3 spin;             // L about t [kg m^2/s]
    pbdrMat3 spread;           // A = sum m (x - t) q^T [kg m^2]; only from measureSpread
    pbdrMat3 inertia;          // sum m (r.r 1 - r r^T), r = x - t [kg m^2]; only from measureInertia
} pbdrMoments;

// What the engine keeps of a body.
typedef struct pbdrParticleBody {
    int firstBlock, blockCount;
    double weight;      // sum of the particles' masses as rounded to the world's precision [kg]
    pbdrVec3 extraSpin; // engine/extra_inertia.h [kg m^2/s]
    // Within a substep
    pbdrMoments before;  // before shape matching
    pbdrMoments after;   // after it
    pbdrVec3 correction; // momentum constraint: change of linear velocity [m/s]
    pbdrVec3 turn;       // and of angular velocity [rad/s]
    double contactWay;   // largest contact correction of this iteration [m]
    double travel;       // bound on any particle's way since pairs were searched [m]
} pbdrParticleBody;

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

// The contacts of one block of particles with one plane in this substep.
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

// A particle in the spatial hash.
typedef struct pbdrGridEntry {
    int32_t particle, body;
    int32_t next; // entry of the same bucket, or -1
    int32_t cell[3];
    double position[3];
    double reach; // radius and half the body's margin [m]; negative: left out
} pbdrGridEntry;

typedef struct pbdrParticleWorld {
    pbdrScene* scene;
    const struct pbdrStages* stages;
    pbdrList bodies; // pbdrParticleBody
    pbdrParticles particles;
    // Contacts of the last substep
    pbdrList planeTouches; // pbdrPlaneTouch
    int32_t* planeSlots;   // [plane * planeSlotStride + block]: index in planeTouches + 1, 0 for none
    size_t planeSlotCount, planeSlotStride;
    pbdrList pairs; // pbdrPair, ascending
    // Scratch of the pair search
    pbdrList foundPairs;  // pbdrPair
    pbdrList boxes;       // pbdrBox
    pbdrList marks;       // uint8_t per particle: near another body
    pbdrList gridEntries; // pbdrGridEntry
    pbdrList gridStarts;  // int32_t per bucket
} pbdrParticleWorld;

static inline pbdrParticleBody* pbdrGetParticleBody(const pbdrParticleWorld* world, int index)
{
    return (pbdrParticleBody*)world->bodies.items + index;
}

// Index of the body that a particle belongs to.
static inline int pbdrGetOwner(const pbdrParticleWorld* world, int particle)
{
    return ((const pbdrBlock*)world->particles.blocks)[particle / PBDR_BLOCK].body;
}

// Where the index of a plane's contact with a block stands.
static inline int32_t* pbdrGetPlaneSlot(const pbdrParticleWorld* world, int plane, int block)
{
    return world->planeSlots + (size_t)plane * world->planeSlotStride + (size_t)block;
}

// Whether v is (x - x_start)/dt: PBD, or PBD-R with its velocity update switched off.
static inline bool pbdrUsesStart(const pbdrScene* scene)
{
    return scene->solver == pbdr_solverPbd || (scene->ablation & pbdr_ablateVelocityUpdate) != 0;
}

// --- Arrays (particles.c) ---

// Every array that has an entry per particle or per block, for code that treats them alike.
typedef struct pbdrArray {
    void** items;
    size_t blockSize; // bytes per block
    bool isState;     // changes as the world runs
} pbdrArray;
#define PBDR_MAX_ARRAYS 20
int pbdrListArrays(pbdrParticleWorld* world, pbdrArray arrays[PBDR_MAX_ARRAYS]);
size_t pbdrGetRealSize(const pbdrScene* scene);

// Room for blockCapacity blocks in all arrays. False, and nothing changed, without memory.
bool pbdrReserveBlocks(pbdrParticleWorld* world, int blockCapacity);
void pbdrFreeParticles(pbdrParticleWorld* world);

// One scalar of a particle array, in double whatever the precision.
double pbdrReadReal(const pbdrScene* scene, const void* array, int index);
pbdrVec3 pbdrReadVec(const pbdrScene* scene, void* const arrays[3], int index);
// value as the world's precision can hold it
double pbdrRoundReal(const pbdrScene* scene, double value);

// Writes the constants of a body's particles; sets its weight.
void pbdrFillParticles(pbdrParticleWorld* world, pbdrParticleBody* own, const pbdrShape* shape);
// Places all of a body's particles as a rigid body, at its rotation and the given centre and velocity.
void pbdrPlaceParticles(pbdrParticleWorld* world, int index, pbdrVec3 centre, pbdrVelocity velocity);
// Sums of the next substep are taken about where the body is and how it moves now.
void pbdrMoveOrigin(pbdrParticleWorld* world, pbdrBody* body, const pbdrParticleBody* own);

// --- Contacts (contacts.c) ---

// Room for every plane and block in planeSlots; forgets all contacts. False without memory.
bool pbdrReservePlaneSlots(pbdrParticleWorld* world);
// Forgets the last substep's contacts.
void pbdrClearContacts(pbdrParticleWorld* world);
int pbdrVisitParticleContacts(const pbdrParticleWorld* world, pbdrContactVisit visit, void* context);

// --- State (state.c) ---

size_t pbdrGetParticleStateSize(const pbdrParticleWorld* world);
void pbdrSaveParticles(const pbdrParticleWorld* world, char* bytes);
bool pbdrAreParticlesSound(const pbdrParticleWorld* world, const char* bytes, size_t size);
bool pbdrLoadParticles(pbdrParticleWorld* world, const char* bytes);

#endif
