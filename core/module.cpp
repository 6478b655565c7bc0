// The only file that knows Python: arrays in, arrays out, errors of samesum.errors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include <numpy/arrayobject.h>

#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "layout/plan.hpp"
#include "run/bandwidth.hpp"
#include "run/reduce.hpp"
#include "run/scan.hpp"
#include "threads/pool.hpp"

namespace nb = nanobind;

namespace {

using samesum::Format;

enum Flag : unsigned {
    keepdims = 1,
    widen = 2,
    real = 4,
    refuse_empty = 8,
    exclusive = 16,
    reverse = 32,
    include_initial = 64
};

// Work on less than this is over before another Python thread could be scheduled.
constexpr std::int64_t unlocked_bytes = 64 << 10;

int bfloat16_number = -1;

[[noreturn]] void raise(const char* error, const std::string& message) {
    const nb::object type = nb::module_::import_("samesum.errors").attr(error);
    PyErr_SetString(type.ptr(), message.c_str());
    throw nb::python_error();
}

std::string text(nb::handle object) { return nb::cast<std::string>(nb::str(object)); }

PyArrayObject* array_of(nb::handle object) { return reinterpret_cast<PyArrayObject*>(object.ptr()); }

PyArrayObject* checked_array(nb::handle object, const char* what) {
    if (PyArray_Check(object.ptr())) return array_of(object);
    raise("DtypeError", std::string(what) + " has to be a numpy.ndarray; got " + text(object.type()));
}

std::optional<Format> format_of(PyArray_Descr* descr) {
    if (descr->type_num == bfloat16_number) return Format::bf16;
    const npy_intp size = PyDataType_ELSIZE(descr);
    const auto sized = [&](Format first) -> std::optional<Format> {
        for (int i = 0, s = 1; i < 4; ++i, s *= 2) {
            if (size == s) return static_cast<Format>(static_cast<int>(first) + i);
        }
        return std::nullopt;
    };
    switch (descr->kind) {
        case 'b': return Format::boolean;
        case 'i': return sized(Format::i8);
        case 'u': return sized(Format::u8);
        case 'f':
            if (size == 2) return Format::f16;
            if (size == 4) return Format::f32;
            if (size == 8) return Format::f64;
            return std::nullopt;
        default: return std::nullopt;
    }
}

Format checked_format(PyArray_Descr* descr) {
    if (const std::optional<Format> format = format_of(descr)) return *format;
    raise("DtypeError", "dtype " + text(reinterpret_cast<PyObject*>(descr)) +
                            " is not supported; supported are bool, int8 to int64, uint8 to uint64, float16, bfloat16, "
                            "float32 and float64");
}

// A new reference.
PyArray_Descr* descr_of(Format format) {
    constexpr int numbers[samesum::format_count] = {NPY_HALF,  -1,         NPY_FLOAT, NPY_DOUBLE, NPY_INT8,
                                                    NPY_INT16, NPY_INT32,  NPY_INT64, NPY_UINT8,  NPY_UINT16,
                                                    NPY_UINT32, NPY_UINT64, NPY_BOOL};
    const int number = numbers[static_cast<std::size_t>(format)];
    return PyArray_DescrFromType(number < 0 ? bfloat16_number : number);
}

std::string name_of(Format format) {
    const nb::object descr = nb::steal(reinterpret_cast<PyObject*>(descr_of(format)));
    return text(descr);
}

struct Input {
    PyArrayObject* array;
    samesum::View view;
    std::int64_t count;
};

Input input_of(nb::handle object) {
    PyArrayObject* array = checked_array(object, "x");
    PyArray_Descr* descr = PyArray_DESCR(array);
    static_assert(sizeof(npy_intp) == sizeof(std::int64_t));
    const samesum::View view{PyArray_BYTES(array),
                             PyArray_NDIM(array),
                             reinterpret_cast<const std::int64_t*>(PyArray_DIMS(array)),
                             reinterpret_cast<const std::int64_t*>(PyArray_STRIDES(array)),
                             checked_format(descr),
                             !PyArray_ISNBO(descr->byteorder)};
    return {array, view, PyArray_SIZE(array)};
}

int checked_axis(nb::handle axis, int rank) {
    if (!PyIndex_Check(axis.ptr())) raise("AxisError", "an axis has to be an integer; got " + text(nb::repr(axis)));
    const Py_ssize_t value = PyNumber_AsSsize_t(axis.ptr(), nullptr);
    if (value == -1 && PyErr_Occurred()) throw nb::python_error();
    if (value < -rank || value >= rank) {
        const std::string allowed = rank == 0 ? "it has none"
                                              : "allowed are " + std::to_string(-rank) + " to " + std::to_string(rank - 1);
        raise("AxisError",
              "axis " + std::to_string(value) + " is out of range for rank " + std::to_string(rank) + "; " + allowed);
    }
    return static_cast<int>(value < 0 ? value + rank : value);
}

void mark_axes(nb::handle axes, int rank, bool (&reduced)[samesum::max_rank]) {
    if (axes.is_none()) {
        std::fill_n(reduced, rank, true);
        return;
    }
    const auto mark = [&](nb::handle axis) {
        const int i = checked_axis(axis, rank);
        if (reduced[i]) {
            raise("AxisError", "axes " + text(nb::repr(axes)) + " name axis " + std::to_string(i) + " of rank " +
                                   std::to_string(rank) + " twice; each may be named once");
        }
        reduced[i] = true;
    };
    if (PyTuple_CheckExact(axes.ptr())) {
        for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(axes.ptr()); ++i) mark(PyTuple_GET_ITEM(axes.ptr(), i));
    } else if (PyIndex_Check(axes.ptr())) {
        mark(axes);
    } else if (PySequence_Check(axes.ptr())) {
        const nb::object items = nb::steal(PySequence_Tuple(axes.ptr()));
        if (!items.is_valid()) throw nb::python_error();
        for (nb::handle axis : nb::borrow<nb::tuple>(items)) mark(axis);
    } else {
        raise("AxisError", "axes have to be None, an integer or a sequence of integers; got " + text(nb::repr(axes)));
    }
}

