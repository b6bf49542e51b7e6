// What the adapters of the peers share: which scenes they take, where a prescribed body is, and the settings
// that they note for the record. For C and C++.
#ifndef PBDR_BENCH_PEER_SCENE_H
#define PBDR_BENCH_PEER_SCENE_H

#include "pbdr/bench/solver.h"
#include "vec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// --- Settings for the record ---

#define PEER_MAX_NOTES 16

typedef struct PeerNote {
    char key[24];
    char value[168];
} PeerNote;

typedef struct PeerNotes {
    int count;
    PeerNote notes[PEER_MAX_NOTES];
} PeerNotes;

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static inline void
peerAddNote(PeerNotes* notes, const char* key, const char* format, ...)
{
    if (notes->count == PEER_MAX_NOTES) {
        return;
    }
    PeerNote* note = &notes->notes[notes->count++];
    snprintf(note->key, sizeof note->key, "%s", key);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note->value, sizeof note->value, format, arguments);
    va_end(arguments);
}

static inline bool peerGetNote(const PeerNotes* notes, int index, const char** key, const char** value)
{
    if (index < 0 || index >= notes->count) {
        return false;
    }
    *key = notes->notes[index].key;
    *value = notes->notes[index].value;
    return true;
}

// --- Scenes ---

// Whether bodies[1] is Test 7's rod: prescribed, and touching nothing but bodies[0].
static inline bool peerHasRod(const pbdrBenchScene* scene)
{
    return scene->bodyCount == 2 && scene->bodies[1].prescribed;
}

// True for free bodies with one friction for all, or one free body with a prescribed rod. Else false, with the
// reason.
static inline bool peerTakesScene(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    const char* reason = NULL;
    bool rod = peerHasRod(scene);
    if (scene->bodyCount < 1 || scene->bodyCount > PBDR_BENCH_MAX_BODIES) {
        reason = "no body, or too many";
    } else if (rod && scene->bodies[1].shape != pbdr_benchRod) {
        reason = "a prescribed body that is not a rod";
    } else if (!rod && scene->bodyCount > 1 && scene->pairFriction != scene->groundFriction) {
        reason = "friction between bodies other than with the ground";
    }
    for (int k = 0; k < scene->bodyCount - (rod ? 1 : 0) && reason == NULL; k++) {
        if (scene->bodies[k].prescribed) {
            reason = "a measured body whose motion is prescribed";
        } else if (scene->bodies[k].shape == pbdr_benchRod) {
            reason = "a measured body that is a rod";
        }
    }
    if (reason != NULL) {
        snprintf(message, PBDR_BENCH_MESSAGE, "not supported: %s", reason);
    }
    return reason == NULL;
}

// Whether name is one of presets, a list separated by commas; else a message. The empty name always is.
static inline bool peerHasPreset(const char* presets, const char* name, char message[PBDR_BENCH_MESSAGE])
{
    size_t length = strlen(name);
    for (const char* p = presets; length > 0; p++) {
        if (strncmp(p, name, length) == 0 && (p[length] == ',' || p[length] == '\0')) {
            return true;
        }
        p = strchr(p, ',');
        if (p == NULL) {
            snprintf(message, PBDR_BENCH_MESSAGE, "no preset \"%.60s\"; there are: %s", name, presets);
            return false;
        }
    }
    return true;
}

// --- Joints ---

// Where a body starts; the world (-1): at its origin.
static inline pbdrPose peerGetStart(const pbdrBenchScene* scene, int body)
{
    const pbdrPose none = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
    return body < 0 ? none : scene->bodies[body].start;
}

// A point at the start, in a body's own axes.
static inline pbdrVec3 peerToOwnPoint(const pbdrBenchScene* scene, int body, pbdrVec3 point)
{
    const pbdrPose start = peerGetStart(scene, body);
    return benchUnrotate(start.rotation, benchSub(point, start.position));
}

// Whether the scene has springs with dampers, which no force of the step's begin can stand for: else false, with the reason.
static inline bool peerTakesSprings(const pbdrBenchScene* scene, char message[PBDR_BENCH_MESSAGE])
{
    for (int k = 0; k < scene->jointCount; k++) {
        if (scene->joints[k].kind == pbdr_benchSpringJoint && scene->joints[k].damping > 0.0) {
            snprintf(message, PBDR_BENCH_MESSAGE, "not supported: springs with dampers");
            return false;
        }
    }
    return true;
}

// What a spring does to B, whose ends are there.
static inline pbdrVec3 peerGetSpringForce(const pbdrBenchJoint* joint, pbdrVec3 a, pbdrVec3 b)
{
    const pbdrVec3 d = benchSub(b, a);
    const double length = benchLength(d);
    return benchScale(-joint->stiffness * (length - joint->length) / length, d);
}

// --- Motion ---

// Where a prescribed body is at a time [s], and how fast.
static inline void peerGetPrescribed(const pbdrBenchBody* body, double time, pbdrPose* pose,
                                     pbdrVelocity* velocity)
{
    const pbdrVec3 none = {0.0, 0.0, 0.0};
    pose->position = benchAddScaled(body->start.position, 0.5 * time * time, body->prescribedAcceleration);
    pose->rotation = body->start.rotation;
    velocity->linear = benchAddScaled(none, time, body->prescribedAcceleration);
    velocity->angular = none;
}

#endif
