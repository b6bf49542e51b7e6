// From a mesh to a finished body in one call, and the ways on for meshes that are refused.
#include "ledger.h"
#include "meshes.h"
#include "pbdr/packing.h"

// A ball of radius 1 without its cap: facets whose middle is higher than `top` are lost.
static pbdrMesh makeCutBall(double top)
{
    Soup soup = {0}, cut = {0};
    addBall(&soup, pbdrVec(0.0, 0.0, 0.0), 1.0, 48, 48, 0.0);
    for (int t = 0; t < soup.count; t++) {
        const pbdrVec3* c = soup.corners[t];
        if (c[0].z + c[1].z + c[2].z < 3.0 * top) {
            addTriangle(&cut, c[0], c[1], c[2]);
        }
    }
    free(soup.corners);
    return makeMesh(&cut);
}

static pbdrPackDef makeDef(void)
{
    pbdrPackDef def = pbdrDefaultPackDef();
    def.density = 1000.0;
    def.count = 200;
    def.sampleCount = 2000;
    return def;
}

static void packed_body__has_all_that_the_single_calls_give(void)
{
    pbdrMesh mesh = makeBallMesh(0.5, 24, 12, 0.2);
    pbdrPackDef def = makeDef();
    def.extent = 0.2;
    def.findNormals = true;
    def.seed = 5;
    pbdrPackedBody body;
    pbdrPackReport report;
    CHECK_EQ(pbdrPackMeshBody(&mesh, &def, NULL, &body, &report, NULL), pbdr_statusOk);
    CHECK(!report.damaged && !report.thinned && report.ways == 0 && report.pointCount == 0);
    for (int i = 0; i < mesh.vertexCount; i++) {
        mesh.vertices[i] = pbdrScale(body.scale.x, mesh.vertices[i]);
    }
    CHECK_EQ(memcmp(body.mesh.vertices, mesh.vertices, (size_t)mesh.vertexCount * sizeof *mesh.vertices), 0);
    pbdrMassProperties solid, spheres = pbdrSphereSet_GetMassProperties(&body.spheres);
    CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 1000.0 * body.solid.volume, &solid, NULL), pbdr_statusOk);
    CHECK_NEAR(body.solid.mass, solid.mass, 1.0e-12 * solid.mass);
    CHECK_NEAR(body.solid.inertia.m[1][1], solid.inertia.m[1][1], 1.0e-12 * solid.inertia.m[1][1]);
    CHECK_NEAR(spheres.mass, solid.mass, 1.0e-12 * solid.mass);
    CHECK_LE(pbdrGetInertiaError(&spheres.inertia, &solid.inertia), 1.0e-11);
    CHECK_EQ(body.volumeError, 0.0);
    // the same spheres, faces and quality as by pbdrPackSurface and pbdrMeasurePacking
    pbdrSurfacePackingDef surface = pbdrDefaultSurfacePackingDef();
    surface.count = def.count;
    surface.seed = def.seed;
    pbdrSphereSet set;
    pbdrFaceNormals normals;
    pbdrPackingQuality quality;
    CHECK_EQ(pbdrPackSurface(&mesh, &surface, 1.0, NULL, &set, &normals, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMeasurePacking(&mesh, &set, 2000, def.seed, NULL, &quality, NULL), pbdr_statusOk);
    CHECK_EQ(set.count, body.spheres.count);
    CHECK_EQ(memcmp(set.positions, body.spheres.positions, (size_t)set.count * sizeof *set.positions), 0);
    CHECK_EQ(normals.firsts[set.count], body.normals.firsts[set.count]);
    CHECK(body.hasQuality && quality.cover == body.quality.cover && quality.meanGap == body.quality.meanGap);
    pbdrPackingQuality_Free(&quality);
    pbdrFaceNormals_Free(&normals);
    pbdrSphereSet_Free(&set);
    pbdrPackedBody_Free(&body);
    pbdrMesh_Free(&mesh);
}

