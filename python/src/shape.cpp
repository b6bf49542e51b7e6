// Shapes: primitives, packed meshes and point clouds, spheres.
#include "shape.h"

#include <pbdr/meshfile.h>

#include <cstdio>
#include <cstring>

nb::object makeShape(pbdrShape* shape, nb::object recipe, nb::object quality)
{
    return nb::cast(new Shape(shape, std::move(recipe), std::move(quality)), nb::rv_policy::take_ownership);
}

// --- Primitives ---

static nb::object makeBox(nb::handle size, double mass, int n)
{
    pbdrVec3 sides;
    if (PySequence_Check(size.ptr()) && !PyUnicode_Check(size.ptr())) {
        sides = toVec(size, "size");
    } else {
        const double side = PyFloat_AsDouble(size.ptr());
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw nb::type_error("size: wanted a number or three");
        }
        sides = {side, side, side};
    }
    pbdrShape* shape = nullptr;
    pbdrError error;
    check(pbdrCreateBoxShape(sides, mass, n, &shape, &error), error);
    return makeShape(shape, nb::make_tuple("box", nb::make_tuple(sides.x, sides.y, sides.z), mass, n));
}

static nb::object makeBall(double radius, double mass)
{
    pbdrShape* shape = nullptr;
    pbdrError error;
    check(pbdrCreateBallShape(radius, mass, &shape, &error), error);
    return makeShape(shape, nb::make_tuple("ball", radius, mass));
}

static nb::object makeCapsule(double radius, double length, double mass)
{
    pbdrShape* shape = nullptr;
    pbdrError error;
    check(pbdrCreateCapsuleShape(radius, length, mass, &shape, &error), error);
    return makeShape(shape, nb::make_tuple("capsule", radius, length, mass));
}

static nb::object makeCylinder(double radius, double height, double mass, int n)
{
    pbdrShape* shape = nullptr;
    pbdrError error;
    check(pbdrCreateCylinderShape(radius, height, mass, n, &shape, &error), error);
    return makeShape(shape, nb::make_tuple("cylinder", radius, height, mass, n));
}

// --- Spheres, and what packing made of meshes ---

// Borrowed arrays as what the library takes for a packed body.
struct PackedParts {
    Rows positions;
    Column radii, masses;
    Rows vertices;
    nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu> triangles;
    bool hasMesh = false;
    pbdrPackedBody body = {};

    PackedParts(nb::handle positionsIn, nb::handle radiiIn, nb::handle massesIn, nb::handle extraInertia, nb::handle mesh)
        : positions(toRows(positionsIn, 3, "positions")), radii(toColumn(radiiIn, "radii")),
          masses(toColumn(massesIn, "masses"))
    {
        if (radii.shape(0) != positions.shape(0) || masses.shape(0) != positions.shape(0)) {
            throw nb::value_error("spheres: positions, radii and masses are not equally many");
        }
        body.spheres.count = int(positions.shape(0));
        body.spheres.positions = reinterpret_cast<pbdrVec3*>(const_cast<double*>(positions.data()));
        body.spheres.radii = const_cast<double*>(radii.data());
        body.spheres.masses = const_cast<double*>(masses.data());
        if (!extraInertia.is_none()) {
            const Rows extra = toRows(extraInertia, 3, "extra_inertia");
            if (extra.shape(0) != 3) {
                throw nb::value_error("extra_inertia: wanted an array of shape (3, 3)");
            }
            std::memcpy(&body.extraInertia, extra.data(), sizeof body.extraInertia);
        }
        if (!mesh.is_none()) {
            takeMesh(mesh[0], mesh[1]);
        }
    }

    void takeMesh(nb::handle verticesIn, nb::handle trianglesIn)
    {
        hasMesh = true;
        vertices = toRows(verticesIn, 3, "vertices");
        nb::object indices = getAttribute("pbdr._shapes", "read_faces")(trianglesIn);
        if (!nb::try_cast(indices, triangles) || triangles.shape(1) != 3) {
            throw nb::value_error("faces: wanted an array of shape (N, 3)");
        }
        body.mesh.vertexCount = int(vertices.shape(0));
        body.mesh.vertices = reinterpret_cast<pbdrVec3*>(const_cast<double*>(vertices.data()));
        body.mesh.triangleCount = int(triangles.shape(0));
        body.mesh.triangles = reinterpret_cast<int32_t(*)[3]>(const_cast<int32_t*>(triangles.data()));
        for (size_t k = 0; k < 3 * triangles.shape(0); k++) {
            if (triangles.data()[k] < 0 || triangles.data()[k] >= body.mesh.vertexCount) {
                throw nb::value_error("faces: an index is out of range");
            }
        }
    }
};

