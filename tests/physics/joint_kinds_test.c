// Each kind of joint against a closed form that is about what it holds: fixed, slide, distance, universal, span as a rope;
// frames of either body and of the world; reference angles; bounds that are hit at speed. Joints are closed to 1e-12 m and
// 1e-10 rad after every substep (stepMechanism).
#include "mechanisms.h"

static const pbdrVec3 origin = {0.0, 0.0, 0.0}, alongX = {1.0, 0.0, 0.0}, alongY = {0.0, 1.0, 0.0};

// Two bodies that are fixed to each other tumble as one that has the mass and inertia of both.
static void fixed__makes_one_body(void)
{
    const double m1 = 1.0, m2 = 0.5, m = m1 + m2;
    const pbdrVec3 i1 = {0.02, 0.03, 0.04}, i2 = {0.01, 0.015, 0.012};
    // centres on the x axis, a apart; of both: from body 1 by a m2/m
    const double a = 0.3, reduced = m1 * m2 / m * a * a;
    const pbdrVec3 both = {i1.x + i2.x, i1.y + i2.y + reduced, i1.z + i2.z + reduced};
    const pbdrVec3 spin = {1.0, 4.0, 0.5}, speed = {0.3, -0.2, 0.1};
    const double duration = 1.0;
    pbdrWorld* exact = makeWeightless(1.0e-4);
    const pbdrBodyId one =
        addRigid(exact, m, both, (pbdrPose){origin, {1.0, 0.0, 0.0, 0.0}}, (pbdrVelocity){speed, spin});
    CHECK(pbdrWorld_Step(exact, (int)lround(duration / 1.0e-4)) == 0);
    const pbdrPose pose = pbdrBody_GetPose(exact, one);
    const pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
    const pbdrVec3 wanted = pbdrAdd(pose.position, pbdrMulMV(&turn, pbdrVec(-a * m2 / m, 0.0, 0.0)));
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 4.0e-3 / (1 << k);
        pbdrWorld* world = makeWeightless(dt);
        const pbdrVec3 places[2] = {{-a * m2 / m, 0.0, 0.0}, {a * m1 / m, 0.0, 0.0}};
        pbdrBodyId bodies[2];
        for (int i = 0; i < 2; i++) {
            bodies[i] = addRigid(world, i == 0 ? m1 : m2, i == 0 ? i1 : i2,
                                 (pbdrPose){places[i], {1.0, 0.0, 0.0, 0.0}},
                                 (pbdrVelocity){pbdrAdd(speed, pbdrCross(spin, places[i])), spin});
        }
        addJoint(world, pbdr_jointFixed, bodies[0], bodies[1], pbdrVec(0.05, 0.1, -0.2), alongX);
        stepMechanism(world, (int)lround(duration / dt));
        errors[k] = pbdrLength(pbdrSub(pbdrBody_GetPose(world, bodies[0]).position, wanted));
        const pbdrVec3 p1 = pbdrBody_GetMomentum(world, bodies[0]).linear,
                       p2 = pbdrBody_GetMomentum(world, bodies[1]).linear;
        // what the search leaves per substep
        CHECK_LE(pbdrLength(pbdrSub(pbdrAdd(p1, p2), pbdrScale(m, speed))), 1.0e-14 * duration / dt);
        pbdrDestroyWorld(world);
    }
    pbdrDestroyWorld(exact);
    checkOrder("two bodies fixed to each other that tumble for 1 s", "m", 4.0e-3, errors);
}

// A slide along u: a = g.u, so that the way is a t^2/2 to rounding; the guide bears what is left of the weight.
static void slide__falls_along_its_axis(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const double mass = 2.0;
    const pbdrVec3 axis = {0.6, 0.0, -0.8}, point = {0.1, 0.2, 0.3};
    const pbdrBodyId body = addStill(world, mass, pbdrVec(0.1, 0.2, 0.3), origin);
    const pbdrJointId slide = addJoint(world, pbdr_jointSlide, theWorld, body, point, axis);
    stepMechanism(world, 1000);
    const double along = 0.8 * PBDR_DEFAULT_GRAVITY;
    CHECK_NEAR(pbdrJoint_GetPosition(world, slide), 0.5 * along, 1.0e-11);
    CHECK_NEAR(pbdrJoint_GetVelocity(world, slide), along, 1.0e-11);
    const pbdrVec3 rest =
        pbdrSub(pbdrVec(0.0, 0.0, mass * PBDR_DEFAULT_GRAVITY), pbdrScale(-mass * along, axis));
    CHECK_LE(pbdrLength(pbdrSub(pbdrJoint_GetReaction(world, slide).force, rest)), 1.0e-9);
    pbdrDestroyWorld(world);
}

