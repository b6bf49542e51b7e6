// Fig. rod_push_err: Test 7's error over the spheres per axis, over friction and push positions.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study resolution-contact";

enum { QUANTITY_COUNT = 4 };
static const struct {
    const char *name, *title, *reference;
    size_t offset;
} quantities[QUANTITY_COUNT] = {
    {"contact_position", "position error at rest [m]", "against the quasi-static reference",
     offsetof(Run, restPosition)},
    {"contact_rotation", "rotation error at rest [deg]", "against the quasi-static reference",
     offsetof(Run, restRotation)},
    {"contact_dynamic_position", "position error at rest [m]", "against the dynamic reference with tilt",
     offsetof(Run, dynamicPosition)},
    {"contact_dynamic_rotation", "rotation error at rest [deg]", "against the dynamic reference with tilt",
     offsetof(Run, dynamicRotation)},
};

static Spread findAt(const Runs* runs, const char* solver, double n, size_t offset)
{
    Choice choice = chooseAll();
    choice.solver = solver;
    choice.n = n;
    return findSpread(runs, &choice, offset);
}

// Of the axis: above the bars of the solvers with spheres and the levels of MuJoCo, which are what is drawn.
static double findTop(const Runs* runs, const char* const* solvers, int count, size_t offset)
{
    double top = 0;
    for (int s = 0; s < count; s++) {
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        double n[MAX_VALUES];
        bool hasSpheres = listValues(runs, &choice, offsetof(Run, n), n) > 0;
        Spread spread = findSpread(runs, &choice, offset);
        if (hasSpheres || strncmp(solvers[s], "mujoco", 6) == 0) {
            top = fmax(top, hasSpheres ? spread.most : spread.mean);
        }
    }
    return top > 0 ? 1.05 * top : 1;
}

static void drawErrors(Page* page, const Runs* runs, int quantity, const char* const* solvers, int count)
{
    Figure figure;
    if (!openFigure(&figure, page, quantities[quantity].name, 620, 480)) {
        return;
    }
    Choice all = chooseAll();
    double n[MAX_VALUES];
    int sizes = listValues(runs, &all, offsetof(Run, n), n);
    double top = findTop(runs, solvers, count, quantities[quantity].offset);
    double left = (sizes > 0 ? n[0] : 1) - 0.6, right = (sizes > 0 ? n[sizes - 1] : 10) + 0.6; // of the axis
    fprintf(
        figure.script,
        "set xlabel \"spheres per axis n\"\nset ylabel \"%s\\n%s\"\nset xrange [%g:%g]\nset yrange [0:%g]\n"
        "set key outside top center horizontal maxrows 3 reverse Left samplen 2.5 width -7\nset xtics 1\n"
        "plot ",
        quantities[quantity].title, quantities[quantity].reference, left, right, top);
    for (int s = 0; s < count; s++) {
        Style style = findStyle(solvers[s]);
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        sizes = listValues(runs, &choice, offsetof(Run, n), n);
        if (sizes == 0) {
            Spread level = findAt(runs, solvers[s], (double)NAN, quantities[quantity].offset);
            if (level.measured > 0 && strncmp(solvers[s], "mujoco", 6) == 0) {
                nameBlock(&figure, style.label);
                fprintf(figure.data, "%g %g\n%g %g\n", left, level.mean, right, level.mean);
                fprintf(figure.script,
                        "data index %d with lines lw 2 dt %d lc rgb \"%s\" " BLOCK_TITLE ", \\\n     ",
                        endBlock(&figure), style.dash, style.colour);
            }
            continue;
        }
        nameBlock(&figure, style.label);
        for (int k = 0; k < sizes; k++) {
            Spread spread = findAt(runs, solvers[s], n[k], quantities[quantity].offset);
            fprintf(figure.data, "%g %g %g %g\n", n[k] + 0.08 * s, spread.mean, spread.least, spread.most);
        }
        int block = endBlock(&figure);
        fprintf(
            figure.script,
            "data index %d using 1:2 with linespoints lw 2.5 pt %d ps 1 dt %d lc rgb \"%s\" " BLOCK_TITLE
            ", \\\n"
            "     data index %d using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc rgb \"%s\" notitle, \\\n "
            "    ",
            block, style.point, style.dash, style.colour, block, style.colour);
    }
    fputs("1/0 notitle\n", figure.script);
    closeFigure(&figure, quantities[quantity].title);
}

