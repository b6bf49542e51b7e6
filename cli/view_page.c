// The page of a replay: the built template with the view put in as JSON (schema pbdr-replay/1, web/README.md).
#define _POSIX_C_SOURCE 200809L
#include "view.h"

#include "command.h"
#include "data.h"

#include "json_writer.h"
#include "pbdr/base.h"
#include "text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// In the template: where the data goes, and around the engine, which stored frames do without.
#define DATA_MARK "<!--pbdr:data-->"
#define ENGINE_BEGIN "<!--pbdr:engine-->"
#define ENGINE_END "<!--/pbdr:engine-->"
#define SHORT_SCALE 32767.0f

// --- Bytes as text ---

// Base64 in three bytes at a time, so that it may be written piece by piece.
typedef struct Base64 {
    FILE* file;
    unsigned char held[3];
    int count;
} Base64;

static void flushBase64(Base64* out)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits = (uint32_t)out->held[0] << 16 | (uint32_t)out->held[1] << 8 | out->held[2];
    for (int k = 0; k < 4; k++) {
        fputc(k <= out->count ? letters[bits >> (18 - 6 * k) & 63] : '=', out->file);
    }
    memset(out->held, 0, sizeof out->held);
    out->count = 0;
}

static void writeBytes(Base64* out, const void* bytes, size_t size)
{
    const unsigned char* from = bytes;
    for (size_t k = 0; k < size; k++) {
        out->held[out->count++] = from[k];
        if (out->count == 3) {
            flushBase64(out);
        }
    }
}

static void endBase64(Base64* out)
{
    if (out->count > 0) {
        flushBase64(out);
    }
}

// A text value that follows: "key": "...base64...".
static Base64 openBytes(JsonWriter* json, const char* key)
{
    jsonText(json, key, ""); // the closing quote is taken back: the file is memory
    fseek(json->file, -1, SEEK_CUR);
    return (Base64){.file = json->file};
}

static void closeBytes(Base64* out)
{
    endBase64(out);
    fputc('"', out->file);
}

static void writeDoubles(JsonWriter* json, const char* key, const double* values, size_t count)
{
    Base64 out = openBytes(json, key);
    writeBytes(&out, values, count * sizeof *values);
    closeBytes(&out);
}

// --- What is shown ---

static void writeVec(JsonWriter* json, const char* key, pbdrVec3 v)
{
    jsonNumbers(json, key, (const double[3]){v.x, v.y, v.z}, 3);
}

static void writeMeshes(JsonWriter* json, const View* view)
{
    jsonOpen(json, "meshes", '[');
    for (int k = 0; k < view->meshCount; k++) {
        const pbdrMesh* mesh = &view->meshes[k].mesh;
        jsonOpen(json, NULL, '{');
        Base64 out = openBytes(json, "vertices_f32");
        for (int i = 0; i < mesh->vertexCount; i++) {
            const pbdrVec3 v = mesh->vertices[i];
            writeBytes(&out, (const float[3]){(float)v.x, (float)v.y, (float)v.z}, 3 * sizeof(float));
        }
        closeBytes(&out);
        out = openBytes(json, "triangles_i32");
        writeBytes(&out, mesh->triangles, (size_t)mesh->triangleCount * sizeof *mesh->triangles);
        closeBytes(&out);
        jsonClose(json, '}');
    }
    jsonClose(json, ']');
}

static void writeGeom(JsonWriter* json, const pbdrSceneGeom* geom)
{
    static const char* const kinds[] = {"ball", "capsule", "box", "cylinder", "mesh"};
    const pbdrQuat q = geom->pose.rotation;
    jsonOpen(json, NULL, '{');
    jsonText(json, "kind", kinds[geom->kind]);
    writeVec(json, "position_m", geom->pose.position);
    jsonNumbers(json, "rotation_wxyz", (const double[4]){q.w, q.x, q.y, q.z}, 4);
    if (geom->kind == pbdr_geomBox) {
        writeVec(json, "half_extents_m", geom->half);
    } else if (geom->kind == pbdr_geomMesh) {
        jsonNumber(json, "mesh", geom->mesh);
    } else {
        jsonNumber(json, "radius_m", geom->radius);
        jsonNumber(json, "half_length_m", geom->kind == pbdr_geomBall ? 0.0 : geom->halfLength);
    }
    jsonClose(json, '}');
}

