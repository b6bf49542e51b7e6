// Snapshots: a pile goes on bit for bit from any substep; whatever is damaged or of another world is refused
// with a message that names it, and the world stays as it was.
#include "scenes.h"

#include "math/random.h"
#include "world/snapshot.h"

#define FILE_NAME "snapshot_test.snap"
#define KEY UINT64_C(0x1234)

// --- Scenes ---

// Boxes of any turn in a loose heap over the ground, n^3 of them, touching by their surfaces (XPBD-R) or spheres.
static pbdrWorld* makePile(pbdrSolver solver, int n)
{
    pbdrWorldDef def = pbdrDefaultWorldDef();
    def.solver = solver;
    pbdrWorld* world = makeWorld(def);
    addGround(world, 0.4);
    pbdrShape* box = NULL;
    pbdrError error;
    require(pbdrCreateBoxShape((pbdrVec3){0.2, 0.2, 0.2}, 4.0, 3, &box, &error), &error);
    uint64_t random = 7;
    for (int k = 0; k < n * n * n; k++) {
        pbdrBodyDef body = pbdrDefaultBodyDef();
        body.position = (pbdrVec3){0.25 * (k % n), 0.25 * (k / n % n), 0.14 + 0.23 * (k / n / n)};
        body.rotation = (pbdrQuat){1.0, 0.4 * pbdrNextUniform(&random), 0.4 * pbdrNextUniform(&random),
                                   0.4 * pbdrNextUniform(&random)};
        double length = sqrt(1.0 + body.rotation.x * body.rotation.x + body.rotation.y * body.rotation.y +
                             body.rotation.z * body.rotation.z);
        body.rotation.w /= length, body.rotation.x /= length;
        body.rotation.y /= length, body.rotation.z /= length;
        body.velocity.linear = (pbdrVec3){0.0, 0.0, -1.5};
        body.friction = 0.4;
        require(pbdrCreateBodyFromShape(world, &body, box, NULL, &error), &error);
    }
    pbdrReleaseShape(box);
    return world;
}

static unsigned char* takeSnapshot(const pbdrWorld* world, size_t* size)
{
    *size = pbdrWorld_GetSnapshotSize(world);
    unsigned char* bytes = malloc(*size);
    pbdrError error;
    require(pbdrWorld_GetSnapshot(world, KEY, bytes, *size, &error), &error);
    return bytes;
}

// As a forger would: the checksum is right again.
static void sumAnew(unsigned char* bytes, size_t size)
{
    const uint64_t sum = pbdrHashBytes(bytes, size - sizeof sum);
    memcpy(bytes + size - sizeof sum, &sum, sizeof sum);
}

// --- Going on ---

// 50 random substeps of a pile: a world made anew that loads the file has the saved world's state to the last
// byte, has it still 5 substeps later, and at the end of the run.
static void checkResume(pbdrSolver solver, int n, int substeps, int snapshots)
{
    enum { MOST = 64 };
    unsigned char* later[MOST];
    size_t laterSize[MOST];
    int at[MOST];
    uint64_t random = 11;
    pbdrError error;
    pbdrWorld* world = makePile(solver, n);
    char name[MOST][64];
    uint64_t* hashes = malloc((size_t)(substeps + 1) * sizeof *hashes);
    for (int k = 0; k < snapshots; k++) {
        at[k] = (int)(pbdrNextUniform(&random) * (substeps - 6));
        // n too: the case of the larger pile is a test of its own and may run at the same time, in the same folder
        snprintf(name[k], sizeof name[k], "snapshot_test_%d_%d_%d.snap", (int)solver, n, k);
    }
    for (int i = 0; i <= substeps; i++) {
        hashes[i] = pbdrWorld_GetHash(world);
        for (int k = 0; k < snapshots; k++) {
            if (at[k] == i) {
                require(pbdrWorld_SaveSnapshot(world, KEY, name[k], &error), &error);
            }
            if (at[k] + 5 == i) {
                later[k] = saveState(world, &laterSize[k]);
            }
        }
        pbdrWorld_Step(world, i < substeps ? 1 : 0);
    }
    CHECK_GE(pbdrWorld_GetContacts(world, NULL, 0), 4);
    for (int k = 0; k < snapshots; k++) {
        pbdrWorld* other = makePile(solver, n);
        require(pbdrWorld_LoadSnapshot(other, KEY, name[k], &error), &error);
        CHECK(pbdrWorld_GetSubstepCount(other) == (uint64_t)at[k]);
        CHECK(pbdrWorld_GetHash(other) == hashes[at[k]]);
        pbdrWorld_Step(other, 5);
        size_t size;
        unsigned char* state = saveState(other, &size);
        CHECK(size == laterSize[k] && memcmp(state, later[k], size) == 0);
        if (k % 5 == 0) {
            pbdrWorld_Step(other, substeps - at[k] - 5);
            CHECK(haveSameState(world, other));
        }
        free(state), free(later[k]);
        remove(name[k]);
        pbdrDestroyWorld(other);
    }
    free(hashes);
    pbdrDestroyWorld(world);
}