Format result_format(Format in, unsigned flags, nb::handle dtype) {
    if (dtype.is_none()) {
        if (samesum::is_float(in)) return in;
        if (flags & Flag::real) return Format::f64;
        if (flags & Flag::widen) return samesum::is_unsigned(in) && in != Format::boolean ? Format::u64 : Format::i64;
        return in;
    }
    const Format format = checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    if (format == Format::boolean || (samesum::is_float(in) && !samesum::is_float(format))) {
        raise("DtypeError", "a result of dtype " + name_of(format) + " cannot hold a sum of " + name_of(in) +
                                "; allowed are " + (samesum::is_float(in) ? "float dtypes" : "integer and float dtypes"));
    }
    return format;
}

bool overlap(PyArrayObject* a, PyArrayObject* b) {
    const auto extent = [](PyArrayObject* array) {
        const char *low = PyArray_BYTES(array), *high = low + PyDataType_ELSIZE(PyArray_DESCR(array));
        for (int i = 0; i < PyArray_NDIM(array); ++i) {
            const npy_intp reach = (PyArray_DIM(array, i) - 1) * PyArray_STRIDE(array, i);
            (reach < 0 ? low : high) += reach;
        }
        return std::pair(low, high);
    };
    if (PyArray_SIZE(a) == 0 || PyArray_SIZE(b) == 0) return false;
    const auto [a_low, a_high] = extent(a);
    const auto [b_low, b_high] = extent(b);
    return a_low < b_high && b_low < a_high;
}

// Where the core writes, and how that becomes what the caller gets.
class Output {
  public:
    Output(nb::handle out, PyArrayObject* x, Format format, int rank, npy_intp* shape) {
        if (!out.is_none()) {
            check(out, format, rank, shape);
            given_ = nb::borrow(out);
            PyArrayObject* array = array_of(out);
            if (PyArray_ISCARRAY(array) && !overlap(array, x)) {
                memory_ = given_;
                return;
            }
        }
        memory_ = nb::steal(PyArray_NewFromDescr(&PyArray_Type, descr_of(format), rank, shape, nullptr, nullptr, 0, nullptr));
        if (!memory_.is_valid()) throw nb::python_error();
    }

    void* data() const { return PyArray_DATA(array_of(memory_)); }

    nb::object finished() {
        if (!given_.is_valid() || given_.is(memory_)) return memory_;
        if (PyArray_CopyInto(array_of(given_), array_of(memory_)) < 0) throw nb::python_error();
        return given_;
    }

  private:
    static void check(nb::handle out, Format format, int rank, const npy_intp* shape) {
        PyArrayObject* array = checked_array(out, "out");
        const std::optional<Format> found = format_of(PyArray_DESCR(array));
        if (!found || *found != format) {
            raise("DtypeError", "out has dtype " + text(reinterpret_cast<PyObject*>(PyArray_DESCR(array))) +
                                    "; the result has " + name_of(format));
        }
        const bool fits = PyArray_NDIM(array) == rank && PyArray_CompareLists(PyArray_DIMS(array), shape, rank);
        if (!fits) {
            raise("ShapeError", "out has shape " + text(out.attr("shape")) + "; the result has " + shape_text(rank, shape));
        }
        if (!PyArray_ISWRITEABLE(array)) raise("ShapeError", "out is read-only; it has to be writeable");
    }

