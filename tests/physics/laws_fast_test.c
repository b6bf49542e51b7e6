// Laws of fast bodies that touch by their surfaces: what is hit stops them, however thin and however fast, and
// what they miss does not bend their path.
#include "physics/laws.h"

static const double speeds[5] = {1.0, 10.0, 50.0, 99.0, 300.0};
static const char* const names[3] = {"ball", "box", "cylinder"};

// A ball of 1 cm, a cube of 2 cm, a cylinder of 2 cm by 5 cm.
static pbdrShape* makeBullet(int kind)
{
    pbdrShape* shape;
    pbdrError error;
    switch (kind) {
    case 0:
        require(pbdrCreateBallShape(0.01, 0.1, &shape, &error), &error);
        break;
    case 1:
        require(pbdrCreateBoxShape(pbdrVec(0.02, 0.02, 0.02), 0.1, 2, &shape, &error), &error);
        break;
    default:
        require(pbdrCreateCylinderShape(0.02, 0.05, 0.1, 2, &shape, &error), &error);
        break;
    }
    return shape;
}

// A cube of 0.2 m, or a plate of 0.4 m that is `height` thick: of one small sphere, for a thin box of spheres
// would have a hundred thousand.
static pbdrShape* makeTarget(double height)
{
    pbdrShape* shape;
    pbdrError error;
    if (height == 0.2) {
        require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 1.0, 1, &shape, &error), &error);
        return shape;
    }
    const pbdrVec3 middle = {0.0, 0.0, 0.0};
    const double radius = 0.5 * height, mass = 1.0;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 1;
    def.positions = &middle;
    def.radii = &radius;
    def.masses = &mass;
    def.surface.kind = pbdr_surfaceBox;
    def.surface.half = pbdrVec(0.2, 0.2, 0.5 * height);
    def.surface.counts[0] = def.surface.counts[1] = 40; // 1 cm apart: finer than what hits it
    def.surface.counts[2] = 1;
    require(pbdrCreateShape(&def, &shape, &error), &error);
    return shape;
}

static pbdrBodyId addShaped(pbdrWorld* world, pbdrShape* shape, pbdrBodyDef def)
{
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

typedef struct Shot {
    pbdrWorld* world;
    pbdrBodyId bullet;
    double lowest;   // z of its centre [m]
    int unconverged; // substeps
    uint32_t flags;  // others
    pbdrPose start;
    pbdrVelocity velocity;
    double time; // flown [s]
} Shot;

// Without gravity, down from z = 0.5 m at a static box of this height about the origin, at x; until it would
// be 0.7 m beyond.
static Shot shoot(int kind, double speed, double height, double x, pbdrVec3 spin)
{
    Shot shot = {.world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3), .lowest = 1.0};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyStatic;
    addShaped(shot.world, makeTarget(height), def);
    def = pbdrDefaultBodyDef();
    def.position = pbdrVec(x, 0.027, 0.5);
    def.rotation = kind == 0 ? (pbdrQuat){1.0, 0.0, 0.0, 0.0} : (pbdrQuat){0.9, 0.3, 0.2, sqrt(0.06)};
    def.velocity = (pbdrVelocity){pbdrVec(0.0, 0.0, -speed), spin};
    shot.start = (pbdrPose){def.position, def.rotation};
    shot.velocity = def.velocity;
    shot.bullet = addShaped(shot.world, makeBullet(kind), def);
    const int steps = (int)(1200.0 / speed) + 50;
    for (int i = 0; i < steps; i++) {
        const uint32_t flags = pbdrWorld_Step(shot.world, 1);
        shot.unconverged += (flags & pbdr_stepNotConverged) != 0;
        shot.flags |= flags & ~(uint32_t)pbdr_stepNotConverged;
        shot.lowest = fmin(shot.lowest, pbdrBody_GetPose(shot.world, shot.bullet).position.z);
    }
    shot.time = 1e-3 * steps;
    return shot;
}

static void checkStopped(int kind, double speed, double height, double x, pbdrVec3 spin)
{
    Shot shot = shoot(kind, speed, height, x, spin);
    pbdrVelocity v = pbdrBody_GetVelocity(shot.world, shot.bullet);
    // its centre stays above the middle of what it hit, and it does not gain energy
    if (shot.lowest < (height < 0.01 ? 0.0 : 0.09) || !(pbdrLength(v.linear) <= speed * (1.0 + 1e-9))) {
        printf("    %s at %g m/s, %g m thick: as low as z = %.4f m, ends at %.3g m/s\n", names[kind], speed,
               height, shot.lowest, pbdrLength(v.linear));
        checkFailures++;
    }
    if (height == 0.2) {
        CHECK_LE(shot.unconverged, 12); // measured: 4; thin plates have more, all of them flagged
    }
    CHECK_EQ(shot.flags, 0);
    pbdrDestroyWorld(shot.world);
}

