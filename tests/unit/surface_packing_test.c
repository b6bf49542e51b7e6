// Packing the surface of a mesh with spheres, and the faces to which they are tangent.
#include "ledger.h"
#include "meshes.h"

// The greedy's mean gap is taken over its own samples, measured gaps over others: 12000 of them differ by a
// few per cent.
#define SAMPLING 1.08

static pbdrSphereSet packOr(const pbdrMesh* mesh, const pbdrSurfacePackingDef* def, pbdrFaceNormals* normals)
{
    pbdrSphereSet set;
    pbdrError error = {0};
    pbdrStatus status = pbdrPackSurface(mesh, def, 2.0, NULL, &set, normals, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    return set;
}

static pbdrSphereSet packCount(const pbdrMesh* mesh, int count)
{
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = count;
    return packOr(mesh, &def, NULL);
}

static pbdrPackingQuality measure(const pbdrMesh* mesh, const pbdrSphereSet* set)
{
    pbdrPackingQuality quality;
    CHECK_EQ(pbdrMeasurePacking(mesh, set, 20000, 7, NULL, &quality, NULL), pbdr_statusOk);
    return quality;
}

static pbdrMesh makeCube(void)
{
    return makeBoxMesh(pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.2, 0.2, 0.2));
}

// --- Spheres ---

