// A world's state as bytes, copies, and pickling: a world is described by what it was made of, and made again.
#include "world.h"

#include <algorithm>

// --- State ---

static nb::bytes getState(const World& self)
{
    pbdrWorld* world = self.get();
    std::vector<char> bytes(pbdrWorld_GetStateSize(world));
    pbdrError error;
    check(pbdrWorld_GetState(world, bytes.data(), bytes.size(), &error), error);
    return nb::bytes(bytes.data(), bytes.size());
}

static void setState(World& self, nb::bytes state)
{
    pbdrError error;
    check(pbdrWorld_SetState(self.get(), state.c_str(), state.size(), &error), error);
    self.events.clear();
    for (BodyRecord& body : self.bodies) {
        body.hasStepForce = false; // the state has its own, for a step in one piece
        body.stepForce = body.stepTorque = {0, 0, 0};
    }
    self.hasStepForces = false;
    self.refreshAll();
}

static void saveSnapshot(const World& self, nb::handle path, uint64_t key)
{
    pbdrError error;
    const std::string name = nb::cast<std::string>(getAttribute("os", "fspath")(path));
    check(pbdrWorld_SaveSnapshot(self.get(), key, name.c_str(), &error), error);
}

static void loadSnapshot(World& self, nb::handle path, uint64_t key)
{
    pbdrError error;
    const std::string name = nb::cast<std::string>(getAttribute("os", "fspath")(path));
    check(pbdrWorld_LoadSnapshot(self.get(), key, name.c_str(), &error), error);
    self.events.clear();
    self.refreshAll();
}

// --- Copies ---

static nb::object copyWorld(const World& self, bool deep)
{
    pbdrWorld* copy = nullptr;
    pbdrError error;
    check(pbdrCopyWorld(self.get(), 0, &copy, &error), error);
    World* other = new World;
    nb::object result = nb::cast(other, nb::rv_policy::take_ownership);
    other->world = copy;
    other->def = self.def;
    other->strict = self.strict;
    other->warned = self.warned;
    other->bodies = self.bodies;
    other->planes = self.planes;
    other->joints = self.joints;
    other->controls = self.controls;
    other->sceneBodies = self.sceneBodies;
    other->accelerations = self.accelerations;
    if (self.accelerations) {
        pbdrWorld_SetAccelerations(copy, true);
    }
    other->ignored = self.ignored;
    other->scene = self.scene;
    other->movers = self.movers;
    other->moverOwners = self.moverOwners;
    other->hasStepForces = self.hasStepForces;
    for (BodyRecord& body : other->bodies) {
        if (deep && body.alive) {
            body.userData = getAttribute("copy", "deepcopy")(body.userData);
        }
    }
    return result;
}

// --- Pickling ---

static nb::tuple describeFilter(pbdrFilter filter)
{
    return nb::make_tuple(filter.category, filter.mask);
}

static pbdrFilter readFilter(nb::handle filter)
{
    return {nb::cast<uint64_t>(filter[0]), nb::cast<uint64_t>(filter[1])};
}

static nb::dict describeSettings(const World& self)
{
    const pbdrWorldDef& d = self.def;
    nb::dict s;
    s["solver"] = int(d.solver);
    s["precision"] = int(d.precision);
    s["engine"] = int(d.engine);
    s["contact"] = int(d.contact);
    s["mixing"] = int(d.mixing);
    s["ablation"] = d.ablation;
    s["threads"] = d.threads;
    s["events"] = pbdrWorld_HasContactEvents(self.world);
    s["strict"] = self.strict;
    return s;
}

static pbdrWorldDef readSettings(nb::handle s)
{
    pbdrWorldDef d = pbdrDefaultWorldDef();
    d.solver = pbdrSolver(nb::cast<int>(s["solver"]));
    d.precision = pbdrPrecision(nb::cast<int>(s["precision"]));
    d.engine = pbdrEngine(nb::cast<int>(s["engine"]));
    d.contact = pbdrContactKind(nb::cast<int>(s["contact"]));
    d.mixing = pbdrFrictionMixing(nb::cast<int>(s["mixing"]));
    d.ablation = nb::cast<uint32_t>(s["ablation"]);
    d.threads = nb::cast<int>(s["threads"]);
    d.contactEvents = nb::cast<bool>(s["events"]);
    return d;
}

// Where an engine of particles holds those of a body: their order is part of the state.
static uintptr_t getParticlePlace(const World& self, pbdrBodyId id)
{
    const pbdrArrayView x = pbdrBody_GetParticles(self.world, id).x;
    return x.f64 != nullptr ? uintptr_t(x.f64) : uintptr_t(x.f32);
}

static nb::list describeBodies(World& self)
{
    nb::list all;
    self.findRows();
    for (size_t place = 0; place < self.bodies.size(); place++) {
        const BodyRecord& b = self.bodies[place];
        if (!b.alive) {
            all.append(nb::make_tuple(b.generation));
            continue;
        }
        const pbdrBodyId id = self.rows[size_t(self.rowOfPlace[place])];
        size_t order = 0;
        for (const pbdrBodyId& other : self.rows) {
            order += getParticlePlace(self, other) < getParticlePlace(self, id);
        }
        all.append(nb::make_tuple(b.generation, order, int(b.def.kind), b.def.restitution, b.def.rollingFriction,
                                  b.def.spinningFriction, describeFilter(b.def.filter), b.shape, b.name, b.userData));
    }
    return all;
}

