// Joints and controls of worlds (pbdr/joint.h). Copies have the same joints at the same places.
#include "world.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#define LIKE "numpy.typing.ArrayLike"

static const char* const jointWords[] = {"ball",     "hinge", "slide",     "fixed", "universal",
                                        "distance", "span",  "exclusion", "gear",  nullptr};
static const char* const motorWords[] = {"none", "force", "velocity", "position", nullptr};

struct Joint {
    nb::object owner; // the World
    World* world;
    size_t place; // in its joints

    pbdrJointId id() const { return world->getJoint(place); }
    pbdrWorld* get() const
    {
        pbdrWorld* own = world->get();
        if (!pbdrJoint_IsValid(own, id())) {
            raiseDead("joint");
        }
        return own;
    }
};

// Joints are numbered as the world numbers them; a copy has another number of its own.
pbdrJointId World::getJoint(size_t place) const
{
    pbdrJointId id = joints[place].id;
    pbdrJointId first = {0, 0, 0};
    if (pbdrWorld_GetJoints(world, &first, 1) > 0) {
        id.world = first.world;
    }
    return id;
}

static void setGains(const Joint& joint, double stiffness, double damping)
{
    if (pbdrJoint_SetMotorGains(joint.get(), joint.id(), stiffness, damping) != pbdr_statusOk) {
        throw nb::value_error("motor gain: not finite, or the joint has no motor to a force or position");
    }
}

static nb::object makeJoint(nb::handle world, size_t place)
{
    return nb::cast(Joint{nb::borrow(world), nb::cast<World*>(world), place});
}

static nb::dict getJoints(nb::handle handle)
{
    World& self = nb::cast<World&>(handle);
    self.get();
    nb::dict all;
    for (size_t k = 0; k < self.joints.size(); k++) {
        if (pbdrJoint_IsValid(self.world, self.getJoint(k)) &&
            pbdrJoint_GetKind(self.world, self.getJoint(k)) != pbdr_jointExclusion) {
            all[self.joints[k].name] = makeJoint(handle, k);
        }
    }
    return all;
}

static pbdrBodyId getBodyId(nb::handle body, const World& self, const char* what)
{
    if (body.is_none()) {
        return {0, 0, 0};
    }
    if (!nb::isinstance<Body>(body)) {
        throw nb::type_error((std::string(what) + ": wanted a pbdr.Body, or None for the world").c_str());
    }
    Body& own = nb::cast<Body&>(body);
    if (own.world != &self) {
        throw nb::value_error((std::string(what) + ": a body of another world").c_str());
    }
    own.get();
    return own.id;
}

static bool hasJoint(const World& self, nb::handle name)
{
    bool found = false;
    for (const JointRecord& record : self.joints) {
        found = found || (pbdrJoint_IsValid(self.world, record.id) && record.name.equal(name));
    }
    return found;
}

// The key of a new joint in world.joints: the name that was given, which no other joint may have, or one of its own.
static nb::object nameJoint(const World& self, nb::object name)
{
    if (!name.is_none()) {
        if (!nb::isinstance<nb::str>(name)) {
            throw nb::type_error("name: wanted a str or None");
        }
        if (hasJoint(self, name)) {
            throw nb::value_error((std::string("name: there is a joint called ") + nb::repr(name).c_str()).c_str());
        }
        return name;
    }
    for (size_t k = self.joints.size();; k++) {
        nb::str own(("joint" + std::to_string(k)).c_str());
        if (!hasJoint(self, own)) {
            return own;
        }
    }
}

