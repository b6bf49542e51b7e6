// Mass properties of a solid whose centre is not the mean of its corners, at every size and place.
#include "meshes.h"

// A pyramid of base a x a and height h: V = a^2 h/3, centre h/4 above the base, Ixx = Iyy = m (a^2/20 + 3
// h^2/80) and Izz = m a^2/10 about it. Its corners' mean is at h/5.
static void pyramid__has_its_closed_form(void)
{
    const double sizes[4] = {1e-6, 0.03, 1.0, 2e3};
    for (int k = 0; k < 4; k++) {
        double s = sizes[k], a = 2.0 * s, h = 3.0 * s;
        const pbdrVec3 foot = {5.0 * s, -7.0 * s, 11.0 * s};
        const pbdrVec3 base[4] = {{-s, -s, 0.0}, {s, -s, 0.0}, {s, s, 0.0}, {-s, s, 0.0}};
        const pbdrVec3 apex = {0.0, 0.0, h};
        Soup soup = {0};
        for (int i = 0; i < 4; i++) {
            addTriangle(&soup, pbdrAdd(foot, base[i]), pbdrAdd(foot, base[(i + 1) % 4]), pbdrAdd(foot, apex));
        }
        addTriangle(&soup, pbdrAdd(foot, base[0]), pbdrAdd(foot, base[2]), pbdrAdd(foot, base[1]));
        addTriangle(&soup, pbdrAdd(foot, base[0]), pbdrAdd(foot, base[3]), pbdrAdd(foot, base[2]));
        pbdrMesh mesh = makeMesh(&soup);
        pbdrMassProperties p;
        pbdrError error;
        CHECK_EQ(pbdrMesh_GetMassProperties(&mesh, 2.0, &p, &error), pbdr_statusOk);
        CHECK_NEAR(p.volume / (a * a * h / 3.0), 1.0, 1e-13);
        CHECK_LE(pbdrLength(pbdrSub(p.centre, pbdrAdd(foot, pbdrVec(0.0, 0.0, 0.25 * h)))) / s, 1e-13);
        double across = 2.0 * (a * a / 20.0 + 3.0 * h * h / 80.0), along = 2.0 * a * a / 10.0;
        CHECK_NEAR(p.inertia.m[0][0] / across, 1.0, 1e-12);
        CHECK_NEAR(p.inertia.m[1][1] / across, 1.0, 1e-12);
        CHECK_NEAR(p.inertia.m[2][2] / along, 1.0, 1e-12);
        CHECK_NEAR(p.inertia.m[0][1] / along, 0.0, 1e-12);
        pbdrMesh_Free(&mesh);
    }
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"pyramid__has_its_closed_form", pyramid__has_its_closed_form});
}