static nb::list describePlanes(const World& self)
{
    nb::list all;
    for (const PlaneRecord& p : self.planes) {
        const pbdrVec3 n = p.def.normal;
        all.append(nb::make_tuple(p.alive, p.generation, nb::make_tuple(n.x, n.y, n.z), p.def.offset, p.def.friction,
                                  p.def.restitution, p.def.rollingFriction, p.def.spinningFriction, describeFilter(p.def.filter),
                                  p.name));
    }
    return all;
}

// Where bodies are, so that joints can be made; the state places them again, with all its bits.
static nb::list describePoses(World& self)
{
    nb::list all;
    self.findRows();
    for (const pbdrBodyId& id : self.rows) {
        const pbdrPose p = pbdrBody_GetPose(self.world, id);
        all.append(nb::make_tuple(p.position.x, p.position.y, p.position.z, p.rotation.w, p.rotation.x, p.rotation.y,
                                  p.rotation.z));
    }
    return all;
}

static void placeBodies(World& self, nb::handle poses)
{
    self.rowsKnown = false;
    self.findRows();
    size_t row = 0;
    for (nb::handle p : poses) {
        double n[7];
        for (int k = 0; k < 7; k++) {
            n[k] = nb::cast<double>(p[k]);
        }
        pbdrBody_SetPose(self.world, self.rows[row++], {{n[0], n[1], n[2]}, {n[3], n[4], n[5], n[6]}});
    }
}

static nb::tuple reduceWorld(World& self)
{
    self.get();
    nb::list movers;
    for (size_t k = 0; k < self.movers.size(); k++) {
        movers.append(nb::make_tuple(self.movers[k].index1, self.moverOwners[k]));
    }
    nb::dict parts;
    parts["settings"] = describeSettings(self);
    parts["bodies"] = describeBodies(self);
    parts["planes"] = describePlanes(self);
    parts["joints"] = describeJoints(self);
    parts["controls"] = self.controls;
    parts["accelerations"] = self.accelerations;
    parts["poses"] = describePoses(self);
    parts["state"] = getState(self);
    parts["scene"] = self.scene.is_valid() ? self.scene : nb::object(nb::none());
    parts["movers"] = movers;
    nb::list sceneBodies;
    for (const pbdrBodyId& id : self.sceneBodies) {
        sceneBodies.append(id.index1);
    }
    parts["scene bodies"] = sceneBodies;
    parts["ignored"] = self.ignored;
    parts["version"] = pbdrVersion();
    return nb::make_tuple(getAttribute("pbdr._load", "make_again"), nb::make_tuple(parts));
}

// Makes planes again at their places: those that are gone were made, too.
static void makePlanes(World& self, nb::handle planes)
{
    std::vector<pbdrPlaneId> gone;
    for (nb::handle p : planes) {
        pbdrPlaneDef def = pbdrDefaultPlaneDef();
        def.normal = toVec(p[2], "normal");
        def.offset = nb::cast<double>(p[3]);
        def.friction = nb::cast<double>(p[4]);
        def.restitution = nb::cast<double>(p[5]);
        def.rollingFriction = nb::cast<double>(p[6]);
        def.spinningFriction = nb::cast<double>(p[7]);
        def.filter = readFilter(p[8]);
        pbdrPlaneId id = addPlane(self, def, p[9]);
        while (id.generation < nb::cast<uint32_t>(p[1])) {
            pbdrDestroyPlane(self.world, id);
            id = addPlane(self, def, p[9]);
        }
        if (!nb::cast<bool>(p[0])) {
            gone.push_back(id);
        }
    }
    for (const pbdrPlaneId& id : gone) {
        pbdrDestroyPlane(self.world, id);
        self.planes[size_t(id.index1) - 1].alive = false;
    }
}

// Makes bodies again at their places and with their generations, in the order in which the engine held them. Balls keep
// places until their body's turn comes; a place's first body comes without a ball, for places are made in their order.
struct BodyMaker {
    World& self;
    nb::object ball = getAttribute("pbdr._core", "Shape").attr("ball")(1.0, 1.0);
    std::vector<pbdrBodyId> ids;

    explicit BodyMaker(World& world) : self(world) {}

    void keepPlace() { ids.push_back(addBody(self, pbdrDefaultBodyDef(), ball, nb::none(), nb::none())); }

    // Balls come and go until the place has seen so many.
    void raise(size_t place, uint32_t generation)
    {
        while (ids[place].generation < generation) {
            pbdrDestroyBody(self.world, ids[place]);
            ids[place] = addBody(self, pbdrDefaultBodyDef(), ball, nb::none(), nb::none());
        }
    }

