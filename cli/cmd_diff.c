// pbdr diff: the first frame, body and quantity in which two runs part.
//
// Two CSV files with a column t, and body where a frame has several rows: trajectories (bench/trajectory.h) and
// ledgers are such files. Rows with the same t are a frame; within it, rows are matched by body. Columns are
// matched by name. Exit code 0: equal; 1: they part; 2: a file is missing or damaged, or wrong usage.
#include "command.h"
#include "options.h"

#include "csv.h"
#include "text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// As diff(1) has it.
enum { EXIT_EQUAL = 0, EXIT_PARTED = 1, EXIT_TROUBLE = 2 };

typedef struct Row {
    int line;
    const char* body;   // NULL: the file names none
    const char** cells; // of the columns that are compared
} Row;

// A file and its present frame.
typedef struct Side {
    CsvReader csv;
    int timeColumn, bodyColumn; // -1: none
    bool pending;               // the reader stands at the first row of the next frame
    bool ended;
    double time;
    int rowCount, capacity;
    Row* rows;
    const char** cells; // [row * columnCount + column]
} Side;

typedef struct Column {
    const char* name;
    int places[2]; // in each file's rows
    bool isHash;
} Column;

typedef struct Diff {
    const char* paths[2];
    double tolerance;
    Side sides[2];
    int columnCount;
    Column columns[CSV_MAX_COLUMNS];
    int frame; // from 0
    long rowCount;
    double largest; // difference so far
    char largestPlace[256];
} Diff;

// --- Reading ---

static int failCsv(const CsvReader* csv)
{
    if (csv->line > 0) {
        benchPrintMessage("pbdr diff: %s: line %d: %s\n", csv->path, csv->line, csv->problem);
    } else {
        benchPrintMessage("pbdr diff: %s: %s\n", csv->path, csv->problem);
    }
    return EXIT_TROUBLE;
}

static int openSide(Side* side, const char* path)
{
    if (csvOpen(&side->csv, path) != csvOk) {
        return failCsv(&side->csv);
    }
    side->timeColumn = csvFindColumn(&side->csv, "t");
    side->bodyColumn = csvFindColumn(&side->csv, "body");
    if (side->timeColumn < 0) {
        benchPrintMessage("pbdr diff: %s: line %d: the header names no column 't'\n", path, side->csv.line);
        return EXIT_TROUBLE;
    }
    return EXIT_OK;
}

// Columns that both files have, in the first one's order; a remark about the others.
static int matchColumns(Diff* diff)
{
    for (int side = 0; side < 2; side++) {
        const CsvReader *own = &diff->sides[side].csv, *other = &diff->sides[1 - side].csv;
        for (int k = 0; k < own->columnCount; k++) {
            const char* name = own->columns[k];
            const int place = csvFindColumn(other, name);
            if (strcmp(name, "t") == 0 || (strcmp(name, "body") == 0 && place >= 0)) {
                continue;
            }
            if (place < 0) {
                benchPrintMessage("pbdr diff: note: only %s has a column '%.60s'\n", own->path, name);
            } else if (csvFindColumn(own, name) != k) {
                benchPrintMessage("pbdr diff: %s: line %d: two columns '%.60s'\n", own->path, own->line,
                                  name);
                return EXIT_TROUBLE;
            } else if (side == 0) {
                diff->columns[diff->columnCount++] = (Column){name, {k, place}, strcmp(name, "hash") == 0};
            }
        }
    }
    if (diff->columnCount == 0) {
        benchPrintMessage("pbdr diff: %s and %s have no column in common but t and body\n", diff->paths[0],
                          diff->paths[1]);
        return EXIT_TROUBLE;
    }
    if ((diff->sides[0].bodyColumn < 0) != (diff->sides[1].bodyColumn < 0)) {
        diff->sides[0].bodyColumn = diff->sides[1].bodyColumn = -1; // rows are matched by their place
    }
    return EXIT_OK;
}

static int readTime(const Side* side, double* time)
{
    const char* text = side->csv.cells[side->timeColumn];
    if (!csvParseNumber(text, time) || !isfinite(*time)) {
        benchPrintMessage("pbdr diff: %s: line %d: t '%.60s': not a time\n", side->csv.path, side->csv.line,
                          text);
        return EXIT_TROUBLE;
    }
    return EXIT_OK;
}

