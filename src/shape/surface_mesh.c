#include "shape/surface_kinds.h"
int pbdrProbeMesh(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                  pbdrSurfaceHit hits[2])
{
    (void)surface;
    (void)probe;
    (void)features;
    (void)hits;
    return 0;
}
void pbdrFreeSurfaceMesh(pbdrSurface* surface)
{
    (void)surface;
}
size_t pbdrGetSurfaceMeshBytes(const pbdrSurface* surface)
{
    (void)surface;
    return 0;
}
void pbdrVisitSurfaceMesh(const pbdrSurface* surface, pbdrVisitBytes* visit, void* context)
{
    (void)surface;
    (void)visit;
    (void)context;
}
