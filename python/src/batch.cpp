// Batches: arrays over worlds and bodies that are the library's own memory.
#include "world.h"

#include <pbdr/gpu.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include <dlfcn.h>

struct Batch {
    pbdrBatch* batch = nullptr;
    pbdrBatchArrays arrays = {};
    nb::object names; // of the bodies: list
    nb::object owner; // the world that it was made of, for copies of single ones
    std::string backend;
    int threads = 1;
    bool busy = false;
    double substepSeconds = 0.0; // what one of all worlds took last, wall time; 0: not known

    ~Batch() { pbdrDestroyBatch(batch); }

    pbdrBatch* get() const
    {
        if (busy) {
            PyErr_SetString(PyExc_RuntimeError, "batch: another thread is stepping it");
            throw nb::python_error();
        }
        return batch;
    }
};

// Steps a world of a scene whose bodies follow ways of their own. context: the World that the batch was made of.
static uint32_t stepAlongWays(void* context, pbdrWorld* world, int count)
{
    return stepScene(*static_cast<const World*>(context), world, count);
}

// What steps the worlds: nullptr for worlds of their own ("cpu"), the kernel for small worlds on the processor ("host") or
// on a CUDA GPU ("gpu"), whose library make gpu builds.
static const pbdrDevice* findDevice(const std::string& backend)
{
    if (backend == "cpu") {
        return nullptr;
    }
    if (backend == "host") {
        return pbdrGetHostDevice();
    }
    if (backend != "gpu") {
        throw nb::value_error(("backend: \"" + backend + "\": wanted \"cpu\", \"host\" or \"gpu\"").c_str());
    }
    const char* named = std::getenv("PBDR_GPU_LIBRARY");
    void* library = dlopen(named != nullptr ? named : "libpbdr-gpu.so", RTLD_NOW | RTLD_LOCAL); // stays: it is the device
    if (library == nullptr) {
        raiseStatus(pbdr_statusNotSupported,
                    std::string("backend: \"gpu\": no libpbdr-gpu.so (make gpu; PBDR_GPU_LIBRARY names it): ") + dlerror());
    }
    const auto get = reinterpret_cast<const pbdrDevice* (*)(pbdrError*)>(dlsym(library, "pbdrGetCudaDevice"));
    pbdrError error = {pbdr_statusNotSupported, "libpbdr-gpu.so has no pbdrGetCudaDevice"};
    const pbdrDevice* device = get != nullptr ? get(&error) : nullptr;
    if (device == nullptr) {
        check(error.status, error);
    }
    return device;
}

static void initBatch(Batch* self, nb::object world, int count, int threads, const std::string& backend)
{
    if (!nb::isinstance<World>(world)) {
        throw nb::type_error("world: wanted a pbdr.World");
    }
    const pbdrDevice* device = findDevice(backend);
    World& first = nb::cast<World&>(world);
    nb::object owner = world.attr("copy")(); // what it is made of: the caller's may go on
    pbdrBatchDef def = pbdrDefaultBatchDef();
    def.count = count;
    def.device = device;
    if (!first.movers.empty()) {
        def.stepper = stepAlongWays;
        def.stepperContext = &nb::cast<World&>(owner);
    }
    def.threads = threads != 0 ? threads : nb::cast<int>(getAttribute("pbdr._batch", "count_cpus")());
    pbdrBatch* batch = nullptr;
    pbdrError error;
    pbdrWorld* from = first.get();
    pbdrStatus status;
    {
        nb::gil_scoped_release release;
        status = pbdrCreateBatch(from, &def, &batch, &error);
    }
    check(status, error);
    new (self) Batch();
    self->batch = batch;
    self->arrays = pbdrBatch_GetArrays(batch);
    self->threads = def.threads;
    self->backend = backend;
    self->names = world.attr("bodies").attr("keys")();
    self->owner = std::move(owner);
}

// --- Steps ---

// Waits for Ctrl-C are no longer than this where a substep of all worlds is not [s]. Worlds are stepped one after another:
// long pieces keep each of them in the cache.
static const double longestPiece = 0.5;

static void takePiece(Batch& self, pbdrBatch* batch, int count)
{
    pbdrError error;
    pbdrStatus status;
    self.busy = true;
    {
        nb::gil_scoped_release release;
        status = pbdrBatch_Step(batch, count, &error);
    }
    self.busy = false;
    check(status, error);
}

