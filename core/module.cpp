// The only file, with those in python/, that knows Python: arrays in, arrays out, errors of samesum.errors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "kernels/instruction_set.hpp"
#include "python/accumulation.hpp"
#include "python/certificates.hpp"
#include "python/custom_operators.hpp"
#include "python/dots.hpp"
#include "python/elementwise.hpp"
#include "python/floating_point.hpp"
#include "python/norms.hpp"
#include "python/outputs.hpp"
#include "python/products.hpp"
#include "python/segments.hpp"
#include "python/states.hpp"
#include "python/statistics.hpp"
#include "python/windows.hpp"
#include "run/bandwidth.hpp"
#include "run/normalize/normalize.hpp"
#include "run/scans/exponential_scan.hpp"
#include "run/scans/extreme_scan.hpp"
#include "run/scans/scan.hpp"
#include "select/routes.hpp"
#include "threads/pool.hpp"

namespace nb = nanobind;

namespace {

using samesum::Format;
using namespace samesum::python;

// work(x with its axes in the order of the output, which of them is `along`, where the results go)
template <class Work>
void run_in_order(const Input& x, int along, const Output& output, std::int64_t element_bytes, Work&& work) {
    std::int64_t room[2 * samesum::max_rank];
    const samesum::View view = output.order().applied_to(x.view, room);
    const int place = output.order().place_of(along);
    unlocked(x.count * element_bytes, [&] { work(view, place, output.data()); });
}

// An axis of None names the only axis of x.
int axis_of_line(nb::handle axis, int rank) {
    if (rank == 0) raise("ShapeError", "x has rank 0; a scan needs rank 1 or more");
    if (!axis.is_none()) return checked_axis(axis, rank);
    if (rank == 1) return 0;
    raise("AxisError", "axis is None and x has rank " + std::to_string(rank) + "; name one of " +
                           std::to_string(-rank) + " to " + std::to_string(rank - 1));
}

// Cumulative minima and maxima have the format of the elements, which is any.
nb::object scan_extremes(samesum::Combine kind, const Input& input, int along, unsigned flags,
                         nb::handle dtype, nb::handle out) {
    if ((flags & (Flag::exclusive | Flag::include_initial)) != 0 || !dtype.is_none())
        raise(
            "AttributeValueError",
            "a cumulative minimum or maximum has no prefix of nothing and no other dtype than its elements");
    Output output(out, input, input.view.format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        const std::int64_t bytes = static_cast<std::int64_t>(samesum::size_of(input.view.format));
        run_in_order(input, along, output, bytes, [&](const samesum::View& view, int place, void* to) {
            samesum::scan_extremes(kind == samesum::Combine::maximum, view, place,
                                   (flags & Flag::reverse) != 0, to);
        });
    }
    return output.finished();
}

// Cumulative sums of exponentials take floats of 16 bits or more; the results have their format.
nb::object scan_exponentials(nb::handle x, nb::handle axis, bool reverse, nb::handle out) {
    const Input input = input_of(x);
    const Format format = input.view.format;
    if (!samesum::is_float(format) || samesum::is_byte_float(format))
        raise("DtypeError", "a cumulative sum of exponentials of " + name_of(format) +
                                " does not exist; allowed are float16, bfloat16, float32 and float64");
    const int along = axis_of_line(axis, input.view.rank);
    Output output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        run_in_order(input, along, output, samesum::normalized_element_bytes,
                     [&](const samesum::View& view, int place, void* to) {
                         samesum::scan_exponentials(view, place, reverse, to);
                     });
    }
    return output.finished();
}

nb::object scan(unsigned combine, nb::handle x, nb::handle axis, unsigned flags, nb::handle dtype,
                nb::handle out) {
    if (nb::object later = deferred("scan", x, combine, axis, flags, dtype, out); !later.is_none())
        return later;
    const Input input = input_of(x);
    const int rank = input.view.rank;
    const samesum::Combine kind = static_cast<samesum::Combine>(combine);
    if (is_extreme(kind)) return scan_extremes(kind, input, axis_of_line(axis, rank), flags, dtype, out);
    if (kind != samesum::Combine::sum && kind != samesum::Combine::product) {
        raise("UnsupportedOperator",
              "scan of combine " + std::to_string(combine) +
                  "; there are the sum (0), the minimum (1), the maximum (2) and the product (3)");
    }
    const int along = axis_of_line(axis, rank);
    if (samesum::is_byte_float(input.view.format))
        raise("DtypeError", name_of(input.view.format) +
                                " has no scans; it is accepted by sum, mean, min, max and the norms");
    const Format format = result_format(input.view.format, flags, dtype);
    if (format == Format::boolean)
        raise("DtypeError", "bool has no sum or product; allowed are integer and float dtypes");
    const samesum::ScanOptions options{(flags & Flag::exclusive) != 0, (flags & Flag::reverse) != 0,
                                       (flags & Flag::include_initial) != 0};
    if (options.exclusive && options.include_initial) {
        raise("ShapeError",
              "exclusive and include_initial ask for the initial element twice; allowed is one of them");
    }
    npy_intp shape[samesum::max_rank], outputs = 1;
    for (int i = 0; i < rank; ++i) {
        shape[i] = input.view.shape[i] + (i == along && options.include_initial ? 1 : 0);
        outputs *= shape[i];
    }
    Output output(out, input, format, shape);
    if (outputs > 0) {
        const std::int64_t bytes = static_cast<std::int64_t>(samesum::size_of(input.view.format));
        run_in_order(input, along, output, bytes, [&](const samesum::View& view, int place, void* to) {
            samesum::scan(kind, view, place, options, format, to);
        });
    }
    return output.finished();
}

