// A contact island: bodies that touch each other, directly or through others, solved as one system. Words:
// docs/glossary.md.
#ifndef PBDR_ENGINE_XPBDR_ISLAND_H
#define PBDR_ENGINE_XPBDR_ISLAND_H

#include "engine/xpbdr/rolling.h"
#include "engine/xpbdr/xpbdr.h"
#include "joint/rows.h"

// Where a substep's flight through impacts ends, and how fast.
typedef struct pbdrFlightEnd {
    pbdrVec3 centre; // [m]
    pbdrQuat rotation;
    pbdrVec3 velocity, angular; // [m/s, rad/s]
} pbdrFlightEnd;

// A dynamic body in a substep.
typedef struct pbdrMover {
    int body;
    double mass;
    pbdrMat3 inertia; // about the centre of mass, world axes [kg m^2]
    double gyration;  // radius [m]: moments over it count as forces
    pbdrTwist load;   // f_ext: gravity, applied force and torque, gyroscopic [N, N m]
    pbdrTwist y;      // the unknown
    pbdrTwist firstY; // where its search began
    pbdrTwist step;   // Newton's
    pbdrTwist pull;   // contact forces
    pbdrTwist residual;
    double drivenFresh, drivenOld; // finishPatch's
    double opened;                 // likewise
    bool pushed;                   // by a force from outside, or by a kinematic body
    bool loaded;                   // by some contact
    bool lost;                     // some of its contacts saw an impact
    bool held;                     // by a contact that does not bounce
    bool swept;                    // solved by sweeps (sweep.h)
    bool stands;                   // its island was not, and hardly moves: it stops
    int slab;                      // of a large island (sweep_parts.c)
    double bounceTime;             // of the first impact with restitution in this substep [s]; negative: none
    bool flies;                    // through impacts, to the end that follows (impacts.c)
    bool kicked; // by joints at the substep's begin: y is by how much (mechanism.c) [m/s, rad/s]
    pbdrFlightEnd end;
} pbdrMover;

// A patch in a substep, with its law.
typedef struct pbdrActivePatch {
    int patch;
    int moverA, moverB; // in the island's movers; -1: does not move by contact
    int padded;         // items with padding
    bool bears;         // counts in the island's system
    bool swept;         // only those of its items are prepared that sweeps may need: the live ones
    int liveCount;      // of them
    bool missed;  // spheres that go far would pass each other, going on as they do: its items say nothing
    bool carries; // force from the last substep
    bool bounces; // some item does in this substep
    int edge;     // of the island's system, where both move (system.h)
    bool ascends; // A is eliminated before B
    pbdrPatchLaw law;
    pbdrTwist lag;    // the multiplier Y
    pbdrVec3 between; // A's centre of mass less B's [m]
    pbdrRolling rolling;
} pbdrActivePatch;

// How many of a patch's items are worked on, and which: all, or the live ones.
static inline int pbdrCountLive(const pbdrActivePatch* active)
{
    return active->swept ? active->liveCount : active->law.count;
}

static inline int pbdrGetLive(const pbdrItems* items, const pbdrActivePatch* active, int k)
{
    return active->swept ? items->live[active->law.first + k] : active->law.first + k;
}

// The law of a ball joint in a substep (joint_ball.c), as three rows: some that are free, then those that something holds.
typedef struct pbdrBallRows {
    int heldCount;
    double acts[3][3];   // free: what impulses count; held: the direction in which it acts
    double states[3][3]; // what the motion counts
    double rests[3];     // zero where the row is solved
} pbdrBallRows;

// Turns, rates and impulses are vectors along the axes of B's frame.
struct pbdrBallLaw {
    int holds;              // bits of what holds (joint_ball.c)
    int signs[3];           // against which way friction pushes
    pbdrMat3 place;         // B's frame from A's at the begin,
    pbdrVec3 start, rate;   // its turn from where they agree, and its rate [rad, rad/s]
    pbdrVec3 end, turned;   // the turn at the end, and from begin to end [rad]
    pbdrVec3 normals[2];    // along which the bound acts, and along which it is stated
    pbdrVec3 offset, force; // with contacts: what the slope is from; the mean in the substep [N m]
    double slopes[2][3][3]; // of impulses over the motion, at begin and end
    pbdrBallRows rows;
};

