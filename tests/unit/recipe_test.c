// Recipes: the world that is made of one has the bits of the world whose recipe it is; numbers that make no world are
// refused.
#define _POSIX_C_SOURCE 200809L
#include "pbdr/recipe.h"

#include "written_files.h"

#include <math.h>

// A compound that falls, a ball with a force, a mesh that lies, a static compound, and a plate that follows a way.
static const char text[] =
    "{\"schema\": \"pbdr-scene/2\", \"planes\": [{\"normal\": [0, 0, 1], \"friction\": 0.3}],\n"
    "\"bodies\": [\n"
    "{\"name\": \"hammer\", \"shape\": \"compound\", \"mass_kg\": 2, \"start\": {\"position_m\": [0, 0, "
    "0.3]},\n"
    " \"start_angular_velocity_radps\": [1, 2, 0], \"parts\": [\n"
    "  {\"shape\": \"box\", \"half_extents_m\": [0.05, 0.05, 0.1]},\n"
    "  {\"shape\": \"cylinder\", \"radius_m\": 0.02, \"half_length_m\": 0.1, \"position_m\": [0.1, 0, "
    "0]}]},\n"
    "{\"name\": \"ball\", \"shape\": \"ball\", \"radius_m\": 0.05, \"mass_kg\": 1, \"restitution\": 0.4,\n"
    " \"category\": 5, \"force_N\": [0.5, 0, 0], \"start\": {\"position_m\": [0.4, 0, 0.2]}},\n"
    "{\"name\": \"tetrahedron\", \"shape\": \"mesh\", \"mass_kg\": 1, \"start\": {\"position_m\": [-0.5, 0, "
    "0.01]},\n"
    " \"vertices_m\": [[0,0,0],[0.1,0,0],[0,0.1,0],[0,0,0.1]], \"triangles\": "
    "[[0,2,1],[0,1,3],[1,2,3],[0,3,2]]},\n"
    "{\"name\": \"step\", \"kind\": \"static\", \"shape\": \"compound\", \"parts\": [\n"
    "  {\"shape\": \"box\", \"half_extents_m\": [0.1, 0.1, 0.02], \"position_m\": [0, 0.5, 0.02]},\n"
    "  {\"shape\": \"box\", \"half_extents_m\": [0.1, 0.1, 0.02], \"position_m\": [0.2, 0.5, 0.06]}]},\n"
    "{\"name\": \"plate\", \"kind\": \"kinematic\", \"shape\": \"box\", \"half_extents_m\": [0.2, 0.1, "
    "0.01],\n"
    " \"start\": {\"position_m\": [0, 0, 0.05]}, \"path\": [{\"time_s\": 0}, {\"time_s\": 0.05, "
    "\"position_m\": [0.1, 0, 0.05]},\n"
    "  {\"time_s\": 0.1, \"position_m\": [0, 0, 0.1]}]}]}";

static pbdrSceneFile* load(void)
{
    pbdrSceneFile* scene = NULL;
    pbdrError error = {.message = ""};
    writeFile("recipe.json", text, sizeof text - 1);
    if (pbdrLoadScene(getPath("recipe.json"), NULL, &scene, &error) != pbdr_statusOk) {
        printf("    %s\n", error.message);
        const bool loads = false;
        CHECK(loads);
    }
    return scene;
}

// The recipe of the scene in the solver's world, whose hash after 150 substeps is in *hash.
static void record(const pbdrSceneFile* scene, pbdrSolver solver, pbdrPrecision precision, pbdrRecipe* recipe,
                   uint64_t* hash)
{
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    def.solver = solver;
    def.precision = precision;
    CHECK_EQ(pbdrRecordSceneWorld(scene, &def, NULL, recipe, &made, &error), pbdr_statusOk);
    if (made != NULL) {
        pbdrSceneWorld_Step(made, 150);
        *hash = pbdrWorld_GetHash(made->world);
        CHECK_EQ(recipe->bodyCount, made->idCount);
        pbdrDestroySceneWorld(made);
    }
}

