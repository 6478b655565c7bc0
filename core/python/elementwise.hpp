// Functions of each element, and dot products along an axis, from Python. Included by module.cpp alone.
#pragma once

#include "python/outputs.hpp"
#include "python/reductions.hpp"
#include "run/dots/dots.hpp"
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

// Arrays as they repeat over the shape to which all of them broadcast.
struct Broadcast {
    explicit Broadcast(const std::vector<Input>& arrays) : strides(arrays.size() * max_rank) {
        for (const Input& each : arrays) rank = std::max(rank, each.view.rank);
        for (int i = 0; i < rank; ++i) {
            shape[i] = 1;
            for (const Input& each : arrays) {
                const int own = i - (rank - each.view.rank);
                if (own >= 0 && each.view.shape[own] != 1) shape[i] = each.view.shape[own];
            }
            count *= shape[i];
        }
        for (std::size_t k = 0; k < arrays.size(); ++k) {
            std::int64_t* const own = strides.data() + k * max_rank;
            if (!spread(arrays[k], rank, shape, own)) refuse(arrays);
            views.push_back(spread_view(arrays[k], rank, shape, own));
        }
    }

    int rank = 0;
    npy_intp shape[max_rank], count = 1;
    std::vector<std::int64_t> strides;
    std::vector<View> views;

  private:
    [[noreturn]] static void refuse(const std::vector<Input>& arrays) {
        std::string shapes = shape_of(arrays[0]);
        for (std::size_t k = 1; k < arrays.size(); ++k) shapes += " and " + shape_of(arrays[k]);
        raise("ShapeError", "the shapes " + shapes + " do not broadcast together");
    }
};

// The exponent may have any format of numbers.
inline nb::object power(nb::handle x, nb::handle y, nb::handle out) {
    const Input base = input_of(x), exponent = input_of(y);
    const Format format = checked_float(base, "a power");
    if (is_byte_float(exponent.view.format))
        raise("DtypeError",
              "an exponent of " + name_of(exponent.view.format) +
                  " is not supported; allowed are integers, float16, bfloat16, float32, float64");
    Broadcast both({base, exponent});
    Output output(out, base.array, format, both.rank, both.shape, {exponent.array});
    if (both.count > 0)
        unlocked(both.count * elementwise_element_bytes,
                 [&] { raise_to_power(both.views[0], both.views[1], output.data()); });
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
    Broadcast all(inputs);
    Output output(nb::none(), inputs[0].array, format, all.rank, all.shape);
    if (all.count > 0)
        unlocked(all.count * elementwise_element_bytes,
                 [&] { samesum::combine(combinations, all.views, output.data()); });
    return output.finished();
}

inline void define_elementwise(nb::module_& m) {
    m.def("elementwise", &elementwise, "code"_a, "x"_a, or_none("out"));
    m.def("power", &power, "x"_a, "y"_a, or_none("out"));
    m.def("combine", &combine, "steps"_a, "arrays"_a);
}

// The two operands, whose axes are those from the back: `axis` counts them by a negative number.
struct Pairs {
    Input a, b;
    std::int64_t sizes[max_rank], steps[max_rank], other_steps[max_rank], length = 1;
    bool reduced[max_rank] = {};
    npy_intp shape[max_rank], outputs = 1;
    int kept = 0;

    Pairs(nb::handle first, nb::handle second, int axis) : a(input_of(first)), b(input_of(second)) {
        const int rank = std::max(a.view.rank, b.view.rank), dropped = rank + axis;
        for (int i = 0; i < rank; ++i) {
            const auto size_in = [&](const Input& x) {
                const int at = i - (rank - x.view.rank);
                return at < 0 ? std::int64_t{1} : x.view.shape[at];
            };
            const auto step_in = [&](const Input& x, std::int64_t size) {
                const int at = i - (rank - x.view.rank);
                return at < 0 || x.view.shape[at] != size ? std::int64_t{0} : x.view.strides[at];
            };
            const std::int64_t of_a = size_in(a), of_b = size_in(b), size = of_a == 1 ? of_b : of_a;
            if (of_a != of_b && (i == dropped || (of_a != 1 && of_b != 1)))
                raise("ShapeError", std::string(i == dropped ? "vectors of different lengths along axis "
                                                             : "shapes that do not broadcast along axis ") +
                                        std::to_string(i - rank) + ": " + shape_of(a) + " and " +
                                        shape_of(b));
            sizes[i] = size, steps[i] = step_in(a, size), other_steps[i] = step_in(b, size);
            reduced[i] = i == dropped;
            if (reduced[i])
                length = size;
            else
                outputs *= shape[kept++] = size;
        }
    }

    View view() const {
        return {a.view.data,   std::max(a.view.rank, b.view.rank),
                sizes,         steps,
                a.view.format, a.view.swapped,
                b.view.data,   other_steps,
                Skip::nothing, true,
                b.view.swapped};
    }
};

inline nb::object vecdot(nb::handle a, nb::handle b, int axis, nb::handle dtype, nb::handle out) {
    for (const nb::handle x : {a, b}) checked_array(x, "an operand");
    if (axis >= 0 || axis < -std::min(PyArray_NDIM(array_of(a)), PyArray_NDIM(array_of(b))))
        raise("AxisError",
              "axis " + std::to_string(axis) + " is not one of both operands, counted from the back");
    Pairs pairs(a, b, axis);
    const Format format = pairs.a.view.format, other = pairs.b.view.format,
                 result = dtype.is_none() ? format : format_in(dtype);
    const bool fits = is_float(format) ? is_float(result) : result == format;
    if (format != other || is_byte_float(format) || format == Format::boolean || !fits)
        raise("DtypeError",
              "no dot product of " + name_of(format) + " and " + name_of(other) + " in " + name_of(result));
    Output output(out, pairs.a.array, result, pairs.kept, pairs.shape, {pairs.b.array});
    const std::int64_t bytes = 2 * pairs.outputs * pairs.length * static_cast<std::int64_t>(size_of(format));
    if (bytes > 0)
        unlocked(bytes, [&] { samesum::dot_products(pairs.view(), pairs.reduced, result, output.data()); });
    else
        std::memset(output.data(), 0, static_cast<std::size_t>(pairs.outputs) * size_of(result));
    return output.finished(true);
}

}  // namespace samesum::python
