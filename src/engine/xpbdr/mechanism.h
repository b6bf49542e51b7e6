// A mechanism: an island's bodies and joints in a substep (docs/theory/joints.md).
//
//   half a kick of loads and joints at the begin --> free motion --> joints are closed? --> half a kick at the end
//                  ^------- Newton's method: impulses `push` -------|     `pull`: joints stay closed
#ifndef PBDR_ENGINE_XPBDR_MECHANISM_H
#define PBDR_ENGINE_XPBDR_MECHANISM_H

#include "engine/xpbdr/joint_tree.h"
#include "engine/xpbdr/newton.h"

// What holds an axis.
enum {
    PBDR_HOLD_LOWER = -1, // a bound
    PBDR_HOLD_NONE = 0,
    PBDR_HOLD_UPPER = 1,
    PBDR_HOLD_FRICTION = 2,
    PBDR_HOLD_MOTOR = 3, // that keeps a velocity
};

// A body of a mechanism, and where it is at the end.
typedef struct pbdrLink {
    const pbdrBody* body;
    int parent;                         // of the joints' union-find: itself, another link, or -1: the world
    pbdrVec3 loadVelocity, loadAngular; // after the first kick of its loads alone
    pbdrVec3 bestVelocity, bestAngular; // those of the next two with the least gaps so far, in loops
    pbdrVec3 velocity, angular;         // after the first kick of loads and joints: the unknown
    pbdrMat3 inertia;                   // at the begin
    pbdrVec3 centre;
    pbdrQuat rotation;
    pbdrMat3 frame, endInertia;
    pbdrVec3 endVelocity, endAngular; // before the last kick, then after it
    pbdrMat3 drift; // how the end's orientation goes with the begin's angular velocity, over dt
    // In trees (joint_motion.c)
    pbdrLinkNode node;
    const pbdrJoint* joint;          // that it hangs on
    const pbdrVec3* parentCentre[2]; // where what it hangs on is at begin and end
    const pbdrMat3* parentFrame[2];
    double sign;             // 1 where it is the joint's B, -1 where it is A
    pbdrVec3 spin, loadSpin; // angular momenta that belong to angular and loadAngular [N m s]
    struct pbdrLinkPlace {   // of the joint that it hangs on
        pbdrVec3 gap, turn; // from its anchor to the parent's; by which the link turns to be in line [m, rad]
        pbdrVec3 lever;     // from its centre to the anchor [m]
        pbdrVec3 axis;      // of a slide or hinge
        double sine, cosine; // of a hinge's angle
        double along;        // of a slide [m]
    } place;
    pbdrVec3 endLinear, endSpin; // momentum before the last kick of joints [N s, N m s]
    _Alignas(32) double wrenches
        [2][PBDR_MOTION]; // impulses of that joint at begin and end, about the link's centre [N s, N m s]
    pbdrVec3 levers[2];   // from it to its anchor then [m]
    pbdrVelocity kick;    // of loads and joints at the end
    pbdrBody* moved;      // in a substep of several steps (joint_steps.c): the body, and where it began
    pbdrFlightEnd first, here; // here: where an impact is searched from (joint_impacts.c)
    double turning;            // square of how fast it turns, but for its hinges' axes [rad^2/s^2]
} pbdrLink;

typedef struct pbdrMechanism {
    pbdrXpbdrWorld* world;
    pbdrSystem* system;
    pbdrLink* links;
    int linkCount;
    pbdrActiveJoint* joints;
    int jointCount;
    pbdrActiveGear* gears;
    int gearCount;
    double dt;
    bool tree;    // solved by elimination from the leaves (joint_motion.c)
    bool driven;  // then: some axis has a law of its own
    bool loops;   // rows may depend on each other
    double loose; // then: what is added to a row's diagonal, over what that will be
} pbdrMechanism;

static inline pbdrJoint* pbdrGetActiveJoint(const pbdrMechanism* mechanism, const pbdrActiveJoint* active)
{
    return pbdrGetJoint(mechanism->world->scene, active->joint);
}

// --- mechanism.c ---

// Of what a row's diagonal will be, in loops. More slows the search down, less lets rounding into the forces of rows that
// depend on each other (Bricard's 25 N: 5e-4 N; with 1e-6, 0.05 N). Near places where more rows depend on each
// other than elsewhere it is lowered until the search comes on.
#define PBDR_LOOSE 1.0e-4

// Moves the links from where their bodies are, through mechanism->dt. False where no numbers are left.
bool pbdrStepMechanism(pbdrMechanism* mechanism, const pbdrMover* movers, pbdrIsland* island);
// Where that ends into the movers, and what joints did into the joints.
void pbdrFinishMechanism(const pbdrMechanism* mechanism, pbdrMover* movers);

