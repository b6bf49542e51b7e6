// From a scene's body to a shape. Geoms are packed with spheres one by one; masses are fitted to what the file says
// that the body weighs; the true surfaces of the geoms are the shape's surface.
#include "scenefile/shapes.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

#define DEFAULT_PER_SIDE 4
// Spheres of a geom at most, where nobody says how many: of worlds that touch by surfaces, and along one side of a box
// there; and of worlds that touch by spheres, which may leave no holes.
#define FEW_SPHERES 512
#define MAX_PER_SIDE 8
#define MANY_SPHERES 100000
// Of a mesh, likewise.
#define FEW_MESH_SPHERES 200
#define MANY_MESH_SPHERES 1000
// Points along the extent of a mesh, on its edges and in its facets. An arch of 11 wedges has 2600 contacts at 20.
#define MESH_POINTS 5.0
// Share of the mass of spheres that a counterweight balances.
#define LIGHT 1.0e-3

typedef struct Maker {
    const pbdrSceneFile* scene;
    const pbdrScenePacking* packing;
    bool spheresTouch; // the world's bodies touch by their spheres: no surfaces
    bool behindFacets; // a mesh without an inside is solid behind its facets, and not mended
    const pbdrHooks* hooks;
    pbdrRecipe* recipe; // NULL: none
    pbdrError* error;
    int geomCount;
    pbdrSphereSet* sets;      // of each geom, in its own frame; masses are volumes
    pbdrMesh* meshes;         // of mesh geoms, in the body's frame
    pbdrSurfaceDef* surfaces; // of each geom, in the body's frame
    pbdrSphereSet all;        // in the body's frame
} Maker;

// --- Spheres of one geom, in its own frame ---

static pbdrStatus reserve(const Maker* maker, int count, double radius, pbdrSphereSet* set)
{
    *set = (pbdrSphereSet){.count = count};
    if (maker->hooks != NULL) {
        set->hooks = *maker->hooks;
    }
    set->positions = pbdrAllocate(maker->hooks, (size_t)count, sizeof *set->positions);
    set->radii = pbdrAllocate(maker->hooks, (size_t)count, sizeof *set->radii);
    set->masses = pbdrAllocate(maker->hooks, (size_t)count, sizeof *set->masses);
    if (set->positions == NULL || set->radii == NULL || set->masses == NULL) {
        pbdrSphereSet_Free(set);
        return pbdrFail(maker->error, pbdr_statusNoMemory, "out of memory for %d spheres", count);
    }
    for (int i = 0; i < count; i++) {
        set->radii[i] = radius;
        set->masses[i] = 1.0;
    }
    return pbdr_statusOk;
}

// Spheres that the geom may have, and those along its shortest side.
static int getLimit(const Maker* maker, const pbdrSceneGeom* geom, int otherwise)
{
    return geom->sphereCount > 0           ? geom->sphereCount
           : maker->scene->sphereCount > 0 ? maker->scene->sphereCount
                                           : otherwise;
}

static double getRadius(const Maker* maker, double shortest, int perSide)
{
    double wanted = maker->packing->sphereRadius;
    return wanted > 0.0 ? fmin(wanted, 0.5 * shortest) : 0.5 * shortest / perSide;
}

static bool isChosen(const Maker* maker, const pbdrSceneGeom* geom)
{
    return geom->sphereCount > 0 || maker->scene->sphereCount > 0 || maker->packing->spheresPerSide > 0 ||
           maker->packing->sphereRadius > 0.0;
}

// The i-th of count spheres along a side, the outermost touching its ends.
static double getPlace(double half, double radius, int count, int index)
{
    return count == 1 ? 0.0 : (radius - half) + 2.0 * (half - radius) * index / (count - 1);
}

