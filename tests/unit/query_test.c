// Rays and nearest points against every sphere and plane by brute force, in every engine.
#include "math/random.h"
#include "math/vec.h"
#include "scenes.h"

#define BODIES 7

// Bodies of one to a few hundred spheres, strewn over and into a floor, one of them behind a wall, after some
// substeps: poses are those that an engine has, not those that were set.
static pbdrWorld* makeMess(int k, pbdrBodyId bodies[BODIES], pbdrPlaneId planes[2])
{
    pbdrWorldDef worldDef = getEngineDef(k);
    worldDef.gravity = pbdrVec(0.0, 0.0, -1.0);
    pbdrWorld* world = makeWorld(worldDef);
    planes[0] = addPlane(world, pbdrVec(0.0, 0.0, 1.0), -1.0, 0.3);
    planes[1] = addPlane(world, pbdrVec(-0.6, 0.0, 0.8), -2.0, 0.3);
    for (int b = 0; b < BODIES; b++) {
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = b == 2 ? pbdr_bodyStatic : (b == 3 ? pbdr_bodyKinematic : pbdr_bodyDynamic);
        def.position = pbdrVec(0.9 * cos(b), 0.8 * sin(2.0 * b), 0.2 * b - 0.4);
        def.rotation = pbdrQuatFromVector(pbdrVec(0.3 * b, -0.2 * b, 0.1));
        if (b != 2) {
            def.velocity.angular = pbdrVec(0.5, 0.1 * b, -0.3);
        }
        bodies[b] = addBlock(world, 1 + 2 * b, 1 + b, 1 + b / 2, 0.04, 1.0, def);
    }
    pbdrWorld_Step(world, 50);
    return world;
}

static pbdrVec3 pick(uint64_t* random, double size)
{
    double x = pbdrNextUniform(random), y = pbdrNextUniform(random), z = pbdrNextUniform(random);
    return pbdrVec(size * (2.0 * x - 1.0), size * (2.0 * y - 1.0), size * (2.0 * z - 1.0));
}

// Where a ray meets a sphere: the smaller root of |o + t d - c|^2 = r^2; HUGE_VAL: nowhere. In long double,
// for b^2 - c loses half of the digits where a ray grazes.
static double hitSphere(pbdrVec3 origin, pbdrVec3 direction, pbdrVec3 centre, double radius)
{
    const long double x = (long double)origin.x - (long double)centre.x;
    const long double y = (long double)origin.y - (long double)centre.y;
    const long double z = (long double)origin.z - (long double)centre.z;
    const long double b =
        x * (long double)direction.x + y * (long double)direction.y + z * (long double)direction.z;
    const long double c = x * x + y * y + z * z - (long double)radius * (long double)radius;
    if (c <= 0.0L) {
        return 0.0;
    }
    long double square = b * b - c;
    return square < 0.0L || b >= 0.0L ? HUGE_VAL : (double)(-b - sqrtl(square));
}

typedef struct Sphere {
    pbdrVec3 centre;
    double radius;
    int body, particle;
} Sphere;

static int listSpheres(const pbdrWorld* world, const pbdrBodyId* bodies, Sphere* spheres)
{
    int count = 0;
    for (int b = 0; b < BODIES; b++) {
        const pbdrShape* shape = pbdrBody_GetShape(world, bodies[b]);
        pbdrPose pose = pbdrBody_GetPose(world, bodies[b]);
        pbdrMat3 turn = pbdrMatFromQuat(pose.rotation);
        for (int i = 0; i < pbdrShape_GetSphereCount(shape); i++) {
            pbdrVec3 x = pbdrAdd(pose.position, pbdrMulMV(&turn, pbdrShape_GetOffsets(shape)[i]));
            spheres[count++] = (Sphere){x, pbdrShape_GetRadii(shape)[i], b, i};
        }
    }
    return count;
}

static Sphere spheres[4096];

