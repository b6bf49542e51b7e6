// Which faces a sphere is tangent to. A sphere (c, r) touches the face of normal n and plane n.x = d from
// within if d - n.c = r and its point of contact c + r n lies on the face; both within a tolerance. A box
// knows its six planes; of a mesh the triangles near the sphere are looked at.
#include "geometry/face_normals.h"

#include "base.h"
#include "math/vec.h"

#include <string.h>

// Cosine of one degree: faces closer than that are one, such as the two triangles of a side, and the facets
// of a base that is not quite flat.
#define SAME_FACE 0.99984769515639124

// A base's facets face down within about 6 degrees.
#define BASE_COSINE 0.995

// The normals of one sphere.
typedef struct Contacts {
    pbdrVec3 centre;
    double radius, tolerance;
    int count;
    pbdrVec3 normals[PBDR_MAX_FACE_NORMALS];
    double misses[PBDR_MAX_FACE_NORMALS]; // |d - n.c - r| of each
} Contacts;

// Finds the contacts of one sphere; contacts holds the sphere.
typedef void FindContacts(const void* shape, Contacts* contacts);

void pbdrFaceNormals_Free(pbdrFaceNormals* normals)
{
    if (normals == NULL) {
        return;
    }
    pbdrHooks hooks = normals->hooks;
    if (normals->firsts != NULL) {
        pbdrRelease(&hooks, normals->normals, (size_t)normals->firsts[normals->sphereCount],
                    sizeof *normals->normals);
    }
    pbdrRelease(&hooks, normals->firsts, (size_t)normals->sphereCount + 1, sizeof *normals->firsts);
    memset(normals, 0, sizeof *normals);
}

// Of faces that count as one the nearest stays; of too many, the first.
static void addContact(Contacts* contacts, pbdrVec3 normal, double miss)
{
    int k = 0;
    while (k < contacts->count && pbdrDot(contacts->normals[k], normal) < SAME_FACE) {
        k++;
    }
    if (k == PBDR_MAX_FACE_NORMALS || (k < contacts->count && contacts->misses[k] <= miss)) {
        return;
    }
    contacts->normals[k] = normal;
    contacts->misses[k] = miss;
    contacts->count += k == contacts->count;
}

// --- Shapes ---

typedef struct Box {
    pbdrVec3 lower, upper;
} Box;

static void findBoxContacts(const void* shape, Contacts* contacts)
{
    const Box* box = shape;
    pbdrVec3 c = contacts->centre;
    const double distances[6] = {c.x - box->lower.x, box->upper.x - c.x, c.y - box->lower.y,
                                 box->upper.y - c.y, c.z - box->lower.z, box->upper.z - c.z};
    for (int i = 0; i < 6; i++) {
        double miss = fabs(distances[i] - contacts->radius), sign = i % 2 == 0 ? -1.0 : 1.0;
        if (miss <= contacts->tolerance) {
            addContact(contacts,
                       pbdrVec(i / 2 == 0 ? sign : 0.0, i / 2 == 1 ? sign : 0.0, i / 2 == 2 ? sign : 0.0),
                       miss);
        }
    }
}

static bool visitFace(void* context, const pbdrTriangle* triangle)
{
    Contacts* contacts = context;
    pbdrVec3 area = pbdrGetAreaVector(triangle);
    pbdrVec3 normal = pbdrScale(1.0 / pbdrLength(area), area);
    double distance = pbdrDot(normal, pbdrSub(triangle->corners[0], contacts->centre));
    double miss = fabs(distance - contacts->radius);
    if (miss > contacts->tolerance) {
        return true;
    }
    pbdrVec3 contact = pbdrAddScaled(contacts->centre, distance, normal);
    pbdrVec3 nearest = pbdrGetNearestOnTriangle(triangle, contact);
    if (pbdrLength(pbdrSub(nearest, contact)) <= contacts->tolerance) {
        addContact(contacts, normal, miss);
    }
    return true;
}

typedef struct StandingSolid {
    const pbdrSolid* solid;
    const pbdrBase* base; // may be NULL
} StandingSolid;

static void findSolidContacts(const void* shape, Contacts* contacts)
{
    const StandingSolid* standing = shape;
    pbdrVisitNear(pbdrGetSkin(standing->solid), contacts->centre,
                  contacts->radius + 2.0 * contacts->tolerance, visitFace, contacts);
    if (standing->base == NULL || !pbdrIsOnBase(standing->base, contacts->centre, contacts->radius)) {
        return;
    }
    int kept = 0;
    for (int k = 0; k < contacts->count; k++) {
        if (contacts->normals[k].z > -BASE_COSINE) {
            contacts->normals[kept++] = contacts->normals[k];
        }
    }
    kept = kept < PBDR_MAX_FACE_NORMALS ? kept : PBDR_MAX_FACE_NORMALS - 1;
    contacts->normals[kept] = pbdrVec(0.0, 0.0, -1.0);
    contacts->count = kept + 1;
}

