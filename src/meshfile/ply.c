// PLY, text and binary: a heading that names elements and their properties, then their values in the same
// order. Only the elements vertex (x, y, z; of a point cloud nx, ny, nz) and face (a list of corners; of a
// mesh) matter; whatever else there is, is skipped.
#include "meshfile/bytes.h"
#include "meshfile/mesh_file.h"
#include "text/number.h"

#include <math.h>

#define MAX_ELEMENTS 16
#define MAX_PROPERTIES 64
#define SLOT_CORNERS 6
#define SLOT_COUNT 7

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
    int slot; // 0 to 5 for x y z nx ny nz of a vertex, SLOT_CORNERS for the corners of a face, -1 for none
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
    double values[6]; // of the vertex at hand, by slot
} Ply;

// --- Heading ---

static pbdrStatus readFormat(pbdrMeshFile* file, Ply* ply)
{
    static const char* const formats[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    pbdrWord word;
    pbdrNextWord(&file->text, &word);
    for (int i = 0; i < 3; i++) {
        if (pbdrIsWord(word, formats[i])) {
            ply->format = formats[i];
            ply->isText = i == 0;
            ply->isBigEndian = i == 2;
            return pbdr_statusOk;
        }
    }
    return PBDR_FAIL_FORMAT(file, "format \"%s\" is not known", pbdrShowWord(word).text);
}

static pbdrStatus readElement(pbdrMeshFile* file, Ply* ply)
{
    pbdrWord name, number;
    int64_t count = -1;
    pbdrNextWord(&file->text, &name);
    pbdrNextWord(&file->text, &number);
    if (ply->elementCount == MAX_ELEMENTS) {
        return PBDR_FAIL_FORMAT(file, "more than %d elements", MAX_ELEMENTS);
    }
    // Nothing takes less than a byte, so a count beyond the file's size is wrong.
    if (!pbdrParseInteger(number, &count) || count < 0 || (uint64_t)count > file->size) {
        return PBDR_FAIL_FORMAT(file, "\"%s\" elements in a file of %zu bytes", pbdrShowWord(number).text,
                                file->size);
    }
    Element* element = &ply->elements[ply->elementCount++];
    element->kind = pbdrIsWord(name, "vertex") ? 'v' : pbdrIsWord(name, "face") ? 'f' : 0;
    element->count = (int)count;
    return pbdr_statusOk;
}

static const Type* readType(pbdrMeshFile* file, pbdrWord word)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (pbdrIsWord(word, types[i].name) || pbdrIsWord(word, types[i].alias)) {
            return &types[i];
        }
    }
    PBDR_FAIL_FORMAT(file, "type \"%s\" is not known", pbdrShowWord(word).text);
    return NULL;
}

static pbdrStatus readProperty(pbdrMeshFile* file, Ply* ply)
{
    Element* element = ply->elementCount > 0 ? &ply->elements[ply->elementCount - 1] : NULL;
    if (element == NULL || element->propertyCount == MAX_PROPERTIES) {
        return PBDR_FAIL_FORMAT(file, "property before any element, or more than %d of them", MAX_PROPERTIES);
    }
    Property property = {.slot = -1};
    pbdrWord word;
    pbdrNextWord(&file->text, &word);
    if (pbdrIsWord(word, "list")) {
        pbdrNextWord(&file->text, &word);
        property.countType = readType(file, word);
        if (property.countType == NULL) {
            return pbdr_statusFileFormat;
        }
        if (property.countType->kind == 'f') {
            return PBDR_FAIL_FORMAT(file, "a list counted by a %s", property.countType->name);
        }
        pbdrNextWord(&file->text, &word);
    }
    property.type = readType(file, word);
    if (property.type == NULL) {
        return pbdr_statusFileFormat;
    }
    pbdrNextWord(&file->text, &word);
    static const char* const slots[] = {"x", "y", "z", "nx", "ny", "nz"};
    for (int i = 0; i < 6 && property.countType == NULL && element->kind == 'v'; i++) {
        property.slot = pbdrIsWord(word, slots[i]) ? i : property.slot;
    }
    if (property.countType != NULL && element->kind == 'f' && property.type->kind != 'f' &&
        (pbdrIsWord(word, "vertex_indices") || pbdrIsWord(word, "vertex_index"))) {
        property.slot = SLOT_CORNERS;
    }
    element->properties[element->propertyCount++] = property;
    return pbdr_statusOk;
}

