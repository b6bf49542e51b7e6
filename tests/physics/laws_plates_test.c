// Laws of thin plates and sheets: what is shot at them in any pose, with any spin, stays on the side that it came from,
// and so does what is pressed into them until its centre has passed.
#include "physics/laws.h"

#include "math/random.h"

enum { BALL, BOX, CYLINDER, CAPSULE, MESH, BULLET_COUNT };
static const char* const bulletNames[BULLET_COUNT] = {"ball", "box", "cylinder", "capsule", "mesh"};

enum { FIXED_PLATE, BRIDGE, FREE_PLATE, SHEET, TARGET_COUNT };
static const char* const targetNames[TARGET_COUNT] = {"fixed plate", "plate on two beams", "plate that flies",
                                                      "sheet"};

#define HALF_SIDE 0.2      // of plates and sheets [m]
#define HALF_HEIGHT 0.0005 // of plates [m]
#define BEAM_HEIGHT 0.1    // [m]
#define SHOTS 14           // for each bullet and target
#define MAX_SPEED 100.0    // [m/s]
#define MAX_SPIN 100.0     // about each axis [rad/s]

// --- Shapes ---

// An L of 4 cm, 2 cm high, of bars 1.5 cm wide: not convex.
static pbdrShape* makeL(void)
{
    static const double outline[6][2] = {{-0.02, -0.02},   {0.02, -0.02},  {0.02, -0.005},
                                         {-0.005, -0.005}, {-0.005, 0.02}, {-0.02, 0.02}};
    static const double places[5][2] = {
        {-0.0125, -0.0125}, {0.0, -0.0125}, {0.0125, -0.0125}, {-0.0125, 0.0}, {-0.0125, 0.0125}};
    pbdrVec3 vertices[12], positions[10];
    int32_t triangles[20][3];
    double radii[10], masses[10];
    int count = 0;
    for (int k = 0; k < 12; k++) {
        vertices[k] = pbdrVec(outline[k % 6][0], outline[k % 6][1], k < 6 ? -0.01 : 0.01);
    }
    for (int k = 1; k < 5; k++, count += 2) { // fans about the corner 0, which sees all others
        const int32_t lower[3] = {0, k + 1, k}, upper[3] = {6, 6 + k, 7 + k};
        memcpy(triangles[count], lower, sizeof lower);
        memcpy(triangles[count + 1], upper, sizeof upper);
    }
    for (int k = 0; k < 6; k++, count += 2) {
        const int next = (k + 1) % 6;
        const int32_t first[3] = {k, next, next + 6}, second[3] = {k, next + 6, k + 6};
        memcpy(triangles[count], first, sizeof first);
        memcpy(triangles[count + 1], second, sizeof second);
    }
    for (int k = 0; k < 10; k++) {
        positions[k] = pbdrVec(places[k % 5][0], places[k % 5][1], k < 5 ? -0.005 : 0.005);
        radii[k] = 0.005;
        masses[k] = 0.01;
    }
    const pbdrMesh mesh = {
        .vertexCount = 12, .vertices = vertices, .triangleCount = count, .triangles = triangles};
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 10;
    def.positions = positions;
    def.radii = radii;
    def.masses = masses;
    def.surface.kind = pbdr_surfaceMesh;
    def.surface.mesh = &mesh;
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateShape(&def, &shape, &error), &error);
    return shape;
}

// Of 0.1 kg, 2 to 6 cm in size.
static pbdrShape* makeBullet(int kind)
{
    pbdrShape* shape = NULL;
    pbdrError error = {0};
    switch (kind) {
    case BALL:
        require(pbdrCreateBallShape(0.01, 0.1, &shape, &error), &error);
        break;
    case BOX:
        require(pbdrCreateBoxShape(pbdrVec(0.02, 0.02, 0.02), 0.1, 2, &shape, &error), &error);
        break;
    case CYLINDER:
        require(pbdrCreateCylinderShape(0.02, 0.05, 0.1, 2, &shape, &error), &error);
        break;
    case CAPSULE:
        require(pbdrCreateCapsuleShape(0.01, 0.04, 0.1, &shape, &error), &error);
        break;
    default:
        return makeL();
    }
    return shape;
}

