// Masses that weigh right: the sphere masses nearest to given ones whose ten moments are those of a solid.
//
// With d = x_i - centre along the spheres' principal axes, each in units of its own length,
// phi_i = (1, dx, dy, dz, dx dx, dy dy, dz dz, dx dy, dx dz, dy dz), shares w_i = m0_i / M and ratios
// u_i = m_i / m0_i:
//
//   minimise sum w_i (u_i - 1)^2 / 2   subject to   sum w_i u_i phi_i = b,   u_i >= floor
//   u_i = max(floor, 1 + lambda.phi_i),  where lambda minimises the convex dual
//   D(lambda) = sum w_i psi(1 + lambda.phi_i) - lambda.b,   psi'(v) = max(floor, v)
//
// Newton's first step from lambda = 0 is the closed form (G lambda = b - sum w phi, G = sum w phi phi^T); as
// D is piecewise quadratic a few more end the search where that step takes masses below the floor, and the
// last ones are iterative refinement. Moments that depend on others for these spheres (x x and 1 for two
// spheres per axis) are left out of lambda, so that G is regular, and checked at the end. Where b cannot be
// had, the first four moments are matched in the same way and the rest is inertia that the caller carries.
#include "pbdr/geometry.h"

#include "base.h"
#include "geometry/mass_target.h"
#include "math/sym3.h"
#include "math/vec.h"

#include <float.h>
#include <string.h>

#define MOMENTS 10       // mass, centre, second moments
#define CENTRE_MOMENTS 4 // mass, centre

// Rows and columns of the second moments among them: those after CENTRE_MOMENTS.
static const int secondIndices[MOMENTS - CENTRE_MOMENTS][2] = {{0, 0}, {1, 1}, {2, 2},
                                                               {0, 1}, {0, 2}, {1, 2}};

// Most that a matched moment may be off, in units of M, M length, M length^2: a tenth of what is promised.
// The search goes on below it as long as that helps.
#define MATCH_TOLERANCE 1.0e-13

// Share of its size, squared, below which a moment's variation counts as none: the rounding of G, with room
// for sums of 100 million terms. Spheres this close to a plane (1e-5 of the size) are a layer.
#define RANK_CUTOFF 1.0e-10

// Share of G that is added to a singular Hessian, times the residual, so that the last steps are Newton's
// own. From 1e-9 to 1e-2 it hardly changes the number of steps.
#define DAMPING 1.0e-9

// Widths below this share of the length count as none. sqrt(DBL_EPSILON) of the length is what principal axes
// show of nothing.
#define FLATNESS 1.0e-6

// Newton takes one step in the closed form and under ten with clamped masses. Sets that cannot match are
// mostly found by proof (isOutOfReach); whatever is not found after this many steps is taken for one of them.
#define MAX_STEPS 60
#define MAX_HALVINGS 40

// Lowest floor tried for a centre of mass near the edge of the hull.
#define LOWEST_FLOOR 1.0e-6

// --- Sums and small systems ---

// A sum and what rounding cut off it (Neumaier 1974): exact to about two roundings of the terms.
typedef struct Sum {
    double value, rest;
} Sum;

static void addTo(Sum* sum, double term)
{
    double total = sum->value + term;
    sum->rest += fabs(sum->value) >= fabs(term) ? (sum->value - total) + term : (term - total) + sum->value;
    sum->value = total;
}

static double getSum(const Sum* sum)
{
    return sum->value + sum->rest;
}

