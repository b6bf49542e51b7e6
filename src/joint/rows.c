#include "joint/rows.h"

#include "math/angle.h"

#include <string.h>

pbdrJointSide pbdrGetJointSide(const pbdrScene* scene, int index)
{
    if (index < 0) {
        return (pbdrJointSide){.turn = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};
    }
    const pbdrBody* body = pbdrGetBody(scene, index);
    return (pbdrJointSide){body->centre, body->frame, body->velocity, body->angular};
}

static void setRow(double row[6], pbdrVec3 linear, pbdrVec3 angular)
{
    row[0] = linear.x;
    row[1] = linear.y;
    row[2] = linear.z;
    row[3] = angular.x;
    row[4] = angular.y;
    row[5] = angular.z;
}

// An axis of a side's frame, in world axes.
static pbdrVec3 getAxis(const pbdrJoint* joint, const pbdrJointSide* sides, int side, int axis)
{
    const pbdrMat3* basis = &joint->bases[side];
    return pbdrMulMV(&sides[side].turn, pbdrVec(basis->m[0][axis], basis->m[1][axis], basis->m[2][axis]));
}

// u.d with u at rest.
static void addPoint(pbdrJointRows* rows, int row, pbdrVec3 d, pbdrVec3 u)
{
    rows->gaps[row] = pbdrDot(u, d);
    setRow(rows->jacobians[0][row], pbdrScale(-1.0, u), pbdrCross(u, rows->levers[0]));
    setRow(rows->jacobians[1][row], u, pbdrCross(rows->levers[1], u));
}

// u.d with u of A's frame: A's lever goes as far as B's anchor.
static void addOffset(pbdrJointRows* rows, int row, pbdrVec3 d, pbdrVec3 u)
{
    addPoint(rows, row, d, u);
    setRow(rows->jacobians[0][row], pbdrScale(-1.0, u), pbdrCross(u, pbdrAdd(rows->levers[0], d)));
}

static void addDot(pbdrJointRows* rows, int row, pbdrVec3 u, pbdrVec3 v)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    rows->gaps[row] = pbdrDot(u, v);
    setRow(rows->jacobians[0][row], none, pbdrCross(u, v));
    setRow(rows->jacobians[1][row], none, pbdrCross(v, u));
}

void pbdrFindJointRows(const pbdrJoint* joint, const pbdrJointSide sides[2], pbdrJointRows* rows)
{
    enum { SIDE, OTHER, AXIS };
    memset(rows, 0, sizeof *rows);
    for (int side = 0; side < 2; side++) {
        rows->levers[side] = pbdrMulMV(&sides[side].turn, joint->anchors[side]);
    }
    // centres first: they may be far from the origin
    const pbdrVec3 d =
        pbdrAdd(pbdrSub(sides[1].centre, sides[0].centre), pbdrSub(rows->levers[1], rows->levers[0]));
    int count = 0;
    if (joint->kind == pbdr_jointDistance || joint->kind == pbdr_jointSpan) {
        const bool held = joint->kind == pbdr_jointDistance;
        const double distance = pbdrLength(d);
        addPoint(rows, held ? 0 : PBDR_JOINT_AXIS, d,
                 distance > 0.0 ? pbdrScale(1.0 / distance, d) : pbdrVec(0.0, 0.0, 1.0));
        rows->gaps[0] = held ? distance - joint->length : 0.0;
        count = held ? 1 : 0;
    } else if (joint->kind == pbdr_jointSlide) {
        addOffset(rows, count++, d, getAxis(joint, sides, 0, SIDE));
        addOffset(rows, count++, d, getAxis(joint, sides, 0, OTHER));
        addOffset(rows, PBDR_JOINT_AXIS, d, getAxis(joint, sides, 0, AXIS));
    } else if (joint->kind != pbdr_jointExclusion && joint->kind != pbdr_jointGear) {
        addPoint(rows, count++, d, pbdrVec(1.0, 0.0, 0.0));
        addPoint(rows, count++, d, pbdrVec(0.0, 1.0, 0.0));
        addPoint(rows, count++, d, pbdrVec(0.0, 0.0, 1.0));
    }
    rows->linear = count;
    if (joint->kind == pbdr_jointHinge) {
        const pbdrVec3 side = getAxis(joint, sides, 0, SIDE), other = getAxis(joint, sides, 0, OTHER),
                       axis = getAxis(joint, sides, 1, AXIS), turned = getAxis(joint, sides, 1, SIDE);
        addDot(rows, count++, side, axis);
        addDot(rows, count++, other, axis);
        const pbdrVec3 none = {0.0, 0.0, 0.0};
        setRow(rows->jacobians[0][PBDR_JOINT_AXIS], none, pbdrScale(-1.0, axis));
        setRow(rows->jacobians[1][PBDR_JOINT_AXIS], none, axis);
        rows->gaps[PBDR_JOINT_AXIS] = pbdrFindAngle(pbdrDot(other, turned), pbdrDot(side, turned));
    } else if (joint->kind == pbdr_jointSlide || joint->kind == pbdr_jointFixed) {
        addDot(rows, count++, getAxis(joint, sides, 0, OTHER), getAxis(joint, sides, 1, AXIS));
        addDot(rows, count++, getAxis(joint, sides, 0, AXIS), getAxis(joint, sides, 1, SIDE));
        addDot(rows, count++, getAxis(joint, sides, 0, SIDE), getAxis(joint, sides, 1, OTHER));
    } else if (joint->kind == pbdr_jointUniversal) {
        addDot(rows, count++, getAxis(joint, sides, 0, AXIS), getAxis(joint, sides, 1, AXIS));
    } else if (joint->ballLaw) {
        const pbdrVec3 none = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            const pbdrVec3 axis = getAxis(joint, sides, 1, k);
            setRow(rows->jacobians[0][3 + k], none, pbdrScale(-1.0, axis));
            setRow(rows->jacobians[1][3 + k], none, axis);
        }
    }
    rows->count = count;
}

