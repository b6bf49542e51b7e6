// The generalised winding number of a surface about a point p: the solid angles of its triangles, seen from
// p, over 4 pi. With a, b, c from p to the corners (Van Oosterom and Strackee 1983)
//
//   tan(angle / 2) = det / den
//   det = a . (b x c),   den = |a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|
//
// and so w = sum atan2(det, den) / 2 pi (Jacobson et al. 2013). The arctangents add up by multiplying the
// complex numbers den + i det and counting how often the product goes round: one atan2 per point in place of
// one per triangle.
#include "geometry/winding.h"

#include "base.h"
#include "math/vec.h"

double pbdrMesh_GetWindingNumber(const pbdrMesh* mesh, pbdrVec3 point)
{
    if (!PBDR_ASSERT(NULL, mesh != NULL)) {
        return 0.0;
    }
    pbdrAngle angle = {1.0, 0.0, 0.0};
    for (int t = 0; t < mesh->triangleCount; t++) {
        const int32_t* triangle = mesh->triangles[t];
        pbdrVec3 a = pbdrSub(mesh->vertices[triangle[0]], point);
        pbdrVec3 b = pbdrSub(mesh->vertices[triangle[1]], point);
        pbdrVec3 c = pbdrSub(mesh->vertices[triangle[2]], point);
        pbdrAddTriangle(&angle, a, b, c);
    }
    return pbdrGetTurns(&angle);
}
