// Bodies that touch by their true surfaces, in XPBD-R: faces are flat, edges sharp, things stand and roll.
#include "xpbdr_scenes.h"

static const pbdrQuat upright = {1.0, 0.0, 0.0, 0.0};
static const pbdrVec3 still = {0.0, 0.0, 0.0};

// What the cases are made of; made once, in main.
static pbdrShape *cube, *cylinder, *capsule, *ball, *smallBall; // 0.2 m; 0.1 x 0.15; 0.08 x 0.2; 0.1; 0.024

static pbdrShape* makeBox(pbdrVec3 size, double mass, int n)
{
    pbdrError error;
    pbdrShape* shape = NULL;
    require(pbdrCreateBoxShape(size, mass, n, &shape, &error), &error);
    return shape;
}

static pbdrShape* makeCylinder(double radius, double height, double mass)
{
    pbdrError error;
    pbdrShape* shape = NULL;
    require(pbdrCreateCylinderShape(radius, height, mass, 4, &shape, &error), &error);
    return shape;
}

static pbdrShape* makeBall(double radius, double mass)
{
    pbdrError error;
    pbdrShape* shape = NULL;
    require(pbdrCreateBallShape(radius, mass, &shape, &error), &error);
    return shape;
}

static pbdrBodyId add(pbdrWorld* world, pbdrShape* shape, pbdrBodyKind kind, double friction,
                      pbdrVec3 position, pbdrQuat rotation)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = kind;
    def.friction = friction;
    def.position = position;
    def.rotation = rotation;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    return id;
}

static void setVelocity(pbdrWorld* world, pbdrBodyId id, pbdrVec3 linear)
{
    CHECK_EQ(pbdrBody_SetVelocity(world, id, (pbdrVelocity){linear, still}), pbdr_statusOk);
}

static bool isSame(pbdrBodyId a, pbdrBodyId b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// The contact's normal towards that body.
static pbdrVec3 getNormal(const pbdrContact* contact, pbdrBodyId towards)
{
    return pbdrScale(isSame(contact->bodyA, towards) ? 1.0 : -1.0, contact->normal);
}

// --- Faces and edges ---

// The ball slides over the top face, without friction: n = (0, 0, 1) towards it all the way, z stays, and so
// does its speed. On the bare spheres it would ride over bumps of up to 0.6 of their radius.
static void face__gives_a_sliding_ball_one_normal(void)
{
    const double angles[3] = {0.0, 0.4, 0.785};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        add(world, cube, pbdr_bodyStatic, 0.0, still, upright);
        pbdrVec3 along = pbdrVec(cos(angles[k]), sin(angles[k]), 0.0);
        pbdrBodyId slider = add(world, smallBall, pbdr_bodyDynamic, 0.0,
                                pbdrAddScaled(pbdrVec(0.0, 0.0, 0.112), -0.09, along), upright);
        setVelocity(world, slider, pbdrScale(0.3, along));
        double worst = 0.0;
        for (int step = 0; step < 600; step++) {
            CHECK_EQ(stepCounting(world, 1), 0);
            pbdrContact contact = {0};
            CHECK_EQ(pbdrWorld_GetContacts(world, &contact, 1), 1);
            worst = fmax(worst, distance(getNormal(&contact, slider), pbdrVec(0.0, 0.0, 1.0)));
        }
        pbdrPose pose = pbdrBody_GetPose(world, slider);
        pbdrVelocity v = pbdrBody_GetVelocity(world, slider);
        printf("    at %.2f rad: normal within %.2g, height within %.2g m\n", angles[k], worst,
               fabs(pose.position.z - 0.112));
        CHECK_LE(worst, 1e-12);
        CHECK_NEAR(pose.position.z, 0.112, 1e-11);
        CHECK_LE(distance(v.linear, pbdrScale(0.3, along)), 1e-11);
        pbdrDestroyWorld(world);
    }
}

