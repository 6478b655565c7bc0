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

// compute(a, b, out) of two operands as they repeat over the shape to which both broadcast.
template <class Compute>
nb::object of_two(const Input& a, const Input& b, Format format, nb::handle out, const Compute& compute) {
    const int rank = std::max(a.view.rank, b.view.rank);
    npy_intp shape[max_rank], count = 1;
    for (int i = 0; i < rank; ++i) {
        const auto size = [&](const View& v) { return i < rank - v.rank ? 1 : v.shape[i - (rank - v.rank)]; };
        shape[i] = size(a.view) == 1 ? size(b.view) : size(a.view);
        count *= shape[i];
    }
    std::int64_t strides[2][max_rank];
    if (!spread(a, rank, shape, strides[0]) || !spread(b, rank, shape, strides[1]))
        raise("ShapeError",
              "the shapes " + shape_of(a) + " and " + shape_of(b) + " do not broadcast together");
    Output output(out, a.array, format, rank, shape, {b.array});
    if (count > 0) {
        const View first = spread_view(a, rank, shape, strides[0]),
                   second = spread_view(b, rank, shape, strides[1]);
        unlocked(count * elementwise_element_bytes, [&] { compute(first, second, output.data()); });
    }
    return output.finished();
}

// The exponent may have any format of numbers.
inline nb::object power(nb::handle x, nb::handle y, nb::handle out) {
    const Input base = input_of(x), exponent = input_of(y);
    const Format format = checked_float(base, "a power");
    if (is_byte_float(exponent.view.format))
        raise("DtypeError",
              "an exponent of " + name_of(exponent.view.format) +
                  " is not supported; allowed are integers, float16, bfloat16, float32, float64");
    return of_two(base, exponent, format, out, raise_to_power);
}

inline nb::object arithmetic(unsigned code, nb::handle x, nb::handle y) {
    const Input a = input_of(x), b = input_of(y);
    const Format format = a.view.format;
    if (code >= arithmetic_count || b.view.format != format ||
        (format != Format::f16 && format != Format::bf16))
        raise("DtypeError", "arithmetic " + std::to_string(code) + " of " + name_of(format) + " and " +
                                name_of(b.view.format) + "; there are 0 to 3, of float16 or bfloat16 both");
    return of_two(a, b, format, nb::none(), [&](const View& first, const View& second, void* out) {
        calculate(static_cast<Arithmetic>(code), first, second, out);
    });
}

inline void define_elementwise(nb::module_& m) {
    m.def("elementwise", &elementwise, "code"_a, "x"_a, or_none("out"));
    m.def("power", &power, "x"_a, "y"_a, or_none("out"));
    m.def("arithmetic", &arithmetic, "code"_a, "x"_a, "y"_a);
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
