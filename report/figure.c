// Figures through gnuplot: one script and one data file each, drawn as SVG and PNG; the SVG goes into the
// page.
#define _POSIX_C_SOURCE 200809L
#include "page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static FILE* openPart(Page* page, const char* name, const char* ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/figures/%s.%s", page->out, name, ending);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        failPage(page, "%s: %s", path, strerror(errno));
    }
    return file;
}

static void closePart(Figure* figure, FILE* file)
{
    if (file == NULL) {
        return;
    }
    bool bad = ferror(file) != 0;
    if (fclose(file) != 0 || bad) {
        failPage(figure->page, "%s/figures/%s: cannot be written", figure->page->out, figure->name);
    }
}

bool openFigure(Figure* figure, Page* page, const char* name, int width, int height)
{
    // A figure stands in half of the page, 560 pixels, or has its whole width if it is wider than that.
    bool whole = width > 1000;
    *figure =
        (Figure){.page = page, .name = name, .fontSize = width > 560 && !whole ? 15.0 * width / 560 : 15};
    if (page->failed) {
        return false;
    }
    figure->script = openPart(page, name, "gp");
    figure->data = openPart(page, name, "dat");
    if (page->failed) {
        closePart(figure, figure->script);
        closePart(figure, figure->data);
        figure->script = figure->data = NULL;
        return false;
    }
    fprintf(
        figure->script,
        "# gnuplot %s.gp, or for a picture in pixels: gnuplot -e 'format=\"png\"' %s.gp\n"
        "if (!exists(\"format\")) format = \"svg\"\n"
        "if (format eq \"png\") {\n"
        "    set terminal pngcairo size %d,%d font \"Helvetica,%.1f\" fontscale 1.5 linewidth 2 pointscale 2 "
        "background \"white\" enhanced\n"
        "} else {\n"
        "    set terminal svg size %d,%d dynamic font \"Helvetica,%.1f\" background \"white\" enhanced\n"
        "}\n"
        "set output \"%s.\" . format\n"
        "data = \"%s.dat\"\n"
        "set encoding utf8\n"
        "set border 3 lc rgb \"#333333\"\n"
        "set tics nomirror\n"
        "set key noenhanced\n"
        "set title noenhanced\n"
        "set grid ytics lc rgb \"#dddddd\" lw 1\n",
        name, name, 2 * width, 2 * height, figure->fontSize, width, height, figure->fontSize, name, name);
    return true;
}

void nameBlock(Figure* figure, const char* label)
{
    fputc('"', figure->data);
    for (; *label != 0; label++) {
        fputc(*label == '"' || (unsigned char)*label < ' ' ? '?' : *label, figure->data);
    }
    fputs("\"\n", figure->data);
}

int endBlock(Figure* figure)
{
    fputs("\n\n", figure->data);
    return figure->block++;
}

static bool runGnuplot(Figure* figure, const char* setting)
{
    Page* page = figure->page;
    char folder[4096], script[256];
    snprintf(folder, sizeof folder, "%s/figures", page->out);
    snprintf(script, sizeof script, "%s.gp", figure->name);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        // The script names its files without their folder, so that it runs again where it lies.
        if (chdir(folder) == 0) {
            execlp("gnuplot", "gnuplot", "-e", setting, script, (char*)NULL);
        }
        _exit(127);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        failPage(page, "gnuplot cannot be started: %s", strerror(errno));
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        failPage(page, "gnuplot is missing; on Debian: apt-get install gnuplot-nox");
    } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        failPage(page, "gnuplot failed on %s/%s", folder, script);
    }
    return !page->failed;
}

// Several SVGs share the page, so their ids get the figure's name; what precedes <svg is dropped.
static void inlineSvg(Figure* figure, char* text, const char* alt)
{
    FILE* body = figure->page->body;
    char* in = strstr(text, "<svg");
    char* open = in != NULL ? strchr(in, '>') : NULL;
    char* box = in != NULL ? strstr(in, "viewBox=\"") : NULL;
    char* boxEnd = box != NULL ? strchr(box + 9, '"') : NULL;
    if (open == NULL || boxEnd == NULL || boxEnd > open) {
        failPage(figure->page, "%s/figures/%s.svg: not as it should be", figure->page->out, figure->name);
        return;
    }
    fprintf(body, "<svg role=\"img\" %.*s\" aria-label=\"", (int)(boxEnd - box), box);
    writeEscaped(body, alt);
    fputs("\">\n", body);
    static const char* const marks[] = {"id=\"", "id='", "href=\"#", "href='#", "url(#"};
    in = open + 1;
    char* title = strstr(in, "<title>");
    char* titleEnd = title != NULL ? strstr(title, "</title>") : NULL;
    if (titleEnd != NULL && titleEnd - in < 200) {
        in = titleEnd + strlen("</title>");
    }
    while (*in != 0) {
        size_t length = 0;
        for (size_t k = 0; k < sizeof marks / sizeof marks[0] && length == 0; k++) {
            size_t size = strlen(marks[k]);
            length = strncmp(in, marks[k], size) == 0 ? size : 0;
        }
        if (length > 0) {
            fprintf(body, "%.*s%s_", (int)length, in, figure->name);
            in += length;
        } else {
            fputc(*in++, body);
        }
    }
}

char* readWhole(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char* text = size >= 0 ? malloc((size_t)size + 1) : NULL;
    if (text != NULL) {
        text[fread(text, 1, (size_t)size, file)] = 0;
    }
    fclose(file);
    return text;
}

void inlineFigure(Page* page, const char* name, const char* alt)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/figures/%s.svg", page->out, name);
    char* text = page->failed ? NULL : readWhole(path);
    if (text == NULL) {
        failPage(page, "%s: cannot be read", path);
        return;
    }
    Figure figure = {.page = page, .name = name};
    inlineSvg(&figure, text, alt);
    free(text);
}

void closeFigure(Figure* figure, const char* alt)
{
    closePart(figure, figure->script);
    closePart(figure, figure->data);
    figure->script = figure->data = NULL;
    Page* page = figure->page;
    if (page->failed || !runGnuplot(figure, "format=\"svg\"") || !runGnuplot(figure, "format=\"png\"")) {
        return;
    }
    inlineFigure(page, figure->name, alt);
}

bool openPicture(Picture* picture, Page* page, const char* name, double width, double height)
{
    *picture = (Picture){.page = page, .name = name};
    if (page->failed) {
        return false;
    }
    char path[4096];
    snprintf(path, sizeof path, "%s/figures/%s.svg", page->out, name);
    FILE* file = fopen(path, "w");
    if (file == NULL) {
        failPage(page, "%s: %s", path, strerror(errno));
        return false;
    }
    beginSvg(&picture->svg, file, width, height);
    return true;
}

void closePicture(Picture* picture, const char* alt)
{
    Svg* svg = &picture->svg;
    if (svg->file == NULL) {
        return;
    }
    endSvg(svg);
    bool bad = ferror(svg->file) != 0;
    if (fclose(svg->file) != 0 || bad) {
        failPage(picture->page, "%s/figures/%s.svg: cannot be written", picture->page->out, picture->name);
    } else if (svg->failed) {
        failPage(picture->page, "out of memory");
    }
    svg->file = NULL;
    inlineFigure(picture->page, picture->name, alt);
}
