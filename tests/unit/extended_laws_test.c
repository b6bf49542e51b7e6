// bench/extended: the closed forms of tests 8 and up against integrations and laws of their own, and the
// geometry of the scenes.
#include "extended/extended.h"

#include "check.h"
#include "vec.h"

#define G 9.81
#define PI 3.14159265358979323846

static BenchFollowed follow(int test, int body, double t)
{
    BenchFollowed f;
    CHECK(benchFollow(benchFindTest(test), body, t, &f));
    return f;
}

// --- Sliding and rolling, by impulses ---

// A body that slides along x and turns with its contact point's speed: the ground takes what ends the slip, at
// most mu m n dt. n: acceleration that presses; down: that pulls along x; lever^2 m/I = share: 0 for a body that
// does not turn. First order: the error is a dt t.
typedef struct Slider {
    double x, v, angle, w; // angle and w times the radius
} Slider;

static void slide(Slider* s, double n, double down, double mu, double share, double dt)
{
    double free = s->v + dt * down, slip = free - s->w;
    double most = mu * n * dt, needed = slip / (1.0 + share);
    double impulse = fmax(-most, fmin(most, needed));
    double v = free - impulse, w = s->w + share * impulse;
    s->x += 0.5 * dt * (s->v + v);
    s->angle += 0.5 * dt * (s->w + w);
    s->v = v, s->w = w;
}

// Runs it beside the closed form; share and radius of a ball are 5/2 and R, of a box 0.
static void checkSlider(int number, double share, double radius)
{
    const BenchTest* test = benchFindTest(number);
    const double dt = 1e-5;
    Slider s = {.v = test->extended->speed};
    double n = G * cos(test->slope), down = G * sin(test->slope) + test->extended->push * G, worst = 0.0;
    int count = (int)nearbyint(fmin(test->duration, 2.0) / dt);
    for (int k = 1; k <= count; k++) {
        slide(&s, n, down, test->mu, share, dt);
        if (k % 1000 == 0) {
            BenchFollowed f = follow(number, 0, k * dt);
            worst = fmax(worst, fabs(f.shift.x - s.x));
            worst = fmax(worst, fabs(f.velocity.linear.x - s.v));
            if (share > 0.0) {
                worst = fmax(worst, fabs(f.angle * radius - s.angle));
                worst = fmax(worst, fabs(f.velocity.angular.y * radius - s.w));
            }
        }
    }
    CHECK_LE(worst, 4.0 * G * dt); // a step at which sliding ends
}

static void sliding__is_coulombs(void)
{
    checkSlider(8, 0.0, 0.0);
    checkSlider(9, 0.0, 0.0);
    checkSlider(10, 0.0, 0.0);
    checkSlider(11, 0.0, 0.0);
    CHECK_NEAR(follow(11, 0, 1.0).shift.x, 4.0 / (2.0 * 0.4 * G), 1e-15); // v^2/(2 mu g)
    CHECK_NEAR(follow(9, 0, 10.0).shift.x, 0.5 * 0.001 * 0.4 * G * 100.0, 1e-12);
}

static void rolling__is_a_balls(void)
{
    checkSlider(13, 2.5, 0.1);
    checkSlider(14, 2.5, 0.1);
    CHECK_NEAR(follow(14, 0, 1.0).velocity.linear.x, 2.0 * 5.0 / 7.0, 1e-15); // 2/7 are lost
    CHECK_NEAR(follow(13, 0, 1.0).shift.x, 0.5 * 5.0 / 7.0 * G * sin(PI / 8), 1e-14);
}

// Friction on rings of even pressure, summed up, brakes the disc.
static void disc__is_braked_by_its_rings(void)
{
    const int rings = 2000;
    double torque = 0.0, mass = 4.0, r = 0.1, area = PI * r * r;
    for (int k = 0; k < rings; k++) {
        double at = r * (k + 0.5) / rings, share = 2.0 * PI * at * (r / rings) / area;
        torque += 0.2 * mass * G * share * at;
    }
    double brake = torque / (0.5 * mass * r * r), stop = 20.0 / brake;
    BenchFollowed f = follow(12, 0, 0.5 * stop);
    CHECK_NEAR(f.velocity.angular.z, 10.0, 1e-5);
    CHECK_NEAR(f.angle, 20.0 * 0.5 * stop - 0.125 * brake * stop * stop, 1e-5);
    CHECK_NEAR(follow(12, 0, 1.0).angle, 0.5 * 20.0 * stop, 1e-5);
    CHECK_EQ(follow(12, 0, 1.0).velocity.angular.z, 0.0);
}

