// PBD and PBD-R in reduced coordinates: the particle engine's iterates from 24 numbers per body.
//
// Shape matching leaves every particle of a body where one affine map puts it,
//
//   x = c + F q,  v = u + G q            (code: centre0, stretch, drift0, stretchRate)
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
// docs/theory.md has the derivation.
#include "math/polar.h"
#include "math/sym3.h"
#include "solver/candidates.h"
#include "solver/kernels.h"
#include "solver/stages.h"

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
static pbdrVec3 getSpin(const pbdrBody* body)
{
    pbdrMat3 spread = pbdrMulMM(&body->stretch, &body->restSpread);
    pbdrMat3 both = mulByTransposed(&spread, &body->stretchRate);
    return getAxial(&both);
}

static pbdrMat3 getInertia(const pbdrBody* body)
{
    pbdrMat3 s = pbdrTurnTensor(&body->stretch, &body->restSpread);
    return pbdrMakeInertia(s.m[0][0], s.m[1][1], s.m[2][2], s.m[0][1], s.m[0][2], s.m[1][2]);
}

static void measureSpread(const pbdrWorld* world, const pbdrBody* body, pbdrMoments* moments)
{
    (void)world;
    moments->centre = body->centre0;
    moments->relativeMomentum = pbdrVec(0.0, 0.0, 0.0); // sums are about (centre0, drift0), which they are
    moments->spin = getSpin(body);
    moments->spread = pbdrMulMM(&body->stretch, &body->restSpread);
}

static void measureInertia(const pbdrWorld* world, const pbdrBody* body, pbdrMoments* moments)
{
    measureSpread(world, body, moments);
    moments->inertia = getInertia(body);
}

// --- Stages ---

static void clearForces(const pbdrItems* items)
{
    for (int k = ITEM_FORCE; k < ITEM_SCRATCH; k++) {
        double* column = pbdrGetColumn(items, k);
        for (int i = 0; i < items->count; i++) {
            column[i] = 0.0;
        }
    }
}

static void integrate(pbdrWorld* world)
{
    double dt = world->timeStep;
    clearForces(&world->items);
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world, index);
        if (!body->alive) {
            continue;
        }
        if (body->kind == pbdr_bodyIntegrateOnly) {
            pbdrMovePusher(world, body);
        }
        if (body->kind != pbdr_bodyDynamic) {
            continue;
        }
        pbdrVec3 acceleration = pbdrAddScaled(world->gravity, 1.0 / body->mass, body->force);
        if (pbdrDot(body->torque, body->torque) > 0.0) {
            pbdrMat3 points = getInertia(body), inertia = pbdrAddExtraInertia(body, &points);
            pbdrVec3 alpha = pbdrSymSolve(&inertia, body->torque, PBDR_INERTIA_CUTOFF_F64);
            pbdrAddExtraSpin(body, pbdrScale(dt, alpha));
            pbdrMat3 field = pbdrCrossM(alpha, &body->stretch);
            body->stretchRate = pbdrAddScaledMM(&body->stretchRate, dt, &field);
        }
        body->drift0 = pbdrAddScaled(body->drift0, dt, acceleration);
        body->centre0 = pbdrAddScaled(body->centre0, dt, body->drift0);
        body->stretch = pbdrAddScaledMM(&body->stretch, dt, &body->stretchRate);
    }
}

