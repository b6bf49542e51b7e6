// MJCF and URDF through MuJoCo's library: what the model says is what the scene has.
#define _POSIX_C_SOURCE 200809L
#include "models.h"

static bool canTouch(pbdrFilter a, pbdrFilter b)
{
    return (a.category & b.mask) != 0 && (b.category & a.mask) != 0;
}

// Degrees, classes, fromto and density mean what they mean in MuJoCo.
static void geoms__mean_what_they_mean_there(void)
{
    NEED_MUJOCO();
    LOAD(scene, "<mujoco model='m'><option timestep='0.004' gravity='0 0 "
                "-5'/><default><default class='c'><geom type='capsule' size='0.1' "
                "density='500'/></default></default><worldbody>"
                "<geom name='tilted' type='plane' size='1 1 1' pos='0 0 2' euler='0 90 0'/>"
                "<geom name='step' type='box' size='1 2 3' pos='4 5 6'/>"
                "<body name='rod' pos='1 0 0' euler='0 0 90'><freejoint/><geom class='c' "
                "fromto='0 0 0 0 0 0.4'/></body>"
                "<body name='ball' pos='0 1 0'><freejoint/><inertial mass='2' pos='0.1 0 0' "
                "diaginertia='1 2 3'/><geom size='0.5'/></body>"
                "</worldbody></mujoco>");
    CHECK(strcmp(scene->name, "m") == 0);
    CHECK_EQ(scene->timeStep, 0.004);
    CHECK_EQ(scene->gravity.z, -5.0);
    CHECK_EQ(scene->mixing, pbdr_mixMaximum);
    CHECK_EQ(scene->planeCount, 1);
    CHECK_NEAR(scene->planes[0].normal.x, 1.0, 1.0e-12);
    CHECK_NEAR(scene->planes[0].offset, 0.0, 1.0e-12);
    const pbdrSceneBody* step = find(scene, "step");
    CHECK(step->kind == pbdr_bodyStatic && step->geoms[0].kind == pbdr_geomBox &&
          step->geoms[0].half.z == 3.0);
    CHECK_EQ(step->start.position.y, 5.0);
    const pbdrSceneBody* rod = find(scene, "rod");
    CHECK(rod->kind == pbdr_bodyDynamic && rod->geoms[0].kind == pbdr_geomCapsule);
    CHECK_NEAR(rod->geoms[0].halfLength, 0.2, 1.0e-12);
    CHECK_NEAR(rod->geoms[0].pose.position.z, 0.2, 1.0e-12);
    CHECK_NEAR(rod->solid.centre.z, 0.2, 1.0e-12);
    CHECK_NEAR(rod->solid.mass, 500.0 * acos(-1.0) * 0.01 * (0.4 + 4.0 / 3.0 * 0.1), 1.0e-12);
    CHECK_NEAR(rod->start.rotation.z, sqrt(0.5), 1.0e-12);
    const pbdrSceneBody* ball = find(scene, "ball");
    CHECK(ball->solid.mass == 2.0 && ball->solid.centre.x == 0.1);
    CHECK_NEAR(ball->solid.inertia.m[2][2], 3.0, 1.0e-12);
    CHECK_EQ(scene->ignoredCount, 0);
    pbdrFreeScene(scene);
}

