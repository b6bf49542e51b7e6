// Contact candidates: no contact is missed, by spheres or by surfaces; what items carry survives a search;
// forgetting forgets; a full list says so.
#include "contact/search.h"
#include "contact/touch.h"
#include "inside.h"
#include "scenes.h"
#include "surfaces.h"

// --- Scenes ---

typedef enum SceneKind {
    REDUCED_SPHERES,
    XPBDR_SPHERES,
    XPBDR_SURFACES,
    SCENE_KINDS,
} SceneKind;

static const char* const kindNames[SCENE_KINDS] = {"reduced", "xpbdr, spheres", "xpbdr, surfaces"};

static pbdrShape* makeShape(int kind)
{
    pbdrShape* shape = NULL;
    pbdrError error;
    pbdrStatus status;
    switch (kind % 5) {
    case 0:
        status = pbdrCreateBoxShape(pbdrVec(0.1, 0.14, 0.2), 1.0, 2, &shape, &error);
        break;
    case 1:
        status = pbdrCreateCylinderShape(0.06, 0.12, 1.0, 2, &shape, &error);
        break;
    case 2:
        status = pbdrCreateCapsuleShape(0.04, 0.15, 1.0, &shape, &error);
        break;
    case 3:
        status = pbdrCreateBallShape(0.06, 1.0, &shape, &error);
        break;
    default: { // bare spheres, which have no surface
        pbdrSphereSet set = {0};
        require(pbdrPackBox(2, 3, 2, 0.03, 1.0, NULL, &set, &error), &error);
        pbdrShapeDef def = pbdrDefaultShapeDef();
        def.sphereCount = set.count;
        def.positions = set.positions;
        def.radii = set.radii;
        def.masses = set.masses;
        status = pbdrCreateShape(&def, &shape, &error);
        pbdrSphereSet_Free(&set);
    }
    }
    require(status, &error);
    return shape;
}

static pbdrWorld* makeEmpty(SceneKind kind, int maxPairCount)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = kind == REDUCED_SPHERES ? pbdr_solverPbdR : pbdr_solverXpbdR;
    def.engine = kind == REDUCED_SPHERES ? pbdr_engineReduced : pbdr_engineAuto;
    def.contact = kind == XPBDR_SURFACES ? pbdr_contactSurface : pbdr_contactSpheres;
    def.maxPairCount = maxPairCount > 0 ? maxPairCount : def.maxPairCount;
    return makeWorld(def);
}

static pbdrBodyId addShaped(pbdrWorld* world, int kind, pbdrBodyDef def)
{
    pbdrShape* shape = makeShape(kind);
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    return id;
}

// Bodies of all shapes thrown together in a box of five planes, two of them fixed.
static pbdrWorld* makeHeap(SceneKind kind, uint64_t seed, double speed)
{
    seedSurfaces(seed);
    pbdrWorld* world = makeEmpty(kind, 0);
    addGround(world, 0.3);
    for (int k = 0; k < 4; k++) {
        const pbdrVec3 inwards = {k == 0   ? 1.0
                                  : k == 1 ? -1.0
                                           : 0.0,
                                  k == 2   ? 1.0
                                  : k == 3 ? -1.0
                                           : 0.0,
                                  0.3};
        addPlane(world, makeUnit(inwards), -0.22, 0.3);
    }
    for (int k = 0; k < 12; k++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.2 * (k % 2) - 0.1, 0.2 * (k / 2 % 2) - 0.1, 0.15 + 0.21 * (k / 4));
        def.rotation = randomTurn();
        def.velocity = (pbdrVelocity){randomVec(speed), randomVec(10.0 * speed)};
        def.velocity.linear.z -= 1.0;
        def.kind = k == 1 ? pbdr_bodyStatic : k == 6 ? pbdr_bodyIntegrateOnly : pbdr_bodyDynamic;
        if (def.kind == pbdr_bodyStatic) {
            def.velocity = (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        } else if (def.kind == pbdr_bodyIntegrateOnly) {
            def.velocity = (pbdrVelocity){{0.0, 0.0, -0.3}, {1.0, 1.0, 3.0}};
        }
        addShaped(world, k, def);
    }
    return world;
}

