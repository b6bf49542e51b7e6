// Joints and actuators of a scene's world.
#include "scenefile/shapes.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

// What the actuators of a joint push it with together: (g0 + g1 l + g2 l') c + b0 + b1 l + b2 l' each, times its gear, with
// length l = gear times position, control c.
typedef struct Drive {
    double force, stiffness, damping; // at position zero and rest; what it loses with position and velocity
    double least, most;
} Drive;

static Drive getDrive(const pbdrSceneWorld* made, int joint)
{
    Drive drive = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int k = 0; k < made->scene->actuatorCount; k++) {
        const pbdrSceneActuator* actuator = &made->scene->actuators[k];
        const double gear = actuator->gear, control = made->controls[k];
        if (actuator->joint == joint && gear != 0.0) {
            drive.force += gear * (actuator->gain * control + actuator->bias[0]);
            drive.stiffness -= gear * gear * (actuator->bias[1] + actuator->gainSlopes[0] * control);
            drive.damping -= gear * gear * (actuator->bias[2] + actuator->gainSlopes[1] * control);
            drive.least += gear * (gear > 0.0 ? actuator->minForce : actuator->maxForce);
            drive.most += gear * (gear > 0.0 ? actuator->maxForce : actuator->minForce);
        }
    }
    return drive;
}

static double clampTo(double least, double most, double value)
{
    return value < least ? least : value > most ? most : value;
}

// An affine motor. A joint that has no motor of its own may say what its actuators push it with at most, all together.
static void addMotors(const pbdrSceneWorld* made, int index, pbdrJointDef* def)
{
    const Drive drive = getDrive(made, index);
    const double most = def->maxMotorForce, least = def->minMotorForce == HUGE_VAL ? -most : def->minMotorForce;
    def->motor = pbdr_motorForce;
    def->motorTarget = drive.force;
    def->motorStiffness = drive.stiffness;
    def->motorDamping = drive.damping;
    def->minMotorForce = clampTo(least, most, drive.least);
    def->maxMotorForce = clampTo(least, most, drive.most);
}

static double clamp(const pbdrSceneActuator* actuator, double control)
{
    return clampTo(actuator->lower, actuator->upper, control);
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
            addMotors(made, k, &def);
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
        const Drive drive = getDrive(made, joint);
        pbdrJoint_SetMotorTarget(made->world, made->joints[joint], drive.force);
        pbdrJoint_SetMotorGains(made->world, made->joints[joint], drive.stiffness, drive.damping);
    }
}
