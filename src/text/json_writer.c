// A JSON writer, small enough that writing needs no library.
#include "text/json_writer.h"

#include "text/utf8.h"

#include <math.h>
#include <string.h>

// U+FFFD stands for bytes that are no UTF-8 (a path may have any).
#define REPLACEMENT "\\ufffd"

static void writeText(FILE* file, const char* text)
{
    fputc('"', file);
    while (*text != 0) {
        size_t size = pbdrGetCharacterSize(text);
        unsigned char c = (unsigned char)*text;
        if (size == 0) {
            fputs(REPLACEMENT, file);
            size = 1;
        } else if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(file, "\\u%04x", c);
        } else {
            fwrite(text, 1, size, file);
        }
        text += size;
    }
    fputc('"', file);
}

// The locale may have another decimal point, of one byte or more: all that is no part of a number.
static void writeNumber(FILE* file, double value)
{
    if (!isfinite(value)) {
        fputs("null", file);
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%.17g", value == 0.0 ? 0.0 : value); // no -0
    for (const char* c = text; *c != 0;) {
        size_t length = strcspn(c, "+-0123456789e");
        if (length > 0) {
            fputc('.', file);
        } else {
            fputc(*c, file);
            length = 1;
        }
        c += length;
    }
}

static void begin(JsonWriter* json, const char* key)
{
    if (!json->first) {
        fputc(',', json->file);
    }
    if (json->depth > 0) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    json->first = false;
    if (key != NULL) {
        writeText(json->file, key);
        fputs(": ", json->file);
    }
}

void jsonOpen(JsonWriter* json, const char* key, char bracket)
{
    begin(json, key);
    fputc(bracket, json->file);
    json->depth++;
    json->first = true;
}

void jsonClose(JsonWriter* json, char bracket)
{
    json->depth--;
    if (!json->first) {
        fprintf(json->file, "\n%*s", 2 * json->depth, "");
    }
    fputc(bracket, json->file);
    json->first = false;
}

void jsonNumber(JsonWriter* json, const char* key, double value)
{
    begin(json, key);
    writeNumber(json->file, value);
}

static void writeNumbers(FILE* file, const double* values, int count)
{
    fputc('[', file);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", file);
        writeNumber(file, values[i]);
    }
    fputc(']', file);
}

void jsonNumbers(JsonWriter* json, const char* key, const double* values, int count)
{
    begin(json, key);
    writeNumbers(json->file, values, count);
}

void jsonRows(JsonWriter* json, const char* key, const double* values, int count, int width)
{
    begin(json, key);
    fputc('[', json->file);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", json->file);
        writeNumbers(json->file, values + i * width, width);
    }
    fputc(']', json->file);
}

void jsonTruth(JsonWriter* json, const char* key, bool value)
{
    begin(json, key);
    fputs(value ? "true" : "false", json->file);
}

void jsonText(JsonWriter* json, const char* key, const char* value)
{
    begin(json, key);
    if (value != NULL) {
        writeText(json->file, value);
    } else {
        fputs("null", json->file);
    }
}