    static std::string shape_text(int rank, const npy_intp* shape) {
        std::string s = "(";
        for (int i = 0; i < rank; ++i) s += std::to_string(shape[i]) + (rank == 1 ? "," : i + 1 < rank ? ", " : "");
        return s + ")";
    }

    nb::object given_, memory_;
};

// Runs work without the interpreter's lock when it is long enough to matter.
template <class Work>
void unlocked(std::int64_t bytes, Work&& work) {
    try {
        if (bytes >= unlocked_bytes) {
            const nb::gil_scoped_release release;
            work();
        } else {
            work();
        }
    } catch (const samesum::Interrupted&) {
        throw nb::python_error();  // set by the signal handler
    }
}

void check_empty(const samesum::Reduction& row, Format format, unsigned flags, const Input& x) {
    if (flags & Flag::refuse_empty) {
        raise("ShapeError", std::string("no ") + (row.combine == samesum::Combine::minimum ? "minimum" : "maximum") +
                                " of an empty set: the shape is " + text(nb::handle(reinterpret_cast<PyObject*>(x.array)).attr("shape")));
    }
    if (row.finalize == samesum::Finalize::over_count && !samesum::is_float(format)) {
        raise("ShapeError", "no mean of an empty set in " + name_of(format) + ": the shape is " +
                                text(nb::handle(reinterpret_cast<PyObject*>(x.array)).attr("shape")));
    }
}

nb::object reduce(unsigned code, nb::handle x, nb::handle axes, unsigned flags, nb::handle dtype, nb::handle out) {
    const Input input = input_of(x);
    const int rank = input.view.rank;
    const samesum::Reduction row{static_cast<samesum::Map>(code & 15), static_cast<samesum::Combine>(code >> 4 & 15),
                                 static_cast<samesum::Finalize>(code >> 8)};
    bool reduced[samesum::max_rank] = {};
    mark_axes(axes, rank, reduced);
    const Format format = result_format(input.view.format, flags, dtype);
    if (format == Format::boolean && row.combine == samesum::Combine::sum) {
        raise("DtypeError", "bool has no sum; allowed are integer and float dtypes");
    }
    npy_intp shape[samesum::max_rank], outputs = 1, count = 1;
    int out_rank = 0;
    for (int i = 0; i < rank; ++i) {
        const npy_intp size = input.view.shape[i];
        (reduced[i] ? count : outputs) *= size;
        if (!reduced[i]) shape[out_rank++] = size;
        else if (flags & Flag::keepdims) shape[out_rank++] = 1;
    }
    if (outputs > 0 && count == 0) check_empty(row, format, flags, input);
    Output output(out, input.array, format, out_rank, shape);
    if (outputs > 0 && count == 0) {
        samesum::fill_empty(row, format, output.data(), outputs);
    } else if (outputs > 0) {
        const std::int64_t bytes = input.count * static_cast<std::int64_t>(samesum::size_of(input.view.format));
        unlocked(bytes, [&] { samesum::reduce(input.view, reduced, row, format, output.data()); });
    }
    return output.finished();
}

nb::object scan(unsigned combine, nb::handle x, nb::handle axis, unsigned flags, nb::handle dtype, nb::handle out) {
    const Input input = input_of(x);
    const int rank = input.view.rank;
    if (combine != static_cast<unsigned>(samesum::Combine::sum)) {
        raise("UnsupportedOperator", "scan of combine " + std::to_string(combine) + "; implemented is the sum (0)");
    }
    if (rank == 0) raise("AxisError", "a scan needs an axis; the input has rank 0");
    if (axis.is_none() && rank != 1) {
        raise("AxisError", "axis has to be given for rank " + std::to_string(rank) + "; it may be left out for rank 1");
    }
    const int along = axis.is_none() ? 0 : checked_axis(axis, rank);
    const Format format = result_format(input.view.format, flags, dtype);
    if (format == Format::boolean) raise("DtypeError", "bool has no sum; allowed are integer and float dtypes");
    const samesum::ScanOptions options{(flags & Flag::exclusive) != 0, (flags & Flag::reverse) != 0,
                                       (flags & Flag::include_initial) != 0};
    npy_intp shape[samesum::max_rank], outputs = 1;
    for (int i = 0; i < rank; ++i) {
        shape[i] = input.view.shape[i] + (i == along && options.include_initial ? 1 : 0);
        outputs *= shape[i];
    }
    Output output(out, input.array, format, rank, shape);
    if (outputs > 0) {
        const std::int64_t bytes = input.count * static_cast<std::int64_t>(samesum::size_of(input.view.format));
        unlocked(bytes, [&] { samesum::scan(input.view, along, options, format, output.data()); });
    }
    return output.finished();
}

