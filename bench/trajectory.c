// Reading trajectory files. Whatever a file may hold, it is either taken as the header says or refused with
// the line and the value: a column that is silently wrong would become an error of somebody's simulator.
#define _POSIX_C_SOURCE 200809L
#include "trajectory.h"

#include "base.h"
#include "math/vec.h"

#include <errno.h>
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
    const char* path;
    FILE* file;
    char* text; // the present line, owned
    size_t capacity;
    int line;
    int cellCount;               // of the header
    int columns[COLUMN_COUNT];   // where each column stands, from 0; -1: nowhere
    const char* wantedBody;      // NULL: any
    char firstBody[64];          // of the first row, if any body will do
    int firstBodyLine;           // 0: none yet
    BenchTrajectory* trajectory; // being filled
    int capacityRows;
    pbdrError* error;
} Reader;

// Parts of one line: cells[i] begins at text, ends before a comma; spaces and quotes around it are cut off.
typedef struct Cells {
    int count;
    const char* values[COLUMN_COUNT]; // by column; NULL where the file lacks it
} Cells;

#define FAIL(reader, ...) pbdrFail((reader)->error, pbdr_statusFileFormat, __VA_ARGS__)

// --- Lines and cells ---

// The next line that says something, without its end. NULL at the end of the file; *status then says whether
// it was read well.
static char* readLine(Reader* reader, pbdrStatus* status)
{
    *status = pbdr_statusOk;
    errno = 0;
    ssize_t length;
    while ((length = getline(&reader->text, &reader->capacity, reader->file)) >= 0) {
        reader->line++;
        char* text = reader->text;
        if (strlen(text) != (size_t)length) {
            *status =
                FAIL(reader, "%s: line %d: a zero byte: this is no text file", reader->path, reader->line);
            return NULL;
        }
        if (reader->line == 1 && strncmp(text, "\xef\xbb\xbf", 3) == 0) {
            text += 3; // a byte order mark
        }
        text[strcspn(text, "\r\n")] = 0;
        text += strspn(text, " \t");
        if (text[0] != 0 && text[0] != '#') {
            return text;
        }
    }
    if (ferror(reader->file) || errno == ENOMEM) {
        *status = pbdrFail(reader->error, pbdr_statusFileNotFound, "%s: cannot be read: %s", reader->path,
                           strerror(errno));
    }
    return NULL;
}

// Cuts the next cell off *text. NULL past the last.
static char* nextCell(char** text)
{
    char* cell = *text;
    if (cell == NULL) {
        return NULL;
    }
    char* comma = strchr(cell, ',');
    *text = comma != NULL ? comma + 1 : NULL;
    if (comma != NULL) {
        *comma = 0;
    }
    cell += strspn(cell, " \t");
    size_t length = strlen(cell);
    while (length > 0 && strchr(" \t", cell[length - 1]) != NULL) {
        cell[--length] = 0;
    }
    if (length >= 2 && cell[0] == '"' && cell[length - 1] == '"') {
        cell[length - 1] = 0;
        cell++;
    }
    return cell;
}