static nb::object makeSpheres(nb::handle positions, nb::handle radii, nb::handle masses, nb::handle extraInertia, nb::handle mesh)
{
    const PackedParts parts(positions, radii, masses, extraInertia, mesh);
    pbdrShape* shape = nullptr;
    pbdrError error;
    check(pbdrCreatePackedShape(&parts.body, nullptr, &shape, &error), error);
    // the caller may change his arrays later
    nb::object copy = getAttribute("copy", "deepcopy");
    return makeShape(shape, nb::make_tuple("spheres", copy(positions), copy(radii), copy(masses), copy(extraInertia), copy(mesh)));
}

static nb::object describeQuality(const pbdrPackedBody& body)
{
    const pbdrPackingQuality& q = body.quality;
    nb::dict d;
    d["spheres"] = q.sphereCount;
    d["volume_m3"] = q.volume;
    d["volume_error_m3"] = q.volumeError;
    d["cover"] = q.cover;
    d["mean_gap_m"] = q.meanGap;
    d["largest_gap_m"] = q.largestGap;
    d["protrusion_m"] = q.protrusion;
    d["support_area_m2"] = q.supportArea;
    d["margin_m"] = q.margin;
    d["inertia_error_before"] = body.inertiaErrorBefore;
    d["inertia_error_after"] = body.inertiaErrorAfter;
    return std::move(d);
}

static nb::tuple fromMesh(pbdrMesh& mesh)
{
    nb::object vertices = makeArray(&mesh.vertices[0].x, {size_t(mesh.vertexCount), 3});
    int32_t* copy = new int32_t[3 * size_t(mesh.triangleCount)];
    std::memcpy(copy, mesh.triangles, 3 * size_t(mesh.triangleCount) * sizeof *copy);
    nb::capsule owner(copy, [](void* memory) noexcept { delete[] static_cast<int32_t*>(memory); });
    nb::object faces = nb::cast(nb::ndarray<nb::numpy, int32_t>(copy, {size_t(mesh.triangleCount), 3}, owner),
                                nb::rv_policy::reference);
    return nb::make_tuple(vertices, faces);
}

// The shape of a packed body, which it frees.
static nb::object finishPacked(pbdrPackedBody& body)
{
    pbdrShape* shape = nullptr;
    pbdrError error;
    const size_t count = size_t(body.spheres.count);
    nb::object positions = makeArray(&body.spheres.positions[0].x, {count, 3});
    nb::object radii = makeArray(body.spheres.radii, {count}), masses = makeArray(body.spheres.masses, {count});
    nb::object recipe = nb::make_tuple("spheres", positions, radii, masses, fromMat(body.extraInertia), fromMesh(body.mesh));
    nb::object quality = body.hasQuality ? describeQuality(body) : nb::object(nb::none());
    const pbdrStatus status = pbdrCreatePackedShape(&body, nullptr, &shape, &error);
    pbdrPackedBody_Free(&body);
    check(status, error);
    return makeShape(shape, recipe, quality);
}

static bool goOn(void*, pbdrPackStage, double)
{
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() == 0;
}

static pbdrPackDef readPacking(nb::dict options)
{
    static const char* const sources[] = {"mended", "wrapped", "hull", nullptr};
    static const char* const packings[] = {"surface", "grid", nullptr};
    pbdrPackDef def = pbdrDefaultPackDef();
    def.source = pbdrPackSource(toWord(nb::cast<std::string>(options["source"]), sources, "source"));
    def.spheres = pbdrPackSpheres(toWord(nb::cast<std::string>(options["packing"]), packings, "packing"));
    def.mass = nb::cast<double>(options["mass"]);
    def.density = nb::cast<double>(options["density"]);
    def.size = nb::cast<double>(options["size"]);
    def.extent = nb::cast<double>(options["extent"]);
    def.scale = nb::cast<double>(options["scale"]);
    def.count = nb::cast<int>(options["spheres"]);
    def.radius = nb::cast<double>(options["radius"]);
    def.maxVolumeError = nb::cast<double>(options["max_volume_error"]);
    def.uniformMasses = nb::cast<bool>(options["uniform_masses"]);
    def.skipQuality = !nb::cast<bool>(options["quality"]);
    def.seed = nb::cast<uint64_t>(options["seed"]);
    def.sampleCount = 20000;
    def.progress = goOn;
    return def;
}

