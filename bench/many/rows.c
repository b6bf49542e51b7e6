// Runs as rows of text, and the solvers by name.
#include "many/many.h"

#include "pbdr/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Solvers ---

static const ManySolver* (*const solvers[])(void) = {
    manyGetXpbdR,  manyGetXpbdRSpheres,
#ifdef PBDR_HAVE_BULLET
    manyGetBullet, manyGetBulletGImpact,
#endif
#ifdef PBDR_HAVE_ODE
    manyGetOde,    manyGetOdeExact,
#endif
#ifdef PBDR_HAVE_MUJOCO
    manyGetMujoco,
#endif
};

const ManySolver* manyGetSolver(int index)
{
    return index >= 0 && index < (int)(sizeof solvers / sizeof solvers[0]) ? solvers[index]() : NULL;
}

const ManySolver* manyFindSolver(const char* name)
{
    const ManySolver* solver;
    for (int k = 0; (solver = manyGetSolver(k)) != NULL; k++) {
        if (strcmp(solver->name, name) == 0) {
            return solver;
        }
    }
    return NULL;
}

bool manySuits(const ManyEntry* entry, const ManySolver* solver)
{
    if (strcmp(solver->name, "xpbdr") == 0) {
        return (entry->use & manySpheresOnly) == 0;
    }
    if (strcmp(solver->name, "xpbdr:spheres") == 0) {
        return (entry->use & (manySpheresOnly | manySpheresToo)) != 0;
    }
    if (strcmp(solver->name, "ode:exact") == 0) {
        return (entry->use & manyExactToo) != 0;
    }
    if (strcmp(solver->name, "bullet:gimpact") == 0) {
        return (entry->use & manyNeedsMesh) != 0;
    }
    return true;
}

// --- Rows ---

// The numbers of a row, in the order of the columns.
static const struct {
    const char* name;
    size_t offset;
    double scale; // of what is kept to what is written
} columns[] = {
    {"bodies", offsetof(ManyResult, bodies), 1.0},
    {"substeps", offsetof(ManyResult, substeps), 1.0},
    {"simulated_s", offsetof(ManyResult, simulated), 1.0},
    {"cpu_us_mean", offsetof(ManyResult, cpuMean), 1e6},
    {"cpu_us_last_quarter", offsetof(ManyResult, cpuLast), 1e6},
    {"cpu_us_p99", offsetof(ManyResult, cpuP99), 1e6},
    {"cpu_us_max", offsetof(ManyResult, cpuMost), 1e6},
    {"flagged", offsetof(ManyResult, flagged), 1.0},
    {"overlap_m", offsetof(ManyResult, overlap), 1.0},
    {"overlap_last_quarter_m", offsetof(ManyResult, overlapLast), 1.0},
    {"true_overlap_m", offsetof(ManyResult, trueOverlap), 1.0},
    {"energy_start_J", offsetof(ManyResult, energyStart), 1.0},
    {"energy_rise_J", offsetof(ManyResult, energyRise), 1.0},
    {"speed_end_mps", offsetof(ManyResult, speedEnd), 1.0},
    {"point_speed_end_mps", offsetof(ManyResult, pointSpeedEnd), 1.0},
    {"moves_until_s", offsetof(ManyResult, movesUntil), 1.0},
    {"drift_m", offsetof(ManyResult, drift), 1.0},
    {"contacts", offsetof(ManyResult, contacts), 1.0},
    {"newton_steps", offsetof(ManyResult, newtonSteps), 1.0},
};

#define COLUMN_COUNT ((int)(sizeof columns / sizeof columns[0]))
#define FRONT_COLUMNS 6 // scene to outcome

const char* manyGetColumns(void)
{
    static char text[512];
    int length = snprintf(text, sizeof text, "scene,solver,version,time_step_s,duration_s,outcome");
    for (int k = 0; k < COLUMN_COUNT; k++) {
        length += snprintf(text + length, sizeof text - (size_t)length, ",%s", columns[k].name);
    }
    snprintf(text + length, sizeof text - (size_t)length, ",problem");
    return text;
}

void manyWriteCells(char* text, size_t size, const ManyJob* job, const ManyResult* result)
{
    int length = snprintf(text, size, "%s,%s,%s,%g,%g,%s", job->entry->name, job->solver->name,
                          job->solver->version[0] != 0 ? job->solver->version : pbdrVersion(), job->timeStep,
                          job->duration, result->outcome);
    for (int k = 0; k < COLUMN_COUNT; k++) {
        const double value = *(const double*)((const char*)result + columns[k].offset) * columns[k].scale;
        length += isfinite(value) ? snprintf(text + length, size - (size_t)length, ",%.9g", value)
                                  : snprintf(text + length, size - (size_t)length, ",");
    }
    length += snprintf(text + length, size - (size_t)length, ",");
    for (const char* c = result->problem; *c != 0 && (size_t)length + 1 < size; c++) {
        const bool plain = *c >= ' ' && *c <= '~' && *c != ',' && *c != '"';
        text[length++] = plain ? *c : ';';
    }
    text[length] = 0;
}

bool manyReadCells(const char* text, ManyRow* row)
{
    char copy[1024];
    char* cells[FRONT_COLUMNS + COLUMN_COUNT + 1];
    int count = 0;
    if (strlen(text) >= sizeof copy) {
        return false;
    }
    strcpy(copy, text);
    for (char* cell = copy; cell != NULL && count < FRONT_COLUMNS + COLUMN_COUNT + 1;) {
        char* comma = strchr(cell, ',');
        cells[count++] = cell;
        if (comma != NULL) {
            *comma = 0;
        }
        cell = comma != NULL ? comma + 1 : NULL;
    }
    if (count != FRONT_COLUMNS + COLUMN_COUNT + 1) {
        return false;
    }
    *row = (ManyRow){.duration = strtod(cells[4], NULL)};
    snprintf(row->scene, sizeof row->scene, "%s", cells[0]);
    snprintf(row->solver, sizeof row->solver, "%s", cells[1]);
    snprintf(row->result.outcome, sizeof row->result.outcome, "%s", cells[5]);
    for (int k = 0; k < COLUMN_COUNT; k++) {
        const char* cell = cells[FRONT_COLUMNS + k];
        *(double*)((char*)&row->result + columns[k].offset) =
            *cell != 0 ? strtod(cell, NULL) / columns[k].scale : (double)NAN;
    }
    snprintf(row->result.problem, sizeof row->result.problem, "%s", cells[FRONT_COLUMNS + COLUMN_COUNT]);
    return true;
}
