// Sleeping islands: what falls asleep, what it keeps, and each of the causes that wake it.
#define _POSIX_C_SOURCE 200809L
#include "xpbdr_scenes.h"

#include <time.h>

#define ASLEEP_AFTER 700 // substeps of 1 ms: PBDR_SLEEP_TIME, and time to come to rest

// A tower of three boxes at x = 0, and a box by itself at x = 3, all on the ground, that have fallen asleep.
typedef struct Scene {
    pbdrWorld* world;
    pbdrPlaneId ground;
    pbdrBodyId tower[3], alone;
} Scene;

static pbdrWorld* makeSleepy(int threads)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.sleeping = true;
    def.threads = threads;
    return makeWorld(def);
}

static Scene makeAsleep(void)
{
    Scene scene = {.world = makeSleepy(1)};
    scene.ground = addGround(scene.world, 0.4);
    for (int k = 0; k < 3; k++) {
        scene.tower[k] =
            addFacedCube(scene.world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k));
    }
    scene.alone = addFacedCube(scene.world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(3.0, 0.0, 0.1));
    CHECK_EQ(pbdrWorld_Step(scene.world, ASLEEP_AFTER), 0);
    CHECK_EQ(pbdrWorld_CountAsleep(scene.world), 4);
    return scene;
}

static int countTower(const Scene* scene)
{
    int count = 0;
    for (int k = 0; k < 3; k++) {
        count += pbdrBody_IsAsleep(scene->world, scene->tower[k]);
    }
    return count;
}

// A step later the tower is awake as a whole; the box by itself is, if everything wakes.
static void checkWoken(Scene* scene, bool everything)
{
    CHECK_EQ(pbdrWorld_Step(scene->world, 1), 0);
    CHECK_EQ(countTower(scene), 0);
    CHECK(pbdrBody_IsAsleep(scene->world, scene->alone) == !everything);
    pbdrDestroyWorld(scene->world);
}

// --- Falling asleep ---

static void sleep__is_off_by_default(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    pbdrBodyId box = addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1));
    CHECK(!pbdrWorld_HasSleeping(world));
    pbdrWorld_Step(world, 2 * ASLEEP_AFTER);
    CHECK(!pbdrBody_IsAsleep(world, box));
    pbdrDestroyWorld(world);
}

// Nobody sleeps before PBDR_SLEEP_TIME; asleep, velocities are zero and the k-th interface bears what is above it.
static void sleep__keeps_poses_contacts_and_forces(void)
{
    Scene scene = makeAsleep();
    static pbdrContact contacts[256];
    double borne[3] = {0.0};
    const pbdrPose before = pbdrBody_GetPose(scene.world, scene.tower[2]);
    const uint64_t hash = pbdrWorld_GetHash(scene.world);
    CHECK_EQ(pbdrWorld_Step(scene.world, 1000), 0);
    CHECK(pbdrWorld_GetHash(scene.world) == hash);
    CHECK_EQ(distance(before.position, pbdrBody_GetPose(scene.world, scene.tower[2]).position), 0);
    for (int k = 0; k < 3; k++) {
        CHECK_EQ(getTopSpeed(scene.world, scene.tower[k]), 0);
    }
    const int count = pbdrWorld_GetContacts(scene.world, contacts, 256);
    CHECK(count >= 16 && count <= 256);
    for (int i = 0; i < count; i++) {
        const bool plane = contacts[i].bodyB.index1 == 0;
        const int body = (plane ? contacts[i].bodyA : contacts[i].bodyB).index1 - 1;
        if (body < 3) {
            borne[body] += plane ? contacts[i].force.z : -contacts[i].force.z;
        }
        CHECK_LE(fabs(contacts[i].separation), 1e-9);
    }
    for (int k = 0; k < 3; k++) {
        CHECK_NEAR(borne[k], 4.0 * GRAVITY * (3 - k), 1e-5); // as islands that are awake: gaps of 1e-12 m
    }
    pbdrDestroyWorld(scene.world);

    pbdrWorld* world = makeSleepy(1);
    addGround(world, 0.4);
    addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1));
    pbdrWorld_Step(world, 499);
    CHECK_EQ(pbdrWorld_CountAsleep(world), 0);
    pbdrWorld_Step(world, 3);
    CHECK_EQ(pbdrWorld_CountAsleep(world), 1);
    pbdrDestroyWorld(world);
}