static void collidePlanes(pbdrWorld* world)
{
    pbdrUpdateCandidates(world);
    for (int k = 0; k < world->patches.count && pbdrGetPatch(world, k)->plane >= 0; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        const pbdrPlane* plane = pbdrGetPlane(world, patch->plane);
        pbdrBody* body = pbdrGetBody(world, patch->bodyA);
        const pbdrPlaneView view = {
            .normal = plane->normal,
            .restNormal = pbdrMulTransposedMV(&body->stretch, plane->normal),
            .height = pbdrDot(plane->normal, body->centre0) - plane->offset,
            .friction = pbdrMixFriction(world->mixing, body->friction, plane->friction),
            .drift = body->drift0,
            .rate = body->stretchRate,
            .timeStep = world->timeStep,
            .relaxation = world->relaxation,
        };
        pbdrShove shove = {{0.0}, {{0.0}}};
        if (world->kernels->shovePatch(&world->items, patch->first, patch->count, &view, &shove)) {
            body->shoved = pbdrAdd(body->shoved, pbdrVec(shove.linear[0], shove.linear[1], shove.linear[2]));
            for (int i = 0; i < 9; i++) {
                body->sheared.m[i / 3][i % 3] += shove.spread[i / 3][i % 3];
            }
        }
    }
}

// A sphere of an item: where it is and how it moves.
typedef struct Particle {
    pbdrBody* body;
    pbdrVec3 q, x, v;
    double radius, mass;
} Particle;

static Particle getParticle(const pbdrWorld* world, int bodyIndex, int column, int item)
{
    const pbdrItems* items = &world->items;
    pbdrBody* body = pbdrGetBody(world, bodyIndex);
    pbdrVec3 q = {pbdrGetColumn(items, column)[item], pbdrGetColumn(items, column + 1)[item],
                  pbdrGetColumn(items, column + 2)[item]};
    return (Particle){
        .body = body,
        .q = q,
        .x = pbdrAdd(body->centre0, pbdrMulMV(&body->stretch, q)),
        .v = pbdrAdd(body->drift0, pbdrMulMV(&body->stretchRate, q)),
        .radius = pbdrGetColumn(items, column + 3)[item],
        .mass = pbdrGetColumn(items, column + 4)[item],
    };
}

// m dx of a particle, into its body's sums.
static void shoveParticle(const Particle* particle, pbdrVec3 push)
{
    pbdrBody* body = particle->body;
    body->shoved = pbdrAdd(body->shoved, push);
    const double row[3] = {push.x, push.y, push.z};
    const double rest[3] = {particle->q.x, particle->q.y, particle->q.z};
    for (int i = 0; i < 9; i++) {
        body->sheared.m[i / 3][i % 3] += row[i / 3] * rest[i % 3];
    }
}

// particle_contact.c's law.
static void collideItem(pbdrWorld* world, const pbdrPatch* patch, int item, double mu)
{
    const Particle a = getParticle(world, patch->bodyA, ITEM_REST, item);
    const Particle b = getParticle(world, patch->bodyB, ITEM_REST_B, item);
    pbdrVec3 apart = pbdrSub(a.x, b.x);
    double distance = pbdrLength(apart);
    double e = distance - a.radius - b.radius;
    if (!(e <= 0.0)) {
        return;
    }
    // spheres at the same place have no normal: part them upwards
    pbdrVec3 n = distance > 0.0 ? pbdrScale(1.0 / distance, apart) : pbdrVec(0.0, 0.0, 1.0);
    pbdrVec3 relative = pbdrSub(a.v, b.v);
    pbdrVec3 slip = pbdrAddScaled(relative, -pbdrDot(relative, n), n);
    double speed = pbdrLength(slip);
    pbdrVec3 dx = pbdrScale(-e, n);
    if (speed > 0.0) {
        dx = pbdrAddScaled(dx, fmax(mu * e, -speed * world->timeStep) / speed, slip);
    }
    // m dx of either is the same with the opposite sign: that of the reduced mass
    bool movesA = a.body->kind == pbdr_bodyDynamic, movesB = b.body->kind == pbdr_bodyDynamic;
    double mass = movesA && movesB ? a.mass * b.mass / (a.mass + b.mass) : (movesA ? a.mass : b.mass);
    pbdrVec3 push = pbdrScale(world->relaxation * mass, dx);
    if (movesA) {
        shoveParticle(&a, push);
    }
    if (movesB) {
        shoveParticle(&b, pbdrScale(-1.0, push));
    }
    double perStep = 1.0 / (world->timeStep * world->timeStep);
    const double force[3] = {push.x, push.y, push.z};
    for (int k = 0; k < 3; k++) {
        pbdrGetColumn(&world->items, ITEM_FORCE + k)[item] += perStep * force[k];
    }
    pbdrGetColumn(&world->items, ITEM_TOUCHED)[item] = 1.0;
}

