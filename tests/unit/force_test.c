// Forces of one step, impulses, and what contact does to a body, in every engine.
#include "math/vec.h"
#include "scenes.h"

static const pbdrVec3 ZERO = {0.0, 0.0, 0.0};

static pbdrWorld* makeSpace(int k)
{
    pbdrWorldDef def = getEngineDef(k);
    def.gravity = ZERO;
    return makeWorld(def);
}

// P = F t and L = r x F t about the centre of mass, for the substeps of one step and no longer; beside a
// lasting force, which stays. PBD and PBD-R have velocities from positions, whose rounding at 3 m is worth
// 4e-13 m/s in a substep of 1 ms: PBD keeps the sum of it, PBD-R none in P. PBD loses some of
// L, and XPBD-R shows it with the inertia of where the body has turned to, by w dt = 3e-5 rad.
static void force__acts_in_the_next_step_alone(void)
{
    const pbdrVec3 force = {3.0, -1.0, 2.0}, arm = {0.1, 0.2, -0.05};
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeSpace(k);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(1.0, 2.0, 3.0);
        pbdrBodyId body = addBlock(world, 4, 3, 2, 0.05, 2.0, def);
        CHECK(pbdrBody_ApplyForce(world, body, force, pbdrAdd(def.position, arm)) == pbdr_statusOk);
        CHECK_EQ(pbdrWorld_Step(world, 0), 0); // no substep: it waits
        CHECK_EQ(pbdrWorld_Step(world, 1), 0);
        pbdrMomentum m = pbdrBody_GetMomentum(world, body);
        const double tolerance = k == 0 ? 1e-10 : 1e-14;
        CHECK_LE(distance(m.linear, pbdrScale(1e-3, force)), tolerance);
        CHECK_LE(distance(m.angular, pbdrScale(1e-3, pbdrCross(arm, force))), k % 3 == 0 ? 1e-8 : 1e-12);
        CHECK_EQ(distance(pbdrBody_GetForce(world, body), ZERO), 0.0);
        pbdrWorld_Step(world, 10);
        CHECK_LE(distance(pbdrBody_GetMomentum(world, body).linear, pbdrScale(1e-3, force)), tolerance);
        // twice the force, and the lasting one, over ten substeps
        const pbdrVec3 lasting = {0.0, 5.0, 0.0}, torque = {0.01, 0.0, 0.02};
        pbdrVec3 centre = pbdrBody_GetPose(world, body).position;
        pbdrBody_SetForce(world, body, lasting);
        CHECK(pbdrBody_ApplyForce(world, body, force, centre) == pbdr_statusOk);
        CHECK(pbdrBody_ApplyForce(world, body, force, centre) == pbdr_statusOk);
        CHECK(pbdrBody_ApplyTorque(world, body, torque) == pbdr_statusOk);
        m = pbdrBody_GetMomentum(world, body);
        pbdrWorld_Step(world, 10);
        pbdrMomentum now = pbdrBody_GetMomentum(world, body);
        pbdrVec3 gained = pbdrSub(now.linear, m.linear);
        CHECK_LE(distance(gained, pbdrScale(1e-2, pbdrAddScaled(lasting, 2.0, force))), tolerance);
        // PBD loses angular momentum as it goes; that is its nature
        CHECK_LE(distance(pbdrSub(now.angular, m.angular), pbdrScale(1e-2, torque)), k == 0 ? 1e-5 : 1e-9);
        CHECK_EQ(distance(pbdrBody_GetForce(world, body), lasting), 0.0);
        CHECK_EQ(distance(pbdrBody_GetTorque(world, body), ZERO), 0.0);
        m = now;
        pbdrWorld_Step(world, 10);
        gained = pbdrSub(pbdrBody_GetMomentum(world, body).linear, m.linear);
        CHECK_LE(distance(gained, pbdrScale(1e-2, lasting)), tolerance);
        // once more: what was applied before, and what lasts, are not in it
        m = pbdrBody_GetMomentum(world, body);
        CHECK(pbdrBody_ApplyForce(world, body, force, pbdrBody_GetPose(world, body).position) ==
              pbdr_statusOk);
        pbdrWorld_Step(world, 10);
        gained = pbdrSub(pbdrBody_GetMomentum(world, body).linear, m.linear);
        CHECK_LE(distance(gained, pbdrScale(1e-2, pbdrAdd(lasting, force))), tolerance);
        pbdrDestroyWorld(world);
    }
}

