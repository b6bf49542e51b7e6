// Laws of XPBD-R that hold in every substep: balance of forces and moments to the tolerance, Coulomb's cone,
// flags where they do not hold, and what must not matter (a search, a new time step).
#include "pbdr/profile.h"
#include "physics/laws.h"

// --- Balance ---

// Largest departures from the laws, each relative to the sum of all forces, over substeps without a flag.
typedef struct Departures {
    double force;  // |sum f + m g - m dv/dt|
    double moment; // |sum r x f - I dw/dt| over the radius of gyration
    double cone;   // |f_t| - mu f_n
    int flagged;   // substeps with pbdr_stepNotConverged
} Departures;

// Takes one substep. The body is a cube of spheres, whose inertia is the same about all axes: L = I w.
static void stepAndCompare(pbdrWorld* world, pbdrBodyId body, double mu, Departures* all)
{
    static pbdrContact contacts[MAX_CONTACTS];
    pbdrVec3 positions[27];
    double mass = pbdrBody_GetMass(world, body), inertia = pbdrBody_GetRestInertia(world, body).m[0][0];
    double radius = pbdrShape_GetRadii(pbdrBody_GetShape(world, body))[0], dt = pbdrWorld_GetTimeStep(world);
    int sphereCount = pbdrBody_GetPositions(world, body, positions, 27);
    pbdrVec3 centre = pbdrBody_GetPose(world, body).position;
    pbdrVelocity before = pbdrBody_GetVelocity(world, body);
    uint32_t flags = pbdrWorld_Step(world, 1);
    pbdrVelocity after = pbdrBody_GetVelocity(world, body);
    if ((flags & pbdr_stepNotConverged) != 0) {
        all->flagged++;
        return;
    }
    pbdrVec3 weight = pbdrScale(mass, pbdrWorld_GetGravity(world)), force = weight, moment = {0.0, 0.0, 0.0};
    double size = pbdrLength(weight), cone = 0.0;
    int count = pbdrWorld_GetContacts(world, contacts, MAX_CONTACTS);
    for (int k = 0; k < count && k < MAX_CONTACTS && contacts[k].particleA < sphereCount; k++) {
        const pbdrContact* c = &contacts[k];
        double normal = pbdrDot(c->force, c->normal);
        pbdrVec3 lever = pbdrSub(pbdrAddScaled(positions[c->particleA], -radius, c->normal), centre);
        force = pbdrAdd(force, c->force);
        moment = pbdrAdd(moment, pbdrCross(lever, c->force));
        size += pbdrLength(c->force);
        cone = fmax(cone, pbdrLength(pbdrAddScaled(c->force, -normal, c->normal)) - mu * normal);
    }
    force = pbdrAddScaled(force, -mass / dt, pbdrSub(after.linear, before.linear));
    moment = pbdrAddScaled(moment, -inertia / dt, pbdrSub(after.angular, before.angular));
    all->force = fmax(all->force, pbdrLength(force) / size);
    all->moment = fmax(all->moment, pbdrLength(moment) / sqrt(inertia / mass) / size);
    all->cone = fmax(all->cone, cone / size);
}

// A cube of 0.3 m times scale, of 4 kg, thrown into a pit of four planes. Lengths, times and speeds go with
// the scale as gravity has it, so that all numbers but those with a length in them are the same.
static Departures throwIntoPit(double mu, double tilt, double scale, int substeps)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3 * sqrt(scale));
    for (int k = 0; k < 4; k++) {
        double c = cos(tilt) * (k % 2 == 0 ? 1.0 : -1.0);
        addPlane(world, pbdrVec(k < 2 ? c : 0.0, k < 2 ? 0.0 : c, sin(tilt)), 0.0, mu);
    }
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.friction = mu;
    def.position = pbdrVec(0.0, 0.0, 3.0 * scale);
    def.velocity.linear = pbdrScale(sqrt(scale), pbdrVec(0.3, 0.2, -5.0));
    def.velocity.angular = pbdrScale(1.0 / sqrt(scale), pbdrVec(3.0, 7.0, 2.0));
    pbdrBodyId body = addBlock(world, 3, 3, 3, 0.05 * scale, 4.0, def);
    Departures all = {0.0, 0.0, 0.0, 0};
    for (int k = 0; k < substeps; k++) {
        stepAndCompare(world, body, mu, &all);
    }
    pbdrDestroyWorld(world);
    return all;
}

