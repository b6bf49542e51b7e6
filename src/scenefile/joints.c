// Joints and actuators of a scene's world.
#include "scenefile/shapes.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

// An affine motor of a joint: force at control zero, stiffness and damping of its actuators together. A joint whose own
// definition has a motor keeps it.
static void addMotors(const pbdrSceneFile* scene, int index, pbdrJointDef* def)
{
    double most = 0.0;
    for (int k = 0; k < scene->actuatorCount; k++) {
        const pbdrSceneActuator* actuator = &scene->actuators[k];
        if (actuator->joint == index) {
            const double square = actuator->gear * actuator->gear;
            def->motor = pbdr_motorForce;
            def->motorStiffness -= square * actuator->bias[1];
            def->motorDamping -= square * actuator->bias[2];
            most += fabs(actuator->gear) * actuator->maxForce;
            def->maxMotorForce = most;
        }
    }
}

// What the actuators of a joint push with where it is at zero and rests.
static double getTarget(const pbdrSceneWorld* made, int joint)
{
    double force = 0.0;
    for (int k = 0; k < made->scene->actuatorCount; k++) {
        const pbdrSceneActuator* actuator = &made->scene->actuators[k];
        if (actuator->joint == joint) {
            force += actuator->gear * (actuator->gain * made->controls[k] + actuator->bias[0]);
        }
    }
    return force;
}

static double clamp(const pbdrSceneActuator* actuator, double control)
{
    return control < actuator->lower   ? actuator->lower
           : control > actuator->upper ? actuator->upper
                                       : control;
}

static bool isDriven(const pbdrSceneFile* scene, int joint)
{
    bool driven = false;
    for (int k = 0; k < scene->actuatorCount; k++) {
        driven = driven || scene->actuators[k].joint == joint;
    }
    return driven;
}

// Anchors count from the file's frame there, and from the centre of mass here.
static void centreFrame(const pbdrSceneWorld* made, int body, pbdrBodyId* id, pbdrJointFrame* frame)
{
    *id = (pbdrBodyId){0, 0, 0};
    if (body >= 0) {
        *id = made->bodies[body];
        frame->anchor = pbdrSub(frame->anchor, pbdrShape_GetCentre(pbdrBody_GetShape(made->world, *id)));
    }
}

// The number of a scene's body in the order in which the world's were made, static ones by their first geom; -1: the world.
static int getBodyNumber(const pbdrSceneWorld* made, int body)
{
    for (int k = 0; body >= 0 && k < made->idCount; k++) {
        if (made->owners[k] == body) {
            return k;
        }
    }
    return -1;
}

pbdrStatus pbdrMakeSceneJoints(pbdrSceneWorld* made, pbdrRecipe* recipe, pbdrError* error)
{
    const pbdrSceneFile* scene = made->scene;
    pbdrStatus status = pbdr_statusOk;
    for (int k = 0; k < scene->actuatorCount; k++) {
        made->controls[k] = clamp(&scene->actuators[k], scene->actuators[k].control);
    }
    for (int k = 0; status == pbdr_statusOk && k < scene->jointCount; k++) {
        const pbdrSceneJoint* joint = &scene->joints[k];
        pbdrJointDef def = joint->def;
        const bool gear = def.kind == pbdr_jointGear && joint->axes[0] >= 0 && joint->axes[1] >= 0;
        if (gear) {
            def.jointA = made->joints[joint->axes[0]];
            def.jointB = made->joints[joint->axes[1]];
        } else {
            centreFrame(made, joint->bodies[0], &def.bodyA, &def.frameA);
            centreFrame(made, joint->bodies[1], &def.bodyB, &def.frameB);
        }
        if (isDriven(scene, k)) {
            addMotors(scene, k, &def);
            def.motorTarget = getTarget(made, k);
        }
        pbdrError cause;
        status = pbdrCreateJoint(made->world, &def, &made->joints[k], &cause);
        if (status != pbdr_statusOk) {
            return pbdrFail(error, status, "%.200s: joint %d, \"%.60s\": %.200s", scene->path, k, joint->name,
                            cause.message);
        }
        if (recipe != NULL && gear) {
            pbdrRecipe_AddGear(recipe, &def, joint->axes[0], joint->axes[1]);
        } else if (recipe != NULL) {
            pbdrRecipe_AddJoint(recipe, &def, getBodyNumber(made, joint->bodies[0]),
                                getBodyNumber(made, joint->bodies[1]));
        }
    }
    return status;
}

void pbdrSceneWorld_SetControl(pbdrSceneWorld* made, int actuator, double control)
{
    const pbdrSceneFile* scene = made->scene;
    if (PBDR_ASSERT(&made->hooks, actuator >= 0 && actuator < scene->actuatorCount)) {
        const int joint = scene->actuators[actuator].joint;
        made->controls[actuator] = clamp(&scene->actuators[actuator], control);
        pbdrJoint_SetMotorTarget(made->world, made->joints[joint], getTarget(made, joint));
    }
}
