// pbdr reference: the path that Test 7's box ought to take, as CSV.
#include "command.h"
#include "options.h"
#include "output.h"

#include "reference/pushing.h"
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Reference {
    int test;
    int model;
    BenchPushing pushing;
    const char* csvPath;
} Reference;

static const char* const modelNames[] = {"quasistatic", "dynamic", NULL}; // as BenchPushingModel

static bool parseTest(void* value, const char* text, const char** message)
{
    *message = "wanted 7: tests 1 to 6 have closed forms";
    *(int*)value = 7;
    return strcmp(text, "7") == 0;
}

// uniform, NxN, lattice:N; and two that show what other models make of it: ellipsoid, corners.
static bool parseSupport(void* value, const char* text, const char** message)
{
    BenchPushing* pushing = value;
    *message = "wanted uniform, NxN points (N from 2 to 100, such as 10x10), lattice:N (N from 1 to 100), "
               "corners or "
               "ellipsoid";
    pushing->pointReach = 0.0;
    pushing->lattice = false;
    if (strcmp(text, "uniform") == 0) {
        pushing->support = benchSupportUniform;
        return true;
    }
    if (strcmp(text, "ellipsoid") == 0) {
        pushing->support = benchSupportEllipsoid;
        return true;
    }
    pushing->support = benchSupportPoints;
    if (strcmp(text, "corners") == 0) {
        pushing->pointsPerAxis = 2;
        pushing->pointReach = pushing->halfSide;
        return true;
    }
    int rows = 0, columns = 0, used = 0;
    if (sscanf(text, "lattice:%3d%n", &rows, &used) == 1) {
        pushing->pointsPerAxis = rows + 1;
        pushing->lattice = true;
        return text[used] == 0 && rows >= 1 && rows <= 100;
    }
    if (sscanf(text, "%3dx%3d%n", &rows, &columns, &used) != 2 || text[used] != 0) {
        return false;
    }
    pushing->pointsPerAxis = rows;
    return rows == columns && rows >= 2 && rows <= 100;
}

static bool writeRows(FILE* file, const BenchPushingPath* path)
{
    fprintf(file, "t,x,y,theta\n");
    for (int k = 0; k < path->frameCount; k++) {
        const BenchPushingFrame* f = &path->frames[k];
        fprintf(file, "%.10g,%.12g,%.12g,%.12g\n", f->t, f->x, f->y, f->theta);
    }
    return fflush(file) == 0 && !ferror(file);
}

static void printMoment(const char* name, const BenchPushingFrame* f)
{
    if (isnan(f->t)) {
        benchPrintMessage("%-14s not within the duration\n", name);
    } else {
        benchPrintMessage("%-14s %.6f s: x %.6f m, y %.6f m, theta %.6f rad\n", name, f->t, f->x, f->y,
                          f->theta);
    }
}

static int execute(const Reference* reference)
{
    if (reference->csvPath != NULL && !probeOutput(reference->csvPath)) {
        return EXIT_FAILED;
    }
    BenchPushingPath path;
    pbdrError error;
    if (benchSolvePushing(&reference->pushing, &path, &error) != pbdr_statusOk) {
        benchPrintMessage("pbdr reference: %s\n", error.message);
        return EXIT_FAILED;
    }
    bool good = true;
    if (reference->csvPath != NULL) {
        Output output;
        good = openOutput(&output, reference->csvPath);
        if (good) {
            writeRows(output.file, &path); // closeOutput sees a failed write
            good = closeOutput(&output, true);
        }
    } else if (!writeRows(stdout, &path)) {
        benchPrintMessage("pbdr reference: cannot write to standard output\n");
        good = false;
    }
    printMoment("corner reached", &path.corner);
    printMoment("contact ends", &path.end);
    printMoment("at rest", &path.rest);
    benchFreePushingPath(&path);
    return good ? EXIT_OK : EXIT_FAILED;
}

// What single options cannot say.
static bool checkTogether(const BenchPushing* pushing)
{
    if (!(fabs(pushing->offset) < pushing->halfSide)) {
        benchPrintMessage("pbdr reference: --offset %g: the face ends at %g m\n", pushing->offset,
                          pushing->halfSide);
        return false;
    }
    if (pushing->tilt && pushing->support == benchSupportEllipsoid) {
        benchPrintMessage("pbdr reference: --tilt: --support ellipsoid has no pressure that could tilt\n");
        return false;
    }
    return true;
}

int commandReference(int argc, char** argv)
{
    Reference reference = {.test = 7, .pushing = benchDefaultPushing()};
    BenchPushing* p = &reference.pushing;
    const double side = 2.0 * p->halfSide;
    const Option table[] = {
        OPTION_CUSTOM("test", "N", "7, rod pushing a box (7)", &reference.test, parseTest),
        OPTION_CHOICE("model", "NAME", "quasistatic or dynamic (quasistatic)", &reference.model, modelNames),
        OPTION_CUSTOM("support", "NAME",
                      "uniform; NxN, the bottoms of a box of N^3 spheres; lattice:N, a flat base of N x N "
                      "cells as xpbdr's surface has it; corners; ellipsoid (uniform)",
                      p, parseSupport),
        OPTION_SWITCH("tilt", "pressure shifts with the push's height and the box's inertia", &p->tilt),
        OPTION_DOUBLE("offset", "D", "where the rod touches, from the face's middle [m] (0.02)", &p->offset,
                      -p->halfSide, p->halfSide),
        OPTION_ABOVE("mu", "M", "friction on the ground (0.4)", &p->groundFriction, 0, 10),
        OPTION_DOUBLE("mu-rod", "M", "friction at the rod (0.4)", &p->rodFriction, 0, 10),
        OPTION_DOUBLE("push-height", "Z", "of the rod above the ground, counts with --tilt [m] (0.02)",
                      &p->pushHeight, 0, side),
        OPTION_DOUBLE("rod-radius", "R", "of the rod's round tip [m] (0.01)", &p->rodRadius, 0, p->halfSide),
        OPTION_DOUBLE("duration", "S", "simulated time, in frames of 0.01 s [s] (10)", &p->duration,
                      p->frameTime, 1e4),
        OPTION_TEXT("csv", "FILE", "write t,x,y,theta there (standard output)", &reference.csvPath),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("reference", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr reference [OPTIONS]\n\nPrints Test 7's reference: time, place of the box's "
               "centre from its start and its turn (SI, rad), a row per frame;\n"
               "on standard error the moments that matter. Defaults in parentheses; the models are in "
               "docs/pushing.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (!checkTogether(p)) {
        return EXIT_USAGE;
    }
    p->model = (BenchPushingModel)reference.model;
    return execute(&reference);
}
