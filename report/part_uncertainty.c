// How far Test 7's answer spreads where friction, the rod's friction, offset and height of the push are not known (the
// study `uncertainty`). It is no figure of the paper, and takes a cluster: without its results there is no such part.
#include "parts.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "pbdr study uncertainty --backend gpu --points 131072";
static const char surfaceCommand[] = "pbdr study uncertainty --points 1024 --solvers xpbdr";

typedef struct Bin {
    const char *solver, *quantity, *setting;
    double middle, runs, q05, q25, median, q75, q95;
} Bin;

static const CsvColumn binColumns[] = {
    {"solver", csvSolver, offsetof(Bin, solver)}, {"quantity", csvName, offsetof(Bin, quantity)},
    {"setting", csvName, offsetof(Bin, setting)}, {"middle", csvNumber, offsetof(Bin, middle)},
    {"runs", csvNumber, offsetof(Bin, runs)},     {"q05", csvNumber, offsetof(Bin, q05)},
    {"q25", csvNumber, offsetof(Bin, q25)},       {"median", csvNumber, offsetof(Bin, median)},
    {"q75", csvNumber, offsetof(Bin, q75)},       {"q95", csvNumber, offsetof(Bin, q95)},
};
enum { BIN_COLUMNS = sizeof binColumns / sizeof binColumns[0] };

typedef struct Total {
    const char *solver, *quantity;
    double runs, mean, q05, median, q95;
    double with[4];
} Total;

static const CsvColumn totalColumns[] = {
    {"solver", csvSolver, offsetof(Total, solver)},
    {"quantity", csvName, offsetof(Total, quantity)},
    {"runs", csvNumber, offsetof(Total, runs)},
    {"mean", csvNumber, offsetof(Total, mean)},
    {"q05", csvNumber, offsetof(Total, q05)},
    {"median", csvNumber, offsetof(Total, median)},
    {"q95", csvNumber, offsetof(Total, q95)},
    {"correlation_mu", csvNumber, offsetof(Total, with[0])},
    {"correlation_mu_rod", csvNumber, offsetof(Total, with[1])},
    {"correlation_offset_m", csvNumber, offsetof(Total, with[2])},
    {"correlation_push_height_m", csvNumber, offsetof(Total, with[3])},
};
enum { TOTAL_COLUMNS = sizeof totalColumns / sizeof totalColumns[0] };

static const struct {
    const char *name, *label;
} settings[] = {{"mu", "friction"},
                {"mu_rod", "friction of the rod"},
                {"offset_m", "offset of the push [m]"},
                {"push_height_m", "height of the push [m]"}};
enum { SETTING_COUNT = sizeof settings / sizeof settings[0] };

// A solver's quantiles of the position error over one setting, as a block of data. bins: NULL, nothing.
static int addBins(Figure* figure, const CsvRecords* bins, const char* solver, int setting)
{
    const Bin* list = bins != NULL ? bins->records : NULL;
    for (size_t k = 0; bins != NULL && k < bins->count; k++) {
        const Bin* bin = &list[k];
        if (strcmp(bin->solver, solver) == 0 && strcmp(bin->setting, settings[setting].name) == 0 &&
            strcmp(bin->quantity, "dynamic_tilt_final_position_m") == 0) {
            fprintf(figure->data, "%g %g %g %g %g %g\n", bin->middle, bin->q05, bin->q25, bin->median,
                    bin->q75, bin->q95);
        }
    }
    fputs("nan nan nan nan nan nan\n", figure->data);
    return endBlock(figure);
}

// PBD-R's position error against the dynamic reference over one setting: median, and where half and nine tenths lie. Beside
// it that of XPBD-R with the box's true surface, if surface is not NULL.
static void drawSetting(Page* page, const CsvRecords* bins, const CsvRecords* surface, int setting)
{
    static const char* const names[SETTING_COUNT] = {"uncertainty_mu", "uncertainty_mu_rod",
                                                     "uncertainty_offset", "uncertainty_height"};
    Figure figure;
    if (!openFigure(&figure, page, names[setting], 620, 460)) {
        return;
    }
    const int block = addBins(&figure, bins, "pbd-r", setting),
              other = addBins(&figure, surface, "xpbdr", setting);
    fprintf(figure.script,
            "set logscale y\nset format y \"10^{%%T}\"\nset yrange [1e-7:10]\nset xlabel \"%s\"\n"
            "set ylabel \"position error at 10 s [m]\"\nset key bottom left reverse Left\n"
            "plot data index %d using 1:2:6 with filledcurves fc rgb \"#cfe3f2\" title \"5 to 95 %%\", \\\n"
            "     data index %d using 1:3:5 with filledcurves fc rgb \"#8fbfe0\" title \"25 to 75 %%\", \\\n"
            "     data index %d using 1:4 with lines lw 2.5 lc rgb \"#0072b2\" title \"median\"",
            settings[setting].label, block, block, block);
    if (surface != NULL) {
        fprintf(
            figure.script,
            ", \\\n     data index %d using 1:4 with lines lw 2.5 lc rgb \"#d55e00\" title \"XPBD-R, true "
            "surface: median\", \\\n     data index %d using 1:6 with lines lw 2.5 dt 2 lc rgb \"#d55e00\" "
            "title \"95 %%\"",
            other, other);
    }
    fputc('\n', figure.script);
    closeFigure(&figure, settings[setting].label);
}