static void snapshot__of_a_pile_resumes_bit_for_bit(void)
{
    checkResume(pbdr_solverXpbdR, 2, 200, 50);
    checkResume(pbdr_solverPbdR, 2, 200, 50);
}

static void snapshot__of_a_larger_pile_resumes_bit_for_bit(void)
{
    checkResume(pbdr_solverXpbdR, 3, 400, 50);
}

// --- What is refused ---

// Refused with a message that names it, and the world stays as it was.
static bool isRefused(pbdrWorld* world, const unsigned char* bytes, size_t size, pbdrStatus wanted)
{
    const uint64_t hash = pbdrWorld_GetHash(world);
    const size_t stateSize = pbdrWorld_GetStateSize(world);
    pbdrError error = {0};
    const pbdrStatus status = pbdrWorld_SetSnapshot(world, KEY, bytes, size, "run.snap", &error);
    const bool refused = status == wanted && strncmp(error.message, "run.snap: ", 10) == 0 &&
                         strlen(error.message) > 20 && pbdrWorld_GetHash(world) == hash &&
                         pbdrWorld_GetStateSize(world) == stateSize;
    if (!refused) {
        printf("    %s: %s\n", pbdrStatusName(status), error.message);
    }
    return refused;
}

static void snapshot__damaged_in_any_way_is_refused(void)
{
    enum { TRIALS = 10000, STRANGERS = 6 };
    pbdrWorld* world = makePile(pbdr_solverXpbdR, 2);
    pbdrWorld_Step(world, 60);
    size_t size, otherSize, strangerSize[STRANGERS];
    unsigned char* good = takeSnapshot(world, &size);
    pbdrWorld_Step(world, 40);
    unsigned char* other = takeSnapshot(world, &otherSize);
    unsigned char* stranger[STRANGERS];
    size_t most = size > otherSize ? size : otherSize;
    for (int k = 0; k < STRANGERS; k++) { // of other solvers and of other numbers of bodies
        pbdrWorld* maker = makePile((pbdrSolver)(k % 3), 1 + k / 3 + (k == 5));
        pbdrWorld_Step(maker, 10 * k);
        stranger[k] = takeSnapshot(maker, &strangerSize[k]);
        most = strangerSize[k] > most ? strangerSize[k] : most;
        pbdrDestroyWorld(maker);
    }
    size_t stateSize;
    unsigned char* state = saveState(world, &stateSize);
    unsigned char* bytes = malloc(most + 128);
    uint64_t random = 3;
    int refused = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const unsigned char* from = trial % 2 == 0 ? good : other;
        const unsigned char* source = trial % 2 == 0 ? other : good;
        const size_t fromSize = trial % 2 == 0 ? size : otherSize;
        const size_t sourceSize = trial % 2 == 0 ? otherSize : size;
        size_t length = fromSize;
        pbdrStatus wanted = pbdr_statusFileFormat;
        memcpy(bytes, from, fromSize);
        const double u = pbdrNextUniform(&random), w = pbdrNextUniform(&random);
        if (trial % 5 == 0) { // truncated, or with something behind
            length = (size_t)(u * (double)fromSize);
            if (trial % 50 == 0) {
                length = fromSize + 1 + (size_t)(u * 100.0);
                memset(bytes + fromSize, trial, length - fromSize);
            }
        } else if (trial % 5 == 1) { // one bit flipped, every other one in the head
            const size_t range = trial % 2 == 0 ? fromSize : sizeof(pbdrSnapshotHead);
            bytes[(size_t)(u * (double)range)] ^= (unsigned char)(1 << (int)(w * 8.0));
        } else if (trial % 5 == 2) { // bytes of another place, or of the other snapshot of the same run
            const size_t place = (size_t)(u * (double)(fromSize - 64));
            memcpy(bytes + place, source + (size_t)(w * (double)(sourceSize - 64)), 64);
            if (memcmp(bytes, from, fromSize) == 0) {
                bytes[place]++; // it was the same
            }
        } else if (trial % 5 == 3) { // the beginning of one and the end of the other
            const size_t place = sizeof(uint64_t) + (size_t)(u * (double)(fromSize - 3 * sizeof(uint64_t)));
            const size_t rest = fromSize - place < sourceSize ? fromSize - place : sourceSize;
            memcpy(bytes + fromSize - rest, source + sourceSize - rest, rest);
        } else { // whole and sound, but another world's
            const int k = trial / 5 % STRANGERS;
            if (k == 2) { // a version of later
                memcpy(bytes, other, otherSize);
                length = otherSize;
                ((pbdrSnapshotHead*)(void*)bytes)->version = 2 + (uint32_t)(u * 1.0e6);
                sumAnew(bytes, length);
            } else {
                memcpy(bytes, stranger[k], strangerSize[k]);
                length = strangerSize[k];
                wanted = pbdr_statusStateMismatch;
            }
        }
        refused += isRefused(world, bytes, length, wanted);
    }
    CHECK_EQ(refused, TRIALS);
    size_t sizeAfter;
    unsigned char* after = saveState(world, &sizeAfter);
    CHECK(sizeAfter == stateSize && memcmp(after, state, stateSize) == 0);
    pbdrError error;
    CHECK(pbdrWorld_SetSnapshot(world, KEY, good, size, NULL, &error) == pbdr_statusOk);
    for (int k = 0; k < STRANGERS; k++) {
        free(stranger[k]);
    }
    free(good), free(other), free(bytes), free(state), free(after);
    pbdrDestroyWorld(world);
}

