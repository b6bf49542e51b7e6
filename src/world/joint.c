// Joints: creation, destruction and definitions.
#include "joint/rows.h"
#include "world/definition.h"
#include "world/internal.h"

#include "scene/bytes.h"

#include <string.h>

#define REFUSE(...) return pbdrFail(error, pbdr_statusInvalidArgument, __VA_ARGS__)

// --- Look-up ---

bool pbdrJoint_IsValid(const pbdrWorld* world, pbdrJointId id)
{
    if (id.index1 < 1 || id.index1 > world->scene.joints.count) {
        return false;
    }
    const pbdrJoint* joint = pbdrGetJoint(&world->scene, id.index1 - 1);
    return joint->alive && joint->generation == id.generation && id.world == world->scene.number;
}

pbdrJoint* pbdrFindJoint(const pbdrWorld* world, pbdrJointId id)
{
    return PBDR_ASSERT(&world->scene.memory.hooks, pbdrJoint_IsValid(world, id))
               ? pbdrGetJoint(&world->scene, id.index1 - 1)
               : NULL;
}

static pbdrJointId getId(const pbdrScene* scene, int index)
{
    return (pbdrJointId){index + 1, pbdrGetJoint(scene, index)->generation, scene->number};
}

// --- Frames ---

// Any direction at a right angle to an axis: the same one for the same axis.
static pbdrVec3 getPerpendicular(pbdrVec3 axis)
{
    const double x = fabs(axis.x), y = fabs(axis.y), z = fabs(axis.z);
    const pbdrVec3 other = x <= y && x <= z ? pbdrVec(1.0, 0.0, 0.0)
                           : y <= z         ? pbdrVec(0.0, 1.0, 0.0)
                                            : pbdrVec(0.0, 0.0, 1.0);
    return pbdrCross(axis, other);
}

static pbdrVec3 normalize(pbdrVec3 a)
{
    return pbdrScale(1.0 / pbdrLength(a), a);
}

static pbdrMat3 makeBasis(pbdrVec3 direction, pbdrVec3 side)
{
    const pbdrVec3 axis = normalize(direction), other = normalize(pbdrCross(axis, side)),
                   first = pbdrCross(other, axis);
    return (pbdrMat3){{{first.x, other.x, axis.x}, {first.y, other.y, axis.y}, {first.z, other.z, axis.z}}};
}

bool pbdrIsMadeAgain(const pbdrJointDef* def)
{
    return def->basisA.m[0][2] != 0.0 || def->basisA.m[1][2] != 0.0 || def->basisA.m[2][2] != 0.0;
}

// The frames of both sides; where no sides are given, such that they agree now.
static void makeBases(const pbdrScene* scene, const pbdrJointDef* def, pbdrJoint* joint)
{
    if (pbdrIsMadeAgain(def)) {
        joint->bases[0] = def->basisA;
        joint->bases[1] = def->basisB;
        return;
    }
    pbdrVec3 sideA = def->frameA.side, sideB = def->frameB.side;
    pbdrVec3 axisB = def->frameB.axis;
    if (!(pbdrLength(sideA) > 0.0)) {
        const pbdrJointSide a = pbdrGetJointSide(scene, joint->bodies[0]),
                            b = pbdrGetJointSide(scene, joint->bodies[1]);
        sideA = getPerpendicular(def->frameA.axis);
        if (joint->kind == pbdr_jointFixed || joint->kind == pbdr_jointBall) {
            axisB = pbdrMulTransposedMV(&b.turn, pbdrMulMV(&a.turn, def->frameA.axis));
        }
        // the part at a right angle to B's axis, which may be off a little
        sideB = pbdrMulTransposedMV(&b.turn, pbdrMulMV(&a.turn, sideA));
        if (!(pbdrLength(pbdrCross(axisB, sideB)) > 1.0e-3 * pbdrLength(axisB) * pbdrLength(sideB))) {
            sideB = getPerpendicular(axisB); // a universal's may be along it
        }
    }
    joint->bases[0] = makeBasis(def->frameA.axis, sideA);
    joint->bases[1] = makeBasis(axisB, sideB);
}

