// Mesh files: every format gives the same mesh, no damage goes unnoticed, nothing crashes. The files are
// written here.
#define _POSIX_C_SOURCE 200809L // mkdtemp, geteuid, truncate

#include "ledger.h"
#include "math/random.h"
#include "math/vec.h"
#include "pbdr/meshfile.h"
#include "written_files.h"

#include <sys/stat.h>

static pbdrStatus loadBytes(const char* name, const void* data, size_t size, pbdrMesh* mesh,
                            pbdrMeshReport* report, pbdrError* error)
{
    writeFile(name, data, size);
    return pbdrLoadMesh(getPath(name), NULL, mesh, report, error);
}

// --- A box in every format ---

// Exact in single precision and in few decimals. The first coordinate's low byte is a line feed (0x3f80000a),
// which some readers take for the end of a PLY heading.
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

// With properties and elements that some readers misread: comments and obj_info among properties, texture
// lists, edges.
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

// With normals and texture places, which do not matter.
static void makeMsh(Bytes* bytes)
{
    const uint64_t counts[] = {8, 1, 2, 12};
    for (int k = 0; k < 4; k++) {
        putInteger(bytes, counts[k], 4);
    }
    for (int i = 0; i < 24; i++) {
        putFloat(bytes, getCoordinate(i / 3, i % 3));
    }
    for (int i = 0; i < 3 + 4; i++) {
        putFloat(bytes, (double)NAN);
    }
    for (int i = 0; i < 36; i++) {
        int t = i / 3, k = i % 3;
        putInteger(bytes, (uint64_t)quads[t / 2][k == 0 ? 0 : k + t % 2], 4);
    }
}

typedef struct BoxFile {
    const char* name;
    Bytes bytes;
} BoxFile;

#define BOX_FILE_COUNT 12
static BoxFile boxFiles[BOX_FILE_COUNT] = {
    {.name = "box.obj"},    {.name = "odd.OBJ"},   {.name = "box.stl"},     {.name = "odd.Stl"},
    {.name = "binary.stl"}, {.name = "solid.stl"}, {.name = "box.ply"},     {.name = "odd.ply"},
    {.name = "little.ply"}, {.name = "big.PLY"},   {.name = "odd.big.ply"}, {.name = "box.msh"},
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
    makeMsh(&boxFiles[11].bytes);
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

#define PLY_HEADING(format, vertices, faces)                                                                 \
    "ply\nformat " format " 1.0\nelement vertex " vertices "\nproperty float x\nproperty float y\n"          \
    "property float z\nelement face " faces "\nproperty list uchar int vertex_indices\nend_header\n"

// --- Polygons ---

// Triangles of a polygon that do not overlap have its area: the sum of theirs is the length of their sum.
static double getOverlap(const pbdrMesh* mesh)
{
    pbdrVec3 sum = {0.0, 0.0, 0.0};
    double area = 0.0;
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int32_t* c = mesh->triangles[t];
        pbdrVec3 normal = pbdrCross(pbdrSub(mesh->vertices[c[1]], mesh->vertices[c[0]]),
                                    pbdrSub(mesh->vertices[c[2]], mesh->vertices[c[0]]));
        sum = pbdrAdd(sum, normal);
        area += pbdrLength(normal);
    }
    return area / pbdrLength(sum) - 1.0;
}

