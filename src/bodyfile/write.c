// Writing body files. Plain JSON needs no library; numbers have digits enough to read back as the same bits.
#include "bodyfile/check.h"

#include "base.h"
#include "text/json_writer.h"

static const char* const rungNames[] = {"closed form", "clamped", "extra inertia"};

static void putVector(JsonWriter* json, const char* key, pbdrVec3 v)
{
    const double values[] = {v.x, v.y, v.z};
    jsonNumbers(json, key, values, 3);
}

static void putVectors(JsonWriter* json, const char* key, const pbdrVec3* vectors, int count)
{
    jsonOpen(json, key, '[');
    for (int i = 0; i < count; i++) {
        putVector(json, NULL, vectors[i]);
    }
    jsonClose(json, ']');
}

static void putTensor(JsonWriter* json, const char* key, const pbdrMat3* tensor)
{
    jsonRows(json, key, &tensor->m[0][0], 3, 3);
}

// Empty texts are left out.
static void putText(JsonWriter* json, const char* key, const char* value)
{
    if (value[0] != 0) {
        jsonText(json, key, value);
    }
}

// A line per sphere.
static void putNormals(JsonWriter* json, const pbdrFaceNormals* normals)
{
    jsonOpen(json, "face_normals", '[');
    for (int i = 0; i < normals->sphereCount; i++) {
        int first = normals->firsts[i], count = normals->firsts[i + 1] - first;
        double values[PBDR_MAX_FACE_NORMALS][3] = {{0.0}};
        for (int k = 0; k < count; k++) {
            pbdrVec3 n = normals->normals[first + k];
            values[k][0] = n.x, values[k][1] = n.y, values[k][2] = n.z;
        }
        jsonRows(json, NULL, values[0], count, 3);
    }
    jsonClose(json, ']');
}

static void putQuality(JsonWriter* json, const pbdrBodyFile* body)
{
    const pbdrPackingQuality* q = &body->quality;
    jsonOpen(json, "quality", '{');
    jsonNumber(json, "spheres", q->sphereCount);
    jsonNumber(json, "volume_error_m3", q->volumeError);
    jsonNumber(json, "cover", q->cover);
    jsonNumber(json, "cover_error", q->coverError);
    jsonNumber(json, "mean_gap_m", q->meanGap);
    jsonNumber(json, "mean_gap_error_m", q->meanGapError);
    jsonNumber(json, "largest_gap_m", q->largestGap);
    jsonNumber(json, "protrusion_m", q->protrusion);
    jsonText(json, "masses", body->exactMasses ? "exact" : "uniform");
    if (body->exactMasses) {
        jsonText(json, "masses_rung", rungNames[body->fit.rung]);
        jsonNumber(json, "smallest_mass_ratio", body->fit.smallestRatio);
        jsonNumber(json, "masses_newton_steps", body->fit.newtonSteps);
        jsonNumber(json, "masses_residual", body->fit.residual);
    }
    jsonNumber(json, "inertia_error_uniform", body->inertiaErrorBefore);
    jsonNumber(json, "inertia_error", body->inertiaErrorAfter);
    jsonNumber(json, "com_height_m", q->centreHeight);
    jsonNumber(json, "support_area_m2", q->supportArea);
    jsonNumber(json, "support_margin_m", q->margin);
    jsonNumber(json, "mesh_support_area_m2", q->meshSupportArea);
    jsonNumber(json, "mesh_support_margin_m", q->meshMargin);
    putVectors(json, "support_m", q->support, q->supportCount);
    jsonClose(json, '}');
}

static void putOrigin(JsonWriter* json, const pbdrBodyOrigin* origin)
{
    jsonOpen(json, "provenance", '{');
    putText(json, "pbdr", origin->version);
    putText(json, "options", origin->options);
    jsonNumber(json, "seed", origin->seed);
    if (origin->mesh[0] != 0) {
        putText(json, "mesh", origin->mesh);
        jsonNumber(json, "mesh_bytes", origin->meshSize);
        putText(json, "mesh_sha256", origin->meshSha256);
        putVector(json, "mesh_scale", origin->scale);
        putVector(json, "mesh_shift_m", origin->shift);
    }
    jsonClose(json, '}');
}

static void putBody(const pbdrBodyFile* body, FILE* file)
{
    const pbdrSphereSet* set = &body->spheres;
    JsonWriter json = {file, 0, true};
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "schema", PBDR_BODY_SCHEMA);
    if (body->hasSolid) {
        jsonNumber(&json, "mass", body->solid.mass);
        putVector(&json, "com", body->solid.centre);
        putTensor(&json, "inertia", &body->solid.inertia);
        jsonNumber(&json, "volume", body->solid.volume);
    }
    putTensor(&json, "extra_inertia", &body->extraInertia);
    if (body->hasQuality) {
        putQuality(&json, body);
    }
    putOrigin(&json, &body->origin);
    putVectors(&json, "centers", set->positions, set->count);
    jsonNumbers(&json, "radii", set->radii, set->count);
    if (body->hasMasses) {
        jsonNumbers(&json, "masses", set->masses, set->count);
    }
    if (body->normals.sphereCount > 0) {
        putNormals(&json, &body->normals);
    }
    jsonClose(&json, '}');
    fputc('\n', file);
}

pbdrStatus pbdrBodyFile_Write(const pbdrBodyFile* body, FILE* file, pbdrError* error)
{
    if (!PBDR_ASSERT(NULL, body != NULL && file != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "body or file: NULL");
    }
    pbdrStatus status = pbdrCheckBody(body, error);
    if (status != pbdr_statusOk) {
        // What is a bad file to a reader is a bad argument here.
        return status == pbdr_statusFileFormat && error != NULL ? (error->status = pbdr_statusInvalidArgument)
               : status == pbdr_statusFileFormat                ? pbdr_statusInvalidArgument
                                                                : status;
    }
    putBody(body, file);
    return ferror(file) == 0 ? pbdr_statusOk
                             : pbdrFail(error, pbdr_statusFileNotFound, "the body file cannot be written");
}
