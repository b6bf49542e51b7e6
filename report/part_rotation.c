// Fig. rot_vs_spheres: rotation error over time for several numbers of spheres, tests 2 and 5.
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "pbdr study resolution-inertia";
static const char* const colours[] = {"#000000", "#d55e00", "#e69f00", "#cc79a7",
                                      "#009e73", "#56b4e9", "#0072b2", "#777777"};
enum { COLOUR_COUNT = sizeof colours / sizeof colours[0] };

// Which samples: PBD-R's of the paper's masses in the first sample's precision.
static bool isDrawn(const Sample* sample, const Sample* first, double test, double particles)
{
    return strcmp(sample->solver, "pbd-r") == 0 && strcmp(sample->masses, "exact") != 0 &&
           strcmp(sample->precision, first->precision) == 0 && sample->test == test &&
           sample->particles == particles;
}

// The mean over seeds of the rotation error, one line per time. The samples of a run stand in order of time.
static void writeSeries(FILE* data, const CsvRecords* series, double test, double particles)
{
    const Sample* samples = series->records;
    for (size_t k = 0; k < series->count; k++) {
        const Sample* first = &samples[k];
        if (!isDrawn(first, samples, test, particles) || first->seed != samples[0].seed ||
            !(first->time > 0)) {
            continue;
        }
        double sum = 0;
        int count = 0;
        for (size_t j = 0; j < series->count; j++) {
            const Sample* other = &samples[j];
            if (isDrawn(other, samples, test, particles) && other->time == first->time &&
                isfinite(other->rotation)) {
                sum += other->rotation;
                count++;
            }
        }
        if (count > 0) {
            fprintf(data, "%g %g\n", first->time, sum / count);
        }
    }
}

static void drawSeries(Page* page, const CsvRecords* series, const Runs* runs, int test, const char* name,
                       const char* title)
{
    Choice choice = chooseAll();
    choice.solver = "pbd-r";
    choice.masses = "uniform";
    choice.test = test;
    double particles[MAX_VALUES];
    int sizes = listValues(runs, &choice, offsetof(Run, particles), particles);
    double floor = findSpread(runs, &choice, offsetof(Run, floorRotation)).most;
    double duration = findSpread(runs, &choice, offsetof(Run, duration)).most;
    if (sizes == 0 || !(duration > 0)) {
        addHtml(page,
                "<p class=\"missing\"><strong>Missing.</strong> resolution-inertia.csv has no measured run "
                "of PBD-R in test "
                "%d. Make it with <code>%s</code>.</p>\n",
                test, command);
        page->missingCount++;
        return;
    }
    Figure figure;
    if (!openFigure(&figure, page, name, 620, 460)) {
        return;
    }
    fprintf(figure.script,
            "set logscale y\nset format y \"10^{%%T}\"\nset xlabel \"time [s]\"\nset ylabel \"rotation error "
            "[deg]\"\n"
            "set xrange [0:%g]\nset yrange [1e-3:1e3]\nset title \"%s\"\n"
            "set key outside right center reverse Left samplen 3 title \"spheres\"\nplot ",
            duration, title);
    for (int k = 0; k < sizes; k++) {
        writeSeries(figure.data, series, test, particles[k]);
        fputs("nan nan\n", figure.data);
        fprintf(figure.script, "data index %d with lines lw 2.2 dt %d lc rgb \"%s\" title \"%g\", \\\n     ",
                endBlock(&figure), k % 5 + 1, colours[k % COLOUR_COUNT], particles[k]);
    }
    fprintf(figure.script, "%g * x with lines lw 1.5 dt (2,3) lc rgb \"#555555\" title \"floor\"\n",
            isnan(floor) ? 0.0 : floor / duration);
    closeFigure(&figure, title);
}

// --- Over the spheres: what exact masses leave of the error ---

static const struct {
    const char *solver, *precision, *masses, *heading, *label;
    int dash, point;
} lines[] = {
    {"pbd-r", "f64", "uniform", "PBD-R, double [deg]", "PBD-R, uniform masses", 1, 7},
    {"pbd-r", "f32", "uniform", "PBD-R, float [deg]", NULL, 0, 0},
    {"pbd-r", "f64", "exact", "PBD-R, double, exact masses [deg]", "PBD-R, exact masses", 2, 6},
    {"xpbdr", "f64", "exact", "XPBD-R, exact masses [deg]", "XPBD-R, exact masses", 1, 5},
};
enum { LINE_COUNT = sizeof lines / sizeof lines[0], UNIFORM = 0, EXACT = 2, OURS = 3 };

