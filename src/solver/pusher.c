// Integrate-only bodies: driven, in double, by their applied force and torque alone (no gyroscopic term: they
// keep their angular velocity), in every engine.
#include "math/sym3.h"
#include "solver/stages.h"

void pbdrMovePusher(pbdrWorld* world, pbdrBody* body)
{
    double dt = world->timeStep;
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 inertia = pbdrTurnTensor(&turn, &body->restInertia);
    pbdrVec3 alpha = pbdrSymSolve(&inertia, body->torque, PBDR_INERTIA_CUTOFF_F64);
    body->angular = pbdrAddScaled(body->angular, dt, alpha);
    body->drift0 = pbdrAddScaled(body->drift0, dt / body->mass, body->force);
    pbdrVec3 centre = pbdrAddScaled(body->centre0, dt, body->drift0);
    body->rotation =
        pbdrNormalizeQ(pbdrMulQQ(pbdrQuatFromVector(pbdrScale(dt, body->angular)), body->rotation));
    pbdrPlaceParticles(world, body, centre, (pbdrVelocity){body->drift0, body->angular});
}
