// What a world can be asked: contacts, events, rays, the nearest surface, the ledger, the profile.
#include "world.h"

#include <cmath>

// Rows as pbdr/_dtypes.py lays them out.
struct ContactRow {
    int32_t bodyA, sphereA, bodyB, sphereB, plane, unused;
    pbdrVec3 point, normal;
    double separation;
    pbdrVec3 force;
};

struct EventRow {
    int32_t begin, bodyA, bodyB, plane;
    uint64_t substep;
};

static int findRow(const std::vector<int>& rows, int index1)
{
    return index1 > 0 && size_t(index1) <= rows.size() ? rows[size_t(index1) - 1] : -1;
}

static pbdrVec3 negate(pbdrVec3 v)
{
    return {-v.x, -v.y, -v.z};
}

nb::object getContacts(World& self, int place)
{
    pbdrWorld* world = self.get();
    self.findRows();
    std::vector<pbdrContact> contacts(size_t(pbdrWorld_GetContacts(world, nullptr, 0)));
    pbdrWorld_GetContacts(world, contacts.data(), int(contacts.size()));
    std::vector<ContactRow> rows;
    rows.reserve(contacts.size());
    for (const pbdrContact& c : contacts) {
        ContactRow row = {findRow(self.rowOfPlace, c.bodyA.index1), c.particleA,
                          findRow(self.rowOfPlace, c.bodyB.index1), c.particleB,
                          findRow(self.rowOfPlane, c.plane.index1), 0,
                          c.point, c.normal, c.separation, c.force};
        if (place >= 0 && c.bodyB.index1 - 1 == place) {
            std::swap(row.bodyA, row.bodyB);
            std::swap(row.sphereA, row.sphereB);
            row.normal = negate(row.normal);
            row.force = negate(row.force);
        } else if (place >= 0 && c.bodyA.index1 - 1 != place) {
            continue;
        }
        rows.push_back(row);
    }
    return makeRecords("CONTACT", rows.data(), rows.size(), sizeof(ContactRow));
}

static nb::object getEvents(World& self)
{
    self.get();
    self.findRows();
    std::vector<EventRow> rows;
    for (const pbdrContactEvent& e : self.events) {
        rows.push_back({e.kind == pbdr_contactBegin, findRow(self.rowOfPlace, e.bodyA.index1),
                        findRow(self.rowOfPlace, e.bodyB.index1), findRow(self.rowOfPlane, e.plane.index1), e.substep});
    }
    return makeRecords("EVENT", rows.data(), rows.size(), sizeof(EventRow));
}

static nb::object makeHit(nb::handle world, const pbdrHit& hit)
{
    nb::object body = hit.body.index1 > 0 ? makeBody(world, hit.body) : nb::object(nb::none());
    nb::object plane = hit.plane.index1 > 0 ? makePlane(world, hit.plane) : nb::object(nb::none());
    return getAttribute("pbdr._dtypes", "Hit")(body, plane, int(hit.particle), fromVec(hit.point), fromVec(hit.normal),
                                               hit.distance);
}

// Queries that mean nothing are refused; the library finds nothing for them.
static pbdrVec3 toPlace(nb::handle value, const char* name, bool turns)
{
    const pbdrVec3 v = toVec(value, name);
    const double square = v.x * v.x + v.y * v.y + v.z * v.z;
    if (!std::isfinite(square) || (turns && !(square > 0.0))) {
        raiseStatus(pbdr_statusInvalidArgument, std::string(name) + ": " + nb::repr(value).c_str() +
                                                    (turns ? " is no direction" : " is not finite"));
    }
    return v;
}

static nb::object castRay(nb::handle handle, nb::handle origin, nb::handle direction, double maxDistance, uint64_t category,
                          uint64_t mask)
{
    pbdrHit hit;
    const pbdrVec3 from = toPlace(origin, "origin", false), along = toPlace(direction, "direction", true);
    pbdrWorld* world = nb::cast<World&>(handle).get();
    return pbdrWorld_CastRay(world, from, along, maxDistance, makeFilter(category, mask), &hit) ? makeHit(handle, hit)
                                                                                                 : nb::object(nb::none());
}

