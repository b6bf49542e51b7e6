// Point cloud files: every format gives the same points, damage is refused with the file, line and value, and
// nothing crashes. The files are written here.
#define _POSIX_C_SOURCE 200809L // mkdtemp, truncate

#include "ledger.h"
#include "pbdr/meshfile.h"
#include "written_files.h"

// A file of the points below.
typedef struct CloudFile {
    const char* name;
    bool hasNormals, isCounted; // normals are in it; the number of points, too
    Bytes bytes;
} CloudFile;

// --- The same points in every format ---

#define POINT_COUNT 5
// Exact in single precision and in few decimals.
static const double rows[POINT_COUNT][6] = {{0.5, -0.25, 1.0, 1.0, 0.0, 0.0},
                                            {-1.5, 3.0, 0.0, 0.0, -1.0, 0.0},
                                            {100.0, 0.125, -7.0, 0.0, 0.0, 1.0},
                                            {0.0, 0.0, 0.0, 0.0, 0.0, -1.0},
                                            {2.0, 4.0, 8.0, -1.0, 0.0, 0.0}};

#define FILE_COUNT 9
static CloudFile files[FILE_COUNT];

static void putRows(Bytes* bytes, const char* before, const char* between, const char* after, int columns)
{
    for (int i = 0; i < POINT_COUNT; i++) {
        putText(bytes, before);
        for (int k = 0; k < columns; k++) {
            char number[40];
            snprintf(number, sizeof number, "%s%.10g", k > 0 ? between : "", rows[i][k]);
            putText(bytes, number);
        }
        putText(bytes, after);
    }
}

static void putHeading(Bytes* bytes, const char* format, const char* type, bool hasNormals)
{
    char text[600];
    snprintf(text, sizeof text,
             "ply\nformat %s 1.0\ncomment a cloud\nelement vertex %d\nproperty %s x\nproperty %s y\nproperty "
             "uchar red\n"
             "property %s z\n",
             format, POINT_COUNT, type, type, type);
    putText(bytes, text);
    if (hasNormals) {
        snprintf(text, sizeof text, "property %s nx\nproperty %s ny\nproperty %s nz\n", type, type, type);
        putText(bytes, text);
    }
    putText(bytes, "element face 1\nproperty list uchar int vertex_indices\nend_header\n");
}

static void putBinary(CloudFile* file, bool isDouble, bool bigEndian)
{
    Bytes* bytes = &file->bytes;
    bytes->bigEndian = bigEndian;
    putHeading(bytes, bigEndian ? "binary_big_endian" : "binary_little_endian", isDouble ? "double" : "float",
               file->hasNormals);
    for (int i = 0; i < POINT_COUNT; i++) {
        for (int k = 0; k < (file->hasNormals ? 6 : 3); k++) {
            if (k == 2) {
                putInteger(bytes, 200, 1);
            }
            (isDouble ? putDouble : putFloat)(bytes, rows[i][k]);
        }
    }
    putInteger(bytes, 2, 1); // a face of two corners, one of them nowhere: faces do not matter
    putInteger(bytes, 0, 4);
    putInteger(bytes, 99, 4);
}

static void putTextPly(CloudFile* file)
{
    Bytes* bytes = &file->bytes;
    putHeading(bytes, "ascii", "float", file->hasNormals);
    for (int i = 0; i < POINT_COUNT; i++) {
        char line[200];
        const double* r = rows[i];
        snprintf(line, sizeof line, file->hasNormals ? "%g %g 7 %g %g %g %g\n" : "%g %g 7 %g\n", r[0], r[1],
                 r[2], r[3], r[4], r[5]);
        putText(bytes, line);
    }
    putText(bytes, "2 0 99\n");
}