// 4000 rays, some along axes, some from inside, some short: the same distance to rounding, the hit on the
// surface of what it names, with that surface's normal.
static void ray__hits_what_brute_force_hits(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrBodyId bodies[BODIES];
        pbdrPlaneId planes[2];
        pbdrWorld* world = makeMess(k, bodies, planes);
        int count = listSpheres(world, bodies, spheres), onBodies = 0, onPlanes = 0, none = 0, inside = 0;
        uint64_t random = 7;
        for (int trial = 0; trial < 4000; trial++) {
            pbdrVec3 origin = pick(&random, 2.0), direction = pick(&random, 3.0);
            if (trial % 3 == 0) { // towards some sphere
                direction = pbdrSub(spheres[trial % count].centre, origin);
            } else if (trial % 7 == 0) {
                direction = pbdrVec(0.0, trial % 2 == 0 ? 2.0 : -0.5, 0.0);
            }
            double farthest = trial % 5 == 0 ? 0.5 : (trial % 5 == 1 ? HUGE_VAL : 10.0);
            pbdrVec3 unit = pbdrScale(1.0 / pbdrLength(direction), direction);
            double best = HUGE_VAL;
            for (int i = 0; i < count; i++) {
                best = fmin(best, hitSphere(origin, unit, spheres[i].centre, spheres[i].radius));
            }
            for (int p = 0; p < 2; p++) {
                double height = pbdrDot(pbdrPlane_GetNormal(world, planes[p]), origin) -
                                pbdrPlane_GetOffset(world, planes[p]);
                double fall = -pbdrDot(pbdrPlane_GetNormal(world, planes[p]), unit);
                best = fmin(best, height <= 0.0 ? 0.0 : (fall > 0.0 ? height / fall : HUGE_VAL));
            }
            pbdrHit hit;
            bool found = pbdrWorld_CastRay(world, origin, direction, farthest, pbdrDefaultFilter(), &hit);
            CHECK(found == (best < HUGE_VAL && best <= farthest));
            none += !found;
            if (!found) {
                continue;
            }
            // rounding across a ray that grazes is worth more along it, by one over the sine
            CHECK_LE(fabs(hit.distance - best) * fabs(pbdrDot(hit.normal, unit)), 1e-13 * (1.0 + best));
            CHECK_LE(distance(hit.point, pbdrAddScaled(origin, hit.distance, unit)), 1e-12);
            CHECK_NEAR(pbdrLength(hit.normal), 1.0, 1e-12);
            CHECK_LE(pbdrDot(hit.normal, unit), 1e-9);
            inside += hit.distance == 0.0;
            if (hit.plane.index1 != 0) {
                onPlanes++;
                CHECK(pbdrPlane_IsValid(world, hit.plane) && hit.body.index1 == 0 && hit.particle == -1);
            } else {
                onBodies++;
                CHECK(pbdrBody_IsValid(world, hit.body));
                const Sphere* sphere = spheres;
                while (sphere->body != hit.body.index1 - 1 || sphere->particle != hit.particle) {
                    sphere++;
                }
                if (hit.distance > 0.0) {
                    pbdrVec3 at = pbdrAddScaled(sphere->centre, sphere->radius, hit.normal);
                    CHECK_LE(distance(at, hit.point), 1e-12);
                }
            }
        }
        CHECK_GE(onBodies, 500);
        CHECK_GE(onPlanes, 200);
        CHECK_GE(none, 200);
        CHECK_GE(inside, 100);
        pbdrDestroyWorld(world);
    }
}

static void nearest__is_what_brute_force_finds(void)
{
    for (int k = 0; k < ENGINE_COUNT; k++) {
        pbdrBodyId bodies[BODIES];
        pbdrPlaneId planes[2];
        pbdrWorld* world = makeMess(k, bodies, planes);
        int count = listSpheres(world, bodies, spheres), none = 0, inside = 0;
        uint64_t random = 11;
        for (int trial = 0; trial < 3000; trial++) {
            pbdrVec3 point = pick(&random, 1.5);
            if (trial % 4 == 0) {
                point = pbdrAdd(spheres[trial % count].centre, pbdrScale(0.02, point));
            }
            double farthest = trial % 3 == 0 ? 0.1 : HUGE_VAL, best = HUGE_VAL;
            for (int i = 0; i < count; i++) {
                best = fmin(best, distance(point, spheres[i].centre) - spheres[i].radius);
            }
            for (int p = 0; p < 2; p++) {
                best = fmin(best, pbdrDot(pbdrPlane_GetNormal(world, planes[p]), point) -
                                      pbdrPlane_GetOffset(world, planes[p]));
            }
            pbdrHit hit;
            bool found = pbdrWorld_FindNearest(world, point, farthest, pbdrDefaultFilter(), &hit);
            CHECK(found == (best <= farthest));
            none += !found;
            if (found) {
                CHECK_NEAR(hit.distance, best, 1e-12);
                CHECK_LE(distance(point, pbdrAddScaled(hit.point, hit.distance, hit.normal)), 1e-12);
                CHECK((hit.plane.index1 != 0) != (hit.body.index1 != 0));
                inside += hit.distance < 0.0;
            }
        }
        CHECK_GE(none, 100);
        CHECK_GE(inside, 100);
        pbdrDestroyWorld(world);
    }
}