// --- Everything that touches, one by one ---

// Whether an item is listed.
static bool isListed(const pbdrCandidates* candidates, int bodyA, int bodyB, int plane, int nameA, int nameB)
{
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        if (patch->bodyA != bodyA || patch->bodyB != bodyB || patch->plane != plane) {
            continue;
        }
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            if (candidates->items.spheres[0][item] == nameA && candidates->items.spheres[1][item] == nameB) {
                return true;
            }
        }
    }
    return false;
}

typedef struct Count {
    int touching, missed;
} Count;

static void note(Count* count, bool listed)
{
    count->touching++;
    count->missed += !listed;
}

static pbdrVec3 place(const pbdrBody* body, pbdrVec3 q)
{
    return pbdrAdd(body->centre, pbdrMulMV(&body->frame, q));
}

static void lookAtPlane(const pbdrCandidates* candidates, const pbdrBody* body, int index, int k,
                        Count* count)
{
    const pbdrPlane* plane = pbdrGetPlane(candidates->scene, k);
    const bool bySurface = pbdrTouchesBySurface(candidates->scene, body, NULL);
    const int most = bySurface ? pbdrCountProbes(body) : body->shape->sphereCount;
    for (int i = 0; i < most; i++) {
        const pbdrTreeSphere* sphere = bySurface ? NULL : &body->shape->tree.spheres[i];
        pbdrVec3 q = bySurface ? pbdrVec(0.0, 0.0, 0.0) : sphere->centre;
        double radius = bySurface ? 0.0 : sphere->radius, weight;
        if (bySurface && ((pbdrGetProbe(body, i).against & PBDR_PROBES_PLANES) == 0 ||
                          !pbdrFindLowest(body, i, plane->normal, &q, &radius, &weight))) {
            continue;
        }
        if (pbdrDot(plane->normal, place(body, q)) - plane->offset - radius <= 0.0) {
            note(count, isListed(candidates, index, -1, k, bySurface ? 2 * i : i, -1));
        }
    }
}

// Whether a probe is meant for a surface: of its audience, and no point of a box's face or edge against a
// cylinder, which sees those itself.
static bool isMeantFor(const pbdrSurface* prober, const pbdrProbe* probe, const pbdrSurface* surface)
{
    bool rolledOver = surface->kind == pbdr_surfaceCylinder && prober->kind == pbdr_surfaceBox &&
                      probe->kind == pbdr_probePoint && probe->normalCount < 3;
    return (probe->against & pbdrSurface_GetAudience(surface)) != 0 && !rolledOver;
}

static void lookAtSurfaces(const pbdrCandidates* candidates, const pbdrBody bodies[2], const int indices[2],
                           Count* count)
{
    for (int side = 0; side < 2; side++) {
        const pbdrProbing probing = pbdrSetProbingOf(&bodies[0], &bodies[1], side);
        if (!pbdrHasProbes(candidates->scene, pbdrGetBody(candidates->scene, indices[side]),
                           pbdrGetBody(candidates->scene, indices[1 - side]))) {
            continue;
        }
        for (int i = 0; i < pbdrCountProbes(probing.prober); i++) {
            int32_t features[2] = {PBDR_NO_FEATURE, PBDR_NO_FEATURE};
            pbdrTouch touches[2];
            const pbdrProbe probe = pbdrGetProbe(probing.prober, i);
            if (!isMeantFor(&probing.prober->shape->surface, &probe, &probing.surface->shape->surface)) {
                continue;
            }
            int hits = pbdrTouchSurface(&probing, i, 0.0, features, touches);
            for (int k = 0; k < hits; k++) {
                const int name = 2 * i + k;
                note(count, isListed(candidates, indices[0], indices[1], -1, side == 0 ? name : -1,
                                     side == 1 ? name : -1));
            }
        }
    }
}

