// Sensors against closed forms.
#include "mechanisms.h"

static void read3(const pbdrWorld* world, const pbdrSensorDef* def, double x, double y, double z,
                  double tolerance)
{
    double values[PBDR_SENSOR_VALUES] = {0.0};
    CHECK_EQ(pbdrReadSensor(world, def, values), 3);
    CHECK_NEAR(values[0], x, tolerance);
    CHECK_NEAR(values[1], y, tolerance);
    CHECK_NEAR(values[2], z, tolerance);
}

static double read1(const pbdrWorld* world, const pbdrSensorDef* def)
{
    double values[PBDR_SENSOR_VALUES] = {0.0};
    CHECK_EQ(pbdrReadSensor(world, def, values), 1);
    return values[0];
}

static pbdrSensorDef makeSensor(pbdrSensorKind kind, pbdrBodyId body, pbdrVec3 place)
{
    pbdrSensorDef def = pbdrDefaultSensorDef();
    def.kind = kind;
    def.body = body;
    def.site.position = place;
    return def;
}

// A wheel that turns at w about z: a site at r feels w^2 r inwards and g upwards, turns at w and moves at w r across. The mean
// over a substep is sin(w dt/2)/(w dt/2) of it, along the middle's axes: half a turn of dt behind.
static void site_on_a_wheel__feels_its_turning(void)
{
    const double w = 5.0, r = 0.3, dt = 1.0e-3;
    pbdrWorld* world = makeMechanismWorld(dt);
    const pbdrBodyId wheel =
        addRigid(world, 1.0, pbdrVec(0.1, 0.1, 0.2), (pbdrPose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}},
                 (pbdrVelocity){{0.0, 0.0, 0.0}, {0.0, 0.0, w}});
    const pbdrVec3 origin = {0.0, 0.0, 0.0}, place = {r, 0.0, 0.05};
    const pbdrJointId joint =
        addJoint(world, pbdr_jointHinge, theWorld, wheel, origin, pbdrVec(0.0, 0.0, 1.0));
    const pbdrSensorDef accelerometer = makeSensor(pbdr_sensorAccelerometer, wheel, place);
    stepMechanism(world, 10);
    read3(world, &accelerometer, 0.0, 0.0, 0.0, 0.0); // nothing is noted yet
    pbdrWorld_SetAccelerations(world, true);
    stepMechanism(world, 100);
    const double mean = w * w * r * sin(0.5 * w * dt) / (0.5 * w * dt);
    // in the axes of the end, which the middle's are behind by w dt/2
    read3(world, &accelerometer, -mean * cos(0.5 * w * dt), mean * sin(0.5 * w * dt), PBDR_DEFAULT_GRAVITY,
          1.0e-10);
    const pbdrSensorDef gyro = makeSensor(pbdr_sensorGyro, wheel, place),
                        velocimeter = makeSensor(pbdr_sensorVelocimeter, wheel, place),
                        position = makeSensor(pbdr_sensorPosition, wheel, place),
                        velocity = makeSensor(pbdr_sensorLinearVelocity, wheel, place),
                        turning = makeSensor(pbdr_sensorAngularVelocity, wheel, place),
                        rotation = makeSensor(pbdr_sensorRotation, wheel, place);
    const double angle = w * 110 * dt, c = cos(angle), s = sin(angle);
    read3(world, &gyro, 0.0, 0.0, w, 1.0e-12);
    read3(world, &turning, 0.0, 0.0, w, 1.0e-12);
    read3(world, &velocimeter, 0.0, w * r, 0.0, 1.0e-12);
    read3(world, &position, r * c, r * s, 0.05, 1.0e-10);
    read3(world, &velocity, -w * r * s, w * r * c, 0.0, 1.0e-10);
    double q[PBDR_SENSOR_VALUES];
    CHECK_EQ(pbdrReadSensor(world, &rotation, q), 4);
    CHECK_NEAR(q[0], cos(0.5 * angle), 1.0e-10);
    CHECK_NEAR(q[3], sin(0.5 * angle), 1.0e-10);
    pbdrSensorDef own = pbdrDefaultSensorDef();
    own.joint = joint;
    CHECK_NEAR(read1(world, &own), angle, 1.0e-10);
    own.kind = pbdr_sensorJointVelocity;
    CHECK_NEAR(read1(world, &own), w, 1.0e-12);
    own.kind = pbdr_sensorJointForce;
    CHECK_NEAR(read1(world, &own), 0.0, 1.0e-12);
    pbdrDestroyWorld(world);
}

// A body that falls feels nothing; its acceleration is g.
static void free_fall__is_not_felt(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const pbdrBodyId body = addStill(world, 1.0, pbdrVec(0.1, 0.1, 0.1), pbdrVec(0.0, 0.0, 10.0));
    const pbdrSensorDef def = makeSensor(pbdr_sensorAccelerometer, body, pbdrVec(0.1, 0.2, 0.3));
    pbdrWorld_SetAccelerations(world, true);
    stepMechanism(world, 100);
    read3(world, &def, 0.0, 0.0, 0.0, 1.0e-11);
    CHECK_NEAR(pbdrBody_GetAcceleration(world, body).linear.z, -PBDR_DEFAULT_GRAVITY, 1.0e-11);
    pbdrDestroyWorld(world);
}