// Two balls with a rod without mass, thrown: their middle flies on a parabola, and the rod turns evenly, and pulls m1 m2/m l w^2.
static void distance__makes_a_dumbbell(void)
{
    const double m1 = 1.0, m2 = 2.0, m = 3.0, l = 0.6, w = 5.0, duration = 1.0;
    double errors[SIZES];
    for (int k = 0; k < SIZES; k++) {
        const double dt = 4.0e-3 / (1 << k);
        pbdrWorld* world = makeMechanismWorld(dt);
        const pbdrVec3 places[2] = {{-l * m2 / m, 0.0, 0.0}, {l * m1 / m, 0.0, 0.0}}, up = {0.2, 0.0, 3.0};
        pbdrBodyId bodies[2];
        for (int i = 0; i < 2; i++) {
            const pbdrVec3 turning = pbdrCross(pbdrVec(0.0, -w, 0.0), places[i]);
            bodies[i] = addRigid(world, i == 0 ? m1 : m2, pbdrVec(1.0e-3, 1.0e-3, 1.0e-3),
                                 (pbdrPose){places[i], {1.0, 0.0, 0.0, 0.0}},
                                 (pbdrVelocity){pbdrAdd(up, turning), origin});
        }
        pbdrJointDef def = pbdrDefaultJointDef();
        def.kind = pbdr_jointDistance;
        def.bodyA = bodies[0];
        def.bodyB = bodies[1];
        def.length = l;
        pbdrError error;
        pbdrJointId rod;
        require(pbdrCreateJoint(world, &def, &rod, &error), &error);
        stepMechanism(world, (int)lround(duration / dt));
        const pbdrVec3 a = pbdrBody_GetPose(world, bodies[0]).position,
                       b = pbdrBody_GetPose(world, bodies[1]).position;
        const pbdrVec3 middle = pbdrScale(1.0 / m, pbdrAdd(pbdrScale(m1, a), pbdrScale(m2, b)));
        CHECK_NEAR(middle.x, up.x * duration, 1.0e-11);
        CHECK_NEAR(middle.z, up.z * duration - 0.5 * PBDR_DEFAULT_GRAVITY * duration * duration, 1.0e-11);
        CHECK_NEAR(pbdrLength(pbdrJoint_GetReaction(world, rod).force), m1 * m2 / m * l * w * w,
                   2.0e-4 * m1 * m2 / m * l * w * w);
        // about -y: x towards z
        const pbdrVec3 wanted = {l * cos(w * duration), 0.0, l * sin(w * duration)};
        errors[k] = pbdrLength(pbdrSub(pbdrSub(b, a), wanted));
        pbdrDestroyWorld(world);
    }
    checkOrder("two balls on a rod without mass that are thrown after 1 s", "m", 4.0e-3, errors);
}

// Cardan's law: two shafts that meet at the angle b, tied by a universal joint. The first one turns evenly by q; the second is
// at atan2(sin q, cos q cos b) or atan2(sin q cos b, cos q), by how the forks stand. Three rows of the loop depend on others.
static void universal__obeys_cardans_law(void)
{
    const double b = 0.5, rate = 3.0;
    pbdrWorld* world = makeWeightless(1.0e-3);
    const pbdrVec3 first = {1.0, 0.0, 0.0}, second = {cos(b), sin(b), 0.0}, z = {0.0, 0.0, 1.0};
    const pbdrVec3 moments = {0.01, 0.02, 0.02};
    const pbdrBodyId in = addStill(world, 1.0, moments, pbdrVec(-0.5, 0.0, 0.0)),
                     out = addStill(world, 1.0, moments, pbdrScale(0.5, second));
    pbdrJointDef motor = pbdrDefaultJointDef();
    motor.motor = pbdr_motorVelocity;
    motor.motorTarget = rate;
    const pbdrJointId drive = addJointWith(world, &motor, pbdr_jointHinge, theWorld, in, pbdrVec(-1, 0, 0),
                                           first),
                      driven = addJoint(world, pbdr_jointHinge, theWorld, out, second, second);
    // the cross: A's arm along z, B's in the plane of the shafts, at a right angle to the second one
    pbdrJointDef cross = pbdrDefaultJointDef();
    cross.kind = pbdr_jointUniversal;
    cross.bodyA = in;
    cross.bodyB = out;
    CHECK(pbdrPlaceJointDef(world, &cross, origin, z) == pbdr_statusOk);
    cross.frameB.axis = pbdrVec(-sin(b), cos(b), 0.0); // bodies' axes are the world's at the start
    pbdrError error;
    require(pbdrCreateJoint(world, &cross, NULL, &error), &error);
    double worst = 0.0;
    for (int k = 0; k < 4000; k++) {
        stepMechanism(world, 1);
        const double q = pbdrJoint_GetPosition(world, drive), p = pbdrJoint_GetPosition(world, driven);
        CHECK_NEAR(q, rate * 1.0e-3 * (k + 1), 1.0e-10);
        const double law = atan2(sin(q) * cos(b), cos(q)), off = p - law;
        worst = fmax(worst, fabs(off - 2.0 * PBDR_PI * floor(off / (2.0 * PBDR_PI) + 0.5)));
    }
    CHECK_MEASURED("Cardan's law of a universal joint between shafts 0.5 rad apart: off in 4 s [rad]", worst,
                   1.0e-10);
    pbdrDestroyWorld(world);
}

