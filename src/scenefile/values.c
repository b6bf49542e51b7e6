// Values of a JSON scene, each checked for what it is.
#include "scenefile/values.h"

#include "math/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pbdrSetPlace(pbdrJsonScene* json, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(json->place, sizeof json->place, format, arguments);
    va_end(arguments);
}

void pbdrRefuseValue(pbdrJsonScene* json, const JsonValue* value, const char* key, const char* format, ...)
{
    char reason[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (pbdrIsGood(json)) {
        json->status =
            pbdrFailScene(json->scene->path, value->line, json->error, pbdr_statusFileFormat, "%s%s%s: %s",
                          json->place, json->place[0] != 0 && key[0] != 0 ? "." : "", key, reason);
    }
}

static void refuseKind(pbdrJsonScene* json, const JsonValue* value, const char* key, const char* wanted)
{
    char found[80];
    pbdrRefuseValue(json, value, key, "wanted %s, found %s", wanted,
                    jsonDescribe(value, found, sizeof found));
}

// The value, if all went well and there is one.
static const JsonValue* find(const pbdrJsonScene* json, const JsonValue* object, const char* key)
{
    return pbdrIsGood(json) ? jsonFind(object, key) : NULL;
}

bool pbdrReadNumber(pbdrJsonScene* json, const JsonValue* object, const char* key, double least, double most,
                    double* number)
{
    const JsonValue* value = find(json, object, key);
    if (value == NULL) {
        return false;
    }
    if (value->kind != jsonNumberValue) {
        refuseKind(json, value, key, "a number");
    } else if (!(value->number >= least && value->number <= most)) {
        pbdrRefuseValue(json, value, key, "%g is not between %g and %g", value->number, least, most);
    } else {
        *number = value->number;
    }
    return pbdrIsGood(json);
}

bool pbdrReadAbove(pbdrJsonScene* json, const JsonValue* object, const char* key, double* number)
{
    double read = 0.0;
    if (!pbdrReadNumber(json, object, key, -HUGE_VAL, HUGE_VAL, &read)) {
        return false;
    }
    if (!(read > 0.0)) {
        pbdrRefuseValue(json, jsonFind(object, key), key, "%g is not above zero", read);
    }
    *number = read;
    return pbdrIsGood(json);
}

bool pbdrReadCount(pbdrJsonScene* json, const JsonValue* object, const char* key, int least, int most,
                   int* count)
{
    double read = 0.0;
    if (!pbdrReadNumber(json, object, key, least, most, &read)) {
        return false;
    }
    if (read != floor(read)) {
        pbdrRefuseValue(json, jsonFind(object, key), key, "%g is not a whole number", read);
        return false;
    }
    *count = (int)read;
    return true;
}

// The count numbers of an array.
static bool takeNumbers(pbdrJsonScene* json, const JsonValue* value, const char* key, double* numbers,
                        int count)
{
    char wanted[48];
    snprintf(wanted, sizeof wanted, "%d numbers", count);
    if (value->kind != jsonArray || value->count != count) {
        refuseKind(json, value, key, wanted);
        return false;
    }
    for (const JsonValue* entry = value->first; entry != NULL; entry = entry->next) {
        if (entry->kind != jsonNumberValue) {
            refuseKind(json, entry, key, wanted);
            return false;
        }
        *numbers++ = entry->number;
    }
    return true;
}

bool pbdrReadNumbers(pbdrJsonScene* json, const JsonValue* object, const char* key, double* numbers,
                     int count)
{
    const JsonValue* value = find(json, object, key);
    return value != NULL && takeNumbers(json, value, key, numbers, count);
}

bool pbdrReadVector(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrVec3* vector)
{
    double numbers[3];
    if (!pbdrReadNumbers(json, object, key, numbers, 3)) {
        return false;
    }
    *vector = pbdrVec(numbers[0], numbers[1], numbers[2]);
    return true;
}

bool pbdrReadRotation(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrQuat* rotation)
{
    double q[4];
    if (!pbdrReadNumbers(json, object, key, q, 4)) {
        return false;
    }
    *rotation = (pbdrQuat){q[0], q[1], q[2], q[3]};
    double length = pbdrLengthQ(*rotation);
    if (!(fabs(length - 1.0) < PBDR_UNIT_TOLERANCE)) {
        pbdrRefuseValue(json, jsonFind(object, key), key, "a quaternion of length %g, not 1", length);
    }
    return pbdrIsGood(json);
}

bool pbdrReadPlace(pbdrJsonScene* json, const JsonValue* object, pbdrPose* pose)
{
    bool position = pbdrReadVector(json, object, "position_m", &pose->position);
    return pbdrReadRotation(json, object, "rotation_wxyz", &pose->rotation) || position;
}

bool pbdrReadTensor(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrMat3* tensor)
{
    const JsonValue* value = find(json, object, key);
    if (value == NULL) {
        return false;
    }
    if (value->kind != jsonArray || value->count != 3) {
        refuseKind(json, value, key, "three rows of three numbers");
        return false;
    }
    const JsonValue* row = value->first;
    for (int i = 0; i < 3; i++, row = row->next) {
        if (!takeNumbers(json, row, key, tensor->m[i], 3)) {
            return false;
        }
    }
    return true;
}

bool pbdrReadTruth(pbdrJsonScene* json, const JsonValue* object, const char* key, bool* truth)
{
    const JsonValue* value = find(json, object, key);
    if (value == NULL) {
        return false;
    }
    if (value->kind != jsonTrue && value->kind != jsonFalse) {
        refuseKind(json, value, key, "true or false");
        return false;
    }
    *truth = value->kind == jsonTrue;
    return true;
}

bool pbdrReadText(pbdrJsonScene* json, const JsonValue* object, const char* key, const char** text)
{
    const JsonValue* value = find(json, object, key);
    if (value == NULL) {
        return false;
    }
    if (value->kind != jsonString) {
        refuseKind(json, value, key, "a text");
        return false;
    }
    const char* copy = pbdrKeepText(json->scene, value->text);
    if (copy == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return false;
    }
    *text = copy;
    return true;
}

bool pbdrReadWord(pbdrJsonScene* json, const JsonValue* object, const char* key, const char* const* words,
                  int* index)
{
    const JsonValue* value = find(json, object, key);
    char all[160] = "one of";
    if (value == NULL) {
        return false;
    }
    for (int k = 0; words[k] != NULL; k++) {
        if (value->kind == jsonString && strcmp(value->text, words[k]) == 0) {
            *index = k;
            return true;
        }
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s %s", k > 0 ? "," : "", words[k]);
    }
    refuseKind(json, value, key, all);
    return false;
}

const JsonValue* pbdrReadList(pbdrJsonScene* json, const JsonValue* object, const char* key, JsonKind kind)
{
    const JsonValue* value = find(json, object, key);
    if (value != NULL && value->kind != kind) {
        refuseKind(json, value, key, kind == jsonArray ? "an array" : "an object");
        return NULL;
    }
    return value;
}

pbdrVec3* pbdrReadVectors(pbdrJsonScene* json, const JsonValue* object, const char* key, int* count)
{
    const JsonValue* value = pbdrReadList(json, object, key, jsonArray);
    if (value == NULL) {
        return NULL;
    }
    pbdrVec3* vectors = pbdrTakeSceneMemory(json->scene, (size_t)value->count, sizeof *vectors);
    if (vectors == NULL) {
        json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        return NULL;
    }
    *count = 0;
    for (const JsonValue* row = value->first; row != NULL; row = row->next) {
        double numbers[3];
        if (!takeNumbers(json, row, key, numbers, 3)) {
            return NULL;
        }
        vectors[(*count)++] = pbdrVec(numbers[0], numbers[1], numbers[2]);
    }
    return vectors;
}

void pbdrCheckKeys(pbdrJsonScene* json, const JsonValue* object, const char* const* known)
{
    for (const JsonValue* value = object->first; pbdrIsGood(json) && value != NULL; value = value->next) {
        int k = 0;
        while (known[k] != NULL && strcmp(known[k], value->key) != 0) {
            k++;
        }
        if (known[k] == NULL &&
            !pbdrAddIgnored(json->scene, "line %d: %s%s%.60s: no key that is known here", value->line,
                            json->place, json->place[0] != 0 ? "." : "", value->key)) {
            json->status = PBDR_SCENE_NO_MEMORY(json->scene, json->error);
        }
    }
}

void pbdrRefuseWith(pbdrJsonScene* json, const JsonValue* value, const char* key, const pbdrError* cause)
{
    pbdrRefuseValue(json, value, key, "%s", cause->message);
    json->status = cause->status == pbdr_statusNoMemory ? pbdr_statusNoMemory : json->status;
    if (json->error != NULL) {
        json->error->status = json->status;
    }
}

void pbdrRequireKey(pbdrJsonScene* json, const JsonValue* object, const char* key, bool there)
{
    if (pbdrIsGood(json) && !there) {
        pbdrRefuseValue(json, object, key, "the key is missing");
    }
}
