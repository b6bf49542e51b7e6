// Sensors of worlds (pbdr/sensor.h): those of a scene by name, and any by a call.
#include "world.h"

#define LIKE "numpy.typing.ArrayLike"
#define FLOATS "numpy.typing.NDArray[numpy.float64]"

static const char* const sensorWords[] = {"joint_position", "joint_velocity", "joint_force",      "force",
                                         "torque",         "accelerometer",  "gyro",             "velocimeter",
                                         "touch",          "position",       "rotation",         "velocity",
                                         "angular_velocity", nullptr};
static const char* const zoneWords[] = {"all", "ellipsoid", "box", "capsule", "cylinder", nullptr};

static nb::object makeArray(const double* values, int count)
{
    nb::list list;
    for (int k = 0; k < count; k++) {
        list.append(values[k]);
    }
    return getAttribute("numpy", "array")(list);
}

// The scene's bodies of this world: copies have them at the same places.
static std::vector<pbdrBodyId> getSceneBodies(const World& self)
{
    std::vector<pbdrBodyId> ids = self.sceneBodies;
    pbdrBodyId first = {0, 0, 0};
    pbdrWorld_GetBodies(self.world, &first, 1);
    for (pbdrBodyId& id : ids) {
        id.world = first.world;
    }
    return ids;
}

static nb::dict getSensors(World& self)
{
    pbdrWorld* world = self.get();
    nb::dict all;
    const pbdrSceneFile* file = self.scene.is_valid() ? nb::inst_ptr<Scene>(self.scene)->file : nullptr;
    std::vector<pbdrBodyId> bodies = getSceneBodies(self);
    std::vector<pbdrJointId> joints;
    for (size_t k = 0; k < self.joints.size(); k++) {
        joints.push_back(self.getJoint(k));
    }
    pbdrSceneWorld made = {};
    made.world = world;
    made.scene = file;
    made.bodies = bodies.data();
    made.joints = joints.data();
    for (int k = 0; file != nullptr && k < file->sensorCount; k++) {
        double values[PBDR_SENSOR_VALUES];
        const int count = pbdrSceneWorld_ReadSensor(&made, k, values);
        const char* name = file->sensors[k].name;
        all[nb::str(name[0] != 0 ? name : ("sensor" + std::to_string(k)).c_str())] = makeArray(values, count);
    }
    return all;
}

static nb::object readSensor(World& self, const std::string& kind, nb::object body, nb::object joint, nb::object other,
                             nb::handle position, nb::handle quat, const std::string& zone, nb::handle size)
{
    pbdrWorld* world = self.get();
    pbdrSensorDef def = pbdrDefaultSensorDef();
    def.kind = pbdrSensorKind(toWord(kind, sensorWords, "kind"));
    if (!body.is_none()) {
        def.body = nb::cast<Body&>(body).id;
    }
    if (!other.is_none()) {
        def.other = nb::cast<Body&>(other).id;
    }
    if (!joint.is_none()) {
        def.joint = getJointId(joint, self);
    }
    def.site.position = toVec(position, "position");
    def.site.rotation = toQuat(quat, "quat");
    def.zoneKind = pbdrZoneKind(toWord(zone, zoneWords, "zone"));
    def.zone = toVec(size, "size");
    double values[PBDR_SENSOR_VALUES];
    const int count = pbdrReadSensor(world, &def, values);
    if (count == 0) {
        throw nb::value_error("sensor: there is no such body or joint, or the joint is not one of the body");
    }
    return makeArray(values, count);
}

void bindSensors(nb::class_<World>& world)
{
    world
        .def_prop_ro("sensors", getSensors, nb::sig("def sensors(self) -> dict[str, " FLOATS "]"),
                     "What the scene's sensors measure, by their names. Forces and accelerations are means over the last\n"
                     "substep.")
        .def("read_sensor", readSensor, "kind"_a, "body"_a = nb::none(), "joint"_a = nb::none(), "other"_a = nb::none(),
             "position"_a = nb::make_tuple(0.0, 0.0, 0.0), "quat"_a = nb::make_tuple(1.0, 0.0, 0.0, 0.0), "zone"_a = "all",
             "size"_a = nb::make_tuple(0.0, 0.0, 0.0),
             nb::sig("def read_sensor(self, kind: str, body: Body | None = None, joint: Joint | None = None, other: Body | None = "
                     "None, position: " LIKE " = (0.0, 0.0, 0.0), quat: " LIKE " = (1.0, 0.0, 0.0, 0.0), zone: str = 'all', size: " LIKE
                     " = (0.0, 0.0, 0.0)) -> " FLOATS),
             "What a sensor would measure. kind: 'joint_position', 'joint_velocity', 'joint_force' of a joint; of a site on a body,\n"
             "at position [m] from its centre of mass and turned by quat: 'force' and 'torque' of a joint or of contact (with other,\n"
             "or all), 'accelerometer' (accelerations = True before the step), 'gyro', 'velocimeter', 'touch' (in a zone,\n"
             "'ellipsoid', 'box', 'capsule' or 'cylinder' of sizes size), 'position', 'rotation', 'velocity', 'angular_velocity'.")
        .def_prop_rw("accelerations", [](const World& w) { return w.accelerations; },
                     [](World& w, bool on) {
                         pbdrWorld_SetAccelerations(w.get(), on);
                         w.accelerations = on;
                     },
                     "Whether steps note accelerations, for accelerometers. On in worlds of scenes with one.");
}
