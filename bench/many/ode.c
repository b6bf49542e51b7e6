// ODE on scenes of many bodies, in double: a hash space, up to 8 contacts per pair, friction of two axes per contact
// (dContactApprox1), ERP 0.2 and CFM 1e-10, nothing sleeps. As `ode` by dWorldQuickStep with its 20 iterations, as
// `ode:exact` by dWorldStep, whose time grows with the cube of an island's contacts. Meshes that are not convex are
// refused: ODE's trimeshes against each other are of another kind of contact.
#include "many/many.h"

#include "vec.h"

#include <ode/ode.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PBDR_ODE_VERSION
#define PBDR_ODE_VERSION "unknown" // ODE does not tell; the build passes what pkg-config says
#endif

#define MAX_CONTACTS 8

// A convex mesh as ODE wants it, and does not copy.
typedef struct Convex {
    dReal* planes;
    unsigned* polygons;
} Convex;

typedef struct Simulation {
    const ManyScene* scene;
    bool exact;
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID* bodies; // NULL where it never moves
    Convex* convexes;
    double overlap; // of the present step [m]
    int contactCount;
} Simulation;

// --- Creation ---

static dGeomID makeConvex(Simulation* s, int index)
{
    const ManyShape* shape = &s->scene->shapes[index];
    Convex* convex = &s->convexes[index];
    const int count = shape->triangleCount;
    if (convex->planes == NULL) {
        convex->planes = malloc(4 * (size_t)count * sizeof *convex->planes);
        convex->polygons = malloc(4 * (size_t)count * sizeof *convex->polygons);
    }
    if (convex->planes == NULL || convex->polygons == NULL) {
        return NULL;
    }
    for (int k = 0; k < count; k++) {
        const int32_t* corner = shape->triangles[k];
        const pbdrVec3 a = shape->vertices[corner[0]];
        pbdrVec3 n =
            benchCross(benchSub(shape->vertices[corner[1]], a), benchSub(shape->vertices[corner[2]], a));
        n = benchScale(1.0 / benchLength(n), n);
        const double plane[4] = {n.x, n.y, n.z, benchDot(n, a)};
        memcpy(&convex->planes[4 * k], plane, sizeof plane);
        convex->polygons[4 * k] = 3;
        for (int i = 0; i < 3; i++) {
            convex->polygons[4 * k + 1 + i] = (unsigned)corner[i];
        }
    }
    return dCreateConvex(s->space, convex->planes, (unsigned)count, &shape->vertices[0].x,
                         (unsigned)shape->vertexCount, convex->polygons);
}

static dGeomID makeGeom(Simulation* s, int index)
{
    const ManyShape* shape = &s->scene->shapes[index];
    switch (shape->kind) {
    case manyBox:
        return dCreateBox(s->space, 2.0 * shape->half.x, 2.0 * shape->half.y, 2.0 * shape->half.z);
    case manyBall:
        return dCreateSphere(s->space, shape->radius);
    case manyCapsule:
        return dCreateCapsule(s->space, shape->radius, 2.0 * shape->half.z);
    case manyConvex:
        return makeConvex(s, index);
    case manyMesh:
        break;
    }
    return NULL;
}

static bool addBody(Simulation* s, int index)
{
    const ManyBody* body = &s->scene->bodies[index];
    const ManyShape* shape = &s->scene->shapes[body->shape];
    const pbdrVec3 x = body->start.position, v = body->velocity.linear, w = body->velocity.angular;
    const pbdrQuat q = body->start.rotation;
    const double(*i)[3] = shape->inertia.m;
    dGeomID geom = makeGeom(s, body->shape);
    if (geom == NULL) {
        return false;
    }
    if (!body->fixed) {
        dMass mass;
        dMassSetParameters(&mass, shape->mass, 0.0, 0.0, 0.0, i[0][0], i[1][1], i[2][2], i[0][1], i[0][2],
                           i[1][2]);
        s->bodies[index] = dBodyCreate(s->world);
        dBodySetMass(s->bodies[index], &mass);
        dBodySetAutoDisableFlag(s->bodies[index], 0);
        dBodySetLinearVel(s->bodies[index], v.x, v.y, v.z);
        dBodySetAngularVel(s->bodies[index], w.x, w.y, w.z);
        dGeomSetBody(geom, s->bodies[index]);
    }
    dGeomSetPosition(geom, x.x, x.y, x.z);
    dGeomSetQuaternion(geom, (dQuaternion){q.w, q.x, q.y, q.z});
    return true;
}

static void destroy(void* simulation)
{
    Simulation* s = simulation;
    dJointGroupDestroy(s->contacts);
    dSpaceDestroy(s->space); // with its geoms
    dWorldDestroy(s->world);
    for (int k = 0; s->convexes != NULL && k < s->scene->shapeCount; k++) {
        free(s->convexes[k].planes);
        free(s->convexes[k].polygons);
    }
    free(s->convexes);
    free(s->bodies);
    free(s);
}