static void recipe__makes_the_same_bits(void)
{
    static const struct {
        pbdrSolver solver;
        pbdrPrecision precision;
    } kinds[] = {{pbdr_solverPbd, pbdr_precisionF32},
                 {pbdr_solverPbdR, pbdr_precisionF32},
                 {pbdr_solverPbdR, pbdr_precisionF64},
                 {pbdr_solverXpbdR, pbdr_precisionF64}};
    pbdrSceneFile* scene = load();
    for (size_t k = 0; scene != NULL && k < sizeof kinds / sizeof kinds[0]; k++) {
        pbdrRecipe recipe = {.count = 0};
        pbdrRecipeWorld* again = NULL;
        pbdrError error = {.message = ""};
        uint64_t hash = 0;
        record(scene, kinds[k].solver, kinds[k].precision, &recipe, &hash);
        CHECK_EQ(pbdrCreateRecipeWorld(recipe.numbers, recipe.count, NULL, &again, &error), pbdr_statusOk);
        if (again != NULL) {
            pbdrRecipeWorld_Step(again, 70); // in pieces: targets fall into the middle of some
            pbdrRecipeWorld_Step(again, 80);
            CHECK(pbdrWorld_GetHash(again->world) == hash);
            CHECK_EQ(again->targetCount, 2);
        }
        pbdrDestroyRecipeWorld(again);
        pbdrRecipe_Free(&recipe);
    }
    pbdrFreeScene(scene);
}

static void recipe__cut_anywhere_is_refused_or_whole(void)
{
    pbdrSceneFile* scene = load();
    pbdrRecipe recipe = {.count = 0};
    uint64_t hash = 0;
    int taken = 0, refused = 0;
    if (scene != NULL) {
        record(scene, pbdr_solverXpbdR, pbdr_precisionF64, &recipe, &hash);
    }
    for (size_t count = 0; count < recipe.count; count++) {
        pbdrRecipeWorld* made = NULL;
        pbdrError error = {.message = ""};
        pbdrStatus status = pbdrCreateRecipeWorld(recipe.numbers, count, NULL, &made, &error);
        CHECK((status == pbdr_statusOk) == (made != NULL));
        taken += made != NULL;
        refused += status == pbdr_statusFileFormat && error.message[0] != 0;
        pbdrDestroyRecipeWorld(made);
    }
    CHECK_EQ(taken + refused, (int)recipe.count);
    // between entries only: one world, one plane, six shapes and bodies (the step has two), two targets, less the last
    CHECK_EQ(taken, 1 + 1 + 6 + 6 + 2 - 1);
    pbdrRecipe_Free(&recipe);
    pbdrFreeScene(scene);
}

static void recipe__with_a_number_spoilt_breaks_nothing(void)
{
    static const double bad[] = {(double)NAN, (double)INFINITY, -1.0, 0.5, 1.0e300, 4294967296.0};
    pbdrSceneFile* scene = load();
    pbdrRecipe recipe = {.count = 0};
    uint64_t hash = 0;
    int refused = 0;
    if (scene != NULL) {
        record(scene, pbdr_solverXpbdR, pbdr_precisionF64, &recipe, &hash);
    }
    for (size_t k = 0; k < recipe.count; k += 3) {
        const double good = recipe.numbers[k];
        pbdrRecipeWorld* made = NULL;
        pbdrError error = {.message = ""};
        recipe.numbers[k] = bad[k / 3 % (sizeof bad / sizeof bad[0])];
        refused += pbdrCreateRecipeWorld(recipe.numbers, recipe.count, NULL, &made, &error) != pbdr_statusOk;
        CHECK((error.message[0] != 0) == (made == NULL));
        pbdrDestroyRecipeWorld(made);
        recipe.numbers[k] = good;
    }
    CHECK_GE(refused, 20);
    pbdrRecipe_Free(&recipe);
    pbdrFreeScene(scene);
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    CASES(argc, argv, {"recipe__makes_the_same_bits", recipe__makes_the_same_bits},
          {"recipe__cut_anywhere_is_refused_or_whole", recipe__cut_anywhere_is_refused_or_whole},
          {"recipe__with_a_number_spoilt_breaks_nothing", recipe__with_a_number_spoilt_breaks_nothing});
}
