// Worlds: creation, steps with Ctrl-C and flags, settings, arrays over all bodies.
#include "world.h"

#include <chrono>

// --- Life ---

World::~World()
{
    close();
}

static void endAssertion(void*, const char*, const char*, int)
{
    // handles are checked before they are used; what still gets here is refused by a status
}

void World::close()
{
    pbdrDestroyWorld(world);
    world = nullptr;
    forgetViews();
}

pbdrWorld* World::get() const
{
    if (world == nullptr) {
        raiseStatus(pbdr_statusInvalidId, "world: it is closed");
    }
    if (busy) {
        PyErr_SetString(PyExc_RuntimeError, "world: another thread is stepping it");
        throw nb::python_error();
    }
    return world;
}

void startWorld(World& self, const pbdrWorldDef& def)
{
    pbdrError error;
    self.def = def;
    self.def.hooks.assertFailed = endAssertion;
    check(pbdrCreateWorld(&self.def, &self.world, &error), error);
}

static void initWorld(World* self, const std::string& solver, double dt, int threads, const std::string& contact,
                      nb::object gravity, const std::string& precision, const std::string& engine, int iterations,
                      double relaxation, const std::string& mixing, std::vector<std::string> ablate, bool events, bool strict)
{
    static const char* const parts[] = {"velocity", "linear", "angular", nullptr};
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = pbdrSolver(toWord(solver, solverWords, "solver"));
    def.precision = pbdrPrecision(toWord(precision, precisionWords, "precision"));
    def.engine = pbdrEngine(toWord(engine, engineWords, "engine"));
    def.contact = pbdrContactKind(toWord(contact, contactWords, "contact"));
    if (def.contact == pbdr_contactSurface && def.solver != pbdr_solverXpbdR) {
        def.contact = pbdr_contactAuto; // the default: PBD and PBD-R touch by their spheres
    }
    def.mixing = pbdrFrictionMixing(toWord(mixing, mixingWords, "mixing"));
    def.gravity = toVec(gravity, "gravity");
    def.timeStep = dt;
    def.threads = threads;
    def.iterations = iterations;
    def.relaxation = relaxation;
    def.contactEvents = events;
    for (const std::string& part : ablate) {
        def.ablation |= 1u << toWord(part, parts, "ablate");
    }
    new (self) World();
    self->strict = strict;
    self->ignored = nb::list();
    try {
        startWorld(*self, def);
    } catch (...) {
        self->~World();
        throw;
    }
}

// --- Things ---

pbdrFilter makeFilter(uint64_t category, uint64_t mask)
{
    return {category, mask};
}

pbdrBodyId addBody(World& self, const pbdrBodyDef& def, nb::object shape, nb::object name, nb::object userData)
{
    pbdrWorld* world = self.get();
    pbdrBodyId id;
    pbdrError error;
    check(pbdrCreateBodyFromShape(world, &def, nb::cast<Shape&>(shape).shape, &id, &error), error);
    const size_t place = size_t(id.index1) - 1;
    if (place >= self.bodies.size()) {
        self.bodies.resize(place + 1);
    }
    BodyRecord record;
    record.alive = true;
    record.generation = id.generation;
    record.def = def;
    record.shape = std::move(shape);
    record.name = std::move(name);
    record.userData = std::move(userData);
    self.bodies[place] = std::move(record);
    self.forgetViews();
    return id;
}

pbdrPlaneId addPlane(World& self, const pbdrPlaneDef& def, nb::object name)
{
    pbdrWorld* world = self.get();
    pbdrPlaneId id;
    pbdrError error;
    check(pbdrCreatePlane(world, &def, &id, &error), error);
    const size_t place = size_t(id.index1) - 1;
    if (place >= self.planes.size()) {
        self.planes.resize(place + 1);
    }
    self.planes[place] = {true, id.generation, def, std::move(name)};
    self.rowsKnown = false;
    return id;
}

static nb::object addNewPlane(nb::handle self, nb::object normal, double offset, double friction, double restitution,
                              double rolling, double spinning, uint64_t category, uint64_t mask, nb::object name)
{
    pbdrPlaneDef def = pbdrDefaultPlaneDef();
    def.normal = toVec(normal, "normal");
    def.offset = offset;
    def.friction = friction;
    def.restitution = restitution;
    def.rollingFriction = rolling;
    def.spinningFriction = spinning;
    def.filter = makeFilter(category, mask);
    return makePlane(self, addPlane(nb::cast<World&>(self), def, name));
}

