// Scene files: what our own format says becomes a world; what is wrong in it is refused with file, line and value; what
// is not known is listed.
#define _POSIX_C_SOURCE 200809L
#include "pbdr/scenefile.h"

#include "ledger.h"
#include "written_files.h"

#define HEAD "{\"schema\": \"pbdr-scene/2\",\n"
#define BOX "\"shape\": \"box\", \"half_extents_m\": [0.1, 0.1, 0.1]"
#define BODY(name) "{\"name\": \"" name "\", " BOX ", \"mass_kg\": 4"

static const char* putScene(const char* text)
{
    writeFile("scene.json", text, strlen(text));
    return getPath("scene.json");
}

static pbdrSceneFile* load(const char* text)
{
    pbdrSceneFile* scene = NULL;
    pbdrError error = {.message = ""};
    if (pbdrLoadScene(putScene(text), NULL, &scene, &error) != pbdr_statusOk) {
        printf("    %s\n", error.message);
        const bool loads = false;
        CHECK(loads);
    }
    return scene;
}

static void refuse(const char* text, int line, const char* part)
{
    char place[32];
    pbdrSceneFile* scene = NULL;
    pbdrError error = {.message = ""};
    CHECK_EQ(pbdrLoadScene(putScene(text), NULL, &scene, &error), pbdr_statusFileFormat);
    CHECK(scene == NULL);
    snprintf(place, sizeof place, line > 0 ? "scene.json:%d: " : "scene.json: ", line);
    CHECK_TEXT(error.message, place);
    CHECK_TEXT(error.message, part);
}

static pbdrSceneWorld* makeWorldOf(const pbdrSceneFile* scene, pbdrSolver solver)
{
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    pbdrSceneWorld* made = NULL;
    pbdrError error = {.message = ""};
    def.solver = solver;
    if (pbdrCreateSceneWorld(scene, &def, NULL, &made, &error) != pbdr_statusOk) {
        printf("    %s\n", error.message);
        const bool makesWorld = false;
        CHECK(makesWorld);
    }
    return made;
}

// --- What is read ---