// A rope of 1 m, slack at first: a ball falls freely beside its anchor, until the rope is taut and takes the velocity along it
// away; from then on it is a pendulum. What it keeps: (0.6 v)^2/2, v^2 = 2 g 0.8. It stops within a substep: first order.
static void rope__is_slack_and_then_taut(void)
{
    double errors[3];
    for (int size = 0; size < 3; size++) {
        const double dt = 4.0e-4 / (1 << size);
        pbdrWorld* world = makeMechanismWorld(dt);
        const pbdrBodyId ball = addStill(world, 1.0, pbdrVec(1.0e-4, 1.0e-4, 1.0e-4), pbdrVec(0.6, 0.0, 0.0));
        pbdrJointDef def = pbdrDefaultJointDef();
        def.kind = pbdr_jointSpan;
        def.bodyB = ball;
        def.upper = 1.0;
        pbdrError error;
        pbdrJointId rope;
        require(pbdrCreateJoint(world, &def, &rope, &error), &error);
        const double fall = sqrt(2.0 * 0.8 / PBDR_DEFAULT_GRAVITY);
        const int free = (int)floor(fall / dt) - 1;
        stepMechanism(world, free);
        CHECK_NEAR(pbdrBody_GetPose(world, ball).position.z,
                   -0.5 * PBDR_DEFAULT_GRAVITY * free * dt * free * dt, 1.0e-11);
        CHECK_EQ(pbdrJoint_GetAxisForce(world, rope), 0.0);
        double energy = getMechanismEnergy(world), rise = 0.0;
        for (int k = 0; k < (int)(1.0 / dt); k++) {
            stepMechanism(world, 1);
            CHECK_LE(pbdrJoint_GetPosition(world, rope), 1.0 + 1.0e-12);
            CHECK_LE(pbdrJoint_GetAxisForce(world, rope), 1.0e-12); // it pulls
            rise = fmax(rise, getMechanismEnergy(world) - energy);
            energy = fmin(energy, getMechanismEnergy(world));
        }
        CHECK_LE(rise, 1.0e-5);
        const double kept = 0.36 * PBDR_DEFAULT_GRAVITY * 0.8 - PBDR_DEFAULT_GRAVITY * 0.8;
        errors[size] = fabs(getMechanismEnergy(world) - kept);
        pbdrDestroyWorld(world);
    }
    CHECK_LE(errors[0], 2.0e-2);
    CHECK_LE(errors[2], 6.0e-3);
}