static void checkName(World& self, nb::handle name)
{
    if (name.is_none()) {
        return;
    }
    if (!nb::isinstance<nb::str>(name)) {
        throw nb::type_error("name: wanted a str or None");
    }
    for (const BodyRecord& body : self.bodies) {
        if (body.alive && body.name.is_valid() && body.name.equal(name)) {
            throw nb::value_error((std::string("name: there is a body called ") + nb::repr(name).c_str()).c_str());
        }
    }
}

static nb::object addNewBody(nb::handle self, nb::object shape, nb::object position, nb::object quat, nb::object velocity,
                             nb::object omega, double friction, const std::string& kind, double restitution, double rolling,
                             double spinning, uint64_t category, uint64_t mask, nb::object name, nb::object userData)
{
    World& world = nb::cast<World&>(self);
    if (!nb::isinstance<Shape>(shape)) {
        throw nb::type_error("shape: wanted a pbdr.Shape");
    }
    checkName(world, name);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = toVec(position, "position");
    def.rotation = toQuat(quat, "quat");
    def.velocity = {toVec(velocity, "velocity"), toVec(omega, "omega")};
    def.friction = friction;
    def.kind = pbdrBodyKind(toWord(kind, kindWords, "kind"));
    def.restitution = restitution;
    def.rollingFriction = rolling;
    def.spinningFriction = spinning;
    def.filter = makeFilter(category, mask);
    return makeBody(self, addBody(world, def, shape, name, userData));
}

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

// --- Steps ---

// Waits for Ctrl-C are no longer than this [s].
static const double longestPiece = 0.02;

// Forces of the next step only act over all pieces of it, and end with it.
struct StepForces {
    World& self;
    std::vector<size_t> places;

    explicit StepForces(World& world) : self(world)
    {
        for (size_t place = 0; self.hasStepForces && place < self.bodies.size(); place++) {
            if (self.bodies[place].alive && self.bodies[place].hasStepForce) {
                places.push_back(place);
            }
        }
    }

    void applyAgain() const
    {
        for (size_t place : places) {
            const BodyRecord& body = self.bodies[place];
            if (body.alive) {
                const pbdrBodyId id = {int32_t(place) + 1, body.generation, self.rows[0].world};
                pbdrBody_ApplyForce(self.world, id, body.stepForce, pbdrBody_GetPose(self.world, id).position);
                pbdrBody_ApplyTorque(self.world, id, body.stepTorque);
            }
        }
    }

    ~StepForces()
    {
        for (size_t place : places) {
            BodyRecord& body = self.bodies[place];
            body.stepForce = body.stepTorque = {0, 0, 0};
            body.hasStepForce = false;
        }
        self.hasStepForces = false;
    }
};

static uint32_t takePiece(World& self, int count)
{
    self.busy = true;
    uint32_t flags;
    {
        nb::gil_scoped_release release;
        flags = stepScene(self, count);
    }
    self.busy = false;
    if (pbdrWorld_HasContactEvents(self.world)) {
        const size_t before = self.events.size();
        const int more = pbdrWorld_GetContactEvents(self.world, nullptr, 0);
        self.events.resize(before + size_t(more));
        pbdrWorld_GetContactEvents(self.world, self.events.data() + before, more);
    }
    self.refreshAll();
    return flags;
}

static uint32_t takePieces(nb::handle handle, World& self, int count, nb::handle callback)
{
    using Clock = std::chrono::steady_clock;
    self.findRows();
    const StepForces forces(self);
    uint32_t flags = 0;
    const bool calls = !callback.is_none();
    for (int done = 0; done < count && (flags & pbdr_stepNotFinite) == 0;) {
        if (done > 0) {
            self.get(); // the callback may have closed it
            forces.applyAgain();
        }
        const double fits = self.substepSeconds > 0.0 ? longestPiece / self.substepSeconds : 1.0;
        const int left = count - done, piece = calls || fits < 1.0 ? 1 : fits < left ? int(fits) : left;
        const Clock::time_point begun = Clock::now();
        flags |= takePiece(self, piece);
        done += piece;
        const double seconds = std::chrono::duration<double>(Clock::now() - begun).count() / piece;
        // a lone substep may have been a cold one: pieces grow by tens at most
        self.substepSeconds = seconds > 0.1 * longestPiece / piece ? seconds : 0.1 * longestPiece / piece;
        if (calls && callback(handle).is(nb::handle(Py_False))) {
            break;
        }
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
    }
    return flags;
}

