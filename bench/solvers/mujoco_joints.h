// Scenes with joints for MuJoCo: bodies hang on each other in a tree of MuJoCo's own joints, as its users would have them; what
// closes a loop is an equality, and springs are tendons.
#ifndef PBDR_BENCH_MUJOCO_JOINTS_H
#define PBDR_BENCH_MUJOCO_JOINTS_H

#include "pbdr/bench/solver.h"

#include <mujoco/mujoco.h>
#include <stdio.h>

typedef struct MujocoTree {
    int parents[PBDR_BENCH_MAX_BODIES]; // of each body; -1: the world
    int joints[PBDR_BENCH_MAX_BODIES];  // that it hangs on; -1: none, it is free
    bool closes[PBDR_BENCH_MAX_JOINTS]; // whether a joint is none of the tree's
} MujocoTree;

// The tree of fewest joints from the world to each body. False, with the reason, for loops that are closed by a slide.
bool mujocoPlanTree(const pbdrBenchScene* scene, MujocoTree* tree, char message[PBDR_BENCH_MESSAGE]);

// All that stands in the model's worldbody and after it; solref: how stiff equalities are.
void mujocoWriteTree(FILE* file, const pbdrBenchScene* scene, const MujocoTree* tree, const char* solref,
                     const char* solimp);

// Velocities and drives at the start.
void mujocoStartTree(const pbdrBenchScene* scene, const MujocoTree* tree, const mjModel* model, mjData* data);

// A body's motion; what it follows from must be up to date (mujocoUpdateTree).
void mujocoUpdateTree(const mjModel* model, mjData* data);
void mujocoReadLink(const mjModel* model, const mjData* data, int body, pbdrPose* pose,
                    pbdrVelocity* velocity);

// Parts of the text that mujoco.c writes, too.
void mujocoWriteVec(FILE* file, const char* attribute, pbdrVec3 v);
void mujocoWritePose(FILE* file, pbdrPose pose);
void mujocoWriteInertia(FILE* file, const pbdrBenchBody* body);

#endif
