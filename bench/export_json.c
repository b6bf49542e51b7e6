// Scenes as JSON: every number that a solver gets, and the reference.
#include "export.h"

#include "json_writer.h"
#include "metrics.h"
#include "pbdr/base.h"
#include "vec.h"

const char* benchDescribeReference(const BenchScene* scene)
{
    if (scene->pushing != NULL) {
        return "Test 7: no closed form. The planar pushing model (docs/benchmark.md; pbdr reference prints "
               "the path): "
               "quasi-static on a base of uniform pressure, and dynamic with pressure tilt.";
    }
    if (scene->test->torque > 0.0) {
        return "The angle about the vertical is tau t^2/(2 Izz), Izz of the true body; its centre of mass "
               "stays at "
               "the start.";
    }
    if (scene->acceleration == 0.0) {
        return "Friction holds the body: it stays at the start.";
    }
    return "The centre of mass is at start + direction a t^2/2, a = (F + M g sin(slope) - mu M g "
           "cos(slope))/M; the "
           "body does not turn.";
}

// --- Pieces ---

static void writeVec(JsonWriter* json, const char* key, pbdrVec3 v)
{
    const double values[3] = {v.x, v.y, v.z};
    jsonNumbers(json, key, values, 3);
}

static void writePose(JsonWriter* json, const char* key, pbdrPose pose)
{
    const double q[4] = {pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z};
    jsonOpen(json, key, '{');
    writeVec(json, "position_m", pose.position);
    jsonNumbers(json, "rotation_wxyz", q, 4);
    jsonClose(json, '}');
}

static void writeVecs(JsonWriter* json, const char* key, const pbdrVec3* vectors, int count)
{
    jsonOpen(json, key, '[');
    for (int i = 0; i < count; i++) {
        writeVec(json, NULL, vectors[i]);
    }
    jsonClose(json, ']');
}

// Of the box around a mesh [m].
static double getDiagonal(const pbdrBenchBody* body)
{
    const pbdrMesh mesh = {.vertexCount = body->vertexCount,
                           .vertices = (pbdrVec3*)body->vertices}; // only read
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(&mesh, &lower, &upper);
    return benchLength(benchSub(upper, lower));
}

static void writeShape(JsonWriter* json, const pbdrBenchBody* body)
{
    static const char* const names[] = {"box", "mesh", "rod"};
    jsonText(json, "shape", names[body->shape]);
    if (body->shape == pbdr_benchMesh) {
        writeVecs(json, "vertices_m", body->vertices, body->vertexCount);
        jsonOpen(json, "triangles", '[');
        for (int i = 0; i < body->triangleCount; i++) {
            const int32_t* corner = body->triangles[i];
            const double values[3] = {corner[0], corner[1], corner[2]};
            jsonNumbers(json, NULL, values, 3);
        }
        jsonClose(json, ']');
        jsonNumber(json, "spacing_m",
                   getDiagonal(body) / 20.0); // of contact points, as pbdr_surfaceMesh has them
        return;
    }
    writeVec(json, "half_extents_m", body->halfExtents);
    if (body->shape == pbdr_benchRod) {
        jsonNumber(json, "rod_radius_m", body->radius);
    }
}

// The same body as spheres, about their own centre of mass.
static void writeSpheres(JsonWriter* json, const pbdrBenchBody* body)
{
    jsonOpen(json, "spheres", '{');
    jsonNumber(json, "count", body->sphereCount);
    writePose(json, "start", body->sphereStart);
    writeVecs(json, "centers", body->spherePositions, body->sphereCount);
    jsonNumbers(json, "radii", body->sphereRadii, body->sphereCount);
    jsonNumbers(json, "masses", body->sphereMasses, body->sphereCount);
    jsonClose(json, '}');
}

static void writeBody(JsonWriter* json, const pbdrBenchBody* body)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    jsonOpen(json, NULL, '{');
    jsonText(json, "name", body->name);
    writeShape(json, body);
    jsonNumber(json, "mass_kg", body->mass);
    jsonOpen(json, "inertia_kgm2", '[');
    for (int i = 0; i < 3; i++) {
        jsonNumbers(json, NULL, body->inertia.m[i], 3);
    }
    jsonClose(json, ']');
    writePose(json, "start", body->start);
    writeVec(json, "start_velocity_mps", none);
    writeVec(json, "start_angular_velocity_radps", none);
    writeVec(json, "force_N", body->force);
    writeVec(json, "torque_Nm", body->torque);
    jsonTruth(json, "prescribed", body->prescribed);
    if (body->prescribed) {
        writeVec(json, "prescribed_acceleration_mps2", body->prescribedAcceleration);
    }
    writeSpheres(json, body);
    jsonClose(json, '}');
}