static void stepBatch(Batch& self, int count)
{
    using Clock = std::chrono::steady_clock;
    pbdrBatch* batch = self.get();
    if (count < 0) {
        throw nb::value_error("n: a number of substeps is not below zero");
    }
    std::vector<uint32_t> flags(size_t(self.arrays.worldCount), 0);
    for (int done = 0; done == 0 || done < count;) {
        const double fits = self.substepSeconds > 0.0 ? longestPiece / self.substepSeconds : 1.0;
        const int left = count - done, piece = fits < 1.0 ? std::min(left, 1) : fits < left ? int(fits) : left;
        const Clock::time_point begun = Clock::now();
        takePiece(self, batch, piece);
        // a lone substep may have been a cold one: pieces grow by tens at most
        const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        self.substepSeconds = std::max(seconds, 0.1 * longestPiece) / std::max(piece, 1);
        for (size_t w = 0; w < flags.size(); w++) {
            flags[w] |= self.arrays.flags[w];
            self.arrays.flags[w] = flags[w];
        }
        done += piece;
        if (PyErr_CheckSignals() != 0) {
            throw nb::python_error();
        }
        if (count == 0) {
            break;
        }
    }
}

// A mask or indices of worlds as one byte per world; empty for all.
static std::vector<uint8_t> readMask(const Batch& self, nb::handle mask)
{
    std::vector<uint8_t> chosen;
    if (!mask.is_none()) {
        nb::object bytes = getAttribute("pbdr._batch", "read_mask")(mask, self.arrays.worldCount);
        nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu> array;
        if (!nb::try_cast(bytes, array)) {
            throw nb::type_error("mask: wanted one truth value per world");
        }
        chosen.assign(array.data(), array.data() + array.shape(0));
    }
    return chosen;
}

static void resetBatch(Batch& self, nb::handle mask)
{
    const std::vector<uint8_t> chosen = readMask(self, mask);
    pbdrBatch* batch = self.get();
    pbdrError error;
    pbdrStatus status;
    self.busy = true;
    {
        nb::gil_scoped_release release;
        status = pbdrBatch_Reset(batch, mask.is_none() ? nullptr : chosen.data(), &error);
    }
    self.busy = false;
    check(status, error);
}

static void setTargets(Batch& self, int body, nb::handle positions, nb::handle quats, double time, nb::handle mask)
{
    const std::vector<uint8_t> chosen = readMask(self, mask);
    pbdrBatch* batch = self.get();
    const size_t count = size_t(self.arrays.worldCount);
    nb::object broadcast = getAttribute("numpy", "broadcast_to");
    const Rows places = toRows(broadcast(positions, nb::make_tuple(count, 3)), 3, "position");
    std::vector<pbdrPose> poses(count);
    Rows turns;
    if (!quats.is_none()) {
        turns = toRows(broadcast(quats, nb::make_tuple(count, 4)), 4, "quat");
    }
    if (body < 0 || body >= self.arrays.bodyCount) {
        throw nb::index_error("body: there is no such row");
    }
    for (size_t w = 0; w < count; w++) {
        poses[w].position = reinterpret_cast<const pbdrVec3*>(places.data())[w];
        poses[w].rotation = quats.is_none() ? self.arrays.rotations[w * size_t(self.arrays.bodyCount) + size_t(body)]
                                            : reinterpret_cast<const pbdrQuat*>(turns.data())[w];
    }
    pbdrError error;
    check(pbdrBatch_SetTargets(batch, mask.is_none() ? nullptr : chosen.data(), body, poses.data(), time, &error), error);
}

// --- Results ---

static nb::object getHashes(const Batch& self)
{
    pbdrBatch* batch = self.get();
    const size_t count = size_t(self.arrays.worldCount);
    uint64_t* hashes = new uint64_t[count];
    nb::capsule owner(hashes, [](void* memory) noexcept { delete[] static_cast<uint64_t*>(memory); });
    pbdrError error;
    check(pbdrBatch_GetHashes(batch, hashes, &error), error);
    return nb::cast(nb::ndarray<nb::numpy, uint64_t>(hashes, {count}, owner), nb::rv_policy::reference);
}

// Forces of contacts, or their moments.
static nb::object getContacts(Batch& self, bool moments)
{
    const size_t worlds = size_t(self.arrays.worldCount), bodies = size_t(self.arrays.bodyCount);
    nb::object array = makeArray(nullptr, {worlds, bodies, 3});
    nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu> data;
    nb::try_cast(array, data);
    pbdrVec3* to = reinterpret_cast<pbdrVec3*>(data.data());
    pbdrError error;
    check(pbdrBatch_GetContacts(self.get(), moments ? nullptr : to, moments ? to : nullptr, nullptr, &error), error);
    return array;
}

