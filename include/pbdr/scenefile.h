// Scenes out of files: bodies, planes, gravity and motions as plain data, and the world that they make. A library of
// its own (libpbdr-scenefile), so that who needs no files links none of it.
//
//   .json  our own format (docs/scenes.md), which pbdr export writes: always readable
//   .xml, .urdf  MJCF and URDF, compiled by MuJoCo's own library and taken from its mjModel, so that defaults, includes,
//          meshes, units and inertia mean what they mean there. What is not simulated here is listed by name.
//
//     pbdrSceneFile* scene;
//     if (pbdrLoadScene("tower.xml", NULL, &scene, &error) == pbdr_statusOk) {
//         pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
//         def.solver = pbdr_solverXpbdR;
//         pbdrSceneWorld* run;
//         if (pbdrCreateSceneWorld(scene, &def, NULL, &run, &error) == pbdr_statusOk) {
//             pbdrSceneWorld_Step(run, 1000);
//         ...
#ifndef PBDR_SCENEFILE_H
#define PBDR_SCENEFILE_H

#include "pbdr/joint.h"
#include "pbdr/sensor.h"
#include "pbdr/shape.h"
#include "pbdr/world.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PBDR_SCENE_SCHEMA "pbdr-scene/2"

// --- What a scene is ---

typedef enum pbdrGeomKind {
    pbdr_geomBall = 0,     // radius
    pbdr_geomCapsule = 1,  // along z of its frame: radius, halfLength of its axis
    pbdr_geomBox = 2,      // half
    pbdr_geomCylinder = 3, // along z of its frame: radius, halfLength
    pbdr_geomMesh = 4,     // mesh
} pbdrGeomKind;

// A piece of a body. All pieces of a body are welded together.
typedef struct pbdrSceneGeom {
    const char* name; // may be empty
    pbdrGeomKind kind;
    pbdrPose pose;     // in the body's frame
    pbdrVec3 half;     // box: half sizes [m]
    double radius;     // ball, capsule, cylinder [m]
    double halfLength; // capsule, cylinder [m]
    int mesh;          // index into the scene's meshes, whose frame is the geom's
    int sphereCount;   // at most so many spheres are packed into it; 0: as the options say
    double spacing;    // of contact points along a mesh's edges and in its facets [m]; 0: a fifth of the extent
} pbdrSceneGeom;

typedef struct pbdrSceneMesh {
    const char* name;
    pbdrMesh mesh;
    bool open; // terrain and sheets, solid behind their facets: for static and kinematic bodies
} pbdrSceneMesh;

// A place on the way of a kinematic body, which moves from one to the next at constant velocity.
typedef struct pbdrScenePoint {
    double time;   // [s], rising along the way
    pbdrPose pose; // of the body's frame
} pbdrScenePoint;

// Poses are those of the body's frame, as the file has it. Its origin need not be the centre of mass.
typedef struct pbdrSceneBody {
    const char* name; // never empty, and no two bodies have the same
    pbdrBodyKind kind;
    int geomCount;
    pbdrSceneGeom* geoms;
    bool untouchable;         // nothing that it has collides
    pbdrMassProperties solid; // in the body's frame; of static and kinematic bodies not read
    pbdrPose start;
    pbdrVelocity velocity;  // of the centre of mass, world axes
    pbdrVec3 force, torque; // all the time, through and about the centre of mass, world axes [N, N m]
    pbdrVec3 acceleration;  // of a kinematic body, constant: it is at start + v t + a t^2/2 [m/s^2]
    double friction;
    double rollingFriction, spinningFriction; // [m]
    double restitution;
    pbdrFilter filter;
    int pointCount;
    pbdrScenePoint* points; // of a kinematic body's way; before the first it stands there, and after the last
    // Spheres that the file gives, for worlds whose bodies touch by them; count 0: none. Positions are in the
    // body's frame moved to the spheres' centre of mass, which starts at sphereStart.
    pbdrSphereSet spheres;
    pbdrPose sphereStart;
} pbdrSceneBody;

typedef struct pbdrScenePlane {
    const char* name;
    pbdrVec3 normal; // unit, out of the solid
    double offset;   // [m]
    double friction;
    double rollingFriction, spinningFriction; // [m]
    double restitution;
    pbdrFilter filter;
} pbdrScenePlane;

// A joint (pbdr/joint.h). Frames are in the bodies' frames as the file has them, or in world axes; bodyA, bodyB, jointA and
// jointB of the definition are not read. Joints need XPBD-R.
typedef struct pbdrSceneJoint {
    const char* name; // may be empty; no two joints have the same one else
    int bodies[2];    // A and B, by index into bodies; -1: the world
    int axes[2];      // of a gear: two joints before it, by index into joints
    pbdrJointDef def;
} pbdrSceneJoint;

// What drives a hinge, a slide or a span: with gear times gain control + bias[0] + bias[1] gear position + bias[2] gear
// velocity (MJCF's affine actuators), gear times maxForce at most. Those of a joint add up.
typedef struct pbdrSceneActuator {
    const char* name;
    int joint; // index into joints
    double gear, gain;
    double gainSlopes[2]; // what the gain grows by with length and velocity (MJCF: affine gains)
    double bias[3];
    double lower, upper; // of the control
    double control;      // at the start
    double minForce, maxForce; // [N, N m]
} pbdrSceneActuator;

