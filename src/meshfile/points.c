// Point clouds in files: PLY (ply.c), and plain text with a point per line, "x y z" or "x y z nx ny nz".
// Lines that are blank or begin with # are skipped; the first may hold the number of points alone, as .pts
// has it. Leica's .pts add an intensity, or an intensity and a colour, which are left out. None of this needs
// assimp, so coordinates keep double precision.
#include "base.h"
#include "meshfile/plain_copy.h"
#include "pbdr/meshfile.h"

#include <math.h>
#include <string.h>

#define MAX_COLUMNS 7
// Columns 4 to 6 are taken for a normal if their length is within this of 1: colours are not.
#define UNIT_TOLERANCE 0.1

// --- The list ---

pbdrStatus pbdrAddPoint(pbdrPlainCopy* copy)
{
    pbdrPointList* list = copy->points;
    if ((size_t)list->count == list->capacity) {
        size_t capacity = 2 * list->capacity + 1024, size = sizeof(pbdrVec3);
        pbdrVec3* points = pbdrAllocate(copy->hooks, capacity, size);
        pbdrVec3* normals = pbdrAllocate(copy->hooks, capacity, size);
        if (points == NULL || normals == NULL) {
            pbdrRelease(copy->hooks, points, capacity, size);
            pbdrRelease(copy->hooks, normals, capacity, size);
            return pbdrFailFile(copy, pbdr_statusNoMemory, "no memory for %zu points", capacity);
        }
        if (list->count > 0) {
            memcpy(points, list->points, (size_t)list->count * size);
            memcpy(normals, list->normals, (size_t)list->count * size);
        }
        pbdrRelease(copy->hooks, list->points, list->capacity, size);
        pbdrRelease(copy->hooks, list->normals, list->capacity, size);
        list->points = points;
        list->normals = normals;
        list->capacity = capacity;
    }
    const double* v = list->value;
    if (list->hasNormals && v[3] == 0.0 && v[4] == 0.0 && v[5] == 0.0) {
        return PBDR_FAIL_FORMAT(
            copy, "normal (0, 0, 0) is no direction; leave all normals out if they are not known");
    }
    list->points[list->count] = (pbdrVec3){v[0], v[1], v[2]};
    list->normals[list->count++] = (pbdrVec3){v[3], v[4], v[5]};
    return pbdr_statusOk;
}

// --- Text ---

// The numbers of a line, at most MAX_COLUMNS. None for a line to be skipped.
static pbdrStatus readColumns(pbdrPlainCopy* copy, double values[MAX_COLUMNS], int* count)
{
    pbdrWord word;
    for (*count = 0; pbdrNextWord(&copy->text, &word) && *word.start != '#'; (*count)++) {
        if (*count == MAX_COLUMNS) {
            return PBDR_FAIL_FORMAT(copy, "more than %d values", MAX_COLUMNS);
        }
        if (!pbdrParseNumber(word, &values[*count])) {
            return PBDR_FAIL_FORMAT(copy, "\"%s\" is not a number", pbdrShowWord(word).text);
        }
        if (!isfinite(values[*count])) {
            return PBDR_FAIL_FORMAT(copy, "\"%s\" is not finite", pbdrShowWord(word).text);
        }
    }
    return pbdr_statusOk;
}

// Whether lines of so many values are points. Sets whether they have normals.
static pbdrStatus checkColumns(pbdrPlainCopy* copy, int columns)
{
    if (columns != 3 && columns != 4 && columns != 6 && columns != 7) {
        return PBDR_FAIL_FORMAT(copy, "%d values; \"x y z\" or \"x y z nx ny nz\" is wanted", columns);
    }
    copy->points->hasNormals = columns == 6;
    return pbdr_statusOk;
}

static pbdrStatus takeLine(pbdrPlainCopy* copy, const double values[MAX_COLUMNS], int columns, int wanted)
{
    if (columns != wanted) {
        return PBDR_FAIL_FORMAT(copy, "%d values, the lines before have %d", columns, wanted);
    }
    const double* n = &values[3];
    double length = columns == 6 ? sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) : 1.0;
    if (!(fabs(length - 1.0) <= UNIT_TOLERANCE)) {
        return PBDR_FAIL_FORMAT(copy, "(%g, %g, %g) is no normal, its length is %g; are these colours?", n[0],
                                n[1], n[2], length);
    }
    memcpy(copy->points->value, values, sizeof copy->points->value);
    return pbdrAddPoint(copy);
}