// An impulse J at p changes P by J and L by (p - c) x J, at once; the pose not at all.
static void impulse__changes_momentum_at_once(void)
{
    const pbdrVec3 impulse = {0.3, -0.1, 0.2}, spin = {0.01, -0.02, 0.03};
    for (int k = 0; k < ENGINE_COUNT; k++) {
        for (int precision = 0; precision < 2; precision++) {
            // sums of 24 particles of 0.1 kg at 1 m/s and 4 m, each rounded
            const double tolerance = precision == 0 ? 1e-6 : 1e-14;
            pbdrWorldDef worldDef = getEngineDef(k);
            worldDef.precision = (pbdrPrecision)precision;
            pbdrWorld* world = makeWorld(worldDef);
            pbdrBodyDef def = pbdrDefaultBodyDef();
            def.position = pbdrVec(1.0, 2.0, 3.0);
            def.rotation = (pbdrQuat){0.5, 0.5, -0.5, 0.5};
            def.velocity = (pbdrVelocity){{0.1, 0.2, 0.3}, {1.0, 2.0, 3.0}};
            def.extraInertia.m[2][2] = 1e-3;
            pbdrBodyId body = addBlock(world, 4, 3, 2, 0.05, 2.4, def);
            pbdrPose pose = pbdrBody_GetPose(world, body);
            pbdrMomentum before = pbdrBody_GetMomentum(world, body);
            const pbdrVec3 point = {1.2, 1.9, 3.1};
            CHECK(pbdrBody_ApplyImpulse(world, body, impulse, point) == pbdr_statusOk);
            CHECK(pbdrBody_ApplyAngularImpulse(world, body, spin) == pbdr_statusOk);
            pbdrMomentum after = pbdrBody_GetMomentum(world, body);
            CHECK_LE(distance(pbdrSub(after.linear, before.linear), impulse), tolerance);
            pbdrVec3 turned = pbdrAdd(spin, pbdrCross(pbdrSub(point, pose.position), impulse));
            CHECK_LE(distance(pbdrSub(after.angular, before.angular), turned), tolerance);
            pbdrPose now = pbdrBody_GetPose(world, body);
            CHECK_LE(distance(now.position, pose.position), tolerance);
            pbdrDestroyWorld(world);
        }
    }
}

static void forces__refuse_what_no_body_can_have(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        Ledger ledger = {0};
        pbdrWorldDef worldDef = getEngineDef(k);
        worldDef.hooks = makeHooks(&ledger);
        pbdrWorld* world = makeWorld(worldDef);
        pbdrBodyId body = addCube(world, 2, 0.0, 0.0, 0.4);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdr_bodyStatic;
        pbdrBodyId fixed = addBlock(world, 1, 1, 1, 0.1, 1.0, def);
        def.kind = pbdr_bodyKinematic;
        pbdrBodyId driven = addBlock(world, 2, 2, 2, 0.1, 2.0, def);
        const pbdrVec3 bad = {(double)NAN, 0.0, 0.0}, good = {1.0, 0.0, 0.0}, huge = {1.7e308, 0.0, 0.0};
        const uint64_t hash = pbdrWorld_GetHash(world);
        CHECK(pbdrBody_ApplyForce(world, body, bad, ZERO) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyForce(world, body, good, bad) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyTorque(world, body, bad) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyImpulse(world, body, bad, ZERO) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyImpulse(world, body, good, bad) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyAngularImpulse(world, body, bad) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyForce(world, fixed, good, ZERO) == pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyImpulse(world, fixed, good, ZERO) == pbdr_statusInvalidArgument);
        // what adds up to infinity
        CHECK(pbdrBody_ApplyForce(world, body, huge, pbdrBody_GetPose(world, body).position) ==
              pbdr_statusOk);
        CHECK(pbdrBody_ApplyForce(world, body, huge, pbdrBody_GetPose(world, body).position) ==
              pbdr_statusInvalidArgument);
        CHECK(pbdrBody_ApplyForce(world, body, pbdrScale(-1.0, huge),
                                  pbdrBody_GetPose(world, body).position) == pbdr_statusOk);
        CHECK(pbdrWorld_GetHash(world) == hash);
        CHECK(pbdrBody_ApplyImpulse(world, driven, good, ZERO) == pbdr_statusOk);
        CHECK_NEAR(pbdrBody_GetVelocity(world, driven).linear.x, 0.5, 1e-15);
        CHECK_EQ(ledger.assertions, 0);
        pbdrDestroyBody(world, body);
        CHECK(pbdrBody_ApplyForce(world, body, good, ZERO) == pbdr_statusInvalidId);
        CHECK(pbdrBody_ApplyTorque(world, body, good) == pbdr_statusInvalidId);
        CHECK(pbdrBody_ApplyImpulse(world, body, good, ZERO) == pbdr_statusInvalidId);
        CHECK(pbdrBody_ApplyAngularImpulse(world, body, good) == pbdr_statusInvalidId);
        CHECK_EQ(distance(pbdrBody_GetContactWrench(world, body, ZERO).force, ZERO), 0.0);
        CHECK_EQ(distance(pbdrWorld_GetPairWrench(world, driven, body, ZERO).force, ZERO), 0.0);
        CHECK_EQ(distance(pbdrWorld_GetPlaneWrench(world, driven, (pbdrPlaneId){0, 0, 0}, ZERO).force, ZERO),
                 0.0);
        CHECK_EQ(ledger.assertions, 7);
        pbdrDestroyWorld(world);
    }
}