static void surface_packing__cubes_spheres_are_inside_and_tangent(void)
{
    pbdrMesh mesh = makeCube();
    pbdrSphereSet set = packCount(&mesh, 400);
    CHECK_EQ(set.count, 400);
    double mass = 0.0, off = 0.0, least = (double)INFINITY, most = 0.0;
    for (int i = 0; i < set.count; i++) {
        pbdrVec3 c = set.positions[i];
        least = fmin(least, set.radii[i]);
        most = fmax(most, set.radii[i]);
        double nearest = fmin(fmin(fmin(c.x, 0.2 - c.x), fmin(c.y, 0.2 - c.y)), fmin(c.z, 0.2 - c.z));
        off = fmax(off, fabs(nearest - set.radii[i]));
        mass += set.masses[i];
    }
    CHECK_LE(off, 1.0e-9 * 0.2); // the rest tolerance of the shrinking ball
    CHECK_NEAR(mass, 2.0, 1.0e-12);
    CHECK_GE(least, 0.01 * most);
    CHECK_LE(most, (1.0 + 1.0e-12) * PBDR_SURFACE_RADIUS * cbrt(0.008 / 400));
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__more_spheres_leave_smaller_gaps(void)
{
    pbdrMesh mesh = makeBallMesh(0.1, 24, 12, 0.2);
    double last = (double)INFINITY;
    for (int count = 50; count <= 800; count *= 4) {
        pbdrSphereSet set = packCount(&mesh, count);
        pbdrPackingQuality quality = measure(&mesh, &set);
        CHECK_EQ(set.count, count);
        CHECK_LE(quality.meanGap, 0.6 * last); // four times the spheres: at least half the spacing on faces
        CHECK_LE(quality.protrusion, 1.0e-9);
        last = quality.meanGap;
        pbdrPackingQuality_Free(&quality);
        pbdrSphereSet_Free(&set);
    }
    pbdrMesh_Free(&mesh);
}

static void surface_packing__gap_and_radius_are_kept(void)
{
    pbdrMesh mesh = makeBallMesh(0.1, 24, 12, 0.2);
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.meanGap = 1.0e-3;
    pbdrSphereSet set = packOr(&mesh, &def, NULL);
    pbdrPackingQuality quality = measure(&mesh, &set);
    CHECK_LE(quality.meanGap, SAMPLING * def.meanGap);
    CHECK_GE(quality.meanGap, 0.5 * def.meanGap); // and no more spheres than it takes
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);

    def.meanGap = 0.0;
    def.radius = 0.012;
    set = packOr(&mesh, &def, NULL);
    quality = measure(&mesh, &set);
    CHECK_LE(quality.meanGap, SAMPLING * 0.05 * def.radius);
    double largest = 0.0;
    for (int i = 0; i < set.count; i++) {
        largest = fmax(largest, set.radii[i]);
    }
    CHECK_LE(largest, def.radius);
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);

    def.radius = 0.0;
    def.largestGap = 4.0e-3;
    set = packOr(&mesh, &def, NULL);
    quality = measure(&mesh, &set);
    CHECK_LE(quality.largestGap, 1.5 * def.largestGap); // between the samples it may be more
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__one_sphere_of_a_cube_is_the_inscribed_one(void)
{
    // A ball that touches a face at e (the larger coordinate) from its middle has radius 0.1 - e. None of
    // 1000 samples has e < 15 mm with a chance of exp(-500 (0.03 / 0.2)^2) = 1e-5.
    pbdrMesh mesh = makeCube();
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 1;
    def.radius = 1.0;
    pbdrSphereSet set = packOr(&mesh, &def, NULL);
    CHECK_EQ(set.count, 1);
    CHECK_LE(set.radii[0], 0.1 * (1.0 + 1.0e-9));
    CHECK_GE(set.radii[0], 0.085);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__thin_parts_are_not_left_out(void)
{
    // A plate: all spheres have half its thickness.
    pbdrMesh mesh = makeBoxMesh(pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.2, 0.2, 0.001));
    pbdrSphereSet set = packCount(&mesh, 500);
    CHECK_EQ(set.count, 500);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);

    // A fin of a hundredth of the thickness of the body it stands on.
    Soup soup = {0};
    addBox(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.1, 0.1, 0.1));
    addBox(&soup, pbdrVec(0.05, 0.0, 0.09), pbdrVec(0.051, 0.1, 0.2));
    mesh = makeMesh(&soup);
    set = packCount(&mesh, 400);
    pbdrPackingQuality quality = measure(&mesh, &set);
    CHECK_LE(quality.largestGap, 0.015);
    CHECK_LE(quality.protrusion, 1.0e-4);
    double top = 0.0;
    for (int i = 0; i < set.count; i++) {
        top = fmax(top, set.positions[i].z + set.radii[i]);
    }
    CHECK_GE(top, 0.19);
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__is_as_good_at_any_scale_and_place(void)
{
    pbdrMesh mesh = makeBallMesh(0.1, 24, 12, 0.2), scaled = makeBallMesh(0.1 * 0x1p-20, 24, 12, 0.2);
    pbdrMesh far = makeBallMesh(0.1, 24, 12, 0.2);
    for (int i = 0; i < far.vertexCount; i++) {
        far.vertices[i] = pbdrAdd(far.vertices[i], pbdrVec(1000.0, -2000.0, 500.0));
    }
    pbdrSphereSet a = packCount(&mesh, 200), b = packCount(&scaled, 200), c = packCount(&far, 200);
    pbdrPackingQuality near = measure(&mesh, &a), away = measure(&far, &c), small = measure(&scaled, &b);
    // The greedy's choices differ by rounding, and the mean gap of 200 spheres with them.
    CHECK_NEAR(away.meanGap, near.meanGap, 0.15 * near.meanGap);
    CHECK_LE(away.protrusion, 1.0e-9);
    CHECK_NEAR(small.meanGap, near.meanGap * 0x1p-20, 0.15 * near.meanGap * 0x1p-20);
    CHECK_EQ(b.count, 200);
    pbdrPackingQuality_Free(&near);
    pbdrPackingQuality_Free(&away);
    pbdrPackingQuality_Free(&small);
    pbdrSphereSet_Free(&a);
    pbdrSphereSet_Free(&b);
    pbdrSphereSet_Free(&c);
    pbdrMesh_Free(&mesh);
    pbdrMesh_Free(&scaled);
    pbdrMesh_Free(&far);
}

// --- The base ---