static nb::object finishPacking(pbdrStatus status, const pbdrError& error, pbdrPackedBody& body)
{
    if (PyErr_Occurred() != nullptr) {
        throw nb::python_error(); // Ctrl-C
    }
    check(status, error);
    return finishPacked(body);
}

static nb::object packMesh(nb::handle vertices, nb::handle faces, nb::dict options)
{
    const pbdrPackDef def = readPacking(options);
    PackedParts parts(nb::make_tuple(nb::make_tuple(0.0, 0.0, 0.0)), nb::make_tuple(1.0), nb::make_tuple(1.0), nb::none(),
                      nb::make_tuple(vertices, faces));
    pbdrMesh mesh;
    pbdrPackedBody body;
    pbdrError error;
    check(pbdrCreateMesh(parts.body.mesh.vertices, parts.body.mesh.vertexCount, parts.body.mesh.triangles,
                         parts.body.mesh.triangleCount, nullptr, &mesh, nullptr, &error),
          error);
    pbdrStatus status;
    {
        nb::gil_scoped_release release;
        status = pbdrPackMeshBody(&mesh, &def, nullptr, &body, nullptr, &error);
    }
    pbdrMesh_Free(&mesh);
    return finishPacking(status, error, body);
}

static nb::object packCloud(nb::handle points, nb::handle normals, nb::dict options)
{
    const pbdrPackDef def = readPacking(options);
    const Rows rows = toRows(points, 3, "points");
    Rows normalRows;
    const pbdrVec3* normalData = nullptr;
    if (!normals.is_none()) {
        normalRows = toRows(normals, 3, "normals");
        if (normalRows.shape(0) != rows.shape(0)) {
            throw nb::value_error("normals: not as many as points");
        }
        normalData = reinterpret_cast<const pbdrVec3*>(normalRows.data());
    }
    pbdrPointCloud cloud;
    pbdrPackedBody body;
    pbdrError error;
    check(pbdrCreatePointCloud(reinterpret_cast<const pbdrVec3*>(rows.data()), normalData, int(rows.shape(0)), nullptr, &cloud,
                               &error),
          error);
    pbdrStatus status;
    {
        nb::gil_scoped_release release;
        status = pbdrPackCloudBody(&cloud, nullptr, &def, nullptr, &body, nullptr, &error);
    }
    pbdrPointCloud_Free(&cloud);
    return finishPacking(status, error, body);
}

static nb::object scaleShape(nb::handle self, double mass)
{
    pbdrShape* shape = nullptr;
    pbdrError error;
    check(pbdrCreateScaledShape(nb::cast<Shape&>(self).shape, mass, &shape, &error), error);
    return makeShape(shape, nb::make_tuple("scaled", self, mass), nb::cast<Shape&>(self).quality);
}

static nb::object getSpheres(const Shape& self)
{
    struct Row {
        double position[3], radius, mass;
    };
    const int count = pbdrShape_GetSphereCount(self.shape);
    std::vector<Row> rows(size_t(count), Row{});
    for (int k = 0; k < count; k++) {
        const pbdrVec3 p = pbdrShape_GetOffsets(self.shape)[k];
        rows[size_t(k)] = {{p.x, p.y, p.z}, pbdrShape_GetRadii(self.shape)[k], pbdrShape_GetMasses(self.shape)[k]};
    }
    return makeRecords("SPHERE", rows.data(), rows.size(), sizeof(Row));
}

static const char* const surfaceNames[] = {"none", "ball", "capsule", "box", "cylinder", "mesh", "compound"};

// --- Files ---

static nb::tuple readMesh(const std::string& path)
{
    pbdrMesh mesh;
    pbdrError error;
    check(pbdrLoadMesh(path.c_str(), nullptr, &mesh, nullptr, &error), error);
    nb::tuple arrays = fromMesh(mesh);
    pbdrMesh_Free(&mesh);
    return arrays;
}

static nb::tuple readCloud(const std::string& path)
{
    pbdrPointCloud cloud;
    pbdrError error;
    check(pbdrLoadPointCloud(path.c_str(), nullptr, &cloud, &error), error);
    nb::object points = makeArray(&cloud.points[0].x, {size_t(cloud.count), 3});
    nb::object normals =
        cloud.normals != nullptr ? makeArray(&cloud.normals[0].x, {size_t(cloud.count), 3}) : nb::object(nb::none());
    pbdrPointCloud_Free(&cloud);
    return nb::make_tuple(points, normals);
}

