// A plug-in for the benchmark in one page: a block that knows Coulomb's law and nothing else, moved by
// semi-implicit Euler. It scores the benchmark's floor, a t dt/2, by construction. Build and run:
//
//     cc -shared -fPIC -I include samples/plugin.c -o build/libblock.so
//     build/pbdr bench --plugin build/libblock.so --tests 1-3
#include "pbdr/bench/solver.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Block {
    const pbdrBenchScene* scene;
    pbdrPose pose;
    pbdrVelocity velocity;
    double spin; // about the vertical [rad]
} Block;

static double dot(pbdrVec3 a, pbdrVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static pbdrVec3 addScaled(pbdrVec3 a, double s, pbdrVec3 b)
{
    return (pbdrVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static void* create(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    const pbdrBenchBody* body = &scene->bodies[0];
    if (scene->bodyCount != 1) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: a block knows no other bodies");
        return NULL;
    }
    if (body->shape == pbdr_benchBall || body->shape == pbdr_benchCylinder ||
        dot(body->startVelocity.angular, body->startVelocity.angular) > 0.0) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: a block neither rolls nor spins");
        return NULL;
    }
    Block* block = calloc(1, sizeof *block);
    if (block == NULL) {
        snprintf(message, PBDR_BENCH_MESSAGE, "out of memory");
        return NULL;
    }
    block->scene = scene;
    block->pose = body->start;
    block->velocity = body->startVelocity;
    return block;
}

static void advance(Block* block)
{
    const pbdrBenchScene* scene = block->scene;
    const pbdrBenchBody* body = &scene->bodies[0];
    double dt = scene->timeStep;
    pbdrVec3 n = scene->groundNormal;

    // The ground takes what presses into it and brakes with mu times that, at most to a stop.
    pbdrVec3 a = addScaled(scene->gravity, 1.0 / body->mass, body->force);
    double pressure = fmax(0.0, -dot(a, n));
    pbdrVec3 v = addScaled(block->velocity.linear, dt, addScaled(a, pressure, n));
    double speed = sqrt(dot(v, v));
    if (speed > 0.0) {
        v = addScaled(v, -fmin(1.0, dt * scene->groundFriction * pressure / speed), v);
    }
    block->velocity.linear = v;
    block->pose.position = addScaled(block->pose.position, dt, v);

    // About the vertical only: the base stays on the ground.
    block->velocity.angular.z += dt * body->torque.z / body->inertia.m[2][2];
    block->spin += dt * block->velocity.angular.z;
    pbdrQuat q = body->start.rotation, z = {cos(0.5 * block->spin), 0.0, 0.0, sin(0.5 * block->spin)};
    block->pose.rotation = (pbdrQuat){z.w * q.w - z.z * q.z, z.w * q.x - z.z * q.y, z.w * q.y + z.z * q.x,
                                      z.w * q.z + z.z * q.w};
}

static uint32_t step(void* simulation, int count)
{
    for (int i = 0; i < count; i++) {
        advance(simulation);
    }
    return 0;
}

static void readMotion(void* simulation, int body, pbdrPose* pose, pbdrVelocity* velocity)
{
    (void)body; // there is only one
    *pose = ((Block*)simulation)->pose;
    *velocity = ((Block*)simulation)->velocity;
}

// The one symbol that the benchmark looks for.
const pbdrBenchSolver* pbdrBenchPlugin(void);
const pbdrBenchSolver* pbdrBenchPlugin(void)
{
    static const pbdrBenchSolver solver = {
        .abi = PBDR_BENCH_ABI,
        .name = "block",
        .version = "1.0",
        .create = create,
        .step = step,
        .read = readMotion,
        .destroy = free,
    };
    return &solver;
}