static void lookAtSpheres(const pbdrCandidates* candidates, const pbdrBody bodies[2], const int indices[2],
                          Count* count)
{
    const pbdrSphereTree *a = &bodies[0].shape->tree, *b = &bodies[1].shape->tree;
    for (int i = 0; i < a->sphereCount; i++) {
        const pbdrVec3 x = place(&bodies[0], a->spheres[i].centre);
        for (int j = 0; j < b->sphereCount; j++) {
            const double apart = distance(x, place(&bodies[1], b->spheres[j].centre));
            if (apart <= a->spheres[i].radius + b->spheres[j].radius) {
                note(count, isListed(candidates, indices[0], indices[1], -1, i, j));
            }
        }
    }
}

// A body after a share of the substep, if no contact changes its motion.
static pbdrBody getLater(const pbdrCandidates* candidates, int index, double share)
{
    pbdrBody body = *pbdrGetBody(candidates->scene, index);
    const double time = share * candidates->scene->timeStep;
    if (body.kind != pbdr_bodyStatic && candidates->looksAhead) {
        pbdrVec3 pull = pbdrScale(1.0 / body.shape->mass, body.force);
        pull = body.kind == pbdr_bodyDynamic ? pbdrAdd(pull, candidates->scene->gravity) : pull;
        body.centre = pbdrAddScaled(body.centre, time, pbdrAddScaled(body.velocity, time, pull));
        const pbdrMat3 turn = pbdrMatFromQuat(pbdrQuatFromVector(pbdrScale(time, body.angular)));
        body.frame = pbdrMulMM(&turn, &body.frame);
    }
    return body;
}

// All that touches now and, where the engine looks ahead, within the substep.
static Count look(const pbdrCandidates* candidates, double share)
{
    Count count = {0, 0};
    const pbdrScene* scene = candidates->scene;
    for (int i = 0; i < scene->bodies.count; i++) {
        pbdrBody bodies[2] = {getLater(candidates, i, share)};
        for (int k = 0; k < scene->planes.count && !pbdrIsFixed(&bodies[0]); k++) {
            lookAtPlane(candidates, &bodies[0], i, k, &count);
        }
        for (int j = i + 1; j < scene->bodies.count; j++) {
            bodies[1] = getLater(candidates, j, share);
            if (pbdrIsFixed(&bodies[0]) && pbdrIsFixed(&bodies[1])) {
                continue;
            }
            const int indices[2] = {i, j};
            // by the bodies of the scene: which of two probes depends on their places there
            bool bySurface = pbdrTouchesBySurface(scene, pbdrGetBody(scene, i), pbdrGetBody(scene, j));
            (bySurface ? lookAtSurfaces : lookAtSpheres)(candidates, bodies, indices, &count);
        }
    }
    return count;
}

static void search__misses_no_contact(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        int touching = 0, missed = 0;
        for (int scene = 0; scene < 8; scene++) {
            const double speeds[4] = {0.1, 1.0, 5.0, 30.0};
            pbdrWorld* world = makeHeap((SceneKind)kind, (uint64_t)(1 + scene), speeds[scene % 4]);
            pbdrCandidates* candidates = getCandidates(world);
            for (int step = 0; step < 150; step++) {
                pbdrUpdateCandidates(candidates); // as the next substep would
                for (int part = 0; part < 3; part++) {
                    Count count = look(candidates, 0.5 * part);
                    touching += count.touching;
                    missed += count.missed;
                }
                pbdrWorld_Step(world, 1);
            }
            pbdrDestroyWorld(world);
        }
        if (missed > 0 || touching < 5000) {
            printf("    %s: %d of %d contacts missed\n", kindNames[kind], missed, touching);
            checkFailures++;
        }
    }
}

// --- What items carry ---

static double getMark(const pbdrPatch* patch, const pbdrItems* items, int item, int column)
{
    return 1.0 + column + 100.0 * (items->spheres[0][item] + 1) + 1.0e5 * (items->spheres[1][item] + 1) +
           1.0e8 * (patch->bodyA + 20 * (patch->bodyB + 1) + 400 * (patch->plane + 1));
}

