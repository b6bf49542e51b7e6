// Writes JSON: commas, indentation, texts that are UTF-8 whatever the input was, numbers with as many digits
// as it takes to read back the same bits, and null for numbers that JSON cannot hold. Write errors stay in
// the FILE for the caller's ferror.
#ifndef PBDR_TEXT_JSON_WRITER_H
#define PBDR_TEXT_JSON_WRITER_H

#include <stdbool.h>
#include <stdio.h>

typedef struct JsonWriter {
    FILE* file;
    int depth;
    bool first; // in the present object or array
} JsonWriter;

// Everywhere key is NULL inside arrays and at the top.
void jsonOpen(JsonWriter* json, const char* key, char bracket); // '{' or '['
void jsonClose(JsonWriter* json, char bracket);                 // '}' or ']'
void jsonNumber(JsonWriter* json, const char* key, double value);
// [1, 2, 3] on one line.
void jsonNumbers(JsonWriter* json, const char* key, const double* values, int count);
// [[1, 2, 3], [4, 5, 6]] on one line: count rows of width numbers each, one after the other.
void jsonRows(JsonWriter* json, const char* key, const double* values, int count, int width);
void jsonTruth(JsonWriter* json, const char* key, bool value);
void jsonText(JsonWriter* json, const char* key, const char* value); // NULL: null

#endif
