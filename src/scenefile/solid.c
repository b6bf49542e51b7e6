// Mass properties of geoms: closed forms, and the solid of a mesh.
#include "scenefile/solid.h"

#include "math/vec.h"

static pbdrMat3 makeDiagonal(double x, double y, double z)
{
    return (pbdrMat3){{{x, 0.0, 0.0}, {0.0, y, 0.0}, {0.0, 0.0, z}}};
}

static pbdrMassProperties weighBox(pbdrVec3 half)
{
    double volume = 8.0 * half.x * half.y * half.z, third = volume / 3.0;
    double xx = half.x * half.x, yy = half.y * half.y, zz = half.z * half.z;
    return (pbdrMassProperties){.mass = volume,
                                .volume = volume,
                                .inertia =
                                    makeDiagonal(third * (yy + zz), third * (xx + zz), third * (xx + yy))};
}

static pbdrMassProperties weighCylinder(double radius, double halfLength)
{
    double rr = radius * radius, volume = 2.0 * PBDR_PI * rr * halfLength;
    double across = volume * (0.25 * rr + halfLength * halfLength / 3.0);
    return (pbdrMassProperties){
        .mass = volume, .volume = volume, .inertia = makeDiagonal(across, across, 0.5 * volume * rr)};
}

// A cylinder and two half balls, whose centres of mass are 3/8 of the radius off their flat sides.
static pbdrMassProperties weighCapsule(double radius, double halfLength)
{
    pbdrMassProperties solid = halfLength > 0.0 ? weighCylinder(radius, halfLength) : (pbdrMassProperties){0};
    double rr = radius * radius, caps = 4.0 / 3.0 * PBDR_PI * rr * radius, length = 2.0 * halfLength;
    double across = caps * (0.4 * rr + 0.25 * length * length + 0.375 * length * radius);
    solid.mass += caps;
    solid.volume += caps;
    solid.inertia.m[0][0] += across;
    solid.inertia.m[1][1] += across;
    solid.inertia.m[2][2] += 0.4 * caps * rr;
    return solid;
}

pbdrStatus pbdrWeighGeom(const pbdrSceneFile* scene, const pbdrSceneGeom* geom, pbdrMassProperties* solid,
                         pbdrError* error)
{
    switch (geom->kind) {
    case pbdr_geomBall:
        *solid = weighCapsule(geom->radius, 0.0);
        break;
    case pbdr_geomCapsule:
        *solid = weighCapsule(geom->radius, geom->halfLength);
        break;
    case pbdr_geomBox:
        *solid = weighBox(geom->half);
        break;
    case pbdr_geomCylinder:
        *solid = weighCylinder(geom->radius, geom->halfLength);
        break;
    case pbdr_geomMesh: {
        pbdrStatus status =
            pbdrMesh_GetSolidProperties(&scene->meshes[geom->mesh].mesh, 1.0, solid, NULL, error);
        if (status != pbdr_statusOk) {
            return status;
        }
        solid->mass = solid->volume;
        for (int k = 0; k < 9; k++) {
            solid->inertia.m[k / 3][k % 3] *= solid->volume;
        }
        break;
    }
    }
    return pbdr_statusOk;
}

// Adds m (d.d 1 - d d^T): a point mass at d.
static void addPoint(pbdrMat3* inertia, double mass, pbdrVec3 d)
{
    const double at[3] = {d.x, d.y, d.z}, square = pbdrDot(d, d);
    for (int k = 0; k < 9; k++) {
        inertia->m[k / 3][k % 3] += mass * ((k / 3 == k % 3 ? square : 0.0) - at[k / 3] * at[k % 3]);
    }
}

void pbdrAddSolid(pbdrMassProperties* sum, const pbdrMassProperties* solid, const pbdrPose* pose)
{
    pbdrMat3 turn = pbdrMatFromQuat(pbdrNormalizeQ(pose->rotation));
    pbdrVec3 centre = pbdrAdd(pose->position, pbdrMulMV(&turn, solid->centre));
    pbdrMat3 inertia = pbdrTurnTensor(&turn, &solid->inertia);
    double mass = sum->mass + solid->mass;
    if (!(mass > 0.0)) {
        return;
    }
    pbdrVec3 mean =
        pbdrScale(1.0 / mass, pbdrAddScaled(pbdrScale(sum->mass, sum->centre), solid->mass, centre));
    sum->inertia = pbdrAddScaledMM(&sum->inertia, 1.0, &inertia);
    addPoint(&sum->inertia, sum->mass, pbdrSub(sum->centre, mean));
    addPoint(&sum->inertia, solid->mass, pbdrSub(centre, mean));
    sum->mass = mass;
    sum->volume += solid->volume;
    sum->centre = mean;
}

pbdrStatus pbdrWeighBody(const pbdrSceneFile* scene, const pbdrSceneBody* body, double mass,
                         pbdrMassProperties* solid, pbdrError* error)
{
    *solid = (pbdrMassProperties){.mass = 0.0};
    for (int i = 0; i < body->geomCount; i++) {
        pbdrMassProperties part;
        pbdrStatus status = pbdrWeighGeom(scene, &body->geoms[i], &part, error);
        if (status != pbdr_statusOk) {
            return status;
        }
        pbdrAddSolid(solid, &part, &body->geoms[i].pose);
    }
    double density = solid->mass > 0.0 ? mass / solid->mass : 0.0;
    for (int k = 0; k < 9; k++) {
        solid->inertia.m[k / 3][k % 3] *= density;
    }
    solid->mass = mass;
    return pbdr_statusOk;
}
