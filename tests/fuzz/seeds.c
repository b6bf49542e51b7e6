// Writes good inputs for every fuzz target: seeds FOLDER makes FOLDER/TARGET/... A fuzzer finds its way from
// these far sooner than from nothing.
#define _POSIX_C_SOURCE 200809L // mkdir

#include "pbdr/bodyfile.h"
#include "pbdr/recipe.h"
#include "target.h"

#include <string.h>
#include <sys/stat.h>

static const char* root;

static FILE* openSeed(const char* target, const char* name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", root, target);
    mkdir(path, 0755);
    snprintf(path, sizeof path, "%s/%s/%s", root, target, name);
    FILE* file = fopen(path, "wb");
    FUZZ_REQUIRE(file != NULL);
    return file;
}

static void writeSeed(const char* target, const char* name, const char* text)
{
    FILE* file = openSeed(target, name);
    fputs(text, file);
    fclose(file);
}

// --- A tetrahedron in binary ---

static const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int facets[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};

static void putInteger(FILE* file, uint32_t value, int size, bool bigEndian)
{
    for (int i = 0; i < size; i++) {
        fputc((int)(value >> (8 * (bigEndian ? size - 1 - i : i)) & 255), file);
    }
}

static void putFloat(FILE* file, float value, bool bigEndian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    putInteger(file, bits, 4, bigEndian);
}

static void writeBinaryStl(void)
{
    FILE* file = openSeed("stl", "binary");
    fprintf(file, "%-80s", "a tetrahedron");
    putInteger(file, 4, 4, false);
    for (int t = 0; t < 4; t++) {
        for (int k = 0; k < 12; k++) {
            putFloat(file, k < 3 ? 0.0f : corners[facets[t][k / 3 - 1]][k % 3], false);
        }
        putInteger(file, 0, 2, false);
    }
    fclose(file);
}

// A box and a ball over a plane.
static void writeRecipe(void)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/recipe.json", root);
    FILE* file = fopen(path, "wb");
    FUZZ_REQUIRE(file != NULL);
    fputs("{\"schema\": \"pbdr-scene/2\", \"ground\": {}, \"sphere_count\": 8, \"bodies\": [{\"name\": "
          "\"a\", \"shape\": "
          "\"box\", \"half_extents_m\": [1, 1, 1], \"mass_kg\": 1, \"start\": {\"position_m\": [0, 0, 1]}}, "
          "{\"name\": "
          "\"b\", \"shape\": \"ball\", \"radius_m\": 1, \"mass_kg\": 1, \"start\": {\"position_m\": [0, 0, "
          "3]}}]}",
          file);
    fclose(file);
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    pbdrRecipe recipe = {0};
    FUZZ_REQUIRE(pbdrLoadScene(path, NULL, &scene, NULL) == pbdr_statusOk);
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    FUZZ_REQUIRE(pbdrRecordSceneWorld(scene, &def, NULL, &recipe, &made, NULL) == pbdr_statusOk);
    file = openSeed("recipe", "two");
    fwrite(recipe.numbers, sizeof *recipe.numbers, recipe.count, file);
    fclose(file);
    pbdrRecipe_Free(&recipe);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
    remove(path);
}

static void writeMsh(void)
{
    FILE* file = openSeed("msh", "tetrahedron");
    for (int k = 0; k < 4; k++) {
        putInteger(file, k == 0 || k == 3 ? 4 : 0, 4, false);
    }
    for (int k = 0; k < 12; k++) {
        putFloat(file, corners[k / 3][k % 3], false);
    }
    for (int k = 0; k < 12; k++) {
        putInteger(file, (uint32_t)facets[k / 3][k % 3], 4, false);
    }
    fclose(file);
}

static void writeBinaryPly(const char* target, const char* name, const char* before, bool bigEndian)
{
    FILE* file = openSeed(target, name);
    fprintf(file,
            "%sply\nformat binary_%s_endian 1.0\nelement vertex 4\nproperty float x\nproperty float y\n"
            "property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n",
            before, bigEndian ? "big" : "little");
    for (int k = 0; k < 12; k++) {
        putFloat(file, corners[k / 3][k % 3], bigEndian);
    }
    for (int t = 0; t < 4; t++) {
        putInteger(file, 3, 1, bigEndian);
        for (int k = 0; k < 3; k++) {
            putInteger(file, (uint32_t)facets[t][k], 4, bigEndian);
        }
    }
    fclose(file);
}

