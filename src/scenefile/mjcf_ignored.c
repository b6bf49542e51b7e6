// What a model has and no world here simulates, or simulates otherwise, in a sentence each with the names.
#include "scenefile/mujoco.h"

#include "base.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_NAMES 8

// Names of those objects for which a question is answered with yes.
typedef struct Names {
    pbdrModelReader* reader;
    int type; // mjtObj
    int count;
    char text[600];
} Names;

static void addName(Names* names, int id)
{
    const char* name = names->reader->mujoco.getName(names->reader->model, names->type, id);
    size_t used = strlen(names->text);
    char own[64];
    if (name == NULL || name[0] == 0) {
        snprintf(own, sizeof own, "#%d", id);
    } else {
        snprintf(own, sizeof own, "%.50s", name);
    }
    if (names->count++ < MAX_NAMES) {
        snprintf(names->text + used, sizeof names->text - used, "%s%s", used > 0 ? ", " : "", own);
    }
}

// "joints hip, knee and 3 more: why".
static bool list(const Names* names, const char* kind, const char* why)
{
    char more[32] = "";
    if (names->count == 0) {
        return true;
    }
    if (names->count > MAX_NAMES) {
        snprintf(more, sizeof more, " and %d more", names->count - MAX_NAMES);
    }
    return pbdrAddIgnored(names->reader->scene, "%s %s%s: %s", kind, names->text, more, why);
}

// All objects of a type.
static bool listAll(pbdrModelReader* reader, int type, int count, const char* kind, const char* why)
{
    Names names = {.reader = reader, .type = type};
    for (int id = 0; id < count; id++) {
        addName(&names, id);
    }
    return list(&names, kind, why);
}

// --- Geoms ---

static bool isDifferent(const mjtNum* values, const mjtNum* usual, int count)
{
    bool different = false;
    for (int k = 0; k < count; k++) {
        different = different || values[k] != usual[k];
    }
    return different;
}

// Whether the id-th of these is not what MuJoCo gives by default.
static bool isSofter(const mjtNum* solrefs, const mjtNum* solimps, int id)
{
    static const mjtNum solref[mjNREF] = {0.02, 1.0}, solimp[mjNIMP] = {0.9, 0.95, 0.001, 0.5, 2.0};
    return isDifferent(solrefs + mjNREF * (size_t)id, solref, mjNREF) ||
           isDifferent(solimps + mjNIMP * (size_t)id, solimp, mjNIMP);
}

static bool isSoft(const mjModel* model, int geom)
{
    return isSofter(model->geom_solref, model->geom_solimp, geom) || model->geom_solmix[geom] != 1.0;
}

static bool isWide(const mjModel* model, int geom)
{
    return model->geom_margin[geom] != 0.0 || model->geom_gap[geom] != 0.0;
}

static bool hasPriority(const mjModel* model, int geom)
{
    return model->geom_priority[geom] != 0;
}

static bool isEllipsoid(const mjModel* model, int geom)
{
    return model->geom_type[geom] == mjGEOM_ELLIPSOID;
}

static bool isUnknown(const mjModel* model, int geom)
{
    int type = model->geom_type[geom];
    return type != mjGEOM_PLANE && type != mjGEOM_HFIELD && type != mjGEOM_SPHERE && type != mjGEOM_CAPSULE &&
           type != mjGEOM_ELLIPSOID && type != mjGEOM_CYLINDER && type != mjGEOM_BOX && type != mjGEOM_MESH;
}

// Spinning and rolling friction that the geom's own condim leaves out, and another one's would bring in.
static bool hasOtherCondim(const mjModel* model, int geom)
{
    for (int other = 0; other < (int)model->ngeom; other++) {
        if (pbdrIsColliding(model, other) && model->geom_condim[other] > model->geom_condim[geom]) {
            return true;
        }
    }
    return false;
}

#if mjVERSION_HEADER >= 3014000
static bool isActive(const mjModel* model, int geom)
{
    static const mjtNum still[6] = {0.0};
    return model->geom_adhesion[geom] != 0.0 ||
           isDifferent(model->geom_surfacevel + 6 * (size_t)geom, still, 6);
}
#endif

static bool listGeoms(pbdrModelReader* reader, bool (*asks)(const mjModel*, int), const char* why)
{
    Names names = {.reader = reader, .type = mjOBJ_GEOM};
    for (int id = 0; id < (int)reader->model->ngeom; id++) {
        if (pbdrIsColliding(reader->model, id) && asks(reader->model, id)) {
            addName(&names, id);
        }
    }
    return list(&names, "geoms", why);
}

