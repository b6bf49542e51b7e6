// The report under construction: sections of one HTML page, figures through gnuplot, tables in three formats.
#ifndef PBDR_REPORT_PAGE_H
#define PBDR_REPORT_PAGE_H

#include "runs.h"
#include "svg.h"

#include <stdbool.h>
#include <stdio.h>

// A table: cells are added row by row.
typedef struct Sheet {
    int columns;
    char** cells; // the first row is the heading
    int count, room;
} Sheet;

typedef struct Page {
    const char* results; // folder of the study's CSV files
    const char* out;     // folder of the report
    FILE* body;          // the sections' HTML, in memory
    Sheet summary;       // claim, the paper's value, ours
    int partCount, missingCount;
    bool failed; // the reason stands in message
    char message[2048];
} Page;

// The first failure is kept.
void failPage(Page* page, const char* format, ...) __attribute__((format(printf, 2, 3)));

// A section of the page. title, paper (what it remakes): HTML of our own; command: what makes its results.
void beginPart(Page* page, const char* id, const char* title, const char* paper);
void endPart(Page* page, const char* command);
// HTML of our own, into which %s puts text, escaped (other conversions: d, zu, e, f, g with digits); and text
// alone.
void addHtml(Page* page, const char* format, ...) __attribute__((format(printf, 2, 3)));
void addText(Page* page, const char* text);

// Reads a study's runs, or another CSV file of the results. If the file or a column is missing the page says
// so and how to make it; a damaged file fails the page. False in both cases. checkRecords looks for damage
// alone.
void checkRecords(Page* page, const char* name, const CsvColumn* columns, size_t columnCount,
                  size_t recordSize);
bool loadRuns(Page* page, Runs* runs, const char* name, const char* command);
bool loadRecords(Page* page, CsvRecords* file, const char* name, const CsvColumn* columns, size_t columnCount,
                 size_t recordSize, const char* command);

// A figure: its script and data are opened to be filled, then gnuplot is run.
typedef struct Figure {
    Page* page;
    const char* name;
    FILE *script, *data; // figures/NAME.gp and NAME.dat; NULL once the page has failed
    int block;           // the data's next index
    double fontSize;     // [px]: in proportion to the width, so that text is legible where the page is narrow
} Figure;

bool openFigure(Figure* figure, Page* page, const char* name, int width, int height);
// The first line of a block: what its legend says. Data, which gnuplot does not interpret; the script takes
// it by BLOCK_TITLE, so that nothing from a file ever stands in a script.
#define BLOCK_TITLE "title columnheader(1)"
void nameBlock(Figure* figure, const char* label);
// Ends a block of data. Returns its index for the script.
int endBlock(Figure* figure);
// Runs gnuplot for SVG and PNG, and puts the SVG into the page. alt: what is seen, for those who do not see
// it.
void closeFigure(Figure* figure, const char* alt);
// A file as text, to be freed; NULL where it cannot be read.
char* readWhole(const char* path);
// Puts figures/NAME.svg into the page.
void inlineFigure(Page* page, const char* name, const char* alt);
// A picture of our own instead: figures/NAME.svg is opened to be drawn, then put into the page.
typedef struct Picture {
    Svg svg;
    Page* page;
    const char* name;
} Picture;
bool openPicture(Picture* picture, Page* page, const char* name, double width, double height);
void closePicture(Picture* picture, const char* alt);
// Around the figures that stand side by side where there is room. The caption is as addHtml's.
void beginFigures(Page* page, const char* layout);
void endFigures(Page* page, const char* number, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

void addCell(Page* page, Sheet* sheet, const char* format, ...) __attribute__((format(printf, 3, 4)));
// Writes tables/NAME.md and .csv, puts the table into the page and frees it. Cells are text; caption: HTML of
// our own.
void closeSheet(Page* page, Sheet* sheet, const char* name, const char* caption);
void freeSheet(Sheet* sheet);
void writeSheetHtml(FILE* file, const Sheet* sheet, const char* name, const char* caption);

// A number for people: three digits, such as 0.107 or 1.63e-3; "-" for NAN.
typedef struct ValueText {
    char text[40];
} ValueText;
ValueText showValue(double value);
// mean (least to most), or why there is none.
typedef struct SpreadText {
    char text[120];
} SpreadText;
SpreadText showSpread(const Spread* spread);
// Whether a value of ours is the paper's within a factor of two, as docs/paper.md has it.
bool isReproduced(double here, double printed);

#endif