static void makeFiles(void)
{
    files[0] = (CloudFile){.name = "a.xyz"};
    putRows(&files[0].bytes, "", " ", "\n", 3);
    files[1] = (CloudFile){.name = "b.TXT", .hasNormals = true};
    putText(&files[1].bytes, "# x y z nx ny nz\r\n\r\n");
    putRows(&files[1].bytes, "  ", "\t", " # a comment\r\n", 6);
    files[2] = (CloudFile){.name = "c.pts", .isCounted = true};
    putText(&files[2].bytes, "5\n");
    putRows(&files[2].bytes, "", " ", " -1200 255 0 31\n", 3);
    files[3] = (CloudFile){.name = "d.pts", .hasNormals = true, .isCounted = true};
    putText(&files[3].bytes, "5\n");
    putRows(&files[3].bytes, "", " ", "\n", 6);
    files[4] = (CloudFile){.name = "e.ply", .isCounted = true};
    putTextPly(&files[4]);
    files[5] = (CloudFile){.name = "f.ply", .hasNormals = true, .isCounted = true};
    putTextPly(&files[5]);
    files[6] = (CloudFile){.name = "g.ply", .isCounted = true};
    putBinary(&files[6], false, false);
    files[7] = (CloudFile){.name = "h.ply", .hasNormals = true, .isCounted = true};
    putBinary(&files[7], true, true);
    files[8] = (CloudFile){.name = "i.ply", .hasNormals = true, .isCounted = true};
    putBinary(&files[8], false, true);
}

static pbdrStatus loadBytes(const char* name, const void* data, size_t size, pbdrPointCloud* cloud,
                            pbdrError* error)
{
    writeFile(name, data, size);
    return pbdrLoadPointCloud(getPath(name), NULL, cloud, error);
}

static bool areRows(const pbdrPointCloud* cloud, bool hasNormals)
{
    bool good = cloud->count == POINT_COUNT && (cloud->normals != NULL) == hasNormals;
    for (int i = 0; i < POINT_COUNT && good; i++) {
        pbdrVec3 p = cloud->points[i], n = hasNormals ? cloud->normals[i] : (pbdrVec3){0.0, 0.0, 0.0};
        good = p.x == rows[i][0] && p.y == rows[i][1] && p.z == rows[i][2];
        good = good && (!hasNormals || (n.x == rows[i][3] && n.y == rows[i][4] && n.z == rows[i][5]));
    }
    return good;
}

static void cloudfile__all_formats_give_the_same_points(void)
{
    for (int i = 0; i < FILE_COUNT; i++) {
        pbdrPointCloud cloud;
        pbdrError error = {0};
        pbdrStatus status =
            loadBytes(files[i].name, files[i].bytes.data, files[i].bytes.size, &cloud, &error);
        if (status != pbdr_statusOk) {
            printf("    %s\n", error.message);
        }
        CHECK_EQ(status, pbdr_statusOk);
        CHECK(areRows(&cloud, files[i].hasNormals));
        pbdrPointCloud_Free(&cloud);
    }
}

static void cloudfile__keeps_double_precision(void)
{
    pbdrPointCloud cloud;
    const char text[] = "1234567.0123456 -0.1 1e-3\n";
    CHECK_EQ(loadBytes("a.xyz", text, sizeof text - 1, &cloud, NULL), pbdr_statusOk);
    CHECK(cloud.points[0].x == 1234567.0123456 && cloud.points[0].y == -0.1 && cloud.points[0].z == 1e-3);
    pbdrPointCloud_Free(&cloud);
}

// --- Damage ---

#define PLY(properties) "ply\nformat ascii 1.0\nelement vertex 1\n" properties "end_header\n"
#define XYZ "property float x\nproperty float y\nproperty float z\n"

typedef struct Refusal {
    const char *name, *text;
    pbdrStatus status;
    const char* reason;
} Refusal;