// A stack of two at rest, the upper one pushed without sliding: what acts on each body adds up to nothing,
// force and torque, about any point; and the pair's two wrenches are each other's opposite. PBD and PBD-R
// keep 0.1^10 of each correction, in a substep of which m g dt is the momentum, and rock by as much.
static void wrench__balances_weight_and_push(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrPlaneId ground = addGround(world, 0.6);
        pbdrBodyId lower = addCube(world, 3, 0.0, 0.0, 0.6);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.0, 0.0, 0.3);
        def.friction = 0.6;
        pbdrBodyId upper = addBlock(world, 3, 3, 3, 0.1 / 3, 2.0, def);
        const pbdrVec3 push = {2.0, 0.0, 0.0}, about = {0.3, -0.2, 0.7};
        pbdrBody_SetForce(world, upper, push);
        CHECK_EQ(pbdrWorld_Step(world, 300), 0);
        const double tolerance = k == 3 ? 1e-6 : 2e-2; // [N], of 60 N
        pbdrVec3 centre = pbdrBody_GetPose(world, upper).position;
        pbdrVec3 load = pbdrAdd(push, pbdrVec(0.0, 0.0, -2.0 * 9.81));
        pbdrWrench onUpper = pbdrWorld_GetPairWrench(world, upper, lower, about);
        CHECK_LE(distance(onUpper.force, pbdrScale(-1.0, load)), tolerance);
        CHECK_LE(distance(onUpper.torque, pbdrScale(-1.0, pbdrCross(pbdrSub(centre, about), load))),
                 tolerance);
        pbdrWrench onLower = pbdrWorld_GetPairWrench(world, lower, upper, about);
        CHECK_LE(distance(onLower.force, pbdrScale(-1.0, onUpper.force)), 1e-12);
        if (k == 3) { // in PBD and PBD-R friction acts at two centres, and so turns the pair
            CHECK_LE(distance(onLower.torque, pbdrScale(-1.0, onUpper.torque)), 1e-12);
        }
        pbdrWrench byGround = pbdrWorld_GetPlaneWrench(world, lower, ground, about);
        CHECK_LE(distance(byGround.force, pbdrVec(-2.0, 0.0, 6.0 * 9.81)), tolerance);
        pbdrWrench all = pbdrBody_GetContactWrench(world, lower, about);
        CHECK_LE(distance(all.force, pbdrAdd(byGround.force, onLower.force)), 1e-12);
        CHECK_LE(distance(all.torque, pbdrAdd(byGround.torque, onLower.torque)), 1e-12);
        // about its own centre of mass nothing turns a body that stands
        pbdrVec3 own = pbdrBody_GetPose(world, lower).position;
        CHECK_LE(pbdrLength(pbdrBody_GetContactWrench(world, lower, own).torque), tolerance);
        CHECK_EQ(pbdrLength(pbdrWorld_GetPlaneWrench(world, upper, ground, about).force), 0.0);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"force__acts_in_the_next_step_alone", force__acts_in_the_next_step_alone},
          {"impulse__changes_momentum_at_once", impulse__changes_momentum_at_once},
          {"forces__refuse_what_no_body_can_have", forces__refuse_what_no_body_can_have},
          {"wrench__balances_weight_and_push", wrench__balances_weight_and_push});
}
