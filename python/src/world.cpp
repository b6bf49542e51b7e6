// Worlds: creation, what is put into them, settings.
#include "world.h"

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
                      double relaxation, const std::string& mixing, std::vector<std::string> ablate, bool events, bool strict,
                      const std::string& effort, double tolerance, int maxNewtonSteps, bool sleeping)
{
    static const char* const parts[] = {"velocity", "linear", "angular", nullptr};
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = toSolver(solver, 1);
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
    def.effort = pbdrEffort(toWord(effort, effortWords, "effort"));
    def.tolerance = tolerance;
    def.maxNewtonSteps = maxNewtonSteps;
    def.sleeping = sleeping;
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
        .def_prop_rw("effort", [](const World& w) { return effortWords[pbdrWorld_GetEffort(w.get())]; },
                     [](World& w, const std::string& v) {
                         pbdrWorld_SetEffort(w.get(), pbdrEffort(toWord(v, effortWords, "effort")));
                     },
                     nb::for_getter(nb::sig("def effort(self) -> str")), "How hard XPBD-R tries: \"fast\", \"balanced\" or \"exact\".")
        .def_prop_rw("tolerance", [](const World& w) { return pbdrWorld_GetTolerance(w.get()); },
                     [](World& w, double v) { setSetting<double, pbdrWorld_SetTolerance>(w, v, "tolerance"); },
                     "Residual over the forces' sum at which an island counts as solved; 0: the default.")
        .def_prop_rw("max_newton_steps", [](const World& w) { return pbdrWorld_GetMaxNewtonSteps(w.get()); },
                     [](World& w, int v) { setSetting<int, pbdrWorld_SetMaxNewtonSteps>(w, v, "max_newton_steps"); },
                     "Newton steps of an island in a substep at most; 0: as the solver sees fit.")
        .def_prop_rw("sleeping", [](const World& w) { return pbdrWorld_HasSleeping(w.get()); },
                     [](World& w, bool v) { setSetting<bool, pbdrWorld_SetSleeping>(w, v, "sleeping"); },
                     "Whether islands at rest are not computed until something disturbs them.")
        .def_prop_ro("asleep", [](const World& w) { return pbdrWorld_CountAsleep(w.get()); }, "Bodies that sleep now.")
        .def_rw("strict", &World::strict, "Whether step raises StepError on a flag, instead of warning once.")
        .def_prop_ro("solver", [](const World& w) { return solverWords[pbdrWorld_GetSolver(w.get())]; },
                     nb::sig("def solver(self) -> str"), "\"pbd\", \"pbd-r\" or \"xpbdr\".")
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

static void closeWorld(World& self)
{
    if (self.busy) {
        self.get(); // raises
    }
    self.close();
}

static nb::object showWorld(nb::handle self, nb::args args, nb::kwargs kwargs)
{
    return getAttribute("pbdr._show", "show")(self, *args, **kwargs);
}

void bindWorld(nb::module_& m)
{
    nb::class_<World> world(m, "World", nb::type_slots(worldSlots), nb::is_weak_referenceable(),
                            "Bodies and planes, and the solver that moves them. SI units, z up, quaternions w, x, y, z.");
    world
        .def("__init__", initWorld, "solver"_a = "xpbdr", "dt"_a = 1e-3, "threads"_a = 1, "contact"_a = "surface",
             "gravity"_a = nb::make_tuple(0.0, 0.0, -9.81), "precision"_a = "f64", "engine"_a = "auto", "iterations"_a = 10,
             "relaxation"_a = 0.9, "mixing"_a = "geometric_mean", "ablate"_a = std::vector<std::string>(), "events"_a = false,
             "strict"_a = false, "effort"_a = "balanced", "tolerance"_a = 0.0, "max_newton_steps"_a = 0, "sleeping"_a = false,
             nb::sig("def __init__(self, solver: str = 'xpbdr', dt: float = 0.001, threads: int = 1, contact: str = 'surface', "
                     "gravity: " LIKE " = (0.0, 0.0, -9.81), precision: str = 'f64', engine: str = 'auto', iterations: int = "
                     "10, relaxation: float = 0.9, mixing: str = 'geometric_mean', ablate: collections.abc.Sequence[str] = (), "
                     "events: bool = False, strict: bool = False, effort: str = 'balanced', tolerance: float = 0.0, "
                     "max_newton_steps: int = 0, sleeping: bool = False) -> None"),
             "An empty world.\n\n"
             "solver: 'xpbdr' (contacts solved to rounding), 'pbd-r' (the paper's) or 'pbd'. dt: substep [s]. threads: of a step;\n"
             "no bit depends on it. contact: what touches, 'surface' (XPBD-R) or 'spheres'. gravity [m/s^2]. precision: 'f64' or\n"
             "'f32'; engine: 'auto', 'particle' or 'reduced'; iterations, relaxation and ablate ('velocity', 'linear',\n"
             "'angular'): of PBD and PBD-R. mixing: how two frictions make one ('geometric_mean', 'minimum', 'maximum',\n"
             "'average'). events: note what begins and ends to touch. strict: raise StepError on a flag of step. Of XPBD-R:\n"
             "effort 'fast', 'balanced' or 'exact', tolerance (residual over the forces' sum; 0: the default), max_newton_steps (0: as\n"
             "the solver sees fit), sleeping (islands at rest are not computed until something disturbs them).")
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
        .def("close", closeWorld,
             "Gives all memory back at once, as the end of a `with` does. Handles of its bodies then raise InvalidIdError.")
        .def("__enter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __enter__(self) -> World"))
        .def("__exit__", [](World& w, nb::args) { closeWorld(w); }, nb::sig("def __exit__(self, *exception: object) -> None"))
        .def("show", showWorld,
             nb::sig("def show(self, *, duration: float = 0.0, trajectory: Recording | str | os.PathLike[str] | None = None, "
                     "picture: bool = False, height: int = 480, azimuth: float = -60.0, elevation: float = 25.0, width: int = 480, "
                     "max_spheres: int = 20000) -> Picture"),
             "For notebooks: the world in the page of `pbdr view`, where one can turn it. duration [s]: a copy of the world runs\n"
             "on for so long, and the page plays it; trajectory: it plays what pbdr.plot.record has seen, or a CSV file. height of\n"
             "the page [pixels]. picture=True, or one of azimuth, elevation [deg], width [pixels] and max_spheres: a picture (SVG),\n"
             "which is also what there is where the page was not built (make web). save(path) of the result writes a file.")
        .def("__repr__", [](World& w) {
            if (w.world == nullptr) {
                return std::string("<pbdr.World, closed>");
            }
            w.findRows();
            return "<pbdr.World " + std::string(solverWords[w.def.solver]) + ", " + std::to_string(w.rows.size()) + " bodies>";
        });
    bindSettings(world);
    bindSteps(world);
    bindViews(m, world);
    bindQueries(world);
    bindCopies(m, world);
    bindJoints(m, world);
    bindSensors(world);
}
