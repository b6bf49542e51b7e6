// How mechanisms of one or two coordinates move: closed forms, and Runge and Kutta's method where there are none.
//
//   pendulum         sin(a/2) = k sn(K + rate t, k) below the top, a/2 = am(K + k rate t, 1/k) over it
//   slider-crank     J(p) p'^2 stays, with J the inertia that the crank feels
//   top              C s and A sin^2(b) f' + C s cos(b) stay: b the tilt, f its precession, s the spin about its axis
#include "extended/mechanisms.h"

#include "vec.h"

// Steps of references [s]: half of each changes them by less than 1e-11.
#define SWING_STEP 2.0e-4
#define CRANK_STEP 5.0e-4

void benchIntegrate(BenchRates getRates, int count, double step, double duration, double* state)
{
    const int steps = (int)ceil(duration / step - 1.0e-9);
    const double h = steps > 0 ? duration / steps : 0.0;
    for (int n = 0; n < steps; n++) {
        double rates[4][BENCH_MAX_STATE], at[BENCH_MAX_STATE];
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < count; i++) {
                at[i] = state[i] + (stage == 0 ? 0.0 : (stage == 3 ? h : 0.5 * h) * rates[stage - 1][i]);
            }
            getRates(at, rates[stage]);
        }
        for (int i = 0; i < count; i++) {
            state[i] += h / 6.0 * (rates[0][i] + 2.0 * rates[1][i] + 2.0 * rates[2][i] + rates[3][i]);
        }
    }
}

// --- The pendulum ---

// Jacobi's amplitude am(K + u, k), by the arithmetic-geometric mean.
static double findAmplitude(double u, double k)
{
    double a[12] = {1.0}, c[12] = {k}, b = sqrt(1.0 - k * k);
    int n = 0;
    while (n < 11 && fabs(c[n]) > 1.0e-16) {
        a[n + 1] = 0.5 * (a[n] + b);
        c[n + 1] = 0.5 * (a[n] - b);
        b = sqrt(a[n] * b);
        n++;
    }
    const double quarter = BENCH_PI / (2.0 * a[n]);
    double phi = ldexp(a[n] * (quarter + u), n);
    for (; n > 0; n--) {
        phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
    }
    return phi;
}

void benchSwing(double rate, double start, double speed, double t, double* angle, double* angleRate)
{
    if (speed == 0.0) {
        const double k = sin(0.5 * start), phi = findAmplitude(rate * t, k);
        *angle = 2.0 * asin(k * sin(phi));
        *angleRate = 2.0 * k * rate * cos(phi);
    } else { // from upright, round and round
        const double k = sqrt(1.0 + 0.25 * speed * speed / (rate * rate)),
                     phi = findAmplitude(k * rate * t, 1.0 / k);
        *angle = 2.0 * phi;
        *angleRate = 2.0 * k * rate * sqrt(1.0 - sin(phi) * sin(phi) / (k * k));
    }
}

// --- The double pendulum ---

// Point masses on rods of length 1 m without mass.
static void getDoubleRates(const double* s, double* rates)
{
    const double g = PBDR_DEFAULT_GRAVITY, d = s[0] - s[1], w = s[2], v = s[3];
    const double sine = sin(d), cosine = cos(d), bottom = 2.0 - cosine * cosine;
    rates[0] = w;
    rates[1] = v;
    rates[2] = (-sine * (v * v + w * w * cosine) - 2.0 * g * sin(s[0]) + g * sin(s[1]) * cosine) / bottom;
    rates[3] =
        (sine * (2.0 * w * w + v * v * cosine) - 2.0 * g * sin(s[1]) + 2.0 * g * sin(s[0]) * cosine) / bottom;
}

void benchSwingTwice(double t, double state[4])
{
    state[0] = 1.5;
    state[1] = 2.5;
    state[2] = state[3] = 0.0;
    benchIntegrate(getDoubleRates, 4, SWING_STEP, t, state);
}

// --- The slider-crank ---