// Into a side's rest axes.
static pbdrJointFrame makeFrame(const pbdrJointSide* side, pbdrVec3 point, pbdrVec3 axis)
{
    return (pbdrJointFrame){.anchor = pbdrMulTransposedMV(&side->turn, pbdrSub(point, side->centre)),
                            .axis = pbdrMulTransposedMV(&side->turn, axis)};
}

pbdrStatus pbdrPlaceJointDef(const pbdrWorld* world, pbdrJointDef* def, pbdrVec3 point, pbdrVec3 axis)
{
    const pbdrBodyId ids[2] = {def->bodyA, def->bodyB};
    pbdrJointSide sides[2];
    for (int k = 0; k < 2; k++) {
        int index = -1;
        if (ids[k].index1 != 0 && pbdrFindBody(world, ids[k], &index) == NULL) {
            return pbdr_statusInvalidId;
        }
        sides[k] = pbdrGetJointSide(&world->scene, index);
    }
    def->frameA = makeFrame(&sides[0], point, axis);
    def->frameB =
        makeFrame(&sides[1], point, def->kind == pbdr_jointUniversal ? getPerpendicular(axis) : axis);
    return pbdr_statusOk;
}

// --- Creation ---

static uint64_t hashJoint(const pbdrJoint* joint)
{
    uint64_t hash = PBDR_HASH_START;
#define ADD(value) hash = pbdrAddToHash(hash, &(value), sizeof(value))
    ADD(joint->kind);
    ADD(joint->bodies);
    ADD(joint->anchors);
    ADD(joint->bases);
    ADD(joint->length);
    ADD(joint->touch);
    ADD(joint->lower);
    ADD(joint->upper);
    ADD(joint->stiffness);
    ADD(joint->reference);
    ADD(joint->damping);
    ADD(joint->friction);
    ADD(joint->armature);
    ADD(joint->motor);
    ADD(joint->maxMotorForce);
    if (joint->minMotorForce != -joint->maxMotorForce) {
        ADD(joint->minMotorForce);
    }
    if (joint->kind == pbdr_jointGear) {
        ADD(joint->axes);
        ADD(joint->coefficients);
    }
#undef ADD
    return hash;
}

static pbdrStatus findBodies(const pbdrWorld* world, const pbdrJointDef* def, int32_t bodies[2],
                             pbdrError* error)
{
    const pbdrBodyId ids[2] = {def->bodyA, def->bodyB};
    bool moves = false;
    for (int side = 0; side < 2; side++) {
        bodies[side] = -1;
        if (ids[side].index1 != 0) {
            if (!pbdrBody_IsValid(world, ids[side])) {
                return pbdrFail(error, pbdr_statusInvalidId, "joint: body%c: there is no such body",
                                'A' + side);
            }
            bodies[side] = ids[side].index1 - 1;
            moves = moves || !pbdrIsFixed(pbdrGetBody(&world->scene, bodies[side]));
        }
    }
    if (bodies[0] == bodies[1] && bodies[0] >= 0) {
        REFUSE("joint: bodyA and bodyB are the same body");
    }
    if (!moves) {
        REFUSE("joint: neither side is dynamic: no force moves what it would hold");
    }
    return pbdr_statusOk;
}

