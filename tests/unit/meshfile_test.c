// Mesh files: every format gives the same mesh, no damage goes unnoticed, nothing crashes. The files are
// written here.
#define _POSIX_C_SOURCE 200809L // mkdtemp, geteuid, truncate

#include "check.h"
#include "ledger.h"
#include "math/vec.h"
#include "pbdr/meshfile.h"

#include <sys/stat.h>
#include <unistd.h>

// --- Files ---

static char folder[] = "/tmp/pbdr_meshfile_XXXXXX";

// A path in the test's folder; good until the next call.
static const char* getPath(const char* name)
{
    static char path[sizeof folder + 128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

// A file being put together.
typedef struct Bytes {
    unsigned char data[4096];
    size_t size;
    bool bigEndian;
} Bytes;

static void put(Bytes* bytes, const void* data, size_t size)
{
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void putText(Bytes* bytes, const char* text)
{
    put(bytes, text, strlen(text));
}

// The low `size` bytes of a number, in the file's byte order.
static void putInteger(Bytes* bytes, uint64_t value, int size)
{
    for (int i = 0; i < size; i++) {
        int shift = 8 * (bytes->bigEndian ? size - 1 - i : i);
        bytes->data[bytes->size++] = (unsigned char)(value >> shift);
    }
}

static void putFloat(Bytes* bytes, double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    putInteger(bytes, bits, 4);
}

static void putDouble(Bytes* bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    putInteger(bytes, bits, 8);
}

static void writeFile(const char* name, const void* data, size_t size)
{
    FILE* file = fopen(getPath(name), "wb");
    CHECK(file != NULL);
    if (file != NULL) {
        CHECK_EQ(fwrite(data, 1, size, file), size);
        fclose(file);
    }
}

static pbdrStatus loadBytes(const char* name, const void* data, size_t size, pbdrMesh* mesh,
                            pbdrMeshReport* report, pbdrError* error)
{
    writeFile(name, data, size);
    return pbdrLoadMesh(getPath(name), NULL, mesh, report, error);
}

// --- A box in every format ---

// Exact in single precision and in few decimals. The first coordinate's low byte is a line feed (0x3f80000a),
// which assimp takes for the end of a PLY heading.
#define LOW_X 1.00000119209289550781
static const double low[3] = {LOW_X, -0.5, 0.25}, high[3] = {3.0, 0.5, 1.75};

static const int quads[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};

static double getCoordinate(int vertex, int axis)
{
    return (vertex >> axis & 1) != 0 ? high[axis] : low[axis];
}

static void makeObj(Bytes* bytes)
{
    char line[256];
    for (int i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "v %.20g %.20g %.20g\n", getCoordinate(i, 0), getCoordinate(i, 1),
                 getCoordinate(i, 2));
        putText(bytes, line);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(line, sizeof line, "f %d %d %d %d\n", quads[i][0] + 1, quads[i][1] + 1, quads[i][2] + 1,
                 quads[i][3] + 1);
        putText(bytes, line);
    }
}

// All that OBJ files have besides, and numbers and indices in other forms.
static void makeOddObj(Bytes* bytes)
{
    putText(bytes, "# made by hand\r\nmtllib none.mtl\r\no box\r\nvn 0 0 1\r\nvt .5 .5\r\n"
                   "v 1.00000119209289550781 -.5 .25\r\nv 3. -5e-1 +.25 1.0\r\n"
                   "v\t1.00000119209289550781  .5   0.025E+1 0.1 0.2 0.3\r\nv 3 .5 .25 # comment\r\n"
                   "v 1.00000119209289550781 -.5 1.75\r\nv 3 -.5 \\\r\n 1.75\r\n\r\n"
                   "v 1.00000119209289550781 .5 1.75\r\nv 3 .5 1.75\r\n"
                   "p 1 2\r\nl 1 2 3\r\ng side\r\ns off\r\nusemtl none\r\n"
                   "f 1 3/1 4//1 2/1/1\r\nf -4 -3 -1 \\\r\n-2\r\nf 1 2 6\r\nf 1 6 5 # comment\r\n"
                   "o other\r\nf 3 7 8 4\r\nf 1 5 7 3\r\nf 2 4 8 6");
}

static void makeStlText(Bytes* bytes, bool upperCase)
{
    char line[256];
    putText(bytes, upperCase ? "SOLID Of facet\n" : "solid\n");
    for (int t = 0; t < 12; t++) {
        putText(bytes, upperCase ? "FACET NORMAL nan nan nan\r\n\tOUTER LOOP\n"
                                 : "facet normal 0 0 1\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            int i = quads[t / 2][k == 0 ? 0 : k + t % 2];
            snprintf(line, sizeof line, "%s %.20g %.20g %.20g\n", upperCase ? "VERTEX" : "  vertex",
                     getCoordinate(i, 0), getCoordinate(i, 1), getCoordinate(i, 2));
            putText(bytes, line);
        }
        putText(bytes, upperCase ? "ENDLOOP\n\nENDFACET\n" : " endloop\nendfacet\n");
        if (upperCase && t == 5) {
            putText(bytes, "ENDSOLID\nSOLID 2\n");
        }
    }
    putText(bytes, upperCase ? "ENDSOLID" : "endsolid\n");
}

static void makeStlBinary(Bytes* bytes, const char* heading)
{
    putText(bytes, heading);
    bytes->size = 80;
    putInteger(bytes, 12, 4);
    for (int t = 0; t < 12; t++) {
        for (int i = 0; i < 3; i++) {
            putFloat(bytes, (double)NAN); // the normal
        }
        for (int k = 0; k < 9; k++) {
            putFloat(bytes, getCoordinate(quads[t / 2][k < 3 ? 0 : k / 3 + t % 2], k % 3));
        }
        putInteger(bytes, 0xffff, 2);
    }
}

static void makePlyText(Bytes* bytes)
{
    char line[256];
    putText(bytes,
            "ply\nformat ascii 1.0\nelement vertex 8\nproperty float x\nproperty float y\nproperty float z\n"
            "element face 6\nproperty list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "%.20g %.20g %.20g\n", getCoordinate(i, 0), getCoordinate(i, 1),
                 getCoordinate(i, 2));
        putText(bytes, line);
    }
    for (int i = 0; i < 6; i++) {
        snprintf(line, sizeof line, "4 %d %d %d %d\n", quads[i][0], quads[i][1], quads[i][2], quads[i][3]);
        putText(bytes, line);
    }
}

// With properties and elements that assimp misreads: comments and obj_info among properties, texture lists,
// edges.
static void makeOddPlyText(Bytes* bytes)
{
    char line[256];
    putText(bytes,
            "ply\r\ncomment TextureFile x\r\nformat ascii 1.0\r\nelement edge 2\r\nproperty int a\r\nelement "
            "vertex 8\r\n"
            "comment between\r\nproperty float z\r\nobj_info between\r\nproperty uchar red\r\nproperty "
            "double y\r\n"
            "property float quality\r\nproperty float32 x\r\nelement material 1\r\nproperty list uchar float "
            "ambient_red\r\nelement face 6\r\nproperty list uchar float texcoord\r\n"
            "property list uchar uint vertex_index\r\nproperty int flags\r\nend_header\r\n7\r\n8\r\n\r\n");
    for (int i = 0; i < 8; i++) {
        snprintf(line, sizeof line, " %.20g 255.0 %.20g nan %.20g\r\n", getCoordinate(i, 2),
                 getCoordinate(i, 1), getCoordinate(i, 0));
        putText(bytes, line);
    }
    putText(bytes, "0\r\n");
    for (int i = 0; i < 6; i++) {
        snprintf(line, sizeof line, "%s 4 %d %d %d %d -1\r\n", i % 2 == 0 ? "0" : "3 .1 nan 9", quads[i][0],
                 quads[i][1], quads[i][2], quads[i][3]);
        putText(bytes, line);
    }
    putText(bytes, "\r\n\r\n");
}

static void makePlyBinary(Bytes* bytes, bool bigEndian, bool odd)
{
    bytes->bigEndian = bigEndian;
    putText(bytes,
            bigEndian ? "ply\nformat binary_big_endian 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    putText(bytes,
            odd ? "comment hello\r\nelement vertex 8\r\nproperty double x\r\nproperty double y\r\nproperty "
                  "uchar red\r\n"
                  "property float z\r\nproperty list short int16 neighbours\r\nelement edge 1\r\n"
                  "property double a\r\nelement face 6\r\n"
                  "property ushort flags\r\nproperty list int ushort vertex_indices\r\nend_header\r\n"
                : "element vertex 8\nproperty float x\nproperty float y\nproperty float z\nelement face 6\n"
                  "property list uchar int vertex_indices\nend_header\n");
    for (int i = 0; i < 8; i++) {
        if (odd) {
            putDouble(bytes, getCoordinate(i, 0));
            putDouble(bytes, getCoordinate(i, 1));
            putInteger(bytes, '\n', 1);
            putFloat(bytes, getCoordinate(i, 2));
            putInteger(bytes, 2, 2);
            putInteger(bytes, 0x0a0a0d0d, 4);
        } else {
            putFloat(bytes, getCoordinate(i, 0));
            putFloat(bytes, getCoordinate(i, 1));
            putFloat(bytes, getCoordinate(i, 2));
        }
    }
    if (odd) {
        putInteger(bytes, 0, 8);
    }
    for (int i = 0; i < 6; i++) {
        putInteger(bytes, 7, odd ? 2 : 0);
        putInteger(bytes, 4, odd ? 4 : 1);
        for (int k = 0; k < 4; k++) {
            putInteger(bytes, (uint64_t)quads[i][k], odd ? 2 : 4);
        }
    }
}

typedef struct BoxFile {
    const char* name;
    Bytes bytes;
} BoxFile;

#define BOX_FILE_COUNT 11
static BoxFile boxFiles[BOX_FILE_COUNT] = {
    {.name = "box.obj"},    {.name = "odd.OBJ"},   {.name = "box.stl"},     {.name = "odd.Stl"},
    {.name = "binary.stl"}, {.name = "solid.stl"}, {.name = "box.ply"},     {.name = "odd.ply"},
    {.name = "little.ply"}, {.name = "big.PLY"},   {.name = "odd.big.ply"},
};

static void makeBoxFiles(void)
{
    makeObj(&boxFiles[0].bytes);
    makeOddObj(&boxFiles[1].bytes);
    makeStlText(&boxFiles[2].bytes, false);
    makeStlText(&boxFiles[3].bytes, true);
    makeStlBinary(&boxFiles[4].bytes, "exported");
    makeStlBinary(&boxFiles[5].bytes, "solid COLOR=abcd");
    makePlyText(&boxFiles[6].bytes);
    makeOddPlyText(&boxFiles[7].bytes);
    makePlyBinary(&boxFiles[8].bytes, false, false);
    makePlyBinary(&boxFiles[9].bytes, true, false);
    makePlyBinary(&boxFiles[10].bytes, true, true);
}

static bool isBox(const pbdrMesh* mesh)
{
    pbdrVec3 lower, upper;
    pbdrMassProperties p;
    pbdrMesh_GetBounds(mesh, &lower, &upper);
    double volume = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
    return mesh->vertexCount == 8 && mesh->triangleCount == 12 && lower.x == low[0] && lower.y == low[1] &&
           lower.z == low[2] && upper.x == high[0] && upper.y == high[1] && upper.z == high[2] &&
           pbdrMesh_GetMassProperties(mesh, 1.0, &p, NULL) == pbdr_statusOk &&
           fabs(p.volume - volume) <= 1.0e-13;
}

static void meshfile__all_formats_give_the_same_mesh(void)
{
    for (int i = 0; i < BOX_FILE_COUNT; i++) {
        const BoxFile* file = &boxFiles[i];
        pbdrMesh mesh;
        pbdrMeshReport report;
        pbdrError error = {0};
        pbdrStatus status = loadBytes(file->name, file->bytes.data, file->bytes.size, &mesh, &report, &error);
        if (status != pbdr_statusOk || !isBox(&mesh)) {
            printf("    %s: %s\n", file->name, status != pbdr_statusOk ? error.message : "another mesh");
        }
        CHECK_EQ(status, pbdr_statusOk);
        CHECK(isBox(&mesh));
        CHECK_EQ(report.openEdges + report.clashingEdges + report.crowdedEdges + report.degenerateTriangles,
                 0);
        CHECK(!report.inverted);
        pbdrMesh_Free(&mesh);
    }
}

static void meshfile__concave_polygons_are_cut_right(void)
{
    // A prism over an L of area 3, height 2: the fan about any corner of the L but one would leave it.
    const char* text =
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\n"
        "v 0 0 2\nv 2 0 2\nv 2 1 2\nv 1 1 2\nv 1 2 2\nv 0 2 2\n"
        "f 6 5 4 3 2 1\nf 7 8 9 10 11 12\nf 1 2 8 7\nf 2 3 9 8\nf 3 4 10 9\nf 4 5 11 10\nf 5 6 12 11\n"
        "f 6 1 7 12\n";
    pbdrMesh mesh;
    pbdrMassProperties p = {0};
    CHECK_EQ(loadBytes("l.obj", text, strlen(text), &mesh, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount, 2 * 4 + 6 * 2);
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 1.0, &p, NULL), pbdr_statusOk);
    CHECK_NEAR(p.volume, 6.0, 1.0e-13);
    CHECK_NEAR(p.centre.x, (2 * 1.0 + 1 * 0.5) / 3.0, 1.0e-13);
    CHECK_NEAR(pbdrMesh_GetWindingNumber(&mesh, pbdrVec(1.5, 1.5, 1.0)), 0.0, 1.0e-13);
    pbdrMesh_Free(&mesh);
}

