// Joints and contacts together: grippers, motors against walls, feet on the ground. All gaps of joints are within 1e-12 m
// and 1e-10 rad after every substep (stepMechanism).
#include "mechanisms.h"

static pbdrBodyId addBox(pbdrWorld* world, pbdrVec3 size, double mass, pbdrVec3 position, double friction)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(size, mass, 2, &shape, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = position;
    def.friction = friction;
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

static pbdrJointId addSlide(pbdrWorld* world, pbdrBodyId a, pbdrBodyId b, pbdrVec3 point, pbdrVec3 axis,
                            double force)
{
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointSlide;
    def.bodyA = a;
    def.bodyB = b;
    def.motor = pbdr_motorForce;
    def.motorTarget = force;
    CHECK(pbdrPlaceJointDef(world, &def, point, axis) == pbdr_statusOk);
    pbdrJointId id;
    pbdrError error;
    require(pbdrCreateJoint(world, &def, &id, &error), &error);
    return id;
}

// Two fingers on slides press a box from both sides with a force each; friction mu holds up to 2 mu force.
typedef struct Gripper {
    pbdrWorld* world;
    pbdrBodyId box;
    pbdrJointId slides[2];
} Gripper;

static Gripper makeGripper(double share, double mass, double mu)
{
    Gripper gripper = {.world = makeMechanismWorld(1.0e-3)};
    const double force = share * mass * PBDR_DEFAULT_GRAVITY / (2.0 * mu);
    gripper.box = addBox(gripper.world, pbdrVec(0.1, 0.1, 0.1), mass, pbdrVec(0.0, 0.0, 0.0), mu);
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        const pbdrVec3 place = {side * 0.06, 0.0, 0.0};
        const pbdrBodyId finger = addBox(gripper.world, pbdrVec(0.02, 0.06, 0.08), 0.2, place, mu);
        gripper.slides[k] = addSlide(gripper.world, theWorld, finger, place, pbdrVec(-side, 0.0, 0.0), force);
    }
    return gripper;
}

// At 1.05 times the force that friction needs the box does not move by 1e-9 m in a minute.
static void gripper__holds_for_a_minute(void)
{
    Gripper gripper = makeGripper(1.05, 0.5, 0.5);
    stepMechanism(gripper.world, 60000);
    const pbdrPose pose = pbdrBody_GetPose(gripper.world, gripper.box);
    CHECK_MEASURED("box held at 1.05 times the friction needed: moved in 60 s [m]", pbdrLength(pose.position),
                   1.0e-9);
    CHECK_LE(pbdrLength(pbdrVectorFromQuat(pose.rotation)), 1.0e-9);
    double weight = 0.0;
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(pbdrJoint_GetAxisForce(gripper.world, gripper.slides[k]),
                   1.05 * 0.5 * PBDR_DEFAULT_GRAVITY / (2.0 * 0.5), 1.0e-9);
        // what each finger's friction bears of the box is not unique
        const double up = pbdrJoint_GetReaction(gripper.world, gripper.slides[k]).force.z;
        CHECK_NEAR(up, PBDR_DEFAULT_GRAVITY * (0.2 + 0.25), 1.0e-2);
        weight += up;
    }
    CHECK_NEAR(weight, PBDR_DEFAULT_GRAVITY * (2 * 0.2 + 0.5), 1.0e-9);
    pbdrDestroyWorld(gripper.world);
}

// At 0.95 times it falls, with g (1 - 0.95).
static void gripper__lets_fall_as_friction_says(void)
{
    Gripper gripper = makeGripper(0.95, 0.5, 0.5);
    stepMechanism(gripper.world, 200);
    const double exact = -0.5 * PBDR_DEFAULT_GRAVITY * 0.05 * 0.04;
    CHECK_MEASURED("the same at 0.95 times: fall in 0.2 s less the closed form [m]",
                   fabs(pbdrBody_GetPose(gripper.world, gripper.box).position.z - exact), 1.0e-9);
    pbdrDestroyWorld(gripper.world);
}

// A motor of 3 N m turns an arm of 0.5 m against a block that friction holds: it pushes with 3/0.5 N, to 1e-9.
static void stalled_motor__pushes_with_its_torque(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    addGround(world, 0.9);
    // lies on the ground; the arm turns about z, and touches its face with its end
    const pbdrBodyId block = addBox(world, pbdrVec(0.2, 0.2, 0.2), 8.0, pbdrVec(0.5, 0.13, 0.1), 0.9);
    const pbdrBodyId arm = addBox(world, pbdrVec(0.5, 0.06, 0.06), 1.0, pbdrVec(0.25, 0.0, 0.1), 0.0);
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointHinge;
    def.bodyB = arm;
    def.motor = pbdr_motorForce;
    def.motorTarget = 3.0;
    CHECK(pbdrPlaceJointDef(world, &def, pbdrVec(0.0, 0.0, 0.1), pbdrVec(0.0, 0.0, 1.0)) == pbdr_statusOk);
    pbdrJointId joint;
    pbdrError error;
    require(pbdrCreateJoint(world, &def, &joint, &error), &error);
    stepMechanism(world, 2000);
    // contact may be anywhere on the face: its moment about the hinge is the motor's
    const pbdrWrench wrench = pbdrWorld_GetPairWrench(world, block, arm, pbdrVec(0.0, 0.0, 0.1));
    CHECK_MEASURED("motor of 3 N m stalled against a box: off its torque [N m]", fabs(wrench.torque.z - 3.0),
                   1.0e-9);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, joint), 3.0, 1.0e-12);
    CHECK_LE(fabs(pbdrJoint_GetPosition(world, joint)), 1.0e-9);
    pbdrDestroyWorld(world);
}

