#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include "parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static const char style[] =
    ":root{color-scheme:light}*{box-sizing:border-box}"
    "body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:1250px;background:#fff;color:#1b1f24;"
    "font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}"
    "h1{font-size:1.9rem;line-height:1.2;margin:.5rem 0}"
    "h2{font-size:1.35rem;line-height:1.25;margin:3rem 0 .4rem;padding-top:1rem;border-top:1px solid #d0d7de}"
    "h3{font-size:1.05rem;margin:1.8rem 0 .4rem}p{max-width:48rem;margin:.6rem 0}"
    "nav ul{padding:0;margin:.8rem 0;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;list-style:none}"
    "a{color:#0a58a8}a:focus-visible,.scroll:focus-visible{outline:2px solid #0a58a8;outline-offset:2px}"
    ".paper{color:#57606a}"
    "figure{margin:1.2rem 0}figcaption{max-width:60rem;margin-top:.5rem;font-size:.93rem;color:#32383f}"
    "svg{display:block;width:100%;height:auto}"
    ".one{max-width:720px}.two{display:grid;grid-template-columns:1fr 1fr;gap:1rem}"
    ".three{display:grid;grid-template-columns:1fr 1fr 1fr;gap:1rem}"
    // What can be scrolled has a shadow at the edge where there is more: the white covers move along, the
    // shadows stay.
    ".scroll{overflow-x:auto;margin:.2rem 0 1.2rem;background:"
    "linear-gradient(90deg,#fff 30%,#fff0) 0 0/3rem 100% no-repeat local,"
    "linear-gradient(270deg,#fff 30%,#fff0) 100% 0/3rem 100% no-repeat local,"
    "linear-gradient(90deg,#1b1f2455,#1b1f2400) 0 0/1rem 100% no-repeat scroll,"
    "linear-gradient(270deg,#1b1f2455,#1b1f2400) 100% 0/1rem 100% no-repeat scroll}"
    ".film svg{min-width:60rem}"
    "details{margin:1rem 0}details>summary{cursor:pointer;padding:.5rem "
    ".7rem;background:#f2f4f6;border-radius:4px;"
    "font-weight:500}"
    ".drawings{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr));gap:1.2rem "
    "1rem}"
    ".drawings figcaption{align-self:center;margin:0}"
    "table{border-collapse:collapse;font-size:.88rem;line-height:1.4}"
    ".caption{margin:1.4rem 0 .2rem;max-width:60rem;font-size:.93rem;color:#32383f}"
    "th,td{padding:.32rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid #e4e8ec}"
    "thead th{border-bottom:2px solid #8c959f;vertical-align:bottom}"
    "tbody th{font-weight:500;white-space:nowrap;position:sticky;left:0;background:#fff}#summary tbody "
    "th{white-space:normal}td{font-variant-numeric:tabular-nums}.n{text-align:right}td.n{white-space:nowrap}"
    "small{color:#57606a}"
    ".long{min-width:26rem}table.wide{font-size:.78rem}.wide th,.wide td{padding:.3rem .36rem}.wide "
    "small{font-size:.9em}"
    "code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:#f2f4f6;padding:.1em "
    ".35em;"
    "border-radius:3px;overflow-wrap:anywhere}"
    ".remake{font-size:.9rem;color:#57606a}"
    ".missing{border-left:4px solid #d55e00;background:#fdf3ec;padding:.6rem .9rem}"
    "@media(max-width:760px){.two,.three{grid-template-columns:1fr}h1{font-size:1.5rem}body{padding:1rem "
    ".8rem 3rem}"
    ".dense{overflow-x:auto}.dense svg{width:56rem;max-width:none}"
    ".many::before,.dense::before{content:'Scroll sideways "
    "\\2192';position:sticky;left:0;display:block;width:max-content;"
    "font-size:.8rem;color:#57606a;padding:.1rem 0}"
    ".long{min-width:18rem}tbody th{min-width:6.2rem;white-space:normal}"
    "#summary .scroll{overflow:visible}#summary thead{display:none}"
    "#summary table,#summary tbody,#summary tr,#summary th,#summary "
    "td{display:block;max-width:none;position:static;"
    "border:0;min-width:0;padding:.1rem 0;text-align:left}"
    "#summary tr{padding:.6rem 0;border-bottom:1px solid #e4e8ec}#summary "
    "td::before{color:#57606a;content:'Here: '}"
    "#summary td:nth-child(2)::before{content:'Paper: '}}"
    "@media print{body{max-width:none;font-size:11pt}figure,table{break-inside:avoid}nav{display:none}"
    ".scroll{overflow:visible;background:none}.film "
    "svg{min-width:0}.many::before,.dense::before{content:none}"
    ".drawings{grid-template-columns:1fr 1fr;break-inside:auto}.drawings svg{break-inside:avoid}"
    ".drawings figcaption{grid-column:1/-1}a{color:inherit}}";