// A sensor (pbdr/sensor.h). Its site is in the body's frame as the file has it; ids of the definition are not read.
typedef struct pbdrSceneSensor {
    const char* name;
    int body, other, joint; // by index into bodies and joints; -1: none
    pbdrSensorDef def;
} pbdrSceneSensor;

// A scene. Made by pbdrLoadScene; everything that it points to is its own.
typedef struct pbdrSceneFile {
    const char* path; // as given
    const char* name; // may be empty
    pbdrVec3 gravity; // [m/s^2]
    double timeStep;  // [s]
    double duration;  // [s]; 0: the file does not say
    pbdrFrictionMixing mixing;
    // How it is solved (pbdrWorldDef)
    pbdrEffort effort;
    double tolerance;   // 0: the default
    int maxNewtonSteps; // 0: as the solver sees fit
    bool sleeping;
    int sphereCount; // that a geom is packed with at most, for those that do not say; 0: as the options say
    int bodyCount;
    pbdrSceneBody* bodies;
    int planeCount;
    pbdrScenePlane* planes;
    int meshCount;
    pbdrSceneMesh* meshes;
    int jointCount;
    pbdrSceneJoint* joints;
    int actuatorCount;
    pbdrSceneActuator* actuators;
    int sensorCount;
    pbdrSceneSensor* sensors;
    // What the file has and no world here simulates, or simulates otherwise: a sentence each, with names.
    int ignoredCount;
    const char** ignored;
    pbdrHooks hooks;
    void* memory; // the library's
} pbdrSceneFile;

// Whether this build was made with MuJoCo's headers, so that it can read MJCF and URDF where its library is found.
PBDR_API bool pbdrCanLoadMjcf(void);

// Reads a scene by its name's ending: .json, or .xml and .urdf. hooks may be NULL; MuJoCo takes its own memory
// besides. On failure *scene is NULL. Messages begin with the path, and name line and value where the file has lines.
//
// pbdr_statusFileNotFound: cannot be opened or read; pbdr_statusFileFormat: damaged, or a value that no scene has;
// pbdr_statusNotSupported: MJCF or URDF without MuJoCo's library, whose path PBDR_MUJOCO may say.
PBDR_API pbdrStatus pbdrLoadScene(const char* path, const pbdrHooks* hooks, pbdrSceneFile** scene,
                                  pbdrError* error);
PBDR_API void pbdrFreeScene(pbdrSceneFile* scene);

// --- The world of a scene ---

// How geoms are packed with spheres, where neither they nor the scene say. All-zero is the default. Worlds whose
// bodies touch by their surfaces only need the spheres for queries and pictures.
typedef struct pbdrScenePacking {
    int spheresPerSide;  // of boxes and cylinders, along the shortest side; 0: 4, fewer for long ones
    double sphereRadius; // in its place, for all but balls [m]
} pbdrScenePacking;

// A world with what is needed to run it as the scene says.
typedef struct pbdrSceneWorld {
    pbdrWorld* world;
    const pbdrSceneFile* scene; // must outlive this
    pbdrBodyId* bodies; // of scene->bodies, in their order. Of a static or kinematic body with several
                        // geoms, which has a body for each: the first
    int idCount;
    pbdrBodyId* ids;     // all of them
    int* owners;         // whose, by index into scene->bodies
    pbdrJointId* joints; // of scene->joints, in their order
    double* controls;    // of scene->actuators, as set: pbdrSceneWorld_SetControl
    pbdrHooks hooks;
} pbdrSceneWorld;

// Definition of a world with the scene's gravity, time step, mixing and ways of solving, and XPBD-R as the solver; change
// what differs.
PBDR_API pbdrWorldDef pbdrSceneFile_GetWorldDef(const pbdrSceneFile* scene);

// Makes the world; bodies with the same geoms and weight share a shape. packing may be NULL. The definition's hooks
// serve everything. On failure *made is NULL, and the message names the body.
PBDR_API pbdrStatus pbdrCreateSceneWorld(const pbdrSceneFile* scene, const pbdrWorldDef* def,
                                         const pbdrScenePacking* packing, pbdrSceneWorld** made,
                                         pbdrError* error);
PBDR_API void pbdrDestroySceneWorld(pbdrSceneWorld* made);

// As pbdrWorld_Step, with the motions of the scene's kinematic bodies. Which target they have follows from the
// world's substep count alone, so that a world whose state was loaded goes on as it should.
PBDR_API uint32_t pbdrSceneWorld_Step(pbdrSceneWorld* made, int substepCount);

// What an actuator is told, within its range. It is part of the world's state by what it makes of the joint's motor.
PBDR_API void pbdrSceneWorld_SetControl(pbdrSceneWorld* made, int actuator, double control);

// The numbers of scene->sensors[sensor] (pbdrReadSensor), and how many. Worlds of scenes with accelerometers note
// accelerations.
PBDR_API int pbdrSceneWorld_ReadSensor(const pbdrSceneWorld* made, int sensor,
                                       double values[PBDR_SENSOR_VALUES]);

// Where the frame of scene->bodies[index] is, and how its origin moves.
PBDR_API pbdrPose pbdrSceneWorld_GetPose(const pbdrSceneWorld* made, int index);
PBDR_API pbdrVelocity pbdrSceneWorld_GetVelocity(const pbdrSceneWorld* made, int index);

#ifdef __cplusplus
}
#endif

#endif
