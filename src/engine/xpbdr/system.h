// The linear system of an island: 6x6 blocks, one row per mover, sparse, with the pattern of its touching pairs.
//
//   pattern --> order of elimination --> fill --> (values --> factors --> solution), as often as Newton asks
#ifndef PBDR_ENGINE_XPBDR_SYSTEM_H
#define PBDR_ENGINE_XPBDR_SYSTEM_H

#include "engine/xpbdr/island.h"

// Its parts are lists that grow with the largest island; whoever solves has one of his own.
typedef struct pbdrSystem {
    int rowCount;
    int firstJoint;     // rows from here on are joints' (docs/theory/joints.md)
    int firstGear;      // and from here on gears'
    int edgeCount;      // blocks above the diagonal
    pbdrList places;    // int32_t per mover: when it is eliminated
    pbdrList starts;    // int32_t per place, and one more: where its edges begin
    pbdrList ends;      // int32_t per edge: the later place
    pbdrList blocks;    // pbdrBlock6: the diagonal, then two per edge (above, below)
    pbdrList sides;     // pbdrTwist per place: right-hand side, then solution
    pbdrList pairs;     // int32_t[2] per two-sided patch
    pbdrList nodes;     // pbdrSystemNode: the ordering's
    pbdrList pool;      // int32_t: lists of neighbours
    pbdrList heads;     // int32_t per degree
    pbdrList pivots;    // int[6] per place, of the diagonal's factors
    int mostNeighbours; // of a row when it is eliminated: beyond that there is no plan
} pbdrSystem;

// A row while rows are eliminated: its neighbours are those that are left.
typedef struct pbdrSystemNode {
    int32_t first, count;   // in the pool
    int32_t next, previous; // among the rows of this degree; -1: none
} pbdrSystemNode;

void pbdrInitSystem(pbdrSystem* system);
void pbdrFreeSystem(pbdrMemory* memory, pbdrSystem* system);

// Orders the movers, the joints and the gears, rows of their own behind those of the movers, and lists the blocks; every
// two-sided patch that bears learns its edge, and joints and gears theirs. False without memory, or where factors would
// fill up.
bool pbdrPlanJointedSystem(pbdrMemory* memory, pbdrSystem* system, int moverCount, pbdrActivePatch* patches,
                           int patchCount, pbdrActiveJoint* joints, int jointCount, pbdrActiveGear* gears,
                           int gearCount);
static inline bool pbdrPlanSystem(pbdrMemory* memory, pbdrSystem* system, int moverCount,
                                  pbdrActivePatch* patches, int patchCount)
{
    return pbdrPlanJointedSystem(memory, system, moverCount, patches, patchCount, NULL, 0, NULL, 0);
}

// When each row is eliminated (places), and whom it touches as it goes (nodes, pool). False as above. (system_order.c)
bool pbdrOrderSystem(pbdrMemory* memory, pbdrSystem* system, const pbdrActivePatch* patches, int patchCount,
                     const pbdrActiveJoint* joints, int jointCount, const pbdrActiveGear* gears,
                     int gearCount);

// All blocks zero.
void pbdrClearSystem(pbdrSystem* system);
// The same, but for M/dt^2 of every mover on the diagonal. perStep: 1/dt^2.
void pbdrStartSystem(pbdrSystem* system, const pbdrMover* movers, double perStep);
// The diagonal block of a mover.
pbdrBlock6* pbdrGetDiagonal(const pbdrSystem* system, int mover);
// The block of a joint and one of its movers: in the joint's row, or in the mover's.
pbdrBlock6* pbdrGetJointBlock(const pbdrSystem* system, const pbdrActiveJoint* joint, int side, bool ofJoint);
pbdrBlock6* pbdrGetGearBlock(const pbdrSystem* system, const pbdrActiveGear* gear, int side, bool ofGear);
// Adds a patch's stiffness about A's centre of mass to the blocks of both.
void pbdrAddStiffness(pbdrSystem* system, const pbdrActivePatch* active, const pbdrBlock6* stiffness);
// Factors, then as many right-hand sides as one likes: every mover's step, or what stands where pbdrGetSide says, by row.
// False if a block is singular or not finite.
bool pbdrFactorSystem(pbdrSystem* system);
void pbdrSolveFactored(pbdrSystem* system, pbdrMover* movers);
void pbdrSolveSides(pbdrSystem* system);

static inline double* pbdrGetSide(const pbdrSystem* system, int row)
{
    return ((pbdrTwist*)system->sides.items + ((int32_t*)system->places.items)[row])->v;
}

static inline bool pbdrSolveSystem(pbdrSystem* system, pbdrMover* movers)
{
    const bool good = pbdrFactorSystem(system);
    if (good) {
        pbdrSolveFactored(system, movers);
    }
    return good;
}

// X^T S X: a stiffness about a point that is farther back by d.
pbdrBlock6 pbdrShiftBlock(const pbdrBlock6* stiffness, pbdrVec3 d);

#endif
