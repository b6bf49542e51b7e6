// Bodies of any shape in tests 4 and 6: do they stay upright where they must?
//
// A body that slides, pushed at its centre of mass or down a slope, is carried at mu h ahead of its projected
// centre of mass, h being that centre's height over the ground, whatever the force: it tips iff its support
// ends before, mu h > reach. The support is where the spheres touch the ground: xpbdr's contact is there.
// Mass, force and slope are the tests' own, 2.18 kg and 10 N, whatever the shape: so is the reference.
#ifndef PBDR_BENCH_SHAPES_H
#define PBDR_BENCH_SHAPES_H

#include "runner.h"

// Tilt up to which a body is upright, and from which it lies on another side of it [deg]. What is upright is
// so to rounding. What leaves its base leans if it comes down on the hull again before it lies.
#define SHAPE_UPRIGHT_TILT 0.1
#define SHAPE_TIPPED_TILT 5.0

// Reach within this share of mu h is too close to call.
#define SHAPE_CLOSE_CALL 1.0e-3

typedef enum ShapeVerdict {
    shapeUpright, // as it must
    shapeLeans,   // leaves its base as it must, and is held by what touches the ground next
    shapeTips,    // as it must
    shapeRolls,   // tips as it must, and on to the next facet: see pbdrStanding
    shapeClose,   // too close to call
    shapeFell,    // though it must stay upright
    shapeStayed,  // though it must tip
    shapeFailed,  // the run could not be made, or diverged
} ShapeVerdict;

// The worst of a test's runs.
typedef struct ShapeRuns {
    ShapeVerdict verdict;
    double position, rotation; // error at the end [m, deg]
    double tilt;               // largest [deg]
    uint32_t flags;            // pbdrStepFlag bits of all
} ShapeRuns;

#define SHAPE_TEST_COUNT 2 // tests 4 and 6

typedef struct ShapeResult {
    char name[96];
    char problem[PBDR_BENCH_MESSAGE]; // why it was refused; "" if it was not
    pbdrStanding standing;            // of the mesh as read, in its own unit
    int sphereCount;
    pbdrMassFit massFit;
    // Of the spheres against the solid: with equal masses the inertia, with exact ones mass, centre and
    // inertia, as shares of the mass, of 0.2 m and of the largest entry
    double uniformInertiaError, massError, centreError, inertiaError;
    double volume, volumeError; // [m^3]
    double meanGap, largestGap; // [m]
    double centreHeight;        // h, above the spheres' lowest points [m]
    double reach;               // of the spheres' support along the push [m]
    double needed;              // mu h [m]
    ShapeRuns runs[SHAPE_TEST_COUNT];
} ShapeResult;

int benchGetShapeTest(int index);

const char* benchGetVerdictName(ShapeVerdict verdict);

// Whether a shape is what the table must not have: one that was refused, or did not do what it must.
bool benchIsShapeBad(const ShapeResult* result);

// options: mesh, packing, duration and so on. A mesh that is refused is a result. progress may be NULL: told
// the share of the runs that is done; *stopped is set if it stopped them.
void benchTryShape(const BenchOptions* options, int seeds, BenchProgress progress, void* context,
                   ShapeResult* result, bool* stopped);

// An aligned table, the same in Markdown, and a CSV with everything in SI units.
void benchPrintShapes(FILE* file, const ShapeResult* results, int count, bool markdown);
void benchWriteShapesCsv(FILE* file, const ShapeResult* results, int count);

#endif
