// pbdr pack: a mesh in, a body of spheres out.
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "options.h"
#include "output.h"
#include "pack.h"

#include "pbdr/meshfile.h"
#include "runner.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define DEFAULT_COUNT 1000
#define DEFAULT_SAMPLES 100000
// Faces that spheres of a grid or a file touch, as a share of the mesh's largest extent.
#define TOUCH 1.0e-6
// Largest radius of the next try where spheres are too large to weigh right.
#define THINNER 0.8
// Lengths from here on make a user of millimetres wonder [m].
#define LONG_EXTENT 10.0

static const char* const packingNames[] = {"grid", "surface", NULL};
static const char* const massNames[] = {"uniform", "exact", NULL};

// --- Ctrl-C ---

// While nothing is written there is nothing to clean up, and some of the work asks nobody whether to go on.
static volatile sig_atomic_t interrupted, writing;

static void onInterrupt(int signal)
{
    (void)signal;
    interrupted = 1;
    if (!writing) {
        _exit(EXIT_INTERRUPTED);
    }
}

static void catchInterrupts(void)
{
    struct sigaction action = {.sa_handler = onInterrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

// --- Progress ---

typedef struct Progress {
    bool live; // stderr is a terminal: a line that is overwritten; else a line every few seconds
    double begun, lastShown;
    const char* stage;
} Progress;

static bool showProgress(void* context, double share)
{
    Progress* progress = context;
    double now = benchGetSeconds();
    if (now - progress->lastShown > (progress->live ? 0.1 : 5.0)) {
        progress->lastShown = now;
        double passed = now - progress->begun, left = share > 0.0 ? passed * (1.0 - share) / share : 0.0;
        fprintf(stderr,
                progress->live ? "\r\033[K%s: %3.0f %%, about %.0f s left"
                               : "%s: %.0f %%, about %.0f s left\n",
                progress->stage, 100.0 * share, left);
        fflush(stderr);
    }
    return interrupted == 0;
}

// Work that cannot say how far it is.
static void showStage(Progress* progress, const char* stage)
{
    progress->stage = stage;
    progress->begun = benchGetSeconds();
    progress->lastShown = progress->begun;
    if (progress->live) {
        fprintf(stderr, "\r\033[K%s", stage);
        fflush(stderr);
    }
}

static void endProgress(const Progress* progress)
{
    if (progress->live) {
        fprintf(stderr, "\r\033[K");
    }
}

// --- The mesh ---

// Names the file where the message does not yet.
static int failWith(const char* path, const pbdrError* error)
{
    if (strstr(error->message, path) != NULL) {
        fprintf(stderr, "pbdr pack: %s\n", error->message);
    } else {
        fprintf(stderr, "pbdr pack: %s: %s\n", path, error->message);
    }
    return EXIT_FAILED;
}

static double getLargest(pbdrVec3 v)
{
    return fmax(v.x, fmax(v.y, v.z));
}

static pbdrVec3 getExtents(const pbdrMesh* mesh, pbdrVec3* lower)
{
    pbdrVec3 upper;
    pbdrMesh_GetBounds(mesh, lower, &upper);
    return (pbdrVec3){upper.x - lower->x, upper.y - lower->y, upper.z - lower->z};
}

// Whether the file's name says that it holds points.
static bool isCloudName(const char* path)
{
    static const char* const endings[] = {".xyz", ".txt", ".pts"};
    size_t length = strlen(path);
    for (size_t k = 0; k < sizeof endings / sizeof endings[0]; k++) {
        if (length > 4 && strcasecmp(path + length - 4, endings[k]) == 0) {
            return true;
        }
    }
    return false;
}

// The closed mesh of a point cloud, and how far its mass properties are to be trusted.
static pbdrStatus loadCloud(Pack* pack, pbdrError* error)
{
    pbdrPointCloud cloud = {0};
    pbdrStatus status = pbdrLoadPointCloud(pack->meshPath, NULL, &cloud, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrCloudDef def = pbdrDefaultCloudDef();
    pack->cloud = true;
    pack->pointCount = cloud.count;
    status = pbdrMeshPointCloud(&cloud, &def, NULL, &pack->mesh, &pack->cloudReport, error);
    pbdrMassProperties solid;
    pbdrMassErrors errors;
    if (status == pbdr_statusOk) {
        status = pbdrMesh_GetMassProperties(&pack->mesh, 1.0, &solid, error);
    }
    if (status == pbdr_statusOk) {
        status = pbdrPointCloud_EstimateMassErrors(&cloud, &def, &pack->mesh, &pack->cloudReport, 1.0,
                                                   &errors, error);
    }
    if (status == pbdr_statusOk) {
        pbdrVec3 lower, extents = getExtents(&pack->mesh, &lower);
        double mean = (solid.inertia.m[0][0] + solid.inertia.m[1][1] + solid.inertia.m[2][2]) / 3.0;
        pack->cloudVolumeError = errors.volume / solid.volume;
        pack->cloudCentreError = getLargest(errors.centre) / getLargest(extents);
        for (int k = 0; k < 9; k++) {
            pack->cloudInertiaError = fmax(pack->cloudInertiaError, errors.inertia.m[k / 3][k % 3] / mean);
        }
    }
    pbdrPointCloud_Free(&cloud);
    return status;
}

static pbdrStatus loadMesh(Pack* pack, pbdrError* error)
{
    if (pack->isCloud || isCloudName(pack->meshPath)) {
        return loadCloud(pack, error);
    }
    pbdrMeshFileReport report;
    pbdrStatus status = pbdrReadMeshFile(pack->meshPath, NULL, &pack->mesh, &report, error);
    pack->meshReport = report.mesh;
    if (status == pbdr_statusOk && report.warning[0] != 0) {
        fprintf(stderr, "pbdr pack: warning: %s: %s\n", pack->meshPath, report.warning);
    }
    return status;
}

// Scales the mesh as asked, and notes by how much.
static pbdrStatus scaleMesh(Pack* pack, pbdrError* error)
{
    pbdrBodyOrigin* origin = &pack->body.origin;
    pbdrVec3 lower, extents = getExtents(&pack->mesh, &lower);
    if (pack->size > 0.0) {
        origin->scale = (pbdrVec3){pack->size / extents.x, pack->size / extents.y, pack->size / extents.z};
        origin->shift =
            (pbdrVec3){-origin->scale.x * lower.x, -origin->scale.y * lower.y, -origin->scale.z * lower.z};
        return pbdrMesh_FitCube(&pack->mesh, pack->size, error);
    }
    double factor = pack->scale > 0.0    ? pack->scale
                    : pack->extent > 0.0 ? pack->extent / getLargest(extents)
                                         : 1.0;
    origin->scale = (pbdrVec3){factor, factor, factor};
    for (int i = 0; i < pack->mesh.vertexCount && factor != 1.0; i++) {
        pbdrVec3* v = &pack->mesh.vertices[i];
        *v = (pbdrVec3){factor * v->x, factor * v->y, factor * v->z};
    }
    if (pack->scale == 0.0 && pack->extent == 0.0 && getLargest(extents) > LONG_EXTENT) {
        fprintf(
            stderr,
            "pbdr pack: note: %s is %.4g m long as it stands; a file in millimetres needs --scale 0.001\n",
            pack->meshPath, getLargest(extents));
    }
    return pbdr_statusOk;
}

static pbdrStatus weighMesh(Pack* pack, pbdrError* error)
{
    pbdrMassProperties* solid = &pack->body.solid;
    pbdrStatus status = pbdrMesh_GetSolidProperties(&pack->mesh, pack->mass > 0.0 ? pack->mass : 1.0, solid,
                                                    &pack->body.quality.volumeError, error);
    if (status == pbdr_statusOk && pack->mass == 0.0) {
        double mass = pack->density * solid->volume;
        solid->mass = mass;
        for (int k = 0; k < 9; k++) {
            solid->inertia.m[k / 3][k % 3] *= mass;
        }
    }
    pack->body.hasSolid = status == pbdr_statusOk;
    return status;
}

static int prepareMesh(Pack* pack)
{
    pbdrError error = {0};
    pbdrBodyOrigin* origin = &pack->body.origin;
    pbdrStatus status = loadMesh(pack, &error);
    if (status == pbdr_statusOk && !hashFile(pack->meshPath, origin->meshSha256, &origin->meshSize)) {
        fprintf(stderr, "pbdr pack: %s: %s\n", pack->meshPath, strerror(errno));
        return EXIT_FAILED;
    }
    status = status != pbdr_statusOk ? status : scaleMesh(pack, &error);
    status = status != pbdr_statusOk ? status : weighMesh(pack, &error);
    return status == pbdr_statusOk ? EXIT_OK : failWith(pack->meshPath, &error);
}

// --- Spheres ---

// The grid whose count is nearest to the one asked for. The count falls with the radius, but not evenly.
static pbdrStatus packCount(Pack* pack, const pbdrMesh* mesh, pbdrError* error)
{
    enum { TRIALS = 12 };
    double mass = pack->body.solid.mass, best = HUGE_VAL;
    double radius = 0.5 * cbrt(pack->body.solid.volume / pack->count);
    pbdrStatus status = pbdr_statusNoParticles;
    for (int k = 0; k < TRIALS && best > 0.0; k++) {
        pbdrSphereSet set;
        pbdrStatus own = pbdrPackMesh(mesh, radius, mass, NULL, &set, error);
        if (own != pbdr_statusOk && own != pbdr_statusNoParticles) {
            return status == pbdr_statusOk ? status : own;
        }
        double off = own == pbdr_statusOk ? fabs(set.count - (double)pack->count) : HUGE_VAL;
        double next = own == pbdr_statusOk ? cbrt((double)set.count / pack->count) : 0.8;
        if (off < best) {
            pbdrSphereSet_Free(&pack->body.spheres);
            pack->body.spheres = set;
            best = off;
            status = pbdr_statusOk;
        } else if (own == pbdr_statusOk) {
            pbdrSphereSet_Free(&set);
            next = sqrt(next) * (k % 2 == 0 ? 1.003 : 0.998); // off the beaten track
        }
        radius *= next;
    }
    return status;
}

static pbdrStatus packGrid(Pack* pack, pbdrError* error)
{
    // The grid takes sound meshes only.
    pbdrMesh mended = {0};
    const pbdrMesh* mesh = &pack->mesh;
    pbdrStatus status = pbdr_statusOk;
    if (pack->repaired) {
        status = pbdrRepairMesh(&pack->mesh, NULL, &mended, NULL, error);
        mesh = &mended;
    }
    if (status == pbdr_statusOk) {
        status = pack->radius > 0.0 ? pbdrPackMesh(mesh, pack->radius, pack->body.solid.mass, NULL,
                                                   &pack->body.spheres, error)
                                    : packCount(pack, mesh, error);
    }
    pbdrMesh_Free(&mended);
    return status;
}

static pbdrStatus packSurface(Pack* pack, Progress* progress, pbdrError* error)
{
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = pack->count;
    def.radius = pack->radius;
    def.meanGap = pack->tolerance;
    def.seed = (uint64_t)pack->seed;
    def.progress = showProgress;
    def.progressContext = progress;
    return pbdrPackSurface(&pack->mesh, &def, pack->body.solid.mass, NULL, &pack->body.spheres,
                           pack->contactNormals ? &pack->body.normals : NULL, error);
}

// Of a body file: its masses, or the spheres' volumes, scaled to the mass asked for.
static pbdrStatus readSpheres(Pack* pack, pbdrError* error)
{
    pbdrBodyFile read;
    pbdrStatus status = pbdrLoadBodyFile(pack->spheresPath, NULL, &read, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    double sum = 0.0;
    for (int i = 0; i < read.spheres.count; i++) {
        sum += read.spheres.masses[i];
    }
    for (int i = 0; i < read.spheres.count; i++) {
        read.spheres.masses[i] *= pack->body.solid.mass / sum;
    }
    pack->body.spheres = read.spheres;
    memset(&read.spheres, 0, sizeof read.spheres);
    pbdrBodyFile_Free(&read);
    return status;
}

static pbdrStatus makeSpheres(Pack* pack, Progress* progress, pbdrError* error)
{
    double begun = benchGetSeconds();
    pbdrStatus status = pack->spheresPath != NULL         ? readSpheres(pack, error)
                        : pack->packing == packingSurface ? packSurface(pack, progress, error)
                                                          : packGrid(pack, error);
    if (status == pbdr_statusOk && pack->contactNormals && pack->body.normals.sphereCount == 0) {
        pbdrVec3 lower;
        double tolerance = TOUCH * getLargest(getExtents(&pack->mesh, &lower));
        status = pbdrFindMeshNormals(&pack->body.spheres, &pack->mesh, tolerance, NULL, &pack->body.normals,
                                     error);
    }
    pack->packSeconds = benchGetSeconds() - begun;
    return status;
}

// --- Masses ---

static pbdrStatus makeMasses(Pack* pack, pbdrError* error)
{
    pbdrBodyFile* body = &pack->body;
    double begun = benchGetSeconds();
    pack->uniform = pbdrSphereSet_GetMassProperties(&body->spheres);
    body->hasMasses = true;
    body->exactMasses = pack->masses == massesExact;
    pbdrStatus status = pbdr_statusOk;
    if (body->exactMasses) {
        status = pbdrSphereSet_FitMasses(&body->spheres, &body->solid, &body->fit, error);
        body->extraInertia = body->fit.extraInertia;
    }
    pbdrMat3 now = pbdrSphereSet_GetMassProperties(&body->spheres).inertia;
    for (int k = 0; k < 9; k++) {
        now.m[k / 3][k % 3] += body->extraInertia.m[k / 3][k % 3];
    }
    body->inertiaErrorBefore = pbdrGetInertiaError(&pack->uniform.inertia, &body->solid.inertia);
    body->inertiaErrorAfter = pbdrGetInertiaError(&now, &body->solid.inertia);
    pack->fitSeconds = benchGetSeconds() - begun;
    return status;
}

// Balls of a thin plate that touch both sides lie in one plane, and those at the rim of its base below: no
// masses have the plate's centre. Somewhat smaller balls touch one side each, and lie on both sides of it.
static pbdrStatus makeThinSpheres(Pack* pack, Progress* progress, pbdrError* error)
{
    enum { TRIALS = 3 };
    pbdrStatus status = pbdr_statusInvalidArgument;
    for (int k = 0; k < TRIALS && status == pbdr_statusInvalidArgument; k++) {
        double largest = 0.0;
        for (int i = 0; i < pack->body.spheres.count; i++) {
            largest = fmax(largest, pack->body.spheres.radii[i]);
        }
        pack->radius = THINNER * largest;
        pack->thinned = true;
        pbdrSphereSet_Free(&pack->body.spheres);
        pbdrFaceNormals_Free(&pack->body.normals);
        status = makeSpheres(pack, progress, error);
        status = status != pbdr_statusOk ? status : makeMasses(pack, error);
    }
    return status;
}

static pbdrStatus makeBody(Pack* pack, Progress* progress, pbdrError* error)
{
    bool free = pack->spheresPath == NULL && pack->packing == packingSurface && pack->radius == 0.0;
    showStage(progress, "packing");
    pbdrStatus status = makeSpheres(pack, progress, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    showStage(progress, "masses");
    status = makeMasses(pack, error);
    if (status == pbdr_statusInvalidArgument && free) {
        status = makeThinSpheres(pack, progress, error);
    }
    if (status == pbdr_statusInvalidArgument) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "; try %s, or --masses uniform",
                 pack->spheresPath != NULL         ? "other spheres"
                 : pack->packing == packingSurface ? "a smaller --radius or more spheres"
                                                   : "a smaller --radius, or --packing surface");
    }
    return status;
}

static pbdrStatus measure(Pack* pack, pbdrError* error)
{
    double begun = benchGetSeconds();
    pbdrStatus status = pbdrMeasurePacking(&pack->mesh, &pack->body.spheres, pack->samples,
                                           (uint64_t)pack->seed, NULL, &pack->body.quality, error);
    pack->measureSeconds = benchGetSeconds() - begun;
    pack->body.hasQuality = status == pbdr_statusOk;
    return status;
}

static int packBody(Pack* pack)
{
    Progress progress = {.live = isatty(STDERR_FILENO) != 0};
    pbdrError error = {0};
    showStage(&progress, "weighing the mesh");
    int code = prepareMesh(pack);
    if (code != EXIT_OK) {
        return code;
    }
    // What is damaged is mended by each step for itself; here only to say so, and for the grid.
    pack->repaired = pbdrMesh_Check(&pack->mesh, &pack->meshReport, NULL) != pbdr_statusOk;
    pbdrMesh mended = {0};
    if (pack->repaired &&
        pbdrRepairMesh(&pack->mesh, NULL, &mended, &pack->repair, &error) != pbdr_statusOk) {
        return failWith(pack->meshPath, &error);
    }
    pbdrMesh_Free(&mended);
    pbdrStatus status = makeBody(pack, &progress, &error);
    const char* path = pack->spheresPath != NULL ? pack->spheresPath : pack->meshPath;
    showStage(&progress, "measuring the packing");
    status = status != pbdr_statusOk ? status : measure(pack, &error);
    endProgress(&progress);
    if (status == pbdr_statusStopped) {
        return EXIT_INTERRUPTED;
    }
    return status == pbdr_statusOk ? EXIT_OK : failWith(path, &error);
}

// --- Output ---

// The options that decide the body, so that it can be made again.
static void noteOptions(Pack* pack)
{
    pbdrBodyOrigin* origin = &pack->body.origin;
    const struct {
        const char* name;
        double value;
    } numbers[] = {{"size", pack->size},           {"scale", pack->scale},     {"extent", pack->extent},
                   {"mass", pack->mass},           {"density", pack->density}, {"radius", pack->radius},
                   {"tolerance", pack->tolerance}, {"count", pack->count}};
    size_t used = 0;
    char* text = origin->options;
    for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
        if (numbers[k].value > 0.0) {
            used += (size_t)snprintf(text + used, sizeof origin->options - used, "--%s %.15g ",
                                     numbers[k].name, numbers[k].value);
        }
    }
    if (pack->spheresPath != NULL) {
        snprintf(text + used, sizeof origin->options - used, "--spheres %.200s --masses %s",
                 pack->spheresPath, massNames[pack->masses]);
    } else {
        snprintf(text + used, sizeof origin->options - used, "--packing %s --masses %s",
                 packingNames[pack->packing], massNames[pack->masses]);
    }
    snprintf(origin->mesh, sizeof origin->mesh, "%s", pack->meshPath);
    snprintf(origin->version, sizeof origin->version, "%s", pbdrVersion());
    origin->seed = pack->seed;
}

// Both files or, once one has failed, neither that is still open.
static int writeOutputs(Pack* pack)
{
    Output body = {0}, picture = {0};
    pbdrError error = {0};
    bool good = pack->outPath == NULL || openOutput(&body, pack->outPath);
    good = good && (pack->picturePath == NULL || openOutput(&picture, pack->picturePath));
    if (good && body.file != NULL && pbdrBodyFile_Write(&pack->body, body.file, &error) != pbdr_statusOk &&
        error.status != pbdr_statusFileNotFound) { // a full disk is closeOutput's to say
        good = failWith(pack->outPath, &error) == EXIT_OK;
    }
    if (good && picture.file != NULL && !drawPackPicture(picture.file, pack)) {
        fprintf(stderr, "pbdr pack: %s: no memory for the picture\n", pack->picturePath);
        good = false;
    }
    if (body.file != NULL) {
        good = closeOutput(&body, good && !interrupted) && good;
    }
    if (picture.file != NULL) {
        good = closeOutput(&picture, good && !interrupted) && good;
    }
    return interrupted ? EXIT_INTERRUPTED : good ? EXIT_OK : EXIT_FAILED;
}

static int execute(Pack* pack)
{
    catchInterrupts();
    writing = 1; // the probe makes a file for a moment
    bool good = (pack->outPath == NULL || probeOutput(pack->outPath)) &&
                (pack->picturePath == NULL || probeOutput(pack->picturePath));
    writing = 0;
    if (interrupted || !good) {
        return interrupted ? EXIT_INTERRUPTED : EXIT_FAILED;
    }
    int code = packBody(pack);
    if (code == EXIT_OK) {
        noteOptions(pack);
        writing = 1;
        code = writeOutputs(pack);
    }
    if (code == EXIT_OK) {
        printPackReport(stdout, pack);
        if (fflush(stdout) != 0 || ferror(stdout)) {
            fprintf(stderr, "pbdr pack: cannot write to standard output\n");
            code = EXIT_FAILED;
        }
    }
    pbdrBodyFile_Free(&pack->body);
    pbdrMesh_Free(&pack->mesh);
    return code;
}

// --- Options ---

static bool refuse(const char* text)
{
    fprintf(stderr, "pbdr pack: %s\n", text);
    return false;
}

static bool isBodyFile(const char* path)
{
    size_t length = strlen(path);
    return length >= 5 && strcmp(path + length - 5, ".json") == 0;
}

// What single options cannot say.
static bool checkTogether(Pack* pack)
{
    if (pack->meshPath == NULL) {
        return refuse("which mesh? usage: pbdr pack MESH [OPTIONS]; see pbdr pack --help");
    }
    if (isBodyFile(pack->meshPath)) {
        fprintf(stderr,
                "pbdr pack: %s: this is a body file, not a mesh; to weigh and measure its spheres: pbdr pack "
                "MESH --spheres %s\n",
                pack->meshPath, pack->meshPath);
        return false;
    }
    if ((pack->size > 0.0) + (pack->scale > 0.0) + (pack->extent > 0.0) > 1) {
        return refuse("--size, --scale and --extent: only one of them can hold");
    }
    if ((pack->mass > 0.0) + (pack->density > 0.0) != 1) {
        return refuse(pack->mass > 0.0 ? "--mass and --density: only one of them can hold"
                                       : "--mass M or --density D is needed");
    }
    bool sized = pack->radius > 0.0 || pack->count > 0 || pack->tolerance > 0.0;
    if (pack->spheresPath != NULL && (sized || pack->packing >= 0)) {
        return refuse(
            "--spheres brings its own spheres: --packing, --radius, --count and --tolerance have no "
            "meaning beside it");
    }
    pack->packing = pack->packing >= 0 ? pack->packing : packingSurface;
    if (pack->packing == packingGrid && pack->tolerance > 0.0) {
        return refuse("--tolerance: a grid's gap is what its radius makes it; use --radius or --count, or "
                      "--packing surface");
    }
    if (pack->packing == packingGrid && pack->radius > 0.0 && pack->count > 0) {
        return refuse("--radius and --count: only one of them can hold for a grid");
    }
    if (!sized && pack->spheresPath == NULL) {
        pack->count = DEFAULT_COUNT;
    }
    return true;
}

int commandPack(int argc, char** argv)
{
    Pack pack = {.packing = -1, .masses = massesExact, .samples = DEFAULT_SAMPLES};
    pack.seed = 1;
    const Option table[] = {
        OPTION_ARGUMENT(
            "MESH",
            "OBJ, STL, PLY or MSH, damaged ones are mended or refused; or points: XYZ, TXT, PTS, and "
            "PLY with --cloud",
            &pack.meshPath),
        {.name = "output",
         .letter = 'o',
         .argument = "FILE",
         .help = "the body as JSON (none: only the report)",
         .kind = optionText,
         .value = &pack.outPath},
        OPTION_ABOVE("size", "L", "scale each axis to L, lower corner to the origin [m]", &pack.size, 0, 1e5),
        OPTION_ABOVE("extent", "L", "scale evenly, so that the largest extent is L [m]", &pack.extent, 0,
                     1e5),
        OPTION_ABOVE("scale", "S", "scale evenly by S; 0.001 for a file in millimetres (1)", &pack.scale, 0,
                     1e9),
        OPTION_ABOVE("mass", "M", "of the body [kg]", &pack.mass, 0, 1e12),
        OPTION_ABOVE("density", "D", "in place of the mass [kg/m^3]", &pack.density, 0, 1e9),
        OPTION_CHOICE("packing", "NAME",
                      "surface: inside, tangent to the surface; grid: the paper's (surface)", &pack.packing,
                      packingNames),
        OPTION_INT("count", "N", "spheres at most; of a grid about (1000)", &pack.count, 1, 12000000),
        OPTION_ABOVE("radius", "R", "of the spheres; surface: the largest radius [m]", &pack.radius, 0, 1e5),
        OPTION_ABOVE("tolerance", "T", "surface: add spheres until the mean surface gap is T [m]",
                     &pack.tolerance, 0, 1e5),
        OPTION_TEXT("spheres", "FILE", "take the spheres of a body file or MorphIt's JSON instead of packing",
                    &pack.spheresPath),
        OPTION_CHOICE("masses", "NAME",
                      "exact: mass, centre and inertia of the solid; uniform: equal masses (exact)",
                      &pack.masses, massNames),
        OPTION_SWITCH("cloud", "the file holds points of the surface, with or without normals",
                      &pack.isCloud),
        OPTION_SWITCH("contact-normals", "write the normals of the faces that spheres touch",
                      &pack.contactNormals),
        OPTION_TEXT("picture", "FILE", "draw mesh and spheres side by side as SVG", &pack.picturePath),
        OPTION_INT("seed", "K", "of the surface samples; the same seed gives the same bits (1)", &pack.seed,
                   0, INT_MAX),
        OPTION_INT("samples", "N", "by which the packing is measured (100000)", &pack.samples, 100,
                   100000000),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("pack", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf(
            "usage: pbdr pack MESH [--size L | --extent L | --scale S] (--mass M | --density D) [OPTIONS] -o "
            "body.json\n\n"
            "Fills a mesh with spheres that weigh what it weighs, writes them as JSON (docs/packing.md) and "
            "reports how\nwell they stand for it. Defaults in parentheses.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    return checkTogether(&pack) ? execute(&pack) : EXIT_USAGE;
}