// --- Flight ---

static void bounces__are_those_of_small_steps(void)
{
    const double dt = 1e-6;
    double z = 1.0, v = 0.0, worst = 0.0;
    int bounces = 0;
    for (int k = 1; k <= 2000000; k++) {
        double before = z;
        z += dt * v - 0.5 * G * dt * dt;
        v -= G * dt;
        if (z < 0.0) { // the part of the step after the impact
            double part = z / (z - before);
            double speed = -(v + G * part * dt);
            v = 0.8 * speed - G * part * dt;
            z = 0.8 * speed * part * dt;
            bounces++;
        }
        if (k % 10000 == 0) {
            worst = fmax(worst, fabs(follow(15, 0, k * dt).shift.z + 1.0 - z));
        }
    }
    CHECK_EQ(bounces, 3);
    CHECK_LE(worst, 1e-5);
    BenchFollowed f = follow(15, 0, 2.0);
    CHECK_NEAR(1.0 + f.shift.z + f.velocity.linear.z * f.velocity.linear.z / (2.0 * G), pow(0.8, 6.0), 1e-14);
    CHECK_NEAR(follow(15, 0, 1e3).shift.z, -1.0, 1e-6); // it lies in the end
}

// Euler's equations in body axes, I w' = -w x I w, and q' = q w/2, by Runge and Kutta.
typedef struct Top {
    double q[4], w[3];
} Top;

static Top differentiate(const Top* s)
{
    const double across = 4.0 * 0.05 / 12.0, along = 4.0 * 0.04 / 6.0; // 0.2 x 0.2 x 0.1 m, 4 kg
    const double *q = s->q, *w = s->w;
    return (Top){
        {0.5 * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]), 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]),
         0.5 * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]), 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0])},
        {(across - along) / across * w[1] * w[2], (along - across) / across * w[2] * w[0], 0.0}};
}

static Top addScaled(const Top* s, double h, const Top* d)
{
    Top sum = *s;
    for (int k = 0; k < 4; k++) {
        sum.q[k] += h * d->q[k];
    }
    for (int k = 0; k < 3; k++) {
        sum.w[k] += h * d->w[k];
    }
    return sum;
}

static void top__follows_eulers_equations(void)
{
    const double h = 1e-4;
    Top s = {{1.0, 0.0, 0.0, 0.0}, {3.0, 0.0, 10.0}};
    for (int k = 0; k < 100000; k++) {
        Top a = differentiate(&s), at = addScaled(&s, 0.5 * h, &a), b = differentiate(&at);
        at = addScaled(&s, 0.5 * h, &b);
        Top c = differentiate(&at);
        at = addScaled(&s, h, &c);
        Top d = differentiate(&at);
        s = addScaled(&s, h / 6.0, &a);
        s = addScaled(&s, h / 3.0, &b);
        s = addScaled(&s, h / 3.0, &c);
        s = addScaled(&s, h / 6.0, &d);
    }
    BenchFollowed f = follow(16, 0, 10.0);
    double sign = f.turn.w * s.q[0] < 0.0 ? -1.0 : 1.0;
    CHECK_NEAR(f.turn.w, sign * s.q[0], 1e-10);
    CHECK_NEAR(f.turn.x, sign * s.q[1], 1e-10);
    CHECK_NEAR(f.turn.y, sign * s.q[2], 1e-10);
    CHECK_NEAR(f.turn.z, sign * s.q[3], 1e-10);
    pbdrVec3 w = benchUnrotate(f.turn, f.velocity.angular);
    CHECK_NEAR(w.x, s.w[0], 1e-9);
    CHECK_NEAR(w.y, s.w[1], 1e-9);
    CHECK_NEAR(w.z, s.w[2], 1e-9);
}

// --- A box that tips ---

