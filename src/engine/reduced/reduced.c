// PBD and PBD-R in reduced coordinates: the particle engine's iterates from 24 numbers per body.
//
// Shape matching leaves every particle of a body where one affine map puts it,
//
//   x = c + F q,  v = u + G q            (code: centre, frame, velocity, rate)
//
// and contacts move a few of them by dx. All that the next match and the momentum constraint need are sums,
// with S = sum m q q^T constant, D = sum m dx and B = sum m dx q^T over the contacts (sum m q = 0):
//
//   t = c + D/M         A = F S + B         P = M u + D/dt
//   L = axial(F S G^T + B G^T) - axial(B F^T)/dt,     axial(X) = (X23 - X32, X31 - X13, X12 - X21)
//   after the match     c = t,  F = R,  u += (t - c)/dt,  G += (R - F)/dt
//   momentum            w = I^-1 (L_after - L_before):  G -= [w]x R,  F -= dt [w]x R
//
// P is kept exactly, so there is no linear half. v = (x - x_start)/dt holds throughout, so PBD's velocity
// update is PBD-R's: the two differ by the momentum constraint alone, and by rounding, which is not here.
// docs/theory/reduced.md has the derivation.
#include "engine/reduced/reduced.h"

#include "contact/friction.h"
#include "engine/extra_inertia.h"
#include "math/polar.h"
#include "math/sym3.h"

// --- Small matrices ---

// sum of x cross y over a sum of x y^T
static pbdrVec3 getAxial(const pbdrMat3* a)
{
    return pbdrVec(a->m[1][2] - a->m[2][1], a->m[2][0] - a->m[0][2], a->m[0][1] - a->m[1][0]);
}

static pbdrMat3 mulByTransposed(const pbdrMat3* a, const pbdrMat3* b)
{
    pbdrMat3 t = pbdrTranspose(b);
    return pbdrMulMM(a, &t);
}

// --- Sums ---

// L about the centre of mass of x = F q, v = G q.
pbdrVec3 pbdrGetReducedSpin(const pbdrReducedWorld* world, int index)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrMat3 spread = pbdrMulMM(&body->frame, &body->shape->spread);
    pbdrMat3 both = mulByTransposed(&spread, &pbdrGetReducedBody(world, index)->rate);
    return getAxial(&both);
}

pbdrMat3 pbdrGetReducedInertia(const pbdrBody* body)
{
    pbdrMat3 s = pbdrTurnTensor(&body->frame, &body->shape->spread);
    return pbdrMakeInertia(s.m[0][0], s.m[1][1], s.m[2][2], s.m[0][1], s.m[0][2], s.m[1][2]);
}

// --- Stages ---

static void clearForces(const pbdrItems* items)
{
    if (items->count == 0) {
        return; // no columns yet, and C has no NULL + 0: clang's sanitizer says so
    }
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        double* column = pbdrGetColumn(items, k);
        for (int i = 0; i < items->count; i++) {
            column[i] = 0.0;
        }
    }
}

void pbdrIntegrateReduced(pbdrReducedWorld* world)
{
    double dt = world->scene->timeStep;
    clearForces(&world->candidates.items);
    for (int index = 0; index < world->scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world->scene, index);
        if (!body->alive) {
            continue;
        }
        if (body->kind == pbdr_bodyKinematic) {
            pbdrMoveDriven(world->scene, body);
            pbdrGetReducedBody(world, index)->rate = pbdrCrossM(body->angular, &body->frame);
        }
        if (body->kind != pbdr_bodyDynamic) {
            continue;
        }
        pbdrReducedBody* own = pbdrGetReducedBody(world, index);
        pbdrVec3 acceleration = pbdrAddScaled(world->scene->gravity, 1.0 / body->shape->mass, body->force);
        if (pbdrDot(body->torque, body->torque) > 0.0) {
            pbdrMat3 points = pbdrGetReducedInertia(body), inertia = pbdrAddExtraInertia(body, &points);
            pbdrVec3 alpha = pbdrSymSolve(&inertia, body->torque, PBDR_INERTIA_CUTOFF_F64);
            own->extraSpin = pbdrAdd(own->extraSpin, pbdrGetExtraSpin(body, pbdrScale(dt, alpha)));
            pbdrMat3 field = pbdrCrossM(alpha, &body->frame);
            own->rate = pbdrAddScaledMM(&own->rate, dt, &field);
        }
        body->velocity = pbdrAddScaled(body->velocity, dt, acceleration);
        body->centre = pbdrAddScaled(body->centre, dt, body->velocity);
        body->frame = pbdrAddScaledMM(&body->frame, dt, &own->rate);
    }
}

