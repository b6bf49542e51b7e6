// Scenes as MuJoCo models (MJCF, versions 2.2 to 4.0).
//
// A drive can be said in MJCF after all: an actuator on the free joint whose gain is zero and whose bias is
// one pushes with its gear for ever, in world axes and through the body's origin, which is the centre of
// mass. So the file runs as it is, in `simulate` too; <custom> repeats the numbers for readers that know no
// actuators.
#include "export.h"
#include "export_xml.h"

#include "vec.h"

// The rod of Test 7 takes no reaction: so heavy that a box of 4 kg changes its speed by 4e-8 of its own [kg].
#define ROD_MASS 1.0e8

static void writeVec(FILE* file, const char* attribute, pbdrVec3 v)
{
    xmlNumbers(file, attribute, XML_NUMBERS(v.x, v.y, v.z));
}

static void writePose(FILE* file, pbdrPose pose)
{
    pbdrQuat q = pose.rotation;
    writeVec(file, "pos", pose.position);
    xmlNumbers(file, "quat", XML_NUMBERS(q.w, q.x, q.y, q.z));
}

static void writeMesh(FILE* file, const pbdrBenchBody* body)
{
    fprintf(file, "  <asset>\n    <mesh name=\"%s\"\n          vertex=\"", body->name);
    for (int i = 0; i < body->vertexCount; i++) {
        pbdrVec3 v = body->vertices[i];
        fprintf(file, "%s%.17g %.17g %.17g", i > 0 ? "\n                  " : "", v.x, v.y, v.z);
    }
    fprintf(file, "\"\n          face=\"");
    for (int i = 0; i < body->triangleCount; i++) {
        const int32_t* corner = body->triangles[i];
        const char* gap = i == 0 ? "" : (i % 8 == 0 ? "\n                " : "  ");
        fprintf(file, "%s%d %d %d", gap, (int)corner[0], (int)corner[1], (int)corner[2]);
    }
    fprintf(file, "\"/>\n  </asset>\n");
}

static void writeInertial(FILE* file, double mass, double scale, const pbdrMat3* inertia)
{
    const double(*m)[3] = inertia->m;
    fprintf(file, "      <inertial pos=\"0 0 0\"");
    xmlNumbers(file, "mass", &mass, 1);
    xmlNumbers(file, "fullinertia",
               XML_NUMBERS(scale * m[0][0], scale * m[1][1], scale * m[2][2], scale * m[0][1],
                           scale * m[0][2], scale * m[1][2]));
    fprintf(file, "/>\n");
}

static void writeMeasured(FILE* file, const pbdrBenchBody* body, double friction)
{
    fprintf(file, "    <body name=\"%s\"", body->name);
    writePose(file, body->start);
    fprintf(file, ">\n      <freejoint name=\"%s\"/>\n", body->name);
    writeInertial(file, body->mass, 1.0, &body->inertia);
    fprintf(file, "      <geom name=\"%s\"", body->name);
    if (body->shape == pbdr_benchMesh) {
        fprintf(file, " type=\"mesh\" mesh=\"%s\"", body->name);
    } else {
        fprintf(file, " type=\"box\"");
        writeVec(file, "size", body->halfExtents);
    }
    xmlNumbers(file, "friction", XML_NUMBERS(friction, 0.0, 0.0));
    fprintf(file, "/>\n    </body>\n");
}

// The rod touches the box by the <pair> alone, and never the ground.
static void writeRod(FILE* file, const pbdrBenchBody* rod)
{
    double half = rod->halfExtents.x - rod->radius;
    fprintf(file,
            "    <!-- Its motion is prescribed, so here it is too heavy (not %g kg) for the box to slow it. "
            "-->\n",
            rod->mass);
    fprintf(file, "    <body name=\"%s\"", rod->name);
    writePose(file, rod->start);
    fprintf(file, ">\n      <joint name=\"%s\" type=\"slide\" axis=\"1 0 0\"/>\n", rod->name);
    writeInertial(file, ROD_MASS, ROD_MASS / rod->mass, &rod->inertia);
    fprintf(file, "      <geom name=\"%s\" type=\"capsule\" contype=\"0\" conaffinity=\"0\"", rod->name);
    xmlNumbers(file, "fromto", XML_NUMBERS(-half, 0.0, 0.0, half, 0.0, 0.0));
    xmlNumbers(file, "size", &rod->radius, 1);
    fprintf(file, "/>\n    </body>\n");
}

