// Impacts of mechanisms with restitution, one after the other, each at its moment (docs/theory/joints.md, Impacts).
//
// Between impacts a mechanism moves as without contact (mechanism.c). Where the end of the substep is behind a contact, the
// moment at which that closes is searched, by moving there from where the mechanism was; bodies go there, an impulse at the
// contact changes all velocities as joints let it (joint_impulses.c), and the rest of the substep begins from there.
//
// As with free bodies (impacts.c), what hits in more than points, or is pressed all the time, is left to the solve.
#include "engine/xpbdr/joint_impacts.h"

// Impacts in a substep, and moves in search of a moment.
#define MOST_IMPACTS 1000
#define MOST_TRIES 60
// Gaps that are none, where a moment is searched; that is good enough where rounding lets no more; and within which bodies
// hit each other in turn at one moment [m].
#define EXACT_GAP 1.0e-14
#define GOOD_GAP 1.0e-11
#define TOUCHING_GAP 1.0e-9
// Overlaps that do not count: of what touches [m]; of what an impact brought together in this substep, and pressed, which the
// next one sees to.
#define LASTING_GAP 1.0e-9
#define PRESSED_GAP 1.0e-5
// Approach that is none [m/s].
#define QUIET_SPEED 1.0e-12

typedef struct Flight {
    pbdrSolve* solve;
    pbdrMechanism* mechanism;
    double time; // since the substep's begin [s]
    int impactCount;
    pbdrVec3 impulses[PBDR_IMPACT_PATCHES]; // on A [N s]
    bool touched[PBDR_IMPACT_PATCHES];
    bool pressed[PBDR_IMPACT_PATCHES]; // brought together by an impact in this substep
} Flight;

static pbdrFlightEnd getState(const pbdrBody* body)
{
    return (pbdrFlightEnd){body->centre, body->rotation, body->velocity, body->angular};
}

// --- Contacts ---

// How the bodies of a patch stand, so long after the substep's begin, and how fast A's point leaves B's; movers are where
// they are now. Returns in how many points they see each other.
static int lookAt(const Flight* flight, int k, double time, pbdrPoint* at, pbdrVec3* velocity)
{
    const pbdrXpbdrWorld* world = flight->solve->world;
    const pbdrActivePatch* active = &flight->solve->activePatches[k];
    const pbdrPatch* patch = pbdrGetPatch(&world->candidates, active->patch);
    const int bodies[2] = {patch->bodyA, patch->bodyB}, movers[2] = {active->moverA, active->moverB};
    pbdrBody driven[2];
    const pbdrBody* sides[2] = {NULL, NULL};
    for (int side = 0; side < 2; side++) {
        if (bodies[side] < 0) {
            continue;
        }
        sides[side] = pbdrGetBody(world->scene, bodies[side]);
        if (movers[side] < 0 && !pbdrIsStill(sides[side])) {
            driven[side] = *sides[side];
            const pbdrQuat turn = pbdrQuatFromVector(pbdrScale(time, driven[side].angular));
            driven[side].centre = pbdrAddScaled(driven[side].centre, time, driven[side].velocity);
            driven[side].rotation = pbdrNormalizeQ(pbdrMulQQ(turn, driven[side].rotation));
            driven[side].frame = pbdrMatFromQuat(driven[side].rotation);
            sides[side] = &driven[side];
        }
    }
    const int count = pbdrFindPoint(world, patch, sides[0], sides[1], at);
    if (count == 1) {
        *velocity = pbdrGetPointVelocity(at, sides[0], sides[1]);
    }
    return count;
}

// Gaps where the links end, of the patches that count; the least of them. False where bodies see each other in more than a
// point.
static bool findGaps(const Flight* flight, double time, const bool* counts, double* gaps, double* least)
{
    const pbdrMechanism* mechanism = flight->mechanism;
    bool good = true;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        link->here = getState(link->body);
        pbdrSetBodyState(link->moved,
                         &(pbdrFlightEnd){link->centre, link->rotation, link->endVelocity, link->endAngular});
    }
    *least = HUGE_VAL;
    for (int k = 0; good && k < flight->solve->activePatchCount; k++) {
        pbdrPoint at = {.gap = HUGE_VAL};
        pbdrVec3 velocity;
        if (counts == NULL || counts[k]) {
            const int count = lookAt(flight, k, flight->time + time, &at, &velocity);
            good = count <= 1;
            gaps[k] = count == 1 ? at.gap : HUGE_VAL;
            *least = pbdrMin(*least, gaps[k]);
        }
    }
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrSetBodyState(mechanism->links[k].moved, &mechanism->links[k].here);
    }
    return good;
}

