// Reads JSON (RFC 8259) into a tree in which every value knows its line, so that whoever finds a value wrong can say
// where it stands. Checked: texts are UTF-8, numbers decimal and finite, no object has a key twice or more than
// JSON_MAX_KEYS of them, nothing is nested deeper than JSON_MAX_DEPTH.
#ifndef PBDR_TEXT_JSON_READER_H
#define PBDR_TEXT_JSON_READER_H

#include "pbdr/base.h"

#define JSON_MAX_DEPTH 64
#define JSON_MAX_KEYS 1000

typedef enum JsonKind {
    jsonNull,
    jsonFalse,
    jsonTrue,
    jsonNumberValue,
    jsonString,
    jsonArray,
    jsonObject
} JsonKind;

typedef struct JsonValue {
    JsonKind kind;
    int line;                // from 1
    int count;               // array, object: of its values
    double number;           // of a number
    const char* text;        // string: without escapes; it may hold no zero byte
    const char* key;         // in an object
    struct JsonValue* first; // array, object
    struct JsonValue* next;  // beside it
} JsonValue;

typedef struct JsonTree {
    JsonValue* root;
    int line; // of what was refused
    pbdrHooks hooks;
    void* blocks; // of memory
} JsonTree;

// Reads `size` bytes of text. On failure the tree is empty but for the line, and the message says neither file nor
// line: pbdr_statusFileFormat, or pbdr_statusNoMemory. hooks may be NULL.
pbdrStatus jsonParse(const char* text, size_t size, const pbdrHooks* hooks, JsonTree* tree, pbdrError* error);
void jsonFreeTree(JsonTree* tree);

// The value of a key, NULL if there is none or if it is null.
const JsonValue* jsonFind(const JsonValue* object, const char* key);

// "a number", "the text "abc"", ...: what stands where something else was wanted. Fills and returns buffer.
const char* jsonDescribe(const JsonValue* value, char* buffer, size_t size);

#endif
