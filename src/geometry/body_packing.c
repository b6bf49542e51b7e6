// From a mesh or points to a finished body, in stages:
//
//   scale --> close (mend, wrap or hull) --> weigh --> spheres --> masses --> faces --> quality
//
// The solid is made once and handed from stage to stage. Where it is refused, the ways on are tried, so that
// the report names only those that work.
#include "pbdr/packing.h"

#include "base.h"
#include "geometry/face_normals.h"
#include "geometry/solid_packing.h"
#include "math/vec.h"

#include <string.h>

#define DEF_COOKIE UINT32_C(0x9ac4b0d1)
#define DEFAULT_COUNT 1000

// Faces that spheres of a grid or of the caller touch, as a share of the mesh's largest extent.
#define TOUCH 1.0e-6

// Largest radius of the next try where spheres are too large to weigh right, and how many tries there are.
#define THINNER 0.8
#define THINNER_TRIES 3

// Grids that are tried for a count.
#define COUNT_TRIES 12

// Cells along the largest extent with which a wrap is tried as a way on.
#define TRIAL_CELLS 48.0

pbdrPackDef pbdrDefaultPackDef(void)
{
    return (pbdrPackDef){.maxVolumeError = PBDR_MAX_VOLUME_ERROR, .seed = 1, .cookie = DEF_COOKIE};
}

void pbdrPackedBody_Free(pbdrPackedBody* body)
{
    if (body == NULL) {
        return;
    }
    pbdrSphereSet_Free(&body->spheres);
    pbdrFaceNormals_Free(&body->normals);
    pbdrMesh_Free(&body->mesh);
    pbdrPackingQuality_Free(&body->quality);
    memset(body, 0, sizeof *body);
}

// What goes from stage to stage.
typedef struct Maker {
    const pbdrPackDef* def;
    const pbdrHooks* hooks;
    pbdrPackedBody* body;
    pbdrPackReport* report;
    pbdrSolid solid;
    int count;     // as in def, with the default
    double radius; // as in def, or thinner
    pbdrPackStage stage;
} Maker;

// --- Progress ---

static bool tell(void* context, double share)
{
    const Maker* maker = context;
    const pbdrPackDef* def = maker->def;
    return def->progress == NULL || def->progress(def->progressContext, maker->stage, share);
}

static pbdrStatus beginStage(Maker* maker, pbdrPackStage stage, pbdrError* error)
{
    maker->stage = stage;
    return tell(maker, 0.0) ? pbdr_statusOk
                            : pbdrFail(error, pbdr_statusStopped, "packing: stopped by the caller");
}

// --- The definition ---

static pbdrStatus checkDef(const pbdrPackDef* def, pbdrError* error)
{
    if (def->cookie != DEF_COOKIE) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "packing: not made by pbdrDefaultPackDef");
    }
    const struct {
        const char* name;
        double value;
    } numbers[] = {{"wrapCell", def->wrapCell}, {"maxVolumeError", def->maxVolumeError},
                   {"size", def->size},         {"extent", def->extent},
                   {"scale", def->scale},       {"mass", def->mass},
                   {"density", def->density},   {"radius", def->radius},
                   {"meanGap", def->meanGap}};
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (!isfinite(numbers[k].value) || numbers[k].value < 0.0) {
            return pbdrFail(error, pbdr_statusInvalidArgument, "%s: %g is not finite and at least zero",
                            numbers[k].name, numbers[k].value);
        }
    }
    if (def->count < 0) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "count: %d is below zero", def->count);
    }
    if ((def->size > 0.0) + (def->extent > 0.0) + (def->scale > 0.0) > 1) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "size, extent, scale: more than one is set");
    }
    if ((def->mass > 0.0) == (def->density > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mass %g kg, density %g kg/m^3: set one of them",
                        def->mass, def->density);
    }
    if (def->spheres == pbdr_packGiven && (def->given == NULL || def->given->count < 1)) {
        return pbdrFail(error, pbdr_statusNoParticles, "given: no spheres");
    }
    if (def->spheres == pbdr_packGrid && (def->meanGap > 0.0 || (def->radius > 0.0 && def->count > 0))) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "radius, count, meanGap: of a grid only one of radius and count can hold");
    }
    return pbdr_statusOk;
}

// --- The solid ---

static double getLargest(pbdrVec3 v)
{
    return fmax(v.x, fmax(v.y, v.z));
}