// The solve ends at 1e-13 of the sum of forces, moments counted over the radius of gyration: whatever the
// size of the body. Reading forces and velocities out adds rounding of v/dt: 1e-16 of 5 m/s over 9.81 mm/s.
static void balance__holds_to_the_tolerance_at_every_size(void)
{
    const double scales[4] = {1.0, 1e-2, 1e-4, 1e2};
    for (int k = 0; k < 8; k++) {
        Departures d = throwIntoPit(k < 4 ? 1.0 : 0.5, k < 4 ? 0.4 : 0.8, scales[k % 4], 1500);
        CHECK_LE(d.force, 2e-13);
        CHECK_LE(d.moment, 2e-13);
        CHECK_LE(d.cone, 2e-13);    // 1.5e-13: rounding of the forces that are read out, as above
        if (scales[k % 4] <= 1.0) { // gaps of 1e-5 m count as left over: a 3e-7th of a body of 30 m
            CHECK_EQ(d.flagged, 0);
        }
    }
}

// With a friction of 5 in a steep pit some substeps are not solved: those whose forces are off by more than a thousandth
// are flagged.
static void balance__holds_or_is_flagged(void)
{
    const double cases[3][2] = {{2.0, 0.1}, {5.0, 0.1}, {5.0, 0.4}};
    int flagged = 0;
    for (int k = 0; k < 3; k++) {
        Departures d = throwIntoPit(cases[k][0], cases[k][1], 1.0, 2000);
        CHECK_LE(d.force, 1e-3);
        CHECK_LE(d.moment, 1e-3);
        CHECK_LE(d.cone, 1e-3);
        flagged += d.flagged;
    }
    printf("    %d of 6000 substeps are flagged\n", flagged);
    CHECK_LE(flagged, 300);
}

// --- Flags ---

// A cube between floor and ceiling that are too close by 2 d: gaps of d stay whatever the forces. Over what gravity
// closes in a substep, 9.8e-6 m, that is flagged, below it is not.
static void flag__is_raised_where_gaps_stay(void)
{
    const double gaps[4] = {5e-3, 5e-5, 2e-5, 2e-6};
    for (int k = 0; k < 4; k++) {
        pbdrWorld* world = makeConvergedOnGround(0.5);
        addPlane(world, pbdrVec(0.0, 0.0, -1.0), -(0.2 - 2.0 * gaps[k]), 0.5);
        addCube(world, 4, 0.0, 0.0, 0.5);
        CHECK_EQ(stepCounting(world, 20), gaps[k] > GRAVITY * 1e-6 ? 20 : 0);
        pbdrDestroyWorld(world);
    }
}

// --- Overlap ---

// Bodies that overlap part at PBDR_RECOVERY_SPEED at most: two balls, and a ball in the ground.
static void overlap__parts_no_faster_than_the_recovery_speed(void)
{
    const double depths[3] = {0.1, 0.01, 1e-3};
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyId a = addBall(world, 0.1, 1.0, 0.0, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.0, 0.0, 0.0));
        pbdrBodyId b =
            addBall(world, 0.1, 2.0, 0.0, pbdrVec(0.2 - depths[k], 0.0, 0.0), pbdrVec(0.0, 0.0, 0.0));
        CHECK_EQ(stepCounting(world, 1), 0);
        double apart = pbdrBody_GetVelocity(world, b).linear.x - pbdrBody_GetVelocity(world, a).linear.x;
        CHECK_NEAR(apart, PBDR_RECOVERY_SPEED, 1e-9);
        pbdrDestroyWorld(world);

        world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        addGround(world, 0.0);
        a = addBall(world, 0.1, 1.0, 0.0, pbdrVec(0.0, 0.0, 0.1 - depths[k]), pbdrVec(0.0, 0.0, 0.0));
        CHECK_EQ(stepCounting(world, 1), 0);
        CHECK_NEAR(pbdrBody_GetVelocity(world, a).linear.z, PBDR_RECOVERY_SPEED, 1e-9);
        pbdrDestroyWorld(world);
    }
}