static nb::object addJoint(nb::handle handle, const std::string& kind, nb::handle bodyA, nb::handle bodyB, nb::handle point,
                           nb::handle axis, nb::object anchorA, nb::object length, bool touch, double lower, double upper,
                           double stiffness, double reference, double damping, double friction, double armature,
                           const std::string& motor, double target, double motorStiffness, double motorDamping,
                           double maxForce, nb::object name, double minForce)
{
    World& self = nb::cast<World&>(handle);
    pbdrWorld* world = self.get();
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdrJointKind(toWord(kind, jointWords, "kind"));
    def.bodyA = getBodyId(bodyA, self, "body_a");
    def.bodyB = getBodyId(bodyB, self, "body_b");
    pbdrError error;
    if (pbdrPlaceJointDef(world, &def, toVec(point, "point"), toVec(axis, "axis")) != pbdr_statusOk) {
        throw nb::value_error("joint: the axis has no direction, or a number is not finite");
    }
    if (!anchorA.is_none()) {
        pbdrJointDef other = def;
        pbdrPlaceJointDef(world, &other, toVec(anchorA, "anchor_a"), toVec(axis, "axis"));
        def.frameA.anchor = other.frameA.anchor;
    }
    def.length = length.is_none() ? def.length : nb::cast<double>(length);
    def.touch = touch;
    def.lower = lower;
    def.upper = upper;
    def.stiffness = stiffness;
    def.reference = reference;
    def.damping = damping;
    def.friction = friction;
    def.armature = armature;
    def.motor = pbdrMotorKind(toWord(motor, motorWords, "motor"));
    def.motorTarget = target;
    def.motorStiffness = motorStiffness;
    def.motorDamping = motorDamping;
    def.maxMotorForce = maxForce;
    def.minMotorForce = minForce;
    JointRecord record;
    record.name = nameJoint(self, name);
    check(pbdrCreateJoint(world, &def, &record.id, &error), error);
    self.joints.push_back(record);
    return makeJoint(handle, self.joints.size() - 1);
}

pbdrJointId getJointId(nb::handle handle, const World& self)
{
    const Joint& joint = nb::cast<Joint&>(handle);
    if (joint.world != &self) {
        throw nb::value_error("joint: of another world");
    }
    joint.get();
    return joint.id();
}

static nb::object addGear(nb::handle handle, nb::handle leader, nb::handle follower, double ratio, nb::object coefficients,
                          nb::object name)
{
    World& self = nb::cast<World&>(handle);
    pbdrWorld* world = self.get();
    pbdrJointDef def = pbdrDefaultJointDef();
    def.kind = pbdr_jointGear;
    def.jointA = getJointId(leader, self);
    def.jointB = getJointId(follower, self);
    if (coefficients.is_none()) {
        def.coefficients[1] = ratio;
        def.coefficients[0] =
            pbdrJoint_GetPosition(world, def.jointB) - ratio * pbdrJoint_GetPosition(world, def.jointA);
    } else {
        const std::vector<double> terms = nb::cast<std::vector<double>>(coefficients);
        if (terms.empty() || terms.size() > 5) {
            throw nb::value_error("coefficients: wanted one to five numbers");
        }
        for (size_t k = 0; k < 5; k++) {
            def.coefficients[k] = k < terms.size() ? terms[k] : 0.0;
        }
    }
    pbdrError error;
    JointRecord record;
    record.name = nameJoint(self, name);
    check(pbdrCreateJoint(world, &def, &record.id, &error), error);
    self.joints.push_back(record);
    return makeJoint(handle, self.joints.size() - 1);
}

// --- Pickling ---

// A definition as bytes: the same version of the library makes it again (copies.cpp says which).
static nb::bytes describeDef(const pbdrJointDef& def)
{
    return nb::bytes(reinterpret_cast<const char*>(&def), sizeof def);
}

// Of every place that a joint has had: its last generation, and what it was made of, or None where it is gone. Then the
// names, in their order, with place and generation.
nb::list describeJoints(World& self)
{
    std::vector<uint32_t> generations;
    nb::list places, names, all;
    for (size_t k = 0; k < self.joints.size(); k++) {
        const pbdrJointId id = self.getJoint(k);
        generations.resize(std::max(generations.size(), size_t(id.index1)));
        generations[size_t(id.index1) - 1] = std::max(generations[size_t(id.index1) - 1], id.generation);
        names.append(nb::make_tuple(id.index1, id.generation, self.joints[k].name));
    }
    pbdrJointId first = {0, 0, 0};
    pbdrWorld_GetJoints(self.world, &first, 1);
    for (size_t place = 0; place < generations.size(); place++) {
        const pbdrJointId id = {int32_t(place) + 1, generations[place], first.world};
        if (pbdrJoint_IsValid(self.world, id)) {
            pbdrJointDef def = pbdrJoint_GetDef(self.world, id);
            def.userData = nullptr;
            places.append(nb::make_tuple(id.generation, describeDef(def)));
        } else {
            places.append(nb::make_tuple(id.generation, nb::none()));
        }
    }
    all.append(places);
    all.append(names);
    return all;
}

