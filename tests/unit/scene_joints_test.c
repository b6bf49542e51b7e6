// Joints and actuators of scenes in our own format: what they say becomes joints of the world, and of the world of its
// recipe; what is wrong is refused with line and name.
#define _POSIX_C_SOURCE 200809L
#include "pbdr/recipe.h"

#include "written_files.h"

#include <math.h>

#define HEAD "{\"schema\": \"pbdr-scene/2\",\n\"gravity_mps2\": [0, 0, -9.81], \"bodies\": [\n"
#define BODY(name, x)                                                                                        \
    "{\"name\": \"" name "\", \"shape\": \"ball\", \"radius_m\": 0.05, \"mass_kg\": 1, \"mask\": 0, "        \
    "\"start\": {\"position_m\": [" x ", 0, 0]}}"

static pbdrSceneFile* load(const char* text, pbdrError* error)
{
    pbdrSceneFile* scene = NULL;
    writeFile("joints.json", text, strlen(text));
    if (pbdrLoadScene(getPath("joints.json"), NULL, &scene, error) != pbdr_statusOk) {
        scene = NULL;
    }
    return scene;
}

// A joint more, and a gear from the slide to it: q = 0.5 + 2 s.
#define GEARED                                                                                               \
    ",\n{\"name\": \"t\", \"kind\": \"slide\", \"bodies\": [null, \"c\"], \"frame_a\": {\"anchor_m\": "      \
    "[1.5, 0, "                                                                                              \
    "0], \"axis\": [1, 0, 0]}, \"frame_b\": {\"anchor_m\": [0, 0, 0], \"axis\": [1, 0, 0]}},\n"              \
    "{\"name\": \"g\", \"kind\": \"gear\", \"joints\": [\"s\", \"t\"], \"coefficients\": [0.5, 2]}"

static const char driven[] = HEAD BODY("a", "0.5") ",\n" BODY(
    "b", "1") "],\n\"joints\": [\n"
              "{\"name\": \"h\", \"kind\": \"hinge\", \"bodies\": [null, \"a\"], \"point_m\": [0, 0, 0], "
              "\"axis\": [0, 1, 0],\n"
              " \"lower\": -1, \"upper\": 2, \"stiffness\": 3, \"reference\": 0.1, \"damping\": 0.2, "
              "\"armature\": 0.4},\n"
              "{\"name\": \"s\", \"kind\": \"slide\", \"bodies\": [\"a\", \"b\"], \"point_m\": [1, 0, 0], "
              "\"axis\": [1, 0, 0],\n"
              " \"motor\": \"velocity\", \"target\": 0.5, \"max_force\": 100}],\n"
              "\"actuators\": [{\"name\": \"m\", \"joint\": \"h\", \"gear\": 2, \"gain\": 5, \"bias\": [1, "
              "-3, -0.5],\n"
              " \"lower\": -1, \"upper\": 1, \"control\": 4}]}";

// force = gear (gain control + bias0), control within its range; stiffness and damping by gear squared
static void joints__are_those_of_the_file(void)
{
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene = load(driven, &error);
    CHECK_TEXT(error.message, "");
    if (scene == NULL) {
        return;
    }
    CHECK_EQ(scene->jointCount, 2);
    CHECK_EQ(scene->ignoredCount, 0);
    pbdrRecipe recipe = {.count = 0};
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    CHECK_EQ(pbdrRecordSceneWorld(scene, &def, NULL, &recipe, &made, &error), pbdr_statusOk);
    CHECK_NEAR(pbdrJoint_GetMotorTarget(made->world, made->joints[0]), 2.0 * (5.0 * 1.0 + 1.0), 1.0e-12);
    // (I + m l^2 + the same at 1 m + armature) a = m g l (falls towards positive angles) ... + the motor, spring 3 (0.1)
    pbdrVelocity bodies[2];
    double axes[2];
    CHECK_EQ(pbdrWorld_FindAccelerations(made->world, bodies, axes, &error), pbdr_statusOk);
    const double own = 0.4 * 0.0025, inertia = 2.0 * own + 0.25 + 1.0 + 0.4;
    CHECK_NEAR(axes[0], (9.81 * 1.5 + 12.0 + 0.3) / inertia, 1.0e-11);
    CHECK_EQ(pbdrSceneWorld_Step(made, 200), 0);
    CHECK_NEAR(pbdrJoint_GetVelocity(made->world, made->joints[1]), 0.5, 1.0e-12);
    pbdrRecipeWorld* again = NULL;
    CHECK_EQ(pbdrCreateRecipeWorld(recipe.numbers, recipe.count, NULL, &again, &error), pbdr_statusOk);
    if (again != NULL) {
        pbdrRecipeWorld_Step(again, 200);
        CHECK(pbdrWorld_GetHash(again->world) == pbdrWorld_GetHash(made->world));
    }
    pbdrDestroyRecipeWorld(again);
    pbdrRecipe_Free(&recipe);
    pbdrDestroySceneWorld(made);
    // other solvers have no joints, and say whose
    def.solver = pbdr_solverPbdR;
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusNotSupported);
    CHECK_TEXT(error.message, "joint 0, \"h\": joint: only worlds of XPBD-R have joints");
    pbdrFreeScene(scene);
}

