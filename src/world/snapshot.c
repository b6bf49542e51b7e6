// Snapshots as bytes: a state, and what tells whose it is and whether it is whole. (snapshot.h has the layout.)
#include "world/snapshot.h"

#include "scene/bytes.h"

#include <inttypes.h>

uint64_t pbdrHashBytes(const void* bytes, size_t size)
{
    return pbdrAddToHash(PBDR_HASH_START, bytes, size);
}

// --- Writing ---

static size_t getBodiesSize(const pbdrScene* scene)
{
    return (size_t)scene->bodies.count * sizeof(pbdrSnapshotBody);
}

static int countPlanes(const pbdrScene* scene)
{
    int count = 0;
    for (int index = 0; index < scene->planes.count; index++) {
        count += pbdrGetPlane(scene, index)->alive;
    }
    return count;
}

size_t pbdrWorld_GetSnapshotSize(const pbdrWorld* world)
{
    return sizeof(pbdrSnapshotHead) + getBodiesSize(&world->scene) + pbdrWorld_GetStateSize(world) +
           sizeof(uint64_t);
}

static pbdrSnapshotHead describe(const pbdrWorld* world, uint64_t key)
{
    const pbdrScene* scene = &world->scene;
    pbdrSnapshotHead head = {
        .magic = PBDR_SNAPSHOT_MAGIC,
        .byteOrder = PBDR_BYTE_ORDER,
        .version = PBDR_SNAPSHOT_VERSION,
        .size = pbdrWorld_GetSnapshotSize(world),
        .stateSize = pbdrWorld_GetStateSize(world),
        .key = key,
        .substepCount = scene->substepCount,
        .hash = pbdrWorld_GetHash(world),
        .timeStep = scene->timeStep,
        .gravity = scene->gravity,
        .solver = (int32_t)scene->solver,
        .precision = (int32_t)scene->precision,
        .engine = (int32_t)world->engineKind,
        .contact = (int32_t)pbdrWorld_GetContactKind(world),
        .mixing = (int32_t)scene->mixing,
        .ablation = scene->ablation,
        .placeCount = scene->bodies.count,
        .bodyCount = scene->bodyCount,
        .planeCount = countPlanes(scene),
        .hasLedger = world->ledgerBook.on,
    };
    strncpy(head.library, pbdrVersion(), sizeof head.library - 1);
    if (world->ledgerBook.on) {
        head.ledger = world->ledgerBook.sums;
    }
    return head;
}

static pbdrSnapshotBody describeBody(const pbdrBody* body)
{
    return (pbdrSnapshotBody){
        .shape = body->alive ? body->shape->hash : 0,
        .generation = body->generation,
        .kind = body->alive ? (int32_t)body->kind : 0,
    };
}

pbdrStatus pbdrWorld_GetSnapshot(const pbdrWorld* world, uint64_t key, void* buffer, size_t size,
                                 pbdrError* error)
{
    const size_t needed = pbdrWorld_GetSnapshotSize(world);
    if (buffer == NULL || size < needed) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "snapshot: a buffer of %zu bytes for %zu", size,
                        needed);
    }
    const pbdrSnapshotHead head = describe(world, key);
    char* at = pbdrPutBytes(buffer, &head, sizeof head);
    for (int index = 0; index < world->scene.bodies.count; index++) {
        const pbdrSnapshotBody body = describeBody(pbdrGetBody(&world->scene, index));
        at = pbdrPutBytes(at, &body, sizeof body);
    }
    const pbdrStatus status = pbdrWorld_GetState(world, at, (size_t)head.stateSize, error);
    if (status == pbdr_statusOk) {
        const uint64_t sum = pbdrHashBytes(buffer, needed - sizeof sum);
        pbdrPutBytes(at + head.stateSize, &sum, sizeof sum);
    }
    return status;
}

// --- Whether it is whole ---