// --- joint_substep.c ---

// Orders the mechanism's system. False without memory.
bool pbdrPlanMechanism(pbdrXpbdrWorker* worker, const pbdrMechanism* mechanism);

// The joints of an island; links are yet to be filled in. False without memory.
bool pbdrOpenMechanism(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, const pbdrIsland* island, double loose,
                       pbdrMechanism* mechanism);

// Gaps that count as closed, over the farthest coordinate or 1 [m, rad]; those that are left where nothing makes them
// smaller, before the substep is flagged; Newton's steps, and how often what holds an axis may change.
#define PBDR_CLOSED 1.0e-14
#define PBDR_BAD_GAP 1.0e-9
#define PBDR_CLOSING_STEPS 30
#define PBDR_HOLD_ROUNDS 40

// Farthest coordinate of a body, or 1 [m].
double pbdrGetReach(const pbdrMechanism* mechanism);

// --- joint_order.c ---

// Whether the mechanism is a tree of joints that elimination from its leaves knows (kernels' moveTree).
bool pbdrIsTree(const pbdrMechanism* mechanism);
// Whether the mechanism's joints close a loop, sides that no force moves being one, or gears may.
bool pbdrHasLoops(const pbdrMechanism* mechanism);

static inline pbdrLinkTree pbdrGetTree(const pbdrMechanism* mechanism)
{
    return (pbdrLinkTree){(char*)&mechanism->links[0].node, sizeof(pbdrLink), mechanism->linkCount};
}

// --- joint_steps.c ---

// Steps that the mechanism should move through the substep in.
int pbdrCountSteps(const pbdrMechanism* mechanism);
// Whether something that is moved holds the mechanism: it has no places in between.
bool pbdrIsCarried(const pbdrMechanism* mechanism);
// A body to where a flight or step ends.
void pbdrSetBodyState(pbdrBody* body, const pbdrFlightEnd* state);
// After each of them: bodies go on from there, and at last back to where the substep began, with the movers saying where it
// ends; reactions become means.
void pbdrEndStep(const pbdrMechanism* mechanism, const pbdrMover* movers, int step, int steps);

// --- joint_system.c ---

// The matrix for impulses at the begin, which close joints at the end, or for those at the end, which keep them closed;
// factorised. False where it is singular.
bool pbdrFactorMechanism(const pbdrMechanism* mechanism, bool atEnd);
// Newton's step from the present state, into the system's sides. start: velocities at the begin are a guess that no
// impulses have made. pulled: impulses of rows that depend on each other are pulled to zero.
void pbdrSolveMechanism(const pbdrMechanism* mechanism, bool atEnd, bool start, bool pulled);

// How fast a ball joint turns at the end, along the axes of B's frame [rad/s].
pbdrVec3 pbdrGetBallEndRate(const pbdrMechanism* mechanism, const pbdrActiveJoint* active);

// --- joint_gear.c ---

// What a gear's row is to the motion of one of its four sides, where impulses act or where it is stated.
void pbdrGetGearRow(const pbdrActiveGear* gear, const pbdrActiveJoint* joints, int side, bool acts,
                    double row[6]);
// Ratios and gap from the axes' positions: at the begin, with no impulses yet; at the end. Returns the gap's size.
void pbdrStartGears(const pbdrMechanism* mechanism);
double pbdrPlaceGears(const pbdrMechanism* mechanism);
// Impulses after a step of Newton's method; those with the least gaps, kept or taken again.
void pbdrPushGears(const pbdrMechanism* mechanism, bool atEnd);
void pbdrKeepGears(const pbdrMechanism* mechanism, bool again);
void pbdrNoteGears(const pbdrMechanism* mechanism);

// --- joint_impacts.c ---

// Takes a mechanism whose bodies bounce through the impacts of a substep. False, and nothing changed, where none would, or
// the solve is needed.
bool pbdrBounceMechanism(pbdrMechanism* mechanism, pbdrXpbdrWorker* worker, pbdrIsland* island);

// --- joint_ball.c ---

// The law of a ball joint at the begin of a substep: B's frame from A's, its rate along the axes of B's frame, and how the last
// substep held it. Then where it is at the end.
void pbdrStartBall(const pbdrJoint* joint, const pbdrMat3* turn, pbdrVec3 rate, struct pbdrBallLaw* ball);
void pbdrPlaceBall(const pbdrJoint* joint, const pbdrMat3* turn, double dt, struct pbdrBallLaw* ball);
// The impulse at the begin or end but for what holds it, and at the end but for its armature.
pbdrVec3 pbdrGetBallLoad(const pbdrJoint* joint, const struct pbdrBallLaw* ball, double dt, bool atEnd);
// Its rows, with the impulse that it has: of the begin; of the end, with the rate then; of the bound alone, which
// pbdrKeepBound leaves to hold it.
void pbdrFindBallRows(const pbdrJoint* joint, double dt, pbdrVec3 impulse, struct pbdrBallLaw* ball);
void pbdrFindBallEndRows(const pbdrJoint* joint, double dt, pbdrVec3 impulse, pbdrVec3 rate,
                         struct pbdrBallLaw* ball);
