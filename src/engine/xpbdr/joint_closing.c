// Joints that contacts left open, closed by the least way in the metric of masses (docs/theory/joints.md, Contacts).
#include "engine/xpbdr/kernels.h"
#include "engine/xpbdr/mechanism.h"

#include <string.h>

// What is added to a row's diagonal, over what that will be: rows of loops may depend on each other.
#define LOOSE 1.0e-6
// Gaps that count as closed, over the farthest coordinate or 1 [m, rad]; steps at most.
#define CLOSED 1.0e-14
#define STEPS 10

// Whether a row is an axis that nothing holds, or one that the joint does not have.
static bool isFree(const pbdrActiveJoint* active, int row)
{
    return row >= active->end.count && !(row == PBDR_JOINT_AXIS && active->axis.hold != PBDR_HOLD_NONE);
}

static double findRows(const pbdrMechanism* mechanism)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->jointCount; k++) {
        pbdrActiveJoint* active = &mechanism->joints[k];
        pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        pbdrJointSide sides[2];
        for (int side = 0; side < 2; side++) {
            if (active->movers[side] < 0) {
                sides[side] = active->fixed[side];
            } else {
                const pbdrLink* link = &mechanism->links[active->movers[side]];
                sides[side] = (pbdrJointSide){.centre = link->centre, .turn = link->frame};
            }
        }
        pbdrFindJointRows(joint, sides, &active->end);
        for (int row = 0; row < active->end.count; row++) {
            worst = pbdrMax(worst, fabs(active->end.gaps[row]));
        }
        if (joint->ballLaw) {
            const pbdrMat3 turn = pbdrGetBallTurn(joint, &sides[0].turn, &sides[1].turn);
            pbdrPlaceBall(joint, &turn, mechanism->dt, &active->ball);
            pbdrFindBallGap(joint, &active->ball);
            pbdrNoteBallWork(&active->ball, active->ball.force, joint);
            worst = pbdrMax(worst, pbdrGetBallRest(joint, &active->ball, mechanism->dt));
        }
        if (pbdrHasAxis(joint)) {
            joint->position = active->axis.at = pbdrFollowAxis(joint, &active->end, joint->position);
            joint->work = joint->axisForce * (joint->position - active->axis.place);
            if (active->axis.hold != PBDR_HOLD_NONE) {
                const double bound = active->axis.hold == PBDR_HOLD_LOWER ? joint->lower : joint->upper;
                active->end.gaps[PBDR_JOINT_AXIS] = active->axis.at - bound;
                worst = pbdrMax(worst, fabs(active->axis.at - bound));
            }
        }
    }
    return pbdrMax(worst, pbdrPlaceGears(mechanism));
}

static void moveLink(pbdrLink* link, const double step[6])
{
    link->centre = pbdrAdd(link->centre, pbdrVec(step[0], step[1], step[2]));
    const pbdrQuat turn = pbdrQuatFromVector(pbdrVec(step[3], step[4], step[5]));
    link->rotation = pbdrNormalizeQ(pbdrMulQQ(turn, link->rotation));
    link->frame = pbdrMatFromQuat(link->rotation);
}

// By the least way, in the metric of masses.
static void closeJoints(const pbdrMechanism* mechanism, double closed)
{
    double gap = findRows(mechanism);
    if (!(gap > closed) || !pbdrFactorMechanism(mechanism, true)) {
        return;
    }
    for (int step = 0; step < STEPS && gap > closed; step++) {
        const double before = gap;
        for (int k = 0; k < mechanism->linkCount; k++) {
            memset(pbdrGetSide(mechanism->system, k), 0, 6 * sizeof(double));
        }
        for (int k = 0; k < mechanism->jointCount; k++) {
            const pbdrActiveJoint* active = &mechanism->joints[k];
            double* side = pbdrGetSide(mechanism->system, mechanism->linkCount + k);
            for (int row = 0; row < 6; row++) {
                side[row] = isFree(active, row) ? 0.0 : -active->end.gaps[row];
            }
            for (int row = 0; row < 3 && pbdrGetActiveJoint(mechanism, active)->ballLaw; row++) {
                side[3 + row] = -active->ball.rows.rests[row];
            }
        }
        for (int k = 0; k < mechanism->gearCount; k++) {
            double* side = pbdrGetSide(mechanism->system, mechanism->system->firstGear + k);
            memset(side, 0, 6 * sizeof(double));
            side[0] = -mechanism->gears[k].gap;
        }
        pbdrSolveSides(mechanism->system);
        for (int k = 0; k < mechanism->linkCount; k++) {
            moveLink(&mechanism->links[k], pbdrGetSide(mechanism->system, k));
        }
        gap = findRows(mechanism);
        if (gap > 0.1 * before && gap > closed && !pbdrFactorMechanism(mechanism, true)) {
            return;
        }
    }
}

static void closeIsland(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker, pbdrIsland* island)
{
    const pbdrMover* movers = (const pbdrMover*)world->movers.items + island->firstMover;
    pbdrMechanism mechanism;
    bool good = pbdrOpenMechanism(world, worker, island, LOOSE, &mechanism);
    if (good) {
        mechanism.tree = pbdrIsTree(&mechanism);
        good = mechanism.tree || pbdrPlanMechanism(worker, &mechanism);
    }
    if (!good) {
        world->scene->flags |= pbdr_stepPairsFull;
        return;
    }
    mechanism.loops = true; // there may be some
    double reach = 1.0;
    for (int k = 0; k < mechanism.linkCount; k++) {
        const pbdrBody* body = pbdrGetBody(world->scene, movers[k].body);
        pbdrLink* link = &mechanism.links[k];
        link->body = body;
        link->centre = body->centre;
        link->rotation = body->rotation;
        link->frame = body->frame;
        link->endInertia = pbdrTurnTensor(&body->frame, &body->shape->turning);
        const pbdrVec3 c = body->centre;
        reach = pbdrMax(reach, pbdrMax(fabs(c.x), pbdrMax(fabs(c.y), fabs(c.z))));
    }
    for (int k = 0; k < mechanism.jointCount; k++) {
        struct pbdrAxisLaw* axis = &mechanism.joints[k].axis;
        if (pbdrGetActiveJoint(&mechanism, &mechanism.joints[k])->ballLaw) {
            pbdrKeepBound(&mechanism.joints[k].ball);
        }
        axis->active = false;
        axis->hold =
            axis->hold == PBDR_HOLD_LOWER || axis->hold == PBDR_HOLD_UPPER ? axis->hold : PBDR_HOLD_NONE;
    }
    if (mechanism.tree) {
        world->kernels->closeTree(&mechanism, CLOSED * reach);
    } else {
        closeJoints(&mechanism, CLOSED * reach);
    }
    for (int k = 0; k < mechanism.linkCount; k++) {
        pbdrBody* body = pbdrGetBody(world->scene, movers[k].body);
        body->centre = mechanism.links[k].centre;
        body->rotation = mechanism.links[k].rotation;
        body->frame = mechanism.links[k].frame;
    }
}

void pbdrCloseJoints(pbdrXpbdrWorld* world, pbdrXpbdrWorker* worker)
{
    pbdrIsland* islands = world->islands.items;
    for (int k = 0; k < world->islands.count; k++) {
        if (islands[k].touches) {
            closeIsland(world, worker, &islands[k]);
        }
    }
}
