// A trajectory or a results file, as `pbdr view` reads it; of a trajectory also the page, whose data must hold no '<'.
#define _POSIX_C_SOURCE 200809L
#include "view_runs.h"

#include "target.h"

#include <math.h>
#include <string.h>

static void writePage(const View* view)
{
    static const char mark[] = "id=\"pbdr-data\">";
    const char* template = fuzzWriteInput(
        ".html",
        (const uint8_t*)"<title>pbdr replay</title><!--pbdr:data--><!--pbdr:engine--><!--/pbdr:engine-->",
        80);
    char* page = NULL;
    size_t size = 0;
    FILE* memory = open_memstream(&page, &size);
    FUZZ_REQUIRE(memory != NULL && writeViewPage(view, template, memory) == 0 && fclose(memory) == 0);
    const char* data = strstr(page, mark);
    FUZZ_REQUIRE(data != NULL);
    data = strchr(data + strlen(mark), '<'); // the first one ends the data
    FUZZ_REQUIRE(data != NULL && strncmp(data, "</script>", 9) == 0 && strchr(data + 9, '<') == NULL);
    free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    View view = {.referenceBody = -1};
    ViewOptions options = {.megabytes = 0.01, .threads = 1, .effort = -1};
    const char* path = fuzzWriteInput(".csv", data, size);
    if (isRunsFile(path)) {
        const ViewRows rows = {0};
        ViewRun runs[VIEW_MAX_TRACKS];
        ChosenScene chosen = {.options = benchDefaultOptions()};
        if (readRuns(path, &rows, &chosen, &options, runs) == 0) {
            FUZZ_REQUIRE(options.solverCount >= 1 && options.solverCount <= VIEW_MAX_TRACKS);
            FUZZ_REQUIRE(benchFindTest(chosen.number) != NULL && chosen.seed >= 0);
            FUZZ_REQUIRE(isfinite(runs[0].options.duration) && runs[0].options.timeStep > 0.0);
        }
        return 0;
    }
    if (viewTrajectory(&view, &options, path, NULL) == 0) {
        FUZZ_REQUIRE(view.frameCount >= 1 && view.tracks[0].frameCount == view.frameCount);
        writePage(&view);
    }
    freeView(&view);
    return 0;
}
