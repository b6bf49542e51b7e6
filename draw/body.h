// A body in space and how it is seen: shaded triangles and spheres.
#ifndef PBDR_DRAW_BODY_H
#define PBDR_DRAW_BODY_H

#include "svg.h"

typedef struct Vec {
    double x, y, z;
} Vec;

typedef struct Ball {
    Vec centre;
    double radius;
    Vec out; // away from its neighbours; zero inside
} Ball;

// All-zero is empty. About the centre of mass [m].
typedef struct Shape {
    int vertexCount, triangleCount, ballCount;
    Vec* vertices;
    int (*triangles)[3]; // counter-clockwise seen from outside
    Ball* balls;
} Shape;

void freeShape(Shape* shape);
// Fills the balls' out.
void findOutside(Shape* shape);

// x along the push, z up, body axes to the scene's.
typedef struct Placement {
    Vec position;
    double q[4]; // w x y z, unit
} Placement;
Vec place(const Placement* placement, Vec point);
// Between the body's up axis and the vertical [deg].
double getTilt(const Placement* placement);

// Parallel projection: from the side (azimuth and elevation 0: x to the right, z up) turned and lifted [rad].
typedef struct Camera {
    double azimuth, elevation;
    Vec target;   // seen at centre
    Point centre; // [px]
    double scale; // [px/m]
} Camera;
Point see(const Camera* camera, Vec point);
// Towards the viewer [px].
double getDepth(const Camera* camera, Vec point);
// A colour (#rrggbb) in a light of 0 to 1.
void shadeColour(const char* colour, double light, char text[8]);

// colour, rim (of the outline; NULL for none): #rrggbb. The shadow is that of a light straight above, on the
// ground z = 0.
void drawShadow(Svg* svg, const Shape* shape, const Placement* placement, const Camera* camera);
void drawMesh(Svg* svg, const Shape* shape, const Placement* placement, const Camera* camera,
              const char* colour, const char* rim);
// id: of the gradients that drawBallGradients has written.
void drawBallGradients(Svg* svg, const char* id, const char* colour);
void drawBalls(Svg* svg, const Shape* shape, const Placement* placement, const Camera* camera,
               const char* id);
// The same for spheres that overlap, of which the parts outside all others are seen; in a square of the
// picture.
void drawUnion(Svg* svg, const Shape* shape, const Camera* camera, Point topLeft, double size,
               const char* colour);
// Tiles of the ground, lying where they are in the scene, as far as they are seen in a window of the picture.
void drawTiles(Svg* svg, const Camera* camera, double tile, Point topLeft, Point bottomRight);

#endif