// Work of push and weight is the kinetic energy about the edge; the edge stays where it is; and the ground can
// hold it there: it presses, and friction is within its limit.
static void tipping__keeps_energy_and_edge(void)
{
    const double mass = 4.0, side = 0.2, edge = 2.0 / 3.0 * mass * side * side, h = 1e-4;
    for (int k = 1; k <= 50; k++) {
        double t = 0.01 * k;
        BenchFollowed f = follow(18, 0, t), before = follow(18, 0, t - h), after = follow(18, 0, t + h);
        double work = mass * G * (1.01 * f.shift.x - f.shift.z), w = f.velocity.angular.y;
        CHECK_NEAR(work, 0.5 * edge * w * w, 1e-12);
        pbdrVec3 arm = benchRotate(f.turn, benchVec(0.1, 0.0, -0.1));
        CHECK_NEAR(f.shift.x + arm.x, 0.1, 1e-14);
        CHECK_NEAR(f.shift.z + arm.z, -0.1, 1e-14);
        double ax = (after.velocity.linear.x - before.velocity.linear.x) / (2.0 * h);
        double az = (after.velocity.linear.z - before.velocity.linear.z) / (2.0 * h);
        double press = G + az, rub = 1.01 * G - ax;
        CHECK_GE(press, 0.1 * G);
        CHECK_LE(fabs(rub), 1.5 * press);
    }
    CHECK_GE(follow(18, 0, 0.5).angle, 0.1);
    CHECK_LE(follow(18, 0, 0.5).angle, 0.5); // still on its edge
}

// --- Impacts ---

