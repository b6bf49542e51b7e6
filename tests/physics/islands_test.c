// XPBD-R on islands of many bodies: towers that are set down out of line, heavy on light, piles that come to rest.
#include "surfaces.h"
#include "xpbdr_scenes.h"

#define MANY 64

typedef struct Scene {
    pbdrWorld* world;
    pbdrBodyId boxes[MANY];
    pbdrPose starts[MANY];
    int count;
} Scene;

static pbdrShape* makeBrick(double mass)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), mass, 4, &shape, &error), &error);
    return shape;
}

static void addTo(Scene* scene, pbdrShape* shape, pbdrVec3 position, pbdrQuat rotation)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.friction = 0.4;
    def.position = position;
    def.rotation = rotation;
    pbdrError error;
    require(pbdrCreateBodyFromShape(scene->world, &def, shape, &scene->boxes[scene->count], &error), &error);
    scene->starts[scene->count++] = (pbdrPose){position, rotation};
}

static double getMoved(const Scene* scene)
{
    double moved = 0.0;
    for (int k = 0; k < scene->count; k++) {
        pbdrVec3 now = pbdrBody_GetPose(scene->world, scene->boxes[k]).position;
        moved = fmax(moved, distance(now, scene->starts[k].position));
    }
    return moved;
}

static double getFastest(const Scene* scene)
{
    double fastest = 0.0;
    for (int k = 0; k < scene->count; k++) {
        fastest = fmax(fastest, getTopSpeed(scene->world, scene->boxes[k]));
    }
    return fastest;
}

static double sumEnergy(const Scene* scene)
{
    double energy = 0.0;
    for (int k = 0; k < scene->count; k++) {
        const pbdrBodyId box = scene->boxes[k];
        const pbdrVelocity v = pbdrBody_GetVelocity(scene->world, box);
        const pbdrMomentum p = pbdrBody_GetMomentum(scene->world, box);
        energy +=
            pbdrBody_GetMass(scene->world, box) * GRAVITY * pbdrBody_GetPose(scene->world, box).position.z;
        energy += 0.5 * (pbdrDot(p.linear, v.linear) + pbdrDot(p.angular, v.angular));
    }
    return energy;
}

// Up to 1 cm and 0.1 rad out of line: it stands. With contacts as stiff as one body's it trembled for ever, from ten
// boxes on.
static void checkTower(int count, double jitter, int substeps, double bar, double speed)
{
    seedSurfaces(7);
    Scene scene = {.world = makeConvergedOnGround(0.4)};
    pbdrShape* shape = makeBrick(4.0);
    for (int k = 0; k < count; k++) {
        const double turn = jitter * randomIn(-0.05, 0.05);
        const pbdrVec3 place = {jitter * randomIn(-0.01, 0.01), jitter * randomIn(-0.01, 0.01),
                                0.1 + 0.2 * k};
        addTo(&scene, shape, place, (pbdrQuat){cos(turn), 0.0, 0.0, sin(turn)});
    }
    pbdrReleaseShape(shape);
    CHECK_EQ(stepCounting(scene.world, substeps), 0);
    const double moved = getMoved(&scene), fastest = getFastest(&scene);
    printf("    %d boxes, jitter %g: moved %.2g m, %.2g m/s at the end\n", count, jitter, moved, fastest);
    CHECK_LE(moved, bar);
    CHECK_LE(fastest, speed);
    pbdrDestroyWorld(scene.world);
}

static void tower__stands_however_it_is_set_down(void)
{
    checkTower(10, 0.0, 1000, 1e-12, 1e-12);
    checkTower(20, 0.0, 500, 1e-12, 2e-12);
    checkTower(10, 1.0, 1000, 1e-11, 2e-12);
    checkTower(20, 1.0, 500, 1e-11, 3e-12);
    checkTower(50, 1.0, 200, 1e-8, 3e-5);
}

