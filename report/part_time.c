// Fig. computation_times: time per substep over the number of spheres.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study time";

// The authors' code on one H200 as a CUDA graph, and mujoco_warp 3.5 there, one world (BENCHMARK.md).
static const double authors[][2] = {{64, 404}, {1000, 492}, {10648, 1819}, {97336, 13347}, {512000, 77022}};
static const double authorsPbd[2] = {1000, 293};
static const double mujocoWarp = 258;

static bool isParticle(const Runs* runs, const char* solver)
{
    Choice choice = chooseAll();
    choice.solver = solver;
    return findSpread(runs, &choice, offsetof(Run, particles)).most > 0;
}

static void drawTimes(Page* page, const Runs* runs, const char* const* solvers, int count)
{
    Figure figure;
    if (!openFigure(&figure, page, "time", 660, 560)) {
        return;
    }
    fputs("set logscale xy\nset format x \"10^{%T}\"\nset format y \"10^{%T}\"\nset xlabel \"spheres\"\n"
          "set ylabel \"time per substep [μs]\"\nset xrange [40:1e6]\nset yrange [1:2e5]\n"
          "set key outside top center horizontal reverse Left samplen 3 spacing 1.1 width -2\nplot ",
          figure.script);
    for (int s = 0; s < count; s++) {
        Style style = findStyle(solvers[s]);
        Choice choice = chooseAll();
        choice.solver = solvers[s];
        if (!isParticle(runs, solvers[s])) {
            Spread spread = findSpread(runs, &choice, offsetof(Run, microseconds));
            if (spread.measured > 0) {
                fprintf(figure.script, "%g with lines lw 2 dt %d lc rgb \"%s\" title \"%s\", \\\n     ",
                        spread.mean, style.dash, style.colour, style.label);
            }
            continue;
        }
        double particles[MAX_VALUES];
        int sizes = listValues(runs, &choice, offsetof(Run, particles), particles);
        for (int k = 0; k < sizes; k++) {
            choice.particles = particles[k];
            Spread spread = findSpread(runs, &choice, offsetof(Run, microseconds));
            fprintf(figure.data, "%g %g %g %g\n", particles[k], spread.mean, spread.least, spread.most);
        }
        fprintf(figure.script,
                "data index %d using 1:2:3:4 with yerrorlines lw 2 pt %d ps 0.8 lc rgb \"%s\" title \"%s, "
                "one core\", \\\n     ",
                endBlock(&figure), style.point, style.colour, style.label);
    }
    for (size_t k = 0; k < sizeof authors / sizeof authors[0]; k++) {
        fprintf(figure.data, "%g %g\n", authors[k][0], authors[k][1]);
    }
    int block = endBlock(&figure);
    fprintf(figure.data, "%g %g\n", authorsPbd[0], authorsPbd[1]);
    endBlock(&figure);
    fprintf(figure.script,
            "data index %d with linespoints lw 1.5 dt 2 pt 6 ps 1 lc rgb \"#666666\" title \"authors' PBD-R, "
            "H200\", \\\n"
            "     data index %d with points pt 4 ps 1 lw 1.5 lc rgb \"#666666\" title \"authors' PBD, "
            "H200\", \\\n"
            "     %g with lines lw 1.5 dt 3 lc rgb \"#666666\" title \"mujoco_warp, H200\"\n",
            block, block + 1, mujocoWarp);
    closeFigure(&figure, "time per substep over the number of spheres, both logarithmic");
}

// PBD-R over the number of spheres, beside the authors' times; and the claim on MuJoCo's.
static void tabulate(Page* page, const Runs* runs)
{
    Choice mujoco = chooseAll(), ours = chooseAll();
    mujoco.solver = "mujoco";
    ours.solver = "pbdr";
    double particles[MAX_VALUES], first = (double)NAN, last = 0;
    double level = findSpread(runs, &mujoco, offsetof(Run, microseconds)).mean;
    int sizes = listValues(runs, &ours, offsetof(Run, particles), particles);
    Sheet sheet = {.columns = 5};
    static const char* const headings[] = {"spheres", "PBD-R here [μs]", "ns per sphere and substep",
                                           "times MuJoCo here", "authors' PBD-R, H200 [μs]"};
    for (int k = 0; k < 5; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    for (int k = 0; k < sizes; k++) {
        ours.particles = particles[k];
        Spread spread = findSpread(runs, &ours, offsetof(Run, microseconds));
        double printed = (double)NAN;
        for (size_t j = 0; j < sizeof authors / sizeof authors[0]; j++) {
            printed = authors[j][0] == particles[k] ? authors[j][1] : printed;
        }
        addCell(page, &sheet, "%g", particles[k]);
        addCell(page, &sheet, "%s", showSpread(&spread).text);
        addCell(page, &sheet, "%s", showValue(1e3 * spread.mean / particles[k]).text);
        addCell(page, &sheet, "%s", showValue(spread.mean / level).text);
        addCell(page, &sheet, "%s", showValue(printed).text);
        first = k == 0 ? spread.mean : first;
        last = spread.mean < 2.0 / 3 * level ? particles[k] : last;
    }
    closeSheet(page, &sheet, "time", "Time per substep of PBD-R: mean (smallest to largest seed).");
    if (sizes > 0 && isfinite(level)) {
        char found[256];
        if (last > 0) {
            snprintf(found, sizeof found, "up to %g spheres, against MuJoCo on one CPU core", last);
        } else {
            snprintf(found, sizeof found,
                     "nowhere, against MuJoCo on one CPU core: %s times it at %g spheres",
                     showValue(first / level).text, particles[0]);
        }
        summarize(page, "PBD-R takes less than 2/3 of MuJoCo's time",
                  "up to about 1e4 spheres, against MuJoCo on a GPU", found);
    }
}

void addTimePart(Page* page)
{
    beginPart(page, "time", "Computation time",
              "Remakes the paper's Fig. computation_times (100 frames of Test 1).");
    Runs runs;
    if (loadRuns(page, &runs, "time", command)) {
        const char* solvers[MAX_SOLVERS];
        Choice choice = chooseAll();
        int count = listSolvers(&runs, &choice, solvers);
        beginFigures(page, "one");
        drawTimes(page, &runs, solvers, count);
        char levels[512] = "";
        for (int s = 0; s < count; s++) {
            choice.solver = solvers[s];
            Spread spread = findSpread(&runs, &choice, offsetof(Run, microseconds));
            if (!isParticle(&runs, solvers[s]) && spread.measured > 0) {
                size_t length = strlen(levels);
                snprintf(levels + length, sizeof levels - length, "%s%s %s μs", length > 0 ? "; " : ": ",
                         findStyle(solvers[s]).label, showValue(spread.mean).text);
            }
        }
        endFigures(
            page, "Time per substep of 1 ms",
            "Mean over seeds with the smallest and largest. Peers have no spheres: the level of their step "
            "alone is drawn through%s. Grey: the authors' code and mujoco_warp as CUDA graphs on one NVIDIA "
            "H200, measured elsewhere, not in this study; the paper's own figure is from an RTX 3060 and "
            "prints no numbers.",
            levels);
        tabulate(page, &runs);
    }
    freeCsv(&runs.file);
    endPart(page, command);
}