// Even with a right checksum: a state that is not one is the state's own check to refuse (unit_state).
static void snapshot__forged_never_crashes(void)
{
    pbdrWorld* world = makePile(pbdr_solverXpbdR, 2);
    pbdrWorld_Step(world, 60);
    size_t size;
    unsigned char *good = takeSnapshot(world, &size), *bytes = malloc(size);
    uint64_t random = 5;
    int taken = 0;
    for (int trial = 0; trial < 1000; trial++) {
        memcpy(bytes, good, size);
        const size_t range = trial % 2 == 0 ? size - 8 : sizeof(pbdrSnapshotHead) + 128;
        for (int k = 0; k < 4; k++) {
            bytes[(size_t)(pbdrNextUniform(&random) * (double)range)] ^=
                (unsigned char)(pbdrNextUniform(&random) * 256.0);
        }
        sumAnew(bytes, size);
        pbdrError error = {0};
        if (pbdrWorld_SetSnapshot(world, KEY, bytes, size, NULL, &error) == pbdr_statusOk) {
            taken++;
            pbdrWorld_GetContacts(world, NULL, 0);
        } else {
            CHECK(error.message[0] != 0);
        }
    }
    CHECK_GE(taken, 10);
    CHECK(pbdrWorld_SetSnapshot(world, KEY, good, size, NULL, NULL) == pbdr_statusOk);
    CHECK_EQ(pbdrWorld_Step(world, 1) & pbdr_stepNotFinite, 0);
    free(good), free(bytes);
    pbdrDestroyWorld(world);
}

// --- What is said ---

static void checkMessage(pbdrWorld* world, unsigned char* bytes, size_t size, const char* part)
{
    pbdrError error = {0};
    sumAnew(bytes, size);
    CHECK(pbdrWorld_SetSnapshot(world, KEY, bytes, size, "a.snap", &error) != pbdr_statusOk);
    CHECK_TEXT(error.message, "a.snap: ");
    CHECK_TEXT(error.message, part);
}