// Whether the joint holds where its bodies are now.
static pbdrStatus checkPlace(const pbdrScene* scene, bool again, pbdrJoint* joint, pbdrError* error)
{
    const pbdrJointSide sides[2] = {pbdrGetJointSide(scene, joint->bodies[0]),
                                    pbdrGetJointSide(scene, joint->bodies[1])};
    pbdrJointRows rows;
    pbdrFindJointRows(joint, sides, &rows);
    const double gap = pbdrGetLinearGap(&rows), turn = pbdrGetTurnGap(&rows);
    if (!(gap <= PBDR_JOINT_GAP)) {
        REFUSE(joint->kind == pbdr_jointDistance ? "joint: the anchors' distance is off its length by %g m"
                                                 : "joint: the anchors are %g m apart",
               gap);
    }
    // dots are as small where axes are opposite
    const pbdrMat3 a = pbdrMulMM(&sides[0].turn, &joint->bases[0]),
                   b = pbdrMulMM(&sides[1].turn, &joint->bases[1]);
    const double along = a.m[0][2] * b.m[0][2] + a.m[1][2] * b.m[1][2] + a.m[2][2] * b.m[2][2];
    const bool opposite = along < 0.0 && joint->kind != pbdr_jointUniversal && rows.count > rows.linear;
    if (!(turn <= PBDR_JOINT_TURN) || opposite) {
        REFUSE("joint: the axes or sides of its two frames are %g rad off where they must be",
               opposite ? PBDR_PI : asin(pbdrMin(turn, 1.0)));
    }
    if (joint->kind == pbdr_jointSpan && !(rows.gaps[PBDR_JOINT_AXIS] > 0.0)) {
        REFUSE("joint: a span's anchors are in the same place");
    }
    if (joint->ballLaw && !again && pbdrGetBallAngle(joint, sides) > joint->upper + PBDR_JOINT_GAP) {
        REFUSE("joint: its angle %g is above upper, %g", pbdrGetBallAngle(joint, sides), joint->upper);
    }
    if (pbdrHasAxis(joint)) {
        joint->position = rows.gaps[PBDR_JOINT_AXIS];
        if (again) {
            return pbdr_statusOk;
        }
        if (joint->position < joint->lower - PBDR_JOINT_GAP ||
            joint->position > joint->upper + PBDR_JOINT_GAP) {
            REFUSE("joint: its position %g is not between lower and upper, %g and %g", joint->position,
                   joint->lower, joint->upper);
        }
    }
    return pbdr_statusOk;
}

