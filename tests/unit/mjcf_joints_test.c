// Joints of MJCF and URDF that are more than a body's own: equalities, mimics, limits; what is listed and what is not.
#define _POSIX_C_SOURCE 200809L
#include "models.h"

#include <math.h>

static pbdrSceneWorld* make(const pbdrSceneFile* scene)
{
    pbdrError error = {.message = ""};
    pbdrSceneWorld* made = NULL;
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusOk);
    CHECK_TEXT(error.message, "");
    return made;
}

static int findJoint(const pbdrSceneFile* scene, const char* name)
{
    for (int k = 0; k < scene->jointCount; k++) {
        if (strcmp(scene->joints[k].name, name) == 0) {
            return k;
        }
    }
    printf("    no joint \"%s\"\n", name);
    const bool isThere = false;
    CHECK(isThere);
    return 0;
}

// After each substep, all joints: 1e-12 m, 1e-10 rad.
static void stepClosed(pbdrSceneWorld* made, int substeps)
{
    double gap = 0.0, turn = 0.0;
    for (int k = 0; k < substeps; k++) {
        CHECK_EQ(pbdrSceneWorld_Step(made, 1), 0);
        for (int j = 0; j < made->scene->jointCount; j++) {
            gap = fmax(gap, pbdrJoint_GetGap(made->world, made->joints[j]));
            turn = fmax(turn, pbdrJoint_GetTurnGap(made->world, made->joints[j]));
        }
    }
    CHECK_LE(gap, 1.0e-12);
    CHECK_LE(turn, 1.0e-10);
}