static void scene__is_read_whole(void)
{
    pbdrSceneFile* scene = load(
        HEAD
        "\"name\": \"all\", \"gravity_mps2\": [0, 0, -10], \"time_step_s\": 0.002, \"duration_s\": 3, "
        "\"friction_mixing\": \"maximum\", \"sphere_count\": 27, \"effort\": \"exact\", \"tolerance\": 1e-8, "
        "\"max_newton_steps\": 9, \"sleeping\": true,\n"
        "\"planes\": [{\"name\": \"wall\", \"normal\": [1, 0, 0], \"point_m\": [-2, 0, 5], \"friction\": "
        "0.3, "
        "\"rolling_friction_m\": 0.01, \"spinning_friction_m\": 0.02, \"restitution\": 0.5, \"category\": 2, "
        "\"mask\": 5}],\n\"bodies\": [\n" BODY(
            "a") ", \"start\": {\"position_m\": [1, 2, 3], \"rotation_wxyz\": [0, 1, 0, 0]}, "
                 "\"start_velocity_mps\": [1, 0, 0], \"start_angular_velocity_radps\": [0, 0, 2], "
                 "\"force_N\": [3, 0, 0], "
                 "\"torque_Nm\": [0, 4, 0], \"friction\": 0.7, \"restitution\": 0.1, \"category\": 4, "
                 "\"mask\": 8},\n"
                 "{\"name\": \"b\", \"kind\": \"static\", \"shape\": \"ball\", \"radius_m\": 0.5},\n"
                 "{\"name\": \"c\", \"kind\": \"kinematic\", \"shape\": \"cylinder\", \"radius_m\": 0.5, "
                 "\"half_length_m\": 0.1, "
                 "\"path\": [{\"time_s\": 0}, {\"time_s\": 1, \"position_m\": [1, 0, 0]}]},\n"
                 "{\"name\": \"d\", \"shape\": \"compound\", \"mass_kg\": 2, \"parts\": [{" BOX
                 "}, {\"shape\": \"capsule\", "
                 "\"radius_m\": 0.05, \"half_length_m\": 0.2, \"position_m\": [0, 0, 0.3], \"sphere_count\": "
                 "5}]},\n"
                 "{\"name\": \"e\", \"kind\": \"static\", \"shape\": \"heightfield\", \"heights_m\": [[0, "
                 "1], [0, 1], [0, 2]], "
                 "\"spacing_m\": 0.5, \"corner_m\": [1, 1, 0]}]}");
    CHECK_EQ(scene->ignoredCount, 0);
    CHECK(strcmp(scene->name, "all") == 0);
    CHECK_EQ(scene->gravity.z, -10.0);
    CHECK_EQ(scene->timeStep, 0.002);
    CHECK_EQ(scene->duration, 3.0);
    CHECK_EQ(scene->mixing, pbdr_mixMaximum);
    CHECK_EQ(scene->sphereCount, 27);
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    CHECK(def.effort == pbdr_effortExact && def.tolerance == 1e-8 && def.maxNewtonSteps == 9 && def.sleeping);
    CHECK_EQ(scene->planeCount, 1);
    CHECK_EQ(scene->planes[0].offset, -2.0);
    CHECK_EQ(scene->planes[0].rollingFriction, 0.01);
    CHECK_EQ(scene->planes[0].spinningFriction, 0.02);
    CHECK_EQ(scene->planes[0].filter.mask, 5);
    CHECK_EQ(scene->bodyCount, 5);
    const pbdrSceneBody* a = &scene->bodies[0];
    CHECK(a->kind == pbdr_bodyDynamic && a->start.position.y == 2.0 && a->start.rotation.x == 1.0);
    CHECK(a->velocity.linear.x == 1.0 && a->velocity.angular.z == 2.0 && a->force.x == 3.0 &&
          a->torque.y == 4.0);
    CHECK(a->friction == 0.7 && a->restitution == 0.1 && a->filter.category == 4 && a->filter.mask == 8);
    CHECK_NEAR(a->solid.inertia.m[0][0], 4.0 * 0.04 / 6.0, 1.0e-15); // m s^2/6
    CHECK_EQ(scene->bodies[2].pointCount, 2);
    CHECK_EQ(scene->bodies[3].geomCount, 2);
    CHECK_EQ(scene->bodies[3].geoms[1].sphereCount, 5);
    CHECK_GE(scene->bodies[3].solid.centre.z, 1.0e-3); // towards the capsule
    CHECK(scene->meshes[scene->bodies[4].geoms[0].mesh].open);
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverXpbdR);
    CHECK_EQ(made->idCount, 5);
    CHECK_NEAR(pbdrBody_GetMass(made->world, made->bodies[0]), 4.0, 1.0e-12);
    CHECK_EQ(pbdrBody_GetForce(made->world, made->bodies[0]).x, 3.0);
    CHECK_EQ(pbdrWorld_GetMixing(made->world), pbdr_mixMaximum);
    CHECK_EQ(pbdrWorld_GetTimeStep(made->world), 0.002);
    CHECK(pbdrShape_GetSurfaceKind(pbdrBody_GetShape(made->world, made->bodies[3])) == pbdr_surfaceCompound);
    CHECK_EQ(pbdrShape_GetSphereCount(pbdrBody_GetShape(made->world, made->bodies[0])), 27);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// A solid's inertia by closed forms: a cube as eight cubes, and a box as a mesh, weigh the same.
