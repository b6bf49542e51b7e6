// Collision filters: who touches whom, in every engine.
#include "math/vec.h"
#include "scenes.h"

static bool haveContact(const pbdrWorld* world, pbdrBodyId a, pbdrBodyId b)
{
    static pbdrContact contacts[512];
    int count = pbdrWorld_GetContacts(world, contacts, 512);
    bool found = false;
    for (int k = 0; k < count && k < 512; k++) {
        int32_t first = contacts[k].bodyA.index1, second = contacts[k].bodyB.index1;
        found =
            found || (first == a.index1 && second == b.index1) || (first == b.index1 && second == a.index1);
    }
    return found;
}

static pbdrBodyId addFiltered(pbdrWorld* world, double x, double z, pbdrFilter filter)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(x, 0.0, z);
    def.filter = filter;
    return addBlock(world, 3, 3, 3, 0.1 / 3, 4.0, def);
}

// Each bit pattern, and whether two bodies of it touch: either mask alone keeps them apart.
static void bodies__touch_if_each_has_the_others_category(void)
{
    const struct {
        pbdrFilter upper, lower;
        bool touch;
    } cases[] = {
        {{1, UINT64_MAX}, {1, UINT64_MAX}, true},
        {{2, UINT64_MAX}, {1, 1}, false}, // the lower one does not want the upper
        {{1, 4}, {2, UINT64_MAX}, false}, // the other way round
        {{2, 5}, {4, 2}, true},
        {{(uint64_t)1 << 63, 1}, {1, (uint64_t)1 << 63}, true},
        {{0, UINT64_MAX}, {1, UINT64_MAX}, false}, // of no category
    };
    for (int k = 0; k < ENGINE_COUNT; k++) {
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            pbdrWorld* world = makeWorld(getEngineDef(k));
            pbdrPlaneDef groundDef = pbdrDefaultPlaneDef();
            groundDef.filter = (pbdrFilter){UINT64_MAX, UINT64_MAX};
            CHECK(pbdrCreatePlane(world, &groundDef, NULL, NULL) == pbdr_statusOk);
            pbdrBodyId lower = addFiltered(world, 0.0, 0.1, cases[c].lower);
            pbdrBodyId upper = addFiltered(world, 0.0, 0.31, cases[c].upper);
            CHECK_EQ(pbdrBody_GetFilter(world, upper).category, cases[c].upper.category);
            CHECK_EQ(pbdrBody_GetFilter(world, upper).mask, cases[c].upper.mask);
            pbdrWorld_Step(world, 100); // 1 cm of free fall takes 45
            CHECK(haveContact(world, lower, upper) == cases[c].touch);
            // otherwise it has fallen g t^2/2 = 49 mm through the lower one, PBD's first order apart
            double z = pbdrBody_GetPose(world, upper).position.z;
            CHECK_NEAR(z, cases[c].touch ? 0.3 : 0.31 - 0.5 * 9.81 * 0.01, 2e-3);
            pbdrDestroyWorld(world);
        }
    }
}

// Two bodies that overlap and do not touch each other, on a third that both touch: neither search lists them.
static void bodies__that_pass_each_other_touch_a_third(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrBodyDef floorDef = pbdrDefaultBodyDef();
        floorDef.kind = pbdr_bodyStatic;
        floorDef.position.z = -0.05;
        floorDef.filter = (pbdrFilter){1, UINT64_MAX};
        pbdrBodyId floor = addBlock(world, 12, 6, 1, 0.05, 10.0, floorDef);
        pbdrBodyId a = addFiltered(world, 0.0, 0.1, (pbdrFilter){2, 1});
        pbdrBodyId b = addFiltered(world, 0.05, 0.1, (pbdrFilter){4, 1});
        for (int i = 0; i < 20; i++) {
            CHECK_EQ(pbdrWorld_Step(world, 5), 0);
            CHECK(!haveContact(world, a, b));
        }
        CHECK(haveContact(world, a, floor) && haveContact(world, b, floor));
        CHECK_LE(fabs(pbdrBody_GetPose(world, b).position.x - 0.05), 1e-3);
        pbdrDestroyWorld(world);
    }
}

// A plane that a body does not touch is not there for it: free fall to the bit.
static void planes__are_filtered(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld *with = makeWorld(getEngineDef(k)), *without = makeWorld(getEngineDef(k));
        pbdrPlaneDef groundDef = pbdrDefaultPlaneDef();
        groundDef.filter = (pbdrFilter){1, ~(uint64_t)8};
        CHECK(pbdrCreatePlane(with, &groundDef, NULL, NULL) == pbdr_statusOk);
        pbdrBodyId ghost = addFiltered(with, 0.0, 0.1, (pbdrFilter){8, UINT64_MAX});
        pbdrBodyId solid = addFiltered(with, 5.0, 0.1, (pbdrFilter){1, UINT64_MAX});
        pbdrBodyId alone = addFiltered(without, 0.0, 0.1, (pbdrFilter){8, UINT64_MAX});
        CHECK_EQ(pbdrWorld_Step(with, 200), 0);
        CHECK_EQ(pbdrWorld_Step(without, 200), 0);
        pbdrPose a = pbdrBody_GetPose(with, ghost), b = pbdrBody_GetPose(without, alone);
        CHECK(memcmp(&a, &b, sizeof a) == 0);
        CHECK_NEAR(pbdrBody_GetPose(with, solid).position.z, 0.1, 1e-3);
        pbdrDestroyWorld(with), pbdrDestroyWorld(without);
    }
}

