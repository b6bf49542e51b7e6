// OBJ: "v x y z" and "f a b c ...", each corner as v, v/vt, v//vn or v/vt/vn, v counting from 1, or from -1
// backwards.
#include "meshfile/mesh_file.h"

#include <string.h>

static pbdrStatus readFace(pbdrMeshFile* file)
{
    pbdrStatus status = pbdr_statusOk;
    pbdrWord word;
    file->cornerCount = 0;
    while (status == pbdr_statusOk && pbdrNextWord(&file->text, &word) && *word.start != '#') {
        pbdrWord corner = word;
        const char* slash = memchr(word.start, '/', (size_t)(word.end - word.start));
        corner.end = slash != NULL ? slash : word.end;
        int64_t index = 0;
        if (!pbdrParseInteger(corner, &index) || index == 0 || index > file->vertexCount ||
            -index > file->vertexCount) {
            return PBDR_FAIL_FORMAT(file, "face corner \"%s\" is none of the %d vertices so far",
                                    pbdrShowWord(word).text, file->vertexCount);
        }
        status = pbdrAddCorner(file, (int32_t)(index > 0 ? index - 1 : file->vertexCount + index));
    }
    return status == pbdr_statusOk ? pbdrAddPolygon(file) : status;
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

pbdrStatus pbdrReadObj(pbdrMeshFile* file)
{
    pbdrStatus status = pbdr_statusOk;
    while (status == pbdr_statusOk && pbdrNextLine(&file->text)) {
        pbdrWord keyword;
        if (!pbdrNextWord(&file->text, &keyword)) {
            continue;
        }
        if (pbdrIsWord(keyword, "v")) {
            status = pbdrAddVertexOfLine(file);
        } else if (pbdrIsWord(keyword, "f")) {
            status = readFace(file);
        } else if (!isExtra(keyword)) {
            status = PBDR_FAIL_FORMAT(file, "\"%s\" is not known in OBJ files of polygons",
                                      pbdrShowWord(keyword).text);
        }
    }
    return status;
}
