// Reading body files: jansson makes a tree of the text and says where it is no JSON; here the tree becomes a
// body, and whatever in it no body has is named by key and index.
#include "bodyfile/check.h"
#include "bodyfile/values.h"

#include "base.h"
#include "math/vec.h"

#include <errno.h>
#include <string.h>

bool pbdrCanLoadBodyFile(void)
{
    return true;
}

// --- Text to tree ---

static size_t readSome(void* buffer, size_t size, void* file)
{
    return fread(buffer, 1, size, file);
}

static pbdrStatus parseOpenFile(pbdrBodyReader* reader, FILE* file)
{
    // Whole numbers as reals, so that 1 is as good as 1.0 and none is too large for an integer.
    json_error_t cause;
    reader->root =
        json_load_callback(readSome, file, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &cause);
    if (ferror(file)) {
        return pbdrFailBody(reader, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    if (reader->root == NULL && json_error_code(&cause) == json_error_out_of_memory) {
        return pbdrFailBody(reader, pbdr_statusNoMemory, "no memory for the file's contents");
    }
    if (reader->root == NULL) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "line %d, column %d: %s", cause.line, cause.column,
                            cause.text);
    }
    return json_is_object(reader->root) ? pbdr_statusOk
                                        : pbdrFailBody(reader, pbdr_statusFileFormat,
                                                       "line 1: not an object: wanted {\"centers\": ...}");
}

static pbdrStatus parseFile(pbdrBodyReader* reader)
{
    FILE* file = fopen(reader->path, "rb");
    if (file == NULL) {
        return pbdrFailBody(reader, pbdr_statusFileNotFound, "%s", strerror(errno));
    }
    pbdrStatus status = parseOpenFile(reader, file);
    fclose(file);
    return status;
}

// --- Spheres ---

static pbdrStatus readCentres(pbdrBodyReader* reader)
{
    pbdrSphereSet* set = &reader->body->spheres;
    const json_t* list = pbdrGetBodyValue(reader->root, "centers");
    size_t count = json_array_size(list);
    pbdrStatus status = pbdrFindBodyList(reader, "centers", count, &list);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (count < 1 || count > PBDR_MAX_SPHERES) {
        return pbdrFailBody(reader, count < 1 ? pbdr_statusNoParticles : pbdr_statusFileFormat,
                            "centers: %zu spheres, 1 to %d are possible", count, PBDR_MAX_SPHERES);
    }
    set->count = (int)count;
    set->positions = pbdrAllocate(reader->hooks, count, sizeof *set->positions);
    set->radii = pbdrAllocate(reader->hooks, count, sizeof *set->radii);
    set->masses = pbdrAllocate(reader->hooks, count, sizeof *set->masses);
    if (set->positions == NULL || set->radii == NULL || set->masses == NULL) {
        return pbdrFailBody(reader, pbdr_statusNoMemory, "no memory for %zu spheres", count);
    }
    for (size_t i = 0; status == pbdr_statusOk && i < count; i++) {
        char place[48];
        snprintf(place, sizeof place, "centers[%zu]", i);
        status = pbdrReadBodyVector(reader, json_array_get(list, i), place, &set->positions[i]);
    }
    return status;
}

// By volume, so that they add up to the file's mass or have the default density.
static void shareMasses(pbdrBodyFile* body, double mass)
{
    double sum = 0.0;
    for (int i = 0; i < body->spheres.count; i++) {
        double r = body->spheres.radii[i];
        body->spheres.masses[i] = 4.0 / 3.0 * PBDR_PI * r * r * r;
        sum += body->spheres.masses[i];
    }
    double density = mass > 0.0 ? mass / sum : PBDR_DEFAULT_DENSITY;
    for (int i = 0; i < body->spheres.count; i++) {
        body->spheres.masses[i] *= density;
    }
}

