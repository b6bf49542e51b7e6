// Gears: the position of one axis goes with that of another, theta_B = p(theta_A), p a polynomial (docs/theory/joints.md).
//
//   row: theta_B - p(theta_A);   its derivative: (that of B's axis) - p' (that of A's axis), by up to four bodies
//
// A gear is a row of its own beside the axes' own ones, which keep their springs, motors and bounds.
#include "engine/xpbdr/mechanism.h"

static const pbdrJoint* getGear(const pbdrMechanism* mechanism, const pbdrActiveGear* gear)
{
    return pbdrGetJoint(mechanism->world->scene, gear->joint);
}

void pbdrGetGearRow(const pbdrActiveGear* gear, const pbdrActiveJoint* joints, int side, bool acts,
                    double row[6])
{
    const pbdrActiveJoint* axis = &joints[gear->axes[side / 2]];
    const double* own = (acts ? &axis->begin : &axis->end)->jacobians[side % 2][PBDR_JOINT_AXIS];
    const double factor = side / 2 == 0 ? -gear->ratios[acts ? 0 : 1] : 1.0;
    for (int i = 0; i < 6; i++) {
        row[i] = factor * own[i];
    }
}

void pbdrStartGears(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrActiveGear* gear = &mechanism->gears[k];
        const double place = mechanism->joints[gear->axes[0]].axis.place;
        gear->ratios[0] = gear->ratios[1] = pbdrGetGearRatio(getGear(mechanism, gear), place);
        gear->push = gear->pull = gear->best = 0.0;
    }
}

double pbdrPlaceGears(const pbdrMechanism* mechanism)
{
    double worst = 0.0;
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrActiveGear* gear = &mechanism->gears[k];
        const double leader = mechanism->joints[gear->axes[0]].axis.at;
        gear->ratios[1] = pbdrGetGearRatio(getGear(mechanism, gear), leader);
        gear->gap =
            mechanism->joints[gear->axes[1]].axis.at - pbdrGetGearPosition(getGear(mechanism, gear), leader);
        worst = fabs(gear->gap) <= worst ? worst : fabs(gear->gap); // also of NaN
    }
    return worst;
}

void pbdrPushGears(const pbdrMechanism* mechanism, bool atEnd)
{
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrActiveGear* gear = &mechanism->gears[k];
        *(atEnd ? &gear->pull : &gear->push) +=
            pbdrGetSide(mechanism->system, mechanism->system->firstGear + k)[0];
    }
}

void pbdrKeepGears(const pbdrMechanism* mechanism, bool again)
{
    for (int k = 0; k < mechanism->gearCount; k++) {
        pbdrActiveGear* gear = &mechanism->gears[k];
        *(again ? &gear->push : &gear->best) = again ? gear->best : gear->push;
    }
}

void pbdrNoteGears(const pbdrMechanism* mechanism)
{
    for (int k = 0; k < mechanism->gearCount; k++) {
        const pbdrActiveGear* gear = &mechanism->gears[k];
        pbdrJoint* joint = pbdrGetJoint(mechanism->world->scene, gear->joint);
        joint->axisForce = (gear->push + gear->pull) / mechanism->dt;
        joint->forces[0] = 0.0;
    }
}
