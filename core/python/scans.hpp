// Scans and softmax of arrays of Python. Included by module.cpp alone.
#pragma once

#include "python/outputs.hpp"
#include "python/reductions.hpp"
#include "run/normalize/normalize.hpp"
#include "run/scans/scan.hpp"

namespace samesum::python {

// work(x with its axes in the order of the output, which of them is `along`, where the results go)
template <class Work>
inline void run_in_order(const Input& x, int along, const OrderedOutput& output, std::int64_t element_bytes,
                         Work&& work) {
    std::int64_t room[2 * max_rank];
    const View view = output.order().applied_to(x.view, room);
    const int place = output.order().place_of(along);
    unlocked(x.count * element_bytes, [&] { work(view, place, output.data()); });
}

// An axis of None names the only axis of x.
inline int axis_of_line(nb::handle axis, int rank) {
    if (rank == 0) raise("ShapeError", "x has rank 0; a scan needs rank 1 or more");
    if (!axis.is_none()) return checked_axis(axis, rank);
    if (rank == 1) return 0;
    raise("AxisError", "axis is None and x has rank " + std::to_string(rank) + "; name one of " +
                           std::to_string(-rank) + " to " + std::to_string(rank - 1));
}

// Cumulative sums of exponentials take floats of 16 bits or more; the results have their format.
inline nb::object scan_exponentials(nb::handle x, nb::handle axis, bool reverse, nb::handle out) {
    const Input input = input_of(x);
    const Format format = input.view.format;
    if (!is_float(format) || is_byte_float(format))
        raise("DtypeError", "a cumulative sum of exponentials of " + name_of(format) +
                                " does not exist; allowed are float16, bfloat16, float32 and float64");
    const int along = axis_of_line(axis, input.view.rank);
    OrderedOutput output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        run_in_order(input, along, output, normalized_element_bytes,
                     [&](const View& view, int place, void* to) {
                         samesum::scan_exponentials(view, place, reverse, to);
                     });
    }
    return output.finished();
}

inline nb::object scan(unsigned combine, nb::handle x, nb::handle axis, unsigned flags, nb::handle dtype,
                       nb::handle out) {
    if (nb::object later = deferred("scan", x, combine, axis, flags, dtype, out); !later.is_none())
        return later;
    const Input input = input_of(x);
    const int rank = input.view.rank;
    const Combine kind = static_cast<Combine>(combine);
    if (!is_extreme(kind) && kind != Combine::sum && kind != Combine::product) {
        raise("UnsupportedOperator",
              "scan of combine " + std::to_string(combine) +
                  "; there are the sum (0), the minimum (1), the maximum (2) and the product (3)");
    }
    const int along = axis_of_line(axis, rank);
    if (is_extreme(kind) && ((flags & (Flag::exclusive | Flag::include_initial)) != 0 || !dtype.is_none()))
        raise(
            "AttributeValueError",
            "a cumulative minimum or maximum has no prefix of nothing and no other dtype than its elements");
    if (is_byte_float(input.view.format) && !is_extreme(kind))
        raise("DtypeError", name_of(input.view.format) +
                                " has no scans; it is accepted by sum, mean, min, max and the norms");
    const Format format =
        is_extreme(kind) ? input.view.format : result_format(input.view.format, flags, dtype);
    if (format == Format::boolean && !is_extreme(kind))
        raise("DtypeError", "bool has no sum or product; allowed are integer and float dtypes");
    const ScanOptions options{(flags & Flag::exclusive) != 0, (flags & Flag::reverse) != 0,
                              (flags & Flag::include_initial) != 0};
    if (options.exclusive && options.include_initial) {
        raise("ShapeError",
              "exclusive and include_initial ask for the initial element twice; allowed is one of them");
    }
    npy_intp shape[max_rank], outputs = 1;
    for (int i = 0; i < rank; ++i) {
        shape[i] = input.view.shape[i] + (i == along && options.include_initial ? 1 : 0);
        outputs *= shape[i];
    }
    OrderedOutput output(out, input, format, shape);
    if (outputs > 0) {
        const std::int64_t bytes = static_cast<std::int64_t>(size_of(input.view.format));
        run_in_order(input, along, output, bytes, [&](const View& view, int place, void* to) {
            samesum::scan(kind, view, place, options, format, to);
        });
    }
    return output.finished();
}

inline nb::object normalize(unsigned code, nb::handle x, nb::handle axis, nb::handle out) {
    const Input input = input_of(x);
    const Format format = input.view.format;
    if (!is_float(format) || is_byte_float(format)) {
        raise("DtypeError", "a normalization of " + name_of(format) +
                                " does not exist; allowed are float16, bfloat16, float32 and float64");
    }
    const auto kind = static_cast<Normalization>(code);
    if (code > 1)
        raise("AttributeValueError",
              "normalization " + std::to_string(code) + "; there are softmax (0) and its logarithm (1)");
    const int along = checked_axis(axis, input.view.rank);
    OrderedOutput output(out, input, format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        const std::int64_t bytes = normalized_element_bytes;
        run_in_order(input, along, output, bytes, [&](const View& view, int place, void* to) {
            samesum::normalize(view, place, kind, to);
        });
    }
    return output.finished();
}

inline void define_scans(nb::module_& m) {
    m.def("scan", &scan, "combine"_a, "x"_a.none(), "axis"_a.none(), "flags"_a, "dtype"_a.none(),
          "out"_a.none());
    m.def("scan_exponentials", &scan_exponentials, "x"_a, "axis"_a.none(), "reverse"_a, or_none("out"));
    m.def("normalize", &normalize, "code"_a, "x"_a.none(), "axis"_a.none(), or_none("out"));
}

}  // namespace samesum::python
