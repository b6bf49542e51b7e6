// Points against a cylinder, in its own frame: |z| <= h, rho <= R with rho^2 = x^2 + y^2.
//
// A point of radius 0 has the greater of |z| - h and rho - R as its gap, and the normal of that face: the
// cap's or, along rho, the side's. Faces within the slack of each other, at the rim, compete by the prober's
// normals; and a point keeps the cap that it came from, as with boxes (surface_box.c).
#include "shape/surface_kinds.h"

enum { FACE_UPPER = 0, FACE_LOWER = 1, FACE_SIDE = 2, FACE_COUNT = 3, FEATURE_RIM = 3 };

// A point keeps a face against a neighbouring, nearer one up to this share of the thickness.
#define KEEP_DEPTH 0.25

// A point as the cylinder sees it.
typedef struct Place {
    double s[FACE_COUNT]; // separation from each face
    pbdrVec3 radial;      // unit; any across the axis on the axis itself
    double rho;
} Place;

static Place getPlace(const pbdrSurface* cylinder, pbdrVec3 x)
{
    double square = x.x * x.x + x.y * x.y;
    Place place = {.rho = square > 1.0e-280 ? sqrt(square) : 0.0, .radial = {1.0, 0.0, 0.0}};
    if (place.rho > 0.0) {
        place.radial = pbdrVec(x.x / place.rho, x.y / place.rho, 0.0);
    }
    place.s[FACE_UPPER] = x.z - cylinder->half.z;
    place.s[FACE_LOWER] = -x.z - cylinder->half.z;
    place.s[FACE_SIDE] = place.rho - cylinder->half.x;
    return place;
}

static pbdrVec3 getFaceNormal(const Place* place, int face)
{
    return face == FACE_SIDE ? place->radial : pbdrVec(0.0, 0.0, face == FACE_UPPER ? 1.0 : -1.0);
}

static bool keepsSide(const pbdrSurface* cylinder, const pbdrPlacedProbe* probe, const Place* place, int last,
                      int chosen)
{
    double thickness = 2.0 * (last == FACE_SIDE ? cylinder->half.x : cylinder->half.z);
    if (last != FACE_SIDE && chosen == (last ^ 1)) { // from cap to cap
        if (place->s[FACE_SIDE] > cylinder->slack ||
            !(place->s[last] > -thickness - fmin(thickness, fmax(probe->reach, 0.0)))) {
            return false;
        }
    } else if (place->s[chosen] > 0.0 || !(place->s[last] > -KEEP_DEPTH * thickness)) {
        return false;
    }
    return pbdrIsFacing(probe, getFaceNormal(place, last)) ||
           !pbdrIsFacing(probe, getFaceNormal(place, chosen));
}

static int chooseFace(const pbdrSurface* cylinder, const pbdrPlacedProbe* probe, const Place* place, int last)
{
    int cap = place->s[FACE_LOWER] > place->s[FACE_UPPER] ? FACE_LOWER : FACE_UPPER;
    int greatest = place->s[FACE_SIDE] > place->s[cap] ? FACE_SIDE : cap, chosen = greatest;
    double least = place->s[greatest] - cylinder->slack, best = -(double)INFINITY;
    for (int face = 0; probe->normalCount > 0 && face < FACE_COUNT; face++) {
        if (place->s[face] >= least && place->s[face] > best &&
            pbdrIsFacing(probe, getFaceNormal(place, face))) {
            best = place->s[face];
            chosen = face;
        }
    }
    if (last >= 0 && last < FACE_COUNT && last != chosen && keepsSide(cylinder, probe, place, last, chosen)) {
        chosen = last;
    }
    return chosen;
}

static int probeSharp(const pbdrSurface* cylinder, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    Place place = getPlace(cylinder, probe->a);
    int face = chooseFace(cylinder, probe, &place, features[0]);
    features[0] = face;
    pbdrSetHit(&hits[0], probe->a, place.s[face], getFaceNormal(&place, face), 0.0, face);
    return 1;
}

static int probeBall(const pbdrSurface* cylinder, const pbdrPlacedProbe* probe, int32_t features[2],
                     pbdrSurfaceHit hits[2])
{
    Place place = getPlace(cylinder, probe->a);
    pbdrPlacedProbe round = *probe;
    round.normalCount = 0;
    int face = chooseFace(cylinder, &round, &place, features[0]);
    features[0] = face;
    double out = place.s[FACE_SIDE], up = fmax(place.s[FACE_UPPER], place.s[FACE_LOWER]);
    double distance = sqrt(out * out + up * up);
    if (out > 0.0 && up > 0.0 && distance > 1.0e-140) { // nearest to the rim
        pbdrVec3 normal = pbdrScale(out / distance, place.radial);
        normal.z = (probe->a.z < 0.0 ? -up : up) / distance;
        pbdrSetHit(&hits[0], probe->a, distance, normal, probe->radius, FEATURE_RIM);
        return 1;
    }
    pbdrSetHit(&hits[0], probe->a, place.s[face], getFaceNormal(&place, face), probe->radius, face);
    return 1;
}

int pbdrProbeCylinder(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    switch (probe->kind) {
    case pbdr_probePoint:
        return probe->radius > 0.0 ? probeBall(surface, probe, features, hits)
                                   : probeSharp(surface, probe, features, hits);
    case pbdr_probeSegment:
        return probe->radius > 0.0 ? pbdrProbeCylinderAxis(surface, probe, hits)
                                   : pbdrProbeCylinderEdge(surface, probe, hits);
    case pbdr_probeDisc:
        return pbdrProbeCylinderRim(surface, probe, hits);
    }
    return 0;
}
