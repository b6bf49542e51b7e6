// Candidates that are kept from substep to substep: the tree finds what all pairs have, nears are what fat balls say,
// patches hold what a fresh search holds, whatever the history, the number of threads, or a state that was restored.
#include "contact/search.h"
#include "inside.h"
#include "scenes.h"
#include "surfaces.h"

// --- The tree of boxes ---

#define BOXES 200

typedef struct Visits {
    int counts[BOXES];
    int left; // visits until one fails; below zero: none does
} Visits;

static bool note(void* context, int body)
{
    Visits* visits = context;
    visits->counts[body]++;
    return visits->left < 0 || visits->left-- > 0;
}

static void placeBox(pbdrBox* box, int body)
{
    box->body = body;
    for (int k = 0; k < 3; k++) {
        box->lower[k] = floor(randomIn(-16.0, 16.0)) / 8.0; // many share a side, which is overlapping too
        box->upper[k] = box->lower[k] + floor(randomIn(0.0, 6.0)) / 8.0;
    }
}

static bool overlap(const pbdrBox* a, const pbdrBox* b)
{
    bool apart = false;
    for (int k = 0; k < 3; k++) {
        apart = apart || a->lower[k] > b->upper[k] || b->lower[k] > a->upper[k];
    }
    return !apart;
}

static void checkTree(const pbdrBoxTree* tree, const pbdrBox* boxes, int count)
{
    for (int i = 0; i < count; i++) {
        Visits visits = {.left = -1};
        CHECK(pbdrVisitBoxes(tree, &boxes[i], note, &visits));
        for (int j = 0; j < count; j++) {
            CHECK_EQ(visits.counts[j], overlap(&boxes[i], &boxes[j]) ? 1 : 0);
        }
    }
}

static void tree__finds_all_that_overlap_as_boxes_move(void)
{
    pbdrMemory memory = {0};
    pbdrBoxTree tree;
    pbdrBox boxes[BOXES], sorted[BOXES];
    seedSurfaces(3);
    pbdrInitBoxTree(&tree);
    CHECK(pbdrIsBoxTreeWorn(&tree));
    for (int count = 0; count <= BOXES; count = 3 * count + 1) {
        for (int i = 0; i < count; i++) {
            placeBox(&boxes[i], i);
        }
        memcpy(sorted, boxes, sizeof sorted);
        CHECK(pbdrBuildBoxTree(&memory, &tree, sorted, count, count));
        checkTree(&tree, boxes, count);
        for (int move = 0; move < count; move++) {
            const int i = (int)randomIn(0.0, count - 0.001);
            placeBox(&boxes[i], i);
            pbdrMoveBox(&tree, &boxes[i]);
        }
        checkTree(&tree, boxes, count);
        CHECK(count < 2 || pbdrIsBoxTreeWorn(&tree)); // as many have moved as there are
    }
    Visits visits = {.left = 0};
    CHECK(!pbdrVisitBoxes(&tree, &boxes[0], note, &visits));
    pbdrFreeBoxTree(&memory, &tree);
    CHECK_EQ(memory.byteCount, 0);
}

// --- A pile ---

static pbdrWorld* makePile(int count, int threads, bool bySurface, uint64_t seed)
{
    seedSurfaces(seed);
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = bySurface ? pbdr_contactSurface : pbdr_contactSpheres;
    def.threads = threads;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrShape *box, *ball, *rod;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, 4, &box, &error), &error);
    require(pbdrCreateBallShape(0.1, 4.0, &ball, &error), &error);
    require(pbdrCreateCapsuleShape(0.05, 0.2, 2.0, &rod, &error), &error);
    for (int k = 0; k < count; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.friction = 0.4;
        body.position = pbdrVec(0.35 * (k % 3) + randomIn(0.0, 0.02),
                                0.35 * (k / 3 % 3) + randomIn(0.0, 0.02), 0.2 + 0.35 * (k / 9));
        body.rotation = randomTurn();
        pbdrBodyId id;
        pbdrShape* shape = k % 5 == 3 ? ball : k % 5 == 4 ? rod : box;
        require(pbdrCreateBodyFromShape(world, &body, shape, &id, &error), &error);
    }
    pbdrReleaseShape(box), pbdrReleaseShape(ball), pbdrReleaseShape(rod);
    return world;
}

