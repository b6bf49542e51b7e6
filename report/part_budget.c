// The error budget: each solver's final error in each test, split into its causes.
#include "parts.h"

#include <math.h>
#include <string.h>

static const char command[] = "pbdr study budget";

enum { PARTS = 4 };
static const struct {
    const char *heading, *words;
    size_t offset;
} parts[PARTS] = {
    {"rounding", "rounding", offsetof(BudgetRow, rounding)},
    {"inertia, packing", "inertia and packing", offsetof(BudgetRow, packing)},
    {"integrator floor", "the integrator's floor", offsetof(BudgetRow, floor)},
    {"contact, solver", "contact and solver", offsetof(BudgetRow, contact)},
};

// The rows of one test in one unit.
typedef struct Group {
    const BudgetRow* rows[MAX_SOLVERS];
    int count;
} Group;

static double getPart(const BudgetRow* row, int part)
{
    double value;
    memcpy(&value, (const char*)row + parts[part].offset, sizeof value);
    return value;
}

static bool isSplit(const BudgetRow* row)
{
    return strcmp(row->state, "split") == 0;
}

// Nothing worth splitting: all of it is below a micrometre or a microdegree.
static bool isTiny(const BudgetRow* row)
{
    double size = fabs(row->total);
    for (int p = 0; p < PARTS; p++) {
        size = fmax(size, fabs(getPart(row, p))); // fmax passes over what is missing
    }
    return isSplit(row) && size < 1e-6;
}

static bool isNorm(const BudgetRow* row)
{
    return strcmp(row->kind, "norm") == 0;
}

// The largest part by size, and its share of the sum of all sizes; -1 where there is none.
static int findLargest(const BudgetRow* row, double* share)
{
    int largest = -1;
    double sum = 0, most = 0;
    for (int p = 0; p < PARTS && isSplit(row); p++) {
        double size = fabs(getPart(row, p));
        if (isfinite(size)) {
            sum += size;
            largest = size > most ? p : largest;
            most = fmax(most, size);
        }
    }
    *share = largest >= 0 ? most / sum : (double)NAN;
    return largest;
}

static Group findGroup(const CsvRecords* file, int test, const char* unit)
{
    const BudgetRow* records = file->records;
    Group group = {.count = 0};
    for (size_t k = 0; k < file->count && group.count < MAX_SOLVERS; k++) {
        if (records[k].test == test && strcmp(records[k].unit, unit) == 0) {
            group.rows[group.count++] = &records[k];
        }
    }
    return group;
}

static const BudgetRow* findSolver(const Group* group, const char* solver)
{
    for (int k = 0; k < group->count; k++) {
        if (strcmp(group->rows[k]->solver, solver) == 0) {
            return group->rows[k];
        }
    }
    return NULL;
}

// --- Table ---

static void addTotal(Page* page, Sheet* sheet, const BudgetRow* row)
{
    if (isnan(row->total)) {
        addCell(page, sheet, "%s", strcmp(row->state, "not_supported") == 0 ? "not supported" : row->state);
        return;
    }
    Spread total = {.measured = 1, .mean = row->total, .least = row->least, .most = row->most};
    addCell(page, sheet, "%s", showSpread(&total).text);
}

// "2 of 3 tumbled", or nothing.
static void addRemark(Page* page, Sheet* sheet, const BudgetRow* row)
{
    char text[96] = "";
    if (row->tumbled > 0) {
        snprintf(text, sizeof text, "%g of %g tumbled", row->tumbled, row->seeds);
    }
    if (row->diverged > 0) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "%s%g of %g diverged", length > 0 ? ", " : "",
                 row->diverged, row->seeds);
    }
    addCell(page, sheet, "%s", text);
}

static void tabulate(Page* page, const Group* group, const char* name)
{
    Sheet sheet = {.columns = PARTS + 3};
    const char* unit = group->rows[0]->unit;
    addCell(page, &sheet, "solver");
    addCell(page, &sheet, "total [%s]", unit);
    for (int p = 0; p < PARTS; p++) {
        addCell(page, &sheet, "%s", parts[p].heading);
    }
    addCell(page, &sheet, "seeds left out");
    for (int k = 0; k < group->count; k++) {
        const BudgetRow* row = group->rows[k];
        addCell(page, &sheet, "%s", findStyle(row->solver).label);
        addTotal(page, &sheet, row);
        for (int p = 0; p < PARTS; p++) {
            addCell(page, &sheet, "%s", showValue(getPart(row, p)).text);
        }
        addRemark(page, &sheet, row);
    }
    closeSheet(page, &sheet, name,
               isNorm(group->rows[0])
                   ? "Lengths of the parts' vectors over the ground: the vectors sum to the "
                     "total, their lengths do not."
                   : "Signed; the parts sum to the total.");
}

// --- What the numbers say ---

// "rounding in PBD: 100 %; contact and solver in PBD-R: 81 %, ..."
static void explainParts(Page* page, const Group* group)
{
    bool any = false;
    for (int p = 0; p < PARTS; p++) {
        bool named = false;
        for (int k = 0; k < group->count; k++) {
            double share;
            if (isTiny(group->rows[k]) || findLargest(group->rows[k], &share) != p) {
                continue;
            }
            addText(page, named ? ", " : any ? "; " : "The largest part is ");
            if (!named) {
                addText(page, parts[p].words);
                addText(page, " in ");
            }
            named = any = true;
            addText(page, findStyle(group->rows[k]->solver).label);
            addHtml(page, ": %.0f&nbsp;%%", 100 * share);
        }
    }
    addText(page, any ? ". " : "");
    bool tiny = false;
    for (int k = 0; k < group->count; k++) {
        if (isTiny(group->rows[k])) {
            addText(page, tiny ? ", " : "Too little to split, below 1e-6 in all: ");
            addText(page, findStyle(group->rows[k]->solver).label);
            tiny = true;
        }
    }
    addText(page, tiny ? ". " : "");
}