// Bodies whose geoms do not agree in what a body has once.
static bool listMixed(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    Names names = {.reader = reader, .type = mjOBJ_BODY};
    for (int body = 1; body < (int)model->nbody; body++) {
        int first = -1;
        bool mixed = false;
        for (int g = 0; g < (int)model->ngeom; g++) {
            if (reader->roots[model->geom_bodyid[g]] != body || !pbdrIsColliding(model, g)) {
                continue;
            }
            first = first < 0 ? g : first;
            mixed = mixed ||
                    isDifferent(model->geom_friction + 3 * (size_t)g,
                                model->geom_friction + 3 * (size_t)first, 3) ||
                    model->geom_contype[g] != model->geom_contype[first] ||
                    model->geom_conaffinity[g] != model->geom_conaffinity[first] ||
                    model->geom_condim[g] != model->geom_condim[first];
        }
        if (mixed) {
            addName(&names, body);
        }
    }
    return list(
        &names, "bodies",
        "their geoms differ in friction, condim, contype or conaffinity; a body has those of its first geom");
}

static bool listTerrain(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    Names names = {.reader = reader, .type = mjOBJ_GEOM};
    for (int g = 0; g < (int)model->ngeom; g++) {
        int type = model->geom_type[g], root = reader->roots[model->geom_bodyid[g]];
        if ((type == mjGEOM_HFIELD || type == mjGEOM_PLANE) && root != 0) {
            addName(&names, g);
        }
    }
    return list(&names, "geoms", "planes and height fields of bodies that move are left out");
}

// --- Joints and bodies ---

// Whether some actuator acts on a joint.
static bool isActuated(const mjModel* model, int joint)
{
    bool found = false;
    for (int a = 0; a < pbdrCountActuators(model); a++) {
        const int transmission = model->actuator_trntype[a];
        found = found || ((transmission == mjTRN_JOINT || transmission == mjTRN_JOINTINPARENT) &&
                          model->actuator_trnid[2 * (size_t)a] == joint);
    }
    return found;
}

// What is not proportional to the axis' position and velocity.
static bool hasCurve(const mjModel* model, int joint)
{
    bool found = false;
#if mjVERSION_HEADER >= 300
    found = model->jnt_actgravcomp[joint] && isActuated(model, joint);
#endif
#if mjVERSION_HEADER >= 4000000
    found = found || model->jnt_springyield[joint] != 0.0;
#endif
#if mjVERSION_HEADER >= 3014000
    for (int k = 0; k < mjNPOLY; k++) {
        found = found || model->jnt_stiffnesspoly[mjNPOLY * (size_t)joint + (size_t)k] != 0.0 ||
                model->dof_dampingpoly[mjNPOLY * (size_t)model->jnt_dofadr[joint] + (size_t)k] != 0.0;
    }
#endif
    return found;
}

// Bounds and friction of joints here are hard, and begin where they are.
static bool isSoftJoint(const mjModel* model, int joint)
{
    bool soft = model->jnt_limited[joint] && (model->jnt_margin[joint] != 0.0 ||
                                              isSofter(model->jnt_solref, model->jnt_solimp, joint));
    const int count = model->jnt_type[joint] == mjJNT_BALL ? 3 : model->jnt_type[joint] == mjJNT_FREE ? 0 : 1;
    for (int k = model->jnt_dofadr[joint]; k < model->jnt_dofadr[joint] + count; k++) {
        soft = soft || (model->dof_frictionloss[k] != 0.0 && isSofter(model->dof_solref, model->dof_solimp, k));
    }
    return soft;
}

static bool listEqualities(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    Names names = {.reader = reader, .type = mjOBJ_EQUALITY}, idle = names, soft = names;
    for (int k = 0; k < (int)model->neq; k++) {
        if (!pbdrIsKnownEquality(model, k)) {
            addName(&names, k);
        } else if (!model->eq_active0[k]) {
            addName(&idle, k);
        } else if (isSofter(model->eq_solref, model->eq_solimp, k)) {
            addName(&soft, k);
        }
    }
    return list(&names, "equalities", "left out") &&
           list(&idle, "equalities", "not active at the start, and left out") &&
           list(&soft, "equalities", "solref and solimp are left out: they hold to rounding");
}

static bool listJoints(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    Names damped = {.reader = reader, .type = mjOBJ_JOINT}, curved = damped, soft = damped;
    for (int j = 0; j < (int)model->njnt; j++) {
        if (hasCurve(model, j)) {
            addName(&curved, j);
        }
        if (isSoftJoint(model, j)) {
            addName(&soft, j);
        }
        if (model->jnt_type[j] != mjJNT_FREE) {
            continue;
        }
        bool found = model->jnt_stiffness[j] != 0.0;
        for (int k = model->jnt_dofadr[j]; k < model->jnt_dofadr[j] + 6; k++) {
            found = found || model->dof_damping[k] != 0.0 || model->dof_armature[k] != 0.0 ||
                    model->dof_frictionloss[k] != 0.0;
        }
        if (found) {
            addName(&damped, j);
        }
    }
    return list(&curved, "joints",
                "high orders of stiffness and damping, springs that yield, and gravity compensation by actuators, are left "
                "out") &&
           list(&soft, "joints", "solref, solimp and margin of ranges and friction loss are left out: both are hard") &&
           list(&damped, "free joints", "damping, armature, stiffness and friction loss are left out");
}

