// A world's state as bytes: everything that changes as it runs, so that restoring it goes on bit for bit.
//
//   header | bodies' state | planes' state | joints' state | the engine's
#include "world/definition.h"
#include "world/internal.h"

#include "scene/bytes.h"

#define MAGIC 0x34737472u

typedef struct Header {
    uint32_t magic;
    int32_t precision, solver, engine, bodyCount, planeCount, iterations;
    int32_t effort, maxNewtonSteps, sleeping; // all bytes of a state are defined
    uint64_t layout; // hash of bodies and planes: a state fits a world made by the same calls
    uint64_t substepCount;
    double timeStep, relaxation, tolerance;
    pbdrVec3 gravity;
} Header;

typedef struct BodyState {
    double friction, restitution;
    pbdrFilter filter;
    pbdrVec3 force, torque, stepForce, stepTorque, centre, velocity, angular;
    pbdrQuat rotation;
    pbdrMat3 frame;
    pbdrPose target;
    double quietTime;
    int32_t targetSubsteps, asleep;
} BodyState;

typedef struct PlaneState {
    pbdrVec3 normal;
    double offset, friction, restitution;
    pbdrFilter filter;
} PlaneState;

typedef struct JointState {
    double motorTarget, motorStiffness, motorDamping, position;
    double forces[PBDR_JOINT_ROWS];
    pbdrWrench reaction;
    double axisForce;
    int32_t hold, padding; // all bytes of a state are defined
} JointState;

// Of what creation fixed: settings without a setter, which bodies and planes there are, what they were made as,
// and the contents of their shapes.
static uint64_t hashLayout(const pbdrScene* scene)
{
    uint64_t hash = PBDR_HASH_START;
#define ADD(value) hash = pbdrAddToHash(hash, &(value), sizeof(value))
    ADD(scene->ablation);
    ADD(scene->mixing);
    ADD(scene->touchesSurface);
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        ADD(body->alive);
        ADD(body->generation);
        if (body->alive) {
            ADD(body->kind);
            ADD(body->madeOf);
            ADD(body->rollingFriction);
            ADD(body->spinningFriction);
            ADD(body->shape->hash);
        }
    }
    for (int index = 0; index < scene->planes.count; index++) {
        const pbdrPlane* plane = pbdrGetPlane(scene, index);
        ADD(plane->alive);
        ADD(plane->generation);
        ADD(plane->madeOf);
        ADD(plane->rollingFriction);
        ADD(plane->spinningFriction);
    }
    for (int index = 0; index < scene->joints.count; index++) {
        const pbdrJoint* joint = pbdrGetJoint(scene, index);
        ADD(joint->alive);
        ADD(joint->generation);
        if (joint->alive) {
            ADD(joint->madeOf);
        }
    }
#undef ADD
    return hash;
}

static Header describe(const pbdrWorld* world)
{
    const pbdrScene* scene = &world->scene;
    return (Header){
        .magic = MAGIC,
        .precision = (int32_t)scene->precision,
        .solver = (int32_t)scene->solver,
        .engine = (int32_t)world->engineKind,
        .bodyCount = scene->bodies.count,
        .planeCount = scene->planes.count,
        .iterations = scene->iterations,
        .effort = (int32_t)scene->effort,
        .maxNewtonSteps = scene->maxNewtonSteps,
        .sleeping = scene->sleeping,
        .tolerance = scene->tolerance,
        .layout = hashLayout(scene),
        .substepCount = scene->substepCount,
        .timeStep = scene->timeStep,
        .relaxation = scene->relaxation,
        .gravity = scene->gravity,
    };
}

static size_t getSceneSize(const pbdrScene* scene)
{
    return sizeof(Header) + (size_t)scene->bodies.count * sizeof(BodyState) +
           (size_t)scene->planes.count * sizeof(PlaneState) +
           (size_t)scene->joints.count * sizeof(JointState);
}

size_t pbdrWorld_GetStateSize(const pbdrWorld* world)
{
    return getSceneSize(&world->scene) + world->engine->getStateSize(world->engineState);
}

