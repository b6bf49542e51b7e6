// Trajectories of a run: a row per body that moves and frame.
#include "run.h"

#include <string.h>

void formatHash(const pbdrWorld* world, char text[17])
{
    snprintf(text, 17, "%016llx", (unsigned long long)pbdrWorld_GetHash(world));
}

void writeTrajectoryHeader(FILE* file, bool withHash)
{
    fprintf(file, "t,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz%s\n", withHash ? ",hash" : "");
}

// In quotes where a comma, a quote or a line's end would break the row.
static void writeName(FILE* file, const char* name)
{
    if (strpbrk(name, ",\"\r\n#") == NULL && name[0] != ' ') {
        fputs(name, file);
        return;
    }
    fputc('"', file);
    for (; *name != 0; name++) {
        if (*name == '"') {
            fputc('"', file);
        }
        fputc(*name, file);
    }
    fputc('"', file);
}

void writeTrajectoryFrame(FILE* file, const pbdrSceneWorld* run, bool withHash)
{
    const double time = (double)pbdrWorld_GetSubstepCount(run->world) * pbdrWorld_GetTimeStep(run->world);
    char hash[17];
    formatHash(run->world, hash);
    for (int i = 0; i < run->scene->bodyCount; i++) {
        if (run->scene->bodies[i].kind == pbdr_bodyStatic) {
            continue;
        }
        const pbdrPose pose = pbdrBody_GetPose(run->world, run->bodies[i]);
        const pbdrVelocity velocity = pbdrBody_GetVelocity(run->world, run->bodies[i]);
        const double numbers[13] = {
            pose.position.x,    pose.position.y,    pose.position.z,   pose.rotation.w,   pose.rotation.x,
            pose.rotation.y,    pose.rotation.z,    velocity.linear.x, velocity.linear.y, velocity.linear.z,
            velocity.angular.x, velocity.angular.y, velocity.angular.z};
        fprintf(file, "%.17g,", time);
        writeName(file, run->scene->bodies[i].name);
        for (int k = 0; k < 13; k++) {
            fprintf(file, ",%.17g", numbers[k]);
        }
        fprintf(file, "%s%s\n", withHash ? "," : "", withHash ? hash : "");
    }
}