static void weight__of_parts_and_meshes_is_that_of_the_whole(void)
{
    char parts[2000] = "";
    for (int k = 0; k < 8; k++) {
        char part[200];
        snprintf(
            part, sizeof part,
            "%s{\"shape\": \"box\", \"half_extents_m\": [0.05, 0.05, 0.05], \"position_m\": [%g, %g, %g]}",
            k > 0 ? "," : "", 0.05 * (2 * (k & 1) - 1), 0.05 * ((k & 2) - 1), 0.05 * (0.5 * (k & 4) - 1));
        strcat(parts, part);
    }
    char text[4000];
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [" BODY(
                 "one") "}, {\"name\": \"eight\", \"shape\": \"compound\", \"mass_kg\": 4, \"parts\": [%s]},"
                        "{\"name\": \"mesh\", \"shape\": \"mesh\", \"mass_kg\": 4, \"vertices_m\": "
                        "[[-0.1,-0.1,-0.1],[0.1,-0.1,-0.1],"
                        "[0.1,0.1,-0.1],[-0.1,0.1,-0.1],[-0.1,-0.1,0.1],[0.1,-0.1,0.1],[0.1,0.1,0.1],[-0.1,0."
                        "1,0.1]], \"triangles\": "
                        "[[0,2,1],[0,3,2],[4,5,6],[4,6,7],[0,1,5],[0,5,4],[1,2,6],[1,6,5],[2,3,7],[2,7,6],[3,"
                        "0,4],[3,4,7]]}]}",
             parts);
    pbdrSceneFile* scene = load(text);
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverXpbdR);
    for (int i = 0; i < 3; i++) {
        pbdrMat3 inertia = pbdrBody_GetRestInertia(made->world, made->bodies[i]);
        for (int k = 0; k < 9; k++) {
            CHECK_NEAR(inertia.m[k / 3][k % 3], k % 4 == 0 ? 4.0 * 0.04 / 6.0 : 0.0, 1.0e-12);
        }
        CHECK_NEAR(pbdrBody_GetMass(made->world, made->bodies[i]), 4.0, 1.0e-12);
    }
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// A weight that the spheres cannot have (its centre is outside of them) is had all the same.
static void weight__may_be_anywhere(void)
{
    pbdrSceneFile* scene = load(HEAD "\"bodies\": [" BODY(
        "a") ", \"com_m\": [0.3, 0, 0.4], \"inertia_kgm2\": "
             "[[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]], \"start\": {\"position_m\": [1, 1, 1]}}]}");
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverXpbdR);
    pbdrMat3 inertia = pbdrBody_GetRestInertia(made->world, made->bodies[0]);
    pbdrVec3 centre = pbdrBody_GetRestCentre(made->world, made->bodies[0]);
    CHECK_NEAR(centre.x, 0.3, 1.0e-12);
    CHECK_NEAR(centre.z, 0.4, 1.0e-12);
    CHECK_NEAR(inertia.m[0][0], 2.0, 1.0e-9);
    CHECK_NEAR(inertia.m[0][1], 0.1, 1.0e-9);
    CHECK_NEAR(inertia.m[2][2], 4.0, 1.0e-9);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.x, 1.0, 1.0e-12);
    CHECK_NEAR(pbdrBody_GetPose(made->world, made->bodies[0]).position.x, 1.3, 1.0e-12);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// --- What happens ---

// At t_k the body is at point k, exactly, with the velocity of the way between; and a world that took up a state in
// between goes on bit for bit.
static void path__is_followed(void)
{
    pbdrSceneFile* scene = load(
        HEAD
        "\"bodies\": [{\"name\": \"k\", \"kind\": \"kinematic\", " BOX ", \"path\": [{\"time_s\": 0.1}, "
        "{\"time_s\": 0.2, \"position_m\": [0.1, 0, 0]}, {\"time_s\": 0.3, \"position_m\": [0.1, 0.3, 0], "
        "\"rotation_wxyz\": [0.70710678118654752, 0, 0, 0.70710678118654752]}]}]}");
    pbdrSceneWorld *made = makeWorldOf(scene, pbdr_solverXpbdR),
                   *other = makeWorldOf(scene, pbdr_solverXpbdR);
    pbdrSceneWorld_Step(made, 100);
    CHECK_EQ(pbdrSceneWorld_GetPose(made, 0).position.x, 0.0);
    pbdrSceneWorld_Step(made, 50);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.x, 0.05, 1.0e-12);
    CHECK_NEAR(pbdrSceneWorld_GetVelocity(made, 0).linear.x, 1.0, 1.0e-9);
    pbdrSceneWorld_Step(made, 50);
    CHECK_EQ(pbdrSceneWorld_GetPose(made, 0).position.x, 0.1);
    size_t size = pbdrWorld_GetStateSize(made->world);
    void* state = malloc(size);
    CHECK_EQ(pbdrWorld_GetState(made->world, state, size, NULL), pbdr_statusOk);
    CHECK_EQ(pbdrWorld_SetState(other->world, state, size, NULL), pbdr_statusOk);
    free(state);
    pbdrSceneWorld_Step(made, 100);
    for (int k = 0; k < 100; k++) { // in one go or one by one
        pbdrSceneWorld_Step(other, 1);
    }
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.y, 0.3, 1.0e-15);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).rotation.z, sqrt(0.5), 1.0e-15);
    CHECK(pbdrWorld_GetHash(made->world) == pbdrWorld_GetHash(other->world));
    pbdrSceneWorld_Step(made, 100);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.y, 0.3, 1.0e-15);
    CHECK_EQ(pbdrSceneWorld_GetVelocity(made, 0).linear.y, 0.0);
    pbdrDestroySceneWorld(made);
    pbdrDestroySceneWorld(other);
    pbdrFreeScene(scene);
}