pbdrMat3 pbdrGetBallTurn(const pbdrJoint* joint, const pbdrMat3* a, const pbdrMat3* b)
{
    const pbdrMat3 own = pbdrMulMM(a, &joint->bases[0]), other = pbdrMulMM(b, &joint->bases[1]),
                   back = pbdrTranspose(&own);
    return pbdrMulMM(&back, &other);
}

pbdrVec3 pbdrGetTurnVector(const pbdrMat3* turn)
{
    // the quaternion's squares, times four; the largest one is divided by
    const double(*m)[3] = turn->m;
    const double x = 1.0 + m[0][0] - m[1][1] - m[2][2], y = 1.0 - m[0][0] + m[1][1] - m[2][2],
                 z = 1.0 - m[0][0] - m[1][1] + m[2][2], w = 1.0 + m[0][0] + m[1][1] + m[2][2];
    const double wx = m[2][1] - m[1][2], wy = m[0][2] - m[2][0], wz = m[1][0] - m[0][1],
                 xy = m[1][0] + m[0][1], xz = m[0][2] + m[2][0], yz = m[2][1] + m[1][2];
    pbdrQuat q = {wx, x, xy, xz};
    if (w >= x && w >= y && w >= z) {
        q = (pbdrQuat){w, wx, wy, wz};
    } else if (y >= x && y >= z) {
        q = (pbdrQuat){wy, xy, y, yz};
    } else if (z >= x) {
        q = (pbdrQuat){wz, xz, yz, z};
    }
    return pbdrVectorFromQuat(q);
}

pbdrVec3 pbdrGetBallRate(const pbdrJoint* joint, const pbdrJointSide sides[2])
{
    const pbdrVec3 rate = pbdrSub(sides[1].angular, sides[0].angular);
    return pbdrVec(pbdrDot(getAxis(joint, sides, 1, 0), rate), pbdrDot(getAxis(joint, sides, 1, 1), rate),
                   pbdrDot(getAxis(joint, sides, 1, 2), rate));
}

double pbdrGetBallAngle(const pbdrJoint* joint, const pbdrJointSide sides[2])
{
    const pbdrMat3 turn = pbdrGetBallTurn(joint, &sides[0].turn, &sides[1].turn);
    return pbdrLength(pbdrGetTurnVector(&turn));
}

double pbdrGetBallAngleRate(const pbdrJoint* joint, const pbdrJointSide sides[2])
{
    const pbdrMat3 turn = pbdrGetBallTurn(joint, &sides[0].turn, &sides[1].turn);
    const pbdrVec3 vector = pbdrGetTurnVector(&turn), rate = pbdrGetBallRate(joint, sides);
    const double angle = pbdrLength(vector);
    return angle > 0.0 ? pbdrDot(vector, rate) / angle : pbdrLength(rate);
}

double pbdrGetRowRate(const pbdrJointRows* rows, const pbdrJointSide sides[2], int row)
{
    double rate = 0.0;
    for (int side = 0; side < 2; side++) {
        const double* j = rows->jacobians[side][row];
        rate += pbdrDot(pbdrVec(j[0], j[1], j[2]), sides[side].velocity) +
                pbdrDot(pbdrVec(j[3], j[4], j[5]), sides[side].angular);
    }
    return rate;
}

double pbdrGetLinearGap(const pbdrJointRows* rows)
{
    double square = 0.0;
    for (int row = 0; row < rows->linear; row++) {
        square += rows->gaps[row] * rows->gaps[row];
    }
    return sqrt(square);
}

double pbdrGetTurnGap(const pbdrJointRows* rows)
{
    double square = 0.0;
    for (int row = rows->linear; row < rows->count; row++) {
        square += rows->gaps[row] * rows->gaps[row];
    }
    return sqrt(square);
}

double pbdrFollowAxis(const pbdrJoint* joint, const pbdrJointRows* rows, double last)
{
    const double here = rows->gaps[PBDR_JOINT_AXIS];
    return joint->kind == pbdr_jointHinge
               ? here + 2.0 * PBDR_PI * floor((last - here) / (2.0 * PBDR_PI) + 0.5)
               : here;
}