// --- Reference ---

static void writeMoment(JsonWriter* json, const char* key, const BenchPushingFrame* frame)
{
    jsonOpen(json, key, '{');
    jsonNumber(json, "t_s", frame->t);
    jsonNumber(json, "along_m", frame->x);
    jsonNumber(json, "across_m", frame->y);
    jsonNumber(json, "angle_rad", frame->theta);
    jsonClose(json, '}');
}

static void writePushing(JsonWriter* json, const BenchScene* scene)
{
    writeVec(json, "across", scene->across);
    for (int k = 0; k < BENCH_REFERENCE_COUNT; k++) {
        const BenchPushingPath* path = &scene->pushing[k];
        jsonOpen(json, benchGetReferenceName((BenchReference)k), '{');
        writeMoment(json, "contact_end", &path->end);
        writeMoment(json, "final", &path->frames[path->frameCount - 1]);
        jsonClose(json, '}');
    }
}

static void writeReference(JsonWriter* json, const BenchScene* scene, const BenchOptions* options)
{
    double t = options->duration;
    jsonOpen(json, "reference", '{');
    jsonText(json, "words", benchDescribeReference(scene));
    writeVec(json, "direction", scene->direction);
    if (scene->pushing != NULL) {
        writePushing(json, scene);
    } else {
        pbdrPose final = scene->data.bodies[0].start;
        double angle = 0.5 * scene->angularAcceleration * t * t;
        pbdrQuat turn = {cos(0.5 * angle), 0.0, 0.0, sin(0.5 * angle)};
        final.position = benchAddScaled(final.position, 0.5 * scene->acceleration * t * t, scene->direction);
        final.rotation = benchMulQQ(turn, final.rotation);
        jsonNumber(json, "acceleration_mps2", scene->acceleration);
        jsonNumber(json, "angular_acceleration_radps2", scene->angularAcceleration);
        jsonNumber(json, "final_distance_m", 0.5 * scene->acceleration * t * t);
        jsonNumber(json, "final_angle_rad", angle);
        writePose(json, "final", final);
        jsonNumber(json, "floor_position_m", benchGetPositionFloor(scene, t, options->timeStep));
        jsonNumber(json, "floor_rotation_deg", benchGetRotationFloor(scene, t, options->timeStep));
    }
    jsonClose(json, '}');
}

// --- Scene ---

void benchExportJson(FILE* file, const BenchScene* scene, const BenchOptions* options)
{
    const pbdrBenchScene* data = &scene->data;
    const pbdrVec3 origin = {0.0, 0.0, 0.0};
    JsonWriter json = {file, 0, true};
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "schema", "pbdr-scene/1");
    jsonText(&json, "version", pbdrVersion());
    jsonText(&json, "conventions",
             "SI, z up, quaternions w x y z from body to world axes, body origin at its centre of "
             "mass, velocities and forces in world axes");
    jsonNumber(&json, "test", data->test);
    jsonText(&json, "name", data->name);
    jsonNumber(&json, "seed", scene->seed);
    jsonNumber(&json, "turn_rad", scene->turn);
    writeVec(&json, "shift_m", scene->shift);
    jsonNumber(&json, "time_step_s", data->timeStep);
    jsonNumber(&json, "frame_s", benchGetSubstepsPerFrame(data->timeStep) * data->timeStep);
    jsonNumber(&json, "duration_s", options->duration);
    writeVec(&json, "gravity_mps2", data->gravity);
    jsonOpen(&json, "ground", '{');
    writeVec(&json, "point_m", origin);
    writeVec(&json, "normal", data->groundNormal);
    jsonNumber(&json, "slope_rad", scene->test->slope);
    jsonNumber(&json, "friction", data->groundFriction);
    jsonClose(&json, '}');
    jsonNumber(&json, "pair_friction", data->bodyCount > 1 ? data->pairFriction : (double)NAN);
    jsonOpen(&json, "bodies", '[');
    for (int k = 0; k < data->bodyCount; k++) {
        writeBody(&json, &data->bodies[k]);
    }
    jsonClose(&json, ']');
    writeReference(&json, scene, options);
    jsonClose(&json, '}');
    fputc('\n', file);
}
