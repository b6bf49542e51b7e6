// XPBD-R under a base: pressure is that of equal springs, sticking does not creep, friction has no axes.
#include "xpbdr_scenes.h"

#define MAX_CONTACTS 128

// A substep is solved once gaps and slips are below 1e-12 m: the box of 4 kg may still gain M 1e-12/dt^2 [N].
#define REST_FORCE (4.0 * 1e-12 / 1e-6)

// --- Pressure ---

// How far the normal forces under a box are from a + b x + c y, by least squares.
typedef struct Pressure {
    int count;
    double sum;        // [N]
    double centre[2];  // of pressure, from the body's centre of mass [m]
    double fromEqual;  // largest |F_i - mean|/mean
    double fromAffine; // largest |F_i - fit|/mean
} Pressure;

static Pressure measurePressure(const pbdrWorld* world, pbdrBodyId body)
{
    pbdrContact contacts[MAX_CONTACTS];
    Pressure p = {.count = pbdrWorld_GetContacts(world, contacts, MAX_CONTACTS)};
    pbdrVec3 middle = pbdrBody_GetPose(world, body).position;
    double normal[3][3] = {{0.0}}, side[3] = {0.0};
    for (int i = 0; i < p.count; i++) {
        double f = contacts[i].force.z;
        const double row[3] = {1.0, contacts[i].point.x - middle.x, contacts[i].point.y - middle.y};
        for (int k = 0; k < 9; k++) {
            normal[k / 3][k % 3] += row[k / 3] * row[k % 3];
            side[k / 3] += k % 3 == 0 ? row[k / 3] * f : 0.0;
        }
    }
    p.sum = side[0];
    p.centre[0] = side[1] / p.sum;
    p.centre[1] = side[2] / p.sum;
    // three equations: Gauss without pivoting, the matrix is positive definite
    for (int k = 0; k < 3; k++) {
        for (int i = k + 1; i < 3; i++) {
            double factor = normal[i][k] / normal[k][k];
            for (int j = k; j < 3; j++) {
                normal[i][j] -= factor * normal[k][j];
            }
            side[i] -= factor * side[k];
        }
    }
    double fit[3];
    for (int k = 2; k >= 0; k--) {
        fit[k] = side[k];
        for (int j = k + 1; j < 3; j++) {
            fit[k] -= normal[k][j] * fit[j];
        }
        fit[k] /= normal[k][k];
    }
    double mean = p.sum / p.count;
    for (int i = 0; i < p.count; i++) {
        double x = contacts[i].point.x - middle.x, y = contacts[i].point.y - middle.y;
        p.fromEqual = fmax(p.fromEqual, fabs(contacts[i].force.z - mean) / mean);
        p.fromAffine =
            fmax(p.fromAffine, fabs(contacts[i].force.z - fit[0] - fit[1] * x - fit[2] * y) / mean);
    }
    return p;
}

// n x n equal springs under a box at rest bear M g/n^2 each, from the first substep on: there is no history
// to remember.
static void loads__at_rest_are_equal_from_a_cold_start(void)
{
    for (int n = 4; n <= 10; n += 6) {
        pbdrWorld* world = makeConvergedOnGround(0.4);
        pbdrBodyId box = addCube(world, n, 0.0, 0.0, 0.4);
        for (int k = 0; k < 3; k++) {
            const int steps[3] = {1, 9, 990};
            CHECK_EQ(stepCounting(world, steps[k]), 0);
            Pressure p = measurePressure(world, box);
            printf("    n %d after %d more substeps: loads differ by %.2g\n", n, steps[k], p.fromEqual);
            CHECK_EQ(p.count, n * n);
            CHECK_NEAR(p.sum, 4.0 * GRAVITY, REST_FORCE);
            CHECK_LE(p.fromEqual, 1e-10);
        }
        pbdrDestroyWorld(world);
    }
}

