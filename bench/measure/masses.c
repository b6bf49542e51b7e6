// How exactly masses are fitted: the table of docs/theory/masses.md, as CSV on stdout.
//
//     build/measure/masses build/data/bunny.stl
//
// A row per set of spheres: how the masses were found, the smallest m/m0, Newton's steps, and the largest relative
// error of mass, centre (in radii of gyration) and inertia (of its largest entry).
#include "draw.h"
#include "pbdr/geometry.h"
#include "pbdr/meshfile.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SHELL_COUNT 200

static void stopWith(const char* what, const pbdrError* error)
{
    fprintf(stderr, "masses: %s: %s\n", what, error->message);
    exit(1);
}

// A solid block about the origin.
static pbdrMassProperties makeBlock(double mass, double x, double y, double z)
{
    double c = mass / 12.0;
    pbdrMassProperties p = {.mass = mass};
    p.inertia.m[0][0] = c * (y * y + z * z);
    p.inertia.m[1][1] = c * (x * x + z * z);
    p.inertia.m[2][2] = c * (x * x + y * y);
    return p;
}

// Summed in long double about the solid's centre, so that what is seen are the masses' errors.
static double getError(const pbdrSphereSet* set, const pbdrMassFit* fit, const pbdrMassProperties* solid)
{
    long double mass = 0.0L, first[3] = {0.0L}, second[3][3] = {{0.0L}};
    for (int i = 0; i < set->count; i++) {
        long double d[3] = {(long double)set->positions[i].x - (long double)solid->centre.x,
                            (long double)set->positions[i].y - (long double)solid->centre.y,
                            (long double)set->positions[i].z - (long double)solid->centre.z};
        long double m = (long double)set->masses[i];
        mass += m;
        for (int j = 0; j < 3; j++) {
            first[j] += m * d[j];
            for (int k = 0; k < 3; k++) {
                second[j][k] += m * d[j] * d[k];
            }
        }
    }
    double size = 0.0, worst = fabs((double)(mass - (long double)solid->mass)) / solid->mass;
    for (int j = 0; j < 3; j++) {
        size = fmax(size, solid->inertia.m[j][j]);
    }
    double gyration = sqrt(size / solid->mass);
    long double trace = second[0][0] + second[1][1] + second[2][2];
    for (int j = 0; j < 3; j++) {
        worst = fmax(worst, fabs((double)first[j]) / (solid->mass * gyration));
        for (int k = 0; k < 3; k++) {
            long double inertia = (j == k ? trace : 0.0L) - second[j][k];
            long double wanted = (long double)solid->inertia.m[j][k] - (long double)fit->extraInertia.m[j][k];
            worst = fmax(worst, fabs((double)(inertia - wanted)) / size);
        }
    }
    return worst;
}

static const char* const ways[] = {"closed form", "clamped", "extra inertia"};

// Fits the masses, writes the row and frees the spheres.
static void measure(const char* group, const char* label, pbdrSphereSet* set, const pbdrMassProperties* solid)
{
    pbdrMassFit fit;
    pbdrError error = {.message = ""};
    clock_t begun = clock();
    if (pbdrSphereSet_FitMasses(set, solid, &fit, &error) != pbdr_statusOk) {
        stopWith(label, &error);
    }
    double seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    printf("%s,%s,%d,%s,%.6g,%d,%.3g,%.3g\n", group, label, set->count, ways[fit.rung], fit.smallestRatio,
           fit.newtonSteps, getError(set, &fit, solid), seconds);
    pbdrSphereSet_Free(set);
}

static void measureGrid(const char* group, int nx, int ny, int nz)
{
    pbdrSphereSet set;
    pbdrError error = {.message = ""};
    char label[32];
    double a = 0.05;
    snprintf(label, sizeof label, "%dx%dx%d", nx, ny, nz);
    if (pbdrPackBox(nx, ny, nz, 0.5 * a, 4.0, NULL, &set, &error) != pbdr_statusOk) {
        stopWith(label, &error);
    }
    pbdrMassProperties solid = makeBlock(4.0, a * nx, a * ny, a * nz);
    measure(group, label, &set, &solid);
}

static void measureBunny(const char* path)
{
    const double radii[] = {0.020, 0.015, 0.010, 0.007, 0.005, 0.003};
    pbdrMesh mesh;
    pbdrMassProperties solid;
    pbdrError error = {.message = ""};
    if (pbdrLoadMesh(path, NULL, &mesh, NULL, &error) != pbdr_statusOk ||
        pbdrMesh_FitCube(&mesh, 0.2, &error) != pbdr_statusOk ||
        pbdrMesh_GetMassProperties(&mesh, 2.18, &solid, &error) != pbdr_statusOk) {
        stopWith(path, &error);
    }
    for (int k = 0; k < (int)(sizeof radii / sizeof radii[0]); k++) {
        pbdrSphereSet set;
        char label[32];
        snprintf(label, sizeof label, "r = %g mm", 1e3 * radii[k]);
        if (pbdrPackMesh(&mesh, radii[k], 2.18, NULL, &set, &error) != pbdr_statusOk) {
            stopWith(label, &error);
        }
        measure("bunny", label, &set, &solid);
    }
    pbdrMesh_Free(&mesh);
}

// Spheres at random in a thick or thin shell of an ellipsoid, with random base masses; the solid ellipsoid's inertia.
static void measureShell(Draw* draw, int count, double thickness)
{
    const double axes[3] = {0.1, 0.07, 0.05};
    pbdrSphereSet set;
    pbdrError error = {.message = ""};
    char label[32];
    snprintf(label, sizeof label, "thickness %.2f", thickness);
    if (pbdrPackRod(count, 0.005, 1.0, NULL, &set, &error) != pbdr_statusOk) {
        stopWith(label, &error);
    }
    for (int i = 0; i < count; i++) {
        pbdrVec3 d;
        double square;
        do {
            d = benchVec(2.0 * drawUniform(draw) - 1.0, 2.0 * drawUniform(draw) - 1.0,
                         2.0 * drawUniform(draw) - 1.0);
            square = benchDot(d, d);
        } while (square > 1.0 || square < 0.01);
        d = benchScale((1.0 - thickness * drawUniform(draw)) / sqrt(square), d);
        set.positions[i] = benchVec(axes[0] * d.x, axes[1] * d.y, axes[2] * d.z);
        set.masses[i] = 0.5 + drawUniform(draw);
    }
    // I_xx = M (b^2 + c^2)/5 is a block's of sides sqrt(12/5) times the half axes.
    double side = sqrt(2.4);
    pbdrMassProperties solid = makeBlock(1.7, side * axes[0], side * axes[1], side * axes[2]);
    measure("shells", label, &set, &solid);
}

int main(int argc, char** argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: masses BUNNY.stl\n");
        return 2;
    }
    puts("group,label,spheres,way,smallest_ratio,newton_steps,error,seconds");
    for (int n = 3; n <= 16; n++) {
        measureGrid("cubes", n, n, n);
    }
    measureGrid("flat", 2, 2, 2);
    measureGrid("flat", 4, 4, 1);
    measureGrid("flat", 10, 1, 1);
    measureBunny(argv[1]);
    Draw draw = {.state = 1};
    for (int k = 0; k < SHELL_COUNT; k++) {
        measureShell(&draw, 20 + 5 * k, (k % 8) / 7.0);
    }
    measureGrid("million", 100, 100, 100);
    return 0;
}