static void bullets__do_not_pass_a_box(void)
{
    for (int kind = 0; kind < 3; kind++) {
        for (int k = 0; k < 5; k++) {
            checkStopped(kind, speeds[k], 0.2, 0.031, pbdrVec(0.0, 0.0, 0.0));
        }
    }
}

static void bullets__do_not_pass_a_plate_of_1_mm(void)
{
    for (int kind = 0; kind < 3; kind++) {
        for (int k = 0; k < 5; k++) {
            checkStopped(kind, speeds[k], 0.001, 0.031, pbdrVec(0.0, 0.0, 0.0));
        }
    }
}

static void spinning_bullets__do_not_pass(void)
{
    for (int kind = 1; kind < 3; kind++) {
        for (int k = 0; k < 5; k++) {
            checkStopped(kind, speeds[k], 0.2, 0.031, pbdrVec(40.0, -25.0, 10.0));
        }
    }
}

// Past the box's side, some 15 mm clear of it: the path is straight and the speed stays, to rounding.
static void misses__fly_on_undisturbed(void)
{
    const double reaches[3] = {0.01, 0.01 * sqrt(3.0), sqrt(0.02 * 0.02 + 0.025 * 0.025)};
    for (int kind = 0; kind < 3; kind++) {
        for (int k = 0; k < 5; k++) {
            Shot shot = shoot(kind, speeds[k], 0.2, 0.1 + reaches[kind] + 0.015, pbdrVec(0.0, 0.0, 0.0));
            pbdrVelocity v = pbdrBody_GetVelocity(shot.world, shot.bullet);
            pbdrPose pose = pbdrBody_GetPose(shot.world, shot.bullet);
            CHECK_LE(distance(v.linear, shot.velocity.linear), 1e-12);
            CHECK_LE(pbdrLength(v.angular), 1e-12);
            CHECK_LE(distance(pose.position, pbdrAddScaled(shot.start.position, shot.time, v.linear)), 1e-12);
            CHECK_LE(angleBetween(pose.rotation, shot.start.rotation), 1e-12);
            CHECK_EQ(shot.unconverged + (int)shot.flags, 0);
            pbdrDestroyWorld(shot.world);
        }
    }
}

// Two balls that pass each other crosswise, and two that meet: by their paths, not by where they start.
static void crossing_balls__meet_where_their_paths_say(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        const double ahead = k == 0 ? 0.05 : 0.0; // the second is 5 cm late, or in time
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(-0.2, 0.0, 0.0);
        def.velocity.linear = pbdrVec(100.0, 0.0, 0.0);
        pbdrBodyId first = addShaped(world, makeBullet(0), def);
        def.position = pbdrVec(0.0, -0.2 - ahead, 0.0);
        def.velocity.linear = pbdrVec(0.0, 100.0, 0.0);
        pbdrBodyId second = addShaped(world, makeBullet(0), def);
        CHECK_EQ(pbdrWorld_Step(world, 10), 0);
        pbdrVec3 a = pbdrBody_GetVelocity(world, first).linear,
                 b = pbdrBody_GetVelocity(world, second).linear;
        double change = distance(a, pbdrVec(100.0, 0.0, 0.0));
        if (k == 0) {
            CHECK_LE(change, 1e-11);
        } else {
            CHECK_GE(change, 10.0);
        }
        CHECK_LE(distance(pbdrAdd(a, b), pbdrVec(100.0, 100.0, 0.0)), 1e-11); // equal masses
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"bullets__do_not_pass_a_box", bullets__do_not_pass_a_box},
          {"bullets__do_not_pass_a_plate_of_1_mm", bullets__do_not_pass_a_plate_of_1_mm},
          {"spinning_bullets__do_not_pass", spinning_bullets__do_not_pass},
          {"misses__fly_on_undisturbed", misses__fly_on_undisturbed},
          {"crossing_balls__meet_where_their_paths_say", crossing_balls__meet_where_their_paths_say});
}