static void markItems(pbdrCandidates* candidates)
{
    for (int k = 0; k < candidates->patches.count; k++) {
        pbdrPatch* patch = pbdrGetPatch(candidates, k);
        patch->rolling = pbdrVec(k, patch->bodyA, patch->bodyB);
        for (int item = patch->first; item < patch->first + patch->count; item++) {
            for (int column = ITEM_FORCE; column < ITEM_SCRATCH; column++) {
                pbdrGetColumn(&candidates->items, column)[item] =
                    getMark(patch, &candidates->items, item, column);
            }
        }
    }
}

// Moves a body by hand, so that candidates must be searched anew.
static void nudge(pbdrCandidates* candidates, int index, pbdrVec3 way)
{
    pbdrBody* body = pbdrGetBody(candidates->scene, index);
    body->centre = pbdrAdd(body->centre, way);
}

static void search__keeps_what_items_carry(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        int kept = 0, fresh = 0, gone = 0;
        for (int scene = 0; scene < 4; scene++) {
            pbdrWorld* world = makeHeap((SceneKind)kind, (uint64_t)(50 + scene), 0.3);
            pbdrWorld_Step(world, 100);
            pbdrCandidates* candidates = getCandidates(world);
            pbdrUpdateCandidates(candidates);
            markItems(candidates);
            // the list before
            static pbdrPatch patches[256];
            static int32_t names[2][4096];
            const int patchCount = candidates->patches.count, itemCount = candidates->items.count;
            CHECK(patchCount <= 256 && itemCount <= 4096 && patchCount >= 3);
            memcpy(patches, candidates->patches.items, (size_t)patchCount * sizeof *patches);
            for (int side = 0; side < 2; side++) {
                memcpy(names[side], candidates->items.spheres[side], (size_t)itemCount * sizeof(int32_t));
            }
            for (int index = 0; index < 12; index++) {
                nudge(candidates, index, randomVec(0.02));
            }
            pbdrUpdateCandidates(candidates);
            int found = 0;
            for (int k = 0; k < candidates->patches.count; k++) {
                const pbdrPatch* patch = pbdrGetPatch(candidates, k);
                const pbdrPatch* old = NULL;
                int place = 0;
                for (int i = 0; i < patchCount; i++) {
                    bool same = patches[i].bodyA == patch->bodyA && patches[i].bodyB == patch->bodyB &&
                                patches[i].plane == patch->plane;
                    old = same ? &patches[i] : old;
                    place = same ? i : place;
                }
                CHECK_EQ(patch->rolling.x, old != NULL ? place : 0.0);
                for (int item = patch->first; item < patch->first + patch->padded; item++) {
                    bool had = false;
                    for (int i = old != NULL ? old->first : 0; old != NULL && i < old->first + old->count;
                         i++) {
                        had = had || (names[0][i] == candidates->items.spheres[0][item] &&
                                      names[1][i] == candidates->items.spheres[1][item]);
                    }
                    for (int column = ITEM_FORCE; column < ITEM_SCRATCH; column++) {
                        const double mark = had ? getMark(patch, &candidates->items, item, column) : 0.0;
                        CHECK_EQ(pbdrGetColumn(&candidates->items, column)[item], mark);
                    }
                    found += had;
                    fresh += !had && item < patch->first + patch->count;
                }
            }
            kept += found;
            gone += itemCount - found; // with padding
            pbdrDestroyWorld(world);
        }
        CHECK_GE(kept, 20);
        CHECK_GE(fresh, 5);
        CHECK_GE(gone, 5);
    }
}

// The items' names, padding included, in the order of patches; returns how many there are.
static int listNames(const pbdrCandidates* candidates, int32_t names[2][4096])
{
    int count = 0;
    for (int k = 0; k < candidates->patches.count; k++) {
        const pbdrPatch* patch = pbdrGetPatch(candidates, k);
        for (int i = patch->first; i < patch->first + patch->padded && count < 4096; i++, count++) {
            names[0][count] = candidates->items.spheres[0][i];
            names[1][count] = candidates->items.spheres[1][i];
        }
    }
    return count;
}

