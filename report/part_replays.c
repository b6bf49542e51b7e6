// The seven tests as replays (pbdr view), beside the page in replays/: each is loaded when it is chosen, so that the page
// itself stays small.
#define _POSIX_C_SOURCE 200809L
#include "parts.h"

#include <stdio.h>
#include <unistd.h>

#define TESTS 7

static bool hasReplay(const Page* page, int test)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/replays/test%d.html", page->out, test);
    return access(path, R_OK) == 0;
}

void addReplaysPart(Page* page)
{
    static const char* const names[TESTS] = {"pushed box",       "box with torque",   "box on slope",
                                             "pushed bunny",     "bunny with torque", "bunny on slope",
                                             "rod pushing a box"};
    int count = 0;
    for (int test = 1; test <= TESTS; test++) {
        count += hasReplay(page, test);
    }
    if (count == 0) { // they were not asked for
        return;
    }
    beginPart(page, "replays", "The tests as they run", "not in the paper");
    addHtml(
        page,
        "<p>Each opens a simulation that runs again in the browser, in WebAssembly, and is checked by hashes "
        "against the native run. The reference is the grey ghost.</p>\n");
    // links into an empty frame: what is not chosen is not loaded, and no script is needed
    addHtml(page, "<p>");
    for (int test = 1; test <= TESTS; test++) {
        if (hasReplay(page, test)) {
            addHtml(page, "<a href=\"replays/test%d.html\" target=\"replay\">Test %d: %s</a> &nbsp; ", test,
                    test, names[test - 1]);
        }
    }
    addHtml(page, "</p>\n<iframe name=\"replay\" title=\"The replay that was chosen\" "
                  "style=\"width:100%%;height:720px;border:1px solid #d0d7de\"></iframe>\n");
    endPart(page, "pbdr report --replays");
}
