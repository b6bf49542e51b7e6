// Loops over contact items, in double, one table per instruction set. The twins give the same bits.
#ifndef PBDR_ENGINE_XPBDR_KERNELS_H
#define PBDR_ENGINE_XPBDR_KERNELS_H

#include "engine/xpbdr/xpbdr.h"

// How a sweep goes (sweep.h): bits.
typedef enum pbdrSweepKind {
    pbdr_sweepForwards = 0,
    pbdr_sweepBackwards = 1,
    pbdr_sweepDamped = 2, // friction's bounds follow the normal forces by and by
} pbdrSweepKind;

struct pbdrSweepGroup;
struct pbdrSweepRow;
struct pbdrSweepMotion;

// Two bodies of spheres, for preparePairs.
typedef struct pbdrPairView {
    pbdrMat3 frameA, frameB;
    pbdrVec3 between;   // A's centre of mass less B's [m]
    pbdrTwist velocity; // A's less B's, as A's centre of mass sees it
} pbdrPairView;

struct pbdrMechanism;
struct pbdrIsland;

typedef struct pbdrKernels {
    // `state` is 0 or 1: which of the two sets of columns g and p stand in.
    // A plane's items at y = 0: normals, levers, gaps ahead, T projected, g and p. velocity and lag (the
    // multiplier Y) are A's.
    void (*preparePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* velocity,
                         const pbdrTwist* lag, int state);
    // The same of pairs of spheres that go no farther in the substep than their sizes let them: normals are those
    // of now.
    void (*preparePairs)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrPairView* view,
                         const pbdrTwist* lag, int state);
    // g and p after a further step of A less B, as A's centre of mass sees it, from one state to the other, and
    // the forces there.
    void (*stepPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* step, int from,
                      int to, pbdrPatchForce* force);
    // Adds sum J^T K J, K = -df/d(displacement of A - B) at a state, about A's centre of mass.
    void (*stiffenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state, pbdrBlock6* block);
    // Largest end gap and slip that are left.
    void (*measurePatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                         pbdrPatchRest* rest);
    // Least squares of a displacement z to the end gaps of loaded items, by their areas: adds the matrix and the
    // right-hand side.
    void (*fitPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                     pbdrBlock6* block, pbdrPatchForce* wanted);
    // The multiplier of the normal forces changes, and g with it.
    void (*pressPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag,
                       const pbdrTwist* newLag, int state);
    // Adds the normal force of the last substep, and what a multiplier would press with [N].
    void (*weighPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, double* last,
                       double* now);
    // k changes by a factor: p = T - k w slip.
    void (*softenPatch)(const pbdrItems* items, const pbdrPatchLaw* law, double factor, int state);
    // The multiplier of friction becomes the friction: T = f_t, p = T - k w slip.
    void (*holdPatch)(const pbdrItems* items, const pbdrPatchLaw* law, int state);
    // Writes the items' force, friction and touched; *end has what the movers need to know.
    void (*finishPatch)(const pbdrItems* items, const pbdrPatchLaw* law, const pbdrTwist* lag, int state,
                        pbdrPatchEnd* end);
    // Sweeps (sweep.h) over groups, but for those that were nearer to their laws than `skipped` in
    // their last sweep [m]. still: the motion of what does not move, which is only read. Returns how far a contact was
    // from its law, at most [m].
    double (*sweepGroups)(struct pbdrSweepGroup* groups, int count, pbdrSweepKind kind, double skipped,
                          struct pbdrSweepRow* rows, struct pbdrSweepMotion* motions, int still);
    // Adds what the forces of all rows do to the motions.
    void (*pushGroups)(const struct pbdrSweepGroup* groups, int count, const struct pbdrSweepRow* rows,
                       struct pbdrSweepMotion* motions, int still);
    // The work of all rows' forces along the ways that the motions make [J].
    double (*sumWork)(const struct pbdrSweepGroup* groups, int count, const struct pbdrSweepRow* rows,
                      const struct pbdrSweepMotion* motions);
    // A mechanism that is a tree through the substep (joint_motion.c): false where no numbers are left; and what its joints
    // did, into the scene.
    bool (*moveTree)(struct pbdrMechanism* mechanism, struct pbdrIsland* island);
    void (*noteTreeReactions)(const struct pbdrMechanism* mechanism);
    // Closes its joints by the least way in the metric of masses, after contacts have moved it (joint_close.c).
    void (*closeTree)(struct pbdrMechanism* mechanism, double closed);
    // Accelerations of its links, without contacts, into their nodes (joint_forward.c). False where something is singular.
    bool (*findTreeAccelerations)(struct pbdrMechanism* mechanism);
} pbdrKernels;

extern const pbdrKernels pbdrKernels_scalar;
extern const pbdrKernels pbdrKernels_avx2;
extern const pbdrKernels pbdrKernels_neon;

#endif