// At their places and with their generations: joints that do nothing come and go before, and stay where there is none.
void makeJoints(World& self, nb::handle joints)
{
    pbdrWorld* world = self.world;
    pbdrError error;
    std::vector<pbdrBodyId> bodies(size_t(pbdrWorld_GetBodies(world, nullptr, 0)));
    pbdrWorld_GetBodies(world, bodies.data(), int(bodies.size()));
    pbdrJointDef dummy = pbdrDefaultJointDef();
    dummy.kind = pbdr_jointExclusion;
    for (const pbdrBodyId& id : bodies) {
        dummy.bodyB = pbdrBody_GetKind(world, id) == pbdr_bodyDynamic ? id : dummy.bodyB;
    }
    std::vector<pbdrJointId> ids, gone;
    for (nb::handle place : joints[0]) {
        const uint32_t generation = nb::cast<uint32_t>(place[0]);
        const bool lives = !nb::object(place[1]).is_none();
        pbdrJointId id = {0, 0, 0};
        for (uint32_t k = lives ? 1 : 0; k < generation; k++) {
            if (id.index1 != 0) {
                pbdrDestroyJoint(world, id);
            }
            check(pbdrCreateJoint(world, &dummy, &id, &error), error);
        }
        if (lives) {
            if (id.index1 != 0) {
                pbdrDestroyJoint(world, id);
            }
            const nb::bytes text = nb::cast<nb::bytes>(place[1]);
            pbdrJointDef def = pbdrDefaultJointDef();
            if (text.size() != sizeof def) {
                throw nb::value_error("joint: pickled by another version");
            }
            std::memcpy(&def, text.c_str(), sizeof def);
            for (pbdrBodyId* body : {&def.bodyA, &def.bodyB}) {
                body->world = body->index1 != 0 && !bodies.empty() ? bodies[0].world : 0;
            }
            if (def.kind == pbdr_jointGear) {
                def.jointA = ids[size_t(def.jointA.index1) - 1];
                def.jointB = ids[size_t(def.jointB.index1) - 1];
            }
            check(pbdrCreateJoint(world, &def, &id, &error), error);
        } else {
            gone.push_back(id);
        }
        ids.push_back(id);
    }
    for (const pbdrJointId& id : gone) {
        pbdrDestroyJoint(world, id);
    }
    for (nb::handle name : joints[1]) {
        JointRecord record;
        record.id = {nb::cast<int32_t>(name[0]), nb::cast<uint32_t>(name[1]), 0};
        record.name = name[2];
        self.joints.push_back(record);
    }
}

// --- Controls ---

static std::vector<double> getControls(const World& self)
{
    self.get();
    return self.controls;
}

static void setControls(World& self, const std::vector<double>& values)
{
    pbdrWorld* world = self.get();
    if (values.size() != self.controls.size()) {
        throw nb::value_error(("control: wanted " + std::to_string(self.controls.size()) + " numbers").c_str());
    }
    std::vector<pbdrJointId> ids;
    for (size_t k = 0; k < self.joints.size(); k++) {
        ids.push_back(self.getJoint(k));
    }
    pbdrSceneWorld made = {};
    made.world = world;
    made.scene = self.scene.is_valid() ? nb::inst_ptr<Scene>(self.scene)->file : nullptr;
    made.joints = ids.data();
    made.controls = self.controls.data();
    for (size_t k = 0; k < values.size(); k++) {
        if (!std::isfinite(values[k])) {
            throw nb::value_error("control: not finite");
        }
        pbdrSceneWorld_SetControl(&made, int(k), values[k]);
    }
}

static std::vector<std::string> getActuators(const World& self)
{
    std::vector<std::string> names;
    for (size_t k = 0; k < self.controls.size(); k++) {
        names.push_back(nb::inst_ptr<Scene>(self.scene)->file->actuators[k].name);
    }
    return names;
}

// --- Accelerations ---

