// A JSON writer, small enough that writing needs no library.
#include "text/json_writer.h"

#include <math.h>
#include <string.h>

// U+FFFD stands for bytes that are no UTF-8 (a path may have any).
#define REPLACEMENT "\\ufffd"

// The bytes of the UTF-8 sequence that begins at c, which ends with a zero byte; 0 if there is none. After
// table 3-7 of the Unicode standard: no overlong forms, no surrogates, nothing beyond U+10FFFF.
static int getSequenceLength(const unsigned char* c)
{
    int length = c[0] < 0x80                    ? 1
                 : c[0] >= 0xc2 && c[0] <= 0xdf ? 2
                 : c[0] >= 0xe0 && c[0] <= 0xef ? 3
                 : c[0] >= 0xf0 && c[0] <= 0xf4 ? 4
                                                : 0;
    unsigned char least = c[0] == 0xe0 ? 0xa0 : c[0] == 0xf0 ? 0x90 : 0x80;
    unsigned char most = c[0] == 0xed ? 0x9f : c[0] == 0xf4 ? 0x8f : 0xbf;
    for (int k = 1; k < length; k++) {
        if (c[k] < (k == 1 ? least : 0x80) || c[k] > (k == 1 ? most : 0xbf)) {
            return 0;
        }
    }
    return length;
}

static void writeText(FILE* file, const char* text)
{
    fputc('"', file);
    for (const unsigned char* c = (const unsigned char*)text; *c != 0;) {
        int length = getSequenceLength(c);
        if (length == 0) {
            fputs(REPLACEMENT, file);
        } else if (*c == '"' || *c == '\\') {
            fprintf(file, "\\%c", *c);
        } else if (*c < 0x20 || *c == 0x7f) {
            fprintf(file, "\\u%04x", *c);
        } else {
            fwrite(c, 1, (size_t)length, file);
        }
        c += length > 0 ? length : 1;
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