static const pbdrPatch* findPatch(const pbdrCandidates* candidates, const pbdrPatch* like)
{
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        if (patch->bodyA == like->bodyA && patch->bodyB == like->bodyB && patch->plane == like->plane) {
            return patch;
        }
    }
    return NULL;
}

static bool hasItem(const pbdrCandidates* candidates, const pbdrPatch* patch, int32_t a, int32_t b)
{
    for (int i = patch != NULL ? patch->first : 0; patch != NULL && i < patch->first + patch->count; i++) {
        if (candidates->items.spheres[0][i] == a && candidates->items.spheres[1][i] == b) {
            return true;
        }
    }
    return false;
}

static pbdrVec3 place(const pbdrBody* body, pbdrVec3 q)
{
    return pbdrAdd(body->centre, pbdrMulMV(&body->frame, q));
}

// The gap of an item of spheres.
static double getGap(const pbdrScene* scene, const pbdrPatch* patch, int32_t a, int32_t b)
{
    const pbdrBody* bodyA = pbdrGetBody(scene, patch->bodyA);
    const pbdrTreeSphere* sphere = &bodyA->shape->tree.spheres[a];
    const pbdrVec3 x = place(bodyA, sphere->centre);
    if (patch->plane >= 0) {
        const pbdrPlane* plane = pbdrGetPlane(scene, patch->plane);
        return pbdrDot(plane->normal, x) - plane->offset - sphere->radius;
    }
    const pbdrBody* bodyB = pbdrGetBody(scene, patch->bodyB);
    const pbdrTreeSphere* other = &bodyB->shape->tree.spheres[b];
    return distance(x, place(bodyB, other->centre)) - sphere->radius - other->radius;
}

// What fresh patches have within the way of this substep, kept ones have too.
static int compareItems(const pbdrCandidates* kept, const pbdrCandidates* fresh)
{
    int missed = 0, seen = 0;
    for (int k = 0; k < fresh->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(fresh, k);
        const pbdrPatch* other = findPatch(kept, patch);
        const pbdrNear near = {.bodyA = patch->bodyA, .bodyB = patch->bodyB, .plane = patch->plane};
        const double need = pbdrGetNeed(fresh, &near);
        for (int i = patch->first; i < patch->first + patch->count; i++) {
            const int32_t a = fresh->items.spheres[0][i], b = fresh->items.spheres[1][i];
            if (getGap(fresh->scene, patch, a, b) > need) {
                continue;
            }
            seen++;
            missed += !hasItem(kept, other, a, b);
        }
    }
    CHECK_EQ(missed, 0);
    return seen;
}

// As long as substeps take, too: bodies turn far before margins of their size are used up.
static void patches__hold_what_a_fresh_search_holds(void)
{
    for (int k = 0; k < 2; k++) {
        const int every = k == 0 ? 20 : 1, last = k == 0 ? 1000 : 200;
        pbdrWorld *world = makePile(27, 1, false, 5), *other = makePile(27, 1, false, 5);
        pbdrWorld_SetTimeStep(world, k == 0 ? 1e-3 : 1e-2);
        int seen = 0;
        for (int step = 0; step < last; step += every) {
            pbdrWorld_Step(world, every);
            size_t size;
            unsigned char* state = saveState(world, &size);
            require(pbdrWorld_SetState(other, state, size, NULL), NULL);
            free(state);
            pbdrCandidates *kept = getCandidates(world), *fresh = getCandidates(other);
            pbdrUpdateCandidates(kept); // as the next substep would
            pbdrForgetCandidates(fresh);
            pbdrUpdateCandidates(fresh);
            seen += compareItems(kept, fresh);
        }
        CHECK_GE(seen, 1000);
        pbdrDestroyWorld(world), pbdrDestroyWorld(other);
    }
}

