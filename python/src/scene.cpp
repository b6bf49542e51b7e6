// Worlds out of scene files: our JSON, read by libpbdr-scenefile. (MJCF and URDF become JSON in pbdr/_mjcf.py.)
#include "world.h"

// --- Scenes ---

static nb::object openScene(const std::string& path, const std::string& text, bool spheresTouch, int spheresPerSide,
                            double sphereRadius)
{
    pbdrSceneFile* file = nullptr;
    pbdrError error;
    check(pbdrLoadScene(path.c_str(), nullptr, &file, &error), error);
    Scene* scene = new Scene;
    scene->file = file;
    scene->path = path;
    scene->text = text;
    scene->spheresTouch = spheresTouch;
    scene->packing = {spheresPerSide, sphereRadius};
    return nb::cast(scene, nb::rv_policy::take_ownership);
}

// The world of a scene; what is not needed of the library's bookkeeping is given back.
static pbdrSceneWorld* build(const Scene& scene, const pbdrWorldDef& def)
{
    pbdrSceneWorld* made = nullptr;
    pbdrError error;
    check(pbdrCreateSceneWorld(scene.file, &def, &scene.packing, &made, &error), error);
    return made;
}

static nb::object holdShape(nb::handle scene, const pbdrShape* shape, int index)
{
    return makeShape(pbdrRetainShape(const_cast<pbdrShape*>(shape)), nb::make_tuple("scene", nb::borrow(scene), index));
}

// For shapes that were pickled.
static nb::object getSceneShape(nb::handle handle, int index)
{
    Scene& scene = nb::cast<Scene&>(handle);
    if (scene.shapes.empty()) {
        pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene.file);
        def.contact = scene.spheresTouch ? pbdr_contactSpheres : pbdr_contactSurface;
        pbdrSceneWorld* made = build(scene, def);
        for (int k = 0; k < made->idCount; k++) {
            scene.shapes.push_back(holdShape(handle, pbdrBody_GetShape(made->world, made->ids[k]), k));
        }
        pbdrDestroySceneWorld(made);
    }
    if (index < 0 || size_t(index) >= scene.shapes.size()) {
        throw nb::index_error("scene: it has no such body");
    }
    nb::object shape = scene.shapes[size_t(index)];
    return shape;
}

// --- Worlds ---

static void recordBody(World& self, nb::handle sceneHandle, const pbdrSceneWorld* made, int k)
{
    const pbdrSceneBody& body = made->scene->bodies[made->owners[k]];
    const pbdrBodyId id = made->ids[k];
    const size_t place = size_t(id.index1) - 1;
    if (place >= self.bodies.size()) {
        self.bodies.resize(place + 1);
    }
    BodyRecord& record = self.bodies[place];
    record.alive = true;
    record.generation = id.generation;
    record.def = pbdrDefaultBodyDef();
    record.def.kind = body.kind;
    record.def.restitution = body.restitution;
    record.def.rollingFriction = body.rollingFriction;
    record.def.spinningFriction = body.spinningFriction;
    record.def.filter = pbdrBody_GetFilter(made->world, id);
    record.shape = holdShape(sceneHandle, pbdrBody_GetShape(made->world, id), k);
    const bool isFirst = k == 0 || made->owners[k - 1] != made->owners[k];
    record.name = isFirst ? nb::object(nb::str(body.name)) : nb::object(nb::none());
    record.userData = nb::none();
    if (body.pointCount > 1) {
        self.movers.push_back(id);
        self.moverOwners.push_back(made->owners[k]);
    }
}

static void recordPlanes(World& self, const pbdrSceneFile* file)
{
    for (int k = 0; k < file->planeCount; k++) {
        const pbdrScenePlane& plane = file->planes[k];
        PlaneRecord record;
        record.alive = true;
        record.generation = 1;
        record.def = pbdrDefaultPlaneDef();
        record.def.normal = plane.normal;
        record.def.offset = plane.offset;
        record.def.friction = plane.friction;
        record.def.rollingFriction = plane.rollingFriction;
        record.def.spinningFriction = plane.spinningFriction;
        record.def.restitution = plane.restitution;
        record.def.filter = plane.filter;
        record.name = nb::str(plane.name);
        self.planes.push_back(record);
    }
}

static nb::object makeWorld(nb::handle sceneHandle, const std::string& solver, nb::object dt, int threads, bool strict,
                            bool events)
{
    Scene& scene = nb::cast<Scene&>(sceneHandle);
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene.file);
    def.solver = toSolver(solver, 2);
    def.timeStep = dt.is_none() ? def.timeStep : nb::cast<double>(dt);
    def.threads = threads;
    def.contactEvents = events;
    def.contact = scene.spheresTouch ? pbdr_contactSpheres : pbdr_contactAuto;
    def.hooks.assertFailed = [](void*, const char*, const char*, int) {};
    pbdrSceneWorld* made = build(scene, def);
    World* self = new World;
    nb::object result = nb::cast(self, nb::rv_policy::take_ownership);
    self->world = made->world;
    self->def = def;
    self->strict = strict;
    self->scene = nb::borrow(sceneHandle);
    nb::list ignored;
    for (int k = 0; k < scene.file->ignoredCount; k++) {
        ignored.append(scene.file->ignored[k]);
    }
    self->ignored = ignored;
    for (int k = 0; k < made->idCount; k++) {
        recordBody(*self, sceneHandle, made, k);
    }
    recordPlanes(*self, scene.file);
    recordJoints(*self, made);
    made->world = nullptr; // it is ours now
    pbdrDestroySceneWorld(made);
    return result;
}

uint32_t stepScene(const World& self, pbdrWorld* world, int count)
{
    if (self.movers.empty()) {
        return pbdrWorld_Step(world, count);
    }
    std::vector<pbdrBodyId> ids = self.movers;
    pbdrBodyId first = {0, 0, 0};
    pbdrWorld_GetBodies(world, &first, 1);
    for (pbdrBodyId& id : ids) {
        id.world = first.world; // copies have the same bodies at the same places
    }
    pbdrSceneWorld made = {};
    made.world = world;
    made.scene = nb::inst_ptr<Scene>(self.scene)->file;
    made.idCount = int(ids.size());
    made.ids = ids.data();
    made.owners = const_cast<int*>(self.moverOwners.data()); // read only
    return pbdrSceneWorld_Step(&made, count);
}

void bindScene(nb::module_& m)
{
    nb::class_<Scene>(m, "_Scene")
        .def("shape", getSceneShape, "index"_a, nb::sig("def shape(self, index: int) -> Shape"))
        .def_prop_ro("duration", [](const Scene& s) { return s.file->duration; })
        .def("__reduce__", [](const Scene& s) {
                 return nb::make_tuple(getAttribute("pbdr._load", "open_text"),
                                       getAttribute("pbdr._load", "describe")(s.path, s.text, s.spheresTouch,
                                                                              s.packing.spheresPerSide, s.packing.sphereRadius));
             }, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
    m.def("_open_scene", openScene, "path"_a, "text"_a, "spheres_touch"_a, "spheres_per_side"_a, "sphere_radius"_a,
          nb::sig("def _open_scene(path: str, text: str, spheres_touch: bool, spheres_per_side: int, sphere_radius: float) -> "
                  "_Scene"));
    m.def("_world_of_scene", makeWorld, "scene"_a, "solver"_a, "dt"_a.none(), "threads"_a, "strict"_a, "events"_a,
          nb::sig("def _world_of_scene(scene: _Scene, solver: str, dt: float | None, threads: int, strict: bool, events: bool) "
                  "-> World"));
}
