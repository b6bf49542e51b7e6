// The linear system of an island: 6x6 blocks, one row per mover, sparse, with the pattern of its touching pairs.
//
//   pattern --> order of elimination --> fill --> (values --> factors --> solution), as often as Newton asks
#ifndef PBDR_ENGINE_XPBDR_SYSTEM_H
#define PBDR_ENGINE_XPBDR_SYSTEM_H

#include "engine/xpbdr/island.h"

// Its parts are lists that grow with the largest island; whoever solves has one of his own.
typedef struct pbdrSystem {
    int rowCount;
    int edgeCount;      // blocks above the diagonal
    pbdrList places;    // int32_t per mover: when it is eliminated
    pbdrList starts;    // int32_t per place, and one more: where its edges begin
    pbdrList ends;      // int32_t per edge: the later place
    pbdrList blocks;    // pbdrBlock6: the diagonal, then two per edge (above, below)
    pbdrList sides;     // pbdrTwist per place: right-hand side, then solution
    pbdrList pairs;     // int32_t[2] per two-sided patch
    pbdrList nodes;     // the ordering's
    pbdrList pool;      // int32_t: lists of neighbours
    pbdrList heads;     // int32_t per degree
    pbdrList pivots;    // int[6] per place, of the diagonal's factors
    int mostNeighbours; // of a row when it is eliminated: beyond that there is no plan
} pbdrSystem;

void pbdrInitSystem(pbdrSystem* system);
void pbdrFreeSystem(pbdrMemory* memory, pbdrSystem* system);

// Orders the movers and lists the blocks; every two-sided patch that bears learns its edge. False without memory, or
// where factors would fill up.
bool pbdrPlanSystem(pbdrMemory* memory, pbdrSystem* system, int moverCount, pbdrActivePatch* patches,
                    int patchCount);

// All blocks zero.
void pbdrClearSystem(pbdrSystem* system);
// The same, but for M/dt^2 of every mover on the diagonal. perStep: 1/dt^2.
void pbdrStartSystem(pbdrSystem* system, const pbdrMover* movers, double perStep);
// The diagonal block of a mover.
pbdrBlock6* pbdrGetDiagonal(const pbdrSystem* system, int mover);
// Adds a patch's stiffness about A's centre of mass to the blocks of both.
void pbdrAddStiffness(pbdrSystem* system, const pbdrActivePatch* active, const pbdrBlock6* stiffness);
// Solves for every mover's step, where the right-hand side stands. False if a block is singular or not finite.
bool pbdrSolveSystem(pbdrSystem* system, pbdrMover* movers);
// The same in two parts: factors, then as many right-hand sides as one likes.
bool pbdrFactorSystem(pbdrSystem* system);
void pbdrSolveFactored(pbdrSystem* system, pbdrMover* movers);

// X^T S X: a stiffness about a point that is farther back by d.
pbdrBlock6 pbdrShiftBlock(const pbdrBlock6* stiffness, pbdrVec3 d);

#endif
