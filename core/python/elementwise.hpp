// Functions of each element from Python. Included by module.cpp alone.
#pragma once

#include "python/outputs.hpp"
#include "python/reductions.hpp"
#include "run/elementwise.hpp"

namespace samesum::python {

inline Format checked_float(const Input& x, const char* what) {
    const Format format = x.view.format;
    if (is_float(format) && !is_byte_float(format)) return format;
    raise("DtypeError", std::string(what) + " of " + name_of(format) +
                            " does not exist; allowed are float16, bfloat16, float32 and float64");
}

inline nb::object elementwise(unsigned code, nb::handle x, nb::handle out) {
    const Input input = input_of(x);
    if (code >= unary_count)
        raise("UnsupportedOperator", "element-wise function " + std::to_string(code) + "; there are 0 to " +
                                         std::to_string(unary_count - 1));
    const Format format = checked_float(input, "an element-wise function");
    Output output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        std::int64_t room[2 * max_rank];
        const View view = output.order().applied_to(input.view, room);
        const std::int64_t bytes = input.count * static_cast<std::int64_t>(size_of(format));
        unlocked(bytes, [&] { apply(static_cast<Unary>(code), view, output.data()); });
    }
    return output.finished();
}

inline void define_elementwise(nb::module_& m) {
    m.def("elementwise", &elementwise, nb::arg("code"), nb::arg("x"), nb::arg("out").none() = nb::none());
}

}  // namespace samesum::python