// start + v t + a t^2/2, exactly.
static void acceleration__is_kept(void)
{
    pbdrSceneFile* scene =
        load(HEAD "\"bodies\": [{\"name\": \"k\", \"prescribed\": true, " BOX
                  ", \"prescribed_acceleration_mps2\": [2, 0, 0], \"start_velocity_mps\": [0, 1, 0]}]}");
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverXpbdR);
    pbdrSceneWorld_Step(made, 500);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.x, 0.25, 1.0e-12);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.y, 0.5, 1.0e-12);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// Equal bodies share a shape; others do not.
static void shapes__are_shared(void)
{
    const char* inertia = "\"inertia_kgm2\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]";
    char text[1000];
    snprintf(text, sizeof text,
             HEAD "\"bodies\": [" BODY("a") "}, " BODY("b") ", \"start\": {\"position_m\": [1, 0, 0]}}, "
                                                            "{\"name\": \"c\", " BOX
                                                            ", \"mass_kg\": 5}, {\"name\": \"d\", " BOX
                                                            ", \"mass_kg\": 1, %s}, "
                                                            "{\"name\": \"e\", " BOX
                                                            ", \"mass_kg\": 2, %s}]}",
             inertia, inertia);
    pbdrSceneFile* scene = load(text);
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverXpbdR);
    const pbdrShape* shapes[5];
    for (int i = 0; i < 5; i++) {
        shapes[i] = pbdrBody_GetShape(made->world, made->bodies[i]);
    }
    CHECK(shapes[0] == shapes[1]);
    CHECK(shapes[0] != shapes[2]); // of other mass and inertia
    CHECK(shapes[3] != shapes[4]); // of other mass alone
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// Static geoms are bodies of their own, owned by their scene's body; what is called untouchable is not touched.
static void bodies__of_parts_that_stand_still(void)
{
    pbdrSceneFile* scene = load(
        HEAD "\"bodies\": [{\"name\": \"s\", \"kind\": \"static\", \"shape\": \"compound\", \"parts\": [{" BOX
             "}, {" BOX
             ", \"position_m\": [1, 0, 0]}]}," BODY("a") ", \"start\": {\"position_m\": [1, 0, 0.2]}}]}");
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverXpbdR);
    CHECK_EQ(made->idCount, 3);
    CHECK(made->owners[0] == 0 && made->owners[1] == 0 && made->owners[2] == 1);
    CHECK_EQ(pbdrSceneWorld_Step(made, 200), 0);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 1).position.z, 0.2, 1.0e-9);
    pbdrDestroySceneWorld(made);
    scene->bodies[1].untouchable = true;
    made = makeWorldOf(scene, pbdr_solverXpbdR);
    pbdrSceneWorld_Step(made, 200);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 1).position.z, 0.2 - 0.5 * 9.81 * 0.04, 1.0e-9);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// All solvers run a scene; an open mesh has no spheres to touch with.
static void solvers__all_run(void)
{
    static const char* const floorText = "\"planes\": [{}], ";
    char text[2000];
    snprintf(text, sizeof text,
             HEAD "%s\"bodies\": [" BODY(
                 "a") ", \"start\": {\"position_m\": [0, 0, 0.1]}}, {\"name\": \"b\", "
                      "\"shape\": \"cylinder\", \"radius_m\": 0.1, \"half_length_m\": 0.002, \"mass_kg\": 1, "
                      "\"start\": {\"position_m\": [1, 0, 0.002]}}, "
                      "{\"name\": \"c\", \"shape\": \"capsule\", \"radius_m\": 0.1, \"half_length_m\": 0.2, "
                      "\"mass_kg\": 1, \"start\": "
                      "{\"position_m\": [2, 0, 0.3]}}]}",
             floorText);
    pbdrSceneFile* scene = load(text);
    for (int solver = 0; solver < 3; solver++) {
        pbdrSceneWorld* made = makeWorldOf(scene, (pbdrSolver)solver);
        CHECK_EQ(pbdrSceneWorld_Step(made, 50), 0);
        CHECK_NEAR(pbdrSceneWorld_GetPose(made, 0).position.z, 0.1, 1.0e-3);
        CHECK_NEAR(pbdrSceneWorld_GetPose(made, 1).position.z, 0.002, 1.0e-3);
        pbdrDestroySceneWorld(made);
    }
    pbdrFreeScene(scene);
    scene = load(
        HEAD
        "\"bodies\": [{\"name\": \"e\", \"kind\": \"static\", \"shape\": \"heightfield\", \"heights_m\": "
        "[[0, 0], [0, 0]], \"spacing_m\": 1}]}");
    pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    def.solver = pbdr_solverPbdR;
    pbdrSceneWorld* made;
    pbdrError error = {.message = ""};
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusNotSupported);
    CHECK_TEXT(error.message, "body \"e\": an open mesh has no spheres");
    pbdrFreeScene(scene);
}

