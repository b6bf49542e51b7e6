// A world's state as bytes: everything that changes as it runs, so that restoring it goes on bit for bit.
//
//   header | bodies' state | arrays with isState, blockCount blocks each | plane touches | pairs
//          | patches | items' spheres | items' carried columns
//
// Worlds that keep no particles have nothing in the second line but contacts, and the other way round.
// Patches are saved, not searched anew: which spheres are listed decides the order of sums, and so the bits.
#include "solver/candidates.h"
#include "world/definition.h"

#include <string.h>

#define MAGIC 0x31737472u

typedef struct Header {
    uint32_t magic;
    int32_t precision, solver, engine, bodyCount, planeCount, blockCount, planeTouchCount, pairCount;
    int32_t patchCount, itemCount;
    uint32_t layout; // fingerprint of bodies and planes: a state fits a world made by the same calls
    int32_t iterations;
    int32_t searchFull; // also where padding would be: all bytes of a state are defined
    uint64_t substepCount;
    double timeStep, relaxation;
    pbdrVec3 gravity;
} Header;

typedef struct BodyState {
    double friction;
    pbdrVec3 force, torque, centre0, drift0, angular, extraSpin;
    pbdrQuat rotation;
    pbdrMat3 stretch, stretchRate;
    pbdrTreePlace searched;
    double searchedReach;
    double lag[6], lastStep[6];
    int32_t lastStepCount, hasFactors;
    int32_t pivots[6];
    double factors[6][6];
} BodyState;

// Of an item: its spheres and what it carries.
#define ITEM_SIZE (2 * sizeof(int32_t) + (ITEM_SCRATCH - ITEM_FORCE) * sizeof(double))

static uint32_t addToHash(uint32_t hash, const void* bytes, size_t size)
{
    for (size_t k = 0; k < size; k++) {
        hash = (hash ^ ((const unsigned char*)bytes)[k]) * 16777619u; // FNV-1a
    }
    return hash;
}

// Of what creation fixed: settings without a setter, which bodies and planes there are, their sizes, masses
// and shapes.
static uint32_t fingerprint(const pbdrWorld* world)
{
    uint32_t hash = 2166136261u;
#define ADD(value) hash = addToHash(hash, &(value), sizeof(value))
    ADD(world->ablation);
    ADD(world->mixing);
    for (int index = 0; index < world->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(world, index);
        ADD(body->alive);
        ADD(body->kind);
        ADD(body->generation);
        ADD(body->particleCount);
        ADD(body->firstBlock);
        ADD(body->mass);
        ADD(body->largestRadius);
        ADD(body->restInertia);
        ADD(body->restitution);
    }
    for (int index = 0; index < world->planes.count; index++) {
        const pbdrPlane* plane = pbdrGetPlane(world, index);
        ADD(plane->alive);
        ADD(plane->generation);
        ADD(plane->normal);
        ADD(plane->offset);
        ADD(plane->friction);
        ADD(plane->restitution);
    }
#undef ADD
    return hash;
}

static size_t getSize(const Header* header, size_t realSize)
{
    return sizeof *header + (size_t)header->bodyCount * sizeof(BodyState) +
           (header->engine == pbdr_engineParticle ? 6 : 0) * (size_t)header->blockCount * PBDR_BLOCK *
               realSize +
           (size_t)header->planeTouchCount * sizeof(pbdrPlaneTouch) +
           (size_t)header->pairCount * sizeof(pbdrPair) + (size_t)header->patchCount * sizeof(pbdrPatch) +
           (size_t)header->itemCount * ITEM_SIZE;
}

static Header describe(const pbdrWorld* world)
{
    return (Header){
        .magic = MAGIC,
        .precision = (int32_t)world->precision,
        .solver = (int32_t)world->solver,
        .engine = (int32_t)world->engine,
        .bodyCount = world->bodies.count,
        .planeCount = world->planes.count,
        .blockCount = world->particles.blockCount,
        .planeTouchCount = world->planeTouches.count,
        .pairCount = world->pairs.count,
        .patchCount = world->patches.count,
        .itemCount = world->items.count,
        .layout = fingerprint(world),
        .iterations = world->iterations,
        .searchFull = world->searchFull,
        .substepCount = world->substepCount,
        .timeStep = world->timeStep,
        .relaxation = world->relaxation,
        .gravity = world->gravity,
    };
}