// Past the edge the ball turns about it: the contact stays at the edge (0.1, y, 0.1) of the box, and the
// normal points from there to the ball's centre.
static void edge__is_sharp(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    add(world, cube, pbdr_bodyStatic, 0.0, still, upright);
    pbdrBodyId roller = add(world, ball, pbdr_bodyDynamic, 0.0, pbdrVec(0.095, 0.011, 0.15), upright);
    setVelocity(world, roller, pbdrVec(0.05, 0.0, 0.0));
    int atEdge = 0;
    for (int step = 0; step < 300; step++) {
        pbdrVec3 before = pbdrBody_GetPose(world, roller).position;
        CHECK_EQ(stepCounting(world, 1), 0);
        pbdrContact contact;
        if (pbdrWorld_GetContacts(world, &contact, 1) == 0) {
            break; // it has left
        }
        if (before.x > 0.1) {
            atEdge++;
            pbdrVec3 x = pbdrBody_GetPose(world, roller).position;
            // on a circle of its radius about the edge, but for the way that a substep leaves the tangent
            CHECK_NEAR(hypot(x.x - 0.1, x.z - 0.1), 0.05, 1e-5);
            CHECK_LE(hypot(contact.point.x - 0.1, contact.point.z - 0.1), 1e-5);
        }
    }
    printf("    %d substeps at the edge\n", atEdge);
    CHECK_GE(atEdge, 20);
    pbdrDestroyWorld(world);
}

// A corner pushed off the face's side by more than nothing finds no ground there: a box that stands with its
// centre over the edge of another falls off, one whose centre is 1 mm inside stays.
static void box__stands_iff_its_centre_is_supported(void)
{
    for (int k = 0; k < 2; k++) {
        double overhang = k == 0 ? 0.099 : 0.101;
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        add(world, cube, pbdr_bodyStatic, 0.5, still, upright);
        pbdrBodyId upper = add(world, cube, pbdr_bodyDynamic, 0.5, pbdrVec(overhang, 0.0, 0.2), upright);
        CHECK_EQ(stepCounting(world, 1000), 0);
        double moved = distance(pbdrBody_GetPose(world, upper).position, pbdrVec(overhang, 0.0, 0.2));
        printf("    overhang %.3f m: moved %.2g m in 1 s\n", overhang, moved);
        if (k == 0) {
            CHECK_LE(moved, 1e-9);
        } else {
            CHECK_GE(moved, 0.1);
        }
        pbdrDestroyWorld(world);
    }
}

// --- Standing ---

typedef struct Thing {
    const char* name;
    pbdrShape** shape;
    pbdrQuat rotation;
    double height; // of its centre over what it stands on [m]
} Thing;

static const Thing things[] = {
    {"box", &cube, {1.0, 0.0, 0.0, 0.0}, 0.1},
    {"cylinder, upright", &cylinder, {1.0, 0.0, 0.0, 0.0}, 0.075},
    {"capsule, lying", &capsule, {0.70710678118654752, 0.0, 0.70710678118654752, 0.0}, 0.04},
    {"ball", &ball, {1.0, 0.0, 0.0, 0.0}, 0.05},
};

// Every thing on a box and on an upright cylinder that stand on the ground, or are nailed to it, and turned
// about the vertical: nothing moves in 10 s.
static void standing__things_stay_where_they_are(void)
{
    int seconds = SLOW_BUILD ? 1 : 10;
    for (int k = 0; k < 16; k++) {
        const Thing *upper = &things[k % 4], *lower = &things[k / 4 % 2];
        pbdrBodyKind kind = k / 8 ? pbdr_bodyStatic : pbdr_bodyDynamic;
        pbdrWorld* world = makeConvergedOnGround(0.4);
        pbdrBodyId ids[2];
        ids[0] = add(world, *lower->shape, kind, 0.4, pbdrVec(0.0, 0.0, lower->height),
                     turnAbout(pbdrVec(0.0, 0.0, 1.0), 0.3));
        ids[1] = add(world, *upper->shape, pbdr_bodyDynamic, 0.4,
                     pbdrVec(0.0, 0.0, 2.0 * lower->height + upper->height), upper->rotation);
        pbdrPose starts[2] = {pbdrBody_GetPose(world, ids[0]), pbdrBody_GetPose(world, ids[1])};
        int unconverged = stepCounting(world, 1000 * seconds);
        double moved = 0.0, turned = 0.0;
        for (int i = 0; i < 2; i++) {
            pbdrPose pose = pbdrBody_GetPose(world, ids[i]);
            moved = fmax(moved, distance(pose.position, starts[i].position));
            turned = fmax(turned, angleBetween(pose.rotation, starts[i].rotation));
        }
        printf("    %-18s on a %s %-18s: moved %.2g m, turned %.2g rad, %d unconverged\n", upper->name,
               k / 8 ? "fixed  " : "movable", lower->name, moved, turned, unconverged);
        CHECK_EQ(unconverged, 0);
        CHECK_LE(moved, 1e-9);
        CHECK_LE(turned, 1e-8);
        pbdrDestroyWorld(world);
    }
}

