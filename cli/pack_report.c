// What pbdr pack says about a packing.
#include "pack.h"

#include <math.h>

// A volume known no better than this is not worth taking as it is.
#define WORST_ERROR 0.25

static double getDistance(pbdrVec3 a, pbdrVec3 b)
{
    return sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z));
}

static void printMesh(FILE* file, const Pack* pack)
{
    const pbdrPackReport* report = &pack->report;
    const pbdrMeshReport* r = &report->found;
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(&pack->body.mesh, &lower, &upper);
    fprintf(file, "mesh            %s: %d vertices, %d triangles, %.4g x %.4g x %.4g m\n", pack->meshPath,
            pack->vertexCount, pack->triangleCount, upper.x - lower.x, upper.y - lower.y, upper.z - lower.z);
    if (pack->cloud) {
        fprintf(file,
                "  point cloud   %d points, %.3g of a spacing off the surface; standard errors from subsets "
                "of them: "
                "volume %.2g %%, centre %.2g %% of the extent, inertia %.2g %%\n",
                report->pointCount, report->cloud.noise / report->cloud.spacing,
                100.0 * report->cloudVolumeError, 100.0 * report->cloudCentreError,
                100.0 * report->cloudInertiaError);
    }
    if (report->damaged) {
        fprintf(file, "  damage        %d open, %d clashing, %d crowded edges", r->openEdges,
                r->clashingEdges, r->crowdedEdges);
        if (!pack->hull && !pack->wrap) {
            fprintf(file, "; mended: %d triangles dropped, %d turned, %d holes filled with %d",
                    report->repair.droppedTriangles, report->repair.turnedTriangles,
                    report->repair.filledHoles, report->repair.addedTriangles);
        }
        fprintf(file, "\n");
    }
    if (pack->hull) {
        fprintf(file, "  convex hull   %d triangles\n", pack->body.mesh.triangleCount);
    } else if (pack->wrap) {
        fprintf(file, "  wrap          %d triangles on a grid of %.3g mm\n", pack->body.mesh.triangleCount,
                1e3 * report->wrapCell);
    }
    double volume = pack->body.solid.volume;
    fprintf(file, "  volume        %.6g m^3, ", volume);
    if (pack->body.volumeError > 0.0) {
        fprintf(file, "known to %.2g %% (%s)\n", 100.0 * pack->body.volumeError / volume,
                pack->wrap ? "the wrap's grid" : "holes and overlaps");
    } else {
        fprintf(file, "closed mesh\n");
    }
}

static void printSpheres(FILE* file, const Pack* pack)
{
    const pbdrSphereSet* set = &pack->body.spheres;
    const pbdrPackingQuality* q = &pack->body.quality;
    double least = HUGE_VAL, most = 0.0;
    for (int i = 0; i < set->count; i++) {
        least = fmin(least, set->radii[i]);
        most = fmax(most, set->radii[i]);
    }
    fprintf(file, "spheres         %d, radii %.3g to %.3g mm\n", set->count, 1e3 * least, 1e3 * most);
    if (pack->report.thinned) {
        fprintf(file,
                "                (at most %.3g mm: of larger ones no masses have the thin mesh's centre)\n",
                1e3 * pack->report.radius);
    }
    fprintf(file, "  volume cover  %.1f %% of the mesh's volume (+- %.1f)\n", 100.0 * q->cover,
            100.0 * q->coverError);
    fprintf(file, "  surface gap   mean %.4g mm (+- %.2g), largest %.3g mm, of %d samples\n",
            1e3 * q->meanGap, 1e3 * q->meanGapError, 1e3 * q->largestGap, pack->samples);
    if (pack->tolerance > 0.0 && q->meanGap > 1.1 * pack->tolerance) {
        fprintf(file, "                (NOT the %.3g mm that were asked for: %s)\n", 1e3 * pack->tolerance,
                pack->count > 0 && pack->body.spheres.count >= pack->count
                    ? "--count came first"
                    : "the surface's samples were used up");
    }
    fprintf(file, "  protrusion    %.3g mm at most\n", 1e3 * q->protrusion);
    if (pack->body.normals.sphereCount > 0) {
        int total = pack->body.normals.firsts[set->count];
        fprintf(file, "  face normals  %d\n", total);
    }
}

