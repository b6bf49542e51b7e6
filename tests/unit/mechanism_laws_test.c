// bench/extended/mechanisms.h: references of tests 28 and up keep what mechanics keeps, whatever they were found by.
#include "extended/mechanisms.h"

#include "check.h"
#include "vec.h"

static const double moments[] = {0.0, 0.11, 0.37, 0.83, 1.9};
#define MOMENTS ((int)(sizeof moments / sizeof moments[0]))

static bool isKnown(int number)
{
    return benchHasReference(benchFindTest(number));
}

static double getEnergy(const BenchTest* test, double t)
{
    const bool weightless = test->extended->law == benchLawSliderCrank;
    double sum = 0.0;
    for (int k = 0; k < test->extended->bodyCount; k++) {
        BenchLink link;
        CHECK(benchPlaceLink(test, k, t, &link));
        const pbdrVec3 v = link.at.velocity.linear, i = link.moments,
                       w = benchUnrotate(link.at.pose.rotation, link.at.velocity.angular);
        sum += 0.5 * link.mass * benchDot(v, v) + 0.5 * (i.x * w.x * w.x + i.y * w.y * w.y + i.z * w.z * w.z);
        sum += weightless ? 0.0 : link.mass * PBDR_DEFAULT_GRAVITY * link.at.pose.position.z;
    }
    return sum;
}

// Steps of references are such that their energy stays to 1e-9 J.
static void references__keep_their_energy(void)
{
    for (int number = 28; number <= BENCH_LAST_EXTENDED; number++) {
        const BenchTest* test = benchFindTest(number);
        const double start = isKnown(number) ? getEnergy(test, 0.0) : 0.0;
        // links of the double pendulum are points in the reference, and have a little inertia in the scene; of up to 10 rad/s
        const double inertia = number == 29 ? 100.0 * test->extended->inertia : 0.0;
        for (int k = 0; k < MOMENTS && isKnown(number); k++) {
            CHECK_NEAR(getEnergy(test, moments[k]), start, 1.0e-9 + inertia);
        }
    }
}

// Velocities are the rates of places, by central differences of h = 1e-5 s, which are off by h^2/6 of the third derivative.
static void velocities__are_rates_of_places(void)
{
    const double h = 1.0e-5;
    for (int number = 28; number <= BENCH_LAST_EXTENDED; number++) {
        const BenchTest* test = benchFindTest(number);
        for (int k = 1; k < MOMENTS && isKnown(number); k++) {
            for (int body = 0; body < test->extended->bodyCount; body++) {
                BenchLink before, now, after;
                benchPlaceLink(test, body, moments[k] - h, &before);
                benchPlaceLink(test, body, moments[k], &now);
                benchPlaceLink(test, body, moments[k] + h, &after);
                const pbdrVec3 rate =
                    benchScale(0.5 / h, benchSub(after.at.pose.position, before.at.pose.position));
                CHECK_LE(benchLength(benchSub(rate, now.at.velocity.linear)), 2.0e-7);
                const pbdrQuat turn =
                    benchMulQQ(after.at.pose.rotation, benchConjugate(before.at.pose.rotation));
                const pbdrVec3 w = benchScale(1.0 / h, benchVec(turn.x, turn.y, turn.z)); // of small turns
                CHECK_LE(benchLength(benchSub(w, now.at.velocity.angular)), 2.0e-5);
            }
        }
    }
}

// A point of a body at the start goes with it.
static pbdrVec3 carry(const BenchTest* test, int body, pbdrVec3 point, double t)
{
    BenchLink start, link;
    if (body < 0) {
        return point;
    }
    benchPlaceLink(test, body, 0.0, &start);
    benchPlaceLink(test, body, t, &link);
    const pbdrVec3 own = benchUnrotate(start.at.pose.rotation, benchSub(point, start.at.pose.position));
    return benchAdd(link.at.pose.position, benchRotate(link.at.pose.rotation, own));
}

static void joints__stay_closed(void)
{
    for (int number = 28; number <= BENCH_LAST_EXTENDED; number++) {
        const BenchTest* test = benchFindTest(number);
        pbdrBenchJoint joints[PBDR_BENCH_MAX_JOINTS];
        const int count = benchListJoints(test, joints);
        CHECK(count >= 1 && count <= PBDR_BENCH_MAX_JOINTS);
        for (int k = 0; k < MOMENTS * count && isKnown(number); k++) {
            const pbdrBenchJoint* joint = &joints[k % count];
            const double t = moments[k / count];
            pbdrVec3 gap = benchSub(carry(test, joint->bodies[1], joint->points[1], t),
                                    carry(test, joint->bodies[0], joint->points[0], t));
            if (joint->kind == pbdr_benchSlideJoint) { // of the world, in these tests
                gap = benchAddScaled(gap, -benchDot(gap, joint->axis), joint->axis);
            }
            CHECK_LE(benchLength(gap), 1.0e-12);
        }
    }
}

// Bodies that there are, unit axes, and inertias as every simulator asks for them.
static void scenes__can_be_built(void)
{
    for (int number = 28; number <= BENCH_LAST_EXTENDED; number++) {
        const BenchTest* test = benchFindTest(number);
        pbdrBenchJoint joints[PBDR_BENCH_MAX_JOINTS];
        const int count = benchListJoints(test, joints);
        for (int k = 0; k < count; k++) {
            for (int side = 0; side < 2; side++) {
                CHECK(joints[k].bodies[side] >= -1 && joints[k].bodies[side] < test->extended->bodyCount);
            }
            CHECK(joints[k].bodies[0] != joints[k].bodies[1]);
            if (joints[k].kind == pbdr_benchHingeJoint || joints[k].kind == pbdr_benchSlideJoint) {
                CHECK_NEAR(benchLength(joints[k].axis), 1.0, 1.0e-15);
            }
        }
        for (int body = 0; body < test->extended->bodyCount; body++) {
            BenchLink link;
            benchPlaceLink(test, body, 0.0, &link);
            const pbdrVec3 i = link.moments;
            CHECK(link.mass > 0.0 && i.x + i.y >= i.z && i.y + i.z >= i.x && i.z + i.x >= i.y);
        }
    }
}

// A step of little more than half the size ends at the same place.
static void governor__is_integrated_finely_enough(void)
{
    double state[4], parts[4];
    benchStartGovernor(state);
    benchStartGovernor(parts);
    benchFollowGovernor(0.3, state);
    for (int k = 0; k < 50000; k++) {
        benchFollowGovernor(0.6e-5, parts);
    }
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(state[i], parts[i], 1.0e-10);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"references__keep_their_energy", references__keep_their_energy},
          {"velocities__are_rates_of_places", velocities__are_rates_of_places},
          {"joints__stay_closed", joints__stay_closed}, {"scenes__can_be_built", scenes__can_be_built},
          {"governor__is_integrated_finely_enough", governor__is_integrated_finely_enough});
}
