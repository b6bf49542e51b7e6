// Handles of bodies and planes. They know when what they stand for is gone.
#include "world.h"

#include <cstdio>

#define ARRAY "numpy.typing.NDArray[numpy.float64]"
#define LIKE "numpy.typing.ArrayLike"

void raiseDead(const char* what)
{
    raiseStatus(pbdr_statusInvalidId, std::string(what) + ": it was destroyed");
}

pbdrWorld* Body::get() const
{
    pbdrWorld* c = world->get();
    if (!pbdrBody_IsValid(c, id)) {
        raiseDead("body");
    }
    return c;
}

pbdrWorld* Plane::get() const
{
    pbdrWorld* c = world->get();
    if (!pbdrPlane_IsValid(c, id)) {
        raiseDead("plane");
    }
    return c;
}

nb::object makeBody(nb::handle world, pbdrBodyId id)
{
    return nb::cast(Body{nb::borrow(world), &nb::cast<World&>(world), id});
}

nb::object makePlane(nb::handle world, pbdrPlaneId id)
{
    return nb::cast(Plane{nb::borrow(world), &nb::cast<World&>(world), id});
}

// --- Motion ---

static void place(Body& b, pbdrPose pose, const char* name, nb::handle value)
{
    checkValue(pbdrBody_SetPose(b.world->world, b.id, pose), name, value);
    b.world->refresh(b.id.index1 - 1);
}

static void push(Body& b, pbdrVelocity velocity, const char* name, nb::handle value)
{
    checkValue(pbdrBody_SetVelocity(b.world->world, b.id, velocity), name, value);
    b.world->refresh(b.id.index1 - 1);
}

static void setPosition(Body& b, nb::handle value)
{
    const pbdrPose pose = pbdrBody_GetPose(b.get(), b.id);
    place(b, {toVec(value, "position"), pose.rotation}, "position", value);
}

static void setQuat(Body& b, nb::handle value)
{
    const pbdrPose pose = pbdrBody_GetPose(b.get(), b.id);
    place(b, {pose.position, toQuat(value, "quat")}, "quat", value);
}

static void setVelocity(Body& b, nb::handle value)
{
    const pbdrVelocity velocity = pbdrBody_GetVelocity(b.get(), b.id);
    push(b, {toVec(value, "velocity"), velocity.angular}, "velocity", value);
}

static void setOmega(Body& b, nb::handle value)
{
    const pbdrVelocity velocity = pbdrBody_GetVelocity(b.get(), b.id);
    push(b, {velocity.linear, toVec(value, "omega")}, "omega", value);
}

static nb::object getRotation(const Body& b)
{
    const pbdrQuat q = pbdrBody_GetPose(b.get(), b.id).rotation;
    return fromMat({{{1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y - q.w * q.z), 2 * (q.x * q.z + q.w * q.y)},
                     {2 * (q.x * q.y + q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z - q.w * q.x)},
                     {2 * (q.x * q.z - q.w * q.y), 2 * (q.y * q.z + q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}}});
}

static void setTarget(Body& b, nb::handle position, nb::handle quat, double time)
{
    pbdrPose pose = pbdrBody_GetPose(b.get(), b.id);
    pose.position = toVec(position, "position");
    pose.rotation = quat.is_none() ? pose.rotation : toQuat(quat, "quat");
    checkValue(pbdrBody_SetTarget(b.world->world, b.id, pose, time), "target",
               nb::make_tuple(nb::borrow(position), nb::borrow(quat), time));
}

static nb::object getTarget(const Body& b)
{
    pbdrPose pose;
    double time;
    if (!pbdrBody_GetTarget(b.get(), b.id, &pose, &time)) {
        return nb::none();
    }
    return nb::make_tuple(fromVec(pose.position), fromQuat(pose.rotation), time);
}

// --- Loads ---

static pbdrVec3 toPoint(const Body& b, nb::handle point)
{
    return point.is_none() ? pbdrBody_GetPose(b.get(), b.id).position : toVec(point, "point");
}