// Slow is not at rest: a box that floats, one on its way up and down again, one that slides down a slope.
static void sleep__is_for_what_rests(void)
{
    pbdrWorld* world = makeSleepy(1);
    pbdrWorld_SetGravity(world, pbdrVec(0.0, 0.0, 0.0));
    addGround(world, 0.4);
    pbdrBodyId floating = addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1001));
    pbdrBody_SetVelocity(world, floating, (pbdrVelocity){{1e-5, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    pbdrWorld_Step(world, 2000);
    CHECK(!pbdrBody_IsAsleep(world, floating));
    CHECK_NEAR(pbdrBody_GetPose(world, floating).position.x, 2e-5, 1e-15);
    pbdrDestroyWorld(world);

    // a = g (sin - mu cos) of a slope 1e-3 steeper than friction: 1 mm/s after 0.1 s
    world = makeSleepy(1);
    const double slope = atan(0.4) + 1e-3;
    addPlane(world, pbdrVec(-sin(slope), 0.0, cos(slope)), 0.0, 0.4);
    pbdrBodyId slider =
        addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(-0.1 * sin(slope), 0.0, 0.1 * cos(slope)));
    pbdrPose pose = pbdrBody_GetPose(world, slider);
    pose.rotation = turnAbout(pbdrVec(0.0, 1.0, 0.0), -slope);
    pbdrBody_SetPose(world, slider, pose);
    pbdrWorld_Step(world, 2000);
    CHECK(!pbdrBody_IsAsleep(world, slider));
    CHECK_NEAR(distance(pbdrBody_GetPose(world, slider).position, pose.position),
               0.5 * GRAVITY * (sin(slope) - 0.4 * cos(slope)) * 4.0, 1e-9);
    pbdrDestroyWorld(world);
}

// --- Waking ---

static void wake__by_a_body_that_falls_on_it(void)
{
    Scene scene = makeAsleep();
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, 0.9); // 0.2 m above the tower
    addBlock(scene.world, 2, 2, 2, 0.05, 1.0, def);
    pbdrWorld_Step(scene.world, 1); // a new body wakes everything
    CHECK_EQ(pbdrWorld_CountAsleep(scene.world), 0);
    pbdrDestroyWorld(scene.world);

    // so the one that falls must have been there: it waits on a shelf that is high, and is pushed off it
    scene = (Scene){.world = makeSleepy(1)};
    scene.ground = addGround(scene.world, 0.4);
    for (int k = 0; k < 3; k++) {
        scene.tower[k] =
            addFacedCube(scene.world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k));
    }
    scene.alone = addFacedCube(scene.world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(3.0, 0.0, 0.1));
    addFacedCube(scene.world, 4, pbdr_bodyStatic, 0.0, pbdrVec(-0.25, 0.0, 1.0));
    pbdrBodyId ball = addBall(scene.world, 0.05, 1.0, 0.0, pbdrVec(-0.25, 0.0, 1.15), pbdrVec(0.0, 0.0, 0.0));
    pbdrWorld_Step(scene.world, ASLEEP_AFTER);
    CHECK_EQ(pbdrWorld_CountAsleep(scene.world), 5);
    pbdrBody_SetVelocity(scene.world, ball, (pbdrVelocity){{0.6, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    pbdrWorld_Step(scene.world, 50);
    CHECK_EQ(countTower(&scene), 3); // it is not there yet
    int substep = 0;
    for (; substep < 1000 && countTower(&scene) == 3; substep++) {
        pbdrWorld_Step(scene.world, 1);
    }
    const pbdrVec3 place = pbdrBody_GetPose(scene.world, ball).position;
    printf("    the tower wakes after %d ms, the ball %.3g m above it\n", 50 + substep, place.z - 0.65);
    CHECK(substep < 1000);
    CHECK_GE(place.z, 0.65 - 1e-6); // woken before the ball was in it
    CHECK_EQ(countTower(&scene), 0);
    CHECK(pbdrBody_IsAsleep(scene.world, scene.alone));
    // and the ball does not go through: it bears on the tower or has rolled off it. Overlap of up to 0.1 mm stays
    double deepest = 0.0;
    for (int k = 0; k < 200; k++) {
        pbdrWorld_Step(scene.world, 1);
        const pbdrVec3 x = pbdrBody_GetPose(scene.world, ball).position;
        deepest = x.x > 0.1 ? deepest : fmax(deepest, 0.65 - x.z);
    }
    printf("    the ball goes in by %.2g m\n", deepest);
    CHECK_LE(deepest, 1e-4);
    pbdrDestroyWorld(scene.world);
}

static void wake__by_force_and_torque(void)
{
    Scene scene = makeAsleep();
    pbdrBody_SetForce(scene.world, scene.tower[0], pbdrVec(0.0, 0.0, 0.0)); // the same as it has
    pbdrWorld_Step(scene.world, 1);
    CHECK_EQ(countTower(&scene), 3);
    pbdrBody_SetForce(scene.world, scene.tower[1], pbdrVec(1.0, 0.0, 0.0));
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrBody_SetTorque(scene.world, scene.tower[0], pbdrVec(0.0, 0.0, 0.1));
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrBody_ApplyForce(scene.world, scene.tower[2], pbdrVec(1.0, 0.0, 0.0), pbdrVec(0.0, 0.0, 0.5));
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrBody_ApplyTorque(scene.world, scene.tower[2], pbdrVec(0.0, 0.0, 0.1));
    checkWoken(&scene, false);
}

// What leans on a force that ends falls: a force of one long step holds a box against a slope, and it sleeps there.
static void wake__when_the_force_of_a_step_ends(void)
{
    pbdrWorld* world = makeSleepy(1);
    const double slope = 0.2;
    addPlane(world, pbdrVec(-sin(slope), 0.0, cos(slope)), 0.0, 0.0);
    pbdrBodyId box =
        addFacedCube(world, 4, pbdr_bodyDynamic, 0.0, pbdrVec(-0.1 * sin(slope), 0.0, 0.1 * cos(slope)));
    pbdrPose pose = pbdrBody_GetPose(world, box);
    pose.rotation = turnAbout(pbdrVec(0.0, 1.0, 0.0), -slope);
    pbdrBody_SetPose(world, box, pose);
    const double pull = 4.0 * GRAVITY * sin(slope);
    pbdrBody_ApplyForce(world, box, pbdrVec(pull * cos(slope), 0.0, pull * sin(slope)), pose.position);
    pbdrWorld_Step(world, ASLEEP_AFTER);
    CHECK_LE(distance(pbdrBody_GetPose(world, box).position, pose.position), 1e-12);
    CHECK(!pbdrBody_IsAsleep(world, box)); // it slept, and was woken as the step ended
    pbdrWorld_Step(world, 100);
    CHECK_NEAR(distance(pbdrBody_GetPose(world, box).position, pose.position),
               0.5 * GRAVITY * sin(slope) * 0.01, 1e-9);
    pbdrDestroyWorld(world);
}

static void wake__by_impulse_velocity_and_pose(void)
{
    Scene scene = makeAsleep();
    pbdrBody_ApplyImpulse(scene.world, scene.tower[1], pbdrVec(0.1, 0.0, 0.0), pbdrVec(0.0, 0.0, 0.3));
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrBody_ApplyAngularImpulse(scene.world, scene.tower[1], pbdrVec(0.0, 0.0, 0.01));
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrBody_SetVelocity(scene.world, scene.tower[1], (pbdrVelocity){{0.1, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrPose pose = pbdrBody_GetPose(scene.world, scene.tower[2]);
    pose.position.z += 0.1;
    pbdrBody_SetPose(scene.world, scene.tower[2], pose);
    checkWoken(&scene, true); // it forgets the world's contacts
    scene = makeAsleep();
    CHECK_EQ(pbdrBody_Wake(scene.world, scene.tower[0]), pbdr_statusOk);
    checkWoken(&scene, false);
}

static void wake__by_friction_restitution_filter_and_gravity(void)
{
    Scene scene = makeAsleep();
    pbdrBody_SetFriction(scene.world, scene.tower[0], 0.4); // as it is
    pbdrWorld_Step(scene.world, 1);
    CHECK_EQ(countTower(&scene), 3);
    pbdrBody_SetFriction(scene.world, scene.tower[0], 0.1);
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrBody_SetRestitution(scene.world, scene.tower[0], 0.5);
    checkWoken(&scene, false);
    scene = makeAsleep();
    pbdrPlane_SetFriction(scene.world, scene.ground, 0.1);
    checkWoken(&scene, true);
    scene = makeAsleep();
    pbdrPlane_SetRestitution(scene.world, scene.ground, 0.1);
    checkWoken(&scene, true);
    scene = makeAsleep();
    pbdrBody_SetFilter(scene.world, scene.tower[0], (pbdrFilter){2, UINT64_MAX});
    checkWoken(&scene, true);
    scene = makeAsleep();
    pbdrWorld_SetGravity(scene.world, pbdrVec(0.0, 0.0, -GRAVITY)); // as it is
    pbdrWorld_Step(scene.world, 1);
    CHECK_EQ(countTower(&scene), 3);
    pbdrWorld_SetGravity(scene.world, pbdrVec(1.0, 0.0, -GRAVITY));
    checkWoken(&scene, true);
    scene = makeAsleep();
    pbdrPlane_SetOffset(scene.world, scene.ground, -0.01);
    checkWoken(&scene, true);
    scene = makeAsleep();
    CHECK_EQ(pbdrWorld_SetSleeping(scene.world, false), pbdr_statusOk);
    checkWoken(&scene, true);
}

// What stood on it falls: g t^2/2.
static void wake__by_removal_of_a_support(void)
{
    Scene scene = makeAsleep();
    pbdrDestroyBody(scene.world, scene.tower[0]);
    pbdrWorld_Step(scene.world, 100);
    CHECK(!pbdrBody_IsAsleep(scene.world, scene.tower[1]));
    CHECK_NEAR(pbdrBody_GetPose(scene.world, scene.tower[1]).position.z, 0.3 - 0.5 * GRAVITY * 0.01, 1e-9);
    pbdrDestroyWorld(scene.world);
    scene = makeAsleep();
    pbdrDestroyPlane(scene.world, scene.ground);
    pbdrWorld_Step(scene.world, 100);
    CHECK_NEAR(pbdrBody_GetPose(scene.world, scene.alone).position.z, 0.1 - 0.5 * GRAVITY * 0.01, 1e-9);
    pbdrDestroyWorld(scene.world);
}

// A kinematic floor that sets off carries what sleeps on it, and what is carried does not fall asleep, however slowly.
static void wake__by_a_kinematic_body_that_moves(void)
{
    pbdrWorld* world = makeSleepy(1);
    pbdrBodyId floorBody = addFacedCube(world, 4, pbdr_bodyKinematic, 0.4, pbdrVec(0.0, 0.0, 0.0));
    pbdrBodyId box = addFacedCube(world, 4, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.2));
    pbdrWorld_Step(world, ASLEEP_AFTER);
    CHECK(pbdrBody_IsAsleep(world, box));
    pbdrBody_SetVelocity(world, floorBody, (pbdrVelocity){{5e-4, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    pbdrWorld_Step(world, 2000);
    CHECK(!pbdrBody_IsAsleep(world, box));
    CHECK_NEAR(pbdrBody_GetPose(world, box).position.x, 1e-3, 1e-6);
    pbdrBody_SetVelocity(world, floorBody, (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}});
    pbdrWorld_Step(world, ASLEEP_AFTER);
    CHECK(pbdrBody_IsAsleep(world, box));
    pbdrPose target = pbdrBody_GetPose(world, floorBody);
    target.position.z += 0.1;
    pbdrBody_SetTarget(world, floorBody, target, 0.5);
    pbdrWorld_Step(world, 1);
    CHECK(!pbdrBody_IsAsleep(world, box));
    pbdrWorld_Step(world, 600);
    CHECK_NEAR(pbdrBody_GetPose(world, box).position.z, 0.3, 1e-3);
    pbdrDestroyWorld(world);
}

// --- Bits, states, cost ---

// A heap that comes to rest in parts; later a ball wakes some of them.
static pbdrWorld* makeHeap(int threads, pbdrBodyId* ball)
{
    uint64_t seed = 5;
    pbdrWorld* world = makeSleepy(threads);
    addGround(world, 0.4);
    for (int k = 0; k < 12; k++) {
        pbdrBodyId box = addFacedCube(world, 3, pbdr_bodyDynamic, 0.4,
                                      pbdrVec(0.5 * (k % 4), 0.5 * (k / 4 % 2), 0.12 + 0.3 * (k / 8)));
        pbdrPose pose = pbdrBody_GetPose(world, box);
        pose.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), draw(&seed));
        pbdrBody_SetPose(world, box, pose);
    }
    *ball = addBall(world, 0.05, 1.0, 0.4, pbdrVec(-1.0, 0.0, 0.05), pbdrVec(0.0, 0.0, 0.0));
    return world;
}

static void bits__do_not_depend_on_threads_or_on_states(void)
{
    pbdrBodyId balls[4];
    pbdrWorld* worlds[4];
    const int threads[4] = {1, 2, 3, 1};
    for (int k = 0; k < 4; k++) {
        worlds[k] = makeHeap(threads[k], &balls[k]);
    }
    int most = 0, least = 13;
    bool same = true;
    for (int frame = 0; frame < 25; frame++) {
        for (int k = 0; k < 3; k++) {
            if (frame == 14) {
                pbdrBody_SetVelocity(worlds[k], balls[k], (pbdrVelocity){{3.0, 0.1, 0.0}, {0.0, 60.0, 0.0}});
            }
            pbdrWorld_Step(worlds[k], 100);
            same = same && pbdrWorld_GetHash(worlds[k]) == pbdrWorld_GetHash(worlds[0]);
        }
        const int asleep = pbdrWorld_CountAsleep(worlds[0]);
        most = asleep > most ? asleep : most;
        least = frame > 14 && asleep < least ? asleep : least;
        // the fourth goes on from the state of the first, which sleeps in parts
        size_t size;
        unsigned char* state = saveState(worlds[0], &size);
        pbdrError error;
        require(pbdrWorld_SetState(worlds[3], state, size, &error), &error);
        CHECK_EQ(pbdrWorld_CountAsleep(worlds[3]), asleep);
        free(state);
        pbdrWorld_Step(worlds[3], 37);
    }
    // and another 300 substeps from the same state
    size_t size;
    unsigned char* state = saveState(worlds[0], &size);
    pbdrError error;
    require(pbdrWorld_SetState(worlds[3], state, size, &error), &error);
    free(state);
    pbdrWorld_Step(worlds[0], 300);
    pbdrWorld_Step(worlds[3], 300);
    printf("    %d of 13 bodies slept; when the ball came, %d\n", most, least);
    CHECK(same);
    CHECK(haveSameState(worlds[0], worlds[3]));
    CHECK_GE(most, 12);
    CHECK_LE(least, 11);
    CHECK_GE(least, 1);
    for (int k = 0; k < 4; k++) {
        pbdrDestroyWorld(worlds[k]);
    }
}

static double getSubstepCost(pbdrWorld* world, int substeps)
{
    struct timespec begun, ended;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begun);
    pbdrWorld_Step(world, substeps);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ended);
    return ((double)(ended.tv_sec - begun.tv_sec) + 1e-9 * (double)(ended.tv_nsec - begun.tv_nsec)) /
           substeps;
}

// 400 boxes that sleep cost next to nothing; with one body that moves, the search for what it may meet.
static void cost__of_what_sleeps_is_small(void)
{
    pbdrWorld* world = makeSleepy(1);
    addGround(world, 0.4);
    pbdrShape* cube;
    pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, 4, &cube, NULL);
    for (int k = 0; k < 400; k++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.4 * (k % 20), 0.4 * (k / 20), 0.1);
        pbdrCreateBodyFromShape(world, &def, cube, NULL, NULL);
    }
    pbdrReleaseShape(cube);
    pbdrBodyId ball = addBall(world, 0.05, 1.0, 0.4, pbdrVec(-2.0, -2.0, 0.05), pbdrVec(0.0, 0.0, 0.0));
    pbdrWorld_Step(world, 100);
    const double awake = getSubstepCost(world, 200);
    pbdrWorld_Step(world, 600);
    CHECK_EQ(pbdrWorld_CountAsleep(world), 401);
    const double asleep = getSubstepCost(world, 2000);
    pbdrBody_SetVelocity(world, ball, (pbdrVelocity){{-1.0, 0.0, 0.0}, {0.0, -20.0, 0.0}});
    pbdrWorld_Step(world, 1);
    CHECK_EQ(pbdrWorld_CountAsleep(world), 400);
    const double one = getSubstepCost(world, 200);
    CHECK_EQ(pbdrWorld_CountAsleep(world), 400);
    printf("    a substep of 401 bodies: %.3g us awake, %.3g us asleep, %.3g us with one that rolls\n",
           1e6 * awake, 1e6 * asleep, 1e6 * one);
    CHECK_LE(asleep, 0.1 * awake);
    CHECK_LE(one, awake);
    pbdrDestroyWorld(world);
}

