// Sensors of MJCF models beside MuJoCo's own, where both simulate the same smooth motion: they differ by what the steps of
// the two do, of first order in MuJoCo's semi-implicit Euler, and by its soft contacts.
#define _POSIX_C_SOURCE 200809L
#include "pbdr/scenefile.h"

#include "written_files.h"

#include <math.h>
#ifdef PBDR_HAVE_MUJOCO
#include <mujoco/mujoco.h>
#endif

// An arm of two links that swings, with a finger on a slide that stands on the ground.
static const char model[] =
    "<mujoco><option timestep='0.0001' gravity='0.3 0.2 -9.81'/><worldbody><geom type='plane' size='1 1 1'/>"
    "<body name='arm' pos='0 0 2' euler='10 20 30'><joint name='a' axis='0 1 0' damping='0.1'/>"
    "<joint name='b' axis='1 0 0'/><geom type='box' size='0.2 0.02 0.03' pos='0.2 0 0' contype='0' "
    "conaffinity='0'/>"
    "<site name='s' pos='0.1 0.02 0.03' euler='40 50 60'/>"
    "<body name='hand' pos='0.4 0 0'><joint name='c' axis='0 1 1'/><geom type='capsule' size='0.02 0.1' "
    "pos='0 0.1 0' "
    "contype='0' conaffinity='0'/><body name='tip' pos='0 0.2 0' euler='5 6 7'><geom type='box' size='0.01 "
    "0.02 0.03' "
    "contype='0' conaffinity='0'/><site name='t' pos='0.01 0 0' euler='0 30 0'/></body><site name='h' pos='0 "
    "0.05 0'/>"
    "</body></body>"
    "<body name='foot' pos='1 0 0.1'><joint name='f' type='slide' axis='0 0 1'/><geom type='box' size='0.1 "
    "0.1 0.1' "
    "mass='3'/><site name='sole' type='box' size='0.11 0.11 0.01' pos='0 0 -0.1'/></body></worldbody>"
    "<sensor><accelerometer name='acc s' site='s'/><gyro name='gyro s' site='s'/><velocimeter name='vel s' "
    "site='s'/>"
    "<accelerometer name='acc t' site='t'/><gyro name='gyro t' site='t'/><force name='force s' site='s'/>"
    "<torque name='torque s' site='s'/><force name='force h' site='h'/><torque name='torque h' site='h'/>"
    "<jointpos name='pos c' joint='c'/><jointvel name='vel c' joint='c'/><framepos name='place t' "
    "objtype='site' "
    "objname='t'/><framequat name='quat t' objtype='site' objname='t'/><framelinvel name='lin hand' "
    "objtype='body' "
    "objname='hand'/><frameangvel name='ang hand' objtype='xbody' objname='hand'/><touch name='touch' "
    "site='sole'/>"
    "<clock name='clock'/><force name='force t' site='t'/></sensor></mujoco>";

static void sensors__are_mujocos(void)
{
    pbdrError error = {.message = ""};
    pbdrSceneFile* scene = NULL;
    pbdrSceneWorld* made = NULL;
    if (!pbdrCanLoadMjcf()) {
        SKIP("built without MuJoCo");
    }
    writeFile("sensors.xml", model, strlen(model));
    const pbdrStatus status = pbdrLoadScene(getPath("sensors.xml"), NULL, &scene, &error);
    if (status == pbdr_statusNotSupported) {
        SKIP("MuJoCo's library is not here");
    }
    CHECK_TEXT(error.message, "");
    CHECK_EQ(status, pbdr_statusOk);
    if (scene == NULL) {
        return;
    }
    CHECK_EQ(scene->sensorCount, 16);
    CHECK_EQ(scene->ignoredCount, 1); // what is within a body, and the clock
    CHECK_TEXT(scene->ignored[0], "sensors clock, force t: not evaluated");
    const pbdrWorldDef def = pbdrSceneFile_GetWorldDef(scene);
    CHECK_EQ(pbdrCreateSceneWorld(scene, &def, NULL, &made, &error), pbdr_statusOk);
#ifdef PBDR_HAVE_MUJOCO
    char message[512] = "";
    mjModel* theirs = mj_loadXML(getPath("sensors.xml"), NULL, message, sizeof message);
    mjData* data = theirs != NULL ? mj_makeData(theirs) : NULL;
    const int steps = 3000;
    for (int k = 0; data != NULL && k < steps; k++) {
        mj_step(theirs, data);
    }
    // what mj_forward says of the end is half a step behind ours: means over the last one
    mj_forward(theirs, data);
    CHECK_EQ(pbdrSceneWorld_Step(made, steps), 0);
    for (int k = 0; data != NULL && k < scene->sensorCount; k++) {
        double values[PBDR_SENSOR_VALUES];
        const int id = mj_name2id(theirs, mjOBJ_SENSOR, scene->sensors[k].name),
                  count = pbdrSceneWorld_ReadSensor(made, k, values);
        CHECK_EQ(count, theirs->sensor_dim[id]);
        double size = 1.0, off = 0.0;
        for (int i = 0; i < count; i++) {
            size = fmax(size, fabs(values[i]));
            off = fmax(off, fabs(values[i] - data->sensordata[theirs->sensor_adr[id] + i]));
        }
        if (!(off <= 2.0e-3 * size)) {
            printf("    %s: off by %g of %g\n", scene->sensors[k].name, off, size);
        }
        CHECK_LE(off / size, 2.0e-3);
    }
    mj_deleteData(data);
    mj_deleteModel(theirs);
#endif
    pbdrDestroySceneWorld(made);
    pbdrFreeScene(scene);
}

int main(int argc, char** argv)
{
    if (!makeFilesFolder()) {
        return 1;
    }
    CASES(argc, argv, {"sensors__are_mujocos", sensors__are_mujocos});
}