// Writes one face with these corners (of a plane that is turned by a random matrix) and loads it.
static pbdrStatus loadPolygon(const double (*places)[2], int count, uint64_t* seed, pbdrMesh* mesh,
                              pbdrMeshFileReport* report)
{
    pbdrVec3 a, b;
    do {
        a = pbdrVec(pbdrNextUniform(seed) - 0.5, pbdrNextUniform(seed) - 0.5, pbdrNextUniform(seed) - 0.5);
        b = pbdrVec(pbdrNextUniform(seed) - 0.5, pbdrNextUniform(seed) - 0.5, pbdrNextUniform(seed) - 0.5);
    } while (pbdrLength(pbdrCross(a, b)) < 0.1);
    FILE* file = fopen(getPath("polygon.obj"), "w");
    for (int i = 0; i < count; i++) {
        pbdrVec3 p = pbdrAdd(pbdrScale(places[i][0], a), pbdrScale(places[i][1], b));
        fprintf(file, "v %.17g %.17g %.17g\n", p.x, p.y, p.z);
    }
    fprintf(file, "f");
    for (int i = 1; i <= count; i++) {
        fprintf(file, " %d", i);
    }
    fprintf(file, "\n");
    fclose(file);
    return pbdrReadMeshFile(getPath("polygon.obj"), NULL, mesh, report, NULL);
}

static void polygon__star_shaped_ones_are_cut_without_overlap(void)
{
    // Corners at growing angles about a point, at any distance: simple, and most of them concave. Every third
    // one has corners in the middle of its sides, which no triangle may have all three of.
    uint64_t seed = 3;
    for (int round = 0; round < 600; round++) {
        int count = 4 + round % 40;
        double places[2 * 44][2];
        for (int i = 0; i < count; i++) {
            double angle = 2.0 * PBDR_PI * (i + 0.8 * pbdrNextUniform(&seed)) / count;
            double radius = 0.05 + pbdrNextUniform(&seed);
            places[i][0] = radius * cos(angle);
            places[i][1] = radius * sin(angle);
        }
        if (round % 3 == 0) {
            for (int i = count - 1; i >= 0; i--) {
                double next[2] = {places[i + 1 < count ? 2 * (i + 1) : 0][0],
                                  places[i + 1 < count ? 2 * (i + 1) : 0][1]};
                if (i + 1 == count) {
                    next[0] = places[0][0], next[1] = places[0][1];
                }
                double own[2] = {places[i][0], places[i][1]};
                places[2 * i + 1][0] = 0.5 * (own[0] + next[0]);
                places[2 * i + 1][1] = 0.5 * (own[1] + next[1]);
                places[2 * i][0] = own[0], places[2 * i][1] = own[1];
            }
            count *= 2;
        }
        pbdrMesh mesh;
        pbdrMeshFileReport report;
        CHECK_EQ(loadPolygon((const double(*)[2])places, count, &seed, &mesh, &report), pbdr_statusOk);
        CHECK_EQ(mesh.triangleCount, count - 2);
        CHECK_EQ(report.mesh.openEdges, count);
        CHECK_LE(getOverlap(&mesh), 1.0e-9);
        CHECK_EQ(report.crossedFaces, 0);
        CHECK_EQ(report.warning[0], 0);
        pbdrMesh_Free(&mesh);
    }
}

static void polygon__combs_and_spirals_are_cut_without_overlap(void)
{
    enum { TEETH = 300, TURNS = 400 };
    static double places[2 * TURNS + 4 * TEETH][2];
    uint64_t seed = 5;
    pbdrMesh mesh;
    pbdrMeshFileReport report;
    int count = 0;
    for (int i = 0; i < TEETH; i++) { // up, and down to nearly the back
        places[count][0] = i, places[count++][1] = 1.0;
        places[count][0] = i + 0.5, places[count++][1] = 0.01;
    }
    places[count][0] = TEETH, places[count++][1] = 0.0;
    places[count][0] = 0.0, places[count++][1] = 0.0;
    CHECK_EQ(loadPolygon((const double(*)[2])places, count, &seed, &mesh, &report), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount, count - 2);
    CHECK_LE(getOverlap(&mesh), 1.0e-9);
    CHECK_EQ(report.crossedFaces, 0);
    pbdrMesh_Free(&mesh);
    count = 2 * TURNS;
    for (int i = 0; i < TURNS; i++) { // outwards along one side, back along the other
        double angle = 0.1 * i, radius = 1.0 + 0.1 * angle;
        places[i][0] = (radius + 0.1) * cos(angle), places[i][1] = (radius + 0.1) * sin(angle);
        places[count - 1 - i][0] = radius * cos(angle), places[count - 1 - i][1] = radius * sin(angle);
    }
    CHECK_EQ(loadPolygon((const double(*)[2])places, count, &seed, &mesh, &report), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount, count - 2);
    CHECK_LE(getOverlap(&mesh), 1.0e-9);
    CHECK_EQ(report.crossedFaces, 0);
    pbdrMesh_Free(&mesh);
}