void pbdrCollidePlanesReduced(pbdrReducedWorld* world)
{
    pbdrUpdateCandidates(&world->candidates);
    for (int k = 0; k < world->candidates.patches.count && pbdrGetPatch(&world->candidates, k)->plane >= 0;
         k++) {
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, k);
        const pbdrPlane* plane = pbdrGetPlane(world->scene, patch->plane);
        const pbdrBody* body = pbdrGetBody(world->scene, patch->bodyA);
        pbdrReducedBody* own = pbdrGetReducedBody(world, patch->bodyA);
        const pbdrPlaneView view = {
            .normal = plane->normal,
            .restNormal = pbdrMulTransposedMV(&body->frame, plane->normal),
            .height = pbdrDot(plane->normal, body->centre) - plane->offset,
            .friction = pbdrMixFriction(world->scene->mixing, body->friction, plane->friction),
            .drift = body->velocity,
            .rate = own->rate,
            .timeStep = world->scene->timeStep,
            .relaxation = world->scene->relaxation,
        };
        pbdrShove shove = {{0.0}, {{0.0}}};
        if (world->kernels->shovePatch(&world->candidates.items, patch->first, patch->count, &view, &shove)) {
            own->shoved = pbdrAdd(own->shoved, pbdrVec(shove.linear[0], shove.linear[1], shove.linear[2]));
            for (int i = 0; i < 9; i++) {
                own->sheared.m[i / 3][i % 3] += shove.spread[i / 3][i % 3];
            }
        }
    }
}

// A sphere of an item: where it is and how it moves.
typedef struct Particle {
    pbdrReducedBody* body;
    bool moves; // by contact
    pbdrVec3 q, x, v;
    double radius, mass;
} Particle;

static Particle getParticle(const pbdrReducedWorld* world, int index, int column, int item)
{
    const pbdrItems* items = &world->candidates.items;
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrReducedBody* own = pbdrGetReducedBody(world, index);
    pbdrVec3 q = pbdrReadColumns(items, column, item);
    return (Particle){
        .body = own,
        .moves = !pbdrIsFixed(body),
        .q = q,
        .x = pbdrAdd(body->centre, pbdrMulMV(&body->frame, q)),
        .v = pbdrAdd(body->velocity, pbdrMulMV(&own->rate, q)),
        .radius = pbdrGetColumn(items, column + 3)[item],
        .mass = pbdrGetColumn(items, column + 4)[item],
    };
}

// m dx of a particle, into its body's sums.
static void shoveParticle(const Particle* particle, pbdrVec3 push)
{
    pbdrReducedBody* own = particle->body;
    own->shoved = pbdrAdd(own->shoved, push);
    const double row[3] = {push.x, push.y, push.z};
    const double rest[3] = {particle->q.x, particle->q.y, particle->q.z};
    for (int i = 0; i < 9; i++) {
        own->sheared.m[i / 3][i % 3] += row[i / 3] * rest[i % 3];
    }
}

static void collideItem(pbdrReducedWorld* world, const pbdrPatch* patch, int item, double mu)
{
    const pbdrScene* scene = world->scene;
    const Particle a = getParticle(world, patch->bodyA, ITEM_REST, item);
    const Particle b = getParticle(world, patch->bodyB, ITEM_REST_B, item);
    const pbdrOverlap overlap = pbdrGetOverlap(pbdrSub(a.x, b.x), a.radius, b.radius);
    if (!(overlap.depth <= 0.0)) {
        return;
    }
    pbdrVec3 dx = pbdrGetCorrection(&overlap, pbdrSub(a.v, b.v), mu, scene->timeStep);
    // m dx of either is the same with the opposite sign: that of the reduced mass
    double mass = a.moves && b.moves ? a.mass * b.mass / (a.mass + b.mass) : (a.moves ? a.mass : b.mass);
    pbdrVec3 push = pbdrScale(scene->relaxation * mass, dx);
    if (a.moves) {
        shoveParticle(&a, push);
    }
    if (b.moves) {
        shoveParticle(&b, pbdrScale(-1.0, push));
    }
    double perStep = 1.0 / (scene->timeStep * scene->timeStep);
    const double force[3] = {push.x, push.y, push.z};
    for (int k = 0; k < 3; k++) {
        pbdrGetColumn(&world->candidates.items, ITEM_FORCE + k)[item] += perStep * force[k];
    }
    pbdrGetColumn(&world->candidates.items, ITEM_TOUCHED)[item] = 1.0;
}

