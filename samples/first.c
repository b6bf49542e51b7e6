// A cube is pushed over a floor for a second. hello.c does the same with every status checked.
#include <pbdr/pbdr.h>
#include <stdio.h>

int main(void)
{
    pbdrWorldDef worldDef = pbdrDefaultWorldDef(); // XPBD-R, 1 ms, g = 9.81 m/s^2 downwards
    pbdrWorld* world;
    pbdrCreateWorld(&worldDef, &world, NULL);
    pbdrPlaneDef floorDef = pbdrDefaultPlaneDef(); // z = 0, friction 0.4
    pbdrCreatePlane(world, &floorDef, NULL, NULL);
    pbdrShape* cube;
    pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 0, &cube, NULL); // 0.2 m, 4 kg
    pbdrBodyDef def = pbdrDefaultBodyDef();
    def.position = (pbdrVec3){0.0, 0.0, 0.1};
    pbdrBodyId body;
    pbdrCreateBodyFromShape(world, &def, cube, &body, NULL);
    pbdrReleaseShape(cube);
    pbdrBody_SetForce(world, body, (pbdrVec3){17.0, 0.0, 0.0});
    pbdrWorld_Step(world, 1000);                                // one second
    printf("%g m\n", pbdrBody_GetPose(world, body).position.x); // 0.163 m = (F/m - mu g) t^2 / 2
    pbdrDestroyWorld(world);
    return 0;
}
