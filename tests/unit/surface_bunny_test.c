// The bars of the surface packing: the bunny of prusa-slicer, scaled per axis to a cube of 0.2 m.
#include "meshes.h"
#include "pbdr/meshfile.h"

static pbdrMesh bunny;
static bool haveBunny;

#define NEED_BUNNY()                                                                                         \
    do {                                                                                                     \
        if (!haveBunny) {                                                                                    \
            SKIP("PBDR_BUNNY does not name bunny.stl (make setup fetches it from Debian's prusa-slicer)");   \
        }                                                                                                    \
    } while (0)

static void loadBunny(void)
{
    const char* path = getenv("PBDR_BUNNY");
    haveBunny = path != NULL && pbdrLoadMesh(path, NULL, &bunny, NULL, NULL) == pbdr_statusOk &&
                pbdrMesh_FitCube(&bunny, 0.2, NULL) == pbdr_statusOk;
}

static pbdrPackingQuality packAndMeasure(const pbdrSurfacePackingDef* def)
{
    pbdrSphereSet set;
    pbdrPackingQuality quality = {0};
    pbdrError error = {0};
    pbdrStatus status = pbdrPackSurface(&bunny, def, 2.176, NULL, &set, NULL, &error);
    status =
        status != pbdr_statusOk ? status : pbdrMeasurePacking(&bunny, &set, 0, 99, NULL, &quality, &error);
    if (status != pbdr_statusOk) {
        printf("    %s\n", error.message);
    }
    CHECK_EQ(status, pbdr_statusOk);
    pbdrSphereSet_Free(&set);
    return quality;
}

static void bunny__gaps_meet_the_bars(void)
{
    NEED_BUNNY();
    const struct {
        int count;
        double meanGap;
    } bars[] = {{801, 1.0e-3}, {2191, 0.45e-3}};
    for (int i = 0; i < 2; i++) {
        pbdrSurfacePackingDef def = pbdrDefaultSurfacePackingDef();
        def.count = bars[i].count;
        pbdrPackingQuality q = packAndMeasure(&def);
        CHECK_EQ(q.sphereCount, bars[i].count);
        CHECK_LE(q.meanGap, bars[i].meanGap);
        CHECK_LE(q.protrusion, 0.6e-3); // spheres of the base that were lowered
        CHECK_GE(q.cover, 0.9);
        CHECK_GE(q.supportArea, 0.95 * q.meshSupportArea);
        CHECK_NEAR(q.margin, q.meshMargin, 1.5e-3);
        CHECK_NEAR(q.centreHeight, 0.073, 0.5e-3);
        // it does not tip when pushed with friction 0.4, whichever way
        for (int k = 0; k < 16; k++) {
            pbdrVec3 push = {cos(PBDR_PI * k / 8.0), sin(PBDR_PI * k / 8.0), 0.0};
            CHECK_GE(pbdrPackingQuality_GetReach(&q, push), 0.4 * q.centreHeight);
        }
        pbdrPackingQuality_Free(&q);
        def.baseTolerance = 0.0;
        q = packAndMeasure(&def);
        CHECK_LE(q.protrusion, 1.0e-6);
        CHECK_LE(q.meanGap, bars[i].meanGap);
        pbdrPackingQuality_Free(&q);
    }
}

static void bunny__damage_is_mended_or_refused(void)
{
    NEED_BUNNY();
    pbdrMassProperties sound, p;
    CHECK_EQ(pbdrMesh_GetMassProperties(&bunny, 1.0, &sound, NULL), pbdr_statusOk);
    int taken = 0, lost = 0;
    for (int damage = 0; damage < damageCount; damage++) {
        for (uint64_t seed = 1; seed <= 5; seed++) {
            pbdrMesh damaged = damageMesh(&bunny, (Damage)damage, damage == damageLost ? 0.03 : 0.06, seed);
            pbdrError error = {0};
            pbdrStatus status = pbdrMesh_GetSolidProperties(&damaged, 1.0, &p, NULL, &error);
            if (status == pbdr_statusOk) {
                CHECK_NEAR(p.volume, sound.volume, 0.01 * sound.volume);
                taken++;
                lost += damage == damageLost;
            } else {
                CHECK(status == pbdr_statusMeshOpen || status == pbdr_statusMeshBroken);
                CHECK_TEXT(error.message, "mesh:");
            }
            pbdrMesh_Free(&damaged);
        }
    }
    CHECK_EQ(lost, 5); // 3 % of the facets lost need no refusal
    CHECK_GE(taken, 25);
    for (int k = 1; k <= 6; k++) { // holes: within 1 %, or refused
        pbdrMesh damaged = cutHole(&bunny, bunny.vertices[bunny.vertexCount / 2], 0.01 * k);
        if (pbdrMesh_GetSolidProperties(&damaged, 1.0, &p, NULL, NULL) == pbdr_statusOk) {
            CHECK_NEAR(p.volume, sound.volume, 0.01 * sound.volume);
        }
        pbdrMesh_Free(&damaged);
    }
}

int main(int argc, char** argv)
{
    loadBunny();
    CASES(argc, argv, {"bunny__gaps_meet_the_bars", bunny__gaps_meet_the_bars},
          {"bunny__damage_is_mended_or_refused", bunny__damage_is_mended_or_refused});
}