// Pushed with F at the height h of its centre, at rest: sum F_i (x_i, y_i) = h F, so the centre of pressure
// is h F/(M g) = 25.5 mm ahead, and the pressure is affine. F in any direction.
static void loads__of_a_pushed_box_are_affine(void)
{
    for (int k = 0; k < 6; k++) {
        int n = k % 2 == 0 ? 4 : 10;
        double angle = 0.3 * (k / 2);
        pbdrWorld* world = makeConvergedOnGround(0.4);
        pbdrBodyId box = addCube(world, n, 0.0, 0.0, 0.4);
        pbdrBody_SetForce(world, box, pbdrVec(10.0 * cos(angle), 10.0 * sin(angle), 0.0));
        CHECK_EQ(stepCounting(world, 1000), 0);
        Pressure p = measurePressure(world, box);
        printf("    n %d, pushed at %.1f rad: affine within %.2g\n", n, angle, p.fromAffine);
        CHECK_EQ(p.count, n * n);
        CHECK_GE(p.fromEqual, 0.1);
        CHECK_LE(p.fromAffine, 3e-8);
        double lever = 0.1 * 10.0 / (4.0 * GRAVITY), tolerance = 0.1 * REST_FORCE / (4.0 * GRAVITY);
        CHECK_NEAR(p.centre[0], lever * cos(angle), tolerance);
        CHECK_NEAR(p.centre[1], lever * sin(angle), tolerance);
        pbdrDestroyWorld(world);
    }
}

// Statics of the whole: contact forces and the push balance in every substep once the box rests, and each
// friction force is inside its own cone.
static void forces__balance_and_stay_within_the_cone(void)
{
    pbdrWorld* world = makeConvergedOnGround(0.8);
    pbdrBodyId box = addCube(world, 4, 0.0, 0.0, 0.8);
    pbdrBody_SetForce(world, box, pbdrVec(25.0, 0.0, 0.0)); // part of the base is unloaded
    CHECK_EQ(stepCounting(world, 500), 0);
    for (int step = 0; step < 100; step++) {
        CHECK_EQ(stepCounting(world, 1), 0);
        pbdrContact contacts[MAX_CONTACTS];
        int count = pbdrWorld_GetContacts(world, contacts, MAX_CONTACTS);
        pbdrVec3 sum = {25.0, 0.0, -4.0 * GRAVITY}, moment = {0.0, 0.0, 0.0};
        pbdrVec3 middle = pbdrBody_GetPose(world, box).position;
        for (int i = 0; i < count; i++) {
            pbdrVec3 f = contacts[i].force;
            sum = pbdrAdd(sum, f);
            moment = pbdrAdd(moment, pbdrCross(pbdrSub(contacts[i].point, middle), f));
            CHECK(f.z >= 0.0 && hypot(f.x, f.y) <= 0.8 * f.z * (1.0 + 1e-12));
        }
        CHECK_LE(count, 12);
        CHECK_LE(pbdrLength(sum), REST_FORCE);
        CHECK_LE(pbdrLength(moment), 0.1 * REST_FORCE);
    }
    pbdrDestroyWorld(world);
}

// --- Creep ---

#define CREEP_SECONDS (SLOW_BUILD ? 3 : 60)

// The way from 0.1 s on, and the turn over the half side [m]. Elastic settling before that is not creep.
static double getCreep(pbdrWorld* world, pbdrBodyId box)
{
    int unconverged = stepCounting(world, 100);
    pbdrPose start = pbdrBody_GetPose(world, box);
    double worst = 0.0;
    for (int second = 0; second < CREEP_SECONDS; second++) {
        unconverged += stepCounting(world, 1000);
        pbdrPose now = pbdrBody_GetPose(world, box);
        worst = fmax(worst, distance(now.position, start.position) +
                                0.1 * angleBetween(now.rotation, start.rotation));
    }
    CHECK_EQ(unconverged, 0);
    return worst;
}

// At 99 % of the friction angle, tan(0.99 atan mu) < mu: it holds. The slope faces two ways, the box stands
// square to it or not.
static void slope__below_the_friction_angle_holds_without_creep(void)
{
    for (int k = 0; k < 4; k++) {
        int n = k < 3 ? 4 : 10;
        double mu = k == 2 ? 0.7 : 0.4, angle = 0.99 * atan(mu), yaw = k == 1 ? 0.4 : 0.0;
        pbdrQuat tilt =
            pbdrMulQQ(turnAbout(pbdrVec(0.0, 0.0, 1.0), yaw), turnAbout(pbdrVec(0.0, 1.0, 0.0), angle));
        pbdrMat3 turn = pbdrMatFromQuat(tilt);
        pbdrVec3 normal = pbdrMulMV(&turn, pbdrVec(0.0, 0.0, 1.0));
        pbdrWorld* world = makeConverged(pbdrVec(0.0, 0.0, -GRAVITY), 1e-3);
        addPlane(world, normal, 0.0, mu);
        pbdrBodyDef def = pbdrDefaultBodyDef();
        def.position = pbdrScale(0.1, normal);
        def.rotation = pbdrMulQQ(tilt, turnAbout(pbdrVec(0.0, 0.0, 1.0), k == 1 ? 0.7 : 0.0));
        def.friction = mu;
        pbdrBodyId box = addBlock(world, n, n, n, 0.1 / n, 4.0, def);
        double creep = getCreep(world, box);
        printf("    slope at 99 %% of the friction angle, mu %.1f, n %d: creeps by %.2g m in %d s\n", mu, n,
               creep, CREEP_SECONDS);
        CHECK_LE(creep, 1e-12);
        pbdrDestroyWorld(world);
    }
}