// Relative error per axis: the three moments, then the largest product over the mean moment.
static void printInertiaRow(FILE* file, const char* name, const pbdrMat3* i, const pbdrMat3* solid)
{
    double mean = (solid->m[0][0] + solid->m[1][1] + solid->m[2][2]) / 3.0;
    double product = fmax(fabs(i->m[0][1] - solid->m[0][1]),
                          fmax(fabs(i->m[0][2] - solid->m[0][2]), fabs(i->m[1][2] - solid->m[1][2])));
    fprintf(file, "  %-14s%+-10.2g %+-10.2g %+-10.2g %-10.2g %.2g\n", name, i->m[0][0] / solid->m[0][0] - 1.0,
            i->m[1][1] / solid->m[1][1] - 1.0, i->m[2][2] / solid->m[2][2] - 1.0, product / mean,
            pbdrGetInertiaError(i, solid));
}

static void printMasses(FILE* file, const Pack* pack)
{
    const pbdrPackedBody* body = &pack->body;
    const pbdrMassProperties* solid = &body->solid;
    pbdrMassProperties now = pbdrSphereSet_GetMassProperties(&body->spheres);
    fprintf(file, "mass            %.9g kg; density %.6g kg/m^3\n", solid->mass, solid->mass / solid->volume);
    fprintf(file, "centre of mass  (%.6g, %.6g, %.6g) m; spheres off by %.2g m", solid->centre.x,
            solid->centre.y, solid->centre.z, getDistance(now.centre, solid->centre));
    if (body->exactMasses) {
        fprintf(file, ", before the fit %.2g m", getDistance(pack->report.before.centre, solid->centre));
    }
    fprintf(file, "\nmasses          ");
    if (!body->exactMasses) {
        fprintf(file, "%s\n", pack->spheresPath != NULL ? "as read, scaled to the mass" : "uniform");
    } else {
        switch (body->fit.rung) {
        case pbdr_massesClosedForm:
            fprintf(file, "exact, by the closed form");
            break;
        case pbdr_massesClamped:
            fprintf(file, "exact, clamped (%d Newton steps)", body->fit.newtonSteps);
            break;
        case pbdr_massesExtraInertia:
            fprintf(file, "exact with extra inertia: no masses of these spheres have the solid's inertia");
            break;
        }
        fprintf(file, "; the lightest has %.3g of its base mass\n", body->fit.smallestRatio);
    }
    fprintf(file, "inertia         Ixx %.6g, Iyy %.6g, Izz %.6g, Ixy %.3g, Ixz %.3g, Iyz %.3g kg m^2\n",
            solid->inertia.m[0][0], solid->inertia.m[1][1], solid->inertia.m[2][2], solid->inertia.m[0][1],
            solid->inertia.m[0][2], solid->inertia.m[1][2]);
    fprintf(file, "  relative error of Ixx       Iyy        Izz        products   all\n");
    printInertiaRow(file, pack->spheresPath != NULL ? "as read" : "equal masses",
                    &pack->report.before.inertia, &solid->inertia);
    if (body->exactMasses) {
        for (int k = 0; k < 9; k++) {
            now.inertia.m[k / 3][k % 3] += body->extraInertia.m[k / 3][k % 3];
        }
        printInertiaRow(file, "fitted", &now.inertia, &solid->inertia);
    }
}

// A body pushed at its centre's height h tips iff mu h > reach (docs/packing.md).
static void printSupport(FILE* file, const Pack* pack)
{
    enum { DIRECTIONS = 8 };
    const pbdrPackingQuality* q = &pack->body.quality;
    fprintf(file,
            "support         %d corners, %.4g cm^2 (the mesh's base %.4g); margin %.3g mm (mesh %.3g)\n",
            q->supportCount, 1e4 * q->supportArea, 1e4 * q->meshSupportArea, 1e3 * q->margin,
            1e3 * q->meshMargin);
    fprintf(file, "  centre height %.4g mm above the support\n", 1e3 * q->centreHeight);
    if (q->supportCount < 3 || !(q->margin > 0.0)) {
        fprintf(file, "  tipping       %s\n",
                q->supportCount < 3 ? "it stands on a point or a line: it rolls or tips by itself"
                                    : "the centre of mass is not above the support: it tips by itself");
        return;
    }
    fprintf(file,
            "  tipping       pushed at its centre of mass it stays upright, whatever the direction, up "
            "to mu = %.3g\n",
            q->margin / q->centreHeight);
    double reach[DIRECTIONS];
    fprintf(file, "  push towards  ");
    for (int k = 0; k < DIRECTIONS; k++) {
        double angle = 2.0 * acos(-1.0) * k / DIRECTIONS;
        reach[k] = pbdrPackingQuality_GetReach(q, (pbdrVec3){cos(angle), sin(angle), 0.0});
        fprintf(file, "%-8d", 360 * k / DIRECTIONS);
    }
    fprintf(file, "deg from +x\n  reach         ");
    for (int k = 0; k < DIRECTIONS; k++) {
        fprintf(file, "%-8.3g", 1e3 * reach[k]);
    }
    fprintf(file, "mm\n  mu up to      ");
    for (int k = 0; k < DIRECTIONS; k++) {
        fprintf(file, "%-8.3g", reach[k] / q->centreHeight);
    }
    fprintf(file, "\n");
}

