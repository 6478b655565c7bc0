// Scans and softmax of arrays of Python. Included by module.cpp alone.
#pragma once

#include "python/ordered_outputs.hpp"
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

// Cumulative minima and maxima have the format of the elements, which is any.
inline nb::object scan_extremes(Combine kind, const Input& input, int along, unsigned flags, nb::handle dtype,
                                nb::handle out) {
    if ((flags & (Flag::exclusive | Flag::include_initial)) != 0 || !dtype.is_none())
        raise(
            "AttributeValueError",
            "a cumulative minimum or maximum has no prefix of nothing and no other dtype than its elements");
    OrderedOutput output(out, input, input.view.format, PyArray_DIMS(input.array));
    if (input.count > 0) {
        const std::int64_t bytes = static_cast<std::int64_t>(size_of(input.view.format));
        run_in_order(input, along, output, bytes, [&](const View& view, int place, void* to) {
            samesum::scan_extremes(kind == Combine::maximum, view, place, (flags & Flag::reverse) != 0, to);
        });
    }
    return output.finished();
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
    if (is_extreme(kind)) return scan_extremes(kind, input, axis_of_line(axis, rank), flags, dtype, out);
    if (kind != Combine::sum && kind != Combine::product) {
        raise("UnsupportedOperator",
              "scan of combine " + std::to_string(combine) +
                  "; there are the sum (0), the minimum (1), the maximum (2) and the product (3)");
    }
    const int along = axis_of_line(axis, rank);
    if (is_byte_float(input.view.format))
        raise("DtypeError", name_of(input.view.format) +
                                " has no scans; it is accepted by sum, mean, min, max and the norms");
    const Format format = result_format(input.view.format, flags, dtype);
    if (format == Format::boolean)
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
    m.def("scan", &scan, nb::arg("combine"), nb::arg("x").none(), nb::arg("axis").none(), nb::arg("flags"),
          nb::arg("dtype").none(), nb::arg("out").none());
    m.def("scan_exponentials", &scan_exponentials, nb::arg("x"), nb::arg("axis").none(), nb::arg("reverse"),
          nb::arg("out").none() = nb::none());
    m.def("normalize", &normalize, nb::arg("code"), nb::arg("x").none(), nb::arg("axis").none(),
          nb::arg("out").none() = nb::none());
}

}  // namespace samesum::python
