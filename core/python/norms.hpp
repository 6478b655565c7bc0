// Scans, softmax and normalizations of arrays of Python. Included by module.cpp alone.
#pragma once

#include <optional>

#include "python/outputs.hpp"
#include "python/reductions.hpp"
#include "run/normalize/normalize.hpp"
#include "run/scans/scan.hpp"

namespace samesum::python {

// An array of floats of two bytes or more, as it repeats over the shape of x.
class Spread {
  public:
    Spread(nb::handle object, const Input& x, const char* name) : input_(input_of(object)) {
        const View& given = input_.view;
        const bool fits = is_float(given.format) && !is_byte_float(given.format) && !given.swapped &&
                          spread(input_, x.view.rank, x.view.shape, strides_);
        if (!fits)
            raise("ShapeError", std::string(name) + " has shape " + shape_of(input_) + " and dtype " +
                                    name_of(given.format) +
                                    "; floats in native byte order are needed that broadcast to the shape " +
                                    shape_of(x));
        view_ = {given.data, x.view.rank, x.view.shape, strides_, given.format, false};
    }
    Spread(const Spread&) = delete;
    Spread& operator=(const Spread&) = delete;

    const View& view() const { return view_; }
    PyArrayObject* array() const { return input_.array; }

  private:
    Input input_;
    std::int64_t strides_[max_rank];
    View view_;
};

inline const View* view_of(const std::optional<Spread>& spread) { return spread ? &spread->view() : nullptr; }

inline PyArrayObject* array_in(const std::optional<Spread>& spread) {
    return spread ? spread->array() : nullptr;
}

inline Format norm_format(Format in, nb::handle dtype) {
    const Format format = dtype.is_none() ? in : format_in(dtype);
    for (const Format each : {in, format}) {
        if (!is_float(each) || is_byte_float(each))
            raise("DtypeError", "a normalization of " + name_of(each) +
                                    " does not exist; allowed are float16, bfloat16, float32 and float64");
    }
    return format;
}

// The results, or these and the inverse of what each line was divided by if a type of it is given.
inline nb::object normalize_lines(nb::handle x, nb::handle axes, unsigned divisor, bool centred,
                                  bool over_count, bool at_least, double inside, double outside,
                                  nb::handle scale, nb::handle bias, nb::handle dtype, nb::handle out,
                                  nb::handle inverse_dtype) {
    if (divisor > static_cast<unsigned>(Divisor::one) || !(inside >= 0) || !(outside >= 0))
        raise("AttributeValueError", "there is no normalization of divisor " + std::to_string(divisor) +
                                         ", " + std::to_string(inside) + " within and " +
                                         std::to_string(outside) + " outside the root");
    Sets sets(x, axes, true);
    const Format format = norm_format(sets.x.view.format, dtype);
    std::optional<Spread> scales, biases;
    if (!scale.is_none()) scales.emplace(scale, sets.x, "scale");
    if (!bias.is_none()) biases.emplace(bias, sets.x, "bias");
    Output output(out, sets.x.array, format, sets.x.view.rank, PyArray_DIMS(sets.x.array),
                  {array_in(scales), array_in(biases)});
    std::optional<Output> inverse;
    Format inverse_format = Format::f32;
    if (!inverse_dtype.is_none()) {
        inverse_format = norm_format(Format::f32, inverse_dtype);
        inverse.emplace(nb::none(), sets.x.array, inverse_format, sets.rank, sets.shape);
    }
    if (inverse && sets.are_empty()) {
        constexpr Reduction mean{Map::itself, Combine::sum, Finalize::over_count, false};  // NaN of nothing
        fill_empty(mean, inverse_format, inverse->data(), sets.outputs);
    }
    if (sets.x.count > 0) {
        const NormCall call{sets.x.view,
                            sets.reduced,
                            {static_cast<Divisor>(divisor), centred, over_count, at_least, inside, outside},
                            view_of(scales),
                            view_of(biases),
                            format,
                            output.data(),
                            inverse ? inverse->data() : nullptr,
                            inverse_format};
        unlocked(sets.x.count * normalized_element_bytes, [&] { samesum::normalize_lines(call); });
    }
    if (!inverse) return output.finished();
    return nb::make_tuple(output.finished(), inverse->finished());
}

// A number for each channel.
inline const double* channel_numbers(nb::handle object, npy_intp channels) {
    PyArrayObject* const array = checked_array(object, "a number for each channel");
    if (PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY_RO(array) || PyArray_SIZE(array) != channels)
        raise("ShapeError", "contiguous float64 numbers are needed for each of " + std::to_string(channels) +
                                " channels; got shape " + text(object.attr("shape")));
    return static_cast<const double*>(PyArray_DATA(array));
}

// The channels are the elements of axes [first, last).
inline nb::object normalize_batch(nb::handle object, int first, int last, nb::handle scale, nb::handle bias,
                                  nb::handle mean, nb::handle variance, double epsilon, nb::handle out) {
    Input x = input_of(object);
    const Extents extents(x.view);
    const Format format = norm_format(x.view.format, nb::none());
    const int rank = x.view.rank;
    if (first < 0 || first > last || last > rank)
        raise("ShapeError", "axes " + std::to_string(first) + " to " + std::to_string(last) +
                                " are not those of channels of rank " + std::to_string(rank));
    OrderedOutput output(out, x, format, PyArray_DIMS(x.array));
    std::int64_t steps[max_rank] = {}, room[2 * max_rank], channels = 1;
    for (int i = last; i-- > first; channels *= x.view.shape[i]) steps[output.order().place_of(i)] = channels;
    BatchNormCall call{output.order().applied_to(x.view, room),
                       steps,
                       channels,
                       channel_numbers(scale, channels),
                       channel_numbers(bias, channels),
                       channel_numbers(mean, channels),
                       channel_numbers(variance, channels),
                       epsilon,
                       output.data()};
    if (x.count > 0) unlocked(x.count * normalized_element_bytes, [&] { samesum::normalize_batch(call); });
    return output.finished();
}

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