static void snapshot__messages_say_what_differs(void)
{
    pbdrWorld* world = makePile(pbdr_solverXpbdR, 2);
    size_t size;
    unsigned char* good = takeSnapshot(world, &size);
    unsigned char* bytes = malloc(size);
    pbdrSnapshotHead* head = (pbdrSnapshotHead*)(void*)bytes;
    pbdrSnapshotBody* bodies = (pbdrSnapshotBody*)(void*)(bytes + sizeof *head);
#define CHANGED(change, part) memcpy(bytes, good, size), (change), checkMessage(world, bytes, size, part)
    CHANGED(head->magic[0] = 'P', "not a snapshot");
    CHANGED(head->byteOrder = 0x04030201, "another kind of machine");
    CHANGED(head->version = 9, "version 9, and this library reads version 1");
    CHANGED(head->size += 5, "truncated");
    CHANGED(head->size -= 5, "follows its end");
    CHANGED(head->library[0] = '7', "made by pbdr 7.");
    CHANGED(head->solver = pbdr_solverPbdR, "its solver is PBD-R, and this world's is XPBD-R");
    CHANGED(head->solver = -4, "its solver is unknown");
    CHANGED(head->precision = pbdr_precisionF32, "its precision is f32");
    CHANGED(head->engine = pbdr_engineParticle, "its engine is particle");
    CHANGED(head->contact = pbdr_contactSpheres, "its contact is spheres, and this world's is surface");
    CHANGED(head->mixing = pbdr_mixMinimum, "minimum");
    CHANGED(head->ablation = 3, "ablation is 0x3");
    CHANGED(head->bodyCount = 7, "of 7 bodies and 1 planes, and this world has 8 and 1");
    CHANGED(head->planeCount = 2, "and 2 planes");
    CHANGED(head->placeCount = 1 << 30, "of 8 bodies");
    CHANGED(head->stateSize = UINT64_MAX - 8, "a state of");
    CHANGED(head->key++, "another scene");
    CHANGED(bodies[3].shape ^= 1, "body 3 has a shape of hash");
    CHANGED(bodies[4].kind = pbdr_bodyStatic, "body 4 is static, and this world's is dynamic");
    CHANGED(bodies[5].generation = 2, "body 5 is the 2. at its place");
#undef CHANGED
    pbdrError error = {0};
    CHECK(pbdrWorld_SetSnapshot(world, KEY, NULL, 100, NULL, &error) == pbdr_statusFileFormat);
    CHECK_TEXT(error.message, "snapshot: not a snapshot");
    CHECK(pbdrWorld_GetSnapshot(world, KEY, bytes, size - 1, &error) == pbdr_statusInvalidArgument);
    free(good), free(bytes);
    pbdrDestroyWorld(world);
}

// --- Files ---

static bool fileExists(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file != NULL) {
        fclose(file);
    }
    return file != NULL;
}