static Spread findError(const Runs* runs, int line, int test, double particles)
{
    Choice choice = chooseAll();
    choice.solver = lines[line].solver;
    choice.precision = lines[line].precision;
    choice.masses = lines[line].masses;
    choice.test = test;
    choice.particles = particles;
    return findSpread(runs, &choice, offsetof(Run, finalRotation));
}

static int listSizes(const Runs* runs, int test, double particles[MAX_VALUES])
{
    Choice choice = chooseAll();
    choice.test = test;
    return listValues(runs, &choice, offsetof(Run, particles), particles);
}

static double findFloor(const Runs* runs, int test)
{
    Choice choice = chooseAll();
    choice.test = test;
    return findSpread(runs, &choice, offsetof(Run, floorRotation)).most;
}

static void drawMasses(Page* page, const Runs* runs, int test, const char* name, const char* title)
{
    double particles[MAX_VALUES], floor = findFloor(runs, test);
    int sizes = listSizes(runs, test, particles);
    Figure figure;
    if (sizes == 0 || !openFigure(&figure, page, name, 620, 460)) {
        return;
    }
    fprintf(figure.script,
            "set logscale xy\nset format x \"10^{%%T}\"\nset format y \"10^{%%T}\"\nset xlabel \"spheres\"\n"
            "set ylabel \"rotation error at 10 s [deg]\"\nset xrange [%g:%g]\nset yrange [1e-12:1e3]\n"
            "set ytics 100\n"
            "set title \"%s\"\nset key outside top center horizontal maxrows 2 reverse Left samplen 3 width "
            "-4\nplot ",
            particles[0] / 1.5, particles[sizes - 1] * 1.5, title);
    for (int k = 0; k < LINE_COUNT; k++) {
        int points = 0;
        for (int j = 0; j < sizes && lines[k].label != NULL; j++) {
            Spread spread = findError(runs, k, test, particles[j]);
            if (spread.measured > 0) {
                fprintf(figure.data, "%g %g\n", particles[j], fmax(spread.mean, 1e-12));
                points++;
            }
        }
        if (points > 0) {
            fprintf(figure.script,
                    "data index %d with linespoints lw 2.2 dt %d pt %d lc rgb \"%s\" title \"%s\", \\\n     ",
                    endBlock(&figure), lines[k].dash, lines[k].point, findStyle(lines[k].solver).colour,
                    lines[k].label);
        }
    }
    fprintf(figure.script, "%g with lines lw 1.5 dt (2,3) lc rgb \"#555555\" title \"floor\"\n",
            isnan(floor) ? 0.0 : floor);
    closeFigure(&figure, title);
}

static void tabulate(Page* page, const Runs* runs)
{
    Sheet sheet = {.columns = 3 + LINE_COUNT};
    addCell(page, &sheet, "test");
    addCell(page, &sheet, "spheres");
    for (int k = 0; k < LINE_COUNT; k++) {
        addCell(page, &sheet, "%s", lines[k].heading);
    }
    addCell(page, &sheet, "floor [deg]");
    for (int test = 2; test <= 5; test += 3) {
        double particles[MAX_VALUES];
        int sizes = listSizes(runs, test, particles);
        for (int j = 0; j < sizes; j++) {
            addCell(page, &sheet, "%s", findTestName(test));
            addCell(page, &sheet, "%g", particles[j]);
            for (int k = 0; k < LINE_COUNT; k++) {
                Spread spread = findError(runs, k, test, particles[j]);
                addCell(page, &sheet, "%s", showSpread(&spread).text);
            }
            addCell(page, &sheet, "%s", showValue(findFloor(runs, test)).text);
        }
    }
    closeSheet(page, &sheet, "rotation", "Final rotation error: mean (smallest to largest seed).");
}

// The largest over all numbers of spheres.
static double findWorst(const Runs* runs, int line, int test)
{
    return findError(runs, line, test, (double)NAN).most;
}