// Items stand in the order of their names, patches in that of planes and bodies: sums do not depend on what
// was searched before.
static void order__does_not_depend_on_the_history(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        pbdrWorld* world = makeHeap((SceneKind)kind, 77, 0.3);
        pbdrWorld_Step(world, 120);
        pbdrCandidates* candidates = getCandidates(world);
        pbdrForgetCandidates(candidates);
        pbdrUpdateCandidates(candidates);
        CHECK_GE(candidates->patches.count, 3);
        for (int k = 0; k < candidates->patches.count; k++) {
            const pbdrPatch* patch = pbdrGetPatch(candidates, k);
            CHECK_EQ(patch->first % PBDR_BLOCK, 0);
            CHECK_EQ(patch->padded, (patch->count + PBDR_BLOCK - 1) / PBDR_BLOCK * PBDR_BLOCK);
            if (k > 0) {
                const pbdrPatch* last = patch - 1;
                CHECK(last->plane >= 0 || patch->plane < 0); // planes first
                bool ascends = last->plane < 0 && patch->plane < 0
                                   ? last->bodyA < patch->bodyA ||
                                         (last->bodyA == patch->bodyA && last->bodyB < patch->bodyB)
                                   : true;
                CHECK(ascends);
            }
        }
        // a second search of the same scene, from another history
        static int32_t names[2][2][4096];
        const int itemCount = listNames(candidates, names[0]);
        CHECK(itemCount <= 4096);
        nudge(candidates, 0, pbdrVec(0.0, 0.0, 5.0));
        pbdrUpdateCandidates(candidates);
        nudge(candidates, 0, pbdrVec(0.0, 0.0, -5.0));
        pbdrUpdateCandidates(candidates);
        CHECK_EQ(listNames(candidates, names[1]), itemCount);
        for (int side = 0; side < 2; side++) {
            CHECK(memcmp(names[0][side], names[1][side], (size_t)itemCount * sizeof(int32_t)) == 0);
        }
        pbdrDestroyWorld(world);
    }
}

// --- Forgetting, look-ahead, full lists ---

static void forget__forgets(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        pbdrWorld* world = makeHeap((SceneKind)kind, 60, 0.3);
        pbdrWorld_Step(world, 100);
        pbdrCandidates* candidates = getCandidates(world);
        pbdrUpdateCandidates(candidates);
        markItems(candidates);
        CHECK_GE(pbdrVisitContacts(candidates, NULL, NULL), 1);
        CHECK_GE(pbdrCountCandidates(candidates), 1);
        pbdrForgetCandidates(candidates);
        CHECK_EQ(pbdrVisitContacts(candidates, NULL, NULL), 0);
        CHECK_EQ(pbdrCountCandidates(candidates), 0);
        pbdrUpdateCandidates(candidates); // nothing has moved, and yet
        CHECK_GE(pbdrCountCandidates(candidates), 1);
        CHECK_EQ(pbdrVisitContacts(candidates, NULL, NULL), 0);
        for (int column = ITEM_FORCE; column < ITEM_SCRATCH; column++) {
            for (int item = 0; item < candidates->items.count; item++) {
                CHECK_EQ(pbdrGetColumn(&candidates->items, column)[item], 0.0);
            }
        }
        for (int k = 0; k < candidates->patches.count; k++) {
            CHECK_EQ(pbdrLength(pbdrGetPatch(candidates, k)->rolling), 0.0);
        }
        pbdrDestroyWorld(world);
    }
}

// One on the other, 0.1 mm into it; the lower one is static.
static void addTouchingPair(pbdrWorld* world)
{
    for (int k = 0; k < 2; k++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = k == 0 ? pbdr_bodyStatic : pbdr_bodyDynamic;
        def.position.z = 0.1999 * k;
        addShaped(world, 0, def);
    }
}