static nb::object getCounts(Batch& self)
{
    const size_t count = size_t(self.arrays.worldCount);
    int32_t* counts = new int32_t[count];
    nb::capsule owner(counts, [](void* memory) noexcept { delete[] static_cast<int32_t*>(memory); });
    pbdrError error;
    check(pbdrBatch_GetContacts(self.get(), nullptr, nullptr, counts, &error), error);
    return nb::cast(nb::ndarray<nb::numpy, int32_t>(counts, {count}, owner), nb::rv_policy::reference);
}

// Steps without a look at the arrays, and leaves them as they are.
static double stepAlone(Batch& self, int count, int launches)
{
    pbdrBatch* batch = self.get();
    double seconds = 0.0;
    pbdrError error;
    pbdrStatus status;
    self.busy = true;
    {
        nb::gil_scoped_release release;
        status = pbdrBatch_StepAlone(batch, count, launches, &seconds, &error);
    }
    self.busy = false;
    check(status, error);
    return seconds;
}

static void fetch(Batch& self)
{
    pbdrError error;
    check(pbdrBatch_Fetch(self.get(), &error), error);
}

// Numbers where the device has them, as an array that any library takes by DLPack: no copy. Worlds stand in blocks of 32, so
// it has their blocks first, the worlds of a block second, and third `width` numbers (0: one, and no third).
static nb::object viewDevice(nb::handle handle, const double* values, int stride, size_t width)
{
    const Batch& self = nb::cast<Batch&>(handle);
    enum { lanes = 32 };
    const size_t shape[3] = {(size_t(self.arrays.worldCount) + lanes - 1) / lanes, lanes, width}, count = width > 0 ? 3 : 2;
    const int64_t strides[3] = {int64_t(stride) * lanes, 1, lanes};
    if (self.backend == "gpu") {
        return nb::cast(nb::ndarray<const double>(values, count, shape, handle, strides, nb::dtype<double>(), nb::device::cuda::value, 0),
                        nb::rv_policy::reference);
    }
    return nb::cast(nb::ndarray<nb::numpy, const double>(values, count, shape, handle, strides), nb::rv_policy::reference);
}

static void needDevice(const Batch& self, const char* what)
{
    if (self.backend == "cpu") {
        raiseStatus(pbdr_statusNotSupported, std::string(what) + ": worlds of their own stand on no device (backend=\"host\" or \"gpu\")");
    }
}

static void needBody(const Batch& self, int body)
{
    if (body < 0 || body >= self.arrays.bodyCount) {
        throw nb::index_error("body: there is no such row");
    }
}

static nb::object viewValues(nb::handle handle, int body)
{
    Batch& self = nb::cast<Batch&>(handle);
    pbdrBatch* batch = self.get();
    int stride = 0;
    needBody(self, body);
    needDevice(self, "device_values");
    const double* values = pbdrBatch_GetDeviceValues(batch, body, &stride);
    return viewDevice(handle, values, stride, 13);
}

static nb::object viewWrenches(nb::handle handle, int body)
{
    Batch& self = nb::cast<Batch&>(handle);
    pbdrBatch* batch = self.get();
    int stride = 0;
    pbdrError error = {};
    needBody(self, body);
    needDevice(self, "device_wrenches");
    const double* values = pbdrBatch_GetDeviceWrenches(batch, body, &stride, &error);
    check(values != nullptr ? pbdr_statusOk : error.status, error);
    return viewDevice(handle, values, stride, 6);
}

static nb::object viewFlags(nb::handle handle)
{
    Batch& self = nb::cast<Batch&>(handle);
    pbdrBatch* batch = self.get();
    int stride = 0;
    needDevice(self, "device_flags");
    const double* values = pbdrBatch_GetDeviceFlags(batch, &stride);
    return viewDevice(handle, values, stride, 0);
}

// A copy of one of the worlds, with the names of the first one.
static nb::object copyOne(Batch& self, int index)
{
    pbdrBatch* batch = self.get();
    if (self.backend != "cpu") {
        raiseStatus(pbdr_statusNotSupported, "world: worlds of a kernel are numbers of the device; backend=\"cpu\" has worlds");
    }
    index = index < 0 ? index + self.arrays.worldCount : index;
    pbdrWorld* one = pbdrBatch_GetWorld(batch, index);
    if (one == nullptr) {
        throw nb::index_error("world: index out of range");
    }
    nb::object result = self.owner.attr("copy")();
    World& world = nb::cast<World&>(result);
    pbdrWorld* copy = nullptr;
    pbdrError error;
    check(pbdrCopyWorld(one, 1, &copy, &error), error);
    world.close();
    world.world = copy;
    for (size_t place = 0; place < world.bodies.size(); place++) {
        BodyRecord& body = world.bodies[place];
        if (!body.alive) {
            continue;
        }
        world.findRows();
        const double mass = pbdrBody_GetMass(copy, world.rows[size_t(world.rowOfPlace[place])]);
        if (mass != pbdrShape_GetMass(nb::cast<Shape&>(body.shape).shape)) {
            body.shape = body.shape.attr("with_mass")(mass);
        }
    }
    return result;
}

