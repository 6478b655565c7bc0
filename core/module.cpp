// The only file, with those in python/, that knows Python: arrays in, arrays out, errors of samesum.errors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/attention.hpp"
#include "python/contractions.hpp"
#include "python/custom_operators.hpp"
#include "python/elementwise.hpp"
#include "python/machine.hpp"
#include "python/norms.hpp"
#include "python/reductions.hpp"
#include "python/states.hpp"
#include "python/statistics.hpp"
#include "python/windows.hpp"
#include "threads/pool.hpp"

#if defined(SAMESUM_TEST_HOOKS)
#include "certificates/bindings.hpp"
#endif

namespace nb = nanobind;

namespace {

using namespace samesum::python;

bool signals_pending() {
    const nb::gil_scoped_acquire acquire;
    return acquire.is_valid() && PyErr_CheckSignals() != 0;
}

int ml_dtypes_number(const char* name) {
    const nb::object type = nb::module_::import_("ml_dtypes").attr(name);
    const nb::object dtype = nb::module_::import_("numpy").attr("dtype")(type);
    return reinterpret_cast<PyArray_Descr*>(dtype.ptr())->type_num;
}

void* import_numpy() {
    import_array1(nullptr);
    return &bfloat16_number;
}

}  // namespace

NB_MODULE(_core, m) {
    // Before anything that an instruction set was compiled for.
    if (const std::string missing = samesum::missing_instruction_set(); !missing.empty())
        throw nb::import_error(missing.c_str());
    if (import_numpy() == nullptr) throw nb::python_error();
    bfloat16_number = ml_dtypes_number("bfloat16");
    for (std::size_t i = 0; i < samesum::byte_float_count; ++i)
        byte_float_numbers[i] = ml_dtypes_number(byte_float_names[i]);
    samesum::interruption_requested = signals_pending;
    for (const auto& [name, flag] : flag_names) m.attr(name) = static_cast<unsigned>(flag);
    define_reductions(m);
    define_several_reductions(m);
    define_accumulation(m);
    m.def("convert_with", [](nb::object function) { converter = function.release().ptr(); });
    m.def("defer_with", [](nb::object function) { deferrer = function.release().ptr(); });
    define_scans(m);
    m.def("normalize_lines", &normalize_lines, "x"_a, "axes"_a.none(), "divisor"_a, "centred"_a,
          "over_count"_a, "at_least"_a, "inside"_a, "outside"_a, or_none("scale"), or_none("bias"),
          or_none("dtype"), or_none("out"), or_none("inverse_dtype"));
    m.def("normalize_batch", &normalize_batch, "x"_a, "first"_a, "last"_a, "scale"_a, "bias"_a, "mean"_a,
          "variance"_a, "epsilon"_a, or_none("out"));
    m.def("vecdot", &vecdot, "a"_a, "b"_a, "axis"_a, or_none("dtype"), or_none("out"));
    m.def("attention", &attention, "query"_a, "key"_a, "value"_a, "mask"_a.none(), "ends"_a.none(), "scale"_a,
          "scale_rest"_a, "cap"_a, "shown"_a);
    m.def("declare_operators", &declare_operators, "rows"_a);
    m.def("evaluate_with", &evaluate_with, "function"_a);
    define_contractions(m);
    define_elementwise(m);
    define_floating_point(m);
    define_result_memory(m);
    define_machine(m);
#if defined(SAMESUM_TEST_HOOKS)
    define_certificates(m);
#endif
    define_segments(m);
    define_states(m);
    define_statistics(m);
    define_windows(m);
}