// --- All spheres ---

static pbdrStatus findNormals(const pbdrSphereSet* set, FindContacts* find, const void* shape,
                              double tolerance, const pbdrHooks* hooks, pbdrFaceNormals* normals,
                              pbdrError* error)
{
    size_t n = (size_t)set->count;
    Contacts* all = pbdrAllocate(hooks, n, sizeof *all);
    normals->firsts = pbdrAllocate(hooks, n + 1, sizeof *normals->firsts);
    if (hooks != NULL) {
        normals->hooks = *hooks;
    }
    normals->sphereCount = set->count;
    pbdrStatus status = pbdr_statusOk;
    if (all != NULL && normals->firsts != NULL) {
        for (int i = 0; i < set->count; i++) {
            all[i].centre = set->positions[i];
            all[i].radius = set->radii[i];
            all[i].tolerance = tolerance;
            find(shape, &all[i]);
            normals->firsts[i + 1] = normals->firsts[i] + all[i].count;
        }
        normals->normals = pbdrAllocate(hooks, (size_t)normals->firsts[n], sizeof *normals->normals);
    }
    if (normals->normals == NULL) {
        status = pbdrFail(error, pbdr_statusNoMemory, "no memory for the normals of %d spheres", set->count);
    } else {
        for (int i = 0; i < set->count; i++) {
            memcpy(normals->normals + normals->firsts[i], all[i].normals,
                   (size_t)all[i].count * sizeof *all[i].normals);
        }
    }
    pbdrRelease(hooks, all, n, sizeof *all);
    if (status != pbdr_statusOk) {
        pbdrRelease(hooks, normals->firsts, n + 1, sizeof *normals->firsts);
        memset(normals, 0, sizeof *normals);
    }
    return status;
}

static pbdrStatus checkArguments(const pbdrSphereSet* set, double tolerance, const pbdrHooks* hooks,
                                 pbdrFaceNormals* normals, pbdrError* error)
{
    if (!PBDR_ASSERT(hooks, set != NULL && normals != NULL)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "set or normals: NULL");
    }
    memset(normals, 0, sizeof *normals);
    if (!isfinite(tolerance) || tolerance < 0.0) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "tolerance: %g m is not finite and at least zero",
                        tolerance);
    }
    if (set->count < 1) {
        return pbdrFail(error, pbdr_statusNoParticles, "set: %d spheres", set->count);
    }
    return pbdr_statusOk;
}

pbdrStatus pbdrFindSolidNormals(const pbdrSphereSet* set, const pbdrSolid* solid, const pbdrBase* base,
                                double tolerance, const pbdrHooks* hooks, pbdrFaceNormals* normals,
                                pbdrError* error)
{
    StandingSolid standing = {solid, base};
    return findNormals(set, findSolidContacts, &standing, tolerance, hooks, normals, error);
}

pbdrStatus pbdrFindMeshNormals(const pbdrSphereSet* set, const pbdrMesh* mesh, double tolerance,
                               const pbdrHooks* hooks, pbdrFaceNormals* normals, pbdrError* error)
{
    pbdrStatus status = checkArguments(set, tolerance, hooks, normals, error);
    pbdrSolid solid;
    if (status == pbdr_statusOk) {
        status = pbdrCreateSolid(mesh, PBDR_MAX_VOLUME_ERROR, hooks, &solid, error);
    }
    if (status != pbdr_statusOk) {
        return status;
    }
    status = pbdrFindSolidNormals(set, &solid, NULL, tolerance, hooks, normals, error);
    pbdrFreeSolid(&solid);
    return status;
}

pbdrStatus pbdrFindBoxNormals(const pbdrSphereSet* set, pbdrVec3 lower, pbdrVec3 upper, double tolerance,
                              const pbdrHooks* hooks, pbdrFaceNormals* normals, pbdrError* error)
{
    pbdrStatus status = checkArguments(set, tolerance, hooks, normals, error);
    if (status != pbdr_statusOk) {
        return status;
    }
    pbdrVec3 size = pbdrSub(upper, lower);
    if (!pbdrIsFiniteVec(size) || !(size.x > 0.0 && size.y > 0.0 && size.z > 0.0)) {
        return pbdrFail(error, pbdr_statusInvalidArgument, "box: %g x %g x %g m", size.x, size.y, size.z);
    }
    Box box = {lower, upper};
    return findNormals(set, findBoxContacts, &box, tolerance, hooks, normals, error);
}
