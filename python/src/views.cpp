// Arrays over all bodies that follow the world, and the lists of bodies and planes.
#include "world.h"

#define ARRAY "numpy.typing.NDArray[numpy.float64]"
#define LIKE "numpy.typing.ArrayLike"

// --- Rows and views ---

void World::findRows()
{
    if (rowsKnown) {
        return;
    }
    rows.resize(size_t(pbdrWorld_GetBodies(world, nullptr, 0)));
    pbdrWorld_GetBodies(world, rows.data(), int(rows.size()));
    rowOfPlace.assign(bodies.size(), -1);
    for (size_t row = 0; row < rows.size(); row++) {
        rowOfPlace[size_t(rows[row].index1) - 1] = int(row);
    }
    rowOfPlane.assign(planes.size(), -1);
    int row = 0;
    for (size_t place = 0; place < planes.size(); place++) {
        rowOfPlane[place] = planes[place].alive ? row++ : -1;
    }
    rowsKnown = true;
}

static void readBody(const World& self, size_t row)
{
    const pbdrPose pose = pbdrBody_GetPose(self.world, self.rows[row]);
    const pbdrVelocity velocity = pbdrBody_GetVelocity(self.world, self.rows[row]);
    reinterpret_cast<pbdrVec3*>(self.views->positions.data())[row] = pose.position;
    reinterpret_cast<pbdrQuat*>(self.views->quats.data())[row] = pose.rotation;
    reinterpret_cast<pbdrVec3*>(self.views->velocities.data())[row] = velocity.linear;
    reinterpret_cast<pbdrVec3*>(self.views->omegas.data())[row] = velocity.angular;
}

void World::refreshAll()
{
    for (size_t row = 0; views != nullptr && row < rows.size(); row++) {
        readBody(*this, row);
    }
}

void World::refresh(int place)
{
    if (views != nullptr) {
        readBody(*this, size_t(rowOfPlace[size_t(place)]));
    }
}

void World::forgetViews()
{
    rowsKnown = false;
    views = nullptr;
    for (nb::object& array : arrays) {
        array.reset();
    }
}

static nb::object getView(World& self, int which)
{
    self.get();
    if (self.views == nullptr) {
        self.findRows();
        const size_t n = self.rows.size();
        Views* views = new Views;
        nb::capsule owner(views, [](void* memory) noexcept { delete static_cast<Views*>(memory); });
        views->positions.resize(3 * n);
        views->quats.resize(4 * n);
        views->velocities.resize(3 * n);
        views->omegas.resize(3 * n);
        self.arrays[0] = viewArray(views->positions.data(), {n, 3}, owner, false);
        self.arrays[1] = viewArray(views->quats.data(), {n, 4}, owner, false);
        self.arrays[2] = viewArray(views->velocities.data(), {n, 3}, owner, false);
        self.arrays[3] = viewArray(views->omegas.data(), {n, 3}, owner, false);
        self.views = views;
        self.refreshAll();
    }
    return self.arrays[which];
}

static void setView(World& self, int which, nb::handle value)
{
    static const char* const names[] = {"positions", "quats", "velocities", "omegas"};
    self.get();
    self.findRows();
    const Rows values = toRows(value, which == 1 ? 4 : 3, names[which]);
    if (values.shape(0) != self.rows.size()) {
        throw nb::value_error((std::string(names[which]) + ": wanted a row for each of " + std::to_string(self.rows.size()) +
                               " bodies").c_str());
    }
    for (size_t row = 0; row < self.rows.size(); row++) {
        const pbdrBodyId id = self.rows[row];
        pbdrPose pose = pbdrBody_GetPose(self.world, id);
        pbdrVelocity velocity = pbdrBody_GetVelocity(self.world, id);
        pbdrVec3 v;
        if (which == 1) {
            pose.rotation = reinterpret_cast<const pbdrQuat*>(values.data())[row];
        } else {
            v = reinterpret_cast<const pbdrVec3*>(values.data())[row];
            (which == 0 ? pose.position : which == 2 ? velocity.linear : velocity.angular) = v;
        }
        const bool isStill = pbdrBody_GetKind(self.world, id) == pbdr_bodyStatic && which > 1 && v.x == 0 && v.y == 0 && v.z == 0;
        const pbdrStatus status = isStill     ? pbdr_statusOk
                                  : which < 2 ? pbdrBody_SetPose(self.world, id, pose)
                                              : pbdrBody_SetVelocity(self.world, id, velocity);
        checkValue(status, names[which], value);
    }
    self.refreshAll();
}

// --- The list of bodies ---

struct BodyList {
    nb::object owner;
    World* world;
};

static nb::object getByName(const BodyList& list, nb::handle name)
{
    World& self = *list.world;
    self.get();
    self.findRows();
    for (const pbdrBodyId& id : self.rows) {
        const nb::object& own = self.bodies[size_t(id.index1) - 1].name;
        if (own.is_valid() && own.equal(name)) {
            return makeBody(list.owner, id);
        }
    }
    return nb::object();
}