// A stand of two legs and a beam, hinged to each other with springs, lands on the ground and rests: energy only falls, and
// the feet bear its weight.
static void stand__lands_and_rests(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrPlaneId ground = addGround(world, 0.8);
    const pbdrBodyId beam = addBox(world, pbdrVec(0.6, 0.2, 0.05), 2.0, pbdrVec(0.0, 0.0, 0.35), 0.8);
    pbdrBodyId legs[2];
    for (int k = 0; k < 2; k++) {
        const double x = k == 0 ? -0.2 : 0.2;
        legs[k] = addBox(world, pbdrVec(0.05, 0.2, 0.3), 1.0, pbdrVec(x, 0.0, 0.17), 0.8);
        pbdrJointDef def = pbdrDefaultJointDef();
        def.kind = pbdr_jointHinge;
        def.bodyA = beam;
        def.bodyB = legs[k];
        def.stiffness = 200.0;
        def.damping = 4.0;
        CHECK(pbdrPlaceJointDef(world, &def, pbdrVec(x, 0.0, 0.32), pbdrVec(0.0, 1.0, 0.0)) == pbdr_statusOk);
        pbdrError error;
        require(pbdrCreateJoint(world, &def, NULL, &error), &error);
    }
    stepMechanism(world, 3000);
    double force = 0.0;
    for (int k = 0; k < 2; k++) {
        force += pbdrWorld_GetPlaneWrench(world, legs[k], ground, pbdrVec(0.0, 0.0, 0.0)).force.z;
    }
    CHECK_NEAR(force, 4.0 * PBDR_DEFAULT_GRAVITY, 1.0e-6);
    CHECK_LE(pbdrLength(pbdrBody_GetVelocity(world, beam).linear), 1.0e-6);
    CHECK_NEAR(pbdrBody_GetPose(world, beam).position.z, 0.33, 1.0e-3);
    pbdrDestroyWorld(world);
}

// A chain of ten boxes on hinges falls, askew, and comes to rest on the ground, every substep solved.
static void chain__falls_and_rests(void)
{
    const double tilt = 0.3, length = 0.22;
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrPlaneId ground = addGround(world, 0.5);
    const pbdrQuat turned = pbdrQuatFromVector(pbdrVec(0.0, -tilt, 0.0));
    pbdrBodyId links[10];
    for (int k = 0; k < 10; k++) {
        const double way = (k + 0.5) * length, joint = k * length;
        links[k] = addBox(world, pbdrVec(0.2, 0.08, 0.08), 1.0,
                          pbdrVec(way * cos(tilt), 0.0, 0.3 + way * sin(tilt)), 0.5);
        CHECK(pbdrBody_SetPose(world, links[k],
                               (pbdrPose){pbdrBody_GetPose(world, links[k]).position, turned}) ==
              pbdr_statusOk);
        if (k > 0) {
            addJoint(world, pbdr_jointHinge, links[k - 1], links[k],
                     pbdrVec(joint * cos(tilt), 0.0, 0.3 + joint * sin(tilt)), pbdrVec(0.0, 1.0, 0.0));
        }
    }
    stepMechanism(world, 1500);
    double weight = 0.0;
    for (int k = 0; k < 10; k++) {
        weight += pbdrWorld_GetPlaneWrench(world, links[k], ground, pbdrVec(0.0, 0.0, 0.0)).force.z;
        CHECK_LE(pbdrLength(pbdrBody_GetVelocity(world, links[k]).linear), 1.0e-10);
        CHECK_NEAR(pbdrBody_GetPose(world, links[k]).position.z, 0.04, 1.0e-8);
    }
    CHECK_NEAR(weight, 10.0 * PBDR_DEFAULT_GRAVITY, 1.0e-9);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"gripper__holds_for_a_minute", gripper__holds_for_a_minute},
          {"gripper__lets_fall_as_friction_says", gripper__lets_fall_as_friction_says},
          {"stalled_motor__pushes_with_its_torque", stalled_motor__pushes_with_its_torque},
          {"stand__lands_and_rests", stand__lands_and_rests},
          {"chain__falls_and_rests", chain__falls_and_rests});
}
