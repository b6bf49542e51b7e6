// Sensors of a scene's world.
#include "scenefile/shapes.h"

#include "base.h"
#include "math/vec.h"

void pbdrStartSceneSensors(const pbdrSceneWorld* made)
{
    for (int k = 0; k < made->scene->sensorCount; k++) {
        if (made->scene->sensors[k].def.kind == pbdr_sensorAccelerometer) {
            pbdrWorld_SetAccelerations(made->world, true);
        }
    }
}

int pbdrSceneWorld_ReadSensor(const pbdrSceneWorld* made, int sensor, double values[PBDR_SENSOR_VALUES])
{
    const pbdrSceneFile* scene = made->scene;
    if (!PBDR_ASSERT(&made->hooks, sensor >= 0 && sensor < scene->sensorCount)) {
        return 0;
    }
    const pbdrSceneSensor* own = &scene->sensors[sensor];
    pbdrSensorDef def = own->def;
    if (own->joint >= 0) {
        def.joint = made->joints[own->joint];
    }
    if (own->other >= 0) {
        def.other = made->bodies[own->other];
    }
    if (own->body >= 0) {
        // sites count from the file's frame there, and from the centre of mass here
        def.body = made->bodies[own->body];
        if (!pbdrBody_IsValid(made->world, def.body)) {
            return 0;
        }
        def.site.position =
            pbdrSub(def.site.position, pbdrShape_GetCentre(pbdrBody_GetShape(made->world, def.body)));
    }
    return pbdrReadSensor(made->world, &def, values);
}
