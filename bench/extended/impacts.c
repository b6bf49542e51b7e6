// Closed forms with impacts. Newton's law: the speed along the normal turns round, times e. Friction takes mu
// times the normal impulse at most, and no more than ends the slip.
//
//   J_n = (1 + e) m u_n,   |J_t| = min(mu J_n, 2/7 m u_t),   1/m = 1/m_a + 1/m_b
//
// for two solid balls whose contact points meet with u_n and slip with u_t (2/7: a ball that is pushed at its
// surface moves there by 7/2 of what its centre does).
#include "extended/extended.h"

#include "vec.h"

// --- A ball that bounces ---

// Bounces at most: the ball's apex has then long been under the size of an atom.
#define MOST_BOUNCES 64

void benchFollowBounce(const BenchTest* test, double t, BenchFollowed* f)
{
    double g = PBDR_DEFAULT_GRAVITY, h = test->extended->height, e = test->extended->restitution;
    double start = 0.0, z = h, v = 0.0; // of the present flight
    double end = sqrt(2.0 * h / g);
    for (int k = 0; k < MOST_BOUNCES && t > end; k++) {
        v = k == 0 ? e * g * end : e * v;
        z = 0.0;
        start = end;
        end += 2.0 * v / g;
    }
    double flown = fmin(t, end) - start;
    f->shift.z = z + v * flown - 0.5 * g * flown * flown - h;
    f->velocity.linear.z = t > end ? 0.0 : v - g * flown;
}

// --- Two balls ---

void benchCollide(const double masses[2], double radius, pbdrVec3 normal, double mu, double e,
                  pbdrVelocity velocities[2])
{
    pbdrVelocity *a = &velocities[0], *b = &velocities[1];
    double mass = 1.0 / (1.0 / masses[0] + 1.0 / masses[1]);
    pbdrVec3 spin = benchAdd(a->angular, b->angular); // both balls' surfaces move by -r (w_a + w_b) x n
    pbdrVec3 meeting = benchAddScaled(benchSub(a->linear, b->linear), -radius, benchCross(spin, normal));
    double approach = -benchDot(meeting, normal);
    pbdrVec3 slip = benchAddScaled(meeting, approach, normal);
    double slipSize = benchLength(slip), push = (1.0 + e) * mass * approach;
    double rub = fmin(mu * push, 2.0 / 7.0 * mass * slipSize);
    pbdrVec3 impulse = benchScale(push, normal);
    if (slipSize > 0.0) {
        impulse = benchAddScaled(impulse, -rub / slipSize, slip);
    }
    a->linear = benchAddScaled(a->linear, 1.0 / masses[0], impulse);
    b->linear = benchAddScaled(b->linear, -1.0 / masses[1], impulse);
    pbdrVec3 twist = benchScale(-radius, benchCross(normal, impulse)); // the same for both
    for (int k = 0; k < 2; k++) {
        double inertia = 0.4 * masses[k] * radius * radius;
        velocities[k].angular = benchAddScaled(velocities[k].angular, 1.0 / inertia, twist);
    }
}

static pbdrQuat turnBy(pbdrVec3 w)
{
    double angle = benchLength(w), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.0;
    return (pbdrQuat){cos(0.5 * angle), s * w.x, s * w.y, s * w.z};
}

void benchFollowCollision(const BenchTest* test, int body, double t, BenchFollowed* f)
{
    BenchStart starts[2] = {benchGetStart(test, 0), benchGetStart(test, 1)};
    pbdrVelocity velocities[2] = {starts[0].velocity, starts[1].velocity};
    const double masses[2] = {benchGetBodyMass(test, 0), benchGetBodyMass(test, 1)};
    double reach = 2.0 * BENCH_BALL_RADIUS;
    pbdrVec3 apart = benchSub(starts[0].pose.position, starts[1].pose.position);
    pbdrVec3 closing = benchSub(velocities[0].linear, velocities[1].linear);
    // |apart + closing s| = reach
    double aa = benchDot(closing, closing), ab = benchDot(apart, closing);
    double meet = (-ab - sqrt(ab * ab - aa * (benchDot(apart, apart) - reach * reach))) / aa;
    double before = fmin(t, meet), after = fmax(0.0, t - meet);
    f->shift = benchScale(before, velocities[body].linear);
    f->turn = turnBy(benchScale(before, velocities[body].angular));
    if (t > meet) {
        pbdrVec3 normal = benchScale(1.0 / reach, benchAddScaled(apart, meet, closing));
        benchCollide(masses, BENCH_BALL_RADIUS, normal, test->mu, test->extended->restitution, velocities);
        f->shift = benchAddScaled(f->shift, after, velocities[body].linear);
        f->turn = benchMulQQ(turnBy(benchScale(after, velocities[body].angular)), f->turn);
    }
    f->velocity = velocities[body];
}

// --- A row of equal balls ---

// One after the other: each takes over the whole speed, and goes until it meets the next.
void benchFollowCradle(const BenchTest* test, int body, double t, BenchFollowed* f)
{
    double v = test->extended->speed, gap = test->extended->gap;
    int last = test->extended->bodyCount - 1;
    double first = (benchGetStart(test, 1).pose.position.x - benchGetStart(test, 0).pose.position.x -
                    2.0 * BENCH_CRADLE_RADIUS) /
                   v;
    double begin = body == 0 ? 0.0 : first + (body - 1) * gap / v;
    double end = body == 0 ? first : body < last ? begin + gap / v : HUGE_VAL;
    f->shift.x = v * fmax(0.0, fmin(t, end) - begin);
    f->velocity.linear.x = t >= begin && t < end ? v : 0.0;
}