static nb::tuple findAccelerations(World& self)
{
    pbdrWorld* world = self.get();
    const int bodyCount = pbdrWorld_GetBodies(world, nullptr, 0), jointCount = pbdrWorld_GetJoints(world, nullptr, 0);
    std::vector<pbdrVelocity> bodies(size_t(bodyCount) + 1);
    std::vector<double> axes(size_t(jointCount) + 1);
    pbdrError error;
    check(pbdrWorld_FindAccelerations(world, bodies.data(), axes.data(), &error), error);
    std::vector<std::vector<double>> rows;
    for (int k = 0; k < bodyCount; k++) {
        const pbdrVelocity& a = bodies[size_t(k)];
        rows.push_back({a.linear.x, a.linear.y, a.linear.z, a.angular.x, a.angular.y, a.angular.z});
    }
    axes.resize(size_t(jointCount));
    nb::object numpy = nb::module_::import_("numpy");
    return nb::make_tuple(numpy.attr("array")(rows), numpy.attr("array")(axes));
}

void recordJoints(World& self, const pbdrSceneWorld* made)
{
    for (int k = 0; k < made->scene->jointCount; k++) {
        const char* name = made->scene->joints[k].name;
        JointRecord record;
        record.id = made->joints[k];
        record.name = nb::str(name[0] != 0 ? name : ("joint" + std::to_string(k)).c_str());
        self.joints.push_back(record);
    }
    self.sceneBodies.assign(made->bodies, made->bodies + made->scene->bodyCount);
    for (int k = 0; k < made->scene->sensorCount; k++) {
        self.accelerations = self.accelerations || made->scene->sensors[k].def.kind == pbdr_sensorAccelerometer;
    }
    self.controls.assign(made->controls, made->controls + made->scene->actuatorCount);
}

