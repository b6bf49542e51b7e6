// Bodies as they are seen. Triangles by the painter's algorithm with Lambert's shading; spheres likewise,
// leaving out those that others hide: of a packing's 2000 spheres a tenth to a third is seen.
#include "body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void freeShape(Shape* shape)
{
    free(shape->vertices);
    free(shape->triangles);
    free(shape->balls);
    memset(shape, 0, sizeof *shape);
}

// The surface's direction at each sphere, so that a packing is shaded as the body that it fills: away from
// the middle of its neighbours. A packing of more spheres than this is drawn without, for time's sake.
void findOutside(Shape* shape)
{
    enum { MOST = 20000 };
    for (int i = 0; i < shape->ballCount && shape->ballCount <= MOST; i++) {
        Ball* a = &shape->balls[i];
        double reach = 6.5 * a->radius; // three layers
        for (int j = 0; j < shape->ballCount; j++) {
            const Vec* b = &shape->balls[j].centre;
            Vec d = {a->centre.x - b->x, a->centre.y - b->y, a->centre.z - b->z};
            if (d.x * d.x + d.y * d.y + d.z * d.z < reach * reach) {
                a->out = (Vec){a->out.x + d.x, a->out.y + d.y, a->out.z + d.z};
            }
        }
    }
}

// --- Space ---

Vec place(const Placement* placement, Vec v)
{
    const double *q = placement->q, w = q[0], x = q[1], y = q[2], z = q[3];
    Vec p = placement->position;
    return (Vec){
        p.x + (1 - 2 * (y * y + z * z)) * v.x + 2 * (x * y - w * z) * v.y + 2 * (x * z + w * y) * v.z,
        p.y + 2 * (x * y + w * z) * v.x + (1 - 2 * (x * x + z * z)) * v.y + 2 * (y * z - w * x) * v.z,
        p.z + 2 * (x * z - w * y) * v.x + 2 * (y * z + w * x) * v.y + (1 - 2 * (x * x + y * y)) * v.z};
}

double getTilt(const Placement* placement)
{
    Placement turn = *placement;
    turn.position = (Vec){0, 0, 0};
    Vec up = place(&turn, (Vec){0, 0, 1});
    return atan2(hypot(up.x, up.y), up.z) * 180 / acos(-1.0);
}

// To the right, up and towards the viewer.
static Vec turnToView(const Camera* camera, Vec v)
{
    double ca = cos(camera->azimuth), sa = sin(camera->azimuth);
    double ce = cos(camera->elevation), se = sin(camera->elevation);
    return (Vec){ca * v.x + sa * v.y, -sa * se * v.x + ca * se * v.y + ce * v.z,
                 sa * ce * v.x - ca * ce * v.y + se * v.z};
}

// In pixels, y down; z towards the viewer.
static Vec project(const Camera* camera, Vec v)
{
    Vec t = camera->target, r = turnToView(camera, (Vec){v.x - t.x, v.y - t.y, v.z - t.z});
    return (Vec){camera->centre.x + camera->scale * r.x, camera->centre.y - camera->scale * r.y,
                 camera->scale * r.z};
}

Point see(const Camera* camera, Vec point)
{
    Vec v = project(camera, point);
    return (Point){v.x, v.y};
}

double getDepth(const Camera* camera, Vec point)
{
    return project(camera, point).z;
}

// --- Triangles ---

typedef struct Face {
    Vec corners[3]; // projected
    double depth;   // of the middle; nearer is larger
    double light;   // 0 to 1
} Face;

static int compareFaces(const void* a, const void* b)
{
    double x = ((const Face*)a)->depth, y = ((const Face*)b)->depth;
    return (x > y) - (x < y);
}

// The light comes over the viewer's left shoulder.
static double getLight(Vec normal)
{
    static const Vec light = {-0.37, 0.74, 0.56};
    double length = sqrt(normal.x * normal.x + normal.y * normal.y + normal.z * normal.z);
    double lambert = length > 0 ? (normal.x * light.x + normal.y * light.y + normal.z * light.z) / length : 0;
    return 0.30 + 0.70 * fmax(lambert, 0);
}

// From a darkened colour in the shade to a pale one in full light, in steps, so that equal ones can share a
// path.
void shadeColour(const char* colour, double light, char text[8])
{
    unsigned rgb = (unsigned)strtoul(colour + 1, NULL, 16), out = 0;
    double step = nearbyint(24 * light) / 24;
    for (int shift = 0; shift <= 16; shift += 8) {
        double c = (double)((rgb >> shift) & 255), pale = 255 - 0.42 * (255 - c), dark = 0.46 * c;
        out |= (unsigned)nearbyint(dark + (pale - dark) * step) << shift;
    }
    snprintf(text, 8, "#%06x", out & 0xffffffu);
}