// Two balls of 1 kg, 0.4 m apart, welded through a child: one body, m = 2, I = 2 m (2/5 r^2) + 2 m 0.2^2 across. A body
// without a joint on the world stands still.
static void welds__make_one_body(void)
{
    NEED_MUJOCO();
    LOAD(scene, "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='0.1' mass='1'/>"
                "<body name='b' pos='0.4 0 0'><geom size='0.1' mass='1'/></body></body>"
                "<body name='c' pos='0 0 5'><geom name='held' size='0.1'/></body></worldbody></mujoco>");
    CHECK_EQ(scene->bodyCount, 2);
    const pbdrSceneBody* a = find(scene, "a");
    CHECK_EQ(a->geomCount, 2);
    CHECK_NEAR(a->solid.mass, 2.0, 1.0e-12);
    CHECK_NEAR(a->solid.centre.x, 0.2, 1.0e-12);
    CHECK_NEAR(a->solid.inertia.m[0][0], 2.0 * 0.4 * 0.01, 1.0e-12);
    CHECK_NEAR(a->solid.inertia.m[1][1], 2.0 * 0.4 * 0.01 + 2.0 * 0.04, 1.0e-12);
    CHECK_NEAR(a->geoms[1].pose.position.x, 0.4, 1.0e-12);
    CHECK(find(scene, "held")->kind == pbdr_bodyStatic && find(scene, "held")->start.position.z == 5.0);
    CHECK_EQ(scene->ignoredCount, 0);
    pbdrFreeScene(scene);
}