static void collideParticles(pbdrWorld* world)
{
    for (int k = 0; k < world->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(world, k);
        if (patch->bodyB < 0) {
            continue;
        }
        double mu = pbdrMixFriction(world->mixing, pbdrGetBody(world, patch->bodyA)->friction,
                                    pbdrGetBody(world, patch->bodyB)->friction);
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            collideItem(world, patch, item, mu);
        }
    }
}

// Nothing to move: contacts are in the sums already.
static void applyContacts(pbdrWorld* world)
{
    (void)world;
}

static void matchBody(pbdrWorld* world, pbdrBody* body)
{
    double dt = world->timeStep;
    pbdrMat3 spread = pbdrMulMM(&body->stretch, &body->restSpread);
    // L before: axial(F S G^T + B G^T) - axial(B F^T)/dt
    pbdrMat3 moved = pbdrAddScaledMM(&spread, 1.0, &body->sheared);
    pbdrMat3 withRate = mulByTransposed(&moved, &body->stretchRate);
    pbdrMat3 withPlace = mulByTransposed(&body->sheared, &body->stretch);
    body->before.spin = pbdrAddScaled(getAxial(&withRate), -1.0 / dt, getAxial(&withPlace));
    if (!pbdrPolarRotation(&moved, body->rotation, PBDR_INERTIA_CUTOFF_F64, &body->rotation)) {
        world->flags |= pbdr_stepNotFinite;
        return;
    }
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 change = pbdrAddScaledMM(&turn, -1.0, &body->stretch);
    pbdrVec3 shift = pbdrScale(1.0 / body->weight, body->shoved);
    body->centre0 = pbdrAdd(body->centre0, shift);
    body->drift0 = pbdrAddScaled(body->drift0, 1.0 / dt, shift);
    body->stretchRate = pbdrAddScaledMM(&body->stretchRate, 1.0 / dt, &change);
    body->stretch = turn;
    body->shoved = pbdrVec(0.0, 0.0, 0.0);
    body->sheared = (pbdrMat3){{{0.0}}};
}

static void matchShapes(pbdrWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world, &index)) != NULL;) {
        matchBody(world, body);
    }
}

static void restoreMomentum(pbdrWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world, &index)) != NULL;) {
        body->turn = pbdrVec(0.0, 0.0, 0.0);
        if ((world->ablation & pbdr_ablateAngularMomentum) == 0) {
            pbdrMat3 inertia = getInertia(body);
            body->turn =
                pbdrGetExcessSpin(body, &inertia, getSpin(body), body->before.spin, PBDR_INERTIA_CUTOFF_F64);
            pbdrMat3 field = pbdrCrossM(body->turn, &body->stretch);
            body->stretchRate = pbdrAddScaledMM(&body->stretchRate, -1.0, &field);
        }
    }
}

static void followMomentum(pbdrWorld* world)
{
    int index = 0;
    for (pbdrBody* body; (body = pbdrNextDynamic(world, &index)) != NULL;) {
        pbdrMat3 field = pbdrCrossM(body->turn, &body->stretch);
        body->stretch = pbdrAddScaledMM(&body->stretch, -world->timeStep, &field);
    }
}

const pbdrStages pbdrStages_reduced = {
    .integrate = integrate,
    .findPairs = pbdrUpdateCandidates,
    .collidePlanes = collidePlanes,
    .collideParticles = collideParticles,
    .applyContacts = applyContacts,
    .matchShapes = matchShapes,
    .restoreMomentum = restoreMomentum,
    .followMomentum = followMomentum,
    .measureSpread = measureSpread,
    .measureInertia = measureInertia,
};
