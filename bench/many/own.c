// XPBD-R on scenes of many bodies, by true surfaces or by spheres, through the public API.
#include "many/many.h"

#include "pbdr/pbdr.h"
#include "pbdr/profile.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>

#define LONE_RADIUS 1.0e-3 // of the sphere that stands for a convex mesh, which touches by its surface [m]

typedef struct Simulation {
    pbdrWorld* world;
    pbdrBodyId* bodies;
    pbdrContact* contacts;
    int contactCapacity;
    uint64_t newtonSteps; // up to the last look
    pbdrShape** shapes;   // the scene's
    int shapeCount;
} Simulation;

static void destroy(void* simulation)
{
    Simulation* s = simulation;
    pbdrDestroyWorld(s->world);
    for (int k = 0; s->shapes != NULL && k < s->shapeCount; k++) {
        pbdrReleaseShape(s->shapes[k]);
    }
    free(s->shapes);
    free(s->bodies);
    free(s->contacts);
    free(s);
}

static pbdrStatus makeConvex(const ManyShape* from, pbdrShape** shape, pbdrError* error)
{
    const pbdrVec3 origin = {0.0, 0.0, 0.0};
    const double radius = LONE_RADIUS;
    const pbdrMesh mesh = {.vertexCount = from->vertexCount,
                           .vertices = from->vertices,
                           .triangleCount = from->triangleCount,
                           .triangles = from->triangles};
    pbdrShapeDef def = pbdrDefaultShapeDef();
    def.sphereCount = 1;
    def.positions = &origin;
    def.radii = &radius;
    def.masses = &from->mass;
    def.extraInertia = from->inertia;
    def.surface.kind = pbdr_surfaceMesh;
    def.surface.mesh = &mesh;
    return pbdrCreateShape(&def, shape, error);
}

static pbdrStatus makeShape(const ManyShape* from, pbdrShape** shape, pbdrError* error)
{
    switch (from->kind) {
    case manyBox:
        return pbdrCreateBoxShape(benchScale(2.0, from->half), from->mass, from->perSide, shape, error);
    case manyBall:
        return pbdrCreateBallShape(from->radius, from->mass, shape, error);
    case manyCapsule:
        return pbdrCreateCapsuleShape(from->radius, 2.0 * from->half.z, from->mass, shape, error);
    case manyConvex:
        return makeConvex(from, shape, error);
    case manyMesh:
        break;
    }
    return pbdrCreatePackedShape(from->packed, NULL, shape, error);
}

static pbdrStatus addBodies(Simulation* s, const ManyScene* scene, pbdrError* error)
{
    pbdrStatus status = pbdr_statusOk;
    for (int k = 0; k < scene->shapeCount && status == pbdr_statusOk; k++) {
        status = makeShape(&scene->shapes[k], &s->shapes[k], error);
    }
    for (int k = 0; k < scene->bodyCount && status == pbdr_statusOk; k++) {
        const ManyBody* body = &scene->bodies[k];
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = body->fixed ? pbdr_bodyStatic : pbdr_bodyDynamic;
        def.friction = scene->friction;
        def.position = body->start.position;
        def.rotation = body->start.rotation;
        def.velocity = body->velocity;
        status = pbdrCreateBodyFromShape(s->world, &def, s->shapes[body->shape], &s->bodies[k], error);
    }
    return status;
}

static pbdrStatus build(Simulation* s, const ManyScene* scene, pbdrContactKind contact, pbdrError* error)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdr_solverXpbdR;
    def.contact = contact;
    def.timeStep = scene->timeStep;
    def.threads = scene->threads > 0 ? scene->threads : 1;
    def.tasks = scene->tasks != NULL ? *scene->tasks : def.tasks;
    pbdrStatus status = pbdrCreateWorld(&def, &s->world, error);
    pbdrPlaneDef ground = pbdrDefaultPlaneDef();
    ground.friction = scene->friction;
    if (status == pbdr_statusOk && scene->ground) {
        status = pbdrCreatePlane(s->world, &ground, NULL, error);
    }
    s->shapeCount = scene->shapeCount;
    s->shapes = calloc((size_t)scene->shapeCount + 1, sizeof *s->shapes);
    s->bodies = calloc((size_t)scene->bodyCount + 1, sizeof *s->bodies);
    if (status == pbdr_statusOk) {
        status = s->shapes != NULL && s->bodies != NULL ? addBodies(s, scene, error) : pbdr_statusNoMemory;
    }
    return status;
}

static void* create(const ManyScene* scene, pbdrContactKind contact, char message[MANY_MESSAGE])
{
    pbdrError error = {.message = "out of memory"};
    Simulation* s = calloc(1, sizeof *s);
    if (s == NULL || build(s, scene, contact, &error) != pbdr_statusOk) {
        snprintf(message, MANY_MESSAGE, "%.255s", error.message);
        if (s != NULL) {
            destroy(s);
        }
        return NULL;
    }
    // Counting needs profiling, which reads the clock five times a substep: 0.15 us.
    pbdrWorld_SetProfiling(s->world, !scene->unprofiled);
    return s;
}

static void* createBySurface(const ManyScene* scene, char message[MANY_MESSAGE])
{
    return create(scene, pbdr_contactSurface, message);
}

static void* createBySpheres(const ManyScene* scene, char message[MANY_MESSAGE])
{
    return create(scene, pbdr_contactSpheres, message);
}

static uint32_t step(void* simulation)
{
    return pbdrWorld_Step(((Simulation*)simulation)->world, 1);
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation* s = simulation;
    *pose = pbdrBody_GetPose(s->world, s->bodies[body]);
    *velocity = pbdrBody_GetVelocity(s->world, s->bodies[body]);
}

static void look(void* simulation, ManyStep* step)
{
    Simulation* s = simulation;
    pbdrProfile profile;
    pbdrWorld_GetProfile(s->world, &profile);
    step->newtonSteps = (double)(profile.newtonSteps.sum - s->newtonSteps);
    s->newtonSteps = profile.newtonSteps.sum;
    const int count = pbdrWorld_GetContacts(s->world, s->contacts, s->contactCapacity);
    if (count > s->contactCapacity) {
        free(s->contacts);
        s->contactCapacity = 2 * count;
        s->contacts = malloc((size_t)s->contactCapacity * sizeof *s->contacts);
        if (s->contacts == NULL) {
            s->contactCapacity = 0;
            step->contacts = count;
            step->overlap = (double)NAN;
            return;
        }
        pbdrWorld_GetContacts(s->world, s->contacts, s->contactCapacity);
    }
    step->contacts = count;
    step->overlap = 0.0;
    for (int k = 0; k < count; k++) {
        step->overlap = fmax(step->overlap, -s->contacts[k].separation);
    }
}

static ManySpheres getSpheres(void* simulation, int shape)
{
    const pbdrShape* from = ((Simulation*)simulation)->shapes[shape];
    return (ManySpheres){pbdrShape_GetSphereCount(from), pbdrShape_GetOffsets(from),
                         pbdrShape_GetRadii(from)};
}

const ManySolver* manyGetXpbdR(void)
{
    static const ManySolver solver = {"xpbdr", "", createBySurface, step, readMotion, look, destroy, NULL};
    return &solver;
}

const ManySolver* manyGetXpbdRSpheres(void)
{
    static const ManySolver solver = {"xpbdr:spheres", "",   createBySpheres, step,
                                      readMotion,      look, destroy,         getSpheres};
    return &solver;
}
