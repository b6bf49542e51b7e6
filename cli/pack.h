// pbdr pack at work: what was asked for and what came out, for its report and its picture.
#ifndef PBDR_CLI_PACK_H
#define PBDR_CLI_PACK_H

#include "pbdr/bodyfile.h"
#include "pbdr/packing.h"

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
    bool hull, wrap;         // what is packed in place of the mesh itself
    double wrapCell;         // [m]
    double maxVolumeError;   // share of the volume
    const char* spheresPath; // a body file, instead of packing
    const char *picturePath, *outPath;
    // What came out
    int vertexCount, triangleCount; // of the file
    bool cloud;                     // the file holds points
    pbdrPackedBody body;
    pbdrPackReport report;
    double seconds[pbdr_packStageCount]; // of processor time
} Pack;

extern const char* const packingNames[]; // by the enums above, and NULL
extern const char* const massNames[];

// Names the file where the message does not yet. Returns the exit code.
int failPack(const char* path, const pbdrError* error);

// --- pack_files.c ---

// Makes the body of the mesh or points in pack->meshPath by def, whose spheres are filled in. Returns the
// exit code; what is wrong stands on stderr.
int makePackBody(Pack* pack, pbdrPackDef* def);

// The body as a file to write: borrows everything of pack->body, frees nothing. False with errno set: the
// mesh cannot be read again for its hash.
bool fillPackFile(const Pack* pack, pbdrBodyFile* file);

// --- pack_report.c ---

void printPackReport(FILE* file, const Pack* pack);

// What the body is not good at, and the option that helps; nothing as a rule.
void printPackWarnings(FILE* file, const Pack* pack);

// Which options would pack a mesh that was refused.
void printPackWays(FILE* file, const Pack* pack);

// --- pack_picture.c ---

// The mesh and the spheres side by side, as SVG. False: no memory.
bool drawPackPicture(FILE* file, const Pack* pack);

// SHA-256 of a file, as 64 digits, and its size [bytes]. False with errno set if it cannot be read.
bool hashFile(const char* path, char digits[65], double* size);

#endif
