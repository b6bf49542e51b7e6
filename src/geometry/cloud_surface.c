// The surface of a cloud: the level set of its winding number on a grid.
//
// At level 1/2 the mesh would lie inside the points wherever the surface is curved: smoothing pulls it in,
// and triangles are chords. So the level is what the points themselves have, in the mean, in the very
// interpolation that the mesh is a level set of (as Kazhdan et al. 2006 choose theirs):
//
//   L = sum a R w_h(p) / sum a R
//
// A point off by dw lies dw / |grad w| from the mesh, and |grad w| goes as 1/R: the volumes between mesh and
// points add up to zero, to first order, whatever made them. First the mean over the points around is taken
// off the field everywhere, so that this holds for every part of the surface: edges are rounded less, and the
// inertia is right, too. (The slope that the interpolation itself has in place of 1/R makes cubes worse, not
// spheres better.)
#include "geometry/point_cloud.h"
#include "geometry/sparse_grid.h"

#include "base.h"
#include "math/vec.h"

// Cells that are searched for the surface along a point's normal.
#define MAX_STEPS 4
// The field goes from 0 to 1 at the surface; a point is off it where the field differs from the level by
// this.
#define STRAY_DIFFERENCE 0.3
// Points whose winding number is averaged, as a share of the neighbours.
#define LOCAL_SHARE (2.0 / 3.0)
// On an edge of a cube the winding number is 1/4, at its corner 1/8; beyond this a point is an outlier.
#define MAX_SHIFT 0.4

// The winding number less its local mean at the points.
typedef struct LocalField {
    const pbdrCloudField* field;
    const double* fields; // the winding number at the points
    double level;         // its mean over all of them
} LocalField;

static double getRawField(const void* context, pbdrVec3 place)
{
    return pbdrGetCloudWinding(context, place);
}

// Minus the mean of the winding number at the points around a place. Where no point is near, all of them.
static double getShift(const void* context, pbdrVec3 place)
{
    const LocalField* local = context;
    const pbdrOrientedCloud* cloud = local->field->cloud;
    int32_t found[PBDR_MAX_NEIGHBOURS];
    double squares[PBDR_MAX_NEIGHBOURS], sum = 0.0, weights = 0.0;
    int count = pbdrFindNeighbours(&cloud->tree, place, -1, (int)(LOCAL_SHARE * cloud->neighbourCount), found,
                                   squares);
    for (int k = 0; k < count; k++) {
        double u = 1.0 - squares[k] / squares[count - 1];
        double weight = cloud->areas[found[k]] * u;
        double field =
            fmin(fmax(local->fields[found[k]], local->level - MAX_SHIFT), local->level + MAX_SHIFT);
        sum += weight * field;
        weights += weight;
    }
    double radius = cloud->radii[found[0]];
    double share = fmin(fmax(2.0 - sqrt(squares[0]) / radius, 0.0), 1.0);
    double mean = weights > 0.0 ? sum / weights : local->level;
    return -(share * mean + (1.0 - share) * local->level);
}

static double getLocalField(const void* context, pbdrVec3 place)
{
    const LocalField* local = context;
    return pbdrGetCloudWinding(local->field, place) + getShift(context, place);
}

// The field at the points, and its mean.
static double findLevel(const pbdrOrientedCloud* cloud, pbdrSparseGrid* grid, double* fields)
{
    double sum = 0.0, weights = 0.0;
    for (int i = 0; i < cloud->count && grid->status == pbdr_statusOk; i++) {
        fields[i] = pbdrInterpolateField(grid, cloud->tree.points[i]);
        double weight = cloud->areas[i] * cloud->radii[i];
        sum += weight * fields[i];
        weights += weight;
    }
    return weights > 0.0 ? sum / weights : 0.0;
}

// The share of the area whose points are off the level.
static double findStrayShare(const pbdrOrientedCloud* cloud, const double* fields, double level)
{
    double stray = 0.0;
    for (int i = 0; i < cloud->count; i++) {
        stray += fabs(fields[i] - level) > STRAY_DIFFERENCE ? cloud->areas[i] : 0.0;
    }
    return cloud->area > 0.0 ? stray / cloud->area : 1.0;
}

// Follows the surface from near every point.
static void followSurface(const pbdrOrientedCloud* cloud, pbdrSparseGrid* grid, const double* fields,
                          double level)
{
    for (int i = 0; i < cloud->count && grid->status == pbdr_statusOk; i++) {
        double step = fields[i] > level ? grid->cellSize : -grid->cellSize;
        for (int k = 0; k < MAX_STEPS; k++) {
            pbdrVec3 place = pbdrAddScaled(cloud->tree.points[i], k * step, cloud->normals[i]);
            pbdrGridPlace cell = pbdrGetGridCell(grid, place);
            if (pbdrIsCellCrossed(grid, cell, level)) {
                pbdrFollowLevelSet(grid, cell, level);
                break;
            }
        }
    }
}

static pbdrStatus failGrid(const pbdrSparseGrid* grid, pbdrError* error)
{
    if (grid->status == pbdr_statusNoMemory) {
        return pbdrFail(error, pbdr_statusNoMemory,
                        "no memory for the surface of a point cloud, %d triangles so far",
                        grid->triangleCount);
    }
    return pbdrFail(error, grid->status, "point cloud: too many cells of %g of its extent for a surface",
                    0.5 * grid->cellSize);
}

pbdrStatus pbdrMeshCloudField(const pbdrCloudField* field, double cellSize, double leastLevel,
                              const pbdrHooks* hooks, pbdrMesh* mesh, pbdrCloudReport* report,
                              pbdrError* error)
{
    const pbdrOrientedCloud* cloud = field->cloud;
    size_t n = (size_t)cloud->count;
    double* fields = pbdrAllocate(hooks, n, sizeof *fields);
    double* left = pbdrAllocate(hooks, n, sizeof *left); // after the shift
    if (fields == NULL || left == NULL) {
        pbdrRelease(hooks, fields, n, sizeof *fields);
        pbdrRelease(hooks, left, n, sizeof *left);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d points", cloud->count);
    }
    pbdrSparseGrid grid = {.cellSize = cellSize, .getField = getRawField, .context = field, .hooks = hooks};
    // Away from symmetry: flat faces through nodes would sit on the level.
    grid.origin = pbdrScale(cellSize, pbdrVec(0.4142, 0.7321, 0.2361));
    pbdrStatus status = pbdr_statusOk;
    LocalField local = {field, fields, findLevel(cloud, &grid, fields)};
    report->level = local.level;
    if (grid.status == pbdr_statusOk && !(report->level > leastLevel && report->level < 1.0 - leastLevel)) {
        status =
            pbdrFail(error, pbdr_statusMeshOpen,
                     "point cloud: has no inside: its winding number is %.2f at the points, not near 1/2",
                     report->level);
    } else if (grid.status == pbdr_statusOk) {
        pbdrChangeField(&grid, getLocalField, getShift, &local);
        double level = findLevel(cloud, &grid, left);
        report->strayShare = findStrayShare(cloud, left, level);
        followSurface(cloud, &grid, left, level);
    }
    if (grid.status != pbdr_statusOk) {
        status = failGrid(&grid, error);
    } else if (status == pbdr_statusOk) {
        status = pbdrCreateMesh(grid.vertices, grid.vertexCount, (const int32_t(*)[3])grid.triangles,
                                grid.triangleCount, hooks, mesh, NULL, error);
    }
    pbdrFreeSparseGrid(&grid);
    pbdrRelease(hooks, fields, n, sizeof *fields);
    pbdrRelease(hooks, left, n, sizeof *left);
    return status;
}