static const Refusal refusals[] = {
    {"a.xyz", "", pbdr_statusFileFormat, "0 bytes"},
    {"a.xyz", "# nothing\n\n", pbdr_statusMeshBroken, "no points"},
    {"a.las", "0 0 0\n", pbdr_statusFileFormat, "none of .ply, .xyz, .txt and .pts"},
    {"xyz", "0 0 0\n", pbdr_statusFileFormat, "none of .ply, .xyz, .txt and .pts"},
    {"a.xyz", "0 0 0\n1 2 x3\n", pbdr_statusFileFormat, "line 2: \"x3\" is not a number"},
    {"a.xyz", "0 0 0\n\n1 nan 2\n", pbdr_statusFileFormat, "line 3: \"nan\" is not a number"},
    {"a.xyz", "0 0 0\n1 1e999 2\n", pbdr_statusFileFormat, "line 2: \"1e999\" is not finite"},
    {"a.xyz", "0,0,0\n", pbdr_statusFileFormat, "line 1: \"0,0,0\" is not a number"},
    {"a.xyz", "0 0\n", pbdr_statusFileFormat, "line 1: 2 values"},
    {"a.xyz", "0 0 0 0 0\n", pbdr_statusFileFormat, "line 1: 5 values"},
    {"a.xyz", "0 0 0 0 0 0 0 0\n", pbdr_statusFileFormat, "line 1: more than 7 values"},
    {"a.xyz", "0 0 0\n1 1\n", pbdr_statusFileFormat, "line 2: 2 values, the lines before have 3"},
    {"a.txt", "0 0 0 255 128 0\n", pbdr_statusFileFormat, "line 1: (255, 128, 0) is no normal"},
    {"a.pts", "3\n0 0 0\n1 1 1\n", pbdr_statusFileFormat, "2 points, the first line says 3"},
    {"a.pts", "-3\n0 0 0\n", pbdr_statusFileFormat, "line 1: -3 is no number of points"},
    {"a.pts", "0 0 0\n7\n", pbdr_statusFileFormat, "line 2: 1 values, the lines before have 3"},
    {"a.ply", "once\n", pbdr_statusFileFormat, "line 1: \"once\" in place of \"ply\""},
    {"a.ply", PLY("property float x\n") "0\n", pbdr_statusFileFormat, "one x, one y and one z"},
    {"a.ply", PLY(XYZ "property float nx\n") "0 0 0 1\n", pbdr_statusFileFormat, "1 nx, 0 ny, 0 nz"},
    {"a.ply", PLY(XYZ) "0 0 inf\n", pbdr_statusFileFormat, "line 8: coordinate \"inf\" is not a number"},
    {"a.ply", PLY(XYZ) "0 0\n", pbdr_statusFileFormat, "line 8: fewer values"},
    {"a.ply", PLY(XYZ) "0 0 0 0\n", pbdr_statusFileFormat, "line 8: more values"},
    {"a.ply", PLY(XYZ) "", pbdr_statusFileFormat, "cut short"},
    {"a.ply", PLY(XYZ "property float nx\nproperty float ny\nproperty float nz\n") "1 2 3 0 0 0\n",
     pbdr_statusFileFormat, "line 11: normal (0, 0, 0) is no direction"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 0\n" XYZ "end_header\n", pbdr_statusMeshBroken,
     "no points"},
};

static void cloudfile__refuses_damage_with_file_line_and_value(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        const Refusal* r = &refusals[i];
        pbdrPointCloud cloud;
        pbdrError error = {0};
        memset(&cloud, 0xff, sizeof cloud);
        CHECK_EQ(loadBytes(r->name, r->text, strlen(r->text), &cloud, &error), r->status);
        CHECK_EQ(error.status, r->status);
        CHECK_TEXT(error.message, r->reason);
        CHECK(strstr(error.message, getPath(r->name)) == error.message);
        CHECK(cloud.points == NULL && cloud.normals == NULL && cloud.count == 0);
    }
    pbdrPointCloud cloud;
    pbdrError error = {0};
    CHECK_EQ(pbdrLoadPointCloud(getPath("missing.ply"), NULL, &cloud, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "missing.ply: No such file or directory");
}

