// STL. Binary: 80 bytes of heading, a 32-bit count n, 50 bytes for each of n facets. Text: between "solid"
// and "endsolid", for each facet the seven lines below. Facet normals are left out: the corners' order says
// as much.
#include "meshfile/plain_copy.h"

#define HEADING_SIZE 80
#define FACET_SIZE 50

static const char* const facetLines[] = {"facet",  "outer",   "vertex",  "vertex",
                                         "vertex", "endloop", "endfacet"};

static uint64_t getFacetCount(const pbdrPlainCopy* copy)
{
    const unsigned char* b = (const unsigned char*)copy->file + HEADING_SIZE;
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24;
}

static bool beginsWithSolid(pbdrText text)
{
    pbdrWord word = {text.start, text.start};
    while (word.start == word.end && pbdrNextLine(&text)) {
        pbdrNextWord(&text, &word);
    }
    return pbdrIsWord(word, "solid");
}

// Copies the rest of a line of a facet, of which it is the one numbered `place`.
static pbdrStatus copyFacetLine(pbdrPlainCopy* copy, int place)
{
    switch (place) {
    case 0:
        pbdrEmitText(copy, "facet normal 0 0 0\nouter loop\n");
        return pbdr_statusOk;
    case 2:
    case 3:
    case 4:
        return pbdrCopyVertex(copy, "vertex");
    case 6:
        pbdrEmitText(copy, "endloop\nendfacet\n");
        return pbdrCountCorners(copy, 3);
    default:
        return pbdr_statusOk;
    }
}

static pbdrStatus copyText(pbdrPlainCopy* copy)
{
    pbdrStatus status = pbdr_statusOk;
    int place = 0;     // in facetLines
    bool open = false; // between solid and endsolid, of which there may be several
    pbdrEmitText(copy, "solid\n");
    while (status == pbdr_statusOk && pbdrNextLine(&copy->text)) {
        pbdrWord word;
        if (!pbdrNextWord(&copy->text, &word)) {
            continue;
        }
        const char* wanted = open ? facetLines[place] : "solid";
        if (open && place == 0 && pbdrIsWord(word, "endsolid")) {
            open = false;
        } else if (!pbdrIsWord(word, wanted)) {
            status = PBDR_FAIL_FORMAT(copy, "\"%s\" in place of \"%s\"", pbdrShowWord(word).text, wanted);
        } else if (!open) {
            open = true;
        } else {
            status = copyFacetLine(copy, place);
            place = (place + 1) % 7;
        }
    }
    pbdrEmitText(copy, "endsolid\n");
    if (status == pbdr_statusOk && open) {
        status = PBDR_FAIL_FORMAT(copy, "the file is cut short: no \"endsolid\"");
    }
    return status;
}

pbdrStatus pbdrCopyStl(pbdrPlainCopy* copy)
{
    // The size tells the two apart. The first word does not: headings of binary files may begin with "solid"
    // too.
    uint64_t facets = copy->fileSize >= HEADING_SIZE + 4 ? getFacetCount(copy) : 0;
    uint64_t wantedSize = HEADING_SIZE + 4 + FACET_SIZE * facets;
    if (copy->fileSize == wantedSize) {
        char heading[HEADING_SIZE] = {0};
        pbdrEmit(copy, heading, sizeof heading);
        pbdrEmit(copy, copy->file + HEADING_SIZE, copy->fileSize - HEADING_SIZE);
        copy->vertexCount = 3 * (int64_t)facets;
        copy->triangleCount = (int64_t)facets;
        return pbdr_statusOk;
    }
    if (beginsWithSolid(copy->text)) {
        return copyText(copy);
    }
    return PBDR_FAIL_FORMAT(
        copy, "%zu bytes that do not begin with \"solid\"; as binary STL, %llu facets take %llu bytes",
        copy->fileSize, (unsigned long long)facets, (unsigned long long)wantedSize);
}