void pbdrFindBallGap(const pbdrJoint* joint, struct pbdrBallLaw* ball);
void pbdrKeepBound(struct pbdrBallLaw* ball);
// The least motion that solves the rows of what holds; the largest rest, as a way; `turned` after a motion, to first order.
pbdrVec3 pbdrGetBallWay(const struct pbdrBallLaw* ball);
double pbdrGetBallRest(const pbdrJoint* joint, const struct pbdrBallLaw* ball, double dt);
pbdrVec3 pbdrForeseeBall(struct pbdrBallLaw* ball, pbdrVec3 motion);
// Whether other things hold it than was thought, from the impulse that was found; whether the bound would pull at the end.
bool pbdrChangeBall(const pbdrJoint* joint, pbdrVec3 impulse, double dt, struct pbdrBallLaw* ball);
bool pbdrReleaseBall(const pbdrJoint* joint, pbdrVec3 impulse, pbdrVec3 rate, double dt,
                     struct pbdrBallLaw* ball);
// With contacts: a force that is linear in how far the motion changes; end: where B's frame would be without that.
void pbdrStartContactBall(const pbdrJoint* joint, const pbdrMat3* end, double dt, struct pbdrBallLaw* ball);
void pbdrFindContactBallRows(const pbdrJoint* joint, pbdrVec3 way, pbdrVec3 change, pbdrVec3 force,
                             struct pbdrBallLaw* ball);
bool pbdrChangeContactBall(const pbdrJoint* joint, pbdrVec3 way, pbdrVec3 change, pbdrVec3 force,
                           struct pbdrBallLaw* ball);

// What it did in the substep, from the joint's impulses at both ends; its work from the mean force, with where it ends.
void pbdrNoteBall(const pbdrActiveJoint* active, pbdrJoint* joint, double dt);
void pbdrNoteBallWork(const struct pbdrBallLaw* ball, pbdrVec3 force, pbdrJoint* joint);

// Its impulses among those of a joint's rows.
static inline pbdrVec3 pbdrGetBallImpulse(const double impulses[6])
{
    return (pbdrVec3){impulses[3], impulses[4], impulses[5]};
}

// --- joint_axis.c ---

// The law of an axis at the begin of a substep, and how the last one held it.
bool pbdrHasAxisLaw(const pbdrJoint* joint);
void pbdrStartAxisAt(double dt, const pbdrJoint* joint, double place, double rate, struct pbdrAxisLaw* axis);
void pbdrStartAxis(const pbdrScene* scene, double dt, const pbdrJointRows* begin, pbdrActiveJoint* active);
// The force of springs, dampers and motors to a position or force: alpha - beta position - gamma velocity.
typedef struct pbdrAxisLine {
    double alpha, beta, gamma;
} pbdrAxisLine;
pbdrAxisLine pbdrGetAxisLine(const pbdrJoint* joint, const struct pbdrAxisLaw* axis);
// Whether such a motor comes to its bound, or from it, where the axis ends; then it is noted.
bool pbdrSaturate(const pbdrJoint* joint, double rate, struct pbdrAxisLaw* axis);
// The most that a motor to a velocity pushes with [N, N m]; 0: there is none.
double pbdrGetMotorBound(const pbdrJoint* joint);
// Whether another thing holds an axis than was thought, from what was found: its rate, the impulse or force that it has but
// for what holds it, and the whole. unit: of an impulse over a force; 1 for forces.
bool pbdrDecideHold(const pbdrJoint* joint, double rate, double load, double found, double unit,
                    struct pbdrAxisLaw* axis);
// Impulse that the axis has but for what holds it, at its end position; and with which it would be free. [N s, N m s]
double pbdrGetAxisLoad(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, double at);
// Where an axis that is held ends [m, rad]; the impulse of a free one at the end, but for its armature.
double pbdrGetHeldPlace(const pbdrMechanism* mechanism, const pbdrActiveJoint* active);
double pbdrGetEndLoad(const pbdrMechanism* mechanism, const pbdrActiveJoint* active);
// What is left of the axis' row: zero where it is solved.
double pbdrGetAxisRest(const pbdrMechanism* mechanism, const pbdrActiveJoint* active, bool atEnd);
// Whether another thing holds the axis than was thought; then it is noted.
bool pbdrChangeHold(const pbdrMechanism* mechanism, pbdrActiveJoint* active);

#endif
