// Defaults of a joint's definition, and the checks that none passes without.
#include "world/definition.h"

#include "base.h"
#include "math/vec.h"

// Any value that uninitialised memory, or another definition, is unlikely to hold.
#define JOINT_COOKIE 0x70626a64u

static const pbdrJointDef defaultJoint = {
    .cookie = JOINT_COOKIE,
    .kind = pbdr_jointBall,
    .frameA = {.axis = {0.0, 0.0, 1.0}},
    .frameB = {.axis = {0.0, 0.0, 1.0}},
    .length = 1.0,
    .lower = -HUGE_VAL,
    .upper = HUGE_VAL,
    .maxMotorForce = HUGE_VAL,
    .coefficients = {0.0, 1.0, 0.0, 0.0, 0.0},
    .minMotorForce = HUGE_VAL,
};

void pbdrInitJointDef(pbdrJointDef* def, size_t size)
{
    pbdrInitDef(def, size, &defaultJoint, sizeof defaultJoint);
}

#define REFUSE(...) return pbdrFail(error, pbdr_statusInvalidArgument, __VA_ARGS__)

static pbdrStatus checkFrame(const pbdrJointFrame* frame, const char* name, pbdrError* error)
{
    if (!pbdrIsFiniteVec(frame->anchor) || !pbdrIsFiniteVec(frame->axis) || !pbdrIsFiniteVec(frame->side)) {
        REFUSE("joint: %s: an anchor, axis or side is not finite", name);
    }
    const double axis = pbdrLength(frame->axis), side = pbdrLength(frame->side);
    if (!(axis > 0.0) || !isfinite(axis)) {
        REFUSE("joint: %s.axis: (%g, %g, %g) has no direction", name, frame->axis.x, frame->axis.y,
               frame->axis.z);
    }
    if (side > 0.0 && !(pbdrLength(pbdrCross(frame->axis, frame->side)) > 1.0e-6 * axis * side)) {
        REFUSE("joint: %s.side: (%g, %g, %g) is along the axis", name, frame->side.x, frame->side.y,
               frame->side.z);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkGain(double gain, const char* name, pbdrError* error)
{
    if (!(gain >= 0.0) || !isfinite(gain)) {
        REFUSE("joint: %s: %g is not finite and at least 0", name, gain);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkMotor(const pbdrJointDef* def, pbdrError* error)
{
    if (!isfinite(def->motorStiffness) || !isfinite(def->motorDamping)) {
        REFUSE("joint: motorStiffness, motorDamping: %g and %g are not finite", def->motorStiffness,
               def->motorDamping);
    }
    const double least = def->minMotorForce;
    if (least == HUGE_VAL && !(def->maxMotorForce >= 0.0)) {
        REFUSE("joint: maxMotorForce: %g is not at least 0", def->maxMotorForce);
    }
    if (least != HUGE_VAL && !(least <= def->maxMotorForce)) {
        REFUSE("joint: minMotorForce, maxMotorForce: %g is not below %g", least, def->maxMotorForce);
    }
    if (least != HUGE_VAL && least != -def->maxMotorForce && def->motor == pbdr_motorVelocity) {
        REFUSE("joint: minMotorForce: a motor to a velocity pushes as much both ways");
    }
    return pbdr_statusOk;
}

static pbdrStatus checkAxis(const pbdrJointDef* def, pbdrError* error)
{
    const struct {
        double gain;
        const char* name;
    } gains[] = {
        {def->stiffness, "stiffness"},
        {def->damping, "damping"},
        {def->friction, "friction"},
        {def->armature, "armature"},
    };
    bool plain = def->motor == pbdr_motorNone && def->lower == -HUGE_VAL && def->upper == HUGE_VAL &&
                 def->motorStiffness == 0.0 && def->motorDamping == 0.0;
    for (size_t k = 0; k < sizeof gains / sizeof gains[0]; k++) {
        const pbdrStatus status = checkGain(gains[k].gain, gains[k].name, error);
        if (status != pbdr_statusOk) {
            return status;
        }
        plain = plain && gains[k].gain == 0.0;
    }
    if (!(def->lower <= def->upper)) {
        REFUSE("joint: lower, upper: %g is not below %g", def->lower, def->upper);
    }
    if (def->motor < pbdr_motorNone || def->motor > pbdr_motorPosition) {
        REFUSE("joint: motor: %d is out of range", (int)def->motor);
    }
    const pbdrStatus status = checkMotor(def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (!isfinite(def->motorTarget) || !isfinite(def->reference)) {
        REFUSE("joint: motorTarget, reference: %g and %g are not finite", def->motorTarget, def->reference);
    }
    if (def->kind == pbdr_jointBall) {
        if (def->motor != pbdr_motorNone || def->motorStiffness != 0.0 || def->motorDamping != 0.0 ||
            def->lower != -HUGE_VAL || def->reference != 0.0) {
            REFUSE("joint: a ball has no motor, lower bound and reference");
        }
        if (!(def->upper > 0.0)) {
            REFUSE("joint: upper: a ball's bound of %g rad is not above zero; what may not turn is fixed",
                   def->upper);
        }
    } else if (!plain && def->kind != pbdr_jointHinge && def->kind != pbdr_jointSlide &&
               def->kind != pbdr_jointSpan) {
        REFUSE("joint: only a ball, a hinge, a slide or a span has bounds, springs, dampers, friction and "
               "armature, and all but a ball motors");
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrReadJointDef(const pbdrJointDef* callers, pbdrJointDef* def, pbdrError* error)
{
    *def = defaultJoint;
    pbdrStatus status = pbdrReadDef(callers, "pbdrDefaultJointDef", def, sizeof *def, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (def->kind < pbdr_jointBall || def->kind > pbdr_jointGear) {
        REFUSE("joint: kind: %d is out of range", (int)def->kind);
    }
    for (int k = 0; k < 5; k++) {
        if (!isfinite(def->coefficients[k])) {
            REFUSE("joint: coefficients: %g is not finite", def->coefficients[k]);
        }
    }
    status = checkFrame(&def->frameA, "frameA", error);
    if (status == pbdr_statusOk) {
        status = checkFrame(&def->frameB, "frameB", error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    if ((pbdrLength(def->frameA.side) > 0.0) != (pbdrLength(def->frameB.side) > 0.0)) {
        REFUSE("joint: one frame has a side and the other has none");
    }
    if (!(def->length > 0.0) || !isfinite(def->length)) {
        REFUSE("joint: length: %g m is not above zero", def->length);
    }
    return checkAxis(def, error);
}