static void surface_packing__flat_base_stays_flat_and_wide(void)
{
    // A box on four corners of uneven height, less than the tolerance: all spheres of the base touch one
    // plane.
    Soup soup = {0};
    addBox(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(0.2, 0.16, 0.1));
    for (int t = 0; t < soup.count; t++) {
        for (int k = 0; k < 3; k++) {
            pbdrVec3* v = &soup.corners[t][k];
            v->z += v->z == 0.0 ? 1.0e-4 * (v->x > 0.0) + 0.5e-4 * (v->y > 0.0) : 0.0;
        }
    }
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 500;
    pbdrSphereSet set = packOr(&mesh, &def, NULL);
    pbdrPackingQuality quality = measure(&mesh, &set);
    CHECK_NEAR(quality.meshSupportArea, 0.2 * 0.16, 1.0e-12);
    CHECK_GE(quality.supportArea, 0.94 * 0.2 * 0.16);
    CHECK_GE(quality.margin, quality.meshMargin - 0.003);
    CHECK_LE(quality.margin, quality.meshMargin);
    CHECK_LE(quality.protrusion, 1.5e-4 + 1.0e-9); // what the base is uneven by
    CHECK_NEAR(quality.centreHeight, 0.05, 1.0e-4);
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);

    def.baseTolerance = 0.0;
    set = packOr(&mesh, &def, NULL);
    quality = measure(&mesh, &set);
    CHECK_LE(quality.protrusion, 1.0e-9);
    CHECK_LE(quality.supportArea, 0.1 * 0.2 * 0.16); // it rocks on the lowest corner
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__round_underside_stays_round(void)
{
    pbdrMesh mesh = makeBallMesh(0.1, 48, 24, 0.0);
    pbdrSphereSet set = packCount(&mesh, 300);
    pbdrPackingQuality quality = measure(&mesh, &set);
    CHECK_LE(quality.protrusion, 1.0e-9);
    CHECK_LE(quality.supportCount, 2);
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__a_dozen_spheres_stand(void)
{
    pbdrMesh mesh = makeCube();
    pbdrSphereSet set = packCount(&mesh, 12);
    pbdrPackingQuality quality = measure(&mesh, &set);
    CHECK_EQ(set.count, 12);
    CHECK_GE(quality.supportCount, 3);
    CHECK_GE(quality.margin, 0.0);
    pbdrPackingQuality_Free(&quality);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

// --- Normals ---

static int countNormals(const pbdrFaceNormals* normals, int i)
{
    return normals->firsts[i + 1] - normals->firsts[i];
}

static void face_normals__box_grid_has_corners_edges_and_faces(void)
{
    pbdrSphereSet set;
    pbdrFaceNormals box, fromMesh;
    CHECK_EQ(pbdrPackBox(4, 4, 4, 0.025, 1.0, NULL, &set, NULL), pbdr_statusOk);
    pbdrVec3 lower = {-0.1, -0.1, -0.1}, upper = {0.1, 0.1, 0.1};
    pbdrMesh mesh = makeBoxMesh(lower, upper);
    CHECK_EQ(pbdrFindBoxNormals(&set, lower, upper, 1.0e-9, NULL, &box, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrFindMeshNormals(&set, &mesh, 1.0e-9, NULL, &fromMesh, NULL), pbdr_statusOk);
    int counts[4] = {0};
    for (int i = 0; i < set.count; i++) {
        int n = countNormals(&box, i);
        counts[n < 4 ? n : 0]++;
        CHECK_EQ(countNormals(&fromMesh, i), n);
        for (int k = box.firsts[i]; k < box.firsts[i + 1]; k++) {
            // outwards, and the same plane in both
            double best = -1.0;
            for (int j = fromMesh.firsts[i]; j < fromMesh.firsts[i + 1]; j++) {
                best = fmax(best, pbdrDot(box.normals[k], fromMesh.normals[j]));
            }
            CHECK_NEAR(best, 1.0, 1.0e-12);
            CHECK_NEAR(pbdrDot(box.normals[k], set.positions[i]), 0.075, 1.0e-12);
        }
    }
    CHECK_EQ(counts[0], 8);  // inside
    CHECK_EQ(counts[1], 24); // faces
    CHECK_EQ(counts[2], 24); // edges
    CHECK_EQ(counts[3], 8);  // corners
    pbdrFaceNormals_Free(&box);
    pbdrFaceNormals_Free(&fromMesh);
    pbdrMesh_Free(&mesh);
    pbdrSphereSet_Free(&set);
}

static void face_normals__layer_touches_top_and_bottom(void)
{
    pbdrSphereSet set;
    pbdrFaceNormals normals;
    CHECK_EQ(pbdrPackBox(4, 4, 1, 0.025, 1.0, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrFindBoxNormals(&set, pbdrVec(-0.1, -0.1, -0.025), pbdrVec(0.1, 0.1, 0.025), 1.0e-9, NULL,
                                &normals, NULL),
             pbdr_statusOk);
    CHECK_EQ(countNormals(&normals, 0), 4); // a corner: -x, -y, -z, +z
    CHECK_EQ(countNormals(&normals, 1), 3);
    CHECK_EQ(countNormals(&normals, 5), 2);
    pbdrFaceNormals_Free(&normals);
    pbdrSphereSet_Free(&set);
}

static void face_normals__packed_spheres_know_their_faces(void)
{
    pbdrMesh mesh = makeCube();
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 300;
    pbdrFaceNormals normals;
    pbdrSphereSet set = packOr(&mesh, &def, &normals);
    CHECK_EQ(normals.sphereCount, 300);
    int down = 0, standing = 0;
    for (int i = 0; i < set.count; i++) {
        CHECK_GE(countNormals(&normals, i), 1);
        CHECK_LE(countNormals(&normals, i), 3);
        for (int k = normals.firsts[i]; k < normals.firsts[i + 1]; k++) {
            // n.c + r is the face's distance from the origin: 0.2 or 0
            double d = pbdrDot(normals.normals[k], set.positions[i]) + set.radii[i];
            CHECK_LE(fmin(fabs(d), fabs(d - 0.2)), 1.0e-7);
            CHECK_NEAR(pbdrLength(normals.normals[k]), 1.0, 1.0e-12);
            down += normals.normals[k].z == -1.0;
        }
        standing += set.positions[i].z - set.radii[i] == 0.0;
    }
    CHECK_GE(standing, 10);
    CHECK_GE(down, standing);
    pbdrFaceNormals_Free(&normals);
    CHECK(normals.firsts == NULL && normals.normals == NULL);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&mesh);
}

// --- Contract ---

static void surface_packing__same_seed_gives_the_same_bits(void)
{
    pbdrMesh mesh = makeBallMesh(0.1, 24, 12, 0.2);
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 200;
    def.seed = 5;
    pbdrSphereSet a = packOr(&mesh, &def, NULL), b = packOr(&mesh, &def, NULL);
    def.seed = 6;
    pbdrSphereSet c = packOr(&mesh, &def, NULL);
    CHECK_EQ(a.count, b.count);
    CHECK(memcmp(a.positions, b.positions, 200 * sizeof *a.positions) == 0);
    CHECK(memcmp(a.radii, b.radii, 200 * sizeof *a.radii) == 0);
    CHECK(memcmp(a.positions, c.positions, 200 * sizeof *a.positions) != 0);
    pbdrSphereSet_Free(&a);
    pbdrSphereSet_Free(&b);
    pbdrSphereSet_Free(&c);
    pbdrMesh_Free(&mesh);
}

typedef struct Watch {
    int calls, stopAt;
    double last;
    bool backwards;
} Watch;

static bool watch(void* context, double share)
{
    Watch* w = context;
    w->backwards = w->backwards || share < w->last || share > 1.0;
    w->last = share;
    return ++w->calls != w->stopAt;
}

static void surface_packing__progress_grows_and_stops(void)
{
    pbdrMesh mesh = makeCube();
    Watch all = {0};
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 300;
    def.progress = watch;
    def.progressContext = &all;
    pbdrSphereSet set = packOr(&mesh, &def, NULL);
    pbdrSphereSet_Free(&set);
    CHECK_GE(all.calls, 5);
    CHECK(!all.backwards);
    for (int stop = 1; stop <= all.calls; stop += all.calls / 4) {
        Ledger memory = {0};
        pbdrHooks hooks = makeHooks(&memory);
        Watch some = {.stopAt = stop};
        def.progressContext = &some;
        pbdrError error = {0};
        CHECK_EQ(pbdrPackSurface(&mesh, &def, 1.0, &hooks, &set, NULL, &error), pbdr_statusStopped);
        CHECK_TEXT(error.message, "stopped");
        CHECK_EQ(some.calls, stop);
        CHECK_EQ(set.count, 0);
        CHECK_EQ(memory.bytes, 0);
    }
    pbdrMesh_Free(&mesh);
}

static void surface_packing__refuses_bad_input_by_name(void)
{
    pbdrMesh mesh = makeCube();
    pbdrSurfacePackingDef good = pbdrDefaultSurfacePackingDef();
    good.count = 10;
    const struct {
        const char* name;
        pbdrSurfacePackingDef def;
        double mass;
    } cases[] = {
        {"not made by", {.count = 10}, 1.0},
        {"none of count", {.cookie = good.cookie, .size = good.size}, 1.0},
        {"count", {.count = -1, .cookie = good.cookie, .size = good.size}, 1.0},
        {"radius", {.radius = (double)NAN, .cookie = good.cookie, .size = good.size}, 1.0},
        {"meanGap", {.meanGap = -1.0, .cookie = good.cookie, .size = good.size}, 1.0},
        {"largestGap", {.largestGap = (double)INFINITY, .cookie = good.cookie, .size = good.size}, 1.0},
        {"baseTolerance",
         {.count = 10, .baseTolerance = -0.1, .cookie = good.cookie, .size = good.size},
         1.0},
        {"sampleCount", {.count = 10, .sampleCount = -5, .cookie = good.cookie, .size = good.size}, 1.0},
        {"samples", {.meanGap = 1.0e-12, .cookie = good.cookie, .size = good.size}, 1.0},
        {"mass", good, 0.0},
        {"mass", good, (double)NAN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pbdrSphereSet set;
        pbdrError error = {0};
        CHECK_EQ(pbdrPackSurface(&mesh, &cases[i].def, cases[i].mass, NULL, &set, NULL, &error),
                 pbdr_statusInvalidArgument);
        CHECK_TEXT(error.message, cases[i].name);
        CHECK_EQ(set.count, 0);
    }
    pbdrSphereSet set;
    pbdrFaceNormals normals;
    pbdrMesh empty = {0};
    CHECK_EQ(pbdrPackSurface(&empty, &good, 1.0, NULL, &set, NULL, NULL), pbdr_statusMeshBroken);
    CHECK_EQ(pbdrPackBox(1, 1, 1, 0.1, 1.0, NULL, &set, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrFindMeshNormals(&set, &mesh, -1.0, NULL, &normals, NULL), pbdr_statusInvalidArgument);
    CHECK_EQ(pbdrFindBoxNormals(&set, pbdrVec(0, 0, 0), pbdrVec(1, 0, 1), 0.0, NULL, &normals, NULL),
             pbdr_statusInvalidArgument);
    pbdrSphereSet_Free(&set);
    CHECK_EQ(pbdrFindMeshNormals(&set, &mesh, 0.0, NULL, &normals, NULL), pbdr_statusNoParticles);
    pbdrMesh_Free(&mesh);
}

static void surface_packing__survives_failure_of_any_allocation(void)
{
    // With a lost facet and a doubled one, so that the repair takes memory, too.
    Soup soup = {0};
    addBox(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    memcpy(soup.corners[11], soup.corners[0], sizeof soup.corners[0]);
    pbdrVec3 kept = soup.corners[11][1];
    soup.corners[11][1] = soup.corners[11][2];
    soup.corners[11][2] = kept;
    pbdrMesh mesh = makeMesh(&soup);
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 8;
    def.sampleCount = 60;
    bool done = false;
    int failures = 0;
    for (int failAt = 1; !done; failAt++) {
        Ledger memory = {.failAt = failAt};
        pbdrHooks hooks = makeHooks(&memory);
        pbdrSphereSet set;
        pbdrFaceNormals normals;
        pbdrError error = {0};
        pbdrStatus status = pbdrPackSurface(&mesh, &def, 1.0, &hooks, &set, &normals, &error);
        done = status == pbdr_statusOk;
        failures += !done;
        CHECK(done || (status == pbdr_statusNoMemory && strstr(error.message, "no memory") != NULL));
        CHECK_EQ(set.count, done ? 8 : 0);
        CHECK_EQ(normals.sphereCount, set.count);
        pbdrFaceNormals_Free(&normals);
        pbdrSphereSet_Free(&set);
        CHECK_EQ(memory.bytes, 0);
    }
    CHECK_GE(failures, 40);
    pbdrMesh_Free(&mesh);
}

static void solid__overlap_survives_failure_of_any_allocation(void)
{
    Soup soup = {0};
    addBox(&soup, pbdrVec(0.0, 0.0, 0.0), pbdrVec(1.0, 1.0, 1.0));
    addBox(&soup, pbdrVec(0.9, 0.2, 0.2), pbdrVec(1.4, 0.8, 0.8));
    pbdrMesh mesh = makeMesh(&soup);
    bool done = false;
    int failures = 0;
    for (int failAt = 1; !done; failAt++) {
        Ledger memory = {.failAt = failAt};
        mesh.hooks = makeHooks(&memory); // as if it had been made with them
        pbdrMassProperties p;
        pbdrError error = {0};
        pbdrStatus status = pbdrMesh_GetSolidProperties(&mesh, 1.0, &p, NULL, &error);
        done = status == pbdr_statusOk;
        failures += !done;
        CHECK(done || (status == pbdr_statusNoMemory && strstr(error.message, "no memory") != NULL));
        CHECK_EQ(memory.bytes, 0);
    }
    CHECK_GE(failures, 20);
    mesh.hooks = (pbdrHooks){0};
    pbdrMesh_Free(&mesh);
}

static void surface_packing__of_a_thin_disc_can_be_weighed(void)
{
    // spheres that fill the thickness have their centres at half of it: small ones in the base's many corners
    // alone would leave the centre of mass at the edge of the hull of the centres
    enum { sides = 180 };
    Soup soup = {0};
    pbdrVec3 up = pbdrVec(0.0, 0.0, 0.0027), middle = pbdrVec(0.0, 0.0, 0.0);
    for (int i = 0; i < sides; i++) {
        double a = 2.0 * PBDR_PI * i / sides, b = 2.0 * PBDR_PI * ((i + 1) % sides) / sides;
        pbdrVec3 p = pbdrVec(0.1 * cos(a), 0.1 * sin(a), 0.0), q = pbdrVec(0.1 * cos(b), 0.1 * sin(b), 0.0);
        addTriangle(&soup, middle, q, p);
        addTriangle(&soup, up, pbdrAdd(p, up), pbdrAdd(q, up));
        addTriangle(&soup, p, q, pbdrAdd(q, up));
        addTriangle(&soup, p, pbdrAdd(q, up), pbdrAdd(p, up));
    }
    pbdrMesh disc = makeMesh(&soup);
    pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
    def.count = 801;
    pbdrSphereSet set;
    pbdrMassProperties truth;
    pbdrMassFit fit;
    CHECK_EQ(pbdrPackSurface(&disc, &def, 1.0, NULL, &set, NULL, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrMesh_GetMassProperties(&disc, 1.0, &truth, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrSphereSet_FitMasses(&set, &truth, &fit, NULL), pbdr_statusOk);
    pbdrVec3 centre = pbdrSphereSet_GetMassProperties(&set).centre;
    CHECK_LE(pbdrLength(pbdrSub(centre, truth.centre)), 1.0e-13);
    pbdrSphereSet_Free(&set);
    pbdrMesh_Free(&disc);
}

static void face_normals__of_a_shallow_roof_are_two(void)
{
    // A prism along y with a roof of two faces that are `degrees` apart. A ball under the ridge touches both;
    // below one degree they count as one.
    static const double degrees[] = {0.5, 2.0, 5.0, 10.0, 20.0, 25.0};
    for (int k = 0; k < 6; k++) {
        double half = 0.5 * degrees[k] * PBDR_PI / 180.0, rise = tan(half);
        pbdrVec3 p[2][4]; // floor left, floor right, eaves and ridge below
        pbdrVec3 ridge[2];
        for (int e = 0; e < 2; e++) {
            double y = e == 0 ? -1.0 : 1.0;
            p[e][0] = pbdrVec(-1.0, y, -1.0);
            p[e][1] = pbdrVec(1.0, y, -1.0);
            p[e][2] = pbdrVec(1.0, y, -rise);
            p[e][3] = pbdrVec(-1.0, y, -rise);
            ridge[e] = pbdrVec(0.0, y, 0.0);
        }
        Soup soup = {0};
        const pbdrVec3 outline[2][5] = {{p[0][0], p[0][1], p[0][2], ridge[0], p[0][3]},
                                        {p[1][0], p[1][1], p[1][2], ridge[1], p[1][3]}};
        for (int i = 0; i < 5; i++) {
            int next = (i + 1) % 5;
            addTriangle(&soup, outline[0][i], outline[0][next], outline[1][next]);
            addTriangle(&soup, outline[0][i], outline[1][next], outline[1][i]);
        }
        for (int i = 1; i < 4; i++) {
            addTriangle(&soup, outline[0][0], outline[0][i + 1], outline[0][i]);
            addTriangle(&soup, outline[1][0], outline[1][i], outline[1][i + 1]);
        }
        pbdrMesh mesh = makeMesh(&soup);
        // turned outwards or inwards, a closed mesh faces out; the ball's distance from both faces is r
        double r = 0.3;
        pbdrVec3 centre = pbdrVec(0.0, 0.0, -r / cos(half));
        double radius = r, mass = 1.0;
        pbdrSphereSet set = {.count = 1, .positions = &centre, .radii = &radius, .masses = &mass};
        pbdrFaceNormals normals;
        CHECK_EQ(pbdrFindMeshNormals(&set, &mesh, 1.0e-9, NULL, &normals, NULL), pbdr_statusOk);
        CHECK_EQ(normals.firsts[1], degrees[k] < 1.0 ? 1 : 2);
        for (int i = 0; i < normals.firsts[1]; i++) {
            CHECK_NEAR(normals.normals[i].z, cos(half), 1.0e-12);
        }
        pbdrFaceNormals_Free(&normals);
        pbdrMesh_Free(&mesh);
    }
}

#define CASE(name)                                                                                           \
    {                                                                                                        \
#name, name                                                                                          \
    }

int main(int argc, char** argv)
{
    CASES(argc, argv, CASE(surface_packing__of_a_thin_disc_can_be_weighed),
          CASE(surface_packing__cubes_spheres_are_inside_and_tangent),
          CASE(surface_packing__more_spheres_leave_smaller_gaps),
          CASE(surface_packing__gap_and_radius_are_kept),
          CASE(surface_packing__one_sphere_of_a_cube_is_the_inscribed_one),
          CASE(surface_packing__thin_parts_are_not_left_out),
          CASE(surface_packing__is_as_good_at_any_scale_and_place),
          CASE(surface_packing__flat_base_stays_flat_and_wide),
          CASE(surface_packing__round_underside_stays_round), CASE(surface_packing__a_dozen_spheres_stand),
          CASE(face_normals__box_grid_has_corners_edges_and_faces),
          CASE(face_normals__layer_touches_top_and_bottom),
          CASE(face_normals__packed_spheres_know_their_faces),
          CASE(surface_packing__same_seed_gives_the_same_bits),
          CASE(surface_packing__progress_grows_and_stops), CASE(surface_packing__refuses_bad_input_by_name),
          CASE(surface_packing__survives_failure_of_any_allocation),
          CASE(solid__overlap_survives_failure_of_any_allocation),
          CASE(face_normals__of_a_shallow_roof_are_two));
}
