// The ledger: sums over substeps of what goes in and out of a world, and what it holds.
//
// With v, w before (0) and after (1) a substep, a contact's force f on A, and u the velocities of A and B where
// it acts:
//
//   work      += F.(c1 - c0) + T.angle(R1 R0^T)            of dynamic bodies
//              + f.(way of B's point)                       where B is kinematic; likewise A
//              + axis force (way of the axis)               of joints: motors, springs, dampers, friction, bounds
//              + reaction.(motion of A's anchor)            of joints whose A is kinematic; likewise B
//   friction  += dt f_t.((u0 + u1)_A - (u0 + u1)_B)/2       f_t = f - (f.n) n
//
// Work by the way that a body goes, as gravity's work is counted by the potential energy. Friction by the mean
// of the velocities before and after: that times an impulse is what it changes the kinetic energy by, also
// where it stops a body within the substep (Kelvin's formula). A kinematic body has the velocity that its way
// in the substep gives.
#include "world/internal.h"

#include "contact/friction.h"
#include "pbdr/ledger.h"

#include <string.h>

// A contact sticks if its friction is below this share of its bound. The contact list has the normals after the
// substep: one that turns by an angle makes friction at its bound look smaller by that over mu (dominoes: 3 %).
#define STICKING 0.9

// A body before and after the substep.
typedef struct Entry {
    pbdrPose pose[2];
    pbdrVelocity velocity[2];
    pbdrVec3 way, angle; // between the poses [m, rad]
} Entry;

static Entry* getEntry(const pbdrWorld* world, int index)
{
    return (Entry*)world->ledgerBook.entries.items + index;
}

static bool isMoving(const pbdrBody* body)
{
    return body->alive && body->kind != pbdr_bodyStatic;
}

// --- Columns ---

static const char* const columnNames[PBDR_LEDGER_COLUMNS] = {
    "t",      "px",        "py",           "pz",       "lx",         "ly",
    "lz",     "kinetic_J", "potential_J",  "work_J",   "friction_J", "penetration_m",
    "slip_m", "contacts",  "newton_steps", "residual",
};
_Static_assert(sizeof(pbdrLedger) == PBDR_LEDGER_COLUMNS * sizeof(double), "a row is an array of doubles");

const char* pbdrGetLedgerColumn(int column)
{
    return column >= 0 && column < PBDR_LEDGER_COLUMNS ? columnNames[column] : NULL;
}

// The unit begins at the last underscore of "kinetic_J"; "newton_steps" has none.
static size_t getBareLength(const char* name)
{
    const char* unit = strrchr(name, '_');
    return unit != NULL && (strcmp(unit, "_J") == 0 || strcmp(unit, "_m") == 0) ? (size_t)(unit - name)
                                                                                : strlen(name);
}

int pbdrFindLedgerColumn(const char* name)
{
    for (int column = 0; name != NULL && column < PBDR_LEDGER_COLUMNS; column++) {
        const char* own = columnNames[column];
        const size_t bare = getBareLength(own);
        if (strcmp(name, own) == 0 || (strlen(name) == bare && strncmp(name, own, bare) == 0)) {
            return column;
        }
    }
    return -1;
}

double pbdrLedger_GetValue(const pbdrLedger* row, int column)
{
    double values[PBDR_LEDGER_COLUMNS];
    memcpy(values, row, sizeof values);
    return column >= 0 && column < PBDR_LEDGER_COLUMNS ? values[column] : (double)NAN;
}

// --- The substep ---

void pbdrOpenLedger(pbdrWorld* world)
{
    pbdrLedgerBook* book = &world->ledgerBook;
    pbdrScene* scene = &world->scene;
    book->profile = scene->profile;
    if (!pbdrListExtend(&scene->memory, &book->entries, scene->bodies.count)) {
        book->sums.incomplete = 1;
        scene->flags |= pbdr_stepPairsFull;
        return;
    }
    for (int index = 0; index < scene->bodies.count; index++) {
        if (isMoving(pbdrGetBody(scene, index))) {
            Entry* entry = getEntry(world, index);
            entry->pose[0] = world->engine->getPose(world->engineState, index);
            entry->velocity[0] = world->engine->getVelocity(world->engineState, index);
        }
    }
}

