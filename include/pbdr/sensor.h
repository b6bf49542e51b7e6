// Sensors: what a robot would measure, read from a world between steps. A sensor is a definition and nothing more: it has no
// state, no noise and no delay, and any number of them may be read.
//
//     pbdrSensorDef def = pbdrDefaultSensorDef();
//     def.kind = pbdr_sensorAccelerometer;
//     def.body = hand;
//     double values[PBDR_SENSOR_VALUES];
//     pbdrWorld_SetAccelerations(world, true);  // before the step
//     ...
//     int count = pbdrReadSensor(world, &def, values);
//
// Forces and accelerations are means over the last substep; positions and velocities are those of its end.
#ifndef PBDR_SENSOR_H
#define PBDR_SENSOR_H

#include "pbdr/joint.h"

#ifdef __cplusplus
extern "C" {
#endif

// The most numbers that a sensor has.
#define PBDR_SENSOR_VALUES 4

typedef enum pbdrSensorKind {
    // Of a joint
    pbdr_sensorJointPosition = 0, // [rad, m]
    pbdr_sensorJointVelocity = 1, // [rad/s, m/s]
    pbdr_sensorJointForce = 2,    // along its axis: motor, spring, damper, friction, bounds [N m, N]
    // What a joint does to the body, at and about the site, in its axes. Without a joint: what contacts with `other` do, or
    // with all that the body touches
    pbdr_sensorForce = 3,  // [N], 3
    pbdr_sensorTorque = 4, // [N m], 3
    // Of the site, in its axes
    pbdr_sensorAccelerometer =
        5, // acceleration less gravity [m/s^2], 3; of the last substep (pbdrWorld_SetAccelerations)
    pbdr_sensorGyro = 6,        // angular velocity [rad/s], 3
    pbdr_sensorVelocimeter = 7, // [m/s], 3
    pbdr_sensorTouch = 8,       // sum of normal forces of the body's contacts in the zone about the site [N]
    // Of the site, in world axes
    pbdr_sensorPosition = 9,         // [m], 3
    pbdr_sensorRotation = 10,        // quaternion w, x, y, z
    pbdr_sensorLinearVelocity = 11,  // [m/s], 3
    pbdr_sensorAngularVelocity = 12, // [rad/s], 3
} pbdrSensorKind;

// The zone of a touch sensor, about the site and along its axes.
typedef enum pbdrZoneKind {
    pbdr_zoneAll = 0,       // the whole body
    pbdr_zoneEllipsoid = 1, // half axes `zone`
    pbdr_zoneBox = 2,       // half sizes `zone`
    pbdr_zoneCapsule = 3,   // along z: zone.x is the radius, zone.z half the length of the axis
    pbdr_zoneCylinder = 4,  // the same, with flat ends
} pbdrZoneKind;

typedef struct pbdrSensorDef {
    uint32_t cookie; // set by pbdrDefaultSensorDef
    uint32_t size;   // likewise [bytes]
    pbdrSensorKind kind;
    pbdrJointId joint;
    pbdrBodyId body, other; // other: null for any
    pbdrPose site;          // in the body's rest axes, from its centre of mass; default there, along the axes
    pbdrZoneKind zoneKind;
    pbdrVec3 zone; // [m]
} pbdrSensorDef;

// Every field set to its default (types.h).
PBDR_API void pbdrInitSensorDef(pbdrSensorDef* def, size_t size);

static inline pbdrSensorDef pbdrDefaultSensorDef(void)
{
    pbdrSensorDef def;
    pbdrInitSensorDef(&def, sizeof def);
    return def;
}

// How many numbers a sensor of a kind has: 1, 3 or 4.
PBDR_API int pbdrCountSensorValues(pbdrSensorKind kind);

// Writes the numbers and returns how many; 0 where the joint or the body is not there, and for a definition that
// pbdrDefaultSensorDef did not make.
PBDR_API int pbdrReadSensor(const pbdrWorld* world, const pbdrSensorDef* def,
                            double values[PBDR_SENSOR_VALUES]);

// Whether substeps keep the velocities of their begin, which accelerations need. Off in new worlds and copies.
PBDR_API void pbdrWorld_SetAccelerations(pbdrWorld* world, bool on);
// Of the centre of mass and angular, in the last substep, world axes [m/s^2, rad/s^2]; zero where none was noted.
PBDR_API pbdrVelocity pbdrBody_GetAcceleration(const pbdrWorld* world, pbdrBodyId id);

#ifdef __cplusplus
}
#endif

#endif
