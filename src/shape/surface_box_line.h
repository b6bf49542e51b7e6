// A segment and a box, component by component: what surface_box_segment.c works on.
#ifndef PBDR_SHAPE_SURFACE_BOX_LINE_H
#define PBDR_SHAPE_SURFACE_BOX_LINE_H

#include "shape/surface_kinds.h"

typedef struct Line {
    double a[3], e[3], half[3];
    double length;
} Line;

static inline Line makeLine(const pbdrSurface* box, const pbdrPlacedProbe* probe)
{
    pbdrVec3 e = pbdrSub(probe->b, probe->a);
    return (Line){.a = {probe->a.x, probe->a.y, probe->a.z},
                  .e = {e.x, e.y, e.z},
                  .half = {box->half.x, box->half.y, box->half.z},
                  .length = pbdrLength(e)};
}

static inline double getSign(int face)
{
    return (face & 1) != 0 ? -1.0 : 1.0;
}

static inline pbdrVec3 getFaceNormal(int face)
{
    double sign = getSign(face);
    return pbdrVec(face < 2 ? sign : 0.0, face >= 2 && face < 4 ? sign : 0.0, face >= 4 ? sign : 0.0);
}

static inline double getStart(const Line* line, int face)
{
    return getSign(face) * line->a[face >> 1] - line->half[face >> 1];
}

static inline double getSlope(const Line* line, int face)
{
    return getSign(face) * line->e[face >> 1];
}

static inline double getAt(const Line* line, int face, double t)
{
    return getStart(line, face) + t * getSlope(line, face);
}

static inline pbdrVec3 getPlace(const Line* line, double t)
{
    return pbdrVec(line->a[0] + t * line->e[0], line->a[1] + t * line->e[1], line->a[2] + t * line->e[2]);
}

// No point of the segment is nearer to the box than the reach.
static inline bool isBeyond(const Line* line, double reach)
{
    for (int axis = 0; axis < 3; axis++) {
        double from = line->a[axis], to = from + line->e[axis];
        double nearest = from > 0.0 ? fmin(from, to) : -fmax(from, to); // below zero: crosses the middle
        if (nearest - line->half[axis] > reach) {
            return true;
        }
    }
    return false;
}

static inline int findGreatest(const Line* line, double t, double* separation)
{
    int greatest = 0;
    *separation = -(double)INFINITY;
    for (int axis = 0; axis < 3; axis++) {
        double x = line->a[axis] + t * line->e[axis], s = fabs(x) - line->half[axis];
        if (s > *separation) {
            *separation = s;
            greatest = 2 * axis + (x < 0.0 ? 1 : 0);
        }
    }
    return greatest;
}

#endif
