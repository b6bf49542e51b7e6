// Things set on each other on a box: what statics says stands stays for 10 s, to rounding, by surface contact with
// nothing asked for.
#include "xpbdr_scenes.h"

#include "pbdr/meshfile.h"

enum { BOX, CYLINDER, CAPSULE, NUT, BUNNY, KIND_COUNT };
static const char* const names[KIND_COUNT] = {"box", "cylinder", "capsule", "nut", "bunny"};

typedef struct Thing {
    pbdrShape* shape;
    double below, above; // its extent from the centre of mass as it stands [m]; above 0: nothing stands on it
} Thing;

static Thing packThing(const pbdrMesh* mesh, double mass, int count, double height)
{
    pbdrPackDef def = pbdrDefaultPackDef();
    def.mass = mass;
    def.count = count;
    def.skipQuality = true;
    pbdrPackedBody body;
    pbdrError error;
    require(pbdrPackMeshBody(mesh, &def, NULL, &body, NULL, &error), &error);
    Thing thing = {.shape = NULL};
    require(pbdrCreatePackedShape(&body, NULL, &thing.shape, &error), &error);
    pbdrPackedBody_Free(&body);
    thing.below = pbdrShape_GetCentre(thing.shape).z;
    thing.above = height > 0.0 ? height - thing.below : 0.0;
    return thing;
}

// A hexagon 0.12 m across its corners and 0.04 m high, with a bore of 0.06 m.
static Thing makeNut(void)
{
    enum { SIDES = 24 };
    pbdrVec3 vertices[4 * SIDES];
    int32_t triangles[8 * SIDES][3];
    const double sixth = PBDR_PI / 3.0;
    for (int i = 0; i < SIDES; i++) {
        double angle = 2.0 * PBDR_PI * i / SIDES;
        double outer = 0.06 * cos(0.5 * sixth) / cos(fmod(angle, sixth) - 0.5 * sixth);
        for (int z = 0; z < 2; z++) {
            vertices[4 * i + z] = pbdrVec(outer * cos(angle), outer * sin(angle), 0.04 * z);
            vertices[4 * i + 2 + z] = pbdrVec(0.03 * cos(angle), 0.03 * sin(angle), 0.04 * z);
        }
    }
    int count = 0;
    for (int i = 0; i < SIDES; i++) {
        const int a = 4 * i, b = 4 * ((i + 1) % SIDES);
        const int quads[4][4] = {{a, b, b + 1, a + 1},
                                 {b + 2, a + 2, a + 3, b + 3},
                                 {a + 1, b + 1, b + 3, a + 3},
                                 {b, a, a + 2, b + 2}};
        for (int k = 0; k < 8; k++) {
            const int* quad = quads[k / 2];
            triangles[count][0] = quad[0];
            triangles[count][1] = quad[k % 2 == 0 ? 1 : 2];
            triangles[count++][2] = quad[k % 2 == 0 ? 2 : 3];
        }
    }
    pbdrMesh mesh = {0};
    pbdrError error;
    require(
        pbdrCreateMesh(vertices, 4 * SIDES, (const int32_t(*)[3])triangles, count, NULL, &mesh, NULL, &error),
        &error);
    Thing nut = packThing(&mesh, 0.3, 300, 0.04);
    pbdrMesh_Free(&mesh);
    return nut;
}

// The benchmark's; no shape without its file.
static Thing makeBunny(void)
{
    pbdrMesh mesh = {0};
    pbdrError error;
    if (pbdrLoadMesh(PBDR_DATA_DIR "/bunny.stl", NULL, &mesh, NULL, &error) != pbdr_statusOk) {
        return (Thing){.shape = NULL};
    }
    require(pbdrMesh_FitCube(&mesh, 0.2, &error), &error);
    Thing bunny = packThing(&mesh, 2.18, 801, 0.0);
    pbdrMesh_Free(&mesh);
    return bunny;
}

static Thing things[KIND_COUNT];
static pbdrShape* table;