// Reads up to the end of the line "end_header".
static pbdrStatus readHeading(pbdrMeshFile* file, Ply* ply)
{
    pbdrStatus status = pbdr_statusOk;
    while (status == pbdr_statusOk && pbdrNextLine(&file->text)) {
        pbdrWord word;
        bool first = file->text.line == 1, empty = !pbdrNextWord(&file->text, &word);
        if (first && !pbdrIsWord(word, "ply")) {
            return PBDR_FAIL_FORMAT(file, "\"%s\" in place of \"ply\"", pbdrShowWord(word).text);
        }
        if (first || empty || pbdrIsWord(word, "comment") || pbdrIsWord(word, "obj_info")) {
            continue;
        }
        if (pbdrIsWord(word, "end_header")) {
            return ply->format != NULL ? pbdr_statusOk
                                       : PBDR_FAIL_FORMAT(file, "no \"format\" in the heading");
        }
        status =
            pbdrIsWord(word, "format")    ? readFormat(file, ply)
            : pbdrIsWord(word, "element") ? readElement(file, ply)
            : pbdrIsWord(word, "property")
                ? readProperty(file, ply)
                : PBDR_FAIL_FORMAT(file, "\"%s\" is not known in a PLY heading", pbdrShowWord(word).text);
    }
    return status != pbdr_statusOk ? status
                                   : PBDR_FAIL_FORMAT(file, "the file is cut short: no \"end_header\"");
}

// Counts the properties of each slot.
static void countSlots(const Ply* ply, int uses[SLOT_COUNT])
{
    for (int i = 0; i < ply->elementCount; i++) {
        for (int k = 0; k < ply->elements[i].propertyCount; k++) {
            int slot = ply->elements[i].properties[k].slot;
            if (slot >= 0) {
                uses[slot]++;
            }
        }
    }
}

// One element of vertices with x, y and z. Of a mesh then at most one of faces with corners; of a point cloud
// all of nx, ny and nz or none.
static pbdrStatus checkHeading(pbdrMeshFile* file, const Ply* ply)
{
    int vertices = 0, faces = 0, uses[SLOT_COUNT] = {0};
    countSlots(ply, uses);
    for (int i = 0; i < ply->elementCount; i++) {
        const Element* element = &ply->elements[i];
        if (element->propertyCount == 0 && element->count > 0) {
            return PBDR_FAIL_FORMAT(file, "%d elements without any property", element->count);
        }
        vertices += element->kind == 'v';
        faces += element->kind == 'f';
        if (element->kind == 'f' && vertices == 0 && !file->wantsPoints) {
            return PBDR_FAIL_FORMAT(file, "faces before the vertices");
        }
    }
    if (vertices != 1 || uses[0] != 1 || uses[1] != 1 || uses[2] != 1) {
        return PBDR_FAIL_FORMAT(file, "%d elements \"vertex\"; one is wanted, with one x, one y and one z",
                                vertices);
    }
    if (!file->wantsPoints && (faces > 1 || uses[SLOT_CORNERS] != faces)) {
        return PBDR_FAIL_FORMAT(
            file, "%d elements \"face\" with %d lists vertex_indices; one is possible, with one list", faces,
            uses[SLOT_CORNERS]);
    }
    if (file->wantsPoints && (uses[3] > 1 || uses[3] != uses[4] || uses[3] != uses[5])) {
        return PBDR_FAIL_FORMAT(file, "%d nx, %d ny, %d nz; one of each or none is possible", uses[3],
                                uses[4], uses[5]);
    }
    file->hasNormals = file->wantsPoints && uses[3] == 1;
    return pbdr_statusOk;
}

