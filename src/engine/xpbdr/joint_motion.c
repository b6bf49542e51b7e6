// A substep of a mechanism that is a tree, by elimination from its leaves (joint_tree.h). The equations are those of
// mechanism.c. In place of impulses per row there is a wrench per joint, which follows from the links' momenta.
//
//   begin: x is by how much a link's end moves, A = M D^-1 / dt, p the momentum that joints must have given
//   end:   x is the velocity, A = M, p the momentum before the last kick, less it
//
// What is done to each link on its own is done to four at a time (joint_lanes.h).
#include "engine/xpbdr/joint_lanes.h"

// A step leaves this much of a link's end orientation unknown at most, where the end is taken as linear in it [rad]: a
// thousandth of what the scheme itself is off per substep.
#define LINEAR 1.0e-11
// A step that leaves more of a gap than this calls for factors of the present state.
#define SLOW 0.02

// --- Where joints are ---

// Whether all lanes hang on hinges, as most links of most robots do.
static inline bool areHinges(const LinkLanes* lanes)
{
    bool all = true;
    for (int lane = 0; lane < lanes->count; lane++) {
        all =
            all && lanes->links[lane]->node.joint >= 0 && lanes->links[lane]->joint->kind == pbdr_jointHinge;
    }
    return all;
}

// Joints at the begin.
static void placeBegin(pbdrMechanism* mechanism, const LinkLanes* lanes)
{
    bool laws[LANES] = {false}, law = false;
    for (int lane = 0; lane < lanes->count; lane++) {
        pbdrLink* link = lanes->links[lane];
        if (link->node.joint >= 0) {
            STAGE(pbdrOpenLink)(mechanism, link);
            laws[lane] = pbdrHasAxisLaw(link->joint);
            law = law || laws[lane];
        }
    }
    mechanism->driven = mechanism->driven || law;
    if (areHinges(lanes)) {
        STAGE(pbdrPlaceHinges)(lanes, false, law);
        for (int lane = 0; lane < lanes->count; lane++) {
            STAGE(pbdrStartAxisOf)(mechanism, lanes->links[lane], laws[lane]);
        }
        return;
    }
    for (int lane = 0; lane < lanes->count; lane++) {
        pbdrLink* link = lanes->links[lane];
        if (link->node.joint >= 0) {
            STAGE(pbdrPlaceLink)(link, false, laws[lane]);
            STAGE(pbdrStartAxisOf)(mechanism, link, laws[lane]);
        }
    }
}

// What an axis wants of the next step, from where it ends now. Returns the square of how far it is off.
static double aimAxis(const pbdrMechanism* mechanism, pbdrLink* link, bool stepped)
{
    pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
    struct pbdrAxisLaw* axis = &active->axis;
    pbdrLinkNode* node = &link->node;
    const double wanted = axis->at + (node->free > 0 && stepped ? node->u[0] : 0.0);
    axis->at = STAGE(pbdrFindPosition)(link->joint, &link->place, wanted);
    if (axis->hold == PBDR_HOLD_NONE) {
        node->r[0] = pbdrGetAxisLoad(mechanism, active, axis->at);
        return stepped ? (axis->at - wanted) * (axis->at - wanted) : 0.0;
    }
    const double off = axis->at - pbdrGetHeldPlace(mechanism, active);
    for (int i = 0; i < PBDR_MOTION; i++) {
        node->c[i] -= off * node->motions[0].s[1][i];
    }
    return off * off;
}

// Joints at the end, and what would close them. stepped: u says where axes should be. Returns the largest square of what is
// open.
static double placeEnd(const pbdrMechanism* mechanism, const LinkLanes* lanes, bool stepped)
{
    bool law = false;
    for (int lane = 0; lane < lanes->count; lane++) {
        const pbdrLinkNode* node = &lanes->links[lane]->node;
        law = law || (node->joint >= 0 && mechanism->joints[node->joint].axis.active);
    }
    double worst = 0.0;
    const bool hinges = areHinges(lanes);
    if (hinges) {
        worst = STAGE(pbdrPlaceHinges)(lanes, true, law);
    }
    for (int lane = 0; lane < lanes->count && (law || !hinges); lane++) {
        pbdrLink* link = lanes->links[lane];
        if (link->node.joint < 0) {
            continue;
        }
        if (!hinges) {
            STAGE(pbdrPlaceLink)(link, true, law);
            worst = getLarger(pbdrDot(link->place.gap, link->place.gap), worst);
            worst = getLarger(pbdrDot(link->place.turn, link->place.turn), worst);
        }
        if (mechanism->joints[link->node.joint].axis.active) {
            worst = getLarger(aimAxis(mechanism, link, stepped), worst);
        } else if (link->joint->ballLaw) {
            worst = getLarger(STAGE(pbdrAimBall)(mechanism, link, stepped), worst);
        }
    }
    return worst;
}