#if mjVERSION_HEADER >= 300 // before, there was no such thing
static bool listBodies(pbdrModelReader* reader)
{
    Names names = {.reader = reader, .type = mjOBJ_BODY};
    for (int b = 1; b < (int)reader->model->nbody; b++) {
        if (reader->model->body_gravcomp[b] != 0.0) {
            addName(&names, b);
        }
    }
    return list(&names, "bodies", "gravity compensation is left out");
}
#endif

// --- Options ---

static bool listOptions(pbdrModelReader* reader)
{
    const mjOption* option = &reader->model->opt;
    const int known =
        mjDSBL_GRAVITY | mjDSBL_CONTACT; // the rest has nothing to switch off, or is MuJoCo's own affair
    const int meaning = mjDSBL_CONSTRAINT;
    bool fluid = option->density != 0.0 || option->viscosity != 0.0;
    bool good =
        !fluid || pbdrAddIgnored(reader->scene, "option: density %g and viscosity %g of a fluid are left out",
                                 option->density, option->viscosity);
    good = good && ((option->disableflags & meaning & ~known) == 0 ||
                    pbdrAddIgnored(reader->scene, "option: disabled constraints are left out"));
    return good && ((option->enableflags & mjENBL_OVERRIDE) == 0 ||
                    pbdrAddIgnored(reader->scene, "option: overridden contact parameters are left out"));
}

// Whether an actuator with a force range shares its joint with another one.
static bool isShared(const pbdrModelReader* reader, int actuator, int count)
{
    const mjModel* model = reader->model;
    bool shared = false;
    for (int other = 0; other < count && model->actuator_forcelimited[actuator]; other++) {
        shared = shared ||
                 (other != actuator && pbdrIsAffine(reader, other) &&
                  model->actuator_trnid[2 * (size_t)other] == model->actuator_trnid[2 * (size_t)actuator]);
    }
    return shared;
}

// Whether an actuator that is simulated acts late, or resists by more than in proportion to the velocity.
static bool isLate(const mjModel* model, int actuator)
{
    bool late = false;
#if mjVERSION_HEADER >= 3014000
    late = model->actuator_delay[actuator] != 0.0;
    for (int k = 0; k < mjNPOLY; k++) {
        late = late || model->actuator_dampingpoly[mjNPOLY * (size_t)actuator + (size_t)k] != 0.0;
    }
#else
    (void)model;
    (void)actuator;
#endif
    return late;
}

static bool listActuators(pbdrModelReader* reader)
{
    Names names = {.reader = reader, .type = mjOBJ_ACTUATOR}, shared = names, late = names;
#if mjVERSION_HEADER >= 3014000
    const int count = (int)reader->model->nactuator;
#else
    const int count = reader->model->nu;
#endif
    for (int a = 0; a < count; a++) {
        int body;
        if (!pbdrIsConstantForce(reader, a, &body) && !pbdrIsAffine(reader, a)) {
            addName(&names, a);
        } else if (pbdrIsAffine(reader, a) && isShared(reader, a, count)) {
            addName(&shared, a);
        }
        if (pbdrIsAffine(reader, a) && isLate(reader->model, a)) {
            addName(&late, a);
        }
    }
    return list(&names, "actuators", "left out") &&
           list(&late, "actuators", "delays and high orders of damping are left out") &&
           list(&shared, "actuators", "their joint has others, and force ranges count for all together");
}

static bool listSensors(pbdrModelReader* reader)
{
    Names names = {.reader = reader, .type = mjOBJ_SENSOR};
    for (int k = 0; k < (int)reader->model->nsensor; k++) {
        if (!pbdrIsKnownSensor(reader, k)) {
            addName(&names, k);
        }
    }
    return list(&names, "sensors", "not evaluated");
}

bool pbdrListIgnored(pbdrModelReader* reader)
{
    const mjModel* model = reader->model;
    bool good = listJoints(reader) && listActuators(reader) &&
                listAll(reader, mjOBJ_TENDON, (int)model->ntendon, "tendons", "left out") &&
                listEqualities(reader) && listSensors(reader) &&
                listAll(reader, mjOBJ_PAIR, (int)model->npair, "contact pairs", "left out");
#if mjVERSION_HEADER >= 300
    good = good && listBodies(reader) &&
           listAll(reader, mjOBJ_FLEX, (int)model->nflex, "flexes", "left out") &&
           listAll(reader, mjOBJ_PLUGIN, (int)model->nplugin, "plug-ins", "left out");
#endif
#if mjVERSION_HEADER >= 3014000
    good = good && listGeoms(reader, isActive, "adhesion and surface velocity are left out");
#endif
    return good && listGeoms(reader, isUnknown, "signed distance fields are left out") &&
           listTerrain(reader) && listGeoms(reader, isEllipsoid, "ellipsoids are meshes of 1280 facets") &&
           listMixed(reader) &&
           listGeoms(reader, isSoft, "solref, solimp and solmix are left out: contacts are hard") &&
           listGeoms(reader, isWide, "margin and gap are left out") &&
           listGeoms(reader, hasPriority, "priorities are left out: the larger friction counts") &&
           listGeoms(reader, hasOtherCondim,
                     "condim is below another geom's, and counts for this one's own friction") &&
           listOptions(reader);
}
