// Mass properties of a solid whose surface cuts through itself: there signed tetrahedra count the overlap
// twice. The bounds are cut into columns along the axis that most of the boundary faces. Along a line the
// surface is a list of crossings, between which the winding number is known, so that the line's share of the
// solid is exact; only the lines are chosen at random, two per column:
//
//   volume = sum over columns of A (l1 + l2) / 2,    variance = sum of A^2 (l1 - l2)^2 / 4
//
// with A the column's cross section and l the length inside. That length jumps across the axis at upright
// walls of the boundary and changes fast at steep ones, so columns with one are cut into four, until
// MAX_LEVEL or when the budget is used up. (Two lines that differ would show a wall, too; but lines kept
// because they agree miss walls, and the sum is then off by more than it says.)
#include "geometry/crossings.h"
#include "geometry/solid.h"

#include "base.h"
#include "math/random.h"
#include "math/vec.h"

// Columns along the longer side of the bounds, and how often one may be halved.
#define FIRST_COLUMNS 128
#define MAX_LEVEL 3

// Cosine between a wall's normal and the plane across the axis: within 30 degrees of upright.
#define STEEP 0.5

// Nodes and facets looked at: a second or two of work, of which the first columns take half at most.
#define MAX_STEPS UINT64_C(100000000)
#define TRIAL_LINES 64

// Lines that meet an edge are drawn anew; so often is beyond chance.
#define MAX_DRAWS 64

// Any number: it makes the same lines each time.
#define QUADRATURE_SEED 1

// Integrals along a line, in lengths of `scale` about the bounds' middle.
typedef struct LineSums {
    double length, first, second; // of h^0, h^1, h^2
    double u, v;
} LineSums;

typedef struct Quadrature {
    const pbdrSolid* solid;
    pbdrVec3 middle;          // of the bounds [m]
    double scale;             // their largest half side [m]
    int axis, across, beside; // of the columns; the others
    pbdrCrossing* crossings;  // room for a line's
    uint64_t random, steps;
    double height;    // of the bounds along the axis [scale]
    double volume;    // [scale^3]
    double moment[3]; // [scale^4]
    double product[3][3];
    double variance; // of the volume
    double lost;     // cross section of columns without a line [scale^2]
} Quadrature;