static int keepRow(Diff* diff, int which)
{
    Side* side = &diff->sides[which];
    const size_t width = (size_t)diff->columnCount;
    if (side->rowCount == side->capacity) {
        const int capacity = side->capacity > 0 ? 2 * side->capacity : 64;
        Row* rows = realloc(side->rows, (size_t)capacity * sizeof *rows);
        side->rows = rows != NULL ? rows : side->rows;
        const char** cells = realloc(side->cells, (size_t)capacity * width * sizeof *cells);
        side->cells = cells != NULL ? cells : side->cells;
        if (rows == NULL || cells == NULL) {
            benchPrintMessage("pbdr diff: %s: line %d: out of memory\n", side->csv.path, side->csv.line);
            return EXIT_TROUBLE;
        }
        side->capacity = capacity;
    }
    const char** cells = side->cells + (size_t)side->rowCount * width;
    for (int k = 0; k < diff->columnCount; k++) {
        cells[k] = side->csv.cells[diff->columns[k].places[which]];
    }
    side->rows[side->rowCount++] =
        (Row){side->csv.line, side->bodyColumn >= 0 ? side->csv.cells[side->bodyColumn] : NULL, NULL};
    return EXIT_OK;
}

// The rows of the next time; ended, without rows, past the last.
static int readFrame(Diff* diff, int which)
{
    Side* side = &diff->sides[which];
    const double before = side->time;
    const bool isFirst = diff->frame == 0;
    side->rowCount = 0;
    for (;;) {
        const CsvResult result = side->pending ? csvOk : csvNext(&side->csv);
        side->pending = false;
        if (result == csvEnd) {
            break;
        }
        double time;
        if (result != csvOk) {
            return failCsv(&side->csv);
        }
        if (readTime(side, &time) != EXIT_OK) {
            return EXIT_TROUBLE;
        }
        if (side->rowCount > 0 && time != side->time) {
            side->pending = true;
            break;
        }
        if (side->rowCount == 0 && !isFirst && time <= before) {
            benchPrintMessage("pbdr diff: %s: line %d: t %.17g does not come after %.17g\n", side->csv.path,
                              side->csv.line, time, before);
            return EXIT_TROUBLE;
        }
        side->time = time;
        if (keepRow(diff, which) != EXIT_OK) {
            return EXIT_TROUBLE;
        }
    }
    for (int k = 0; k < side->rowCount; k++) { // growing has moved them
        side->rows[k].cells = side->cells + (size_t)k * (size_t)diff->columnCount;
    }
    side->ended = side->rowCount == 0;
    return EXIT_OK;
}

// --- Comparing ---

// A line on stdout, made printable: names in files may hold anything.
__attribute__((format(printf, 1, 2))) static void say(const char* format, ...)
{
    static char line[16384];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    benchMakePrintable(line);
    puts(line);
}

// " body NAME" or, where there are no names, " row N" of several; "" of one.
static void nameRow(const Diff* diff, int row, char* text, size_t size)
{
    const Side* side = &diff->sides[0];
    text[0] = 0;
    if (side->rows[row].body != NULL) {
        snprintf(text, size, ", body %.80s", side->rows[row].body);
    } else if (side->rowCount > 1) {
        snprintf(text, size, ", row %d", row + 1);
    }
}

static const Row* findRow(const Diff* diff, int row)
{
    const Side* other = &diff->sides[1];
    const char* body = diff->sides[0].rows[row].body;
    if (row < other->rowCount && (body == NULL || strcmp(other->rows[row].body, body) == 0)) {
        return &other->rows[row];
    }
    for (int k = 0; body != NULL && k < other->rowCount; k++) {
        if (strcmp(other->rows[k].body, body) == 0) {
            return &other->rows[k];
        }
    }
    return NULL;
}

// Whether two cells part, and by how much: NaN where they are no numbers. A NaN equals a NaN.
static bool partCells(const Diff* diff, const Column* column, const char* a, const char* b, double* off)
{
    double x, y;
    *off = (double)NAN;
    if (column->isHash || !csvParseNumber(a, &x) || !csvParseNumber(b, &y)) {
        return strcmp(a, b) != 0;
    }
    if (x == y || (isnan(x) && isnan(y))) {
        *off = 0.0;
        return false;
    }
    *off = fabs(x - y);
    return !(*off <= diff->tolerance);
}

static int reportParted(const Diff* diff, const char* row, const char* column, const char* a, const char* b,
                        double off)
{
    char distance[48] = "";
    if (!isnan(off)) {
        snprintf(distance, sizeof distance, ", off by %.3g", off);
    }
    say("frame %d, t %.10g s%s: %s is %.80s in %s and %.80s in %s%s", diff->frame, diff->sides[0].time, row,
        column, a, diff->paths[0], b, diff->paths[1], distance);
    return EXIT_PARTED;
}

