// Dot products along an axis, from Python. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "run/dots/dots.hpp"

namespace samesum::python {

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