// Functions of pbdr/_shapes.py as methods of the class.
template <const char* name> static nb::object callPython(nb::args args, nb::kwargs kwargs)
{
    return getAttribute("pbdr._shapes", name)(*args, **kwargs);
}

static constexpr char meshName[] = "mesh", cloudName[] = "point_cloud", loadName[] = "load", saveName[] = "save",
                      reduceName[] = "reduce";

#define PACK_OPTIONS                                                                                                             \
    "mass: float | None = None, density: float | None = None, extent: float | None = None, size: float | None = None, "           \
    "scale: float | None = None, spheres: int = 0, radius: float | None = None, packing: str = 'surface', "                       \
    "source: str = 'mended', uniform_masses: bool = False, max_volume_error: float = 0.01, quality: bool = True, "                \
    "seed: int = 1) -> Shape"

static void bindMakers(nb::class_<Shape>& shape)
{
    shape
        .def_static("box", makeBox, "size"_a, "mass"_a, "n"_a = 4,
                    nb::sig("def box(size: float | collections.abc.Sequence[float], mass: float, n: int = 4) -> Shape"),
                    "A box about the origin. size: its sides, or one number for a cube [m]; mass [kg]; n: spheres along the\n"
                    "shortest side (0: 4, fewer of long boxes). It touches by its true surface in XPBD-R.")
        .def_static("ball", makeBall, "radius"_a, "mass"_a, nb::sig("def ball(radius: float, mass: float) -> Shape"),
                    "A ball of a radius [m] and a mass [kg]: one sphere.")
        .def_static("capsule", makeCapsule, "radius"_a, "length"_a, "mass"_a,
                    nb::sig("def capsule(radius: float, length: float, mass: float) -> Shape"),
                    "A capsule along z: radius [m], length between the centres of its caps [m], mass [kg].")
        .def_static("cylinder", makeCylinder, "radius"_a, "height"_a, "mass"_a, "n"_a = 4,
                    nb::sig("def cylinder(radius: float, height: float, mass: float, n: int = 4) -> Shape"),
                    "A cylinder along z: radius and height [m], mass [kg]; n: spheres along the shortest side.")
        .def_static("spheres_of", makeSpheres, "positions"_a, "radii"_a, "masses"_a, "extra_inertia"_a = nb::none(),
                    "mesh"_a = nb::none(),
                    nb::sig("def spheres_of(positions: numpy.typing.ArrayLike, radii: numpy.typing.ArrayLike, masses: "
                            "numpy.typing.ArrayLike, extra_inertia: numpy.typing.ArrayLike | None = None, mesh: "
                            "tuple[numpy.typing.ArrayLike, numpy.typing.ArrayLike] | None = None) -> Shape"),
                    "Spheres of one's own: centres (N, 3) [m], radii (N,) [m], masses (N,) [kg]. extra_inertia (3, 3): what the\n"
                    "body has beyond its point masses [kg m^2]; mesh: (vertices, faces) that touch in their place.")
        .def_static("mesh", callPython<meshName>,
                    nb::sig("def mesh(source_mesh: str | os.PathLike[str] | tuple[numpy.typing.ArrayLike, "
                            "numpy.typing.ArrayLike] | typing.Any, /, *, " PACK_OPTIONS),
                    "A mesh packed with spheres that weigh what the solid weighs; its true surface touches.\n\n"
                    "source_mesh: a path (OBJ, STL, PLY, MSH), something with vertices and faces (trimesh), or both as arrays [m].\n"
                    "mass [kg] or density [kg/m^3]: one of them. extent: largest side [m]; size: each side [m]; scale: a factor.\n"
                    "spheres: how many at most (0: 1000); radius: of the largest [m]; packing: 'surface' or 'grid' (the paper's).\n"
                    "source: 'mended', 'wrapped' or 'hull' for damaged meshes. Ctrl-C stops it.")
        .def_static("point_cloud", callPython<cloudName>,
                    nb::sig("def point_cloud(points: str | os.PathLike[str] | numpy.typing.ArrayLike, /, *, normals: "
                            "numpy.typing.ArrayLike | None = None, " PACK_OPTIONS),
                    "The solid that points (N, 3) [m] are the surface of, packed with spheres; normals (N, 3) if known.\n"
                    "points may be a path (PLY, XYZ). Options as of mesh.")
        .def_static("load", callPython<loadName>, nb::sig("def load(path: str | os.PathLike[str]) -> Shape"),
                    "A shape out of a body file (pbdr-body/1): what save or `pbdr pack` wrote, or MorphIt's centers and radii.")
        .def("save", callPython<saveName>, nb::sig("def save(self, path: str | os.PathLike[str]) -> None"),
             "Writes a body file (JSON, pbdr-body/1), which load and `pbdr pack --spheres` read.")
        .def("__reduce__", callPython<reduceName>, nb::sig("def __reduce__(self) -> tuple[typing.Any, ...]"));
}

