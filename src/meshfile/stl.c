// STL. Binary: 80 bytes of heading, a 32-bit count n, 50 bytes for each of n facets. Text: between "solid"
// and "endsolid", for each facet the seven lines below. Facet normals are left out: the corners' order says
// as much.
//
// STL does not say which corners are one vertex. Single precision is the format's own, so corners of a text
// whose coordinates agree in single precision are one, with the coordinates of the first: programs that print
// more digits than they keep would otherwise leave gaps.
#include "meshfile/mesh_file.h"

#include "base.h"
#include "math/hash.h"
#include "meshfile/bytes.h"

#include <string.h>

#define HEADING_SIZE 80
#define FACET_SIZE 50

static const char* const facetLines[] = {"facet",  "outer",   "vertex",  "vertex",
                                         "vertex", "endloop", "endfacet"};

static bool beginsWithSolid(pbdrText text)
{
    pbdrWord word = {text.start, text.start};
    while (word.start == word.end && pbdrNextLine(&text)) {
        pbdrNextWord(&text, &word);
    }
    return pbdrIsWord(word, "solid");
}

// --- Binary ---

static pbdrStatus readBinary(pbdrMeshFile* file, int facetCount)
{
    pbdrStatus status = pbdrGrow(file, &file->vertices, 3 * (size_t)facetCount);
    if (status == pbdr_statusOk) {
        status = pbdrGrow(file, &file->triangles, (size_t)facetCount);
    }
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    file->item = "facet";
    for (int i = 0; i < facetCount && status == pbdr_statusOk; i++) {
        file->itemIndex = i;
        const char* at = file->bytes + HEADING_SIZE + 4 + FACET_SIZE * (size_t)i + 12; // after the normal
        for (int k = 0; k < 3 && status == pbdr_statusOk; k++) {
            double values[3];
            for (int axis = 0; axis < 3 && status == pbdr_statusOk; axis++, at += 4) {
                values[axis] = pbdrDecodeFloat(at, false);
                status = pbdrCheckCoordinate(file, values[axis]);
            }
            if (status == pbdr_statusOk) {
                status = pbdrAddVertex(file, (pbdrVec3){values[0], values[1], values[2]}, none);
            }
        }
        if (status == pbdr_statusOk) {
            status = pbdrAddTriangle(file, 3 * i, 3 * i + 1, 3 * i + 2);
        }
    }
    return status;
}

// --- Text ---

typedef struct SinglePlace {
    float values[3];
} SinglePlace;

static SinglePlace roundPlace(pbdrVec3 v)
{
    return (SinglePlace){{(float)v.x + 0.0f, (float)v.y + 0.0f, (float)v.z + 0.0f}}; // -0 is 0
}

static size_t hashPlace(const SinglePlace* place)
{
    uint64_t hash = pbdrAddToHash(PBDR_HASH_START, place, sizeof *place);
    return (size_t)(hash ^ hash >> 32);
}

static void joinIn(pbdrMeshFile* file, int32_t* table, size_t capacity)
{
    const pbdrVec3* vertices = file->vertices.items;
    int32_t* corners = file->triangles.items;
    for (int32_t i = 0; i < 3 * file->triangleCount; i++) {
        SinglePlace place = roundPlace(vertices[corners[i]]), other;
        size_t slot = hashPlace(&place) & (capacity - 1);
        for (; table[slot] != 0; slot = (slot + 1) & (capacity - 1)) {
            other = roundPlace(vertices[table[slot] - 1]);
            if (memcmp(&other, &place, sizeof place) == 0) {
                break;
            }
        }
        if (table[slot] == 0) {
            table[slot] = corners[i] + 1;
        }
        corners[i] = table[slot] - 1;
    }
}

// Corners at the same place in single precision become one vertex.
static pbdrStatus joinCorners(pbdrMeshFile* file)
{
    size_t capacity = 64;
    while (capacity < 2 * (size_t)file->vertexCount) {
        capacity *= 2;
    }
    int32_t* table = pbdrAllocate(file->hooks, capacity, sizeof *table); // vertex + 1, or 0
    if (table == NULL) {
        return pbdrFailFile(file, pbdr_statusNoMemory, "no memory to join %d vertices", file->vertexCount);
    }
    joinIn(file, table, capacity);
    pbdrRelease(file->hooks, table, capacity, sizeof *table);
    return pbdr_statusOk;
}

static pbdrStatus readText(pbdrMeshFile* file)
{
    pbdrStatus status = pbdr_statusOk;
    int place = 0;     // in facetLines
    bool open = false; // between solid and endsolid, of which there may be several
    while (status == pbdr_statusOk && pbdrNextLine(&file->text)) {
        pbdrWord word;
        if (!pbdrNextWord(&file->text, &word)) {
            continue;
        }
        const char* wanted = open ? facetLines[place] : "solid";
        if (open && place == 0 && pbdrIsWord(word, "endsolid")) {
            open = false;
        } else if (!pbdrIsWord(word, wanted)) {
            status = PBDR_FAIL_FORMAT(file, "\"%s\" in place of \"%s\"", pbdrShowWord(word).text, wanted);
        } else if (!open) {
            open = true;
        } else {
            int32_t last = file->vertexCount - 1;
            status = place >= 2 && place <= 4 ? pbdrAddVertexOfLine(file)
                     : place == 6             ? pbdrAddTriangle(file, last - 2, last - 1, last)
                                              : pbdr_statusOk;
            place = (place + 1) % 7;
        }
    }
    if (status == pbdr_statusOk && open) {
        status = PBDR_FAIL_FORMAT(file, "the file is cut short: no \"endsolid\"");
    }
    return status == pbdr_statusOk ? joinCorners(file) : status;
}

pbdrStatus pbdrReadStl(pbdrMeshFile* file)
{
    // The size tells the two apart. The first word does not: headings of binary files may begin with "solid"
    // too.
    uint64_t facets =
        file->size >= HEADING_SIZE + 4 ? pbdrDecodeBits(file->bytes + HEADING_SIZE, 4, false) : 0;
    uint64_t wantedSize = HEADING_SIZE + 4 + FACET_SIZE * facets;
    if (file->size == wantedSize) {
        return readBinary(file, (int)facets);
    }
    if (beginsWithSolid(file->text)) {
        return readText(file);
    }
    return PBDR_FAIL_FORMAT(
        file, "%zu bytes that do not begin with \"solid\"; as binary STL, %llu facets take %llu bytes",
        file->size, (unsigned long long)facets, (unsigned long long)wantedSize);
}