// Without a plane nothing but the bodies' places says that a search is due.
static void forget__is_followed_by_a_search_of_pairs(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        pbdrWorld* world = makeEmpty((SceneKind)kind, 0);
        addTouchingPair(world);
        pbdrCandidates* candidates = getCandidates(world);
        pbdrUpdateCandidates(candidates);
        const int count = pbdrCountCandidates(candidates);
        CHECK_GE(count, 4);
        pbdrForgetCandidates(candidates);
        pbdrUpdateCandidates(candidates);
        CHECK_EQ(pbdrCountCandidates(candidates), count);
        pbdrDestroyWorld(world);
    }
}

static void look_ahead__is_the_way_of_the_fastest_point(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        pbdrWorld* world = makeEmpty((SceneKind)kind, 0);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.velocity = (pbdrVelocity){pbdrVec(1.0, 2.0, -2.0), pbdrVec(0.0, 3.0, 4.0)};
        for (int k = 0; k < 3; k++) {
            def.kind = k == 0 ? pbdr_bodyDynamic : k == 1 ? pbdr_bodyIntegrateOnly : pbdr_bodyStatic;
            def.position.x = k;
            if (k == 2) {
                def.velocity = (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
            }
            pbdrBodyId id = addShaped(world, 0, def);
            CHECK_EQ(pbdrBody_SetForce(world, id, pbdrVec(100.0, 0.0, 0.0)), pbdr_statusOk);
        }
        const pbdrCandidates* candidates = getCandidates(world);
        const pbdrVec3 up = {0.0, 0.0, 1.0};
        const double dt = 1e-3, corner = 0.5 * pbdrLength(pbdrVec(0.1, 0.14, 0.2));
        const double lever =
            kind == XPBDR_SURFACES ? corner : pbdrGetBody(candidates->scene, 0)->shape->reach;
        for (int k = 0; k < 3; k++) {
            const pbdrBody* body = pbdrGetBody(candidates->scene, k);
            const pbdrVec3 v = pbdrVec(1.0 + 100.0 * dt, 2.0, -2.0 - (k == 0 ? 9.81 * dt : 0.0));
            const bool none = kind == REDUCED_SPHERES || k == 2;
            CHECK_NEAR(pbdrGetLookAhead(candidates, body, NULL),
                       none ? 0.0 : dt * (pbdrLength(v) + 5.0 * lever), 1e-15);
            CHECK_NEAR(pbdrGetLookAhead(candidates, body, &up), none ? 0.0 : dt * (fabs(v.z) + 5.0 * lever),
                       1e-15);
        }
        CHECK_GE(pbdrGetContactReach(candidates->scene, pbdrGetBody(candidates->scene, 0)),
                 kind == XPBDR_SURFACES ? corner * (1.0 - 1e-12) : 0.1);
        pbdrDestroyWorld(world);
    }
}

// A list with room for fewer pairs than there are holds that many and says so, in every substep.
static void full_list__is_flagged(void)
{
    for (int kind = 0; kind < SCENE_KINDS; kind++) {
        pbdrWorld* world = makeEmpty((SceneKind)kind, 5);
        addTouchingPair(world);
        pbdrCandidates* candidates = getCandidates(world);
        for (int step = 0; step < 3; step++) {
            uint32_t flags = pbdrWorld_Step(world, 1);
            CHECK((flags & pbdr_stepPairsFull) != 0);
            CHECK_EQ(pbdrCountCandidates(candidates), 5);
        }
        pbdrDestroyWorld(world);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"search__misses_no_contact", search__misses_no_contact},
          {"search__keeps_what_items_carry", search__keeps_what_items_carry},
          {"order__does_not_depend_on_the_history", order__does_not_depend_on_the_history},
          {"forget__forgets", forget__forgets},
          {"forget__is_followed_by_a_search_of_pairs", forget__is_followed_by_a_search_of_pairs},
          {"look_ahead__is_the_way_of_the_fastest_point", look_ahead__is_the_way_of_the_fastest_point},
          {"full_list__is_flagged", full_list__is_flagged});
}