static void collision__keeps_momentum(void)
{
    for (int number = 19; number <= 20; number++) {
        const BenchTest* test = benchFindTest(number);
        double radius = 0.1, e = test->extended->restitution, energies[2] = {0.0, 0.0};
        pbdrVec3 p[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}, l[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
        for (int late = 0; late < 2; late++) {
            for (int body = 0; body < 2; body++) {
                double m = benchGetBodyMass(test, body), inertia = 0.4 * m * radius * radius;
                BenchFollowed f = follow(number, body, late != 0 ? 0.4 : 0.0);
                pbdrVec3 x = benchAdd(benchGetStart(test, body).pose.position, f.shift),
                         v = f.velocity.linear;
                p[late] = benchAddScaled(p[late], m, v);
                l[late] =
                    benchAddScaled(benchAddScaled(l[late], m, benchCross(x, v)), inertia, f.velocity.angular);
                energies[late] += 0.5 * m * benchDot(v, v) +
                                  0.5 * inertia * benchDot(f.velocity.angular, f.velocity.angular);
            }
        }
        CHECK_LE(benchLength(benchSub(p[1], p[0])), 1e-14);
        CHECK_LE(benchLength(benchSub(l[1], l[0])), 1e-14);
        if (number == 19) {
            CHECK_NEAR(energies[1], energies[0], 1e-14);
        } else {
            CHECK_LE(energies[1], 0.95 * energies[0]);
        }
        // they touch where they meet, 30 degrees off the line of flight, and part with e times the speed
        double meet = (0.5 - 0.2 * cos(PI / 6)) / 2.0;
        pbdrVec3 apart = benchSub(benchGetStart(test, 0).pose.position, benchGetStart(test, 1).pose.position);
        apart = benchAdd(apart, benchSub(follow(number, 0, meet).shift, follow(number, 1, meet).shift));
        CHECK_NEAR(benchLength(apart), 0.2, 1e-15);
        pbdrVec3 parting =
            benchSub(follow(number, 0, 0.4).velocity.linear, follow(number, 1, 0.4).velocity.linear);
        CHECK_NEAR(benchDot(parting, apart) / 0.2, e * 2.0 * cos(PI / 6), 1e-14);
    }
}

// Coulomb: a slip that friction cannot end is braked by mu J_n; one that it can, ends.
static void collision__rubs_as_coulomb_says(void)
{
    const double masses[2] = {2.0, 1.0}, mus[2] = {0.1, 10.0};
    for (int k = 0; k < 2; k++) {
        pbdrVelocity v[2] = {{{-1.0, 2.0, 0.0}, {0.0, 3.0, -4.0}}, {{0.5, 0.0, 1.0}, {1.0, 0.0, 2.0}}};
        pbdrVelocity u[2] = {v[0], v[1]};
        pbdrVec3 n = {1.0, 0.0, 0.0};
        benchCollide(masses, 0.1, n, mus[k], 0.5, u);
        pbdrVec3 impulse = benchScale(masses[0], benchSub(u[0].linear, v[0].linear));
        double along = impulse.x, across = hypot(impulse.y, impulse.z);
        CHECK_NEAR(along, 1.5 * 1.5 / 1.5, 1e-14); // (1 + e) m u_n
        pbdrVec3 slip = {0.0, 0.0, 0.0};
        for (int b = 0; b < 2; b++) {
            pbdrVec3 at = benchScale(b == 0 ? -0.1 : 0.1, n);
            pbdrVec3 point = benchAdd(u[b].linear, benchCross(u[b].angular, at));
            slip = benchAddScaled(slip, b == 0 ? 1.0 : -1.0, point);
        }
        double slipSize = hypot(slip.y, slip.z);
        if (k == 0) {
            CHECK_NEAR(across, 0.1 * along, 1e-14);
            CHECK_NEAR(slip.y * impulse.z - slip.z * impulse.y, 0.0, 1e-14);
            CHECK(slip.y * impulse.y + slip.z * impulse.z < 0.0);
        } else {
            CHECK_NEAR(slipSize, 0.0, 1e-14);
            CHECK_LE(across, 10.0 * along);
        }
    }
}

// At every moment one ball has all the speed, none is in another, and each goes as far as its gap.
static void cradle__hands_the_speed_on(void)
{
    for (int number = 24; number <= 25; number++) {
        const BenchTest* test = benchFindTest(number);
        for (int k = 0; k <= 500; k++) {
            double t = 0.00101 * k, sum = 0.0, last = -1.0;
            for (int body = 0; body < 5; body++) {
                BenchFollowed f = follow(number, body, t);
                double x = benchGetStart(test, body).pose.position.x + f.shift.x;
                sum += f.velocity.linear.x;
                if (body > 0) {
                    CHECK_GE(x - last, 0.1 - 1e-15);
                }
                last = x;
            }
            CHECK_NEAR(sum, 1.0, 1e-15);
        }
        CHECK_EQ(follow(number, 4, 0.5).velocity.linear.x, 1.0);
        CHECK_NEAR(follow(number, 2, 0.5).shift.x, test->extended->gap, 1e-15);
    }
}

// --- Floors ---

// Semi-implicit Euler with the closed form's own forces, where it has a formula.
static void floors__are_eulers(void)
{
    const double dt = 1e-3;
    double x = 0.0, v = 2.0, a = 0.4 * G;
    for (int k = 0; k < 1000; k++) {
        v = fmax(0.0, v - dt * a);
        x += dt * v;
    }
    CHECK_NEAR(benchGetLawPositionFloor(benchFindTest(11), 1.0, dt), fabs(x - follow(11, 0, 1.0).shift.x),
               1e-6);
    CHECK_NEAR(benchGetLawPositionFloor(benchFindTest(11), 1.0, dt), 0.5 * 2.0 * dt, 1e-15); // v dt/2
    CHECK_NEAR(benchGetLawPositionFloor(benchFindTest(13), 2.0, dt),
               0.5 * 5.0 / 7.0 * G * sin(PI / 8) * 2.0 * dt, 1e-15);
    CHECK_NEAR(benchGetLawRotationFloor(benchFindTest(12), 1.0, dt), 0.5 * 20.0 * dt, 1e-15);
    for (int number = 16; number <= 18; number += 2) { // first order: half the step, half the error
        double whole = benchGetLawRotationFloor(benchFindTest(number), 0.5, dt);
        double half = benchGetLawRotationFloor(benchFindTest(number), 0.5, 0.5 * dt);
        CHECK_GE(whole, 1e-6);
        CHECK_NEAR(half / whole, 0.5, 0.01);
    }
    CHECK_EQ(benchGetLawPositionFloor(benchFindTest(21), 60.0, dt), 0.0);
    CHECK(isnan(benchGetLawPositionFloor(benchFindTest(15), 2.0, dt)));
    CHECK(isnan(benchGetLawRotationFloor(benchFindTest(27), 5.0, dt)));
}

// --- Arches ---

// The line of thrust: half an arch of wedges, pressed at the crown by H at the height z over the springing.
// With M = H z, where it crosses a joint is linear in H and M: two conditions for each joint, that it stays
// between intrados and extrados. Whether some H and M meet all of them: looked for at the corners of the
// conditions.
static bool canStand(double thickness)
{
    enum { JOINTS = 6 }; // of a half: 11 wedges, the keystone halved
    double a[2 * JOINTS][3], delta = PI / 22.0, q = 0.5 * thickness, weight = 0.0, moment = 0.0;
    for (int j = 0; j < JOINTS; j++) {
        // what is over the joint at the angle 2 j delta + delta from the vertical
        double area = sin(delta) * cos(delta) * 4.0 * q, centre = cos(delta) * (1.0 + q * q / 3.0);
        double share = j == 0 ? 0.5 : 1.0;
        // the halved keystone's own centre is a third of its width off the middle
        double z0 = (1.0 - q) * cos(delta), z1 = (1.0 + q) * cos(delta);
        double lean = 0.5 * tan(delta) * 2.0 / 3.0 * (z1 * z1 * z1 - z0 * z0 * z0) / (z1 * z1 - z0 * z0);
        weight += share * area;
        moment += share * area * (j == 0 ? lean : centre * sin(2.0 * j * delta));
        double angle = (2.0 * j + 1.0) * delta, s = sin(angle), c = cos(angle);
        for (int side = 0; side < 2; side++) {
            // moment about the joint's end at radius r: weight (r s) - sum of weights' moments + H r c - M
            double r = side == 0 ? 1.0 - q : 1.0 + q, sign = side == 0 ? -1.0 : 1.0;
            a[2 * j + side][0] = sign * r * c;
            a[2 * j + side][1] = -sign;
            a[2 * j + side][2] = -sign * (weight * r * s - moment);
        }
    }
    for (int i = 0; i < 2 * JOINTS; i++) {
        for (int k = 0; k < i; k++) {
            double det = a[i][0] * a[k][1] - a[i][1] * a[k][0];
            if (fabs(det) < 1e-12) {
                continue;
            }
            double push = (a[i][2] * a[k][1] - a[i][1] * a[k][2]) / det;
            double at = (a[i][0] * a[k][2] - a[i][2] * a[k][0]) / det;
            bool all = push > 0.0;
            for (int n = 0; n < 2 * JOINTS; n++) {
                all = all && a[n][0] * push + a[n][1] * at >= a[n][2] - 1e-12;
            }
            if (all) {
                return true;
            }
        }
    }
    return false;
}

static void arch__stands_from_its_minimal_thickness_on(void)
{
    double least = 0.05, most = 0.2;
    CHECK(!canStand(least) && canStand(most));
    for (int k = 0; k < 40; k++) {
        double middle = 0.5 * (least + most);
        *(canStand(middle) ? &most : &least) = middle;
    }
    CHECK_NEAR(most, 0.1046, 1e-4); // docs/extended.md
    CHECK(canStand(benchFindTest(26)->extended->thickness));
    CHECK(!canStand(benchFindTest(27)->extended->thickness));
}

// A wedge's corner in the world.
static pbdrVec3 getCorner(const BenchScene* scene, int body, int corner)
{
    const pbdrBenchBody* b = &scene->data.bodies[body];
    return benchAdd(b->start.position, benchRotate(b->start.rotation, b->vertices[corner]));
}

// The wedges' joints fit, and the two ends stand on the ground.
static void arch__has_no_gaps(void)
{
    BenchOptions options = benchDefaultOptions();
    const BenchShapes none = {0};
    BenchScene scene;
    pbdrError error;
    CHECK_EQ(benchMakeScene(benchFindTest(26), &options, &none, 0, &scene, &error), pbdr_statusOk);
    CHECK_EQ(scene.data.bodyCount, 11);
    double least = HUGE_VAL, most = 0.0; // distances from the middle of the arch
    for (int body = 0; body < 11; body++) {
        int shared = 0, grounded = 0;
        CHECK_EQ(scene.data.bodies[body].vertexCount, 8);
        for (int corner = 0; corner < 8; corner++) {
            pbdrVec3 at = getCorner(&scene, body, corner);
            least = fmin(least, hypot(at.x, at.z));
            most = fmax(most, hypot(at.x, at.z));
            grounded += fabs(at.z) <= 1e-16;
            for (int other = 0; other < 8 && body < 10; other++) {
                shared += benchLength(benchSub(at, getCorner(&scene, body + 1, other))) <= 3e-16;
            }
        }
        CHECK_EQ(shared, body < 10 ? 4 : 0);
        CHECK_EQ(grounded, body == 0 || body == 10 ? 4 : 0);
    }
    CHECK_NEAR(least, 0.5 * 0.94, 1e-15);
    CHECK_NEAR(most, 0.5 * 1.06, 1e-15);
    benchFreeScene(&scene);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"sliding__is_coulombs", sliding__is_coulombs},
          {"rolling__is_a_balls", rolling__is_a_balls},
          {"disc__is_braked_by_its_rings", disc__is_braked_by_its_rings},
          {"bounces__are_those_of_small_steps", bounces__are_those_of_small_steps},
          {"top__follows_eulers_equations", top__follows_eulers_equations},
          {"tipping__keeps_energy_and_edge", tipping__keeps_energy_and_edge},
          {"collision__keeps_momentum", collision__keeps_momentum},
          {"collision__rubs_as_coulomb_says", collision__rubs_as_coulomb_says},
          {"cradle__hands_the_speed_on", cradle__hands_the_speed_on},
          {"floors__are_eulers", floors__are_eulers},
          {"arch__stands_from_its_minimal_thickness_on", arch__stands_from_its_minimal_thickness_on},
          {"arch__has_no_gaps", arch__has_no_gaps});
}