static pbdrStatus readMasses(pbdrBodyReader* reader)
{
    pbdrBodyFile* body = reader->body;
    const json_t* mass = pbdrGetBodyValue(reader->root, "mass");
    pbdrStatus status = pbdr_statusOk;
    if (mass != NULL) {
        status = pbdrReadBodyNumber(reader, mass, "mass", &body->solid.mass);
    }
    if (status == pbdr_statusOk && mass != NULL && !(body->solid.mass > 0.0)) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "mass: %g kg is not above 0", body->solid.mass);
    }
    body->hasMasses = pbdrGetBodyValue(reader->root, "masses") != NULL;
    if (status == pbdr_statusOk && body->hasMasses) {
        return pbdrReadBodyList(reader, "masses", (size_t)body->spheres.count, body->spheres.masses);
    }
    shareMasses(body, body->solid.mass);
    return status;
}

// --- The solid ---

static pbdrStatus readSolid(pbdrBodyReader* reader)
{
    pbdrBodyFile* body = reader->body;
    const json_t *centre = pbdrGetBodyValue(reader->root, "com"),
                 *inertia = pbdrGetBodyValue(reader->root, "inertia");
    const json_t *extra = pbdrGetBodyValue(reader->root, "extra_inertia"),
                 *volume = pbdrGetBodyValue(reader->root, "volume");
    pbdrStatus status = pbdr_statusOk;
    if (extra != NULL) {
        status = pbdrReadBodyTensor(reader, extra, "extra_inertia", &body->extraInertia);
    }
    body->hasSolid = body->solid.mass > 0.0 && centre != NULL && inertia != NULL;
    if (status != pbdr_statusOk || !body->hasSolid) {
        return status;
    }
    status = pbdrReadBodyVector(reader, centre, "com", &body->solid.centre);
    if (status == pbdr_statusOk) {
        status = pbdrReadBodyTensor(reader, inertia, "inertia", &body->solid.inertia);
    }
    if (status == pbdr_statusOk && volume != NULL) {
        status = pbdrReadBodyNumber(reader, volume, "volume", &body->solid.volume);
    }
    return status;
}

// What the point masses and the extra inertia come to.
static void takeSolidFromSpheres(pbdrBodyFile* body)
{
    body->solid = pbdrSphereSet_GetMassProperties(&body->spheres);
    for (int i = 0; i < 9; i++) {
        body->solid.inertia.m[i / 3][i % 3] += body->extraInertia.m[i / 3][i % 3];
    }
}

// --- Normals ---

static pbdrStatus readNormals(pbdrBodyReader* reader)
{
    pbdrFaceNormals* normals = &reader->body->normals;
    size_t count = (size_t)reader->body->spheres.count;
    const json_t* list = pbdrGetBodyValue(reader->root, "face_normals");
    if (list == NULL) {
        return pbdr_statusOk;
    }
    pbdrStatus status = pbdrFindBodyList(reader, "face_normals", count, &list);
    if (status != pbdr_statusOk) {
        return status;
    }
    normals->sphereCount = (int)count;
    normals->firsts = pbdrAllocate(reader->hooks, count + 1, sizeof *normals->firsts);
    if (normals->firsts == NULL) {
        return pbdrFailBody(reader, pbdr_statusNoMemory, "no memory for %zu lists of normals", count);
    }
    for (size_t i = 0; i < count; i++) {
        const json_t* own = json_array_get(list, i);
        if (!json_is_array(own) || json_array_size(own) > PBDR_MAX_FACE_NORMALS) {
            normals->firsts[count] = 0; // there are no normals to free
            return pbdrFailBody(reader, pbdr_statusFileFormat,
                                "face_normals[%zu]: wanted an array of %d normals at most", i,
                                PBDR_MAX_FACE_NORMALS);
        }
        normals->firsts[i + 1] = normals->firsts[i] + (int)json_array_size(own);
    }
    int total = normals->firsts[count];
    normals->normals = pbdrAllocate(reader->hooks, (size_t)total, sizeof *normals->normals);
    if (normals->normals == NULL) {
        return pbdrFailBody(reader, pbdr_statusNoMemory, "no memory for %d normals", total);
    }
    for (size_t i = 0; status == pbdr_statusOk && i < count; i++) {
        int first = normals->firsts[i], own = normals->firsts[i + 1] - first;
        for (int k = 0; status == pbdr_statusOk && k < own; k++) {
            char place[64];
            snprintf(place, sizeof place, "face_normals[%zu][%d]", i, k);
            status = pbdrReadBodyVector(reader, json_array_get(json_array_get(list, i), (size_t)k), place,
                                        &normals->normals[first + k]);
        }
    }
    return status;
}

