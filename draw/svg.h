// Pictures that gnuplot is no tool for, as SVG of our own: lines, areas, arrows, dimensions, labels with
// variables in italics. Coordinates: pixels of the picture, y down.
#ifndef PBDR_DRAW_SVG_H
#define PBDR_DRAW_SVG_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Point {
    double x, y;
} Point;

typedef struct Svg {
    FILE* file;
    bool failed; // no memory for something: it lacks in the picture
} Svg;

// One set of colours (Okabe and Ito's) and of line widths for all drawings.
#define SVG_INK "#222222"
#define SVG_DRIVE "#d55e00"   // what is applied: force, torque
#define SVG_MOTION "#0072b2"  // what moves, and how
#define SVG_MEASURE "#5a6068" // dimensions, gravity, construction lines
#define SVG_BODY "#cfe0ee"
#define SVG_GROUND "#e9ebee"
#define SVG_OUTLINE "stroke=\"" SVG_INK "\" stroke-width=\"1.6\" stroke-linejoin=\"round\""
#define SVG_THIN "stroke=\"" SVG_MEASURE "\" stroke-width=\"1\""
#define SVG_DASHED SVG_THIN " stroke-dasharray=\"5 3\""

// The picture's first and last lines, in a file that the caller opens and closes.
void beginSvg(Svg* svg, FILE* file, double width, double height);
void endSvg(Svg* svg);
// Text in which <, >, & and " are escaped.
void writeEscaped(FILE* file, const char* text);

// look: SVG attributes.
void drawLine(Svg* svg, Point from, Point to, const char* look);
void drawCurve(Svg* svg, const Point* points, int count, const char* look);
void drawArea(Svg* svg, const Point* points, int count, const char* look);
void drawCircle(Svg* svg, Point centre, double radius, const char* look);
// A line with a head at its end; the curve's head follows its last piece.
void drawArrow(Svg* svg, Point from, Point to, const char* colour, double width);
void drawCurvedArrow(Svg* svg, const Point* points, int count, const char* colour, double width);
// A dimension line with a tick at either end.
void drawDimension(Svg* svg, Point from, Point to);

typedef enum Anchor { anchorStart, anchorMiddle, anchorEnd } Anchor;
// *x* is a variable, _x_ an index.
void drawLabel(Svg* svg, Point at, Anchor anchor, const char* colour, const char* format, ...)
    __attribute__((format(printf, 5, 6)));
void drawTitle(Svg* svg, Point at, const char* text);

#endif