// A plate of 0.8 by 0.8 m and 1 cm has no holes for a ball of 1 cm where worlds touch by spheres.
static void spheres__leave_no_holes(void)
{
    pbdrSceneFile* scene = load(
        HEAD
        "\"bodies\": [{\"name\": \"plate\", \"kind\": \"static\", \"shape\": \"box\", \"half_extents_m\": "
        "[0.4, 0.4, 0.005]}, {\"name\": \"ball\", \"shape\": \"ball\", \"radius_m\": 0.005, \"mass_kg\": 1, "
        "\"start\": {\"position_m\": [0.123, 0.087, 0.011]}}]}");
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverPbdR);
    CHECK_EQ(pbdrSceneWorld_Step(made, 200), 0);
    CHECK_NEAR(pbdrSceneWorld_GetPose(made, 1).position.z, 0.01, 1.0e-3);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// Two tetrahedra that share an edge: no surface has edges of four facets, so that the hull stands for them.
static void mesh__that_is_no_surface_is_its_hull(void)
{
    pbdrSceneFile* scene = load(HEAD "\"bodies\": [{\"name\": \"m\", \"shape\": \"mesh\", \"mass_kg\": 1, "
                                     "\"vertices_m\": [[0,0,0],[0,0,1],[1,0,0],"
                                     "[1,1,0.5],[-1,0,0],[-1,-1,0.5]], \"triangles\": "
                                     "[[0,1,2],[0,3,1],[0,2,3],[1,3,2],[0,1,4],[0,5,1],[0,4,5],[1,5,4]]}]}");
    for (int solver = pbdr_solverPbdR; solver <= pbdr_solverXpbdR; solver++) {
        pbdrSceneWorld* made = makeWorldOf(scene, (pbdrSolver)solver);
        CHECK_NEAR(pbdrBody_GetMass(made->world, made->bodies[0]), 1.0, 1.0e-12);
        pbdrDestroySceneWorld(made);
    }
    pbdrFreeScene(scene);
}

