// Attributes and remarks of the XML formats.
#include "export_xml.h"

#include "export.h"
#include "vec.h"

#include <stdlib.h>

// 0.4 rather than 0.40000000000000002, and never -0.
static void writeNumber(FILE* file, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value == 0.0 ? 0.0 : value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    fputs(text, file);
}

static void writeList(FILE* file, const double* values, int count)
{
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? " " : "", file);
        writeNumber(file, values[i]);
    }
}

void xmlNumbers(FILE* file, const char* name, const double* values, int count)
{
    fprintf(file, " %s=\"", name);
    writeList(file, values, count);
    fputc('"', file);
}

void xmlText(FILE* file, const char* name, const char* text)
{
    fprintf(file, " %s=\"", name);
    for (const char* c = text; *c != 0; c++) {
        const char* entity = *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : NULL;
        if (entity != NULL) {
            fputs(entity, file);
        } else {
            fputc(*c, file);
        }
    }
    fputc('"', file);
}

// --- Remarks ---

static void remark(FILE* file, const char* what, const double* values, int count, const char* unit)
{
    fprintf(file, "    %-26s", what);
    writeList(file, values, count);
    fprintf(file, "%s%s\n", unit[0] != 0 ? " " : "", unit);
}

static void remarkVec(FILE* file, const char* what, pbdrVec3 v, const char* unit)
{
    remark(file, what, XML_NUMBERS(v.x, v.y, v.z), unit);
}

static void remarkPose(FILE* file, const char* what, pbdrPose pose)
{
    pbdrQuat q = pose.rotation;
    remarkVec(file, what, pose.position, "m");
    remark(file, "    rotation", XML_NUMBERS(q.w, q.x, q.y, q.z), "(w x y z)");
}

void xmlRemarks(FILE* file, const BenchScene* scene)
{
    const pbdrBenchScene* data = &scene->data;
    const pbdrBenchBody* body = &data->bodies[0];
    fprintf(file, "    pbdr benchmark, test %d: %s. SI units, z up; starts at rest, lasts 10 s.\n",
            data->test, data->name);
    if (scene->seed > 0) {
        fprintf(file, "    Seed %d: turned about the vertical, start shifted by 1e-7 m.\n", scene->seed);
        remark(file, "turn", XML_NUMBERS(scene->turn), "rad");
    }
    remarkVec(file, "gravity", data->gravity, "m/s^2");
    remarkVec(file, "ground through 0, normal", data->groundNormal, "");
    remark(file, "friction, body on ground", XML_NUMBERS(data->groundFriction), "");
    remarkPose(file, "start, centre of mass", body->start);
    remarkVec(file, "force, at the centre", body->force, "N, world axes, throughout");
    remarkVec(file, "torque", body->torque, "N m, world axes, throughout");
    remark(file, "time step", XML_NUMBERS(data->timeStep), "s");
    if (data->bodyCount == 2) {
        const pbdrBenchBody* rod = &data->bodies[1];
        remark(file, "friction, body on rod", XML_NUMBERS(data->pairFriction), "");
        remarkPose(file, "rod's start (centre)", rod->start);
        remarkVec(file, "rod moves by t^2/2 times", rod->prescribedAcceleration,
                  "m/s^2, whatever it touches");
    }
    fprintf(file, "    Reference: %s\n", benchDescribeReference(scene));
}
