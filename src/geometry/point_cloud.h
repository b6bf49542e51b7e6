// Between the sources of point clouds.
//
//   points --> tree, neighbours --> normals --> areas --> winding number --> level set: a closed mesh
#ifndef PBDR_GEOMETRY_POINT_CLOUD_H
#define PBDR_GEOMETRY_POINT_CLOUD_H

#include "geometry/point_tree.h"
#include "pbdr/geometry.h"

// Points that stand for a piece of surface each. Arrays are in the order of the tree.
typedef struct pbdrOrientedCloud {
    int count;
    int neighbourCount; // per point
    int pairCount;      // the same or more: cells of the areas need more neighbours than normals
    pbdrPointTree tree;
    int32_t* pairs;     // pairCount per point, nearest first; freed once the areas are known
    pbdrVec3* normals;  // unit, outward
    double* areas;      // that a point stands for [m^2]
    double* reaches;    // distance of the farthest neighbour [m]
    double* radii;      // that its dipole is smoothed over [m]
    double medianReach; // [m]
    double area;        // sum [m^2]
    double noise;       // median rms distance of a neighbourhood from its plane [m]
    int components;     // that were oriented by themselves; 0 if normals were given
    bool inverted;      // the given normals faced inwards
    const pbdrHooks* hooks;
} pbdrOrientedCloud;

// What a point's dipole is smoothed over, in reaches. Less leaves noise of the sampling, more rounds edges.
#define PBDR_CLOUD_SMOOTHING 1.25
#define PBDR_CLOUD_NEIGHBOURS 12      // where points are not noisy
#define PBDR_CLOUD_CELL_NEIGHBOURS 24 // with 12, cells of random points are 5 % too large, with 24 below 1 %

// The mean distance of points at a reach: the root of the area of one. The disc out to the last of k
// neighbours holds k + 1/2 points, itself counted and the last one half.
double pbdrGetCloudSpacing(const pbdrOrientedCloud* cloud, double reach);

// Finds neighbours, normals, areas. neighbourCount 0: as many as the noise asks for. given: normals, or NULL.
// Frees what it made on failure.
pbdrStatus pbdrOrientCloud(const pbdrVec3* points, const pbdrVec3* given, int count, int neighbourCount,
                           const pbdrHooks* hooks, pbdrOrientedCloud* cloud, pbdrError* error);
void pbdrFreeOrientedCloud(pbdrOrientedCloud* cloud);

// How many neighbours it takes for neighbourhoods to look flat; 0 if they never do. *thickness is their
// median rms thickness, in reaches.
int pbdrChooseNeighbours(const pbdrPointTree* tree, double* thickness);
// The median rms thickness of neighbourhoods [m].
double pbdrMeasureCloudNoise(const pbdrPointTree* tree, int neighbourCount);
// Normals up to sign, by the principal axes of the neighbourhoods.
void pbdrEstimateCloudNormals(pbdrOrientedCloud* cloud);
// Makes the signs agree within each component, and numbers the components from 0 (parts, one per point).
pbdrStatus pbdrAgreeOnSigns(pbdrOrientedCloud* cloud, int32_t* parts, pbdrError* error);
// Turns components so that infinity is outside, and a component within another one bounds a cavity.
pbdrStatus pbdrTurnComponents(pbdrOrientedCloud* cloud, const int32_t* parts, pbdrError* error);
// Areas and reaches from the neighbours and normals.
void pbdrMeasureCloudAreas(pbdrOrientedCloud* cloud);

// --- The winding number ---

typedef struct pbdrDipole {
    pbdrVec3 centre; // of the areas [m]
    double reach;    // beyond which all points of the node are bare dipoles [m]
    pbdrVec3 moment; // sum of a n [m^2]
    double
        second[6]; // sum of a (p - centre) n^T, symmetric part: xx, yy, zz, xy + yx, xz + zx, yz + zy [m^3]
} pbdrDipole;

typedef struct pbdrCloudField {
    const pbdrOrientedCloud* cloud;
    pbdrDipole* dipoles; // one per node of the tree
} pbdrCloudField;

bool pbdrBuildCloudField(const pbdrOrientedCloud* cloud, pbdrCloudField* field);
void pbdrFreeCloudField(pbdrCloudField* field);
double pbdrGetCloudWinding(const pbdrCloudField* field, pbdrVec3 place);

// --- The level set ---

// A mesh of the level set; level and strayShare of the report are filled. Refused where the level is less
// than leastLevel, or as much over 1/2.
pbdrStatus pbdrMeshCloudField(const pbdrCloudField* field, double cellSize, double leastLevel,
                              const pbdrHooks* hooks, pbdrMesh* mesh, pbdrCloudReport* report,
                              pbdrError* error);

// --- From end to end ---

// A cloud in units of half its extent about the middle of its bounds: neither microns nor kilometres under-
// or overflow.
typedef struct pbdrUnitCloud {
    int count;
    pbdrVec3* points;
    const pbdrVec3* normals; // the cloud's; may be NULL
    pbdrVec3 middle;         // [m]
    double scale;            // [m]
    const pbdrHooks* hooks;
} pbdrUnitCloud;

// The caller's definition, of this version or an older one (may be NULL: the default).
pbdrStatus pbdrReadCloudDef(const pbdrCloudDef* def, pbdrCloudDef* own, pbdrError* error);

// Checks the definition and the points, too. Frees what it made on failure.
pbdrStatus pbdrMakeUnitCloud(const pbdrPointCloud* cloud, const pbdrCloudDef* def, pbdrUnitCloud* unit,
                             pbdrError* error);
void pbdrFreeUnitCloud(pbdrUnitCloud* unit);

// A mesh and report in units. cellSize 0: from the spacing. Unless it is strict, the mesh may be a bad one.
pbdrStatus pbdrReconstruct(const pbdrUnitCloud* unit, int neighbourCount, double cellSize, bool strict,
                           const pbdrHooks* hooks, pbdrMesh* mesh, pbdrCloudReport* report, pbdrError* error);

#endif
