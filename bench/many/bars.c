// What issue 11 asks of XPBD-R with many bodies, held against the rows of a run.
#include "many/many.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REST_SPEED 1.0e-9  // of a pile at its end [m/s]
#define ENERGY_RISE 1.0e-9 // of the energy at the start
#define EXACT 1.0e-12      // towers: speed [m/s] and drift [m]

typedef struct Bars {
    const ManyRow* rows;
    int rowCount;
    const char* own;
    ManyBar* bars;
    int count, capacity;
} Bars;

// NULL without a row that tells something.
static const ManyRow* find(const Bars* bars, const char* scene, const char* solver)
{
    for (int k = 0; k < bars->rowCount; k++) {
        const ManyRow* row = &bars->rows[k];
        if (strcmp(row->scene, scene) == 0 && strcmp(row->solver, solver) == 0) {
            return row->result.substeps > 0.0 ? row : NULL;
        }
    }
    return NULL;
}

// A run that did not reach its end shows no bar as met, but shows what it measured.
static bool isWhole(const ManyRow* row)
{
    return strcmp(row->result.outcome, "measured") == 0;
}

static void add(Bars* bars, const char* text, int met, double value, const char* unit, const char* outcome)
{
    if (bars->count < bars->capacity) {
        ManyBar* bar = &bars->bars[bars->count];
        *bar = (ManyBar){.met = met, .value = value, .unit = unit};
        snprintf(bar->text, sizeof bar->text, "%s", text);
        snprintf(bar->outcome, sizeof bar->outcome, "%s", outcome);
    }
    bars->count++;
}

// value <= bar, of a run of ours.
static void addBound(Bars* bars, const ManyRow* row, double value, double bar, const char* what,
                     const char* unit)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s <= %g%s%s", row->scene, what, bar, unit[0] != 0 ? " " : "", unit);
    add(bars, text, isWhole(row) && value <= bar, value, unit, row->result.outcome);
}

// Ours over a peer's.
static void addRatio(Bars* bars, const ManyRow* own, double value, double peer, double bar, const char* what,
                     const char* peerName)
{
    char text[160];
    snprintf(text, sizeof text, "%s: %s <= %g x %s", own->scene, what, bar, peerName);
    if (peer > 0.0) {
        add(bars, text, isWhole(own) && value <= bar * peer, value / peer, "", own->result.outcome);
    } else {
        add(bars, text, -1, (double)NAN, "", "no peer");
    }
}

// Of what the solver says, and of what its poses say; fmax passes over a NaN.
static double getDeepest(const ManyResult* result)
{
    return fmax(result->overlap, result->trueOverlap);
}

static void addSane(Bars* bars, const ManyRow* row)
{
    const ManyResult* r = &row->result;
    addBound(bars, row, r->energyRise / r->energyStart, ENERGY_RISE, "energy's rise over its start", "");
    addBound(bars, row, r->pointSpeedEnd, REST_SPEED, "speed at the end", "m/s");
}

static void addPile(Bars* bars, const char* scene)
{
    const ManyRow *row = find(bars, scene, bars->own), *bullet = find(bars, scene, "bullet");
    if (row == NULL) {
        return;
    }
    addBound(bars, row, row->result.flagged, 0.0, "flagged substeps", "");
    addSane(bars, row);
    addRatio(bars, row, getDeepest(&row->result), bullet != NULL ? bullet->result.overlap : 0.0, 0.1,
             "deepest overlap", "Bullet's");
}

static void addCost(Bars* bars, const char* scene, double bar, bool settled)
{
    const ManyRow *row = find(bars, scene, bars->own), *bullet = find(bars, scene, "bullet");
    if (row == NULL) {
        return;
    }
    addRatio(bars, row, row->result.cpuMean, bullet != NULL ? bullet->result.cpuMean : 0.0, bar, "mean cost",
             "Bullet's");
    if (settled) {
        addRatio(bars, row, row->result.cpuLast, bullet != NULL ? bullet->result.cpuLast : 0.0, 1.0,
                 "cost of the last quarter", "Bullet's");
    }
}