// --- Values ---

static double decode(const char* bytes, const Type* type, bool isBigEndian)
{
    if (type->kind == 'f') {
        return type->size == 8 ? pbdrDecodeDouble(bytes, isBigEndian) : pbdrDecodeFloat(bytes, isBigEndian);
    }
    uint64_t bits = pbdrDecodeBits(bytes, type->size, isBigEndian);
    uint64_t sign = UINT64_C(1) << (8 * type->size - 1);
    return type->kind == 'i' && (bits & sign) != 0 ? (double)bits - 2.0 * (double)sign : (double)bits;
}

// Takes the next value: of a binary file as a number, of a text as a word.
static pbdrStatus takeValue(pbdrMeshFile* file, const Ply* ply, const Type* type, pbdrWord* word,
                            double* value)
{
    *value = 0.0;
    if (ply->isText) {
        return pbdrNextWord(&file->text, word) ? pbdr_statusOk
                                               : PBDR_FAIL_FORMAT(file, "fewer values than the heading says");
    }
    if (file->text.end - file->text.at < type->size) {
        return PBDR_FAIL_FORMAT(file, "the file is cut short");
    }
    *value = decode(file->text.at, type, ply->isBigEndian);
    file->text.at += type->size;
    return pbdr_statusOk;
}

// A list's count, or a corner.
static pbdrStatus takeInteger(pbdrMeshFile* file, const Ply* ply, const Type* type, double* value)
{
    pbdrWord word;
    int64_t integer = 0;
    pbdrStatus status = takeValue(file, ply, type, &word, value);
    if (status == pbdr_statusOk && ply->isText) {
        if (!pbdrParseInteger(word, &integer)) {
            return PBDR_FAIL_FORMAT(file, "\"%s\" is no %s", pbdrShowWord(word).text, type->name);
        }
        *value = (double)integer;
    }
    return status;
}

static pbdrStatus takeCoordinate(pbdrMeshFile* file, Ply* ply, const Property* property)
{
    pbdrWord word;
    double* value = &ply->values[property->slot];
    pbdrStatus status = takeValue(file, ply, property->type, &word, value);
    if (status == pbdr_statusOk && ply->isText && !pbdrParseDecimal(word.start, word.end, value)) {
        status = PBDR_FAIL_FORMAT(file, "coordinate \"%s\" is not a number", pbdrShowWord(word).text);
    }
    return status == pbdr_statusOk ? pbdrCheckCoordinate(file, *value) : status;
}

static pbdrStatus takeCorners(pbdrMeshFile* file, const Ply* ply, const Property* property, double count)
{
    pbdrStatus status = pbdr_statusOk;
    file->cornerCount = 0;
    for (double i = 0.0; i < count && status == pbdr_statusOk; i++) {
        double corner;
        status = takeInteger(file, ply, property->type, &corner);
        if (status == pbdr_statusOk && !(corner >= 0.0 && corner < file->vertexCount)) {
            status =
                PBDR_FAIL_FORMAT(file, "face corner %.0f is none of %d vertices", corner, file->vertexCount);
        }
        if (status == pbdr_statusOk) {
            status = pbdrAddCorner(file, (int32_t)corner);
        }
    }
    return status == pbdr_statusOk ? pbdrAddPolygon(file) : status;
}