static pbdrBodyId put(pbdrWorld* world, int kind, double* top)
{
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, *top + things[kind].below);
    def.rotation =
        kind == CAPSULE ? turnAbout(pbdrVec(0.0, 1.0, 0.0), 0.5 * PBDR_PI) : (pbdrQuat){1.0, 0.0, 0.0, 0.0};
    pbdrBodyId id;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, things[kind].shape, &id, &error), &error);
    *top += things[kind].below + things[kind].above;
    return id;
}

// How far the upper thing, on the lower one (negative: none) on a box, moves in 10 s [m].
static double stand(int upper, int lower, pbdrBodyKind boxKind)
{
    pbdrWorld* world = makeConvergedOnGround(0.4);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = pbdrVec(0.0, 0.0, 0.05);
    def.kind = boxKind;
    pbdrError error;
    require(pbdrCreateBodyFromShape(world, &def, table, NULL, &error), &error);
    double top = 0.1;
    if (lower >= 0) {
        put(world, lower, &top);
    }
    pbdrBodyId id = put(world, upper, &top);
    pbdrVec3 start = pbdrBody_GetPose(world, id).position;
    CHECK_EQ(stepCounting(world, SLOW_BUILD ? 500 : 10000), 0);
    double moved = pbdrLength(pbdrSub(pbdrBody_GetPose(world, id).position, start));
    pbdrDestroyWorld(world);
    return moved;
}

// A capsule that lies is free to roll; on the nut's mesh it lies on points, on which it settles.
static double getBar(int upper, int lower)
{
    return upper == CAPSULE && lower == NUT ? 1e-7 : 4e-12;
}

static void pairs__stay_where_they_are_set(void)
{
    double worst = 0.0;
    for (int upper = 0; upper < KIND_COUNT; upper++) {
        for (int lower = -1; lower < KIND_COUNT; lower++) {
            bool stands = lower < 0 || things[lower].above > 0.0;
            if (!stands || things[upper].shape == NULL || (lower >= 0 && things[lower].shape == NULL)) {
                continue;
            }
            for (int fixed = 0; fixed < 2; fixed++) {
                double moved = stand(upper, lower, fixed ? pbdr_bodyStatic : pbdr_bodyDynamic);
                if (moved > getBar(upper, lower)) {
                    printf("    %s on %s moves by %.3g m\n", names[upper],
                           lower < 0 ? "the box" : names[lower], moved);
                }
                CHECK_LE(moved, getBar(upper, lower));
                worst = getBar(upper, lower) < 1e-9 ? fmax(worst, moved) : worst;
            }
        }
    }
    printf("    worst %.3g m in 10 s\n", worst);
}

static void bunny__is_there(void)
{
    if (things[BUNNY].shape == NULL) {
        SKIP("no bunny.stl (make setup)");
    }
}

int main(int argc, char** argv)
{
    pbdrError error;
    require(pbdrCreateBoxShape(pbdrVec(0.4, 0.4, 0.1), 16.0, 4, &table, &error), &error);
    things[BOX] = (Thing){NULL, 0.1, 0.1};
    things[CYLINDER] = (Thing){NULL, 0.05, 0.05};
    things[CAPSULE] = (Thing){NULL, 0.04, 0.0};
    require(pbdrCreateBoxShape(pbdrVec(0.2, 0.2, 0.2), 4.0, 4, &things[BOX].shape, &error), &error);
    require(pbdrCreateCylinderShape(0.05, 0.1, 1.0, 4, &things[CYLINDER].shape, &error), &error);
    require(pbdrCreateCapsuleShape(0.04, 0.1, 1.0, &things[CAPSULE].shape, &error), &error);
    things[NUT] = makeNut();
    things[BUNNY] = makeBunny();
    CASES(argc, argv, {"pairs__stay_where_they_are_set", pairs__stay_where_they_are_set},
          {"bunny__is_there", bunny__is_there});
}
