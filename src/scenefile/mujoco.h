// MuJoCo's library, opened while the program runs: its headers say what an mjModel is, and who does not read MJCF needs
// nothing of it.
#ifndef PBDR_SCENEFILE_MUJOCO_H
#define PBDR_SCENEFILE_MUJOCO_H

#include "scenefile/memory.h"

#include <mujoco/mujoco.h>

typedef struct pbdrMujoco {
    void* library;
    int (*version)(void);
    const char* (*versionString)(void);
    mjModel* (*loadXml)(const char* path, const mjVFS* vfs, char* message, int size);
    void (*deleteModel)(mjModel* model);
    mjData* (*makeData)(const mjModel* model);
    void (*resetToKeyframe)(const mjModel* model, mjData* data, int key);
    void (*deleteData)(mjData* data);
    void (*findPoses)(const mjModel* model, mjData* data); // mj_kinematics
    const char* (*getName)(const mjModel* model, int type, int id);
    void (**userWarning)(const char* text);
} pbdrMujoco;

// Finds the library: PBDR_MUJOCO in the environment, then the one that this process has or the loader finds, then the
// one that the build found. pbdr_statusNotSupported without one of the headers' version.
pbdrStatus pbdrOpenMujoco(const pbdrSceneFile* scene, pbdrMujoco* mujoco, pbdrError* error);
void pbdrCloseMujoco(pbdrMujoco* mujoco);

// A compiled model and the poses that it starts with, while it becomes a scene.
typedef struct pbdrModelReader {
    pbdrSceneFile* scene;
    pbdrError* error;
    pbdrMujoco mujoco;
    mjModel* model;
    mjData* data;
    int*
        roots; // of each body: the one that it moves with: a body with joints or a mocap body, or the world (0)
    int* bodies;             // of each root: its index in the scene; -1: it stands
    int* joints;             // of each joint: its index in the scene
    pbdrVelocity* motions;   // of each root: of what moves with it at the world's origin
    int* meshes;             // of each mesh: its index in the scene; -1: not yet there
    uint32_t classes[64][2]; // contype and conaffinity of those geoms that differ in them
    int classCount;
} pbdrModelReader;

static inline pbdrVec3 pbdrGetModelVec(const mjtNum* n)
{
    return (pbdrVec3){n[0], n[1], n[2]};
}

static inline pbdrQuat pbdrGetModelQuat(const mjtNum* n)
{
    return (pbdrQuat){n[0], n[1], n[2], n[3]};
}

// Whether a geom can touch anything.
static inline bool pbdrIsColliding(const mjModel* model, int geom)
{
    return model->geom_contype[geom] != 0 || model->geom_conaffinity[geom] != 0;
}

// The name of something, or "body 7" in memory of the scene where it has none; never NULL but without memory.
const char* pbdrNameObject(pbdrModelReader* reader, int type, const char* kind, int id);

// Whether an actuator is a constant force and torque on a free body, through and about its centre of mass and along the
// world's axes: one without gain whose bias is constant. Those are simulated.
bool pbdrIsConstantForce(const pbdrModelReader* reader, int actuator, int* body);

// Actuators with one output each; those with several or none are left out.
int pbdrCountActuators(const mjModel* model);

// mjcf_joints.c: joints, equalities, exclusions and actuators, once the bodies are there.
pbdrStatus pbdrReadJoints(pbdrModelReader* reader);
// Where the frame of a body is at the start.
pbdrPose pbdrGetModelFrame(const pbdrModelReader* reader, int body);
// A direction or a place of the world in the frame of a scene body; -1: the world's own.
pbdrVec3 pbdrTurnInto(const pbdrSceneFile* scene, int body, pbdrVec3 direction);
pbdrVec3 pbdrMoveInto(const pbdrSceneFile* scene, int body, pbdrVec3 place);
// Whether an actuator is on a hinge or slide.
bool pbdrIsOnAxis(const mjModel* model, int actuator);
// Whether it is one that is simulated.
bool pbdrIsAffine(const pbdrModelReader* reader, int actuator);

// mjcf_sensors.c: once bodies and joints are there. False without memory.
bool pbdrReadSensors(pbdrModelReader* reader);
// Whether a sensor is one that is read.
bool pbdrIsKnownSensor(const pbdrModelReader* reader, int sensor);

// mjcf_equalities.c: as joints and gears, once the joints are there. False without memory.
bool pbdrReadEqualities(pbdrModelReader* reader);
// Whether an equality is one that is simulated.
bool pbdrIsKnownEquality(const mjModel* model, int equality);

// mjcf_geoms.c: a geom of the model in a frame. False where it is nothing that is simulated (listed then), or on failure
// (*status).
bool pbdrReadGeom(pbdrModelReader* reader, int id, pbdrPose frame, pbdrSceneGeom* geom, pbdrStatus* status);

// mjcf_ignored.c: lists what is not simulated. False without memory.
bool pbdrListIgnored(pbdrModelReader* reader);

// mjcf_custom.c: <custom> elements whose names begin with pbdr_.
pbdrStatus pbdrReadCustom(pbdrModelReader* reader);
// The keyframe to start from, -1: none; *status is set where the one that is named is not there.
int pbdrFindKeyframe(pbdrModelReader* reader, pbdrStatus* status);

#endif