// A bracket: an arm of 2 kg on a fixed joint, its centre 0.4 m from it. The joint bears m g and m g l; 0.1 m nearer to the
// centre the moment is m g (l - 0.1). In a site whose z points along the arm the force is along its -x.
static void joint__bears_force_and_moment(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    const double mass = 2.0, l = 0.4, weight = mass * PBDR_DEFAULT_GRAVITY;
    const pbdrBodyId arm = addStill(world, mass, pbdrVec(0.01, 0.1, 0.1), pbdrVec(l, 0.0, 0.0));
    const pbdrJointId joint =
        addJoint(world, pbdr_jointFixed, theWorld, arm, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 0.0, 0.0));
    stepMechanism(world, 10);
    pbdrSensorDef def = makeSensor(pbdr_sensorForce, arm, pbdrVec(-l + 0.1, 0.0, 0.0));
    def.joint = joint;
    read3(world, &def, 0.0, 0.0, weight, 1.0e-9);
    def.kind = pbdr_sensorTorque;
    read3(world, &def, 0.0, -weight * (l - 0.1), 0.0, 1.0e-9);
    // a quarter turn about y: z of the site is x of the arm, and its x is -z
    def.site.rotation = pbdrQuatFromVector(pbdrVec(0.0, 0.5 * PBDR_PI, 0.0));
    def.kind = pbdr_sensorForce;
    read3(world, &def, -weight, 0.0, 0.0, 1.0e-9);
    pbdrDestroyJoint(world, joint);
    double values[PBDR_SENSOR_VALUES];
    CHECK_EQ(pbdrReadSensor(world, &def, values), 0);
    def.cookie = 0;
    CHECK_EQ(pbdrReadSensor(world, &def, values), 0);
    pbdrDestroyWorld(world);
}

// A box of 4 kg that stands on the ground with a box of 1 kg on it: touch is the sum of normal forces, of a zone those in it;
// what the upper one does to the lower is its weight.
static void touch__is_the_weight_that_is_borne(void)
{
    pbdrWorld* world = makeMechanismWorld(1.0e-3);
    addGround(world, 0.5);
    pbdrBodyId boxes[2];
    for (int k = 0; k < 2; k++) {
        pbdrShape* shape;
        pbdrError error;
        require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), k == 0 ? 4.0 : 1.0, 2, &shape, &error), &error);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrVec(0.0, 0.0, 0.1 + 0.2 * k);
        require(pbdrCreateBodyFromShape(world, &def, shape, &boxes[k], &error), &error);
        pbdrReleaseShape(shape);
    }
    pbdrWorld_SetAccelerations(world, true);
    for (int k = 0; k < 500; k++) {
        pbdrWorld_Step(world, 1);
    }
    const double g = PBDR_DEFAULT_GRAVITY;
    pbdrSensorDef def = makeSensor(pbdr_sensorTouch, boxes[0], pbdrVec(0.0, 0.0, -0.1));
    CHECK_NEAR(read1(world, &def), 6.0 * g, 1.0e-8); // 5 below and 1 above
    def.zoneKind = pbdr_zoneBox;
    def.zone = pbdrVec(0.11, 0.11, 0.01);
    CHECK_NEAR(read1(world, &def), 5.0 * g, 1.0e-8);
    def.zone = pbdrVec(0.01, 0.01, 0.01); // no corner is in the middle
    CHECK_EQ(read1(world, &def), 0.0);
    def.zoneKind = pbdr_zoneCylinder;
    def.zone = pbdrVec(0.15, 0.0, 0.01);
    CHECK_NEAR(read1(world, &def), 5.0 * g, 1.0e-8);
    def.zoneKind = pbdr_zoneCapsule;
    def.zone = pbdrVec(0.15, 0.0, 0.2);
    CHECK_NEAR(read1(world, &def), 6.0 * g, 1.0e-8);
    def.zoneKind = pbdr_zoneEllipsoid;
    def.zone = pbdrVec(0.2, 0.2, 0.01);
    CHECK_NEAR(read1(world, &def), 5.0 * g, 1.0e-8);
    def.zoneKind = pbdr_zoneAll;
    def.other = boxes[1];
    CHECK_NEAR(read1(world, &def), g, 1.0e-8);
    def.kind = pbdr_sensorForce;
    read3(world, &def, 0.0, 0.0, -g, 1.0e-8);
    def.other = theWorld;
    read3(world, &def, 0.0, 0.0, 4.0 * g, 1.0e-8);
    const pbdrSensorDef still = makeSensor(pbdr_sensorAccelerometer, boxes[1], pbdrVec(0.0, 0.0, 0.0));
    read3(world, &still, 0.0, 0.0, g, 1.0e-8);
    pbdrDestroyWorld(world);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"site_on_a_wheel__feels_its_turning", site_on_a_wheel__feels_its_turning},
          {"free_fall__is_not_felt", free_fall__is_not_felt},
          {"joint__bears_force_and_moment", joint__bears_force_and_moment},
          {"touch__is_the_weight_that_is_borne", touch__is_the_weight_that_is_borne});
}
