// PLY, text and binary: a heading that names elements and their properties, then their values in the same
// order. Only the elements vertex (x, y, z) and face (a list of corners) make a shape; whatever else there
// is, is skipped.
#include "meshfile/plain_copy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_ELEMENTS 16
#define MAX_PROPERTIES 64

typedef struct Type {
    const char *name, *alias;
    int size;  // [bytes]
    char kind; // i signed, u unsigned, f floating
} Type;

static const Type types[] = {
    {"char", "int8", 1, 'i'},     {"uchar", "uint8", 1, 'u'},    {"short", "int16", 2, 'i'},
    {"ushort", "uint16", 2, 'u'}, {"int", "int32", 4, 'i'},      {"uint", "uint32", 4, 'u'},
    {"float", "float32", 4, 'f'}, {"double", "float64", 8, 'f'},
};

typedef struct Property {
    const Type* countType; // of a list; NULL for a single value
    const Type* type;
    char use; // x, y or z of a vertex, c for the corners of a face, 0 for none
    int slot; // of a point: 0 to 5 for x y z nx ny nz of a vertex, -1 for none
} Property;

typedef struct Element {
    char kind; // v vertices, f faces, 0 others
    int count, propertyCount;
    Property properties[MAX_PROPERTIES];
} Element;

typedef struct Ply {
    const char* format; // "ascii" or as below
    bool isText, isBigEndian;
    int elementCount;
    Element elements[MAX_ELEMENTS];
} Ply;

// --- Heading ---

static pbdrStatus readFormat(pbdrPlainCopy* copy, Ply* ply)
{
    static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    pbdrWord word;
    pbdrNextWord(&copy->text, &word);
    for (int i = 0; i < 3; i++) {
        if (pbdrIsWord(word, formats[i])) {
            ply->format = formats[i];
            ply->isText = i == 0;
            ply->isBigEndian = i == 2;
            return pbdr_statusOk;
        }
    }
    return PBDR_FAIL_FORMAT(copy, "format \"%s\" is not known", pbdrShowWord(word).text);
}

static pbdrStatus readElement(pbdrPlainCopy* copy, Ply* ply)
{
    pbdrWord name, number;
    int64_t count = -1;
    pbdrNextWord(&copy->text, &name);
    pbdrNextWord(&copy->text, &number);
    if (ply->elementCount == MAX_ELEMENTS) {
        return PBDR_FAIL_FORMAT(copy, "more than %d elements", MAX_ELEMENTS);
    }
    // Nothing takes less than a byte, so a count beyond the file's size is wrong.
    if (!pbdrParseInteger(number, &count) || count < 0 || (uint64_t)count > copy->fileSize) {
        return PBDR_FAIL_FORMAT(copy, "\"%s\" elements in a file of %zu bytes", pbdrShowWord(number).text,
                                copy->fileSize);
    }
    Element* element = &ply->elements[ply->elementCount++];
    element->kind = pbdrIsWord(name, "vertex") ? 'v' : pbdrIsWord(name, "face") ? 'f' : 0;
    element->count = (int)count;
    return pbdr_statusOk;
}

static const Type* readType(pbdrPlainCopy* copy, pbdrWord word)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (pbdrIsWord(word, types[i].name) || pbdrIsWord(word, types[i].alias)) {
            return &types[i];
        }
    }
    PBDR_FAIL_FORMAT(copy, "type \"%s\" is not known", pbdrShowWord(word).text);
    return NULL;
}

static pbdrStatus readProperty(pbdrPlainCopy* copy, Ply* ply)
{
    Element* element = ply->elementCount > 0 ? &ply->elements[ply->elementCount - 1] : NULL;
    if (element == NULL || element->propertyCount == MAX_PROPERTIES) {
        return PBDR_FAIL_FORMAT(copy, "property before any element, or more than %d of them", MAX_PROPERTIES);
    }
    Property property = {.slot = -1};
    pbdrWord word;
    pbdrNextWord(&copy->text, &word);
    if (pbdrIsWord(word, "list")) {
        pbdrNextWord(&copy->text, &word);
        property.countType = readType(copy, word);
        if (property.countType == NULL) {
            return pbdr_statusFileFormat;
        }
        if (property.countType->kind == 'f') {
            return PBDR_FAIL_FORMAT(copy, "a list counted by a %s", property.countType->name);
        }
        pbdrNextWord(&copy->text, &word);
    }
    property.type = readType(copy, word);
    if (property.type == NULL) {
        return pbdr_statusFileFormat;
    }
    pbdrNextWord(&copy->text, &word);
    bool isFloating = property.type->kind == 'f';
    if (property.countType == NULL && element->kind == 'v' && isFloating && word.end - word.start == 1) {
        property.use = *word.start >= 'x' && *word.start <= 'z' ? *word.start : 0;
    } else if (property.countType != NULL && element->kind == 'f' && !isFloating) {
        property.use = pbdrIsWord(word, "vertex_indices") || pbdrIsWord(word, "vertex_index") ? 'c' : 0;
    }
    static const char* const slots[] = {"x", "y", "z", "nx", "ny", "nz"};
    for (int i = 0; i < 6 && property.countType == NULL && element->kind == 'v'; i++) {
        property.slot = pbdrIsWord(word, slots[i]) ? i : property.slot;
    }
    element->properties[element->propertyCount++] = property;
    return pbdr_statusOk;
}