// y - y0 = a0 + a1 (x - x0) + a2 (x - x0)^2, with the references of both joints; a joint without a leader stands still; one
// that starts elsewhere is left out.
static void equal_joints__are_gears(void)
{
    NEED_MUJOCO();
    LOAD(scene,
         "<mujoco><compiler angle='radian'/><worldbody><body name='a'><joint name='x' axis='0 1 0' "
         "ref='0.1'/><geom size='0.1'/>"
         "</body><body name='b' pos='1 0 0'><joint name='y' type='slide' ref='0.2'/><geom size='0.1'/></body>"
         "<body name='c' pos='2 0 0'><joint name='z' axis='0 0 1'/><geom size='0.1'/></body>"
         "<body name='d' pos='3 0 0'><joint name='w' axis='0 0 1'/><geom size='0.1'/></body></worldbody>"
         "<equality><joint name='e' joint1='y' joint2='x' polycoef='0 2 3 0 0'/><joint name='still' "
         "joint1='z'/>"
         "<joint name='off' joint1='w' joint2='x' polycoef='0.5 1 0 0 0'/></equality></mujoco>");
    CHECK_EQ(scene->jointCount, 5);
    const pbdrSceneJoint* gear = &scene->joints[4];
    CHECK(gear->def.kind == pbdr_jointGear && gear->axes[0] == 0 && gear->axes[1] == 1);
    // 0.2 + 2 (x - 0.1) + 3 (x - 0.1)^2
    const double terms[5] = {0.2 - 0.2 + 0.03, 2.0 - 0.6, 3.0, 0.0, 0.0};
    for (int k = 0; k < 5; k++) {
        CHECK_NEAR(gear->def.coefficients[k], terms[k], 1.0e-15);
    }
    CHECK(scene->joints[2].def.lower == 0.0 && scene->joints[2].def.upper == 0.0);
    CHECK_EQ(scene->ignoredCount, 1);
    CHECK_TEXT(scene->ignored[0], "equality off: left out, since its joint starts -0.5 off");
    pbdrError error = {.message = ""};
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusOk);
    if (made != NULL) {
        pbdrBody_SetTorque(made->world, made->bodies[0], (pbdrVec3){0.0, 0.1, 0.0});
        pbdrBody_SetTorque(made->world, made->bodies[2], (pbdrVec3){0.0, 0.0, 0.1});
        CHECK_EQ(pbdrSceneWorld_Step(made, 300), 0);
        const double x = pbdrJoint_GetPosition(made->world, made->joints[0]) - 0.1;
        CHECK_NEAR(pbdrJoint_GetPosition(made->world, made->joints[1]), 0.2 + 2.0 * x + 3.0 * x * x, 1.0e-12);
        CHECK_LE(fabs(pbdrJoint_GetPosition(made->world, made->joints[2])), 1.0e-12);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// A body with three joints has two carriers; a hinge has the model's position (reference 10 degrees, turned by 20 in the
// keyframe), range, spring, damper, friction and armature; parent and child do not touch; actuators of a joint add up.
static void joints__have_mujocos_numbers(void)
{
    NEED_MUJOCO();
    LOAD(scene,
         "<mujoco><worldbody><body name='a' pos='0 0 1'><joint name='x' type='slide' axis='1 0 0'/><joint "
         "name='z' "
         "type='slide'/><joint name='turn' axis='0 1 0'/><geom size='0.1' mass='1'/>"
         "<body name='b' pos='0.4 0 0'><joint name='h' axis='0 0 1' ref='10' range='-30 40' stiffness='3' "
         "springref='5' damping='2' frictionloss='0.25' armature='0.5'/><geom size='0.1' mass='1'/>"
         "<body name='c' pos='0.4 0 0'><joint name='ball' type='ball' damping='1'/><geom size='0.1' "
         "mass='1'/></body>"
         "</body></body><body name='d' pos='0 3 0'><freejoint/><geom size='0.1'/></body></worldbody>"
         "<contact><exclude body1='d' body2='c'/></contact>"
         "<actuator><position name='p' joint='h' kp='20' gear='2' ctrlrange='-1 1' forcerange='-7 7'/>"
         "<motor name='m' joint='h' gear='3'/></actuator>"
         "<keyframe><key name='k' qpos='0.5 0 0  0.5235987755982988 1 0 0 0  0 3 0 1 0 0 0' qvel='1 0 2  0 0 "
         "0 0  0 0 "
         "0 0 0 0' ctrl='2 1'/></keyframe><custom><text name='pbdr_keyframe' data='k'/></custom></mujoco>");
    CHECK_EQ(scene->bodyCount, 6);
    CHECK_EQ(scene->jointCount, 6); // and the exclusion
    const pbdrSceneJoint* h = &scene->joints[3];
    CHECK_TEXT(h->name, "h");
    CHECK_NEAR(h->def.lower, -30.0 * acos(-1.0) / 180.0, 1.0e-12);
    CHECK_NEAR(h->def.upper, 40.0 * acos(-1.0) / 180.0, 1.0e-12);
    CHECK_NEAR(h->def.reference, 5.0 * acos(-1.0) / 180.0, 1.0e-12);
    CHECK(h->def.stiffness == 3.0 && h->def.damping == 2.0 && h->def.friction == 0.25 &&
          h->def.armature == 0.5);
    CHECK(!h->def.touch && scene->joints[4].def.kind == pbdr_jointBall);
    CHECK(scene->joints[4].def.damping == 1.0);
    CHECK_EQ(scene->ignoredCount, 1);
    CHECK_TEXT(scene->ignored[0],
               "actuators p: their joint has others, and force ranges count for all together");
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    pbdrError error = {0};
    CHECK(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error) == pbdr_statusOk);
    if (made != NULL) {
        CHECK_NEAR(pbdrJoint_GetPosition(made->world, made->joints[3]), acos(-1.0) / 6.0, 1.0e-12);
        CHECK_NEAR(pbdrJoint_GetPosition(made->world, made->joints[0]), 0.5, 1.0e-12);
        CHECK_NEAR(pbdrJoint_GetVelocity(made->world, made->joints[0]), 1.0, 1.0e-12);
        CHECK_NEAR(pbdrJoint_GetVelocity(made->world, made->joints[2]), 2.0, 1.0e-12);
        CHECK_EQ(made->controls[0], 1.0);
        // 2 (20 control + ...) + 3 control
        CHECK_NEAR(pbdrJoint_GetMotorTarget(made->world, made->joints[3]), 2.0 * 20.0 + 3.0, 1.0e-12);
        pbdrSceneWorld_SetControl(made, 0, -5.0);
        CHECK_NEAR(pbdrJoint_GetMotorTarget(made->world, made->joints[3]), -2.0 * 20.0 + 3.0, 1.0e-12);
        CHECK_EQ(pbdrSceneWorld_Step(made, 50), 0);
        for (int k = 0; k < scene->jointCount; k++) {
            CHECK_LE(pbdrJoint_GetGap(made->world, made->joints[k]), 1.0e-12);
            CHECK_LE(pbdrJoint_GetTurnGap(made->world, made->joints[k]), 1.0e-10);
        }
        pbdrDestroySceneWorld(made);
    }
    pbdrFreeScene(scene);
}

