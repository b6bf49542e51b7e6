// A scene while it is read: its memory, which is given back as a whole, and its messages.
#ifndef PBDR_SCENEFILE_MEMORY_H
#define PBDR_SCENEFILE_MEMORY_H

#include "pbdr/scenefile.h"

// A scene without bodies; all fields have their defaults. NULL without memory.
pbdrSceneFile* pbdrStartScene(const char* path, const pbdrHooks* hooks, pbdrError* error);

// Zeroed memory that lives as long as the scene does, or NULL.
void* pbdrTakeSceneMemory(pbdrSceneFile* scene, size_t count, size_t itemSize);
// A copy of a text, or NULL.
const char* pbdrKeepText(pbdrSceneFile* scene, const char* text);

// One more entry, with its defaults, at the end of a list. NULL without memory; pointers to earlier entries are
// stale then.
pbdrSceneBody* pbdrAddSceneBody(pbdrSceneFile* scene);
pbdrScenePlane* pbdrAddScenePlane(pbdrSceneFile* scene);
pbdrSceneMesh* pbdrAddSceneMesh(pbdrSceneFile* scene);
pbdrSceneJoint* pbdrAddSceneJoint(pbdrSceneFile* scene);
pbdrSceneActuator* pbdrAddSceneActuator(pbdrSceneFile* scene);
pbdrSceneSensor* pbdrAddSceneSensor(pbdrSceneFile* scene);
// Adds a sentence about what is not simulated; false without memory.
bool pbdrAddIgnored(pbdrSceneFile* scene, const char* format, ...)
#ifdef __GNUC__
    __attribute__((format(printf, 2, 3)))
#endif
    ;

// Fails with "path: reason" or, with a line above 0, "path:line: reason"; reasons may quote the file, and are made
// fit for a terminal.
pbdrStatus pbdrFailScene(const char* path, int line, pbdrError* error, pbdrStatus status, const char* format,
                         ...)
#ifdef __GNUC__
    __attribute__((format(printf, 5, 6)))
#endif
    ;
#define PBDR_SCENE_NO_MEMORY(scene, error)                                                                   \
    pbdrFailScene((scene)->path, 0, (error), pbdr_statusNoMemory, "out of memory")

// The readers. On failure the scene is the caller's to free.
pbdrStatus pbdrReadJsonScene(pbdrSceneFile* scene, pbdrError* error);
pbdrStatus pbdrReadMjcfScene(pbdrSceneFile* scene, pbdrError* error);

// What all scenes must have: names that differ, numbers that are finite and in range, paths that rise.
pbdrStatus pbdrCheckScene(const pbdrSceneFile* scene, pbdrError* error);

#endif