// The same pendulum as A or B of its hinge, on the world or on a static body, from frames or from a point: one motion, and
// positions of the opposite sign where the sides change.
static void frames__of_either_side_are_one_joint(void)
{
    double places[4][3];
    for (int way = 0; way < 4; way++) {
        pbdrWorld* world = makeMechanismWorld(1.0e-3);
        const pbdrVec3 hinge = {0.3, -0.2, 0.5}, axis = {0.2, 1.0, -0.3};
        const pbdrQuat turned = pbdrQuatFromVector(pbdrVec(0.3, -0.4, 0.5));
        const pbdrPose start = {{0.9, -0.2, 0.4}, turned};
        const pbdrBodyId body =
            addRigid(world, 1.0, pbdrVec(0.02, 0.05, 0.03), start, (pbdrVelocity){origin, origin});
        pbdrJointDef def = pbdrDefaultJointDef();
        def.kind = pbdr_jointHinge;
        pbdrBodyDef still = pbdrDefaultBodyDef();
        still.kind = pbdr_bodyStatic;
        still.position = pbdrVec(2.0, 2.0, 2.0);
        still.rotation = pbdrQuatFromVector(pbdrVec(-1.0, 0.5, 0.2));
        still.filter.mask = 0;
        const pbdrBodyId wall = way == 2 ? addBlock(world, 1, 1, 1, 0.1, 1.0, still) : theWorld;
        def.bodyA = way == 1 ? body : wall;
        def.bodyB = way == 1 ? wall : body;
        if (way < 3) {
            CHECK(pbdrPlaceJointDef(world, &def, hinge, axis) == pbdr_statusOk);
        } else {
            const pbdrMat3 turn = pbdrMatFromQuat(turned);
            def.frameA = (pbdrJointFrame){.anchor = hinge, .axis = pbdrScale(3.0, axis)}; // of any length
            def.frameB =
                (pbdrJointFrame){.anchor = pbdrMulTransposedMV(&turn, pbdrSub(hinge, start.position)),
                                 .axis = pbdrMulTransposedMV(&turn, axis)};
        }
        pbdrError error;
        pbdrJointId id;
        require(pbdrCreateJoint(world, &def, &id, &error), &error);
        stepMechanism(world, 700);
        places[way][0] = pbdrJoint_GetPosition(world, id) * (way == 1 ? -1.0 : 1.0);
        places[way][1] = pbdrBody_GetPose(world, body).position.x;
        places[way][2] = pbdrBody_GetPose(world, body).position.z;
        pbdrDestroyWorld(world);
    }
    CHECK_GE(fabs(places[0][0]), 0.5);
    for (int way = 1; way < 4; way++) {
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(places[way][i], places[0][i], 1.0e-10);
        }
    }
}

// Sides that are 0.3 rad apart at the start: the position begins there, and bounds, springs and motors count from where sides
// agree. A motor brings the axis to 0: the body turns back by 0.3.
static void sides__are_the_reference_angle(void)
{
    pbdrWorld* world = makeWeightless(1.0e-3);
    const pbdrBodyId body = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), origin);
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointHinge;
    def.bodyB = body;
    def.frameA.axis = def.frameB.axis = alongY;
    def.frameA.side = pbdrVec(cos(0.3), 0.0, sin(0.3)); // B's is ahead of it by 0.3 about y
    def.frameB.side = alongX;
    def.lower = -0.1;
    def.upper = 0.35;
    def.motor = pbdr_motorPosition;
    def.motorStiffness = 50.0;
    def.motorDamping = 2.0 * sqrt(50.0 * 0.1); // critical
    pbdrError error;
    pbdrJointId id;
    require(pbdrCreateJoint(world, &def, &id, &error), &error);
    CHECK_NEAR(pbdrJoint_GetPosition(world, id), 0.3, 1.0e-14);
    stepMechanism(world, 3000);
    CHECK_NEAR(pbdrJoint_GetPosition(world, id), 0.0, 1.0e-9);
    const pbdrQuat q = pbdrBody_GetPose(world, body).rotation;
    CHECK_NEAR(2.0 * atan2(q.y, q.w), -0.3, 1.0e-9);
    // and not beyond its bound
    CHECK(pbdrJoint_SetMotorTarget(world, id, 2.0) == pbdr_statusOk);
    stepMechanism(world, 3000);
    CHECK_NEAR(pbdrJoint_GetPosition(world, id), 0.35, 1.0e-12);
    CHECK_NEAR(pbdrJoint_GetAxisForce(world, id), 0.0, 1.0e-9); // the bound bears what the motor pushes with
    pbdrDestroyWorld(world);
}

// What bounds do to the energy of a chain that is thrown at them, over its start's.
typedef struct Rises {
    double most;  // over the least that it was
    double hits;  // at most, in a substep at whose end an axis has come to its bound
    double holds; // likewise in other substeps, with axes at their bounds
} Rises;

static Rises maxOf(Rises a, Rises b)
{
    return (Rises){fmax(a.most, b.most), fmax(a.hits, b.hits), fmax(a.holds, b.holds)};
}