void printPackReport(FILE* file, const Pack* pack)
{
    const double* s = pack->seconds;
    printMesh(file, pack);
    printSpheres(file, pack);
    printMasses(file, pack);
    printSupport(file, pack);
    fprintf(file, "cost            %.3g s solid, %.3g s packing, %.3g s masses, %.3g s measuring\n",
            s[pbdr_packStageSolid], s[pbdr_packStageSpheres], s[pbdr_packStageMasses],
            s[pbdr_packStageQuality]);
    if (pack->outPath != NULL) {
        fprintf(file, "written         %s\n", pack->outPath);
    }
    if (pack->picturePath != NULL) {
        fprintf(file, "picture         %s\n", pack->picturePath);
    }
}

static void warnOfVolume(FILE* file, const Pack* pack)
{
    double share = pack->body.volumeError / pack->body.solid.volume;
    if (pack->wrap && share > 0.01) {
        fprintf(file,
                "pbdr pack: warning: %s: the wrap's volume is known to %.2g %% only; a finer grid knows it "
                "better: --wrap-cell %.2g\n",
                pack->meshPath, 100.0 * share, 0.5 * pack->report.wrapCell);
    }
}

// Thin walls hold thin spheres, and the volume goes with their number.
void printPackWarnings(FILE* file, const Pack* pack)
{
    warnOfVolume(file, pack);
    const pbdrPackingQuality* q = &pack->body.quality;
    // Touching balls of a grid cover pi/6 of a solid that has no walls at all.
    bool grid = pack->spheresPath == NULL && pack->packing == packingGrid;
    double whole = grid ? acos(-1.0) / 6.0 : 1.0;
    if (!pack->body.hasQuality || q->cover >= PBDR_LOW_COVER * whole) {
        return;
    }
    fprintf(file, "pbdr pack: warning: %s: the spheres cover only %.0f %% of the volume", pack->meshPath,
            100.0 * q->cover);
    double wanted = ceil(pack->body.spheres.count * 0.9 / fmax(q->cover, 0.01) / 100.0) * 100.0;
    if (pack->spheresPath != NULL) {
        fprintf(file, ": give more of them\n");
    } else if (grid) {
        fprintf(file, ": walls are thinner than the grid; --packing surface --count %.0f follows them\n",
                wanted);
    } else {
        fprintf(file, ": its walls are thin; smaller spheres, and more of them, cover more: --count %.0f\n",
                wanted);
    }
}

void printPackWays(FILE* file, const Pack* pack)
{
    const pbdrPackReport* report = &pack->report;
    if (report->ways == 0) {
        return;
    }
    fprintf(file, "pbdr pack: %s can be packed with", pack->meshPath);
    const char* join = " ";
    if ((report->ways & pbdr_wayVolumeError) != 0 && report->volumeError < WORST_ERROR * report->volume) {
        // rounded up in its second digit
        double share = report->volumeError / report->volume, unit = pow(10.0, floor(log10(share)) - 1.0);
        fprintf(file, "%s--max-volume-error %g (takes the mended mesh as it is)", join,
                ceil(share / unit) * unit);
        join = ", ";
    }
    if ((report->ways & pbdr_wayWrap) != 0) {
        fprintf(file, "%s--wrap (a closed surface about what it winds round)", join);
        join = ", ";
    }
    if ((report->ways & pbdr_wayHull) != 0) {
        fprintf(file, "%s--hull (its convex hull)", join);
    }
    fprintf(file, "\n");
}
