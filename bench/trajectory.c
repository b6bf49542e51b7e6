// Reading trajectory files. Whatever a file may hold, it is either taken as the header says or refused with
// the line and the value: a column that is silently wrong would become an error of somebody's simulator.
#include "trajectory.h"

#include "csv.h"
#include "fail.h"
#include "vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A quaternion's length may be off by that much: files with three digits are fine, mixed-up columns are not.
#define QUATERNION_SLOP 1.0e-2

#define BODY 14
#define COLUMN_COUNT 15
#define FIRST_LINEAR 8
#define FIRST_ANGULAR 11

static const char* const columnNames[COLUMN_COUNT] = {"t",  "px", "py", "pz", "qw", "qx", "qy",  "qz",
                                                      "vx", "vy", "vz", "wx", "wy", "wz", "body"};

typedef struct Reader {
    CsvReader csv;
    int columns[COLUMN_COUNT];   // where each column stands, from 0; -1: nowhere
    const char* wantedBody;      // NULL: any
    char firstBody[64];          // of the first row, if any body will do
    int firstBodyLine;           // 0: none yet
    BenchTrajectory* trajectory; // being filled
    int capacityRows;
    pbdrError* error;
} Reader;

#define FAIL(reader, ...) benchFail((reader)->error, pbdr_statusFileFormat, __VA_ARGS__)

// What the CSV reader found wrong.
static pbdrStatus failCsv(const Reader* reader, CsvResult result)
{
    const CsvReader* csv = &reader->csv;
    pbdrStatus status = result == csvNoFile     ? pbdr_statusFileNotFound
                        : result == csvNoMemory ? pbdr_statusNoMemory
                                                : pbdr_statusFileFormat;
    return csv->line > 0
               ? benchFail(reader->error, status, "%s: line %d: %s", csv->path, csv->line, csv->problem)
               : benchFail(reader->error, status, "%s: %s", csv->path, csv->problem);
}

// The present row's cell of a column, or NULL where the file lacks it.
static const char* getCell(const Reader* reader, int column)
{
    int place = reader->columns[column];
    return place >= 0 ? reader->csv.cells[place] : NULL;
}

// --- Header ---

static bool hasColumns(const Reader* reader, int first, int count)
{
    for (int k = first; k < first + count; k++) {
        if (reader->columns[k] < 0) {
            return false;
        }
    }
    return true;
}

static pbdrStatus readHeader(Reader* reader)
{
    CsvReader* csv = &reader->csv;
    for (int k = 0; k < COLUMN_COUNT; k++) {
        reader->columns[k] = csvFindColumn(csv, columnNames[k]);
        for (int other = reader->columns[k] + 1; reader->columns[k] >= 0 && other < csv->columnCount;
             other++) {
            if (strcmp(csv->columns[other], columnNames[k]) == 0) {
                return FAIL(reader, "%s: line %d: two columns '%s'", csv->path, csv->line, columnNames[k]);
            }
        }
    }
    for (int k = 0; k < FIRST_LINEAR; k++) {
        if (reader->columns[k] < 0) {
            return FAIL(
                reader,
                "%s: line %d: the header names no column '%s' (wanted: t, px, py, pz, qw, qx, qy, qz)",
                reader->csv.path, reader->csv.line, columnNames[k]);
        }
    }
    for (int k = FIRST_LINEAR; k < BODY; k += 3) {
        bool any = reader->columns[k] >= 0 || reader->columns[k + 1] >= 0 || reader->columns[k + 2] >= 0;
        if (any && !hasColumns(reader, k, 3)) {
            return FAIL(reader, "%s: line %d: of %s, %s, %s the header names some but not all",
                        reader->csv.path, reader->csv.line, columnNames[k], columnNames[k + 1],
                        columnNames[k + 2]);
        }
    }
    return pbdr_statusOk;
}

// --- Rows ---

// Whether the row is of the body that is wanted. Without a wish, a second body is an error: one of them would
// be scored unseen.
static pbdrStatus checkBody(Reader* reader, const char* body, bool* wanted)
{
    *wanted = true;
    if (reader->wantedBody != NULL) {
        *wanted = body != NULL && strcmp(body, reader->wantedBody) == 0;
    } else if (body != NULL && reader->firstBodyLine == 0) {
        reader->firstBodyLine = reader->csv.line;
        snprintf(reader->firstBody, sizeof reader->firstBody, "%s", body);
    } else if (body != NULL && strncmp(body, reader->firstBody, sizeof reader->firstBody - 1) != 0) {
        return FAIL(reader, "%s: line %d: body '%.60s', but line %d has '%s': choose with --body NAME",
                    reader->csv.path, reader->csv.line, body, reader->firstBodyLine, reader->firstBody);
    }
    return pbdr_statusOk;
}

static pbdrStatus readNumbers(Reader* reader, double numbers[BODY])
{
    for (int k = 0; k < BODY; k++) {
        const char* text = getCell(reader, k);
        numbers[k] = (double)NAN;
        if (text == NULL) {
            continue;
        }
        if (!csvParseNumber(text, &numbers[k])) {
            return FAIL(reader, "%s: line %d: %s '%.60s': not a number", reader->csv.path, reader->csv.line,
                        columnNames[k], text);
        }
    }
    return pbdr_statusOk;
}