pbdrStatus pbdrReadTextPoints(pbdrPlainCopy* copy)
{
    pbdrStatus status = pbdr_statusOk;
    int wanted = 0;
    double promised = -1.0; // points, by the first line
    while (status == pbdr_statusOk && pbdrNextLine(&copy->text)) {
        double values[MAX_COLUMNS] = {0.0};
        int columns;
        status = readColumns(copy, values, &columns);
        if (status != pbdr_statusOk || columns == 0) {
            continue;
        }
        if (columns == 1 && wanted == 0 && promised < 0.0) {
            promised = values[0];
            if (!(promised >= 0.0) || promised != floor(promised)) {
                status = PBDR_FAIL_FORMAT(copy, "%g is no number of points", promised);
            }
            continue;
        }
        if (wanted == 0) {
            wanted = columns;
            status = checkColumns(copy, columns);
        }
        if (status == pbdr_statusOk) {
            status = takeLine(copy, values, columns, wanted);
        }
    }
    if (status == pbdr_statusOk && promised >= 0.0 && promised != copy->points->count) {
        status = PBDR_FAIL_FORMAT(copy, "%d points, the first line says %.0f", copy->points->count, promised);
    }
    return status;
}

// --- Loading ---

typedef struct PointFormat {
    const char* ending;
    pbdrStatus (*read)(pbdrPlainCopy* copy);
} PointFormat;

static const PointFormat formats[] = {{"ply", pbdrReadPlyPoints},
                                      {"xyz", pbdrReadTextPoints},
                                      {"txt", pbdrReadTextPoints},
                                      {"pts", pbdrReadTextPoints}};

static const PointFormat* findFormat(const char* path)
{
    const char* dot = strrchr(path, '.');
    pbdrWord ending = {dot != NULL ? dot + 1 : path, path + strlen(path)};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0] && dot != NULL; i++) {
        if (pbdrIsWord(ending, formats[i].ending)) {
            return &formats[i];
        }
    }
    return NULL;
}

static pbdrStatus createFromList(const pbdrPlainCopy* copy, pbdrPointCloud* cloud)
{
    const pbdrPointList* list = copy->points;
    if (list->count == 0) {
        return pbdrFailFile(copy, pbdr_statusMeshBroken, "no points");
    }
    pbdrError reason = {0};
    pbdrStatus status = pbdrCreatePointCloud(list->points, list->hasNormals ? list->normals : NULL,
                                             list->count, copy->hooks, cloud, &reason);
    if (status != pbdr_statusOk) {
        // What is an invalid argument to pbdrCreatePointCloud came from the file.
        pbdrStatus shown = status == pbdr_statusInvalidArgument ? pbdr_statusFileFormat : status;
        status = pbdrFailFile(copy, shown, "%s", reason.message);
    }
    return status;
}

pbdrStatus pbdrLoadPointCloud(const char* path, const pbdrHooks* hooks, pbdrPointCloud* cloud,
                              pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, path != NULL && cloud != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "path or cloud: NULL");
    }
    memset(cloud, 0, sizeof *cloud);
    pbdrPointList list = {.hasNormals = false};
    pbdrPlainCopy copy = {.path = path, .hooks = hooks, .error = error, .points = &list};
    const PointFormat* format = findFormat(path);
    if (format == NULL) {
        return PBDR_FAIL_FORMAT(&copy, "the name ends in none of .ply, .xyz, .txt and .pts");
    }
    pbdrStatus status = pbdrReadFile(&copy);
    if (status == pbdr_statusOk) {
        status = format->read(&copy);
    }
    copy.text.line = 0;
    copy.item = NULL;
    pbdrRelease(hooks, copy.file, copy.fileSize, 1);
    if (status == pbdr_statusOk) {
        status = createFromList(&copy, cloud);
    }
    pbdrRelease(hooks, list.points, list.capacity, sizeof *list.points);
    pbdrRelease(hooks, list.normals, list.capacity, sizeof *list.normals);
    return status;
}