size_t pbdrWorld_GetStateSize(const pbdrWorld* world)
{
    Header header = describe(world);
    return getSize(&header, pbdrGetRealSize(world));
}

static char* put(char* to, const void* from, size_t size)
{
    if (size > 0) {
        memcpy(to, from, size);
    }
    return to + size;
}

static const char* take(const char* from, void* to, size_t size)
{
    if (size > 0) {
        memcpy(to, from, size);
    }
    return from + size;
}

pbdrStatus pbdrWorld_GetState(const pbdrWorld* world, void* buffer, size_t size, pbdrError* error)
{
    Header header;
    memset(&header, 0, sizeof header);
    header = describe(world);
    size_t needed = getSize(&header, pbdrGetRealSize(world));
    if (buffer == NULL || size < needed) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "state: a buffer of %zu bytes for %zu", size,
                        needed);
    }
    char* at = put(buffer, &header, sizeof header);
    for (int index = 0; index < world->bodies.count; index++) {
        const pbdrBody* b = pbdrGetBody(world, index);
        BodyState state = {
            .friction = b->friction,
            .force = b->force,
            .torque = b->torque,
            .centre0 = b->centre0,
            .drift0 = b->drift0,
            .angular = b->angular,
            .extraSpin = b->extraSpin,
            .rotation = b->rotation,
            .stretch = b->stretch,
            .stretchRate = b->stretchRate,
            .searched = b->searched,
            .searchedReach = b->searchedReach,
            .lastStepCount = b->lastStepCount,
            .hasFactors = b->hasFactors,
        };
        for (int k = 0; k < 6; k++) {
            state.pivots[k] = b->pivots[k];
        }
        memcpy(state.factors, b->factors, sizeof b->factors);
        memcpy(state.lag, b->lag, sizeof b->lag);
        memcpy(state.lastStep, b->lastStep, sizeof b->lastStep);
        at = put(at, &state, sizeof state);
    }
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays((pbdrWorld*)world, arrays); // only read here
    for (int k = 0; k < count; k++) {
        if (arrays[k].isState) {
            at = put(at, *arrays[k].items, (size_t)world->particles.blockCount * arrays[k].blockSize);
        }
    }
    at = put(at, world->planeTouches.items, (size_t)world->planeTouches.count * sizeof(pbdrPlaneTouch));
    at = put(at, world->pairs.items, (size_t)world->pairs.count * sizeof(pbdrPair));
    at = put(at, world->patches.items, (size_t)world->patches.count * sizeof(pbdrPatch));
    for (int side = 0; side < 2; side++) {
        at = put(at, world->items.spheres[side], (size_t)world->items.count * sizeof(int32_t));
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        at = put(at, pbdrGetColumn(&world->items, k), (size_t)world->items.count * sizeof(double));
    }
    return pbdr_statusOk;
}

// Whether the header is that of a state of this world, size bytes long.
static bool fits(const pbdrWorld* world, const Header* header, size_t size)
{
    Header own = describe(world);
    return header->magic == MAGIC && header->precision == own.precision && header->solver == own.solver &&
           header->engine == own.engine && header->patchCount >= 0 && header->itemCount >= 0 &&
           header->bodyCount == own.bodyCount && header->planeCount == own.planeCount &&
           header->blockCount == own.blockCount && header->layout == own.layout &&
           header->planeTouchCount >= 0 && header->pairCount >= 0 &&
           getSize(header, pbdrGetRealSize(world)) == size &&
           pbdrCheckIterations(header->iterations, NULL) == pbdr_statusOk &&
           pbdrCheckTimeStep(header->timeStep, NULL) == pbdr_statusOk &&
           pbdrCheckRelaxation(header->relaxation, NULL) == pbdr_statusOk && pbdrIsFiniteVec(header->gravity);
}

