// The engines there are: the only file that names them all.
#include "world/internal.h"

pbdrEngine pbdrChooseEngine(const pbdrWorldDef* def)
{
    if (def->solver == pbdr_solverXpbdR) {
        return pbdr_engineReduced;
    }
    if (def->engine != pbdr_engineAuto) {
        return def->engine;
    }
    bool rounds = def->precision == pbdr_precisionF32 || def->ablation != 0;
    return def->solver == pbdr_solverPbdR && !rounds ? pbdr_engineReduced : pbdr_engineParticle;
}

const pbdrEngineTable* pbdrGetEngineTable(const pbdrWorldDef* def)
{
    if (def->solver == pbdr_solverXpbdR) {
        return &pbdrXpbdrEngine;
    }
    return pbdrChooseEngine(def) == pbdr_engineReduced ? &pbdrReducedEngine : &pbdrParticleEngine;
}