// --- Impacts ---

// A ball hits the first of two that touch, without restitution: from then on the three go on as one, with a
// third of the speed. Those that the impact reaches only through others move as those do, or they would be
// driven into each other by v dt/6 = 0.8 mm.
static void impact__moves_what_touches_alike(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
    pbdrBodyId balls[3];
    for (int k = 0; k < 3; k++) {
        double x = k == 0 ? -0.2 - 2.3e-3 : 0.2 * (k - 1);
        balls[k] = addBall(world, 0.1, 1.0, 0.0, pbdrVec(x, 0.0, 0.0), pbdrVec(k == 0 ? 5.0 : 0.0, 0.0, 0.0));
    }
    pbdrBody_SetForce(world, balls[2], pbdrVec(-1e-3, 0.0, 0.0)); // keeps the two in touch
    pbdrBody_SetForce(world, balls[1], pbdrVec(1e-3, 0.0, 0.0));
    double deepest = 0.0;
    for (int step = 0; step < 20; step++) {
        CHECK_EQ(stepCounting(world, 1), 0);
        for (int k = 0; k < 2; k++) {
            double gap = pbdrBody_GetPose(world, balls[k + 1]).position.x -
                         pbdrBody_GetPose(world, balls[k]).position.x - 0.2;
            deepest = fmin(deepest, gap);
        }
    }
    CHECK_GE(deepest, -1e-9);
    CHECK_NEAR(pbdrBody_GetVelocity(world, balls[2]).linear.x, 5.0 / 3.0, 1e-9);
    pbdrDestroyWorld(world);
}

// What bears no load is no contact: a ball that hovers 0.1 mm above the ground and beside another.
static void contacts__are_listed_under_load_only(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
    addGround(world, 0.5);
    addBall(world, 0.1, 1.0, 0.5, pbdrVec(0.0, 0.0, 0.1001), pbdrVec(0.0, 0.0, 0.0));
    pbdrBodyId other = addBall(world, 0.1, 1.0, 0.5, pbdrVec(0.2001, 0.0, 0.1001), pbdrVec(0.0, 0.0, 0.0));
    CHECK_EQ(stepCounting(world, 3), 0);
    CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
    pbdrBody_SetForce(world, other, pbdrVec(0.0, 0.0, -1e3));
    CHECK_EQ(stepCounting(world, 1), 0);
    CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 1);
    pbdrDestroyWorld(world);
}

// --- Surfaces ---

