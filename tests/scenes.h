// Small scenes that several test programs share.
#ifndef PBDR_TESTS_SCENES_H
#define PBDR_TESTS_SCENES_H

#include "check.h"
#include "ledger.h"
#include "pbdr/pbdr.h"

// Stops the program: for calls that a test needs and that must not fail.
static inline void require(pbdrStatus status, const pbdrError* error)
{
    if (status != pbdr_statusOk) {
        printf("FAILED: %s: %s\n", pbdrStatusName(status), error->message);
        exit(1);
    }
}

// The engine of worlds that do not say: the particle engine, whose laws most tests state; CTest runs those
// that hold in reduced coordinates too a second time with PBDR_TEST_ENGINE=reduced.
static inline pbdrEngine getTestEngine(void)
{
    const char* name = getenv("PBDR_TEST_ENGINE");
    return name != NULL && strcmp(name, "reduced") == 0 ? pbdr_engineReduced : pbdr_engineParticle;
}

// For laws about particles' own positions, velocities or corrections.
#define NEED_PARTICLES()                                                                                     \
    do {                                                                                                     \
        if (getTestEngine() != pbdr_engineParticle) {                                                        \
            SKIP("a law about particles: the reduced engine keeps none");                                    \
        }                                                                                                    \
    } while (0)

static inline pbdrWorld* makeWorld(pbdrWorldDef def)
{
    if (def.engine == pbdr_engineAuto && def.solver != pbdr_solverXpbdR) {
        def.engine = getTestEngine();
    }
    pbdrWorld* world = NULL;
    pbdrError error;
    require(pbdrCreateWorld(&def, &world, &error), &error);
    return world;
}

// A world's definition with the paper's solver, for tests of what is its own or is measured by its numbers.
static inline pbdrWorldDef makePbdRDef(void)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverPbdR;
    return def;
}

// Every way to simulate, for laws that hold in all of them: PBD and PBD-R by particles, PBD-R in reduced
// coordinates, XPBD-R.
#define ENGINE_COUNT 4

static inline pbdrWorldDef getEngineDef(int k)
{
    static const pbdrSolver solvers[ENGINE_COUNT] = {pbdr_solverPbd, pbdr_solverPbdR, pbdr_solverPbdR,
                                                     pbdr_solverXpbdR};
    static const pbdrEngine engines[ENGINE_COUNT] = {pbdr_engineParticle, pbdr_engineParticle,
                                                     pbdr_engineReduced, pbdr_engineAuto};
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = solvers[k];
    def.engine = engines[k];
    return def;
}

static inline pbdrPlaneId addPlane(pbdrWorld* world, pbdrVec3 normal, double offset, double friction)
{
    pbdrPlaneDef def = pbdrDefaultPlaneDef();
    def.normal = normal;
    def.offset = offset;
    def.friction = friction;
    pbdrPlaneId id;
    pbdrError error;
    require(pbdrCreatePlane(world, &def, &id, &error), &error);
    return id;
}

static inline pbdrPlaneId addGround(pbdrWorld* world, double friction)
{
    return addPlane(world, (pbdrVec3){0.0, 0.0, 1.0}, 0.0, friction);
}

// Adds the spheres of a set, which it frees.
static inline pbdrBodyId addSpheres(pbdrWorld* world, pbdrSphereSet* set, pbdrBodyDef def)
{
    def.particleCount = set->count;
    def.positions = set->positions;
    def.radii = set->radii;
    def.masses = set->masses;
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBody(world, &def, &id, &error), &error);
    pbdrSphereSet_Free(set);
    return id;
}

// A block of nx by ny by nz spheres.
static inline pbdrBodyId addBlock(pbdrWorld* world, int nx, int ny, int nz, double radius, double mass,
                                  pbdrBodyDef def)
{
    pbdrSphereSet set = {0};
    pbdrError error;
    require(pbdrPackBox(nx, ny, nz, radius, mass, NULL, &set, &error), &error);
    return addSpheres(world, &set, def);
}

// The benchmark's cube: 0.2 m, 4 kg, n spheres per axis, standing at (x, y, 0).
static inline pbdrBodyId addCube(pbdrWorld* world, int n, double x, double y, double friction)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = (pbdrVec3){x, y, 0.1};
    def.friction = friction;
    return addBlock(world, n, n, n, 0.1 / n, 4.0, def);
}

// Everything that a world holds, as bytes the caller frees.
static inline unsigned char* saveState(const pbdrWorld* world, size_t* size)
{
    *size = pbdrWorld_GetStateSize(world);
    unsigned char* state = malloc(*size);
    pbdrError error;
    require(pbdrWorld_GetState(world, state, *size, &error), &error);
    return state;
}

static inline bool haveSameState(const pbdrWorld* a, const pbdrWorld* b)
{
    size_t sizeA, sizeB;
    unsigned char *stateA = saveState(a, &sizeA), *stateB = saveState(b, &sizeB);
    bool same = sizeA == sizeB && memcmp(stateA, stateB, sizeA) == 0;
    free(stateA);
    free(stateB);
    return same;
}

static inline double distance(pbdrVec3 a, pbdrVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

// P and L about the origin of all bodies given.
static inline pbdrMomentum totalMomentum(const pbdrWorld* world, const pbdrBodyId* bodies, int count)
{
    pbdrMomentum total = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int k = 0; k < count; k++) {
        pbdrMomentum m = pbdrBody_GetMomentum(world, bodies[k]);
        pbdrVec3 p = m.linear, c = pbdrBody_GetPose(world, bodies[k]).position;
        total.linear.x += p.x, total.linear.y += p.y, total.linear.z += p.z;
        total.angular.x += m.angular.x + c.y * p.z - c.z * p.y;
        total.angular.y += m.angular.y + c.z * p.x - c.x * p.z;
        total.angular.z += m.angular.z + c.x * p.y - c.y * p.x;
    }
    return total;
}

#endif