// --- Newton's method ---

// What the joint of a link leaves it, and how its axis resists.
static void openNode(const pbdrMechanism* mechanism, pbdrLink* link, bool atEnd)
{
    pbdrLinkNode* node = &link->node;
    const struct pbdrAxisLaw* axis = &mechanism->joints[node->joint].axis;
    const pbdrJoint* joint = link->joint;
    if (joint->kind == pbdr_jointBall) {
        node->free = 3;
        node->ball = joint->ballLaw ? &mechanism->joints[node->joint].ball.rows : NULL;
    } else {
        node->free = pbdrHasAxis(joint) && axis->hold == PBDR_HOLD_NONE ? 1 : 0;
    }
    node->slope = !axis->active ? 0.0 : atEnd ? joint->armature : axis->slope;
    node->closes = !atEnd || axis->hold == PBDR_HOLD_MOTOR;
    node->symmetric = atEnd;
}

// Zero but for the mass.
static inline void startBlock(pbdrLinkNode* node, double mass)
{
    const vreal zero = vset(0.0);
    for (int i = 0; i < 6; i++) {
        vstore(node->a[i], zero);
        vstore(node->a[i] + PBDR_TURN, zero);
    }
    node->a[0][0] = node->a[1][1] = node->a[2][2] = mass;
}

// The momentum that joints must have given the links [N s, N m s].
static inline void setMomenta(const LinkLanes* lanes, vvec velocity, vvec spin)
{
    const vreal mass = gatherReal(lanes->shape, SHAPE(mass));
    scatterHalf(vscaleVec(mass, vsubVec(velocity, gatherVec(lanes->link, LINK(loadVelocity)))), lanes->link,
                LINK(node.p));
    scatterHalf(vsubVec(spin, gatherVec(lanes->link, LINK(loadSpin))), lanes->link, TURN(node.p));
}

// A and p at the begin.
static void openLanes(const pbdrMechanism* mechanism, const LinkLanes* lanes)
{
    const vreal over = vset(1.0 / mechanism->dt), half = vset(0.5);
    for (int lane = 0; lane < lanes->count; lane++) {
        pbdrLink* link = lanes->links[lane];
        startBlock(&link->node, link->body->shape->mass / mechanism->dt);
        if (link->node.joint >= 0) {
            openNode(mechanism, link, false);
        }
    }
    // I D^-1 = I - dt/2 (I [w] - [w] I + [I w]), and I [w] is minus the transpose of [w] I
    const vmat inertia = gatherMat(lanes->link, LINK(inertia));
    const vvec w = gatherVec(lanes->link, LINK(angular)), h = gatherVec(lanes->link, LINK(spin));
    const vvec x = inertia.rows[0], y = inertia.rows[1], z = inertia.rows[2];
    const vvec turned[3] = {vsubVec(vscaleVec(w.y, z), vscaleVec(w.z, y)),
                            vsubVec(vscaleVec(w.z, x), vscaleVec(w.x, z)),
                            vsubVec(vscaleVec(w.x, y), vscaleVec(w.y, x))};
    const vreal xy = vadd(turned[0].y, turned[1].x), xz = vadd(turned[0].z, turned[2].x),
                yz = vadd(turned[1].z, turned[2].y);
    const vvec more[3] = {{vadd(turned[0].x, turned[0].x), vadd(xy, h.z), vsub(xz, h.y)},
                          {vsub(xy, h.z), vadd(turned[1].y, turned[1].y), vadd(yz, h.x)},
                          {vadd(xz, h.y), vsub(yz, h.x), vadd(turned[2].z, turned[2].z)}};
    for (size_t row = 0; row < 3; row++) {
        scatterHalf(vaddScaled(vscaleVec(over, inertia.rows[row]), half, more[row]), lanes->link,
                    ROW(node.a, 3 + row) + sizeof(double[PBDR_TURN]));
    }
    setMomenta(lanes, gatherVec(lanes->link, LINK(velocity)), h);
}

