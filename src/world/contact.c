// Contacts of the last substep, as the API shows them, and their sums.
#include "world/internal.h"

// --- List ---

typedef struct Buffer {
    pbdrContact* contacts;
    int count, capacity;
} Buffer;

static void putContact(void* context, const pbdrContact* contact)
{
    Buffer* buffer = context;
    if (buffer->count < buffer->capacity) {
        buffer->contacts[buffer->count++] = *contact;
    }
}

int pbdrWorld_GetContacts(const pbdrWorld* world, pbdrContact* buffer, int capacity)
{
    Buffer put = {buffer, 0, capacity};
    return world->engine->visitContacts(world->engineState, capacity > 0 ? putContact : NULL, &put);
}

// --- Sums ---

// What contacts do to one body.
typedef struct Sum {
    const pbdrScene* scene;
    int32_t body, other, plane; // index1; other and plane: 0 for any
    pbdrVec3 point;
    pbdrWrench wrench;
} Sum;

pbdrVec3 pbdrGetActingPoint(const pbdrScene* scene, const pbdrContact* contact, bool onA)
{
    if (scene->solver == pbdr_solverXpbdR) {
        return contact->point;
    }
    if (onA) {
        const pbdrShape* shape = pbdrGetBody(scene, contact->bodyA.index1 - 1)->shape;
        return pbdrAddScaled(contact->point, shape->radii[contact->particleA], contact->normal);
    }
    const pbdrShape* shape = pbdrGetBody(scene, contact->bodyB.index1 - 1)->shape;
    return pbdrAddScaled(contact->point, -contact->separation - shape->radii[contact->particleB],
                         contact->normal);
}

static void addContact(void* context, const pbdrContact* contact)
{
    Sum* sum = context;
    const bool onA = contact->bodyA.index1 == sum->body, onB = contact->bodyB.index1 == sum->body;
    const int32_t other = onA ? contact->bodyB.index1 : contact->bodyA.index1;
    if ((!onA && !onB) || (sum->other != 0 && other != sum->other) ||
        (sum->plane != 0 && contact->plane.index1 != sum->plane)) {
        return;
    }
    const pbdrVec3 force = onA ? contact->force : pbdrScale(-1.0, contact->force);
    const pbdrVec3 lever = pbdrSub(pbdrGetActingPoint(sum->scene, contact, onA), sum->point);
    sum->wrench.force = pbdrAdd(sum->wrench.force, force);
    sum->wrench.torque = pbdrAdd(sum->wrench.torque, pbdrCross(lever, force));
}

// All ids have been looked up: contacts of the last substep are of live bodies and planes only.
static pbdrWrench sumContacts(const pbdrWorld* world, int32_t body, int32_t other, int32_t plane,
                              pbdrVec3 point)
{
    Sum sum = {&world->scene, body, other, plane, point, {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}}};
    world->engine->visitContacts(world->engineState, addContact, &sum);
    return sum.wrench;
}

static const pbdrWrench noWrench = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

pbdrWrench pbdrWorld_GetPairWrench(const pbdrWorld* world, pbdrBodyId body, pbdrBodyId other, pbdrVec3 point)
{
    int index;
    bool found = pbdrFindBody(world, body, &index) != NULL && pbdrFindBody(world, other, &index) != NULL;
    return found ? sumContacts(world, body.index1, other.index1, 0, point) : noWrench;
}

pbdrWrench pbdrWorld_GetPlaneWrench(const pbdrWorld* world, pbdrBodyId body, pbdrPlaneId plane,
                                    pbdrVec3 point)
{
    int index;
    bool found = pbdrFindBody(world, body, &index) != NULL && pbdrFindPlane(world, plane) != NULL;
    return found ? sumContacts(world, body.index1, 0, plane.index1, point) : noWrench;
}

pbdrWrench pbdrBody_GetContactWrench(const pbdrWorld* world, pbdrBodyId body, pbdrVec3 point)
{
    int index;
    bool found = pbdrFindBody(world, body, &index) != NULL;
    return found ? sumContacts(world, body.index1, 0, 0, point) : noWrench;
}
