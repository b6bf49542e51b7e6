// Laws of contact between the spheres of different bodies in PBD and PBD-R: no pair is missed within a
// substep, no force is lost, and what a body's motion says is what its contacts say.
#include "physics/laws.h"

// Three rows of eight balls of 0.1 m, side by side, without gravity: a fixed one, the first at 0.165 m (0.035
// m into it) and the second 0.028 m beyond the first, which is further than the margin within which pairs are
// listed (0.025 m). The first iteration throws the first ball against the second: the pair has to be found
// within the substep.
typedef struct Row {
    pbdrWorld* world;
    pbdrBodyId first, second;
} Row;

static Row makeRow(int kind)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = lawWorlds[kind].solver;
    def.engine = lawWorlds[kind].engine;
    def.gravity = pbdrVec(0.0, 0.0, 0.0);
    def.iterations = 20;
    def.relaxation = 1.0;
    Row row = {.world = makeWorld(def)};
    const double places[3] = {0.0, 0.165, 0.393};
    pbdrBodyId rows[3];
    for (int k = 0; k < 3; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.kind = k == 0 ? pbdr_bodyStatic : pbdr_bodyDynamic;
        body.position = pbdrVec(places[k], 0.0, 0.0);
        rows[k] = addBlock(row.world, 1, 8, 1, 0.1, 8.0, body);
    }
    row.first = rows[1];
    row.second = rows[2];
    return row;
}

// x of the contact force on the first ball from the second [N].
static double getPush(const Row* row)
{
    pbdrContact contacts[MAX_CONTACTS];
    int count = pbdrWorld_GetContacts(row->world, contacts, MAX_CONTACTS);
    double push = 0.0;
    for (int k = 0; k < count && k < MAX_CONTACTS; k++) {
        bool second =
            contacts[k].bodyA.index1 == row->second.index1 || contacts[k].bodyB.index1 == row->second.index1;
        double sign = contacts[k].bodyA.index1 == row->second.index1 ? -1.0 : 1.0;
        push += second ? sign * contacts[k].force.x : 0.0;
    }
    return push;
}

static void pairs__that_meet_within_a_substep_are_found(void)
{
    for (int kind = 0; kind < 3; kind++) {
        Row row = makeRow(kind);
        CHECK_EQ(pbdrWorld_Step(row.world, 1), 0);
        double gap = pbdrBody_GetPose(row.world, row.second).position.x -
                     pbdrBody_GetPose(row.world, row.first).position.x - 0.2;
        CHECK_LE(getPush(&row), -1.0);
        CHECK_GE(gap, -1e-3); // 20 iterations; missed, the overlap would be 7 mm
        pbdrDestroyWorld(row.world);
    }
}

// m dv = sum f dt for each ball: forces of all iterations are kept, whatever is searched between them.
static void forces__of_a_substep_are_the_change_of_momentum(void)
{
    for (int kind = 0; kind < 3; kind++) {
        Row row = makeRow(kind);
        CHECK_EQ(pbdrWorld_Step(row.world, 1), 0);
        double dt = pbdrWorld_GetTimeStep(row.world);
        const pbdrBodyId balls[2] = {row.first, row.second};
        for (int k = 0; k < 2; k++) {
            double force = sumForces(row.world, balls[k]).x;
            double change = pbdrBody_GetMomentum(row.world, balls[k]).linear.x / dt;
            CHECK_NEAR(force, change, 1e-9 * 0.1 / (dt * dt));
        }
        pbdrDestroyWorld(row.world);
    }
}

// Bodies that take no reaction make no contact with each other, however they overlap: a static block, a
// driven one in it, and a free one that overlaps both and makes the world look at their spheres.
static void pairs__of_two_fixed_bodies_are_none(void)
{
    for (int kind = 0; kind < LAW_WORLD_COUNT; kind++) {
        pbdrWorld* world = makeLawWorld(kind, pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        const pbdrBodyKind kinds[3] = {pbdr_bodyStatic, pbdr_bodyKinematic, pbdr_bodyDynamic};
        const pbdrVec3 places[3] = {{0.0, 0.0, 0.0}, {0.1, 0.02, 0.03}, {0.05, 0.0, 0.27}};
        pbdrBodyId free = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            pbdrBodyDef def = pbdrDefaultBodyDef();
            def.kind = kinds[k];
            def.position = places[k];
            free = addBlock(world, 3, 3, 3, 0.05, 1.0, def);
        }
        pbdrWorld_Step(world, 1);
        pbdrContact contacts[MAX_CONTACTS];
        int count = pbdrWorld_GetContacts(world, contacts, MAX_CONTACTS), ofFixed = 0;
        for (int k = 0; k < count && k < MAX_CONTACTS; k++) {
            ofFixed += contacts[k].bodyA.index1 != free.index1 && contacts[k].bodyB.index1 != free.index1;
        }
        CHECK_GE(count, 1);
        CHECK_EQ(ofFixed, 0);
        pbdrDestroyWorld(world);
    }
}

// A rod of 1 m turns about its middle by 2 rad/s, 1 mm a substep at its ends: its centre stays, but its
// candidates must not. A static ball, or a wall, stops it in every engine.
static void turning__is_searched_for(void)
{
    for (int k = 0; k < 2 * LAW_WORLD_COUNT; k++) {
        bool wall = k >= LAW_WORLD_COUNT;
        pbdrWorld* world = makeLawWorld(k % LAW_WORLD_COUNT, pbdrVec(0.0, 0.0, 0.0), 1e-3);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), -0.3);
        def.velocity.angular = pbdrVec(0.0, 0.0, 2.0);
        pbdrBodyId rod = addBlock(world, 25, 1, 1, 0.02, 1.0, def);
        if (wall) {
            addPlane(world, pbdrVec(0.0, -1.0, 0.0), -0.2, 0.0); // solid beyond y = 0.2 m
        } else {
            const pbdrVec3 centre = {0.0, 0.0, 0.0};
            const double radius = 0.02, mass = 1.0;
            pbdrBodyDef ball = pbdrDefaultBodyDef();
            ball.kind = pbdr_bodyStatic;
            ball.particleCount = 1;
            ball.positions = &centre;
            ball.radii = &radius;
            ball.masses = &mass;
            ball.position = pbdrVec(0.48, 0.0, 0.0);
            addBody(world, &ball);
        }
        int count = wall ? 450 : 200;
        pbdrWorld_Step(world, count);
        CHECK_LE(pbdrBody_GetVelocity(world, rod).angular.z, 1.5);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(
        argc, argv,
        {"pairs__that_meet_within_a_substep_are_found", pairs__that_meet_within_a_substep_are_found},
        {"forces__of_a_substep_are_the_change_of_momentum", forces__of_a_substep_are_the_change_of_momentum},
        {"pairs__of_two_fixed_bodies_are_none", pairs__of_two_fixed_bodies_are_none},
        {"turning__is_searched_for", turning__is_searched_for});
}
