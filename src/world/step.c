// The step: substeps of the engine, their flags and their profile.
#include "world/definition.h"
#include "world/held.h"
#include "world/internal.h"

#include "scene/profile.h"

// Whether a body's applied force or torque alone would take it beyond the limits in one substep. Contact may
// seem to hold such a load, by the squares of numbers whose squares there are none of.
static bool isOverloaded(const pbdrScene* scene, const pbdrBody* body)
{
    const double dt = scene->timeStep;
    bool over = pbdrLength(body->force) * dt > PBDR_SPEED_LIMIT * body->shape->mass;
    if (pbdrDot(body->torque, body->torque) > 0.0) {
        const pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
        const pbdrMat3 inverse = pbdrTurnTensor(&turn, &body->shape->inverseTurning);
        over = over || !(pbdrLength(pbdrMulMV(&inverse, body->torque)) * dt * dt <= PBDR_TURN_LIMIT);
    }
    return over;
}

// Flags bodies that have left finite numbers or the speed limit.
static void checkBodies(pbdrScene* scene)
{
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        if (!body->alive || body->kind == pbdr_bodyStatic) {
            continue;
        }
        double speed = pbdrLength(body->velocity);
        bool finite = pbdrFitsPrecision(body->centre, scene->precision) && isfinite(speed) &&
                      isfinite(pbdrLength(body->angular)) && isfinite(pbdrLengthQ(body->rotation));
        if (!finite) {
            scene->flags |= pbdr_stepNotFinite;
        } else if (speed > PBDR_SPEED_LIMIT ||
                   pbdrLength(body->angular) * scene->timeStep > PBDR_TURN_LIMIT ||
                   isOverloaded(scene, body)) {
            scene->flags |= pbdr_stepSpeedLimit;
        }
    }
}

// Velocities of the bodies that are on their way to a target.
static void aimBodies(pbdrWorld* world)
{
    world->hasTargets = false;
    for (int index = 0; index < world->scene.bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(&world->scene, index);
        if (body->alive && body->target.substeps > 0) {
            pbdrAimDriven(&world->scene, body);
            world->hasTargets = true;
        }
    }
}

// Those that have arrived rest from now on.
static void restArrived(pbdrWorld* world)
{
    for (int index = 0; index < world->scene.bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(&world->scene, index);
        if (body->alive && body->target.substeps == PBDR_ARRIVED) {
            body->target.substeps = 0;
            const pbdrVelocity rest = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
            world->engine->place(world->engineState, index, body->centre, rest);
        }
    }
}

// Engines see one force per body: from now on that of the step is in it, and stepForce keeps the lasting one.
static void takeUpStepForces(pbdrScene* scene)
{
    for (int index = 0; index < scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(scene, index);
        const pbdrVec3 force = body->force, torque = body->torque;
        body->force = pbdrAdd(force, body->stepForce);
        body->torque = pbdrAdd(torque, body->stepTorque);
        body->stepForce = force;
        body->stepTorque = torque;
    }
}

static void layDownStepForces(pbdrScene* scene)
{
    for (int index = 0; index < scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(scene, index);
        if (pbdrLength(pbdrSub(body->force, body->stepForce)) +
                pbdrLength(pbdrSub(body->torque, body->stepTorque)) >
            0.0) {
            pbdrWakeBody(body); // it may have come to rest against what now ends
        }
        body->force = body->stepForce;
        body->torque = body->stepTorque;
        body->stepForce = body->stepTorque = pbdrVec(0.0, 0.0, 0.0);
    }
}

static void takeSubstep(pbdrWorld* world)
{
    pbdrScene* scene = &world->scene;
    if (world->hasTargets) {
        aimBodies(world);
    }
    if (world->ledgerBook.on) {
        pbdrOpenLedger(world);
    }
    if (world->sensing) {
        pbdrNoteBefore(world);
    }
    if (scene->profiling) {
        pbdrBeginProfiledSubstep(scene);
    }
    scene->residual = (double)NAN;
    world->engine->step(world->engineState);
    if (world->hasTargets) {
        restArrived(world);
    }
    checkBodies(scene);
    pbdrEndStage(scene, pbdr_rowClose);
    scene->substepCount++;
    if (scene->profiling) {
        pbdrEndProfiledSubstep(
            scene, pbdrWorld_GetContacts(world, NULL, 0), world->engine->countCandidates(world->engineState),
            world->engine->countIslands != NULL ? world->engine->countIslands(world->engineState) : -1);
    }
    if (world->ledgerBook.on) {
        pbdrCloseLedger(world);
    }
    if (world->events.on) {
        pbdrRecordEvents(world);
    }
}

// Substeps until one leaves finite numbers.
static void takeSubsteps(pbdrWorld* world, int count)
{
    for (int i = 0; i < count && (world->scene.flags & pbdr_stepNotFinite) == 0; i++) {
        takeSubstep(world);
    }
}

uint32_t pbdrWorld_Step(pbdrWorld* world, int substepCount)
{
    return pbdrStepAndFetch(world, substepCount, NULL, 0);
}

// Stages of a substep that fetch (XPBD-R's, the other engines have more), and the substeps that do. What is fetched earlier
// takes the place of what the step itself needs.
#define STAGES 5
#define FETCHING 8

uint32_t pbdrStepAndFetch(pbdrWorld* world, int substepCount, const char* next, size_t size)
{
    const int blocks = (int)(size / PBDR_FETCH_BYTES);
    const int last = blocks == 0 || substepCount < 1 ? 0 : substepCount < FETCHING ? substepCount : FETCHING;
    const bool hasStepForces = world->hasStepForces && substepCount > 0;
    world->scene.flags = 0;
    pbdrStartEvents(world);
    if (hasStepForces) {
        takeUpStepForces(&world->scene);
    }
    takeSubsteps(world, substepCount - last);
    if (last > 0) {
        world->scene.fetch =
            (pbdrFetch){.next = next, .blocks = blocks, .atATime = (blocks - 1) / (STAGES * last) + 1};
        takeSubsteps(world, last);
        world->scene.fetch.blocks = 0;
    }
    if (hasStepForces) {
        layDownStepForces(&world->scene);
        world->hasStepForces = false;
    }
    return world->scene.flags;
}
