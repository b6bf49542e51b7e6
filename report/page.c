#include "page.h"

#include "old_names.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// Messages quote files, and a terminal acts on control characters.
static void makePrintable(char* text)
{
    for (; *text != 0; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f) {
            *text = '?';
        }
    }
}

void failPage(Page* page, const char* format, ...)
{
    if (page->failed) {
        return;
    }
    page->failed = true;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(page->message, sizeof page->message, format, arguments);
    va_end(arguments);
    makePrintable(page->message);
}

// One conversion of a number: specification is "%.2f", "%d", "%zu" ...; a star takes its int first.
static void writeNumber(FILE* file, const char* specification, va_list* arguments)
{
    int digits = strchr(specification, '*') != NULL ? va_arg(*arguments, int) : -1;
    char plain[32] = "";
    for (const char* c = specification; *c != 0; c++) {
        size_t length = strlen(plain);
        snprintf(plain + length, sizeof plain - length, *c == '*' ? "%d" : "%c", *c == '*' ? digits : *c);
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    switch (specification[strlen(specification) - 1]) {
    case 'd':
        fprintf(file, plain, va_arg(*arguments, int));
        break;
    case 'u': // %zu
        fprintf(file, plain, va_arg(*arguments, size_t));
        break;
    default: // e, f, g
        fprintf(file, plain, va_arg(*arguments, double));
    }
#pragma GCC diagnostic pop
}

// printf whose %s are escaped: this is the one place where text gets into markup.
static void formatHtml(FILE* file, const char* format, va_list* arguments)
{
    for (const char* c = format; *c != 0; c++) {
        if (*c != '%') {
            fputc(*c, file);
        } else if (c[1] == '%') {
            fputc(*++c, file);
        } else if (c[1] == 's') {
            writeEscaped(file, va_arg(*arguments, const char*));
            c++;
        } else {
            size_t length = strcspn(c + 1, "defgu") + 2;
            char specification[16];
            snprintf(specification, sizeof specification, "%.*s", (int)length, c);
            writeNumber(file, specification, arguments);
            c += length - 1;
        }
    }
}

void addHtml(Page* page, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    formatHtml(page->body, format, &arguments);
    va_end(arguments);
}

void addText(Page* page, const char* text)
{
    writeEscaped(page->body, text);
}

void beginPart(Page* page, const char* id, const char* title, const char* paper)
{
    page->partCount++;
    fprintf(page->body, "<section id=\"%s\">\n<h2>%s</h2>\n<p class=\"paper\">%s</p>\n", id, title, paper);
}

void endPart(Page* page, const char* command)
{
    addHtml(page, "<p class=\"remake\">Remake: <code>%s &amp;&amp; pbdr report</code></p>\n</section>\n",
            command);
}

void checkRecords(Page* page, const char* name, const CsvColumn* columns, size_t columnCount,
                  size_t recordSize)
{
    char path[4096], message[CSV_MESSAGE_SIZE] = "";
    CsvRecords file;
    snprintf(path, sizeof path, "%s/%s.csv", page->results, name);
    CsvResult result = csvReadRecords(&file, path, columns, columnCount, recordSize, message);
    if (result == csvDamaged || result == csvNoMemory) {
        failPage(page, "%s", message);
    }
    csvFreeRecords(&file);
}

bool loadRecords(Page* page, CsvRecords* file, const char* name, const CsvColumn* columns, size_t columnCount,
                 size_t recordSize, const char* command)
{
    memset(file, 0, sizeof *file);
    if (page->failed) {
        return false;
    }
    char path[4096], message[CSV_MESSAGE_SIZE] = "";
    snprintf(path, sizeof path, "%s/%s.csv", page->results, name);
    CsvResult result = csvReadRecords(file, path, columns, columnCount, recordSize, message);
    if (result == csvDamaged || result == csvNoMemory) {
        failPage(page, "%s", message);
        return false;
    }
    if (result == csvOk && file->count > 0) {
        return true;
    }
    if (result == csvOk) {
        snprintf(message, sizeof message, "%.900s: there is no run in it yet", path);
        csvFreeRecords(file);
    }
    makePrintable(message);
    fprintf(stderr, "pbdr report: %s; make it with: %s\n", message, command);
    page->missingCount++;
    addHtml(page, "<p class=\"missing\"><strong>Missing.</strong> ");
    addText(page, message);
    addHtml(page, ". Make it with <code>%s</code>.</p>\n", command);
    return false;
}

bool loadRuns(Page* page, Runs* runs, const char* name, const char* command)
{
    bool loaded = loadRecords(page, &runs->file, name, runColumns, runColumnCount, sizeof(Run), command);
    runs->runs = runs->file.records;
    runs->count = runs->file.count;
    for (size_t k = 0; k < runs->count; k++) {
        Run* run = &((Run*)runs->file.records)[k];
        run->engine = benchRenameEngine(run->solver, run->engine);
    }
    return loaded;
}

void beginFigures(Page* page, const char* layout)
{
    addHtml(page, "<figure>\n<div class=\"%s\">\n", layout);
}

void endFigures(Page* page, const char* number, const char* format, ...)
{
    addHtml(page, "</div>\n<figcaption><strong>%s.</strong> ", number);
    va_list arguments;
    va_start(arguments, format);
    formatHtml(page->body, format, &arguments);
    va_end(arguments);
    addHtml(page, "</figcaption>\n</figure>\n");
}

void addCell(Page* page, Sheet* sheet, const char* format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (sheet->count == sheet->room) {
        int room = sheet->room == 0 ? 64 : 2 * sheet->room;
        char** larger = realloc(sheet->cells, (size_t)room * sizeof larger[0]);
        if (larger == NULL) {
            failPage(page, "out of memory");
            return;
        }
        sheet->cells = larger;
        sheet->room = room;
    }
    char* cell = malloc(strlen(text) + 1);
    if (cell == NULL) {
        failPage(page, "out of memory");
        return;
    }
    strcpy(cell, text);
    sheet->cells[sheet->count++] = cell;
}

void freeSheet(Sheet* sheet)
{
    for (int k = 0; k < sheet->count; k++) {
        free(sheet->cells[k]);
    }
    free(sheet->cells);
    memset(sheet, 0, sizeof *sheet);
}

// Numbers stand to the right; what begins like one is one.
static bool isNumeric(const char* text)
{
    return text[0] != 0 && strchr("0123456789-", text[0]) != NULL && strchr(text, ',') == NULL &&
           strlen(text) < 48;
}

void writeSheetHtml(FILE* file, const Sheet* sheet, const char* name, const char* caption)
{
    // The caption stands outside of the box, so that it does not scroll away on a narrow screen.
    fprintf(file,
            "<p class=\"caption\" id=\"table-%s\">%s</p>\n"
            "<div class=\"scroll%s\" tabindex=\"0\"><table aria-labelledby=\"table-%s\"%s>\n",
            name, caption, sheet->columns > 3 ? " many" : "", name,
            sheet->columns > 7 ? " class=\"wide\"" : "");
    for (int k = 0; k < sheet->count; k++) {
        int column = k % sheet->columns;
        bool heading = k < sheet->columns;
        const char* text = sheet->cells[k];
        if (column == 0) {
            fputs(heading ? "<thead><tr>" : "<tr>", file);
        }
        // A heading stands over its numbers, and words among numbers stand with them: the first row says which
        // columns have numbers.
        const char* kind = isNumeric(text) || sheet->count < 2 * sheet->columns
                               ? text
                               : sheet->cells[sheet->columns + column];
        const char* tag = heading || column == 0 ? "th" : "td";
        const char* scope = heading ? " scope=\"col\"" : column == 0 ? " scope=\"row\"" : "";
        fprintf(file, "<%s%s%s>", tag, scope,
                column > 0 && isNumeric(kind) ? " class=\"n\""
                : strlen(text) > 80           ? " class=\"long\""
                                              : "");
        // In a wide table the spread stands under its mean.
        const char* spread = sheet->columns > 7 && !heading && isNumeric(text) ? strstr(text, " (") : NULL;
        if (spread != NULL) {
            char mean[64]; // a numeric cell is shorter
            snprintf(mean, sizeof mean, "%.*s", (int)(spread - text), text);
            writeEscaped(file, mean);
            fputs("<br><small>", file);
            writeEscaped(file, spread + 1);
            fputs("</small>", file);
        } else {
            writeEscaped(file, text);
        }
        fprintf(file, "</%s>", tag);
        if (column == sheet->columns - 1) {
            fputs(heading ? "</tr></thead>\n<tbody>\n" : "</tr>\n", file);
        }
    }
    fputs("</tbody></table></div>\n", file);
}

static void writeMarkdown(FILE* file, const Sheet* sheet)
{
    for (int k = 0; k < sheet->count; k++) {
        int column = k % sheet->columns;
        fputs(column == 0 ? "| " : " | ", file);
        for (const char* c = sheet->cells[k]; *c != 0; c++) {
            // Markdown lets markup through: what looks like it is text here.
            if (*c == '<' || *c == '&') {
                fputs(*c == '<' ? "&lt;" : "&amp;", file);
                continue;
            }
            fputs(*c == '|' ? "\\" : "", file);
            fputc(*c == '\n' ? ' ' : *c, file);
        }
        if (column == sheet->columns - 1) {
            fputs(" |\n", file);
            for (int j = 0; k < sheet->columns && j < sheet->columns; j++) {
                fputs(j < sheet->columns - 1 ? "|---" : "|---|\n", file);
            }
        }
    }
}

static void writeCsv(FILE* file, const Sheet* sheet)
{
    for (int k = 0; k < sheet->count; k++) {
        bool quoted = strpbrk(sheet->cells[k], ",\"\n") != NULL;
        fputs(quoted ? "\"" : "", file);
        for (const char* c = sheet->cells[k]; *c != 0; c++) {
            fputs(*c == '"' ? "\"" : "", file);
            fputc(*c, file);
        }
        fputs(quoted ? "\"" : "", file);
        fputc((k + 1) % sheet->columns == 0 ? '\n' : ',', file);
    }
}

void closeSheet(Page* page, Sheet* sheet, const char* name, const char* caption)
{
    static const struct {
        const char* ending;
        void (*write)(FILE* file, const Sheet* sheet);
    } formats[] = {{"md", writeMarkdown}, {"csv", writeCsv}};
    for (int k = 0; k < 2 && !page->failed; k++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/tables/%s.%s", page->out, name, formats[k].ending);
        FILE* file = fopen(path, "w");
        if (file == NULL) {
            failPage(page, "%s: cannot be written", path);
            break;
        }
        formats[k].write(file, sheet);
        bool bad = ferror(file) != 0;
        if (fclose(file) != 0 || bad) {
            failPage(page, "%s: cannot be written", path);
        }
    }
    writeSheetHtml(page->body, sheet, name, caption);
    freeSheet(sheet);
}

static ValueText showDigits(double value, int digits)
{
    ValueText shown;
    double size = fabs(value);
    if (isnan(value)) {
        strcpy(shown.text, "-");
    } else if (value == 0) {
        strcpy(shown.text, "0");
    } else if (size >= 0.01 && size < 99999.5) {
        int decimals = digits - 1 - (int)floor(log10(size));
        snprintf(shown.text, sizeof shown.text, "%.*f", decimals > 0 ? decimals : 0, value);
    } else {
        snprintf(shown.text, sizeof shown.text, "%.*e", digits - 1, value);
        char* exponent = strchr(shown.text, 'e'); // 1.63e-03 -> 1.63e-3
        if (exponent != NULL && exponent[2] == '0') {
            memmove(exponent + 2, exponent + 3, strlen(exponent + 3) + 1);
        }
        if (exponent != NULL && exponent[1] == '+') {
            memmove(exponent + 1, exponent + 2, strlen(exponent + 2) + 1);
        }
    }
    return shown;
}

ValueText showValue(double value)
{
    return showDigits(value, 3);
}

SpreadText showSpread(const Spread* spread)
{
    SpreadText shown;
    size_t room = sizeof shown.text;
    int runs = spread->measured + spread->failed;
    if (spread->measured == 0) {
        if (spread->failed > 0 && isfinite(spread->failedAt)) {
            snprintf(shown.text, room, "diverged at %.2f s", spread->failedAt);
        } else {
            snprintf(shown.text, room, "%s",
                     spread->failed > 0        ? "failed"
                     : spread->unsupported > 0 ? "not supported"
                                               : "-");
        }
        return shown;
    }
    int length;
    if (spread->most - spread->least <= 5e-3 * fabs(spread->mean)) {
        length = snprintf(shown.text, room, "%s", showValue(spread->mean).text);
    } else {
        length = snprintf(shown.text, room, "%s (%s to %s)", showValue(spread->mean).text,
                          showDigits(spread->least, 2).text, showDigits(spread->most, 2).text);
    }
    if (spread->failed > 0) {
        snprintf(shown.text + length, room - (size_t)length, "; %d of %d diverged", spread->failed, runs);
    }
    return shown;
}

bool isReproduced(double here, double printed)
{
    return fabs(here) <= 2 * fabs(printed) && fabs(printed) <= 2 * fabs(here);
}