// How many spheres along each side: as many as fit at the spacing of a diameter, fewer where that is too many.
static double countBox(const Maker* maker, const pbdrSceneGeom* geom, int counts[3])
{
    const double half[3] = {geom->half.x, geom->half.y, geom->half.z};
    double shortest = 2.0 * fmin(half[0], fmin(half[1], half[2]));
    int perSide = maker->packing->spheresPerSide > 0 ? maker->packing->spheresPerSide : DEFAULT_PER_SIDE;
    int limit = getLimit(maker, geom, isChosen(maker, geom) ? PBDR_MAX_SPHERES : MANY_SPHERES);
    double radius = 0.0, total = HUGE_VAL;
    for (; perSide >= 1 && total > limit; perSide--) {
        radius = getRadius(maker, shortest, perSide);
        total = 1.0;
        for (int k = 0; k < 3; k++) {
            double fit = fmax(1.0, floor(half[k] / radius + 0.5));
            fit = fmin(fit, maker->spheresTouch || isChosen(maker, geom) ? 1000.0 : MAX_PER_SIDE);
            counts[k] = (int)fit;
            total *= fit;
        }
        if (maker->packing->sphereRadius > 0.0) {
            break;
        }
    }
    while (total > limit) { // flat: wider apart
        int longest = counts[0] >= counts[1] && counts[0] >= counts[2] ? 0 : counts[1] >= counts[2] ? 1 : 2;
        counts[longest] = counts[longest] > 1 ? counts[longest] - 1 : 1;
        total = (double)counts[0] * counts[1] * counts[2];
        if (total == 1.0) {
            break;
        }
    }
    return radius;
}

static pbdrStatus packBox(const Maker* maker, const pbdrSceneGeom* geom, pbdrSphereSet* set,
                          pbdrSurfaceDef* surface)
{
    int n[3] = {1, 1, 1}, i = 0;
    double radius = countBox(maker, geom, n);
    if ((double)n[0] * n[1] * n[2] > PBDR_MAX_SPHERES) {
        return pbdrFail(maker->error, pbdr_statusInvalidArgument, "%d x %d x %d spheres are too many", n[0],
                        n[1], n[2]);
    }
    pbdrStatus status = reserve(maker, n[0] * n[1] * n[2], radius, set);
    for (int x = 0; status == pbdr_statusOk && x < n[0]; x++) {
        for (int y = 0; y < n[1]; y++) {
            for (int z = 0; z < n[2]; z++) {
                set->positions[i++] =
                    pbdrVec(getPlace(geom->half.x, radius, n[0], x), getPlace(geom->half.y, radius, n[1], y),
                            getPlace(geom->half.z, radius, n[2], z));
            }
        }
    }
    surface->kind = pbdr_surfaceBox;
    surface->half = geom->half;
    for (int k = 0; k < 3; k++) {
        // as many points along a side as spheres, unless nobody asked for more than a cube has
        surface->counts[k] = n[k] < 2                ? 1
                             : isChosen(maker, geom) ? n[k] - 1
                                                     : (int)fmin(n[k] - 1, DEFAULT_PER_SIDE - 1);
    }
    return status;
}

static pbdrStatus packRound(const Maker* maker, const pbdrSceneGeom* geom, pbdrSphereSet* set,
                            pbdrSurfaceDef* surface)
{
    bool ball = geom->kind == pbdr_geomBall;
    double limit = ball ? 1.0 : getLimit(maker, geom, maker->spheresTouch ? MANY_SPHERES : FEW_SPHERES);
    double wanted = ball ? 1.0 : fmin(fmax(2.0, limit), ceil(2.0 * geom->halfLength / geom->radius) + 1.0);
    pbdrStatus status = reserve(maker, (int)wanted, geom->radius, set);
    for (int i = 0; status == pbdr_statusOk && !ball && i < set->count; i++) {
        set->positions[i].z = geom->halfLength * (2.0 * i / (set->count - 1) - 1.0);
    }
    surface->kind = ball ? pbdr_surfaceBall : pbdr_surfaceCapsule;
    surface->radius = geom->radius;
    surface->halfLength = ball ? 0.0 : geom->halfLength;
    return status;
}

// A flat disc: rings of spheres as thick as it is.
static pbdrStatus packDisc(const Maker* maker, const pbdrSceneGeom* geom, pbdrSphereSet* set)
{
    enum { ringCount = 4, perRing = 16 };
    double radius = fmin(geom->halfLength, 0.5 * geom->radius);
    pbdrStatus status = reserve(maker, 1 + ringCount * perRing, radius, set);
    for (int k = 0; status == pbdr_statusOk && k < ringCount * perRing; k++) {
        double far = (geom->radius - radius) * (k / perRing + 1) / ringCount;
        double angle = 2.0 * PBDR_PI * (k % perRing) / perRing;
        set->positions[1 + k] = pbdrVec(far * cos(angle), far * sin(angle), 0.0);
    }
    return status;
}

