// Contact events: who begins and ends to touch, over all substeps of a step.
#include "math/vec.h"
#include "scenes.h"

#define MOST 4096

// Blocks that fall onto each other and onto the ground, some of them spinning.
static pbdrWorld* makePile(pbdrWorldDef def)
{
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    for (int k = 0; k < 6; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = pbdrVec(0.05 * (k % 2), 0.03 * (k % 3), 0.06 + 0.13 * k);
        body.velocity.angular = pbdrVec(0.3 * k, 1.0 - 0.4 * k, 0.5);
        body.restitution = k % 2 == 0 ? 0.5 : 0.0;
        addBlock(world, 2, 2, 2, 0.025 + 0.003 * (k % 2), 1.0, body);
    }
    return world;
}

// Who touches whom in the last substep, by the contact list: touching[a][b], the ground in column 0.
static void markTouching(const pbdrWorld* world, bool touching[8][8])
{
    static pbdrContact contacts[MOST];
    memset(touching, 0, 64 * sizeof(bool));
    int count = pbdrWorld_GetContacts(world, contacts, MOST);
    for (int k = 0; k < count; k++) {
        int a = contacts[k].bodyA.index1, b = contacts[k].bodyB.index1;
        touching[a > b ? a : b][a > b ? b : a] = true;
    }
}

// The events of steps of 25 substeps are the changes of the contact list of a world that takes them one by
// one, in order.
static void events__are_the_changes_of_the_contact_list(void)
{
    static pbdrContactEvent events[MOST];
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorldDef def = getEngineDef(k);
        def.contactEvents = true;
        pbdrWorld *world = makePile(def), *slow = makePile(getEngineDef(k));
        CHECK(pbdrWorld_HasContactEvents(world) && !pbdrWorld_HasContactEvents(slow));
        bool before[8][8] = {{false}}, now[8][8];
        int total = 0, ends = 0;
        for (int frame = 0; frame < 24; frame++) {
            pbdrWorld_Step(world, 25);
            int count = pbdrWorld_GetContactEvents(world, events, MOST), next = 0;
            CHECK_LE(count, MOST);
            for (int i = 0; i < 25; i++) {
                pbdrWorld_Step(slow, 1);
                markTouching(slow, now);
                for (int column = 0; column < 8; column++) { // the ground first
                    for (int row = column + 1; row < 8; row++) {
                        if (now[row][column] == before[row][column]) {
                            continue;
                        }
                        CHECK(next < count);
                        const pbdrContactEvent* event = &events[next++];
                        CHECK(event->kind == (now[row][column] ? pbdr_contactBegin : pbdr_contactEnd));
                        CHECK_EQ(event->substep, pbdrWorld_GetSubstepCount(slow));
                        CHECK_EQ(event->plane.index1, column == 0);
                        CHECK_EQ(event->bodyA.index1, column == 0 ? row : column);
                        CHECK_EQ(event->bodyB.index1, column == 0 ? 0 : row);
                        CHECK(pbdrBody_IsValid(world, event->bodyA));
                        ends += event->kind == pbdr_contactEnd;
                    }
                }
                memcpy(before, now, sizeof now);
            }
            CHECK_EQ(next, count);
            total += count;
        }
        CHECK(pbdrWorld_GetHash(world) == pbdrWorld_GetHash(slow)); // they change no bit
        CHECK_GE(total, 10);
        CHECK_GE(ends, 2);
        pbdrDestroyWorld(world), pbdrDestroyWorld(slow);
    }
}