// --- Damage ---

#define PLY_HEADING(format, vertices, faces)                                                                 \
    "ply\nformat " format " 1.0\nelement vertex " vertices "\nproperty float x\nproperty float y\n"          \
    "property float z\nelement face " faces "\nproperty list uchar int vertex_indices\nend_header\n"

typedef struct Refusal {
    const char* name;
    const char* text;
    pbdrStatus status;
    const char* reason; // that the message contains
} Refusal;

static const Refusal refusals[] = {
    {"empty.obj", "", pbdr_statusFileFormat, "0 bytes"},
    {"empty.ply", "", pbdr_statusFileFormat, "0 bytes"},
    {"box.3ds", "v 0 0 0", pbdr_statusFileFormat, "none of .obj, .stl and .ply"},
    {"obj", "v 0 0 0", pbdr_statusFileFormat, "none of .obj, .stl and .ply"},
    {"prose.obj", "once upon a time\n", pbdr_statusFileFormat, "line 1: \"once\" is not known"},
    {"prose.stl", "once upon a time\n", pbdr_statusFileFormat, "17 bytes that do not begin with \"solid\""},
    {"prose.ply", "once upon a time\n", pbdr_statusFileFormat, "line 1: \"once\" in place of \"ply\""},
    {"points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", pbdr_statusMeshBroken, "no triangles, only 3 vertices"},
    {"beyond.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 4\n", pbdr_statusFileFormat,
     "line 5: face corner \"4\" is none of the 3 vertices so far"},
    {"before.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", pbdr_statusFileFormat,
     "line 4: face corner \"-4\""},
    {"zero.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", pbdr_statusFileFormat, "line 4: face corner \"0\""},
    {"word.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 x/1\n", pbdr_statusFileFormat,
     "line 4: face corner \"x/1\""},
    {"huge.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4294967297\n", pbdr_statusFileFormat,
     "corner \"4294967297\""},
    {"two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", pbdr_statusFileFormat, "line 4: face of 2 corners"},
    {"short.obj", "v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat, "line 2: coordinate \"\""},
    {"nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat,
     "line 2: coordinate \"nan\""},
    {"inf.obj", "v 0 0 0\nv 1 1e39 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat, "line 2: coordinate 1e+39"},
    {"comma.obj", "v 0 0 0\nv 1 0,5 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat,
     "line 2: coordinate \"0,5\""},
    {"long.obj", "v 0 0 0\nv 1 99999999999999999999 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat,
     "line 2: "},
    {"curve.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ncurv 0 1 1 2\n", pbdr_statusFileFormat,
     "line 5: \"curv\""},
    {"crossed.obj", "v 2 0 0\nv 2 3 0\nv 3 3 0\nv 1 0 0\nv 0 2 0\nv 0 1 0\nv 3 0 0\nf 1 2 3 4 3 5 6 7\n",
     pbdr_statusFileFormat, "one crosses itself"},
    {"flat.obj", "v 0 0 0\nv 0 0 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusMeshBroken, "two equal corners"},
    {"cut.stl",
     "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n",
     pbdr_statusFileFormat, "cut short: no \"endsolid\""},
    {"two.stl",
     "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid\n",
     pbdr_statusFileFormat, "line 6: \"endloop\" in place of \"vertex\""},
    {"nan.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 -nan\n", pbdr_statusFileFormat,
     "line 4: coordinate"},
    {"none.stl", "solid a\nendsolid a\n", pbdr_statusMeshBroken, "no triangles, only 0 vertices"},
    {"cloud.ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
     "end_header\n0 0 0\n",
     pbdr_statusMeshBroken, "no triangles, only 1 vertices"},
    {"cut.ply", PLY_HEADING("ascii", "3", "2") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", pbdr_statusFileFormat,
     "cut short"},
    {"beyond.ply", PLY_HEADING("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", pbdr_statusFileFormat,
     "line 13: face corner 3 is none of 3 vertices"},
    {"nan.ply", PLY_HEADING("ascii", "3", "1") "0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", pbdr_statusFileFormat,
     "line 11: coordinate \"nan\""},
    {"more.ply", PLY_HEADING("ascii", "3", "1") "0 0 0\n1 0 0 9\n0 1 0\n3 0 1 2\n", pbdr_statusFileFormat,
     "line 11: more values"},
    {"fewer.ply", PLY_HEADING("ascii", "3", "1") "0 0 0\n1 0\n0 1 0\n3 0 1 2\n", pbdr_statusFileFormat,
     "line 11: fewer values"},
    {"many.ply", PLY_HEADING("ascii", "4000000000", "1") "0 0 0\n", pbdr_statusFileFormat,
     "line 3: \"4000000000\" elements"},
    {"minus.ply", PLY_HEADING("ascii", "3", "-1") "0 0 0\n", pbdr_statusFileFormat,
     "line 7: \"-1\" elements"},
    {"heading.ply", "ply\nformat ascii 1.0\nelement vertex 3\n", pbdr_statusFileFormat, "no \"end_header\""},
    {"format.ply", "ply\nformat ebcdic 1.0\n", pbdr_statusFileFormat, "line 2: format \"ebcdic\""},
    {"type.ply", "ply\nformat ascii 1.0\nelement vertex 3\nproperty quad x\n", pbdr_statusFileFormat,
     "type \"quad\""},
    {"noxyz.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n0\n",
     pbdr_statusFileFormat, "vertices need one x, one y and one z"},
    {"extra.ply", PLY_HEADING("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n\n3 0 2 1\n",
     pbdr_statusFileFormat, "line 15: \"3\" beyond the last element"},
    {"rest.ply", PLY_HEADING("binary_little_endian", "0", "0") "abc", pbdr_statusFileFormat,
     "3 bytes beyond"},
    {"short.ply", PLY_HEADING("binary_big_endian", "2", "0") "abcdefghijklmno", pbdr_statusFileFormat,
     "vertex 1: the file is cut short"},
};

static void meshfile__refuses_damage_with_a_reason(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const Refusal* r = &refusals[i];
        pbdrMesh mesh;
        pbdrError error = {0};
        memset(&mesh, 0xff, sizeof mesh);
        CHECK_EQ(loadBytes(r->name, r->text, strlen(r->text), &mesh, NULL, &error), r->status);
        CHECK_EQ(error.status, r->status);
        CHECK_TEXT(error.message, r->reason);
        CHECK(strstr(error.message, getPath(r->name)) == error.message);
        CHECK(mesh.vertices == NULL && mesh.triangles == NULL && mesh.triangleCount == 0);
    }
}

static void meshfile__refuses_numbers_that_are_not_finite_in_binary_files(void)
{
    // The first coordinate: after 84 bytes and the normal in STL, at the end of the heading in PLY.
    Bytes stl = boxFiles[4].bytes, ply = boxFiles[8].bytes;
    pbdrMesh mesh;
    pbdrError error = {0};
    memset(stl.data + 84 + 12, 0xff, 4);
    CHECK_EQ(loadBytes("nan.stl", stl.data, stl.size, &mesh, NULL, &error), pbdr_statusFileFormat);
    CHECK_TEXT(error.message, "vertex 0 at (");
    memset(ply.data + ply.size - 6 * 17 - 8 * 12, 0xff, 4);
    CHECK_EQ(loadBytes("nan.ply", ply.data, ply.size, &mesh, NULL, &error), pbdr_statusFileFormat);
    CHECK_TEXT(error.message, "vertex 0: coordinate ");
}

static void meshfile__refuses_what_cannot_be_read_as_the_system_says(void)
{
    pbdrMesh mesh;
    pbdrError error = {0};
    CHECK_EQ(pbdrLoadMesh(getPath("missing.stl"), NULL, &mesh, NULL, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "missing.stl: No such file or directory");
    CHECK_EQ(mkdir(getPath("folder.stl"), 0700), 0);
    CHECK_EQ(pbdrLoadMesh(getPath("folder.stl"), NULL, &mesh, NULL, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "folder.stl: Is a directory");
    rmdir(getPath("folder.stl"));
    // The reason survives a path longer than a message.
    char path[2000];
    memset(path, 'a', sizeof path);
    memcpy(path + sizeof path - 5, ".stl", 5);
    CHECK_EQ(pbdrLoadMesh(path, NULL, &mesh, NULL, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "aaa.stl: File name too long");
    if (geteuid() == 0) {
        return; // root may read everything
    }
    writeFile("secret.stl", "solid", 5);
    CHECK_EQ(chmod(getPath("secret.stl"), 0), 0);
    CHECK_EQ(pbdrLoadMesh(getPath("secret.stl"), NULL, &mesh, NULL, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "secret.stl: Permission denied");
}

static void meshfile__notices_a_file_cut_short_at_any_byte(void)
{
    // It is refused, or what is missing is of no account (white space, a comment), or the mesh has a hole and
    // says so.
    for (int i = 0; i < BOX_FILE_COUNT; i++) {
        const BoxFile* file = &boxFiles[i];
        writeFile(file->name, file->bytes.data, file->bytes.size);
        for (size_t size = file->bytes.size; size-- > 0;) {
            pbdrMesh mesh;
            pbdrMeshReport report;
            CHECK_EQ(truncate(getPath(file->name), (off_t)size), 0);
            if (pbdrLoadMesh(getPath(file->name), NULL, &mesh, &report, NULL) == pbdr_statusOk) {
                bool noticed = report.openEdges > 0 || isBox(&mesh);
                if (!noticed) {
                    printf("    %s, first %zu bytes of %zu\n", file->name, size, file->bytes.size);
                }
                CHECK(noticed);
                pbdrMesh_Free(&mesh);
            }
        }
    }
}

static void meshfile__survives_random_damage(void)
{
    // One to four bytes changed: any result will do, but no crash, and a mesh that keeps its promises.
    uint64_t seed = 7;
    for (int i = 0; i < 2500; i++) {
        const BoxFile* file = &boxFiles[i % BOX_FILE_COUNT];
        Bytes bytes = file->bytes;
        for (int k = 0; k < 1 + i % 4; k++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            size_t at = (size_t)(seed >> 33) % bytes.size;
            bytes.data[at] = (seed & 0x100000) != 0 ? (unsigned char)(seed >> 24)
                                                    : (unsigned char)('0' + (seed >> 24) % 10);
        }
        pbdrMesh mesh;
        if (loadBytes(file->name, bytes.data, bytes.size, &mesh, NULL, NULL) == pbdr_statusOk) {
            for (int t = 0; t < 3 * mesh.triangleCount; t++) {
                int32_t corner = mesh.triangles[t / 3][t % 3];
                CHECK(corner >= 0 && corner < mesh.vertexCount && pbdrIsFiniteVec(mesh.vertices[corner]));
            }
        }
        pbdrMesh_Free(&mesh);
    }
}

static void meshfile__survives_failure_of_any_allocation(void)
{
    for (int i = 0; i < BOX_FILE_COUNT; i++) {
        const BoxFile* file = &boxFiles[i];
        writeFile(file->name, file->bytes.data, file->bytes.size);
        bool done = false;
        for (int failAt = 1; !done; failAt++) {
            Ledger memory = {.failAt = failAt};
            pbdrHooks hooks = makeHooks(&memory);
            pbdrMesh mesh;
            pbdrError error = {0};
            pbdrStatus status = pbdrLoadMesh(getPath(file->name), &hooks, &mesh, NULL, &error);
            done = status == pbdr_statusOk;
            memory.failAt = 0; // looking at the mesh takes memory, too
            CHECK(done || (status == pbdr_statusNoMemory && strstr(error.message, "no memory") != NULL));
            CHECK(done ? isBox(&mesh) : mesh.vertices == NULL && mesh.triangles == NULL);
            CHECK(!done || failAt > 10); // file, copy, 2 from assimp, 8 in pbdrCreateMesh
            pbdrMesh_Free(&mesh);
            CHECK_EQ(memory.bytes, 0);
        }
    }
}

// --- The bunny ---

static void meshfile__bunny_is_the_papers(void)
{
    // prusa-slicer's bunny.stl in a cube of 0.2 m: 2.18 kg at 1000 kg/m^3, and 2191 spheres of 5 mm (the
    // paper: 2175).
    const char* path = getenv("PBDR_BUNNY");
    if (path == NULL || access(path, R_OK) != 0) {
        SKIP("PBDR_BUNNY does not name bunny.stl (make setup fetches it from Debian's prusa-slicer)");
    }
    pbdrMesh mesh;
    pbdrMeshReport report;
    pbdrError error = {0};
    pbdrStatus status = pbdrLoadMesh(path, NULL, &mesh, &report, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_EQ(mesh.vertexCount, 148);
    CHECK_EQ(mesh.triangleCount, 292);
    CHECK_EQ(pbdrMesh_FitCube(&mesh, 0.2, NULL), pbdr_statusOk);
    pbdrMassProperties p;
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 2.18, &p, NULL), pbdr_statusOk);
    CHECK_NEAR(p.volume, 0.002176, 0.5e-6); // to the digits known
    CHECK_NEAR(p.centre.z, 0.073, 0.5e-3);
    pbdrSphereSet set;
    CHECK_EQ(pbdrPackMesh(&mesh, 0.005, 2.18, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, 2191);
    int lowest = 0;
    for (int i = 0; i < set.count; i++) {
        lowest += set.positions[i].z == set.positions[0].z;
    }
    CHECK_EQ(lowest, 131);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void removeFolder(void)
{
    for (int i = 0; i < BOX_FILE_COUNT; i++) {
        remove(getPath(boxFiles[i].name));
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        remove(getPath(refusals[i].name));
    }
    remove(getPath("l.obj"));
    remove(getPath("secret.stl"));
    remove(folder);
}

int main(int argc, char** argv)
{
    if (mkdtemp(folder) == NULL) {
        printf("no folder for test files: %s\n", folder);
        return 1;
    }
    atexit(removeFolder);
    makeBoxFiles();
    CASES(argc, argv, {"meshfile__all_formats_give_the_same_mesh", meshfile__all_formats_give_the_same_mesh},
          {"meshfile__concave_polygons_are_cut_right", meshfile__concave_polygons_are_cut_right},
          {"meshfile__refuses_damage_with_a_reason", meshfile__refuses_damage_with_a_reason},
          {"meshfile__refuses_numbers_that_are_not_finite_in_binary_files",
           meshfile__refuses_numbers_that_are_not_finite_in_binary_files},
          {"meshfile__refuses_what_cannot_be_read_as_the_system_says",
           meshfile__refuses_what_cannot_be_read_as_the_system_says},
          {"meshfile__notices_a_file_cut_short_at_any_byte", meshfile__notices_a_file_cut_short_at_any_byte},
          {"meshfile__survives_random_damage", meshfile__survives_random_damage},
          {"meshfile__survives_failure_of_any_allocation", meshfile__survives_failure_of_any_allocation},
          {"meshfile__bunny_is_the_papers", meshfile__bunny_is_the_papers});
}