pbdrStatus pbdrWorld_GetState(const pbdrWorld* world, void* buffer, size_t size, pbdrError* error)
{
    size_t needed = pbdrWorld_GetStateSize(world);
    if (buffer == NULL || size < needed) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "state: a buffer of %zu bytes for %zu", size,
                        needed);
    }
    const Header header = describe(world);
    char* at = pbdrPutBytes(buffer, &header, sizeof header);
    for (int index = 0; index < world->scene.bodies.count; index++) {
        const pbdrBody* b = pbdrGetBody(&world->scene, index);
        const BodyState state = {
            .friction = b->friction,
            .restitution = b->restitution,
            .filter = b->filter,
            .force = b->force,
            .torque = b->torque,
            .stepForce = b->stepForce,
            .stepTorque = b->stepTorque,
            .centre = b->centre,
            .velocity = b->velocity,
            .angular = b->angular,
            .rotation = b->rotation,
            .frame = b->frame,
            .target = b->target.pose,
            .targetSubsteps = b->target.substeps,
            .quietTime = b->quietTime,
            .asleep = b->asleep,
        };
        at = pbdrPutBytes(at, &state, sizeof state);
    }
    for (int index = 0; index < world->scene.planes.count; index++) {
        const pbdrPlane* p = pbdrGetPlane(&world->scene, index);
        const PlaneState state = {p->normal, p->offset, p->friction, p->restitution, p->filter};
        at = pbdrPutBytes(at, &state, sizeof state);
    }
    for (int index = 0; index < world->scene.joints.count; index++) {
        const pbdrJoint* j = pbdrGetJoint(&world->scene, index);
        JointState state = {.motorTarget = j->motorTarget,
                            .motorStiffness = j->motorStiffness,
                            .motorDamping = j->motorDamping,
                            .position = j->position,
                            .reaction = j->reaction,
                            .axisForce = j->axisForce,
                            .hold = j->hold};
        memcpy(state.forces, j->forces, sizeof state.forces);
        at = pbdrPutBytes(at, &state, sizeof state);
    }
    world->engine->save(world->engineState, at);
    return pbdr_statusOk;
}

// Whether the header is that of a state of this world.
static bool fits(const pbdrWorld* world, const Header* header)
{
    const Header own = describe(world);
    return header->magic == MAGIC && header->precision == own.precision && header->solver == own.solver &&
           header->engine == own.engine && header->bodyCount == own.bodyCount &&
           header->planeCount == own.planeCount && header->layout == own.layout &&
           pbdrCheckIterations(header->iterations, NULL) == pbdr_statusOk &&
           pbdrCheckEffort(header->effort, NULL) == pbdr_statusOk &&
           pbdrCheckTolerance(header->tolerance, NULL) == pbdr_statusOk &&
           pbdrCheckNewtonSteps(header->maxNewtonSteps, NULL) == pbdr_statusOk &&
           (header->sleeping == 0 || (header->sleeping == 1 && own.solver == pbdr_solverXpbdR)) &&
           pbdrCheckTimeStep(header->timeStep, NULL) == pbdr_statusOk &&
           pbdrCheckRelaxation(header->relaxation, NULL) == pbdr_statusOk && pbdrIsFiniteVec(header->gravity);
}

// Whether bodies and planes are such as setters would let be. How bodies move is not asked: they may have
// diverged.
static bool areValuesSound(const pbdrScene* scene, const char* at)
{
    bool good = true;
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        BodyState state;
        at = pbdrTakeBytes(at, &state, sizeof state);
        good = good && (!body->alive || (pbdrCheckFriction(state.friction, NULL) == pbdr_statusOk &&
                                         pbdrCheckRestitution(state.restitution, NULL) == pbdr_statusOk));
        good = good && (state.asleep == 0 || (state.asleep == 1 && body->kind == pbdr_bodyDynamic)) &&
               state.quietTime >= 0.0;
        good = good && (state.targetSubsteps == 0 ||
                        (body->kind == pbdr_bodyKinematic && state.targetSubsteps > 0 &&
                         state.targetSubsteps <= PBDR_MAX_TARGET_SUBSTEPS &&
                         pbdrFitsPrecision(state.target.position, scene->precision) &&
                         pbdrCheckRotation(state.target.rotation, "target", NULL) == pbdr_statusOk));
    }
    for (int index = 0; index < scene->planes.count; index++) {
        PlaneState state;
        at = pbdrTakeBytes(at, &state, sizeof state);
        good = good && (!pbdrGetPlane(scene, index)->alive ||
                        (pbdrCheckNormal(state.normal, NULL) == pbdr_statusOk &&
                         pbdrCheckOffset(state.offset, NULL) == pbdr_statusOk &&
                         pbdrCheckFriction(state.friction, NULL) == pbdr_statusOk &&
                         pbdrCheckRestitution(state.restitution, NULL) == pbdr_statusOk));
    }
    for (int index = 0; index < scene->joints.count; index++) {
        JointState state;
        at = pbdrTakeBytes(at, &state, sizeof state);
        good = good && isfinite(state.motorTarget) && isfinite(state.motorStiffness) &&
               isfinite(state.motorDamping) && state.hold >= -1 &&
               state.hold <= (pbdrGetJoint(scene, index)->ballLaw ? 15 : 3);
    }
    return good;
}