// True boxes, which touch by their surfaces: one stands on the other, one falls through it and stands on the
// plane, one falls through both. What stands is borne by what it stands on, to its weight.
static void surfaces__are_filtered_too(void)
{
    pbdrWorld* world = makeWorld(getEngineDef(3));
    pbdrPlaneDef groundDef = pbdrDefaultPlaneDef();
    groundDef.filter = (pbdrFilter){1, 1 | 2 | 4};
    pbdrPlaneId ground;
    CHECK(pbdrCreatePlane(world, &groundDef, &ground, NULL) == pbdr_statusOk);
    pbdrShape* box;
    CHECK(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, 4, &box, NULL) == pbdr_statusOk);
    const pbdrFilter filters[4] = {{1, 1 | 2}, {2, 1}, {4, 1}, {8, 1}};
    pbdrBodyId boxes[4];
    for (int k = 0; k < 4; k++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.filter = filters[k];
        def.position.z = k == 0 ? 0.1 : 0.3; // all three in the same place
        CHECK(pbdrCreateBodyFromShape(world, &def, box, &boxes[k], NULL) == pbdr_statusOk);
    }
    pbdrReleaseShape(box);
    // box 0 stands; 1 stands on it; 2 touches the ground alone, 3 nothing
    CHECK_EQ(pbdrWorld_Step(world, 500), 0);
    CHECK_NEAR(pbdrBody_GetPose(world, boxes[0]).position.z, 0.1, 1e-9);
    CHECK_NEAR(pbdrBody_GetPose(world, boxes[1]).position.z, 0.3, 1e-9);
    CHECK_NEAR(pbdrBody_GetPose(world, boxes[2]).position.z, 0.1, 1e-3); // after a fall of 0.2 m
    CHECK_NEAR(pbdrBody_GetPose(world, boxes[3]).position.z, 0.3 - 0.5 * 9.81 * 0.25, 1e-9);
    const pbdrVec3 about = {0.3, 0.1, 0.0};
    pbdrWrench pair = pbdrWorld_GetPairWrench(world, boxes[1], boxes[0], about);
    CHECK_LE(distance(pair.force, pbdrVec(0.0, 0.0, 4.0 * 9.81)), 1e-6);
    CHECK_LE(distance(pair.torque, pbdrCross(pbdrSub(pbdrVec(0.0, 0.0, 0.3), about), pair.force)), 1e-6);
    pbdrWrench plane = pbdrWorld_GetPlaneWrench(world, boxes[0], ground, about);
    CHECK_LE(distance(plane.force, pbdrVec(0.0, 0.0, 8.0 * 9.81)), 1e-6);
    pbdrDestroyWorld(world);
}

// Changing a filter drops what rests, and catches what falls; the same through the plane's.
static void setters__act_at_once(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorld* world = makeWorld(getEngineDef(k));
        pbdrPlaneId ground = addGround(world, 0.4);
        pbdrBodyId body = addCube(world, 3, 0.0, 0.0, 0.4);
        pbdrFilter filter = pbdrBody_GetFilter(world, body);
        CHECK(filter.category == 1 && filter.mask == UINT64_MAX);
        filter = pbdrPlane_GetFilter(world, ground);
        CHECK(filter.category == 1 && filter.mask == UINT64_MAX);
        pbdrWorld_Step(world, 20);
        CHECK_GE(pbdrWorld_GetContacts(world, NULL, 0), 4);
        CHECK(pbdrBody_SetFilter(world, body, filter) == pbdr_statusOk); // no change: contacts stay
        CHECK_GE(pbdrWorld_GetContacts(world, NULL, 0), 4);
        CHECK(pbdrBody_SetFilter(world, body, (pbdrFilter){1, 2}) == pbdr_statusOk);
        CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
        pbdrWorld_Step(world, 20);
        double z = pbdrBody_GetPose(world, body).position.z;
        CHECK_NEAR(z, 0.1 - 0.5 * 9.81 * 4e-4, 2e-4);
        CHECK(pbdrPlane_SetFilter(world, ground, (pbdrFilter){2, 1}) == pbdr_statusOk);
        pbdrWorld_Step(world, 1);
        CHECK_GE(pbdrWorld_GetContacts(world, NULL, 0), 4);
        pbdrWorld_Step(world, 20);
        CHECK_GE(pbdrBody_GetPose(world, body).position.z, z); // caught, and raised
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"bodies__touch_if_each_has_the_others_category", bodies__touch_if_each_has_the_others_category},
          {"bodies__that_pass_each_other_touch_a_third", bodies__that_pass_each_other_touch_a_third},
          {"planes__are_filtered", planes__are_filtered},
          {"surfaces__are_filtered_too", surfaces__are_filtered_too},
          {"setters__act_at_once", setters__act_at_once});
}
