// Worlds as Python sees them, and the handles of what is in them.
#ifndef PBDR_PYTHON_WORLD_H
#define PBDR_PYTHON_WORLD_H

#include "shape.h"

#include <pbdr/joint.h>
#include <pbdr/scenefile.h>

#include <string>
#include <vector>

// What a body was made of, by the place that it stands at: enough to make it again.
struct BodyRecord {
    bool alive = false;
    uint32_t generation = 0;
    pbdrBodyDef def = {};
    nb::object shape, name, userData;
    // What acts in the next step only (apply_force), for steps that are taken in pieces
    pbdrVec3 stepForce = {0, 0, 0}, stepTorque = {0, 0, 0};
    bool hasStepForce = false;
};

struct PlaneRecord {
    bool alive = false;
    uint32_t generation = 0;
    pbdrPlaneDef def = {};
    nb::object name;
};

struct JointRecord {
    pbdrJointId id = {0, 0, 0};
    nb::object name;
};

// Arrays over all bodies that follow the world.
struct Views {
    std::vector<double> positions, quats, velocities, omegas;
};

// A scene's file: what shapes are made of, and what moves by itself (scene.cpp).
struct Scene {
    pbdrSceneFile* file = nullptr;
    std::string path, text; // text: the file's, for pickling
    bool spheresTouch = false;
    pbdrScenePacking packing = {};
    std::vector<nb::object>
        shapes; // of all bodies of the world that it makes; empty until they are asked for

    ~Scene()
    {
        pbdrFreeScene(file);
    }
};

struct World {
    pbdrWorld* world = nullptr; // NULL after close()
    pbdrWorldDef def = {};
    bool strict = false;
    bool busy = false;           // a thread is stepping it without the GIL
    bool hasStepForces = false;  // some body has one
    double substepSeconds = 0.0; // what one took last; 0: not known
    uint32_t warned = 0;         // flags that have been told
    std::vector<BodyRecord> bodies;
    std::vector<PlaneRecord> planes;
    std::vector<JointRecord> joints;
    std::vector<double> controls;        // of the scene's actuators
    std::vector<pbdrBodyId> sceneBodies; // of the scene's bodies (world: of any copy), for its sensors
    bool accelerations = false;          // steps note them
    nb::object ignored;                  // what the scene's file has and no world simulates: list of str
    nb::object scene;                    // Scene, or null: it came from no file
    std::vector<pbdrBodyId>
        movers; // bodies that follow a way of the scene (world: of any copy), and their number in it
    std::vector<int> moverOwners;
    std::vector<pbdrContactEvent> events; // of the last step
    // Rows: live bodies in the order of their ids
    bool rowsKnown = false;
    std::vector<pbdrBodyId> rows;
    std::vector<int> rowOfPlace;
    std::vector<int> rowOfPlane;
    Views* views = nullptr; // in the arrays' hands
    nb::object arrays[4];   // positions, quats, velocities, omegas; null before they are asked for

    ~World();
    pbdrWorld* get() const; // raises if it is closed or busy
    pbdrJointId getJoint(size_t place) const;
    void close();
    void findRows();
    void refreshAll();       // the views
    void refresh(int place); // one body's
    void forgetViews();      // bodies came or went
};

struct Body {
    nb::object owner; // the World
    World* world;
    pbdrBodyId id;

    pbdrWorld* get() const; // raises if the body or the world is gone
    BodyRecord& record() const
    {
        return world->bodies[size_t(id.index1) - 1];
    }
};

struct Plane {
    nb::object owner;
    World* world;
    pbdrPlaneId id;

    pbdrWorld* get() const;
};

nb::object makeBody(nb::handle world, pbdrBodyId id);
nb::object makePlane(nb::handle world, pbdrPlaneId id);
// Contacts as a record array, of one body (place >= 0: it stands as body_a) or of all.
nb::object getContacts(World& world, int place);
// World, an empty one, as Python's constructor makes it.
void startWorld(World& world, const pbdrWorldDef& def);
pbdrBodyId addBody(World& world, const pbdrBodyDef& def, nb::object shape, nb::object name,
                   nb::object userData);
pbdrPlaneId addPlane(World& world, const pbdrPlaneDef& def, nb::object name);
// The number in an id that is not of this world any more.
[[noreturn]] void raiseDead(const char* what);
pbdrFilter makeFilter(uint64_t category, uint64_t mask);
void bindSteps(nb::class_<World>& world);
void bindViews(nb::module_& module, nb::class_<World>& world);
void bindQueries(nb::class_<World>& world);
void bindCopies(nb::module_& module, nb::class_<World>& world);
void bindJoints(nb::module_& module, nb::class_<World>& world);
void bindSensors(nb::class_<World>& world);
// The id of a Joint of this world.
pbdrJointId getJointId(nb::handle joint, const World& world);
// Joints as what they were made of, for pickles, and made again where the bodies are now (joints.cpp).
nb::list describeJoints(World& world);
void makeJoints(World& world, nb::handle joints);
// The joints and controls of a scene's world (joints.cpp).
void recordJoints(World& world, const pbdrSceneWorld* made);
// Steps a world, this one's own or one of its copies in a batch, with the motions of its scene (scene.cpp); plain
// pbdrWorld_Step without any. Needs no GIL.
uint32_t stepScene(const World& self, pbdrWorld* world, int count);

#endif
