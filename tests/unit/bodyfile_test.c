// Body files: what is written reads back bit for bit, MorphIt's files are read, bad ones are refused with key
// and value, damaged ones never do harm.
#define _POSIX_C_SOURCE 200809L
#include "pbdr/bodyfile.h"

#include "check.h"
#include "ledger.h"
#include "meshes.h"

#include <unistd.h>

static char path[] = "/tmp/pbdr_bodyfile_XXXXXX";

static void putFile(const void* data, size_t size)
{
    FILE* file = fopen(path, "wb");
    CHECK(file != NULL && fwrite(data, 1, size, file) == size);
    CHECK(file != NULL && fclose(file) == 0);
}

static pbdrStatus loadText(const char* text, pbdrBodyFile* body, pbdrError* error)
{
    putFile(text, strlen(text));
    return pbdrLoadBodyFile(path, NULL, body, error);
}

// A packed box with everything that a file can hold; the masses need extra inertia if thin is set.
static pbdrBodyFile makeBody(bool thin)
{
    pbdrBodyFile body = {0};
    pbdrVec3 lower = {0.1, -0.2, 0.0}, upper = {0.4, 0.1, thin ? 0.1 : 0.3};
    pbdrMesh mesh = makeBoxMesh(lower, upper);
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 3.7, &body.solid, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrPackMesh(&mesh, 0.05, 3.7, NULL, &body.spheres, NULL), pbdr_statusOk);
    for (int i = 0; thin && i < body.spheres.count; i++) {
        body.spheres.positions[i].z = 0.05; // one layer
    }
    CHECK_EQ(pbdrSphereSet_FitMasses(&body.spheres, &body.solid, &body.fit, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrFindBoxNormals(&body.spheres, lower, upper, 1e-9, NULL, &body.normals, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMeasurePacking(&mesh, &body.spheres, 1000, 1, NULL, &body.quality, NULL), pbdr_statusOk);
    body.extraInertia = body.fit.extraInertia;
    body.hasMasses = body.hasSolid = body.hasQuality = body.exactMasses = true;
    body.inertiaErrorBefore = 1.0 / 3.0;
    body.inertiaErrorAfter = 1e-16;
    body.origin = (pbdrBodyOrigin){.mesh = "a \"quoted\"\\path\n.stl",
                                   .meshSize = 14684,
                                   .meshSha256 = "4a22",
                                   .scale = {1.0 / 3.0, 2.0, 3.0},
                                   .shift = {-0.1, 0.0, 7.0},
                                   .options = "--count 7",
                                   .version = "0.1.0",
                                   .seed = 5};
    pbdrMesh_Free(&mesh);
    return body;
}

static void writeBody(const pbdrBodyFile* body)
{
    FILE* file = fopen(path, "w");
    CHECK_EQ(pbdrBodyFile_Write(body, file, NULL), pbdr_statusOk);
    CHECK_EQ(fclose(file), 0);
}

static bool areSame(const pbdrBodyFile* a, const pbdrBodyFile* b)
{
    size_t n = (size_t)a->spheres.count;
    return a->spheres.count == b->spheres.count &&
           memcmp(a->spheres.positions, b->spheres.positions, n * sizeof *a->spheres.positions) == 0 &&
           memcmp(a->spheres.radii, b->spheres.radii, n * sizeof *a->spheres.radii) == 0 &&
           memcmp(a->spheres.masses, b->spheres.masses, n * sizeof *a->spheres.masses) == 0 &&
           memcmp(&a->solid, &b->solid, sizeof a->solid) == 0 &&
           memcmp(&a->extraInertia, &b->extraInertia, sizeof a->extraInertia) == 0;
}

// -0 is written as 0, which is equal but has other bits.
static void dropSigns(pbdrBodyFile* body)
{
    for (int i = 0; i < 9; i++) {
        body->solid.inertia.m[i / 3][i % 3] += 0.0;
        body->extraInertia.m[i / 3][i % 3] += 0.0;
    }
    for (int i = 0; i < body->spheres.count; i++) {
        body->spheres.positions[i] = pbdrAdd(body->spheres.positions[i], pbdrVec(0.0, 0.0, 0.0));
    }
}

static void checkRoundTrip(bool thin)
{
    pbdrBodyFile body = makeBody(thin), back;
    dropSigns(&body);
    writeBody(&body);
    pbdrError error = {0};
    CHECK_EQ(pbdrLoadBodyFile(path, NULL, &back, &error), pbdr_statusOk);
    CHECK(areSame(&body, &back));
    CHECK(back.hasMasses && back.hasSolid && back.hasQuality && back.exactMasses);
    CHECK_EQ(back.fit.rung, body.fit.rung);
    CHECK_EQ(back.normals.sphereCount, body.normals.sphereCount);
    int total = body.normals.firsts[body.normals.sphereCount];
    CHECK_EQ(back.normals.firsts[back.normals.sphereCount], total);
    for (int k = 0; k < total; k++) {
        CHECK_EQ(pbdrLength(pbdrSub(back.normals.normals[k], body.normals.normals[k])), 0.0);
    }
    CHECK_EQ(back.quality.meanGap, body.quality.meanGap);
    CHECK_EQ(back.quality.margin, body.quality.margin);
    CHECK_EQ(back.quality.supportCount, body.quality.supportCount);
    CHECK_EQ(pbdrPackingQuality_GetReach(&back.quality, pbdrVec(1.0, 0.5, 0.0)),
             pbdrPackingQuality_GetReach(&body.quality, pbdrVec(1.0, 0.5, 0.0)));
    CHECK_EQ(back.inertiaErrorBefore, body.inertiaErrorBefore);
    CHECK(strcmp(back.origin.mesh, body.origin.mesh) == 0);
    CHECK(strcmp(back.origin.options, body.origin.options) == 0);
    CHECK_EQ(back.origin.meshSize, 14684);
    CHECK_EQ(back.origin.scale.x, 1.0 / 3.0);
    CHECK_EQ(back.origin.seed, 5);
    pbdrBodyFile_Free(&body);
    pbdrBodyFile_Free(&back);
}

static void bodyfile__reads_back_the_same_bits(void)
{
    checkRoundTrip(false);
    checkRoundTrip(true);
}

static void bodyfile__keeps_the_solids_moments(void)
{
    // Point masses plus extra inertia have the solid's mass, centre and inertia (docs/theory/masses.md).
    for (int thin = 0; thin < 2; thin++) {
        pbdrBodyFile body = makeBody(thin == 1), back;
        writeBody(&body);
        CHECK_EQ(pbdrLoadBodyFile(path, NULL, &back, NULL), pbdr_statusOk);
        pbdrMassProperties own = pbdrSphereSet_GetMassProperties(&back.spheres);
        for (int i = 0; i < 9; i++) {
            own.inertia.m[i / 3][i % 3] += back.extraInertia.m[i / 3][i % 3];
        }
        CHECK_EQ(back.fit.rung == pbdr_massesExtraInertia, thin == 1);
        CHECK_LE(fabs(own.mass / back.solid.mass - 1.0), 1e-12);
        CHECK_LE(pbdrLength(pbdrSub(own.centre, back.solid.centre)), 1e-12 * 0.3);
        CHECK_LE(pbdrGetInertiaError(&own.inertia, &back.solid.inertia), 1e-12);
        pbdrBodyFile_Free(&body);
        pbdrBodyFile_Free(&back);
    }
}

static void morphit__masses_go_by_volume(void)
{
    pbdrBodyFile body;
    pbdrError error = {0};
    const char* text =
        "{\"centers\": [[0, 0, 0], [1, 0, 0]], \"radii\": [0.1, 0.2], \"config\": {\"a\": [null]}}";
    CHECK_EQ(loadText(text, &body, &error), pbdr_statusOk);
    CHECK(!body.hasMasses && !body.hasSolid && !body.hasQuality);
    CHECK_NEAR(body.spheres.masses[0], PBDR_DEFAULT_DENSITY * 4.0 / 3.0 * PBDR_PI * 1e-3, 1e-12);
    CHECK_NEAR(body.spheres.masses[1] / body.spheres.masses[0], 8.0, 1e-14);
    // What is said of the solid is the spheres' own: M, 8/9 of the way, m1 m2/M d^2.
    CHECK_NEAR(body.solid.mass, 9.0 * body.spheres.masses[0], 1e-12);
    CHECK_NEAR(body.solid.centre.x, 8.0 / 9.0, 1e-15);
    CHECK_NEAR(body.solid.inertia.m[2][2], 8.0 / 9.0 * body.spheres.masses[0], 1e-12);
    CHECK_EQ(body.normals.sphereCount, 0);
    pbdrBodyFile_Free(&body);
    // With a mass they share it.
    CHECK_EQ(loadText("{\"centers\": [[0,0,0],[1,0,0]], \"radii\": [1, 2], \"mass\": 18}", &body, &error),
             pbdr_statusOk);
    CHECK_NEAR(body.spheres.masses[0], 2.0, 1e-15);
    CHECK_NEAR(body.spheres.masses[1], 16.0, 1e-14);
    CHECK(!body.hasSolid);
    pbdrBodyFile_Free(&body);
}

static void normals__rounded_ones_become_unit_vectors(void)
{
    pbdrBodyFile body;
    const char* text = "{\"centers\": [[0,0,0],[1,0,0]], \"radii\": [1, 2], "
                       "\"face_normals\": [[], [[0.7071, 0.7071, 0], [0, 0, -1]]]}";
    CHECK_EQ(loadText(text, &body, NULL), pbdr_statusOk);
    CHECK_EQ(body.normals.firsts[1], 0);
    CHECK_EQ(body.normals.firsts[2], 2);
    CHECK_NEAR(pbdrLength(body.normals.normals[0]), 1.0, 2e-16);
    CHECK_NEAR(body.normals.normals[0].x, sqrt(0.5), 1e-15);
    pbdrBodyFile_Free(&body);
}

#define TWO "\"centers\": [[0,0,0],[1,0,0]], \"radii\": [1, 2]"
#define WHOLE TWO ", \"masses\": [1, 2], \"mass\": 3, \"com\": [0,0,0]"

static void bodyfile__refuses_with_key_and_value(void)
{
    static const struct {
        const char *text, *message;
        pbdrStatus status;
    } cases[] = {
        {"", "line 1", pbdr_statusFileFormat},
        {"[]", "not an object", pbdr_statusFileFormat},
        {"{\n\"centers\": [[0,0,0],\n[1,0,}", "line 3", pbdr_statusFileFormat},
        {"{" TWO "} x", "line 1", pbdr_statusFileFormat},
        {"{\"centers\": [], \"centers\": []}", "duplicate", pbdr_statusFileFormat},
        {"{\"radii\": [1]}", "centers: the key is missing", pbdr_statusFileFormat},
        {"{\"centers\": [], \"radii\": []}", "centers: 0 spheres", pbdr_statusNoParticles},
        {"{\"centers\": 7, \"radii\": []}", "centers: wanted an array, found a number",
         pbdr_statusFileFormat},
        {"{\"centers\": [[0,0,0]]}", "radii: the key is missing", pbdr_statusFileFormat},
        {"{\"centers\": [[0,0,0]], \"radii\": [1, 2]}", "radii: 2 entries for 1 centers",
         pbdr_statusFileFormat},
        {"{\"centers\": [[0,0]], \"radii\": [1]}", "centers[0]: wanted three numbers, found an array of 2",
         pbdr_statusFileFormat},
        {"{\"centers\": [[0,0,0],[0,\"b\",0]], \"radii\": [1,1]}",
         "centers[1][1]: wanted a number, found the", pbdr_statusFileFormat},
        {"{\"centers\": [[0,0,1e7]], \"radii\": [1]}", "centers[0][2]: 1e+07 m", pbdr_statusFileFormat},
        {"{\"centers\": [[0,0,0]], \"radii\": [-0.5]}", "radii[0]: -0.5 m", pbdr_statusFileFormat},
        {"{\"centers\": [[0,0,0]], \"radii\": [1e999]}", "line 1", pbdr_statusFileFormat},
        {"{" TWO ", \"masses\": [1, 0]}", "masses[1]: 0 kg", pbdr_statusFileFormat},
        {"{" TWO ", \"masses\": [1, true]}", "masses[1]: wanted a number, found true or false",
         pbdr_statusFileFormat},
        {"{" TWO ", \"mass\": -1}", "mass: -1 kg", pbdr_statusFileFormat},
        {"{" WHOLE ", \"inertia\": [[1,0,0],[0,1,0]]}", "inertia: wanted three rows", pbdr_statusFileFormat},
        {"{" WHOLE ", \"inertia\": [[1,0.5,0],[0,1,0],[0,0,1]]}", "inertia: not symmetric: [0][1] is 0.5",
         pbdr_statusFileFormat},
        {"{" WHOLE ", \"inertia\": [[1,0,0],[0,-1,0],[0,0,1]]}", "inertia[1][1]: -1", pbdr_statusFileFormat},
        {"{" TWO
         ", \"masses\": [1, 2], \"mass\": 4, \"com\": [0,0,0], \"inertia\": [[1,0,0],[0,1,0],[0,0,1]]}",
         "masses: they add up to 3 kg, but mass is 4 kg", pbdr_statusFileFormat},
        {"{" TWO ", \"extra_inertia\": [1, 2, 3]}", "extra_inertia[0]: wanted three numbers",
         pbdr_statusFileFormat},
        {"{" TWO ", \"face_normals\": [[]]}", "face_normals: 1 entries for 2", pbdr_statusFileFormat},
        {"{" TWO ", \"face_normals\": [[], 5]}", "face_normals[1]: wanted an array", pbdr_statusFileFormat},
        {"{" TWO ", \"face_normals\": [[], [[1,1,0]]]}", "face_normals[1][0]: length 1.41",
         pbdr_statusFileFormat},
        {"{" TWO ", \"schema\": \"pbdr-bench/1\"}", "schema: \"pbdr-bench/1\"", pbdr_statusFileFormat},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        pbdrBodyFile body;
        pbdrError error = {0};
        CHECK_EQ(loadText(cases[k].text, &body, &error), cases[k].status);
        CHECK_TEXT(error.message, cases[k].message);
        CHECK_TEXT(error.message, path);
        CHECK_EQ(body.spheres.count, 0);
    }
}

static void bodyfile__refuses_what_is_not_there(void)
{
    pbdrBodyFile body;
    pbdrError error = {0};
    CHECK_EQ(pbdrLoadBodyFile("/no/such/body.json", NULL, &body, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "/no/such/body.json");
    CHECK_EQ(pbdrLoadBodyFile("/tmp", NULL, &body, &error), pbdr_statusFileNotFound);
}

static void write__refuses_what_no_reader_takes(void)
{
    pbdrBodyFile body = makeBody(false);
    pbdrError error = {0};
    FILE* file = tmpfile();
    body.spheres.masses[3] = (double)NAN;
    CHECK_EQ(pbdrBodyFile_Write(&body, file, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "masses[3]");
    CHECK_EQ(ftell(file), 0);
    pbdrBodyFile_Free(&body);
    CHECK_EQ(pbdrBodyFile_Write(&body, file, &error), pbdr_statusNoParticles);
    fclose(file);
}

#define U_FFFD "\xef\xbf\xbd"

static void write__mends_text_that_is_no_utf8(void)
{
    pbdrBodyFile body = makeBody(false), back;
    snprintf(body.origin.mesh, sizeof body.origin.mesh, "%s",
             "caf\xe9/\xc3\xa9/\xed\xa0\x80/\xf0\x9f\x90\xb0");
    writeBody(&body);
    CHECK_EQ(pbdrLoadBodyFile(path, NULL, &back, NULL), pbdr_statusOk);
    CHECK(strcmp(back.origin.mesh, "caf" U_FFFD "/\xc3\xa9/" U_FFFD U_FFFD U_FFFD "/\xf0\x9f\x90\xb0") == 0);
    pbdrBodyFile_Free(&body);
    pbdrBodyFile_Free(&back);
}

// --- Damage ---

static char whole[1 << 16];
static size_t wholeSize;

static void makeWhole(void)
{
    pbdrBodyFile body = makeBody(true);
    writeBody(&body);
    pbdrBodyFile_Free(&body);
    FILE* file = fopen(path, "rb");
    wholeSize = fread(whole, 1, sizeof whole, file);
    CHECK(wholeSize > 1000 && wholeSize < sizeof whole);
    fclose(file);
}

static void bodyfile__notices_a_file_cut_short_at_any_byte(void)
{
    makeWhole();
    for (size_t size = wholeSize; size-- > 0;) {
        pbdrBodyFile body;
        pbdrError error = {0};
        CHECK_EQ(truncate(path, (off_t)size), 0);
        pbdrStatus status = pbdrLoadBodyFile(path, NULL, &body, &error);
        // Without its last line feed it is still whole.
        CHECK_EQ(status, size + 1 == wholeSize ? pbdr_statusOk : pbdr_statusFileFormat);
        pbdrBodyFile_Free(&body);
    }
}

static void bodyfile__survives_random_damage(void)
{
    // One to four bytes changed: any result will do, but no crash, nothing kept, and a body that could be
    // written again.
    static char damaged[sizeof whole];
    static const char likely[] = "0123456789.-+eE[]{},:\"\\ntu \n";
    makeWhole();
    uint64_t seed = 11;
    int loaded = 0;
    FILE* sink = tmpfile();
    for (int i = 0; i < 4000; i++) {
        memcpy(damaged, whole, wholeSize);
        for (int k = 0; k < 1 + i % 4; k++) {
            uint64_t bits = pbdrNextBits(&seed);
            damaged[(size_t)(bits >> 20) % wholeSize] =
                (bits & 1) != 0 ? (char)(bits >> 8 & 255) : likely[(bits >> 8) % (sizeof likely - 1)];
        }
        putFile(damaged, wholeSize);
        Ledger ledger = {0};
        pbdrHooks hooks = makeHooks(&ledger);
        pbdrBodyFile body;
        pbdrError error = {0};
        if (pbdrLoadBodyFile(path, &hooks, &body, &error) == pbdr_statusOk) {
            loaded++;
            CHECK_EQ(pbdrBodyFile_Write(&body, sink, &error), pbdr_statusOk);
            rewind(sink);
        } else {
            CHECK_TEXT(error.message, path);
        }
        pbdrBodyFile_Free(&body);
        CHECK_EQ(ledger.blocks, 0);
    }
    fclose(sink);
    CHECK_GE(loaded, 1);
    CHECK_LE(loaded, 3999);
}

static void bodyfile__gives_back_all_memory(void)
{
    makeWhole();
    for (int failAt = 1; failAt < 20; failAt++) {
        Ledger ledger = {.failAt = failAt};
        pbdrHooks hooks = makeHooks(&ledger);
        pbdrBodyFile body;
        pbdrError error = {0};
        pbdrStatus status = pbdrLoadBodyFile(path, &hooks, &body, &error);
        CHECK_EQ(status, failAt <= ledger.allocations ? pbdr_statusNoMemory : pbdr_statusOk);
        pbdrBodyFile_Free(&body);
        CHECK_EQ(ledger.blocks, 0);
        CHECK_EQ(ledger.bytes, 0);
    }
}

static void bodyfile__without_jansson_says_so(void)
{
    pbdrBodyFile body;
    pbdrError error = {0};
    CHECK_EQ(loadText("{" TWO "}", &body, &error), pbdr_statusNotSupported);
    CHECK_TEXT(error.message, "libjansson-dev");
}

int main(int argc, char** argv)
{
    int file = mkstemp(path);
    if (file < 0) {
        perror(path);
        return 1;
    }
    close(file);
    static const CheckCase writing[] = {
        {"write__refuses_what_no_reader_takes", write__refuses_what_no_reader_takes},
        {"bodyfile__without_jansson_says_so", bodyfile__without_jansson_says_so},
    };
    static const CheckCase both[] = {
        {"bodyfile__reads_back_the_same_bits", bodyfile__reads_back_the_same_bits},
        {"bodyfile__keeps_the_solids_moments", bodyfile__keeps_the_solids_moments},
        {"morphit__masses_go_by_volume", morphit__masses_go_by_volume},
        {"normals__rounded_ones_become_unit_vectors", normals__rounded_ones_become_unit_vectors},
        {"bodyfile__refuses_with_key_and_value", bodyfile__refuses_with_key_and_value},
        {"bodyfile__refuses_what_is_not_there", bodyfile__refuses_what_is_not_there},
        {"write__refuses_what_no_reader_takes", write__refuses_what_no_reader_takes},
        {"write__mends_text_that_is_no_utf8", write__mends_text_that_is_no_utf8},
        {"bodyfile__notices_a_file_cut_short_at_any_byte", bodyfile__notices_a_file_cut_short_at_any_byte},
        {"bodyfile__survives_random_damage", bodyfile__survives_random_damage},
        {"bodyfile__gives_back_all_memory", bodyfile__gives_back_all_memory},
    };
    int code = pbdrCanLoadBodyFile() ? checkRun(argc, argv, both, sizeof both / sizeof both[0])
                                     : checkRun(argc, argv, writing, sizeof writing / sizeof writing[0]);
    remove(path);
    return code;
}