void bindShape(nb::module_& m)
{
    nb::class_<Shape> shape(m, "Shape", "What bodies are made of: immutable, and shared by any number of bodies.");
    bindMakers(shape);
    shape
        .def_prop_ro("mass", [](const Shape& s) { return pbdrShape_GetMass(s.shape); }, "Mass [kg].")
        .def_prop_ro("centre", [](const Shape& s) { return fromVec(pbdrShape_GetCentre(s.shape)); },
                     nb::sig("def centre(self) -> numpy.typing.NDArray[numpy.float64]"),
                     "Centre of mass in the frame that the shape was defined in [m], shape (3,).")
        .def_prop_ro("inertia", [](const Shape& s) { return fromMat(pbdrShape_GetInertia(s.shape)); },
                     nb::sig("def inertia(self) -> numpy.typing.NDArray[numpy.float64]"),
                     "Inertia about the centre of mass, rest axes [kg m^2], shape (3, 3).")
        .def_prop_ro("spheres", getSpheres, nb::sig("def spheres(self) -> numpy.recarray[typing.Any, typing.Any]"),
                     "Spheres as a record array: position from the centre of mass [m], radius [m], mass [kg].")
        .def_prop_ro("sphere_count", [](const Shape& s) { return pbdrShape_GetSphereCount(s.shape); }, "Number of spheres.")
        .def_prop_ro("surface", [](const Shape& s) { return surfaceNames[pbdrShape_GetSurfaceKind(s.shape)]; },
                     nb::sig("def surface(self) -> str"),
                     "What touches: \"none\" (the spheres), \"ball\", \"capsule\", \"box\", \"cylinder\", \"mesh\", \"compound\".")
        .def_prop_ro("quality", [](const Shape& s) { return s.quality; },
                     nb::sig("def quality(self) -> dict[str, float] | None"),
                     "How well the spheres stand for the mesh they were packed in (gaps [m], cover, support); None for others.")
        .def_prop_ro("nbytes", [](const Shape& s) { return pbdrShape_GetByteCount(s.shape); }, "Memory that it holds [bytes].")
        .def_prop_ro("_recipe", [](const Shape& s) { return s.recipe; }, nb::sig("def _recipe(self) -> tuple[typing.Any, ...]"))
        .def("hash", [](const Shape& s) { return pbdrShape_GetHash(s.shape); },
             "64 bits that two shapes share if their bodies move alike to the bit.")
        .def("with_mass", scaleShape, "mass"_a, nb::sig("def with_mass(self, mass: float) -> Shape"),
             "The same spheres and surface of another mass [kg], inertia in proportion.")
        .def("__repr__", [](const Shape& s) {
            const pbdrSurfaceKind kind = pbdrShape_GetSurfaceKind(s.shape);
            const int count = pbdrShape_GetSphereCount(s.shape);
            char text[120];
            snprintf(text, sizeof text, "<pbdr.Shape%s%s, %d sphere%s, %g kg>", kind == 0 ? "" : " ", kind == 0 ? "" : surfaceNames[kind],
                     count, count == 1 ? "" : "s", pbdrShape_GetMass(s.shape));
            return std::string(text);
        });
    m.def("_pack_mesh", packMesh, "vertices"_a, "faces"_a, "options"_a,
          nb::sig("def _pack_mesh(vertices: typing.Any, faces: typing.Any, options: dict[str, typing.Any]) -> Shape"));
    m.def("_pack_cloud", packCloud, "points"_a, "normals"_a.none(), "options"_a,
          nb::sig("def _pack_cloud(points: typing.Any, normals: typing.Any, options: dict[str, typing.Any]) -> Shape"));
    m.def("_read_mesh", readMesh, "path"_a, nb::sig("def _read_mesh(path: str) -> tuple[typing.Any, typing.Any]"));
    m.def("_read_cloud", readCloud, "path"_a, nb::sig("def _read_cloud(path: str) -> tuple[typing.Any, typing.Any]"));
}