static const char geared[] = HEAD BODY("a", "0.5") ",\n" BODY("b", "1") ",\n" BODY(
    "c",
    "2") "],\n\"joints\": [\n"
         "{\"name\": \"s\", \"kind\": \"slide\", \"bodies\": [\"a\", \"b\"], \"point_m\": [1, 0, 0], "
         "\"axis\": [1, 0, 0],\n"
         " \"motor\": \"velocity\", \"target\": 0.25, \"max_force\": 100}" GEARED "],\n"
         "\"sensors\": [{\"name\": \"s\", \"kind\": \"joint_position\", \"joint\": \"s\"},\n"
         "{\"name\": \"a\", \"kind\": \"accelerometer\", \"body\": \"a\", \"position_m\": [0.1, 0, 0]}, "
         "{\"name\": \"t\", \"kind\": \"touch\", \"body\": \"c\", \"zone\": \"box\", \"zone_m\": [1, 1, 1]}, "
         "{\"name\": \"f\", \"kind\": \"force\", \"body\": \"c\", \"joint\": \"t\"}]}";

static void gears__are_those_of_the_file(void)
{
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene = load(geared, &error);
    CHECK_TEXT(error.message, "");
    if (scene == NULL) {
        return;
    }
    pbdrRecipe recipe = {.count = 0};
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    CHECK_EQ(pbdrRecordSceneWorld(scene, &def, NULL, &recipe, &made, &error), pbdr_statusOk);
    pbdrRecipeWorld* again = NULL;
    CHECK_EQ(pbdrCreateRecipeWorld(recipe.numbers, recipe.count, NULL, &again, &error), pbdr_statusOk);
    if (made != NULL && again != NULL) {
        CHECK_EQ(pbdrSceneWorld_Step(made, 200), 0);
        const double slide = pbdrJoint_GetPosition(made->world, made->joints[0]);
        CHECK_GE(slide, 0.04);
        double values[PBDR_SENSOR_VALUES];
        CHECK_EQ(scene->sensorCount, 4);
        CHECK_EQ(pbdrSceneWorld_ReadSensor(made, 0, values), 1);
        CHECK_EQ(values[0], slide);
        CHECK_EQ(pbdrSceneWorld_ReadSensor(made, 1, values), 3);
        CHECK_NEAR(values[2], 0.0, 1.0e-9); // it falls
        CHECK_EQ(pbdrSceneWorld_ReadSensor(made, 2, values), 1);
        CHECK_EQ(values[0], 0.0);
        CHECK_EQ(pbdrSceneWorld_ReadSensor(made, 3, values), 3);
        CHECK_NEAR(values[2], 9.81, 1.0e-9); // it hangs
        CHECK_NEAR(pbdrJoint_GetPosition(made->world, made->joints[1]), 0.5 + 2.0 * slide, 1.0e-12);
        pbdrRecipeWorld_Step(again, 200);
        CHECK(pbdrWorld_GetHash(again->world) == pbdrWorld_GetHash(made->world));
    }
    pbdrDestroyRecipeWorld(again);
    pbdrRecipe_Free(&recipe);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// A universal joint by a point and an axis: A's axis, B's at a right angle; the body hangs at it and swings both ways.
static void universal__is_placed_by_a_point(void)
{
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene =
        load(HEAD BODY("a", "0.5") "],\n\"joints\": [{\"name\": \"u\", \"kind\": \"universal\", "
                                   "\"bodies\": [null, \"a\"], \"point_m\": [0, 0, 0], "
                                   "\"axis\": [0, 1, 0]}]}",
             &error);
    CHECK_TEXT(error.message, "");
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusOk);
    CHECK_TEXT(error.message, "");
    if (made != NULL) {
        CHECK_EQ(pbdrSceneWorld_Step(made, 300), 0);
        const pbdrVec3 place = pbdrBody_GetPose(made->world, made->bodies[0]).position;
        CHECK_NEAR(sqrt(place.x * place.x + place.y * place.y + place.z * place.z), 0.5, 1.0e-12);
        CHECK_LE(place.z, -0.3);
        CHECK_LE(pbdrJoint_GetGap(made->world, made->joints[0]), 1.0e-12);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

static void refuse(const char* joints, const char* part)
{
    char text[2048];
    pbdrError error = {.message = ""};
    snprintf(text, sizeof text, HEAD BODY("a", "0.5") "],\n%s}", joints);
    pbdrSceneFile* scene = load(text, &error);
    CHECK(scene == NULL);
    CHECK_TEXT(error.message, part);
    pbdrFreeScene(scene);
}

static void refusals__name_line_and_value(void)
{
    refuse("\"joints\": 3", "joints: wanted an array");
    refuse("\"joints\": [3]", "joints[0]: wanted an object");
    refuse("\"joints\": [{\"bodies\": [null, \"a\"]}]", "kind: the key is missing");
    refuse("\"joints\": [{\"kind\": \"hing\", \"bodies\": [null, \"a\"]}]", "one of ball, hinge");
    refuse("\"joints\": [{\"kind\": \"ball\"}]", "bodies: the key is missing");
    refuse("\"joints\": [{\"kind\": \"ball\", \"bodies\": [\"a\"]}]", "wanted two names");
    refuse("\"joints\": [{\"kind\": \"ball\", \"bodies\": [null, \"x\"]}]", "there is no body \"x\"");
    refuse("\"joints\": [{\"kind\": \"hinge\", \"bodies\": [null, \"a\"], \"damping\": -1}]", "damping: -1");
    refuse("\"joints\": [{\"kind\": \"gear\"}]", "joints: the key is missing");
    refuse("\"joints\": [{\"kind\": \"gear\", \"joints\": [\"x\"]}]", "wanted two names");
    refuse("\"joints\": [{\"name\": \"x\", \"kind\": \"gear\", \"joints\": [\"x\", \"y\"]}]",
           "there is no joint \"x\" before this one");
    refuse(
        "\"joints\": [{\"name\": \"x\", \"kind\": \"ball\", \"bodies\": [null, \"a\"]}, {\"kind\": \"gear\", "
        "\"joints\": [\"x\", \"x\"], \"coefficients\": [1, 2, 3, 4, 5, 6]}]",
        "wanted one to five numbers");
    refuse("\"sensors\": [{\"kind\": \"gyro\"}]", "sensors[0].body: the key is missing");
    refuse("\"sensors\": [{\"kind\": \"gyroscope\"}]", "one of joint_position");
    refuse("\"sensors\": [{\"kind\": \"gyro\", \"body\": \"x\"}]", "sensors[0].body: there is no body \"x\"");
    refuse("\"sensors\": [{\"kind\": \"joint_force\", \"joint\": \"x\"}]", "there is no joint \"x\"");
    refuse("\"sensors\": [{\"kind\": \"touch\", \"body\": \"a\", \"zone\": \"box\"}]",
           "zone_m: a zone must have sizes above zero");
    refuse("\"actuators\": [{\"joint\": \"j\"}]", "actuators[0].joint: there is no joint \"j\"");
    refuse("\"joints\": [{\"name\": \"j\", \"kind\": \"ball\", \"bodies\": [null, \"a\"]}, {\"name\": \"j\", "
           "\"kind\": "
           "\"ball\", \"bodies\": [null, \"a\"]}]",
           "\"j\" is joint 0 already");
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    CASES(argc, argv, {"joints__are_those_of_the_file", joints__are_those_of_the_file},
          {"gears__are_those_of_the_file", gears__are_those_of_the_file},
          {"universal__is_placed_by_a_point", universal__is_placed_by_a_point},
          {"refusals__name_line_and_value", refusals__name_line_and_value});
}
