// A scene as the create call of the pipe protocol has it (docs/protocol.md): every field of pbdrBenchScene.
#include "pipe.h"

#include "json_writer.h"

static const char* const shapeNames[] = {"box", "mesh", "rod", "ball", "cylinder"};
static const char* const jointNames[] = {"ball", "hinge", "slide", "spring"};
static const char* const contactNames[] = {"auto", "spheres", "surface"};
static const char* const engineNames[] = {"auto", "particle", "reduced"};

static void writeVec(JsonWriter* json, const char* key, pbdrVec3 v)
{
    jsonNumbers(json, key, &v.x, 3);
}

static void writePose(JsonWriter* json, const char* key, const pbdrPose* pose)
{
    jsonOpen(json, key, '{');
    writeVec(json, "position_m", pose->position);
    jsonNumbers(json, "rotation_wxyz", &pose->rotation.w, 4);
    jsonClose(json, '}');
}

static void writeMesh(JsonWriter* json, const char* key, const pbdrVec3* vertices, int vertexCount,
                      const int32_t (*triangles)[3], int triangleCount)
{
    jsonOpen(json, key, '{');
    jsonRows(json, "vertices_m", &vertices[0].x, vertexCount, 3);
    jsonOpen(json, "triangles", '[');
    for (int k = 0; k < triangleCount; k++) {
        jsonNumbers(json, NULL, (const double[3]){triangles[k][0], triangles[k][1], triangles[k][2]}, 3);
    }
    jsonClose(json, ']');
    jsonClose(json, '}');
}

static void writeSpheres(JsonWriter* json, const pbdrBenchBody* body)
{
    jsonOpen(json, "spheres", '{');
    writeVec(json, "centre_m", body->sphereCentre);
    jsonRows(json, "positions_m", &body->spherePositions[0].x, body->sphereCount, 3);
    jsonNumbers(json, "radii_m", body->sphereRadii, body->sphereCount);
    jsonNumbers(json, "masses_kg", body->sphereMasses, body->sphereCount);
    jsonRows(json, "extra_inertia_kgm2", &body->sphereExtraInertia.m[0][0], 3, 3);
    writePose(json, "start", &body->sphereStart);
    jsonNumbers(json, "grid",
                (const double[3]){body->sphereGrid[0], body->sphereGrid[1], body->sphereGrid[2]}, 3);
    jsonClose(json, '}');
}

static void writeBody(JsonWriter* json, const pbdrBenchBody* body)
{
    jsonOpen(json, NULL, '{');
    jsonText(json, "name", body->name);
    jsonText(json, "shape", shapeNames[body->shape]);
    writeVec(json, "half_extents_m", body->halfExtents);
    jsonNumber(json, "radius_m", body->radius);
    jsonNumber(json, "mass_kg", body->mass);
    jsonRows(json, "inertia_kgm2", &body->inertia.m[0][0], 3, 3);
    writePose(json, "start", &body->start);
    writeVec(json, "velocity_mps", body->startVelocity.linear);
    writeVec(json, "angular_velocity_radps", body->startVelocity.angular);
    writeVec(json, "force_N", body->force);
    writeVec(json, "torque_Nm", body->torque);
    jsonTruth(json, "prescribed", body->prescribed);
    writeVec(json, "prescribed_acceleration_mps2", body->prescribedAcceleration);
    if (body->vertexCount > 0) {
        writeMesh(json, "mesh", body->vertices, body->vertexCount, body->triangles, body->triangleCount);
    }
    if (body->sphereCount > 0) {
        writeSpheres(json, body);
    }
    jsonClose(json, '}');
}

static void writeJoint(JsonWriter* json, const pbdrBenchJoint* joint)
{
    jsonOpen(json, NULL, '{');
    jsonText(json, "kind", jointNames[joint->kind]);
    jsonNumbers(json, "bodies", (const double[2]){joint->bodies[0], joint->bodies[1]}, 2);
    jsonRows(json, "points_m", &joint->points[0].x, 2, 3);
    if (joint->kind == pbdr_benchHingeJoint || joint->kind == pbdr_benchSlideJoint) {
        writeVec(json, "axis", joint->axis);
    }
    if (joint->kind == pbdr_benchSpringJoint) {
        jsonNumber(json, "stiffness_Npm", joint->stiffness);
        jsonNumber(json, "damping_Nspm", joint->damping);
        jsonNumber(json, "length_m", joint->length);
    }
    jsonClose(json, '}');
}

void benchWritePipeScene(FILE* file, const pbdrBenchScene* scene)
{
    JsonWriter json = {.file = file, .first = true};
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "call", "create");
    jsonOpen(&json, "scene", '{');
    jsonNumber(&json, "test", scene->test);
    jsonText(&json, "name", scene->name);
    writeVec(&json, "gravity_mps2", scene->gravity);
    writeVec(&json, "ground_normal", scene->groundNormal);
    jsonNumber(&json, "ground_friction", scene->groundFriction);
    jsonNumber(&json, "pair_friction", scene->pairFriction);
    jsonNumber(&json, "restitution", scene->restitution);
    jsonNumber(&json, "time_step_s", scene->timeStep);
    jsonText(&json, "preset", scene->preset != NULL ? scene->preset : "");
    jsonText(&json, "contact", contactNames[scene->contact]);
    jsonNumber(&json, "iterations", scene->iterations);
    jsonNumber(&json, "relaxation", scene->relaxation);
    jsonText(&json, "engine", engineNames[scene->engine]);
    jsonText(&json, "precision", scene->precision == pbdr_precisionF32 ? "f32" : "f64");
    jsonNumber(&json, "ablation", scene->ablation);
    jsonOpen(&json, "bodies", '[');
    for (int k = 0; k < scene->bodyCount; k++) {
        writeBody(&json, &scene->bodies[k]);
    }
    jsonClose(&json, ']');
    if (scene->jointCount > 0) {
        jsonOpen(&json, "joints", '[');
        for (int k = 0; k < scene->jointCount; k++) {
            writeJoint(&json, &scene->joints[k]);
        }
        jsonClose(&json, ']');
    }
    jsonClose(&json, '}');
    jsonClose(&json, '}');
}
