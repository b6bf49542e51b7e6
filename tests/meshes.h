// Meshes made in tests, sound ones and damaged ones.
#ifndef PBDR_TESTS_MESHES_H
#define PBDR_TESTS_MESHES_H

#include "check.h"
#include "math/random.h"
#include "math/vec.h"
#include "pbdr/geometry.h"

// Triangles without shared corners, to be joined by makeMesh.
typedef struct Soup {
    int count, capacity; // of triangles
    pbdrVec3 (*corners)[3];
} Soup;

static inline void addTriangle(Soup* soup, pbdrVec3 a, pbdrVec3 b, pbdrVec3 c)
{
    if (soup->count == soup->capacity) {
        soup->capacity = 2 * soup->capacity + 64;
        soup->corners = realloc(soup->corners, (size_t)soup->capacity * sizeof *soup->corners);
    }
    soup->corners[soup->count][0] = a;
    soup->corners[soup->count][1] = b;
    soup->corners[soup->count++][2] = c;
}

static inline void addBox(Soup* soup, pbdrVec3 lower, pbdrVec3 upper)
{
    static const int corners[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                       {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    pbdrVec3 v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = pbdrVec((i & 1) != 0 ? upper.x : lower.x, (i & 2) != 0 ? upper.y : lower.y,
                       (i & 4) != 0 ? upper.z : lower.z);
    }
    for (int t = 0; t < 12; t++) {
        addTriangle(soup, v[corners[t][0]], v[corners[t][1]], v[corners[t][2]]);
    }
}

// A ball of radius 1 + bump sin(3 around) sin(down)^3 in 2 n (m - 1) triangles. The seams and poles are the
// same corners each time.
static inline pbdrVec3 getBallPoint(int i, int n, int k, int m, double bump)
{
    double around = 2.0 * PBDR_PI * (i % n) / n, down = PBDR_PI * k / m;
    double s = k == 0 || k == m ? 0.0 : sin(down);
    double r = 1.0 + bump * sin(3.0 * around) * s * s * s;
    return pbdrVec(r * s * cos(around), r * s * sin(around), r * cos(down));
}

static inline void addBall(Soup* soup, pbdrVec3 centre, double radius, int n, int m, double bump)
{
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            pbdrVec3 a = pbdrAddScaled(centre, radius, getBallPoint(i, n, k, m, bump));
            pbdrVec3 b = pbdrAddScaled(centre, radius, getBallPoint(i + 1, n, k, m, bump));
            pbdrVec3 c = pbdrAddScaled(centre, radius, getBallPoint(i + 1, n, k + 1, m, bump));
            pbdrVec3 d = pbdrAddScaled(centre, radius, getBallPoint(i, n, k + 1, m, bump));
            if (k + 1 < m) {
                addTriangle(soup, a, d, c);
            }
            if (k > 0) {
                addTriangle(soup, a, c, b);
            }
        }
    }
}

static inline void addMesh(Soup* soup, const pbdrMesh* mesh)
{
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int32_t* c = mesh->triangles[t];
        addTriangle(soup, mesh->vertices[c[0]], mesh->vertices[c[1]], mesh->vertices[c[2]]);
    }
}

// Empties the soup.
static inline pbdrMesh makeMesh(Soup* soup)
{
    pbdrMesh mesh;
    int32_t(*triangles)[3] = calloc((size_t)soup->count + 1, sizeof *triangles);
    for (int i = 0; i < 3 * soup->count; i++) {
        triangles[i / 3][i % 3] = i;
    }
    pbdrError error = {0};
    pbdrStatus status =
        pbdrCreateMesh((const pbdrVec3*)soup->corners, 3 * soup->count, (const int32_t(*)[3])triangles,
                       soup->count, NULL, &mesh, NULL, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    free(triangles);
    free(soup->corners);
    memset(soup, 0, sizeof *soup);
    return mesh;
}

static inline pbdrMesh makeBoxMesh(pbdrVec3 lower, pbdrVec3 upper)
{
    Soup soup = {0};
    addBox(&soup, lower, upper);
    return makeMesh(&soup);
}

static inline pbdrMesh makeBallMesh(double radius, int n, int m, double bump)
{
    Soup soup = {0};
    addBall(&soup, pbdrVec(0.0, 0.0, 0.0), radius, n, m, bump);
    return makeMesh(&soup);
}

// --- Damage ---

typedef enum Damage {
    damageLost,          // facets missing
    damageFlipped,       // facets turned
    damageDoubled,       // facets twice
    damageDoubledTurned, // facets twice, the second one turned
    damageShifted,       // facets twice, the second one shifted a little
    damageMixed,         // each of these
    damageCount,
} Damage;

static inline void turnLast(Soup* soup)
{
    pbdrVec3* c = soup->corners[soup->count - 1];
    pbdrVec3 kept = c[1];
    c[1] = c[2];
    c[2] = kept;
}

// A copy of which a share of the facets, chosen at random, is damaged.
static inline pbdrMesh damageMesh(const pbdrMesh* mesh, Damage damage, double share, uint64_t seed)
{
    Soup soup = {0};
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int32_t* c = mesh->triangles[t];
        pbdrVec3 a = mesh->vertices[c[0]], b = mesh->vertices[c[1]], d = mesh->vertices[c[2]];
        double chance = pbdrNextUniform(&seed);
        Damage own = damage == damageMixed ? (Damage)(5.0 * pbdrNextUniform(&seed)) : damage;
        if (chance >= share) {
            addTriangle(&soup, a, b, d);
        } else if (own != damageLost) {
            addTriangle(&soup, a, b, d);
            if (own == damageDoubled || own == damageDoubledTurned) {
                addTriangle(&soup, a, b, d);
            } else if (own == damageShifted) {
                pbdrVec3 shift = pbdrScale(0.01, pbdrSub(upper, lower));
                addTriangle(&soup, pbdrAdd(a, shift), pbdrAdd(b, shift), pbdrAdd(d, shift));
            }
            if (own == damageFlipped || own == damageDoubledTurned) {
                turnLast(&soup);
            }
        }
    }
    return makeMesh(&soup);
}

// A copy without the facets whose middle is within a distance of a point.
static inline pbdrMesh cutHole(const pbdrMesh* mesh, pbdrVec3 point, double distance)
{
    Soup soup = {0};
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int32_t* c = mesh->triangles[t];
        pbdrVec3 a = mesh->vertices[c[0]], b = mesh->vertices[c[1]], d = mesh->vertices[c[2]];
        pbdrVec3 middle = pbdrScale(1.0 / 3.0, pbdrAdd(a, pbdrAdd(b, d)));
        if (pbdrLength(pbdrSub(middle, point)) > distance) {
            addTriangle(&soup, a, b, d);
        }
    }
    return makeMesh(&soup);
}

#endif
