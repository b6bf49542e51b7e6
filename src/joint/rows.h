// What a joint holds together, as numbers that are zero where it does, and their derivatives.
//
//   d = x_B + R_B a_B - x_A - R_A a_A       from A's anchor to B's
//   points    e.d                for the world's three axes e
//   offsets   u.d                for axes u of A's frame
//   dots      u.v                for axes u of A's frame and v of B's, at right angles
//   distance  |d| - length
//
//   ball: points; hinge: points, two dots; slide: two offsets, three dots; fixed: points, three dots; universal: points, a
//   dot; distance: itself. The last row of a hinge is its angle, of a slide its offset along the axis, of a span |d|. The
//   last three of a ball with a law turn B about the axes of its frame.
#ifndef PBDR_JOINT_ROWS_H
#define PBDR_JOINT_ROWS_H

#include "scene/scene.h"

// Where a side of a joint is, and how it moves.
typedef struct pbdrJointSide {
    pbdrVec3 centre;
    pbdrMat3 turn;
    pbdrVec3 velocity, angular; // [m/s, rad/s]
} pbdrJointSide;

typedef struct pbdrJointRows {
    int count;                    // of rows that hold; the rest but for the axis is not there
    int linear;                   // of them, the first ones: lengths [m]; the others are angles [rad]
    double gaps[PBDR_JOINT_ROWS]; // the axis': where it is, from -pi to pi [rad] or [m]
    double jacobians[2][PBDR_JOINT_ROWS][6]; // by the motions of A and of B: linear, angular
    pbdrVec3 levers[2];                      // from the centres of mass to the anchors [m]
} pbdrJointRows;

// The world's side does not move.
pbdrJointSide pbdrGetJointSide(const pbdrScene* scene, int body);
void pbdrFindJointRows(const pbdrJoint* joint, const pbdrJointSide sides[2], pbdrJointRows* rows);
// B's frame from A's, and the turn that leads there from where both agree: of a length up to pi [rad].
pbdrMat3 pbdrGetBallTurn(const pbdrJoint* joint, const pbdrMat3* a, const pbdrMat3* b);
pbdrVec3 pbdrGetTurnVector(const pbdrMat3* turn);
// How fast it turns, along the axes of B's frame [rad/s].
pbdrVec3 pbdrGetBallRate(const pbdrJoint* joint, const pbdrJointSide sides[2]);
// By how much B is turned from where the frames agree: 0 to pi [rad]; and how fast that grows [rad/s].
double pbdrGetBallAngle(const pbdrJoint* joint, const pbdrJointSide sides[2]);
double pbdrGetBallAngleRate(const pbdrJoint* joint, const pbdrJointSide sides[2]);
// The rate of a row.
double pbdrGetRowRate(const pbdrJointRows* rows, const pbdrJointSide sides[2], int row);
// The largest gap of lengths, and of angles.
double pbdrGetLinearGap(const pbdrJointRows* rows);
double pbdrGetTurnGap(const pbdrJointRows* rows);
// The axis' position, whole turns included: nearest to where it was.
double pbdrFollowAxis(const pbdrJoint* joint, const pbdrJointRows* rows, double last);

#endif