// Takes the step x, and moves the links' ends.
static void stepLanes(const LinkLanes* lanes, double dt)
{
    const vmat inertia = gatherMat(lanes->link, LINK(inertia));
    const vvec way = gatherVec(lanes->link, LINK(node.x)), turn = gatherVec(lanes->link, TURN(node.x)),
               w = gatherVec(lanes->link, LINK(angular)), h = gatherVec(lanes->link, LINK(spin));
    const vreal over = vset(1.0 / dt);
    const vvec velocity = vaddScaled(gatherVec(lanes->link, LINK(velocity)), over, way);
    // I D^-1 x/dt
    const vvec kick = vmulMat(&inertia, turn);
    const vvec back =
        vaddVec(vsubVec(vmulMat(&inertia, vcrossVec(w, turn)), vcrossVec(w, kick)), vcrossVec(h, turn));
    const vvec spin = vaddVec(h, vaddScaled(vscaleVec(over, kick), vset(-0.5), back));
    scatterVec(velocity, lanes->link, LINK(velocity));
    scatterVec(spin, lanes->link, LINK(spin));
    setMomenta(lanes, velocity, spin);
    // what a linear end would leave unknown
    const vreal size = vdotVec(turn, turn), speed = vmul(vset(dt * dt), vdotVec(w, w));
    const vreal unknown = vadd(vmul(vsqrt(size), speed), size);
    if (vbits(vle(unknown, vset(6.0 * LINEAR))) == (1u << LANES) - 1) {
        STAGE(pbdrShiftLanes)(lanes);
    } else {
        STAGE(pbdrDriftLanes)(lanes, dt);
    }
}

// Moves links to the end as they are, from the begin of the substep.
static double begin(pbdrMechanism* mechanism)
{
    double worst = 0.0;
    mechanism->driven = false;
    for (int k = 0; k < mechanism->linkCount; k += LANES) {
        const LinkLanes lanes = getLanes(mechanism, k);
        STAGE(pbdrStartLanes)(&lanes);
        placeBegin(mechanism, &lanes);
        STAGE(pbdrDriftLanes)(&lanes, mechanism->dt);
        worst = getLarger(placeEnd(mechanism, &lanes, false), worst);
    }
    return sqrt(worst);
}

// What is open at the end, once other things hold axes.
static double aim(const pbdrMechanism* mechanism)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->linkCount; k += LANES) {
        const LinkLanes lanes = getLanes(mechanism, k);
        worst = getLarger(placeEnd(mechanism, &lanes, false), worst);
    }
    return sqrt(worst);
}

static void openTree(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k += LANES) {
        const LinkLanes lanes = getLanes(mechanism, k);
        openLanes(mechanism, &lanes);
    }
}

// A step of Newton's method. Returns what it leaves open; NaN without a step.
static double takeStep(const pbdrMechanism* mechanism)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    double worst = 0.0;
    for (int k = 0; k < mechanism->linkCount; k += LANES) {
        const LinkLanes lanes = getLanes(mechanism, k);
        for (int lane = 0; lane < lanes.count; lane++) {
            if (!STAGE(pbdrMoveNode)(&tree, &lanes.links[lane]->node, 0)) {
                return (double)NAN;
            }
        }
        stepLanes(&lanes, mechanism->dt);
        worst = getLarger(placeEnd(mechanism, &lanes, true), worst);
    }
    return sqrt(worst);
}

static double closeTree(const pbdrMechanism* mechanism, double gap, int* steps)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    const double closed = PBDR_CLOSED * pbdrGetReach(mechanism);
    bool factors = true;
    for (int k = 0; k < PBDR_CLOSING_STEPS; k++) {
        if (factors) {
            openTree(mechanism);
            if (!STAGE(pbdrFactorTree)(&tree, 0)) {
                return (double)NAN;
            }
        } else {
            STAGE(pbdrPassTree)(&tree, 0);
        }
        const double before = gap;
        gap = takeStep(mechanism);
        (*steps)++;
        if (gap <= closed || !(gap < HUGE_VAL) || (k > 0 && gap > 0.5 * before && gap < 1.0e3 * closed)) {
            break; // the last: rounding
        }
        factors = k > 0 && !(gap <= SLOW * before);
    }
    return gap;
}

// What joints did to links, about the links' centres, from what each link's momentum changed by: at the begin, the end, or both.
static void findWrenches(const pbdrMechanism* mechanism, int first, int last)
{
    for (int k = mechanism->linkCount - 1; k >= 0; k--) {
        pbdrLink* link = &mechanism->links[mechanism->links[k].node.order];
        const pbdrLinkNode* node = &link->node;
        if (node->joint < 0) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[node->joint];
        for (int end = first; end <= last; end++) {
            double* to = node->parent >= 0 ? mechanism->links[node->parent].wrenches[end] : NULL;
            *(end == 0 ? &active->push[PBDR_JOINT_AXIS] : &active->pull[PBDR_JOINT_AXIS]) =
                STAGE(pbdrPassWrench)(node, end, link->wrenches[end], to);
            for (int i = 0; mechanism->driven && link->joint->ballLaw && i < 3; i++) {
                (end == 0 ? active->push : active->pull)[3 + i] =
                    pbdrDot(pbdrGetWay(link->wrenches[end]), pbdrGetWay(node->motions[i].s[end])) +
                    pbdrDot(pbdrGetTurn(link->wrenches[end]), pbdrGetTurn(node->motions[i].s[end]));
            }
        }
    }
}

