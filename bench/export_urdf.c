// Scenes as URDF, with meshes as STL.
#include "export.h"
#include "export_xml.h"

#include "vec.h"

bool benchHasMesh(const BenchScene* scene)
{
    return scene->data.bodies[0].shape == pbdr_benchMesh;
}

// --- Links ---

// Roll, pitch, yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll).
static void writeOrigin(FILE* file, pbdrPose pose)
{
    pbdrMat3 m = benchMatFromQuat(pose.rotation);
    double roll = atan2(m.m[2][1], m.m[2][2]), yaw = atan2(m.m[1][0], m.m[0][0]);
    double pitch = atan2(-m.m[2][0], hypot(m.m[0][0], m.m[1][0]));
    fprintf(file, "    <origin");
    xmlNumbers(file, "xyz", XML_NUMBERS(pose.position.x, pose.position.y, pose.position.z));
    xmlNumbers(file, "rpy", XML_NUMBERS(roll, pitch, yaw));
    fprintf(file, "/>\n");
}

// A collision shape turned by a pitch, then shifted along x.
static void openCollision(FILE* file, double x, double pitch)
{
    fprintf(file, "    <collision>\n      <origin");
    xmlNumbers(file, "xyz", XML_NUMBERS(x, 0.0, 0.0));
    xmlNumbers(file, "rpy", XML_NUMBERS(0.0, pitch, 0.0));
    fprintf(file, "/>\n      <geometry>");
}

// URDF has no capsule: a cylinder, whose axis is z, laid along x, and a ball at each end.
static void writeRodShape(FILE* file, const pbdrBenchBody* rod)
{
    double half = rod->halfExtents.x - rod->radius;
    openCollision(file, 0.0, 0.5 * BENCH_PI);
    fprintf(file, "<cylinder");
    xmlNumbers(file, "radius", &rod->radius, 1);
    xmlNumbers(file, "length", XML_NUMBERS(2.0 * half));
    fprintf(file, "/></geometry>\n    </collision>\n");
    for (int side = -1; side <= 1; side += 2) {
        openCollision(file, side * half, 0.0);
        fprintf(file, "<sphere");
        xmlNumbers(file, "radius", &rod->radius, 1);
        fprintf(file, "/></geometry>\n    </collision>\n");
    }
}

static void writeShape(FILE* file, const pbdrBenchBody* body, const char* meshName)
{
    if (body->shape == pbdr_benchRod) {
        writeRodShape(file, body);
        return;
    }
    // the same shape to be seen and to collide
    static const char* const elements[] = {"visual", "collision"};
    pbdrVec3 h = body->halfExtents;
    for (int k = 0; k < 2; k++) {
        fprintf(file, "    <%s>\n      <geometry>", elements[k]);
        if (body->shape == pbdr_benchMesh) {
            fprintf(file, "<mesh");
            xmlText(file, "filename", meshName);
        } else {
            fprintf(file, "<box");
            xmlNumbers(file, "size", XML_NUMBERS(2.0 * h.x, 2.0 * h.y, 2.0 * h.z));
        }
        fprintf(file, "/></geometry>\n    </%s>\n", elements[k]);
    }
}

static void writeLink(FILE* file, const pbdrBenchBody* body, const char* meshName)
{
    static const struct {
        const char* name;
        int row, column;
    } parts[] = {{"ixx", 0, 0}, {"iyy", 1, 1}, {"izz", 2, 2}, {"ixy", 0, 1}, {"ixz", 0, 2}, {"iyz", 1, 2}};
    fprintf(file,
            "  <link name=\"%s\">\n    <inertial>\n      <origin xyz=\"0 0 0\" rpy=\"0 0 0\"/>\n      <mass",
            body->name);
    xmlNumbers(file, "value", &body->mass, 1);
    fprintf(file, "/>\n      <inertia");
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        xmlNumbers(file, parts[k].name, &body->inertia.m[parts[k].row][parts[k].column], 1);
    }
    fprintf(file, "/>\n    </inertial>\n");
    writeShape(file, body, meshName);
    fprintf(file, "  </link>\n");
}

// Two bodies make one robot: the measured one floats, the rod slides along its own x axis.
static void writeJoint(FILE* file, const pbdrBenchBody* body)
{
    fprintf(file,
            "  <joint name=\"world_to_%s\" type=\"%s\">\n    <parent link=\"world\"/>\n    <child "
            "link=\"%s\"/>\n",
            body->name, body->prescribed ? "prismatic" : "floating", body->name);
    writeOrigin(file, body->start);
    if (body->prescribed) {
        fprintf(file, "    <axis xyz=\"1 0 0\"/>\n"
                      "    <limit lower=\"0\" upper=\"100\" effort=\"1e9\" velocity=\"100\"/>\n");
    }
    fprintf(file, "  </joint>\n");
}

void benchExportUrdf(FILE* file, const BenchScene* scene, const char* meshName)
{
    const pbdrBenchScene* data = &scene->data;
    fprintf(file, "<?xml version=\"1.0\"?>\n<!--\n");
    xmlRemarks(file, scene);
    fprintf(file,
            "    URDF has no words for ground, gravity, friction, start and drive: set them in the "
            "simulator, and\n"
            "    see to it that the coefficients of body and ground make the one given (engines multiply, "
            "average\n"
            "    or take the larger).\n-->\n<robot name=\"test%d\">\n",
            data->test);
    if (data->bodyCount > 1) {
        fprintf(file, "  <link name=\"world\"/>\n");
    }
    for (int k = 0; k < data->bodyCount; k++) {
        writeLink(file, &data->bodies[k], meshName);
        if (data->bodyCount > 1) {
            writeJoint(file, &data->bodies[k]);
        }
    }
    fprintf(file, "</robot>\n");
}

// --- STL ---

// Little-endian, whatever the machine is.
static void writeWord(FILE* file, uint32_t word)
{
    for (int k = 0; k < 4; k++) {
        fputc((int)(word >> (8 * k) & 0xffu), file);
    }
}

static void writeFloats(FILE* file, pbdrVec3 v)
{
    const float values[3] = {(float)v.x, (float)v.y, (float)v.z};
    for (int k = 0; k < 3; k++) {
        union {
            float value;
            uint32_t word;
        } bits = {values[k]};
        writeWord(file, bits.word);
    }
}

void benchExportStl(FILE* file, const BenchScene* scene)
{
    const pbdrBenchBody* body = &scene->data.bodies[0];
    fprintf(file, "%-80.80s", "pbdr: mesh in its body frame, origin at the centre of mass, metres");
    writeWord(file, (uint32_t)body->triangleCount);
    for (int i = 0; i < body->triangleCount; i++) {
        const int32_t* corner = body->triangles[i];
        pbdrVec3 a = body->vertices[corner[0]], b = body->vertices[corner[1]], c = body->vertices[corner[2]];
        pbdrVec3 normal = benchCross(benchSub(b, a), benchSub(c, a));
        double length = benchLength(normal);
        writeFloats(file, benchScale(length > 0.0 ? 1.0 / length : 0.0, normal));
        writeFloats(file, a);
        writeFloats(file, b);
        writeFloats(file, c);
        fputc(0, file);
        fputc(0, file);
    }
}
