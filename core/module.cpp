// The only file, with those in python/, that knows Python: arrays in, arrays out, errors of samesum.errors.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/attention.hpp"
#include "python/contractions.hpp"
#include "python/custom_operators.hpp"
#include "python/dots.hpp"
#include "python/elementwise.hpp"
#include "python/evaluation.hpp"
#include "python/exponentials.hpp"
#include "python/machine.hpp"
#include "python/norms.hpp"
#include "python/products.hpp"
#include "python/reductions.hpp"
#include "python/scans.hpp"
#include "python/segments.hpp"
#include "python/several_reductions.hpp"
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
    m.def("normalize_lines", &normalize_lines, nb::arg("x"), nb::arg("axes").none(), nb::arg("divisor"),
          nb::arg("centred"), nb::arg("over_count"), nb::arg("at_least"), nb::arg("inside"),
          nb::arg("outside"), nb::arg("scale").none() = nb::none(), nb::arg("bias").none() = nb::none(),
          nb::arg("dtype").none() = nb::none(), nb::arg("out").none() = nb::none(),
          nb::arg("inverse_dtype").none() = nb::none());
    m.def("normalize_batch", &normalize_batch, nb::arg("x"), nb::arg("first"), nb::arg("last"),
          nb::arg("scale"), nb::arg("bias"), nb::arg("mean"), nb::arg("variance"), nb::arg("epsilon"),
          nb::arg("out").none() = nb::none());
    m.def("vecdot", &vecdot, nb::arg("a"), nb::arg("b"), nb::arg("axis"),
          nb::arg("dtype").none() = nb::none(), nb::arg("out").none() = nb::none());
    m.def("attention", &attention, nb::arg("query"), nb::arg("key"), nb::arg("value"), nb::arg("mask").none(),
          nb::arg("ends").none(), nb::arg("scale"), nb::arg("scale_rest"), nb::arg("cap"), nb::arg("shown"));
    m.def("declare_operators", &declare_operators, nb::arg("rows"));
    m.def("evaluate_with", &evaluate_with, nb::arg("function"));
    define_contractions(m);
    define_elementwise(m);
    define_floating_point(m);
    define_products(m);
    define_exponentials(m);
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
