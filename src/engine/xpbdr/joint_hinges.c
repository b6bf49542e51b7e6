// Where the hinges are that four links hang on: pbdrPlaceLink (joint_place.c) of the joint that most links of most robots have.
#include "engine/xpbdr/joint_lanes.h"

// An axis of each lane's joint: a column of its basis.
static inline vvec gatherAxis(Lanes basis, size_t axis)
{
    const size_t offset = axis * sizeof(double);
    return (vvec){gatherReal(basis, offset), gatherReal(basis, offset + sizeof(double[3])),
                  gatherReal(basis, offset + sizeof(double[6]))};
}

double STAGE(pbdrPlaceHinges)(const LinkLanes* lanes, bool atEnd, bool angle)
{
    enum { SIDE, OTHER, AXIS };
    Lanes anchors[2], bases[2], parentCentre, parentFrame;
    for (int lane = 0; lane < LANES; lane++) {
        const pbdrLink* link = lanes->links[lane];
        for (int far = 0; far < 2; far++) {
            const int side = far == 0 ? link->node.child : 1 - link->node.child;
            anchors[far].at[lane] = (char*)(uintptr_t)&link->joint->anchors[side];
            bases[far].at[lane] = (char*)(uintptr_t)&link->joint->bases[side];
        }
        parentCentre.at[lane] = (char*)(uintptr_t)link->parentCentre[atEnd];
        parentFrame.at[lane] = (char*)(uintptr_t)link->parentFrame[atEnd];
    }
    const vmat frame = atEnd ? gatherMat(lanes->link, LINK(frame)) : gatherMat(lanes->body, BODY(frame)),
               parent = gatherMat(parentFrame, 0);
    const vvec centre = atEnd ? gatherVec(lanes->link, LINK(centre)) : gatherVec(lanes->body, BODY(centre));
    const vvec reach = vsubVec(centre, gatherVec(parentCentre, 0));
    const vvec lever = vmulMat(&frame, gatherVec(anchors[0], 0)),
               axis = vmulMat(&frame, gatherAxis(bases[0], AXIS));
    const vvec signedAxis = vscaleVec(gatherReal(lanes->link, LINK(sign)), axis);
    scatterHalf(reach, lanes->link, LINK(node.reach) + (atEnd ? sizeof(double[4]) : 0));
    scatterHalf(vcrossVec(lever, signedAxis), lanes->link, ROW(node.motions[0].s, atEnd));
    scatterHalf(signedAxis, lanes->link, ROW(node.motions[0].s, atEnd) + sizeof(double[PBDR_TURN]));
    scatterVec(lever, lanes->link, LINK(levers) + (atEnd ? sizeof(pbdrVec3) : 0));
    if (!atEnd && !angle) {
        return 0.0;
    }
    const vvec parentAxis = vmulMat(&parent, gatherAxis(bases[1], AXIS));
    if (angle) {
        const vvec side = vmulMat(&frame, gatherAxis(bases[0], SIDE)),
                   parentSide = vmulMat(&parent, gatherAxis(bases[1], SIDE));
        _Alignas(32) double sines[LANES], cosines[LANES];
        vstore(sines, vdotVec(vcrossVec(parentAxis, parentSide), side));
        vstore(cosines, vdotVec(side, parentSide));
        for (int lane = 0; lane < lanes->count; lane++) {
            lanes->links[lane]->place.sine = lanes->links[lane]->sign * sines[lane];
            lanes->links[lane]->place.cosine = cosines[lane];
        }
        scatterVec(axis, lanes->link, LINK(place.axis));
        scatterVec(lever, lanes->link, LINK(place.lever));
    }
    if (!atEnd) {
        return 0.0;
    }
    const vvec gap = vsubVec(vsubVec(vmulMat(&parent, gatherVec(anchors[1], 0)), lever), reach),
               turn = vcrossVec(axis, parentAxis);
    scatterHalf(vaddVec(gap, vcrossVec(lever, turn)), lanes->link, LINK(node.c));
    scatterHalf(turn, lanes->link, TURN(node.c));
    _Alignas(32) double squares[2][LANES];
    vstore(squares[0], vdotVec(gap, gap));
    vstore(squares[1], vdotVec(turn, turn));
    double worst = 0.0;
    for (int lane = 0; lane < LANES; lane++) {
        worst = getLarger(squares[1][lane], getLarger(squares[0][lane], worst));
    }
    return worst;
}
