// How far Test 7's answer spreads where friction, the rod's friction, offset and height of the push are not known (the
// study `uncertainty`). It is no figure of the paper, and takes a cluster: without its results there is no such part.
#include "parts.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "pbdr study uncertainty --backend gpu --points 65536";

typedef struct Bin {
    const char *solver, *quantity, *setting;
    double middle, runs, q05, q25, median, q75, q95;
} Bin;

static const CsvColumn binColumns[] = {
    {"solver", csvName, offsetof(Bin, solver)},   {"quantity", csvName, offsetof(Bin, quantity)},
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
    {"solver", csvName, offsetof(Total, solver)},
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

// PBD-R's position error against the dynamic reference over one setting: median, and where half and nine tenths lie.
static void drawSetting(Page* page, const CsvRecords* file, int setting)
{
    static const char* const names[SETTING_COUNT] = {"uncertainty_mu", "uncertainty_mu_rod",
                                                     "uncertainty_offset", "uncertainty_height"};
    const Bin* bins = file->records;
    Figure figure;
    if (!openFigure(&figure, page, names[setting], 620, 460)) {
        return;
    }
    for (size_t k = 0; k < file->count; k++) {
        const Bin* bin = &bins[k];
        if (strcmp(bin->solver, "pbdr") == 0 && strcmp(bin->setting, settings[setting].name) == 0 &&
            strcmp(bin->quantity, "dynamic_tilt_final_position_m") == 0) {
            fprintf(figure.data, "%g %g %g %g %g %g\n", bin->middle, bin->q05, bin->q25, bin->median,
                    bin->q75, bin->q95);
        }
    }
    fputs("nan nan nan nan nan nan\n", figure.data);
    const int block = endBlock(&figure);
    fprintf(figure.script,
            "set logscale y\nset format y \"10^{%%T}\"\nset yrange [1e-3:10]\nset xlabel \"%s\"\n"
            "set ylabel \"position error at 10 s [m]\"\nset key top left reverse Left\n"
            "plot data index %d using 1:2:6 with filledcurves fc rgb \"#cfe3f2\" title \"5 to 95 %%\", \\\n"
            "     data index %d using 1:3:5 with filledcurves fc rgb \"#8fbfe0\" title \"25 to 75 %%\", \\\n"
            "     data index %d using 1:4 with lines lw 2.5 lc rgb \"#0072b2\" title \"median\"\n",
            settings[setting].label, block, block, block);
    closeFigure(&figure, settings[setting].label);
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
        beginFigures(page, "two");
        for (int k = 0; k < SETTING_COUNT; k++) {
            drawSetting(page, &bins, k);
        }
        endFigures(page, "uncertainty",
                   "PBD-R's position error at 10 s over each setting, the other three spread.");
        tabulate(page, &totals);
        csvFreeRecords(&totals);
    }
    if (read) {
        csvFreeRecords(&bins);
    }
    endPart(page, command);
}