// What the crank feels, over its rate's square.
static double getCrankInertia(double p)
{
    const double r = BENCH_CRANK, l = BENCH_CRANK_ROD;
    const double height = r * sin(p), way = sqrt(l * l - height * height);
    const double tilt = r * cos(p) / way;                     // of the rod, by p
    const double slide = -height - height * r * cos(p) / way; // of the slider, by p
    // the rod's middle: half-way between crank pin and slider
    const double x = 0.5 * (-height + slide), z = 0.5 * r * cos(p);
    return BENCH_CRANK_INERTIA + BENCH_CRANK_MASS * 0.25 * r * r + BENCH_ROD_MASS * (x * x + z * z) +
           BENCH_ROD_INERTIA * tilt * tilt + BENCH_SLIDER_MASS * slide * slide;
}

// p' sqrt(J), which stays, is the second number.
static void getCrankRates(const double* s, double* rates)
{
    rates[0] = s[1] / sqrt(getCrankInertia(s[0]));
    rates[1] = 0.0;
}

void benchCrank(const BenchTest* test, double t, double* angle, double* rate)
{
    double state[2] = {BENCH_CRANK_START, test->extended->speed * sqrt(getCrankInertia(BENCH_CRANK_START))};
    benchIntegrate(getCrankRates, 2, CRANK_STEP, t, state);
    *angle = state[0];
    *rate = state[1] / sqrt(getCrankInertia(state[0]));
}

double benchGetSliderPlace(double angle)
{
    const double height = BENCH_CRANK * sin(angle);
    return BENCH_CRANK * cos(angle) + sqrt(BENCH_CRANK_ROD * BENCH_CRANK_ROD - height * height);
}

// --- The top ---

// About its point, across its axis.
static double getTopInertia(void)
{
    return BENCH_TOP_ACROSS + BENCH_TOP_LEVER * BENCH_TOP_LEVER; // of 1 kg
}

// A W^2 cos(b) - C s W + m g l = 0: the slow one.
double benchGetTopRate(void)
{
    const double b = BENCH_TOP_ALONG * BENCH_TOP_SPIN, a = getTopInertia() * cos(BENCH_TOP_TILT),
                 c = PBDR_DEFAULT_GRAVITY * BENCH_TOP_LEVER;
    return (b - sqrt(b * b - 4.0 * a * c)) / (2.0 * a);
}

// The rate of precession of a top whose axis started at rest, now that it is tilted.
static double getRoundRate(double tilt)
{
    const double sine = sin(tilt);
    return BENCH_TOP_ALONG * BENCH_TOP_SPIN * (cos(BENCH_TOP_TILT) - cos(tilt)) /
           (getTopInertia() * sine * sine);
}

// Tilt, its rate, precession, turn about the axis, of a top whose axis starts at rest with a spin of BENCH_TOP_SPIN.
static void getTopRates(const double* s, double* rates)
{
    const double spin = BENCH_TOP_ALONG * BENCH_TOP_SPIN, a = getTopInertia(), round = getRoundRate(s[0]);
    rates[0] = s[1];
    rates[1] =
        sin(s[0]) * (round * (a * round * cos(s[0]) - spin) + PBDR_DEFAULT_GRAVITY * BENCH_TOP_LEVER) / a;
    rates[2] = round;
    rates[3] = BENCH_TOP_SPIN - round * cos(s[0]);
}

BenchTop benchSpinTop(const BenchTest* test, double t)
{
    if (test->extended->steady) { // steadily
        const double rate = benchGetTopRate();
        return (BenchTop){BENCH_TOP_TILT, 0.0, rate * t, rate,
                          (BENCH_TOP_SPIN - rate * cos(BENCH_TOP_TILT)) * t};
    }
    double state[4] = {BENCH_TOP_TILT, 0.0, 0.0, 0.0};
    benchIntegrate(getTopRates, 4, SWING_STEP, t, state);
    return (BenchTop){state[0], state[1], state[2], getRoundRate(state[0]), state[3]};
}