// Reads up to the end of the line "end_header".
static pbdrStatus readHeading(pbdrPlainCopy* copy, Ply* ply)
{
    pbdrStatus status = pbdr_statusOk;
    while (status == pbdr_statusOk && pbdrNextLine(&copy->text)) {
        pbdrWord word;
        bool first = copy->text.line == 1, empty = !pbdrNextWord(&copy->text, &word);
        if (first && !pbdrIsWord(word, "ply")) {
            return PBDR_FAIL_FORMAT(copy, "\"%s\" in place of \"ply\"", pbdrShowWord(word).text);
        }
        if (first || empty || pbdrIsWord(word, "comment") || pbdrIsWord(word, "obj_info")) {
            continue;
        }
        if (pbdrIsWord(word, "end_header")) {
            return ply->format != NULL ? pbdr_statusOk
                                       : PBDR_FAIL_FORMAT(copy, "no \"format\" in the heading");
        }
        status =
            pbdrIsWord(word, "format")    ? readFormat(copy, ply)
            : pbdrIsWord(word, "element") ? readElement(copy, ply)
            : pbdrIsWord(word, "property")
                ? readProperty(copy, ply)
                : PBDR_FAIL_FORMAT(copy, "\"%s\" is not known in a PLY heading", pbdrShowWord(word).text);
    }
    return status != pbdr_statusOk ? status
                                   : PBDR_FAIL_FORMAT(copy, "the file is cut short: no \"end_header\"");
}

// How many properties of an element have a use.
static int countUses(const Element* element, char use)
{
    int count = 0;
    for (int i = 0; i < element->propertyCount; i++) {
        count += element->properties[i].use == use;
    }
    return count;
}

// One element of vertices with x, y and z, then at most one of faces with corners; counts the vertices.
static pbdrStatus checkHeading(pbdrPlainCopy* copy, const Ply* ply)
{
    int vertices = 0, faces = 0;
    for (int i = 0; i < ply->elementCount; i++) {
        const Element* element = &ply->elements[i];
        if (element->propertyCount == 0 && element->count > 0) {
            return PBDR_FAIL_FORMAT(copy, "%d elements without any property", element->count);
        }
        if (element->kind == 'v') {
            vertices++;
            copy->vertexCount = element->count;
            if (countUses(element, 'x') != 1 || countUses(element, 'y') != 1 ||
                countUses(element, 'z') != 1) {
                return PBDR_FAIL_FORMAT(copy, "vertices need one x, one y and one z of type float or double");
            }
        } else if (element->kind == 'f') {
            faces++;
            if (countUses(element, 'c') != 1 || vertices == 0) {
                return PBDR_FAIL_FORMAT(copy, "faces need one list vertex_indices, and vertices before them");
            }
        }
    }
    if (vertices != 1 || faces > 1) {
        return PBDR_FAIL_FORMAT(copy, "%d elements \"vertex\", %d elements \"face\"; one of each is possible",
                                vertices, faces);
    }
    return pbdr_statusOk;
}

static void emitHeading(pbdrPlainCopy* copy, const Ply* ply)
{
    char line[80];
    snprintf(line, sizeof line, "ply\nformat %s 1.0\n", ply->format);
    pbdrEmitText(copy, line);
    for (int i = 0; i < ply->elementCount; i++) {
        const Element* element = &ply->elements[i];
        if (element->kind != 0) {
            snprintf(line, sizeof line, "element %s %d\n", element->kind == 'v' ? "vertex" : "face",
                     element->count);
            pbdrEmitText(copy, line);
        }
        // A first property that is never a line feed, which assimp would take for a part of the heading.
        pbdrEmitText(copy, element->kind == 'v' ? "property uchar _\n" : "");
        for (int k = 0; k < element->propertyCount; k++) {
            const Property* property = &element->properties[k];
            if (property->use == 'c') {
                snprintf(line, sizeof line, "property list %s %s vertex_indices\n", property->countType->name,
                         property->type->name);
                pbdrEmitText(copy, line);
            } else if (property->use != 0) {
                snprintf(line, sizeof line, "property %s %c\n", property->type->name, property->use);
                pbdrEmitText(copy, line);
            }
        }
    }
    pbdrEmitText(copy, "end_header\n");
}