static pbdrStatus packCylinder(const Maker* maker, const pbdrSceneGeom* geom, pbdrSphereSet* set,
                               pbdrSurfaceDef* surface)
{
    double shortest = 2.0 * fmin(geom->radius, geom->halfLength), radius = 0.0, total = HUGE_VAL;
    int perSide = maker->packing->spheresPerSide > 0 ? maker->packing->spheresPerSide : DEFAULT_PER_SIDE;
    int limit = getLimit(maker, geom,
                         isChosen(maker, geom) ? PBDR_MAX_SPHERES
                         : maker->spheresTouch ? MANY_SPHERES
                                               : FEW_SPHERES);
    for (; perSide >= 1 && total > limit; perSide--) {
        radius = getRadius(maker, shortest, perSide);
        total = PBDR_PI * geom->radius * geom->radius * geom->halfLength / (4.0 * radius * radius * radius);
        if (maker->packing->sphereRadius > 0.0) {
            break;
        }
    }
    surface->kind = pbdr_surfaceCylinder;
    surface->radius = geom->radius;
    surface->halfLength = geom->halfLength;
    if (total > limit) {
        return packDisc(maker, geom, set);
    }
    return pbdrPackCylinder(geom->radius, 2.0 * geom->halfLength, radius, 1.0, maker->hooks, set,
                            maker->error);
}

// --- Meshes ---

// The mesh in the body's frame, as a surface of its own.
static pbdrStatus placeMesh(const Maker* maker, const pbdrSceneGeom* geom, const pbdrMesh* from,
                            pbdrMesh* mesh)
{
    pbdrStatus status =
        pbdrCreateMesh(from->vertices, from->vertexCount, (const int32_t(*)[3])from->triangles,
                       from->triangleCount, maker->hooks, mesh, NULL, maker->error);
    pbdrMat3 turn = pbdrMatFromQuat(pbdrNormalizeQ(geom->pose.rotation));
    for (int i = 0; status == pbdr_statusOk && i < mesh->vertexCount; i++) {
        mesh->vertices[i] = pbdrAdd(geom->pose.position, pbdrMulMV(&turn, mesh->vertices[i]));
    }
    return status;
}

static double getExtent(const pbdrMesh* mesh)
{
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    pbdrVec3 size = pbdrSub(upper, lower);
    return fmax(size.x, fmax(size.y, size.z));
}

// Of an open mesh, which others touch by its surface alone: one small sphere, so that there is a body.
static pbdrStatus packOpenMesh(const Maker* maker, const pbdrMesh* mesh, pbdrSphereSet* set)
{
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    pbdrStatus status = reserve(maker, 1, 1.0e-3 * getExtent(mesh), set);
    if (status == pbdr_statusOk) {
        set->positions[0] = pbdrScale(0.5, pbdrAdd(lower, upper));
    }
    return status;
}

// Packed as it is or mended; a mesh that cannot be, as its convex hull, which is what MuJoCo collides.
static pbdrStatus packClosedMesh(const Maker* maker, const pbdrSceneGeom* geom, const pbdrMesh* mesh,
                                 pbdrPackedBody* body)
{
    pbdrPackDef def = pbdrDefaultPackDef();
    def.density = 1.0;
    def.uniformMasses = true;
    def.skipQuality = true;
    def.radius = maker->packing->sphereRadius;
    def.count = def.radius > 0.0 && geom->sphereCount == 0
                    ? 0
                    : getLimit(maker, geom, maker->spheresTouch ? MANY_MESH_SPHERES : FEW_MESH_SPHERES);
    pbdrStatus status = pbdrPackMeshBody(mesh, &def, maker->hooks, body, NULL, maker->error);
    // one that was mended may still have edges of four facets, which no surface may
    if (status == pbdr_statusOk && !maker->spheresTouch) {
        status = pbdrMesh_Check(&body->mesh, NULL, maker->error);
    }
    if (status == pbdr_statusMeshOpen || status == pbdr_statusMeshBroken) {
        pbdrPackedBody_Free(body);
        def.source = pbdr_packHull;
        status = pbdrPackMeshBody(mesh, &def, maker->hooks, body, NULL, maker->error);
    }
    return status;
}