// Rounded ones, of a file with few digits, become unit vectors; others keep their bits.
static void normalise(pbdrFaceNormals* normals)
{
    int count = normals->sphereCount > 0 ? normals->firsts[normals->sphereCount] : 0;
    for (int k = 0; k < count; k++) {
        double length = pbdrLength(normals->normals[k]);
        if (fabs(length - 1.0) > 1.0e-14) {
            normals->normals[k] = pbdrScale(1.0 / length, normals->normals[k]);
        }
    }
}

// --- Quality and provenance: told, never acted upon, so what is not understood is left out ---

static double getNumber(const json_t* object, const char* key)
{
    const json_t* value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : 0.0;
}

static void takeText(const json_t* object, const char* key, char* text, size_t size)
{
    const char* value = json_string_value(json_object_get(object, key));
    snprintf(text, size, "%s", value != NULL ? value : "");
}

static pbdrStatus readSupport(pbdrBodyReader* reader, const json_t* list)
{
    pbdrPackingQuality* q = &reader->body->quality;
    size_t count = json_array_size(list);
    pbdrStatus status = pbdr_statusOk;
    if (count == 0 || count > PBDR_MAX_SPHERES) {
        return status;
    }
    q->support = pbdrAllocate(reader->hooks, count, sizeof *q->support);
    if (q->support == NULL) {
        return pbdrFailBody(reader, pbdr_statusNoMemory, "no memory for a polygon of %zu corners", count);
    }
    q->supportCount = (int)count;
    for (size_t i = 0; status == pbdr_statusOk && i < count; i++) {
        char place[48];
        snprintf(place, sizeof place, "quality.support_m[%zu]", i);
        status = pbdrReadBodyVector(reader, json_array_get(list, i), place, &q->support[i]);
    }
    return status;
}

static pbdrMassesRung readRung(const json_t* object)
{
    const char* name = json_string_value(json_object_get(object, "masses_rung"));
    return name != NULL && strcmp(name, "extra inertia") == 0 ? pbdr_massesExtraInertia
           : name != NULL && strcmp(name, "clamped") == 0     ? pbdr_massesClamped
                                                              : pbdr_massesClosedForm;
}

static pbdrStatus readQuality(pbdrBodyReader* reader)
{
    pbdrBodyFile* body = reader->body;
    pbdrPackingQuality* q = &body->quality;
    const json_t* object = json_object_get(reader->root, "quality");
    body->hasQuality = json_is_object(object) && json_is_number(json_object_get(object, "mean_gap_m"));
    if (!body->hasQuality) {
        return pbdr_statusOk;
    }
    q->sphereCount = body->spheres.count;
    q->volume = body->solid.volume;
    q->centre = body->solid.centre;
    q->volumeError = getNumber(object, "volume_error_m3");
    q->cover = getNumber(object, "cover");
    q->coverError = getNumber(object, "cover_error");
    q->meanGap = getNumber(object, "mean_gap_m");
    q->meanGapError = getNumber(object, "mean_gap_error_m");
    q->largestGap = getNumber(object, "largest_gap_m");
    q->protrusion = getNumber(object, "protrusion_m");
    q->centreHeight = getNumber(object, "com_height_m");
    q->supportArea = getNumber(object, "support_area_m2");
    q->margin = getNumber(object, "support_margin_m");
    q->meshSupportArea = getNumber(object, "mesh_support_area_m2");
    q->meshMargin = getNumber(object, "mesh_support_margin_m");
    const char* masses = json_string_value(json_object_get(object, "masses"));
    body->exactMasses = masses != NULL && strcmp(masses, "exact") == 0;
    body->fit.rung = readRung(object);
    body->fit.smallestRatio = getNumber(object, "smallest_mass_ratio");
    double steps = getNumber(object, "masses_newton_steps");
    body->fit.newtonSteps = steps >= 0.0 && steps < 1.0e6 ? (int)steps : 0;
    body->fit.residual = getNumber(object, "masses_residual");
    body->fit.extraInertia = body->extraInertia;
    body->inertiaErrorBefore = getNumber(object, "inertia_error_uniform");
    body->inertiaErrorAfter = getNumber(object, "inertia_error");
    return readSupport(reader, json_object_get(object, "support_m"));
}

