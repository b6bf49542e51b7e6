// <custom> elements for what MJCF has no word for. Names begin with pbdr_; what follows a colon is a geom or a body:
//
//   <numeric name="pbdr_duration" data="2"/>                 how long the scene runs [s]
//   <numeric name="pbdr_spheres" data="64"/>                 most spheres of a geom
//   <numeric name="pbdr_spheres:GEOM" data="64"/>            of that geom
//   <numeric name="pbdr_restitution:GEOM" data="0.5"/>       0 to 1; without :GEOM of all
//   <numeric name="pbdr_path:BODY" data="t x y z qw qx qy qz  t x ..."/>   way of a mocap body
//   <text name="pbdr_keyframe" data="KEY"/>                  where to start from
#include "scenefile/mujoco.h"

#include "base.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "pbdr_"

static pbdrStatus refuse(const pbdrModelReader* reader, const char* name, const char* reason)
{
    return pbdrFailScene(reader->scene->path, 0, reader->error, pbdr_statusFileFormat, "custom \"%.80s\": %s",
                         name, reason);
}

// What stands behind the colon of "pbdr_key:NAME"; "" for "pbdr_key" alone, NULL for another key.
static const char* matchKey(const char* name, const char* key)
{
    size_t length = strlen(key);
    if (strncmp(name, key, length) != 0 || (name[length] != ':' && name[length] != 0)) {
        return NULL;
    }
    return name[length] == 0 ? name + length : name + length + 1;
}

static pbdrSceneBody* findBody(const pbdrSceneFile* scene, const char* name)
{
    for (int i = 0; i < scene->bodyCount; i++) {
        if (strcmp(scene->bodies[i].name, name) == 0) {
            return &scene->bodies[i];
        }
    }
    return NULL;
}

static pbdrStatus readPath(pbdrModelReader* reader, const char* name, const char* bodyName,
                           const mjtNum* data, int size)
{
    pbdrSceneBody* body = findBody(reader->scene, bodyName);
    if (body == NULL || body->kind != pbdr_bodyKinematic) {
        return refuse(reader, name, "there is no mocap body of that name");
    }
    if (size == 0 || size % 8 != 0) {
        return refuse(reader, name, "wanted rows of 8 numbers: t x y z qw qx qy qz");
    }
    body->points = pbdrTakeSceneMemory(reader->scene, (size_t)size / 8, sizeof *body->points);
    if (body->points == NULL) {
        return PBDR_SCENE_NO_MEMORY(reader->scene, reader->error);
    }
    body->pointCount = size / 8;
    for (int k = 0; k < body->pointCount; k++) {
        const mjtNum* row = data + 8 * k;
        body->points[k] =
            (pbdrScenePoint){row[0], {{row[1], row[2], row[3]}, {row[4], row[5], row[6], row[7]}}};
    }
    return pbdr_statusOk;
}

static pbdrStatus readSpheres(pbdrModelReader* reader, const char* name, const char* geomName, double count)
{
    pbdrSceneFile* scene = reader->scene;
    bool found = geomName[0] == 0;
    if (!(count >= 1.0 && count <= PBDR_MAX_SPHERES)) {
        return refuse(reader, name, "the number of spheres is not possible");
    }
    if (found) {
        scene->sphereCount = (int)count;
    }
    for (int i = 0; i < scene->bodyCount; i++) {
        for (int g = 0; !found && g < scene->bodies[i].geomCount; g++) {
            pbdrSceneGeom* geom = &scene->bodies[i].geoms[g];
            if (strcmp(geom->name, geomName) == 0) {
                geom->sphereCount = (int)count;
                found = true;
            }
        }
    }
    return found ? pbdr_statusOk
                 : refuse(reader, name, "there is no geom of that name that touches anything");
}

static pbdrStatus readRestitution(pbdrModelReader* reader, const char* name, const char* geomName,
                                  double restitution)
{
    pbdrSceneFile* scene = reader->scene;
    const bool all = geomName[0] == 0;
    bool found = all;
    if (!(restitution >= 0.0 && restitution <= 1.0)) {
        return refuse(reader, name, "a restitution is between 0 and 1");
    }
    for (int i = 0; i < scene->bodyCount; i++) {
        for (int g = 0; g < scene->bodies[i].geomCount; g++) {
            if (all || strcmp(scene->bodies[i].geoms[g].name, geomName) == 0) {
                scene->bodies[i].restitution = restitution;
                found = true;
            }
        }
    }
    for (int k = 0; k < scene->planeCount; k++) {
        if (all || strcmp(scene->planes[k].name, geomName) == 0) {
            scene->planes[k].restitution = restitution;
            found = true;
        }
    }
    return found ? pbdr_statusOk
                 : refuse(reader, name, "there is no geom of that name that touches anything");
}

static pbdrStatus readNumeric(pbdrModelReader* reader, const char* name, const mjtNum* data, int size)
{
    const char* rest;
    if ((rest = matchKey(name, PREFIX "path")) != NULL) {
        return readPath(reader, name, rest, data, size);
    }
    if (size != 1) {
        return refuse(reader, name, "wanted one number");
    }
    if ((rest = matchKey(name, PREFIX "spheres")) != NULL) {
        return readSpheres(reader, name, rest, data[0]);
    }
    if ((rest = matchKey(name, PREFIX "restitution")) != NULL) {
        return readRestitution(reader, name, rest, data[0]);
    }
    if (strcmp(name, PREFIX "duration") == 0) {
        reader->scene->duration = data[0];
        return data[0] > 0.0 ? pbdr_statusOk : refuse(reader, name, "a duration is above zero");
    }
    return refuse(reader, name, "no such setting: pbdr_duration, pbdr_spheres, pbdr_restitution, pbdr_path");
}

pbdrStatus pbdrReadCustom(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    pbdrStatus status = pbdr_statusOk;
    for (int k = 0; status == pbdr_statusOk && k < (int)model->nnumeric; k++) {
        const char* name = reader->mujoco.getName(model, mjOBJ_NUMERIC, k);
        if (name != NULL && strncmp(name, PREFIX, strlen(PREFIX)) == 0) {
            status = readNumeric(reader, name, model->numeric_data + model->numeric_adr[k],
                                 model->numeric_size[k]);
        }
    }
    for (int k = 0; status == pbdr_statusOk && k < (int)model->ntext; k++) {
        const char* name = reader->mujoco.getName(model, mjOBJ_TEXT, k);
        if (name != NULL && strncmp(name, PREFIX, strlen(PREFIX)) == 0 &&
            strcmp(name, PREFIX "keyframe") != 0) {
            status = refuse(reader, name, "no such setting: pbdr_keyframe");
        }
    }
    return status;
}

int pbdrFindKeyframe(pbdrModelReader* reader, pbdrStatus* status)
{
    const mjModel* model = reader->model;
    for (int k = 0; k < (int)model->ntext; k++) {
        const char* name = reader->mujoco.getName(model, mjOBJ_TEXT, k);
        if (name == NULL || strcmp(name, PREFIX "keyframe") != 0) {
            continue;
        }
        const char* wanted = model->text_data + model->text_adr[k];
        for (int key = 0; key < (int)model->nkey; key++) {
            const char* keyName = reader->mujoco.getName(model, mjOBJ_KEY, key);
            if (keyName != NULL && strcmp(keyName, wanted) == 0) {
                return key;
            }
        }
        *status = refuse(reader, name, "there is no keyframe of that name");
    }
    return -1;
}
