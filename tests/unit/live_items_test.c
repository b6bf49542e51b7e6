// Which contact items sweeps may need (contact/items.h, engine/xpbdr/surfaces.c), and bundles of probes.
#include "contact/touch.h"
#include "unit/xpbdr_solves.h"

#include <math.h>

// Farther than this beyond the hull of points a point is outside [m]: a corner may lie on an edge by the slack of 0.1 mm.
#define OUTSIDE 1.5e-4

// The patch between the two cubes.
static pbdrActivePatch* findPair(pbdrSolve* solve)
{
    for (int k = 0; k < solve->activePatchCount; k++) {
        if (pbdrGetPatch(&solve->world->candidates, solve->activePatches[k].patch)->bodyB >= 0) {
            return &solve->activePatches[k];
        }
    }
    checkFailures++;
    return &solve->activePatches[0];
}

// How far a point is beyond the hull of others, seen along z: the largest distance over all directions.
static double getBeyond(const pbdrVec3* points, int count, pbdrVec3 place)
{
    double most = -HUGE_VAL;
    for (int k = 0; k < 720; k++) {
        const double c = cos(k * 3.14159265358979 / 360.0), s = sin(k * 3.14159265358979 / 360.0);
        double farthest = -HUGE_VAL;
        for (int i = 0; i < count; i++) {
            farthest = fmax(farthest, c * points[i].x + s * points[i].y);
        }
        most = fmax(most, c * place.x + s * place.y - farthest);
    }
    return most;
}

// A cube on another, shifted and turned about the vertical: what is live holds the whole area in which they touch, each
// contact once.
static void live__items_hold_the_whole_area(void)
{
    uint64_t seed = 5;
    int fewer = 0;
    for (int trial = 0; trial < 40; trial++) {
        pbdrWorld* world = makeConvergedOnGround(0.5);
        addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.0, 0.0, 0.1));
        const pbdrBodyId upper = addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.0, 0.0, 0.3));
        pbdrPose pose = pbdrBody_GetPose(world, upper);
        pose.position.x = trial == 0 ? 0.0 : 0.09 * draw(&seed);
        pose.position.y = trial == 0 ? 0.0 : 0.09 * draw(&seed);
        pose.rotation = turnAbout(pbdrVec(0.0, 0.0, 1.0), trial == 0 ? 0.0 : 0.8 * draw(&seed));
        pbdrBody_SetPose(world, upper, pose);
        pbdrSolve solve = begin(world);
        const pbdrItems* items = pbdrGetItems(&solve);
        pbdrActivePatch* active = findPair(&solve);
        const double* ahead = pbdrGetColumn(items, ITEM_AHEAD);
        pbdrVec3 all[256], live[256];
        int allCount = 0;
        for (int k = 0; k < active->law.count && allCount < 256; k++) {
            if (ahead[active->law.first + k] < 1e-9) {
                all[allCount++] = pbdrReadColumns(items, ITEM_LEVER, active->law.first + k);
            }
        }
        active->swept = true;
        pbdrPrepareActivePatch(solve.world, active, solve.movers, 0);
        const int count = pbdrCountLive(active);
        CHECK(count >= 4 && count <= 16);
        fewer += count < allCount;
        int touching = 0;
        for (int k = 0; k < count; k++) {
            const int item = pbdrGetLive(items, active, k);
            live[touching] = pbdrReadColumns(items, ITEM_LEVER, item);
            touching += ahead[item] < 1e-9;
            for (int j = 0; j + 1 < touching; j++) {
                CHECK(distance(live[j], live[touching - 1]) > 1e-7 || ahead[item] >= 1e-9);
            }
        }
        for (int k = 0; k < allCount; k++) {
            CHECK_LE(getBeyond(live, touching, all[k]), OUTSIDE);
        }
        pbdrDestroyWorld(world);
    }
    CHECK_GE(fewer, 35);
}

// Of bodies that turn, points on edges are live as well: another part of an edge may come down first.
static void live__items_of_what_turns_have_edges(void)
{
    int counts[2];
    for (int turns = 0; turns < 2; turns++) {
        pbdrWorld* world = makeConvergedOnGround(0.5);
        addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.0, 0.0, 0.1));
        const pbdrBodyId upper = addFacedCube(world, 5, pbdr_bodyDynamic, 0.5, pbdrVec(0.03, 0.02, 0.3));
        if (turns == 1) {
            pbdrBody_SetVelocity(world, upper, (pbdrVelocity){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}});
        }
        pbdrSolve solve = begin(world);
        pbdrActivePatch* active = findPair(&solve);
        active->swept = true;
        pbdrPrepareActivePatch(solve.world, active, solve.movers, 0);
        counts[turns] = pbdrCountLive(active);
        pbdrDestroyWorld(world);
    }
    CHECK_GE(counts[1], counts[0] + 6);
}

// A bundle that may not touch has no probe that may.
static void bundles__hide_no_probe(void)
{
    uint64_t seed = 9;
    pbdrError error;
    pbdrShape* shapes[4];
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.1, 0.4), 1.0, 6, &shapes[0], &error), &error);
    require(pbdrCreateCapsuleShape(0.05, 0.4, 1.0, &shapes[1], &error), &error);
    require(pbdrCreateCylinderShape(0.1, 0.2, 1.0, 6, &shapes[2], &error), &error);
    require(pbdrCreateBallShape(0.1, 1.0, &shapes[3], &error), &error);
    int near = 0, hidden = 0;
    for (int trial = 0; trial < 400; trial++) {
        pbdrBody bodies[2];
        for (int k = 0; k < 2; k++) {
            const pbdrQuat q = drawRotation(&seed);
            const pbdrVec3 place = pbdrScale(0.2 * k, pbdrVec(draw(&seed), draw(&seed), draw(&seed)));
            bodies[k] = (pbdrBody){.alive = true,
                                   .shape = shapes[(trial >> 2 * k) % 4],
                                   .centre = place,
                                   .rotation = q,
                                   .frame = pbdrMatFromQuat(q)};
        }
        const pbdrProbing probing = pbdrSetProbingOf(&bodies[0], &bodies[1], 0);
        const double reach = 0.02 * (draw(&seed) + 1.0);
        CHECK_EQ(bodies[0].shape->surface.bundleCount,
                 (bodies[0].shape->surface.probeCount + PBDR_BUNDLE - 1) / PBDR_BUNDLE);
        for (int k = 0; k < bodies[0].shape->surface.probeCount; k++) {
            const bool may = pbdrMayTouch(&probing, k, reach);
            const bool bundle = pbdrMayBundleTouch(&probing, k / PBDR_BUNDLE, reach);
            CHECK(!may || bundle);
            near += may;
            hidden += !bundle;
        }
    }
    CHECK_GE(near, 1000);
    CHECK_GE(hidden, 1000);
    for (int k = 0; k < 4; k++) {
        pbdrReleaseShape(shapes[k]);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"live__items_hold_the_whole_area", live__items_hold_the_whole_area},
          {"live__items_of_what_turns_have_edges", live__items_of_what_turns_have_edges},
          {"bundles__hide_no_probe", bundles__hide_no_probe});
}