// Nears are all that the fat balls say and nothing else, sorted; a body is in its fat ball with all that it may touch;
// patches are of nears, in the same order.
static void checkNears(const pbdrCandidates* candidates)
{
    const pbdrScene* scene = candidates->scene;
    int count = 0, patch = 0;
    for (int a = 0; a < scene->bodies.count; a++) {
        const pbdrSearched* first = pbdrGetSearched(candidates, a);
        const double radiusA = pbdrGetContactReach(scene, pbdrGetBody(scene, a)) + first->reach;
        const double gone = distance(pbdrGetBody(scene, a)->centre, first->place.centre);
        CHECK_LE(gone + pbdrLength(pbdrGetDrift(candidates, pbdrGetBody(scene, a))), first->reach);
        for (int k = 0; k < scene->planes.count; k++) {
            const pbdrPlane* plane = pbdrGetPlane(scene, k);
            count += pbdrDot(plane->normal, first->place.centre) - plane->offset <= radiusA;
        }
        for (int b = a + 1; b < scene->bodies.count; b++) {
            const pbdrSearched* second = pbdrGetSearched(candidates, b);
            const double radiusB = pbdrGetContactReach(scene, pbdrGetBody(scene, b)) + second->reach;
            count += distance(first->place.centre, second->place.centre) <= radiusA + radiusB;
        }
    }
    CHECK_EQ(candidates->nears.count, count);
    for (int k = 0; k < candidates->nears.count; k++) {
        const pbdrNear* near = pbdrGetNear(candidates, k);
        CHECK(k == 0 || pbdrCompareNears(near - 1, near) < 0);
        CHECK(near->patch == -1 || near->patch == patch);
        if (near->patch >= 0) {
            const pbdrPatch* own = pbdrGetPatch(candidates, patch++);
            CHECK(own->bodyA == near->bodyA && own->bodyB == near->bodyB && own->plane == near->plane);
            CHECK(own->count > 0 && own->padded <= own->room &&
                  own->first + own->room <= candidates->items.count);
        }
    }
    CHECK_EQ(patch, candidates->patches.count);
}

static void nears__follow_from_the_fat_balls(void)
{
    for (int kind = 0; kind < 2; kind++) {
        pbdrWorld* world = makePile(27, 1, kind == 1, 6);
        for (int step = 0; step < 150; step++) {
            pbdrUpdateCandidates(getCandidates(world));
            checkNears(getCandidates(world));
            pbdrWorld_Step(world, 5);
        }
        CHECK_GE(getCandidates(world)->patches.count, 20);
        pbdrDestroyWorld(world);
    }
}

// --- Threads, states ---

static void threads__change_no_bit(void)
{
    for (int kind = 0; kind < 2; kind++) {
        const int threads[3] = {2, 3, 8};
        for (int k = 0; k < 3; k++) {
            pbdrWorld *world = makePile(15, 1, kind == 1, 7), *other = makePile(15, threads[k], kind == 1, 7);
            for (int part = 0; part < 4; part++) {
                pbdrWorld_Step(world, 70), pbdrWorld_Step(other, 70);
                CHECK(haveSameState(world, other));
            }
            CHECK_GE(pbdrWorld_GetContacts(world, NULL, 0), 10);
            pbdrDestroyWorld(world), pbdrDestroyWorld(other);
        }
    }
}

// Balls in a loose grid that go to all sides: enough for every loop to be shared out.
static pbdrWorld* makeSwarm(int threads)
{
    seedSurfaces(9);
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.threads = threads;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrShape* ball;
    pbdrError error;
    require(pbdrCreateBallShape(0.1, 4.0, &ball, &error), &error);
    for (int k = 0; k < 4500; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = pbdrVec(0.22 * (k % 30), 0.22 * (k / 30 % 30), 0.12 + 0.22 * (k / 900));
        body.velocity.linear = randomVec(0.7);
        pbdrBodyId id;
        require(pbdrCreateBodyFromShape(world, &body, ball, &id, &error), &error);
    }
    pbdrReleaseShape(ball);
    return world;
}

// Balls on a plate that lies on the ground: one island of many patches.
static pbdrWorld* makeTray(int threads)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.threads = threads;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrShape *ball, *plate;
    pbdrError error;
    pbdrBodyId id;
    require(pbdrCreateBoxShape(pbdrVec(7.0, 7.0, 0.1), 5000.0, 4, &plate, &error), &error);
    require(pbdrCreateBallShape(0.1, 4.0, &ball, &error), &error);
    for (int k = 0; k < 577; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.friction = 0.4;
        body.position = k == 0 ? pbdrVec(0.0, 0.0, 0.05)
                               : pbdrVec(0.26 * ((k - 1) % 24 - 11.5), 0.26 * ((k - 1) / 24 - 11.5), 0.2);
        require(pbdrCreateBodyFromShape(world, &body, k == 0 ? plate : ball, &id, &error), &error);
    }
    pbdrReleaseShape(ball), pbdrReleaseShape(plate);
    return world;
}

