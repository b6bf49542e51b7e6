// The seven tests as replays (pbdr view). The page holds what pbdr view wrote into replays/: the player and the engine once,
// and the data of each test. Nothing of it runs before a test is chosen; a few lines of script then put both into a frame.
// Without scripts the same links open the files, where they still lie beside the page.
#include "parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TESTS 7
#define DATA_BEGIN "<script type=\"application/json\" id=\"pbdr-data\">"
#define DATA_END "</script>"

// The file of a test, NULL where there is none; to be freed.
static char* readReplay(const Page* page, int test)
{
    char path[4096];
    snprintf(path, sizeof path, "%.3900s/replays/test%d.html", page->out, test);
    return readWhole(path);
}

// A part of an HTML file as a JSON text that may stand in a script: no '<' is in it.
static void writeText(FILE* file, const char* text, size_t size)
{
    fputc('"', file);
    for (size_t k = 0; k < size; k++) {
        const unsigned char c = (unsigned char)text[k];
        if (c == '<' || c < 0x20) {
            fprintf(file, "\\u%04x", c);
        } else {
            if (c == '"' || c == '\\') {
                fputc('\\', file);
            }
            fputc(c, file);
        }
    }
    fputc('"', file);
}

// Writes the data of a test, and with the first one the page around them. False: it is no replay.
static bool writeReplay(Page* page, int test, const char* text, bool first)
{
    const char* begin = strstr(text, DATA_BEGIN);
    const char* end = begin != NULL ? strstr(begin, DATA_END) : NULL;
    if (end == NULL) {
        return false;
    }
    begin += strlen(DATA_BEGIN);
    if (first) {
        fputs("<script type=\"application/json\" id=\"replay-page\">[", page->body);
        writeText(page->body, text, (size_t)(begin - text));
        fputc(',', page->body);
        writeText(page->body, end, strlen(end));
        fputs("]</script>\n", page->body);
    }
    fprintf(page->body, "<script type=\"application/json\" id=\"replay-%d\">", test);
    fwrite(begin, 1, (size_t)(end - begin), page->body); // no '<' is in it (cli/view_page.c)
    fputs("</script>\n", page->body);
    return true;
}

void addReplaysPart(Page* page)
{
    static const char* const names[TESTS] = {"pushed box",       "box with torque",   "box on slope",
                                             "pushed bunny",     "bunny with torque", "bunny on slope",
                                             "rod pushing a box"};
    bool there[TESTS] = {false}, any = false;
    for (int k = 0; k < TESTS; k++) {
        char* text = readReplay(page, k + 1);
        if (text != NULL && !any) {
            beginPart(page, "replays", "The tests as they run", "not in the paper");
        }
        there[k] = text != NULL && writeReplay(page, k + 1, text, !any);
        any = any || text != NULL;
        free(text);
    }
    if (!any) { // they were not asked for
        return;
    }
    addHtml(
        page,
        "<p>Each is a simulation that runs again in the browser, in WebAssembly, and is checked by hashes "
        "against the native run. The reference is the grey ghost.</p>\n<p>");
    for (int k = 0; k < TESTS; k++) {
        if (there[k]) {
            addHtml(page,
                    "<a href=\"replays/test%d.html\" target=\"replay\" data-replay=\"%d\">Test %d: %s</a> "
                    "&nbsp; ",
                    k + 1, k + 1, k + 1, names[k]);
        }
    }
    fputs("</p>\n<iframe name=\"replay\" title=\"The replay that was chosen\" "
          "style=\"width:100%;height:760px;border:1px solid #d0d7de\"></iframe>\n"
          "<script>\n"
          "for (const link of document.querySelectorAll(\"a[data-replay]\")) {\n"
          "    link.addEventListener(\"click\", (event) => {\n"
          "        event.preventDefault();\n"
          "        const text = (id) => document.getElementById(id).textContent;\n"
          "        const [before, after] = JSON.parse(text(\"replay-page\"));\n"
          "        document.querySelector(\"iframe[name=replay]\").srcdoc = before + text(\"replay-\" + "
          "link.dataset.replay) + after;\n"
          "    });\n"
          "}\n"
          "</script>\n",
          page->body);
    endPart(page, "pbdr report --replays");
}
