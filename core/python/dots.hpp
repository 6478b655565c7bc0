// Dot products along an axis, from Python. Included by module.cpp alone.
#pragma once

#include "python/reductions.hpp"
#include "run/dots/dot_layout.hpp"

namespace samesum::python {

// The two operands, whose axes are those from the back: `axis` counts them by a negative number.
struct Pairs {
    Input a, b;
    DotCall call{};
    npy_intp shape[max_rank], outputs = 1;

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
            if (i == dropped) {
                call.length = size;
                call.a.step = step_in(a, size);
                call.b.step = step_in(b, size);
            } else {
                call.kept[call.rank] = {size, step_in(a, size), step_in(b, size), 0};
                shape[call.rank++] = size;
            }
        }
        for (int i = call.rank - 1; i >= 0; --i) {
            call.kept[i].out = outputs;
            outputs *= shape[i];
        }
        call.a.data = a.view.data, call.a.swapped = a.view.swapped;
        call.b.data = b.view.data, call.b.swapped = b.view.swapped;
        call.format = a.view.format;
    }
};

inline nb::object vecdot(nb::handle a, nb::handle b, int axis, nb::handle dtype, nb::handle out) {
    for (const nb::handle x : {a, b}) checked_array(x, "an operand");
    if (axis >= 0 || axis < -std::min(PyArray_NDIM(array_of(a)), PyArray_NDIM(array_of(b))))
        raise("AxisError",
              "axis " + std::to_string(axis) + " is not one of both operands, counted from the back");
    Pairs pairs(a, b, axis);
    DotCall& call = pairs.call;
    call.result =
        dtype.is_none() ? call.format : checked_format(reinterpret_cast<PyArray_Descr*>(dtype.ptr()));
    const bool fits = is_float(call.format) ? is_float(call.result) : call.result == call.format;
    if (call.format != pairs.b.view.format || is_byte_float(call.format) || call.format == Format::boolean ||
        !fits)
        raise("DtypeError", "no dot product of " + name_of(call.format) + " and " +
                                name_of(pairs.b.view.format) + " in " + name_of(call.result));
    Output output(out, pairs.a.array, call.result, call.rank, pairs.shape, {pairs.b.array});
    call.out = output.data();
    if (pairs.outputs > 0 && call.length > 0)
        unlocked(dot_bytes(call), [&] { samesum::dot_products(call); });
    else
        std::memset(call.out, 0, static_cast<std::size_t>(pairs.outputs) * size_of(call.result));
    return output.finished(true);
}

}  // namespace samesum::python
