// How far two bodies are apart at least (contact/separation.c): never more than they are, and enough for long rods.
#include "contact/search.h"
#include "inside.h"
#include "physics/xpbdr_scenes.h"
#include "surfaces.h"

#define SHAPES 5
#define MOST_SPHERES 4096

static pbdrShape* makeShape(int kind)
{
    pbdrShape* shape = NULL;
    pbdrError error;
    const pbdrStatus status = kind == 0 ? pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 1.0, 3, &shape, &error)
                              : kind == 1
                                  ? pbdrCreateBoxShape(pbdrVec(0.02, 0.1, 0.3), 1.0, 2, &shape, &error)
                              : kind == 2 ? pbdrCreateCapsuleShape(0.01, 0.48, 1.0, &shape, &error)
                              : kind == 3 ? pbdrCreateCylinderShape(0.1, 0.05, 1.0, 4, &shape, &error)
                                          : pbdrCreateBallShape(0.07, 1.0, &shape, &error);
    require(status, &error);
    return shape;
}

// The distance of the nearest of two bodies' spheres, all of which are within their surfaces.
static double getDistance(const pbdrWorld* world, const pbdrBodyId ids[2], pbdrShape* const shapes[2])
{
    static pbdrVec3 places[2][MOST_SPHERES];
    int counts[2];
    for (int k = 0; k < 2; k++) {
        counts[k] = pbdrBody_GetPositions(world, ids[k], places[k], MOST_SPHERES);
        CHECK_LE(counts[k], MOST_SPHERES);
    }
    double least = (double)INFINITY;
    for (int i = 0; i < counts[0]; i++) {
        for (int j = 0; j < counts[1]; j++) {
            const double apart = pbdrLength(pbdrSub(places[0][i], places[1][j]));
            least = fmin(least, apart - shapes[0]->largestRadius - shapes[1]->largestRadius);
        }
    }
    return least;
}

static pbdrWorld* makePair(pbdrShape* const shapes[2], pbdrVec3 apart, const pbdrQuat turns[2],
                           pbdrBodyId ids[2])
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = pbdr_contactSpheres;
    pbdrWorld* world = makeWorld(def);
    pbdrError error;
    for (int k = 0; k < 2; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = pbdrScale(k, apart);
        body.rotation = turns[k];
        require(pbdrCreateBodyFromShape(world, &body, shapes[k], &ids[k], &error), &error);
    }
    return world;
}

static void separation__is_no_more_than_the_distance(void)
{
    seedSurfaces(7);
    int known = 0, close = 0;
    for (int round = 0; round < 400; round++) {
        pbdrShape* shapes[2] = {makeShape(round % SHAPES), makeShape(round / SHAPES % SHAPES)};
        const pbdrQuat turns[2] = {randomTurn(), randomTurn()};
        const pbdrVec3 apart = pbdrVec(randomIn(-0.5, 0.5), randomIn(-0.5, 0.5), randomIn(-0.5, 0.5));
        pbdrBodyId ids[2];
        pbdrWorld* world = makePair(shapes, apart, turns, ids);
        const pbdrScene* scene = getCandidates(world)->scene;
        const pbdrBody *a = pbdrGetBody(scene, 0), *b = pbdrGetBody(scene, 1);
        const double distance = getDistance(world, ids, shapes);
        for (int bySurface = 0; bySurface < 2; bySurface++) {
            const double separation = pbdrGetSeparation(a, b, bySurface != 0);
            CHECK_GE(separation, 0.0);
            CHECK_LE(separation, fmax(0.0, distance));
            CHECK_NEAR(pbdrGetSeparation(b, a, bySurface != 0), separation, 1e-11);
            known += separation > 0.0;
            close += distance > 0.05 && separation > 0.5 * distance;
        }
        pbdrDestroyWorld(world);
        pbdrReleaseShape(shapes[0]);
        pbdrReleaseShape(shapes[1]);
    }
    CHECK_GE(known, 400); // of 800
    CHECK_GE(close, 300);
}

// Two rods, one above the other and turned by an angle, each about its own axis by another: h - 2r for any angle but that of
// parallel ones, where faces say what is known.
static void separation__of_crossing_rods_is_their_distance(void)
{
    pbdrShape* shapes[2] = {makeShape(2), makeShape(2)};
    const pbdrVec3 up = {0.0, 0.0, 1.0};
    for (int k = 1; k < 12; k++) {
        const pbdrQuat lying = turnAbout(pbdrVec(0.0, 1.0, 0.0), 0.5 * 3.14159265358979323846);
        const pbdrQuat spun = turnAbout(pbdrVec(0.0, 0.0, 1.0), 0.3 * k); // about its own axis
        const pbdrQuat turns[2] = {pbdrMulQQ(lying, spun),
                                   pbdrMulQQ(turnAbout(up, 0.25 * k), pbdrMulQQ(lying, spun))};
        pbdrBodyId ids[2];
        pbdrWorld* world = makePair(shapes, pbdrVec(0.01, 0.02, 0.1), turns, ids);
        const pbdrScene* scene = getCandidates(world)->scene;
        const double separation = pbdrGetSeparation(pbdrGetBody(scene, 0), pbdrGetBody(scene, 1), true);
        // boxes around rods reach a little farther than rods do, at their edges
        CHECK_LE(separation, 0.08);
        CHECK_GE(separation, 0.1 - 2.0 * sqrt(2.0) * 0.01 - 1e-9);
        pbdrDestroyWorld(world);
    }
    pbdrReleaseShape(shapes[0]);
    pbdrReleaseShape(shapes[1]);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"separation__is_no_more_than_the_distance", separation__is_no_more_than_the_distance},
          {"separation__of_crossing_rods_is_their_distance", separation__of_crossing_rods_is_their_distance});
}