// Whether parts of opposite signs hide a fifth or more of what there is.
static bool isCancelling(const BudgetRow* row)
{
    double sum = 0;
    for (int p = 0; p < PARTS; p++) {
        double size = fabs(getPart(row, p));
        sum += isfinite(size) ? size : 0;
    }
    return !isNorm(row) && fabs(row->total) < 0.8 * sum;
}

static void explainBest(Page* page, const Group* group)
{
    const BudgetRow* best = NULL;
    for (int k = 0; k < group->count; k++) {
        const BudgetRow* row = group->rows[k];
        if (isSplit(row) && (best == NULL || fabs(row->total) < fabs(best->total))) {
            best = row;
        }
    }
    if (best != NULL) {
        addText(page, "The smallest total is that of ");
        addText(page, findStyle(best->solver).label);
        addHtml(page, ", %s %s%s. ", showValue(best->total).text, best->unit[0] == 'm' ? "m" : "deg",
                isCancelling(best) ? ", in which parts of opposite signs cancel" : "");
    }
    const BudgetRow *pbd = findSolver(group, "pbd"), *pbdr = findSolver(group, "pbd-r");
    if (pbd != NULL && pbdr != NULL && isSplit(pbd) && isSplit(pbdr)) {
        addHtml(page, "From PBD to PBD-R rounding goes from %s to %s %s, contact and solver from %s to %s. ",
                showValue(pbd->rounding).text, showValue(pbdr->rounding).text,
                pbd->unit[0] == 'm' ? "m" : "deg", showValue(pbd->contact).text,
                showValue(pbdr->contact).text);
    }
    for (int k = 0; k < group->count; k++) {
        if (strcmp(group->rows[k]->state, "tumbled") == 0 || strcmp(group->rows[k]->state, "diverged") == 0) {
            addText(page, findStyle(group->rows[k]->solver).label);
            addHtml(page, " %s: no split. ", group->rows[k]->state[0] == 't' ? "tumbled" : "diverged");
        }
    }
}

// Which part is the largest of PBD-R's error in which tests.
static void summarizeBudget(Page* page, const CsvRecords* file)
{
    char found[256] = "";
    for (int p = 0; p < PARTS; p++) {
        bool named = false;
        for (int test = 1; test <= 7; test++) {
            Group group = findGroup(file, test, test == 2 || test == 5 ? "deg" : "m");
            const BudgetRow* row = findSolver(&group, "pbd-r");
            double share;
            if (row == NULL || findLargest(row, &share) != p) {
                continue;
            }
            size_t length = strlen(found);
            snprintf(found + length, sizeof found - length, "%s%s%s%d (%.0f %%)",
                     named           ? ", "
                     : found[0] != 0 ? "; "
                                     : "",
                     named ? "" : parts[p].words, named ? "" : ": ", test, 100 * share);
            named = true;
        }
    }
    if (found[0] != 0) {
        summarize(page, "Largest part of PBD-R's error in tests 1 to 7", "not split there", found);
    }
}

void addBudgetPart(Page* page)
{
    beginPart(page, "budget", "Error budget",
              "Not in the paper: what each error of the seven tests is made of.");
    CsvRecords file;
    if (loadRecords(page, &file, "budget_table", budgetColumns, budgetColumnCount, sizeof(BudgetRow),
                    command)) {
        addHtml(
            page,
            "<p>Causes are switched off one after the other, and each part is what that changes: "
            "<em>rounding</em>, by the same run in double; <em>inertia, packing</em>, by scoring it for the "
            "mass properties of the body as simulated; the <em>integrator's floor</em>, by scoring it "
            "against "
            "what semi-implicit Euler makes of perfect forces; <em>contact, solver</em> is what is left. "
            "Errors "
            "are signed: above 0 the body went or turned too far. A dash: the solver has one precision (the "
            "peers, XPBD-R), or "
            "another integrator (MuJoCo's RK4, XPBD-R's second order). Means over the seeds that neither "
            "diverged nor tumbled (tilt over 30 deg); "
            "in "
            "brackets the smallest and the largest. Shares are of the sum of the parts' sizes.</p>\n"
            "<p>Test 7 is scored against the dynamic reference with pressure tilt at rest; packing is that "
            "reference on the spheres' n x n support points minus the same on the whole base, and the "
            "integrator is in the rest.</p>\n");
        static const char* const units[] = {"m", "deg"};
        for (int test = 1; test <= 7; test++) {
            bool second = false;
            for (int u = 0; u < 2 && !page->failed; u++) {
                Group group = findGroup(&file, test, units[u]);
                if (group.count == 0) {
                    continue;
                }
                char name[32];
                snprintf(name, sizeof name, "budget_test%d%s", test, second ? "_turn" : "");
                addHtml(page, "<h3>Test %s%s</h3>\n<p>", findTestName(test), second ? ": turn" : "");
                explainParts(page, &group);
                explainBest(page, &group);
                addHtml(page, "</p>\n");
                tabulate(page, &group, name);
                second = true;
            }
        }
        summarizeBudget(page, &file);
    }
    csvFreeRecords(&file);
    endPart(page, command);
}
