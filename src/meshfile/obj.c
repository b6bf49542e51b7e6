// OBJ: "v x y z" and "f a b c ...", each corner as v, v/vt, v//vn or v/vt/vn, v counting from 1, or from -1
// backwards.
#include "meshfile/plain_copy.h"

#include <string.h>

static pbdrStatus copyFace(pbdrPlainCopy* copy)
{
    int64_t corners = 0;
    pbdrWord word;
    pbdrEmitText(copy, "f");
    for (; pbdrNextWord(&copy->text, &word) && *word.start != '#'; corners++) {
        pbdrWord corner = word;
        const char* slash = memchr(word.start, '/', (size_t)(word.end - word.start));
        corner.end = slash != NULL ? slash : word.end;
        int64_t index = 0;
        if (!pbdrParseInteger(corner, &index) || index == 0 || index > copy->vertexCount ||
            -index > copy->vertexCount) {
            return PBDR_FAIL_FORMAT(copy, "face corner \"%s\" is none of the %lld vertices so far",
                                    pbdrShowWord(word).text, (long long)copy->vertexCount);
        }
        pbdrEmitText(copy, " ");
        pbdrEmitWord(copy, corner);
    }
    pbdrEmitText(copy, "\n");
    return pbdrCountCorners(copy, corners);
}

// Whether a line may be left out: no part of a surface of polygons. Curves and curved surfaces are not among
// these, as leaving them out would leave a hole.
static bool isExtra(pbdrWord keyword)
{
    static const char* const extras[] = {
        "vt",    "vn",       "vp",       "p",          "l",         "g",      "o",
        "s",     "mg",       "usemtl",   "mtllib",     "lod",       "usemap", "maplib",
        "bevel", "c_interp", "d_interp", "shadow_obj", "trace_obj",
    };
    bool known = *keyword.start == '#';
    for (size_t i = 0; i < sizeof extras / sizeof extras[0]; i++) {
        known = known || pbdrIsWord(keyword, extras[i]);
    }
    return known;
}

pbdrStatus pbdrCopyObj(pbdrPlainCopy* copy)
{
    pbdrStatus status = pbdr_statusOk;
    while (status == pbdr_statusOk && pbdrNextLine(&copy->text)) {
        pbdrWord keyword;
        if (!pbdrNextWord(&copy->text, &keyword)) {
            continue;
        }
        if (pbdrIsWord(keyword, "v")) {
            status = pbdrCopyVertex(copy, "v");
        } else if (pbdrIsWord(keyword, "f")) {
            status = copyFace(copy);
        } else if (!isExtra(keyword)) {
            status = PBDR_FAIL_FORMAT(copy, "\"%s\" is not known in OBJ files of polygons",
                                      pbdrShowWord(keyword).text);
        }
    }
    return status;
}
