// Point clouds as plain text with a point per line, "x y z" or "x y z nx ny nz". Lines that are blank or
// begin with # are skipped; the first may hold the number of points alone, as .pts has it. Leica's .pts add
// an intensity, or an intensity and a colour, which are left out.
#include "meshfile/mesh_file.h"
#include "text/number.h"

#include <math.h>

#define MAX_COLUMNS 7
// Columns 4 to 6 are taken for a normal if their length is within this of 1: colours are not.
#define UNIT_TOLERANCE 0.1

// The numbers of a line, at most MAX_COLUMNS. None for a line to be skipped.
static pbdrStatus readColumns(pbdrMeshFile* file, double values[MAX_COLUMNS], int* count)
{
    pbdrWord word;
    for (*count = 0; pbdrNextWord(&file->text, &word) && *word.start != '#'; (*count)++) {
        if (*count == MAX_COLUMNS) {
            return PBDR_FAIL_FORMAT(file, "more than %d values", MAX_COLUMNS);
        }
        if (!pbdrParseDecimal(word.start, word.end, &values[*count])) {
            return PBDR_FAIL_FORMAT(file, "\"%s\" is not a number", pbdrShowWord(word).text);
        }
        if (!isfinite(values[*count])) {
            return PBDR_FAIL_FORMAT(file, "\"%s\" is not finite", pbdrShowWord(word).text);
        }
    }
    return pbdr_statusOk;
}

// Whether lines of so many values are points. Sets whether they have normals.
static pbdrStatus checkColumns(pbdrMeshFile* file, int columns)
{
    if (columns != 3 && columns != 4 && columns != 6 && columns != 7) {
        return PBDR_FAIL_FORMAT(file, "%d values; \"x y z\" or \"x y z nx ny nz\" is wanted", columns);
    }
    file->hasNormals = columns == 6;
    return pbdr_statusOk;
}

static pbdrStatus takeLine(pbdrMeshFile* file, const double values[MAX_COLUMNS], int columns, int wanted)
{
    if (columns != wanted) {
        return PBDR_FAIL_FORMAT(file, "%d values, the lines before have %d", columns, wanted);
    }
    const double* n = &values[3];
    double length = columns == 6 ? sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) : 1.0;
    if (!(fabs(length - 1.0) <= UNIT_TOLERANCE)) {
        return PBDR_FAIL_FORMAT(file, "(%g, %g, %g) is no normal, its length is %g; are these colours?", n[0],
                                n[1], n[2], length);
    }
    return pbdrAddVertex(file, (pbdrVec3){values[0], values[1], values[2]}, (pbdrVec3){n[0], n[1], n[2]});
}

pbdrStatus pbdrReadTextPoints(pbdrMeshFile* file)
{
    pbdrStatus status = pbdr_statusOk;
    int wanted = 0;
    double promised = -1.0; // points, by the first line
    while (status == pbdr_statusOk && pbdrNextLine(&file->text)) {
        double values[MAX_COLUMNS] = {0.0};
        int columns;
        status = readColumns(file, values, &columns);
        if (status != pbdr_statusOk || columns == 0) {
            continue;
        }
        if (columns == 1 && wanted == 0 && promised < 0.0) {
            promised = values[0];
            if (!(promised >= 0.0) || promised != floor(promised)) {
                status = PBDR_FAIL_FORMAT(file, "%g is no number of points", promised);
            }
            continue;
        }
        if (wanted == 0) {
            wanted = columns;
            status = checkColumns(file, columns);
        }
        if (status == pbdr_statusOk) {
            status = takeLine(file, values, columns, wanted);
        }
    }
    if (status == pbdr_statusOk && promised >= 0.0 && promised != file->vertexCount) {
        status = PBDR_FAIL_FORMAT(file, "%d points, the first line says %.0f", file->vertexCount, promised);
    }
    return status;
}