// A force inside the cone; the last two with mu = .8 and F = 25 N at n = 4, where h F/(M g) = 64 mm is beyond
// the third of the base that keeps all of it loaded (and within its 75 mm).
static void force__inside_the_cone_moves_nothing(void)
{
    const struct {
        int n;
        double mu, force, angle;
    } cases[] = {{4, 0.4, 0.99 * 0.4 * 4.0 * GRAVITY, 0.6},
                 {10, 0.4, 10.0, 0.0},
                 {4, 0.8, 25.0, 0.0},
                 {4, 0.8, 25.0, 0.5}};
    for (int k = 0; k < 4; k++) {
        pbdrWorld* world = makeConvergedOnGround(cases[k].mu);
        pbdrBodyId box = addCube(world, cases[k].n, 0.0, 0.0, cases[k].mu);
        pbdrBody_SetForce(
            world, box,
            pbdrVec(cases[k].force * cos(cases[k].angle), cases[k].force * sin(cases[k].angle), 0.0));
        double creep = getCreep(world, box);
        int loaded = pbdrWorld_GetContacts(world, NULL, 0);
        printf("    mu %.1f, F %.3g N, n %d: creeps by %.2g m in %d s on %d spheres\n", cases[k].mu,
               cases[k].force, cases[k].n, creep, CREEP_SECONDS, loaded);
        CHECK_LE(creep, 1e-12);
        CHECK(k == 1 ? loaded == 100 : loaded < 16);
        pbdrDestroyWorld(world);
    }
}

// --- Isotropy ---

// Friction's bound is a disc: Test 1 pushed at an angle ends where (F - mu M g)/(2 M) t^2 along that angle
// is, whatever the box's own axes.
static void friction__is_the_same_in_every_direction(void)
{
    const double way = 0.5 * (17.0 - 0.4 * 4.0 * GRAVITY) / 4.0 * 100.0;
    for (int n = 4; n <= 10; n += 6) {
        double along[4], across[4];
        for (int k = 0; k < 4; k++) {
            double angle = k * acos(-1.0) / 12.0; // 15 degrees
            pbdrWorld* world = makeConvergedOnGround(0.4);
            pbdrBodyId box = addCube(world, n, 0.0, 0.0, 0.4);
            pbdrBody_SetForce(world, box, pbdrVec(17.0 * cos(angle), 17.0 * sin(angle), 0.0));
            CHECK_EQ(stepCounting(world, 10000), 0);
            pbdrVec3 x = pbdrBody_GetPose(world, box).position;
            along[k] = x.x * cos(angle) + x.y * sin(angle);
            across[k] = x.y * cos(angle) - x.x * sin(angle);
            printf("    n %d, pushed at %d deg: %.3g m off along, %.3g m across\n", n, 15 * k, along[k] - way,
                   across[k]);
            CHECK_NEAR(along[k], along[0], 1e-11);
            CHECK_NEAR(across[k], across[0], 1e-11);
            CHECK_NEAR(along[k], way, 1e-9);
            pbdrDestroyWorld(world);
        }
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv,
          {"loads__at_rest_are_equal_from_a_cold_start", loads__at_rest_are_equal_from_a_cold_start},
          {"loads__of_a_pushed_box_are_affine", loads__of_a_pushed_box_are_affine},
          {"forces__balance_and_stay_within_the_cone", forces__balance_and_stay_within_the_cone},
          {"slope__below_the_friction_angle_holds_without_creep",
           slope__below_the_friction_angle_holds_without_creep},
          {"force__inside_the_cone_moves_nothing", force__inside_the_cone_moves_nothing},
          {"friction__is_the_same_in_every_direction", friction__is_the_same_in_every_direction});
}