static pbdrStatus takeProperty(pbdrMeshFile* file, Ply* ply, const Property* property)
{
    pbdrStatus status = pbdr_statusOk;
    double count = 1.0;
    if (property->countType != NULL) {
        status = takeInteger(file, ply, property->countType, &count);
        if (status == pbdr_statusOk && !(count >= 0.0)) {
            status = PBDR_FAIL_FORMAT(file, "list of %g values", count);
        }
        if (status == pbdr_statusOk && property->slot == SLOT_CORNERS && !file->wantsPoints) {
            return takeCorners(file, ply, property, count);
        }
    } else if (property->slot >= 0 && property->slot < (file->wantsPoints ? 6 : 3)) {
        return takeCoordinate(file, ply, property);
    }
    for (double i = 0.0; i < count && status == pbdr_statusOk; i++) {
        pbdrWord word;
        double skipped;
        status = takeValue(file, ply, property->type, &word, &skipped);
    }
    return status;
}

static pbdrStatus addVertex(pbdrMeshFile* file, const Ply* ply)
{
    const double* v = ply->values;
    if (file->hasNormals && v[3] == 0.0 && v[4] == 0.0 && v[5] == 0.0) {
        return PBDR_FAIL_FORMAT(
            file, "normal (0, 0, 0) is no direction; leave all normals out if they are not known");
    }
    return pbdrAddVertex(file, (pbdrVec3){v[0], v[1], v[2]}, (pbdrVec3){v[3], v[4], v[5]});
}

// A text has one vertex or face per line; goes to the next that is not blank.
static pbdrStatus goToLine(pbdrMeshFile* file)
{
    pbdrText ahead = file->text;
    pbdrWord word = {ahead.at, ahead.at};
    while (word.start == word.end) {
        if (!pbdrNextLine(&file->text)) {
            return PBDR_FAIL_FORMAT(file, "the file is cut short");
        }
        ahead = file->text;
        pbdrNextWord(&ahead, &word);
    }
    return pbdr_statusOk;
}

static pbdrStatus takeElement(pbdrMeshFile* file, Ply* ply, const Element* element)
{
    pbdrStatus status = pbdr_statusOk;
    for (int i = 0; i < element->count && status == pbdr_statusOk; i++) {
        file->itemIndex = i;
        status = ply->isText ? goToLine(file) : pbdr_statusOk;
        for (int k = 0; k < element->propertyCount && status == pbdr_statusOk; k++) {
            status = takeProperty(file, ply, &element->properties[k]);
        }
        pbdrWord word;
        if (status == pbdr_statusOk && ply->isText && pbdrNextWord(&file->text, &word)) {
            status = PBDR_FAIL_FORMAT(file, "more values than the heading says");
        }
        if (status == pbdr_statusOk && element->kind == 'v') {
            status = addVertex(file, ply);
        }
    }
    return status;
}

// Values beyond the last element: the heading's counts are wrong.
static pbdrStatus checkEnd(pbdrMeshFile* file, const Ply* ply)
{
    file->item = NULL;
    pbdrWord word;
    while (ply->isText && pbdrNextLine(&file->text)) {
        if (pbdrNextWord(&file->text, &word)) {
            return PBDR_FAIL_FORMAT(file, "\"%s\" beyond the last element", pbdrShowWord(word).text);
        }
    }
    if (!ply->isText && file->text.at != file->text.end) {
        return PBDR_FAIL_FORMAT(file, "%td bytes beyond the last element", file->text.end - file->text.at);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrReadPly(pbdrMeshFile* file)
{
    Ply ply = {0};
    pbdrStatus status = readHeading(file, &ply);
    if (status == pbdr_statusOk) {
        status = checkHeading(file, &ply);
    }
    // binary values begin after the heading's last line feed
    file->text.at = file->text.lineEnd < file->text.end ? file->text.lineEnd + 1 : file->text.end;
    for (int i = 0; i < ply.elementCount && status == pbdr_statusOk; i++) {
        const Element* element = &ply.elements[i];
        const char* name = element->kind == 'v' ? "vertex" : element->kind == 'f' ? "face" : "other element";
        file->item = ply.isText ? NULL : name;
        status = takeElement(file, &ply, element);
    }
    return status == pbdr_statusOk ? checkEnd(file, &ply) : status;
}