// A joint in a substep.
typedef struct pbdrActiveJoint {
    int joint;
    int movers[2];            // of A and B in the island's movers; -1: no force moves it
    int edges[2];             // of the island's system (system.h)
    bool ascends[2];          // the mover is eliminated before the joint
    int next[2];              // in the lists of joints of the two movers (joint_tree.h)
    pbdrJointSide fixed[2];   // where a side without a mover ends
    pbdrJointRows begin, end; // where impulses act, and where rows are stated
    double best[6];           // of the next ones, with the least gaps so far, in loops
    double mobilities[6];     // 1/m of what rows move, where contacts are solved with them (joint_contact.c)
    double push[6], pull[6];  // impulses of the rows at the substep's begin and end [N s, N m s]
    pbdrWrench reactions;     // sums over the steps of a substep (joint_steps.c), and of what follows
    double axisForces, works;
    pbdrJoint first;     // the joint before the substep, where impacts are tried (joint_impacts.c)
    struct pbdrAxisLaw { // of the free axis in this substep (joint_axis.c)
        int hold;
        int signs[2];       // against which way friction and motor push
        double place, rate; // position and velocity at the begin [rad, m; per s]
        double at;          // and the position at the end
        double slope,
            offset; // the impulse at the begin is offset - slope at, but for friction and motor [N s, N m s]
        bool active;
    } axis;
    struct pbdrBallLaw ball; // of a ball joint with a law (pbdrJoint.ballLaw)
} pbdrActiveJoint;

// A gear in a substep: a row of its own, of the two axes' rows, so that it is stated by up to four bodies.
typedef struct pbdrActiveGear {
    int joint;
    int axes[2];       // leader and follower in the island's joints
    int movers[4];     // of the leader's A and B, and of the follower's; -1: no force moves it
    int edges[4];      // of the island's system
    bool ascends[4];   // the mover is eliminated before the gear
    double ratios[2];  // where impulses act, and where the row is stated
    double gap;        // of the follower's position [rad, m]
    double mobility;   // 1/m of what the row moves
    double best;       // of the next one, with the least gaps so far
    double push, pull; // impulses, as those of joints
    double first, sum; // of forces: before the substep, and in its impacts (joint_impacts.c)
} pbdrActiveGear;

// Part of the lists movers, activePatches, activeJoints and activeGears, which are sorted by island.
typedef struct pbdrIsland {
    int firstMover, moverCount;
    int firstActivePatch, activePatchCount;
    int firstJoint, jointCount;
    int firstGear, gearCount;
    bool touches;    // its joints were solved with contacts, and are closed after bodies have moved
    double mass;     // of all movers [kg]
    double heaviest; // of one [kg]
    double hardness; // of its contacts, over those of a body on its own
    bool awake;      // else it has no movers and no patches (sleep.c)
    bool stirred;    // a kinematic body that moves is near
    bool wide;       // all threads work on it (engine.c)
    // How it was solved
    bool solved;
    uint32_t flags;
    int stepCount, updateCount, sweepCount;
    double residual; // over PBDR_BAD_RESIDUAL: not converged
} pbdrIsland;

// Islands of so many bodies at most are small: Newton's method is tried on them; up to so many where they were never swept
// (solve.c); larger ones are swept (sweep.h).
#define PBDR_SMALL_ISLAND 6
#define PBDR_MEDIUM_ISLAND 12
// Islands of so many patches are divided for sweeps (sweep_parts.c), and may be worth all threads: those that are larger
// than a thread's share of all patches.
#define PBDR_WIDE_ISLAND 256

// --- islands.c ---

// The movers, patches and islands of this substep, the first two sorted by island. False without memory.
bool pbdrMakeIslands(pbdrXpbdrWorld* world);
// The columns of an island's items are there to be worked on.
void pbdrOpenWindow(pbdrXpbdrWorld* world, const pbdrIsland* island);

// --- sleep.c ---

// Islands that have rested for long enough fall asleep; after bodies have moved.
void pbdrRestIslands(pbdrXpbdrWorld* world);
// Whether nothing moves, or will before somebody says so.
bool pbdrIsAllAsleep(const pbdrXpbdrWorld* world);
// Whether a body that contact does not move stays where it is.
bool pbdrIsStill(const pbdrBody* body);