// A ball that flies past a post and grazes it, all within one step: both events are reported.
static void events__of_a_short_contact_are_not_lost(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorldDef def = getEngineDef(k);
        def.gravity = pbdrVec(0.0, 0.0, 0.0);
        pbdrWorld* world = makeWorld(def);
        pbdrWorld_SetContactEvents(world, true);
        pbdrBodyDef postDef = pbdrDefaultBodyDef(), ballDef = pbdrDefaultBodyDef();
        postDef.kind = pbdr_bodyStatic;
        pbdrBodyId post = addBlock(world, 1, 1, 1, 0.1, 1.0, postDef);
        ballDef.position = pbdrVec(-0.5, 0.0, 0.195);
        ballDef.velocity.linear = pbdrVec(2.0, 0.0, 0.0);
        ballDef.friction = 0.0;
        pbdrBodyId ball = addBlock(world, 1, 1, 1, 0.1, 1.0, ballDef);
        pbdrWorld_Step(world, 500);
        pbdrContactEvent events[8];
        CHECK_EQ(pbdrWorld_GetContacts(world, NULL, 0), 0);
        int count = pbdrWorld_GetContactEvents(world, events, 8);
        CHECK_GE(count, 2);
        CHECK_EQ(count % 2, 0);
        // where the gap closes: x = -sqrt(0.2^2 - 0.195^2) = -44 mm, at 2 m/s after 228 substeps
        CHECK_NEAR(events[0].substep, (0.5 - sqrt(0.04 - 0.195 * 0.195)) / 2e-3, 2.0);
        for (int i = 0; i < count && i < 8; i++) {
            CHECK(events[i].kind == (i % 2 == 0 ? pbdr_contactBegin : pbdr_contactEnd));
            CHECK(events[i].bodyA.index1 == post.index1 && events[i].bodyB.index1 == ball.index1);
            CHECK(events[i].plane.index1 == 0 && events[i].plane.generation == 0);
        }
        pbdrWorld_Step(world, 1);
        CHECK_EQ(pbdrWorld_GetContactEvents(world, NULL, 0), 0); // the step before is forgotten
        pbdrDestroyWorld(world);
    }
}

static void events__end_for_what_is_destroyed(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorldDef def = getEngineDef(k);
        def.contactEvents = true;
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.4);
        pbdrBodyId first = addCube(world, 2, 0.0, 0.0, 0.4);
        pbdrWorld_Step(world, 5);
        CHECK_GE(pbdrWorld_GetContactEvents(world, NULL, 0), 1);
        pbdrDestroyBody(world, first);
        pbdrBodyId second = addCube(world, 2, 0.0, 0.0, 0.4); // in its place
        CHECK_EQ(second.index1, first.index1);
        pbdrWorld_Step(world, 1);
        pbdrContactEvent events[4];
        CHECK_EQ(pbdrWorld_GetContactEvents(world, events, 4), 2);
        CHECK(events[0].kind == pbdr_contactEnd && events[0].bodyA.generation == first.generation);
        CHECK(events[1].kind == pbdr_contactBegin && events[1].bodyA.generation == second.generation);
        pbdrDestroyWorld(world);
    }
}

// A body in the place of another that was made before its neighbour: the smaller index is A all the same, in
// every engine.
static void events__name_the_smaller_index_first(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorldDef def = getEngineDef(k);
        def.contactEvents = true;
        pbdrWorld* world = makeWorld(def);
        pbdrBodyId gone = addCube(world, 2, 0.0, 0.0, 0.4);
        pbdrBodyDef lowerDef = pbdrDefaultBodyDef();
        lowerDef.kind = pbdr_bodyStatic;
        lowerDef.position.z = -0.1;
        pbdrBodyId lower = addBlock(world, 2, 2, 2, 0.05, 4.0, lowerDef);
        pbdrDestroyBody(world, gone);
        pbdrBodyId upper = addCube(world, 2, 0.0, 0.0, 0.4);
        pbdrWorld_Step(world, 10);
        pbdrContactEvent event;
        CHECK_GE(pbdrWorld_GetContactEvents(world, &event, 1), 1);
        CHECK(upper.index1 < lower.index1 && event.bodyA.index1 == upper.index1 &&
              event.bodyB.index1 == lower.index1);
        pbdrDestroyWorld(world);
    }
}

