// Writes JSON: commas, indentation, and null for numbers that JSON cannot hold.
#ifndef PBDR_BENCH_JSON_H
#define PBDR_BENCH_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct JsonWriter {
    FILE* file;
    int depth;
    bool first; // in the present object or array
} JsonWriter;

// key is NULL inside arrays and at the top.
void jsonOpen(JsonWriter* json, const char* key, char bracket); // '{' or '['
void jsonClose(JsonWriter* json, char bracket);                 // '}' or ']'
void jsonNumber(JsonWriter* json, const char* key, double value);
// [1, 2, 3] on one line.
void jsonNumbers(JsonWriter* json, const char* key, const double* values, int count);
void jsonTruth(JsonWriter* json, const char* key, bool value);
void jsonText(JsonWriter* json, const char* key, const char* value); // NULL: null

#endif