static void summarizeMasses(Page* page, const Runs* runs)
{
    char found[400] = "";
    for (int test = 2; test <= 5; test += 3) {
        double worst[3] = {findWorst(runs, UNIFORM, test), findWorst(runs, EXACT, test),
                           findWorst(runs, OURS, test)};
        size_t length = strlen(found);
        if (isfinite(worst[1]) && isfinite(worst[2])) {
            snprintf(found + length, sizeof found - length,
                     "%stest %d: PBD-R %s deg instead of %s (floor %s), XPBD-R %s", length > 0 ? "; " : "",
                     test, showValue(worst[1]).text, showValue(worst[0]).text,
                     showValue(findFloor(runs, test)).text, showValue(worst[2]).text);
        }
    }
    if (found[0] != 0) {
        summarize(page, "Ours: largest rotation error of any number of spheres, with exact masses",
                  "not in the paper", found);
    }
}

static void summarizeRotation(Page* page, const Runs* runs)
{
    static const char* const claims[2] = {
        "Test 2: the rotation error falls with every step in the number of spheres",
        "Test 5: the bunny's rotation error does so too"};
    static const char* const printed[2] = {"yes", "no: n = 270 and 377 beat several larger ones"};
    for (int k = 0; k < 2; k++) {
        Choice choice = chooseAll();
        choice.solver = "pbd-r";
        choice.test = k == 0 ? 2 : 5;
        choice.precision = runs->runs[0].precision;
        choice.masses = "uniform";
        double particles[MAX_VALUES], previous = (double)INFINITY, first = (double)NAN;
        int sizes = listValues(runs, &choice, offsetof(Run, particles), particles);
        bool monotone = true;
        for (int j = 0; j < sizes; j++) {
            choice.particles = particles[j];
            double mean = findSpread(runs, &choice, offsetof(Run, finalRotation)).mean;
            monotone = monotone && mean < previous;
            previous = mean;
            first = j == 0 ? mean : first;
        }
        char found[256];
        if (sizes > 1) {
            snprintf(found, sizeof found, "%s; %s deg with %g spheres, %s deg with %g",
                     monotone ? "yes" : "no", showValue(first).text, particles[0], showValue(previous).text,
                     particles[sizes - 1]);
            summarize(page, claims[k], printed[k], found);
        }
    }
}

void addRotationPart(Page* page)
{
    beginPart(page, "rotation", "Rotation over time and spheres",
              "Remakes the paper's Fig. rot_vs_spheres (tests 2 and 5, constant torque, no friction).");
    Runs runs;
    CsvRecords series = {0};
    bool loaded = loadRuns(page, &runs, "resolution-inertia", command);
    loaded = loadRecords(page, &series, "resolution-inertia_series", sampleColumns, sampleColumnCount,
                         sizeof(Sample), command) &&
             loaded;
    if (loaded) {
        const Sample* samples = series.records;
        beginFigures(page, "two");
        drawSeries(page, &series, &runs, 2, "rotation_test2", "Test 2: box");
        drawSeries(page, &series, &runs, 5, "rotation_test5", "Test 5: bunny");
        endFigures(
            page, "Rotation error over time",
            "PBD-R in %s with the paper's uniform masses, mean over seeds. The error is that of the spheres' "
            "moment of inertia: it "
            "grows with t&sup2;, and more spheres help only if they are spread well. Dotted: the floor of "
            "semi-implicit Euler.",
            strcmp(samples[0].precision, "f64") == 0 ? "double" : "float");
        beginFigures(page, "two");
        drawMasses(page, &runs, 2, "masses_test2", "Test 2: box");
        drawMasses(page, &runs, 5, "masses_test5", "Test 5: bunny");
        endFigures(page, "Final rotation error over the spheres",
                   "Not in the paper; double. Masses that give the spheres the true body's inertia take the "
                   "packing's error away: PBD-R is left with what its integrator and its contacts do, which "
                   "is of the size of the floor (dotted), and XPBD-R, whose integrator is of second order, "
                   "with %s deg at most in test 2 and %s deg in test 5. The axis is cut at 10<sup>-12</sup> "
                   "deg.",
                   showValue(findWorst(&runs, OURS, 2)).text, showValue(findWorst(&runs, OURS, 5)).text);
        tabulate(page, &runs);
        summarizeRotation(page, &runs);
        summarizeMasses(page, &runs);
    }
    csvFreeRecords(&runs.file);
    csvFreeRecords(&series);
    endPart(page, command);
}