// Ten boxes, one on the other; with jitter they are shifted by up to 1 cm and turned by up to 0.1 rad. (Contacts
// as stiff as the heaviest body alone asks let that tower tremble, by micrometres, at a few mm/s: islands.c.)
static void tower__of_ten_boxes_stands(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeConvergedOnGround(0.4);
        pbdrBodyId ids[10];
        pbdrPose starts[10];
        uint64_t seed = 3;
        for (int i = 0; i < 10; i++) {
            double x = k * 0.01 * draw(&seed), y = k * 0.01 * draw(&seed), turn = k * 0.1 * draw(&seed);
            starts[i] = (pbdrPose){pbdrVec(x, y, 0.1 + 0.2 * i), turnAbout(pbdrVec(0.0, 0.0, 1.0), turn)};
            ids[i] = add(world, cube, pbdr_bodyDynamic, 0.4, starts[i].position, starts[i].rotation);
        }
        int unconverged = stepCounting(world, SLOW_BUILD ? 300 : 2000);
        double moved = 0.0, turned = 0.0;
        for (int i = 0; i < 10; i++) {
            pbdrPose pose = pbdrBody_GetPose(world, ids[i]);
            moved = fmax(moved, distance(pose.position, starts[i].position));
            turned = fmax(turned, angleBetween(pose.rotation, starts[i].rotation));
        }
        printf("    tower%s: moved %.2g m, turned %.2g rad, %d unconverged\n", k ? " with jitter" : "", moved,
               turned, unconverged);
        CHECK_EQ(unconverged, 0);
        CHECK_LE(moved, 1e-9);
        CHECK_LE(turned, 1e-8);
        pbdrDestroyWorld(world);
    }
}

// Bare spheres have no surface: they touch that of others, and stand on it like on a plane.
static void mixed__spheres_stand_on_a_surface(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    add(world, cube, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1), upright);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.friction = 0.4;
    def.position = pbdrVec(0.03, 0.017, 0.3);
    def.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), 0.3);
    pbdrBodyId upper = addBlock(world, 4, 4, 4, 0.025, 4.0, def);
    CHECK_EQ(stepCounting(world, SLOW_BUILD ? 300 : 5000), 0);
    pbdrPose pose = pbdrBody_GetPose(world, upper);
    printf("    spheres on a box: moved %.2g m, turned %.2g rad\n", distance(pose.position, def.position),
           angleBetween(pose.rotation, def.rotation));
    CHECK_LE(distance(pose.position, def.position), 1e-9);
    CHECK_LE(angleBetween(pose.rotation, def.rotation), 1e-8);
    // under it are the spheres that are over the box, each with the box's own normal
    pbdrContact contacts[128];
    int count = pbdrWorld_GetContacts(world, contacts, 128), between = 0;
    for (int i = 0; i < count && i < 128; i++) {
        bool a = isSame(contacts[i].bodyA, upper), b = isSame(contacts[i].bodyB, upper);
        if (a || b) {
            between++;
            CHECK_LE(distance(getNormal(&contacts[i], upper), pbdrVec(0.0, 0.0, 1.0)), 1e-9);
            CHECK_GE(a ? contacts[i].particleA : contacts[i].particleB, 0);
            CHECK_EQ(a ? contacts[i].particleB : contacts[i].particleA, -1);
        }
    }
    CHECK_GE(between, 9);
    CHECK_LE(between, 16);
    pbdrDestroyWorld(world);
}

// --- Rolling ---

