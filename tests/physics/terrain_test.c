// Static bodies of open meshes: heightfields, bins and tables.
#include "xpbdr_scenes.h"

// A static body whose surface is this mesh, in world coordinates. Frees the mesh.
static void addOpenMesh(pbdrWorld* world, pbdrMesh* mesh, pbdrMeshSides sides, pbdrStatus wanted,
                        pbdrBodyKind kind)
{
    const pbdrVec3 centre = {0.0, 0.0, -1.0};
    const double radius = 0.01, mass = 1.0;
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 1; // nobody touches it
    def.positions = &centre;
    def.radii = &radius;
    def.masses = &mass;
    def.surface.kind = pbdr_surfaceMesh;
    def.surface.mesh = mesh;
    def.surface.sides = sides;
    def.surface.maxPoints = 0;
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateShape(&def, &shape, &error), &error);
    pbdrBodyDef body = pbdrDefaultBodyDef();
    body.kind = kind;
    body.position = centre;
    CHECK_EQ(pbdrCreateBodyFromShape(world, &body, shape, NULL, &error), wanted);
    if (wanted != pbdr_statusOk) {
        CHECK_TEXT(error.message, "open mesh");
    }
    pbdrReleaseShape(shape);
    pbdrMesh_Free(mesh);
}

// A valley z = x^2/2 along y, sampled every 5 cm, 2 m wide.
static pbdrMesh makeValley(void)
{
    enum { SIDE = 41 };
    double heights[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        double x = 0.05 * (i % SIDE) - 1.0;
        heights[i] = 0.5 * x * x;
    }
    pbdrMesh mesh = {0};
    pbdrError error;
    require(pbdrMakeHeightfieldMesh(heights, SIDE, SIDE, 0.05, pbdrVec(-1.0, -1.0, 0.0), NULL, &mesh, &error),
            &error);
    return mesh;
}

static pbdrBodyId addShape(pbdrWorld* world, pbdrShape* shape, pbdrVec3 position, double friction)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = position;
    def.friction = friction;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

// Without friction energy is kept in the valley but for what the bends between cells take: a ball let go at x =
// -0.5 comes to a like height on the other side and never higher.
static void ball__swings_in_a_valley(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    pbdrMesh mesh = makeValley();
    addOpenMesh(world, &mesh, pbdr_meshOneSided, pbdr_statusOk, pbdr_bodyStatic);
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBallShape(0.05, 1.0, &shape, &error), &error);
    pbdrBodyId ball = addShape(world, shape, pbdrVec(-0.5, 0.013, 0.125 + 0.06), 0.0);
    double farthest = 0.0, deepest = 1.0;
    for (int k = 0; k < 2000; k++) {
        CHECK_EQ(stepCounting(world, 1), 0);
        pbdrVec3 x = pbdrBody_GetPose(world, ball).position;
        farthest = fmax(farthest, x.x);
        deepest = fmin(deepest, x.z - 0.5 * x.x * x.x);
    }
    printf("    swings to x = %.3f m, never nearer than %.4f m\n", farthest, deepest);
    CHECK_GE(farthest, 0.25);
    CHECK_LE(farthest, 0.5);
    CHECK_GE(deepest, 0.05 - 1e-3); // of its radius, as chords of 5 cm lie over the parabola
    pbdrDestroyWorld(world);
}

static void box__rests_in_a_valley(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    pbdrMesh mesh = makeValley();
    addOpenMesh(world, &mesh, pbdr_meshOneSided, pbdr_statusOk, pbdr_bodyStatic);
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.1), 2.0, 3, &shape, &error), &error);
    pbdrBodyId box = addShape(world, shape, pbdrVec(0.0, 0.0, 0.1), 0.5);
    stepCounting(world, 2000);
    CHECK_EQ(stepCounting(world, 100), 0);
    CHECK_LE(getTopSpeed(world, box), 1e-12);
    // its lower edges, at x = +-0.1, stand on nodes of the terrain, 5 mm up; friction holds it where it landed, which
    // the nodes, each with several normals, leave to rounding
    CHECK_NEAR(pbdrBody_GetPose(world, box).position.z, 0.05 + 0.005, 2e-7);
    pbdrDestroyWorld(world);
}

// An open bin of five faces that look inwards: what is thrown into it stays in it.
static void bin__keeps_what_is_in_it(void)
{
    const double w = 0.2, h = 0.3;
    const pbdrVec3 corners[8] = {{-w, -w, 0.0}, {w, -w, 0.0}, {w, w, 0.0}, {-w, w, 0.0},
                                 {-w, -w, h},   {w, -w, h},   {w, w, h},   {-w, w, h}};
    const int32_t triangles[10][3] = {{0, 1, 2}, {0, 2, 3}, {0, 4, 5}, {0, 5, 1}, {1, 5, 6},
                                      {1, 6, 2}, {2, 6, 7}, {2, 7, 3}, {3, 7, 4}, {3, 4, 0}};
    pbdrMesh mesh = {0};
    pbdrError error;
    require(pbdrCreateMesh(corners, 8, triangles, 10, NULL, &mesh, NULL, &error), &error);
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addOpenMesh(world, &mesh, pbdr_meshOneSided, pbdr_statusOk, pbdr_bodyStatic);
    pbdrBodyId ids[6];
    for (int k = 0; k < 6; k++) {
        pbdrShape* shape;
        if (k % 2 == 0) {
            require(pbdrCreateBallShape(0.04, 0.5, &shape, &error), &error);
        } else {
            require(pbdrCreateBoxShape(pbdrVec(0.08, 0.06, 0.05), 0.5, 2, &shape, &error), &error);
        }
        ids[k] =
            addShape(world, shape, pbdrVec(0.1 * (k % 3) - 0.1, 0.1 * (k / 3) - 0.05, 0.1 + 0.05 * k), 0.5);
        CHECK_EQ(pbdrBody_SetVelocity(world, ids[k], (pbdrVelocity){{k - 2.5, 1.0, -1.0}, {3.0, k, 1.0}}),
                 pbdr_statusOk);
    }
    pbdrWorld_Step(world, 3000);
    for (int k = 0; k < 6; k++) {
        pbdrVec3 x = pbdrBody_GetPose(world, ids[k]).position;
        CHECK_LE(fmax(fabs(x.x), fabs(x.y)), w);
        CHECK_GE(x.z, 0.02);
        CHECK_LE(x.z, h);
    }
    pbdrDestroyWorld(world);
}

static void open_mesh__is_for_bodies_that_contact_does_not_move(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
    pbdrMesh mesh = makeValley();
    addOpenMesh(world, &mesh, pbdr_meshOneSided, pbdr_statusInvalidArgument, pbdr_bodyDynamic);
    mesh = makeValley();
    addOpenMesh(world, &mesh, pbdr_meshOneSided, pbdr_statusOk, pbdr_bodyKinematic);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"ball__swings_in_a_valley", ball__swings_in_a_valley},
          {"box__rests_in_a_valley", box__rests_in_a_valley},
          {"bin__keeps_what_is_in_it", bin__keeps_what_is_in_it},
          {"open_mesh__is_for_bodies_that_contact_does_not_move",
           open_mesh__is_for_bodies_that_contact_does_not_move});
}
