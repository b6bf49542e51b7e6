// XPBD-R: what PBD-R converges to. Contacts and friction are solved to a tolerance, six unknowns per body.
//
//   contact candidates --> islands (islands.c) --> Newton per island (solve.c) --> motion (motion.c)
//
// The method is ours, not the paper's: docs/theory/xpbdr.md.
#ifndef PBDR_ENGINE_XPBDR_XPBDR_H
#define PBDR_ENGINE_XPBDR_XPBDR_H

#include "contact/candidates.h"
#include "engine/xpbdr/contact_law.h"

// What the engine keeps of a body.
typedef struct pbdrXpbdrBody {
    pbdrVec3 centreLeft, velocityLeft; // what rounding left of the last changes (motion.c)
    pbdrVec3 turnLeft;                 // and what was too little to turn by [rad]
    double lastStep[6];                // y of the last substep
    bool hasLastStep;                  // and that one went on smoothly
    bool kicked;                       // lastStep is the kick of joints at its begin instead (mechanism.c)
    bool swept;                        // its contacts were swept then (sweep.h)
    int failures;                      // substeps in a row in which exact solves failed, up to a limit
    // Its factorised Jacobian, for the next substep's first step
    bool hasFactors;
    int pivots[6];
    double factors[6][6];
    // Its place among the islands of the substep
    int island, mover;
    uint64_t substepSeen;
} pbdrXpbdrBody;

typedef struct pbdrXpbdrWorld {
    pbdrScene* scene;
    const struct pbdrKernels* kernels;
    pbdrList bodies; // pbdrXpbdrBody
    pbdrCandidates candidates;
    // Islands of the substep (island.h) and their linear systems
    pbdrList parents; // int32_t per body: union-find
    pbdrList movers, activePatches, activeJoints, activeGears, islands;
    struct pbdrXpbdrWorker* workers; // one per thread (newton.h)
} pbdrXpbdrWorld;

static inline pbdrXpbdrBody* pbdrGetXpbdrBody(const pbdrXpbdrWorld* world, int index)
{
    return (pbdrXpbdrBody*)world->bodies.items + index;
}

// Of all bodies and of joints' axes, by their indices, at the present state and without contacts (accelerations.c);
// pbdr_statusNotSupported where joints make loops.
pbdrStatus pbdrFindAccelerations(void* engine, pbdrVelocity* bodies, double* joints);

// Columns of an item within a substep, behind those that all engines have.
enum {
    ITEM_NORMAL = ITEM_SCRATCH,   // towards A, three columns
    ITEM_LEVER = ITEM_NORMAL + 3, // from A's centre of mass to the point of contact [m]
    ITEM_AHEAD = ITEM_LEVER + 3,  // gap + dt n.v: the gap to come if no force acts [m]
    ITEM_GAP,                     // of surfaces, now [m]
    ITEM_BEFORE,                  // touched as it was before the substep
    ITEM_ROW,                     // 1 where it is a row of the sweeps
    ITEM_HOLD,                    // T, three columns [N]
    ITEM_STATE = ITEM_HOLD + 3,   // g [m] and p [N]: four columns, twice
    ITEM_COLUMNS = ITEM_STATE + 8
};

#endif