static int collectFaces(const Shape* shape, const Placement* placement, const Camera* camera, Face* faces)
{
    int count = 0;
    for (int k = 0; k < shape->triangleCount; k++) {
        Face* face = &faces[count];
        face->depth = 0;
        for (int j = 0; j < 3; j++) {
            face->corners[j] = project(camera, place(placement, shape->vertices[shape->triangles[k][j]]));
            face->depth += face->corners[j].z / 3;
        }
        const Vec *a = &face->corners[0], *b = &face->corners[1], *c = &face->corners[2];
        // y up, as the light has it
        Vec u = {b->x - a->x, a->y - b->y, b->z - a->z}, v = {c->x - a->x, a->y - c->y, c->z - a->z};
        Vec normal = {u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
        if (normal.z > 0) {
            face->light = getLight(normal);
            count++;
        }
    }
    qsort(faces, (size_t)count, sizeof *faces, compareFaces);
    return count;
}

static Face* makeFaces(Svg* svg, const Shape* shape)
{
    Face* faces = calloc((size_t)shape->triangleCount + 1, sizeof *faces);
    if (faces == NULL) {
        svg->failed = true;
    }
    return faces;
}

static void writeFace(FILE* file, const Face* face)
{
    const Vec* c = face->corners;
    fprintf(file, "M%.1f %.1fL%.1f %.1fL%.1f %.1fZ", c[0].x, c[0].y, c[1].x, c[1].y, c[2].x, c[2].y);
}

void drawMesh(Svg* svg, const Shape* shape, const Placement* placement, const Camera* camera,
              const char* colour, const char* rim)
{
    Face* faces = makeFaces(svg, shape);
    if (faces == NULL) {
        return;
    }
    int count = collectFaces(shape, placement, camera, faces);
    if (rim != NULL) { // of which the faces then hide the inner half
        fprintf(svg->file,
                "<path fill=\"%s\" stroke=\"%s\" stroke-width=\"3.2\" stroke-linejoin=\"round\" d=\"", rim,
                rim);
        for (int k = 0; k < count; k++) {
            writeFace(svg->file, &faces[k]);
        }
        fputs("\"/>\n", svg->file);
    }
    // The stroke closes the hairlines between neighbours.
    fputs("<g stroke-width=\"1\" stroke-linejoin=\"round\">\n", svg->file);
    char last[8] = "";
    for (int k = 0; k < count; k++) {
        char fill[8];
        shadeColour(colour, faces[k].light, fill);
        if (strcmp(fill, last) != 0) {
            fprintf(svg->file, "%s<path fill=\"%s\" stroke=\"%s\" d=\"", last[0] != 0 ? "\"/>\n" : "", fill,
                    fill);
            memcpy(last, fill, sizeof last);
        }
        writeFace(svg->file, &faces[k]);
    }
    fputs(last[0] != 0 ? "\"/>\n</g>\n" : "</g>\n", svg->file);
    free(faces);
}

void drawShadow(Svg* svg, const Shape* shape, const Placement* placement, const Camera* camera)
{
    fputs("<path fill=\"#000000\" fill-opacity=\"0.17\" d=\"", svg->file);
    for (int k = 0; k < shape->triangleCount; k++) {
        Vec v[3];
        for (int j = 0; j < 3; j++) {
            v[j] = place(placement, shape->vertices[shape->triangles[k][j]]);
            v[j].z = 0;
        }
        // Those that face the light turn one way round, so that their areas unite.
        if ((v[1].x - v[0].x) * (v[2].y - v[0].y) - (v[1].y - v[0].y) * (v[2].x - v[0].x) > 0) {
            Point a = see(camera, v[0]), b = see(camera, v[1]), c = see(camera, v[2]);
            fprintf(svg->file, "M%.0f %.0fL%.0f %.0fL%.0f %.0fZ", a.x, a.y, b.x, b.y, c.x, c.y);
        }
    }
    fputs("\"/>\n", svg->file);
}

// --- Spheres ---

enum { GRID = 320 }; // cells of a picture in which spheres hide each other

typedef struct Disc {
    Vec centre; // projected
    double radius;
    int shade;
    bool seen;
} Disc;

static int compareDiscs(const void* a, const void* b)
{
    double x = ((const Disc*)a)->centre.z, y = ((const Disc*)b)->centre.z;
    return (x > y) - (x < y);
}

// Marks those that are in front somewhere: discs from far to near into a grid of their numbers.
static void markSeen(Disc* discs, int count, int* grid)
{
    double left = HUGE_VAL, top = HUGE_VAL, right = -HUGE_VAL, bottom = -HUGE_VAL;
    for (int k = 0; k < count; k++) {
        const Disc* d = &discs[k];
        left = fmin(left, d->centre.x - d->radius), right = fmax(right, d->centre.x + d->radius);
        top = fmin(top, d->centre.y - d->radius), bottom = fmax(bottom, d->centre.y + d->radius);
    }
    double cell = fmax(fmax(right - left, bottom - top), 1e-9) / (GRID - 1);
    memset(grid, -1, sizeof *grid * GRID * GRID);
    for (int k = 0; k < count; k++) {
        double x = (discs[k].centre.x - left) / cell, y = (discs[k].centre.y - top) / cell;
        double r = discs[k].radius / cell;
        for (int j = (int)fmax(0, y - r); j <= (int)fmin(GRID - 1, y + r); j++) {
            for (int i = (int)fmax(0, x - r); i <= (int)fmin(GRID - 1, x + r); i++) {
                if (hypot(i - x, j - y) <= r) {
                    grid[j * GRID + i] = k;
                }
            }
        }
    }
    for (int k = 0; k < GRID * GRID; k++) {
        if (grid[k] >= 0) {
            discs[grid[k]].seen = true;
        }
    }
}

enum { BALL_SHADES = 6 };

void drawBallGradients(Svg* svg, const char* id, const char* colour)
{
    static const double rim[] = {1.15, 0.95, 0.55}, places[] = {0, 0.5, 1}; // of a single sphere
    for (int s = 0; s < BALL_SHADES; s++) {
        double light = 0.25 + 0.75 * s / (BALL_SHADES - 1);
        fprintf(svg->file, "<radialGradient id=\"%s_%d\" cx=\"0.36\" cy=\"0.3\" r=\"0.75\">", id, s);
        for (int k = 0; k < 3; k++) {
            char text[8];
            shadeColour(colour, fmin(light * rim[k], 1), text);
            fprintf(svg->file, "<stop offset=\"%g\" stop-color=\"%s\"/>", places[k], text);
        }
        fputs("</radialGradient>\n", svg->file);
    }
}

void drawBalls(Svg* svg, const Shape* shape, const Placement* placement, const Camera* camera, const char* id)
{
    Disc* discs = calloc((size_t)shape->ballCount + 1, sizeof *discs);
    int* grid = malloc(sizeof *grid * GRID * GRID);
    Placement turn = *placement;
    turn.position = (Vec){0, 0, 0};
    if (discs == NULL || grid == NULL) {
        svg->failed = true;
    } else {
        for (int k = 0; k < shape->ballCount; k++) {
            discs[k].centre = project(camera, place(placement, shape->balls[k].centre));
            discs[k].radius = camera->scale * shape->balls[k].radius;
            double light = getLight(turnToView(camera, place(&turn, shape->balls[k].out)));
            discs[k].shade = (int)fmin(BALL_SHADES - 1, floor(BALL_SHADES * (light - 0.3) / 0.7));
        }
        qsort(discs, (size_t)shape->ballCount, sizeof *discs, compareDiscs);
        markSeen(discs, shape->ballCount, grid);
        int last = -1;
        for (int k = 0; k < shape->ballCount; k++) {
            const Disc* d = &discs[k];
            if (d->seen && d->shade != last) {
                fprintf(svg->file, "%s<g fill=\"url(#%s_%d)\">", last >= 0 ? "</g>\n" : "", id, d->shade);
                last = d->shade;
            }
            if (d->seen) {
                fprintf(svg->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", d->centre.x, d->centre.y,
                        d->radius);
            }
        }
        fputs(last >= 0 ? "</g>\n" : "", svg->file);
    }
    free(discs);
    free(grid);
}

// --- Ground ---

// Whether a polygon's bounds meet the window.
static bool isInWindow(const Point* points, int count, Point topLeft, Point bottomRight)
{
    Point low = points[0], high = points[0];
    for (int k = 1; k < count; k++) {
        low = (Point){fmin(low.x, points[k].x), fmin(low.y, points[k].y)};
        high = (Point){fmax(high.x, points[k].x), fmax(high.y, points[k].y)};
    }
    return high.x > topLeft.x && low.x < bottomRight.x && high.y > topLeft.y && low.y < bottomRight.y;
}

void drawTiles(Svg* svg, const Camera* camera, double tile, Point topLeft, Point bottomRight)
{
    enum { REACH = 24 }; // tiles about the target that are looked at
    long long middleX = llround(camera->target.x / tile), middleY = llround(camera->target.y / tile);
    fputs("<path fill=\"#dde1e6\" d=\"", svg->file);
    for (long long i = middleX - REACH; i < middleX + REACH; i++) {
        for (long long j = middleY - REACH; j < middleY + REACH; j++) {
            double x = (double)i * tile, y = (double)j * tile;
            const Point p[] = {see(camera, (Vec){x, y, 0}), see(camera, (Vec){x + tile, y, 0}),
                               see(camera, (Vec){x + tile, y + tile, 0}), see(camera, (Vec){x, y + tile, 0})};
            if (((i + j) & 1) == 0 && isInWindow(p, 4, topLeft, bottomRight)) {
                fprintf(svg->file, "M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fZ", p[0].x, p[0].y, p[1].x,
                        p[1].y, p[2].x, p[2].y, p[3].x, p[3].y);
            }
        }
    }
    fputs("\"/>\n", svg->file);
}