    void make(size_t place, nb::handle b)
    {
        const uint32_t generation = nb::cast<uint32_t>(b[0]);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.kind = pbdrBodyKind(nb::cast<int>(b[2]));
        def.restitution = nb::cast<double>(b[3]);
        def.rollingFriction = nb::cast<double>(b[4]);
        def.spinningFriction = nb::cast<double>(b[5]);
        def.filter = readFilter(b[6]);
        while (ids.size() < place || (ids.size() == place && generation > 1)) {
            keepPlace();
        }
        if (ids.size() > place) {
            raise(place, generation - 1);
            pbdrDestroyBody(self.world, ids[place]);
        } else {
            ids.push_back({});
        }
        ids[place] = addBody(self, def, b[7], b[8], b[9]);
    }
};

static void makeBodies(World& self, nb::handle bodies)
{
    std::vector<nb::object> all;
    std::vector<size_t> order;
    BodyMaker maker(self);
    for (nb::handle b : bodies) {
        if (nb::len(b) > 1) {
            order.push_back(all.size());
        }
        all.push_back(nb::borrow(b));
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return nb::cast<size_t>(all[a][1]) < nb::cast<size_t>(all[b][1]); });
    for (size_t place : order) {
        maker.make(place, all[place]);
    }
    while (maker.ids.size() < all.size()) {
        maker.keepPlace();
    }
    for (size_t place = 0; place < all.size(); place++) {
        if (nb::len(all[place]) == 1) {
            maker.raise(place, nb::cast<uint32_t>(all[place][0]));
        }
    }
    for (size_t place = 0; place < all.size(); place++) {
        if (nb::len(all[place]) == 1) {
            pbdrDestroyBody(self.world, maker.ids[place]);
            BodyRecord gone;
            gone.generation = maker.ids[place].generation;
            self.bodies[place] = gone;
        }
    }
}

static nb::object makeAgain(nb::dict parts)
{
    World* self = new World;
    nb::object result = nb::cast(self, nb::rv_policy::take_ownership);
    self->ignored = parts["ignored"];
    self->strict = nb::cast<bool>(parts["settings"]["strict"]);
    startWorld(*self, readSettings(parts["settings"]));
    makePlanes(*self, parts["planes"]);
    makeBodies(*self, parts["bodies"]);
    nb::object scene = parts["scene"];
    if (!scene.is_none()) {
        self->scene = scene;
    }
    for (nb::handle mover : parts["movers"]) {
        const size_t place = nb::cast<size_t>(mover[0]) - 1;
        self->movers.push_back({int32_t(place) + 1, self->bodies[place].generation, 0});
        self->moverOwners.push_back(nb::cast<int>(mover[1]));
    }
    if (nb::len(nb::handle(nb::object(parts["joints"][0]))) > 0) {
        placeBodies(*self, parts["poses"]);
        makeJoints(*self, parts["joints"]);
    }
    self->controls = nb::cast<std::vector<double>>(parts["controls"]);
    for (nb::handle place : parts["scene bodies"]) {
        const int32_t index = nb::cast<int32_t>(place);
        self->sceneBodies.push_back({index, index > 0 ? self->bodies[size_t(index) - 1].generation : 0, 0});
    }
    self->accelerations = nb::cast<bool>(parts["accelerations"]);
    pbdrWorld_SetAccelerations(self->world, self->accelerations);
    self->forgetViews();
    setState(*self, nb::cast<nb::bytes>(parts["state"]));
    return result;
}

void bindCopies(nb::module_& m, nb::class_<World>& world)
{
    world
        .def_prop_rw("state", getState, setState, nb::for_getter(nb::sig("def state(self) -> bytes")),
                     nb::for_setter(nb::sig("def state(self, value: bytes, /) -> None")),
                     "Everything that changes as the world runs. A world made by the same calls goes on from it bit for bit.")
        .def("hash", [](const World& w) { return pbdrWorld_GetHash(w.get()); },
             "64 bits of all poses and velocities: for checks that two runs have the same bits.")
        .def("save_snapshot", saveSnapshot, "path"_a, "key"_a = 0,
             nb::sig("def save_snapshot(self, path: str | os.PathLike[str], key: int = 0) -> None"),
             "The state as a file that is written whole or not at all (docs/state.md).")
        .def("load_snapshot", loadSnapshot, "path"_a, "key"_a = 0,
             nb::sig("def load_snapshot(self, path: str | os.PathLike[str], key: int = 0) -> None"), "Goes on from such a file.")
        .def("copy", [](const World& w) { return copyWorld(w, false); }, nb::sig("def copy(self) -> World"),
             "An independent world that goes on bit for bit as this one. Shapes and user data are shared.")
        .def("__copy__", [](const World& w) { return copyWorld(w, false); }, nb::sig("def __copy__(self) -> World"))
        .def("__deepcopy__", [](const World& w, nb::handle) { return copyWorld(w, true); }, "memo"_a,
             nb::sig("def __deepcopy__(self, memo: typing.Any, /) -> World"))
        .def("__reduce__", reduceWorld, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
    m.def("_make_again", makeAgain, "parts"_a, nb::sig("def _make_again(parts: dict[str, typing.Any]) -> World"));
}