// All impacts of this moment, the fastest first, so that balls that touch hit each other in turn. False where none is fast
// enough to bounce, and none was in this substep.
static bool meet(Flight* flight)
{
    if (!pbdrOpenImpulses(flight->mechanism, flight->solve->worker)) {
        return false;
    }
    for (int round = 0; round < MOST_IMPACTS; round++) {
        int hit = -1;
        double fastest = QUIET_SPEED;
        pbdrPoint at = {.gap = 0.0};
        pbdrVec3 velocity = {0.0, 0.0, 0.0};
        for (int k = 0; k < flight->solve->activePatchCount; k++) {
            pbdrPoint point;
            pbdrVec3 v;
            const int count = lookAt(flight, k, flight->time, &point, &v);
            if (count > 1) {
                return false;
            }
            if (count == 1 && point.gap <= TOUCHING_GAP && -pbdrDot(point.n, v) > fastest) {
                hit = k;
                fastest = -pbdrDot(point.n, v);
                at = point;
                velocity = v;
            }
        }
        if (hit < 0) {
            return flight->impactCount > 0;
        }
        const bool bounces = fastest > PBDR_BOUNCE_SPEED;
        if (!bounces && flight->impactCount == 0) {
            return false;
        }
        const pbdrActivePatch* active = &flight->solve->activePatches[hit];
        const double restitution = bounces ? active->law.restitution : 0.0;
        const pbdrVec3 impulse = pbdrFindImpulse(flight->mechanism, active, &at, velocity, restitution);
        if (!isfinite(impulse.x + impulse.y + impulse.z)) {
            return false;
        }
        pbdrGiveImpulse(flight->mechanism, active, &at, impulse);
        flight->impulses[hit] = pbdrAdd(flight->impulses[hit], impulse);
        flight->touched[hit] = true;
        flight->pressed[hit] = flight->pressed[hit] || restitution == 0.0;
        flight->impactCount++;
    }
    return false;
}

// --- Flight ---

static bool step(const Flight* flight, double time)
{
    pbdrMechanism* mechanism = flight->mechanism;
    mechanism->dt = time;
    const uint32_t flags = flight->solve->island->flags;
    const bool good = pbdrStepMechanism(mechanism, flight->solve->movers, flight->solve->island);
    return good && flight->solve->island->flags == flags;
}

// Bodies go where the last step ended.
static void land(Flight* flight, double time)
{
    const pbdrMechanism* mechanism = flight->mechanism;
    const double share = time / flight->solve->world->scene->timeStep;
    pbdrFinishMechanism(mechanism, flight->solve->movers);
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrSetBodyState(mechanism->links[k].moved, &flight->solve->movers[k].end);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* active = &mechanism->joints[k];
        const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        pbdrAddReaction(active, pbdrScale(share, joint->reaction.force),
                        pbdrScale(share, joint->reaction.torque), share * joint->axisForce);
        active->works += joint->work;
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrActiveGear* gear = &mechanism->gears[k];
        gear->sum += share * pbdrGetJoint(mechanism->world->scene, gear->joint)->axisForce;
    }
    flight->time += time;
}

// The moment until which the mechanism moves freely, at most the rest: the false position (Illinois) of the least gap of the
// contacts that the rest leads behind. Links are left where that is. False where it is not found.
static bool findMoment(const Flight* flight, double rest, double* moment, bool* meets)
{
    double gaps[PBDR_IMPACT_PATCHES], least, other[PBDR_IMPACT_PATCHES];
    bool counts[PBDR_IMPACT_PATCHES];
    *moment = rest;
    *meets = false;
    if (!step(flight, rest) || !findGaps(flight, rest, NULL, gaps, &least)) {
        return false;
    }
    double before = HUGE_VAL, after = HUGE_VAL;
    for (int k = 0; k < flight->solve->activePatchCount; k++) {
        counts[k] = gaps[k] < (flight->pressed[k] ? -PRESSED_GAP : -LASTING_GAP);
        pbdrPoint at;
        pbdrVec3 v;
        if (counts[k]) {
            *meets = true;
            after = pbdrMin(after, gaps[k]);
            before = lookAt(flight, k, flight->time, &at, &v) == 1 ? pbdrMin(before, at.gap) : before;
        }
    }
    if (!*meets) {
        return true;
    }
    if (before <= EXACT_GAP) {
        *moment = 0.0;
        return true;
    }
    double low = 0.0, high = rest, last = HUGE_VAL;
    int moved = 0;                               // which end of the bracket moved last
    before = isfinite(before) ? before : -after; // nobody sees anybody yet
    for (int attempt = 0; attempt < MOST_TRIES; attempt++) {
        const double time = (low * after - high * before) / (after - before);
        if (!step(flight, time) || !findGaps(flight, time, counts, other, &least)) {
            return false;
        }
        least = isfinite(least) ? least : before;
        if (fabs(least) <= EXACT_GAP || (fabs(least) <= GOOD_GAP && fabs(least) >= 0.5 * last)) {
            *moment = time;
            return true;
        }
        last = fabs(least);
        if (least < 0.0) {
            high = time;
            after = least;
            before *= moved < 0 ? 0.5 : 1.0;
            moved = -1;
        } else {
            low = time;
            before = least;
            after *= moved > 0 ? 0.5 : 1.0;
            moved = 1;
        }
    }
    return false;
}