static void snapshot__files_appear_whole_or_not_at_all(void)
{
    pbdrWorld* world = makePile(pbdr_solverXpbdR, 2);
    pbdrWorld_Step(world, 30);
    pbdrError error = {0};
    CHECK(pbdrWorld_SaveSnapshot(world, KEY, FILE_NAME, &error) == pbdr_statusOk);
    CHECK(!fileExists(FILE_NAME ".tmp"));
    pbdrSnapshotInfo info;
    require(pbdrReadSnapshotInfo(FILE_NAME, &info, &error), &error);
    CHECK(info.key == KEY && info.substepCount == 30 && info.hash == pbdrWorld_GetHash(world));
    CHECK(info.solver == pbdr_solverXpbdR && info.contact == pbdr_contactSurface && info.bodyCount == 8 &&
          info.planeCount == 1 && info.size == pbdrWorld_GetSnapshotSize(world));
    CHECK_EQ(info.timeStep, 1.0e-3);
    CHECK_EQ(info.gravity.z, -9.81);
    // a folder's name cannot be written, and the file that is there stays
    CHECK(pbdrWorld_SaveSnapshot(world, KEY, "no/such/folder/a.snap", &error) == pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "no/such/folder/a.snap: cannot write: ");
    CHECK(pbdrWorld_LoadSnapshot(world, KEY, "no_such.snap", &error) == pbdr_statusFileNotFound);
    CHECK_TEXT(error.message, "no_such.snap: ");
    CHECK(pbdrWorld_LoadSnapshot(world, KEY, ".", &error) == pbdr_statusFileNotFound);
    char* longName = malloc(6000);
    memset(longName, 'a', 5999), longName[5999] = 0;
    CHECK(pbdrWorld_SaveSnapshot(world, KEY, longName, &error) == pbdr_statusInvalidArgument);
    free(longName);
    // a damaged file is named, by both readers
    size_t size;
    unsigned char* bytes = takeSnapshot(world, &size);
    const size_t sizes[] = {0, 7, 8, 100, sizeof(pbdrSnapshotHead), size - 1, size};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        FILE* file = fopen(FILE_NAME, "wb");
        bytes[size - 20] ^= sizes[k] == size;
        fwrite(bytes, 1, sizes[k], file);
        fclose(file);
        CHECK(pbdrWorld_LoadSnapshot(world, KEY, FILE_NAME, &error) == pbdr_statusFileFormat);
        CHECK_TEXT(error.message, FILE_NAME ": ");
        CHECK(pbdrReadSnapshotInfo(FILE_NAME, &info, &error) == pbdr_statusFileFormat);
        CHECK_TEXT(error.message, sizes[k] < 8      ? "not a snapshot"
                                  : sizes[k] < size ? "truncated"
                                                    : "damaged: its checksum");
    }
    free(bytes);
    remove(FILE_NAME);
    pbdrDestroyWorld(world);
}

// The ledger's sums go along: a resumed run's rows are those of the run that was not stopped.
static void snapshot__keeps_the_ledger(void)
{
    pbdrWorld *a = makePile(pbdr_solverXpbdR, 2), *b = makePile(pbdr_solverXpbdR, 2);
    pbdrWorld_SetLedger(a, true), pbdrWorld_SetLedger(b, true);
    pbdrWorld_Step(a, 105);
    size_t size;
    unsigned char* bytes = takeSnapshot(a, &size);
    CHECK(pbdrWorld_SetSnapshot(b, KEY, bytes, size, NULL, NULL) == pbdr_statusOk);
    pbdrLedger rowA, rowB;
    for (int k = 0; k < 3; k++) {
        pbdrWorld_Step(a, 5), pbdrWorld_Step(b, 5);
        pbdrWorld_TakeLedger(a, &rowA), pbdrWorld_TakeLedger(b, &rowB);
        for (int column = 0; column < PBDR_LEDGER_COLUMNS; column++) {
            double x = pbdrLedger_GetValue(&rowA, column), y = pbdrLedger_GetValue(&rowB, column);
            CHECK(x == y || (isnan(x) && isnan(y)));
        }
    }
    CHECK_LE(rowB.friction, -1.0e-3);
    // a world that kept none leaves zero behind
    pbdrWorld_SetLedger(a, false);
    free(bytes);
    bytes = takeSnapshot(a, &size);
    CHECK(pbdrWorld_SetSnapshot(b, KEY, bytes, size, NULL, NULL) == pbdr_statusOk);
    pbdrWorld_GetLedger(b, &rowB);
    CHECK_EQ(rowB.friction, 0.0);
    free(bytes);
    pbdrDestroyWorld(a), pbdrDestroyWorld(b);
}

int main(int argc, char** argv)
{
    CASES(argc, argv, {"snapshot__of_a_pile_resumes_bit_for_bit", snapshot__of_a_pile_resumes_bit_for_bit},
          {"snapshot__of_a_larger_pile_resumes_bit_for_bit", snapshot__of_a_larger_pile_resumes_bit_for_bit},
          {"snapshot__damaged_in_any_way_is_refused", snapshot__damaged_in_any_way_is_refused},
          {"snapshot__forged_never_crashes", snapshot__forged_never_crashes},
          {"snapshot__messages_say_what_differs", snapshot__messages_say_what_differs},
          {"snapshot__files_appear_whole_or_not_at_all", snapshot__files_appear_whole_or_not_at_all},
          {"snapshot__keeps_the_ledger", snapshot__keeps_the_ledger});
}