uint32_t stepWorld(nb::handle handle, World& self, int count, nb::handle callback)
{
    self.get();
    if (count < 0) {
        throw nb::value_error("n: a number of substeps is not below zero");
    }
    self.events.clear();
    if (count <= 1 && callback.is_none() && !self.hasStepForces) {
        return takePiece(self, count);
    }
    return takePieces(handle, self, count, callback);
}

static nb::object makeFlags(uint32_t flags)
{
    static nb::object* const none = new nb::object(getAttribute("pbdr.errors", "StepFlag")(0)); // for good
    return flags == 0 ? *none : getAttribute("pbdr.errors", "StepFlag")(flags);
}

static nb::object stepPython(nb::handle handle, int count, nb::handle callback)
{
    World& self = nb::cast<World&>(handle);
    const uint32_t flags = stepWorld(handle, self, count, callback);
    nb::object result = makeFlags(flags);
    const uint32_t news = flags & ~self.warned;
    if (flags != 0 && (self.strict || news != 0)) {
        self.warned |= flags;
        getAttribute("pbdr.errors", "tell")(self.strict ? flags : news, self.strict);
    }
    return result;
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
        .def("__contains__", [](const BodyList& l, nb::handle name) { return getByName(l, name).is_valid(); }, "name"_a,
             nb::sig("def __contains__(self, name: object, /) -> bool"))
        .def("keys", [](const BodyList& l) {
                 nb::list names;
                 for (nb::handle body : listBodies(l)) {
                     names.append(body.attr("name"));
                 }
                 return names;
             },
             nb::sig("def keys(self) -> list[str | None]"), "Names, None for bodies without one.");
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

// --- Garbage collection: user data may refer to the world ---

static int traverse(PyObject* object, visitproc visit, void* arg)
{
    Py_VISIT(Py_TYPE(object));
    if (!nb::inst_ready(object)) {
        return 0;
    }
    const World* self = nb::inst_ptr<World>(object);
    for (const BodyRecord& body : self->bodies) {
        Py_VISIT(body.shape.ptr());
        Py_VISIT(body.name.ptr());
        Py_VISIT(body.userData.ptr());
    }
    for (const PlaneRecord& plane : self->planes) {
        Py_VISIT(plane.name.ptr());
    }
    for (const nb::object& array : self->arrays) {
        Py_VISIT(array.ptr());
    }
    Py_VISIT(self->ignored.ptr());
    return 0;
}

static int clear(PyObject* object)
{
    World* self = nb::inst_ptr<World>(object);
    for (BodyRecord& body : self->bodies) {
        body.userData = nb::none();
    }
    return 0;
}

static PyType_Slot worldSlots[] = {
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)}, {Py_tp_clear, reinterpret_cast<void*>(clear)}, {0, nullptr}};

// --- Settings ---

template <class Value, pbdrStatus (*set)(pbdrWorld*, Value)> static void setSetting(World& self, Value value, const char* name)
{
    checkValue(set(self.get(), value), name, nb::cast(value));
}

#define ARRAY "numpy.typing.NDArray[numpy.float64]"
#define LIKE "numpy.typing.ArrayLike"

