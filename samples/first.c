// A cube of spheres pushed over a floor for a second.
#include <pbdr/pbdr.h>
#include <stdio.h>

int main(void)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef(); // XPBD-R, double, 1 ms, g = 9.81 downwards
    pbdrWorld* world = NULL;
    pbdrError error;
    if (pbdrCreateWorld(&worldDef, &world, &error) != pbdr_statusOk) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }

    pbdrPlaneDef floorDef = pbdrDefaultPlaneDef(); // z = 0, friction 0.4
    pbdrCreatePlane(world, &floorDef, NULL, NULL);

    pbdrShape* cube; // 0.2 m, 4 kg, 4 x 4 x 4 spheres; any number of bodies may share it
    pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 4, &cube, NULL);
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = (pbdrVec3){0.0, 0.0, 0.1};
    pbdrBodyId body;
    pbdrCreateBodyFromShape(world, &def, cube, &body, NULL);
    pbdrReleaseShape(cube);

    pbdrBody_SetForce(world, body, (pbdrVec3){17.0, 0.0, 0.0});
    pbdrWorld_Step(world, 1000);                                // one second; returns flags
    printf("%g m\n", pbdrBody_GetPose(world, body).position.x); // 0.163 m = (F/m - mu g) t^2 / 2
    pbdrDestroyWorld(world);
    return 0;
}