// The benchmark's own scenes: pbdr-scene/1 with friction by pairs and its spheres, for worlds that touch by them.
static void export__is_read(void)
{
    pbdrSceneFile* scene =
        load("{\"schema\": \"pbdr-scene/1\", \"version\": \"0.2.0\", \"test\": 7, \"ground\": {\"point_m\": "
             "[0,0,0], \"normal\": "
             "[0,0,1], \"slope_rad\": 0, \"friction\": 0.4}, \"pair_friction\": 0.2, \"bodies\": [" BODY(
                 "box") ", \"start\": {\"position_m\": [0, 0, 0.1]}, \"spheres\": {\"count\": 1, \"start\": "
                        "{\"position_m\": [0, 0, 0.12], \"rotation_wxyz\": "
                        "[1, 0, 0, 0]}, \"centers\": [[0, 0, 0]], \"radii\": [0.12], \"masses\": [4]}}, "
                        "{\"name\": \"rod\", \"shape\": \"rod\", "
                        "\"half_extents_m\": [0.1, 0.01, 0.01], \"rod_radius_m\": 0.01, \"prescribed\": "
                        "true, \"mass_kg\": 1}], "
                        "\"reference\": {}}");
    CHECK_EQ(scene->ignoredCount, 0);
    CHECK_NEAR(scene->bodies[0].friction, 0.4, 0.0);
    CHECK_NEAR(sqrt(scene->bodies[0].friction * scene->bodies[1].friction), 0.2, 1.0e-15);
    CHECK_NEAR(scene->bodies[1].geoms[0].halfLength, 0.09, 1.0e-15);
    pbdrSceneWorld* made = makeWorldOf(scene, pbdr_solverPbdR);
    CHECK_EQ(pbdrShape_GetSphereCount(pbdrBody_GetShape(made->world, made->bodies[0])), 1);
    CHECK_EQ(pbdrBody_GetPose(made->world, made->bodies[0]).position.z, 0.12);
    pbdrDestroySceneWorld(made);
    made = makeWorldOf(scene, pbdr_solverXpbdR);
    CHECK_NEAR(pbdrBody_GetPose(made->world, made->bodies[0]).position.z, 0.1, 1.0e-15);
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

// --- What is refused ---

static void refusals__name_line_and_value(void)
{
    refuse("[]", 1, "wanted an object");
    refuse("{\n\"bodies\": []}", 1, "schema: the key is missing");
    refuse("{\"schema\":\n\"pbdr-body/1\", \"bodies\": []}", 2,
           "\"pbdr-body/1\", wanted pbdr-scene/1 or pbdr-scene/2");
    refuse("{\"schema\": 3, \"bodies\": []}", 1, "schema: wanted a text, found 3");
    refuse(HEAD "\"bodies\": [1,]}", 2, "wanted a value, found ']'");
    refuse(HEAD "\"name\": \"x\"}", 1, "bodies: the key is missing");
    refuse(HEAD "\"bodies\": {}}", 2, "bodies: wanted an array, found an object");
    refuse(HEAD "\"bodies\": [7]}", 2, "bodies[0]: wanted an object");
    refuse(HEAD "\"gravity_mps2\": [0, 0], \"bodies\": []}", 2,
           "gravity_mps2: wanted 3 numbers, found an array of 2");
    refuse(HEAD "\"gravity_mps2\": [0, 0, \"x\"], \"bodies\": []}", 2, "found the text \"x\"");
    refuse(HEAD "\"time_step_s\": 0, \"bodies\": []}", 2, "time_step_s: 0 is not above zero");
    refuse(HEAD "\"duration_s\": -1, \"bodies\": []}", 2, "duration_s: -1 is not above zero");
    refuse(HEAD "\"friction_mixing\": \"max\", \"bodies\": []}", 2,
           "one of geometric_mean, minimum, maximum, average");
    refuse(HEAD "\"effort\": \"much\", \"bodies\": []}", 2, "one of fast, balanced, exact");
    refuse(HEAD "\"tolerance\": 1, \"bodies\": []}", 2, "tolerance: 1 is not between 1e-16 and 0.001");
    refuse(HEAD "\"max_newton_steps\": 0, \"bodies\": []}", 2, "max_newton_steps: 0 is not between 1 and");
    refuse(HEAD "\"sleeping\": 1, \"bodies\": []}", 2, "sleeping: ");
    refuse(HEAD "\"sphere_count\": 1.5, \"bodies\": []}", 2, "sphere_count: 1.5 is not a whole number");
    refuse(HEAD "\"sphere_count\": 0, \"bodies\": []}", 2, "sphere_count: 0 is not between 1 and");
    refuse(HEAD "\"ground\": {\"normal\": [0, 0, 2]}, \"bodies\": []}", 2, "ground.normal: its length is 2");
    refuse(HEAD "\"planes\": [{},\n{\"friction\": -1}], \"bodies\": []}", 3,
           "planes[1].friction: -1 is not between 0 and");
    refuse(HEAD "\"planes\": [{\"restitution\": 2}], \"bodies\": []}", 2,
           "restitution: 2 is not between 0 and 1");
    refuse(HEAD "\"bodies\": [{" BOX ", \"mass_kg\": 1}]}", 2, "bodies[0].name: the key is missing");
    refuse(HEAD "\"bodies\": [" BODY("") "}]}", 2, "bodies[0].name: it is empty");
    refuse(HEAD "\"bodies\": [" BODY("a") "},\n" BODY("a") "}]}", 3,
           "bodies[1].name: \"a\" is bodies[0] already");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"mass_kg\": 1}]}", 2, "bodies[0].shape: the key is missing");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"cone\"}]}", 2, "found the text \"cone\"");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"ball\"}]}", 2,
           "bodies[0].radius_m: the key is missing");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"ball\", \"radius_m\": -1}]}", 2,
           "radius_m: -1 is not above zero");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"capsule\", \"radius_m\": 1}]}", 2,
           "half_length_m: the key is missing");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"box\", \"half_extents_m\": [1, 0, 1]}]}", 2,
           "not all above zero");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", " BOX "}]}", 2, "bodies[0].mass_kg: the key is missing");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", " BOX ", \"mass_kg\": 0}]}", 2,
           "mass_kg: 0 is not above zero");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"kind\": \"fixed\"}]}", 2, "one of dynamic, static, kinematic");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"prescribed\": 1}]}", 2,
           "prescribed: wanted true or false, found 1");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"com_m\": [0, 0, 1]}]}", 2,
           "a centre of mass without inertia_kgm2");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"inertia_kgm2\": [[1, 0, 0], [0, 1]]}]}", 2,
           "three rows of three numbers");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"start\": {\"rotation_wxyz\":\n[1, 1, 0, 0]}}]}", 3,
           "a quaternion of length 1.41421");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"start\": 3}]}", 2,
           "bodies[0].start: wanted an object, found 3");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"path\": [{}]}]}", 2, "time_s: the key is missing");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"path\": [3]}]}", 2, "path: wanted objects");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"path\": [{\"time_s\": 0}]}]}", 0,
           "only kinematic bodies have a way");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"kind\": \"kinematic\", " BOX
                ", \"path\": [{\"time_s\": 1}, {\"time_s\": 1}]}]}",
           0, "point 1 of its way: time 1 s is not after 1 s");
    refuse(HEAD "\"bodies\": [" BODY(
               "a") ", \"spheres\": {\"centers\": [[0, 0, 0]], \"radii\": [1, 2], \"masses\": [1]}}]}",
           2, "radii: wanted 1 numbers, found an array of 2");
    refuse(HEAD "\"bodies\": [" BODY("a") ", \"spheres\": {}}]}", 2, "centers, radii and masses are needed");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"compound\", \"mass_kg\": 1}]}", 2,
           "parts: a compound needs an array of parts");
    refuse(
        HEAD
        "\"bodies\": [{\"name\": \"a\", \"shape\": \"compound\", \"parts\": [{\"shape\": \"compound\"}]}]}",
        2, "bodies[0].parts[0].shape: a part of a compound is no compound");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"mesh\", \"mass_kg\": 1}]}", 2,
           "a mesh needs vertices_m and triangles");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"mesh\", \"mass_kg\": 1, \"vertices_m\": "
                "[[0,0,0],[1,0,0],[0,1,0]],\n"
                "\"triangles\": [[0, 1, 3]]}]}",
           3, "corner 3 of triangle 0 is none of 3 vertices");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"mesh\", \"mass_kg\": 1, \"vertices_m\": "
                "[[0,0,0],[1,0,0],[0,1,0]], "
                "\"triangles\": [[0, 1, 2]]}]}",
           2, "inertia_kgm2");
    refuse(
        HEAD
        "\"bodies\": [{\"name\": \"a\", \"shape\": \"mesh\", \"mass_kg\": 1, \"mesh_file\": \"none.obj\"}]}",
        2, "none.obj");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"rod\", \"half_extents_m\": [1, 1, 1], "
                "\"rod_radius_m\": 2}]}",
           2, "rod_radius_m: 2 m is not below the half extent along x, 1 m");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"shape\": \"heightfield\", \"mass_kg\": 1, \"heights_m\": "
                "[[0, 0], [0, 0]], \"spacing_m\": 1, "
                "\"inertia_kgm2\": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}",
           0, "an open mesh is for static and kinematic bodies");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\", \"kind\": \"static\", \"shape\": \"heightfield\", "
                "\"heights_m\": [[0, 0], [0]], "
                "\"spacing_m\": 1}]}",
           2, "wanted rows of 2 numbers each");
    refuse(HEAD "\"bodies\": [{\"name\": \"a\\u001b[2J\", \"shape\": 1}]}", 2, "shape");
}