void bindJoints(nb::module_& m, nb::class_<World>& world)
{
    nb::class_<Joint>(m, "Joint", "A joint of a world. Position and velocity are those of body B, seen from body A.")
        .def_prop_ro("name", [](const Joint& j) { return j.world->joints[j.place].name; }, nb::sig("def name(self) -> str"))
        .def_prop_ro("kind", [](const Joint& j) { return std::string(jointWords[pbdrJoint_GetKind(j.get(), j.id())]); })
        .def_prop_ro("position", [](const Joint& j) { return pbdrJoint_GetPosition(j.get(), j.id()); },
                     "Of a hinge [rad], counting whole turns; of a ball its angle [rad]; of a slide, distance or span [m].")
        .def_prop_ro("velocity", [](const Joint& j) { return pbdrJoint_GetVelocity(j.get(), j.id()); }, "[rad/s, m/s]")
        .def_prop_ro("axis_force", [](const Joint& j) { return pbdrJoint_GetAxisForce(j.get(), j.id()); },
                     "What motor, spring, damper, friction and bounds did in the last substep [N m, N].")
        .def_prop_ro("force", [](const Joint& j) { return fromVec(pbdrJoint_GetReaction(j.get(), j.id()).force); },
                     nb::sig("def force(self) -> numpy.typing.NDArray[numpy.float64]"),
                     "What the joint did to body B in the last substep, world axes [N].")
        .def_prop_ro("torque", [](const Joint& j) { return fromVec(pbdrJoint_GetReaction(j.get(), j.id()).torque); },
                     nb::sig("def torque(self) -> numpy.typing.NDArray[numpy.float64]"),
                     "The same about B's anchor [N m].")
        .def_prop_ro("gap", [](const Joint& j) { return pbdrJoint_GetGap(j.get(), j.id()); }, "Of its anchors [m].")
        .def_prop_ro("turn_gap", [](const Joint& j) { return pbdrJoint_GetTurnGap(j.get(), j.id()); }, "Of its axes [rad].")
        .def_prop_rw("target", [](const Joint& j) { return pbdrJoint_GetMotorTarget(j.get(), j.id()); },
                     [](const Joint& j, double target) {
                         if (pbdrJoint_SetMotorTarget(j.get(), j.id(), target) != pbdr_statusOk) {
                             throw nb::value_error("target: not finite, or the joint has no motor");
                         }
                     },
                     "What the motor aims at: a force, a velocity or a position.")
        .def_prop_rw("motor_stiffness", [](const Joint& j) { return pbdrJoint_GetDef(j.get(), j.id()).motorStiffness; },
                     [](const Joint& j, double stiffness) {
                         setGains(j, stiffness, pbdrJoint_GetDef(j.get(), j.id()).motorDamping);
                     },
                     "Of a motor to a force or position [N/m, N m/rad].")
        .def_prop_rw("motor_damping", [](const Joint& j) { return pbdrJoint_GetDef(j.get(), j.id()).motorDamping; },
                     [](const Joint& j, double damping) {
                         setGains(j, pbdrJoint_GetDef(j.get(), j.id()).motorStiffness, damping);
                     },
                     "Likewise [N s/m, N m s/rad].")
        .def("destroy", [](const Joint& j) { pbdrDestroyJoint(j.get(), j.id()); }, "Its bodies stay, its gears go.")
        .def("__repr__", [](const Joint& j) {
            return "<pbdr.Joint " + nb::cast<std::string>(j.world->joints[j.place].name) + ">";
        });
    const double none = HUGE_VAL;
    world.def_prop_ro("joints", getJoints, nb::sig("def joints(self) -> dict[str, Joint]"), "The joints by their names.")
        .def("add_joint", addJoint, "kind"_a, "body_a"_a.none(), "body_b"_a.none(), "point"_a = nb::make_tuple(0.0, 0.0, 0.0),
             "axis"_a = nb::make_tuple(0.0, 0.0, 1.0), "anchor_a"_a = nb::none(), "length"_a = nb::none(), "touch"_a = false,
             "lower"_a = -none, "upper"_a = none, "stiffness"_a = 0.0, "reference"_a = 0.0, "damping"_a = 0.0,
             "friction"_a = 0.0, "armature"_a = 0.0, "motor"_a = "none", "target"_a = 0.0, "motor_stiffness"_a = 0.0,
             "motor_damping"_a = 0.0, "max_force"_a = none, "name"_a = nb::none(), "min_force"_a = none,
             nb::sig("def add_joint(self, kind: str, body_a: Body | None, body_b: Body | None, point: " LIKE
                     " = (0.0, 0.0, 0.0), axis: " LIKE " = (0.0, 0.0, 1.0), anchor_a: " LIKE
                     " | None = None, length: float | None = None, touch: bool = False, lower: float = float('-inf'), upper: float = float('inf'), "
                     "stiffness: float = 0.0, reference: float = 0.0, damping: float = 0.0, friction: float = 0.0, armature: "
                     "float = 0.0, motor: str = 'none', target: float = 0.0, motor_stiffness: float = 0.0, motor_damping: float = "
                     "0.0, max_force: float = float('inf'), name: str | None = None, min_force: float = float('inf')) -> Joint"),
             "A joint between two bodies, None for the world, at a point and along an axis of the world, where the bodies are\n"
             "now. kind: 'ball', 'hinge', 'slide', 'fixed', 'universal', 'distance', 'span' or 'exclusion'. anchor_a [m], length\n"
             "[m]: of a distance or span. touch: whether the two may touch. Of a hinge, slide or span: lower, upper (bounds),\n"
             "stiffness, reference, damping, friction, armature; motor 'force', 'velocity' or 'position' with target,\n"
             "motor_stiffness, motor_damping, max_force and min_force (inf: the opposite). A ball has all of these but lower,\n"
             "reference and a motor; upper bounds its angle.")
        .def("add_gear", addGear, "leader"_a, "follower"_a, "ratio"_a = 1.0, "coefficients"_a = nb::none(), "name"_a = nb::none(),
             nb::sig("def add_gear(self, leader: Joint, follower: Joint, ratio: float = 1.0, coefficients: "
                     "typing.Sequence[float] | None = None, name: str | None = None) -> Joint"),
             "The position of one axis is a polynomial of another's: ratio times it, from where they are now, or with up to five\n"
             "coefficients, the first for the power 0.")
        .def_prop_ro("control", [](nb::handle w) { return getAttribute("pbdr._joints", "Controls")(w); },
                     nb::sig("def control(self) -> typing.Any"),
                     "What the scene's actuators are told, as an array: world.control[:] = values.")
        .def_prop_ro("actuators", getActuators, "Their names.")
        .def("_get_controls", getControls)
        .def("_set_controls", setControls, "values"_a)
        .def("find_accelerations", findAccelerations,
             nb::sig("def find_accelerations(self) -> tuple[numpy.typing.NDArray[numpy.float64], "
                     "numpy.typing.NDArray[numpy.float64]]"),
             "Forward dynamics without contacts: of bodies, linear and angular (n, 6) [m/s^2, rad/s^2]; of joints' axes.");
}