static void tabulate(Page* page, const Runs* runs, const char* const* solvers, int count)
{
    enum { COLUMNS = 3 + QUANTITY_COUNT };
    Sheet sheet = {.columns = COLUMNS};
    static const char* const headings[COLUMNS] = {"solver",         "n",
                                                  "spheres",        "quasi-static: position [m]",
                                                  "rotation [deg]", "dynamic: position [m]",
                                                  "rotation [deg]"};
    for (int k = 0; k < COLUMNS; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    for (int s = 0; s < count; s++) {
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        double n[MAX_VALUES];
        int sizes = listValues(runs, &choice, offsetof(Run, n), n);
        n[0] = sizes == 0 ? (double)NAN : n[0];
        for (int k = 0; k < (sizes == 0 ? 1 : sizes); k++) {
            Spread particles = findAt(runs, solvers[s], n[k], offsetof(Run, particles));
            addCell(page, &sheet, "%s", findStyle(solvers[s]).label);
            addCell(page, &sheet, sizes == 0 ? "-" : "%g", n[k]);
            addCell(page, &sheet, particles.most > 0 ? "%g" : "-", particles.most);
            for (int q = 0; q < QUANTITY_COUNT; q++) {
                Spread spread = findAt(runs, solvers[s], n[k], quantities[q].offset);
                addCell(page, &sheet, "%s", showSpread(&spread).text);
            }
        }
    }
    closeSheet(
        page, &sheet, "contact",
        "Error at rest against the quasi-static reference, which is the paper's, and against the dynamic one "
        "with pressure tilt: mean (smallest to largest) over friction, push positions and seeds.");
}

// Each friction and push position: PBD-R and XPBD-R at PBD-R's least and largest n, and MuJoCo.
static void tabulateCases(Page* page, const Runs* runs)
{
    Choice ours = chooseAll();
    ours.solver = "pbd-r";
    double n[MAX_VALUES], mus[MAX_VALUES], offsets[MAX_VALUES];
    int sizes = listValues(runs, &ours, offsetof(Run, n), n);
    int muCount = listValues(runs, &ours, offsetof(Run, mu), mus);
    int offsetCount = listValues(runs, &ours, offsetof(Run, offset), offsets);
    if (sizes == 0) {
        return;
    }
    const struct {
        const char* solver;
        double n;
    } columns[] = {
        {"pbd-r", n[0]}, {"pbd-r", n[sizes - 1]}, {"xpbdr", n[0]}, {"xpbdr", n[sizes - 1]}, {"mujoco", 0}};
    enum { CASE_COUNT = sizeof columns / sizeof columns[0] };
    Sheet sheet = {.columns = 2 + CASE_COUNT};
    addCell(page, &sheet, "friction");
    addCell(page, &sheet, "push beside the middle [m]");
    for (int k = 0; k < CASE_COUNT; k++) {
        addCell(page, &sheet, columns[k].n > 0 ? "%s, n = %g [m]" : "%s [m]",
                findStyle(columns[k].solver).label, columns[k].n);
    }
    for (int m = 0; m < muCount; m++) {
        for (int d = 0; d < offsetCount; d++) {
            addCell(page, &sheet, "%g", mus[m]);
            addCell(page, &sheet, "%g", offsets[d]);
            for (int k = 0; k < CASE_COUNT; k++) {
                Choice choice = chooseAll();
                choice.mu = mus[m];
                choice.offset = offsets[d];
                choice.solver = columns[k].solver;
                choice.n = columns[k].n > 0 ? columns[k].n : (double)NAN;
                Spread spread = findSpread(runs, &choice, quantities[0].offset);
                addCell(page, &sheet, "%s", showSpread(&spread).text);
            }
        }
    }
    closeSheet(page, &sheet, "contact_cases",
               "Position error at rest against the quasi-static reference for each friction and push "
               "position: mean over seeds.");
}

static void summarizeContact(Page* page, const Runs* runs)
{
    Choice choice = chooseAll();
    choice.solver = "pbd-r";
    double n[MAX_VALUES], previous = (double)INFINITY;
    int sizes = listValues(runs, &choice, offsetof(Run, n), n);
    if (sizes < 2) {
        return;
    }
    bool monotone = true;
    static const char* const peers[2] = {"mujoco", "mujoco:feet"};
    char passes[2][64] = {"-", "-"};
    for (int p = 0; p < 2; p++) {
        Spread level = findAt(runs, peers[p], (double)NAN, quantities[0].offset);
        double found = 0; // the least n from which on it stays below
        for (int k = sizes - 1; k >= 0; k--) {
            if (!(findAt(runs, "pbd-r", n[k], quantities[0].offset).mean < level.mean)) {
                break;
            }
            found = n[k];
        }
        if (level.measured > 0 && found > 0) {
            snprintf(passes[p], sizeof passes[p], found == n[0] ? "n = %g on (the least tried)" : "n = %g on",
                     found);
        } else if (level.measured > 0) {
            snprintf(passes[p], sizeof passes[p], "at no n tried");
        }
    }
    for (int k = 0; k < sizes; k++) {
        double mean = findAt(runs, "pbd-r", n[k], quantities[0].offset).mean;
        monotone = monotone && mean < previous;
        previous = mean;
    }
    char found[256];
    snprintf(found, sizeof found, "%s; %s m at n = %g", monotone ? "yes" : "no", showValue(previous).text,
             n[sizes - 1]);
    summarize(page, "Test 7: PBD-R's position error falls monotonically with the spheres", "yes", found);
    snprintf(found, sizeof found, "%s; below MuJoCo on 4 x 4 feet: %s", passes[0], passes[1]);
    summarize(page, "Test 7: PBD-R falls below MuJoCo", "at about 216 spheres (n = 6)", found);
    double first = findAt(runs, "xpbdr", n[0], quantities[2].offset).mean,
           last = findAt(runs, "xpbdr", n[sizes - 1], quantities[2].offset).mean;
    if (isfinite(first) && isfinite(last)) {
        snprintf(found, sizeof found, "%s m at n = %g, %s m at n = %g; PBD-R: %s m and %s m",
                 showValue(first).text, n[0], showValue(last).text, n[sizes - 1],
                 showValue(findAt(runs, "pbd-r", n[0], quantities[2].offset).mean).text,
                 showValue(findAt(runs, "pbd-r", n[sizes - 1], quantities[2].offset).mean).text);
        summarize(page, "Ours: XPBD-R in Test 7, mean position error against the dynamic reference",
                  "not in the paper", found);
    }
}

void addContactPart(Page* page)
{
    beginPart(page, "contact", "Test 7 over resolution", "Remakes the paper's Fig. rod_push_err.");
    Runs runs;
    if (loadRuns(page, &runs, "resolution-contact", command)) {
        const char* solvers[MAX_SOLVERS];
        Choice all = chooseAll();
        int count = listSolvers(&runs, &all, solvers);
        beginFigures(page, "two");
        for (int q = 0; q < QUANTITY_COUNT; q++) {
            drawErrors(page, &runs, q, solvers, count);
        }
        char means[400] = "";
        static const char* const ours[] = {"pbd-r", "xpbdr"};
        for (int k = 0; k < 2; k++) {
            Spread first = findAt(&runs, ours[k], 3, quantities[0].offset),
                   last = findAt(&runs, ours[k], 10, quantities[0].offset);
            size_t length = strlen(means);
            if (first.measured > 0 && last.measured > 0) {
                snprintf(means + length, sizeof means - length, "%s: %s m at n = 3, %s m at n = 10; ",
                         findStyle(ours[k]).label, showValue(first.mean).text, showValue(last.mean).text);
            }
        }
        Spread level = findAt(&runs, "mujoco", (double)NAN, quantities[0].offset);
        endFigures(
            page, "Test 7's error at rest",
            "Mean over friction, push positions and seeds; bars: smallest and largest of them. MuJoCo "
            "has no n: its means are levels. The paper's reference leaves out the box's inertia and "
            "the height of the push; a perfect simulator scores zero on the dynamic one. Mean position "
            "error against the paper's: %sMuJoCo with the paper's settings: %s m.",
            means, showValue(level.mean).text);
        tabulate(page, &runs, solvers, count);
        tabulateCases(page, &runs);
        summarizeContact(page, &runs);
    }
    csvFreeRecords(&runs.file);
    endPart(page, command);
}