// Where bodies have come, and the work of what is applied to them.
static void bookBodies(pbdrWorld* world)
{
    pbdrScene* scene = &world->scene;
    const double rate = 1.0 / scene->timeStep;
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        if (!isMoving(body)) {
            continue;
        }
        Entry* entry = getEntry(world, index);
        entry->pose[1] = world->engine->getPose(world->engineState, index);
        entry->velocity[1] = world->engine->getVelocity(world->engineState, index);
        entry->way = pbdrSub(entry->pose[1].position, entry->pose[0].position);
        entry->angle =
            pbdrVectorFromQuat(pbdrMulQQ(entry->pose[1].rotation, pbdrConjugate(entry->pose[0].rotation)));
        if (body->kind == pbdr_bodyKinematic) {
            entry->velocity[0] = entry->velocity[1] =
                (pbdrVelocity){pbdrScale(rate, entry->way), pbdrScale(rate, entry->angle)};
        } else {
            world->ledgerBook.sums.work +=
                pbdrDot(body->force, entry->way) + pbdrDot(body->torque, entry->angle);
        }
    }
}

// Velocity of a body's point, before (0) or after (1) the substep.
static pbdrVec3 getPointVelocity(const pbdrWorld* world, int index, pbdrVec3 point, int side)
{
    if (!isMoving(pbdrGetBody(&world->scene, index))) {
        return pbdrVec(0.0, 0.0, 0.0);
    }
    const Entry* entry = getEntry(world, index);
    const pbdrVelocity* velocity = &entry->velocity[side];
    return pbdrAdd(velocity->linear, pbdrCross(velocity->angular, pbdrSub(point, entry->pose[1].position)));
}

// Work that a kinematic body does by a force of contact which it exerts at one of its points.
static double getDrivingWork(const pbdrWorld* world, int index, pbdrVec3 point, pbdrVec3 force)
{
    const bool drives = pbdrGetBody(&world->scene, index)->kind == pbdr_bodyKinematic;
    return drives ? world->scene.timeStep * pbdrDot(force, getPointVelocity(world, index, point, 1)) : 0.0;
}

static double getFriction(const pbdrScene* scene, const pbdrContact* contact)
{
    const double ownFriction = pbdrGetBody(scene, contact->bodyA.index1 - 1)->friction;
    const double other = contact->plane.index1 != 0 ? pbdrGetPlane(scene, contact->plane.index1 - 1)->friction
                                                    : pbdrGetBody(scene, contact->bodyB.index1 - 1)->friction;
    return pbdrMixFriction(scene->mixing, ownFriction, other);
}

static pbdrVec3 getTangential(pbdrVec3 vector, pbdrVec3 normal)
{
    return pbdrAddScaled(vector, -pbdrDot(vector, normal), normal);
}

static void bookContact(void* context, const pbdrContact* contact)
{
    pbdrWorld* world = context;
    pbdrLedgerSums* sums = &world->ledgerBook.sums;
    sums->penetration = -contact->separation > sums->penetration ? -contact->separation : sums->penetration;
    if (sums->incomplete != 0) {
        return;
    }
    const double dt = world->scene.timeStep;
    const pbdrVec3 n = contact->normal;
    const int a = contact->bodyA.index1 - 1, b = contact->bodyB.index1 - 1;
    pbdrVec3 point = pbdrGetActingPoint(&world->scene, contact, true);
    pbdrVec3 before = getPointVelocity(world, a, point, 0), after = getPointVelocity(world, a, point, 1);
    sums->work += getDrivingWork(world, a, point, pbdrScale(-1.0, contact->force));
    if (b >= 0) {
        point = pbdrGetActingPoint(&world->scene, contact, false);
        before = pbdrSub(before, getPointVelocity(world, b, point, 0));
        after = pbdrSub(after, getPointVelocity(world, b, point, 1));
        sums->work += getDrivingWork(world, b, point, contact->force);
    }
    const pbdrVec3 friction = getTangential(contact->force, n);
    sums->friction += 0.5 * dt * pbdrDot(friction, pbdrAdd(before, after));
    const double bound = getFriction(&world->scene, contact) * pbdrDot(contact->force, n);
    if (pbdrLength(friction) < STICKING * bound) {
        const double slip = dt * pbdrLength(getTangential(after, n));
        sums->slip = slip > sums->slip ? slip : sums->slip;
    }
}

// What a kinematic body does to the other side of a joint, whose reaction acts at a point: by the way of its own point
// there, with the lever of the substep's middle.
static double getCarryingWork(const pbdrWorld* world, int index, pbdrVec3 point, const pbdrWrench* reaction)
{
    if (index < 0 || pbdrGetBody(&world->scene, index)->kind != pbdr_bodyKinematic) {
        return 0.0;
    }
    const Entry* entry = getEntry(world, index);
    const pbdrVec3 end = pbdrSub(point, entry->pose[1].position),
                   middle = pbdrAddScaled(end, -0.5, pbdrCross(entry->angle, end));
    return pbdrDot(reaction->force, pbdrAdd(entry->way, pbdrCross(entry->angle, middle))) +
           pbdrDot(reaction->torque, entry->angle);
}