static void takeVector(const json_t* object, const char* key, pbdrVec3* vector)
{
    const json_t* list = json_object_get(object, key);
    if (json_array_size(list) == 3) {
        *vector =
            pbdrVec(json_number_value(json_array_get(list, 0)), json_number_value(json_array_get(list, 1)),
                    json_number_value(json_array_get(list, 2)));
    }
}

static void takeOrigin(pbdrBodyReader* reader)
{
    pbdrBodyOrigin* origin = &reader->body->origin;
    const json_t* object = json_object_get(reader->root, "provenance");
    takeText(object, "mesh", origin->mesh, sizeof origin->mesh);
    takeText(object, "mesh_sha256", origin->meshSha256, sizeof origin->meshSha256);
    takeText(object, "options", origin->options, sizeof origin->options);
    takeText(object, "pbdr", origin->version, sizeof origin->version);
    origin->meshSize = getNumber(object, "mesh_bytes");
    origin->seed = getNumber(object, "seed");
    takeVector(object, "mesh_scale", &origin->scale);
    takeVector(object, "mesh_shift_m", &origin->shift);
}

// --- The whole ---

// Files of others have no schema; one of ours that is of another kind or version is refused.
static pbdrStatus checkSchema(const pbdrBodyReader* reader)
{
    const json_t* schema = pbdrGetBodyValue(reader->root, "schema");
    const char* name = json_string_value(schema);
    if (name != NULL && strncmp(name, "pbdr-", 5) == 0 && strcmp(name, PBDR_BODY_SCHEMA) != 0) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "schema: \"%.60s\", wanted \"%s\"", name,
                            PBDR_BODY_SCHEMA);
    }
    return pbdr_statusOk;
}

static pbdrStatus readBody(pbdrBodyReader* reader)
{
    pbdrBodyFile* body = reader->body;
    pbdrStatus status = checkSchema(reader);
    status = status != pbdr_statusOk ? status : readCentres(reader);
    status = status != pbdr_statusOk
                 ? status
                 : pbdrReadBodyList(reader, "radii", (size_t)body->spheres.count, body->spheres.radii);
    status = status != pbdr_statusOk ? status : readMasses(reader);
    status = status != pbdr_statusOk ? status : readSolid(reader);
    status = status != pbdr_statusOk ? status : readNormals(reader);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrError cause;
    status = pbdrCheckBody(body, &cause);
    if (status != pbdr_statusOk) {
        return pbdrFailBody(reader, status, "%s", cause.message);
    }
    normalise(&body->normals);
    if (!body->hasSolid) {
        takeSolidFromSpheres(body);
    }
    takeOrigin(reader);
    return readQuality(reader);
}

pbdrStatus pbdrLoadBodyFile(const char* path, const pbdrHooks* hooks, pbdrBodyFile* body, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, path != NULL && body != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or body: NULL");
    }
    memset(body, 0, sizeof *body);
    if (hooks != NULL) {
        body->spheres.hooks = *hooks;
        body->normals.hooks = *hooks;
        body->quality.hooks = *hooks;
    }
    pbdrBodyReader reader = {.path = path, .hooks = hooks, .error = error, .body = body};
    pbdrStatus status = parseFile(&reader);
    if (status == pbdr_statusOk) {
        status = readBody(&reader);
    }
    json_decref(reader.root);
    if (status != pbdr_statusOk) {
        pbdrBodyFile_Free(body);
    }
    return status;
}