// A parallelogram that a connect closes is a pendulum: (2 I + M l^2) q'' = -(m l + M l) g sin q, I of a crank about its hinge.
// MuJoCo's connect gives way by millimetres there; ours is a ball joint.
static void connect__closes_a_loop(void)
{
    NEED_MUJOCO();
    LOAD(
        scene,
        "<mujoco><option timestep='0.0005'/><default><geom contype='0' conaffinity='0'/></default><worldbody>"
        "<body name='one'><joint name='p' axis='0 -1 0'/><inertial pos='0 0 -0.25' mass='1' "
        "diaginertia='0.02 0.02 0.001'/><geom size='0.02'/></body>"
        "<body name='two' pos='1 0 0'><joint name='q' axis='0 -1 0'/><inertial pos='0 0 -0.25' mass='1' "
        "diaginertia='0.02 0.02 0.001'/><geom size='0.02'/>"
        "<body name='bar' pos='0 0 -0.5'><joint name='r' axis='0 -1 0'/><inertial pos='-0.5 0 0' mass='2' "
        "diaginertia='0.001 0.2 0.2'/><geom size='0.02'/></body></body></worldbody>"
        "<equality><connect name='close' body1='one' body2='bar' anchor='0 0 -0.5'/></equality>"
        "<keyframe><key name='k' qpos='0 0 0' qvel='3 3 -3'/></keyframe>"
        "<custom><text name='pbdr_keyframe' data='k'/></custom></mujoco>");
    CHECK_EQ(scene->ignoredCount, 0);
    CHECK_EQ(scene->jointCount, 4);
    CHECK(scene->joints[findJoint(scene, "close")].def.kind == pbdr_jointBall);
    pbdrSceneWorld* made = make(scene);
    if (made != NULL) {
        stepClosed(made, 2000);
        // the same by Runge and Kutta
        const double inertia = 2.0 * (0.02 + 0.0625) + 2.0 * 0.25, pull = (2.0 * 0.25 + 2.0 * 0.5) * 9.81;
        double q = 0.0, w = 3.0;
        for (int k = 0; k < 10000; k++) {
            const double h = 1.0e-4, a1 = -pull * sin(q) / inertia,
                         a2 = -pull * sin(q + 0.5 * h * w) / inertia,
                         a3 = -pull * sin(q + 0.5 * h * (w + 0.5 * h * a1)) / inertia,
                         a4 = -pull * sin(q + h * (w + 0.5 * h * a2)) / inertia;
            q += h * w + h * h * (a1 + a2 + a3) / 6.0;
            w += h * (a1 + 2.0 * a2 + 2.0 * a3 + a4) / 6.0;
        }
        const double one = pbdrJoint_GetPosition(made->world, made->joints[findJoint(scene, "p")]),
                     two = pbdrJoint_GetPosition(made->world, made->joints[findJoint(scene, "q")]);
        CHECK_NEAR(one, two, 1.0e-11);
        CHECK_NEAR(one, q, 1.0e-5); // of second order at 0.5 ms
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// Two balls that a weld holds fly and turn as one, and a third hangs on the world where a weld holds it. A weld whose
// relative pose is not the start's is left out, and says so.
static void weld__holds_what_is_together(void)
{
    NEED_MUJOCO();
    LOAD(scene,
         "<mujoco><option timestep='0.001'/><default><geom contype='0' conaffinity='0'/></default><worldbody>"
         "<body name='a'><freejoint/><geom size='0.1' mass='1'/></body>"
         "<body name='b' pos='0.3 0 0'><freejoint/><geom size='0.1' mass='2'/></body>"
         "<body name='c' pos='0 1 0'><freejoint/><geom size='0.1' mass='2'/></body>"
         "<body name='d' pos='0 2 0'><freejoint/><geom size='0.1' mass='2'/></body></worldbody>"
         "<equality><weld name='glue' body1='a' body2='b'/><weld name='hook' body1='c'/>"
         "<weld name='off' body1='d' relpose='0 -2.5 0 1 0 0 0'/></equality>"
         "<keyframe><key name='k' qpos='0 0 0 1 0 0 0  0.3 0 0 1 0 0 0  0 1 0 1 0 0 0  0 2 0 1 0 0 0' "
         "qvel='1 0 2  0 2 0   1 0 1.4  0 2 0   0 0 0 0 0 0  0 0 0 0 0 0'/></keyframe>"
         "<custom><text name='pbdr_keyframe' data='k'/></custom></mujoco>");
    CHECK_EQ(scene->ignoredCount, 1);
    CHECK_TEXT(scene->ignored[0], "equality off: left out, since it starts 0.5 m and 0 rad apart");
    CHECK_EQ(scene->jointCount, 2);
    pbdrSceneWorld* made = make(scene);
    if (made != NULL) {
        const pbdrWorld* world = made->world;
        stepClosed(made, 500);
        const pbdrVec3 a = pbdrBody_GetPose(world, made->bodies[0]).position,
                       b = pbdrBody_GetPose(world, made->bodies[1]).position;
        CHECK_NEAR(hypot(b.x - a.x, b.z - a.z), 0.3, 1.0e-12);
        // the centre of both: (1, 0, 1.6) m/s at the start
        CHECK_NEAR((a.x + 2.0 * b.x) / 3.0, 0.2 + 0.5, 1.0e-11);
        CHECK_NEAR((a.z + 2.0 * b.z) / 3.0, 1.6 * 0.5 - 0.5 * 9.81 * 0.25, 1.0e-11);
        CHECK_NEAR(atan2(a.z - b.z, b.x - a.x), 2.0 * 0.5, 1.0e-5);
        CHECK_LE(fabs(pbdrBody_GetPose(world, made->bodies[2]).position.z), 1.0e-12);
        CHECK_NEAR(pbdrBody_GetPose(world, made->bodies[3]).position.z, -0.5 * 9.81 * 0.25, 1.0e-11);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

static const char urdf[] =
    "<robot name='r'><link name='base'/>"
    "<link name='a'><inertial><mass value='2'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='b'><inertial><mass value='1'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='c'><inertial><mass value='0.5'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='d'><inertial><mass value='0.5'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<link name='e'><inertial><mass value='0.25'/>"
    "<inertia ixx='0.01' iyy='0.01' izz='0.01' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    "<joint name='turn' type='revolute'><parent link='base'/><child link='a'/><origin xyz='0 0 0.5'/>"
    "<axis xyz='0 1 0'/><limit lower='-1' upper='0.5' effort='10' velocity='3'/><dynamics damping='0.7' "
    "friction='0.2'/>"
    "</joint>"
    "<joint name='spin' type='continuous'><parent link='a'/><child link='b'/><origin xyz='0.4 0 0'/>"
    "<axis xyz='1 0 0'/>"
    "</joint>"
    "<joint name='way' type='prismatic'><parent link='b'/><child link='c'/><origin xyz='0.1 0 0'/>"
    "<axis xyz='0 0 1'/><limit lower='-0.1' upper='0.2' effort='5' velocity='1'/>"
    "</joint>"
    "<joint name='held' type='fixed'><parent link='c'/><child link='d'/><origin xyz='0 0 0.1'/>"
    "</joint>"
    "<joint name='follow' type='continuous'><parent link='d'/><child link='e'/><origin xyz='0.1 0 0'/>"
    "<axis xyz='0 0 1'/><mimic joint='spin' multiplier='2'/>"
    "</joint>"
    "</robot>";

// Revolute, continuous, prismatic and fixed joints, limits, dynamics and mimics of URDF. Efforts bound actuators, of which a
// URDF has none: nothing is lost, and nothing listed.
static void urdf__has_joints(void)
{
    NEED_MUJOCO();
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene = loadAs("arm.urdf", urdf, &error);
    CHECK_TEXT(error.message, "");
    if (scene == NULL) {
        return;
    }
    CHECK_EQ(scene->ignoredCount, 0);
    const pbdrJointDef *turn = &scene->joints[findJoint(scene, "turn")].def,
                       *way = &scene->joints[findJoint(scene, "way")].def;
    CHECK(turn->kind == pbdr_jointHinge && way->kind == pbdr_jointSlide);
    CHECK(turn->lower == -1.0 && turn->upper == 0.5 && turn->damping == 0.7 && turn->friction == 0.2);
    CHECK(way->lower == -0.1 && way->upper == 0.2);
    CHECK(scene->joints[findJoint(scene, "spin")].def.upper == HUGE_VAL);
    CHECK_NEAR(find(scene, "c")->solid.mass, 1.0, 1.0e-12); // d is fixed to it
    pbdrSceneWorld* made = make(scene);
    if (made != NULL) {
        pbdrBody_SetTorque(made->world, made->bodies[find(scene, "b") - scene->bodies],
                           (pbdrVec3){0.1, 0.0, 0.0});
        stepClosed(made, 500);
        const pbdrWorld* world = made->world;
        const double spin = pbdrJoint_GetPosition(world, made->joints[findJoint(scene, "spin")]),
                     follow = pbdrJoint_GetPosition(world, made->joints[findJoint(scene, "follow")]);
        CHECK_GE(fabs(spin), 0.01);
        CHECK_NEAR(follow, 2.0 * spin, 1.0e-10);
        CHECK_LE(pbdrJoint_GetPosition(world, made->joints[findJoint(scene, "turn")]), 0.5 + 1.0e-12);
        CHECK_GE(pbdrJoint_GetPosition(world, made->joints[findJoint(scene, "way")]), -0.1 - 1.0e-12);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

static int findActuator(const pbdrSceneFile* scene, const char* name)
{
    int found = 0;
    for (int k = 0; k < scene->actuatorCount; k++) {
        found = strcmp(scene->actuators[k].name, name) == 0 ? k : found;
    }
    CHECK_TEXT(scene->actuators[found].name, name);
    return found;
}

static double getRate(const pbdrSceneWorld* made, const char* joint)
{
    return pbdrJoint_GetVelocity(made->world, made->joints[findJoint(made->scene, joint)]);
}

// Affine gains, (g0 + g1 l + g2 l') c + b0 + b1 l + b2 l' with l = gear q, are springs and dampers that the control sets:
// I q'' = -gear^2 kv c q' of a damper, and with a stiff one nothing moves. Ranges of forces need not be the same both ways,
// those of a joint bound its actuators together. Nothing of it is listed.
static void affine_gains_and_force_ranges__are_simulated(void)
{
    NEED_MUJOCO();
    LOAD(scene,
         "<mujoco><option timestep='0.001' gravity='0 0 0'/><default><geom contype='0' conaffinity='0'/></default>"
         "<worldbody>"
         "<body name='a'><joint name='damped'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
         "<body name='b'><joint name='stiff'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
         "<body name='c'><joint name='sprung'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
         "<body name='d'><joint name='pushed'/><inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
         "<body name='e'><joint name='bound' actuatorfrcrange='-1 .5'/>"
         "<inertial pos='0 0 0' mass='1' diaginertia='.1 .1 .1'/></body>"
         "</worldbody><actuator>"
         "<damper name='damper' joint='damped' kv='0.2' ctrlrange='0 4' gear='2'/>"
         "<damper name='wall' joint='stiff' kv='1e6' ctrlrange='0 1'/>"
         "<general name='spring' joint='sprung' gaintype='affine' gainprm='0 -10 0' ctrlrange='0 4'/>"
         "<motor name='push' joint='pushed' forcerange='-1 .25'/>"
         "<position name='servo' joint='bound' kp='100'/></actuator>"
         "<keyframe><key name='k' qpos='0 0 .1 0 0' qvel='3 3 0 0 0' ctrl='9 1 1 0 0'/></keyframe>"
         "<custom><text name='pbdr_keyframe' data='k'/></custom></mujoco>");
    CHECK_EQ(scene->ignoredCount, 0);
    CHECK_EQ(scene->actuatorCount, 5);
    pbdrSceneWorld* made = make(scene);
    if (made != NULL) {
        pbdrSceneWorld_SetControl(made, findActuator(scene, "push"), 7.0);
        pbdrSceneWorld_SetControl(made, findActuator(scene, "servo"), 1.0);
        CHECK_EQ(pbdrSceneWorld_Step(made, 100), 0);
        // c is 4, its range's end: a rate of 4 * 0.2 * 4 / 0.1 = 32 /s; of second order, (32 dt)^2 / 12 of each e-fold
        CHECK_NEAR(getRate(made, "damped"), 3.0 * exp(-3.2), 3.0 * exp(-3.2) * 3.2 * 1.0e-4);
        // the middle's velocity is zero: stable, it turns to and fro by ever less than the first way, 3/1e7 of a step
        CHECK_LE(fabs(pbdrJoint_GetPosition(made->world, made->joints[findJoint(scene, "stiff")])), 1.0e-6);
        // q = 0.1 cos(10 t)
        CHECK_NEAR(pbdrJoint_GetPosition(made->world, made->joints[findJoint(scene, "sprung")]), 0.1 * cos(1.0),
                   1.0e-6);
        CHECK_NEAR(getRate(made, "pushed"), 0.25 * 0.1 / 0.1, 1.0e-12);
        CHECK_NEAR(getRate(made, "bound"), 0.5 * 0.1 / 0.1, 1.0e-12);
        // four times the spring from here on
        const double q = pbdrJoint_GetPosition(made->world, made->joints[findJoint(scene, "sprung")]),
                     v = getRate(made, "sprung");
        pbdrSceneWorld_SetControl(made, findActuator(scene, "spring"), 4.0);
        pbdrSceneWorld_SetControl(made, findActuator(scene, "push"), -7.0);
        pbdrSceneWorld_SetControl(made, findActuator(scene, "servo"), -5.0);
        // the gains are part of the state
        const size_t size = pbdrWorld_GetStateSize(made->world);
        void* state = malloc(size);
        CHECK(state != NULL && pbdrWorld_GetState(made->world, state, size, NULL) == pbdr_statusOk);
        CHECK_EQ(pbdrSceneWorld_Step(made, 100), 0);
        CHECK_NEAR(pbdrJoint_GetPosition(made->world, made->joints[findJoint(scene, "sprung")]),
                   q * cos(2.0) + v / 20.0 * sin(2.0), 1.0e-5);
        CHECK_NEAR(getRate(made, "pushed"), 0.25 - 1.0, 1.0e-12);
        CHECK_NEAR(getRate(made, "bound"), 0.5 - 1.0, 1.0e-12);
        const uint64_t hash = pbdrWorld_GetHash(made->world);
        pbdrSceneWorld_SetControl(made, findActuator(scene, "spring"), 0.0);
        CHECK_EQ(pbdrWorld_SetState(made->world, state, size, NULL), pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(made->world, 100), 0);
        CHECK(pbdrWorld_GetHash(made->world) == hash);
        free(state);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// tests/models/ignored.xml has all that joints, equalities, actuators and sensors of a model may have and worlds here have not,
// each line of ignored.txt with its names. What stands beside it is simulated: damping and armature of actuators, times the
// square of their gear, of such as do nothing else too; controls that clampctrl="disable" leaves free; groups that are
// switched off.
static void what_is_not_simulated__is_listed(void)
{
    NEED_MUJOCO();
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene = NULL;
    pbdrLoadScene(PBDR_TEST_MODELS "/ignored.xml", NULL, &scene, &error);
    if (strstr(error.message, "unrecognized attribute") != NULL) {
        SKIP("an old MuJoCo, which does not know all of the file");
        return;
    }
    CHECK_TEXT(error.message, "");
    FILE* file = fopen(PBDR_TEST_MODELS "/ignored.txt", "r");
    CHECK(scene != NULL && file != NULL);
    if (scene != NULL && file != NULL) {
        char line[300];
        int count = 0;
        for (; fgets(line, sizeof line, file) != NULL; count++) {
            line[strcspn(line, "\n")] = 0;
            if (count < scene->ignoredCount && strcmp(scene->ignored[count], line) != 0) {
                printf("    \"%s\" and not \"%s\"\n", scene->ignored[count], line);
            }
            CHECK(count < scene->ignoredCount && strcmp(scene->ignored[count], line) == 0);
        }
        CHECK_EQ(scene->ignoredCount, count);
        const pbdrJointDef *plain = &scene->joints[findJoint(scene, "plain")].def,
                           *other = &scene->joints[findJoint(scene, "yields")].def;
        CHECK_NEAR(plain->damping, 9.0 * 0.2 + 0.4, 1.0e-15);
        CHECK_NEAR(plain->armature, 9.0 * 0.1, 1.0e-15);
        CHECK(other->damping == 0.3 && other->armature == 0.0);
        CHECK_EQ(scene->actuatorCount, 5); // not "off"
        CHECK(scene->actuators[findActuator(scene, "rotor")].upper == HUGE_VAL);
        CHECK_EQ(scene->sensorCount, 1);
    }
    if (file != NULL) {
        fclose(file);
    }
    pbdrFreeScene(scene);
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    CASES(argc, argv, {"connect__closes_a_loop", connect__closes_a_loop},
          {"weld__holds_what_is_together", weld__holds_what_is_together},
          {"urdf__has_joints", urdf__has_joints},
          {"affine_gains_and_force_ranges__are_simulated", affine_gains_and_force_ranges__are_simulated},
          {"what_is_not_simulated__is_listed", what_is_not_simulated__is_listed});
}
