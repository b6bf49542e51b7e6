// What masses are fitted to: spheres and a solid whose numbers a fit can work with.
#include "geometry/mass_target.h"

#include "base.h"
#include "math/sym3.h"
#include "math/vec.h"

// Inertias may be this unsymmetrical, and break the triangle inequality by as much, as a share of the trace:
// rounding of data with nine digits.
#define INERTIA_TOLERANCE 1.0e-8

pbdrStatus pbdrCheckMassSet(const pbdrSphereSet* set, pbdrError* error)
{
    if (set->count < 1) {
        return pbdrFail(error, pbdr_statusNoParticles, "set: no spheres to give masses to");
    }
    for (int i = 0; i < set->count; i++) {
        if (!pbdrIsFiniteVec(set->positions[i])) {
            return pbdrFail(error, pbdr_statusInvalidArgument, "positions[%d]: (%g, %g, %g) m is not finite",
                            i, set->positions[i].x, set->positions[i].y, set->positions[i].z);
        }
        if (!isfinite(set->masses[i]) || !(set->masses[i] > 0.0)) {
            return pbdrFail(error, pbdr_statusInvalidArgument,
                            "masses[%d]: %g kg is not finite and above zero", i, set->masses[i]);
        }
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrFindSecondMoments(const pbdrMassProperties* target, pbdrMat3* second, pbdrError* error)
{
    if (!isfinite(target->mass) || !(target->mass > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass: %g kg is not finite and above zero",
                        target->mass);
    }
    if (!pbdrIsFiniteVec(target->centre)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "centre: (%g, %g, %g) m is not finite",
                        target->centre.x, target->centre.y, target->centre.z);
    }
    double trace = target->inertia.m[0][0] + target->inertia.m[1][1] + target->inertia.m[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double entry = target->inertia.m[i][j], mirrored = target->inertia.m[j][i];
            if (!(fabs(entry - mirrored) <= INERTIA_TOLERANCE * fabs(trace)) || !isfinite(trace)) {
                return pbdrFail(error, pbdr_statusInvalidArgument,
                                "inertia: m[%d][%d] = %g and m[%d][%d] = %g kg m^2 are not finite and equal",
                                i, j, entry, j, i, mirrored);
            }
            second->m[i][j] = (i == j ? 0.5 * trace : 0.0) - 0.5 * (entry + mirrored);
        }
    }
    double values[3];
    pbdrMat3 axes;
    pbdrSymEigen(second, values, &axes);
    if (values[0] < -INERTIA_TOLERANCE * fabs(trace)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "inertia: no solid has the principal moments %g, %g and %g kg m^2, as the largest "
                        "exceeds the sum of the others",
                        values[0] + values[1], values[0] + values[2], values[1] + values[2]);
    }
    return pbdr_statusOk;
}
