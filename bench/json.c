// A JSON writer, small enough that the benchmark needs no library to write its results.
#include "json.h"

#include "text.h"

#include <math.h>

// What is no UTF-8 (a file's name may be anything) becomes U+FFFD, the replacement character.
static void writeText(FILE* file, const char* text)
{
    fputc('"', file);
    while (*text != 0) {
        size_t size = benchGetCharacterSize(text);
        unsigned char c = (unsigned char)*text;
        if (size == 0) {
            fputs("\\ufffd", file);
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

static void writeNumber(FILE* file, double value)
{
    if (isfinite(value)) {
        fprintf(file, "%.17g", value == 0.0 ? 0.0 : value); // no -0
    } else {
        fputs("null", file);
    }
}

void jsonNumber(JsonWriter* json, const char* key, double value)
{
    begin(json, key);
    writeNumber(json->file, value);
}

void jsonNumbers(JsonWriter* json, const char* key, const double* values, int count)
{
    begin(json, key);
    fputc('[', json->file);
    for (int i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", json->file);
        writeNumber(json->file, values[i]);
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
