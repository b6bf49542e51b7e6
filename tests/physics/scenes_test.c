// The example scenes: what must happen in each (docs/scenes.md), and that MuJoCo, from the same file, comes to rest in
// the same place where there is only one.
#include "scene_runs.h"

#ifdef PBDR_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

#define OPEN(run, name)                                                                                      \
    do {                                                                                                     \
        if (!openRun(&(run), (name))) {                                                                      \
            SKIP("MuJoCo's library or the bunny is not there");                                              \
        }                                                                                                    \
    } while (0)

static double getDistance(pbdrVec3 a, pbdrVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

// Largest way of a dynamic body's frame from its start [m].
static double getLargestWay(const SceneRun* run)
{
    double largest = 0.0;
    for (int i = 0; i < run->scene->bodyCount; i++) {
        if (run->scene->bodies[i].kind == pbdr_bodyDynamic) {
            largest = fmax(largest, getDistance(pbdrSceneWorld_GetPose(run->made, i).position,
                                                run->scene->bodies[i].start.position));
        }
    }
    return largest;
}

static double getLargestSpeed(const SceneRun* run)
{
    double largest = 0.0;
    for (int i = 0; i < run->scene->bodyCount; i++) {
        if (run->scene->bodies[i].kind == pbdr_bodyDynamic) {
            pbdrVec3 v = pbdrBody_GetVelocity(run->made->world, run->made->bodies[i]).linear;
            largest = fmax(largest, getDistance(v, (pbdrVec3){0.0, 0.0, 0.0}));
        }
    }
    return largest;
}

static int countDynamic(const SceneRun* run)
{
    int count = 0;
    for (int i = 0; i < run->scene->bodyCount; i++) {
        count += run->scene->bodies[i].kind == pbdr_bodyDynamic;
    }
    return count;
}

// --- What must happen ---

// s = a t^2/2, a = g (sin 25 - 0.4 cos 25); and nothing at all with friction 0.6. XPBD-R is exact here; the bar is the
// rounding of the file's six digits.
static void box_on_slope__slides_and_sticks(void)
{
    SceneRun run;
    OPEN(run, "box_on_slope");
    pbdrVec3 slides = getRunPlace(&run, "slides"), sticks = getRunPlace(&run, "sticks");
    stepRun(&run, 1.0);
    const double slope = 25.0 * acos(-1.0) / 180.0, a = 9.81 * (sin(slope) - 0.4 * cos(slope));
    CHECK_NEAR(getDistance(getRunPlace(&run, "slides"), slides), 0.5 * a, 1.0e-6);
    CHECK_LE(getDistance(getRunPlace(&run, "sticks"), sticks), 1.0e-7);
    CHECK_EQ(run.flags, 0);
    freeRun(&run);
}

// The rod is where its way says at each point of it; the box ends 0.1 m on, and slides by v^2/(2 mu g) at most.
static void rod_and_box__pushes_by_the_rods_way(void)
{
    SceneRun run;
    OPEN(run, "rod_and_box");
    double start = getRunPlace(&run, "box").x;
    stepRun(&run, 0.04);
    int rod = findRunBody(&run, "rod");
    CHECK_NEAR(pbdrSceneWorld_GetPose(run.made, rod).position.x, -0.21, 1.0e-12);
    stepRun(&run, 1.0);
    CHECK_NEAR(pbdrSceneWorld_GetVelocity(run.made, rod).linear.x, 0.05, 1.0e-9);
    stepRun(&run, 1.46);
    CHECK_NEAR(pbdrSceneWorld_GetPose(run.made, rod).position.x, -0.13, 1.0e-12);
    double way = getRunPlace(&run, "box").x - start;
    CHECK_GE(way, 0.1 - 1.0e-9);
    CHECK_LE(way, 0.1 + 0.05 * 0.05 / (2.0 * 0.4 * 9.81) + 1.0e-6);
    CHECK_EQ(run.flags, 0);
    freeRun(&run);
}

// 20 boxes stay where they are: 1e-9 m in half a second.
static void tower__stands(void)
{
    SceneRun run;
    OPEN(run, "tower");
    CHECK_EQ(countDynamic(&run), 20);
    stepRun(&run, 0.5);
    CHECK_LE(getLargestWay(&run), 1.0e-9);
    CHECK_LE(getLargestSpeed(&run), 1.0e-9);
    freeRun(&run);
}

static void card_house__stands(void)
{
    SceneRun run;
    OPEN(run, "card_house");
    CHECK_EQ(countDynamic(&run), 7);
    stepRun(&run, 0.5);
    CHECK_LE(getLargestWay(&run), 1.0e-6);
    freeRun(&run);
}

// Issue 11's bar: it stands to 1e-6 m.
static void arch__stands(void)
{
    SceneRun run;
    OPEN(run, "arch");
    CHECK_EQ(countDynamic(&run), 11);
    stepRun(&run, 0.3);
    CHECK_LE(getLargestWay(&run), 1.0e-6);
    freeRun(&run);
}

static void brick_wall__stands(void)
{
    SceneRun run;
    OPEN(run, "brick_wall");
    CHECK_EQ(countDynamic(&run), 105);
    stepRun(&run, 0.05);
    CHECK_LE(getLargestWay(&run), 1.0e-9);
    freeRun(&run);
}

// Angle by which a body's own axis z is off the vertical [deg].
static double getTilt(const SceneRun* run, int body)
{
    pbdrQuat q = pbdrSceneWorld_GetPose(run->made, body).rotation;
    return acos(fmax(-1.0, fmin(1.0, 1.0 - 2.0 * (q.x * q.x + q.y * q.y)))) * 180.0 / acos(-1.0);
}

// The wave runs along the row: after 0.4 s the first ones lie and the last one stands. (All of it: 2 s,
// dominoes__all_fall.)
static void dominoes__fall_one_after_another(void)
{
    SceneRun run;
    OPEN(run, "dominoes");
    stepRun(&run, 0.4);
    CHECK_GE(getTilt(&run, findRunBody(&run, "domino0")), 30.0);
    CHECK_GE(getTilt(&run, findRunBody(&run, "domino2")), 5.0);
    CHECK_LE(getTilt(&run, findRunBody(&run, "domino19")), 1.0e-6);
    freeRun(&run);
}

static void dominoes__all_fall(void)
{
    SceneRun run;
    OPEN(run, "dominoes");
    stepRun(&run, 2.0);
    for (int i = 0; i < run.scene->bodyCount; i++) {
        CHECK_GE(getTilt(&run, i), 60.0);
    }
    CHECK_NEAR(getTilt(&run, findRunBody(&run, "domino19")), 90.0, 0.1);
    freeRun(&run);
}

// No part leaves the tray, of 0.2 by 0.15 m inside its walls, and those in the finger's way are pushed on.
static void tray__keeps_its_parts(void)
{
    SceneRun run;
    OPEN(run, "tray");
    CHECK_EQ(countDynamic(&run), 40);
    stepRun(&run, 1.2);
    pbdrVec3 finger = pbdrSceneWorld_GetPose(run.made, findRunBody(&run, "finger")).position;
    CHECK_NEAR(finger.x, -0.17 + 0.12, 1.0e-9);
    int pushed = 0;
    for (int i = 0; i < run.scene->bodyCount; i++) {
        if (run.scene->bodies[i].kind == pbdr_bodyDynamic) {
            pbdrVec3 x = pbdrSceneWorld_GetPose(run.made, i).position,
                     start = run.scene->bodies[i].start.position;
            CHECK_LE(fabs(x.x), 0.2);
            CHECK_LE(fabs(x.y), 0.15);
            CHECK_GE(x.z, 0.004);
            CHECK_LE(x.z, 0.04);
            pushed += x.x - start.x > 0.01;
            CHECK(fabs(x.x - finger.x) > 0.01 || fabs(x.y - finger.y) > 0.04); // not in the finger's foot
        }
    }
    CHECK_GE(pushed, 2);
    freeRun(&run);
}

// Loads, and falls freely before it hits anything: g t^2/2. (What comes then takes minutes.)
static void hopper__falls(void)
{
    SceneRun run;
    OPEN(run, "hopper");
    CHECK_EQ(countDynamic(&run), 1000);
    int body = run.scene->bodyCount - 1;
    double start = pbdrSceneWorld_GetPose(run.made, body).position.z;
    stepRun(&run, 0.003);
    CHECK_NEAR(start - pbdrSceneWorld_GetPose(run.made, body).position.z, 0.5 * 9.81 * 9.0e-6, 1.0e-9);
    freeRun(&run);
}

static void bunny_pile__falls_and_shares_a_shape(void)
{
    SceneRun run;
    OPEN(run, "bunny_pile");
    CHECK_EQ(countDynamic(&run), 30);
    const pbdrShape* first = pbdrBody_GetShape(run.made->world, run.made->bodies[0]);
    for (int i = 0; i < run.scene->bodyCount; i++) {
        CHECK(pbdrBody_GetShape(run.made->world, run.made->bodies[i]) == first);
    }
    double energy = getLargestSpeed(&run);
    CHECK_EQ(energy, 0.0);
    stepRun(&run, 0.05);
    CHECK_LE(getLargestSpeed(&run), 9.81 * 0.05 + 1.0e-6); // nothing pushes them apart at the start
    freeRun(&run);
}

// --- MuJoCo, from the same files ---

#ifdef PBDR_HAVE_MUJOCO

static void ignoreWarning(const char* text)
{
    (void)text;
}

// Mocap bodies follow the way that the file gives them: MJCF has no word for it.
static void placeMocap(const pbdrSceneFile* scene, const mjModel* model, mjData* data)
{
    for (int i = 0; i < scene->bodyCount; i++) {
        const pbdrSceneBody* body = &scene->bodies[i];
        int id = body->pointCount > 0 ? model->body_mocapid[mj_name2id(model, mjOBJ_BODY, body->name)] : -1;
        for (int k = 0; id >= 0 && k < body->pointCount; k++) {
            const pbdrScenePoint* p = &body->points[k];
            const pbdrScenePoint* q = k + 1 < body->pointCount ? p + 1 : p;
            if (data->time >= p->time && (data->time < q->time || q == p)) {
                double s = q == p ? 0.0 : (data->time - p->time) / (q->time - p->time);
                data->mocap_pos[3 * id] = p->pose.position.x + s * (q->pose.position.x - p->pose.position.x);
                data->mocap_pos[3 * id + 1] =
                    p->pose.position.y + s * (q->pose.position.y - p->pose.position.y);
                data->mocap_pos[3 * id + 2] =
                    p->pose.position.z + s * (q->pose.position.z - p->pose.position.z);
            }
        }
    }
}

// Runs a file in both for `seconds` and returns the largest distance of a body's centre of mass from MuJoCo's, or of one
// body alone [m].
static double compare(const char* name, double seconds, const char* only)
{
    char path[1024], message[1000] = "";
    SceneRun run;
    if (!openRun(&run, name)) {
        return 0.0;
    }
    mju_user_warning = ignoreWarning;
    snprintf(path, sizeof path, "%s/%s.xml", PBDR_SCENES, name);
    mjModel* model = mj_loadXML(path, NULL, message, sizeof message);
    mjData* data = model != NULL ? mj_makeData(model) : NULL;
    double largest = HUGE_VAL;
    CHECK(data != NULL);
    if (data != NULL) {
        stepRun(&run, seconds);
        while (data->time < seconds - 0.5 * model->opt.timestep) {
            placeMocap(run.scene, model, data);
            mj_step(model, data);
        }
        mj_kinematics(model, data);
        largest = 0.0;
        for (int i = 0; i < run.scene->bodyCount; i++) {
            const pbdrSceneBody* body = &run.scene->bodies[i];
            if (body->kind == pbdr_bodyDynamic && (only == NULL || strcmp(only, body->name) == 0)) {
                int id = mj_name2id(model, mjOBJ_BODY, body->name);
                const mjtNum* x = data->xipos + 3 * id;
                pbdrVec3 there = {x[0], x[1], x[2]};
                largest = fmax(largest, getDistance(there, getRunPlace(&run, body->name)));
            }
        }
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    freeRun(&run);
    return largest;
}

// Issue 11 asks for 1 mm where the answer is unique: all that stands or is pushed to a place. How far the sliding box of
// box_on_slope comes is unique, too, and has a closed form above; heaps, dominoes, the tray and the hopper have no one
// answer.
static void mujoco__rests_where_we_do(void)
{
    if (!pbdrCanLoadMjcf()) {
        SKIP("this build reads no MJCF");
    }
    // scripts/checks.sh takes these by name, for docs/scenes.md. Measured with MuJoCo 3.14.0 [m]: 6e-6, 1.5e-4, 4.0e-5,
    // 2.3e-6, 3.1e-5, 6.6e-6.
    const double boxOnSlope = compare("box_on_slope", 1.0, "sticks");
    const double rodAndBox = compare("rod_and_box", 2.5, "box");
    const double tower = compare("tower", 1.0, NULL);
    const double cardHouse = compare("card_house", 1.0, NULL);
    const double arch = compare("arch", 1.0, NULL);
    const double brickWall = compare("brick_wall", 1.0, NULL);
    CHECK_LE(boxOnSlope, 2.0e-5);
    CHECK_LE(rodAndBox, 5.0e-4);
    CHECK_LE(tower, 1.2e-4);
    CHECK_LE(cardHouse, 1.0e-5);
    CHECK_LE(arch, 4.0e-5);
    CHECK_LE(brickWall, 2.0e-5);
}

// Mass, centre, inertia and start of every body are those of the compiled model, to rounding.
static void mujoco__weighs_what_we_weigh(void)
{
    static const char* const names[] = {"box_on_slope", "rod_and_box", "arch",
                                        "card_house",   "tray",        "bunny_pile"};
    char path[1024], message[1000] = "";
    mju_user_warning = ignoreWarning;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        SceneRun run;
        if (!openRun(&run, names[k])) {
            SKIP("MuJoCo's library or the bunny is not there");
        }
        snprintf(path, sizeof path, "%s/%s.xml", PBDR_SCENES, names[k]);
        mjModel* model = mj_loadXML(path, NULL, message, sizeof message);
        mjData* data = mj_makeData(model);
        mj_kinematics(model, data);
        for (int i = 0; i < run.scene->bodyCount; i++) {
            const pbdrSceneBody* body = &run.scene->bodies[i];
            if (body->kind != pbdr_bodyDynamic) {
                continue;
            }
            int id = mj_name2id(model, mjOBJ_BODY, body->name);
            const mjtNum *x = data->xipos + 3 * id, *moments = model->body_inertia + 3 * id;
            pbdrVec3 there = {x[0], x[1], x[2]};
            pbdrMat3 inertia = pbdrBody_GetRestInertia(run.made->world, run.made->bodies[i]);
            double trace = moments[0] + moments[1] + moments[2], size = sqrt(trace / model->body_mass[id]);
            CHECK_NEAR(pbdrBody_GetMass(run.made->world, run.made->bodies[i]), model->body_mass[id],
                       1.0e-12 * model->body_mass[id]);
            CHECK_LE(getDistance(there, getRunPlace(&run, body->name)),
                     1.0e-10 * (size + getDistance(there, (pbdrVec3){0.0, 0.0, 0.0})));
            CHECK_NEAR(inertia.m[0][0] + inertia.m[1][1] + inertia.m[2][2], trace, 1.0e-9 * trace);
        }
        mj_deleteData(data);
        mj_deleteModel(model);
        freeRun(&run);
    }
}

#define MUJOCO_CASES                                                                                         \
    , {"mujoco__rests_where_we_do", mujoco__rests_where_we_do},                                              \
    {                                                                                                        \
        "mujoco__weighs_what_we_weigh", mujoco__weighs_what_we_weigh                                         \
    }
#else
#define MUJOCO_CASES
#endif

int main(int argc, char** argv)
{
    CASES(argc, argv, {"box_on_slope__slides_and_sticks", box_on_slope__slides_and_sticks},
          {"rod_and_box__pushes_by_the_rods_way", rod_and_box__pushes_by_the_rods_way},
          {"tower__stands", tower__stands}, {"card_house__stands", card_house__stands},
          {"arch__stands", arch__stands}, {"brick_wall__stands", brick_wall__stands},
          {"dominoes__fall_one_after_another", dominoes__fall_one_after_another},
          {"dominoes__all_fall", dominoes__all_fall}, {"tray__keeps_its_parts", tray__keeps_its_parts},
          {"hopper__falls", hopper__falls},
          {"bunny_pile__falls_and_shares_a_shape", bunny_pile__falls_and_shares_a_shape} MUJOCO_CASES);
}
