#include "run_sensors.h"

#include "text.h"

#include <string.h>

// Names may hold anything: commas, quotes and line breaks become blanks.
static void writeName(FILE* file, const char* name, const char* part)
{
    fputc(',', file);
    for (const char* c = name; *c != 0; c++) {
        fputc(strchr(",\"\n\r", *c) != NULL ? ' ' : *c, file);
    }
    fputs(part, file);
}

const char* getSensorPart(int count, int index)
{
    static const char* const parts[PBDR_SENSOR_VALUES + 1][PBDR_SENSOR_VALUES] = {
        {""}, {""}, {".x", ".y"}, {".x", ".y", ".z"}, {".w", ".x", ".y", ".z"}};
    return parts[count][index];
}

bool openRunSensors(Output* output, const pbdrSceneFile* scene, const char* path)
{
    output->file = NULL;
    if (path == NULL) {
        return true;
    }
    if (scene->sensorCount == 0) {
        benchPrintMessage("pbdr run: --sensors %s: %s has no sensors\n", path, scene->path);
        return false;
    }
    if (!openOutput(output, path)) {
        output->file = NULL;
        return false;
    }
    fputc('t', output->file);
    for (int k = 0; k < scene->sensorCount; k++) {
        const int count = pbdrCountSensorValues(scene->sensors[k].def.kind);
        for (int i = 0; i < count; i++) {
            writeName(output->file, scene->sensors[k].name, getSensorPart(count, i));
        }
    }
    fputc('\n', output->file);
    return true;
}

void writeRunSensors(const Output* output, const pbdrSceneWorld* made)
{
    if (output->file == NULL) {
        return;
    }
    const pbdrWorld* world = made->world;
    fprintf(output->file, "%.17g", (double)pbdrWorld_GetSubstepCount(world) * pbdrWorld_GetTimeStep(world));
    for (int k = 0; k < made->scene->sensorCount; k++) {
        double values[PBDR_SENSOR_VALUES];
        const int count = pbdrSceneWorld_ReadSensor(made, k, values);
        for (int i = 0; i < count; i++) {
            fprintf(output->file, ",%.17g", values[i]);
        }
    }
    fputc('\n', output->file);
}
