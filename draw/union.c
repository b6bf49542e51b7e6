// Spheres that overlap, as they are seen: which sphere is in front is found per cell of a grid, and each
// sphere's cells become an area with an outline, shaded as that sphere. A disc per sphere, drawn from far to
// near, would show spheres whole of which only a cap sticks out of another.
#include "body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 900 };

typedef struct Raster {
    int* owner;             // sphere per cell, -1: none; a rim of empty cells about it
    double* depth;          // per cell; larger is nearer
    unsigned char* visited; // sides of cells, as bits
    Point corner;           // of cell 0, 0 in the picture [px]
    double cell;            // [px]
} Raster;

static void fillDisc(Raster* raster, int index, Point centre, double z, double radius)
{
    double x = (centre.x - raster->corner.x) / raster->cell, y = (centre.y - raster->corner.y) / raster->cell;
    double r = radius / raster->cell;
    for (int j = (int)fmax(1, ceil(y - r - 0.5)); j <= (int)fmin(CELLS - 2, y + r - 0.5); j++) {
        for (int i = (int)fmax(1, ceil(x - r - 0.5)); i <= (int)fmin(CELLS - 2, x + r - 0.5); i++) {
            double dx = i + 0.5 - x, dy = j + 0.5 - y, square = r * r - dx * dx - dy * dy;
            double depth = square > 0 ? z + raster->cell * sqrt(square) : -HUGE_VAL;
            if (depth > raster->depth[j * CELLS + i]) {
                raster->depth[j * CELLS + i] = depth;
                raster->owner[j * CELLS + i] = index;
            }
        }
    }
}

static bool isSame(const Raster* raster, int cell, int owner, bool any)
{
    return any ? raster->owner[cell] >= 0 : raster->owner[cell] == owner;
}

// Walks once around an area, which lies to the right, from a side of a cell; sides: top, right, bottom, left.
// The outline goes through the sides' middles, which rounds its steps. Half cells.
static void traceOutline(Svg* svg, Raster* raster, int cell, int side, bool any)
{
    static const int dx[] = {1, 0, -1, 0}, dy[] = {0, 1, 0, -1};
    int owner = raster->owner[cell], bit = any ? 4 : 0;
    int startX = 2 * (cell % CELLS) + 1, startY = 2 * (cell / CELLS) + 1;
    int x = startX + dy[side], y = startY - dx[side], runX = 0, runY = 0;
    fprintf(svg->file, "M%d %d", x, y);
    while ((raster->visited[cell] >> (bit + side) & 1) == 0) {
        raster->visited[cell] |= (unsigned char)(1 << (bit + side));
        int forward = cell + dx[side] + CELLS * dy[side];
        int beyond = forward + dy[side] - CELLS * dx[side];
        if (!isSame(raster, forward, owner, any)) {
            side = (side + 1) % 4;
        } else if (isSame(raster, beyond, owner, any)) {
            cell = beyond;
            side = (side + 3) % 4;
        } else {
            cell = forward;
        }
        int nextX = 2 * (cell % CELLS) + 1 + dy[side], nextY = 2 * (cell / CELLS) + 1 - dx[side];
        // Steps that go on in the same direction are one.
        if (runX * (nextY - y) != runY * (nextX - x)) {
            fprintf(svg->file, "l%d %d", runX, runY);
            runX = runY = 0;
        }
        runX += nextX - x, runY += nextY - y;
        x = nextX, y = nextY;
    }
    fputs("z", svg->file);
}

// All outlines of the cells of one sphere, or of all spheres together; `cells` are those that may have one.
static void traceCells(Svg* svg, Raster* raster, const int* cells, int count, bool any)
{
    static const int outward[] = {-CELLS, 1, CELLS, -1};
    for (int k = 0; k < count; k++) {
        for (int side = 0; side < 4; side++) {
            int cell = cells[k], owner = raster->owner[cell];
            bool edge = !isSame(raster, cell + outward[side], owner, any);
            if (edge && (raster->visited[cell] >> ((any ? 4 : 0) + side) & 1) == 0) {
                traceOutline(svg, raster, cell, side, any);
            }
        }
    }
}

