// Bodies that move rigidly: their placing, their momentum, and the motion of those that are driven, to a
// target or by their applied force and torque alone (no gyroscopic term: they keep their angular velocity),
// in every engine.
#include "math/sym3.h"
#include "scene/scene.h"

void pbdrPlaceBody(pbdrBody* body, pbdrVec3 centre, pbdrVelocity velocity)
{
    body->centre = centre;
    body->velocity = velocity.linear;
    body->angular = velocity.angular;
    body->frame = pbdrMatFromQuat(body->rotation);
}

// What is left of the way, in what is left of the time: the same velocity in each substep but for rounding.
void pbdrAimDriven(const pbdrScene* scene, pbdrBody* body)
{
    const double rate = 1.0 / (body->target.substeps * scene->timeStep);
    const pbdrPose* pose = &body->target.pose;
    pbdrQuat turn = pbdrMulQQ(pose->rotation, pbdrConjugate(body->rotation));
    body->velocity = pbdrScale(rate, pbdrSub(pose->position, body->centre));
    body->angular = pbdrScale(rate, pbdrVectorFromQuat(turn));
}

void pbdrMoveDriven(pbdrScene* scene, pbdrBody* body)
{
    double dt = scene->timeStep;
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 inertia = pbdrTurnTensor(&turn, &body->shape->inertia);
    pbdrVec3 alpha = pbdrSymSolve(&inertia, body->torque, PBDR_INERTIA_CUTOFF_F64);
    pbdrVec3 angular = pbdrAddScaled(body->angular, dt, alpha);
    pbdrVec3 velocity = pbdrAddScaled(body->velocity, dt / body->shape->mass, body->force);
    pbdrVec3 centre = pbdrAddScaled(body->centre, dt, velocity);
    body->rotation = pbdrNormalizeQ(pbdrMulQQ(pbdrQuatFromVector(pbdrScale(dt, angular)), body->rotation));
    if (body->target.substeps == 1) {
        centre = body->target.pose.position;
        body->rotation = body->target.pose.rotation;
        body->target.substeps = PBDR_ARRIVED;
    } else if (body->target.substeps > 1) {
        body->target.substeps--;
    }
    pbdrPlaceBody(body, centre, (pbdrVelocity){velocity, angular});
}

pbdrMomentum pbdrGetRigidMomentum(const pbdrBody* body)
{
    pbdrMat3 turn = pbdrMatFromQuat(body->rotation);
    pbdrMat3 inertia = pbdrTurnTensor(&turn, &body->shape->inertia);
    return (pbdrMomentum){pbdrScale(body->shape->mass, body->velocity), pbdrMulMV(&inertia, body->angular)};
}

int pbdrGetSpherePositions(const pbdrBody* body, pbdrVec3* buffer, int capacity)
{
    const pbdrSphereTree* tree = &body->shape->tree;
    for (int i = 0; i < tree->sphereCount; i++) {
        if (tree->indices[i] < capacity) {
            buffer[tree->indices[i]] =
                pbdrAdd(body->centre, pbdrMulMV(&body->frame, tree->spheres[i].centre));
        }
    }
    return tree->sphereCount;
}
