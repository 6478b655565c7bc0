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
    OrderedOutput output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        std::int64_t room[2 * max_rank];
        const View view = output.order().applied_to(input.view, room);
        unlocked(input.count * elementwise_element_bytes,
                 [&] { apply(static_cast<Unary>(code), view, output.data()); });
    }
    return output.finished();
}

inline View spread_view(const Input& x, int rank, const npy_intp* shape, const std::int64_t* strides) {
    return {x.view.data, rank,          reinterpret_cast<const std::int64_t*>(shape),
            strides,     x.view.format, x.view.swapped};
}

// The shape to which both broadcast; the exponent may have any format of numbers.
inline nb::object power(nb::handle x, nb::handle y, nb::handle out) {
    const Input base = input_of(x), exponent = input_of(y);
    const Format format = checked_float(base, "a power");
    if (is_byte_float(exponent.view.format))
        raise("DtypeError",
              "an exponent of " + name_of(exponent.view.format) +
                  " is not supported; allowed are integers, float16, bfloat16, float32, float64");
    const int rank = std::max(base.view.rank, exponent.view.rank);
    npy_intp shape[max_rank], count = 1;
    for (int i = 0; i < rank; ++i) {
        const auto size = [&](const View& v) { return i < rank - v.rank ? 1 : v.shape[i - (rank - v.rank)]; };
        shape[i] = size(base.view) == 1 ? size(exponent.view) : size(base.view);
        count *= shape[i];
    }
    std::int64_t strides[2][max_rank];
    if (!spread(base, rank, shape, strides[0]) || !spread(exponent, rank, shape, strides[1]))
        raise("ShapeError",
              "the shapes " + shape_of(base) + " and " + shape_of(exponent) + " do not broadcast together");
    Output output(out, base.array, format, rank, shape, {exponent.array});
    if (count > 0) {
        const View bases = spread_view(base, rank, shape, strides[0]),
                   exponents = spread_view(exponent, rank, shape, strides[1]);
        unlocked(count * elementwise_element_bytes, [&] { raise_to_power(bases, exponents, output.data()); });
    }
    return output.finished();
}

inline void define_elementwise(nb::module_& m) {
    m.def("elementwise", &elementwise, "code"_a, "x"_a, or_none("out"));
    m.def("power", &power, "x"_a, "y"_a, or_none("out"));
}

}  // namespace samesum::python
