#include "shape/surface_kinds.h"
int pbdrProbeCylinder(const pbdrSurface* surface, const pbdrPlacedProbe* probe, int32_t features[2],
                      pbdrSurfaceHit hits[2])
{
    (void)surface;
    (void)probe;
    (void)features;
    (void)hits;
    return 0;
}