// Whether the contacts at the end of a state name planes, blocks and particles that exist: bytes from outside
// are not trusted. `at` points at the plane touches.
static bool areContactsSound(const pbdrWorld* world, const Header* header, const char* at)
{
    for (int k = 0; k < header->planeTouchCount; k++) {
        pbdrPlaneTouch touch;
        at = take(at, &touch, sizeof touch);
        if (touch.plane < 0 || touch.plane >= world->planes.count || touch.block < 0 ||
            touch.block >= world->particles.blockCount) {
            return false;
        }
    }
    const int particleCount = world->particles.blockCount * PBDR_BLOCK;
    for (int k = 0; k < header->pairCount; k++) {
        pbdrPair pair;
        at = take(at, &pair, sizeof pair);
        if (pair.first < 0 || pair.first >= particleCount || pair.second < 0 ||
            pair.second >= particleCount) {
            return false;
        }
    }
    return true;
}

static bool isLiveBody(const pbdrWorld* world, int index)
{
    return index >= 0 && index < world->bodies.count && pbdrGetBody(world, index)->alive;
}

// Whether a patch names a plane or a second body, and somebody whom contact moves.
static bool isPatchSound(const pbdrWorld* world, const pbdrPatch* patch)
{
    if (!isLiveBody(world, patch->bodyA)) {
        return false;
    }
    bool moves = pbdrGetBody(world, patch->bodyA)->kind == pbdr_bodyDynamic;
    if (patch->plane >= 0) {
        return patch->plane < world->planes.count && pbdrGetPlane(world, patch->plane)->alive &&
               patch->bodyB == -1 && moves;
    }
    return patch->plane == -1 && patch->bodyB != patch->bodyA && isLiveBody(world, patch->bodyB) &&
           (moves || pbdrGetBody(world, patch->bodyB)->kind == pbdr_bodyDynamic);
}

// The same of patches and items, to which `at` points: each patch has its items behind those of the last.
static bool arePatchesSound(const pbdrWorld* world, const Header* header, const char* at)
{
    const char* spheres = at + (size_t)header->patchCount * sizeof(pbdrPatch);
    int end = 0;
    for (int k = 0; k < header->patchCount; k++) {
        pbdrPatch patch;
        at = take(at, &patch, sizeof patch);
        bool plane = patch.plane >= 0;
        if (!isPatchSound(world, &patch) || patch.count < 0 || patch.first != end ||
            patch.padded % PBDR_BLOCK != 0 || patch.padded < patch.count ||
            patch.padded > header->itemCount - end) {
            return false;
        }
        for (int item = end; item < end + patch.count; item++) {
            int32_t a, b;
            take(spheres + (size_t)item * sizeof a, &a, sizeof a);
            take(spheres + ((size_t)header->itemCount + (size_t)item) * sizeof b, &b, sizeof b);
            if (a < 0 || a >= pbdrGetBody(world, patch.bodyA)->particleCount ||
                (!plane && (b < 0 || b >= pbdrGetBody(world, patch.bodyB)->particleCount))) {
                return false;
            }
        }
        end += patch.padded;
    }
    return end == header->itemCount;
}

static void takeSettings(pbdrWorld* world, const Header* header)
{
    world->iterations = header->iterations;
    world->searchFull = header->searchFull != 0;
    world->substepCount = header->substepCount;
    world->timeStep = header->timeStep;
    world->relaxation = header->relaxation;
    world->gravity = header->gravity;
}

static const char* takeBodies(pbdrWorld* world, const char* at)
{
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* b = pbdrGetBody(world, index);
        BodyState state;
        at = take(at, &state, sizeof state);
        b->friction = state.friction;
        b->force = state.force;
        b->torque = state.torque;
        b->centre0 = state.centre0;
        b->drift0 = state.drift0;
        b->angular = state.angular;
        b->extraSpin = state.extraSpin;
        b->rotation = state.rotation;
        b->stretch = state.stretch;
        b->stretchRate = state.stretchRate;
        b->searched = state.searched;
        b->searchedReach = state.searchedReach;
        memcpy(b->lag, state.lag, sizeof b->lag);
        memcpy(b->lastStep, state.lastStep, sizeof b->lastStep);
        b->lastStepCount = state.lastStepCount;
        b->hasFactors = state.hasFactors != 0;
        for (int k = 0; k < 6; k++) {
            // bytes from outside are not trusted
            b->pivots[k] = state.pivots[k] >= 0 && state.pivots[k] < 6 ? state.pivots[k] : k;
        }
        memcpy(b->factors, state.factors, sizeof b->factors);
        b->substepSeen = world->substepCount; // not in the next substep, which it may have seen before
    }
    return at;
}

