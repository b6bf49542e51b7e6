// How well meshes of point clouds have the solid's volume, centre and inertia, and how well the stated errors cover
// that: the table of docs/theory/clouds.md, as CSV on stdout.
//
//     build/measure/clouds build/data/bunny.stl
//
// A row per kind of cloud: root mean squares over the clouds of the true and of the stated errors (volume relative,
// centre in half extents, inertia over I_zz), the largest share of a true error in its stated one, the mean error of the
// volume, and processor times of a cloud.
#include "draw.h"
#include "pbdr/geometry.h"
#include "pbdr/meshfile.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_POINTS 100000
#define TORUS_RADIUS 0.4 // of the tube; 1 of its axis

typedef enum Shape { sphereShape, cubeShape, torusShape, bunnyShape } Shape;
static const char* const shapeNames[] = {"sphere", "cube", "torus", "bunny"};

static pbdrVec3 points[MAX_POINTS], normals[MAX_POINTS];
static pbdrMesh bunny;
static double largestCross; // of the bunny's facets
static Draw draw;

static double drawBetween(double low, double high)
{
    return low + (high - low) * drawUniform(&draw);
}

static double drawGaussian(void)
{
    double radius = sqrt(-2.0 * log(drawUniform(&draw)));
    return radius * cos(drawBetween(0.0, 2.0 * BENCH_PI));
}

static void sampleSphere(int i)
{
    double z = drawBetween(-1.0, 1.0), angle = drawBetween(0.0, 2.0 * BENCH_PI), r = sqrt(1.0 - z * z);
    points[i] = normals[i] = benchVec(r * cos(angle), r * sin(angle), z);
}

static void sampleCube(int i)
{
    int face = (int)drawBetween(0.0, 6.0), axis = face / 2;
    double p[3], n[3] = {0.0, 0.0, 0.0};
    p[axis] = n[axis] = face % 2 == 0 ? -1.0 : 1.0;
    p[(axis + 1) % 3] = drawBetween(-1.0, 1.0);
    p[(axis + 2) % 3] = drawBetween(-1.0, 1.0);
    points[i] = benchVec(p[0], p[1], p[2]);
    normals[i] = benchVec(n[0], n[1], n[2]);
}

// The tube's outer side has more area than its inner one: rejection.
static void sampleTorus(int i)
{
    double tube, around = drawBetween(0.0, 2.0 * BENCH_PI);
    do {
        tube = drawBetween(0.0, 2.0 * BENCH_PI);
    } while (drawBetween(0.0, 1.0 + TORUS_RADIUS) > 1.0 + TORUS_RADIUS * cos(tube));
    double r = 1.0 + TORUS_RADIUS * cos(tube);
    points[i] = benchVec(r * cos(around), r * sin(around), TORUS_RADIUS * sin(tube));
    normals[i] = benchVec(cos(tube) * cos(around), cos(tube) * sin(around), sin(tube));
}

static pbdrVec3 getCross(int t, pbdrVec3 corners[3])
{
    for (int k = 0; k < 3; k++) {
        corners[k] = bunny.vertices[bunny.triangles[t][k]];
    }
    return benchCross(benchSub(corners[1], corners[0]), benchSub(corners[2], corners[0]));
}

