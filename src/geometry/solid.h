// The solid that a mesh means, damaged or not: where the winding number of the mended surface is over 1/2.
#ifndef PBDR_GEOMETRY_SOLID_H
#define PBDR_GEOMETRY_SOLID_H

#include "geometry/triangle_tree.h"

typedef struct pbdrSolid {
    pbdrMesh mesh; // mended
    pbdrMeshRepair repair;
    pbdrVec3 lower, upper;         // bounds [m]
    double size;                   // their diagonal [m]
    pbdrTriangleTree whole;        // all facets: the winding number
    pbdrTriangleTree skin;         // those on the solid's boundary; empty if that is all of them
    int countAxis;                 // along which lines are counted
    bool overlaps;                 // parts of the surface lie inside the solid
    pbdrMassProperties properties; // of 1 kg
    double volumeError;            // of the volume, estimated; 0: exact [m^3]
    double skinArea;               // of the boundary [m^2]
    double* cumulated;             // area up to and with each facet of the skin [m^2]
    uint64_t steps;                // nodes and facets looked at to find the skin and the properties
} pbdrSolid;

// A point of the boundary.
typedef struct pbdrSkinSample {
    pbdrVec3 point;  // [m]
    pbdrVec3 normal; // outwards, unit
} pbdrSkinSample;

// Share of the volume that may be unknown unless the caller says otherwise.
#define PBDR_MAX_VOLUME_ERROR 0.01

// Refuses, with the reason, meshes that cannot be mended and those whose volume is not known to the share
// maxVolumeError. A refused solid is empty but for what is known of it: repair, properties.volume,
// volumeError.
pbdrStatus pbdrCreateSolid(const pbdrMesh* mesh, double maxVolumeError, const pbdrHooks* hooks,
                           pbdrSolid* solid, pbdrError* error);
void pbdrFreeSolid(pbdrSolid* solid);

// All but the mesh, which the caller has taken.
void pbdrFreeSolidTrees(pbdrSolid* solid);

// Facets on the boundary.
const pbdrTriangleTree* pbdrGetSkin(const pbdrSolid* solid);

bool pbdrIsInside(const pbdrSolid* solid, pbdrVec3 point);

// Whether a point of the surface with the given normal lies on the boundary, not within the solid or in a
// fold outside it. steps (may be NULL) is raised by what it took.
bool pbdrIsOnSkin(const pbdrSolid* solid, pbdrVec3 point, pbdrVec3 normal, uint64_t* steps);

// The point at `share` (0 to 1) of the boundary's area, at random within its facet. Stratified shares give
// samples uniform in area and without clumps.
pbdrSkinSample pbdrSampleSkin(const pbdrSolid* solid, double share, uint64_t* random);

// Mass properties of 1 kg by quadrature, and three standard errors of the volume [m^3]. Takes a bounded number
// of steps, which are added to *steps: with more facets along each line the error grows instead.
pbdrStatus pbdrIntegrateSolid(const pbdrSolid* solid, pbdrMassProperties* properties, double* volumeError,
                              uint64_t* steps, pbdrError* error);

// Makes solid->skin of the facets and parts of facets on the boundary. Adds what it took to *steps.
pbdrStatus pbdrPlantSkin(pbdrSolid* solid, uint64_t* steps, pbdrError* error);

#endif