// (contype & conaffinity') or (contype' & conaffinity), for all pairs of eight kinds.
static void filters__are_mujocos_rule(void)
{
    NEED_MUJOCO();
    static const unsigned kinds[8][2] = {{1, 1}, {1, 0}, {0, 1}, {2, 1}, {1, 2}, {6, 8}, {8, 4}, {3, 3}};
    char text[2000] = "<mujoco><worldbody>";
    for (int k = 0; k < 8; k++) {
        char body[160];
        snprintf(body, sizeof body,
                 "<body name='b%d'><freejoint/><geom size='1' contype='%u' conaffinity='%u'/></body>", k,
                 kinds[k][0], kinds[k][1]);
        strcat(text, body);
    }
    strcat(text, "<body name='ghost'><freejoint/><geom size='1' contype='0' "
                 "conaffinity='0'/></body></worldbody></mujoco>");
    pbdrSceneFile* scene = load(text);
    for (int a = 0; a < 8; a++) {
        for (int b = 0; b < 8; b++) {
            bool wanted = (kinds[a][0] & kinds[b][1]) != 0 || (kinds[b][0] & kinds[a][1]) != 0;
            CHECK(canTouch(scene->bodies[a].filter, scene->bodies[b].filter) == wanted);
        }
    }
    CHECK(find(scene, "ghost")->untouchable && find(scene, "ghost")->geomCount == 1);
    pbdrFreeScene(scene);
}

static void friction__goes_by_condim(void)
{
    NEED_MUJOCO();
    LOAD(scene, "<mujoco><default><geom friction='0.7 0.02 0.003'/></default><worldbody>"
                "<body name='d1'><freejoint/><geom size='1' condim='1'/></body><body "
                "name='d3'><freejoint/><geom size='1' condim='3'/></body>"
                "<body name='d4'><freejoint/><geom size='1' condim='4'/></body><body "
                "name='d6'><freejoint/><geom name='g' size='1' condim='6'/></body>"
                "</worldbody><custom><numeric name='pbdr_restitution:g' data='0.25'/></custom></mujoco>");
    static const double wanted[4][3] = {{0, 0, 0}, {0.7, 0, 0}, {0.7, 0.02, 0}, {0.7, 0.02, 0.003}};
    for (int k = 0; k < 4; k++) {
        CHECK_EQ(scene->bodies[k].friction, wanted[k][0]);
        CHECK_EQ(scene->bodies[k].spinningFriction, wanted[k][1]);
        CHECK_EQ(scene->bodies[k].rollingFriction, wanted[k][2]);
        CHECK_EQ(scene->bodies[k].restitution, k == 3 ? 0.25 : 0.0);
    }
    CHECK_EQ(scene->ignoredCount, 1); // condims that differ
    pbdrFreeScene(scene);
}

// A keyframe is where bodies start, and how fast: v of the centre of mass is that of the origin and w x c.
static void keyframe__is_the_start(void)
{
    NEED_MUJOCO();
    const char* text = "<mujoco><worldbody><body name='a'><freejoint/><geom size='0.1' pos='0.5 0 "
                       "0'/></body></worldbody><keyframe>"
                       "<key name='home' qpos='1 2 3 0.70710678118654752 0 0 0.70710678118654752' qvel='1 0 "
                       "0 0 0 2'/></keyframe>"
                       "<custom><text name='pbdr_keyframe' data='%s'/></custom></mujoco>";
    char whole[800];
    snprintf(whole, sizeof whole, text, "home");
    LOAD(scene, whole);
    const pbdrSceneBody* a = find(scene, "a");
    CHECK_EQ(a->start.position.z, 3.0);
    CHECK_NEAR(a->velocity.angular.z, 2.0, 1.0e-12);
    CHECK_NEAR(a->velocity.linear.x, 1.0 - 2.0 * 0.5, 1.0e-9); // the centre is at 0.5 y from the origin
    pbdrFreeScene(scene);
    pbdrError error = {.message = ""};
    snprintf(whole, sizeof whole, text, "away");
    CHECK(loadAs("model.xml", whole, &error) == NULL);
    CHECK_TEXT(error.message, "there is no keyframe of that name");
}