static bool fly(Flight* flight)
{
    const double dt = flight->solve->world->scene->timeStep;
    for (int round = 0; round < MOST_IMPACTS; round++) {
        double moment = 0.0;
        bool meets = false;
        if (!findMoment(flight, dt - flight->time, &moment, &meets)) {
            return false;
        }
        if (moment > 0.0) {
            land(flight, moment);
        }
        if (!meets) {
            return flight->impactCount > 0;
        }
        const int impacts = flight->impactCount;
        if (!meet(flight) || flight->impactCount == impacts) {
            return false;
        }
    }
    return false;
}

// --- The island ---

// Whether some contact that bounces may close in this substep.
static bool mayBounce(const Flight* flight)
{
    const double dt = flight->solve->world->scene->timeStep;
    for (int k = 0; k < flight->solve->activePatchCount; k++) {
        pbdrPoint at;
        pbdrVec3 v;
        if (flight->solve->activePatches[k].law.restitution > 0.0 && lookAt(flight, k, 0.0, &at, &v) == 1) {
            const double speed = -pbdrDot(at.n, v);
            if (speed > PBDR_BOUNCE_SPEED && at.gap <= 2.0 * dt * speed) {
                return true;
            }
        }
    }
    return false;
}

static void begin(const Flight* flight)
{
    const pbdrMechanism* mechanism = flight->mechanism;
    for (int k = 0; k < mechanism->linkCount; k++) {
        mechanism->links[k].first = getState(mechanism->links[k].body);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* active = &mechanism->joints[k];
        active->first = *pbdrGetActiveJoint(mechanism, active);
        active->reactions = (pbdrWrench){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        active->axisForces = active->works = 0.0;
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrActiveGear* gear = &mechanism->gears[k];
        gear->first = pbdrGetJoint(mechanism->world->scene, gear->joint)->forces[0];
        gear->sum = 0.0;
    }
}

static void takeBack(const Flight* flight)
{
    const pbdrMechanism* mechanism = flight->mechanism;
    pbdrSolve* solve = flight->solve;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrSetBodyState(mechanism->links[k].moved, &mechanism->links[k].first);
        solve->movers[k].flies = solve->movers[k].kicked = false;
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        *pbdrGetActiveJoint(mechanism, &mechanism->joints[k]) = mechanism->joints[k].first;
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrGetJoint(mechanism->world->scene, mechanism->gears[k].joint)->forces[0] =
            mechanism->gears[k].first;
    }
}

static void finish(const Flight* flight)
{
    const pbdrMechanism* mechanism = flight->mechanism;
    pbdrSolve* solve = flight->solve;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrMover* mover = &solve->movers[k];
        mover->end = getState(mechanism->links[k].body);
        mover->flies = true;
        mover->kicked = false; // what the last kick was tells nothing of the next one
        pbdrSetBodyState(mechanism->links[k].moved, &mechanism->links[k].first);
    }
    for (int k = 0; k < mechanism->jointCount; k++) {
        const pbdrActiveJoint* active = &mechanism->joints[k];
        pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        joint->reaction = active->reactions;
        joint->axisForce = active->axisForces;
        joint->work = active->works;
    }
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrGetJoint(mechanism->world->scene, mechanism->gears[k].joint)->axisForce = mechanism->gears[k].sum;
    }
    pbdrWriteFlight(solve, flight->impulses, flight->touched);
}

bool pbdrBounceMechanism(pbdrMechanism* mechanism, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    pbdrXpbdrWorld* world = mechanism->world;
    pbdrSolve solve = pbdrMakeSolve(world, worker, island);
    Flight flight = {.solve = &solve, .mechanism = mechanism};
    if (!pbdrMeetsInPoints(&solve) || pbdrIsCarried(mechanism)) {
        return false;
    }
    pbdrOpenWindow(world, island);
    if (!mayBounce(&flight)) {
        return false;
    }
    const pbdrIsland kept = *island;
    begin(&flight);
    const bool good = fly(&flight);
    mechanism->dt = world->scene->timeStep;
    if (good) {
        finish(&flight);
    } else {
        takeBack(&flight);
        *island = kept;
    }
    return good;
}
