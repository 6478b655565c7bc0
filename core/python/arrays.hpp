// Arrays of Python as the core sees them: formats and axes. Included by its neighbours here alone.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "layout/plan.hpp"

namespace samesum::python {

namespace nb = nanobind;
using namespace nb::literals;

enum Flag : unsigned {
    keepdims = 1,
    widen = 2,
    real = 4,
    refuse_empty = 8,
    exclusive = 16,
    reverse = 32,
    include_initial = 64,
    select_last = 128,
    scalar = 256,  // a result of rank 0 is a scalar of NumPy, not an array
    skip_nan = 512
};

// The flags as Python knows them.
constexpr std::pair<const char*, Flag> flag_names[] = {{"KEEPDIMS", keepdims},
                                                       {"WIDEN", widen},
                                                       {"REAL", real},
                                                       {"REFUSE_EMPTY", refuse_empty},
                                                       {"EXCLUSIVE", exclusive},
                                                       {"REVERSE", reverse},
                                                       {"INCLUDE_INITIAL", include_initial},
                                                       {"SELECT_LAST", select_last},
                                                       {"SCALAR", scalar},
                                                       {"SKIP_NAN", skip_nan}};

// NumPy's numbers of the types of ml_dtypes, known once the module is loaded.
inline int bfloat16_number = -1;
inline int byte_float_numbers[byte_float_count] = {-1, -1, -1, -1, -1, -1, -1};
constexpr const char* byte_float_names[byte_float_count] = {
    "float8_e3m4",     "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"};

[[noreturn]] inline void raise(const char* error, const std::string& message) {
    const nb::object type = nb::module_::import_("samesum.errors").attr(error);
    PyErr_SetString(type.ptr(), message.c_str());
    throw nb::python_error();
}

inline std::string text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

inline PyArrayObject* array_of(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

inline PyArrayObject* checked_array(nb::handle object, const char* what) {
    if (PyArray_Check(object.ptr())) return array_of(object);
    raise("ArgumentTypeError", std::string(what) + " has to be a numpy.ndarray; got " + text(object.type()));
}

inline std::optional<Format> ml_format_of(int number) {
    if (number == bfloat16_number) return Format::bf16;
    for (std::size_t i = 0; i < byte_float_count; ++i) {
        if (number == byte_float_numbers[i])
            return static_cast<Format>(static_cast<std::size_t>(Format::e3m4) + i);
    }
    return std::nullopt;
}

inline std::optional<Format> format_of(PyArray_Descr* descr) {
    if (descr->type_num >= NPY_USERDEF) return ml_format_of(descr->type_num);
    const npy_intp size = PyDataType_ELSIZE(descr);
    const auto sized = [&](Format first) -> std::optional<Format> {
        for (int i = 0, s = 1; i < 4; ++i, s *= 2) {
            if (size == s) return static_cast<Format>(static_cast<int>(first) + i);
        }
        return std::nullopt;
    };
    switch (descr->kind) {
        case 'b':
            return Format::boolean;
        case 'i':
            return sized(Format::i8);
        case 'u':
            return sized(Format::u8);
        case 'f':
            if (size == 2) return Format::f16;
            if (size == 4) return Format::f32;
            if (size == 8) return Format::f64;
            return std::nullopt;
        default:
            return std::nullopt;
    }
}

inline Format checked_format(PyArray_Descr* descr) {
    if (const std::optional<Format> format = format_of(descr)) return *format;
    raise(
        "DtypeError",
        "dtype " + text(reinterpret_cast<PyObject*>(descr)) +
            " is not supported; supported are bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
            "float32, float64 and, for sums, means, extremes and norms, the float8 types but float8_e8m0fnu");
}

inline Format format_in(nb::handle dtype) {
    return checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
}

// A new reference.
inline PyArray_Descr* descr_of(Format format) {
    if (is_byte_float(format)) return PyArray_DescrFromType(byte_float_numbers[float_index(format) - 4]);
    constexpr int numbers[] = {NPY_HALF,  -1,        NPY_FLOAT,  NPY_DOUBLE, NPY_INT8,   NPY_INT16, NPY_INT32,
                               NPY_INT64, NPY_UINT8, NPY_UINT16, NPY_UINT32, NPY_UINT64, NPY_BOOL};
    const int number = numbers[static_cast<std::size_t>(format)];
    return PyArray_DescrFromType(number < 0 ? bfloat16_number : number);
}

inline std::string name_of(Format format) {
    const nb::object descr = nb::steal(reinterpret_cast<PyObject*>(descr_of(format)));
    return text(descr);
}

// What makes an array of anything else, once somebody has said so; it lives as long as the process.
inline PyObject* converter = nullptr;

// What makes something later of a call on a lazy collection, once somebody has said so.
inline PyObject* deferrer = nullptr;

// deferrer(function, x, ...) where x may be a lazy collection; None if the call is to be done now.
template <class... Arguments>
nb::object deferred(const char* function, nb::handle x, Arguments... rest) {
    if (PyArray_CheckExact(x.ptr()) || deferrer == nullptr || !nb::hasattr(x, "__dask_graph__"))
        return nb::none();
    return nb::handle(deferrer)(function, x, rest...);
}

struct Input {
    nb::object owner;  // of what was converted
    PyArrayObject* array;
    View view;
    std::int64_t count;
};

inline Input input_of(nb::handle object) {
    nb::object owner;
    if (!PyArray_CheckExact(object.ptr()) && converter != nullptr) {
        owner = nb::handle(converter)(object);
        object = owner;
    }
    PyArrayObject* array = checked_array(object, "x");
    PyArray_Descr* descr = PyArray_DESCR(array);
    static_assert(sizeof(npy_intp) == sizeof(std::int64_t));
    const View view{PyArray_BYTES(array),
                    PyArray_NDIM(array),
                    reinterpret_cast<const std::int64_t*>(PyArray_DIMS(array)),
                    reinterpret_cast<const std::int64_t*>(PyArray_STRIDES(array)),
                    checked_format(descr),
                    !PyArray_ISNBO(descr->byteorder)};
    return {std::move(owner), array, view, PyArray_SIZE(array)};
}

// Shape and strides of a view apart from its array's, which another thread may change while work goes on
// without the interpreter's lock.
class Extents {
  public:
    explicit Extents(View& view) {
        std::copy_n(view.shape, view.rank, room_);
        std::copy_n(view.strides, view.rank, room_ + max_rank);
        view.shape = room_;
        view.strides = room_ + max_rank;
    }
    Extents(const Extents&) = delete;
    Extents& operator=(const Extents&) = delete;

  private:
    std::int64_t room_[2 * max_rank];
};

// Raises the error in the words of samesum.formats.axes, which checks axes in the same way.
[[noreturn]] inline void refuse_axes(const char* check, nb::handle axes, int rank) {
    nb::module_::import_("samesum.formats.axes").attr(check)(axes, rank);
    raise("AxisError", text(nb::repr(axes)) + " names no axes of rank " + std::to_string(rank));
}

inline int checked_axis(nb::handle axis, int rank) {
    if (!PyIndex_Check(axis.ptr()) || PyBool_Check(axis.ptr())) refuse_axes("from_front", axis, rank);
    const Py_ssize_t value =
        PyNumber_AsSsize_t(axis.ptr(), nullptr);  // beyond its range it is out of range here too
    if (value == -1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError)) throw nb::python_error();
        PyErr_Clear();  // an array of several elements, say
        refuse_axes("from_front", axis, rank);
    }
    if (value < -rank || value >= rank) refuse_axes("from_front", axis, rank);
    return static_cast<int>(value < 0 ? value + rank : value);
}