static pbdrStatus packMesh(const Maker* maker, const pbdrSceneGeom* geom, int index, pbdrSphereSet* set,
                           pbdrSurfaceDef* surface)
{
    const pbdrSceneMesh* entry = &maker->scene->meshes[geom->mesh];
    pbdrStatus status;
    bool open =
        entry->open || (maker->behindFacets && pbdrMesh_Check(&entry->mesh, NULL, NULL) != pbdr_statusOk);
    if (open) {
        status = packOpenMesh(maker, &entry->mesh, set);
        if (status == pbdr_statusOk) {
            status = placeMesh(maker, geom, &entry->mesh, &maker->meshes[index]);
        }
        surface->sides = pbdr_meshOneSided;
        surface->maxPoints = 0; // terrain: others touch it
    } else {
        pbdrPackedBody body = {.spheres.count = 0};
        status = packClosedMesh(maker, geom, &entry->mesh, &body);
        if (status == pbdr_statusOk) {
            status = pbdrSphereSet_Copy(&body.spheres, maker->hooks, set, maker->error);
        }
        if (status == pbdr_statusOk) {
            status = placeMesh(maker, geom, &body.mesh, &maker->meshes[index]);
        }
        pbdrPackedBody_Free(&body);
    }
    surface->kind = pbdr_surfaceMesh;
    surface->mesh = &maker->meshes[index];
    surface->spacing = geom->spacing > 0.0 ? geom->spacing : getExtent(&entry->mesh) / MESH_POINTS;
    surface->frame = (pbdrPose){.rotation = {1.0, 0.0, 0.0, 0.0}};
    return status;
}

static pbdrStatus packGeom(Maker* maker, const pbdrSceneGeom* geom, int index)
{
    pbdrSphereSet* set = &maker->sets[index];
    pbdrSurfaceDef* surface = &maker->surfaces[index];
    *surface = pbdrDefaultShapeDef().surface;
    surface->frame = geom->pose;
    surface->frame.rotation = pbdrNormalizeQ(geom->pose.rotation);
    switch (geom->kind) {
    case pbdr_geomBox:
        return packBox(maker, geom, set, surface);
    case pbdr_geomCylinder:
        return packCylinder(maker, geom, set, surface);
    case pbdr_geomMesh:
        return packMesh(maker, geom, index, set, surface);
    default:
        return packRound(maker, geom, set, surface);
    }
}

// --- All geoms together ---

// One more than there are, for a counterweight. Masses are volumes of spheres.
static pbdrStatus joinSets(Maker* maker, const pbdrSceneGeom* geoms)
{
    size_t count = 1;
    for (int g = 0; g < maker->geomCount; g++) {
        count += (size_t)maker->sets[g].count;
    }
    if (count > PBDR_MAX_SPHERES) {
        return pbdrFail(maker->error, pbdr_statusInvalidArgument, "%zu spheres are too many", count);
    }
    pbdrStatus status = reserve(maker, (int)count, 1.0, &maker->all);
    int at = 0;
    for (int g = 0; status == pbdr_statusOk && g < maker->geomCount; g++) {
        pbdrMat3 turn = pbdrMatFromQuat(pbdrNormalizeQ(geoms[g].pose.rotation));
        for (int i = 0; i < maker->sets[g].count; i++, at++) {
            double radius = maker->sets[g].radii[i];
            maker->all.positions[at] =
                pbdrAdd(geoms[g].pose.position, pbdrMulMV(&turn, maker->sets[g].positions[i]));
            maker->all.radii[at] = radius;
            maker->all.masses[at] = radius * radius * radius;
        }
    }
    return status;
}

// The mass and the centre by one more sphere: c' = c + e/(1 - e) (c - c1) with the rest at c1 and of the share e. For
// centres outside the hull of the spheres, which no masses above zero have. It touches nothing by surfaces.
static void balance(pbdrSphereSet* all, int count, const pbdrMassProperties* solid, pbdrMat3* extraInertia)
{
    pbdrSphereSet spheres = {
        .count = count, .positions = all->positions, .radii = all->radii, .masses = all->masses};
    const pbdrMassProperties light = pbdrSphereSet_GetMassProperties(&spheres);
    for (int i = 0; i < count; i++) {
        all->masses[i] *= LIGHT * solid->mass / light.mass;
    }
    all->positions[count] =
        pbdrAddScaled(solid->centre, LIGHT / (1.0 - LIGHT), pbdrSub(solid->centre, light.centre));
    all->masses[count] = (1.0 - LIGHT) * solid->mass;
    all->radii[count] = all->radii[0];
    const pbdrMassProperties made = pbdrSphereSet_GetMassProperties(all);
    *extraInertia = pbdrAddScaledMM(&solid->inertia, -1.0, &made.inertia);
}