// --- The tail ---

typedef struct Tail {
    const char *solver, *setting;
    double middle, runs, without, caught, caughtMean, mean, median, q95, most;
} Tail;

static const CsvColumn tailColumns[] = {
    {"solver", csvSolver, offsetof(Tail, solver)},
    {"setting", csvName, offsetof(Tail, setting)},
    {"middle", csvNumber, offsetof(Tail, middle)},
    {"runs", csvNumber, offsetof(Tail, runs)},
    {"without_reference", csvNumber, offsetof(Tail, without)},
    {"caught", csvNumber, offsetof(Tail, caught)},
    {"caught_mean_m", csvNumber, offsetof(Tail, caughtMean)},
    {"others_mean_m", csvNumber, offsetof(Tail, mean)},
    {"others_median_m", csvNumber, offsetof(Tail, median)},
    {"others_q95_m", csvNumber, offsetof(Tail, q95)},
    {"others_most_m", csvNumber, offsetof(Tail, most)},
};
enum { TAIL_COLUMNS = sizeof tailColumns / sizeof tailColumns[0] };

// The share of runs that are caught, over where the rod touches the face.
static void drawCaught(Page* page, const CsvRecords* file, int setting)
{
    static const char* const solvers[2] = {"pbd-r", "xpbdr:spheres"};
    const Tail* rows = file->records;
    int blocks[2];
    Figure figure;
    if (!openFigure(&figure, page, setting == 2 ? "uncertainty_caught_offset" : "uncertainty_caught_height",
                    620, 460)) {
        return;
    }
    for (int s = 0; s < 2; s++) {
        for (size_t k = 0; k < file->count; k++) {
            if (strcmp(rows[k].solver, solvers[s]) == 0 &&
                strcmp(rows[k].setting, settings[setting].name) == 0 && rows[k].runs > 0.0) {
                fprintf(figure.data, "%g %g\n", rows[k].middle, 100.0 * rows[k].caught / rows[k].runs);
            }
        }
        fputs("nan nan\n", figure.data);
        blocks[s] = endBlock(&figure);
    }
    fprintf(
        figure.script,
        "set yrange [0:100]\nset xlabel \"%s\"\nset ylabel \"runs whose rod is caught [%%]\"\n"
        "plot data index %d using 1:2 with linespoints lw 2.5 pt 7 lc rgb \"#0072b2\" title \"PBD-R\", \\\n"
        "     data index %d using 1:2 with linespoints lw 2.5 pt 5 lc rgb \"#009e73\" title \"XPBD-R, by "
        "spheres\"\n",
        settings[setting].label, blocks[0], blocks[1]);
    closeFigure(&figure, settings[setting].label);
}

