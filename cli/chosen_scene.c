// From --test, --seed and the scene's options to the scene.
#include "chosen_scene.h"

#include "command.h"
#include "data.h"

#include "text.h"

#include <stdio.h>

ChosenScene defaultChosenScene(void)
{
    ChosenScene chosen = {.options = benchDefaultOptions()};
    chosen.options.meshPath = getDefaultMesh();
    return chosen;
}

const BenchTest* findChosenTest(const ChosenScene* chosen, const char* command, int* code)
{
    if (chosen->number == 0) {
        benchPrintMessage("pbdr %s: --test N is needed, 1 to %d\n", command, BENCH_LAST_TEST);
        *code = EXIT_USAGE;
        return NULL;
    }
    const BenchTest* test = benchFindTest(chosen->number);
    if (test == NULL) {
        benchPrintMessage("pbdr %s: --test %d: test %d is not available in this build\n", command,
                          chosen->number, chosen->number);
        *code = EXIT_FAILED;
    }
    return test;
}

int makeChosenScene(ChosenScene* chosen, const BenchTest* test, const char* command)
{
    pbdrError error;
    pbdrStatus status = pbdr_statusOk;
    if (test->rod) {
        status = benchPreparePushing(&chosen->shapes, &chosen->options, &error);
    }
    if (status == pbdr_statusOk && benchUsesMesh(test)) {
        status = benchPrepareMesh(&chosen->shapes, &chosen->options, &error);
    }
    if (status == pbdr_statusOk) {
        status =
            benchMakeScene(test, &chosen->options, &chosen->shapes, chosen->seed, &chosen->scene, &error);
    }
    if (status != pbdr_statusOk) {
        benchPrintMessage("pbdr %s: %s\n", command, error.message);
        benchFreeShapes(&chosen->shapes);
        return EXIT_FAILED;
    }
    return EXIT_OK;
}

void freeChosenScene(ChosenScene* chosen)
{
    benchFreeScene(&chosen->scene);
    benchFreeShapes(&chosen->shapes);
}