static void writeBodies(JsonWriter* json, const View* view)
{
    static const char* const kinds[] = {"dynamic", "static", "kinematic"};
    jsonOpen(json, "bodies", '[');
    for (int i = 0; i < view->bodyCount; i++) {
        const pbdrSceneBody* body = &view->bodies[i];
        jsonOpen(json, NULL, '{');
        jsonText(json, "name", body->name);
        jsonText(json, "kind", kinds[body->kind]);
        jsonNumber(json, "mass_kg", body->kind == pbdr_bodyDynamic ? body->solid.mass : (double)NAN);
        if (view->reach != NULL && view->reach[i].lower.x <= view->reach[i].upper.x) {
            writeVec(json, "lower_m", view->reach[i].lower);
            writeVec(json, "upper_m", view->reach[i].upper);
        }
        jsonOpen(json, "geoms", '[');
        for (int g = 0; g < body->geomCount; g++) {
            writeGeom(json, &body->geoms[g]);
        }
        jsonClose(json, ']');
        jsonClose(json, '}');
    }
    jsonClose(json, ']');
}

static void writeJoints(JsonWriter* json, const View* view)
{
    jsonOpen(json, "joints", '[');
    for (int k = 0; k < view->jointCount; k++) {
        jsonText(json, NULL, view->joints[k].name);
    }
    jsonClose(json, ']');
}

static void writePlanes(JsonWriter* json, const View* view)
{
    jsonOpen(json, "planes", '[');
    for (int k = 0; k < view->planeCount; k++) {
        jsonOpen(json, NULL, '{');
        jsonText(json, "name", view->planes[k].name);
        writeVec(json, "normal", view->planes[k].normal);
        jsonNumber(json, "offset_m", view->planes[k].offset);
        jsonClose(json, '}');
    }
    jsonClose(json, ']');
}

// --- Runs ---

// Positions as floats, rotations as short numbers: 20 bytes a body.
static void writePoses(JsonWriter* json, const char* positions, const char* rotations, const ViewPose* poses,
                       size_t count)
{
    Base64 out = openBytes(json, positions);
    for (size_t k = 0; k < count; k++) {
        writeBytes(&out, poses[k].position, sizeof poses[k].position);
    }
    closeBytes(&out);
    out = openBytes(json, rotations);
    for (size_t k = 0; k < count; k++) {
        int16_t numbers[4];
        for (int c = 0; c < 4; c++) {
            const float value = poses[k].rotation[c] * SHORT_SCALE;
            numbers[c] = (int16_t)(fabsf(value) <= SHORT_SCALE ? lrintf(value) : 0);
        }
        writeBytes(&out, numbers, sizeof numbers);
    }
    closeBytes(&out);
}

static void writeTrack(JsonWriter* json, const View* view, const ViewTrack* track)
{
    jsonOpen(json, NULL, '{');
    jsonText(json, "label", track->label);
    jsonText(json, "settings", track->settings);
    jsonText(json, "problem", track->problem);
    jsonNumber(json, "frames", track->frameCount);
    jsonOpen(json, "centres_m", '[');
    for (int i = 0; i < view->bodyCount; i++) {
        writeVec(json, NULL, track->centres[i]);
    }
    jsonClose(json, ']');
    if (view->stored) {
        writePoses(json, "positions_f32", "rotations_i16", track->poses,
                   (size_t)track->frameCount * (size_t)view->bodyCount);
        if (track->times != NULL) {
            writeDoubles(json, "times_f64", track->times, (size_t)track->frameCount);
        }
    } else {
        writeDoubles(json, "recipe_f64", track->recipe.numbers, track->recipe.count);
        jsonOpen(json, "owners", '[');
        for (int k = 0; k < track->recipe.bodyCount; k++) {
            jsonNumber(json, NULL, track->owners[k]);
        }
        jsonClose(json, ']');
        jsonOpen(json, "hashes", '[');
        for (int k = 0; k < track->hashCount; k++) {
            jsonText(json, NULL, track->hashes[k]);
        }
        jsonClose(json, ']');
    }
    jsonOpen(json, "curves", '[');
    for (int c = 0; c < track->curveCount; c++) {
        jsonOpen(json, NULL, '{');
        jsonText(json, "name", track->curves[c].name);
        writeDoubles(json, "values_f64", track->curves[c].values, (size_t)track->frameCount);
        jsonClose(json, '}');
    }
    jsonClose(json, ']');
    jsonClose(json, '}');
}