static void tabulateTail(Page* page, const CsvRecords* file)
{
    static const char* const headings[] = {"solver",         "runs",         "without a reference",
                                           "caught",         "their mean",   "others",
                                           "others' median", "others' 95 %", "others' worst"};
    Sheet sheet = {.columns = sizeof headings / sizeof headings[0]};
    for (int k = 0; k < sheet.columns; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    const Tail* rows = file->records;
    for (size_t k = 0; k < file->count; k++) {
        const Tail* row = &rows[k];
        if (strcmp(row->setting, "all") == 0) {
            addCell(page, &sheet, "%s", row->solver);
            addCell(page, &sheet, "%.0f", row->runs);
            addCell(page, &sheet, "%.0f", row->without);
            addCell(page, &sheet, "%.0f", row->caught);
            addCell(page, &sheet, "%s", showValue(row->caughtMean).text);
            addCell(page, &sheet, "%.0f", row->runs - row->without - row->caught);
            addCell(page, &sheet, "%s", showValue(row->median).text);
            addCell(page, &sheet, "%s", showValue(row->q95).text);
            addCell(page, &sheet, "%s", showValue(row->most).text);
        }
    }
    closeSheet(page, &sheet, "uncertainty_tail",
               "Position errors at 10 s [m] of runs whose rod is caught, and of the others.");
}

// Where the large errors are from.
static void addTail(Page* page)
{
    char path[4096];
    CsvRecords tail;
    snprintf(path, sizeof path, "%.3900s/uncertainty_tail.csv", page->results);
    if (access(path, R_OK) != 0 ||
        !loadRecords(page, &tail, "uncertainty_tail", tailColumns, TAIL_COLUMNS, sizeof(Tail), command)) {
        return;
    }
    addHtml(page,
            "<p>Means lie far above medians. The box's face is made of spheres 50 mm apart, and has dents "
            "between them, at an offset of 0 and 50 mm and a height of 50 mm. A rod that finds one is "
            "caught there and takes the box along for all of its 2.5 m, where on the reference's flat "
            "face it slides off the edge. Such runs are off by two metres; the box's true surface has no "
            "dents, and no such runs.</p>\n");
    beginFigures(page, "two");
    drawCaught(page, &tail, 2);
    drawCaught(page, &tail, 3);
    endFigures(page, "uncertainty_caught",
               "Runs whose rod still has the box after half of its way, where the reference's has lost it.");
    tabulateTail(page, &tail);
    csvFreeRecords(&tail);
}

static void tabulate(Page* page, const CsvRecords* file)
{
    static const char* const headings[] = {"solver", "error", "runs",   "5 %",       "median",   "95 %",
                                           "mean",   "r, mu", "r, rod", "r, offset", "r, height"};
    Sheet sheet = {.columns = sizeof headings / sizeof headings[0]};
    for (int k = 0; k < sheet.columns; k++) {
        addCell(page, &sheet, "%s", headings[k]);
    }
    const Total* totals = file->records;
    for (size_t k = 0; k < file->count; k++) {
        const Total* row = &totals[k];
        const double values[] = {row->q05, row->median, row->q95, row->mean};
        addCell(page, &sheet, "%s", row->solver);
        addCell(page, &sheet, "%s", row->quantity);
        addCell(page, &sheet, "%.0f", row->runs);
        for (int v = 0; v < 4; v++) {
            addCell(page, &sheet, "%s", showValue(values[v]).text);
        }
        for (int p = 0; p < SETTING_COUNT; p++) {
            addCell(page, &sheet, "%.2f", row->with[p]);
        }
    }
    closeSheet(page, &sheet, "uncertainty",
               "Errors of Test 7 at 10 s over all points, and their correlation r with each setting.");
}

// The same points with the box's true surface, if somebody has run them. False: nobody has.
static bool loadSurface(Page* page, CsvRecords* bins)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/uncertainty_surface_bins.csv", page->results);
    return access(path, R_OK) == 0 && loadRecords(page, bins, "uncertainty_surface_bins", binColumns,
                                                  BIN_COLUMNS, sizeof(Bin), surfaceCommand);
}

static void drawAll(Page* page, const CsvRecords* bins)
{
    CsvRecords surface;
    const bool has = loadSurface(page, &surface);
    beginFigures(page, "two");
    for (int k = 0; k < SETTING_COUNT; k++) {
        drawSetting(page, bins, has ? &surface : NULL, k);
    }
    endFigures(page, "uncertainty",
               "PBD-R's position error at 10 s over each setting, the other three spread; beside it that of "
               "XPBD-R with the box's true surface.");
    if (has) {
        csvFreeRecords(&surface);
    }
}

void addUncertaintyPart(Page* page)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/uncertainty_bins.csv", page->results);
    if (access(path, R_OK) != 0) {
        return;
    }
    beginPart(page, "uncertainty", "Test 7 where its settings are not known", "Not in the paper");
    CsvRecords bins, totals;
    const bool read =
        loadRecords(page, &bins, "uncertainty_bins", binColumns, BIN_COLUMNS, sizeof(Bin), command);
    if (read && loadRecords(page, &totals, "uncertainty_table", totalColumns, TOTAL_COLUMNS, sizeof(Total),
                            command)) {
        addHtml(
            page,
            "<p>Friction, the rod's friction, offset and height of the push are spread over their ranges by "
            "Sobol's points; every run is measured against the dynamic reference with the same "
            "settings.</p>\n");
        drawAll(page, &bins);
        tabulate(page, &totals);
        addTail(page);
        csvFreeRecords(&totals);
    }
    if (read) {
        csvFreeRecords(&bins);
    }
    endPart(page, command);
}
