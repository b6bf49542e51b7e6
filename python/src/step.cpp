// Steps: in pieces, so that Ctrl-C comes through; other threads run meanwhile; flags become warnings or errors.
#include "world.h"

#include <chrono>

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
        flags = stepScene(self, self.world, count);
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

static uint32_t stepWorld(nb::handle handle, World& self, int count, nb::handle callback)
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

void bindSteps(nb::class_<World>& world)
{
    world
        .def("step", stepPython, "n"_a = 1, "callback"_a = nb::none(),
             nb::sig("def step(self, n: int = 1, callback: collections.abc.Callable[[World], object] | None = None) -> StepFlag"),
             "Advances by n substeps and returns what they had to say: StepFlag(0) is all well. Other threads run meanwhile,\n"
             "and Ctrl-C ends it after some 20 ms. callback(world) is called after each substep; it ends the step by returning\n"
             "False. A flag is told as a StepWarning once, or raised as a StepError if the world is strict.");
}
