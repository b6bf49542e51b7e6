// Values between Python and C (common.h).
#include "common.h"

#include <cstring>

const char* const solverWords[] = {"pbd", "pbd-r", "xpbdr", nullptr};
const char* const precisionWords[] = {"f32", "f64", nullptr};
const char* const engineWords[] = {"auto", "particle", "reduced", nullptr};
const char* const contactWords[] = {"auto", "spheres", "surface", nullptr};
const char* const mixingWords[] = {"geometric_mean", "minimum", "maximum", "average", nullptr};
const char* const effortWords[] = {"fast", "balanced", "exact", nullptr};
const char* const kindWords[] = {"dynamic", "static", "kinematic", nullptr};

// --- Errors ---

nb::object getAttribute(const char* module, const char* name)
{
    return nb::module_::import_(module).attr(name);
}

void raiseStatus(pbdrStatus status, const std::string& message)
{
    nb::object error = getAttribute("pbdr.errors", "make")(int(status), message);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(error.ptr())), error.ptr());
    throw nb::python_error();
}

void check(pbdrStatus status, const pbdrError& error)
{
    if (status != pbdr_statusOk) {
        raiseStatus(status, error.message);
    }
}

void checkValue(pbdrStatus status, const char* name, nb::handle value)
{
    if (status != pbdr_statusOk) {
        raiseStatus(status, std::string(name) + ": " + nb::repr(value).c_str() + " is refused: " + pbdrStatusName(status));
    }
}

// --- Numbers in ---

static void toNumbers(nb::handle value, const char* name, double* numbers, int count)
{
    if (!PySequence_Check(value.ptr()) || PyUnicode_Check(value.ptr())) {
        throw nb::type_error((std::string(name) + ": wanted " + std::to_string(count) + " numbers").c_str());
    }
    const Py_ssize_t size = PySequence_Size(value.ptr());
    if (size != count) {
        PyErr_Clear();
        throw nb::value_error(
            (std::string(name) + ": wanted " + std::to_string(count) + " numbers, not " + std::to_string(size)).c_str());
    }
    for (int k = 0; k < count; k++) {
        nb::object item = nb::steal(PySequence_GetItem(value.ptr(), k));
        numbers[k] = item.is_valid() ? PyFloat_AsDouble(item.ptr()) : -1.0;
        if (PyErr_Occurred() != nullptr) {
            PyErr_Clear();
            throw nb::type_error((std::string(name) + ": item " + std::to_string(k) + " is no number").c_str());
        }
    }
}

pbdrVec3 toVec(nb::handle value, const char* name)
{
    double v[3];
    toNumbers(value, name, v, 3);
    return {v[0], v[1], v[2]};
}

pbdrQuat toQuat(nb::handle value, const char* name)
{
    double q[4];
    toNumbers(value, name, q, 4);
    return {q[0], q[1], q[2], q[3]};
}

static nb::object toDoubles(nb::handle value, const char* name)
{
    try {
        return getAttribute("numpy", "ascontiguousarray")(value, "dtype"_a = "float64");
    } catch (nb::python_error& error) {
        throw nb::type_error((std::string(name) + ": no array of numbers: " + error.what()).c_str());
    }
}

Rows toRows(nb::handle value, int columns, const char* name)
{
    nb::object array = toDoubles(value, name);
    Rows rows;
    if (!nb::try_cast(array, rows) || int(rows.shape(1)) != columns) {
        throw nb::value_error((std::string(name) + ": wanted an array of shape (N, " + std::to_string(columns) + ")").c_str());
    }
    return rows;
}

Column toColumn(nb::handle value, const char* name)
{
    nb::object array = toDoubles(value, name);
    Column column;
    if (!nb::try_cast(array, column)) {
        throw nb::value_error((std::string(name) + ": wanted an array of shape (N,)").c_str());
    }
    return column;
}

int toWord(const std::string& word, const char* const* words, const char* name)
{
    std::string all;
    for (int k = 0; words[k] != nullptr; k++) {
        if (word == words[k]) {
            return k;
        }
        all += std::string(k > 0 ? ", " : "") + "\"" + words[k] + "\"";
    }
    throw nb::value_error((std::string(name) + ": \"" + word + "\" is none of " + all).c_str());
}

pbdrSolver toSolver(const std::string& word, int level)
{
    if (word != "pbdr") {
        return pbdrSolver(toWord(word, solverWords, "solver"));
    }
    if (PyErr_WarnEx(PyExc_FutureWarning, "the solver 'pbdr' is now called 'pbd-r'; the next version will not know the old name",
                     level) != 0) {
        throw nb::python_error(); // warnings are errors here
    }
    return pbdr_solverPbdR;
}

// --- Arrays out ---

nb::object viewArray(double* data, std::initializer_list<size_t> shape, nb::handle owner, bool writable)
{
    if (writable) {
        return nb::cast(nb::ndarray<nb::numpy, double>(data, shape, owner), nb::rv_policy::reference);
    }
    return nb::cast(nb::ndarray<nb::numpy, const double>(data, shape, owner), nb::rv_policy::reference);
}

nb::object makeArray(const double* data, std::initializer_list<size_t> shape)
{
    size_t count = 1;
    for (size_t side : shape) {
        count *= side;
    }
    double* copy = new double[count > 0 ? count : 1]();
    if (data != nullptr && count > 0) {
        std::memcpy(copy, data, count * sizeof *copy);
    }
    nb::capsule owner(copy, [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
    return viewArray(copy, shape, owner, true);
}

nb::object fromVec(pbdrVec3 v)
{
    return makeArray(&v.x, {3});
}

nb::object fromQuat(pbdrQuat q)
{
    return makeArray(&q.w, {4});
}

nb::object fromMat(const pbdrMat3& m)
{
    return makeArray(&m.m[0][0], {3, 3});
}

nb::object makeRecords(const char* name, const void* rows, size_t count, size_t rowSize)
{
    nb::object bytes = nb::steal(PyByteArray_FromStringAndSize(static_cast<const char*>(rows), Py_ssize_t(count * rowSize)));
    return getAttribute("pbdr._dtypes", "records")(bytes, name);
}