static void keepMomenta(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->linkCount; k++) {
        memcpy(mechanism->links[k].wrenches[0], mechanism->links[k].node.p,
               sizeof mechanism->links[k].wrenches[0]);
    }
}

// --- End ---

// A and p for the last kick of joints. Free motion keeps momentum; then comes the kick of loads.
static void openEndLanes(const pbdrMechanism* mechanism, const LinkLanes* lanes, bool first)
{
    if (first) {
        const vmat frame = gatherMat(lanes->link, LINK(frame)),
                   turning = gatherMat(lanes->shape, SHAPE(turning));
        const vmat inertia = vturnTensor(&frame, &turning);
        const vreal half = vset(0.5 * mechanism->dt), mass = gatherReal(lanes->shape, SHAPE(mass));
        const pbdrVec3 g = mechanism->world->scene->gravity;
        const vvec velocity =
            vaddScaled(gatherVec(lanes->link, LINK(velocity)), half, vsetVec(g.x, g.y, g.z));
        scatterMat(&inertia, lanes->link, LINK(endInertia));
        scatterVec(vaddScaled(vscaleVec(mass, velocity), half, gatherVec(lanes->body, BODY(force))),
                   lanes->link, LINK(endLinear));
        scatterVec(vaddScaled(gatherVec(lanes->link, LINK(spin)), half, gatherVec(lanes->body, BODY(torque))),
                   lanes->link, LINK(endSpin));
    }
    for (int lane = 0; lane < lanes->count; lane++) {
        pbdrLink* link = lanes->links[lane];
        pbdrLinkNode* node = &link->node;
        pbdrSetMotion(pbdrScale(-1.0, link->endLinear), pbdrScale(-1.0, link->endSpin), node->p);
        startBlock(node, link->body->shape->mass);
        for (int i = 0; i < 3; i++) {
            memcpy(node->a[3 + i] + PBDR_TURN, link->endInertia.m[i], sizeof link->endInertia.m[i]);
        }
        if (node->joint < 0) {
            continue;
        }
        const pbdrActiveJoint* active = &mechanism->joints[node->joint];
        openNode(mechanism, link, true);
        memset(node->c, 0, sizeof node->c);
        node->r[0] = 0.0;
        if (node->parent < 0) {
            const pbdrJointSide* fixed = &active->fixed[1 - node->child];
            pbdrSetMotion(fixed->velocity, fixed->angular, node->base);
        }
        if (active->axis.hold == PBDR_HOLD_MOTOR) {
            for (int i = 0; i < PBDR_MOTION; i++) {
                node->c[i] = link->joint->motorTarget * node->motions[0].s[1][i];
            }
        } else if (active->axis.active && active->axis.hold == PBDR_HOLD_NONE) {
            node->r[0] = pbdrGetEndLoad(mechanism, active) +
                         link->joint->armature * (active->axis.at - active->axis.place) / mechanism->dt;
        } else if (link->joint->ballLaw) {
            struct pbdrBallLaw* ball = &mechanism->joints[node->joint].ball;
            const pbdrVec3 load = pbdrGetBallLoad(link->joint, ball, mechanism->dt, true);
            memcpy(node->r, &load, sizeof load);
            pbdrFindBallEndRows(link->joint, mechanism->dt, load, pbdrVec(0.0, 0.0, 0.0), ball);
        }
    }
}

// Velocities after the last kick, and what it gave.
static void endLanes(const LinkLanes* lanes)
{
    const vmat inertia = gatherMat(lanes->link, LINK(endInertia));
    const vreal mass = gatherReal(lanes->shape, SHAPE(mass));
    const vvec velocity = gatherVec(lanes->link, LINK(node.x)),
               angular = gatherVec(lanes->link, TURN(node.x));
    scatterVec(velocity, lanes->link, LINK(endVelocity));
    scatterVec(angular, lanes->link, LINK(endAngular));
    scatterHalf(vsubVec(vscaleVec(mass, velocity), gatherVec(lanes->link, LINK(endLinear))), lanes->link,
                LINK(wrenches[1]));
    scatterHalf(vsubVec(vmulMat(&inertia, angular), gatherVec(lanes->link, LINK(endSpin))), lanes->link,
                TURN(wrenches[1]));
    // what the links had before that kick, where they are then: the next substep's first kick will be about the same
    const vmat frame = gatherMat(lanes->link, LINK(frame)),
               inverse = gatherMat(lanes->shape, SHAPE(inverseTurning));
    const vvec own = vmulMat(&inverse, vmulTransposed(&frame, gatherVec(lanes->link, LINK(spin))));
    scatterVec(vsubVec(velocity, gatherVec(lanes->link, LINK(velocity))), lanes->link, LINK(kick.linear));
    scatterVec(vsubVec(angular, vmulMat(&frame, own)), lanes->link, LINK(kick.angular));
}