static void cloudfile__refuses_numbers_that_are_not_finite_in_binary_files(void)
{
    Bytes bytes = files[6].bytes;
    pbdrPointCloud cloud;
    pbdrError error = {0};
    memset(bytes.data + bytes.size - 9 - 2 * 13, 0xff, 4); // x of the last point but one
    CHECK_EQ(loadBytes("nan.ply", bytes.data, bytes.size, &cloud, &error), pbdr_statusFileFormat);
    CHECK_TEXT(error.message, "vertex 3: coordinate ");
}

static void cloudfile__notices_a_file_cut_short_at_any_byte(void)
{
    // Files that say how many points they have are refused, or only the last number is shorter. A plain list
    // may end anywhere: what was read is a beginning of it.
    for (int i = 0; i < FILE_COUNT; i++) {
        for (size_t size = files[i].bytes.size; size-- > 0;) {
            pbdrPointCloud cloud;
            if (loadBytes(files[i].name, files[i].bytes.data, size, &cloud, NULL) == pbdr_statusOk) {
                CHECK(files[i].isCounted ? cloud.count == POINT_COUNT : cloud.count <= POINT_COUNT);
                for (int k = 0; k + 1 < cloud.count; k++) {
                    CHECK(cloud.points[k].x == rows[k][0] && cloud.points[k].z == rows[k][2]);
                }
            }
            pbdrPointCloud_Free(&cloud);
        }
    }
}

static void cloudfile__survives_random_damage(void)
{
    // One to four bytes changed: any result will do, but no crash, and a cloud that keeps its promises.
    uint64_t seed = 11;
    for (int i = 0; i < 4000; i++) {
        Bytes bytes = files[i % FILE_COUNT].bytes;
        damageBytes(&bytes, &seed, i);
        pbdrPointCloud cloud;
        if (loadBytes(files[i % FILE_COUNT].name, bytes.data, bytes.size, &cloud, NULL) == pbdr_statusOk) {
            CHECK(cloud.count > 0);
            for (int k = 0; k < cloud.count; k++) {
                CHECK(isfinite(cloud.points[k].x) && isfinite(cloud.points[k].y) &&
                      isfinite(cloud.points[k].z));
            }
        }
        pbdrPointCloud_Free(&cloud);
    }
}

static void cloudfile__survives_failure_of_any_allocation(void)
{
    for (int i = 0; i < FILE_COUNT; i++) {
        pbdrPointCloud cloud;
        CHECK_EQ(loadBytes(files[i].name, files[i].bytes.data, files[i].bytes.size, &cloud, NULL),
                 pbdr_statusOk);
        pbdrPointCloud_Free(&cloud);
        bool done = false;
        for (int failAt = 1; !done; failAt++) {
            Ledger memory = {.failAt = failAt};
            pbdrHooks hooks = makeHooks(&memory);
            pbdrError error = {0};
            pbdrStatus status = pbdrLoadPointCloud(getPath(files[i].name), &hooks, &cloud, &error);
            done = status == pbdr_statusOk;
            CHECK(done || (status == pbdr_statusNoMemory && strstr(error.message, "no memory") != NULL));
            CHECK(!done || (failAt > 5 && areRows(&cloud, files[i].hasNormals)));
            pbdrPointCloud_Free(&cloud);
            CHECK_EQ(memory.bytes, 0);
        }
    }
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    makeFiles();
    CASES(
        argc, argv,
        {"cloudfile__all_formats_give_the_same_points", cloudfile__all_formats_give_the_same_points},
        {"cloudfile__keeps_double_precision", cloudfile__keeps_double_precision},
        {"cloudfile__refuses_damage_with_file_line_and_value",
         cloudfile__refuses_damage_with_file_line_and_value},
        {"cloudfile__refuses_numbers_that_are_not_finite_in_binary_files",
         cloudfile__refuses_numbers_that_are_not_finite_in_binary_files},
        {"cloudfile__notices_a_file_cut_short_at_any_byte", cloudfile__notices_a_file_cut_short_at_any_byte},
        {"cloudfile__survives_random_damage", cloudfile__survives_random_damage},
        {"cloudfile__survives_failure_of_any_allocation", cloudfile__survives_failure_of_any_allocation});
}
