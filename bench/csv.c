// Reading CSV. The file is read whole and cut up in place, so that cells are texts in it.
#define _POSIX_C_SOURCE 200809L
#include "csv.h"

#include "number.h"
#include "old_names.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Files ---

__attribute__((format(printf, 3, 4))) static CsvResult fail(CsvReader* reader, CsvResult result,
                                                            const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reader->problem, sizeof reader->problem, format, arguments);
    va_end(arguments);
    return result;
}

static int countLines(const char* text, const char* end)
{
    int lines = 0;
    for (const char* c = text; c < end && (c = memchr(c, '\n', (size_t)(end - c))) != NULL; c++) {
        lines++;
    }
    return lines;
}

// Fills reader->text. Zero bytes are looked for at once: a device that never ends has them.
static CsvResult readText(CsvReader* reader, FILE* file)
{
    size_t size = 0, room = 1 << 16;
    reader->text = malloc(room);
    while (reader->text != NULL) {
        size_t count = fread(reader->text + size, 1, room - size - 1, file);
        const char* zero = memchr(reader->text + size, 0, count);
        if (zero != NULL) {
            reader->line = countLines(reader->text, zero) + 1;
            return fail(reader, csvDamaged, "a zero byte: this is no text file");
        }
        size += count;
        if (size < room - 1) {
            break;
        }
        if (room >= CSV_MAX_SIZE) {
            return fail(reader, csvDamaged, "larger than %zu MiB", CSV_MAX_SIZE >> 20);
        }
        room *= 2;
        char* larger = realloc(reader->text, room);
        if (larger == NULL) {
            free(reader->text);
        }
        reader->text = larger;
    }
    if (reader->text == NULL) {
        return fail(reader, csvNoMemory, "out of memory");
    }
    if (ferror(file)) {
        return fail(reader, csvNoFile, "cannot be read: %s", strerror(errno));
    }
    reader->text[size] = 0;
    return csvOk;
}

// --- Rows ---

static bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

// The text of a quoted cell, moved to its beginning; *in comes to stand behind the closing quote. NULL if it
// is not closed.
static char* cutQuoted(CsvReader* reader, char** in)
{
    char *cell = *in, *out = cell, *c = cell + 1;
    for (; *c != 0; c++) {
        if (*c == '"' && *++c != '"') {
            *in = c;
            *out = 0;
            return cell;
        }
        reader->nextLine += *c == '\n';
        *out++ = *c;
    }
    return NULL;
}

// Cuts one line into cells; the cursor comes to stand on the next. Returns their number, or -1 with a
// problem.
static int cutLine(CsvReader* reader, const char** cells)
{
    char* in = reader->cursor;
    for (int count = 0;; in++) {
        if (count == CSV_MAX_COLUMNS) {
            fail(reader, csvDamaged, "more than %d cells", CSV_MAX_COLUMNS);
            return -1;
        }
        while (isBlank(*in)) {
            in++;
        }
        char* end = NULL; // where an unquoted cell ends
        if (*in == '"') {
            cells[count] = cutQuoted(reader, &in);
            if (cells[count] == NULL) {
                fail(reader, csvDamaged, "a quote that is not closed");
                return -1;
            }
            // the quote's own place holds the terminator, so what follows is still there to be looked at
            while (isBlank(*in) || (*in == '\r' && (in[1] == '\n' || in[1] == 0))) {
                in++;
            }
            if (*in != ',' && *in != '\n' && *in != 0) {
                fail(reader, csvDamaged, "text after a closing quote");
                return -1;
            }
        } else {
            cells[count] = in;
            in += strcspn(in, ",\n");
            end = in;
            while (end > cells[count] && (isBlank(end[-1]) || (end[-1] == '\r' && *in != ','))) {
                end--;
            }
        }
        char stop = *in;
        if (end != NULL) {
            *end = 0;
        }
        count++;
        if (stop != ',') {
            reader->nextLine++;
            reader->cursor = in + (stop != 0);
            return count;
        }
    }
}

// Passes over lines that say nothing. False at the end of the file.
static bool findLine(CsvReader* reader)
{
    while (*reader->cursor != 0) {
        const char* text = reader->cursor + strspn(reader->cursor, " \t\r");
        if (*text != '\n' && *text != 0 && *text != '#') {
            reader->line = reader->nextLine;
            return true;
        }
        reader->cursor += strcspn(reader->cursor, "\n");
        reader->cursor += *reader->cursor != 0;
        reader->nextLine++;
    }
    return false;
}

