// Fig. rot_vs_spheres: rotation error over time for several numbers of spheres, tests 2 and 5.
#include "parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "pbdr study resolution-inertia";
static const char* const colours[] = {"#000000", "#d55e00", "#e69f00", "#cc79a7",
                                      "#009e73", "#56b4e9", "#0072b2", "#777777"};
enum { COLOUR_COUNT = sizeof colours / sizeof colours[0] };

// The mean over seeds of the rotation error, one line per time. The samples of a run stand in order of time.
static void writeSeries(FILE* data, const CsvFile* series, double test, double particles)
{
    const Sample* samples = series->records;
    for (size_t k = 0; k < series->count; k++) {
        const Sample* first = &samples[k];
        if (first->test != test || first->particles != particles || first->seed != samples[0].seed ||
            strcmp(first->precision, samples[0].precision) != 0 || !(first->time > 0)) {
            continue;
        }
        double sum = 0;
        int count = 0;
        for (size_t j = 0; j < series->count; j++) {
            const Sample* other = &samples[j];
            if (other->test == test && other->particles == particles && other->time == first->time &&
                strcmp(other->precision, first->precision) == 0 && isfinite(other->rotation)) {
                sum += other->rotation;
                count++;
            }
        }
        if (count > 0) {
            fprintf(data, "%g %g\n", first->time, sum / count);
        }
    }
}

static void drawSeries(Page* page, const CsvFile* series, const Runs* runs, int test, const char* name,
                       const char* title)
{
    Choice choice = chooseAll();
    choice.solver = "pbdr";
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

static void tabulate(Page* page, const Runs* runs)
{
    Sheet sheet = {.columns = 5};
    static const char* const headings[] = {"test", "spheres", "final, double [deg]", "final, float [deg]",
                                           "floor [deg]"};
    for (int k = 0; k < 5; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    for (int test = 2; test <= 5; test += 3) {
        Choice choice = chooseAll();
        choice.solver = "pbdr";
        choice.test = test;
        double particles[MAX_VALUES];
        int sizes = listValues(runs, &choice, offsetof(Run, particles), particles);
        for (int k = 0; k < sizes; k++) {
            choice.particles = particles[k];
            choice.precision = "f64";
            Spread wide = findSpread(runs, &choice, offsetof(Run, finalRotation));
            choice.precision = "f32";
            Spread narrow = findSpread(runs, &choice, offsetof(Run, finalRotation));
            choice.precision = NULL;
            addCell(page, &sheet, test == 2 ? "2 box, torque" : "5 bunny, torque");
            addCell(page, &sheet, "%g", particles[k]);
            addCell(page, &sheet, "%s", showSpread(&wide).text);
            addCell(page, &sheet, "%s", showSpread(&narrow).text);
            addCell(page, &sheet, "%s",
                    showValue(findSpread(runs, &choice, offsetof(Run, floorRotation)).most).text);
        }
    }
    closeSheet(page, &sheet, "rotation", "Final rotation error of PBD-R: mean (smallest to largest seed).");
}

static void summarizeRotation(Page* page, const Runs* runs)
{
    static const char* const claims[2] = {
        "Test 2: the rotation error falls with every step in the number of spheres",
        "Test 5: the bunny's rotation error does so too"};
    static const char* const printed[2] = {"yes", "no: n = 270 and 377 beat several larger ones"};
    for (int k = 0; k < 2; k++) {
        Choice choice = chooseAll();
        choice.solver = "pbdr";
        choice.test = k == 0 ? 2 : 5;
        choice.precision = runs->runs[0].precision;
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
    CsvFile series = {0};
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
            "PBD-R in %s, mean over seeds. The error is that of the spheres' moment of inertia: it "
            "grows with t&sup2;, and more spheres help only if they are spread well. Dotted: the floor of "
            "semi-implicit Euler.",
            strcmp(samples[0].precision, "f64") == 0 ? "double" : "float");
        tabulate(page, &runs);
        summarizeRotation(page, &runs);
    }
    freeCsv(&runs.file);
    freeCsv(&series);
    endPart(page, command);
}