static BenchTrajectoryRow makeRow(const Reader* reader, const double n[BODY])
{
    BenchTrajectoryRow row = {
        .line = reader->csv.line,
        .t = n[0],
        .pose = {{n[1], n[2], n[3]}, {n[4], n[5], n[6], n[7]}},
        .velocity = {{n[8], n[9], n[10]}, {n[11], n[12], n[13]}},
        .finite = true,
    };
    for (int k = 0; k < BODY; k++) {
        row.finite = row.finite && (reader->columns[k] < 0 || isfinite(n[k]));
    }
    return row;
}

static pbdrStatus checkRow(const Reader* reader, const BenchTrajectoryRow* row)
{
    const BenchTrajectory* trajectory = reader->trajectory;
    const char* path = reader->csv.path;
    if (!isfinite(row->t)) {
        return FAIL(reader, "%s: line %d: t %g: not a time", path, row->line, row->t);
    }
    if (trajectory->count == 0 && row->t != 0.0) {
        return FAIL(reader, "%s: line %d: t %g: the first row must be the start, at t = 0", path, row->line,
                    row->t);
    }
    if (trajectory->count == 0 && !row->finite) {
        return FAIL(reader, "%s: line %d: a start that is not finite", path, row->line);
    }
    if (trajectory->count > 0 && row->t <= trajectory->rows[trajectory->count - 1].t) {
        return FAIL(reader, "%s: line %d: t %g does not come after %g", path, row->line, row->t,
                    trajectory->rows[trajectory->count - 1].t);
    }
    double length = benchLengthQ(row->pose.rotation);
    if (row->finite && fabs(length - 1.0) > QUATERNION_SLOP) {
        return FAIL(reader, "%s: line %d: qw, qx, qy, qz %g %g %g %g: length %g, not 1", path, row->line,
                    row->pose.rotation.w, row->pose.rotation.x, row->pose.rotation.y, row->pose.rotation.z,
                    length);
    }
    return pbdr_statusOk;
}

static pbdrStatus keepRow(Reader* reader, BenchTrajectoryRow row)
{
    BenchTrajectory* trajectory = reader->trajectory;
    if (trajectory->count == reader->capacityRows) {
        int capacity = reader->capacityRows > 0 ? 2 * reader->capacityRows : 1024;
        BenchTrajectoryRow* rows =
            capacity < (1 << 28) ? realloc(trajectory->rows, (size_t)capacity * sizeof *rows) : NULL;
        if (rows == NULL) {
            return benchFail(reader->error, pbdr_statusNoMemory, "%s: line %d: no memory for more rows",
                             reader->csv.path, reader->csv.line);
        }
        trajectory->rows = rows;
        reader->capacityRows = capacity;
    }
    // digits that the file lacks; a quaternion with all of them keeps its bits
    if (row.finite && fabs(benchLengthQ(row.pose.rotation) - 1.0) > 1.0e-14) {
        row.pose.rotation = benchNormalizeQ(row.pose.rotation);
    }
    trajectory->rows[trajectory->count++] = row;
    return pbdr_statusOk;
}

static pbdrStatus readRow(Reader* reader)
{
    bool wanted = true;
    double numbers[BODY];
    pbdrStatus status = checkBody(reader, getCell(reader, BODY), &wanted);
    if (status != pbdr_statusOk || !wanted) {
        return status;
    }
    status = readNumbers(reader, numbers);
    if (status != pbdr_statusOk) {
        return status;
    }
    BenchTrajectoryRow row = makeRow(reader, numbers);
    status = checkRow(reader, &row);
    return status == pbdr_statusOk ? keepRow(reader, row) : status;
}

static pbdrStatus readAll(Reader* reader, const char* path)
{
    CsvResult result = csvOpen(&reader->csv, path);
    if (result != csvOk) {
        return failCsv(reader, result);
    }
    pbdrStatus status = readHeader(reader);
    if (status == pbdr_statusOk && reader->wantedBody != NULL && reader->columns[BODY] < 0) {
        return FAIL(reader, "%s: line %d: the header names no column 'body' to look for '%.60s' in",
                    reader->csv.path, reader->csv.line, reader->wantedBody);
    }
    while (status == pbdr_statusOk && (result = csvNext(&reader->csv)) == csvOk) {
        status = readRow(reader);
    }
    if (status == pbdr_statusOk && result != csvEnd) {
        status = failCsv(reader, result);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    if (reader->trajectory->count < 2) {
        return FAIL(reader, "%s: %s%s%.60s%s", reader->csv.path,
                    reader->trajectory->count == 0 ? "no rows" : "a start and nothing after it",
                    reader->wantedBody != NULL ? " of body '" : "",
                    reader->wantedBody != NULL ? reader->wantedBody : "",
                    reader->wantedBody != NULL ? "'" : "");
    }
    return pbdr_statusOk;
}

pbdrStatus benchReadTrajectory(const char* path, const char* body, BenchTrajectory* trajectory,
                               pbdrError* error)
{
    *trajectory = (BenchTrajectory){0};
    Reader reader = {.wantedBody = body, .trajectory = trajectory, .error = error};
    pbdrStatus status = readAll(&reader, path);
    csvClose(&reader.csv);
    if (status != pbdr_statusOk) {
        benchFreeTrajectory(trajectory);
    }
    return status;
}

void benchFreeTrajectory(BenchTrajectory* trajectory)
{
    free(trajectory->rows);
    *trajectory = (BenchTrajectory){0};
}
