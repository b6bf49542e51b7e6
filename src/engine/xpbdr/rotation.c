// Rotation over a substep without contact: Euler's equations, and the kicks of an applied torque.
#include "engine/xpbdr/island.h"

// Euler's equations in body axes: I w' = (I w) x w.
static pbdrVec3 getPrecession(const pbdrBody* body, pbdrVec3 w)
{
    return pbdrMulMV(&body->shape->inverseTurning, pbdrCross(pbdrMulMV(&body->shape->turning, w), w));
}

// q' = q (0, w)/2, w in body axes.
static pbdrQuat getTurning(pbdrQuat q, pbdrVec3 w)
{
    return pbdrMulQQ(q, (pbdrQuat){0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z});
}

static pbdrQuat addQ(pbdrQuat a, double s, pbdrQuat b)
{
    return (pbdrQuat){a.w + s * b.w, a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

// Torque-free motion over the substep by the classical Runge-Kutta method: fourth order, so that energy and
// angular momentum are kept to 1e-9 over minutes. w in body axes.
static void rotateOnce(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    static const double stage[4] = {0.0, 0.5, 0.5, 1.0}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    pbdrQuat turning = {0.0, 0.0, 0.0, 0.0}, newQ = *q;
    pbdrVec3 precession = {0.0, 0.0, 0.0}, newW = *w;
    for (int k = 0; k < 4; k++) {
        pbdrQuat atQ = addQ(*q, stage[k] * dt, turning);
        pbdrVec3 atW = pbdrAddScaled(*w, stage[k] * dt, precession);
        turning = getTurning(atQ, atW);
        precession = getPrecession(body, atW);
        newQ = addQ(newQ, weight[k] * dt, turning);
        newW = pbdrAddScaled(newW, weight[k] * dt, precession);
    }
    *q = pbdrNormalizeQ(newQ);
    *w = newW;
}

// A fast spin takes more steps: 0.05 rad each, and 1000 at most.
static void rotateFreely(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    double turns = ceil(pbdrLength(*w) * dt / 0.05);
    int count = turns > 1.0 ? (turns < 1000.0 ? (int)turns : 1000) : 1; // NaN: one
    for (int k = 0; k < count; k++) {
        rotateOnce(body, dt / count, q, w);
    }
}

void pbdrRotateFreely(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    pbdrVec3 own = pbdrMulTransposedMV(&body->frame, *w);
    rotateFreely(body, dt, q, &own);
    const pbdrMat3 turn = pbdrMatFromQuat(*q);
    *w = pbdrMulMV(&turn, own);
}

// I^-1 of a torque, at an orientation.
static pbdrVec3 turnFaster(const pbdrBody* body, const pbdrMat3* turn, pbdrVec3 torque)
{
    pbdrMat3 inverse = pbdrTurnTensor(turn, &body->shape->inverseTurning);
    return pbdrMulMV(&inverse, torque);
}

// A substep without contact: half of the torque's kick, free rotation, the other half (Strang's splitting:
// second order). w in world axes.
void pbdrRotateUnderTorque(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w)
{
    pbdrVec3 half = pbdrScale(0.5 * dt, body->torque);
    pbdrVec3 free = pbdrMulTransposedMV(&body->frame, pbdrAdd(*w, turnFaster(body, &body->frame, half)));
    rotateFreely(body, dt, q, &free);
    pbdrMat3 turn = pbdrMatFromQuat(*q);
    *w = pbdrAdd(pbdrMulMV(&turn, free), turnFaster(body, &turn, half));
}