static void countMessage(int number, const char* text, va_list arguments)
{
    (void)number, (void)text, (void)arguments; // ODE's own handler prints
}

static void* create(const ManyScene* scene, bool exact, char message[MANY_MESSAGE])
{
    for (int k = 0; k < scene->shapeCount; k++) {
        if (scene->shapes[k].kind == manyMesh) {
            snprintf(message, MANY_MESSAGE, "not supported: meshes that are not convex");
            return NULL;
        }
    }
    dInitODE2(0);
    dAllocateODEDataForThread(dAllocateMaskAll);
    dSetMessageHandler(countMessage);
    if (!dCheckConfiguration("ODE_double_precision")) {
        snprintf(message, MANY_MESSAGE, "this ODE was built in single precision");
        return NULL;
    }
    Simulation* s = calloc(1, sizeof *s);
    if (s == NULL) {
        return NULL;
    }
    s->scene = scene;
    s->exact = exact;
    s->world = dWorldCreate();
    s->space = dHashSpaceCreate(0);
    s->contacts = dJointGroupCreate(0);
    s->bodies = calloc((size_t)scene->bodyCount + 1, sizeof *s->bodies);
    s->convexes = calloc((size_t)scene->shapeCount + 1, sizeof *s->convexes);
    dWorldSetGravity(s->world, 0.0, 0.0, -PBDR_DEFAULT_GRAVITY);
    bool made = s->bodies != NULL && s->convexes != NULL;
    for (int k = 0; made && k < scene->bodyCount; k++) {
        made = addBody(s, k);
    }
    if (!made) {
        destroy(s);
        return NULL;
    }
    if (scene->ground) {
        dCreatePlane(s->space, 0.0, 0.0, 1.0, 0.0);
    }
    return s;
}

static void* createQuick(const ManyScene* scene, char message[MANY_MESSAGE])
{
    return create(scene, false, message);
}

static void* createExact(const ManyScene* scene, char message[MANY_MESSAGE])
{
    return create(scene, true, message);
}

// --- Run ---

static void collide(void* simulation, dGeomID a, dGeomID b)
{
    Simulation* s = simulation;
    dBodyID bodyA = dGeomGetBody(a), bodyB = dGeomGetBody(b);
    dContactGeom geoms[MAX_CONTACTS];
    if (bodyA == NULL && bodyB == NULL) {
        return;
    }
    const int count = dCollide(a, b, MAX_CONTACTS, geoms, sizeof geoms[0]);
    for (int k = 0; k < count; k++) {
        dContact contact;
        memset(&contact, 0, sizeof contact);
        contact.geom = geoms[k];
        contact.surface.mode = dContactApprox1;
        contact.surface.mu = s->scene->friction;
        dJointAttach(dJointCreateContact(s->world, s->contacts, &contact), bodyA, bodyB);
        s->overlap = fmax(s->overlap, geoms[k].depth);
    }
    s->contactCount += count;
}

static uint32_t step(void* simulation)
{
    Simulation* s = simulation;
    s->overlap = 0.0;
    s->contactCount = 0;
    dSpaceCollide(s->space, s, collide);
    if (s->exact) {
        dWorldStep(s->world, s->scene->timeStep);
    } else {
        dWorldQuickStep(s->world, s->scene->timeStep);
    }
    dJointGroupEmpty(s->contacts);
    return 0;
}

static pbdrVec3 getVec(const dReal* v)
{
    return (pbdrVec3){v[0], v[1], v[2]};
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    const Simulation* s = simulation;
    const dReal* q = dBodyGetQuaternion(s->bodies[body]);
    pose->position = getVec(dBodyGetPosition(s->bodies[body]));
    pose->rotation = (pbdrQuat){q[0], q[1], q[2], q[3]};
    velocity->linear = getVec(dBodyGetLinearVel(s->bodies[body]));
    velocity->angular = getVec(dBodyGetAngularVel(s->bodies[body]));
}

static void look(void* simulation, ManyStep* step)
{
    const Simulation* s = simulation;
    *step = (ManyStep){s->overlap, s->contactCount, (double)NAN};
}

const ManySolver* manyGetOde(void)
{
    static const ManySolver solver = {"ode", PBDR_ODE_VERSION, createQuick, step, readMotion,
                                      look,  destroy,          NULL};
    return &solver;
}

const ManySolver* manyGetOdeExact(void)
{
    static const ManySolver solver = {"ode:exact", PBDR_ODE_VERSION, createExact, step, readMotion,
                                      look,        destroy,          NULL};
    return &solver;
}