// Down a slope without slip: a = g sin(slope)/(1 + c), c = I/(m R^2). On a box the point of contact is found
// anew in every substep, on the cylinder's rims.
static void round__things_roll_down_a_slope(void)
{
    const double R = 0.02, m = 0.8, slope = 0.02, T = 1.0;
    pbdrError error;
    pbdrShape* rounds[3] = {makeBall(R, m), NULL, makeCylinder(R, 0.08, m)};
    require(pbdrCreateCapsuleShape(R, 0.08, m, &rounds[1], &error), &error);
    pbdrShape* floor = makeBox(pbdrVec(1.0, 0.4, 0.1), 10.0, 2);
    const char* const names[3] = {"ball", "capsule", "cylinder"};
    for (int k = 0; k < 6; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(GRAVITY * sin(slope), 0.0, -GRAVITY * cos(slope)), 1e-3);
        if (k / 3 == 0) {
            addGround(world, 1.0);
        } else {
            add(world, floor, pbdr_bodyStatic, 1.0, pbdrVec(0.0, 0.0, -0.05), upright);
        }
        pbdrBodyId id = add(world, rounds[k % 3], pbdr_bodyDynamic, 1.0, pbdrVec(0.0, 0.0, R),
                            turnAbout(pbdrVec(1.0, 0.0, 0.0), 0.5 * PBDR_PI));
        CHECK_EQ(stepCounting(world, (int)(1000 * T)), 0);
        double c = pbdrBody_GetRestInertia(world, id).m[2][2] / (m * R * R);
        double a = GRAVITY * sin(slope) / (1.0 + c), way = 0.5 * a * T * T;
        pbdrVec3 x = pbdrBody_GetPose(world, id).position;
        pbdrVelocity v = pbdrBody_GetVelocity(world, id);
        printf("    %s on a %s: %.4f m, off by %.2g m, spin by %.2g rad/s\n", names[k % 3],
               k / 3 ? "box" : "plane", x.x, fabs(x.x - way), fabs(v.angular.y - a * T / R));
        CHECK_LE(fabs(x.x - way), 3e-13);
        CHECK_LE(fabs(v.angular.y - a * T / R), 2e-12);
        CHECK_NEAR(x.z, R, 1e-9);
        pbdrDestroyWorld(world);
    }
    for (int k = 0; k < 3; k++) {
        pbdrReleaseShape(rounds[k]);
    }
    pbdrReleaseShape(floor);
}

// A board of mass M on three cylinders of mass m and radius R that roll on the ground without slip. At the
// board's speed v their centres go v/2 and they spin at v/(2 R), so that each has the kinetic energy
//
//   m (v/2)^2/2 + (m R^2/2) (v/(2 R))^2/2 = (m v^2/2) (1/4) (1 + 1/2)
//
// and the whole moves as M + 3 m (3/8) would: a = F/(M + 9 m/8) under a force F on the board; on a slope
// weight pulls at the centres too, at half the speed: a = g sin(slope) (M + 3 m/2)/(M + 9 m/8).
static void runRollers(bool slope, bool onBox)
{
    const double M = 3.0, m = 0.8, R = 0.02, F = 0.7, angle = 0.02, T = 1.0;
    pbdrShape *board = makeBox(pbdrVec(0.5, 0.1, 0.04), M, 2), *roller = makeCylinder(R, 0.08, m),
              *floor = makeBox(pbdrVec(1.0, 0.4, 0.1), 10.0, 2);
    double tilt = slope ? angle : 0.0;
    pbdrWorld* world = makeConverged(pbdrVec(GRAVITY * sin(tilt), 0.0, -GRAVITY * cos(tilt)), 1e-3);
    if (onBox) {
        add(world, floor, pbdr_bodyStatic, 1.0, pbdrVec(0.0, 0.0, -0.05), upright);
    } else {
        addGround(world, 1.0);
    }
    pbdrQuat lying = turnAbout(pbdrVec(1.0, 0.0, 0.0), 0.5 * PBDR_PI);
    pbdrBodyId rollers[3];
    for (int k = 0; k < 3; k++) {
        rollers[k] = add(world, roller, pbdr_bodyDynamic, 1.0, pbdrVec(0.15 * (k - 1), 0.0, R), lying);
    }
    pbdrBodyId top = add(world, board, pbdr_bodyDynamic, 1.0, pbdrVec(0.0, 0.0, 2.0 * R + 0.02), upright);
    CHECK_EQ(pbdrBody_SetForce(world, top, pbdrVec(slope ? 0.0 : F, 0.0, 0.0)), pbdr_statusOk);
    int unconverged = stepCounting(world, (int)(1000 * T));
    double a = slope ? GRAVITY * sin(angle) * (M + 1.5 * m) / (M + 1.125 * m) : F / (M + 1.125 * m);
    pbdrVec3 x = pbdrBody_GetPose(world, top).position;
    pbdrVelocity v = pbdrBody_GetVelocity(world, rollers[1]);
    double way = 0.5 * a * T * T, error = fabs(x.x - way);
    printf(
        "    %s, %s: board %.4f m, off by %.2g m, height by %.2g m; roller's speed off by %.2g, spin %.2g; "
        "%d unconverged\n",
        slope ? "slope" : "force", onBox ? "on a box" : "on a plane", x.x, error, fabs(x.z - 2.0 * R - 0.02),
        fabs(v.linear.x - 0.5 * a * T), fabs(v.angular.y - 0.5 * a * T / R), unconverged);
    CHECK_EQ(unconverged, 0);
    CHECK_LE(error, 2e-11);
    CHECK_NEAR(x.z, 2.0 * R + 0.02, 1e-9);
    CHECK_NEAR(v.linear.x, 0.5 * a * T, 1e-11);
    CHECK_NEAR(v.angular.y, 0.5 * a * T / R, 6e-10);
    pbdrDestroyWorld(world);
    pbdrReleaseShape(board), pbdrReleaseShape(roller), pbdrReleaseShape(floor);
}

