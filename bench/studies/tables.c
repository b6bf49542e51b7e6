// CSV of a finished study: the plan's order, the log's texts.
#include "studies/study.h"

#include "vec.h"

#include <math.h>
#include <string.h>

void studyWriteTable(FILE* file, const StudyPlan* plan, char* const* results)
{
    fprintf(file, "%s,%s,%s\n", studyGetJobColumns(), studyGetResultColumns(), studyGetTimingColumns());
    for (int k = 0; k < plan->jobCount; k++) {
        const char* cells = results[k];
        size_t length = strcspn(cells, "\t");
        const char* timing = cells + length + 1;
        studyWriteJobCells(file, &plan->jobs[k]);
        fprintf(file, ",%.*s,%.*s\n", (int)length, cells, (int)strcspn(timing, "\t"), timing);
    }
}

void studyWriteSeries(FILE* file, const StudyPlan* plan, char* const* results)
{
    fprintf(file, "%s,particles,%s\n", studyGetJobColumns(), studyGetSeriesColumns(plan->kind->series));
    for (int k = 0; k < plan->jobCount; k++) {
        const char* point = strrchr(results[k], '\t') + 1;
        while (*point != 0) {
            size_t length = strcspn(point, ";");
            studyWriteJobCells(file, &plan->jobs[k]);
            studyWriteNumber(file, studyGetResult(results[k], "particles"), false);
            fprintf(file, ",%.*s\n", (int)length, point);
            point += length + (point[length] == ';');
        }
    }
}

void studyWriteReferences(FILE* file, const StudyPlan* plan, char* const* results)
{
    (void)results;
    BenchShapes shapes = {0};
    pbdrError error;
    fprintf(file, "reference,t_s,x_m,y_m,theta_rad\n");
    if (benchPreparePushing(&shapes, &plan->jobs[0].options, &error) == pbdr_statusOk) {
        for (int r = 0; r < BENCH_REFERENCE_COUNT; r++) {
            const BenchPushingPath* path = &shapes.pushing[r];
            for (int k = 0; k < path->frameCount; k++) {
                const BenchPushingFrame* f = &path->frames[k];
                if (fabs(f->t / STUDY_SAMPLE_TIME - nearbyint(f->t / STUDY_SAMPLE_TIME)) < 1.0e-6) {
                    fprintf(file, "%s,%.9g,%.9g,%.9g,%.9g\n", benchGetReferenceName((BenchReference)r), f->t,
                            f->x, f->y, f->theta);
                }
            }
        }
    }
    benchFreeShapes(&shapes);
}

void studyWriteShape(FILE* file, const StudyPlan* plan, char* const* results)
{
    (void)results;
    BenchShapes shapes = {0};
    pbdrError error;
    fprintf(file, "kind,a,b,c,radius_m\n");
    if (benchPrepareMesh(&shapes, &plan->jobs[0].options, &error) != pbdr_statusOk) {
        return; // the jobs have said why
    }
    const pbdrMesh* mesh = &shapes.mesh;
    for (int k = 0; k < mesh->vertexCount; k++) {
        pbdrVec3 v = mesh->vertices[k];
        fprintf(file, "vertex,%.6g,%.6g,%.6g,\n", v.x, v.y, v.z);
    }
    for (int k = 0; k < mesh->triangleCount; k++) {
        const int32_t* t = mesh->triangles[k];
        fprintf(file, "triangle,%d,%d,%d,\n", (int)t[0], (int)t[1], (int)t[2]);
    }
    const pbdrSphereSet* spheres = &shapes.meshSpheres;
    pbdrVec3 centre = pbdrSphereSet_GetMassProperties(spheres).centre;
    for (int k = 0; k < spheres->count; k++) {
        pbdrVec3 v = benchSub(spheres->positions[k], centre);
        fprintf(file, "sphere,%.6g,%.6g,%.6g,%.6g\n", v.x, v.y, v.z, spheres->radii[k]);
    }
    benchFreeShapes(&shapes);
}

// --- Ablations ---

static const char* const quantities[] = {
    "position_error_m",      "rotation_error_deg",     "velocity_error_mps",
    "linear_momentum_error", "angular_momentum_error",
};
static const char* const moments[] = {"t2", "final", "mean"};
enum { MOMENTS = 3, MEAN = 2 };

// Mean over the seeds of one quantity, for the jobs like that one; returns how many seeds were measured.
static int average(const StudyPlan* plan, char* const* results, const StudyJob* like, const char* quantity,
                   double means[MOMENTS])
{
    int used = 0;
    memset(means, 0, MOMENTS * sizeof *means);
    for (int k = 0; k < plan->jobCount; k++) {
        const StudyJob* job = &plan->jobs[k];
        if (job->solver != like->solver || job->options.ablation != like->options.ablation ||
            strncmp(results[k], "measured,", 9) != 0) {
            continue;
        }
        used++;
        for (int m = 0; m < MOMENTS; m++) {
            char column[64];
            snprintf(column, sizeof column, "%s_%s", moments[m], quantity);
            means[m] += studyGetResult(results[k], column);
        }
    }
    for (int m = 0; m < MOMENTS; m++) {
        means[m] = used > 0 ? means[m] / used : (double)NAN;
    }
    return used;
}

void studyWriteAblations(FILE* file, const StudyPlan* plan, char* const* results)
{
    static const char* const names[] = {"none", "velocity", "linear", "angular"}; // by the order of the plan
    fprintf(file, "solver,ablate,quantity,seeds,t2,final,mean,ratio\n");
    for (int first = 0; first < plan->jobCount; first += 4 * plan->seeds) {
        for (int part = 0; part < 4; part++) {
            const StudyJob* job = &plan->jobs[first + part * plan->seeds];
            for (size_t q = 0; q < sizeof quantities / sizeof quantities[0]; q++) {
                double full[MOMENTS], means[MOMENTS];
                average(plan, results, &plan->jobs[first], quantities[q], full);
                int seeds = average(plan, results, job, quantities[q], means);
                studyWriteText(file, job->solver->label);
                fprintf(file, ",%s,%s,%d", names[part], quantities[q], seeds);
                for (int m = 0; m < MOMENTS; m++) {
                    studyWriteNumber(file, means[m], false);
                }
                studyWriteNumber(file, means[MEAN] / full[MEAN], false);
                fputc('\n', file);
            }
        }
    }
}