static double getAxis(pbdrVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void setAxis(pbdrVec3* v, int axis, double value)
{
    *(axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z) = value;
}

// The line at (u, v) of the plane across the axis. False if it meets an edge.
static bool sumLine(Quadrature* q, double u, double v, LineSums* sums)
{
    pbdrVec3 point = q->middle;
    setAxis(&point, q->across, getAxis(q->middle, q->across) + q->scale * u);
    setAxis(&point, q->beside, getAxis(q->middle, q->beside) + q->scale * v);
    int count = pbdrFindCrossings(&q->solid->whole, point, q->axis, q->crossings, &q->steps);
    *sums = (LineSums){.u = u, .v = v};
    double centre = getAxis(q->middle, q->axis);
    int winding = 0;
    for (int i = 0; i < count; i++) {
        if (winding > 0) {
            double a = (q->crossings[i - 1].height - centre) / q->scale;
            double b = (q->crossings[i].height - centre) / q->scale;
            sums->length += b - a;
            sums->first += 0.5 * (b - a) * (b + a);
            sums->second += (b - a) * (a * a + a * b + b * b) / 3.0;
        }
        winding -= q->crossings[i].direction; // upwards, a way out is passed from inside
    }
    return count >= 0 && winding == 0;
}

// A line at random within a column; false if every draw meets an edge.
static bool drawLine(Quadrature* q, double u, double v, double du, double dv, LineSums* sums)
{
    for (int k = 0; k < MAX_DRAWS; k++) {
        double x = pbdrNextUniform(&q->random), y = pbdrNextUniform(&q->random);
        if (sumLine(q, u + x * du, v + y * dv, sums)) {
            return true;
        }
    }
    return false;
}

static void addLine(Quadrature* q, const LineSums* sums, double section)
{
    int h = q->axis, a = q->across, b = q->beside;
    q->volume += section * sums->length;
    q->moment[h] += section * sums->first;
    q->moment[a] += section * sums->length * sums->u;
    q->moment[b] += section * sums->length * sums->v;
    q->product[h][h] += section * sums->second;
    q->product[a][a] += section * sums->length * sums->u * sums->u;
    q->product[b][b] += section * sums->length * sums->v * sums->v;
    q->product[h][a] += section * sums->first * sums->u;
    q->product[h][b] += section * sums->first * sums->v;
    q->product[a][b] += section * sums->length * sums->u * sums->v;
}

// What is looked for in a column.
typedef struct WallSearch {
    Quadrature* q;
    bool found;
} WallSearch;

static bool visitFacet(void* context, const pbdrTriangle* facet)
{
    WallSearch* search = context;
    pbdrVec3 area = pbdrGetAreaVector(facet);
    search->q->steps++;
    search->found = fabs(getAxis(area, search->q->axis)) < STEEP * pbdrLength(area);
    return !search->found;
}

static bool hasWall(Quadrature* q, double u, double v, double du, double dv)
{
    WallSearch search = {q, false};
    pbdrVec3 lower = q->solid->lower, upper = q->solid->upper;
    double a = getAxis(q->middle, q->across), b = getAxis(q->middle, q->beside);
    setAxis(&lower, q->across, a + q->scale * u);
    setAxis(&upper, q->across, a + q->scale * (u + du));
    setAxis(&lower, q->beside, b + q->scale * v);
    setAxis(&upper, q->beside, b + q->scale * (v + dv));
    pbdrVisitBox(pbdrGetSkin(q->solid), lower, upper, visitFacet, &search);
    return search.found;
}

static void visitColumn(Quadrature* q, double u, double v, double du, double dv, int level)
{
    if (level < MAX_LEVEL && q->steps < MAX_STEPS && hasWall(q, u, v, du, dv)) {
        for (int k = 0; k < 4; k++) {
            visitColumn(q, u + 0.5 * du * (k & 1), v + 0.5 * dv * (k >> 1), 0.5 * du, 0.5 * dv, level + 1);
        }
        return;
    }
    LineSums lines[2];
    if (!drawLine(q, u, v, du, dv, &lines[0]) || !drawLine(q, u, v, du, dv, &lines[1])) {
        q->lost += du * dv;
        return;
    }
    double section = du * dv, difference = lines[0].length - lines[1].length;
    addLine(q, &lines[0], 0.5 * section);
    addLine(q, &lines[1], 0.5 * section);
    q->variance += 0.25 * section * section * difference * difference;
}

// How many columns the longer side may have.
static int planColumns(Quadrature* q, double halfU, double halfV)
{
    LineSums sums;
    for (int k = 0; k < TRIAL_LINES; k++) {
        drawLine(q, -halfU, -halfV, 2.0 * halfU, 2.0 * halfV, &sums);
    }
    double perLine = fmax(1.0, (double)q->steps / TRIAL_LINES);
    double affordable = sqrt(0.5 * (double)MAX_STEPS / (2.0 * perLine));
    return (int)fmin(FIRST_COLUMNS, fmax(4.0, affordable));
}

static void integrate(Quadrature* q, pbdrVec3 extent)
{
    double halfU = 0.5 * getAxis(extent, q->across) / q->scale;
    double halfV = 0.5 * getAxis(extent, q->beside) / q->scale;
    int longer = planColumns(q, halfU, halfV);
    double side = 2.0 * fmax(halfU, halfV) / longer;
    int columns = (int)fmax(1.0, ceil(2.0 * halfU / side)), rows = (int)fmax(1.0, ceil(2.0 * halfV / side));
    double du = 2.0 * halfU / columns, dv = 2.0 * halfV / rows;
    for (int j = 0; j < rows; j++) {
        for (int i = 0; i < columns; i++) {
            visitColumn(q, -halfU + i * du, -halfV + j * dv, du, dv, 0);
        }
    }
}

// The axis that most of the boundary faces: across it there are the fewest walls.
static int findAxis(const pbdrSolid* solid)
{
    const pbdrTriangleTree* skin = pbdrGetSkin(solid);
    double sums[3] = {0.0, 0.0, 0.0};
    for (int t = 0; t < skin->triangleCount; t++) {
        pbdrVec3 area = pbdrGetAreaVector(&skin->triangles[t]);
        for (int k = 0; k < 3; k++) {
            sums[k] += fabs(getAxis(area, k));
        }
    }
    return sums[0] > sums[1] && sums[0] > sums[2] ? 0 : sums[1] > sums[2] ? 1 : 2;
}

pbdrStatus pbdrIntegrateSolid(const pbdrSolid* solid, pbdrMassProperties* properties, double* volumeError,
                              uint64_t* steps, pbdrError* error)
{
    pbdrVec3 extent = pbdrSub(solid->upper, solid->lower);
    Quadrature q = {.solid = solid, .random = QUADRATURE_SEED};
    q.middle = pbdrAddScaled(solid->lower, 0.5, extent);
    q.scale = 0.5 * fmax(extent.x, fmax(extent.y, extent.z));
    q.axis = findAxis(solid);
    q.across = (q.axis + 1) % 3;
    q.beside = (q.axis + 2) % 3;
    q.height = getAxis(extent, q.axis) / q.scale;
    *properties = (pbdrMassProperties){0};
    size_t room = (size_t)solid->whole.triangleCount;
    q.crossings = pbdrAllocate(&solid->whole.hooks, room, sizeof *q.crossings);
    if (q.crossings == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %zu crossings", room);
    }
    integrate(&q, extent);
    pbdrRelease(&solid->whole.hooks, q.crossings, room, sizeof *q.crossings);
    *steps += q.steps;
    double cube = q.scale * q.scale * q.scale;
    *volumeError = (3.0 * sqrt(q.variance) + q.lost * q.height) * cube;
    if (!(q.volume > 0.0)) {
        return pbdr_statusOk;
    }
    double centre[3], second[3][3], s = q.scale * q.scale;
    for (int k = 0; k < 3; k++) {
        centre[k] = q.moment[k] / q.volume;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            double sum = i == j ? q.product[i][i] : q.product[i][j] + q.product[j][i]; // one of them is 0
            second[i][j] = s * (sum / q.volume - centre[i] * centre[j]);
        }
    }
    properties->mass = 1.0;
    properties->volume = q.volume * cube;
    properties->centre = pbdrAddScaled(q.middle, q.scale, pbdrVec(centre[0], centre[1], centre[2]));
    properties->inertia =
        pbdrMakeInertia(second[0][0], second[1][1], second[2][2], second[0][1], second[0][2], second[1][2]);
    return pbdr_statusOk;
}