static void rollers__carry_a_board_as_the_closed_form_says(void)
{
    for (int k = 0; k < 4; k++) {
        runRollers(k % 2 == 1, k / 2 == 1);
    }
}

// --- A pile ---

#define PILE 27

static pbdrWorld* makePile(pbdrBodyId ids[PILE])
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    uint64_t seed = 12345;
    for (int k = 0; k < PILE; k++) {
        pbdrVec3 at = pbdrVec(0.35 * (k % 3) + 0.01 * draw(&seed), 0.35 * (k / 3 % 3) + 0.01 * draw(&seed),
                              0.2 + 0.35 * (k / 9));
        ids[k] = add(world, cube, pbdr_bodyDynamic, 0.4, at, drawRotation(&seed));
    }
    return world;
}

// How far two cubes of half side h are into each other, by the theorem of separating axes; below 0: apart.
static double getOverlap(pbdrPose a, pbdrPose b, double h)
{
    pbdrMat3 A = pbdrMatFromQuat(a.rotation), B = pbdrMatFromQuat(b.rotation);
    pbdrVec3 axes[6], between = pbdrSub(b.position, a.position);
    for (int k = 0; k < 3; k++) {
        axes[k] = pbdrVec(A.m[0][k], A.m[1][k], A.m[2][k]);
        axes[3 + k] = pbdrVec(B.m[0][k], B.m[1][k], B.m[2][k]);
    }
    double least = HUGE_VAL;
    for (int k = 0; k < 15; k++) {
        pbdrVec3 n = k < 6 ? axes[k] : pbdrCross(axes[(k - 6) / 3], axes[3 + k % 3]);
        double length = pbdrLength(n), reach = 0.0;
        if (length < 1e-6) {
            continue; // two edges that are parallel: the faces see to it
        }
        for (int i = 0; i < 6; i++) {
            reach += h * fabs(pbdrDot(n, axes[i]));
        }
        least = fmin(least, (reach - fabs(pbdrDot(n, between))) / length);
    }
    return least;
}