// A static prism whose ridge lies along y through the origin, its faces' normals at +-half from z.
static pbdrBodyId addPrism(pbdrWorld* world, double half)
{
    const double depth = 0.2, wide = depth * cos(half) / sin(half), long_ = 0.3;
    const pbdrVec3 vertices[6] = {{0.0, -long_, 0.0},     {0.0, long_, 0.0},      {-wide, -long_, -depth},
                                  {wide, -long_, -depth}, {-wide, long_, -depth}, {wide, long_, -depth}};
    const int32_t triangles[8][3] = {{0, 3, 5}, {0, 5, 1}, {0, 1, 4}, {0, 4, 2},
                                     {2, 4, 5}, {2, 5, 3}, {0, 2, 3}, {1, 5, 4}};
    const pbdrVec3 centre = {0.0, 0.0, -0.1};
    const double radius = 0.01, mass = 1.0;
    pbdrError error;
    pbdrMesh mesh = {0};
    require(pbdrCreateMesh(vertices, 6, triangles, 8, NULL, &mesh, NULL, &error), &error);
    pbdrShapeDef shape = pbdrDefaultShapeDef();
    shape.sphereCount = 1;
    shape.positions = &centre;
    shape.radii = &radius;
    shape.masses = &mass;
    shape.surface.kind = pbdr_surfaceMesh;
    shape.surface.mesh = &mesh;
    pbdrShape* prism;
    require(pbdrCreateShape(&shape, &prism, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.kind = pbdr_bodyStatic;
    def.position = centre;
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &def, prism, &id, &error), &error);
    pbdrReleaseShape(prism);
    pbdrMesh_Free(&mesh);
    return id;
}

// A ball that just overlaps a ridge touches the ridge, not a face: the normal is the bisector.
static void ridge__of_any_angle_is_sharp(void)
{
    const double halves[4] = {0.2, 0.5, 0.75, 0.9};
    for (int k = 0; k < 4; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        addPrism(world, halves[k]);
        pbdrBodyId ball =
            addBall(world, 0.05, 1.0, 0.0, pbdrVec(0.0, 0.0, 0.05 - 1e-4), pbdrVec(0.0, 0.0, 0.0));
        CHECK_EQ(stepCounting(world, 1), 0);
        pbdrVec3 v = pbdrBody_GetVelocity(world, ball).linear;
        CHECK_NEAR(v.z, 0.1, 1e-8); // out of 0.1 mm in 1 ms
        CHECK_NEAR(v.x, 0.0, 1e-12);
        pbdrDestroyWorld(world);
    }
}

// A ball rolls down a slope, the face of a static cube, with a = 5/7 g sin(0.1): it touches one sphere of the
// face after the other, and its friction, 2/7 m g sin(0.1), goes along. A substep takes no more Newton steps
// where they change.
static void rolling__over_a_face_is_smooth(void)
{
    pbdrWorld* world = makeConverged(pbdrVec(GRAVITY * sin(0.1), 0.0, -GRAVITY * cos(0.1)), 1e-3);
    addFacedCube(world, 4, pbdr_bodyStatic, 0.5, pbdrVec(0.0, 0.0, -0.1));
    pbdrBodyId ball = addBall(world, 0.03, 1.0, 0.5, pbdrVec(-0.09, 0.003, 0.03), pbdrVec(0.0, 0.0, 0.0));
    CHECK_EQ(stepCounting(world, 20), 0);
    double start = pbdrBody_GetPose(world, ball).position.x, v = pbdrBody_GetVelocity(world, ball).linear.x;
    double a = 5.0 / 7.0 * GRAVITY * sin(0.1), worst = 0.0, friction = 0.0;
    pbdrWorld_SetProfiling(world, true);
    for (int k = 1; k <= 600; k++) {
        pbdrWorld_Step(world, 1);
        double t = 1e-3 * k, wanted = start + v * t + 0.5 * a * t * t;
        worst = fmax(worst, fabs(pbdrBody_GetPose(world, ball).position.x - wanted));
        friction = fmax(friction, fabs(sumForces(world, ball).x + 2.0 / 7.0 * GRAVITY * sin(0.1)));
    }
    pbdrProfile profile;
    pbdrWorld_GetProfile(world, &profile);
    printf("    %d Newton steps, %d updates in 600 substeps\n", (int)profile.newtonSteps.sum,
           (int)profile.multiplierUpdateCount);
    CHECK_GE(pbdrBody_GetPose(world, ball).position.x, 0.03);
    CHECK_LE(worst, 4e-15); // rounding of 0.2 m over 600 substeps
    CHECK_LE(friction, 3e-12);
    CHECK_LE(profile.newtonSteps.most, 1);
    pbdrDestroyWorld(world);
}

