// The shape of a study's stills, from its file.
#include "shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- The file ---

typedef struct ShapeRow {
    const char* kind;
    double a, b, c, radius;
} ShapeRow;

static const CsvColumn columns[] = {
    {"kind", csvWord, offsetof(ShapeRow, kind)},
    {"a", csvNumber, offsetof(ShapeRow, a)},
    {"b", csvNumber, offsetof(ShapeRow, b)},
    {"c", csvNumber, offsetof(ShapeRow, c)},
    {"radius_m", csvNumber, offsetof(ShapeRow, radius)},
};

static bool isIndex(double value, int count)
{
    return value >= 0 && value < count && value == floor(value);
}

// The first column that cannot be drawn, or NULL. The vertices of a triangle stand before it.
static const char* findFault(const Shape* shape, const ShapeRow* row)
{
    static const char* const names[] = {"a", "b", "c"};
    const double values[] = {row->a, row->b, row->c};
    bool triangle = strcmp(row->kind, "triangle") == 0, ball = strcmp(row->kind, "sphere") == 0;
    if (!triangle && !ball && strcmp(row->kind, "vertex") != 0) {
        return "kind";
    }
    for (int k = 0; k < 3; k++) {
        if (triangle ? !isIndex(values[k], shape->vertexCount) : !(fabs(values[k]) < 1e3)) {
            return names[k];
        }
    }
    return ball && !(row->radius > 0 && row->radius < 1e3) ? "radius_m" : NULL;
}

static bool takeRows(Page* page, Shape* shape, const CsvRecords* file)
{
    const ShapeRow* rows = file->records;
    shape->vertices = calloc(file->count, sizeof *shape->vertices);
    shape->triangles = calloc(file->count, sizeof *shape->triangles);
    shape->balls = calloc(file->count, sizeof *shape->balls);
    if (shape->vertices == NULL || shape->triangles == NULL || shape->balls == NULL) {
        failPage(page, "out of memory");
        return false;
    }
    for (size_t k = 0; k < file->count; k++) {
        const ShapeRow* row = &rows[k];
        const char* fault = findFault(shape, row);
        if (fault != NULL) {
            failPage(page, "%s/stills_shape.csv:%zu: column '%s': not a shape's", page->results, k + 2,
                     fault);
            return false;
        }
        if (row->kind[0] == 'v') {
            shape->vertices[shape->vertexCount++] = (Vec){row->a, row->b, row->c};
        } else if (row->kind[0] == 't') {
            int* triangle = shape->triangles[shape->triangleCount++];
            triangle[0] = (int)row->a, triangle[1] = (int)row->b, triangle[2] = (int)row->c;
        } else {
            shape->balls[shape->ballCount++] = (Ball){{row->a, row->b, row->c}, row->radius, {0, 0, 0}};
        }
    }
    return shape->triangleCount > 0;
}

bool loadShape(Page* page, Shape* shape, char message[CSV_MESSAGE_SIZE])
{
    memset(shape, 0, sizeof *shape);
    message[0] = 0;
    char path[4096];
    snprintf(path, sizeof path, "%s/stills_shape.csv", page->results);
    if (page->failed) {
        return false;
    }
    CsvRecords file;
    CsvResult result =
        csvReadRecords(&file, path, columns, sizeof columns / sizeof columns[0], sizeof(ShapeRow), message);
    if (result == csvDamaged || result == csvNoMemory) {
        failPage(page, "%s", message);
        return false;
    }
    bool loaded = result == csvOk && file.count > 0 && takeRows(page, shape, &file);
    csvFreeRecords(&file);
    if (result == csvOk && !loaded) {
        snprintf(message, CSV_MESSAGE_SIZE, "%.900s: there is no shape in it", path);
    }
    if (loaded) {
        findOutside(shape);
    } else {
        freeShape(shape);
    }
    return loaded;
}

bool makeBoxShape(Page* page, Shape* shape, Vec low, Vec high)
{
    static const int faces[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                     {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    *shape = (Shape){.vertexCount = 8, .triangleCount = 12};
    shape->vertices = calloc(8, sizeof *shape->vertices);
    shape->triangles = malloc(sizeof faces);
    if (shape->vertices == NULL || shape->triangles == NULL) {
        freeShape(shape);
        failPage(page, "out of memory");
        return false;
    }
    memcpy(shape->triangles, faces, sizeof faces);
    for (int k = 0; k < 8; k++) {
        shape->vertices[k] = (Vec){(k & 1) != 0 ? high.x : low.x, (k & 2) != 0 ? high.y : low.y,
                                   (k & 4) != 0 ? high.z : low.z};
    }
    return true;
}