// Boxes thrown onto a heap, seen every 10 ms: true boxes, of a side of 200 mm, never go into each other by more than a
// tenth of what Bullet's do in a heap like this, 1.7 mm: 0.12 mm measured. Overlap of up to 0.1 mm is not taken back
// (sweep_rows.c, SLACK): that would lift what lies on it. Into the ground 0.04 mm were measured.
static void pile__of_boxes_stays_out_of_itself(void)
{
    pbdrBodyId ids[PILE];
    pbdrWorld* world = makePile(ids);
    double between = 0.0, ground = 0.0;
    int unconverged = 0;
    for (int frame = 0; frame < (SLOW_BUILD ? 30 : 800); frame++) {
        unconverged += stepCounting(world, 10);
        for (int i = 0; i < PILE; i++) {
            pbdrPose a = pbdrBody_GetPose(world, ids[i]);
            pbdrMat3 A = pbdrMatFromQuat(a.rotation);
            double reach = 0.1 * (fabs(A.m[2][0]) + fabs(A.m[2][1]) + fabs(A.m[2][2]));
            ground = fmax(ground, reach - a.position.z);
            for (int j = 0; j < i; j++) {
                between = fmax(between, getOverlap(a, pbdrBody_GetPose(world, ids[j]), 0.1));
            }
        }
    }
    double fastest = 0.0;
    for (int i = 0; i < PILE; i++) {
        fastest = fmax(fastest, getTopSpeed(world, ids[i]));
    }
    printf(
        "    pile: %.3g mm into each other, %.3g mm into the ground, %d unconverged, %.2g m/s at the end\n",
        1e3 * between, 1e3 * ground, unconverged, fastest);
    CHECK_LE(between, 1.7e-4);
    CHECK_LE(ground, 1e-4);
    CHECK_LE(unconverged, 2); // none was
    CHECK_LE(fastest,
             SLOW_BUILD
                 ? 10.0
                 : 1e-9); // it comes to rest: one box stands near its balance for 4 s, and topples late
    pbdrDestroyWorld(world);
}

// Saved in the middle of the fall and given to another world, the pile goes on bit for bit.
static void state__is_restored_bit_for_bit(void)
{
    pbdrBodyId ids[PILE];
    pbdrWorld *first = makePile(ids), *second = makePile(ids);
    pbdrWorld_Step(first, 400);
    size_t size;
    unsigned char* state = saveState(first, &size);
    pbdrError error;
    require(pbdrWorld_SetState(second, state, size, &error), &error);
    free(state);
    CHECK(haveSameState(first, second));
    for (int k = 0; k < 4; k++) {
        pbdrWorld_Step(first, 50);
        pbdrWorld_Step(second, 50);
        CHECK(haveSameState(first, second));
    }
    CHECK_GE(pbdrWorld_GetContacts(first, NULL, 0), PILE);
    CHECK_EQ(pbdrWorld_GetContacts(first, NULL, 0), pbdrWorld_GetContacts(second, NULL, 0));
    pbdrDestroyWorld(first), pbdrDestroyWorld(second);
}

// --- Contacts as listed ---

// A cylinder on a box on the ground: forces sum to the weight above, normals are vertical, points lie in the
// plane between, within both faces.
static void contacts__carry_the_weight(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    pbdrBodyId box = add(world, cube, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, 0.1), upright);
    pbdrBodyId top = add(world, cylinder, pbdr_bodyDynamic, 0.4, pbdrVec(0.02, 0.01, 0.275), upright);
    CHECK_EQ(stepCounting(world, 200), 0);
    pbdrContact contacts[256];
    int count = pbdrWorld_GetContacts(world, contacts, 256);
    CHECK_LE(count, 256);
    pbdrVec3 onTop = still, onBox = still;
    int between = 0, below = 0;
    for (int i = 0; i < count; i++) {
        const pbdrContact* c = &contacts[i];
        bool pair = isSame(c->bodyA, top) || isSame(c->bodyB, top);
        pbdrBodyId upper = pair ? top : box;
        CHECK_LE(distance(getNormal(c, upper), pbdrVec(0.0, 0.0, 1.0)), 1e-9);
        CHECK_NEAR(c->point.z, pair ? 0.2 : 0.0, 1e-9);
        CHECK_EQ(c->particleA, -1);
        CHECK_EQ(c->particleB, -1);
        pbdrVec3 force = pbdrScale(isSame(c->bodyA, upper) ? 1.0 : -1.0, c->force);
        CHECK_GE(force.z, -1e-12);
        if (pair) {
            between++;
            CHECK_LE(hypot(c->point.x - 0.02, c->point.y - 0.01), 0.05 + 1e-9);
            onTop = pbdrAdd(onTop, force);
        } else {
            below++;
            CHECK(pbdrPlane_IsValid(world, c->plane));
            CHECK_LE(fmax(fabs(c->point.x), fabs(c->point.y)), 0.1 + 1e-9);
            onBox = pbdrAdd(onBox, force);
        }
    }
    printf("    %d contacts carry %.6f N, %d carry %.6f N\n", between, onTop.z, below, onBox.z);
    CHECK_GE(between, 3);
    CHECK_EQ(below, 16); // the lattice of 3 x 3 cells
    CHECK_LE(distance(onTop, pbdrVec(0.0, 0.0, 1.0 * GRAVITY)), 1e-9);
    CHECK_LE(distance(onBox, pbdrVec(0.0, 0.0, 5.0 * GRAVITY)), 1e-9);
    pbdrDestroyWorld(world);
}

