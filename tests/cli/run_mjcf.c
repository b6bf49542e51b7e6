// Loads an exported model into MuJoCo, runs it as it is and writes the first body's trajectory: what somebody
// with MuJoCo and without us would do. Compiled by export_test.sh where MuJoCo is found.
//
//     run_mjcf MODEL.xml SECONDS >trajectory.csv
#include <mujoco/mujoco.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void writeRow(const mjData* data)
{
    const mjtNum *q = data->qpos, *v = data->qvel;
    mjtNum spin[3];
    mju_rotVecQuat(spin, v + 3, q + 3); // a free joint's angular velocity is in body axes
    printf("%.17g", data->time);
    for (int k = 0; k < 7; k++) {
        printf(",%.17g", q[k]);
    }
    printf(",%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", v[0], v[1], v[2], spin[0], spin[1], spin[2]);
}

int main(int argc, char** argv)
{
    char message[1000] = "";
    if (argc != 3) {
        fprintf(stderr, "usage: run_mjcf MODEL.xml SECONDS\n");
        return 2;
    }
    mjModel* model = mj_loadXML(argv[1], NULL, message, sizeof message);
    if (message[0] != 0) { // warnings too
        fprintf(stderr, "MuJoCo %s: %s\n", mj_versionString(), message);
    }
    mjData* data = model != NULL ? mj_makeData(model) : NULL;
    if (data == NULL) {
        return 1;
    }
    double frame = 0.01;
    int frames = (int)lround(atof(argv[2]) / frame), perFrame = (int)lround(frame / model->opt.timestep);
    printf("t,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n");
    writeRow(data);
    for (int i = 0; i < frames; i++) {
        for (int k = 0; k < perFrame; k++) {
            mj_step(model, data);
        }
        writeRow(data);
    }
    if (model->nv == 7) { // the rod: it must be where it was told to be, t^2/40
        fprintf(stderr, "rod is off by %.2e m\n", data->qpos[7] - data->time * data->time / 40.0);
    }
    mj_deleteData(data);
    mj_deleteModel(model);
    return 0;
}
