// Fig. rod_push_err: Test 7's error over the spheres per axis, over friction and push positions.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study resolution-contact";

static const struct {
    const char *name, *title;
    size_t offset;
} quantities[2] = {
    {"contact_position", "position error at rest [m]", offsetof(Run, restPosition)},
    {"contact_rotation", "rotation error at rest [deg]", offsetof(Run, restRotation)},
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
    if (!openFigure(&figure, page, quantities[quantity].name, 620, 460)) {
        return;
    }
    Choice all = chooseAll();
    double n[MAX_VALUES];
    int sizes = listValues(runs, &all, offsetof(Run, n), n);
    double top = findTop(runs, solvers, count, quantities[quantity].offset);
    fprintf(figure.script,
            "set xlabel \"spheres per axis n\"\nset ylabel \"%s\"\nset xrange [%g:%g]\nset yrange [0:%g]\n"
            "set key outside top center horizontal maxrows 3 reverse Left samplen 3\nset xtics 1\nplot ",
            quantities[quantity].title, (sizes > 0 ? n[0] : 1) - 0.6, (sizes > 0 ? n[sizes - 1] : 10) + 0.6,
            top);
    for (int s = 0; s < count; s++) {
        Style style = findStyle(solvers[s]);
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        sizes = listValues(runs, &choice, offsetof(Run, n), n);
        if (sizes == 0) {
            Spread level = findAt(runs, solvers[s], (double)NAN, quantities[quantity].offset);
            if (level.measured > 0 && strncmp(solvers[s], "mujoco", 6) == 0) {
                fprintf(figure.script, "%g with lines lw 2 dt %d lc rgb \"%s\" title \"%s\", \\\n     ",
                        level.mean, style.dash, style.colour, style.label);
            }
            continue;
        }
        for (int k = 0; k < sizes; k++) {
            Spread spread = findAt(runs, solvers[s], n[k], quantities[quantity].offset);
            fprintf(figure.data, "%g %g %g %g\n", n[k] + 0.08 * s, spread.mean, spread.least, spread.most);
        }
        int block = endBlock(&figure);
        fprintf(
            figure.script,
            "data index %d using 1:2 with linespoints lw 2.5 pt %d ps 1 dt %d lc rgb \"%s\" title \"%s\", "
            "\\\n"
            "     data index %d using 1:3:(0):($4-$3) with vectors nohead lw 1.2 lc rgb \"%s\" notitle, \\\n "
            "    ",
            block, style.point, style.dash, style.colour, style.label, block, style.colour);
    }
    fputs("1/0 notitle\n", figure.script);
    closeFigure(&figure, quantities[quantity].title);
}