// The joint as a definition has it, checked.
static pbdrStatus makeJoint(const pbdrWorld* world, const pbdrJointDef* def, pbdrJoint* joint,
                            pbdrError* error)
{
    pbdrStatus status = findBodies(world, def, joint->bodies, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    makeBases(&world->scene, def, joint);
    joint->anchors[0] = def->frameA.anchor;
    joint->anchors[1] = def->frameB.anchor;
    joint->length = def->length;
    joint->touch = def->touch;
    joint->lower = def->lower;
    joint->upper = def->upper;
    joint->stiffness = def->stiffness;
    joint->reference = def->reference;
    joint->damping = def->damping;
    joint->friction = def->friction;
    joint->armature = def->armature;
    joint->motor = def->motor;
    joint->motorTarget = def->motorTarget;
    joint->motorStiffness = def->motorStiffness;
    joint->motorDamping = def->motorDamping;
    joint->maxMotorForce = def->maxMotorForce;
    joint->minMotorForce = def->minMotorForce == HUGE_VAL ? -def->maxMotorForce : def->minMotorForce;
    joint->ballLaw = joint->kind == pbdr_jointBall &&
                     (joint->upper < HUGE_VAL || joint->stiffness > 0.0 || joint->damping > 0.0 ||
                      joint->friction > 0.0 || joint->armature > 0.0);
    return checkPlace(&world->scene, pbdrIsMadeAgain(def), joint, error);
}

pbdrStatus pbdrCreateJoint(pbdrWorld* world, const pbdrJointDef* callers, pbdrJointId* id, pbdrError* error)
{
    if (id != NULL) {
        *id = (pbdrJointId){0, 0, 0};
    }
    pbdrScene* scene = &world->scene;
    if (scene->solver != pbdr_solverXpbdR) {
        return pbdrFail(error, pbdr_statusNotSupported, "joint: only worlds of XPBD-R have joints");
    }
    pbdrJointDef def;
    pbdrStatus status = pbdrReadJointDef(callers, &def, error);
    pbdrJoint joint = {.kind = def.kind, .axes = {-1, -1}, .userData = def.userData};
    if (status == pbdr_statusOk) {
        status = def.kind == pbdr_jointGear ? pbdrMakeGear(world, &def, &joint, error)
                                            : makeJoint(world, &def, &joint, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    joint.madeOf = hashJoint(&joint);
    int index = scene->jointCount == scene->joints.count ? scene->joints.count : 0;
    while (index < scene->joints.count && pbdrGetJoint(scene, index)->alive) {
        index++;
    }
    if (index == scene->joints.count && pbdrListPush(&scene->memory, &scene->joints) == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "joint: out of memory");
    }
    world->engine->forgetContacts(world->engineState);
    joint.alive = true;
    joint.generation = pbdrGetJoint(scene, index)->generation + 1;
    *pbdrGetJoint(scene, index) = joint;
    pbdrEnlistJoint(scene, index);
    pbdrCountGear(scene, &joint, 1);
    scene->jointCount++;
    if (id != NULL) {
        *id = getId(scene, index);
    }
    return pbdr_statusOk;
}

void pbdrRemoveJoint(pbdrWorld* world, int index)
{
    pbdrScene* scene = &world->scene;
    pbdrJoint* joint = pbdrGetJoint(scene, index);
    for (int k = 0; joint->gearCount > 0 && k < scene->joints.count; k++) {
        const pbdrJoint* gear = pbdrGetJoint(scene, k);
        if (gear->alive && (gear->axes[0] == index || gear->axes[1] == index)) {
            pbdrRemoveJoint(world, k);
        }
    }
    world->engine->forgetContacts(world->engineState);
    pbdrCountGear(scene, joint, -1);
    pbdrDelistJoint(scene, index);
    joint->alive = false;
    scene->jointCount--;
}

void pbdrDestroyJoint(pbdrWorld* world, pbdrJointId id)
{
    if (pbdrFindJoint(world, id) != NULL) {
        pbdrRemoveJoint(world, id.index1 - 1);
    }
}

int pbdrWorld_GetJoints(const pbdrWorld* world, pbdrJointId* buffer, int capacity)
{
    const pbdrScene* scene = &world->scene;
    int count = 0;
    for (int index = 0; index < scene->joints.count; index++) {
        if (pbdrGetJoint(scene, index)->alive && count++ < capacity) {
            buffer[count - 1] = getId(scene, index);
        }
    }
    return count;
}

// --- Definitions ---

static pbdrJointFrame getFrame(const pbdrJoint* joint, int side)
{
    const pbdrMat3* basis = &joint->bases[side];
    return (pbdrJointFrame){.anchor = joint->anchors[side],
                            .axis = {basis->m[0][2], basis->m[1][2], basis->m[2][2]},
                            .side = {basis->m[0][0], basis->m[1][0], basis->m[2][0]}};
}

pbdrJointDef pbdrJoint_GetDef(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrScene* scene = &world->scene;
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    pbdrJointDef def = pbdrDefaultJointDef();
    if (joint == NULL) {
        return def;
    }
    def.kind = joint->kind;
    def.userData = joint->userData;
    if (joint->kind == pbdr_jointGear) {
        def.jointA = getId(scene, joint->axes[0]);
        def.jointB = getId(scene, joint->axes[1]);
        memcpy(def.coefficients, joint->coefficients, sizeof def.coefficients);
        def.basisA = def.basisB = (pbdrMat3){{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
        return def;
    }
    def.bodyA = pbdrJoint_GetBodyA(world, id);
    def.bodyB = pbdrJoint_GetBodyB(world, id);
    def.frameA = getFrame(joint, 0);
    def.frameB = getFrame(joint, 1);
    def.basisA = joint->bases[0];
    def.basisB = joint->bases[1];
    def.length = joint->length;
    def.touch = joint->touch;
    def.lower = joint->lower;
    def.upper = joint->upper;
    def.stiffness = joint->stiffness;
    def.reference = joint->reference;
    def.damping = joint->damping;
    def.friction = joint->friction;
    def.armature = joint->armature;
    def.motor = joint->motor;
    def.motorTarget = joint->motorTarget;
    def.motorStiffness = joint->motorStiffness;
    def.motorDamping = joint->motorDamping;
    def.maxMotorForce = joint->maxMotorForce;
    def.minMotorForce = joint->minMotorForce;
    return def;
}

pbdrJointKind pbdrJoint_GetKind(const pbdrWorld* world, pbdrJointId id)
{
    const pbdrJoint* joint = pbdrFindJoint(world, id);
    return joint != NULL ? joint->kind : pbdr_jointBall;
}