void summarize(Page* page, const char* claim, const char* printed, const char* found)
{
    addCell(page, &page->summary, "%s", claim);
    addCell(page, &page->summary, "%s", printed);
    addCell(page, &page->summary, "%s", found);
}

static bool makeFolder(Page* page, const char* path)
{
    struct stat info;
    if (mkdir(path, 0777) != 0 && (errno != EEXIST || stat(path, &info) != 0 || !S_ISDIR(info.st_mode))) {
        failPage(page, "%s: the folder cannot be made", path);
    }
    return !page->failed;
}

// "AMD EPYC 9554 64-Core Processor" of Linux's /proc/cpuinfo.
static void findProcessor(char* name, size_t room)
{
    snprintf(name, room, "unknown processor");
    FILE* file = fopen("/proc/cpuinfo", "r");
    char line[512];
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        char* value = strstr(line, ": ");
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value[strcspn(value, "\n")] = 0;
            snprintf(name, room, "%s", value + 2);
            break;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

static void writeMachine(FILE* html, const char* version)
{
    struct utsname system;
    char processor[256], date[64] = "";
    findProcessor(processor, sizeof processor);
    time_t now = time(NULL);
    struct tm parts;
    if (gmtime_r(&now, &parts) != NULL) {
        strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", &parts);
    }
    fputs("<p>Made by pbdr ", html);
    writeEscaped(html, version);
    fprintf(html, " on %s, on this machine: ", date);
    writeEscaped(html, processor);
    fprintf(html, ", %ld cores, ", sysconf(_SC_NPROCESSORS_ONLN));
    if (uname(&system) == 0) {
        writeEscaped(html, system.sysname);
        fputs(" ", html);
        writeEscaped(html, system.release);
        fputs(" ", html);
        writeEscaped(html, system.machine);
    }
    fputs(". Timings hold for the machine on which the study ran.</p>\n", html);
}

static void writePage(FILE* html, const Page* page, const char* body, const char* version)
{
    fprintf(html,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<title>PBD-R remade</title>\n<style>%s</style>\n</head>\n<body>\n<header>\n"
            "<h1>PBD-R remade: seven rigid-body tests</h1>\n"
            "<p>Every figure and table of the paper's evaluation, made again from the files of "
            "<code>pbdr study</code>, with the paper's printed values beside ours where it prints any. "
            "XPBD-R, a solver of our own "
            "that the paper does not have, stands beside the paper's.</p>\n",
            style);
    writeMachine(html, version);
    fputs(
        "</header>\n<nav aria-label=\"Parts\"><ul>"
        "<li><a href=\"#drawings\">Drawings</a></li><li><a href=\"#tests\">Seven tests</a></li>"
        "<li><a href=\"#stills\">Tumbling bunny</a></li><li><a href=\"#budget\">Error budget</a></li>"
        "<li><a href=\"#sweep\">Friction and force</a></li>"
        "<li><a href=\"#time\">Time</a></li><li><a href=\"#trajectory\">Test 7 from above</a></li>"
        "<li><a href=\"#contact\">Test 7 over resolution</a></li><li><a href=\"#rotation\">Rotation</a></li>"
        "<li><a href=\"#ablation\">Ablation</a></li>"
        "<li><a href=\"#extended\">Extended suite</a></li><li><a "
        "href=\"#settings\">Settings</a></li></ul></nav>\n"
        "<main>\n<section id=\"summary\">\n<h2>Summary</h2>\n",
        html);
    writeSheetHtml(html, &page->summary, "summary", "What the paper says, and what these runs show.");
    fputs(
        "<p class=\"remake\">All of it: <code>pbdr study all &amp;&amp; pbdr report</code></p>\n</section>\n",
        html);
    fputs(body, html);
    fputs("</main>\n</body>\n</html>\n", html);
}

// Damaged files are found before anything is drawn.
static void checkFiles(Page* page)
{
    static const char* const studies[] = {
        "tests",      "budget", "sweep",    "time", "resolution-contact", "resolution-inertia",
        "trajectory", "stills", "ablation", NULL};
    const struct {
        const char* name;
        const CsvColumn* columns;
        size_t columnCount, recordSize;
    } others[] = {
        {"resolution-inertia_series", sampleColumns, sampleColumnCount, sizeof(Sample)},
        {"trajectory_series", sampleColumns, sampleColumnCount, sizeof(Sample)},
        {"trajectory_reference", referenceColumns, referenceColumnCount, sizeof(ReferenceSample)},
        {"ablation_table", ablationColumns, ablationColumnCount, sizeof(AblationRow)},
        {"budget_table", budgetColumns, budgetColumnCount, sizeof(BudgetRow)},
    };
    for (int k = 0; studies[k] != NULL; k++) {
        checkRecords(page, studies[k], runColumns, runColumnCount, sizeof(Run));
    }
    checkExtendedFile(page);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++) {
        checkRecords(page, others[k].name, others[k].columns, others[k].columnCount, others[k].recordSize);
    }
}