static void tabulate(Page* page, const Runs* runs, const char* const* solvers, int count)
{
    Sheet sheet = {.columns = 5};
    static const char* const headings[] = {"solver", "n", "spheres", "position [m]", "rotation [deg]"};
    for (int k = 0; k < 5; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    for (int s = 0; s < count; s++) {
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        double n[MAX_VALUES];
        int sizes = listValues(runs, &choice, offsetof(Run, n), n);
        n[0] = sizes == 0 ? (double)NAN : n[0];
        for (int k = 0; k < (sizes == 0 ? 1 : sizes); k++) {
            Spread position = findAt(runs, solvers[s], n[k], quantities[0].offset);
            Spread rotation = findAt(runs, solvers[s], n[k], quantities[1].offset);
            Spread particles = findAt(runs, solvers[s], n[k], offsetof(Run, particles));
            addCell(page, &sheet, "%s", findStyle(solvers[s]).label);
            addCell(page, &sheet, sizes == 0 ? "-" : "%g", n[k]);
            addCell(page, &sheet, particles.most > 0 ? "%g" : "-", particles.most);
            addCell(page, &sheet, "%s", showSpread(&position).text);
            addCell(page, &sheet, "%s", showSpread(&rotation).text);
        }
    }
    closeSheet(page, &sheet, "contact",
               "Error at rest against the quasi-static reference: mean (smallest to largest) "
               "over friction, push positions and seeds.");
}

// Each friction and push position: PBD-R at its least and largest n, and MuJoCo.
static void tabulateCases(Page* page, const Runs* runs)
{
    Choice ours = chooseAll();
    ours.solver = "pbdr";
    double n[MAX_VALUES], mus[MAX_VALUES], offsets[MAX_VALUES];
    int sizes = listValues(runs, &ours, offsetof(Run, n), n);
    int muCount = listValues(runs, &ours, offsetof(Run, mu), mus);
    int offsetCount = listValues(runs, &ours, offsetof(Run, offset), offsets);
    if (sizes == 0) {
        return;
    }
    Sheet sheet = {.columns = 5};
    addCell(page, &sheet, "friction");
    addCell(page, &sheet, "push beside the middle [m]");
    addCell(page, &sheet, "PBD-R, n = %g [m]", n[0]);
    addCell(page, &sheet, "PBD-R, n = %g [m]", n[sizes - 1]);
    addCell(page, &sheet, "MuJoCo, paper's settings [m]");
    for (int m = 0; m < muCount; m++) {
        for (int d = 0; d < offsetCount; d++) {
            addCell(page, &sheet, "%g", mus[m]);
            addCell(page, &sheet, "%g", offsets[d]);
            for (int k = 0; k < 3; k++) {
                Choice choice = chooseAll();
                choice.mu = mus[m];
                choice.offset = offsets[d];
                choice.solver = k < 2 ? "pbdr" : "mujoco";
                choice.n = k < 2 ? n[k * (sizes - 1)] : (double)NAN;
                Spread spread = findSpread(runs, &choice, quantities[0].offset);
                addCell(page, &sheet, "%s", showSpread(&spread).text);
            }
        }
    }
    closeSheet(page, &sheet, "contact_cases",
               "Position error at rest for each friction and push position: mean over "
               "seeds.");
}

static void summarizeContact(Page* page, const Runs* runs)
{
    Choice choice = chooseAll();
    choice.solver = "pbdr";
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
            if (!(findAt(runs, "pbdr", n[k], quantities[0].offset).mean < level.mean)) {
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
        double mean = findAt(runs, "pbdr", n[k], quantities[0].offset).mean;
        monotone = monotone && mean < previous;
        previous = mean;
    }
    char found[256];
    snprintf(found, sizeof found, "%s; %s m at n = %g", monotone ? "yes" : "no", showValue(previous).text,
             n[sizes - 1]);
    summarize(page, "Test 7: PBD-R's position error falls monotonically with the spheres", "yes", found);
    snprintf(found, sizeof found, "%s; below MuJoCo on 4 x 4 feet: %s", passes[0], passes[1]);
    summarize(page, "Test 7: PBD-R falls below MuJoCo", "at about 216 spheres (n = 6)", found);
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
        drawErrors(page, &runs, 0, solvers, count);
        drawErrors(page, &runs, 1, solvers, count);
        Spread first = findAt(&runs, "pbdr", 3, quantities[0].offset),
               last = findAt(&runs, "pbdr", 10, quantities[0].offset);
        Spread level = findAt(&runs, "mujoco", (double)NAN, quantities[0].offset);
        endFigures(page, "Test 7's error at rest",
                   "Mean over friction, push positions and seeds; bars: smallest and largest of them. MuJoCo "
                   "has no n: "
                   "its means are levels. Mean position error of PBD-R: %s m at n = 3, %s m at n = 10; of "
                   "MuJoCo with "
                   "the paper's settings: %s m.",
                   showValue(first.mean).text, showValue(last.mean).text, showValue(level.mean).text);
        tabulate(page, &runs, solvers, count);
        tabulateCases(page, &runs);
        summarizeContact(page, &runs);
    }
    freeCsv(&runs.file);
    endPart(page, command);
}