// A square of 0.4 m and 1 kg about the origin: a plate of 1 mm, with points 4 cm apart, or an open mesh of 8 x 8 cells.
static pbdrShape* makeTarget(int kind)
{
    enum { CELLS = 8, SIDE = CELLS + 1 };
    const pbdrVec3 middle = {0.0, 0.0, 0.0};
    const double radius = HALF_HEIGHT, mass = 1.0;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 1;
    def.positions = &middle;
    def.radii = &radius;
    def.masses = &mass;
    const double across = HALF_SIDE * HALF_SIDE / 3.0;
    def.extraInertia = diagonal(across, across, 2.0 * across);
    pbdrVec3 vertices[SIDE * SIDE];
    int32_t triangles[2 * CELLS * CELLS][3];
    for (int k = 0; k < SIDE * SIDE; k++) {
        vertices[k] = pbdrVec(HALF_SIDE * (2.0 * (k % SIDE) / CELLS - 1.0),
                              HALF_SIDE * (2.0 * (k / SIDE) / CELLS - 1.0), 0.0);
    }
    for (int k = 0; k < CELLS * CELLS; k++) {
        const int32_t at = k / CELLS * SIDE + k % CELLS;
        const int32_t cell[2][3] = {{at, at + 1, at + SIDE + 1}, {at, at + SIDE + 1, at + SIDE}};
        memcpy(triangles[2 * k], cell, sizeof cell);
    }
    const pbdrMesh mesh = {.vertexCount = SIDE * SIDE,
                           .vertices = vertices,
                           .triangleCount = 2 * CELLS * CELLS,
                           .triangles = triangles};
    if (kind == SHEET) {
        def.surface.kind = pbdr_surfaceMesh;
        def.surface.mesh = &mesh;
        def.surface.sides = pbdr_meshTwoSided;
    } else {
        def.surface.kind = pbdr_surfaceBox;
        def.surface.half = pbdrVec(HALF_SIDE, HALF_SIDE, HALF_HEIGHT);
        def.surface.counts[0] = def.surface.counts[1] = 10;
        def.surface.counts[2] = 1;
    }
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateShape(&def, &shape, &error), &error);
    return shape;
}