// --- Values ---

static double decode(const char* bytes, const Type* type, bool isBigEndian)
{
    uint64_t bits = 0;
    for (int i = 0; i < type->size; i++) {
        bits |= (uint64_t)(unsigned char)bytes[isBigEndian ? type->size - 1 - i : i] << (8 * i);
    }
    if (type->kind == 'f' && type->size == 8) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    if (type->kind == 'f') {
        uint32_t half = (uint32_t)bits;
        float value;
        memcpy(&value, &half, sizeof value);
        return (double)value;
    }
    uint64_t sign = UINT64_C(1) << (8 * type->size - 1);
    return type->kind == 'i' && (bits & sign) != 0 ? (double)bits - 2.0 * (double)sign : (double)bits;
}

// Takes the next value. A text's is worked out only if it is asked for and whole: a count or a corner.
static pbdrStatus readValue(pbdrPlainCopy* copy, const Ply* ply, const Type* type, bool asked, pbdrWord* word,
                            double* value)
{
    *value = 0.0;
    if (!ply->isText) {
        if (copy->text.end - copy->text.at < type->size) {
            return PBDR_FAIL_FORMAT(copy, "the file is cut short");
        }
        *word = (pbdrWord){copy->text.at, copy->text.at + type->size};
        *value = decode(copy->text.at, type, ply->isBigEndian);
        copy->text.at += type->size;
        return pbdr_statusOk;
    }
    if (!pbdrNextWord(&copy->text, word)) {
        return PBDR_FAIL_FORMAT(copy, "fewer values than the heading says");
    }
    int64_t integer = 0;
    if (asked && type->kind != 'f' && !pbdrParseInteger(*word, &integer)) {
        return PBDR_FAIL_FORMAT(copy, "\"%s\" is no %s", pbdrShowWord(*word).text, type->name);
    }
    *value = (double)integer;
    return pbdr_statusOk;
}

// A value of a point cloud's file: kept if it is a point's, skipped otherwise.
static pbdrStatus takeValue(pbdrPlainCopy* copy, const Ply* ply, const Property* property)
{
    pbdrWord word;
    double value;
    pbdrStatus status = readValue(copy, ply, property->type, false, &word, &value);
    if (status != pbdr_statusOk || property->slot < 0) {
        return status;
    }
    if (ply->isText && !pbdrParseNumber(word, &value)) {
        return PBDR_FAIL_FORMAT(copy, "coordinate \"%s\" is not a number", pbdrShowWord(word).text);
    }
    if (!isfinite(value)) {
        return PBDR_FAIL_FORMAT(copy, "coordinate %g is not finite", value);
    }
    copy->points->value[property->slot] = value;
    return pbdr_statusOk;
}

static pbdrStatus copyValue(pbdrPlainCopy* copy, const Ply* ply, const Property* property)
{
    if (copy->points != NULL) {
        return takeValue(copy, ply, property);
    }
    pbdrWord word;
    double value;
    pbdrStatus status = readValue(copy, ply, property->type, property->use != 0, &word, &value);
    if (status != pbdr_statusOk || property->use == 0) {
        return status;
    }
    if (property->use != 'c' && ply->isText) {
        return pbdrCopyCoordinate(copy, word);
    }
    if (property->use != 'c') {
        status = pbdrCheckCoordinate(copy, value);
    } else if (!(value >= 0.0 && value < (double)copy->vertexCount)) {
        status = PBDR_FAIL_FORMAT(copy, "face corner %.0f is none of %lld vertices", value,
                                  (long long)copy->vertexCount);
    }
    pbdrEmitText(copy, ply->isText ? " " : "");
    pbdrEmitWord(copy, word);
    return status;
}

static pbdrStatus copyProperty(pbdrPlainCopy* copy, const Ply* ply, const Property* property)
{
    pbdrStatus status = pbdr_statusOk;
    double count = 1.0;
    if (property->countType != NULL) {
        pbdrWord word;
        status = readValue(copy, ply, property->countType, true, &word, &count);
        if (status == pbdr_statusOk && !(count >= 0.0)) {
            status = PBDR_FAIL_FORMAT(copy, "list of %g values", count);
        } else if (status == pbdr_statusOk && property->use == 'c' && copy->points == NULL) {
            status = pbdrCountCorners(copy, (int64_t)count);
            pbdrEmitWord(copy, word);
        }
    }
    for (double i = 0.0; i < count && status == pbdr_statusOk; i++) {
        status = copyValue(copy, ply, property);
    }
    return status;
}

