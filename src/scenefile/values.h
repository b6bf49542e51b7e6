// Values of a JSON scene. Each reader says what is wrong with line, place and value; after the first failure the rest
// do nothing, so that a list of them needs no checks in between.
#ifndef PBDR_SCENEFILE_VALUES_H
#define PBDR_SCENEFILE_VALUES_H

#include "scenefile/memory.h"
#include "text/json_reader.h"

typedef struct pbdrJsonScene {
    pbdrSceneFile* scene;
    pbdrError* error;
    pbdrStatus status; // the first failure
    char place[96];    // what is being read, such as bodies[3]
} pbdrJsonScene;

// Whether all went well so far.
static inline bool pbdrIsGood(const pbdrJsonScene* json)
{
    return json->status == pbdr_statusOk;
}

// "path:line: place.key: reason".
void pbdrRefuseValue(pbdrJsonScene* json, const JsonValue* value, const char* key, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 4, 5)))
#endif
    ;

// The same with the message of another part of the library, whose status counts where memory ran out.
void pbdrRefuseWith(pbdrJsonScene* json, const JsonValue* value, const char* key, const pbdrError* cause);
// Refuses an object that lacks a key.
void pbdrRequireKey(pbdrJsonScene* json, const JsonValue* object, const char* key, bool there);

// Each leaves the result as it is where the object lacks the key, and returns whether it has it.
bool pbdrReadNumber(pbdrJsonScene* json, const JsonValue* object, const char* key, double least, double most,
                    double* number);
bool pbdrReadAbove(pbdrJsonScene* json, const JsonValue* object, const char* key, double* number); // > 0
bool pbdrReadCount(pbdrJsonScene* json, const JsonValue* object, const char* key, int least, int most,
                   int* count);
bool pbdrReadNumbers(pbdrJsonScene* json, const JsonValue* object, const char* key, double* numbers,
                     int count);
bool pbdrReadVector(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrVec3* vector);
bool pbdrReadRotation(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrQuat* rotation);
bool pbdrReadPlace(pbdrJsonScene* json, const JsonValue* object, pbdrPose* pose); // position_m, rotation_wxyz
bool pbdrReadTensor(pbdrJsonScene* json, const JsonValue* object, const char* key, pbdrMat3* tensor);
bool pbdrReadTruth(pbdrJsonScene* json, const JsonValue* object, const char* key, bool* truth);
bool pbdrReadText(pbdrJsonScene* json, const JsonValue* object, const char* key, const char** text);
// One of the words, NULL-terminated; its index.
bool pbdrReadWord(pbdrJsonScene* json, const JsonValue* object, const char* key, const char* const* words,
                  int* index);
// An array, or an object; NULL where there is none.
const JsonValue* pbdrReadList(pbdrJsonScene* json, const JsonValue* object, const char* key, JsonKind kind);
// Rows of three numbers, in memory of the scene.
pbdrVec3* pbdrReadVectors(pbdrJsonScene* json, const JsonValue* object, const char* key, int* count);

// Notes keys that are not in the list (NULL-terminated) as ignored.
void pbdrCheckKeys(pbdrJsonScene* json, const JsonValue* object, const char* const* known);

// json_geoms.c: the scene's list of meshes, which bodies may share by name; the shape of a body, with its parts.
void pbdrReadMeshes(pbdrJsonScene* json, const JsonValue* root);
void pbdrReadShape(pbdrJsonScene* json, const JsonValue* object, pbdrSceneBody* body);

// json_joints.c: joints and actuators, once bodies are there.
void pbdrReadJsonJoints(pbdrJsonScene* json, const JsonValue* root);
// json_sensors.c: once joints are there.
void pbdrReadJsonSensors(pbdrJsonScene* json, const JsonValue* root);

// Sets the place for messages.
void pbdrSetPlace(pbdrJsonScene* json, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