// x with A x = b for a positive definite A of `size` rows, by A = L L^T. False if it is not.
static bool solve(double a[MOMENTS][MOMENTS], int size, const double b[MOMENTS], double x[MOMENTS])
{
    for (int j = 0; j < size; j++) {
        for (int i = j; i < size; i++) {
            double sum = a[i][j];
            for (int k = 0; k < j; k++) {
                sum -= a[i][k] * a[j][k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            a[i][j] = i == j ? sqrt(sum) : sum / a[j][j];
        }
    }
    for (int i = 0; i < size; i++) {
        x[i] = b[i];
        for (int k = 0; k < i; k++) {
            x[i] -= a[i][k] * x[k];
        }
        x[i] /= a[i][i];
    }
    for (int i = size - 1; i >= 0; i--) {
        for (int k = i + 1; k < size; k++) {
            x[i] -= a[k][i] * x[k];
        }
        x[i] /= a[i][i];
    }
    return true;
}

// --- The dual problem ---

typedef struct Problem {
    const pbdrSphereSet* set;
    double baseMass;        // sum of the set's masses: w_i = masses[i] / baseMass
    pbdrVec3 centre;        // wanted [m]
    pbdrMat3 axes;          // principal axes of the spheres, as rows: shape to principal axes
    double lengths[3];      // unit along each: radius of gyration of the solid or the spheres, the larger [m]
    double size;            // the largest of them [m]
    double units[MOMENTS];  // of the moments, as shares of 1, size, size^2
    double target[MOMENTS]; // b
    double gram[MOMENTS][MOMENTS]; // G
    double tolerance;              // of a moment in units of 1, size, size^2
} Problem;

// A trial lambda, and what the masses that it gives weigh.
typedef struct Trial {
    double lambda[MOMENTS];
    double dual;                      // D
    double residual[MOMENTS];         // sum w u phi - b, the gradient of D
    double hessian[MOMENTS][MOMENTS]; // sum of w phi phi^T over the spheres above the floor
    double smallestRatio;             // of u
    double mean, largest;             // of lambda.phi: mean by w
    int clampedCount;
} Trial;

static void getMoments(const Problem* problem, int i, double phi[MOMENTS])
{
    pbdrVec3 d = pbdrMulMV(&problem->axes, pbdrSub(problem->set->positions[i], problem->centre));
    d = pbdrVec(d.x / problem->lengths[0], d.y / problem->lengths[1], d.z / problem->lengths[2]);
    const double values[MOMENTS] = {1.0,       d.x,       d.y,       d.z,       d.x * d.x,
                                    d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
    memcpy(phi, values, sizeof values);
}

static double getSlope(const double lambda[MOMENTS], const double phi[MOMENTS])
{
    double sum = 0.0;
    for (int k = 0; k < MOMENTS; k++) {
        sum += lambda[k] * phi[k];
    }
    return sum;
}

// Everything about trial->lambda. The moments are compensated sums; the Hessian need not be, it only points.
static void evaluate(const Problem* problem, double floor, Trial* trial)
{
    Sum dual = {0.0, 0.0}, mean = {0.0, 0.0}, moments[MOMENTS] = {{0.0, 0.0}};
    memset(trial->hessian, 0, sizeof trial->hessian);
    trial->smallestRatio = (double)INFINITY;
    trial->largest = -(double)INFINITY;
    trial->clampedCount = 0;
    for (int i = 0; i < problem->set->count; i++) {
        double phi[MOMENTS], share = problem->set->masses[i] / problem->baseMass;
        getMoments(problem, i, phi);
        double slope = getSlope(trial->lambda, phi), ratio = fmax(floor, 1.0 + slope);
        // psi(v) = v^2/2, below the floor its tangent
        addTo(&dual, share * (ratio * (1.0 + slope) - 0.5 * ratio * ratio));
        addTo(&mean, share * slope);
        trial->largest = fmax(trial->largest, slope);
        trial->smallestRatio = fmin(trial->smallestRatio, ratio);
        for (int k = 0; k < MOMENTS; k++) {
            addTo(&moments[k], share * ratio * phi[k]);
        }
        if (1.0 + slope < floor) {
            trial->clampedCount++;
            continue;
        }
        for (int k = 0; k < MOMENTS; k++) {
            for (int l = 0; l <= k; l++) {
                trial->hessian[k][l] += share * phi[k] * phi[l];
            }
        }
    }
    trial->dual = getSum(&dual) - getSlope(trial->lambda, problem->target);
    trial->mean = getSum(&mean);
    for (int k = 0; k < MOMENTS; k++) {
        addTo(&moments[k], -problem->target[k]);
        trial->residual[k] = getSum(&moments[k]);
    }
}

// The moments among the first momentCount that vary independently over the spheres, by elimination in G with
// the largest pivot first; returns how many.
static int chooseMoments(const Problem* problem, int momentCount, int chosen[MOMENTS])
{
    double rest[MOMENTS][MOMENTS];
    for (int k = 0; k < MOMENTS; k++) {
        for (int l = 0; l < MOMENTS; l++) {
            rest[k][l] = k >= l ? problem->gram[k][l] : problem->gram[l][k];
        }
    }
    for (int count = 0; count < momentCount; count++) {
        int best = 0; // what is chosen has a rest of rounding errors
        for (int k = 1; k < momentCount; k++) {
            best = rest[k][k] > rest[best][best] ? k : best;
        }
        double pivot = rest[best][best], column[MOMENTS];
        if (!(pivot > RANK_CUTOFF)) {
            return count;
        }
        chosen[count] = best;
        for (int k = 0; k < momentCount; k++) {
            column[k] = rest[k][best];
        }
        for (int k = 0; k < momentCount; k++) {
            for (int l = 0; l < momentCount; l++) {
                rest[k][l] -= column[k] * column[l] / pivot;
            }
        }
        rest[best][best] = 0.0;
    }
    return momentCount;
}

static double getWorst(const Trial* trial, int count, const int chosen[MOMENTS])
{
    double worst = 0.0;
    for (int k = 0; k < count; k++) {
        worst = fmax(worst, fabs(trial->residual[chosen[k]]));
    }
    return worst;
}

// The largest of the first momentCount residuals, in units of 1, size, size^2.
static double getError(const Problem* problem, const Trial* trial, int momentCount)
{
    double worst = 0.0;
    for (int k = 0; k < momentCount; k++) {
        worst = fmax(worst, fabs(trial->residual[k]) * problem->units[k]);
    }
    return worst;
}

// Proof that no masses of at least the floor have the moments b: along lambda, they would reach at most
// sum w u lambda.phi <= floor sum w lambda.phi + (1 - floor) max lambda.phi.
static bool isOutOfReach(const Problem* problem, double floor, const Trial* trial)
{
    double size = 0.0;
    for (int k = 0; k < MOMENTS; k++) {
        size += fabs(trial->lambda[k]);
    }
    double reach = floor * trial->mean + (1.0 - floor) * trial->largest;
    return getSlope(trial->lambda, problem->target) > reach + 1.0e-9 * size;
}

// Newton's direction at a trial, for the chosen moments. Where few spheres are above the floor the Hessian is
// singular: a share of G, as small as the elimination takes, keeps the direction finite and downhill.
static bool findDirection(const Problem* problem, int count, const int chosen[MOMENTS], const Trial* trial,
                          double direction[MOMENTS])
{
    double right[MOMENTS], damping = 0.0;
    for (int k = 0; k < count; k++) {
        right[k] = -trial->residual[chosen[k]];
    }
    if (trial->clampedCount > 0) {
        damping = DAMPING * fmin(1.0, getWorst(trial, count, chosen));
    }
    for (; damping <= 1.0; damping = fmax(DAMPING, 100.0 * damping)) {
        double left[MOMENTS][MOMENTS];
        for (int k = 0; k < count; k++) {
            for (int l = 0; l <= k; l++) {
                int row = chosen[k] > chosen[l] ? chosen[k] : chosen[l];
                int column = chosen[k] > chosen[l] ? chosen[l] : chosen[k];
                left[k][l] = trial->hessian[row][column] + damping * problem->gram[row][column];
            }
        }
        if (solve(left, count, right, direction)) {
            return true;
        }
    }
    return false;
}

// One step of Newton's method, halved until D falls; false if it does not.
static bool takeStep(const Problem* problem, double floor, int count, const int chosen[MOMENTS],
                     const Trial* now, Trial* next)
{
    double direction[MOMENTS], slope = 0.0, scale = 1.0;
    if (!findDirection(problem, count, chosen, now, direction)) {
        return false;
    }
    for (int k = 0; k < count; k++) {
        slope += now->residual[chosen[k]] * direction[k];
    }
    for (int halving = 0; halving < MAX_HALVINGS; halving++, scale *= 0.5) {
        memcpy(next->lambda, now->lambda, sizeof next->lambda);
        for (int k = 0; k < count; k++) {
            next->lambda[chosen[k]] += scale * direction[k];
        }
        evaluate(problem, floor, next);
        // Armijo's rule, less the rounding of D: the last steps change only digits that D does not show
        if (next->dual <= now->dual + 1.0e-4 * scale * slope + 64.0 * DBL_EPSILON * (1.0 + fabs(now->dual))) {
            return true;
        }
    }
    return false;
}

// Matches the first momentCount moments by masses of at least floor m0, if that can be.
static bool fitMoments(const Problem* problem, int momentCount, double floor, Trial* trial, int* stepCount)
{
    int chosen[MOMENTS];
    int count = chooseMoments(problem, momentCount, chosen);
    memset(trial->lambda, 0, sizeof trial->lambda);
    evaluate(problem, floor, trial);
    *stepCount = 0;
    for (int step = 0; step < MAX_STEPS; step++) {
        double worst = getWorst(trial, count, chosen);
        bool settled = worst <= MATCH_TOLERANCE;
        Trial next;
        if (isOutOfReach(problem, floor, trial) || !takeStep(problem, floor, count, chosen, trial, &next)) {
            break;
        }
        // refinement has done what it can
        if (settled && getWorst(&next, count, chosen) >= 0.5 * worst) {
            break;
        }
        *trial = next;
        *stepCount += settled ? 0 : 1;
    }
    return getError(problem, trial, momentCount) <= problem->tolerance;
}

// --- The target ---

// Axes and lengths in which the spheres are about as wide as long, so that a long or flat body's small
// moments count as much as its large ones. What is flat or straight but for rounding stays so: lengths are at
// least FLATNESS of the largest, and well over the last digit of a coordinate.
static pbdrStatus findUnits(Problem* problem, const pbdrMat3* second, double mass, pbdrError* error)
{
    Sum base = {0.0, 0.0};
    double farthest = 0.0; // coordinate
    pbdrMat3 spread = {{{0.0}}}, vectors;
    for (int i = 0; i < problem->set->count; i++) {
        pbdrVec3 x = problem->set->positions[i], offset = pbdrSub(x, problem->centre);
        double m = problem->set->masses[i], d[3] = {offset.x, offset.y, offset.z};
        addTo(&base, m);
        farthest = fmax(farthest, fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z))));
        for (int j = 0; j < 9; j++) {
            spread.m[j / 3][j % 3] += m * d[j / 3] * d[j % 3];
        }
    }
    problem->baseMass = getSum(&base);
    double trace = spread.m[0][0] + spread.m[1][1] + spread.m[2][2], values[3];
    if (!isfinite(problem->baseMass) || !isfinite(trace)) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "set: its mass, %g kg, or its second moment, %g kg m^2, is not finite",
                        problem->baseMass, trace);
    }
    pbdrSymEigen(&spread, values, &vectors);
    problem->axes = pbdrTranspose(&vectors);
    pbdrMat3 solid = pbdrTurnTensor(&problem->axes, second);
    problem->size = 0.0;
    for (int j = 0; j < 3; j++) {
        problem->lengths[j] = sqrt(fmax(0.0, fmax(values[j] / problem->baseMass, solid.m[j][j] / mass)));
        problem->size = fmax(problem->size, problem->lengths[j]);
    }
    problem->size = problem->size > 0.0 ? problem->size : 1.0; // one point: any unit does
    double digit = DBL_EPSILON * farthest, least = fmax(FLATNESS * problem->size, digit / FLATNESS);
    for (int j = 0; j < 3; j++) {
        problem->lengths[j] = fmax(problem->lengths[j], least);
    }
    problem->size = fmax(problem->size, least);
    problem->tolerance = fmax(MATCH_TOLERANCE, 4.0 * digit / problem->size);
    return pbdr_statusOk;
}