// Masses of the spheres. Returns how many count: with the counterweight or without.
static int weigh(Maker* maker, const pbdrSceneBody* body, pbdrMat3* extraInertia)
{
    const int count = maker->all.count - 1;
    pbdrSphereSet spheres = maker->all;
    pbdrMassFit fit = {.newtonSteps = 0};
    pbdrMassProperties solid = body->solid;
    spheres.count = count;
    if (body->kind != pbdr_bodyDynamic) { // the origin as the centre, if that can be
        const pbdrMassProperties natural = pbdrSphereSet_GetMassProperties(&spheres);
        solid = (pbdrMassProperties){.mass = 1.0, .inertia = natural.inertia};
        for (int k = 0; k < 9; k++) {
            solid.inertia.m[k / 3][k % 3] /= natural.mass;
        }
        for (int k = 0; k < 3; k++) {
            solid.inertia.m[k][k] += maker->all.radii[0] * maker->all.radii[0];
        }
    }
    if (pbdrSphereSet_FitMasses(&spheres, &solid, &fit, NULL) == pbdr_statusOk) {
        *extraInertia = fit.extraInertia;
        return count;
    }
    if (body->kind != pbdr_bodyDynamic) {
        for (int i = 0; i < count; i++) {
            maker->all.masses[i] = 1.0 / count;
        }
        return count;
    }
    balance(&maker->all, count, &solid, extraInertia);
    return count + 1;
}

static pbdrStatus makeShape(Maker* maker, const pbdrSceneBody* body, const pbdrSceneGeom* geoms,
                            pbdrShape** shape)
{
    pbdrStatus status = pbdr_statusOk;
    for (int g = 0; status == pbdr_statusOk && g < maker->geomCount; g++) {
        status = packGeom(maker, &geoms[g], g);
    }
    if (status == pbdr_statusOk) {
        status = joinSets(maker, geoms);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrShapeDef def = pbdrDefaultShapeDef();
    if (maker->hooks != NULL) {
        def.hooks = *maker->hooks;
    }
    def.sphereCount = weigh(maker, body, &def.extraInertia);
    def.positions = maker->all.positions;
    def.radii = maker->all.radii;
    def.masses = maker->all.masses;
    if (maker->spheresTouch) {
        def.surface.kind = pbdr_surfaceNone;
    } else if (maker->geomCount == 1) {
        def.surface = maker->surfaces[0];
    } else {
        def.surface.kind = pbdr_surfaceCompound;
        def.surface.partCount = maker->geomCount;
        def.surface.parts = maker->surfaces;
    }
    if (maker->recipe != NULL) {
        pbdrRecipe_AddShape(maker->recipe, &def);
    }
    return pbdrCreateShape(&def, shape, maker->error);
}

pbdrStatus pbdrMakeSceneShape(const pbdrSceneFile* scene, const pbdrSceneBody* body,
                              const pbdrSceneGeom* geoms, int geomCount, const pbdrScenePacking* packing,
                              bool spheresTouch, const pbdrHooks* hooks, pbdrRecipe* recipe,
                              pbdrShape** shape, pbdrError* error)
{
    static const pbdrScenePacking none;
    const size_t count = (size_t)geomCount;
    Maker maker = {.scene = scene,
                   .packing = packing != NULL ? packing : &none,
                   .spheresTouch = spheresTouch,
                   .behindFacets = body->kind == pbdr_bodyStatic && !spheresTouch,
                   .hooks = hooks,
                   .recipe = recipe,
                   .error = error,
                   .geomCount = geomCount};
    *shape = NULL;
    for (int g = 0; g < geomCount; g++) {
        if (spheresTouch && geoms[g].kind == pbdr_geomMesh && scene->meshes[geoms[g].mesh].open) {
            return pbdrFail(error, pbdr_statusNotSupported,
                            "an open mesh has no spheres: use XPBD-R and contact by surfaces");
        }
    }
    maker.sets = pbdrAllocate(hooks, count, sizeof *maker.sets);
    maker.meshes = pbdrAllocate(hooks, count, sizeof *maker.meshes);
    maker.surfaces = pbdrAllocate(hooks, count, sizeof *maker.surfaces);
    pbdrStatus status = maker.sets != NULL && maker.meshes != NULL && maker.surfaces != NULL
                            ? makeShape(&maker, body, geoms, shape)
                            : pbdrFail(error, pbdr_statusNoMemory, "out of memory for %d geoms", geomCount);
    for (int g = 0; g < geomCount; g++) {
        if (maker.sets != NULL) {
            pbdrSphereSet_Free(&maker.sets[g]);
        }
        if (maker.meshes != NULL) {
            pbdrMesh_Free(&maker.meshes[g]);
        }
    }
    pbdrSphereSet_Free(&maker.all);
    pbdrRelease(hooks, maker.sets, count, sizeof *maker.sets);
    pbdrRelease(hooks, maker.meshes, count, sizeof *maker.meshes);
    pbdrRelease(hooks, maker.surfaces, count, sizeof *maker.surfaces);
    return status;
}
