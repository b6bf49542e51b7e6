// The substep: the paper's Algorithm 1 as its authors run it, a list of stages.
#include "solver/stages.h"
#include "world/definition.h"
#include "world/profile.h"

// Sums of the next substep are taken about where the body is and how it moves now. Flags what has left finite
// numbers.
static void closeSubstep(pbdrWorld* world)
{
    for (int index = 0; index < world->bodies.count; index++) {
        pbdrBody* body = pbdrGetBody(world, index);
        if (!body->alive || body->kind == pbdr_bodyStatic) {
            continue;
        }
        if (body->kind == pbdr_bodyDynamic && pbdrHasParticles(world)) {
            pbdrVec3 drift = pbdrAddScaled(body->drift0, 1.0 / body->weight, body->before.relativeMomentum);
            body->centre0 = pbdrRoundVec(world, body->before.centre);
            body->drift0 = pbdrRoundVec(world, drift);
        }
        double speed = pbdrLength(body->drift0);
        bool finite = pbdrFitsPrecision(body->centre0, world->precision) && isfinite(speed) &&
                      isfinite(pbdrLength(body->before.spin)) && isfinite(pbdrLength(body->angular)) &&
                      isfinite(pbdrLengthQ(body->rotation));
        if (!finite) {
            world->flags |= pbdr_stepNotFinite;
        } else if (speed > PBDR_SPEED_LIMIT) {
            world->flags |= pbdr_stepSpeedLimit;
        }
    }
}

static void runStages(pbdrWorld* world)
{
    const pbdrStages* stage = world->stages;
    if (pbdrHasParticles(world)) {
        pbdrClearContacts(world);
    }
    stage->integrate(world);
    pbdrEndStage(world, pbdr_rowIntegrate);
    stage->findPairs(world);
    pbdrEndStage(world, pbdr_rowFindPairs);
    for (int i = 0; i < world->iterations; i++) {
        stage->collidePlanes(world);
        pbdrEndStage(world, pbdr_rowCollidePlanes);
        stage->collideParticles(world);
        pbdrEndStage(world, pbdr_rowCollideParticles);
        stage->applyContacts(world);
        pbdrEndStage(world, pbdr_rowApplyContacts);
        stage->matchShapes(world);
        pbdrEndStage(world, pbdr_rowMatchShapes);
        if (world->solver == pbdr_solverPbdR) {
            stage->restoreMomentum(world);
            pbdrEndStage(world, pbdr_rowRestoreMomentum);
            stage->followMomentum(world);
            pbdrEndStage(world, pbdr_rowFollowMomentum);
        }
    }
}

uint32_t pbdrWorld_Step(pbdrWorld* world, int substepCount)
{
    world->flags = 0;
    for (int i = 0; i < substepCount && (world->flags & pbdr_stepNotFinite) == 0; i++) {
        if (world->profiling) {
            pbdrBeginProfiledSubstep(world);
        }
        if (world->solver == pbdr_solverXpbdR) {
            pbdrStepXpbdR(world);
        } else {
            runStages(world);
        }
        closeSubstep(world);
        pbdrEndStage(world, pbdr_rowClose);
        world->substepCount++;
        if (world->profiling) {
            pbdrEndProfiledSubstep(world);
        }
    }
    return world->flags;
}
