// What all files of the binding share: values between Python and C, and errors as exceptions.
#ifndef PBDR_PYTHON_COMMON_H
#define PBDR_PYTHON_COMMON_H

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <pbdr/pbdr.h>

#include <initializer_list>
#include <string>

namespace nb = nanobind;
using namespace nb::literals;

// Raises the exception of a status (pbdr/errors.py) with this message.
[[noreturn]] void raiseStatus(pbdrStatus status, const std::string& message);
// The same unless it is ok.
void check(pbdrStatus status, const pbdrError& error);
// For calls that say no more than a status: the message names the value.
void checkValue(pbdrStatus status, const char* name, nb::handle value);

// Three or four numbers of any sequence; TypeError and ValueError name the argument.
pbdrVec3 toVec(nb::handle value, const char* name);
pbdrQuat toQuat(nb::handle value, const char* name);

// New arrays of float64 with the values.
nb::object fromVec(pbdrVec3 v);
nb::object fromQuat(pbdrQuat q);
nb::object fromMat(const pbdrMat3& m);
// A new array of the shape, filled by a copy; data may be NULL for zeros.
nb::object makeArray(const double* data, std::initializer_list<size_t> shape);
// A view on memory that `owner` keeps alive.
nb::object viewArray(double* data, std::initializer_list<size_t> shape, nb::handle owner, bool writable);

// Any array-like as a C-contiguous float64 array with the last axis of `columns`.
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
Rows toRows(nb::handle value, int columns, const char* name);
using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
Column toColumn(nb::handle value, const char* name);

// The index of a word in a list that ends with nullptr; ValueError names the argument and the words.
int toWord(const std::string& word, const char* const* words, const char* name);

// The pbdrSolver of a name. "pbdr", as "pbd-r" was called before, still is one, with a FutureWarning at the call that is
// `level` Python frames up; to be dropped with the next version.
pbdrSolver toSolver(const std::string& word, int level);

// Something of a module of ours or of NumPy.
nb::object getAttribute(const char* module, const char* name);

// A record array (numpy.recarray) of count rows of the dtype called `name` in pbdr/_dtypes.py.
nb::object makeRecords(const char* name, const void* rows, size_t count, size_t rowSize);

extern const char* const solverWords[];
extern const char* const precisionWords[];
extern const char* const engineWords[];
extern const char* const contactWords[];
extern const char* const mixingWords[];
extern const char* const kindWords[];
extern const char* const effortWords[];

void bindShape(nb::module_& module);
void bindWorld(nb::module_& module);
void bindBody(nb::module_& module);
void bindScene(nb::module_& module);
void bindBatch(nb::module_& module);

#endif
