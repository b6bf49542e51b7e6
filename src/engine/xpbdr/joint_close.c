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
        STAGE(pbdrPlaceLink)(mechanism, link, true, true);
        worst = pbdrMax(worst, pbdrMax(pbdrLength(link->place.gap), pbdrLength(link->place.turn)));
        if (pbdrHasAxis(joint)) {
            joint->position = active->axis.at = STAGE(pbdrFindPosition)(joint, &link->place, joint->position);
            joint->way = joint->position - active->axis.place;
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
    STAGE(pbdrSetFree)(joint, link, 0);
    STAGE(pbdrSetFree)(joint, link, 1);
    node->free = joint->kind == pbdr_jointBall ? 3 : pbdrHasAxis(joint) && !held ? 1 : 0;
    node->slope = 0.0;
    node->symmetric = node->closes = true;
    for (int i = 0; i < 6; i++) {
        node->base[i] = 0.0;
    }
    node->r[0] = node->r[1] = node->r[2] = 0.0;
    const pbdrVec3 turn = link->place.turn;
    const pbdrVec3 way = pbdrScale(node->child == 1 ? -1.0 : 1.0, link->place.gap);
    pbdrSetMotion(pbdrAdd(way, pbdrCross(link->place.lever, turn)), turn, node->c);
    if (held) {
        const double bound = active->axis.hold == PBDR_HOLD_LOWER ? joint->lower : joint->upper;
        for (int i = 0; i < 6; i++) {
            node->c[i] += (bound - active->axis.at) * node->motions[0].s[1][i];
        }
    }
}

void STAGE(pbdrCloseTree)(pbdrMechanism* mechanism, double closed)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    double gap = placeLinks(mechanism);
    for (int step = 0; step < STEPS && gap > closed; step++) {
        for (int k = 0; k < mechanism->linkCount; k++) {
            pbdrLink* link = &mechanism->links[k];
            memset(link->node.a, 0, sizeof link->node.a);
            memset(link->node.p, 0, sizeof link->node.p);
            for (int i = 0; i < 3; i++) {
                link->node.a[i][i] = link->body->shape->mass;
                memcpy(link->node.a[3 + i] + 3, link->endInertia.m[i], sizeof link->endInertia.m[i]);
            }
            if (link->node.joint >= 0) {
                openLink(mechanism, link);
            }
        }
        if (!STAGE(pbdrFactorTree)(&tree) || !STAGE(pbdrMoveNodes)(&tree)) {
            return;
        }
        for (int k = 0; k < mechanism->linkCount; k++) {
            pbdrLink* link = &mechanism->links[k];
            const double* x = link->node.x;
            const pbdrQuat turn = pbdrQuatFromVector(pbdrVec(x[3], x[4], x[5]));
            link->centre = pbdrAdd(link->centre, pbdrVec(x[0], x[1], x[2]));
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