// --- Searches ---

// A rod of 1 m spins with 200 rad/s: its ends go 0.1 m in a substep, five radii. A static ball, or a wall,
// stands in the way of an end: wherever the end stands before the substep in which it arrives, the rod is
// stopped, not passed through.
static pbdrBodyId addRod(pbdrWorld* world, double angle)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), angle);
    def.velocity.angular = pbdrVec(0.0, 0.0, 200.0);
    return addBlock(world, 25, 1, 1, 0.02, 1.0, def);
}

static void spin__is_stopped_by_a_ball_in_the_way(void)
{
    for (int k = 0; k < 20; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyId rod = addRod(world, -0.1 - 0.02 * k);
        const pbdrVec3 centre = {0.0, 0.0, 0.0};
        const double radius = 0.02, mass = 1.0;
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyStatic;
        def.particleCount = 1;
        def.positions = &centre;
        def.radii = &radius;
        def.masses = &mass;
        def.position = pbdrVec(0.48, 0.0, 0.0);
        addBody(world, &def);
        pbdrWorld_Step(world, 5);
        CHECK_LE(pbdrBody_GetVelocity(world, rod).angular.z, 150.0);
        pbdrDestroyWorld(world);
    }
}

static void spin__is_stopped_by_a_wall(void)
{
    for (int k = 0; k < 20; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, 0.0), 1e-3);
        addPlane(world, pbdrVec(0.0, -1.0, 0.0), -0.3, 0.0); // solid beyond y = 0.3 m
        pbdrBodyId rod = addRod(world, 0.01 * k);
        double deepest = 0.0;
        for (int step = 0; step < 6; step++) {
            pbdrWorld_Step(world, 1);
            pbdrVec3 positions[25];
            int count = pbdrBody_GetPositions(world, rod, positions, 25);
            for (int i = 0; i < count; i++) {
                deepest = fmax(deepest, positions[i].y + 0.02 - 0.3);
            }
        }
        CHECK_LE(deepest, 0.01); // an arc of 0.2 rad bulges by 0.5 (0.2^2)/8 = 2.5 mm
        pbdrDestroyWorld(world);
    }
}

// A cube that sticks on a slope, alone, with a ball that flies past far away, or with pairs of them that pass each other
// there, a tenth of a millimetre apart, and are searched time and again: the cube does the same, and a substep costs no more
// Newton steps; what flies elsewhere costs no search.
static void search__changes_nothing(void)
{
    pbdrVec3 places[3][3];
    uint64_t steps[3], searches[3];
    for (int k = 0; k < 3; k++) {
        pbdrWorld* world = makeConverged(pbdrVec(GRAVITY * sin(0.3), 0.0, -GRAVITY * cos(0.3)), 1e-3);
        addGround(world, 0.5);
        pbdrBodyId cube = addCube(world, 4, 0.0, 0.0, 0.5);
        if (k == 1) {
            addBall(world, 0.01, 1e-3, 0.0, pbdrVec(-50.0, 5.0, 20.0), pbdrVec(90.0, 0.0, 3.0));
        } else if (k == 2) {
            for (int pair = 0; pair < 5; pair++) {
                const double aside = 5.0 + 0.2 * pair,
                             faster = 0.04 + 0.007 * pair; // none in step with another
                addBall(world, 0.01, 1e-3, 0.0, pbdrVec(-50.0, aside, 20.0), pbdrVec(90.0, 0.0, 3.0));
                addBall(world, 0.01, 1e-3, 0.0, pbdrVec(-50.0 - 0.2 * faster, aside + 0.0201, 20.0),
                        pbdrVec(90.0 + faster, 0.0, 3.0));
            }
        }
        CHECK_EQ(stepCounting(world, 50), 0);
        pbdrWorld_SetProfiling(world, true);
        for (int i = 0; i < 3; i++) {
            CHECK_EQ(stepCounting(world, 100), 0);
            places[k][i] = pbdrBody_GetPose(world, cube).position;
        }
        pbdrProfile profile;
        pbdrWorld_GetProfile(world, &profile);
        steps[k] = profile.newtonSteps.sum;
        searches[k] = profile.searchCount;
        pbdrDestroyWorld(world);
    }
    CHECK_LE(searches[0], 2);
    CHECK_LE(searches[1], 2);
    CHECK_GE(searches[2], 20);
    for (int k = 1; k < 3; k++) {
        CHECK_LE(steps[k], steps[0] + 10);
        for (int i = 0; i < 3; i++) {
            CHECK_LE(pbdrLength(pbdrSub(places[0][i], places[k][i])), 1e-12);
            CHECK_LE(pbdrLength(pbdrSub(places[k][i], places[k][0])), 1e-12);
        }
    }
}

