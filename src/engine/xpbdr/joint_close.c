// Joints of a tree that contacts have moved, closed by the least way in the metric of masses: A x = f (joint_tree.h) with A
// the masses and x the way; c closes a joint, and takes an axis to the bound that holds it.
#include "engine/xpbdr/joint_kernel.h"

#define STEPS 10

// Where joints are, and how far they are open; positions of axes go into the scene.
static double placeLinks(const pbdrMechanism* mechanism)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->linkCount; k++) {
        pbdrLink* link = &mechanism->links[k];
        if (link->node.joint < 0) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
        pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
        STAGE(pbdrPlaceLink)(link, true, true);
        worst = pbdrMax(worst, pbdrMax(pbdrLength(link->place.gap), pbdrLength(link->place.turn)));
        if (joint->ballLaw) {
            STAGE(pbdrPlaceBallEnd)(mechanism, link);
            pbdrFindBallGap(joint, &active->ball);
            pbdrNoteBallWork(&active->ball, active->ball.force, joint);
            worst = pbdrMax(worst, pbdrGetBallRest(joint, &active->ball, mechanism->dt));
        }
        if (pbdrHasAxis(joint)) {
            joint->position = active->axis.at = STAGE(pbdrFindPosition)(joint, &link->place, joint->position);
            joint->work = joint->axisForce * (joint->position - active->axis.place);
            if (active->axis.hold != PBDR_HOLD_NONE) {
                const double bound = active->axis.hold == PBDR_HOLD_LOWER ? joint->lower : joint->upper;
                worst = pbdrMax(worst, fabs(active->axis.at - bound));
            }
        }
    }
    return worst;
}

static void openLink(const pbdrMechanism* mechanism, pbdrLink* link)
{
    pbdrLinkNode* node = &link->node;
    const pbdrActiveJoint* active = &mechanism->joints[node->joint];
    const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
    const bool held = active->axis.hold != PBDR_HOLD_NONE;
    node->free = joint->kind == pbdr_jointBall ? 3 : pbdrHasAxis(joint) && !held ? 1 : 0;
    node->ball = joint->ballLaw ? &active->ball.rows : NULL;
    node->slope = 0.0;
    node->symmetric = node->closes = true;
    if (joint->ballLaw) {
        STAGE(pbdrMoveHeld)(mechanism, link);
    }
    if (held) {
        const double bound = active->axis.hold == PBDR_HOLD_LOWER ? joint->lower : joint->upper;
        for (int i = 0; i < PBDR_MOTION; i++) {
            node->c[i] += (bound - active->axis.at) * node->motions[0].s[1][i];
        }
    }
}

void STAGE(pbdrCloseTree)(pbdrMechanism* mechanism, double closed)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    for (int k = 0; k < mechanism->linkCount; k++) {
        if (mechanism->links[k].node.joint >= 0) {
            STAGE(pbdrOpenLink)(mechanism, &mechanism->links[k]);
        }
    }
    double gap = placeLinks(mechanism);
    for (int step = 0; step < STEPS && gap > closed; step++) {
        for (int k = 0; k < mechanism->linkCount; k++) {
            pbdrLink* link = &mechanism->links[k];
            pbdrSetMass(link->body->shape->mass, &link->endInertia, &link->node);
            memset(link->node.p, 0, sizeof link->node.p);
            if (link->node.joint >= 0) {
                openLink(mechanism, link);
            }
        }
        if (!STAGE(pbdrFactorTree)(&tree, 1) || !STAGE(pbdrMoveNodes)(&tree, 1)) {
            return;
        }
        for (int k = 0; k < mechanism->linkCount; k++) {
            pbdrLink* link = &mechanism->links[k];
            const pbdrQuat turn = pbdrQuatFromVector(pbdrGetTurn(link->node.x));
            link->centre = pbdrAdd(link->centre, pbdrGetWay(link->node.x));
            link->rotation = pbdrNormalizeQ(pbdrMulQQ(turn, link->rotation));
            link->frame = pbdrMatFromQuat(link->rotation);
        }
        const double before = gap;
        gap = placeLinks(mechanism);
        if (gap > 0.5 * before && gap < 1.0e3 * closed) {
            return; // rounding
        }
    }
}