static pbdrStatus makeProblem(const pbdrSphereSet* set, const pbdrMassProperties* target, Problem* problem,
                              pbdrError* error)
{
    pbdrMat3 second;
    *problem = (Problem){.set = set, .centre = target->centre};
    pbdrStatus status = pbdrCheckMassSet(set, error);
    status = status != pbdr_statusOk ? status : pbdrFindSecondMoments(target, &second, error);
    status = status != pbdr_statusOk ? status : findUnits(problem, &second, target->mass, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrMat3 solid = pbdrTurnTensor(&problem->axes, &second);
    problem->target[0] = problem->units[0] = 1.0;
    for (int j = 0; j < 3; j++) {
        problem->units[1 + j] = problem->lengths[j] / problem->size;
    }
    for (int k = CENTRE_MOMENTS; k < MOMENTS; k++) {
        int row = secondIndices[k - CENTRE_MOMENTS][0], column = secondIndices[k - CENTRE_MOMENTS][1];
        problem->units[k] = problem->units[1 + row] * problem->units[1 + column];
        problem->target[k] =
            solid.m[row][column] / target->mass / problem->lengths[row] / problem->lengths[column];
    }
    Trial equal = {0};
    evaluate(problem, 0.0, &equal);
    memcpy(problem->gram, equal.hessian, sizeof problem->gram);
    return pbdr_statusOk;
}

// --- The ladder ---

// What the second moments lack, as inertia in the axes of the shape.
static pbdrMat3 getExtraInertia(const Problem* problem, double mass, const Trial* trial)
{
    double lacking[MOMENTS - CENTRE_MOMENTS];
    for (int k = 0; k < MOMENTS - CENTRE_MOMENTS; k++) {
        lacking[k] = -trial->residual[CENTRE_MOMENTS + k] * mass * problem->lengths[secondIndices[k][0]] *
                     problem->lengths[secondIndices[k][1]];
    }
    pbdrMat3 inertia =
        pbdrMakeInertia(lacking[0], lacking[1], lacking[2], lacking[3], lacking[4], lacking[5]);
    pbdrMat3 back = pbdrTranspose(&problem->axes), extra = pbdrTurnTensor(&back, &inertia);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < i; j++) {
            extra.m[i][j] = extra.m[j][i]; // equal but for rounding
        }
    }
    return extra;
}