// A chain that is thrown at the narrow bounds of its hinges loses half of its energy at least. Hinges of `bounds` false have
// none, and links turn by different rates.
static Rises throwAtBounds(double rate, double dt, bool bounds)
{
    pbdrWorld* world = makeWeightless(dt);
    pbdrBodyId last = theWorld;
    pbdrJointId joints[4];
    double lower[4], upper[4];
    double end = 0.0; // velocity of the last link's end
    for (int k = 0; k < 4; k++) {
        // all turn as one at first, about the first hinge
        const double own = bounds || k < 2 ? rate : -rate;
        const pbdrBodyId link =
            addRigid(world, 1.0, pbdrVec(0.002, 0.01, 0.01),
                     (pbdrPose){{0.3 * k + 0.15, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                     (pbdrVelocity){{0.0, 0.0, end - own * 0.15}, {0.0, own, 0.0}});
        end -= own * 0.3;
        pbdrJointDef def = pbdrDefaultJointDef();
        lower[k] = -0.2 - 0.05 * k;
        upper[k] = 0.1 + 0.07 * k;
        if (bounds) {
            def.lower = lower[k];
            def.upper = upper[k];
        }
        joints[k] =
            addJointWith(world, &def, pbdr_jointHinge, last, link, pbdrVec(0.3 * k, 0.0, 0.0), alongY);
        last = link;
    }
    const double start = getMechanismEnergy(world);
    double least = start, before = start;
    bool was[4] = {false, false, false, false};
    Rises rises = {0.0, 0.0, 0.0};
    for (int k = 0; k < (int)lround(1.0 / dt); k++) {
        stepMechanism(world, 1);
        const double now = getMechanismEnergy(world), rise = (now - before) / start;
        bool hit = false;
        for (int i = 0; i < 4; i++) {
            const double at = pbdrJoint_GetPosition(world, joints[i]);
            const bool is = bounds && (fabs(at - lower[i]) < 1.0e-9 || fabs(at - upper[i]) < 1.0e-9);
            hit = hit || (is && !was[i]);
            was[i] = is;
        }
        rises = maxOf(rises, (Rises){(now - least) / start, hit ? rise : 0.0, hit ? 0.0 : rise});
        before = now;
        least = fmin(least, now);
    }
    if (bounds) {
        CHECK_LE(least, 0.5 * start);
    }
    pbdrDestroyWorld(world);
    return rises;
}

// Bounds take energy and give none: no substep in which an axis comes to its bound ends with more energy than it began with,
// by more than rounding. What is left is what links swing by in other substeps, with their bounds as without: of third order
// in a substep, and in all of second. At 30 rad/s links turn by 0.03 rad in 1 ms.
static void bounds_hit_at_speed__give_no_energy(void)
{
    Rises rises[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int trial = 0; trial < 12; trial++) {
        for (int k = 0; k < 2; k++) {
            rises[k] =
                maxOf(rises[k], throwAtBounds(2.5 * (trial + 1), k == 0 ? 1.0e-3 : 2.5e-4, true));
        }
    }
    CHECK_MEASURED("chains thrown at their bounds at up to 30 rad/s: energy rises at 1 ms by what links "
                   "swing (over the start's)",
                   rises[0].most, 1.0e-3);
    CHECK_MEASURED("the same: in a substep in which an axis comes to its bound", rises[0].hits, 1.0e-13);
    CHECK_MEASURED("the same: in another substep", rises[0].holds, 1.0e-3);
    const Rises free = throwAtBounds(30.0, 1.0e-3, false);
    CHECK_MEASURED("a chain without bounds whose links turn by 30 rad/s: in a substep", free.holds, 1.0e-2);
    CHECK_LE(rises[0].holds, free.holds);
    CHECK_LE(rises[1].most, rises[0].most / 10.0);
    CHECK_LE(rises[1].hits, 1.0e-13);
    CHECK_LE(rises[1].holds, rises[0].holds / 30.0); // 4^3
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"fixed__makes_one_body", fixed__makes_one_body},
          {"slide__falls_along_its_axis", slide__falls_along_its_axis},
          {"distance__makes_a_dumbbell", distance__makes_a_dumbbell},
          {"universal__obeys_cardans_law", universal__obeys_cardans_law},
          {"rope__is_slack_and_then_taut", rope__is_slack_and_then_taut},
          {"frames__of_either_side_are_one_joint", frames__of_either_side_are_one_joint},
          {"sides__are_the_reference_angle", sides__are_the_reference_angle},
          {"bounds_hit_at_speed__give_no_energy", bounds_hit_at_speed__give_no_energy});
}