static void packed_body__definitions_that_contradict_themselves_are_refused(void)
{
    pbdrMesh mesh = makeBoxMesh(pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    struct {
        pbdrPackDef def;
        const char* part;
    } cases[9];
    for (int i = 0; i < 9; i++) {
        cases[i].def = makeDef();
    }
    cases[0].def.cookie = 0, cases[0].part = "pbdrDefaultPackDef";
    cases[1].def.mass = 1.0, cases[1].part = "density";
    cases[2].def.density = 0.0, cases[2].part = "mass";
    cases[3].def.size = cases[3].def.scale = 1.0, cases[3].part = "size, extent, scale";
    cases[4].def.radius = (double)NAN, cases[4].part = "radius";
    cases[5].def.count = -1, cases[5].part = "count";
    cases[6].def.spheres = pbdr_packGiven, cases[6].part = "given";
    cases[7].def.spheres = pbdr_packGrid, cases[7].def.radius = 0.1, cases[7].part = "grid";
    cases[8].def.maxVolumeError = -0.1, cases[8].part = "maxVolumeError";
    for (int i = 0; i < 9; i++) {
        pbdrPackedBody body;
        pbdrError error = {0};
        CHECK(pbdrPackMeshBody(&mesh, &cases[i].def, NULL, &body, NULL, &error) != pbdr_statusOk);
        CHECK_TEXT(error.message, cases[i].part);
        CHECK_EQ(body.spheres.count, 0);
    }
    pbdrMesh_Free(&mesh);
}

static void packed_body__a_refused_mesh_has_ways_on_that_work(void)
{
    // Half a ball: its flat fill meets the rim at a right angle, so nobody knows what was above it.
    pbdrMesh mesh = makeCutBall(0.0);
    pbdrPackDef def = makeDef();
    pbdrPackedBody body;
    pbdrPackReport report;
    pbdrError error = {0};
    CHECK_EQ(pbdrPackMeshBody(&mesh, &def, NULL, &body, &report, &error), pbdr_statusMeshOpen);
    CHECK_EQ(report.ways, pbdr_wayVolumeError | pbdr_wayWrap | pbdr_wayHull);
    double half = 2.0 / 3.0 * PBDR_PI, share = report.volumeError / report.volume;
    CHECK_NEAR(report.volume, half, 0.02 * half); // of the inscribed facets
    CHECK_GE(share, 0.1);
    pbdrPackDef wide = def, wrap = def, hull = def;
    wide.maxVolumeError = 1.001 * share;
    CHECK_EQ(pbdrPackMeshBody(&mesh, &wide, NULL, &body, &report, &error), pbdr_statusOk);
    CHECK_NEAR(body.volumeError, share * body.solid.volume, 1.0e-9);
    pbdrPackedBody_Free(&body);
    hull.source = pbdr_packHull;
    CHECK_EQ(pbdrPackMeshBody(&mesh, &hull, NULL, &body, &report, &error), pbdr_statusOk);
    CHECK_NEAR(body.solid.volume, half, 0.02 * half);
    CHECK_EQ(body.volumeError, 0.0);
    CHECK_EQ(pbdrMesh_Check(&body.mesh, NULL, NULL), pbdr_statusOk);
    pbdrPackedBody_Free(&body);
    wrap.source = pbdr_packWrapped;
    CHECK_EQ(pbdrPackMeshBody(&mesh, &wrap, NULL, &body, &report, &error), pbdr_statusOk);
    CHECK_EQ(pbdrMesh_Check(&body.mesh, NULL, NULL), pbdr_statusOk);
    // w = 1/2 above the rim is the surface from which the bowl fills half of all directions: the rim's disc
    CHECK_NEAR(body.solid.volume, half, 0.03 * half);
    CHECK(report.wrapCell > 0.0 && body.volumeError > 0.0);
    pbdrPackedBody_Free(&body);
    pbdrMesh_Free(&mesh);
}

static void packed_body__a_sheet_has_no_way_but_those_that_work(void)
{
    Soup soup = {0};
    addTriangle(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 0.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    addTriangle(&soup, pbdrVec(1.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 0.0), pbdrVec(0.0, 1.0, 0.0));
    pbdrMesh mesh = makeMesh(&soup);
    pbdrPackDef def = makeDef();
    pbdrPackedBody body;
    pbdrPackReport report;
    pbdrError error = {0};
    CHECK_EQ(pbdrPackMeshBody(&mesh, &def, NULL, &body, &report, &error), pbdr_statusMeshBroken);
    CHECK_EQ(report.ways, 0);
    def.source = pbdr_packWrapped;
    CHECK_EQ(pbdrPackMeshBody(&mesh, &def, NULL, &body, &report, &error), pbdr_statusMeshBroken);
    CHECK_TEXT(error.message, "winds round nothing");
    pbdrMesh_Free(&mesh);
}

static void wrap__of_overlapping_parts_has_the_volume_of_their_union(void)
{
    // Two unit cubes that overlap in a quarter: 2 - 1/4. Facets are flat, so only edges are rounded.
    Soup soup = {0};
    addBox(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    addBox(&soup, pbdrVec(0.5, 0.5, 0.0), pbdrVec(1.5, 1.5, 1.0));
    pbdrMesh mesh = makeMesh(&soup), wrapped;
    double volumeError;
    pbdrMassProperties p;
    CHECK_EQ(pbdrWrapMesh(&mesh, 0.02, NULL, &wrapped, &volumeError, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMesh_Check(&wrapped, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMesh_GetMassProperties(&wrapped, 1.0, &p, NULL), pbdr_statusOk);
    CHECK_NEAR(p.volume, 1.75, volumeError);
    CHECK_LE(volumeError, 0.01 * 1.75);
    CHECK_NEAR(p.centre.x, 0.75, 0.005);
    pbdrMesh_Free(&wrapped);
    // its budget: a grid that no memory or patience holds
    pbdrError error = {0};
    CHECK_EQ(pbdrWrapMesh(&mesh, 1.0e-6, NULL, &wrapped, NULL, &error), pbdr_statusInvalidArgument);
    CHECK_TEXT(error.message, "nodes");
    pbdrMesh_Free(&mesh);
}

static bool stopAtSpheres(void* context, pbdrPackStage stage, double share)
{
    (void)share;
    int* calls = context;
    (*calls)++;
    return stage != pbdr_packStageSpheres;
}

static void packed_body__stops_where_progress_says_so(void)
{
    pbdrMesh mesh = makeBoxMesh(pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    pbdrPackDef def = makeDef();
    pbdrPackedBody body;
    int calls = 0;
    def.progress = stopAtSpheres;
    def.progressContext = &calls;
    CHECK_EQ(pbdrPackMeshBody(&mesh, &def, NULL, &body, NULL, NULL), pbdr_statusStopped);
    CHECK_EQ(calls, 2); // the solid, then the spheres
    pbdrMesh_Free(&mesh);
}

// Out of memory reads as that, never as a damaged mesh or a way on.
static void packed_body__survives_failure_of_any_allocation(void)
{
    pbdrMesh box = makeBoxMesh(pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    static const pbdrPackSource sources[] = {pbdr_packMended, pbdr_packHull, pbdr_packWrapped};
    for (int k = 0; k < 3; k++) {
        pbdrPackDef def = makeDef();
        def.count = 8;
        def.sampleCount = 60;
        def.source = sources[k];
        def.wrapCell = 0.4;
        def.findNormals = true;
        bool done = false;
        int failures = 0;
        for (int failAt = 1; !done; failAt++) {
            Ledger memory = {.failAt = failAt};
            pbdrHooks hooks = makeHooks(&memory);
            pbdrMesh mesh = box;
            mesh.hooks = hooks; // the check takes memory from the mesh's own
            pbdrPackedBody body;
            pbdrPackReport report;
            pbdrError error = {0};
            pbdrStatus status = pbdrPackMeshBody(&mesh, &def, &hooks, &body, &report, &error);
            done = status == pbdr_statusOk;
            failures += !done;
            CHECK(done || (status == pbdr_statusNoMemory && strstr(error.message, "no memory") != NULL));
            CHECK(!report.damaged && report.ways == 0);
            pbdrPackedBody_Free(&body);
            CHECK_EQ(memory.bytes, 0);
        }
        CHECK_GE(failures, 40);
    }
    pbdrMesh_Free(&box);
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }

int main(int argc, char** argv)
{
    CASES(argc, argv, CASE(packed_body__has_all_that_the_single_calls_give),
          CASE(packed_body__definitions_that_contradict_themselves_are_refused),
          CASE(packed_body__a_refused_mesh_has_ways_on_that_work),
          CASE(packed_body__a_sheet_has_no_way_but_those_that_work),
          CASE(wrap__of_overlapping_parts_has_the_volume_of_their_union),
          CASE(packed_body__stops_where_progress_says_so),
          CASE(packed_body__survives_failure_of_any_allocation));
}