bool makeReport(FILE* html, const char* results, const char* out, const char* version, int* missing,
                char* message, size_t messageSize)
{
    char* body = NULL;
    size_t bodySize = 0;
    Page page = {.results = results, .out = out, .summary = {.columns = 3}};
    page.body = open_memstream(&body, &bodySize);
    if (page.body == NULL) {
        snprintf(message, messageSize, "out of memory");
        return false;
    }
    struct stat info;
    if (stat(results, &info) != 0 || !S_ISDIR(info.st_mode)) {
        failPage(&page, "%s: there is no such folder; make it with: pbdr study all", results);
    }
    if (!page.failed) {
        checkFiles(&page);
    }
    char figures[4096], tables[4096];
    snprintf(figures, sizeof figures, "%s/figures", out);
    snprintf(tables, sizeof tables, "%s/tables", out);
    if (!page.failed && makeFolder(&page, figures) && makeFolder(&page, tables)) {
        summarize(&page, "Claim", "Paper", "Here");
        static void (*const parts[])(Page*) = {
            addDrawingsPart, addTestsPart,    addReplaysPart,     addStillsPart,  addBudgetPart,
            addSweepPart,    addTimePart,     addTrajectoryPart,  addContactPart, addRotationPart,
            addAblationPart, addExtendedPart, addUncertaintyPart, addSettingsPart};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0] && !page.failed; k++) {
            parts[k](&page);
        }
    }
    if (fclose(page.body) != 0) {
        failPage(&page, "out of memory");
    }
    if (!page.failed) {
        writePage(html, &page, body, version);
    }
    *missing = page.missingCount;
    snprintf(message, messageSize, "%s", page.message);
    freeSheet(&page.summary);
    free(body);
    return !page.failed;
}
