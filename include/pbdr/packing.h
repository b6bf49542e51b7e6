// The whole way from a surface to a body: mended or closed, scaled, weighed, filled with spheres whose masses
// weigh what the solid weighs, and measured.
//
//   mesh or points --> closed mesh --> solid --> spheres --> masses --> faces --> quality
//
//     pbdrPackDef def = pbdrDefaultPackDef();
//     def.mass = 2.18;
//     def.count = 801;
//     pbdrPackedBody body;
//     if (pbdrPackMeshBody(&mesh, &def, NULL, &body, NULL, &error) == pbdr_statusOk) { ... }
//     pbdrPackedBody_Free(&body);
#ifndef PBDR_PACKING_H
#define PBDR_PACKING_H

#include "pbdr/geometry.h"

#ifdef __cplusplus
extern "C" {
#endif

// Spheres that cover less than this share of the solid's volume are a poor body: thin walls, or too few.
#define PBDR_LOW_COVER 0.5

// What the body's surface is.
typedef enum pbdrPackSource {
    pbdr_packMended = 0, // the mesh itself, its damage mended (pbdrRepairMesh)
    pbdr_packWrapped,    // a closed surface about what the mesh winds round (pbdrWrapMesh)
    pbdr_packHull,       // the mesh's convex hull
} pbdrPackSource;

// Where the spheres come from.
typedef enum pbdrPackSpheres {
    pbdr_packSurface = 0, // inside, tangent to the surface (pbdrPackSurface)
    pbdr_packGrid,        // the paper's grid (pbdrPackMesh)
    pbdr_packGiven,       // the caller's
} pbdrPackSpheres;

// What is under way, for progress.
typedef enum pbdrPackStage {
    pbdr_packStageSolid = 0,
    pbdr_packStageSpheres,
    pbdr_packStageMasses,
    pbdr_packStageQuality,
    pbdr_packStageCount,
} pbdrPackStage;

// Told at the start of each stage and now and then within (share: 0 to 1); returns false to stop.
typedef bool pbdrPackProgress(void* context, pbdrPackStage stage, double share);

// How to make a body; start from pbdrDefaultPackDef. One of mass and density must be set.
typedef struct pbdrPackDef {
    pbdrPackSource source;
    double wrapCell;       // of pbdr_packWrapped: the grid's cell [m] after scaling; 0: 1/PBDR_WRAP_CELLS of
                           // the largest extent
    double maxVolumeError; // share of the volume that may be unknown for holes and overlaps; default 0.01
    // Size: one of these at most; all 0: as the mesh stands
    double size;   // scale each axis to this, lower corner to the origin [m]
    double extent; // scale evenly, so that the largest extent is this [m]
    double scale;  // scale evenly by this
    // Weight
    double mass;    // [kg]
    double density; // in place of the mass [kg/m^3]
    // Spheres
    pbdrPackSpheres spheres;
    int count;      // at most; of a grid about. Without count, radius and tolerance: 1000
    double radius;  // of the spheres, of a surface packing the largest [m]
    double meanGap; // surface: add spheres until the mean distance of the surface from them is this [m]
    const pbdrSphereSet* given; // of pbdr_packGiven, in the scaled mesh's frame; masses of any unit
    bool uniformMasses;         // equal masses, or the given ones scaled; not fitted to the solid
    bool findNormals;           // of the faces that the spheres touch
    bool skipQuality;           // do not measure the packing
    uint64_t seed;              // the same seed gives the same bits
    int sampleCount;            // that the packing is measured by; 0: 100000
    pbdrPackProgress* progress; // may be NULL
    void* progressContext;
    uint32_t cookie; // set by pbdrDefaultPackDef
} pbdrPackDef;

PBDR_API pbdrPackDef pbdrDefaultPackDef(void);

// A finished body. All-zero is empty; give it back with pbdrPackedBody_Free.
typedef struct pbdrPackedBody {
    pbdrSphereSet spheres;    // centres in the scaled mesh's frame, masses fitted unless uniformMasses
    pbdrFaceNormals normals;  // sphereCount 0: not asked for
    pbdrMesh mesh;            // that the spheres stand for: closed and scaled
    bool overlaps;            // parts of that mesh lie inside others
    pbdrMassProperties solid; // of the mesh
    double volumeError;       // how far its volume is known; 0: exact [m^3]
    pbdrMat3 extraInertia;    // of the body beyond its point masses, about its centre of mass [kg m^2]
    bool exactMasses;         // fitted to solid; fit then says how
    pbdrMassFit fit;
    bool hasQuality; // the three below mean something
    pbdrPackingQuality quality;
    double inertiaErrorBefore; // |I - I_solid| / |I_solid| with the masses before the fit
    double inertiaErrorAfter;  // the same with the masses and the extra inertia that are here
    pbdrVec3 scale;            // mesh = scale * input + shift, axis by axis
    pbdrVec3 shift;            // [m]
} pbdrPackedBody;

PBDR_API void pbdrPackedBody_Free(pbdrPackedBody* body);

// Ways on for a mesh that was refused, as bits: each has been tried.
typedef enum pbdrPackWay {
    pbdr_wayVolumeError = 1, // a larger maxVolumeError: report's volumeError over its volume, or more
    pbdr_wayWrap = 2,        // pbdr_packWrapped
    pbdr_wayHull = 4,        // pbdr_packHull
} pbdrPackWay;

// What was met on the way; filled on failure as far as the way went.
typedef struct pbdrPackReport {
    pbdrMeshReport found; // what was wrong with the mesh as given
    bool damaged;         // anything at all; repair then says what was done to it
    pbdrMeshRepair repair;
    double volume, volumeError; // of the solid, also of one that was refused for its error [m^3]
    int ways;                   // bits of pbdrPackWay: what would pack a refused mesh
    double wrapCell;            // that was used [m]
    bool thinned;               // radius is not the caller's: larger spheres could not weigh right
    double radius;              // the largest that was asked for, or chosen if thinned [m]
    pbdrMassProperties before;  // of the spheres before the masses were fitted
    // Of a point cloud
    int pointCount; // 0: it was a mesh
    pbdrCloudReport cloud;
    double cloudVolumeError;  // standard errors: share of the volume,
    double cloudCentreError;  // share of the largest extent,
    double cloudInertiaError; // of the inertia's largest entry, share of its mean moment
} pbdrPackReport;

// Makes a body of a mesh. hooks and report may be NULL. On failure the body is empty and error says why;
// existing contents of *body are not freed. Refused: what no mesh can have and definitions that contradict
// themselves (pbdr_statusInvalidArgument); meshes that cannot be mended, or only with more than
// maxVolumeError (pbdr_statusMeshOpen, pbdr_statusMeshBroken: see report's ways); no room for a sphere
// (pbdr_statusNoParticles); masses that the spheres cannot have (pbdr_statusInvalidArgument). Stopped by
// progress: pbdr_statusStopped.
PBDR_API pbdrStatus pbdrPackMeshBody(const pbdrMesh* mesh, const pbdrPackDef* def, const pbdrHooks* hooks,
                                     pbdrPackedBody* body, pbdrPackReport* report, pbdrError* error);

// The same of points of a surface (pbdrMeshPointCloud; cloudDef NULL: the default).
PBDR_API pbdrStatus pbdrPackCloudBody(const pbdrPointCloud* cloud, const pbdrCloudDef* cloudDef,
                                      const pbdrPackDef* def, const pbdrHooks* hooks, pbdrPackedBody* body,
                                      pbdrPackReport* report, pbdrError* error);

// --- Closed surfaces for meshes that have none ---

// Cells along the largest extent unless said otherwise.
#define PBDR_WRAP_CELLS 96

// The surface at which the mesh's winding number is 1/2, on a grid of the given cell [m] (0:
// 1/PBDR_WRAP_CELLS of the largest extent): closed by construction, whatever the mesh's damage. Holes are
// closed by the surface at which a point sees as much of the mesh's inside as of its outside; walls thinner
// than a cell may be lost. volumeError (may be NULL): estimated, from a grid of twice the cell [m^3].
// Refused: meshes that wind round nothing, such as a sheet (pbdr_statusMeshBroken); more than 4 million nodes
// (pbdr_statusInvalidArgument). hooks may be NULL.
PBDR_API pbdrStatus pbdrWrapMesh(const pbdrMesh* mesh, double cell, const pbdrHooks* hooks, pbdrMesh* wrapped,
                                 double* volumeError, pbdrError* error);

// The mesh's convex hull as a closed mesh. Refused as pbdrCreateHull. hooks may be NULL.
PBDR_API pbdrStatus pbdrMakeHullMesh(const pbdrMesh* mesh, const pbdrHooks* hooks, pbdrMesh* hull,
                                     pbdrError* error);

#ifdef __cplusplus
}
#endif

#endif
