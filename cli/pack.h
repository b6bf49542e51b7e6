// pbdr pack at work: what was asked for and what came out, for its report and its picture.
#ifndef PBDR_CLI_PACK_H
#define PBDR_CLI_PACK_H

#include "pbdr/bodyfile.h"

#include <stdio.h>

enum { packingGrid, packingSurface };
enum { massesUniform, massesExact };

typedef struct Pack {
    // Asked for; 0 or NULL: not given
    const char* meshPath;
    double size, scale, extent; // [m], 1, [m]
    double mass, density;       // [kg], [kg/m^3]
    int packing, masses;        // of the enums above
    double radius, tolerance;   // [m]
    int count;
    int seed;
    int samples; // that the packing is measured by
    bool contactNormals;
    bool isCloud;            // said to be points, whatever the file's name
    const char* spheresPath; // a body file, instead of packing
    const char *picturePath, *outPath;
    // What came out
    pbdrMesh mesh; // scaled
    pbdrMeshReport meshReport;
    bool cloud; // the file holds points, of which the mesh was made
    int pointCount;
    pbdrCloudReport cloudReport;
    // Standard errors of what the points say: volume and largest entry of the inertia, relative; centre, as a
    // share of the largest extent
    double cloudVolumeError, cloudCentreError, cloudInertiaError;
    bool repaired; // the mesh is damaged: repair says what was done to the copy that was packed
    pbdrMeshRepair repair;
    bool thinned; // radius is not the user's: larger spheres could not weigh right
    pbdrBodyFile body;
    pbdrMassProperties uniform; // of the spheres before the masses were fitted
    double packSeconds, fitSeconds, measureSeconds;
} Pack;

void printPackReport(FILE* file, const Pack* pack);

// The mesh and the spheres side by side, as SVG. False: no memory.
bool drawPackPicture(FILE* file, const Pack* pack);

// SHA-256 of a file, as 64 digits, and its size [bytes]. False with errno set if it cannot be read.
bool hashFile(const char* path, char digits[65], double* size);

#endif