static int findColumn(const char* name)
{
    for (int k = 0; k < COLUMN_COUNT; k++) {
        if (strcmp(columnNames[k], name) == 0) {
            return k;
        }
    }
    return -1;
}

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
    pbdrStatus status;
    char* text = readLine(reader, &status);
    if (text == NULL) {
        return status != pbdr_statusOk ? status : FAIL(reader, "%s: is empty", reader->path);
    }
    for (int k = 0; k < COLUMN_COUNT; k++) {
        reader->columns[k] = -1;
    }
    for (const char* cell; (cell = nextCell(&text)) != NULL; reader->cellCount++) {
        int column = findColumn(cell);
        if (column >= 0 && reader->columns[column] >= 0) {
            return FAIL(reader, "%s: line %d: two columns '%s'", reader->path, reader->line, cell);
        }
        if (column >= 0) {
            reader->columns[column] = reader->cellCount;
        }
    }
    for (int k = 0; k < FIRST_LINEAR; k++) {
        if (reader->columns[k] < 0) {
            return FAIL(
                reader,
                "%s: line %d: the header names no column '%s' (wanted: t, px, py, pz, qw, qx, qy, qz)",
                reader->path, reader->line, columnNames[k]);
        }
    }
    for (int k = FIRST_LINEAR; k < BODY; k += 3) {
        bool any = reader->columns[k] >= 0 || reader->columns[k + 1] >= 0 || reader->columns[k + 2] >= 0;
        if (any && !hasColumns(reader, k, 3)) {
            return FAIL(reader, "%s: line %d: of %s, %s, %s the header names some but not all", reader->path,
                        reader->line, columnNames[k], columnNames[k + 1], columnNames[k + 2]);
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus splitRow(Reader* reader, char* text, Cells* cells)
{
    *cells = (Cells){0};
    for (const char* cell; (cell = nextCell(&text)) != NULL; cells->count++) {
        for (int k = 0; k < COLUMN_COUNT; k++) {
            if (reader->columns[k] == cells->count) {
                cells->values[k] = cell;
            }
        }
    }
    if (cells->count != reader->cellCount) {
        return FAIL(reader, "%s: line %d: %d cells where the header names %d", reader->path, reader->line,
                    cells->count, reader->cellCount);
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
        reader->firstBodyLine = reader->line;
        snprintf(reader->firstBody, sizeof reader->firstBody, "%s", body);
    } else if (body != NULL && strncmp(body, reader->firstBody, sizeof reader->firstBody - 1) != 0) {
        return FAIL(reader, "%s: line %d: body '%.60s', but line %d has '%s': choose with --body NAME",
                    reader->path, reader->line, body, reader->firstBodyLine, reader->firstBody);
    }
    return pbdr_statusOk;
}

static pbdrStatus readNumbers(Reader* reader, const Cells* cells, double numbers[BODY])
{
    for (int k = 0; k < BODY; k++) {
        const char* text = cells->values[k];
        numbers[k] = (double)NAN;
        if (text == NULL) {
            continue;
        }
        char* end = NULL;
        numbers[k] = strtod(text, &end);
        if (end == text || *end != 0) {
            return FAIL(reader, "%s: line %d: %s '%.60s': not a number", reader->path, reader->line,
                        columnNames[k], text);
        }
    }
    return pbdr_statusOk;
}

static BenchTrajectoryRow makeRow(const Reader* reader, const double n[BODY])
{
    BenchTrajectoryRow row = {
        .line = reader->line,
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
    const char* path = reader->path;
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
    double length = pbdrLengthQ(row->pose.rotation);
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
            return pbdrFail(reader->error, pbdr_statusNoMemory, "%s: line %d: no memory for more rows",
                            reader->path, reader->line);
        }
        trajectory->rows = rows;
        reader->capacityRows = capacity;
    }
    // digits that the file lacks; a quaternion with all of them keeps its bits
    if (row.finite && fabs(pbdrLengthQ(row.pose.rotation) - 1.0) > 1.0e-14) {
        row.pose.rotation = pbdrNormalizeQ(row.pose.rotation);
    }
    trajectory->rows[trajectory->count++] = row;
    return pbdr_statusOk;
}

static pbdrStatus readRow(Reader* reader, char* text)
{
    Cells cells;
    bool wanted = true;
    double numbers[BODY];
    pbdrStatus status = splitRow(reader, text, &cells);
    if (status == pbdr_statusOk) {
        status = checkBody(reader, cells.values[BODY], &wanted);
    }
    if (status != pbdr_statusOk || !wanted) {
        return status;
    }
    status = readNumbers(reader, &cells, numbers);
    if (status != pbdr_statusOk) {
        return status;
    }
    BenchTrajectoryRow row = makeRow(reader, numbers);
    status = checkRow(reader, &row);
    return status == pbdr_statusOk ? keepRow(reader, row) : status;
}

static pbdrStatus readAll(Reader* reader)
{
    pbdrStatus status = readHeader(reader);
    if (status == pbdr_statusOk && reader->wantedBody != NULL && reader->columns[BODY] < 0) {
        return FAIL(reader, "%s: line %d: the header names no column 'body' to look for '%.60s' in",
                    reader->path, reader->line, reader->wantedBody);
    }
    for (char* text = NULL; status == pbdr_statusOk && (text = readLine(reader, &status)) != NULL;) {
        status = readRow(reader, text);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    if (reader->trajectory->count < 2) {
        return FAIL(reader, "%s: %s%s%.60s%s", reader->path,
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
    Reader reader = {.path = path, .wantedBody = body, .trajectory = trajectory, .error = error};
    reader.file = fopen(path, "r");
    if (reader.file == NULL) {
        return pbdrFail(error, pbdr_statusFileNotFound, "%s: cannot be opened: %s", path, strerror(errno));
    }
    pbdrStatus status = readAll(&reader);
    free(reader.text);
    fclose(reader.file);
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