static void writeView(FILE* file, const View* view)
{
    JsonWriter json = {.file = file, .first = true};
    jsonOpen(&json, NULL, '{');
    jsonText(&json, "schema", "pbdr-replay/1");
    jsonText(&json, "version", pbdrVersion());
    jsonText(&json, "title", view->title);
    jsonText(&json, "source", view->source);
    jsonTruth(&json, "stored", view->stored);
    jsonNumber(&json, "thinned", view->thinned);
    jsonNumber(&json, "time_step_s", view->timeStep);
    jsonNumber(&json, "substeps_per_frame", view->perFrame);
    jsonNumber(&json, "frames", view->frameCount);
    jsonNumber(&json, "hash_every_frames", view->hashEvery);
    writePlanes(&json, view);
    writeJoints(&json, view);
    writeMeshes(&json, view);
    writeBodies(&json, view);
    jsonOpen(&json, "tracks", '[');
    for (int k = 0; k < view->trackCount; k++) {
        writeTrack(&json, view, &view->tracks[k]);
    }
    jsonClose(&json, ']');
    if (view->reference != NULL) {
        jsonOpen(&json, "reference", '{');
        jsonText(&json, "name", view->referenceName);
        jsonNumber(&json, "body", view->referenceBody);
        writePoses(&json, "positions_f32", "rotations_i16", view->reference,
                   (size_t)view->tracks[0].frameCount);
        jsonClose(&json, '}');
    }
    jsonClose(&json, '}');
}

// --- The template ---

static char* readFile(const char* path)
{
    FILE* file = fopen(path, "rb");
    char* text = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&text, &size);
    char part[1 << 16];
    size_t count;
    while (file != NULL && memory != NULL && (count = fread(part, 1, sizeof part, file)) > 0) {
        fwrite(part, 1, count, memory);
    }
    const bool good = file != NULL && memory != NULL && !ferror(file);
    if (memory != NULL && fclose(memory) != 0) {
        text = NULL;
    }
    if (!good) {
        benchPrintMessage("pbdr view: %s: %s\n", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (file != NULL) {
        fclose(file);
    }
    return text;
}

// In a page "</script>" and "<!--" would end the data: no '<' stands in it as it is. Line breaks cost bytes, no more.
static void writeSafely(FILE* file, const char* text)
{
    for (const char* c = text; *c != 0; c++) {
        if (*c == '<') {
            fputs("\\u003c", file);
        } else if (*c == '\n') {
            while (c[1] == ' ') {
                c++;
            }
        } else {
            fputc(*c, file);
        }
    }
}

// The page's name is text as well.
static void writeTitle(FILE* file, const char* title)
{
    for (const char* c = title; *c != 0; c++) {
        if (strchr("<>&\"'", *c) != NULL) {
            fprintf(file, "&#%d;", *c);
        } else {
            fputc(*c, file);
        }
    }
}

static bool fillTemplate(const View* view, char* page, const char* data, FILE* file)
{
    char* mark = strstr(page, DATA_MARK);
    char* begin = strstr(page, ENGINE_BEGIN);
    char* end = begin != NULL ? strstr(begin, ENGINE_END) : NULL;
    char* title = strstr(page, "<title>pbdr replay</title>");
    if (mark == NULL || end == NULL || title == NULL || !(title < mark && mark < begin)) {
        return false;
    }
    fwrite(page, 1, (size_t)(title + 7 - page), file);
    writeTitle(file, view->title);
    fwrite(title + 18, 1, (size_t)(mark - title - 18), file);
    fputs("<script type=\"application/json\" id=\"pbdr-data\">", file);
    writeSafely(file, data);
    fputs("</script>", file);
    const char* rest = mark + strlen(DATA_MARK);
    fwrite(rest, 1, (size_t)(begin - rest), file);
    fputs(view->stored ? end + strlen(ENGINE_END) : begin, file);
    return true;
}

const char* findWebFolder(void)
{
    const char* folder = findDataFolder("web", "replay.html");
    if (folder == NULL) {
        benchPrintMessage(
            "pbdr view: the pages are not built: type `make web` in the source tree (it needs node and "
            "emscripten, which scripts/setup.sh web installs); they are looked for in web/ beside the "
            "program and in share/pbdr/web\n");
    }
    return folder;
}

int writeViewPage(const View* view, const char* templatePath, FILE* file)
{
    char path[4200];
    const char* folder = templatePath == NULL ? findWebFolder() : "";
    if (folder == NULL) {
        return EXIT_FAILED;
    }
    snprintf(path, sizeof path, "%s/replay.html", folder);
    char* page = readFile(templatePath != NULL ? templatePath : path);
    char* data = NULL;
    size_t size = 0;
    FILE* memory = page != NULL ? open_memstream(&data, &size) : NULL;
    int code = EXIT_FAILED;
    if (memory != NULL) {
        writeView(memory, view);
        if (fclose(memory) != 0) {
            benchPrintMessage("pbdr view: out of memory for the page\n");
        } else if (!fillTemplate(view, page, data, file)) {
            benchPrintMessage("pbdr view: %s: no template of this version: type `make web` again\n",
                              templatePath != NULL ? templatePath : path);
        } else {
            code = EXIT_OK;
        }
    }
    free(data);
    free(page);
    return code;
}