static void mocap__follows_its_way(void)
{
    NEED_MUJOCO();
    LOAD(
        scene,
        "<mujoco><worldbody><body name='m' mocap='true' pos='0 0 1'><geom size='0.1'/></body></worldbody>"
        "<custom><numeric name='pbdr_path:m' data='0 0 0 1 1 0 0 0 0.1 0.2 0 1 1 0 0 0'/></custom></mujoco>");
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, NULL), pbdr_statusOk);
    CHECK(scene->bodies[0].kind == pbdr_bodyKinematic);
    pbdrSceneWorld_Step(made, 25); // of 2 ms
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.x, 0.1, 1.0e-12);
    CHECK_NEAR(pbdrSceneWorld_GetVelocity(made, 0).linear.x, 2.0, 1.0e-9);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// Meshes come with MuJoCo's own frame undone; ellipsoids are closed and of nearly their volume; a height field bears a
// ball at its height.
static void meshes__stand_where_they_must(void)
{
    NEED_MUJOCO();
    LOAD(scene,
         "<mujoco><option timestep='0.001'/><asset><mesh name='wedge' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/>"
         "<hfield name='hill' nrow='3' ncol='3' size='1 2 0.5 0.1' elevation='0 0 0 1 1 1 0 0 "
         "0'/></asset><worldbody>"
         "<geom name='field' type='hfield' hfield='hill' pos='10 0 0'/>"
         "<body name='w' pos='5 0 0'><freejoint/><geom type='mesh' mesh='wedge' density='6'/></body>"
         "<body name='e' pos='-5 0 0'><freejoint/><geom type='ellipsoid' size='0.1 0.2 0.3' "
         "density='1000'/></body>"
         "<body name='ball' pos='10 0 0.61'><freejoint/><geom size='0.1'/></body></worldbody></mujoco>");
    const pbdrSceneBody* wedge = find(scene, "w");
    CHECK_NEAR(wedge->solid.mass, 1.0, 1.0e-6);
    CHECK_NEAR(wedge->solid.centre.x, 0.25, 1.0e-6);
    pbdrMassProperties solid;
    CHECK_EQ(
        pbdrMesh_GetMassProperties(&scene->meshes[find(scene, "e")->geoms[0].mesh].mesh, 1.0, &solid, NULL),
        pbdr_statusOk);
    CHECK_NEAR(solid.volume, 4.0 / 3.0 * acos(-1.0) * 0.006, 0.01 * 4.0 / 3.0 * acos(-1.0) * 0.006);
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusOk);
    if (made == NULL) {
        printf("    %s\n", error.message);
        pbdrFreeScene(scene);
        return;
    }
    pbdrPose pose = pbdrBody_GetPose(made->world, made->bodies[wedge - scene->bodies]);
    CHECK_NEAR(pose.position.x, 5.25, 1.0e-6);
    pbdrSceneWorld_Step(made, 100);
    int ball = (int)(find(scene, "ball") - scene->bodies);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, ball).position.z, 0.6, 2.0e-2); // on the ridge at 0.5 m
    CHECK_GE(pbdrSceneWorld_GetPose(made, ball).position.z, 0.58);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// A damaged mesh is solid behind its facets for a static geom, and mended or its hull for a body, from the same asset.