static void queries__see_what_their_filter_lets_them(void)
{
    pbdrWorld* world = makeWorld(getEngineDef(3));
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId ids[3];
    for (int b = 0; b < 3; b++) {
        def.position = pbdrVec(1.0 + b, 0.0, 0.0);
        def.filter = (pbdrFilter){(uint64_t)1 << b, b == 1 ? 4 : UINT64_MAX};
        ids[b] = addBlock(world, 1, 1, 1, 0.25, 1.0, def);
    }
    pbdrPlaneDef wall = pbdrDefaultPlaneDef(); // x = 5
    wall.normal = pbdrVec(-1.0, 0.0, 0.0);
    wall.offset = -5.0;
    wall.filter = (pbdrFilter){8, UINT64_MAX};
    pbdrPlaneId plane;
    CHECK(pbdrCreatePlane(world, &wall, &plane, NULL) == pbdr_statusOk);
    const pbdrVec3 origin = {0.0, 0.0, 0.0}, x = {1.0, 0.0, 0.0};
    const struct {
        pbdrFilter filter;
        double expected; // < 0: nothing
    } cases[] = {{{1, UINT64_MAX}, 0.75}, {{1, 2}, -1.0}, {{4, 2}, 1.75}, {{1, 4}, 2.75}, {{1, 8}, 5.0}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        pbdrHit hit;
        CHECK(pbdrWorld_CastRay(world, origin, x, 9.0, cases[c].filter, &hit) == (cases[c].expected > 0.0));
        CHECK(pbdrWorld_FindNearest(world, origin, 9.0, cases[c].filter, NULL) == (cases[c].expected > 0.0));
        if (cases[c].expected > 0.0) {
            CHECK_NEAR(hit.distance, cases[c].expected, 1e-15);
            CHECK(pbdrWorld_FindNearest(world, origin, 9.0, cases[c].filter, &hit));
            CHECK_NEAR(hit.distance, cases[c].expected, 1e-15);
        } else {
            CHECK(hit.body.index1 == 0 && hit.plane.index1 == 0 && hit.particle == -1);
        }
    }
    // what is destroyed is not there
    pbdrDestroyBody(world, ids[0]);
    pbdrDestroyPlane(world, plane);
    pbdrHit hit;
    CHECK(pbdrWorld_CastRay(world, origin, x, 9.0, (pbdrFilter){4, UINT64_MAX}, &hit));
    CHECK_EQ(hit.body.index1, ids[1].index1);
    CHECK(!pbdrWorld_CastRay(world, origin, x, 9.0, (pbdrFilter){1, 8}, &hit));
    pbdrDestroyWorld(world);
}

static void queries__find_nothing_with_bad_numbers(void)
{
    pbdrWorld* world = makeWorld(getEngineDef(3));
    addGround(world, 0.4);
    addCube(world, 2, 0.0, 0.0, 0.4);
    const pbdrVec3 up = {0.0, 0.0, 1.0}, down = {0.0, 0.0, -1.0}, zero = {0.0, 0.0, 0.0};
    const pbdrVec3 bad = {(double)NAN, 0.0, 0.0}, infinite = {HUGE_VAL, 0.0, 0.0};
    const pbdrFilter all = pbdrDefaultFilter();
    pbdrHit hit;
    CHECK(!pbdrWorld_CastRay(world, bad, down, 9.0, all, &hit));
    CHECK(!pbdrWorld_CastRay(world, up, bad, 9.0, all, &hit));
    CHECK(!pbdrWorld_CastRay(world, up, infinite, 9.0, all, &hit));
    CHECK(!pbdrWorld_CastRay(world, up, zero, 9.0, all, &hit));
    CHECK(!pbdrWorld_CastRay(world, up, down, -1.0, all, &hit));
    CHECK(!pbdrWorld_CastRay(world, up, down, (double)NAN, all, &hit));
    CHECK(!pbdrWorld_FindNearest(world, bad, 9.0, all, &hit));
    CHECK(!pbdrWorld_FindNearest(world, up, (double)NAN, all, &hit));
    CHECK(!pbdrWorld_FindNearest(world, up, -1.0, all, &hit));
    // any length is a direction, also those whose squares are none
    const double sizes[] = {1e-300, 1.0, 1e300};
    for (int k = 0; k < 3; k++) {
        CHECK(pbdrWorld_CastRay(world, pbdrVec(3.0, 0.0, 1.0), pbdrScale(sizes[k], down), 9.0, all, &hit));
        CHECK_NEAR(hit.distance, 1.0, 1e-15);
    }
    // from afar: no box is lost to rounding
    CHECK(pbdrWorld_CastRay(world, pbdrVec(1e6, 0.05, 0.05), pbdrVec(-1.0, 0.0, 0.0), HUGE_VAL, all, &hit));
    CHECK_NEAR(hit.distance, 1e6 - 0.1, 1e-9);
    pbdrDestroyWorld(world);
}

