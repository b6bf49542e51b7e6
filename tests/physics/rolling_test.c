// Rolling and spinning friction: moments over the normal force, against the turn of the bodies.
#include "xpbdr_scenes.h"

#define RADIUS 0.05
#define MU 0.002 // [m]

static pbdrWorld* makeFloor(double rolling, double spinning)
{
    pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    plane.rollingFriction = rolling;
    plane.spinningFriction = spinning;
    pbdrError error;
    require(pbdrCreatePlane(world, &plane, NULL, &error), &error);
    return world;
}

// A solid ball on the floor with the given velocity, its coefficients both MU.
static pbdrBodyId addRoller(pbdrWorld* world, double speed, double roll, double spin)
{
    pbdrError error;
    pbdrShape* ball;
    require(pbdrCreateBallShape(RADIUS, 1.0, &ball, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, RADIUS);
    def.velocity.linear = pbdrVec(speed, 0.0, 0.0);
    def.velocity.angular = pbdrVec(0.0, roll, spin);
    def.rollingFriction = def.spinningFriction = MU;
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &def, ball, &id, &error), &error);
    pbdrReleaseShape(ball);
    return id;
}

// m a = -f, I alpha = f r - mu m g, a = r alpha, I = 2/5 m r^2:  a = -5/7 mu g/r. It stops after v^2/(2 a),
// and stays. The stop lies within a substep, whose mean velocity moves it by some v dt too far.
static void ball__rolls_out_as_the_closed_form_says(void)
{
    pbdrWorld* world = makeFloor(MU, MU);
    pbdrBodyId ball = addRoller(world, 0.5, 0.5 / RADIUS, 0.0);
    const double a = 5.0 / 7.0 * MU * GRAVITY / RADIUS;
    CHECK_EQ(stepCounting(world, 500), 0);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.x, 0.5 - 0.5 * a, 1e-13);
    CHECK_EQ(stepCounting(world, 3000), 0);
    double stop = pbdrBody_GetPose(world, ball).position.x;
    CHECK_NEAR(stop, 0.25 / (2.0 * a), 1e-7);
    CHECK_EQ(stepCounting(world, 3000), 0);
    CHECK_NEAR(pbdrBody_GetPose(world, ball).position.x, stop, 1e-13);
    CHECK_LE(pbdrLength(pbdrBody_GetVelocity(world, ball).angular), 1e-13);
    pbdrDestroyWorld(world);
}

// I alpha = -mu m g
static void ball__stops_spinning_as_the_closed_form_says(void)
{
    pbdrWorld* world = makeFloor(MU, MU);
    pbdrBodyId ball = addRoller(world, 0.0, 0.0, 10.0);
    CHECK_EQ(stepCounting(world, 500), 0);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).angular.z,
               10.0 - 0.5 * 2.5 * MU * GRAVITY / (RADIUS * RADIUS), 1e-11);
    CHECK_EQ(stepCounting(world, 500), 0);
    CHECK_LE(pbdrLength(pbdrBody_GetVelocity(world, ball).angular), 1e-13);
    pbdrDestroyWorld(world);
}

// A push F at the centre moves a ball at rest if F r > mu m g: 0.39 N here.
static void ball__holds_against_a_push_below_the_limit(void)
{
    for (int k = 0; k < 2; k++) {
        pbdrWorld* world = makeFloor(MU, MU);
        pbdrBodyId ball = addRoller(world, 0.0, 0.0, 0.0);
        double limit = MU * GRAVITY / RADIUS, push = (k == 0 ? 0.99 : 1.01) * limit;
        pbdrBody_SetForce(world, ball, pbdrVec(push, 0.0, 0.0));
        CHECK_EQ(stepCounting(world, 5000), 0);
        double x = pbdrBody_GetPose(world, ball).position.x;
        // above it: (7/5) m a = F - mu m g/r
        CHECK_NEAR(x, k == 0 ? 0.0 : 0.5 * 25.0 * (push - limit) / 1.4, k == 0 ? 3e-11 : 1e-9);
        pbdrDestroyWorld(world);
    }
}