static void writePair(FILE* file, const pbdrBenchScene* data)
{
    double mu = data->pairFriction;
    fprintf(file, "  <contact>\n    <pair geom1=\"%s\" geom2=\"%s\" condim=\"3\"", data->bodies[0].name,
            data->bodies[1].name);
    xmlNumbers(file, "friction", XML_NUMBERS(mu, mu, 0.0, 0.0, 0.0));
    fprintf(file, "/>\n  </contact>\n");
}

// Constant strength: no gain, a bias of 1, and the gear says how much of what.
static void writeDrive(FILE* file, const char* joint, const char* attribute, const double* gear, int count)
{
    fprintf(file,
            "    <general name=\"%s\" %s=\"%s\" gaintype=\"fixed\" gainprm=\"0 0 0\" biastype=\"affine\" "
            "biasprm=\"1 0 0\"",
            joint, attribute, joint);
    xmlNumbers(file, "gear", gear, count);
    fprintf(file, "/>\n");
}

static void writeDrives(FILE* file, const pbdrBenchScene* data)
{
    const pbdrBenchBody* body = &data->bodies[0];
    const pbdrBenchBody* rod = data->bodyCount == 2 ? &data->bodies[1] : NULL;
    pbdrVec3 f = body->force, t = body->torque;
    bool driven = benchLength(f) > 0.0 || benchLength(t) > 0.0;
    if (!driven && rod == NULL) {
        return;
    }
    fprintf(file, "  <actuator>\n");
    if (driven) {
        writeDrive(file, body->name, "jointinparent", XML_NUMBERS(f.x, f.y, f.z, t.x, t.y, t.z));
    }
    if (rod != NULL) {
        writeDrive(file, rod->name, "joint",
                   XML_NUMBERS(ROD_MASS * benchLength(rod->prescribedAcceleration)));
    }
    fprintf(file, "  </actuator>\n");
}

static void writeNumeric(FILE* file, const char* name, pbdrVec3 v)
{
    fprintf(file, "    <numeric name=\"%s\"", name);
    writeVec(file, "data", v);
    fprintf(file, "/>\n");
}

static void writeCustom(FILE* file, const pbdrBenchScene* data)
{
    fprintf(file, "  <custom>\n");
    writeNumeric(file, "force_N", data->bodies[0].force);
    writeNumeric(file, "torque_Nm", data->bodies[0].torque);
    if (data->bodyCount == 2) {
        writeNumeric(file, "rod_acceleration_mps2", data->bodies[1].prescribedAcceleration);
    }
    fprintf(file, "  </custom>\n");
}

static void writeSettings(FILE* file, const BenchScene* scene)
{
    const pbdrBenchScene* data = &scene->data;
    fprintf(file, "<mujoco model=\"%s\">\n  <!--\n", data->name);
    xmlRemarks(file, scene);
    fprintf(file,
            "    The actuators below are that drive (constant, no control needed): do not apply it again.\n"
            "    Contact settings are the paper's: elliptic cone, Newton, 50 iterations, the rest MuJoCo's.\n"
            "    MuJoCo raises mu = 0 to 1e-5; condim=\"1\" on the geoms would take friction away.\n  -->\n");
    fprintf(file, "  <compiler angle=\"radian\"/>\n  <option");
    xmlNumbers(file, "timestep", &data->timeStep, 1);
    writeVec(file, "gravity", data->gravity);
    fprintf(file, " integrator=\"Euler\" cone=\"elliptic\" solver=\"Newton\" iterations=\"50\"/>\n");
}

void benchExportMjcf(FILE* file, const BenchScene* scene)
{
    const pbdrBenchScene* data = &scene->data;
    writeSettings(file, scene);
    writeCustom(file, data);
    if (benchHasMesh(scene)) {
        writeMesh(file, &data->bodies[0]);
    }
    // MuJoCo takes the larger of two coefficients, others a mean: with the same on both sides all agree
    fprintf(file, "  <worldbody>\n    <geom name=\"ground\" type=\"plane\" size=\"0 0 1\"");
    xmlNumbers(file, "friction", XML_NUMBERS(data->groundFriction, 0.0, 0.0));
    writeVec(file, "zaxis", data->groundNormal);
    fprintf(file, "/>\n");
    writeMeasured(file, &data->bodies[0], data->groundFriction);
    if (data->bodyCount == 2) {
        writeRod(file, &data->bodies[1]);
    }
    fprintf(file, "  </worldbody>\n");
    if (data->bodyCount == 2) {
        writePair(file, data);
    }
    writeDrives(file, data);
    fprintf(file, "</mujoco>\n");
}