static void takeContacts(pbdrWorld* world, const Header* header, const char* at)
{
    at = take(at, world->planeTouches.items, (size_t)header->planeTouchCount * sizeof(pbdrPlaneTouch));
    at = take(at, world->pairs.items, (size_t)header->pairCount * sizeof(pbdrPair));
    at = take(at, world->patches.items, (size_t)header->patchCount * sizeof(pbdrPatch));
    world->patches.count = header->patchCount;
    world->items.count = header->itemCount;
    for (int side = 0; side < 2; side++) {
        at = take(at, world->items.spheres[side], (size_t)header->itemCount * sizeof(int32_t));
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        at = take(at, pbdrGetColumn(&world->items, k), (size_t)header->itemCount * sizeof(double));
    }
    for (int k = 0; k < world->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        for (int item = patch->first; item < patch->first + patch->padded; item++) {
            if (item >= patch->first + patch->count) {
                world->items.spheres[0][item] = world->items.spheres[1][item] = -1;
            }
            pbdrFillItem(world, &world->items, patch, item);
        }
    }
    world->planeTouches.count = header->planeTouchCount;
    world->pairs.count = header->pairCount;
    const pbdrPlaneTouch* touches = world->planeTouches.items;
    for (int k = 0; k < header->planeTouchCount; k++) {
        *pbdrGetPlaneSlot(world, touches[k].plane, touches[k].block) = k + 1;
    }
}

pbdrStatus pbdrWorld_SetState(pbdrWorld* world, const void* buffer, size_t size, pbdrError* error)
{
    // All checks first: a state that is refused changes nothing.
    Header header;
    if (buffer == NULL || size < sizeof header) {
        return pbdrFail(error, pbdr_statusStateMismatch, "state: %zu bytes are too few", size);
    }
    const char* at = take(buffer, &header, sizeof header);
    if (!fits(world, &header, size)) {
        return pbdrFail(
            error, pbdr_statusStateMismatch,
            "state: %zu bytes of a world of %d bodies and %d planes do not fit this one of %d and %d", size,
            (int)header.bodyCount, (int)header.planeCount, world->bodies.count, world->planes.count);
    }
    size_t patchSize = (size_t)header.patchCount * sizeof(pbdrPatch) + (size_t)header.itemCount * ITEM_SIZE;
    size_t contactSize = (size_t)header.planeTouchCount * sizeof(pbdrPlaneTouch) +
                         (size_t)header.pairCount * sizeof(pbdrPair) + patchSize;
    if (!areContactsSound(world, &header, (const char*)buffer + size - contactSize) ||
        !arePatchesSound(world, &header, (const char*)buffer + size - patchSize)) {
        return pbdrFail(error, pbdr_statusStateMismatch,
                        "state: its contacts name particles that do not exist");
    }
    pbdrClearContacts(world);
    if (!pbdrListReserve(world, &world->planeTouches, header.planeTouchCount) ||
        !pbdrListReserve(world, &world->pairs, header.pairCount) ||
        !pbdrListReserve(world, &world->patches, header.patchCount) ||
        !pbdrReserveItems(world, &world->items, header.itemCount)) {
        return pbdrFail(error, pbdr_statusNoMemory, "state: out of memory for its contacts");
    }

    takeSettings(world, &header);
    at = takeBodies(world, at);
    pbdrArray arrays[PBDR_MAX_ARRAYS];
    int count = pbdrListArrays(world, arrays);
    for (int k = 0; k < count; k++) {
        if (arrays[k].isState) {
            at = take(at, *arrays[k].items, (size_t)world->particles.blockCount * arrays[k].blockSize);
        }
    }
    takeContacts(world, &header, at);
    return pbdr_statusOk;
}
