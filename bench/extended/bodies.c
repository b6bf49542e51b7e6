// Scenes of the extended suite: where the bodies start, what they are made of, and the whole of it turned and
// shifted by the seed as the first suite's scenes are.
#include "extended/extended.h"

#include "extended/mechanisms.h"
#include "seed.h"
#include "vec.h"

#include <stdio.h>
#include <string.h>

// --- Where they start ---

// Two balls in free flight: the first is this far behind and beside the second, which comes towards it with a
// third of its speed [m].
#define COLLISION_BEHIND 0.5
#define COLLISION_BESIDE 0.1

// The row's first ball starts this far from the next [m]: no whole number of time steps away.
#define CRADLE_APPROACH 0.1003

// A top's angular velocity across its axis, over that along it.
#define TOP_WOBBLE 0.3

// Half the angle of a wedge [rad].
#define WEDGE_HALF (0.5 * BENCH_PI / BENCH_ARCH_WEDGES)

// Distance of a wedge's centre of mass from the arch's centre, over the arch's mean radius. In the plane a
// wedge is a trapezium: |z| = r cos(delta) with r from 1 - q to 1 + q, q = thickness/2, as wide as z.
static double getWedgeCentre(double thickness)
{
    double q = 0.5 * thickness;
    return cos(WEDGE_HALF) * (1.0 + q * q / 3.0);
}

static BenchStart startWedge(const BenchTest* test, int body)
{
    double angle = 2.0 * (body + 0.5) * WEDGE_HALF, tilt = 0.5 * BENCH_PI - angle;
    double radius = BENCH_ARCH_RADIUS * getWedgeCentre(test->extended->thickness);
    return (BenchStart){.pose = {benchVec(radius * sin(tilt), 0.0, radius * cos(tilt)),
                                 {cos(0.5 * tilt), 0.0, sin(0.5 * tilt), 0.0}}};
}

BenchStart benchGetStart(const BenchTest* test, int body)
{
    const BenchExtended* more = test->extended;
    if (benchIsMechanism(test)) {
        BenchLink link;
        benchPlaceLink(test, body, 0.0, &link);
        return link.at;
    }
    BenchStart start = {.pose.rotation = {1.0, 0.0, 0.0, 0.0}};
    pbdrVec3 *x = &start.pose.position, *v = &start.velocity.linear, *w = &start.velocity.angular;
    switch (more->law) {
    case benchLawSpin:
        x->z = 0.5 * BENCH_DISC_HEIGHT;
        w->z = more->spin;
        break;
    case benchLawRoll:
    case benchLawSlideToRoll:
    case benchLawBounce:
        x->z = BENCH_BALL_RADIUS + more->height;
        v->x = more->speed;
        break;
    case benchLawPrecession:
        x->z = more->height;
        *w = benchVec(TOP_WOBBLE * more->spin, 0.0, more->spin);
        break;
    case benchLawCollision:
        *x = body == 0 ? benchVec(-COLLISION_BEHIND, COLLISION_BESIDE, more->height)
                       : benchVec(0.0, 0.0, more->height);
        v->x = body == 0 ? more->speed : -more->speed / 3.0;
        w->z = body == 0 ? more->spin : 0.0;
        break;
    case benchLawCradle:
        x->x = body == 0 ? 0.0
                         : CRADLE_APPROACH + 2.0 * BENCH_CRADLE_RADIUS +
                               (body - 1) * (2.0 * BENCH_CRADLE_RADIUS + more->gap);
        x->z = more->height;
        v->x = body == 0 ? more->speed : 0.0;
        break;
    case benchLawRest:
    case benchLawPush:
    case benchLawStop:
    case benchLawTip:
    case benchLawFall:
        if (more->thickness > 0.0) {
            return startWedge(test, body);
        }
        x->z = (body + 0.5) * BENCH_SIDE;
        v->x = more->speed;
        break;
    default: // mechanisms: above
        break;
    }
    return start;
}

// --- What they are made of ---

// Of the ball that stands for a link [m].
#define LINK_RADIUS 0.01