// Cells sorted by owner: those of sphere k from firsts[k] to firsts[k + 1].
static void sortCells(const Raster* raster, int ballCount, int* firsts, int* cells)
{
    for (int k = 0; k < CELLS * CELLS; k++) {
        firsts[raster->owner[k] + 1] += raster->owner[k] >= 0;
    }
    for (int k = 0; k < ballCount; k++) {
        firsts[k + 1] += firsts[k];
    }
    for (int k = CELLS * CELLS - 1; k >= 0; k--) {
        if (raster->owner[k] >= 0) {
            cells[--firsts[raster->owner[k] + 1]] = k;
        }
    }
    // Each was counted down to where it begins: one place to the left.
    int total = 0;
    for (int k = 0; k < CELLS * CELLS; k++) {
        total += raster->owner[k] >= 0;
    }
    memmove(firsts, firsts + 1, (size_t)ballCount * sizeof *firsts);
    firsts[ballCount] = total;
}

// Lambert's shading by a radial gradient about the point of the sphere that faces the light.
static void writeGradients(Svg* svg, const char* colour)
{
    fputs("<defs><radialGradient id=\"union\">", svg->file);
    for (int k = 0; k <= 4; k++) {
        char text[8];
        double distance = 1.75 * k / 4; // on the disc, in radii, from that point
        shadeColour(colour, 0.25 + 0.75 * fmax(0, 1 - 0.42 * distance * distance), text);
        fprintf(svg->file, "<stop offset=\"%g\" stop-color=\"%s\"/>", k / 4.0, text);
    }
    fputs("</radialGradient></defs>\n", svg->file);
}

static void writeBall(Svg* svg, Raster* raster, const Camera* camera, const Ball* ball, int index,
                      const int* cells, int count)
{
    double half = 2 / raster->cell; // half cells per pixel
    Point c = see(camera, ball->centre);
    double r = half * camera->scale * ball->radius;
    double x = half * (c.x - raster->corner.x), y = half * (c.y - raster->corner.y);
    fprintf(
        svg->file,
        "<radialGradient id=\"u%d\" href=\"#union\" xlink:href=\"#union\" gradientUnits=\"userSpaceOnUse\" "
        "cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/><path fill=\"url(#u%d)\" d=\"",
        index, x - 0.37 * r, y - 0.74 * r, 1.75 * r, index);
    traceCells(svg, raster, cells, count, false);
    fputs("\"/>\n", svg->file);
}

static void drawRaster(Svg* svg, Raster* raster, const Shape* shape, const Camera* camera, const char* colour,
                       int* firsts, int* cells)
{
    char dark[8];
    sortCells(raster, shape->ballCount, firsts, cells);
    writeGradients(svg, colour);
    fprintf(
        svg->file,
        "<g xmlns:xlink=\"http://www.w3.org/1999/xlink\" transform=\"translate(%.3f %.3f) scale(%.5f)\">\n",
        raster->corner.x, raster->corner.y, 0.5 * raster->cell);
    shadeColour(colour, 0.2, dark); // shows where outlines meet
    fprintf(svg->file, "<path fill=\"%s\" d=\"", dark);
    traceCells(svg, raster, cells, firsts[shape->ballCount], true);
    fputs("\"/>\n", svg->file);
    for (int k = 0; k < shape->ballCount; k++) {
        if (firsts[k + 1] > firsts[k]) {
            writeBall(svg, raster, camera, &shape->balls[k], k, cells + firsts[k], firsts[k + 1] - firsts[k]);
        }
    }
    fputs("</g>\n", svg->file);
}

void drawUnion(Svg* svg, const Shape* shape, const Camera* camera, Point topLeft, double size,
               const char* colour)
{
    Raster raster = {.corner = topLeft, .cell = size / CELLS};
    size_t n = (size_t)CELLS * CELLS;
    raster.owner = malloc(n * sizeof *raster.owner);
    raster.depth = malloc(n * sizeof *raster.depth);
    raster.visited = calloc(n, 1);
    int* cells = malloc(n * sizeof *cells);
    int* firsts = calloc((size_t)shape->ballCount + 2, sizeof *firsts);
    if (raster.owner != NULL && raster.depth != NULL && raster.visited != NULL && cells != NULL &&
        firsts != NULL) {
        for (size_t k = 0; k < n; k++) {
            raster.owner[k] = -1;
            raster.depth[k] = -HUGE_VAL;
        }
        for (int k = 0; k < shape->ballCount; k++) {
            const Ball* ball = &shape->balls[k];
            fillDisc(&raster, k, see(camera, ball->centre), getDepth(camera, ball->centre),
                     camera->scale * ball->radius);
        }
        drawRaster(svg, &raster, shape, camera, colour, firsts, cells);
    } else {
        svg->failed = true;
    }
    free(raster.owner);
    free(raster.depth);
    free(raster.visited);
    free(cells);
    free(firsts);
}