// --- Time step ---

// A cube that sticks on a slope goes on sticking when the time step changes, and the forces that it carries
// are right at once: no gap, no slip, no more than the Newton steps of a warm start.
static void time_step__may_change_under_load(void)
{
    const double timeSteps[4] = {4e-3, 2.5e-4, 1e-2, 1e-3};
    pbdrWorld* world = makeConverged(pbdrVec(GRAVITY * sin(0.3), 0.0, -GRAVITY * cos(0.3)), 1e-3);
    addGround(world, 0.5);
    pbdrBodyId cube = addCube(world, 4, 0.0, 0.0, 0.5);
    CHECK_EQ(stepCounting(world, 100), 0);
    for (int k = 0; k < 4; k++) {
        pbdrVec3 before = pbdrBody_GetPose(world, cube).position;
        CHECK_EQ(pbdrWorld_SetTimeStep(world, timeSteps[k]), pbdr_statusOk);
        pbdrWorld_SetProfiling(world, true);
        CHECK_EQ(stepCounting(world, 1), 0);
        pbdrProfile profile;
        pbdrWorld_GetProfile(world, &profile);
        printf("    %g s: %d Newton steps, %d updates\n", timeSteps[k], (int)profile.newtonSteps.sum,
               (int)profile.multiplierUpdateCount);
        CHECK_LE(profile.newtonSteps.sum, 2);
        CHECK_LE(profile.multiplierUpdateCount, 1);
        CHECK_NEAR(sumForces(world, cube).z, 4.0 * GRAVITY * cos(0.3), 2e-9); // 1e-16 of 0.1 m in dt^2
        CHECK_LE(pbdrLength(pbdrSub(pbdrBody_GetPose(world, cube).position, before)), 1e-12);
        CHECK_EQ(stepCounting(world, 20), 0);
    }
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"balance__holds_to_the_tolerance_at_every_size", balance__holds_to_the_tolerance_at_every_size},
          {"balance__holds_or_is_flagged", balance__holds_or_is_flagged},
          {"flag__is_raised_where_gaps_stay", flag__is_raised_where_gaps_stay},
          {"overlap__parts_no_faster_than_the_recovery_speed",
           overlap__parts_no_faster_than_the_recovery_speed},
          {"impact__moves_what_touches_alike", impact__moves_what_touches_alike},
          {"contacts__are_listed_under_load_only", contacts__are_listed_under_load_only},
          {"ridge__of_any_angle_is_sharp", ridge__of_any_angle_is_sharp},
          {"rolling__over_a_face_is_smooth", rolling__over_a_face_is_smooth},
          {"spin__is_stopped_by_a_ball_in_the_way", spin__is_stopped_by_a_ball_in_the_way},
          {"spin__is_stopped_by_a_wall", spin__is_stopped_by_a_wall},
          {"search__changes_nothing", search__changes_nothing},
          {"time_step__may_change_under_load", time_step__may_change_under_load});
}
