// A world from inside: a scene, and the engine that moves it.
#ifndef PBDR_WORLD_INTERNAL_H
#define PBDR_WORLD_INTERNAL_H

#include "engine/engine.h"

struct pbdrWorld {
    pbdrScene scene;
    pbdrEngine engineKind;         // as in use: never automatic
    const pbdrEngineTable* engine; // and its table
    void* engineState;             // what it keeps
    pbdrList shapes;               // RoundedShape: a float world's copies (body.c)
};

// The engine that a definition asks for, and its table: the only place that names them all. (engines.c)
pbdrEngine pbdrChooseEngine(const pbdrWorldDef* def);
const pbdrEngineTable* pbdrGetEngineTable(const pbdrWorldDef* def);

// The live body of an id, or NULL after reporting an assertion; its index with it. (body.c)
pbdrBody* pbdrFindBody(const pbdrWorld* world, pbdrBodyId id, int* index);
// Gives the bodies' shapes back. (body.c)
void pbdrReleaseShapes(pbdrWorld* world);

#endif