static void takeScene(pbdrScene* scene, const Header* header, const char* at)
{
    scene->iterations = header->iterations;
    scene->substepCount = header->substepCount;
    scene->timeStep = header->timeStep;
    scene->relaxation = header->relaxation;
    scene->gravity = header->gravity;
    scene->effort = (pbdrEffort)header->effort;
    scene->tolerance = header->tolerance;
    scene->maxNewtonSteps = header->maxNewtonSteps;
    scene->sleeping = header->sleeping != 0;
    for (int index = 0; index < scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(scene, index);
        BodyState state;
        at = pbdrTakeBytes(at, &state, sizeof state);
        body->friction = state.friction;
        body->restitution = state.restitution;
        body->filter = state.filter;
        body->force = state.force;
        body->torque = state.torque;
        body->stepForce = state.stepForce;
        body->stepTorque = state.stepTorque;
        body->target = (pbdrTarget){state.target, state.targetSubsteps};
        body->asleep = state.asleep != 0;
        body->quietTime = state.quietTime;
        body->centre = state.centre;
        body->velocity = state.velocity;
        body->angular = state.angular;
        body->rotation = state.rotation;
        body->frame = state.frame;
    }
    for (int index = 0; index < scene->planes.count; index++) {
        pbdrPlane* plane = pbdrGetPlane(scene, index);
        PlaneState state;
        at = pbdrTakeBytes(at, &state, sizeof state);
        plane->normal = state.normal;
        plane->offset = state.offset;
        plane->friction = state.friction;
        plane->restitution = state.restitution;
        plane->filter = state.filter;
    }
    for (int index = 0; index < scene->joints.count; index++) {
        pbdrJoint* joint = pbdrGetJoint(scene, index);
        JointState state;
        at = pbdrTakeBytes(at, &state, sizeof state);
        joint->motorTarget = state.motorTarget;
        joint->motorStiffness = state.motorStiffness;
        joint->motorDamping = state.motorDamping;
        joint->position = state.position;
        memcpy(joint->forces, state.forces, sizeof joint->forces);
        joint->reaction = state.reaction;
        joint->axisForce = state.axisForce;
        joint->hold = state.hold;
    }
}

pbdrStatus pbdrWorld_SetState(pbdrWorld* world, const void* buffer, size_t size, pbdrError* error)
{
    // All checks first: a state that is refused changes nothing.
    const size_t sceneSize = getSceneSize(&world->scene);
    Header header;
    if (buffer == NULL || size < sizeof header) {
        return pbdrFail(error, pbdr_statusStateMismatch, "state: %zu bytes are too few", size);
    }
    const char* bodies = pbdrTakeBytes(buffer, &header, sizeof header);
    if (!fits(world, &header) || size < sceneSize) {
        return pbdrFail(
            error, pbdr_statusStateMismatch,
            "state: %zu bytes of a world of %d bodies and %d planes do not fit this one of %d and %d", size,
            (int)header.bodyCount, (int)header.planeCount, world->scene.bodies.count,
            world->scene.planes.count);
    }
    if (!areValuesSound(&world->scene, bodies)) {
        return pbdrFail(error, pbdr_statusStateMismatch,
                        "state: a friction, restitution, target, plane or joint that none can have");
    }
    const char* engine = (const char*)buffer + sceneSize;
    if (!world->engine->isSound(world->engineState, engine, size - sceneSize)) {
        return pbdrFail(error, pbdr_statusStateMismatch,
                        "state: its contacts name particles that do not exist");
    }
    world->engine->forgetContacts(world->engineState);
    if (!world->engine->load(world->engineState, engine, size - sceneSize)) {
        return pbdrFail(error, pbdr_statusNoMemory, "state: out of memory for its contacts");
    }
    takeScene(&world->scene, &header, bodies);
    world->hasTargets = world->hasStepForces = true; // as far as is known
    pbdrResetEvents(world);
    return pbdr_statusOk;
}

uint64_t pbdrWorld_GetHash(const pbdrWorld* world)
{
    uint64_t hash = PBDR_HASH_START;
    for (int index = 0; index < world->scene.bodies.count; index++) {
        if (pbdrGetBody(&world->scene, index)->alive) {
            const pbdrPose pose = world->engine->getPose(world->engineState, index);
            const pbdrVelocity velocity = world->engine->getVelocity(world->engineState, index);
            hash = pbdrAddToHash(hash, &pose, sizeof pose);
            hash = pbdrAddToHash(hash, &velocity, sizeof velocity);
        }
    }
    return hash;
}