static bool hasItem(const BodyList& list, nb::handle item)
{
    if (nb::isinstance<Body>(item)) {
        const Body& body = nb::cast<Body&>(item);
        return body.world == list.world && pbdrBody_IsValid(list.world->get(), body.id);
    }
    return nb::isinstance<nb::str>(item) && getByName(list, item).is_valid();
}

static nb::object getItem(const BodyList& list, nb::handle key)
{
    World& self = *list.world;
    self.get();
    self.findRows();
    if (nb::isinstance<nb::str>(key)) {
        nb::object found = getByName(list, key);
        if (!found.is_valid()) {
            throw nb::key_error((std::string("there is no body called ") + nb::repr(key).c_str()).c_str());
        }
        return found;
    }
    Py_ssize_t index = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
    if (PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    index = index < 0 ? index + Py_ssize_t(self.rows.size()) : index;
    if (index < 0 || index >= Py_ssize_t(self.rows.size())) {
        throw nb::index_error("bodies: index out of range");
    }
    return makeBody(list.owner, self.rows[size_t(index)]);
}

static nb::list listBodies(const BodyList& list)
{
    nb::list all;
    list.world->get();
    list.world->findRows();
    for (const pbdrBodyId& id : list.world->rows) {
        all.append(makeBody(list.owner, id));
    }
    return all;
}

static void bindList(nb::module_& m)
{
    nb::class_<BodyList>(m, "BodyList", "A world's bodies, in the order of the rows of its arrays: by number and by name.")
        .def("__len__", [](const BodyList& l) { l.world->get(); l.world->findRows(); return l.world->rows.size(); })
        .def("__getitem__", getItem, "key"_a, nb::sig("def __getitem__(self, key: int | str, /) -> Body"))
        .def("__iter__", [](const BodyList& l) { return nb::iter(listBodies(l)); },
             nb::sig("def __iter__(self) -> collections.abc.Iterator[Body]"))
        .def("__contains__", hasItem, "item"_a.none(), nb::sig("def __contains__(self, item: object, /) -> bool"),
             "Whether there is a body of this name, or this body.")
        .def("keys", [](const BodyList& l) {
                 nb::list names;
                 for (nb::handle body : listBodies(l)) {
                     names.append(body.attr("name"));
                 }
                 return names;
             },
             nb::sig("def keys(self) -> list[str | None]"), "Names, None for bodies without one.")
        .def("__repr__", [](const BodyList& l) {
            const nb::list bodies = listBodies(l);
            std::string text = "<pbdr.BodyList of " + std::to_string(bodies.size());
            for (size_t k = 0; k < bodies.size() && k < 8; k++) {
                text += std::string(k == 0 ? ": " : ", ") + nb::repr(bodies[k].attr("name")).c_str();
            }
            return text + (bodies.size() > 8 ? ", ...>" : ">");
        });
}

static nb::list listPlanes(nb::handle handle)
{
    World& self = nb::cast<World&>(handle);
    nb::list all;
    pbdrWorld* world = self.get();
    std::vector<pbdrPlaneId> ids(size_t(pbdrWorld_GetPlanes(world, nullptr, 0)));
    pbdrWorld_GetPlanes(world, ids.data(), int(ids.size()));
    for (const pbdrPlaneId& id : ids) {
        all.append(makePlane(handle, id));
    }
    return all;
}

void bindViews(nb::module_& m, nb::class_<World>& world)
{
    bindList(m);
    world
        .def_prop_rw("positions", [](World& w) { return getView(w, 0); }, [](World& w, nb::handle v) { setView(w, 0, v); },
                     nb::for_getter(nb::sig("def positions(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def positions(self, value: " LIKE ", /) -> None")),
                     "Centres of mass of all bodies [m], shape (bodies, 3): a read-only view that follows the world until\n"
                     "bodies come or go. Assigning places the bodies.")
        .def_prop_rw("quats", [](World& w) { return getView(w, 1); }, [](World& w, nb::handle v) { setView(w, 1, v); },
                     nb::for_getter(nb::sig("def quats(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def quats(self, value: " LIKE ", /) -> None")),
                     "Quaternions w, x, y, z from body to world axes, shape (bodies, 4): a view as positions.")
        .def_prop_rw("velocities", [](World& w) { return getView(w, 2); }, [](World& w, nb::handle v) { setView(w, 2, v); },
                     nb::for_getter(nb::sig("def velocities(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def velocities(self, value: " LIKE ", /) -> None")),
                     "Velocities of the centres of mass [m/s], shape (bodies, 3): a view as positions.")
        .def_prop_rw("omegas", [](World& w) { return getView(w, 3); }, [](World& w, nb::handle v) { setView(w, 3, v); },
                     nb::for_getter(nb::sig("def omegas(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def omegas(self, value: " LIKE ", /) -> None")),
                     "Angular velocities, world axes [rad/s], shape (bodies, 3): a view as positions.")
        .def_prop_ro("bodies", [](nb::handle self) { return BodyList{nb::borrow(self), &nb::cast<World&>(self)}; },
                     "The bodies: world.bodies[0], world.bodies[\"name\"], iteration, len.")
        .def_prop_ro("planes", listPlanes, nb::sig("def planes(self) -> list[Plane]"), "The planes.");
}