static void threads__change_no_bit_of_many(void)
{
    pbdrWorld *swarm = makeSwarm(1), *other = makeSwarm(3);
    pbdrWorld_Step(swarm, 25), pbdrWorld_Step(other, 25);
    CHECK_GE(pbdrWorld_GetContacts(swarm, NULL, 0), 100);
    CHECK_GE(getCandidates(swarm)->nears.count, 4500);
    CHECK(haveSameState(swarm, other));
    pbdrDestroyWorld(swarm), pbdrDestroyWorld(other);
    pbdrWorld *tray = makeTray(1), *same = makeTray(3);
    pbdrWorld_Step(tray, 4), pbdrWorld_Step(same, 4);
    CHECK_GE(pbdrWorld_GetContacts(tray, NULL, 0), 576);
    CHECK(haveSameState(tray, same));
    pbdrDestroyWorld(tray), pbdrDestroyWorld(same);
}

// A state that another world takes over in the middle of its own pile, with slots, tree and bounds of its own.
static void state__goes_on_bit_for_bit_in_a_world_with_another_past(void)
{
    for (int kind = 0; kind < 2; kind++) {
        pbdrWorld* world = makePile(15, 1, kind == 1, 8);
        for (int part = 0; part < 5; part++) {
            pbdrWorld_Step(world, 75);
            pbdrWorld* other = makePile(15, 1, kind == 1, 8);
            pbdrWorld_Step(other, 40 + 50 * part);
            size_t size;
            unsigned char* state = saveState(world, &size);
            require(pbdrWorld_SetState(other, state, size, NULL), NULL);
            CHECK(haveSameState(world, other));
            free(state);
            pbdrWorld_Step(world, 50), pbdrWorld_Step(other, 50);
            CHECK(haveSameState(world, other));
            pbdrDestroyWorld(other);
        }
        pbdrDestroyWorld(world);
    }
}

// --- What costs nothing ---

// Boxes at rest, on the floor and on each other, search nothing; nor do they for a ball that flies over them.
static void rest__searches_nothing(void)
{
    for (int flying = 0; flying < 2; flying++) {
        pbdrWorldDef def = pbdrDefaultWorldDef();
        def.solver = pbdr_solverXpbdR;
        pbdrWorld* world = makeWorld(def);
        addGround(world, 0.4);
        pbdrShape *box, *ball;
        pbdrError error;
        pbdrBodyId id;
        require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, 4, &box, &error), &error);
        require(pbdrCreateBallShape(0.1, 4.0, &ball, &error), &error);
        for (int k = 0; k < 40; k++) {
            pbdrBodyDef body = pbdrDefaultBodyDef();
            body.friction = 0.4;
            body.position = pbdrVec(0.5 * (k / 2 % 5), 0.5 * (k / 10), 0.1 + 0.2 * (k % 2));
            require(pbdrCreateBodyFromShape(world, &body, box, &id, &error), &error);
        }
        if (flying) {
            pbdrBodyDef body = pbdrDefaultBodyDef();
            body.position = pbdrVec(-1.0, 0.6, 3.0);
            body.velocity.linear = pbdrVec(15.0, 0.0, 2.0);
            require(pbdrCreateBodyFromShape(world, &body, ball, &id, &error), &error);
        }
        pbdrReleaseShape(box), pbdrReleaseShape(ball);
        pbdrWorld_Step(world, 20);
        pbdrWorld_SetProfiling(world, true);
        CHECK_EQ(pbdrWorld_Step(world, 300), 0);
        pbdrProfile profile;
        pbdrWorld_GetProfile(world, &profile);
        CHECK_EQ(profile.searchCount, 0);
        CHECK_GE(pbdrCountCandidates(getCandidates(world)), 40 * 16);
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"tree__finds_all_that_overlap_as_boxes_move", tree__finds_all_that_overlap_as_boxes_move},
          {"nears__follow_from_the_fat_balls", nears__follow_from_the_fat_balls},
          {"patches__hold_what_a_fresh_search_holds", patches__hold_what_a_fresh_search_holds},
          {"threads__change_no_bit", threads__change_no_bit},
          {"threads__change_no_bit_of_many", threads__change_no_bit_of_many},
          {"state__goes_on_bit_for_bit_in_a_world_with_another_past",
           state__goes_on_bit_for_bit_in_a_world_with_another_past},
          {"rest__searches_nothing", rest__searches_nothing});
}