static void files__that_are_none_are_refused(void)
{
    pbdrSceneFile* scene;
    pbdrError error = {.message = ""};
    CHECK_EQ(pbdrLoadScene("/nonexistent/a.json", NULL, &scene, &error), pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "/nonexistent/a.json: No such file");
    CHECK_EQ(pbdrLoadScene(filesFolder, NULL, &scene, &error), pbdr_statusFileFormat);
    CHECK_TEXT(error.message, ".json, .xml, .mjcf and .urdf");
    CHECK_EQ(pbdrLoadScene("/nonexistent/a.xml", NULL, &scene, &error),
             pbdrCanLoadMjcf() ? pbdr_statusFileNotFound : pbdr_statusNotSupported);
}

static void unknown_keys__are_listed(void)
{
    pbdrSceneFile* scene = load(HEAD "\"gravty\": 1,\n\"bodies\": [" BODY("a") ", \"frictoin\": 0.3}]}");
    CHECK_EQ(scene->ignoredCount, 2);
    CHECK_TEXT(scene->ignored[0], "line 2: gravty");
    CHECK_TEXT(scene->ignored[1], "line 3: bodies[0].frictoin");
    pbdrFreeScene(scene);
}

// --- Memory ---

// Every allocation of loading, building and stepping fails in turn: a status or a flag each time, and nothing is kept.
static void memory__is_given_back_or_done_without(void)
{
    const char* path = putScene(HEAD "\"planes\": [{}], \"bodies\": [" BODY(
        "a") ", \"start\": {\"position_m\": [0, 0, 0.1]}}, {\"name\": \"d\", \"shape\": "
             "\"compound\", \"mass_kg\": 2, \"parts\": [{" BOX
             "}, {\"shape\": \"ball\", \"radius_m\": 0.05}], \"start\": "
             "{\"position_m\": [0, 0, 0.3]}}, {\"name\": \"m\", \"shape\": \"mesh\", \"mass_kg\": 1, "
             "\"sphere_count\": 5, \"vertices_m\": "
             "[[0,0,0],[1,0,0],[0,1,0],[0,0,1]], \"triangles\": [[0,2,1],[0,1,3],[1,2,3],[0,3,2]], "
             "\"start\": {\"position_m\": "
             "[3, 0, 0]}}]}");
    int failAt = 0, most = 5000;
    bool failed = true;
    while (failed && failAt < most) {
        Ledger ledger = {.failAt = ++failAt};
        pbdrHooks hooks = makeHooks(&ledger);
        pbdrSceneFile* scene = NULL;
        pbdrSceneWorld* made = NULL;
        pbdrError error = {.status = pbdr_statusOk};
        pbdrStatus status = pbdrLoadScene(path, &hooks, &scene, &error);
        if (status == pbdr_statusOk) {
            pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
            def.hooks = hooks;
            status = pbdrCreateSceneWorld(scene, &def, NULL, &made, &error);
        }
        CHECK(status == pbdr_statusOk || status == pbdr_statusNoMemory);
        CHECK(status == pbdr_statusOk ? made != NULL : made == NULL && error.status == status);
        if (made != NULL) {
            pbdrSceneWorld_Step(made, 2);
        }
        pbdrDestroySceneWorld(made);
        pbdrFreeScene(scene);
        CHECK_EQ(ledger.blocks, 0);
        failed = ledger.allocations >= failAt;
    }
    CHECK_GE(failAt, 50);
    CHECK_LE(failAt, most - 1);
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    CASES(argc, argv, {"scene__is_read_whole", scene__is_read_whole},
          {"weight__of_parts_and_meshes_is_that_of_the_whole",
           weight__of_parts_and_meshes_is_that_of_the_whole},
          {"weight__may_be_anywhere", weight__may_be_anywhere}, {"path__is_followed", path__is_followed},
          {"acceleration__is_kept", acceleration__is_kept}, {"shapes__are_shared", shapes__are_shared},
          {"bodies__of_parts_that_stand_still", bodies__of_parts_that_stand_still},
          {"solvers__all_run", solvers__all_run}, {"spheres__leave_no_holes", spheres__leave_no_holes},
          {"mesh__that_is_no_surface_is_its_hull", mesh__that_is_no_surface_is_its_hull},
          {"export__is_read", export__is_read},
          {"refusals__name_line_and_value", refusals__name_line_and_value},
          {"files__that_are_none_are_refused", files__that_are_none_are_refused},
          {"unknown_keys__are_listed", unknown_keys__are_listed},
          {"memory__is_given_back_or_done_without", memory__is_given_back_or_done_without});
}