// A text has one vertex or face per line.
static pbdrStatus copyElement(pbdrPlainCopy* copy, const Ply* ply, const Element* element)
{
    pbdrStatus status = pbdr_statusOk;
    for (int i = 0; i < element->count && status == pbdr_statusOk; i++) {
        copy->itemIndex = i;
        pbdrText ahead = copy->text;
        pbdrWord word = {ahead.at, ahead.at};
        while (ply->isText && word.start == word.end) {
            if (!pbdrNextLine(&copy->text)) {
                return PBDR_FAIL_FORMAT(copy, "the file is cut short");
            }
            ahead = copy->text;
            pbdrNextWord(&ahead, &word);
        }
        if (element->kind == 'v') {
            pbdrEmitText(copy, ply->isText ? "1" : "\1");
        }
        for (int k = 0; k < element->propertyCount && status == pbdr_statusOk; k++) {
            status = copyProperty(copy, ply, &element->properties[k]);
        }
        if (status == pbdr_statusOk && ply->isText && pbdrNextWord(&copy->text, &word)) {
            status = PBDR_FAIL_FORMAT(copy, "more values than the heading says");
        }
        if (status == pbdr_statusOk && element->kind == 'v' && copy->points != NULL) {
            status = pbdrAddPoint(copy);
        }
        pbdrEmitText(copy, ply->isText && element->kind != 0 ? "\n" : "");
    }
    return status;
}

// Values beyond the last element: the heading's counts are wrong.
static pbdrStatus checkEnd(pbdrPlainCopy* copy, const Ply* ply)
{
    copy->item = NULL;
    pbdrWord word;
    while (ply->isText && pbdrNextLine(&copy->text)) {
        if (pbdrNextWord(&copy->text, &word)) {
            return PBDR_FAIL_FORMAT(copy, "\"%s\" beyond the last element", pbdrShowWord(word).text);
        }
    }
    if (!ply->isText && copy->text.at != copy->text.end) {
        return PBDR_FAIL_FORMAT(copy, "%td bytes beyond the last element", copy->text.end - copy->text.at);
    }
    return pbdr_statusOk;
}

// One element of vertices with x, y and z, and with all of nx, ny and nz or none; the others do not matter.
static pbdrStatus checkPointHeading(pbdrPlainCopy* copy, const Ply* ply)
{
    int vertices = 0, uses[6] = {0};
    for (int i = 0; i < ply->elementCount; i++) {
        const Element* element = &ply->elements[i];
        if (element->propertyCount == 0 && element->count > 0) {
            return PBDR_FAIL_FORMAT(copy, "%d elements without any property", element->count);
        }
        vertices += element->kind == 'v';
        for (int k = 0; k < element->propertyCount; k++) {
            if (element->properties[k].slot >= 0) {
                uses[element->properties[k].slot]++;
            }
        }
    }
    if (vertices != 1 || uses[0] != 1 || uses[1] != 1 || uses[2] != 1) {
        return PBDR_FAIL_FORMAT(copy, "%d elements \"vertex\"; one is wanted, with one x, one y and one z",
                                vertices);
    }
    if (uses[3] > 1 || uses[3] != uses[4] || uses[3] != uses[5]) {
        return PBDR_FAIL_FORMAT(copy, "%d nx, %d ny, %d nz; one of each or none is possible", uses[3],
                                uses[4], uses[5]);
    }
    copy->points->hasNormals = uses[3] == 1;
    return pbdr_statusOk;
}

// The values after the heading.
static pbdrStatus copyElements(pbdrPlainCopy* copy, const Ply* ply)
{
    pbdrStatus status = pbdr_statusOk;
    copy->text.at = copy->text.lineEnd < copy->text.end ? copy->text.lineEnd + 1 : copy->text.end;
    for (int i = 0; i < ply->elementCount && status == pbdr_statusOk; i++) {
        const Element* element = &ply->elements[i];
        const char* name = element->kind == 'v' ? "vertex" : element->kind == 'f' ? "face" : "other element";
        copy->item = ply->isText ? NULL : name;
        status = copyElement(copy, ply, element);
    }
    return status == pbdr_statusOk ? checkEnd(copy, ply) : status;
}

pbdrStatus pbdrCopyPly(pbdrPlainCopy* copy)
{
    Ply ply = {0};
    pbdrStatus status = readHeading(copy, &ply);
    if (status == pbdr_statusOk) {
        status = checkHeading(copy, &ply);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    emitHeading(copy, &ply);
    return copyElements(copy, &ply);
}

pbdrStatus pbdrReadPlyPoints(pbdrPlainCopy* copy)
{
    Ply ply = {0};
    pbdrStatus status = readHeading(copy, &ply);
    if (status == pbdr_statusOk) {
        status = checkPointHeading(copy, &ply);
    }
    return status == pbdr_statusOk ? copyElements(copy, &ply) : status;
}