// Velocities after the last kick, with what holds axes as it is.
static bool solveEnd(const pbdrMechanism* mechanism, bool first)
{
    const pbdrLinkTree tree = pbdrGetTree(mechanism);
    for (int k = 0; k < mechanism->linkCount; k += LANES) {
        const LinkLanes lanes = getLanes(mechanism, k);
        openEndLanes(mechanism, &lanes, first);
    }
    if (!STAGE(pbdrFactorTree)(&tree, 1)) {
        return false;
    }
    for (int k = 0; k < mechanism->linkCount; k += LANES) {
        const LinkLanes lanes = getLanes(mechanism, k);
        for (int lane = 0; lane < lanes.count; lane++) {
            if (!STAGE(pbdrMoveNode)(&tree, &lanes.links[lane]->node, 1)) {
                return false;
            }
        }
        endLanes(&lanes);
    }
    findWrenches(mechanism, mechanism->driven ? 1 : 0, 1);
    return true;
}

// A bound that would pull at the end lets go. True if one did.
static bool releaseBounds(const pbdrMechanism* mechanism)
{
    bool changed = false;
    if (!mechanism->driven) {
        return false;
    }
    for (int k = 0; k < mechanism->linkCount; k++) {
        const pbdrLink* link = &mechanism->links[k];
        if (link->node.joint < 0) {
            continue;
        }
        pbdrActiveJoint* active = &mechanism->joints[link->node.joint];
        if (link->joint->ballLaw) {
            const double* rate = link->node.u;
            changed = pbdrReleaseBall(link->joint, pbdrGetBallImpulse(active->pull),
                                      pbdrVec(rate[0], rate[1], rate[2]), mechanism->dt, &active->ball) ||
                      changed;
            continue;
        }
        if (active->axis.hold != PBDR_HOLD_LOWER && active->axis.hold != PBDR_HOLD_UPPER) {
            continue;
        }
        // its rate is zero; the impulse beyond what the axis has of itself
        const double turned = (active->axis.at - active->axis.place) / mechanism->dt;
        const double extra = active->pull[PBDR_JOINT_AXIS] - pbdrGetEndLoad(mechanism, active) -
                             pbdrGetActiveJoint(mechanism, active)->armature * turned;
        if (active->axis.hold * extra > 0.0) {
            active->axis.hold = PBDR_HOLD_NONE;
            changed = true;
        }
    }
    return changed;
}

bool STAGE(pbdrMoveTree)(pbdrMechanism* mechanism, pbdrIsland* island)
{
    double gap = begin(mechanism);
    for (int round = 0; round < PBDR_HOLD_ROUNDS; round++) {
        gap = closeTree(mechanism, round == 0 ? gap : aim(mechanism), &island->stepCount);
        keepMomenta(mechanism);
        if (!mechanism->driven) {
            break;
        }
        findWrenches(mechanism, 0, 0);
        bool changed = false;
        for (int k = 0; k < mechanism->jointCount; k++) {
            pbdrActiveJoint* active = &mechanism->joints[k];
            const pbdrJoint* joint = pbdrGetActiveJoint(mechanism, active);
            if (active->axis.active) {
                changed = pbdrChangeHold(mechanism, active) || changed;
            } else if (joint->ballLaw) {
                changed =
                    pbdrChangeBall(joint, pbdrGetBallImpulse(active->push), mechanism->dt, &active->ball) ||
                    changed;
            }
        }
        if (!changed) {
            break;
        }
    }
    if (!(gap <= PBDR_BAD_GAP)) {
        island->flags |= pbdr_stepNotConverged;
    }
    bool good = isfinite(gap);
    for (int round = 0; good && round < PBDR_HOLD_ROUNDS; round++) {
        good = solveEnd(mechanism, round == 0);
        if (!good || !releaseBounds(mechanism)) {
            break;
        }
    }
    return good;
}
