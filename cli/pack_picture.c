// The picture of a packing: the mesh and its spheres side by side, seen from the same place.
#include "pack.h"

#include "body.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PANEL = 440, GAP = 20, HEAD = 34, FOOT = 62 };

static const Placement still = {{0, 0, 0}, {1, 0, 0, 0}};

static Vec toVec(pbdrVec3 v)
{
    return (Vec){v.x, v.y, v.z};
}

static bool makeShape(Shape* shape, const Pack* pack)
{
    const pbdrMesh* mesh = &pack->body.mesh;
    const pbdrSphereSet* set = &pack->body.spheres;
    *shape = (Shape){
        .vertexCount = mesh->vertexCount, .triangleCount = mesh->triangleCount, .ballCount = set->count};
    shape->vertices = calloc((size_t)mesh->vertexCount, sizeof *shape->vertices);
    shape->triangles = calloc((size_t)mesh->triangleCount, sizeof *shape->triangles);
    shape->balls = calloc((size_t)set->count, sizeof *shape->balls);
    if (shape->vertices == NULL || shape->triangles == NULL || shape->balls == NULL) {
        freeShape(shape);
        return false;
    }
    for (int i = 0; i < mesh->vertexCount; i++) {
        shape->vertices[i] = toVec(mesh->vertices[i]);
    }
    for (int i = 0; i < 3 * mesh->triangleCount; i++) {
        shape->triangles[i / 3][i % 3] = (int)mesh->triangles[i / 3][i % 3];
    }
    for (int i = 0; i < set->count; i++) {
        shape->balls[i] = (Ball){toVec(set->positions[i]), set->radii[i], {0, 0, 0}};
    }
    return true;
}

// So that the mesh and the spheres, which may stick out, fill the panel.
static void fitCamera(Camera* camera, const Shape* shape)
{
    Point low = {HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL};
    camera->scale = 1.0;
    for (int i = 0; i < shape->vertexCount + shape->ballCount; i++) {
        const Ball* ball = i < shape->vertexCount ? NULL : &shape->balls[i - shape->vertexCount];
        Point p = see(camera, ball != NULL ? ball->centre : shape->vertices[i]);
        double r = ball != NULL ? ball->radius : 0.0;
        low = (Point){fmin(low.x, p.x - r), fmin(low.y, p.y - r)};
        high = (Point){fmax(high.x, p.x + r), fmax(high.y, p.y + r)};
    }
    camera->scale = 0.94 * PANEL / fmax(high.x - low.x, high.y - low.y);
    camera->centre = (Point){0.5 * PANEL - 0.5 * camera->scale * (low.x + high.x),
                             HEAD + 0.5 * PANEL - 0.5 * camera->scale * (low.y + high.y)};
}

// A length of 1, 2 or 5 times a power of ten, about a quarter of a panel.
static void drawScaleBar(Svg* svg, double scale, Point at)
{
    double length = pow(10.0, floor(log10(0.3 * PANEL / scale)));
    for (int k = 0; k < 2 && length * scale < 0.15 * PANEL; k++) {
        length *= k == 0 ? 2.0 : 2.5;
    }
    drawDimension(svg, at, (Point){at.x + scale * length, at.y});
    const char* unit = length < 0.01 ? "mm" : length < 1.0 ? "cm" : "m";
    double shown = length < 0.01 ? 1e3 * length : length < 1.0 ? 1e2 * length : length;
    drawLabel(svg, (Point){at.x + scale * length + 10, at.y + 5}, anchorStart, SVG_MEASURE, "%g %s", shown,
              unit);
}

static void drawCaption(Svg* svg, const Pack* pack, Point at)
{
    const pbdrPackingQuality* q = &pack->body.quality;
    const char* name = strrchr(pack->meshPath, '/');
    name = name != NULL ? name + 1 : pack->meshPath;
    char title[128];
    snprintf(title, sizeof title, "%.100s", name);
    drawTitle(svg, (Point){8, 22}, title);
    snprintf(title, sizeof title, "%d spheres%s", pack->body.spheres.count,
             pack->spheresPath != NULL         ? ""
             : pack->packing == packingSurface ? ", surface packing"
                                               : ", grid packing");
    drawTitle(svg, (Point){PANEL + GAP + 8, 22}, title);
    drawLabel(svg, at, anchorStart, SVG_INK, "surface gap: mean %.3g mm, largest %.3g mm", 1e3 * q->meanGap,
              1e3 * q->largestGap);
    drawLabel(svg, (Point){at.x, at.y + 20}, anchorStart, SVG_INK, "%.0f %% of the volume inside spheres",
              100.0 * q->cover);
}

bool drawPackPicture(FILE* file, const Pack* pack)
{
    Shape shape;
    if (!makeShape(&shape, pack)) {
        return false;
    }
    pbdrVec3 lower, upper;
    pbdrMesh_GetBounds(&pack->body.mesh, &lower, &upper);
    Camera camera = {
        .azimuth = 0.6,
        .elevation = 0.35,
        .target = {0.5 * (lower.x + upper.x), 0.5 * (lower.y + upper.y), 0.5 * (lower.z + upper.z)}};
    Svg svg;
    beginSvg(&svg, file, 2 * PANEL + GAP, HEAD + PANEL + FOOT);
    fitCamera(&camera, &shape);
    // The rim takes every triangle once more: megabytes for a scan, whose outline is clear without.
    drawMesh(&svg, &shape, &still, &camera, "#c9c4b8", shape.triangleCount < 20000 ? SVG_INK : NULL);
    drawScaleBar(&svg, camera.scale, (Point){8, HEAD + PANEL + 22});
    camera.centre.x += PANEL + GAP;
    drawUnion(&svg, &shape, &camera, (Point){PANEL + GAP, HEAD}, PANEL, "#3b8fd0");
    drawCaption(&svg, pack, (Point){PANEL + GAP + 8, HEAD + PANEL + 27});
    endSvg(&svg);
    freeShape(&shape);
    return !svg.failed;
}