inline void mark_axes(nb::handle axes, int rank, bool (&reduced)[max_rank]) {
    if (axes.is_none()) {
        std::fill_n(reduced, rank, true);
        return;
    }
    const auto mark = [&](nb::handle axis) {
        const int i = checked_axis(axis, rank);
        if (reduced[i]) refuse_axes("all_from_front", axes, rank);
        reduced[i] = true;
    };
    const bool several_in_array = PyArray_Check(axes.ptr()) && PyArray_NDIM(array_of(axes)) > 0;
    if (PyTuple_CheckExact(axes.ptr())) {
        for (nb::handle axis : nb::borrow<nb::tuple>(axes)) mark(axis);
    } else if (PyIndex_Check(axes.ptr()) && !several_in_array) {
        mark(axes);
    } else if (PySequence_Check(axes.ptr()) && !PyUnicode_Check(axes.ptr())) {
        const nb::object items = nb::steal(PySequence_Tuple(axes.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        for (nb::handle axis : nb::borrow<nb::tuple>(items)) mark(axis);
    } else {
        refuse_axes("all_from_front", axes, rank);
    }
}

inline Format result_format(Format in, unsigned flags, nb::handle dtype) {
    if (dtype.is_none()) {
        if (is_float(in)) return in;
        if (flags & Flag::real) return Format::f64;
        if (flags & Flag::widen) return is_unsigned(in) && in != Format::boolean ? Format::u64 : Format::i64;
        return in;
    }
    const Format format = format_in(dtype);
    const bool narrower = is_byte_float(format) && !is_byte_float(in);
    if (format == Format::boolean || narrower || (is_float(in) && !is_float(format))) {
        raise("DtypeError", "a result of dtype " + name_of(format) + " is not possible for " + name_of(in) +
                                "; allowed are " +
                                (is_float(in) ? "float dtypes" : "integer and float dtypes") +
                                (is_byte_float(in) ? "" : " of 16 bits or more"));
    }
    return format;
}

// An operand as the result's shape has it, with strides of zero where it repeats; false if it does not fit.
template <class Size>
bool spread(const Input& x, int rank, const Size* shape, std::int64_t* strides) {
    const int missing = rank - x.view.rank;
    for (int i = 0; i < rank; ++i) {
        const bool is_own = i >= missing && x.view.shape[i - missing] != 1;
        if (is_own && x.view.shape[i - missing] != shape[i]) return false;
        strides[i] = is_own ? x.view.strides[i - missing] : 0;
    }
    return missing >= 0;
}

// An argument that is None unless it is given.
inline auto or_none(const char* name) { return nb::arg(name).none() = nb::none(); }

}  // namespace samesum::python
