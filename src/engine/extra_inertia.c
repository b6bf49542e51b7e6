#include "engine/extra_inertia.h"

#include "math/sym3.h"

static pbdrMat3 turnExtraInertia(const pbdrBody* body)
{
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    return pbdrTurnTensor(&turn, &body->shape->extraInertia);
}

pbdrMat3 pbdrAddExtraInertia(const pbdrBody* body, const pbdrMat3* inertia)
{
    if (!body->shape->hasExtraInertia) {
        return *inertia;
    }
    pbdrMat3 extra = turnExtraInertia(body);
    return pbdrAddScaledMM(&extra, 1.0, inertia);
}

pbdrVec3 pbdrGetExtraSpin(const pbdrBody* body, pbdrVec3 w)
{
    if (!body->shape->hasExtraInertia) {
        return pbdrVec(0.0, 0.0, 0.0);
    }
    pbdrMat3 extra = turnExtraInertia(body);
    return pbdrMulMV(&extra, w);
}

pbdrVec3 pbdrRestoreSpin(const pbdrBody* body, const pbdrMat3* inertia, pbdrVec3 spin, pbdrVec3 spinBefore,
                         double cutoff, pbdrVec3* extraSpin)
{
    if (!body->shape->hasExtraInertia) {
        return pbdrSymSolve(inertia, pbdrSub(spin, spinBefore), cutoff);
    }
    pbdrMat3 whole = pbdrAddExtraInertia(body, inertia);
    pbdrVec3 w = pbdrSymSolve(&whole, pbdrAdd(spinBefore, *extraSpin), cutoff);
    *extraSpin = pbdrGetExtraSpin(body, w);
    return pbdrSub(pbdrSymSolve(inertia, spin, cutoff), w);
}
