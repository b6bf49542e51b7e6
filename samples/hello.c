// A cube of 64 spheres is pushed over a floor for one second. Beside its position stands the closed form of a
// sliding block,
//
//   x(t) = (F - mu M g) / (2 M) t^2
//
// Then a ray looks for it, the floor's force on it is summed up, and a knock lifts it off the floor.
//
// Build and run: samples/README.md.
#include <stdio.h>
#include <stdlib.h>

#include <pbdr/pbdr.h>

enum { SPHERES_PER_AXIS = 4 };

static const double HALF_EXTENT = 0.1; // [m]
static const double MASS = 4.0;        // [kg]
static const double FRICTION = 0.4;    // of the cube and of the floor, so of the pair
static const double PUSH = 17.0;       // [N]

// A floor, a cube that stands on it, and the push along x. The world copies what it is given.
static pbdrStatus createScene(pbdrWorld* world, pbdrBodyId* cube, pbdrError* error)
{
    pbdrPlaneDef floorDef = pbdrDefaultPlaneDef(); // z = 0, facing up
    floorDef.friction = FRICTION;
    pbdrPlaneId floorId;
    pbdrStatus status = pbdrCreatePlane(world, &floorDef, &floorId, error);
    if (status != pbdr_statusOk) {
        return status;
    }

    pbdrSphereSet spheres = {0};
    status = pbdrPackBox(SPHERES_PER_AXIS, SPHERES_PER_AXIS, SPHERES_PER_AXIS, HALF_EXTENT / SPHERES_PER_AXIS,
                         MASS, NULL, &spheres, error);
    if (status != pbdr_statusOk) {
        return status;
    }

    pbdrBodyDef cubeDef = pbdrDefaultBodyDef();
    cubeDef.particleCount = spheres.count;
    cubeDef.positions = spheres.positions;
    cubeDef.radii = spheres.radii;
    cubeDef.masses = spheres.masses;
    cubeDef.position = (pbdrVec3){0.0, 0.0, HALF_EXTENT};
    cubeDef.friction = FRICTION;
    status = pbdrCreateBody(world, &cubeDef, cube, error);
    pbdrSphereSet_Free(&spheres);
    if (status != pbdr_statusOk) {
        return status;
    }
    return pbdrBody_SetForce(world, *cube, (pbdrVec3){PUSH, 0.0, 0.0}); // acts until changed
}

// Runs for a second and prints where the cube is every tenth. False if the simulation diverged.
static bool run(pbdrWorld* world, pbdrBodyId cube)
{
    const double acceleration = PUSH / MASS - FRICTION * PBDR_DEFAULT_GRAVITY; // [m/s^2]
    const double start = pbdrBody_GetPose(world, cube).position.x;

    printf("  time [s]  x [m]     closed form [m]\n");
    for (int tenth = 1; tenth <= 10; tenth++) {
        const uint32_t flags = pbdrWorld_Step(world, 100);
        if ((flags & pbdr_stepNotFinite) != 0) {
            return false;
        }
        const double time = (double)pbdrWorld_GetSubstepCount(world) * pbdrWorld_GetTimeStep(world);
        const double x = pbdrBody_GetPose(world, cube).position.x - start;
        printf("  %8.3f  %8.6f  %8.6f\n", time, x, 0.5 * acceleration * time * time);
    }
    return true;
}

// Queries, contact forces, impulses and events.
static void lookAround(pbdrWorld* world, pbdrBodyId cube)
{
    const pbdrVec3 centre = pbdrBody_GetPose(world, cube).position;
    pbdrHit hit;
    if (pbdrWorld_CastRay(world, (pbdrVec3){-1.0, 0.025, 0.125}, (pbdrVec3){1.0, 0.0, 0.0}, 10.0,
                          pbdrDefaultFilter(), &hit)) {
        printf("a ray from x = -1 m meets sphere %d after %.3f m\n", (int)hit.particle, hit.distance);
    }
    const pbdrWrench floorWrench = pbdrBody_GetContactWrench(world, cube, centre);
    printf("the floor's force: %.2f N along x, %.2f N up\n", floorWrench.force.x, floorWrench.force.z);

    pbdrWorld_SetContactEvents(world, true);
    pbdrWorld_Step(world, 1);                                                     // it touches
    pbdrBody_ApplyImpulse(world, cube, (pbdrVec3){0.0, 0.0, 0.5 * MASS}, centre); // 0.5 m/s upwards
    pbdrWorld_Step(world, 200);
    pbdrContactEvent events[16];
    const int count = pbdrWorld_GetContactEvents(world, events, 16);
    for (int i = 0; i < count && i < 16; i++) {
        printf("substep %d: the cube %s the floor\n", (int)events[i].substep,
               events[i].kind == pbdr_contactBegin ? "touches" : "leaves");
    }
}

int main(void)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef(); // XPBD-R in double precision, g = 9.81 m/s^2 downwards
    worldDef.timeStep = 1.0e-3;

    pbdrWorld* world = NULL;
    pbdrBodyId cube;
    pbdrError error = {0};
    pbdrStatus status = pbdrCreateWorld(&worldDef, &world, &error);
    if (status == pbdr_statusOk) {
        status = createScene(world, &cube, &error);
    }
    if (status != pbdr_statusOk) {
        fprintf(stderr, "hello: %s: %s\n", pbdrStatusName(status), error.message);
        pbdrDestroyWorld(world);
        return EXIT_FAILURE;
    }

    printf("pbdr %s: a %.0f kg cube, pushed with %.0f N\n", pbdrVersion(), MASS, PUSH);
    const bool finite = run(world, cube);
    if (finite) {
        lookAround(world, cube);
    }
    pbdrDestroyWorld(world);
    if (!finite) {
        fprintf(stderr, "hello: the simulation diverged\n");
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