static pbdrBodyId addShaped(pbdrWorld* world, pbdrShape* shape, const pbdrBodyDef* def)
{
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

// Without gravity; a bridge lies on two beams on the ground, which leave its middle free.
static pbdrWorld* makeScene(int target, pbdrBodyId* plate)
{
    const bool isBridge = target == BRIDGE;
    pbdrWorld* world = isBridge ? makeConvergedOnGround(0.5) : makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyStatic;
    for (int side = -1; isBridge && side <= 1; side += 2) {
        pbdrShape* beam;
        pbdrError error;
        require(pbdrCreateBoxShape(pbdrVec(0.04, 0.4, BEAM_HEIGHT), 1.0, 1, &beam, &error), &error);
        def.position = pbdrVec(0.18 * side, 0.0, 0.5 * BEAM_HEIGHT);
        addShaped(world, beam, &def);
    }
    def.kind = isBridge || target == FREE_PLATE ? pbdr_bodyDynamic : pbdr_bodyStatic;
    def.position = pbdrVec(0.0, 0.0, isBridge ? BEAM_HEIGHT + HALF_HEIGHT : 0.0);
    *plate = addShaped(world, makeTarget(target), &def);
    return world;
}

// Over the plate and on the wrong side of it?
static bool isThrough(const pbdrWorld* world, pbdrBodyId plate, pbdrBodyId bullet)
{
    const pbdrPose pose = pbdrBody_GetPose(world, plate);
    const pbdrMat3 frame = pbdrMatFromQuat(pose.rotation);
    const pbdrVec3 apart = pbdrSub(pbdrBody_GetPose(world, bullet).position, pose.position);
    const pbdrVec3 place = pbdrMulTransposedMV(&frame, apart);
    return fabs(place.x) < HALF_SIDE && fabs(place.y) < HALF_SIDE && place.z < 0.0;
}

// --- Shots ---

static double between(uint64_t* random, double from, double to)
{
    return from + (to - from) * pbdrNextUniform(random);
}

static pbdrVec3 drawVec(uint64_t* random, double size)
{
    double x = between(random, -size, size), y = between(random, -size, size);
    return pbdrVec(x, y, between(random, -size, size));
}

// Speeds from 1 m/s up, as many in each octave; up to 8 degrees off the normal.
static bool passes(int target, int bullet, uint64_t* random)
{
    pbdrBodyId plate;
    pbdrWorld* world = makeScene(target, &plate);
    const double speed = pow(MAX_SPEED, pbdrNextUniform(random));
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = drawVec(random, 0.1);
    def.position.z = between(random, 0.05, 0.15) + (target == BRIDGE ? BEAM_HEIGHT : 0.0);
    const pbdrVec3 axis = drawVec(random, 1.0);
    def.rotation = pbdrNormalizeQ((pbdrQuat){between(random, -1.0, 1.0), axis.x, axis.y, axis.z});
    def.velocity = (pbdrVelocity){drawVec(random, 0.15 * speed), drawVec(random, MAX_SPIN)};
    def.velocity.linear.z = -speed;
    const pbdrBodyId id = addShaped(world, makeBullet(bullet), &def);
    bool passed = false;
    uint32_t flags = 0;
    const int steps = (int)(200.0 / speed) + 20;
    for (int k = 0; k < steps && !passed; k++) {
        flags |= pbdrWorld_Step(world, 1) & ~(uint32_t)pbdr_stepNotConverged; // plates are slow to converge
        passed = isThrough(world, plate, id);
    }
    CHECK_EQ(flags, 0);
    pbdrDestroyWorld(world);
    if (passed) {
        printf("    a %s at %g m/s passes a %s\n", bulletNames[bullet], speed, targetNames[target]);
    }
    return passed;
}

static void checkTarget(int target)
{
    uint64_t random = (uint64_t)target + 1;
    for (int bullet = 0; bullet < BULLET_COUNT; bullet++) {
        for (int shot = 0; shot < SHOTS; shot++) {
            checkFailures += passes(target, bullet, &random);
        }
    }
}

static void fixed_plates__stop_random_shots(void)
{
    checkTarget(FIXED_PLATE);
}

static void bridges__stop_random_shots(void)
{
    checkTarget(BRIDGE);
}

static void flying_plates__stop_random_shots(void)
{
    checkTarget(FREE_PLATE);
}

static void sheets__stop_random_shots(void)
{
    checkTarget(SHEET);
}

// --- Pressing ---

// A ram that no force stops presses a body into a plate by up to its half height, and lets go: it comes back up, in
// a quarter of a second. Sweeps take a fifth of an overlap back in a substep: the slowest comes at 0.09 m/s.
static void pressed_bodies__come_back(void)
{
    const double heights[BULLET_COUNT] = {0.02, 0.02, 0.05, 0.06}, depths[4] = {0.001, 0.005, 0.009, 0.015};
    for (int k = 0; k < 4 * MESH * 2; k++) {
        const int bullet = k % MESH, target = k / MESH % 2 == 0 ? FIXED_PLATE : SHEET;
        const double depth = depths[k / (2 * MESH)], top = target == SHEET ? 0.0 : HALF_HEIGHT;
        pbdrBodyId plate;
        pbdrWorld* world = makeScene(target, &plate);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.013, 0.017, top + 0.5 * heights[bullet]);
        const pbdrBodyId body = addShaped(world, makeBullet(bullet), &def);
        pbdrShape* ram;
        pbdrError error;
        require(pbdrCreateBoxShape(pbdrVec(0.1, 0.1, 0.1), 1.0, 2, &ram, &error), &error);
        def.kind = pbdr_bodyKinematic;
        def.position = pbdrVec(0.003, 0.002, top + heights[bullet] + 0.05);
        def.velocity.linear.z = -0.1;
        const pbdrBodyId id = addShaped(world, ram, &def);
        pbdrWorld_Step(world, (int)(depth / 0.1e-3));
        pbdrBody_SetVelocity(world, id, (pbdrVelocity){pbdrVec(0.0, 0.0, 0.5), pbdrVec(0.0, 0.0, 0.0)});
        pbdrWorld_Step(world, 250);
        const double z = pbdrBody_GetPose(world, body).position.z;
        if (!(z > top + 0.5 * heights[bullet] - 1e-4)) {
            printf("    a %s pressed by %g m into a %s ends at z = %.4f m\n", bulletNames[bullet], depth,
                   targetNames[target], z);
            checkFailures++;
        }
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"fixed_plates__stop_random_shots", fixed_plates__stop_random_shots},
          {"bridges__stop_random_shots", bridges__stop_random_shots},
          {"flying_plates__stop_random_shots", flying_plates__stop_random_shots},
          {"sheets__stop_random_shots", sheets__stop_random_shots},
          {"pressed_bodies__come_back", pressed_bodies__come_back});
}