// Compares hashes or all else, so that a hash is named only where no number parts.
static int compareRows(Diff* diff, bool hashes)
{
    for (int k = 0; k < diff->sides[0].rowCount; k++) {
        char name[128];
        nameRow(diff, k, name, sizeof name);
        const Row *own = &diff->sides[0].rows[k], *other = findRow(diff, k);
        if (other == NULL) {
            say("frame %d, t %.10g s%s: only in %s", diff->frame, diff->sides[0].time, name, diff->paths[0]);
            return EXIT_PARTED;
        }
        for (int c = 0; c < diff->columnCount; c++) {
            const Column* column = &diff->columns[c];
            double off;
            if (column->isHash != hashes) {
                continue;
            }
            if (partCells(diff, column, own->cells[c], other->cells[c], &off)) {
                return reportParted(diff, name, column->name, own->cells[c], other->cells[c], off);
            }
            if (off > diff->largest) {
                diff->largest = off;
                snprintf(diff->largestPlace, sizeof diff->largestPlace, "frame %d%s, %.40s", diff->frame,
                         name, column->name);
            }
        }
    }
    return EXIT_OK;
}

static int compareFrames(Diff* diff)
{
    const Side *a = &diff->sides[0], *b = &diff->sides[1];
    if (a->ended || b->ended) {
        say("frame %d, t %.10g s: only in %s; %s has %d frames", diff->frame, a->ended ? b->time : a->time,
            diff->paths[a->ended], diff->paths[!a->ended], diff->frame);
        return EXIT_PARTED;
    }
    if (fabs(a->time - b->time) > diff->tolerance) {
        char texts[2][32];
        snprintf(texts[0], sizeof texts[0], "%.17g", a->time);
        snprintf(texts[1], sizeof texts[1], "%.17g", b->time);
        return reportParted(diff, "", "t", texts[0], texts[1], fabs(a->time - b->time));
    }
    if (b->rowCount > a->rowCount) {
        say("frame %d, t %.10g s: %d rows in %s and %d in %s", diff->frame, a->time, a->rowCount,
            diff->paths[0], b->rowCount, diff->paths[1]);
        return EXIT_PARTED;
    }
    const int code = compareRows(diff, false);
    // within a tolerance runs are alike whose bits are not
    return code != EXIT_OK || diff->tolerance > 0.0 ? code : compareRows(diff, true);
}

static int compareFiles(Diff* diff)
{
    for (;; diff->frame++) {
        int code = readFrame(diff, 0);
        code = code != EXIT_OK ? code : readFrame(diff, 1);
        if (code == EXIT_OK && diff->sides[0].ended && diff->sides[1].ended) {
            break;
        }
        code = code != EXIT_OK ? code : compareFrames(diff);
        if (code != EXIT_OK) {
            return code;
        }
        diff->rowCount += diff->sides[0].rowCount;
    }
    if (diff->frame == 0) {
        benchPrintMessage("pbdr diff: %s: no rows\n", diff->paths[0]);
        return EXIT_TROUBLE;
    }
    char largest[320] = "";
    if (diff->largest > 0.0) {
        snprintf(largest, sizeof largest, "; largest difference %.3g: %s", diff->largest, diff->largestPlace);
    }
    say("equal: %d frames, %ld rows, %d columns%s", diff->frame, diff->rowCount, diff->columnCount, largest);
    return EXIT_EQUAL;
}

int commandDiff(int argc, char** argv)
{
    static Diff diff; // its readers are large
    const Option table[] = {
        OPTION_ARGUMENT("A.csv", "a trajectory or a ledger: CSV with columns t, body and any others",
                        &diff.paths[0]),
        OPTION_ARGUMENT("B.csv", "the other one", &diff.paths[1]),
        OPTION_DOUBLE("tolerance", "X", "numbers may differ by that much; hashes are then not compared (0)",
                      &diff.tolerance, 0.0, HUGE_VAL),
    };
    const size_t optionCount = sizeof table / sizeof table[0];
    switch (parseOptions("diff", table, optionCount, argc, argv)) {
    case optionsBad:
        return EXIT_USAGE;
    case optionsHelp:
        printf("usage: pbdr diff A.csv B.csv [OPTIONS]\n\nNames the first frame, body and quantity in which "
               "two runs part. Exit code: 0 equal, 1 they part, 2 a file is\nmissing or damaged. "
               "More: docs/state.md.\n\n");
        printOptions(table, optionCount);
        return EXIT_OK;
    case optionsOk:
        break;
    }
    if (diff.paths[1] == NULL) {
        benchPrintMessage("pbdr diff: which files? pbdr diff A.csv B.csv\n");
        return EXIT_USAGE;
    }
    int code = openSide(&diff.sides[0], diff.paths[0]);
    code = code != EXIT_OK ? code : openSide(&diff.sides[1], diff.paths[1]);
    code = code != EXIT_OK ? code : matchColumns(&diff);
    code = code != EXIT_OK ? code : compareFiles(&diff);
    for (int side = 0; side < 2; side++) {
        csvClose(&diff.sides[side].csv);
        free(diff.sides[side].rows);
        free(diff.sides[side].cells);
    }
    return code;
}
