// A body's shape from a study's stills_shape.csv.
#ifndef PBDR_REPORT_SHAPE_H
#define PBDR_REPORT_SHAPE_H

#include "body.h"
#include "page.h"

// What is drawn as a shape of our own if the file is missing: a box from low to high.
bool makeBoxShape(Page* page, Shape* shape, Vec low, Vec high);
// Whether the results have a shape. If the file or a column is missing, message says so; a damaged file fails
// the page.
bool loadShape(Page* page, Shape* shape, char message[CSV_MESSAGE_SIZE]);

#endif
