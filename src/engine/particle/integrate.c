// Prediction: semi-implicit Euler under gravity and the applied force and torque.
//
//   v += dt (g + F/M + alpha x r),  alpha = I^-1 tau       x += dt v
//
// A force acts on each particle in proportion to its mass, a torque as the angular acceleration it gives the
// rigid body: both fields keep the body rigid. I and r are the current ones, about the centre of mass.
#include "engine/extra_inertia.h"
#include "engine/particle/stage.h"
#include "math/sym3.h"

static void integrateDynamic(pbdrParticleWorld* world, int index)
{
    const pbdrBody* body = pbdrGetBody(world->scene, index);
    pbdrParticleBody* own = pbdrGetParticleBody(world, index);
    pbdrVec3 acceleration = pbdrAddScaled(world->scene->gravity, 1.0 / body->shape->mass, body->force);
    pbdrVec3 alpha = {0.0, 0.0, 0.0};
    pbdrVec3 centre = body->centre;
    if (pbdrDot(body->torque, body->torque) > 0.0) {
        pbdrMoments moments;
        STAGE(pbdrMeasureInertia)(world, index, &moments);
        pbdrMat3 inertia = pbdrAddExtraInertia(body, &moments.inertia);
        alpha = pbdrSymSolve(&inertia, body->torque, pbdrGetInertiaCutoff(world->scene));
        centre = moments.centre;
        own->extraSpin =
            pbdrAdd(own->extraSpin, pbdrGetExtraSpin(body, pbdrScale(world->scene->timeStep, alpha)));
    }

    const pbdrParticles* p = &world->particles;
    const vreal dt = vset((real)world->scene->timeStep);
    const vvec a = vsetVec(acceleration.x, acceleration.y, acceleration.z);
    const vvec w = vsetVec(alpha.x, alpha.y, alpha.z);
    const vvec c = vsetVec(centre.x, centre.y, centre.z);
    const bool usesStart = pbdrUsesStart(world->scene);
    for (int i = getFirst(own); i < getEnd(own); i += LANES) {
        vvec x = vloadVec(p->position, i);
        vvec field = vaddVec(a, vcrossVec(w, vsubVec(x, c)));
        vvec v = vaddVec(vloadVec(p->velocity, i), vscaleVec(dt, field));
        if (usesStart) {
            vstoreVec(p->start, i, x);
        }
        vstoreVec(p->velocity, i, v);
        vstoreVec(p->position, i, vaddVec(x, vscaleVec(dt, v)));
    }
}

void STAGE(pbdrIntegrate)(pbdrParticleWorld* world)
{
    for (int index = 0; index < world->scene->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world->scene, index);
        if (!body->alive) {
            continue;
        }
        if (body->kind == pbdr_bodyDynamic) {
            integrateDynamic(world, index);
        } else if (body->kind == pbdr_bodyKinematic) {
            pbdrMoveDriven(world->scene, body);
            pbdrPlaceParticles(world, index, body->centre, (pbdrVelocity){body->velocity, body->angular});
        }
    }
}