// The geometric mean of two coefficients: none if either has none.
static void coefficients__mix_as_friction_does(void)
{
    pbdrWorld* world = makeFloor(0.0, 0.0);
    pbdrBodyId ball = addRoller(world, 0.5, 0.5 / RADIUS, 3.0);
    CHECK_EQ(stepCounting(world, 1000), 0);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).linear.x, 0.5, 1e-13);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).angular.z, 3.0, 1e-13);
    pbdrDestroyWorld(world);
}

// Two bodies: what one loses of the spin the other gains.
static void spin__goes_over_to_the_other_body(void)
{
    pbdrWorld* world = makeFloor(0.0, 0.0);
    pbdrError error;
    pbdrShape* box;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.1), 4.0, 2, &box, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, 0.05);
    def.friction = 0.0;
    def.spinningFriction = def.rollingFriction = MU;
    pbdrBodyId base, ball = {0};
    require(pbdrCreateBodyFromShape(world, &def, box, &base, &error), &error);
    pbdrShape* round;
    require(pbdrCreateBallShape(RADIUS, 1.0, &round, &error), &error);
    def.position.z = 0.1 + RADIUS;
    def.velocity.angular.z = 10.0;
    require(pbdrCreateBodyFromShape(world, &def, round, &ball, &error), &error);
    pbdrReleaseShape(box);
    pbdrReleaseShape(round);
    double before = pbdrBody_GetMomentum(world, ball).angular.z;
    CHECK_EQ(stepCounting(world, 2000), 0);
    double after = pbdrBody_GetMomentum(world, ball).angular.z + pbdrBody_GetMomentum(world, base).angular.z;
    CHECK_NEAR(after, before, 1e-14);
    CHECK_NEAR(pbdrBody_GetVelocity(world, ball).angular.z, pbdrBody_GetVelocity(world, base).angular.z,
               1e-11);
    pbdrDestroyWorld(world);
}

static void state__carries_the_moment(void)
{
    pbdrWorld* worlds[2];
    pbdrBodyId balls[2];
    for (int k = 0; k < 2; k++) {
        worlds[k] = makeFloor(MU, MU);
        balls[k] = addRoller(worlds[k], 0.0, 0.0, 0.0);
        pbdrBody_SetForce(worlds[k], balls[k], pbdrVec(0.2, 0.0, 0.0));
    }
    CHECK_EQ(stepCounting(worlds[0], 100), 0);
    size_t size = pbdrWorld_GetStateSize(worlds[0]);
    void* state = malloc(size);
    pbdrError error;
    require(pbdrWorld_GetState(worlds[0], state, size, &error), &error);
    require(pbdrWorld_SetState(worlds[1], state, size, &error), &error);
    free(state);
    for (int k = 0; k < 2; k++) {
        CHECK_EQ(stepCounting(worlds[k], 100), 0);
    }
    pbdrPose a = pbdrBody_GetPose(worlds[0], balls[0]), b = pbdrBody_GetPose(worlds[1], balls[1]);
    CHECK_EQ(memcmp(&a, &b, sizeof a), 0);
    pbdrDestroyWorld(worlds[0]);
    pbdrDestroyWorld(worlds[1]);
}

static void definitions__refuse_negative_coefficients(void)
{
    pbdrWorld* world = makeFloor(0.0, 0.0);
    pbdrPlaneDef plane = pbdrDefaultPlaneDef();
    plane.rollingFriction = -1.0;
    pbdrError error;
    CHECK(pbdrCreatePlane(world, &plane, NULL, &error) == pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "rollingFriction");
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"ball__rolls_out_as_the_closed_form_says", ball__rolls_out_as_the_closed_form_says},
          {"ball__stops_spinning_as_the_closed_form_says", ball__stops_spinning_as_the_closed_form_says},
          {"ball__holds_against_a_push_below_the_limit", ball__holds_against_a_push_below_the_limit},
          {"coefficients__mix_as_friction_does", coefficients__mix_as_friction_does},
          {"spin__goes_over_to_the_other_body", spin__goes_over_to_the_other_body},
          {"state__carries_the_moment", state__carries_the_moment},
          {"definitions__refuse_negative_coefficients", definitions__refuse_negative_coefficients});
}