static pbdrVec3 cross(pbdrVec3 a, pbdrVec3 b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// Steps are taken in pieces: the sums are kept here, to be applied to each.
static void noteStepForce(Body& b, pbdrVec3 force, pbdrVec3 torque)
{
    BodyRecord& r = b.record();
    r.stepForce = {r.stepForce.x + force.x, r.stepForce.y + force.y, r.stepForce.z + force.z};
    r.stepTorque = {r.stepTorque.x + torque.x, r.stepTorque.y + torque.y, r.stepTorque.z + torque.z};
    r.hasStepForce = b.world->hasStepForces = true;
}

static void applyForce(Body& b, nb::handle force, nb::handle point)
{
    const pbdrVec3 f = toVec(force, "force"), at = toPoint(b, point), c = pbdrBody_GetPose(b.get(), b.id).position;
    checkValue(pbdrBody_ApplyForce(b.world->world, b.id, f, at), "force", force);
    noteStepForce(b, f, cross({at.x - c.x, at.y - c.y, at.z - c.z}, f));
}

static void applyTorque(Body& b, nb::handle torque)
{
    const pbdrVec3 t = toVec(torque, "torque");
    checkValue(pbdrBody_ApplyTorque(b.get(), b.id, t), "torque", torque);
    noteStepForce(b, {0, 0, 0}, t);
}

static void applyImpulse(Body& b, nb::handle impulse, nb::handle point)
{
    const pbdrVec3 p = toVec(impulse, "impulse"), at = toPoint(b, point);
    checkValue(pbdrBody_ApplyImpulse(b.get(), b.id, p, at), "impulse", impulse);
    b.world->refresh(b.id.index1 - 1);
}

static void applyAngularImpulse(Body& b, nb::handle impulse)
{
    checkValue(pbdrBody_ApplyAngularImpulse(b.get(), b.id, toVec(impulse, "impulse")), "impulse", impulse);
    b.world->refresh(b.id.index1 - 1);
}

static nb::object getWrench(const Body& b, nb::handle point, nb::handle other)
{
    const pbdrVec3 at = toPoint(b, point);
    pbdrWorld* c = b.get();
    pbdrWrench wrench;
    if (other.is_none()) {
        wrench = pbdrBody_GetContactWrench(c, b.id, at);
    } else if (nb::isinstance<Body>(other)) {
        nb::cast<Body&>(other).get();
        wrench = pbdrWorld_GetPairWrench(c, b.id, nb::cast<Body&>(other).id, at);
    } else if (nb::isinstance<Plane>(other)) {
        nb::cast<Plane&>(other).get();
        wrench = pbdrWorld_GetPlaneWrench(c, b.id, nb::cast<Plane&>(other).id, at);
    } else {
        throw nb::type_error("other: wanted a Body, a Plane or None");
    }
    return nb::make_tuple(fromVec(wrench.force), fromVec(wrench.torque));
}

// --- Constants ---

static void setShape(Body& b, nb::object shape)
{
    pbdrError error;
    if (!nb::isinstance<Shape>(shape)) {
        throw nb::type_error("shape: wanted a pbdr.Shape");
    }
    check(pbdrBody_SetShape(b.get(), b.id, nb::cast<Shape&>(shape).shape, &error), error);
    b.record().shape = std::move(shape);
    b.world->refresh(b.id.index1 - 1);
}

static nb::object getSpheres(const Body& b)
{
    pbdrWorld* c = b.get();
    std::vector<pbdrVec3> places(size_t(pbdrBody_GetPositions(c, b.id, nullptr, 0)));
    pbdrBody_GetPositions(c, b.id, places.data(), int(places.size()));
    return makeArray(places.empty() ? nullptr : &places[0].x, {places.size(), 3});
}

static void destroyBody(Body& b)
{
    pbdrDestroyBody(b.get(), b.id);
    BodyRecord& r = b.record();
    r.alive = r.hasStepForce = false;
    r.shape.reset();
    r.name.reset();
    r.userData.reset();
    for (size_t k = b.world->movers.size(); k-- > 0;) {
        if (b.world->movers[k].index1 == b.id.index1) {
            b.world->movers.erase(b.world->movers.begin() + std::ptrdiff_t(k));
            b.world->moverOwners.erase(b.world->moverOwners.begin() + std::ptrdiff_t(k));
        }
    }
    b.world->forgetViews();
}

static void setName(Body& b, nb::object name)
{
    b.get();
    if (!name.is_none() && !nb::isinstance<nb::str>(name)) {
        throw nb::type_error("name: wanted a str or None");
    }
    b.record().name = std::move(name);
}

static void bindMotion(nb::class_<Body>& body)
{
    body
        .def_prop_rw("position", [](const Body& b) { return fromVec(pbdrBody_GetPose(b.get(), b.id).position); }, setPosition,
                     nb::for_getter(nb::sig("def position(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def position(self, value: " LIKE ", /) -> None")),
                     "Centre of mass [m], shape (3,). Setting it keeps the velocity and forgets the world's contacts.")
        .def_prop_rw("quat", [](const Body& b) { return fromQuat(pbdrBody_GetPose(b.get(), b.id).rotation); }, setQuat,
                     nb::for_getter(nb::sig("def quat(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def quat(self, value: " LIKE ", /) -> None")),
                     "Quaternion w, x, y, z from body to world axes, shape (4,).")
        .def_prop_ro("rotation", getRotation, nb::sig("def rotation(self) -> " ARRAY),
                     "The same as a matrix, shape (3, 3): x_world = rotation @ x_body.")
        .def_prop_rw("velocity", [](const Body& b) { return fromVec(pbdrBody_GetVelocity(b.get(), b.id).linear); }, setVelocity,
                     nb::for_getter(nb::sig("def velocity(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def velocity(self, value: " LIKE ", /) -> None")),
                     "Velocity of the centre of mass [m/s], shape (3,).")
        .def_prop_rw("omega", [](const Body& b) { return fromVec(pbdrBody_GetVelocity(b.get(), b.id).angular); }, setOmega,
                     nb::for_getter(nb::sig("def omega(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def omega(self, value: " LIKE ", /) -> None")),
                     "Angular velocity, world axes [rad/s], shape (3,).")
        .def_prop_ro("momentum", [](const Body& b) { return fromVec(pbdrBody_GetMomentum(b.get(), b.id).linear); },
                     nb::sig("def momentum(self) -> " ARRAY), "Linear momentum [kg m/s], shape (3,).")
        .def_prop_ro("angular_momentum", [](const Body& b) { return fromVec(pbdrBody_GetMomentum(b.get(), b.id).angular); },
                     nb::sig("def angular_momentum(self) -> " ARRAY),
                     "Angular momentum about the centre of mass [kg m^2/s], shape (3,).")
        .def("set_target", setTarget, "position"_a, "quat"_a = nb::none(), "time"_a = 0.0,
             nb::sig("def set_target(self, position: " LIKE ", quat: " LIKE " | None = None, time: float = 0.0) -> None"),
             "Moves a kinematic body so that it is at the pose after `time` [s], exactly, and rests from then on. Contact feels\n"
             "the velocity. quat None: it keeps its own.")
        .def_prop_ro("target", getTarget, nb::sig("def target(self) -> tuple[" ARRAY ", " ARRAY ", float] | None"),
                     "Position [m], quaternion and time left [s] of the target it is on its way to, or None.");
}

static void bindLoads(nb::class_<Body>& body)
{
    body
        .def_prop_rw("force", [](const Body& b) { return fromVec(pbdrBody_GetForce(b.get(), b.id)); },
                     [](Body& b, nb::handle v) { checkValue(pbdrBody_SetForce(b.get(), b.id, toVec(v, "force")), "force", v); },
                     nb::for_getter(nb::sig("def force(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def force(self, value: " LIKE ", /) -> None")),
                     "Force through the centre of mass, world axes, in every substep until changed [N], shape (3,).")
        .def_prop_rw("torque", [](const Body& b) { return fromVec(pbdrBody_GetTorque(b.get(), b.id)); },
                     [](Body& b, nb::handle v) { checkValue(pbdrBody_SetTorque(b.get(), b.id, toVec(v, "torque")), "torque", v); },
                     nb::for_getter(nb::sig("def torque(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def torque(self, value: " LIKE ", /) -> None")),
                     "Torque about the centre of mass, world axes, in every substep until changed [N m], shape (3,).")
        .def("apply_force", applyForce, "force"_a, "point"_a = nb::none(),
             nb::sig("def apply_force(self, force: " LIKE ", point: " LIKE " | None = None) -> None"),
             "A force [N] at a world point [m] (None: the centre of mass) that acts besides during the next call of step only.")
        .def("apply_torque", applyTorque, "torque"_a, nb::sig("def apply_torque(self, torque: " LIKE ") -> None"),
             "A torque [N m] that acts besides during the next call of step only.")
        .def("apply_impulse", applyImpulse, "impulse"_a, "point"_a = nb::none(),
             nb::sig("def apply_impulse(self, impulse: " LIKE ", point: " LIKE " | None = None) -> None"),
             "An impulse [N s] at a world point [m] (None: the centre of mass): changes the velocity at once.")
        .def("apply_angular_impulse", applyAngularImpulse, "impulse"_a,
             nb::sig("def apply_angular_impulse(self, impulse: " LIKE ") -> None"), "An angular impulse [N m s], at once.")
        .def("contact_wrench", getWrench, "point"_a = nb::none(), "other"_a = nb::none(),
             nb::sig("def contact_wrench(self, point: " LIKE " | None = None, other: Body | Plane | None = None) -> tuple[" ARRAY
                     ", " ARRAY "]"),
             "Force [N] and torque about a world point [N m] (None: the centre of mass) of contact on the body in the last\n"
             "substep, by another body or plane, or by all (None).")
        .def_prop_ro("contacts", [](Body& b) { b.get(); return getContacts(*b.world, b.id.index1 - 1); },
                     nb::sig("def contacts(self) -> numpy.recarray[typing.Any, typing.Any]"),
                     "Contacts of this body in the last substep, as world.contacts; it stands as body_a in all of them, so that\n"
                     "`contacts.force.sum(0)` is the force on it [N].");
}

template <class Thing, double (*get)(const pbdrWorld*, decltype(Thing::id)),
          pbdrStatus (*set)(pbdrWorld*, decltype(Thing::id), double)>
static void bindNumber(nb::class_<Thing>& thing, const char* name, const char* doc)
{
    thing.def_prop_rw(name, [](const Thing& t) { return get(t.get(), t.id); },
                      [name](Thing& t, double v) { checkValue(set(t.get(), t.id, v), name, nb::cast(v)); }, doc);
}

template <class Thing, pbdrFilter (*get)(const pbdrWorld*, decltype(Thing::id)),
          pbdrStatus (*set)(pbdrWorld*, decltype(Thing::id), pbdrFilter)>
static void bindFilter(nb::class_<Thing>& thing)
{
    thing
        .def_prop_rw("category", [](const Thing& t) { return get(t.get(), t.id).category; },
                     [](Thing& t, uint64_t v) { set(t.get(), t.id, {v, get(t.world->world, t.id).mask}); },
                     "Bits of the categories that it is in (default 1).")
        .def_prop_rw("mask", [](const Thing& t) { return get(t.get(), t.id).mask; },
                     [](Thing& t, uint64_t v) { set(t.get(), t.id, {get(t.world->world, t.id).category, v}); },
                     "Bits of the categories that it touches (default all).");
}

static void bindConstants(nb::class_<Body>& body)
{
    bindNumber<Body, pbdrBody_GetFriction, pbdrBody_SetFriction>(body, "friction", "Friction coefficient, >= 0.");
    bindNumber<Body, pbdrBody_GetRestitution, pbdrBody_SetRestitution>(body, "restitution", "Restitution, 0 to 1 (XPBD-R).");
    bindFilter<Body, pbdrBody_GetFilter, pbdrBody_SetFilter>(body);
    body
        .def_prop_rw("name", [](const Body& b) { b.get(); return b.record().name; }, setName,
                     nb::for_getter(nb::sig("def name(self) -> str | None")),
                     nb::for_setter(nb::arg("value").none()),
                     nb::for_setter(nb::sig("def name(self, value: str | None, /) -> None")), "Its key in world.bodies, or None.")
        .def_prop_rw("user_data", [](const Body& b) { b.get(); return b.record().userData; },
                     [](Body& b, nb::object v) { b.get(); b.record().userData = std::move(v); },
                     nb::for_getter(nb::sig("def user_data(self) -> typing.Any")),
                     nb::for_setter(nb::arg("value").none()), nb::for_setter(nb::sig("def user_data(self, value: object, /) -> None")), "Anything of the user's.")
        .def_prop_rw("shape", [](const Body& b) { b.get(); return b.record().shape; }, setShape,
                     nb::for_getter(nb::sig("def shape(self) -> Shape")),
                     nb::for_setter(nb::sig("def shape(self, value: Shape, /) -> None")),
                     "Its shape. Another one keeps centre of mass, rotation and velocity, and forgets the world's contacts.")
        .def_prop_rw("mass", [](const Body& b) { return pbdrBody_GetMass(b.get(), b.id); },
                     [](Body& b, double v) { b.get(); setShape(b, b.record().shape.attr("with_mass")(v)); },
                     "Mass [kg]. Setting it gives the body the same shape of that mass (Shape.with_mass).")
        .def_prop_ro("inertia", [](const Body& b) { return fromMat(pbdrBody_GetRestInertia(b.get(), b.id)); },
                     nb::sig("def inertia(self) -> " ARRAY), "About the centre of mass, body axes [kg m^2], shape (3, 3).")
        .def_prop_ro("kind", [](const Body& b) { return kindWords[pbdrBody_GetKind(b.get(), b.id)]; },
                     nb::sig("def kind(self) -> str"), "\"dynamic\", \"static\" or \"kinematic\".")
        .def_prop_ro("spheres", getSpheres, nb::sig("def spheres(self) -> " ARRAY),
                     "World positions of its spheres' centres [m], shape (spheres, 3).")
        .def_prop_ro("row", [](const Body& b) { b.get(); b.world->findRows(); return b.world->rowOfPlace[size_t(b.id.index1) - 1]; },
                     "Its row in the world's arrays, and its number in contacts and events.")
        .def_prop_ro("world", [](const Body& b) { return b.owner; }, nb::sig("def world(self) -> World"), "The world it is in.")
        .def_prop_ro("alive", [](const Body& b) { return b.world->world != nullptr && pbdrBody_IsValid(b.world->world, b.id); },
                     "Whether it exists: neither it nor its world was destroyed.")
        .def_prop_ro("asleep", [](const Body& b) { return pbdrBody_IsAsleep(b.get(), b.id); },
                     "Whether it sleeps (World(sleeping=True)).")
        .def("wake", [](Body& b) { pbdrBody_Wake(b.get(), b.id); }, "Wakes it, and with the next substep what it lies among.")
        .def("destroy", destroyBody, "Takes it out of the world. Handles of it then raise InvalidIdError.")
        .def("__eq__", [](const Body& a, nb::handle other) {
                 return nb::isinstance<Body>(other) && nb::cast<Body&>(other).world == a.world &&
                        nb::cast<Body&>(other).id.index1 == a.id.index1 && nb::cast<Body&>(other).id.generation == a.id.generation;
             }, "other"_a.none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Body& b) { return Py_hash_t(b.id.index1) * 31 + Py_hash_t(b.id.generation); })
        .def("__repr__", [](const Body& b) {
            if (b.world->world == nullptr || !pbdrBody_IsValid(b.world->world, b.id)) {
                return std::string("<pbdr.Body, destroyed>");
            }
            const nb::object& name = b.record().name;
            return "<pbdr.Body " + std::string(name.is_valid() && !name.is_none() ? nb::repr(name).c_str() : "without a name") +
                   ", " + kindWords[pbdrBody_GetKind(b.world->world, b.id)] + ">";
        });
}

