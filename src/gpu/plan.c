// From a world to a kernel's plan: what the worlds of a batch have in common, and one world's numbers.
#include "gpu/plan_world.h"

#include "base.h"
#include "math/sym3.h"
#include "math/vec.h"
#include "world/internal.h"

#include <string.h>

#define REFUSE(...) pbdrFail(error, pbdr_statusNotSupported, "kernel: " __VA_ARGS__)

// --- What a kernel cannot do ---

static pbdrStatus checkSettings(const pbdrWorld* world, pbdrError* error)
{
    const pbdrScene* scene = &world->scene;
    if (scene->solver == pbdr_solverPbd) {
        return REFUSE("worlds of the solvers xpbdr and pbd-r only");
    }
    if (scene->solver == pbdr_solverPbdR && pbdrWorld_GetEngine(world) != pbdr_engineReduced) {
        return REFUSE("pbd-r in reduced coordinates only; set the world's engine to pbdr_engineReduced");
    }
    if (scene->ablation != 0) {
        return REFUSE("no ablations");
    }
    if (scene->sleeping) {
        return REFUSE("bodies do not sleep; switch it off");
    }
    if (scene->maxNewtonSteps > 0) {
        return REFUSE("no limit of Newton steps");
    }
    for (int index = 0; index < scene->joints.count; index++) {
        if (pbdrIsHolding(pbdrGetJoint(scene, index))) {
            return REFUSE("no joints");
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus checkBody(const pbdrScene* scene, const pbdrBody* body, int index, pbdrError* error)
{
    if (scene->touchesSurface && body->shape->surface.kind != pbdr_surfaceNone) {
        return REFUSE("body %d touches by its surface; set the world's contact to pbdr_contactSpheres",
                      index);
    }
    if (body->restitution > 0.0) {
        return REFUSE("body %d bounces (restitution %g)", index, body->restitution);
    }
    if (body->rollingFriction > 0.0 || body->spinningFriction > 0.0) {
        return REFUSE("body %d has rolling or spinning friction", index);
    }
    if (body->target.substeps != 0) {
        return REFUSE("body %d is on its way to a target", index);
    }
    if (pbdrDot(body->stepForce, body->stepForce) + pbdrDot(body->stepTorque, body->stepTorque) > 0.0) {
        return REFUSE("body %d has a force of the next step alone; set one that lasts", index);
    }
    if (body->kind == pbdr_bodyKinematic && pbdrDot(body->torque, body->torque) > 0.0) {
        return REFUSE("kinematic body %d has a torque", index);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkPlane(const pbdrPlane* plane, int index, pbdrError* error)
{
    if (plane->restitution > 0.0) {
        return REFUSE("plane %d bounces (restitution %g)", index, plane->restitution);
    }
    if (plane->rollingFriction > 0.0 || plane->spinningFriction > 0.0) {
        return REFUSE("plane %d has rolling or spinning friction", index);
    }
    return pbdr_statusOk;
}

// --- The plan ---

// The place of a shape's spheres in the list, where an earlier body has it.
static int findSpheres(const pbdrScene* scene, const pbdrKernelPlan* plan, const int* indices,
                       const pbdrBody* body)
{
    for (int k = 0; k < plan->bodyCount; k++) {
        if (pbdrGetBody(scene, indices[k])->shape == body->shape) {
            return plan->bodies[k].firstSphere;
        }
    }
    return -1;
}

static pbdrStatus addBody(const pbdrScene* scene, int index, const int* indices, pbdrKernelPlan* plan,
                          double* spheres, pbdrError* error)
{
    const pbdrBody* body = pbdrGetBody(scene, index);
    const pbdrShape* shape = body->shape;
    if (plan->bodyCount == PBDR_KERNEL_BODIES) {
        return REFUSE("more than %d bodies", PBDR_KERNEL_BODIES);
    }
    const bool moves = body->kind == pbdr_bodyDynamic;
    if (moves && plan->moverCount == PBDR_KERNEL_MOVERS) {
        return REFUSE("more than %d bodies that contact moves", PBDR_KERNEL_MOVERS);
    }
    int first = findSpheres(scene, plan, indices, body);
    if (first < 0) {
        first = plan->sphereCount;
        if (shape->sphereCount > PBDR_KERNEL_SPHERES - first) {
            return REFUSE("more than %d spheres in all shapes", PBDR_KERNEL_SPHERES);
        }
        for (int i = 0; i < shape->sphereCount; i++) {
            double* to = spheres + 4 * (first + i);
            to[0] = shape->offsets[i].x;
            to[1] = shape->offsets[i].y;
            to[2] = shape->offsets[i].z;
            to[3] = shape->radii[i];
        }
        plan->sphereCount += shape->sphereCount;
    }
    pbdrKernelBody* to = &plan->bodies[plan->bodyCount];
    to->moves = moves ? 1 : body->kind == pbdr_bodyKinematic ? -1 : 0;
    to->firstSphere = first;
    to->sphereCount = shape->sphereCount;
    to->mover = moves ? plan->moverCount : -1;
    to->mass = shape->mass;
    memcpy(to->turning, shape->turning.m, sizeof to->turning);
    memcpy(to->inverseTurning, shape->inverseTurning.m, sizeof to->inverseTurning);
    to->reach = shape->reach;
    to->margin = shape->margin;
    to->largestRadius = shape->largestRadius;
    to->weight = shape->weight;
    memcpy(to->spread, shape->spread.m, sizeof to->spread);
    memcpy(to->extraInertia, shape->extraInertia.m, sizeof to->extraInertia);
    to->hasExtra = shape->hasExtraInertia;
    if (moves) {
        plan->movers[plan->moverCount++] = plan->bodyCount;
    }
    plan->bodyCount++;
    return pbdr_statusOk;
}

// PBD-R turns a body by its point masses: they must not stand on a line.
static pbdrStatus checkPoints(const pbdrKernelPlan* plan, int index, pbdrError* error)
{
    const pbdrKernelBody* body = &plan->bodies[index];
    if (!plan->reduced || body->moves != 1) {
        return pbdr_statusOk;
    }
    pbdrMat3 spread, vectors;
    double values[3];
    memcpy(spread.m, body->spread, sizeof spread.m);
    pbdrSymEigen(&spread, values, &vectors);
    return values[1] > 1.0e-6 * values[2] ? pbdr_statusOk
                                          : REFUSE("the spheres of body %d stand on a line", index);
}

// Two tangents, as far from each other's axes as may be, and the normal.
static void addPlane(const pbdrPlane* plane, pbdrKernelPlan* plan)
{
    const pbdrVec3 n = plane->normal;
    const pbdrVec3 axis = fabs(n.x) <= fabs(n.y) && fabs(n.x) <= fabs(n.z) ? pbdrVec(1.0, 0.0, 0.0)
                          : fabs(n.y) <= fabs(n.z)                         ? pbdrVec(0.0, 1.0, 0.0)
                                                                           : pbdrVec(0.0, 0.0, 1.0);
    pbdrVec3 s = pbdrAddScaled(axis, -pbdrDot(n, axis), n);
    s = pbdrScale(1.0 / pbdrLength(s), s);
    const pbdrVec3 rows[3] = {s, pbdrCross(n, s), n};
    pbdrKernelPlane* to = &plan->planes[plan->planeCount++];
    for (int k = 0; k < 3; k++) {
        to->frame[k][0] = rows[k].x;
        to->frame[k][1] = rows[k].y;
        to->frame[k][2] = rows[k].z;
    }
    to->offset = plane->offset;
}

static pbdrStatus addPatch(pbdrKernelPlan* plan, int bodyA, int bodyB, int plane, pbdrError* error)
{
    if (plan->patchCount == PBDR_KERNEL_PATCHES) {
        return REFUSE("more than %d pairs of bodies, or bodies and planes, that may touch",
                      PBDR_KERNEL_PATCHES);
    }
    plan->patches[plan->patchCount++] = (pbdrKernelPatch){bodyA, bodyB, plane};
    return pbdr_statusOk;
}

// Planes first, as a world has its patches.
static pbdrStatus listPatches(const pbdrScene* scene, const int* bodies, const int* planes,
                              pbdrKernelPlan* plan, pbdrError* error)
{
    pbdrStatus status = pbdr_statusOk;
    for (int p = 0; p < plan->planeCount; p++) {
        for (int b = 0; b < plan->bodyCount && status == pbdr_statusOk; b++) {
            if (pbdrMeetsPlane(pbdrGetBody(scene, bodies[b]), pbdrGetPlane(scene, planes[p]))) {
                status = addPatch(plan, b, -1, p, error);
            }
        }
    }
    for (int a = 0; a < plan->bodyCount; a++) {
        for (int b = a + 1; b < plan->bodyCount && status == pbdr_statusOk; b++) {
            if (pbdrCanTouch(scene, bodies[a], bodies[b])) {
                status = addPatch(plan, a, b, -1, error);
            }
        }
    }
    return status;
}

// Candidates of two bodies: hardly more than they have spheres, but all of these with all where they are few.
#define FEW_PAIRS 64

static int countPairs(int spheresA, int spheresB)
{
    const int sum = spheresA + spheresB, all = spheresA * spheresB;
    const int few = all < FEW_PAIRS ? all : FEW_PAIRS;
    return sum > few ? sum : few;
}

// Room for as many items as there can be, or as a kernel has.
static void countItems(pbdrKernelPlan* plan)
{
    int count = 0;
    for (int p = 0; p < plan->patchCount; p++) {
        const pbdrKernelPatch* patch = &plan->patches[p];
        const int spheres = plan->bodies[patch->bodyA].sphereCount;
        count += patch->bodyB < 0 ? spheres : countPairs(spheres, plan->bodies[patch->bodyB].sphereCount);
    }
    plan->itemCount = count < PBDR_KERNEL_ITEMS ? count : PBDR_KERNEL_ITEMS;
    plan->firstBody = WORLD_SLOTS;
    plan->firstPlane = plan->firstBody + plan->bodyCount * BODY_SLOTS;
    plan->firstPatch = plan->firstPlane + plan->planeCount;
    plan->firstItem = plan->firstPatch + plan->patchCount * PATCH_SLOTS;
    plan->firstForce = plan->firstItem + plan->itemCount * ITEM_SLOTS;
    plan->firstWrench = plan->firstForce + plan->itemCount * 3;
    plan->slots = plan->firstWrench + plan->bodyCount * WRENCH_SLOTS;
}

pbdrStatus pbdrMakeKernelPlan(const pbdrWorld* world, pbdrKernelPlan* plan, double* spheres, pbdrError* error)
{
    const pbdrScene* scene = &world->scene;
    int bodies[PBDR_KERNEL_BODIES], planes[PBDR_KERNEL_PLANES];
    *plan = (pbdrKernelPlan){
        .mixing = (int32_t)scene->mixing,
        .timeStep = scene->timeStep,
        .tolerance = scene->tolerance > 0.0 ? scene->tolerance : PBDR_DEFAULT_TOLERANCE,
        .gravity = {scene->gravity.x, scene->gravity.y, scene->gravity.z},
        .reduced = scene->solver == pbdr_solverPbdR,
        .iterations = scene->iterations,
        .relaxation = scene->relaxation,
        .rate = 1.0 / scene->timeStep,
        .perStep = 1.0 / (scene->timeStep * scene->timeStep),
        .weight = pbdrLength(scene->gravity),
    };
    pbdrStatus status = checkSettings(world, error);
    for (int index = 0; index < scene->bodies.count && status == pbdr_statusOk; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        if (!body->alive) {
            continue;
        }
        const int place = plan->bodyCount;
        status = checkBody(scene, body, place, error);
        status = status == pbdr_statusOk ? addBody(scene, index, bodies, plan, spheres, error) : status;
        if (status == pbdr_statusOk) {
            bodies[place] = index;
        }
    }
    for (int index = 0; index < scene->planes.count && status == pbdr_statusOk; index++) {
        const pbdrPlane* plane = pbdrGetPlane(scene, index);
        if (!plane->alive) {
            continue;
        }
        status = plan->planeCount < PBDR_KERNEL_PLANES ? checkPlane(plane, plan->planeCount, error)
                                                       : REFUSE("more than %d planes", PBDR_KERNEL_PLANES);
        if (status == pbdr_statusOk) {
            planes[plan->planeCount] = index;
            addPlane(plane, plan);
        }
    }
    for (int k = 0; k < plan->bodyCount && status == pbdr_statusOk; k++) { // all masses after all spheres
        const pbdrShape* shape = pbdrGetBody(scene, bodies[k])->shape;
        memcpy(spheres + 4 * plan->sphereCount + plan->bodies[k].firstSphere, shape->masses,
               (size_t)shape->sphereCount * sizeof *spheres);
        status = checkPoints(plan, k, error);
    }
    if (status == pbdr_statusOk && plan->moverCount == 0) {
        status = REFUSE("no body that contact moves");
    }
    if (status == pbdr_statusOk) {
        status = listPatches(scene, bodies, planes, plan, error);
    }
    countItems(plan);
    return status;
}

// --- A world's numbers ---

static void putVec(double* to, pbdrVec3 a)
{
    to[0] = a.x;
    to[1] = a.y;
    to[2] = a.z;
}

void pbdrFillKernelWorld(const pbdrWorld* world, const pbdrKernelPlan* plan, double* numbers)
{
    const pbdrScene* scene = &world->scene;
    memset(numbers, 0, (size_t)plan->slots * sizeof *numbers);
    int place = 0;
    for (int index = 0; index < scene->bodies.count; index++) {
        const pbdrBody* body = pbdrGetBody(scene, index);
        if (!body->alive) {
            continue;
        }
        double* to = numbers + plan->firstBody + place++ * BODY_SLOTS;
        putVec(to + BODY_CENTRE, body->centre);
        to[BODY_ROTATION] = body->rotation.w;
        to[BODY_ROTATION + 1] = body->rotation.x;
        to[BODY_ROTATION + 2] = body->rotation.y;
        to[BODY_ROTATION + 3] = body->rotation.z;
        putVec(to + BODY_VELOCITY, body->velocity);
        // of PBD-R the engine knows it alone
        putVec(to + BODY_ANGULAR, world->engine->getVelocity(world->engineState, index).angular);
        putVec(to + BODY_FORCE, body->force);
        putVec(to + BODY_TORQUE, body->torque);
        to[BODY_FRICTION] = body->friction;
        to[BODY_MASS] = body->shape->mass;
    }
    place = 0;
    for (int index = 0; index < scene->planes.count; index++) {
        if (pbdrGetPlane(scene, index)->alive) {
            numbers[plan->firstPlane + place++] = pbdrGetPlane(scene, index)->friction;
        }
    }
    for (int p = 0; p < plan->patchCount; p++) {
        numbers[plan->firstPatch + p * PATCH_SLOTS + PATCH_MARGIN] = -1.0;
    }
}