// A joint's forces on its two bodies are opposite and act at the same point: what they do together is what they do
// along the axis, and what a kinematic body does by them.
static void bookJoints(pbdrWorld* world)
{
    const pbdrScene* scene = &world->scene;
    for (int k = 0; k < scene->joints.count; k++) {
        const pbdrJoint* joint = pbdrGetJoint(scene, k);
        if (joint->alive) {
            const pbdrBody* b = joint->bodies[1] >= 0 ? pbdrGetBody(scene, joint->bodies[1]) : NULL;
            const pbdrVec3 point =
                b != NULL ? pbdrAdd(b->centre, pbdrMulMV(&b->frame, joint->anchors[1])) : joint->anchors[1];
            world->ledgerBook.sums.work += joint->work +
                                           getCarryingWork(world, joint->bodies[0], point, &joint->reaction) -
                                           getCarryingWork(world, joint->bodies[1], point, &joint->reaction);
        }
    }
}

// What the solver says of its work in the substep. The one place that reads it.
static void bookSolver(pbdrWorld* world)
{
    pbdrLedgerSums* sums = &world->ledgerBook.sums;
    const pbdrProfile *now = &world->scene.profile, *before = &world->ledgerBook.profile;
    const double residual = world->scene.residual;
    sums->newtonSteps += now->newtonSteps.sum - before->newtonSteps.sum;
    sums->residual = residual <= sums->residual || isnan(sums->residual) ? sums->residual : residual;
}

void pbdrCloseLedger(pbdrWorld* world)
{
    pbdrLedgerBook* book = &world->ledgerBook;
    bookSolver(world);
    if (!world->scene.profiling) {
        world->scene.profile = book->profile; // what was counted was not asked for
    }
    if (book->sums.incomplete == 0) {
        bookBodies(world);
        bookJoints(world);
    }
    world->engine->visitContacts(world->engineState, bookContact, world);
}

void pbdrFreeLedger(pbdrWorld* world)
{
    pbdrListFree(&world->scene.memory, &world->ledgerBook.entries);
}

// --- Rows ---

void pbdrWorld_SetLedger(pbdrWorld* world, bool on)
{
    world->ledgerBook.on = on;
    world->ledgerBook.entries.itemSize = sizeof(Entry);
    world->ledgerBook.sums = (pbdrLedgerSums){0};
    world->scene.counting = on || world->scene.profiling;
}

bool pbdrWorld_HasLedger(const pbdrWorld* world)
{
    return world->ledgerBook.on;
}

static void sumBodies(const pbdrWorld* world, pbdrLedger* row)
{
    int next = 0;
    for (const pbdrBody* body; (body = pbdrNextDynamic(&world->scene, &next)) != NULL;) {
        const int index = next - 1;
        const pbdrVec3 centre = world->engine->getPose(world->engineState, index).position;
        const pbdrVelocity velocity = world->engine->getVelocity(world->engineState, index);
        const pbdrMomentum momentum = world->engine->getMomentum(world->engineState, index);
        row->momentum = pbdrAdd(row->momentum, momentum.linear);
        row->angularMomentum =
            pbdrAdd(row->angularMomentum, pbdrAdd(momentum.angular, pbdrCross(centre, momentum.linear)));
        row->kineticEnergy +=
            0.5 * (pbdrDot(velocity.linear, momentum.linear) + pbdrDot(velocity.angular, momentum.angular));
        row->potentialEnergy -= body->shape->mass * pbdrDot(world->scene.gravity, centre);
    }
}

void pbdrWorld_GetLedger(const pbdrWorld* world, pbdrLedger* row)
{
    const pbdrLedgerBook* book = &world->ledgerBook;
    const pbdrLedgerSums* sums = &book->sums;
    const double unknown = (double)NAN;
    const bool complete = book->on && sums->incomplete == 0;
    *row = (pbdrLedger){
        .time = (double)world->scene.substepCount * world->scene.timeStep,
        .work = complete ? sums->work : unknown,
        .friction = complete ? sums->friction : unknown,
        .penetration = book->on ? sums->penetration : unknown,
        .slip = complete ? sums->slip : unknown,
        .contacts = pbdrWorld_GetContacts(world, NULL, 0),
        .newtonSteps = book->on && world->engine->countIslands != NULL ? (double)sums->newtonSteps : unknown,
        .residual = book->on ? sums->residual : unknown,
    };
    sumBodies(world, row);
}

void pbdrWorld_TakeLedger(pbdrWorld* world, pbdrLedger* row)
{
    pbdrWorld_GetLedger(world, row);
    pbdrLedgerSums* sums = &world->ledgerBook.sums;
    sums->penetration = sums->slip = sums->residual = 0.0;
    sums->newtonSteps = 0;
}
