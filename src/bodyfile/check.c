// What a body's numbers may be.
#include "bodyfile/check.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

static bool isWithin(double value, double most)
{
    return fabs(value) <= most; // false for NaN
}

static pbdrStatus checkSpheres(const pbdrSphereSet* set, pbdrError* error)
{
    if (set->count < 1) {
        return pbdrFail(error, pbdr_statusNoParticles, "centers: there are no spheres");
    }
    for (int i = 0; i < set->count; i++) {
        const double values[] = {set->positions[i].x, set->positions[i].y, set->positions[i].z};
        for (int k = 0; k < 3; k++) {
            if (!isWithin(values[k], PBDR_BODY_MAX_LENGTH)) {
                return pbdrFail(error, pbdr_statusFileFormat, "centers[%d][%d]: %g m is not within %g m", i,
                                k, values[k], PBDR_BODY_MAX_LENGTH);
            }
        }
        double r = set->radii[i], m = set->masses[i];
        if (!(r >= PBDR_BODY_MIN_RADIUS && r <= PBDR_BODY_MAX_LENGTH)) {
            return pbdrFail(error, pbdr_statusFileFormat, "radii[%d]: %g m is not between %g and %g m", i, r,
                            PBDR_BODY_MIN_RADIUS, PBDR_BODY_MAX_LENGTH);
        }
        if (!(m > 0.0 && m <= PBDR_BODY_MAX_MASS)) {
            return pbdrFail(error, pbdr_statusFileFormat,
                            "masses[%d]: %g kg is not above 0 and at most %g kg", i, m, PBDR_BODY_MAX_MASS);
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus checkTensor(const pbdrMat3* tensor, const char* key, pbdrError* error)
{
    double largest = 0.0;
    for (int i = 0; i < 9; i++) {
        double value = tensor->m[i / 3][i % 3];
        if (!isWithin(value, PBDR_BODY_MAX_MASS)) {
            return pbdrFail(error, pbdr_statusFileFormat, "%s[%d][%d]: %g kg m^2 is not within %g kg m^2",
                            key, i / 3, i % 3, value, PBDR_BODY_MAX_MASS);
        }
        largest = fmax(largest, fabs(value));
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3;
        if (fabs(tensor->m[i][j] - tensor->m[j][i]) > PBDR_BODY_AGREEMENT * largest) {
            return pbdrFail(error, pbdr_statusFileFormat, "%s: not symmetric: [%d][%d] is %g, [%d][%d] %g",
                            key, i, j, tensor->m[i][j], j, i, tensor->m[j][i]);
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus checkSolid(const pbdrBodyFile* body, pbdrError* error)
{
    const pbdrMassProperties* solid = &body->solid;
    double sum = 0.0;
    for (int i = 0; i < body->spheres.count; i++) {
        sum += body->spheres.masses[i];
    }
    if (!(solid->mass > 0.0 && solid->mass <= PBDR_BODY_MAX_MASS)) {
        return pbdrFail(error, pbdr_statusFileFormat, "mass: %g kg is not above 0 and at most %g kg",
                        solid->mass, PBDR_BODY_MAX_MASS);
    }
    if (fabs(sum - solid->mass) > PBDR_BODY_AGREEMENT * solid->mass) {
        return pbdrFail(error, pbdr_statusFileFormat, "masses: they add up to %.9g kg, but mass is %.9g kg",
                        sum, solid->mass);
    }
    const double centre[] = {solid->centre.x, solid->centre.y, solid->centre.z};
    for (int k = 0; k < 3; k++) {
        if (!isWithin(centre[k], PBDR_BODY_MAX_LENGTH)) {
            return pbdrFail(error, pbdr_statusFileFormat, "com[%d]: %g m is not within %g m", k, centre[k],
                            PBDR_BODY_MAX_LENGTH);
        }
    }
    if (!(solid->volume >= 0.0 && isfinite(solid->volume))) {
        return pbdrFail(error, pbdr_statusFileFormat, "volume: %g m^3 is not finite and at least 0",
                        solid->volume);
    }
    for (int k = 0; k < 3; k++) {
        if (solid->inertia.m[k][k] < 0.0) {
            return pbdrFail(error, pbdr_statusFileFormat, "inertia[%d][%d]: %g kg m^2 is below 0", k, k,
                            solid->inertia.m[k][k]);
        }
    }
    return checkTensor(&solid->inertia, "inertia", error);
}

static pbdrStatus checkNormals(const pbdrFaceNormals* normals, int count, pbdrError* error)
{
    if (normals->sphereCount == 0) {
        return pbdr_statusOk;
    }
    if (normals->sphereCount != count) {
        return pbdrFail(error, pbdr_statusFileFormat, "face_normals: %d lists for %d spheres",
                        normals->sphereCount, count);
    }
    for (int i = 0; i < count; i++) {
        int first = normals->firsts[i], last = normals->firsts[i + 1];
        if (last - first > PBDR_MAX_FACE_NORMALS) {
            return pbdrFail(error, pbdr_statusFileFormat, "face_normals[%d]: %d normals, %d are possible", i,
                            last - first, PBDR_MAX_FACE_NORMALS);
        }
        for (int k = first; k < last; k++) {
            double length = pbdrLength(normals->normals[k]);
            if (!(fabs(length - 1.0) <= PBDR_UNIT_TOLERANCE)) {
                return pbdrFail(error, pbdr_statusFileFormat, "face_normals[%d][%d]: length %g is not 1", i,
                                k - first, length);
            }
        }
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckBody(const pbdrBodyFile* body, pbdrError* error)
{
    pbdrStatus status = checkSpheres(&body->spheres, error);
    if (status == pbdr_statusOk && body->hasSolid) {
        status = checkSolid(body, error);
    }
    if (status == pbdr_statusOk) {
        status = checkTensor(&body->extraInertia, "extra_inertia", error);
    }
    return status != pbdr_statusOk ? status : checkNormals(&body->normals, body->spheres.count, error);
}

void pbdrBodyFile_Free(pbdrBodyFile* body)
{
    if (body == NULL) {
        return;
    }
    pbdrSphereSet_Free(&body->spheres);
    pbdrFaceNormals_Free(&body->normals);
    pbdrPackingQuality_Free(&body->quality);
    memset(body, 0, sizeof *body);
}