static void polygon__bent_crossed_and_flat_ones_keep_the_surface_closed(void)
{
    // A box whose top is a polygon that is bent, crosses itself, or has corners twice: whatever the
    // triangles, every edge of the polygon is used once, so the mesh is closed.
    static const struct {
        const char *top, *sides;
        int crossed;
    } cases[] = {
        {"v 0 0 1\nv 1 0 1.4\nv 1 1 1\nv 0 1 1.4\n", "f 5 6 7 8\n", 0},
        {"v 0 0 1\nv 1 0 9\nv 1 1 1\nv 0 1 9\n", "f 5 6 7 8\n", 0},
        {"v 0 0 1\nv 1 1 1\nv 1 0 1\nv 0 3 1\n", "f 5 6 7 8\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[400];
        snprintf(
            text, sizeof text,
            "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n%sf 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n%s",
            cases[i].top, cases[i].sides);
        pbdrMesh mesh;
        pbdrMeshFileReport report;
        writeFile("bent.obj", text, strlen(text));
        CHECK_EQ(pbdrReadMeshFile(getPath("bent.obj"), NULL, &mesh, &report, NULL), pbdr_statusOk);
        CHECK_EQ(mesh.triangleCount, 12);
        CHECK_EQ(report.mesh.openEdges + report.mesh.clashingEdges + report.mesh.crowdedEdges, 0);
        CHECK_EQ(report.crossedFaces > 0, cases[i].crossed);
        CHECK_EQ(report.warning[0] != 0, cases[i].crossed);
        pbdrMesh_Free(&mesh);
    }
    // This one crosses itself so that no ear is left; corners that are the same are no crossing.
    const char* crossed =
        "v 2 0 0\nv 2 3 0\nv 3 3 0\nv 1 0 0\nv 0 2 0\nv 0 1 0\nv 3 0 0\nf 1 2 3 4 3 5 6 7\n";
    const char* doubled =
        "v 0 0 0\nv 1 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 0\nf 1 2 3 3 4 5 6\nf 1 1 2 2\n";
    pbdrMesh mesh;
    pbdrMeshFileReport report;
    writeFile("crossed.obj", crossed, strlen(crossed));
    CHECK_EQ(pbdrReadMeshFile(getPath("crossed.obj"), NULL, &mesh, &report, NULL), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount + report.mesh.degenerateTriangles, 6);
    CHECK_EQ(report.crossedFaces, 1);
    CHECK_EQ(report.firstCrossed, 8);
    CHECK_TEXT(report.warning,
               "polygons that cross themselves are cut as well as can be: 1, the first in line 8");
    pbdrMesh_Free(&mesh);
    writeFile("doubled.obj", doubled, strlen(doubled));
    CHECK_EQ(pbdrReadMeshFile(getPath("doubled.obj"), NULL, &mesh, &report, NULL), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount, 2);
    CHECK_EQ(report.mesh.openEdges, 4);
    CHECK_EQ(report.crossedFaces, 0);
    pbdrMesh_Free(&mesh);
}

static void polygon__of_two_corners_is_left_out_with_a_warning(void)
{
    const char* obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\nf 1 2 3\nf 3\n";
    pbdrMesh mesh;
    pbdrMeshFileReport report;
    writeFile("two.obj", obj, strlen(obj));
    CHECK_EQ(pbdrReadMeshFile(getPath("two.obj"), NULL, &mesh, &report, NULL), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount, 1);
    CHECK_EQ(report.skippedFaces, 2);
    CHECK_EQ(report.firstSkipped, 4);
    CHECK(strcmp(report.warning, "faces of fewer than 3 corners are left out: 2, the first in line 4") == 0);
    pbdrMesh_Free(&mesh);
    Bytes ply = {.size = 0};
    putText(&ply, PLY_HEADING("binary_little_endian", "3", "2"));
    for (int i = 0; i < 9; i++) {
        putFloat(&ply, i == 3 || i == 7);
    }
    for (int i = 0; i < 2; i++) {
        putInteger(&ply, i == 0 ? 3 : 1, 1);
        for (uint64_t k = 0; k < (i == 0 ? 3 : 1); k++) {
            putInteger(&ply, k, 4);
        }
    }
    writeFile("two.ply", ply.data, ply.size);
    CHECK_EQ(pbdrReadMeshFile(getPath("two.ply"), NULL, &mesh, &report, NULL), pbdr_statusOk);
    CHECK_TEXT(report.warning, "left out: 1, the first is face 1");
    pbdrMesh_Free(&mesh);
}

// --- Precision ---

static void meshfile__text_is_read_to_the_nearest_double(void)
{
    uint64_t seed = 17;
    for (int i = 0; i < 300; i++) {
        char text[1000];
        double x[9];
        for (int k = 0; k < 9; k++) {
            x[k] = ldexp(pbdrNextUniform(&seed) - 0.5, (int)(pbdrNextBits(&seed) % 60) - 30);
        }
        snprintf(text, sizeof text,
                 "%sv %.17g %.17g %.17g\nv %.17g %.17g %.17g\nv %.17g %.17g %.17g\nf 1 2 3\n", "", x[0], x[1],
                 x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
        pbdrMesh mesh;
        CHECK_EQ(loadBytes("digits.obj", text, strlen(text), &mesh, NULL, NULL), pbdr_statusOk);
        CHECK(memcmp(mesh.vertices, x, sizeof x) == 0);
        pbdrMesh_Free(&mesh);
        snprintf(text, sizeof text,
                 "solid\nfacet normal 0 0 0\nouter loop\nvertex %.17g %.17g %.17g\nvertex %.17g %.17g %.17g\n"
                 "vertex %.17g %.17g %.17g\nendloop\nendfacet\nendsolid\n",
                 x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
        CHECK_EQ(loadBytes("digits.stl", text, strlen(text), &mesh, NULL, NULL), pbdr_statusOk);
        CHECK(memcmp(mesh.vertices, x, sizeof x) == 0);
        pbdrMesh_Free(&mesh);
        snprintf(text, sizeof text, "%s%.17g %.17g %.17g\n%.17g %.17g %.17g\n%.17g %.17g %.17g\n3 0 1 2\n",
                 PLY_HEADING("ascii", "3", "1"), x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8]);
        CHECK_EQ(loadBytes("digits.ply", text, strlen(text), &mesh, NULL, NULL), pbdr_statusOk);
        CHECK(memcmp(mesh.vertices, x, sizeof x) == 0);
        pbdrMesh_Free(&mesh);
    }
}

static void stl__corners_that_agree_in_single_precision_are_one(void)
{
    // A tetrahedron whose corners are printed with more digits than are meant: each facet has its own last
    // digits.
    static const int facets[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
    static const double corners[4][3] = {{0.1, 0.2, 0.3}, {1.1, 0.2, 0.3}, {0.1, 1.2, 0.3}, {0.1, 0.2, 1.3}};
    Bytes bytes = {.size = 0};
    putText(&bytes, "solid\n");
    for (int t = 0; t < 4; t++) {
        putText(&bytes, "facet normal 0 0 0\nouter loop\n");
        for (int k = 0; k < 3; k++) {
            char line[120];
            const double* c = corners[facets[t][k]];
            snprintf(line, sizeof line, "vertex %.17g %.17g %.17g\n", c[0] + 1.0e-12 * t, c[1] - 1.0e-12 * t,
                     c[2]);
            putText(&bytes, line);
        }
        putText(&bytes, "endloop\nendfacet\n");
    }
    putText(&bytes, "endsolid\n");
    pbdrMesh mesh;
    pbdrMeshReport report;
    CHECK_EQ(loadBytes("digits.stl", bytes.data, bytes.size, &mesh, &report, NULL), pbdr_statusOk);
    CHECK_EQ(mesh.vertexCount, 4);
    CHECK_EQ(report.openEdges, 0);
    CHECK(mesh.vertices[0].x == 0.1 && mesh.vertices[0].y == 0.2); // the first's own digits
    pbdrMesh_Free(&mesh);
}

// --- assimp ---

static const char dae[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" "
    "version=\"1.4.1\">"
    "<asset><unit meter=\"1\" name=\"meter\"/><up_axis>Z_UP</up_axis></asset><library_geometries>"
    "<geometry id=\"g\"><mesh><source id=\"p\"><float_array id=\"a\" count=\"12\">0 0 0 1 0 0 0 2 0 0 0 3"
    "</float_array><technique_common><accessor source=\"#a\" count=\"4\" stride=\"3\">"
    "<param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/><param name=\"Z\" type=\"float\"/>"
    "</accessor></technique_common></source><vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/>"
    "</vertices><triangles count=\"4\"><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/>"
    "<p>0 2 1 0 1 3 1 2 3 0 3 2</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><translate>0 0 5</translate>"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static void assimp__reads_collada_along_its_own_axes_or_says_what_lacks(void)
{
    pbdrMesh mesh;
    pbdrError error = {0};
    pbdrStatus status = loadBytes("tetrahedron.DAE", dae, sizeof dae - 1, &mesh, NULL, &error);
    if (status == pbdr_statusNotSupported) {
        CHECK_TEXT(error.message, "tetrahedron.DAE: this format needs assimp: install libassimp-dev");
        SKIP("built without assimp (Debian: libassimp-dev)");
    }
    CHECK_EQ(status, pbdr_statusOk);
    CHECK_EQ(mesh.vertexCount, 4);
    CHECK_EQ(mesh.triangleCount, 4);
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(&mesh, &lower, &upper);
    CHECK(lower.x == 0.0 && lower.y == 0.0 && lower.z == 5.0);
    CHECK(upper.x == 1.0 && upper.y == 2.0 && upper.z == 8.0);
    pbdrMesh_Free(&mesh);
    const char* off = "OFF\n4 4 6\n0 0 0\n1 0 0\n0 2 0\n0 0 3\n3 0 2 1\n3 0 1 3\n3 1 2 3\n3 0 3 2\n";
    CHECK_EQ(loadBytes("tetrahedron.off", off, strlen(off), &mesh, NULL, &error), pbdr_statusOk);
    CHECK_EQ(mesh.triangleCount, 4);
    pbdrMesh_Free(&mesh);
    CHECK_EQ(loadBytes("damaged.dae", dae, sizeof dae / 2, &mesh, NULL, &error), pbdr_statusFileFormat);
    CHECK_TEXT(error.message, "damaged.dae: assimp: ");
    CHECK(mesh.vertices == NULL);
}

// --- Damage ---

typedef struct Refusal {
    const char* name;
    const char* text;
    pbdrStatus status;
    const char* reason; // that the message contains
} Refusal;

static const Refusal refusals[] = {
    {"empty.obj", "", pbdr_statusFileFormat, "0 bytes"},
    {"empty.ply", "", pbdr_statusFileFormat, "0 bytes"},
    {"box.3ds", "v 0 0 0", pbdr_statusFileFormat, "none of .obj, .stl, .ply, .msh"},
    {"obj", "v 0 0 0", pbdr_statusFileFormat, "none of .obj, .stl, .ply, .msh"},
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
    {"two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", pbdr_statusMeshBroken, "no triangles, only 3 vertices"},
    {"short.obj", "v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat, "line 2: coordinate \"\""},
    {"nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat,
     "line 2: coordinate \"nan\""},
    {"inf.obj", "v 0 0 0\nv 1 1e39 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat, "line 2: coordinate 1e+39"},
    {"over.obj", "v 0 0 0\nv 1 -1e999 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat,
     "line 2: coordinate -inf"},
    {"comma.obj", "v 0 0 0\nv 1 0,5 0\nv 0 1 0\nf 1 2 3\n", pbdr_statusFileFormat,
     "line 2: coordinate \"0,5\""},
    {"curve.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\ncurv 0 1 1 2\n", pbdr_statusFileFormat,
     "line 5: \"curv\""},
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
     pbdr_statusFileFormat, "with one x, one y and one z"},
    {"extra.ply", PLY_HEADING("ascii", "3", "1") "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n\n3 0 2 1\n",
     pbdr_statusFileFormat, "line 15: \"3\" beyond the last element"},
    {"rest.ply", PLY_HEADING("binary_little_endian", "0", "0") "abc", pbdr_statusFileFormat,
     "3 bytes beyond"},
    {"short.ply", PLY_HEADING("binary_big_endian", "2", "0") "abcdefghijklmno", pbdr_statusFileFormat,
     "vertex 1: the file is cut short"},
    {"late.ply",
     "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nelement vertex 3\n"
     "property float x\nproperty float y\nproperty float z\nend_header\n3 0 1 2\n0 0 0\n1 0 0\n0 1 0\n",
     pbdr_statusFileFormat, "faces before the vertices"},
    {"lists.ply",
     "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
     "element face 1\nproperty list uchar float vertex_indices\nend_header\n0 0 0\n3 0 0 0\n",
     pbdr_statusFileFormat, "1 elements \"face\" with 0 lists"},
    {"gmsh.msh", "$MeshFormat\n4.1 0 8\n", pbdr_statusFileFormat, "Gmsh's is not read"},
    {"short.msh", "abc", pbdr_statusFileFormat, "3 bytes; as MuJoCo's MSH"},
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
    CHECK_TEXT(error.message, "facet 0: coordinate ");
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
        damageBytes(&bytes, &seed, i);
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
            CHECK(!done ||
                  failAt >
                      10); // file, vertices, triangles, corners and links of OBJ and PLY, 8 in pbdrCreateMesh
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

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    makeBoxFiles();
    CASES(argc, argv, {"meshfile__all_formats_give_the_same_mesh", meshfile__all_formats_give_the_same_mesh},
          {"meshfile__concave_polygons_are_cut_right", meshfile__concave_polygons_are_cut_right},
          {"polygon__star_shaped_ones_are_cut_without_overlap",
           polygon__star_shaped_ones_are_cut_without_overlap},
          {"polygon__combs_and_spirals_are_cut_without_overlap",
           polygon__combs_and_spirals_are_cut_without_overlap},
          {"polygon__bent_crossed_and_flat_ones_keep_the_surface_closed",
           polygon__bent_crossed_and_flat_ones_keep_the_surface_closed},
          {"polygon__of_two_corners_is_left_out_with_a_warning",
           polygon__of_two_corners_is_left_out_with_a_warning},
          {"meshfile__text_is_read_to_the_nearest_double", meshfile__text_is_read_to_the_nearest_double},
          {"stl__corners_that_agree_in_single_precision_are_one",
           stl__corners_that_agree_in_single_precision_are_one},
          {"assimp__reads_collada_along_its_own_axes_or_says_what_lacks",
           assimp__reads_collada_along_its_own_axes_or_says_what_lacks},
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