// Rays against a true box by slabs, and points by their distance, from random places; particle is -1.
static void surface__is_what_xpbdr_sees(void)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef();
    worldDef.solver = pbdr_solverXpbdR;
    pbdrWorld* world = makeWorld(worldDef);
    const double half[3] = {0.1, 0.2, 0.3};
    pbdrShape* shape;
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.4, 0.6), 3.0, 2, &shape, &error), &error);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    pbdrBodyId id;
    require(pbdrCreateBodyFromShape(world, &def, shape, &id, &error), &error);
    pbdrReleaseShape(shape);
    uint64_t seed = 11;
    int hits = 0;
    for (int trial = 0; trial < 2000; trial++) {
        double u[6];
        for (int k = 0; k < 6; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            u[k] = (double)(seed >> 11) * 0x1p-52 - 1.0;
        }
        const double o[3] = {u[0], u[1], u[2]}, to[3] = {0.4 * u[3], 0.4 * u[4], 0.4 * u[5]};
        double d[3] = {to[0] - o[0], to[1] - o[1], to[2] - o[2]};
        double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), enter = -HUGE_VAL, leave = HUGE_VAL;
        double outside = 0.0, inside = -HUGE_VAL;
        for (int k = 0; k < 3; k++) {
            d[k] /= length;
            double a = (-half[k] - o[k]) / d[k], b = (half[k] - o[k]) / d[k];
            enter = fmax(enter, fmin(a, b));
            leave = fmin(leave, fmax(a, b));
            double over = fabs(o[k]) - half[k];
            outside += over > 0.0 ? over * over : 0.0;
            inside = fmax(inside, over);
        }
        pbdrHit hit;
        pbdrVec3 origin = {o[0], o[1], o[2]};
        bool met =
            pbdrWorld_CastRay(world, origin, pbdrVec(d[0], d[1], d[2]), 10.0, pbdrDefaultFilter(), &hit);
        bool clear = fabs(leave - enter) > 1e-3; // corners that are grazed may go either way
        if (clear) {
            CHECK_EQ(met, enter <= leave && leave >= 0.0);
        }
        if (met && clear) {
            hits++;
            CHECK_NEAR(hit.distance, fmax(enter, 0.0),
                       1e-7); // a ray along a face ends 1e-6 of the size off it
            CHECK_EQ(hit.particle, -1);
        }
        CHECK(pbdrWorld_FindNearest(world, origin, 10.0, pbdrDefaultFilter(), &hit));
        CHECK_NEAR(hit.distance, outside > 0.0 ? sqrt(outside) : inside, 1e-14);
        CHECK_NEAR(pbdrLength(pbdrSub(origin, hit.point)), fabs(hit.distance), 1e-14);
    }
    CHECK_GE(hits, 500); // rays that say something
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"ray__hits_what_brute_force_hits", ray__hits_what_brute_force_hits},
          {"nearest__is_what_brute_force_finds", nearest__is_what_brute_force_finds},
          {"queries__see_what_their_filter_lets_them", queries__see_what_their_filter_lets_them},
          {"queries__find_nothing_with_bad_numbers", queries__find_nothing_with_bad_numbers},
          {"surface__is_what_xpbdr_sees", surface__is_what_xpbdr_sees});
}
