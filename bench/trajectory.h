// Trajectory files that any simulator can write: CSV with a header that names its columns.
//
//     t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz
//
// t [s] from 0 and increasing; centre of mass [m]; unit quaternion from body axes to world axes; velocity of
// the centre of mass [m/s] and angular velocity [rad/s], world axes. body, v. and w. may be left out; other
// columns are ignored; columns stand in any order. Empty lines and lines that begin with # are skipped.
#ifndef PBDR_BENCH_TRAJECTORY_H
#define PBDR_BENCH_TRAJECTORY_H

#include "pbdr/types.h"

typedef struct BenchTrajectoryRow {
    int line; // in the file, from 1
    double t; // [s]
    pbdrPose pose;
    pbdrVelocity velocity; // NaN where the file has none
    bool finite;           // whether all numbers that the file gives are
} BenchTrajectoryRow;

// All-zero is empty.
typedef struct BenchTrajectory {
    int count;
    BenchTrajectoryRow* rows; // rows[0] is the start, at t = 0
} BenchTrajectory;

// body: whose rows to take; NULL: those of the only one. Quaternions are normalised. Numbers that are not
// finite are taken (a simulator that diverged wrote them), except in t and in the first row. Messages name
// the file, the line and the value.
pbdrStatus benchReadTrajectory(const char* path, const char* body, BenchTrajectory* trajectory,
                               pbdrError* error);
void benchFreeTrajectory(BenchTrajectory* trajectory);

#endif