static void setting__is_refused_for_other_solvers(void)
{
    pbdrWorldDef def = makePbdRDef();
    pbdrWorld* world;
    pbdrError error;
    def.sleeping = true;
    CHECK_EQ(pbdrCreateWorld(&def, &world, &error), pbdr_statusInvalidArgument);
    CHECK(strstr(error.message, "sleeping") != NULL);
    def.sleeping = false;
    require(pbdrCreateWorld(&def, &world, &error), &error);
    CHECK_EQ(pbdrWorld_SetSleeping(world, true), pbdr_statusNotSupported);
    CHECK_EQ(pbdrWorld_SetSleeping(world, false), pbdr_statusOk);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sleep__is_off_by_default", sleep__is_off_by_default},
          {"sleep__keeps_poses_contacts_and_forces", sleep__keeps_poses_contacts_and_forces},
          {"sleep__is_for_what_rests", sleep__is_for_what_rests},
          {"wake__by_a_body_that_falls_on_it", wake__by_a_body_that_falls_on_it},
          {"wake__by_force_and_torque", wake__by_force_and_torque},
          {"wake__when_the_force_of_a_step_ends", wake__when_the_force_of_a_step_ends},
          {"wake__by_impulse_velocity_and_pose", wake__by_impulse_velocity_and_pose},
          {"wake__by_friction_restitution_filter_and_gravity",
           wake__by_friction_restitution_filter_and_gravity},
          {"wake__by_removal_of_a_support", wake__by_removal_of_a_support},
          {"wake__by_a_kinematic_body_that_moves", wake__by_a_kinematic_body_that_moves},
          {"bits__do_not_depend_on_threads_or_on_states", bits__do_not_depend_on_threads_or_on_states},
          {"cost__of_what_sleeps_is_small", cost__of_what_sleeps_is_small},
          {"setting__is_refused_for_other_solvers", setting__is_refused_for_other_solvers});
}