// What touches in a state has been touching: a restored world reports what the first one does.
static void events__go_on_from_a_state(void)
{
    static pbdrContactEvent mine[MOST], theirs[MOST];
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrWorldDef def = getEngineDef(k);
        def.contactEvents = true;
        pbdrWorld *a = makePile(def), *b = makePile(def);
        pbdrWorld_Step(a, 130);
        size_t size;
        unsigned char* state = saveState(a, &size);
        CHECK(pbdrWorld_SetState(b, state, size, NULL) == pbdr_statusOk);
        free(state);
        CHECK_EQ(pbdrWorld_GetContactEvents(b, NULL, 0), 0);
        pbdrWorld_Step(a, 100), pbdrWorld_Step(b, 100);
        int count = pbdrWorld_GetContactEvents(a, mine, MOST);
        CHECK_GE(count, 1);
        CHECK_EQ(pbdrWorld_GetContactEvents(b, theirs, MOST), count);
        for (int i = 0; i < count; i++) {
            CHECK(mine[i].kind == theirs[i].kind && mine[i].substep == theirs[i].substep &&
                  mine[i].bodyA.index1 == theirs[i].bodyA.index1 &&
                  mine[i].bodyB.index1 == theirs[i].bodyB.index1);
        }
        pbdrDestroyWorld(a), pbdrDestroyWorld(b);
    }
}

static void events__take_no_memory_when_off_or_warm(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        Ledger ledger = {0};
        pbdrWorldDef def = getEngineDef(k);
        def.hooks = makeHooks(&ledger);
        pbdrWorld *world = makePile(def), *plain = makePile(getEngineDef(k));
        CHECK(pbdrWorld_GetByteCount(world) == pbdrWorld_GetByteCount(plain));
        pbdrWorld_SetContactEvents(world, true);
        pbdrWorld_Step(world, 1000);
        CHECK_GE(pbdrWorld_GetContactEvents(world, NULL, 0), 1);
        pbdrWorld_Step(world, 500); // and on the ground
        int allocations = ledger.allocations;
        pbdrWorld_Step(world, 500);
        CHECK_EQ(ledger.allocations, allocations);
        pbdrWorld_SetContactEvents(world, false);
        CHECK_EQ(pbdrWorld_GetContactEvents(world, NULL, 0), 0);
        pbdrWorld_Step(world, 10);
        CHECK_EQ(pbdrWorld_GetContactEvents(world, NULL, 0), 0);
        pbdrDestroyWorld(world), pbdrDestroyWorld(plain);
        CHECK_EQ(ledger.blocks, 0);
    }
}

// Memory that runs out is a flag, not a crash: here an event is lost, those that follow are not.
static void events__without_memory_raise_a_flag(void)
{
    Ledger ledger = {0};
    pbdrWorldDef def = getEngineDef(3);
    def.hooks = makeHooks(&ledger);
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrBodyId cube = addCube(world, 2, 0.0, 0.0, 0.4);
    CHECK_EQ(pbdrWorld_Step(world, 10), 0);
    pbdrWorld_SetContactEvents(world, true);
    ledger.failAt = ledger.allocations + 2; // who touches takes the first
    CHECK_EQ(pbdrWorld_Step(world, 1), pbdr_stepPairsFull);
    CHECK_EQ(pbdrWorld_GetContactEvents(world, NULL, 0), 0);
    ledger.failAt = 0;
    pbdrBody_SetPose(world, cube, (pbdrPose){{0, 0, 1}, {1, 0, 0, 0}});
    CHECK_EQ(pbdrWorld_Step(world, 1), 0);
    pbdrContactEvent event;
    CHECK_EQ(pbdrWorld_GetContactEvents(world, &event, 1), 1);
    CHECK(event.kind == pbdr_contactEnd && event.bodyA.index1 == cube.index1);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"events__are_the_changes_of_the_contact_list", events__are_the_changes_of_the_contact_list},
          {"events__of_a_short_contact_are_not_lost", events__of_a_short_contact_are_not_lost},
          {"events__end_for_what_is_destroyed", events__end_for_what_is_destroyed},
          {"events__name_the_smaller_index_first", events__name_the_smaller_index_first},
          {"events__go_on_from_a_state", events__go_on_from_a_state},
          {"events__take_no_memory_when_off_or_warm", events__take_no_memory_when_off_or_warm},
          {"events__without_memory_raise_a_flag", events__without_memory_raise_a_flag});
}