static void bindSettings(nb::class_<World>& world)
{
    world
        .def_prop_rw("dt", [](const World& w) { return pbdrWorld_GetTimeStep(w.get()); },
                     [](World& w, double v) { setSetting<double, pbdrWorld_SetTimeStep>(w, v, "dt"); }, "Substep [s].")
        .def_prop_rw("gravity", [](const World& w) { return fromVec(pbdrWorld_GetGravity(w.get())); },
                     [](World& w, nb::handle v) { checkValue(pbdrWorld_SetGravity(w.get(), toVec(v, "gravity")), "gravity", v); },
                     nb::for_getter(nb::sig("def gravity(self) -> " ARRAY)),
                     nb::for_setter(nb::sig("def gravity(self, value: " LIKE ", /) -> None")), "Gravity [m/s^2], shape (3,).")
        .def_prop_rw("iterations", [](const World& w) { return pbdrWorld_GetIterations(w.get()); },
                     [](World& w, int v) { setSetting<int, pbdrWorld_SetIterations>(w, v, "iterations"); },
                     "Constraint iterations per substep, of PBD and PBD-R.")
        .def_prop_rw("relaxation", [](const World& w) { return pbdrWorld_GetRelaxation(w.get()); },
                     [](World& w, double v) { setSetting<double, pbdrWorld_SetRelaxation>(w, v, "relaxation"); },
                     "Share of each contact correction applied, 0 to 1, of PBD and PBD-R.")
        .def_rw("strict", &World::strict, "Whether step raises StepError on a flag, instead of warning once.")
        .def_prop_ro("solver", [](const World& w) { return solverWords[pbdrWorld_GetSolver(w.get())]; },
                     nb::sig("def solver(self) -> str"), "\"pbd\", \"pbdr\" or \"xpbdr\".")
        .def_prop_ro("precision", [](const World& w) { return precisionWords[pbdrWorld_GetPrecision(w.get())]; },
                     nb::sig("def precision(self) -> str"), "\"f32\" or \"f64\".")
        .def_prop_ro("engine", [](const World& w) { return engineWords[pbdrWorld_GetEngine(w.get())]; },
                     nb::sig("def engine(self) -> str"), "\"particle\" or \"reduced\".")
        .def_prop_ro("contact", [](const World& w) { return contactWords[pbdrWorld_GetContactKind(w.get())]; },
                     nb::sig("def contact(self) -> str"), "\"surface\" or \"spheres\".")
        .def_prop_ro("mixing", [](const World& w) { return mixingWords[pbdrWorld_GetMixing(w.get())]; },
                     nb::sig("def mixing(self) -> str"), "How two frictions make one.")
        .def_prop_ro("threads", [](const World& w) { w.get(); return w.def.threads; }, "Threads that a step works with.")
        .def_prop_ro("substeps", [](const World& w) { return pbdrWorld_GetSubstepCount(w.get()); }, "Substeps taken.")
        .def_prop_ro("time", [](const World& w) {
                         return double(pbdrWorld_GetSubstepCount(w.get())) * pbdrWorld_GetTimeStep(w.get());
                     }, "Substeps taken times the time step [s].")
        .def_prop_ro("nbytes", [](const World& w) { return pbdrWorld_GetByteCount(w.get()); }, "Memory that it holds [bytes].")
        .def_prop_ro("ignored", [](const World& w) { return w.ignored; }, nb::sig("def ignored(self) -> list[str]"),
                     "What the file that it was loaded from has, and is not simulated: a sentence each.")
        .def_prop_ro("closed", [](const World& w) { return w.world == nullptr; }, "Whether close() was called.");
}

static void bindViews(nb::class_<World>& world)
{
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
                     "Angular velocities, world axes [rad/s], shape (bodies, 3): a view as positions.");
}

static nb::object showWorld(nb::handle self, nb::args args, nb::kwargs kwargs)
{
    return getAttribute("pbdr._show", "show")(self, *args, **kwargs);
}

