// The paper's packing of a mesh: of a grid of spacing 2r from the lower corner of the bounds minus r, the
// centres inside.
//
// Inside means a winding number over 1/2, which costs a sum over all triangles. But the number cannot change
// on the way along a column of the grid unless the way meets a triangle. So each triangle's bounding box
// marks the points behind the ways that meet it, and only there the number is worked out anew; each column
// begins outside.
//
//   column   o---o---o---*---o---o---*---o---o     * marked: worked out anew; o as the one before
//                     [box]       [box]
#include "geometry/solid_packing.h"
#include "geometry/sphere_set.h"

#include "base.h"
#include "math/vec.h"

// Boxes are widened by this share of the spacing: far above the rounding of grid coordinates, and too little
// to cost.
#define BOX_MARGIN 0.01

typedef struct Grid {
    pbdrVec3 start; // the first centre [m]
    double spacing; // [m]
    int nx, ny, nz;
    unsigned char* marks; // one per point, x fastest: first whether to work it out, then whether it is inside
} Grid;

// First and last index of one axis.
typedef struct Span {
    int first, last;
} Span;

static size_t getRow(const Grid* grid, int j, int k)
{
    return ((size_t)k * (size_t)grid->ny + (size_t)j) * (size_t)grid->nx;
}

// Points of an axis from lower - r up to upper: those beyond are outside.
static double countPoints(double lower, double upper, double radius)
{
    return floor((upper - lower + radius) / (2.0 * radius)) + 1.0;
}

// The points of an axis between the smallest and the largest of three coordinates, and `beyond` more.
static Span getSpan(double a, double b, double c, double start, double spacing, int n, int beyond)
{
    double first = ceil((fmin(a, fmin(b, c)) - start) / spacing - BOX_MARGIN);
    double last = floor((fmax(a, fmax(b, c)) - start) / spacing + BOX_MARGIN) + beyond;
    return (Span){(int)fmax(first, 0.0), (int)fmin(last, n - 1.0)};
}

static void markTriangles(const pbdrMesh* mesh, const Grid* grid)
{
    for (int t = 0; t < mesh->triangleCount; t++) {
        pbdrVec3 a = mesh->vertices[mesh->triangles[t][0]];
        pbdrVec3 b = mesh->vertices[mesh->triangles[t][1]];
        pbdrVec3 c = mesh->vertices[mesh->triangles[t][2]];
        // one beyond: the way that ends there begins in the box
        Span x = getSpan(a.x, b.x, c.x, grid->start.x, grid->spacing, grid->nx, 1);
        Span y = getSpan(a.y, b.y, c.y, grid->start.y, grid->spacing, grid->ny, 0);
        Span z = getSpan(a.z, b.z, c.z, grid->start.z, grid->spacing, grid->nz, 0);
        for (int k = z.first; k <= z.last; k++) {
            for (int j = y.first; j <= y.last; j++) {
                for (int i = x.first; i <= x.last; i++) {
                    grid->marks[getRow(grid, j, k) + (size_t)i] = 1;
                }
            }
        }
    }
}

static pbdrVec3 getPoint(const Grid* grid, int i, int j, int k)
{
    return pbdrVec(grid->start.x + grid->spacing * i, grid->start.y + grid->spacing * j,
                   grid->start.z + grid->spacing * k);
}

// Turns marks into insides; returns how many.
static int findInside(const pbdrMesh* mesh, const Grid* grid)
{
    int count = 0;
    for (int k = 0; k < grid->nz; k++) {
        for (int j = 0; j < grid->ny; j++) {
            unsigned char* row = grid->marks + getRow(grid, j, k);
            bool inside = false;
            for (int i = 0; i < grid->nx; i++) {
                if (row[i] != 0) {
                    inside = pbdrMesh_GetWindingNumber(mesh, getPoint(grid, i, j, k)) > 0.5;
                }
                row[i] = inside;
                count += inside;
            }
        }
    }
    return count;
}

static void fillSet(const Grid* grid, pbdrSphereSet* set)
{
    int count = 0;
    for (int k = 0; k < grid->nz; k++) {
        for (int j = 0; j < grid->ny; j++) {
            for (int i = 0; i < grid->nx; i++) {
                if (grid->marks[getRow(grid, j, k) + (size_t)i] != 0) {
                    set->positions[count++] = getPoint(grid, i, j, k);
                }
            }
        }
    }
}

pbdrStatus pbdrPackGrid(const pbdrMesh* mesh, double radius, double mass, const pbdrHooks* hooks,
                        pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    double nx = countPoints(lower.x, upper.x, radius);
    double ny = countPoints(lower.y, upper.y, radius);
    double nz = countPoints(lower.z, upper.z, radius);
    status = pbdrCheckGrid(nx, ny, nz, radius, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    Grid grid = {{lower.x - radius, lower.y - radius, lower.z - radius},
                 2.0 * radius,
                 (int)nx,
                 (int)ny,
                 (int)nz,
                 NULL};
    size_t pointCount = getRow(&grid, 0, grid.nz);
    grid.marks = pbdrAllocate(hooks, pointCount, 1);
    if (grid.marks == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for a grid of %zu points", pointCount);
    }
    markTriangles(mesh, &grid);
    int count = findInside(mesh, &grid);
    if (count > 0) {
        status = pbdrAllocateSpheres(count, radius, mass, hooks, set, error);
    } else {
        status = pbdrFail(error, pbdr_statusNoParticles,
                          "radius: none of %d x %d x %d grid points of spacing %g m lies inside the mesh",
                          grid.nx, grid.ny, grid.nz, grid.spacing);
    }
    if (status == pbdr_statusOk) {
        fillSet(&grid, set);
    }
    pbdrRelease(hooks, grid.marks, pointCount, 1);
    return status;
}

pbdrStatus pbdrPackMesh(const pbdrMesh* mesh, double radius, double mass, const pbdrHooks* hooks,
                        pbdrSphereSet* set, pbdrError* error)
{
    pbdrStatus status = pbdrBeginPacking(radius, mass, hooks, set, error);
    if (status == pbdr_statusOk) {
        status = pbdrMesh_Check(mesh, NULL, error);
    }
    return status != pbdr_statusOk ? status : pbdrPackGrid(mesh, radius, mass, hooks, set, error);
}