pbdrStatus pbdrSphereSet_FitMasses(pbdrSphereSet* set, const pbdrMassProperties* target, pbdrMassFit* fit,
                                   pbdrError* error)
{
    if (!PBDR_ASSERT(set != NULL ? &set->hooks : NULL, set != NULL && target != NULL && fit != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "set, target or fit: NULL");
    }
    *fit = (pbdrMassFit){0};
    Problem problem;
    pbdrStatus status = makeProblem(set, target, &problem, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    Trial trial;
    double floor = PBDR_MASS_FLOOR;
    int stepCount;
    bool exact = fitMoments(&problem, MOMENTS, floor, &trial, &stepCount);
    bool matched = exact || fitMoments(&problem, CENTRE_MOMENTS, floor, &trial, &stepCount);
    while (!matched && floor > LOWEST_FLOOR) {
        floor *= 0.1;
        matched = fitMoments(&problem, CENTRE_MOMENTS, floor, &trial, &stepCount);
    }
    if (!matched) {
        return pbdrFail(error, pbdr_statusInvalidArgument,
                        "centre: (%.9g, %.9g, %.9g) m lies outside the hull of the %d spheres' centres or at "
                        "its edge, so that no masses above zero have it as their centre",
                        target->centre.x, target->centre.y, target->centre.z, set->count);
    }
    fit->rung = !exact                    ? pbdr_massesExtraInertia
                : trial.clampedCount == 0 ? pbdr_massesClosedForm
                                          : pbdr_massesClamped;
    fit->smallestRatio = trial.smallestRatio;
    fit->newtonSteps = trial.clampedCount > 0 ? stepCount - 1 : 0;
    fit->residual = getError(&problem, &trial, exact ? MOMENTS : CENTRE_MOMENTS);
    if (!exact) {
        fit->extraInertia = getExtraInertia(&problem, target->mass, &trial);
    }
    for (int i = 0; i < set->count; i++) {
        double phi[MOMENTS];
        getMoments(&problem, i, phi);
        double ratio = fmax(floor, 1.0 + getSlope(trial.lambda, phi));
        set->masses[i] = target->mass * (set->masses[i] / problem.baseMass * ratio);
    }
    return pbdr_statusOk;
}
