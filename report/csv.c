#include "csv.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FIELDS = 512 };

static CsvResult readText(const char* path, char** text, char message[CSV_MESSAGE_SIZE])
{
    *text = NULL;
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        snprintf(message, CSV_MESSAGE_SIZE, "%s: there is no such file, or it cannot be read", path);
        return csvNoFile;
    }
    size_t size = 0, room = 1 << 16;
    char* buffer = malloc(room);
    while (buffer != NULL) {
        size += fread(buffer + size, 1, room - size - 1, file);
        if (size < room - 1) {
            break;
        }
        room *= 2;
        char* larger = realloc(buffer, room);
        if (larger == NULL) {
            free(buffer);
        }
        buffer = larger;
    }
    bool bad = ferror(file) != 0;
    fclose(file);
    if (buffer == NULL) {
        snprintf(message, CSV_MESSAGE_SIZE, "%s: out of memory", path);
        return csvNoMemory;
    }
    if (bad) {
        free(buffer);
        snprintf(message, CSV_MESSAGE_SIZE, "%s: cannot be read", path);
        return csvNoFile;
    }
    buffer[size] = 0;
    if (strlen(buffer) != size) {
        int line = 1;
        for (const char* c = buffer; *c != 0; c++) {
            line += *c == '\n';
        }
        free(buffer);
        snprintf(message, CSV_MESSAGE_SIZE, "%s:%d: a zero byte; this is no CSV file", path, line);
        return csvDamaged;
    }
    *text = buffer;
    return csvOk;
}

// Cuts the next line into fields in place; "a ""b"", c" is one field. Returns their number (0 at the end of
// the text, -1 for too many or an open quote) and moves *cursor behind the line.
static int cutLine(char** cursor, char* fields[MAX_FIELDS], int* lines)
{
    char* in = *cursor;
    if (*in == 0) {
        return 0;
    }
    int count = 0;
    for (;;) {
        if (count == MAX_FIELDS) {
            return -1;
        }
        char* out = in;
        fields[count++] = out;
        bool quoted = *in == '"';
        in += quoted;
        while (*in != 0 && (quoted || (*in != ',' && *in != '\n'))) {
            if (quoted && *in == '"') {
                in++;
                if (*in != '"') {
                    quoted = false;
                    continue;
                }
            }
            *lines += *in == '\n';
            *out++ = *in++;
        }
        if (quoted) {
            return -1;
        }
        char end = *in;
        if (end != ',' && out > fields[count - 1] && out[-1] == '\r') {
            out--;
        }
        *out = 0;
        in += end != 0;
        if (end != ',') {
            *lines += 1;
            *cursor = in;
            return count;
        }
    }
}

static bool parseNumber(const char* text, double* value)
{
    if (text[0] == 0) {
        *value = (double)NAN;
        return true;
    }
    char* end = NULL;
    *value = strtod(text, &end);
    return end != text && *end == 0;
}

// Which field each wanted column is.
static CsvResult findColumns(const char* path, const CsvColumn* columns, size_t columnCount, char** fields,
                             int fieldCount, int* places, char message[CSV_MESSAGE_SIZE])
{
    for (size_t k = 0; k < columnCount; k++) {
        places[k] = -1;
        for (int f = 0; f < fieldCount; f++) {
            if (strcmp(fields[f], columns[k].name) == 0) {
                places[k] = f;
                break;
            }
        }
        if (places[k] < 0) {
            snprintf(message, CSV_MESSAGE_SIZE, "%s:1: there is no column '%s'", path, columns[k].name);
            return csvNoColumn;
        }
    }
    return csvOk;
}

static CsvResult fillRecord(const char* path, int line, const CsvColumn* columns, size_t columnCount,
                            char** fields, const int* places, char* record, char message[CSV_MESSAGE_SIZE])
{
    for (size_t k = 0; k < columnCount; k++) {
        const char* field = fields[places[k]];
        if (columns[k].kind == csvText) {
            memcpy(record + columns[k].offset, &field, sizeof field);
            continue;
        }
        double value;
        if (!parseNumber(field, &value)) {
            snprintf(message, CSV_MESSAGE_SIZE, "%s:%d: column '%s': '%.80s' is no number", path, line,
                     columns[k].name, field);
            return csvDamaged;
        }
        memcpy(record + columns[k].offset, &value, sizeof value);
    }
    return csvOk;
}

static CsvResult readRecords(CsvFile* file, const char* path, const CsvColumn* columns, size_t columnCount,
                             size_t recordSize, char message[CSV_MESSAGE_SIZE])
{
    char* fields[MAX_FIELDS];
    int places[MAX_FIELDS];
    char* cursor = file->text;
    int line = 1, next = 1;
    int width = cutLine(&cursor, fields, &next);
    if (width <= 0 || columnCount > MAX_FIELDS) {
        snprintf(message, CSV_MESSAGE_SIZE, "%s:1: %s", path,
                 width == 0 ? "the file is empty" : "this is no CSV header");
        return csvDamaged;
    }
    CsvResult result = findColumns(path, columns, columnCount, fields, width, places, message);
    size_t room = 0;
    while (result == csvOk) {
        line = next;
        int count = cutLine(&cursor, fields, &next);
        if (count == 0) {
            break;
        }
        if (count != width) {
            snprintf(message, CSV_MESSAGE_SIZE,
                     count < 0 ? "%s:%d: an open quote or too many fields"
                               : "%s:%d: %d fields, the first line has %d",
                     path, line, count, width);
            return csvDamaged;
        }
        if (file->count == room) {
            room = room == 0 ? 256 : 2 * room;
            void* larger = realloc(file->records, room * recordSize);
            if (larger == NULL) {
                snprintf(message, CSV_MESSAGE_SIZE, "%s: out of memory", path);
                return csvNoMemory;
            }
            file->records = larger;
        }
        char* record = (char*)file->records + file->count * recordSize;
        memset(record, 0, recordSize);
        result = fillRecord(path, line, columns, columnCount, fields, places, record, message);
        file->count++;
    }
    return result;
}

CsvResult readCsv(CsvFile* file, const char* path, const CsvColumn* columns, size_t columnCount,
                  size_t recordSize, char message[CSV_MESSAGE_SIZE])
{
    memset(file, 0, sizeof *file);
    CsvResult result = readText(path, &file->text, message);
    if (result == csvOk) {
        result = readRecords(file, path, columns, columnCount, recordSize, message);
    }
    if (result != csvOk) {
        freeCsv(file);
    }
    return result;
}

void freeCsv(CsvFile* file)
{
    free(file->records);
    free(file->text);
    memset(file, 0, sizeof *file);
}