void bindWorld(nb::module_& m)
{
    nb::class_<World> world(m, "World", nb::type_slots(worldSlots), nb::is_weak_referenceable(),
                            "Bodies and planes, and the solver that moves them. SI units, z up, quaternions w, x, y, z.");
    bindList(m);
    world
        .def("__init__", initWorld, "solver"_a = "xpbdr", "dt"_a = 1e-3, "threads"_a = 1, "contact"_a = "surface",
             "gravity"_a = nb::make_tuple(0.0, 0.0, -9.81), "precision"_a = "f64", "engine"_a = "auto", "iterations"_a = 10,
             "relaxation"_a = 0.9, "mixing"_a = "geometric_mean", "ablate"_a = std::vector<std::string>(), "events"_a = false,
             "strict"_a = false,
             nb::sig("def __init__(self, solver: str = 'xpbdr', dt: float = 0.001, threads: int = 1, contact: str = 'surface', "
                     "gravity: " LIKE " = (0.0, 0.0, -9.81), precision: str = 'f64', engine: str = 'auto', iterations: int = "
                     "10, relaxation: float = 0.9, mixing: str = 'geometric_mean', ablate: collections.abc.Sequence[str] = (), "
                     "events: bool = False, strict: bool = False) -> None"),
             "An empty world.\n\n"
             "solver: 'xpbdr' (contacts solved to rounding), 'pbdr' (the paper's) or 'pbd'. dt: substep [s]. threads: of a step;\n"
             "no bit depends on it. contact: what touches, 'surface' (XPBD-R) or 'spheres'. gravity [m/s^2]. precision: 'f64' or\n"
             "'f32'; engine: 'auto', 'particle' or 'reduced'; iterations, relaxation and ablate ('velocity', 'linear',\n"
             "'angular'): of PBD and PBD-R. mixing: how two frictions make one ('geometric_mean', 'minimum', 'maximum',\n"
             "'average'). events: note what begins and ends to touch. strict: raise StepError on a flag of step.")
        .def("add_plane", addNewPlane, "normal"_a = nb::make_tuple(0.0, 0.0, 1.0), "offset"_a = 0.0, "friction"_a = 0.4,
             "restitution"_a = 0.0, "rolling_friction"_a = 0.0, "spinning_friction"_a = 0.0, "category"_a = 1,
             "mask"_a = UINT64_MAX, "name"_a = nb::none(),
             nb::sig("def add_plane(self, normal: " LIKE " = (0.0, 0.0, 1.0), offset: float = 0.0, friction: float = 0.4, "
                     "restitution: float = 0.0, rolling_friction: float = 0.0, spinning_friction: float = 0.0, category: int = "
                     "1, mask: int = 0xffffffffffffffff, name: str | None = None) -> Plane"),
             "A plane; the half space normal.x < offset [m] is solid. friction: coefficient; restitution 0 to 1;\n"
             "rolling_friction, spinning_friction [m]; category and mask: bits of who touches whom.")
        .def("add_body", addNewBody, "shape"_a, "position"_a = nb::make_tuple(0.0, 0.0, 0.0),
             "quat"_a = nb::make_tuple(1.0, 0.0, 0.0, 0.0), "velocity"_a = nb::make_tuple(0.0, 0.0, 0.0),
             "omega"_a = nb::make_tuple(0.0, 0.0, 0.0), "friction"_a = 0.4, "kind"_a = "dynamic", "restitution"_a = 0.0,
             "rolling_friction"_a = 0.0, "spinning_friction"_a = 0.0, "category"_a = 1, "mask"_a = UINT64_MAX,
             "name"_a = nb::none(), "user_data"_a = nb::none(),
             nb::sig("def add_body(self, shape: Shape, position: " LIKE " = (0.0, 0.0, 0.0), quat: " LIKE
                     " = (1.0, 0.0, 0.0, 0.0), velocity: " LIKE " = (0.0, 0.0, 0.0), omega: " LIKE
                     " = (0.0, 0.0, 0.0), friction: float = 0.4, kind: str = 'dynamic', restitution: float = 0.0, "
                     "rolling_friction: float = 0.0, spinning_friction: float = 0.0, category: int = 1, mask: int = "
                     "0xffffffffffffffff, name: str | None = None, user_data: object = None) -> Body"),
             "A body of a shape. position: of its centre of mass [m]; quat: from body to world axes; velocity of the centre of\n"
             "mass [m/s], omega [rad/s], world axes; friction: coefficient; kind: 'dynamic', 'static' or 'kinematic';\n"
             "restitution 0 to 1; rolling_friction, spinning_friction [m]; category and mask: bits of who touches whom.")
        .def("step", stepPython, "n"_a = 1, "callback"_a = nb::none(),
             nb::sig("def step(self, n: int = 1, callback: collections.abc.Callable[[World], object] | None = None) -> StepFlag"),
             "Advances by n substeps and returns what they had to say: StepFlag(0) is all well. Other threads run meanwhile,\n"
             "and Ctrl-C ends it after some 20 ms. callback(world) is called after each substep; it ends the step by returning\n"
             "False. A flag is told as a StepWarning once, or raised as a StepError if the world is strict.")
        .def_prop_ro("bodies", [](nb::handle self) { return BodyList{nb::borrow(self), &nb::cast<World&>(self)}; },
                     "The bodies: world.bodies[0], world.bodies[\"name\"], iteration, len.")
        .def_prop_ro("planes", listPlanes, nb::sig("def planes(self) -> list[Plane]"), "The planes.")
        .def("close", [](World& w) { if (w.busy) { w.get(); } w.close(); },
             "Gives all memory back at once. Handles of its bodies then raise InvalidIdError.")
        .def("show", showWorld, nb::sig("def show(self, **options: typing.Any) -> typing.Any"),
             "A picture for notebooks (SVG), or the interactive replay where that part is installed.")
        .def("__repr__", [](World& w) {
            if (w.world == nullptr) {
                return std::string("<pbdr.World, closed>");
            }
            w.findRows();
            return "<pbdr.World " + std::string(solverWords[w.def.solver]) + ", " + std::to_string(w.rows.size()) + " bodies>";
        });
    bindSettings(world);
    bindViews(world);
    bindQueries(world);
    bindCopies(m, world);
}