// A triangle by its area: rejection against the largest.
static void sampleBunny(int i)
{
    pbdrVec3 c[3], cross;
    do {
        cross = getCross((int)drawBetween(0.0, (double)bunny.triangleCount), c);
    } while (drawBetween(0.0, largestCross) > benchLength(cross));
    double u = drawUniform(&draw), v = drawUniform(&draw);
    if (u + v > 1.0) {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    points[i] = benchAddScaled(benchAddScaled(c[0], u, benchSub(c[1], c[0])), v, benchSub(c[2], c[0]));
    normals[i] = benchScale(1.0 / benchLength(cross), cross);
}

// noise: standard deviation along each axis.
static void sampleShape(Shape shape, int count, double noise, uint64_t seed)
{
    static void (*const samplers[])(int) = {sampleSphere, sampleCube, sampleTorus, sampleBunny};
    draw.state = 1000003 * seed + (uint64_t)count;
    for (int i = 0; i < count; i++) {
        samplers[shape](i);
        if (noise > 0.0) {
            pbdrVec3 d = benchVec(drawGaussian(), drawGaussian(), drawGaussian());
            points[i] = benchAddScaled(points[i], noise, d);
        }
    }
}

static void stopWith(const char* what, const pbdrError* error)
{
    fprintf(stderr, "clouds: %s: %s\n", what, error->message);
    exit(1);
}

// Of a unit mass.
static pbdrMassProperties getTruth(Shape shape)
{
    double r2 = TORUS_RADIUS * TORUS_RADIUS;
    pbdrMassProperties p = {.mass = 1.0};
    pbdrError error = {.message = ""};
    if (shape == bunnyShape) {
        if (pbdrMesh_GetMassProperties(&bunny, 1.0, &p, &error) != pbdr_statusOk) {
            stopWith("bunny", &error);
        }
    } else if (shape == torusShape) {
        p.volume = 2.0 * BENCH_PI * BENCH_PI * r2;
        p.inertia.m[0][0] = p.inertia.m[1][1] = 0.5 + 5.0 / 8.0 * r2;
        p.inertia.m[2][2] = 1.0 + 0.75 * r2;
    } else {
        p.volume = shape == cubeShape ? 8.0 : 4.0 * BENCH_PI / 3.0;
        p.inertia.m[0][0] = p.inertia.m[1][1] = p.inertia.m[2][2] = shape == cubeShape ? 2.0 / 3.0 : 0.4;
    }
    return p;
}

// Sums of squares of true and stated errors of volume, centre and inertia.
typedef struct Sums {
    double is[3], said[3], worst, bias, meshSeconds, errorSeconds;
    int clouds, refused;
} Sums;

static void addError(Sums* sums, int kind, double is, double said)
{
    sums->is[kind] += is * is;
    sums->said[kind] += said * said;
    sums->worst = fmax(sums->worst, fabs(is) / said);
}

static void addCloud(Sums* sums, Shape shape, const pbdrPointCloud* cloud)
{
    pbdrMassProperties truth = getTruth(shape), p = {0};
    pbdrMassErrors e = {0};
    pbdrCloudReport report;
    pbdrMesh mesh;
    pbdrError error = {.message = ""};
    clock_t begun = clock();
    if (pbdrMeshPointCloud(cloud, NULL, NULL, &mesh, &report, &error) != pbdr_statusOk) {
        sums->refused++;
        return;
    }
    clock_t meshed = clock();
    if (pbdrMesh_GetMassProperties(&mesh, 1.0, &p, &error) != pbdr_statusOk) {
        stopWith(shapeNames[shape], &error);
    }
    if (pbdrPointCloud_EstimateMassErrors(cloud, NULL, &mesh, &report, 1.0, &e, &error) != pbdr_statusOk) {
        sums->refused++;
        pbdrMesh_Free(&mesh);
        return;
    }
    sums->meshSeconds += (double)(meshed - begun) / CLOCKS_PER_SEC;
    sums->errorSeconds += (double)(clock() - meshed) / CLOCKS_PER_SEC;
    sums->bias += p.volume / truth.volume - 1.0;
    addError(sums, 0, p.volume / truth.volume - 1.0, e.volume / truth.volume);
    pbdrVec3 d = benchSub(p.centre, truth.centre);
    addError(sums, 1, d.x, e.centre.x);
    addError(sums, 1, d.y, e.centre.y);
    addError(sums, 1, d.z, e.centre.z);
    double size = truth.inertia.m[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            addError(sums, 2, (p.inertia.m[i][j] - truth.inertia.m[i][j]) / size, e.inertia.m[i][j] / size);
        }
    }
    sums->clouds++;
    pbdrMesh_Free(&mesh);
}

static void measure(Shape shape, int count, double noise, bool oriented, int seeds)
{
    static const int numbers[] = {1, 3, 6};
    Sums sums = {0};
    pbdrError error = {.message = ""};
    for (int seed = 1; seed <= seeds; seed++) {
        pbdrPointCloud cloud;
        sampleShape(shape, count, noise, (uint64_t)seed);
        if (pbdrCreatePointCloud(points, oriented ? normals : NULL, count, NULL, &cloud, &error) !=
            pbdr_statusOk) {
            stopWith(shapeNames[shape], &error);
        }
        addCloud(&sums, shape, &cloud);
        pbdrPointCloud_Free(&cloud);
    }
    printf("%s,%d,%g,%s,%d,%d", shapeNames[shape], count, noise, oriented ? "given" : "none", sums.clouds,
           sums.refused);
    for (int k = 0; k < 3; k++) {
        double n = numbers[k] * sums.clouds;
        printf(",%.3g,%.3g", sqrt(sums.is[k] / n), sqrt(sums.said[k] / n));
    }
    printf(",%.3g,%.3g,%.3g,%.3g\n", sums.worst, sums.bias / sums.clouds, sums.meshSeconds / sums.clouds,
           sums.errorSeconds / sums.clouds);
    fflush(stdout);
}

int main(int argc, char** argv)
{
    pbdrError error = {.message = ""};
    if (argc != 2) {
        fprintf(stderr, "usage: clouds BUNNY.stl\n");
        return 2;
    }
    // A half extent of 1, as the other shapes have.
    if (pbdrLoadMesh(argv[1], NULL, &bunny, NULL, &error) != pbdr_statusOk ||
        pbdrMesh_FitCube(&bunny, 2.0, &error) != pbdr_statusOk) {
        stopWith(argv[1], &error);
    }
    for (int t = 0; t < bunny.triangleCount; t++) {
        pbdrVec3 corners[3];
        largestCross = fmax(largestCross, benchLength(getCross(t, corners)));
    }
    puts("shape,points,noise,normals,clouds,refused,volume,volume_stated,centre,centre_stated,inertia,"
         "inertia_stated,"
         "worst_share,volume_bias,mesh_s,errors_s");
    for (int shape = sphereShape; shape <= bunnyShape; shape++) {
        measure((Shape)shape, 1000, 0.0, false, 12);
        measure((Shape)shape, 10000, 0.0, false, 12);
    }
    measure(sphereShape, 10000, 0.02, false, 12);
    measure(bunnyShape, 100000, 0.0, false, 1);
    measure(bunnyShape, 1000, 0.0, true, 12);
    measure(bunnyShape, 10000, 0.0, true, 12);
    measure(bunnyShape, 100000, 0.0, true, 1);
    pbdrMesh_Free(&bunny);
    return 0;
}
