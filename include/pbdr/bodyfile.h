// Body files: the spheres of one body with their masses, what they stand for, and where they came from, as
// JSON. A library of its own (libpbdr-bodyfile), because reading needs jansson and the core needs nothing.
//
//   {"schema": "pbdr-body/1", "centers": [[x, y, z], ...], "radii": [...], "masses": [...],
//    "face_normals": [[[x, y, z], ...], ...], "mass": m, "com": [x, y, z], "inertia": 3x3,
//    "extra_inertia": 3x3, "volume": V, "quality": {...}, "provenance": {...}}
//
// SI units, axes of the scaled mesh. centers and radii are as MorphIt has them and all that a file must have.
#ifndef PBDR_BODYFILE_H
#define PBDR_BODYFILE_H

#include "pbdr/geometry.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PBDR_BODY_SCHEMA "pbdr-body/1"

// Density of spheres whose file states no mass [kg/m^3]: water, and the paper's bunny.
#define PBDR_DEFAULT_DENSITY 1000.0

// How a packing was made; texts may be empty, numbers 0. None of it changes the body.
typedef struct pbdrBodyOrigin {
    char mesh[1024];     // path as it was given
    double meshSize;     // of that file [bytes]
    char meshSha256[65]; // of that file, in hexadecimal
    pbdrVec3 scale;      // body = scale * file + shift, axis by axis
    pbdrVec3 shift;      // [m]
    char options[512];   // of the packing, as on the command line
    char version[32];    // of pbdr
    double seed;
} pbdrBodyOrigin;

// One body. All-zero is empty; give it back with pbdrBodyFile_Free.
typedef struct pbdrBodyFile {
    pbdrSphereSet spheres;    // centres in the scaled mesh's frame
    pbdrFaceNormals normals;  // of the faces that the spheres touch; sphereCount 0: not known
    pbdrMassProperties solid; // of the mesh. Without (hasSolid): of the spheres as point masses
    pbdrMat3 extraInertia;    // of the body beyond its point masses, about its centre of mass [kg m^2]
    bool hasMasses;           // false: the file had none, and they go by the spheres' volumes
    bool hasSolid;            // the file states mass, com and inertia of what the spheres stand for
    bool hasQuality;          // quality, fit and the errors below mean something
    bool exactMasses;         // fitted to solid; fit then says how
    pbdrMassFit fit;
    pbdrPackingQuality quality; // its hooks own the support polygon
    double inertiaErrorBefore;  // |I - I_solid| / |I_solid| with equal masses
    double inertiaErrorAfter;   // the same with the masses and the extra inertia that are here
    pbdrBodyOrigin origin;
} pbdrBodyFile;

PBDR_API void pbdrBodyFile_Free(pbdrBodyFile* body);

// Whether this build can read body files. Writing needs nothing.
PBDR_API bool pbdrCanLoadBodyFile(void);

// Reads a file. Without masses, they share the file's mass, or PBDR_DEFAULT_DENSITY times the sum of the
// spheres' volumes, in proportion to the volumes; without mass, com and inertia, solid is that of the point
// masses and extraInertia. Keys that are not known are left alone. hooks may be NULL; jansson takes its own
// memory besides. On failure the body is empty.
//
// Messages begin with the path and name the line and column of what is no JSON, otherwise the key, the index
// and the value. pbdr_statusFileNotFound: cannot be opened or read; pbdr_statusFileFormat: damaged, or a
// value that no body has; pbdr_statusNoParticles: no spheres; pbdr_statusNotSupported: built without jansson.
PBDR_API pbdrStatus pbdrLoadBodyFile(const char* path, const pbdrHooks* hooks, pbdrBodyFile* body,
                                     pbdrError* error);

// Writes a body in the same format. Numbers have enough digits that reading them gives the same bits. What the
// body does not have is left out: masses without hasMasses, solid without hasSolid, quality without
// hasQuality, normals that are not known, empty texts. Refuses numbers that reading would refuse. A full disk
// may show only at the caller's fflush and ferror.
PBDR_API pbdrStatus pbdrBodyFile_Write(const pbdrBodyFile* body, FILE* file, pbdrError* error);

#ifdef __cplusplus
}
#endif

#endif