#define ARRAY "numpy.typing.NDArray[numpy.float64]"

// An array of the batch; assigning to it fills it, with NumPy's broadcasting.
template <class Value> static void bindArray(nb::class_<Batch>& batch, const char* name, Value* pbdrBatchArrays::*field,
                                             const char* getter, const char* setter, const char* doc)
{
    auto get = [field](nb::handle handle) {
        const Batch& self = nb::cast<Batch&>(handle);
        self.get();
        double* data = reinterpret_cast<double*>(self.arrays.*field);
        const size_t worlds = size_t(self.arrays.worldCount), bodies = size_t(self.arrays.bodyCount);
        constexpr size_t width = sizeof(Value) / sizeof(double);
        return width == 1 ? viewArray(data, {worlds, field == reinterpret_cast<Value * pbdrBatchArrays::*>(
                                                                   &pbdrBatchArrays::planeFrictions)
                                                          ? size_t(self.arrays.planeCount)
                                                          : bodies}, handle, true)
                          : viewArray(data, {worlds, bodies, width}, handle, true);
    };
    auto set = [get](nb::handle handle, nb::handle value) { getAttribute("numpy", "copyto")(get(handle), value); };
    batch.def_prop_rw(name, get, set, nb::for_getter(nb::sig(getter)), nb::for_setter(nb::sig(setter)), doc);
}

