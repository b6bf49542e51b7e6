// Writing body files. Plain JSON needs no library; numbers have 17 digits, so that they read back as the same
// bits.
#include "bodyfile/check.h"

#include "base.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct Writer {
    FILE* file;
    bool first; // in the present object
} Writer;

static const char* const rungNames[] = {"closed form", "clamped", "extra inertia"};

// A caller's locale may have a comma for the point. JSON has no NaN; those are refused before.
static void putNumber(FILE* file, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value == 0.0 ? 0.0 : value); // no -0
    for (char* c = text; *c != 0; c++) {
        *c = *c == ',' ? '.' : *c;
    }
    fputs(isfinite(value) ? text : "null", file);
}

// Bytes that are no UTF-8 (a path may have any) become question marks, so that readers take the file.
static int getSequence(const unsigned char* c)
{
    int length = c[0] < 0x80 ? 1 : c[0] >= 0xc2 && c[0] < 0xe0 ? 2 : (c[0] & 0xf0) == 0xe0 ? 3 : 0;
    if (length == 0 && c[0] >= 0xf0 && c[0] < 0xf5) {
        length = 4;
    }
    for (int k = 1; k < length; k++) {
        if ((c[k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xed && length == 3 && c[1] >= 0xa0;
    return overlong || surrogate || (c[0] == 0xf4 && c[1] >= 0x90) ? 0 : length;
}

static void putText(FILE* file, const char* text)
{
    fputc('"', file);
    for (const unsigned char* c = (const unsigned char*)text; *c != 0;) {
        int length = getSequence(c);
        if (length == 0) {
            fputc('?', file);
        } else if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20) {
            fprintf(file, "\\u%04x", *c);
        } else {
            fwrite(c, 1, (size_t)length, file);
        }
        c += length > 0 ? length : 1;
    }
    fputc('"', file);
}

static void putKey(Writer* writer, const char* key, const char* indent)
{
    fprintf(writer->file, "%s\n%s\"%s\": ", writer->first ? "" : ",", indent, key);
    writer->first = false;
}

static void putVector(FILE* file, pbdrVec3 v)
{
    const double values[] = {v.x, v.y, v.z};
    for (int k = 0; k < 3; k++) {
        fputs(k == 0 ? "[" : ", ", file);
        putNumber(file, values[k]);
    }
    fputc(']', file);
}

static void putVectors(FILE* file, const pbdrVec3* vectors, int count, const char* gap)
{
    fputc('[', file);
    for (int i = 0; i < count; i++) {
        fprintf(file, "%s%s", i > 0 ? "," : "", gap);
        putVector(file, vectors[i]);
    }
    fputc(']', file);
}

static void putTensor(FILE* file, const pbdrMat3* tensor)
{
    pbdrVec3 rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = (pbdrVec3){tensor->m[i][0], tensor->m[i][1], tensor->m[i][2]};
    }
    putVectors(file, rows, 3, " ");
}

static void putNumbers(FILE* file, const double* values, int count)
{
    fputc('[', file);
    for (int i = 0; i < count; i++) {
        fputs(i == 0 ? "\n  " : i % 5 == 0 ? ",\n  " : ", ", file);
        putNumber(file, values[i]);
    }
    fputc(']', file);
}

static void putNamedNumber(Writer* writer, const char* key, double value)
{
    putKey(writer, key, "  ");
    putNumber(writer->file, value);
}

static void putNamedText(Writer* writer, const char* key, const char* value)
{
    if (value[0] != 0) {
        putKey(writer, key, "  ");
        putText(writer->file, value);
    }
}

static void putNormals(FILE* file, const pbdrFaceNormals* normals)
{
    fputc('[', file);
    for (int i = 0; i < normals->sphereCount; i++) {
        int first = normals->firsts[i];
        fputs(i > 0 ? ",\n  " : "\n  ", file);
        putVectors(file, normals->normals + first, normals->firsts[i + 1] - first, "");
    }
    fputc(']', file);
}

static void putQuality(Writer* writer, const pbdrBodyFile* body)
{
    const pbdrPackingQuality* q = &body->quality;
    putKey(writer, "quality", "");
    Writer inner = {writer->file, true};
    fputc('{', writer->file);
    putNamedNumber(&inner, "spheres", q->sphereCount);
    putNamedNumber(&inner, "volume_error_m3", q->volumeError);
    putNamedNumber(&inner, "cover", q->cover);
    putNamedNumber(&inner, "cover_error", q->coverError);
    putNamedNumber(&inner, "mean_gap_m", q->meanGap);
    putNamedNumber(&inner, "mean_gap_error_m", q->meanGapError);
    putNamedNumber(&inner, "largest_gap_m", q->largestGap);
    putNamedNumber(&inner, "protrusion_m", q->protrusion);
    putNamedText(&inner, "masses", body->exactMasses ? "exact" : "uniform");
    if (body->exactMasses) {
        putNamedText(&inner, "masses_rung", rungNames[body->fit.rung]);
        putNamedNumber(&inner, "smallest_mass_ratio", body->fit.smallestRatio);
        putNamedNumber(&inner, "masses_newton_steps", body->fit.newtonSteps);
        putNamedNumber(&inner, "masses_residual", body->fit.residual);
    }
    putNamedNumber(&inner, "inertia_error_uniform", body->inertiaErrorBefore);
    putNamedNumber(&inner, "inertia_error", body->inertiaErrorAfter);
    putNamedNumber(&inner, "com_height_m", q->centreHeight);
    putNamedNumber(&inner, "support_area_m2", q->supportArea);
    putNamedNumber(&inner, "support_margin_m", q->margin);
    putNamedNumber(&inner, "mesh_support_area_m2", q->meshSupportArea);
    putNamedNumber(&inner, "mesh_support_margin_m", q->meshMargin);
    putKey(&inner, "support_m", "  ");
    putVectors(writer->file, q->support, q->supportCount, "\n    ");
    fputc('}', writer->file);
}

static void putOrigin(Writer* writer, const pbdrBodyOrigin* origin)
{
    putKey(writer, "provenance", "");
    Writer inner = {writer->file, true};
    fputc('{', writer->file);
    putNamedText(&inner, "pbdr", origin->version);
    putNamedText(&inner, "options", origin->options);
    putNamedNumber(&inner, "seed", origin->seed);
    if (origin->mesh[0] != 0) {
        putNamedText(&inner, "mesh", origin->mesh);
        putNamedNumber(&inner, "mesh_bytes", origin->meshSize);
        putNamedText(&inner, "mesh_sha256", origin->meshSha256);
        putKey(&inner, "mesh_scale", "  ");
        putVector(writer->file, origin->scale);
        putKey(&inner, "mesh_shift_m", "  ");
        putVector(writer->file, origin->shift);
    }
    fputc('}', writer->file);
}

static void putBody(const pbdrBodyFile* body, FILE* file)
{
    const pbdrSphereSet* set = &body->spheres;
    Writer writer = {file, true};
    fputc('{', file);
    putKey(&writer, "schema", "");
    putText(file, PBDR_BODY_SCHEMA);
    if (body->hasSolid) {
        putKey(&writer, "mass", "");
        putNumber(file, body->solid.mass);
        putKey(&writer, "com", "");
        putVector(file, body->solid.centre);
        putKey(&writer, "inertia", "");
        putTensor(file, &body->solid.inertia);
        putKey(&writer, "volume", "");
        putNumber(file, body->solid.volume);
    }
    putKey(&writer, "extra_inertia", "");
    putTensor(file, &body->extraInertia);
    if (body->hasQuality) {
        putQuality(&writer, body);
    }
    putOrigin(&writer, &body->origin);
    putKey(&writer, "centers", "");
    putVectors(file, set->positions, set->count, "\n  ");
    putKey(&writer, "radii", "");
    putNumbers(file, set->radii, set->count);
    if (body->hasMasses) {
        putKey(&writer, "masses", "");
        putNumbers(file, set->masses, set->count);
    }
    if (body->normals.sphereCount > 0) {
        putKey(&writer, "face_normals", "");
        putNormals(file, &body->normals);
    }
    fputs("\n}\n", file);
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