static void bindPlane(nb::module_& m)
{
    nb::class_<Plane> plane(m, "Plane", "A handle of a plane: the half space normal.x < offset is solid.");
    bindNumber<Plane, pbdrPlane_GetFriction, pbdrPlane_SetFriction>(plane, "friction", "Friction coefficient, >= 0.");
    bindNumber<Plane, pbdrPlane_GetRestitution, pbdrPlane_SetRestitution>(plane, "restitution", "Restitution, 0 to 1.");
    bindNumber<Plane, pbdrPlane_GetOffset, pbdrPlane_SetOffset>(plane, "offset", "normal . (any point of the plane) [m].");
    bindFilter<Plane, pbdrPlane_GetFilter, pbdrPlane_SetFilter>(plane);
    plane
        .def_prop_rw("normal", [](const Plane& p) { return fromVec(pbdrPlane_GetNormal(p.get(), p.id)); },
                     [](Plane& p, nb::handle v) { checkValue(pbdrPlane_SetNormal(p.get(), p.id, toVec(v, "normal")), "normal", v); },
                     nb::for_getter(nb::sig("def normal(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def normal(self, value: " LIKE ", /) -> None")),
                     "Unit normal, out of the solid, shape (3,).")
        .def_prop_ro("name", [](const Plane& p) { p.get(); return p.world->planes[size_t(p.id.index1) - 1].name; },
                     nb::sig("def name(self) -> str | None"), "As it was given.")
        .def_prop_ro("row", [](const Plane& p) { p.get(); p.world->findRows(); return p.world->rowOfPlane[size_t(p.id.index1) - 1]; },
                     "Its number in contacts and events.")
        .def_prop_ro("alive", [](const Plane& p) { return p.world->world != nullptr && pbdrPlane_IsValid(p.world->world, p.id); },
                     "Whether it exists.")
        .def("destroy", [](Plane& p) {
                 pbdrDestroyPlane(p.get(), p.id);
                 p.world->planes[size_t(p.id.index1) - 1].alive = false;
                 p.world->rowsKnown = false;
                 p.world->forgetViews();
             }, "Takes it out of the world.")
        .def("__eq__", [](const Plane& a, nb::handle other) {
                 return nb::isinstance<Plane>(other) && nb::cast<Plane&>(other).world == a.world &&
                        nb::cast<Plane&>(other).id.index1 == a.id.index1 && nb::cast<Plane&>(other).id.generation == a.id.generation;
             }, "other"_a.none(), nb::sig("def __eq__(self, other: object, /) -> bool"))
        .def("__hash__", [](const Plane& p) { return Py_hash_t(p.id.index1) * 37 + Py_hash_t(p.id.generation); })
        .def("__repr__", [](const Plane& p) {
            if (p.world->world == nullptr || !pbdrPlane_IsValid(p.world->world, p.id)) {
                return std::string("<pbdr.Plane, destroyed>");
            }
            const pbdrVec3 n = pbdrPlane_GetNormal(p.world->world, p.id);
            char text[160];
            snprintf(text, sizeof text, "<pbdr.Plane, normal (%g, %g, %g), offset %g m>", n.x, n.y, n.z,
                     pbdrPlane_GetOffset(p.world->world, p.id));
            return std::string(text);
        });
}

void bindBody(nb::module_& m)
{
    nb::class_<Body> body(m, "Body", "A handle of a body. It keeps its world alive; after destroy it raises InvalidIdError.");
    bindMotion(body);
    bindLoads(body);
    bindConstants(body);
    bindPlane(m);
}