static pbdrVec3 getExtents(const pbdrMesh* mesh, pbdrVec3* lower)
{
    pbdrVec3 upper;
    pbdrMesh_GetBounds(mesh, lower, &upper);
    return pbdrSub(upper, *lower);
}

static pbdrStatus copyMesh(const pbdrMesh* from, const pbdrHooks* hooks, pbdrMesh* to, pbdrError* error)
{
    *to = (pbdrMesh){.vertexCount = from->vertexCount, .triangleCount = from->triangleCount};
    if (hooks != NULL) {
        to->hooks = *hooks;
    }
    to->vertices = pbdrAllocate(hooks, (size_t)from->vertexCount, sizeof *to->vertices);
    to->triangles = pbdrAllocate(hooks, (size_t)from->triangleCount, sizeof *to->triangles);
    if (to->vertices == NULL || to->triangles == NULL) {
        pbdrMesh_Free(to);
        return pbdrFail(error, pbdr_statusNoMemory, "no memory for %d triangles", from->triangleCount);
    }
    memcpy(to->vertices, from->vertices, (size_t)from->vertexCount * sizeof *to->vertices);
    memcpy(to->triangles, from->triangles, (size_t)from->triangleCount * sizeof *to->triangles);
    return pbdr_statusOk;
}

static pbdrStatus scaleMesh(Maker* maker, pbdrMesh* mesh, pbdrError* error)
{
    const pbdrPackDef* def = maker->def;
    pbdrPackedBody* body = maker->body;
    pbdrVec3 lower, extents = getExtents(mesh, &lower);
    if (def->size > 0.0) {
        body->scale = pbdrVec(def->size / extents.x, def->size / extents.y, def->size / extents.z);
        body->shift = pbdrVec(-body->scale.x * lower.x, -body->scale.y * lower.y, -body->scale.z * lower.z);
        return pbdrMesh_FitCube(mesh, def->size, error);
    }
    double largest = getLargest(extents);
    if (def->extent > 0.0 && !(largest > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh: has no extent to scale to %g m",
                        def->extent);
    }
    double factor = def->scale > 0.0 ? def->scale : def->extent > 0.0 ? def->extent / largest : 1.0;
    body->scale = pbdrVec(factor, factor, factor);
    for (int i = 0; i < mesh->vertexCount && factor != 1.0; i++) {
        mesh->vertices[i] = pbdrScale(factor, mesh->vertices[i]);
    }
    return pbdr_statusOk;
}

// Whether a mesh makes a solid by the given source; its trial is thrown away.
static bool wouldWork(const Maker* maker, const pbdrMesh* mesh, pbdrPackSource source)
{
    pbdrVec3 lower, extents = getExtents(mesh, &lower);
    pbdrMesh closed = {0};
    pbdrStatus status = source == pbdr_packHull ? pbdrMakeHullMesh(mesh, maker->hooks, &closed, NULL)
                                                : pbdrWrapMesh(mesh, getLargest(extents) / TRIAL_CELLS,
                                                               maker->hooks, &closed, NULL, NULL);
    pbdrMesh_Free(&closed);
    return status == pbdr_statusOk;
}

static void findWays(Maker* maker, const pbdrMesh* mesh, pbdrStatus status)
{
    pbdrPackReport* report = maker->report;
    if (status != pbdr_statusMeshOpen && status != pbdr_statusMeshBroken) {
        return;
    }
    if (status == pbdr_statusMeshOpen && report->volume > 0.0) {
        report->ways |= pbdr_wayVolumeError;
    }
    pbdrPackSource source = maker->def->source;
    if (source == pbdr_packMended && wouldWork(maker, mesh, pbdr_packWrapped)) {
        report->ways |= pbdr_wayWrap;
    }
    if (source != pbdr_packHull && wouldWork(maker, mesh, pbdr_packHull)) {
        report->ways |= pbdr_wayHull;
    }
}