static void addGrowth(Bars* bars)
{
    const ManyRow *few = find(bars, "pile125", bars->own), *many = find(bars, "pile1000", bars->own);
    if (few != NULL && many != NULL) {
        const double power = log(many->result.cpuMean / few->result.cpuMean) / log(8.0);
        const bool whole = isWhole(few) && isWhole(many);
        add(bars, "piles of 125 to 1000: power of N in the cost <= 1.15", whole && power <= 1.15, power, "",
            isWhole(few) ? many->result.outcome : few->result.outcome);
    }
}

static void addHopper(Bars* bars)
{
    const ManyRow *row = find(bars, "hopper1000", bars->own), *bullet = find(bars, "hopper1000", "bullet"),
                  *ode = find(bars, "hopper1000", "ode");
    if (row != NULL) {
        const double a = bullet != NULL ? bullet->result.cpuMean : (double)INFINITY,
                     b = ode != NULL ? ode->result.cpuMean : (double)INFINITY;
        const double cheaper = fmin(a, b);
        addRatio(bars, row, row->result.cpuMean, isfinite(cheaper) ? cheaper : 0.0, 1.5, "mean cost",
                 a < b ? "Bullet's" : "ODE quick's");
    }
}

static void addExact(Bars* bars, const char* scene, double drift, double speed)
{
    const ManyRow* row = find(bars, scene, bars->own);
    if (row != NULL) {
        addBound(bars, row, row->result.drift, drift, "drift", "m");
        addBound(bars, row, row->result.pointSpeedEnd, speed, "speed at the end", "m/s");
    }
}

static void addUnflagged(Bars* bars, const char* scene)
{
    const ManyRow* row = find(bars, scene, bars->own);
    if (row != NULL) {
        addBound(bars, row, row->result.flagged, 0.0, "flagged substeps", "");
    }
}

int manyFindBars(const ManyRow* rows, int rowCount, const char* own, ManyBar* list, int capacity)
{
    static const char* const piles[] = {"pile27", "pile125", "pile343", "pile1000"};
    static const char* const coarse[] = {"pile27_5ms",  "pile125_5ms",  "pile343_5ms",  "pile1000_5ms",
                                         "pile27_10ms", "pile125_10ms", "pile343_10ms", "pile1000_10ms"};
    static const char* const towers[] = {"tower10",        "tower20",        "tower50",
                                         "tower10_jitter", "tower20_jitter", "tower50_jitter",
                                         "heavy100",       "heavy1000",      "heavy10000"};
    static const char* const others[] = {"dominoes20", "wall105", "wall105_hit", "rods30"};
    Bars bars = {rows, rowCount, own, list, 0, capacity};
    for (size_t k = 0; k < sizeof towers / sizeof towers[0]; k++) {
        addExact(&bars, towers[k], EXACT, EXACT);
    }
    addExact(&bars, "cards7", 1.0e-3, REST_SPEED); // it stands: a fall is centimetres
    addExact(&bars, "arch11", 1.0e-6, REST_SPEED);
    for (size_t k = 0; k < sizeof piles / sizeof piles[0]; k++) {
        addPile(&bars, piles[k]);
    }
    addCost(&bars, "pile125", 2.0, true);
    addCost(&bars, "pile1000", 2.0, true);
    addGrowth(&bars);
    addCost(&bars, "apart10000", 2.0, false);
    addHopper(&bars);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        addCost(&bars, others[k], 2.0, false);
        addUnflagged(&bars, others[k]);
    }
    addUnflagged(&bars, "balls3000");
    addUnflagged(&bars, "bunnies30");
    const ManyRow* bunnies = find(&bars, "bunnies30", own);
    if (bunnies != NULL) {
        addBound(&bars, bunnies, getDeepest(&bunnies->result), 1.0e-4, "deepest overlap", "m");
    }
    for (size_t k = 0; k < sizeof coarse / sizeof coarse[0]; k++) {
        const ManyRow* row = find(&bars, coarse[k], own);
        if (row != NULL) {
            addSane(&bars, row);
        }
    }
    return bars.count;
}
