// Mass properties of a solid whose surface cuts through itself: there signed tetrahedra count the overlap
// twice. The bounding cube is halved along each axis where the surface may pass; a cell that it does not
// meet is inside or outside as a whole, and counts exactly. A cell of the last level that it may meet counts
// by one point at random in it, so that
//
//   volume = sum of cells inside + sum over the last cells of v [point inside]
//
// has no bias, and a standard error of at most v sqrt(n) / 2 for n last cells of volume v.
#include "geometry/solid.h"

#include "math/random.h"
#include "math/vec.h"

// Halvings of the bounding cube: 128 cells per axis, of which the surface meets about 6 x 128^2. Half a
// second of work.
#define LEVELS 7

// Any number: it makes the same points each time.
#define QUADRATURE_SEED 1

// Integrals about the cube's centre, in lengths of its half side.
typedef struct Quadrature {
    const pbdrSolid* solid;
    pbdrVec3 middle; // of the cube [m]
    double scale;    // its half side [m]
    uint64_t random;
    double volume;
    pbdrVec3 first;
    double second[6]; // xx, yy, zz, xy, xz, yz
    double lastCells;
} Quadrature;

// Adds volume v at c, spread over a cube of half side h (0: a point).
static void addCell(Quadrature* q, pbdrVec3 c, double h, double v)
{
    double own = v * h * h / 3.0;
    q->volume += v;
    q->first = pbdrAddScaled(q->first, v, c);
    q->second[0] += v * c.x * c.x + own;
    q->second[1] += v * c.y * c.y + own;
    q->second[2] += v * c.z * c.z + own;
    q->second[3] += v * c.x * c.y;
    q->second[4] += v * c.x * c.z;
    q->second[5] += v * c.y * c.z;
}

static pbdrVec3 toWorld(const Quadrature* q, pbdrVec3 c)
{
    return pbdrAddScaled(q->middle, q->scale, c);
}

static void visitCell(Quadrature* q, pbdrVec3 c, double h, int level)
{
    double reach = 1.001 * sqrt(3.0) * h * q->scale;
    pbdrVec3 p = toWorld(q, c);
    double v = 8.0 * h * h * h;
    if (pbdrFindNearest(&q->solid->whole, p, reach).triangle < 0) {
        if (pbdrIsInside(q->solid, p)) {
            addCell(q, c, h, v);
        }
    } else if (level == LEVELS) {
        double x = 2.0 * pbdrNextUniform(&q->random) - 1.0, y = 2.0 * pbdrNextUniform(&q->random) - 1.0;
        double z = 2.0 * pbdrNextUniform(&q->random) - 1.0;
        pbdrVec3 point = pbdrAddScaled(c, h, pbdrVec(x, y, z));
        q->lastCells += 1.0;
        if (pbdrIsInside(q->solid, toWorld(q, point))) {
            addCell(q, point, 0.0, v);
        }
    } else {
        for (int k = 0; k < 8; k++) {
            pbdrVec3 side =
                pbdrVec((k & 1) != 0 ? 0.5 : -0.5, (k & 2) != 0 ? 0.5 : -0.5, (k & 4) != 0 ? 0.5 : -0.5);
            visitCell(q, pbdrAddScaled(c, h, side), 0.5 * h, level + 1);
        }
    }
}

void pbdrIntegrateSolid(const pbdrSolid* solid, pbdrMassProperties* properties, double* volumeError)
{
    pbdrVec3 extent = pbdrSub(solid->upper, solid->lower);
    Quadrature q = {.solid = solid, .random = QUADRATURE_SEED};
    q.middle = pbdrAddScaled(solid->lower, 0.5, extent);
    q.scale = 0.5 * fmax(extent.x, fmax(extent.y, extent.z));
    visitCell(&q, pbdrVec(0.0, 0.0, 0.0), 1.0, 0);
    double cube = q.scale * q.scale * q.scale, last = ldexp(8.0, -3 * LEVELS);
    *volumeError = last * sqrt(q.lastCells) * cube;
    *properties = (pbdrMassProperties){0};
    if (!(q.volume > 0.0)) {
        return;
    }
    pbdrVec3 c = pbdrScale(1.0 / q.volume, q.first);
    double s = q.scale * q.scale, m = 1.0 / q.volume;
    properties->mass = 1.0;
    properties->volume = q.volume * cube;
    properties->centre = toWorld(&q, c);
    properties->inertia =
        pbdrMakeInertia(s * (m * q.second[0] - c.x * c.x), s * (m * q.second[1] - c.y * c.y),
                        s * (m * q.second[2] - c.z * c.z), s * (m * q.second[3] - c.x * c.y),
                        s * (m * q.second[4] - c.x * c.z), s * (m * q.second[5] - c.y * c.z));
}