// --- Texts ---

#define PLY_TEXT                                                                                             \
    "ply\nformat ascii 1.0\ncomment c\nelement vertex 4\nproperty double x\nproperty float y\n"              \
    "property float z\nproperty uchar red\nelement face 2\nproperty list uchar int vertex_indices\n"         \
    "end_header\n0 0 0 1\n1 0 0 1\n1 1 0 1\n0 1 .5e-1 1\n4 0 1 2 3\n3 2 1 0\n"

static void writeTexts(void)
{
    writeSeed(
        "obj", "quads",
        "# a box without a lid\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\n"
        "v 0 1 1.5e0\nvt .5 .5\nvn 0 0 1\nf 4 3 2 1\nf 1/1 2/1 6/1 5/1\nf 2//1 3//1 7//1 6//1\n"
        "f -6/1/1 -5/1/1 -1/1/1 -2/1/1\nf 4 1 5 \\\n8\nf 1 2\ng a\ns off\nl 1 2\n");
    writeSeed(
        "obj", "polygon",
        "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv .5 .5 1\nf 1 2 3 4 5 6\nf 6 5 4 7 3 2 1\n");
    writeSeed(
        "stl", "text",
        "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
        "endfacet\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 0 1e-1\nendloop\n"
        "endfacet\nendsolid a\n");
    writeSeed("ply", "text", PLY_TEXT);
    writeSeed("cloud", "ply", "p" PLY_TEXT);
    writeSeed("cloud", "normals",
              "pply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
              "property float z\nproperty float nx\nproperty float ny\nproperty float nz\n"
              "end_header\n1 2 3 0 0 1\n");
    writeSeed("cloud", "text", "t# x y z\n0 0 0\n1 .5 -2e-1\n\n3 4 5\n");
    writeSeed("cloud", "counted", "t2\n0 0 0 1 0 0\n1 1 1 0 0 -1\n");
    writeSeed("cloud", "leica", "t2\n0 0 0 -1200 255 0 31\n1 1 1 5 0 0 0\n");
    writeSeed("trajectory", "pose", "t,px,py,pz,qw,qx,qy,qz\n0,0,0,0.1,1,0,0,0\n0.01,1e-3,0,0.1,1,0,0,0\n");
    writeSeed("trajectory", "all",
              "# made by hand\nt,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz,note\n"
              "0,\"body\",0,0,0,1,0,0,0,0,0,0,0,0,0,a\n0.5,\"body\",nan,0,0,1,0,0,0,inf,0,0,0,0,0,b");
    writeSeed("view", "trajectory",
              "t,body,px,py,pz,qw,qx,qy,qz,position_error_m\n0,a,0,0,1,1,0,0,0,0\n0,\"<b>\",1,0,1,1,0,0,0,"
              "0\n1,a,nan,0,1,1,0,0,"
              "0,0\n2,b,1,0,0,2,0,0,0,1e-3\n");
    writeSeed(
        "view", "results",
        "test,solver,engine,precision,masses,ablate,seed,n,mu,duration_s,dt_s,outcome,final_position_error_"
        "m\n1,"
        "pbd,particle,f32,uniform,none,1,4,0.4,10,0.001,measured,4.5\n1,pbdr,reduced,f64,exact,linear,1,,,10,"
        "0.001,measured,\n");
    writeSeed("csv", "quotes",
              "number,text,word,name\n1.5,\"a \"\"b\"\", c\",x,y\n,,,n\nnan,\"two\nlines\",y,z\r\n");
    writeSeed("options", "all",
              "--count\n7\n--side=2.5e-1\n--name\nx\n--packing=grid\n--list\n1,2,a\n--verbose\nfile.obj\n-h");
    writeSeed("bodyfile", "morphit",
              "{\"centers\": [[0, 0, 0], [1, 0, 0.5]], \"radii\": [0.1, 0.2], \"mass\": 2}");
    writeSeed("snapshot", "head", "\x04pbdrsnap\x04\x03\x02\x01\x01");
    writeSeed("snapshot", "damaged", "\x14zzABCDEFGHyyABCDEFGH");
    writeSeed(
        "scene", "export",
        "{\"schema\": \"pbdr-scene/1\", \"ground\": {\"point_m\": [0,0,0], \"normal\": [0,0,1], "
        "\"friction\": 0.4},\n"
        "\"pair_friction\": 0.2, \"bodies\": [{\"name\": \"box\", \"shape\": \"box\", \"half_extents_m\": "
        "[0.1,0.1,0.1],\n"
        "\"mass_kg\": 4, \"inertia_kgm2\": [[1,0,0],[0,1,0],[0,0,1]], \"start\": {\"position_m\": [0,0,0.1], "
        "\"rotation_wxyz\": [1,0,0,0]}, \"spheres\": {\"centers\": [[0,0,0]], \"radii\": [0.1], \"masses\": "
        "[4]}},\n"
        "{\"name\": \"rod\", \"shape\": \"rod\", \"half_extents_m\": [0.1,0.01,0.01], \"rod_radius_m\": "
        "0.01, "
        "\"prescribed\": true, \"prescribed_acceleration_mps2\": [0.05,0,0]}]}");
    writeSeed(
        "scene", "shapes",
        "{\"schema\": \"pbdr-scene/2\", \"time_step_s\": 1e-3, \"sphere_count\": 8, \"friction_mixing\": "
        "\"maximum\",\n"
        "\"planes\": [{\"restitution\": 0.5}], \"bodies\": [{\"name\": \"m\", \"shape\": \"mesh\", "
        "\"mass_kg\": 1,\n"
        "\"vertices_m\": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": "
        "[[0,2,1],[0,1,3],[1,2,3],[0,3,2]]},\n"
        "{\"name\": \"c\", \"shape\": \"compound\", \"mass_kg\": 1, \"parts\": [{\"shape\": \"ball\", "
        "\"radius_m\": 1}, "
        "{\"shape\": \"cylinder\", \"radius_m\": 1, \"half_length_m\": 0.1, \"position_m\": [1,0,0]}]},\n"
        "{\"name\": \"h\", \"kind\": \"static\", \"shape\": \"heightfield\", \"heights_m\": [[0,1],[0,1]], "
        "\"spacing_m\": 1},\n"
        "{\"name\": \"k\\u0041\", \"kind\": \"kinematic\", \"shape\": \"capsule\", \"radius_m\": 1, "
        "\"half_length_m\": 1, "
        "\"path\": [{\"time_s\": 0}, {\"time_s\": 1, \"position_m\": [1,2,3]}], \"category\": 3, \"mask\": "
        "5}]}");
    writeSeed("state", "changes", "\x14zzABCDEFGHyyABCDEFGH");
    for (int k = 0; k < 6; k++) {
        char name[16] = "solver0", text[16] = {(char)(16 + k), 0};
        name[6] = (char)('0' + k);
        memcpy(text + 1,
               "\x01\x10"
               "ABCDEF??",
               10);
        writeSeed("state", name, text);
        text[0] =
            (char)(text[0] | (k % 2 == 0 ? 32 : 96)); // with a right checksum, every other one by a file
        writeSeed("snapshot", name, text);
    }
}