void pbdrCollideSpheresReduced(pbdrReducedWorld* world)
{
    for (int k = 0; k < world->candidates.patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(&world->candidates, k);
        if (patch->bodyB < 0) {
            continue;
        }
        double mu = pbdrMixFriction(world->scene->mixing, pbdrGetBody(world->scene, patch->bodyA)->friction,
                                    pbdrGetBody(world->scene, patch->bodyB)->friction);
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            collideItem(world, patch, item, mu);
        }
    }
}

static void matchBody(pbdrReducedWorld* world, int index)
{
    pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrReducedBody* own = pbdrGetReducedBody(world, index);
    double dt = world->scene->timeStep;
    pbdrMat3 spread = pbdrMulMM(&body->frame, &body->shape->spread);
    // L before: axial(F S G^T + B G^T) - axial(B F^T)/dt
    pbdrMat3 moved = pbdrAddScaledMM(&spread, 1.0, &own->sheared);
    pbdrMat3 withRate = mulByTransposed(&moved, &own->rate);
    pbdrMat3 withPlace = mulByTransposed(&own->sheared, &body->frame);
    own->spinBefore = pbdrAddScaled(getAxial(&withRate), -1.0 / dt, getAxial(&withPlace));
    if (!pbdrPolarRotation(&moved, body->rotation, PBDR_INERTIA_CUTOFF_F64, &body->rotation)) {
        world->scene->flags |= pbdr_stepNotFinite;
        return;
    }
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 change = pbdrAddScaledMM(&turn, -1.0, &body->frame);
    pbdrVec3 shift = pbdrScale(1.0 / body->shape->weight, own->shoved);
    body->centre = pbdrAdd(body->centre, shift);
    body->velocity = pbdrAddScaled(body->velocity, 1.0 / dt, shift);
    own->rate = pbdrAddScaledMM(&own->rate, 1.0 / dt, &change);
    body->frame = turn;
    own->shoved = pbdrVec(0.0, 0.0, 0.0);
    own->sheared = (pbdrMat3){{{0.0}}};
}

void pbdrMatchShapesReduced(pbdrReducedWorld* world)
{
    int index = 0;
    while (pbdrNextDynamic(world->scene, &index) != NULL) {
        matchBody(world, index - 1);
    }
}

void pbdrRestoreMomentumReduced(pbdrReducedWorld* world)
{
    int index = 0;
    for (const pbdrBody* body; (body = pbdrNextDynamic(world->scene, &index)) != NULL;) {
        pbdrReducedBody* own = pbdrGetReducedBody(world, index - 1);
        own->turn = pbdrVec(0.0, 0.0, 0.0);
        if ((world->scene->ablation & pbdr_ablateAngularMomentum) == 0) {
            pbdrMat3 inertia = pbdrGetReducedInertia(body);
            own->turn = pbdrRestoreSpin(body, &inertia, pbdrGetReducedSpin(world, index - 1), own->spinBefore,
                                        PBDR_INERTIA_CUTOFF_F64, &own->extraSpin);
            pbdrMat3 field = pbdrCrossM(own->turn, &body->frame);
            own->rate = pbdrAddScaledMM(&own->rate, -1.0, &field);
        }
    }
}

void pbdrFollowMomentumReduced(pbdrReducedWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world->scene, &index)) != NULL;) {
        pbdrMat3 field = pbdrCrossM(pbdrGetReducedBody(world, index - 1)->turn, &body->frame);
        body->frame = pbdrAddScaledMM(&body->frame, -world->scene->timeStep, &field);
    }
}