nb::object normalize(unsigned code, nb::handle x, nb::handle axis, nb::handle out) {
    const Input input = input_of(x);
    const Format format = input.view.format;
    if (!samesum::is_float(format) || samesum::is_byte_float(format)) {
        raise("DtypeError", "a normalization of " + name_of(format) +
                                " does not exist; allowed are float16, bfloat16, float32 and float64");
    }
    const auto kind = static_cast<samesum::Normalization>(code);
    if (code > 1)
        raise("AttributeValueError",
              "normalization " + std::to_string(code) + "; there are softmax (0) and its logarithm (1)");
    const int along = checked_axis(axis, input.view.rank);
    Output output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        const std::int64_t bytes = samesum::normalized_element_bytes;
        run_in_order(input, along, output, bytes, [&](const samesum::View& view, int place, void* to) {
            samesum::normalize(view, place, kind, to);
        });
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

// How often each way was taken since the last reset, by its name; methods by the results that they gave.
nb::dict routes() {
    nb::dict result;
    for (std::size_t i = 0; i < samesum::route_count; ++i)
        result[samesum::route_row(static_cast<samesum::Route>(i)).name] = samesum::route_counters[i].load();
    return result;
}

nb::dict route_meanings() {
    nb::dict result;
    for (std::size_t i = 0; i < samesum::route_count; ++i) {
        const samesum::RouteRow& row = samesum::route_row(static_cast<samesum::Route>(i));
        result[row.name] = row.meaning;
    }
    return result;
}

void reset_counters() {
    for (auto& counter : samesum::route_counters) counter = 0;
    for (auto& counter : samesum::counters.reductions) counter = 0;
    samesum::counters.scan_lines = 0;
    samesum::counters.scan_exact = 0;
}

void set_num_threads(int n) {
    if (n < 1 || n > samesum::most_threads) {
        raise("AttributeValueError", "the number of threads has to be 1 to " +
                                         std::to_string(samesum::most_threads) + "; got " +
                                         std::to_string(n));
    }
    samesum::set_thread_count(n);
}

std::vector<std::string> instruction_sets() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < samesum::instruction_set_count; ++i) {
        if (samesum::instruction_sets[i].is_supported())
            names.emplace_back(samesum::instruction_sets[i].name);
    }
    return names;
}

void set_instruction_set(const std::string& name) {
    if (samesum::select_instruction_set(name.c_str())) return;
    std::string allowed;
    for (const std::string& known : instruction_sets()) allowed += (allowed.empty() ? "" : ", ") + known;
    const std::string message =
        "instruction set '" + name + "' is unknown or missing here; allowed are " + allowed;
    PyErr_SetString(PyExc_ValueError, message.c_str());
    throw nb::python_error();
}

double read_seconds(nb::handle x) {
    const Input input = input_of(x);
    if (!PyArray_ISCARRAY_RO(input.array)) raise("ShapeError", "the array to read has to be C-contiguous");
    const nb::gil_scoped_release release;
    return samesum::read_seconds(input.view.data, PyArray_NBYTES(input.array));
}

double copy_seconds(nb::handle x, nb::handle out, bool streams) {
    checked_array(out, "out");
    const Input from = input_of(x), to = input_of(out);
    if (!PyArray_ISCARRAY_RO(from.array) || !PyArray_ISCARRAY(to.array))
        raise("ShapeError", "the arrays to copy have to be C-contiguous");
    const nb::gil_scoped_release release;
    return samesum::copy_seconds(from.view.data, PyArray_NBYTES(from.array), PyArray_BYTES(to.array),
                                 PyArray_NBYTES(to.array), streams);
}

bool signals_pending() {
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals() != 0;
}

int ml_dtypes_number(const char* name) {
    const nb::object type = nb::module_::import_("ml_dtypes").attr(name);
    const nb::object dtype = nb::module_::import_("numpy").attr("dtype")(type);
    return reinterpret_cast<PyArray_Descr*>(dtype.ptr())->type_num;
}