// All keys that a body file has.
static void writeBody(void)
{
    pbdrVec3 positions[] = {{0.0, 0.0, 0.0}, {0.1, 0.0, 0.0}}, normals[] = {{0.0, 0.0, 1.0}};
    double radii[] = {0.05, 0.05}, masses[] = {0.5, 0.5};
    int firsts[] = {0, 1, 1};
    pbdrBodyFile body = {
        .spheres = {.count = 2, .positions = positions, .radii = radii, .masses = masses},
        .normals = {.sphereCount = 2, .firsts = firsts, .normals = normals},
        .solid = {.mass = 1.0, .volume = 1.0e-3, .inertia = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}},
        .hasMasses = true,
        .hasSolid = true,
        .hasQuality = true,
        .exactMasses = true,
        .quality = {.support = positions, .supportCount = 2},
        .origin = {.mesh = "a.obj", .options = "--count 2", .version = "0.1.0"},
    };
    FILE* file = openSeed("bodyfile", "whole");
    pbdrError error = {0};
    FUZZ_REQUIRE(pbdrBodyFile_Write(&body, file, &error) == pbdr_statusOk);
    fclose(file);
}

int main(int argc, char** argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: seeds FOLDER\n");
        return 2;
    }
    root = argv[1];
    mkdir(root, 0755);
    writeBinaryStl();
    writeMsh();
    writeRecipe();
    writeBinaryPly("ply", "little", "", false);
    writeBinaryPly("ply", "big", "", true);
    writeBinaryPly("cloud", "big", "p", true);
    writeTexts();
    writeBody();
    return 0;
}