static void meshes__without_an_inside_serve_both(void)
{
    NEED_MUJOCO();
    LOAD(scene, "<mujoco><asset><mesh name='open' inertia='shell' vertex='0 0 0 1 0 0 0 1 0 "
                "0 0 1' face='0 2 1 0 1 3 0 3 2'/></asset><worldbody>"
                "<geom name='still' type='mesh' mesh='open'/><body name='moves' pos='5 0 "
                "0'><freejoint/><geom type='mesh' mesh='open' mass='1'/>"
                "</body></worldbody></mujoco>");
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusOk);
    if (made == NULL) {
        printf("    %s\n", error.message);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

static void names__are_apart(void)
{
    NEED_MUJOCO();
    LOAD(scene,
         "<mujoco><worldbody><geom name='x' size='1'/><body name='x'><freejoint/><geom size='1'/></body>"
         "<body><freejoint/><geom size='1'/></body><body name='body2'><freejoint/><geom size='1'/></body>"
         "</worldbody></mujoco>");
    for (int a = 0; a < scene->bodyCount; a++) {
        for (int b = 0; b < a; b++) {
            CHECK(strcmp(scene->bodies[a].name, scene->bodies[b].name) != 0);
        }
    }
    CHECK(find(scene, "x")->kind == pbdr_bodyDynamic && find(scene, "world/x")->kind == pbdr_bodyStatic);
    pbdrFreeScene(scene);
}

// A link on a floating joint is a body, and a root link stands still, as in MuJoCo.
static void urdf__is_read(void)
{
    NEED_MUJOCO();
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene =
        loadAs("robot.urdf",
               "<robot name='r'><link name='base'><collision><geometry><box size='1 1 "
               "1'/></geometry></collision></link>"
               "<link name='part'><inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' "
               "ixz='0' iyz='0'/></inertial>"
               "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision></link>"
               "<joint name='j' type='floating'><parent link='base'/><child link='part'/><origin xyz='0 0 "
               "3'/></joint></robot>",
               &error);
    CHECK(scene != NULL);
    if (scene != NULL) {
        CHECK_EQ(scene->bodyCount, 2);
        CHECK(find(scene, "part")->kind == pbdr_bodyDynamic && find(scene, "part")->solid.mass == 2.0);
        CHECK_NEAR(find(scene, "part")->start.position.z, 3.0, 1.0e-12);
        CHECK_NEAR(find(scene, "part")->geoms[0].half.x, 0.1, 1.0e-12);
    } else {
        printf("    %s\n", error.message);
    }
    pbdrFreeScene(scene);
}

static void gravity_and_contact__can_be_switched_off(void)
{
    NEED_MUJOCO();
    LOAD(scene, "<mujoco><option><flag gravity='disable' contact='disable'/></option><worldbody>"
                "<body name='a'><freejoint/><geom size='1'/></body></worldbody></mujoco>");
    CHECK_EQ(scene->gravity.z, 0.0);
    CHECK(scene->bodies[0].untouchable);
    pbdrFreeScene(scene);
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    CASES(argc, argv, {"geoms__mean_what_they_mean_there", geoms__mean_what_they_mean_there},
          {"welds__make_one_body", welds__make_one_body},
          {"equal_joints__are_gears", equal_joints__are_gears},
          {"joints__have_mujocos_numbers", joints__have_mujocos_numbers},
          {"filters__are_mujocos_rule", filters__are_mujocos_rule},
          {"friction__goes_by_condim", friction__goes_by_condim},
          {"keyframe__is_the_start", keyframe__is_the_start},
          {"mocap__follows_its_way", mocap__follows_its_way},
          {"meshes__stand_where_they_must", meshes__stand_where_they_must},
          {"meshes__without_an_inside_serve_both", meshes__without_an_inside_serve_both},
          {"names__are_apart", names__are_apart}, {"urdf__is_read", urdf__is_read},
          {"gravity_and_contact__can_be_switched_off", gravity_and_contact__can_be_switched_off});
}
