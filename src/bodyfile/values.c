// The values of a body file's JSON tree, each checked for what it is.
#include "bodyfile/values.h"

#include "base.h"
#include "math/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Characters of a path that a message shows, from its end, so that the reason still fits.
#define MAX_SHOWN_PATH 300

pbdrStatus pbdrFailBody(const pbdrBodyReader* reader, pbdrStatus status, const char* format, ...)
{
    char reason[PBDR_MESSAGE_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    for (char* c = reason; *c != 0; c++) {
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    }
    size_t length = strlen(reader->path);
    const char* shown = reader->path + (length > MAX_SHOWN_PATH ? length - MAX_SHOWN_PATH : 0);
    return pbdrFail(reader->error, status, "%s: %.*s", shown, (int)(sizeof reason / 2), reason);
}

// What a value is, for messages.
static const char* getKind(const json_t* value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "an array";
    case JSON_STRING:
        return "a text";
    case JSON_INTEGER:
    case JSON_REAL:
        return "a number";
    case JSON_NULL:
        return "null";
    default:
        return "true or false";
    }
}

const json_t* pbdrGetBodyValue(const json_t* object, const char* key)
{
    const json_t* value = json_object_get(object, key);
    return json_is_null(value) ? NULL : value;
}

pbdrStatus pbdrReadBodyNumber(const pbdrBodyReader* reader, const json_t* value, const char* place,
                              double* number)
{
    if (!json_is_number(value)) {
        return json_is_string(value) ? pbdrFailBody(reader, pbdr_statusFileFormat,
                                                    "%s: wanted a number, found the text \"%.40s\"", place,
                                                    json_string_value(value))
                                     : pbdrFailBody(reader, pbdr_statusFileFormat,
                                                    "%s: wanted a number, found %s", place, getKind(value));
    }
    *number = json_number_value(value);
    return pbdr_statusOk;
}

pbdrStatus pbdrReadBodyVector(const pbdrBodyReader* reader, const json_t* value, const char* place,
                              pbdrVec3* vector)
{
    if (!json_is_array(value) || json_array_size(value) != 3) {
        return json_is_array(value)
                   ? pbdrFailBody(reader, pbdr_statusFileFormat,
                                  "%s: wanted three numbers, found an array of %zu", place,
                                  json_array_size(value))
                   : pbdrFailBody(reader, pbdr_statusFileFormat, "%s: wanted three numbers, found %s", place,
                                  getKind(value));
    }
    double numbers[3];
    for (size_t k = 0; k < 3; k++) {
        char inner[96];
        snprintf(inner, sizeof inner, "%.80s[%zu]", place, k);
        pbdrStatus status = pbdrReadBodyNumber(reader, json_array_get(value, k), inner, &numbers[k]);
        if (status != pbdr_statusOk) {
            return status;
        }
    }
    *vector = pbdrVec(numbers[0], numbers[1], numbers[2]);
    return pbdr_statusOk;
}

pbdrStatus pbdrReadBodyTensor(const pbdrBodyReader* reader, const json_t* value, const char* key,
                              pbdrMat3* tensor)
{
    if (!json_is_array(value) || json_array_size(value) != 3) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "%s: wanted three rows of three numbers", key);
    }
    for (size_t i = 0; i < 3; i++) {
        char place[48];
        pbdrVec3 row;
        snprintf(place, sizeof place, "%.30s[%zu]", key, i);
        pbdrStatus status = pbdrReadBodyVector(reader, json_array_get(value, i), place, &row);
        if (status != pbdr_statusOk) {
            return status;
        }
        tensor->m[i][0] = row.x, tensor->m[i][1] = row.y, tensor->m[i][2] = row.z;
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrFindBodyList(const pbdrBodyReader* reader, const char* key, size_t wanted, const json_t** list)
{
    *list = pbdrGetBodyValue(reader->root, key);
    if (*list == NULL) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "%s: the key is missing", key);
    }
    if (!json_is_array(*list)) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "%s: wanted an array, found %s", key,
                            getKind(*list));
    }
    if (json_array_size(*list) != wanted) {
        return pbdrFailBody(reader, pbdr_statusFileFormat, "%s: %zu entries for %zu centers", key,
                            json_array_size(*list), wanted);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrReadBodyList(const pbdrBodyReader* reader, const char* key, size_t count, double* numbers)
{
    const json_t* list;
    pbdrStatus status = pbdrFindBodyList(reader, key, count, &list);
    for (size_t i = 0; status == pbdr_statusOk && i < count; i++) {
        char place[48];
        snprintf(place, sizeof place, "%s[%zu]", key, i);
        status = pbdrReadBodyNumber(reader, json_array_get(list, i), place, &numbers[i]);
    }
    return status;
}