static pbdrStatus closeMesh(Maker* maker, const pbdrMesh* mesh, pbdrError* error)
{
    const pbdrPackDef* def = maker->def;
    pbdrPackReport* report = maker->report;
    pbdrMesh closed = {0};
    double wrapError = 0.0;
    pbdrStatus status = pbdr_statusOk;
    if (def->source == pbdr_packWrapped) {
        pbdrVec3 lower, extents = getExtents(mesh, &lower);
        report->wrapCell = def->wrapCell > 0.0 ? def->wrapCell : getLargest(extents) / PBDR_WRAP_CELLS;
        status = pbdrWrapMesh(mesh, report->wrapCell, maker->hooks, &closed, &wrapError, error);
    } else if (def->source == pbdr_packHull) {
        status = pbdrMakeHullMesh(mesh, maker->hooks, &closed, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrCreateSolid(def->source == pbdr_packMended ? mesh : &closed, def->maxVolumeError,
                                 maker->hooks, &maker->solid, error);
        maker->solid.volumeError += wrapError;
        report->repair = maker->solid.repair;
        report->volume = maker->solid.properties.volume;
        report->volumeError = maker->solid.volumeError;
    }
    pbdrMesh_Free(&closed);
    return status;
}

static pbdrStatus makeSolid(Maker* maker, const pbdrMesh* mesh, pbdrError* error)
{
    pbdrMesh scaled;
    pbdrError check = {0};
    pbdrStatus status = pbdrMesh_Check(mesh, &maker->report->found, &check);
    if (status == pbdr_statusInvalidArgument || status == pbdr_statusNoMemory || mesh->triangleCount < 1) {
        return pbdrFail(error, status, "%s", check.message); // nothing that could be mended
    }
    maker->report->damaged = status != pbdr_statusOk;
    status = copyMesh(mesh, maker->hooks, &scaled, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    status = scaleMesh(maker, &scaled, error);
    if (status == pbdr_statusOk) {
        status = closeMesh(maker, &scaled, error);
        findWays(maker, &scaled, status);
    }
    pbdrMesh_Free(&scaled);
    return status;
}

static void weigh(Maker* maker)
{
    const pbdrPackDef* def = maker->def;
    pbdrMassProperties* solid = &maker->body->solid;
    *solid = maker->solid.properties; // of 1 kg
    solid->mass = def->mass > 0.0 ? def->mass : def->density * solid->volume;
    for (int k = 0; k < 9; k++) {
        solid->inertia.m[k / 3][k % 3] *= solid->mass;
    }
    maker->body->volumeError = maker->solid.volumeError;
    maker->body->overlaps = maker->solid.overlaps;
}

// --- Spheres ---

// The grid whose count is nearest to the one asked for. The count falls with the radius, but not evenly.
static pbdrStatus packCount(Maker* maker, pbdrError* error)
{
    pbdrPackedBody* body = maker->body;
    double best = HUGE_VAL, radius = 0.5 * cbrt(body->solid.volume / maker->count);
    pbdrStatus status = pbdr_statusNoParticles;
    for (int k = 0; k < COUNT_TRIES && best > 0.0; k++) {
        pbdrSphereSet set;
        pbdrStatus own =
            pbdrPackGrid(&maker->solid.mesh, radius, body->solid.mass, maker->hooks, &set, error);
        if (own != pbdr_statusOk && own != pbdr_statusNoParticles) {
            return status == pbdr_statusOk ? status : own;
        }
        double off = own == pbdr_statusOk ? fabs(set.count - (double)maker->count) : HUGE_VAL;
        double next = own == pbdr_statusOk ? cbrt((double)set.count / maker->count) : 0.8;
        if (off < best) {
            pbdrSphereSet_Free(&body->spheres);
            body->spheres = set;
            best = off;
            status = pbdr_statusOk;
        } else if (own == pbdr_statusOk) {
            pbdrSphereSet_Free(&set);
            next = sqrt(next) * (k % 2 == 0 ? 1.003 : 0.998); // off the beaten track
        }
        radius *= next;
        if (!tell(maker, (k + 1.0) / COUNT_TRIES)) {
            return pbdrFail(error, pbdr_statusStopped, "packing: stopped by the caller");
        }
    }
    return status;
}

static pbdrStatus packSurface(Maker* maker, pbdrError* error)
{
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = maker->count;
    def.radius = maker->radius;
    def.meanGap = maker->def->meanGap;
    def.seed = maker->def->seed;
    def.progress = tell;
    def.progressContext = maker;
    return pbdrPackSolid(&maker->solid, &def, maker->body->solid.mass, maker->hooks, &maker->body->spheres,
                         maker->def->findNormals ? &maker->body->normals : NULL, error);
}

// The caller's spheres, their masses scaled to the body's.
static pbdrStatus copyGiven(Maker* maker, pbdrError* error)
{
    pbdrSphereSet* set = &maker->body->spheres;
    pbdrStatus status = pbdrSphereSet_Copy(maker->def->given, maker->hooks, set, error);
    double sum = 0.0;
    for (int i = 0; i < set->count; i++) {
        sum += set->masses[i];
    }
    for (int i = 0; i < set->count; i++) {
        set->masses[i] *= maker->body->solid.mass / sum;
    }
    return status;
}

static pbdrStatus makeSpheres(Maker* maker, pbdrError* error)
{
    const pbdrPackDef* def = maker->def;
    pbdrPackedBody* body = maker->body;
    pbdrStatus status = def->spheres == pbdr_packGiven     ? copyGiven(maker, error)
                        : def->spheres == pbdr_packSurface ? packSurface(maker, error)
                        : maker->radius > 0.0
                            ? pbdrPackGrid(&maker->solid.mesh, maker->radius, body->solid.mass, maker->hooks,
                                           &body->spheres, error)
                            : packCount(maker, error);
    if (status == pbdr_statusOk && def->findNormals && body->normals.sphereCount == 0) {
        pbdrVec3 lower;
        double tolerance = TOUCH * getLargest(getExtents(&maker->solid.mesh, &lower));
        status = pbdrFindSolidNormals(&body->spheres, &maker->solid, NULL, tolerance, maker->hooks,
                                      &body->normals, error);
    }
    return status;
}

// --- Masses ---

static pbdrStatus makeMasses(Maker* maker, pbdrError* error)
{
    pbdrPackedBody* body = maker->body;
    pbdrPackReport* report = maker->report;
    report->before = pbdrSphereSet_GetMassProperties(&body->spheres);
    body->exactMasses = !maker->def->uniformMasses;
    pbdrStatus status = pbdr_statusOk;
    if (body->exactMasses) {
        status = pbdrSphereSet_FitMasses(&body->spheres, &body->solid, &body->fit, error);
        body->extraInertia = body->fit.extraInertia;
    }
    pbdrMat3 now = pbdrSphereSet_GetMassProperties(&body->spheres).inertia;
    for (int k = 0; k < 9; k++) {
        now.m[k / 3][k % 3] += body->extraInertia.m[k / 3][k % 3];
    }
    body->inertiaErrorBefore = pbdrGetInertiaError(&report->before.inertia, &body->solid.inertia);
    body->inertiaErrorAfter = pbdrGetInertiaError(&now, &body->solid.inertia);
    return status;
}

// Balls of a thin plate that touch both sides lie in one plane, and those at the rim of its base below: no
// masses have the plate's centre. Somewhat smaller balls touch one side each, and lie on both sides of it.
static pbdrStatus makeThinSpheres(Maker* maker, pbdrError* error)
{
    pbdrPackedBody* body = maker->body;
    pbdrStatus status = pbdr_statusInvalidArgument;
    for (int k = 0; k < THINNER_TRIES && status == pbdr_statusInvalidArgument; k++) {
        double largest = 0.0;
        for (int i = 0; i < body->spheres.count; i++) {
            largest = fmax(largest, body->spheres.radii[i]);
        }
        maker->radius = THINNER * largest;
        maker->report->thinned = true;
        pbdrSphereSet_Free(&body->spheres);
        pbdrFaceNormals_Free(&body->normals);
        status = makeSpheres(maker, error);
        status = status != pbdr_statusOk ? status : makeMasses(maker, error);
    }
    return status;
}

// --- The way ---

static pbdrStatus fillBody(Maker* maker, pbdrError* error)
{
    const pbdrPackDef* def = maker->def;
    pbdrPackedBody* body = maker->body;
    pbdrStatus status = beginStage(maker, pbdr_packStageSpheres, error);
    status = status != pbdr_statusOk ? status : makeSpheres(maker, error);
    status = status != pbdr_statusOk ? status : beginStage(maker, pbdr_packStageMasses, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    status = makeMasses(maker, error);
    if (status == pbdr_statusInvalidArgument && def->spheres == pbdr_packSurface && def->radius == 0.0) {
        status = makeThinSpheres(maker, error);
    }
    maker->report->radius = maker->radius;
    if (status == pbdr_statusOk && !def->skipQuality) {
        status = beginStage(maker, pbdr_packStageQuality, error);
        status = status != pbdr_statusOk ? status
                                         : pbdrMeasureSolid(&maker->solid, &body->spheres, def->sampleCount,
                                                            def->seed, maker->hooks, &body->quality, error);
        body->hasQuality = status == pbdr_statusOk;
        body->quality.volumeError = body->volumeError; // with a wrap's own
    }
    return status;
}

static pbdrStatus makeBody(const pbdrMesh* mesh, const pbdrPackDef* def, const pbdrHooks* hooks,
                           pbdrPackedBody* body, pbdrPackReport* report, pbdrError* error)
{
    Maker maker = {.def = def, .hooks = hooks, .body = body, .report = report, .radius = def->radius};
    bool sized = def->count > 0 || def->radius > 0.0 || def->meanGap > 0.0;
    maker.count = sized ? def->count : DEFAULT_COUNT;
    pbdrStatus status = beginStage(&maker, pbdr_packStageSolid, error);
    status = status != pbdr_statusOk ? status : makeSolid(&maker, mesh, error);
    if (status == pbdr_statusOk) {
        weigh(&maker);
        status = fillBody(&maker, error);
    }
    if (status == pbdr_statusOk) {
        body->mesh = maker.solid.mesh;
        pbdrFreeSolidTrees(&maker.solid);
    } else {
        pbdrFreeSolid(&maker.solid);
        pbdrPackedBody_Free(body);
    }
    return status;
}

static pbdrStatus beginBody(const void* input, const pbdrPackDef* def, const pbdrHooks* hooks,
                            pbdrPackedBody* body, pbdrPackReport* report, pbdrError* error)
{
    *report = (pbdrPackReport){0};
    if (!PBDR_ASSERT(hooks, input != NULL && def != NULL && body != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "mesh or cloud, def or body: NULL");
    }
    memset(body, 0, sizeof *body);
    return checkDef(def, error);
}

pbdrStatus pbdrPackMeshBody(const pbdrMesh* mesh, const pbdrPackDef* def, const pbdrHooks* hooks,
                            pbdrPackedBody* body, pbdrPackReport* report, pbdrError* error)
{
    pbdrPackReport ownReport;
    report = report != NULL ? report : &ownReport;
    pbdrStatus status = beginBody(mesh, def, hooks, body, report, error);
    return status != pbdr_statusOk ? status : makeBody(mesh, def, hooks, body, report, error);
}

// The closed mesh of a cloud, and how far its mass properties are to be trusted.
static pbdrStatus meshCloud(const pbdrPointCloud* cloud, const pbdrCloudDef* def, const pbdrHooks* hooks,
                            pbdrMesh* mesh, pbdrPackReport* report, pbdrError* error)
{
    pbdrMassProperties solid;
    pbdrMassErrors errors;
    report->pointCount = cloud->count;
    pbdrStatus status = pbdrMeshPointCloud(cloud, def, hooks, mesh, &report->cloud, error);
    status = status != pbdr_statusOk ? status : pbdrMesh_GetMassProperties(mesh, 1.0, &solid, error);
    if (status == pbdr_statusOk) {
        status = pbdrPointCloud_EstimateMassErrors(cloud, def, mesh, &report->cloud, 1.0, &errors, error);
    }
    if (status == pbdr_statusOk) {
        pbdrVec3 lower, extents = getExtents(mesh, &lower);
        double mean = (solid.inertia.m[0][0] + solid.inertia.m[1][1] + solid.inertia.m[2][2]) / 3.0;
        report->cloudVolumeError = errors.volume / solid.volume;
        report->cloudCentreError = getLargest(errors.centre) / getLargest(extents);
        for (int k = 0; k < 9; k++) {
            report->cloudInertiaError =
                fmax(report->cloudInertiaError, errors.inertia.m[k / 3][k % 3] / mean);
        }
    }
    return status;
}

pbdrStatus pbdrPackCloudBody(const pbdrPointCloud* cloud, const pbdrCloudDef* cloudDef,
                             const pbdrPackDef* def, const pbdrHooks* hooks, pbdrPackedBody* body,
                             pbdrPackReport* report, pbdrError* error)
{
    pbdrPackReport ownReport;
    report = report != NULL ? report : &ownReport;
    pbdrStatus status = beginBody(cloud, def, hooks, body, report, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrCloudDef defaultDef = pbdrDefaultCloudDef();
    pbdrMesh mesh = {0};
    status = meshCloud(cloud, cloudDef != NULL ? cloudDef : &defaultDef, hooks, &mesh, report, error);
    status = status != pbdr_statusOk ? status : makeBody(&mesh, def, hooks, body, report, error);
    pbdrMesh_Free(&mesh);
    return status;
}