static nb::object findNearest(nb::handle handle, nb::handle point, double maxDistance, uint64_t category, uint64_t mask)
{
    pbdrHit hit;
    const pbdrVec3 at = toPlace(point, "point", false);
    pbdrWorld* world = nb::cast<World&>(handle).get();
    return pbdrWorld_FindNearest(world, at, maxDistance, makeFilter(category, mask), &hit) ? makeHit(handle, hit)
                                                                                            : nb::object(nb::none());
}

static nb::dict takeLedger(World& self)
{
    pbdrLedger row;
    pbdrWorld_TakeLedger(self.get(), &row);
    nb::dict d;
    for (int k = 0; k < PBDR_LEDGER_COLUMNS; k++) {
        d[pbdrGetLedgerColumn(k)] = pbdrLedger_GetValue(&row, k);
    }
    return d;
}

static nb::dict getProfile(World& self)
{
    pbdrProfile p;
    pbdrWorld_GetProfile(self.get(), &p);
    nb::dict d, stages;
    for (int k = 0; k < p.stageCount; k++) {
        stages[p.stages[k].name] = p.stages[k].seconds;
    }
    d["substeps"] = p.substepCount;
    d["stages_s"] = stages;
    d["contacts"] = p.contacts.sum;
    d["candidates"] = p.candidates.sum;
    d["islands"] = p.islands.sum;
    d["newton_steps"] = p.newtonSteps.sum;
    d["not_converged"] = p.unconvergedCount;
    return d;
}

void bindQueries(nb::class_<World>& world)
{
    const double far = HUGE_VAL;
    world
        .def_prop_ro("contacts", [](World& w) { return getContacts(w, -1); },
                     nb::sig("def contacts(self) -> numpy.recarray[typing.Any, typing.Any]"),
                     "Contacts of the last substep as a record array: body_a, body_b, plane (rows of bodies and planes, -1 for\n"
                     "none), sphere_a, sphere_b (-1: by the surface), point [m], normal (towards body_a), separation [m] (< 0 where\n"
                     "they overlap), force on body_a [N].")
        .def_prop_ro("events", getEvents, nb::sig("def events(self) -> numpy.recarray[typing.Any, typing.Any]"),
                     "What began and ended to touch in the last step (World(events=True)): begin, body_a, body_b, plane, substep.")
        .def_prop_rw("events_on", [](const World& w) { return pbdrWorld_HasContactEvents(w.get()); },
                     [](World& w, bool on) { pbdrWorld_SetContactEvents(w.get(), on); }, "Whether steps note events.")
        .def("ray", castRay, "origin"_a, "direction"_a, "max_distance"_a = far, "category"_a = 1, "mask"_a = UINT64_MAX,
             nb::sig("def ray(self, origin: numpy.typing.ArrayLike, direction: numpy.typing.ArrayLike, max_distance: float = "
                     "float('inf'), category: int = 1, mask: int = 0xffffffffffffffff) -> Hit | None"),
             "The first thing on a ray [m], or None.")
        .def("nearest", findNearest, "point"_a, "max_distance"_a = far, "category"_a = 1, "mask"_a = UINT64_MAX,
             nb::sig("def nearest(self, point: numpy.typing.ArrayLike, max_distance: float = float('inf'), category: int = 1, "
                     "mask: int = 0xffffffffffffffff) -> Hit | None"),
             "The surface nearest to a point, or None; the distance [m] is below zero inside.")
        .def_prop_rw("ledger_on", [](const World& w) { return pbdrWorld_HasLedger(w.get()); },
                     [](World& w, bool on) { pbdrWorld_SetLedger(w.get(), on); },
                     "Whether steps keep the ledger (docs/ledger.md). Switching it on starts its sums at zero.")
        .def("take_ledger", takeLedger, nb::sig("def take_ledger(self) -> dict[str, float]"),
             "The ledger's row since the last one: momentum, energies, work, penetration, slip, residual, with their units.")
        .def_prop_rw("profiling", [](const World& w) { return pbdrWorld_IsProfiling(w.get()); },
                     [](World& w, bool on) { pbdrWorld_SetProfiling(w.get(), on); }, "Whether steps measure their stages.")
        .def_prop_ro("profile", getProfile, nb::sig("def profile(self) -> dict[str, typing.Any]"),
                     "Seconds per stage, and counts, since profiling was switched on.");
}