static pbdrMat3 makeDiagonal(double x, double y, double z)
{
    return (pbdrMat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

static void describeBox(const BenchTest* test, const BenchOptions* options, pbdrBenchBody* body)
{
    double h = 0.5 * BENCH_SIDE, m = body->mass;
    bool top = test->extended->law == benchLawPrecession;
    double z = top ? 0.5 * BENCH_TOP_HEIGHT : h;
    int layers = top ? (options->n + 1) / 2 : options->n;
    body->name = top ? "top" : "box";
    body->halfExtents = benchVec(h, h, z);
    body->inertia =
        makeDiagonal(m * (h * h + z * z) / 3.0, m * (h * h + z * z) / 3.0, m * (h * h + h * h) / 3.0);
    body->sphereGrid[0] = body->sphereGrid[1] = options->n;
    body->sphereGrid[2] = layers;
}

static void describeBall(const BenchTest* test, pbdrBenchBody* body)
{
    double r = test->extended->law == benchLawCradle ? BENCH_CRADLE_RADIUS : BENCH_BALL_RADIUS;
    double moment = 0.4 * body->mass * r * r;
    body->name = "ball";
    body->radius = r;
    body->halfExtents = benchVec(r, r, r);
    body->inertia = makeDiagonal(moment, moment, moment);
}

static void describeDisc(pbdrBenchBody* body)
{
    double r = BENCH_DISC_RADIUS, h = BENCH_DISC_HEIGHT, m = body->mass;
    double across = m * (0.25 * r * r + h * h / 12.0);
    body->name = "disc";
    body->radius = r;
    body->halfExtents = benchVec(r, r, 0.5 * h);
    body->inertia = makeDiagonal(across, across, 0.5 * m * r * r);
}

// A link: for the eye a small ball, with the inertia of what it is. It has no spheres, and touches nothing.
static void describeLink(const BenchTest* test, int index, const BenchScene* scene, pbdrBenchBody* body)
{
    BenchLink link;
    benchPlaceLink(test, index, 0.0, &link);
    body->name = "link";
    body->radius = LINK_RADIUS;
    body->halfExtents = benchVec(LINK_RADIUS, LINK_RADIUS, LINK_RADIUS);
    body->inertia = makeDiagonal(link.moments.x, link.moments.y, link.moments.z);
    body->torque = benchFromGround(scene, link.torque);
}

// The wedge's eight corners about its centre of mass: z out of the arch, y along its depth.
static pbdrStatus makeWedge(double thickness, pbdrMesh* mesh, pbdrError* error)
{
    static const int32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                         {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    pbdrVec3 corners[8];
    double centre = BENCH_ARCH_RADIUS * getWedgeCentre(thickness);
    for (int k = 0; k < 8; k++) { // bits: x, y, z
        double r = BENCH_ARCH_RADIUS * (1.0 + ((k & 4) != 0 ? 0.5 : -0.5) * thickness);
        corners[k] = benchVec(((k & 1) != 0 ? 1.0 : -1.0) * r * sin(WEDGE_HALF),
                              ((k & 2) != 0 ? 0.5 : -0.5) * BENCH_ARCH_DEPTH, r * cos(WEDGE_HALF) - centre);
    }
    return pbdrCreateMesh(corners, 8, faces, 12, NULL, mesh, NULL, error);
}

static pbdrStatus describeWedge(const BenchScene* scene, pbdrBenchBody* body, pbdrError* error)
{
    pbdrMassProperties truth;
    pbdrStatus status = pbdrMesh_GetMassProperties(&scene->wedge, body->mass, &truth, error);
    body->name = "wedge";
    body->inertia = truth.inertia;
    body->vertexCount = body->surfaceVertexCount = scene->wedge.vertexCount;
    body->vertices = body->surfaceVertices = scene->wedge.vertices;
    body->triangleCount = body->surfaceTriangleCount = scene->wedge.triangleCount;
    body->triangles = body->surfaceTriangles = (const int32_t(*)[3])scene->wedge.triangles;
    return status;
}

// The spheres of a body, about their own centre of mass; none of a wedge, whose flat sides spheres do not make.
static pbdrStatus packBody(const BenchOptions* options, uint64_t* random, pbdrBenchBody* body,
                           pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdr_statusOk;
    const int* grid = body->sphereGrid;
    switch (body->shape) {
    case pbdr_benchBox:
        status = pbdrPackBox(grid[0], grid[1], grid[2], body->halfExtents.x / grid[0], body->mass, NULL, set,
                             error);
        break;
    case pbdr_benchBall:
        status = pbdrPackBox(1, 1, 1, body->radius, body->mass, NULL, set, error);
        break;
    case pbdr_benchCylinder:
        status = pbdrPackCylinder(body->radius, 2.0 * body->halfExtents.z, 0.5 * body->radius / options->n,
                                  body->mass, NULL, set, error);
        break;
    default:
        return pbdr_statusOk;
    }
    if (status == pbdr_statusOk && body->shape == pbdr_benchBall) {
        body->sphereExtraInertia = body->inertia; // a point has none of its own
    } else if (status == pbdr_statusOk && options->masses == benchMassesExact) {
        pbdrMassProperties truth = {.mass = body->mass, .inertia = body->inertia};
        pbdrMassFit fit;
        status = pbdrSphereSet_FitMasses(set, &truth, &fit, error);
        body->sphereExtraInertia = fit.extraInertia;
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    if (*random != 0) {
        benchShuffle(set, random);
    }
    body->sphereCentre = pbdrSphereSet_GetMassProperties(set).centre;
    for (int i = 0; i < set->count; i++) {
        set->positions[i] = benchSub(set->positions[i], body->sphereCentre);
    }
    body->sphereCount = set->count;
    body->spherePositions = set->positions;
    body->sphereRadii = set->radii;
    body->sphereMasses = set->masses;
    return pbdr_statusOk;
}

// How far the lowest of the spheres is over the body's own lowest point, both in the body's axes [m].
static double getSphereGap(const pbdrBenchBody* body)
{
    double lowest = HUGE_VAL;
    for (int i = 0; i < body->sphereCount; i++) {
        lowest = fmin(lowest, body->spherePositions[i].z - body->sphereRadii[i]);
    }
    return lowest + body->sphereCentre.z + body->halfExtents.z;
}

// --- The scene ---

pbdrVec3 benchToGround(const BenchScene* scene, pbdrVec3 v)
{
    return benchVec(benchDot(scene->direction, v), benchDot(scene->across, v),
                    benchDot(scene->data.groundNormal, v));
}

pbdrVec3 benchFromGround(const BenchScene* scene, pbdrVec3 v)
{
    pbdrVec3 sum = benchAddScaled(benchScale(v.x, scene->direction), v.y, scene->across);
    return benchAddScaled(sum, v.z, scene->data.groundNormal);
}

static pbdrStatus addBody(const BenchOptions* options, pbdrQuat ground, uint64_t* random, BenchScene* scene,
                          pbdrError* error)
{
    const BenchTest* test = scene->test;
    int index = scene->data.bodyCount++;
    pbdrBenchBody* body = &scene->data.bodies[index];
    body->shape = test->shape;
    body->mass = benchGetBodyMass(test, index);
    pbdrStatus status = pbdr_statusOk;
    switch (test->shape) {
    case pbdr_benchBox:
        describeBox(test, options, body);
        break;
    case pbdr_benchBall:
        if (benchIsMechanism(test)) {
            describeLink(test, index, scene, body);
        } else {
            describeBall(test, body);
        }
        break;
    case pbdr_benchCylinder:
        describeDisc(body);
        break;
    default:
        status = describeWedge(scene, body, error);
        break;
    }
    if (status == pbdr_statusOk && !benchIsMechanism(test)) {
        status = packBody(options, random, body, index == 0 ? &scene->spheres : &scene->others[index], error);
    }
    BenchStart start = benchGetStart(test, index);
    body->start.position = benchAdd(scene->shift, benchFromGround(scene, start.pose.position));
    body->start.rotation = benchMulQQ(ground, start.pose.rotation);
    body->startVelocity.linear = benchFromGround(scene, start.velocity.linear);
    body->startVelocity.angular = benchFromGround(scene, start.velocity.angular);
    body->force = benchScale(test->extended->push * body->mass * PBDR_DEFAULT_GRAVITY, scene->direction);
    body->sphereStart = body->start;
    body->sphereStart.position =
        benchAdd(body->start.position, benchRotate(body->start.rotation, body->sphereCentre));
    if (scene->data.contact == pbdr_contactSpheres && test->shape == pbdr_benchCylinder) {
        body->sphereStart.position =
            benchAddScaled(body->sphereStart.position, -getSphereGap(body), scene->data.groundNormal);
    }
    return status;
}

// The joints, turned and shifted with the scene.
static void addJoints(BenchScene* scene)
{
    pbdrBenchScene* data = &scene->data;
    data->jointCount = benchListJoints(scene->test, data->joints);
    for (int k = 0; k < data->jointCount; k++) {
        pbdrBenchJoint* joint = &data->joints[k];
        joint->axis = benchFromGround(scene, joint->axis);
        for (int side = 0; side < 2; side++) {
            joint->points[side] = benchAdd(scene->shift, benchFromGround(scene, joint->points[side]));
        }
    }
}

pbdrStatus benchMakeExtendedScene(const BenchTest* test, const BenchOptions* options, int seed,
                                  BenchScene* scene, pbdrError* error)
{
    const BenchExtended* more = test->extended;
    double turn = options->turn, shiftAngle = 0.0, shift = 0.0;
    uint64_t random = (uint64_t)seed;
    if (seed > 0) {
        turn = 2.0 * BENCH_PI * benchNextUniform(&random);
        shiftAngle = 2.0 * BENCH_PI * benchNextUniform(&random);
        shift = BENCH_SHIFT;
    }
    memset(scene, 0, sizeof *scene);
    scene->test = test;
    scene->flattening = (double)NAN;
    scene->seed = seed;
    scene->turn = turn;
    snprintf(scene->name, sizeof scene->name, "%s", test->name);
    pbdrBenchScene* data = &scene->data;
    benchSetSettings(data, options);
    data->test = test->number;
    data->name = test->name; // the scene may be copied
    bool flight = more->law == benchLawPrecession || more->law == benchLawCollision ||
                  more->law == benchLawCradle || more->law == benchLawSliderCrank ||
                  more->law == benchLawAndrews;
    data->gravity = benchVec(0.0, 0.0, flight ? 0.0 : -PBDR_DEFAULT_GRAVITY);
    data->groundFriction = data->pairFriction = test->mu;
    data->restitution = more->restitution;

    double c = cos(turn), s = sin(turn), cs = cos(test->slope), ss = sin(test->slope);
    scene->direction = benchVec(c * cs, s * cs, -ss);
    scene->across = benchVec(-s, c, 0.0);
    data->groundNormal = benchVec(c * ss, s * ss, cs);
    scene->shift = benchAddScaled(benchScale(shift * cos(shiftAngle), scene->direction),
                                  shift * sin(shiftAngle), scene->across);
    scene->forceSize = more->push * test->mass * PBDR_DEFAULT_GRAVITY;
    pbdrQuat yaw = {cos(0.5 * turn), 0.0, 0.0, sin(0.5 * turn)};
    pbdrQuat pitch = {cos(0.5 * test->slope), 0.0, sin(0.5 * test->slope), 0.0};
    pbdrStatus status = pbdr_statusOk;
    if (more->thickness > 0.0) {
        status = makeWedge(more->thickness, &scene->wedge, error);
    }
    for (int k = 0; k < more->bodyCount && status == pbdr_statusOk; k++) {
        status = addBody(options, benchMulQQ(yaw, pitch), &random, scene, error);
    }
    if (benchIsMechanism(test)) {
        addJoints(scene);
    }
    if (status != pbdr_statusOk) {
        benchFreeScene(scene);
    }
    return status;
}