CsvResult csvOpen(CsvReader* reader, const char* path)
{
    memset(reader, 0, sizeof *reader);
    reader->path = path;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return fail(reader, csvNoFile, "cannot be opened: %s", strerror(errno));
    }
    CsvResult result = readText(reader, file);
    fclose(file);
    if (result != csvOk) {
        return result;
    }
    reader->cursor = reader->text + (strncmp(reader->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    reader->nextLine = 1;
    if (!findLine(reader)) {
        reader->line = 1;
        return fail(reader, csvDamaged, "the file is empty");
    }
    reader->columnCount = cutLine(reader, reader->columns);
    return reader->columnCount > 0 ? csvOk : csvDamaged;
}

CsvResult csvNext(CsvReader* reader)
{
    if (!findLine(reader)) {
        return csvEnd;
    }
    int count = cutLine(reader, reader->cells);
    if (count >= 0 && count != reader->columnCount) {
        fail(reader, csvDamaged, "%d cells where the header names %d", count, reader->columnCount);
    }
    return count == reader->columnCount ? csvOk : csvDamaged;
}

void csvClose(CsvReader* reader)
{
    free(reader->text);
    reader->text = NULL;
}

int csvFindColumn(const CsvReader* reader, const char* name)
{
    for (int k = 0; k < reader->columnCount; k++) {
        if (strcmp(reader->columns[k], name) == 0) {
            return k;
        }
    }
    return -1;
}

bool csvParseNumber(const char* cell, double* value)
{
    return pbdrParseNumber(cell, value);
}

// --- Whole files ---

// Words go on into scripts, pages and terminals: nothing in them may act there.
static bool isWord(const char* cell, CsvKind kind)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:.+-=, ";
    return kind == csvText || ((cell[0] != 0 || kind == csvWord) && strlen(cell) <= CSV_WORD_LENGTH &&
                               cell[strspn(cell, allowed)] == 0);
}

static CsvResult fillRecord(CsvReader* reader, const CsvColumn* columns, size_t columnCount,
                            const int* places, char* record)
{
    for (size_t k = 0; k < columnCount; k++) {
        const char* cell = reader->cells[places[k]];
        if (columns[k].kind != csvNumber) {
            if (!isWord(cell, columns[k].kind)) {
                return fail(reader, csvDamaged,
                            "column '%s': '%.80s' is no name (letters, digits, _:.+-=, and spaces)",
                            columns[k].name, cell);
            }
            cell = columns[k].kind == csvSolver ? benchRenameSolver(cell) : cell;
            memcpy(record + columns[k].offset, &cell, sizeof cell);
            continue;
        }
        double value = (double)NAN;
        if (cell[0] != 0 && !csvParseNumber(cell, &value)) {
            return fail(reader, csvDamaged, "column '%s': '%.80s' is no number", columns[k].name, cell);
        }
        memcpy(record + columns[k].offset, &value, sizeof value);
    }
    return csvOk;
}

static CsvResult fillRecords(CsvReader* reader, CsvRecords* records, const CsvColumn* columns,
                             size_t columnCount, size_t recordSize)
{
    int places[CSV_MAX_COLUMNS];
    for (size_t k = 0; k < columnCount; k++) {
        places[k] = csvFindColumn(reader, columns[k].name);
        if (places[k] < 0) {
            return fail(reader, csvNoColumn, "there is no column '%s'", columns[k].name);
        }
    }
    size_t room = 0;
    CsvResult result;
    while ((result = csvNext(reader)) == csvOk) {
        if (records->count == room) {
            room = room == 0 ? 256 : 2 * room;
            void* larger = realloc(records->records, room * recordSize);
            if (larger == NULL) {
                return fail(reader, csvNoMemory, "out of memory");
            }
            records->records = larger;
        }
        char* record = (char*)records->records + records->count * recordSize;
        memset(record, 0, recordSize);
        result = fillRecord(reader, columns, columnCount, places, record);
        if (result != csvOk) {
            return result;
        }
        records->count++;
    }
    return result == csvEnd ? csvOk : result;
}

CsvResult csvReadRecords(CsvRecords* records, const char* path, const CsvColumn* columns, size_t columnCount,
                         size_t recordSize, char message[CSV_MESSAGE_SIZE])
{
    memset(records, 0, sizeof *records);
    CsvReader reader;
    CsvResult result = csvOpen(&reader, path);
    if (result == csvOk) {
        result = fillRecords(&reader, records, columns, columnCount, recordSize);
    }
    if (result == csvOk) {
        records->text = reader.text; // what the texts point into
        return csvOk;
    }
    if (result == csvNoFile) {
        snprintf(message, CSV_MESSAGE_SIZE, "%s: there is no such file, or it cannot be read", path);
    } else if (reader.line > 0) {
        snprintf(message, CSV_MESSAGE_SIZE, "%s:%d: %s", path, reader.line, reader.problem);
    } else {
        snprintf(message, CSV_MESSAGE_SIZE, "%s: %s", path, reader.problem);
    }
    csvClose(&reader);
    csvFreeRecords(records);
    return result;
}

void csvFreeRecords(CsvRecords* records)
{
    free(records->records);
    free(records->text);
    memset(records, 0, sizeof *records);
}
