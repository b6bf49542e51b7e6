// Contact that knows the surface: a flat face made of spheres is flat to another body.
#include "xpbdr_scenes.h"

// The ball slides over the top face, without friction: n = (0, 0, 1) towards it all the way, z stays, and so
// does its speed. On the bare spheres it would ride over bumps of up to 0.6 of their radius.
static void face__gives_a_sliding_sphere_one_normal(void)
{
    const double angles[3] = {0.0, 0.4, 0.785};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        addFacedCube(world, 5, pbdr_bodyStatic, 0.0, pbdrVec(0.0, 0.0, 0.0));
        pbdrVec3 along = pbdrVec(cos(angles[k]), sin(angles[k]), 0.0);
        pbdrBodyId ball =
            addBall(world, 0.012, 0.5, 0.0, pbdrAddScaled(pbdrVec(0.0, 0.0, 0.112), -0.09, along),
                    pbdrScale(0.3, along));
        double worst = 0.0;
        int touched = 0;
        for (int step = 0; step < 600; step++) {
            CHECK_EQ(stepCounting(world, 1), 0);
            pbdrContact contacts[8];
            int count = pbdrWorld_GetContacts(world, contacts, 8);
            CHECK_EQ(count, 1);
            pbdrVec3 n = contacts[0].normal;
            worst = fmax(worst, pbdrLength(pbdrSub(n, pbdrVec(0.0, 0.0, -1.0)))); // towards A, the box
            touched += count;
        }
        pbdrPose pose = pbdrBody_GetPose(world, ball);
        pbdrVelocity v = pbdrBody_GetVelocity(world, ball);
        printf("    at %.2f rad: normal within %.2g, height within %.2g m\n", angles[k], worst,
               fabs(pose.position.z - 0.112));
        CHECK_EQ(touched, 600);
        CHECK_LE(worst, 1e-12);
        CHECK_NEAR(pose.position.z, 0.112, 1e-11);
        CHECK_LE(pbdrLength(pbdrSub(v.linear, pbdrScale(0.3, along))), 1e-11);
        pbdrDestroyWorld(world);
    }
}

// Past the edge the sphere turns about it: the contact stays at the edge (0.1, y, 0.1) of the box, and the
// normal points from there to the sphere's centre.
static void edge__is_sharp(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    addFacedCube(world, 4, pbdr_bodyStatic, 0.0, pbdrVec(0.0, 0.0, 0.0));
    pbdrBodyId ball = addBall(world, 0.05, 0.5, 0.0, pbdrVec(0.095, 0.011, 0.15), pbdrVec(0.05, 0.0, 0.0));
    int atEdge = 0;
    for (int step = 0; step < 300; step++) {
        pbdrVec3 before = pbdrBody_GetPose(world, ball).position;
        CHECK_EQ(stepCounting(world, 1), 0);
        pbdrContact contact;
        if (pbdrWorld_GetContacts(world, &contact, 1) == 0) {
            break; // it has left
        }
        if (before.x > 0.1) {
            atEdge++;
            pbdrVec3 x = pbdrBody_GetPose(world, ball).position;
            // on a circle of its radius about the edge, but for the way that a substep leaves the tangent
            CHECK_NEAR(hypot(x.x - 0.1, x.z - 0.1), 0.05, 1e-5);
        }
    }
    CHECK_GE(atEdge, 20);
    pbdrDestroyWorld(world);
}

// A box on a box, both with faces: they rest face to face, wherever the spheres of one stand over the
// other's.
static void boxes__rest_face_to_face(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    addFacedCube(world, 4, pbdr_bodyDynamic, 0.0, pbdrVec(0.0, 0.0, 0.1));
    pbdrBodyId upper = addFacedCube(world, 4, pbdr_bodyDynamic, 0.0, pbdrVec(0.03, 0.017, 0.3));
    CHECK_EQ(stepCounting(world, 1000), 0);
    pbdrPose pose = pbdrBody_GetPose(world, upper);
    CHECK_NEAR(pose.position.z, 0.3, 1e-10);
    CHECK_LE(angleBetween(pose.rotation, (pbdrQuat){1.0, 0.0, 0.0, 0.0}), 1e-9);
    pbdrDestroyWorld(world);
}

// Faces are the caller's word: nonsense is refused by name.
static void faces__are_checked(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    const pbdrVec3 centre = {0.0, 0.0, 0.0}, longNormal = {0.0, 0.0, 2.0};
    const double one = 1.0;
    const int firsts[2] = {0, 1}, backwards[2] = {0, -1};
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.particleCount = 1;
    def.positions = &centre;
    def.radii = def.masses = &one;
    def.faceFirsts = firsts;
    def.faceNormals = &longNormal;
    pbdrError error;
    CHECK_EQ(pbdrCreateBody(world, &def, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "unit length");
    def.faceFirsts = backwards;
    CHECK_EQ(pbdrCreateBody(world, &def, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "faceFirsts");
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"face__gives_a_sliding_sphere_one_normal", face__gives_a_sliding_sphere_one_normal},
          {"edge__is_sharp", edge__is_sharp}, {"boxes__rest_face_to_face", boxes__rest_face_to_face},
          {"faces__are_checked", faces__are_checked});
}