static void heavy__box_on_light_ones_stays(void)
{
    for (double ratio = 100.0; ratio < 1.0e5; ratio *= 10.0) {
        Scene scene = {.world = makeConvergedOnGround(0.4)};
        pbdrShape *light = makeBrick(4.0), *heavy = makeBrick(4.0 * ratio);
        for (int k = 0; k < 6; k++) {
            addTo(&scene, k < 5 ? light : heavy, pbdrVec(0.0, 0.0, 0.1 + 0.2 * k),
                  (pbdrQuat){1.0, 0.0, 0.0, 0.0});
        }
        pbdrReleaseShape(light);
        pbdrReleaseShape(heavy);
        CHECK_EQ(stepCounting(scene.world, 500), 0);
        printf("    %g : 1: moved %.2g m, %.2g m/s at the end\n", ratio, getMoved(&scene),
               getFastest(&scene));
        CHECK_LE(getMoved(&scene), 1e-11);
        CHECK_LE(getFastest(&scene), 1e-11);
        pbdrDestroyWorld(scene.world);
    }
}

// 27 boxes out of a loose grid, turned at random: energy falls, but for what sweeps leave of overlaps, and they come to
// rest.
static void pile__loses_energy_and_comes_to_rest(void)
{
    seedSurfaces(12);
    Scene scene = {.world = makeConvergedOnGround(0.4)};
    pbdrShape* shape = makeBrick(4.0);
    for (int k = 0; k < 27; k++) {
        const pbdrVec3 place = {0.35 * (k % 3) + randomIn(0.0, 0.02),
                                0.35 * (k / 3 % 3) + randomIn(0.0, 0.02), 0.2 + 0.35 * (k / 9)};
        addTo(&scene, shape, place,
              pbdrNormalizeQ((pbdrQuat){randomIn(-1.0, 1.0), randomIn(-1.0, 1.0), randomIn(-1.0, 1.0),
                                        randomIn(-1.0, 1.0)}));
    }
    pbdrReleaseShape(shape);
    const double start = sumEnergy(&scene);
    double lowest = start, rise = 0.0;
    int flagged = 0;
    for (int k = 0; k < 3500; k++) {
        flagged += pbdrWorld_Step(scene.world, 1) != 0;
        const double energy = sumEnergy(&scene);
        rise = fmax(rise, energy - lowest);
        lowest = fmin(lowest, energy);
    }
    printf(
        "    energy rises by %.2g of its start at most, %d of 3500 substeps flagged, %.2g m/s at the end\n",
        rise / start, flagged, getFastest(&scene));
    CHECK_LE(rise, 1e-7 * start);
    CHECK_LE(flagged, 35);
    CHECK_LE(getFastest(&scene), 1e-8);
    pbdrDestroyWorld(scene.world);
}

// Very many items are worked on in a window: no bit changes, and memory goes with what contacts carry. A thousand boxes
// that slide, each on 81 spheres, against one of them alone.
static void window__changes_no_bit_and_saves_memory(void)
{
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, 9, &shape, &error), &error);
    pbdrPose ends[2];
    size_t bytes[2];
    for (int k = 0; k < 2; k++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = pbdr_solverXpbdR;
        def.contact = pbdr_contactSpheres;
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.4);
        pbdrBodyId last = {0};
        for (int i = k == 0 ? 0 : 999; i < 1000; i++) {
            pbdrBodyDef body = pbdrDefaultBodyDef();
            body.friction = 0.4;
            body.position = pbdrVec(0.5 * (i % 32), 0.5 * (i / 32), 0.1);
            body.velocity.linear = pbdrVec(0.3, -0.1, -0.01);
            body.velocity.angular = pbdrVec(0.0, 0.0, 1.5);
            require(pbdrCreateBodyFromShape(world, &body, shape, &last, &error), &error);
        }
        CHECK_EQ(stepCounting(world, 30), 0);
        CHECK_GE(pbdrWorld_GetContacts(world, NULL, 0), k == 0 ? 80000 : 80);
        ends[k] = pbdrBody_GetPose(world, last);
        bytes[k] = pbdrWorld_GetByteCount(world);
        pbdrDestroyWorld(world);
    }
    pbdrReleaseShape(shape);
    CHECK_EQ(memcmp(&ends[0], &ends[1], sizeof ends[0]), 0);
    printf("    1000 boxes on 81 spheres each: %.1f MB\n", 1e-6 * (double)bytes[0]);
    CHECK_LE((double)bytes[0], 12e6);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"tower__stands_however_it_is_set_down", tower__stands_however_it_is_set_down},
          {"heavy__box_on_light_ones_stays", heavy__box_on_light_ones_stays},
          {"window__changes_no_bit_and_saves_memory", window__changes_no_bit_and_saves_memory},
          {"pile__loses_energy_and_comes_to_rest", pile__loses_energy_and_comes_to_rest});
}