// --- joints.c ---

// The joints of the islands that are awake, sorted by island, once movers are known. False without memory.
bool pbdrListJoints(pbdrXpbdrWorld* world);

// --- joint_substep.c ---

// Moves an island of joints through the substep: where its movers end stands in them. False, and nothing changed, where
// that would press contacts.
bool pbdrMoveMechanism(pbdrXpbdrWorld* world, struct pbdrXpbdrWorker* worker, pbdrIsland* island);

// Closes the joints of islands that touch something, after bodies have moved, by the least way that does.
// (joint_contact.c)
void pbdrCloseJoints(pbdrXpbdrWorld* world, struct pbdrXpbdrWorker* worker);

// --- movers.c ---

// A body as the solve sees it, but for its inertia and load; then these of some movers.
void pbdrSetMover(const pbdrXpbdrWorld* world, int index, pbdrMover* mover);
void pbdrLoadMovers(const pbdrXpbdrWorld* world, pbdrMover* movers, int count);
// M^-1 f_ext of a mover: how it would speed up without contact.
pbdrTwist pbdrGetFreeAcceleration(const pbdrBody* body, const pbdrMover* mover);
// Torque-free or torque-driven rotation over a substep without contact. w in world axes. (rotation.c)
void pbdrRotateUnderTorque(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w);
// Torque-free rotation alone, w in world axes. (rotation.c)
void pbdrRotateFreely(const pbdrBody* body, double dt, pbdrQuat* q, pbdrVec3* w);

// --- items.c ---

// An item's geometry and state at y = 0, for the Y that its patch carries.
void pbdrPrepareActivePatch(pbdrXpbdrWorld* world, pbdrActivePatch* active, pbdrMover* movers, int state);

// The items of a patch that was missed, where its bodies would meet with other velocities than those of the substep's begin:
// contacts have thrown them at each other. False, and nothing changed, where they would not.
bool pbdrPrepareThrown(const pbdrXpbdrWorld* world, pbdrActivePatch* active, const pbdrTwist thrown[2],
                       int state);

// What a patch's multiplier bears stays with the patch, or nothing does.
void pbdrKeepLoad(const pbdrActivePatch* active, bool carries, pbdrPatch* patch);
// A's velocity less B's, as A's centre of mass sees it.
pbdrTwist pbdrGetPatchVelocity(const pbdrXpbdrWorld* world, const pbdrActivePatch* active);

// --- solve.c ---

// Solves an island to the tolerance, with what a worker has for himself; the island says how that went.
void pbdrSolveIsland(pbdrXpbdrWorld* world, struct pbdrXpbdrWorker* worker, pbdrIsland* island);

// What is left counts as not converged: gaps and slips over this [m], and over what gravity closes in a substep; forces
// that are off by this share of their sum. An island's residual is that share, or as much of it as gaps and slips are of
// the first.
#define PBDR_BAD_REST 1.0e-6
#define PBDR_BAD_RESIDUAL 1.0e-3

// --- motion.c ---

// Mean motion may drive a new contact in by this before it counts as an impact, and an old one [m]; and where nothing
// pushes from outside, so that energy may only fall, leave an old one open or drive it in by no more than that.
#define PBDR_IMPACT_FRESH 1.0e-8
#define PBDR_IMPACT_OLD 1.0e-6
#define PBDR_IMPACT_CLOSED 1.0e-9

// And by this before what its patch bore says nothing of what it will bear [m].
#define PBDR_IMPACT_LOST 1.0e-5

static inline bool pbdrIsImpact(const pbdrMover* mover)
{
    const double old = mover->pushed ? PBDR_IMPACT_OLD : PBDR_IMPACT_CLOSED;
    return mover->loaded && (mover->drivenFresh < -PBDR_IMPACT_FRESH || mover->drivenOld < -old ||
                             (!mover->pushed && mover->opened > old));
}

// New velocities, positions and multipliers from the movers' y; driven bodies move too.
void pbdrMoveBodies(pbdrXpbdrWorld* world);

#endif