pbdrStatus pbdrCheckSnapshotHead(const pbdrSnapshotHead* head, size_t size, const char* name,
                                 pbdrError* error)
{
#define REFUSE(...) return pbdrFail(error, pbdr_statusFileFormat, __VA_ARGS__)
    if (size < sizeof head->magic || memcmp(head->magic, PBDR_SNAPSHOT_MAGIC, sizeof head->magic) != 0) {
        REFUSE("%s: not a snapshot of pbdr", name);
    }
    if (size < sizeof *head) {
        REFUSE("%s: truncated: %zu bytes are less than the head of a snapshot", name, size);
    }
    if (head->byteOrder != PBDR_BYTE_ORDER) {
        REFUSE("%s: its byte order is 0x%08" PRIx32 ", that of another kind of machine", name,
               head->byteOrder);
    }
    if (head->version != PBDR_SNAPSHOT_VERSION) {
        REFUSE("%s: a snapshot of version %" PRIu32 ", and this library reads version %d", name,
               head->version, PBDR_SNAPSHOT_VERSION);
    }
    if (head->size != size) {
        REFUSE("%s: %s: it has %zu bytes and should have %" PRIu64, name,
               size < head->size ? "truncated" : "something follows its end", size, head->size);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrCheckSnapshotSum(uint64_t stored, uint64_t found, const char* name, pbdrError* error)
{
    if (stored != found) {
        REFUSE("%s: damaged: its checksum is %016" PRIx64 ", and its bytes give %016" PRIx64, name, stored,
               found);
    }
    return pbdr_statusOk;
}

// --- Whether it is this world's ---

#undef REFUSE
#define REFUSE(...) return pbdrFail(error, pbdr_statusStateMismatch, __VA_ARGS__)

static const char* nameValue(const char* const* names, int count, int value)
{
    return value >= 0 && value < count ? names[value] : "unknown";
}

// A setting that creation fixes, by its words.
static pbdrStatus checkWord(const char* what, const char* const* words, int count, int theirs, int own,
                            const char* name, pbdrError* error)
{
    if (theirs != own) {
        REFUSE("%s: its %s is %s, and this world's is %s", name, what, nameValue(words, count, theirs),
               nameValue(words, count, own));
    }
    return pbdr_statusOk;
}

static pbdrStatus checkSettings(const pbdrSnapshotHead* head, const pbdrSnapshotHead* own, const char* name,
                                pbdrError* error)
{
    static const char* const solvers[] = {"PBD", "PBD-R", "XPBD-R"};
    static const char* const precisions[] = {"f32", "f64"};
    static const char* const engines[] = {"automatic", "particle", "reduced"};
    static const char* const contacts[] = {"automatic", "spheres", "surface"};
    static const char* const mixings[] = {"geometric mean", "minimum", "maximum", "average"};
    pbdrStatus status = checkWord("solver", solvers, 3, head->solver, own->solver, name, error);
#define CHECK_WORD(what, words, count, field)                                                                \
    status = status != pbdr_statusOk ? status                                                                \
                                     : checkWord(what, words, count, head->field, own->field, name, error)
    CHECK_WORD("precision", precisions, 2, precision);
    CHECK_WORD("engine", engines, 3, engine);
    CHECK_WORD("contact", contacts, 3, contact);
    CHECK_WORD("mixing of friction", mixings, 4, mixing);
#undef CHECK_WORD
    if (status == pbdr_statusOk && head->ablation != own->ablation) {
        REFUSE("%s: its ablation is 0x%" PRIx32 ", and this world's is 0x%" PRIx32, name, head->ablation,
               own->ablation);
    }
    return status;
}

static pbdrStatus checkBodies(const pbdrWorld* world, const char* at, const char* name, pbdrError* error)
{
    for (int index = 0; index < world->scene.bodies.count; index++) {
        const pbdrSnapshotBody own = describeBody(pbdrGetBody(&world->scene, index));
        pbdrSnapshotBody body;
        at = pbdrTakeBytes(at, &body, sizeof body);
        if (body.shape != own.shape) {
            REFUSE("%s: body %d has a shape of hash %016" PRIx64 ", and this world's of %016" PRIx64, name,
                   index, body.shape, own.shape);
        }
        if (body.kind != own.kind) {
            static const char* const kinds[] = {"dynamic", "static", "kinematic"};
            REFUSE("%s: body %d is %s, and this world's is %s", name, index, nameValue(kinds, 3, body.kind),
                   nameValue(kinds, 3, own.kind));
        }
        if (body.generation != own.generation) {
            REFUSE("%s: body %d is the %" PRIu32 ". at its place, and this world's the %" PRIu32 ".", name,
                   index, body.generation, own.generation);
        }
    }
    return pbdr_statusOk;
}

static pbdrStatus checkWorld(const pbdrWorld* world, const pbdrSnapshotHead* head, uint64_t key,
                             const char* name, pbdrError* error)
{
    const pbdrSnapshotHead own = describe(world, key);
    if (memcmp(head->library, own.library, sizeof head->library) != 0) {
        REFUSE("%s: made by pbdr %.15s, and this is %s", name, head->library, own.library);
    }
    const pbdrStatus status = checkSettings(head, &own, name, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    if (head->bodyCount != own.bodyCount || head->planeCount != own.planeCount ||
        head->placeCount != own.placeCount) {
        REFUSE("%s: of %d bodies and %d planes, and this world has %d and %d", name, (int)head->bodyCount,
               (int)head->planeCount, (int)own.bodyCount, (int)own.planeCount);
    }
    if (head->stateSize > head->size ||
        head->size - head->stateSize != sizeof *head + getBodiesSize(&world->scene) + sizeof(uint64_t)) {
        REFUSE("%s: a state of %" PRIu64 " bytes in a snapshot of %" PRIu64, name, head->stateSize,
               head->size);
    }
    return pbdr_statusOk;
}

static pbdrStatus checkKey(const pbdrSnapshotHead* head, uint64_t key, const char* name, pbdrError* error)
{
    if (head->key != key) {
        REFUSE("%s: of another scene, or made with other options: its key is %016" PRIx64
               ", and this one's is %016" PRIx64,
               name, head->key, key);
    }
    return pbdr_statusOk;
}

// --- Reading ---

// Takes a state over. Where memory runs out in the middle of it, the world gets back what it had, which needs
// no more memory than it holds already.
static pbdrStatus takeState(pbdrWorld* world, const char* state, size_t size, const char* name,
                            pbdrError* error)
{
    pbdrMemory* memory = &world->scene.memory;
    const size_t keptSize = pbdrWorld_GetStateSize(world);
    char* kept = pbdrTakeMemory(memory, 1, keptSize);
    if (kept == NULL) {
        return pbdrFail(error, pbdr_statusNoMemory, "%s: out of memory", name);
    }
    pbdrStatus status = pbdrWorld_GetState(world, kept, keptSize, error);
    pbdrError cause = {0};
    if (status == pbdr_statusOk) {
        status = pbdrWorld_SetState(world, state, size, &cause);
        if (status == pbdr_statusNoMemory) {
            pbdrWorld_SetState(world, kept, keptSize, NULL);
        }
        if (status != pbdr_statusOk) {
            pbdrFail(error, status, "%s: %s", name, cause.message);
        }
    }
    pbdrGiveMemory(memory, kept, 1, keptSize);
    return status;
}

pbdrStatus pbdrWorld_SetSnapshot(pbdrWorld* world, uint64_t key, const void* buffer, size_t size,
                                 const char* name, pbdrError* error)
{
    pbdrSnapshotHead head;
    memset(&head, 0, sizeof head);
    name = name != NULL ? name : "snapshot";
    if (buffer != NULL) {
        memcpy(&head, buffer, size < sizeof head ? size : sizeof head);
    }
    pbdrStatus status = pbdrCheckSnapshotHead(&head, buffer != NULL ? size : 0, name, error);
    if (status == pbdr_statusOk) {
        uint64_t sum;
        memcpy(&sum, (const char*)buffer + size - sizeof sum, sizeof sum);
        status = pbdrCheckSnapshotSum(sum, pbdrHashBytes(buffer, size - sizeof sum), name, error);
    }
    const char* bodies = (const char*)buffer + sizeof head;
    status = status != pbdr_statusOk ? status : checkWorld(world, &head, key, name, error);
    status = status != pbdr_statusOk ? status : checkBodies(world, bodies, name, error);
    status = status != pbdr_statusOk ? status : checkKey(&head, key, name, error);
    if (status == pbdr_statusOk) {
        const char* state = bodies + getBodiesSize(&world->scene);
        status = takeState(world, state, (size_t)head.stateSize, name, error);
    }
    if (status == pbdr_statusOk && world->ledgerBook.on) {
        world->ledgerBook.sums = head.hasLedger != 0 ? head.ledger : (pbdrLedgerSums){0};
    }
    return status;
}
