// Functions of each element, and dot products along an axis, from Python. Included by module.cpp alone.
#pragma once

#include "python/outputs.hpp"
#include "python/reductions.hpp"
#include "run/dots/dots.hpp"
#include "run/elementwise.hpp"

namespace samesum::python {

inline nb::object elementwise(unsigned code, nb::handle x, nb::handle out) {
    const Input input = input_of(x);
    if (code >= unary_count)
        raise("UnsupportedOperator", "element-wise function " + std::to_string(code) + "; there are 0 to " +
                                         std::to_string(unary_count - 1));
    const Format format = checked_float(input.view.format, "an element-wise function");
    OrderedOutput output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        std::int64_t room[2 * max_rank];
        const View view = output.order().applied_to(input.view, room);
        unlocked(input.count * elementwise_element_bytes,
                 [&] { apply(static_cast<Unary>(code), view, output.data()); });
    }
    return output.finished();
}

// The exponent may have any format of numbers.
inline nb::object power(nb::handle x, nb::handle y, nb::handle out) {
    const Input operands[] = {input_of(x), input_of(y)};
    const auto& [base, exponent] = operands;
    const Format format = checked_float(base.view.format, "a power");
    if (is_byte_float(exponent.view.format))
        raise("DtypeError",
              "an exponent of " + name_of(exponent.view.format) +
                  " is not supported; allowed are integers, float16, bfloat16, float32, float64");
    std::int64_t strides[2 * max_rank];
    Broadcast both(operands, strides);
    Output output(out, base.array, format, both.rank, both.shape, {exponent.array});
    if (both.count > 0)
        unlocked(both.count * elementwise_element_bytes,
                 [&] { raise_to_power(both.view(0), both.view(1), output.data()); });
    return output.finished();
}

// Each step is four bytes: an operation, two numbers of arrays or rooms, and one of a room.
inline nb::object combine(const nb::bytes& steps, const nb::list& arrays) {
    std::vector<Input> inputs;
    for (nb::handle each : arrays) inputs.push_back(input_of(each));
    const auto* code = reinterpret_cast<const std::uint8_t*>(steps.c_str());
    std::vector<Combination> combinations;
    const std::size_t known = inputs.size() + most_rooms;
    bool fits =
        !inputs.empty() && inputs.size() <= most_combined && steps.size() > 0 && steps.size() % 4 == 0;
    for (std::size_t i = 0; fits && i < steps.size(); i += 4, code += 4) {
        fits = code[0] < arithmetic_count && code[1] < known && code[2] < known && code[3] < most_rooms;
        combinations.push_back({static_cast<Arithmetic>(code[0]), code[1], code[2], code[3]});
    }
    if (!fits)
        raise("ArgumentError",
              "the steps of a combination name operations, arrays or rooms that are not there");
    const Format format = inputs[0].view.format;
    for (const Input& each : inputs)
        if (each.view.format != format || static_cast<std::size_t>(format) >= arithmetic_formats)
            raise("DtypeError", "arithmetic of " + name_of(format) + " and " + name_of(each.view.format) +
                                    "; one of float16, bfloat16 and float32 is needed");
    std::vector<std::int64_t> strides(inputs.size() * max_rank);
    Broadcast all(inputs, strides.data());
    Output output(nb::none(), inputs[0].array, format, all.rank, all.shape);
    if (all.count > 0) {
        std::vector<View> views;
        for (std::size_t k = 0; k < inputs.size(); ++k) views.push_back(all.view(k));
        unlocked(all.count * elementwise_element_bytes,
                 [&] { samesum::combine(combinations, views, output.data()); });
    }
    return output.finished();
}

inline void define_elementwise(nb::module_& m) {
    m.def("elementwise", &elementwise, "code"_a, "x"_a, or_none("out"));
    m.def("power", &power, "x"_a, "y"_a, or_none("out"));
    m.def("combine", &combine, "steps"_a, "arrays"_a);
}

// `axis` counts the axes from the back by a negative number.
inline nb::object vecdot(nb::handle a, nb::handle b, int axis, nb::handle dtype, nb::handle out) {
    for (const nb::handle x : {a, b}) checked_array(x, "an operand");
    if (axis >= 0 || axis < -std::min(PyArray_NDIM(array_of(a)), PyArray_NDIM(array_of(b))))
        raise("AxisError",
              "axis " + std::to_string(axis) + " is not one of both operands, counted from the back");
    const Input pair[] = {input_of(a), input_of(b)};
    const auto length_of = [&](const Input& x) { return x.view.shape[x.view.rank + axis]; };
    const std::int64_t length = length_of(pair[0]);
    if (length_of(pair[1]) != length)
        raise("ShapeError", "vectors of different lengths along axis " + std::to_string(axis) + ": " +
                                shape_of(pair[0]) + " and " + shape_of(pair[1]));
    std::int64_t strides[2 * max_rank];
    const Broadcast all(pair, strides);
    bool reduced[max_rank] = {};
    npy_intp shape[max_rank], outputs = 1;
    int kept = 0;
    for (int i = 0; i < all.rank; ++i) {
        reduced[i] = i == all.rank + axis;
        if (!reduced[i]) outputs *= shape[kept++] = all.shape[i];
    }
    View view = all.view(0);
    view.mask = pair[1].view.data, view.mask_strides = strides + max_rank;
    view.is_pair = true, view.other_swapped = pair[1].view.swapped;
    const Format format = view.format, other = pair[1].view.format,
                 result = dtype.is_none() ? format : format_in(dtype);
    const bool fits = is_float(format) ? is_float(result) : result == format;
    if (format != other || is_byte_float(format) || format == Format::boolean || !fits)
        raise("DtypeError",
              "no dot product of " + name_of(format) + " and " + name_of(other) + " in " + name_of(result));
    Output output(out, pair[0].array, result, kept, shape, {pair[1].array});
    const std::int64_t bytes = 2 * outputs * length * static_cast<std::int64_t>(size_of(format));
    if (bytes > 0)
        unlocked(bytes, [&] { samesum::dot_products(view, reduced, result, output.data()); });
    else
        std::memset(output.data(), 0, static_cast<std::size_t>(outputs) * size_of(result));
    return output.finished(true);
}

}  // namespace samesum::python