#if defined(SAMESUM_TUNING)
// Gives one threshold another value, and all others their own again.
void set_threshold(const std::string& name, std::int64_t value) {
    static std::string chosen;
    chosen = name;
    samesum::tuned = {chosen.c_str(), value};
}
#endif

void* import_numpy() {
    import_array1(nullptr);
    return &bfloat16_number;
}

}  // namespace

NB_MODULE(_core, m) {
    if (import_numpy() == nullptr) throw nb::python_error();
    bfloat16_number = ml_dtypes_number("bfloat16");
    for (std::size_t i = 0; i < samesum::byte_float_count; ++i)
        byte_float_numbers[i] = ml_dtypes_number(byte_float_names[i]);
    samesum::interruption_requested = signals_pending;
    for (const auto& [name, flag] : flag_names) m.attr(name) = static_cast<unsigned>(flag);
    m.def("reduce", &reduce, nb::arg("code"), nb::arg("x").none(), nb::arg("axes").none(), nb::arg("flags"),
          nb::arg("dtype").none(), nb::arg("out").none(), nb::arg("where").none() = nb::none());
    m.def("reduce_corrected", &reduce_corrected, nb::arg("code"), nb::arg("x").none(), nb::arg("axes").none(),
          nb::arg("flags"), nb::arg("dtype").none(), nb::arg("out").none(), nb::arg("correction"),
          nb::arg("where").none() = nb::none());
    m.def("count_nonzero", &count_nonzero, nb::arg("x").none(), nb::arg("axes").none(), nb::arg("flags"),
          nb::arg("where").none() = nb::none());
    m.def("reduce_several", &reduce_several, nb::arg("codes"), nb::arg("x").none(), nb::arg("axes").none(),
          nb::arg("flags"), nb::arg("keepdims"), nb::arg("scalars") = false,
          nb::arg("dtype").none() = nb::none(), nb::arg("where").none() = nb::none());
    nb::class_<samesum::Accumulation>(m, "Accumulation")
        .def("__init__", &construct, nb::arg("code"), nb::arg("flags"), nb::arg("dtype"), nb::arg("outputs"),
             nb::arg("count"), nb::arg("tier"))
        .def("add", &add_piece, nb::arg("x"), nb::arg("axes"))
        .def("finish", &finished);
    m.def("convert_with", [](nb::object function) { converter = function.release().ptr(); });
    m.def("defer_with", [](nb::object function) { deferrer = function.release().ptr(); });
    m.def("scan", &scan, nb::arg("combine"), nb::arg("x").none(), nb::arg("axis").none(), nb::arg("flags"),
          nb::arg("dtype").none(), nb::arg("out").none());
    m.def("scan_exponentials", &scan_exponentials, nb::arg("x"), nb::arg("axis").none(), nb::arg("reverse"),
          nb::arg("out").none() = nb::none());
    m.def("normalize", &normalize, nb::arg("code"), nb::arg("x").none(), nb::arg("axis").none(),
          nb::arg("out").none() = nb::none());
    m.def("normalize_lines", &normalize_lines, nb::arg("x"), nb::arg("axes").none(), nb::arg("divisor"),
          nb::arg("centred"), nb::arg("over_count"), nb::arg("at_least"), nb::arg("inside"),
          nb::arg("outside"), nb::arg("scale").none() = nb::none(), nb::arg("bias").none() = nb::none(),
          nb::arg("dtype").none() = nb::none(), nb::arg("out").none() = nb::none(),
          nb::arg("inverse_dtype").none() = nb::none());
    m.def("vecdot", &vecdot, nb::arg("a"), nb::arg("b"), nb::arg("axis"),
          nb::arg("dtype").none() = nb::none(), nb::arg("out").none() = nb::none());
    m.def("declare_operators", &declare_operators, nb::arg("rows"));
    define_elementwise(m);
    define_floating_point(m);
    define_products(m);
    define_result_memory(m);
    m.def("set_num_threads", &set_num_threads, nb::arg("n"));
    m.def("get_num_threads", &samesum::thread_count);
    m.def("set_instruction_set", &set_instruction_set, nb::arg("name"));
    m.def("instruction_set", [] { return samesum::current_instruction_set().name; });
    m.def("instruction_sets", &instruction_sets);
#if defined(SAMESUM_TUNING)
    m.def("set_threshold", &set_threshold, nb::arg("name"), nb::arg("value"));
#endif
    m.def("counters", &counters);
    m.def("routes", &routes);
    m.def("route_meanings", &route_meanings);
    m.def("reset_counters", &reset_counters);
    m.def("read_seconds", &read_seconds, nb::arg("x"));
    m.def("copy_seconds", &copy_seconds, nb::arg("x"), nb::arg("out"), nb::arg("streams"));
    define_certificates(m);
    define_segments(m);
    define_states(m);
    define_statistics(m);
    define_windows(m);
}