#define BIND_ARRAY(name, field, doc)                                                                                             \
    bindArray(batch, #name, &pbdrBatchArrays::field, "def " #name "(self) -> " ARRAY,                                            \
              "def " #name "(self, value: numpy.typing.ArrayLike, /) -> None", doc)

void bindBatch(nb::module_& m)
{
    nb::class_<Batch> batch(m, "Batch",
                            "Many copies of a world with values of their own, stepped by one call on all cores. Arrays have the worlds\n"
                            "first and the bodies second, and are the batch's own memory: writing into them is setting (a pose, velocity,\n"
                            "load, friction or mass), and takes effect at the next step. Every world has the bits that it has on its own.");
    batch.def("__init__", initBatch, "world"_a, "count"_a, "threads"_a = 0, "backend"_a = "cpu",
              nb::sig("def __init__(self, world: World, count: int, threads: int = 0, backend: str = 'cpu') -> None"),
              "Copies the world count times. threads: that step them; 0: one per core. No bit depends on it. backend: \"cpu\", worlds\n"
              "of their own; \"gpu\", the kernel for small worlds on a CUDA device; \"host\", the same kernel, with the same bits, on\n"
              "the processor (docs/gpu.md).");
    batch.def("__repr__", [](const Batch& b) {
        return "<pbdr.Batch of " + std::to_string(b.arrays.worldCount) + " worlds with " + std::to_string(b.arrays.bodyCount) + " bodies each>";
    });
    BIND_ARRAY(position, positions, "Centres of mass [m], shape (worlds, bodies, 3).");
    BIND_ARRAY(quat, rotations, "Quaternions w, x, y, z from body to world axes, shape (worlds, bodies, 4).");
    BIND_ARRAY(velocity, velocities, "Velocities of the centres of mass [m/s], shape (worlds, bodies, 3).");
    BIND_ARRAY(omega, angularVelocities, "Angular velocities, world axes [rad/s], shape (worlds, bodies, 3).");
    BIND_ARRAY(force, forces, "Forces in every substep until changed [N], shape (worlds, bodies, 3).");
    BIND_ARRAY(torque, torques, "Torques in every substep until changed [N m], shape (worlds, bodies, 3).");
    BIND_ARRAY(friction, frictions, "Friction coefficients of bodies, shape (worlds, bodies).");
    BIND_ARRAY(mass, masses, "Masses [kg], shape (worlds, bodies); inertia goes with them. Writing one allocates at the next step.");
    BIND_ARRAY(plane_friction, planeFrictions, "Friction coefficients of planes, shape (worlds, planes).");
    batch
        .def("step", stepBatch, "n"_a = 1, nb::sig("def step(self, n: int = 1) -> None"),
             "Advances every world by n substeps; `flags` says what they had to say. Other threads run meanwhile. Values that no\n"
             "body can have raise InvalidArgumentError before any world has moved.")
        .def("reset", resetBatch, "mask"_a = nb::none(),
             nb::sig("def reset(self, mask: numpy.typing.ArrayLike | None = None) -> None"),
             "Makes the chosen worlds (truth values, one per world, or indices; None: all) what the first world was: state,\n"
             "loads, frictions and masses.")
        .def("set_target", setTargets, "body"_a, "position"_a, "quat"_a = nb::none(), "time"_a = 0.0, "mask"_a = nb::none(),
             nb::sig("def set_target(self, body: int, position: numpy.typing.ArrayLike, quat: numpy.typing.ArrayLike | None = "
                     "None, time: float = 0.0, mask: numpy.typing.ArrayLike | None = None) -> None"),
             "Moves a kinematic body, by its row, to a pose per world (or one for all) in a time [s], as Body.set_target.")
        .def("hash", getHashes, nb::sig("def hash(self) -> numpy.typing.NDArray[numpy.uint64]"), "One per world, as World.hash.")
        .def("contact_force", [](Batch& b) { return getContacts(b, false); }, nb::sig("def contact_force(self) -> " ARRAY),
             "Force of all contacts on each body in the last substep [N], shape (worlds, bodies, 3).")
        .def("contact_moment", [](Batch& b) { return getContacts(b, true); }, nb::sig("def contact_moment(self) -> " ARRAY),
             "Their moment about its centre of mass, with the lever arms at the end of that substep [N m], shape (worlds, bodies, 3).")
        .def("contact_count", getCounts, nb::sig("def contact_count(self) -> numpy.typing.NDArray[numpy.int32]"),
             "Number of contacts in each world, shape (worlds,).")
        .def("step_alone", stepAlone, "n"_a, "launches"_a = 1, nb::sig("def step_alone(self, n: int, launches: int = 1) -> float"),
             "Steps launches times n substeps without a look at the arrays: nothing leaves the device until fetch. Returns the time\n"
             "that it took [s]. backend=\"host\" or \"gpu\".")
        .def("fetch", fetch, nb::sig("def fetch(self) -> None"),
             "Poses, velocities and flags into the arrays; what was written there since the last step is lost.")
        .def("device_values", viewValues, "body"_a = 0, nb::sig("def device_values(self, body: int = 0) -> typing.Any"),
             "Pose (position, quaternion w, x, y, z) and velocity (linear, angular) of a body where the device has them, by DLPack\n"
             "(torch.from_dlpack; NumPy's with backend=\"host\"), without a copy: shape (blocks, 32, 13), world w at\n"
             "[w // 32, w % 32]. It changes as the batch steps. backend=\"host\" or \"gpu\".")
        .def("device_wrenches", viewWrenches, "body"_a = 0, nb::sig("def device_wrenches(self, body: int = 0) -> typing.Any"),
             "Force and moment of a body's contacts (contact_force, contact_moment) likewise, shape (blocks, 32, 6), as of this call:\n"
             "the moments change with the next one.")
        .def("device_flags", viewFlags, nb::sig("def device_flags(self) -> typing.Any"),
             "Flags likewise, as whole numbers, shape (blocks, 32). They change as the batch steps.")
        .def_prop_ro("backend", [](const Batch& b) { return b.backend; }, nb::sig("def backend(self) -> str"), "As given.")
        .def("world", copyOne, "index"_a, nb::sig("def world(self, index: int) -> World"), "A copy of one of the worlds.")
        .def_prop_ro("flags", [](nb::handle handle) {
                         const Batch& self = nb::cast<Batch&>(handle);
                         return nb::cast(nb::ndarray<nb::numpy, const uint32_t>(self.arrays.flags, {size_t(self.arrays.worldCount)}, handle),
                                         nb::rv_policy::reference);
                     }, nb::sig("def flags(self) -> numpy.typing.NDArray[numpy.uint32]"), "Of the last step, StepFlag bits, shape (worlds,).")
        .def_prop_ro("names", [](const Batch& b) { return b.names; }, nb::sig("def names(self) -> list[str | None]"),
                     "Names of the bodies, by row.")
        .def_prop_ro("threads", [](const Batch& b) { return b.threads; }, "Threads that step the worlds.")
        .def_prop_ro("nbytes", [](const Batch& b) { return pbdrBatch_GetByteCount(b.get()); }, "Memory that it holds [bytes].")
        .def("__len__", [](const Batch& b) { return b.arrays.worldCount; });
}