nb::dict counters() {
    nb::dict result;
    result["float64_lanes"] = samesum::counters.reductions[0].load();
    result["double_words"] = samesum::counters.reductions[1].load();
    result["superaccumulator"] = samesum::counters.reductions[2].load();
    result["scan_lines"] = samesum::counters.scan_lines.load();
    result["scan_superaccumulator"] = samesum::counters.scan_exact.load();
    return result;
}

void reset_counters() {
    for (auto& counter : samesum::counters.reductions) counter = 0;
    samesum::counters.scan_lines = 0;
    samesum::counters.scan_exact = 0;
}

void set_num_threads(int n) {
    if (n < 1) {
        PyErr_Format(PyExc_ValueError, "the number of threads has to be at least 1; got %d", n);
        throw nb::python_error();
    }
    samesum::set_thread_count(n);
}

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < samesum::instruction_set_count; ++i) {
        if (samesum::instruction_sets[i].is_supported()) names.emplace_back(samesum::instruction_sets[i].name);
    }
    return names;
}

void set_instruction_set(const std::string& name) {
    if (samesum::select_instruction_set(name.c_str())) return;
    std::string allowed;
    for (const std::string& known : instruction_sets()) allowed += (allowed.empty() ? "" : ", ") + known;
    const std::string message = "instruction set '" + name + "' is unknown or missing here; allowed are " + allowed;
    PyErr_SetString(PyExc_ValueError, message.c_str());
    throw nb::python_error();
}

double read_seconds(nb::handle x) {
    const Input input = input_of(x);
    if (!PyArray_ISCARRAY_RO(input.array)) raise("ShapeError", "the array to read has to be C-contiguous");
    const nb::gil_scoped_release release;
    return samesum::read_seconds(input.view.data, PyArray_NBYTES(input.array));
}

double copy_seconds(nb::handle x, nb::handle out) {
    const Input from = input_of(x), to = input_of(out);
    if (!PyArray_ISCARRAY_RO(from.array) || !PyArray_ISCARRAY(to.array) ||
        PyArray_NBYTES(from.array) != PyArray_NBYTES(to.array)) {
        raise("ShapeError", "the arrays to copy have to be C-contiguous and of one size");
    }
    const nb::gil_scoped_release release;
    return samesum::copy_seconds(from.view.data, PyArray_BYTES(to.array), PyArray_NBYTES(from.array));
}

bool signals_pending() {
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

void configure_from_environment() {
    if (const char* name = std::getenv("SAMESUM_INSTRUCTION_SET"); name && *name) set_instruction_set(name);
    const char* threads = std::getenv("SAMESUM_NUM_THREADS");
    if (threads == nullptr || *threads == 0) return;
    char* end = nullptr;
    const long n = std::strtol(threads, &end, 10);
    if (*end != 0 || n < 1 || n > 4096) {
        PyErr_Format(PyExc_ValueError, "SAMESUM_NUM_THREADS has to be an integer from 1 to 4096; got '%s'", threads);
        throw nb::python_error();
    }
    set_num_threads(static_cast<int>(n));
}

void* import_numpy() {
    import_array1(nullptr);
    return &bfloat16_number;
}

}  // namespace

NB_MODULE(_core, m) {
    if (import_numpy() == nullptr) throw nb::python_error();
    const nb::object bfloat16 =
        nb::module_::import_("numpy").attr("dtype")(nb::module_::import_("ml_dtypes").attr("bfloat16"));
    bfloat16_number = reinterpret_cast<PyArray_Descr*>(bfloat16.ptr())->type_num;
    samesum::interruption_requested = signals_pending;
    configure_from_environment();
    m.def("reduce", &reduce, nb::arg("code"), nb::arg("x"), nb::arg("axes").none(), nb::arg("flags"),
          nb::arg("dtype").none(), nb::arg("out").none());
    m.def("scan", &scan, nb::arg("combine"), nb::arg("x"), nb::arg("axis").none(), nb::arg("flags"),
          nb::arg("dtype").none(), nb::arg("out").none());
    m.def("set_num_threads", &set_num_threads, nb::arg("n"));
    m.def("get_num_threads", &samesum::thread_count);
    m.def("set_instruction_set", &set_instruction_set, nb::arg("name"));
    m.def("instruction_set", [] { return samesum::current_instruction_set().name; });
    m.def("instruction_sets", &instruction_sets);
    m.def("counters", &counters);
    m.def("reset_counters", &reset_counters);
    m.def("read_seconds", &read_seconds, nb::arg("x"));
    m.def("copy_seconds", &copy_seconds, nb::arg("x"), nb::arg("out"));
}
