#include "svg.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void beginSvg(Svg* svg, FILE* file, double width, double height)
{
    *svg = (Svg){.file = file};
    // Attributes instead of a style sheet: that would hold for the whole page once the picture is in it.
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\">\n"
            "<g id=\"all\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"15\" fill=\"none\">\n"
            "<rect width=\"%g\" height=\"%g\" fill=\"#ffffff\"/>\n",
            width, height, width, height, width, height);
}

void endSvg(Svg* svg)
{
    fputs("</g>\n</svg>\n", svg->file);
}

void writeEscaped(FILE* file, const char* text)
{
    for (; *text != 0; text++) {
        switch (*text) {
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '&':
            fputs("&amp;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        default:
            fputc(*text, file);
        }
    }
}

void drawLine(Svg* svg, Point from, Point to, const char* look)
{
    fprintf(svg->file, "<path d=\"M%.1f %.1fL%.1f %.1f\" %s/>\n", from.x, from.y, to.x, to.y, look);
}

static void writePoints(Svg* svg, const Point* points, int count, const char* end, const char* look)
{
    fputs("<path d=\"", svg->file);
    for (int k = 0; k < count; k++) {
        fprintf(svg->file, "%c%.1f %.1f", k == 0 ? 'M' : 'L', points[k].x, points[k].y);
    }
    fprintf(svg->file, "%s\" %s/>\n", end, look);
}

void drawCurve(Svg* svg, const Point* points, int count, const char* look)
{
    writePoints(svg, points, count, "", look);
}

void drawArea(Svg* svg, const Point* points, int count, const char* look)
{
    writePoints(svg, points, count, "Z", look);
}

void drawCircle(Svg* svg, Point centre, double radius, const char* look)
{
    fprintf(svg->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" %s/>\n", centre.x, centre.y, radius, look);
}

// Heads are areas, not markers: some readers of SVG leave markers out, and these follow the line's colour.
static void drawHead(Svg* svg, Point from, Point tip, const char* colour, double width, Point* neck)
{
    double length = 4.0 * width + 4.0, half = 0.38 * length;
    double dx = tip.x - from.x, dy = tip.y - from.y, distance = hypot(dx, dy);
    double ux = distance > 0 ? dx / distance : 1, uy = distance > 0 ? dy / distance : 0;
    Point base = {tip.x - length * ux, tip.y - length * uy};
    const Point head[] = {
        tip, {base.x - half * uy, base.y + half * ux}, {base.x + half * uy, base.y - half * ux}};
    char look[64];
    snprintf(look, sizeof look, "fill=\"%s\"", colour);
    drawArea(svg, head, 3, look);
    *neck = (Point){base.x + 0.3 * length * ux, base.y + 0.3 * length * uy};
}

void drawArrow(Svg* svg, Point from, Point to, const char* colour, double width)
{
    const Point points[] = {from, to};
    drawCurvedArrow(svg, points, 2, colour, width);
}

void drawCurvedArrow(Svg* svg, const Point* points, int count, const char* colour, double width)
{
    enum { MOST = 96 };
    Point line[MOST];
    if (count < 2 || count > MOST) {
        return;
    }
    memcpy(line, points, (size_t)count * sizeof *line);
    char look[96];
    snprintf(look, sizeof look, "stroke=\"%s\" stroke-width=\"%g\"", colour, width);
    drawHead(svg, points[count - 2], points[count - 1], colour, width, &line[count - 1]);
    drawCurve(svg, line, count, look);
}

void drawDimension(Svg* svg, Point from, Point to)
{
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    Point tick = {-5.0 * dy / length, 5.0 * dx / length};
    drawLine(svg, from, to, SVG_THIN);
    const Point ends[] = {from, to};
    for (int k = 0; k < 2; k++) {
        drawLine(svg, (Point){ends[k].x - tick.x, ends[k].y - tick.y},
                 (Point){ends[k].x + tick.x, ends[k].y + tick.y}, SVG_THIN);
    }
}

// Toggles at * and _; what stands between is drawn in italics, or small and low.
static void writeMarked(FILE* file, const char* text)
{
    static const char open[] = "<tspan font-family=\"'STIX Two Text', 'Times New Roman', Tinos, serif\" "
                               "font-style=\"italic\" font-size=\"1.1em\">";
    bool italic = false, low = false, lowered = false;
    for (; *text != 0; text++) {
        if (*text == '*') {
            fputs(italic ? "</tspan>" : open, file);
            italic = !italic;
        } else if (*text == '_') {
            fputs(low ? "</tspan>" : "<tspan dy=\"4\" font-size=\"0.75em\">", file);
            lowered = lowered || low;
            low = !low;
        } else if (*text == ' ') {
            fputc(' ', file);
        } else {
            // The next character after an index, not a space, which some leave out, takes the line up again.
            fputs(lowered ? "<tspan dy=\"-4\">" : "", file);
            const char one[2] = {*text, 0};
            if ((*text & 0x80) == 0) {
                writeEscaped(file, one);
            } else { // a character of several bytes stays whole
                do {
                    fputc(*text++, file);
                } while ((*text & 0xc0) == 0x80);
                text--;
            }
            fputs(lowered ? "</tspan>" : "", file);
            lowered = false;
        }
    }
}

void drawLabel(Svg* svg, Point at, Anchor anchor, const char* colour, const char* format, ...)
{
    static const char* const anchors[] = {"start", "middle", "end"};
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(svg->file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", at.x, at.y,
            anchors[anchor], colour);
    writeMarked(svg->file, text);
    fputs("</text>\n", svg->file);
}

void drawTitle(Svg* svg, Point at, const char* text)
{
    fprintf(svg->file, "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" font-weight=\"bold\">", at.x, at.y, SVG_INK);
    writeEscaped(svg->file, text);
    fputs("</text>\n", svg->file);
}