// Two boxes on the ground, all but parallel, one going past the other's corner: k, a corner of the one that moves, is half a
// millimetre within the other's side, and enters by the face beside it, which k cannot touch (the next corner can, and is
// elsewhere). What touches is the corner at rest, in the moving box's face, from zero on; k is not half a millimetre deep.
static void corner__passes_a_corner_without_a_jump(void)
{
    const double turn = -3.7 * PBDR_PI / 180.0, c = cos(turn), s = sin(turn), half = 0.1;
    pbdrWorld* world = makeConvergedOnGround(0.4);
    add(world, cube, pbdr_bodyDynamic, 0.4, pbdrVec(0.0, 0.0, half), upright);
    const pbdrVec3 k = {half + 1e-5, -half + 5e-4, half};
    const pbdrVec3 centre = {k.x + half * c + half * s, k.y + half * s - half * c, half};
    const pbdrBodyId moving = add(world, cube, pbdr_bodyDynamic, 0.4, centre,
                                  (pbdrQuat){cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)});
    setVelocity(world, moving, pbdrVec(-0.1, 0.0, 0.0));
    static pbdrContact contacts[256];
    double deepest = 0.0;
    bool touched = false;
    for (int i = 0; i < 40; i++) {
        CHECK_EQ(pbdrWorld_Step(world, 1), 0);
        const int count = pbdrWorld_GetContacts(world, contacts, 256);
        for (int j = 0; j < count; j++) {
            touched = touched || contacts[j].plane.index1 == 0;
            deepest = fmin(deepest, contacts[j].separation);
        }
    }
    CHECK(touched);
    CHECK_GE(deepest, -1e-4); // the way of a substep at 0.1 m/s; 4.2e-4 m where k counts
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    cube = makeBox(pbdrVec(0.2, 0.2, 0.2), 4.0, 4);
    cylinder = makeCylinder(0.05, 0.15, 1.0);
    ball = makeBall(0.05, 1.0);
    smallBall = makeBall(0.012, 0.5);
    pbdrError error;
    require(pbdrCreateCapsuleShape(0.04, 0.12, 1.0, &capsule, &error), &error);
    CASES(argc, argv, {"face__gives_a_sliding_ball_one_normal", face__gives_a_sliding_ball_one_normal},
          {"edge__is_sharp", edge__is_sharp},
          {"corner__passes_a_corner_without_a_jump", corner__passes_a_corner_without_a_jump},
          {"box__stands_iff_its_centre_is_supported", box__stands_iff_its_centre_is_supported},
          {"standing__things_stay_where_they_are", standing__things_stay_where_they_are},
          {"tower__of_ten_boxes_stands", tower__of_ten_boxes_stands},
          {"mixed__spheres_stand_on_a_surface", mixed__spheres_stand_on_a_surface},
          {"round__things_roll_down_a_slope", round__things_roll_down_a_slope},
          {"rollers__carry_a_board_as_the_closed_form_says", rollers__carry_a_board_as_the_closed_form_says},
          {"pile__of_boxes_stays_out_of_itself", pile__of_boxes_stays_out_of_itself},
          {"state__is_restored_bit_for_bit", state__is_restored_bit_for_bit},
          {"contacts__carry_the_weight", contacts__carry_the_weight});
}
